/*
 * Recording a child: a proxy on a free port of loopback, the environment that leads clients to it, the child, and when
 * it has ended the files of the run. The agent comes first: nothing that goes wrong on our side changes what it
 * sees, how fast it is, or its exit status.
 */
#ifndef CAPTURE_RECORDING_H
#define CAPTURE_RECORDING_H

#include <uv.h>

#include "base/arena.h"
#include "base/err.h"
#include "capture/agents/agents.h"
#include "capture/observe/block_chain.h"
#include "capture/otlp/receiver.h"
#include "capture/run_files.h"

/*
 * Whoever plays the services' part in a run (a replay): servers of its own on the recording's loop, to which the routes
 * lead. Functions may be NULL.
 */
struct recording_stage {
	/* Before the proxy opens. `kill` sends the child a signal once it runs. False and *err end the run at once. */
	bool (*open)(void *context, uv_loop_t *loop, void (*kill)(void *recording, int signal), void *recording,
		     struct err *err);
	/* The child's variables, with what it needs besides; in the arena. */
	const char *const *(*env)(void *context, struct arena *a, const char *const *env);
	/* A request comes: what other processes have told before it is to be taken first. */
	void (*look)(void *context);
	/* The child has ended, or there is none: everything on the loop is to be closed. Once. */
	void (*stop)(void *context);
	unsigned timeout_ms; /* the child is ended after it; 0: never */
	void *context;
};

struct recording_options {
	const char *const *argv; /* NULL-ended */
	const char *const *env;  /* ours; NULL-ended */
	struct routes *routes;
	const struct agent_plan *plan; /* what leads a known agent, made of argv and env; NULL */
	struct str dir;          /* of the run; p NULL: runs/<run_id> */
	bool content, plain, dot;
	bool otlp;               /* only telemetry is taken: nothing leads to the proxy, which passes nothing on */
	bool intercept;          /* TLS to services that are known is intercepted, instead of leading by addresses */
	bool shell;              /* commands are seen, by shims in front of programs */
	struct str program;      /* this program's path */
	bool no_websocket;       /* requests for a WebSocket are answered 426, so that clients use plain HTTP */
	struct guard guard;      /* who may ask besides the clients that are led */
	struct str framework, rig, engine; /* p NULL */
	struct str engine_metrics;         /* an address; p NULL */
	const struct run_tag *tags;
	size_t tag_count;
	struct str budget, retrieval_set; /* declared for the run: JSON, checked; p NULL */
	struct str retrieval_digests;     /* the set as a list of digests */
	const struct prices *prices; /* NULL: no costs */
	struct block_options blocks; /* of prompts, for hash_ids */
	const struct recording_stage *stage; /* NULL: the services themselves */
	struct str forked_from;  /* the run that this one goes on from, as JSON; p NULL: none */
	bool unlisted;           /* the list of runs does not get it */
	int child_out;           /* a descriptor for the child's standard output; 0: ours */
};

/* Something to be told to the user, who also has the child's words before him: at most a line, or a few. */
struct recording_trouble {
	struct recording_trouble *next;
	struct str text;
};

/* A host that the child asked us for as a proxy, with connections by what became of them. */
struct recording_host {
	struct recording_host *next;
	struct str name;   /* with its port where that is not the usual one */
	uint64_t passed;   /* unread */
	uint64_t distrust; /* the client did not trust our certificate */
	uint64_t foreign;  /* the client does not speak HTTP/1.1 */
	bool entered;      /* of others we were trusted */
};

struct recording_outcome {
	struct run_files run;
	struct run_files_end end;
	uint64_t exchanges;  /* requests that came to the proxy */
	uint64_t sightings;  /* what hooks and wrappers told */
	uint64_t refused;    /* of those that no service could be reached for */
	struct str refusal;  /* of the latest: where, and why */
	struct str unpriced; /* "no price for NAME (2 calls)"; empty when all that was counted has one */
	uint64_t strangers;  /* requests that were not let in for their Host or Origin, answered 403 */
	bool otlp;           /* of the options */
	struct otlp_receiver_tally telemetry;
	struct str telemetry_note; /* why telemetry is not passed on to the user's collector; empty */
	struct str telemetry_lost; /* what could not be passed on; empty */
	uint64_t astray;     /* requests of OTLP to the path of a model's service, answered 404 */
	struct recording_host *hosts; /* of interception; in no order */
	uint64_t websockets; /* requests for a WebSocket, answered 426 */
	uint64_t trace_bytes, trace_lines;
	struct str trace_sha256; /* p NULL: the trace is not in its place */
	const char *content[4];  /* of what was said: the files that were written */
	size_t content_count;
	bool listed; /* so that @last means it */
	struct recording_trouble *troubles; /* in order */
	struct str engine_metrics_trouble;
	bool timed_out; /* of the stage */
	int asked;      /* the signal by which somebody asked us to end; 0: none */
	bool has_output;           /* with content: what is known of its standard output */
	struct output_tally output;
};

/*
 * Runs the child to its end, and waits. False and *err when it could not be started, or the directory, the engine's
 * address or the proxy is at fault: nothing is left behind then, and *out is not to be used. Otherwise what went wrong
 * is in the outcome, whose texts live in the arena.
 */
bool recording_run(struct arena *a, const struct recording_options *o, struct recording_outcome *out,
		   struct err *err);

#endif
