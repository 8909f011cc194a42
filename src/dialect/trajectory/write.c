/*
 * Writing a trajectory. A step begins with what the model said; a call is held until its result, so that both stand
 * together as the format wants it, whatever order they came in. What was a trajectory before is written with its own
 * steps and fields.
 */
#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "dialect/reading/original.h"
#include "dialect/reading/speech.h"
#include "dialect/reading/tool_name.h"
#include "dialect/reading/waiting.h"
#include "dialect/record/field.h"
#include "dialect/record/seed_formats.h"
#include "dialect/trajectory/end.h"
#include "dialect/writing.h"
#include "json/put.h"
#include "model/words.h"

#define KEY "trajectory/1"
#define HELD_MAX 1024 /* calls that wait; then the oldest is written without its result */

/* A call without its result. */
struct held {
	struct held *next;
	struct arena arena;
	struct event *e;
};

struct writer {
	struct writing *w;
	struct json_parser *parser, *inner;
	struct arena arena; /* of an event */
	struct waiting waiting; /* entries of a trajectory, by their lines */
	struct buf entry;
	struct held *first, **last;
	size_t held;
	uint64_t step;
	bool headed;
	bool was_one; /* the run was a trajectory before: it is written as it was */
	bool torn;       /* but for its last line, which breaks off */
	bool unanswered; /* a call of the run has no result */
};

/* ---- entries ---- */

/* The text is complete. Entries that were a trajectory's before find back to their order. */
static void end_text(struct writer *t, struct val rest)
{
	int64_t line = 0;

	buf_add_byte(&t->entry, '\n');
	if (val_i64(val_get(rest, STR("#line")), &line)) {
		waiting_add(&t->waiting, t->w->out, &t->entry, line);
		return;
	}
	waiting_drain(&t->waiting, t->w->out);
	buf_add_str(t->w->out, buf_str(&t->entry));
	buf_clear(&t->entry);
}

/* What is written by name; the rest of an entry that was one before follows. */
static const struct str said_names[] = { WORD("step"), WORD("role"), WORD("timestamp"), WORD("content") };
static const struct str call_names[] = {
	WORD("step"), WORD("role"), WORD("timestamp"), WORD("tool_name"), WORD("command"), WORD("arguments"),
};
static const struct str result_names[] = {
	WORD("step"), WORD("role"), WORD("timestamp"), WORD("tool_name"), WORD("content"), WORD("stdout"),
	WORD("stderr"), WORD("exit_code"), WORD("duration_ms"), WORD("media"),
};

/* An entry being written. */
struct entry {
	struct json_writer j;
	struct val rest; /* what the entry had when it was one before, else VAL_NONE */
};

/* The member as it was before, else this JSON; nothing when that is absent too. */
static void trajectory_write_put_json(struct entry *n, struct str name, struct str json)
{
	if (original_copy(&n->j, n->rest, name) || !json.p)
		return;
	json_write_key(&n->j, name);
	json_write_raw(&n->j, json);
}

/* Begins an entry: its own step where it was a trajectory's before, else the step at hand. */
static void begin_entry(struct writer *t, struct entry *n, const struct event *e, struct str role)
{
	int64_t step;

	n->rest = original_rest(t->parser, e, KEY, &t->arena);
	json_write_init(&n->j, &t->entry, JSON_COMPACT);
	json_write_begin_object(&n->j);
	if (!original_copy(&n->j, n->rest, STR("step")) && val_is_none(n->rest)) {
		json_put_u64(&n->j, "step", t->step);
	} else if (val_i64(val_get(n->rest, STR("step")), &step) && step > 0 && (uint64_t)step > t->step) {
		t->step = (uint64_t)step;
	}
	original_text(&n->j, n->rest, STR("role"), role);
}

/* Adds what stands in every entry, and what the entry had beyond that. */
static void end_entry(struct writer *t, struct entry *n, const struct event *e, const struct str *names, size_t count)
{
	bool dated = e->ts.source == MOMENT_VENDOR || (e->ts.source == MOMENT_DERIVED && val_is_none(n->rest));

	if (val_is_none(n->rest) && e->branch.p) {
		json_put_text(&n->j, "call_type", str_eq(e->branch, STR("warmup")) ? e->branch : STR("subagent"));
		losses_note(t->w->losses, !str_eq(e->branch, STR("warmup")) && !str_eq(e->branch, STR("subagent")),
				      "branch");
	}
	original_text(&n->j, n->rest, STR("timestamp"), dated && e->ts.text.p ? e->ts.text : str_of(NULL, 0));
	original_others(&n->j, n->rest, names, count, &t->arena);
	json_write_end_object(&n->j);
	end_text(t, n->rest);
}

