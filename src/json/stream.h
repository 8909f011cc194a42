/*
 * A document too large to hold, as a stream of values: push bytes in, pull events out. Containers
 * above `split_depth` are entered and left; everything at that depth, and every scalar above it,
 * comes whole. With split_depth 2,
 *
 *	{"resourceSpans": [ {...}, {...} ], "n": 1}
 *
 * gives ENTER "", ENTER /resourceSpans, VALUE /resourceSpans/0, VALUE /resourceSpans/1, LEAVE, VALUE
 * /n, LEAVE, END. With split_depth 0 the document is one value.
 *
 * How it works: outside values a small machine follows the grammar byte by byte. A value is not
 * parsed while it comes in: only brackets and quotes are followed, to find its end, and then the fast
 * parser has it in one piece. When something is wrong, the plain parser reads that one piece again
 * and says where and what, and the stream adds its own place to that.
 *
 * Promised: pieces may be cut anywhere, and the events do not depend on where. The stream accepts and
 * refuses the same documents as json_parse with the same options, and reports the same first issue
 * (code, offset, line, column, pointer, words), except that
 *  - a value or a name longer than value_max is refused as E_LIMIT, unless something was wrong in
 *    the part that was kept;
 *  - the names of an entered object are remembered, to refuse duplicates; when those that are
 *    remembered at one time need more than names_max bytes, that is E_LIMIT. With allow_duplicates
 *    they are not remembered;
 *  - there is no limit to the size of the document.
 * Memory is bounded by value_max and names_max, whatever comes in; what is needed is the largest
 * value and its tape.
 *
 * Not taken: checking values while they come in, which would be a second parser as large as the
 * first; stopping at an issue inside a value before the value's end has come.
 */
#ifndef JSON_STREAM_H
#define JSON_STREAM_H

#include "json/json.h"

#define JSON_STREAM_DEPTH 32                    /* largest split_depth */
#define JSON_STREAM_VALUE_MAX ((size_t)64 << 20) /* default of value_max */
#define JSON_STREAM_NAMES_MAX ((size_t)64 << 20) /* default of names_max */

enum json_event {
	JSON_STREAM_MORE,  /* feed the next piece, or finish */
	JSON_STREAM_ENTER, /* a container that is not given whole */
	JSON_STREAM_VALUE,
	JSON_STREAM_LEAVE, /* the container entered last */
	JSON_STREAM_END,   /* the document was whole and right; given again and again */
	JSON_STREAM_FAIL,  /* it was not; given again and again */
};

struct json_stream_options {
	struct json_options json;
	uint32_t split_depth;
	size_t value_max, names_max; /* 0 means the defaults */
};

/* What an event is about. Everything lasts until the next call. */
struct json_item {
	enum json_type type;
	uint32_t depth;      /* containers around it */
	bool named;          /* it is a member */
	struct str name;     /* of the member, unescaped */
	struct str pointer;  /* RFC 6901, in the document */
	uint64_t offset;     /* in the document; LEAVE: of the closing bracket */
	uint64_t line;       /* 1-based, at that offset */
	struct str text;     /* VALUE only: padded for json_parse */
	struct val value;    /* VALUE only: parsed already */
};

struct json_stream;

/* A stream before its first byte; split_depth is at most JSON_STREAM_DEPTH. json_stream_close takes NULL too. */
struct json_stream *json_stream_open(struct json_stream_options options);
void json_stream_close(struct json_stream *s);

/*
 * The next bytes of the document, which must stay as they are until MORE is asked for. Only then, and not after finish:
 * asserted.
 */
void json_stream_feed(struct json_stream *s, struct str piece);

/* There are no more bytes. When MORE was given; the events that are left follow, END or FAIL last. */
void json_stream_finish(struct json_stream *s);

/* The next event. FAIL: *issue says what and where; its pointer lasts as long as the stream. */
enum json_event json_stream_next(struct json_stream *s, struct json_item *out, struct json_issue *issue);

#endif
