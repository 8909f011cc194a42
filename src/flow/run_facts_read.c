/*
 * The directories of runs. Small files are read whole; the trace and a benchmark's results only where facts are
 * missing, and no trace that is larger than TRACE_MOST when there is a summary.
 */
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "flow/run_facts.h"
#include "json/json.h"
#include "model/money.h"
#include "source/source.h"

#define SMALL_MOST ((size_t)64 << 20)  /* bytes of a JSON document */
#define TRACE_MOST ((uint64_t)16 << 20) /* bytes of a trace that is read only to name its models */

struct run_facts_reader {
	struct arena *keep;
	struct arena scratch; /* of the run at hand */
	struct arena line;    /* of the line at hand */
	struct json_parser *parser;
	struct buf chunk;
};

struct run_facts_reader *run_facts_open(struct arena *keep)
{
	struct run_facts_reader *r = mem_alloc(sizeof(*r));

	*r = (struct run_facts_reader){ .keep = keep };
	arena_init(&r->scratch);
	arena_init(&r->line);
	buf_init(&r->chunk);
	r->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	return r;
}

void run_facts_close(struct run_facts_reader *r)
{
	json_parser_close(r->parser);
	buf_free(&r->chunk);
	arena_free(&r->scratch);
	arena_free(&r->line);
	mem_free(r);
}

/* ---- files ---- */

static struct str run_facts_file(struct arena *a, struct str dir, const char *name)
{
	return arena_copy(a, ARENA_JOIN(a, dir, STR("/"), str_from(name)));
}

