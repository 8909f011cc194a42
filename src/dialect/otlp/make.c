/*
 * Runs and calls as spans. A call is held until its result comes, a step until its calls have (make_step.c), the root
 * until the end; every other event is an event of the root.
 */
#include "dialect/otlp/make.h"

#include "dialect/otlp/give.h"
#include "dialect/otlp/make_private.h"
#include "dialect/otlp/names.h"
#include "dialect/otlp/own.h"
#include "dialect/otlp/part.h"
#include "dialect/otlp/provider.h"
#include "dialect/otlp/put.h"
#include "dialect/otutl/convert.h"
#include "json/text.h"
#include "model/assemble.h"
#include "model/words.h"

#define SCHEMA "https://opentelemetry.io/schemas/1.41.0"

struct otlp_make *otlp_make_open(struct losses *losses, void (*span)(void *context, struct str json), void *context)
{
	struct otlp_make *m = mem_alloc(sizeof(*m));

	*m = (struct otlp_make){ .losses = losses, .span = span, .context = context };
	m->parser = json_parser_open((struct json_options){ .allow_duplicates = true });
	arena_init(&m->run);
	arena_init(&m->all);
	map_init(&m->runs, &m->all);
	return m;
}

static void free_slots(struct otlp_make *m)
{
	for (size_t i = 0; i < m->slot_count; i++) {
		arena_free(&m->slots[i]->arena);
		mem_free(m->slots[i]);
	}
	m->slot_count = m->free = 0;
}

static void otlp_make_free_results(struct otlp_make *m)
{
	while (m->result_count)
		buf_free(&m->results[--m->result_count]);
}

void otlp_make_close(struct otlp_make *m)
{
	free_slots(m);
	otlp_make_free_results(m);
	mem_free(m->results);
	mem_free(m->ranges);
	otlp_make_forget_steps(m);
	json_parser_close(m->parser);
	mem_free(m->slots);
	arena_free(&m->run);
	arena_free(&m->all);
	buf_free(&m->input);
	buf_free(&m->events);
	buf_free(&m->text);
	mem_free(m);
}

/* ---- messages ---- */

static void otlp_make_add_member(struct buf *out, const char *name, struct str text)
{
	if (!text.p)
		return;
	otlp_put_raw(out, ",\"");
	otlp_put_raw(out, name);
	otlp_put_raw(out, "\":");
	text_quote(out, text);
}

/* The parts of a message. Gives what it was, unless that was a list: "single" (a text), "json", "null" or "none". */
static const char *otlp_make_parts(struct otlp_make *m, struct str content)
{
	bool list = content.n && content.p[0] == '[', null = str_eq(content, STR("null"));
	struct val v = list ? writing_parse(m->parser, content) : VAL_NONE, part;
	struct val_iter it = val_begin(v);
	struct buf *out = &m->input;

	buf_add_byte(out, '[');
	while (list && val_next(&it, &part)) {
		if (out->p[out->n - 1] != '[')
			buf_add_byte(out, ',');
		otlp_part_put(out, part);
	}
	if (content.n && !list && !null) {
		otlp_put_raw(out, "{\"content\":");
		if (content.p[0] == '"')
			buf_add_str(out, content);
		else
			text_quote(out, content);
		otlp_put_raw(out, ",\"type\":\"text\"}");
	}
	buf_add_byte(out, ']');
	return list ? NULL : !content.p ? "none" : null ? "null" : content.p[0] == '"' ? "single" : "json";
}

