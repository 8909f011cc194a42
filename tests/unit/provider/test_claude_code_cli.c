#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "provider/provider_row.h"
#include "unit/provider/asking.h"

#define FAKE "tests/integration/bench/fake-claude"

static void begin(struct asking *k)
{
	asking_begin(k, "claude_code_cli", (struct provider_options){ .base = STR(FAKE) });
}

static const struct provider_answer *ask(struct asking *k, const char *prompt)
{
	return asking_ask(k, (struct provider_question){ .model = STR("sonnet"), .prompt = str_from(prompt), .arrivals = true });
}

static bool text_is(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

TEST(an_answer_has_text_usage_cost_and_names)
{
	const struct provider_answer *a;
	struct asking k;

	begin(&k);
	CHECK_STR(provider_address(k.client), STR("fake-claude"));
	a = ask(&k, "Hello");
	CHECK_INT(a->status, PROVIDER_OK);
	CHECK(a->failure == NULL && !a->retryable);
	CHECK_INT(a->retry_after_ms, -1);
	CHECK_STR(a->text, STR("You said 5 characters."));
	CHECK_STR(a->model, STR("sonnet-20260101"));
	CHECK_STR(a->request_id, STR("7d3c0b1e-5f2a-4c57-9a44-1d2e3f405162"));
	CHECK_STR(a->message, STR(""));
	CHECK(text_is(a->stop_reason, "end_turn"));
	CHECK_INT(a->usage.input.n, 2112); /* everything sent */
	CHECK_INT(a->usage.cache_read.n, 2000);
	CHECK_INT(a->usage.cache_write.n, 100);
	CHECK_INT(a->usage.output.n, 34);
	CHECK(amount_is_known(a->usd) && a->usd.n == 0.0125);
	CHECK_INT(a->call_count, 0);
	CHECK_INT(a->events, 3);
	CHECK_INT(a->arrival_count, 1);
	CHECK(a->sent_ns > 0 && a->byte_ns >= a->sent_ns && a->token_ns >= a->byte_ns && a->content_ns == a->token_ns);
	CHECK(a->ended_ns >= a->content_ns && a->arrivals[0] == a->token_ns);
	asking_end(&k);
}

TEST(tools_that_it_used_are_calls_and_sub_agents_speak_for_themselves)
{
	const struct provider_answer *a;
	struct asking k;

	begin(&k);
	a = ask(&k, "fake:tool");
	CHECK_INT(a->status, PROVIDER_OK);
	CHECK_STR(a->text, STR("It is empty."));
	CHECK_STR(a->model, STR("sonnet-20260101"));
	CHECK_INT(a->call_count, 2);
	CHECK_STR(a->calls[0].name, STR("Bash"));
	CHECK_STR(a->calls[0].arguments, STR("{\"command\":\"ls -l\"}"));
	CHECK_STR(a->calls[1].name, STR("Bash"));
	CHECK_STR(a->calls[1].arguments, STR("{\"command\":\"pwd\"}"));
	CHECK(text_is(a->stop_reason, "end_turn"));
	CHECK(a->token_ns > 0 && a->token_ns <= a->content_ns);
	asking_end(&k);
}

TEST(times_are_those_of_the_lines)
{
	const struct provider_answer *a;
	struct asking k;

	setenv("FAKE_CLAUDE_SLEEP", "0.3", 1);
	begin(&k);
	a = ask(&k, "fake:slow");
	CHECK_STR(a->text, STR("First.\nSecond."));
	CHECK(a->token_ns - a->byte_ns >= 250000000u);
	CHECK(a->ended_ns - a->token_ns >= 500000000u);
	CHECK_INT(a->arrival_count, 2);
	CHECK(a->arrivals[1] - a->arrivals[0] >= 250000000u);
	asking_end(&k);
}

TEST(pieces_tell_the_time_and_the_whole_tells_the_text)
{
	const struct provider_answer *a;
	struct asking k;

	begin(&k);
	a = ask(&k, "fake:pieces");
	CHECK_STR(a->text, STR("Hello"));
	CHECK_INT(a->arrival_count, 3);
	CHECK(a->ended_ns - a->content_ns >= 80000000u);
	setenv("FAKE_CLAUDE_CUT", "1", 1);
	a = ask(&k, "fake:pieces");
	CHECK(text_is(a->failure, "cut_stream"));
	CHECK_STR(a->text, STR("Hello")); /* what came of it */
	asking_end(&k);
}

/* Every way in which it says no, and those that only look like it. */
TEST(what_became_of_a_question_is_told_by_the_words_of_the_program)
{
	static const struct {
		const char *prompt;
		enum provider_status status;
		const char *failure;
		bool retryable;
		const char *message; /* its beginning */
	} cases[] = {
		{ "fake:login", PROVIDER_UNAVAILABLE, "claude_auth", false, "Not logged in" },
		{ "fake:key", PROVIDER_UNAVAILABLE, "claude_auth", false, "Invalid API key" },
		{ "fake:auth", PROVIDER_UNAVAILABLE, "claude_auth", false, "API Error: 401" },
		{ "fake:quota", PROVIDER_LIMITED, "claude_quota", false, "Claude AI usage limit reached" },
		{ "fake:soon", PROVIDER_LIMITED, "claude_quota", true, "Claude AI usage limit reached" },
		{ "fake:hours", PROVIDER_LIMITED, "claude_quota", false, "5-hour limit reached" },
		{ "fake:limit", PROVIDER_LIMITED, "claude_quota", true, "You've hit your limit" },
		{ "fake:busy", PROVIDER_ERROR, "http_529", true, "API Error: 529" },
		{ "fake:model", PROVIDER_UNAVAILABLE, "model_not_found", false, "There's an issue with the selected model" },
		{ "fake:turns", PROVIDER_ERROR, "exception", false, "Reached maximum number of turns" },
		{ "fake:cut", PROVIDER_ERROR, "cut_stream", false, "claude ended without a result" },
		{ "fake:silent", PROVIDER_ERROR, "cut_stream", false, "claude ended without a result" },
		{ "fake:garbage", PROVIDER_ERROR, "bad_json", false, "not json" },
		{ "fake:exit", PROVIDER_ERROR, "exception", false, "TypeError" },
		{ "fake:late", PROVIDER_ERROR, "exception", false, "claude ended with status 3" },
		{ "fake:killed", PROVIDER_ERROR, "cut_stream", false, "claude was ended by signal 9" },
		{ "fake:noise", PROVIDER_OK, NULL, false, "" },
		{ "fake:retry", PROVIDER_OK, NULL, false, "" },
		{ "fake:talks", PROVIDER_OK, NULL, false, "" },
		{ "fake:empty", PROVIDER_OK, NULL, false, "" },
	};
	struct asking k;

	begin(&k);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct provider_answer *a;

		test_case("%s", cases[i].prompt);
		a = ask(&k, cases[i].prompt);
		CHECK_INT(a->status, cases[i].status);
		if (!text_is(a->failure, cases[i].failure))
			FAIL("failure is %s", a->failure ? a->failure : "none");
		CHECK_INT(a->retryable, cases[i].retryable);
		CHECK_INT(a->retry_after_ms >= 0, cases[i].retryable && cases[i].status == PROVIDER_LIMITED);
		if (!str_starts(a->message, str_from(cases[i].message)))
			FAIL("message is %.*s", STR_ARG(a->message));
		CHECK(a->sent_ns > 0 && a->ended_ns >= a->sent_ns);
	}
	asking_end(&k);
}

