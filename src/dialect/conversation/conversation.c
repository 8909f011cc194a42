/*
 * conversation.jsonl: the messages of a run, one per line, in one of three dialects. The first line
 * that decides says which: the key `event` makes it canonical, the role `tool` or the key `tool_calls`
 * openai, a list as content whose first item has a `type` anthropic. Messages with a role and a text
 * alone mean the same in all three; a file of nothing else is called plain.
 *
 * A line is checked by what it is itself, since a scanner sees one chunk: that it belongs to another
 * dialect than the file is found when the lines come together.
 */
#include <stdio.h>

#include "base/map.h"
#include "dialect/conversation/marks.h"
#include "dialect/conversation/rules.h"
#include "dialect/formats.h"
#include "dialect/record/record.h"
#include "dialect/values.h"
#include "dialect/record/seed_formats.h"
#include "json/slow.h"

#define IDS_MAX ((size_t)1 << 20) /* calls that are remembered in a file */
#define ID_LONG 128               /* bytes; longer ids are remembered by a hash */

/* ---- tables ---- */

#define OPTIONAL(types_, ...) { .types = (types_), .need = FIELD_OPTIONAL, .name = __VA_ARGS__ }
#define REQUIRED(types_, ...) { .types = (types_), .need = FIELD_REQUIRED, .name = __VA_ARGS__ }

#define ROLE \
	REQUIRED(T_STRING, "role", .check = CHECK_WORD, .rule = CONVERSATION_ROLE, \
		 .words = WORDS(WORD("system"), WORD("user"), WORD("assistant"), WORD("tool"), WORD("developer"), \
				WORD("function")))
#define OCCURRED_AT OPTIONAL(T_STRING, "occurred_at", .check = CHECK_STAMP, .rule = CONVERSATION_STAMP)
#define USAGE OPTIONAL(T_OBJECT, "usage", .about = "tokens, as the provider counts them")

static const struct field canonical_fields[] = {
	ROLE,
	OPTIONAL(T_STRING, "content"),
	REQUIRED(T_STRING, "event", .check = CHECK_WORD, .rule = CONVERSATION_EVENT,
		 .words = WORDS(WORD("message"), WORD("tool_call"), WORD("tool_result"))),
	OPTIONAL(T_STRING, "tool_name"),
	OPTIONAL(T_STRING, "tool_call_id"),
	OPTIONAL(T_BOOL, "is_error"),
	USAGE,
	OCCURRED_AT,
};
static const struct record_type canonical_type = {
	.name = "canonical", RECORD_TYPE(canonical_fields),
	.schema = "\"allOf\":[{\"$comment\":\"CV005\",\"if\":{\"properties\":{\"event\":{\"const\":\"message\"}}},"
		  "\"then\":{\"required\":[\"content\"]}}]",
	.about = "a line with an event",
};

static const struct field function_fields[] = {
	REQUIRED(T_STRING, "name"),
	REQUIRED(T_STRING, "arguments", .about = "JSON as text"),
};
static const struct record_type function_type = { .name = "function", RECORD_TYPE(function_fields) };
static const struct field call_fields[] = {
	OPTIONAL(T_STRING, "id"),
	OPTIONAL(T_STRING, "type"),
	OPTIONAL(T_OBJECT, "function", .object = &function_type),
};
static const struct record_type call_type = {
	.name = "tool_call", RECORD_TYPE(call_fields),
	.schema = "\"allOf\":[{\"$comment\":\"CV005: needed unless the call is of another type\",\"anyOf\":["
		  "{\"required\":[\"function\"],\"properties\":{\"function\":{\"type\":\"object\"}}},"
		  "{\"required\":[\"type\"],\"properties\":{\"type\":{\"type\":\"string\","
		  "\"not\":{\"const\":\"function\"}}}}]}]",
};
static const struct field any_call = REQUIRED(T_OBJECT | T_STRING, "tool_call", .object = &call_type);

