/*
 * Runs of LangSmith, one on each line: a root of type chain for the run, an llm run for each step, a tool run for each
 * call. They are made of the records that our writer of OTUTL gives. What LangSmith has no field for stands in
 * extra.metadata.trackway: the record itself, without the members that the run holds (`held` names these), so that
 * what we wrote is read back as it was.
 *
 * Memory: the latest step, calls without a result, and the ids of the run.
 */
#include "base/clock.h"
#include "base/map.h"
#include "dialect/langsmith/private.h"
#include "dialect/otutl/convert.h"
#include "dialect/record/field.h"
#include "dialect/writing.h"
#include "json/write.h"
#include "model/words.h"

/* A run that is not written yet. Texts are its own. */
struct span {
	struct span *next, **at; /* calls without a result, in their order; what points here */
	struct arena arena;
	char id[ID_UUID_TEXT];
	struct str parent, dotted; /* of the run around it: its id, p NULL for none; of this one */
	const char *type;
	struct str name, provider, model, error;
	struct str step;    /* id of the step */
	struct str inputs;  /* JSON */
	struct str outputs; /* JSON; llm: that of its message, without the calls, is made at the end */
	struct str text, reasoning, finish, usage, response;
	struct buf calls, records, held; /* elements of lists */
	int64_t start, end;
	bool ended;
};

struct writer {
	struct writing *w;
	struct writing inner; /* of the records */
	struct buf lines;
	void *otutl;
	struct json_parser *parser;
	struct arena run, scratch;
	struct map ids;   /* of runs in this trace */
	struct map calls; /* ids of calls to their struct span, 0 when closed */
	struct arena all;
	struct map roots; /* ids of traces */
	struct span *root, *step, *open, **last;
	struct id trace;
};

static void *langsmith_write_open(struct writing *w)
{
	struct writer *o = mem_alloc(sizeof(*o));

	*o = (struct writer){ .w = w, .inner = *w };
	o->inner.out = &o->lines;
	o->otutl = otutl_write_ops.open(&o->inner);
	o->parser = json_parser_open((struct json_options){ .max_depth = 512, .allow_duplicates = true });
	arena_init(&o->run);
	arena_init(&o->scratch);
	arena_init(&o->all);
	map_init(&o->roots, &o->all);
	map_init(&o->ids, &o->run);
	map_init(&o->calls, &o->run);
	o->last = &o->open;
	return o;
}

static void span_free(struct span *s)
{
	if (!s)
		return;
	buf_free(&s->calls);
	buf_free(&s->records);
	buf_free(&s->held);
	arena_free(&s->arena);
	mem_free(s);
}

/* Takes a call out of the list of those without a result. */
static void span_unlink(struct writer *o, struct span *s)
{
	*s->at = s->next;
	if (s->next)
		s->next->at = s->at;
	else
		o->last = s->at;
}

static void langsmith_write_close(void *writer)
{
	struct writer *o = writer;

	otutl_write_ops.close(o->otutl);
	while (o->open) {
		struct span *s = o->open;

		span_unlink(o, s);
		span_free(s);
	}
	span_free(o->root);
	span_free(o->step);
	buf_free(&o->lines);
	json_parser_close(o->parser);
	arena_free(&o->run);
	arena_free(&o->scratch);
	arena_free(&o->all);
	mem_free(o);
}

/* ---- members ---- */

static void langsmith_put_name(struct buf *out, const char *name)
{
	if (out->n && out->p[out->n - 1] != '{')
		buf_add_byte(out, ',');
	json_write_quoted(out, str_from(name));
	buf_add_byte(out, ':');
}

static void langsmith_put_json(struct buf *out, const char *name, struct str json)
{
	if (!json.p)
		return;
	langsmith_put_name(out, name);
	buf_add_str(out, json);
}

static void langsmith_put_text(struct buf *out, const char *name, struct str text)
{
	if (!text.p)
		return;
	langsmith_put_name(out, name);
	json_write_quoted(out, text);
}

/* A member of a record, kept by the span; absent when there is none. */
static struct str langsmith_copy_json(struct span *s, struct val record, const char *name)
{
	struct val v = val_get(record, str_from(name));

