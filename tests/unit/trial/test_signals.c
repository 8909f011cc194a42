/* Signals of transcripts: every rule by a case of its own, where transcripts are found, and the samples of AEC-Bench. */
#include "trial/signals.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "harness/test.h"

#define HEAD "{\"version\":1,\"format\":\"aec-bench-trajectory\"}\n"

/* A file in the directory, made with all of its own directories. */
static struct str write_file(const char *dir, const char *name, const char *text)
{
	char *path = test_alloc(1024);
	FILE *f;

	snprintf(path, 1024, "%s/%s", dir, name);
	for (char *slash = path + strlen(dir) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
	return str_from(path);
}

static struct signals load(struct str path)
{
	struct arena *a = test_alloc(sizeof(*a));
	struct err err = { .kind = ERR_NONE };
	struct signals s;

	arena_init(a);
	if (!signals_load(a, path, &(struct transcript_how){ .jobs = 1 }, &s, &err))
		FAIL("%s", err.text);
	return s;
}

/* "turns 1 messages 2/1 calls 1 results 1 errors 1 output 0 time 5ms/1 bash:1! 'first error'"; ! for each error */
static void check_signals(struct signals s, const char *want)
{
	struct buf got;

	buf_init(&got);
	buf_printf(&got, "%sturns %llu messages %llu/%llu calls %llu results %llu errors %llu output %d",
		   s.has_transcript ? "" : "none ", (unsigned long long)s.turns, (unsigned long long)s.total_messages,
		   (unsigned long long)s.assistant_messages, (unsigned long long)s.tool_calls,
		   (unsigned long long)s.tool_results, (unsigned long long)s.tool_errors, s.wrote_output);
	if (s.timed_results)
		buf_printf(&got, " time %gms/%llu", s.tool_seconds * 1000, (unsigned long long)s.timed_results);
	for (size_t i = 0; i < s.tool_count; i++)
		buf_printf(&got, " %.*s:%llu%s", STR_ARG(s.tools[i].name), (unsigned long long)s.tools[i].calls,
			   s.tools[i].errors == 0 ? "" : s.tools[i].errors == 1 ? "!" : "!!");
	if (s.first_error.p)
		buf_printf(&got, " '%.*s'", STR_ARG(s.first_error));
	CHECK_STR(buf_str(&got), str_from(want));
	buf_free(&got);
}

static void check_text(const char *text, const char *want)
{
	test_case("%s", text);
	check_signals(load(write_file(test_dir(), "log.jsonl", text)), want);
}

#define RESULT(rest) HEAD "{\"step\":1,\"role\":\"tool_result\"," rest "}\n"

TEST(a_trajectory_is_counted_entry_by_entry)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ HEAD "{\"step\":0,\"role\":\"system\",\"content\":\"x\"}\n{\"step\":0,\"role\":\"user\",\"content\":\"x\"}\n\n"
		  "{\"step\":1,\"role\":\"assistant\",\"content\":\"x\"}\n"
		  "{\"step\":1,\"role\":\"tool_call\",\"tool_name\":\"bash\",\"command\":\"ls\"}\n"
		  "{\"step\":1,\"role\":\"tool_result\",\"stdout\":\"x\",\"exit_code\":0,\"duration_ms\":5}\n"
		  "{\"step\":2,\"role\":\"metadata\",\"metadata\":{\"a\":1}}\n",
		  "turns 1 messages 6/1 calls 1 results 1 errors 0 output 0 time 5ms/1 bash:1" },
		/* warm-up never counts; a sub-agent does */
		{ HEAD "{\"step\":1,\"role\":\"assistant\",\"content\":\"x\",\"call_type\":\"warmup\"}\n"
		  "{\"step\":1,\"role\":\"tool_call\",\"tool_name\":\"a\",\"command\":\"output.md\",\"call_type\":\"warmup\"}\n"
		  "{\"step\":1,\"role\":\"tool_result\",\"stderr\":\"x\",\"exit_code\":1,\"call_type\":\"warmup\"}\n"
		  "{\"step\":2,\"role\":\"assistant\",\"content\":\"x\",\"call_type\":\"subagent\"}\n",
		  "turns 1 messages 1/1 calls 0 results 0 errors 0 output 0" },
		{ HEAD "{\"step\":1,\"role\":\"assistant\",\"content\":\"x\",\"call_type\":\"warmup\"}\n",
		  "turns 0 messages 0/0 calls 0 results 0 errors 0 output 0" },
		/* what an error is */
		{ RESULT("\"stderr\":\"Error: x\",\"exit_code\":0"),
		  "turns 0 messages 1/0 calls 0 results 1 errors 0 output 0" },
		{ RESULT("\"stderr\":\"Error: x\",\"exit_code\":null"),
		  "turns 0 messages 1/0 calls 0 results 1 errors 0 output 0" },
		{ RESULT("\"stderr\":\"Error: x\",\"metadata\":{\"is_error\":true}"),
		  "turns 0 messages 1/0 calls 0 results 1 errors 0 output 0" },
		{ RESULT("\"stdout\":\"out\",\"stderr\":\"bad\",\"exit_code\":-1"),
		  "turns 0 messages 1/0 calls 0 results 1 errors 1 output 0 'bad'" },
		/* stderr, else stdout, else content */
		{ RESULT("\"stdout\":\"out\",\"stderr\":\"\",\"content\":\"c\",\"exit_code\":2"),
		  "turns 0 messages 1/0 calls 0 results 1 errors 1 output 0 'out'" },
		{ RESULT("\"content\":\"c\",\"exit_code\":2"),
		  "turns 0 messages 1/0 calls 0 results 1 errors 1 output 0 'c'" },
		{ RESULT("\"exit_code\":2"), "turns 0 messages 1/0 calls 0 results 1 errors 1 output 0" },
		/* the first error that has a text */
		{ RESULT("\"exit_code\":2") "{\"step\":1,\"role\":\"tool_result\",\"stderr\":\"second\",\"exit_code\":1}\n"
		  "{\"step\":1,\"role\":\"tool_result\",\"stderr\":\"third\",\"exit_code\":1}\n",
		  "turns 0 messages 3/0 calls 0 results 3 errors 3 output 0 'second'" },
		/* a call names the output in its command or in its arguments */
		{ HEAD "{\"step\":1,\"role\":\"tool_call\",\"tool_name\":\"b\",\"command\":\"cat > output.jsonl\"}\n",
		  "turns 0 messages 1/0 calls 1 results 0 errors 0 output 1 b:1" },
		{ HEAD "{\"step\":1,\"role\":\"tool_call\",\"tool_name\":\"w\",\"arguments\":{\"path\":\"/w/output.md\"}}\n",
		  "turns 0 messages 1/0 calls 1 results 0 errors 0 output 1 w:1" },
		{ HEAD "{\"step\":1,\"role\":\"tool_call\",\"command\":\"cat output.txt\"}\n",
		  "turns 0 messages 1/0 calls 1 results 0 errors 0 output 0 unknown:1" },
		/* a result's text is no call */
		{ RESULT("\"stdout\":\"output.md\",\"exit_code\":0"),
		  "turns 0 messages 1/0 calls 0 results 1 errors 0 output 0" },
		/* a last line that breaks off is no message, and a line that is no object is none */
		{ HEAD "{\"step\":1,\"role\":\"assistant\",\"content\":\"x\"}\n7\n{\"step\":2,\"role\":\"assi",
		  "turns 1 messages 1/1 calls 0 results 0 errors 0 output 0" },
		{ HEAD, "none turns 0 messages 0/0 calls 0 results 0 errors 0 output 0" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		check_text(cases[i].text, cases[i].want);
}

