/*
 * A dialect is one format: how it is recognised, how a file of it is checked, its rules and its tables.
 * To add a format, add a file and a row in dialects.c.
 *
 * Checking has two stages, as everywhere: scan looks at one chunk and nothing else, on any thread; fold
 * takes the batches in file order. Table formats share the functions of record.h.
 */
#ifndef DIALECT_DIALECT_H
#define DIALECT_DIALECT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/finding.h"
#include "json/json.h"

enum check_mode { MODE_DEFAULT, MODE_STRICT, MODE_PERMISSIVE };

struct check_options {
	enum check_mode mode;
	bool secrets;         /* look for API keys also where the format allows any text */
	size_t finding_limit; /* kept whole for each file; 0 keeps all */
};

/* What a chunk is: whole lines, or one document. */
struct check_chunk {
	struct str bytes;    /* padded as for json_parse */
	uint64_t first_line; /* number of the first of them */
	uint64_t origin;     /* offset of bytes.p in the part */
	bool lines;          /* one value per line; else one value in all */
};

/* What there is to say about a file that was read, besides findings. */
struct check_tally {
	uint64_t records;
	bool interrupted;     /* it breaks off: no summary, no run_end */
	const char *variant;  /* "openai" for a conversation of that kind; NULL where there is one kind */
};

struct dialect;

struct check_ops {
	void *(*scanner_open)(const struct dialect *d, const struct check_options *o);
	void (*scanner_close)(void *scanner);
	void *(*batch_open)(const struct dialect *d);
	void (*batch_close)(void *batch);
	/* Clears the batch and fills it; it points into the chunk. */
	void (*scan)(void *scanner, const struct check_chunk *in, void *batch);
	void *(*fold_open)(const struct dialect *d, const struct check_options *o);
	void (*fold_close)(void *fold);
	/* A file begins: its findings go to the list, which outlives the file's fold. */
	void (*begin)(void *fold, struct findings *findings);
	bool (*fold)(void *fold, const void *batch, struct err *err);
	/* The last batch given is gone, or its chunk is: nothing may look at it any more. May be NULL. */
	void (*lose)(void *fold);
	/* The file is over; the last batch given and its chunk still live, unless they were lost. */
	void (*finish)(void *fold, struct check_tally *tally);
};

enum dialect_form {
	DIALECT_LINES = 1,
	DIALECT_DOCUMENT = 2,
};

struct record_format;
struct record_type;

struct dialect {
	const char *name;  /* "agent-trace", as in --as */
	const char *title; /* "agent-trace/v1, the content-free trace of a run" */
	const char *file;  /* the usual name, "agent-trace.jsonl" */
	const char *unit;  /* what a record is called: "event" */
	unsigned forms;    /* enum dialect_form */
	const struct rule *rules; /* ended by a row whose code is NULL */
	/* How well a value fits, 0 (not at all) to 100 (it says so itself). Need not be right in any other way. */
	int (*fits)(struct val v);
	const char *mark; /* a text that damaged files of it still hold; may be NULL */
	const struct check_ops *ops;
	const struct record_format *record;       /* for record_ops */
	const struct record_type *const *roots; /* what a record may be, for the schema; NULL-ended, or NULL */
};

/* Every format, ended by NULL. */
extern const struct dialect *const dialects[];

/* By its name, or NULL. */
const struct dialect *dialect_find(struct str name);

/* The rule of a code, whichever format has it, or NULL. *owner (when not NULL) gets the format. */
const struct rule *dialect_find_rule(const char *code, const struct dialect **owner);

/*
 * Which format the beginning of a file is in: the one that fits best the first value that fits any,
 * among the first eight. NULL when none does; *looks_like (when not NULL) then tells what it may be
 * instead ("an Anthropic message log"), or is NULL.
 */
struct json_parser *dialect_detect_open(void);

/* The first eight lines of a text that are not blank: what decides, so that a large chunk is not read twice. */
struct str dialect_head(struct str text);

const struct dialect *dialect_detect(struct json_parser *p, struct str text, bool lines, const char **looks_like);

#endif
