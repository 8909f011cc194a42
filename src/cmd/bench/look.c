/* Finds the runs that are named, and prints a summary as lines of fields; the other forms have files of their own. */
#include "bench/report/summary_cells.h"
#include "cmd/bench/look.h"

#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/bench/args.h"

/* ---- which runs ---- */

/* A load test is a directory beside runs, so its name is a likely mistake: it gets a message of its own. */
static bool has_rows(struct arena *a, struct str dir, struct err *err)
{
	if (access(ARENA_JOIN(a, dir, STR("/results.jsonl")).p, F_OK) == 0)
		return true;
	if (access(ARENA_JOIN(a, dir, STR("/load.json")).p, F_OK) == 0)
		return err_set(err, ERR_IO, "%.*s is a load test, not a run" ERR_HELP "its figures are in %.*s/load.md",
			       STR_ARG(dir), STR_ARG(dir));
	return err_set(err, ERR_IO, "%.*s is not a run: it has no results.jsonl" ERR_HELP
		       "name the directory that 'bench run' wrote, or its id below runs", STR_ARG(dir));
}

bool bench_look_find(struct arena *a, const struct str *names, size_t count, struct str *paths, struct err *err)
{
	struct stat st;

	for (size_t i = 0; i < count; i++) {
		if (stat(names[i].p, &st) == 0 && !S_ISDIR(st.st_mode))
			paths[i] = names[i];
		else if (!bench_args_find_run(a, names[i], str_of(NULL, 0), &paths[i], err) ||
			 !has_rows(a, paths[i], err))
			return false;
	}
	return true;
}

bool bench_look_one_form(const bool *given, const char *const *names, struct err *err)
{
	const char *first = NULL;

	for (size_t i = 0; names[i]; i++) {
		if (given[i] && first)
			return usage_set(err, "give one of them", "%s and %s exclude each other", first, names[i]);
		if (given[i])
			first = names[i];
	}
	return true;
}

/* ---- lines of fields ---- */

static void bench_look_add_field(struct buf *out, struct str text)
{
	term_add_text(out, text.p ? text : STR("-"));
	buf_add_byte(out, '\t');
}

static void bench_look_add_number(struct buf *out, double v)
{
	if (isfinite(v))
		buf_printf(out, "%.10g\t", v);
	else
		buf_add_str(out, STR("-\t"));
}

static void add_rate(struct buf *out, struct rate r)
{
	bench_look_add_number(out, r.n ? (double)r.k / (double)r.n : NAN);
	bench_look_add_number(out, r.interval.low);
	bench_look_add_number(out, r.interval.high);
}

static void add_spread(struct buf *out, const struct spread *s)
{
	bench_look_add_number(out, s->n ? s->p50 : NAN);
	bench_look_add_number(out, s->n ? s->p95 : NAN);
	bench_look_add_number(out, s->n ? s->p99 : NAN);
	bench_look_add_number(out, s->n ? s->mean : NAN);
}

void bench_look_plain(struct buf *out, const struct summary *s)
{
	buf_add_str(out, STR("provider\tmodel\tthinking\ttotal\tok\tsuccess\tunavailable\trate_limited\terror\t"
			     "success_rate\tlow\thigh\tpass_rate\tlow\thigh\ttool_rate\tlow\thigh\ttier\t"
			     "latency_p50_ms\tp95\tp99\tmean\tttft_p50_ms\tp95\tp99\tmean\ttokens_per_second\tusd\n"));
	for (size_t i = 0; i < s->count; i++) {
		const struct summary_group *g = &s->groups[i];

		bench_look_add_field(out, g->provider);
		bench_look_add_field(out, g->model);
		bench_look_add_field(out, g->thinking);
		buf_printf(out, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t",
			   g->n_total, g->n_ok, g->n_success, g->n_unavailable, g->n_limited, g->n_error);
		add_rate(out, g->success);
		add_rate(out, g->pass);
		add_rate(out, g->tools);
		bench_look_add_number(out, g->tier ? (double)g->tier : NAN);
		add_spread(out, &g->latency);
		add_spread(out, &g->ttft);
		bench_look_add_number(out, g->tokens_per_second);
		bench_look_add_number(out, g->usd);
		out->p[out->n - 1] = '\n';
	}
}

void bench_look_interval(struct buf *out, struct interval i)
{
	buf_printf(out, "[%s, %s]", cell_share(i.low).text, cell_share(i.high).text);
}
