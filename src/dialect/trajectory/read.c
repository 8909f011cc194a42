/*
 * Reading a trajectory: system and user entries are messages, an assistant entry is a step, tool_call and tool_result
 * are what they say. A call_type other than "main" is a branch. Entries have no ids: calls and results are joined by
 * their order within a step, which is the fold's work.
 */
#include <assert.h>

#include "base/arena.h"
#include "dialect/reading/reading.h"
#include "dialect/record/field.h"
#include "dialect/record/seed_formats.h"
#include "dialect/trajectory/end.h"
#include "model/assemble.h"
#include "model/merge.h"
#include "model/words.h"

#define SAFE ((int64_t)1 << 53)

/* A string member as canonical JSON; absent, and left alone, when it is anything else. */
static struct str take_quoted(struct reading *r, struct val object, struct str name)
{
	struct str text = reading_string(r, object, name);

	return text.p ? reading_quote(r, text) : text;
}

/* ---- entries ---- */

/* The tool's name. One that a URI would not give back as it was stays where it is. */
static void trajectory_read_tool(struct reading *r, struct val v, struct event *e)
{
	struct str name = reading_peek(r, v, STR("tool_name"));

	if (!name.p || name.n == 0) {
		e->tool = STR("unknown");
		reading_extra(r, e, STR("#tool"), STR("\"none\""));
		return;
	}
	e->tool = name;
	if (!str_has(name, STR("://")) && !str_starts(name, STR("mcp__")))
		reading_take(r, val_get(v, STR("tool_name")));
}

/* A command alone, as the arguments of a shell: {"command":"..."}. */
static struct str trajectory_command_object(struct reading *r, struct str command)
{
	return ARENA_JOIN(r->arena, STR("{\"command\":"), command, STR("}"));
}

/*
 * What a call does is all of it in its arguments: a command beside them becomes one of them. Where they have another of
 * that name, both stand side by side.
 */
static void read_both(struct reading *r, struct val arguments, struct str command, struct event *e)
{
	struct val own = val_get(arguments, STR("command"));
	bool same = val_is(own, JSON_STRING) && str_eq(reading_quote(r, val_text(own, r->arena)), command);
	bool nested = !val_is_none(own) && !same;

	e->args = reading_json_of(r, e, nested ? "args/arguments" : "args", arguments);
	if (nested)
		e->args = ARENA_JOIN(r->arena, STR("{\"arguments\":"), e->args, STR(",\"command\":"), command,
				     STR("}"));
	else if (!same)
		e->args = merge_objects(r->merge, r->arena, e->args, trajectory_command_object(r, command));
	reading_extra(r, e, STR("#args"), nested ? STR("\"nested\"") : same ? STR("\"same\"") : STR("\"both\""));
}

/* How the arguments stood ("#args") is noted for the writer. An entry with neither has an empty object. */
static void trajectory_read_args(struct reading *r, struct val v, struct event *e)
{
	struct val arguments = val_get(v, STR("arguments"));
	struct str command = take_quoted(r, v, STR("command"));

	e->args = STR("{}");
	if (val_is(arguments, JSON_OBJECT) && command.p) {
		read_both(r, arguments, command, e);
	} else if (val_is(arguments, JSON_OBJECT)) {
		e->args = reading_json_of(r, e, "args", arguments);
		reading_extra(r, e, STR("#args"), STR("\"arguments\""));
	} else if (command.p) {
		e->args = trajectory_command_object(r, command);
		reading_extra(r, e, STR("#args"), STR("\"command\""));
	}
}

/* Text alone is the result; more than one stream, or that of errors, is an object of what there is. */
static void trajectory_read_output(struct reading *r, struct val v, struct event *e)
{
	static const struct str names[] = { WORD("content"), WORD("stderr"), WORD("stdout") };
	struct str texts[3], all = STR("");
	size_t count = 0, only = 0;

	for (size_t i = 0; i < 3; i++) {
		texts[i] = take_quoted(r, v, names[i]);
		count += texts[i].p != NULL;
		only = texts[i].p ? i : only;
	}
	if (count == 0)
		return;
	if (count == 1 && only != 1) {
		e->content = texts[only];
		reading_extra(r, e, STR("#result"), reading_quote(r, names[only]));
		return;
	}
	for (size_t i = 0; i < 3; i++)
		if (texts[i].p)
			all = ARENA_JOIN(r->arena, all, all.n ? STR(",\"") : STR("{\""), names[i], STR("\":"),
					 texts[i]);
	e->content = ARENA_JOIN(r->arena, all, STR("}"));
	reading_extra(r, e, STR("#result"), STR("\"streams\""));
}

