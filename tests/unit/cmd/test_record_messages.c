#include "cmd/record_messages.h"

#include <stdio.h>
#include <unistd.h>

#include "harness/test.h"

static const struct frame plain = { .err = { .width = 80 } };
static const struct frame quiet = { .err = { .width = 80 }, .quiet = true };

/* A run of three model calls that went well. */
static struct recording_outcome good_outcome(void)
{
	struct recording_outcome o = {
		.run = { .path = STR("runs/first") },
		.exchanges = 3,
		.trace_lines = 9,
		.trace_bytes = 5697,
		.trace_sha256 = STR("8d02392971e3ea23f6ee2c47e2ad4be11294a88de6bf5ca3b8786334e02e5bd1"),
		.listed = true,
	};

	o.end.tally.counts[AT_MODEL_CALL] = 3;
	o.end.tally.counts[AT_TOOL_CALL] = 1;
	return o;
}

static struct recording_outcome empty_outcome(void)
{
	struct recording_outcome o = {
		.run = { .path = STR("runs/first") },
		.trace_lines = 1,
		.trace_bytes = 1,
		.trace_sha256 = STR("8d02392971e3ea23f6ee2c47e2ad4be11294a88de6bf5ca3b8786334e02e5bd1"),
	};

	return o;
}

/* What goes to standard error. */
static struct str told(const struct frame *f, const struct recording_outcome *out)
{
	static const struct agent_plan none; /* a program that no row knows */
	static char text[4096];
	struct arena a;
	int ends[2], old = dup(STDERR_FILENO);
	ssize_t n;

	arena_init(&a);
	CHECK_INT(pipe(ends), 0);
	fflush(stderr);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	record_talk(&a, f, &none, out);
	fflush(stderr);
	dup2(old, STDERR_FILENO); /* the last writer of the pipe is gone */
	close(old);
	n = read(ends[0], text, sizeof(text));
	close(ends[0]);
	arena_free(&a);
	return str_of(text, n > 0 ? (size_t)n : 0);
}

TEST(a_good_run_has_its_counts_its_file_and_what_to_do_next)
{
	struct recording_outcome o = good_outcome();

	CHECK_STR(told(&plain, &o), STR("recorded 3 model calls, 1 tool call\n"
					"wrote runs/first/agent-trace.jsonl (9 events, 5.6 KiB, sha256 8d02392971e3…)\n"
					"next: trackway show @last\n"));
	CHECK_INT(told(&quiet, &o).n, 0);
}

TEST(failures_and_other_requests_are_counted)
{
	struct recording_outcome o = good_outcome();

	o.end.tally.failed = 2;
	o.end.tally.other = 1;
	CHECK(str_starts(told(&plain, &o),
			 STR("recorded 3 model calls (2 failed), 1 tool call; passed on 1 other request\n")));
	o.end.tally.other = 2;
	CHECK(str_find(told(&plain, &o), STR("2 other requests\n")) != (size_t)-1);
}

TEST(content_that_was_kept_is_named)
{
	struct recording_outcome o = good_outcome();

	CHECK(str_find(told(&plain, &o), STR("cassette.jsonl")) == (size_t)-1);
	o.run.content = true;
	CHECK(str_find(told(&plain, &o), STR("also wrote")) == (size_t)-1); /* nothing of it could be written */
	o.content[o.content_count++] = "cassette.jsonl";
	o.content[o.content_count++] = "run.otutl.jsonl";
	CHECK(str_find(told(&plain, &o),
		       STR("also wrote the content, readable only by you: cassette.jsonl, run.otutl.jsonl\n")) !=
	      (size_t)-1);
}

