/*
 * Records for a ledger, out of files, directories and standard input: one of a .json file, one on each line of a .jsonl
 * file; on standard input either, by what comes. Of a directory every name that ends in .json is taken, but nothing
 * below a part that begins with an underscore, where such trees keep what is not a record.
 */
#ifndef CMD_LEDGER_INTAKE_H
#define CMD_LEDGER_INTAKE_H

#include "base/err.h"
#include "source/source.h"

struct intake_record {
	struct str path;  /* lives as long as the arena */
	uint64_t line;    /* of a file with several, from 1; 0 otherwise */
	uint64_t origin;  /* of its bytes in the file */
	struct str bytes; /* exactly as they came; during the call */
};

struct intake {
	struct arena *arena;
	/*
	 * Asked once for each file, with its beginning: *take false passes over it. A file of lines has `lines` set.
	 * False with *err stops. May be NULL: every file is taken.
	 */
	bool (*begin)(void *context, struct str path, struct str head, bool lines, bool *take, struct err *err);
	bool (*record)(void *context, const struct intake_record *r, struct err *err);
	/* What came so far is worked on, since more may take a while (a slow pipe). */
	bool (*pause)(void *context, struct err *err);
	/* A file that cannot be read; the others go on. */
	void (*failed)(void *context, struct str path, const struct err *why);
	void (*tick)(void *context, const struct source *from); /* after each chunk */
	void *context;
};

/*
 * Reads every path in turn and calls `record` for each record. A path that cannot be read, or a directory without a
 * record, is told to `failed`, and the others go on. False with *err when `record` or `pause` gave false. True also
 * when the process is asked to stop (stop_signal): then not everything was read.
 */
bool intake_run(struct intake *in, const struct str *paths, size_t count, struct err *err);

/* Whether a file found below a directory is taken; `below` is its path there. Names may end in .gz or .zst, too. */
bool intake_wants(struct str below);

#endif
