/*
 * Events are read in order, with one exception: a tool's event tells call and result at once, and the result is put
 * back until its time, in a heap. Attachments are put in where they are named.
 */
#include "dialect/inspect/sample.h"

#include <assert.h>

#include "base/ascii.h"
#include "dialect/session/compaction.h"

#define NESTED 32 /* events within events; deeper ones stay as they are */

struct str inspect_look(struct inspect_sample *s, struct val v)
{
	return val_text_or_none(v, s->r->arena);
}

/* ---- attachments ---- */

/* Notes the texts that the sample keeps apart, by the names they are referred to. */
static void add_attachments(struct inspect_sample *s, struct val object, const char *scheme)
{
	struct val_iter it = val_begin(object);
	struct val key, v;
	bool added;

	if (!val_is(object, JSON_OBJECT))
		return;
	s->texts = arena_array(s->r->arena, struct val, val_count(object) + 1);
	while (val_next_member(&it, &key, &v)) {
		if (!val_is(v, JSON_STRING))
			continue;
		s->texts[s->text_count++] = v;
		*map_add(&s->attachments, ARENA_JOIN(s->r->arena, str_from(scheme), val_raw(key)), &added) =
			s->text_count;
	}
}

static struct val find_attachment(struct inspect_sample *s, struct str name)
{
	const uint64_t *place = map_find(&s->attachments, name);

	return place ? s->texts[*place - 1] : VAL_NONE;
}

struct str inspect_text(struct inspect_sample *s, struct str text)
{
	struct val v = text.n > 0 && s->text_count > 0 ? find_attachment(s, text) : VAL_NONE;

	return val_is_none(v) ? text : inspect_look(s, v);
}

/* A string that is nothing but the name of an attachment stands for it. Names of members are left alone. */
struct str inspect_resolve(struct inspect_sample *s, struct str json)
{
	struct str left = json, mark = STR("://");
	struct buf b = { 0 };
	size_t at;

	if (s->text_count == 0 || !str_has(json, mark))
		return json;
	while ((at = str_find(left, mark)) != (size_t)-1) {
		size_t from = at, to = at;
		struct val v = VAL_NONE;

		while (from > 0 && ascii_is_lower(left.p[from - 1]))
			from--;
		while (to < left.n && left.p[to] != '"' && left.p[to] != '\\')
			to++;
		if (from > 0 && left.p[from - 1] == '"' && to < left.n && left.p[to] == '"' &&
		    !(to + 1 < left.n && left.p[to + 1] == ':'))
			v = find_attachment(s, str_of(left.p + from, to - from));
		if (val_is_none(v)) {
			buf_add(&b, left.p, at + mark.n);
			left = str_of(left.p + at + mark.n, left.n - at - mark.n);
			continue;
		}
		buf_add(&b, left.p, from - 1);
		buf_add_str(&b, reading_quote(s->r, inspect_look(s, v)));
		left = str_of(left.p + to + 1, left.n - to - 1);
	}
	buf_add_str(&b, left);
	return arena_take(s->r->arena, &b);
}

struct str inspect_json(struct inspect_sample *s, struct event *e, const char *member, struct val v)
{
	struct str json = reading_json_of(s->r, e, member, v);

	return json.p ? inspect_resolve(s, json) : json;
}

/* ---- spans: which call an event happened in ---- */

/* The span of this id, made when it is new; NULL for an empty id. */
static struct inspect_span *span_of(struct inspect_sample *s, struct str id)
{
	bool added;
	uint64_t *slot;
	struct inspect_span *span;

	if (id.n == 0)
		return NULL;
	slot = map_add(&s->spans, id, &added);
	if (!added)
		return (struct inspect_span *)(uintptr_t)*slot;
	span = arena_new(s->r->arena, struct inspect_span);
	span->id = id;
	*slot = (uintptr_t)span;
	return span;
}

static bool is_event(struct val event, const char *name)
{
	struct val v = val_get(event, STR("event"));

	return val_text_is(v, str_from(name));
}

/*
 * Newer logs name the span of the agent that a tool started. In older ones the span of a tool stands just before
 * the tool's own event, beside it and with its name.
 */
