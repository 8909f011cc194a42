#include "crash/places.h"

#include <string.h>

static const struct {
	const char *word, *text, *spared;
} places[PLACES] = {
	[PLACE_NONE] = { "none", "none", NULL },
	[PLACE_WAL] = { "wal", "a frame in .state/wal", NULL },
	[PLACE_WAL_NEW] = { "wal-new", "the file that replaces .state/wal", NULL },
	[PLACE_OBJECT] = { "object", "an object", NULL },
	[PLACE_BUNDLE] = { "bundle", "a bundle of entries", NULL },
	[PLACE_TILE] = { "tile", "a tile of hashes", NULL },
	[PLACE_HEAD] = { "head", "the signer's head", NULL },
	[PLACE_CHECKPOINT] = { "checkpoint", "the checkpoint", NULL },
	[PLACE_KEPT] = { "kept", "checkpoints/<size>", "kept for audits only; nothing reads them to decide" },
	[PLACE_IDS] = { "ids", ".state/ids.idx", "derived; one that does not hold is made anew from the entries" },
	[PLACE_OTHER] = { "other", ".state/version, vkey", NULL },
	[PLACE_IN_LEDGER] = { "in-ledger", "names: checkpoint", NULL },
	[PLACE_IN_LEDGER_DIRS] = { "in-ledger-dirs", "names: tile/, objects/, .state/", NULL },
	[PLACE_IN_STATE] = { "in-state", "names: .state/wal", NULL },
	[PLACE_IN_OBJECTS] = { "in-objects", "names: objects", NULL },
	[PLACE_IN_OBJECTS_DIRS] = { "in-objects-dirs", "names: new directories of objects", NULL },
	[PLACE_IN_TILES] = { "in-tiles", "names: tiles and bundles", NULL },
	[PLACE_IN_TILES_DIRS] = { "in-tiles-dirs", "names: new directories of tiles", NULL },
	[PLACE_IN_KEYS] = { "in-keys", "names: the signer's head", NULL },
	[PLACE_IN_KEPT] = { "in-kept", "names: checkpoints/<size>", "kept for audits only" },
	[PLACE_IN_OTHER] = { "in-other", "names: elsewhere", "nothing of the protocol is there" },
	[PLACE_ALL] = { "all", "everything (syncfs)", NULL },
};

static bool starts(const char *path, const char *with)
{
	return strncmp(path, with, strlen(with)) == 0;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool place_is_temporary(const char *path)
{
	return starts(last_part(path), ".tmp");
}

enum place place_of_file(const char *path)
{
	const char *name = last_part(path);

	if (strcmp(path, PLACE_LEDGER "/.state/wal") == 0)
		return PLACE_WAL;
	if (strcmp(path, PLACE_LEDGER "/.state/ids.idx") == 0)
		return PLACE_IDS;
	if (strcmp(path, PLACE_LEDGER "/checkpoint") == 0)
		return PLACE_CHECKPOINT;
	if (starts(path, PLACE_LEDGER "/checkpoints/"))
		return PLACE_KEPT;
	if (starts(path, PLACE_LEDGER "/objects/"))
		return PLACE_OBJECT;
	if (starts(path, PLACE_LEDGER "/tile/entries/"))
		return PLACE_BUNDLE;
	if (starts(path, PLACE_LEDGER "/tile/"))
		return PLACE_TILE;
	if (starts(path, PLACE_KEYS "/") && strlen(name) > 5 && strcmp(name + strlen(name) - 5, ".head") == 0)
		return PLACE_HEAD;
	return PLACE_OTHER;
}

enum place place_of_names(const char *dir, bool of_dirs)
{
	if (strcmp(dir, PLACE_LEDGER) == 0)
		return of_dirs ? PLACE_IN_LEDGER_DIRS : PLACE_IN_LEDGER;
	if (strcmp(dir, PLACE_KEYS) == 0)
		return PLACE_IN_KEYS;
	if (strcmp(dir, PLACE_LEDGER "/.state") == 0)
		return PLACE_IN_STATE;
	if (starts(dir, PLACE_LEDGER "/objects"))
		return of_dirs ? PLACE_IN_OBJECTS_DIRS : PLACE_IN_OBJECTS;
	if (starts(dir, PLACE_LEDGER "/tile"))
		return of_dirs ? PLACE_IN_TILES_DIRS : PLACE_IN_TILES;
	return starts(dir, PLACE_LEDGER "/checkpoints") ? PLACE_IN_KEPT : PLACE_IN_OTHER;
}

const char *place_word(enum place p)
{
	return places[p].word;
}

const char *place_text(enum place p)
{
	return places[p].text;
}

const char *place_spared(enum place p)
{
	return places[p].spared;
}
