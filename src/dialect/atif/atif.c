/*
 * Harbor's agent trajectory interchange format: a document with the steps of a run. Since a document is one value,
 * everything that needs an order is done here: which steps are one answer of the model, which result belongs to
 * which call, which sub-agent to which result. What ext holds is what write.c needs to give each field back.
 */
#include "dialect/atif/check.h"
#include "dialect/atif/read_private.h"
#include "dialect/atif/rules.h"
#include "dialect/formats.h"
#include "model/assemble.h"
#include "model/words.h"

#define DEPTH 16 /* sub-agents within sub-agents; deeper ones stay in ext */

struct str atif_look(struct atif_trajectory *t, struct val v)
{
	return val_text_or_none(v, t->r->arena);
}

struct event *atif_add(struct atif_trajectory *t, enum event_kind kind)
{
	struct event *e = reading_add(t->r, kind);

	e->branch = t->branch;
	e->parent = t->parent;
	return e;
}

/* Whether a model answered in this step; one with llm_call_count 0 is the agent's own. */
static bool is_agent(struct val step)
{
	struct val count = val_get(step, STR("llm_call_count")), source = val_get(step, STR("source"));
	int64_t n;

	return val_text_is(source, STR("agent")) && !(val_i64(count, &n) && n == 0);
}

static bool is_copied(struct val step)
{
	return val_is(val_get(step, STR("is_copied_context")), JSON_TRUE);
}

/* ---- usage ---- */

/* As reading_count and reading_amount, but nothing is marked: metrics are kept as they stand. */

/* Counts below 2^53, which every reader of JSON holds exactly; others are absent. */
static struct figure atif_count_of(struct val object, struct str name)
{
	struct val v = val_get(object, name);
	int64_t n;

	if (val_is(v, JSON_NULL))
		return (struct figure){ .state = FIGURE_NULL };
	return val_i64(v, &n) && n >= 0 && n < (int64_t)1 << 53 ? FIGURE((uint64_t)n) : (struct figure){ 0 };
}

struct amount atif_amount(struct val object, struct str name)
{
	struct val v = val_get(object, name);
	double n;

	if (val_is(v, JSON_NULL))
		return (struct amount){ .state = FIGURE_NULL };
	return val_double(v, &n) && n < 1e300 && n > -1e300 ? AMOUNT(n) : (struct amount){ 0 };
}

/* What was written to the cache is not among the prompt's tokens. */
static void add_written(struct usage *u)
{
	if (figure_is_known(u->input) && figure_is_known(u->cache_write))
		u->input.n += u->cache_write.n;
}

/* Which of the tokens are a guess, where our own writer says so. */
static void read_guesses(struct val list, struct usage *u)
{
	struct figure *all[ATIF_FIGURES] = { &u->input, &u->output, &u->cache_read, &u->cache_write,
					     &u->cache_write_1h, &u->reasoning };

	VALUES_EACH(name, list)
		for (size_t i = 0; i < ATIF_FIGURES; i++)
			if (val_text_is(name, atif_figures[i]))
				all[i]->source = FIGURE_ESTIMATED;
}

/* Figures of a step. What ATIF has no word for stands in `extra`, by the vendors' names. */
static struct usage atif_read_usage(struct val metrics)
{
	struct val extra = val_get(metrics, STR("extra"));
	struct usage u = {
		.input = atif_count_of(metrics, STR("prompt_tokens")),
		.output = atif_count_of(metrics, STR("completion_tokens")),
		.cache_read = atif_count_of(metrics, STR("cached_tokens")),
		.cache_write = atif_count_of(extra, STR("cache_creation_input_tokens")),
		.cache_write_1h =
			atif_count_of(val_get(extra, STR("cache_creation")), STR("ephemeral_1h_input_tokens")),
		.reasoning = atif_count_of(extra, STR("reasoning_tokens")),
	};

	add_written(&u);
	read_guesses(val_at(metrics, STR(ATIF_OURS "/estimated")), &u);
	return u;
}

