/* Unpacks stored bytes through decode.h in every way they can arrive. */
#ifndef UNIT_SOURCE_UNPACK_H
#define UNIT_SOURCE_UNPACK_H

#include "harness/test.h"
#include "source/decode.h"
#include "unit/source/feed.h"
#include "unit/source/pack.h"

/* Everything that comes out, `room` bytes at a time, with "!message" at the end of what failed. Until the next call. */
static inline struct str unpack(struct decode *d, struct str stored, struct feed feed, size_t room)
{
	static struct buf out;
	struct memory_file file = { { "x", 1 }, stored };
	struct source_io io = feed_io(&feed, &file, 1);
	struct err err = { .kind = ERR_NONE };
	enum next more = NEXT_MORE;
	struct raw raw;
	size_t got;

	buf_clear(&out);
	CHECK(raw_open(&raw, &io, STR("x"), &err));
	if (!decode_begin(d, &raw, &err))
		more = NEXT_FAIL;
	while (more == NEXT_MORE) {
		more = decode_read(d, buf_reserve(&out, room), room, &got, &err);
		CHECK(got <= room);
		CHECK(more == NEXT_FAIL || (got > 0) == (more == NEXT_MORE));
		out.n += got;
	}
	if (more == NEXT_FAIL)
		buf_printf(&out, "!%s", err.text);
	raw_close(&raw);
	return buf_str(&out);
}

/* Whole, in pieces, and with little room for the output: the answers must be equal. Until the next call. */
static inline struct str unpack_all_ways(struct str stored)
{
	static const size_t rooms[] = { 1, 7, 100, 1 << 20 };
	static struct buf whole;
	struct decode d;

	decode_init(&d);
	buf_clear(&whole);
	buf_add_str(&whole, unpack(&d, stored, (struct feed){ .cut = FEED_WHOLE }, 1 << 16));
	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
		CHECK_STR(unpack(&d, stored, (struct feed){ .cut = FEED_WHOLE }, rooms[i]), buf_str(&whole));
		for (size_t size = 1; size < 20; size += 3)
			CHECK_STR(unpack(&d, stored, (struct feed){ .cut = FEED_PIECES, .size = size }, rooms[i]),
				  buf_str(&whole));
	}
	decode_free(&d);
	return buf_str(&whole);
}

/* Flips every bit of `packed` in turn: no answer may depend on the cuts. */
static inline void unpack_flipped(struct buf *packed)
{
	for (size_t bit = 0; bit < packed->n * 8; bit++) {
		test_case("bit %zu", bit);
		packed->p[bit / 8] = (char)(packed->p[bit / 8] ^ 1 << bit % 8);
		unpack_all_ways(buf_str(packed));
		packed->p[bit / 8] = (char)(packed->p[bit / 8] ^ 1 << bit % 8);
	}
}

/* Cuts `packed` off everywhere: what comes out is a beginning of `meant`, then the word that it is truncated. */
static inline void unpack_truncated(const struct buf *packed, struct str meant)
{
	for (size_t n = 4; n < packed->n; n++) {
		struct str got = unpack_all_ways(str_of(packed->p, n));
		size_t bang = 0;

		test_case("cut at %zu", n);
		while (bang < got.n && bang < meant.n && got.p[bang] == meant.p[bang])
			bang++;
		CHECK(str_starts(str_of(got.p + bang, got.n - bang), STR("!x: the ")));
		CHECK(str_find(got, STR(" stream is truncated: the file ends at byte ")) != (size_t)-1);
	}
}

#endif
