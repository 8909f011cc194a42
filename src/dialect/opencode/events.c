/*
 * Event logs of opencode. A line is an event, {"type","properties"}, bare or inside what a plugin wrote around it:
 * ["event",{"event":{...}}], and ["chat.message",...] for what hooks were given. Messages and parts are told at each
 * change, the last time whole. A sub-agent is a session of its own that a call of "task" started: a branch of the run.
 */
#include "base/map.h"
#include "dialect/opencode/opencode.h"
#include "dialect/record/field.h"
#include "dialect/session/told.h"
#include "model/assemble.h"

/* ---- lines ---- */

/* The event inside a line; *hook gets the name of a hook where it is one, and then the value is what it was given. */
static struct val opencode_event_of(struct val v, struct val *hook)
{
	struct val_iter it = val_begin(v);
	struct val name, given;

	*hook = VAL_NONE;
	if (val_is(v, JSON_OBJECT))
		return val_is(val_get(v, STR("payload")), JSON_OBJECT) ? val_get(v, STR("payload")) : v;
	if (!val_is(v, JSON_ARRAY) || !val_next(&it, &name) || !val_is(name, JSON_STRING) || !val_next(&it, &given))
		return VAL_NONE;
	if (val_text_is(name, STR("event")))
		return val_get(given, STR("event"));
	*hook = name;
	return given;
}

static struct str opencode_session_of(struct reading *r, struct val properties)
{
	static const struct str paths[] = { WORD("/sessionID"), WORD("/part/sessionID"), WORD("/info/sessionID"),
					    WORD("/info/id") };

	for (size_t i = 0; i < COUNT(paths); i++) {
		struct val v = val_at(properties, paths[i]);

		if (val_is(v, JSON_STRING))
			return val_text(v, r->arena);
	}
	return str_of(NULL, 0);
}

static void opencode_read_changed_part(struct opencode_place *x, struct val properties)
{
	struct val part = val_get(properties, STR("part")), type = val_get(part, STR("type"));
	struct val time = val_get(part, STR("time"));
	bool said = val_text_is(type, STR("text")) || val_text_is(type, STR("reasoning"));
	struct event *e;

	x->step = x->message = text_or_none(val_get_text(part, STR("messageID"), x->r->arena));
	x->ts = told_time(x->r, properties, STR("time"));
	if (said && val_is(time, JSON_OBJECT) && !val_has(time, STR("end"))) {
		reading_drop(x->r, part); /* told again when it has ended */
	} else if (said && !val_is(time, JSON_OBJECT)) { /* only what a model says takes time */
		x->hint->message = x->message;
		e = opencode_add(x, EVENT_MESSAGE);
		e->role = STR("user");
		e->content = reading_json(x->r, e, "content", part, STR("text"));
		reading_rest_under(x->r, e, part, STR("part"));
	} else {
		opencode_read_part(x, part);
	}
}

static void opencode_read_run(struct opencode_place *x, struct val info)
{
	struct event *e = opencode_add(x, EVENT_RUN_START);

	e->run = x->hint->session;
	e->agent = STR("opencode");
	e->agent_version = reading_text(x->r, info, STR("version"));
	e->ts = told_time(x->r, val_get(info, STR("time")), STR("created"));
	reading_rest_under(x->r, e, info, STR("info"));
}

static void opencode_read_properties(struct opencode_place *x, struct str type, struct val properties)
{
	struct val info = val_get(properties, STR("info"));
	bool answer = val_text_is(val_get(info, STR("role")), STR("assistant"));

	if (str_eq(type, STR("message.part.updated")) && val_is(val_get(properties, STR("part")), JSON_OBJECT)) {
		opencode_read_changed_part(x, properties);
	} else if (str_eq(type, STR("message.part.delta"))) {
		reading_drop(x->r, properties); /* told again, whole */
	} else if (str_eq(type, STR("message.updated")) && answer) {
		x->step = x->message = text_or_none(val_get_text(info, STR("id"), x->r->arena));
		opencode_read_info(x, info);
	} else if (str_eq(type, STR("session.created")) && !val_has(info, STR("parentID"))) {
		opencode_read_run(x, info);
	} else {
		told_note(x->r, type, told_time(x->r, properties, STR("time")), properties)->hint = x->hint;
	}
}

