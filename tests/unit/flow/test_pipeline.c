#include "flow/pipeline.h"

#include "dialect/target.h"
#include "harness/convert.h"
#include "harness/test.h"

/* What the pipeline does with its outputs, in words. */
struct log {
	struct buf text;
	bool refuse;
};

static bool open_one(void *context, struct str input, uint64_t run, struct err *err)
{
	struct log *l = context;

	(void)err;
	buf_printf(&l->text, "open %.*s %llu\n", STR_ARG(input), (unsigned long long)run);
	return true;
}

static bool put(void *context, struct str bytes, struct err *err)
{
	struct log *l = context;
	struct str left = bytes, line;

	if (l->refuse)
		return err_set(err, ERR_IO, "full");
	while (left.n) {
		size_t at;

		line = str_cut(left, '\n', &left);
		at = str_find(line, STR("\"event_type\":\"summary\""));
		buf_printf(&l->text, "%s\n", at != (size_t)-1 ? "summary" : "line");
	}
	return true;
}

static bool close_one(void *context, struct err *err)
{
	struct log *l = context;

	(void)err;
	buf_add_str(&l->text, STR("close\n"));
	return true;
}

static struct str convert_runs(struct arena *a, const char *to, bool per_run, unsigned runs)
{
	struct log l = { .refuse = false };
	const struct target *target = target_find(str_from(to));
	struct convert_options o = { .to = target->dialect, .variant = target->variant, .per_run = per_run };
	struct pipeline *c;
	struct err err = { .kind = ERR_NONE };
	struct str text;

	buf_init(&l.text);
	c = pipeline_open(&o, (struct convert_sink){ .open = open_one, .put = put, .close = close_one, .context = &l });
	for (unsigned i = 0; i < runs; i++) {
		struct event e[] = {
			{ .kind = EVENT_RUN_START, .run = arena_printf(a, "r%u", i), .index = -1 },
			{ .kind = EVENT_STEP, .step = STR("s"), .text = STR("t"), .index = -1 },
		};
		struct convert_tally tally;

		pipeline_begin(c, dialect_find(STR("atif")), STR("file"), str_of(NULL, 0));
		CHECK(pipeline_add(c, e, 2, &err));
		CHECK(pipeline_end(c, false, &tally, &err));
		CHECK_INT(tally.runs, 1);
		CHECK_INT(tally.events[EVENT_STEP], 1);
	}
	CHECK(pipeline_finish(c, &err));
	CHECK_INT(pipeline_tally(c)->runs, runs);
	pipeline_close(c);
	text = arena_copy(a, buf_str(&l.text));
	buf_free(&l.text);
	return text;
}

TEST(runs_of_one_output_follow_each_other)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(convert_runs(&a, "otutl", false, 2), STR("line\nline\nline\nline\nline\nline\n"));
	CHECK_STR(convert_runs(&a, "otutl", false, 0), STR(""));
	arena_free(&a);
}

TEST(each_run_may_have_an_output_of_its_own)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(convert_runs(&a, "otutl", true, 2),
		  STR("open file 1\nline\nline\nline\nclose\nopen file 1\nline\nline\nline\nclose\n"));
	arena_free(&a);
}

TEST(traces_of_several_runs_are_one_trace_with_one_summary)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(convert_runs(&a, "agent-trace", false, 1), STR("line\nsummary\n"));
	CHECK_STR(convert_runs(&a, "agent-trace", false, 2), STR("line\nline\nline\nline\nsummary\n"));
	CHECK_STR(convert_runs(&a, "agent-trace", true, 2),
		  STR("open file 1\nline\nsummary\nclose\nopen file 1\nline\nsummary\nclose\n"));
	arena_free(&a);
}

TEST(an_output_that_fails_stops_the_conversion)
{
	struct log l = { .refuse = true };
	struct convert_options o = { .to = dialect_find(STR("otutl")) };
	struct event e = { .kind = EVENT_STEP, .step = STR("s"), .index = -1 };
	struct err err = { .kind = ERR_NONE };
	struct pipeline *c = pipeline_open(&o, (struct convert_sink){ .open = open_one, .put = put, .close = close_one, .context = &l });

	pipeline_begin(c, dialect_find(STR("atif")), STR("file"), str_of(NULL, 0));
	CHECK(!(pipeline_add(c, &e, 1, &err) && pipeline_end(c, false, NULL, &err) && pipeline_finish(c, &err)));
	CHECK_INT(err.kind, ERR_IO);
	pipeline_close(c);
}

