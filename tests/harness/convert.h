/* Converting texts in tests and fuzz targets, as the program does it. */
#ifndef HARNESS_CONVERT_H
#define HARNESS_CONVERT_H

#include "base/arena.h"
#include "flow/convert.h"

struct converted {
	struct str out;        /* in the arena */
	bool done;             /* false: err says why */
	struct err err;
	const struct dialect *from; /* NULL: in no format that can be read; of the first source */
	struct convert_tally tally; /* of all */
	uint64_t unreadable;   /* lines of the first source */
	bool torn;             /* its last line breaks off */
	struct coverage_summary coverage; /* of the first source */
	struct str losses;     /* "what (times)", one on each line */
};

#define CONVERT_START ((int64_t)1769860800 * 1000000000) /* 2026-01-31T12:00:00Z, for runs without times */

struct convert_how {
	const char *from, *to; /* from NULL: by content; to as in --to */
	size_t chunk;          /* size of chunks; 0 for the usual */
	unsigned jobs;         /* 0 for one */
	bool chunks;           /* as --chunks */
	bool no_prices;
	bool permissive;       /* as --permissive */
	bool no_start;         /* not as --start, which is CONVERT_START otherwise */
};

/* A file called "x.jsonl" with this text, or several that belong together or not, by name. */
struct converted convert_with(struct arena *a, struct str text, struct convert_how how);

/* The usual case: the output; the test fails when it cannot be converted. */
struct str convert_text(struct arena *a, const char *from, struct str text, const char *to);

/* The same; what comes out must be valid too, in the format that `to` names. */
struct str convert_valid(struct arena *a, const char *from, struct str text, const char *to);

/* A file of the disk, with what belongs to it. */
struct converted convert_file(struct arena *a, const char *path, struct convert_how how);

/* How many errors `trackway validate` finds in a text of a format ("otutl", "agent-trace"); *first (may be NULL) the first. */
uint64_t convert_errors(struct arena *a, const char *format, struct str text, struct str *first);

/*
 * The first difference between what was written and the table of a document's format, for those who write without the
 * table: an object whose members are not the fields of its type, all of them, in their order. Empty when there is none.
 */
struct str convert_strays(struct arena *a, const char *format, struct str text);

/* ---- looking at OTUTL ---- */

/* The figures that EXPECT.jsonl has; -1 for what is not known. */
struct convert_figures {
	int64_t runs, model_steps, tool_calls, tool_results, tool_errors, orphan_calls;
	int64_t input_total, output_total, cache_read, cache_write, reasoning; /* sums over cost records */
};
struct convert_figures convert_count(struct str otutl);

/* The n-th record (from 0) of a type, whole, or an empty text. */
struct str convert_record(struct str otutl, const char *type, size_t n);

/* A value in it as text: strings unescaped, others as they stand; p NULL when there is none. pointer as RFC 6901. */
struct str convert_get(struct arena *a, struct str record, const char *pointer);

/* Compares the figures with a row of EXPECT.jsonl where that knows them; what differs is added to `out`, a line each. */
void convert_compare(struct buf *out, const struct convert_figures *got, struct val expect);

#endif