#define OPENAI(text) "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\"," \
	"\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}\n{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"" text "\"}\n"
#define NO_ERROR "turns 1 messages 2/1 calls 1 results 1 errors 0 output 0 f:1"
#define ONE_ERROR "turns 1 messages 2/1 calls 1 results 1 errors 1 output 0 f:1! "

TEST(a_conversation_is_counted_line_by_line_in_all_three_dialects)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		/* every sign of an error */
		{ OPENAI("fine"), NO_ERROR },
		{ OPENAI("a [exit code: 0]"), NO_ERROR },
		{ OPENAI("a [exit code: 12]"), ONE_ERROR "'a [exit code: 12]'" },
		{ OPENAI("sh: Syntax error x"), ONE_ERROR "'sh: Syntax error x'" },
		{ OPENAI("ValueError: x"), ONE_ERROR "'ValueError: x'" },
		{ OPENAI("Traceback (most recent call last)"), ONE_ERROR "'Traceback (most recent call last)'" },
		{ OPENAI("x: command not found"), ONE_ERROR "'x: command not found'" },
		{ OPENAI("x: No such file or directory"), ONE_ERROR "'x: No such file or directory'" },
		{ OPENAI("x: Permission denied"), ONE_ERROR "'x: Permission denied'" },
		{ OPENAI("an error"), NO_ERROR },
		/* the arguments are a text that holds JSON, or does not */
		{ "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":"
		  "\"{\\\"command\\\":\\\"tee output.md\\\"}\"}},{\"id\":\"b\",\"function\":{\"name\":\"f\",\"arguments\":\"x\"}}]}\n",
		  "turns 1 messages 1/1 calls 2 results 0 errors 0 output 1 f:2" },
		/* anthropic: several results are one message; is_error, or the text, whatever is_error says */
		{ "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"tool_use\",\"id\":\"a\","
		  "\"name\":\"f\",\"input\":{}},{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"g\",\"input\":{}}]}\n"
		  "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"is_error\":true,"
		  "\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\",\"text\":\"two\"}]},"
		  "{\"type\":\"tool_result\",\"tool_use_id\":\"b\",\"is_error\":false,\"content\":\"Error: x\"}]}\n",
		  "turns 1 messages 2/1 calls 2 results 2 errors 2 output 0 f:1! g:1! 'one two'" },
		/* canonical: a call is a line of the assistant, but no turn */
		{ "{\"role\":\"user\",\"content\":\"x\",\"event\":\"message\"}\n"
		  "{\"role\":\"assistant\",\"content\":\"x\",\"event\":\"message\"}\n"
		  "{\"role\":\"assistant\",\"content\":\"{\\\"command\\\":\\\"ls\\\"}\",\"event\":\"tool_call\",\"tool_name\":\"bash\"}\n"
		  "{\"role\":\"tool\",\"content\":\"Error: 1\",\"event\":\"tool_result\",\"tool_name\":\"bash\"}\n",
		  "turns 1 messages 4/2 calls 1 results 1 errors 1 output 0 bash:1! 'Error: 1'" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		check_text(cases[i].text, cases[i].want);
}