/* What a block of a kind must have; the kinds are told apart by `type`. */
static const struct field use_fields[] = {
	REQUIRED(T_STRING, "id"), REQUIRED(T_STRING, "name"), REQUIRED(T_OBJECT, "input"),
};
static const struct field result_fields[] = {
	REQUIRED(T_STRING, "tool_use_id"),
	OPTIONAL(T_BOOL, "is_error"),
};
static const struct field text_fields[] = { REQUIRED(T_STRING, "text") };
static const struct field thinking_fields[] = { REQUIRED(T_STRING, "thinking") };
static const struct record_type use_type = { .name = "tool_use", RECORD_TYPE(use_fields) };
static const struct record_type result_type = { .name = "tool_result", RECORD_TYPE(result_fields) };
static const struct record_type text_type = { .name = "text", RECORD_TYPE(text_fields) };
static const struct record_type thinking_type = { .name = "thinking", RECORD_TYPE(thinking_fields) };

#define STRING_SCHEMA "{\"type\":\"string\"}"
#define BLOCK_SCHEMA(test, required, properties) \
	"{\"$comment\":\"CV005, CV006\",\"if\":{\"required\":[\"type\"],\"properties\":{\"type\":" test "}}," \
	"\"then\":{\"required\":[" required "],\"properties\":{" properties "}}}"

static const struct field block_fields[] = { REQUIRED(T_STRING, "type") };
static const struct record_type block_type = {
	.name = "block", RECORD_TYPE(block_fields),
	.schema = "\"allOf\":[" BLOCK_SCHEMA("{\"const\":\"text\"}", "\"text\"", "\"text\":" STRING_SCHEMA) ","
		  BLOCK_SCHEMA("{\"const\":\"thinking\"}", "\"thinking\"", "\"thinking\":" STRING_SCHEMA) ","
		  BLOCK_SCHEMA("{\"type\":\"string\",\"pattern\":\"(^|_)tool_use$\"}", "\"id\",\"name\",\"input\"",
			       "\"id\":" STRING_SCHEMA ",\"name\":" STRING_SCHEMA
			       ",\"input\":{\"type\":\"object\"}") ","
		  BLOCK_SCHEMA("{\"type\":\"string\",\"pattern\":\"(^|_)tool_result$\"}", "\"tool_use_id\"",
			       "\"tool_use_id\":" STRING_SCHEMA ",\"is_error\":{\"type\":[\"boolean\",\"null\"]}") "]",
};
static const struct field any_block = REQUIRED(T_OBJECT, "block", .object = &block_type);

static const struct field message_fields[] = {
	ROLE,
	OPTIONAL(T_STRING | T_ARRAY, "content", .each = &any_block),
	OPTIONAL(T_ARRAY, "tool_calls", .each = &any_call),
	OPTIONAL(T_STRING, "tool_call_id"),
	OPTIONAL(T_STRING, "name"),
	OPTIONAL(T_BOOL, "is_error"),
	USAGE,
	OCCURRED_AT,
};
static const struct record_type message_type = {
	.name = "message", RECORD_TYPE(message_fields),
	.schema = "\"not\":{\"required\":[\"event\"]},\"anyOf\":[{\"$comment\":\"CV005\",\"required\":[\"content\"]},"
		  "{\"required\":[\"tool_calls\"],\"properties\":{\"tool_calls\":{\"type\":\"array\",\"minItems\":1}}},"
		  "{\"required\":[\"function_call\"],\"properties\":{\"function_call\":{\"type\":\"object\"}}}]",
	.about = "a line as a provider's API has it",
};

static const struct record_type *const roots[] = { &canonical_type, &message_type, NULL };

/* ---- one line ---- */

enum kind { KIND_PLAIN, KIND_CANONICAL, KIND_OPENAI, KIND_ANTHROPIC };

/* Where in a line an id stands. */
enum spot { SPOT_LINE, SPOT_CALL, SPOT_CALL_TEXT, SPOT_USE, SPOT_RESULT };

