/* OTUTL written from events, read into events, and what passes through both. */
#include "dialect/otutl/convert.h"

#include <stdio.h>

#include "dialect/formats.h"
#include "dialect/otutl/pairs.h"
#include "dialect/reading/reading.h"
#include "dialect/writing.h"
#include "json/text.h"
#include "model/assemble.h"
#include "unit/dialect/otutl_feed.h"

#define ID "01890a5d-ac96-774b-bcce-b302099a8057"
#define TS STR("2026-05-01T12:00:00.000Z")
#define TAIL(seq) "\"run_id\":\"" ID "\",\"seq\":" seq
#define AT_TS ",\"ts\":\"2026-05-01T12:00:00.000Z\",\"type\":"

/* ---- a writer at work ---- */

struct out {
	struct buf bytes;
	struct writing w;
	void *writer;
	struct err err;
	bool failed;
};

static void out_open(struct out *o)
{
	*o = (struct out){ .failed = false };
	o->w.out = &o->bytes;
	o->w.source_format = STR("test");
	o->writer = otutl_write_ops.open(&o->w);
}

static void out_add(struct out *o, const struct event *e)
{
	o->failed = o->failed || !otutl_write_ops.event(o->writer, e, &o->err);
}

/* What it wrote, as long as the test lives. */
static struct str out_end(struct out *o)
{
	struct str text;
	char *copy;

	o->failed = o->failed || !otutl_write_ops.end(o->writer, &o->err);
	otutl_write_ops.close(o->writer);
	copy = test_alloc(o->bytes.n + 1);
	text = str_of(copy, o->bytes.n);
	if (text.n)
		memcpy(copy, o->bytes.p, text.n);
	buf_free(&o->bytes);
	return text;
}

static struct event make(enum event_kind kind)
{
	struct event e = { .kind = kind, .index = -1 };

	e.ts = (struct moment){ TS, 1777636800000000000, MOMENT_VENDOR };
	if (kind == EVENT_RUN_START)
		e.run = STR(ID);
	return e;
}

/* Line number `at` (from 0) of a text. */
static struct str line_of(struct str text, size_t at)
{
	struct str line;

	do
		line = str_cut(text, '\n', &text);
	while (at-- > 0);
	return line;
}

static bool pass(void *context, const struct event *e, struct err *err)
{
	return otutl_write_ops.event(((struct out *)context)->writer, e, err);
}

/* OTUTL to OTUTL, with so many lines in a chunk (0: all). */
static struct str convert(struct str text, size_t lines)
{
	struct out *o = test_alloc(sizeof(*o));
	struct assemble *as = assemble_open(pass, o);
	struct reading r;
	struct arena batch;

	out_open(o);
	o->w.source_format = STR("otutl");
	assemble_use(as, (struct assemble_options){ .flags = otutl_read_ops.assemble });
	reading_init(&r, &otutl_dialect);
	arena_init(&batch);
	while (text.n && !o->failed) {
		size_t n = feed_cut(text, lines);
		char *copy = test_alloc(n + JSON_PAD);

		memcpy(copy, text.p, n);
		arena_reset(&batch);
		reading_chunk(&r, &batch, str_of(copy, n), 1, true);
		for (size_t i = 0; i < r.count && !o->failed; i++)
			o->failed = !assemble_add(as, &r.events[i], &o->err);
		memset(copy, 'x', n);
		text = str_of(text.p + n, text.n - n);
	}
	CHECK(!o->failed && assemble_end(as, true, &o->err));
	reading_free(&r);
	arena_free(&batch);
	assemble_close(as);
	return out_end(o);
}

/* Shows the first line that differs. */
static void check_equal(struct str got, struct str want)
{
	while (got.n && want.n)
		CHECK_STR(str_cut(got, '\n', &got), str_cut(want, '\n', &want));
	CHECK_STR(got, want);
}

/* No error in it, every line canonical; gives how many warnings it has. */
static size_t check_log(struct str text)
{
	struct feed f = { .lossy = false };
	size_t warnings;

	feed_log(&f, text);
	for (size_t i = 0; i < f.findings.kept_count; i++)
		if (f.findings.kept[i].severity == SEV_ERROR)
			FAIL("line %llu: %s %.*s\n%.*s", (unsigned long long)f.findings.kept[i].at.line,
			     f.findings.kept[i].code, STR_ARG(f.findings.kept[i].message), STR_ARG(text));
	check_equal(buf_str(&f.canonical), text);
	warnings = f.findings.warnings;
	feed_free(&f);
	return warnings;
}

/* ---- records ---- */

