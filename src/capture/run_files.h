/*
 * The directory of a run: its trace and what stands beside it. meta.json tells what the run was, never what was
 * in it: no arguments, no paths, no environment. It is there from the beginning, and complete when the run is over.
 */
#ifndef CAPTURE_RUN_FILES_H
#define CAPTURE_RUN_FILES_H

#include "base/arena.h"
#include "base/crypto/sha256.h"
#include "base/err.h"
#include "capture/graph/run_graph.h"
#include "store/runs.h"

struct run_files {
	struct str path;     /* as the user knows it; NUL-terminated */
	struct str absolute;
	struct str run_id;
	struct str program;  /* its basename */
	size_t argument_count;
	int64_t begun_ns;
	const struct run_tag *tags;
	size_t tag_count;
	struct str budget, retrieval_set; /* as declared, JSON; the set as digests. p NULL: not declared */
	struct str forked_from; /* the run that this one goes on from, JSON; p NULL: none */
	bool content;
	bool listened;       /* by a recorder that listens: there is no program, and files are synced by the caller */
	size_t kept;         /* so much of the path was there before */
	int dir;             /* it, open: the child may put links in its place and into it. -1: not yet, or no more */
	unsigned written;    /* which files are the recorder's: a bit for each that run_files_wrote was told */
};

/* What meta.json says when the run is over. */
struct run_files_end {
	int64_t ended_ns;
	int status, signal; /* of the child */
	struct run_graph_tally tally;
	uint64_t lost_pieces, lost_lines;
	struct str engine_metrics; /* a JSON object, or p NULL */
	struct str trace_sha256;   /* of the trace, where it is known already; or p NULL */
	uint64_t trace_bytes;
};

/* Sets the id, made of the time and of random bits, and the time; *id is the same. The text is in the arena. */
void run_files_name(struct arena *a, struct run_files *r, int64_t begun_ns, struct id *id);

/* Adds the run to the list of runs. False and *err as runs_add has it. */
bool run_files_list(struct arena *a, const struct run_files *r, struct err *err);

/*
 * Makes the directory and those above it, and opens it. False and *err when it has files of a run already, since a run
 * is never written over, or its name is a file's or empty (ERR_USAGE); or when it cannot be made or written to
 * (ERR_IO). What was made until then stays: see run_files_remove. Path and absolute live in the arena.
 */
bool run_files_make(struct arena *a, struct run_files *r, struct err *err);

/* Closes the directory; its files stay. May be called twice. */
void run_files_close(struct run_files *r);

/* Opens it again after run_files_close; false when a link or nothing has its name. It may be open already. */
bool run_files_reopen(struct run_files *r);

/* The n-th file that a run may have, meta.json at last; NULL: there are no more. */
const char *run_files_each(size_t n);

/* The file is there and ours: meta.json will have its digest. Others with such names are the child's. */
void run_files_wrote(struct run_files *r, const char *name);

/* Whether the path still leads to the directory that was made: the child may have moved it. */
bool run_files_is_in_place(const struct run_files *r);

/* Removes the directories that run_files_make made, as far as they are empty. */
void run_files_remove(struct arena *a, const struct run_files *r);

/* The path of a file in the directory, NUL-terminated, in the arena. */
struct str run_files_file(struct arena *a, const struct run_files *r, const char *name);

/*
 * Writes meta.json, whole or not at all; `end` NULL while the run goes on. With an end it reads every file of the run
 * for its digest, but not the trace where `end` has it; one that cannot be read is left out of the list. False and
 * *err (ERR_IO) when it cannot be written.
 */
bool run_files_write_meta(struct arena *a, const struct run_files *r, const struct run_files_end *end,
			  struct err *err);

/*
 * Writes summary.json: the summary event, each of its members on a line of its own. False and *err (ERR_IO) when it
 * cannot be written; nothing of it is there then.
 */
bool run_files_write_summary(const struct run_files *r, struct str event, struct err *err);

/*
 * The digest of a file in the directory as hex, in the arena, and its size. False when it is not there or cannot be
 * read, or when a link or anything but a plain file has its name.
 */
bool run_files_digest(struct arena *a, const struct run_files *r, const char *name, struct str *hex,
		      uint64_t *size);

/*
 * The digest and size of what an open file has from where it stands to its end; false and errno when it cannot be read.
 * The descriptor stays open.
 */
bool run_files_digest_fd(int fd, struct digest *out, uint64_t *size);

#endif
