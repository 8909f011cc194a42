/* The whole of it, against the server that is built in: what is written, whatever the service does. */
#include "bench/run/runner.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "bench/run/runner_lanes.h"
#include "harness/test.h"
#include "provider/mock_script.h"

#define ROWS_MOST 4096

/* A run in the making: a suite of `prompts` prompts "say N", and whatever the test changes before `go`. */
struct stage {
	struct arena arena;
	struct suite suite;
	struct config config;
	struct provider_options options[4];
	struct mock_script script;
	struct str parent;
	struct runner_options how;
	struct runner_report report;
	struct err err;
	/* what was told */
	struct buf told;
	struct runner_progress last;
	uint64_t progress_calls;
	uint64_t stop_at; /* rows; SIGINT then */
	/* what was written */
	struct result rows[ROWS_MOST];
	size_t count;
	struct str events;
};

static void on_tell(void *own, struct str line)
{
	struct stage *s = own;

	buf_add_str(&s->told, line);
	buf_add_byte(&s->told, '\n');
}

static void on_progress(void *own, const struct runner_progress *p)
{
	struct stage *s = own;

	CHECK(p->done >= s->last.done && p->done <= p->total);
	s->progress_calls++;
	s->last = *p;
	if (s->stop_at && p->done >= s->stop_at) {
		s->stop_at = 0; /* the second time would end us at once */
		raise(SIGINT);
	}
}

static struct str suite_text(struct arena *a, unsigned prompts)
{
	struct str text = STR("[");

	for (unsigned i = 0; i < prompts; i++)
		text = ARENA_JOIN(a, text,
				  arena_printf(a, "%s{\"id\":\"p%u\",\"name\":\"Prompt %u\",\"prompt\":\"say %u\","
					       "\"validator\":{\"type\":\"exact\",\"value\":\"say %u\"}}",
					       i ? "," : "", i, i, i, i));
	return ARENA_JOIN(a, text, STR("]"));
}

static void use_suite(struct stage *s, struct str text, bool allow_commands)
{
	struct suite_text file = { STR("s.json"), text };

	suite_parse(&s->suite, &s->arena, &file, 1, NULL,
		    &(struct suite_options){ .allow_commands = allow_commands, .unsandboxed = true });
	if (s->suite.errors)
		FAIL("%.*s", STR_ARG(s->suite.files[0].findings.kept[0].message));
}

static void use_script(struct stage *s, const char *rules)
{
	struct str text = arena_printf(&s->arena, "{\"schema\":\"trackway.mock/1\",\"rules\":[%s]}", rules);

	if (!mock_script_parse(&s->arena, text, STR("m.json"), &s->script, &s->err))
		FAIL("%s", s->err.text);
	for (size_t i = 0; i < 4; i++)
		s->options[i].script = &s->script;
}

static void add_target(struct stage *s, const char *name)
{
	if (!target_parse(&s->arena, str_from(name), &s->config.targets[s->config.target_count++], &s->err))
		FAIL("%s", s->err.text);
}

static struct stage *stage_new(unsigned prompts, const char *target)
{
	struct stage *s = test_alloc(sizeof(*s));

	arena_init(&s->arena);
	buf_init(&s->told);
	s->parent = str_from(test_dir());
	s->config = (struct config){
		.run_id = STR("r1"), .repeat = 1, .timeout_ms = 20000, .retries = 5, .retry_delay_ms = 4, .stream = true,
		.temperature = -1, .seed = 1, .budget_usd = -1, .concurrency = 4,
		.targets = arena_array(&s->arena, struct target, 4),
	};
	use_suite(s, suite_text(&s->arena, prompts), false);
	add_target(s, target);
	return s;
}

