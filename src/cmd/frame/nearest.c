/* Distances are edits of single characters (str_distance), counted up to NEAR and no further. */
#include "cmd/frame/nearest.h"

#include <stdio.h>

#include "base/buf.h"
#include "cmd/frame/command.h"

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

bool nearest_refuse(const struct choice *c, struct str word, struct err *err)
{
	struct nearest near;
	struct buf list;
	char text[100];
	const char *help;

	nearest_init(&near, word);
	buf_init(&list);
	for (size_t i = 0; c->name(i); i++) {
		buf_printf(&list, "%s%s", i ? ", " : "", c->name(i));
		if (word.p)
			nearest_offer(&near, str_from(c->name(i)));
	}
	help = nearest_help(&near, text, sizeof(text), "");
	if (!help)
		snprintf(text, sizeof(text), word.p ? "give one of these to %s" : "add %s %s, for example", c->option,
			 c->example);
	if (word.p)
		usage_set(err, help ? help : text, "'%.*s' is not a %s; the %ss: %.*s", STR_ARG(word), c->noun, c->noun,
			  STR_ARG(buf_str(&list)));
	else
		usage_set(err, text, "%s is missing; one of: %.*s", c->option, STR_ARG(buf_str(&list)));
	buf_free(&list);
	return false;
}
