/*
 * Conversations of gptme: a message on each line. Its tools are blocks of code in the text, and what they printed is a
 * message of the system: there the log does not say that a call was made, and none is read. Only in its format "tool"
 * a line of the answer is "@NAME(ID): {...}" and the message of the result has that id: these are calls.
 */
#include "base/ascii.h"
#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "dialect/session/told.h"
#include "model/assemble.h"

#define CALLS_MAX 1000 /* in one answer */

/* It takes what was cached off the input for every service. */
static const struct told_names gptme_tokens = {
	.input = WORD("input_tokens"), .output = WORD("output_tokens"), .cache_read = WORD("cache_read_tokens"),
	.cache_write = WORD("cache_creation_tokens"), .reasoning = WORD("reasoning_tokens"), .cache_apart = true,
};

/* ---- calls in the text ---- */

struct gptme_call {
	struct str tool, id, args;
};

/* "@NAME(ID): {" at the beginning of a line; its arguments end with it, as gptme writes them. */
static bool gptme_is_call(struct str line, struct gptme_call *out)
{
	struct str rest, tool, id;

	if (!line.n || line.p[0] != '@' || !memchr(line.p, '(', line.n))
		return false;
	tool = str_cut(str_skip(line, 1), '(', &rest);
	if (!memchr(rest.p, ')', rest.n))
		return false;
	id = str_cut(rest, ')', &rest);
	for (size_t i = 0; i < id.n; i++)
		if (!ascii_is_alnum(id.p[i]) && !ascii_is_one_of(id.p[i], "_-:."))
			return false;
	rest = str_trim(rest);
	if (!tool.n || !id.n || rest.n < 2 || rest.p[0] != ':')
		return false;
	*out = (struct gptme_call){ tool, id, str_trim(str_skip(rest, 1)) };
	return out->args.n && out->args.p[0] == '{';
}

/* Fences hide what looks like a call. */
static void gptme_read_calls(struct reading *r, struct str text, struct moment ts)
{
	bool fenced = false;
	int index = 0;

	while (text.n && index < CALLS_MAX) {
		struct str rest, line = str_cut(text, '\n', &rest);
		struct gptme_call call;
		struct event *e;

		if (str_starts(line, STR("```")))
			fenced = !fenced;
		if (!fenced && gptme_is_call(line, &call)) {
			e = reading_add(r, EVENT_CALL);
			e->ts = ts;
			e->index = index++;
			e->call = call.id;
			e->tool = call.tool;
			e->args_text = call.args;
		}
		text = rest;
	}
}

/* ---- messages ---- */

static void gptme_read_answer(struct reading *r, struct val v, struct moment ts)
{
	struct val metadata = val_get(v, STR("metadata"));
	struct str content = reading_text(r, v, STR("content")), model, served;
	size_t at = r->count;
	struct event *e = reading_add(r, EVENT_STEP);

	e->ts = ts;
	e->text = content;
	model = reading_peek(r, metadata, STR("model"));
	served = reading_text(r, metadata, STR("served_model"));
	if (served.n)
		e->model = served;
	else
		e->model = reading_text(r, metadata, STR("model"));
	if (memchr(model.p ? model.p : "", '/', model.n)) {
		struct str rest;

		e->provider = str_cut(model, '/', &rest);
		if (str_eq(rest, served))
			reading_take(r, val_get(metadata, STR("model")));
	} else if (str_eq(model, served)) {
		reading_take(r, val_get(metadata, STR("model")));
	}
	e->usage = told_usage(r, val_get(metadata, STR("usage")), &gptme_tokens);
	e->usd = reading_amount(r, metadata, STR("cost"), 1);
	gptme_read_calls(r, content, ts);
	reading_rest(r, &r->events[at], v);
}

static void gptme_read_value(struct reading *r, struct val v)
{
	struct str role = reading_text(r, v, STR("role"));
	struct moment ts = reading_time(r, v, STR("timestamp"));
	struct event *e;

	if (!role.n) {
		reading_add_unknown(r, v);
		return;
	}
	if (r->line <= 1) {
		e = reading_add(r, EVENT_RUN_START);
		e->ts = ts;
		e->agent = STR("gptme");
	}
	if (str_eq(role, STR("assistant"))) {
		gptme_read_answer(r, v, ts);
		return;
	}
	if (val_is(val_get(v, STR("call_id")), JSON_STRING)) {
		e = reading_add(r, EVENT_RESULT);
		e->call = text_or_none(reading_text(r, v, STR("call_id")));
	} else {
		e = reading_add(r, EVENT_MESSAGE);
		e->role = role;
	}
	e->ts = ts;
	e->content = reading_json(r, e, "content", v, STR("content"));
	reading_rest(r, e, v);
}

/* Other logs have lines with a role, a content and a time: what only gptme has decides. */
static int gptme_fits(struct val v)
{
	struct val metadata = val_get(v, STR("metadata"));

	if (!val_is(val_get(v, STR("role")), JSON_STRING) || !val_is(val_get(v, STR("content")), JSON_STRING) ||
	    !val_is(val_get(v, STR("timestamp")), JSON_STRING))
		return 0;
	if (val_is_bool(val_get(v, STR("pinned"))) && val_is_bool(val_get(v, STR("hide"))))
		return 96;
	if (val_has(metadata, STR("served_model")) || val_has(metadata, STR("input_log_digest")))
		return 96;
	return val_is_bool(val_get(v, STR("pinned"))) || val_is_bool(val_get(v, STR("hide"))) ? 90 : 0;
}

static const struct read_ops gptme_read = {
	.vendor = "gptme",
	.key = "gptme/1",
	.assemble = ASSEMBLE_STEP_COSTS,
	.value = gptme_read_value,
};

const struct dialect gptme_dialect = {
	.name = "gptme",
	.title = "gptme conversations",
	.file = "conversation.jsonl",
	.unit = "message",
	.forms = DIALECT_LINES,
	.rules = dialect_no_rules,
	.fits = gptme_fits,
	.read = &gptme_read,
};
