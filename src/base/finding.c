#include "base/finding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mask.h"
#include "base/utf8.h"

#define EXCERPT_BEFORE 320 /* bytes on each side of the place: more than a screen is wide */
#define EXCERPT_AFTER 640

/* Not inside a word: half a key at the edge could not be told from other text any more. */
static size_t first_whole(struct str text, size_t from, size_t at)
{
	size_t i = from;

	if (from == 0 || !mask_is_key_byte(text.p[from - 1]))
		return from;
	while (i < at && mask_is_key_byte(text.p[i]))
		i++;
	return i < at ? i : from;
}

static size_t last_whole(struct str text, size_t to, size_t after)
{
	size_t i = to;

	if (to == text.n || !mask_is_key_byte(text.p[to]))
		return to;
	while (i > after && mask_is_key_byte(text.p[i - 1]))
		i--;
	return i > after ? i : to;
}

void finding_point(struct finding *f, struct str text, uint64_t line, uint64_t origin, size_t at, size_t length)
{
	size_t from, to;

	if (at > text.n)
		at = text.n;
	from = at > EXCERPT_BEFORE ? at - EXCERPT_BEFORE : 0;
	to = text.n - at > EXCERPT_AFTER ? at + EXCERPT_AFTER : text.n;
	while (from > 0 && from < at && utf8_is_tail(text.p[from]))
		from++;
	while (to > at && to < text.n && utf8_is_tail(text.p[to]))
		to--;
	from = first_whole(text, from, at);
	to = last_whole(text, to, length < to - at ? at + length : to);
	f->at = (struct place){ line, utf8_count(str_of(text.p, at)) + 1, origin + at };
	f->excerpt = str_of(text.p + from, to - from);
	f->mark = at - from;
	f->mark_length = length < to - at ? length : to - at;
}

void findings_init(struct findings *list, struct arena *arena, size_t limit)
{
	*list = (struct findings){ .arena = arena, .limit = limit };
}

static struct finding_count *find_count(const struct findings *list, const char *code)
{
	for (size_t i = 0; i < list->counts_count; i++) {
		struct finding_count *c = &list->counts[i];

		if (c->code == code || strcmp(c->code, code) == 0)
			return c;
	}
	return NULL;
}

static struct finding_count *count_of(struct findings *list, const char *code, enum severity severity)
{
	struct finding_count *c = find_count(list, code);

	if (c)
		return c;
	arena_grow(list->arena, list->counts, list->counts_count, list->counts_cap, 16);
	c = &list->counts[list->counts_count++];
	*c = (struct finding_count){ .code = code, .severity = severity };
	return c;
}

/*
 * The code that must give way to one of which `kept` are kept, when there is no room: the one kept most
 * often, if that is more often even with one less, and of those the least severe. NULL for none.
 */
static struct finding_count *find_crowd(const struct findings *list, size_t kept, enum severity severity)
{
	struct finding_count *worst = NULL;

	for (size_t i = 0; i < list->counts_count; i++) {
		struct finding_count *c = &list->counts[i];
		bool more = !worst || c->kept > worst->kept;

		if (more || (c->kept == worst->kept && c->severity < worst->severity))
			worst = c;
	}
	if (!worst || worst->kept < kept + 2)
		return NULL;
	return worst->severity <= severity || worst->kept > 2 * (kept + 1) ? worst : NULL;
}

bool findings_wants(const struct findings *list, const char *code, enum severity severity)
{
	const struct finding_count *c;

	if (list->limit == 0 || list->kept_count < list->limit)
		return true;
	c = find_count(list, code);
	return find_crowd(list, c ? c->kept : 0, severity) != NULL;
}

/* Lets the last one kept of a code go. */
static void drop_one(struct findings *list, struct finding_count *of)
{
	size_t i = list->kept_count - 1;

	assert(of->kept > 0);
	while (strcmp(list->kept[i].code, of->code) != 0)
		i--;
	list->kept_count--;
	memmove(list->kept + i, list->kept + i + 1, (list->kept_count - i) * sizeof(*list->kept));
	of->kept--;
}

static struct str masked(struct arena *a, struct buf *b, struct str text, unsigned flags)
{
	buf_clear(b);
	mask_text(b, text, flags, NULL, NULL);
	return arena_copy(a, buf_str(b));
}

/*
 * What is kept will be printed, so it is masked here, whoever made it. The excerpt may be cut on both sides; its
 * column tells whether there was more before it.
 */
