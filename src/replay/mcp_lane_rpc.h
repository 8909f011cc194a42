/*
 * One message of JSON-RPC as MCP has it: what kind it is, what is compared of it, and the same message with the ids of
 * this run. Texts are in the arena that is given, unless they are the line itself.
 */
#ifndef REPLAY_MCP_LANE_RPC_H
#define REPLAY_MCP_LANE_RPC_H

#include "json/json.h"

#define RPC_MISS (-32070) /* the code of a question that the tape has no answer to */

enum rpc_kind { RPC_OTHER, RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE, RPC_BATCH };

/* Ids are JSON as it stands: "1" is not 1. p NULL: there is none. */
struct rpc_message {
	enum rpc_kind kind;
	struct str method, id;
	struct str token;        /* by which progress is told: of a request, and of notifications/progress */
	struct str cancelled;    /* of notifications/cancelled: the request */
	struct str subscription; /* of what follows a subscriptions/listen: the id of that */
	struct str tool;         /* of tools/call */
};

/* A parser for messages: what clients and servers send is read as far as it goes. */
struct json_parser *rpc_parser_open(void);

/* Reads a line; what is no message is RPC_OTHER. */
void rpc_read(struct json_parser *p, struct arena *a, struct str line, struct rpc_message *out);

/*
 * What is compared: without `id`, the members of `_meta` that are new in every run (progress tokens, the client's own
 * description, traces), and the ids inside of notifications. The line itself when there is nothing of that in it.
 */
struct str rpc_key(struct json_parser *p, struct arena *a, struct str line);

/* Whether a notification of a client says nothing that a server must know: "notifications/initialized", "progress". */
bool rpc_is_idle(struct str method);

/* Ids of a recorded request, and those of the live one in their place. */
struct rpc_ids {
	struct str id, token;           /* recorded */
	struct str live_id, live_token; /* p NULL: the live request has none */
};

/* A piece of text that gives way to another; `with` is not longer than what JSON needs. */
struct rpc_edit {
	size_t at, n;
	struct str with;
};

#define RPC_EDITS 4 /* of one message at most */

/*
 * The places of a message where ids of that request stand: `id` of its response, the token of its progress, the request
 * of a cancellation, the id of a subscription. Returns how many. `base` is where offsets count from.
 */
size_t rpc_find_edits(struct val message, const char *base, const struct rpc_ids *ids, struct rpc_edit out[RPC_EDITS]);

/* The line with live ids. The line itself when nothing is to be replaced. */
struct str rpc_rewrite(struct json_parser *p, struct arena *a, struct str line, const struct rpc_ids *ids);

/* Adds the text with the edits, which are in the order of their places. */
void rpc_apply(struct buf *out, struct str text, const struct rpc_edit *edits, size_t count);

#endif
