/* The state and the block lie behind each other, so that each block is digested in one call. */
#include "capture/observe/block_chain.h"

#include "base/ascii.h"

void block_chain_init(struct block_chain *c, const struct block_options *o)
{
	*c = (struct block_chain){ .key = o->key, .size = (size_t)o->tokens * BLOCK_CHAIN_PER_TOKEN };
	sha256_init(&c->sha);
	c->held = mem_alloc(SHA256_SIZE + c->size);
	block_chain_begin(c);
}

void block_chain_free(struct block_chain *c)
{
	explicit_bzero(c->held, SHA256_SIZE + c->size);
	mem_free(c->held);
	mem_free(c->ids);
	sha256_free(&c->sha);
	explicit_bzero(c, sizeof(*c));
}

void block_chain_begin(struct block_chain *c)
{
	memcpy(c->held, c->key.b, SHA256_SIZE);
	c->filled = c->count = 0;
	c->over = false;
}

void block_chain_resume(struct block_chain *c, struct str held, const uint64_t *ids, size_t count)
{
	block_chain_begin(c);
	memcpy(c->held, held.p, held.n);
	c->filled = held.n - SHA256_SIZE;
	for (size_t i = 0; i < count; i++) {
		mem_grow(c->ids, c->count, c->cap, 256);
		c->ids[c->count++] = ids[i];
	}
}

/* The first 53 bits: what every reader of JSON can hold as a number. */
static uint64_t id_of(struct digest d)
{
	uint64_t n = 0;

	for (size_t i = 0; i < sizeof(n); i++)
		n = n << 8 | d.b[i];
	return n >> 11;
}

static void chain_close_block(struct block_chain *c)
{
	struct digest d = sha256_of(&c->sha, block_chain_held(c));

	memcpy(c->held, d.b, SHA256_SIZE);
	c->filled = 0;
	if (c->count == BLOCK_CHAIN_IDS) {
		c->over = true;
		return;
	}
	mem_grow(c->ids, c->count, c->cap, 256);
	c->ids[c->count++] = id_of(d);
}

static void chain_add_bytes(struct block_chain *c, struct str bytes)
{
	while (bytes.n && !c->over) {
		size_t n = c->size - c->filled < bytes.n ? c->size - c->filled : bytes.n;

		memcpy(c->held + SHA256_SIZE + c->filled, bytes.p, n);
		c->filled += n;
		bytes = str_of(bytes.p + n, bytes.n - n);
		if (c->filled == c->size)
			chain_close_block(c);
	}
}

static void chain_add_digest(struct block_chain *c, struct str of, size_t n)
{
	struct digest d;

	sha256_restart(&c->sha);
	sha256_add(&c->sha, str_of(c->key.b, sizeof(c->key.b)));
	sha256_add(&c->sha, of);
	d = sha256_end(&c->sha);
	for (size_t done = 0; done < n && !c->over; done += SHA256_SIZE)
		chain_add_bytes(c, str_of(d.b, n - done < SHA256_SIZE ? n - done : SHA256_SIZE));
}

/* Both alphabets, and the end. */
static bool is_base64(char c)
{
	return ascii_is_alpha(c) || ascii_is_digit(c) || c == '+' || c == '/' || c == '-' || c == '_' || c == '=';
}

/*
 * The first run of base64 that is long enough; p NULL when there is none. Looks from the end of where a run would be
 * backwards: in ordinary text a space is near, and all before it need not be looked at.
 */
static struct str chain_find_media(struct str text)
{
	size_t from = 0, end;

	while (text.n - from >= BLOCK_CHAIN_MEDIA) {
		for (end = from + BLOCK_CHAIN_MEDIA; end > from && is_base64(text.p[end - 1]);)
			end--;
		if (end > from) {
			from = end;
			continue;
		}
		for (end = from + BLOCK_CHAIN_MEDIA; end < text.n && is_base64(text.p[end]);)
			end++;
		return str_of(text.p + from, end - from);
	}
	return str_of(NULL, 0);
}

void block_chain_add(struct block_chain *c, struct str text)
{
	struct str media;

	while (text.n && !c->over && (media = chain_find_media(text)).p) {
		size_t before = (size_t)(media.p - text.p);

		chain_add_bytes(c, str_of(text.p, before));
		chain_add_digest(c, media, BLOCK_CHAIN_MEDIA);
		text = str_of(media.p + media.n, text.n - before - media.n);
	}
	chain_add_bytes(c, text);
}

void block_chain_add_unknown(struct block_chain *c, struct str name, size_t n)
{
	chain_add_digest(c, name, n);
}

struct str block_chain_held(const struct block_chain *c)
{
	return str_of(c->held, SHA256_SIZE + c->filled);
}

bool block_chain_last(struct block_chain *c, uint64_t *id)
{
	if (!c->filled)
		return false;
	*id = id_of(sha256_of(&c->sha, block_chain_held(c)));
	return true;
}

uint64_t *block_chain_own(struct arena *a, const struct digest *key, const uint64_t *ids, size_t count)
{
	uint64_t *own = arena_array(a, uint64_t, count);
	char text[SHA256_SIZE + sizeof(*ids)];
	struct sha256 sha;

	memcpy(text, key->b, SHA256_SIZE);
	sha256_init(&sha);
	for (size_t i = 0; i < count; i++) {
		memcpy(text + SHA256_SIZE, &ids[i], sizeof(*ids));
		own[i] = id_of(sha256_of(&sha, str_of(text, sizeof(text))));
	}
	sha256_free(&sha);
	explicit_bzero(text, sizeof(text));
	return own;
}
