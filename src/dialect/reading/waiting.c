/* A sorted array: insertion from the end, since lines are nearly in order. */
#include "dialect/reading/waiting.h"

#include <assert.h>

void waiting_free(struct waiting *w)
{
	for (size_t i = 0; i < WAITING_MAX; i++)
		buf_free(&w->lines[i].text);
	w->count = 0;
}

/* The memory of the line goes behind the others, to be used again. */
static void put_first(struct waiting *w, struct buf *out)
{
	struct buf memory = w->lines[0].text;

	buf_add_str(out, buf_str(&memory));
	buf_clear(&memory);
	w->count--;
	memmove(w->lines, w->lines + 1, w->count * sizeof(w->lines[0]));
	w->lines[w->count].text = memory; /* for the next */
}

void waiting_add(struct waiting *w, struct buf *out, struct buf *line, int64_t number)
{
	struct buf memory;
	size_t at;

	if (w->count == WAITING_MAX)
		put_first(w, out);
	assert(w->count < WAITING_MAX);
	memory = w->lines[w->count].text;
	for (at = w->count; at > 0 && w->lines[at - 1].number > number; at--)
		w->lines[at] = w->lines[at - 1];
	w->lines[at].text = *line;
	w->lines[at].number = number;
	w->count++;
	*line = memory;
}

void waiting_drain(struct waiting *w, struct buf *out)
{
	for (size_t i = 0; i < w->count; i++) {
		buf_add_str(out, buf_str(&w->lines[i].text));
		buf_clear(&w->lines[i].text);
	}
	w->count = 0;
}
