/* One conversion whose output is not written but read at once: lines of agent-trace become entries of the list. */
#include "flow/trace_load.h"

#include <assert.h>

#include "base/crypto/sha256.h"
#include "dialect/agent_trace/clean.h"
#include "dialect/formats.h"
#include "dialect/reading/torn.h"
#include "source/raw.h"

/* "sha256:..." of a call's canonical arguments and result; p NULL where there are none. */
struct content_hashes {
	struct str args, result;
};

struct load {
	struct log_flow *flow;
	struct trace_list *list; /* NULL: entries go to `entry` */
	void (*entry)(void *context, const struct trace_entry *e);
	struct json_parser *parser;
	struct arena scratch;
	struct trace *run;  /* that is being converted */
	struct buf lines;   /* of it, that are not read yet; padded when they are */
	struct sha256 hash;
	struct map hashes;  /* of the run: ids of calls to struct content_hashes */
	/* of the file at hand, an agent-trace */
	bool open;
	uint64_t unreadable;
	bool torn;
	struct err refused;
};

/* ---- lines ---- */

/* A version that must not be guessed at ends its file. */
static void refuse_version(struct load *l, struct str name, uint64_t line, struct str version)
{
	if (l->refused.kind != ERR_NONE)
		return;
	if (version.n)
		err_set(&l->refused, ERR_DATA, "%.*s:%llu: the version '%.*s' is not known here", STR_ARG(name),
			(unsigned long long)line, STR_ARG(clean_model(version)));
	else
		err_set(&l->refused, ERR_DATA, "%.*s:%llu: the line has no schema_version", STR_ARG(name),
			(unsigned long long)line);
	err_advise(&l->refused, ADVICE_PERMISSIVE);
}

/* The line of a file (run is NULL: whose id it has) or of a run that was converted. */
static void take_line(struct load *l, struct str name, const struct json_record *record)
{
	struct trace_entry e;

	trace_entry_read(&e, &l->scratch, record->value, l->flow->permissive);
	if (e.row.type == TRACE_ROW_VERSION)
		refuse_version(l, name, record->line, e.row.version);
	else if (e.row.type == TRACE_ROW_OTHER)
		l->unreadable++;
	else if (!l->list)
		l->entry(l->flow->context, &e);
	else
		trace_list_add(l->list, l->run ? l->run : trace_list_of(l->list, e.row.trace), &e);
	arena_reset(&l->scratch);
}

static void take_lines(struct load *l, const struct convert_raw *in)
{
	struct json_record record;
	struct json_issue issue;
	struct json_lines lines;
	enum json_line what;

	json_lines_begin(&lines, l->parser, in->bytes, in->first_line);
	while ((what = json_lines_next(&lines, &record, &issue)) != JSON_LINE_END && l->refused.kind == ERR_NONE) {
		if (what == JSON_LINE_VALUE)
			take_line(l, in->name, &record);
		else if (what != JSON_LINE_BLANK && !record.ended && torn_is(record.text))
			l->torn = true;
		else if (what != JSON_LINE_BLANK)
			l->unreadable++;
	}
}

static bool pass_bytes(struct load *l, bool begins, struct str bytes, struct err *err)
{
	return !l->flow->bytes || l->flow->bytes(l->flow->context, begins, bytes, err);
}

/* ---- an agent-trace as it is ---- */

static bool take_raw(void *context, const struct convert_raw *raw, struct err *err)
{
	struct load *l = context;
	struct json_record record = { .line = raw->first_line };
	struct json_issue issue;

	if (!pass_bytes(l, !l->open, raw->bytes, err))
		return false;
	if (!l->open && l->list)
		trace_list_open(l->list, raw->name, agent_trace_dialect.name);
	l->open = true;
	l->run = NULL;
	if (raw->lines)
		take_lines(l, raw);
	else if (json_parse(l->parser, raw->bytes, &record.value, &issue))
		take_line(l, raw->name, &record);
	else
		l->unreadable++;
	return true;
}

/* ---- a run that is converted ---- */

static struct str hash_of(struct load *l, struct str json)
{
	char hex[SHA256_HEX];

	if (json.n == 0)
		return str_of(NULL, 0);
	digest_hex(hex, sha256_of(&l->hash, json));
	return ARENA_JOIN(l->list->arena, STR("sha256:"), str_of(hex, sizeof(hex)));
}

