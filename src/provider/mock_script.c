/* Reads a script by tables: each object has a list of its members, with the kind of each and the field it fills. */
#include "provider/mock_script.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "json/issue.h"
#include "json/json.h"
#include "net/http/head.h"

#define TIME_MAX 3600000u /* an hour in ms; more is a slip of the unit */
#define SHOWN 40          /* bytes of a wrong value in a message */

struct reader {
	struct arena *arena;
	struct str text, name;
	struct val root;
	struct json_parser *inner; /* for arguments given as text */
	struct err *err;
};

enum field_kind { FIELD_TEXT, FIELD_COUNT, FIELD_FLAG, FIELD_OBJECT, FIELD_SPECIAL };

/* A member of an object of the script and the field it fills. */
struct field {
	const char *name;
	enum field_kind kind;
	size_t offset;
	uint64_t least, most;       /* of a count */
	const struct field *inside; /* of an object; ended by a NULL name */
	bool (*read)(struct reader *r, struct val v, void *field); /* of a special one */
};

/* ---- faults ---- */

/* Always false. The message shows the first SHOWN bytes of what was found. */
static bool fault(struct reader *r, struct val v, const char *expected)
{
	struct str found = val_source(v), pointer = val_pointer(r->root, v, r->arena);
	struct issue_mark mark = { .offset = 0, .line = 0, .column = 0 };
	struct str rest, shown = utf8_cut(str_cut(found, '\n', &rest), SHOWN); /* the first line will do */

	issue_mark_move(&mark, r->text, (size_t)(found.p - r->root.tape->text));
	return err_set(r->err, ERR_DATA, "%.*s:%" PRIu64 ":%" PRIu64 ": %.*s should be %s, found %.*s%s",
		       STR_ARG(r->name), mark.line ? mark.line : 1, mark.column ? mark.column : 1, STR_ARG(pointer),
		       expected, STR_ARG(shown), shown.n < found.n ? "..." : "");
}

/* Always false. The members that are known are listed: the right one is most often among them. */
static bool fault_member(struct reader *r, struct val key, struct val object, const struct field *table)
{
	struct str name = val_text(key, r->arena), pointer = val_pointer(r->root, object, r->arena);
	struct issue_mark mark = { .offset = 0, .line = 0, .column = 0 };
	struct str known = STR("");

	for (const struct field *f = table; f->name; f++)
		known = arena_printf(r->arena, "%.*s%s%s", STR_ARG(known), known.n ? ", " : "", f->name);
	issue_mark_move(&mark, r->text, (size_t)(val_source(key).p - r->root.tape->text));
	return err_set(r->err, ERR_DATA,
		       "%.*s:%" PRIu64 ":%" PRIu64 ": %.*s has an unknown member \"%.*s\"; "
		       "known are %.*s",
		       STR_ARG(r->name), mark.line ? mark.line : 1, mark.column ? mark.column : 1,
		       STR_ARG(pointer.n ? pointer : STR("the script")), (int)(name.n < SHOWN ? name.n : SHOWN), name.p,
		       STR_ARG(known));
}

/* ---- values by table ---- */

static bool read_text(struct reader *r, struct val v, struct str *out)
{
	if (!val_is(v, JSON_STRING))
		return fault(r, v, "a string");
	*out = arena_copy(r->arena, val_text(v, r->arena));
	return true;
}

static bool read_count(struct reader *r, struct val v, const struct field *f, uint64_t *out)
{
	int64_t n;

	if (!val_i64(v, &n) || n < 0 || (uint64_t)n < f->least || (uint64_t)n > f->most) {
		struct str expected = arena_printf(r->arena, "a whole number from %" PRIu64 " to %" PRIu64, f->least,
						   f->most);

		return fault(r, v, expected.p);
	}
	*out = (uint64_t)n;
	return true;
}

static bool read_flag(struct reader *r, struct val v, bool *out)
{
	if (!val_is_bool(v))
		return fault(r, v, "true or false");
	*out = val_is(v, JSON_TRUE);
	return true;
}

static const struct field *find_field(const struct field *table, struct val key)
{
	for (const struct field *f = table; f->name; f++)
		if (val_text_is(key, str_from(f->name)))
			return f;
	return NULL;
}