/* Dollars of the vendor, or those that were computed when the document was written. */
static void read_money(struct atif_trajectory *t, struct val metrics, struct str name, struct event *cost)
{
	struct val ours = val_at(metrics, STR(ATIF_OURS));
	struct amount computed = atif_amount(ours, STR("estimated_cost_usd"));

	cost->usd = atif_amount(metrics, name);
	if (cost->usd.state != FIGURE_ABSENT || !amount_is_known(computed))
		return;
	cost->usd = computed;
	cost->usd.source = FIGURE_ESTIMATED;
	cost->price_table = atif_look(t, val_get(ours, STR("price_table")));
}

static bool same_number(struct val a, struct val b)
{
	return val_type(a) == val_type(b) && (!val_is(a, JSON_NUMBER) || str_eq(val_raw(a), val_raw(b)));
}

/*
 * Harbor's Claude Code makes a step of each block of an answer and repeats the answer's usage on it. Such steps
 * follow each other and have the same input; nobody else tells what was written to the cache.
 */
static bool same_answer(struct val a, struct val b)
{
	static const char *const figures[] = { "/prompt_tokens", "/extra/cache_creation_input_tokens",
					       "/cached_tokens" };
	struct val m = val_get(a, STR("metrics")), n = val_get(b, STR("metrics"));

	if (!is_agent(a) || !is_agent(b) || is_copied(a) || is_copied(b))
		return false;
	if (val_has(b, STR("llm_call_count")))
		return false;
	for (size_t i = 0; i < 3; i++) {
		struct val x = val_at(m, str_from(figures[i])), y = val_at(n, str_from(figures[i]));

		if (!same_number(x, y) || (i < 2 && !val_is(x, JSON_NUMBER)))
			return false;
	}
	return true;
}

/* ---- steps ---- */

/* The text of a message that is a string or a list of parts; nothing is marked. */
static void message_add(struct atif_trajectory *t, struct buf *out, struct val message)
{
	if (out->n > 0 && (val_is(message, JSON_ARRAY) || atif_look(t, message).n > 0))
		buf_add_byte(out, '\n');
	if (val_is(message, JSON_STRING))
		buf_add_str(out, atif_look(t, message));
	VALUES_EACH(part, message)
		if (val_is(part, JSON_OBJECT))
			buf_add_str(out, atif_look(t, val_get(part, STR("text"))));
}

/* The member of all steps of a group as one text, a line each; absent when none of them has it. */
static struct str atif_joined(struct atif_trajectory *t, const struct atif_group *g, struct str name)
{
	struct str text = str_of(NULL, 0);
	struct buf b = { 0 };
	bool any = false;

	for (size_t i = 0; i < g->count; i++) {
		struct val v = val_get(g->steps[i], name);

		any = any || val_is(v, JSON_STRING) || val_is(v, JSON_ARRAY);
		message_add(t, &b, v);
	}
	if (any)
		text = arena_copy(t->r->arena, buf_str(&b));
	buf_free(&b);
	return text;
}

/* The number of the step, or its place; made different when the trajectory had it before. */
static struct str atif_step_id(struct atif_trajectory *t, struct val step)
{
	struct val v = val_get(step, STR("step_id"));
	struct str id = val_is(v, JSON_NUMBER) ? val_raw(v) : atif_look(t, v);
	bool added;

	if (id.n == 0)
		id = arena_printf(t->r->arena, "step-%zu", t->number);
	if (t->branch.p) /* ids are the run's, and every trajectory counts from 1 */
		id = arena_printf(t->r->arena, "%.*s/%.*s", STR_ARG(t->branch), STR_ARG(id));
	map_add(&t->steps, id, &added);
	while (!added) {
		id = arena_printf(t->r->arena, "%.*s#%zu", STR_ARG(id), t->number);
		map_add(&t->steps, id, &added);
	}
	return id;
}

static struct amount ours_ms(struct val ours, struct str name)
{
	struct amount a = atif_amount(ours, name);

	return amount_is_known(a) && a.n >= 0 ? a : (struct amount){ 0 };
}

/*
 * An answer of the model, of one or several steps, as a STEP and its COST. Of figures that several steps repeat those
 * with the largest output count.
 */
