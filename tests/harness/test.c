#include "harness/test.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit statuses of a test's process. None is 0: code under test that calls exit(0) has not passed. */
enum { PASSED = 9, FAILED = 10, SKIPPED = 11 };

#define SECONDS_PER_TEST 300 /* TRACKWAY_TEST_SECONDS says otherwise */

static struct test *first, **last = &first;
static char case_note[300];

/* What test_read and test_alloc returned: reachable until the test's process ends, so that it is no leak. */
static struct kept {
	struct kept *next;
	char *bytes;
} *kept;

void test_register(struct test *t)
{
	*last = t;
	last = &t->next;
}

void test_case(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(case_note, sizeof(case_note), format, args);
	va_end(args);
}

void test_fail(const char *file, int line, const char *format, ...)
{
	va_list args;

	printf("  %s:%d: ", file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	if (case_note[0])
		printf("  (case: %s)", case_note);
	printf("\n");
	fflush(stdout);
	_exit(FAILED);
}

void test_skip(const char *format, ...)
{
	va_list args;

	printf("  skipped: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(SKIPPED);
}

void test_check_int(const char *file, int line, const char *what, long long got, long long want)
{
	if (got != want)
		test_fail(file, line, "%s is %lld, expected %lld", what, got, want);
}

void test_check_str(const char *file, int line, const char *what, struct str got, struct str want)
{
	if (!str_eq(got, want))
		test_fail(file, line, "%s is \"%.*s\" (%zu bytes), expected \"%.*s\" (%zu bytes)", what, STR_ARG(got),
			  got.n, STR_ARG(want), want.n);
}

struct str test_read(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct kept *k = malloc(sizeof(*k));
	char *p = NULL;
	size_t n = 0, cap = 0, got;

	if (!f)
		test_fail(path, 0, "cannot open");
	do {
		if (n == cap)
			p = realloc(p, cap = cap ? cap * 2 : 65536);
		if (!p || !k)
			test_fail(path, 0, "out of memory");
		got = fread(p + n, 1, cap - n, f);
		n += got;
	} while (got);
	fclose(f);
	*k = (struct kept){ kept, p };
	kept = k;
	return str_of(p, n);
}

void *test_alloc(size_t size)
{
	struct kept *k = malloc(sizeof(*k));
	char *p = calloc(size + 1, 1);

	if (!k || !p)
		test_fail("test_alloc", 0, "out of memory");
	*k = (struct kept){ kept, p };
	kept = k;
	return p;
}

const char *test_dir(void)
{
	const char *tmp = getenv("TMPDIR");
	size_t size = (tmp ? strlen(tmp) : 0) + 30;
	char *path = test_alloc(size);

	snprintf(path, size, "%s/trackway-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(path))
		test_fail(path, 0, "cannot make a directory");
	return path;
}

struct str test_data(const char *path)
{
	char full[1024];

	snprintf(full, sizeof(full), "tests/data/%s", path);
	return test_read(full);
}

const char *test_shared(const char *path)
{
	static char full[1024];
	const char *root = getenv("TRACKWAY_SHARED");

	snprintf(full, sizeof(full), "%s/data/%s", root ? root : "../shared", path);
	if (access(full, R_OK) != 0)
		test_skip("%s is not here", full);
	return full;
}

static unsigned number_from(const char *variable, unsigned otherwise)
{
	const char *text = getenv(variable);

	return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

unsigned test_slower(void)
{
	return number_from("TRACKWAY_TEST_SLOWER", 1);
}

static bool is_file(const char *word)
{
	return strchr(word, '/') || strncmp(word, "test_", 5) == 0;
}

static size_t length_without_c(const char *path)
{
	size_t n = strlen(path);

	return n > 2 && strcmp(path + n - 2, ".c") == 0 ? n - 2 : n;
}

/* "tests/unit/json/test_scan.c" is "test_scan", "json/test_scan" and all of its path, with ".c" or without. */
static bool file_is(const char *path, const char *word)
{
	size_t n = length_without_c(path), end = length_without_c(word);

	if (end > n || memcmp(path + n - end, word, end) != 0)
		return false;
	return end == n || path[n - end - 1] == '/';
}

/* Of the words that name files one must name the test's, and of the others one must be in its name, if there are any. */
static bool wanted(const struct test *t, char **words)
{
	bool any_file = false, any_name = false, file = false, name = false;

	for (; *words; words++) {
		if (is_file(*words)) {
			any_file = true;
			file = file || file_is(t->file, *words);
		} else {
			any_name = true;
			name = name || strstr(t->name, *words);
		}
	}
	return file == any_file && name == any_name;
}

static int run_one(const struct test *t, unsigned seconds)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		alarm(seconds);
		t->run();
		fflush(stdout);
		exit(PASSED);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		printf("  cannot start a process for the test\n");
		return FAILED;
	}
	if (WIFSIGNALED(status)) {
		if (WTERMSIG(status) == SIGALRM)
			printf("  took longer than %u seconds\n", seconds);
		else
			printf("  ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
		return FAILED;
	}
	if (WEXITSTATUS(status) != PASSED && WEXITSTATUS(status) != FAILED && WEXITSTATUS(status) != SKIPPED)
		printf("  ended with exit status %d\n", WEXITSTATUS(status));
	return WEXITSTATUS(status);
}

static int list(char **words)
{
	for (const struct test *t = first; t; t = t->next)
		if (wanted(t, words))
			printf("%s %s\n", t->file, t->name);
	return 0;
}

static int run(char **words)
{
	int passed = 0, failed = 0, skipped = 0;
	unsigned seconds = number_from("TRACKWAY_TEST_SECONDS", SECONDS_PER_TEST);

	for (const struct test *t = first; t; t = t->next) {
		int result;

		if (!wanted(t, words))
			continue;
		result = run_one(t, seconds);
		passed += result == PASSED;
		skipped += result == SKIPPED;
		failed += result != PASSED && result != SKIPPED;
		if (result != PASSED)
			printf("%s %s (%s)\n", result == SKIPPED ? "SKIP" : "FAIL", t->name, t->file);
	}
	printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
	return failed || passed + skipped == 0;
}

int main(int argc, char **argv)
{
	const char *option = argc > 1 && argv[1][0] == '-' ? argv[1] : "";

	if (strcmp(option, "-l") == 0)
		return list(argv + 2);
	if (*option) {
		printf("usage: %s [-l] [FILE | WORD]...\n"
		       "  FILE  the tests of this file: test_x, or with directories, as dir/test_x\n"
		       "  WORD  the tests whose names contain it\n"
		       "  -l    lists them and runs none\n", argv[0]);
		return strcmp(option, "-h") == 0 ? 0 : 2;
	}
	return run(argv + 1);
}
