/* Whose a request is, when a run is closed, and a day of them. */
#include "unit/capture/listen_stage.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char *const named[] = { "X-Trackway-Run", "nightly-7", NULL };
static const char *const other_key[] = { "Authorization", "Bearer another", NULL };

static uint64_t open_now(struct stage *s, int64_t now)
{
	stage_turn(s, now, 0);
	return listen_runs_tally(s->runs).open;
}

#define SAID(q, a) "{\"role\":\"user\",\"content\":\"" q "\"},{\"role\":\"assistant\",\"content\":\"" a "\"},"

TEST(a_conversation_that_goes_on_stays_in_its_run_and_another_begins_one)
{
	struct stage s;

	stage_open(&s, test_dir(), false);
	stage_talk(&s, "", "one", "first", BEGUN + SECOND, NULL);
	stage_talk(&s, "", "two", "second", BEGUN + 2 * SECOND, NULL);
	CHECK_INT(open_now(&s, BEGUN + 3 * SECOND), 2);
	stage_talk(&s, SAID("one", "first"), "more", "third", BEGUN + 4 * SECOND, NULL);
	stage_talk(&s, SAID("two", "second") SAID("more", "x"), "and more", "fourth", BEGUN + 5 * SECOND, NULL);
	CHECK_INT(open_now(&s, BEGUN + 6 * SECOND), 2);
	stage_talk(&s, "", "two", "again", BEGUN + 7 * SECOND, NULL);
	CHECK_INT(open_now(&s, BEGUN + 8 * SECOND), 2);
	stage_talk(&s, "", "two", "for another", BEGUN + 9 * SECOND, other_key);
	CHECK_INT(open_now(&s, BEGUN + 10 * SECOND), 3);
	stage_close(&s);
}

TEST(a_name_decides_and_so_does_a_session)
{
	static const char *const session[] = { "X-Claude-Code-Session-Id", "5e55-1", NULL };
	static const char *const sub[] = { "X-Claude-Code-Session-Id", "5e55-1", "X-Claude-Code-Agent-Id", "a1", NULL };
	struct stage s;

	stage_open(&s, test_dir(), false);
	stage_talk(&s, "", "one", "first", BEGUN + SECOND, named);
	stage_talk(&s, "", "two", "second", BEGUN + 2 * SECOND, named);
	CHECK_INT(open_now(&s, BEGUN + 3 * SECOND), 1);
	stage_talk(&s, "", "three", "third", BEGUN + 4 * SECOND, session);
	stage_talk(&s, "", "four", "fourth", BEGUN + 5 * SECOND, sub);
	CHECK_INT(open_now(&s, BEGUN + 6 * SECOND), 2);
	stage_turn(&s, BEGUN + 2000 * SECOND, 0);
	CHECK_INT(s.closed, 2);
	CHECK(str_has(stage_read(&s, s.last, "meta.json"), STR("\"session\": \"5e55-1\"")));
	stage_talk(&s, "", "five", "fifth", BEGUN + 2001 * SECOND, named);
	CHECK_INT(open_now(&s, BEGUN + 2002 * SECOND), 1);
	stage_close(&s);
}

TEST(a_sub_agent_begins_in_the_run_whose_tool_was_given_its_words)
{
	static const char question[] = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"do it\"}]}";
	static const char reply[] =
		"{\"id\":\"c1\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":"
		"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"t1\",\"type\":\"function\",\"function\":"
		"{\"name\":\"task\",\"arguments\":\"{\\\"prompt\\\":\\\"look through all the files of the project\\\"}\"}}]},"
		"\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}";
	struct stage s;

	stage_open(&s, test_dir(), false);
	stage_answer(stage_ask(&s, STR(question), BEGUN + SECOND, NULL), 200, STR(reply), BEGUN + 2 * SECOND);
	stage_talk(&s, "", "look through all the files of the project", "done", BEGUN + 3 * SECOND, NULL);
	CHECK_INT(open_now(&s, BEGUN + 4 * SECOND), 1);
	stage_close(&s);
}

/* On the recorder's thread, as those of a socket. */
static void see_job(struct recorder *d, struct handoff *w)
{
	recorder_see(d, w->own);
	handoff_free(w);
}

