/*
 * The turns of a transcript, as a classifier looks at them: what the model said in an answer, what it called, and how
 * that went. Turns are those of the trace signals: every answer of the model, sub-agents' among them, in the order of
 * the log; those of a warm-up never count. Texts are kept up to a limit each, so that one huge answer costs no more
 * than others.
 */
#ifndef TRIAL_CLASSIFY_TURNS_H
#define TRIAL_CLASSIFY_TURNS_H

#include "base/map.h"
#include "trial/transcript.h"

#define TURNS_TEXT ((size_t)32 << 10)   /* bytes of a text or of arguments that are looked at */
#define TURNS_RESULT ((size_t)1 << 10)  /* bytes of results that are kept of a turn */
#define TURNS_CALLS 64                  /* calls of a turn that are looked at */

struct turn_call {
	struct str tool; /* the bare name */
	struct str args; /* JSON, or other text; p NULL: the log has none */
};

struct turn {
	struct str text, thought; /* p NULL when the log has none */
	struct turn_call *calls;
	size_t call_count, call_cap;
	uint64_t all_calls;       /* those beyond TURNS_CALLS among them */
	uint64_t results, errors; /* of its calls */
	struct str result;        /* the beginning of what they gave, as JSON; p NULL for none */
};

struct turns {
	struct arena *arena; /* of all texts */
	struct transcript from;
	struct turn *items;
	size_t count, cap;
	bool has_content; /* something was said, or a call has its arguments */
	/* of the fold */
	enum transcript_kind kind;
	struct map latest; /* turn of each branch + 1 */
};

/* The turns of what `path` names, by the rules of transcript_load. False and *err when it cannot be read. */
bool turns_load(struct turns *t, struct arena *a, struct str path, const struct transcript_how *how, struct err *err);

/* For who reads the transcript for others too: what takes its events; t->from is to be set when they are read. */
struct transcript_taker turns_open(struct turns *t, struct arena *a);

/*
 * Whether they can be classified. False with ERR_DATA, and why, for a path without a transcript, for a trace without
 * content, and for a transcript in which the model never answers.
 */
bool turns_check(const struct turns *t, struct str path, struct err *err);

#endif
