/*
 * Writing a trace: nodes when they complete, and a summary. Nothing of what was said goes in: names, counts, sizes
 * and times only. A step is held until it is clear which calls it asked for and what it cost; a call until its result.
 */
#include "dialect/agent_trace/write_private.h"

#include "base/crypto/sha256.h"
#include "dialect/agent_trace/clean.h"
#include "dialect/agent_trace/trace_line.h"
#include "dialect/reading/original.h"
#include "dialect/reading/tool_name.h"
#include "dialect/record/seed_formats.h"
#include "model/compaction.h"
#include "model/words.h"

static void agent_trace_write_lose(const struct at_trace *t, bool there, const char *what)
{
	if (there)
		losses_add(t->w->losses, what);
}

/* ---- nodes ---- */

/* A node that only stands in its place: user_input, system, retry. */
static struct id write_mark(struct at_trace *t, enum at_kind kind, const struct event *e, const struct dag_ids *parents,
			    bool inferred)
{
	struct json_writer j;
	struct trace_node n = {
		.kind = kind,
		.id = at_new_id(t, kind, at_us(e->ts.ns)),
		.parents = parents->ids,
		.parent_count = parents->count,
		.from_us = at_us(e->ts.ns),
		.to_us = at_us(e->ts.ns),
		.inferred = inferred,
		.agent = clean_id(e->branch),
	};

	at_begin_node(t, &j, &t->line, &n, e->ts.source != MOMENT_NONE);
	at_end_node(t, &j, n.to_us);
	return n.id;
}

/* ---- the calls of a step ---- */

/*
 * A step that asked for several calls is followed by a branch node, which becomes the parent of them all. Their
 * nodes are not written yet, so that can still be set.
 */
static void write_fan_out(struct at_trace *t)
{
	struct id id = at_new_id(t, AT_BRANCH, t->group_us);
	struct trace_node n = { .kind = AT_BRANCH, .id = id, .parents = &t->group->parent, .agent = t->group->agent };
	struct id *siblings = arena_array(&t->arena, struct id, t->group_count);
	struct json_writer j;
	size_t count = 0;

	for (const struct dag_call *c = t->group; c; c = c->next)
		siblings[count++] = c->node;
	n.parent_count = t->group->has_parent;
	n.from_us = n.to_us = t->group_us;
	at_begin_node(t, &j, &t->line, &n, false);
	trace_line_write_branch(&j, &(struct trace_branch){ "fan_out", siblings, count });
	at_end_node(t, &j, n.to_us);
	for (struct dag_call *c = t->group; c; c = c->next) {
		c->parent = id;
		c->has_parent = true;
	}
}

/* The step is complete, and so are the calls it asked for. */
static void agent_trace_write_settle(struct at_trace *t)
{
	if (t->step_open) {
		at_write_usd(t, &t->step_json, t->usd);
		json_write_end_object(&t->step_json);
		at_end_node(t, &t->step_json, t->step_us);
		t->step_open = false;
		t->usd = (struct amount){ .state = FIGURE_ABSENT };
	}
	if (t->group_count > 1)
		write_fan_out(t);
	t->group = NULL;
	t->group_end = &t->group;
	t->group_count = 0;
}

/* ---- model calls ---- */

/* From the log, else since the line last got something, else 0. */
static struct at_length find_latency(const struct event *e, const struct dag_line *l)
{
	int64_t us = at_us(e->ts.ns);

	if (at_is_length(e->latency_ms))
		return (struct at_length){ e->latency_ms.n / 1000, false };
	if (at_is_timed(e->ts) && l->has_heard && us >= l->heard_us)
		return (struct at_length){ (double)(us - l->heard_us) / 1e6, true };
	return (struct at_length){ 0, false };
}

/* Notes when the line last got something: a model call without a latency began then. */
static void hear(struct dag_line *l, struct moment ts)
{
	if (!at_is_timed(ts))
		return;
	l->has_heard = true;
	l->heard_us = at_us(ts.ns);
}

/* What a model call follows from. After a failure a retry comes between the two. */
static void agent_trace_write_find_parents(struct at_trace *t, const struct event *e, struct dag_line *l,
					   struct dag_ids *parents)
{
	if (l->has_failed) {
		struct id one[1] = { l->failed };
		struct dag_ids failure = { one, 1, 1 };

		parents->ids[0] = write_mark(t, AT_RETRY, e, &failure, true);
		parents->count = 1;
		l->has_failed = false;
	} else if (l->has_retry) {
		parents->ids[0] = l->retry;
		parents->count = 1;
	} else {
		dag_join(&t->dag, l, parents);
	}
}