#define OTUTL(type, seq, rest) "{\"type\":\"" type "\",\"run_id\":\"r\",\"seq\":" seq ",\"ts\":\"2026-01-01T00:00:00.000Z\"," rest "}\n"

#define RUN(result) OTUTL("run_start", "0", "\"schema_version\":\"1.0\"") \
	OTUTL("model_step", "1", "\"step_id\":\"s\",\"text\":\"x\"") \
	OTUTL("tool_call", "2", "\"step_id\":\"s\",\"call_id\":\"a\",\"tool\":\"mcp://files/read\",\"args\":{}") \
	OTUTL("tool_result", "3", "\"call_id\":\"a\",\"result\":\"Error: x\"" result) \
	OTUTL("run_end", "4", "\"status\":\"success\"")

TEST(another_log_is_counted_by_what_it_says)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ RUN(",\"is_error\":false"), "turns 1 messages 2/1 calls 1 results 1 errors 0 output 0 files.read:1" },
		{ RUN(",\"exit_code\":0"), "turns 1 messages 2/1 calls 1 results 1 errors 0 output 0 files.read:1" },
		{ RUN(",\"is_error\":true"),
		  "turns 1 messages 2/1 calls 1 results 1 errors 1 output 0 files.read:1! 'Error: x'" },
		{ RUN(",\"exit_code\":3,\"is_error\":false"),
		  "turns 1 messages 2/1 calls 1 results 1 errors 1 output 0 files.read:1! 'Error: x'" },
		{ RUN(""), "turns 1 messages 2/1 calls 1 results 1 errors 1 output 0 files.read:1! 'Error: x'" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		check_text(cases[i].text, cases[i].want);
}

TEST(an_agent_trace_is_no_transcript)
{
	check_text("{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"n\","
		   "\"parent_node_ids\":[],\"timestamp_start\":1,\"timestamp_end\":2,\"kind\":\"tool_call\",\"framework\":\"unknown\","
		   "\"tool_call\":{\"name\":\"x\",\"wall_time_seconds\":1,\"is_external\":true,\"is_io_bound\":true}}\n",
		   "none turns 0 messages 0/0 calls 0 results 0 errors 0 output 0");
}

