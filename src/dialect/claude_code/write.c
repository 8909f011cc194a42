/*
 * Events as a session file of Claude Code: a line for each block of an answer, with the answer's id and tokens on each
 * of them, a line for each result and message, lines of sub-agents among them. A line of a session that was read here
 * gets back what the model has no field for. What a line cannot say stands in its member `trackway` (own.h).
 *
 * Memory: the step at hand, 24 bytes for each call, and for each branch and each line that was one before its uuid.
 */
#include "dialect/claude_code/claude_code.h"
#include "dialect/claude_code/own.h"
#include "dialect/claude_code/write.h"
#include "dialect/reading/original.h"
#include "dialect/reading/speech.h"
#include "dialect/record/field.h"
#include "model/compaction.h"
#include "model/words.h"

#define NOTHING str_of(NULL, 0)

/* ---- what the user's side says ---- */

/* Whether all of a list are blocks that this API has, whatever has a text or a picture in it. */
static bool is_blocks(struct session_writer *x, struct str json)
{
	static const struct str media[] = { WORD("image"), WORD("document"), WORD("search_result"),
					    WORD("tool_reference") };
	struct val list = writing_parse(x->inner, json);

	if (!val_is(list, JSON_ARRAY))
		return false;
	VALUES_EACH(block, list) {
		struct val type = val_get(block, STR("type"));
		bool text = val_text_is(type, STR("text")) && val_is(val_get(block, STR("text")), JSON_STRING);

		if (!text && !(values_is_word(type, media, COUNT(media)) &&
			       (val_has(block, STR("source")) || val_has(block, STR("tool_name")))))
			return false;
	}
	return true;
}

/* The content as it may stand in a line: a text or blocks. *odd says that it is not what the event has. */
static struct str content_of(struct session_writer *x, const struct event *e, const char *member, bool *odd)
{
	struct str json = original_payload(x->inner, e, member, e->content, &x->scratch);
	struct buf text = { 0 };

	*odd = false;
	if (json.n && (json.p[0] == '"' || is_blocks(x, json)))
		return json;
	*odd = e->content.n > 0;
	json_write_quoted(&text, json.n ? speech_text(&x->scratch, x->inner, json, NULL) : STR(""));
	return arena_take(&x->scratch, &text);
}

/* The message of a line that holds one result. `truth` is an enum truth. */
static void put_result(struct session_writer *x, struct session_line *l, struct str call, struct str content,
		       uint8_t truth)
{
	static const struct str names[] = { WORD("type"), WORD("tool_use_id"), WORD("content"), WORD("is_error") };
	struct val kept = val_get(l->rest, STR("block"));

	json_put_object(&l->j, "message");
	json_put_text(&l->j, "role", STR("user"));
	json_put_array(&l->j, "content");
	json_write_begin_object(&l->j);
	original_text(&l->j, kept, STR("type"), STR("tool_result"));
	json_put_text(&l->j, "tool_use_id", call);
	json_put_raw(&l->j, "content", content);
	if (truth == TRUTH_TRUE || truth == TRUTH_FALSE)
		json_put_bool(&l->j, "is_error", truth == TRUTH_TRUE);
	original_others(&l->j, kept, names, COUNT(names), &x->scratch);
	json_write_end_object(&l->j);
	json_write_end_array(&l->j);
	json_write_end_object(&l->j);
}

/* The result of a call for which a sub-agent worked says which, as readers find its lines by that. */
static void write_result(struct session_writer *x, const struct event *e)
{
	struct val rest = claude_code_find_rest(x, e, 0);
	const struct str *agent = claude_code_agent_of(x, e->call);
	struct event left = *e;
	struct session_line l;
	struct str content;
	bool odd;

	content = content_of(x, e, "result", &odd);
	left.call = str_of(NULL, 0);
	if (!odd)
		left.content = str_of(NULL, 0);
	if (e->is_error == TRUTH_TRUE || e->is_error == TRUTH_FALSE)
		left.is_error = TRUTH_ABSENT;
	x->emit.chunks = e->chunks.n && (x->w->chunks || str_eq(x->w->source_format, STR("otutl")));
	claude_code_write_own(x, left, !val_is_none(rest), odd,
			      e->content.n ? NOTHING : STR("\"" CLAUDE_CODE_OWN_EMPTY "\":true"));
	x->emit.chunks = false;
	l = claude_code_begin_line(x, e, rest, STR("user"));
	put_result(x, &l, e->call, content, e->is_error);
	if (!original_copy(&l.j, rest, STR("toolUseResult")) && agent) {
		json_put_object(&l.j, "toolUseResult");
		json_put_text(&l.j, "agentId", *agent);
		json_write_end_object(&l.j);
	}
	claude_code_end_line(x, &l);
}