static bool keep_row(void *own, const struct result *r, struct str line)
{
	struct stage *s = own;
	struct result *to = &s->rows[s->count++];

	(void)line;
	CHECK(s->count < ROWS_MOST);
	*to = *r;
	to->provider = arena_copy(&s->arena, r->provider);
	to->model = arena_copy(&s->arena, r->model);
	to->thinking = r->thinking.p ? arena_copy(&s->arena, r->thinking) : r->thinking;
	to->prompt_id = arena_copy(&s->arena, r->prompt_id);
	to->failure = r->failure.p ? arena_copy(&s->arena, r->failure) : r->failure;
	to->violation = r->violation.p ? arena_copy(&s->arena, r->violation) : r->violation;
	to->output = arena_copy(&s->arena, r->output);
	return true;
}

static struct str run_path(struct stage *s)
{
	return ARENA_JOIN(&s->arena, s->parent, STR("/r1"));
}

static void read_back(struct stage *s)
{
	struct results_lost lost;

	s->count = 0;
	if (!results_walk(run_path(s), keep_row, s, &lost, &s->err) ||
	    !file_read(&s->arena, ARENA_JOIN(&s->arena, run_path(s), STR("/events.jsonl")), (size_t)1 << 30, &s->events, &s->err))
		FAIL("%s", s->err.text);
	CHECK_INT(lost.skipped, 0);
}

/* Runs, or goes on; false when it failed. What is there is not read. */
static bool run_only(struct stage *s, bool resume)
{
	bool done;

	s->how = (struct runner_options){
		.config = &s->config, .suite = &s->suite, .providers = s->options, .prices = s->how.prices,
		.progress = on_progress, .tell = on_tell, .own = s,
	};
	s->how.dir = resume ? run_dir_resume(run_path(s), &s->err) : run_dir_make(s->parent, STR("r1"), &s->err);
	if (!s->how.dir)
		FAIL("%s", s->err.text);
	done = runner_run(&s->how, &s->report, &s->err);
	run_dir_close(s->how.dir);
	return done;
}

static void go(struct stage *s)
{
	if (!run_only(s, false))
		FAIL("%s", s->err.text);
	read_back(s);
}

static void stage_free(struct stage *s)
{
	struct str command = arena_printf(&s->arena, "rm -rf %.*s", STR_ARG(s->parent));

	CHECK_INT(system(command.p), 0);
	buf_free(&s->told);
	arena_free(&s->arena);
}

static const struct result *find_row(struct stage *s, const char *prompt_id)
{
	for (size_t i = 0; i < s->count; i++)
		if (str_eq(s->rows[i].prompt_id, str_from(prompt_id)))
			return &s->rows[i];
	FAIL("no row of %s", prompt_id);
}

static size_t count_of(struct str text, struct str part)
{
	size_t n = 0, at;

	while ((at = str_find(text, part)) != (size_t)-1) {
		n++;
		text = str_of(text.p + at + part.n, text.n - at - part.n);
	}
	return n;
}

static size_t events_of(struct stage *s, const char *name)
{
	return count_of(s->events, arena_printf(&s->arena, "\"event\":\"%s\"", name));
}

/* Every (target, prompt, repetition) once, and nothing else. */
static void check_rows_once(struct stage *s)
{
	size_t want = s->config.target_count * s->suite.count * s->config.repeat;
	struct map keys;

	map_init(&keys, &s->arena);
	for (size_t i = 0; i < s->count; i++) {
		struct result *r = &s->rows[i];
		bool added;

		map_add(&keys, result_key(&s->arena, r->provider, r->model, r->thinking, r->prompt_id, r->repetition), &added);
		CHECK(added);
		CHECK(r->repetition >= 1 && r->repetition <= (int64_t)s->config.repeat);
		CHECK(r->ended_at_ms >= r->started_at_ms);
		CHECK(r->scheduled_at_ms <= r->started_at_ms);
	}
	CHECK_INT(s->count, want);
}

/* ---- when all is well ---- */

