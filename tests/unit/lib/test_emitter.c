#include "lib/emitter.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "unit/lib/trace_file.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static const struct tw_node none;

static bool is_none(struct tw_node n)
{
	return memcmp(&n, &none, sizeof(n)) == 0;
}

static struct tw_node model_call(struct tw_trace *t, const struct tw_node *parents, size_t count)
{
	struct tw_model_call call = { .size = sizeof(call), .parents = parents, .parent_count = count };
	struct tw_model_result result = { .size = sizeof(result), .stop_reason = "tool_calls" };
	struct tw_node n;

	call.endpoint = "http://localhost:8000/v1";
	call.model = "m1";
	result.input_tokens = (struct tw_count){ TW_API, 10 };
	result.output_tokens = (struct tw_count){ TW_API, 3 };
	n = tw_model_call_begin(t, &call);
	tw_model_call_first_token(t, n);
	tw_model_call_end(t, n, &result);
	return n;
}

static struct tw_node tool_call(struct tw_trace *t, const char *name, struct tw_node parent)
{
	struct tw_tool_call call = { .size = sizeof(call), .name = name, .parents = &parent, .parent_count = 1 };
	struct tw_tool_result result = { .size = sizeof(result), .result_kind = "json" };
	struct tw_node n = tw_tool_call_begin(t, &call);

	tw_tool_call_end(t, n, &result);
	return n;
}

TEST(a_run_of_every_kind_of_node_is_strictly_valid)
{
	struct tw_trace_end end = { .size = sizeof(end), .exit = TW_EXIT_ERROR, .error_message = "out of budget",
				    .rig_label = "h100", .engine = "vllm" };
	struct tw_trace_options options = { .size = sizeof(options), .framework = "langgraph" };
	struct tw_node user, model, branch, tools[2], retry;
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, &options);
	struct tw_tool_call call = { .size = sizeof(call), .name = "web_search", .call_id = "call_1" };
	struct tw_tool_result result = { .size = sizeof(result), .stall_seconds = { TW_API, 5.0 } };
	struct str text;

	user = tw_user_input(t, NULL, 0);
	model = model_call(t, &user, 1);
	branch = tw_branch_begin(t, TW_FAN_OUT, &model, 1);
	call.parents = &branch;
	call.parent_count = 1;
	tools[0] = tw_tool_call_begin(t, &call);
	tools[1] = tw_tool_call_begin(t, &call);
	CHECK(tw_branch_end(t, branch, tools, 2));
	CHECK(tw_tool_call_end(t, tools[1], &result));
	CHECK(tw_tool_call_end(t, tools[0], NULL));
	retry = tw_retry(t, tools, 2);
	model_call(t, &retry, 1);
	CHECK(!is_none(tw_system(t, &retry, 1)));
	CHECK(tw_trace_error(t) == NULL);
	CHECK(tw_trace_close(t, &end));
	tw_trace_free(t);
	text = trace_check(path, "");
	CHECK_INT(trace_lines(text), 9);
	CHECK_INT(trace_count(text, "\"framework\":\"langgraph\""), 8);
	CHECK_INT(trace_count(text, "\"siblings\":[\""), 1);
	CHECK_INT(trace_count(text, "\"is_external\":true"), 2); /* by the table of names */
	CHECK_INT(trace_count(text, "\"partial\":true"), 1);    /* the one that ended with NULL */
	CHECK_INT(trace_count(text, "\"exit_status\":\"error\",\"error_message\":\"out of budget\""), 1);
	CHECK_INT(trace_count(text, "\"rig_label\":\"h100\",\"engine\":\"vllm\""), 1);
	CHECK_INT(trace_count(text, "\"total_tokens\":{\"input\":20,\"output\":6}"), 1);
	CHECK_INT(trace_count(text, "\"stop_reason\":\"tool_use\""), 2); /* folded */
	CHECK_INT(trace_count(text, "\"ttft_seconds\":0"), 2);
}

