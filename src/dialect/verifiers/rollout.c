/*
 * A rollout: a line of results.jsonl, or a sample of a hosted evaluation, whose times, tokens and metrics stand in
 * `info`. It tells no time for a message; the newest tell when each call of the model began and ended.
 */
#include "dialect/reading/seconds.h"
#include "dialect/record/field.h"
#include "dialect/verifiers/fields.h"
#include "dialect/verifiers/rollout.h"

struct rollout {
	struct reading *r;
	struct val v, info;
	size_t start; /* the place of its RUN_START */
};

/* A member of the rollout, else of its info; the other spelling too. */
static struct val rollout_get(const struct rollout *o, struct str name, struct str other)
{
	struct val v = val_get_either(o->v, name, other);

	return val_is_unset(v) ? val_get_either(o->info, name, other) : v;
}

/* ---- times ---- */

static struct val rollout_timing(const struct rollout *o)
{
	struct val timing = rollout_get(o, STR("timing"), STR("timing"));

	return val_is(timing, JSON_OBJECT) ? timing : o->v;
}

/* What it took in all, in nanoseconds; 0 when nobody says. */
static int64_t rollout_total(const struct rollout *o)
{
	struct val timing = rollout_timing(o), ms = val_get(timing, STR("total_ms"));
	struct val seconds = val_get(timing, STR("total"));
	double took;

	if (!val_is(seconds, JSON_NUMBER))
		seconds = val_get_either(o->v, STR("total_time"), STR("totalTime"));
	if (val_double(ms, &took) && took > 0 && took < 1e12)
		return (int64_t)(took * 1e6);
	return val_double(seconds, &took) && took > 0 && took < 1e9 ? (int64_t)(took * 1e9) : 0;
}

/* When a hosted sample was made is as near to its start as one gets. */
static struct moment rollout_begun(const struct rollout *o)
{
	struct moment m = reading_time_of(o->r, val_get(rollout_timing(o), STR("start_time")));

	if (m.text.p)
		return m;
	m = reading_time_of(o->r, val_get_either(o->v, STR("created_at"), STR("createdAt")));
	m.source = m.text.p ? MOMENT_DERIVED : MOMENT_NONE;
	return m;
}

/* Spans of the model are those of the steps when there are as many. */
static void rollout_time_steps(const struct rollout *o, size_t from, size_t steps)
{
	struct val spans = val_at(rollout_timing(o), STR("/model/spans"));
	struct reading *r = o->r;
	size_t at = from;

	if (!val_is(spans, JSON_ARRAY) || val_count(spans) != steps)
		return;
	VALUES_EACH(span, spans) {
		struct moment begun = verifiers_take_seconds(r, val_get(span, STR("start")));
		struct moment ended = verifiers_take_seconds(r, val_get(span, STR("end")));

		while (at < r->count && r->events[at].kind != EVENT_STEP)
			at++;
		if (ended.text.p)
			r->events[at].ts = ended;
		if (ended.text.p && begun.text.p && ended.ns >= begun.ns)
			r->events[at].latency_ms = AMOUNT((double)(ended.ns - begun.ns) / 1e6);
		reading_drop(r, val_get(span, STR("duration")));
		at++;
	}
}

/* ---- the parts of a rollout ---- */

/* Where a sample stands in its evaluation: an id of its own, or (for the fold) the example. */
static void rollout_name(struct rollout *o, struct event *e, struct val page)
{
	struct val own = val_get_either(o->v, STR("sample_id"), STR("sampleId"));
	struct val evaluation = val_get_either(page, STR("evaluation_id"), STR("evaluationId"));
	struct val example = verifiers_example(o->v);
	struct verifiers_hint *h = arena_new(o->r->arena, struct verifiers_hint);

	if (val_is(own, JSON_STRING)) {
		e->run = reading_text_of(o->r, own);
		if (val_is(evaluation, JSON_STRING))
			e->run = ARENA_JOIN(o->r->arena, val_text(evaluation, o->r->arena), STR("/"), e->run);
	} else {
		h->example = val_is_none(example) ? STR("") : val_is(example, JSON_STRING) ?
			     val_text_copy(example, o->r->arena) : arena_copy(o->r->arena, val_source(example));
	}
	e->hint = h;
}

static void rollout_begin(struct rollout *o, struct val page)
{
	static const struct str names[] = { WORD("example_id"), WORD("exampleId"), WORD("id"), WORD("rollout_number"),
					    WORD("rolloutNumber"), WORD("task"), WORD("answer") };
	struct reading *r = o->r;
	struct event *e = reading_add(r, EVENT_RUN_START);
	struct val tools = rollout_get(o, STR("tool_defs"), STR("oai_tools"));
	struct val model = val_get_either(o->v, STR("model"), STR("model_name"));

	e->vendor = e->agent = STR("verifiers");
	rollout_name(o, e, page);
	e->ts = rollout_begun(o);
	if (val_is_unset(model))
		model = val_get_either(page, STR("model_name"), STR("modelName"));
	e->model = reading_text_of(r, model);
	if (val_is(tools, JSON_ARRAY))
		e->tools = reading_json_of(r, e, "tools", tools);
	for (size_t i = 0; i < COUNT(names); i++) {
		struct val v = val_get(o->v, names[i]);

		if (val_is_unset(v))
			continue;
		reading_extra(r, e, names[i], reading_json_of(r, e, "ext/verifiers~11", v));
		reading_keep(r, v);
	}
}

