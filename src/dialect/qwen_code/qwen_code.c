/*
 * Qwen Code: the chats it keeps, a line for each message in Gemini's form, with what it measured in lines between them.
 * What was measured of a call of the model stands before the answer, or after it, and is told with it.
 */
#include "base/map.h"
#include "dialect/formats.h"
#include "dialect/gemini/gemini.h"
#include "dialect/reading/reading.h"
#include "dialect/record/field.h"
#include "model/assemble.h"

/* The hint of an event. */
struct qwen_hint {
	struct str session, version;
	bool measured; /* STEP: what was measured of an answer; NOTE: what was measured of the call of the event */
	struct amount ms;
};

/* ---- lines ---- */

struct qwen_line {
	struct reading *r;
	struct val v;
	struct moment ts;
	struct qwen_hint *hint;
};

static struct event *qwen_add(const struct qwen_line *l, enum event_kind kind)
{
	struct event *e = reading_add(l->r, kind);

	e->ts = l->ts;
	return e;
}

static void qwen_read_assistant(const struct qwen_line *l)
{
	struct reading *r = l->r;
	struct val parts = val_get(val_get(l->v, STR("message")), STR("parts"));
	struct gemini_said said = { .text = { NULL, 0 } };
	size_t at = r->count;
	struct event *e = qwen_add(l, EVENT_STEP);

	e->step = text_or_none(reading_text(r, l->v, STR("uuid")));
	e->model = text_or_none(reading_text(r, l->v, STR("model")));
	e->usage = gemini_read_usage(r, val_get(l->v, STR("usageMetadata")));
	gemini_read_said(r, parts, &said);
	e->text = said.text;
	e->reasoning = said.reasoning;
	gemini_read_calls(r, parts, e->step, 0);
	for (size_t i = at + 1; i < r->count; i++)
		r->events[i].ts = l->ts;
	if (r->count > at + 1)
		r->events[at].stop_reason = STR("tool_use");
}

static const struct str qwen_failed[] = { WORD("error"), WORD("cancelled"), WORD("failed") };

/* How the call went stands beside what the model is given of it. */
static void qwen_read_given(const struct qwen_line *l)
{
	struct reading *r = l->r;
	struct val parts = val_get(val_get(l->v, STR("message")), STR("parts"));
	struct val result = val_get(l->v, STR("toolCallResult")), status = val_get(result, STR("status"));
	struct val code = val_get(val_get(result, STR("resultDisplay")), STR("exitCode"));
	size_t at = r->count;
	int64_t n;

	gemini_read_given(r, parts, STR("user"), 0);
	for (size_t i = at; i < r->count; i++)
		r->events[i].ts = l->ts;
	if (!val_is(result, JSON_OBJECT) || r->events[at].kind != EVENT_RESULT)
		return;
	if (!r->events[at].call.p)
		r->events[at].call = text_or_none(reading_text(r, result, STR("callId")));
	else
		reading_take(r, val_get(result, STR("callId")));
	if (val_text_is(status, STR("success")) && r->events[at].is_error == TRUTH_ABSENT)
		r->events[at].is_error = TRUTH_FALSE;
	if (values_is_word(status, qwen_failed, COUNT(qwen_failed)))
		r->events[at].is_error = TRUTH_TRUE;
	if (val_i64(code, &n)) {
		reading_take(r, code);
		r->events[at].exit_code = FIGURE((uint64_t)n);
	}
}

/* A call of the model: figures for the answer beside it, or all there is of one that no line tells. */
static void read_response(const struct qwen_line *l, struct val u)
{
	struct reading *r = l->r;
	struct event *e = qwen_add(l, EVENT_STEP);
	struct figure all = reading_count(r, u, STR("total_token_count"));

	l->hint->measured = true;
	e->step = text_or_none(reading_text(r, l->v, STR("uuid")));
	e->response_id = text_or_none(reading_text(r, u, STR("response_id")));
	e->model = text_or_none(reading_text(r, u, STR("model")));
	e->latency_ms = reading_amount(r, u, STR("duration_ms"), 1);
	e->ttft_ms = reading_amount(r, u, STR("ttft_ms"), 1);
	e->text = reading_text(r, u, STR("response_text"));
	e->usage = (struct usage){
		.input = reading_count(r, u, STR("input_token_count")),
		.output = reading_count(r, u, STR("output_token_count")),
		.cache_read = reading_count(r, u, STR("cached_content_token_count")),
		.reasoning = reading_count(r, u, STR("thoughts_token_count")),
	};
	if (figure_is_known(e->usage.output) && all.n > e->usage.input.n + e->usage.output.n)
		e->usage.output.n += e->usage.reasoning.n;
}

static void qwen_read_failure(const struct qwen_line *l, struct val u)
{
	struct reading *r = l->r;
	struct event *e = qwen_add(l, EVENT_ERROR);

	e->class = STR("model");
	e->code = text_or_none(reading_text(r, u, STR("error_type")));
	if (!e->code.p)
		e->code = text_or_none(reading_text(r, u, STR("status_code")));
	e->text = reading_text(r, u, STR("error_message"));
	if (!e->text.p)
		e->text = reading_text(r, u, STR("error"));
}

