/*
 * Holding a value against a compiled schema. Each frame is one subschema at one value; it goes through its keywords
 * in a fixed order, asks for other subschemas by pushing frames, and hands its answer to the frame below.
 */
#include <math.h>

#include "base/utf8.h"
#include "bench/validate/jsonschema_private.h"
#include "json/canon.h"

#define FRAMES 4096
#define STEPS 1000000u /* frames pushed, and pieces of 64 bytes compared */

enum stage { STAGE_SELF, STAGE_REF, STAGE_ALL, STAGE_ANY, STAGE_ONE, STAGE_NOT, STAGE_MEMBERS, STAGE_ITEMS, STAGE_END };

struct frame {
	const struct schema_node *node;
	struct val v;
	enum stage stage;
	size_t index;  /* of the alternative or element that is looked at */
	size_t passed; /* alternatives of oneOf */
	struct val_iter it;
	bool begun;  /* the iterator is set */
	bool asking; /* a frame above answers for this stage */
	bool quiet;  /* a failure here need not be the schema's */
};

struct run {
	const struct jsonschema *schema;
	struct val root;
	struct arena *arena;
	struct canon *canon;
	struct frame *frames;
	size_t depth;
	uint64_t steps;
	uint64_t *budget; /* for patterns; steps are taken from it in the end */
	struct jsonschema_fault *fault;
	bool told, limit;
};

enum move { MOVE_ON, MOVE_ASK, MOVE_PASS, MOVE_FAIL };

/*
 * Only the first failure that counts is told; those inside of anyOf, oneOf and not are quiet, for another alternative
 * may pass.
 */
static enum move jsonschema_check_fail(struct run *r, const struct frame *f, const char *keyword)
{
	if (!f->quiet && !r->told) {
		r->told = true;
		*r->fault = (struct jsonschema_fault){ val_pointer(r->root, f->v, r->arena), keyword };
	}
	return MOVE_FAIL;
}

/*
 * Pushes a frame for `node` at `v`; its answer comes to `f` by jsonschema_check_take. Being at a limit ends the whole
 * check.
 */
static enum move jsonschema_check_ask(struct run *r, struct frame *f, uint32_t node, struct val v, bool quiet)
{
	if (r->depth == FRAMES || r->steps++ >= STEPS) {
		r->limit = true;
		return jsonschema_check_fail(r, f, "limit");
	}
	f->asking = true;
	r->frames[r->depth++] = (struct frame){ .node = &r->schema->nodes[node], .v = v, .quiet = f->quiet || quiet };
	return MOVE_ASK;
}

/* ---- what needs no other subschema ---- */

static double number_of(struct val v)
{
	double d = 0;

	if (!val_double(v, &d)) /* beyond the largest double */
		d = val_raw(v).p[0] == '-' ? -INFINITY : INFINITY;
	return d;
}

/* A whole number is both a number and an integer, also when it is written 2.0. */
static unsigned types_of(struct val v)
{
	switch (val_type(v)) {
	case JSON_NULL:
		return SCHEMA_NULL;
	case JSON_FALSE:
	case JSON_TRUE:
		return SCHEMA_BOOLEAN;
	case JSON_NUMBER:
		return SCHEMA_NUMBER | (number_of(v) == floor(number_of(v)) ? SCHEMA_INTEGER : 0);
	case JSON_STRING:
		return SCHEMA_STRING;
	case JSON_ARRAY:
		return SCHEMA_ARRAY;
	default:
		return SCHEMA_OBJECT;
	}
}

/* A long value takes steps by its length: it may be compared again and again by schemas that refer to each other. */
static bool is_among(struct run *r, const struct schema_texts *t, struct val v)
{
	enum json_code code;
	bool found = false;
	uint32_t bad;
	struct buf text;

	r->steps += val_source(v).n / 64;
	buf_init(&text);
	if (canon_value(r->canon, v, &text, &bad, &code))
		for (size_t i = 0; i < t->count && !found; i++)
			found = str_eq(buf_str(&text), t->items[i]);
	buf_free(&text);
	return found;
}

static const char *check_number(const struct schema_node *n, double d)
{
	if (n->minimum.given && d < n->minimum.value)
		return "minimum";
	if (n->maximum.given && d > n->maximum.value)
		return "maximum";
	if (n->above.given && d <= n->above.value)
		return "exclusiveMinimum";
	return n->below.given && d >= n->below.value ? "exclusiveMaximum" : NULL;
}

