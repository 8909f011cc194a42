/* A function that ends the process, watched from outside. */
#ifndef UNIT_BASE_CHILD_H
#define UNIT_BASE_CHILD_H

#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"

struct child_result {
	int status; /* exit status, or -1 when a signal ended it */
	size_t n;
	char err[500]; /* what it wrote on standard error */
};

static inline struct child_result child_run(void (*run)(void))
{
	struct child_result r = { 0 };
	int ends[2], status;
	ssize_t got;
	pid_t pid;

	CHECK(pipe(ends) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		run();
		_exit(0);
	}
	close(ends[1]);
	while ((got = read(ends[0], r.err + r.n, sizeof(r.err) - r.n)) > 0)
		r.n += (size_t)got;
	close(ends[0]);
	CHECK(waitpid(pid, &status, 0) == pid);
	r.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return r;
}

#endif
