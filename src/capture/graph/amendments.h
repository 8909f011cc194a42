/*
 * What was learnt of nodes after their lines were written. A trace grows by lines while the run goes on, so that a kill
 * loses nothing; telemetry comes seconds later, and a tool's own times may come after something else has ended. Such
 * things are noted here, and written into the file when the run is over (capture/amend.h).
 */
#ifndef CAPTURE_GRAPH_AMENDMENTS_H
#define CAPTURE_GRAPH_AMENDMENTS_H

#include "base/arena.h"
#include "base/id.h"
#include "base/map.h"

#define AMENDMENTS_MOST ((size_t)1 << 18)

/* Of one node. */
struct amendment {
	struct id node;
	unsigned layers;        /* that saw it, all of them; 0: as the line says */
	bool is_tool;           /* for the order of the layers */
	bool exact;             /* a tool call: times and durations are measured, and replace what was inferred */
	bool moved;             /* its end is before that of the line that was written before it */
	int64_t from_us, to_us; /* with exact or moved; from_us only with exact */
	double wall, stall;     /* with exact, seconds; stall negative: not known */
	struct id *parents;     /* instead of those of the line; NULL: as they are */
	size_t parent_count, parent_room;
};

struct amendments {
	struct arena arena;
	struct map index;
	struct amendment **list;
	size_t count, cap;
	bool full; /* some were not noted */
};

/* None yet; nothing is allocated before the first. */
void amendments_init(struct amendments *a);
void amendments_free(struct amendments *a);

/* What is noted of the node; NULL: nothing. */
struct amendment *amendments_find(const struct amendments *a, struct id node);

/* The same, made where there is none. NULL when there are too many: then the line stays as it is. */
struct amendment *amendments_get(struct amendments *a, struct id node);

#endif