/* An exit code that is not 0 is an error; else what a harness said of it. */
static void read_exit(struct reading *r, struct val v, struct event *e)
{
	struct val code = val_get(v, STR("exit_code")), said = val_get(val_get(v, STR("metadata")), STR("is_error"));
	int64_t n;

	if (val_is(code, JSON_NUMBER) && val_i64(code, &n) && n > -SAFE && n < SAFE) {
		reading_take(r, code);
		e->exit_code = FIGURE((uint64_t)n);
		e->is_error = n != 0 ? TRUTH_TRUE : TRUTH_FALSE;
	} else if (val_is_bool(said)) {
		e->is_error = val_is(said, JSON_TRUE) ? TRUTH_TRUE : TRUTH_FALSE;
	}
}

/* A negative or odd duration is nobody's, and stays in the entry. */
static void trajectory_read_result(struct reading *r, struct val v, struct event *e)
{
	struct val media = val_get(v, STR("media"));
	double ms;

	e->call = reading_peek(r, val_get(v, STR("metadata")), STR("call_id"));
	trajectory_read_output(r, v, e);
	read_exit(r, v, e);
	if (val_double(val_get(v, STR("duration_ms")), &ms) && ms >= 0)
		e->duration_ms = reading_amount(r, v, STR("duration_ms"), 1);
	if (val_is(media, JSON_ARRAY))
		e->media = reading_json_of(r, e, "media", media);
}

/* The role "metadata" and any that is unknown make a NOTE. */
static enum event_kind trajectory_read_kind_of(struct val role)
{
	static const struct {
		struct str role;
		enum event_kind kind;
	} roles[] = {
		{ WORD("system"), EVENT_MESSAGE },
		{ WORD("user"), EVENT_MESSAGE },
		{ WORD("assistant"), EVENT_STEP },
		{ WORD("tool_call"), EVENT_CALL },
		{ WORD("tool_result"), EVENT_RESULT },
	};

	for (size_t i = 0; i < COUNT(roles); i++)
		if (val_text_is(role, roles[i].role))
			return roles[i].kind;
	return EVENT_NOTE;
}

/* An entry of our own writer that says how the run ended. */
static bool trajectory_read_end(struct reading *r, struct val v)
{
	struct val said = val_get(v, STR("metadata"));
	enum run_status status = words_fold_status(reading_peek(r, said, STR(TRAJECTORY_STATUS)));
	struct event *e;

	if (!val_text_is(val_get(v, STR("role")), STR("metadata")) || status == STATUS_UNKNOWN)
		return false;
	e = reading_add(r, EVENT_RUN_END);
	e->ts = reading_time(r, v, STR("timestamp"));
	e->status = status;
	e->reason = reading_peek(r, said, STR(TRAJECTORY_REASON));
	reading_rest(r, e, v);
	return true;
}

/* The hint of an event: which step of its stream it is of. */
struct trajectory_hint {
	uint64_t step;
};

/* In the batch, as all hints: the fold reads it and takes it off. */
static const struct trajectory_hint *trajectory_make_hint(struct reading *r, uint64_t step)
{
	struct trajectory_hint *h = arena_new(r->arena, struct trajectory_hint);

	h->step = step;
	return h;
}

/* An entry by its role: a message, a step, a call, a result, or a note of what is none of these. */
static void read_entry(struct reading *r, struct val v)
{
	struct val role = val_get(v, STR("role")), type = val_get(v, STR("call_type"));
	struct event *e = reading_add(r, trajectory_read_kind_of(role));
	int64_t step;

	e->ts = reading_time(r, v, STR("timestamp"));
	if (val_is(type, JSON_STRING) && !val_text_is(type, STR("main")))
		e->branch = reading_peek(r, v, STR("call_type"));
	if (val_i64(val_get(v, STR("step")), &step) && step >= 0)
		e->hint = trajectory_make_hint(r, (uint64_t)step);
	if (e->kind == EVENT_NOTE) {
		e->role = reading_peek(r, v, STR("role"));
		e->role = e->role.p ? e->role : STR("entry");
		reading_rest(r, e, v);
		return;
	}
	reading_take(r, role);
	if (e->kind == EVENT_MESSAGE) {
		e->role = reading_text_of(r, role);
		e->content = take_quoted(r, v, STR("content"));
	} else if (e->kind == EVENT_STEP) {
		e->text = reading_string(r, v, STR("content"));
	} else if (e->kind == EVENT_CALL) {
		e->call = reading_peek(r, val_get(v, STR("metadata")), STR("call_id"));
		trajectory_read_tool(r, v, e);
		trajectory_read_args(r, v, e);
	} else {
		trajectory_read_result(r, v, e);
	}
	reading_rest(r, e, v);
}

/* Version and format are taken only where the writer would write the same again. */
static void trajectory_read_header(struct reading *r, struct val v)
{
	struct event *e = reading_add(r, EVENT_RUN_START);
	struct val version = val_get(v, STR("version"));
	double d;

	e->ts = reading_time(r, v, STR("timestamp"));
	if (val_double(version, &d) && d == 1)
		reading_take(r, version);
	if (val_text_is(val_get(v, STR("format")), STR("aec-bench-trajectory")))
		reading_take(r, val_get(v, STR("format")));
	reading_rest(r, e, v);
	reading_extra(r, e, STR("#header"), STR("true"));
}