	return val_is_none(v) ? str_of(NULL, 0) : arena_copy(&s->arena, val_source(v));
}

static struct str langsmith_copy_text(struct span *s, struct val record, const char *name)
{
	return val_text_copy(val_get(record, str_from(name)), &s->arena);
}

/* ---- records ---- */

static int64_t langsmith_time_of(struct writer *o, struct val record)
{
	struct stamp stamp;
	int64_t ns;

	return stamp_parse(val_get_text(record, STR("ts"), &o->scratch), &stamp) && stamp_ns(&stamp, &ns) ? ns : 0;
}

/* Adds a record without what the run holds; NULL ends `held`. */
static void langsmith_add_record(struct writer *o, struct span *s, struct val record, const char *const *held)
{
	struct val_iter it = val_begin(record);
	struct buf *out = &s->records;
	struct val key, v;

	buf_add_str(out, out->n ? STR(",{") : STR("{"));
	while (val_next_member(&it, &key, &v)) {
		const char *const *name = held;

		while (*name && !val_text_is(key, str_from(*name)))
			name++;
		if (*name)
			continue;
		if (out->p[out->n - 1] != '{')
			buf_add_byte(out, ',');
		json_write_quoted(out, val_text(key, &o->scratch));
		buf_add_byte(out, ':');
		buf_add_str(out, val_source(v));
	}
	buf_add_byte(out, '}');
	for (; *held; held++) {
		if (s->held.n)
			buf_add_byte(&s->held, ',');
		json_write_quoted(&s->held, str_from(*held));
	}
}

static const char *const nothing_held[] = { NULL };

/* ---- runs ---- */

/* An id that no other run of the trace has: the record's own where it is a UUID, else one made of its place. */
static void langsmith_choose_id(struct writer *o, struct span *s, struct val record, struct str own)
{
	struct val seq = val_get(record, STR("seq"));
	struct id id;
	bool added = false;

	if (id_parse_uuid(own, &id)) {
		id_format_uuid(s->id, id);
		map_add(&o->ids, str_of(s->id, sizeof(s->id)), &added);
	}
	if (added)
		return;
	id = writing_node_id(o->trace, val_is_none(seq) ? STR("") : val_source(seq), s->start);
	id_format_uuid(s->id, id);
	map_add(&o->ids, str_of(s->id, sizeof(s->id)), &added);
}

/* "20260102T030405000000Z" and the id, behind those of the runs around it. */
static struct str langsmith_dotted(struct span *s, struct str around)
{
	char stamp[36], text[22];
	size_t n = 0, length = stamp_format_ns(stamp, s->start, 6);

	for (size_t i = 0; i < length && n < sizeof(text); i++)
		if (stamp[i] != '-' && stamp[i] != ':' && stamp[i] != '.')
			text[n++] = stamp[i];
	return ARENA_JOIN(&s->arena, around, around.n ? STR(".") : STR(""), str_of(text, n),
			  str_of(s->id, sizeof(s->id)));
}

static struct span *langsmith_find_call(struct writer *o, struct val record, const char *name)
{
	struct str id = val_get_text(record, str_from(name), &o->scratch);
	const uint64_t *slot = id.n ? map_find(&o->calls, id) : NULL;

	return slot ? (struct span *)(uintptr_t)*slot : NULL;
}

/* A run inside the call that its record names, or inside the root. `ms` is how long it took before the record. */
static struct span *langsmith_begin(struct writer *o, struct val record, const char *type, struct str own, double ms)
{
	struct span *s = mem_alloc(sizeof(*s)), *around = langsmith_find_call(o, record, "parent_call_id");

	*s = (struct span){ .type = type };
	arena_init_small(&s->arena);
	s->end = langsmith_time_of(o, record);
	s->start = s->end - (ms > 0 && ms < 1e12 ? (int64_t)(ms * 1e6) : 0);
	if (s->start < 0)
		s->start = s->end;
	around = around ? around : o->root;
	langsmith_choose_id(o, s, record, own);
	if (around)
		s->parent = arena_copy(&s->arena, str_of(around->id, sizeof(around->id)));
	s->dotted = langsmith_dotted(s, around ? around->dotted : str_of(NULL, 0));
	return s;
}

