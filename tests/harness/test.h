/*
 * The test harness. A test is a sentence about behaviour:
 *
 *	TEST(an_empty_list_has_no_first_element)
 *	{
 *		CHECK(list_first(&empty) == NULL);
 *	}
 *
 * Each test runs in a process of its own, so a crash or a failed check ends that test only, and one
 * that hangs is ended after five minutes (or TRACKWAY_TEST_SECONDS). The files of a room are one program:
 *
 *	build/unit/json                         all tests of the room
 *	build/unit/json test_scan               those of a file; json/test_scan where two directories have one
 *	build/unit/json an_empty test_scan      those in it whose names contain the word
 *	build/unit/json -l                      lists them
 *
 * A test that cannot run here says so with SKIP and a reason, which is printed. The last line of output is
 * always "N passed, N failed, N skipped", and the exit status is 0 only when nothing failed and something ran.
 */
#ifndef HARNESS_TEST_H
#define HARNESS_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct test {
	const char *name, *file;
	void (*run)(void);
	struct test *next;
};

void test_register(struct test *t);
__attribute__((noreturn, format(printf, 3, 4))) void test_fail(const char *file, int line, const char *format, ...);
__attribute__((noreturn, format(printf, 1, 2))) void test_skip(const char *format, ...);
void test_check_int(const char *file, int line, const char *what, long long got, long long want);
void test_check_str(const char *file, int line, const char *what, struct str got, struct str want);

/* Notes one more case inside a table test, so that a failure names it. */
__attribute__((format(printf, 1, 2))) void test_case(const char *format, ...);

#define TEST(name_)                                                                                     \
	static void name_(void);                                                                        \
	static struct test test_##name_ = { #name_, __FILE__, name_, NULL };                            \
	__attribute__((constructor)) static void register_##name_(void) { test_register(&test_##name_); } \
	static void name_(void)

#define CHECK(condition)                                                           \
	do {                                                                       \
		if (!(condition))                                                  \
			test_fail(__FILE__, __LINE__, "expected %s", #condition); \
	} while (0)
#define CHECK_INT(got, want) test_check_int(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))
#define CHECK_STR(got, want) test_check_str(__FILE__, __LINE__, #got, (got), (want))
#define FAIL(...) test_fail(__FILE__, __LINE__, __VA_ARGS__)
#define SKIP(...) test_skip(__VA_ARGS__)

/* Where ../shared/data is, or skips the test with a reason. `path` is relative to it. */
const char *test_shared(const char *path);

/* A file of tests/data, whole, from the project's root. Lives as long as the test. */
struct str test_data(const char *path);
struct str test_read(const char *path);

/* A new directory in TMPDIR. The test removes it or leaves it to tools/run-tests; its name lives as long as the test. */
const char *test_dir(void);

/* Zeroed memory that lives as long as the test. */
void *test_alloc(size_t size);

/* How often slower than usual this run may be (under an emulator: 20); a limit on time multiplies by it. */
unsigned test_slower(void);

#endif
