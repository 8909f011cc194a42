#include "proc/piped.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "harness/test.h"

struct heard {
	uv_loop_t loop;
	struct piped *piped;
	struct buf out, complaint;
	uint64_t bytes, pieces;
	unsigned ends;
	struct piped_end end;
	bool keep;          /* what came */
	uint64_t stop_at;   /* bytes after which it is ended; 0 for never */
	bool forget;        /* then nobody wants to hear of it */
};

static void hear(void *own, struct str bytes)
{
	struct heard *h = own;

	h->bytes += bytes.n;
	h->pieces++;
	if (h->keep)
		buf_add_str(&h->out, bytes);
	if (h->stop_at && h->bytes >= h->stop_at && h->forget)
		piped_forget(h->piped);
	else if (h->stop_at && h->bytes >= h->stop_at)
		piped_stop(h->piped);
}

static void end(void *own, const struct piped_end *e)
{
	struct heard *h = own;

	h->ends++;
	h->end = *e;
	buf_add_str(&h->complaint, e->complaint);
}

static void nothing_is_left(struct heard *h)
{
	CHECK_INT(uv_loop_close(&h->loop), 0);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD); /* no child, not even one that is over */
}

static bool begin(struct heard *h, const char *const *argv, struct piped_options o)
{
	struct err err = { .kind = ERR_NONE };

	h->keep = true;
	CHECK(uv_loop_init(&h->loop) == 0);
	buf_init(&h->out);
	buf_init(&h->complaint);
	o.argv = argv;
	o.data = hear;
	o.ended = end;
	o.own = h;
	h->piped = piped_start(&h->loop, &o, &err);
	return h->piped != NULL;
}

static void let_run(struct heard *h)
{
	uv_run(&h->loop, UV_RUN_DEFAULT);
	nothing_is_left(h);
}

static void run(struct heard *h, const char *script, struct piped_options o)
{
	const char *argv[] = { "sh", "-c", script, NULL };

	CHECK(begin(h, argv, o));
	let_run(h);
}

static void free_heard(struct heard *h)
{
	buf_free(&h->out);
	buf_free(&h->complaint);
}

static uint64_t ms_since(uint64_t begun)
{
	return (clock_mono_ns() - begun) / 1000000;
}

/* One that is over but that nobody has waited for is not running. */
static bool is_running(int pid)
{
	char path[64], state = 'Z';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	CHECK(fscanf(f, "%*d (%*[^)]) %c", &state) == 1);
	fclose(f);
	return state != 'Z' && state != 'X';
}

static void check_gone(int pid)
{
	for (int i = 0; i < 300 && is_running(pid); i++)
		usleep(10000);
	CHECK(!is_running(pid));
}

TEST(what_it_writes_and_how_it_ends_is_told)
{
	static const struct {
		const char *script, *out, *complaint;
		int status, signal;
	} cases[] = {
		{ "echo yes", "yes\n", "", 0, 0 },
		{ "echo no >&2; exit 7", "", "no\n", 7, 0 },
		{ "printf a; printf b >&2; printf c", "ac", "b", 0, 0 },
		{ "cat", "", "", 0, 0 }, /* there is nothing to read */
		{ "kill -9 $$", "", "", 0, SIGKILL },
		{ "printf begun; kill -TERM $$", "begun", "", 0, SIGTERM },
		{ ":", "", "", 0, 0 },
		{ "exec >&- 2>&-; exit 3", "", "", 3, 0 },
		{ "test ! -t 0 && test \"$(cat /dev/tty 2>/dev/null || echo none)\" = none", "", "", 0, 0 }, /* no terminal */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct heard h = { .ends = 0 };

		test_case("%s", cases[i].script);
		run(&h, cases[i].script, (struct piped_options){ .limit = 0 });
		CHECK_STR(buf_str(&h.out), str_from(cases[i].out));
		CHECK_STR(buf_str(&h.complaint), str_from(cases[i].complaint));
		CHECK_INT(h.ends, 1);
		CHECK_INT(h.end.status, cases[i].status);
		CHECK_INT(h.end.signal, cases[i].signal);
		CHECK(!h.end.overflown && h.end.ended_ns > 0);
		free_heard(&h);
	}
}