TEST(every_prompt_goes_to_every_target_so_many_times)
{
	struct stage *s = stage_new(5, "mock:a");
	int64_t before = (int64_t)(clock_wall_ns() / 1000000), first_over = 0;

	add_target(s, "mock:b@high");
	s->config.repeat = 3;
	go(s);
	CHECK_INT(s->report.end, RUNNER_COMPLETE);
	check_rows_once(s);
	for (size_t i = 0; i < s->count; i++) {
		const struct result *r = &s->rows[i];

		CHECK_INT(r->status, PROVIDER_OK);
		CHECK(r->success);
		CHECK_INT(r->pass, VERDICT_TRUE);
		CHECK(str_starts(r->output, STR("say ")));
		CHECK_INT(r->attempts, 1);
		CHECK(r->ttft_ms >= 0 && r->ttft_ms <= r->e2e_ms);
		CHECK(r->output_tokens > 0);
		CHECK(r->started_at_ms >= before && r->started_at_ms <= (int64_t)(clock_wall_ns() / 1000000));
		/* one target after the other: they are one server */
		CHECK_STR(r->model, i < 15 ? STR("a") : STR("b"));
		if (i < 15 && r->ended_at_ms > first_over)
			first_over = r->ended_at_ms;
		CHECK(i < 15 || r->started_at_ms + 1 >= first_over); /* both are rounded */
	}
	CHECK_INT(s->report.last.done, 30);
	CHECK_INT(s->report.last.total, 30);
	CHECK_INT(s->report.last.ok, 30);
	CHECK_INT(s->report.last.passed, 30);
	CHECK_INT(s->report.last.open, 0);
	CHECK_INT(s->last.done, 30);
	CHECK_INT(events_of(s, "run_begin"), 1);
	CHECK_INT(events_of(s, "target_begin"), 2);
	CHECK_INT(events_of(s, "target_end"), 2);
	CHECK_INT(events_of(s, "run_end"), 1);
	stage_free(s);
}

TEST(what_the_machine_has_is_written_before_and_after_each_target)
{
	static const char *const names[] = { "resources_mock__a__none_before.txt", "resources_mock__a__none_after.txt" };
	struct stage *s = stage_new(1, "mock:a");

	go(s);
	for (size_t i = 0; i < 2; i++) {
		struct str path = ARENA_JOIN(&s->arena, run_path(s), STR("/"), str_from(names[i])), text;

		if (!file_read(&s->arena, path, 100000, &text, &s->err))
			FAIL("%s", s->err.text);
		CHECK(text.n > 20);
	}
	stage_free(s);
}

TEST(questions_that_warm_up_are_events_and_no_rows)
{
	struct stage *s = stage_new(3, "mock:a");

	s->config.warmup = 2;
	use_script(s, "{\"match\":{\"last\":\"say 0\",\"nth\":1},\"fault\":{\"status\":500}},{}");
	go(s);
	check_rows_once(s);
	CHECK_INT(events_of(s, "warmup"), 2);
	CHECK(str_find(s->events, STR("\"status\":\"error\",\"failure_type\":\"http_500\"")) != (size_t)-1);
	CHECK(find_row(s, "p0")->success);
	stage_free(s);
}

TEST(progress_is_told_at_most_ten_times_a_second_and_at_the_end)
{
	struct stage *s = stage_new(30, "mock:a");
	uint64_t began = clock_mono_ns();

	s->config.concurrency = 1;
	use_script(s, "{\"pace\":{\"ttft_ms\":25}}");
	go(s);
	CHECK(s->progress_calls >= 2);
	CHECK(s->progress_calls <= (clock_mono_ns() - began) / 100000000 + 2);
	CHECK_INT(s->last.eta_ms, 0);
	CHECK_INT(s->last.done, 30);
	stage_free(s);
}

TEST(our_own_part_is_measured)
{
	struct stage *s = stage_new(50, "mock:a");

	go(s);
	CHECK(s->report.late_p50_ms >= 0 && s->report.late_p50_ms <= s->report.late_p99_ms);
	CHECK(s->report.busy > 0 && s->report.busy <= 1);
	CHECK(!s->report.was_bottleneck || s->report.late_p99_ms > 5 || s->report.busy > 0.9);
	stage_free(s);
}

/* ---- statuses ---- */

