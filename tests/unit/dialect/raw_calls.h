/* The calls of a recorded stream as its pieces tell them: arguments joined and not parsed, as EXPECT digests them. */
#ifndef UNIT_DIALECT_RAW_CALLS_H
#define UNIT_DIALECT_RAW_CALLS_H

#include "base/crypto/sha256.h"
#include "dialect/exchange/hint.h"
#include "harness/test.h"

#define RAW_CALLS 64

struct raw_call {
	struct str branch, call, tool;
	int index;
	bool done, served, found; /* served: run by the service, which EXPECT leaves out */
	struct buf args;
};

struct raw_calls {
	struct raw_call list[RAW_CALLS];
	size_t count;
};

static inline struct raw_call *raw_calls_at(struct raw_calls *c, const struct event *e)
{
	for (size_t i = 0; i < c->count; i++) {
		struct raw_call *one = &c->list[i];

		if (str_eq(one->branch, e->branch) && (e->index >= 0 ? one->index == e->index : str_eq(one->call, e->call)))
			return one;
	}
	CHECK(c->count < RAW_CALLS);
	c->list[c->count] = (struct raw_call){ .branch = e->branch, .call = e->call, .index = e->index };
	return &c->list[c->count++];
}

/* Deltas are joined; an item that is done says all of it, and what the response says at its end is that again. */
static inline void raw_calls_add(struct raw_calls *c, const struct event *e)
{
	bool delta = e->flags & EVENT_PIECE, final = exchange_hint_of(e)->part == STREAM_FINAL;
	struct raw_call *one = raw_calls_at(c, e);

	if (one->done && (delta || final))
		return;
	if (!delta)
		buf_clear(&one->args);
	one->done = !delta;
	one->tool = e->tool.n ? e->tool : one->tool;
	one->served = str_starts(e->call, STR("mcp_")) || (!delta && e->args.p && !e->args_text.p);
	buf_add_str(&one->args, e->args_text);
}

static inline void raw_calls_read(struct raw_calls *c, struct arena *a, const struct dialect *d, struct str log)
{
	char *padded = arena_alloc(a, log.n + JSON_PAD, 1);
	struct reading r;

	*c = (struct raw_calls){ .count = 0 };
	memcpy(padded, log.p, log.n);
	reading_init(&r, d);
	reading_chunk(&r, a, str_of(padded, log.n), 1, true);
	for (size_t i = 0; i < r.count; i++)
		if (r.events[i].kind == EVENT_CALL)
			raw_calls_add(c, &r.events[i]);
	reading_free(&r);
}

/* Finds the call of a row of EXPECT, by name and digest; each is found once. */
static inline bool raw_calls_find(struct raw_calls *c, struct val want)
{
	for (size_t i = 0; i < c->count; i++) {
		struct raw_call *one = &c->list[i];
		char hex[SHA256_HEX];
		struct sha256 s;

		if (one->found || one->served || !val_text_is(val_get(want, STR("name")), one->tool))
			continue;
		sha256_init(&s);
		digest_hex(hex, sha256_of(&s, buf_str(&one->args)));
		sha256_free(&s);
		one->found = val_text_is(val_get(want, STR("arguments_sha256")), str_of(hex, sizeof(hex)));
		if (one->found)
			return true;
	}
	return false;
}

/* Every call of the row is in the stream, and no other. What is wrong is added, a line each. */
static inline void raw_calls_check(struct raw_calls *c, struct val row, struct buf *wrong)
{
	struct val_iter it = val_begin(val_get(row, STR("tool_calls")));
	struct val want;

	while (val_next(&it, &want))
		if (!raw_calls_find(c, want))
			buf_printf(wrong, "no call of %.*s with these arguments\n", STR_ARG(val_raw(val_get(want, STR("name")))));
	for (size_t i = 0; i < c->count; i++) {
		struct raw_call *one = &c->list[i];

		if (!one->found && !one->served)
			buf_printf(wrong, "a call of %.*s with %.*s\n", STR_ARG(one->tool), STR_ARG(buf_str(&one->args)));
		buf_free(&one->args);
	}
}

#endif