/* The answer as LangChain's tracer has it. */
static void langsmith_put_answer(struct buf *out, const struct span *s)
{
	buf_add_str(out, STR("{\"generations\":[[{\"text\":"));
	json_write_quoted(out, s->text.p ? s->text : STR(""));
	buf_add_str(out, STR(",\"type\":\"ChatGeneration\",\"generation_info\":{"));
	langsmith_put_text(out, "finish_reason", s->finish);
	langsmith_put_text(out, "model_name", s->model);
	buf_add_str(out, STR("},\"message\":{\"lc\":1,\"type\":\"constructor\",\"id\":[\"langchain\",\"schema\","
			     "\"messages\",\"AIMessage\"],\"kwargs\":{\"content\":"));
	json_write_quoted(out, s->text.p ? s->text : STR(""));
	buf_add_str(out, STR(",\"type\":\"ai\""));
	langsmith_put_text(out, "id", s->response);
	buf_add_str(out, STR(",\"additional_kwargs\":{"));
	langsmith_put_text(out, "reasoning_content", s->reasoning);
	buf_add_str(out, STR("},\"tool_calls\":["));
	buf_add_str(out, buf_str(&s->calls));
	buf_add_str(out, STR("],\"invalid_tool_calls\":[]"));
	langsmith_put_json(out, "usage_metadata", s->usage);
	buf_add_str(out, STR("}}}]],\"llm_output\":null,\"run\":null,\"type\":\"LLMResult\"}"));
}

static void langsmith_put_metadata(struct buf *out, const struct span *s)
{
	buf_add_str(out, STR(",\"extra\":{\"metadata\":{"));
	langsmith_put_text(out, "ls_provider", s->provider);
	langsmith_put_text(out, "ls_model_name", s->model);
	if (strcmp(s->type, "llm") == 0)
		langsmith_put_text(out, "ls_model_type", STR("chat"));
	langsmith_put_name(out, "trackway");
	buf_add_str(out, STR("{\"held\":["));
	buf_add_str(out, buf_str(&s->held));
	buf_add_str(out, STR("],\"records\":["));
	buf_add_str(out, buf_str(&s->records));
	buf_add_str(out, STR("]}}}"));
}

static void langsmith_put_time(struct buf *out, const char *name, int64_t ns)
{
	char stamp[36];

	langsmith_put_text(out, name, str_of(stamp, stamp_format_ns(stamp, ns, 6)));
}

/* Writes a run and forgets it. NULL is none. */
static void langsmith_put(struct writer *o, struct span *s)
{
	struct buf *out = o->w->out;
	char trace[ID_UUID_TEXT];

	if (!s)
		return;
	id_format_uuid(trace, o->trace);
	buf_add_byte(out, '{');
	langsmith_put_text(out, "id", str_of(s->id, sizeof(s->id)));
	langsmith_put_text(out, "trace_id", str_of(trace, sizeof(trace)));
	langsmith_put_text(out, "parent_run_id", s->parent);
	langsmith_put_text(out, "dotted_order", s->dotted);
	langsmith_put_text(out, "name", s->name.n ? s->name : STR("unknown"));
	langsmith_put_text(out, "run_type", str_from(s->type));
	langsmith_put_time(out, "start_time", s->start);
	if (s->ended)
		langsmith_put_time(out, "end_time", s->end);
	langsmith_put_json(out, "inputs", s->inputs.p ? s->inputs : STR("{}"));
	langsmith_put_name(out, "outputs");
	if (strcmp(s->type, "llm") == 0)
		langsmith_put_answer(out, s);
	else
		buf_add_str(out, s->outputs.p ? s->outputs : STR("{}"));
	langsmith_put_text(out, "error", s->error);
	langsmith_put_metadata(out, s);
	buf_add_str(out, STR(",\"tags\":[]}\n"));
	span_free(s);
}

static void langsmith_put_step(struct writer *o)
{
	langsmith_put(o, o->step);
	o->step = NULL;
}

/* What is open when the log breaks off: a root without an end, and calls without a result. */
static void langsmith_put_open(struct writer *o)
{
	langsmith_put_step(o);
	while (o->open) {
		struct span *s = o->open;

		span_unlink(o, s);
		langsmith_put(o, s);
	}
	langsmith_put(o, o->root);
	o->root = NULL;
}