TEST(a_string_has_the_escapes_of_the_canonical_form)
{
	char text[600], want[3700];
	struct buf got = { 0 };

	for (size_t n = 0; n < 600; n++) {
		for (size_t i = 0; i < n; i++)
			text[i] = (char)(i % 5 ? 'a' + i % 26 : i / 5 % 128);
		buf_clear(&got);
		otutl_put_text(&got, str_of(text, n));
		want[0] = '"';
		want[1 + text_escape(want + 1, str_of(text, n))] = '"';
		CHECK_STR(buf_str(&got), str_of(want, 2 + text_escape(want + 1, str_of(text, n))));
		want[1 + text_escape(want + 1, str_of(text, n))] = '"';
	}
	buf_free(&got);
}

/* A run, a step and its cost. */
static void fill_answers(struct event *e)
{
	e[0].agent = STR("a");
	e[0].agent_version = STR("2");
	e[0].framework = STR("claude_code");
	e[0].model = e[1].model = e[2].model = STR("m");
	e[0].parent_run = STR("p");
	e[0].tools = STR("[1]");
	e[0].vendor = STR("v");
	e[1].flags = EVENT_PARTIAL | EVENT_STREAM;
	e[1].calls = STR("[\"c\"]");
	e[1].endpoint = STR("e");
	e[1].provider = STR("p");
	e[1].request_id = STR("q");
	e[1].parent = STR("x");
	e[1].reasoning = STR("r");
	e[1].step = e[2].step = STR("s");
	e[1].stop_reason = STR("stop");
	e[1].text = STR("a\n");
	e[1].tool_choice = STR("auto");
	e[1].latency_ms = AMOUNT(1.5);
	e[1].ttft_ms = AMOUNT(0.25);
	e[1].usage.input = FIGURE(0);
	e[1].usage.output = (struct figure){ FIGURE_KNOWN, FIGURE_ESTIMATED, 7 };
	e[1].usage.cache_read.state = FIGURE_NULL;
	e[2].usage.input = FIGURE(9);
	e[2].usage.cache_write = FIGURE(4);
	e[2].usage.cache_write_1h = FIGURE(3);
	e[2].usd = (struct amount){ FIGURE_KNOWN, FIGURE_ESTIMATED, 0.5 };
	e[2].price_table = STR("t");
}

/* A call, its result, a call inside it, its error, the end. */
static void fill_calls(struct event *e)
{
	e[0].step = STR("s");
	e[0].call = e[1].call = e[2].parent = STR("c");
	e[0].args = STR("{\"a\":1}");
	e[0].flags = EVENT_RAW_ARGS;
	e[0].tool = STR("do");
	e[1].content = STR("\"r\"");
	e[1].is_error = TRUTH_TRUE;
	e[1].exit_code = FIGURE((uint64_t)-1);
	e[1].duration_ms = AMOUNT(2);
	e[1].stall_ms.state = FIGURE_NULL;
	e[1].media = STR("[\"image/png\"]");
	e[2].call = e[3].call = STR("d");
	e[2].tool = STR("x");
	e[2].server = STR("srv");
	e[3].class = STR("tool");
	e[3].code = STR("no_result");
	e[3].text = STR("m");
	e[3].retryable = TRUTH_FALSE;
	e[4].status = STATUS_SUCCESS;
	e[4].reason = STR("r");
	e[4].output = STR("{\"x\":1}");
}

