/*
 * Makes the summary again by summary.c and compares it with the file member by member, with slack for writers that
 * round. Only figures that both have are compared: another harness may leave some out.
 */
#include "bench/report/check_sum.h"

#include <math.h>

#include "base/file.h"
#include "bench/report/summary.h"

#define FILE_MAX ((size_t)256 << 20)
#define RATE_SLACK 1e-6   /* writers keep six decimals or more */
#define TIME_SLACK 1e-3   /* of ours, in milliseconds */
#define ROUNDED_SLACK 0.5 /* of a writer that rounds them */

struct sums {
	struct run_check *out;
	struct arena *arena;
	double time_slack;
	const char *where; /* "mock:m1", of what is being compared; "the run" */
	const char *in;    /* "latency_ms."; empty outside of an object */
};

/* A number, or none: NaN. What summary.json does not have is not held against it. */
static void compare(struct sums *s, struct val entry, const char *name, double want, double slack)
{
	struct val v = val_get(entry, str_from(name));
	double got;

	if (val_is_none(v))
		return;
	if (!val_double(v, &got))
		got = NAN;
	if (isnan(got) && isnan(want))
		return;
	if (isnan(want))
		run_check_note(s->out, RUN_SUMMARY, "summary.json, %s: %s%s is %g, but no result has one", s->where,
			       s->in, name, got);
	else if (isnan(got))
		run_check_note(s->out, RUN_SUMMARY, "summary.json, %s: %s%s is null, but the results give %g", s->where,
			       s->in, name, want);
	else if (fabs(got - want) > slack * (1 + fabs(want) * RATE_SLACK))
		run_check_note(s->out, RUN_SUMMARY, "summary.json, %s: %s%s is %.10g, but the results give %.10g",
			       s->where, s->in, name, got, want);
}

static double rate_of(struct rate r)
{
	return r.n ? (double)r.k / (double)r.n : NAN;
}

/* The percentiles of one member; a file without that object is not held to it. */
static void compare_times(struct sums *s, struct val entry, const char *name, const struct spread *t)
{
	struct val v = val_get(entry, str_from(name));

	if (!val_is(v, JSON_OBJECT))
		return;
	s->in = strcmp(name, "ttft_ms") == 0 ? "ttft_ms." : "latency_ms.";
	compare(s, v, "p50", t->n ? t->p50 : NAN, s->time_slack);
	compare(s, v, "p95", t->n ? t->p95 : NAN, s->time_slack);
	compare(s, v, "p99", t->n ? t->p99 : NAN, s->time_slack);
	compare(s, v, "mean", t->n ? t->mean : NAN, s->time_slack);
	s->in = "";
}

/* Counts must agree exactly, rates to six decimals, times to the slack of the writer. */
static void compare_group(struct sums *s, struct val e, const struct summary_group *g)
{
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {
		{ "n_total", g->n_total },
		{ "n_ok", g->n_ok },
		{ "n_success", g->n_success },
		{ "n_skipped_unavailable", g->n_unavailable },
		{ "n_rate_limited", g->n_limited },
		{ "n_error", g->n_error },
		{ "n_auth_error", g->n_auth },
	};

	for (size_t i = 0; i < COUNT(counts); i++)
		compare(s, e, counts[i].name, (double)counts[i].n, 0);
	compare(s, e, "success_rate_ok", rate_of(g->success), RATE_SLACK);
	compare(s, e, "objective_pass_rate", rate_of(g->pass), RATE_SLACK);
	compare(s, e, "wall_clock_ms", g->has_wall ? (double)g->wall_ms : NAN, 0);
	compare_times(s, e, "latency_ms", &g->latency);
	compare_times(s, e, "ttft_ms", &g->ttft);
}

/* Only ours: whether a prompt expects tools is not in the rows of another harness. */
static void compare_tools(struct sums *s, struct val e, const struct summary_group *g)
{
	compare(s, e, "tool_use_success_rate", rate_of(g->tools), RATE_SLACK);
	compare(s, e, "tool_tier", g->tier ? (double)g->tier : NAN, 0);
}

/* The name that entries and groups are paired by; a thinking level that is null has no @. */
static struct str check_sum_name_of(struct sums *s, struct str provider, struct str model, struct str thinking)
{
	return arena_printf(s->arena, "%.*s:%.*s%s%.*s", STR_ARG(provider), STR_ARG(model), thinking.p ? "@" : "",
			    STR_ARG(thinking));
}

/* Pairs the entries of summary.json with the groups of the results by name, and compares each pair. */
static void compare_all(struct sums *s, struct val models, const struct summary *sum, bool ours)
{
	bool *met = arena_array(s->arena, bool, sum->count + 1);
	struct val_iter it = val_begin(models);
	struct val e;

	memset(met, 0, sum->count * sizeof(*met));
	while (val_is(models, JSON_ARRAY) && val_next(&it, &e)) {
		struct str name = check_sum_name_of(s, val_text_copy(val_get(e, STR("provider")), s->arena),
						    val_text_copy(val_get(e, STR("model")), s->arena),
						    val_text_copy(val_get(e, STR("thinking_level")), s->arena));
		const struct summary_group *g = NULL;

		for (size_t i = 0; i < sum->count && !g; i++) {
			const struct summary_group *one = &sum->groups[i];

			if (!str_eq(name, check_sum_name_of(s, one->provider, one->model, one->thinking)))
				continue;
			g = one;
			met[i] = true;
		}
		s->where = name.p;
		if (!g) {
			run_check_note(s->out, RUN_SUMMARY, "summary.json, %s: the results do not have this target",
				       s->where);
			continue;
		}
		compare_group(s, e, g);
		if (ours)
			compare_tools(s, e, g);
	}
	for (size_t i = 0; i < sum->count; i++)
		if (!met[i])
			run_check_note(s->out, RUN_SUMMARY, "summary.json has no entry of %.*s",
				       STR_ARG(check_sum_name_of(s, sum->groups[i].provider, sum->groups[i].model,
								 sum->groups[i].thinking)));
}

bool run_check_sum(struct run_check *c, bool exact, struct str *run_id, struct err *err)
{
	struct sums s = { .out = c, .arena = c->arena, .time_slack = exact ? TIME_SLACK : ROUNDED_SLACK, .in = "" };
	struct json_parser *p;
	struct summary sum;
	struct str text;
	struct val v;

	if (!file_read(c->arena, arena_printf(c->arena, "%.*s/summary.json", STR_ARG(c->path)), FILE_MAX, &text, err) ||
	    !summary_make(&sum, c->arena, c->path, RATE_WILSON, err))
		return false;
	p = json_parser_open((struct json_options){ .allow_duplicates = true });
	if (json_parse_copy(p, text, &v, NULL)) { /* what is not JSON is told by its own format */
		*run_id = val_is(v, JSON_OBJECT) ? val_text_copy(val_get(v, STR("run_id")), s.arena) : str_of(NULL, 0);
		s.where = "the run";
		if (val_is(v, JSON_OBJECT))
			compare(&s, v, "run_wall_clock_ms", sum.has_wall ? (double)sum.wall_ms : NAN, 0);
		compare_all(&s, val_is(v, JSON_ARRAY) ? v : val_get(v, STR("models")), &sum, exact);
	}
	json_parser_close(p);
	return true;
}
