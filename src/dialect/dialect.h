/*
 * A dialect is one format: how it is recognised, how a file of it is checked, its rules and its tables.
 * To add a format, add a file and a row in dialects.c.
 *
 * Checking has two stages, as everywhere: scan looks at one chunk and nothing else, on any thread; fold
 * takes the batches in file order. Table formats share the functions of record/record.h.
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
	/* Clears the batch and fills it; it points into the chunk. Never fails: what is wrong becomes findings. */
	void (*scan)(void *scanner, const struct check_chunk *in, void *batch);
	void *(*fold_open)(const struct dialect *d, const struct check_options *o);
	void (*fold_close)(void *fold);
	/* A file begins: its findings go to the list, which outlives the file's fold. */
	void (*begin)(void *fold, struct findings *findings);
	bool (*fold)(void *fold, const void *batch, struct err *err); /* false: it cannot go on, *err says why */
	/* The last batch given is gone, or its chunk is: nothing may look at it any more. May be NULL. */
	void (*lose)(void *fold);
	/* The file is over; the last batch given and its chunk still live, unless they were lost. */
	void (*finish)(void *fold, struct check_tally *tally);
};

enum dialect_form {
	DIALECT_LINES = 1,
	DIALECT_DOCUMENT = 2,
};

/* ---- converting: see reading.h, model/assemble.h and writing.h ---- */

struct reading;
struct event;
struct assemble;
struct writing;

struct read_ops {
	const char *vendor; /* of tool URIs, "anthropic"; also for RUN_START */
	const char *key;    /* of what has no field of its own: "anthropic/1" */
	unsigned assemble;  /* enum assemble_flag */
	bool elements;      /* a document that is an array is a list of values */
	bool line_elements; /* so is one on a line: no such line is a run of its own */
	/* Adds the events of one value. Pure, on any thread, in any order. */
	void (*value)(struct reading *r, struct val v);
	/*
	 * For formats that are no JSON: a line as it stands, blank or not, without its end. False: it is a value after
	 * all. NULL where lines that are no JSON are none of the format's.
	 */
	bool (*line)(struct reading *r, struct str line);
	/*
	 * What needs the order of the log: gets each event and gives it, others or none to the assembler. All four
	 * are NULL where events go straight there. The state is for one part after the other (a file, or all members
	 * of a file group); fold_end is called at the end of each and leaves the state as new.
	 */
	void *(*fold_open)(void);
	void (*fold_close)(void *fold);
	bool (*fold)(void *fold, const struct event *e, struct assemble *as, struct err *err); /* false: see *err */
	bool (*fold_end)(void *fold, struct assemble *as, struct err *err);
};

struct write_ops {
	const char *cannot; /* what it cannot hold, a sentence for `formats` and the manual */
	bool document;      /* one JSON document for each run, not lines */
	bool names_runs;    /* every run has an id in it: a RUN_START without one gets one (flow/run_name.h) */
	bool lacks_cost;    /* it has no place for what something cost */
	bool needs_times;   /* a run without times is laid out or left out (flow/run_times.h) */
	bool joins;         /* several runs in one output are made one (writing.single) */
	void *(*open)(struct writing *w); /* the writer, until close; `w` must outlive it */
	void (*close)(void *writer);
	/* Finished events of one run after the other; what is ready is added to w->out. */
	bool (*event)(void *writer, const struct event *e, struct err *err);
	/* The input is over. */
	bool (*end)(void *writer, struct err *err);
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
	/* Whether the beginning of a text that is no JSON is of this format; asked first. NULL where none is. */
	bool (*fits_text)(struct str text);
	const char *mark; /* a text that damaged files of it still hold; may be NULL */
	const struct check_ops *ops; /* NULL: cannot be validated */
	const struct record_format *record;       /* for record_ops */
	const struct record_type *const *roots; /* what a record may be, for the schema; NULL-ended, or NULL */
	const struct read_ops *read;   /* NULL: cannot be converted from */
	const struct write_ops *write; /* NULL: cannot be written */
};

/* The members of a format whose records are checked by tables (record/record.h): by which, and what a record may be. */
#define DIALECT_RECORDS(format_, roots_) .ops = &record_ops, .record = &(format_), .roots = (roots_)

/* The rules of a format that has none. */
extern const struct rule dialect_no_rules[];

/* Room for something for each format. */
#define DIALECTS_MOST 64

/* Every format, ended by NULL. At most DIALECTS_MOST. */
extern const struct dialect *const dialects[];

/* By its name, exactly as it is spelled; NULL when there is none. All formats live always. */
const struct dialect *dialect_find(struct str name);

/*
 * The place of a format in `dialects`, for arrays with something for each. It must stand there: secrets_dialect does
 * not.
 */
size_t dialect_number(const struct dialect *d);

/*
 * The rule of a code, whichever format has it, or NULL. *owner (when not NULL) gets the format; NULL for a rule of
 * validate's own, which no format has, and when there is no such rule.
 */
const struct rule *dialect_find_rule(const char *code, const struct dialect **owner);

/* What one wants to do with a file. */
enum dialect_use {
	DIALECT_TO_CHECK,
	DIALECT_TO_READ,
	DIALECT_TO_READ_ON, /* more of its beginning may follow: a value that fits decides, no mark of a damaged file */
};

/* What a file that is in no format of use may be instead. */
struct dialect_looks {
	const char *like;           /* "an Anthropic message log"; NULL when nobody knows */
	const struct dialect *best; /* a format of ours that is of use for something else; or NULL */
	bool is_log;                /* `like` is the log of an agent, and nothing else looks so */
	bool is_damaged;            /* it was one, and is no JSON */
	const char *help;           /* what its owner can do; NULL for the usual */
	bool is_sure;               /* nothing that comes later can make it a format of ours */
};

/*
 * A parser for dialect_detect, to be closed by json_parser_close. It is lenient with what a check will find fault
 * with: duplicate names, lone surrogates, a byte order mark.
 */
struct json_parser *dialect_detect_open(void);

/*
 * The beginning of a text that decides, so that a large chunk is not read twice: its first fifty lines that are not
 * blank, or those that begin in its first 256 KB.
 */
struct str dialect_head(struct str text);

/* Whether that is all of it that is ever looked at: more bytes of the file would change nothing. */
bool dialect_head_is_full(struct str text);

/*
 * Which format the beginning of a file is in: the one that fits best the first value that fits any of use, among the
 * first fifty. `text` is the beginning of the file, padded as for json_parse when it is a document (`lines` false). Of
 * a file to be read, a value may stand behind "data:" or behind something else on its line. Where no value decides,
 * the mark of a damaged file may. NULL when nothing does; *looks (when not NULL), which is set in any case, then tells
 * more. Its texts live always.
 */
const struct dialect *dialect_detect(struct json_parser *p, struct str text, bool lines, enum dialect_use use,
				     struct dialect_looks *looks);

#endif