/* A line of the user, or of the model when it is told what that said. The event is a MESSAGE or a NOTE. */
static void session_write_message(struct session_writer *x, const struct event *e, struct str type)
{
	struct val rest = claude_code_find_rest(x, e, 0);
	bool odd, answer = str_eq(type, STR("assistant"));
	struct str content = content_of(x, e, "content", &odd);
	struct event left = *e;
	struct session_said said;
	struct session_line l;

	if (!odd && !answer)
		left.content = str_of(NULL, 0);
	claude_code_write_own(x, left, !val_is_none(rest), odd || answer, NOTHING);
	l = claude_code_begin_line(x, e, rest, type);
	if (answer) {
		said = (struct session_said){ .type = "text", .text = writing_plain(&x->scratch, content) };
		claude_code_put_answer(x, &l, NULL, said);
	} else {
		json_put_object(&l.j, "message");
		json_put_text(&l.j, "role", STR("user"));
		json_put_raw(&l.j, "content", content);
		json_write_end_object(&l.j);
	}
	claude_code_end_line(x, &l);
}

/* ---- lines of the program ---- */

/* A line of type system, whose subtype is the name of what it holds; `text` (p NULL: none) is for people. */
static void write_system(struct session_writer *x, const struct event *e, struct str subtype, struct str text)
{
	struct val rest = e->kind == EVENT_NOTE ? claude_code_find_rest(x, e, 0) : VAL_NONE;
	struct session_line l = claude_code_begin_line(x, e, rest, STR("system"));

	json_put_text(&l.j, "subtype", subtype);
	if (text.p)
		json_put_text(&l.j, "content", text);
	if (!val_has(rest, STR("level")))
		json_put_text(&l.j, "level", e->kind == EVENT_ERROR ? STR("error") : STR("info"));
	claude_code_end_line(x, &l);
}

/* A NOTE that was a line of another type than system: its content in the member that it came from. */
static bool write_native_note(struct session_writer *x, const struct event *e, struct val rest)
{
	struct str member = claude_code_note_member(e->role), type = e->role;
	struct val kind = val_get(writing_parse(x->inner, e->content), STR("type"));
	struct session_line l;

	if (!member.p && val_is(kind, JSON_STRING) && val_text_is(kind, e->role)) {
		type = STR("progress");
		member = STR("data");
	}
	if (!member.p && val_has(rest, STR("uuid")))
		return false;
	l = claude_code_begin_line(x, e, rest, type);
	if (member.p && !str_eq(e->content, STR("null"))) {
		json_write_key(&l.j, member);
		json_write_raw(&l.j, original_payload(x->inner, e, "content", e->content, &x->scratch));
	}
	claude_code_end_line(x, &l);
	return true;
}

static void put_renamed(struct json_writer *j, const char *name, struct val v)
{
	if (!val_is_unset(v))
		json_put_raw(j, name, val_source(v));
}

/* What other programs tell of a compaction is what Claude Code calls a boundary. */
static void write_boundary(struct session_writer *x, const struct event *e, struct val said)
{
	struct session_line l;

	claude_code_write_own(x, *e, false, true, NOTHING);
	l = claude_code_begin_line(x, e, VAL_NONE, STR("system"));
	json_put_text(&l.j, "subtype", STR("compact_boundary"));
	json_put_text(&l.j, "content", STR("Conversation compacted"));
	json_put_text(&l.j, "level", STR("info"));
	json_put_object(&l.j, "compactMetadata");
	put_renamed(&l.j, "trigger", val_get(said, STR("trigger")));
	put_renamed(&l.j, "preTokens", val_get(said, STR("pre_tokens")));
	put_renamed(&l.j, "postTokens", val_get(said, STR("post_tokens")));
	json_write_end_object(&l.j);
	claude_code_end_line(x, &l);
}

