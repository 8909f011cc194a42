/*
 * The traces that runs were read from, byte by byte, for a format that describes or carries them: how long each is, its
 * digest, and which runs are in it. With a directory they are files in it.
 */
#ifndef SINK_EXPORT_PARTS_H
#define SINK_EXPORT_PARTS_H

#include "base/crypto/sha256.h"
#include "sink/export/dir.h"

struct export_part {
	struct str path;  /* "agent-trace.jsonl", "agent-trace-2.jsonl" ... */
	uint64_t bytes;
	struct digest digest;
	size_t first_run; /* its runs begin here, and end where the next part's begin */
};

struct export_parts {
	struct arena *arena;
	struct export_dir *dir; /* NULL: nothing is written */
	struct export_part *items;
	size_t count, cap;
	struct sha256 sha; /* of the last one */
	bool is_open;
};

/* No parts yet; export_parts_free must follow. */
void export_parts_init(struct export_parts *p, struct arena *a);
void export_parts_free(struct export_parts *p);

/* A trace begins, whose runs will stand behind the `runs` that there are. False, with *err, when it cannot be made. */
bool export_parts_begin(struct export_parts *p, size_t runs, struct err *err);

/* More bytes of it. False, with *err, when they cannot be written. */
bool export_parts_add(struct export_parts *p, struct str bytes, struct err *err);

/* The last one is whole. Fails as export_parts_add does. */
bool export_parts_end(struct export_parts *p, struct err *err);

#endif
