#include "dialect/reading/reading.h"

#include "dialect/dialect.h"
#include "dialect/reading/coverage.h"
#include "harness/test.h"

/* A format of this test: takes what the cases ask for and shows what it got. */
static struct buf *shown;

static void show_text(const char *name, struct str s)
{
	if (s.p)
		buf_printf(shown, " %s=%.*s", name, STR_ARG(s));
}

static void read_strange(struct reading *r, struct val v)
{
	reading_add_unknown(r, v);
	show_text(r->events[r->count - 1].role.p, r->events[r->count - 1].content);
	buf_add_byte(shown, '\n');
}

static void read_known(struct reading *r, struct val v)
{
	struct event *e = reading_add(r, EVENT_NOTE);
	struct figure n = reading_count(r, v, STR("count"));
	struct amount s = reading_amount(r, v, STR("seconds"), 1000);

	e->ts = reading_time(r, v, STR("time"));
	e->role = reading_text(r, v, STR("text"));
	e->content = reading_json(r, e, "content", v, STR("json"));
	reading_drop(r, reading_get(r, v, STR("noise")));
	reading_take(r, val_at(v, STR("/list/0/x")));
	show_text("string", reading_string(r, v, STR("string")));
	show_text("peek", reading_peek(r, v, STR("peek")));
	show_text("time", e->ts.text);
	show_text("text", e->role);
	show_text("json", e->content);
	if (n.state != FIGURE_ABSENT)
		buf_printf(shown, " count=%s%llu", n.state == FIGURE_NULL ? "null " : "", (unsigned long long)n.n);
	if (s.state == FIGURE_KNOWN)
		buf_printf(shown, " ms=%g", s.n);
	show_text("truth", reading_truth(r, v, STR("flag")) == TRUTH_TRUE ? STR("true") : str_of(NULL, 0));
	show_text("prefix", r->prefix.n ? r->prefix : str_of(NULL, 0));
	show_text("event", r->sse_event);
	reading_rest(r, e, v);
	show_text("rest", event_find_extra(e, STR("test/1")));
	for (const struct bignum *b = e->bignums; b; b = b->next)
		show_text("big", b->pointer);
	buf_add_byte(shown, '\n');
}

static void read_value(struct reading *r, struct val v)
{
	if (val_has(v, STR("strange")))
		read_strange(r, v);
	else
		read_known(r, v);
}

static const struct read_ops read_test = { .vendor = "test", .key = "test/1", .value = read_value, .elements = true };
static const struct dialect test_dialect = { .name = "test", .read = &read_test };

static struct str read_text(struct arena *a, const char *text, bool lines, struct coverage *coverage)
{
	struct str padded = arena_printf(a, "%s%64s", text, "");
	struct reading r;
	struct buf out;
	struct str result;

	buf_init(&out);
	shown = &out;
	reading_init(&r, &test_dialect);
	r.coverage = coverage;
	reading_chunk(&r, a, str_of(padded.p, strlen(text)), 1, lines);
	for (size_t i = 0; i < r.count; i++)
		if (r.events[i].kind == EVENT_ERROR || str_eq(r.events[i].role, STR("text")))
			buf_printf(&out, "%s: %.*s\n", r.events[i].kind == EVENT_ERROR ? "error" : "note",
				   STR_ARG(r.events[i].kind == EVENT_ERROR ? r.events[i].text : r.events[i].content));
	result = arena_copy(a, buf_str(&out));
	reading_free(&r);
	buf_free(&out);
	return result;
}

TEST(what_is_taken_goes_to_the_event_and_the_rest_to_its_extras)
{
	static const struct { const char *line, *expected; } cases[] = {
		{ "{\"text\":\"a\\u00e9\",\"b\":1}", " text=a\xc3\xa9 rest={\"b\":1}\n" },
		{ "{\"text\":5}", " text=5 rest={\"text\":5}\n" },
		{ "{\"text\":null}", " rest={\"text\":null}\n" },
		{ "{\"string\":\"a\"}", " string=a\n" },
		{ "{\"string\":5}", " rest={\"string\":5}\n" },
		{ "{\"peek\":\"a\"}", " peek=a rest={\"peek\":\"a\"}\n" },
		{ "{\"peek\":5}", " rest={\"peek\":5}\n" },
		{ "{\"strange\":[1]}", " unknown={\"strange\":[1]}\n" },
		{ "{\"json\":{\"b\":2,\"a\":1}}", " json={\"a\":1,\"b\":2}\n" },
		{ "{\"json\":[12345678901234567890]}", " json=[\"12345678901234567890\"] big=/content/0\n" },
		{ "{\"x\":{\"id\":12345678901234567890}}", " rest={\"x\":{\"id\":\"12345678901234567890\"}} big=/ext/test~11/x/id\n" },
		{ "{\"count\":7}", " count=7\n" },
		{ "{\"count\":7.0}", " count=7\n" },
		{ "{\"count\":\"7\"}", " count=7 rest={\"count\":\"7\"}\n" },
		{ "{\"count\":null}", " count=null 0\n" },
		{ "{\"count\":-1}", " rest={\"count\":-1}\n" },
		{ "{\"count\":1.5}", " rest={\"count\":1.5}\n" },
		{ "{\"seconds\":0.5}", " ms=500\n" },
		{ "{\"flag\":true,\"noise\":[1,2]}", " truth=true\n" },
		{ "{\"list\":[{\"x\":1,\"y\":2},3]}", " rest={\"list\":{\"#0\":{\"y\":2},\"#1\":3}}\n" },
		{ "{\"text\":\"\\ud800\"}", " text=\xef\xbf\xbd\n" },
		{ "{\"text\":\"a\",\"text\":\"b\"}", " text=b rest={\"text\":\"a\"}\n" },
		{ "[]", " rest=[]\n" },
		{ "7", " rest=7\n" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].line);
		CHECK_STR(read_text(&a, cases[i].line, true, NULL), str_from(cases[i].expected));
	}
	arena_free(&a);
}

