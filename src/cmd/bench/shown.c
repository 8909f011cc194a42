/*
 * The summary in the forms that both commands offer. Thresholds are parsed before a run and held against it afterwards.
 */
#include "cmd/bench/shown.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/file.h"
#include "cmd/bench/threshold_args.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"

const char *const bench_shown_fields[] = {
	"generated_at", "run_id", "run_wall_clock_ms", "models", "n_rows", "n_lines_skipped", "n_rows_repeated",
	"percentile_method",
	"percentile_interval_method", "interval_method", "interval_level", "client_was_bottleneck", NULL,
};

bool bench_shown_check(struct arena *a, const struct bench_shown *o, struct bench_wanted *out, struct err *err)
{
	out->thresholds = arena_array(a, const struct threshold *, o->fail_under.count + 1);
	out->count = o->fail_under.count;
	for (size_t i = 0; i < out->count; i++) {
		out->thresholds[i] = threshold_args_read(a, o->fail_under.items[i], err);
		if (!out->thresholds[i])
			return err_context(err, "--fail-under");
	}
	return true;
}

/* summary.json with its schema in front, and of its members those that are wanted. */
static void bench_shown_add_json(struct buf *out, const struct bench_shown *o, const struct summary *s)
{
	struct json_writer w;
	struct buf text;

	buf_init(&text);
	summary_write_json(&text, s, (int64_t)clock_wall_ns());
	field_begin_document(&w, out, JSON_PRETTY, "bench-summary");
	field_put_chosen(&w, o->json, buf_str(&text));
	field_end_document(&w);
	buf_free(&text);
}

void bench_shown_print(const struct frame *f, const struct bench_shown *o, const struct summary *s)
{
	struct buf text;

	buf_init(&text);
	if (o->json.given)
		bench_shown_add_json(&text, o, s);
	else
		summary_write_text(&text, s, f->out.width, f->out.color);
	stream_write(stdout, buf_str(&text));
	buf_free(&text);
}

void bench_shown_warn(const struct frame *f, uint64_t skipped, uint64_t repeated)
{
	if (skipped)
		inputs_warn(f, "results.jsonl: %llu line%s", (unsigned long long)skipped,
			    skipped == 1 ? " is not a result and is ignored" : "s are not results and are ignored");
	if (repeated)
		inputs_warn(f, "results.jsonl: %llu row%s the target, prompt and repetition of an earlier row, and "
			    "only the earlier one counts", (unsigned long long)repeated,
			    repeated == 1 ? " has" : "s have");
}

/* No path, nothing to do. The file is replaced as a whole. */
static bool export(struct str path, const struct summary *s, void (*write)(struct buf *out, const struct summary *s),
		   struct err *err)
{
	struct buf text;
	bool done;

	if (!path.p)
		return true;
	buf_init(&text);
	write(&text, s);
	done = file_replace(path, buf_str(&text), 0666, err);
	buf_free(&text);
	return done;
}

static void write_json_now(struct buf *out, const struct summary *s)
{
	summary_write_json(out, s, (int64_t)clock_wall_ns());
}

bool bench_shown_export(const struct bench_shown *o, const struct summary *s, struct err *err)
{
	return export(o->export_json, s, write_json_now, err) && export(o->export_md, s, summary_write_md, err) &&
	       export(o->export_csv, s, summary_write_csv, err) && export(o->export_junit, s, summary_write_junit, err);
}

bool bench_shown_meets(const struct frame *f, const struct bench_shown *o, const struct bench_wanted *w,
		       const struct summary *s)
{
	struct buf said;
	bool all = true;

	buf_init(&said);
	for (size_t g = 0; g < s->count; g++) {
		for (size_t i = 0; i < w->count; i++) {
			bool met;

			buf_clear(&said);
			met = threshold_meets(w->thresholds[i], &s->groups[g], o->confident, &said);
			all = all && met;
			if (!met || f->verbose)
				inputs_say("%s: %.*s: %.*s", met ? "met" : "not met", STR_ARG(s->groups[g].tag),
					   STR_ARG(buf_str(&said)));
		}
	}
	buf_free(&said);
	return all;
}
