/* Containers are written with a stack; only objects that have rules are looked into member by member. */
#include "replay/normal.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "capture/cassette_rules.h"
#include "dialect/exchange/exchange.h"
#include "json/issue.h"
#include "json/json.h"
#include "json/text.h"

#define NORMAL_SAFE INT64_C(9007199254740991) /* integers up to here are doubles */

struct normal_member {
	struct str name;
	uint32_t key; /* its token; the value's is the next */
};

struct normal_frame {
	uint32_t at, end;   /* of an array: tokens still to write */
	size_t next, last;  /* of an object: members still to write */
	size_t first;       /* where its members begin */
	bool object, begun;
};

struct normalizer {
	struct json_parser *parser;
	struct normal_frame *frames;
	size_t frame_count, frame_cap;
	struct normal_member *members; /* of the open objects, innermost last */
	size_t member_count, member_cap;
	struct arena *arena;           /* of the body at hand */
	struct buf out, tools;
	struct normal_parameter *parameters;
	size_t parameter_count, parameter_cap;
	struct val root;
};

struct normalizer *normal_open(void)
{
	struct normalizer *z = mem_alloc(sizeof(*z));

	*z = (struct normalizer){ .parser = json_parser_open((struct json_options){ .max_depth = NORMAL_DEPTH }) };
	buf_init(&z->out);
	buf_init(&z->tools);
	return z;
}

void normal_close(struct normalizer *z)
{
	if (!z)
		return;
	json_parser_close(z->parser);
	mem_free(z->frames);
	mem_free(z->members);
	buf_free(&z->out);
	buf_free(&z->tools);
	mem_free(z);
}

enum normal_kind normal_kind_of(struct str lane, struct str target)
{
	struct str query;

	if (str_eq(lane, STR("model")))
		return exchange_api_of_path(str_cut(target, '?', &query)) ? NORMAL_MODEL : NORMAL_SERVICE;
	return str_starts(lane, STR("mcp")) ? NORMAL_MCP : NORMAL_PLAIN;
}

/* ---- canonical form ---- */

static void normal_add_string(struct buf *out, struct val v)
{
	struct str raw = val_raw(v);

	buf_add_byte(out, '"');
	if (val_tok(v)->flags & (JSON_REWRITE | JSON_ESCAPED))
		out->n += text_minimal(buf_reserve(out, raw.n + 1), raw);
	else
		buf_add_str(out, raw);
	buf_add_byte(out, '"');
}

static void normal_add_number(struct buf *out, struct val v)
{
	struct str raw = val_raw(v);
	bool exact = val_tok(v)->flags & JSON_INTEGER;
	int64_t value;
	size_t n;
	enum num_read read;

	if (exact && (!num_integral(raw, &value) || value > NORMAL_SAFE || value < -NORMAL_SAFE)) {
		buf_add_str(out, raw);
		return;
	}
	read = num_canon(buf_reserve(out, NUM_DOUBLE_MAX), &n, raw);
	if (read == NUM_OK)
		out->n += n;
	else
		buf_add_str(out, raw); /* no double, or 0 where something else was meant */
}

static void normal_add_scalar(struct buf *out, struct val v)
{
	if (val_is(v, JSON_STRING))
		normal_add_string(out, v);
	else if (val_is(v, JSON_NUMBER))
		normal_add_number(out, v);
	else
		buf_add_str(out, val_raw(v));
}

static int normal_by_name(const void *a, const void *b)
{
	return utf8_cmp_utf16(((const struct normal_member *)a)->name, ((const struct normal_member *)b)->name);
}

/* Notes the members of an object, sorted, behind those that are noted. How many there are. */
static size_t normal_note_members(struct normalizer *z, struct val object)
{
	struct val_iter it = val_begin(object);
	struct val key, value;
	size_t first = z->member_count;
	bool sorted = true;

	while (val_next_member(&it, &key, &value)) {
		mem_grow(z->members, z->member_count, z->member_cap, 64);
		z->members[z->member_count] = (struct normal_member){ val_text(key, z->arena), key.at };
		sorted = sorted && (z->member_count == first ||
				    normal_by_name(&z->members[z->member_count - 1], &z->members[z->member_count]) < 0);
		z->member_count++;
	}
	if (!sorted)
		qsort(z->members + first, z->member_count - first, sizeof(*z->members), normal_by_name);
	return z->member_count - first;
}

