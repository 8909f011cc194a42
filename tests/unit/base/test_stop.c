#include "base/stop.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/test.h"

TEST(the_first_signal_is_noted)
{
	static const int numbers[] = { SIGINT, SIGTERM };

	stop_install();
	CHECK_INT(stop_signal(), 0);
	for (size_t i = 0; i < 2; i++) {
		pid_t pid = fork();
		int status;

		test_case("signal %d", numbers[i]);
		if (pid == 0) {
			raise(numbers[i]);
			_exit(stop_signal());
		}
		CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
		CHECK_INT(WEXITSTATUS(status), numbers[i]);
	}
}

TEST(the_same_signal_a_second_time_ends_the_process)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		stop_install();
		raise(SIGINT);
		raise(SIGINT);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

TEST(a_waiting_read_is_interrupted)
{
	int ends[2], status;
	char c;
	pid_t pid;

	CHECK(pipe(ends) == 0);
	stop_install();
	pid = fork();
	if (pid == 0) {
		/* the parent cannot know when we wait, so the signal comes from ourselves, later */
		struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM };
		struct itimerspec soon = { .it_value = { .tv_nsec = 20000000 } };
		timer_t timer;

		if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &soon, NULL) != 0)
			_exit(1);
		_exit(read(ends[0], &c, 1) < 0 && errno == EINTR ? 10 + stop_signal() : 2);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 10 + SIGTERM);
}

TEST(an_ignored_signal_stays_ignored)
{
	signal(SIGINT, SIG_IGN);
	stop_install();
	raise(SIGINT);
	raise(SIGINT);
	CHECK_INT(stop_signal(), 0);
	raise(SIGTERM);
	CHECK_INT(stop_signal(), SIGTERM);
}
