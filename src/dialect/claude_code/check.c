/*
 * Whether a log of Claude Code is whole. Lines of a session are a chain by uuid and parentUuid, calls have results, and
 * the lines of one answer agree. The scan leaves marks; the fold holds them against each other. A stream (stream-json)
 * has no chain, but uuids, calls, results and an end.
 */
#include "dialect/claude_code/check.h"

#include "dialect/claude_code/rules.h"
#include "dialect/session/compaction.h"
#include "dialect/values.h"

enum claude_mark {
	MARK_UUID,
	MARK_PARENT,
	MARK_SESSION,
	MARK_TIME,
	MARK_TYPE,
	MARK_ANSWER, /* of the model: id and usage; n output tokens, other a digest of the rest */
	MARK_PROMPT, /* what the user said; n 0 */
	MARK_CALL,
	MARK_RESULT,
	MARK_COMPACTED, /* n: results that it takes out of sight, -1 for all */
	MARK_STREAM, /* a line of a stream; n 1 for the one that ends it, -1 for one that goes on behind an end */
};

/* ---- one line ---- */

static bool is_known_type(struct val type)
{
	static const struct str known[] = {
		WORD("user"), WORD("assistant"), WORD("system"), WORD("progress"), WORD("attachment"), WORD("summary"),
		WORD("file-history-snapshot"), WORD("queue-operation"), WORD("last-prompt"), WORD("ai-title"),
		WORD("custom-title"), WORD("pr-link"), WORD("agent-name"), WORD("agent-color"), WORD("agent-setting"),
		WORD("permission-mode"), WORD("mode"), WORD("tag"), WORD("tools-used"), WORD("cost-state"),
		WORD("api-request"), WORD("api-request-shape"), WORD("api-request-blob"), WORD("atis-latch"),
		WORD("worktree-state"), WORD("content-replacement"), WORD("task-summary"),
		/* of streams */
		WORD("result"), WORD("stream_event"), WORD("control_request"), WORD("control_response"),
		WORD("control_cancel_request"), WORD("rate_limit_event"), WORD("tool_progress"), WORD("auth_status"),
		WORD("keep_alive"), WORD("tool_use_summary"), WORD("prompt_suggestion"),
	};

	return values_is_word(type, known, COUNT(known));
}

static void mark_type(struct record_scan *s, struct marks *m, struct val line)
{
	struct val type = val_get(line, STR("type"));

	if (val_is(type, JSON_STRING) && is_known_type(type))
		return;
	marks_add(s, m, MARK_TYPE, type)->text =
		arena_copy(&s->out->arena, val_is_none(type) ? STR("(none)") : record_show(s, type));
}

/* Tokens of an answer: those of the input must be the same on all its lines. */
static void mark_answer(struct record_scan *s, struct marks *m, struct val message)
{
	static const struct str same[] = { WORD("input_tokens"), WORD("cache_read_input_tokens"),
					   WORD("cache_creation_input_tokens") };
	struct val usage = val_get(message, STR("usage"));
	struct mark *one = marks_add_id(s, m, MARK_ANSWER, val_get(message, STR("id")));
	int64_t n;

	if (!one)
		return;
	one->n = -1;
	if (!val_is(usage, JSON_OBJECT))
		return;
	for (size_t i = 0; i < COUNT(same); i++)
		one->other = one->other * 0x9e3779b97f4a7c15u +
			     (val_i64(val_get(usage, same[i]), &n) ? (uint64_t)n + 1 : 0);
	one->n = val_i64(val_get(usage, STR("output_tokens")), &n) ? n : 0;
}

/* n 1: of a sub-agent, which has a context of its own. */
static void mark_result(struct record_scan *s, struct marks *m, struct val call, bool is_side)
{
	struct mark *one = marks_add_id(s, m, MARK_RESULT, call);

	if (one)
		one->n = is_side;
}

/* Of the main line only. A summary says the same as the line before it, where there is one. */
static void mark_compaction(struct record_scan *s, struct marks *m, struct val line)
{
	struct val subtype = val_get(line, STR("subtype"));
	bool micro = val_text_is(subtype, STR("microcompact_boundary"));
	struct val ids = val_at(line, STR("/microcompactMetadata/compactedToolIds"));

	if (val_is(val_get(line, STR("isSidechain")), JSON_TRUE))
		return;
	if (micro)
		marks_add(s, m, MARK_COMPACTED, subtype)->n = val_is(ids, JSON_ARRAY) ? (int64_t)val_count(ids) : 0;
	else if (val_text_is(subtype, STR("compact_boundary")) ||
		 val_is(val_get(line, STR("isCompactSummary")), JSON_TRUE))
		marks_add(s, m, MARK_COMPACTED, subtype)->n = -1;
}