/* The keyword that fails, or NULL. Length is in characters. A pattern that is undecided ends the check. */
static const char *check_string(struct run *r, const struct schema_node *n, struct val v)
{
	struct str text = val_text(v, r->arena);
	double length;

	r->steps += text.n / 64;
	if (n->min_length.given || n->max_length.given) {
		length = (double)utf8_count(text);
		if (n->min_length.given && length < n->min_length.value)
			return "minLength";
		if (n->max_length.given && length > n->max_length.value)
			return "maxLength";
	}
	if (!n->pattern)
		return NULL;
	switch (regex_match(n->pattern, text, false, r->budget)) {
	case REGEX_YES:
		return NULL;
	case REGEX_NO:
		return "pattern";
	default:
		r->limit = true;
		return "pattern";
	}
}

/*
 * The keyword that fails, or NULL. Members are looked at one after the other, so names that are asked for take steps by
 * the size of the object.
 */
static const char *check_container(struct run *r, const struct schema_node *n, struct val v)
{
	double count = (double)val_count(v);

	if (val_is(v, JSON_ARRAY)) {
		if (n->min_items.given && count < n->min_items.value)
			return "minItems";
		return n->max_items.given && count > n->max_items.value ? "maxItems" : NULL;
	}
	r->steps += n->required.count * (val_count(v) / 16);
	for (size_t i = 0; i < n->required.count; i++)
		if (!val_has(v, n->required.items[i]))
			return "required";
	return NULL;
}

/*
 * The keyword that fails, or NULL, of those that need no other subschema. Keywords for other types than the value's do
 * not apply.
 */
static const char *check_self(struct run *r, const struct schema_node *n, struct val v)
{
	unsigned types = types_of(v);

	if (n->refuses)
		return "false";
	if (n->types && !(n->types & types))
		return "type";
	if (n->values.given && !is_among(r, &n->values, v))
		return "enum";
	if (n->constant.given && !is_among(r, &n->constant, v))
		return "const";
	if (types & SCHEMA_NUMBER)
		return check_number(n, number_of(v));
	if (types & SCHEMA_STRING)
		return check_string(r, n, v);
	return types & (SCHEMA_ARRAY | SCHEMA_OBJECT) ? check_container(r, n, v) : NULL;
}

/* ---- stages ---- */

/* All of a stage is done. Whoever comes behind the last one has passed. */
static enum move next_stage(struct frame *f)
{
	f->stage++;
	f->index = 0;
	f->begun = false;
	return f->stage == STAGE_END ? MOVE_PASS : MOVE_ON;
}

/* One member for each call. A member that properties does not name is held against additionalProperties. */
static enum move ask_member(struct run *r, struct frame *f)
{
	const struct schema_node *n = f->node;
	struct val key, v;

	if (!val_is(f->v, JSON_OBJECT) || (!n->properties && n->additional == SCHEMA_NO_NODE))
		return next_stage(f);
	if (!f->begun)
		f->it = val_begin(f->v);
	f->begun = true;
	while (val_next_member(&f->it, &key, &v)) {
		const uint64_t *node = n->properties ? map_find(n->properties, val_text(key, r->arena)) : NULL;

		r->steps += val_raw(key).n / 64;
		if (node)
			return jsonschema_check_ask(r, f, (uint32_t)*node, v, false);
		if (n->additional != SCHEMA_NO_NODE)
			return jsonschema_check_ask(r, f, n->additional, v, false);
	}
	return next_stage(f);
}

/* One element for each call: by its place while prefixItems has one for it, the others against items. */
static enum move ask_item(struct run *r, struct frame *f)
{
	const struct schema_node *n = f->node;
	struct val v;

	if (!val_is(f->v, JSON_ARRAY) || (!n->prefix.given && n->items == SCHEMA_NO_NODE))
		return next_stage(f);
	if (!f->begun)
		f->it = val_begin(f->v);
	f->begun = true;
	while (val_next(&f->it, &v)) {
		size_t index = f->index++;

		if (index < n->prefix.count)
			return jsonschema_check_ask(r, f, n->prefix.nodes[index], v, false);
		if (n->items != SCHEMA_NO_NODE)
			return jsonschema_check_ask(r, f, n->items, v, false);
		break;
	}
	return next_stage(f);
}

