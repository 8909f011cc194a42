/*
 * The answer of a service, read while it comes: server-sent events, lines, a list or one document, in whatever pieces
 * its bytes arrive. Each value is read by its API (exchange.h) when it is whole, given away as events, and then
 * forgotten, so that nothing is held but the one that is coming.
 *
 * What every reader of answers needs to know is decided here and nowhere else: how its bytes are cut, when the first
 * byte, token and visible text came, whose answer it is, whether it is all there, why the model stopped, what it used.
 * What it said is the business of whoever takes the events. Readers of stored answers share what an event says.
 */
#ifndef DIALECT_EXCHANGE_ANSWER_STREAM_H
#define DIALECT_EXCHANGE_ANSWER_STREAM_H

#include "base/sse.h"
#include "dialect/exchange/exchange.h"

/* ---- one value ---- */

/* The parser and its memory: one for all the answers that a thread reads. */
struct answer_parser {
	struct reading reading;
	struct arena batch; /* of one value */
	struct buf text;    /* of the value at hand, padded as parsers want it */
	bool crowded;       /* of the value at hand there was more than is looked at: a hostile one takes no memory */
};

#define ANSWER_MOST_VALUES ((size_t)4 << 20) /* JSON values inside one, beyond which it is not read */
#define ANSWER_MOST_EVENTS ((size_t)1 << 16) /* events of one that are kept */

/*
 * Both cost as much as a few parsers, so keep one for each thread. answer_parser_free releases all that was read with
 * it.
 */
void answer_parser_init(struct answer_parser *p);
void answer_parser_free(struct answer_parser *p);

/* Whether some of the value at hand was left out, since there was too much of it. Until the next is read. */
bool answer_parser_is_crowded(const struct answer_parser *p);

/*
 * Reads one JSON value, leniently; events may be added to p->reading until answer_parse_end, which is to be called in
 * any case. The text is copied. False: it is no JSON, or has too many values in it (answer_parser_is_crowded).
 */
bool answer_parse(struct answer_parser *p, struct str text, struct val *v);

/* The value at hand and its events are gone. Memory of an unusually large one is given back. */
void answer_parse_end(struct answer_parser *p);

/* ---- an answer ---- */

/* How the bytes of an answer are cut. */
enum answer_form {
	ANSWER_UNSEEN, /* nothing has come that would tell */
	ANSWER_EVENTS, /* server-sent events */
	ANSWER_VALUES, /* one JSON value, several of them, or a list of them */
	ANSWER_OTHER,  /* nothing that we can read */
};

/* Values of JSON cut from bytes that come in any pieces: told by their brackets. All zero at first. */
struct answer_split {
	struct buf text; /* of the value at hand */
	unsigned depth;
	bool in_string, escaped, skipping;
};

/* Takes an event of the answer, which lasts for the call, and may change it. */
struct answer_sink {
	void (*take)(void *own, struct event *e);
	void *own;
};

struct answer_stream {
	const struct exchange_api *api; /* the owner sets these two before the first byte */
	bool asked;                     /* a stream was asked for */
	enum answer_form form;
	bool as_lines;       /* values are pieces of a stream */
	bool has_done;       /* a word that nothing more will come */
	bool has_stop;       /* why it stopped */
	bool refused;        /* by a filter, or by the model */
	bool has_value;      /* something of the API was read */
	bool has_error;
	bool bad;            /* a document that is no JSON, breaks off, or is too large; an event that is too large */
	bool too_large;      /* of these, the last two */
	bool torn;           /* it ended inside a value */
	uint64_t values;     /* read so far */
	uint64_t unread;     /* of a stream, what should have been JSON and is not */
	const char *stop_reason; /* folded (model/words.h); NULL; see answer_stream_stop */
	struct usage usage;
	struct amount usd; /* as the service states it */
	/* when they came, by answer_stream_came; 0: not yet. Only a stream has the last two. */
	int64_t byte_ns, token_ns, content_ns;
	/* at most ANSWER_ID bytes; p NULL: it does not say. They live in the owner's arena. */
	struct str model, id; /* of the body; the newest model, the first id */
	struct str request_id; /* of the head */
	struct str tier;       /* as struct event has it */
	/* the rest is answer_stream.c's */
	struct answer_parser *parser;
	struct arena *names;
	size_t event_most, body_most;
	bool sse_type, lines_type; /* what its Content-Type says */
	int64_t ns;                /* of the bytes at hand */
	struct sse_reader sse;
	struct answer_split split;
};