TEST(every_record_is_canonical_and_has_the_members_its_event_has)
{
	struct event e[] = { make(EVENT_RUN_START), make(EVENT_STEP), make(EVENT_COST),	  make(EVENT_CALL),
			     make(EVENT_RESULT),    make(EVENT_CALL), make(EVENT_ERROR), make(EVENT_RUN_END) };
	static const char *const want[] = {
		"{\"agent\":{\"name\":\"a\",\"version\":\"2\"},\"framework\":\"claude_code\",\"model\":\"m\",\"otutl\":\"1\","
		"\"parent_run_id\":\"p\"," TAIL("0") ",\"source\":{\"file_sha256\":\"ab\",\"format\":\"test\"},"
		"\"tools\":[1]" AT_TS "\"run_start\",\"vendor\":\"v\",\"vendor_run_id\":\"" ID "\"}",
		"{\"call_ids\":[\"c\"],\"endpoint\":\"e\",\"latency_ms\":1.5,\"model\":\"m\",\"parent_call_id\":\"x\",\"partial\":true,"
		"\"provider\":\"p\",\"reasoning\":\"r\",\"request_id\":\"q\"," TAIL("1") ",\"step_id\":\"s\","
		"\"stop_reason\":\"stop\",\"stream\":true,\"text\":\"a\\n\",\"tool_choice\":\"auto\""
		",\"ts\":\"2026-05-01T12:00:00.000Z\",\"ttft_ms\":0.25,\"type\":\"model_step\",\"usage\":{"
		"\"cache_read_tokens\":null,\"estimated\":[\"output_tokens\"],\"input_tokens\":0,\"output_tokens\":7,"
		"\"source\":\"mixed\"}}",
		"{\"cache_write_1h_tokens\":3,\"cache_write_tokens\":4,\"cost_source\":\"estimated\",\"estimated_cost_usd\":0.5,"
		"\"model\":\"m\",\"price_table\":\"t\"," TAIL("2") ",\"source\":\"api\",\"step_id\":\"s\","
		"\"tokens_in\":9" AT_TS "\"cost\"}",
		"{\"args\":{\"a\":1},\"args_encoding\":\"raw\",\"call_id\":\"c\"," TAIL("3") ",\"step_id\":\"s\","
		"\"tool\":\"tool://v/do\"" AT_TS "\"tool_call\"}",
		"{\"call_id\":\"c\",\"duration_ms\":2,\"exit_code\":-1,\"is_error\":true,\"media\":[\"image/png\"],\"result\":\"r\","
		TAIL("4") ",\"stall_ms\":null" AT_TS "\"tool_result\"}",
		"{\"args\":{},\"call_id\":\"d\",\"parent_call_id\":\"c\"," TAIL("5") ",\"tool\":\"mcp://srv/x\"" AT_TS
		"\"tool_call\"}",
		"{\"call_id\":\"d\",\"class\":\"tool\",\"code\":\"no_result\",\"message\":\"m\",\"retryable\":false," TAIL("6")
		AT_TS "\"error\"}",
		"{\"output\":{\"x\":1},\"reason\":\"r\"," TAIL("7") ",\"status\":\"success\",\"totals\":{"
		"\"cache_read_tokens\":null,\"cache_write_1h_tokens\":3,\"cache_write_tokens\":4,\"duration_ms\":0,\"errors\":1,"
		"\"estimated_cost_usd\":0.5,\"model_steps\":1,\"reasoning_tokens\":null,\"tokens_in\":9,\"tokens_out\":null,"
		"\"tool_calls\":2,\"tool_results\":1}" AT_TS "\"run_end\"}",
	};
	struct out o;
	struct str text;

	fill_answers(e);
	fill_calls(e + 3);
	out_open(&o);
	o.w.source_sha256 = STR("ab");
	for (size_t i = 0; i < COUNT(e); i++)
		out_add(&o, &e[i]);
	text = out_end(&o);
	for (size_t i = 0; i < COUNT(want); i++)
		CHECK_STR(line_of(text, i), str_from(want[i]));
	check_log(text);
	CHECK_STR(convert(text, 0), text);
}

TEST(absent_null_false_and_zero_are_four_things)
{
	static const struct {
		uint8_t is_error, state;
		uint64_t n;
		const char *want;
	} cases[] = {
		{ TRUTH_ABSENT, FIGURE_ABSENT, 0, "{\"call_id\":\"c\"," },
		{ TRUTH_NULL, FIGURE_NULL, 0, "{\"call_id\":\"c\",\"exit_code\":null,\"is_error\":null," },
		{ TRUTH_FALSE, FIGURE_KNOWN, 0, "{\"call_id\":\"c\",\"exit_code\":0,\"is_error\":false," },
		{ TRUTH_TRUE, FIGURE_KNOWN, 1, "{\"call_id\":\"c\",\"exit_code\":1,\"is_error\":true," },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event start = make(EVENT_RUN_START), call = make(EVENT_CALL), result = make(EVENT_RESULT);
		struct out o;
		struct str text;

		call.call = result.call = STR("c");
		call.tool = STR("t");
		result.is_error = cases[i].is_error;
		result.exit_code = (struct figure){ cases[i].state, FIGURE_API, cases[i].n };
		out_open(&o);
		out_add(&o, &start);
		out_add(&o, &call);
		out_add(&o, &result);
		text = out_end(&o);
		CHECK(str_starts(line_of(text, 2), str_from(cases[i].want)));
		check_log(text);
		CHECK_INT(str_find(convert(text, 1), line_of(text, 2)) != (size_t)-1, 1);
		buf_free(&o.bytes);
	}
}

