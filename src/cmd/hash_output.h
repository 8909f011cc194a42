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
	bool lossy, all;
	bool refused; /* a file has an error, or failed its check */
	bool unread;  /* a file could not be read */
	struct buf text;
	struct json_writer writer;
	struct progress progress;
};

/* The fields of a file that --json=... may name; ended by NULL. */
extern const char *const hash_fields[];

/* Set the other members first. */
void hash_output_init(struct hash_output *o);

/* A file's hashes, and its findings on standard error. */
void hash_output_add(struct hash_output *o, const struct digest_input *part);

/* The outcome of a check instead of hashes: one line, or the file's fields with "check". */
void hash_output_add_check(struct hash_output *o, const struct digest_input *part, bool matches);

/* Something that kept a file from being read, on standard error and in the JSON document. */
void hash_output_add_failure(struct hash_output *o, struct str name, const struct err *why);

/* A sentence on standard error that is not about the input itself; nothing with -q. */
__attribute__((format(printf, 2, 3))) void hash_output_say(struct hash_output *o, const char *format, ...);

/* How far the reading is, when it is time to say so. */
void hash_output_show_progress(struct hash_output *o, const struct source *from);

/* Ends the JSON document. The exit status. */
int hash_output_end(struct hash_output *o);

#endif
