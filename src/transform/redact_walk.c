/*
 * The walk over one value: what of it stays, what becomes a token. It recurses as deep as the parser lets values be
 * (REDACT_DEPTH). Edits are added in the order of the text.
 */
#include "base/ascii.h"
#include "base/crypto/base64.h"
#include "base/crypto/hex.h"
#include "base/mask.h"
#include "json/write.h"
#include "transform/redact_private.h"

#define NAMED_LEAST 8
#define NAMED_MOST 4096
#define NAMED_NAME 32

struct walk {
	struct redact_plan *p;
	size_t base; /* of the tape's text in the plan's */
	struct buf path; /* inside an event: names and indexes down to the value at hand */
	struct sha256 sha;
};

/* Where the walk is. */
struct walk_at {
	enum redact_kind kind;
	enum redact_class class;
	struct str name; /* of the member */
	bool zone;   /* everything is content */
	bool tool;   /* a name here is that of a tool */
	bool listed; /* what may be an event: an element of a list, a line, the data of an event */
	bool event;  /* inside one */
	size_t scope; /* the list it is of */
};

static void walk_value(struct walk *w, struct val v, struct walk_at at);

static size_t walk_offset(const struct walk *w, struct val v)
{
	return (size_t)(val_source(v).p - v.tape->text) + w->base;
}

static void walk_edit(struct walk *w, struct val v, struct str with)
{
	size_t from = walk_offset(w, v);

	redact_edits_add(&w->p->edits, w->p->arena, from, from + val_source(v).n, with);
}

static struct str walk_quoted(struct walk *w, struct str text)
{
	struct buf b;

	buf_init(&b);
	json_write_quoted(&b, text);
	return arena_take(w->p->arena, &b);
}

static bool walk_text_is(struct val v, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (val_text_is(v, str_from(words[i])))
			return true;
	return false;
}

/* ---- events of a stream ---- */

static bool walk_is_event(struct val v)
{
	struct val first = VAL_NONE;
	struct val_iter it;

	if (val_has(v, STR("delta")) || (val_is_bool(val_get(v, STR("done"))) && val_has(v, STR("model"))))
		return true;
	it = val_begin(val_get(v, STR("choices")));
	if (val_next(&it, &first))
		return val_has(first, STR("delta")) || val_has(first, STR("text"));
	return val_is(val_get(v, STR("candidates")), JSON_ARRAY);
}

/* A message begins: pieces from here on are of another text, whatever their indexes. */
static bool walk_begins(struct val v)
{
	static const char *const types[] = { "message_start", "message-start", "response.created" };

	return walk_text_is(val_get(v, STR("type")), types, COUNT(types));
}

/* It ends, by a sign of services whose events have no ids (*unnamed), or of others. */
static bool walk_ends(struct val v, bool *unnamed)
{
	static const char *const types[] = { "message_stop", "message-end", "response.completed", "response.incomplete",
					     "response.failed" };
	struct val one = VAL_NONE;
	struct val_iter it = val_begin(val_get(v, STR("candidates")));

	*unnamed = val_is(val_get(v, STR("done")), JSON_TRUE) ||
		   (val_next(&it, &one) && !val_is_unset(val_get(one, STR("finishReason"))));
	it = val_begin(val_get(v, STR("choices")));
	return *unnamed || walk_text_is(val_get(v, STR("type")), types, COUNT(types)) ||
	       (val_next(&it, &one) && !val_is_unset(val_get(one, STR("finish_reason"))));
}

/* What tells one text of a stream from the others: of the event all of it, further down only what every piece has. */
static void walk_add_indexes(struct walk *w, struct val v, bool is_root)
{
	static const char *const members[] = { "index", "thought", "type", "id", "item_id", "output_index",
					       "content_index", "summary_index", "responseId" };

	for (size_t i = 0; i < (is_root ? COUNT(members) : 2); i++) {
		struct val one = val_get(v, str_from(members[i]));

		if (!val_is_none(one) && !val_is(one, JSON_OBJECT) && !val_is(one, JSON_ARRAY)) {
			buf_printf(&w->path, "|%zu=", i);
			buf_add_str(&w->path, val_source(one));
		}
	}
}

