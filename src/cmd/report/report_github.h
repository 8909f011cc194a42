/*
 * Findings as annotations of a GitHub workflow run, and as a table for the page of the job.
 *
 *	::error file=run.jsonl,line=6,col=412,endColumn=414,title=AT041::output_tokens must not be negative%0Ahelp: ...
 *
 * Few annotations are shown for a step, so the worst come first, and no more than REPORT_GITHUB_LIMIT
 * of a kind come at all. Everything is escaped, so that no text of the input can be a command or markup.
 */
#ifndef CMD_REPORT_REPORT_GITHUB_H
#define CMD_REPORT_REPORT_GITHUB_H

#include "cmd/report/report.h"

#define REPORT_GITHUB_LIMIT 1000                  /* annotations of one kind */
#define REPORT_GITHUB_SUMMARY ((size_t)1 << 20)   /* bytes that the page of a job takes */

struct report_github {
	struct buf lines[SEV_ERROR + 1];      /* by severity */
	uint64_t shown[SEV_ERROR + 1], left[SEV_ERROR + 1]; /* annotations made, and findings only counted */
	struct buf rows[SEV_ERROR + 1]; /* of the table */
	/* The caller may set these. */
	struct str root; /* paths below it are told from there on */
	bool promote;    /* warnings are told as errors */
	const char *command; /* whose report it is, if not that of "validate" */
};

/* Begins a report; report_github_free frees it. */
void report_github_init(struct report_github *g);
void report_github_free(struct report_github *g);

/*
 * Adds the findings of a file; those that the list only counted are counted here, too. `r` knows what to do about each.
 */
void report_github_add_list(struct report_github *g, const struct report *r, struct str path,
			    const struct findings *list);

/* Adds an annotation for a file that could not be read: an error with the title "unreadable". */
void report_github_add_error(struct report_github *g, struct str path, struct str why);

/*
 * Adds the annotations, worst first, and a last one that counts what is not listed. Changes nothing and frees nothing.
 */
void report_github_end(const struct report_github *g, struct buf *out);

/*
 * Adds a heading, the sentence and the table, in Markdown, in at most `room` bytes: rows that do not fit are counted.
 * Adds nothing when not even the heading fits.
 */
void report_github_add_summary(const struct report_github *g, struct str sentence, size_t room, struct buf *out);

/*
 * Adds `more`, Markdown, and then that table to what the file of a job's page has, as far as there is room. False and
 * *err when the file cannot be written.
 */
bool report_github_append_summary(const struct report_github *g, struct str path, struct str sentence, struct str more,
				  struct err *err);

/*
 * Adds the value of a property, or the message, of a command, with the escapes that each needs. Control characters
 * other than line ends stay: callers make the text safe for a terminal first.
 */
void report_github_escape(struct buf *out, struct str text, bool is_property);

/* Adds text so that it means nothing in Markdown, not even in a cell of a table, and nothing to a terminal. */
void report_github_add_markdown(struct buf *out, struct str text);

#endif