TEST(whatever_goes_wrong_has_its_status_and_its_failure)
{
	static const struct {
		const char *rule; /* for "say 1" */
		enum provider_status status;
		const char *failure;
		int64_t attempts;
	} cases[] = {
		{ "\"fault\":{\"status\":429}", PROVIDER_LIMITED, "http_429", 6 },
		{ "\"fault\":{\"status\":503}", PROVIDER_ERROR, "http_503", 6 },
		{ "\"fault\":{\"status\":500}", PROVIDER_ERROR, "http_500", 1 },
		{ "\"fault\":{\"status\":400}", PROVIDER_ERROR, "http_400", 1 },
		{ "\"fault\":{\"cut_after\":2},\"reply\":{\"text\":\"a b c d e\"}", PROVIDER_ERROR, "cut_stream", 1 },
		{ "\"fault\":{\"bad_json\":true},\"reply\":{\"text\":\"a b c d e\"}", PROVIDER_ERROR, "bad_json", 1 },
		{ "\"fault\":{\"stall_ms\":60000},\"reply\":{\"text\":\"a b c d e\"}", PROVIDER_ERROR, "timeout", 1 },
		{ "\"reply\":{\"text\":\" \"}", PROVIDER_OK, "empty_response", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stage *s = stage_new(4, "mock:a");
		const struct result *r;

		test_case("%s", cases[i].rule);
		if (strcmp(cases[i].failure, "timeout") == 0)
			s->config.timeout_ms = 3000 * test_slower();
		use_script(s, arena_printf(&s->arena, "{\"match\":{\"last\":\"say 1\"},%s},{}", cases[i].rule).p);
		go(s);
		check_rows_once(s);
		r = find_row(s, "p1");
		CHECK_INT(r->status, cases[i].status);
		CHECK(!r->success);
		CHECK_STR(r->failure, str_from(cases[i].failure));
		CHECK_INT(r->attempts, cases[i].attempts);
		CHECK_INT(r->pass, VERDICT_NULL);
		CHECK(!r->violation.p);
		CHECK(find_row(s, "p0")->success);
		CHECK(find_row(s, "p3")->success);
		CHECK_INT(events_of(s, "retry"), (size_t)cases[i].attempts - 1);
		CHECK_INT(s->report.last.retries, (uint64_t)cases[i].attempts - 1);
		CHECK_INT(s->report.last.failed, 1);
		CHECK_INT(events_of(s, "timeout"), strcmp(cases[i].failure, "timeout") == 0);
		CHECK_INT(events_of(s, "waited"), cases[i].attempts > 1);
		stage_free(s);
	}
}

TEST(an_answer_of_calls_alone_is_not_empty)
{
	struct stage *s = stage_new(1, "mock:a");

	use_script(s, "{\"reply\":{\"tool_calls\":[{\"name\":\"exec\",\"arguments\":{\"command\":\"free\"}}]}}");
	go(s);
	CHECK(s->rows[0].success);
	CHECK_INT(s->rows[0].tool_source, TOOLS_FROM_API);
	CHECK_INT(s->rows[0].tool_count, 1);
	stage_free(s);
}

TEST(what_came_before_the_time_was_up_is_kept)
{
	struct stage *s = stage_new(1, "mock:a");

	s->config.timeout_ms = 2000 * test_slower();
	use_script(s, "{\"fault\":{\"stall_ms\":60000},\"reply\":{\"text\":\"first second third\"}}");
	go(s);
	CHECK_STR(s->rows[0].failure, STR("timeout"));
	CHECK(str_starts(s->rows[0].output, STR("first")));
	CHECK(s->rows[0].e2e_ms >= (int64_t)s->config.timeout_ms && s->rows[0].e2e_ms < 50000);
	stage_free(s);
}

TEST(retry_after_is_honoured_and_the_row_succeeds)
{
	struct stage *s = stage_new(4, "mock:a");
	const struct result *r;

	use_script(s, "{\"match\":{\"last\":\"say 2\",\"nth\":1},"
		      "\"fault\":{\"status\":429,\"headers\":{\"Retry-After\":\"1\"}}},{}");
	s->config.concurrency = 1;
	go(s);
	check_rows_once(s);
	r = find_row(s, "p2");
	CHECK(r->success);
	CHECK_INT(r->attempts, 2);
	CHECK(r->ended_at_ms - r->started_at_ms >= 1000);            /* from the first send */
	CHECK(r->e2e_ms <= r->ended_at_ms - r->started_at_ms - 900); /* of the last attempt */
	CHECK(s->report.wait_ms >= 1000);
	CHECK_INT(events_of(s, "pause"), 1);
	CHECK(str_find(s->events, STR("\"retry_after_ms\":1000,\"delay_ms\":1")) != (size_t)-1);
	CHECK_STR(buf_str(&s->told), STR("mock asks to wait for 1 s\n"));
	stage_free(s);
}

TEST(a_burst_of_503_costs_tries_and_no_rows)
{
	struct stage *s = stage_new(40, "mock:a");
	struct buf rules;

	buf_init(&rules);
	for (int i = 3; i <= 12; i++)
		buf_printf(&rules, "{\"match\":{\"nth\":%d},\"fault\":{\"status\":503}},", i);
	buf_add(&rules, "{}", 3);
	use_script(s, rules.p);
	s->config.concurrency = 0;
	s->config.retries = 12;
	s->config.retry_delay_ms = 1;
	go(s);
	check_rows_once(s);
	CHECK_INT(s->report.last.ok, 40);
	CHECK_INT(s->report.last.retries, 10);
	CHECK(events_of(s, "concurrency") >= 1);
	buf_free(&rules);
	stage_free(s);
}

/* ---- those who are not there ---- */

TEST(a_server_that_is_down_costs_the_tries_of_its_first_rows)
{
	struct stage *s = stage_new(20, "ollama_openai:m");

	s->options[0].base = STR("http://127.0.0.1:1/v1");
	go(s);
	check_rows_once(s);
	for (size_t i = 0; i < s->count; i++) {
		CHECK_INT(s->rows[i].status, PROVIDER_UNAVAILABLE);
		CHECK_STR(s->rows[i].failure, STR("connect_error"));
		CHECK_INT(s->rows[i].e2e_ms, 0);
	}
	CHECK_INT(find_row(s, "p19")->attempts, 0);
	CHECK_INT(find_row(s, "p19")->started_at_ms, find_row(s, "p19")->ended_at_ms);
	CHECK_INT(events_of(s, "target_lost"), 1);
	CHECK(str_starts(buf_str(&s->told), STR("ollama_openai:m cannot be used (connect_error")));
	stage_free(s);
}

TEST(a_model_that_is_absent_is_asked_for_and_not_waited_for)
{
	struct stage *s = stage_new(20, "mock:a");

	s->config.concurrency = 1;
	use_script(s, "{\"match\":{\"model\":\"other\"}}");
	add_target(s, "mock:other");
	go(s);
	check_rows_once(s);
	for (size_t i = 0; i < s->count; i++) {
		bool absent = str_eq(s->rows[i].model, STR("a"));

		CHECK_INT(s->rows[i].status, absent ? PROVIDER_UNAVAILABLE : PROVIDER_OK);
		if (absent)
			CHECK_STR(s->rows[i].failure, STR("model_not_found"));
		CHECK_INT(s->rows[i].attempts, absent && i >= 3 ? 0 : 1); /* three times the same is no chance */
	}
	stage_free(s);
}

TEST(a_refusal_of_one_prompt_does_not_cost_the_others)
{
	struct stage *s = stage_new(4, "mock:a");

	s->config.concurrency = 1;
	use_script(s, "{\"match\":{\"last\":\"say 0\"},\"fault\":{\"status\":401}},"
		      "{\"match\":{\"last\":\"say 1\"},\"fault\":{\"status\":404}},"
		      "{\"match\":{\"last\":\"say 2\"},\"fault\":{\"status\":404}},{}");
	go(s);
	check_rows_once(s);
	for (size_t i = 0; i < s->count; i++)
		CHECK_INT(s->rows[i].attempts, 1);
	stage_free(s);
}

TEST(without_a_key_nothing_is_sent)
{
	struct stage *s = stage_new(6, "openai_responses:m");

	unsetenv("OPENAI_API_KEY");
	go(s);
	check_rows_once(s);
	for (size_t i = 0; i < s->count; i++) {
		CHECK_INT(s->rows[i].status, PROVIDER_AUTH);
		CHECK_STR(s->rows[i].failure, STR("openai_api_key_missing"));
	}
	stage_free(s);
}

TEST(targets_are_given_once)
{
	struct stage *s = stage_new(2, "mock:a");

	add_target(s, "mock:a");
	CHECK(!run_only(s, false));
	CHECK_INT(s->err.kind, ERR_USAGE);
	CHECK(str_find(str_from(s->err.text), STR("given twice")) != (size_t)-1);
	stage_free(s);
}

/* ---- stopping and going on ---- */

TEST(ctrl_c_ends_it_soon_and_resume_goes_on_without_loss)
{
	struct stage *s = stage_new(60, "mock:a");
	int status;
	pid_t child;

	use_script(s, "{\"pace\":{\"ttft_ms\":20}}");
	s->config.concurrency = 2;
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		stop_install();
		s->stop_at = 10;
		status = run_only(s, false) && s->report.end == RUNNER_STOPPED && s->report.last.open == 0 ? 0 : 1;
		_exit(status);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_INT(status, 0);
	read_back(s);
	CHECK(s->count >= 10 && s->count < 60);
	CHECK(str_find(s->events, STR("\"end\":\"stopped\"")) != (size_t)-1);
	CHECK(run_only(s, true));
	CHECK_INT(s->report.end, RUNNER_COMPLETE);
	CHECK_INT(s->report.last.done, 60);
	CHECK_INT(s->report.last.ok, 60);
	read_back(s);
	check_rows_once(s);
	stage_free(s);
}

TEST(a_silent_service_does_not_keep_ctrl_c_waiting)
{
	struct stage *s = stage_new(3, "mock:a");
	struct str path = ARENA_JOIN(&s->arena, run_path(s), STR("/results.jsonl"));
	uint64_t began;
	int status;
	pid_t child;

	use_script(s, "{\"pace\":{\"ttft_ms\":60000}}");
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		stop_install();
		_exit(run_only(s, false) && s->report.end == RUNNER_STOPPED && s->report.last.done == 0 ? 0 : 1);
	}
	for (int i = 0; i < 3000 && access(path.p, F_OK) != 0; i++)
		usleep(10000);
	usleep(300000 * test_slower()); /* the questions are out */
	began = clock_mono_ns();
	kill(child, SIGTERM);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_INT(status, 0);
	CHECK(clock_mono_ns() - began < UINT64_C(20000000000)); /* the service would be silent for a minute */
	read_back(s);
	CHECK_INT(s->count, 0);
	stage_free(s);
}