static bool walk_is_piece(struct walk_at at)
{
	static const char *const leaves[] = { "text", "content", "thinking", "reasoning", "reasoning_content",
					      "reasoning_text", "arguments", "partial_json", "delta", "refusal",
					      "response", "transcript", "tool_plan", "input" };

	return at.event && !at.zone && str_is_word_of(at.name, leaves, COUNT(leaves));
}

static void walk_add_piece(struct walk *w, struct val v, struct str text, struct walk_at at)
{
	struct redact_plan *p = w->p;
	uint64_t *group;
	bool added;

	group = map_add(&p->groups, buf_str(&w->path), &added);
	if (added)
		*group = p->groups.count - 1;
	arena_grow(p->arena, p->pieces, p->piece_count, p->piece_cap, 64);
	p->pieces[p->piece_count++] = (struct redact_piece){ .edit = p->edits.count, .group = *group, .text = text,
							     .kind = at.kind, .class = at.class };
	walk_edit(w, v, arena_copy(p->arena, val_source(v))); /* the parser's copy goes with the next event */
}

/* ---- strings and names ---- */

static struct str walk_copy_text(struct walk *w, struct val v)
{
	return arena_copy(w->p->arena, val_text(v, w->p->arena));
}

/* A value that only the name of its member makes a key: one word, of the length that keys have. */
static void walk_find_named(struct walk *w, struct str name, struct str text, struct redact_edits *out)
{
	static const char *const sure[] = { "authorization", "proxy-authorization", "cookie", "set-cookie", "api_key",
					    "apiKey", "x-api-key", "x-goog-api-key", "api-key", "password", "passwd",
					    "access_token", "refresh_token", "client_secret", "secret" };
	char room[NAMED_NAME];
	struct str both;
	size_t n = name.n < sizeof(room) ? name.n : sizeof(room);

	for (size_t i = 0; i < n; i++)
		room[i] = ascii_lower(name.p[i]);
	if (text.n < NAMED_LEAST || text.n > NAMED_MOST || redact_is_token(w->p->r, text))
		return;
	both = ARENA_JOIN(w->p->arena, name, STR("=\""), text, STR("\""));
	if (str_is_word_of(str_of(room, n), sure, COUNT(sure)) || str_is_word_of(name, sure, COUNT(sure)) ||
	    (mask_is_credential(name) && redact_has_secret(w->p->r, both)))
		redact_edits_add(out, w->p->arena, 0, text.n, redact_token(w->p->r, w->p->arena, text, REDACT_OTHER));
}

/* Whether a text of this kind is left as it is because of its looks. */
static bool walk_stays(struct walk *w, enum redact_kind kind, struct str text)
{
	return redact_looks_right(kind, text) && !redact_has_secret(w->p->r, text);
}

static void walk_string(struct walk *w, struct val v, struct walk_at at)
{
	struct redact_plan *p = w->p;
	struct str text = walk_copy_text(w, v);
	struct redact_edits edits = { .count = 0 };
	struct buf out;

	if (text.n == 0 && !walk_is_piece(at))
		return;
	if (p->r->mode == REDACT_CONTENT && !at.zone && (at.kind != NAME_TOOL || at.tool) &&
	    walk_stays(w, at.kind, text))
		return;
	if (walk_is_piece(at)) {
		walk_add_piece(w, v, text, at);
		return;
	}
	redact_string(p, text, at.kind, at.class, &edits);
	if (edits.count == 0 && p->r->mode == REDACT_SECRETS)
		walk_find_named(w, at.name, text, &edits);
	if (edits.count == 0)
		return;
	buf_init(&out);
	redact_edits_apply(&edits, text, &out);
	walk_edit(w, v, walk_quoted(w, buf_str(&out)));
	buf_free(&out);
}