TEST(output_comes_as_it_is_written)
{
	struct heard h = { .ends = 0 };

	run(&h, "echo 1; sleep 0.5; echo 2; sleep 0.5; echo 3", (struct piped_options){ .limit = 0 });
	CHECK_STR(buf_str(&h.out), STR("1\n2\n3\n"));
	CHECK(h.pieces >= 2 && h.pieces <= 3); /* one of them may be late on a busy machine */
	free_heard(&h);
}

TEST(its_number_is_that_of_its_session)
{
	const char *argv[] = { "sh", "-c", "echo $$; ps -o sid= -p $$ 2>/dev/null || cut -d' ' -f6 /proc/$$/stat", NULL };
	struct heard h = { .ends = 0 };
	int pid, told = 0, session = 0;

	CHECK(begin(&h, argv, (struct piped_options){ .limit = 0 }));
	pid = piped_pid(h.piped);
	let_run(&h);
	buf_add_byte(&h.out, '\0');
	CHECK(sscanf(h.out.p, "%d %d", &told, &session) == 2);
	CHECK_INT(told, pid);
	CHECK_INT(session, pid);
	free_heard(&h);
}

TEST(ten_mebibytes_come_whole)
{
	struct heard h = { .ends = 0 };

	run(&h, "head -c 10485760 /dev/zero; head -c 200000 /dev/zero >&2", (struct piped_options){ .limit = 10485760 });
	CHECK_INT(h.bytes, 10485760);
	CHECK_INT(h.complaint.n, PIPED_COMPLAINT); /* the rest was read, not kept */
	CHECK_INT(h.end.status, 0);
	CHECK(!h.end.overflown);
	free_heard(&h);
}

TEST(who_writes_more_than_allowed_is_ended)
{
	struct heard h = { .ends = 0 };

	run(&h, "while :; do echo 0123456789; done", (struct piped_options){ .limit = 100000 });
	CHECK(h.end.overflown);
	CHECK(h.bytes <= 100000);
	CHECK_INT(h.end.signal, SIGTERM);
	free_heard(&h);
}

TEST(input_is_read_whole_or_left_alone)
{
	size_t n = 3 << 20;
	char *text = test_alloc(n + 1);
	struct heard h = { .ends = 0 }, other = { .ends = 0 }, none = { .ends = 0 };

	memset(text, 'x', n);
	run(&h, "cat", (struct piped_options){ .input = str_of(text, n) });
	CHECK_STR(buf_str(&h.out), str_of(text, n));
	run(&other, "exec 0<&-; echo done", (struct piped_options){ .input = str_of(text, n) });
	CHECK_STR(buf_str(&other.out), STR("done\n"));
	run(&none, "cat; echo -", (struct piped_options){ .input = STR("") });
	CHECK_STR(buf_str(&none.out), STR("-\n"));
	free_heard(&h);
	free_heard(&other);
	free_heard(&none);
}

TEST(the_environment_is_the_one_given)
{
	static const char *const env[] = { "ONE=1", NULL };
	struct heard h = { .ends = 0 }, ours = { .ends = 0 };

	run(&h, "echo $ONE$TWO", (struct piped_options){ .env = env });
	CHECK_STR(buf_str(&h.out), STR("1\n"));
	setenv("TWO", "2", 1);
	run(&ours, "echo $TWO", (struct piped_options){ .limit = 0 });
	CHECK_STR(buf_str(&ours.out), STR("2\n"));
	free_heard(&h);
	free_heard(&ours);
}