/* Scalars and special members only: an object inside is the caller's to go into. */
static bool read_field(struct reader *r, struct val v, const struct field *f, void *field)
{
	switch (f->kind) {
	case FIELD_TEXT:
		return read_text(r, v, field);
	case FIELD_COUNT:
		return read_count(r, v, f, field);
	case FIELD_FLAG:
		return read_flag(r, v, field);
	case FIELD_OBJECT:
	case FIELD_SPECIAL:
		break;
	}
	return f->read(r, v, field);
}

/* Fills *out from an object by its table. Members that are not given leave their field as it is. */
static bool read_members(struct reader *r, struct val object, const struct field *table, void *out)
{
	struct val_iter it = val_begin(object);
	const struct field *f;
	struct val key, v;

	if (!val_is(object, JSON_OBJECT))
		return fault(r, object, "an object");
	while (val_next_member(&it, &key, &v)) {
		f = find_field(table, key);
		if (!f)
			return fault_member(r, key, object, table);
		if (!read_field(r, v, f, (char *)out + f->offset))
			return false;
	}
	return true;
}

/* ---- reply ---- */

/* JSON without the white space between its parts; names stay in their order. */
static struct str squeeze(struct arena *a, struct str json)
{
	char *out = arena_alloc(a, json.n + 1, 1);
	bool inside = false;
	size_t n = 0;

	for (size_t i = 0; i < json.n; i++) {
		char c = json.p[i];

		if (!inside && ascii_is_space(c))
			continue;
		out[n++] = c;
		if (c == '"')
			inside = !inside;
		else if (inside && c == '\\' && i + 1 < json.n)
			out[n++] = json.p[++i];
	}
	return str_of(out, n);
}

/* An object is sent as written, without white space. A string is sent as it stands, JSON or not. */
static bool read_arguments(struct reader *r, struct val v, void *field)
{
	struct mock_call *call = field;
	struct val inner;

	if (val_is(v, JSON_OBJECT)) {
		call->arguments = call->object = squeeze(r->arena, val_source(v));
		return true;
	}
	if (!val_is(v, JSON_STRING))
		return fault(r, v, "an object, or a string that is sent as it stands");
	call->arguments = arena_copy(r->arena, val_text(v, r->arena));
	if (json_parse_copy(r->inner, call->arguments, &inner, NULL) && val_is(inner, JSON_OBJECT))
		call->object = squeeze(r->arena, call->arguments);
	return true;
}

/* The input of a custom tool: any text. Where the wire knows no such tool it is a function with that one argument. */
static bool read_input(struct reader *r, struct val v, void *field)
{
	struct mock_call *call = field;

	if (!read_text(r, v, &call->arguments))
		return false;
	call->object = ARENA_JOIN(r->arena, STR("{\"input\":"), val_source(v), STR("}"));
	call->custom = true;
	return true;
}

static const struct field call_fields[] = {
	{ .name = "name", .kind = FIELD_TEXT, .offset = offsetof(struct mock_call, name) },
	{ .name = "arguments", .kind = FIELD_SPECIAL, .offset = 0, .read = read_arguments },
	{ .name = "input", .kind = FIELD_SPECIAL, .offset = 0, .read = read_input },
	{ .name = NULL },
};

/* Arguments that are not given are an empty object. */
static bool read_calls(struct reader *r, struct val v, void *field)
{
	struct mock_reply *reply = field;
	struct val_iter it = val_begin(v);
	struct mock_call *calls;
	struct val one;
	size_t n = 0;

	if (!val_is(v, JSON_ARRAY))
		return fault(r, v, "a list of {\"name\", \"arguments\"} or {\"name\", \"input\"}");
	calls = arena_array(r->arena, struct mock_call, val_count(v));
	while (val_next(&it, &one)) {
		calls[n].arguments = calls[n].object = STR("{}");
		if (!read_members(r, one, call_fields, &calls[n]))
			return false;
		if (calls[n].name.n == 0)
			return fault(r, one, "a call with a \"name\"");
		if (val_has(one, STR("arguments")) && val_has(one, STR("input")))
			return fault(r, one, "a call with \"arguments\" or \"input\", not both");
		n++;
	}
	reply->calls = calls;
	reply->call_count = n;
	return true;
}

