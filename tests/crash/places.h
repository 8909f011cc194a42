/* Which sync is which: the places of the protocol, told by paths. One of them can be left out: see sim.h. */
#ifndef CRASH_PLACES_H
#define CRASH_PLACES_H

#include <stdbool.h>
#include <stddef.h>

enum place {
	PLACE_NONE,
	/* the bytes of a file */
	PLACE_WAL,        /* frames added to it */
	PLACE_WAL_NEW,    /* the file that takes its place */
	PLACE_OBJECT,
	PLACE_BUNDLE,
	PLACE_TILE,
	PLACE_HEAD,
	PLACE_CHECKPOINT,
	PLACE_KEPT,       /* checkpoints/<size> */
	PLACE_IDS,
	PLACE_OTHER,      /* version, vkey */
	/* the names of files in a directory, and those of directories */
	PLACE_IN_LEDGER,
	PLACE_IN_LEDGER_DIRS,
	PLACE_IN_STATE,
	PLACE_IN_OBJECTS,
	PLACE_IN_OBJECTS_DIRS,
	PLACE_IN_TILES,
	PLACE_IN_TILES_DIRS,
	PLACE_IN_KEYS,
	PLACE_IN_KEPT,
	PLACE_IN_OTHER,
	/* everything at once */
	PLACE_ALL,
	PLACES,
};

/* The ledger and its keys are at these paths of a simulated disk. */
#define PLACE_LEDGER "/l"
#define PLACE_KEYS "/k"

enum place place_of_file(const char *path);
enum place place_of_names(const char *dir, bool of_dirs);
bool place_is_temporary(const char *path); /* what file it is shows when it gets its name */

const char *place_word(enum place p); /* for options */
const char *place_text(enum place p); /* for people */

/* Why the protocol stands without this sync, or NULL when it must not. */
const char *place_spared(enum place p);

#endif
