/* Records are remembered by a wide hash of their ids, so that a file of any size costs the same for each. */
#include "dialect/identity.h"

#include <assert.h>

#include "base/ascii.h"
#include "base/crypto/sha256.h"

struct identity identity_make(const struct record_scan *s, struct str ids, struct val about)
{
	struct identity one = { .hash = str_hash_wide(ids), .length = 1, .is_known = true };

	if (!val_is_none(about)) {
		assert(val_source(about).p >= s->text.p);
		one.at = (uint32_t)(val_source(about).p - s->text.p);
		one.length = (uint32_t)val_source(about).n;
	}
	return one;
}

void identities_begin(struct record_fold *f)
{
	struct identities *t = f->state;

	map_init(&t->seen, f->arena);
}

void identities_add(struct record_fold *f, const struct identity *one, const struct record_place *place,
		    const struct identity_kind *kind)
{
	struct identities *t = f->state;
	struct str pointer = str_from(kind->pointer);
	uint64_t *line;
	bool added;

	if (!one->is_known || t->full)
		return;
	if (t->seen.count >= IDENTITIES_MAX) {
		t->full = true;
		record_fold_note(f, kind->on_limit, place, one->at, one->length, pointer,
				 "from here on records are not compared with those before: there are more than %zu",
				 IDENTITIES_MAX);
		return;
	}
	line = map_add(&t->seen, str_of(&one->hash, sizeof(one->hash)), &added);
	if (added)
		*line = place->line;
	else
		record_fold_note(f, kind->on_twice, place, one->at, one->length, pointer, "%s, on line %llu",
				 kind->twice, (unsigned long long)*line);
}

void identities_add_all(struct record_fold *f, const struct record_batch *b, const struct identity_kind *kind)
{
	const struct identity *facts = (const void *)b->facts.p;

	assert(f->format->fact_size == sizeof(*facts));
	for (size_t i = 0; i < record_batch_count(b); i++)
		identities_add(f, &facts[i], record_batch_place(b, i), kind);
}

bool identity_is_digest(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!ascii_is_hex(text.p[i]) || ascii_is_upper(text.p[i]))
			return false;
	return text.n == SHA256_HEX;
}