/* The name of a member: its key on the tape has no quotes around it. Whether it became a token, or was one. */
static bool walk_name(struct walk *w, struct val key, struct str name, enum redact_class class)
{
	struct redact_plan *p = w->p;
	bool secret = redact_has_secret(p->r, name);
	size_t from = (size_t)(val_raw(key).p - key.tape->text) + w->base;

	if (redact_is_token(p->r, name) || (!secret && (p->r->mode == REDACT_SECRETS || redact_name_is_plain(name))))
		return redact_is_token(p->r, name);
	redact_edits_add(&p->edits, p->arena, from, from + val_raw(key).n, redact_token(p->r, p->arena, name, class));
	return true;
}

/* ---- bodies of a cassette ---- */

struct walk_body {
	bool is_one;
	struct redact_edits edits; /* of what the body said */
	struct str inner;          /* the new value of "inline" as JSON */
	struct digest digest;
	size_t size;
};

static void walk_redact_text(struct walk *w, struct str text, enum redact_class class, struct redact_edits *out)
{
	redact_string(w->p, text, NAME_BODY, class, out);
}

/* A body as the recorder writes it: its bytes in "inline", and a digest and a size of them. */
static void walk_open_body(struct walk *w, struct val v, struct walk_at at, struct walk_body *out)
{
	struct val inner = val_get(v, STR("inline")), enc = val_get(v, STR("enc"));
	bool is_json = val_text_is(enc, STR("json")), is_base64 = val_text_is(enc, STR("base64"));
	bool is_gone = is_json && val_is(inner, JSON_STRING) && redact_is_token(w->p->r, walk_copy_text(w, inner));
	struct buf bytes, packed;
	struct str text;

	*out = (struct walk_body){ .is_one = val_is(enc, JSON_STRING) && val_has(v, STR("sha256")) &&
					     (is_json ? is_gone || val_is(inner, JSON_OBJECT) ||
								val_is(inner, JSON_ARRAY) :
							val_is(inner, JSON_STRING)) };
	if (!out->is_one)
		return;
	buf_init(&bytes);
	buf_init(&packed);
	text = is_json ? arena_copy(w->p->arena, val_source(inner)) : walk_copy_text(w, inner);
	if (is_base64 && base64_parse(&packed, text))
		text = arena_copy(w->p->arena, buf_str(&packed));
	if (!is_gone)
		walk_redact_text(w, text, at.class, &out->edits);
	redact_edits_apply(&out->edits, text, &bytes);
	if (is_json && out->edits.count == 1 && out->edits.list[0].from == 0 && out->edits.list[0].to == text.n) {
		struct str token = walk_quoted(w, buf_str(&bytes)); /* too deep in other texts to look inside */

		buf_clear(&bytes);
		buf_add_str(&bytes, token);
	}
	out->digest = sha256_of(&w->sha, buf_str(&bytes));
	out->size = bytes.n;
	buf_clear(&packed);
	if (is_base64)
		base64_add(&packed, buf_str(&bytes));
	out->inner = is_json ? arena_copy(w->p->arena, buf_str(&bytes)) :
			       walk_quoted(w, is_base64 ? buf_str(&packed) : buf_str(&bytes));
	buf_free(&bytes);
	buf_free(&packed);
}

static struct walk_at walk_enter(struct val object, struct walk_at at, const struct redact_name *row, struct str name,
				 struct val value);

static void walk_body(struct walk *w, struct val v, struct walk_at at, const struct walk_body *body)
{
	struct val_iter it = val_begin(v);
	struct val key, value;
	char hex[SHA256_HEX];

	digest_hex(hex, body->digest);
	while (val_next_member(&it, &key, &value)) {
		struct str name = walk_copy_text(w, key);
		struct str known = walk_name(w, key, name, at.class) ? STR("") : name;

		if (str_eq(name, STR("sha256")))
			walk_edit(w, value, walk_quoted(w, str_of(hex, SHA256_HEX)));
		else if (str_eq(name, STR("size")))
			walk_edit(w, value, arena_printf(w->p->arena, "%zu", body->size));
		else if (str_eq(name, STR("inline")))
			walk_edit(w, value, body->inner);
		else
			walk_value(w, value, walk_enter(v, at, redact_name_find(known), name, value));
	}
}

