#include "flow/packed_size.h"

#include <zlib.h>

#include "harness/test.h"

static struct packed_size *open_size(void)
{
	struct err err;
	struct packed_size *p = packed_size_open(&err);

	CHECK(p != NULL);
	return p;
}

/* The same by zlib's own function for a whole text, with the 6 bytes that zlib's frame is and the 18 of gzip's. */
static uint64_t reference(struct str bytes)
{
	uLongf n = compressBound(bytes.n);
	unsigned char *out = test_alloc(n);

	CHECK(compress2(out, &n, (const unsigned char *)bytes.p, bytes.n, 6) == Z_OK);
	return n - 6 + 18;
}

TEST(the_size_is_that_of_a_gzip_file_however_the_bytes_come)
{
	size_t n = (size_t)300 << 10;
	char *bytes = test_alloc(n);
	uint64_t state = 1, whole;
	struct packed_size *p = open_size();

	for (size_t i = 0; i < n; i++) {
		state = state * 6364136223846793005u + 1;
		bytes[i] = (char)('a' + (state >> 60));
	}
	packed_size_add(p, str_of(bytes, n));
	whole = packed_size_end(p);
	CHECK_INT(whole, reference(str_of(bytes, n)));
	CHECK_INT(packed_size_end(p), whole);
	packed_size_close(p);

	p = open_size();
	for (size_t i = 0; i < n; i += 1000)
		packed_size_add(p, str_of(bytes + i, n - i < 1000 ? n - i : 1000));
	CHECK_INT(packed_size_end(p), whole);
	packed_size_close(p);
}

TEST(nothing_has_the_size_of_an_empty_gzip_file)
{
	struct packed_size *p = open_size();

	CHECK_INT(packed_size_end(p), 20);
	packed_size_close(p);
	packed_size_close(NULL);
}
