/* Texts of keys: what is taken is written the same (but for the case of the id and white space around it). */
#include "fuzz/fuzz.h"

#include <strings.h>

#include "ledger/key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of(data, size), inner = str_trim(text);
	struct err err = { .kind = ERR_NONE };
	struct signer s, again;
	struct key k, other;
	struct buf b;

	buf_init(&b);
	if (key_parse(text, &k)) {
		FUZZ_CHECK(key_is_name(k.name) && (k.kind == KEY_LOG || k.kind == KEY_WITNESS));
		key_add_text(&b, &k);
		FUZZ_CHECK(b.n == inner.n && strncasecmp(b.p, inner.p, b.n) == 0);
		FUZZ_CHECK(key_parse(buf_str(&b), &other) && memcmp(other.public, k.public, sizeof(k.public)) == 0);
	}
	buf_clear(&b);
	if (signer_parse(text, &s, &err)) {
		signer_add_text(&b, &s);
		FUZZ_CHECK(b.n == inner.n && strncasecmp(b.p, inner.p, b.n) == 0);
		FUZZ_CHECK(signer_parse(buf_str(&b), &again, &err) && memcmp(again.seed, s.seed, sizeof(s.seed)) == 0);
	} else {
		FUZZ_CHECK(err.kind == ERR_DATA && err.text[0]);
	}
	if (size >= ED25519_SEED) { /* any seed is one, and any name that may be a name gives a key that is read back */
		struct str name = str_of(data + ED25519_SEED, size - ED25519_SEED);

		buf_clear(&b);
		FUZZ_CHECK(signer_init(&s, name, KEY_LOG, data, &err) == key_is_name(name));
		if (key_is_name(name)) {
			FUZZ_CHECK(key_is_foreign_name(name));
			signer_add_text(&b, &s);
			FUZZ_CHECK(signer_parse(buf_str(&b), &again, &err));
		}
	}
	buf_free(&b);
	return 0;
}