TEST(ext_holds_what_has_no_field_and_what_we_know_about_the_record)
{
	struct event start = make(EVENT_RUN_START), step = make(EVENT_STEP), end = make(EVENT_RUN_END);
	struct bignum big = { .pointer = STR("/args/a") };
	struct extra ours = { .key = STR("trackway/1"), .json = STR("{\"call_id\":\"x\",\"zz\":1}") },
		     vendor = { .next = &ours, .key = STR("vendor/1"), .json = STR("{\"a\":1}") };
	struct out o;
	struct str text;

	step.extras = &vendor;
	step.bignums = &big;
	step.branch = STR("sub");
	step.flags = EVENT_INFERRED;
	step.ts.source = MOMENT_DERIVED;
	step.latency_ms = (struct amount){ FIGURE_KNOWN, FIGURE_ESTIMATED, 5 };
	out_open(&o);
	out_add(&o, &start);
	out_add(&o, &step);
	out_add(&o, &end);
	text = out_end(&o);
	CHECK_STR(line_of(text, 1),
		  STR("{\"ext\":{\"trackway/1\":{\"bigint\":[\"/args/a\"],\"branch\":\"sub\",\"call_id\":\"x\",\"derived\":"
		      "[\"latency_ms\"],\"inferred\":true,\"ts_source\":\"derived\",\"zz\":1},\"vendor/1\":{\"a\":1}},"
		      "\"latency_ms\":5," TAIL("1") AT_TS "\"model_step\"}"));
	check_log(text);
	CHECK_STR(convert(text, 1), text);
}

/* ---- messages and notes ---- */

TEST(messages_are_in_the_request_of_the_next_step_of_their_branch)
{
	struct event start = make(EVENT_RUN_START), m = make(EVENT_MESSAGE), step = make(EVENT_STEP), end = make(EVENT_RUN_END);
	struct out o;
	struct str text;

	out_open(&o);
	out_add(&o, &start);
	m.role = STR("user");
	m.content = STR("\"one\"");
	out_add(&o, &m);
	m.branch = STR("b");
	m.content = STR("\"two\"");
	m.ts.source = MOMENT_INHERITED;
	out_add(&o, &m);
	out_add(&o, &step);
	m.content = STR("\"three\"");
	out_add(&o, &m);
	out_add(&o, &end);
	text = out_end(&o);
	CHECK_STR(line_of(text, 1), STR("{\"request\":{\"messages\":[{\"content\":\"one\",\"role\":\"user\","
					"\"ts\":\"2026-05-01T12:00:00.000Z\"}]}," TAIL("1") AT_TS "\"model_step\"}"));
	CHECK(str_starts(line_of(text, 2),
			 STR("{\"request\":{\"messages\":[{\"content\":\"two\",\"ext\":{\"trackway/1\":{\"branch\":\"b\"}},"
			     "\"role\":\"user\"},{\"content\":\"three\",\"ext\":{\"trackway/1\":{\"branch\":\"b\"}},"
			     "\"role\":\"user\"}]},")));
	check_log(text);
	CHECK_STR(convert(text, 0), text);
}

TEST(notes_ride_on_the_next_record)
{
	struct event start = make(EVENT_RUN_START), note = make(EVENT_NOTE), step = make(EVENT_STEP), end = make(EVENT_RUN_END);
	struct out o;
	struct str text;

	note.role = STR("hook");
	note.content = STR("{\"x\":1}");
	out_open(&o);
	out_add(&o, &start);
	out_add(&o, &note);
	note.ts.source = MOMENT_INHERITED;
	out_add(&o, &note);
	out_add(&o, &step);
	out_add(&o, &end);
	text = out_end(&o);
	CHECK_STR(line_of(text, 1),
		  STR("{\"ext\":{\"trackway/1\":{\"notes\":[{\"content\":{\"x\":1},\"name\":\"hook\",\"ts\":"
		      "\"2026-05-01T12:00:00.000Z\"},{\"content\":{\"x\":1},\"name\":\"hook\"}]}}," TAIL("1") AT_TS
		      "\"model_step\"}"));
	check_log(text);
	CHECK_STR(convert(text, 1), text);
}

TEST(very_many_notes_get_a_record_that_carries_them)
{
	struct event start = make(EVENT_RUN_START), note = make(EVENT_NOTE), end = make(EVENT_RUN_END);
	size_t n = (size_t)1 << 20;
	char *big = test_alloc(n);
	struct out o;
	struct str text, second;

	memset(big, 'x', n);
	big[0] = big[n - 1] = '"';
	note.role = STR("n");
	note.content = str_of(big, n);
	out_open(&o);
	out_add(&o, &start);
	for (int i = 0; i < 9; i++)
		out_add(&o, &note);
	out_add(&o, &end);
	text = out_end(&o);
	CHECK(feed_count_lines(text) == 4);
	second = line_of(text, 1);
	CHECK(str_starts(second, STR("{\"ext\":{\"trackway/1\":{\"carrier\":true,\"notes\":[")));
	CHECK(str_ends(second, STR("\"type\":\"cost\"}")));
	check_log(text);
	CHECK(str_eq(convert(text, 0), text));
}

