/*
 * Inside the upstream, calls through libcurl: the state of a pool, a call, and what curl is told of it.
 *
 * Nothing that the user of a call does (write, pause, cancel, even begin) touches curl at once, because it may happen
 * inside one of curl's callbacks, where curl must not be called. It is noted on the call, which is "due" then, and
 * done in the next round of the loop.
 */
#ifndef NET_UPSTREAM_CURL_H
#define NET_UPSTREAM_CURL_H

#include <curl/curl.h>

#include "base/buf.h"
#include "net/upstream_private.h"

#define CURL_QUEUED_MAX ((size_t)256 << 10) /* of a request's body: more, and the writer is asked to wait */
#define CURL_WHY_MAX (CURL_ERROR_SIZE + 600)

struct curl_call;

/* Of a pool. */
struct curl_state {
	uv_loop_t *loop;
	const struct upstream_options *options;
	CURLM *multi;
	uv_timer_t timer;  /* curl's */
	uv_timer_t soon;   /* calls are due */
	uv_timer_t silent; /* looks for calls whose answer does not go on; runs while there are calls */
	struct curl_call *calls, *due;
	bool inside;       /* curl is at work: it must not be called */
	bool closing;
	const char *ca_file, *ca_dir; /* of the environment, or curl's own */
};

struct curl_call {
	struct upstream_call call; /* first: what others see of it */
	struct curl_state *state;
	CURL *easy;
	struct curl_slist *headers;
	struct curl_call *next, *before, *next_due;
	bool is_due;
	bool added;    /* curl has it */
	bool gone;     /* nobody is told anything more */
	bool finished; /* the request is complete */
	bool starved;  /* curl waits for more of the request */
	bool full;     /* the writer was asked to wait */
	bool paused;   /* the answer is to wait, */
	bool stalled;  /* and curl does */
	bool has_head, has_proxy, is_silent;
	bool upgrade;  /* curl only makes the connection */
	bool switched; /* and it speaks another protocol now */
	bool unread;   /* there may be more to read than the socket tells */
	struct curl_tunnel *tunnel; /* NULL: not connected, or not for an upgrade */
	bool forgot;   /* of what was sent, not all is in the queue */
	struct buf queue; /* of the request's body */
	size_t sent;      /* of the queue */
	struct http_reader *reader; /* of the answer's head */
	const char *bad;            /* what is wrong with the answer */
	uint64_t received;          /* of the answer's body */
	uint64_t active;            /* when the last byte came, in the loop's ms */
	uv_timer_t refusal;         /* of a call that began after the pool was closed: its end */
	char error[CURL_ERROR_SIZE];
};

/* What was noted on it will be done in the next round of the loop. */
void upstream_curl_make_due(struct curl_call *c);

/* Tells curl what to ask for and how, and where answers go. */
void upstream_curl_set_up(struct curl_call *c, const struct upstream_request *r);

/* Why a call failed. */
enum upstream_failure upstream_curl_explain(const struct curl_call *c, CURLcode code, char out[CURL_WHY_MAX]);

/* The same for a call that asks for another protocol: the request goes to the queue. */
void upstream_curl_tunnel_set_up(struct curl_call *c, const struct upstream_request *r);

/* Sends and reads what can be on a connection that curl made. True: the call is over, with *code. */
bool upstream_curl_tunnel_step(struct curl_call *c, CURLcode *code);

#endif
