/*
 * What was seen of one exchange with a model, without its content: times, counts, ids, digests. Filled in by
 * capture/observe/observer.h as the bytes pass; made into nodes by capture/graph/run_graph.h.
 */
#ifndef CAPTURE_OBSERVE_OBSERVATION_H
#define CAPTURE_OBSERVE_OBSERVATION_H

#include "capture/observe/client.h"
#include "capture/observe/text_mark.h"
#include "model/event.h"
#include "net/proxy.h"

enum observation_kind {
	OBSERVED_MODEL,     /* a model was asked, or an embedding */
	OBSERVED_OTHER,    /* anything else that passed: lists of models, files, paths nobody knows */
};

enum observation_role {
	OBSERVED_SYSTEM,
	OBSERVED_USER,
	OBSERVED_CONTEXT, /* in the user's name, but the client marks it as its own: surroundings, a notification */
	OBSERVED_SAID,
	OBSERVED_RESULT,
};

/* A message of the request, in its order. */
struct observation_message {
	uint64_t mark; /* history_digest */
	uint64_t words; /* digest of its text, to be found again among answers; 0: it has none, or is a result */
	uint64_t text; /* of the user's, if it is the first or behind all that was said: text_mark_key; 0: too short */
	enum observation_role role;
};

/* A result that the request carries. */
struct observation_result {
	struct str call;         /* the id of the call; p NULL when the API has none */
	struct str tool;         /* its name, where the result says it */
	struct figure size;      /* bytes of the result as text */
	const char *kind;        /* text, json, image, binary; NULL */
	bool is_error;
	size_t message;          /* which of the messages holds it */
};

/* A call that the answer asks for. */
struct observation_call {
	struct str call; /* p NULL when the API has no ids */
	struct str name;
	uint64_t args;           /* digest of all arguments */
	struct text_mark *texts; /* the strings among them that are long enough to be told again (observer_args.c) */
	size_t text_count;
};

struct observation {
	uint64_t number;       /* of the exchange, from 1, in the order of requests */
	enum observation_kind kind;
	const char *api;       /* as its row has it: "openai-chat"; NULL when other */
	bool is_known;         /* the path is of a known API, whatever was asked there */
	const char *provider;  /* the route's name: "openai" */
	struct str endpoint;   /* of the upstream, without user, query, fragment */
	size_t endpoint_own;   /* bytes of it that are the address of the service, as the user gave it */
	struct str model;      /* the answer's, else the request's */
	struct str request_id; /* header, else the body's id */
	struct str answer;     /* the body's id of the answer; p NULL */
	uint64_t words;        /* digest of the answer's text; 0: it has none */
	struct str previous;   /* the answer that the request says it goes on from; p NULL */
	struct str session, agent, parent_agent; /* headers of Claude Code and Codex; p NULL */
	struct str inside_call; /* header X-Trackway-Call: the tool call that it is asked from within; p NULL */
	uint64_t caller;       /* digest of the keys that its headers have; 0: none */
	uint64_t trace, span;  /* digests of the two ids in the header traceparent; 0: there is none */
	struct str chosen;     /* the one function that tool_choice names; p NULL */
	bool types_by_result;  /* pydantic-ai: a call whose name begins with final_result is a typed answer */
	uint64_t system, tools; /* digests of the prompts it begins with and of the tools; 0: there are none */
	/* Text of the first message of the user's; goes away when another request is read: for run_graph_request. */
	struct str opening;
	struct str framework;  /* guessed from headers; p NULL */
	struct clients clients; /* that its headers name */
	bool stream, partial;
	bool refused;          /* a filter or the model ended the answer */
	const char *tool_choice, *stop_reason; /* folded */
	int status;            /* of the answer; 0 when there was none */
	bool failed;           /* status, an error in the body or the stream, no answer, or cut by the upstream */
	enum proxy_end how;
	int64_t begun_ns;      /* the request's head came */
	int64_t sent_ns;       /* its last byte */
	int64_t byte_ns, token_ns, content_ns; /* of the answer: first byte, token, visible one; 0 when not seen */
	int64_t ended_ns;
	struct usage usage;    /* with estimates where the API said nothing */
	struct amount usd;     /* as the service states it; absent when it does not */
	struct str tier;       /* as struct event has it */
	uint64_t digest;       /* of the request: equal for equal method, endpoint and body */
	struct observation_message *messages;
	size_t message_count;
	struct observation_result *results;
	size_t result_count;
	struct observation_call *calls;
	size_t call_count;
	const uint64_t *blocks; /* numbers of the blocks of its prompt: block_chain.h */
	size_t block_count;    /* 0: not known, or not wanted */
	bool cut;              /* it asks for more than are kept */
};

#endif
