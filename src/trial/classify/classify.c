/* From the turns of a transcript to bonds, and from bonds to figures. */
#include "trial/classify/classify.h"

#include "json/json.h"
#include "trial/classify/judge.h"
#include "trial/classify/look.h"

#define CLASSIFY_TRIALS ((size_t)1 << 16) /* whose figures are kept for quantiles; a sample beyond */

/* ---- one turn ---- */

double classify_confidence(const int64_t score[BONDS], enum bond bond)
{
	int64_t all = BONDS, own = score[bond] > 0 ? score[bond] : 0;

	for (size_t i = 0; i < BONDS; i++)
		all += score[i] > 0 ? score[i] * score[i] : 0;
	return bond_round((double)(own * own + 1) / (double)all);
}

/* Keeps the strongest rules for each bond; of equal ones that which stands first. */
static void classify_keep_strongest(struct classify_hit list[CLASSIFY_STRONGEST], struct classify_hit hit)
{
	for (size_t i = 0; i < CLASSIFY_STRONGEST && hit.row->weight > 0; i++) {
		if (list[i].row && list[i].row->weight >= hit.row->weight)
			continue;
		memmove(&list[i + 1], &list[i], (CLASSIFY_STRONGEST - 1 - i) * sizeof(list[0]));
		list[i] = hit;
		return;
	}
}

void classify_by_rules(struct classify_turn *out, struct arena *scratch, struct json_parser *p,
		       const struct rules *rules, const struct turns *t, size_t i)
{
	struct classify_hit strongest[BONDS][CLASSIFY_STRONGEST] = { { { NULL, NULL } } };
	struct look look;

	*out = (struct classify_turn){ .rationale = { NULL, 0 } };
	look_at(&look, scratch, p, t, i);
	for (size_t k = 0; k < rules->count; k++) {
		const struct rules_row *r = &rules->rows[k];
		const struct rules_pattern *found = look_find(&look, r);

		if (!found)
			continue;
		out->score[r->bond] += r->weight;
		classify_keep_strongest(strongest[r->bond], (struct classify_hit){ r, found });
	}
	out->bond = bond_strongest(out->score);
	out->confidence = classify_confidence(out->score, out->bond);
	memcpy(out->strongest, strongest[out->bond], sizeof(out->strongest));
}

static void classify_all_by_rules(struct classify_turn *out, const struct rules *rules, const struct turns *t)
{
	struct json_parser *p =
		json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	struct arena scratch;

	arena_init(&scratch);
	for (size_t i = 0; i < t->count; i++) {
		classify_by_rules(&out[i], &scratch, p, rules, t, i);
		arena_reset(&scratch);
	}
	arena_free(&scratch);
	json_parser_close(p);
}

/* ---- one trial ---- */

static void classify_fill(struct classify_trial *t, struct arena *a, size_t count)
{
	uint8_t *at = arena_array(a, uint8_t, count);
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		at[i] = (uint8_t)t->turns[i].bond;
		t->bond_counts[at[i]]++;
		sum += t->turns[i].confidence;
		t->low_confidence += t->turns[i].confidence < BONDS_LOW_CONFIDENCE;
	}
	t->sequence = (struct bond_sequence){ at, count };
	t->dominant = bond_dominant(t->bond_counts);
	t->mean_confidence = count ? sum / (double)count : 0;
	t->transitions = bond_count_transitions(t->sequence);
	t->matrix = bond_normalise(&t->transitions);
}

bool classify_turns(struct classify_trial *out, struct arena *a, const struct turns *t, const struct classify_how *how,
		    struct err *err)
{
	*out = (struct classify_trial){ .from = t->from };
	out->from.path = arena_copy(a, t->from.path);
	out->from.record.trial_id = arena_copy(a, t->from.record.trial_id);
	out->from.record.experiment_id = arena_copy(a, t->from.record.experiment_id);
	out->turns = arena_array(a, struct classify_turn, t->count);
	if (!how->judge)
		classify_all_by_rules(out->turns, how->rules, t);
	else if (!classify_judge_turns(how->judge, a, t, out->turns, err))
		return false;
	classify_fill(out, a, t->count);
	return true;
}

bool classify_load(struct classify_trial *out, struct arena *a, struct str path, const struct classify_how *how,
		   struct err *err)
{
	struct arena texts; /* of the turns: nothing that stays points into it */
	struct turns t;
	bool done;

	*out = (struct classify_trial){ .turns = NULL };
	arena_init(&texts);
	done = turns_load(&t, &texts, path, &how->read, err) && turns_check(&t, path, err) &&
	       classify_turns(out, a, &t, how, err);
	arena_free(&texts);
	return done;
}

void classify_compare(struct classify_trial *t, const struct bond_reference *r)
{
	t->has_likeness = true;
	t->likeness = bond_compare(t->sequence, r);
}

/* ---- many trials ---- */

void classify_sum_init(struct classify_sum *s)
{
	*s = (struct classify_sum){ .trials = 0 };
	quantile_init(&s->confidences, CLASSIFY_TRIALS);
	quantile_init(&s->cosines, CLASSIFY_TRIALS);
	quantile_init(&s->distances, CLASSIFY_TRIALS);
	quantile_init(&s->normalised, CLASSIFY_TRIALS);
}

void classify_sum_free(struct classify_sum *s)
{
	quantile_free(&s->confidences);
	quantile_free(&s->cosines);
	quantile_free(&s->distances);
	quantile_free(&s->normalised);
}

void classify_sum_add(struct classify_sum *s, const struct classify_trial *t)
{
	s->trials++;
	s->turns += t->sequence.n;
	s->low_confidence += t->low_confidence;
	s->confidence += t->mean_confidence * (double)t->sequence.n;
	for (size_t i = 0; i < BONDS; i++)
		s->bond_counts[i] += t->bond_counts[i];
	if (t->dominant != BONDS)
		s->dominant[t->dominant]++;
	quantile_add(&s->confidences, t->mean_confidence);
	if (!t->has_likeness)
		return;
	quantile_add(&s->cosines, t->likeness.cosine);
	if (!t->likeness.has_distance)
		return;
	quantile_add(&s->distances, (double)t->likeness.distance);
	quantile_add(&s->normalised, t->likeness.normalised);
}