TEST(a_refusal_has_no_text_but_what_the_model_said_is_kept)
{
	struct asking k;

	begin(&k);
	CHECK_STR(ask(&k, "fake:login")->text, STR(""));
	CHECK_STR(ask(&k, "fake:cut")->text, STR("Half an ans"));
	CHECK_STR(ask(&k, "fake:turns")->text, STR("I began."));
	CHECK_STR(ask(&k, "fake:empty")->text, STR(""));
	CHECK_STR(ask(&k, "fake:noise")->text, STR("Fine all the same."));
	asking_end(&k);
}

TEST(a_short_wait_is_told)
{
	struct asking k;

	begin(&k);
	CHECK(ask(&k, "fake:soon")->retry_after_ms > 15000);
	CHECK(k.answer.retry_after_ms <= 30000);
	CHECK(ask(&k, "fake:limit")->retry_after_ms > 5000);
	CHECK(k.answer.retry_after_ms <= 20000);
	asking_end(&k);
}

TEST(a_program_that_is_not_there_is_skipped)
{
	const struct provider_answer *a;
	struct asking k;

	asking_begin(&k, "claude_code_cli", (struct provider_options){ .base = STR("/nowhere/claude") });
	a = ask(&k, "Hello");
	CHECK_INT(a->status, PROVIDER_UNAVAILABLE);
	CHECK(text_is(a->failure, "claude_cli_missing"));
	CHECK(!a->retryable && a->sent_ns == 0 && a->ended_ns == 0);
	CHECK_STR(a->message, STR("cannot run /nowhere/claude: No such file or directory"));
	asking_end(&k);
}

