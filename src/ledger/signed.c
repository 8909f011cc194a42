/* The canonical form is read again, so that its members come in order and "signer" can be left out. */
#include "ledger/signed.h"

#include "base/crypto/base64.h"
#include "json/canon.h"

static bool add_members(struct json_parser *p, struct str canonical, struct buf *out)
{
	struct val root, key, value;
	struct val_iter it;
	size_t before = out->n;

	if (!json_parse_copy(p, canonical, &root, NULL) || !val_is(root, JSON_OBJECT))
		return false;
	buf_add_byte(out, '{');
	it = val_begin(root);
	while (val_next_member(&it, &key, &value)) {
		if (str_eq(val_raw(key), STR("signer")))
			continue;
		if (out->n > before + 1)
			buf_add_byte(out, ',');
		buf_printf(out, "\"%.*s\":", STR_ARG(val_raw(key)));
		buf_add_str(out, val_source(value));
	}
	buf_add_byte(out, '}');
	return true;
}

bool signed_add_text(struct json_parser *p, struct str review, struct buf *out)
{
	struct canon *c = canon_open(CANON_JCS);
	enum json_code code;
	struct buf canonical;
	uint32_t bad_at;
	struct val root;
	bool done;

	buf_init(&canonical);
	done = json_parse_copy(p, review, &root, NULL) && canon_value(c, root, &canonical, &bad_at, &code) &&
	       add_members(p, buf_str(&canonical), out);
	buf_free(&canonical);
	canon_close(c);
	return done;
}

/* The key and the signature that the review has. */
static bool read_signer(struct arena *a, struct val signer, struct key *by, uint8_t signature[ED25519_SIGNATURE],
			const char **why)
{
	struct str vkey = arena_copy(a, val_get_text(signer, STR("vkey"), a));

	if (!key_parse(vkey, by) || by->kind != KEY_LOG) {
		by->name = (struct str){ NULL, 0 };
		*why = "the signer's vkey is no Ed25519 key";
		return false;
	}
	if (!base64_parse_bytes(signature, ED25519_SIGNATURE, val_get_text(signer, STR("signature"), a))) {
		*why = "the signer's signature is not 64 bytes in base64";
		return false;
	}
	return true;
}

enum signed_state signed_check(struct json_parser *p, struct arena *a, struct str review, struct key *by,
			       const char **why)
{
	uint8_t signature[ED25519_SIGNATURE];
	struct val root, signer;
	bool holds = false;
	struct buf text;

	*by = (struct key){ .kind = 0 };
	if (!json_parse_copy(p, review, &root, NULL) || !val_is(root, JSON_OBJECT))
		return SIGNED_NOT;
	signer = val_get(root, STR("signer"));
	if (val_is_none(signer) || val_is(signer, JSON_NULL))
		return SIGNED_NOT;
	if (!read_signer(a, signer, by, signature, why))
		return SIGNED_BADLY;
	buf_init(&text);
	if (signed_add_text(p, review, &text))
		holds = ed25519_is_signed(by->public, buf_str(&text), signature);
	buf_free(&text);
	*why = "the signature is not one of this review by this key";
	return holds ? SIGNED_WELL : SIGNED_BADLY;
}

bool signed_make(struct json_parser *p, struct arena *a, struct str review, const struct signer *s, struct str *out,
		 struct err *err)
{
	uint8_t signature[ED25519_SIGNATURE];
	struct buf text, encoded;
	bool done;

	buf_init(&text);
	buf_init(&encoded);
	done = signed_add_text(p, review, &text) || err_set(err, ERR_DATA, "the review has no canonical form to sign");
	done = done && ed25519_sign(s->seed, buf_str(&text), signature, err);
	if (done) {
		base64_add(&encoded, str_of(signature, sizeof(signature)));
		*out = arena_copy(a, buf_str(&encoded));
	}
	buf_free(&encoded);
	buf_free(&text);
	return done;
}
