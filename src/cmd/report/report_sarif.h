/*
 * Findings as SARIF 2.1.0, for services that keep them from one run to the next. A finding is known
 * again by a hash of its code, its place inside the record and the text around it, so it stays the same
 * one when lines are put before it. At most REPORT_SARIF_LIMIT results are listed, since the services
 * refuse more; how many are not is written down as a notification.
 *
 * The rules name no address for help: there is no page on the web yet. Their text says what to do.
 */
#ifndef CMD_REPORT_REPORT_SARIF_H
#define CMD_REPORT_REPORT_SARIF_H

#include "base/crypto/sha256.h"
#include "base/map.h"
#include "cmd/report/report.h"

#define REPORT_SARIF_LIMIT 5000

struct report_sarif {
	struct arena *arena;
	struct buf results; /* JSON, without the brackets */
	struct buf rules, notes;
	struct json_writer result_writer, rule_writer, note_writer;
	struct map indexes; /* of the rules listed, by code */
	struct sha256 sha;
	struct str root; /* the directory we are in, with a slash behind it */
	uint64_t listed, left; /* results, and findings that are only counted */
	uint64_t skipped; /* files */
	struct buf names; /* of the first files skipped */
	bool unread; /* a file could not be read */
	bool promote; /* warnings are told as errors; the caller may set it */
};

/* Begins a report; report_sarif_free frees it. The arena must live as long as the report. */
void report_sarif_init(struct report_sarif *s, struct arena *arena);
void report_sarif_free(struct report_sarif *s);

/*
 * Adds the findings of a file as results, until REPORT_SARIF_LIMIT are listed; the others, and those that the list only
 * counted, are counted. `r` knows the rules.
 */
void report_sarif_add_list(struct report_sarif *s, const struct report *r, struct str path,
			   const struct findings *list);

/* Adds a notification about a file that could not be read; executionSuccessful becomes false. */
void report_sarif_add_error(struct report_sarif *s, struct str path, struct str why);

/* Counts a file that was not looked at; the first five are named in a notification at the end. */
void report_sarif_add_skipped(struct report_sarif *s, struct str path);

/*
 * Ends the document and adds it to `out`, on one line. Nothing can be added afterwards; report_sarif_free must still
 * follow.
 */
void report_sarif_end(struct report_sarif *s, struct buf *out);

/* Adds a path as a URI, percent-encoded: relative to `root` when it is below it, with file:// when it is absolute. */
void report_sarif_add_uri(struct buf *out, struct str path, struct str root);

#endif
