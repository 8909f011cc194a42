#include "cmd/frame/fault.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/build.h"
#include "cmd/frame/exit.h"
#include "harness/test.h"
#include "unit/base/child.h"

static void install(void)
{
	static struct arena a; /* outlives the signal */
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	arena_init(&a);
	fault_install(&a);
}

static void touch_nothing(void)
{
	install();
	raise(SIGSEGV);
}

static void fail_an_assertion(void)
{
	install();
	abort();
}

static int go_deeper(volatile char *above)
{
	volatile char here[4096];

	here[0] = *above;
	return *above == 'x' ? 0 : go_deeper(here) + here[0];
}

static void run_out_of_stack(void)
{
	volatile char start = 0;

	install();
	go_deeper(&start);
}

TEST(a_fault_asks_for_a_report_and_exits_with_70)
{
	void (*const faults[])(void) = { touch_nothing, fail_an_assertion, run_out_of_stack };

	if (build_has_sanitizer())
		SKIP("the sanitizer has the fault signals");
	unsetenv("TRACKWAY_DEBUG");
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct child_result r = child_run(faults[i]);

		test_case("fault %zu", i);
		CHECK_INT(r.status, EXIT_INTERNAL);
		CHECK(str_starts(str_of(r.err, r.n), STR("error: internal fault in trackway ")));
		CHECK(str_ends(str_of(r.err, r.n), STR("\n")));
		CHECK(memchr(r.err, '\n', r.n) == r.err + r.n - 1);
	}
}

TEST(a_debugger_sees_the_fault_itself)
{
	struct child_result r;

	if (build_has_sanitizer())
		SKIP("the sanitizer has the fault signals");
	setenv("TRACKWAY_DEBUG", "1", 1);
	r = child_run(touch_nothing);
	CHECK_INT(r.status, -1);
	CHECK_INT(r.n, 0);
}
