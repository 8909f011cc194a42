/*
 * gen KIND SIZE [--spaced] [--seed N] [--split DIR]: at least SIZE bytes of lines on standard output, or in files of
 * the directory, one for each session.
 */
#include "gen.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* xorshift64*: good enough to vary lines, the same on every machine. */
uint64_t gen_random(struct gen *g)
{
	g->state ^= g->state >> 12;
	g->state ^= g->state << 25;
	g->state ^= g->state >> 27;
	return g->state * 0x2545F4914F6CDD1DU;
}

uint64_t gen_below(struct gen *g, uint64_t limit)
{
	return (gen_random(g) >> 32) * limit >> 32;
}

bool gen_chance(struct gen *g, unsigned percent)
{
	return gen_below(g, 100) < percent;
}

uint64_t gen_magnitude(struct gen *g, unsigned digits_min, unsigned digits_max)
{
	uint64_t digits = digits_min + gen_below(g, digits_max - digits_min + 1);
	uint64_t top = 10;

	for (; digits > 1; digits--)
		top *= 10;
	return top / 10 + gen_random(g) % (top - top / 10);
}

void gen_bytes(struct gen *g, const char *p, size_t n)
{
	memcpy(g->at, p, n);
	g->at += n;
}

void gen_raw(struct gen *g, const char *terminated)
{
	gen_bytes(g, terminated, strlen(terminated));
}

void gen_open(struct gen *g, char bracket)
{
	*g->at++ = bracket;
	g->first = true;
}

void gen_close(struct gen *g, char bracket)
{
	*g->at++ = bracket;
	g->first = false;
}

void gen_element(struct gen *g)
{
	if (!g->first)
		gen_raw(g, g->spaced ? ", " : ",");
	g->first = false;
}

void gen_string(struct gen *g, const char *terminated)
{
	*g->at++ = '"';
	gen_raw(g, terminated);
	*g->at++ = '"';
}

void gen_key(struct gen *g, const char *name)
{
	gen_element(g);
	gen_string(g, name);
	gen_raw(g, g->spaced ? ": " : ":");
}

void gen_bool(struct gen *g, bool v)
{
	gen_raw(g, v ? "true" : "false");
}

void gen_uint(struct gen *g, uint64_t v)
{
	char digits[20];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n)
		*g->at++ = digits[--n];
}

void gen_decimal(struct gen *g, uint64_t v, unsigned places)
{
	char digits[20];
	uint64_t scale = 1;
	unsigned n = 0;

	for (unsigned i = 0; i < places; i++)
		scale *= 10;
	gen_uint(g, v / scale);
	*g->at++ = '.';
	for (uint64_t rest = v % scale; n < places; n++) {
		digits[places - 1 - n] = (char)('0' + rest % 10);
		rest /= 10;
	}
	while (n > 1 && digits[n - 1] == '0')
		n--;
	gen_bytes(g, digits, n);
}

void gen_make_id(struct gen *g, char out[GEN_ID])
{
	static const char hex[] = "0123456789abcdef";
	uint64_t high = (g->clock_us / 1000) << 16 | 0x7000 | gen_below(g, 0x1000);
	uint64_t low = gen_random(g) >> 2 | (uint64_t)1 << 63;
	char *at = out;

	for (int i = 60; i >= 0; i -= 4) {
		*at++ = hex[high >> i & 15];
		if (i == 32 || i == 16 || i == 0)
			*at++ = '-';
	}
	for (int i = 60; i >= 0; i -= 4) {
		*at++ = hex[low >> i & 15];
		if (i == 48)
			*at++ = '-';
	}
}

void gen_id(struct gen *g, const char id[GEN_ID])
{
	*g->at++ = '"';
	gen_bytes(g, id, GEN_ID);
	*g->at++ = '"';
}