/* Calls and results stand among the blocks of a message. What is no result is said by the user. */
static void mark_message(struct record_scan *s, struct marks *m, struct val line, bool is_answer)
{
	struct val message = val_get(line, STR("message")), content = val_get(message, STR("content"));
	bool is_side = val_is(val_get(line, STR("isSidechain")), JSON_TRUE) ||
		       val_is(val_get(line, STR("parent_tool_use_id")), JSON_STRING);
	bool said = val_is(content, JSON_STRING);

	if (is_answer && !is_side)
		mark_answer(s, m, message);
	VALUES_EACH(block, content) {
		struct val type = val_get(block, STR("type"));

		if (is_answer && val_text_is(type, STR("tool_use")))
			marks_add_id(s, m, MARK_CALL, val_get(block, STR("id")));
		else if (!is_answer && val_text_is(type, STR("tool_result")))
			mark_result(s, m, val_get(block, STR("tool_use_id")), is_side);
		else
			said = true;
	}
	if (!is_answer && said && !is_side)
		marks_add(s, m, MARK_PROMPT, VAL_NONE);
}

/* A line of a session has a uuid, or at least a sessionId; one of a stream spells it session_id. */
static void claude_mark_line(struct record_scan *s, struct marks *m, struct val line)
{
	struct val type = val_get(line, STR("type")), id = val_get(line, STR("session_id"));
	bool is_message = val_text_is(type, STR("assistant")) || val_text_is(type, STR("user"));

	if (!val_is(line, JSON_OBJECT)) {
		record_note(s, CLAUDE_NOT_LINE, line, "a line of a session must be an object");
		return;
	}
	mark_type(s, m, line);
	if (!val_is_none(id)) {
		marks_add(s, m, MARK_STREAM, VAL_NONE)->n = is_message ? -1 : val_text_is(type, STR("result"));
		/* a prompt that is played back has the uuid with which it was sent */
		if (!val_is(val_get(line, STR("isReplay")), JSON_TRUE))
			marks_add_id(s, m, MARK_UUID, val_get(line, STR("uuid")));
	} else {
		id = val_get(line, STR("sessionId"));
		/* what it follows comes first: a line that follows itself follows nothing */
		marks_add_id(s, m, MARK_PARENT, val_get(line, STR("parentUuid")));
		if (marks_add_id(s, m, MARK_UUID, val_get(line, STR("uuid"))))
			marks_add_time(s, m, MARK_TIME, val_get(line, STR("timestamp")));
	}
	marks_add_id(s, m, MARK_SESSION, id);
	mark_compaction(s, m, line);
	if (is_message)
		mark_message(s, m, line, val_text_is(type, STR("assistant")));
}

/* A line may be wrapped by whoever captured both directions; an array, or a list of messages, holds lines. */
static void claude_code_check(struct record_scan *s, struct val root, void *fact)
{
	struct val list = val_is(root, JSON_ARRAY) ? root : VAL_NONE, inner = val_get(root, STR("message"));

	if (!val_has(root, STR("type")) && val_is(val_get(root, STR("messages")), JSON_ARRAY))
		list = val_get(root, STR("messages"));
	if (val_is_none(list)) {
		bool wrapped = (val_has(root, STR("direction")) || val_has(root, STR("dir"))) &&
			       val_is(inner, JSON_OBJECT) && !val_has(root, STR("type"));

		claude_mark_line(s, fact, wrapped ? inner : root);
	}
	VALUES_EACH(line, list)
		claude_mark_line(s, fact, line);
}

/* ---- the log ---- */

/* `waiting`: lines that have not come yet, by the place of the first that follows them. */
struct claude_fold {
	struct mark_ids lines, waiting, calls;
	struct mark_types types;
	struct hash session;
	bool has_session, said_session;
	bool begun;  /* a line with a uuid came */
	bool inside; /* the first of them follows one that is not here */
	bool is_stream, has_end;
	int64_t time;
	bool has_time;
	int64_t turn; /* counts answers and prompts */
	struct mark_sight sight;
	struct hash answer;
	struct mark_item usage; /* of the answer; open when it is known */
};