TEST(stalls_that_nobody_gave_are_not_zero_and_a_server_stays_in_the_name)
{
	struct tw_tool_call call = { .size = sizeof(call), .name = "mcp__github__search" };
	struct tw_tool_result known = { .size = sizeof(known), .stall_seconds = { TW_API, 0.0 } }, silent = { .size = sizeof(silent) };

	for (int some = 0; some < 2; some++) {
		const char *path = trace_path();
		struct tw_trace *t = tw_trace_open(path, NULL);
		struct str text;

		test_case("some %d", some);
		CHECK(tw_tool_call_end(t, tw_tool_call_begin(t, &call), &silent));
		CHECK(tw_tool_call_end(t, tw_tool_call_begin(t, &call), some ? &known : &silent));
		CHECK(tw_trace_close(t, NULL));
		tw_trace_free(t);
		text = trace_check(path, "");
		CHECK_INT(trace_count(text, "\"name\":\"github.search\""), 2);
		CHECK_INT(trace_count(text, "\"is_external\":true"), 2);
		CHECK_INT(trace_count(text, "\"tool_stall_total_seconds\":null,\"tool_stall_pct\":null"), !some);
		CHECK_INT(trace_count(text, "\"tool_stall_unknown\":1"), some);
	}
}

TEST(every_figure_that_is_known_is_written_and_no_other)
{
	struct tw_model_result all = { .size = sizeof(all) }, few = { .size = sizeof(few) };
	struct tw_model_call call = { .size = sizeof(call), .provider = "openai", .tool_choice = "any" };
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, NULL);
	struct str text;

	all.input_tokens = (struct tw_count){ TW_API, 100 };
	all.output_tokens = (struct tw_count){ TW_ESTIMATED, 0 };
	all.cache_read_tokens = (struct tw_count){ TW_API, 90 };
	all.cache_write_tokens = (struct tw_count){ TW_API, 0 };
	all.reasoning_tokens = (struct tw_count){ TW_API, 7 };
	all.cost_usd = (struct tw_amount){ TW_ESTIMATED, 0.25 };
	all.request_id = "req_1";
	CHECK(tw_model_call_end(t, tw_model_call_begin(t, &call), &all));
	few.input_tokens.n = 5; /* of no source: means nothing */
	few.cost_usd = (struct tw_amount){ TW_API, NAN };
	CHECK(tw_model_call_end(t, tw_model_call_begin(t, NULL), &few));
	CHECK(tw_trace_close(t, NULL));
	tw_trace_free(t);
	text = trace_check(path, "");
	CHECK_INT(trace_count(text, "\"input_tokens\":100,\"output_tokens\":0,\"input_tokens_source\":\"api\","
				    "\"output_tokens_source\":\"estimated\""), 0); /* that is not the order */
	CHECK_INT(trace_count(text, "\"input_tokens\":100,\"input_tokens_source\":\"api\",\"output_tokens\":0,"
				    "\"output_tokens_source\":\"estimated\""), 1);
	CHECK_INT(trace_count(text, "\"cache_read_tokens\":90,\"cache_write_tokens\":0,\"reasoning_tokens\":7"), 1);
	CHECK_INT(trace_count(text, "cache_read_tokens"), 1);
	CHECK_INT(trace_count(text, "\"input_tokens\":0,\"input_tokens_source\":\"estimated\""), 1);
	CHECK_INT(trace_count(text, "\"estimated_cost_usd\":0.25"), 2); /* the call's and the summary's */
	CHECK_INT(trace_count(text, "https://api.openai.com/v1"), 1);
	CHECK_INT(trace_count(text, "\"tool_choice\":\"required\""), 1);
	CHECK_INT(trace_count(text, "\"request_id\":\"req_1\""), 1);
	CHECK_INT(trace_count(text, "\"model\":\"unknown\""), 2);
	CHECK_INT(trace_count(text, "\"exit_status\":\"success\""), 1);
}

