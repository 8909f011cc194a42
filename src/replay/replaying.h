/*
 * A recorded run, played again: the command runs in the recorder (capture/recording.h), whose services are servers of
 * ours that answer from the tape, on the same loop. So the replay is a recording too, and both are compared by the same
 * files. Where the system allows it, nothing can leave: the process has no network but loopback.
 */
#ifndef REPLAY_REPLAYING_H
#define REPLAY_REPLAYING_H

#include "capture/recording.h"
#include "replay/fork.h"
#include "replay/origin.h"
#include "replay/player.h"

enum verdict { VERDICT_EXACT, VERDICT_EQUIVALENT, VERDICT_DIVERGED, VERDICT_INCOMPLETE, VERDICT_NOT_REPLAYABLE };

/* "EXACT" and so on; a constant. */
const char *verdict_name(enum verdict v);

enum replay_mode {
	REPLAY_STUBBED,    /* models and tools are answered from the tape */
	REPLAY_LIVE_TOOLS, /* tools run, and are compared with the tape */
	REPLAY_LIVE_MODEL, /* the model is asked again; tools are answered from the tape */
	REPLAY_FORK,       /* from a place of the recorded run on the model is asked again */
	REPLAY_UPDATE,     /* what the tape does not answer is asked, and a new tape is made of all */
};

/* "all stubbed", "live tools", "live model", "live from the fork on", "update"; a constant. */
const char *replay_mode_name(enum replay_mode m);

/* Why a run is NOT_REPLAYABLE. */
enum replay_refusal {
	REFUSAL_NONE,
	REFUSAL_TRACE,       /* an agent-trace holds no content */
	REFUSAL_NO_CASSETTE, /* the run was recorded without its content */
	REFUSAL_REDACTED,    /* and the key is not at hand */
	REFUSAL_KEY,         /* the key at hand is another one */
	REFUSAL_EMPTY,       /* no request was recorded */
	REFUSAL_CHANGED,     /* the cassette is not the one that the run's meta.json names */
	REFUSAL_PIN,         /* nor the one that a ledger names */
	REFUSAL_LOST,        /* bytes were not kept when it was recorded */
};

struct replaying_options {
	struct str run;          /* a directory of a run, or a file */
	const char *const *argv; /* NULL-ended */
	const char *const *env;
	struct routes *routes;
	const struct agent_plan *plan;
	struct str program;      /* this one's path */
	struct str dir;          /* for the files of the replay; p NULL: removed, of forks and updates runs/ID */
	enum replay_mode mode;
	uint64_t from;           /* of REPLAY_FORK: the seq of the recorded run's log */
	struct player_pace pace;
	bool strict_params, lenient, go_on; /* go_on: not stopped by the first divergence */
	bool allow_redacted, share_network;
	bool serves;             /* no command: clients that somebody else starts are answered (replaying_serve) */
	bool recorded_clock;     /* SOURCE_DATE_EPOCH is when the recorded run began */
	struct redact *redact;   /* of the key with which the cassette is redacted; NULL */
	/* Whether a ledger has nothing against this tape. NULL: none is asked */
	bool (*pinned)(void *context, const struct tape *t);
	void *pin_context;
	unsigned timeout_ms;
	int child_out;           /* a descriptor; 0: our standard output */
};

struct replaying_outcome {
	enum verdict verdict;
	enum replay_refusal refusal; /* of NOT_REPLAYABLE */
	uint64_t lost_x;         /* of REFUSAL_LOST */
	enum replay_mode mode;
	bool serves;
	struct tape tape;
	struct match_tally tally;
	uint64_t covered;        /* recorded requests that were made inside of commands that were served */
	struct divergence *divergences; /* in order */
	const struct divergence *first; /* the first fatal one; NULL */
	uint64_t counts[DIVERGENCE_CLASSES];
	const struct player_tool_row *tools;
	struct origin recorded, live;
	bool isolated;
	struct str not_isolated; /* why; empty where it was not asked for */
	uint64_t attempts;       /* to leave */
	bool output_compared, output_equal;
	struct str output_sha256; /* of this run; p NULL: not known */
	uint64_t output_line, output_column; /* of the first difference, in this run's output; 0: not known */
	uint64_t unverified;     /* commands whose effects on files were not replayed */
	int exit_recorded, exit_live; /* -1: not known; 128 and the signal */
	int asked;               /* the signal by which somebody asked us to end; 0: none */
	struct str redacted_with;
	struct fork fork;        /* of REPLAY_FORK */
	struct str forked_run;   /* of a fork or update: the hash of the run that it goes on from; p NULL: not known */
	struct str made_run;     /* and the id of the new one */
	struct str dir;          /* where the files of the replay are; p NULL: nowhere */
	struct recording_trouble *troubles;
	struct stage *stage;     /* what the divergences live in */
};

/* Whether it could be played, without doing so: tape and refusal of the outcome. False and *err as replaying_run. */
bool replaying_look(struct arena *a, struct str run, struct replaying_outcome *out, struct err *err);

/*
 * Loads the run, plays it, and judges. False and *err when it could not be done: the cassette is damaged, the command
 * could not be started. Texts live in the arena, divergences until replaying_free. Only once in a process: the network
 * is gone afterwards.
 */
bool replaying_run(struct arena *a, const struct replaying_options *o, struct replaying_outcome *out,
		   struct err *err);

struct tape_server;

/* Whoever runs the loop of a replay without a command. */
struct replaying_host {
	uv_loop_t *loop;
	struct str address;
	uint16_t port;
	/* It listens: runs the loop until somebody stops the server. False and *err when that could not be told. */
	bool (*serve)(void *own, struct tape_server *server, struct err *err);
	void *own;
};

/*
 * As replaying_run, for models and MCP over HTTP only: commands and servers on standard streams have no way here. The
 * requests alone are judged. The network is left as it is.
 */
bool replaying_serve(struct arena *a, const struct replaying_options *o, const struct replaying_host *host,
		     struct replaying_outcome *out, struct err *err);

/* "all stubbed", ..., or "served"; a constant. */
const char *replaying_mode(const struct replaying_outcome *out);

/* Frees what is not the arena's, divergences and tools among it; also after replaying_run gave false. */
void replaying_free(struct replaying_outcome *out);

#endif
