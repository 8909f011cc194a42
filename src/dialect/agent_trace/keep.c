/*
 * Nodes that were a trace's before: what the model has of them, and in its place whatever else they had. A member that
 * the event kept for itself wins over one that would be computed, and nothing is added that was not there.
 */
#include "dialect/agent_trace/write_private.h"
#include "dialect/reading/original.h"
#include "dialect/reading/seconds.h"
#include "json/put.h"
#include "model/words.h"

static const struct str node_names[] = {
	WORD("schema_version"), WORD("event_type"), WORD("trace_id"), WORD("node_id"), WORD("parent_node_ids"),
	WORD("timestamp_start"), WORD("timestamp_end"), WORD("kind"), WORD("framework"), WORD("model_call"),
};

static const struct str model_names[] = {
	WORD("endpoint"), WORD("model"), WORD("input_tokens"), WORD("output_tokens"), WORD("tool_choice"),
	WORD("stop_reason"), WORD("request_id"), WORD("response_id"), WORD("cache_read_tokens"),
	WORD("cache_write_tokens"), WORD("reasoning_tokens"),
};

static const struct str summary_names[] = {
	WORD("schema_version"), WORD("event_type"), WORD("trace_id"), WORD("exit_status"), WORD("error_message"),
};

/* A stop_reason that the reader turned into a refusal is an error again. */
static void keep_model_call(struct at_trace *t, struct json_writer *j, struct val rest, const struct event *e)
{
	const struct usage *u = &e->usage;

	json_put_object(j, "model_call");
	original_text(j, rest, STR("endpoint"), e->endpoint);
	original_text(j, rest, STR("model"), e->model);
	original_figure(j, rest, STR("input_tokens"), u->input);
	original_figure(j, rest, STR("output_tokens"), u->output);
	original_others(j, rest, model_names, COUNT(model_names), &t->arena);
	original_text(j, rest, STR("tool_choice"), e->tool_choice);
	if (val_is(val_get(rest, STR("refused")), JSON_TRUE) && str_eq(e->stop_reason, STR("refusal")))
		original_text(j, rest, STR("stop_reason"), STR("error")); /* as it was: see agent_trace/read.c */
	else
		original_text(j, rest, STR("stop_reason"), e->stop_reason);
	original_text(j, rest, STR("request_id"), e->request_id);
	original_text(j, rest, STR("response_id"), e->response_id);
	original_figure(j, rest, STR("cache_read_tokens"), u->cache_read);
	original_figure(j, rest, STR("cache_write_tokens"), u->cache_write);
	original_figure(j, rest, STR("reasoning_tokens"), u->reasoning);
	json_write_end_object(j);
}

/* For a summary over several traces. */
static void agent_trace_keep_add_up(struct at_trace *t, struct val rest, const struct event *e, enum at_kind kind)
{
	struct val stall = val_get(val_get(rest, STR("tool_call")), STR("stall_seconds"));
	int64_t from, to;
	double seconds;

	t->sums.counts[kind]++;
	if (seconds_us(val_get(rest, STR("timestamp_start")), &from) &&
	    seconds_us(val_get(rest, STR("timestamp_end")), &to))
		at_sum_time(&t->sums, from < to ? from : to, to);
	if (val_double(stall, &seconds)) {
		t->sums.stall += seconds;
		t->sums.stalls++;
	}
	if (kind == AT_MODEL_CALL)
		at_sum_tokens(&t->sums, &e->usage);
}

/* The kind that the node had, by its event; a note has it in its rest. AT_SYSTEM for one that nobody knows. */
static enum at_kind agent_trace_keep_kind_of(const struct event *e, struct val rest)
{
	struct val kind = val_get(rest, STR("kind"));

	if (e->kind == EVENT_STEP)
		return AT_MODEL_CALL;
	if (e->kind == EVENT_CALL)
		return AT_TOOL_CALL;
	if (e->kind == EVENT_MESSAGE)
		return AT_USER_INPUT;
	for (unsigned i = 0; i < AT_KINDS; i++)
		if (val_text_is(kind, agent_trace_kinds[i]))
			return (enum at_kind)i;
	return AT_SYSTEM;
}

/* What every event has, unless this one did not. */
static void keep_head(struct at_trace *t, struct json_writer *j, struct val rest, struct str type)
{
	struct str none = { NULL, 0 };
	bool as_is = val_is(val_get(rest, STR(AT_AS_IS)), JSON_TRUE);

	original_text(j, rest, STR("schema_version"), as_is ? none : STR("agent-trace/v1"));
	original_text(j, rest, STR("event_type"), as_is ? none : type);
	original_text(j, rest, STR("trace_id"), as_is ? none : buf_str(&t->trace_id));
}

/* Writes a node as it was, at once: it keeps the order of the trace it came from. */
static void write_kept(struct at_trace *t, const struct event *e, struct val rest)
{
	enum at_kind kind = agent_trace_keep_kind_of(e, rest);
	bool as_is = val_is(val_get(rest, STR(AT_AS_IS)), JSON_TRUE);
	struct json_writer j;

	waiting_drain(&t->waiting, t->w->out); /* these are in the order they had */
	json_write_init(&j, t->w->out, JSON_COMPACT);
	json_write_begin_object(&j);
	keep_head(t, &j, rest, STR("node"));
	original_copy(&j, rest, STR("node_id"));
	original_copy(&j, rest, STR("parent_node_ids"));
	original_copy(&j, rest, STR("timestamp_start"));
	original_copy(&j, rest, STR("timestamp_end"));
	original_text(&j, rest, STR("kind"), as_is ? str_of(NULL, 0) : agent_trace_kinds[kind]);
	original_copy(&j, rest, STR("framework"));
	if (e->kind == EVENT_STEP)
		keep_model_call(t, &j, val_get(rest, STR("model_call")), e);
	original_others(&j, rest, node_names, COUNT(node_names) - (e->kind != EVENT_STEP), &t->arena);
	json_write_end_object(&j);
	buf_add_byte(t->w->out, '\n');
	if (!as_is)
		agent_trace_keep_add_up(t, rest, e, kind);
}

bool at_keep_node(struct at_trace *t, const struct event *e)
{
	struct val rest;

	if (e->kind == EVENT_RUN_START || e->kind == EVENT_RUN_END)
		return false;
	if (e->kind == EVENT_RESULT || (e->kind == EVENT_ERROR && str_eq(e->code, STR("no_result"))))
		return true; /* part of the call's own node */
	rest = original_rest(t->parser, e, AT_KEY, &t->arena);
	if (!val_is(rest, JSON_OBJECT))
		return e->kind == EVENT_COST;
	write_kept(t, e, rest);
	return true;
}

bool at_keep_summary(struct at_trace *t, const struct event *e)
{
	struct val rest = original_rest(t->parser, e, AT_KEY, &t->arena);
	struct json_writer j;
	bool as_is;

	if (!val_is(rest, JSON_OBJECT))
		return false;
	as_is = val_is(val_get(rest, STR(AT_AS_IS)), JSON_TRUE);
	buf_clear(&t->summary);
	json_write_init(&j, &t->summary, JSON_COMPACT);
	json_write_begin_object(&j);
	keep_head(t, &j, rest, STR("summary"));
	original_others(&j, rest, summary_names, COUNT(summary_names), &t->arena);
	original_text(&j, rest, STR("exit_status"), as_is ? str_of(NULL, 0) : words_status(e->status));
	original_text(&j, rest, STR("error_message"), e->reason);
	json_write_end_object(&j);
	buf_add_byte(&t->summary, '\n');
	return true;
}
