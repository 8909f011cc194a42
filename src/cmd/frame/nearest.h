/* "Did you mean": the candidate closest to a word the user wrote, when it is close enough. */
#ifndef CMD_FRAME_NEAREST_H
#define CMD_FRAME_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct nearest {
	struct str word;
	struct str best; /* borrowed from the candidates; p is NULL when none is near */
	size_t distance; /* edits to `best`; before there is one, what it must be below */
};

/* Begins a search for the name nearest to `word`, which must live as long as it. */
void nearest_init(struct nearest *n, struct str word);

/*
 * Takes the candidate, which must live as long as the search, if it is nearer than the best so far: at most two edits
 * away, and fewer than the word has characters. Among equals the first one stays.
 */
void nearest_offer(struct nearest *n, struct str candidate);

/*
 * Writes "did you mean '--json'?" with `prefix` before the candidate into `out`, cut to its size, and gives `out`. NULL
 * when nothing is near; `out` is untouched then.
 */
const char *nearest_help(const struct nearest *n, char *out, size_t size, const char *prefix);

/* A word that must be one of a list, for what is said when it is none. */
struct choice {
	const char *option;  /* "--to" */
	const char *noun;    /* what the words are: "target" */
	const char *example; /* one of them */
	const char *(*name)(size_t i); /* the words; NULL behind the last */
};

/* ERR_USAGE for a word that is not in the list, or was not given at all (p NULL); lists all of them. Always false. */
bool nearest_refuse(const struct choice *c, struct str word, struct err *err);

#endif