TEST(the_first_error_has_two_hundred_characters_and_no_key)
{
	struct signals s;
	struct buf text;

	buf_init(&text);
	buf_add_str(&text, STR(RESULT("\"exit_code\":1,\"stderr\":\"key ghp_" "0123456789abcdefghijABCDEFGHIJ012345 ")));
	text.n -= strlen("}\n");
	for (size_t i = 0; i < 300; i++)
		buf_add_str(&text, STR("\xc3\xa9"));
	buf_add_str(&text, STR("\"}\n"));
	buf_add_byte(&text, '\0');
	s = load(write_file(test_dir(), "log.jsonl", text.p));
	CHECK_INT(s.tool_errors, 1);
	CHECK(str_has(s.first_error, STR("key ghp_")) && !str_has(s.first_error, STR("0123456789abcdef")));
	CHECK_INT(str_count(s.first_error, '\xa9'), 200 - strlen("key ghp_0123456789abcdefghijABCDEFGHIJ012345 "));
	buf_free(&text);
}

TEST(a_key_that_the_first_error_cuts_is_hidden_too)
{
	struct signals s;
	struct buf text;

	buf_init(&text);
	buf_add_str(&text, STR(HEAD "{\"step\":1,\"role\":\"tool_result\",\"exit_code\":1,\"stderr\":\""));
	for (size_t i = 0; i < 190; i++)
		buf_add_byte(&text, '.');
	buf_add_str(&text, STR(" ghp_" "0123456789abcdefghijABCDEFGHIJ012345\"}\n"));
	buf_add_byte(&text, '\0');
	s = load(write_file(test_dir(), "log.jsonl", text.p));
	CHECK(str_has(s.first_error, STR(". ghp_")) && !str_has(s.first_error, STR("ghp_0")));
	buf_free(&text);
}

TEST(tools_beyond_the_limit_are_one)
{
	struct signals s;
	struct buf text;

	buf_init(&text);
	buf_add_str(&text, STR(HEAD));
	for (int i = 0; i < SIGNALS_TOOLS + 10; i++)
		buf_printf(&text, "{\"step\":1,\"role\":\"tool_call\",\"tool_name\":\"t%d\",\"command\":\"x\"}\n", i);
	buf_add_byte(&text, '\0');
	s = load(write_file(test_dir(), "log.jsonl", text.p));
	CHECK_INT(s.tool_calls, SIGNALS_TOOLS + 10);
	CHECK_INT(s.tool_count, SIGNALS_TOOLS + 1);
	CHECK_STR(s.tools[SIGNALS_TOOLS].name, STR("(others)"));
	CHECK_INT(s.tools[SIGNALS_TOOLS].calls, 10);
	buf_free(&text);
}

/* ---- where transcripts are found ---- */

#define TRAJECTORY HEAD "{\"step\":1,\"role\":\"assistant\",\"content\":\"x\"}\n"
#define CONVERSATION "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"user\",\"content\":\"b\"}\n"
#define FROM_TRAJECTORY "turns 1 messages 1/1 calls 0 results 0 errors 0 output 0"
#define FROM_CONVERSATION "turns 0 messages 2/0 calls 0 results 0 errors 0 output 0"
#define FROM_NOTHING "none turns 0 messages 0/0 calls 0 results 0 errors 0 output 0"

TEST(a_directory_has_its_trajectory_else_its_conversation_else_nothing)
{
	const char *dir = test_dir();
	struct str trace = write_file(dir, "agent-trace.jsonl", "");
	struct signals s;

	check_signals(load(str_from(dir)), FROM_NOTHING);
	write_file(dir, "conversation.jsonl", CONVERSATION);
	check_signals(load(str_from(dir)), FROM_CONVERSATION);
	write_file(dir, "trajectory.jsonl", TRAJECTORY);
	s = load(str_from(dir));
	check_signals(s, FROM_TRAJECTORY);
	CHECK_STR(str_from(s.format), STR("trajectory"));
	CHECK_STR(str_basename(s.path), STR("trajectory.jsonl"));
	check_signals(load(trace), FROM_TRAJECTORY);
}

/* A record with these two paths; NULL is null. */
static struct str write_record(const char *dir, const char *name, const char *trajectory, const char *conversation)
{
	struct str record = test_data("trial/full.json");
	size_t at = str_find(record, STR("\"outputs\":")), end = str_find(record, STR("\"evaluation\":"));
	struct buf text;
	struct str path;

