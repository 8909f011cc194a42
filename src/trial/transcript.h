/*
 * The transcript of an agent's run, wherever it lies: the door for whoever reads what an agent said and did. It is the
 * trajectory where there is one, else the conversation; any other log that can be read will do. An agent-trace is no
 * transcript: it has no messages.
 */
#ifndef TRIAL_TRANSCRIPT_H
#define TRIAL_TRANSCRIPT_H

#include "base/arena.h"
#include "base/err.h"
#include "dialect/dialect.h"
#include "model/event.h"
#include "source/source.h"

/* How it is read. */
struct transcript_how {
	unsigned jobs;
	void (*tick)(void *context, const struct source *from); /* may be NULL */
	void *context;
};

/* Whose rules hold for its events. */
enum transcript_kind { TRANSCRIPT_TRAJECTORY, TRANSCRIPT_CONVERSATION, TRANSCRIPT_OTHER, TRANSCRIPT_NONE };

enum transcript_kind transcript_kind_of(const struct dialect *from); /* NONE: an agent-trace */

/* By the rule of the format, doc/trials.md: whether the result `e` tells of an error. */
bool transcript_is_error(enum transcript_kind kind, const struct event *e);

/* A trial record on the way to it. */
struct transcript_record {
	struct str trial_id, experiment_id; /* p NULL when the record does not say */
	double reward;                      /* NaN when it does not say */
};

/* Texts live in the arena. */
struct transcript {
	struct str path;     /* of the last file that was read; p NULL: there is none */
	const struct dialect *from; /* its format; NULL: none */
	uint64_t unreadable; /* lines that could not be read, a last one that breaks off among them */
	bool by_record;      /* `record` led to it */
	struct transcript_record record;
};

/* Who takes its events: of a trajectory or conversation as each line gives them, of others when they are finished. */
struct transcript_taker {
	void (*begin)(void *own, enum transcript_kind kind); /* events of a file follow */
	void (*event)(void *own, const struct event *e);
	void *own;
};

/*
 * Reads the transcript that `path` names: a trajectory, a conversation or another log; a trial record, whose
 * trajectory_path is tried first and then its conversation_path (relative to the record's directory or up to two above
 * it, else what a ledger has sealed with it, else the file of that name beside the record); a directory, of which it
 * is trajectory.jsonl, else conversation.jsonl; the agent-trace.jsonl of such a directory; or "-". False and *err when
 * that cannot be read. No transcript is no failure: out->path is not set then.
 */
bool transcript_load(struct arena *a, struct str path, const struct transcript_how *how,
		     const struct transcript_taker *taker, struct transcript *out, struct err *err);

#endif