static void learn_spans(struct inspect_sample *s, struct val events)
{
	struct val_iter it = val_begin(events);
	struct str tool_span = str_of(NULL, 0), tool_name = tool_span;
	struct val v;

	while (val_next(&it, &v)) {
		struct inspect_span *span;

		if (!val_is(v, JSON_OBJECT))
			continue;
		if (is_event(v, "span_begin")) {
			struct str type = inspect_look(s, val_get(v, STR("type")));

			span = span_of(s, inspect_look(s, val_get(v, STR("id"))));
			if (!span)
				continue;
			span->parent = inspect_look(s, val_get(v, STR("parent_id")));
			if (str_eq(type, STR("tool"))) {
				tool_span = span->id;
				tool_name = inspect_look(s, val_get(v, STR("name")));
			}
		} else if (is_event(v, "tool")) {
			struct str call = inspect_look(s, val_get(v, STR("id")));

			span = span_of(s, inspect_look(s, val_get(v, STR("agent_span_id"))));
			if (span)
				span->call = call;
			span = tool_span.p ? span_of(s, tool_span) : NULL;
			if (span && str_eq(tool_name, inspect_look(s, val_get(v, STR("function")))))
				span->call = call;
			tool_span = str_of(NULL, 0);
		}
	}
}

/* The innermost span around this one that is the inside of a call, itself included. */
static struct inspect_span *owner_of(struct inspect_sample *s, struct inspect_span *span)
{
	struct inspect_span *at = span;

	for (size_t depth = 0; at && !at->call.p && !at->looked && depth < 1000; depth++)
		at = at->parent.p ? span_of(s, at->parent) : NULL;
	at = at && !at->call.p ? at->owner : at;
	span->looked = true;
	span->owner = at;
	return at;
}

void inspect_place(struct inspect_sample *s, struct event *e, struct val event, struct str inside)
{
	struct inspect_span *span = span_of(s, inspect_look(s, val_get(event, STR("span_id"))));
	struct inspect_span *owner = span ? owner_of(s, span) : NULL;

	if (owner) {
		e->parent = owner->call;
		e->branch = owner->id;
	} else if (inside.p) {
		e->parent = e->branch = inside;
	}
}

/* ---- results, when their time has come ---- */

static bool is_before(const struct inspect_due *a, const struct inspect_due *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->order < b->order;
}

/* Adds to the heap of results that wait for their time. */
static void due_add(struct inspect_sample *s, struct inspect_due d)
{
	size_t i = s->due_count++;

	for (; i > 0 && is_before(&d, &s->due[(i - 1) / 2]); i = (i - 1) / 2)
		s->due[i] = s->due[(i - 1) / 2];
	s->due[i] = d;
}

/* Takes the earliest of them. */
static struct inspect_due due_take(struct inspect_sample *s)
{
	struct inspect_due first = s->due[0], last = s->due[--s->due_count];
	size_t i = 0, child;

	assert(s->due_count < SIZE_MAX); /* there was one to take */
	while ((child = 2 * i + 1) < s->due_count) {
		if (child + 1 < s->due_count && is_before(&s->due[child + 1], &s->due[child]))
			child++;
		if (!is_before(&s->due[child], &last))
			break;
		s->due[i] = s->due[child];
		i = child;
	}
	s->due[i] = last;
	return first;
}

/* The RESULT of a tool event; what it waited beyond its work is a stall. */
static void inspect_sample_read_result(struct inspect_sample *s, const struct inspect_due *d)
{
	struct val error = val_get(d->tool, STR("error"));
	struct event *e = reading_add(s->r, EVENT_RESULT);
	struct moment begun = reading_time_text(s->r, inspect_look(s, val_get(d->tool, STR("timestamp"))));
	double working;

	e->call = d->call;
	e->parent = d->parent;
	e->branch = d->branch;
	e->ts = reading_time(s->r, d->tool, STR("completed"));
	e->content = inspect_json(s, e, "result", val_get(d->tool, STR("result")));
	if (val_is(error, JSON_OBJECT) || val_is(val_get(d->tool, STR("failed")), JSON_TRUE))
		e->is_error = TRUTH_TRUE;
	if (e->ts.text.p && begun.text.p && e->ts.ns >= begun.ns) {
		e->duration_ms = AMOUNT((double)(e->ts.ns - begun.ns) / 1e6);
		if (val_double(val_get(d->tool, STR("working_time")), &working) && working >= 0 &&
		    working * 1000 < e->duration_ms.n)
			e->stall_ms = AMOUNT(e->duration_ms.n - working * 1000);
	}
	if (!val_is_none(error))
		reading_extra(s->r, e, STR("error"), inspect_json(s, e, "ext/inspect~11/error", error));
}