/* ---- how a run ended, in every format that is written ---- */

#define NODE(stop)                                                                                                  \
	"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"019dfd99-8dfa-7eaf-a895-eb8119e6e5d0\","       \
	"\"node_id\":\"019dfd99-8e2d-7ca0-9f2c-95aa144c1d0f\",\"parent_node_ids\":[],\"timestamp_start\":1778076192.301,"           \
	"\"timestamp_end\":1778076192.391,\"kind\":\"model_call\",\"framework\":\"unknown\",\"model_call\":{\"model\":\"m\","       \
	"\"input_tokens\":1,\"output_tokens\":1,\"stop_reason\":\"" stop "\"}}\n"
#define MARK(kind)                                                                                                  \
	"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"019dfd99-8dfa-7eaf-a895-eb8119e6e5d0\","       \
	"\"node_id\":\"019dfd99-8e2d-7ca0-9f2c-95aa144c1d10\",\"parent_node_ids\":[],\"timestamp_start\":1778076192.391,"           \
	"\"timestamp_end\":1778076192.391,\"kind\":\"" kind "\",\"framework\":\"unknown\"}\n"
#define SUMMARY(status)                                                                                             \
	"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"summary\",\"trace_id\":\"019dfd99-8dfa-7eaf-a895-eb8119e6e5d0\","    \
	"\"started_at\":\"2026-05-06T14:03:12.250Z\",\"completed_at\":\"2026-05-06T14:03:12.400Z\",\"exit_status\":\"" status "\"}\n"
#define TORN "{\"schema_version\":\"agent-trace/v1\",\"event_ty"
#define SESSION(id, text)                                                                                           \
	"{\"timestamp\":\"2025-09-25T01:22:20.084Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\"01997e76-d124-7592-9cac-"     \
	"2ec05abbca0" id "\"}}\n{\"timestamp\":\"2025-09-25T01:22:21.084Z\",\"type\":\"response_item\",\"payload\":{\"type\":"      \
	"\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"" text "\"}]}}\n"
#define CANONICAL "{\"role\":\"user\",\"content\":\"q\",\"event\":\"message\"}\n{\"role\":\"assistant\",\"content\":\"a\",\"event\":\"message\"}\n"

static struct str status_of(struct arena *a, struct str otutl)
{
	return convert_get(a, convert_record(otutl, "run_end", 0), "/status");
}

/* What each format says of the end of a run, when it is read again. */
static void check_end(const char *text, const char *status)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	for (const struct target *t = targets; t->name; t++) {
		test_case("%s: %.60s...%s", t->name, text, status);
		out = convert_text(&a, NULL, str_from(text), t->name);
		CHECK_STR(status_of(&a, convert_text(&a, NULL, out, "otutl")), str_from(status));
	}
	arena_free(&a);
}

TEST(a_trace_without_a_summary_was_interrupted_or_failed_in_every_format)
{
	check_end(NODE("end_turn"), "interrupted");
	check_end(NODE("error"), "error");
	check_end(NODE("error") MARK("retry"), "interrupted");
	check_end(NODE("end_turn") SUMMARY("success"), "success");
	check_end(NODE("end_turn") SUMMARY("error"), "error");
	check_end(NODE("error") SUMMARY("success"), "success"); /* the child's exit decides */
	check_end(NODE("end_turn") SUMMARY("interrupted"), "interrupted");
}

TEST(a_last_line_that_breaks_off_is_an_interrupted_run_in_every_format)
{
	check_end(NODE("end_turn") TORN, "interrupted");
	check_end(CANONICAL "{\"role\":\"user\",\"cont", "interrupted");
	check_end("{\"version\":1,\"format\":\"aec-bench-trajectory\"}\n{\"step\":1,\"role\":\"assistant\",\"content\":\"a\"}\n{\"ste",
		  "interrupted");
	check_end(CANONICAL, "success");
}

TEST(a_rollout_that_was_killed_before_an_answer_is_no_success_in_any_format)
{
	check_end(SESSION("8", "q"), "interrupted");
}

#define RUN_ID "\"run_id\":\"019dfd99-8dfa-7eaf-a895-eb8119e6e5d0\","
#define OTUTL_BEGIN                                                                                                 \
	"{\"otutl\":\"1\"," RUN_ID "\"seq\":0,\"ts\":\"2026-01-01T00:00:00.000Z\",\"type\":\"run_start\"}\n"                  \
	"{\"response\":{\"text\":\"a\"}," RUN_ID "\"seq\":1,\"step_id\":\"s\",\"ts\":\"2026-01-01T00:00:01.000Z\",\"type\":\"model_step\"}\n"
