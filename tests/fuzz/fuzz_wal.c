/*
 * A WAL: frames are found in any bytes, within their bounds; what was found, written again, is the same bytes. Bytes that
 * are no frames become one: added as the bundle of a frame, they come back.
 */
#include "fuzz/fuzz.h"

#include "ledger/dir/wal.h"
#include "ledger/tile.h"

static const struct wal_key key = { { { 1 } } };

/* Of a frame whose code is ours all of it, else all but the code and the digest over it; an old one has neither. */
static void check_again(struct sha256 *s, const struct wal_frame *f, const char *at)
{
	struct buf again;
	size_t same;

	buf_init(&again);
	wal_add_frame(&again, s, &key, f->first, f->count, f->bundle);
	same = f->proof == WAL_PROVEN ? f->size : again.n - 2 * SHA256_SIZE;
	FUZZ_CHECK(f->proof != WAL_UNKNOWN);
	FUZZ_CHECK(f->size == again.n - (f->proof == WAL_OLD ? SHA256_SIZE : 0));
	if (f->proof == WAL_OLD)
		again.p[2] = '1';
	FUZZ_CHECK(memcmp(again.p, at, same) == 0);
	buf_free(&again);
}

static void check_bundle(struct str bundle)
{
	size_t before = bundle.n;
	struct str entry;
	bool broken = false;

	while (bundle_next(&bundle, &entry, &broken)) {
		FUZZ_CHECK(bundle.n + entry.n + 2 == before);
		before = bundle.n;
	}
	FUZZ_CHECK(broken || bundle.n == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1); /* exactly as long, so that a sanitizer sees a byte too many */
	struct str rest;
	struct wal_frame f;
	struct sha256 s;
	struct buf out;

	FUZZ_CHECK(copy);
	copy = realloc(copy, size ? size : 1);
	FUZZ_CHECK(copy);
	memcpy(copy, data, size);
	rest = str_of(copy, size);
	sha256_init(&s);
	while (wal_next(&rest, &s, &key, &f)) {
		FUZZ_CHECK((size_t)(rest.p - copy) + rest.n == size);
		check_again(&s, &f, rest.p - f.size);
		check_bundle(f.bundle);
	}
	buf_init(&out);
	wal_add_frame(&out, &s, &key, size, 1, str_of(copy, size));
	rest = buf_str(&out);
	FUZZ_CHECK(wal_next(&rest, &s, &key, &f) && f.first == size && f.count == 1 && rest.n == 0);
	FUZZ_CHECK(f.proof == WAL_PROVEN && str_eq(f.bundle, str_of(copy, size)));
	check_bundle(f.bundle);
	buf_free(&out);
	sha256_free(&s);
	free(copy);
	return 0;
}
