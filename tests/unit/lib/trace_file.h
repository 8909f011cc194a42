/* A trace in a file of the test's own, and what a validator thinks of it. */
#ifndef UNIT_LIB_TRACE_FILE_H
#define UNIT_LIB_TRACE_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "trackway.h"

/* A path that nothing has yet. */
static inline const char *trace_path(void)
{
	static char path[64];
	const char *tmp = getenv("TMPDIR");
	int fd;

	CHECK(snprintf(path, sizeof(path), "%s/trackway-emit-XXXXXX", tmp ? tmp : "/tmp") < (int)sizeof(path));
	fd = mkstemp(path);
	CHECK(fd >= 0 && close(fd) == 0 && unlink(path) == 0);
	return path;
}

static inline size_t trace_lines(struct str text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

/* How often `part` is in the text. */
static inline size_t trace_count(struct str text, const char *part)
{
	size_t n = 0, at;

	while ((at = str_find(text, str_from(part))) != (size_t)-1) {
		text = str_of(text.p + at + 1, text.n - at - 1);
		n++;
	}
	return n;
}

/* Every finding that is not in the list of codes fails the test. The file is removed. */
static inline struct str trace_check(const char *path, const char *allowed)
{
	struct tw_validate_options options = { .size = sizeof(options), .format = "agent-trace", .mode = TW_STRICT };
	struct tw_report *r = tw_validate_file(path, &options);
	struct str text = test_read(path);

	CHECK(tw_report_verdict(r) != TW_UNREADABLE);
	for (size_t i = 0; i < tw_report_finding_count(r); i++) {
		const struct tw_finding *f = tw_report_finding(r, i);

		if (!strstr(allowed, f->code))
			FAIL("line %d: %s %s", (int)f->line, f->code, f->message);
	}
	tw_report_free(r);
	CHECK(unlink(path) == 0);
	return text;
}

static inline void trace_wait(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		FAIL("the child ended with status 0x%x", status);
}

#endif
