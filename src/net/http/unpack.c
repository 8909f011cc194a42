#include "net/http/unpack.h"

#include <assert.h>
#include <stddef.h>
#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"

#define STEP ((size_t)64 << 10) /* of a piece */
#define GZIP_BITS (15 + 16)
#define ZLIB_BITS 15
#define RAW_BITS (-15)
#define WINDOW_LOG 23 /* 8 MiB: RFC 9659 */
#define ZLIB_HELD ((size_t)48 << 10) /* of an inflating zlib: its window of 32 KiB and its state */

struct unpack {
	enum unpack_kind kind;
	size_t left; /* bytes that may still come out */
	bool bad, done;
	bool padded; /* behind the last member of gzip stands something else, which is not looked at */
	uint8_t head[2]; /* of a deflate stream, which tell whether it has a frame */
	size_t head_count;
	z_stream z;
	ZSTD_DCtx *zstd;
	char piece[STEP];
};

enum unpack_kind unpack_kind_of(struct str header)
{
	static const struct {
		const char *word;
		enum unpack_kind kind;
	} words[] = {
		{ "", UNPACK_PLAIN },      { "identity", UNPACK_PLAIN },   { "gzip", UNPACK_GZIP },
		{ "x-gzip", UNPACK_GZIP }, { "deflate", UNPACK_DEFLATE }, { "zstd", UNPACK_ZSTD },
	};
	struct str word = str_trim(header);

	for (size_t i = 0; i < COUNT(words); i++)
		if (str_eq_nocase(word, str_from(words[i].word)))
			return words[i].kind;
	return UNPACK_UNKNOWN;
}

static void *z_alloc(void *context, unsigned count, unsigned size)
{
	(void)context;
	return mem_alloc((size_t)count * size);
}

static void z_free(void *context, void *p)
{
	(void)context;
	mem_free(p);
}

struct unpack *unpack_open(enum unpack_kind kind, size_t limit)
{
	struct unpack *u = mem_alloc(sizeof(*u));

	assert(kind != UNPACK_PLAIN && kind != UNPACK_UNKNOWN);
	memset(u, 0, offsetof(struct unpack, piece));
	u->kind = kind;
	u->left = limit;
	u->z.zalloc = z_alloc;
	u->z.zfree = z_free;
	if (kind == UNPACK_ZSTD) {
		u->zstd = ZSTD_createDCtx();
		u->bad = !u->zstd ||
			 ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, WINDOW_LOG));
	} else {
		u->bad = inflateInit2(&u->z, kind == UNPACK_GZIP ? GZIP_BITS : RAW_BITS) != Z_OK;
	}
	return u;
}

void unpack_close(struct unpack *u)
{
	if (!u)
		return;
	if (u->kind == UNPACK_ZSTD)
		ZSTD_freeDCtx(u->zstd);
	else
		inflateEnd(&u->z);
	mem_free(u);
}

/* A file of gzip is a list of members (RFC 1952, 2.2): whether another one follows. */
static bool zlib_goes_on(struct unpack *u)
{
	if (u->kind != UNPACK_GZIP || u->padded || u->z.avail_in == 0)
		return false;
	u->padded = *u->z.next_in != 0x1f || inflateReset(&u->z) != Z_OK;
	u->done = u->padded;
	return !u->done;
}

/* Input of at most 4 GiB at once, which is all that a body may have. */
static bool push_zlib(struct unpack *u, struct str bytes, struct unpack_sink to)
{
	u->z.next_in = (unsigned char *)(uintptr_t)bytes.p;
	u->z.avail_in = (unsigned)bytes.n;
	while (!u->done || zlib_goes_on(u)) {
		size_t room = u->left < STEP ? u->left : STEP;
		int status;

		u->z.next_out = (unsigned char *)u->piece;
		u->z.avail_out = (unsigned)room;
		status = inflate(&u->z, Z_NO_FLUSH);
		room -= u->z.avail_out;
		u->left -= room;
		if (room)
			to.put(to.context, str_of(u->piece, room));
		if (status == Z_STREAM_END)
			u->done = true;
		else if (status != Z_OK && status != Z_BUF_ERROR)
			return false;
		else if (u->z.avail_out > 0 && u->z.avail_in == 0)
			return true;
		else if (u->left == 0)
			return false;
	}
	return true;
}

/* `done` is the end of a frame; another may follow in the same body. */
static bool push_zstd(struct unpack *u, struct str bytes, struct unpack_sink to)
{
	ZSTD_inBuffer in = { bytes.p, bytes.n, 0 };

	for (;;) {
		size_t room = u->left < STEP ? u->left : STEP;
		ZSTD_outBuffer out = { u->piece, room, 0 };
		size_t status = ZSTD_decompressStream(u->zstd, &out, &in);

		if (ZSTD_isError(status))
			return false;
		u->left -= out.pos;
		if (out.pos)
			to.put(to.context, str_of(u->piece, out.pos));
		u->done = status == 0;
		if (in.pos == in.size && (u->done || out.pos < room))
			return true;
		if (u->left == 0)
			return u->done && in.pos == in.size;
	}
}

/* Takes the first two bytes away until it is clear whether they are a frame. */
static bool push_deflate(struct unpack *u, struct str bytes, struct unpack_sink to)
{
	bool framed;

	if (u->head_count == sizeof(u->head))
		return push_zlib(u, bytes, to);
	while (bytes.n && u->head_count < sizeof(u->head)) {
		u->head[u->head_count++] = (uint8_t)*bytes.p;
		bytes = str_of(bytes.p + 1, bytes.n - 1);
	}
	if (u->head_count < sizeof(u->head))
		return true;
	framed = (u->head[0] & 15) == Z_DEFLATED && (u->head[0] * 256 + u->head[1]) % 31 == 0;
	if (inflateReset2(&u->z, framed ? ZLIB_BITS : RAW_BITS) != Z_OK)
		return false;
	return push_zlib(u, str_of(u->head, sizeof(u->head)), to) && (bytes.n == 0 || push_zlib(u, bytes, to));
}

bool unpack_push(struct unpack *u, struct str bytes, struct unpack_sink to)
{
	if (u->bad)
		return false;
	if (bytes.n == 0)
		return true;
	if (bytes.n > UINT32_MAX)
		u->bad = true;
	else if (u->kind == UNPACK_ZSTD)
		u->bad = !push_zstd(u, bytes, to);
	else if (u->kind == UNPACK_DEFLATE)
		u->bad = !push_deflate(u, bytes, to);
	else
		u->bad = !push_zlib(u, bytes, to);
	return !u->bad;
}

bool unpack_is_done(const struct unpack *u)
{
	return u->done && !u->bad;
}

size_t unpack_held(const struct unpack *u)
{
	return sizeof(*u) + (u->zstd ? ZSTD_sizeof_DCtx(u->zstd) : ZLIB_HELD);
}

size_t unpack_left(const struct unpack *u)
{
	return u->left;
}
