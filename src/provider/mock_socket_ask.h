/* Inside the mock's socket: what a message asks for, and the conversation that it goes on with. */
#ifndef PROVIDER_MOCK_SOCKET_ASK_H
#define PROVIDER_MOCK_SOCKET_ASK_H

#include "base/buf.h"
#include "json/json.h"

#define MOCK_TOLD 16 /* answers of a socket that requests can go on from: the latest */
#define MOCK_TOLD_ID 80

/* The items of a conversation up to an answer, by the answer's id. */
struct mock_told {
	char id[MOCK_TOLD_ID];
	size_t id_size; /* 0: none */
	struct buf items; /* JSON, with commas between them */
};

struct mock_tellings {
	struct mock_told told[MOCK_TOLD];
	size_t next;
};

enum mock_ask {
	MOCK_ASK_ANSWER,  /* `body` is the request as plain HTTP would have it */
	MOCK_ASK_PREWARM,
	MOCK_ASK_BAD,     /* `why`, with a code */
};

struct mock_asked {
	struct buf body, items; /* items: of the whole conversation, to be told when it is answered */
	struct str model;       /* in the arena that was given */
	const char *code, *why;
};

/* Gives its buffers back. */
void mock_asked_free(struct mock_asked *a);

/* Reads a message. What is in *out before is forgotten. */
enum mock_ask mock_socket_ask(const struct mock_tellings *t, struct json_parser *p, struct arena *a,
			      struct str message, struct mock_asked *out);

/* An answer was given: its id, and the items of the conversation so far. The oldest of MOCK_TOLD is forgotten. */
void mock_tellings_add(struct mock_tellings *t, struct str id, struct str items);
void mock_tellings_free(struct mock_tellings *t);

#endif