/* A call that is asked for or answered. */
struct ref {
	struct str id;
	size_t at, length; /* of the id in the line */
	size_t item;       /* of the list it stands in */
	enum spot spot;
	bool answer;
};

struct fact {
	enum kind kind;
	bool only_anthropic; /* has blocks that no other dialect has */
	struct ref *refs;
	size_t ref_count;
};

struct line {
	struct record_scan *scan;
	struct fact *fact;
	size_t cap;  /* of fact->refs */
	size_t item; /* at hand, of tool_calls or content */
};

/* What the line is by itself, as the head of this file has it. dialect_of in read.c looks more closely. */
static enum kind conversation_kind_of(struct val root)
{
	if (val_has(root, STR("event")))
		return KIND_CANONICAL;
	if (val_text_is(val_get(root, STR("role")), STR("tool")) || val_has(root, STR("tool_calls")))
		return KIND_OPENAI;
	if (val_has(values_first(val_get(root, STR("content"))), STR("type")))
		return KIND_ANTHROPIC;
	return KIND_PLAIN;
}

/* `shown` is the id itself, or the text in which it was found. */
static void add_ref(struct line *l, struct val id, struct val shown, enum spot spot, bool answer)
{
	struct fact *f = l->fact;
	struct arena *a = &l->scan->out->arena;

	arena_grow(a, f->refs, f->ref_count, l->cap, 4);
	f->refs[f->ref_count++] = (struct ref){
		.id = arena_copy(a, val_text(id, a)),
		.at = (size_t)(val_source(shown).p - l->scan->text.p),
		.length = val_source(shown).n,
		.item = l->item,
		.spot = spot,
		.answer = answer,
	};
}

/* An empty id is what some writers put for none. */
static bool has_id(struct val id)
{
	return val_is(id, JSON_STRING) && val_tok(id)->len > 0;
}

/*
 * Remembers the id for the fold; a missing, null or empty one is a finding. One of another type was found by the table
 * of fields already.
 */
static void add_id(struct line *l, struct val id, struct val about, enum spot spot, bool answer)
{
	if (has_id(id))
		add_ref(l, id, id, spot, answer);
	else if (val_is_unset(id) || val_is(id, JSON_STRING))
		record_note(l->scan, CONVERSATION_NO_ID, about, "%s is needed to join the call and its result",
			    spot == SPOT_CALL ? "id" : "tool_call_id");
}

/* ---- openai ---- */

/* JSON inside a string. */
struct inner {
	struct json_shapes shapes;
	struct slow_tape toks;
	struct json_tape tape;
	struct val root;
};

/*
 * Parses with the slow parser, which needs no padding behind the text. False when it is no JSON; inner_close is called
 * in both cases. The root lives as long as `text` and the arena.
 */
static bool inner_open(struct inner *in, struct str text, struct arena *a)
{
	struct slow s = {
		.text = text,
		.options = { .allow_duplicates = true, .allow_lone = true },
		.single = true,
		.tape = &in->toks,
		.shapes = &in->shapes,
		.arena = a,
	};
	bool good;

	shapes_init(&in->shapes);
	slow_tape_init(&in->toks);
	good = slow_parse(&s, 0);
	in->tape = (struct json_tape){ text.p, in->toks.toks, in->toks.count, &in->shapes };
	in->root = (struct val){ &in->tape, 0 };
	return good;
}

static void inner_close(struct inner *in)
{
	slow_tape_free(&in->toks);
	shapes_free(&in->shapes);
}

/* Arguments that are no text are the business of the table of fields. */
static void check_arguments(struct record_scan *s, struct val arguments)
{
	struct inner in;

	if (!val_is(arguments, JSON_STRING))
		return;
	if (!inner_open(&in, val_text(arguments, s->arena), s->arena))
		record_note(s, CONVERSATION_ARGUMENTS, arguments,
			    "arguments is not JSON; it is kept as {\"raw\": text}");
	inner_close(&in);
}

