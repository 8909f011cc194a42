/*
 * Sends bodies of OTLP to the receiver of a plan, one after the other over one connection, and waits for each answer.
 * What it does with an answer:
 *
 *	2xx                       taken; what the receiver rejected is counted, and never sent again
 *	429, 502, 503, 504        sent again, not before the time that Retry-After names (seconds or a date)
 *	no answer in time, cut    sent again
 *	any other                 an error with the receiver's own words (google.rpc.Status)
 *
 * Redirections are not followed: nobody should learn by one where spans go, and with which key. The waits are those of
 * transform/backoff.h; plan->tries and plan->budget_ms bound them. Spans have ids that do not change from try to try,
 * so a body that comes twice does no harm.
 */
#ifndef SINK_PUSH_PUSH_H
#define SINK_PUSH_PUSH_H

#include "sink/push/plan.h"

#define PUSH_ANSWER_MOST ((size_t)4 << 20) /* bytes of an answer, as the protocol has it */

struct push;

struct push_result {
	int status;         /* of the last answer; 0: none came */
	unsigned tries;
	uint64_t rejected;  /* spans or data points that the receiver did not take */
	struct str message; /* what it said, or we of its answer: one line, fit to be shown; empty: nothing */
};

/* How a push waits and tells. All may be NULL or 0. */
struct push_hooks {
	/* A sentence about a try that failed and the next one: "POST http://...: 503 ...; trying again in 2 s". */
	void (*retrying)(void *own, struct str sentence);
	/* Instead of the clock, for tests: milliseconds from some time on, and a wait. False: asked to stop. */
	uint64_t (*now_ms)(void *own);
	bool (*wait)(void *own, uint64_t ms);
	void *own;
	uint64_t seed; /* of the jitter */
};

/* Never NULL. The plan must outlive it. Nothing is sent yet. */
struct push *push_open(const struct push_plan *plan, const struct push_hooks *hooks);
void push_close(struct push *p); /* NULL is fine */

/*
 * Sends one body, packed if the plan says so, until it is taken or that is hopeless. True: it was taken; see
 * out->rejected. False and ERR_IO: it was not; *err has method, address, status, the receiver's words and the remedy.
 * *out is filled in both cases; its message lives until the next call.
 */
bool push_send(struct push *p, struct str body, struct push_result *out, struct err *err);

#endif
