/*
 * HTTP/1.1 messages read strictly: bytes in, heads and bodies out. A proxy that reads a message in another way than
 * its neighbour lets requests be smuggled, so what readers are known to differ about is refused and not mended: a
 * length together with chunks, two lengths, a bare CR or LF, folded lines, a space before a colon, control characters,
 * none or two Hosts, chunk sizes that are not plain hex, any coding but "chunked", bytes behind a message that was to
 * be the last. Each head is then read a second time, by llhttp (http/second.h), and both must see the same.
 *
 * A reader takes one message after the other from one direction of a connection. Bytes may come in any pieces; the
 * answers, faults and their reasons too, are the same. A head is kept in one buffer, which is used again for the next
 * one; bodies are never copied. Trailers and chunk extensions are checked and dropped.
 */
#ifndef NET_HTTP_HTTP_H
#define NET_HTTP_HTTP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

enum http_side { HTTP_REQUEST, HTTP_RESPONSE };

struct http_header {
	struct str name, value; /* as they came; the value without spaces around it */
};

enum http_framing {
	HTTP_NONE,    /* no body */
	HTTP_LENGTH,
	HTTP_CHUNKED,
	HTTP_TO_END,  /* until the connection closes: answers only */
};

struct http_head {
	enum http_side side;
	struct str method, target; /* requests; the target is a path, an http address, "*" or CONNECT's "host:port" */
	int status;                /* answers: any three digits */
	struct str reason;         /* answers, as it came; may be empty */
	int minor;                 /* HTTP/1.minor */
	const struct http_header *headers;
	size_t count;
	enum http_framing framing;
	uint64_t length;           /* with HTTP_LENGTH */
	bool keep_alive;           /* the connection may be used again */
	bool expect_continue;
	bool upgrade;              /* asked for another protocol, or (answer 101) was given it */
};

/* Names of headers are the same in any case. */
static inline bool http_name_eq(struct str a, struct str b)
{
	return str_eq_nocase(a, b);
}

/* Whether a list ("close, upgrade") has an item, in any case. An empty list, p NULL too, has none. */
bool http_list_has(struct str list, struct str item);

/* The first header of this name, in any case; p NULL when there is none. */
struct str http_find(const struct http_head *h, struct str name);

/* Of "http://[user@]host[:port]/path" the host and port; of a target that is no address, nothing. */
struct str http_authority(struct str target);

struct http_limits {
	size_t head;    /* bytes of a head, with its first line; again of extensions and trailers; 0 means 64 KiB */
	size_t headers; /* and again of trailers; 0 means 200 */
	uint64_t body;  /* bytes of a body, decoded; 0 means no limit */
	bool connect;   /* CONNECT is taken, without a body; else it gets 501 */
};

enum http_next {
	HTTP_MORE, /* all bytes are taken */
	HTTP_HEAD, /* http_reader_head has it, until bytes of the next one are given. 1xx are messages of their own */
	HTTP_BODY, /* *body is a piece of it, decoded; points into the bytes given */
	HTTP_DONE, /* the message is over; the next call begins another one */
	HTTP_BAD,  /* http_reader_why and _status (400, 413, 431, 501, 505; answers 502); nothing more can be read */
};

struct http_reader;

/* A reader of one direction, with a copy of the limits. Never NULL; lives until http_reader_close. */
struct http_reader *http_reader_open(enum http_side side, const struct http_limits *limits);
void http_reader_close(struct http_reader *r);

/* Ready for another connection; keeps its memory. */
void http_reader_reset(struct http_reader *r);

/* Before an answer: what it answers, since one to HEAD has no body. Holds for one answer, and for 1xx before it. */
void http_reader_expect(struct http_reader *r, struct str method);

/*
 * Takes bytes from the front of *bytes; call again until HTTP_MORE or HTTP_BAD. *body is empty but for HTTP_BODY. After
 * HTTP_BAD every further call gives it too, until http_reader_reset.
 */
enum http_next http_next(struct http_reader *r, struct str *bytes, struct str *body);

/* The connection ended. HTTP_DONE: a message that goes on until then. HTTP_MORE: between messages. Else HTTP_BAD. */
enum http_next http_end(struct http_reader *r);

/* The last head that was read whole; its texts last until bytes of the next one are given. */
const struct http_head *http_reader_head(const struct http_reader *r);
/* After HTTP_BAD: what is wrong, a constant ("two Content-Length headers"), and the status to answer it with. */
const char *http_reader_why(const struct http_reader *r);
int http_reader_status(const struct http_reader *r);

/* ---- writing ---- */

/* Whether a header is for one connection only, or named by Connection, and so is not passed on. */
bool http_is_hop(const struct http_head *h, struct str name);

/* The reason of a status: "Not Found"; of one nobody knows, its class. Never NULL, and a constant. */
const char *http_reason(int status);

/* A header as a line. Its name and value must be such as may be sent: http_is_token, http_find_control. */
void http_add_header(struct buf *out, const struct http_header *h);

/* A number in decimal digits. */
void http_add_number(struct buf *out, uint64_t n);

/* What stands before a chunk: its size in hex, and a line end. A size of 0 would end the body. */
void http_add_chunk_size(struct buf *out, size_t n);

#endif
