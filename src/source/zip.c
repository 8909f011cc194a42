#include "source/zip.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define LOCAL 30    /* bytes of a local header, before name and extra */
#define CENTRAL 46  /* of a directory entry */
#define END 22      /* of the end record */
#define LOCATOR 20  /* of what leads to the end record of zip64 */
#define END64 56
#define COMMENT_MAX 0xffff
#define FILL ((size_t)64 << 10)
#define STEP ((size_t)1 << 30) /* zlib counts in unsigned int */
#define WINDOW_LOG 27          /* as for zstd files */

enum { METHOD_STORED = 0, METHOD_DEFLATE = 8, METHOD_ZSTD = 93 };
enum { FLAG_ENCRYPTED = 1 };

struct zip {
	struct raw *from;
	struct arena arena;
	struct buf whole;     /* what cannot be read at any place */
	bool in_memory;
	uint64_t size;        /* of the archive */
	uint64_t directory;   /* where it begins: members end before it */
	uint64_t directory_size, count;
	struct zip_entry *entries;
	size_t entry_count;

	const struct zip_entry *entry; /* being read */
	uint64_t at, left;             /* of its stored bytes: the next, and how many */
	uint64_t given;
	uint32_t crc;
	struct buf in;
	size_t used; /* of `in` */
	bool ended;  /* the stored bytes make a whole stream */
	z_stream inflate;
	bool inflate_made;
	ZSTD_DCtx *zstd;
};

static uint32_t u16(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return (uint32_t)u[0] | (uint32_t)u[1] << 8;
}

static uint32_t u32(const char *p)
{
	return u16(p) | u16(p + 2) << 16;
}

static uint64_t u64(const char *p)
{
	return u32(p) | (uint64_t)u32(p + 4) << 32;
}

bool zip_matches(struct str head)
{
	return str_starts(head, STR("PK\x03\x04")) || str_starts(head, STR("PK\x05\x06"));
}

static bool damaged(const struct zip *z, const char *why, struct err *err)
{
	return err_set(err, ERR_DATA, "%.*s: the zip archive is damaged: %s", STR_ARG(z->from->title), why);
}

static enum next member_damaged(const struct zip *z, const char *why, struct err *err)
{
	err_set(err, ERR_DATA, "%.*s: %.*s in this zip archive is damaged: %s", STR_ARG(z->from->title),
		STR_ARG(z->entry->name), why);
	return NEXT_FAIL;
}

/* n bytes from `offset` on, both within the archive. */
static bool fetch(struct zip *z, uint64_t offset, void *into, size_t n, bool count, struct err *err)
{
	assert(offset <= z->size && n <= z->size - offset);
	if (!z->in_memory)
		return raw_read_at(z->from, offset, into, n, count, err);
	if (n > 0)
		memcpy(into, z->whole.p + offset, n);
	return true;
}

/* Only what cannot be read at any place is held in memory; of a file just its size is taken. */
static bool load(struct zip *z, struct err *err)
{
	enum next more = NEXT_MORE;
	size_t got;

	z->in_memory = !raw_can_seek(z->from);
	z->size = z->from->look.size;
	while (z->in_memory && more == NEXT_MORE) {
		if (z->whole.n > ZIP_MEMORY_LIMIT)
			return err_set(err, ERR_LIMIT, "%.*s: a zip archive of more than %zu MiB cannot be read from a "
				       "pipe; give it as a file", STR_ARG(z->from->title), ZIP_MEMORY_LIMIT >> 20);
		more = raw_read(z->from, buf_reserve(&z->whole, FILL), FILL, &got, err);
		z->whole.n += got;
		z->size = z->whole.n;
	}
	return more != NEXT_FAIL;
}

/* The end record of 64 bits that stands before the other one, which is at `end`. */
static bool read_end64(struct zip *z, uint64_t end, struct err *err)
{
	char b[END64];
	uint64_t at;

	if (end < LOCATOR || !fetch(z, end - LOCATOR, b, LOCATOR, false, err))
		return end >= LOCATOR ? false : damaged(z, "its end record is incomplete", err);
	if (!str_starts(str_of(b, LOCATOR), STR("PK\x06\x07")))
		return true; /* the figures really are so large, or wrong: they are checked below */
	at = u64(b + 8);
	if (at > end - LOCATOR || end - LOCATOR - at < END64)
		return damaged(z, "its 64-bit end record lies outside the file", err);
	if (!fetch(z, at, b, END64, false, err))
		return false;
	if (!str_starts(str_of(b, END64), STR("PK\x06\x06")) || u32(b + 16) != 0 || u32(b + 20) != 0)
		return damaged(z, "its 64-bit end record is invalid", err);
	z->count = u64(b + 32);
	z->directory_size = u64(b + 40);
	z->directory = u64(b + 48);
	return true;
}

