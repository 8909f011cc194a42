/*
 * From a request to an answer: which rule, which ids, which bytes, when. No sockets and no clock here: delays are told,
 * and whoever sends the bytes waits. The same requests in the same order give the same bytes in every run.
 */
#ifndef PROVIDER_MOCK_ANSWER_H
#define PROVIDER_MOCK_ANSWER_H

#include "base/map.h"
#include "provider/mock_match.h"
#include "provider/mock_talk.h"

/* What outlives a request. */
struct mock_maker {
	struct arena arena;
	struct arena scratch; /* of the request at hand: its texts need not live as long as its answer */
	const struct mock_script *script; /* NULL: everything is echoed */
	struct mock_matcher matcher;
	struct map seen; /* digests of bodies, and how often each came */
	struct json_parser *parser;
	struct sha256 sha;
};

#define MOCK_SEEN_MAX ((size_t)1 << 20) /* different bodies remembered; later ones count as new each time */
#define MOCK_BODY_MOST ((size_t)64 << 20) /* of a request, packed or not */
#define MOCK_HEADERS 5                  /* of our own, at most */

struct mock_answer {
	int status;
	const struct http_header *headers;
	size_t header_count;
	bool streamed;
	uint64_t delay_ms; /* before its head is sent */
	struct str body;   /* when it is not streamed: all of it, though less may be given */
	struct str path, model;
	struct str id;     /* that its head carries; empty for none */
	const struct mock_rule *rule; /* that answered, or NULL */
	bool has_words;    /* something of what a model says was made */
	/* the rest is mock_answer.c's */
	enum mock_endpoint endpoint;
	const struct mock_fault *fault;
	const struct mock_shape *shape;
	struct mock_talk talk;
	struct mock_steps steps;
	uint64_t bytes;
	bool given, cut, spoiled, piece_given, stalled;
};

/* The script is borrowed and must live as long as the maker; NULL: every request is echoed. */
void mock_maker_init(struct mock_maker *m, const struct mock_script *script);
/* After the last answer that it made is gone. */
void mock_maker_free(struct mock_maker *m);

/*
 * Decides on the whole answer. It never fails: a request that is refused, or that no rule fits, is answered with an
 * error in its provider's shape. The head and the body may go away after the call: what is needed of them is copied to
 * the arena, which must live as long as the answer.
 */
void mock_answer_make(struct mock_maker *m, struct arena *a, const struct http_head *h, struct str body,
		      struct mock_answer *out);

enum mock_next {
	MOCK_MORE,   /* bytes were added to `out` (perhaps none), to be sent when the delay is over */
	MOCK_DONE,   /* the answer is complete */
	MOCK_BROKEN, /* after the delay the connection is to be closed: a fault of the script */
};

/*
 * The next bytes of the body, added to `out`, and how long to wait before they are sent. The answer must stay where
 * mock_answer_make put it. Call again until it is not MOCK_MORE.
 */
enum mock_next mock_answer_next(struct mock_answer *x, struct buf *out, uint64_t *delay_ms);

#endif
