/*
 * Steps as spans. A step that lists its calls stays open until they have come, any other until its branch has another
 * one: for the calls it asked for are part of what it said, and some logs tell them between each other's results, with
 * other agents in between.
 */
#include "dialect/otlp/make_private.h"
#include "dialect/otlp/names.h"

#include <assert.h>

#include "dialect/otlp/own.h"
#include "dialect/otlp/provider.h"
#include "dialect/otlp/put.h"
#include "dialect/otlp/server.h"
#include "json/text.h"
#include "model/words.h"

/* An absent text is not the same as an empty one. */
static bool step_same_text(struct str a, struct str b)
{
	return !a.p == !b.p && str_eq(a, b);
}

/* ---- the span ---- */

/* [{"role":"assistant","parts":[...],"finish_reason":"stop"}], as a text. */
static void put_step_output(struct otlp_make *m, const struct otlp_step *s)
{
	struct buf out = { 0 };

	if (!s->output.n)
		return;
	otlp_put_raw(&out, "[{\"finish_reason\":"); /* required; what the step says is in finish_reasons */
	text_quote(&out, s->e->stop_reason.n ? otlp_finish_word(s->e->stop_reason) :
			 s->asked ? STR("tool_call") : STR("stop"));
	otlp_put_raw(&out, ",\"parts\":[");
	buf_add_str(&out, buf_str(&s->output));
	otlp_put_raw(&out, "],\"role\":\"assistant\"}]");
	otlp_put_text(&m->text, OTLP_RELEASED(OUTPUT_MESSAGES), buf_str(&out));
	buf_free(&out);
}

void otlp_make_input(struct otlp_make *m, struct buf *messages)
{
	if (!messages->n)
		return;
	buf_add_byte(messages, ']');
	otlp_put_text(&m->text, OTLP_RELEASED(INPUT_MESSAGES), buf_str(messages));
	buf_clear(messages);
}

/* Of the step's cost what the step itself does not say. */
static void put_step_cost(struct otlp_make *m, const struct otlp_step *s)
{
	struct event own = { .kind = EVENT_COST, .index = -1 };

	if (!s->cost)
		return;
	own.ts = s->cost->ts;
	own.flags = s->cost->flags;
	own.extras = s->cost->extras;
	own.usd = s->cost->usd;
	own.price_table = s->cost->price_table;
	own.tier = s->cost->tier;
	if (amount_is_known(own.usd))
		otlp_put_number(&m->text, OTLP_RELEASED(COST), own.usd);
	otlp_put_count(&m->text, STR("trackway.cost.seq"), FIGURE(s->cost_seq));
	otlp_own_put(&m->text, &own);
}

/* What a trace said of the time for each token. */
static void put_step_tpot(struct otlp_make *m, const struct event *e)
{
	struct val rest = writing_rest(m->parser, e, "agent-trace/1");
	double seconds;

	if (val_double(val_get(val_get(rest, STR("model_call")), STR("tpot_seconds")), &seconds) && seconds >= 0)
		otlp_put_number(&m->text, OTLP_RELEASED(TPOT), AMOUNT(seconds));
}

/* Required of every span about a model. What the step itself says stands beside it, where that is not the same. */
static void put_step_provider(struct otlp_make *m, const struct event *e)
{
	struct str word = otlp_make_provider(m, e);

	otlp_put_text(&m->text, OTLP_RELEASED(PROVIDER), word);
	if (!e->provider.p)
		otlp_put_count(&m->text, STR("trackway.provider"), (struct figure){ .state = FIGURE_NULL });
	else if (!str_eq(word, e->provider))
		otlp_put_text(&m->text, STR("trackway.provider"), e->provider);
}

/* By whom and how it was answered. */
static void put_step_answer(struct otlp_make *m, const struct event *e)
{
	struct amount ttft = e->ttft_ms;

	put_step_provider(m, e);
	otlp_put_text(&m->text, OTLP_RELEASED(REQUEST_MODEL), e->model);
	otlp_put_text(&m->text, OTLP_RELEASED(RESPONSE_MODEL), e->model);
	otlp_put_text(&m->text, OTLP_RELEASED(RESPONSE_ID), e->response_id);
	otlp_put_word(&m->text, OTLP_RELEASED(FINISH), otlp_finish_word(e->stop_reason));
	if (!str_eq(otlp_finish_word(e->stop_reason), e->stop_reason))
		otlp_put_text(&m->text, STR("trackway.stop_reason"), e->stop_reason);
	if (e->flags & (EVENT_STREAM | EVENT_NO_STREAM))
		otlp_put_truth(&m->text, OTLP_RELEASED(STREAM),
			       e->flags & EVENT_STREAM ? TRUTH_TRUE : TRUTH_FALSE);
	ttft.n /= 1000;
	if (amount_is_known(ttft))
		otlp_put_number(&m->text, OTLP_RELEASED(TTFT), ttft);
	put_step_tpot(m, e);
	otlp_make_usage(m, &e->usage);
	if (!otlp_server_put(&m->text, e->endpoint))
		losses_add(m->losses, "endpoints that name no server");
}