#define OTUTL_END(reason, status) "{" reason RUN_ID "\"seq\":2," status "\"ts\":\"2026-01-01T00:00:01.000Z\",\"type\":\"run_end\"}\n"

/* The same of a log of our own, which must stay as it was; and the reason, where the target has one. */
static void check_end_word(const char *text, const char *status, const char *reason)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	for (const struct target *t = targets; t->name; t++) {
		test_case("%s: %s", t->name, text);
		out = convert_text(&a, NULL, str_from(text), t->name);
		if (str_eq(str_from(t->name), STR("otutl"))) {
			CHECK_STR(out, str_from(text));
			continue;
		}
		out = convert_text(&a, NULL, out, "otutl");
		if (str_eq(str_from(t->name), STR("langsmith"))) { /* it keeps our records word for word */
			CHECK_STR(out, str_from(text));
			continue;
		}
		CHECK_STR(status_of(&a, out), str_from(status));
		if (reason && strcmp(t->name, "agent-trace") != 0)
			CHECK_STR(convert_get(&a, convert_record(out, "run_end", 0), "/reason"), str_from(reason));
	}
	arena_free(&a);
}

TEST(a_log_that_ends_with_an_unknown_word_is_no_success_in_any_format)
{
	check_end_word(OTUTL_BEGIN OTUTL_END("", "\"status\":\"exploded\","), "error", "exploded");
	check_end_word(OTUTL_BEGIN OTUTL_END("\"reason\":\"r\",", "\"status\":\"exploded\","), "error", "r");
	check_end_word(OTUTL_BEGIN OTUTL_END("", "\"status\":7,"), "error", NULL);
	check_end_word(OTUTL_BEGIN OTUTL_END("", "\"status\":null,"), "error", NULL);
	check_end_word(OTUTL_BEGIN OTUTL_END("", ""), "interrupted", NULL);
	check_end_word(OTUTL_BEGIN OTUTL_END("", "\"status\":\"cancelled\","), "interrupted", "cancelled");
	check_end_word(OTUTL_BEGIN OTUTL_END("", "\"status\":\"completed\","), "success", NULL);
	check_end_word(OTUTL_BEGIN OTUTL_END("", "\"status\":\"success\","), "success", NULL);
}

TEST(an_unknown_word_where_our_own_writers_say_how_a_run_ended_is_no_success_either)
{
	static const struct { const char *target, *word, *other; } cases[] = {
		{ "trajectory", "\"run_status\":\"error\"", "\"run_status\":\"exploded\"" },
		{ "conversation", "\"status\":\"error\"", "\"status\":\"exploded\"" },
		{ "atif", "\"status\":\"error\"", "\"status\":\"exploded\"" },
		{ "otlp-json", "\"trackway.status\",\"value\":{\"stringValue\":\"error\"",
		  "\"trackway.status\",\"value\":{\"stringValue\":\"exploded\"" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out = convert_text(&a, NULL, STR(OTUTL_BEGIN OTUTL_END("", "\"status\":\"error\",")), cases[i].target);
		struct str word = str_from(cases[i].word);
		size_t at = str_find(out, word);

		test_case("%s: %.*s", cases[i].target, STR_ARG(out));
		CHECK(at != (size_t)-1);
		out = ARENA_JOIN(&a, str_of(out.p, at), str_from(cases[i].other), str_of(out.p + at + word.n, out.n - at - word.n));
		CHECK_STR(status_of(&a, convert_text(&a, NULL, out, "otutl")), STR("error"));
	}
	arena_free(&a);
}

#define CLAUDE(type, uuid, rest)                                                                                    \
	"{\"type\":\"" type "\",\"uuid\":\"" uuid "\",\"parentUuid\":null,\"isSidechain\":false,\"sessionId\":\"s1\","          \
	"\"version\":\"2.0.1\",\"timestamp\":\"2025-11-03T10:00:00.000Z\"," rest "}\n"
#define CLAUDE_SAID(uuid, text) CLAUDE("assistant", uuid, "\"message\":{\"id\":\"m" uuid "\",\"model\":\"claude-x\",\"role\":"  \
	"\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}")
