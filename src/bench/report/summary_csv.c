/* Tables for other programs: CSV by RFC 4180, JUnit. */
#include <math.h>

#include "base/num.h"
#include "bench/report/summary_cells.h"

/* A figure; what is not known is an empty cell. */
static void summary_csv_add_number(struct buf *out, double v)
{
	char text[NUM_DOUBLE_MAX];
	size_t n = isfinite(v) ? num_format_double(text, v) : 0;

	buf_add_byte(out, ',');
	buf_add(out, text, n);
}

static void summary_csv_add_count(struct buf *out, uint64_t v)
{
	buf_printf(out, ",%llu", (unsigned long long)v);
}

static void summary_csv_add_rate(struct buf *out, struct rate r)
{
	summary_csv_add_count(out, r.k);
	summary_csv_add_count(out, r.n);
	summary_csv_add_number(out, r.n ? (double)r.k / (double)r.n : NAN);
	summary_csv_add_number(out, r.interval.low);
	summary_csv_add_number(out, r.interval.high);
}

static void summary_csv_add_names(struct buf *out, const struct summary *s, const struct summary_group *g)
{
	cell_add_csv(out, s->run_id);
	buf_add_byte(out, ',');
	cell_add_csv(out, g->provider);
	buf_add_byte(out, ',');
	cell_add_csv(out, g->model);
	buf_add_byte(out, ',');
	cell_add_csv(out, g->thinking);
}

#define NAMES "run_id,provider,model,thinking_level"
#define RATE(name) "," name "_k," name "_n," name "_rate," name "_low," name "_high"
#define SPREAD(name) "," name "_n," name "_p50," name "_p95," name "_p99," name "_mean"

static void summary_csv_add_tier(struct buf *out, const struct summary_group *g)
{
	if (g->tier)
		buf_printf(out, ",%d", g->tier);
	else
		buf_add_byte(out, ',');
}

void summary_write_tools_csv(struct buf *out, const struct summary *s)
{
	buf_add_str(out, STR(NAMES RATE("tool_use") RATE("tool_use_all")
			     ",tool_tier,tool_tier_uncertain,recommended_for_subagents\r\n"));
	for (size_t i = 0; i < s->count; i++) {
		const struct summary_group *g = &s->groups[i];

		summary_csv_add_names(out, s, g);
		summary_csv_add_rate(out, g->tools);
		summary_csv_add_rate(out, g->tools_of_all);
		summary_csv_add_tier(out, g);
		buf_printf(out, ",%s,%s\r\n", g->tier_unsure ? "true" : "false", g->tier == 1 ? "true" : "false");
	}
}

static void summary_csv_add_spread(struct buf *out, const struct spread *s)
{
	summary_csv_add_count(out, s->n);
	summary_csv_add_number(out, s->n ? s->p50 : NAN);
	summary_csv_add_number(out, s->n ? s->p95 : NAN);
	summary_csv_add_number(out, s->n ? s->p99 : NAN);
	summary_csv_add_number(out, s->n ? s->mean : NAN);
}

static void summary_csv_add_row(struct buf *out, const struct summary *s, const struct summary_group *g)
{
	summary_csv_add_names(out, s, g);
	summary_csv_add_count(out, g->n_total);
	summary_csv_add_count(out, g->n_ok);
	summary_csv_add_count(out, g->n_success);
	summary_csv_add_count(out, g->n_unavailable);
	summary_csv_add_count(out, g->n_limited);
	summary_csv_add_count(out, g->n_error);
	summary_csv_add_count(out, g->n_auth);
	summary_csv_add_rate(out, g->success);
	summary_csv_add_rate(out, g->pass);
	summary_csv_add_rate(out, g->pass_of_all);
	summary_csv_add_rate(out, g->tools);
	summary_csv_add_tier(out, g);
	summary_csv_add_number(out, g->has_wall ? (double)g->wall_ms : NAN);
	summary_csv_add_spread(out, &g->latency);
	summary_csv_add_spread(out, &g->ttft);
	summary_csv_add_spread(out, &g->waited);
	summary_csv_add_number(out, g->tokens_per_second);
	summary_csv_add_count(out, g->input_tokens);
	summary_csv_add_count(out, g->output_tokens);
	summary_csv_add_number(out, g->usd);
	buf_add_str(out, STR("\r\n"));
}

