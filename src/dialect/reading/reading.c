/*
 * Every token of a value has a mark. Taking sets marks, reading_rest walks over those that have none: so nothing can
 * be forgotten, only dropped by name.
 */
#include "dialect/reading/reading.h"

#include <assert.h>

#include "base/utf8.h"
#include "dialect/dialect.h"
#include "dialect/reading/coverage.h"
#include "json/mend.h"
#include "json/text.h"
#include "model/merge.h"

#define DEPTH 400 /* OTUTL takes 512, and a payload stands some levels deep in its record */
#define INNER_SHARE 16 /* of the values of a text, what one inside it may have */

static struct json_parser *open_parser(size_t max_values)
{
	return json_parser_open((struct json_options){
		.max_depth = DEPTH,
		.max_values = max_values,
		.allow_duplicates = true,
		.allow_lone = true,
		.allow_bom = true,
	});
}

/* Tapes of texts inside texts are opened when the first is parsed. */
void reading_init(struct reading *r, const struct dialect *d)
{
	*r = (struct reading){ .dialect = d };
	r->tapes[0].parser = open_parser(0);
	r->odd = open_parser(0);
	r->mend = mend_open();
	r->merge = merge_open();
}

/* The parser is opened anew, since its limit is fixed at the beginning. */
void reading_bound(struct reading *r, size_t events, size_t values)
{
	json_parser_close(r->tapes[0].parser);
	r->tapes[0].parser = open_parser(values);
	r->inner_values = values / INNER_SHARE;
	r->most = events;
}

/* All zero then: reading_init may begin it anew. */
void reading_free(struct reading *r)
{
	for (size_t i = 0; i < READING_TAPES; i++) {
		json_parser_close(r->tapes[i].parser);
		mem_free(r->tapes[i].marks);
	}
	json_parser_close(r->odd);
	mend_close(r->mend);
	merge_close(r->merge);
	buf_free(&r->scratch);
	mem_free(r->events);
	*r = (struct reading){ 0 };
}

struct event *reading_add(struct reading *r, enum event_kind kind)
{
	bool over = r->most && r->count == r->most;
	struct event *e;

	if (r->count == r->cap && !over) {
		r->cap = r->cap ? r->cap * 2 : 64;
		r->events = mem_resize(r->events, (r->cap + 1) * sizeof(*r->events));
	}
	/* one too many is made in the place behind the last, and so is the next */
	assert(r->count <= r->cap && r->events);
	e = &r->events[r->count];
	r->cut = r->cut || over;
	r->count += !over;
	*e = (struct event){ .kind = kind, .line = r->line, .index = -1 };
	return e;
}

void reading_refuse(struct reading *r, struct str why)
{
	r->refused = why;
	r->refused_line = r->line;
}

/* ---- marks ---- */

/*
 * The innermost first: most values are of the text that was parsed last. NULL for a value of a tape that is no longer
 * open.
 */
static struct reading_tape *tape_of(struct reading *r, struct val v)
{
	for (size_t i = r->tape_count; i-- > 0;)
		if (r->tapes[i].tape == v.tape)
			return &r->tapes[i];
	return NULL;
}

static void mark(struct reading *r, struct val v, enum reading_mark how)
{
	struct reading_tape *t = val_is_none(v) || r->lean ? NULL : tape_of(r, v);

	if (t)
		memset(t->marks + v.at, how, val_end(v) - v.at);
}

/* Marks are kept from value to value, and grow to the largest tape seen. */
void reading_enter(struct reading *r, size_t i, struct val v)
{
	struct reading_tape *t = &r->tapes[i];

	assert(i < READING_TAPES);
	t->tape = v.tape;
	if (t->cap < v.tape->count) {
		t->cap = (size_t)v.tape->count * 2;
		mem_free(t->marks);
		t->marks = mem_alloc(t->cap);
	}
	memset(t->marks + v.at, READING_LEFT, val_end(v) - v.at);
	r->tape_count = i + 1;
}

struct val reading_get(const struct reading *r, struct val object, struct str name)
{
	(void)r;
	return val_get(object, name);
}

struct val reading_take(struct reading *r, struct val v)
{
	mark(r, v, val_is(v, JSON_NULL) ? READING_DROPPED : READING_TAKEN);
	return v;
}

void reading_unmark(struct reading *r, struct val v)
{
	mark(r, v, READING_LEFT);
}

void reading_keep(struct reading *r, struct val v)
{
	mark(r, v, READING_KEPT);
}

bool reading_is_marked(struct reading *r, struct val v)
{
	struct reading_tape *t = val_is_none(v) ? NULL : tape_of(r, v);

	return t && t->marks[v.at] != READING_LEFT;
}

void reading_drop(struct reading *r, struct val v)
{
	mark(r, v, READING_DROPPED);
}

/* ---- texts and payloads ---- */

/* Well-formed, and living as long as the batch. */
static struct str reading_keep_text(struct reading *r, struct val v)
{
	struct str text;

