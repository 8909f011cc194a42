/*
 * The nouns of a run. An event is one thing that happened: a run began, a message was given, a model
 * answered, a tool was called, it gave a result, something was billed, something went wrong, the run ended.
 * Every format is read into events and written from them.
 *
 * Free content (arguments, results, messages, what has no field of its own) is held as canonical JSON text
 * (RFC 8785) and nothing else: whoever writes a record copies it, whoever needs to look inside parses it.
 * Everything else is plain text, UTF-8, unescaped. An empty struct str with p NULL means "absent"; with p
 * not NULL it is an empty text. Absent, null and zero are three things, everywhere.
 *
 * An event is borrowed like its texts: it lasts for the call it is given to, unless it was copied.
 */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include "base/arena.h"
#include "base/str.h"

struct compaction; /* see compaction.h */

/* ---- figures: where every number comes from ---- */

enum figure_state { FIGURE_ABSENT, FIGURE_NULL, FIGURE_KNOWN };
enum figure_source { FIGURE_API, FIGURE_ESTIMATED }; /* said by the service; guessed or derived by anyone */

struct figure {
	uint8_t state, source;
	uint64_t n;
};

/* Fractions: US dollars, milliseconds. */
struct amount {
	uint8_t state, source;
	double n;
};

static inline bool figure_is_known(struct figure f)
{
	return f.state == FIGURE_KNOWN;
}

static inline bool amount_is_known(struct amount a)
{
	return a.state == FIGURE_KNOWN;
}

#define FIGURE(value) ((struct figure){ FIGURE_KNOWN, FIGURE_API, (value) })
#define AMOUNT(value) ((struct amount){ FIGURE_KNOWN, FIGURE_API, (value) })

/* Tokens, normalised: input holds everything sent, cached parts included; output holds reasoning. */
struct usage {
	struct figure input, output;
	struct figure cache_read, cache_write; /* parts of input */
	struct figure cache_write_1h;          /* the part of cache_write that is kept for an hour */
	struct figure reasoning;               /* part of output */
};

bool usage_is_known(const struct usage *u); /* any figure of it is */

/* ---- time ---- */

enum moment_source {
	MOMENT_NONE,      /* the source has no time at all: 1970-01-01T00:00:00.000Z */
	MOMENT_VENDOR,    /* as it stands in the source */
	MOMENT_DERIVED,   /* computed from times of the source */
	MOMENT_INHERITED, /* that of the event before */
	MOMENT_LAID_OUT,  /* made up from a time that the user gave: the source has none */
};

struct moment {
	struct str text; /* valid in OTUTL: RFC 3339 with three digits or more; p NULL when there is none */
	int64_t ns;      /* since 1970 */
	uint8_t source;  /* enum moment_source */
};

/* ---- what has no field of its own ---- */

/* A named canonical value. In a record's `ext` under key ("claude-code/1"), or as a member of the record itself. */
struct extra {
	struct extra *next; /* in the order added */
	struct str key;
	struct str json;
	bool member; /* a member of the record, not of its ext: only OTUTL logs have these */
	uint8_t rank; /* the assembler's: how often pieces of the same weight were merged to it */
};

/* A number no double holds, written as text in a payload: where, as an RFC 6901 pointer in the OTUTL record. */
struct bignum {
	struct bignum *next;
	struct str pointer; /* "/args/id" */
};

enum event_kind {
	EVENT_RUN_START,
	EVENT_MESSAGE, /* given to the model: system, user, developer */
	EVENT_STEP,    /* the model answered */
	EVENT_CALL,
	EVENT_RESULT,
	EVENT_COST,
	EVENT_ERROR,
	EVENT_NOTE, /* anything else that the log says: a hook, a compaction, a state */
	EVENT_RUN_END,
	EVENT_KINDS,
};

enum event_flag {
	EVENT_PARTIAL = 1,   /* it broke off: a stream that was cut, a line at which the file ends */
	EVENT_PIECE = 2,     /* STEP, CALL: text and args_text are to be added to what came before */
	EVENT_FALLBACK = 4,  /* STEP, CALL: only used when nothing better comes for the same step */
	EVENT_HISTORY = 8,   /* told again in a request; counts only if it was not there before (see history.h) */
	EVENT_INFERRED = 16, /* the log does not say so; it follows from what it says */
	EVENT_STREAM = 32,   /* STEP: it was streamed */
	EVENT_RAW_ARGS = 64, /* CALL: args is a text that is not JSON: args_encoding "raw" */
	EVENT_WHOLE = 128,   /* STEP: replaces the pieces that came before for the same step */
	EVENT_LAST = 256,    /* STEP: nothing more will come for it */
	EVENT_NO_STREAM = 512, /* STEP: it was not streamed, and the log says so */
	EVENT_MARKER = 1024,   /* STEP: only to be taken if other pieces come for the same step */
	EVENT_WITHHELD = 2048, /* CALL: the source has no arguments to give: args is null, which is not {} */
	EVENT_TOTAL = 4096,    /* COST: said of a whole run or turn, whatever its steps say */
};