TEST(a_program_that_is_not_there_is_told_as_such)
{
	static const char *const argv[] = { "no-such-program-anywhere", NULL }, *const dir[] = { "/tmp", NULL };
	static const struct {
		const char *const *argv;
		int errnum;
	} cases[] = { { argv, ENOENT }, { dir, EACCES } };

	for (size_t i = 0; i < 2; i++) {
		struct piped_options o = { .argv = cases[i].argv, .data = hear, .ended = end };
		struct heard h = { .ends = 0 };
		struct err err = { .kind = ERR_NONE };

		CHECK(uv_loop_init(&h.loop) == 0);
		o.own = &h;
		CHECK(piped_start(&h.loop, &o, &err) == NULL);
		CHECK_INT(err.errnum, cases[i].errnum);
		let_run(&h);
		CHECK_INT(h.ends, 0);
	}
}

TEST(one_that_does_not_listen_is_killed_after_its_grace)
{
	uint64_t begun = clock_mono_ns(), ms;
	struct heard h = { .stop_at = 1 };

	run(&h, "trap '' TERM; echo ready; while :; do sleep 0.1; done", (struct piped_options){ .limit = 0 });
	ms = ms_since(begun);
	CHECK_INT(h.end.signal, SIGKILL);
	CHECK(ms >= PIPED_GRACE_MS && ms < PIPED_GRACE_MS + 3000 * test_slower());
	free_heard(&h);
}

TEST(one_that_listens_is_gone_at_once)
{
	uint64_t begun = clock_mono_ns();
	struct heard h = { .stop_at = 1 };

	run(&h, "echo ready; exec sleep 100", (struct piped_options){ .limit = 0 });
	CHECK_INT(h.end.signal, SIGTERM);
	CHECK(ms_since(begun) < 1500 * test_slower());
	free_heard(&h);
}

static void stop_now(uv_timer_t *t)
{
	struct heard *h = t->data;

	piped_stop(h->piped);
	piped_stop(h->piped); /* once is enough, twice does no harm */
	uv_close((uv_handle_t *)t, NULL);
}

TEST(one_that_was_stopped_can_still_be_ended)
{
	const char *argv[] = { "sh", "-c", "echo ready; kill -STOP $$; exec sleep 100", NULL };
	struct heard h = { .ends = 0 };
	uv_timer_t timer;

	CHECK(begin(&h, argv, (struct piped_options){ .limit = 0 }));
	uv_timer_init(&h.loop, &timer);
	timer.data = &h;
	uv_timer_start(&timer, stop_now, 300, 0);
	let_run(&h);
	CHECK_INT(h.ends, 1);
	CHECK_INT(h.end.signal, SIGTERM); /* it had no need to be killed */
	free_heard(&h);
}

TEST(what_it_started_goes_with_it)
{
	struct heard h = { .stop_at = 3 };
	int pid = 0;

	run(&h, "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.1; done' & wait", (struct piped_options){ .limit = 0 });
	buf_add_byte(&h.out, '\0');
	CHECK(sscanf(h.out.p, "%d", &pid) == 1 && pid > 1);
	check_gone(pid);
	free_heard(&h);
}

TEST(who_closed_the_streams_and_stayed_goes_too)
{
	struct heard h = { .stop_at = 3 };
	int pid = 0;

	run(&h, "sh -c 'trap \"\" TERM; echo $$; exec >&- 2>&-; while :; do sleep 0.1; done' & exec sleep 100",
	    (struct piped_options){ .limit = 0 });
	buf_add_byte(&h.out, '\0');
	CHECK(sscanf(h.out.p, "%d", &pid) == 1 && pid > 1);
	check_gone(pid);
	free_heard(&h);
}