static void mask_finding(struct findings *list, struct finding *f)
{
	size_t before = utf8_count(str_of(f->excerpt.p, f->mark < f->excerpt.n ? f->mark : f->excerpt.n));
	unsigned flags = MASK_CUT | (f->at.column > before + 1 ? MASK_BEGUN : 0);
	struct buf b;

	buf_init(&b);
	f->pointer = masked(list->arena, &b, f->pointer, MASK_POINTER);
	f->message = masked(list->arena, &b, f->message, 0);
	buf_clear(&b);
	mask_text(&b, f->excerpt, flags, &f->mark, &f->mark_length);
	f->excerpt = arena_take(list->arena, &b);
}

static struct finding *keep(struct findings *list, const struct finding *f)
{
	arena_grow(list->arena, list->kept, list->kept_count, list->kept_cap, 8);
	assert(list->limit == 0 || list->kept_count < list->limit);
	list->kept[list->kept_count] = *f;
	return &list->kept[list->kept_count++];
}

static void copy_finding(struct findings *list, struct finding *f)
{
	f->pointer = arena_copy(list->arena, f->pointer);
	f->message = arena_copy(list->arena, f->message);
	f->excerpt = arena_copy(list->arena, f->excerpt);
}

/* Keeps it if there is room, or if there ought to be. What another list has kept is masked already. */
static void offer(struct findings *list, const struct finding *f, bool is_masked)
{
	struct finding_count *c = count_of(list, f->code, f->severity);

	if (list->limit && list->kept_count >= list->limit) {
		struct finding_count *crowd = find_crowd(list, c->kept, f->severity);

		if (!crowd)
			return;
		drop_one(list, crowd);
	}
	c->kept++;
	if (is_masked)
		copy_finding(list, keep(list, f));
	else
		mask_finding(list, keep(list, f));
}

void findings_count(struct findings *list, const char *code, enum severity severity)
{
	assert(code);
	count_of(list, code, severity)->count++;
	list->errors += severity == SEV_ERROR;
	list->warnings += severity == SEV_WARNING;
	list->infos += severity == SEV_INFO;
}

void findings_add(struct findings *list, const struct finding *f)
{
	findings_count(list, f->code, f->severity);
	offer(list, f, false);
}

void findings_merge(struct findings *list, const struct findings *from)
{
	assert(list != from);
	for (size_t i = 0; i < from->kept_count; i++)
		offer(list, &from->kept[i], true);
	for (size_t i = 0; i < from->counts_count; i++)
		count_of(list, from->counts[i].code, from->counts[i].severity)->count += from->counts[i].count;
	list->errors += from->errors;
	list->warnings += from->warnings;
	list->infos += from->infos;
}

static int by_place(const void *a, const void *b)
{
	const struct finding *x = *(const struct finding *const *)a, *y = *(const struct finding *const *)b;
	uint64_t line_x = x->at.line ? x->at.line : UINT64_MAX, line_y = y->at.line ? y->at.line : UINT64_MAX;

	if (line_x != line_y)
		return line_x < line_y ? -1 : 1;
	if (x->at.column != y->at.column)
		return x->at.column < y->at.column ? -1 : 1;
	return x < y ? -1 : x > y; /* as they came */
}

static int finding_by_code(const void *a, const void *b)
{
	const struct finding_count *x = a, *y = b;

	return strcmp(x->code, y->code);
}

/* By the first place of each, for which was met first depends on how the input was cut; those not kept come last. */
static void findings_sort_counts(struct findings *list)
{
	size_t sorted = 0;

	if (list->counts_count > 1)
		qsort(list->counts, list->counts_count, sizeof(list->counts[0]), finding_by_code);
	for (size_t i = 0; i < list->kept_count && sorted < list->counts_count; i++)
		for (size_t k = sorted; k < list->counts_count; k++) {
			struct finding_count met = list->counts[k];

			if (strcmp(met.code, list->kept[i].code) != 0)
				continue;
			memmove(&list->counts[sorted + 1], &list->counts[sorted], (k - sorted) * sizeof(met));
			list->counts[sorted++] = met;
			break;
		}
}

void findings_sort(struct findings *list)
{
	const struct finding **order = arena_array(list->arena, const struct finding *, list->kept_count);
	struct finding *kept = arena_array(list->arena, struct finding, list->kept_count);

	for (size_t i = 0; i < list->kept_count; i++)
		order[i] = &list->kept[i];
	if (list->kept_count > 1)
		qsort(order, list->kept_count, sizeof(order[0]), by_place);
	for (size_t i = 0; i < list->kept_count; i++)
		kept[i] = *order[i];
	list->kept = kept;
	list->kept_cap = list->kept_count;
	findings_sort_counts(list);
}

const char *severity_name(enum severity s)
{
	static const char *const names[] = {
		[SEV_INFO] = "info",
		[SEV_WARNING] = "warning",
		[SEV_ERROR] = "error",
	};

	return names[s];
}
