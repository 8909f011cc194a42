/*
 * What a receiver of OTLP says in the body of its answer: Export*ServiceResponse after a success, google.rpc.Status
 * after a refusal, in the encoding that its Content-Type names. Pure; nothing in the bytes is trusted.
 */
#ifndef SINK_PUSH_REPLY_H
#define SINK_PUSH_REPLY_H

#include "base/arena.h"
#include "json/json.h"

enum push_reply_kind {
	PUSH_REPLY_EMPTY,   /* nothing: after a success that means that all was taken */
	PUSH_REPLY_READ,
	PUSH_REPLY_BROKEN,  /* not what its Content-Type says */
	PUSH_REPLY_FOREIGN, /* neither of the two encodings, HTML perhaps */
};

struct push_reply {
	enum push_reply_kind kind;
	uint64_t rejected;  /* spans or data points */
	struct str message; /* as it came: it is neither masked nor one line. Empty: none */
};

/*
 * Reads a body. `good`: it answers with success. The message lives as long as the body, the arena and the parser's next
 * parse. Of a refusal in JSON that is no Status, the members that other servers use ("detail", "error") are its
 * message; of one in plain text, the text.
 */
struct push_reply push_reply_read(struct arena *a, struct json_parser *parser, struct str media, struct str body,
				  bool good);

#endif