static void normal_push(struct normalizer *z, struct buf *out, struct val v)
{
	struct normal_frame f = { .object = val_is(v, JSON_OBJECT), .at = v.at + 1, .end = val_end(v),
				  .first = z->member_count };

	if (f.object) {
		f.next = f.first;
		f.last = f.first + normal_note_members(z, v);
	}
	buf_add_byte(out, f.object ? '{' : '[');
	mem_grow(z->frames, z->frame_count, z->frame_cap, 32);
	z->frames[z->frame_count++] = f;
}

/* The next value of the innermost container, its name written; VAL_NONE when it is over. */
static struct val normal_next(struct normalizer *z, struct buf *out, const struct json_tape *tape)
{
	struct normal_frame *f = &z->frames[z->frame_count - 1];
	struct val v = { tape, f->at };

	if (f->object ? f->next == f->last : f->at == f->end)
		return VAL_NONE;
	if (f->begun)
		buf_add_byte(out, ',');
	f->begun = true;
	if (!f->object) {
		f->at = val_end(v);
		return v;
	}
	v.at = z->members[f->next++].key;
	normal_add_string(out, v);
	buf_add_byte(out, ':');
	v.at++;
	return v;
}

static void normal_add_value(struct normalizer *z, struct buf *out, struct val v)
{
	size_t base = z->frame_count;

	for (;;) {
		if (val_is(v, JSON_OBJECT) || val_is(v, JSON_ARRAY))
			normal_push(z, out, v);
		else
			normal_add_scalar(out, v);
		for (;;) {
			if (z->frame_count == base)
				return;
			v = normal_next(z, out, z->root.tape);
			if (!val_is_none(v))
				break;
			buf_add_byte(out, z->frames[z->frame_count - 1].object ? '}' : ']');
			z->member_count = z->frames[--z->frame_count].first;
		}
	}
}

/* ---- objects that are looked into ---- */

/*
 * Writes a member's value after its name, in another way than as it stands. False: nothing was written, and the member
 * is left out.
 */
struct normal_place;
struct normal_rule {
	bool (*drops)(struct normalizer *z, struct str name, struct val value);
	const struct normal_place *places; /* ended by one without a name; NULL */
};
struct normal_place {
	const char *name;
	bool (*add)(struct normalizer *z, struct buf *out, struct val value);
};

static const struct normal_place *normal_find_place(const struct normal_rule *rule, struct str name)
{
	for (const struct normal_place *p = rule->places; p && p->name; p++)
		if (str_eq(str_from(p->name), name))
			return p;
	return NULL;
}

/* How many members were written. */
static size_t normal_add_object(struct normalizer *z, struct buf *out, struct val object,
				const struct normal_rule *rule)
{
	size_t first = z->member_count, count = normal_note_members(z, object), written = 0;

	buf_add_byte(out, '{');
	for (size_t i = first; i < first + count; i++) {
		struct normal_member m = z->members[i];
		struct val key = { object.tape, m.key }, value = { object.tape, m.key + 1 };
		const struct normal_place *place = normal_find_place(rule, m.name);
		size_t before = out->n;
		bool kept = true;

		if (rule->drops && rule->drops(z, m.name, value))
			continue;
		if (written)
			buf_add_byte(out, ',');
		normal_add_string(out, key);
		buf_add_byte(out, ':');
		if (place)
			kept = place->add(z, out, value);
		else
			normal_add_value(z, out, value);
		if (!kept)
			out->n = before;
		written += kept;
	}
	z->member_count = first;
	buf_add_byte(out, '}');
	return written;
}

/* An object that is left out when all that it had was dropped; one that was empty stays. */
static bool normal_add_unless_emptied(struct normalizer *z, struct buf *out, struct val v,
				      const struct normal_rule *rule)
{
	if (!val_is(v, JSON_OBJECT)) {
		normal_add_value(z, out, v);
		return true;
	}
	return normal_add_object(z, out, v, rule) > 0 || val_count(v) == 0;
}

/* ---- tools ---- */

struct normal_tool {
	struct str name, bytes;
};

static int normal_by_tool(const void *a, const void *b)
{
	const struct normal_tool *x = a, *y = b;
	int order = str_cmp(x->name, y->name);

	return order ? order : str_cmp(x->bytes, y->bytes);
}

static struct str normal_tool_name(struct normalizer *z, struct val tool)
{
	struct val name = val_get(val_get(tool, STR("function")), STR("name"));

	if (!val_is(name, JSON_STRING))
		name = val_get(tool, STR("name"));
	if (!val_is(name, JSON_STRING))
		name = val_get(tool, STR("type")); /* of the vendor's own */
	return val_is(name, JSON_STRING) ? val_text(name, z->arena) : STR("");
}

