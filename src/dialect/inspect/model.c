/* Model events and messages of an Inspect sample. */
#include "dialect/inspect/sample.h"

/*
 * Whether cached tokens are among the input tokens depends on the provider: the total tells. Without one they are
 * not, as Inspect itself says.
 */
struct usage inspect_usage(struct reading *r, struct val v)
{
	struct usage u = {
		.input = reading_count(r, v, STR("input_tokens")),
		.output = reading_count(r, v, STR("output_tokens")),
		.cache_read = reading_count(r, v, STR("input_tokens_cache_read")),
		.cache_write = reading_count(r, v, STR("input_tokens_cache_write")),
		.reasoning = reading_count(r, v, STR("reasoning_tokens")),
	};
	uint64_t cache = (figure_is_known(u.cache_read) ? u.cache_read.n : 0) +
			 (figure_is_known(u.cache_write) ? u.cache_write.n : 0);
	int64_t total;
	bool inside = val_i64(val_get(v, STR("total_tokens")), &total) && figure_is_known(u.input) && total >= 0 &&
		      (uint64_t)total == u.input.n + (figure_is_known(u.output) ? u.output.n : 0);

	if (figure_is_known(u.input) && !inside)
		u.input.n += cache;
	return u;
}

void inspect_read_usage(struct reading *r, struct val v, struct event *e)
{
	double usd;

	e->usage = inspect_usage(r, v);
	if (val_double(val_get(v, STR("total_cost")), &usd) && usd >= 0 && usd < 1e9)
		e->usd = AMOUNT(usd); /* it stays in the rest */
}

/* ---- messages ---- */

/* The text of a content that is a string or a list of parts, and what was thought. */
static void read_content(struct inspect_sample *s, struct val content, struct str *text, struct str *reasoning)
{
	struct buf said = { 0 }, thought = { 0 };

	if (val_is(content, JSON_STRING)) {
		*text = inspect_text(s, reading_text_of(s->r, content));
		return;
	}
	if (!val_is(content, JSON_ARRAY))
		return;
	VALUES_EACH(part, content) {
		struct str piece;

		if (!val_is(part, JSON_OBJECT))
			continue;
		piece = inspect_text(s, reading_text(s->r, part, STR("text")));
		buf_add_str(&said, piece);
		piece = inspect_text(s, reading_text(s->r, part, STR("reasoning")));
		buf_add_str(&thought, piece);
	}
	*text = arena_copy(s->r->arena, buf_str(&said));
	if (thought.n > 0)
		*reasoning = arena_copy(s->r->arena, buf_str(&thought));
	buf_free(&said);
	buf_free(&thought);
}

/* Notes a message and tells whether it was there before: by its id when a model gave it, else by all it says. */
static bool inspect_model_was_seen(struct inspect_sample *s, struct val message)
{
	struct str id = inspect_look(s, val_get(message, STR("id")));
	struct str call = inspect_look(s, val_get(message, STR("tool_call_id")));
	struct hash h = str_hash_wide(val_source(message));
	bool added;

	if (id.n && map_find(&s->seen, id))
		return true;
	if (call.n && map_find(&s->seen, ARENA_JOIN(s->r->arena, STR("result:"), call)))
		return true;
	map_add(&s->seen, str_of(&h, sizeof(h)), &added);
	return !added;
}

/* Remembers an answer without an id by all it says, so that the next input does not tell it again. */
static void note_message(struct inspect_sample *s, struct val message)
{
	struct hash h = str_hash_wide(val_source(message));

	map_add(&s->seen, str_of(&h, sizeof(h)), &(bool){ false });
}

/* The calls of an answer that is only known as a message. */
static void inspect_model_read_calls(struct inspect_sample *s, struct val message, struct str step)
{
	struct val calls = val_get(message, STR("tool_calls")), v;
	struct val_iter it = val_begin(calls);

	for (int i = 0; val_is(calls, JSON_ARRAY) && val_next(&it, &v); i++) {
		struct event *e;

		if (!val_is(v, JSON_OBJECT))
			continue;
		e = reading_add(s->r, EVENT_CALL);
		e->step = step;
		e->index = i;
		e->call = text_or_none(reading_text(s->r, v, STR("id")));
		e->tool = reading_text(s->r, v, STR("function"));
		e->args = inspect_json(s, e, "args", val_get(v, STR("arguments")));
		reading_rest(s->r, e, v);
	}
}

/* An id that no other step of the sample has. */
static struct str inspect_model_step_id(struct inspect_sample *s, struct str id)
{
	bool added;

	s->model_count++;
	if (id.n == 0)
		id = arena_printf(s->r->arena, "model-%zu", s->model_count);
	map_add(&s->steps, id, &added);
	if (!added) {
		id = ARENA_JOIN(s->r->arena, id, arena_printf(s->r->arena, "#%zu", s->model_count));
		map_add(&s->steps, id, &added);
	}
	return id;
}