/* A call that was written as text, as some exports do. */
static void check_call_text(struct line *l, struct val call)
{
	struct inner in;

	record_note(l->scan, CONVERSATION_CALL_TEXT, call, "a tool call must be an object, not JSON in a string");
	if (inner_open(&in, val_text(call, l->scan->arena), l->scan->arena) && has_id(val_get(in.root, STR("id"))))
		add_ref(l, val_get(in.root, STR("id")), call, SPOT_CALL_TEXT, false);
	inner_close(&in);
}

/* A call must have a function, unless it says that it is of another type. */
static void check_call(struct line *l, struct val call)
{
	struct val type = val_get(call, STR("type")), function = val_get(call, STR("function"));
	bool other = val_is(type, JSON_STRING) && !val_text_is(type, STR("function"));

	if (!other && val_is_unset(function))
		record_note(l->scan, CONVERSATION_MISSING, call, "tool_call has no function");
	check_arguments(l->scan, val_get(function, STR("arguments")));
	add_id(l, val_get(call, STR("id")), call, SPOT_CALL, false);
}

/* The calls of a message in OpenAI's dialect, and the id that a tool's line needs. */
static void check_openai(struct line *l, struct val root)
{
	struct val calls = val_get(root, STR("tool_calls")), call;
	struct val_iter it = val_begin(calls);

	for (l->item = 0; val_next(&it, &call); l->item++) {
		if (val_is(call, JSON_STRING))
			check_call_text(l, call);
		else if (val_is(call, JSON_OBJECT))
			check_call(l, call);
	}
	if (val_text_is(val_get(root, STR("role")), STR("tool")))
		add_id(l, val_get(root, STR("tool_call_id")), VAL_NONE, SPOT_LINE, true);
}

/* ---- anthropic, and the lists of openai ---- */

static bool is_known_block(struct val type)
{
	static const struct str known[] = {
		WORD("image"), WORD("document"), WORD("redacted_thinking"), WORD("search_result"),
		WORD("container_upload"), WORD("image_url"), WORD("input_audio"), WORD("audio"), WORD("video_url"),
		WORD("file"), WORD("refusal"), WORD("input_text"), WORD("output_text"), WORD("input_image"),
		WORD("input_file"), WORD("reasoning"),
	};

	return values_is_word(type, known, COUNT(known));
}

/* A block of a list, by its type: what it must have, and the id of a call that it asks for or answers. */
static void check_block(struct line *l, struct val block)
{
	struct val type = val_get(block, STR("type"));
	struct record_scan *s = l->scan;
	uint32_t at[RECORD_FIELDS];
	struct str name;

	if (!val_is(type, JSON_STRING))
		return;
	name = val_text(type, s->arena);
	if (str_eq(name, STR("text"))) {
		record_check_object(s, block, &text_type, at);
	} else if (str_eq(name, STR("thinking"))) {
		l->fact->only_anthropic = true;
		record_check_object(s, block, &thinking_type, at);
	} else if (conversation_is_sort_of(name, STR("tool_use"))) {
		l->fact->only_anthropic = true;
		record_check_object(s, block, &use_type, at);
		if (has_id(record_at(s, at[0])))
			add_ref(l, record_at(s, at[0]), record_at(s, at[0]), SPOT_USE, false);
	} else if (conversation_is_sort_of(name, STR("tool_result"))) {
		l->fact->only_anthropic = true;
		record_check_object(s, block, &result_type, at);
		if (has_id(record_at(s, at[0])))
			add_ref(l, record_at(s, at[0]), record_at(s, at[0]), SPOT_RESULT, true);
	} else if (!is_known_block(type)) {
		name = record_show(s, type);
		record_note(s, CONVERSATION_BLOCK, type, "block type %.*s is unknown", STR_ARG(name));
	}
}

