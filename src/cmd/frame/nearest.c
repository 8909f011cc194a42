/* Distances are edits of single characters (str_distance), counted up to NEAR and no further. */
#include "cmd/frame/nearest.h"

#include <stdio.h>

#define NEAR 2

void nearest_init(struct nearest *n, struct str word)
{
	*n = (struct nearest){ .word = word, .distance = NEAR + 1 };
	if (word.n <= NEAR)
		n->distance = word.n; /* two edits turn any two letters into any others */
}

void nearest_offer(struct nearest *n, struct str candidate)
{
	size_t distance = str_distance(n->word, candidate, NEAR);

	if (distance < n->distance) {
		n->best = candidate;
		n->distance = distance;
	}
}

const char *nearest_help(const struct nearest *n, char *out, size_t size, const char *prefix)
{
	if (!n->best.p)
		return NULL;
	snprintf(out, size, "did you mean '%s%.*s'?", prefix, STR_ARG(n->best));
	return out;
}