	if (val_tok(v)->flags & JSON_ODD) {
		struct val parsed;

		buf_clear(&r->scratch);
		mend_value(r->mend, v, &r->scratch, (struct mend_watch){ 0 });
		parsed = reading_parse(r, buf_str(&r->scratch));
		if (val_is_none(parsed))
			return str_of(NULL, 0);
		text = arena_copy(r->arena, val_text(parsed, r->arena));
		reading_release(r, parsed);
		return text;
	}
	text = val_text(v, r->arena);
	return r->tape_count > 0 && v.tape == r->tapes[0].tape ? text : arena_copy(r->arena, text);
}

struct str reading_text_of(struct reading *r, struct val v)
{
	int type = val_type(v);

	if (type == JSON_STRING) {
		mark(r, v, READING_TAKEN);
		return reading_keep_text(r, v);
	}
	if (type == JSON_NUMBER || type == JSON_TRUE || type == JSON_FALSE)
		return arena_copy(r->arena, val_source(v));
	return str_of(NULL, 0);
}

struct str reading_text(struct reading *r, struct val object, struct str name)
{
	return reading_text_of(r, val_get(object, name));
}

struct str reading_string(struct reading *r, struct val object, struct str name)
{
	struct val v = val_get(object, name);

	return val_is(v, JSON_STRING) ? reading_text_of(r, v) : str_of(NULL, 0);
}

struct str reading_peek(struct reading *r, struct val object, struct str name)
{
	return val_text_copy(val_get(object, name), r->arena);
}

/* For whom numbers that became strings are noted: in a member of the record, or in its extras. */
struct numbers {
	struct reading *r;
	struct event *e;
	const char *member; /* NULL: the extras */
	struct str under;   /* of the extras */
	struct bignum *last; /* of the event's, once it was looked for: a record may have very many */
};

/* What stands before the pointers of big numbers in an extra: "ext/claude-code~11", since a slash in a name is ~1. */
static struct str extras_name(const struct numbers *n)
{
	struct str major = str_from(n->r->dialect->read->key), version;

	major = str_cut(major, '/', &version);
	return ARENA_JOIN(n->r->arena, STR("ext/"), major, STR("~1"), version, str_from(n->under.p ? "/" : NULL),
			  n->under);
}

/* The list is appended to at its end, which is looked for once for each payload. */
static void note_number(void *context, struct str pointer)
{
	struct numbers *n = context;
	struct bignum *b;

	if (!n->e)
		return;
	b = arena_new(n->r->arena, struct bignum);
	b->pointer = ARENA_JOIN(n->r->arena, STR("/"), n->member ? str_from(n->member) : extras_name(n), pointer);
	for (n->last = n->last ? n->last : n->e->bignums; n->last && n->last->next;)
		n->last = n->last->next;
	if (n->last)
		n->last->next = b;
	else
		n->e->bignums = b;
	n->last = b;
}

struct str reading_json_of(struct reading *r, struct event *e, const char *member, struct val v)
{
	struct numbers n = { .r = r, .e = e, .member = member };

	if (val_is_none(v))
		return str_of(NULL, 0);
	mark(r, v, READING_TAKEN);
	buf_clear(&r->scratch);
	mend_value(r->mend, v, &r->scratch, (struct mend_watch){ note_number, &n });
	return arena_copy(r->arena, buf_str(&r->scratch));
}

struct str reading_json(struct reading *r, struct event *e, const char *member, struct val object, struct str name)
{
	return reading_json_of(r, e, member, val_get(object, name));
}

/* Marks of its own say what is left out, since a reading that is lean marks nothing. */
struct str reading_json_without(struct reading *r, struct event *e, const char *member, struct val v,
				const struct str *names, size_t count)
{
	struct numbers n = { .r = r, .e = e, .member = member };
	struct val_iter it = val_begin(v);
	struct val name, inside;
	uint8_t *left_out;

	if (!val_is(v, JSON_OBJECT) || values_count_names(v, names, count) == 0)
		return reading_json_of(r, e, member, v);
	left_out = arena_array(r->arena, uint8_t, val_end(v));
	while (val_next_member(&it, &name, &inside)) {
		if (values_is_word(name, names, count))
			memset(left_out + inside.at, 1, val_end(inside) - inside.at);
		else
			mark(r, inside, READING_TAKEN);
	}
	buf_clear(&r->scratch);
	if (!mend_unmarked(r->mend, v, left_out, &r->scratch, (struct mend_watch){ note_number, &n }))
		return STR("{}");
	return arena_copy(r->arena, buf_str(&r->scratch));
}

struct str reading_quote(struct reading *r, struct str text)
{
	buf_clear(&r->scratch);
	text_quote(&r->scratch, text);
	return arena_copy(r->arena, buf_str(&r->scratch));
}

