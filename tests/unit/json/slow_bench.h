/* What one call of slow_parse needs, for the tests of the plain parser. */
#ifndef UNIT_JSON_SLOW_BENCH_H
#define UNIT_JSON_SLOW_BENCH_H

#include <string.h>

#include "json/slow.h"

#define LIT(text) { (text), sizeof(text) - 1 } /* a struct str in a table */

struct bench {
	struct slow s;
	struct slow_tape tape;
	struct json_shapes shapes;
	struct arena arena;
};

static inline void bench_init(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	slow_tape_init(&b->tape);
	shapes_init(&b->shapes);
	arena_init(&b->arena);
	b->s.tape = &b->tape;
	b->s.shapes = &b->shapes;
	b->s.arena = &b->arena;
	b->s.single = true;
}

static inline void bench_free(struct bench *b)
{
	slow_tape_free(&b->tape);
	shapes_free(&b->shapes);
	arena_free(&b->arena);
}

static inline bool bench_parse(struct bench *b, struct str text)
{
	b->tape.count = 0;
	b->s.text = text;
	b->s.mark = (struct issue_mark){ 0 };
	return slow_parse(&b->s, 0);
}

#endif