/* An answer that is only known as a message. */
static void inspect_model_read_answer(struct inspect_sample *s, struct val message)
{
	size_t at = s->r->count;
	struct event *e = reading_add(s->r, EVENT_STEP);
	struct str step = inspect_model_step_id(s, reading_text(s->r, message, STR("id")));

	e->step = step;
	e->model = reading_text(s->r, message, STR("model"));
	reading_take(s->r, val_get(message, STR("role")));
	read_content(s, val_get(message, STR("content")), &e->text, &e->reasoning);
	inspect_model_read_calls(s, message, step);
	reading_rest(s->r, &s->r->events[at], message);
}

/* A RESULT of a sample without events. Its id is empty, not absent, where the message has none. */
static void read_tool_message(struct inspect_sample *s, struct val message)
{
	struct event *e = reading_add(s->r, EVENT_RESULT);

	e->call = reading_text(s->r, message, STR("tool_call_id"));
	if (!e->call.p)
		e->call = STR("");
	reading_take(s->r, val_get(message, STR("role")));
	e->content = inspect_json(s, e, "result", val_get(message, STR("content")));
	if (val_is(val_get(message, STR("error")), JSON_OBJECT))
		e->is_error = TRUTH_TRUE;
	reading_rest(s->r, e, message);
}

/* A message that no event told. `answers`: there are no events, so the model's own are its steps. */
void inspect_read_message(struct inspect_sample *s, struct val message, bool answers)
{
	struct val role = val_get(message, STR("role")), source = val_get(message, STR("source"));
	bool given = val_text_is(source, STR("input"));
	struct event *e;

	if (!val_is(message, JSON_OBJECT))
		return;
	if (inspect_model_was_seen(s, message)) {
		reading_take(s->r, message);
		return;
	}
	if (answers && !given && val_text_is(role, STR("assistant"))) {
		inspect_model_read_answer(s, message);
	} else if (answers && val_text_is(role, STR("tool"))) {
		read_tool_message(s, message);
	} else {
		e = reading_add(s->r, EVENT_MESSAGE);
		e->role = reading_text_of(s->r, role);
		e->content = inspect_json(s, e, "content", val_get(message, STR("content")));
		reading_rest(s->r, e, message);
	}
}

/* ---- model events ---- */

/* Messages from one number to another, both in a list of two. */
static void read_range(struct inspect_sample *s, struct val ref)
{
	struct val_iter pair = val_begin(ref);
	struct val a, b;
	int64_t from, to;

	if (!val_is(ref, JSON_ARRAY) || val_count(ref) != 2 || !val_next(&pair, &a) || !val_next(&pair, &b) ||
	    !val_i64(a, &from) || !val_i64(b, &to) || from < 0)
		return;
	for (; from < to && (size_t)from < s->pool_count && s->pool_budget > 0; from++, s->pool_budget--) {
		if (val_is_none(s->pool[from]))
			continue;
		inspect_read_message(s, s->pool[from], false);
		s->pool[from] = VAL_NONE;
	}
}

/* What is new in the input goes before the answer. */
static void read_input(struct inspect_sample *s, struct val event, struct str parent, struct str branch)
{
	struct val input = val_get(event, STR("input")), refs = val_get(event, STR("input_refs")), v, ref;
	struct val_iter it = val_begin(input), each = val_begin(refs);
	size_t at = s->r->count;

	while (val_is(input, JSON_ARRAY) && val_next(&it, &v))
		inspect_read_message(s, v, false);
	while (val_is(refs, JSON_ARRAY) && val_next(&each, &ref))
		read_range(s, ref);
	for (; at < s->r->count; at++) {
		s->r->events[at].parent = parent;
		s->r->events[at].branch = branch;
	}
	if (val_is(refs, JSON_ARRAY) && val_count(input) == 0)
		reading_take(s->r, input);
}

/* When the model answered, and how long it took: by both times, else by what the provider said. */
static void inspect_model_read_times(struct inspect_sample *s, struct event *e, struct val event,
				     struct val output)
{
	struct moment begun = reading_time_text(s->r, inspect_look(s, val_get(event, STR("timestamp"))));

	e->ts = reading_time(s->r, event, STR("completed"));
	if (e->ts.text.p && begun.text.p && e->ts.ns >= begun.ns) {
		e->latency_ms = AMOUNT((double)(e->ts.ns - begun.ns) / 1e6);
	} else {
		struct amount seconds = reading_amount(s->r, output, STR("time"), 1000);

		if (amount_is_known(seconds))
			e->latency_ms = seconds;
	}
	if (!e->ts.text.p)
		e->ts = reading_time(s->r, event, STR("timestamp"));
}

