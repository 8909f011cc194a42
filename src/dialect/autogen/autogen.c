/*
 * AutoGen: the events of its core, the messages and states of AgentChat, recorded calls of its clients, and the runtime
 * logs of 0.2. Each has a file; a log is of one of them, but each value is read as what it looks like.
 */
#include "dialect/autogen/private.h"
#include "dialect/exchange/asked.h"
#include "dialect/exchange/common.h"
#include "dialect/formats.h"

static const struct {
	int (*fits)(struct val v);
	void (*read)(struct reading *r, struct val v);
} autogen_shapes[] = {
	{ autogen_core_fits, autogen_core_read },
	{ autogen_chat_fits, autogen_chat_read },
	{ autogen_runtime_fits, autogen_runtime_read },
};

/* ---- what the shapes share ---- */

struct autogen_hint *autogen_hint_add(struct reading *r, struct event *e, enum autogen_what what)
{
	struct autogen_hint *h = arena_new(r->arena, struct autogen_hint);

	h->what = what;
	e->hint = h;
	return h;
}

struct event *autogen_add(struct reading *r, enum event_kind kind, enum autogen_what what)
{
	struct event *e = reading_add(r, kind);

	autogen_hint_add(r, e, what);
	return e;
}

/* The readers of services have hints of their own on steps, which say something about streams only. */
void autogen_mark_answer(struct reading *r, size_t from)
{
	for (; from < r->count; from++) {
		struct event *e = &r->events[from];

		if (e->flags & EVENT_HISTORY)
			continue;
		if (e->kind == EVENT_STEP)
			e->hint = NULL;
		if (e->kind != EVENT_CALL)
			continue;
		autogen_hint_add(r, e, AUTOGEN_WANTED);
		asked_settle_args(r, e);
	}
}

void autogen_add_note(struct reading *r, struct val v, struct str role, struct moment ts)
{
	struct event *e = autogen_add(r, EVENT_NOTE, AUTOGEN_OTHER);

	e->role = role;
	e->ts = ts;
	e->content = reading_json_of(r, e, "content", v);
}

static bool autogen_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "2025-01-02 03:04:05,678 - events - INFO - ": Python has a comma before the milliseconds. */
struct moment autogen_prefix_time(struct reading *r)
{
	struct str p = r->prefix;
	size_t from = 0, n = 0;
	char text[40];

	while (from < p.n && !autogen_is_digit(p.p[from]))
		from++;
	for (; from + n < p.n && n < sizeof(text) - 1; n++) {
		char c = p.p[from + n];

		if (!autogen_is_digit(c) && !strchr("-:T .,Z+", c))
			break;
		if (c == ' ' && n != 10)
			break;
		text[n] = c == ',' ? '.' : c;
	}
	while (n && !autogen_is_digit(text[n - 1]) && text[n - 1] != 'Z')
		n--;
	if (n < 19)
		return (struct moment){ .source = MOMENT_NONE };
	return reading_time_text(r, arena_copy(r->arena, str_of(text, n)));
}

/* ---- the dialect ---- */

static void autogen_read_one(struct reading *r, struct val v)
{
	size_t from = r->count, best = COUNT(autogen_shapes);
	int most = 0;

	for (size_t i = 0; i < COUNT(autogen_shapes) && val_is(v, JSON_OBJECT); i++) {
		int fit = autogen_shapes[i].fits(v);

		if (fit > most) {
			most = fit;
			best = i;
		}
	}
	if (best < COUNT(autogen_shapes))
		autogen_shapes[best].read(r, v);
	else
		reading_add_unknown(r, v);
	if (r->prefix.n && r->count > from && !(r->events[r->count - 1].flags & EVENT_HISTORY))
		reading_extra(r, &r->events[r->count - 1], STR("prefix"), reading_quote(r, r->prefix));
}

static void autogen_read_value(struct reading *r, struct val v)
{
	exchange_read_each(r, v, autogen_read_one);
}

static int autogen_fits(struct val v)
{
	int most = 0;

	if (val_is(v, JSON_ARRAY))
		v = values_first(v);
	for (size_t i = 0; i < COUNT(autogen_shapes) && val_is(v, JSON_OBJECT); i++) {
		int fit = autogen_shapes[i].fits(v);

		most = fit > most ? fit : most;
	}
	return most;
}

static const struct read_ops read_autogen = {
	.vendor = "autogen",
	.key = "autogen/1",
	.assemble = ASSEMBLE_STEP_COSTS | ASSEMBLE_EXT_MERGE,
	.value = autogen_read_value,
	.fold_open = autogen_fold_open,
	.fold_close = autogen_fold_close,
	.fold = autogen_fold,
	.fold_end = autogen_fold_end,
};

const struct dialect autogen_dialect = {
	.name = "autogen",
	.title = "AutoGen: core events, AgentChat messages and states, recorded clients, 0.2 runtime logs",
	.file = "events.log",
	.unit = "event",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = autogen_fits,
	.read = &read_autogen,
};
