#include "proc/answer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "harness/test.h"

static bool ask(struct answer *a, const char *script, size_t limit, struct err *err)
{
	const char *argv[] = { "sh", "-c", script, NULL };

	*err = (struct err){ .kind = ERR_NONE };
	answer_init(a);
	return answer_get(a, argv, limit, err);
}

TEST(what_a_program_writes_and_how_it_ends_is_the_answer)
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
		{ ":", "", "", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer a;
		struct err err;

		test_case("%s", cases[i].script);
		if (!ask(&a, cases[i].script, 1000, &err))
			FAIL("%s", err.text);
		CHECK_STR(buf_str(&a.out), str_from(cases[i].out));
		CHECK_STR(buf_str(&a.complaint), str_from(cases[i].complaint));
		CHECK_INT(a.status, cases[i].status);
		CHECK_INT(a.signal, cases[i].signal);
		answer_free(&a);
	}
}

TEST(much_is_read_from_both_streams_at_once)
{
	struct answer a;
	struct err err;

	CHECK(ask(&a, "i=0; while [ $i -lt 4000 ]; do echo 0123456789012345678901234567890123456789; "
		      "echo 0123456789012345678901234567890123456789 >&2; i=$((i+1)); done", 1000000, &err));
	CHECK_INT(a.out.n, 41 * 4000);
	CHECK_INT(a.complaint.n, ANSWER_COMPLAINT); /* the rest was read, not kept */
	answer_free(&a);
}

TEST(an_answer_beyond_the_limit_ends_the_program)
{
	struct answer a;
	struct err err;

	CHECK(ask(&a, "printf 1234567890", 10, &err));
	answer_free(&a);
	CHECK(!ask(&a, "printf 12345678901", 10, &err));
	CHECK_INT(err.kind, ERR_LIMIT);
	answer_free(&a);
	CHECK(!ask(&a, "while :; do echo more; done", 100000, &err));
	CHECK_INT(err.kind, ERR_LIMIT);
	answer_free(&a);
}

TEST(a_program_that_is_not_there_is_told_as_such)
{
	const char *argv[] = { "no-such-program-anywhere", NULL };
	struct err err = { .kind = ERR_NONE };
	struct answer a;

	answer_init(&a);
	CHECK(!answer_get(&a, argv, 10, &err));
	CHECK_INT(err.errnum, ENOENT);
	CHECK_STR(str_from(err.text), STR("cannot run no-such-program-anywhere: No such file or directory"));
	answer_free(&a);
}

TEST(a_program_that_will_not_end_is_made_to)
{
	struct answer a;
	struct err err;

	CHECK(!ask(&a, "trap '' TERM PIPE; echo too much; exec sleep 100", 3, &err));
	CHECK_INT(err.kind, ERR_LIMIT);
	CHECK_INT(a.signal, SIGKILL);
	answer_free(&a);
}

/* The streams are at their end, so there is nothing to wait for but the program itself. */
TEST(whoever_is_to_stop_ends_a_program_that_has_closed_its_streams)
{
	struct answer a;
	struct err err;
	char script[120];

	stop_install();
	snprintf(script, sizeof(script), "exec >&- 2>&-; sleep 1; kill -TERM %d; exec sleep 100", (int)getpid());
	CHECK(!ask(&a, script, 10, &err));
	CHECK_INT(err.kind, ERR_IO);
	CHECK_INT(a.signal, SIGTERM);
	answer_free(&a);
}

TEST(whoever_is_to_stop_ends_the_program)
{
	struct answer a;
	struct err err;
	char script[80];

	stop_install();
	snprintf(script, sizeof(script), "kill -TERM %d; exec sleep 100", (int)getpid());
	CHECK(!ask(&a, script, 10, &err));
	CHECK_INT(err.kind, ERR_IO);
	CHECK_INT(a.signal, SIGTERM);
	answer_free(&a);
}

static bool ask_within(struct answer *a, const char *script, unsigned ms, struct err *err)
{
	const char *argv[] = { "sh", "-c", script, NULL };

	*err = (struct err){ .kind = ERR_NONE };
	answer_init(a);
	return answer_get_within(a, argv, 1000, ms, err);
}

TEST(a_program_that_is_quick_enough_is_not_hurried)
{
	struct answer a;
	struct err err;

	CHECK(ask_within(&a, "echo out; echo err >&2; exit 3", 60000, &err));
	CHECK_STR(buf_str(&a.out), STR("out\n"));
	CHECK_STR(buf_str(&a.complaint), STR("err\n"));
	CHECK_INT(a.status, 3);
	answer_free(&a);
}

TEST(a_program_that_takes_too_long_is_ended_with_all_its_own)
{
	static const char *const scripts[] = {
		"exec sleep 100",
		"trap '' TERM; sleep 100; sleep 100",
		"exec >&- 2>&-; sleep 100",                     /* has closed its streams, and is still there */
		"sleep 100 & exit 0",                            /* is gone, but somebody has its streams */
		"sh -c \"trap '' TERM; sleep 100; sleep 100\" & sleep 100",
	};

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		uint64_t begun = clock_mono_ns();
		struct answer a;
		struct err err;

		test_case("%s", scripts[i]);
		CHECK(!ask_within(&a, scripts[i], 300, &err));
		CHECK_INT(err.kind, ERR_LIMIT);
		CHECK_INT(err.errnum, ETIMEDOUT);
		CHECK_STR(str_from(err.text), STR("sh: no answer in time"));
		CHECK(clock_mono_ns() - begun < 4000000000u * test_slower());
		answer_free(&a);
	}
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

TEST(what_a_late_program_started_does_not_outlive_it)
{
	char script[200], path[] = "/tmp/trackway-answer-XXXXXX";
	int fd = mkstemp(path), pid = 0;
	struct answer a;
	struct err err;
	FILE *f;

	CHECK(fd >= 0);
	snprintf(script, sizeof(script), "sh -c 'trap \"\" TERM; echo $$ >%s; sleep 100; sleep 100' & wait", path);
	CHECK(!ask_within(&a, script, 500, &err));
	f = fdopen(fd, "r");
	CHECK(f && fscanf(f, "%d", &pid) == 1 && pid > 1);
	for (int i = 0; i < 200 && is_running(pid); i++)
		usleep(10000);
	CHECK(!is_running(pid));
	fclose(f);
	remove(path);
	answer_free(&a);
}