TEST(plain_traces_have_no_added_fields)
{
	struct tw_trace_options options = { .size = sizeof(options), .plain = 1 };
	struct tw_tool_call call = { .size = sizeof(call), .name = "x", .call_id = "c", .agent_id = "a" };
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, &options);
	struct str text;

	CHECK(tw_tool_call_end(t, tw_tool_call_begin(t, &call), NULL));
	CHECK(tw_trace_close(t, NULL));
	tw_trace_free(t);
	text = trace_check(path, "");
	CHECK_INT(trace_count(text, "partial") + trace_count(text, "call_id") + trace_count(text, "agent_id"), 0);
}

/* ---- content ---- */

TEST(hostile_names_leave_no_content_and_no_broken_line)
{
	static char long_text[3000000];
	const char *const hostile[] = {
		"", " ", "please summarise the following letter to my doctor about my illness", "rm -rf /srv/data/private",
		"sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-AAAAAAAA",
		"/srv/models/secret-customer/model", "https://user:hunter2@host.example/v1?key=abcdef#frag", "\x1b[31mred\x1b[0m",
		"\"quoted\",\"x\":1", "line\nbreak", "\xff\xfe\xfd", "\xc3", "HOME=/srv/me USER=me", "name{\"arg\":\"value\"}",
		"\xe2\x80\xae" "reversed", long_text,
	};
	static const char *const gone[] = { "doctor", "rm -rf", "/srv/data", "sk-ant", "secret-customer", "hunter2", "abcdef", "frag",
					    "\n\"", "\x1b", "value\"}", "/srv/me", "xxxxxxxxxx" };
	const char *path = trace_path();
	struct tw_trace *t;
	struct str text;

	memset(long_text, 'x', sizeof(long_text) - 1);
	t = tw_trace_open(path, NULL);
	for (size_t i = 0; i < COUNT(hostile); i++) {
		const char *h = hostile[i];
		struct tw_model_call model = { .size = sizeof(model), .endpoint = h, .provider = h, .model = h,
					       .tool_choice = h, .agent_id = h };
		struct tw_model_result result = { .size = sizeof(result), .stop_reason = h, .request_id = h };
		struct tw_tool_call tool = { .size = sizeof(tool), .name = h, .call_id = h, .agent_id = h };
		struct tw_tool_result end = { .size = sizeof(end), .result_kind = h };

		CHECK(tw_model_call_end(t, tw_model_call_begin(t, &model), &result));
		CHECK(tw_tool_call_end(t, tw_tool_call_begin(t, &tool), &end));
	}
	CHECK(tw_trace_close(t, NULL));
	tw_trace_free(t);
	text = trace_check(path, "");
	CHECK_INT(trace_lines(text), 2 * COUNT(hostile) + 1);
	for (size_t i = 0; i < COUNT(gone); i++) {
		test_case("%s", gone[i]);
		CHECK_INT(trace_count(text, gone[i]), 0);
	}
}

