/*
 * What verifiers 0.4 leaves of an evaluation: traces.jsonl, an episode per line, with the trace of each agent in it. A
 * trace is a tree of messages, the calls of the model, rewards with weights, and times. It is made into a sample of the
 * older form here, which the importer knows; whatever has no place in that is in the episode, which is kept whole.
 */
#include "dialect/verifiers/fields.h"
#include "json/put.h"
#include "trial/import_private.h"

#define NODES_MAX ((size_t)1 << 20)

static struct val last_of(struct val array)
{
	struct val_iter it = val_begin(array);
	struct val one = VAL_NONE;

	if (val_is(array, JSON_ARRAY))
		while (val_next(&it, &one))
			;
	return one;
}

struct str verifiers_error(struct arena *a, struct val of)
{
	struct val error = last_of(val_get(of, STR("errors")));
	struct str type = import_text(a, val_get(error, STR("type")));
	struct str message = import_text(a, val_get(error, STR("message")));

	if (type.p && message.p)
		return ARENA_JOIN(a, type, STR(": "), message);
	return type.p ? type : message;
}

/* ---- messages ---- */

struct path {
	struct val *nodes; /* from the root to the last one */
	size_t count;
};

/* The branch that ends in the node that came last; a parent comes before its children. */
static struct path last_branch(struct arena *a, struct val trace)
{
	struct val nodes = val_get(trace, STR("nodes")), *all;
	size_t total = val_is(nodes, JSON_ARRAY) ? val_count(nodes) : 0, count = 0;
	struct val_iter it = val_begin(nodes);
	struct path p = { .count = 0 };
	int64_t at, parent;

	if (total == 0 || total > NODES_MAX)
		return p;
	all = arena_array(a, struct val, total);
	p.nodes = arena_array(a, struct val, total);
	while (count < total && val_next(&it, &all[count]))
		count++;
	at = (int64_t)count - 1;
	for (size_t to = count; to > 0 && at >= 0; at = parent) {
		p.nodes[--to] = all[at];
		p.count++;
		if (!val_i64(val_get(all[at], STR("parent")), &parent) || parent >= at)
			parent = -1;
	}
	p.nodes += count - p.count;
	return p;
}

static bool is_sampled(struct val node)
{
	return val_is(val_get(node, STR("sampled")), JSON_TRUE);
}

/* The prompt ends where the model first spoke; whatever comes later, tools' answers too, is completion. */
static void write_talk(struct json_writer *w, const struct path *p)
{
	size_t first = 0;

	while (first < p->count && !is_sampled(p->nodes[first]))
		first++;
	json_put_array(w, "prompt");
	for (size_t i = 0; i < p->count; i++) {
		if (i == first) {
			json_write_end_array(w);
			json_put_array(w, "completion");
		}
		import_write(w, val_get(p->nodes[i], STR("message")));
	}
	json_write_end_array(w);
}

/* ---- rewards and metrics ---- */

/* The weighted sum; none when nothing was scored. */
static void trace_write_reward(struct json_writer *w, struct val rewards)
{
	double sum;

	if (verifiers_reward_sum(rewards, &sum))
		json_put_double(w, "reward", sum);
}

/* Each reward's own score stands with the metrics, of which one of the same name comes first. */
static void trace_write_metrics(struct json_writer *w, struct arena *a, struct val metrics, struct val rewards)
{
	struct val_iter it = val_begin(metrics);
	struct val key, value;
	double score, weight;

	json_put_object(w, "metrics");
	if (val_is(metrics, JSON_OBJECT))
		while (val_next_member(&it, &key, &value))
			if (val_is(value, JSON_NUMBER)) {
				json_write_key(w, val_text(key, a));
				import_write(w, value);
			}
	it = val_begin(rewards);
	if (val_is(rewards, JSON_OBJECT))
		while (val_next_member(&it, &key, &value))
			if (verifiers_reward(value, &score, &weight) &&
			    !val_is(val_get(metrics, val_text(key, a)), JSON_NUMBER)) {
				json_write_key(w, val_text(key, a));
				json_write_double(w, score);
			}
	json_write_end_object(w);
}

/* ---- times and tokens ---- */

static bool span_of(struct val timing, const char *name, double *start, double *end)
{
	struct val span = val_get(timing, str_from(name));

	return val_double(val_get(span, STR("start")), start) && val_double(val_get(span, STR("end")), end) &&
	       *start > 0 && *end >= *start;
}