/* When its request was sent, as far as its latency is known; else when it was answered. */
static int64_t step_begin(const struct event *e)
{
	if (amount_is_known(e->latency_ms) && e->latency_ms.n >= 0 && e->latency_ms.n * 1e6 < (double)e->ts.ns)
		return e->ts.ns - (int64_t)(e->latency_ms.n * 1e6);
	return e->ts.ns;
}

/* Gives away the span of a step, from its request (as far as its latency is known) to its answer. */
static void otlp_make_step_put_step(struct otlp_make *m, struct otlp_step *s)
{
	const struct event *e = s->e;
	const char *folded = words_stop_reason(e->stop_reason);
	bool failed = folded && strcmp(folded, "error") == 0 && !words_is_refusal(e->stop_reason);
	int64_t start = step_begin(e);
	struct event own = *e;
	struct str parent;
	bool moved;

	parent = otlp_make_parent(m, &s->arena, e->parent, start, e->ts.ns, &moved);
	otlp_make_ids(m, arena_printf(&s->arena, "step:%llu", (unsigned long long)s->number), parent);
	otlp_make_name(m, "chat", e->model);
	otlp_make_times(m, "3", start, e->ts.ns);
	otlp_make_common(m, "chat", "LLM", s->seq);
	if (moved)
		otlp_put_text(&m->text, STR("trackway.parent"), e->parent);
	put_step_answer(m, e);
	put_step_cost(m, s);
	if (step_same_text(own.step, own.response_id))
		own.step = str_of(NULL, 0); /* it is told */
	otlp_own_put(&m->text, &own);
	otlp_make_input(m, &s->input);
	put_step_output(m, s);
	if (failed)
		otlp_put_text(&m->text, OTLP_RELEASED(ERROR), STR("_OTHER"));
	otlp_make_end(m, failed, str_of(NULL, 0));
}

/* ---- those that are open ---- */

static void free_step(struct otlp_step *s)
{
	buf_free(&s->input);
	buf_free(&s->output);
	arena_free(&s->arena);
	mem_free(s);
}

/* Gives away the i-th open step and frees it. Later ones move down: who walks through them goes from the end. */
static void end_step(struct otlp_make *m, size_t i)
{
	struct otlp_step *s = m->open[i];

	assert(i < m->open_count);
	otlp_make_step_put_step(m, s);
	free_step(s);
	m->open_count--;
	memmove(m->open + i, m->open + i + 1, (m->open_count - i) * sizeof(*m->open));
}

void otlp_make_end_steps(struct otlp_make *m)
{
	while (m->open_count)
		end_step(m, 0);
}

void otlp_make_end_told_steps(struct otlp_make *m)
{
	for (size_t i = m->open_count; i-- > 0;)
		if (m->open[i]->awaited && m->open[i]->asked >= m->open[i]->awaited)
			end_step(m, i);
}

void otlp_make_forget_steps(struct otlp_make *m)
{
	while (m->open_count)
		free_step(m->open[--m->open_count]);
}

static void otlp_make_step_add_part(struct buf *out, const char *type, struct str text)
{
	if (!text.p)
		return;
	if (out->n)
		buf_add_byte(out, ',');
	otlp_put_raw(out, "{\"content\":");
	text_quote(out, text);
	otlp_put_raw(out, ",\"type\":\"");
	otlp_put_raw(out, type);
	otlp_put_raw(out, "\"}");
}

/* Of a branch, made when it is new. */
static struct buf *results_of(struct otlp_make *m, struct str branch)
{
	bool added;
	uint64_t *at = map_add(&m->branches, branch.p ? branch : STR(""), &added);

	if (added) {
		mem_grow(m->results, m->result_count, m->result_cap, 4);
		buf_init(&m->results[m->result_count++]);
		*at = m->result_count;
	}
	return &m->results[*at - 1];
}

