/*
 * Two hash tables with open addressing: names by their bytes, steps by shape and name. Both are kept at most half full.
 */
#include "json/shape.h"

#include <assert.h>

#include "base/utf8.h"
#include "json/text.h"

#define FIRST_KEYS 64
#define FIRST_SHAPES 64

/* The slot of a step, or the free one where it belongs. Twice as many slots as shapes. */
static struct shape_step *find_step(const struct json_shapes *s, uint16_t from, uint32_t key)
{
	uint64_t hash = ((uint64_t)from << 32 | key) * 0x9e3779b97f4a7c15u;
	uint32_t last = s->shape_cap * 2 - 1, i = (uint32_t)(hash >> 40) & last;

	while (s->steps[i].to && (s->steps[i].from != from || s->steps[i].key != key))
		i = (i + 1) & last;
	return &s->steps[i];
}

static void *zeroed(size_t count, size_t size)
{
	return memset(mem_alloc(count * size), 0, count * size);
}

/* Zeroed shapes are SHAPE_NONE and SHAPE_EMPTY; numbering goes on behind them. */
static void make_empty(struct json_shapes *s)
{
	arena_init(&s->arena);
	s->shape_cap = FIRST_SHAPES;
	s->shapes = zeroed(FIRST_SHAPES, sizeof(*s->shapes));
	s->steps = zeroed(FIRST_SHAPES * 2, sizeof(*s->steps));
	s->shape_count = SHAPE_EMPTY + 1;
	s->key_count = 0;
	s->key_cap = FIRST_KEYS;
	s->keys = mem_alloc(FIRST_KEYS * sizeof(*s->keys));
	s->slot_cap = FIRST_KEYS * 2;
	s->slots = zeroed(s->slot_cap, sizeof(*s->slots));
	s->key_bytes = 0;
	s->stamp = 0;
	s->full = false;
}

void shapes_init(struct json_shapes *s)
{
	s->epoch = 0;
	make_empty(s);
}

void shapes_free(struct json_shapes *s)
{
	arena_free(&s->arena);
	mem_free(s->shapes);
	mem_free(s->steps);
	mem_free(s->keys);
	mem_free(s->slots);
}

void shapes_empty_if_full(struct json_shapes *s)
{
	if (!s->full)
		return;
	shapes_free(s);
	make_empty(s);
	s->epoch++;
}

/* The slot of a name, or the free one where it belongs. */
static uint32_t *find_slot(const struct json_shapes *s, struct str name, uint64_t hash)
{
	uint32_t i = (uint32_t)hash & (s->slot_cap - 1);

	assert((s->slot_cap & (s->slot_cap - 1)) == 0 && s->key_count < s->slot_cap); /* the walk ends */
	while (s->slots[i]) {
		const struct shape_key *k = &s->keys[s->slots[i] - 1];

		if (k->hash == hash && str_eq(k->text, name))
			break;
		i = (i + 1) & (s->slot_cap - 1);
	}
	return &s->slots[i];
}

/* Numbers stay as they are: tapes hold them. Only the slots are filled anew. */
static void grow_keys(struct json_shapes *s)
{
	s->key_cap *= 2;
	s->keys = mem_resize(s->keys, s->key_cap * sizeof(*s->keys));
	s->slot_cap = s->key_cap * 2;
	s->slots = mem_resize(s->slots, s->slot_cap * sizeof(*s->slots));
	memset(s->slots, 0, s->slot_cap * sizeof(*s->slots));
	for (uint32_t k = 0; k < s->key_count; k++) {
		uint32_t i = (uint32_t)s->keys[k].hash & (s->slot_cap - 1);

		while (s->slots[i])
			i = (i + 1) & (s->slot_cap - 1);
		s->slots[i] = k + 1;
	}
}

uint32_t shapes_key(struct json_shapes *s, struct str name)
{
	uint64_t hash = str_hash(name);
	uint32_t *slot = find_slot(s, name, hash);
	struct shape_key *k;

	if (*slot)
		return *slot - 1;
	assert(s->key_count < s->key_cap);
	k = &s->keys[s->key_count++];
	*k = (struct shape_key){ .text = arena_copy(&s->arena, name), .hash = hash };
	*slot = s->key_count;
	s->key_bytes += name.n;
	if (s->key_count >= SHAPE_KEYS_MAX || s->key_bytes >= SHAPE_KEY_BYTES_MAX)
		s->full = true;
	if (s->key_count == s->key_cap)
		grow_keys(s);
	return s->key_count - 1;
}