/* Begins the node of a model call, or of an error that stands for one, and leaves it open for calls and price. */
static void agent_trace_write_begin_step(struct at_trace *t, const struct event *e, bool failed)
{
	struct dag_line *l = dag_find_line(&t->dag, e->branch, e->parent);
	struct at_length latency = find_latency(e, l);
	int64_t to = at_us(e->ts.ns), span = (int64_t)(latency.seconds * 1e6);
	struct id one[1];
	struct dag_ids parents = { one, 0, 1 };
	struct trace_node n = { .kind = AT_MODEL_CALL, .to_us = to, .agent = clean_id(e->branch) };
	bool dated = e->ts.source != MOMENT_NONE;

	agent_trace_write_find_parents(t, e, l, &parents);
	n.id = at_new_id(t, AT_MODEL_CALL, to);
	n.parents = parents.ids;
	n.parent_count = parents.count;
	n.from_us = dated ? to - span : to;
	n.inferred = (e->flags & EVENT_INFERRED) != 0;
	buf_clear(&t->step);
	at_begin_node(t, &t->step_json, &t->step, &n, dated);
	at_write_model_call(t, &t->step_json, e, latency, failed);
	t->step_open = true;
	t->step_us = to;
	at_sum_tokens(&t->sums, &e->usage);
	at_total_tell(t, e, latency.seconds);
	l->carried.count = l->inputs.count = 0;
	l->has_step = true;
	l->has_retry = false;
	l->step = n.id;
	l->step_name = str_hash_wide(e->step);
	l->has_failed = failed;
	l->failed = n.id;
	hear(l, e->ts);
	t->group_us = to;
}

static bool agent_trace_write_on_step(struct at_trace *t, const struct event *e)
{
	const char *stop = e->stop_reason.p ? words_stop_reason(e->stop_reason) : NULL;

	agent_trace_write_lose(t, e->text.n > 0, "step.text");
	agent_trace_write_lose(t, e->reasoning.n > 0, "step.reasoning");
	agent_trace_write_lose(t, figure_is_known(e->usage.cache_write_1h), "usage.cache_write_1h_tokens");
	agent_trace_write_begin_step(t, e,
				     stop && strcmp(stop, "error") == 0 && !words_is_refusal(e->stop_reason));
	return true;
}

/* ---- tool calls ---- */

/* What a call follows from, before it is clear whether it has company. */
static void place_call(struct at_trace *t, struct dag_call *c, const struct event *e)
{
	struct hash step = str_hash_wide(e->step);
	bool known = e->step.p && c->line->has_step && step.a == c->line->step_name.a && step.b == c->line->step_name.b;
	struct dag_slot *outer = known || !e->parent.p ? NULL : dag_find_call(&t->dag, e->parent);
	struct id one[1];
	struct dag_ids from = { one, 0, 1 };

	dag_follow(c->line, &from);
	c->has_parent = outer || from.count;
	c->parent = outer ? outer->node : one[0];
}

/*
 * Writes the node of an open call, with its result or without, and closes it. A duration that is longer than the
 * time between call and result moves the start back.
 */
static void finish_call(struct at_trace *t, struct dag_slot *slot, const struct at_finish *f)
{
	struct dag_call *c = slot->open;
	int64_t to = at_us(f->e->ts.ns);
	struct trace_node n = { .kind = AT_TOOL_CALL, .id = c->node, .parents = &c->parent, .agent = c->agent };
	bool dated = f->e->ts.source != MOMENT_NONE;
	struct json_writer j;

	n.parent_count = c->has_parent;
	n.from_us = c->start_us;
	n.to_us = to;
	n.inferred = c->inferred;
	if (f->result && at_is_length(f->e->duration_ms) && to - c->start_us < (int64_t)(f->e->duration_ms.n * 1000))
		n.from_us = dated ? to - (int64_t)(f->e->duration_ms.n * 1000) : to;
	at_begin_node(t, &j, &t->line, &n, dated);
	at_write_tool_call(t, &j, c, f, to);
	at_end_node(t, &j, n.to_us);
	if (f->result) {
		dag_ids_add(&t->dag.arena, &c->line->carried, c->node);
		c->line->has_failed = c->line->has_retry = false;
		hear(c->line, f->e->ts);
	}
	dag_close_call(&t->dag, slot);
}

