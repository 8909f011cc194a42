/*
 * Logs of requests and responses: what a proxy, a test cassette or a tap keeps. The envelope is read here, whoever
 * made it; the bodies are read by the API they belong to, each exchange by its own content, since logs mix them.
 * Requests tell the whole conversation again: the fold lets through what is new (model/history.h).
 */
#ifndef DIALECT_EXCHANGE_EXCHANGE_H
#define DIALECT_EXCHANGE_EXCHANGE_H

#include "dialect/exchange/service.h"
#include "dialect/exchange/vendors.h"
#include "dialect/reading/reading.h"
#include "model/assemble.h"

#define EXCHANGE_PATHS 5 /* texts of a row's list, and the empty one that ends it */
#define EXCHANGE_WORDS 3

/* How a vendor is asked for embeddings, which embeddings.c reads for all of them. */
struct exchange_embeds {
	struct str paths[EXCHANGE_WORDS]; /* how the paths of these requests end */
	bool (*is_request)(struct val body); /* in a shape of its own; NULL: model and input, as everybody's */
	struct figure (*input)(struct reading *r, struct val body); /* its count of tokens; NULL: in "usage" */
};

/* Where events go that are in order. */
struct exchange_sink {
	bool (*put)(void *context, const struct event *e, struct err *err);
	void *context;
};

/* What an API does between the events of its streams (exchange/order.h). What is put lasts for the call. */
struct exchange_order {
	void *(*open)(void);
	void (*close)(void *own);
	bool (*add)(void *own, const struct event *e, struct exchange_sink to, struct err *err);
	bool (*end)(void *own, struct exchange_sink to, struct err *err); /* what is open breaks off */
	bool joins_latest; /* pieces name no step: they belong to the one that began last */
};

/*
 * One API: all that is known of it outside of its own files. Readers of bodies add events; what is left of the body
 * goes to the rest of one of them.
 */
struct exchange_api {
	const char *name; /* of the dialect: "anthropic" */
	const struct service *service; /* where it is asked; NULL: at services of other rows */
	struct str paths[EXCHANGE_PATHS]; /* how the paths of its requests end: "/messages" */
	/* Of answers that stand in a log as text, unread: what only this API's have, quoted as JSON in JSON is. */
	struct str body_words[EXCHANGE_WORDS];
	bool accompanies; /* its exchanges stand in logs of any other API, and say nothing about whose log it is */
	int (*fits_request)(struct val body);  /* 0 to 100, as in struct dialect */
	int (*fits_response)(struct val body); /* a response, an error, or one event of a stream */
	/*
	 * The messages it tells, flagged EVENT_HISTORY, with position (0, 1, ... by message) and digest (history_digest
	 * of the message without what changes from request to request, such as cache_control); all events of one
	 * message share both. System prompts and tools come first: RUN_START for tools, MESSAGE for the prompt.
	 */
	void (*request)(struct reading *r, struct val body);
	struct val (*tool_choice)(struct val request); /* as exchange_tool_choice; NULL: the member "tool_choice" */
	struct val (*chosen_tool)(struct val request); /* as exchange_chosen_tool; NULL: in the member "tool_choice" */
	bool (*holds_answer)(struct val v); /* v is a request with its answer in the member "response"; NULL: never */
	void (*response)(struct reading *r, struct val body);
	/* One event of a stream. */
	void (*stream_event)(struct reading *r, struct val v, struct str sse_event);
	/* Habits of its streams. */
	bool streams_unasked; /* a request that does not say it gets one */
	bool streams_lines;   /* JSON on lines, whatever the Content-Type says */
	bool ends_by_reason;  /* nothing but the stop reason says that it is over */
	bool counts_early;    /* output is counted at the beginning, when there is hardly any, and again at the end */
	bool tells_again;     /* all is told in pieces, by items and as a whole: responses_stream.h */
	bool by_socket;       /* requests and answers may come as messages of a WebSocket at the same path */
	/* Fills in what a later count of a stream leaves out; NULL: counts are merged, the larger one wins. */
	void (*fill_usage)(struct usage *newer, const struct usage *older);
	const struct exchange_order *order; /* NULL: the fold of exchanges does all */
	const struct exchange_embeds *embeds; /* NULL: nothing of its own */
	const char *framework; /* agent-trace's word for clients that name none; NULL: "unknown" */
};

/* The rows of all vendors, each defined in the vendor's own files, and that of embeddings, which all share. */
#define EXCHANGE_DECLARE(name) extern const struct exchange_api name##_api;
VENDORS(EXCHANGE_DECLARE)
#undef EXCHANGE_DECLARE
extern const struct exchange_api embeddings_api; /* at no service of its own: the paths are in the rows above */

/* Every one of them, ended by NULL, in the order of vendors.h. */
extern const struct exchange_api *const exchange_apis[];

