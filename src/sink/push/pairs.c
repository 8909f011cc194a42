/* Cuts at commas, then at the first '='; a comma or '=' inside a key or value is encoded, as %2C and %3D. */
#include "sink/push/pairs.h"

#include "base/crypto/hex.h"
#include "base/utf8.h"

/* Into the arena, never longer than before. False: a '%' that is none, or not UTF-8. */
static bool push_pairs_decode(struct arena *a, struct str s, struct str *out)
{
	char *p = arena_alloc(a, s.n + 1, 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '%') {
			int high = i + 2 < s.n ? hex_value(s.p[i + 1]) : -1;
			int low = high >= 0 ? hex_value(s.p[i + 2]) : -1;

			if (low < 0)
				return false;
			c = (char)(high * 16 + low);
			i += 2;
		}
		p[n++] = c;
	}
	*out = str_of(p, n);
	return utf8_check(*out) == n;
}

static bool push_pairs_read_item(struct arena *a, struct str item, struct push_pair *out, const char **why)
{
	struct str value, key = str_cut(item, '=', &value);

	*why = "has no '='";
	if (key.n == item.n)
		return false;
	*why = "has nothing before its '='";
	key = str_trim(key);
	if (!key.n)
		return false;
	*why = "has a '%' without two hexadecimal digits behind it, or is not UTF-8";
	return push_pairs_decode(a, key, &out->key) && push_pairs_decode(a, str_trim(value), &out->value);
}

bool push_pairs_parse(struct arena *a, struct str text, const char *what, struct push_pair **out, size_t *count,
		      struct err *err)
{
	struct push_pair *list = NULL;
	size_t n = 0, cap = 0;
	const char *why;

	for (size_t number = 1; text.n; number++) {
		struct str item = str_trim(str_cut(text, ',', &text));

		if (!item.n)
			continue;
		if (n == PUSH_PAIRS)
			return err_set(err, ERR_USAGE, "%s: more than %d items", what, PUSH_PAIRS);
		arena_grow(a, list, n, cap, 8);
		if (!push_pairs_read_item(a, item, &list[n++], &why))
			return err_set(err, ERR_USAGE,
				       "%s: item %zu %s" ERR_HELP "write key=value,key2=value2, with %%2C for a comma, "
				       "%%3D for an equals sign and %%25 for a percent sign in a value",
				       what, number, why);
	}
	*out = list;
	*count = n;
	return true;
}