/* Opens a call. Its node is written when it ends; until the step is complete it may still get a fan-out for parent. */
static bool agent_trace_write_on_call(struct at_trace *t, const struct event *e)
{
	struct str id = e->call.p ? e->call : STR("");
	struct dag_slot *same = dag_find_call(&t->dag, id);
	struct dag_line *l = dag_find_line(&t->dag, e->branch, e->parent);
	struct dag_call *c;
	struct str tool;
	bool mcp;

	/* one of the same id is about to be forgotten, and the group may still hold it */
	if (t->group_count && (t->group_line != l || same))
		agent_trace_write_settle(t);
	if (same && same->open)
		finish_call(t, same, &(struct at_finish){ e, false });
	tool = tool_name_trace(&t->arena, e, &mcp);
	c = dag_new_call(tool, id, clean_id(e->branch));
	c->line = l;
	c->mcp = mcp;
	c->external = words_tool_is_external(tool, mcp);
	c->inferred = (e->flags & EVENT_INFERRED) != 0;
	c->timed = at_is_timed(e->ts);
	c->start_us = at_us(e->ts.ns);
	c->node = at_new_id(t, AT_TOOL_CALL, c->start_us);
	place_call(t, c, e);
	agent_trace_write_lose(t, e->args.n > 2 && !(e->flags & EVENT_WITHHELD), "call.args");
	dag_add_call(&t->dag, c);
	if (t->group_count == 0 && !t->step_open)
		t->group_us = c->start_us;
	*t->group_end = c;
	t->group_end = &c->next;
	t->group_count++;
	t->group_line = l;
	return true;
}

/* A result without an open call adds nothing: the call has its node already, or never was. */
static bool agent_trace_write_on_result(struct at_trace *t, const struct event *e)
{
	struct dag_slot *slot = dag_find_call(&t->dag, e->call);

	agent_trace_write_lose(t, e->content.n > 0, "result.content");
	agent_trace_write_lose(t, e->chunks.n > 0, "result.chunks");
	agent_trace_write_lose(t, e->is_error == TRUTH_TRUE, "result.is_error");
	agent_trace_write_lose(t, e->exit_code.state == FIGURE_KNOWN, "result.exit_code");
	if (slot && slot->open)
		finish_call(t, slot, &(struct at_finish){ e, true });
	return true;
}

/* ---- the rest ---- */

/* Only what a user says gets a node. It ends a row of retries: what follows is a new request. */
static bool agent_trace_write_on_message(struct at_trace *t, const struct event *e)
{
	struct dag_line *l;
	struct id one[1];
	struct dag_ids parents = { one, 0, 1 };

	agent_trace_write_lose(t, e->content.n > 0, "message.content");
	if (!str_eq(e->role, STR("user")))
		return true;
	l = dag_find_line(&t->dag, e->branch, e->parent);
	l->has_failed = l->has_retry = false;
	hear(l, e->ts);
	/* no person speaks to a sub-agent: its prompt is the call that began it */
	if (e->branch.p && dag_find_call(&t->dag, e->parent))
		return true;
	dag_follow(l, &parents);
	dag_hear(&t->dag, l, write_mark(t, AT_USER_INPUT, e, &parents, (e->flags & EVENT_INFERRED) != 0));
	return true;
}

/* What happened gets a node; what only says something does not. What a compaction hid is said beside its own note. */
static bool agent_trace_write_on_note(struct at_trace *t, const struct event *e)
{
	bool retry = str_has(e->role, STR("retry")), beside = str_has(e->content, STR("\"" COMPACTION_HIDDEN "\""));
	struct dag_line *l;
	struct id one[1];
	struct dag_ids parents = { one, 0, 1 };

	if (!retry && (!str_has(e->role, STR("compact")) || beside) && !str_has(e->role, STR("hook"))) {
		agent_trace_write_lose(t, true, "note");
		return true;
	}
	agent_trace_write_lose(t, e->content.n > 0, "note.content");
	l = dag_find_line(&t->dag, e->branch, e->parent);
	dag_follow(l, &parents);
	if (!retry) {
		write_mark(t, AT_SYSTEM, e, &parents, false);
		return true;
	}
	if (l->has_failed) {
		one[0] = l->failed;
		parents.count = 1;
	}
	l->retry = write_mark(t, AT_RETRY, e, &parents, false);
	l->has_retry = true;
	l->has_failed = false;
	return true;
}