/* The content of a call is digested while its event is there; the trace that is written of it has none. */
static void see_content(void *context, const struct event *e)
{
	struct load *l = context;
	struct content_hashes *h;
	uint64_t *at;
	bool added;

	if (l->flow->event)
		l->flow->event(l->flow->context, e);
	if (!l->flow->hashes || !l->list)
		return;
	if (e->kind == EVENT_RUN_START)
		map_init(&l->hashes, l->list->arena);
	if ((e->kind != EVENT_CALL && e->kind != EVENT_RESULT) || e->call.n == 0)
		return;
	at = map_add(&l->hashes, e->call, &added);
	if (added)
		*at = (uint64_t)(uintptr_t)arena_new(l->list->arena, struct content_hashes);
	h = (struct content_hashes *)(uintptr_t)*at;
	if (e->kind == EVENT_CALL && !(e->flags & EVENT_WITHHELD))
		h->args = hash_of(l, e->args);
	else if (e->kind == EVENT_RESULT)
		h->result = hash_of(l, e->content);
}

static void add_hashes(struct load *l)
{
	for (size_t i = 0; i < l->run->count; i++) {
		struct trace_entry *e = &l->run->nodes[i];
		const uint64_t *at = e->call_id.n ? map_find(&l->hashes, e->call_id) : NULL;
		const struct content_hashes *h = at ? (const struct content_hashes *)(uintptr_t)*at : NULL;

		if (h) {
			e->args_hash = h->args;
			e->result_hash = h->result;
		}
	}
}

static bool begin_converted(void *context, struct str input, uint64_t run, struct err *err)
{
	struct load *l = context;

	(void)run;
	buf_clear(&l->lines);
	if (!pass_bytes(l, true, STR(""), err))
		return false;
	if (!l->list)
		return true;
	trace_list_open(l->list, input, "");
	l->run = trace_list_begin(l->list);
	return true;
}

/* Whole lines are read at once; the rest waits for its end. */
static bool put_converted(void *context, struct str bytes, struct err *err)
{
	struct load *l = context;
	struct convert_raw in = { .first_line = 1, .lines = true };
	size_t whole;

	if (!pass_bytes(l, false, bytes, err))
		return false;
	buf_add_str(&l->lines, bytes);
	for (whole = l->lines.n; whole && l->lines.p[whole - 1] != '\n';)
		whole--;
	if (whole == 0)
		return true;
	memset(buf_reserve(&l->lines, SOURCE_PAD), 0, SOURCE_PAD);
	in.bytes = str_of(l->lines.p, whole);
	take_lines(l, &in);
	memmove(l->lines.p, l->lines.p + whole, l->lines.n - whole);
	l->lines.n -= whole;
	return true;
}

static bool end_converted(void *context, struct err *err)
{
	struct load *l = context;

	(void)err;
	assert(l->lines.n == 0); /* a trace ends with a line */
	if (l->flow->hashes && l->run)
		add_hashes(l);
	l->run = NULL;
	return true;
}

/* ---- inputs ---- */

bool log_refuse(const struct convert_input *input, struct err *err)
{
	struct str name = raw_title(input->name);

	if (input->failure) {
		*err = *input->failure;
		return false;
	}
	if (input->empty)
		return err_set(err, ERR_DATA, "%.*s is empty: it holds no run", STR_ARG(name));
	if (input->from)
		return err_set(err, ERR_DATA, "%.*s was read as %s, but it holds no run", STR_ARG(name),
			       input->from->name);
	if (input->looks.like)
		return err_set(err, ERR_DATA, "%.*s looks like %s, which cannot be read" ERR_HELP
			       "'trackway formats' lists what can", STR_ARG(name), input->looks.like);
	return err_set(err, ERR_DATA, "%.*s is in no format that can be read" ERR_HELP
		       "'trackway formats' lists what can", STR_ARG(name));
}

static bool tell_input(struct log_flow *f, const struct convert_input *input, struct err *err)
{
	if (f->input)
		return f->input(f->context, input, err);
	return (input->from && !input->failure) || log_refuse(input, err);
}

