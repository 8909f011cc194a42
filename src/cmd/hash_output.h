/* What `trackway hash` says of each file: lines of checksums or one JSON document, findings, errors. */
#ifndef CMD_HASH_OUTPUT_H
#define CMD_HASH_OUTPUT_H

#include "cmd/frame/command.h"
#include "cmd/screen/progress.h"
#include "flow/digest.h"
#include "json/write.h"

struct hash_output {
	const struct frame *frame;
	struct opt_maybe json;
	bool lossy, all; /* --numbers=es; --all: list every finding */
	bool refused; /* a file has an error, or failed its check */
	bool unread;  /* a file could not be read */
	struct buf text; /* not yet printed */
	struct json_writer writer;
	struct progress progress;
};

/* The fields of a file that --json=... may name; ended by NULL. */
extern const char *const hash_fields[];

/* Begins the output. `frame`, `json`, `lossy` and `all` must be set, everything else zero. hash_output_end frees it. */
void hash_output_init(struct hash_output *o);

/*
 * Adds a file: its hashes on standard output and its findings on standard error, or an object of the document with
 * both. A finding that is an error makes the exit status EXIT_NO; a part that failed goes to hash_output_add_failure.
 */
void hash_output_add(struct hash_output *o, const struct digest_input *part);

/*
 * Adds the outcome of a check instead of hashes: "NAME: OK" or "NAME: FAILED", or the file's fields with "check". The
 * text form shows findings only if one is an error. `matches` false makes the exit status EXIT_NO.
 */
void hash_output_add_check(struct hash_output *o, const struct digest_input *part, bool matches);

/*
 * Tells what kept a file from being read, on standard error (also with -q) and in the JSON document. The exit status
 * becomes EXIT_CANNOT.
 */
void hash_output_add_failure(struct hash_output *o, struct str name, const struct err *why);

/* A sentence on standard error that is not about the input itself; nothing with -q. */
__attribute__((format(printf, 2, 3))) void hash_output_say(struct hash_output *o, const char *format, ...);

/* How far the reading is, when it is time to say so. */
void hash_output_show_progress(struct hash_output *o, const struct source *from);

/*
 * Ends the JSON document, prints it and frees everything. EXIT_CANNOT if a file could not be read, else EXIT_NO if one
 * was refused, else EXIT_YES.
 */
int hash_output_end(struct hash_output *o);

#endif