/* The conventions want a list of parts: what it was before is said beside it. */
static void otlp_make_on_message(struct otlp_make *m, const struct event *e)
{
	const char *source = e->ts.source == MOMENT_NONE ? NULL : otutl_moment_sources[e->ts.source], *was;

	otlp_make_end_told_steps(m);
	otlp_put_raw(&m->input, m->input.n ? ",{\"parts\":" : "[{\"parts\":");
	was = otlp_make_parts(m, e->content);
	otlp_put_raw(&m->input, ",\"role\":");
	text_quote(&m->input, e->role.p ? e->role : STR("user"));
	otlp_make_add_member(&m->input, "trackway.branch", e->branch);
	otlp_make_add_member(&m->input, "trackway.call", e->call);
	if (was)
		otlp_make_add_member(&m->input, "trackway.content", str_from(was));
	otlp_make_add_member(&m->input, "trackway.step", e->step);
	if (e->ts.ns > 0)
		buf_printf(&m->input, ",\"trackway.time\":\"%lld\"", (long long)e->ts.ns);
	if (e->ts.ns > 0 && source)
		otlp_make_add_member(&m->input, "trackway.time_source", str_from(source));
	otlp_put_raw(&m->input, "}");
}

/* ---- calls ---- */

/* A free slot, the last one freed first, or a new one. Its arena is ready; slots keep their address for the run. */
static struct open_call *free_slot(struct otlp_make *m, size_t *number)
{
	struct open_call *c;

	if (m->free) {
		*number = m->free - 1;
		m->free = m->slots[*number]->next;
		return m->slots[*number];
	}
	*number = m->slot_count;
	mem_grow(m->slots, m->slot_count, m->slot_cap, 16);
	c = m->slots[m->slot_count++] = mem_alloc(sizeof(*c));
	c->number = *number;
	arena_init(&c->arena);
	return c;
}

/* A call that has the id of an open one hides it: that one gets no result and ends with the run. */
static void otlp_make_on_call(struct otlp_make *m, const struct event *e)
{
	struct otlp_range *around;
	struct open_call *c;
	size_t number;
	bool added;

	otlp_make_asked(m, e);
	c = free_slot(m, &number);
	arena_reset(&c->arena);
	c->e = event_copy(&c->arena, e);
	c->seq = m->seq;
	c->end = NULL;
	c->range = otlp_make_range_add(m, e->call, e->ts.ns);
	m->ranges[c->range].slot = number;
	otlp_make_widen(m, e->parent, e->ts.ns, e->ts.ns);
	around = otlp_make_range_of(m, e->parent);
	c->around = around && !around->done && around != &m->ranges[c->range] ? (size_t)(around - m->ranges) + 1 : 0;
	if (c->around)
		around->open++;
	*map_add(&m->calls, e->call, &added) = number + 1;
}

/* The open call of this id, or NULL. A slot may have another call by now, so the id is compared. */
static struct open_call *otlp_make_find_call(struct otlp_make *m, struct str id)
{
	const uint64_t *slot = id.n ? map_find(&m->calls, id) : NULL;

	struct open_call *c = slot && *slot ? m->slots[*slot - 1] : NULL;

	return c && c->e && !c->end && str_eq(c->e->call, id) ? c : NULL;
}

static void otlp_make_put_tool(struct otlp_make *m, struct arena *a, const struct event *call, struct str server,
			       struct str name)
{
	bool external = words_tool_is_external(name, server.n > 0);

	otlp_put_text(&m->text, OTLP_RELEASED(TOOL), name);
	otlp_put_text(&m->text, OTLP_RELEASED(TOOL_CALL), call->call);
	otlp_put_text(&m->text, OTLP_RELEASED(TOOL_TYPE), external ? STR("extension") : STR("function"));
	otlp_put_text(&m->text, STR("mcp.server.name"), server);
	if (call->args.p && !(call->flags & EVENT_WITHHELD))
		otlp_put_text(&m->text, OTLP_RELEASED(ARGS),
			 call->flags & EVENT_RAW_ARGS ? writing_plain(a, call->args) : call->args);
	otlp_own_put(&m->text, call);
}

/* `end` is that of the span, which may be told by how long the call took. */
static void otlp_make_put_result(struct otlp_make *m, const struct open_call *c, struct arena *a, int64_t end)
{
	const struct event *e = c->end;

	otlp_put_count(&m->text, STR("trackway.result.seq"), FIGURE(c->end_seq));
	otlp_make_other_time(m, "trackway.result.time", e->ts.ns, end);
	if (e->content.p) {
		otlp_put_text(&m->text, OTLP_RELEASED(RESULT), writing_plain(a, e->content));
		if (e->content.p[0] != '"')
			otlp_put_text(&m->text, STR("trackway.result.encoding"), STR("json"));
	}
	otlp_own_put(&m->text, e);
	if (e->is_error == TRUTH_TRUE)
		otlp_put_text(&m->text, OTLP_RELEASED(ERROR), STR("tool_error"));
	if (e->chunks.p)
		losses_add(m->losses, "tool_result.chunks");
}

