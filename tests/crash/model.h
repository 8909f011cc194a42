/*
 * What a log has promised, and whether a disk keeps it. The model knows every entry and object that was asked for, which
 * of them were acknowledged, and what was published; model_look reads a disk as a stranger with a web server would
 * (checkpoint, bundles, tiles), without the engine's code, and holds it against that.
 */
#ifndef CRASH_MODEL_H
#define CRASH_MODEL_H

#include "crash/sim.h"
#include "ledger/entry.h"
#include "ledger/log.h"

#define MODEL_BASE 254    /* entries of the image that workloads around a full tile begin with */
#define MODEL_ITEMS 600
#define MODEL_ENTRIES 400
#define MODEL_BATCH 12
#define MODEL_WHY 1200

/* Something that can be appended. */
struct item {
	struct str ident, entry, object;
	struct digest digest, leaf;
	char path[128]; /* of its object */
	int erases;     /* the item whose object goes with it, or -1 */
};

/* Those of numbers below MODEL_BASE are the image's; then come trials; what a workload makes follows. */
struct items {
	struct arena arena;
	struct sha256 sha;
	struct item list[MODEL_ITEMS];
	size_t fixed, count;
	struct digest base_leaves[MODEL_BASE];
	struct merkle base; /* of the image */
	struct key key;     /* the log's */
	struct note note;
};

void items_init(struct items *t, const struct key *key);
void items_free(struct items *t);
/* An erase entry for item `trial`, which is at `index`. Its number. */
int items_add_erase(struct items *t, int trial, uint64_t index);

enum object_state {
	OBJECT_NONE,
	OBJECT_ASKED,   /* may be there; then whole */
	OBJECT_THERE,
	OBJECT_GOING,
	OBJECT_GONE,
};

struct model {
	uint16_t log[MODEL_ENTRIES]; /* items, by index */
	size_t acked;                /* this many are promised */
	size_t flying;               /* and this many behind them were asked for in one call that has not answered */
	uint64_t published;          /* a checkpoint of this size, at least, is promised to readers */
	uint64_t cosigned;           /* the checkpoint of this size has a witness' line; 0: none */
	uint8_t objects[MODEL_ITEMS];
	size_t next;                 /* the next item never asked for */
};

/* Reads the published log. False with a sentence in `why` when it does not hold. *size is what the checkpoint says. */
bool model_look(const struct model *m, struct items *t, const struct sim *s, uint64_t *size, char why[MODEL_WHY]);

/* Whether every object is what was promised. */
bool model_look_objects(const struct model *m, const struct items *t, const struct sim *s, char why[MODEL_WHY]);

/* Every checkpoint that was ever signed is a prefix of the log as it is now. */
bool model_check_signed(const struct model *m, struct items *t, char why[MODEL_WHY]);

#endif