/* Calls the answer asked for: the step is needed when they are made. */
static void note_asked(struct inspect_sample *s, struct val message, struct str step)
{
	struct val calls = val_get(message, STR("tool_calls"));
	struct str *kept = arena_new(s->r->arena, struct str);
	bool added;

	*kept = step;
	VALUES_EACH(v, calls) {
		struct str id = val_is(v, JSON_OBJECT) ? inspect_look(s, val_get(v, STR("id"))) : str_of(NULL, 0);

		if (id.n)
			*map_add(&s->asked, id, &added) = (uintptr_t)kept;
	}
}

/* The tools that the model was offered: the first list is the run's, later ones that are the same say nothing. */
static void inspect_model_read_tools(struct inspect_sample *s, struct event *start, struct val event)
{
	struct val tools = val_get(event, STR("tools"));
	struct str source;

	if (!val_is(tools, JSON_ARRAY) || val_count(tools) == 0)
		return;
	source = val_source(tools);
	if (!s->tools.p) {
		s->tools = source;
		start->tools = inspect_json(s, start, "tools", tools);
	} else if (str_eq(s->tools, source)) {
		reading_take(s->r, tools);
	}
}

/* "openai/gpt" is provider and model; what the answer says of its model is more exact. */
static void read_model_name(struct inspect_sample *s, struct event *e, struct val event, struct val output)
{
	struct str full = reading_text(s->r, event, STR("model")), rest;
	struct str provider = str_cut(full, '/', &rest);

	e->model = reading_text(s->r, output, STR("model"));
	if (e->model.n == 0)
		e->model = full;
	if (full.p && provider.n < full.n)
		e->provider = provider;
}

/* The COST of the step at `at`: usage is told for each call of the model. */
static void inspect_model_add_cost(struct inspect_sample *s, size_t at)
{
	struct event *cost = reading_add(s->r, EVENT_COST);
	const struct event *e = &s->r->events[at];

	cost->step = e->step;
	cost->branch = e->branch;
	cost->parent = e->parent;
	cost->model = e->model;
	cost->provider = e->provider;
	cost->usage = e->usage;
	cost->usd = e->usd;
	cost->ts = e->ts;
	cost->scope = STR("step");
}

/* An ERROR beside the step at `at`, which stays: the model was asked. */
static void inspect_model_add_error(struct inspect_sample *s, size_t at, struct str message)
{
	struct event *error = reading_add(s->r, EVENT_ERROR);
	const struct event *e = &s->r->events[at];

	error->class = STR("model");
	error->text = message;
	error->step = e->step;
	error->branch = e->branch;
	error->parent = e->parent;
	error->ts = e->ts;
}

/* What is new in the input goes first. Events may move when more are added, so the step is known by its place. */
void inspect_read_model(struct inspect_sample *s, struct val event, struct str inside)
{
	struct val output = val_get(event, STR("output")), cache = val_get(event, STR("cache"));
	struct val choice = val_at(output, STR("/choices/0")), message = val_get(choice, STR("message"));
	struct val usage = val_get(output, STR("usage"));
	struct str id = inspect_look(s, val_get(message, STR("id"))), error;
	struct event place = { 0 }, *e;
	size_t at;

	inspect_place(s, &place, event, inside);
	read_input(s, event, place.parent, place.branch);
	at = s->r->count;
	e = reading_add(s->r, EVENT_STEP);
	e->parent = place.parent;
	e->branch = place.branch;
	e->step = inspect_model_step_id(s, inspect_look(s, val_get(event, STR("uuid"))));
	read_model_name(s, e, event, output);
	inspect_model_read_times(s, e, event, output);
	read_content(s, val_get(message, STR("content")), &e->text, &e->reasoning);
	e->stop_reason = reading_text(s->r, choice, STR("stop_reason"));
	e->tool_choice = reading_text(s->r, event, STR("tool_choice"));
	note_asked(s, message, e->step);
	if (id.n)
		map_add(&s->seen, id, &(bool){ false });
	else if (!val_is_none(message))
		note_message(s, message);
	error = reading_text(s->r, event, STR("error"));
	if (error.n == 0)
		error = reading_text(s->r, output, STR("error"));
	if (error.n)
		e->stop_reason = STR("error");
	if (val_is(val_get(event, STR("pending")), JSON_TRUE))
		e->flags |= EVENT_PARTIAL;
	/* An answer out of the cache cost nothing: its usage is not the run's, and stays in ext. */
	if (val_is(usage, JSON_OBJECT) && !val_text_is(cache, STR("read")))
		inspect_read_usage(s->r, usage, e);
	inspect_model_read_tools(s, &s->r->events[s->start], event);
	e = &s->r->events[at];
	reading_rest(s->r, e, event);
	if (usage_is_known(&e->usage))
		inspect_model_add_cost(s, at);
	if (error.n)
		inspect_model_add_error(s, at, error);
}