/*
 * The API of two bodies (either may be VAL_NONE, or the first event of a stream) that went to a path without query;
 * NULL when they are of none. The bodies must fit; of two that do the path decides. Rows live always.
 */
const struct exchange_api *exchange_find_api(struct val request, struct val response, struct str path);

/* What a request says about calling tools, as its API spells it ("auto", "ANY"); VAL_NONE when it says nothing. */
struct val exchange_tool_choice(struct val request);

/* The name of the one tool that a request says must be called, a string; VAL_NONE when it leaves a choice. */
struct val exchange_chosen_tool(struct val request);

/* Whether a request (or VAL_NONE) that went to a path asks for a stream; false when nothing says so. */
bool exchange_asks_stream(const struct exchange_api *api, struct val request, struct str path);

/* The API that a path (without query: exchange_http_path) is of by its end; NULL when it does not say. */
const struct exchange_api *exchange_api_of_path(struct str path);

/*
 * Whether it is a part of some row's path, a verb behind its colon, or the name of a service: no secret of anybody.
 * False for an empty word.
 */
bool exchange_is_path_word(struct str word);

/* The framework of agent-trace that a client without a name uses, by its row; NULL when that does not say. */
const char *exchange_framework(const struct exchange_api *api, struct str path);

/* The API that a request is surely of by its content alone; NULL when it is of none. */
const struct exchange_api *exchange_api_of_request(struct val body);

/* A record of a framework (AutoGen's) that holds the bodies of an API among much else: no log of exchanges. */
bool exchange_is_foreign(struct val v);

/*
 * Whether v is an envelope that exchange_read can read, and of which API: how well it fits, as in struct dialect. 0
 * when it is none, or of another API. Of a list of exchanges the first that is of any API decides.
 */
int exchange_fits(struct val v, const struct exchange_api *api);

/*
 * Reads an envelope, or a list of them as a run, into events: one at least for each exchange. False when it is none,
 * and then nothing was marked.
 */
bool exchange_read(struct reading *r, struct val v);

/*
 * The events from `at` on are of a request that is all there is of a run: a RUN_START is put before them, unless they
 * begin with one. It has the model and the rest of `v`, which is what stood beside the messages. `at` may be r->count:
 * then the run has nothing but its start.
 */
void exchange_begin_run(struct reading *r, size_t at, struct val v);

/* One exchange: where its parts are. Values are VAL_NONE where there is nothing. */
struct exchange {
	struct val v;
	struct val request, response;           /* the halves of the envelope */
	struct val request_body, response_body; /* as they stand: objects, or strings of JSON or events */
	struct val events;                      /* a list of stream events */
	struct val chunks;                      /* when the bytes of the answer came: exchange_http_arrival */
	struct str path;                        /* where it went, without query; p NULL: the envelope says it */
	const struct exchange_api *api;         /* forced, or NULL; afterwards the one that was found */
};

/*
 * Reads an exchange of which the parts are found, by whoever knows the envelope. Gives the place of the event that it
 * belongs to, for what is left of the envelope.
 */
struct exchange_http;
size_t exchange_read_parts(struct reading *r, struct exchange *x, struct exchange_http *http);

/*
 * The fold of every dialect that has requests. Events with EVENT_HISTORY make up requests (one begins with another
 * line, with a position that goes back, or after anything else); of their messages those pass that are new. RUN_START
 * (the tools) and the prompts at the beginning of a request pass when their digest is new. A RUN_START with
 * EVENT_INFERRED too says that the request may be a run of its own: it is when it shares nothing with those before. A
 * STEP or CALL piece whose step is an empty text belongs to a stream without an id, and is given one. It lives until
 * exchange_fold_close.
 */
void *exchange_fold_open(void);

/*
 * The same; and a streamed step that never gets a stop_reason is flagged EVENT_PARTIAL, and pieces with ids of their
 * own are joined to the stream they go on with, unless the hint says that an answer begins with one (exchange/hint.h).
 */
void *exchange_fold_open_streams(void);

/*
 * Another exchange begins: what is open ends. `watch`: as exchange_fold_open_streams has it, from now on. False as
 * below.
 */
bool exchange_fold_next(void *fold, bool watch, struct assemble *as, struct err *err);

/*
 * As struct read_ops has them. False only when the assembler refused an event; the fold can be used on all the same.
 */
void exchange_fold_close(void *fold);
bool exchange_fold(void *fold, const struct event *e, struct assemble *as, struct err *err);
bool exchange_fold_end(void *fold, struct assemble *as, struct err *err);

/* The fold of a dialect that needs nothing else between its events, for its read_ops. */
#define EXCHANGE_FOLD \
	.assemble = ASSEMBLE_STEP_COSTS | ASSEMBLE_EXT_MERGE, .fold_open = exchange_fold_open_streams, \
	.fold_close = exchange_fold_close, .fold = exchange_fold, .fold_end = exchange_fold_end

#endif
