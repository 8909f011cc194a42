/* The grammar as a loop over what is wanted next, with a stack of frames in the arena: depth costs no C stack. */
#include "json/slow_private.h"

#include <assert.h>

#include "json/text.h"

enum want { WANT_VALUE, WANT_FIRST, WANT_NAME, WANT_NEXT, WANT_FAILED };

static void slow_skip_space(struct slow_run *r)
{
	const char *p = r->text.p;

	while (r->at < r->text.n && (p[r->at] == ' ' || p[r->at] == '\n' || p[r->at] == '\r' || p[r->at] == '\t'))
		r->at++;
}

static bool slow_is_at(const struct slow_run *r, char c)
{
	return r->at < r->text.n && r->text.p[r->at] == c;
}

static enum want want_if(bool good, enum want next)
{
	return good ? next : WANT_FAILED;
}

/* ---- names that occur twice ---- */

/*
 * As long as an object has a shape, the shape knows. Then every name of the object carries the
 * object's stamp. An object inside it may take the stamp of a name over, and gives it back when it
 * closes: that is what the undo list is for.
 */
static bool stamp_name(struct slow_run *r, struct slow_frame *f, uint32_t key)
{
	struct shape_key *k = &r->s->shapes->keys[key];

	if (k->stamp == f->stamp)
		return true;
	arena_grow(r->s->arena, r->undo, r->undo_count, r->undo_cap, 256);
	r->undo[r->undo_count++] = (struct slow_undo){ key, k->stamp };
	k->stamp = f->stamp;
	return false;
}

/* The object has just lost its shape: the names it has so far are stamped, but the latest, which the caller stamps. */
static void stamp_earlier_names(struct slow_run *r, struct slow_frame *f)
{
	const struct json_tok *toks = r->s->tape->toks;
	uint32_t at = f->tok + 1;

	f->stamp = ++r->s->shapes->stamp;
	f->undo = r->undo_count;
	while (at < f->key) {
		const struct json_tok *value = &toks[at + 1];

		stamp_name(r, f, toks[at].link);
		at = value->type == JSON_ARRAY || value->type == JSON_OBJECT ? value->link : at + 2;
	}
}

static void give_stamps_back(struct slow_run *r, const struct slow_frame *f)
{
	while (r->undo_count > f->undo) {
		struct slow_undo u = r->undo[--r->undo_count];

		r->s->shapes->keys[u.key].stamp = u.stamp;
	}
}

/* Adds a name to the object; whether it has it already. */
static bool add_name(struct slow_run *r, struct slow_frame *f, uint32_t key)
{
	bool duplicate;

	if (f->stamp == 0) {
		f->shape = shapes_step(r->s->shapes, f->shape, key, &duplicate);
		if (f->shape != SHAPE_NONE)
			return false;
		stamp_earlier_names(r, f);
	}
	return stamp_name(r, f, key);
}

/* ---- containers ---- */

/* Adds the token of the bracket; length and link come when it closes. */
static bool slow_open_container(struct slow_run *r, bool object)
{
	struct slow_tape *tape = r->s->tape;

	if (r->depth == r->max_depth) {
		issue_depth(&r->s->issue, r->at, r->max_depth);
		return slow_fail(r, SLOW_MEMBER);
	}
	arena_grow(r->s->arena, r->frames, r->depth, r->frame_cap, 32);
	r->frames[r->depth++] = (struct slow_frame){ .tok = tape->count, .object = object, .shape = SHAPE_EMPTY };
	slow_add_tok(r, object ? JSON_OBJECT : JSON_ARRAY, r->at++, 0);
	return true;
}

/* r->at is at the closing bracket. */
static enum want close_container(struct slow_run *r)
{
	struct slow_frame *f = slow_top(r);
	struct slow_tape *tape = r->s->tape;
	struct json_tok *t = &tape->toks[f->tok];