/*
 * Larger events are skipped, and so are larger documents: the answer is `bad` and `too_large` then. The parser, and
 * `names` for ids and the model's name, are the owner's and must outlive it. The owner sets `api` and `asked`.
 */
void answer_stream_init(struct answer_stream *s, struct answer_parser *p, struct arena *names, size_t event_most,
			size_t body_most);
void answer_stream_free(struct answer_stream *s);

/*
 * Ready for another answer; keeps its memory, unless it grew large. The owner sets `api` and `asked` again; what is in
 * `names` is the owner's to forget.
 */
void answer_stream_reset(struct answer_stream *s);

/* A header of the answer, before its first byte: its Content-Type and an id of the request are noted, others not. */
void answer_stream_header(struct answer_stream *s, struct str name, struct str value);

/* Bytes of the answer, packed or not, came at `ns`, by a clock of the owner that does not say 0. */
void answer_stream_came(struct answer_stream *s, int64_t ns);

/*
 * Bytes of the body, as they are when they are unpacked. Every value that is whole with them is given to `to` before
 * this returns. Never fails: what cannot be read is counted (unread) or flagged (bad); of ANSWER_OTHER nothing is
 * looked at.
 */
void answer_stream_push(struct answer_stream *s, struct str bytes, struct answer_sink to);

/* Bytes of memory that it holds of an answer. */
size_t answer_stream_held(const struct answer_stream *s);

/* Bytes are missing here: what was begun is given up, and so is the memory it took. */
void answer_stream_skip(struct answer_stream *s);

/*
 * No more bytes: an event or a value that was not ended came with the last of them. An event that is no JSON, or a
 * value that breaks off, makes it `torn`; the latter is `bad` too.
 */
void answer_stream_end(struct answer_stream *s, struct answer_sink to);

/* Whether it came in pieces; false while nothing has come that would tell. */
bool answer_stream_is_stream(const struct answer_stream *s);

/*
 * Whether it is all there: never when it is `bad`. A stream is by its end mark, or by a reason to stop when the
 * connection ended as it should (`closed`) or its API has no other end; a document when the connection ended as it
 * should.
 */
bool answer_stream_is_whole(const struct answer_stream *s, bool closed);

/*
 * Why it stopped, when it asks for so many calls: a service with one word for every good end means "tool_use" then. A
 * constant; NULL when it does not say.
 */
const char *answer_stream_stop(const struct answer_stream *s, size_t calls);

/* ---- for those that are stored ---- */

/* Whether the data of an event is the word that nothing follows. */
bool answer_is_done(struct str data);

/* How many bytes the object or list has that a text begins with, told by its brackets; 0 when it does not end. */
size_t answer_value_end(struct str text);

/* ---- what an event says ---- */

/* Streams of the Responses API say everything three times. */
enum answer_copy {
	ANSWER_DELTA, /* in pieces; also every event of the other APIs */
	ANSWER_ITEM,  /* an item that is whole */
	ANSWER_WHOLE, /* all items, when the answer is whole */
	ANSWER_COPIES,
};

/* Which copy of the answer an event is of, by its hint. */
enum answer_copy answer_event_copy(const struct event *e);

/* Bytes of text, thought and arguments. */
uint64_t answer_event_bytes(const struct event *e);

/* What an event brings, in whatever copy. Text, thought, arguments and named calls are tokens; text is content. */
enum answer_news {
	ANSWER_TOKEN = 1,
	ANSWER_CONTENT = 2,
	ANSWER_NEWS_END = 4, /* free for what others have to say */
};

/* A set of enum answer_news; 0 when the event brings nothing of the kind. */
unsigned answer_event_news(const struct event *e);

#endif
