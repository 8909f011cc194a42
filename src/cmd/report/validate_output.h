/*
 * What `trackway validate` says of each file and of all: findings for people, or one document for a
 * program, on standard output or in the file of -o. The exit status follows from what was added.
 *
 * A file met in a directory that is JSON of no known format is not a trace, and only counted. One that
 * was named must be of a known format, and so must one with a name that a format usually has; and what is
 * not JSON at all, or blank, is damaged whatever it was.
 */
#ifndef CMD_REPORT_VALIDATE_OUTPUT_H
#define CMD_REPORT_VALIDATE_OUTPUT_H

#include <sys/stat.h>

#include "base/map.h"
#include "cmd/frame/command.h"
#include "cmd/report/report_github.h"
#include "cmd/report/report_junit.h"
#include "cmd/report/report_sarif.h"
#include "cmd/screen/progress.h"
#include "flow/validate.h"
#include "sink/spool.h"

/* In the order of the words of --report. */
enum validate_form { VALIDATE_TEXT, VALIDATE_JSON, VALIDATE_SARIF, VALIDATE_GITHUB, VALIDATE_JUNIT };

struct validate_counts {
	/* skipped are not among files; interrupted are valid */
	uint64_t files, valid, invalid, unread, skipped, interrupted;
	uint64_t errors, warnings, infos;
	uint64_t logs; /* among skipped: in formats without rules, which can be converted; */
	uint64_t logs_of[DIALECTS_MOST]; /* of each format, by its number */
};

struct validate_output {
	/* Set these first; the arena is the command's. */
	struct arena *arena;
	const struct frame *frame;
	enum validate_form form;
	enum check_mode mode;
	struct opt_maybe json; /* which fields; all unless it has a value */
	bool all, warnings_as_errors;
	bool limited;     /* somebody said how many findings to list, */
	bool counts_only; /* namely none */
	struct str path;         /* of the file to write; p is NULL for standard output */
	struct str step_summary; /* a file to add the table of the GitHub form to; p is NULL for none */
	const struct str *named; /* what the command line names */
	size_t named_count;

	/* Its own. */
	struct validate_counts counts;
	struct map names; /* the same as `named`, to look them up */
	struct report report;
	struct buf text;  /* not yet written */
	struct buf alone; /* what to say at the end if the first file stays the only one */
	struct buf held;  /* what to say of the first file if another one follows */
	struct buf skipped_files; /* in the JSON form */
	struct json_writer skipped_writer;
	const char *code; /* of the first finding; NULL before it */
	struct spool spool;
	struct json_writer writer;
	struct report_sarif sarif;
	struct report_github github;
	struct report_junit junit;
	struct progress progress;
	uint64_t began_ns;
	struct stat target; /* the file of -o as it is before; */
	bool has_target;    /* it is there */
	bool overwrites;    /* it is one that was checked */
	bool mode_told;
	struct err failure; /* of the spool */
};

/* How many findings of a file the form lists, when neither --limit nor --all is given. */
size_t validate_output_limit(enum validate_form form);

/*
 * Begins the output in the form that was chosen; the members above must be set. validate_output_end ends and frees it.
 */
void validate_output_init(struct validate_output *o);

/*
 * Reports one file: counts it, and prints or keeps what its form says. A failure is printed on standard error as well.
 * A file of no known format that nobody named is skipped, and named with -v. So is a log in a format without rules,
 * named or not: it is neither valid nor invalid. `part` may go afterwards.
 */
void validate_output_add(struct validate_output *o, const struct validate_input *part);

/*
 * Reports a path that could not be opened as an unreadable file; the exit status becomes EXIT_CANNOT. `output` is the
 * struct validate_output, as inputs_open hands it on.
 */
void validate_output_add_failure(void *output, struct str name, const struct err *why);

/* Always false: the usage error about a file of -o that is to be checked. */
bool validate_output_refuse(struct str path, struct err *err);

/* How far the reading is, when it is time to say so. `output` likewise, as struct validate_flow does. */
void validate_output_show_progress(void *output, const struct source *from);

/*
 * Writes the end of the document, or the last sentence, and frees everything. `whole`: everything was looked at;
 * otherwise a file of -o is left as it was, and the answer is EXIT_CANNOT; when a signal is the reason, what was
 * checked until then is told. Else EXIT_YES, EXIT_NO when a file is invalid, EXIT_CANNOT when one is unreadable or all
 * were skipped, EXIT_FAIL with *err when the file of -o cannot be written.
 */
int validate_output_end(struct validate_output *o, bool whole, struct err *err);

#endif