static void atif_read_answer(struct atif_trajectory *t, struct atif_group *g)
{
	struct event *e = atif_add(t, EVENT_STEP), *cost;
	struct val last = g->steps[g->count - 1];
	struct event said = { .index = -1 }; /* what it cost */
	struct val ours = val_at(last, STR(ATIF_OURS));

	e->step = g->id = atif_step_id(t, g->steps[0]);
	e->model = atif_look(t, val_get(last, STR("model_name")));
	e->provider = t->provider;
	if (!e->model.p)
		e->model = t->model;
	e->text = atif_joined(t, g, STR("message"));
	e->reasoning = atif_joined(t, g, STR("reasoning_content"));
	e->stop_reason = atif_look(t, val_at(last, STR("/extra/stop_reason")));
	for (size_t i = 0; i < g->count; i++) {
		struct val metrics = val_get(g->steps[i], STR("metrics"));
		struct usage u = atif_read_usage(metrics);

		if (i == 0 || (figure_is_known(u.output) && u.output.n > e->usage.output.n)) {
			e->usage = u;
			read_money(t, metrics, STR("cost_usd"), &said);
		}
	}
	e->latency_ms = ours_ms(ours, STR("latency_ms"));
	e->ttft_ms = ours_ms(ours, STR("ttft_ms"));
	if (t->is_whole || (!usage_is_known(&e->usage) && !amount_is_known(said.usd)))
		return;
	t->has_usage = true;
	cost = atif_add(t, EVENT_COST);
	e = &t->r->events[g->event];
	cost->step = e->step;
	cost->model = e->model;
	cost->provider = e->provider;
	cost->usage = e->usage;
	cost->usd = said.usd;
	if (t->is_stated)
		cost->usd.state = FIGURE_NULL; /* a part of what the totals say */
	cost->price_table = said.price_table;
	cost->scope = STR("step");
}

/* Takes what the event of a single step holds as it stands; the rest, which is put back by name, stays. */
static void take_answer(struct atif_trajectory *t, const struct atif_group *g)
{
	struct event *e = &t->r->events[g->event];
	struct val step = g->steps[0], metrics = val_get(step, STR("metrics"));

	reading_take(t->r, val_get(step, STR("source")));
	if (val_is(val_get(step, STR("message")), JSON_STRING))
		reading_take(t->r, val_get(step, STR("message")));
	if (val_is(val_get(step, STR("reasoning_content")), JSON_STRING))
		reading_take(t->r, val_get(step, STR("reasoning_content")));
	if (val_is(metrics, JSON_OBJECT))
		reading_extra(t->r, e, STR("metrics"), reading_json_of(t->r, e, "ext/atif~11/metrics", metrics));
}

/* "json" that does not parse is taken as the text that it is. */
struct str atif_read_content(struct atif_trajectory *t, struct event *e, const char *member, struct val object,
			     struct str name)
{
	struct str how = atif_look(t, val_get(val_at(object, STR(ATIF_OURS)), STR(ATIF_OURS_CONTENT)));
	struct str json = { NULL, 0 };
	struct val v = VAL_NONE;

	if (str_eq(how, STR("absent")) || str_eq(how, STR("null")))
		return str_eq(how, STR("null")) ? STR("null") : json;
	if (str_eq(how, STR("json")))
		v = reading_parse(t->r, atif_look(t, val_get(object, name)));
	if (val_is_none(v))
		return reading_json(t->r, e, member, object, name);
	json = reading_json_of(t->r, e, member, v);
	reading_release(t->r, v);
	return json;
}

static enum truth truth_of(struct val v)
{
	return val_is(v, JSON_TRUE) ? TRUTH_TRUE : val_is(v, JSON_FALSE) ? TRUTH_FALSE : TRUTH_ABSENT;
}

