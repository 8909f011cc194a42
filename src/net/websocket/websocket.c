/* Reading: a frame's head, its payload, what the frames of a message come to. */
#include "net/websocket/websocket.h"

#include <assert.h>
#include <stddef.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/utf8.h"

#define HEAD_MOST 14             /* bytes of a frame's head */
#define CONTROL_MOST 125         /* bytes of a control frame's payload */
#define PIECE ((size_t)16 << 10) /* unmasked or unpacked at once */
#define KEPT ((size_t)64 << 10)  /* memory that is kept for the next message */
#define UNPACKED_MOST 4          /* limits, that one message may unpack to before we give up */
#define ZLIB_HELD ((size_t)48 << 10)

struct websocket_reader {
	enum websocket_side sender;
	size_t limit;
	bool deflates, alone; /* alone: each message is packed by itself */
	/* the frame at hand */
	uint8_t head[HEAD_MOST];
	size_t head_count;
	bool in_frame, fin, is_control;
	enum websocket_kind kind;
	uint64_t left; /* of its payload */
	uint8_t mask[4];
	unsigned mask_at;
	char control[CONTROL_MOST];
	size_t control_count;
	/* the message at hand */
	bool in_message, packed, too_large, given;
	enum websocket_kind message_kind;
	struct buf message;
	uint64_t unpacked;
	bool has_z;
	z_stream z;
	/* the end */
	bool closed;
	const char *why;
	unsigned code;
};

static void *websocket_alloc(void *context, unsigned count, unsigned size)
{
	(void)context;
	return mem_alloc((size_t)count * size);
}

static void websocket_free(void *context, void *p)
{
	(void)context;
	mem_free(p);
}

struct websocket_reader *websocket_reader_open(enum websocket_side sender, size_t limit,
					       const struct websocket_deflate *agreed)
{
	struct websocket_reader *r = mem_alloc(sizeof(*r));

	*r = (struct websocket_reader){ .sender = sender, .limit = limit };
	if (agreed && agreed->on) {
		r->deflates = true;
		r->alone = sender == WEBSOCKET_CLIENT ? agreed->client_alone : agreed->server_alone;
	}
	buf_init(&r->message);
	return r;
}

void websocket_reader_close(struct websocket_reader *r)
{
	if (!r)
		return;
	if (r->has_z)
		inflateEnd(&r->z);
	buf_free(&r->message);
	mem_free(r);
}

static bool websocket_fail(struct websocket_reader *r, unsigned code, const char *why)
{
	r->code = code;
	r->why = why;
	buf_free(&r->message);
	return false;
}

/* ---- heads ---- */

/* How many bytes the head has, as far as those that are there tell. */
static size_t head_size(const struct websocket_reader *r)
{
	unsigned n;

	if (r->head_count < 2)
		return 2;
	n = r->head[1] & 127;
	return 2 + (n == 126 ? 2 : n == 127 ? 8 : 0) + (r->head[1] & 128 ? 4 : 0);
}

static bool is_known_kind(unsigned kind)
{
	return kind <= WEBSOCKET_BINARY || (kind >= WEBSOCKET_CLOSE && kind <= WEBSOCKET_PONG);
}

/* What the first two bytes may not say. */
static bool check_head(struct websocket_reader *r)
{
	unsigned reserved = r->head[0] & 0x70, kind = r->head[0] & 15;
	bool masked = r->head[1] & 128, control = kind & 8;

	if (!is_known_kind(kind))
		return websocket_fail(r, 1002, "a frame of a kind that nobody knows");
	if ((reserved & 0x30) || (reserved && (!r->deflates || control || kind == WEBSOCKET_CONTINUED)))
		return websocket_fail(r, 1002, "a reserved bit of a frame is set");
	if (masked != (r->sender == WEBSOCKET_CLIENT))
		return websocket_fail(r, 1002, masked ? "a frame of a server is masked"
						      : "a frame of a client is not masked");
	if (control && (!(r->head[0] & 128) || (r->head[1] & 127) > CONTROL_MOST))
		return websocket_fail(r, 1002, "a control frame is too large or in fragments");
	if (!control && (kind == WEBSOCKET_CONTINUED) != r->in_message)
		return websocket_fail(r, 1002, r->in_message ? "a message begins inside another"
							     : "a fragment has no message");
	return true;
}

/* The length must be told in as few bytes as it needs. */
static bool websocket_read_length(struct websocket_reader *r)
{
	unsigned n = r->head[1] & 127;
	size_t size = n == 126 ? 2 : n == 127 ? 8 : 0;

	r->left = size ? 0 : n;
	for (size_t i = 0; i < size; i++)
		r->left = r->left << 8 | r->head[2 + i];
	if ((size == 2 && r->left < 126) || (size == 8 && r->left <= UINT16_MAX) || r->left >> 63)
		return websocket_fail(r, 1002, "the length of a frame is not told as it must be");
	memcpy(r->mask, r->head + 2 + size, r->head[1] & 128 ? 4 : 0);
	return true;
}

