#include "flow/packed_size.h"

#include <assert.h>
#include <zlib.h>

#include "base/arena.h"

#define GZIP_BITS (15 + 16)    /* the largest window, gzip framing */
#define STEP ((size_t)1 << 30) /* zlib counts in unsigned int */

struct packed_size {
	z_stream stream;
	uint64_t packed;
	bool ended;
	unsigned char discarded[(size_t)32 << 10];
};

struct packed_size *packed_size_open(struct err *err)
{
	struct packed_size *p = mem_alloc(sizeof(*p));

	memset(p, 0, sizeof(*p));
	if (deflateInit2(&p->stream, 6, Z_DEFLATED, GZIP_BITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		mem_free(p);
		err_set(err, ERR_LIMIT, "no memory to measure sizes in gzip");
		return NULL;
	}
	return p;
}

void packed_size_close(struct packed_size *p)
{
	if (!p)
		return;
	deflateEnd(&p->stream);
	mem_free(p);
}

/* Until all input is taken and nothing more comes out; what comes out is counted and thrown away. */
static void deflate_input(struct packed_size *p, int flush)
{
	int status;

	do {
		p->stream.next_out = p->discarded;
		p->stream.avail_out = sizeof(p->discarded);
		status = deflate(&p->stream, flush);
		p->packed += sizeof(p->discarded) - p->stream.avail_out;
	} while (status == Z_OK && p->stream.avail_out == 0);
}

void packed_size_add(struct packed_size *p, struct str bytes)
{
	assert(!p->ended);
	while (bytes.n > 0) {
		size_t n = bytes.n < STEP ? bytes.n : STEP;

		/* zlib does not write to its input, but its type does not say so */
		memcpy(&p->stream.next_in, &bytes.p, sizeof(bytes.p));
		p->stream.avail_in = (unsigned)n;
		deflate_input(p, Z_NO_FLUSH);
		bytes = str_skip(bytes, n);
	}
}

uint64_t packed_size_end(struct packed_size *p)
{
	if (!p->ended)
		deflate_input(p, Z_FINISH);
	p->ended = true;
	return p->packed;
}

uint64_t packed_size_restart(struct packed_size *p)
{
	uint64_t packed = packed_size_end(p);

	deflateReset(&p->stream);
	p->packed = 0;
	p->ended = false;
	return packed;
}