TEST(times_are_taken_as_they_stand_or_made_such_and_kept)
{
	static const struct { const char *time, *expected; } cases[] = {
		{ "\"2026-05-01T12:00:00.123Z\"", " time=2026-05-01T12:00:00.123Z\n" },
		{ "\"2026-05-01T12:00:00.123456+02:00\"", " time=2026-05-01T12:00:00.123456+02:00\n" },
		{ "\"2026-05-01T12:00:00Z\"", " time=2026-05-01T12:00:00.000Z rest={\"time\":\"2026-05-01T12:00:00Z\"}\n" },
		{ "\"2026-05-01T12:00:00.5\"", " time=2026-05-01T12:00:00.500Z rest={\"time\":\"2026-05-01T12:00:00.5\"}\n" },
		{ "\"2026-05-01 12:00:00,25\"", " time=2026-05-01T12:00:00.250Z rest={\"time\":\"2026-05-01 12:00:00,25\"}\n" },
		{ "\"2026-05-01T12:00:00.000+0200\"", " time=2026-05-01T10:00:00.000Z rest={\"time\":\"2026-05-01T12:00:00.000+0200\"}\n" },
		{ "1777636800", " time=2026-05-01T12:00:00.000Z rest={\"time\":1777636800}\n" },
		{ "1777636800.123456", " time=2026-05-01T12:00:00.123456Z rest={\"time\":1777636800.123456}\n" },
		{ "1777636800123", " time=2026-05-01T12:00:00.123Z rest={\"time\":1777636800123}\n" },
		{ "1777636800123456", " time=2026-05-01T12:00:00.123456Z rest={\"time\":1777636800123456}\n" },
		{ "\"1777636800123456789\"", " time=2026-05-01T12:00:00.123456789Z rest={\"time\":\"1777636800123456789\"}\n" },
		{ "\"2026-02-30T12:00:00.000Z\"", " rest={\"time\":\"2026-02-30T12:00:00.000Z\"}\n" },
		{ "\"yesterday\"", " rest={\"time\":\"yesterday\"}\n" },
		{ "\"18446744073709551615\"", " rest={\"time\":\"18446744073709551615\"}\n" },
		{ "-5", " rest={\"time\":-5}\n" },
		{ "true", " rest={\"time\":true}\n" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str line = arena_printf(&a, "{\"time\":%s}", cases[i].time);

		test_case("%s", cases[i].time);
		CHECK_STR(read_text(&a, line.p, true, NULL), str_from(cases[i].expected));
	}
	arena_free(&a);
}

TEST(lines_may_hold_more_or_less_than_one_value)
{
	static const struct { const char *text, *expected; } cases[] = {
		{ "{\"a\":1}{\"b\":2}\n", " rest={\"a\":1}\n rest={\"b\":2}\n" },
		{ "{\"a\":1}\n{\"b\":\n{\"c\":3}\n", " rest={\"a\":1}\n rest={\"c\":3}\nerror: line 2 is not JSON\n" },
		{ "{\"a\":1}\n{\"b\":", " rest={\"a\":1}\nerror: line 2 breaks off\n" },
		{ "\xef\xbb\xbf{\"a\":1}\r\n\r\n{\"b\":2}\r\n", " rest={\"a\":1}\n rest={\"b\":2}\n" },
		{ "event: x\ndata: {\"a\":1}\n\ndata: {\"b\":2}\n\ndata: [DONE]\n", " event=x rest={\"a\":1}\n rest={\"b\":2}\n" },
		{ "data:{\"a\":NaN}\n: comment\nretry: 5\nid: 7\n", " rest={\"a\":\"NaN\"} big=/ext/test~11/a\n" },
		{ "[2025-09-24T01:18:42Z] >>> {\"a\":1}\n", " prefix=[2025-09-24T01:18:42Z] >>> rest={\"a\":1}\n" },
		{ "hello there\n{\"a\":1}\n", " rest={\"a\":1}\nnote: \"hello there\"\n" },
		{ "data: nothing\n", "error: line 1 is not JSON\n" },
		{ "event: x\ndata: {\"a\":\ndata: 1}\n\n", " event=x rest={\"a\":1}\n" },
		{ "event: x\rdata: {\"a\":1}\r\rdata: {\"b\":\rdata: 2}\r\r", " event=x rest={\"a\":1}\n rest={\"b\":2}\n" },
		{ "event: x\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n", " event=x rest={\"a\":1}\n" },
		{ "data: {\"a\":1}\ndata: {\"b\":2}\n", " rest={\"a\":1}\n rest={\"b\":2}\n" },
		{ "data: {\"a\":1}\n{\"b\":2}\ndata: {\"c\":3}\n", " rest={\"a\":1}\n rest={\"b\":2}\n rest={\"c\":3}\n" },
		{ "data: {\"a\":\nfoo: bar\ndata: 1}\n\n", " rest={\"a\":1}\nnote: \"foo: bar\"\n" },
		{ "\xef\xbb\xbf" "data: {\"a\":1}\n\ndata: {\"b\":", " rest={\"a\":1}\nerror: line 3 breaks off\n" },
		{ "data: {\"a\":1}\ndata: {\"b\":\ndata: {\"c\":3}\ndata: [DONE]\n",
		  " rest={\"a\":1}\n rest={\"c\":3}\nerror: line 2 is not JSON\n" },
		{ "data: {\"a\":\rfoo: bar\rdata: 1}\r\r", " rest={\"a\":1}\nnote: \"foo: bar\"\n" },
		{ "data: {\"a\":1}\r\rdata: {\"b\"\r\r", " rest={\"a\":1}\nerror: line 3 is not JSON\n" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(read_text(&a, cases[i].text, true, NULL), str_from(cases[i].expected));
	}
	arena_free(&a);
}

TEST(a_document_is_one_value_or_an_array_of_them)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(read_text(&a, "{\n\"a\": NaN\n}", false, NULL), STR(" rest={\"a\":\"NaN\"} big=/ext/test~11/a\n"));
	CHECK_STR(read_text(&a, "[{\"a\":1},\n{\"b\":2}]", false, NULL), STR(" rest={\"a\":1}\n rest={\"b\":2}\n"));
	arena_free(&a);
}

TEST(coverage_counts_what_was_taken_kept_and_dropped)
{
	struct coverage *c = coverage_open();
	struct coverage_summary s;
	struct arena a;

	arena_init(&a);
	read_text(&a, "{\"text\":\"a\",\"noise\":[1,2],\"x\":{\"y\":1}}\n{\"text\":\"b\"}\n", true, c);
	s = coverage_sum(c);
	CHECK_INT(s.records, 2);
	CHECK_INT(s.leaves.taken, 2);
	CHECK_INT(s.leaves.kept, 1);
	CHECK_INT(s.leaves.dropped, 2);
	CHECK_INT(s.leaves.left, 0);
	CHECK_INT(s.leaves.nulls, 0);
	/* a null that is only taken is nowhere afterwards; one that an event has a word for is */
	read_text(&a, "{\"list\":[{\"x\":null}],\"count\":null}\n", true, c);
	s = coverage_sum(c);
	CHECK_INT(s.leaves.taken, 3);
	CHECK_INT(s.leaves.dropped, 3);
	CHECK_INT(s.leaves.nulls, 1);
	arena_free(&a);
	coverage_close(c);
}

TEST(a_lean_reading_keeps_nothing_that_has_no_field)
{
	static const char line[] = "{\"text\":\"a\",\"x\":{\"y\":1}}";
	struct reading r;
	struct buf out;
	struct arena a;

	buf_init(&out);
	arena_init(&a);
	shown = &out;
	reading_init(&r, &test_dialect);
	r.lean = true;
	reading_chunk(&r, &a, str_of(arena_printf(&a, "%s%64s", line, "").p, sizeof(line) - 1), 1, true);
	reading_extra(&r, &r.events[0], STR("z"), STR("1"));
	CHECK_STR(buf_str(&out), STR(" text=a\n"));
	CHECK(r.events[0].extras == NULL);
	reading_free(&r);
	buf_free(&out);
	arena_free(&a);
}

static void read_unknown_value(struct reading *r, struct val v)
{
	reading_add_unknown(r, v);
}

TEST(a_value_that_is_nothing_is_a_note_with_all_of_it)
{
	static const struct read_ops ops = { .vendor = "test", .key = "test/1", .value = read_unknown_value };
	static const struct dialect unknown = { .name = "unknown", .read = &ops };
	static const char line[] = "{\"b\":[1],\"a\":null}";
	struct reading r;
	struct arena a;

	arena_init(&a);
	reading_init(&r, &unknown);
	reading_chunk(&r, &a, str_of(arena_printf(&a, "%s%64s", line, "").p, sizeof(line) - 1), 1, true);
	CHECK_INT(r.count, 1);
	CHECK_INT(r.events[0].kind, EVENT_NOTE);
	CHECK_STR(r.events[0].role, STR("unknown"));
	CHECK_STR(r.events[0].content, STR("{\"a\":null,\"b\":[1]}"));
	CHECK(r.events[0].extras == NULL);
	reading_free(&r);
	arena_free(&a);
}