/* What our own writer made a step of: an error, or nothing that anybody said. False when it is neither. */
static bool read_made(struct atif_trajectory *t, struct val step, struct val ours)
{
	struct val error = val_get(ours, STR(ATIF_OURS_ERROR)), message = val_get(step, STR("message"));
	struct str code = atif_look(t, val_get(error, STR("code")));
	struct event *e;

	if (val_is(val_get(ours, STR(ATIF_OURS_MESSAGE)), JSON_FALSE)) {
		e = atif_add(t, EVENT_NOTE);
		e->role = STR(ATIF_STEP);
		e->content = reading_json_of(t->r, e, "content", message);
		return true;
	}
	if (!val_is(error, JSON_OBJECT) || !val_is(message, JSON_STRING) || str_eq(code, STR("orphan_result")) ||
	    str_eq(code, STR("no_result")))
		return false;
	e = atif_add(t, EVENT_ERROR);
	e->text = reading_text_of(t->r, message);
	e->class = atif_look(t, val_get(error, STR("class")));
	e->code = code;
	e->call = atif_look(t, val_get(error, STR("call_id")));
	e->retryable = (uint8_t)truth_of(val_get(error, STR("retryable")));
	return true;
}

/* A step that no model answered in: a message, an error, or what our own writer put there. */
static void atif_read_other(struct atif_trajectory *t, const struct atif_group *g)
{
	struct val step = g->steps[0], source = val_get(step, STR("source")), ours = val_at(step, STR(ATIF_OURS));
	bool user = val_text_is(source, STR("user")), system = val_text_is(source, STR("system"));
	bool agent = val_text_is(source, STR("agent"));
	struct str role = atif_look(t, val_get(ours, STR(ATIF_OURS_ROLE)));
	struct event *e;

	if (!val_is(step, JSON_OBJECT) || is_copied(step)) {
		e = atif_add(t, EVENT_NOTE);
		e->role = val_is(step, JSON_OBJECT) ? STR(ATIF_COPIED) : STR(ATIF_RAW);
		e->content = reading_json_of(t->r, e, "content", step);
		return;
	}
	if (read_made(t, step, ours))
		return;
	/* What the agent did by itself, without a model, is no answer; a message ends the answer before it. */
	e = atif_add(t, user || system || agent ? EVENT_MESSAGE : EVENT_NOTE);
	if (role.n > 0 && e->kind == EVENT_MESSAGE)
		e->role = role;
	else
		e->role = user || system ? reading_text_of(t->r, source) : agent ? STR("agent") : STR(ATIF_STEP);
	e->content = atif_read_content(t, e, "content", step, STR("message"));
}

/* ---- trajectories ---- */

/* Notes the step's number in ext, where the writer could not find it by step_id. */
static void say_number(struct atif_trajectory *t, const struct atif_group *g)
{
	struct val id = val_is(g->steps[0], JSON_OBJECT) ? val_get(g->steps[0], STR("step_id")) : VAL_NONE;
	struct event *e = &t->r->events[g->event];
	int64_t n;

	/* Of several steps, and of one that is content as a whole, no id stands where the writer would look. */
	if (g->count > 1 || (e->kind == EVENT_NOTE && !str_eq(e->role, STR(ATIF_STEP))) || !val_i64(id, &n) ||
	    n != (int64_t)g->number)
		reading_extra(t->r, e, STR(ATIF_AT), arena_printf(t->r->arena, "%zu", g->number));
}

/*
 * A group of steps that are one thing: its main event, then its calls and results. What no event holds stays in ext,
 * under each step's own number.
 */
static void read_group(struct atif_trajectory *t, struct atif_group *g)
{
	struct reading *r = t->r;
	size_t *first = arena_array(r->arena, size_t, g->count + 1);
	bool whole;
	struct val last = g->steps[g->count - 1];

	g->event = r->count;
	g->answer = is_agent(g->steps[0]) && !is_copied(g->steps[0]);
	if (g->answer)
		atif_read_answer(t, g);
	else
		atif_read_other(t, g);
	say_number(t, g);
	whole = r->events[g->event].kind == EVENT_NOTE && !str_eq(r->events[g->event].role, STR(ATIF_STEP));
	if (!whole) {
		if (g->answer && g->count == 1)
			take_answer(t, g);
		r->events[g->event].ts = g->count == 1 ? reading_time(r, last, STR("timestamp")) :
					 reading_time_text(r, atif_look(t, val_get(last, STR("timestamp"))));
		atif_read_calls(t, g, first);
		for (size_t i = 0; i < g->count; i++) {
			size_t all = t->count;

			t->count = first[i + 1]; /* results by place are among the calls of their own step */
			atif_read_results(t, g, i, first[i]);
			t->count = all;
			atif_flag_cut(t, &r->events[g->event], g->steps[i]);
		}
		for (size_t i = 0; i < g->count; i++)
			reading_rest_under(r, &r->events[g->event], g->steps[i], g->count == 1 ? str_of(NULL, 0) :
					   arena_printf(r->arena, ATIF_PIECE "%zu", i));
	}
}

