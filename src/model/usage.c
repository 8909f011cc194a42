/* Token figures of several pieces or steps as one: the best of each, or the sum. */
#include "model/assemble.h"

#define FIGURES (sizeof(struct usage) / sizeof(struct figure))
_Static_assert(FIGURES == 6, "figure_at lists every figure");

/* The i-th figure, for loops over all of them. */
static struct figure *figure_at(struct usage *u, size_t i)
{
	struct figure *const all[FIGURES] = { &u->input,       &u->output,         &u->cache_read,
					      &u->cache_write, &u->cache_write_1h, &u->reasoning };

	return all[i];
}

void usage_merge(struct usage *into, const struct usage *other)
{
	struct usage winner = *into, loser = *other;

	if (figure_is_known(other->output) &&
	    (!figure_is_known(into->output) || other->output.n >= into->output.n)) {
		winner = *other;
		loser = *into;
	}
	for (size_t i = 0; i < FIGURES; i++)
		if (figure_at(&winner, i)->state < figure_at(&loser, i)->state)
			*figure_at(&winner, i) = *figure_at(&loser, i);
	*into = winner;
}

void usage_add(struct usage *sum, const struct usage *more)
{
	struct usage other = *more;

	for (size_t i = 0; i < FIGURES; i++) {
		struct figure *s = figure_at(sum, i), m = *figure_at(&other, i);

		if (!figure_is_known(m))
			continue;
		if (!figure_is_known(*s))
			*s = (struct figure){ FIGURE_KNOWN, FIGURE_API, 0 };
		s->n = s->n + m.n < s->n ? UINT64_MAX : s->n + m.n;
		if (m.source == FIGURE_ESTIMATED)
			s->source = FIGURE_ESTIMATED;
	}
}