/* Every line gives one event at least, with its number: the writer puts the lines back into their order. */
static void trajectory_read_value(struct reading *r, struct val v)
{
	size_t first = r->count;

	if (val_has(v, STR("version")) && val_has(v, STR("format")))
		trajectory_read_header(r, v);
	else if (val_is(v, JSON_OBJECT) && !trajectory_read_end(r, v))
		read_entry(r, v);
	else if (!val_is(v, JSON_OBJECT))
		reading_rest_under(r, reading_add(r, EVENT_NOTE), v, STR("#value"));
	reading_extra(r, &r->events[first], STR("#line"), arena_printf(r->arena, "%llu", (unsigned long long)r->line));
}

/* ---- calls and results, by order ---- */

#define STREAMS 4    /* main, warmup, subagent, any other call_type: each is in order for itself */
#define LOOK 64      /* open calls among which an id is looked for */
#define OPEN_MAX 4096 /* calls of a step that wait for a result: more are not joined by order */

struct stream {
	uint64_t step;
	struct arena arena; /* of the step */
	struct str open[OPEN_MAX];
	size_t first, count;
};

struct fold {
	struct stream streams[STREAMS];
	uint64_t calls;
};

/* Some 260 KB for each fold: the open calls of four streams, in one piece. */
static void *trajectory_read_fold_open(void)
{
	struct fold *f = mem_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	for (size_t i = 0; i < STREAMS; i++)
		arena_init(&f->streams[i].arena);
	return f;
}

static void trajectory_read_fold_close(void *fold)
{
	struct fold *f = fold;

	for (size_t i = 0; i < STREAMS; i++)
		arena_free(&f->streams[i].arena);
	mem_free(f);
}

/* All call_types that nobody knows share the last stream. */
static struct stream *stream_of(struct fold *f, struct str branch)
{
	if (!branch.p)
		return &f->streams[0];
	if (str_eq(branch, STR("warmup")))
		return &f->streams[1];
	return &f->streams[str_eq(branch, STR("subagent")) ? 2 : 3];
}

/*
 * Calls of a step before wait no longer: a result is always of its own step. `step` is one more than the log's, and 0
 * is none.
 */
static void trajectory_read_begin_step(struct stream *s, uint64_t step)
{
	if (step == s->step)
		return;
	s->step = step;
	s->first = s->count = 0;
	arena_reset(&s->arena);
}

/* A call's own id, or one by its number in the file. */
static void name_call(struct fold *f, struct stream *s, struct event *e)
{
	f->calls++;
	if (e->call.n == 0)
		e->call = arena_printf(&s->arena, "call_%llu", (unsigned long long)f->calls);
	if (s->count < OPEN_MAX)
		s->open[s->count++] = arena_copy(&s->arena, e->call);
}

/*
 * A result with an id answers the call of that id, if it is among the next few; one without answers the oldest that
 * waits. The calls passed over move up by one and stay in order.
 */
static void name_result(struct stream *s, struct event *e)
{
	assert(s->first <= s->count && s->count <= OPEN_MAX);
	for (size_t i = s->first; e->call.n && i < s->count && i < s->first + LOOK; i++) {
		if (!str_eq(s->open[i], e->call))
			continue;
		memmove(&s->open[s->first + 1], &s->open[s->first], (i - s->first) * sizeof(s->open[0]));
		s->first++;
		return;
	}
	if (e->call.n == 0 && s->first < s->count)
		e->call = s->open[s->first++];
}

/* Gives calls and results their ids, and passes everything on. False only when the assembler refused the event. */
static bool trajectory_read_fold_event(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct fold *f = fold;
	struct event mine = *e;
	struct stream *s = stream_of(f, e->branch);
	const struct trajectory_hint *h = e->hint;

	if (h)
		trajectory_read_begin_step(s, h->step + 1);
	if (e->kind == EVENT_CALL)
		name_call(f, s, &mine);
	else if (e->kind == EVENT_RESULT)
		name_result(s, &mine);
	mine.hint = NULL;
	return assemble_add(as, &mine, err);
}

/* The assembler has all events already: only the state is made as new. */
static bool trajectory_read_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct fold *f = fold;

	(void)as;
	(void)err;
	for (size_t i = 0; i < STREAMS; i++)
		trajectory_read_begin_step(&f->streams[i], 0);
	f->calls = 0;
	return true;
}

const struct read_ops trajectory_read = {
	.vendor = "trajectory",
	.key = "trajectory/1",
	.value = trajectory_read_value,
	.fold_open = trajectory_read_fold_open,
	.fold_close = trajectory_read_fold_close,
	.fold = trajectory_read_fold_event,
	.fold_end = trajectory_read_fold_end,
};
