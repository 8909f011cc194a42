/* Messages, scores and errors, which results and traces spell alike. Messages are OpenAI's, with a few habits. */
#include "dialect/openai/chat.h"
#include "dialect/reading/seconds.h"
#include "dialect/record/field.h"
#include "dialect/verifiers/fields.h"
#include "dialect/verifiers/rollout.h"

struct moment verifiers_take_seconds(struct reading *r, struct val v)
{
	int64_t ns;

	if (!val_is(v, JSON_NUMBER) || !seconds_ns(v, &ns) || ns <= 0)
		return (struct moment){ .source = MOMENT_NONE };
	reading_take(r, v);
	return reading_moment(r, ns, MOMENT_VENDOR);
}

/* ---- messages ---- */

/* Hosted samples give every message all members, with nothing in those that it has no use for. */
static void talk_drop_empty(struct reading *r, struct val message)
{
	static const struct str names[] = { WORD("tool_calls"), WORD("tool_call_id") };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct val v = val_get(message, names[i]);

		if (val_is(v, JSON_NULL) || (val_is(v, JSON_ARRAY) && val_count(v) == 0) || val_text_is(v, STR("")))
			reading_drop(r, v);
	}
}

void verifiers_read_given(struct verifiers_talk *t, struct val message)
{
	struct reading *r = t->r;
	bool is_text = val_is(message, JSON_STRING);
	struct event *e;

	if (!is_text && !val_is(message, JSON_OBJECT))
		return;
	e = reading_add(r, EVENT_MESSAGE);
	e->role = is_text ? STR("user") : reading_text(r, message, STR("role"));
	e->role = e->role.n ? e->role : STR("user");
	e->content = is_text ? reading_json_of(r, e, "content", message) :
			       reading_json(r, e, "content", message, STR("content"));
	if (is_text)
		return;
	talk_drop_empty(r, message);
	reading_rest(r, e, message);
}

/* A result without an id is that of the next call of the latest answer. */
static void talk_pair(struct verifiers_talk *t, struct event *result)
{
	size_t n = t->answered++;

	for (size_t i = t->first; !result->call.p && i < t->end; i++)
		if (t->r->events[i].kind == EVENT_CALL && n-- == 0) {
			result->call = t->r->events[i].call;
			return;
		}
}

void verifiers_read_said(struct verifiers_talk *t, struct val message)
{
	struct reading *r = t->r;
	size_t from = r->count;

	if (val_is(message, JSON_STRING)) {
		reading_add(r, EVENT_STEP)->text = reading_text_of(r, message);
	} else if (val_is(message, JSON_OBJECT)) {
		talk_drop_empty(r, message);
		openai_chat_read_message(r, message, 0, 0);
	}
	if (r->count > from && r->events[from].kind == EVENT_RESULT)
		talk_pair(t, &r->events[from]);
	if (r->count == from || r->events[from].kind != EVENT_STEP)
		return;
	t->first = from;
	t->end = r->count;
	t->answered = 0;
	t->steps++;
}

/* ---- how it ended ---- */

/* Adds "name":value to the members of an object that is being written. */
static void talk_add_metric(struct reading *r, struct buf *b, struct val key, struct val value)
{
	buf_printf(b, "%s%.*s:%.*s", b->n ? "," : "", STR_ARG(reading_quote(r, val_text(key, r->arena))),
		   STR_ARG(val_source(value)));
	reading_keep(r, value);
}

/* What was put together, as an extra in canonical form. */
static void talk_add_score(struct reading *r, struct event *e, struct str metrics, struct str reward)
{
	bool both = metrics.n && reward.n;
	struct str text = arena_printf(r->arena, "{%s%.*s%s%s%.*s}", metrics.n ? "\"metrics\":{" : "", STR_ARG(metrics),
				       both ? "}," : metrics.n ? "}" : "", reward.n ? "\"reward\":" : "",
				       STR_ARG(reward));
	struct val score = reading_parse(r, text);

	if (val_is_none(score))
		return;
	reading_extra(r, e, STR("score"), reading_json_of(r, e, "ext/verifiers~11/score", score));
	reading_release(r, score);
}

/* A number that stands in the metrics already, with the same value, is the same number. */
static bool talk_repeats(struct reading *r, struct val metrics, struct val key, struct val value)
{
	struct val told = val_get(metrics, val_text(key, r->arena));

	return val_is(told, JSON_NUMBER) && str_eq(val_raw(told), val_raw(value));
}

struct event *verifiers_add_end(struct reading *r, struct str reward, struct val metrics, struct val flat)
{
	struct event *e = reading_add(r, EVENT_RUN_END);
	struct val_iter it = val_begin(metrics);
	struct buf b = { 0 };
	struct val key, value;

	if (val_is(metrics, JSON_OBJECT))
		while (val_next_member(&it, &key, &value))
			talk_add_metric(r, &b, key, value);
	it = val_begin(flat);
	if (val_is(flat, JSON_OBJECT))
		while (val_next_member(&it, &key, &value)) {
			if (!val_is(value, JSON_NUMBER) || verifiers_is_column(key) || reading_is_marked(r, value))
				continue;
			if (talk_repeats(r, metrics, key, value))
				reading_keep(r, value);
			else if (!val_has(metrics, val_text(key, r->arena)))
				talk_add_metric(r, &b, key, value);
		}
	if (val_is(metrics, JSON_OBJECT) && val_count(metrics) == 0)
		reading_keep(r, metrics);
	if (reward.n || b.n)
		talk_add_score(r, e, buf_str(&b), reward);
	buf_free(&b);
	return e;
}

bool verifiers_read_error(struct reading *r, struct val error)
{
	static const struct str names[] = { WORD("error_chain_str"), WORD("message"), WORD("error") };
	struct event *e;

	if (val_is_unset(error) || val_text_is(error, STR("")))
		return false;
	e = reading_add(r, EVENT_ERROR);
	e->class = STR("harness");
	e->text = reading_text_of(r, error);
	for (size_t i = 0; i < COUNT(names) && !e->text.n; i++)
		if (val_is(val_get(error, names[i]), JSON_STRING))
			e->text = reading_text(r, error, names[i]);
	if (!e->text.p)
		e->text = STR("");
	if (val_is(error, JSON_OBJECT))
		reading_rest(r, e, error);
	return true;
}
