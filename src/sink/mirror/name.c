/* Components are taken one by one, so that nothing in a name can mean another directory. */
#include "sink/mirror/name.h"

#include "base/buf.h"
#include "base/crypto/sha256.h"
#include "base/utf8.h"

#define NAME_LAST 180 /* bytes of a last component: a tag, a number and the suffix must fit behind it */
#define NAME_ANY 255  /* of any other */
#define NAME_DIGITS 8

/* "~1a2b3c4d" of a text. */
static void name_add_digits(struct buf *out, struct str text)
{
	struct sha256 sha;
	char hex[SHA256_HEX];

	sha256_init(&sha);
	digest_hex(hex, sha256_of(&sha, text));
	sha256_free(&sha);
	buf_add_byte(out, '~');
	buf_add(out, hex, NAME_DIGITS);
}

static bool name_is_taken(struct str part, bool is_first)
{
	return str_eq(part, STR("..")) || (is_first && str_eq(part, STR(MIRROR_UNFINISHED)));
}

static void name_add_part(struct buf *out, struct str part, size_t most)
{
	if (name_is_taken(part, out->n == 0))
		buf_add_byte(out, '_');
	buf_add_str(out, part.n <= most ? part : utf8_cut(part, most - NAME_DIGITS - 1));
	if (part.n > most)
		name_add_digits(out, part);
}

struct str mirror_stem(struct arena *a, struct str below, struct str tag)
{
	struct str rest = below;
	struct buf out;

	buf_init(&out);
	while (rest.n) {
		struct str part = str_cut(rest, '/', &rest);

		if (part.n == 0 || str_eq(part, STR(".")))
			continue;
		if (out.n)
			buf_add_byte(&out, '/');
		name_add_part(&out, part, rest.n ? NAME_ANY : NAME_LAST);
	}
	if (out.n == 0)
		buf_add_byte(&out, '_');
	if (tag.p)
		name_add_digits(&out, tag);
	return arena_take(a, &out);
}

struct str mirror_output(struct arena *a, struct str stem, uint64_t run, uint64_t runs, struct str suffix)
{
	assert(run >= 1 && run <= runs && suffix.n <= 40);
	if (runs == 1)
		return ARENA_JOIN(a, stem, suffix);
	return ARENA_JOIN(a, stem, arena_printf(a, ".%llu", (unsigned long long)run), suffix);
}

struct str mirror_spelling(struct arena *a, struct str path)
{
	struct str rest = path;
	struct buf out;

	if (utf8_check(path) == path.n)
		return path;
	buf_init(&out);
	for (size_t good; (good = utf8_check(rest)) < rest.n; rest = str_skip(rest, good + 1)) {
		buf_add_str(&out, str_of(rest.p, good));
		buf_printf(&out, "\\x%02x", (unsigned)(unsigned char)rest.p[good]);
	}
	buf_add_str(&out, rest);
	return arena_take(a, &out);
}
