/*
 * Canonical text (RFC 8785, in the range OTUTL allows) of any value that was read leniently: what the strict form
 * refuses is mended. Of equal names the last counts, half a surrogate pair and bytes that are no UTF-8 become
 * U+FFFD, and a number that no double holds (an integer beyond 2^53-1, 1e400, NaN) becomes a string of its own
 * text, which is told. What is marked is left out. Pointers are told until they are four times as long as the value
 * (and 64 KiB): one long name around very many numbers would make them longer without end.
 *
 * Not taken: mending inside canon.c, whose promise is to refuse.
 */
#ifndef JSON_MEND_H
#define JSON_MEND_H

#include "base/buf.h"
#include "json/json.h"

struct mend;

/* Working memory of one thread, reused from value to value. Never NULL; mend_close takes NULL too. */
struct mend *mend_open(void);
void mend_close(struct mend *m);

/* Told of each number that became a string, by its RFC 6901 pointer in what is written; it lasts for the call. */
struct mend_watch {
	void (*number)(void *context, struct str pointer);
	void *context;
};

/* Adds the whole of v to `out`. */
void mend_value(struct mend *m, struct val v, struct buf *out, struct mend_watch watch);

/*
 * The same without what is marked: `marks` has a byte for each token of the tape, and a value whose byte is not 0
 * is left out. An array with a mark anywhere inside becomes an object of what is left of its elements, by
 * place: {"#1":...}. A container with marks in which nothing is left goes too. False, and nothing is added, when
 * nothing is left at all.
 */
bool mend_unmarked(struct mend *m, struct val v, const uint8_t *marks, struct buf *out, struct mend_watch watch);

#endif