/* How many calls there can be at most, to have room for all of them. */
static size_t count_calls(struct val steps)
{
	size_t n = 0;

	VALUES_EACH(step, steps)
		n += val_is(step, JSON_OBJECT) ? val_count(val_get(step, STR("tool_calls"))) : 0;
	return n;
}

/* Neighbouring steps that are one answer are read together; numbers count all steps of the document. */
static void read_steps(struct atif_trajectory *t)
{
	struct val steps = val_get(t->root, STR("steps"));
	size_t count = 0, next;
	struct val *all;

	if (!val_is(steps, JSON_ARRAY))
		return;
	all = arena_array(t->r->arena, struct val, val_count(steps) + 1);
	t->list = arena_array(t->r->arena, struct atif_call, count_calls(steps) + 1);
	map_init(&t->calls, t->r->arena);
	map_init(&t->steps, t->r->arena);
	VALUES_EACH(v, steps)
		all[count++] = v;
	for (size_t i = 0; i < count; i = next) {
		struct atif_group g = { .steps = all + i };

		next = i + 1;
		while (next < count && val_is(all[next], JSON_OBJECT) && same_answer(all[next - 1], all[next]))
			next++;
		g.count = next - i;
		t->number = g.number = i + 1;
		read_group(t, &g);
	}
}

/* The totals of the run stand in for those of the steps only when these have none: figures must add up. */
static void read_totals(struct atif_trajectory *t, struct event *end)
{
	struct val totals = val_get(t->root, STR("final_metrics")), extra = val_get(totals, STR("extra"));
	struct val ours = val_get(extra, STR("trackway"));
	struct event *e, said = { .index = -1 };
	bool counts;
	struct usage u = {
		.input = atif_count_of(totals, STR("total_prompt_tokens")),
		.output = atif_count_of(totals, STR("total_completion_tokens")),
		.cache_read = atif_count_of(totals, STR("total_cached_tokens")),
		.cache_write = atif_count_of(extra, STR("total_cache_creation_input_tokens")),
	};

	if (!val_is(totals, JSON_OBJECT))
		return;
	add_written(&u);
	if (t->is_whole)
		u.reasoning = atif_count_of(ours, STR("reasoning_tokens"));
	read_guesses(val_get(ours, STR("estimated")), &u);
	read_money(t, totals, STR("total_cost_usd"), &said);
	if (t->is_stated && t->has_usage)
		u = (struct usage){ 0 }; /* the steps have these */
	counts = !t->has_usage && !val_text_is(val_get(ours, STR("scope")), STR("steps"));
	if (t->is_stated || t->is_whole)
		counts = !t->branch.p;
	if (counts && (usage_is_known(&u) || amount_is_known(said.usd))) {
		size_t at = (size_t)(end - t->r->events);

		e = atif_add(t, EVENT_COST); /* behind `end`, and then before it */
		e->usage = u;
		e->usd = said.usd;
		e->price_table = said.price_table;
		e->scope = STR("run");
		e->flags = EVENT_TOTAL;
		e->model = atif_look(t, val_get(ours, STR("model")));
		if (!t->is_whole || !e->model.p)
			e->model = t->model;
		end = &t->r->events[at];
	}
	reading_extra(t->r, end, STR("final_metrics"), reading_json_of(t->r, end, "ext/atif~11/final_metrics", totals));
}

/* Documents do not say when they began: the first step that has a time does. Derived, or none at all. */
static struct moment atif_first_time(struct atif_trajectory *t)
{
	struct val steps = val_get(t->root, STR("steps")), step;
	struct val_iter it = val_begin(steps);
	struct moment m = { 0 };