/* A list sorted by the names in it. `inside`: how its elements that are objects are written; NULL: as they stand. */
static bool normal_add_sorted(struct normalizer *z, struct buf *out, struct val list, const struct normal_rule *inside)
{
	size_t count = val_count(list), i = 0, before = out->n;
	struct val_iter it = val_begin(list);
	struct normal_tool *tools;
	struct val one;

	if (!val_is(list, JSON_ARRAY)) {
		normal_add_value(z, out, list);
		return true;
	}
	tools = arena_array(z->arena, struct normal_tool, count + 1);
	while (val_next(&it, &one)) {
		tools[i].name = normal_tool_name(z, one);
		if (tools[i].name.n) {
			buf_add_str(&z->tools, tools[i].name);
			buf_add_byte(&z->tools, '\n');
		}
		if (inside && val_is(one, JSON_OBJECT))
			normal_add_object(z, out, one, inside);
		else
			normal_add_value(z, out, one);
		tools[i++].bytes = arena_copy(z->arena, str_of(out->p + before, out->n - before));
		out->n = before;
	}
	qsort(tools, count, sizeof(*tools), normal_by_tool);
	buf_add_byte(out, '[');
	for (i = 0; i < count; i++) {
		if (i)
			buf_add_byte(out, ',');
		buf_add_str(out, tools[i].bytes);
	}
	buf_add_byte(out, ']');
	return true;
}

static bool normal_add_declarations(struct normalizer *z, struct buf *out, struct val list)
{
	return normal_add_sorted(z, out, list, NULL);
}

static bool normal_add_tools(struct normalizer *z, struct buf *out, struct val list)
{
	static const struct normal_place places[] = {
		{ "functionDeclarations", normal_add_declarations },
		{ "function_declarations", normal_add_declarations },
		{ NULL, NULL },
	};
	static const struct normal_rule tool = { .places = places };

	return normal_add_sorted(z, out, list, &tool);
}

/* ---- a request to a model ---- */

static void normal_note_parameter(struct normalizer *z, struct str parent, struct str raw, struct val value,
				  bool is_user)
{
	struct normal_parameter *p;
	struct buf name, bytes;

	buf_init(&name);
	buf_init(&bytes);
	if (parent.p)
		issue_pointer_add_name(&name, parent);
	issue_pointer_add_name(&name, raw);
	normal_add_value(z, &bytes, value);
	arena_grow(z->arena, z->parameters, z->parameter_count, z->parameter_cap, 8);
	p = &z->parameters[z->parameter_count++];
	p->name = arena_take(z->arena, &name);
	p->value = arena_take(z->arena, &bytes);
	p->is_user = is_user;
}

static bool normal_is_ruled(enum cassette_rule_kind kind, struct str parent, struct str name)
{
	for (const struct cassette_rule *r = cassette_rules; r->name; r++) {
		struct str rule = str_from(r->name);

		if (r->kind != kind)
			continue;
		if (parent.p && str_starts(rule, parent) && rule.n > parent.n && rule.p[parent.n] == '.')
			rule = str_skip(rule, parent.n + 1);
		else if (parent.p)
			continue;
		if (str_eq(rule, name))
			return true;
	}
	return false;
}

/* What is put aside by this rule, to be compared by itself. */
static bool normal_drops_ruled(struct normalizer *z, enum cassette_rule_kind kind, const char *parent, struct str name,
			       struct val value)
{
	struct str above = parent ? str_from(parent) : str_of(NULL, 0);

	if (!normal_is_ruled(kind, above, name))
		return false;
	normal_note_parameter(z, above, name, value, kind == CASSETTE_IGNORED);
	return true;
}

static bool normal_drops_metadata(struct normalizer *z, struct str name, struct val value)
{
	return normal_drops_ruled(z, CASSETTE_IGNORED, "metadata", name, value);
}

static bool normal_add_metadata(struct normalizer *z, struct buf *out, struct val value)
{
	static const struct normal_rule rule = { .drops = normal_drops_metadata };

	return normal_add_unless_emptied(z, out, value, &rule);
}

static bool normal_drops_of_config(struct normalizer *z, struct str name, struct val value)
{
	return normal_drops_ruled(z, CASSETTE_SAMPLING, "generationConfig", name, value);
}

/* Of Gemini: what an answer must look like stands beside what it is drawn with. */
static bool normal_add_config(struct normalizer *z, struct buf *out, struct val value)
{
	static const struct normal_rule rule = { .drops = normal_drops_of_config };

	return normal_add_unless_emptied(z, out, value, &rule);
}