void otlp_make_told_result(struct otlp_make *m, const struct event *call, const struct event *result)
{
	struct buf *out = results_of(m, call->branch);

	otlp_put_raw(out, out->n ? ",{\"parts\":[{\"id\":" : "[{\"parts\":[{\"id\":");
	text_quote(out, call->call);
	otlp_put_raw(out, ",\"response\":");
	buf_add_str(out, result->content.n ? result->content : STR("null"));
	otlp_put_raw(out, ",\"type\":\"tool_call_response\"}],\"role\":\"tool\",\"trackway.result\":true}");
}

/* What its calls gave, and what was said so far, is said to this one. */
static void take_input(struct otlp_make *m, struct otlp_step *s, struct str branch)
{
	struct buf *results = results_of(m, branch);

	s->input = *results;
	buf_init(results);
	if (!s->input.n) {
		buf_free(&s->input);
		s->input = m->input;
		buf_init(&m->input);
	} else if (m->input.n) {
		buf_add_byte(&s->input, ',');
		buf_add_str(&s->input, str_skip(buf_str(&m->input), 1)); /* without its bracket */
		buf_clear(&m->input);
	}
}

void otlp_make_step(struct otlp_make *m, const struct event *e)
{
	struct otlp_step *s = mem_alloc(sizeof(*s));

	for (size_t i = m->open_count; i-- > 0;)
		if (m->open[i]->asked >= m->open[i]->awaited && step_same_text(m->open[i]->e->branch, e->branch))
			end_step(m, i);
	if (m->open_count == OTLP_OPEN_STEPS)
		end_step(m, 0);
	*s = (struct otlp_step){ .number = m->steps++, .seq = m->seq };
	take_input(m, s, e->branch);
	otlp_make_widen(m, e->parent, step_begin(e), e->ts.ns);
	arena_init(&s->arena);
	s->e = event_copy(&s->arena, e);
	if (e->calls.n)
		s->awaited = val_count(writing_parse(m->parser, e->calls));
	otlp_make_step_add_part(&s->output, "reasoning", e->reasoning);
	otlp_make_step_add_part(&s->output, "text", e->text);
	assert(m->open_count < OTLP_OPEN_STEPS);
	m->open[m->open_count++] = s;
}

/* The latest open step of this id; without one that of the branch. */
static struct otlp_step *find_asking(struct otlp_make *m, const struct event *call)
{
	for (size_t i = m->open_count; i-- > 0;) {
		const struct event *e = m->open[i]->e;

		if (call->step.p ? step_same_text(e->step, call->step) : step_same_text(e->branch, call->branch))
			return m->open[i];
	}
	return NULL;
}

void otlp_make_asked(struct otlp_make *m, const struct event *call)
{
	struct otlp_step *s = find_asking(m, call);
	struct str vendor, server, name;

	if (!s)
		return;
	s->asked++;
	words_tool_of_uri(&s->arena, call->tool, &vendor, &server, &name);
	buf_add_str(&s->output, s->output.n ? STR(",{") : STR("{"));
	if (!(call->flags & EVENT_WITHHELD)) {
		otlp_put_raw(&s->output, "\"arguments\":");
		buf_add_str(&s->output, call->args.n ? call->args : STR("null"));
		buf_add_byte(&s->output, ',');
	}
	otlp_put_raw(&s->output, "\"id\":");
	text_quote(&s->output, call->call);
	otlp_put_raw(&s->output, ",\"name\":");
	text_quote(&s->output, name);
	otlp_put_raw(&s->output, ",\"type\":\"tool_call\"}");
}

/* The same figures from the same sources: an estimate is not the same as a figure of the API. */
static bool same_usage(const struct usage *a, const struct usage *b)
{
	const struct figure *x = (const void *)a, *y = (const void *)b; /* a usage is nothing but figures */

	for (size_t i = 0; i < sizeof(*a) / sizeof(*x); i++)
		if (x[i].state != y[i].state || x[i].source != y[i].source || x[i].n != y[i].n)
			return false;
	return true;
}

bool otlp_make_step_cost(struct otlp_make *m, const struct event *e)
{
	struct otlp_step *s = m->open_count ? m->open[m->open_count - 1] : NULL;
	const struct event *of = s ? s->e : NULL;

	if (!s || s->cost || e->call.p || e->ts.ns != of->ts.ns || !step_same_text(e->step, of->step) ||
	    !step_same_text(e->branch, of->branch) || !step_same_text(e->model, of->model) ||
	    !step_same_text(e->provider, of->provider) || !str_eq(e->scope, STR("step")) ||
	    !same_usage(&e->usage, &of->usage))
		return false;
	s->cost = event_copy(&s->arena, e);
	s->cost_seq = m->seq;
	return true;
}
