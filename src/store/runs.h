/*
 * The list of runs: $TRACKWAY_HOME/runs.jsonl ($XDG_DATA_HOME/trackway, else ~/.local/share/trackway), append-only
 * under flock, a line for each: {"run_id","dir","started","kind","program","tags":{}}. And the names people give
 * runs: a path, an id, six or more characters of its beginning or end, @last, @-2, tag:K, tag:K=V.
 *
 * Names mean runs that are still there: whose directory exists, and was not given to a newer run since. Nothing is
 * ever taken off the list.
 */
#ifndef STORE_RUNS_H
#define STORE_RUNS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct run_tag {
	struct str key, value;
};

struct run_entry {
	struct str run_id, dir; /* dir is absolute */
	struct str started;     /* RFC 3339, UTC */
	struct str kind;        /* "record" */
	struct str program;     /* basename */
	const struct run_tag *tags;
	size_t tag_count;
	bool later; /* runs_add: not synced, for a caller with many runs */
};

/* The directory of the list, in the arena. False and *err (ERR_USAGE) when neither it nor a home is set. */
bool runs_home(struct arena *a, struct str *out, struct err *err);

/*
 * Adds to the list: one write under the lock, synced. Directories are made, mode 0700. Waits five seconds for the lock
 * at most. False and *err: ERR_USAGE as runs_home, else ERR_IO. After a failed write the list is as it was, unless the
 * piece of a line that was written could not be cut off again, which *err says.
 */
bool runs_add(struct arena *a, const struct run_entry *e, struct err *err);

/*
 * The whole list, oldest first, in the arena; lines that cannot be read are skipped. No list is an empty one. False and
 * *err, with an empty list, when there is one that cannot be read or is larger than 512 MiB.
 */
bool runs_list(struct arena *a, struct run_entry **out, size_t *count, struct err *err);

/* The same, newest first, of runs that are still there; at most `limit`. Fails as runs_list does. */
bool runs_list_recent(struct arena *a, size_t limit, struct run_entry **out, size_t *count, struct err *err);

/* Whether a text that is no path looks as if a run was meant: @..., tag:..., six or more characters of an id. */
bool runs_is_name(struct str text);

/*
 * What a name means: *path is a file or a directory. "-" and paths that exist stand for themselves. ERR_USAGE (exit
 * 2) when several runs fit, with a list of them, or none (errnum is ENOENT then), with what could be meant. A name
 * that looks like a path, and is none, is ERR_IO as everywhere.
 */
bool runs_find(struct arena *a, struct str name, struct str *path, struct err *err);

/*
 * The trace of what runs_find finds, in the arena: a directory's agent-trace.jsonl, or the file itself. Fails as
 * runs_find does, and with ERR_IO when the directory has no trace.
 */
bool runs_find_trace(struct arena *a, struct str name, struct str *path, struct err *err);

#endif
