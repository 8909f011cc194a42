#include "provider/provider_program.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/provider/asking.h"

#define FAKE "tests/integration/bench/fake-claude"

static void begin(struct asking *k, const char *base)
{
	asking_begin(k, "claude_code_cli", (struct provider_options){ .base = str_from(base) });
}

static void nobody_is_left(void)
{
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

/* A program of the test's own; `path` ends in XXXXXX. */
static void script_make(char *path, const char *script)
{
	int fd = mkstemp(path);

	CHECK(fd >= 0 && write(fd, "#!/bin/sh\n", 10) == 10);
	CHECK(write(fd, script, strlen(script)) == (ssize_t)strlen(script) && fchmod(fd, 0755) == 0);
	close(fd);
}

#define RESULT "echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"fine\",\"session_id\":\"s\"}'"

static void count(void *own, const struct provider_answer *a)
{
	CHECK_INT(a->status, PROVIDER_OK);
	++*(unsigned *)own;
}

TEST(many_questions_are_answered_at_once)
{
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = -1 };
	char path[] = "/tmp/trackway-program-XXXXXX", begun[sizeof(path) + 6];
	struct asking k;
	unsigned told = 0;

	/* nobody answers before all have been asked */
	script_make(path, "echo here >>$0.begun; i=0\n"
			  "while [ $(wc -l <$0.begun) -lt 8 ]; do i=$((i + 1)); [ $i -lt 500 ] || exit 5; sleep 0.05; done\n" RESULT "\n");
	begin(&k, path);
	for (int i = 0; i < 8; i++)
		CHECK(provider_ask(k.client, &q, count, &told) != NULL);
	CHECK_INT(told, 0);
	while (told < 8 && uv_run(&k.loop, UV_RUN_ONCE))
		;
	CHECK_INT(told, 8);
	asking_end(&k);
	nobody_is_left();
	remove(path);
	snprintf(begun, sizeof(begun), "%s.begun", path);
	remove(begun);
}

static void cancel_it(uv_timer_t *t)
{
	struct asking *k = t->data;

	provider_cancel(k->call, asking_done);
	k->call = NULL;
}

/* Cancels after `ms`, and lets the loop run dry. */
static void ask_and_cancel(struct asking *k, const char *prompt, uint64_t ms)
{
	struct provider_question q = { .model = STR("m"), .prompt = str_from(prompt), .temperature = -1 };

	uv_timer_init(&k->loop, &k->timer);
	k->timer.data = k;
	k->call = provider_ask(k->client, &q, asking_done, k);
	uv_timer_start(&k->timer, cancel_it, ms, 0);
	while (k->call)
		uv_run(&k->loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&k->timer, NULL);
}

TEST(who_is_cancelled_is_ended_and_what_came_is_seen)
{
	struct asking k;

	begin(&k, FAKE);
	ask_and_cancel(&k, "fake:hang", 500 * test_slower());
	CHECK_INT(k.told, 1); /* as `seen`; not as `done`, however long we wait */
	CHECK_INT(k.answer.status, PROVIDER_ERROR);
	CHECK_STR(k.answer.text, STR("Wait"));
	CHECK(k.answer.content_ns > 0 && k.answer.ended_ns > 0);
	uv_run(&k.loop, UV_RUN_DEFAULT);
	CHECK_INT(k.told, 1);
	asking_end(&k);
	nobody_is_left();
}

TEST(who_does_not_listen_is_killed_after_a_cancel)
{
	struct asking k;

	begin(&k, FAKE);
	ask_and_cancel(&k, "fake:deaf", 500 * test_slower());
	asking_end(&k);
	nobody_is_left();
}

TEST(a_question_that_could_not_be_put_can_be_cancelled)
{
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = -1 };
	struct asking k;

	begin(&k, "/nowhere/claude");
	k.call = provider_ask(k.client, &q, asking_done, &k);
	provider_cancel(k.call, asking_done);
	CHECK_INT(k.told, 1);
	CHECK_INT(k.answer.status, PROVIDER_UNAVAILABLE);
	uv_run(&k.loop, UV_RUN_DEFAULT);
	CHECK_INT(k.told, 1);
	k.call = provider_ask(k.client, &q, asking_done, &k);
	provider_cancel(k.call, NULL);
	uv_run(&k.loop, UV_RUN_DEFAULT);
	CHECK_INT(k.told, 1);
	asking_end(&k);
}

struct again {
	struct asking k;
	unsigned left;
};