	CHECK(at != (size_t)-1 && end != (size_t)-1 && at < end);
	buf_init(&text);
	buf_add_str(&text, str_of(record.p, at));
	buf_add_str(&text, STR("\"outputs\": {\"trajectory_path\": "));
	buf_printf(&text, trajectory ? "\"%s\"" : "null", trajectory);
	buf_add_str(&text, STR(", \"conversation_path\": "));
	buf_printf(&text, conversation ? "\"%s\"" : "null", conversation);
	buf_add_str(&text, STR("}, "));
	buf_add_str(&text, str_skip(record, end));
	buf_add_byte(&text, '\0');
	path = write_file(dir, name, text.p);
	buf_free(&text);
	return path;
}

TEST(a_record_leads_to_its_trajectory_else_to_its_conversation)
{
	const char *dir = test_dir();
	char absolute[1024];

	write_file(dir, "c.jsonl", CONVERSATION);
	write_file(dir, "artifacts/e/t/t.jsonl", TRAJECTORY);
	check_signals(load(write_record(dir, "r.json", NULL, NULL)), FROM_NOTHING);
	check_signals(load(write_record(dir, "r.json", "gone.jsonl", NULL)), FROM_NOTHING);
	check_signals(load(write_record(dir, "r.json", "gone.jsonl", "c.jsonl")), FROM_CONVERSATION);
	check_signals(load(write_record(dir, "r.json", "artifacts/e/t/t.jsonl", "c.jsonl")), FROM_TRAJECTORY);
	check_signals(load(write_record(dir, "r.json", NULL, "/gone/for/good/c.jsonl")), FROM_CONVERSATION);
	snprintf(absolute, sizeof(absolute), "%s/artifacts/e/t/t.jsonl", dir);
	check_signals(load(write_record(dir, "r.json", absolute, "c.jsonl")), FROM_TRAJECTORY);
	/* a record of a ledger names its artifacts from the ledger's directory, two above */
	check_signals(load(write_record(dir, "records/e/r.json", "artifacts/e/t/t.jsonl", NULL)), FROM_TRAJECTORY);
	check_signals(load(write_record(dir, "a/records/e/r.json", "artifacts/e/t/t.jsonl", NULL)), FROM_NOTHING);
	/* a directory and a device are no transcripts */
	check_signals(load(write_record(dir, "r.json", "artifacts", "/dev/zero")), FROM_NOTHING);
}

TEST(what_cannot_be_read_is_an_error)
{
	static const char *const texts[] = { "", "{\"a\":1}\n", "no log at all\n" };
	struct err err = { .kind = ERR_NONE };
	struct signals s;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct str path = write_file(test_dir(), "x.jsonl", texts[i]);

		CHECK(!signals_load(&a, path, &(struct transcript_how){ .jobs = 1 }, &s, &err) && err.kind == ERR_DATA);
	}
	CHECK(!signals_load(&a, STR("gone.jsonl"), &(struct transcript_how){ .jobs = 1 }, &s, &err) && err.kind == ERR_IO);
	arena_free(&a);
}

/* ---- the samples of AEC-Bench, with what their SOURCE.md says of them ---- */

TEST(the_samples_of_aec_bench_have_the_signals_that_it_expects)
{
	static const struct {
		const char *file, *want;
	} cases[] = {
		{ "aec/trajectory_ok.jsonl", "turns 2 messages 8/2 calls 2 results 2 errors 0 output 1 time 60ms/2 bash:2" },
		{ "aec/trajectory_error.jsonl",
		  "turns 0 messages 2/0 calls 1 results 1 errors 1 output 0 time 5ms/1 bash:1! 'command not found'" },
		{ "aec/trajectory_warmup.jsonl", "turns 1 messages 3/1 calls 1 results 1 errors 0 output 0 bash:1" },
		{ "aec/trajectory_partial.jsonl", "turns 1 messages 2/1 calls 1 results 0 errors 0 output 0 bash:1" },
		{ "aec/conversation_canonical.jsonl", "turns 2 messages 5/2 calls 1 results 1 errors 0 output 0 bash:1" },
		{ "aec/trial_record_v1_complete.json", FROM_NOTHING },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].file);
		check_signals(load(str_from(test_shared(cases[i].file))), cases[i].want);
	}
}
