/* Text: turns, what they come to, and the matrix as a table that fits 80 columns. */
#include "cmd/trial/classify_output.h"

#include <inttypes.h>
#include <math.h>

#include "cmd/screen/amounts.h"
#include "cmd/screen/grid.h"
#include "cmd/screen/wrap.h"

#define LABEL 15 /* columns of what a line is about */
#define BEFORE_WHY 25 /* columns of a turn's line before its indicators */

struct str classify_teller_name(struct arena *a, const struct classify_teller *t)
{
	if (!t->judge)
		return ARENA_JOIN(a, STR("rules "), str_from(t->rules->digest));
	return ARENA_JOIN(a, STR("judge "), str_from(provider_name(t->judge->provider)), STR(":"), t->judge->model,
			  STR(" "), t->prompt_digest);
}

/* "says "let me check", runs pytest"; or what the judge said. */
static void classify_add_why(struct buf *out, const struct classify_turn *t)
{
	if (t->rationale.p)
		term_add_text(out, t->rationale);
	for (size_t i = 0; i < CLASSIFY_STRONGEST && t->strongest[i].row; i++) {
		enum rules_kind kind = t->strongest[i].row->kind;
		bool quoted = kind == RULE_SAYS || kind == RULE_BEGINS || kind == RULE_ARGS;

		buf_printf(out, "%s%s", i ? ", " : "", rules_kinds[kind]);
		if (kind == RULE_ALWAYS)
			continue;
		buf_add_str(out, quoted ? STR(" \"") : STR(" "));
		term_add_text(out, t->strongest[i].pattern->text);
		buf_add_str(out, quoted ? STR("\"") : STR(""));
	}
}

static void classify_add_turns(struct buf *out, const struct classify_trial *t, const struct term *term)
{
	struct buf why;

	buf_init(&why);
	buf_printf(out, "%sTURN  BOND          CONF  WHY%s\n", term_style(term->color, STYLE_BOLD),
		   term_style(term->color, STYLE_PLAIN));
	for (size_t i = 0; i < t->sequence.n; i++) {
		const struct classify_turn *turn = &t->turns[i];

		buf_clear(&why);
		classify_add_why(&why, turn);
		buf_printf(out, "%4zu  %-12s  %.2f  ", i + 1, bond_names[turn->bond], turn->confidence);
		grid_add_fitting(out, buf_str(&why), term->width > BEFORE_WHY + 10 ? term->width - BEFORE_WHY - 3 : 10);
		while (out->n && out->p[out->n - 1] == ' ')
			out->n--;
		buf_add_byte(out, '\n');
	}
	buf_free(&why);
}

/* ---- what they come to ---- */

static void classify_add_label(struct buf *out, const char *label)
{
	buf_printf(out, "%-*s", LABEL, label);
}

void classify_output_add_counts(struct buf *out, const uint64_t counts[BONDS])
{
	for (size_t i = 0; i < BONDS; i++)
		buf_printf(out, "%s%s %" PRIu64, i ? ", " : "", bond_names[i], counts[i]);
	buf_add_byte(out, '\n');
}

static const char *classify_dominant_name(enum bond dominant)
{
	return dominant == BONDS ? "none" : bond_names[dominant];
}

static void classify_add_likeness(struct buf *out, const struct bond_likeness *l)
{
	buf_printf(out, "cosine similarity %.6f, ", bond_round(l->cosine));
	if (l->has_distance)
		buf_printf(out, "edit distance %" PRIu64 " (%.6f)\n", l->distance, bond_round(l->normalised));
	else
		buf_add_str(out, STR("edit distance not known: too many turns\n"));
}

static void classify_add_confidence(struct buf *out, double mean, uint64_t low, uint64_t turns)
{
	classify_add_label(out, "confidence");
	buf_printf(out, "%.6f in the mean; %" PRIu64 " of %" PRIu64 " turns below %.2f\n", bond_round(mean), low, turns,
		   BONDS_LOW_CONFIDENCE);
}

static void classify_add_matrix(struct buf *out, const struct classify_trial *t)
{
	classify_add_label(out, "from \\ to");
	for (size_t j = 0; j < BONDS; j++)
		buf_printf(out, " %14s", bond_names[j]);
	buf_add_byte(out, '\n');
	for (size_t i = 0; i < BONDS; i++) {
		classify_add_label(out, bond_names[i]);
		for (size_t j = 0; j < BONDS; j++)
			buf_printf(out, " %5" PRIu64 " %8.6f", t->transitions.to[i][j], bond_round(t->matrix.to[i][j]));
		buf_add_byte(out, '\n');
	}
}

