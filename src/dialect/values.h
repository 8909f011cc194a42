/*
 * Looking at values as several formats do: a walk over the elements of a list, its first element, and which of some
 * names or words are there. Nothing here allocates or marks anything; what is given lives as long as its tape.
 */
#ifndef DIALECT_VALUES_H
#define DIALECT_VALUES_H

#include "json/val.h"

/*
 * A loop over the elements of a list, `v` being the one at hand; no turn when `list`, which is evaluated once, is no
 * array. `break` and `continue` do what they do in any loop: the outer `for` is there for its variable only.
 */
#define VALUES_EACH(v, list) \
	for (struct val_iter v##_walk = val_begin(list); v##_walk.container.tape; v##_walk.container = VAL_NONE) \
		for (struct val v; val_next(&v##_walk, &v);)

/* The first element; VAL_NONE when there is none, or `list` is no array. */
static inline struct val values_first(struct val list)
{
	struct val_iter it = val_begin(list);
	struct val first;

	return val_next(&it, &first) ? first : VAL_NONE;
}

/* How many of these names are members of the object, be they null; 0 when v is no object. */
static inline size_t values_count_names(struct val v, const struct str *names, size_t count)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += val_has(v, names[i]);
	return found;
}

/* Whether v is a string, or a key, that is one of these words. */
static inline bool values_is_word(struct val v, const struct str *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (val_text_is(v, words[i]))
			return true;
	return false;
}

/* The text, or p NULL when it is empty: for ids and names, of which an empty one is none. */
static inline struct str text_or_none(struct str text)
{
	return text.n ? text : str_of(NULL, 0);
}

#endif
