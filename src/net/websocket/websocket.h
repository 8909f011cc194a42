/*
 * WebSocket (RFC 6455) with permessage-deflate (RFC 7692): the frames of one direction in, messages out; and back.
 *
 * A reader takes bytes in any pieces and gives the same answers however they are cut. It is strict, as the two ends of
 * a socket must be: what the standard forbids is WEBSOCKET_BAD with a reason, and nothing more can be read after it.
 * What it holds is bounded: a message beyond the limit is skipped and told, and so is one that unpacks to more; one
 * that unpacks to very much more ends the reading, since unpacking it would cost more than it is worth.
 *
 * A writer makes frames for a server or a client, packed where that was agreed on. Handshakes are HTTP: here are only
 * the parts that WebSocket adds to their heads.
 */
#ifndef NET_WEBSOCKET_WEBSOCKET_H
#define NET_WEBSOCKET_WEBSOCKET_H

#include "base/buf.h"
#include "net/http/http.h"

/* Who sends: what a client sends is masked, what a server sends is not. */
enum websocket_side { WEBSOCKET_CLIENT, WEBSOCKET_SERVER };

/* Opcodes, as they stand in frames. */
enum websocket_kind {
	WEBSOCKET_CONTINUED = 0,
	WEBSOCKET_TEXT = 1,
	WEBSOCKET_BINARY = 2,
	WEBSOCKET_CLOSE = 8,
	WEBSOCKET_PING = 9,
	WEBSOCKET_PONG = 10,
};

/* What the two sides agreed on. All zero: nothing is packed. Bits are 9 to 15, or 0 for 15. */
struct websocket_deflate {
	bool on;
	bool client_alone, server_alone; /* each message of this side is packed by itself: no context takeover */
	int client_bits, server_bits;
};

/* ---- handshakes ---- */

/* Whether a request asks for a WebSocket. */
bool websocket_is_asked(const struct http_head *request);

/*
 * What the head of an answer (101) says was agreed on. False when it names an extension, or a parameter, that is not
 * known: then frames cannot be read.
 */
bool websocket_agreed(const struct http_head *answer, struct websocket_deflate *out);

/* For a server: the first offer of a request that the writer can do, or none. */
void websocket_choose(const struct http_head *request, struct websocket_deflate *out);

/* The value of Sec-WebSocket-Extensions for an answer; nothing is added when nothing is packed. */
void websocket_add_extensions(struct buf *out, const struct websocket_deflate *d);

/* The value of Sec-WebSocket-Accept for a request's Sec-WebSocket-Key. */
void websocket_add_accept(struct buf *out, struct str key);

/* ---- reading ---- */

enum websocket_next {
	WEBSOCKET_MORE,      /* all bytes are taken */
	WEBSOCKET_MESSAGE,   /* text or binary, whole */
	WEBSOCKET_CONTROL,   /* close, ping, pong: they may stand between the fragments of a message */
	WEBSOCKET_TOO_LARGE, /* a message was larger than the limit, and is over */
	WEBSOCKET_BAD,       /* websocket_why says what is wrong */
};

struct websocket_message {
	enum websocket_kind kind;
	struct str bytes;   /* unmasked and unpacked; of a close, the reason. Lasts until the next call */
	unsigned code;      /* of a close; 1005 when it says none */
};

struct websocket_reader;

/* `limit`: bytes of a message, unpacked. Never NULL; lives until websocket_reader_close, which takes NULL too. */
struct websocket_reader *websocket_reader_open(enum websocket_side sender, size_t limit,
					       const struct websocket_deflate *agreed);
void websocket_reader_close(struct websocket_reader *r);

/*
 * Takes bytes from the front of *bytes; call again until WEBSOCKET_MORE or WEBSOCKET_BAD. What stands behind a close is
 * taken and dropped. Text that is not UTF-8 is WEBSOCKET_BAD, too.
 */
enum websocket_next websocket_next(struct websocket_reader *r, struct str *bytes, struct websocket_message *out);

/* Whether bytes of a frame or a message are there that is not over. */
bool websocket_is_inside(const struct websocket_reader *r);

/* Gives up the message at hand, as if it were too large. */
void websocket_skip(struct websocket_reader *r);

/* Bytes of memory that it holds, nearly. */
size_t websocket_held(const struct websocket_reader *r);

/* After WEBSOCKET_BAD: what is wrong, a constant; and the code to close with (1002, 1007, 1009). */
const char *websocket_why(const struct websocket_reader *r);
unsigned websocket_code(const struct websocket_reader *r);

/* ---- writing ---- */

struct websocket_writer;

/* Never NULL; lives until websocket_writer_close, which takes NULL too. */
struct websocket_writer *websocket_writer_open(enum websocket_side sender, const struct websocket_deflate *agreed);
void websocket_writer_close(struct websocket_writer *w);

/* Adds a message as one frame; text and binary are packed where that was agreed on. `mask` is a client's. */
void websocket_write(struct websocket_writer *w, struct buf *out, enum websocket_kind kind, struct str bytes,
		     uint32_t mask);

/* Adds a close with this code and reason, which is shortened to what fits. */
void websocket_write_close(struct websocket_writer *w, struct buf *out, unsigned code, struct str reason,
			   uint32_t mask);

/* A frame as it is told: for fragments, and for those that test readers. */
struct websocket_frame {
	bool more;   /* not the last of its message */
	bool packed; /* RSV1 */
	enum websocket_kind kind;
	bool masked;
	uint32_t mask;
};

/* Adds one frame with its head; the payload is masked on the way when the frame says so. */
void websocket_add_frame(struct buf *out, const struct websocket_frame *f, struct str payload);

#endif