/*
 * An error of an open call ends it. One of a model or of the transport marks its step as failed, or is a failed step
 * itself when none was told. Any other is lost.
 */
static bool agent_trace_write_on_error(struct at_trace *t, const struct event *e)
{
	struct dag_slot *slot = dag_find_call(&t->dag, e->call);
	struct dag_line *l;

	agent_trace_write_lose(t, e->text.n > 0, "error.message");
	if (slot && slot->open) {
		finish_call(t, slot, &(struct at_finish){ e, false });
		return true;
	}
	if (!str_eq(e->class, STR("model")) && !str_eq(e->class, STR("transport"))) {
		agent_trace_write_lose(t, true, "error");
		return true;
	}
	l = dag_find_line(&t->dag, e->branch, e->parent);
	if (e->step.p && l->has_step) {
		l->has_failed = true;
		l->failed = l->step;
		return true;
	}
	agent_trace_write_begin_step(t, e, true);
	agent_trace_write_settle(t);
	return true;
}

/* A price goes to the sums, and to the step at hand if that is still open and it is no total. */
static bool agent_trace_write_on_cost(struct at_trace *t, const struct event *e)
{
	agent_trace_write_lose(t, e->price_table.n > 0, "cost.price_table");
	at_total_state(t, e);
	money_add(&t->sums.money, e);
	if (t->step_open && !at_is_total(e))
		at_add_usd(&t->usd, e->usd);
	return true;
}

/* ---- runs ---- */

static void agent_trace_write_set_text(struct buf *b, struct str s)
{
	buf_clear(b);
	buf_add_str(b, s);
}

/*
 * The trace's own id comes back, unless several runs become one trace. Then the id is made of the source's digest,
 * so that the same input gives the same id.
 */
static void set_trace(struct at_trace *t, const struct event *e, struct val rest)
{
	char text[ID_UUID_TEXT];
	struct str name = t->w->source_sha256;
	struct val own = val_get(rest, STR("trace_id"));
	struct id id = t->run;

	if (val_is(own, JSON_STRING) && !t->w->single) {
		agent_trace_write_set_text(&t->trace_id, val_text(own, &t->arena));
		return;
	}
	if (t->w->single) {
		id_format_uuid(text, t->run);
		id = writing_run_id(STR("trackway"), name.p ? name : str_of(text, sizeof(text)), e->ts.ns);
	}
	id_format_uuid(text, id);
	agent_trace_write_set_text(&t->trace_id, str_of(text, sizeof(text)));
}

/* Begins a run. The first one names the trace; of several in one output each has a node of its own to follow from. */
static bool agent_trace_write_on_start(struct at_trace *t, const struct event *e)
{
	/* What was a trace before is made anew when it must hold nothing that this version does not know. */
	struct val rest = t->w->variant ? VAL_NONE : original_rest(t->parser, e, AT_KEY, &t->arena);
	struct str version = clean_id(e->agent_version);
	struct dag_ids none = { NULL, 0, 0 };

	dag_reset(&t->dag);
	at_total_reset(&t->totals);
	t->run = writing_id_of(e);
	t->framework = clean_framework(e->framework);
	if (t->runs == 0 || t->version.n == 0)
		agent_trace_write_set_text(&t->version, version.p && version.n <= 64 ? version : STR(""));
	agent_trace_write_set_text(&t->model, e->model);
	if (t->runs == 0)
		set_trace(t, e, rest);
	t->kept = !val_is_none(rest);
	agent_trace_write_lose(t, e->tools.n > 0, "run.tools");
	agent_trace_write_lose(t, e->agent.n > 0, "run.agent");
	if (e->ts.source != MOMENT_NONE)
		at_sum_time(&t->sums, at_us(e->ts.ns), at_us(e->ts.ns));
	if (t->w->single || t->runs > 0) {
		t->dag.root = write_mark(t, AT_SYSTEM, e, &none, false);
		t->dag.has_root = true;
	}
	t->runs++;
	return true;
}