/* By how long the call took, if its result tells and it is less than 1e12 ms; else when the result came. */
static int64_t end_of_call(const struct event *call, const struct event *e)
{
	bool told = e && amount_is_known(e->duration_ms) && e->duration_ms.n >= 0 && e->duration_ms.n < 1e12;

	if (told)
		return call->ts.ns + (int64_t)(e->duration_ms.n * 1e6);
	return e ? e->ts.ns : call->ts.ns;
}

/* The span of a call that ended then: as wide as what is inside it. What the call is inside of is no narrower. */
static struct otlp_range otlp_make_close_range(struct otlp_make *m, const struct open_call *c, int64_t end)
{
	struct otlp_range *range = &m->ranges[c->range], at;

	if (end > range->to)
		range->to = end;
	range->done = true;
	at = *range;
	otlp_make_widen(m, c->e->parent, at.from, at.to);
	return at;
}

/* With its result, or with an error in its place, or with neither. */
static void otlp_make_put_call(struct otlp_make *m, struct open_call *c)
{
	const struct event *call = c->e;
	const struct event *result = c->end && c->end->kind == EVENT_RESULT ? c->end : NULL;
	const struct event *error = result ? NULL : c->end;
	struct arena *a = &c->arena;
	struct otlp_range at = otlp_make_close_range(m, c, end_of_call(call, c->end));
	struct str vendor, server, name, parent;
	bool moved;

	words_tool_of_uri(a, call->tool, &vendor, &server, &name);
	parent = otlp_make_parent(m, a, call->parent, at.from, at.to, &moved);
	otlp_make_ids(m, otlp_make_call_name(a, call->call), parent);
	otlp_make_name(m, "execute_tool", name);
	otlp_make_times(m, "1", at.from, at.to);
	otlp_make_common(m, "execute_tool", "TOOL", c->seq);
	otlp_make_other_time(m, "trackway.call.time", call->ts.ns, at.from);
	if (moved)
		otlp_put_text(&m->text, STR("trackway.parent"), call->parent);
	otlp_make_put_tool(m, a, call, call->server.n ? call->server : server, name);
	if (result)
		otlp_make_put_result(m, c, a, at.to);
	else if (error)
		otlp_put_text(&m->text, OTLP_RELEASED(ERROR), error->code.n ? error->code : STR("tool_error"));
	otlp_make_end(m, error || (result && result->is_error == TRUTH_TRUE), error ? error->text : str_of(NULL, 0));
	c->e = NULL;
	c->next = m->free;
	m->free = c->number + 1;
	arena_reset(a);
}

/*
 * The call has ended. Its span is given away when no call inside it is open; then that may be true of the one around
 * it, too.
 */
static void otlp_make_end_call(struct otlp_make *m, struct open_call *c, const struct event *e)
{
	struct otlp_range *range = &m->ranges[c->range];

	c->end = event_copy(&c->arena, e);
	c->end_seq = m->seq;
	otlp_make_widen(m, c->e->parent, range->from, end_of_call(c->e, e));
	while (c && c->end && m->ranges[c->range].open == 0) {
		struct otlp_range *around = c->around ? &m->ranges[c->around - 1] : NULL;

		otlp_make_put_call(m, c);
		c = around && !around->done ? m->slots[around->slot] : NULL;
		if (c)
			around->open--;
	}
}

/* ---- the rest of a run ---- */

