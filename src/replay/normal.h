/*
 * A body in the one form in which it is compared. JSON is written as RFC 8785 has it, with one difference: an integer
 * that no double can hold keeps its digits, since two of them may be two different things. What says nothing about
 * what is asked is left out (of MCP the ids and what is in _meta); sampling parameters and members that only say who
 * asks (cassette_rules.h) stand apart, and `tools` are in the order of their names. A body that is no JSON stays as it
 * is.
 */
#ifndef REPLAY_NORMAL_H
#define REPLAY_NORMAL_H

#include "base/arena.h"
#include "base/str.h"

#define NORMAL_DEPTH 512 /* containers in each other; a deeper body is no JSON here */

enum normal_kind {
	NORMAL_PLAIN,   /* nothing is left out */
	NORMAL_MODEL,   /* a request to a model */
	NORMAL_SERVICE, /* to a path of no API: to a model only where the body is surely of one */
	NORMAL_MCP,     /* a message of JSON-RPC */
};

/*
 * By the lane: "model", those that begin with "mcp", and all others. Requests to models have rules of their own, by
 * which nobody else is asked: to another service "user" and "options" may be all that counts.
 */
enum normal_kind normal_kind_of(struct str lane, struct str target);

struct normal_parameter {
	struct str name, value; /* a JSON pointer; JSON in canonical form */
	bool is_user;           /* it says who asks, and nothing of what is asked */
};

struct normal {
	bool is_json;
	struct str bytes; /* never NULL */
	const struct normal_parameter *parameters;
	size_t parameter_count;
	struct str tools; /* their names as they were listed, each ended by LF; empty when there are none */
	struct str tool;  /* that a message of MCP calls; empty */
};

struct normalizer;

/* Working memory, used from body to body. Never NULL; normal_close takes NULL too. */
struct normalizer *normal_open(void);
void normal_close(struct normalizer *z);

/* The texts are in the arena, but for bytes that are no JSON, which are the body. Never fails. */
void normal_make(struct normalizer *z, struct arena *a, enum normal_kind kind, struct str body, struct normal *out);

#endif
