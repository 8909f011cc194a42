#include "dialect/record/schema_stamp.h"

#include <regex.h>
#include <stdio.h>

#include "base/clock.h"
#include "harness/test.h"
#include "json/json.h"

/*
 * The patterns are evaluated with the regular expressions of POSIX, which have nothing that others lack:
 * what works here works anywhere.
 */
#define BRANCHES 8
#define PATTERNS 8

struct stamps {
	regex_t patterns[BRANCHES][PATTERNS]; /* one branch must hold, which needs all its patterns */
	size_t counts[BRANCHES], branches;
};

static void add_pattern(struct stamps *s, struct val schema, struct arena *a)
{
	struct str text = val_text(val_get(schema, STR("pattern")), a);
	char *copy = test_alloc(text.n + 1);

	memcpy(copy, text.p, text.n);
	CHECK(s->counts[s->branches] < PATTERNS);
	CHECK_INT(regcomp(&s->patterns[s->branches][s->counts[s->branches]++], copy, REG_EXTENDED | REG_NOSUB), 0);
}

static struct stamps *stamps_open(void)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct stamps *s = test_alloc(sizeof(*s));
	struct val schema, branch, pattern;
	struct val_iter it, inside;
	struct json_writer w;
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	json_write_init(&w, &out, JSON_PRETTY);
	schema_stamp_add(&w);
	CHECK(json_parse_copy(p, buf_str(&out), &schema, NULL));
	it = val_begin(val_get(schema, STR("anyOf")));
	for (; val_next(&it, &branch); s->branches++) {
		CHECK(s->branches < BRANCHES);
		if (!val_is_none(val_get(branch, STR("pattern"))))
			add_pattern(s, branch, &a);
		inside = val_begin(val_get(branch, STR("allOf")));
		while (val_next(&inside, &pattern))
			add_pattern(s, pattern, &a);
		CHECK(s->counts[s->branches] > 0);
	}
	json_parser_close(p);
	buf_free(&out);
	arena_free(&a);
	return s;
}

static bool holds(const struct stamps *s, const char *text)
{
	for (size_t i = 0; i < s->branches; i++) {
		bool all = true;

		for (size_t k = 0; k < s->counts[i] && all; k++)
			all = regexec(&s->patterns[i][k], text, 0, NULL, 0) == 0;
		if (all)
			return true;
	}
	return false;
}

static void check_same(const struct stamps *s, const char *text)
{
	struct stamp ignored;

	test_case("%s", text);
	CHECK_INT(holds(s, text), stamp_parse(str_from(text), &ignored));
}

TEST(the_patterns_know_the_calendar)
{
	static const int years[] = { 0, 4, 100, 400, 1900, 1996, 2000, 2023, 2024, 2100, 9999 };
	struct stamps *s = stamps_open();
	char text[64];

	for (size_t i = 0; i < sizeof(years) / sizeof(years[0]); i++) {
		for (int day = 0; day < 14 * 33; day++) {
			snprintf(text, sizeof(text), "%04d-%02d-%02dT01:02:03Z", years[i], day / 33, day % 33);
			check_same(s, text);
		}
	}
}

TEST(the_patterns_know_the_forms_of_a_time)
{
	static const char *const times[] = {
		"T00:00:00Z", "t23:59:59z", "T24:00:00Z", "T12:60:00Z", "T12:00:61Z", "T12:00:60Z", "T23:59:60Z",
		"T23:59:60.5Z", "T12:00:00", "T12:00Z", "T12:00:00.Z", "T12:00:00.1Z", "T12:00:00.123456789012Z",
		"T12:00:00,5Z", " 12:00:00Z", "T12:00:00+00:00", "T12:00:00-00:00", "T12:00:00+23:59", "T12:00:00+24:00",
		"T12:00:00+05:60", "T12:00:00+0530", "T12:00:00+05", "T12:00:00 Z", "T12:00:00Z ", "T1:00:00Z",
		"T12:00:00ZZ", "", "Z", "T12:00:00+05:30Z",
	};
	struct stamps *s = stamps_open();
	char text[80];

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		snprintf(text, sizeof(text), "2026-05-01%s", times[i]);
		check_same(s, text);
		snprintf(text, sizeof(text), " 2026-05-01%s", times[i]);
		check_same(s, text);
	}
	check_same(s, "");
	check_same(s, "26-05-01T12:00:00Z");
}

/* At every offset, the minute in which a leap second falls, and the ones beside it. */
TEST(the_patterns_know_where_a_leap_second_falls)
{
	struct stamps *s = stamps_open();
	char text[64];

	for (int offset = -1439; offset <= 1439; offset++) {
		static const int beside[] = { -60, -1, 0, 1, 60 };
		int size = offset < 0 ? -offset : offset;

		for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
			int local = (1439 + offset + beside[i] + 2880) % 1440;

			snprintf(text, sizeof(text), "2016-12-31T%02d:%02d:60%s%c%02d:%02d", local / 60, local % 60,
				 offset % 2 ? ".25" : "", offset < 0 ? '-' : '+', size / 60, size % 60);
			check_same(s, text);
		}
	}
	check_same(s, "2016-12-31T23:59:60-00:00");
	check_same(s, "2016-12-31T00:59:60+01:00z");
}
