/*
 * Trace signals: what an agent's transcript says about the run at a glance. How many turns, messages, calls and errors
 * there were, the first error, whether the output was written. See doc/trials.md for each rule.
 *
 * The transcript is a trajectory where there is one, else a conversation; any other log that can be read will do. An
 * agent-trace is no transcript: it has no messages.
 */
#ifndef TRIAL_SIGNALS_H
#define TRIAL_SIGNALS_H

#include "trial/transcript.h"

#define SIGNALS_ERROR 200 /* characters of the first error */
#define SIGNALS_TOOLS 500 /* the rest is counted as one */

struct signals_tool {
	struct str name;
	uint64_t calls, errors; /* errors: results that failed, of those whose call is known */
};

/* All zero without a transcript. Texts live in the arena of signals_load. */
struct signals {
	bool has_transcript;
	uint64_t turns;          /* answers of the model */
	uint64_t total_messages, assistant_messages;
	uint64_t tool_calls, tool_results, tool_errors;
	struct str first_error;  /* of the first error that has a text; p NULL: none. Keys in it are hidden */
	bool wrote_output;       /* a call names output.md or output.jsonl */
	double tool_seconds;     /* of the results that tell how long they took */
	uint64_t timed_results;  /* so many */
	struct signals_tool *tools; /* in the order of their first calls */
	size_t tool_count, tool_cap;
	uint64_t compactions;    /* of the model's context */
	uint64_t results_hidden; /* by them, of those that tell */
	uint64_t refetched;      /* hidden results that were asked for again */
	/* where they are from */
	struct str path;     /* p NULL without a transcript */
	const char *format;  /* "trajectory"; NULL without a transcript */
	uint64_t unreadable; /* lines of it */
};

/*
 * The signals of the transcript that `path` names, by the rules of transcript_load. False and *err when it cannot be
 * read. No transcript is no failure.
 */
bool signals_load(struct arena *a, struct str path, const struct transcript_how *how, struct signals *out,
		  struct err *err);

/*
 * The same for who has the events already: *out is filled in as they are added. Texts live in the arena, *out as long
 * as the fold. path, format and unreadable stay as they are.
 */
struct signals_fold;
struct signals_fold *signals_open(struct arena *a, struct signals *out);
void signals_begin(struct signals_fold *f, const struct dialect *from); /* whose events follow: each has its rules */
void signals_add(struct signals_fold *f, const struct event *e);
void signals_close(struct signals_fold *f);

/* For transcript_load: takes the events, and then where they are from (path, format, unreadable; texts borrowed). */
struct transcript_taker signals_taker(struct signals_fold *f);
void signals_end(struct signals_fold *f, const struct transcript *from);

#endif
