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
	uint64_t shown[SEV_ERROR + 1], left[SEV_ERROR + 1];
	struct buf rows[SEV_ERROR + 1]; /* of the table */
	/* The caller may set these. */
	struct str root; /* paths below it are told from there on */
	bool promote;    /* warnings are told as errors */
};

/* Begins a report; report_github_free frees it. */
void report_github_init(struct report_github *g);
void report_github_free(struct report_github *g);

/* `r` knows what to do about each. */
void report_github_add_list(struct report_github *g, const struct report *r, struct str path,
			    const struct findings *list);

/* A file that could not be read. */
void report_github_add_error(struct report_github *g, struct str path, struct str why);

/* The annotations. */
void report_github_end(const struct report_github *g, struct buf *out);

/* A heading, the sentence and the table, in Markdown, in at most `room` bytes: what does not fit is counted. */
void report_github_add_summary(const struct report_github *g, struct str sentence, size_t room, struct buf *out);

/* The value of a property, or the message, of a command. */
void report_github_escape(struct buf *out, struct str text, bool is_property);

/* Text that means nothing in Markdown, not even in a cell of a table. */
void report_github_add_markdown(struct buf *out, struct str text);

#endif