static uint64_t see(struct stage *s, struct sighting *seen, int64_t now)
{
	struct handoff *w = mem_alloc(sizeof(*w));

	*w = (struct handoff){ .job = see_job, .own = seen };
	buf_init(&w->body);
	feed_push(s->feed, &w->item, true);
	return open_now(s, now);
}

TEST(what_hooks_and_telemetry_saw_goes_to_the_run_of_its_session_or_trace)
{
	static const char *const session[] = { "X-Claude-Code-Session-Id", "5e55-1", "traceparent",
					       "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", NULL };
	struct sighting end = sighting_of(SIGHT_TOOL_END, SIGHT_HOOK), begin = sighting_of(SIGHT_TOOL_BEGIN, SIGHT_HOOK);
	struct sighting span = sighting_of(SIGHT_MODEL, SIGHT_OTLP), tape = sighting_of(SIGHT_TAPE, SIGHT_MCP);
	struct stage s;

	stage_open(&s, test_dir(), false);
	end.ended_ns = begin.begun_ns = span.begun_ns = BEGUN + SECOND;
	span.ended_ns = BEGUN + 2 * SECOND;
	CHECK_INT(see(&s, &begin, BEGUN + SECOND), 0); /* nobody's */
	end.session = tape.session = STR("5e55-2");
	CHECK_INT(see(&s, &end, BEGUN + SECOND) + see(&s, &tape, BEGUN + SECOND), 0);
	stage_talk(&s, "", "one", "first", BEGUN + SECOND, session);
	begin.session = STR("5e55-1");
	begin.name = STR("Bash");
	begin.call = STR("call-1");
	CHECK_INT(see(&s, &begin, BEGUN + 2 * SECOND), 1);
	span.trace = STR("0af7651916cd43dd8448eb211c80319c");
	CHECK_INT(see(&s, &span, BEGUN + 2 * SECOND), 1);
	span.trace = STR("1af7651916cd43dd8448eb211c80319c");
	CHECK_INT(see(&s, &span, BEGUN + 2 * SECOND), 2);
	begin.session = STR("5e55-3");
	CHECK_INT(see(&s, &begin, BEGUN + 2 * SECOND), 3);
	stage_close(&s);
}

/* Short ids are counted by their servers, and some come again: they tell nothing. */
TEST(telemetry_goes_to_the_run_that_has_its_ids_where_nothing_else_tells_its_run)
{
	static const char question[] = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"do it\"}]}";
	static const char reply[] =
		"{\"id\":\"chatcmpl-0123456789\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,"
		"\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_0123456789ab\","
		"\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}},{\"id\":\"call_1\",\"type\":"
		"\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}],"
		"\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}";
	static const struct str calls[] = { { "call_0123456789ab", 17 } };
	struct sighting answer = sighting_of(SIGHT_MODEL, SIGHT_OTLP), asks = answer, after = answer, other = answer;
	struct sighting tool = sighting_of(SIGHT_TOOL_END, SIGHT_OTLP), *const spans[] = { &answer, &asks, &after, &tool };
	struct stage s;

	answer.response_id = STR("chatcmpl-0123456789");
	asks.calls = after.results = calls;
	asks.call_count = after.result_count = 1;
	tool.call = calls[0];
	other.response_id = STR("call_1");
	stage_open(&s, test_dir(), false);
	stage_answer(stage_ask(&s, STR(question), BEGUN + SECOND, NULL), 200, STR(reply), BEGUN + 2 * SECOND);
	CHECK_INT(open_now(&s, BEGUN + 3 * SECOND), 1);
	for (size_t i = 0; i < COUNT(spans); i++) {
		spans[i]->begun_ns = BEGUN + SECOND;
		spans[i]->ended_ns = BEGUN + 2 * SECOND;
		spans[i]->trace = arena_printf(&s.arena, "%zuaf7651916cd43dd8448eb211c80319c", i);
		CHECK_INT(see(&s, spans[i], BEGUN + 3 * SECOND), 1);
	}
	other.trace = STR("aaf7651916cd43dd8448eb211c80319c");
	CHECK_INT(see(&s, &other, BEGUN + 3 * SECOND), 2);
	answer.run = STR("nightly-7"); /* a name decides alone */
	CHECK_INT(see(&s, &answer, BEGUN + 3 * SECOND), 3);
	stage_close(&s);
}

