/* Walks the messages and content blocks of a request or response and writes what the behaviour hash keeps of them. */
#include "dialect/otutl/content.h"

#include <assert.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "json/shape.h"

#define NAME(literal) { (literal), sizeof(literal) - 1 }
#define CONTENT_DEPTH 16 /* more than the levels, each an array and an object */

enum content_level { CONTENT_NONE, CONTENT_TOP, CONTENT_CHOICE, CONTENT_MESSAGE, CONTENT_BLOCK, CONTENT_PART };

/* The members that lead to the next level. A level only leads to later ones, so the walk has a bounded depth. */
static const struct content_step {
	enum content_level level;
	struct str name;
	enum json_type type;
	enum content_level next;
} content_steps[] = {
	{ CONTENT_TOP, NAME("messages"), JSON_ARRAY, CONTENT_MESSAGE },
	{ CONTENT_TOP, NAME("input"), JSON_ARRAY, CONTENT_MESSAGE },
	{ CONTENT_TOP, NAME("contents"), JSON_ARRAY, CONTENT_MESSAGE },
	{ CONTENT_TOP, NAME("output"), JSON_ARRAY, CONTENT_MESSAGE },
	{ CONTENT_TOP, NAME("message"), JSON_OBJECT, CONTENT_MESSAGE },
	{ CONTENT_TOP, NAME("choices"), JSON_ARRAY, CONTENT_CHOICE },
	{ CONTENT_TOP, NAME("candidates"), JSON_ARRAY, CONTENT_CHOICE },
	{ CONTENT_TOP, NAME("content"), JSON_ARRAY, CONTENT_BLOCK },
	{ CONTENT_TOP, NAME("system"), JSON_ARRAY, CONTENT_BLOCK },
	{ CONTENT_TOP, NAME("tool_calls"), JSON_ARRAY, CONTENT_BLOCK },
	{ CONTENT_CHOICE, NAME("message"), JSON_OBJECT, CONTENT_MESSAGE },
	{ CONTENT_CHOICE, NAME("content"), JSON_OBJECT, CONTENT_MESSAGE },
	{ CONTENT_MESSAGE, NAME("content"), JSON_ARRAY, CONTENT_BLOCK },
	{ CONTENT_MESSAGE, NAME("parts"), JSON_ARRAY, CONTENT_BLOCK },
	{ CONTENT_MESSAGE, NAME("tool_calls"), JSON_ARRAY, CONTENT_BLOCK },
	{ CONTENT_BLOCK, NAME("functionCall"), JSON_OBJECT, CONTENT_PART },
	{ CONTENT_BLOCK, NAME("functionResponse"), JSON_OBJECT, CONTENT_PART },
};

static const struct str content_dropped[] = {
	NAME("ts"), NAME("id"), NAME("created"), NAME("created_at"), NAME("request_id"), NAME("response_id"),
	NAME("system_fingerprint"), NAME("file_sha256"), NAME("ext"),
};

/* Members that hold a call id, whether this log has the call or not. */
static const struct str content_call_ids[] = {
	NAME("call_id"), NAME("tool_call_id"), NAME("tool_use_id"), NAME("parent_call_id"),
};

/* Members whose text is never taken for a call id. */
static const struct str content_texts[] = {
	NAME("content"), NAME("text"), NAME("role"), NAME("type"), NAME("name"), NAME("model"), NAME("arguments"),
	NAME("input"), NAME("output"), NAME("result"), NAME("thinking"), NAME("reasoning"),
};

struct content_member {
	struct val value;
	uint32_t key; /* its number in the parser's keys */
};

/* A container that is open: the elements of an array, or the members of an object in canonical order. */
struct content_frame {
	enum content_level level; /* of the object, or of the array's elements */
	bool is_object, begun, is_result;
	size_t first, at, count; /* objects: members in the scanner's buffer */
	struct val_iter it;      /* arrays */
};

struct content_walk {
	struct otutl_scanner *s;
	struct otutl_batch *out;
	struct otutl_record *r;
	struct content_frame frames[CONTENT_DEPTH];
	size_t depth;
};

#define CONTENT_HAS(table, name) content_has((table), COUNT(table), (name))

static bool content_has(const struct str *table, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(table[i], name))
			return true;
	return false;
}

void otutl_hole_add(struct otutl_batch *out, struct otutl_record *r, struct otutl_hole hole)
{
	hole.at = (uint32_t)(out->proj.n - r->proj);
	buf_add(&out->holes, &hole, sizeof(hole));
	r->hole_count++;
}

static int content_by_name(const void *a, const void *b)
{
	const struct content_member *x = a, *y = b;
	const struct shape_key *keys = x->value.tape->shapes->keys;

	return utf8_cmp_utf16(keys[x->key].text, keys[y->key].text);
}

static struct content_member *content_members(struct content_walk *w, const struct content_frame *f)
{
	return (struct content_member *)(void *)w->s->nested.p + f->first;
}