/* What is no span is an event of the root. */
static void begin_event(struct otlp_make *m, const struct event *e, const char *name)
{
	otlp_put_raw(&m->events, m->events.n ? ",{" : "{");
	if (e->ts.ns > 0)
		buf_printf(&m->events, "\"timeUnixNano\":\"%lld\",", (long long)e->ts.ns);
	otlp_put_raw(&m->events, "\"name\":\"");
	otlp_put_raw(&m->events, name);
	otlp_put_raw(&m->events, "\",\"attributes\":[");
	otlp_put_count(&m->events, STR("trackway.seq"), FIGURE(m->seq));
}

/* An error of an open call ends it and is also an event of the root, so that it comes back as an error. */
static void otlp_make_on_error(struct otlp_make *m, const struct event *e)
{
	struct open_call *c = otlp_make_find_call(m, e->call);

	otlp_make_end_told_steps(m);
	if (c)
		otlp_make_end_call(m, c, e);
	begin_event(m, e, "exception");
	otlp_put_text(&m->events, STR("exception.type"), e->code.n ? e->code : e->class.n ? e->class : STR("_OTHER"));
	otlp_put_text(&m->events, STR("exception.message"), e->text);
	otlp_own_put(&m->events, e);
	otlp_put_raw(&m->events, "]}");
}

/* Any other cost is an event of the root; those of more than a step are also the tokens of the root itself. */
static void otlp_make_on_cost(struct otlp_make *m, const struct event *e)
{
	if (otlp_make_step_cost(m, e))
		return;
	if (!str_eq(e->scope, STR("step")))
		usage_add(&m->total, &e->usage);
	begin_event(m, e, "trackway.cost");
	otlp_own_put(&m->events, e);
	otlp_put_raw(&m->events, "]}");
}

static void otlp_make_on_result(struct otlp_make *m, const struct event *e)
{
	struct open_call *c = otlp_make_find_call(m, e->call);

	otlp_make_end_told_steps(m);
	if (!c) {
		losses_add(m->losses, "results of calls that had ended");
		return;
	}
	otlp_make_told_result(m, c->e, e);
	otlp_make_end_call(m, c, e);
}

/* Every run is a trace of its own: one that would have the id of another gets a number. */
static struct id claim_trace(struct otlp_make *m, const struct event *e)
{
	struct id first = writing_id_of(e), id = first;
	bool added;
	uint64_t n = ++*map_add(&m->runs, str_of(first.b, sizeof(first.b)), &added);

	for (; !added; n++) {
		struct str name = arena_printf(&m->run, "%.*s#%llu", STR_ARG(e->run), (unsigned long long)n);

		id = writing_run_id(e->vendor, name, writing_first_ns(e));
		*map_add(&m->runs, str_of(id.b, sizeof(id.b)), &added) += 1;
		*map_find(&m->runs, str_of(first.b, sizeof(first.b))) = n;
	}
	return id;
}

/* Forgets the run before: what it left open is gone. The maker's owner ends runs that break off. */
static void otlp_make_on_start(struct otlp_make *m, const struct event *e)
{
	arena_reset(&m->run);
	map_init(&m->calls, &m->run);
	map_init(&m->ranged, &m->run);
	map_init(&m->branches, &m->run);
	free_slots(m);
	otlp_make_free_results(m);
	m->range_count = 0;
	m->start = event_copy(&m->run, e);
	otlp_make_forget_steps(m);
	m->steps = 0;
	m->seq = 0;
	m->total = (struct usage){ 0 };
	m->first = e->ts.ns;
	m->last = e->ts.ns;
	buf_clear(&m->input);
	buf_clear(&m->events);
	m->run_id = claim_trace(m, e);
}

/* The tools that were offered. */
static void otlp_make_put_offered(struct otlp_make *m, struct str tools)
{
	struct buf text = { 0 };

	if (!tools.p)
		return;
	otlp_tools_put(&text, writing_parse(m->parser, tools));
	otlp_put_text(&m->text, OTLP_RELEASED(TOOLS), buf_str(&text));
	buf_free(&text);
}