	while (!m.text.p && val_is(steps, JSON_ARRAY) && val_next(&it, &step))
		if (val_is(step, JSON_OBJECT))
			m = reading_time_text(t->r, atif_look(t, val_get(step, STR("timestamp"))));
	m.source = m.text.p ? MOMENT_DERIVED : MOMENT_NONE;
	return m;
}

/* A tool as it was before plain.c made an object of it. */
static struct val atif_read_definition(struct val v)
{
	struct val name = val_at(v, STR("/function/name")), value = val_get(v, STR("value"));

	if (val_count(v) == 2 && val_is(name, JSON_STRING))
		return name;
	return val_count(v) == 1 && !val_is_none(value) ? value : v;
}

/* The offered tools. Where our writer made objects of names, the names; the objects stay in the rest. */
static struct str atif_read_tools(struct atif_trajectory *t, struct event *e, struct val agent, bool names)
{
	struct val list = val_get(agent, STR("tool_definitions")), v;
	struct val_iter it = val_begin(list);
	struct buf b = { 0 };
	struct str json = { NULL, 0 };

	if (!val_is(list, JSON_ARRAY))
		return json;
	if (!names)
		return reading_json(t->r, e, "tools", agent, STR("tool_definitions"));
	buf_add_byte(&b, '[');
	while (val_next(&it, &v)) {
		buf_add_str(&b, b.n > 1 ? STR(",") : STR(""));
		buf_add_str(&b, val_source(val_is(v, JSON_OBJECT) ? atif_read_definition(v) : v));
	}
	buf_add_byte(&b, ']');
	v = reading_parse(t->r, buf_str(&b));
	if (!val_is_none(v)) {
		json = reading_json_of(t->r, e, "tools", v);
		reading_release(t->r, v);
	}
	buf_free(&b);
	return json;
}

/* The agent's name, version, model and tools. `e` NULL: only the model is wanted, for a sub-agent. */
static void atif_read_agent(struct atif_trajectory *t, struct event *e)
{
	struct val agent = val_get(t->root, STR("agent")), model = val_get(agent, STR("model"));
	struct val ours = val_at(agent, STR(ATIF_OURS)); /* null for what has a name only because it must */

	t->model = atif_look(t, val_get(agent, STR("model_name")));
	if (!t->model.p && val_is(model, JSON_STRING))
		t->model = atif_look(t, model);
	if (!t->model.p && val_is(model, JSON_OBJECT)) {
		t->model = atif_look(t, val_get(model, STR("name")));
		t->provider = atif_look(t, val_get(model, STR("provider")));
	}
	if (!e)
		return;
	e->model = t->model;
	if (val_is(val_get(agent, STR("name")), JSON_STRING) && !val_is(val_get(ours, STR("name")), JSON_NULL))
		e->agent = reading_text(t->r, agent, STR("name"));
	if (e->agent.p && val_is(val_get(agent, STR("version")), JSON_STRING) &&
	    !val_is(val_get(ours, STR("version")), JSON_NULL))
		e->agent_version = reading_text(t->r, agent, STR("version"));
	if (str_eq(e->agent, STR("claude-code")))
		e->framework = STR("claude_code");
	e->tools = atif_read_tools(t, e, agent, val_text_is(val_get(ours, STR(ATIF_OURS_TOOLS)), STR("names")));
}

/* ---- sub-agents, each behind the one that started it ---- */

/* A name for the sub-agent's branch, which must be its own in the run. */
static struct str branch_name(struct atif_trajectory *t, struct map *names, size_t number)
{
	struct str name = atif_look(t, val_get(t->root, STR("trajectory_id")));
	bool added;

	if (name.n == 0)
		name = atif_look(t, val_get(t->root, STR("session_id")));
	if (name.n == 0)
		name = arena_printf(t->r->arena, "subagent-%zu", number);
	map_add(names, name, &added);
	return added ? name : arena_printf(t->r->arena, "%.*s#%zu", STR_ARG(name), number);
}