/*
 * Opens a container and, of an object, sorts its members. They stand in the scanner's buffer like a stack:
 * content_close takes off what its object put there.
 */
static void content_open(struct content_walk *w, struct val v, enum content_level level)
{
	struct content_frame *f = &w->frames[w->depth++];
	struct content_member m;
	struct val key, role = val_get(v, STR("role"));

	assert(w->depth <= CONTENT_DEPTH);
	*f = (struct content_frame){ .level = level, .is_object = val_is(v, JSON_OBJECT), .it = val_begin(v) };
	buf_add_byte(&w->out->proj, f->is_object ? '{' : '[');
	if (!f->is_object)
		return;
	f->is_result = val_text_is(role, STR("tool"));
	f->first = w->s->nested.n / sizeof(m);
	while (val_next_member(&f->it, &key, &m.value)) {
		m.key = val_tok(key)->link;
		buf_add(&w->s->nested, &m, sizeof(m));
		f->count++;
	}
	if (f->count > 1)
		qsort(content_members(w, f), f->count, sizeof(m), content_by_name);
}

static void content_close(struct content_walk *w)
{
	const struct content_frame *f = &w->frames[--w->depth];

	if (f->is_object)
		w->s->nested.n = f->first * sizeof(struct content_member);
	buf_add_byte(&w->out->proj, f->is_object ? '}' : ']');
}

static void content_write(struct content_walk *w, struct val v)
{
	enum json_code code;
	uint32_t bad;
	bool written = canon_value(w->s->canon, v, &w->out->proj, &bad, &code);

	assert(written); /* the record has a canonical form, so its parts have */
	(void)written;
}

/*
 * A text that may be a call id gets a hole over its written form; whether the hole is used is known when the group
 * ends.
 */
static void content_write_member(struct content_walk *w, struct str name, struct val v)
{
	struct otutl_hole hole = { .kind = OTUTL_HOLE_NAMED };
	size_t at = w->out->proj.n, before = w->out->holes.n;

	if (!val_is(v, JSON_STRING) || CONTENT_HAS(content_texts, name)) {
		content_write(w, v);
		return;
	}
	hole.key = otutl_key_of(val_text(v, &w->s->arena));
	if (!CONTENT_HAS(content_call_ids, name))
		hole.kind = OTUTL_HOLE_MAYBE;
	otutl_hole_add(w->out, w->r, hole);
	content_write(w, v);
	((struct otutl_hole *)(void *)(w->out->holes.p + before))->n = (uint32_t)(w->out->proj.n - at);
}

/* The level of the objects behind a member, or CONTENT_NONE when it is kept as it is. */
static enum content_level content_next(const struct content_frame *f, struct str name, struct val v)
{
	if (f->is_result && str_eq(name, STR("content")))
		return CONTENT_NONE;
	for (size_t i = 0; i < COUNT(content_steps); i++) {
		const struct content_step *step = &content_steps[i];

		if (step->level == f->level && val_is(v, step->type) && str_eq(step->name, name))
			return step->next;
	}
	return CONTENT_NONE;
}

/* The next member of an object, in canonical order: dropped, kept as it is, or opened when it leads on. */
static void content_member(struct content_walk *w, struct content_frame *f)
{
	const struct content_member m = content_members(w, f)[f->at++];
	struct json_shapes *shapes = m.value.tape->shapes;
	struct str name = shapes->keys[m.key].text, written;
	enum content_level next;

	if (CONTENT_HAS(content_dropped, name))
		return;
	written = shapes_key_canon(shapes, m.key); /* with a comma before it */
	buf_add(&w->out->proj, written.p + !f->begun, written.n - !f->begun);
	f->begun = true;
	next = content_next(f, name, m.value);
	if (next == CONTENT_NONE)
		content_write_member(w, name, m.value);
	else
		content_open(w, m.value, next);
}

/* Objects in a list have the level of the list; all else is kept as it is. */
static void content_element(struct content_walk *w, struct content_frame *f, struct val v)
{
	if (f->begun)
		buf_add_byte(&w->out->proj, ',');
	f->begun = true;
	if (val_is(v, JSON_OBJECT))
		content_open(w, v, f->level);
	else
		content_write(w, v);
}

void otutl_project_content(struct otutl_scanner *s, struct val content, struct otutl_batch *out,
			   struct otutl_record *r)
{
	struct content_walk w = { .s = s, .out = out, .r = r };
	struct val v;

	buf_clear(&s->nested);
	if (!val_is(content, JSON_OBJECT)) {
		content_write(&w, content);
		return;
	}
	content_open(&w, content, CONTENT_TOP);
	while (w.depth > 0) {
		struct content_frame *f = &w.frames[w.depth - 1];

		if (f->is_object && f->at < f->count)
			content_member(&w, f);
		else if (!f->is_object && val_next(&f->it, &v))
			content_element(&w, f, v);
		else
			content_close(&w);
	}
}
