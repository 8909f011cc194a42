#include "base/clock.h"

#include <time.h>

#include "base/buf.h"
#include "harness/test.h"
#include "unit/base/rows.h"

TEST(the_wall_clock_is_the_systems)
{
	uint64_t before = (uint64_t)time(NULL), now = clock_wall_ns() / 1000000000, after;

	after = (uint64_t)time(NULL);
	CHECK(now + 1 >= before && now <= after + 1);
}

TEST(the_monotonic_clock_never_goes_back_and_moves)
{
	uint64_t first = clock_mono_ns(), last = first;

	while (last < first + 1000000) {
		uint64_t now = clock_mono_ns();

		CHECK(now >= last);
		last = now;
	}
}

TEST(the_corpus_of_timestamps_is_judged_and_placed_as_rfc_3339_has_it)
{
	struct str rest = test_read(test_shared("corpora/08-ids-time/dev/timestamp.jsonl")), row;
	size_t accepted = 0, refused = 0, placed = 0;
	char text[1024];

	while (row_next(&rest, &row)) {
		struct stamp s;
		long long want;
		int64_t ns;
		bool ok = stamp_parse(row_text(row, "text", text), &s);

		test_case("%.*s", STR_ARG(row_raw(row, "text")));
		CHECK_INT(ok, row_is_true(row, "valid"));
		accepted += ok;
		refused += !ok;
		if (!ok || !row_integer(row, "epoch_ns", &want))
			continue;
		CHECK(stamp_ns(&s, &ns));
		CHECK_INT(ns, want);
		placed++;
	}
	CHECK(accepted > 20 && refused > 30 && placed > 20);
}

TEST(dates_and_times_of_the_corpus_make_timestamps)
{
	static const struct {
		const char *file, *before, *after;
	} cases[] = { { "date", "", "T00:00:00Z" }, { "time", "1998-12-31T", "" } };
	struct buf whole;
	char text[1024];

	buf_init(&whole);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str rest, row;
		char path[100];
		size_t rows = 0;

		snprintf(path, sizeof(path), "corpora/08-ids-time/dev/%s.jsonl", cases[i].file);
		rest = test_read(test_shared(path));
		while (row_next(&rest, &row)) {
			struct stamp s;

			buf_clear(&whole);
			buf_add_str(&whole, str_from(cases[i].before));
			buf_add_str(&whole, row_text(row, "text", text));
			buf_add_str(&whole, str_from(cases[i].after));
			test_case("%.*s", STR_ARG(row_raw(row, "text")));
			CHECK_INT(stamp_parse(buf_str(&whole), &s), row_is_true(row, "valid"));
			rows++;
		}
		CHECK(rows > 20);
	}
	buf_free(&whole);
}