/* Finds the end record, behind which only a comment may stand, and learns where the directory is. */
static bool read_end(struct zip *z, struct err *err)
{
	size_t n = z->size < END + COMMENT_MAX ? (size_t)z->size : END + COMMENT_MAX, at;
	char *tail = arena_array(&z->arena, char, n + 1);
	uint64_t end;

	if (!fetch(z, z->size - n, tail, n, false, err))
		return false;
	for (at = n < END ? 0 : n - END + 1; at-- > 0;)
		if (memcmp(tail + at, "PK\x05\x06", 4) == 0 && u16(tail + at + 20) <= n - at - END)
			break;
	if (at == (size_t)-1)
		return damaged(z, "it has no directory at its end; it may have been cut off", err);
	end = z->size - n + at;
	if (u16(tail + at + 4) != 0 || u16(tail + at + 6) != 0)
		return err_set(err, ERR_DATA, "%.*s: a zip archive in several pieces cannot be read",
			       STR_ARG(z->from->title));
	z->count = u16(tail + at + 10);
	z->directory_size = u32(tail + at + 12);
	z->directory = u32(tail + at + 16);
	if ((z->count == 0xffff || z->directory_size == 0xffffffff || z->directory == 0xffffffff) &&
	    !read_end64(z, end, err))
		return false;
	if (z->directory > end || z->directory_size > end - z->directory || z->count > z->directory_size / CENTRAL)
		return damaged(z, "its directory is not where its end record says", err);
	if (z->directory_size > ZIP_DIRECTORY_LIMIT)
		return err_set(err, ERR_LIMIT, "%.*s: the directory of this zip archive is larger than %zu MiB",
			       STR_ARG(z->from->title), ZIP_DIRECTORY_LIMIT >> 20);
	return true;
}

/* The extra field of zip64 has those of size, packed size and offset, in this order, that did not fit. */
static bool read_extra64(struct zip_entry *e, struct str extra)
{
	uint64_t *const wide[] = { &e->size, &e->packed, &e->offset };

	while (extra.n >= 4) {
		size_t id = u16(extra.p), n = u16(extra.p + 2), at = 4;

		if (n > extra.n - 4)
			return id != 1; /* a torn field that is none of ours */
		for (size_t i = 0; id == 1 && i < 3; i++) {
			if (*wide[i] != 0xffffffff)
				continue;
			if (n + 4 - at < 8)
				return false;
			*wide[i] = u64(extra.p + at);
			at += 8;
		}
		if (id == 1)
			return true;
		extra = str_skip(extra, 4 + n);
	}
	return true;
}

/* The entry at the beginning of *left, which is moved on. */
static bool read_entry(struct zip *z, struct str *left, struct zip_entry *e)
{
	const char *p = left->p;
	size_t name, extra, comment;

	if (left->n < CENTRAL || memcmp(p, "PK\x01\x02", 4) != 0)
		return false;
	name = u16(p + 28);
	extra = u16(p + 30);
	comment = u16(p + 32);
	if (name + extra + comment > left->n - CENTRAL)
		return false;
	*e = (struct zip_entry){
		.name = str_of(p + CENTRAL, name),
		.flags = (uint16_t)u16(p + 8),
		.method = (uint16_t)u16(p + 10),
		.crc = u32(p + 16),
		.packed = u32(p + 20),
		.size = u32(p + 24),
		.offset = u32(p + 42),
	};
	if (!read_extra64(e, str_of(p + CENTRAL + name, extra)))
		return false;
	*left = str_of(p + CENTRAL + name + extra + comment, left->n - CENTRAL - name - extra - comment);
	return e->offset <= z->directory && z->directory - e->offset >= LOCAL + name &&
	       e->packed <= z->directory - e->offset - LOCAL - name;
}

static int by_offset(const void *a, const void *b)
{
	const struct zip_entry *const *x = a, *const *y = b;

	return (*x)->offset < (*y)->offset ? -1 : (*x)->offset > (*y)->offset;
}

static int by_name(const void *a, const void *b)
{
	const struct zip_entry *const *x = a, *const *y = b;
	int order = str_cmp((*x)->name, (*y)->name);

	return order ? order : *x < *y ? -1 : *x > *y; /* both are in one array: the later stands behind */
}

