/* Reads Gemini's answers, whole or in pieces: candidates, usage, errors and blocked prompts. */
#include "dialect/exchange/common.h"
#include "dialect/exchange/hint.h"
#include "dialect/gemini/gemini.h"
#include "dialect/reading/billing.h"
#include "dialect/record/field.h"

/* ---- usage ---- */

static struct figure gemini_answer_count_of(struct reading *r, struct val usage, struct str camel)
{
	char room[64];

	return reading_count(r, usage, gemini_name(usage, camel, room));
}

/* Null and absent add nothing; a sum that would overflow is left out. */
static void gemini_answer_add_figure(struct figure *sum, struct figure part)
{
	if (!figure_is_known(part) || __builtin_add_overflow(sum->n, part.n, &sum->n))
		return;
	sum->state = FIGURE_KNOWN;
}

/*
 * Thoughts are counted beside the candidates, and what a tool of the service read beside the prompt: both join. Clients
 * that put the figures of other services into this form have the thoughts inside, as their total says.
 */
struct usage gemini_read_usage(struct reading *r, struct val usage)
{
	struct usage u = { .input = { .state = FIGURE_ABSENT } };
	struct val all = gemini_get(usage, STR("totalTokenCount"));
	int64_t total;

	if (!val_is(usage, JSON_OBJECT))
		return u;
	u.input = gemini_answer_count_of(r, usage, STR("promptTokenCount"));
	gemini_answer_add_figure(&u.input, gemini_answer_count_of(r, usage, STR("toolUsePromptTokenCount")));
	u.cache_read = gemini_answer_count_of(r, usage, STR("cachedContentTokenCount"));
	u.output = gemini_answer_count_of(r, usage, STR("candidatesTokenCount"));
	if (u.output.state == FIGURE_ABSENT) /* as the newer API calls it */
		u.output = gemini_answer_count_of(r, usage, STR("responseTokenCount"));
	u.reasoning = gemini_answer_count_of(r, usage, STR("thoughtsTokenCount"));
	if (!val_i64(all, &total) || !figure_is_known(u.output) || (uint64_t)total != u.input.n + u.output.n)
		gemini_answer_add_figure(&u.output, u.reasoning);
	/* a total that is the sum says nothing more */
	if (val_i64(all, &total) && total >= 0 && figure_is_known(u.input) && (uint64_t)total == u.input.n + u.output.n)
		reading_take(r, all);
	return u;
}

/* ---- errors ---- */

/* {"error":{"code":429,"message":..,"status":"RESOURCE_EXHAUSTED"}} */
static void gemini_answer_read_error(struct reading *r, struct val body)
{
	struct event *e = exchange_add_error(r, val_get(body, STR("error")), STR("status"), STR("code"));

	reading_rest(r, e, body);
}

/* A prompt that was not let through has no candidates, and a reason. */
static void read_block(struct reading *r, struct val body, struct str step)
{
	struct val reason = gemini_get(gemini_get(body, STR("promptFeedback")), STR("blockReason"));
	struct event *e;

	if (!val_is(reason, JSON_STRING))
		return;
	e = reading_add(r, EVENT_ERROR);
	e->class = STR("model");
	e->step = text_or_none(step);
	e->code = reading_text_of(r, reason);
	e->text = STR("the prompt was blocked");
	e->retryable = TRUTH_FALSE;
}

/* ---- answers ---- */

/* A candidate: its step, calls and why it stopped. */
static void read_candidate(struct reading *r, const struct exchange_answer *a, struct val candidate, size_t place)
{
	struct val content = val_get(candidate, STR("content")), parts = val_get(content, STR("parts"));
	struct val finish = gemini_get(candidate, STR("finishReason"));
	struct gemini_said said = { .text = { NULL, 0 } };
	size_t at = r->count;
	struct event *e = exchange_add_choice(r, a, candidate, place, STR("candidate"), finish);

	gemini_read_said(r, parts, &said);
	e->text = said.text.p || !a->piece ? said.text : STR(""); /* an answer begins, whatever its first piece is */
	e->reasoning = said.reasoning;
	if (val_is(content, JSON_OBJECT) && reading_text(r, content, STR("role")).p)
		exchange_hint_add(r, e)->begins = true; /* another id is another answer */
	gemini_read_calls(r, parts, e->step, a->flags & (EVENT_PIECE | EVENT_STREAM));
	if (val_is(parts, JSON_ARRAY) && val_count(parts) == 0)
		reading_take(r, parts);
	if (val_is(content, JSON_OBJECT) && val_count(content) == 0)
		reading_take(r, content);
	exchange_end_choice(r, at, candidate, STR("candidate"));
}

/* The head of an answer, in either spelling. */
static void gemini_answer_begin_answer(struct reading *r, struct val body, struct exchange_answer *a)
{
	char room[64];

	a->id = reading_text(r, body, gemini_name(body, STR("responseId"), room));
	a->model = reading_text(r, body, gemini_name(body, STR("modelVersion"), room));
	a->ts = reading_time(r, body, gemini_name(body, STR("createTime"), room));
	exchange_answer_settle(a);
}

/* An answer or a piece: an error, or the candidates with their usage. */
static void gemini_answer_read_answer(struct reading *r, struct val body, struct exchange_answer *a)
{
	struct val candidates, inner = gemini_unwrap(body);
	size_t at = r->count, place = 0;

	if (val_has(inner, STR("error")) && !val_has(inner, STR("candidates"))) {
		gemini_answer_read_error(r, body);
		return;
	}
	candidates = val_get(inner, STR("candidates"));
	gemini_answer_begin_answer(r, inner, a);
	VALUES_EACH(candidate, candidates)
		if (val_is(candidate, JSON_OBJECT))
			read_candidate(r, a, candidate, place++);
	if (place == 0)
		exchange_add_step(r, a, a->id); /* a piece with figures only, or an answer that says nothing */
	if (val_is(candidates, JSON_ARRAY) && val_count(candidates) == 0)
		reading_take(r, candidates);
	r->events[at].usage = gemini_read_usage(r, gemini_get(inner, STR("usageMetadata")));
	billing_read(r, &r->events[at], inner, gemini_get(inner, STR("usageMetadata")));
	read_block(r, inner, a->id);
	reading_rest(r, &r->events[at], body);
}

void gemini_read_response(struct reading *r, struct val body)
{
	struct exchange_answer a = { .flags = EVENT_NO_STREAM };

	gemini_answer_read_answer(r, body, &a);
}

void gemini_read_chunk(struct reading *r, struct val v, struct str sse_event)
{
	struct exchange_answer a = { .flags = EVENT_PIECE | EVENT_STREAM, .piece = true };

	(void)sse_event;
	gemini_answer_read_answer(r, v, &a);
}