TEST(an_error_message_with_content_is_left_out)
{
	static const struct {
		const char *message;
		bool stays;
	} cases[] = {
		{ "child exited 3", true },
		{ "HTTP 429 rate limit", true },
		{ "", false },
		{ "cannot open /srv/me/secret.txt", false },
		{ "failed: {\"prompt\":\"hello\"}", false },
		{ "key sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-AAAAAA", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tw_trace_end end = { .size = sizeof(end), .exit = TW_EXIT_INTERRUPTED,
					    .error_message = cases[i].message, .rig_label = "mine", .engine = "/x" };
		const char *path = trace_path();
		struct tw_trace *t = tw_trace_open(path, NULL);

		test_case("%s", cases[i].message);
		tw_user_input(t, NULL, 0);
		CHECK(tw_trace_close(t, &end));
		tw_trace_free(t);
		CHECK_INT(trace_count(trace_check(path, ""), "\"error_message\":null,"), !cases[i].stays);
	}
}

/* ---- arguments that make no sense ---- */

TEST(a_trace_that_is_not_there_is_no_harm)
{
	unsetenv("TRACKWAY_TRACE");
	CHECK(tw_trace_open(NULL, NULL) == NULL);
	CHECK(tw_trace_open("", NULL) == NULL);
	CHECK(is_none(tw_model_call_begin(NULL, NULL)) && is_none(tw_tool_call_begin(NULL, NULL)));
	CHECK(is_none(tw_branch_begin(NULL, TW_RETRY, NULL, 0)) && is_none(tw_user_input(NULL, NULL, 0)));
	CHECK(is_none(tw_retry(NULL, NULL, 0)) && is_none(tw_system(NULL, NULL, 0)));
	tw_model_call_first_token(NULL, none);
	CHECK(!tw_model_call_end(NULL, none, NULL) && !tw_tool_call_end(NULL, none, NULL));
	CHECK(!tw_branch_end(NULL, none, NULL, 0) && !tw_trace_close(NULL, NULL));
	CHECK(tw_trace_error(NULL) && tw_trace_lost(NULL) == 0);
	CHECK_STR(str_from(tw_trace_id(NULL)), STR(""));
	tw_trace_free(NULL);
}

TEST(senseless_arguments_are_remembered_and_do_no_harm)
{
	struct tw_model_call call = { .size = 3, .model = "m" };
	struct tw_model_result result = { .size = SIZE_MAX };
	struct tw_node made_up = { .id = { 1, 2, 3 } }, n;
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, NULL);
	struct str text;

	n = tw_model_call_begin(t, &call); /* its size is wrong: nothing of it is known */
	CHECK(!is_none(n) && strstr(tw_trace_error(t), "'size'"));
	CHECK(tw_model_call_end(t, n, &result));
	CHECK(!tw_model_call_end(t, n, NULL)); /* a second time */
	CHECK(!tw_tool_call_end(t, made_up, NULL));
	CHECK(!tw_model_call_end(t, none, NULL));
	n = tw_tool_call_begin(t, NULL);
	CHECK(!tw_model_call_end(t, n, NULL)); /* it is a tool's */
	CHECK(tw_tool_call_end(t, n, NULL));
	n = tw_branch_begin(t, (enum tw_branch_kind)77, NULL, 99); /* ids at NULL */
	CHECK(tw_branch_end(t, n, NULL, 99));
	n = tw_user_input(t, &none, 1); /* a parent that is none */
	CHECK(tw_trace_close(t, &(struct tw_trace_end){ .size = sizeof(struct tw_trace_end), .exit = (enum tw_exit)9 }));
	tw_trace_free(t);
	text = trace_check(path, "");
	CHECK_INT(trace_lines(text), 5);
	CHECK_INT(trace_count(text, "\"parent_node_ids\":[]"), 4);
}

TEST(an_older_and_a_newer_struct_are_taken_as_far_as_they_are_known)
{
	struct {
		struct tw_tool_call known;
		char more[40];
	} newer = { .known = { .size = sizeof(newer), .name = "newer" }, .more = "x" };
	struct tw_tool_call older = { .size = offsetof(struct tw_tool_call, call_id), .name = "older" };
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, NULL);
	struct str text;

	older.call_id = "must-not-be-read";
	CHECK(tw_tool_call_end(t, tw_tool_call_begin(t, &newer.known), NULL));
	CHECK(tw_tool_call_end(t, tw_tool_call_begin(t, &older), NULL));
	CHECK(tw_trace_error(t) == NULL);
	tw_trace_close(t, NULL);
	tw_trace_free(t);
	text = trace_check(path, "");
	CHECK_INT(trace_count(text, "\"name\":\"newer\"") + trace_count(text, "\"name\":\"older\""), 2);
	CHECK_INT(trace_count(text, "must-not"), 0);
}

