/*
 * Findings as JUnit XML: one test case for each file, a failure when it is not valid; and cases of other commands. What
 * came from the input is escaped; characters that XML 1.0 cannot hold are spelled out.
 */
#ifndef CMD_REPORT_REPORT_JUNIT_H
#define CMD_REPORT_REPORT_JUNIT_H

#include "cmd/report/report.h"

struct report_junit {
	struct buf cases; /* XML of the test cases so far */
	uint64_t tests, failures, errors, skipped; /* tests counts the other three, too */
	const char *command; /* whose report it is; the caller may set another one than "validate" */
};

/* A test case of any command. Texts may hold anything. */
struct report_junit_case {
	struct str name;
	enum { JUNIT_PASSED, JUNIT_FAILED, JUNIT_ERROR, JUNIT_SKIPPED } how;
	const char *type;    /* of a failure or an error: a word */
	struct str message;  /* of one that did not pass; p NULL: none */
	double seconds;      /* NaN: not known */
};

/* Begins a report; report_junit_free frees it. */
void report_junit_init(struct report_junit *j);
void report_junit_free(struct report_junit *j);

/*
 * Adds a test case for a file of a format (a property of the case). `failed`: it is not valid, and its findings are the
 * failure; else they are output of the test. `r` shows them as text.
 */
void report_junit_add(struct report_junit *j, const struct report *r, struct str path, const char *format,
		      const struct findings *list, bool failed);

/* A file that could not be read: an error of the test, not a failure. */
void report_junit_add_error(struct report_junit *j, struct str path, struct str why);

/* A file that was not checked; looks_like NULL when nobody knows what it is. `known`: its format has no rules. */
void report_junit_add_skipped(struct report_junit *j, struct str path, const char *looks_like,
			      bool known);

/* Adds such a case. */
void report_junit_add_case(struct report_junit *j, const struct report_junit_case *c);

/* Adds the whole document, with the counts in its head. Frees nothing. */
void report_junit_end(const struct report_junit *j, struct buf *out);

/*
 * Adds text for XML; in an attribute line ends and tabs are spelled as references. Bytes that are not UTF-8 and
 * characters that XML 1.0 cannot hold become \xNN.
 */
void report_junit_add_text(struct buf *out, struct str text, bool in_attribute);

#endif