TEST(whoever_is_killed_leaves_rows_that_are_there_and_no_others)
{
	struct stage *s = stage_new(40, "mock:a");
	int runs = 0;

	use_script(s, "{\"match\":{\"last\":\"say 7\"},\"fault\":{\"status\":429}},{\"pace\":{\"ttft_ms\":15}}");
	s->config.concurrency = 3;
	s->config.repeat = 2;
	for (bool complete = false; !complete; runs++) {
		struct str path = ARENA_JOIN(&s->arena, run_path(s), STR("/results.jsonl"));
		bool begun = access(path.p, F_OK) == 0;
		int status, fd;
		pid_t child = fork();

		CHECK(child >= 0);
		if (child == 0)
			_exit(run_only(s, begun) && s->report.end == RUNNER_COMPLETE ? 0 : 1);
		usleep((120000 + (useconds_t)runs * 37000) * test_slower());
		kill(child, SIGKILL);
		CHECK(waitpid(child, &status, 0) == child);
		complete = WIFEXITED(status) && WEXITSTATUS(status) == 0;
		CHECK(runs < 100);
		/* and the disk may have kept half of a line */
		fd = complete ? -1 : open(path.p, O_WRONLY | O_APPEND);
		if (fd >= 0) {
			CHECK(write(fd, "{\"record_type\":\"res", 19) == 19);
			close(fd);
		}
	}
	CHECK(runs > 1);
	read_back(s);
	check_rows_once(s);
	CHECK_INT(find_row(s, "p7")->status, PROVIDER_LIMITED);
	CHECK(events_of(s, "torn_line_removed") >= 1);
	stage_free(s);
}

