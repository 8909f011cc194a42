/*
 * What rules see of a turn: its texts made comparable, its command lines taken apart, its shape. Made once for a turn,
 * then every rule is held against it.
 */
#ifndef TRIAL_CLASSIFY_LOOK_H
#define TRIAL_CLASSIFY_LOOK_H

#include "base/arena.h"
#include "base/buf.h"
#include "trial/classify/rules.h"
#include "trial/classify/turns.h"

struct json_parser;

struct look {
	struct str said;      /* words in lower case with a space around each, of text and thought; code left out */
	struct str opening;   /* the same of what was said aloud, or of the thought when nothing was */
	struct str *commands; /* the same of each command: the program without its directory, then its words */
	size_t command_count, command_cap;
	struct str args;      /* values of arguments, a line each */
	const struct turn *turn;
	bool asks, asks_last;
	unsigned shapes;      /* 1 << enum rules_shape */
	uint64_t length;      /* characters of what was said */
	enum rules_after after;
	bool is_first, is_last;
};

/* A space, words in lower case each followed by a space: " wait let's see "; " " without any. In the arena. */
struct str look_words(struct arena *a, struct str text);

/* Looks at turn `i`; everything lives in the arena. */
void look_at(struct look *l, struct arena *a, struct json_parser *p, const struct turns *t, size_t i);

/* The first pattern of the rule that holds for the turn; NULL: none does. */
const struct rules_pattern *look_find(const struct look *l, const struct rules_row *r);

#endif