#define CLAUDE_ASKED(uuid, content) CLAUDE("user", uuid, "\"message\":{\"role\":\"user\",\"content\":" content "}")
#define CLAUDE_TALK CLAUDE_ASKED("1", "\"q\"") CLAUDE_SAID("2", "a")
#define CLAUDE_FAILED(uuid) CLAUDE("assistant", uuid, "\"isApiErrorMessage\":true,\"message\":{\"id\":\"x\",\"model\":"           \
	"\"<synthetic>\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"API Error\"}]}")
#define CLAUDE_SIDE(type, uuid, rest)                                                                               \
	"{\"type\":\"" type "\",\"uuid\":\"" uuid "\",\"parentUuid\":null,\"isSidechain\":true,\"agentId\":\"a1\","             \
	"\"sessionId\":\"s1\",\"version\":\"2.0.1\",\"timestamp\":\"2025-11-03T10:00:00.000Z\",\"message\":{" rest "}}\n"
#define SIDE_SAID(uuid) CLAUDE_SIDE("assistant", uuid, "\"id\":\"n" uuid "\",\"model\":\"claude-x\",\"role\":\"assistant\","     \
	"\"content\":[{\"type\":\"text\",\"text\":\"a\"}]")
#define SIDE_STOPPED(uuid) CLAUDE_SIDE("user", uuid, "\"role\":\"user\",\"content\":[" STOPPED "]")
#define STOPPED "{\"type\":\"text\",\"text\":\"[Request interrupted by user]\"}"