/* What an entry says, as text. */
static struct str trajectory_write_text_of(struct writer *t, struct str json, const char *loss)
{
	bool whole = true;
	struct str text = json.p ? speech_text(&t->arena, t->inner, json, &whole) : json;

	losses_note(t->w->losses, !whole, loss);
	return text;
}

/* The format has the roles user and system; any other is written as system, and its role is lost. */
static void trajectory_write_on_message(struct writer *t, const struct event *e)
{
	bool user = str_eq(e->role, STR("user")), known = user || str_eq(e->role, STR("system"));
	struct str content;
	struct entry n;

	begin_entry(t, &n, e, known ? e->role : STR("system"));
	losses_note(t->w->losses, !known, "message.role");
	content = original_payload(t->inner, e, "content", e->content, &t->arena);
	original_text(&n.j, n.rest, STR("content"),
		      trajectory_write_text_of(t, content, "message.content that is not text"));
	end_entry(t, &n, e, said_names, COUNT(said_names));
}

/* ---- calls ---- */

/* One text under the name "command" and nothing else: the format has a field of its own for it. */
static bool is_command(struct val args)
{
	return val_is(args, JSON_OBJECT) && val_count(args) == 1 && val_is(val_get(args, STR("command")), JSON_STRING);
}

/* What stood side by side before. */
static void put_both(struct writer *t, struct entry *n, const struct event *e, struct str how)
{
	struct str json = original_payload(t->inner, e, "args", e->args, &t->arena);
	struct val args = writing_parse(t->inner, json), key, value;
	struct val_iter it = val_begin(args);

	original_copy(&n->j, args, STR("command"));
	if (str_eq(how, STR("nested"))) {
		original_copy(&n->j, args, STR("arguments"));
		return;
	}
	json_write_key(&n->j, STR("arguments"));
	if (str_eq(how, STR("same"))) {
		json_write_raw(&n->j, json);
		return;
	}
	json_write_begin_object(&n->j);
	while (val_next_member(&it, &key, &value)) {
		if (val_text_is(key, STR("command")))
			continue;
		json_write_key(&n->j, val_text(key, &t->arena));
		json_write_raw(&n->j, val_source(value));
	}
	json_write_end_object(&n->j);
}

/* A shell's command by itself; other arguments as an object. */
static void trajectory_write_put_args(struct writer *t, struct entry *n, const struct event *e)
{
	struct str how = original_note(n->rest, STR("#args")), json = e->args, none = { NULL, 0 };
	struct val args = writing_parse(t->inner, json);
	bool fresh = val_is_none(n->rest), object = val_is(args, JSON_OBJECT);
	bool command = is_command(args) && (fresh || str_eq(how, STR("command")));

	if (object && (str_eq(how, STR("both")) || str_eq(how, STR("same")) || str_eq(how, STR("nested")))) {
		put_both(t, n, e, how);
		return;
	}
	trajectory_write_put_json(n, STR("command"), command ? val_source(val_get(args, STR("command"))) : none);
	json = original_payload(t->inner, e, "args", json, &t->arena);
	if (fresh && !object) {
		json_put_object(&n->j, "arguments");
		json_put_raw(&n->j, "raw", json.n ? json : STR("null"));
		json_write_end_object(&n->j);
		return;
	}
	trajectory_write_put_json(n, STR("arguments"),
				  !command && (fresh || str_eq(how, STR("arguments"))) ? json : none);
}

/* The id of the call has no other place. `error`: say too whether the result failed, when no exit code does. */
static void put_metadata(struct entry *n, const struct event *e, bool error)
{
	if (!val_is_none(n->rest))
		return; /* it has its own, if any */
	json_put_object(&n->j, "metadata");
	json_put_text(&n->j, "call_id", e->call);
	if (error)
		json_put_bool(&n->j, "is_error", e->is_error == TRUTH_TRUE);
	json_write_end_object(&n->j);
}

/* A call whose entry had no tool gets none, though the model calls it "unknown". */
static void trajectory_write_call(struct writer *t, const struct event *e)
{
	struct entry n;

	begin_entry(t, &n, e, STR("tool_call"));
	if (!original_note(n.rest, STR("#tool")).p)
		original_text(&n.j, n.rest, STR("tool_name"), tool_name_full(&t->arena, e));
	else
		original_copy(&n.j, n.rest, STR("tool_name"));
	trajectory_write_put_args(t, &n, e);
	put_metadata(&n, e, false);
	losses_note(t->w->losses, e->parent.p != NULL && val_is_none(n.rest), "call.parent");
	end_entry(t, &n, e, call_names, COUNT(call_names));
}

