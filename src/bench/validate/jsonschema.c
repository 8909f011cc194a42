/*
 * Compiles breadth first: every subschema becomes a node when it is first met, by a keyword or by $ref, and waits in a
 * queue until its own keywords are read. A reference in a circle therefore just names a node that is there. The table
 * `keywords` says how each is read and which field it fills.
 */
#include "bench/validate/jsonschema.h"

#include <math.h>

#include "base/crypto/hex.h"
#include "bench/validate/jsonschema_private.h"
#include "json/canon.h"

#define NODES_MAX 65536u

/* A value of the schema and the node made of it; `next` is the list of those whose keywords are still to be read. */
struct pending {
	struct val v;
	uint32_t node;
};

struct compiling {
	struct arena *arena;
	struct problems *problems;
	struct val root;
	struct jsonschema *out;
	uint32_t cap;
	uint32_t *node_at;      /* for each token of the root, the number of its node + 1, or 0 */
	struct pending *queue;
	uint32_t queued, read;
	struct canon *canon;
};

/* The node of a subschema, made when it is met for the first time. */
static uint32_t node_of(struct compiling *c, struct val v)
{
	uint32_t token = v.at - c->root.at, number = c->out->count;

	if (c->node_at[token])
		return c->node_at[token] - 1;
	if (!val_is(v, JSON_OBJECT) && !val_is_bool(v)) {
		problem_at(c->problems, SUITE_SCHEMA, v, "a schema is an object, true or false, not %s",
			   problem_type_name(v));
		return 0;
	}
	c->out->nodes[number] = (struct schema_node){ .refuses = val_is(v, JSON_FALSE),
						      .additional = SCHEMA_NO_NODE,
						      .items = SCHEMA_NO_NODE,
						      .never = SCHEMA_NO_NODE,
						      .ref = SCHEMA_NO_NODE };
	c->out->count++;
	c->node_at[token] = number + 1;
	c->queue[c->queued++] = (struct pending){ v, number };
	return number;
}

/* Always false, for the callers to return. */
static bool fault(struct compiling *c, struct val v, const char *keyword, const char *wanted)
{
	return problem_at(c->problems, SUITE_SCHEMA, v, "\"%s\" should be %s, not %s", keyword, wanted,
			  problem_type_name(v));
}

/* ---- keywords ---- */

struct keyword {
	const char *name;
	bool (*read)(struct compiling *c, const struct keyword *k, struct val v, struct schema_node *n);
	size_t offset; /* of the field it fills */
};

static bool read_nothing(struct compiling *c, const struct keyword *k, struct val v, struct schema_node *n)
{
	(void)c;
	(void)k;
	(void)v;
	(void)n;
	return true;
}

/* 0 for what is no type, or no string at all. */
static unsigned type_of_word(struct val v)
{
	static const struct {
		const char *name;
		enum schema_type type;
	} types[] = {
		{ "null", SCHEMA_NULL },     { "boolean", SCHEMA_BOOLEAN }, { "number", SCHEMA_NUMBER },
		{ "integer", SCHEMA_INTEGER }, { "string", SCHEMA_STRING }, { "array", SCHEMA_ARRAY },
		{ "object", SCHEMA_OBJECT },
	};

	for (size_t i = 0; i < COUNT(types); i++)
		if (val_text_is(v, str_from(types[i].name)))
			return types[i].type;
	return 0;
}

/* One type or a list of them: bits of enum schema_type, of which a value must have one. */
static bool read_type(struct compiling *c, const struct keyword *k, struct val v, struct schema_node *n)
{
	struct val_iter it = val_begin(v);
	struct val one;

	if (!val_is(v, JSON_ARRAY)) {
		n->types = type_of_word(v);
		return n->types || fault(c, v, k->name, "one of the seven types or a list of them");
	}
	while (val_next(&it, &one)) {
		if (!type_of_word(one))
			return fault(c, one, k->name, "one of the seven types or a list of them");
		n->types |= type_of_word(one);
	}
	return n->types || fault(c, v, k->name, "a list with something in it");
}

/* Values are compared by their canonical text: 1.0 is 1, and the order of members does not matter. */
static bool add_canonical(struct compiling *c, struct val v, struct str *out)
{
	enum json_code code;
	uint32_t bad;
	struct buf text;
	bool good;

	buf_init(&text);
	good = canon_value(c->canon, v, &text, &bad, &code);
	if (good)
		*out = arena_copy(c->arena, buf_str(&text));
	else
		problem_at(c->problems, SUITE_SCHEMA, v, "the value has no canonical form: %s", json_code_name(code));
	buf_free(&text);
	return good;
}

