/*
 * What aider leaves behind: its chat history in Markdown and its history of requests and answers, both texts, and its
 * analytics log, JSON lines. None has tools. Lines of a text are read one by one; what they make together is found by
 * the fold, in history.c.
 */
#include "dialect/aider/aider.h"

#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "dialect/session/told.h"
#include "model/assemble.h"

/* ---- analytics ---- */

static const struct told_names aider_tokens = {
	.input = WORD("prompt_tokens"), .output = WORD("completion_tokens"), .total = WORD("total_tokens"),
};

/* A message that was sent and answered. What it cost is worked out from aider's list of prices. */
static void aider_read_sent(struct reading *r, struct val v, struct moment ts)
{
	struct val properties = val_get(v, STR("properties"));
	struct event *e = reading_add(r, EVENT_STEP);

	e->ts = ts;
	e->model = reading_text(r, properties, STR("main_model"));
	e->usage = told_usage(r, properties, &aider_tokens);
	e->usd = reading_amount(r, properties, STR("cost"), 1);
	e->usd.source = FIGURE_ESTIMATED;
	reading_drop(r, val_get(properties, STR("total_cost"))); /* of all messages so far */
	reading_rest(r, e, v);
}

static void aider_read_value(struct reading *r, struct val v)
{
	struct val properties = val_get(v, STR("properties"));
	struct moment ts = reading_time(r, v, STR("time"));
	struct str name = val_get_text(v, STR("event"), r->arena);
	struct event *e;

	if (!name.p || !val_is(properties, JSON_OBJECT)) {
		reading_add_unknown(r, v);
		return;
	}
	reading_take(r, val_get(v, STR("event")));
	if (str_eq(name, STR("launched"))) {
		e = reading_add(r, EVENT_RUN_START);
		e->ts = ts;
		e->run = arena_printf(r->arena, "aider-%.*s", STR_ARG(ts.text));
		e->agent = STR("aider");
		e->agent_version = reading_text(r, properties, STR("aider_version"));
		reading_rest(r, e, v);
	} else if (str_eq(name, STR("message_send"))) {
		aider_read_sent(r, v, ts);
	} else if (str_eq(name, STR("message_send_exception"))) {
		e = reading_add(r, EVENT_ERROR);
		e->ts = ts;
		e->class = STR("model");
		e->text = reading_text(r, properties, STR("exception"));
		reading_rest(r, e, v);
	} else {
		told_note(r, name, ts, v);
	}
}

/* ---- texts ---- */

bool aider_read_line(struct reading *r, struct str line)
{
	struct event *e;
	struct str *kept;

	if (str_starts(line, STR("{\"event\"")))
		return false;
	e = reading_add(r, EVENT_NOTE);
	e->role = STR(AIDER_LINE);
	e->hint = kept = arena_new(r->arena, struct str);
	*kept = arena_copy(r->arena, line);
	return true;
}

/* ---- the format ---- */

static int aider_fits(struct val v)
{
	struct val properties = val_get(v, STR("properties"));

	return val_is(val_get(v, STR("event")), JSON_STRING) && val_is(properties, JSON_OBJECT) &&
	       val_has(v, STR("user_id")) && (val_has(properties, STR("aider_version")) || val_has(v, STR("time"))) ?
	       val_has(properties, STR("aider_version")) ? 96 : 50 : 0;
}

static bool aider_fits_text(struct str text)
{
	text = str_trim(text);
	return str_starts(text, STR(AIDER_CHAT)) || str_starts(text, STR(AIDER_SENT "2"));
}

static const struct read_ops aider_read = {
	.vendor = "aider",
	.key = "aider/1",
	.assemble = ASSEMBLE_STEP_COSTS,
	.value = aider_read_value,
	.line = aider_read_line,
	.fold_open = aider_fold_open,
	.fold_close = aider_fold_close,
	.fold = aider_fold,
	.fold_end = aider_fold_end,
};

const struct dialect aider_dialect = {
	.name = "aider",
	.title = "aider's chat history, LLM history and analytics log",
	.file = ".aider.chat.history.md",
	.unit = "line",
	.forms = DIALECT_LINES,
	.rules = dialect_no_rules,
	.fits = aider_fits,
	.fits_text = aider_fits_text,
	.read = &aider_read,
};