/* A NOTE for the sub-agent, its steps, and its totals. */
static void read_subagent(struct atif_trajectory *t, size_t depth)
{
	size_t at = t->r->count;
	struct event *e = atif_add(t, EVENT_NOTE);

	e->role = STR(ATIF_SUBAGENT);
	e->ts = atif_first_time(t);
	atif_read_agent(t, NULL);
	read_steps(t);
	e = &t->r->events[at];
	reading_extra(t->r, e, STR(ATIF_DEPTH), arena_printf(t->r->arena, "%zu", depth));
	if (!val_has(t->root, STR("steps")))
		reading_extra(t->r, e, STR(ATIF_NO_STEPS), STR("true"));
	read_totals(t, e);
}

/* The call that a sub-agent was started by: the one whose result names it. */
static struct str parent_of(struct atif_trajectory *t, struct val sub)
{
	struct str id = atif_look(t, val_get(sub, STR("trajectory_id")));
	const uint64_t *found = id.n ? map_find(t->refs, id) : NULL;

	id = atif_look(t, val_get(sub, STR("session_id")));
	if (!found && id.n)
		found = map_find(t->refs, id);
	return found ? *(const struct str *)(uintptr_t)*found : atif_look(t, val_at(sub, STR("/extra/parent_call_id")));
}

/* What is left of a trajectory is known when its own sub-agents were read. */
static void read_subagents(struct atif_trajectory *main)
{
	struct { struct val_iter it; struct val root; size_t event; } open[DEPTH + 2];
	struct val list = val_get(main->root, STR("subagent_trajectories")), v;
	struct map names;
	size_t depth = 1, number = 0;

	map_init(&names, main->r->arena);
	open[1].it = val_begin(val_is(list, JSON_ARRAY) ? list : VAL_NONE);
	while (depth > 0) {
		struct atif_trajectory t = {
			.r = main->r, .refs = main->refs, .model = main->model, .is_whole = main->is_whole,
		};

		if (!val_next(&open[depth].it, &v)) {
			if (--depth > 0)
				reading_rest(t.r, &t.r->events[open[depth + 1].event], open[depth + 1].root);
			continue;
		}
		if (!val_is(v, JSON_OBJECT))
			continue;
		t.root = v;
		t.parent = parent_of(main, v);
		t.branch = branch_name(&t, &names, ++number);
		list = depth < DEPTH ? val_get(v, STR("subagent_trajectories")) : VAL_NONE;
		open[depth + 1].event = t.r->count;
		open[depth + 1].root = v;
		read_subagent(&t, depth);
		open[++depth].it = val_begin(val_is(list, JSON_ARRAY) ? list : VAL_NONE);
	}
}

/* How the run ended, where our own writer says so. */
static void atif_read_status(struct atif_trajectory *t, struct event *e)
{
	struct val ours = val_at(t->root, STR(ATIF_OURS));
	enum run_status status = words_fold_status(atif_look(t, val_get(ours, STR(ATIF_OURS_STATUS))));

	e->status = status != STATUS_UNKNOWN ? status : e->status;
	if (e->status != STATUS_UNKNOWN && !e->reason.p)
		e->reason = atif_look(t, val_get(ours, STR(ATIF_OURS_REASON)));
}

/* Whether the document says what the run cost, and nothing of its steps. */
static bool is_stated(struct val v)
{
	struct val steps = val_get(v, STR("steps"));

	VALUES_EACH(step, steps) {
		struct val metrics = val_is(step, JSON_OBJECT) ? val_get(step, STR("metrics")) : VAL_NONE;

		if (amount_is_known(atif_amount(metrics, STR("cost_usd"))) ||
		    !val_is_none(val_at(metrics, STR(ATIF_OURS "/estimated_cost_usd"))))
			return false;
	}
	return amount_is_known(atif_amount(val_get(v, STR("final_metrics")), STR("total_cost_usd")));
}

