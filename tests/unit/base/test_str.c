#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/test.h"

#define NONE ((size_t)-1)

static const struct str nothing = { NULL, 0 };

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

TEST(a_terminated_text_loses_its_terminator_and_null_is_empty)
{
	CHECK_STR(str_from("abc"), STR("abc"));
	CHECK_STR(str_from(""), STR(""));
	CHECK_STR(str_from(NULL), STR(""));
}

TEST(order_is_by_unsigned_bytes_then_by_length)
{
	static const struct str sorted[] = {
		{ "", 0 }, { "\0", 1 }, { "\0\0", 2 }, { "A", 1 }, { "a", 1 }, { "a\0", 2 },
		{ "aa", 2 }, { "\x7f", 1 }, { "\x80", 1 }, { "\xff", 1 },
	};

	for (size_t i = 0; i < COUNT(sorted); i++) {
		for (size_t j = 0; j < COUNT(sorted); j++) {
			test_case("%zu %zu", i, j);
			CHECK_INT(sign(str_cmp(sorted[i], sorted[j])), (i > j) - (i < j));
			CHECK_INT(str_eq(sorted[i], sorted[j]), i == j);
		}
	}
	CHECK_INT(str_cmp(nothing, STR("")), 0);
	CHECK(str_cmp(nothing, STR("a")) < 0);
	CHECK(str_eq(nothing, STR("")));
}

TEST(beginnings_and_ends_are_recognised)
{
	static const struct {
		const char *s, *part;
		bool starts, ends;
	} cases[] = {
		{ "", "", true, true },      { "abc", "", true, true },     { "", "a", false, false },
		{ "abc", "ab", true, false }, { "abc", "bc", false, true },  { "abc", "abc", true, true },
		{ "abc", "abcd", false, false }, { "abc", "b", false, false }, { "aba", "a", true, true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK_INT(str_starts(str_from(cases[i].s), str_from(cases[i].part)), cases[i].starts);
		CHECK_INT(str_ends(str_from(cases[i].s), str_from(cases[i].part)), cases[i].ends);
	}
	CHECK(str_starts(nothing, nothing) && str_ends(nothing, nothing));
	CHECK(!str_starts(nothing, STR("a")) && !str_ends(nothing, STR("a")));
	CHECK(str_starts(STR("a"), nothing) && str_ends(STR("a"), nothing));
}

TEST(the_first_occurrence_is_found)
{
	static const struct {
		struct str s, needle;
		size_t at;
	} cases[] = {
		{ { "abcabc", 6 }, { "c", 1 }, 2 }, { { "abcabc", 6 }, { "ca", 2 }, 2 },
		{ { "abc", 3 }, { "", 0 }, 0 }, { { "abc", 3 }, { "d", 1 }, NONE },
		{ { "ab", 2 }, { "abc", 3 }, NONE }, { { "", 0 }, { "", 0 }, 0 },
		{ { NULL, 0 }, { "a", 1 }, NONE }, { { NULL, 0 }, { NULL, 0 }, 0 },
		{ { "a\0b", 3 }, { "\0b", 2 }, 1 }, { { "aab", 3 }, { "ab", 2 }, 1 },
		{ { "abc", 3 }, { "abc", 3 }, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK_INT(str_find(cases[i].s, cases[i].needle), cases[i].at);
	}
}

TEST(a_cut_gives_the_part_before_and_the_rest)
{
	static const struct {
		struct str s, before, rest;
	} cases[] = {
		{ { "k=v", 3 }, { "k", 1 }, { "v", 1 } }, { { "k=v=w", 5 }, { "k", 1 }, { "v=w", 3 } },
		{ { "=v", 2 }, { "", 0 }, { "v", 1 } },   { { "k=", 2 }, { "k", 1 }, { "", 0 } },
		{ { "k", 1 }, { "k", 1 }, { "", 0 } },    { { "", 0 }, { "", 0 }, { "", 0 } },
		{ { NULL, 0 }, { "", 0 }, { "", 0 } },    { { "\0=\0", 3 }, { "\0", 1 }, { "\0", 1 } },
	};
	struct str rest;

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		rest = STR("untouched");
		CHECK_STR(str_cut(cases[i].s, '=', &rest), cases[i].before);
		CHECK_STR(rest, cases[i].rest);
	}
	CHECK_STR(str_cut(STR("a\0b"), '\0', &rest), STR("a"));
	CHECK_STR(rest, STR("b"));
}

TEST(blanks_are_trimmed_at_both_ends_only)
{
	static const struct {
		const char *s, *want;
	} cases[] = {
		{ "", "" }, { " ", "" }, { " \t\r\n", "" }, { "a", "a" }, { " a b ", "a b" },
		{ "\r\na\n", "a" }, { "\va\f", "\va\f" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK_STR(str_trim(str_from(cases[i].s)), str_from(cases[i].want));
	}
	CHECK_STR(str_trim(nothing), STR(""));
}

TEST(the_last_component_of_a_path_is_its_basename)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
		{ "", "" },     { "a", "a" },     { "a/b", "b" },   { "/a", "a" },    { "a/b/", "b" },
		{ "a/b//", "b" }, { "/", "/" },   { "//", "/" },    { "a.b/c.d", "c.d" }, { ".", "." },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].path);
		CHECK_STR(str_basename(str_from(cases[i].path)), str_from(cases[i].want));
	}
	CHECK_STR(str_basename(nothing), STR(""));
}

