/*
 * The shapes of vendors' keys: 71 published rules and our own, as rows of a table. A rule with several beginnings has a
 * row for each, so that every row is a literal, what follows it and what must come after; that keeps the
 * expressions cheap for the scanner, says which part is public, and lets mask.c work without a scanner.
 *
 * The shapes are facts taken from the rules of gitleaks (github.com/gitleaks/gitleaks, config/gitleaks.toml
 * at commit b58d3f102cf3, MIT). One is narrower here: 40 hexadecimal digits are a Sourcegraph token only
 * behind that name, or every git commit would be one. One is wider: an Airtable token needs no name near it. The
 * last rows are ours: services of today, and values that only the name before them makes a key.
 */
#ifndef BASE_CRYPTO_SECRET_RULES_H
#define BASE_CRYPTO_SECRET_RULES_H

#include <stdbool.h>
#include <stddef.h>

enum secret_flag {
	SECRET_WORD = 1,     /* begins at a word boundary */
	SECRET_CASELESS = 2, /* the literal as well */
	SECRET_HEAD = 4,     /* the expression takes one byte before the key, unless that is the text's first */
	SECRET_BLOCK = 8,    /* the expression is the first line of a block, which ends with another */
	SECRET_NAMED = 16,   /* the expression begins with a name; the key follows a sign or a blank */
	SECRET_ALONE = 32,   /* not behind '-' or '+', where it would be a piece of something encoded */
};

/* What must come after a key and is no part of it. */
enum secret_tail {
	SECRET_TAIL_NONE,
	SECRET_TAIL_QUOTE, /* the end, a quote, white space, a semicolon, an escaped line end */
	SECRET_TAIL_TOKEN, /* the end, or what is neither a word's byte nor a hyphen */
	SECRET_TAIL_AZURE, /* the end, a quote, white space, one of \ < ) , */
};

/* Keys of the right shape which are known to be none. */
enum secret_allow {
	SECRET_ALLOW_NONE,
	SECRET_ALLOW_EXAMPLE, /* ends in EXAMPLE */
	SECRET_ALLOW_GOOGLE,  /* keys of public example projects */
	SECRET_ALLOW_LETTERS, /* "s." and 24 letters: a member of something in program text */
	SECRET_ALLOW_KNOWN,   /* begins as the key of a row does: that row decides */
};

struct secret_rule {
	const char *id;      /* gitleaks' name of the rule */
	const char *service; /* ours, for "this resembles ...": "an OpenAI key" */
	const char *lead;    /* the literal it begins with; public */
	const char *rest;    /* the expression of what follows */
	unsigned flags;
	enum secret_tail tail;
	enum secret_allow allow;
	unsigned least, most; /* bytes of a key, '=' at its end not counted where a limit applies; 0: no limit */
	double entropy;       /* bits per byte that a key must exceed; 0: not asked */
};

extern const struct secret_rule secret_rules[];
extern const size_t secret_rules_count;

#define SECRET_RULES_MAX 200 /* not below secret_rules_count */
#define SECRET_EXPRESSION_MAX 512

/* The expression of a row without its tail, or with it, terminated. */
void secret_rules_body(const struct secret_rule *r, char out[SECRET_EXPRESSION_MAX]);
void secret_rules_expression(const struct secret_rule *r, char out[SECRET_EXPRESSION_MAX]);

/* True when the end of a match tells where it begins, so that Hyperscan need not keep track of that. */
bool secret_rules_has_start(const struct secret_rule *r);

#endif