TEST(a_run_that_is_complete_has_nothing_left_to_do)
{
	struct stage *s = stage_new(5, "mock:a");
	size_t begun;

	go(s);
	begun = events_of(s, "target_begin");
	CHECK(run_only(s, true));
	CHECK_INT(s->report.end, RUNNER_COMPLETE);
	CHECK_INT(s->report.last.done, 5);
	CHECK(!s->report.was_bottleneck); /* nothing was asked, so nobody had to wait for us */
	read_back(s);
	check_rows_once(s);
	CHECK_INT(events_of(s, "target_begin"), begun);
	stage_free(s);
}

TEST(what_a_kill_left_out_behind_the_last_row_is_made_up_for)
{
	struct stage *s = stage_new(2, "mock:a");
	struct str after = ARENA_JOIN(&s->arena, run_path(s), STR("/resources_mock__a__none_after.txt"));

	go(s);
	CHECK(remove(after.p) == 0);
	CHECK(run_only(s, true));
	CHECK(access(after.p, F_OK) == 0);
	stage_free(s);
}

/* ---- money ---- */

static void use_price(struct stage *s)
{
	struct prices *p = prices_new(&s->arena);

	if (!prices_override(p, STR("mock\tdear\t2020-01-01\t-\t0\t1000000\t-\t-\t-\tours\n"), STR("p.tsv"), &s->err))
		FAIL("%s", s->err.text);
	s->how.prices = p;
}