void reading_add_unknown(struct reading *r, struct val v)
{
	struct event *e = reading_add(r, EVENT_NOTE);

	e->role = STR("unknown");
	e->content = reading_json_of(r, e, "content", v);
}

/* ---- figures ---- */

#define SAFE ((int64_t)1 << 53)

/* A number of 2^53 and more is left alone: a double in between would have changed it. */
struct figure reading_count(struct reading *r, struct val object, struct str name)
{
	struct val v = val_get(object, name);
	struct figure f = { .state = FIGURE_ABSENT };
	int64_t n;
	uint64_t u;

	if (val_is(v, JSON_NULL)) {
		mark(r, v, READING_TAKEN);
		f.state = FIGURE_NULL;
	} else if (val_is(v, JSON_NUMBER) && num_integral(val_raw(v), &n) && n >= 0 && n < SAFE) {
		mark(r, v, READING_TAKEN);
		f = FIGURE((uint64_t)n);
	} else if (val_is(v, JSON_STRING) && num_parse_u64(val_raw(v), &u) && u < (uint64_t)SAFE) {
		f = FIGURE(u);
	}
	return f;
}

/* Dividing must give back the very number that stands there; otherwise the original is kept beside it. */
struct amount reading_amount(struct reading *r, struct val object, struct str name, double scale)
{
	struct val v = val_get(object, name);
	struct amount a = { .state = FIGURE_ABSENT };
	double n;

	if (val_is(v, JSON_NULL)) {
		mark(r, v, READING_TAKEN);
		a.state = FIGURE_NULL;
	} else if (val_double(v, &n) && n * scale < 1e300 && n * scale > -1e300) {
		a = AMOUNT(n * scale);
		if (a.n / scale == n)
			mark(r, v, READING_TAKEN);
	}
	return a;
}

enum truth reading_truth(struct reading *r, struct val object, struct str name)
{
	struct val v = val_get(object, name);

	switch (val_type(v)) {
	case JSON_TRUE:
	case JSON_FALSE:
	case JSON_NULL:
		mark(r, v, READING_TAKEN);
		return val_is(v, JSON_NULL) ? TRUTH_NULL : val_is(v, JSON_TRUE) ? TRUTH_TRUE : TRUTH_FALSE;
	default:
		return TRUTH_ABSENT;
	}
}

/* ---- what is left ---- */

/* To what the event has under the dialect's key. */
static void reading_add_extra(struct reading *r, struct event *e, struct str json)
{
	struct str key = str_from(r->dialect->read->key);

	for (struct extra *x = e->extras; x; x = x->next) {
		if (!x->member && str_eq(x->key, key)) {
			x->json = merge_objects(r->merge, r->arena, x->json, json);
			return;
		}
	}
	event_add_extra(e, r->arena, key, json);
}

/* An object of one member; both are JSON already. */
static struct str wrap(struct reading *r, struct str name, struct str json)
{
	return ARENA_JOIN(r->arena, STR("{"), reading_quote(r, name), STR(":"), json, STR("}"));
}

void reading_extra(struct reading *r, struct event *e, struct str name, struct str json)
{
	if (!r->lean)
		reading_add_extra(r, e, wrap(r, name, json));
}

/* Marks go from LEFT to KEPT, so that a second call for the same value gives nothing twice. */
void reading_rest_under(struct reading *r, struct event *e, struct val v, struct str under)
{
	struct numbers n = { .r = r, .e = e, .under = under };
	struct reading_tape *t = val_is_none(v) || r->lean ? NULL : tape_of(r, v);
	struct str json;

	if (!t)
		return;
	buf_clear(&r->scratch);
	if (!mend_unmarked(r->mend, v, t->marks, &r->scratch, (struct mend_watch){ note_number, &n }))
		return;
	for (uint32_t i = v.at, end = val_end(v); i < end; i++)
		if (t->marks[i] == READING_LEFT)
			t->marks[i] = READING_KEPT;
	json = arena_copy(r->arena, buf_str(&r->scratch));
	reading_add_extra(r, e, under.p ? wrap(r, under, json) : json);
}

void reading_rest(struct reading *r, struct event *e, struct val v)
{
	reading_rest_under(r, e, v, str_of(NULL, 0));
}

/* ---- JSON inside strings ---- */

/* VAL_NONE as well when no value is being read, or when READING_TAPES are open. */
struct val reading_parse(struct reading *r, struct str text)
{
	struct reading_tape *t;
	struct val v;

	if (r->tape_count == 0 || r->tape_count == READING_TAPES)
		return VAL_NONE;
	t = &r->tapes[r->tape_count];
	if (!t->parser)
		t->parser = open_parser(r->inner_values);
	if (!json_parse_copy(t->parser, text, &v, NULL))
		return VAL_NONE;
	reading_enter(r, r->tape_count, v);
	return v;
}

void reading_release(struct reading *r, struct val v)
{
	for (size_t i = r->tape_count; i-- > 1;)
		if (r->tapes[i].tape == v.tape)
			r->tape_count = i;
}
