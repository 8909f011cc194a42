#include "watch/lines.h"

#include "unit/watch/watch_kit.h"

TEST(whole_lines_are_read_and_half_a_line_waits)
{
	struct buf text = { NULL, 0, 0 };
	struct kit k;
	size_t whole;

	kit_open(&k);
	kit_add_calls(&text, "t", 0, 2);
	whole = text.n;
	kit_add_call(&text, "t", 2, 1);
	for (size_t n = whole; n < text.n; n++) {
		struct str part = str_of(text.p, n);

		k.file = (struct lines_file){ .kind = LINES_UNDECIDED };
		CHECK_INT(kit_take_at(&k, part, KIT_NOW), whole);
		CHECK_INT(kit_sum(&k, KIT_NOW)->events, 2);
	}
	CHECK_INT(kit_take_at(&k, str_skip(buf_str(&text), whole), KIT_NOW), text.n - whole);
	CHECK_INT(kit_sum(&k, KIT_NOW)->events, 3);
	buf_free(&text);
	kit_close(&k);
}

TEST(lines_that_do_not_count_are_counted_by_reason)
{
	static const struct {
		const char *line;
		int why;
	} cases[] = {
		{ "{\"event_type\":\"node\"", SKIP_DAMAGED },
		{ "[]", SKIP_DAMAGED },
		{ "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"note\"}", SKIP_DAMAGED },
		{ "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":7,\"kind\":\"retry\","
		  "\"timestamp_start\":1799999999,\"timestamp_end\":1799999999}", SKIP_DAMAGED },
		{ "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"n\",\"kind\":\"retry\","
		  "\"timestamp_start\":1999999999,\"timestamp_end\":1999999999}", SKIP_AHEAD },
		{ "{\"schema_version\":\"agent-trace/v2\",\"event_type\":\"node\"}", SKIP_VERSION },
		{ "", -1 },
		{ "\xff", SKIP_DAMAGED },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf text = { NULL, 0, 0 };
		struct kit k;

		test_case("%s", cases[i].line);
		kit_open(&k);
		kit_add_calls(&text, "t", 0, 1);
		buf_printf(&text, "%s\n", cases[i].line);
		kit_add_calls(&text, "t", 1, 1);
		kit_take(&k, &text);
		CHECK_INT(kit_sum(&k, KIT_NOW)->events, 2);
		for (int why = 0; why < LINES_SKIPS; why++)
			CHECK_INT(k.lines.skipped[why], why == cases[i].why);
		kit_close(&k);
	}
}

TEST(a_summary_counts_by_when_it_completed)
{
	struct buf text = { NULL, 0, 0 };
	struct kit k;

	kit_open(&k);
	buf_printf(&text, "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"summary\",\"trace_id\":\"t\","
		   "\"started_at\":\"2027-01-15T07:00:00Z\",\"completed_at\":\"2027-01-15T07:59:30Z\"}\n"
		   "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"summary\",\"trace_id\":\"u\","
		   "\"started_at\":\"2027-01-15T07:00:00Z\",\"completed_at\":\"2027-01-15T07:50:00Z\"}\n");
	kit_take(&k, &text);
	CHECK_INT(kit_sum(&k, KIT_NOW)->events, 1);
	kit_close(&k);
}

TEST(a_file_without_an_event_in_its_first_lines_is_foreign)
{
	struct buf text = { NULL, 0, 0 };
	struct kit k;

	kit_open(&k);
	for (unsigned i = 0; i < LINES_TRIAL; i++)
		buf_printf(&text, "{\"type\":\"user\"}\n");
	kit_add_calls(&text, "t", 0, 1);
	kit_take(&k, &text);
	CHECK_INT(k.file.kind, LINES_FOREIGN);
	CHECK_INT(kit_sum(&k, KIT_NOW)->events, 0);
	CHECK_INT(k.lines.skipped[SKIP_DAMAGED], 0);
	CHECK_INT(kit_take_at(&k, STR("{}\n"), KIT_NOW), 0);
	kit_close(&k);
}

TEST(some_other_lines_at_the_front_do_not_hide_a_trace)
{
	struct buf text = { NULL, 0, 0 };
	struct kit k;

	kit_open(&k);
	for (unsigned i = 0; i + 1 < LINES_TRIAL; i++)
		buf_printf(&text, "#\n");
	kit_add_calls(&text, "t", 0, 1);
	kit_take(&k, &text);
	CHECK_INT(k.file.kind, LINES_TRACE);
	CHECK_INT(kit_sum(&k, KIT_NOW)->events, 1);
	kit_close(&k);
}

/* Calls, one line of n bytes without its end, calls; given as a file is read: at most LINES_MAX + 1 bytes at once. */
static void take_long(struct kit *k, size_t n)
{
	struct buf text = { NULL, 0, 0 };
	size_t at = 0;

	kit_add_calls(&text, "t", 0, 1);
	buf_add_byte(&text, '"');
	memset(buf_reserve(&text, n - 2), 'x', n - 2);
	text.n += n - 2;
	buf_printf(&text, "\"\n");
	kit_add_calls(&text, "t", 1, 1);
	while (at < text.n) {
		struct str rest = str_skip(buf_str(&text), at);
		size_t used = kit_take_at(k, str_of(rest.p, rest.n <= LINES_MAX ? rest.n : LINES_MAX + 1), KIT_NOW);

		CHECK(used > 0);
		at += used;
	}
	buf_free(&text);
}

TEST(a_line_beyond_the_limit_is_skipped_and_counted_once)
{
	for (int i = 0; i < 3; i++) {
		struct kit k;

		kit_open(&k);
		take_long(&k, i == 0 ? LINES_MAX : i == 1 ? LINES_MAX + 1 : 3 * LINES_MAX);
		CHECK_INT(k.lines.skipped[SKIP_LONG], i > 0);
		CHECK_INT(k.lines.skipped[SKIP_DAMAGED], i == 0); /* a string, which is no event */
		CHECK_INT(kit_sum(&k, KIT_NOW)->events, 2);
		CHECK(!k.file.is_skipping);
		kit_close(&k);
	}
}

TEST(a_file_that_begins_with_an_endless_line_is_foreign)
{
	char *text = test_alloc(LINES_MAX + 1);
	struct kit k;

	memset(text, 'x', LINES_MAX + 1);
	kit_open(&k);
	CHECK_INT(kit_take_at(&k, str_of(text, LINES_MAX + 1), KIT_NOW), LINES_MAX + 1);
	CHECK_INT(k.file.kind, LINES_FOREIGN);
	kit_close(&k);
}

TEST(events_beyond_the_windows_limit_are_counted)
{
	struct buf text = { NULL, 0, 0 };
	struct kit k;

	kit_open_with(&k, 3);
	kit_add_calls(&text, "t", 0, 5);
	kit_take(&k, &text);
	CHECK_INT(kit_sum(&k, KIT_NOW)->events, 3);
	CHECK_INT(k.lines.skipped[SKIP_FULL], 2);
	kit_close(&k);
}

TEST(the_newest_event_of_the_bytes_is_told)
{
	struct buf text = { NULL, 0, 0 };
	struct kit k;

	kit_open(&k);
	kit_add_call(&text, "t", 0, 500);
	kit_add_call(&text, "t", 1, 400);
	kit_add_call(&text, "t", 2, 450);
	kit_take(&k, &text);
	CHECK_INT(k.lines.events, 3);
	CHECK_INT(k.lines.newest_us, KIT_NOW - 400 * KIT_S);
	kit_take_at(&k, STR("\n"), KIT_NOW);
	CHECK_INT(k.lines.events, 0);
	kit_close(&k);
}