TEST(a_budget_is_not_exceeded_by_any_question)
{
	struct stage *s = stage_new(50, "mock:dear"); /* a dollar for each token of output */

	use_price(s);
	use_script(s, "{\"reply\":{\"text\":\"x\",\"usage\":{\"input\":3,\"output\":2}},\"pace\":{\"ttft_ms\":5}}");
	s->config.max_tokens = 10;
	s->config.budget_usd = 41;
	go(s);
	CHECK_INT(s->report.end, RUNNER_BUDGET);
	/* two dollars each; after the 16th a question of ten could come to 42 */
	CHECK_INT(s->count, 16);
	CHECK(s->report.last.usd == 32);
	CHECK_INT(events_of(s, "budget_stop"), 1);
	CHECK(s->rows[0].usd == 2 && s->rows[0].usd_estimated);
	/* going on with the same budget does nothing, with a larger one it goes on */
	CHECK(run_only(s, true));
	CHECK_INT(s->report.end, RUNNER_BUDGET);
	s->config.budget_usd = 1000;
	CHECK(run_only(s, true));
	CHECK_INT(s->report.end, RUNNER_COMPLETE);
	read_back(s);
	check_rows_once(s);
	stage_free(s);
}

TEST(a_cost_that_nobody_knows_is_told_once)
{
	struct stage *s = stage_new(5, "mock:a");

	use_price(s);
	s->config.budget_usd = 1;
	go(s);
	CHECK_INT(s->report.end, RUNNER_COMPLETE);
	CHECK_INT(count_of(buf_str(&s->told), STR("is not known without a price")), 1);
	stage_free(s);
}

/* ---- what else may go wrong ---- */

TEST(programs_judge_beside_the_loop)
{
	struct stage *s = stage_new(1, "mock:a");

	use_suite(s,
		  STR("[{\"id\":\"y\",\"name\":\"y\",\"prompt\":\"y\",\"validator\":{\"type\":\"command\",\"argv\":[\"true\"]}},"
		      "{\"id\":\"n\",\"name\":\"n\",\"prompt\":\"n\",\"validator\":{\"type\":\"command\",\"argv\":[\"false\"]}}]"),
		  true);
	s->config.allow_commands = true;
	s->config.repeat = 4;
	go(s);
	check_rows_once(s);
	for (size_t i = 0; i < s->count; i++) {
		bool yes = str_eq(s->rows[i].prompt_id, STR("y"));

		test_case("%.*s", STR_ARG(s->rows[i].violation));
		CHECK_INT(s->rows[i].pass, yes ? VERDICT_TRUE : VERDICT_FALSE);
		CHECK_STR(s->rows[i].output, yes ? STR("y") : STR("n"));
	}
	CHECK_INT(s->report.last.judged, 8);
	stage_free(s);
}