/* [[offset, delay], ...]: numbers, and nothing that could be content. */
static bool walk_is_chunks(struct val chunks)
{
	struct val_iter it = val_begin(chunks), pair;
	struct val one, number;

	if (!val_is(chunks, JSON_ARRAY))
		return false;
	while (val_next(&it, &one)) {
		if (!val_is(one, JSON_ARRAY))
			return false;
		pair = val_begin(one);
		while (val_next(&pair, &number))
			if (val_is(number, JSON_STRING) || val_is(number, JSON_OBJECT) || val_is(number, JSON_ARRAY))
				return false;
	}
	return true;
}

/* Where pieces of the answer ended. */
static void walk_chunks(struct walk *w, struct val chunks, const struct walk_body *body)
{
	struct val_iter it = val_begin(chunks), pair;
	struct val one, offset;
	int64_t old;

	while (body->edits.count && val_next(&it, &one)) {
		pair = val_begin(one);
		if (val_next(&pair, &offset) && val_i64(offset, &old) && old >= 0)
			walk_edit(w, offset, arena_printf(w->p->arena, "%zu",
							  redact_edits_map(&body->edits, (size_t)old)));
	}
}

/* A cassette's first line says that it is redacted, by which key, and if only secrets are. Whether this member does. */
static bool walk_head_member(struct walk *w, struct val object, struct str name, struct val value)
{
	struct str id = walk_quoted(w, redact_key_id(w->p->r));
	struct str only = w->p->r->mode == REDACT_SECRETS ? STR(",\"redacted_what\":\"secrets\"") : STR("");
	bool has_id = val_has(object, STR("redacted_with"));

	if (str_eq(name, STR("redacted")))
		walk_edit(w, value, has_id ? STR("true")
					   : ARENA_JOIN(w->p->arena, STR("true,\"redacted_with\":"), id, only));
	else if (str_eq(name, STR("redacted_with")))
		walk_edit(w, value, id);
	else if (str_eq(name, STR("redacted_what")) && w->p->r->mode == REDACT_CONTENT)
		walk_edit(w, value, STR("\"content\"")); /* what was left of it goes now */
	else if (str_eq(name, STR("redacted_what")))
		return true;
	else
		return false;
	return true;
}

/* ---- objects ---- */

static bool walk_has_any(struct val v, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (val_has(v, str_from(words[i])))
			return true;
	return false;
}

/* Whether "name" in it names a tool, a call or a span, by where it stands and what stands beside it. */
static bool walk_is_tool(struct val v, struct str under)
{
	static const char *const places[] = { "function", "functionCall", "function_call", "functionResponse", "tool",
					      "functionDeclarations", "tool_choice", "tool_calls", "scope" };
	static const char *const beside[] = { "input", "arguments", "args", "parameters", "input_schema", "inputSchema",
					      "tool_call_id", "spanId", "tool_use_id", "call_id" };
	static const char *const types[] = { "tool_use", "server_tool_use", "function", "custom", "function_call",
					     "custom_tool_call", "tool", "mcp_tool_use" };

	return str_is_word_of(under, places, COUNT(places)) || walk_has_any(v, beside, COUNT(beside)) ||
	       walk_text_is(val_get(v, STR("type")), types, COUNT(types)) ||
	       val_text_is(val_get(v, STR("role")), STR("tool"));
}

