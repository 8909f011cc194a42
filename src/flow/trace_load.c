/* One conversion whose output is not written but read at once: lines of agent-trace become entries of the list. */
#include "flow/trace_load.h"

#include <assert.h>

#include "dialect/formats.h"
#include "dialect/reading/torn.h"
#include "source/raw.h"

struct load {
	struct log_flow *flow;
	struct trace_list *list;
	struct json_parser *parser;
	struct arena scratch;
	struct trace *run;  /* that is being converted */
	struct buf lines;   /* of it, that are not read yet; padded when they are */
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
			(unsigned long long)line, STR_ARG(version));
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
	if (!l->open)
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

static bool begin_converted(void *context, struct str input, uint64_t run, struct err *err)
{
	struct load *l = context;

	(void)run;
	if (!pass_bytes(l, true, STR(""), err))
		return false;
	trace_list_open(l->list, input, "");
	l->run = trace_list_begin(l->list);
	buf_clear(&l->lines);
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
static bool end_input(void *context, const struct convert_input *input, struct err *err)
{
	struct load *l = context;
	struct convert_input told = *input;

	for (size_t i = l->list->count; i > 0 && input->from && l->list->items[i - 1].format[0] == '\0'; i--)
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

bool trace_load(struct log_flow *f, struct trace_list *out, struct err *err)
{
	struct load l = { .flow = f, .list = out };
	struct convert_options o = {
		.from = f->as, .to = &agent_trace_dialect, .raw = &agent_trace_dialect, .per_run = true,
		.permissive = f->permissive, .prices = f->prices,
	};
	struct convert_flow flow = {
		.from = f->from, .jobs = f->jobs, .options = &o, .input = end_input, .raw = take_raw,
		.tick = load_tick, .context = &l,
	};
	bool done;

	arena_init(&l.scratch);
	buf_init(&l.lines);
	l.parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	flow.to = pipeline_open(&o, (struct convert_sink){ .open = begin_converted, .put = put_converted,
							   .close = end_converted, .context = &l });
	done = convert_flow_run(&flow, err) && pipeline_finish(flow.to, err);
	pipeline_close(flow.to);
	json_parser_close(l.parser);
	buf_free(&l.lines);
	arena_free(&l.scratch);
	if (done)
		trace_list_finish(out);
	return done;
}

/* ---- events ---- */

static bool end_event_input(void *context, const struct convert_input *input, struct err *err)
{
	return tell_input(context, input, err);
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
	struct convert_options o = { .from = f->as, .permissive = f->permissive, .prices = f->prices };
	struct convert_flow flow = {
		.from = f->from, .jobs = f->jobs, .options = &o, .input = end_event_input, .tick = event_tick,
		.context = f,
	};
	bool done;

	flow.to = pipeline_open(&o, (struct convert_sink){ .event = event, .context = f->context });
	done = convert_flow_run(&flow, err) && pipeline_finish(flow.to, err);
	pipeline_close(flow.to);
	return done;
}