/* ---- what the records become ---- */

/* A trace has the id of the run at its source where that is a UUID nobody had before, else that of OTUTL. */
static void langsmith_choose_trace(struct writer *o, struct val record)
{
	struct str vendor = val_get_text(record, STR("vendor_run_id"), &o->scratch);
	struct str own = val_get_text(record, STR("run_id"), &o->scratch);
	bool added;

	if (!id_parse_uuid(vendor, &o->trace) && !id_parse_uuid(own, &o->trace))
		o->trace = writing_run_id(STR("unknown"), own, 0);
	map_add(&o->roots, str_of(o->trace.b, sizeof(o->trace.b)), &added);
	for (unsigned n = 2; !added; n++) {
		struct str name = arena_printf(&o->scratch, "#%u", n);
		struct id next = writing_node_id(o->trace, name, langsmith_time_of(o, record));

		map_add(&o->roots, str_of(next.b, sizeof(next.b)), &added);
		if (added)
			o->trace = next;
	}
}

static void langsmith_begin_run(struct writer *o, struct val record)
{
	char trace[ID_UUID_TEXT];

	langsmith_put_open(o);
	arena_reset(&o->run);
	map_init(&o->ids, &o->run);
	map_init(&o->calls, &o->run);
	langsmith_choose_trace(o, record);
	id_format_uuid(trace, o->trace);
	o->root = langsmith_begin(o, record, "chain", str_of(trace, sizeof(trace)), 0);
	o->root->name = val_text_copy(val_at(record, STR("/agent/name")), &o->root->arena);
	if (!o->root->name.n)
		o->root->name = STR("agent");
	langsmith_add_record(o, o->root, record, nothing_held);
}

static void langsmith_put_figure(struct buf *out, const char *name, struct val usage, const char *member)
{
	struct val v = val_get(usage, str_from(member));

	if (val_is(v, JSON_NUMBER))
		langsmith_put_json(out, name, val_source(v));
}

/* Tokens by LangChain's names. Without both sums there is no usage_metadata: it must have them. */
static struct str langsmith_usage(struct span *s, struct val usage)
{
	int64_t in, answer;
	struct buf out = { 0 };

	if (!val_i64(val_get(usage, STR("input_tokens")), &in) ||
	    !val_i64(val_get(usage, STR("output_tokens")), &answer) || in < 0 ||
	    answer < 0 || in > INT64_MAX - answer)
		return str_of(NULL, 0);
	buf_printf(&out,
		   "{\"input_tokens\":%lld,\"output_tokens\":%lld,\"total_tokens\":%lld,\"input_token_details\":{",
		   (long long)in, (long long)answer, (long long)(in + answer));
	langsmith_put_figure(&out, "cache_read", usage, "cache_read_tokens");
	langsmith_put_figure(&out, "cache_creation", usage, "cache_write_tokens");
	buf_add_str(&out, STR("},\"output_token_details\":{"));
	langsmith_put_figure(&out, "reasoning", usage, "reasoning_tokens");
	buf_add_str(&out, STR("}}"));
	return arena_take(&s->arena, &out);
}

static void langsmith_add_step(struct writer *o, struct val record)
{
	struct val request = val_get(record, STR("request")), messages = val_get(request, STR("messages"));
	const char *held[4] = { NULL };
	struct span *s;
	size_t n = 0;
	double ms = 0;

	langsmith_put_step(o);
	val_double(val_get(record, STR("latency_ms")), &ms);
	s = langsmith_begin(o, record, "llm", val_get_text(record, STR("step_id"), &o->scratch), ms);
	s->ended = true;
	s->step = langsmith_copy_text(s, record, "step_id");
	s->model = langsmith_copy_text(s, record, "model");
	s->provider = langsmith_copy_text(s, record, "provider");
	s->name = s->model.n ? s->model : STR("model");
	s->text = langsmith_copy_text(s, record, "text");
	s->reasoning = langsmith_copy_text(s, record, "reasoning");
	s->finish = langsmith_copy_text(s, record, "stop_reason");
	s->response = langsmith_copy_text(s, record, "response_id");
	s->usage = langsmith_usage(s, val_get(record, STR("usage")));
	if (val_is(messages, JSON_ARRAY)) {
		s->inputs = ARENA_JOIN(&s->arena, STR("{\"messages\":"), val_source(messages), STR("}"));
		if (val_count(request) == 1)
			held[n++] = "request";
	} else {
		s->inputs = STR("{\"messages\":[]}");
	}
	if (s->text.p)
		held[n++] = "text";
	if (s->reasoning.p)
		held[n++] = "reasoning";
	langsmith_add_record(o, s, record, held);
	o->step = s;
}

