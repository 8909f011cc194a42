/*
 * Parts of the MCP dialect: what a value of a log says (message.c, wrapper.c), and what the messages of a connection
 * come to (fold.c).
 */
#ifndef DIALECT_MCP_MCP_H
#define DIALECT_MCP_MCP_H

#include "base/err.h"
#include "dialect/reading/reading.h"

struct assemble;

enum mcp_part { MCP_REQUEST, MCP_RESPONSE, MCP_NOTIFICATION };
enum mcp_sender { MCP_UNKNOWN, MCP_CLIENT, MCP_SERVER };

/* What the scan tells the fold of a message. Texts live in the batch; p NULL where there is none. */
struct mcp_hint {
	uint8_t part, sender;
	struct str method;
	struct str id;     /* as JSON: "1" is not 1. Of a cancellation: of the request that is cancelled */
	struct str token;  /* by which progress is told, as JSON */
	struct str task;   /* of a request or an answer that is about one */
	struct str tools;  /* that an answer lists, as JSON */
	bool only_tools;   /* it says nothing else */
	struct str server, server_version, client, client_version;
	struct str connection; /* what tells it from others in the same log */
	struct str session;    /* the id that the server gave it */
	/* what the message is more than its event's kind has fields for */
	struct str text;               /* of an error, of progress; why it was cancelled; what a model said */
	struct str code;               /* of an error of the protocol */
	struct str model, stop_reason; /* of a model that a server asked for */
};

/* Where a message was found: what its wrapper says. */
struct mcp_place {
	struct moment ts;
	uint8_t sender;
	struct str connection, server, session;
};

/* Whether it is a message: it says so, or has the members of one and a wrapper around or beside them. */
bool mcp_is_message(struct val v);

/* Adds one event with a hint. `rest` is the value whose members are kept: the message, or what is around it. */
void mcp_read_message(struct reading *r, struct val message, struct val rest, const struct mcp_place *place);

/* Adds the events of one value of a log, whatever its wrapper. */
void mcp_read_value(struct reading *r, struct val v);

/* How sure it is that a value is of an MCP log, 0 to 100. */
int mcp_fits(struct val v);

/* The fold, as in struct read_ops. */
void *mcp_fold_open(void);
void mcp_fold_close(void *fold);
bool mcp_fold_event(void *fold, const struct event *e, struct assemble *as, struct err *err);
bool mcp_fold_end(void *fold, struct assemble *as, struct err *err);

#endif
