#include "capture/cassette_unpack.h"

#include "unit/net/pack.h"

static struct cassette_half unpack_as(const char *coding, struct str body, const struct observer_arrival *arrivals, size_t count,
				      struct arena *a, struct buf *out)
{
	struct http_header header = { STR("Content-Encoding"), str_from(coding) };
	struct http_head h = { .headers = &header, .count = 1 };
	struct cassette_half half = { .body = body, .arrivals = arrivals, .arrival_count = count };

	buf_clear(out);
	cassette_unpack(&half, coding ? &h : NULL, a, out);
	return half;
}

TEST(packed_bodies_are_unpacked_and_others_stay)
{
	static const struct {
		const char *coding;
		enum unpack_kind kind;
	} codings[] = { { "gzip", UNPACK_GZIP }, { "deflate", UNPACK_DEFLATE }, { " zstd ", UNPACK_ZSTD } };
	struct str text = STR("{\"model\":\"m\"}");
	struct cassette_half half;
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	for (size_t i = 0; i < COUNT(codings); i++) {
		struct str packed = pack(text, codings[i].kind, false);

		test_case("%s", codings[i].coding);
		half = unpack_as(codings[i].coding, packed, NULL, 0, &a, &out);
		CHECK_STR(half.body, text);
		CHECK_STR(half.packing, str_trim(str_from(codings[i].coding)));
		half = unpack_as(codings[i].coding, str_of(packed.p, packed.n - 1), NULL, 0, &a, &out);
		CHECK(half.packing.p == NULL && half.body.p == packed.p && half.body.n == packed.n - 1);
		half = unpack_as(codings[i].coding, STR(""), NULL, 0, &a, &out);
		CHECK(half.packing.p == NULL && half.body.n == 0);
	}
	CHECK(unpack_as("br", text, NULL, 0, &a, &out).body.p == text.p);
	CHECK(unpack_as("identity", text, NULL, 0, &a, &out).packing.p == NULL);
	CHECK(unpack_as(NULL, text, NULL, 0, &a, &out).body.p == text.p);
	buf_free(&out);
	arena_free(&a);
}

/* Blocks that are ended apart come out apart, as a service flushes them. */
TEST(arrivals_end_where_their_words_end)
{
	struct str one = pack(STR("data: one\n\n"), UNPACK_ZSTD, false), two = pack(STR("data: two!\n\n"), UNPACK_ZSTD, false);
	struct observer_arrival arrivals[] = { { 3, 10 }, { one.n, 20 }, { one.n, 30 }, { one.n + two.n, 40 } };
	struct cassette_half half;
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	half = unpack_as("zstd", ARENA_JOIN(&a, one, two), arrivals, COUNT(arrivals), &a, &out);
	CHECK_STR(half.body, STR("data: one\n\ndata: two!\n\n"));
	CHECK_INT(half.arrivals[0].end, 0);
	CHECK_INT(half.arrivals[1].end, 11);
	CHECK_INT(half.arrivals[2].end, 11);
	CHECK_INT(half.arrivals[3].end, 23);
	CHECK_INT(half.arrivals[3].ns, 40);
	buf_free(&out);
	arena_free(&a);
}