void summary_write_csv(struct buf *out, const struct summary *s)
{
	buf_add_str(out, STR(NAMES ",n_total,n_ok,n_success,n_skipped_unavailable,n_rate_limited,n_error,n_auth_error"
			     RATE("success") RATE("objective_pass") RATE("objective_pass_all") RATE("tool_use")
			     ",tool_tier,wall_clock_ms" SPREAD("latency_ms") SPREAD("ttft_ms") SPREAD("waited_ms")
			     ",output_tokens_per_second,input_tokens,output_tokens,cost_usd\r\n"));
	for (size_t i = 0; i < s->count; i++)
		summary_csv_add_row(out, s, &s->groups[i]);
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

static void add_case(struct buf *out, const struct summary_group *g, const struct summary_prompt *p)
{
	enum outcome o = summary_csv_outcome_of(p);
	struct buf target;

	buf_init(&target);
	cell_add_target(&target, g);
	buf_add_str(out, STR("    <testcase classname=\""));
	cell_add_xml(out, buf_str(&target));
	buf_free(&target);
	buf_add_str(out, STR("\" name=\""));
	cell_add_xml(out, p->id);
	if (p->name.n && !str_eq(p->name, p->id)) {
		buf_add_byte(out, ' ');
		cell_add_xml(out, p->name);
	}
	buf_printf(out, "\" time=\"%.3f\"", (double)p->e2e_ms / 1000);
	if (o == CASE_PASSED) {
		buf_add_str(out, STR("/>\n"));
		return;
	}
	buf_add_str(out, STR(">\n"));
	if (o == CASE_FAILED) {
		buf_printf(out, "      <failure message=\"%llu of %llu answers passed: ",
			   (unsigned long long)p->passed, (unsigned long long)p->judged);
		cell_add_xml(out, p->violation.p ? p->violation : STR("the validator said no"));
		buf_add_str(out, STR("\"/>\n"));
	} else {
		buf_printf(out, "      <%s message=\"%llu of %llu calls failed\"/>\n",
			   o == CASE_ERROR ? "error" : "skipped", (unsigned long long)p->failed_calls,
			   (unsigned long long)p->rows);
	}
	buf_add_str(out, STR("    </testcase>\n"));
}

static void summary_csv_count_outcomes(const struct summary_group *g, uint64_t counts[CASE_OUTCOMES])
{
	for (size_t i = 0; i < g->prompt_count; i++)
		counts[summary_csv_outcome_of(&g->prompts[i])]++;
}

static void add_suite(struct buf *out, const struct summary_group *g)
{
	uint64_t counts[CASE_OUTCOMES] = { 0 };
	struct buf target;

	summary_csv_count_outcomes(g, counts);
	buf_init(&target);
	cell_add_target(&target, g);
	buf_add_str(out, STR("  <testsuite name=\""));
	cell_add_xml(out, buf_str(&target));
	buf_free(&target);
	buf_printf(out, "\" tests=\"%zu\" failures=\"%llu\" errors=\"%llu\" skipped=\"%llu\" time=\"%.3f\">\n",
		   g->prompt_count, (unsigned long long)counts[CASE_FAILED], (unsigned long long)counts[CASE_ERROR],
		   (unsigned long long)counts[CASE_SKIPPED], (double)g->wall_ms / 1000);
	for (size_t i = 0; i < g->prompt_count; i++)
		add_case(out, g, &g->prompts[i]);
	buf_add_str(out, STR("  </testsuite>\n"));
}

void summary_write_junit(struct buf *out, const struct summary *s)
{
	uint64_t counts[CASE_OUTCOMES] = { 0 }, tests = 0;

	for (size_t i = 0; i < s->count; i++) {
		summary_csv_count_outcomes(&s->groups[i], counts);
		tests += s->groups[i].prompt_count;
	}
	buf_add_str(out, STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"trackway bench "));
	cell_add_xml(out, s->run_id);
	buf_printf(out, "\" tests=\"%llu\" failures=\"%llu\" errors=\"%llu\" skipped=\"%llu\">\n",
		   (unsigned long long)tests, (unsigned long long)counts[CASE_FAILED],
		   (unsigned long long)counts[CASE_ERROR], (unsigned long long)counts[CASE_SKIPPED]);
	for (size_t i = 0; i < s->count; i++)
		add_suite(out, &s->groups[i]);
	buf_add_str(out, STR("</testsuites>\n"));
}