static bool normal_drops_of_options(struct normalizer *z, struct str name, struct val value)
{
	return normal_drops_ruled(z, CASSETTE_SAMPLING, "options", name, value);
}

/* Of Ollama. */
static bool normal_add_options(struct normalizer *z, struct buf *out, struct val value)
{
	static const struct normal_rule rule = { .drops = normal_drops_of_options };

	return normal_add_unless_emptied(z, out, value, &rule);
}

static bool normal_drops_of_model(struct normalizer *z, struct str name, struct val value)
{
	return normal_drops_ruled(z, CASSETTE_IGNORED, NULL, name, value) ||
	       normal_drops_ruled(z, CASSETTE_SAMPLING, NULL, name, value);
}

static const struct normal_place normal_model_places[] = {
	{ "tools", normal_add_tools },
	{ "metadata", normal_add_metadata },
	{ "generationConfig", normal_add_config },
	{ "options", normal_add_options },
	{ NULL, NULL },
};
static const struct normal_rule normal_model = { normal_drops_of_model, normal_model_places };

/* ---- a message of MCP ---- */

static bool normal_drops_meta(struct normalizer *z, struct str name, struct val value)
{
	static const char *const names[] = { "progressToken", "clientInfo", "clientCapabilities", "subscriptionId",
					     "traceparent", "tracestate", "baggage" };

	(void)z;
	(void)value;
	if (str_starts(name, STR("io.modelcontextprotocol/")))
		name = str_basename(name);
	return str_is_word_of(name, names, COUNT(names));
}

static bool normal_add_meta(struct normalizer *z, struct buf *out, struct val value)
{
	static const struct normal_rule rule = { .drops = normal_drops_meta };

	if (!val_is(value, JSON_OBJECT)) {
		normal_add_value(z, out, value);
		return true;
	}
	return normal_add_object(z, out, value, &rule) > 0;
}

static bool normal_drops_param(struct normalizer *z, struct str name, struct val value)
{
	struct val method = val_get(z->root, STR("method"));

	(void)value;
	if (str_eq(name, STR("requestId")))
		return val_text_is(method, STR("notifications/cancelled"));
	return str_eq(name, STR("progressToken")) && val_text_is(method, STR("notifications/progress"));
}

static bool normal_add_params(struct normalizer *z, struct buf *out, struct val value)
{
	static const struct normal_place places[] = { { "_meta", normal_add_meta }, { NULL, NULL } };
	static const struct normal_rule rule = { normal_drops_param, places };

	return normal_add_unless_emptied(z, out, value, &rule);
}

static bool normal_drops_of_mcp(struct normalizer *z, struct str name, struct val value)
{
	(void)z;
	(void)value;
	return str_eq(name, STR("id")) || str_eq(name, STR("jsonrpc"));
}

static const struct normal_place normal_mcp_places[] = { { "params", normal_add_params }, { NULL, NULL } };
static const struct normal_rule normal_mcp = { normal_drops_of_mcp, normal_mcp_places };

/* ---- a body ---- */

void normal_make(struct normalizer *z, struct arena *a, enum normal_kind kind, struct str body, struct normal *out)
{
	static const struct normal_rule *const rules[] = {
		[NORMAL_PLAIN] = NULL,
		[NORMAL_SERVICE] = NULL,
		[NORMAL_MODEL] = &normal_model,
		[NORMAL_MCP] = &normal_mcp,
	};
	struct str tool;

	*out = (struct normal){ .bytes = body.p ? body : STR(""), .tools = STR(""), .tool = STR("") };
	if (body.n == 0 || !json_parse_copy(z->parser, body, &z->root, NULL))
		return;
	if (kind == NORMAL_SERVICE && exchange_api_of_request(z->root))
		kind = NORMAL_MODEL;
	z->arena = a;
	z->frame_count = z->member_count = 0;
	z->parameters = NULL;
	z->parameter_count = z->parameter_cap = 0;
	buf_clear(&z->out);
	buf_clear(&z->tools);
	if (rules[kind] && val_is(z->root, JSON_OBJECT))
		normal_add_object(z, &z->out, z->root, rules[kind]);
	else
		normal_add_value(z, &z->out, z->root);
	out->is_json = true;
	out->bytes = arena_copy(a, buf_str(&z->out));
	if (z->tools.n)
		out->tools = arena_copy(a, buf_str(&z->tools));
	out->parameters = z->parameters;
	out->parameter_count = z->parameter_count;
	tool = kind == NORMAL_MCP ? val_get_text(val_get(z->root, STR("params")), STR("name"), a) : STR("");
	if (tool.n)
		out->tool = arena_copy(a, tool);
}
