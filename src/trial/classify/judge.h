/*
 * A model that is asked which bonds turns are. It gets five turns at a time, with the three before them so that it sees
 * what they answer to, at temperature 0, and must name a bond and a confidence for each. What is sent is content: keys
 * in it are hidden, everything else is as it was said. One question is under way at a time; 429, 503 and lost
 * connections are tried again as in a benchmark (transform/backoff.h).
 */
#ifndef TRIAL_CLASSIFY_JUDGE_H
#define TRIAL_CLASSIFY_JUDGE_H

#include "provider/provider.h"
#include "transform/price.h"
#include "trial/classify/classify.h"

#define JUDGE_BATCH 5   /* turns of a question */
#define JUDGE_CONTEXT 3 /* turns before them */

struct judge_options {
	const struct provider *provider;
	struct provider_options reach;
	struct str model, thinking;   /* thinking: p NULL for none */
	const struct prices *prices;
	uint64_t timeout_ms;          /* of an answer; 0: none */
	uint64_t retry_ms;            /* the base of the waits; 0: BACKOFF_BASE_MS */
	bool whole;                   /* do not stream */
	/* What it is waiting for, for people; may be NULL. */
	void (*tell)(void *context, struct str text);
	void *context;
};

/* What was asked so far. Tokens and dollars are those of the answers that came, and not known when one did not say. */
struct judge_use {
	uint64_t questions, retries;
	struct figure input_tokens, output_tokens;
	struct amount usd;
};

/* NULL and *err as provider_open. The options must live as long; close takes NULL too. */
struct classify_judge *classify_judge_open(const struct judge_options *o, struct err *err);
void classify_judge_close(struct classify_judge *j);
struct judge_use classify_judge_used(const struct classify_judge *j);

/* "sha256:..." over the instructions that go with every question. In the arena. */
struct str classify_judge_digest(struct arena *a);

/*
 * Asks for all turns. False and *err: ERR_IO when an answer could not be had, ERR_DATA when it is none or leaves out a
 * turn. Rationales live in the arena.
 */
bool classify_judge_turns(struct classify_judge *j, struct arena *a, const struct turns *t, struct classify_turn *out,
			  struct err *err);

/* ---- the two halves, without a model ---- */

/* The question about turns [from, to), which are at most JUDGE_BATCH. In the arena. */
struct str judge_question(struct arena *a, const struct turns *t, size_t from, size_t to);

/*
 * Reads a reply about turns [from, to) into out[0 ...]: {"classifications": [{turn_index, bond_type, confidence,
 * rationale}]}, alone or in a fence. Entries that are malformed, about other turns, or about one that has an entry
 * already are skipped. False with ERR_DATA when it is no such reply, or when a turn is left.
 */
bool judge_read_reply(struct arena *a, struct str reply, size_t from, size_t to, struct classify_turn *out,
		      struct err *err);

#endif
