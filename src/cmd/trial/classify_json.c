/* The document trackway.classify/1. What is not known is null. */
#include <math.h>

#include "cmd/trial/classify_output.h"

const char *const classify_fields[] = { "classifier", "reference", "low_confidence_threshold", "trials", "aggregate",
					NULL };

static void classify_put_tokens(struct json_writer *w, const char *name, struct figure f)
{
	json_put_u64_or_null(w, name, f.n, figure_is_known(f));
}

void classify_output_write_teller(struct json_writer *w, const struct classify_teller *t)
{
	const struct judge_options *j = t->judge;

	json_write_begin_object(w);
	json_put_text(w, "kind", j ? STR("judge") : STR("rules"));
	json_put_text_or_null(w, "rules", j ? str_of(NULL, 0) : str_from(t->rules->digest));
	json_put_word(w, "judge", j ? provider_name(j->provider) : NULL);
	json_put_text_or_null(w, "model", j ? j->model : str_of(NULL, 0));
	json_put_text_or_null(w, "prompt", t->prompt_digest);
	if (j) {
		json_put_u64(w, "questions", t->use.questions);
		json_put_u64(w, "retries", t->use.retries);
		classify_put_tokens(w, "input_tokens", t->use.input_tokens);
		classify_put_tokens(w, "output_tokens", t->use.output_tokens);
		json_put_double(w, "cost_usd", amount_is_known(t->use.usd) ? t->use.usd.n : NAN);
		json_put_bool(w, "cost_estimated", t->use.usd.source == FIGURE_ESTIMATED);
	}
	json_write_end_object(w);
}

void classify_output_write_reference(struct json_writer *w, const struct classify_reference *r)
{
	if (!r) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	json_put_text(w, "classifier", r->classifier);
	json_put_u64(w, "traces", r->bonds.traces);
	json_put_u64(w, "turns", r->bonds.turns);
	json_put_key(w, "matrix");
	bond_write_matrix(w, &r->bonds.matrix);
	json_put_key(w, "ideal_sequence");
	bond_write_sequence(w, r->bonds.ideal);
	json_put_u64(w, "ideal_traces", r->bonds.ideal_traces);
	json_write_end_object(w);
}

void classify_output_put_counts(struct json_writer *w, const char *name, const uint64_t counts[BONDS])
{
	json_put_object(w, name);
	for (size_t i = 0; i < BONDS; i++)
		json_put_u64(w, bond_names[i], counts[i]);
	json_write_end_object(w);
}

static void classify_put_likeness(struct json_writer *w, const struct classify_trial *t)
{
	bool near = t->has_likeness, far = near && t->likeness.has_distance;

	json_put_double(w, "cosine_similarity", near ? bond_round(t->likeness.cosine) : NAN);
	json_put_u64_or_null(w, "edit_distance", t->likeness.distance, far);
	json_put_double(w, "normalized_edit_distance", far ? bond_round(t->likeness.normalised) : NAN);
}

/* Of a judge: null. */
static void classify_put_scores(struct json_writer *w, const struct classify_turn *t)
{
	int64_t any = 0;

	for (size_t i = 0; i < BONDS; i++)
		any |= t->score[i];
	if (!any) {
		json_put_null(w, "scores");
		return;
	}
	json_put_object(w, "scores");
	for (size_t i = 0; i < BONDS; i++)
		json_put_i64(w, bond_names[i], t->score[i]);
	json_write_end_object(w);
}

static void classify_write_turn(struct json_writer *w, const struct classify_turn *t, size_t number)
{
	json_write_begin_object(w);
	json_put_u64(w, "turn", number);
	json_put_word(w, "bond", bond_names[t->bond]);
	json_put_double(w, "confidence", t->confidence);
	classify_put_scores(w, t);
	json_put_array(w, "indicators");
	for (size_t i = 0; i < CLASSIFY_STRONGEST && t->strongest[i].row; i++) {
		json_write_begin_object(w);
		json_put_word(w, "kind", rules_kinds[t->strongest[i].row->kind]);
		json_put_text(w, "pattern", t->strongest[i].pattern->text);
		json_put_i64(w, "weight", t->strongest[i].row->weight);
		json_write_end_object(w);
	}
	json_write_end_array(w);
	json_put_text_or_null(w, "rationale", t->rationale);
	json_write_end_object(w);
}

void classify_output_write_trial(struct json_writer *w, const struct classify_trial *t)
{
	const struct transcript_record *r = t->from.by_record ? &t->from.record : NULL;

	json_write_begin_object(w);
	json_put_text(w, "path", t->from.path);
	json_put_word(w, "format", t->from.from->name);
	json_put_text_or_null(w, "trial_id", r ? r->trial_id : str_of(NULL, 0));
	json_put_text_or_null(w, "experiment_id", r ? r->experiment_id : str_of(NULL, 0));
	json_put_double(w, "reward", r ? r->reward : NAN);
	json_put_u64(w, "unreadable", t->from.unreadable);
	json_put_u64(w, "classified_turns", t->sequence.n);
	json_put_double(w, "mean_turn_confidence", bond_round(t->mean_confidence));
	json_put_u64(w, "low_confidence_turns", t->low_confidence);
	classify_output_put_counts(w, "bond_counts", t->bond_counts);
	json_put_word(w, "dominant_bond", t->dominant == BONDS ? NULL : bond_names[t->dominant]);
	json_put_key(w, "transition_counts");
	bond_write_counts(w, &t->transitions);
	json_put_key(w, "transition_matrix");
	bond_write_matrix(w, &t->matrix);
	classify_put_likeness(w, t);
	json_put_array(w, "turns");
	for (size_t i = 0; i < t->sequence.n; i++)
		classify_write_turn(w, &t->turns[i], i + 1);
	json_write_end_array(w);
	json_write_end_object(w);
}

/* Of no trial: null. */
static void classify_put_spread(struct json_writer *w, const char *name, struct quantile *q)
{
	static const struct {
		const char *name;
		double p;
	} points[] = { { "min", 0 }, { "p25", 0.25 }, { "p50", 0.5 }, { "p75", 0.75 }, { "max", 1 } };

	if (q->seen == 0) {
		json_put_null(w, name);
		return;
	}
	json_put_object(w, name);
	json_put_u64(w, "trials", q->seen);
	for (size_t i = 0; i < COUNT(points); i++)
		json_put_double(w, points[i].name, bond_round(quantile_get(q, points[i].p)));
	json_write_end_object(w);
}

void classify_output_write_sum(struct json_writer *w, struct classify_sum *s)
{
	enum bond dominant = bond_dominant(s->bond_counts);

	json_write_begin_object(w);
	json_put_u64(w, "trials", s->trials);
	json_put_u64(w, "classified_turns", s->turns);
	json_put_double(w, "mean_turn_confidence", s->turns ? bond_round(s->confidence / (double)s->turns) : NAN);
	json_put_u64(w, "low_confidence_turns", s->low_confidence);
	json_put_double(w, "low_confidence_share",
			s->turns ? bond_round((double)s->low_confidence / (double)s->turns) : NAN);
	classify_output_put_counts(w, "bond_counts", s->bond_counts);
	json_put_word(w, "dominant_bond", dominant == BONDS ? NULL : bond_names[dominant]);
	classify_output_put_counts(w, "dominant_bonds", s->dominant);
	classify_put_spread(w, "mean_turn_confidences", &s->confidences);
	classify_put_spread(w, "cosine_similarity", &s->cosines);
	classify_put_spread(w, "edit_distance", &s->distances);
	classify_put_spread(w, "normalized_edit_distance", &s->normalised);
	json_write_end_object(w);
}