TEST(the_distance_counts_inserts_deletes_replacements_and_swaps)
{
	static const struct {
		const char *a, *b;
		size_t want;
	} cases[] = {
		{ "", "", 0 }, { "a", "", 1 }, { "", "abc", 3 }, { "canon", "canon", 0 },
		{ "canno", "canon", 1 }, { "cannon", "canon", 1 }, { "hsah", "hash", 1 },
		{ "hashh", "hash", 1 }, { "kitten", "sitting", 3 }, { "ca", "abc", 3 },
		{ "abcd", "badc", 2 }, { "validate", "valdiate", 1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s %s", cases[i].a, cases[i].b);
		CHECK_INT(str_distance(str_from(cases[i].a), str_from(cases[i].b), 10), cases[i].want);
		CHECK_INT(str_distance(str_from(cases[i].b), str_from(cases[i].a), SIZE_MAX), cases[i].want);
	}
	CHECK_INT(str_distance(nothing, nothing, 0), 0);
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* The whole table, as the definition has it. */
static size_t naive_distance(struct str a, struct str b)
{
	static size_t d[64][64];

	for (size_t i = 0; i <= a.n; i++) {
		for (size_t j = 0; j <= b.n; j++) {
			if (i == 0 || j == 0) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
				       d[i - 1][j - 1] + (a.p[i - 1] != b.p[j - 1]));
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
				d[i][j] = min3(d[i][j], d[i - 2][j - 2] + 1, SIZE_MAX);
		}
	}
	return d[a.n][b.n];
}

static void check_distance(struct str a, struct str b)
{
	size_t want = naive_distance(a, b);

	for (size_t limit = 0; limit < 8; limit++) {
		test_case("%.*s %.*s within %zu", STR_ARG(a), STR_ARG(b), limit);
		CHECK_INT(str_distance(a, b, limit), want <= limit ? want : limit + 1);
	}
	CHECK_INT(str_distance(a, b, 1000), want);
}

static struct str nth_word(char out[8], unsigned number)
{
	size_t n = 0;

	for (; number > 0; number /= 3) {
		number--;
		out[n++] = (char)('a' + number % 3);
	}
	return str_of(out, n);
}

TEST(the_distance_within_a_limit_agrees_with_the_whole_table)
{
	char one[64], two[64];

	/* all words of up to 5 letters of three */
	for (unsigned i = 0; i < 364; i++)
		for (unsigned j = 0; j < 364; j += 3)
			check_distance(nth_word(one, i), nth_word(two, j));
	srand(7);
	for (int i = 0; i < 300; i++) {
		size_t n = (size_t)rand() % 63, m = (size_t)rand() % 63;

		for (size_t k = 0; k < 63; k++) {
			one[k] = (char)('a' + rand() % 4);
			two[k] = rand() % 4 ? one[k] : 'z';
		}
		check_distance(str_of(one, n), str_of(two, m));
	}
}

/* Counts how many of 64 bits differ between the hashes of two texts. */
static int bits_apart(struct str a, struct str b)
{
	return __builtin_popcountll(str_hash(a) ^ str_hash(b));
}

TEST(the_hash_depends_on_the_bytes_only)
{
	char text[100], copy[100];

	for (size_t n = 0; n < 90; n++) {
		for (size_t i = 0; i < n; i++)
			text[i] = (char)(i * 37 + n);
		memcpy(copy + 3, text, n);
		text[n] = 'x';
		copy[n + 3] = 'y';
		CHECK(str_hash(str_of(text, n)) == str_hash(str_of(copy + 3, n)));
	}
	CHECK(str_hash(nothing) == str_hash(STR("")));
}

TEST(one_bit_of_the_text_changes_half_the_bits_of_the_hash)
{
	char text[80];

	setenv("TRACKWAY_HASH_SEED", "42", 1);
	for (size_t n = 1; n < sizeof(text); n++) {
		long total = 0;

		memset(text, 0, sizeof(text));
		for (size_t bit = 0; bit < 8 * n; bit++) {
			char flipped[80];
			int apart;

			memcpy(flipped, text, n);
			flipped[bit / 8] ^= (char)(1 << bit % 8);
			apart = bits_apart(str_of(text, n), str_of(flipped, n));
			test_case("%zu bytes, bit %zu", n, bit);
			CHECK(apart >= 10 && apart <= 54);
			total += apart;
		}
		test_case("%zu bytes", n);
		CHECK(total > 26 * (long)(8 * n) && total < 38 * (long)(8 * n));
	}
}

TEST(lengths_of_zeros_have_different_hashes)
{
	static const char zeros[300];

	for (size_t n = 0; n < 300; n++)
		for (size_t m = 0; m < n; m++)
			CHECK(str_hash(str_of(zeros, n)) != str_hash(str_of(zeros, m)));
}

/* 65,536 keys into 4,096 places: the sum of squared deviations over the mean is 4,095 +- 90. */
static void check_spread(const char *format, unsigned shift)
{
	static unsigned places[4096];
	double deviation = 0;
	char text[64];

	memset(places, 0, sizeof(places));
	for (int i = 0; i < 65536; i++) {
		size_t n = (size_t)snprintf(text, sizeof(text), "%s%d", format, i);

		places[str_hash(str_of(text, n)) >> shift & 4095]++;
	}
	for (size_t i = 0; i < 4096; i++)
		deviation += ((double)places[i] - 16) * ((double)places[i] - 16) / 16;
	test_case("%s >> %u: %f", format, shift, deviation);
	CHECK(deviation > 4095 - 8 * 90 && deviation < 4095 + 8 * 90);
}

TEST(keys_that_look_alike_spread_evenly_over_low_and_high_bits)
{
	setenv("TRACKWAY_HASH_SEED", "1", 1);
	check_spread("", 0);
	check_spread("", 52);
	check_spread("tool_call_", 0);
	check_spread("tool_call_", 30);
	check_spread("gen_ai.usage.input_tokens.of.the.call.number.", 0);
	check_spread("gen_ai.usage.input_tokens.of.the.call.number.", 52);
}

/*
 * A text chosen to cancel the constants in the code must not make the rest of the key irrelevant: that
 * would give collisions under every seed.
 */
TEST(no_block_of_bytes_hides_the_blocks_before_it)
{
	static const uint64_t constants[] = { 0, UINT64_MAX, 0x6a09e667f3bcc909, 0xbb67ae8584caa73b };
	char one[48], two[48];

	for (size_t i = 0; i < COUNT(constants); i++) {
		for (size_t at = 16; at < 48; at += 8) {
			memset(one, 'a', sizeof(one));
			memset(two, 'b', sizeof(two));
			memset(two + 16, 'a', 32);
			memcpy(one + at, &constants[i], 8);
			memcpy(two + at, &constants[i], 8);
			CHECK(str_hash(str_of(one, 48)) != str_hash(str_of(two, 48)));
		}
	}
}

TEST(letters_of_ascii_equal_their_other_case)
{
	const struct { struct str a, b; bool equal; } cases[] = {
		{ { "", 0 }, { NULL, 0 }, true },
		{ STR("Content-Type"), STR("content-TYPE"), true },
		{ STR("a"), STR("ab"), false },
		{ STR("@[`{"), STR("`{@["), false },
		{ STR("\xc3\x84"), STR("\xc3\xa4"), false },
		{ STR("a\0b"), STR("A\0B"), true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		CHECK_INT(str_eq_nocase(cases[i].a, cases[i].b), cases[i].equal);
		CHECK_INT(str_eq_nocase(cases[i].b, cases[i].a), cases[i].equal);
	}
	CHECK(str_has_nocase(STR("a Rate Limit"), STR("rate limit")) && str_has_nocase(STR("x"), STR("")));
	CHECK(!str_has_nocase(STR("rate limi"), STR("rate limit")) && !str_has_nocase(str_of(NULL, 0), STR("x")));
	CHECK(str_has(STR("abc"), STR("bc")) && !str_has(STR("abc"), STR("BC")));
}

TEST(a_byte_is_counted_wherever_it_is)
{
	CHECK_INT(str_count(str_of(NULL, 0), '\n'), 0);
	CHECK_INT(str_count(STR("a"), '\n'), 0);
	CHECK_INT(str_count(STR("\na\n\nb\n"), '\n'), 4);
	CHECK_INT(str_count(STR("\0a\0"), '\0'), 2);
}

TEST(texts_and_what_begins_with_one_are_sorted)
{
	struct { struct str name; int n; } rows[] = { { STR("b"), 0 }, { STR("ab"), 1 }, { STR("a"), 2 } };

	qsort(rows, COUNT(rows), sizeof(rows[0]), str_cmp_first);
	CHECK(rows[0].n == 2 && rows[1].n == 1 && rows[2].n == 0);
}

TEST(the_directory_of_a_path_is_what_stands_before_its_last_slash)
{
	const struct { struct str path, dir; } cases[] = {
		{ { NULL, 0 }, STR(".") },     { STR("a"), STR(".") },     { STR("a/b"), STR("a") },
		{ STR("/a"), STR("/") },       { STR("/a/b"), STR("/a") }, { STR("a/b/"), STR("a/b") },
		{ STR("/"), STR("/") },        { STR("./a"), STR(".") },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_STR(str_dirname(cases[i].path), cases[i].dir);
}

TEST(what_stands_behind_a_beginning_is_left_when_it_is_skipped)
{
	CHECK_STR(str_skip(STR("abc"), 0), STR("abc"));
	CHECK_STR(str_skip(STR("abc"), 2), STR("c"));
	CHECK_STR(str_skip(STR("abc"), 3), STR(""));
	CHECK_STR(str_skip(str_of(NULL, 0), 0), STR(""));
}

TEST(a_text_is_one_of_a_list_when_all_its_bytes_are)
{
	static const struct str list[] = { { "a", 1 }, { "bc", 2 }, { "", 0 }, { "d\0", 2 } };
	static const char *const words[] = { "a", "bc", "" };

	CHECK(str_is_one_of(STR("bc"), list, COUNT(list)));
	CHECK(str_is_one_of(STR(""), list, COUNT(list)));
	CHECK(str_is_one_of(STR("d\0"), list, COUNT(list)));
	CHECK(!str_is_one_of(STR("d"), list, COUNT(list)));
	CHECK(!str_is_one_of(STR("b"), list, COUNT(list)));
	CHECK(!str_is_one_of(STR("a"), list, 0));
	CHECK(str_is_word_of(STR("bc"), words, COUNT(words)));
	CHECK(str_is_word_of(STR(""), words, COUNT(words)));
	CHECK(!str_is_word_of(STR("bcd"), words, COUNT(words)));
	CHECK(!str_is_word_of(STR("a\0"), words, COUNT(words)));
}

TEST(a_star_in_a_pattern_stands_for_anything)
{
	static const struct {
		const char *text, *pattern;
		bool plain, one, any_case;
	} cases[] = {
		{ "anything/at all", "*", true, true, true },
		{ "", "*", true, true, true },
		{ "", "", true, true, true },
		{ "a", "", false, false, false },
		{ "gpt-4o", "gpt-*", true, true, true },
		{ "my-gpt-4o", "gpt-*", false, false, false },
		{ "gpt-4o", "gpt-?o", false, true, false },
		{ "gpt-?o", "gpt-?o", true, true, true },
		{ "gpt-o", "gpt-?o", false, false, false },
		{ "", "?", false, false, false },
		{ "gpt-4o-mini-2024", "*mini*", true, true, true },
		{ "a-b-b-c", "a*b*c", true, true, true },
		{ "a-b-b-", "a*b*c", false, false, false },
		{ "aab", "*ab", true, true, true },
		{ "aab", "a*ab", true, true, true },
		{ "abc", "abc", true, true, true },
		{ "abcd", "abc", false, false, false },
		{ "abc", "abc*d", false, false, false },
		{ "a", "a**", true, true, true },
		{ "ABC", "a*C", false, false, true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str text = str_from(cases[i].text), pattern = str_from(cases[i].pattern);

		test_case("%s like %s", cases[i].text, cases[i].pattern);
		CHECK_INT(str_is_like(text, pattern, 0), cases[i].plain);
		CHECK_INT(str_is_like(text, pattern, STR_LIKE_ONE), cases[i].one);
		CHECK_INT(str_is_like(text, pattern, STR_LIKE_ANY_CASE), cases[i].any_case);
	}
}

/* Exponential in a naive matcher. */
TEST(a_pattern_of_many_stars_ends)
{
	char text[2001], pattern[101];

	memset(text, 'a', sizeof(text));
	for (size_t i = 0; i < 100; i++)
		pattern[i] = i % 2 ? '*' : 'a';
	pattern[100] = 'b';
	CHECK(!str_is_like(str_of(text, 2000), str_of(pattern, 101), STR_LIKE_ONE));
}

TEST(a_path_is_below_a_directory_by_whole_names)
{
	static const struct {
		const char *path, *dir;
		bool is;
	} cases[] = {
		{ "/a/b", "/a", true },	 { "/a", "/a", true },	 { "/a", "/a/", true },	 { "/a/b", "/a/", true },
		{ "/ab", "/a", false },	 { "/", "/", true },	 { "/a", "/", true },	 { "/a", "/a/b", false },
		{ "a/b", "a", true },	 { "b", "a", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s below %s", cases[i].path, cases[i].dir);
		CHECK_INT(str_is_at_or_below(str_from(cases[i].path), str_from(cases[i].dir)), cases[i].is);
	}
}