/* No two share bytes, and of those with one name all but the last are hidden. */
static bool check_entries(struct zip *z, struct err *err)
{
	struct zip_entry **sorted = arena_array(&z->arena, struct zip_entry *, z->entry_count + 1);

	for (size_t i = 0; i < z->entry_count; i++)
		sorted[i] = &z->entries[i];
	qsort(sorted, z->entry_count, sizeof(sorted[0]), by_offset);
	for (size_t i = 0; i + 1 < z->entry_count; i++) {
		uint64_t room = sorted[i + 1]->offset - sorted[i]->offset, head = LOCAL + sorted[i]->name.n;

		if (room < head || sorted[i]->packed > room - head)
			return damaged(z, "two of its members share bytes", err);
	}
	qsort(sorted, z->entry_count, sizeof(sorted[0]), by_name);
	for (size_t i = 0; i + 1 < z->entry_count; i++)
		sorted[i]->hidden = str_eq(sorted[i]->name, sorted[i + 1]->name);
	return true;
}

static bool read_directory(struct zip *z, struct err *err)
{
	char *bytes = arena_array(&z->arena, char, (size_t)z->directory_size + 1);
	struct str left = str_of(bytes, (size_t)z->directory_size);

	if (!fetch(z, z->directory, bytes, left.n, false, err))
		return false;
	z->entries = arena_array(&z->arena, struct zip_entry, (size_t)z->count + 1);
	for (; z->entry_count < z->count; z->entry_count++)
		if (!read_entry(z, &left, &z->entries[z->entry_count]))
			return damaged(z, "an entry of its directory is invalid", err);
	return check_entries(z, err);
}

struct zip *zip_open(struct raw *from, struct err *err)
{
	struct zip *z = mem_alloc(sizeof(*z));

	*z = (struct zip){ .from = from };
	arena_init(&z->arena);
	buf_init(&z->whole);
	buf_init(&z->in);
	if (load(z, err) && read_end(z, err) && read_directory(z, err))
		return z;
	zip_close(z);
	return NULL;
}

void zip_close(struct zip *z)
{
	if (!z)
		return;
	if (z->inflate_made)
		inflateEnd(&z->inflate);
	ZSTD_freeDCtx(z->zstd);
	buf_free(&z->in);
	buf_free(&z->whole);
	arena_free(&z->arena);
	mem_free(z);
}

const struct zip_entry *zip_entries(const struct zip *z, size_t *count)
{
	*count = z->entry_count;
	return z->entries;
}

/* Contexts are made for the first member that needs one, and reset for the next. */
static bool method_begin(struct zip *z, struct err *err)
{
	int status = Z_OK;

	if (z->entry->method == METHOD_DEFLATE) {
		status = z->inflate_made ? inflateReset(&z->inflate) : inflateInit2(&z->inflate, -15);
		z->inflate_made = z->inflate_made || status == Z_OK;
	} else if (z->entry->method == METHOD_ZSTD) {
		z->zstd = z->zstd ? z->zstd : ZSTD_createDCtx();
		if (!z->zstd || ZSTD_isError(ZSTD_DCtx_reset(z->zstd, ZSTD_reset_session_only)) ||
		    ZSTD_isError(ZSTD_DCtx_setParameter(z->zstd, ZSTD_d_windowLogMax, WINDOW_LOG)))
			status = Z_MEM_ERROR;
	} else if (z->entry->method != METHOD_STORED) {
		return err_set(err, ERR_DATA, "%.*s: %.*s in this zip archive uses an unknown compression (%u); "
			       "pack it with deflate or zstd", STR_ARG(z->from->title),
			       STR_ARG(z->entry->name), (unsigned)z->entry->method);
	}
	return status == Z_OK || err_set(err, ERR_LIMIT, "%.*s: no memory to unpack a zip archive",
					 STR_ARG(z->from->title));
}

/* The local header repeats what the directory says; only its own lengths are needed, and its name must agree. */
static bool local_begin(struct zip *z, struct err *err)
{
	const struct zip_entry *e = z->entry;
	char head[LOCAL];
	uint64_t room = z->directory - e->offset - LOCAL - e->packed;
	char *name;

	if (!fetch(z, e->offset, head, LOCAL, true, err))
		return false;
	if (memcmp(head, "PK\x03\x04", 4) != 0 || u16(head + 26) != e->name.n ||
	    u16(head + 26) + u16(head + 28) > room)
		return member_damaged(z, "its header is invalid", err) == NEXT_MORE;
	buf_clear(&z->in);
	name = buf_reserve(&z->in, e->name.n + 1);
	if (!fetch(z, e->offset + LOCAL, name, e->name.n, true, err))
		return false;
	if (!str_eq(str_of(name, e->name.n), e->name))
		return member_damaged(z, "its header has another name", err) == NEXT_MORE;
	z->at = e->offset + LOCAL + e->name.n + u16(head + 28);
	z->left = e->packed;
	return true;
}

