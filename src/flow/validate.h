/*
 * Checks every part of a source against the rules of its format: given, or seen in its content. Chunks
 * are scanned in parallel and folded in order; memory does not grow with the input, but for what a
 * format's own rules must remember (ids).
 */
#ifndef FLOW_VALIDATE_H
#define FLOW_VALIDATE_H

#include "dialect/dialect.h"
#include "dialect/validate_rules.h"
#include "source/source.h"

/* What the text of a part of no known format is, by its first lines. */
enum validate_text_kind {
	TEXT_JSON, /* at least one value in them is JSON */
	TEXT_BLANK,
	TEXT_OTHER,
	TEXT_UTF16,
};

/* One part, when it is over. All of it lives during the callback. */
struct validate_part {
	struct str name;
	const struct dialect *dialect; /* NULL: none that we know */
	const char *looks_like;        /* then: what it may be instead, or NULL */
	enum validate_text_kind text;  /* then, too */
	struct check_tally tally;
	uint64_t bytes;
	const struct findings *findings; /* in the order of their places */
	const struct err *failure;       /* not NULL: it could not be read to its end */
};

struct validate_flow {
	struct source *from;
	unsigned jobs; /* as in struct flow */
	const struct dialect *as; /* NULL: by content */
	struct check_options options;
	bool (*part)(void *context, const struct validate_part *part, struct err *err);
	void (*tick)(void *context, const struct source *from); /* may be NULL */
	void *context;
};

/* False when `part` did not want to go on, or the process is asked to stop. */
bool validate_flow_run(struct validate_flow *f, struct err *err);

/* What the first chunk (padded) of a part of no known format is; TEXT_BLANK holds while later ones are blank too. */
enum validate_text_kind validate_look_at(struct json_parser *p, struct str text, bool lines);

/* The finding about a file of no format that we know, or with nothing in it. */
void validate_note_unknown(struct findings *list, enum validate_text_kind text, const char *looks_like, uint64_t bytes);

#endif