/* Only plain files: whoever made the directory may have put a pipe there. */
static bool run_facts_has(struct str path, uint64_t *size)
{
	struct stat st;

	if (stat(path.p, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	*size = (uint64_t)st.st_size;
	return true;
}

/* A JSON document of the directory, until the next is read. False when there is none that can be used. */
static bool run_facts_document(struct run_facts_reader *r, struct str dir, const char *name, struct val *out)
{
	struct str path = run_facts_file(&r->scratch, dir, name), text;
	struct err ignored;
	uint64_t size;

	return run_facts_has(path, &size) && file_read(&r->scratch, path, SMALL_MOST, &text, &ignored) &&
	       json_parse_copy(r->parser, text, out, NULL) && val_is(*out, JSON_OBJECT);
}

bool run_facts_is_run(struct str dir)
{
	static const struct {
		const char *file, *mark;
	} signs[] = {
		{ "meta.json", "\"trackway.run/" }, { "config.json", "\"trackway.bench-config/" },
		{ "agent-trace.jsonl", NULL },
	};
	char path[4096], head[4096];
	bool is_one = false;
	uint64_t size;

	for (size_t i = 0; i < COUNT(signs) && !is_one; i++) {
		FILE *f;
		size_t n;

		if (snprintf(path, sizeof(path), "%.*s/%s", STR_ARG(dir), signs[i].file) >= (int)sizeof(path) ||
		    !run_facts_has(str_from(path), &size))
			continue;
		is_one = !signs[i].mark;
		f = is_one ? NULL : fopen(path, "re");
		if (!f)
			continue;
		n = fread(head, 1, sizeof(head), f);
		fclose(f);
		is_one = str_has(str_of(head, n), str_from(signs[i].mark));
	}
	return is_one;
}

/* Each line of a file that is JSON, to `take`. What cannot be read is left out, and the rest when we are to stop. */
static void run_facts_lines(struct run_facts_reader *r, struct str path,
			    void (*take)(struct run_facts_reader *r, struct run_facts *f, struct val line),
			    struct run_facts *f)
{
	struct err ignored;
	struct source *from = source_open(&r->scratch, &path, 1, (struct source_options){ .shape = SOURCE_LINES },
					  &ignored);
	struct chunk in;

	while (from && !stop_signal() && source_next(from, &r->chunk, &in, &ignored) == NEXT_MORE) {
		struct json_record record;
		struct json_issue issue;
		struct json_lines lines;
		enum json_line what;

		json_lines_begin(&lines, r->parser, in.bytes, in.first_line);
		while ((what = json_lines_next(&lines, &record, &issue)) != JSON_LINE_END) {
			if (what == JSON_LINE_VALUE)
				take(r, f, record.value);
			arena_reset(&r->line);
		}
	}
	if (from)
		source_close(from);
}

/* ---- values ---- */

static uint64_t run_facts_u64(struct val object, const char *name)
{
	int64_t n;

	return val_i64(val_get(object, str_from(name)), &n) && n > 0 ? (uint64_t)n : 0;
}

static void run_facts_count(struct figure *sum, struct val v)
{
	int64_t n;

	if (!val_i64(v, &n) || n < 0)
		return;
	sum->state = FIGURE_KNOWN;
	sum->n = (uint64_t)n > INT64_MAX - sum->n ? INT64_MAX : sum->n + (uint64_t)n;
}

/* False, and *us untouched, when the member is no time. */
static bool run_facts_time(struct run_facts_reader *r, struct val object, const char *name, int64_t *us)
{
	struct stamp s;
	int64_t ns;

	if (!stamp_parse(val_get_text(object, str_from(name), &r->scratch), &s) || !stamp_ns(&s, &ns))
		return false;
	*us = ns / 1000;
	return true;
}

static struct str run_facts_text(struct run_facts_reader *r, struct val object, const char *name)
{
	struct val v = val_get(object, str_from(name));

	return val_is(v, JSON_STRING) ? val_text_copy(v, r->keep) : str_of(NULL, 0);
}

/* ---- a recorded run ---- */

static void run_facts_take_row(struct run_facts_reader *r, struct run_facts *f, struct val line)
{
	struct trace_row row;

	trace_row_read(&row, &r->line, line, true);
	if (row.type == TRACE_ROW_NODE || row.type == TRACE_ROW_SUMMARY)
		run_facts_add(f, r->keep, &row);
}

static void run_facts_read_tags(struct run_facts_reader *r, struct val tags, struct run_facts *f)
{
	struct run_facts_tag *list = arena_array(r->keep, struct run_facts_tag, val_count(tags) + 1);
	struct val_iter it = val_begin(tags);
	struct val key, value;

	f->tags = list;
	while (val_is(tags, JSON_OBJECT) && val_next_member(&it, &key, &value))
		if (val_is(value, JSON_STRING))
			list[f->tag_count++] = (struct run_facts_tag){
				arena_copy(r->keep, val_text(key, &r->scratch)), val_text_copy(value, r->keep)
			};
}

static void run_facts_read_names(struct run_facts_reader *r, struct val list, struct run_facts_names *out)
{
	struct val_iter it = val_begin(list);
	struct val name;

	while (val_next(&it, &name))
		if (val_is(name, JSON_STRING))
			run_facts_add_name(out, r->keep, val_text(name, &r->scratch));
}

/* Which models were called and which of them have no price, as the recorder found when the run was over. */
static void run_facts_read_models(struct run_facts_reader *r, struct val meta, struct run_facts *f)
{
	f->has_models = val_is(val_get(meta, STR("models")), JSON_ARRAY);
	run_facts_read_names(r, val_get(meta, STR("models")), &f->models);
	run_facts_read_names(r, val_get(meta, STR("unpriced_models")), &f->unpriced);
	f->is_whole = !f->has_models ? TRUTH_NULL : f->unpriced.count ? TRUTH_FALSE : TRUTH_TRUE;
}

/* Where the child's exit is known and nothing else says what became of the run. */
static void run_facts_read_exit(struct val exit, struct run_facts *f)
{
	int64_t code;

	if (f->has_summary || !val_is(exit, JSON_OBJECT))
		return;
	if (val_i64(val_get(exit, STR("code")), &code))
		f->verdict = code ? "error" : "success";
	else
		f->verdict = "interrupted";
}

/* Of a run that goes on from another one. */
static void run_facts_read_lineage(struct run_facts_reader *r, struct val from, struct run_facts *f)
{
	int64_t seq;

	if (!val_i64(val_get(from, STR("seq")), &seq) || seq < 0)
		return;
	f->forked_run = run_facts_text(r, from, "run_hash");
	f->forked_seq = (uint64_t)seq;
}

/* What meta.json says wins over the trace: it is the recorder's own word, and there from the beginning. */
static void run_facts_read_meta(struct run_facts_reader *r, struct val meta, struct run_facts *f)
{
	struct val captured = val_get(meta, STR("captured"));
	struct str id = run_facts_text(r, meta, "run_id");
	int64_t us;

	f->kind = "record";
	if (id.p)
		f->id = id;
	f->program = run_facts_text(r, meta, "program");
	run_facts_read_tags(r, val_get(meta, STR("tags")), f);
	run_facts_read_lineage(r, val_get(meta, STR("forked_from")), f);
	run_facts_read_exit(val_get(meta, STR("exit")), f);
	if (run_facts_time(r, meta, "started", &us)) {
		f->from_us = us;
		f->to_us = f->has_time && f->to_us > us ? f->to_us : us;
		f->has_time = true;
	}
	if (run_facts_time(r, meta, "ended", &f->to_us))
		f->is_over = true;
	if (!f->agent.p)
		f->agent = run_facts_text(r, meta, "framework");
	if (!f->has_models)
		run_facts_read_models(r, meta, f);
	if (f->model_calls == 0)
		f->model_calls = run_facts_u64(captured, "model_call");
	if (f->tool_calls == 0)
		f->tool_calls = run_facts_u64(captured, "tool_call");
}

/* The summary event in a file of its own: false when it is not there. Its tokens are totals, of whatever source. */
static bool run_facts_read_summary(struct run_facts_reader *r, struct str dir, struct run_facts *f)
{
	struct val summary, tokens;
	struct trace_row row;

	if (!run_facts_document(r, dir, "summary.json", &summary))
		return false;
	trace_row_read(&row, &r->scratch, summary, true);
	if (row.type != TRACE_ROW_SUMMARY)
		return false;
	run_facts_add(f, r->keep, &row);
	tokens = val_get(summary, STR("total_tokens"));
	run_facts_count(&f->input, val_get(tokens, STR("input")));
	run_facts_count(&f->output, val_get(tokens, STR("output")));
	f->is_over = true;
	return true;
}

void run_facts_read_trace(struct run_facts_reader *r, struct str path, struct run_facts *out)
{
	run_facts_init(out);
	run_facts_lines(r, path, run_facts_take_row, out);
	run_facts_finish(out);
}

static bool run_facts_names_models(struct run_facts_reader *r, struct str dir)
{
	struct val meta;

	return run_facts_document(r, dir, "meta.json", &meta) && val_has(meta, STR("models"));
}

/* By the summary when it says enough, else by the trace. */
static void run_facts_read_recorded(struct run_facts_reader *r, struct str dir, struct run_facts *f)
{
	struct str trace = run_facts_file(&r->scratch, dir, "agent-trace.jsonl");
	bool has_summary = run_facts_read_summary(r, dir, f), running;
	struct val meta;
	uint64_t size;

	if (run_facts_has(trace, &size) &&
	    (!has_summary || (size <= TRACE_MOST && !run_facts_names_models(r, dir)))) {
		running = !has_summary && file_is_claimed(trace); /* asked first: it may end while it is read */
		run_facts_read_trace(r, trace, f);
		f->is_over = f->has_summary;
		if (running && !f->has_summary)
			f->verdict = "running";
	}
	f->kind = "trace";
	f->verdict = f->verdict ? f->verdict : "interrupted";
	if (run_facts_document(r, dir, "meta.json", &meta))
		run_facts_read_meta(r, meta, f);
}

/* ---- a benchmark ---- */

/* A row of the results, where there is no summary of them. */
static void run_facts_take_result(struct run_facts_reader *r, struct run_facts *f, struct val line)
{
	if (!val_text_is(val_get(line, STR("record_type")), STR("result")))
		return;
	f->rows++;
	run_facts_add_name(&f->models, r->keep, val_get_text(line, STR("model"), &r->line));
	run_facts_count(&f->input, val_get(line, STR("input_tokens")));
	run_facts_count(&f->output, val_get(line, STR("output_tokens")));
}

/* What a target came to. Shares of all its rows: an error is no pass. */
static void run_facts_read_target(struct run_facts_reader *r, struct val model, struct run_facts *f)
{
	struct str name = val_get_text(model, STR("model"), &r->scratch);
	struct val cost = val_get(model, STR("cost"));
	uint64_t judged = run_facts_u64(model, "objective_pass_all_n");
	bool stated = val_is(val_get(cost, STR("estimated")), JSON_FALSE);
	uint8_t by = stated ? FIGURE_API : FIGURE_ESTIMATED;
	double share, usd;

	f->rows += run_facts_u64(model, "n_total");
	run_facts_add_name(&f->models, r->keep, name);
	run_facts_count(&f->input, val_get(model, STR("input_tokens")));
	run_facts_count(&f->output, val_get(model, STR("output_tokens")));
	if (judged && val_double(val_get(model, STR("objective_pass_rate_all")), &share) && share >= 0 && share <= 1) {
		f->judged = FIGURE(f->judged.n + judged);
		f->passed = FIGURE(f->passed.n + (uint64_t)(share * (double)judged + 0.5));
	}
	if (val_double(val_get(cost, STR("usd")), &usd) && usd >= 0)
		f->usd = amount_plus(f->usd, (struct amount){ FIGURE_KNOWN, by, usd });
	if (run_facts_u64(cost, "n") < run_facts_u64(model, "n_ok") &&
	    (run_facts_u64(model, "input_tokens") || run_facts_u64(model, "output_tokens")))
		run_facts_add_name(&f->unpriced, r->keep, name);
}

/* The suites by their names, and how many rows there are to be. */
static void run_facts_read_config(struct run_facts_reader *r, struct val config, struct run_facts *f)
{
	struct val_iter it = val_begin(val_get(config, STR("suites")));
	uint64_t repeat = run_facts_u64(config, "repeat");
	struct buf names;
	struct val suite;

	f->id = run_facts_text(r, config, "run_id");
	f->has_time = run_facts_time(r, config, "created_at", &f->from_us);
	f->to_us = f->from_us;
	f->rows_wanted = val_count(val_get(config, STR("prompts"))) * val_count(val_get(config, STR("targets"))) *
			 (repeat && repeat < UINT32_MAX ? repeat : 1);
	buf_init(&names);
	while (val_next(&it, &suite)) {
		buf_add_str(&names, names.n ? STR(", ") : STR(""));
		buf_add_str(&names, str_basename(val_get_text(suite, STR("path"), &r->scratch)));
	}
	f->agent = names.n ? arena_copy(r->keep, buf_str(&names)) : str_of(NULL, 0);
	buf_free(&names);
}

static void run_facts_read_bench(struct run_facts_reader *r, struct str dir, struct val config, struct run_facts *f)
{
	struct str results = run_facts_file(&r->scratch, dir, "results.jsonl");
	uint64_t size;
	bool has_results = run_facts_has(results, &size);
	bool running = has_results && file_is_claimed(results); /* asked first, as above */
	struct val summary, model;
	double ms;

	f->kind = "bench";
	f->program = STR("trackway");
	run_facts_read_config(r, config, f);
	if (run_facts_document(r, dir, "summary.json", &summary)) {
		struct val_iter it = val_begin(val_get(summary, STR("models")));

		while (val_next(&it, &model))
			run_facts_read_target(r, model, f);
		if (val_double(val_get(summary, STR("run_wall_clock_ms")), &ms) && ms >= 0)
			f->seconds = ms / 1000;
		f->is_whole = f->unpriced.count ? TRUTH_FALSE : TRUTH_TRUE;
	} else if (has_results) {
		run_facts_lines(r, results, run_facts_take_result, f);
	}
	f->has_models = true;
	f->verdict = running ? "running" : f->rows_wanted && f->rows >= f->rows_wanted ? "complete" : "stopped";
}

void run_facts_read(struct run_facts_reader *r, struct str dir, struct run_facts *out)
{
	struct val config;

	run_facts_init(out);
	arena_reset(&r->scratch);
	if (run_facts_document(r, dir, "config.json", &config) &&
	    str_starts(val_get_text(config, STR("schema"), &r->scratch), STR("trackway.bench-config/")))
		run_facts_read_bench(r, dir, config, out);
	else
		run_facts_read_recorded(r, dir, out);
	out->path = arena_copy(r->keep, dir);
	if (!out->id.p)
		out->id = arena_copy(r->keep, str_basename(dir));
}
