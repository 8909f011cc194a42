/*
 * Text is escaped in words of eight bytes, most of which need no escape. Pieces are cut out of canonical JSON by
 * counting brackets outside of strings: it was checked before it was kept.
 */
#include "dialect/otutl/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/utf8.h"
#include "json/text.h"

/* ---- scalars ---- */

#define BLOCK 4096 /* bytes looked at before room is made again: an escape may be six times as long */
#define ONES ((uint64_t)0x0101010101010101)
#define HIGHS (ONES << 7)

/* The high bit of each byte that needs an escape; bytes from 0x80 on never do. Exact up to the first such byte. */
static uint64_t escapes_in(uint64_t word)
{
	uint64_t quote = word ^ ONES * '"', slash = word ^ ONES * '\\';

	return ((word - ONES * 0x20) | (quote - ONES) | (slash - ONES)) & ~word & HIGHS;
}

/*
 * Writes at most BLOCK bytes. Eight bytes are copied before they are looked at, so the room must be for those too: n
 * * 6 + 8.
 */
static char *put_block(char *at, struct str text)
{
	const char *p = text.p, *end = text.p + text.n;

	while (end - p >= 8) {
		uint64_t word, found;
		unsigned plain;

		memcpy(&word, p, 8);
		memcpy(at, p, 8);
		found = escapes_in(word);
		if (!found) {
			p += 8;
			at += 8;
			continue;
		}
		plain = (unsigned)__builtin_ctzll(found) / 8;
		at += plain;
		at += text_escape(at, str_of(p + plain, 1));
		p += plain + 1;
	}
	return at + text_escape(at, str_of(p, (size_t)(end - p)));
}

void otutl_put_text(struct buf *out, struct str text)
{
	buf_reserve(out, text.n + text.n / 16 + 2);
	buf_add_byte(out, '"');
	while (text.n) {
		size_t n = text.n < BLOCK ? text.n : BLOCK;
		char *at = buf_reserve(out, n * 6 + 8);

		out->n += (size_t)(put_block(at, str_of(text.p, n)) - at);
		text = str_of(text.p + n, text.n - n);
	}
	buf_add_byte(out, '"');
}

void otutl_put_count(struct buf *out, uint64_t n)
{
	char *at = buf_reserve(out, NUM_U64_MAX + 2);

	if (n <= OTUTL_SAFE_MAX) {
		out->n += num_format_u64(at, n);
		return;
	}
	*at = '"';
	out->n += 1 + num_format_u64(at + 1, n);
	buf_add_byte(out, '"');
}

void otutl_put_number(struct buf *out, double n)
{
	if (isfinite(n) && fabs(n) <= (double)OTUTL_SAFE_MAX)
		out->n += num_format_double(buf_reserve(out, NUM_DOUBLE_MAX), n);
	else
		buf_add_str(out, STR("null"));
}

/* ---- pieces ---- */

void otutl_pieces_free(struct otutl_pieces *p)
{
	mem_free(p->list);
	*p = (struct otutl_pieces){ NULL, 0, 0 };
}

void otutl_pieces_add(struct otutl_pieces *p, struct str name, struct str json)
{
	mem_grow(p->list, p->count, p->cap, 16);
	p->list[p->count++] = (struct otutl_piece){ name, json };
}

/* Where the string that begins at `at` ends, after its quote. The text is valid JSON. */
static size_t skip_string(struct str json, size_t at)
{
	for (at++; at < json.n && json.p[at] != '"'; at++)
		at += json.p[at] == '\\';
	return at + 1;
}

/* Where the value that begins at `at` ends. */
static size_t skip_value(struct str json, size_t at)
{
	size_t depth = 0;

	while (at < json.n) {
		char c = json.p[at];

		if (c == '"') {
			at = skip_string(json, at);
			continue;
		}
		if (depth == 0 && (c == ',' || c == '}' || c == ']'))
			break;
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		at++;
	}
	return at;
}

void otutl_pieces_add_object(struct otutl_pieces *p, struct arena *a, struct str json)
{
	size_t at = 1;

	if (json.n < 2 || json.p[0] != '{')
		return;
	while (at < json.n && json.p[at] == '"') {
		size_t name_end = skip_string(json, at), end = skip_value(json, name_end + 1);
		struct str name = str_of(json.p + at + 1, name_end - at - 2);

		if (memchr(name.p, '\\', name.n)) {
			char *plain = arena_array(a, char, name.n);

			name = str_of(plain, text_unescape(plain, name));
		}
		otutl_pieces_add(p, name, str_of(json.p + name_end + 1, end - name_end - 1));
		at = end + 1;
	}
}

struct placed {
	struct otutl_piece piece;
	size_t place;
};

static int otutl_text_by_name(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order = utf8_cmp_utf16(x->piece.name, y->piece.name);

	return order ? order : x->place < y->place ? -1 : 1;
}

static bool is_sorted(const struct otutl_pieces *p)
{
	for (size_t i = 1; i < p->count; i++)
		if (utf8_cmp_utf16(p->list[i - 1].name, p->list[i].name) >= 0)
			return false;
	return true;
}

void otutl_pieces_sort(struct otutl_pieces *p)
{
	struct placed *all;
	size_t kept = 0;

	if (is_sorted(p))
		return;
	all = mem_alloc(p->count * sizeof(*all));
	for (size_t i = 0; i < p->count; i++)
		all[i] = (struct placed){ p->list[i], i };
	qsort(all, p->count, sizeof(*all), otutl_text_by_name);
	for (size_t i = 0; i < p->count; i++)
		if (i + 1 == p->count || !str_eq(all[i].piece.name, all[i + 1].piece.name))
			p->list[kept++] = all[i].piece;
	p->count = kept;
	mem_free(all);
}

/* ---- an object being written ---- */

struct otutl_merge otutl_merge_begin(struct buf *out, const struct otutl_pieces *pieces)
{
	assert(!pieces || is_sorted(pieces)); /* they are merged with names that come in order */
	buf_add_byte(out, '{');
	return (struct otutl_merge){ out, pieces ? pieces->list : NULL, pieces ? pieces->count : 0, false };
}

/* An empty piece is a member that is not to be written. */
static void otutl_text_put_piece(struct otutl_merge *m)
{
	const struct otutl_piece *p = m->list++;

	m->left--;
	if (p->json.n == 0)
		return;
	if (m->begun)
		buf_add_byte(m->out, ',');
	m->begun = true;
	otutl_put_text(m->out, p->name);
	buf_add_byte(m->out, ':');
	buf_add_str(m->out, p->json);
}

const struct otutl_piece *otutl_merge_reach(struct otutl_merge *m, struct str name)
{
	int order = -1;

	while (m->left && (order = utf8_cmp_utf16(m->list->name, name)) < 0)
		otutl_text_put_piece(m);
	if (!m->left || order != 0)
		return NULL;
	m->left--;
	return m->list++;
}

void otutl_merge_end(struct otutl_merge *m)
{
	while (m->left)
		otutl_text_put_piece(m);
	buf_add_byte(m->out, '}');
}
