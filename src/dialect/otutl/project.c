/*
 * The parser numbers the names of members and knows objects of the same shape, so most records are brought into
 * canonical order without comparing a name.
 */
#include "dialect/otutl/project.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "dialect/otutl/content.h"
#include "json/shape.h"

struct member {
	struct val value;
	uint32_t key; /* its number in the parser's keys */
	enum otutl_member meaning;
};

static int otutl_project_by_name(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	const struct shape_key *keys = x->value.tape->shapes->keys;

	return utf8_cmp_utf16(keys[x->key].text, keys[y->key].text);
}

void otutl_members_read(struct buf *members, struct val object, struct val fields[OTUTL_MEMBERS])
{
	const struct shape_key *keys = object.tape->shapes->keys;
	struct val_iter it = val_begin(object);
	struct member m;
	struct val key;

	buf_clear(members);
	memset(fields, 0, OTUTL_MEMBERS * sizeof(fields[0]));
	while (val_next_member(&it, &key, &m.value)) {
		m.key = val_tok(key)->link;
		m.meaning = otutl_member_of(keys[m.key].text);
		fields[m.meaning] = m.value;
		buf_add(members, &m, sizeof(m));
	}
	/* an object with a shape knows its order; see ordered() */
	if (val_tok(object)->shape == SHAPE_NONE && members->n)
		qsort(members->p, members->n / sizeof(m), sizeof(m), otutl_project_by_name);
}

static const struct member *ordered(const struct buf *members, const uint8_t *order, size_t i)
{
	return (const struct member *)(const void *)members->p + (order ? order[i] : i);
}

static void add_hole(struct otutl_key key, struct otutl_batch *out, struct otutl_record *r)
{
	otutl_hole_add(out, r, (struct otutl_hole){ .key = key, .kind = OTUTL_HOLE_CALL });
}

/* An array of call ids, each a hole; what is no string stays what it is. */
static bool otutl_project_add_ids(struct otutl_scanner *s, struct val ids, struct otutl_batch *out,
				  struct otutl_record *r)
{
	struct val_iter it = val_begin(ids);
	enum json_code code;
	uint32_t bad;
	struct val id;

	buf_add_byte(&out->proj, '[');
	for (bool first = true; val_next(&it, &id); first = false) {
		if (!first)
			buf_add_byte(&out->proj, ',');
		if (val_is(id, JSON_STRING))
			add_hole(otutl_key_of(val_text(id, &s->arena)), out, r);
		else if (!canon_value(s->canon, id, &out->proj, &bad, &code))
			return false;
	}
	buf_add_byte(&out->proj, ']');
	return true;
}

/* What the projection keeps of a member; `value` is its canonical form. */
static bool project_member(struct otutl_scanner *s, const struct member *m, struct str name, struct str value,
			   struct otutl_batch *out, struct otutl_record *r)
{
	size_t skip = out->proj.n == r->proj + 1; /* the comma before the first name */
	uint32_t at;

	buf_add(&out->proj, name.p + skip, name.n - skip);
	at = (uint32_t)(out->proj.n - r->proj);
	switch (m->meaning) {
	case OTUTL_M_CALL_IDS:
		if (!val_is(m->value, JSON_ARRAY))
			break;
		return otutl_project_add_ids(s, m->value, out, r);
	case OTUTL_M_CALL_ID:
		if (!(r->flags & OTUTL_HAS_CALL))
			break;
		add_hole(r->call, out, r);
		return true;
	case OTUTL_M_PARENT:
		if (!(r->flags & OTUTL_HAS_PARENT))
			break;
		add_hole(r->parent, out, r);
		return true;
	case OTUTL_M_CONTENT:
		otutl_project_content(s, m->value, out, r);
		return true;
	case OTUTL_M_ARGS:
		r->args = at;
		r->args_n = (uint32_t)value.n;
		break;
	case OTUTL_M_TOOL:
		r->tool = at;
		r->tool_n = (uint32_t)value.n;
		break;
	default:
		break;
	}
	buf_add_str(&out->proj, value);
	return true;
}

/* Left out is what differs between runs that do the same. Chunks too: how a result was cut is not what it is. */
static bool otutl_project_is_kept(enum otutl_member meaning)
{
	return meaning != OTUTL_M_TS && meaning != OTUTL_M_RUN_ID && meaning != OTUTL_M_SEQ &&
	       meaning != OTUTL_M_CHUNKS && meaning < OTUTL_M_VARYING;
}

/*
 * Writes a member to the canonical form, and to the projection if that keeps it. False when a number in it has no
 * canonical form.
 */
static bool otutl_project_add_member(struct otutl_scanner *s, const struct member *m, struct otutl_batch *out,
				     struct otutl_record *r)
{
	struct str name = shapes_key_canon(m->value.tape->shapes, m->key); /* with a comma before it */
	size_t skip = out->canon.n == r->canon + 1, at;
	enum json_code code;
	uint32_t bad;

	buf_add(&out->canon, name.p + skip, name.n - skip);
	at = out->canon.n;
	if (!canon_value(s->canon, m->value, &out->canon, &bad, &code))
		return false;
	if (r->type == OTUTL_COST || !otutl_project_is_kept(m->meaning))
		return true;
	return project_member(s, m, name, str_of(out->canon.p + at, out->canon.n - at), out, r);
}

bool otutl_project(struct otutl_scanner *s, struct val object, struct otutl_batch *out, struct otutl_record *r)
{
	uint16_t shape = val_tok(object)->shape;
	const uint8_t *order = shape == SHAPE_NONE ? NULL : shapes_order(object.tape->shapes, shape)->order;
	size_t count = s->members.n / sizeof(struct member);

	buf_add_byte(&out->canon, '{');
	buf_add_byte(&out->proj, '{');
	for (size_t i = 0; i < count; i++) {
		if (!otutl_project_add_member(s, ordered(&s->members, order, i), out, r)) {
			out->canon.n = r->canon;
			out->proj.n = r->proj;
			out->holes.n = r->hole * sizeof(struct otutl_hole);
			r->hole_count = 0;
			return false;
		}
	}
	buf_add_byte(&out->canon, '}');
	buf_add_byte(&out->proj, '}');
	r->canon_n = (uint32_t)(out->canon.n - r->canon);
	r->proj_n = (uint32_t)(out->proj.n - r->proj);
	return true;
}
