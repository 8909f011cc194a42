/*
 * The plain parser: one byte at a time, exact about places, the reference for the fast variants and
 * the only one that is lenient. It builds the same tape as they do.
 *
 * Strict: stops at the first thing wrong. Lenient, for logs that others wrote: goes on after NaN and
 * Infinity (also with a sign), duplicate names (the last wins, val_get sees to that), lone surrogates,
 * a byte order mark and ill-formed UTF-8 inside strings, and reports each.
 */
#ifndef JSON_SLOW_H
#define JSON_SLOW_H

#include "json/issue.h"
#include "json/json.h"
#include "json/shape.h"

struct slow_tape { /* growing tokens */
	struct json_tok *toks;
	uint32_t count, cap;
};

struct slow {
	/* in */
	struct str text;
	struct json_options options;
	bool lenient;
	bool single; /* nothing but white space may follow the value (E_TRAILING) */
	const char *expected; /* what the value is called in messages; NULL means "a JSON value" */
	/* in and out */
	struct slow_tape *tape;      /* tokens are added; heap of base, freed by slow_tape_free */
	struct json_shapes *shapes;
	struct arena *arena;         /* pointers of issues; scratch */
	struct issue_mark mark;      /* lines counted so far; zero at first, kept from value to value */
	/* out */
	size_t end;                  /* strict and lenient: offset after the value */
	struct json_issue issue;     /* strict: the first one */
	/* lenient: every issue is handed over as it is met, the last one too; its pointer lasts for the call */
	void (*report)(void *context, const struct json_issue *issue);
	void *context;
};

/*
 * Reads one value starting at `at` (white space before it is skipped). True when there is one; its
 * root is the token at the tape's old count. False: s->issue says why, the tape is as it was.
 */
bool slow_parse(struct slow *s, size_t at);

/* The same with the options, tape, names and memory of a parser; the value is that parser's. */
bool slow_parse_for(struct json_parser *p, struct slow *s, size_t at, struct val *out);

/*
 * Reads the name of a member, of which s->text is the beginning, quote first; adds its token, without
 * a number. False as for slow_parse.
 */
bool slow_parse_name(struct slow *s);

/* A name's bytes with every lone surrogate kept apart from the others; at most raw.n of them. */
size_t slow_unescape_name(char *out, struct str raw);

/* A tape without tokens, which grows as slow_parse adds to it; slow_tape_free gives the memory back. */
void slow_tape_init(struct slow_tape *t);
void slow_tape_free(struct slow_tape *t);

#endif
