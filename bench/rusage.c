/*
 * rusage COMMAND [ARGUMENT...]: runs it and prints "peak RSS in KiB, wall seconds, CPU seconds" on the
 * descriptor 3, or on standard error when that is closed. Exits as the command did.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
	struct bench_clock begin = bench_now();
	struct rusage used;
	int status;
	pid_t child;

	if (argc < 2)
		bench_fail("usage", "rusage COMMAND [ARGUMENT...]");
	child = fork();
	if (child == 0) {
		execvp(argv[1], argv + 1);
		bench_fail(argv[1], strerror(errno));
	}
	if (child < 0 || wait4(child, &status, 0, &used) < 0)
		bench_fail(argv[1], strerror(errno));
	if (dprintf(3, "%ld\t%.3f\t%.3f\n", used.ru_maxrss, bench_since(begin).wall,
		    seconds(used.ru_utime) + seconds(used.ru_stime)) < 0)
		fprintf(stderr, "peak %ld KiB\n", used.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
