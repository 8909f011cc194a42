/* A handler on its own stack that calls only write and _exit, which are safe wherever the fault happened. */
#include "cmd/frame/fault.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/build.h"
#include "cmd/frame/exit.h"

#define FAULT_STACK 65536

/* Runs in a signal handler: no memory, no stdio, no locks. */
static void report_fault(int number)
{
	static const char line[] = "error: internal fault in trackway " BUILD_VERSION
				   "; please report it with the command line and, if you can, the input\n";

	(void)number;
	(void)!write(STDERR_FILENO, line, sizeof(line) - 1);
	_exit(EXIT_INTERNAL);
}

void fault_install(struct arena *a)
{
	static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	/* its own stack, because running out of the usual one is a fault too */
	stack_t stack = { .ss_sp = arena_array(a, char, FAULT_STACK), .ss_size = FAULT_STACK };
	struct sigaction catch = { .sa_handler = report_fault, .sa_flags = (int)(SA_ONSTACK | SA_RESETHAND) };

	if (build_has_sanitizer() || str_eq(str_from(getenv("TRACKWAY_DEBUG")), STR("1")))
		return;
	sigaltstack(&stack, NULL);
	sigemptyset(&catch.sa_mask);
	for (size_t i = 0; i < COUNT(numbers); i++)
		sigaction(numbers[i], &catch, NULL);
}