TEST(a_record_beyond_the_limit_is_an_error)
{
	struct event start = make(EVENT_RUN_START), step = make(EVENT_STEP);
	size_t n = OTUTL_RECORD_MAX;
	char *big = test_alloc(n);
	struct out o;

	memset(big, 'x', n);
	step.text = str_of(big, n);
	step.line = 7;
	out_open(&o);
	out_add(&o, &start);
	CHECK(!o.failed);
	out_add(&o, &step);
	CHECK(o.failed && o.err.kind == ERR_LIMIT);
	CHECK_STR(str_from(o.err.text), STR("line 7 would become a record of 64 MiB; OTUTL's limit is 64 MiB"));
	otutl_write_ops.close(o.writer);
	buf_free(&o.bytes);
}

/* ---- ids of runs ---- */

static struct str run_id_of(struct str line)
{
	return str_of(line.p + str_find(line, STR("\"run_id\":\"")) + 10, 36);
}

static struct str write_runs(const char *const texts[], size_t count, struct str run, const char *sha256)
{
	struct out *o = test_alloc(sizeof(*o));

	out_open(o);
	o->w.source_sha256 = sha256 ? str_from(sha256) : str_of(NULL, 0);
	for (size_t i = 0; i < count; i++) {
		struct event start = make(EVENT_RUN_START), step = make(EVENT_STEP), end = make(EVENT_RUN_END);

		start.run = run;
		step.text = str_from(texts[i]);
		out_add(o, &start);
		out_add(o, &step);
		out_add(o, &end);
	}
	return out_end(o);
}

TEST(a_run_without_an_id_gets_one_made_of_its_content)
{
	static const char *const texts[] = { "one", "two", "one" };
	struct str none = { NULL, 0 }, log = write_runs(texts, 3, none, NULL), file = write_runs(texts, 3, none, "abcd");
	struct str first = run_id_of(line_of(log, 0)), second = run_id_of(line_of(log, 3)), third = run_id_of(line_of(log, 6));

	check_log(log);
	CHECK_STR(run_id_of(line_of(log, 1)), first);
	CHECK_STR(run_id_of(line_of(log, 2)), first);
	CHECK(!str_eq(first, second) && !str_eq(first, third) && !str_eq(second, third));
	/* where it was read from makes no difference */
	CHECK_STR(run_id_of(line_of(file, 0)), first);
	CHECK_STR(run_id_of(line_of(write_runs(texts + 1, 1, none, NULL), 0)), second);
	CHECK_STR(convert(log, 1), log);
}

TEST(runs_of_one_vendor_id_are_told_apart)
{
	static const char *const texts[] = { "one", "two" };
	struct str log = write_runs(texts, 2, STR("session-1"), NULL);

	check_log(log);
	CHECK(!str_eq(run_id_of(line_of(log, 0)), run_id_of(line_of(log, 3))));
	CHECK_STR(run_id_of(line_of(log, 0)), run_id_of(line_of(write_runs(texts + 1, 1, STR("session-1"), NULL), 0)));
}

TEST(a_long_run_without_an_id_is_let_go_before_it_ends)
{
	struct event start = make(EVENT_RUN_START), step = make(EVENT_STEP), end = make(EVENT_RUN_END);
	size_t n = (size_t)100 << 10;
	char *big = test_alloc(n);
	struct out o;
	struct str text;

	memset(big, 'x', n);
	start.run = str_of(NULL, 0);
	step.text = str_of(big, n);
	out_open(&o);
	out_add(&o, &start);
	out_add(&o, &step);
	CHECK_INT(o.bytes.n, 0);
	for (int i = 0; i < 15; i++)
		out_add(&o, &step);
	CHECK(o.bytes.n > (size_t)1 << 20);
	out_add(&o, &end);
	text = out_end(&o);
	CHECK_INT(feed_count_lines(text), 18);
	check_log(text);
	CHECK(str_eq(convert(text, 3), text));
}

/* ---- whatever comes ---- */