TEST(what_is_no_call_of_a_model_begins_no_run)
{
	struct stage s;
	struct http_head h = { .side = HTTP_REQUEST, .method = STR("GET"), .target = STR("/openai/v1/models") };
	struct proxy_destination to = { .target = STR("/v1/models"), .route = &s.route };
	void *x;

	stage_open(&s, test_dir(), false);
	x = tap_ops.begin(s.tap, &h, &to, BEGUN);
	tap_ops.request_end(x, BEGUN);
	stage_answer(x, 200, STR("{}"), BEGUN + SECOND);
	CHECK_INT(open_now(&s, BEGUN + 2 * SECOND), 0);
	stage_close(&s);
}

TEST(an_open_exchange_keeps_its_run_and_a_failed_one_is_its_end)
{
	struct stage s;
	void *x;

	stage_open(&s, test_dir(), true);
	x = stage_ask(&s, STR("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a canary\"}]}"), BEGUN + SECOND,
		      NULL);
	CHECK_INT(open_now(&s, BEGUN + 1000 * SECOND), 1);
	stage_answer(x, 500, STR("{\"error\":{\"message\":\"no\"}}"), BEGUN + 1001 * SECOND);
	CHECK_INT(open_now(&s, BEGUN + 1002 * SECOND), 1);
	CHECK_INT(open_now(&s, BEGUN + 1700 * SECOND), 0);
	CHECK_INT(s.errors, 1);
	CHECK(!str_has(stage_read(&s, s.last, "agent-trace.jsonl"), STR("canary")));
	CHECK(!str_has(stage_read(&s, s.last, "meta.json"), STR("canary")));
	CHECK(str_has(stage_read(&s, s.last, "cassette.jsonl"), STR("canary")));
	CHECK_INT(s.troubles, 0);
	stage_close(&s);
}

TEST(what_is_cut_off_by_a_signal_is_interrupted)
{
	struct stage s;
	void *x;

	stage_open(&s, test_dir(), false);
	stage_talk(&s, "", "one", "first", BEGUN + SECOND, NULL);
	x = stage_ask(&s, STR("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"two\"}]}"), BEGUN + SECOND, NULL);
	stage_turn(&s, BEGUN + 2 * SECOND, SIGTERM);
	tap_ops.end(x, PROXY_CLIENT_LEFT, BEGUN + 3 * SECOND);
	CHECK_INT(open_now(&s, BEGUN + 2000 * SECOND), 0);
	CHECK_INT(s.closed, 2);
	CHECK_INT(s.interrupted, 1);
	stage_close(&s);
}

/* A directory that cannot be written to stands for a full disk: requests pass, and later runs say what is missing. */
TEST(where_nothing_can_be_written_it_is_told_once_and_goes_on_later)
{
	struct stage s;
	const char *dir = test_dir();

	if (geteuid() == 0) {
		/* root writes everywhere: a file in the way will do */
		stage_open(&s, dir, false);
		fclose(fopen(s.o.dir.p, "w"));
	} else {
		stage_open(&s, dir, false);
		mkdir(s.o.dir.p, 0500);
	}
	stage_talk(&s, "", "one", "first", BEGUN + SECOND, NULL);
	stage_talk(&s, "", "two", "second", BEGUN + SECOND, NULL);
	CHECK_INT(open_now(&s, BEGUN + 2 * SECOND), 0);
	CHECK_INT(s.full, 1);
	CHECK_INT(listen_runs_tally(s.runs).unrecorded, 2);
	unlink(s.o.dir.p);
	chmod(s.o.dir.p, 0700);
	stage_turn(&s, BEGUN + 5 * SECOND, 0);
	stage_talk(&s, "", "three", "third", BEGUN + 6 * SECOND, NULL);
	CHECK_INT(open_now(&s, BEGUN + 7 * SECOND), 1);
	CHECK_INT(open_now(&s, BEGUN + 1000 * SECOND), 0);
	CHECK_INT(s.full, 1);
	CHECK_INT(s.again, 1);
	CHECK(str_has(stage_read(&s, s.last, "agent-trace.jsonl"), STR("\"kind\":\"system\"")));
	stage_close(&s);
}

