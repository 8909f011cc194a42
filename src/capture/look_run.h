/* What the parts of a look share: look.c, look_request.c, look_answer.c, look_calls.c. */
#ifndef CAPTURE_LOOK_RUN_H
#define CAPTURE_LOOK_RUN_H

#include "base/sse.h"
#include "capture/look.h"
#include "capture/unpack.h"
#include "dialect/anthropic_stream.h"
#include "dialect/exchange.h"

#define LOOK_BODY ((size_t)64 << 20)  /* bytes of a body, unpacked, that are looked at */
#define LOOK_EVENT ((size_t)8 << 20)  /* of one event of a stream */
#define LOOK_TEXT 200                 /* of an id or a name */
#define LOOK_CALLS 4096               /* in one answer */

struct looks {
	struct reading reading;
	struct arena batch;          /* of one value */
	struct json_parser *content; /* of a result's content */
	struct buf unpacked;
	struct buf text; /* of the value at hand, padded as parsers want it */
	struct look *unused;
	size_t unused_count;
};

/* How the bytes of an answer are cut. */
enum look_form {
	FORM_UNSEEN, /* nothing has come that would tell */
	FORM_EVENTS, /* server-sent events */
	FORM_VALUES, /* one JSON value, several of them, or a list of them */
	FORM_OTHER,  /* nothing that we can read */
};

/* Values of JSON cut from bytes that come in any pieces: told by their brackets. */
struct look_split {
	struct buf text; /* of the value at hand */
	unsigned depth;
	bool in_string, escaped, skipping;
};

struct look {
	struct looks *all;
	struct look *next; /* in the list of unused ones */
	struct arena arena;
	struct sight s;
	const struct exchange_api *api;
	struct str path; /* of the endpoint */
	uint64_t asked;  /* digest of method and endpoint */
	enum unpack_kind request_packing, answer_packing;
	bool post;
	/* the answer */
	struct unpack *unpack;
	enum look_form form;
	bool sse_type, lines_type; /* what its Content-Type says */
	bool as_lines;             /* values are pieces of a stream */
	struct sse_reader sse;
	struct look_split split;
	struct anthropic_stream follow;
	bool has_done;  /* a word that nothing more will come */
	bool has_stop;  /* why it stopped */
	bool has_value; /* something of the API was read */
	bool has_error, bad, lost;
	int64_t ns; /* of the bytes at hand */
	uint64_t prompt_bytes;
	uint64_t said_bytes[3]; /* in pieces, in whole items, in the whole answer: some streams tell all three times */
	struct look_call {
		int index;
		uint64_t branch; /* digest; calls of another choice have the same indexes */
		uint64_t id;     /* digest of it; 0: none yet */
		uint64_t tool;   /* of the name as it came; 0: none yet */
		bool answered;   /* by the service itself */
	} *call_marks;           /* beside s.calls */
	size_t call_cap;
};

/* A copy of an id or a name, not longer than those are; p NULL for none. */
struct str look_keep(struct look *k, struct str text);

/* Reads one JSON value: events are in the reading until the next. `how` is called with it. False: no JSON. */
bool look_read(struct looks *l, struct str text, struct val *v);
void look_read_end(struct looks *l);

/* ---- look_request.c ---- */

void look_read_request(struct look *k, struct str body);

/* ---- look_answer.c ---- */

void look_read_answer(struct look *k, struct str bytes);

/* No more bytes: an event or a value that was not ended. */
void look_read_rest(struct look *k);

/* ---- look_calls.c ---- */

void look_add_call(struct look *k, const struct event *e);
void look_answer_call(struct look *k, struct str id);

/* Those that the service answered itself are nobody's to wait for. */
void look_settle_calls(struct look *k);

#endif