/* A line as a provider's API has it. */
static void check_message(struct line *l, struct val root)
{
	struct val content = val_get(root, STR("content")), block;
	struct val_iter it = val_begin(content);
	uint32_t at[RECORD_FIELDS];

	record_check_object(l->scan, root, &message_type, at);
	if (val_is_none(content) && val_count(val_get(root, STR("tool_calls"))) == 0 &&
	    !val_is(val_get(root, STR("function_call")), JSON_OBJECT))
		record_note(l->scan, CONVERSATION_MISSING, root, "message has no content");
	for (l->item = 0; val_next(&it, &block); l->item++)
		check_block(l, block);
	check_openai(l, root);
}

/* A line with an event: what the event needs. */
static void check_canonical(struct line *l, struct val root)
{
	struct val event = val_get(root, STR("event"));
	uint32_t at[RECORD_FIELDS];

	record_check_object(l->scan, root, &canonical_type, at);
	if (val_text_is(event, STR("message")) && !val_has(root, STR("content")))
		record_note(l->scan, CONVERSATION_MISSING, root, "message has no content");
	if (val_text_is(event, STR("tool_call")) || val_text_is(event, STR("tool_result")))
		add_id(l, val_get(root, STR("tool_call_id")), event, SPOT_LINE, val_text_is(event, STR("tool_result")));
}

static void conversation_check(struct record_scan *s, struct val root, void *fact)
{
	struct line l = { .scan = s, .fact = fact };

	l.fact->kind = conversation_kind_of(root);
	if (l.fact->kind == KIND_CANONICAL)
		check_canonical(&l, root);
	else
		check_message(&l, root);
}

/* ---- the file ---- */

enum { CALL_ASKED = 1, CALL_ANSWERED = 2 };

struct state {
	enum kind kind;
	uint64_t decided_on; /* line */
	struct map calls;    /* id to the bits above */
	bool full;
};

static const char *kind_name(enum kind kind)
{
	static const char *const names[] = { "plain", "canonical", "openai", "anthropic" };

	return names[kind];
}

/* The map lives in the fold's arena, so nothing has to be freed at the end. */
static void conversation_begin(struct record_fold *f)
{
	struct state *t = f->state;

	map_init(&t->calls, f->arena);
}

/* Parts in a list are openai's as well as anthropic's; only some kinds of them tell. */
static bool conversation_is_foreign(const struct state *t, const struct fact *line)
{
	if (line->kind == KIND_PLAIN || line->kind == t->kind)
		return t->kind == KIND_OPENAI && line->only_anthropic;
	return t->kind != KIND_OPENAI || line->kind != KIND_ANTHROPIC || line->only_anthropic;
}

/* The first line that is not plain decides for the file; later ones of another dialect are findings, one each. */
static void add_line(struct record_fold *f, const struct fact *line, const struct record_place *place)
{
	struct state *t = f->state;

	if (t->kind == KIND_PLAIN) {
		t->kind = line->kind;
		t->decided_on = place->line;
	} else if (conversation_is_foreign(t, line)) {
		record_fold_note(f, CONVERSATION_MIXED, place, 0, 1, STR(""),
				 "the file is in the %s dialect, as line %llu decided; this line is not",
				 kind_name(t->kind), (unsigned long long)t->decided_on);
	}
}

/* A finding about an id, with a pointer to where in its line the id stands. */
static void conversation_note_call(struct record_fold *f, unsigned rule, const struct ref *ref,
				   const struct record_place *place, const char *message)
{
	char pointer[64] = "/tool_call_id";

	if (ref->spot == SPOT_CALL)
		snprintf(pointer, sizeof(pointer), "/tool_calls/%zu/id", ref->item);
	else if (ref->spot == SPOT_CALL_TEXT)
		snprintf(pointer, sizeof(pointer), "/tool_calls/%zu", ref->item);
	else if (ref->spot == SPOT_USE)
		snprintf(pointer, sizeof(pointer), "/content/%zu/id", ref->item);
	else if (ref->spot == SPOT_RESULT)
		snprintf(pointer, sizeof(pointer), "/content/%zu/tool_use_id", ref->item);
	record_fold_note(f, rule, place, ref->at, ref->length, str_from(pointer), "%s", message);
}

