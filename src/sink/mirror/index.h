/*
 * The index of a mirror: which outputs each source has, and of what they were made. Its file is index.jsonl, a line
 * for each output, in the order of sources and of runs in them. While a job runs, finished sources are appended to a
 * journal of the same lines, which the index takes in at the end; a job that is killed leaves the journal.
 *
 * A line of one format says nothing about the outputs of another: the same directory may hold several.
 */
#ifndef SINK_MIRROR_INDEX_H
#define SINK_MIRROR_INDEX_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"

/* An output: a line of the index. Texts live as long as the index's arena. */
struct index_run {
	struct index_run *next;
	struct str line;      /* as it stands in the file, without its end */
	struct str output;    /* below the directory */
	struct str stamp;     /* of the source when it was read */
	struct str maker;     /* of the program and its options */
	uint64_t run, runs;   /* which one of how many */
	uint64_t size;        /* of the output */
	bool complete;        /* the source could be read to its end */
};

/* A source, in one format. */
struct index_source {
	struct str name;    /* as the index has it (mirror_spelling) */
	struct str suffix;  /* of the files of this format */
	struct index_run *first, *last;
	size_t count;       /* of runs; 0: it has no output */
	bool is_met;        /* in this job */
	bool is_made;       /* its outputs are of this job */
};

struct mirror_index {
	struct arena *arena;
	struct map sources; /* name and suffix to struct index_source */
	struct map outputs; /* output to the struct index_source that has it */
	struct index_source **all;
	size_t count, cap;
};

/* What a line says of an output that was just made. */
struct index_facts {
	struct str source, output, run_id, format, source_format, stamp, maker; /* run_id.p NULL: it has none */
	uint64_t run, runs, source_size, size;
	bool complete;
};

/* An empty index. Everything lives in the arena. */
void mirror_index_init(struct mirror_index *x, struct arena *a);

/*
 * Takes in the lines of an index (`is_journal` false: every line must be one, or ERR_DATA) or of a journal, where what
 * a killed job left half-written is passed over. A source's lines replace those known before. The text must be
 * followed by JSON_PAD readable bytes, and live as long as the index.
 */
bool mirror_index_read(struct mirror_index *x, struct str text, bool is_journal, struct err *err);

/* The source of this name with files of this suffix, made when absent. */
struct index_source *mirror_index_get(struct mirror_index *x, struct str name, struct str suffix);

/* The source that has this output, or NULL. */
struct index_source *mirror_index_owner(const struct mirror_index *x, struct str output);

/* The source has no outputs any more; their names are free. */
void mirror_index_clear(struct mirror_index *x, struct index_source *s);

/* Adds the next output of a source, and its line, with a line end, to `out`. */
void mirror_index_add(struct mirror_index *x, struct index_source *s, const struct index_facts *f, struct buf *out);

/* The whole index in its order, to a function in pieces; false, with *err, when that did not want to go on. */
bool mirror_index_write(struct mirror_index *x, bool (*put)(void *context, struct str bytes, struct err *err),
			void *context, struct err *err);

#endif
