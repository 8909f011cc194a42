/* Keys of call ids are made under a seed of the process; a batch is buffers that are cleared and not freed. */
#include "dialect/otutl/record.h"

#include <assert.h>

static uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/*
 * The first half is the seeded hash. The second begins with the first, so it is as secret; it only has
 * to tell apart what the first half does not, which happens once in 2^64 pairs.
 */
struct otutl_key otutl_key_of(struct str call_id)
{
	struct otutl_key key = { .a = str_hash(call_id) };
	uint64_t word = 0;
	size_t i;

	key.b = key.a;
	for (i = 0; call_id.n - i >= 8; i += 8) {
		memcpy(&word, call_id.p + i, 8);
		key.b = mix(key.b, word);
	}
	word = 0;
	if (i < call_id.n)
		memcpy(&word, call_id.p + i, call_id.n - i);
	key.b = mix(key.b, word);
	key.b += key.a == 0 && key.b == 0;
	return key;
}

void otutl_batch_init(struct otutl_batch *b)
{
	*b = (struct otutl_batch){ .whole = { 0 } };
	arena_init(&b->arena);
}

static void batch_each_buffer(struct otutl_batch *b, void (*to_do)(struct buf *))
{
	struct buf *const all[] = { &b->canon, &b->proj, &b->records, &b->holes, &b->findings, &b->codes };

	for (size_t i = 0; i < COUNT(all); i++)
		to_do(all[i]);
}

void otutl_batch_free(struct otutl_batch *b)
{
	batch_each_buffer(b, buf_free);
	arena_free(&b->arena);
}

void otutl_batch_clear(struct otutl_batch *b)
{
	batch_each_buffer(b, buf_clear);
	memset(b->whole, 0, sizeof(b->whole));
	arena_reset(&b->arena);
}

static struct str piece(const struct buf *b, size_t at, size_t n)
{
	return n ? str_of(b->p + at, n) : STR("");
}

struct otutl_view otutl_batch_view(const struct otutl_batch *b, size_t i)
{
	const struct otutl_record *r = otutl_batch_get(b, i);

	assert(i < otutl_batch_count(b));
	return (struct otutl_view){
		.record = r,
		.canon = piece(&b->canon, r->canon, r->canon_n),
		.proj = piece(&b->proj, r->proj, r->proj_n),
		.holes = r->hole_count ? (const struct otutl_hole *)(const void *)b->holes.p + r->hole : NULL,
	};
}