bool zip_begin(struct zip *z, const struct zip_entry *entry, struct err *err)
{
	z->entry = entry;
	z->used = 0;
	z->given = 0;
	z->crc = (uint32_t)crc32(0, NULL, 0);
	z->ended = entry->method == METHOD_STORED;
	if (entry->flags & FLAG_ENCRYPTED)
		return err_set(err, ERR_DATA, "%.*s: %.*s in this zip archive is encrypted", STR_ARG(z->from->title),
			       STR_ARG(entry->name));
	return method_begin(z, err) && local_begin(z, err);
}

static bool zip_fill(struct zip *z, struct err *err)
{
	size_t n = z->left < FILL ? (size_t)z->left : FILL;

	buf_clear(&z->in);
	if (!fetch(z, z->at, buf_reserve(&z->in, FILL), n, true, err))
		return false;
	z->in.n = n;
	z->used = 0;
	z->at += n;
	z->left -= n;
	return true;
}

/* Each unpacks from `in` into room for n bytes; NULL, or what is wrong. */

static const char *step_stored(struct zip *z, char *into, size_t n, size_t *got)
{
	assert(z->used <= z->in.n);
	*got = z->in.n - z->used < n ? z->in.n - z->used : n;
	if (*got > 0)
		memcpy(into, z->in.p + z->used, *got);
	z->used += *got;
	return NULL;
}

/* Bytes behind the end of the stream are damage: the directory says how many there are. */
static const char *step_deflate(struct zip *z, char *into, size_t n, size_t *got)
{
	size_t room = n < STEP ? n : STEP;
	int status;

	z->inflate.next_in = (unsigned char *)z->in.p + z->used;
	z->inflate.avail_in = (unsigned)(z->in.n - z->used);
	z->inflate.next_out = (unsigned char *)into;
	z->inflate.avail_out = (unsigned)room;
	status = inflate(&z->inflate, Z_NO_FLUSH);
	z->used = z->in.n - z->inflate.avail_in;
	*got = room - z->inflate.avail_out;
	z->ended = status == Z_STREAM_END;
	if (z->ended && (z->left > 0 || z->used < z->in.n))
		return "something follows its packed bytes";
	return status == Z_OK || status == Z_BUF_ERROR || z->ended ? NULL : "its packed bytes are invalid";
}

/* Frames may follow each other. */
static const char *step_zstd(struct zip *z, char *into, size_t n, size_t *got)
{
	ZSTD_inBuffer in = { z->in.p, z->in.n, z->used };
	ZSTD_outBuffer out = { into, n, 0 };
	size_t status = ZSTD_decompressStream(z->zstd, &out, &in);

	z->used = in.pos;
	*got = out.pos;
	if (ZSTD_isError(status))
		return ZSTD_getErrorName(status);
	z->ended = status == 0;
	return NULL;
}

static const char *step(struct zip *z, char *into, size_t n, size_t *got)
{
	*got = 0;
	if (z->entry->method == METHOD_STORED)
		return step_stored(z, into, n, got);
	return z->entry->method == METHOD_DEFLATE ? step_deflate(z, into, n, got) : step_zstd(z, into, n, got);
}

/* Size and checksum can only be judged at the end: what was given before may have to be taken back by the caller. */
static enum next finish(struct zip *z, struct err *err)
{
	if (!z->ended)
		return member_damaged(z, "its packed bytes break off", err);
	if (z->given != z->entry->size)
		return member_damaged(z, "it has fewer bytes than it says", err);
	if (z->crc != z->entry->crc)
		return member_damaged(z, "bad checksum", err);
	return NEXT_END;
}

enum next zip_read(struct zip *z, char *into, size_t n, size_t *got, struct err *err)
{
	*got = 0;
	for (;;) {
		const char *why = NULL;

		if (z->used == z->in.n && z->left > 0 && !zip_fill(z, err))
			return NEXT_FAIL;
		/* Even without input something may be unpacked and not given, but not behind the end of a stream. */
		if (z->used < z->in.n || !z->ended)
			why = step(z, into, n, got);
		if (!why && *got > z->entry->size - z->given)
			why = "it has more bytes than it says";
		if (why) {
			*got = 0;
			return member_damaged(z, why, err);
		}
		z->given += *got;
		for (size_t at = 0; at < *got; at += STEP)
			z->crc = (uint32_t)crc32(z->crc, (const unsigned char *)into + at,
						 (unsigned)(*got - at < STEP ? *got - at : STEP));
		if (*got > 0)
			return NEXT_MORE;
		if (z->used == z->in.n && z->left == 0)
			return finish(z, err);
	}
}
