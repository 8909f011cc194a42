/*
 * The model server of a replay: HTTP/1.1 and WebSocket on a loop, with answers from a tape. A request, whole, is a
 * question; what is recorded for it is given with its bytes, at its pace, and ended as it was ended. What is not on the
 * tape is refused in the words of the API that was asked. Nothing is ever asked of another host.
 *
 * Who decides what answers a question is behind functions, so that this knows of protocols only.
 */
#ifndef REPLAY_TAPE_SERVER_H
#define REPLAY_TAPE_SERVER_H

#include <uv.h>

#include "net/guard.h"
#include "replay/player.h"

/* Where a question goes that the tape does not answer. */
struct tape_way {
	const struct url *url; /* of the service; NULL: nowhere, it is a miss */
	struct str target;     /* what the service is asked for */
};

struct tape_server_ops {
	/* As player_ask. `own` of the entry is a struct tape_line of TAPE_MODEL or TAPE_MCP_HTTP. */
	bool (*ask)(void *context, struct arena *a, const struct match_question *q, struct match_result *out,
		    struct str *why);
	/* As player_translate, for this question, which was answered with this entry. NULL: answers stay as they are */
	struct str (*translate)(void *context, struct arena *a, const struct match_question *q,
				const struct match_entry *e, struct str answer);
	/*
	 * Whose question it is: lane, and the target as the recorded upstream was asked. They are "model" and the
	 * request's own target at first; what may be a key is taken out of the target afterwards. NULL: it stays so.
	 */
	void (*route)(void *context, struct arena *a, const struct http_head *h, struct match_question *q);
	void (*note)(void *context, const struct divergence *d); /* a protocol was broken. NULL: nobody is told */
	/* A question that `ask` gave no answer to: whether the service itself is asked. NULL: never. */
	bool (*goes_out)(void *context, struct arena *a, const struct http_head *h, struct tape_way *out);
};

struct tape_server_options {
	struct str host;    /* "127.0.0.1" when p is NULL */
	uint16_t port;      /* 0: a free one */
	struct guard guard; /* who may ask */
	const struct tape_server_ops *ops;
	void *context;      /* of ops */
	const struct player_pace *pace;
	unsigned linger_ms; /* how long a client may take to leave where the recorded one left; 0 means 10 s */
};

struct tape_server;

/*
 * Listens. The options are copied, what they point to must live as long as the server, and the tape too. NULL and *err
 * when it cannot: ERR_USAGE when the host is not an address, ERR_IO with address and reason when the system refuses.
 * Lives until tape_server_close.
 */
struct tape_server *tape_server_open(uv_loop_t *loop, const struct tape_server_options *o, struct err *err);

/* The port it listens on, also when 0 was asked for. */
uint16_t tape_server_port(const struct tape_server *s);

/* Requests and sockets that are not over. */
size_t tape_server_count(const struct tape_server *s);

/* No more connections; with `now` all are closed, else when their requests are answered. May be called again. */
void tape_server_stop(struct tape_server *s, bool now);

/* Frees the server, after tape_server_stop and when the loop has run dry. */
void tape_server_close(struct tape_server *s);

#endif