/* Of enum and const alike; const is the one that takes a single value of any type. */
static bool read_values(struct compiling *c, const struct keyword *k, struct val v, struct schema_node *n)
{
	struct schema_texts *t = (struct schema_texts *)((char *)n + k->offset);
	bool single = t == &n->constant;
	struct str *items = arena_array(c->arena, struct str, single ? 1 : val_count(v) + 1);
	struct val_iter it = val_begin(v);
	struct val one;

	*t = (struct schema_texts){ items, 0, true };
	if (single)
		return add_canonical(c, v, &items[t->count++]);
	if (!val_is(v, JSON_ARRAY))
		return fault(c, v, k->name, "a list");
	while (val_next(&it, &one))
		if (!add_canonical(c, one, &items[t->count++]))
			return false;
	return true;
}

/* Of required. An empty list asks for nothing and is no fault. */
static bool read_names(struct compiling *c, const struct keyword *k, struct val v, struct schema_node *n)
{
	struct str *items = arena_array(c->arena, struct str, val_count(v) + 1);
	struct val_iter it = val_begin(v);
	struct val one;

	if (!val_is(v, JSON_ARRAY))
		return fault(c, v, k->name, "a list of names");
	while (val_next(&it, &one)) {
		if (!val_is(one, JSON_STRING))
			return fault(c, one, k->name, "a list of names");
		items[n->required.count++] = arena_copy(c->arena, val_text(one, c->arena));
	}
	n->required.items = items;
	n->required.given = true;
	return true;
}

static bool read_bound(struct compiling *c, const struct keyword *k, struct val v, struct schema_node *n)
{
	struct schema_bound *b = (struct schema_bound *)((char *)n + k->offset);

	b->given = val_double(v, &b->value);
	return b->given || fault(c, v, k->name, "a number");
}

/* Counts may be written 2.0. */
static bool jsonschema_read_count(struct compiling *c, const struct keyword *k, struct val v,
				  struct schema_node *n)
{
	struct schema_bound *b = (struct schema_bound *)((char *)n + k->offset);

	b->given = val_double(v, &b->value) && b->value >= 0 && b->value == floor(b->value);
	return b->given || fault(c, v, k->name, "a whole number that is not negative");
}

static bool read_pattern(struct compiling *c, const struct keyword *k, struct val v, struct schema_node *n)
{
	struct regex_fault why;

	if (!val_is(v, JSON_STRING))
		return fault(c, v, k->name, "a string");
	n->pattern = regex_new(c->arena, val_text(v, c->arena), REGEX_ECMA, &why);
	if (!n->pattern)
		problem_at(c->problems, SUITE_PATTERN, v, "the pattern is wrong at byte %zu: %s", why.at, why.text);
	return n->pattern;
}

static bool read_node(struct compiling *c, const struct keyword *k, struct val v, struct schema_node *n)
{
	*(uint32_t *)((char *)n + k->offset) = node_of(c, v);
	return true;
}

/* Of prefixItems, allOf, anyOf and oneOf, for all of which the draft wants at least one schema. */
static bool read_list(struct compiling *c, const struct keyword *k, struct val v, struct schema_node *n)
{
	struct schema_list *list = (struct schema_list *)((char *)n + k->offset);
	uint32_t *nodes = arena_array(c->arena, uint32_t, val_count(v) + 1);
	struct val_iter it = val_begin(v);
	struct val one;

	if (!val_is(v, JSON_ARRAY) || val_count(v) == 0)
		return fault(c, v, k->name, "a list of schemas with something in it");
	while (val_next(&it, &one))
		nodes[list->count++] = node_of(c, one);
	list->nodes = nodes;
	list->given = true;
	return true;
}

static bool read_properties(struct compiling *c, const struct keyword *k, struct val v, struct schema_node *n)
{
	struct val_iter it = val_begin(v);
	struct val key, one;

	if (!val_is(v, JSON_OBJECT))
		return fault(c, v, k->name, "an object of schemas");
	n->properties = arena_new(c->arena, struct map);
	map_init(n->properties, c->arena);
	while (val_next_member(&it, &key, &one))
		*map_add(n->properties, val_text(key, c->arena), &(bool){ false }) = node_of(c, one);
	return true;
}

/* Only makes the nodes, so that what is wrong in a definition is told even when nothing refers to it. */
static bool read_defs(struct compiling *c, const struct keyword *k, struct val v, struct schema_node *n)
{
	struct val_iter it = val_begin(v);
	struct val key, one;

	(void)n;
	if (!val_is(v, JSON_OBJECT))
		return fault(c, v, k->name, "an object of schemas");
	while (val_next_member(&it, &key, &one))
		node_of(c, one);
	return true;
}

/* The pointer in a reference's fragment, its %XX undone. */
static struct str pointer_of(struct arena *a, struct str fragment)
{
	char *out = arena_alloc(a, fragment.n + 1, 1);
	size_t n = 0;

