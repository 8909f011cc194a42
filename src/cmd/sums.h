/*
 * Lines of checksums, as sha256sum writes and reads them: the digest, a space, a space or an asterisk,
 * the name. A name with a backslash or a newline is written with escapes, and a backslash then begins the
 * line. Before the digest there may be one of our labels.
 *
 * A file with several runs has its lines for each, the number of the run (from 1) behind the name:
 *
 *	otutl-v1:sha256:8d6f...  rollouts.jsonl#2
 */
#ifndef CMD_SUMS_H
#define CMD_SUMS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/crypto/sha256.h"

enum sum_kind {
	SUM_PLAIN, /* no label: SUM_JCS, as version 0.1.0 wrote it, or SUM_RAW, as sha256sum writes it */
	SUM_JCS,
	SUM_RAW,
	SUM_RUN,
	SUM_RUN_LOSSY,
	SUM_ROOT,
	SUM_BEHAVIOR,
	SUM_FILE,
	SUM_KINDS,
};

struct sum {
	enum sum_kind kind;
	struct digest digest;
	struct str name;
};

/* "otutl-v1:sha256:" and so on, a constant; empty for SUM_PLAIN. */
struct str sum_label(enum sum_kind kind);

/* "run_hash" and so on, the name of the same thing in JSON, a constant. Two kinds may share one. */
const char *sum_field(enum sum_kind kind);

/* One line, with its newline. */
void sum_add(struct buf *out, const struct sum *s);

/*
 * Reads a line without its end. False when it is none; *out is then half filled. The name is in the line, or in the
 * arena when it has escapes.
 */
bool sum_parse(struct sum *out, struct arena *a, struct str line);

/*
 * Cuts "rollouts.jsonl#2" into "rollouts.jsonl" and 2. False when no number from 1 on follows the last '#', or no name
 * precedes it; *file is untouched then, *run may not be. *file points into `name`.
 */
bool sum_cut_run(struct str name, struct str *file, uint64_t *run);

#endif