/* Everything that was over at this time; INT64_MAX for all. */
static void flush_due(struct inspect_sample *s, int64_t ns)
{
	while (s->due_count > 0 && s->due[0].ns <= ns) {
		struct inspect_due d = due_take(s);

		inspect_sample_read_result(s, &d);
	}
}

/* ---- events ---- */

/*
 * A tool event: the CALL now, and the RESULT when its time has come, so that events stay in the order in which they
 * happened.
 */
static void inspect_sample_read_tool(struct inspect_sample *s, struct val v, struct str inside)
{
	struct str id = inspect_look(s, val_get(v, STR("id")));
	const uint64_t *step = id.n ? map_find(&s->asked, id) : NULL;
	bool pending = val_is(val_get(v, STR("pending")), JSON_TRUE);
	struct val result = val_get(v, STR("result")), error = val_get(v, STR("error"));
	struct moment over = reading_time_text(s->r, inspect_look(s, val_get(v, STR("completed"))));
	struct event *e = reading_add(s->r, EVENT_CALL);
	struct inspect_due d = { .ns = over.text.p ? over.ns : INT64_MIN, .order = s->due_order++, .tool = v };

	e->call = reading_text(s->r, v, STR("id"));
	if (e->call.n == 0)
		e->call = arena_printf(s->r->arena, "tool-%llu", (unsigned long long)s->due_order);
	inspect_place(s, e, v, inside);
	e->step = step ? *(const struct str *)(uintptr_t)*step : str_of(NULL, 0);
	e->ts = reading_time(s->r, v, STR("timestamp"));
	e->tool = reading_text(s->r, v, STR("function"));
	e->args = inspect_json(s, e, "args", val_get(v, STR("arguments")));
	reading_take(s->r, val_get(v, STR("event")));
	d.call = e->call;
	d.parent = e->parent;
	d.branch = e->branch;
	map_add(&s->seen, ARENA_JOIN(s->r->arena, STR("result:"), e->call), &(bool){ false });
	/* What the result will hold must not be in the rest of the call. */
	if (!pending && (!val_is_none(result) || !val_is_none(error) || over.text.p)) {
		reading_take(s->r, result);
		reading_take(s->r, val_get(v, STR("completed")));
		reading_take(s->r, error);
		due_add(s, d);
	}
}

static struct figure inspect_sample_count(struct val object, struct str name)
{
	int64_t n;

	if (!val_i64(val_get(object, name), &n) || n < 0)
		return (struct figure){ .state = FIGURE_NULL };
	return FIGURE((uint64_t)n);
}

/* Any other event is kept whole. A limit that stopped the sample is remembered for its end. */
static void inspect_sample_read_note(struct inspect_sample *s, struct val v, struct str inside)
{
	struct event *e = reading_add(s->r, EVENT_NOTE);
	struct str name = inspect_look(s, val_get(v, STR("event")));
	bool repeats = is_event(v, "state") || is_event(v, "store") || is_event(v, "sample_init");
	struct event place = { 0 };

	inspect_place(s, &place, v, inside);
	e->parent = place.parent;
	e->role = name.n ? name : STR("event");
	e->ts = reading_time(s->r, v, STR("timestamp"));
	/* Changes of state repeat what messages and results say; their attachments stay names. */
	e->content = reading_json_of(s->r, e, "content", v);
	if (!repeats)
		e->content = inspect_resolve(s, e->content);
	if (is_event(v, "compaction"))
		compaction_add(s->r, e, (struct compaction){
						.trigger = inspect_look(s, val_get(v, STR("type"))),
						.before = inspect_sample_count(v, STR("tokens_before")),
						.after = inspect_sample_count(v, STR("tokens_after")),
					});
	if (is_event(v, "sample_limit"))
		s->limit = inspect_look(s, val_get(v, STR("type")));
}

/* An error of the evaluation, not of the model: class "harness". */
static void read_failure(struct inspect_sample *s, struct val v, struct str inside)
{
	struct event *e = reading_add(s->r, EVENT_ERROR);
	struct val error = val_get(v, STR("error"));

	inspect_place(s, e, v, inside);
	e->class = STR("harness");
	e->ts = reading_time(s->r, v, STR("timestamp"));
	e->text = reading_text(s->r, error, STR("message"));
	if (!e->text.p)
		e->text = STR("");
	reading_rest(s->r, e, v);
}

