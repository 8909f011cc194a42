#include "replay/match_body.h"

#include "harness/test.h"

#define CLOCK (INT64_C(1782900000) * 1000000)
#define U1 "550e8400-e29b-41d4-a716-446655440000"
#define U2 "11111111-2222-3333-4444-555555555555"

struct keys {
	struct digest k0, k1, timeless;
	bool masked, has_timeless;
};

static struct match_maker *maker(void)
{
	static struct match_maker m;
	static struct ties t;
	static struct arena a;

	if (!m.ties) {
		arena_init(&a);
		ties_init(&t, &a);
		m.normalizer = normal_open();
		sha256_init(&m.sha);
		m.ties = &t;
	}
	return &m;
}

static struct keys keys_of(const char *lane, const char *target, const char *body)
{
	struct match_question q = { .lane = str_from(lane), .method = STR("POST"), .target = str_from(target),
				    .body = str_from(body) };
	struct match_masked forms[MATCH_FORMS];
	struct match_body b;
	struct arena a;
	struct keys k;

	arena_init(&a);
	match_body_make(maker(), &a, TIES_RECORDED, CLOCK, &q, &b);
	k.k0 = b.k0;
	match_body_mask(maker(), &a, TIES_RECORDED, &q, &b, forms);
	k.k1 = forms[MATCH_ALL_MARKS].key;
	k.timeless = forms[MATCH_NO_TIMES].key;
	k.masked = forms[MATCH_ALL_MARKS].count > 0;
	k.has_timeless = forms[MATCH_NO_TIMES].count > 0;
	arena_free(&a);
	return k;
}

TEST(the_exact_key_is_what_the_header_says)
{
	struct keys k = keys_of("model", "/v1/messages", "{\"b\":1,\"a\":2,\"seed\":3}");

	CHECK(digest_eq(k.k0, sha256_of(&maker()->sha, STR("rk0\nmodel\nPOST\n/v1/messages\n{\"a\":2,\"b\":1}"))));
	CHECK(!k.masked);
}

TEST(the_masked_key_has_marks_with_types)
{
	struct keys a = keys_of("model", "/v1", "{\"a\":\"" U1 "\"}"), b = keys_of("model", "/v1", "{\"a\":\"" U2 "\"}");

	CHECK(a.masked && digest_eq(a.k1, b.k1) && !digest_eq(a.k0, b.k0));
	CHECK(digest_eq(a.k1, sha256_of(&maker()->sha, STR("rk1\nmodel\nPOST\n/v1\n{\"a\":\"\xffuuid\xff\"}"))));
	b = keys_of("model", "/v1", "{\"a\":\"0123456789abcdef\"}");
	CHECK(b.masked && !digest_eq(a.k1, b.k1));
	b = keys_of("model", "/v2", "{\"a\":\"" U1 "\"}");
	CHECK(!digest_eq(a.k1, b.k1));
	/* the host and what follows the name stay */
	a = keys_of("x", "", "localhost:81 /tmp/a/b");
	b = keys_of("x", "", "localhost:82 /tmp/c/b");
	CHECK(digest_eq(a.k1, b.k1));
	b = keys_of("x", "", "127.0.0.1:82 /tmp/c/b");
	CHECK(!digest_eq(a.k1, b.k1));
	b = keys_of("x", "", "localhost:82 /tmp/c/d");
	CHECK(!digest_eq(a.k1, b.k1));
}

TEST(what_is_foreign_far_or_no_text_has_no_mark)
{
	CHECK(!keys_of("model", "/", "{\"a\":\"2031-04-05\"}").masked);
	CHECK(keys_of("model", "/", "{\"a\":\"2026-07-01\"}").masked);
	CHECK(!keys_of("model", "/", "\xff 2026-07-01").masked);
	maker()->ties->values[TIES_RECORDED][ties_add(maker()->ties, TIES_RECORDED, STR("2026-07-01"))].is_foreign = true;
	CHECK(!keys_of("model", "/", "{\"a\":\"2026-07-01\"}").masked);
}

TEST(a_second_form_has_literal_times)
{
	struct keys k = keys_of("x", "", "2026-07-01 " U1);

	CHECK(k.masked && k.has_timeless && !digest_eq(k.k1, k.timeless));
	CHECK(digest_eq(k.timeless, sha256_of(&maker()->sha, STR("rk1\nx\nPOST\n\n2026-07-01 \xffuuid\xff"))));
	CHECK(!keys_of("x", "", U1).has_timeless);
	CHECK(!keys_of("x", "", "2026-07-01").has_timeless);
}
