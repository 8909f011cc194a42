/*
 * Reads answers of OpenAI's chat completions, whole or in pieces, of everybody who speaks that API: choices, usage,
 * errors.
 */
#include "dialect/exchange/common.h"
#include "dialect/exchange/gather.h"
#include "dialect/exchange/hint.h"
#include "dialect/openai/chat.h"
#include "dialect/reading/billing.h"
#include "dialect/record/field.h"

/* ---- usage ---- */

/* The first of these members that is a count, wherever a server puts it. */
static struct figure first_count(struct reading *r, struct val usage, struct val details, const struct str *names,
				 size_t inside, size_t count)
{
	struct figure best = { .state = FIGURE_ABSENT };

	for (size_t i = 0; i < count; i++) {
		struct figure f = reading_count(r, i < inside ? details : usage, names[i]);

		if (best.state == FIGURE_ABSENT || (best.state == FIGURE_NULL && figure_is_known(f)))
			best = f;
	}
	return best;
}

/*
 * Reasoning is part of the output, but not everybody counts it there: the total tells. With xAI it is prompt +
 * completion + reasoning; with Gemini behind this API reasoning is not told at all, and is what the total has more.
 */
static void settle_reasoning(struct usage *u, struct figure total, struct str model)
{
	uint64_t said = u->input.n + u->output.n;

	if (!figure_is_known(total) || !figure_is_known(u->input) || !figure_is_known(u->output) || total.n <= said)
		return;
	if (figure_is_known(u->reasoning) && said + u->reasoning.n == total.n) {
		u->output.n += u->reasoning.n;
	} else if (str_has(model, STR("gemini")) && (!figure_is_known(u->reasoning) || u->reasoning.n == 0)) {
		u->reasoning = (struct figure){ FIGURE_KNOWN, FIGURE_ESTIMATED, total.n - said };
		u->output = (struct figure){ FIGURE_KNOWN, FIGURE_ESTIMATED, u->output.n + total.n - said };
	}
}

/* Every service has its own place and name for what was cached: the lists say where to look, details first. */
struct usage openai_chat_read_usage(struct reading *r, struct val usage, struct str model)
{
	static const struct str read[] = {
		WORD("cached_tokens"), WORD("cache_read_input_tokens"), WORD("prompt_cache_hit_tokens"),
		WORD("cached_tokens"),
	};
	static const struct str write[] = {
		WORD("cache_write_tokens"), WORD("cache_creation_tokens"), WORD("cache_creation_input_tokens"),
	};
	static const struct str reasoning[] = { WORD("reasoning_tokens"), WORD("reasoning_tokens") };
	struct val in = val_get(usage, STR("prompt_tokens_details"));
	struct val out = val_get(usage, STR("completion_tokens_details"));
	struct usage u = { .input = { .state = FIGURE_ABSENT } };
	struct figure total = { .state = FIGURE_ABSENT };
	int64_t n;

	if (!val_is(usage, JSON_OBJECT))
		return u;
	u.input = reading_count(r, usage, STR("prompt_tokens"));
	u.output = reading_count(r, usage, STR("completion_tokens"));
	u.cache_read = first_count(r, usage, in, read, 1, 4);
	u.cache_write = first_count(r, usage, in, write, 2, 3);
	u.reasoning = first_count(r, usage, out, reasoning, 1, 2);
	if (val_i64(val_get(usage, STR("total_tokens")), &n) && n >= 0)
		total = FIGURE((uint64_t)n);
	settle_reasoning(&u, total, model);
	/* a total that is the sum says nothing more */
	if (figure_is_known(total) && figure_is_known(u.input) && total.n == u.input.n + u.output.n)
		reading_take(r, val_get(usage, STR("total_tokens")));
	return u;
}

/* Wherever it stands: Groq has it elsewhere in streams. */
static void find_usage(struct reading *r, struct val body, struct str model, struct event *e)
{
	struct val usage = val_get(body, STR("usage"));

	if (val_is(usage, JSON_NULL))
		reading_take(r, usage);
	if (!val_is(usage, JSON_OBJECT))
		usage = val_get(val_get(body, STR("x_groq")), STR("usage"));
	e->usage = openai_chat_read_usage(r, usage, model);
	billing_read(r, e, body, usage);
}

/* ---- errors ---- */

static bool openai_chat_answer_is_error(struct val body)
{
	struct val error = val_get(body, STR("error"));

	return val_is(error, JSON_OBJECT) || val_is(error, JSON_STRING);
}

void openai_chat_read_error(struct reading *r, struct val body, struct str step)
{
	struct val error = val_has(body, STR("error")) ? val_get(body, STR("error")) : body;
	bool whole = val_count(val_get(body, STR("choices"))) == 0;
	struct event *e = exchange_add_error(r, error, STR("code"), STR("type"));

	e->step = step;
	reading_rest(r, e, whole ? body : error);
}

/* ---- answers ---- */

/* What every choice of the answer gets: id, model and time. */
static void openai_chat_answer_begin_answer(struct reading *r, struct val body, struct exchange_answer *a)
{
	struct val created = val_get(body, STR("created"));
	int64_t n;

	a->id = reading_text(r, body, STR("id"));
	a->model = reading_text(r, body, STR("model"));
	if (!val_i64(created, &n) || n != 0) /* a zero is nobody's time */
		a->ts = reading_time_of(r, created);
	exchange_answer_settle(a);
}