/* One event; true when it has others inside, which come next. */
static bool inspect_sample_read_event(struct inspect_sample *s, struct val v, struct str inside, bool may_nest)
{
	struct val nested = val_get(v, STR("events"));
	struct moment at = reading_time_text(s->r, inspect_look(s, val_get(v, STR("timestamp"))));
	bool nests = may_nest && val_is(nested, JSON_ARRAY) && val_count(nested) > 0;

	flush_due(s, at.text.p ? at.ns : INT64_MAX);
	if (is_event(v, "model")) {
		inspect_read_model(s, v, inside);
		return false;
	}
	if (is_event(v, "tool")) {
		size_t place = s->r->count;

		inspect_sample_read_tool(s, v, inside);
		if (!nests)
			reading_rest(s->r, &s->r->events[place], v);
		return nests;
	}
	if (is_event(v, "error")) {
		read_failure(s, v, inside);
		return false;
	}
	inspect_sample_read_note(s, v, inside);
	return false;
}

/* Old logs have the events of a tool inside the tool's: a stack, since they may have some too. */
static void read_events(struct inspect_sample *s, struct val events)
{
	struct { struct val_iter it; struct str inside; size_t call; struct val owner; } open[NESTED];
	size_t depth = 1;
	struct val v;

	open[0].it = val_begin(events);
	open[0].inside = str_of(NULL, 0);
	while (depth > 0) {
		size_t at = s->r->count;

		if (!val_next(&open[depth - 1].it, &v)) {
			if (--depth > 0)
				reading_rest(s->r, &s->r->events[open[depth].call], open[depth].owner);
			continue;
		}
		if (!val_is(v, JSON_OBJECT) ||
		    !inspect_sample_read_event(s, v, open[depth - 1].inside, depth < NESTED))
			continue;
		while (s->r->events[at].kind != EVENT_CALL) /* results whose time had come stand before it */
			at++;
		open[depth].it = val_begin(val_get(v, STR("events")));
		open[depth].inside = s->r->events[at].call;
		open[depth].call = at;
		open[depth++].owner = v;
	}
	flush_due(s, INT64_MAX);
}

static size_t count_events(struct val events)
{
	return (val_end(events) - events.at) / 3; /* nested ones too; each has three tokens at least */
}

/* ---- the sample ---- */

/* Messages that inputs refer to, by number. */
static void list_pool(struct inspect_sample *s)
{
	struct val pool = val_at(s->v, STR("/events_data/messages")), v;
	struct val_iter it;

	if (val_is_none(pool))
		pool = val_get(s->v, STR("message_pool"));
	if (!val_is(pool, JSON_ARRAY))
		return;
	s->pool = arena_array(s->r->arena, struct val, val_count(pool) + 1);
	for (it = val_begin(pool); val_next(&it, &v);)
		s->pool[s->pool_count++] = v;
	s->pool_budget = 64 * s->pool_count + 4096;
}

/* A sample without events: its messages are all there is, and its usage is a total. */
static void read_messages(struct inspect_sample *s)
{
	struct val messages = val_get(s->v, STR("messages")), usage = val_get(s->v, STR("model_usage")), v, key;
	struct val_iter it = val_begin(messages), models = val_begin(usage);

	while (val_is(messages, JSON_ARRAY) && val_next(&it, &v))
		inspect_read_message(s, v, true);
	while (val_is(usage, JSON_OBJECT) && val_next_member(&models, &key, &v)) {
		struct event *e;

		if (!val_is(v, JSON_OBJECT))
			continue;
		e = reading_add(s->r, EVENT_COST);
		e->scope = STR("run");
		e->flags = EVENT_TOTAL;
		e->model = val_text(key, s->r->arena);
		inspect_read_usage(s->r, v, e);
	}
}

/* Messages at the end repeat what events told; what they did not stays. */
static void take_messages(struct inspect_sample *s)
{
	struct val messages = val_get(s->v, STR("messages"));

	VALUES_EACH(v, messages) {
		struct str id = val_is(v, JSON_OBJECT) ? inspect_look(s, val_get(v, STR("id"))) : str_of(NULL, 0);
		struct str call = val_is(v, JSON_OBJECT) ? inspect_look(s, val_get(v, STR("tool_call_id"))) : id;
		struct hash h = str_hash_wide(val_source(v));

		if ((id.n && map_find(&s->seen, id)) || map_find(&s->seen, str_of(&h, sizeof(h))) ||
		    (call.n && map_find(&s->seen, ARENA_JOIN(s->r->arena, STR("result:"), call))))
			reading_take(s->r, v);
	}
}