	if (f->stamp)
		give_stamps_back(r, f);
	r->at++;
	t->len = (uint32_t)(r->at - t->off);
	t->link = tape->count;
	t->shape = f->object ? f->shape : SHAPE_NONE;
	r->depth--;
	return WANT_NEXT;
}

/* ---- the grammar ---- */

static enum issue_inside slow_inside(const struct slow_frame *f)
{
	return f->object ? ISSUE_OBJECT : ISSUE_ARRAY;
}

const char *slow_expected_value(struct slow_run *r)
{
	const struct slow_frame *f = r->depth ? slow_top(r) : NULL;

	if (f)
		return issue_expected_value(slow_inside(f), f->count);
	return r->s->expected ? r->s->expected : issue_expected_value(ISSUE_DOCUMENT, 0);
}

/* The value that begins at r->at. A scalar is read whole; of a container only its bracket. What is wanted next. */
static enum want read_value(struct slow_run *r)
{
	if (r->text.n == 0) {
		issue_empty(&r->s->issue);
		slow_fail(r, SLOW_MEMBER);
		return WANT_FAILED;
	}
	if (r->at == r->text.n) {
		slow_unexpected(r, SLOW_MEMBER, slow_expected_value(r));
		return WANT_FAILED;
	}
	switch (r->text.p[r->at]) {
	case '{':
		return want_if(slow_open_container(r, true), WANT_FIRST);
	case '[':
		return want_if(slow_open_container(r, false), WANT_FIRST);
	case '"':
		return want_if(slow_read_string(r, JSON_STRING), WANT_NEXT);
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
		return want_if(slow_read_number(r), WANT_NEXT);
	default:
		return want_if(slow_read_word(r), WANT_NEXT);
	}
}

/* The name just read as a token, given its number. */
static bool slow_take_name(struct slow_run *r)
{
	struct slow *s = r->s;
	struct slow_frame *f = slow_top(r);
	struct json_tok *t;
	struct str raw, name;

	f->key = s->tape->count - 1;
	t = &s->tape->toks[f->key];
	name = raw = str_of(r->text.p + t->off, t->len);
	if (t->flags & JSON_ESCAPED) {
		char *out;

		buf_clear(&r->name);
		out = buf_reserve(&r->name, raw.n);
		name = str_of(out, slow_unescape_name(out, raw));
	}
	t->link = shapes_key(s->shapes, name);
	if (!add_name(r, f, t->link))
		return true;
	t->flags |= JSON_DUPLICATE;
	if (s->options.allow_duplicates)
		return true;
	issue_duplicate(&s->issue, raw, (size_t)t->off - 1);
	return slow_note(r, SLOW_MEMBER);
}

/* A name, its colon, and nothing of the value. */
static enum want read_name(struct slow_run *r)
{
	if (!slow_is_at(r, '"')) {
		slow_unexpected(r, SLOW_CONTAINER, issue_expected_name(slow_top(r)->count));
		return WANT_FAILED;
	}
	if (!slow_read_string(r, JSON_KEY) || !slow_take_name(r))
		return WANT_FAILED;
	slow_skip_space(r);
	if (!slow_is_at(r, ':')) {
		slow_unexpected(r, SLOW_MEMBER, ISSUE_EXPECTED_COLON);
		return WANT_FAILED;
	}
	r->at++;
	return WANT_VALUE;
}

static enum want read_first(struct slow_run *r)
{
	bool object = slow_top(r)->object;

	if (slow_is_at(r, object ? '}' : ']'))
		return close_container(r);
	return object ? read_name(r) : read_value(r);
}

/* After a value. */
static enum want read_next(struct slow_run *r)
{
	struct slow_frame *f = slow_top(r);

	if (slow_is_at(r, f->object ? '}' : ']'))
		return close_container(r);
	if (!slow_is_at(r, ',')) {
		slow_unexpected(r, SLOW_CONTAINER, issue_expected_next(slow_inside(f)));
		return WANT_FAILED;
	}
	r->at++;
	f->count++;
	return f->object ? WANT_NAME : WANT_VALUE;
}

