#include "bench/validate/sandbox_memory.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"

#define MIB ((uint64_t)1 << 20)

/* A child, and its child, each with so much; in a process group of their own. */
static pid_t start_two(size_t bytes)
{
	pid_t pid = fork();
	char *p;

	if (pid)
		return pid;
	setpgid(0, 0);
	fork();
	p = malloc(bytes);
	for (size_t i = 0; p && i < bytes; i += 1024) /* a compiler may leave out what nobody can see */
		*(volatile char *)(p + i) = 1;
	alarm(60); /* whatever becomes of the test */
	pause();
	_exit(0);
}

TEST(what_a_child_started_is_in_the_sum)
{
	pid_t pid = start_two(64 * MIB);
	uint64_t got = 0;

	CHECK(pid > 0);
	for (int i = 0; i < 1000 && got < 128 * MIB; i++) {
		usleep(10000);
		got = sandbox_memory_of(pid);
	}
	CHECK(got >= 128 * MIB && got < 1024 * MIB);
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 1000 && got; i++) { /* its child is not ours to wait for, and a busy machine takes a while */
		got = sandbox_memory_of(pid);
		if (got)
			usleep(10000);
	}
	CHECK_INT(got, 0);
}

TEST(shares_of_all_that_run_at_once_are_not_more_than_the_whole)
{
	uint64_t all = sandbox_memory_all();

	CHECK(all > 0 && all <= 8192 * MIB);
	unsetenv("UV_THREADPOOL_SIZE");
	CHECK_INT(sandbox_memory_share(), all / 4);
	setenv("UV_THREADPOOL_SIZE", "16", 1);
	CHECK_INT(sandbox_memory_share(), all / 16);
	setenv("UV_THREADPOOL_SIZE", "nonsense", 1);
	CHECK_INT(sandbox_memory_share(), all / 4);
}
