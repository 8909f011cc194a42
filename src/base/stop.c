#include "base/stop.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/str.h"

static atomic_int noted; /* a signal handler has no other place to write to */

static void note_signal(int number)
{
	int none = 0;

	atomic_compare_exchange_strong(&noted, &none, number);
}

void stop_install(void)
{
	static const int numbers[] = { SIGINT, SIGTERM };

	for (size_t i = 0; i < COUNT(numbers); i++) {
		/* SA_RESETHAND: the second time the system does what it does by default */
		struct sigaction old, new = { .sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND };

		sigemptyset(&new.sa_mask);
		if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &new, NULL);
	}
}

int stop_signal(void)
{
	return atomic_load_explicit(&noted, memory_order_relaxed);
}