/* Whether the event came from a trajectory, and so has its old members. */
static bool trajectory_write_is_kept(const struct event *e)
{
	return event_find_extra(e, STR(KEY)).p != NULL;
}

/* Writes the call that *at leads to, and lets it go. */
static void trajectory_write_let_go(struct writer *t, struct held **at)
{
	struct held *h = *at;

	assert(h && t->held > 0);
	trajectory_write_call(t, h->e);
	t->held--;
	*at = h->next;
	if (!h->next)
		t->last = at;
	arena_free(&h->arena);
	mem_free(h);
}

/* An absent branch and an empty one are two. */
static bool same_branch(const struct event *a, const struct event *b)
{
	return (a->branch.p == NULL) == (b->branch.p == NULL) && str_eq(a->branch, b->branch);
}

/* Calls of a trajectory that a later entry of their kind shows to have had no result. */
static void let_go_kept(struct writer *t, const struct event *e, struct str until)
{
	struct held **at = &t->first;

	while (*at && !(until.p && str_eq((*at)->e->call, until))) {
		if (trajectory_write_is_kept((*at)->e) && same_branch((*at)->e, e))
			trajectory_write_let_go(t, at);
		else
			at = &(*at)->next;
	}
}

/* The call waits for its result. With HELD_MAX waiting the oldest goes, and stands apart from its result then. */
static void trajectory_write_on_call(struct writer *t, const struct event *e)
{
	struct held *h = mem_alloc(sizeof(*h));

	*h = (struct held){ .next = NULL };
	arena_init(&h->arena);
	h->e = event_copy(&h->arena, e);
	*t->last = h;
	t->last = &h->next;
	if (++t->held > HELD_MAX)
		trajectory_write_let_go(t, &t->first);
}

/* Where the pointer to the call is; it points to NULL when the call does not wait. */
static struct held **trajectory_write_find_held(struct writer *t, struct str call)
{
	struct held **at = &t->first;

	while (*at && !str_eq((*at)->e->call, call))
		at = &(*at)->next;
	return at;
}

/* ---- results ---- */

/* An object of streams alone. */
static bool is_streams(struct val v)
{
	struct val_iter it = val_begin(v);
	struct val key, value;
	bool only = val_is(v, JSON_OBJECT) && val_count(v) > 0;

	while (only && val_next_member(&it, &key, &value))
		only = val_is(value, JSON_STRING) &&
		       (val_text_is(key, STR("stdout")) || val_text_is(key, STR("stderr")) ||
			val_text_is(key, STR("content")));
	return only;
}

/*
 * The result where it stood before; a fresh one as its streams, or as one text: "stdout" when a program gave an exit
 * code, else "content".
 */
static void put_output(struct writer *t, struct entry *n, const struct event *e)
{
	static const struct str names[] = { WORD("content"), WORD("stdout"), WORD("stderr") };
	struct str how = original_note(n->rest, STR("#result"));
	bool fresh = val_is_none(n->rest), known = figure_is_known(e->exit_code);
	struct str json = original_payload(t->inner, e, "result", e->content, &t->arena);
	struct val v = writing_parse(t->inner, json);
	bool streams = is_streams(v) && (fresh || str_eq(how, STR("streams")));
	struct str text = { NULL, 0 };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct val part = streams ? val_get(v, names[i]) : VAL_NONE;
		bool whole = !streams && !fresh && str_eq(how, names[i]);

		trajectory_write_put_json(n, names[i],
					  val_is_none(part) ? (whole ? json : str_of(NULL, 0)) : val_source(part));
	}
	if (fresh && !streams && json.p)
		text = trajectory_write_text_of(t, json, "result.content that is not text");
	if (text.p) {
		json_write_key(&n->j, known ? STR("stdout") : STR("content"));
		json_write_string(&n->j, text);
	}
}

/* An entry of a result, with the name of its tool. */
static void trajectory_write_result(struct writer *t, const struct event *e, struct str tool)
{
	struct entry n;
	bool fresh;

	begin_entry(t, &n, e, STR("tool_result"));
	fresh = val_is_none(n.rest);
	original_text(&n.j, n.rest, STR("tool_name"), fresh ? tool : str_of(NULL, 0));
	put_output(t, &n, e);
	original_figure(&n.j, n.rest, STR("exit_code"), e->exit_code);
	original_amount(&n.j, n.rest, STR("duration_ms"), e->duration_ms);
	trajectory_write_put_json(&n, STR("media"), text_or_none(e->media));
	put_metadata(&n, e,
		     !figure_is_known(e->exit_code) && (e->is_error == TRUTH_TRUE || e->is_error == TRUTH_FALSE));
	losses_note(t->w->losses, e->chunks.n > 0, "result.chunks");
	losses_note(t->w->losses, amount_is_known(e->stall_ms), "result.stall_ms");
	end_entry(t, &n, e, result_names, COUNT(result_names));
}