static void ask_again(void *own, const struct provider_answer *a)
{
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = -1 };
	struct again *g = own;

	CHECK_INT(a->status, PROVIDER_UNAVAILABLE);
	if (g->left-- > 1)
		provider_ask(g->k.client, &q, ask_again, g);
}

TEST(who_is_told_may_ask_again)
{
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = -1 };
	struct again g = { .left = 5 };

	begin(&g.k, "/nowhere/claude");
	provider_ask(g.k.client, &q, ask_again, &g);
	uv_run(&g.k.loop, UV_RUN_DEFAULT);
	CHECK_INT(g.left, 0);
	asking_end(&g.k);
}

TEST(a_pool_that_is_closed_ends_what_runs_without_a_word)
{
	struct provider_question q = { .model = STR("m"), .prompt = STR("fake:hang"), .temperature = -1 };
	struct asking k;
	unsigned told = 0;

	begin(&k, FAKE);
	for (int i = 0; i < 3; i++)
		provider_ask(k.client, &q, count, &told);
	asking_end(&k);
	CHECK_INT(told, 0);
	nobody_is_left();
}

TEST(a_file_that_is_no_program_is_missing)
{
	struct asking k;
	const struct provider_answer *a;

	begin(&k, "tests/unit/provider/asking.h");
	a = asking_ask(&k, (struct provider_question){ .model = STR("m"), .prompt = STR("p") });
	CHECK_INT(a->status, PROVIDER_UNAVAILABLE);
	CHECK_STR(str_from(a->failure), STR("claude_cli_missing"));
	asking_end(&k);
}

/* A program of the test's own, asked once. */
static void ask_script(struct asking *k, const char *script)
{
	char path[] = "/tmp/trackway-program-XXXXXX";

	script_make(path, script);
	begin(k, path);
	asking_ask(k, (struct provider_question){ .model = STR("m"), .prompt = STR("p") });
	remove(path);
}

TEST(a_line_without_end_is_skipped_and_the_next_one_read)
{
	struct asking k;

	ask_script(&k, "head -c 20000000 /dev/zero | tr '\\0' x; echo; " RESULT "\n");
	CHECK_INT(k.answer.status, PROVIDER_OK);
	CHECK_STR(k.answer.text, STR("fine"));
	CHECK_INT(k.answer.events, 1);
	asking_end(&k);
}

TEST(output_without_end_is_ended)
{
	struct asking k;

	ask_script(&k, RESULT "; exec cat /dev/zero\n");
	CHECK_INT(k.answer.status, PROVIDER_ERROR);
	CHECK_STR(str_from(k.answer.failure), STR("too_large"));
	CHECK_STR(k.answer.text, STR("fine")); /* what came of it */
	asking_end(&k);
	nobody_is_left();
}

TEST(lines_may_come_in_any_pieces_and_the_last_without_its_end)
{
	struct asking k;

	ask_script(&k, "printf '{\"type\":\"res'; sleep 0.1; printf 'ult\",\"subtype\":\"success\",'; sleep 0.1; "
		       "printf '\"result\":\"fi'; sleep 0.1; printf 'ne\"}'\n");
	CHECK_INT(k.answer.status, PROVIDER_OK);
	CHECK_STR(k.answer.text, STR("fine"));
	CHECK(k.answer.ended_ns - k.answer.byte_ns >= 100000000u); /* 300 ms of sleep, and a busy machine sees the first byte late */
	asking_end(&k);
}

TEST(who_has_closed_its_output_is_waited_for)
{
	struct asking k;

	ask_script(&k, RESULT "; exec >&- 2>&-; sleep 0.2; exit 5\n");
	CHECK_STR(str_from(k.answer.failure), STR("exception"));
	CHECK_STR(k.answer.message, STR("claude ended with status 5"));
	asking_end(&k);
}

TEST(a_program_without_a_name_is_refused)
{
	struct provider_options o = { .base = STR(" ") };
	struct err err = { .kind = ERR_NONE };
	struct provider_pool *pool;
	uv_loop_t loop;

	CHECK(uv_loop_init(&loop) == 0);
	pool = provider_pool_open(&loop);
	CHECK(provider_open(pool, &provider_claude_code_cli, &o, &err) == NULL);
	CHECK_INT(err.kind, ERR_USAGE);
	provider_pool_close(pool);
	uv_run(&loop, UV_RUN_DEFAULT);
	provider_pool_free(pool);
	CHECK_INT(uv_loop_close(&loop), 0);
}
