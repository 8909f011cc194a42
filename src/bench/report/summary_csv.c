/* Tables for other programs: CSV by RFC 4180, JUnit. */
#include <inttypes.h>
#include <math.h>

#include "base/num.h"
#include "bench/report/summary_cells.h"

/* What a column is made of; a rate and a spread are five columns each. */
enum column_kind { COLUMN_COUNT, COLUMN_NUMBER, COLUMN_RATE, COLUMN_SPREAD, COLUMN_WALL, COLUMN_TIER, COLUMN_UNSURE,
		   COLUMN_ADVICE };

struct column {
	const char *name;
	enum column_kind kind;
	size_t at; /* in a struct summary_group */
};

#define AT(member) offsetof(struct summary_group, member)

static const struct column all_columns[] = {
	{ "n_total", COLUMN_COUNT, AT(n_total) },
	{ "n_ok", COLUMN_COUNT, AT(n_ok) },
	{ "n_success", COLUMN_COUNT, AT(n_success) },
	{ "n_skipped_unavailable", COLUMN_COUNT, AT(n_unavailable) },
	{ "n_rate_limited", COLUMN_COUNT, AT(n_limited) },
	{ "n_error", COLUMN_COUNT, AT(n_error) },
	{ "n_auth_error", COLUMN_COUNT, AT(n_auth) },
	{ "success", COLUMN_RATE, AT(success) },
	{ "objective_pass", COLUMN_RATE, AT(pass) },
	{ "objective_pass_all", COLUMN_RATE, AT(pass_of_all) },
	{ "tool_use", COLUMN_RATE, AT(tools) },
	{ "tool_tier", COLUMN_TIER, 0 },
	{ "wall_clock_ms", COLUMN_WALL, 0 },
	{ "latency_ms", COLUMN_SPREAD, AT(latency) },
	{ "ttft_ms", COLUMN_SPREAD, AT(ttft) },
	{ "waited_ms", COLUMN_SPREAD, AT(waited) },
	{ "output_tokens_per_second", COLUMN_NUMBER, AT(tokens_per_second) },
	{ "input_tokens", COLUMN_COUNT, AT(input_tokens) },
	{ "output_tokens", COLUMN_COUNT, AT(output_tokens) },
	{ "cost_usd", COLUMN_NUMBER, AT(usd) },
};

static const struct column tools_columns[] = {
	{ "tool_use", COLUMN_RATE, AT(tools) },
	{ "tool_use_all", COLUMN_RATE, AT(tools_of_all) },
	{ "tool_tier", COLUMN_TIER, 0 },
	{ "tool_tier_uncertain", COLUMN_UNSURE, 0 },
	{ "recommended_for_subagents", COLUMN_ADVICE, 0 },
};

/* The names of the columns that csv_add_cell fills. */
static void csv_add_head(struct buf *out, const struct column *c)
{
	static const char *const rate[] = { "_k", "_n", "_rate", "_low", "_high" };
	static const char *const spread[] = { "_n", "_p50", "_p95", "_p99", "_mean" };
	bool many = c->kind == COLUMN_RATE || c->kind == COLUMN_SPREAD;

	for (size_t i = 0; i < (many ? COUNT(rate) : 1); i++)
		buf_printf(out, ",%s%s", c->name, !many ? "" : c->kind == COLUMN_RATE ? rate[i] : spread[i]);
}

/* What is not known is an empty cell. */
static void csv_add_number(struct buf *out, double v)
{
	char text[NUM_DOUBLE_MAX];

	buf_add_byte(out, ',');
	buf_add(out, text, isfinite(v) ? num_format_double(text, v) : 0);
}

/* The cells of one column; a rate and a spread are five of them, in the order of csv_add_head. */
static void csv_add_cell(struct buf *out, const struct column *c, const struct summary_group *g)
{
	const void *p = (const char *)g + c->at;
	const struct spread *s = p;
	const struct rate *r = p;

	switch (c->kind) {
	case COLUMN_COUNT:
		buf_printf(out, ",%" PRIu64, *(const uint64_t *)p);
		break;
	case COLUMN_NUMBER:
		csv_add_number(out, *(const double *)p);
		break;
	case COLUMN_RATE:
		buf_printf(out, ",%" PRIu64 ",%" PRIu64, r->k, r->n);
		csv_add_number(out, r->n ? (double)r->k / (double)r->n : NAN);
		csv_add_number(out, r->interval.low);
		csv_add_number(out, r->interval.high);
		break;
	case COLUMN_SPREAD:
		buf_printf(out, ",%" PRIu64, s->n);
		for (size_t i = 0; i < 4; i++)
			csv_add_number(out, s->n ? (const double[]){ s->p50, s->p95, s->p99, s->mean }[i] : NAN);
		break;
	case COLUMN_WALL:
		csv_add_number(out, g->has_wall ? (double)g->wall_ms : NAN);
		break;
	case COLUMN_TIER:
		csv_add_number(out, g->tier ? (double)g->tier : NAN);
		break;
	case COLUMN_UNSURE:
		buf_add_str(out, g->tier_unsure ? STR(",true") : STR(",false"));
		break;
	case COLUMN_ADVICE:
		buf_add_str(out, g->tier == 1 ? STR(",true") : STR(",false"));
		break;
	}
}

