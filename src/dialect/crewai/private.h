/* What the scan of CrewAI's events (event.c) tells the fold (fold.c). */
#ifndef DIALECT_CREWAI_PRIVATE_H
#define DIALECT_CREWAI_PRIVATE_H

#include "dialect/reading/reading.h"
#include "model/assemble.h"

enum crewai_what {
	CREWAI_OTHER,
	CREWAI_BATCH,     /* NOTE: a batch of events was announced; `run` and `version` are of the next kickoff */
	CREWAI_KICKOFF,   /* RUN_START */
	CREWAI_ENDED,     /* RUN_END */
	CREWAI_TOTAL,     /* COST: of the run, unless its steps say it */
	CREWAI_ASKED,     /* NOTE: a call of the model began */
	CREWAI_PIECE,     /* STEP: a part of its answer */
	CREWAI_ANSWERED,  /* STEP: the answer */
	CREWAI_WANTED,    /* CALL: that the answer asks for */
	CREWAI_FAILED,    /* ERROR: there is none */
	CREWAI_STARTED,   /* CALL: a tool began */
	CREWAI_OVER,      /* CALL: the same told again when it ended; the RESULT follows */
	CREWAI_RESULT,    /* RESULT: of the call before */
	CREWAI_FAULT,     /* ERROR: of a tool that may be running */
	CREWAI_EXCHANGE,  /* any: of an answer of a model's service that the same log has; its STEP is the first */
};

/* The hint of every event that requests do not tell again (those have none of ours). Texts live in the batch. */
struct crewai_hint {
	enum crewai_what what;
	struct str event, parent, started; /* ids: its own, of the one around it, of the one that it ends */
	struct str role; /* of the agent */
	struct str call; /* the id of a call of the model, where versions have one */
	struct str run, version;
};

/* One value: an event, a request that carries events, or a list of them. What is none of these is kept in a NOTE. */
void crewai_read_value(struct reading *r, struct val v);

/* How well a value fits, as struct dialect has it. */
int crewai_fits(struct val v);

/* As struct read_ops has them. */
void *crewai_fold_open(void);
void crewai_fold_close(void *fold);
bool crewai_fold(void *fold, const struct event *e, struct assemble *as, struct err *err);
bool crewai_fold_end(void *fold, struct assemble *as, struct err *err);

#endif