TEST(nothing_captured_names_the_likely_cause_and_is_told_to_the_quiet_too)
{
	static const char words[] =
		"warning: nothing was captured: the command ended without sending a request to the recorder\n"
		"   = why: most likely its client has an address in its code, which overrides the environment, or\n"
		"          reads none of the variables set here\n"
		"   = help: take the address from the environment, as in\n"
		"           OpenAI(base_url=os.environ[\"OPENAI_BASE_URL\"]); 'trackway record -- env' shows what is\n"
		"           set\n";
	struct recording_outcome o = empty_outcome();
	struct str text = told(&plain, &o);

	CHECK(str_starts(text, str_from(words)));
	CHECK_STR(str_of(text.p + strlen(words), text.n - strlen(words)),
		  STR("wrote runs/first/agent-trace.jsonl (1 event, 1 byte, sha256 8d02392971e3…)\n"));
	CHECK_STR(told(&quiet, &o), str_from(words));
}

TEST(a_command_that_failed_is_not_blamed_on_an_address)
{
	struct recording_outcome o = empty_outcome();

	o.end.status = 2;
	CHECK(str_starts(told(&quiet, &o), STR("warning: nothing was captured: the command ended with exit status 2 without")));
	CHECK(str_find(told(&quiet, &o), STR("= why: it may have failed before it asked")) != (size_t)-1);
	o.end.status = 0;
	o.end.signal = 9;
	CHECK(str_starts(told(&quiet, &o), STR("warning: nothing was captured: the command was ended by signal 9 without")));
	CHECK(str_find(told(&quiet, &o), STR("most likely")) == (size_t)-1);
}

TEST(requests_that_were_no_model_calls_are_told_apart_from_nothing)
{
	struct recording_outcome o = empty_outcome();

	o.exchanges = 4;
	CHECK(str_starts(told(&plain, &o), STR("warning: no model call was captured: 4 requests came, none to a known API")));
	o.exchanges = 1;
	CHECK(str_starts(told(&quiet, &o), STR("warning: no model call was captured: 1 request came, to no known API")));
	CHECK(str_find(told(&plain, &o), STR("next:")) == (size_t)-1);
}

TEST(a_service_that_could_not_be_reached_is_named_with_the_reason)
{
	struct recording_outcome o = good_outcome();

	o.refused = 1;
	o.refusal = STR("no answer from 127.0.0.1:1: connection refused");
	CHECK(str_starts(told(&quiet, &o), STR("warning: no answer from 127.0.0.1:1: connection refused\n")));
	o.refused = 3;
	CHECK(str_find(told(&plain, &o), STR("refused; 3 requests failed this way in all\n")) != (size_t)-1);
}

TEST(what_was_lost_comes_first_and_is_told_to_the_quiet_too)
{
	struct recording_trouble second = { .text = STR("meta.json: writing stopped: No space left on device") };
	struct recording_trouble first = { .next = &second,
					   .text = STR("agent-trace.jsonl: writing stopped; 7 lines are lost") };
	struct recording_outcome o = good_outcome();

	o.troubles = &first;
	CHECK(str_starts(told(&plain, &o), STR("error: agent-trace.jsonl: writing stopped; 7 lines are lost\n"
					       "error: meta.json: writing stopped: No space left on device\n"
					       "recorded 3 model calls")));
	CHECK_STR(told(&quiet, &o), STR("error: agent-trace.jsonl: writing stopped; 7 lines are lost\n"
					"error: meta.json: writing stopped: No space left on device\n"));
}

TEST(metrics_that_could_not_be_read_are_a_warning_with_help)
{
	struct recording_outcome o = good_outcome();
	struct str text;

	o.engine_metrics_trouble = STR("the engine's metrics could not be read 1 of 1 times: Connection refused");
	text = told(&quiet, &o);
	CHECK(str_starts(text, STR("warning: the engine's metrics could not be read 1 of 1 times: Connection refused\n"
				   "   = help: check the address")));
}

TEST(without_a_place_in_the_list_the_directory_is_named)
{
	struct recording_outcome o = good_outcome();

	o.listed = false;
	CHECK(str_ends(told(&plain, &o), STR("next: trackway show runs/first\n")));
}