static void write_note(struct session_writer *x, const struct event *e)
{
	struct val rest = claude_code_find_rest(x, e, 0);
	bool native = !val_is_none(rest), text = e->content.n && e->content.p[0] == '"';
	struct val said = str_eq(e->role, STR(COMPACTION_ROLE)) ? writing_parse(x->inner, e->content) : VAL_NONE;
	struct event left = *e;

	if (val_has(said, STR(COMPACTION_HIDDEN)) && !str_eq(x->vendor, STR("claude-code"))) {
		write_boundary(x, e, said);
		return;
	}
	if (native && claude_code_is_user_note(e->role) && val_has(rest, STR("uuid"))) {
		session_write_message(x, e, STR("user"));
		return;
	}
	if (native && write_native_note(x, e, rest))
		return;
	if (text)
		left.content = str_of(NULL, 0);
	claude_code_write_own(x, left, native, !text, NOTHING);
	write_system(x, e, e->role.n ? e->role : STR("note"),
		     text ? writing_plain(&x->scratch, e->content) : str_of(NULL, 0));
}

/* What ended a call is its result. A call without a result says so itself. */
static void write_call_error(struct session_writer *x, const struct event *e)
{
	struct session_line l;
	struct buf text = { 0 };

	otutl_pairs_close(&x->pairs, e->call);
	if (str_eq(e->code, STR("no_result")))
		return;
	claude_code_write_own(x, *e, false, true, NOTHING);
	json_write_quoted(&text, e->text.p ? e->text : STR(""));
	l = claude_code_begin_line(x, e, VAL_NONE, STR("user"));
	put_result(x, &l, e->call, arena_take(&x->scratch, &text), TRUTH_TRUE);
	claude_code_end_line(x, &l);
}

/* An answer that failed is a line of the model that says so. */
static void write_failed_answer(struct session_writer *x, const struct event *e)
{
	struct val rest = claude_code_find_rest(x, e, 0);
	struct session_line l;

	claude_code_write_own(x, *e, !val_is_none(rest), true, NOTHING);
	l = claude_code_begin_line(x, e, rest, STR("assistant"));
	json_put_object(&l.j, "message");
	json_put_text(&l.j, "id", l.uuid);
	json_put_text(&l.j, "type", STR("message"));
	json_put_text(&l.j, "role", STR("assistant"));
	json_put_text(&l.j, "model", STR("<synthetic>"));
	json_put_array(&l.j, "content");
	claude_code_put_spoken(x, &l, "text", e->text.p ? e->text : STR(""));
	json_write_end_array(&l.j);
	json_write_end_object(&l.j);
	if (e->code.p)
		json_put_text(&l.j, "error", e->code);
	json_put_bool(&l.j, "isApiErrorMessage", true);
	claude_code_end_line(x, &l);
}

static void write_error(struct session_writer *x, const struct event *e)
{
	if (e->call.n && otutl_pairs_find(&x->pairs, e->call) == OTUTL_PAIR_OPEN) {
		write_call_error(x, e);
	} else if (str_eq(e->class, STR("model"))) {
		write_failed_answer(x, e);
	} else {
		claude_code_write_own(x, *e, false, true, NOTHING);
		write_system(x, e, STR("error"), e->text.p ? e->text : e->code);
	}
}

/* A result that no call waits for, which no session has: told as an error. */
static void write_orphan(struct session_writer *x, const struct event *e)
{
	struct event error = { .kind = EVENT_ERROR, .ts = e->ts, .branch = e->branch, .step = e->step, .call = e->call,
			       .parent = e->parent, .class = STR("tool"), .code = STR("orphan_result"),
			       .text = STR("a result that no call waits for"), .bignums = e->bignums, .index = -1 };
	struct extra *ours = arena_new(&x->scratch, struct extra);

	*ours = (struct extra){ .next = e->extras, .key = STR("trackway/1") };
	ours->json = ARENA_JOIN(&x->scratch, STR("{\"result\":"), e->content.n ? e->content : STR("null"), STR("}"));
	error.extras = ours;
	write_error(x, &error);
}

/* ---- runs ---- */

static void begin_run(struct session_writer *x, const struct event *e)
{
	char id[ID_UUID_TEXT];

	arena_reset(&x->run);
	arena_reset(&x->hold);
	map_init(&x->heads, &x->run);
	map_init(&x->uuids, &x->run);
	map_init(&x->agents, &x->run);
	otutl_pairs_clear(&x->pairs);
	x->open = true;
	x->lines = 0;
	x->step = x->cost = NULL;
	x->waits = false;
	x->cwd = str_of(NULL, 0);
	x->id = writing_id_of(e);
	id_format_uuid(id, x->id);
	x->session = arena_copy(&x->run, e->run.n ? e->run : str_of(id, sizeof(id)));
	x->version = arena_copy(&x->run, e->agent_version);
	x->vendor = arena_copy(&x->run, e->vendor.p ? e->vendor : STR("unknown"));
	claude_code_write_own(x, *e, false, true, NOTHING);
	write_system(x, e, STR("run_start"), STR("The run begins."));
}