	for (size_t i = 0; i < fragment.n; i++) {
		int high = fragment.n - i > 2 ? hex_value(fragment.p[i + 1]) : -1;
		int low = fragment.n - i > 2 ? hex_value(fragment.p[i + 2]) : -1;

		if (fragment.p[i] == '%' && high >= 0 && low >= 0) {
			out[n++] = (char)(high << 4 | low);
			i += 2;
		} else {
			out[n++] = fragment.p[i];
		}
	}
	return str_of(out, n);
}

static bool read_ref(struct compiling *c, const struct keyword *k, struct val v, struct schema_node *n)
{
	struct str text = val_is(v, JSON_STRING) ? val_text(v, c->arena) : STR("");
	struct val to;

	if (text.n == 0 || text.p[0] != '#')
		return fault(c, v, k->name, "a reference into the same schema, like #/$defs/name");
	to = val_at(c->root, pointer_of(c->arena, str_skip(text, 1)));
	if (val_is_none(to))
		return problem_at(c->problems, SUITE_SCHEMA, v, "the reference %.*s points to nothing", STR_ARG(text));
	n->ref = node_of(c, to);
	return true;
}

#define FIELD(member) offsetof(struct schema_node, member)

static const struct keyword keywords[] = {
	{ "type", read_type, 0 },
	{ "enum", read_values, FIELD(values) },
	{ "const", read_values, FIELD(constant) },
	{ "properties", read_properties, 0 },
	{ "required", read_names, 0 },
	{ "additionalProperties", read_node, FIELD(additional) },
	{ "items", read_node, FIELD(items) },
	{ "prefixItems", read_list, FIELD(prefix) },
	{ "minItems", jsonschema_read_count, FIELD(min_items) },
	{ "maxItems", jsonschema_read_count, FIELD(max_items) },
	{ "minLength", jsonschema_read_count, FIELD(min_length) },
	{ "maxLength", jsonschema_read_count, FIELD(max_length) },
	{ "minimum", read_bound, FIELD(minimum) },
	{ "maximum", read_bound, FIELD(maximum) },
	{ "exclusiveMinimum", read_bound, FIELD(above) },
	{ "exclusiveMaximum", read_bound, FIELD(below) },
	{ "pattern", read_pattern, 0 },
	{ "allOf", read_list, FIELD(all_of) },
	{ "anyOf", read_list, FIELD(any_of) },
	{ "oneOf", read_list, FIELD(one_of) },
	{ "not", read_node, FIELD(never) },
	{ "$ref", read_ref, 0 },
	{ "$defs", read_defs, 0 },
	{ "title", read_nothing, 0 },
	{ "description", read_nothing, 0 },
	{ "default", read_nothing, 0 },
	{ "examples", read_nothing, 0 },
	{ "$comment", read_nothing, 0 },
	{ "deprecated", read_nothing, 0 },
	{ "readOnly", read_nothing, 0 },
	{ "writeOnly", read_nothing, 0 },
	{ "$schema", read_nothing, 0 },
};

static const struct keyword *find_keyword(struct val key)
{
	for (size_t i = 0; i < COUNT(keywords); i++)
		if (val_text_is(key, str_from(keywords[i].name)))
			return &keywords[i];
	return NULL;
}

/* Reads on after a fault, so that all of them are told at once; jsonschema_new counts them. */
static void read_schema(struct compiling *c, struct pending from)
{
	struct val_iter it = val_begin(from.v);
	const struct keyword *k;
	struct val key, v;

	while (val_next_member(&it, &key, &v)) {
		struct schema_node *n = &c->out->nodes[from.node];

		k = find_keyword(key);
		if (k)
			k->read(c, k, v, n);
		else
			problem_at(c->problems, SUITE_SCHEMA, key,
				   "the keyword %.*s is not supported",
				   STR_ARG(val_source(key)));
	}
}

struct jsonschema *jsonschema_new(struct arena *a, struct val schema, struct problems *p)
{
	struct compiling c = { .arena = a, .problems = p, .root = schema };
	uint32_t tokens = val_end(schema) - schema.at;
	uint64_t before = p->count;

	if (tokens > NODES_MAX) {
		problem_at(p, SUITE_LIMIT, schema, "the schema has more than %u parts", NODES_MAX);
		return NULL;
	}
	c.out = arena_new(a, struct jsonschema);
	c.out->nodes = arena_array(a, struct schema_node, tokens + 1);
	c.node_at = arena_array(a, uint32_t, tokens);
	c.queue = arena_array(a, struct pending, tokens + 1);
	c.canon = canon_open(CANON_JCS);
	node_of(&c, schema);
	while (c.read < c.queued)
		read_schema(&c, c.queue[c.read++]);
	canon_close(c.canon);
	return p->count == before ? c.out : NULL;
}
