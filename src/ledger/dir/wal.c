/*
 * A frame is taken only when its length fits the bytes and its digest holds; whether its code holds is told, not
 * decided here.
 */
#include "ledger/dir/wal.h"

#include "base/crypto/hmac.h"
#include "ledger/be.h"

#define MAGIC STR("LW2\0")
#define OLD_MAGIC STR("LW1\0")
#define LABEL STR("trackway wal v1")
#define START 8  /* magic and length */
#define INNER 12 /* first and count, in the body */

void wal_key_init(struct wal_key *out, const uint8_t seed[ED25519_SEED], struct str origin)
{
	out->secret = hmac_derive(str_of(seed, ED25519_SEED), origin, LABEL);
}

bool wal_is_zero(struct str s)
{
	/* Each byte against the one before it: as fast as memory, and it is asked about every zero written ahead. */
	return s.n == 0 || (s.p[0] == 0 && memcmp(s.p, s.p + 1, s.n - 1) == 0);
}

/* The magic is hashed too, so that a body of another version cannot pass for one of this. */
static struct digest old_digest(struct sha256 *s, struct str body)
{
	sha256_restart(s);
	sha256_add(s, OLD_MAGIC);
	sha256_add(s, body);
	return sha256_end(s);
}

static struct digest code_of(const struct wal_key *key, struct str head)
{
	return hmac_of(str_of(key->secret.b, SHA256_SIZE), head);
}

void wal_add_frame(struct buf *out, struct sha256 *s, const struct wal_key *key, uint64_t first, uint32_t count,
		   struct str bundle)
{
	uint8_t start[START + INNER] = { 'L', 'W', '2', 0 };
	size_t at = out->n;
	struct digest d;

	be_put(start + 4, INNER + bundle.n, 4);
	be_put(start + START, first, 8);
	be_put(start + START + 8, count, 4);
	buf_reserve(out, WAL_OVERHEAD + bundle.n);
	buf_add(out, start, sizeof(start));
	buf_add_str(out, bundle);
	d = code_of(key, str_skip(buf_str(out), at));
	buf_add(out, d.b, SHA256_SIZE);
	d = sha256_of(s, str_skip(buf_str(out), at));
	buf_add(out, d.b, SHA256_SIZE);
}

static bool is_digest(struct digest d, const char *bytes)
{
	return memcmp(d.b, bytes, SHA256_SIZE) == 0;
}

static enum wal_proof proof_of(const struct wal_key *key, struct str head)
{
	struct digest code;

	if (!key)
		return WAL_UNKNOWN;
	memcpy(code.b, head.p + head.n, SHA256_SIZE);
	return hmac_is_same(code_of(key, head), code) ? WAL_PROVEN : WAL_FALSE;
}

bool wal_next(struct str *rest, struct sha256 *s, const struct wal_key *key, struct wal_frame *out)
{
	struct str magic = str_of(rest->p, rest->n < START ? 0 : 4), head;
	bool is_old = str_eq(magic, OLD_MAGIC);
	size_t behind = is_old ? SHA256_SIZE : 2 * SHA256_SIZE;
	uint64_t body;
	const char *end;

	if (!is_old && !str_eq(magic, MAGIC))
		return false;
	body = be_get(rest->p + 4, 4);
	if (body < INNER || body > WAL_FRAME_MAX || rest->n < START + behind || body > rest->n - START - behind)
		return false;
	head = str_of(rest->p, START + (size_t)body);
	end = head.p + head.n + behind - SHA256_SIZE;
	if (!is_digest(is_old ? old_digest(s, str_skip(head, START)) :
				sha256_of(s, str_of(head.p, head.n + SHA256_SIZE)), end))
		return false;
	*out = (struct wal_frame){
		.first = be_get(head.p + START, 8),
		.count = (uint32_t)be_get(head.p + START + 8, 4),
		.bundle = str_skip(head, START + INNER),
		.proof = is_old ? WAL_OLD : proof_of(key, head),
		.size = head.n + behind,
	};
	memcpy(out->last.b, end, SHA256_SIZE);
	*rest = str_skip(*rest, out->size);
	return true;
}
