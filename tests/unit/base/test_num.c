#include "base/num.h"

#include <inttypes.h>
#include <stdio.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/crypto/sha256.h"
#include "unit/base/num_check.h"

#define NUMBERS "corpora/02-rfc8785/dev/numbers/"

TEST(a_double_is_written_as_ecmascript_writes_it)
{
	static const struct {
		uint64_t bits;
		const char *text;
	} cases[] = {
		{ 0x0000000000000000, "0" },
		{ 0x8000000000000000, "0" },
		{ 0x3ff0000000000000, "1" },
		{ 0xbff8000000000000, "-1.5" },
		{ 0x3fb999999999999a, "0.1" },
		{ 0x40fe240000000000, "123456" },
		{ 0xc0fe240000000000, "-123456" },
		{ 0x4197d78400000000, "100000000" },
		{ 0x430c6bf526340000, "1000000000000000" },
		{ 0x433fffffffffffff, "9007199254740991" },
		{ 0x4340000000000000, "9007199254740992" },
		{ 0x4340000000000001, "9007199254740994" },
		{ 0x43f0000000000000, "18446744073709552000" },
		{ 0x444b1ae4d6e2ef4f, "999999999999999900000" },
		{ 0x444b1ae4d6e2ef50, "1e+21" },
		{ 0x444b1ae4d6e2ef51, "1.0000000000000001e+21" },
		{ 0x3eb0c6f7a0b5ed8d, "0.000001" },
		{ 0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7" },
		{ 0xbeb0c6f7a0b5ed8c, "-9.999999999999997e-7" },
		{ 0x3e7ad7f29abcaf48, "1e-7" },
		{ 0x3ddb7cdfd9d7bdbb, "1e-10" },
		{ 0x44b52d02c7e14af5, "9.999999999999997e+22" },
		{ 0x44b52d02c7e14af6, "1e+23" },
		{ 0x54b249ad2594c37d, "1e+100" },
		{ 0x0000000000000001, "5e-324" },
		{ 0x8000000000000001, "-5e-324" },
		{ 0x0000000000000002, "1e-323" },
		{ 0x0000000000000003, "1.5e-323" },
		{ 0x000fffffffffffff, "2.225073858507201e-308" },
		{ 0x0010000000000000, "2.2250738585072014e-308" },
		{ 0x0020000000000000, "4.450147717014403e-308" },
		{ 0x7fefffffffffffff, "1.7976931348623157e+308" },
		{ 0xffefffffffffffff, "-1.7976931348623157e+308" },
		{ 0x3fd5555555555555, "0.3333333333333333" },
		{ 0x41b3de4355555554, "333333333.33333325" },
		{ 0x43143ff3c1cb0959, "1424953923781206.2" },
		{ 0xbecbf647612f3696, "-0.0000033333333333333333" },
	};
	char out[NUM_DOUBLE_MAX];

	for (size_t i = 0; i < COUNT(cases); i++) {
		double v = double_of(cases[i].bits);

		test_case("%016" PRIx64, cases[i].bits);
		CHECK_STR(str_of(out, num_format_double(out, v)), str_from(cases[i].text));
		check_parse(str_from(cases[i].text), NUM_OK, v == 0 ? 0 : v);
		check_canon(str_from(cases[i].text), NUM_OK, str_from(cases[i].text));
	}
}

/* The significant digits, without zeros at either end. */
static struct str digits_of(struct str text, char out[40])
{
	size_t n = 0;

	for (size_t i = 0; i < text.n && text.p[i] != 'e'; i++)
		if (text.p[i] >= '0' && text.p[i] <= '9' && (n > 0 || text.p[i] != '0'))
			out[n++] = text.p[i];
	while (n > 0 && out[n - 1] == '0')
		n--;
	return str_of(out, n);
}

/*
 * The C library knows the nearest decimal of a given length. Ours may be shorter than its first one
 * that reads back: at a power of two the nearest may lie outside the interval and another inside.
 */
static void check_shortest(double v)
{
	char out[NUM_DOUBLE_MAX], libc[40], our_digits[40], libc_digits[40];
	struct str text = str_of(out, num_format_double(out, v)), ours = digits_of(text, our_digits), theirs;
	int digits = 0;

	test_case("%a", v);
	check_parse(text, NUM_OK, v);
	check_canon(text, NUM_OK, text);
	do
		snprintf(libc, sizeof(libc), "%.*e", digits++, v);
	while (strtod(libc, NULL) != v);
	theirs = digits_of(str_from(libc), libc_digits);
	CHECK(ours.n <= theirs.n);
	if (ours.n == theirs.n)
		CHECK_STR(ours, theirs);
}

TEST(no_shorter_text_reads_back_and_none_as_short_is_nearer)
{
	uint64_t state = 1;

	for (int q = -1074; q < 1024; q++)
		for (int step = q > -1074 ? -1 : 0; step <= 1; step++)
			check_shortest(double_of(bits_of(ldexp(1, q)) + (uint64_t)step));
	for (int e = -323; e <= 308; e++) {
		char text[16];

		snprintf(text, sizeof(text), "1e%d", e);
		for (uint64_t step = 0; step < 3; step++)
			check_shortest(double_of(bits_of(strtod(text, NULL)) + step - 1));
	}
	for (int i = 0; i < 20000; i++) {
		uint64_t random = random_next(&state);

		if (isfinite(double_of(random)))
			check_shortest(double_of(random));
		check_shortest((double)(random >> 11 | 1) * 0x1p-53);
		check_shortest((double)(random % 10000000 + 1) / 1000);
		check_shortest((double)(random >> random % 60 | 1) * 0.5);
	}
}

/* The first values of the published ECMAScript number sequence; the rest is computed. */
static const uint64_t es6_fixed[] = {
	0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0xc46696695dbd1cc3,
	0xc43211ede4974a35, 0xc3fce97ca0f21056, 0xc3c7213080c1a6ac, 0xc39280f39a348556, 0xc35d9b1f5d20d557,
	0xc327af4c4a80aaac, 0xc2f2f2a36ecd5556, 0xc2be51057e155558, 0xc28840d131aaaaac, 0xc253670dc1555557,
	0xc21f0b4935555557, 0xc1e8d5d42aaaaaac, 0xc1b3de4355555556, 0xc17fca0555555556, 0xc1496e6aaaaaaaab,
	0xc114585555555555, 0xc0e046aaaaaaaaab, 0xc0aa0aaaaaaaaaaa, 0xc074d55555555555, 0xc040aaaaaaaaaaab,
	0xc00aaaaaaaaaaaab, 0xbfd5555555555555, 0xbfa1111111111111, 0xbf6b4e81b4e81b4f, 0xbf35d867c3ece2a5,
	0xbf0179ec9cbd821e, 0xbecbf647612f3696, 0xbe965e9f80f29212, 0xbe61e54c672874db, 0xbe2ca213d840baf8,
	0xbdf6e80fe033c8c6, 0xbdc2533fe68fd3d2, 0xbd8d51ffd74c861c, 0xbd5774ccac3d3817, 0xbd22c3d6f030f9ac,
	0xbcee0624b3818f79, 0xbcb804ea293472c7, 0xbc833721ba905bd3, 0xbc4ebe9c5db3c61e, 0xbc18987d17c304e5,
	0xbbe3ad30dfcf371d, 0xbbaf7b816618582f, 0xbb792f9ab81379bf, 0xbb442615600f9499, 0xbb101e77800c76e1,
	0xbad9ca58cce0be35, 0xbaa4a1e0a3e6fe90, 0xba708180831f320d, 0xba3a68cd9e985016, 0x446696695dbd1cc3,
	0x443211ede4974a35, 0x43fce97ca0f21056, 0x43c7213080c1a6ac, 0x439280f39a348556, 0x435d9b1f5d20d557,
	0x4327af4c4a80aaac, 0x42f2f2a36ecd5556, 0x42be51057e155558, 0x428840d131aaaaac, 0x4253670dc1555557,
	0x421f0b4935555557, 0x41e8d5d42aaaaaac, 0x41b3de4355555556, 0x417fca0555555556, 0x41496e6aaaaaaaab,
	0x4114585555555555, 0x40e046aaaaaaaaab, 0x40aa0aaaaaaaaaaa, 0x4074d55555555555, 0x4040aaaaaaaaaaab,
	0x400aaaaaaaaaaaab, 0x3fd5555555555555, 0x3fa1111111111111, 0x3f6b4e81b4e81b4f, 0x3f35d867c3ece2a5,
	0x3f0179ec9cbd821e, 0x3ecbf647612f3696, 0x3e965e9f80f29212, 0x3e61e54c672874db, 0x3e2ca213d840baf8,
	0x3df6e80fe033c8c6, 0x3dc2533fe68fd3d2, 0x3d8d51ffd74c861c, 0x3d5774ccac3d3817, 0x3d22c3d6f030f9ac,
	0x3cee0624b3818f79, 0x3cb804ea293472c7, 0x3c833721ba905bd3, 0x3c4ebe9c5db3c61e, 0x3c18987d17c304e5,
	0x3be3ad30dfcf371d, 0x3baf7b816618582f, 0x3b792f9ab81379bf, 0x3b442615600f9499, 0x3b101e77800c76e1,
	0x3ad9ca58cce0be35, 0x3aa4a1e0a3e6fe90, 0x3a708180831f320d, 0x3a3a68cd9e985016, 0x4024000000000000,
	0x4014000000000000, 0x3fe0000000000000, 0x3fa999999999999a, 0x3f747ae147ae147b, 0x3f40624dd2f1a9fc,
	0x3f0a36e2eb1c432d, 0x3ed4f8b588e368f1, 0x3ea0c6f7a0b5ed8d, 0x3e6ad7f29abcaf48, 0x3e35798ee2308c3a,
	0x3ed539223589fa95, 0x3ed4ff26cd5a7781, 0x3ed4f95a762283ff, 0x3ed4f8c60703520c, 0x3ed4f8b72f19cd0d,
	0x3ed4f8b5b31c0c8d, 0x3ed4f8b58d1c461a, 0x3ed4f8b5894f7f0e, 0x3ed4f8b588ee37f3, 0x3ed4f8b588e47da4,
	0x3ed4f8b588e3849c, 0x3ed4f8b588e36bb5, 0x3ed4f8b588e36937, 0x3ed4f8b588e368f8, 0x3ed4f8b588e368f1,
	0x3ff0000000000000, 0xbff0000000000000, 0xbfeffffffffffffa, 0xbfeffffffffffffb, 0x3feffffffffffffa,
	0x3feffffffffffffb, 0x3feffffffffffffc, 0x3feffffffffffffe, 0xbfefffffffffffff, 0xbfefffffffffffff,
	0x3fefffffffffffff, 0x3fefffffffffffff, 0x3fd3333333333332, 0x3fd3333333333333, 0x3fd3333333333334,
	0x0010000000000000, 0x000ffffffffffffd, 0x000fffffffffffff, 0x7fefffffffffffff, 0xffefffffffffffff,
	0x4340000000000000, 0xc340000000000000, 0x4430000000000000, 0x44b52d02c7e14af5, 0x44b52d02c7e14af6,
	0x44b52d02c7e14af7, 0x444b1ae4d6e2ef4e, 0x444b1ae4d6e2ef4f, 0x444b1ae4d6e2ef50, 0x3eb0c6f7a0b5ed8c,
	0x3eb0c6f7a0b5ed8d, 0x41b3de4355555553, 0x41b3de4355555554, 0x41b3de4355555555, 0x41b3de4355555556,
	0x41b3de4355555557, 0xbecbf647612f3696, 0x43143ff3c1cb0959,
};

/* One after another: the fixed ones, 2000 in a row, then the words of a chain of SHA-256 digests. */
struct es6 {
	uint64_t count; /* of values given */
	struct sha256 sha;
	struct digest block;
	size_t used; /* bytes of the block */
};

static uint64_t es6_next(struct es6 *e)
{
	uint64_t at = e->count++, bits;

	if (at < COUNT(es6_fixed))
		return es6_fixed[at];
	if (at < COUNT(es6_fixed) + 2000)
		return UINT64_C(0x0010000000000000) + at - COUNT(es6_fixed);
	do {
		if (e->used == SHA256_SIZE) {
			e->block = sha256_of(&e->sha, str_of(e->block.b, SHA256_SIZE));
			e->used = 0;
		}
		bits = 0;
		for (size_t i = 0; i < 8; i++)
			bits |= (uint64_t)e->block.b[e->used + i] << (8 * i);
		e->used += 8;
	} while (!isfinite(double_of(bits)) || double_of(bits) == 0);
	return bits;
}

TEST(the_published_sequence_of_numbers_has_the_published_hash)
{
	static const struct {
		uint64_t lines;
		const char *hex;
	} published[] = {
		{ 1000, "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687" },
		{ 10000, "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892" },
		{ 100000, "22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7" },
		{ 1000000, "49415fee2c56c77864931bd3624faad425c3c577d6d74e89a83bc725506dad16" },
		{ 10000000, "b9f8a44a91d46813b21b9602e72f112613c91408db0b8341fb94603d9db135e0" },
		{ 100000000, "0f7dda6b0837dde083c5d6b896f7d62340c8a2415b0c7121d83145e08a755272" },
	};
	const char *wanted = getenv("TRACKWAY_ES6_LINES");
	uint64_t lines = 100000;
	struct es6 e = { .used = 0 };
	struct sha256 text;

	if (wanted)
		CHECK(num_parse_u64(str_from(wanted), &lines));
	sha256_init(&e.sha);
	sha256_init(&text);
	for (size_t i = 0; i < COUNT(published) && published[i].lines <= lines; i++) {
		char line[64], hex[SHA256_HEX];

		while (e.count < published[i].lines) {
			uint64_t bits = es6_next(&e);
			double back = 0;
			int n = snprintf(line, sizeof(line), "%" PRIx64 ",", bits);
			size_t length = num_format_double(line + n, double_of(bits));

			CHECK_INT(num_parse_double(str_of(line + n, length), &back), NUM_OK);
			CHECK(back == double_of(bits));
			line[(size_t)n + length] = '\n';
			sha256_add(&text, str_of(line, (size_t)n + length + 1));
		}
		digest_hex(hex, sha256_peek(&text));
		test_case("%" PRIu64 " lines", published[i].lines);
		CHECK_STR(str_of(hex, SHA256_HEX), str_from(published[i].hex));
	}
	sha256_free(&e.sha);
	sha256_free(&text);
}

/* Adds a file of the corpus, compressed or not. */
static struct str read_numbers(struct buf *b, const char *name)
{
	char path[200];
	gzFile f;
	int got;

	snprintf(path, sizeof(path), NUMBERS "%s", name);
	f = gzopen(test_shared(path), "rb");
	CHECK(f != NULL);
	buf_init(b);
	do {
		got = gzread(f, buf_reserve(b, 65536), 65536);
		CHECK(got >= 0);
		b->n += (size_t)got;
	} while (got > 0);
	gzclose(f);
	return buf_str(b);
}

static uint64_t parse_hex(struct str hex)
{
	uint64_t bits = 0;

	CHECK(hex.n > 0 && hex.n <= 16);
	for (size_t i = 0; i < hex.n; i++) {
		const char *digit = strchr("0123456789abcdef", hex.p[i]);

		CHECK(digit != NULL);
		bits = bits << 4 | (uint64_t)(digit - "0123456789abcdef");
	}
	return bits;
}

/* The next line that is not a comment, cut at `at`. */
static bool next_line(struct str *rest, char at, struct str *left, struct str *right)
{
	while (rest->n > 0) {
		struct str line = str_cut(*rest, '\n', rest);

		if (line.n == 0 || line.p[0] == '#')
			continue;
		test_case("%.*s", STR_ARG(line));
		*left = str_cut(line, at, right);
		return true;
	}
	return false;
}

TEST(every_line_of_the_es6_corpus_goes_both_ways)
{
	struct buf file;
	struct str rest = read_numbers(&file, "es6_lines_1-100000.txt.gz"), hex, text;
	char out[NUM_DOUBLE_MAX];
	size_t lines = 0;

	while (next_line(&rest, ',', &hex, &text)) {
		double v = double_of(parse_hex(hex));

		CHECK_STR(str_of(out, num_format_double(out, v)), text);
		check_parse(text, NUM_OK, v == 0 ? 0 : v);
		check_canon(text, NUM_OK, text);
		lines++;
	}
	CHECK_INT(lines, 100000);
	buf_free(&file);
}

TEST(every_decimal_of_the_corpus_reads_and_is_written_as_it_says)
{
	struct buf file;
	struct str rest = read_numbers(&file, "decimal_text_to_double.tsv.gz"), text, right;
	size_t lines = 0;

	for (; next_line(&rest, '\t', &text, &right); lines++) {
		struct str canonical, verdict = str_cut(right, '\t', &canonical);
		double v = 0;

		if (str_eq(verdict, STR("REJECT")) || str_eq(verdict, STR("NOTNUM"))) {
			check_parse(text, NUM_SYNTAX, 0);
			continue;
		}
		if (str_eq(verdict, STR("OVERFLOW"))) {
			check_parse(text, NUM_OVERFLOW, text.p[0] == '-' ? -HUGE_VAL : HUGE_VAL);
			check_canon(text, NUM_OVERFLOW, STR(""));
			continue;
		}
		v = double_of(parse_hex(verdict));
		if (v == 0 && has_value(text)) {
			check_parse(text, NUM_UNDERFLOW, v);
			check_canon(text, NUM_UNDERFLOW, canonical);
		} else {
			check_parse(text, NUM_OK, v);
			check_canon(text, NUM_OK, canonical);
		}
	}
	CHECK_INT(lines, 19721);
	buf_free(&file);
}

TEST(the_integers_of_the_corpus_are_written_as_v8_writes_them)
{
	struct buf file;
	struct str rest = read_numbers(&file, "integers_v8compat.tsv"), text, canonical;
	size_t lines = 0;

	for (; next_line(&rest, '\t', &text, &canonical); lines++)
		check_canon(text, NUM_OK, canonical);
	CHECK_INT(lines, 11);
	buf_free(&file);
}

TEST(appendix_b_of_rfc_8785_holds)
{
	struct buf file;
	struct str rest = read_numbers(&file, "rfc8785_appendix_b.tsv"), hex, text;
	char out[NUM_DOUBLE_MAX];
	size_t lines = 0;

	for (; next_line(&rest, '\t', &hex, &text); lines++) {
		double v = double_of(parse_hex(hex));

		CHECK_INT(isfinite(v), !str_eq(text, STR("ERROR")));
		if (!isfinite(v))
			continue;
		CHECK_STR(str_of(out, num_format_double(out, v)), text);
		check_parse(text, NUM_OK, v == 0 ? 0 : v);
	}
	CHECK_INT(lines, 26);
	buf_free(&file);
}