TEST(the_program_is_given_or_of_the_environment_or_in_the_path)
{
	char dir[] = "/tmp/trackway-claude-XXXXXX", link[64], from[4096], path[4200];
	struct asking k;

	CHECK(getcwd(from, sizeof(from)) && mkdtemp(dir));
	snprintf(link, sizeof(link), "%s/claude", dir);
	snprintf(path, sizeof(path), "%s/" FAKE, from);
	CHECK(symlink(path, link) == 0);
	setenv("CLAUDE_CODE_CLI", FAKE, 1);
	asking_begin(&k, "claude_code_cli", (struct provider_options){ .connect_ms = 0 });
	CHECK_INT(ask(&k, "Hello")->status, PROVIDER_OK);
	asking_end(&k);
	unsetenv("CLAUDE_CODE_CLI");
	snprintf(path, sizeof(path), "%s:%s", dir, getenv("PATH"));
	setenv("PATH", path, 1);
	asking_begin(&k, "claude_code_cli", (struct provider_options){ .connect_ms = 0 });
	CHECK_STR(provider_address(k.client), STR("claude"));
	CHECK_INT(ask(&k, "Hello")->status, PROVIDER_OK);
	asking_end(&k);
	CHECK(remove(link) == 0 && remove(dir) == 0);
}

static struct str args_of(struct asking *k, struct provider_question q)
{
	q.model = STR("opus");
	return asking_ask(k, q)->text;
}

TEST(a_question_becomes_arguments_or_input)
{
	size_t n = 300000;
	char *large = test_alloc(n + 1);
	struct asking k;

	memset(large, 'x', n);
	memcpy(large, "fake:args ", 10);
	setenv("CLAUDE_CODE_EFFORT_LEVEL", "max", 1);
	begin(&k);
	CHECK_STR(args_of(&k, (struct provider_question){ .prompt = STR("fake:args") }),
		  STR("given=argument model=opus effort= system= env=max max= length=9 count=7"));
	CHECK_STR(args_of(&k, (struct provider_question){ .prompt = STR("fake:args"), .thinking = STR("xhigh"), .max_tokens = 50 }),
		  STR("given=argument model=opus effort=xhigh system= env= max=50 length=9 count=9"));
	CHECK_STR(args_of(&k, (struct provider_question){ .prompt = STR("fake:args"), .system = STR("Be brief") }),
		  STR("given=argument model=opus effort= system=Be brief env=max max= length=9 count=10"));
	CHECK_STR(args_of(&k, (struct provider_question){ .prompt = STR("--fake:args") }),
		  STR("given=stdin model=opus effort= system= env=max max= length=11 count=6"));
	CHECK(str_starts(args_of(&k, (struct provider_question){ .prompt = STR("fake:args \0 and more") }), STR("given=stdin ")));
	CHECK_STR(args_of(&k, (struct provider_question){ .prompt = str_of(large, n) }),
		  STR("given=stdin model=opus effort= system= env=max max= length=300000 count=6"));
	CHECK_STR(args_of(&k, (struct provider_question){ .prompt = STR("") }), STR("You said 0 characters."));
	asking_end(&k);
}

/* A claude of the test's own, asked once. */
static const struct provider_answer *ask_script(struct asking *k, const char *script)
{
	char path[] = "/tmp/trackway-claude-XXXXXX";
	int fd = mkstemp(path);

	CHECK(fd >= 0 && write(fd, "#!/bin/sh\n", 10) == 10);
	CHECK(write(fd, script, strlen(script)) == (ssize_t)strlen(script) && fchmod(fd, 0755) == 0);
	close(fd);
	asking_begin(k, "claude_code_cli", (struct provider_options){ .base = str_from(path) });
	asking_ask(k, (struct provider_question){ .model = STR("m"), .prompt = STR("p"), .thinking = STR("low") });
	remove(path);
	return &k->answer;
}