TEST(one_that_is_killed_is_not_waited_for_because_another_has_its_pipe)
{
	struct heard h = { .stop_at = 3 };
	uint64_t begun = clock_mono_ns();
	int pid = 0;

	run(&h, "setsid sh -c 'echo $$; exec sleep 30' & trap '' TERM; while :; do sleep 0.1; done", (struct piped_options){ .limit = 0 });
	CHECK_INT(h.end.signal, SIGKILL);
	CHECK(ms_since(begun) < (PIPED_GRACE_MS + 3000) * test_slower());
	buf_add_byte(&h.out, '\0');
	CHECK(sscanf(h.out.p, "%d", &pid) == 1 && pid > 1);
	kill(pid, SIGKILL);
	free_heard(&h);
}

TEST(who_keeps_the_pipe_open_does_not_hold_us_up)
{
	static const struct {
		const char *script;
		uint64_t most_ms;
	} cases[] = {
		{ "sleep 100 & echo $!; exit 4", 1500 },
		{ "(trap '' TERM; while :; do sleep 0.1; done) & echo $!; exit 4", PIPED_GRACE_MS + 2000 },
		{ "(while :; do echo 1 >&2; sleep 0.02; done) & echo $!; exit 4", 1500 }, /* and goes on writing */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t begun = clock_mono_ns();
		struct heard h = { .ends = 0 };
		int pid = 0;

		test_case("%s", cases[i].script);
		run(&h, cases[i].script, (struct piped_options){ .limit = 0 });
		CHECK(ms_since(begun) < cases[i].most_ms * test_slower());
		CHECK_INT(h.ends, 1);
		CHECK_INT(h.end.status, 4);
		CHECK((h.end.ended_ns - begun) / 1000000 < 1000 * test_slower()); /* the child's own end, not the others' */
		buf_add_byte(&h.out, '\0');
		CHECK(sscanf(h.out.p, "%d", &pid) == 1 && pid > 1);
		check_gone(pid);
		free_heard(&h);
	}
}

TEST(who_leaves_the_session_with_the_pipe_does_not_hold_us_up_either)
{
	struct heard h = { .ends = 0 };
	uint64_t begun = clock_mono_ns();
	int pid = 0;

	run(&h, "setsid sh -c 'echo $$; exec sleep 30' & sleep 0.2; exit 4", (struct piped_options){ .limit = 0 });
	CHECK_INT(h.end.status, 4);
	CHECK(ms_since(begun) < (PIPED_GRACE_MS + 3000) * test_slower());
	buf_add_byte(&h.out, '\0');
	CHECK(sscanf(h.out.p, "%d", &pid) == 1 && pid > 1);
	kill(pid, SIGKILL);
	free_heard(&h);
}

TEST(who_is_forgotten_is_ended_without_a_word)
{
	struct heard h = { .stop_at = 1, .forget = true };

	run(&h, "while :; do echo more; done", (struct piped_options){ .limit = 0 });
	CHECK_INT(h.ends, 0);
	CHECK_INT(h.pieces, 1);
	free_heard(&h);
}

TEST(many_at_once_are_told_apart)
{
	struct heard all[20] = { { .ends = 0 } };
	uv_loop_t loop;

	CHECK(uv_loop_init(&loop) == 0);
	for (int i = 0; i < 20; i++) {
		char script[80];
		const char *argv[] = { "sh", "-c", script, NULL };
		struct piped_options o = { .argv = argv, .data = hear, .ended = end, .own = &all[i] };
		struct err err = { .kind = ERR_NONE };

		snprintf(script, sizeof(script), "sleep 0.0%d; echo %d; exit %d", i % 5, i, i);
		all[i].keep = true;
		CHECK(piped_start(&loop, &o, &err) != NULL);
	}
	uv_run(&loop, UV_RUN_DEFAULT);
	for (int i = 0; i < 20; i++) {
		char want[16];

		snprintf(want, sizeof(want), "%d\n", i);
		CHECK_STR(buf_str(&all[i].out), str_from(want));
		CHECK_INT(all[i].end.status, i);
		free_heard(&all[i]);
	}
	CHECK_INT(uv_loop_close(&loop), 0);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}