void opencode_read_event(struct reading *r, struct val v)
{
	struct opencode_hint *h = arena_new(r->arena, struct opencode_hint);
	struct val hook, event = opencode_event_of(v, &hook), properties = val_get(event, STR("properties")), given;
	struct opencode_place x = { .r = r, .hint = h };
	size_t at = r->count;

	*h = (struct opencode_hint){ .whole = false };
	if (val_is(hook, JSON_STRING)) {
		h->session = opencode_session_of(r, event);
		given = val_at(v, STR("/2"));
		if (val_text_is(hook, STR("chat.message")) && val_is(val_get(given, STR("parts")), JSON_ARRAY)) {
			h->whole = true;
			h->message = val_get_text(val_get(given, STR("message")), STR("id"), r->arena);
			reading_take(r, hook);
			reading_take(r, event); /* the message has all of it */
			opencode_read_given(&x, val_get(given, STR("message")), val_get(given, STR("parts")));
		} else {
			told_note(r, val_text(hook, r->arena), x.ts, v)->hint = h;
		}
	} else if (val_is(properties, JSON_OBJECT)) {
		h->session = opencode_session_of(r, properties);
		opencode_read_properties(&x, val_get_text(event, STR("type"), r->arena), properties);
		reading_take(r, val_get(event, STR("type")));
		reading_take(r, val_get(properties, STR("sessionID")));
		if (val_is(v, JSON_ARRAY))
			reading_take(r, values_first(v));
	} else {
		reading_add_unknown(r, v);
	}
	if (r->count > at)
		reading_rest(r, &r->events[at], v);
	else
		reading_drop(r, v);
}

int opencode_event_fits(struct val v)
{
	static const struct str words[] = { WORD("message.part.updated"), WORD("message.part.delta"),
					    WORD("message.updated"), WORD("session.created"),
					    WORD("session.updated"), WORD("session.status"), WORD("session.idle") };
	struct val hook, event = opencode_event_of(v, &hook), properties = val_get(event, STR("properties"));

	if (val_is(hook, JSON_STRING))
		return val_text_is(hook, STR("chat.message")) && val_has(event, STR("sessionID")) ? 80 : 0;
	return val_is(properties, JSON_OBJECT) && values_is_word(val_get(event, STR("type")), words, COUNT(words)) &&
	       (val_has(properties, STR("sessionID")) || val_has(properties, STR("info")) ||
		val_has(properties, STR("part"))) ? 92 : 0;
}

/* ---- the fold ---- */

struct opencode_fold {
	struct arena arena;
	struct map calls;    /* session of a sub-agent to the call that started it, a struct str * */
	struct map messages; /* ids of messages that were told whole */
	struct str main;     /* the run's own session; p NULL before the first event */
};

static void opencode_fold_reset(struct opencode_fold *f)
{
	arena_reset(&f->arena);
	map_init(&f->calls, &f->arena);
	map_init(&f->messages, &f->arena);
	f->main = str_of(NULL, 0);
}

void *opencode_fold_open(void)
{
	struct opencode_fold *f = mem_alloc(sizeof(*f));

	arena_init(&f->arena);
	opencode_fold_reset(f);
	return f;
}

void opencode_fold_close(void *fold)
{
	struct opencode_fold *f = fold;

	arena_free(&f->arena);
	mem_free(f);
}

/* The run begins with its first session, whether its beginning is in the log or not. */
static bool opencode_begin(struct opencode_fold *f, const struct event *e, struct str session, struct assemble *as,
			   struct err *err)
{
	struct event start = { .kind = EVENT_RUN_START, .index = -1, .agent = STR("opencode"), .ts = e->ts };

	f->main = arena_copy(&f->arena, session);
	start.run = f->main;
	return e->kind == EVENT_RUN_START || assemble_add(as, &start, err);
}

static void opencode_note_child(struct opencode_fold *f, struct str child, struct str call)
{
	struct str *kept;
	bool added;
	uint64_t *slot = map_add(&f->calls, child, &added);

	if (!added)
		return;
	kept = arena_new(&f->arena, struct str);
	*kept = arena_copy(&f->arena, call);
	*slot = (uintptr_t)kept;
}

/* A message of the user that came whole is not told again by its parts. */
static bool opencode_is_repeated(struct opencode_fold *f, const struct event *e, const struct opencode_hint *h)
{
	bool added = false;

	if (e->kind != EVENT_MESSAGE || !h->message.n)
		return false;
	if (!h->whole)
		return map_find(&f->messages, h->message) != NULL;
	map_add(&f->messages, h->message, &added);
	return !added;
}

bool opencode_fold(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct opencode_fold *f = fold;
	const struct opencode_hint *h = e->hint;
	struct event copy = *e;
	uint64_t *call;

	copy.hint = NULL;
	if (!h || !h->session.n)
		return assemble_add(as, &copy, err);
	if (!f->main.p && !opencode_begin(f, e, h->session, as, err))
		return false;
	if (opencode_is_repeated(f, e, h))
		return true;
	if (e->kind == EVENT_CALL && h->child.n && e->call.n)
		opencode_note_child(f, h->child, e->call);
	if (!str_eq(h->session, f->main)) {
		if (e->kind == EVENT_RUN_START) { /* another session beside it: its events say whose they are */
			copy.kind = EVENT_NOTE;
			copy.role = STR("session.created");
			copy.content = STR("null");
		}
		copy.branch = h->session;
		call = map_find(&f->calls, h->session);
		if (call)
			copy.parent = *(const struct str *)(uintptr_t)*call;
	}
	return assemble_add(as, &copy, err);
}

bool opencode_fold_end(void *fold, struct assemble *as, struct err *err)
{
	(void)as, (void)err;
	opencode_fold_reset(fold);
	return true;
}