TEST(a_run_whose_end_the_disk_does_not_take_is_closed_when_it_does)
{
	struct rlimit was, small = { .rlim_cur = 100 };
	struct stage s;

	stage_open(&s, test_dir(), false);
	stage_talk(&s, "", "one", "first", BEGUN + SECOND, NULL);
	CHECK_INT(open_now(&s, BEGUN + 2 * SECOND), 1);
	signal(SIGXFSZ, SIG_IGN);
	CHECK(getrlimit(RLIMIT_FSIZE, &was) == 0);
	small.rlim_max = was.rlim_max;
	CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
	CHECK_INT(open_now(&s, BEGUN + 1000 * SECOND), 1);
	CHECK_INT(open_now(&s, BEGUN + 1001 * SECOND), 1);
	CHECK(setrlimit(RLIMIT_FSIZE, &was) == 0);
	CHECK_INT(open_now(&s, BEGUN + 1002 * SECOND), 0);
	CHECK_INT(open_now(&s, BEGUN + 1003 * SECOND), 0);
	CHECK_INT(s.full, 1);
	CHECK_INT(s.again, 1);
	CHECK_INT(s.troubles, 0);
	CHECK(str_has(stage_read(&s, s.last, "meta.json"), STR("\"ended\"")));
	CHECK(str_has(stage_read(&s, s.last, "summary.json"), STR("\"success\"")));
	stage_close(&s);
}

TEST(of_many_idle_runs_some_are_closed_at_a_time)
{
	struct stage s;
	char one[40];

	stage_open(&s, test_dir(), false);
	for (int i = 0; i < LISTEN_RUNS_CLOSED + 10; i++) {
		snprintf(one, sizeof(one), "question %d", i);
		stage_talk(&s, "", one, "an answer", BEGUN + SECOND, NULL);
	}
	CHECK_INT(open_now(&s, BEGUN + 2 * SECOND), LISTEN_RUNS_CLOSED + 10);
	CHECK(!listen_runs_tally(s.runs).more);
	CHECK_INT(open_now(&s, BEGUN + 1000 * SECOND), 10);
	CHECK(listen_runs_tally(s.runs).more);
	CHECK_INT(open_now(&s, BEGUN + 1000 * SECOND), 0);
	CHECK(!listen_runs_tally(s.runs).more);
	stage_close(&s);
}

static size_t resident(void)
{
	unsigned long all, here = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%lu %lu", &all, &here) != 2)
		here = 0;
	if (f)
		fclose(f);
	return here * (size_t)sysconf(_SC_PAGESIZE);
}

/* Two runs a minute, each of two calls, idle after ten minutes: at most a few dozen are open at once. */
TEST(a_day_of_runs_takes_no_more_memory_and_no_more_descriptors_than_an_hour)
{
	struct stage s;
	size_t early = 0, files = 0;
	uint64_t most = 0;
	char one[64], said[256];

	stage_open(&s, test_dir(), false);
	for (int minute = 0; minute < 24 * 60; minute++) {
		int64_t at = BEGUN + minute * 60 * SECOND;

		for (int n = 0; n < 2; n++) {
			snprintf(one, sizeof(one), "question %d of minute %d", n, minute);
			stage_talk(&s, "", one, "an answer", at + SECOND, NULL);
			snprintf(said, sizeof(said), SAID("%s", "an answer"), one);
			stage_talk(&s, said, "go on", "done", at + 3 * SECOND, n ? named : NULL);
		}
		stage_turn(&s, at + 30 * SECOND, 0);
		if (listen_runs_tally(s.runs).open > most)
			most = listen_runs_tally(s.runs).open;
		if (minute == 120)
			early = resident();
		if (minute % 60 == 0 && stage_count("/proc/self/fd") > files)
			files = stage_count("/proc/self/fd");
	}
	CHECK(most <= 40);
	CHECK(files < 24);
	CHECK(s.closed > 2800);
#if defined(__SANITIZE_ADDRESS__)
	early += (size_t)256 << 20; /* what was freed is kept for a while */
#endif
	CHECK(resident() < early + ((size_t)4 << 20));
	stage_close(&s);
	CHECK_INT(s.troubles + s.errors, 0);
}
