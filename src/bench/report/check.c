/*
 * Walks the results once, noting rows that config.json does not explain; then holds what lies beside the rows (summary,
 * trace, pages) against them. What is wrong inside a file is left to the rules of its format, so read errors there are
 * not told twice.
 */
#include "bench/report/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/map.h"
#include "bench/report/check_pages.h"
#include "bench/report/check_sum.h"
#include "bench/run/bench_trace.h"
#include "bench/run/config.h"
#include "bench/run/run_dir.h"

#define HEAD_MAX 65536           /* bytes of a file that say what it is */
#define FILE_MAX ((size_t)256 << 20)

struct run {
	struct run_check *out;
	struct arena *arena;
	struct config config;
	bool ours;         /* there is a config.json of ours, and it was read */
	struct map tags;   /* of the targets, to the number of rows */
	struct map prompts;
	struct map rows;   /* hashes of those that belong to the run */
	struct str run_id; /* of the first row */
	uint64_t sent;
};

/* A message is cut at 999 bytes. Of findings beyond what the list keeps, no text is made: they are counted. */
void run_check_note(struct run_check *c, enum run_rule rule, const char *format, ...)
{
	const struct rule *r = &bench_run_rules[rule];
	struct finding f = { .code = r->code, .severity = r->severity };
	char text[1000];
	va_list args;
	int n;

	if (!findings_wants(c->findings, r->code, r->severity)) {
		findings_count(c->findings, r->code, r->severity);
		return;
	}
	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	f.message = str_of(text, n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
	findings_add(c->findings, &f);
}

/* ---- files ---- */

static struct str join(struct arena *a, struct str dir, const char *name)
{
	return arena_printf(a, "%.*s/%s", STR_ARG(dir), name);
}

/* Only a regular file counts: a directory or a dangling link of that name is a missing file. */
static bool has(struct arena *a, struct str dir, const char *name)
{
	struct stat st;

	return stat(join(a, dir, name).p, &st) == 0 && S_ISREG(st.st_mode);
}

/* The beginning of a file; empty when there is none. */
static struct str head_of(struct arena *a, struct str dir, const char *name)
{
	char *text = arena_alloc(a, HEAD_MAX, 1);
	FILE *file = has(a, dir, name) ? fopen(join(a, dir, name).p, "re") : NULL;
	size_t n = file ? fread(text, 1, HEAD_MAX, file) : 0;

	if (file)
		fclose(file);
	return str_of(text, n);
}

static bool check_holds(struct str text, const char *part)
{
	return str_has(text, str_from(part));
}

bool run_check_is_one(struct str path)
{
	struct arena a;
	bool is_one;

	arena_init(&a);
	is_one = check_holds(head_of(&a, path, "config.json"), "\"trackway.bench-config/") ||
		 (has(&a, path, "config.json") && has(&a, path, "summary.json") &&
		  check_holds(head_of(&a, path, "results.jsonl"), "\"availability_status\""));
	arena_free(&a);
	return is_one;
}

/* The files that every harness of this format writes. Resources are missed only where config.json is ours. */
static void check_files(struct run *r)
{
	static const char *const names[] = { "config.json", "inventory.json", "results.jsonl", "summary.json",
					     "summary.md" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (!has(r->arena, r->out->path, names[i]))
			run_check_note(r->out, RUN_MISSING, "there is no %s", names[i]);
}

/* ---- the configuration ---- */

/*
 * Leaves r->ours false when the configuration is absent, of another program, unreadable or empty: rows are then not
 * compared with it.
 */
static void read_config(struct run *r)
{
	struct str path = join(r->arena, r->out->path, "config.json");
	struct err ignored = { .kind = ERR_NONE }; /* what is wrong with it is told by its own format */
	bool added;

	if (!has(r->arena, r->out->path, "config.json"))
		return;
	if (!check_holds(head_of(r->arena, r->out->path, "config.json"), "\"trackway.bench-config/")) {
		run_check_note(r->out, RUN_FOREIGN,
			       "config.json is not of trackway: prompts and targets are not compared");
		return;
	}
	if (!config_read(&r->config, r->arena, path, &ignored))
		return;
	r->ours = r->config.target_count && r->config.prompt_count;
	for (size_t i = 0; i < r->config.target_count; i++)
		map_add(&r->tags, r->config.targets[i].tag, &added);
	for (size_t i = 0; i < r->config.prompt_count; i++)
		map_add(&r->prompts, r->config.prompts[i].id, &added);
}

/* ---- rows ---- */

/*
 * A row that belongs to the run is kept by a hash of its key, so one that is there twice counts once towards the number
 * that should be there.
 */
static void check_row(struct run *r, const struct result *row, struct arena *a)
{
	struct str tag = target_tag(a, row->provider, row->model, row->thinking);
	struct hash hash;
	uint64_t *count = map_find(&r->tags, tag);
	bool prompt = map_find(&r->prompts, row->prompt_id), added;
	int64_t repetition = row->repetition > 0 ? row->repetition : 1;

	if (!count)
		run_check_note(r->out, RUN_TARGET, "results.jsonl, row %" PRIu64 ": %.*s is not a target of "
			       "config.json",
			   r->out->rows, STR_ARG(target_name(a, row->provider, row->model, row->thinking)));
	if (!prompt)
		run_check_note(r->out, RUN_PROMPT, "results.jsonl, row %" PRIu64 ": %.*s is not a prompt of "
			       "config.json",
			   r->out->rows, STR_ARG(row->prompt_id));
	if ((uint64_t)repetition > r->config.repeat)
		run_check_note(r->out, RUN_REPETITION,
			       "results.jsonl, row %" PRIu64 ": repetition %" PRId64 " of %" PRIu64, r->out->rows,
			       repetition, r->config.repeat);
	if (!count || !prompt || (uint64_t)repetition > r->config.repeat)
		return;
	++*count;
	hash = str_hash_wide(result_key(a, row->provider, row->model, row->thinking, row->prompt_id, repetition));
	map_add(&r->rows, str_of(&hash, sizeof(hash)), &added);
}

/* One row of results.jsonl, with memory of its own: a run may have millions. Never ends the walk. */
static bool check_take_row(void *own, const struct result *row, struct str line)
{
	struct run *r = own;
	struct arena a;

	(void)line;
	r->out->rows++;
	r->sent += row->attempts > 0;
	if (!r->run_id.p)
		r->run_id = arena_copy(r->arena, row->run_id);
	if (!r->ours)
		return true;
	arena_init(&a);
	check_row(r, row, &a);
	arena_free(&a);
	return true;
}

/* How the harness says that the run ended, by its last event about it; empty when it says nothing. */
static struct str end_of(struct run *r)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct err ignored = { .kind = ERR_NONE };
	struct str rest, line, end = STR("");
	struct val v;

	if (!has(r->arena, r->out->path, "events.jsonl") ||
	    !file_read(r->arena, join(r->arena, r->out->path, "events.jsonl"), FILE_MAX, &rest, &ignored))
		rest = STR("");
	while (rest.n) {
		struct val said;

		line = str_cut(rest, '\n', &rest);
		if (!check_holds(line, "run_") || !json_parse_copy(p, line, &v, NULL))
			continue;
		said = val_get(v, STR("event"));
		if (val_text_is(said, STR("run_begin")))
			end = STR("");
		if (!val_is(said, JSON_STRING) || !val_text_is(said, STR("run_end")))
			continue;
		said = val_get(v, STR("end"));
		end = val_is(said, JSON_STRING) ? arena_copy(r->arena, val_text(said, r->arena)) : STR("");
	}
	json_parser_close(p);
	return end;
}

/* Only targets that have rows are expected to have been measured. Called when all rows are there. */
static void check_resources(struct run *r)
{
	static const char *const ends[] = { "before", "after" };

	for (size_t i = 0; i < r->config.target_count; i++) {
		struct str tag = r->config.targets[i].tag;
		const uint64_t *rows = map_find(&r->tags, tag);

		for (size_t e = 0; rows && *rows && e < 2; e++) {
			struct str name = arena_printf(r->arena, "resources_%.*s_%s.txt", STR_ARG(tag), ends[e]);

			if (!has(r->arena, r->out->path, name.p))
				run_check_note(r->out, RUN_RESOURCES, "there is no %.*s", STR_ARG(name));
		}
	}
}

/* Rows that should be there, and what lies beside those of a run that came to its end. */
static void check_complete(struct run *r)
{
	const struct config *c = &r->config;
	uint64_t want = c->prompt_count * c->target_count * c->repeat, got = r->rows.count;
	struct str end = end_of(r);
	bool stopped = end.n && !str_eq(end, STR("complete"));

	if (got >= want)
		check_resources(r);
	else if (stopped)
		run_check_note(r->out, RUN_STOPPED,
			       "%" PRIu64 " of %" PRIu64 " results are there; events.jsonl says: %.*s", got, want,
			       STR_ARG(end));
	else
		run_check_note(r->out, RUN_INCOMPLETE, "%" PRIu64 " of %" PRIu64 " results are there", got, want);
}

/* ---- what lies beside ---- */

/* The last line of the trace has the number of its nodes, and its own rules hold it to that. */
static void check_trace(struct run *r)
{
	uint64_t calls;
	struct str path = join(r->arena, r->out->path, "agent-trace.jsonl"), text, last = STR("");
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct err ignored = { .kind = ERR_NONE };
	struct val v;
	int64_t nodes;

	if (has(r->arena, r->out->path, "agent-trace.jsonl") && file_map(path, &text, &ignored)) {
		last = str_trim(text);
		for (size_t i = last.n; i > 0; i--) {
			if (last.p[i - 1] == '\n') {
				last = str_skip(last, i);
				break;
			}
		}
		last = arena_copy(r->arena, last);
		file_unmap(text);
	}
	if (last.n && json_parse_copy(p, last, &v, NULL) && val_is(v, JSON_OBJECT) &&
	    val_i64(val_get(val_get(v, STR("node_counts")), STR("model_call")), &nodes) &&
	    nodes != (int64_t)r->sent && /* as a version wrote it that had a node for each row */
	    bench_trace_count(r->out->path, &r->config, &calls, &ignored) && nodes != (int64_t)calls)
		run_check_note(r->out, RUN_TRACE,
			       "agent-trace.jsonl has %" PRId64 " calls, results.jsonl and events.jsonl have "
			       "%" PRIu64, nodes, calls);
	json_parser_close(p);
}

/* Compares with the first file that has a run_id; what could not be read is left out. */
static void check_ids(struct run *r, struct str summary_id)
{
	const struct {
		const char *file;
		struct str id;
	} ids[] = {
		{ "config.json", r->ours ? r->config.run_id : str_of(NULL, 0) },
		{ "results.jsonl", r->run_id },
		{ "summary.json", summary_id },
	};
	size_t first = 0;

	while (first < 3 && !ids[first].id.p)
		first++;
	for (size_t i = first + 1; i < 3; i++)
		if (ids[i].id.p && !str_eq(ids[i].id, ids[first].id))
			run_check_note(r->out, RUN_OTHER_ID, "run_id is %.*s in %s and %.*s in %s",
				       STR_ARG(ids[first].id), ids[first].file, STR_ARG(ids[i].id), ids[i].file);
}

bool run_check(struct run_check *c, struct err *err)
{
	struct run r = { .out = c, .arena = c->arena };
	struct str summary_id = str_of(NULL, 0);
	struct results_lost lost;

	c->rows = 0;
	map_init(&r.tags, c->arena);
	map_init(&r.prompts, c->arena);
	map_init(&r.rows, c->arena);
	check_files(&r);
	read_config(&r);
	if (has(c->arena, c->path, "results.jsonl")) {
		if (!results_walk(c->path, check_take_row, &r, &lost, err))
			return false;
		if (r.ours)
			check_complete(&r);
		if (has(c->arena, c->path, "summary.json") && !run_check_sum(c, r.ours, &summary_id, err))
			return false;
		check_trace(&r);
		if (!run_check_pages(c, &r.config, err))
			return false;
	}
	check_ids(&r, summary_id);
	return true;
}