/* What an object says about the content in it. */
static enum redact_class walk_class(struct val v, enum redact_class around)
{
	static const struct {
		const char *member, *word;
		enum redact_class class;
	} rows[] = {
		{ "type", "tool_result", REDACT_RESULTS }, { "type", "function_call_output", REDACT_RESULTS },
		{ "type", "custom_tool_call_output", REDACT_RESULTS }, { "type", "thinking", REDACT_THINKING },
		{ "type", "thinking_delta", REDACT_THINKING }, { "type", "reasoning", REDACT_THINKING },
		{ "type", "text_delta", REDACT_OUTPUT }, { "type", "response.output_text.delta", REDACT_OUTPUT },
		{ "type", "response.output_text.done", REDACT_OUTPUT },
		{ "role", "user", REDACT_PROMPT }, { "role", "system", REDACT_PROMPT },
		{ "role", "developer", REDACT_PROMPT }, { "role", "assistant", REDACT_OUTPUT },
		{ "role", "model", REDACT_OUTPUT }, { "role", "tool", REDACT_RESULTS },
		{ "role", "function", REDACT_RESULTS },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (val_text_is(val_get(v, str_from(rows[i].member)), str_from(rows[i].word)))
			return rows[i].class;
	return val_has(v, STR("choices")) || val_has(v, STR("candidates")) ? REDACT_OUTPUT : around;
}

/* A list of messages or of blocks: a role, or a type and what blocks of that type have. */
static bool walk_is_list(struct val v)
{
	static const char *const parts[] = { "text", "content", "id", "call_id", "thinking", "summary", "tool_use_id",
					     "encrypted_content", "source" };
	static const char *const answers[] = { "role", "choices", "candidates" };
	struct val_iter it = val_begin(v);
	struct val first;

	return val_is(v, JSON_ARRAY) && val_next(&it, &first) && val_is(first, JSON_OBJECT) &&
	       (walk_has_any(first, answers, COUNT(answers)) ||
		(val_has(first, STR("type")) && walk_has_any(first, parts, COUNT(parts))));
}

/* That, or the answer of a service: structure that the tables know. One word that results have, too, is not enough. */
static bool walk_is_items(struct val v)
{
	static const char *const answers[] = { "choices", "candidates", "messages", "usage", "usageMetadata", "body",
					       "headers" };

	if (!val_is(v, JSON_OBJECT))
		return walk_is_list(v);
	return walk_has_any(v, answers, COUNT(answers)) || walk_is_list(val_get(v, STR("content"))) ||
	       walk_is_list(val_get(v, STR("output"))) || val_text_is(val_get(v, STR("object")), STR("response")) ||
	       (val_is(val_get(v, STR("error")), JSON_OBJECT) && val_count(v) <= 3);
}

/* The arguments of a call, whatever they look like. */
static bool walk_is_call_input(struct val object, struct str name)
{
	static const char *const types[] = { "tool_use", "server_tool_use", "mcp_tool_use", "custom_tool_call" };

	return str_eq(name, STR("input")) && walk_text_is(val_get(object, STR("type")), types, COUNT(types));
}

/* Arguments of a call, in the events of a stream that have them as "delta". */
static bool walk_is_args_delta(struct val v)
{
	struct val type = val_get(v, STR("type"));

	return val_is(type, JSON_STRING) && redact_looks_right(NAME_WORD, val_raw(type)) &&
	       (str_has(val_raw(type), STR("arguments")) || str_has(val_raw(type), STR("input")));
}

/* Names that mean what stands beside them. */
static void walk_enter_by_place(struct walk_at *in, struct val object, struct walk_at at, bool is_container)
{
	if (str_eq(in->name, STR("response")) && !is_container)
		in->kind = at.event ? NAME_CONTENT : NAME_BODY;
	if ((str_eq(in->name, STR("url")) || str_eq(in->name, STR("target")) || str_eq(in->name, STR("path"))) &&
	    val_has(object, STR("method")))
		in->kind = NAME_URL;
	if (str_eq(in->name, STR("base")) && val_has(object, STR("endpoint")))
		in->kind = NAME_URL;
	if (str_eq(in->name, STR("data")) && val_has(object, STR("event")))
		in->kind = NAME_BODY;
	if (str_eq(in->name, STR("delta")) && walk_is_args_delta(object)) {
		in->kind = NAME_ARGS;
		in->class = REDACT_ARGS;
	}
	if (str_eq(in->name, STR("data")) && val_text_is(val_get(object, STR("type")), STR("redacted_thinking")))
		in->kind = NAME_OPAQUE;
}

/* The rules for what stands under a name, in an object at `at`. */
static struct walk_at walk_enter(struct val object, struct walk_at at, const struct redact_name *row, struct str name,
				 struct val value)
{
	static const char *const boxes[] = { "event", "data", "chunk" };
	bool is_container = val_is(value, JSON_OBJECT) || val_is(value, JSON_ARRAY);
	struct walk_at in = at;

