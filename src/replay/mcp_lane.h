/*
 * MCP on standard streams, as the tape has it: one entry for each request of the client, and for everything that the
 * client sent what the server did because of it. Lines of one process of a server (an instance) are read in their
 * order; a server's message belongs to
 *
 *   - the request that its progress token or its answer names,
 *   - else the latest request that is open (subscriptions/listen aside, which stays open),
 *   - else the message of the client before it; of a client's answer, whatever the question belonged to.
 *
 * What a message of the client causes is a list of steps: send this, send the answer, wait for the client's answer to
 * that question. A step waits only where it did in the recording.
 *
 * `ping` of a client is no entry and not counted: how often it comes depends on time. It is always answered.
 */
#ifndef REPLAY_MCP_LANE_H
#define REPLAY_MCP_LANE_H

#include "replay/lane.h"
#include "replay/mcp_lane_rpc.h"

enum mcp_step_kind { MCP_SEND, MCP_ANSWER, MCP_WAIT };

struct mcp_cause;

struct mcp_step {
	struct mcp_step *next;
	enum mcp_step_kind kind;
	const struct tape_line *line;     /* the server's message; of MCP_WAIT the client's answer */
	const struct mcp_cause *about;    /* the request whose ids stand in it; NULL */
	const struct mcp_step *question;  /* of MCP_WAIT */
	struct str id;                    /* of a question to the client; p NULL */
	const struct tape_line *answer;   /* the client's, to a question; NULL: there was none */
	bool asked, answered;             /* a question, in this run */
};

/* A message of the client and what followed from it. Of a beginning (line NULL) what the server said by itself. */
struct mcp_cause {
	struct mcp_cause *next; /* of its instance */
	const struct tape_line *line;
	struct rpc_message message;
	struct str key;                 /* rpc_key of it */
	struct mcp_step *first, **last;
	struct mcp_instance *instance;
	const struct tape_line *answer; /* of a request; NULL: there was none */
	int64_t at_us;
	bool cancelled;
	bool used;                      /* a notification that came again */
};

struct mcp_instance {
	struct mcp_instance *next;
	struct str id, name;   /* the name as it was known in the end */
	struct str program;    /* as it was called in the beginning; it may be the same */
	struct str lane;       /* "mcp:NAME" */
	struct mcp_cause begin, *causes, **last;
	size_t claims;         /* connections that were taken for it */
};

struct mcp_lane {
	const struct lane_ops *ops;
	struct arena *arena;
	struct mcp_instance *instances;
	struct lane_entries entries; /* own: a struct mcp_cause */
	uint64_t served, missed;
};

/* Reads the tape's messages; the lane, its entries and all texts live in the arena, as long as the tape does. */
struct mcp_lane *mcp_lane_new(struct arena *a, const struct tape *t, const struct lane_ops *ops);

/* Who connects: the name that the user gave (p NULL: none) and the command that was to be run. */
struct mcp_caller {
	struct str name;
	const struct str *argv;
	size_t argc;
};

/*
 * Which recorded server this is: by its name, else by words of its name in the command, its program, and a first
 * request that is the recorded one. NULL: none is recorded. Servers that look alike are taken in the order of the tape.
 */
struct mcp_instance *mcp_lane_find(struct mcp_lane *l, const struct mcp_caller *who, struct str first_key);

/*
 * The recorded notification with this key that was not used, of the instance first; it is used then. NULL: none. With
 * a method of p NULL it is a line that is no message of JSON-RPC.
 */
struct mcp_cause *mcp_lane_use_notification(struct mcp_lane *l, const struct mcp_instance *i, struct str method,
					    struct str key);

/*
 * Tells of what the recorded client sent and this one did not, besides requests, which are entries: notifications, and
 * answers to questions that it was asked (but for ping). `method`: of the notification or question; p NULL: none.
 */
void mcp_lane_list_unsaid(const struct mcp_lane *l,
			  void (*tell)(void *context, const struct mcp_instance *i, const struct tape_line *line,
				       struct str method, bool is_answer), void *context);

#endif
