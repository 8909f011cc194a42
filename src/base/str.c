#include "base/str.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/seed.h"

struct str str_from(const char *terminated)
{
	return str_of(terminated, terminated ? strlen(terminated) : 0);
}

bool str_same_nocase(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i] && ascii_lower(a[i]) != ascii_lower(b[i]))
			return false;
	return true;
}

bool str_is_one_of(struct str s, const struct str *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(s, list[i]))
			return true;
	return false;
}

bool str_is_word_of(struct str s, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(s, str_from(words[i])))
			return true;
	return false;
}

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n ? memcmp(a.p, b.p, n) : 0;

	return order ? order : (a.n > b.n) - (a.n < b.n);
}

int str_cmp_first(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

bool str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && str_eq(str_of(s.p, prefix.n), prefix);
}

bool str_ends(struct str s, struct str suffix)
{
	return s.n >= suffix.n && (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

size_t str_find(struct str s, struct str needle)
{
	const char *at;

	if (needle.n == 0)
		return 0;
	if (s.n < needle.n)
		return (size_t)-1;
	at = memmem(s.p, s.n, needle.p, needle.n);
	return at ? (size_t)(at - s.p) : (size_t)-1;
}

bool str_has_nocase(struct str s, struct str needle)
{
	char first = needle.n ? ascii_lower(needle.p[0]) : '\0';

	for (size_t i = 0; i + needle.n <= s.n; i++)
		if (!needle.n || (ascii_lower(s.p[i]) == first && str_same_nocase(s.p + i, needle.p, needle.n)))
			return true;
	return false;
}

size_t str_count(struct str s, char byte)
{
	size_t n = 0;

	for (const char *p = s.p, *end = s.p + s.n; p < end && (p = memchr(p, byte, (size_t)(end - p))); p++)
		n++;
	return n;
}

struct str str_cut(struct str s, char at, struct str *rest)
{
	const char *found = s.n ? memchr(s.p, at, s.n) : NULL;
	size_t n;

	if (!found) {
		*rest = STR("");
		return s;
	}
	n = (size_t)(found - s.p);
	*rest = str_of(found + 1, s.n - n - 1);
	return str_of(s.p, n);
}

struct str str_trim(struct str s)
{
	while (s.n && ascii_is_space(s.p[s.n - 1]))
		s.n--;
	while (s.n && ascii_is_space(s.p[0])) {
		s.p++;
		s.n--;
	}
	return s;
}

struct str str_basename(struct str path)
{
	size_t end = path.n, start;

	while (end > 1 && path.p[end - 1] == '/')
		end--;
	start = end;
	while (start > 0 && path.p[start - 1] != '/')
		start--;
	if (start == end)
		return str_of(path.p, end); /* nothing at all, or the root */
	return str_of(path.p + start, end - start);
}

bool str_is_at_or_below(struct str path, struct str dir)
{
	if (dir.n > 1 && dir.p[dir.n - 1] == '/')
		dir.n--;
	return str_starts(path, dir) && (path.n == dir.n || path.p[dir.n] == '/' || str_eq(dir, STR("/")));
}

static bool like_byte(char text, char pattern, unsigned how)
{
	if (pattern == '?' && how & STR_LIKE_ONE)
		return true;
	return how & STR_LIKE_ANY_CASE ? ascii_lower(text) == ascii_lower(pattern) : text == pattern;
}

/* Goes back to the last star only: what an earlier one took need not change, since the last can take all the rest. */
bool str_is_like(struct str text, struct str pattern, unsigned how)
{
	size_t t = 0, p = 0, star = (size_t)-1, from = 0;

	while (t < text.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			from = t;
		} else if (p < pattern.n && like_byte(text.p[t], pattern.p[p], how)) {
			p++;
			t++;
		} else if (star != (size_t)-1) {
			p = star + 1;
			t = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

struct str str_dirname(struct str path)
{
	const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;

	if (!slash)
		return STR(".");
	return str_of(path.p, slash == path.p ? 1 : (size_t)(slash - path.p));
}

/*
 * Only cells within `limit` of the diagonal can hold a distance up to the limit, so a row is that
 * band: cell k of row i stands for the first i bytes of a and the first i + k - limit - 1 of b. The
 * outermost two cells are fences that are always beyond the limit.
 */
struct band {
	size_t *two_up, *up, *here;
	size_t width, limit;
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Returns the least distance in the row. */
static size_t band_fill_row(struct band *d, struct str a, struct str b, size_t i)
{
	size_t best = d->limit + 1;

	for (size_t k = 1; k + 1 < d->width; k++) {
		size_t j = i + k - d->limit - 1, cost = d->limit + 1;

		if (i + k < d->limit + 1 || j > b.n) {
			d->here[k] = cost;
			continue;
		}
		if (j > 0)
			cost = least(cost, d->here[k - 1] + 1);
		if (i > 0)
			cost = least(cost, d->up[k + 1] + 1);
		if (i > 0 && j > 0)
			cost = least(cost, d->up[k] + (a.p[i - 1] != b.p[j - 1]));
		if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
			cost = least(cost, d->two_up[k] + 1);
		if (i == 0 && j == 0)
			cost = 0;
		d->here[k] = cost;
		best = least(best, cost);
	}
	return best;
}

static size_t band_distance(struct band *d, struct str a, struct str b)
{
	for (size_t i = 0; i <= a.n; i++) {
		size_t *oldest = d->two_up;

		d->two_up = d->up;
		d->up = d->here;
		d->here = oldest;
		/* no later row has less: a swap reaches over a row only where replacing was as cheap */
		if (band_fill_row(d, a, b, i) > d->limit)
			return d->limit + 1;
	}
	return least(d->here[b.n + d->limit + 1 - a.n], d->limit + 1);
}

size_t str_distance(struct str a, struct str b, size_t limit)
{
	size_t longest = a.n > b.n ? a.n : b.n, gap = longest - least(a.n, b.n);
	size_t few[3 * 32], *cells = few, answer;
	struct band d;

	if (gap > limit)
		return limit + 1;
	d.limit = least(limit, longest);
	d.width = 2 * d.limit + 3;
	if (d.width > 32)
		cells = mem_alloc(3 * d.width * sizeof(*cells));
	for (size_t i = 0; i < 3 * d.width; i++)
		cells[i] = d.limit + 1;
	d.two_up = cells;
	d.up = cells + d.width;
	d.here = cells + 2 * d.width;
	answer = band_distance(&d, a, b);
	if (cells != few)
		mem_free(cells);
	return answer;
}

/*
 * The hash multiplies 16 bytes at a time into 128 bits and folds the halves together. Both factors
 * of every product contain secret bits: with a public constant in one of them, a key could be built
 * that makes the product zero, and such keys would collide whatever the seed.
 */
static uint64_t fold(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t str_load64(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t load32(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t load_few(const char *p, size_t n)
{
	uint64_t first = (unsigned char)p[0], middle = (unsigned char)p[n / 2], last = (unsigned char)p[n - 1];

	return first << 16 | middle << 8 | last;
}

uint64_t str_hash(struct str s)
{
	/* the fractional bits of the square roots of 2 and 3: odd looking, and nobody's choice */
	const uint64_t root2 = 0x6a09e667f3bcc909, root3 = 0xbb67ae8584caa73b;
	uint64_t seed = seed_get(), secret = fold(seed ^ root2, root3), h = secret ^ seed;
	uint64_t a = 0, b = 0;
	const char *p = s.p;
	size_t n = s.n;

	for (; n > 16; p += 16, n -= 16)
		h = fold(str_load64(p) ^ secret, str_load64(p + 8) ^ h);
	if (n >= 8) {
		a = str_load64(p);
		b = str_load64(p + n - 8);
	} else if (n >= 4) {
		a = load32(p);
		b = load32(p + n - 4);
	} else if (n > 0) {
		a = load_few(p, n);
	}
	h = fold(a ^ secret, b ^ h);
	return fold(h ^ root3, s.n ^ secret);
}

struct hash str_hash_wide(struct str s)
{
	/* the fractional bits of the square roots of 5 and 7 */
	const uint64_t root5 = 0x3c6ef372fe94f82b, root7 = 0xa54ff53a5f1d36f1;
	uint64_t seed = seed_get(), one = fold(seed ^ root5, root7), two = fold(seed ^ root7, root5);
	uint64_t a = one ^ seed, b = two + seed, x = 0, y = 0;
	const char *p = s.p;
	size_t n = s.n;

	for (; n > 16; p += 16, n -= 16) {
		x = str_load64(p);
		y = str_load64(p + 8);
		a = fold(x ^ one, y ^ a);
		b = fold(x ^ b, y ^ two);
	}
	x = y = 0;
	if (n >= 8) {
		x = str_load64(p);
		y = str_load64(p + n - 8);
	} else if (n >= 4) {
		x = load32(p);
		y = load32(p + n - 4);
	} else if (n > 0) {
		x = load_few(p, n);
	}
	a = fold(x ^ one, y ^ a);
	b = fold(x ^ b, y ^ two);
	return (struct hash){ fold(a ^ two, b ^ s.n ^ one), fold(b ^ one, a ^ s.n ^ two) };
}
