#include "flow/thread.h"

#include <signal.h>
#include <stddef.h>

#include "base/str.h"

/* A fault is answered on the thread that made it, and a broken pipe belongs to whoever wrote. */
static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPIPE };

bool thread_start(pthread_t *out, void *(*run)(void *argument), void *argument)
{
	sigset_t blocked, before;
	bool started;

	sigfillset(&blocked);
	for (size_t i = 0; i < COUNT(own); i++)
		sigdelset(&blocked, own[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, &before); /* inherited by the new thread */
	started = pthread_create(out, NULL, run, argument) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}