static void end_run(struct session_writer *x, const struct event *e)
{
	struct str status = words_status(e->status);

	claude_code_flush_step(x);
	claude_code_write_own(x, *e, false, true, NOTHING);
	write_system(x, e, STR("run_end"), ARENA_JOIN(&x->scratch, STR("The run is over: "), status, STR(".")));
	x->open = false;
}

/* A step waits for what it cost and for its first call. */
static void hold_step(struct session_writer *x, const struct event *e)
{
	claude_code_flush_step(x);
	arena_reset(&x->hold);
	x->step = event_copy(&x->hold, e);
	x->cost = NULL;
	x->waits = true;
}

static void write_cost(struct session_writer *x, const struct event *e)
{
	if (x->waits && !x->cost && claude_code_is_at_hand(x, e) && str_eq(e->scope, STR("step"))) {
		x->cost = event_copy(&x->hold, e);
		return;
	}
	claude_code_flush_step(x);
	claude_code_write_own(x, *e, false, true, NOTHING);
	write_system(x, e, STR("cost"), str_of(NULL, 0));
}

static void write_other(struct session_writer *x, const struct event *e)
{
	bool user = str_eq(e->role, STR("user")) || str_eq(e->role, STR("tool")) || str_eq(e->role, STR("function"));
	bool odd;

	claude_code_flush_step(x);
	if (e->kind == EVENT_RESULT && (!e->call.n || otutl_pairs_find(&x->pairs, e->call) != OTUTL_PAIR_OPEN)) {
		write_orphan(x, e);
	} else if (e->kind == EVENT_RESULT) {
		otutl_pairs_close(&x->pairs, e->call);
		write_result(x, e);
	} else if (e->kind == EVENT_ERROR) {
		write_error(x, e);
	} else if (e->kind == EVENT_NOTE) {
		write_note(x, e);
	} else if (user || str_eq(e->role, STR("assistant"))) {
		session_write_message(x, e, user ? STR("user") : STR("assistant"));
	} else {
		claude_code_write_own(x, *e, false, true, NOTHING);
		write_system(x, e, e->role.n ? e->role : STR("message"),
			     writing_plain(&x->scratch, content_of(x, e, "content", &odd)));
	}
}

/* ---- the writer ---- */

static void *session_writer_open(struct writing *w)
{
	struct session_writer *x = mem_alloc(sizeof(*x));

	*x = (struct session_writer){ .w = w };
	x->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	x->inner = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	otutl_emit_init(&x->emit);
	otutl_pairs_init(&x->pairs);
	x->emit.bare = true;
	arena_init(&x->run);
	arena_init(&x->hold);
	arena_init(&x->scratch);
	return x;
}

static void session_writer_close(void *writer)
{
	struct session_writer *x = writer;

	json_parser_close(x->parser);
	json_parser_close(x->inner);
	otutl_emit_free(&x->emit);
	otutl_pairs_free(&x->pairs);
	buf_free(&x->own);
	arena_free(&x->run);
	arena_free(&x->hold);
	arena_free(&x->scratch);
	mem_free(x);
}

/* Events outside of a run get one. Never fails. */
static bool session_writer_event(void *writer, const struct event *e, struct err *err)
{
	struct session_writer *x = writer;

	(void)err;
	arena_reset(&x->scratch);
	if (e->kind == EVENT_RUN_START) {
		if (x->open)
			claude_code_flush_step(x);
		begin_run(x, e);
		return true;
	}
	if (!x->open)
		begin_run(x, &(struct event){ .kind = EVENT_RUN_START, .ts = e->ts, .index = -1 });
	if (e->kind == EVENT_RUN_END)
		end_run(x, e);
	else if (e->kind == EVENT_STEP)
		hold_step(x, e);
	else if (e->kind == EVENT_CALL)
		claude_code_write_call(x, e);
	else if (e->kind == EVENT_COST)
		write_cost(x, e);
	else
		write_other(x, e);
	return true;
}

static bool session_writer_end(void *writer, struct err *err)
{
	struct session_writer *x = writer;

	(void)err;
	if (x->open)
		claude_code_flush_step(x);
	return true;
}

const struct write_ops claude_code_write = {
	.cannot = "members of lines that become one, when a text came on several; what else its lines cannot say "
		  "stands in a member of ours, which other programs pass over; pieces of results only when asked for",
	.names_runs = true,
	.open = session_writer_open,
	.close = session_writer_close,
	.event = session_writer_event,
	.end = session_writer_end,
};