enum run_status { STATUS_UNKNOWN, STATUS_SUCCESS, STATUS_ERROR, STATUS_INTERRUPTED };
enum truth { TRUTH_ABSENT, TRUTH_NULL, TRUTH_FALSE, TRUTH_TRUE };

/* Which members mean something is said for each kind; the others are zero. */
struct event {
	enum event_kind kind;
	unsigned flags; /* enum event_flag */
	struct moment ts; /* STEP: when the answer was complete, or what comes nearest to it */
	/*
	 * Whose event: p NULL for the main line of the run; else the name of a sub-agent, a side chain, a
	 * thread. Groups and repeated ids are kept apart by it.
	 */
	struct str branch;
	struct str step; /* STEP: its id. All between RUN_START and RUN_END: of the step it belongs to, or the latest */
	struct str call; /* CALL: its id, p NULL when it has none. All but STEP between those two: of its call */
	struct str parent; /* the call inside which it happened */

	/* RUN_START (agent and model also as defaults for the run) */
	struct str vendor;     /* "anthropic": makes tool URIs. CALL: where that of its tool is another */
	struct str run;        /* the vendor's id of the run, p NULL when there is none */
	struct str agent, agent_version;
	struct str framework;  /* one of agent-trace's words, p NULL for "unknown" */
	struct str parent_run; /* the vendor's id of the run that started this one */
	struct str tools;      /* JSON: what was offered */

	/* STEP; COST: model and provider */
	struct str model, provider, endpoint;
	struct str request_id;  /* of the service */
	struct str response_id; /* in the body of the answer; p NULL when it has none. Mostly the step's, too */
	struct str stop_reason; /* the vendor's word; p NULL when there is none. See words.h for folding */
	struct str tool_choice; /* auto, none, required; p NULL when the log does not tell. RUN_START: of a request */
	struct str text;        /* STEP: what the model said. ERROR: the message. PIECE: to be added */
	struct str reasoning;   /* STEP: what it thought, where that is shown */
	struct str calls;       /* JSON: the ids of the calls it asked for; the assembler adds it, unless it is told */
	struct amount latency_ms, ttft_ms; /* COST: latency_ms of all its calls of the model together */
	struct usage usage; /* STEP, COST */
	/*
	 * STEP, COST: what the request is billed by where that is not the ordinary price: "batch", "flex", "priority",
	 * "fast"; "" for the ordinary one, p NULL when nothing says so.
	 */
	struct str tier;

	/* MESSAGE: role and content. RESULT: content is the result. NOTE: role is its name, content its value */
	struct str role;
	struct str content; /* JSON */

	/* CALL */
	struct str tool;      /* the bare name; the writer makes a URI of it. A URI is kept. RESULT: where it is told */
	struct str server;    /* of an MCP tool, p NULL otherwise */
	struct str args;      /* JSON */
	struct str args_text; /* instead: text to be parsed when the call is complete (and joined, with PIECE) */
	int index;            /* PIECE: which call of the step; otherwise its place in the step, -1 when unknown */

	/* RESULT */
	uint8_t is_error;        /* enum truth */
	struct amount duration_ms; /* how long the call took */
	struct amount stall_ms;
	struct figure exit_code; /* n as two's complement */
	struct str chunks;       /* JSON: [{data, t_ms}] */
	struct str media;        /* JSON: ["image/png"] */

	/* COST. STEP: what the service states of itself; the COST that is made of the step takes it over */
	struct amount usd;
	struct str price_table; /* its hash, when usd was computed here */
	struct str scope;       /* "step", "turn", "run" */

	/* ERROR */
	struct str class, code; /* model, tool, transport, harness, parse; "no_result" */
	uint8_t retryable;      /* enum truth */

	/* RUN_END */
	enum run_status status;
	struct str reason, output; /* output: JSON */

	struct extra *extras; /* ext of this record */
	struct bignum *bignums;
	uint64_t line;        /* where it stands in the source, 0 when that means nothing */
	struct figure seq;    /* of a record that was read from an OTUTL log; its writers count for themselves */
	/* HISTORY: a digest of the message, and its position in the request; see history.h */
	uint64_t digest;
	uint32_t position;
	/*
	 * What a dialect's scan tells its own fold, as a struct of that dialect, in the batch; NULL: nothing. The fold
	 * takes it off: nobody behind it knows the type, and event_copy, which cannot know the size, leaves it out.
	 */
	const void *hint;
	/*
	 * NOTE: here the context of the model was made smaller, and this is what the log says of it. The assembler
	 * makes role and content of the note (compaction.h). NULL in every other event.
	 */
	const struct compaction *compaction;
};

/* A deep copy that lives as long as the arena; without the hint. */
struct event *event_copy(struct arena *a, const struct event *e);

/* Adds to the end of the event's extras and gives what was added, in the arena; key and json are not copied. */
struct extra *event_add_extra(struct event *e, struct arena *a, struct str key, struct str json);

/* Whether it stands for a last line that breaks off. */
bool event_is_torn(const struct event *e);

/* The value under this key in ext, or an absent text. */
struct str event_find_extra(const struct event *e, struct str key);

#endif
