/*
 * A table of idents whose bytes are anybody's, out of a file that is only in memory. Nothing it says may lead beyond what
 * it says it covers, and questions come to an end; forgotten, it is as new. The first byte chooses whether the digests are
 * made right, so that what is behind them is reached.
 */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <string.h>

#include "ledger/ids.h"

#define BLOCK 1024
#define HEAD 64

struct one_file {
	uint8_t *bytes;
	size_t size;
};

static int open_one(void *own, const char *path, enum io_open how, unsigned mode)
{
	(void)own;
	(void)path;
	(void)mode;
	return how == IO_READ ? 3 : -EROFS;
}

static void close_one(void *own, int fd)
{
	(void)own;
	FUZZ_CHECK(fd == 3);
}

static int64_t read_one(void *own, int fd, void *p, size_t n, uint64_t at)
{
	struct one_file *f = own;

	(void)fd;
	if (at >= f->size)
		return 0;
	n = n < f->size - at ? n : f->size - (size_t)at;
	memcpy(p, f->bytes + at, n);
	return (int64_t)n;
}

static int stat_one(void *own, int fd, struct io_stat *out)
{
	struct one_file *f = own;

	(void)fd;
	*out = (struct io_stat){ .inode = 1, .size = f->size, .links = 1 };
	return 0;
}

static void seal(struct sha256 *s, uint8_t *bytes, size_t n)
{
	struct digest d = sha256_of(s, str_of(bytes, n - 8));

	memcpy(bytes + n - 8, d.b, 8);
}

static void ask(struct ids *t, struct str ident, uint64_t covered)
{
	uint64_t state = 0, index = 0, count = 0;

	while (ids_next(t, ident, &state, &index)) {
		FUZZ_CHECK(index < covered);
		FUZZ_CHECK(++count <= 1u << 20);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct io_ops ops = { .open = open_one, .close = close_one, .read = read_one, .stat_fd = stat_one };
	struct one_file file = { .size = size ? size - 1 : 0 };
	struct io io = { .ops = &ops, .own = &file };
	struct digest root;
	uint64_t covered, state = 0, index;
	struct sha256 s;
	struct ids *t;

	file.bytes = malloc(file.size + 1);
	FUZZ_CHECK(file.bytes);
	if (file.size)
		memcpy(file.bytes, data + 1, file.size);
	sha256_init(&s);
	if (size && (data[0] & 1) && file.size >= HEAD) {
		seal(&s, file.bytes, HEAD);
		for (size_t at = BLOCK; at + BLOCK <= file.size; at += BLOCK)
			seal(&s, file.bytes + at, BLOCK);
	}
	t = ids_open(&io, "ids");
	covered = ids_covered(t, &root);
	FUZZ_CHECK(ids_count(t) == covered);
	FUZZ_CHECK(covered <= file.size);
	ask(t, STR("trial"), covered);
	ask(t, STR(""), covered);
	for (size_t i = 0; i < 64; i++)
		ask(t, str_of(&i, sizeof(i)), covered);
	ids_add(t, STR("trial"), covered);
	FUZZ_CHECK(ids_next(t, STR("trial"), &state, &index) && index == covered);
	ids_forget(t);
	FUZZ_CHECK(ids_count(t) == 0 && ids_is_sound(t));
	ids_close(t);
	sha256_free(&s);
	free(file.bytes);
	return 0;
}
