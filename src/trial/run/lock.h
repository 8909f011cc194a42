/*
 * A lock: what decided how a trial came out, as digests and names. Two trials with equal locks are the same experiment.
 * The lock is stored with each record (outputs.agent_result.trackway.lock).
 */
#ifndef TRIAL_RUN_LOCK_H
#define TRIAL_RUN_LOCK_H

#include "base/arena.h"
#include "base/crypto/sha256.h"
#include "base/err.h"
#include "json/write.h"

#define LOCK_SCHEMA "trackway.trial-lock/1"

enum lock_member {
	LOCK_TASK_REVISION,
	LOCK_VERIFIER,
	LOCK_TASK_REST, /* the task without tests/ and solution/ */
	LOCK_ADAPTER,
	LOCK_ADAPTER_REVISION,
	LOCK_CONFIGURATION,
	LOCK_MODEL,
	LOCK_PROMPTS,
	LOCK_ISOLATION,
	LOCK_K,
	LOCK_SEED,
	LOCK_MEMBERS,
};

/* The name in the JSON: "verifier_sha256". A constant. */
const char *lock_member_name(enum lock_member m);

/* Each as text: digests as hex, numbers in decimal; p NULL: not known (an imported trial has no lock). */
struct lock {
	struct str members[LOCK_MEMBERS];
};

/* The text of a digest, in the arena. */
struct str lock_digest(struct arena *a, struct digest d);

/* The whole object; K and seed are numbers, what is not known is null. */
void lock_put(struct json_writer *w, const struct lock *l);

/*
 * Reads one: a lock, or a trial record that holds one. False and *err (ERR_DATA), which begins with `name`, when it is
 * neither. Texts lie in the arena.
 */
bool lock_read(struct arena *a, struct str name, struct str json, struct lock *out, struct err *err);

enum lock_answer { LOCK_REUSE, LOCK_REGRADE, LOCK_RERUN };

/* "reuse", "regrade", "rerun"; a constant. */
const char *lock_answer_name(enum lock_answer a);

struct lock_difference {
	enum lock_answer answer;
	enum lock_member first; /* that differs; means nothing for LOCK_REUSE */
};

/*
 * Equal locks: the result of one is that of the other. Only the verifier differs (and with it the revision of the whole
 * task): what the agent left can be judged again. Anything else, also what one of them does not know: run it again.
 */
struct lock_difference lock_compare(const struct lock *a, const struct lock *b);

#endif
