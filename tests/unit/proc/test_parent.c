/* A process that is of no use without its parent. */
#include "proc/parent.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"

TEST(another_process_is_no_parent)
{
	CHECK(!parent_bind(getpid()));
	CHECK(parent_bind(getppid()));
}

TEST(the_end_of_the_parent_is_told)
{
	int told[2];
	pid_t middle;
	char byte;

	CHECK(pipe(told) == 0);
	middle = fork();
	if (middle == 0) {
		pid_t parent = getpid();
		int ready[2];

		if (pipe(ready) != 0)
			_exit(1);
		if (fork() == 0) {
			sigset_t set;
			int signal = 0;

			sigemptyset(&set);
			sigaddset(&set, SIGTERM);
			sigprocmask(SIG_BLOCK, &set, NULL);
			byte = parent_bind(parent) ? 'b' : 'x';
			if (write(ready[1], &byte, 1) != 1)
				_exit(1);
			sigwait(&set, &signal);
			byte = signal == SIGTERM ? 't' : 'x';
			_exit(write(told[1], &byte, 1) != 1);
		}
		_exit(read(ready[0], &byte, 1) == 1 && byte == 'b' ? 0 : 1);
	}
	close(told[1]);
	CHECK(waitpid(middle, NULL, 0) == middle);
	CHECK(read(told[0], &byte, 1) == 1 && byte == 't');
}