/* The call goes out just before its result. A result that no call waits for has no name of a tool. */
static void trajectory_write_on_result(struct writer *t, const struct event *e)
{
	struct held **at;
	struct str tool = { NULL, 0 };

	if (trajectory_write_is_kept(e))
		let_go_kept(t, e, e->call);
	at = trajectory_write_find_held(t, e->call);
	if (*at) {
		tool = arena_copy(&t->arena, tool_name_full(&t->arena, (*at)->e));
		trajectory_write_let_go(t, at);
	}
	trajectory_write_result(t, e, tool);
}

/* ---- the rest ---- */

/* A step that was a trajectory's has its own number; any other one counts up. */
static void trajectory_write_on_step(struct writer *t, const struct event *e)
{
	struct entry n;

	if (trajectory_write_is_kept(e))
		let_go_kept(t, e, str_of(NULL, 0));
	else
		t->step++;
	begin_entry(t, &n, e, STR("assistant"));
	original_text(&n.j, n.rest, STR("content"), e->text);
	end_entry(t, &n, e, said_names, COUNT(said_names));
	losses_note(t->w->losses, e->reasoning.n > 0, "step.reasoning");
	losses_note(t->w->losses, usage_is_known(&e->usage), "usage");
	losses_note(t->w->losses, e->model.n > 0, "step.model");
	losses_note(t->w->losses, e->stop_reason.n > 0, "step.stop_reason");
	losses_note(t->w->losses, amount_is_known(e->latency_ms), "step.latency_ms");
}

/* A header, also one that came again. */
static void write_header(struct writer *t, const struct event *e, struct val rest)
{
	static const struct str names[] = { WORD("version"), WORD("format"), WORD("timestamp") };
	bool dated = e->ts.source == MOMENT_VENDOR && !val_is_none(rest);
	struct json_writer j;

	json_write_init(&j, &t->entry, JSON_COMPACT);
	json_write_begin_object(&j);
	if (!original_copy(&j, rest, STR("version")))
		json_put_u64(&j, "version", 1);
	original_text(&j, rest, STR("format"), STR("aec-bench-trajectory"));
	original_text(&j, rest, STR("timestamp"), dated ? e->ts.text : str_of(NULL, 0));
	original_others(&j, rest, names, COUNT(names), &t->arena);
	json_write_end_object(&j);
	end_text(t, rest);
	t->headed = true;
}

/* One header for the file: of a second run its beginning is lost. */
static void trajectory_write_on_start(struct writer *t, const struct event *e)
{
	losses_note(t->w->losses, e->agent.n > 0, "run.agent");
	losses_note(t->w->losses, e->tools.n > 0, "run.tools");
	waiting_drain(&t->waiting, t->w->out);
	if (!t->headed)
		write_header(t, e, original_rest(t->parser, e, KEY, &t->arena));
	else
		losses_note(t->w->losses, true, "run: where one ends and the next begins");
}

/*
 * A note is a result that nobody waited for, a header that came again, or an entry of unknown role. One from elsewhere
 * is lost.
 */
static void trajectory_write_on_note(struct writer *t, const struct event *e)
{
	struct val rest;
	struct entry n;
	struct event result;

	if (original_result(t->inner, e, &result, &t->arena)) {
		trajectory_write_result(t, &result, str_of(NULL, 0));
		return;
	}
	rest = original_rest(t->parser, e, KEY, &t->arena);
	if (val_is_none(rest)) {
		losses_note(t->w->losses, true, "note");
	} else if (val_is(val_get(rest, STR("#header")), JSON_TRUE)) {
		write_header(t, e, rest);
	} else {
		begin_entry(t, &n, e, str_of(NULL, 0));
		end_entry(t, &n, e, said_names, 3);
	}
}

/*
 * The error of a call lets the call go, since no result will come. Only "no_result" can be read back from the file;
 * others are lost.
 */
