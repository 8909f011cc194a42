#include "provider/claude_lines.h"

#include "dialect/claude_code/claude_code.h"
#include "model/words.h"
#include "provider/provider_program.h"

#define NAME_MOST 200

void claude_lines_init(struct claude_lines *c, struct answer_parser *parser)
{
	*c = (struct claude_lines){ .parser = parser };
	provider_said_init(&c->said);
	buf_init(&c->partial);
	buf_init(&c->plain);
}

void claude_lines_free(struct claude_lines *c)
{
	provider_said_free(&c->said);
	buf_free(&c->partial);
	buf_free(&c->plain);
}

static struct str keep(struct claude_lines *c, struct val v, size_t most)
{
	if (!val_is(v, JSON_STRING))
		return str_of(NULL, 0);
	return provider_said_keep(&c->said, val_text(v, &c->parser->batch), most);
}

/* ---- messages ---- */

/* What the model says piece by piece, and will say again as a whole. */
static void take_piece(struct claude_lines *c, const struct event *e)
{
	if (e->kind == EVENT_STEP && e->text.n && e->text.n <= SAID_MOST - c->partial.n)
		buf_add_str(&c->partial, e->text);
}

/* A complete message. Its pieces, gathered before, are forgotten: the message says the same again. */
static void take_step(struct claude_lines *c, const struct event *e)
{
	c->made_up = false;
	c->stop_reason = words_stop_reason(e->stop_reason);
	if (e->model.n && !str_eq(e->model, c->model))
		c->model = provider_said_keep(&c->said, e->model, NAME_MOST);
	buf_clear(&c->partial);
	if (e->text.n && c->said.text.n)
		buf_add_byte(&c->said.text, '\n'); /* what was said before and after a tool was asked */
	provider_said_take(&c->said, e);
}

/* A message that the program made up. A try that is made again is not the end, nor is a tool that is not allowed. */
static void take_trouble(struct claude_lines *c, const struct event *e)
{
	if (e->retryable == TRUTH_TRUE || !str_eq(e->class, STR("model")))
		return;
	c->made_up = true;
	c->trouble = provider_said_keep(&c->said, e->text, CLAUDE_PLAIN);
	c->trouble_code = provider_said_keep(&c->said, e->code, NAME_MOST);
}

static void take_cost(struct claude_lines *c, const struct event *e)
{
	const struct claude_code_hint *hint = e->hint;

	if (hint && hint->by_model) { /* counts sub-agents too: only when nothing else is known */
		usage_add(&c->models, &e->usage);
		return;
	}
	c->usage = e->usage; /* the models of the line come behind it */
	c->models = (struct usage){ 0 };
	if (amount_is_known(e->usd))
		c->usd = e->usd;
}

/* enum answer_news. */
static unsigned claude_lines_take_event(struct claude_lines *c, const struct event *e)
{
	if (e->branch.p)
		return 0;
	if (e->flags & EVENT_FALLBACK)
		take_piece(c, e);
	else if (e->kind == EVENT_STEP)
		take_step(c, e);
	else if (e->kind == EVENT_CALL)
		provider_said_take(&c->said, e);
	else if (e->kind == EVENT_ERROR)
		take_trouble(c, e);
	else if (e->kind == EVENT_COST)
		take_cost(c, e);
	return answer_event_news(e);
}

/* ---- lines that are not messages ---- */

/* The last line of a run. Its text wins over what was gathered, unless it is an error. */
static void take_result(struct claude_lines *c, struct val v)
{
	struct val stop = val_get(v, STR("stop_reason")), errors = val_get(v, STR("errors")), first;
	struct val_iter it = val_begin(errors);
	int64_t status;

	c->has_result = true;
	c->result = keep(c, val_get(v, STR("result")), SAID_MOST);
	if (!c->result.p && val_is(val_get(v, STR("result")), JSON_STRING))
		c->result = STR("");
	c->reason = keep(c, val_get(v, STR("subtype")), NAME_MOST);
	c->is_error = val_is(val_get(v, STR("is_error")), JSON_TRUE) || str_starts(c->reason, STR("error"));
	if (val_is(stop, JSON_STRING))
		c->stop_reason = words_stop_reason(val_text(stop, &c->parser->batch));
	if (val_i64(val_get(v, STR("api_error_status")), &status) && status >= 100 && status <= 599)
		c->api_status = (int)status;
	if (!c->trouble.p && val_is(errors, JSON_ARRAY) && val_next(&it, &first))
		c->trouble = keep(c, first, CLAUDE_PLAIN);
}

/* Only a limit that refused counts: the same event also tells of limits that still allow. */
static void take_limit(struct claude_lines *c, struct val v)
{
	struct val info = val_get(v, STR("rate_limit_info"));
	int64_t at;

	if (!val_text_is(val_get(info, STR("status")), STR("rejected")))
		return;
	c->is_refused = true;
	if (val_i64(val_get(info, STR("resetsAt")), &at) && at > 0)
		c->resets_at = at;
}

static void take_plain(struct claude_lines *c, struct str line)
{
	size_t room = CLAUDE_PLAIN - c->plain.n;

	buf_add(&c->plain, line.p, line.n < room ? line.n : room);
	if (c->plain.n < CLAUDE_PLAIN)
		buf_add_byte(&c->plain, '\n');
}

unsigned claude_lines_take(struct claude_lines *c, struct str line)
{
	struct reading *r = &c->parser->reading;
	unsigned news = PROGRAM_READ;
	struct val v, type;

	if (!answer_parse(c->parser, line, &v) || !val_is(v, JSON_OBJECT)) {
		answer_parse_end(c->parser);
		take_plain(c, line);
		return 0;
	}
	c->read++;
	type = val_get(v, STR("type"));
	if (!c->session.p)
		c->session = keep(c, val_get(v, STR("session_id")), NAME_MOST);
	claude_code_read(r, v);
	for (size_t i = 0; i < r->count; i++)
		news |= claude_lines_take_event(c, &r->events[i]);
	if (val_text_is(type, STR("result"))) {
		take_result(c, v);
		news |= PROGRAM_WHOLE;
	} else if (val_text_is(type, STR("rate_limit_event"))) {
		take_limit(c, v);
	}
	answer_parse_end(c->parser);
	return news;
}

/* ---- the end ---- */

void claude_lines_end(struct claude_lines *c, struct provider_answer *out)
{
	if (c->partial.n && c->partial.n <= SAID_MOST - c->said.text.n)
		buf_add_str(&c->said.text, buf_str(&c->partial));
	buf_clear(&c->partial);
	provider_said_end(&c->said, out);
	if (c->result.p && !c->is_error)
		out->text = c->result;
	out->model = c->model;
	out->request_id = c->session;
	out->usage = usage_is_known(&c->usage) ? c->usage : c->models;
	out->usd = c->usd;
	out->stop_reason = c->stop_reason;
	if (c->has_result && !c->is_error && (!c->stop_reason || strcmp(c->stop_reason, "tool_use") == 0))
		out->stop_reason = "end_turn"; /* it ran its tools itself, and went on to the end */
}