/* Ends what is open and gives the root span away: what start and end say, messages without a step, and the events. */
static void otlp_make_on_end(struct otlp_make *m, const struct event *e)
{
	const struct event *s = m->start;
	bool failed = e->status == STATUS_ERROR;

	otlp_make_end_steps(m);
	for (size_t i = 0; i < m->slot_count; i++)
		if (m->slots[i]->e)
			otlp_make_put_call(m, m->slots[i]);
	otlp_make_ids(m, STR("root"), str_of(NULL, 0));
	otlp_make_name(m, "invoke_agent", s ? s->agent : str_of(NULL, 0));
	otlp_make_times(m, "1", m->first, m->last);
	otlp_make_common(m, "invoke_agent", "AGENT", 0);
	otlp_put_text(&m->text, OTLP_RELEASED(PROVIDER), otlp_make_provider(m, NULL));
	if (s) {
		otlp_put_text(&m->text, OTLP_RELEASED(AGENT), s->agent);
		otlp_put_text(&m->text, OTLP_RELEASED(AGENT_VERSION), s->agent_version);
		otlp_put_text(&m->text, OTLP_RELEASED(REQUEST_MODEL), s->model);
		otlp_make_put_offered(m, s->tools);
		otlp_make_other_time(m, "trackway.start.time", s->ts.ns, m->first);
		otlp_own_put(&m->text, s);
	}
	otlp_make_usage(m, &m->total);
	otlp_make_other_time(m, "trackway.end.time", e->ts.ns, m->last);
	otlp_own_put(&m->text, e);
	otlp_make_input(m, &m->input); /* messages that no step followed */
	if (failed)
		otlp_put_text(&m->text, OTLP_RELEASED(ERROR), STR("_OTHER"));
	if (m->events.n) {
		otlp_put_raw(&m->text, "],\"events\":[");
		buf_add_str(&m->text, buf_str(&m->events));
	}
	otlp_make_end(m, failed, str_of(NULL, 0));
}

/* A member that is empty says that the record has none of that name: nothing to lose. */
static void count_losses(struct otlp_make *m, const struct event *e)
{
	for (const struct extra *x = e->extras; x; x = x->next) {
		if (!x->member && str_eq(x->key, STR("trackway/1")))
			continue;
		if (!x->member)
			losses_add(m->losses, "extensions (ext)");
		else if (x->json.n && !str_eq(x->key, STR("run_id")) && !str_eq(x->key, STR("seq")))
			losses_add(m->losses, "members of a record beyond OTUTL's");
	}
	if (e->kind == EVENT_NOTE)
		losses_add(m->losses, "notes");
}

/* Notes have no place in a trace. */
static void (*const otlp_make_on[EVENT_KINDS])(struct otlp_make *, const struct event *) = {
	[EVENT_RUN_START] = otlp_make_on_start, [EVENT_MESSAGE] = otlp_make_on_message,
	[EVENT_STEP] = otlp_make_step,          [EVENT_CALL] = otlp_make_on_call,
	[EVENT_RESULT] = otlp_make_on_result,   [EVENT_COST] = otlp_make_on_cost,
	[EVENT_ERROR] = otlp_make_on_error,     [EVENT_RUN_END] = otlp_make_on_end,
};

void otlp_make_event(struct otlp_make *m, const struct event *e)
{
	count_losses(m, e);
	m->seq++;
	if (e->ts.ns > m->last)
		m->last = e->ts.ns;
	if (m->first <= 0 || (e->ts.ns > 0 && e->ts.ns < m->first))
		m->first = e->ts.ns;
	if (otlp_make_on[e->kind])
		otlp_make_on[e->kind](m, e);
}

void otlp_make_context(const struct otlp_make *m, struct buf *out)
{
	const struct event *s = m->start;

	otlp_put_raw(out, "{\"resource\":{\"attributes\":[");
	otlp_put_text(out, OTLP_RELEASED(SERVICE),
		      s && s->agent.n ? s->agent : s && s->vendor.n ? s->vendor : STR("unknown"));
	otlp_put_raw(out, "]},\"schemaUrl\":\"" SCHEMA "\",\"scopeSpans\":[{\"scope\":{\"name\":\"trackway\"},");
	otlp_put_raw(out, "\"schemaUrl\":\"" SCHEMA "\",\"spans\":[");
}