TEST(sizes_are_told_in_units_that_fit)
{
	static const struct { uint64_t bytes; const char *text; } sizes[] = {
		{ 0, "0 bytes" }, { 1, "1 byte" }, { 1023, "1023 bytes" }, { 1024, "1.0 KiB" },
		{ 1048575, "1024.0 KiB" }, { 1048576, "1.0 MiB" }, { UINT64_C(5) << 30, "5120.0 MiB" },
	};
	struct recording_outcome o = good_outcome();

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char want[40];

		test_case("%s", sizes[i].text);
		o.trace_bytes = sizes[i].bytes;
		snprintf(want, sizeof(want), " %s, sha256", sizes[i].text);
		CHECK(str_find(told(&plain, &o), str_from(want)) != (size_t)-1);
	}
}

TEST(nothing_that_is_told_can_act_on_the_terminal)
{
	struct recording_trouble trouble = { .text = STR("a \033[2Jscreen") };
	struct recording_outcome o = good_outcome();
	struct str text;

	o.troubles = &trouble;
	o.run.path = STR("runs/\033]0;x\a");
	o.engine_metrics_trouble = STR("said \033c");
	o.listed = false;
	text = told(&plain, &o);
	CHECK(!memchr(text.p, '\033', text.n) && !memchr(text.p, '\a', text.n));
}

TEST(words_have_colour_on_a_terminal_and_fit_it)
{
	const struct frame terminal = { .err = { .width = 40, .is_terminal = true, .color = true } };
	struct recording_outcome o = empty_outcome();
	struct str left = told(&terminal, &o), line;

	CHECK(str_find(left, STR("\033[")) != (size_t)-1);
	line = str_cut(left, '\n', &left); /* has the colour */
	while (left.n) {
		line = str_cut(left, '\n', &left);
		if (line.n > 40 && !str_starts(line, STR("wrote ")) && str_find(line, STR("base_url")) == (size_t)-1)
			FAIL("%zu columns: %.*s", line.n, STR_ARG(line));
	}
}

TEST(telemetry_is_counted)
{
	struct recording_outcome o = good_outcome();

	o.telemetry = (struct otlp_receiver_tally){ .requests = 4, .spans = 12, .logs = 3 };
	CHECK(str_find(told(&plain, &o), STR("\ntelemetry: 12 spans, 3 log records in 4 requests\n")) != (size_t)-1);
	o.telemetry.points = 1;
	CHECK(str_find(told(&plain, &o), STR("3 log records, 1 data point in 4 requests\n")) != (size_t)-1);
	CHECK_INT(told(&quiet, &o).n, 0);
	o.telemetry.refused = 1;
	o.telemetry.rejected = 2;
	CHECK_STR(told(&quiet, &o), STR("warning: telemetry requests (OTLP) that could not be read: 1\n"
					"warning: spans without ids that can be used, not taken: 2\n"));
}

TEST(a_run_of_telemetry_without_a_span_is_told)
{
	struct recording_outcome o = empty_outcome();

	o.otlp = true;
	CHECK(str_starts(told(&quiet, &o), STR("warning: nothing was captured: the command sent no telemetry")));
	o.telemetry.requests = 1;
	CHECK(str_starts(told(&quiet, &o), STR("warning: no model call was captured: no span came")));
	o.telemetry.spans = 1;
	CHECK(str_starts(told(&quiet, &o), STR("warning: no model call was captured: none is in the telemetry")));
}

TEST(what_is_not_passed_on_to_the_users_collector_is_told)
{
	struct recording_outcome o = good_outcome();

	o.telemetry_note = STR("a note");
	CHECK_INT(told(&quiet, &o).n, 0); /* there was no telemetry */
	o.telemetry.requests = 1;
	o.telemetry_lost = STR("1 of 1");
	CHECK_STR(told(&quiet, &o), STR("warning: a note\nwarning: 1 of 1\n"));
}
