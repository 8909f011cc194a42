/*
 * What the mock server is told to say: rules, each with what it fits, what is answered, how fast, and what goes wrong.
 * doc/mock.md tells users the same. A script is read whole and strictly before the first request: a member
 * nobody knows is an error, since a misspelt one would look like a rule that does nothing.
 */
#ifndef PROVIDER_MOCK_SCRIPT_H
#define PROVIDER_MOCK_SCRIPT_H

#include "base/arena.h"
#include "base/err.h"
#include "net/http/http.h"

#define MOCK_SCHEMA "trackway.mock/1"
#define MOCK_UNSAID UINT64_MAX /* a count that the script leaves to us */

/* All that is given must fit. p is NULL for what was not given. */
struct mock_pattern {
	struct str path;     /* an end of the path, or with * and ? the whole of it */
	struct str model;    /* the whole name, with * and ? */
	struct str contains; /* a part of any text of the request */
	struct str last;     /* a part of the newest message of a user or tool */
	uint64_t times;      /* only the first so many requests with the very same body; 0 for all */
	uint64_t nth;        /* only the n-th request that all the above fits, from 1; 0 for each */
};

struct mock_call {
	struct str name;
	struct str arguments; /* JSON text, or any text */
	struct str object;    /* the same where the wire has an object: "{}" when the text is none */
	bool custom;          /* a custom tool: its arguments are any text, its object is {"input": text} */
};

/* Tokens. `input` has the cached ones in it, `output` those of reasoning. */
struct mock_usage {
	uint64_t input, output, cache_read, cache_write, reasoning;
};

struct mock_reply {
	struct str text, reasoning; /* p is NULL when not given */
	const struct mock_call *calls;
	size_t call_count;
	struct mock_usage usage; /* MOCK_UNSAID where not given */
	struct str finish;       /* p is NULL when not given */
};

struct mock_pace {
	uint64_t ttft_ms, itl_ms;
	uint64_t chunk; /* characters of a piece; 0 means a word */
};

struct mock_fault {
	int status; /* 0 for none */
	const struct http_header *headers;
	size_t header_count;
	bool cuts;                       /* the two below count */
	uint64_t cut_events, cut_bytes;  /* of a stream's events, of the body's bytes; MOCK_UNSAID: not by these */
	bool cut_plain;                  /* given as a number: events of a stream, bytes of anything else */
	bool bad_json; /* one event of a stream, or the body, is cut in half */
	uint64_t stall_ms; /* before a whole answer or an error, behind a stream's first piece, or at the cut */
};

struct mock_rule {
	struct mock_pattern match;
	struct mock_reply reply;
	struct mock_pace pace;
	struct mock_fault fault;
	bool echoes; /* no reply was given */
};

struct mock_script {
	const struct mock_rule *rules;
	size_t count;
	bool no_websocket; /* requests for one are answered 426 */
};

/*
 * Reads a script; everything lives in the arena, nothing points into `text`. `name` is for messages only. False and
 * *err: ERR_DATA with the place ("name:line:column"), the JSON Pointer, what is wrong and what is expected; *out is
 * then not to be used.
 */
bool mock_script_parse(struct arena *a, struct str text, struct str name, struct mock_script *out, struct err *err);

#endif