TEST(a_session_that_its_user_interrupted_last_is_no_success_in_any_format)
{
	static const struct { const char *text, *status; } cases[] = {
		{ CLAUDE_TALK CLAUDE_ASKED("3", "[" STOPPED "]"), "interrupted" },
		{ CLAUDE_TALK CLAUDE_ASKED("3", "\"[Request interrupted by user for tool use]\""), "interrupted" },
		{ CLAUDE_TALK CLAUDE_ASKED("3", "[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"no\"}," STOPPED "]"), "interrupted" },
		/* what the program writes by itself afterwards, or the next prompt alone, is no going on */
		{ CLAUDE_TALK CLAUDE_ASKED("3", "[" STOPPED "]") CLAUDE_ASKED("4", "\"<command-name>/exit</command-name>\""), "interrupted" },
		{ CLAUDE_TALK CLAUDE_ASKED("3", "[" STOPPED "]") CLAUDE_ASKED("4", "\"again\""), "interrupted" },
		{ CLAUDE_TALK CLAUDE_ASKED("3", "[" STOPPED "]") CLAUDE_ASKED("4", "\"again\"") CLAUDE_SAID("5", "b"), "success" },
		{ CLAUDE_TALK CLAUDE_ASKED("3", "[" STOPPED "]") CLAUDE_ASKED("4", "\"again\"") CLAUDE_FAILED("5"), "error" },
		{ CLAUDE_TALK CLAUDE_ASKED("3", "[" STOPPED "]") CLAUDE_FAILED("4") CLAUDE_ASKED("5", "\"again\""), "error" },
		{ CLAUDE_TALK CLAUDE_ASKED("3", "\"what does [Request interrupted by user] mean?\"") CLAUDE_SAID("4", "b"), "success" },
		{ CLAUDE_TALK, "success" },
		/* what a sub-agent does decides only where there is nothing else */
		{ CLAUDE_TALK CLAUDE_ASKED("3", "[" STOPPED "]") SIDE_SAID("4"), "interrupted" },
		{ CLAUDE_TALK SIDE_SAID("3") SIDE_STOPPED("4"), "success" },
		{ SIDE_SAID("1") SIDE_STOPPED("2"), "interrupted" },
		{ SIDE_STOPPED("1") SIDE_SAID("2"), "success" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_end(cases[i].text, cases[i].status);
}

#define CLAUDE_CALLED(uuid) CLAUDE("assistant", uuid, "\"message\":{\"id\":\"m" uuid "\",\"model\":\"claude-x\",\"role\":"      \
	"\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Bash\",\"input\":{}}]}")
#define CLAUDE_GAVE(uuid) CLAUDE_ASKED(uuid, "[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"ok\"}]")

TEST(a_session_that_waits_for_an_answer_was_interrupted_in_every_format)
{
	static const struct { const char *text, *status; } cases[] = {
		{ CLAUDE_TALK CLAUDE_ASKED("3", "\"more\""), "interrupted" },
		{ CLAUDE_TALK CLAUDE_CALLED("3"), "interrupted" },
		{ CLAUDE_TALK CLAUDE_CALLED("3") CLAUDE_GAVE("4"), "interrupted" },
		{ CLAUDE_TALK CLAUDE_CALLED("3") CLAUDE_GAVE("4") CLAUDE_SAID("5", "b"), "success" },
		{ CLAUDE_TALK CLAUDE_ASKED("3", "\"more\"") CLAUDE_FAILED("4"), "error" },
		{ CLAUDE_TALK CLAUDE_ASKED("3", "\"<command-name>/exit</command-name>\""), "success" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_end(cases[i].text, cases[i].status);
}

TEST(a_last_line_that_breaks_off_is_told_once)
{
	struct arena a;
	struct converted c;

	arena_init(&a);
	for (const struct target *t = targets; t->name; t++) {
		test_case("%s", t->name);
		c = convert_with(&a, STR(NODE("end_turn") TORN), (struct convert_how){ .to = t->name });
		CHECK(c.torn);
		CHECK_INT(c.unreadable, 0);
		CHECK(str_find(c.losses, STR("error")) == (size_t)-1);
	}
	/* an error record of an earlier conversion is no line of this file */
	c = convert_with(&a, convert_text(&a, NULL, STR(NODE("end_turn") TORN), "otutl"), (struct convert_how){ .to = "agent-trace" });
	CHECK(!c.torn);
	c = convert_with(&a, STR(NODE("end_turn") "{\"a\":\n" NODE("end_turn")), (struct convert_how){ .to = "otutl" });
	CHECK(!c.torn);
	CHECK_INT(c.unreadable, 1);
	arena_free(&a);
}

/* ---- the id of a run ---- */

/* The first UUID behind a name; of OTLP's 32 digits too. */
static struct str id_in(struct arena *a, struct str out, const char *name)
{
	size_t at = str_find(out, str_from(name));
	struct buf b;
	struct str id;

	if (at == (size_t)-1)
		return str_of(NULL, 0);
	buf_init(&b);
	for (at += strlen(name); b.n < 32 && at < out.n; at++)
		if (out.p[at] != '-')
			buf_add_byte(&b, out.p[at]);
	id = arena_copy(a, buf_str(&b));
	buf_free(&b);
	return id;
}

#define ANSWERED                                                                                                        \
	"{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}],"    \
	"\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}\n"

TEST(a_source_without_an_id_has_one_id_whatever_it_is_converted_to)
{
	static const char *const sources[] = {
		CANONICAL,
		"{\"version\":1,\"format\":\"aec-bench-trajectory\"}\n{\"step\":1,\"role\":\"assistant\",\"content\":\"a\"}\n",
		ANSWERED,
	};
	static const struct {
		const char *to, *name;
	} formats[] = { { "agent-trace", "\"trace_id\":\"" }, { "atif", "\"session_id\":\"" }, { "otlp-json", "\"traceId\":\"" } };
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		struct str text = str_from(sources[i]);
		struct str id = id_in(&a, convert_text(&a, NULL, text, "otutl"), "\"run_id\":\"");

		for (size_t k = 0; k < 3; k++) {
			test_case("%zu to %s", i, formats[k].to);
			CHECK_STR(id_in(&a, convert_text(&a, NULL, text, formats[k].to), formats[k].name), id);
		}
	}
	arena_free(&a);
}

/* ---- times ---- */

#define TIMED(line, time)                                                                                            \
	"{\"role\":\"assistant\",\"content\":\"" line "\",\"event\":\"message\",\"occurred_at\":\"2026-01-01T00:00:" time ".000Z\"}\n"

TEST(times_that_go_back_in_the_source_are_marked_in_our_log)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = convert_text(&a, NULL, STR(TIMED("a", "05") TIMED("b", "03") TIMED("c", "04")), "otutl");
	CHECK(!convert_get(&a, convert_record(out, "model_step", 0), "/ext/trackway~11/ts_back").p);
	CHECK_STR(convert_get(&a, convert_record(out, "model_step", 1), "/ext/trackway~11/ts_back"), STR("true"));
	CHECK_STR(convert_get(&a, convert_record(out, "model_step", 1), "/ts"), STR("2026-01-01T00:00:03.000Z"));
	CHECK(!convert_get(&a, convert_record(out, "model_step", 2), "/ext/trackway~11/ts_back").p);
	CHECK_STR(convert_text(&a, NULL, out, "otutl"), out);
	arena_free(&a);
}
