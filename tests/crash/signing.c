#include "crash/signing.h"

#include "base/arena.h"
#include "base/map.h"

bool __real_ed25519_sign(const uint8_t seed[ED25519_SEED], struct str text, uint8_t out[ED25519_SIGNATURE],
			 struct err *err);
bool __wrap_ed25519_sign(const uint8_t seed[ED25519_SEED], struct str text, uint8_t out[ED25519_SIGNATURE],
			 struct err *err);
bool __real_ed25519_is_signed(const uint8_t key[ED25519_PUBLIC], struct str text,
			      const uint8_t signature[ED25519_SIGNATURE]);
bool __wrap_ed25519_is_signed(const uint8_t key[ED25519_PUBLIC], struct str text,
			      const uint8_t signature[ED25519_SIGNATURE]);

#define KNOWN_MOST 200000 /* then everything is forgotten, so that memory does not grow for ever */

/* The wrapped functions have no context to keep this in. */
static struct {
	bool is_ready;
	struct arena arena;
	struct map map; /* key, text (and signature) to 1 + where its signature or verdict is */
	struct signing_text *texts;
	size_t count, cap;
} known;

static uint64_t *known_slot(const void *key, size_t n, struct str text, const void *more, size_t more_n)
{
	struct buf b;
	uint64_t *slot;

	if (known.is_ready && known.map.count > KNOWN_MOST) {
		arena_free(&known.arena);
		known.is_ready = false;
	}
	if (!known.is_ready) {
		arena_init(&known.arena);
		map_init(&known.map, &known.arena);
		known.is_ready = true;
	}
	buf_init(&b);
	buf_add(&b, key, n);
	buf_add(&b, more, more_n);
	buf_add_str(&b, text);
	slot = map_add(&known.map, buf_str(&b), &(bool){ false });
	buf_free(&b);
	return slot;
}

static void note_signed(struct str text)
{
	struct checkpoint c;
	const char *why;

	if (!checkpoint_parse(text, &c, &why))
		return; /* a cosignature, of a witness */
	if (known.count == known.cap) {
		known.cap = known.cap ? 2 * known.cap : 1024;
		known.texts = mem_resize(known.texts, known.cap * sizeof(*known.texts));
	}
	known.texts[known.count++] = (struct signing_text){ c.size, c.root };
}

bool __wrap_ed25519_sign(const uint8_t seed[ED25519_SEED], struct str text, uint8_t out[ED25519_SIGNATURE],
			 struct err *err)
{
	uint64_t *slot = known_slot(seed, ED25519_SEED, text, NULL, 0);

	if (*slot == 0) {
		uint8_t *new = arena_alloc(&known.arena, ED25519_SIGNATURE, 1);

		if (!__real_ed25519_sign(seed, text, new, err))
			return false;
		*slot = (uint64_t)(uintptr_t)new;
	}
	memcpy(out, (const void *)(uintptr_t)*slot, ED25519_SIGNATURE);
	note_signed(text);
	return true;
}

bool __wrap_ed25519_is_signed(const uint8_t key[ED25519_PUBLIC], struct str text,
			      const uint8_t signature[ED25519_SIGNATURE])
{
	uint64_t *slot = known_slot(key, ED25519_PUBLIC, text, signature, ED25519_SIGNATURE);

	if (*slot == 0)
		*slot = __real_ed25519_is_signed(key, text, signature) ? 1 : 2;
	return *slot == 1;
}

size_t signing_count(void)
{
	return known.count;
}

const struct signing_text *signing_get(size_t i)
{
	return &known.texts[i];
}

void signing_forget(size_t from)
{
	known.count = from;
}

void signing_end(void)
{
	if (known.is_ready)
		arena_free(&known.arena);
	mem_free(known.texts);
	known.is_ready = false;
	known.texts = NULL;
	known.count = known.cap = 0;
}
