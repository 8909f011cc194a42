/* Token figures of several pieces or steps as one: the best of each, or the sum. */
#include "model/assemble.h"

#define FIGURES (sizeof(struct usage) / sizeof(struct figure))
_Static_assert(FIGURES == 6, "figures_of lists every figure");

static struct figure *figures_of(struct usage *u, struct figure *list[FIGURES])
{
	struct figure *all[FIGURES] = { &u->input,	  &u->output,	      &u->cache_read,
					&u->cache_write, &u->cache_write_1h, &u->reasoning };

	memcpy(list, all, sizeof(all));
	return list[0];
}

void usage_merge(struct usage *into, const struct usage *other)
{
	struct usage winner = *into, loser = *other;
	struct figure *w[FIGURES], *l[FIGURES];

	if (figure_is_known(other->output) &&
	    (!figure_is_known(into->output) || other->output.n >= into->output.n)) {
		winner = *other;
		loser = *into;
	}
	figures_of(&winner, w);
	figures_of(&loser, l);
	for (size_t i = 0; i < FIGURES; i++)
		if (w[i]->state < l[i]->state)
			*w[i] = *l[i];
	*into = winner;
}

void usage_add(struct usage *sum, const struct usage *more)
{
	struct usage other = *more;
	struct figure *s[FIGURES], *m[FIGURES];

	figures_of(sum, s);
	figures_of(&other, m);
	for (size_t i = 0; i < FIGURES; i++) {
		if (!figure_is_known(*m[i]))
			continue;
		if (!figure_is_known(*s[i]))
			*s[i] = (struct figure){ FIGURE_KNOWN, FIGURE_API, 0 };
		s[i]->n = s[i]->n + m[i]->n < s[i]->n ? UINT64_MAX : s[i]->n + m[i]->n;
		if (m[i]->source == FIGURE_ESTIMATED)
			s[i]->source = FIGURE_ESTIMATED;
	}
}