#define RESULT(more) "echo '{\"type\":\"result\",\"subtype\":\"success\"," more "}'"

TEST(older_and_other_ways_to_say_no_are_understood)
{
	static const struct {
		const char *script;
		enum provider_status status;
		const char *failure, *message;
	} cases[] = {
		/* before it had a flag for it */
		{ RESULT("\"is_error\":false,\"result\":\"Claude AI usage limit reached|4102444800\""), PROVIDER_LIMITED, "claude_quota",
		  "Claude AI usage limit reached|4102444800" },
		/* by an event of its own, and then in words of no meaning */
		{ "echo '{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\"}}'; "
		  RESULT("\"is_error\":true,\"result\":\"Sorry\""), PROVIDER_LIMITED, "claude_quota", "Sorry" },
		/* not in JSON at all */
		{ "echo 'Invalid API key · Please run /login'; exit 1", PROVIDER_UNAVAILABLE, "claude_auth",
		  "Invalid API key · Please run /login" },
		{ "echo 'Credit balance is too low'; exit 1", PROVIDER_LIMITED, "claude_quota", "Credit balance is too low" },
		/* on the other stream */
		{ "echo 'Error: Not logged in' >&2; exit 1", PROVIDER_UNAVAILABLE, "claude_auth", "Error: Not logged in" },
		/* by a number of its own */
		{ RESULT("\"is_error\":true,\"api_error_status\":429,\"result\":\"wait\""), PROVIDER_LIMITED, "claude_quota", "wait" },
		{ RESULT("\"is_error\":true,\"api_error_status\":403,\"result\":\"no\""), PROVIDER_UNAVAILABLE, "claude_auth", "no" },
		{ RESULT("\"is_error\":true,\"api_error_status\":404,\"result\":\"no\""), PROVIDER_UNAVAILABLE, "model_not_found", "no" },
		{ RESULT("\"is_error\":true,\"api_error_status\":500,\"result\":\"no\""), PROVIDER_ERROR, "http_500", "no" },
		{ RESULT("\"is_error\":true,\"api_error_status\":400,\"result\":\"no\""), PROVIDER_ERROR, "exception", "no" },
		/* a program that is too old for a level: better than an answer at another one */
		{ "echo \"error: unknown option '--effort'\" >&2; exit 1", PROVIDER_ERROR, "exception", "error: unknown option '--effort'" },
		/* what looks like a number is none */
		{ RESULT("\"is_error\":true,\"result\":\"API Error: 52\""), PROVIDER_ERROR, "exception", "API Error: 52" },
		{ RESULT("\"is_error\":true,\"result\":\"usage limit reached|999999999999999999999\""), PROVIDER_LIMITED, "claude_quota",
		  "usage limit reached|999999999999999999999" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct provider_answer *a;
		struct asking k;

		test_case("%s", cases[i].script);
		a = ask_script(&k, cases[i].script);
		CHECK_INT(a->status, cases[i].status);
		if (!text_is(a->failure, cases[i].failure))
			FAIL("failure is %s", a->failure ? a->failure : "none");
		CHECK_STR(a->message, str_from(cases[i].message));
		CHECK(!a->retryable && a->retry_after_ms == -1);
		asking_end(&k);
	}
}

TEST(a_limit_that_is_over_already_is_worth_another_try)
{
	struct asking k;

	ask_script(&k, RESULT("\"is_error\":true,\"result\":\"usage limit reached|1000000000\""));
	CHECK(k.answer.retryable);
	CHECK_INT(k.answer.retry_after_ms, 0);
	asking_end(&k);
}

TEST(a_key_in_a_complaint_is_hidden)
{
	struct asking k;

	ask_script(&k, "printf 'bad key sk-ant-%s-%s\\n' api03 0123456789abcdefghijABCDEFGHIJ0123456789 >&2\nexit 1\n");
	CHECK_INT(str_find(k.answer.message, STR("0123456789abcdef")), -1);
	CHECK(str_starts(k.answer.message, STR("bad key")));
	asking_end(&k);
}

TEST(a_level_means_something_to_it)
{
	CHECK(provider_thinks(&provider_claude_code_cli));
	CHECK(provider_claude_code_cli.key_env == NULL && provider_claude_code_cli.api == NULL);
}