static void claude_code_begin(struct record_fold *f)
{
	struct claude_fold *c = f->state;

	mark_ids_init(&c->lines, f->arena);
	mark_ids_init(&c->waiting, f->arena);
	mark_ids_init(&c->calls, f->arena);
	mark_types_init(&c->types, f->arena);
}

/* The first line of the log may follow one that is elsewhere; `n` of what it waits for says so. */
static void see_parent(struct record_fold *f, const struct marks_walk *w)
{
	struct claude_fold *c = f->state;
	struct mark_item *item;
	bool added;

	if (c->lines.is_full || mark_ids_find(&c->lines, w->mark))
		return;
	item = mark_ids_add(f, &c->waiting, w, CLAUDE_LIMIT, &added);
	if (item && !c->begun)
		item->n = c->inside = true;
}

static void see_uuid(struct record_fold *f, const struct marks_walk *w)
{
	struct claude_fold *c = f->state;
	struct mark_item *waiting = mark_ids_find(&c->waiting, w->mark), *item;
	bool added;

	c->begun = true;
	item = mark_ids_add(f, &c->lines, w, CLAUDE_LIMIT, &added);
	if (item && !added)
		marks_note(f, CLAUDE_TWICE, w, "line %llu has this uuid", (unsigned long long)item->at.line);
	if (!waiting || !waiting->is_open)
		return;
	waiting->is_open = false;
	c->inside = c->inside && !waiting->n;
	marks_note(f, CLAUDE_ORDER, w, "line %llu follows this one and stands before it",
		   (unsigned long long)waiting->at.line);
}

static void see_session(struct record_fold *f, const struct marks_walk *w)
{
	struct claude_fold *c = f->state;
	bool same = c->has_session && memcmp(&c->session, &w->mark->id, sizeof(c->session)) == 0;

	if (c->has_session && !same && !c->said_session) {
		c->said_session = true;
		marks_note(f, CLAUDE_SESSION, w, "the lines before are of another session");
	}
	c->session = w->mark->id;
	c->has_session = true;
}

#define CLAUDE_SLACK 60000 /* milliseconds: lines that wait for each other are up to 13 s out of order */

static void see_time(struct record_fold *f, const struct marks_walk *w)
{
	struct claude_fold *c = f->state;

	if (c->has_time && w->mark->n < c->time - CLAUDE_SLACK)
		marks_note(f, CLAUDE_TIME_BACK, w, "the line before is %lld seconds younger",
			   (long long)((c->time - w->mark->n) / 1000));
	c->time = w->mark->n;
	c->has_time = true;
}

/* One answer is one turn, however many lines it has; only results stand between them. */
static void see_answer(struct record_fold *f, const struct marks_walk *w)
{
	struct claude_fold *c = f->state;
	bool same = memcmp(&c->answer, &w->mark->id, sizeof(c->answer)) == 0 && c->turn > 0;

	mark_sight_answer(&c->sight);
	c->turn += !same;
	c->usage.is_open = c->usage.is_open && same;
	c->answer = w->mark->id;
	if (w->mark->n < 0 || c->is_stream)
		return; /* streams repeat what was known when the answer began */
	if (same && c->usage.is_open && (c->usage.other != w->mark->other || w->mark->n < c->usage.n))
		marks_note(f, CLAUDE_USAGE, w, "line %llu has other tokens for this answer",
			   (unsigned long long)c->usage.at.line);
	c->usage = (struct mark_item){ marks_place(w), w->mark->n, w->mark->other, true };
}

static void see_call(struct record_fold *f, const struct marks_walk *w)
{
	struct claude_fold *c = f->state;
	bool added;
	struct mark_item *item = mark_ids_add(f, &c->calls, w, CLAUDE_LIMIT, &added);

	if (item && added)
		item->n = c->turn;
}