/* The spans of a trace as the durations that a sample has, in seconds; the last end tells the total. */
static void write_times(struct json_writer *w, struct val timing)
{
	static const struct {
		const char *span, *as;
	} spans[] = {
		{ "boot", NULL }, { "setup", "setup" }, { "agent", "generation" }, { "finalize", NULL },
		{ "scoring", "scoring" },
	};
	double begun = 0, over = 0, start, end;

	json_put_object(w, "timing");
	for (size_t i = 0; i < COUNT(spans); i++) {
		if (!span_of(timing, spans[i].span, &start, &end))
			continue;
		over = end > over ? end : over;
		if (!spans[i].as)
			continue;
		json_put_object(w, spans[i].as);
		json_put_double(w, "duration", end - start);
		json_write_end_object(w);
	}
	if (val_double(val_get(timing, STR("start")), &begun) && begun > 0) {
		json_put_double(w, "start_time", begun);
		if (over >= begun)
			json_put_double(w, "total", over - begun);
	}
	json_write_end_object(w);
}

/* Of all calls, whatever their branch. What was read from a cache is input, too. */
static void write_tokens(struct json_writer *w, struct val calls)
{
	struct val_iter it = val_begin(calls);
	double in = 0, out = 0, n;
	bool any = false;
	struct val call;

	if (!val_is(calls, JSON_ARRAY))
		return;
	while (val_next(&it, &call)) {
		struct val usage = val_get(call, STR("usage"));

		any = any || val_is(usage, JSON_OBJECT);
		in += val_double(val_get(usage, STR("prompt_tokens")), &n) && n > 0 ? n : 0;
		in += val_double(val_get(usage, STR("cached_input_tokens")), &n) && n > 0 ? n : 0;
		out += val_double(val_get(usage, STR("completion_tokens")), &n) && n > 0 ? n : 0;
	}
	if (!any || in + out > 9007199254740992.0)
		return;
	json_put_object(w, "token_usage");
	json_put_u64(w, "input_tokens", (uint64_t)in);
	json_put_u64(w, "output_tokens", (uint64_t)out);
	json_write_end_object(w);
}

/* ---- the sample ---- */

static void write_given(struct json_writer *w, const char *name, struct val v)
{
	if (!val_is_unset(v))
		import_write_member(w, name, v);
}

static bool has_user(struct arena *a, const struct path *p)
{
	for (size_t i = 0; i < p->count; i++) {
		struct val message = val_get(p->nodes[i], STR("message"));

		if (str_eq(import_text(a, val_get(message, STR("role"))), STR("user")) &&
		    prime_content(a, val_get(message, STR("content"))).p)
			return true;
	}
	return false;
}

/* The hash of its data is the task's revision. */
static void write_info(struct json_writer *w, struct arena *a, struct val trace, const struct path *p)
{
	struct val info = val_get(trace, STR("info")), task = val_get(trace, STR("task"));
	struct val revision = val_get(info, STR("task_revision")), prompt = val_at(task, STR("/data/prompt"));
	struct val instruction = val_get(info, STR("instruction"));

	json_put_object(w, "info");
	write_given(w, "task_id", val_get(info, STR("task_id")));
	write_given(w, "task_revision", val_is_none(revision) ? val_get(task, STR("hash")) : revision);
	write_given(w, "dataset", val_get(info, STR("dataset")));
	if (val_is_none(instruction) && val_is(prompt, JSON_STRING) && !has_user(a, p))
		instruction = prompt;
	write_given(w, "instruction", instruction);
	json_write_end_object(w);
}

static struct val model_of(struct val trace)
{
	struct val model = val_at(trace, STR("/agent/config/model"));
	struct val_iter it = val_begin(val_get(trace, STR("calls")));
	struct val call;

	while (!val_is(model, JSON_STRING) && val_next(&it, &call))
		model = val_get(call, STR("model"));
	return model;
}

void verifiers_write_trace(struct arena *a, struct val trace, struct buf *out)
{
	struct val idx = val_at(trace, STR("/task/data/idx")), rewards = val_get(trace, STR("rewards"));
	struct path p = last_branch(a, trace);
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	write_given(&w, "sample_id", val_get(trace, STR("id")));
	write_given(&w, "example_id", val_is_none(idx) ? val_at(trace, STR("/task/key")) : idx);
	write_given(&w, "model", model_of(trace));
	write_talk(&w, &p);
	trace_write_reward(&w, rewards);
	trace_write_metrics(&w, a, val_get(trace, STR("metrics")), rewards);
	write_times(&w, val_get(trace, STR("timing")));
	write_tokens(&w, val_get(trace, STR("calls")));
	write_given(&w, "stop_condition", val_get(trace, STR("stop_condition")));
	write_given(&w, "is_completed", val_get(trace, STR("is_completed")));
	write_given(&w, "error", last_of(val_get(trace, STR("errors"))));
	write_info(&w, a, trace, &p);
	json_write_end_object(&w);
}