void gen_quote_since(struct gen *g, char *begin)
{
	char raw[GEN_LINE_MAX / 16];
	size_t n = (size_t)(g->at - begin);

	assert(n <= sizeof(raw));
	memcpy(raw, begin, n);
	g->at = begin;
	*g->at++ = '"';
	for (size_t i = 0; i < n; i++) {
		if (raw[i] == '"' || raw[i] == '\\')
			*g->at++ = '\\';
		*g->at++ = raw[i];
	}
	*g->at++ = '"';
}

void gen_make_token(struct gen *g, char out[GEN_CALL_ID], const char *prefix)
{
	static const char letters[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghijkmnopqrstuvwxyz";
	size_t n = strlen(prefix);

	memcpy(out, prefix, n);
	for (; n < GEN_CALL_ID - 4; n++)
		out[n] = letters[gen_below(g, sizeof(letters) - 1)];
	out[n] = '\0';
}

static const struct kind {
	const char *name;
	void (*make)(struct gen *g);
	bool (*end)(struct gen *g); /* NULL: it may end after any line */
} kinds[] = {
	{ "trace", gen_trace, NULL },
	{ "run", gen_run, gen_run_end },
	{ "trajectory", gen_trajectory, NULL },
	{ "numbers", gen_numbers, NULL },
	{ "claude", gen_claude, NULL },
	{ "openai", gen_openai, NULL },
};

static const struct kind *kind_find(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

/* Decimal bytes, with K, M or G for thousands, millions and milliards. */
static bool parse_size(const char *text, uint64_t *out)
{
	static const char suffixes[] = "KMG";
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (end == text || errno)
		return false;
	if (!*end)
		return true;
	for (const char *s = suffixes; *s; s++) {
		*out *= 1000;
		if (end[0] == *s && !end[1])
			return true;
	}
	return false;
}

/* The file of the session that begins with this line. */
static bool next_file(struct gen *g, const char *dir, FILE **out)
{
	char path[4096];

	g->begins = false;
	if (!dir)
		return true;
	if (*out && *out != stdout && fclose(*out) != 0)
		return false;
	snprintf(path, sizeof(path), "%s/%.*s.jsonl", dir, GEN_ID, g->run_id);
	*out = fopen(path, "w");
	return *out != NULL;
}

static bool write_line(struct gen *g, const char *dir, FILE **out)
{
	size_t n;

	*g->at++ = '\n';
	assert(g->at < g->line + GEN_LINE_MAX);
	n = (size_t)(g->at - g->line);
	g->written += n;
	g->lines++;
	g->at = g->line;
	if (g->begins && !next_file(g, dir, out))
		return false;
	return fwrite(g->line, 1, n, *out) == n;
}

static bool write_all(struct gen *g, const struct kind *kind, uint64_t size, const char *dir)
{
	bool last = !kind->end;
	FILE *out = stdout;

	g->at = g->line;
	while (g->written < size) {
		kind->make(g);
		if (!write_line(g, dir, &out))
			return false;
	}
	while (!last) {
		last = kind->end(g);
		if (!write_line(g, dir, &out))
			return false;
	}
	return fflush(out) == 0;
}

static int usage(void)
{
	fputs("usage: gen trace|run|trajectory|numbers|claude|openai SIZE[K|M|G] [--spaced] [--seed N] [--split DIR]\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static struct gen g = { .state = 0x9E3779B97F4A7C15U, .clock_us = 1777550400000000U };
	const struct kind *kind = argc > 2 ? kind_find(argv[1]) : NULL;
	const char *dir = NULL;
	uint64_t size;

	if (!kind || !parse_size(argv[2], &size))
		return usage();
	for (int i = 3; i < argc; i++) {
		if (strcmp(argv[i], "--spaced") == 0)
			g.spaced = true;
		else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			g.state ^= strtoull(argv[++i], NULL, 10) * 0xD1342543DE82EF95U;
		else if (strcmp(argv[i], "--split") == 0 && i + 1 < argc)
			dir = argv[++i];
		else
			return usage();
	}
	setvbuf(stdout, NULL, _IOFBF, (size_t)1 << 18);
	return write_all(&g, kind, size, dir) ? 0 : 1;
}