/* What stands beside the members that every answer has; logs of probabilities come in every piece. */
static void read_logprobs(struct reading *r, const struct exchange_answer *a, struct val choice, struct str step)
{
	struct val logprobs = val_get(choice, STR("logprobs"));
	struct event *e;

	if (val_is(logprobs, JSON_NULL) && a->piece)
		reading_take(r, logprobs);
	if (!a->piece || val_is_unset(logprobs))
		return;
	e = reading_add(r, EVENT_NOTE);
	e->role = STR("logprobs");
	e->step = text_or_none(step);
	e->content = reading_json_of(r, e, "content", logprobs);
}

/* What a delta has that pieces cannot be merged for: kept piece by piece. */
static void read_odd_delta(struct reading *r, struct val delta, struct str step)
{
	static const struct str known[] = {
		WORD("role"), WORD("content"), WORD("tool_calls"), WORD("function_call"),
		WORD("reasoning_content"), WORD("reasoning"), WORD("thinking"),
	};
	struct val_iter it = val_begin(delta);
	struct val key, value;
	bool odd = false;
	struct event *e;

	if (r->lean) /* it would be nothing but extras */
		return;
	while (val_is(delta, JSON_OBJECT) && val_next_member(&it, &key, &value)) {
		bool is_known = values_is_word(key, known, COUNT(known));

		if (!is_known && val_is(value, JSON_NULL))
			reading_take(r, value);
		else
			odd = odd || !is_known || (val_text_is(key, STR("content")) && val_is(value, JSON_ARRAY));
	}
	if (!odd)
		return;
	e = reading_add(r, EVENT_NOTE);
	e->role = STR("delta");
	e->step = text_or_none(step);
	reading_rest_under(r, e, delta, STR("delta"));
	if (!e->extras)
		r->count--; /* everything had a place after all */
}

/*
 * A STEP, its CALLs, and as NOTEs what cannot be merged from pieces, all of the choice's branch. A delta with a role
 * begins an answer: the fold does not join it to a stream before.
 */
static void openai_chat_answer_read_choice(struct reading *r, const struct exchange_answer *a, struct val choice,
					   size_t place)
{
	struct val message = val_get(choice, a->piece ? STR("delta") : STR("message"));
	struct val finish = val_get(choice, STR("finish_reason")), text = val_get(choice, STR("text"));
	struct openai_chat_said said = { .text = { NULL, 0 } };
	size_t at = r->count;
	struct event *e = exchange_add_choice(r, a, choice, place, STR("choice"), finish);
	struct str step = e->step;

	openai_chat_read_said(r, message, &said);
	if (val_is(text, JSON_STRING))
		said.text = reading_text_of(r, text);
	e->text = said.text;
	e->reasoning = said.reasoning;
	if (val_is(message, JSON_OBJECT) && reading_text(r, message, STR("role")).p)
		exchange_hint_add(r, e)->begins = true;
	openai_chat_read_calls(r, message, step, a->flags & (EVENT_PIECE | EVENT_STREAM));
	read_logprobs(r, a, choice, step);
	if (a->piece)
		read_odd_delta(r, message, step);
	exchange_end_choice(r, at, choice, STR("choice"));
}

/* Usage is of all choices together, and goes to the first. */
static void read_choices(struct reading *r, struct val body, struct exchange_answer *a)
{
	struct val choices = val_get(body, STR("choices"));
	size_t at = r->count, place = 0;

	VALUES_EACH(choice, choices)
		if (val_is(choice, JSON_OBJECT))
			openai_chat_answer_read_choice(r, a, choice, place++);
	if (place == 0)
		exchange_add_step(r, a, a->id); /* a piece with figures only, or an answer that says nothing */
	if (val_is(choices, JSON_ARRAY) && val_count(choices) == 0)
		reading_take(r, choices);
	find_usage(r, body, a->model, &r->events[at]);
}

/* An error without choices is the answer; one beside choices comes behind what was said before it broke off. */
static void openai_chat_answer_read_answer(struct reading *r, struct val body, struct exchange_answer *a)
{
	size_t at = r->count;

	if (openai_chat_answer_is_error(body) && val_count(val_get(body, STR("choices"))) == 0) {
		openai_chat_read_error(r, body, str_of(NULL, 0));
		return;
	}
	openai_chat_answer_begin_answer(r, body, a);
	read_choices(r, body, a);
	if (openai_chat_answer_is_error(body)) /* it broke off, and says why */
		openai_chat_read_error(r, body, text_or_none(a->id));
	reading_rest(r, &r->events[at], body);
}

void openai_chat_read_response(struct reading *r, struct val body)
{
	struct exchange_answer a = { .flags = EVENT_NO_STREAM };

	openai_chat_answer_read_answer(r, body, &a);
}

void openai_chat_read_chunk(struct reading *r, struct val v, struct str sse_event)
{
	struct exchange_answer a = { .flags = EVENT_PIECE | EVENT_STREAM, .piece = true };
	struct exchange_padding padding = exchange_gather_padding(r, v);
	size_t at = r->count;

	(void)sse_event;
	openai_chat_answer_read_answer(r, v, &a);
	exchange_gather_put_padding(r, &r->events[at], &padding);
}