/* Whether a record belongs to the step that is held. */
static bool langsmith_is_of_step(struct writer *o, struct val record)
{
	return o->step && o->step->step.n && val_text_is(val_get(record, STR("step_id")), o->step->step);
}

/* tool://langchain/retriever/NAME is a retriever, an MCP tool has its server in its name. */
static void langsmith_name_tool(struct writer *o, struct span *s, struct str uri)
{
	static const struct {
		struct str front;
		const char *type;
	} kinds[] = { { WORD("tool://langchain/retriever/"), "retriever" },
		      { WORD("tool://langchain/embedding/"), "embedding" } };
	struct str vendor = { NULL, 0 }, server = { NULL, 0 }, name = { NULL, 0 };

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!str_starts(uri, kinds[i].front))
			continue;
		s->type = kinds[i].type;
		uri = ARENA_JOIN(&o->scratch, STR("tool://langchain/"), str_skip(uri, kinds[i].front.n));
	}
	words_tool_of_uri(&o->scratch, uri, &vendor, &server, &name);
	s->name = server.n ? ARENA_JOIN(&s->arena, STR("mcp__"), server, STR("__"), name) : arena_copy(&s->arena, name);
}

static void langsmith_add_call(struct writer *o, struct val record)
{
	struct str id = val_get_text(record, STR("call_id"), &o->scratch);
	struct span *s = langsmith_begin(o, record, "tool", id, 0);
	struct val args = val_get(record, STR("args"));
	const char *held[2] = { NULL };
	uint64_t *slot;
	bool added;

	langsmith_name_tool(o, s, val_get_text(record, STR("tool"), &o->scratch));
	s->inputs = langsmith_copy_json(s, record, "args");
	if (val_is(args, JSON_OBJECT))
		held[0] = "args";
	else
		s->inputs = ARENA_JOIN(&s->arena, STR("{\"input\":"), s->inputs.p ? s->inputs : STR("null"), STR("}"));
	langsmith_add_record(o, s, record, held);
	if (langsmith_is_of_step(o, record)) {
		struct buf *calls = &o->step->calls;

		buf_add_str(calls, calls->n ? STR(",{") : STR("{"));
		langsmith_put_text(calls, "name", s->name);
		langsmith_put_json(calls, "args", s->inputs);
		langsmith_put_text(calls, "id", id);
		langsmith_put_text(calls, "type", STR("tool_call"));
		buf_add_byte(calls, '}');
	}
	/* an id told twice, which the writer of OTUTL does not do, leaves the first one open */
	slot = map_add(&o->calls, id, &added);
	*slot = (uintptr_t)s;
	s->at = o->last;
	*o->last = s;
	o->last = &s->next;
}

/* A run of no length for what has no run: a cost or an error of the run, a result nobody waits for. */
static void langsmith_add_other(struct writer *o, struct val record)
{
	struct span *s = langsmith_begin(o, record, "chain", str_of(NULL, 0), 0);

	s->ended = true;
	s->name = langsmith_copy_text(s, record, "type");
	if (val_text_is(val_get(record, STR("type")), STR("error")))
		s->error = langsmith_copy_text(s, record, "message");
	langsmith_add_record(o, s, record, nothing_held);
	langsmith_put(o, s);
}

