/* Writing: frames, and messages packed as was agreed on. */
#include <zlib.h>

#include "base/arena.h"
#include "net/websocket/websocket.h"

#define CLOSE_MOST 123 /* bytes of a reason: a control frame has 125, and the code is two */
#define PACKED_LEAST 9 /* bits of a window that zlib can pack with */

struct websocket_writer {
	enum websocket_side sender;
	bool deflates, alone;
	int bits;
	bool has_z;
	z_stream z;
	struct buf packed;
};

struct websocket_writer *websocket_writer_open(enum websocket_side sender, const struct websocket_deflate *agreed)
{
	struct websocket_writer *w = mem_alloc(sizeof(*w));
	bool client = sender == WEBSOCKET_CLIENT;

	*w = (struct websocket_writer){ .sender = sender, .bits = 15 };
	if (agreed && agreed->on) {
		int bits = client ? agreed->client_bits : agreed->server_bits;

		w->deflates = bits == 0 || bits >= PACKED_LEAST;
		w->bits = bits ? bits : 15;
		w->alone = client ? agreed->client_alone : agreed->server_alone;
	}
	buf_init(&w->packed);
	return w;
}

void websocket_writer_close(struct websocket_writer *w)
{
	if (!w)
		return;
	if (w->has_z)
		deflateEnd(&w->z);
	buf_free(&w->packed);
	mem_free(w);
}

static void add_length(struct buf *out, uint8_t masked, uint64_t n)
{
	unsigned size = n < 126 ? 0 : n <= UINT16_MAX ? 2 : 8;

	buf_add_byte(out, (char)(masked | (size == 0 ? n : size == 2 ? 126 : 127)));
	for (unsigned i = size; i-- > 0;)
		buf_add_byte(out, (char)(n >> (8 * i)));
}

void websocket_add_frame(struct buf *out, const struct websocket_frame *f, struct str payload)
{
	const uint8_t mask[4] = { (uint8_t)(f->mask >> 24), (uint8_t)(f->mask >> 16), (uint8_t)(f->mask >> 8),
				  (uint8_t)f->mask };

	buf_add_byte(out, (char)((f->more ? 0 : 128) | (f->packed ? 0x40 : 0) | (int)f->kind));
	add_length(out, f->masked ? 128 : 0, payload.n);
	if (!f->masked) {
		buf_add_str(out, payload);
		return;
	}
	buf_add(out, mask, sizeof(mask));
	for (size_t i = 0; i < payload.n; i++)
		buf_add_byte(out, (char)((uint8_t)payload.p[i] ^ mask[i & 3]));
}

/* Without the four bytes that every packed message would end with. False: it goes out as it is. */
static bool websocket_pack(struct websocket_writer *w, struct str bytes)
{
	if (bytes.n > UINT32_MAX / 2)
		return false;
	if (!w->has_z) {
		w->z = (z_stream){ .zalloc = NULL };
		w->has_z = deflateInit2(&w->z, Z_BEST_SPEED, Z_DEFLATED, -w->bits, 8, Z_DEFAULT_STRATEGY) == Z_OK;
	}
	if (!w->has_z)
		return false;
	buf_clear(&w->packed);
	w->z.next_in = (unsigned char *)(uintptr_t)bytes.p;
	w->z.avail_in = (unsigned)bytes.n;
	do {
		size_t room = bytes.n / 2 + 512;

		w->z.next_out = (unsigned char *)buf_reserve(&w->packed, room);
		w->z.avail_out = (unsigned)room;
		deflate(&w->z, Z_SYNC_FLUSH);
		w->packed.n += room - w->z.avail_out;
	} while (w->z.avail_out == 0);
	if (w->packed.n >= 4)
		w->packed.n -= 4;
	if (w->alone)
		deflateReset(&w->z);
	return true;
}

void websocket_write(struct websocket_writer *w, struct buf *out, enum websocket_kind kind, struct str bytes,
		     uint32_t mask)
{
	struct websocket_frame f = { .kind = kind, .masked = w->sender == WEBSOCKET_CLIENT, .mask = mask };

	/* an empty message is one that zlib has nothing to say about: it would end in the middle of a block */
	f.packed = w->deflates && (kind == WEBSOCKET_TEXT || kind == WEBSOCKET_BINARY) && bytes.n &&
		   websocket_pack(w, bytes);
	websocket_add_frame(out, &f, f.packed ? buf_str(&w->packed) : bytes);
}

void websocket_write_close(struct websocket_writer *w, struct buf *out, unsigned code, struct str reason,
			   uint32_t mask)
{
	char text[CLOSE_MOST + 2] = { (char)(code >> 8), (char)code };
	size_t n = reason.n < CLOSE_MOST ? reason.n : CLOSE_MOST;

	if (n)
		memcpy(text + 2, reason.p, n);
	websocket_write(w, out, WEBSOCKET_CLOSE, str_of(text, n + 2), mask);
}