/* A log that begins in the middle has results of calls that came before. */
static void see_result(struct record_fold *f, const struct marks_walk *w)
{
	struct claude_fold *c = f->state;
	struct mark_item *item = mark_ids_find(&c->calls, w->mark);

	if (!w->mark->n)
		mark_sight_result(&c->sight, c->has_time, c->time);
	if (item)
		item->is_open = false;
	else if (!c->inside && !c->calls.is_full)
		marks_note(f, CLAUDE_NO_CALL, w, "no line before this one has the call of this result");
}

static void claude_code_see(struct record_fold *f, const struct marks_walk *w)
{
	struct claude_fold *c = f->state;

	switch ((enum claude_mark)w->mark->kind) {
	case MARK_UUID:
		see_uuid(f, w);
		break;
	case MARK_PARENT:
		see_parent(f, w);
		break;
	case MARK_SESSION:
		see_session(f, w);
		break;
	case MARK_TIME:
		see_time(f, w);
		break;
	case MARK_TYPE:
		mark_types_add(&c->types, f->arena, w);
		break;
	case MARK_ANSWER:
		see_answer(f, w);
		break;
	case MARK_PROMPT:
		c->turn++;
		break;
	case MARK_CALL:
		see_call(f, w);
		break;
	case MARK_RESULT:
		see_result(f, w);
		break;
	case MARK_COMPACTED:
		mark_sight_compact(&c->sight, f, w, CLAUDE_COMPACTED);
		break;
	case MARK_STREAM:
		c->is_stream = true;
		if (w->mark->n) /* other lines, as a suggestion for the next prompt, may stand behind the end */
			c->has_end = w->mark->n > 0;
		break;
	}
}

static void claude_code_add(struct record_fold *f, const struct record_batch *b)
{
	for (struct marks_walk w = marks_begin(b); marks_next(&w);)
		claude_code_see(f, &w);
}

/* Calls of the last turn are open because the log ends; of an earlier one a line is missing. */
static void finish_calls(struct record_fold *f)
{
	struct claude_fold *c = f->state;
	const struct mark_item *last = NULL;
	uint64_t count = 0;

	for (size_t i = 0; i < c->calls.count; i++) {
		const struct mark_item *item = &c->calls.items[i];

		if (!item->is_open)
			continue;
		if (item->n < c->turn) {
			marks_note_late(f, CLAUDE_NO_RESULT, item->at, "no later line has the result of this call");
			continue;
		}
		last = last ? last : item;
		count++;
	}
	if (last)
		marks_note_late(f, CLAUDE_STOPPED, last->at, "the log ends before the result of %s",
				count > 1 ? "these calls" : "this call");
	else if (c->is_stream && !c->has_end)
		record_fold_note(f, CLAUDE_STOPPED, NULL, 0, 0, STR(""),
				 "the stream ends without a line of the type result");
	f->tally->interrupted = last || (c->is_stream && !c->has_end);
}

static void claude_code_finish(struct record_fold *f)
{
	struct claude_fold *c = f->state;

	f->tally->variant = c->is_stream ? "stream" : "session";
	for (size_t i = 0; i < c->waiting.count; i++) {
		const struct mark_item *item = &c->waiting.items[i];

		if (item->is_open && item->n)
			marks_note_late(f, CLAUDE_INSIDE, item->at,
					"the first line follows one that is not in this log");
		else if (item->is_open)
			marks_note_late(f, CLAUDE_LOST, item->at,
					"this line follows one that is not in the log: parentUuid names no line");
	}
	finish_calls(f);
	mark_types_note(&c->types, f, CLAUDE_TYPE);
}

const struct record_format claude_code_format = {
	.on_utf8 = CLAUDE_UTF8,
	.on_syntax = CLAUDE_SYNTAX,
	.on_duplicate = CLAUDE_SYNTAX,
	.on_not_object = RECORD_NO_RULE,
	.on_missing = CLAUDE_NOT_LINE,
	.on_type = CLAUDE_NOT_LINE,
	.on_unknown = CLAUDE_NOT_LINE,
	.on_blank = RECORD_NO_RULE,
	.on_torn = CLAUDE_TORN,
	.on_glued = CLAUDE_GLUED,
	.on_empty = CLAUDE_EMPTY,
	.on_secret = RECORD_NO_RULE,
	.is_log = true,
	.fact_size = sizeof(struct marks),
	.check = claude_code_check,
	.state_size = sizeof(struct claude_fold),
	.begin = claude_code_begin,
	.add = claude_code_add,
	.finish = claude_code_finish,
};
