#include "replay/difference.h"

#include "harness/test.h"

static bool masks_all(const void *context, const struct volatile_text *t, struct str text)
{
	(void)context;
	(void)text;
	return t->type == VOLATILE_UUID;
}

static uint64_t compare(const char *expected, const char *got, bool is_json, struct match_difference *out)
{
	static struct difference_tool *tool;
	static struct arena a;
	struct difference_side x = { str_from(expected), is_json, masks_all, NULL }, y = { str_from(got), is_json, masks_all, NULL };

	if (!tool) {
		tool = difference_open();
		arena_init(&a);
	}
	*out = (struct match_difference){ .byte = 0 };
	return difference_count(tool, &a, &x, &y, out);
}

#define U1 "550e8400-e29b-41d4-a716-446655440000"
#define U2 "11111111-2222-3333-4444-555555555555"

TEST(the_first_difference_has_a_path_a_byte_and_both_values)
{
	static const struct {
		const char *expected, *got;
		uint64_t leaves;
		const char *path;
		uint64_t byte;
		const char *diff;
	} cases[] = {
		{ "{\"a\":1}", "{\"a\":1}", 0, "", 0, "" },
		{ "{\"a\":[1,\"x\\nyz\"]}", "{\"a\":[1,\"x\\nyQ\"]}", 1, "/a/1", 3, "@@ /a/1 @@\n-x\\nyz\n+x\\nyQ" },
		{ "{\"a\":1,\"b\":2}", "{\"a\":1}", 1, "/b", 0, "@@ /b @@\n-2" },
		{ "{\"a\":1}", "{\"a\":1,\"b\":{\"c\":[],\"d\":[1,2]}}", 3, "/b", 0, "@@ /b @@\n+{\"c\":[],\"d\":[1,2]}" },
		{ "{\"a\":[1]}", "{\"a\":[1,2]}", 1, "/a/1", 0, "@@ /a/1 @@\n+2" },
		{ "{\"a\":{\"b\":1}}", "{\"a\":\"b\"}", 1, "/a", 0, "@@ /a @@\n-{\"b\":1}\n+b" },
		{ "[1,2,3]", "[4,5,3]", 2, "/0", 0, "@@ /0 @@\n-1\n+4" },
		/* what is volatile is no difference while there is another one */
		{ "{\"a\":\"" U1 "\",\"b\":1}", "{\"a\":\"" U2 "\",\"b\":2}", 1, "/b", 0, "@@ /b @@\n-1\n+2" },
		{ "{\"a\":\"" U1 " x\"}", "{\"a\":\"" U2 " y\"}", 1, "/a", 37, NULL },
		{ "{\"a\":\"" U1 "\"}", "{\"a\":\"" U2 "\"}", 0, "/a", 0, NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct match_difference d;

		test_case("%s %s", cases[i].expected, cases[i].got);
		CHECK_INT(compare(cases[i].expected, cases[i].got, true, &d), cases[i].leaves);
		CHECK_STR(d.path, str_from(cases[i].path));
		CHECK_INT(d.byte, cases[i].byte);
		if (cases[i].diff)
			CHECK_STR(d.diff, str_from(cases[i].diff));
	}
}

TEST(what_looks_volatile_is_hinted_at)
{
	struct match_difference d;

	compare("{\"a\":\"at 2026-07-01T10:00:00Z\"}", "{\"a\":\"at 2026-07-02T10:00:00Z\"}", true, &d);
	CHECK_STR(d.hint, STR("volatile:rfc3339?"));
	compare("{\"a\":1782900000}", "{\"a\":1782900009}", true, &d);
	CHECK_STR(d.hint, STR("volatile:epoch?"));
	compare("{\"a\":\"at 2026-07-01\"}", "{\"a\":\"as 2026-07-01\"}", true, &d);
	CHECK(!d.hint.p);
}

TEST(long_values_are_cut_between_characters)
{
	static char x[2000], y[2000];
	struct match_difference d;

	for (size_t i = 0; i < 600; i += 2)
		memcpy(x + i, "\xc3\xa9", 2);
	memcpy(y, x, sizeof(x));
	memcpy(y + 400, "ab", 2);
	CHECK_INT(compare(x, y, false, &d), 1);
	CHECK_INT(d.byte, 400);
	CHECK_STR(d.path, STR(""));
	CHECK(d.expected.n <= DIFFERENCE_SHOWN && d.got.n <= DIFFERENCE_SHOWN && d.got.n > 100);
	CHECK(str_has(d.got, STR("ab")) && str_starts(d.got, STR("\xc3\xa9")));
	CHECK(str_starts(d.diff, STR("@@ / @@\n-...\xc3\xa9")));
}

TEST(plain_texts_are_compared_by_bytes)
{
	struct match_difference d;
	struct arena a;

	arena_init(&a);
	difference_of_texts(&a, STR("target"), STR("/v1/a"), STR("/v1/b"), &d);
	CHECK_STR(d.path, STR("target"));
	CHECK_INT(d.byte, 4);
	CHECK_STR(d.expected, STR("/v1/a"));
	arena_free(&a);
}
