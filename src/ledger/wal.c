#include "ledger/wal.h"

#define MAGIC STR("LW1\0")
#define HEAD 8  /* magic and length */
#define INNER 12 /* first and count, in the body */

static void put_be(uint8_t *out, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		out[i] = (uint8_t)(v >> (8 * (bytes - 1 - i)));
}

static uint64_t get_be(const char *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | (uint8_t)p[i];
	return v;
}

/* The magic is hashed too, so that a body of another version cannot pass for one of this. */
static struct digest digest_of(struct sha256 *s, struct str body)
{
	sha256_restart(s);
	sha256_add(s, MAGIC);
	sha256_add(s, body);
	return sha256_end(s);
}

void wal_add_frame(struct buf *out, struct sha256 *s, uint64_t first, uint32_t count, struct str bundle)
{
	uint8_t head[HEAD + INNER] = { 'L', 'W', '1', 0 };
	size_t body = INNER + bundle.n, at;
	struct digest d;

	put_be(head + 4, body, 4);
	put_be(head + HEAD, first, 8);
	put_be(head + HEAD + 8, count, 4);
	buf_reserve(out, sizeof(head) + bundle.n + SHA256_SIZE);
	at = out->n + HEAD;
	buf_add(out, head, sizeof(head));
	buf_add_str(out, bundle);
	d = digest_of(s, str_of(out->p + at, body));
	buf_add(out, d.b, SHA256_SIZE);
}

bool wal_next(struct str *rest, struct sha256 *s, struct wal_frame *out)
{
	struct digest d;
	uint64_t body;

	if (rest->n < WAL_OVERHEAD || !str_eq(str_of(rest->p, 4), MAGIC))
		return false;
	body = get_be(rest->p + 4, 4);
	if (body < INNER || body > WAL_FRAME_MAX || body > rest->n - HEAD - SHA256_SIZE)
		return false;
	d = digest_of(s, str_of(rest->p + HEAD, (size_t)body));
	if (memcmp(d.b, rest->p + HEAD + body, SHA256_SIZE) != 0)
		return false;
	*out = (struct wal_frame){
		.first = get_be(rest->p + HEAD, 8),
		.count = (uint32_t)get_be(rest->p + HEAD + 8, 4),
		.bundle = str_of(rest->p + HEAD + INNER, (size_t)body - INNER),
		.digest = d,
		.size = HEAD + (size_t)body + SHA256_SIZE,
	};
	*rest = str_of(rest->p + out->size, rest->n - out->size);
	return true;
}
