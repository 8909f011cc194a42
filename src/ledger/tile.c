/*
 * Numbers in paths go by groups of three digits, all but the last with an x before them. Parsing writes the path
 * again and compares, so that every tile has one name.
 */
#include "ledger/tile.h"

#include <assert.h>
#include <stdio.h>

#include "base/ascii.h"
#include "base/num.h"

#define GROUP 1000 /* three digits of a number in a path */

/* Bundles lie as the tiles of level 0 do: both have something for each entry. */
static unsigned bits_of(unsigned level)
{
	return level == TILE_ENTRIES ? 0 : 8 * level;
}

/* How many hashes (or entries) a level has: 0 beyond the top, where a shift would not be defined. */
static uint64_t count_at(unsigned level, uint64_t size)
{
	return bits_of(level) < 64 ? size >> bits_of(level) : 0;
}

static size_t add(char *out, size_t at, struct str text)
{
	memcpy(out + at, text.p, text.n);
	return at + text.n;
}

static size_t add_group(char *out, size_t at, unsigned group)
{
	out[at] = (char)('0' + group / 100);
	out[at + 1] = (char)('0' + group / 10 % 10);
	out[at + 2] = (char)('0' + group % 10);
	return at + 3;
}

size_t tile_path(char out[TILE_PATH_MAX], const struct tile *t)
{
	uint64_t scale = 1;
	size_t at = add(out, 0, STR("tile/"));

	assert(t->level < TILE_LEVELS || t->level == TILE_ENTRIES);
	assert(t->width >= 1 && t->width <= TILE_WIDTH);
	if (t->level == TILE_ENTRIES)
		at = add(out, at, STR("entries"));
	else
		out[at++] = (char)('0' + t->level);
	while (t->n / scale >= GROUP)
		scale *= GROUP;
	for (; scale > 1; scale /= GROUP) {
		at = add(out, at, STR("/x"));
		at = add_group(out, at, (unsigned)(t->n / scale % GROUP));
	}
	out[at++] = '/';
	at = add_group(out, at, (unsigned)(t->n % GROUP));
	if (t->width < TILE_WIDTH) {
		at = add(out, at, STR(".p/"));
		at += num_format_u64(out + at, t->width);
	}
	out[at] = '\0';
	return at;
}

static bool parse_level(struct str word, unsigned *out)
{
	if (str_eq(word, STR("entries")))
		*out = TILE_ENTRIES;
	else if (word.n == 1 && word.p[0] >= '0' && word.p[0] < '0' + TILE_LEVELS)
		*out = (unsigned)(word.p[0] - '0');
	else
		return false;
	return true;
}

/* "x001/x234/067" and what follows; the number must fit a log of 64 bits. */
static bool parse_number(struct str *rest, uint64_t *out)
{
	uint64_t n = 0;

	for (bool is_last = false; !is_last;) {
		is_last = rest->n > 0 && rest->p[0] != 'x';
		if (!is_last)
			*rest = str_of(rest->p + 1, rest->n - (rest->n > 0));
		if (rest->n < 3 || n > UINT64_MAX / TILE_WIDTH / GROUP)
			return false;
		for (size_t i = 0; i < 3; i++) {
			if (!ascii_is_digit(rest->p[i]))
				return false;
			n = n * 10 + (uint64_t)(rest->p[i] - '0');
		}
		*rest = str_skip(*rest, 3);
		if (!is_last && (rest->n == 0 || rest->p[0] != '/'))
			return false;
		if (!is_last)
			*rest = str_skip(*rest, 1);
	}
	*out = n;
	return true;
}

static bool parse_width(struct str rest, unsigned *out)
{
	uint64_t width = TILE_WIDTH;

	if (rest.n > 0 && (!str_starts(rest, STR(".p/")) || !num_parse_u64(str_skip(rest, 3), &width) ||
			   width == 0 || width >= TILE_WIDTH))
		return false;
	*out = (unsigned)width;
	return true;
}

bool tile_parse_path(struct str path, struct tile *out)
{
	struct tile t;
	struct str rest;
	uint64_t most;
	char again[TILE_PATH_MAX];

	if (path.n >= TILE_PATH_MAX || !str_starts(path, STR("tile/")))
		return false;
	if (!parse_level(str_cut(str_skip(path, 5), '/', &rest), &t.level) ||
	    !parse_number(&rest, &t.n) || !parse_width(rest, &t.width))
		return false;
	/* a tile that no log can have: its hashes are of more entries than there are numbers */
	most = UINT64_MAX >> bits_of(t.level);
	if (t.width > most || t.n > (most - t.width) / TILE_WIDTH)
		return false;
	if (!str_eq(path, str_of(again, tile_path(again, &t)))) /* leading groups of zeros */
		return false;
	*out = t;
	return true;
}

unsigned tile_partial_width(unsigned level, uint64_t size)
{
	return (unsigned)(count_at(level, size) % TILE_WIDTH);
}

uint64_t tile_full_count(unsigned level, uint64_t size)
{
	return count_at(level, size) / TILE_WIDTH;
}

struct tile tile_of(unsigned level, uint64_t i, uint64_t size)
{
	struct tile t = { .level = level, .n = i / TILE_WIDTH, .width = TILE_WIDTH };

	assert(i < count_at(level, size));
	if (t.n == tile_full_count(level, size))
		t.width = tile_partial_width(level, size);
	return t;
}

void bundle_add(struct buf *out, struct str entry)
{
	assert(entry.n <= ENTRY_MAX);
	buf_add_byte(out, (char)(entry.n >> 8 & 255));
	buf_add_byte(out, (char)(entry.n & 255));
	buf_add_str(out, entry);
}

bool bundle_next(struct str *rest, struct str *entry, bool *broken)
{
	const uint8_t *p = (const uint8_t *)rest->p;
	size_t n;

	*broken = false;
	if (rest->n == 0)
		return false;
	*broken = true;
	if (rest->n < 2)
		return false;
	n = (size_t)p[0] << 8 | p[1];
	if (rest->n - 2 < n)
		return false;
	*broken = false;
	*entry = str_of(rest->p + 2, n);
	*rest = str_skip(*rest, 2 + n);
	return true;
}

void object_path(char out[OBJECT_PATH_MAX], struct digest d)
{
	char hex[SHA256_HEX];

	digest_hex(hex, d);
	snprintf(out, OBJECT_PATH_MAX, OBJECT_TOP "%.2s/%.*s", hex, SHA256_HEX - 2, hex + 2);
}