/* The format of converted runs is known only here; what was counted in an agent-trace is told. */
static bool trace_load_end_input(void *context, const struct convert_input *input, struct err *err)
{
	struct load *l = context;
	struct convert_input told = *input;

	for (size_t i = l->list && input->from ? l->list->count : 0; i > 0 && !l->list->items[i - 1].format[0]; i--)
		l->list->items[i - 1].format = input->from->name;
	if (input->from == &agent_trace_dialect) {
		told.unreadable = l->unreadable;
		told.torn = l->torn;
		if (l->refused.kind != ERR_NONE && !told.failure)
			told.failure = &l->refused;
	}
	l->open = l->torn = false;
	l->unreadable = 0;
	if (!tell_input(l->flow, &told, err))
		return false;
	l->refused = (struct err){ .kind = ERR_NONE };
	return true;
}

static void load_tick(void *context, const struct source *from)
{
	struct load *l = context;

	if (l->flow->tick)
		l->flow->tick(l->flow->context, from);
}

static void load_begin(void *context, const struct dialect *from)
{
	struct load *l = context;

	l->flow->begin(l->flow->context, from);
}

static void load_see(void *context, struct str bytes)
{
	struct load *l = context;

	if (l->flow->see)
		l->flow->see(l->flow->context, bytes);
}

/* Reads everything into the list, or to `entry` without one. */
static bool run_load(struct load *l, struct err *err)
{
	struct log_flow *f = l->flow;
	struct convert_options o = {
		.from = f->as, .to = &agent_trace_dialect, .raw = &agent_trace_dialect, .per_run = true,
		.permissive = f->permissive, .prices = f->prices, .as_read = f->event ? f->as_read : NULL,
	};
	struct convert_flow flow = {
		.from = f->from, .jobs = f->jobs, .options = &o, .input = trace_load_end_input, .raw = take_raw,
		.see = load_see, .tick = load_tick, .context = l,
	};
	bool hashes = f->hashes && l->list, done;

	assert(!f->hashes || !f->as_read); /* digests are of finished calls */
	arena_init(&l->scratch);
	buf_init(&l->lines);
	l->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	if (hashes)
		sha256_init(&l->hash);
	flow.to = pipeline_open(&o, (struct convert_sink){ .open = begin_converted, .put = put_converted,
							   .close = end_converted,
							   .seen = hashes || f->event ? see_content : NULL,
							   .begin = f->begin ? load_begin : NULL, .context = l });
	done = convert_flow_run(&flow, err) && pipeline_finish(flow.to, err);
	if (f->unpriced)
		price_gaps_join(f->unpriced, pipeline_unpriced(flow.to));
	pipeline_close(flow.to);
	if (hashes)
		sha256_free(&l->hash);
	json_parser_close(l->parser);
	buf_free(&l->lines);
	arena_free(&l->scratch);
	return done;
}

bool trace_load(struct log_flow *f, struct trace_list *out, struct err *err)
{
	struct load l = { .flow = f, .list = out };

	if (!run_load(&l, err))
		return false;
	trace_list_finish(out);
	return true;
}

bool trace_visit(struct log_flow *f, void (*entry)(void *context, const struct trace_entry *e), struct err *err)
{
	struct load l = { .flow = f, .entry = entry };

	return run_load(&l, err);
}

/* ---- events ---- */

static bool end_event_input(void *context, const struct convert_input *input, struct err *err)
{
	return tell_input(context, input, err);
}

static void event_see(void *context, struct str bytes)
{
	struct log_flow *f = context;

	if (f->see)
		f->see(f->context, bytes);
}

static void event_tick(void *context, const struct source *from)
{
	struct log_flow *f = context;

	if (f->tick)
		f->tick(f->context, from);
}

bool event_load(struct log_flow *f, bool (*event)(void *context, const struct event *e, struct err *err),
		struct err *err)
{
	struct convert_options o = {
		.from = f->as, .permissive = f->permissive, .prices = f->prices, .as_read = f->as_read,
	};
	struct convert_flow flow = {
		.from = f->from, .jobs = f->jobs, .options = &o, .input = end_event_input, .see = event_see,
		.tick = event_tick, .context = f,
	};
	bool done;

	flow.to = pipeline_open(&o, (struct convert_sink){ .event = event, .begin = f->begin,
							   .context = f->context });
	done = convert_flow_run(&flow, err) && pipeline_finish(flow.to, err);
	pipeline_close(flow.to);
	return done;
}
