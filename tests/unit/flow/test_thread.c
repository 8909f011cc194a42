#include <signal.h>

#include "flow/thread.h"
#include "harness/test.h"
#include "unit/flow/nothreads.h"

static void *read_mask(void *argument)
{
	pthread_sigmask(SIG_SETMASK, NULL, argument);
	return argument;
}

TEST(a_thread_runs_with_its_argument_and_leaves_signals_to_the_caller)
{
	sigset_t theirs, ours;
	pthread_t thread;
	void *result;

	CHECK(thread_start(&thread, read_mask, &theirs));
	CHECK_INT(pthread_join(thread, &result), 0);
	CHECK(result == &theirs);
	CHECK(sigismember(&theirs, SIGINT) == 1 && sigismember(&theirs, SIGTERM) == 1);
	CHECK(sigismember(&theirs, SIGSEGV) == 0 && sigismember(&theirs, SIGPIPE) == 0);
	pthread_sigmask(SIG_SETMASK, NULL, &ours);
	CHECK(sigismember(&ours, SIGINT) == 0);
}

TEST(a_system_without_threads_is_not_an_error)
{
	pthread_t thread;
	bool started;

	nothreads_begin();
	started = thread_start(&thread, read_mask, NULL);
	nothreads_end();
	CHECK(!started);
}