/* The head is whole and good: its payload follows. */
static bool websocket_begin_frame(struct websocket_reader *r)
{
	if (!websocket_read_length(r))
		return false;
	r->kind = (enum websocket_kind)(r->head[0] & 15);
	r->fin = r->head[0] & 128;
	r->is_control = r->kind & 8;
	r->in_frame = true;
	r->mask_at = 0;
	r->control_count = r->head_count = 0;
	if (r->is_control || r->in_message)
		return true;
	r->in_message = true;
	r->message_kind = r->kind;
	r->packed = r->head[0] & 0x40;
	r->too_large = false;
	r->unpacked = 0;
	return true;
}

/* False when there are too few bytes, or they are bad. */
static bool websocket_take_head(struct websocket_reader *r, struct str *bytes)
{
	while (r->head_count < head_size(r)) {
		if (bytes->n == 0)
			return false;
		r->head[r->head_count++] = (uint8_t)bytes->p[0];
		*bytes = str_skip(*bytes, 1);
		if (r->head_count == 2 && !check_head(r))
			return false;
	}
	return websocket_begin_frame(r);
}

/* ---- payloads ---- */

static void websocket_keep(struct websocket_reader *r, struct str bytes)
{
	if (r->too_large)
		return;
	if (bytes.n > r->limit - r->message.n)
		websocket_skip(r);
	else
		buf_add_str(&r->message, bytes);
}

void websocket_skip(struct websocket_reader *r)
{
	if (!r->in_message || r->given)
		return;
	r->too_large = true;
	buf_free(&r->message);
}

/* A packed message may end its stream; what follows goes on with another that may look back to it. */
static bool websocket_go_on(struct websocket_reader *r)
{
	unsigned char window[32 << 10];
	unsigned n = sizeof(window);

	return inflateGetDictionary(&r->z, window, &n) == Z_OK && inflateReset(&r->z) == Z_OK &&
	       inflateSetDictionary(&r->z, window, n) == Z_OK;
}

static bool websocket_open_z(struct websocket_reader *r)
{
	if (r->has_z)
		return true;
	r->z = (z_stream){ .zalloc = websocket_alloc, .zfree = websocket_free };
	r->has_z = inflateInit2(&r->z, -15) == Z_OK; /* takes what was packed with any smaller window, too */
	return r->has_z;
}

/* What is beyond the limit is unpacked all the same where later messages may look back to it. */
static bool websocket_inflate(struct websocket_reader *r, struct str bytes)
{
	char out[PIECE];

	if (r->too_large && r->alone)
		return true;
	if (!websocket_open_z(r))
		return websocket_fail(r, 1009, "there is no memory to unpack a message");
	r->z.next_in = (unsigned char *)(uintptr_t)bytes.p;
	r->z.avail_in = (unsigned)bytes.n;
	for (;;) {
		size_t made;
		int status;

		r->z.next_out = (unsigned char *)out;
		r->z.avail_out = sizeof(out);
		status = inflate(&r->z, Z_SYNC_FLUSH);
		made = sizeof(out) - r->z.avail_out;
		r->unpacked += made;
		if (made)
			websocket_keep(r, str_of(out, made));
		if (r->too_large && r->alone)
			return true; /* wherever the bytes were cut: what follows is not looked at */
		if (r->unpacked / UNPACKED_MOST > r->limit)
			return websocket_fail(r, 1009, "a message unpacks to far too much");
		if (status == Z_STREAM_END) {
			if (!websocket_go_on(r))
				return websocket_fail(r, 1007, "a packed message is damaged");
		} else if (status != Z_OK && status != Z_BUF_ERROR) {
			return websocket_fail(r, 1007, "a packed message is damaged");
		}
		if (r->z.avail_in == 0 && r->z.avail_out)
			return true;
		if (status == Z_BUF_ERROR && made == 0)
			return websocket_fail(r, 1007, "a packed message is damaged");
	}
}

static bool websocket_add(struct websocket_reader *r, struct str bytes)
{
	if (r->packed)
		return websocket_inflate(r, bytes);
	websocket_keep(r, bytes);
	return true;
}

/* Bytes of a payload, at most PIECE of them when they are masked, without the mask. */
static struct str websocket_unmask(struct websocket_reader *r, struct str bytes, char out[PIECE])
{
	if (r->sender == WEBSOCKET_SERVER)
		return bytes;
	for (size_t i = 0; i < bytes.n; i++)
		out[i] = (char)((uint8_t)bytes.p[i] ^ r->mask[r->mask_at++ & 3]);
	return str_of(out, bytes.n);
}