#define TOKENS(name_) \
	{ .name = #name_, .kind = FIELD_COUNT, .offset = offsetof(struct mock_usage, name_), .most = 1000000000000 }

static const struct field usage_fields[] = {
	TOKENS(input), TOKENS(output), TOKENS(cache_read), TOKENS(cache_write), TOKENS(reasoning), { .name = NULL },
};

/* Counts must not contradict each other, as far as they are given: parts are no larger than their whole. */
static bool read_usage(struct reader *r, struct val v, void *field)
{
	struct mock_usage *u = field;
	uint64_t cached = 0, whole;

	if (!read_members(r, v, usage_fields, u))
		return false;
	cached += u->cache_read == MOCK_UNSAID ? 0 : u->cache_read;
	cached += u->cache_write == MOCK_UNSAID ? 0 : u->cache_write;
	if (u->input != MOCK_UNSAID && cached > u->input)
		return fault(r, v, "such that input, which includes the cached tokens, is not less than they are");
	whole = u->output == MOCK_UNSAID ? UINT64_MAX : u->output;
	if (u->reasoning != MOCK_UNSAID && u->reasoning > whole)
		return fault(r, v, "such that output, which includes reasoning, is not less than it is");
	return true;
}

static const struct field reply_fields[] = {
	{ .name = "text", .kind = FIELD_TEXT, .offset = offsetof(struct mock_reply, text) },
	{ .name = "reasoning", .kind = FIELD_TEXT, .offset = offsetof(struct mock_reply, reasoning) },
	{ .name = "tool_calls", .kind = FIELD_SPECIAL, .offset = 0, .read = read_calls },
	{ .name = "usage", .kind = FIELD_OBJECT, .offset = offsetof(struct mock_reply, usage), .read = read_usage },
	{ .name = "finish", .kind = FIELD_TEXT, .offset = offsetof(struct mock_reply, finish) },
	{ .name = NULL },
};

static bool read_reply(struct reader *r, struct val v, void *field)
{
	return read_members(r, v, reply_fields, field);
}

/* ---- match and pace ---- */

static const struct field match_fields[] = {
	{ .name = "path", .kind = FIELD_TEXT, .offset = offsetof(struct mock_pattern, path) },
	{ .name = "model", .kind = FIELD_TEXT, .offset = offsetof(struct mock_pattern, model) },
	{ .name = "contains", .kind = FIELD_TEXT, .offset = offsetof(struct mock_pattern, contains) },
	{ .name = "last", .kind = FIELD_TEXT, .offset = offsetof(struct mock_pattern, last) },
	{ .name = "times", .kind = FIELD_COUNT, .offset = offsetof(struct mock_pattern, times), .least = 1,
	  .most = 1000000000 },
	{ .name = "nth", .kind = FIELD_COUNT, .offset = offsetof(struct mock_pattern, nth), .least = 1,
	  .most = 1000000000 },
	{ .name = NULL },
};

static bool read_match(struct reader *r, struct val v, void *field)
{
	return read_members(r, v, match_fields, field);
}

static bool read_chunk(struct reader *r, struct val v, void *field)
{
	int64_t n;

	if (val_text_is(v, STR("word")))
		return true;
	if (!val_i64(v, &n) || n < 1 || n > 1000000)
		return fault(r, v, "\"word\", or a number of characters from 1 to 1000000");
	*(uint64_t *)field = (uint64_t)n;
	return true;
}

static const struct field pace_fields[] = {
	{ .name = "ttft_ms", .kind = FIELD_COUNT, .offset = offsetof(struct mock_pace, ttft_ms), .most = TIME_MAX },
	{ .name = "itl_ms", .kind = FIELD_COUNT, .offset = offsetof(struct mock_pace, itl_ms), .most = TIME_MAX },
	{ .name = "chunk", .kind = FIELD_SPECIAL, .offset = offsetof(struct mock_pace, chunk), .read = read_chunk },
	{ .name = NULL },
};

static bool read_pace(struct reader *r, struct val v, void *field)
{
	return read_members(r, v, pace_fields, field);
}

/* ---- fault ---- */

static bool read_status(struct reader *r, struct val v, void *field)
{
	int64_t n;

	if (!val_i64(v, &n) || n < 400 || n > 599)
		return fault(r, v, "the status of an error, from 400 to 599");
	*(int *)field = (int)n;
	return true;
}

/* The framing of an answer is the server's, whatever a script would like to say about it. */
static bool is_framing(struct str name)
{
	static const char *const ours[] = { "content-length", "transfer-encoding", "connection" };

	for (size_t i = 0; i < COUNT(ours); i++)
		if (str_eq_nocase(name, str_from(ours[i])))
			return true;
	return false;
}

/* A header that can be sent as it is. A number is sent as it is written. */
static bool read_header(struct reader *r, struct val key, struct val v, struct http_header *out)
{
	out->name = arena_copy(r->arena, val_text(key, r->arena));
	if (!http_is_token(out->name))
		return fault(r, v, "under a name of letters, digits and dashes");
	if (is_framing(out->name))
		return fault(r, v, "left out: Content-Length, Transfer-Encoding and Connection are the server's");
	if (val_is(v, JSON_NUMBER))
		out->value = arena_copy(r->arena, val_raw(v));
	else if (val_is(v, JSON_STRING))
		out->value = str_trim(arena_copy(r->arena, val_text(v, r->arena)));
	else
		return fault(r, v, "a string or a number");
	if (http_find_control(out->value.p, out->value.n) < out->value.n)
		return fault(r, v, "a header's value, without control characters");
	return true;
}

static bool read_headers(struct reader *r, struct val v, void *field)
{
	struct mock_fault *f = field;
	struct val_iter it = val_begin(v);
	struct http_header *headers;
	struct val key, one;

	if (!val_is(v, JSON_OBJECT))
		return fault(r, v, "an object of headers");
	if (val_count(v) > 64)
		return fault(r, v, "an object of at most 64 headers");
	headers = arena_array(r->arena, struct http_header, val_count(v));
	while (val_next_member(&it, &key, &one))
		if (!read_header(r, key, one, &headers[f->header_count++]))
			return false;
	f->headers = headers;
	return true;
}

static const struct field cut_fields[] = {
	{ .name = "events", .kind = FIELD_COUNT, .offset = offsetof(struct mock_fault, cut_events),
	  .most = 1000000000 },
	{ .name = "bytes", .kind = FIELD_COUNT, .offset = offsetof(struct mock_fault, cut_bytes),
	  .most = 1000000000000 },
	{ .name = NULL },
};

/* A number alone, or an object with one of the two units. */
static bool read_cut(struct reader *r, struct val v, void *field)
{
	struct mock_fault *f = field;
	int64_t n;

	f->cuts = true;
	if (val_is(v, JSON_OBJECT) && val_count(v) == 1)
		return read_members(r, v, cut_fields, f);
	if (!val_i64(v, &n) || n < 0 || n > 1000000000)
		return fault(r, v, "a number of events, {\"events\": N} or {\"bytes\": N}");
	f->cut_plain = true;
	f->cut_events = f->cut_bytes = (uint64_t)n;
	return true;
}

static const struct field fault_fields[] = {
	{ .name = "status", .kind = FIELD_SPECIAL, .offset = offsetof(struct mock_fault, status), .read = read_status },
	{ .name = "headers", .kind = FIELD_SPECIAL, .offset = 0, .read = read_headers },
	{ .name = "cut_after", .kind = FIELD_SPECIAL, .offset = 0, .read = read_cut },
	{ .name = "bad_json", .kind = FIELD_FLAG, .offset = offsetof(struct mock_fault, bad_json) },
	{ .name = "stall_ms", .kind = FIELD_COUNT, .offset = offsetof(struct mock_fault, stall_ms), .most = TIME_MAX },
	{ .name = NULL },
};

static bool read_fault(struct reader *r, struct val v, void *field)
{
	return read_members(r, v, fault_fields, field);
}

/* ---- the whole ---- */

static const struct field rule_fields[] = {
	{ .name = "match", .kind = FIELD_OBJECT, .offset = offsetof(struct mock_rule, match), .read = read_match },
	{ .name = "reply", .kind = FIELD_OBJECT, .offset = offsetof(struct mock_rule, reply), .read = read_reply },
	{ .name = "pace", .kind = FIELD_OBJECT, .offset = offsetof(struct mock_rule, pace), .read = read_pace },
	{ .name = "fault", .kind = FIELD_OBJECT, .offset = offsetof(struct mock_rule, fault), .read = read_fault },
	{ .name = NULL },
};

/* A rule without a reply echoes; what it leaves open of the counts stays MOCK_UNSAID. */
static bool read_rules(struct reader *r, struct val v, void *field)
{
	struct mock_script *s = field;
	struct val_iter it = val_begin(v);
	struct mock_rule *rules;
	struct val one;
	size_t n = 0;

	if (!val_is(v, JSON_ARRAY))
		return fault(r, v, "a list of rules");
	rules = arena_array(r->arena, struct mock_rule, val_count(v));
	while (val_next(&it, &one)) {
		struct mock_rule *rule = &rules[n++];

		rule->reply.usage = (struct mock_usage){ .input = MOCK_UNSAID, .output = MOCK_UNSAID,
							 .cache_read = MOCK_UNSAID, .cache_write = MOCK_UNSAID,
							 .reasoning = MOCK_UNSAID };
		rule->fault.cut_events = rule->fault.cut_bytes = MOCK_UNSAID;
		if (!read_members(r, one, rule_fields, rule))
			return false;
		rule->echoes = !rule->reply.text.p && !rule->reply.reasoning.p && rule->reply.call_count == 0;
	}
	s->rules = rules;
	s->count = n;
	return true;
}

static bool read_schema(struct reader *r, struct val v, void *field)
{
	(void)field;
	if (!val_is(v, JSON_STRING) || !val_text_is(v, STR(MOCK_SCHEMA)))
		return fault(r, v, "\"" MOCK_SCHEMA "\"");
	return true;
}

static bool read_websocket(struct reader *r, struct val v, void *field)
{
	struct mock_script *s = field;
	bool allowed = true;

	if (!read_flag(r, v, &allowed))
		return false;
	s->no_websocket = !allowed;
	return true;
}

static const struct field script_fields[] = {
	{ .name = "schema", .kind = FIELD_SPECIAL, .offset = 0, .read = read_schema },
	{ .name = "rules", .kind = FIELD_SPECIAL, .offset = 0, .read = read_rules },
	{ .name = "websocket", .kind = FIELD_SPECIAL, .offset = 0, .read = read_websocket },
	{ .name = NULL },
};

static bool read_script(struct reader *r, struct mock_script *out)
{
	if (!val_is(r->root, JSON_OBJECT))
		return err_set(r->err, ERR_DATA, "%.*s: a mock script is an object with \"schema\" and \"rules\"",
			       STR_ARG(r->name));
	if (!val_has(r->root, STR("schema")))
		return err_set(r->err, ERR_DATA, "%.*s: a mock script begins with \"schema\": \"" MOCK_SCHEMA "\"",
			       STR_ARG(r->name));
	if (!val_has(r->root, STR("rules")))
		return err_set(r->err, ERR_DATA, "%.*s: the script has no \"rules\"; an empty list is enough",
			       STR_ARG(r->name));
	return read_members(r, r->root, script_fields, out);
}

bool mock_script_parse(struct arena *a, struct str text, struct str name, struct mock_script *out, struct err *err)
{
	struct json_options strict = { .max_depth = 0, .allow_duplicates = false, .allow_lone = false,
				       .allow_bom = true };
	struct reader r = { .arena = a, .text = text, .name = name, .err = err };
	struct json_parser *p = json_parser_open(strict);
	struct json_issue issue;
	bool good;

	r.inner = json_parser_open(strict);
	*out = (struct mock_script){ .rules = NULL, .count = 0 };
	good = json_parse_copy(p, text, &r.root, &issue);
	if (!good)
		err_set(err, ERR_DATA, "%.*s:%" PRIu64 ":%" PRIu64 ": the script is not JSON: %s", STR_ARG(name),
			issue.line, issue.column, issue.message);
	else
		good = read_script(&r, out);
	json_parser_close(r.inner);
	json_parser_close(p);
	return good;
}