TEST(what_was_written_is_told)
{
	static const struct {
		const char *text;
		struct stamp want;
	} cases[] = {
		{ "1970-01-01T00:00:00Z", { 0 } },
		{ "1970-01-01t00:00:00Z", { .lower = true } },
		{ "1970-01-01T00:00:00z", { .lower = true } },
		{ "1970-01-01T00:00:00+00:00", { 0 } },
		{ "1970-01-01T00:00:00-00:00", { .unknown_offset = true } },
		{ "1970-01-01T05:30:00+05:30", { .offset_min = 330 } },
		{ "1969-12-31T00:01:00-23:59", { .offset_min = -1439 } },
		{ "1970-01-01T00:00:00.5Z", { .nanos = 500000000, .digits = 1 } },
		{ "1970-01-01T00:00:00.000000001Z", { .nanos = 1, .digits = 9 } },
		{ "1970-01-01T00:00:00.0000000019Z", { .nanos = 1, .digits = 10 } },
		{ "1970-01-01T00:00:00.12345678901234567890Z", { .nanos = 123456789, .digits = 20 } },
		{ "1969-12-31T23:59:59.9Z", { .seconds = -1, .nanos = 900000000, .digits = 1 } },
		{ "1972-06-30T23:59:60Z", { .seconds = 78796800, .leap = true } },
		{ "1972-07-01T00:59:60+01:00", { .seconds = 78796800, .leap = true, .offset_min = 60 } },
		{ "0000-01-01T00:00:00Z", { .seconds = -62167219200 } },
		{ "0000-02-29T00:00:00Z", { .seconds = -62162121600 } },
		{ "0000-03-01T00:00:00Z", { .seconds = -62162035200 } },
		{ "9999-12-31T23:59:59Z", { .seconds = 253402300799 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct stamp s, want = cases[i].want;

		test_case("%s", cases[i].text);
		CHECK(stamp_parse(str_from(cases[i].text), &s));
		CHECK_INT(s.seconds, want.seconds);
		CHECK_INT(s.nanos, want.nanos);
		CHECK_INT(s.digits, want.digits);
		CHECK_INT(s.offset_min, want.offset_min);
		CHECK_INT(s.leap, want.leap);
		CHECK_INT(s.lower, want.lower);
		CHECK_INT(s.unknown_offset, want.unknown_offset);
	}
}

TEST(anything_else_is_refused_and_leaves_the_result_alone)
{
	static const struct str cases[] = {
		{ NULL, 0 },
		{ "1970-01-01", 10 },
		{ "1970-01-01T00:00:00", 19 },
		{ "1970-01-01 00:00:00Z", 20 },
		{ "1970-01-01T00:00:00.Z", 21 },
		{ "1970-01-01T00:00:00,5Z", 22 },
		{ "1970-01-01T00:00:00+0000", 24 },
		{ "1970-01-01T00:00:00Z ", 21 },
		{ " 1970-01-01T00:00:00Z", 21 },
		{ "1970-01-01T00:00:00Z\0", 21 },
		{ "1970-01-01T00:00:00\0", 20 },
		{ "1970-01-01T00:00Z", 17 },
		{ "1970-1-01T00:00:00Z", 19 },
		{ "-970-01-01T00:00:00Z", 20 },
		{ "1970-00-01T00:00:00Z", 20 },
		{ "1970-01-00T00:00:00Z", 20 },
		{ "1970-04-31T00:00:00Z", 20 },
		{ "1900-02-29T00:00:00Z", 20 },
		{ "1970-01-01T24:00:00Z", 20 },
		{ "1970-01-01T00:60:00Z", 20 },
		{ "1970-01-01T00:00:61Z", 20 },
		{ "1970-01-01T00:00:60Z", 20 },
		{ "1972-06-30T23:59:60+00:01", 25 },
		{ "1970-01-01T00:00:00+24:00", 25 },
		{ "1970-01-01T00:00:00+00:60", 25 },
		{ "1970-01-01T00:00:00+1:00", 24 },
		{ "1970/01/01T00:00:00Z", 20 },
		{ "1970-01-01T00-00-00Z", 20 },
		{ "1970-01-01T00:00:0/Z", 20 },
		{ "1970-01-01T00:00:0:Z", 20 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct stamp s = { .seconds = 77 };

		test_case("%.*s", STR_ARG(cases[i]));
		CHECK(!stamp_parse(cases[i], &s));
		CHECK_INT(s.seconds, 77);
	}
}

TEST(no_beginning_of_a_timestamp_is_a_timestamp)
{
	struct str whole = STR("2026-05-01T12:00:00.123+05:30");
	struct stamp s;

	for (size_t n = 0; n < whole.n; n++) {
		test_case("%zu", n);
		CHECK(!stamp_parse(str_of(whole.p, n), &s));
	}
	CHECK(stamp_parse(whole, &s));
}

TEST(timestamps_are_written_with_the_digits_asked_for)
{
	static const struct {
		int64_t seconds;
		uint32_t nanos;
		unsigned digits;
		const char *want;
	} cases[] = {
		{ 0, 0, 0, "1970-01-01T00:00:00Z" },
		{ 0, 999999999, 0, "1970-01-01T00:00:00Z" },
		{ 0, 123456789, 3, "1970-01-01T00:00:00.123Z" },
		{ 0, 1, 9, "1970-01-01T00:00:00.000000001Z" },
		{ -1, 500000000, 1, "1969-12-31T23:59:59.5Z" },
		{ 1777636800, 0, 3, "2026-05-01T12:00:00.000Z" },
		{ -62167219200, 0, 0, "0000-01-01T00:00:00Z" },
		{ 253402300799, 0, 0, "9999-12-31T23:59:59Z" },
		{ 253402300800, 0, 0, "9999-12-31T23:59:59Z" },
		{ INT64_MAX, 0, 0, "9999-12-31T23:59:59Z" },
		{ INT64_MIN, 0, 0, "0000-01-01T00:00:00Z" },
	};
	char out[36];

	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t n = stamp_format(out, cases[i].seconds, cases[i].nanos, cases[i].digits);

		test_case("%zu", i);
		CHECK_STR(str_of(out, n), str_from(cases[i].want));
		CHECK_INT(out[n], '\0');
	}
}

TEST(nanoseconds_and_microseconds_before_1970_belong_to_the_second_before)
{
	static const struct {
		int64_t n;
		unsigned digits;
		const char *as_ns, *as_us;
	} cases[] = {
		{ 0, 3, "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z" },
		{ 1777636800123456789, 9, "2026-05-01T12:00:00.123456789Z", "9999-12-31T23:59:59.456789000Z" },
		{ 1777636800123456, 6, "1970-01-21T13:47:16.800123Z", "2026-05-01T12:00:00.123456Z" },
		{ -1, 9, "1969-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999000Z" },
		{ -1000000, 0, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z" },
	};
	struct arena a;
	char out[36];

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK_STR(str_of(out, stamp_format_ns(out, cases[i].n, cases[i].digits)), str_from(cases[i].as_ns));
		CHECK_STR(stamp_new_ns(&a, cases[i].n, cases[i].digits), str_from(cases[i].as_ns));
		CHECK_STR(str_of(out, stamp_format_us(out, cases[i].n, cases[i].digits)), str_from(cases[i].as_us));
	}
	arena_free(&a);
}

TEST(every_day_of_ten_thousand_years_is_written_as_the_c_library_writes_it_and_read_back)
{
	char out[36], want[64];

	for (int64_t day = -719528; day <= 2932896; day++) {
		int64_t seconds = day * 86400 + (day * 7919 % 86400 + 86400) % 86400;
		time_t t = (time_t)seconds;
		size_t n = stamp_format(out, seconds, 0, 0);
		struct stamp s;
		struct tm tm;

		if (!stamp_parse(str_of(out, n), &s) || s.seconds != seconds)
			FAIL("%.*s is not read back as %lld", (int)n, out, (long long)seconds);
		if (day % 5 != 0)
			continue;
		gmtime_r(&t, &tm);
		snprintf(want, sizeof(want), "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900, tm.tm_mon + 1,
			 tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
		CHECK_STR(str_of(out, n), str_from(want));
	}
}

TEST(nanoseconds_are_given_as_far_as_they_fit)
{
	static const struct {
		const char *text;
		bool fits;
		int64_t ns;
	} cases[] = {
		{ "1970-01-01T00:00:00.000000001Z", true, 1 },
		{ "1969-12-31T23:59:59.999999999Z", true, -1 },
		{ "2262-04-11T23:47:16.854775807Z", true, INT64_MAX },
		{ "2262-04-11T23:47:16.854775808Z", false, 0 },
		{ "1677-09-21T00:12:43.145224192Z", true, INT64_MIN },
		{ "1677-09-21T00:12:43.145224191Z", false, 0 },
		{ "9999-12-31T23:59:59Z", false, 0 },
		{ "0000-01-01T00:00:00Z", false, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct stamp s;
		int64_t ns = 0;

		test_case("%s", cases[i].text);
		CHECK(stamp_parse(str_from(cases[i].text), &s));
		CHECK_INT(stamp_ns(&s, &ns), cases[i].fits);
		CHECK_INT(ns, cases[i].ns);
	}
}