/* Takes what is there of the payload. */
static bool websocket_take_payload(struct websocket_reader *r, struct str *bytes)
{
	char plain[PIECE];

	while (r->left && bytes->n) {
		size_t n = r->left < bytes->n ? (size_t)r->left : bytes->n;
		struct str piece;

		n = n < PIECE ? n : PIECE;
		piece = websocket_unmask(r, str_of(bytes->p, n), plain);
		*bytes = str_skip(*bytes, n);
		r->left -= n;
		if (r->is_control) {
			memcpy(r->control + r->control_count, piece.p, n);
			r->control_count += n;
		} else if (!websocket_add(r, piece)) {
			return false;
		}
	}
	return true;
}

/* ---- ends ---- */

static bool is_close_code(unsigned code)
{
	return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

static enum websocket_next websocket_end_control(struct websocket_reader *r, struct websocket_message *out)
{
	struct str bytes = str_of(r->control, r->control_count);

	*out = (struct websocket_message){ .kind = r->kind, .bytes = bytes };
	if (r->kind != WEBSOCKET_CLOSE)
		return WEBSOCKET_CONTROL;
	out->code = 1005;
	if (bytes.n >= 2) {
		out->code = (unsigned)(uint8_t)bytes.p[0] << 8 | (uint8_t)bytes.p[1];
		out->bytes = str_skip(bytes, 2);
	}
	if (bytes.n == 1 || (bytes.n && !is_close_code(out->code)))
		websocket_fail(r, 1002, "a close has a code that may not be sent");
	else if (utf8_check(out->bytes) != out->bytes.n)
		websocket_fail(r, 1007, "the reason of a close is not UTF-8");
	r->closed = true;
	return r->why ? WEBSOCKET_BAD : WEBSOCKET_CONTROL;
}

/* The four bytes that senders leave out complete a packed message. */
static bool websocket_end_packed(struct websocket_reader *r)
{
	if (!r->packed)
		return true;
	if (!websocket_inflate(r, str_of("\0\0\xff\xff", 4)))
		return false;
	if (r->alone && r->has_z && inflateReset(&r->z) != Z_OK)
		return websocket_fail(r, 1007, "a packed message is damaged");
	return true;
}

static enum websocket_next websocket_end_message(struct websocket_reader *r, struct websocket_message *out)
{
	if (!websocket_end_packed(r))
		return WEBSOCKET_BAD;
	r->given = true;
	*out = (struct websocket_message){ .kind = r->message_kind, .bytes = buf_str(&r->message) };
	if (r->too_large)
		return WEBSOCKET_TOO_LARGE;
	if (out->kind == WEBSOCKET_TEXT && utf8_check(out->bytes) != out->bytes.n) {
		websocket_fail(r, 1007, "a text message is not UTF-8");
		return WEBSOCKET_BAD;
	}
	return WEBSOCKET_MESSAGE;
}

/* The message that was given is over. */
static void websocket_forget(struct websocket_reader *r)
{
	if (!r->given)
		return;
	r->given = r->in_message = false;
	buf_clear(&r->message);
	if (r->message.cap > KEPT)
		buf_free(&r->message);
}

enum websocket_next websocket_next(struct websocket_reader *r, struct str *bytes, struct websocket_message *out)
{
	*out = (struct websocket_message){ .bytes = { NULL, 0 } };
	websocket_forget(r);
	while (!r->why) {
		if (r->closed) {
			*bytes = str_of(NULL, 0);
			return WEBSOCKET_MORE;
		}
		if (!r->in_frame && !websocket_take_head(r, bytes))
			return r->why ? WEBSOCKET_BAD : WEBSOCKET_MORE;
		if (!websocket_take_payload(r, bytes))
			return WEBSOCKET_BAD;
		if (r->left)
			return WEBSOCKET_MORE;
		r->in_frame = false;
		if (r->is_control)
			return websocket_end_control(r, out);
		if (r->fin)
			return websocket_end_message(r, out);
	}
	return WEBSOCKET_BAD;
}

bool websocket_is_inside(const struct websocket_reader *r)
{
	return r->head_count || r->in_frame || (r->in_message && !r->given);
}

size_t websocket_held(const struct websocket_reader *r)
{
	return sizeof(*r) + r->message.cap + (r->has_z ? ZLIB_HELD : 0);
}

const char *websocket_why(const struct websocket_reader *r)
{
	return r->why;
}

unsigned websocket_code(const struct websocket_reader *r)
{
	return r->code;
}
