/*
 * A finding means the user's data is odd: a stable code, a place and a sentence. Findings are data
 * and flow to the sink like any event; nothing here prints.
 *
 * A list keeps at most `limit` findings whole and counts the rest, by code, so that a file with a
 * million faults needs no more memory than one with fifty. Those kept are the first ones, but a code
 * that repeats makes room for others: the one error behind a thousand warnings is always there.
 */
#ifndef BASE_FINDING_H
#define BASE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum severity { SEV_INFO, SEV_WARNING, SEV_ERROR };

struct place {
	uint64_t line;   /* 1-based; 0 when the whole file is meant */
	uint64_t column; /* 1-based, in code points */
	uint64_t offset; /* bytes from the start of the (decompressed) input */
};

struct finding {
	const char *code; /* static, "E_DUP_KEY" */
	enum severity severity;
	struct place at;
	struct str pointer; /* RFC 6901, "" for the whole record */
	struct str message;
	struct str excerpt;       /* bytes around the place, raw; empty when there is none */
	size_t mark, mark_length; /* the place inside the excerpt, in bytes */
};

struct finding_count {
	const char *code;
	enum severity severity;
	uint64_t count;
	size_t kept;
};

struct findings {
	struct arena *arena; /* holds what the findings point to; the caller's */
	struct finding *kept;
	size_t kept_count, kept_cap, limit;
	struct finding_count *counts; /* one per code, in order of first appearance; by first place once sorted */
	size_t counts_count, counts_cap;
	uint64_t errors, warnings, infos;
};

/* `limit` 0 keeps every finding. */
void findings_init(struct findings *list, struct arena *arena, size_t limit);

/* Whether a finding with this code would be kept whole; if not, findings_count will do for it. */
bool findings_wants(const struct findings *list, const char *code, enum severity severity);
void findings_count(struct findings *list, const char *code, enum severity severity);

/*
 * Copies what the finding points to into the list's arena, without whatever may be a key or a password (see
 * mask.h): a report is shown to more people than the data.
 */
void findings_add(struct findings *list, const struct finding *f);

/* Adds what another list has, kept or counted. */
void findings_merge(struct findings *list, const struct findings *from);

/* Orders those kept by their places, findings about the whole file last; and the counts likewise. */
void findings_sort(struct findings *list);

/*
 * Points the finding at `length` bytes from `at` on in a line: sets its place, excerpt and mark. `line`
 * is the line's number and `origin` its offset in the input. The excerpt points into the line and is
 * cut to what a report could show, between words where it can be.
 */
void finding_point(struct finding *f, struct str text, uint64_t line, uint64_t origin, size_t at, size_t length);

/* "error", "warning", "info". */
const char *severity_name(enum severity s);

/* Where a rule applies. */
enum rule_scope {
	RULE_RECORD, /* one line or document, whatever stands beside it */
	RULE_FILE,   /* what lies between the records of a file */
};

/* A rule's severity in another mode than the default one. */
enum rule_mode_severity { RULE_SAME, RULE_INFO, RULE_WARNING, RULE_ERROR };

/* A row of a format's rules: what 'explain' and the reports say about a code. */
struct rule {
	const char *code;
	enum severity severity;
	const char *sentence; /* what is wrong, in general */
	const char *help;     /* what to do about it */
	const char *section;  /* where it is written */
	/* The rest may be left out. */
	enum rule_scope scope;
	enum rule_mode_severity in_strict, in_permissive;
	const char *why;     /* what goes wrong for a reader when the rule is broken */
	const char *example; /* a piece of a record that breaks it */
};

#endif