/* A head, and a row for each group that begins with its names. */
static void csv_add_table(struct buf *out, const struct summary *s, const struct column *columns, size_t count)
{
	struct arena a;

	arena_init(&a);
	buf_add_str(out, STR("run_id,provider,model,thinking_level"));
	for (size_t i = 0; i < count; i++)
		csv_add_head(out, &columns[i]);
	for (size_t i = 0; i < s->count; i++) {
		const struct summary_group *g = &s->groups[i];

		buf_printf(out, "\r\n%s,%s,%s,%s", cell_csv(&a, s->run_id), cell_csv(&a, g->provider),
			   cell_csv(&a, g->model), cell_csv(&a, g->thinking));
		for (size_t k = 0; k < count; k++)
			csv_add_cell(out, &columns[k], g);
	}
	buf_add_str(out, STR("\r\n"));
	arena_free(&a);
}

void summary_write_tools_csv(struct buf *out, const struct summary *s)
{
	csv_add_table(out, s, tools_columns, COUNT(tools_columns));
}

void summary_write_csv(struct buf *out, const struct summary *s)
{
	csv_add_table(out, s, all_columns, COUNT(all_columns));
}

/* ---- JUnit: a suite for each target, a case for each prompt ---- */

enum outcome { CASE_PASSED, CASE_FAILED, CASE_ERROR, CASE_SKIPPED, CASE_OUTCOMES };

/* An answer that was judged and failed tells more than a call that did not come through. */
static enum outcome summary_csv_outcome_of(const struct summary_prompt *p)
{
	if (p->passed < p->judged)
		return CASE_FAILED;
	if (p->failed_calls > p->unavailable)
		return CASE_ERROR;
	return p->unavailable ? CASE_SKIPPED : CASE_PASSED;
}

/*
 * The time is that of all repetitions together, in seconds. A prompt whose answers nobody judges passes when its calls
 * came through.
 */
static void add_case(struct buf *out, struct arena *a, const struct summary_group *g, const struct summary_prompt *p)
{
	enum outcome o = summary_csv_outcome_of(p);
	bool named = p->name.n && !str_eq(p->name, p->id);

	buf_printf(out, "    <testcase classname=\"%s\" name=\"%s%s%s\" time=\"%.3f\"",
		   cell_xml(a, str_from(cell_target(a, g))), cell_xml(a, p->id), named ? " " : "",
		   named ? cell_xml(a, p->name) : "", (double)p->e2e_ms / 1000);
	if (o == CASE_PASSED)
		buf_add_str(out, STR("/>\n"));
	else if (o == CASE_FAILED)
		buf_printf(out, ">\n      <failure message=\"%" PRIu64 " of %" PRIu64 " answers passed: %s%s%s\"/>\n"
			   "    </testcase>\n", p->passed, p->judged,
			   p->violation.p ? cell_xml(a, p->violation) : "the validator said no",
			   p->violation.p ? " " : "",
			   p->violation.p ? cell_xml(a, cell_got(a, p->answer)) : "");
	else
		buf_printf(out, ">\n      <%s message=\"%" PRIu64 " of %" PRIu64 " calls failed\"/>\n    </testcase>\n",
			   o == CASE_ERROR ? "error" : "skipped", p->failed_calls, p->rows);
}

/* Begins a testsuite or all of them: what the cases of `count` groups came to. */
static void add_counts(struct buf *out, const struct summary_group *groups, size_t count)
{
	uint64_t counts[CASE_OUTCOMES] = { 0 };
	size_t tests = 0;

	for (size_t i = 0; i < count; i++) {
		tests += groups[i].prompt_count;
		for (size_t k = 0; k < groups[i].prompt_count; k++)
			counts[summary_csv_outcome_of(&groups[i].prompts[k])]++;
	}
	buf_printf(out, "tests=\"%zu\" failures=\"%" PRIu64 "\" errors=\"%" PRIu64 "\" skipped=\"%" PRIu64 "\"", tests,
		   counts[CASE_FAILED], counts[CASE_ERROR], counts[CASE_SKIPPED]);
}

void summary_write_junit(struct buf *out, const struct summary *s)
{
	struct arena a;

	arena_init(&a);
	buf_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"trackway bench %s\" ",
		   cell_xml(&a, s->run_id));
	add_counts(out, s->groups, s->count);
	buf_add_str(out, STR(">\n"));
	for (size_t i = 0; i < s->count; i++) {
		const struct summary_group *g = &s->groups[i];

		buf_printf(out, "  <testsuite name=\"%s\" ", cell_xml(&a, str_from(cell_target(&a, g))));
		add_counts(out, g, 1);
		buf_printf(out, " time=\"%.3f\">\n", (double)g->wall_ms / 1000);
		for (size_t k = 0; k < g->prompt_count; k++)
			add_case(out, &a, g, &g->prompts[k]);
		buf_add_str(out, STR("  </testsuite>\n"));
	}
	buf_add_str(out, STR("</testsuites>\n"));
	arena_free(&a);
}