/* A call that is asked for or answered on this line. Ids are remembered up to a limit, which is told once. */
static void conversation_add_call(struct record_fold *f, const struct ref *ref, const struct record_place *place)
{
	struct state *t = f->state;
	uint64_t hash = str_hash(ref->id), *bits;
	struct str key = ref->id.n > ID_LONG ? str_of(&hash, sizeof(hash)) : ref->id;
	bool added;

	if (t->calls.count >= IDS_MAX && !map_find(&t->calls, key)) {
		if (!t->full)
			conversation_note_call(f, CONVERSATION_LIMIT, ref, place,
					       "there are too many calls: this one and those after it are not "
					       "joined with results");
		t->full = true;
		return;
	}
	bits = map_add(&t->calls, key, &added);
	if (!ref->answer) {
		if (*bits & CALL_ASKED)
			conversation_note_call(f, CONVERSATION_ASKED_TWICE, ref, place,
					       "an earlier call has this id");
		*bits |= CALL_ASKED;
		return;
	}
	if (*bits & CALL_ANSWERED)
		conversation_note_call(f, CONVERSATION_ANSWERED_TWICE, ref, place,
				       "the call has a result already");
	else if (!(*bits & CALL_ASKED))
		conversation_note_call(f, CONVERSATION_NOT_ASKED, ref, place, "no earlier call has this id");
	*bits |= CALL_ANSWERED;
}

static void conversation_add(struct record_fold *f, const struct record_batch *b)
{
	const struct fact *facts = (const void *)b->facts.p;

	for (size_t i = 0; i < record_batch_count(b); i++) {
		add_line(f, &facts[i], record_batch_place(b, i));
		for (size_t k = 0; k < facts[i].ref_count; k++)
			conversation_add_call(f, &facts[i].refs[k], record_batch_place(b, i));
	}
}

static void conversation_finish(struct record_fold *f)
{
	const struct state *t = f->state;

	f->tally->variant = kind_name(t->kind);
}

static const struct record_format format = {
	.on_utf8 = CONVERSATION_UTF8,
	.on_syntax = CONVERSATION_SYNTAX,
	.on_duplicate = CONVERSATION_DUPLICATE,
	.on_not_object = CONVERSATION_NOT_OBJECT,
	.on_missing = CONVERSATION_MISSING,
	.on_type = CONVERSATION_TYPE,
	.on_unknown = RECORD_NO_RULE, /* the types are open */
	.on_blank = RECORD_NO_RULE,
	.on_torn = CONVERSATION_TORN,
	.on_empty = CONVERSATION_EMPTY,
	.on_secret = RECORD_NO_RULE,
	.fact_size = sizeof(struct fact),
	.check = conversation_check,
	.state_size = sizeof(struct state),
	.begin = conversation_begin,
	.add = conversation_add,
	.finish = conversation_finish,
};

/* Session logs of vendors have roles too, in envelopes of their own: `type`, `message`, ids, steps. */
static int conversation_fits(struct val v)
{
	static const struct str envelope[] = {
		WORD("type"), WORD("step"), WORD("message"), WORD("payload"), WORD("choices"), WORD("uuid"),
		WORD("sessionId"), WORD("session_id"), WORD("trial_id"),
	};
	const struct words *roles = message_fields[0].words;
	struct val role = val_get(v, STR("role"));
	bool known = values_is_word(role, roles->items, roles->count);

	if (!known || values_count_names(v, envelope, COUNT(envelope)) ||
	    (!val_has(v, STR("content")) && !val_has(v, STR("tool_calls")) && !val_has(v, STR("event"))))
		return 0;
	return 40;
}

const struct dialect conversation_dialect = {
	.name = "conversation",
	.title = "conversation.jsonl, the messages of a run",
	.file = "conversation.jsonl",
	.unit = "message",
	.forms = DIALECT_LINES,
	.rules = conversation_rules,
	.fits = conversation_fits,
	DIALECT_RECORDS(format, roots),
	.read = &conversation_read,
	.write = &conversation_write,
};