/* One value with all that is in it. The loop ends when no container is open, or something is wrong. */
static bool read_whole(struct slow_run *r)
{
	enum want want = WANT_VALUE;

	while (want != WANT_FAILED) {
		if (want == WANT_NEXT && r->depth == 0)
			return true;
		slow_skip_space(r);
		switch (want) {
		case WANT_VALUE:
			want = read_value(r);
			break;
		case WANT_FIRST:
			want = read_first(r);
			break;
		case WANT_NAME:
			want = read_name(r);
			break;
		default:
			want = read_next(r);
			break;
		}
	}
	return false;
}

/* ---- before and after ---- */

/* Tokens have 32-bit places, so longer texts are refused. A byte order mark only counts at the very beginning. */
static bool read_start(struct slow_run *r)
{
	struct json_issue *issue = &r->s->issue;

	if (r->text.n > UINT32_MAX) {
		issue->code = JSON_E_LIMIT;
		issue->offset = r->at;
		issue->length = r->text.n - r->at;
		issue_say(issue, "the text has %zu bytes; at most %zu can be read as one piece", r->text.n,
			  (size_t)UINT32_MAX);
		return slow_fail(r, SLOW_MEMBER);
	}
	if (r->at > 0 || !str_starts(r->text, STR("\xef\xbb\xbf")))
		return true;
	if (!r->s->options.allow_bom) {
		issue_bom(issue);
		if (!slow_note(r, SLOW_MEMBER))
			return false;
	}
	r->at += 3;
	return true;
}

static bool read_end(struct slow_run *r)
{
	r->s->end = r->at;
	if (!r->s->single)
		return true;
	slow_skip_space(r);
	if (r->at == r->text.n)
		return true;
	issue_unexpected(&r->s->issue, r->text, r->at, JSON_E_TRAILING, issue_expected_next(ISSUE_DOCUMENT));
	return slow_fail(r, SLOW_MEMBER);
}

/* Stamps must not come round to old values within one text. */
static void spare_stamps(struct json_shapes *shapes)
{
	if (shapes->stamp < UINT32_MAX / 2)
		return;
	for (uint32_t i = 0; i < shapes->key_count; i++)
		shapes->keys[i].stamp = 0;
	shapes->stamp = 0;
}

static struct slow_run begin_run(struct slow *s, size_t at)
{
	struct slow_run r = { .s = s, .text = s->text, .at = at };

	assert(at <= s->text.n);
	r.max_depth = s->options.max_depth ? s->options.max_depth : JSON_DEPTH;
	if (r.max_depth > JSON_DEPTH_MAX)
		r.max_depth = JSON_DEPTH_MAX;
	buf_init(&r.pointer);
	buf_init(&r.name);
	return r;
}

static bool end_run(struct slow_run *r, bool good, uint32_t old_count)
{
	if (!good)
		r->s->tape->count = old_count;
	buf_free(&r->pointer);
	buf_free(&r->name);
	return good;
}

bool slow_parse(struct slow *s, size_t at)
{
	struct slow_run r = begin_run(s, at);
	uint32_t old_count = s->tape->count;

	spare_stamps(s->shapes);
	return end_run(&r, read_start(&r) && read_whole(&r) && read_end(&r), old_count);
}

bool slow_parse_name(struct slow *s)
{
	struct slow_run r = begin_run(s, 0);

	assert(slow_is_at(&r, '"'));
	return end_run(&r, slow_read_string(&r, JSON_KEY), s->tape->count);
}

void slow_tape_init(struct slow_tape *t)
{
	*t = (struct slow_tape){ 0 };
}

void slow_tape_free(struct slow_tape *t)
{
	mem_free(t->toks);
	slow_tape_init(t);
}