/* RUN_START of the sample; its own members are kept as extras, with attachments put in. */
static void begin_sample(struct inspect_sample *s)
{
	static const char *const names[] = { "id", "epoch", "input", "choices", "target", "metadata", "sandbox",
					     "files", "setup" };
	struct reading *r = s->r;
	struct val id = val_get(s->v, STR("id")), epoch = val_get(s->v, STR("epoch"));
	struct event *e = reading_add(r, EVENT_RUN_START);
	struct inspect_hint *h = arena_new(r->arena, struct inspect_hint);

	e->vendor = STR("inspect");
	e->agent = STR("inspect");
	e->run = reading_text(r, s->v, STR("uuid"));
	h->sample = arena_printf(r->arena, "%.*s/%.*s", STR_ARG(val_is_none(id) ? STR("") :
				 val_is(id, JSON_STRING) ? inspect_look(s, id) : val_source(id)),
				 STR_ARG(val_is_none(epoch) ? STR("") : val_source(epoch)));
	e->hint = h;
	e->ts = reading_time(r, s->v, STR("started_at"));
	for (size_t i = 0; i < COUNT(names); i++) {
		struct val v = val_get(s->v, str_from(names[i]));

		if (!val_is_none(v))
			reading_extra(r, e, str_from(names[i]), inspect_json(s, e, arena_printf(r->arena,
				      "ext/inspect~11/%s", names[i]).p, v));
	}
}

/* For samples that do not say when they began: the first event that has a time. Derived, or none at all. */
static struct moment inspect_sample_first_time(struct inspect_sample *s, struct val events)
{
	struct val_iter it = val_begin(events);
	struct moment m = { 0 };
	struct val v;

	while (!m.text.p && val_is(events, JSON_ARRAY) && val_next(&it, &v))
		if (val_is(v, JSON_OBJECT))
			m = reading_time_text(s->r, inspect_look(s, val_get(v, STR("timestamp"))));
	m.source = m.text.p ? MOMENT_DERIVED : MOMENT_NONE;
	return m;
}

/* RUN_END: an error counts more than a limit, a limit more than success. */
static void end_sample(struct inspect_sample *s)
{
	struct val error = val_get(s->v, STR("error")), limit = val_get(s->v, STR("limit"));
	struct val content = val_at(s->v, STR("/output/choices/0/message/content"));
	struct event *e = reading_add(s->r, EVENT_RUN_END);
	struct str type = inspect_look(s, val_get(limit, STR("type")));

	e->ts = reading_time(s->r, s->v, STR("completed_at"));
	e->status = STATUS_SUCCESS;
	if (type.n || s->limit.n) {
		e->status = STATUS_INTERRUPTED;
		e->reason = arena_printf(s->r->arena, "limit: %.*s", STR_ARG(type.n ? type : s->limit));
	}
	if (val_is(error, JSON_OBJECT)) {
		e->status = STATUS_ERROR;
		e->reason = inspect_look(s, val_get(error, STR("message")));
	}
	e->output = val_is_none(content) ? str_of(NULL, 0) : inspect_json(s, e, "output", content);
	reading_rest(s->r, e, s->v);
}

/*
 * Events where there are some, else messages. Messages that events told are marked at the end, so that they are not
 * kept twice.
 */
void inspect_read_sample(struct reading *r, struct val v)
{
	struct inspect_sample s = { .r = r, .v = v, .start = r->count };
	struct val events = val_get(v, STR("events")), transcript = val_get(v, STR("transcript"));
	bool has_events;

	map_init(&s.attachments, r->arena);
	map_init(&s.seen, r->arena);
	map_init(&s.asked, r->arena);
	map_init(&s.steps, r->arena);
	map_init(&s.spans, r->arena);
	add_attachments(&s, val_get(v, STR("attachments")), "attachment://");
	if (!val_is(events, JSON_ARRAY) && val_is(transcript, JSON_OBJECT)) { /* until the middle of 2024 */
		events = val_get(transcript, STR("events"));
		if (s.text_count == 0)
			add_attachments(&s, val_get(transcript, STR("content")), "tc://");
	}
	list_pool(&s);
	has_events = val_is(events, JSON_ARRAY) && val_count(events) > 0;
	begin_sample(&s);
	if (!r->events[s.start].ts.text.p)
		r->events[s.start].ts = inspect_sample_first_time(&s, events);
	if (has_events) {
		s.due = arena_array(r->arena, struct inspect_due, count_events(events) + 1);
		learn_spans(&s, events);
		read_events(&s, events);
		take_messages(&s);
	} else {
		read_messages(&s);
	}
	end_sample(&s);
}