static void trajectory_write_on_error(struct writer *t, const struct event *e)
{
	struct held **at = e->call.n ? trajectory_write_find_held(t, e->call) : NULL;
	struct event result;

	if (original_result(t->inner, e, &result, &t->arena)) {
		trajectory_write_result(t, &result, str_of(NULL, 0));
		return;
	}
	if (at && *at)
		trajectory_write_let_go(t, at);
	if (str_eq(e->code, STR("no_result")))
		t->unanswered = true;
	else
		losses_note(t->w->losses, true, "error");
}

/* Figures of steps are noted as lost with their steps; here only those of the run. */
static void trajectory_write_on_cost(struct writer *t, const struct event *e)
{
	losses_note(t->w->losses, amount_is_known(e->usd), "cost.usd");
	losses_note(t->w->losses, usage_is_known(&e->usage) && str_eq(e->scope, STR("run")), "usage");
}

/* An entry that says how the run ended: there is no other place for it. */
static void trajectory_write_end(struct writer *t, const struct event *e)
{
	struct entry n;

	begin_entry(t, &n, e, STR("metadata"));
	if (val_is_none(n.rest)) {
		json_put_object(&n.j, "metadata");
		json_put_text(&n.j, TRAJECTORY_STATUS, words_status(e->status));
		if (e->reason.n)
			json_put_text(&n.j, TRAJECTORY_REASON, e->reason);
		json_write_end_object(&n.j);
	}
	end_entry(t, &n, e, said_names, 3);
}

/* The status is written only where a reader would think otherwise; then the order of lines is settled. */
static void trajectory_write_on_end(struct writer *t, const struct event *e)
{
	bool tells =
		trajectory_write_is_kept(e) || (writing_tells_end(e, t->unanswered) && (!t->was_one || t->torn));

	while (t->first)
		trajectory_write_let_go(t, &t->first);
	if (tells)
		trajectory_write_end(t, e);
	waiting_drain(&t->waiting, t->w->out);
	losses_note(t->w->losses, e->output.n > 0, "run.output");
	losses_note(t->w->losses, e->reason.n > 0 && !tells, "run.reason");
	t->was_one = t->torn = t->unanswered = false;
}

/* ---- the writer ---- */

static void *trajectory_write_open_writer(struct writing *w)
{
	struct writer *t = mem_alloc(sizeof(*t));

	*t = (struct writer){ .w = w };
	t->last = &t->first;
	t->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	t->inner = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	arena_init(&t->arena);
	return t;
}

/* After a failure calls may still wait: they are given up unwritten. */
static void trajectory_write_close_writer(void *writer)
{
	struct writer *t = writer;

	while (t->first) {
		struct held *h = t->first;

		t->first = h->next;
		arena_free(&h->arena);
		mem_free(h);
	}
	waiting_free(&t->waiting);
	buf_free(&t->entry);
	json_parser_close(t->parser);
	json_parser_close(t->inner);
	arena_free(&t->arena);
	mem_free(t);
}

static void (*const on[EVENT_KINDS])(struct writer *, const struct event *) = {
	[EVENT_RUN_START] = trajectory_write_on_start, [EVENT_MESSAGE] = trajectory_write_on_message,
	[EVENT_STEP] = trajectory_write_on_step,       [EVENT_CALL] = trajectory_write_on_call,
	[EVENT_RESULT] = trajectory_write_on_result,   [EVENT_COST] = trajectory_write_on_cost,
	[EVENT_ERROR] = trajectory_write_on_error,     [EVENT_NOTE] = trajectory_write_on_note,
	[EVENT_RUN_END] = trajectory_write_on_end,
};

/* Never fails: what cannot be held is a loss and no error. */
static bool trajectory_write_event(void *writer, const struct event *e, struct err *err)
{
	struct writer *t = writer;

	(void)err;
	arena_reset(&t->arena);
	t->was_one = t->was_one || trajectory_write_is_kept(e);
	t->torn = t->torn || event_is_torn(e);
	on[e->kind](t, e);
	return true;
}

/* A run without RUN_END still gives what waits. */
static bool trajectory_write_end_writer(void *writer, struct err *err)
{
	struct writer *t = writer;

	(void)err;
	while (t->first)
		trajectory_write_let_go(t, &t->first);
	waiting_drain(&t->waiting, t->w->out);
	return true;
}

const struct write_ops trajectory_write = {
	.cannot =
		"tokens, cost, models, reasoning, errors that belong to no call, the names of branches, and where "
		"one run ends and the next begins",
	.lacks_cost = true,
	.open = trajectory_write_open_writer,
	.close = trajectory_write_close_writer,
	.event = trajectory_write_event,
	.end = trajectory_write_end_writer,
};