/* A document: RUN_START, its steps, its sub-agents, the totals and RUN_END. */
static void atif_read_value(struct reading *r, struct val v)
{
	struct map refs;
	struct atif_trajectory t = { .r = r, .root = v, .refs = &refs };
	struct val next = val_get(v, STR("continued_trajectory_ref"));
	size_t at = r->count, end;
	struct event *e;

	if (!val_is(v, JSON_OBJECT)) {
		e = reading_add(r, EVENT_NOTE);
		e->role = STR("value");
		e->content = reading_json_of(r, e, "content", v);
		return;
	}
	map_init(&refs, r->arena);
	e = reading_add(r, EVENT_RUN_START);
	e->vendor = STR("atif");
	e->ts = atif_first_time(&t);
	e->run = atif_look(&t, val_get(v, STR("session_id")));
	if (e->run.n == 0)
		e->run = atif_look(&t, val_get(v, STR("trajectory_id")));
	if (!val_has(v, STR("steps")))
		reading_extra(r, e, STR(ATIF_NO_STEPS), STR("true"));
	atif_read_agent(&t, e);
	t.is_stated = is_stated(v);
	t.is_whole = val_text_is(val_at(v, STR("/final_metrics" ATIF_OURS "/scope")), STR("run"));
	read_steps(&t);
	read_subagents(&t);
	end = r->count;
	e = reading_add(r, EVENT_RUN_END);
	if (val_is(next, JSON_STRING)) {
		e->reason = STR("continued");
		reading_extra(r, e, STR("continued_trajectory_ref"), reading_json_of(r, e, "ext", next));
	}
	atif_read_status(&t, e);
	read_totals(&t, e);
	if (r->count > end + 1) { /* the totals' COST stands before the end of the run */
		struct event cost = r->events[end + 1];

		r->events[end + 1] = r->events[end];
		r->events[end] = cost;
	}
	reading_rest(r, &r->events[at], v);
}

/* ---- the fold: documents of one session behind each other are runs of their own ---- */

struct fold {
	struct arena arena;
	struct map runs; /* ids to how often they came */
	bool begun;
};

static void *atif_fold_open(void)
{
	struct fold *f = mem_alloc(sizeof(*f));

	*f = (struct fold){ .begun = false };
	arena_init(&f->arena);
	return f;
}

static void atif_fold_close(void *fold)
{
	struct fold *f = fold;

	arena_free(&f->arena);
	mem_free(f);
}

/* The id of a run that came before gets "#2" and so on. False only when the assembler refused an event. */
static bool atif_fold_event(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct fold *f = fold;
	struct event renamed = *e;
	uint64_t *times;
	bool added;

	if (e->kind != EVENT_RUN_START || !e->run.p)
		return assemble_add(as, e, err);
	if (!f->begun)
		map_init(&f->runs, &f->arena);
	f->begun = true;
	times = map_add(&f->runs, e->run, &added);
	if (++*times > 1)
		renamed.run = arena_printf(&f->arena, "%.*s#%llu", STR_ARG(e->run), (unsigned long long)*times);
	return assemble_add(as, &renamed, err);
}

static bool atif_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct fold *f = fold;

	(void)as;
	(void)err;
	arena_reset(&f->arena);
	f->begun = false;
	return true;
}

/* ---- detection ---- */

/* A schema_version of ATIF is sure. One that is only a number needs steps and an agent beside it. */
static int atif_fits(struct val v)
{
	struct val version = val_get(v, STR("schema_version")), agent = val_get(v, STR("agent"));
	bool steps = val_is(val_get(v, STR("steps")), JSON_ARRAY);

	if (!val_is(v, JSON_OBJECT) || !val_is(version, JSON_STRING))
		return 0;
	if (str_starts(val_raw(version), STR("ATIF-v")))
		return 100;
	/* Home-made ones leave the name out: "1.4". */
	return steps && val_is(agent, JSON_OBJECT) && str_starts(val_raw(version), STR("1.")) ? 90 : 0;
}

static const struct read_ops read_atif = {
	.vendor = "atif",
	.key = ATIF_KEY,
	.elements = true,
	.value = atif_read_value,
	.fold_open = atif_fold_open,
	.fold_close = atif_fold_close,
	.fold = atif_fold_event,
	.fold_end = atif_fold_end,
};

const struct dialect atif_dialect = {
	.name = "atif",
	.title = "ATIF, the agent trajectory interchange format, 1.0 to 1.8",
	.file = "trajectory.json",
	.unit = "step",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = atif_rules,
	.fits = atif_fits,
	.mark = "\"ATIF-v",
	DIALECT_RECORDS(atif_format, atif_roots),
	.read = &read_atif,
	.write = &atif_write,
};