/* What the line of the result says, too, is taken; how long it took is for that. */
static void read_measured_call(const struct qwen_line *l, struct val u)
{
	static const struct str told[] = { WORD("function_args"), WORD("function_name"), WORD("success"),
					   WORD("status") };
	struct reading *r = l->r;
	struct event *e = qwen_add(l, EVENT_NOTE);

	l->hint->measured = true;
	l->hint->ms = reading_amount(r, u, STR("duration_ms"), 1);
	e->role = STR("tool_call");
	e->content = STR("null");
	e->call = text_or_none(reading_text(r, u, STR("call_id")));
	for (size_t i = 0; i < COUNT(told); i++)
		reading_take(r, val_get(u, told[i]));
}

static void qwen_read_system(const struct qwen_line *l)
{
	struct reading *r = l->r;
	struct val payload = val_get(l->v, STR("systemPayload")), u = val_get(payload, STR("uiEvent"));
	struct str name = val_text_or_none(val_get(u, STR("event.name")), r->arena);
	struct event *e;

	reading_take(r, val_get(u, STR("event.timestamp"))); /* that of the line, but for some milliseconds */
	if (str_ends(name, STR(".api_response"))) {
		read_response(l, u);
	} else if (str_ends(name, STR(".api_error"))) {
		qwen_read_failure(l, u);
	} else if (str_ends(name, STR(".tool_call"))) {
		read_measured_call(l, u);
	} else {
		e = qwen_add(l, EVENT_NOTE);
		e->role = text_or_none(reading_text(r, l->v, STR("subtype")));
		if (!e->role.p)
			e->role = STR("system");
		e->content = reading_json_of(r, e, "content", payload);
		if (!e->content.p)
			e->content = STR("null");
		return;
	}
	reading_take(r, val_get(u, STR("event.name")));
	reading_take(r, val_get(l->v, STR("subtype")));
}

static const struct {
	struct str type;
	void (*read)(const struct qwen_line *l);
} qwen_lines[] = {
	{ WORD("assistant"), qwen_read_assistant },
	{ WORD("user"), qwen_read_given },
	{ WORD("tool_result"), qwen_read_given },
	{ WORD("system"), qwen_read_system },
};

/* Told with every line; the beginning of the run has them, and the order of the lines is that of the file. */
static const struct str qwen_usual[] = {
	WORD("type"), WORD("uuid"), WORD("parentUuid"), WORD("provenance"), WORD("cwd"),
};

static void qwen_read_value(struct reading *r, struct val v)
{
	struct qwen_line l = { .r = r, .v = v, .hint = arena_new(r->arena, struct qwen_hint) };
	struct str branch = text_or_none(reading_text(r, v, STR("agentId")));
	size_t at = r->count, i = 0;
	struct event *e;

	l.ts = reading_time(r, v, STR("timestamp"));
	l.hint->session = text_or_none(reading_text(r, v, STR("sessionId")));
	l.hint->version = text_or_none(reading_text(r, v, STR("version")));
	while (i < COUNT(qwen_lines) && !val_text_is(val_get(v, STR("type")), qwen_lines[i].type))
		i++;
	if (i < COUNT(qwen_lines)) {
		qwen_lines[i].read(&l);
		for (i = 0; i < COUNT(qwen_usual); i++)
			if (!str_eq(qwen_usual[i], STR("cwd")) || !val_is_unset(val_get(v, STR("parentUuid"))))
				reading_take(r, val_get(v, qwen_usual[i]));
		reading_take(r, val_get(val_get(v, STR("message")), STR("role")));
		reading_rest(r, &r->events[at], v);
	} else {
		e = qwen_add(&l, EVENT_NOTE);
		e->role = STR("unknown");
		e->content = reading_json_of(r, e, "content", v);
	}
	for (i = at; i < r->count; i++) {
		r->events[i].hint = l.hint;
		r->events[i].branch = branch;
	}
}

/* Claude Code's lines have the same names around them, and blocks in their messages. */
static int qwen_fits(struct val v)
{
	bool named = val_has(v, STR("sessionId")) && val_has(v, STR("uuid"));

	if (named && val_is(val_at(v, STR("/message/parts")), JSON_ARRAY))
		return 97;
	named = named && val_text_is(val_get(v, STR("type")), STR("system"));
	return named && val_has(v, STR("systemPayload")) ? 97 : 0;
}

/* ---- their order ---- */

struct qwen_fold {
	struct arena run, hold;
	struct map took;   /* calls, to how long they took, as the bits of a double */
	struct str session;
	bool begun;
	struct event *measured; /* of an answer to come, in `hold`; NULL when there is none */
	struct str step;        /* the latest answer of which nothing was measured yet; p NULL: none */
	struct usage usage;     /* and its figures */
};

static void *qwen_fold_open(void)
{
	struct qwen_fold *f = mem_alloc(sizeof(*f));

	*f = (struct qwen_fold){ .begun = false };
	arena_init(&f->run);
	arena_init(&f->hold);
	map_init(&f->took, &f->run);
	return f;
}