TEST(a_full_disk_ends_the_run_with_an_error)
{
	struct stage *s = stage_new(400, "mock:a");
	struct rlimit limit = { .rlim_cur = 20000, .rlim_max = RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
	CHECK(!run_only(s, false));
	CHECK_INT(s->report.end, RUNNER_FAILED);
	CHECK_INT(s->err.kind, ERR_IO);
	limit.rlim_cur = RLIM_INFINITY;
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
	/* what was written is good, and the rest follows when there is room: what was counted and not written, again */
	s->report.last.done = 0;
	CHECK(run_only(s, true));
	read_back(s);
	check_rows_once(s);
	stage_free(s);
}

TEST(an_address_that_is_none_is_told_before_anything_is_sent)
{
	struct stage *s = stage_new(1, "ollama_openai:m");

	s->options[0].base = STR("gopher:/x");
	CHECK(!run_only(s, false));
	CHECK_INT(s->err.kind, ERR_USAGE);
	stage_free(s);
}

/* ---- lanes ---- */

TEST(a_lane_is_a_host_and_a_port)
{
	static const struct {
		const char *address, *key;
		bool local;
	} cases[] = {
		{ "http://localhost:11434/v1", "localhost:11434", true },
		{ "http://127.0.0.1:11434", "localhost:11434", true },
		{ "http://[::1]:11434/api", "localhost:11434", true },
		{ "https://api.example.com/v1", "api.example.com:443", false },
		{ "claude", "claude", true },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool local;

		test_case("%s", cases[i].address);
		CHECK_STR(runner_lane_key(&a, str_from(cases[i].address), &local), str_from(cases[i].key));
		CHECK_INT(local, cases[i].local);
	}
	arena_free(&a);
}

TEST(targets_of_one_server_share_a_lane_and_those_of_one_client_share_that)
{
	static const char *const names[] = { "ollama_openai:a", "ollama_native:b", "ollama_openai:c@low", "openai_responses:d" };
	struct provider_options options[4] = { { .key = STR("k") }, { .key = STR("k") }, { .key = STR("k") }, { .key = STR("k") } };
	struct err err = { .kind = ERR_NONE };
	struct target targets[4];
	struct runner_lanes l;
	struct provider_pool *pool;
	struct arena a;
	uv_loop_t loop;

	arena_init(&a);
	uv_loop_init(&loop);
	pool = provider_pool_open(&loop);
	options[0].base = options[2].base = STR("http://127.0.0.1:5001/v1");
	options[1].base = STR("http://localhost:5001");
	options[3].base = STR("https://example.com/v1");
	for (size_t i = 0; i < 4; i++)
		CHECK(target_parse(&a, str_from(names[i]), &targets[i], &err));
	if (!runner_lanes_open(&l, &a, pool, targets, options, 4, 0, &err))
		FAIL("%s", err.text);
	CHECK_INT(l.count, 2);
	CHECK_INT(l.lanes[0], 0);
	CHECK_INT(l.lanes[1], 0);
	CHECK_INT(l.lanes[2], 0);
	CHECK_INT(l.lanes[3], 1);
	CHECK(l.clients[0] == l.clients[2] && l.clients[0] != l.clients[1]);
	CHECK_INT(l.limits[0].start, LIMITER_START_LOCAL);
	CHECK_INT(l.limits[1].start, LIMITER_START);
	CHECK_STR(l.names[1], STR("openai_responses"));
	provider_pool_close(pool);
	uv_run(&loop, UV_RUN_DEFAULT);
	provider_pool_free(pool);
	CHECK_INT(uv_loop_close(&loop), 0);
	arena_free(&a);
}
