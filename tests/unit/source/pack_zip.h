/* Makes zip archives, sound ones and others, for tests that read them. */
#ifndef UNIT_SOURCE_PACK_ZIP_H
#define UNIT_SOURCE_PACK_ZIP_H

#include "unit/source/pack.h"

/* A member; a name with p NULL ends a list. */
struct zipped {
	struct str name, bytes;
	unsigned method;    /* 0, 8, 93; 93 with two frames when `frames` is 2 */
	unsigned frames;
	bool wide;          /* sizes and offset in the extra field of zip64 */
	unsigned flags;
	unsigned lie;       /* added to the size said */
	unsigned bad_crc;   /* added to the checksum said */
	const char *local;  /* name in the local header; NULL: the same */
};

static inline void zip_put(struct buf *out, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_add_byte(out, (char)(v >> 8 * i & 0xff));
}

static inline void zip_pack(struct buf *out, const struct zipped *m)
{
	if (m->method == 8) {
		z_stream z = { .next_in = (z_const unsigned char *)(uintptr_t)m->bytes.p, .avail_in = (unsigned)m->bytes.n };
		size_t room;

		if (deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
			abort();
		room = deflateBound(&z, m->bytes.n);
		z.next_out = (unsigned char *)buf_reserve(out, room);
		z.avail_out = (unsigned)room;
		if (deflate(&z, Z_FINISH) != Z_STREAM_END)
			abort();
		out->n += room - z.avail_out;
		deflateEnd(&z);
	} else if (m->method == 93) {
		size_t half = m->frames == 2 ? m->bytes.n / 2 : m->bytes.n;

		pack_zstd(out, str_of(m->bytes.p, half));
		if (m->frames == 2)
			pack_zstd(out, str_of(m->bytes.p + half, m->bytes.n - half));
	} else {
		buf_add_str(out, m->bytes);
	}
}

struct zip_placed {
	uint64_t offset, packed;
	uint32_t crc;
};

static inline void zip_put_local(struct buf *out, const struct zipped *m, struct zip_placed *at)
{
	struct str name = m->local ? str_from(m->local) : m->name;
	struct buf packed;

	buf_init(&packed);
	zip_pack(&packed, m);
	at->offset = out->n;
	at->packed = packed.n;
	at->crc = (uint32_t)crc32(0, (const unsigned char *)m->bytes.p, (unsigned)m->bytes.n) + m->bad_crc;
	buf_add(out, "PK\3\4", 4);
	zip_put(out, 20, 2);
	zip_put(out, m->flags, 2);
	zip_put(out, m->method, 2);
	zip_put(out, 0, 4);
	zip_put(out, at->crc, 4);
	zip_put(out, packed.n, 4);
	zip_put(out, m->bytes.n, 4);
	zip_put(out, name.n, 2);
	zip_put(out, 3, 2);
	buf_add_str(out, name);
	buf_add(out, "ext", 3);
	buf_add_str(out, buf_str(&packed));
	buf_free(&packed);
}

static inline void zip_put_central(struct buf *out, const struct zipped *m, const struct zip_placed *at)
{
	buf_add(out, "PK\1\2", 4);
	zip_put(out, 20, 2);
	zip_put(out, 20, 2);
	zip_put(out, m->flags, 2);
	zip_put(out, m->method, 2);
	zip_put(out, 0, 4);
	zip_put(out, at->crc, 4);
	zip_put(out, m->wide ? 0xffffffff : at->packed, 4);
	zip_put(out, m->wide ? 0xffffffff : m->bytes.n + m->lie, 4);
	zip_put(out, m->name.n, 2);
	zip_put(out, m->wide ? 28 : 0, 2);
	zip_put(out, 0, 2);
	zip_put(out, 0, 2);
	zip_put(out, 0, 2);
	zip_put(out, 0, 4);
	zip_put(out, m->wide ? 0xffffffff : at->offset, 4);
	buf_add_str(out, m->name);
	if (!m->wide)
		return;
	zip_put(out, 1, 2);
	zip_put(out, 24, 2);
	zip_put(out, m->bytes.n + m->lie, 8);
	zip_put(out, at->packed, 8);
	zip_put(out, at->offset, 8);
}

/* Clears `out` and makes an archive; `wide` writes an end record of 64 bits too. At most 64 members. */
static inline struct str zip_make(struct buf *out, const struct zipped *members, bool wide, struct str comment)
{
	struct zip_placed placed[64];
	size_t count = 0, directory, size;

	buf_clear(out);
	for (; members[count].name.p; count++)
		zip_put_local(out, &members[count], &placed[count]);
	directory = out->n;
	for (size_t i = 0; i < count; i++)
		zip_put_central(out, &members[i], &placed[i]);
	size = out->n - directory;
	if (wide) {
		size_t end = out->n;

		buf_add(out, "PK\6\6", 4);
		zip_put(out, 44, 8);
		zip_put(out, 45, 2);
		zip_put(out, 45, 2);
		zip_put(out, 0, 8);
		zip_put(out, count, 8);
		zip_put(out, count, 8);
		zip_put(out, size, 8);
		zip_put(out, directory, 8);
		buf_add(out, "PK\6\7", 4);
		zip_put(out, 0, 4);
		zip_put(out, end, 8);
		zip_put(out, 1, 4);
	}
	buf_add(out, "PK\5\6", 4);
	zip_put(out, 0, 4);
	zip_put(out, wide ? 0xffff : count, 2);
	zip_put(out, wide ? 0xffff : count, 2);
	zip_put(out, wide ? 0xffffffff : size, 4);
	zip_put(out, wide ? 0xffffffff : directory, 4);
	zip_put(out, comment.n, 2);
	buf_add_str(out, comment);
	return buf_str(out);
}

#endif