/* The worse of two: one failed run makes the output of several a failed one. */
static enum run_status worse(enum run_status a, enum run_status b)
{
	static const int rank[] = {
		[STATUS_UNKNOWN] = 0, [STATUS_SUCCESS] = 1, [STATUS_INTERRUPTED] = 2, [STATUS_ERROR] = 3,
	};

	return rank[a] >= rank[b] ? a : b;
}

static bool agent_trace_write_on_end(struct at_trace *t, const struct event *e)
{
	while (t->dag.first)
		finish_call(t, dag_find_call(&t->dag, t->dag.first->call), &(struct at_finish){ e, false });
	at_total_write(t, e);
	agent_trace_write_lose(t, e->output.n > 0, "run.output");
	agent_trace_write_lose(t, e->reason.n > 0 && !t->kept, "run.reason");
	if (e->ts.source != MOMENT_NONE)
		at_sum_time(&t->sums, at_us(e->ts.ns), at_us(e->ts.ns));
	t->status = t->runs > 1 ? worse(t->status, e->status) : e->status;
	t->has_summary = t->kept && at_keep_summary(t, e);
	return true;
}

/* ---- the writer ---- */

/* Never NULL. Freed by agent_trace_write_close_writer. */
static void *agent_trace_write_open_writer(struct writing *w)
{
	struct at_trace *t = mem_alloc(sizeof(*t));

	memset(t, 0, sizeof(*t));
	t->w = w;
	t->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	t->framework = STR("unknown");
	t->group_end = &t->group;
	arena_init(&t->arena);
	dag_init(&t->dag);
	at_total_init(&t->totals);
	return t;
}

/* What is still open is dropped: agent_trace_write_end_writer writes it. Calls are the graph's. */
static void agent_trace_write_close_writer(void *writer)
{
	struct at_trace *t = writer;
	struct buf *const bufs[] = {
		&t->trace_id, &t->version, &t->model, &t->summary, &t->step, &t->line,
	};

	for (size_t i = 0; i < COUNT(bufs); i++)
		buf_free(bufs[i]);
	waiting_free(&t->waiting);
	json_parser_close(t->parser);
	arena_free(&t->arena);
	dag_free(&t->dag);
	arena_free(&t->totals.arena);
	mem_free(t);
}

static bool (*const on[EVENT_KINDS])(struct at_trace *, const struct event *) = {
	[EVENT_RUN_START] = agent_trace_write_on_start, [EVENT_MESSAGE] = agent_trace_write_on_message,
	[EVENT_STEP] = agent_trace_write_on_step,       [EVENT_CALL] = agent_trace_write_on_call,
	[EVENT_RESULT] = agent_trace_write_on_result,   [EVENT_COST] = agent_trace_write_on_cost,
	[EVENT_ERROR] = agent_trace_write_on_error,     [EVENT_NOTE] = agent_trace_write_on_note,
	[EVENT_RUN_END] = agent_trace_write_on_end,
};

/*
 * A step stays open only while calls and costs follow it. Always true: what a trace may not hold is counted in the
 * losses.
 */
static bool agent_trace_write_event(void *writer, const struct event *e, struct err *err)
{
	struct at_trace *t = writer;

	(void)err;
	arena_reset(&t->arena);
	if (e->kind != EVENT_COST && e->kind != EVENT_CALL)
		agent_trace_write_settle(t);
	if (t->kept && at_keep_node(t, e))
		return true;
	return on[e->kind](t, e);
}

/* A trace that was read gets its summary back, and none if it had none; any other output gets one of our own sums. */
static bool agent_trace_write_end_writer(void *writer, struct err *err)
{
	struct at_trace *t = writer;

	(void)err;
	agent_trace_write_settle(t);
	waiting_drain(&t->waiting, t->w->out);
	if (t->runs == 1 && t->has_summary && !t->w->single)
		buf_add_str(t->w->out, buf_str(&t->summary));
	else if (t->runs > 1 || t->w->single || (t->runs == 1 && !t->kept))
		at_write_summary(t);
	return true;
}

const struct write_ops agent_trace_write = {
	.cannot = "what was said and done: messages, texts, arguments, results, messages of errors, and whether a "
		  "call "
		  "failed",
	.names_runs = true,
	.joins = true,
	.open = agent_trace_write_open_writer,
	.close = agent_trace_write_close_writer,
	.event = agent_trace_write_event,
	.end = agent_trace_write_end_writer,
};