TEST(very_many_parents_are_cut_and_that_is_remembered)
{
	static struct tw_node parents[2 * EMITTER_IDS_MAX];
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, NULL);

	for (size_t i = 0; i < COUNT(parents); i++)
		parents[i] = tw_user_input(t, NULL, 0);
	CHECK(tw_trace_error(t) == NULL);
	CHECK(!is_none(tw_user_input(t, parents, COUNT(parents))));
	CHECK(strstr(tw_trace_error(t), "parents"));
	CHECK(tw_trace_close(t, NULL));
	tw_trace_free(t);
	trace_check(path, "");
}

/* ---- the end ---- */

TEST(closing_twice_is_closing_once)
{
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, NULL);
	struct tw_node n = tw_user_input(t, NULL, 0);

	CHECK(!is_none(n) && tw_trace_close(t, NULL) && tw_trace_close(t, NULL));
	CHECK(is_none(tw_user_input(t, NULL, 0)) && is_none(tw_model_call_begin(t, NULL)));
	CHECK(!tw_model_call_end(t, n, NULL));
	CHECK_STR(str_from(tw_trace_error(t)), STR("the trace is closed"));
	tw_trace_free(t);
	CHECK_INT(trace_lines(trace_check(path, "")), 2);
}

TEST(calls_that_are_open_at_the_end_are_written_as_partial_ones)
{
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, NULL);
	struct tw_node n = tw_model_call_begin(t, NULL);
	struct str text;

	tw_tool_call_begin(t, NULL);
	tw_branch_begin(t, TW_SPECULATIVE, &n, 1);
	CHECK(tw_trace_close(t, NULL));
	tw_trace_free(t);
	text = trace_check(path, "");
	CHECK_INT(trace_lines(text), 4);
	CHECK_INT(trace_count(text, "\"partial\":true"), 2);
	CHECK_INT(trace_count(text, "\"branch_kind\":\"speculative\",\"siblings\":[]"), 1);
}

TEST(a_trace_that_is_not_closed_has_no_summary)
{
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, NULL);

	tw_user_input(t, NULL, 0);
	tw_model_call_begin(t, NULL);
	tw_trace_free(t);
	CHECK_INT(trace_lines(trace_check(path, "AT107")), 1);
}

/* ---- the place ---- */

TEST(the_environment_may_say_where)
{
	const char *path = trace_path();
	struct tw_trace *t;

	setenv("TRACKWAY_TRACE", path, 1);
	t = tw_trace_open(NULL, NULL);
	CHECK(!is_none(tw_user_input(t, NULL, 0)) && tw_trace_close(t, NULL));
	tw_trace_free(t);
	CHECK_INT(trace_lines(trace_check(path, "")), 2);
}

TEST(a_file_with_something_in_it_is_left_alone_unless_its_trace_is_joined)
{
	const char *path = trace_path();
	struct tw_trace *first = tw_trace_open(path, NULL), *other, *joined;
	struct tw_trace_options options = { .size = sizeof(options), .trace_id = tw_trace_id(first) };
	struct str text;

	tw_user_input(first, NULL, 0);
	other = tw_trace_open(path, NULL);
	CHECK(is_none(tw_user_input(other, NULL, 0)));
	CHECK(strstr(tw_trace_error(other), "something in it already"));
	CHECK(!tw_trace_close(other, NULL) && tw_trace_lost(other) == 2);
	tw_trace_free(other);
	joined = tw_trace_open(path, &options);
	CHECK(!is_none(tw_user_input(joined, NULL, 0)) && tw_trace_close(joined, NULL));
	tw_trace_free(joined);
	CHECK(tw_trace_close(first, NULL));
	tw_trace_free(first);
	text = trace_check(path, "AT108"); /* the first does not know of the other's node */
	CHECK_INT(trace_lines(text), 3);
	CHECK_INT(trace_count(text, "\"event_type\":\"summary\""), 1);
	options.trace_id = "no-uuid";
	joined = tw_trace_open(path, &options);
	CHECK(strstr(tw_trace_error(joined), "no UUID"));
	CHECK(tw_trace_close(joined, NULL));
	tw_trace_free(joined);
	CHECK(unlink(path) == 0);
}

