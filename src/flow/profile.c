/* Workers turn lines into rows; the fold adds them up in the order of the file. */
#include "flow/profile.h"

#include "dialect/reading/torn.h"
#include "flow/flow.h"
#include "flow/profile_fold.h"

const char *const profile_verdicts[PROFILE_VERDICTS] = { "success", "error", "interrupted", "running" };

struct worker {
	struct json_parser *parser;
	bool any_version;
};

/* What came of a chunk. */
struct result {
	struct arena arena;
	struct buf rows; /* struct trace_row */
	uint64_t lines, damaged, first_damaged, other_versions;
	struct str version;
	bool torn;
};

struct progress {
	struct profile_flow *flow;
	struct profile *out;
	struct profile_fold fold;
};

static void profile_worker_init(void *worker, void *context)
{
	const struct progress *p = context;
	struct worker *w = worker;

	w->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	w->any_version = p->flow->permissive;
}

static void profile_worker_free(void *worker)
{
	json_parser_close(((struct worker *)worker)->parser);
}

static void profile_result_init(void *result)
{
	struct result *r = result;

	arena_init(&r->arena);
	buf_init(&r->rows);
}

static void profile_result_free(void *result)
{
	struct result *r = result;

	arena_free(&r->arena);
	buf_free(&r->rows);
}

static void note_damaged(struct result *r, uint64_t line)
{
	if (r->damaged++ == 0)
		r->first_damaged = line;
}

static void take_value(struct worker *w, struct result *r, const struct json_record *record)
{
	struct trace_row row;

	trace_row_read(&row, &r->arena, record->value, w->any_version);
	if (row.version.p && r->other_versions++ == 0)
		r->version = row.version;
	if (row.type == TRACE_ROW_NODE || row.type == TRACE_ROW_SUMMARY)
		buf_add(&r->rows, &row, sizeof(row));
	else if (row.type == TRACE_ROW_OTHER)
		note_damaged(r, record->line);
}

/* The rows of a chunk, and how many of its lines are none. Only a last line without an end may be torn. */
static bool profile_work(void *worker, const struct chunk *in, void *result, struct err *err)
{
	struct worker *w = worker;
	struct result *r = result;
	struct json_record record;
	struct json_issue issue;
	struct json_lines lines;
	enum json_line what;

	(void)err;
	arena_reset(&r->arena);
	buf_clear(&r->rows);
	r->lines = r->damaged = r->other_versions = 0;
	r->torn = false;
	json_lines_begin(&lines, w->parser, in->bytes, in->first_line);
	while ((what = json_lines_next(&lines, &record, &issue)) != JSON_LINE_END) {
		if (what == JSON_LINE_BLANK)
			continue;
		r->lines++;
		if (what == JSON_LINE_VALUE)
			take_value(w, r, &record);
		else if (in->last && !record.ended && str_starts(record.text, STR("{")) && torn_is(record.text))
			r->torn = true;
		else
			note_damaged(r, record.line);
	}
	return true;
}

/* The sums of a chunk and its rows, in order. A file that is no agent-trace at all is given up early. */
static bool profile_emit(void *context, const struct chunk *in, void *result, struct err *err)
{
	const struct result *r = result;
	struct progress *p = context;
	struct profile *out = p->out;
	const struct trace_row *rows = (const struct trace_row *)(const void *)r->rows.p;

	if (in->input->index > 0) /* one run at a time */
		return true;
	if (out->damaged == 0)
		out->first_damaged = r->first_damaged;
	out->lines += r->lines;
	out->damaged += r->damaged;
	if (out->other_versions == 0 && r->other_versions)
		out->version = arena_copy(out->arena, r->version);
	out->other_versions += r->other_versions;
	out->torn = out->torn || r->torn;
	for (size_t i = 0; i < r->rows.n / sizeof(*rows); i++)
		profile_fold_add(&p->fold, &rows[i]);
	if (p->flow->tick)
		p->flow->tick(p->flow->context, p->flow->from);
	if (out->nodes == 0 && !out->has_summary && out->lines > PROFILE_HOPELESS)
		return err_set(err, ERR_DATA, "%.*s: none of its first %llu lines belongs to an agent-trace",
			       STR_ARG(in->input->name), (unsigned long long)out->lines);
	return true;
}

bool profile_run(struct arena *a, struct profile_flow *f, struct profile *out, struct err *err)
{
	struct progress p = { .flow = f, .out = out };
	struct flow flow = {
		.from = f->from,
		.jobs = f->jobs,
		.worker_size = sizeof(struct worker),
		.worker_init = profile_worker_init,
		.worker_free = profile_worker_free,
		.result_size = sizeof(struct result),
		.result_init = profile_result_init,
		.result_free = profile_result_free,
		.work = profile_work,
		.emit = profile_emit,
		.context = &p,
	};
	bool done;

	*out = (struct profile){ .arena = a };
	profile_fold_init(&p.fold, out, f->row_limit);
	source_be_patient(f->from);
	done = flow_run(&flow, err);
	if (done)
		profile_fold_finish(&p.fold);
	profile_fold_free(&p.fold);
	return done;
}

bool profile_has_calls(const struct profile *p)
{
	return p->counts[AT_MODEL_CALL] || p->counts[AT_TOOL_CALL];
}

static void free_groups(struct profile_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		quantile_free(&groups->list[i]->latency);
		quantile_free(&groups->list[i]->ttft);
	}
}

void profile_free(struct profile *p)
{
	free_groups(&p->models);
	free_groups(&p->tools);
}