static void qwen_fold_close(void *fold)
{
	struct qwen_fold *f = fold;

	if (!f)
		return;
	arena_free(&f->run);
	arena_free(&f->hold);
	mem_free(f);
}

/* An answer that no line tells: of a sub-agent, or of a question that the program asked for itself. */
static bool put_measured(struct qwen_fold *f, struct assemble *as, struct err *err)
{
	bool good = !f->measured || assemble_add(as, f->measured, err);

	f->measured = NULL;
	arena_reset(&f->hold);
	return good;
}

static bool is_same_answer(const struct usage *a, const struct usage *b)
{
	return a->input.n == b->input.n && a->output.n == b->output.n;
}

/* To the answer before it that has these figures, or kept for the one behind it. */
static bool add_measured(struct qwen_fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	struct event late = *e;

	if (!f->step.p || !is_same_answer(&f->usage, &e->usage)) {
		if (!put_measured(f, as, err))
			return false;
		f->measured = event_copy(&f->hold, e);
		return true;
	}
	late.flags = EVENT_PIECE;
	late.step = f->step;
	late.ts = (struct moment){ .source = MOMENT_NONE };
	late.text = str_of(NULL, 0); /* it has said so */
	f->step = str_of(NULL, 0);
	return assemble_add(as, &late, err);
}

static bool qwen_add_answer(struct qwen_fold *f, struct event *e, struct assemble *as, struct err *err)
{
	struct event more;

	f->step = str_of(NULL, 0);
	if (!f->measured || !is_same_answer(&f->measured->usage, &e->usage)) {
		if (!put_measured(f, as, err))
			return false;
		f->step = e->step.p ? arena_copy(&f->run, e->step) : e->step;
		f->usage = e->usage;
		e->flags |= e->step.p ? EVENT_PIECE : 0;
		return assemble_add(as, e, err);
	}
	more = *f->measured;
	e->response_id = more.response_id;
	e->latency_ms = more.latency_ms;
	e->ttft_ms = more.ttft_ms;
	for (struct extra *x = more.extras; x; x = x->next)
		event_add_extra(e, &f->hold, x->key, x->json);
	f->measured = NULL; /* its texts live until something else is held */
	return assemble_add(as, e, err);
}

static void note_time(struct qwen_fold *f, const struct event *e, struct amount ms)
{
	bool added;
	uint64_t bits;

	if (!e->call.p || !amount_is_known(ms))
		return;
	memcpy(&bits, &ms.n, sizeof(bits));
	*map_add(&f->took, e->call, &added) = bits;
}

static bool begin_chat(struct qwen_fold *f, const struct event *e, const struct qwen_hint *h, struct assemble *as,
		       struct err *err)
{
	struct event start = { .kind = EVENT_RUN_START, .index = -1, .ts = e->ts, .line = e->line, .run = h->session,
			       .agent = STR("qwen-code"), .agent_version = h->version };

	if (!put_measured(f, as, err))
		return false;
	arena_reset(&f->run);
	map_init(&f->took, &f->run);
	f->step = str_of(NULL, 0);
	f->begun = true;
	f->session = h->session.p ? arena_copy(&f->run, h->session) : h->session;
	return assemble_add(as, &start, err);
}

static bool qwen_fold(void *fold, const struct event *given, struct assemble *as, struct err *err)
{
	static const struct qwen_hint nothing;
	struct qwen_fold *f = fold;
	const struct qwen_hint *h = given->hint ? given->hint : &nothing;
	struct event e = *given;
	const uint64_t *bits;

	e.hint = NULL;
	if ((!f->begun || (h->session.p && !str_eq(f->session, h->session))) && !begin_chat(f, &e, h, as, err))
		return false;
	if (e.kind == EVENT_STEP)
		return h->measured ? add_measured(f, &e, as, err) : qwen_add_answer(f, &e, as, err);
	if (e.kind == EVENT_NOTE && h->measured)
		note_time(f, &e, h->ms);
	bits = e.kind == EVENT_RESULT && e.call.p ? map_find(&f->took, e.call) : NULL;
	if (bits) {
		e.duration_ms = AMOUNT(0);
		memcpy(&e.duration_ms.n, bits, sizeof(*bits));
	}
	return assemble_add(as, &e, err);
}

static bool qwen_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct qwen_fold *f = fold;
	bool good = put_measured(f, as, err);

	f->begun = false;
	f->session = f->step = str_of(NULL, 0);
	arena_reset(&f->run);
	map_init(&f->took, &f->run);
	return good;
}

static const struct read_ops read_qwen = {
	.vendor = "qwen-code",
	.key = "qwen-code/1",
	.assemble = ASSEMBLE_STEP_COSTS | ASSEMBLE_EXT_MERGE,
	.elements = true,
	.line_elements = true,
	.value = qwen_read_value,
	.fold_open = qwen_fold_open,
	.fold_close = qwen_fold_close,
	.fold = qwen_fold,
	.fold_end = qwen_fold_end,
};

const struct dialect qwen_code_dialect = {
	.name = "qwen-code",
	.title = "Qwen Code: the chats it keeps",
	.file = "chat.jsonl",
	.unit = "line",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = qwen_fits,
	.read = &read_qwen,
};
