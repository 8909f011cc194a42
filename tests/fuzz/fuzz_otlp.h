/*
 * Requests of OTLP of any bytes, the first of which chooses the signal: what is taken gives the same sightings when it
 * is read again by the same reader, and by a new one; what is refused tells nothing.
 */
#ifndef FUZZ_FUZZ_OTLP_H
#define FUZZ_FUZZ_OTLP_H

#include <stdlib.h>
#include <string.h>

#include "dialect/otlp/sight.h"
#include "dialect/sighting/sighting_line.h"
#include "fuzz/fuzz.h"

/* The texts of a sighting are there while it is told, and ids of spans are what they must be. */
static inline void fuzz_otlp_see(void *context, const struct sighting *s)
{
	FUZZ_CHECK(s->kind < SIGHT_KINDS && s->layer == SIGHT_OTLP);
	FUZZ_CHECK((!s->trace.p || s->trace.n == 32) && (!s->span.p || s->span.n == 16));
	FUZZ_CHECK(s->input >= -1 && s->output >= -1 && s->size >= -1 && s->begun_ns >= -1 && s->ended_ns >= -1);
	FUZZ_CHECK(!s->tape.p);
	sighting_line_add(context, s);
}

static inline bool fuzz_otlp_read(struct otlp_sighter *o, enum otlp_signal signal, bool is_json, struct str body,
				  struct buf *lines, struct otlp_taken *taken)
{
	struct otlp_sights to = { fuzz_otlp_see, lines };
	struct err err = { .kind = ERR_NONE };
	bool ok = otlp_sighter_read(o, signal, is_json, body, &to, taken, &err);

	FUZZ_CHECK(ok || (err.kind == ERR_DATA && err.text[0] && lines->n == 0));
	FUZZ_CHECK(taken->rejected <= taken->spans && (taken->rejected > 0) == (taken->why.n > 0));
	return ok;
}

static inline int fuzz_otlp(const uint8_t *data, size_t size, bool is_json)
{
	enum otlp_signal signal = size ? (enum otlp_signal)(data[0] % 3) : OTLP_TRACES;
	size_t n = size ? size - 1 : 0;
	char *copy = malloc(n + JSON_PAD); /* exactly as long, so that a sanitizer sees a byte too many */
	struct otlp_sighter *used = otlp_sighter_open(), *fresh = otlp_sighter_open();
	struct buf lines[3] = { { NULL, 0, 0 } };
	struct otlp_taken taken[3];
	bool ok[3];

	FUZZ_CHECK(copy);
	memset(copy, 0, n + JSON_PAD);
	if (n)
		memcpy(copy, data + 1, n);
	for (size_t i = 0; i < 3; i++)
		ok[i] = fuzz_otlp_read(i < 2 ? used : fresh, signal, is_json, str_of(copy, n), &lines[i], &taken[i]);
	for (size_t i = 1; i < 3; i++) {
		FUZZ_CHECK(ok[i] == ok[0] && str_eq(buf_str(&lines[i]), buf_str(&lines[0])));
		FUZZ_CHECK(taken[i].spans == taken[0].spans && taken[i].logs == taken[0].logs);
		FUZZ_CHECK(taken[i].points == taken[0].points && taken[i].rejected == taken[0].rejected);
	}
	for (size_t i = 0; i < 3; i++)
		buf_free(&lines[i]);
	otlp_sighter_close(used);
	otlp_sighter_close(fresh);
	free(copy);
	return 0;
}

#endif
