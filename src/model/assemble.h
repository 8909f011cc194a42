/*
 * Puts a run together. Dialects say what each line of a log says, in the order of the log, and nothing more;
 * here pieces become steps, calls meet their results, and what a log leaves out is filled in and marked.
 * Every trap that several vendors share is dealt with here, once.
 *
 * What comes in, per branch, in the order of the source:
 *  - RUN_START. Without one a run begins with its first event. Another one ends the run before it.
 *    A RUN_START with the same run id as the run at hand, or with none while one is at hand, only adds
 *    to it what it did not know (extras are kept as notes).
 *  - STEP: all with the same id (and branch) are one. Texts are joined in order, of each usage figure the
 *    largest is kept (usage of the one with the largest output wins as a whole, see usage_merge), the last
 *    stop_reason that is not absent, the last ts. A STEP without an id (step.p NULL) is one of its own
 *    unless it is a PIECE, which belongs to the latest of the branch.
 *    EVENT_WHOLE: forget the pieces so far, calls included. EVENT_FALLBACK pieces count only if no other came.
 *  - CALL: belongs to its step (or the latest of the branch; without any, a step is not made up). PIECEs with
 *    equal index (or an id seen before in the step) are joined; args_text is parsed when the step is closed;
 *    "" means {}; what is no JSON stays a text and is flagged EVENT_RAW_ARGS. No id: "call_<step>_<index>"
 *    is made. An id that the run had before gets "#2", and the original goes to ext trackway/1 "call_id".
 *    The same call told again (same id, same step, or HISTORY) is dropped.
 *  - RESULT: paired by id, the latest call of that id in the branch first, then any branch; without an id
 *    (call.p NULL) with the first open call of the branch. A second result for a call is dropped into a note.
 *    None to pair with: ERROR, class tool, code orphan_result, the payload in ext trackway/1 "result".
 *  - NOTE with a compaction: role and content are made of the results that went out before (compaction.h).
 *  - MESSAGE, NOTE, COST, ERROR pass in their place. A line that breaks off (event_is_torn), and a last step
 *    that does, make a run whose end nobody tells an interrupted one.
 *  - RUN_END, or the end of the part: calls without a result give ERROR, class tool, code no_result.
 *
 * What goes out: per run RUN_START first and RUN_END last, each once; of a step the STEP, then its calls, then
 * whatever came between its pieces; every event with a ts (its own, or that of the event before, marked so);
 * every STEP and CALL with an id, every CALL with its step's; RESULT and ERROR with the id the call got.
 * With ASSEMBLE_STEP_COSTS a COST of scope step follows each STEP that has usage or a stated price. COST events given
 * by the dialect pass. The COSTs of a run add up to its totals: a dialect that has run totals does not ask for step
 * costs.
 *
 * Memory: open steps and calls, with what waits behind them (at most hold_limit bytes: then the oldest step
 * is let go), 16 bytes for each call id of the run, and some 100 for each result, until the run is over.
 */
#ifndef MODEL_ASSEMBLE_H
#define MODEL_ASSEMBLE_H

#include "base/err.h"
#include "model/event.h"

enum assemble_flag {
	ASSEMBLE_STEP_COSTS = 1, /* a COST for each step */
	ASSEMBLE_EXT_MERGE = 2,  /* extras of pieces under one key are merged member by member, the last wins */
				 /* otherwise several become {"pieces":[...]} */
	ASSEMBLE_AS_IS = 4,      /* events are final already (OTUTL): nothing is grouped, paired, filled in */
};

struct assemble_options {
	unsigned flags;
	struct str vendor;   /* for RUN_START when the dialect gives none */
	size_t hold_limit;   /* 0 means 4 MiB */
};

struct assemble;

/*
 * `put` gets finished events, in order; they last for the call. False, with *err, stops everything. Never NULL.
 * assemble_close puts out nothing more.
 */
struct assemble *assemble_open(bool (*put)(void *context, const struct event *e, struct err *err), void *context);
void assemble_close(struct assemble *as);

/* From now on (before the first event of a part). */
void assemble_use(struct assemble *as, struct assemble_options options);

/*
 * The next event of the source; copied as needed. False, with *err, when `put` did not want to go on: nothing more may
 * be added then.
 */
bool assemble_add(struct assemble *as, const struct event *e, struct err *err);

/*
 * The part is over, and its run with it: what waits comes out. `interrupted`: it breaks off; its status, unless a
 * RUN_END says else. False, with *err, as assemble_add.
 */
bool assemble_end(struct assemble *as, bool interrupted, struct err *err);

/* Usage of two lines about one answer: that with the larger output wins; figures only the other knows are kept. */
void usage_merge(struct usage *into, const struct usage *other);

/* Sums of usage: absent and null figures add nothing; a sum is known when any part is, and estimated when any is. */
void usage_add(struct usage *sum, const struct usage *more);

#endif