/* A list of messages, or one text. */
static void rollout_talk(struct verifiers_talk *t, struct val list, void (*tell)(struct verifiers_talk *, struct val))
{
	if (val_is(list, JSON_STRING))
		tell(t, list);
	VALUES_EACH(message, list)
		tell(t, message);
}

static void rollout_read_cost(struct rollout *o)
{
	struct val usage = rollout_get(o, STR("token_usage"), STR("tokenUsage"));
	struct event *e;

	if (!val_is(usage, JSON_OBJECT))
		return;
	e = reading_add(o->r, EVENT_COST);
	e->scope = STR("run");
	e->flags = EVENT_TOTAL;
	e->usage.input = reading_count(o->r, usage, val_has(usage, STR("inputTokens")) ? STR("inputTokens")
										       : STR("input_tokens"));
	e->usage.output = reading_count(o->r, usage, val_has(usage, STR("outputTokens")) ? STR("outputTokens")
											 : STR("output_tokens"));
	reading_rest(o->r, e, usage);
}

/* An error counts more than a limit, a limit more than success; older files do not say. */
static void rollout_end(struct rollout *o, bool failed)
{
	struct reading *r = o->r;
	struct val reward = val_get(o->v, STR("reward"));
	struct val done = rollout_get(o, STR("is_completed"), STR("isCompleted"));
	struct val cut = rollout_get(o, STR("is_truncated"), STR("isTruncated"));
	struct val stop = rollout_get(o, STR("stop_condition"), STR("stopCondition"));
	struct moment begun = r->events[o->start].ts;
	int64_t took = rollout_total(o);
	struct verifiers_hint *h = arena_new(r->arena, struct verifiers_hint);
	struct str json = { NULL, 0 };
	struct event *e;

	if (!val_is_none(reward)) {
		json = val_source(reward);
		reading_keep(r, reward);
	}
	e = verifiers_add_end(r, json, rollout_get(o, STR("metrics"), STR("metrics")), o->v);
	e->status = failed ? STATUS_ERROR : val_is(cut, JSON_TRUE) || val_is(done, JSON_FALSE) ? STATUS_INTERRUPTED :
		    val_is(done, JSON_TRUE) ? STATUS_SUCCESS : STATUS_UNKNOWN;
	if (val_is(done, e->status == STATUS_SUCCESS ? JSON_TRUE : JSON_FALSE))
		reading_take(r, done);
	e->reason = reading_text_of(r, stop);
	if (begun.text.p && took)
		e->ts = reading_moment(r, begun.ns + took, MOMENT_DERIVED);
	h->took = took;
	e->hint = h;
	reading_rest_under(r, &r->events[o->start], o->info, STR("info"));
	reading_rest(r, e, o->v);
}

void verifiers_read_rollout(struct reading *r, struct val v, struct val page)
{
	struct rollout o = { .r = r, .v = v, .info = val_get(v, STR("info")), .start = r->count };
	struct verifiers_talk talk = { .r = r };
	struct val text = o.info;
	bool failed;

	if (val_is(text, JSON_STRING)) /* hosted samples may have it as text */
		o.info = reading_parse(r, val_text_copy(text, r->arena));
	rollout_begin(&o, page);
	rollout_talk(&talk, val_get(v, STR("prompt")), verifiers_read_given);
	rollout_talk(&talk, val_get(v, STR("completion")), verifiers_read_said);
	rollout_time_steps(&o, o.start, talk.steps);
	rollout_read_cost(&o);
	failed = verifiers_read_error(r, rollout_get(&o, STR("error"), STR("error")));
	if (val_is(o.info, JSON_OBJECT) && val_is(text, JSON_STRING))
		reading_take(r, text);
	rollout_end(&o, failed);
	if (val_is(text, JSON_STRING) && !val_is_none(o.info))
		reading_release(r, o.info);
}

/* ---- the evaluation ---- */

/* Its id; else the environment, the model and the day, of which one alone names nothing. */
static struct str rollout_evaluation(struct reading *r, struct val v)
{
	struct str id = val_text_or_none(val_get_either(v, STR("evaluation_id"), STR("evaluationId")), r->arena);
	struct str env = val_text_or_none(val_get_either(v, STR("env_id"), STR("env")), r->arena);
	struct str model = val_get_text(v, STR("model"), r->arena), date = val_get_text(v, STR("date"), r->arena);

	if (id.n)
		return id;
	if (!env.n || !model.n || !date.n)
		return str_of(NULL, 0);
	return ARENA_JOIN(r->arena, env, STR("--"), model, STR("/"), date);
}

void verifiers_read_evaluation(struct reading *r, struct val v)
{
	struct event *e = reading_add(r, EVENT_NOTE);
	struct verifiers_hint *h = arena_new(r->arena, struct verifiers_hint);

	e->role = STR("evaluation");
	e->ts = reading_time(r, v, STR("date"));
	h->evaluation = rollout_evaluation(r, v);
	h->model = reading_text(r, v, STR("model"));
	e->hint = h;
	reading_rest_under(r, e, v, STR("evaluation"));
}