static enum move ask_next(struct run *r, struct frame *f, const struct schema_list *list, bool quiet)
{
	return f->index < list->count ? jsonschema_check_ask(r, f, list->nodes[f->index], f->v, quiet)
				      : next_stage(f);
}

static enum move ask_one(struct run *r, struct frame *f, uint32_t node, bool quiet)
{
	return node != SCHEMA_NO_NODE && f->index == 0 ? jsonschema_check_ask(r, f, node, f->v, quiet)
						       : next_stage(f);
}

/* Does the next stage of a frame: asks about a part of the value, or says that the frame passed or failed. */
static enum move go_on(struct run *r, struct frame *f)
{
	const char *keyword;

	switch (f->stage) {
	case STAGE_SELF:
		keyword = check_self(r, f->node, f->v);
		return keyword ? jsonschema_check_fail(r, f, keyword) : next_stage(f);
	case STAGE_REF:
		return ask_one(r, f, f->node->ref, false);
	case STAGE_ALL:
		return ask_next(r, f, &f->node->all_of, false);
	case STAGE_ANY:
		return ask_next(r, f, &f->node->any_of, true);
	case STAGE_ONE:
		return ask_next(r, f, &f->node->one_of, true);
	case STAGE_NOT:
		return ask_one(r, f, f->node->never, true);
	case STAGE_MEMBERS:
		return ask_member(r, f);
	case STAGE_ITEMS:
		return ask_item(r, f);
	default:
		return MOVE_PASS;
	}
}

/* Takes the answer that was asked for. */
static enum move jsonschema_check_take(struct run *r, struct frame *f, bool valid)
{
	f->asking = false;
	switch (f->stage) {
	case STAGE_ANY:
		if (valid)
			return next_stage(f);
		return ++f->index < f->node->any_of.count ? MOVE_ON : jsonschema_check_fail(r, f, "anyOf");
	case STAGE_ONE:
		f->passed += valid;
		if (f->passed > 1 || (++f->index == f->node->one_of.count && f->passed == 0))
			return jsonschema_check_fail(r, f, "oneOf");
		return MOVE_ON;
	case STAGE_NOT:
		return valid ? jsonschema_check_fail(r, f, "not") : next_stage(f);
	case STAGE_REF:
		return valid ? next_stage(f) : MOVE_FAIL;
	case STAGE_ALL:
		f->index++;
		return valid ? MOVE_ON : MOVE_FAIL;
	default:
		return valid ? MOVE_ON : MOVE_FAIL;
	}
}

/*
 * The loop that stands for recursion: the frame on top goes on until it passes or fails, and the one below takes its
 * answer. The last answer is the schema's.
 */
static bool evaluate(struct run *r)
{
	bool valid = true;

	while (r->depth > 0 && !r->limit) {
		struct frame *f = &r->frames[r->depth - 1];
		enum move m = f->asking ? jsonschema_check_take(r, f, valid) : go_on(r, f);

		if (m == MOVE_PASS || m == MOVE_FAIL) {
			valid = m == MOVE_PASS;
			r->depth--;
		}
		r->limit = r->limit || r->steps > STEPS;
	}
	return valid;
}

enum jsonschema_answer jsonschema_check(const struct jsonschema *s, struct val value, struct arena *a, uint64_t *budget,
					struct jsonschema_fault *fault)
{
	struct run r = { .schema = s, .root = value, .arena = a, .budget = budget, .fault = fault };
	bool valid;

	*fault = (struct jsonschema_fault){ STR(""), "limit" };
	r.frames = mem_alloc(FRAMES * sizeof(*r.frames));
	r.canon = canon_open(CANON_JCS);
	r.frames[r.depth++] = (struct frame){ .node = &s->nodes[0], .v = value };
	valid = evaluate(&r);
	canon_close(r.canon);
	mem_free(r.frames);
	*budget -= r.steps < *budget ? r.steps : *budget;
	if (r.limit || *budget == 0)
		return JSONSCHEMA_LIMIT;
	return valid ? JSONSCHEMA_VALID : JSONSCHEMA_INVALID;
}
