/* How a request begins: beside others, as the same again, or inside a call. Parts of the run graph. */
#ifndef CAPTURE_GRAPH_RUN_GRAPH_BEGIN_H
#define CAPTURE_GRAPH_RUN_GRAPH_BEGIN_H

#include "capture/graph/run_graph_private.h"

/* ---- run_graph_fan.c ---- */

/* Sets the parents of an exchange: the base first, then those inputs that are not in it. */
void run_graph_set_parents(struct run_graph_open *x, const struct run_graph_ids *base,
			   const struct run_graph_ids *inputs);

/* Others with the same parents are on their way: they and this one are a fan_out. Nothing when there are none. */
void run_graph_fan_out(struct run_graph *w, struct run_graph_open *x);

/* The same request is on its way: both hang on a speculative branch, which takes over the parents of the first. */
void run_graph_speculate(struct run_graph *w, struct run_graph_open *twin, struct run_graph_open *x);

/* The branch that an exchange hangs on is written, if it was not yet: nothing can join it any more. */
void run_graph_end_fan(struct run_graph *w, const struct run_graph_open *x);
void run_graph_fans_free(struct run_graph *w);

/* ---- run_graph_repeat.c ---- */

/* The same request, on its way; NULL when there is none. */
struct run_graph_open *run_graph_find_twin(const struct run_graph *w, const struct run_graph_open *x);

/* The same request failed before: a retry node is its parent. False, and nothing is set, when none did. */
bool run_graph_retry(struct run_graph *w, struct run_graph_open *x);
void run_graph_note_failure(struct run_graph *w, const struct run_graph_open *x, int64_t ended_ns);

/* The same request was asked before: its parents. False, and nothing is set, when it is not remembered. */
bool run_graph_resample(struct run_graph *w, struct run_graph_open *x);
void run_graph_note_asked(struct run_graph *w, const struct run_graph_open *x);
void run_graph_asked_free(struct run_graph *w);

/* ---- run_graph_agents.c: conversations that begin inside a call ---- */

/* An agent that its headers name: adds the call of its parent's in which it began, or else the parent's latest. */
void run_graph_begin_agent(struct run_graph *w, const struct observation *s, struct run_graph_ids *parents);

/*
 * A conversation that begins with an argument of a call that waits, or in a trace with one: the call is added, and the
 * exchange is a sub-agent's. `claimed`: of the calls in which one began already. False when none fits, or several do.
 */
bool run_graph_adopt(struct run_graph *w, struct run_graph_open *x, const struct observation *s, bool claimed,
		     struct run_graph_ids *parents);

/* Another agent takes the conversation over: the call that said so is over, and added. False when there is none. */
bool run_graph_hand_off(struct run_graph *w, struct run_graph_open *x, const struct observation *s,
			struct run_graph_ids *parents);

/* Whether a call of this name begins an agent, where that is not told by anything else. */
bool run_graph_is_spawn(struct str name);

#endif
