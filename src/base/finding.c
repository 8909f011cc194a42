#include "base/finding.h"

#include <string.h>

#include "base/utf8.h"

#define EXCERPT_BEFORE 320 /* bytes on each side of the place: more than a screen is wide */
#define EXCERPT_AFTER 640

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

void finding_point(struct finding *f, struct str text, uint64_t line, uint64_t origin, size_t at, size_t length)
{
	size_t from, to;

	if (at > text.n)
		at = text.n;
	from = at > EXCERPT_BEFORE ? at - EXCERPT_BEFORE : 0;
	to = text.n - at > EXCERPT_AFTER ? at + EXCERPT_AFTER : text.n;
	while (from > 0 && from < at && is_continuation(text.p[from]))
		from++;
	while (to > at && to < text.n && is_continuation(text.p[to]))
		to--;
	f->at = (struct place){ line, utf8_count(str_of(text.p, at)) + 1, origin + at };
	f->excerpt = str_of(text.p + from, to - from);
	f->mark = at - from;
	f->mark_length = length < to - at ? length : to - at;
}

void findings_init(struct findings *list, struct arena *arena, size_t limit)
{
	*list = (struct findings){ .arena = arena, .limit = limit };
}

static struct finding_count *count_of(struct findings *list, const struct finding *f)
{
	struct finding_count *c;

	for (size_t i = 0; i < list->counts_count; i++) {
		c = &list->counts[i];
		if (c->code == f->code || strcmp(c->code, f->code) == 0)
			return c;
	}
	if (list->counts_count == list->counts_cap) {
		size_t cap = list->counts_cap ? list->counts_cap * 2 : 16;
		struct finding_count *counts = arena_array(list->arena, struct finding_count, cap);

		if (list->counts_count)
			memcpy(counts, list->counts, list->counts_count * sizeof(*counts));
		list->counts = counts;
		list->counts_cap = cap;
	}
	c = &list->counts[list->counts_count++];
	*c = (struct finding_count){ f->code, f->severity, 0 };
	return c;
}

static void keep(struct findings *list, const struct finding *f)
{
	struct finding *kept;

	if (list->kept_count == list->kept_cap) {
		size_t cap = list->kept_cap ? list->kept_cap * 2 : 8;

		kept = arena_array(list->arena, struct finding, cap);
		if (list->kept_count)
			memcpy(kept, list->kept, list->kept_count * sizeof(*kept));
		list->kept = kept;
		list->kept_cap = cap;
	}
	kept = &list->kept[list->kept_count++];
	*kept = *f;
	kept->pointer = arena_copy(list->arena, f->pointer);
	kept->message = arena_copy(list->arena, f->message);
	kept->excerpt = arena_copy(list->arena, f->excerpt);
}

void findings_add(struct findings *list, const struct finding *f)
{
	count_of(list, f)->count++;
	list->errors += f->severity == SEV_ERROR;
	list->warnings += f->severity == SEV_WARNING;
	list->infos += f->severity == SEV_INFO;
	if (list->limit == 0 || list->kept_count < list->limit)
		keep(list, f);
}

void findings_merge(struct findings *list, const struct findings *from)
{
	for (size_t i = 0; i < from->kept_count; i++)
		if (list->limit == 0 || list->kept_count < list->limit)
			keep(list, &from->kept[i]);
	for (size_t i = 0; i < from->counts_count; i++) {
		struct finding f = { .code = from->counts[i].code, .severity = from->counts[i].severity };

		count_of(list, &f)->count += from->counts[i].count;
	}
	list->errors += from->errors;
	list->warnings += from->warnings;
	list->infos += from->infos;
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
