/*
 * Workloads on a simulated disk, stopped at every operation that changes it; from each such point, states: the process
 * is killed or the power goes, one of the disks that may then be found is looked at by a reader, the log is opened
 * (recovering, perhaps stopped again inside, several times), everything promised is looked for, and work goes on.
 *
 * A state is told by workload.point.variant under a seed, and can be repeated alone.
 */
#ifndef CRASH_EXPLORE_H
#define CRASH_EXPLORE_H

#include "crash/model.h"
#include "ledger/dir/log_dir.h"

enum variant {
	VARIANT_ALL,          /* the power goes, and everything had reached the disk */
	VARIANT_NONE,         /* ... nothing but what was synced */
	VARIANT_ONLY_NAMES,
	VARIANT_ONLY_BYTES,
	VARIANT_KILLED,       /* the process is killed, the power stays */
	VARIANT_RESTORED,     /* the power goes; then an older copy of the ledger is put in its place, not of the keys */
	VARIANT_RANDOM,       /* from here on: each change is kept, lost or torn by chance */
	VARIANTS = 12,
};

struct explorer {
	uint64_t seed, limit; /* limit: of states */
	enum place without;
	bool trace;
	bool is_one;          /* only the state below */
	uint64_t one_workload, one_point, one_variant;
	void (*tick)(struct explorer *x);

	uint64_t states;      /* disks looked at after a kill or a loss of power */
	uint64_t episodes, inside, refused, points, workloads, syncs[PLACES];
	bool is_broken;
	char why[MODEL_WHY];
	uint64_t workload, point, variant;

	/* of the workload at hand */
	struct items items;
	struct signer signer, witness;
	struct sim *images[3]; /* nothing at all; an empty log; one of MODEL_BASE entries */
	struct sim *disk, *old;
	uint64_t old_size;
	struct model model;
	struct log_dir_options options;
	bool is_making;        /* the log is being made: there may be none */
	uint64_t *met;         /* hashes of disks, to count the different ones */
	size_t met_count, met_cap;
};

/* False when an image could not be made: x->why. */
bool explorer_init(struct explorer *x, uint64_t seed, enum place without);
void explorer_free(struct explorer *x);

/* Until there are `limit` states, or something broke (x->is_broken). */
void explorer_run(struct explorer *x);

#endif