	in.name = name;
	in.listed = str_is_word_of(name, boxes, COUNT(boxes)) && at.listed;
	if (at.zone) {
		in.kind = NAME_CONTENT;
		return in;
	}
	if (row->kind != NAME_INHERIT)
		in.kind = row->kind;
	if (row->class >= 0)
		in.class = (enum redact_class)row->class;
	if (in.kind == NAME_ITEMS && walk_is_items(value) && !walk_is_call_input(object, name))
		in.class = at.class;
	else if (in.kind == NAME_ARGS || in.kind == NAME_RESULT || in.kind == NAME_ITEMS)
		in.zone = is_container;
	walk_enter_by_place(&in, object, at, is_container);
	return in;
}

/* One of an exporter's attributes: {"key":"a.b.model","value":{"stringValue":"x"}}. A key that becomes a token says
 * nothing about its value. */
static const struct redact_name *walk_attribute(struct walk *w, struct val v)
{
	struct val key = val_get(v, STR("key")), value = val_get(v, STR("value"));
	struct str name;

	if (!val_is(key, JSON_STRING) || val_is_none(value) || val_count(v) != (val_has(v, STR("type")) ? 3u : 2u))
		return NULL;
	name = walk_copy_text(w, key);
	return redact_name_of_attribute(walk_stays(w, NAME_WORD, name) ? name : STR(""));
}

/* {"name": "Authorization", "value": "..."}, as HAR has headers: the name of the value is that. */
static bool walk_is_header(struct walk *w, struct val v, struct str name)
{
	return w->p->r->mode == REDACT_SECRETS && str_eq(name, STR("value")) &&
	       val_is(val_get(v, STR("name")), JSON_STRING);
}

/* ["o", text, delay]: the stream is no content. False: it is no list of such pieces, or not of a command. */
static bool walk_pieces(struct walk *w, struct val list, struct walk_at at)
{
	static const char *const streams[] = { "o", "e" };
	struct val_iter it = val_begin(list), parts;
	struct val piece, stream, rest;

	while (val_next(&it, &piece)) {
		parts = val_begin(piece);
		if (!val_is(piece, JSON_ARRAY) || !val_next(&parts, &stream) ||
		    !walk_text_is(stream, streams, COUNT(streams)))
			return false;
	}
	for (it = val_begin(list); val_next(&it, &piece);) {
		parts = val_begin(piece);
		val_next(&parts, &stream);
		while (val_next(&parts, &rest))
			walk_value(w, rest, at);
	}
	return true;
}

/* What a line of a cassette says of itself: who spoke, and ids that the recorder made. Whether this member does. */
static bool walk_is_lane_member(struct val line, struct str name, struct val value)
{
	static const char *const speakers[] = { "client", "server" };
	static const char *const ids[] = { "command", "parent", "instance" };
	struct str id = val_is(value, JSON_STRING) ? val_raw(value) : STR("");
	size_t hex = 0;

	if (!val_is(val_get(line, STR("lane")), JSON_STRING) || !val_has(line, STR("x")))
		return false;
	while (hex < id.n && ascii_is_hex(id.p[hex]))
		hex++;
	if (str_eq(name, STR("from")))
		return walk_text_is(value, speakers, COUNT(speakers));
	if (str_eq(name, STR("parent")) && str_eq(id, STR("mcp")))
		return true;
	return str_is_word_of(name, ids, COUNT(ids)) && hex == id.n && id.n == 16;
}

/* A member of a cassette's line that is no content, or not all of it: done with. */
static bool walk_line_member(struct walk *w, struct val line, struct str name, struct val value, struct walk_at at)
{
	if (w->p->level != 0)
		return false;
	return (val_text_is(val_get(line, STR("v")), STR("cassette/v1")) && walk_head_member(w, line, name, value)) ||
	       walk_is_lane_member(line, name, value) ||
	       (str_eq(name, STR("io")) && val_is(value, JSON_ARRAY) && walk_pieces(w, value, at));
}

static void walk_members(struct walk *w, struct val v, struct walk_at at)
{
	const struct redact_name *attribute = at.zone ? NULL : walk_attribute(w, v);
	struct walk_body body = { .is_one = false };
	struct val_iter it = val_begin(v);
	struct val key, value, half = val_get(v, STR("body"));
	size_t path = w->path.n;

	if (!at.zone && val_is(half, JSON_OBJECT))
		walk_open_body(w, half, at, &body);
	while (val_next_member(&it, &key, &value)) {
		struct str name = walk_copy_text(w, key);
		struct str known = walk_name(w, key, name, at.class) ? STR("") : name; /* a token says nothing */
		const struct redact_name *row = attribute && str_eq(name, STR("value")) ? attribute :
						redact_name_find(known);
		struct walk_at in = walk_enter(v, at, row, name, value);

		in.tool = at.tool || (row == attribute && attribute);
		if (at.event) {
			w->path.n = path;
			buf_printf(&w->path, "/%zu:", name.n);
			buf_add_str(&w->path, name);
		}
		if (walk_is_header(w, v, name))
			in.name = walk_copy_text(w, val_get(v, STR("name")));
		if (walk_line_member(w, v, name, value, in))
			continue;
		if (body.is_one && value.at == half.at)
			walk_body(w, value, in, &body);
		else if (body.is_one && str_eq(name, STR("chunks")) && walk_is_chunks(value))
			walk_chunks(w, value, &body);
		else
			walk_value(w, value, in);
	}
	w->path.n = path;
}

static void walk_object(struct walk *w, struct val v, struct walk_at at)
{
	bool listed = at.listed && !at.zone, unnamed = false;
	size_t path = w->path.n;

	if (!at.zone)
		at.class = walk_class(v, at.class);
	at.tool = !at.zone && (walk_is_tool(v, at.name) || (at.tool && at.kind != NAME_CONTENT));
	if (listed && walk_begins(v))
		w->p->epoch++;
	if (listed && !at.event && walk_is_event(v)) {
		at.event = true;
		w->path.n = 0;
		buf_printf(&w->path, "%zu|%llu", at.scope, (unsigned long long)w->p->epoch);
		walk_add_indexes(w, v, true);
	} else if (at.event) {
		walk_add_indexes(w, v, false);
	}
	if (listed && walk_ends(v, &unnamed))
		w->p->ends = true;
	walk_members(w, v, at);
	w->path.n = path;
	w->p->epoch += unnamed;
}

static void walk_value(struct walk *w, struct val v, struct walk_at at)
{
	struct val_iter it = val_begin(v);
	struct val one;

	if (val_is(v, JSON_STRING)) {
		walk_string(w, v, at);
	} else if (val_is(v, JSON_OBJECT)) {
		walk_object(w, v, at);
	} else if (val_is(v, JSON_ARRAY)) {
		if (!at.event)
			at.scope = walk_offset(w, v);
		at.listed = !at.event;
		while (val_next(&it, &one)) {
			walk_value(w, one, at);
			if (w->p->r->mode == REDACT_SECRETS && val_count(v) == 2 && val_is(one, JSON_STRING))
				at.name = walk_copy_text(w, one); /* ["Authorization", "Bearer ..."] */
		}
	}
}

void redact_walk(struct redact_plan *p, struct val v, size_t base, enum redact_kind kind, enum redact_class class)
{
	struct walk w = { .p = p, .base = base };
	struct walk_at at = { .kind = kind, .class = class, .zone = kind == NAME_ARGS, .listed = true };

	p->ends = false;
	buf_init(&w.path);
	sha256_init(&w.sha);
	walk_value(&w, v, at);
	sha256_free(&w.sha);
	buf_free(&w.path);
}