TEST(places_that_cannot_be_written_are_an_error_and_no_harm)
{
	static const struct {
		const char *path, *error;
	} cases[] = {
		{ "/nowhere/at/all/trace.jsonl", "No such file or directory" },
		{ "/", "directory" },
		{ "/dev/full", "No space left on device" },
		{ "tests/data", "directory" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tw_trace *t = tw_trace_open(cases[i].path, NULL);

		test_case("%s", cases[i].path);
		CHECK(t);
		CHECK(is_none(tw_user_input(t, NULL, 0)));
		CHECK(!tw_model_call_end(t, tw_model_call_begin(t, NULL), NULL));
		CHECK(tw_trace_error(t) && strstr(tw_trace_error(t), cases[i].error));
		CHECK(!tw_trace_close(t, NULL));
		CHECK_INT(tw_trace_lost(t), 3);
		tw_trace_free(t);
	}
}

/* The program closed all descriptors, and opened a file of its own that got the number. */
TEST(a_descriptor_that_the_program_took_away_is_left_alone)
{
	char own[] = "/tmp/trackway-own-XXXXXX";
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, NULL);
	int fd = t->outlet.fd, mine;

	tw_user_input(t, NULL, 0);
	CHECK(close(fd) == 0);
	mine = mkstemp(own);
	CHECK(mine >= 0 && dup2(mine, fd) == fd);
	CHECK(is_none(tw_user_input(t, NULL, 0)));
	CHECK(strstr(tw_trace_error(t), "closed by the program"));
	CHECK(!tw_trace_close(t, NULL));
	CHECK(fcntl(fd, F_GETFD) >= 0); /* it was not ours to close */
	CHECK_INT(test_read(own).n, 0);
	tw_trace_free(t);
	CHECK(unlink(own) == 0);
	trace_check(path, "AT107");
}

/* ---- memory ---- */

TEST(without_memory_lines_are_lost_and_the_program_goes_on)
{
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, NULL);
	struct rlimit none_left = { 1 << 20, RLIM_INFINITY }, much = { RLIM_INFINITY, RLIM_INFINITY };
	size_t written = 0;
	void *volatile list = NULL; /* a compiler may leave out memory that nobody looks at */

	if (SANITIZED)
		SKIP("the sanitizer takes memory of its own");
	CHECK(setrlimit(RLIMIT_AS, &none_left) == 0);
	for (size_t size = 1 << 20; size >= 64; size /= 2) /* until nothing is left */
		for (void **p; (p = malloc(size)); list = p)
			*p = list;
	for (int i = 0; i < 50; i++)
		written += !is_none(tw_user_input(t, NULL, 0)) + (size_t)tw_model_call_end(t, tw_model_call_begin(t, NULL), NULL);
	CHECK_INT(written, 0);
	CHECK(tw_trace_open(path, NULL) == NULL);
	while (list) {
		void *next = *(void **)list;

		free(list);
		list = next;
	}
	CHECK(strstr(tw_trace_error(t), "no memory"));
	CHECK(tw_trace_lost(t) == 100);
	CHECK(setrlimit(RLIMIT_AS, &much) == 0);
	CHECK(!is_none(tw_user_input(t, NULL, 0))); /* there is some again */
	tw_trace_close(t, NULL);
	tw_trace_free(t);
	CHECK_INT(trace_lines(test_read(path)), 2);
	CHECK(unlink(path) == 0);
}

/* ---- threads and processes ---- */

static void *emit_many(void *context)
{
	struct tw_trace *t = context;
	struct tw_node last = none;

	for (int i = 0; i < 500; i++) {
		last = model_call(t, &last, 1);
		last = tool_call(t, "grep", last);
	}
	return NULL;
}