TEST(what_the_rules_forbid_is_written_as_something_else)
{
	static const struct {
		const char *name, *want;
		enum event_kind kinds[4];
		const char *calls[4];
		const char *parents[4];
	} cases[] = {
		{ "a result without a call", "\"code\":\"orphan_result\"", { EVENT_RESULT }, { "c" }, { NULL } },
		{ "a second result", "\"call_id\":\"c\",\"result\":\"r\"",
		  { EVENT_CALL, EVENT_RESULT, EVENT_RESULT }, { "c", "c", "c" }, { NULL } },
		{ "a second call", "\"name\":\"repeated_call\"", { EVENT_CALL, EVENT_CALL, EVENT_RESULT }, { "c", "c", "c" }, { NULL } },
		{ "a call that is never answered", "\"code\":\"no_result\"", { EVENT_CALL }, { "c" }, { NULL } },
		{ "an error about a call that is over", "{\"ext\":{\"trackway/1\":{\"call_id\":\"c\"}}",
		  { EVENT_CALL, EVENT_RESULT, EVENT_ERROR }, { "c", "c", "c" }, { NULL } },
		{ "a parent that nobody knows", "\"parent_call_id\":\"p\"", { EVENT_CALL }, { "c" }, { "p" } },
		{ "a call inside itself", "\"trackway/1\":{\"parent_call_id\":\"c\"}", { EVENT_CALL }, { "c" }, { "c" } },
		{ "a call without an id", "\"call_id\":\"call_1\"", { EVENT_CALL }, { "" }, { NULL } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event start = make(EVENT_RUN_START), end = make(EVENT_RUN_END);
		struct out o;
		struct str text;

		test_case("%s", cases[i].name);
		out_open(&o);
		out_add(&o, &start);
		for (size_t k = 0; k < 4 && cases[i].calls[k]; k++) {
			struct event e = make(cases[i].kinds[k]);

			e.call = str_from(cases[i].calls[k]);
			e.tool = STR("t");
			e.content = STR("\"r\"");
			e.parent = cases[i].parents[k] ? str_from(cases[i].parents[k]) : str_of(NULL, 0);
			out_add(&o, &e);
		}
		out_add(&o, &end);
		text = out_end(&o);
		CHECK(str_find(text, str_from(cases[i].want)) != (size_t)-1);
		check_log(text);
		CHECK_STR(convert(text, 0), text);
		buf_free(&o.bytes);
	}
}

TEST(a_name_that_is_no_uri_becomes_one)
{
	static const char *const names[] = { "Delegate work to coworker", "a:b c", "tool://x/ y", "\xc3\xa4", "", "::", "%zz",
					     "http://[::1", "x\ny", "mcp__a__b", "mcp://s/t", "1:2" };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct event start = make(EVENT_RUN_START), call = make(EVENT_CALL), end = make(EVENT_RUN_END);
		struct out o;
		struct str text;

		test_case("%s", names[i]);
		call.call = STR("c");
		call.tool = str_from(names[i]);
		start.vendor = i % 2 ? STR("v") : STR("a b/c");
		out_open(&o);
		out_add(&o, &start);
		out_add(&o, &call);
		out_add(&o, &end);
		text = out_end(&o);
		check_log(text);
		CHECK_STR(convert(text, 0), text);
		buf_free(&o.bytes);
	}
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

TEST(any_sequence_of_events_gives_a_valid_log_that_comes_back_as_it_is)
{
	static const char *const ids[] = { "a", "b", "c", "d", "e", NULL, "" };
	uint32_t state = 1;

	for (int round = 0; round < 300; round++) {
		struct out o;
		struct str text;
		bool ended = false;

		out_open(&o);
		for (int i = 0; i < 60 && !(i > 30 && ended); i++) {
			uint32_t kind = next_random(&state) % 40;
			struct event e = make((enum event_kind)(kind < EVENT_KINDS ? kind : 1 + kind % (EVENT_RUN_END - 1)));
			const char *call = ids[next_random(&state) % COUNT(ids)], *parent = ids[next_random(&state) % COUNT(ids)];

			e.kind = i == 59 ? EVENT_RUN_END : e.kind;
			ended = e.kind == EVENT_RUN_END;
			e.call = call ? str_from(call) : str_of(NULL, 0);
			e.parent = parent && next_random(&state) % 2 ? str_from(parent) : str_of(NULL, 0);
			e.branch = next_random(&state) % 3 ? str_of(NULL, 0) : STR("sub");
			e.role = STR("r");
			e.content = next_random(&state) % 2 ? STR("\"x\"") : str_of(NULL, 0);
			e.ts.source = (uint8_t)(next_random(&state) % 4);
			if (e.ts.source == MOMENT_NONE && next_random(&state) % 2)
				e.ts.text = str_of(NULL, 0);
			e.usage.input = (struct figure){ (uint8_t)(next_random(&state) % 3), 0, next_random(&state) };
			e.usage.output = (struct figure){ (uint8_t)(next_random(&state) % 3), next_random(&state) % 2, 5 };
			e.flags = next_random(&state) % 2 ? EVENT_INFERRED : EVENT_PARTIAL;
			e.tool = STR("t");
			if (e.kind == EVENT_RUN_START && next_random(&state) % 2)
				e.run = str_of(NULL, 0);
			out_add(&o, &e);
		}
		text = out_end(&o);
		CHECK(!o.failed);
		check_log(text);
		check_equal(convert(text, 1 + (size_t)round % 5), text);
		buf_free(&o.bytes);
	}
}

/* ---- foreign logs ---- */

/* A log comes out as it went in, in canonical form. */
static void check_same(struct str text)
{
	struct feed f = { .lossy = false };
	struct str canonical;

	feed_log(&f, text);
	CHECK_INT(f.findings.errors, 0);
	canonical = buf_str(&f.canonical);
	CHECK_STR(convert(canonical, 0), canonical);
	CHECK_STR(convert(text, 1), canonical);
	feed_free(&f);
}

#define BEGIN "{\"type\":\"run_start\",\"run_id\":\"" ID "\",\"seq\":1,\"ts\":\"2026-05-01T12:00:00.000Z\""
#define NEXT(type, seq) \
	"{\"type\":\"" type "\",\"run_id\":\"" ID "\",\"seq\":" seq ",\"ts\":\"2026-05-01T12:00:00.000Z\""
#define END NEXT("run_end", "3") "}\n"

TEST(a_foreign_log_comes_out_as_it_went_in)
{
	static const char *const logs[] = {
		/* nothing that our writer adds is added */
		BEGIN "}\n" NEXT("run_end", "2") "}\n",
		/* other members, other types, other spellings */
		BEGIN ",\"agent\":\"bob\",\"budget\":{\"max\":1},\"seed\":5,\"source\":7,\"otutl\":1}\n" NEXT("model_step", "2")
		",\"usage\":{\"input_tokens\":5,\"total\":9},\"text\":null,\"partial\":false,\"stream\":\"no\",\"response\":{}}\n" END,
		BEGIN ",\"agent\":{\"name\":\"x\",\"role\":\"y\"},\"ext\":{}}\n" NEXT("model_step", "2")
		",\"usage\":{},\"request\":{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\",\"name\":\"n\"}]}}\n" END,
		BEGIN ",\"agent\":{\"name\":5}}\n" NEXT("model_step", "2")
		",\"usage\":{\"input_tokens\":1,\"source\":\"vendor\",\"estimated\":true},\"request\":{\"messages\":[]}}\n" END,
		BEGIN ",\"agent\":{}}\n" NEXT("model_step", "2")
		",\"usage\":{\"input_tokens\":1.5,\"output_tokens\":\"3\",\"source\":\"api\"},\"request\":\"sha\",\"latency_ms\":\"x\"}\n" END,
		BEGIN ",\"totals\":1,\"ext\":{\"x\":5}}\n" NEXT("cost", "2")
		",\"tokens_in\":1,\"tokens_out\":null,\"estimated_cost_usd\":0.1}\n" END,
		BEGIN "}\n" NEXT("cost", "2") ",\"tokens_in\":1,\"source\":\"mixed\",\"estimated\":[\"x\"],\"cost_source\":null}\n"
		NEXT("run_end", "3") ",\"totals\":{\"cost\":3},\"status\":\"fine\",\"request\":{\"messages\":[{}]}}\n",
		BEGIN "}\n" NEXT("error", "2") ",\"call_id\":\"nobody\",\"message\":{\"a\":1},\"retryable\":\"yes\","
		"\"ext\":{\"trackway/1\":{\"ts_source\":\"mine\",\"notes\":[1],\"branch\":5,\"inferred\":false,\"bigint\":[]}}}\n" END,
		BEGIN "}\n" NEXT("error", "2") ",\"ext\":{\"trackway/1\":{},\"trackway/2\":1,\"\xc3\xa9\":{\"b\":1,\"a\":2}}}\n" END,
		BEGIN "}\n" NEXT("error", "2") ",\"ext\":{\"trackway/1\":{\"derived\":[\"ttft_ms\"],\"partial\":true,\"carrier\":true}}}\n" END,
		/* calls */
		BEGIN "}\n" NEXT("tool_call", "2") ",\"call_id\":\"c\",\"tool\":\"shell://local/ls\",\"args\":\"text\",\"args_encoding\":\"x\"}\n"
		NEXT("tool_result", "3") ",\"call_id\":\"c\",\"chunks\":[{\"data\":\"a\",\"t_ms\":1},{\"data\":\"b\"}],\"result\":\"ab\","
		"\"exit_code\":-2,\"is_error\":0}\n" NEXT("run_end", "4") "}\n",
		BEGIN "}\n" NEXT("tool_call", "2") ",\"call_id\":\"c\",\"tool\":\"tool://a/b/c?d#e\",\"args\":[1,2.50]}\n"
		NEXT("error", "3") ",\"call_id\":\"c\",\"code\":7}\n" NEXT("run_end", "4") "}\n",
		/* times */
		BEGIN "}\n{\"type\":\"error\",\"run_id\":\"" ID "\",\"seq\":2,\"ts\":\"2026-05-01t12:00:00.0001+02:00\"}\n" END,
	};

	for (size_t i = 0; i < COUNT(logs); i++) {
		test_case("log %zu", i);
		check_same(str_from(logs[i]));
	}
}

TEST(the_valid_logs_of_the_checker_come_out_as_they_went_in)
{
	static const char *const files[] = { "valid", "chunks_add_up", "no_skew", "seq_from_1", "two_runs",
					     "W_ARGS_STRING", "W_NONCHAR", "W_TS", "W_TS_BACKWARDS", "W_URI_CREDENTIALS",
					     "W_UUID7_SKEW", "W_PARENT_CLOSED", "W_BLANK", "W_NO_FINAL_LF" };

	for (size_t i = 0; i < COUNT(files); i++) {
		char path[64];

		test_case("%s", files[i]);
		snprintf(path, sizeof(path), "otutl/%s.jsonl", files[i]);
		check_same(test_data(path));
	}
}

TEST(the_invalid_logs_of_the_checker_come_out_valid)
{
	static const char *const files[] = {
		"E_ARGS_MISSING", "E_BOM", "E_CALL_DUP", "E_CALL_ID", "E_CALL_UNRESOLVED", "E_CHUNKS_CONCAT", "E_CTRL", "E_DEPTH",
		"E_DUP_KEY", "E_NOT_OBJECT", "E_NUM_RANGE", "E_NUM_UNDERFLOW", "E_NUM_UNSAFE_INT", "E_PARENT_UNKNOWN",
		"E_RESULT_DUP", "E_RESULT_ORPHAN", "E_RUN_END", "E_RUN_ID_MIXED", "E_RUN_START", "E_RUN_START_missing",
		"E_SEQ_DUP", "E_SEQ_GAP", "E_SEQ_START", "E_SEQ_TYPE", "E_SURROGATE", "E_SYNTAX", "E_TOOL_URI",
		"E_TOOL_URI_missing", "E_TORN_TAIL", "E_TORN_TAIL_in_character", "E_TRAILING", "E_TS", "E_TYPE", "E_UTF8",
		"E_UUID7", "two_runs_first_not_ended", "two_runs_second_bad", "W_CALL_OPEN", "W_PARTIAL", "depth_limit", "not_torn",
	};

	for (size_t i = 0; i < COUNT(files); i++) {
		char path[64];
		struct str text;

		test_case("%s", files[i]);
		snprintf(path, sizeof(path), "otutl/%s.jsonl", files[i]);
		text = convert(test_data(path), 0);
		CHECK(text.n > 0);
		check_log(text);
		CHECK_STR(convert(text, 1), text);
	}
}

TEST(a_log_that_is_against_the_rules_comes_out_valid)
{
	static const char *const logs[] = {
		"{\"type\":\"run_start\",\"run_id\":\"x\",\"seq\":7,\"ts\":\"yesterday\"}\n{\"type\":\"nonsense\"}\n",
		"{\"type\":\"tool_result\",\"call_id\":5,\"result\":1}\n",
		"{\"type\":\"tool_call\",\"tool\":5,\"args\":1}\n{\"type\":\"run_start\"}\n{\"type\":\"run_start\"}\n",
		"{\"type\":\"tool_call\",\"call_id\":\"c\",\"tool\":\"no uri\",\"a\":1,\"a\":2}\n5\n[]\n{}\n",
		"{\"type\":\"tool_call\",\"call_id\":\"c\",\"tool\":\"t:x\",\"args\":{\"n\":12345678901234567890,\"x\":1e400}}\n"
		"{\"type\":\"tool_result\",\"call_id\":\"c\",\"result\":\"ab\",\"chunks\":[{\"data\":\"a\"}],\"exit_code\":1e20}\n",
		"{\"type\":\"error\",\"message\":\"\\ud800\",\"ext\":{\"a\":1,\"a\":2}}\n{\"type\":\"run_end\"}\n{\"type\":\"run_end\"}\n",
		"not json\n{\"type\":\"cost\",\"tokens_in\":1e300,\"estimated_cost_usd\":1e300}\n",
		"{\"type\":\"run_start\",\"run_id\":\"" ID "\",\"seq\":0,\"ts\":\"2026-05-01T12:00:00.000Z\",\"type\":\"run_start\"}\n",
	};

	for (size_t i = 0; i < COUNT(logs); i++) {
		struct str text;

		test_case("log %zu", i);
		text = convert(str_from(logs[i]), 1);
		CHECK(text.n > 0);
		check_log(text);
		CHECK_STR(convert(text, 0), text);
	}
}