/* Walks back along the names that led here, at most SHAPE_MEMBERS_MAX of them; asked only when a step is not known. */
static bool has_key(const struct json_shapes *s, uint16_t shape, uint32_t key)
{
	for (; shape != SHAPE_EMPTY; shape = s->shapes[shape].from)
		if (s->shapes[shape].key == key)
			return true;
	return false;
}

static void grow_shapes(struct json_shapes *s)
{
	struct shape_step *old = s->steps;
	uint32_t old_slots = s->shape_cap * 2;

	s->shapes = mem_resize(s->shapes, s->shape_cap * 2 * sizeof(*s->shapes));
	memset(s->shapes + s->shape_cap, 0, s->shape_cap * sizeof(*s->shapes));
	s->shape_cap *= 2;
	s->steps = zeroed(s->shape_cap * 2, sizeof(*s->steps));
	for (uint32_t i = 0; i < old_slots; i++)
		if (old[i].to)
			*find_step(s, old[i].from, old[i].key) = old[i];
	mem_free(old);
}

uint16_t shapes_step(struct json_shapes *s, uint16_t from, uint32_t key, bool *duplicate)
{
	struct shape_step *step;
	struct shape *made;

	*duplicate = false;
	if (from == SHAPE_NONE)
		return SHAPE_NONE;
	assert(from < s->shape_count && key < s->key_count);
	step = find_step(s, from, key);
	if (step->to)
		return step->to;
	*duplicate = has_key(s, from, key);
	if (*duplicate || s->shapes[from].count >= SHAPE_MEMBERS_MAX)
		return SHAPE_NONE;
	if (s->shape_count == SHAPE_MAX) {
		s->full = true;
		return SHAPE_NONE;
	}
	if (s->shape_count == s->shape_cap) {
		grow_shapes(s);
		step = find_step(s, from, key);
	}
	*step = (struct shape_step){ .key = key, .from = from, .to = (uint16_t)s->shape_count++ };
	made = &s->shapes[step->to];
	made->key = key;
	made->from = from;
	made->marks = s->shapes[from].marks | shape_mark(s->keys[key].text);
	made->count = (uint16_t)(s->shapes[from].count + 1);
	return step->to;
}

void shapes_guess(struct json_shapes *s, uint16_t from, uint16_t to, uint32_t key, struct str bytes, size_t name_len)
{
	struct shape *sh = &s->shapes[from];
	struct shape_guess *g = &sh->guess[0];

	if (from == SHAPE_NONE || to == SHAPE_NONE || bytes.n > SHAPE_GUESS)
		return;
	assert(from < s->shape_count && to < s->shape_count && name_len <= bytes.n);
	sh->guess[1] = sh->guess[0];
	memset(g->bytes, 0, sizeof(g->bytes));
	memcpy(g->bytes, bytes.p, bytes.n);
	g->mask = (uint32_t)(((uint64_t)1 << bytes.n) - 1);
	g->bytes_len = (uint8_t)bytes.n;
	g->name_len = (uint8_t)name_len;
	g->key = key;
	g->to = to;
}

/* ---- canonical form ---- */

struct str shapes_key_canon(struct json_shapes *s, uint32_t key)
{
	struct shape_key *k = &s->keys[key];
	char *out;
	size_t n;

	assert(key < s->key_count);
	if (k->canon.p)
		return k->canon;
	out = arena_array(&s->arena, char, k->text.n * 6 + 4 + SHAPE_GUESS); /* canon copies whole pieces */
	memcpy(out, ",\"", 2);
	n = 2 + text_escape(out + 2, k->text);
	memcpy(out + n, "\":", 2);
	k->canon = str_of(out, n + 2);
	return k->canon;
}

const struct shape *shapes_order(struct json_shapes *s, uint16_t shape)
{
	struct shape *sh = &s->shapes[shape];
	uint32_t keys[SHAPE_MEMBERS_MAX];
	uint16_t at = shape;

	assert(shape != SHAPE_NONE && shape < s->shape_count);
	if (sh->order)
		return sh;
	for (size_t i = sh->count; i > 0; i--, at = s->shapes[at].from)
		keys[i - 1] = s->shapes[at].key;
	sh->order = arena_array(&s->arena, uint8_t, (size_t)sh->count + 1);
	sh->sorted = true;
	for (uint8_t i = 0; i < sh->count; i++) { /* insertion sort: short, done once per shape */
		struct str name = s->keys[keys[i]].text;
		size_t j = i;

		while (j > 0 && utf8_cmp_utf16(s->keys[keys[sh->order[j - 1]]].text, name) > 0) {
			sh->order[j] = sh->order[j - 1];
			j--;
		}
		sh->order[j] = i;
		sh->sorted = sh->sorted && j == i;
	}
	return sh;
}