/* The result of a call, or the error in its place. */
static void langsmith_end_call(struct writer *o, struct val record, struct span *s)
{
	struct val result = val_get(record, STR("result"));
	const char *held[2] = { NULL };

	s->end = langsmith_time_of(o, record);
	s->end = s->end < s->start ? s->start : s->end;
	s->ended = true;
	if (!val_is_none(result)) {
		s->outputs = ARENA_JOIN(&s->arena, STR("{\"output\":"), val_source(result), STR("}"));
		held[0] = "result";
	}
	if (val_is(val_get(record, STR("is_error")), JSON_TRUE))
		s->error = val_is(result, JSON_STRING) ? val_text_copy(result, &s->arena) : STR("the call failed");
	if (val_text_is(val_get(record, STR("type")), STR("error")))
		s->error = langsmith_copy_text(s, record, "message");
	langsmith_add_record(o, s, record, held);
	*map_find(&o->calls, val_get_text(record, STR("call_id"), &o->scratch)) = 0;
	span_unlink(o, s);
	langsmith_put(o, s);
}

static void langsmith_end_run(struct writer *o, struct val record)
{
	struct span *s = o->root;
	struct val output = val_get(record, STR("output"));

	langsmith_put_step(o);
	s->end = langsmith_time_of(o, record);
	s->end = s->end < s->start ? s->start : s->end;
	s->ended = !val_text_is(val_get(record, STR("status")), STR("interrupted"));
	if (!val_is_none(output))
		s->outputs = ARENA_JOIN(&s->arena, STR("{\"output\":"), val_source(output), STR("}"));
	if (val_text_is(val_get(record, STR("status")), STR("error"))) {
		s->error = langsmith_copy_text(s, record, "reason");
		s->error = s->error.n ? s->error : STR("the run failed");
	}
	langsmith_add_record(o, s, record, nothing_held);
	langsmith_put(o, s);
	o->root = NULL;
}

/* A cost or an error of the step that is held goes with it; everything else ends the step's turn. */
static void langsmith_write_record(struct writer *o, struct val record)
{
	struct val type = val_get(record, STR("type"));
	bool error = val_text_is(type, STR("error"));
	bool answer = error || val_text_is(type, STR("tool_result"));
	struct span *call = answer ? langsmith_find_call(o, record, "call_id") : NULL;

	if (val_text_is(type, STR("run_start"))) {
		langsmith_begin_run(o, record);
	} else if (val_text_is(type, STR("run_end")) && o->root) {
		langsmith_end_run(o, record);
	} else if (val_text_is(type, STR("model_step"))) {
		langsmith_add_step(o, record);
	} else if (val_text_is(type, STR("tool_call"))) {
		if (!langsmith_is_of_step(o, record))
			langsmith_put_step(o);
		langsmith_add_call(o, record);
	} else if (call) {
		langsmith_put_step(o);
		langsmith_end_call(o, record, call);
	} else if (langsmith_is_of_step(o, record)) {
		if (error)
			o->step->error = langsmith_copy_text(o->step, record, "message");
		langsmith_add_record(o, o->step, record, nothing_held);
	} else {
		langsmith_add_other(o, record);
	}
}

/* The lines that the writer of OTUTL has given. */
static void langsmith_write_lines(struct writer *o)
{
	struct str left = buf_str(&o->lines);

	while (left.n) {
		struct val record = writing_parse(o->parser, str_cut(left, '\n', &left));

		arena_reset(&o->scratch);
		if (val_is(record, JSON_OBJECT))
			langsmith_write_record(o, record);
	}
	buf_clear(&o->lines);
}

static bool langsmith_write_event(void *writer, const struct event *e, struct err *err)
{
	struct writer *o = writer;

	o->inner.source_format = o->w->source_format;
	o->inner.source_sha256 = o->w->source_sha256;
	if (!otutl_write_ops.event(o->otutl, e, err))
		return false;
	langsmith_write_lines(o);
	return true;
}

static bool langsmith_write_end(void *writer, struct err *err)
{
	struct writer *o = writer;

	if (!otutl_write_ops.end(o->otutl, err))
		return false;
	langsmith_write_lines(o);
	langsmith_put_open(o);
	return true;
}

const struct write_ops langsmith_write_ops = {
	.cannot = "nothing: what LangSmith has no field for is kept in extra.metadata; chains of a LangSmith log come "
		  "back there, not as runs",
	.open = langsmith_write_open,
	.close = langsmith_write_close,
	.event = langsmith_write_event,
	.end = langsmith_write_end,
};