void classify_output_add_trial(struct buf *out, const struct classify_trial *t, const struct term *term)
{
	classify_add_label(out, "transcript");
	buf_printf(out, "%s, ", t->from.from->name);
	term_add_text(out, t->from.path);
	buf_add_str(out, STR("\n\n"));
	classify_add_turns(out, t, term);
	buf_add_byte(out, '\n');
	classify_add_label(out, "bonds");
	classify_output_add_counts(out, t->bond_counts);
	classify_add_label(out, "dominant bond");
	buf_printf(out, "%s\n", classify_dominant_name(t->dominant));
	classify_add_confidence(out, t->mean_confidence, t->low_confidence, t->sequence.n);
	if (t->has_likeness) {
		classify_add_label(out, "reference");
		classify_add_likeness(out, &t->likeness);
	}
	buf_add_byte(out, '\n');
	classify_add_matrix(out, t);
}

void classify_output_add_line(struct buf *out, const struct classify_trial *t)
{
	buf_printf(out, "%5zu turns  %-12s  %.2f  ", t->sequence.n, classify_dominant_name(t->dominant),
		   t->mean_confidence);
	term_add_text(out, t->from.by_record && t->from.record.trial_id.p ? t->from.record.trial_id : t->from.path);
	buf_add_byte(out, '\n');
}

static void classify_add_spread(struct buf *out, const char *label, struct quantile *q)
{
	if (q->seen == 0)
		return;
	classify_add_label(out, label);
	buf_printf(out, "%.6f median, %.6f to %.6f, of %" PRIu64 " %s\n", bond_round(quantile_get(q, 0.5)),
		   bond_round(quantile_get(q, 0)), bond_round(quantile_get(q, 1)), q->seen,
		   q->seen == 1 ? "trial" : "trials");
}

void classify_output_add_sum(struct buf *out, struct classify_sum *s)
{
	classify_add_label(out, "trials");
	buf_printf(out, "%" PRIu64 ", %" PRIu64 " turns\n", s->trials, s->turns);
	classify_add_label(out, "bonds");
	classify_output_add_counts(out, s->bond_counts);
	classify_add_label(out, "dominant in");
	classify_output_add_counts(out, s->dominant);
	if (s->turns)
		classify_add_confidence(out, s->confidence / (double)s->turns, s->low_confidence, s->turns);
	classify_add_spread(out, "cosine", &s->cosines);
	classify_add_spread(out, "edit distance", &s->distances);
	classify_add_spread(out, "normalized", &s->normalised);
}

static void classify_add_tokens(struct buf *out, struct figure f, const char *what)
{
	if (figure_is_known(f))
		buf_printf(out, ", %" PRIu64 " tokens %s", f.n, what);
	else
		buf_printf(out, ", tokens %s not known", what);
}

void classify_output_add_use(struct buf *out, const struct classify_teller *t)
{
	buf_add_byte(out, '\n');
	classify_add_label(out, "judge");
	buf_printf(out, "%s:", provider_name(t->judge->provider));
	term_add_text(out, t->judge->model);
	buf_printf(out, ", prompt %.*s\n", 19, t->prompt_digest.p);
	classify_add_label(out, "asked");
	amounts_add_things(out, t->use.questions, "question");
	buf_printf(out, ", %" PRIu64 " tried again", t->use.retries);
	classify_add_tokens(out, t->use.input_tokens, "in");
	classify_add_tokens(out, t->use.output_tokens, "out");
	buf_add_str(out, STR(", "));
	if (amount_is_known(t->use.usd))
		amounts_add_dollars(out, t->use.usd.n, false);
	else
		buf_add_str(out, STR("cost not known"));
	buf_add_byte(out, '\n');
}

/* ---- plain ---- */

void classify_output_add_plain(struct buf *out, const struct classify_trial *t)
{
	for (size_t i = 0; i < t->sequence.n; i++) {
		buf_add_str(out, STR("turn\t"));
		term_add_text(out, t->from.path);
		buf_printf(out, "\t%zu\t%s\t%.6f\t", i + 1, bond_names[t->turns[i].bond], t->turns[i].confidence);
		classify_add_why(out, &t->turns[i]);
		buf_add_byte(out, '\n');
	}
	buf_add_str(out, STR("trial\t"));
	term_add_text(out, t->from.path);
	buf_printf(out, "\t%zu\t%.6f\t%s", t->sequence.n, bond_round(t->mean_confidence),
		   classify_dominant_name(t->dominant));
	for (size_t i = 0; i < BONDS; i++)
		buf_printf(out, "\t%" PRIu64, t->bond_counts[i]);
	if (t->has_likeness && t->likeness.has_distance)
		buf_printf(out, "\t%.6f\t%" PRIu64 "\t%.6f\n", bond_round(t->likeness.cosine), t->likeness.distance,
			   bond_round(t->likeness.normalised));
	else if (t->has_likeness)
		buf_printf(out, "\t%.6f\t\t\n", bond_round(t->likeness.cosine));
	else
		buf_add_str(out, STR("\t\t\t\n"));
}