TEST(threads_write_whole_lines_and_none_is_missing)
{
	enum { THREADS = 8 };
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, NULL);
	pthread_t threads[THREADS];
	struct str text;

	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, emit_many, t) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK(tw_trace_close(t, NULL) && tw_trace_error(t) == NULL);
	tw_trace_free(t);
	text = trace_check(path, "");
	CHECK_INT(trace_lines(text), THREADS * 1000 + 1);
}

TEST(a_forked_process_goes_on_with_the_trace)
{
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, NULL);
	struct tw_node open = tw_model_call_begin(t, NULL), user = tw_user_input(t, NULL, 0);
	pid_t pids[4];
	struct str text;

	for (int i = 0; i < 4; i++) {
		pids[i] = fork();
		CHECK(pids[i] >= 0);
		if (pids[i] == 0) {
			struct tw_node last = user;

			for (int n = 0; n < 100; n++)
				last = model_call(t, &last, 1);
			CHECK(!tw_model_call_end(t, open, NULL)); /* the parent's */
			CHECK(tw_trace_close(t, NULL)); /* no second summary */
			tw_trace_free(t);
			_exit(0);
		}
	}
	for (int i = 0; i < 4; i++)
		trace_wait(pids[i]);
	CHECK(tw_model_call_end(t, open, NULL) && tw_trace_close(t, NULL));
	tw_trace_free(t);
	text = trace_check(path, "AT114"); /* two clocks are read in one order and written in the other */
	CHECK_INT(trace_lines(text), 403);
	CHECK_INT(trace_count(text, "\"event_type\":\"summary\""), 1);
	CHECK_INT(trace_count(text, "\"node_counts\":{\"model_call\":401,\"user_input\":1}"), 1);
}

TEST(what_a_child_writes_after_the_summary_is_lost)
{
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, NULL);
	int ends[2];
	char byte;
	pid_t pid;

	CHECK(pipe(ends) == 0);
	tw_user_input(t, NULL, 0);
	pid = fork();
	if (pid == 0) {
		CHECK(read(ends[0], &byte, 1) == 1);
		CHECK(is_none(tw_user_input(t, NULL, 0)));
		CHECK(strstr(tw_trace_error(t), "closed"));
		_exit(0);
	}
	CHECK(tw_trace_close(t, NULL) && write(ends[1], "x", 1) == 1);
	trace_wait(pid);
	CHECK_INT(tw_trace_lost(t), 1);
	tw_trace_free(t);
	CHECK_INT(trace_lines(trace_check(path, "")), 2);
}

/* Forks at any moment, while threads hold the lock. */
TEST(a_fork_in_the_middle_of_a_line_leaves_no_lock_behind)
{
	const char *path = trace_path();
	struct tw_trace *t = tw_trace_open(path, NULL);
	pthread_t threads[2];
	struct str text;

	if (SANITIZED)
		SKIP("the sanitizer's own allocator may be locked for ever after such a fork");
	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&threads[i], NULL, emit_many, t) == 0);
	for (int i = 0; i < 60; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0) {
			alarm(20);
			model_call(t, NULL, 0);
			tool_call(t, "x", none);
			_exit(tw_trace_close(t, NULL) ? 0 : 1);
		}
		trace_wait(pid);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	CHECK(tw_trace_close(t, NULL));
	tw_trace_free(t);
	text = trace_check(path, "AT114");
	CHECK_INT(trace_lines(text), 2000 + 120 + 1);
}

TEST(a_killed_process_leaves_whole_lines)
{
	for (int i = 0; i < 30; i++) {
		const char *path = trace_path();
		pid_t pid = fork();
		struct str text;

		CHECK(pid >= 0);
		if (pid == 0) {
			struct tw_trace *t = tw_trace_open(path, NULL);

			for (;;)
				emit_many(t);
		}
		usleep((useconds_t)(1000 + i * 700));
		CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
		if (access(path, F_OK) != 0)
			continue; /* it had not even begun */
		text = test_read(path);
		if (text.n == 0) {
			unlink(path);
			continue;
		}
		CHECK_INT(trace_lines(trace_check(path, "AT107 AT115")), trace_lines(text));
	}
}
