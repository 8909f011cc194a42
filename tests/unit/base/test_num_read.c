#include "base/num.h"

#include <locale.h>
#include <stdio.h>

#include "unit/base/num_check.h"

static char *append(char *p, const char *what, size_t times)
{
	for (size_t i = 0; i < times; i++)
		p = stpcpy(p, what);
	return p;
}

TEST(a_json_number_reads_as_the_nearest_double)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{ "0", 0.0 },
		{ "-0", -0.0 },
		{ "-0.0e-0", -0.0 },
		{ "0e999999999999999999999", 0.0 },
		{ "0.00000000000000000000000000e-99999999999", 0.0 },
		{ "7", 7.0 },
		{ "1234567", 1234567.0 },
		{ "12345678", 12345678.0 },
		{ "123456789", 123456789.0 },
		{ "-1234567890123456", -1234567890123456.0 },
		{ "0.5", 0.5 },
		{ "-12.25", -12.25 },
		{ "123456.75", 123456.75 },
		{ "12345678.5", 12345678.5 },
		{ "1E3", 1000.0 },
		{ "1e+3", 1000.0 },
		{ "125e-003", 0.125 },
		{ "1e23", 0x1.52d02c7e14af6p+76 },
		{ "1.000000000000000000000000000000", 1.0 },
		{ "100000000000000000000000000000000e-32", 1.0 },
		{ "0.000000000000000000000000000000000001e36", 1.0 },
		/* half-way between two doubles: the even one; and just beside */
		{ "9007199254740993", 0x1p53 },
		{ "9007199254740993.0", 0x1p53 },
		{ "9007199254740993.00000000000000000000000000000001", 0x1p53 + 2 },
		{ "9007199254740992.99999999999999999999999999999999", 0x1p53 },
		{ "9007199254740995", 0x1p53 + 4 },
		{ "90071992547409930e-1", 0x1p53 },
		{ "900719925474099300000e-5", 0x1p53 },
		{ "36028797018963972", 0x1p55 },
		{ "36028797018963980", 0x1p55 + 16 },
		{ "4503599627370497.5", 0x1p52 + 2 },
		{ "562949953421312.0625", 0x1p49 },
		{ "562949953421312.1875", 0x1p49 + 0.25 },
		{ "1125899906842624.125", 0x1p50 },
		{ "2251799813685248.25", 0x1p51 },
		{ "7450580596923828125e-27", 0x1p-27 },
		{ "4503599627370498.5", 0x1p52 + 2 },
		{ "1.00000000000000011102230246251565404236316680908203125", 1.0 },
		{ "1.00000000000000011102230246251565404236316680908203126", 0x1.0000000000001p+0 },
		{ "1.00000000000000011102230246251565404236316680908203124", 1.0 },
		{ "1.00000000000000033306690738754696212708950042724609375", 0x1.0000000000002p+0 },
		/* the ends of the range */
		{ "1.7976931348623157e308", 0x1.fffffffffffffp+1023 },
		{ "1.7976931348623158e308", 0x1.fffffffffffffp+1023 },
		{ "1.797693134862315807e308", 0x1.fffffffffffffp+1023 },
		{ "2.2250738585072011e-308", 0x0.fffffffffffffp-1022 },
		{ "2.2250738585072012e-308", 0x1p-1022 },
		{ "4.9406564584124654e-324", 0x1p-1074 },
		{ "2.4703282292062328e-324", 0x1p-1074 },
		{ "7.4109846876186982e-324", 0x1p-1073 },
		{ "2.47032822920623272088284396434110686183e-324", 0x1p-1074 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		check_parse(str_from(cases[i].text), NUM_OK, cases[i].value);
		check_canon_agrees(str_from(cases[i].text));
	}
}

TEST(too_large_and_too_small_are_told_apart_from_infinity_and_zero)
{
	static const struct {
		const char *text;
		enum num_read read;
		double value;
	} cases[] = {
		{ "1.7976931348623159e308", NUM_OVERFLOW, INFINITY },
		{ "-1.7976931348623159e308", NUM_OVERFLOW, -INFINITY },
		{ "1.797693134862315808e308", NUM_OVERFLOW, INFINITY },
		{ "1e309", NUM_OVERFLOW, INFINITY },
		{ "0.00001e314", NUM_OVERFLOW, INFINITY },
		{ "1e99999999999999999999999999", NUM_OVERFLOW, INFINITY },
		{ "2.4703282292062327e-324", NUM_UNDERFLOW, 0.0 },
		{ "-2.4703282292062327e-324", NUM_UNDERFLOW, -0.0 },
		{ "2.47032822920623272088284396434110686182e-324", NUM_UNDERFLOW, 0.0 },
		{ "1e-324", NUM_UNDERFLOW, 0.0 },
		{ "1e-400", NUM_UNDERFLOW, 0.0 },
		{ "-1e-99999999999999999999999999", NUM_UNDERFLOW, -0.0 },
		{ "123456789012345678901234567890e-400", NUM_UNDERFLOW, 0.0 },
		{ "0e-400", NUM_OK, 0.0 },
		{ "0e400", NUM_OK, 0.0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		check_parse(str_from(cases[i].text), cases[i].read, cases[i].value);
		check_canon(str_from(cases[i].text), cases[i].read, STR("0"));
	}
}

TEST(a_literal_of_hundreds_of_thousands_of_digits_is_exact)
{
	const size_t many = 400000;
	char *text = malloc(2 * many + 100), *p;

	CHECK(text != NULL);
	p = append(stpcpy(text, "1"), "0", many);
	check_parse(str_of(text, (size_t)(stpcpy(p, "e-400000") - text)), NUM_OK, 1);
	check_parse(str_of(text, (size_t)(stpcpy(p, "e-399691") - text)), NUM_OVERFLOW, (double)INFINITY);

	p = append(stpcpy(text, "0."), "0", many - 1);
	check_parse(str_of(text, (size_t)(stpcpy(p, "25e400000") - text)), NUM_OK, 2.5);
	check_parse(str_of(text, (size_t)(stpcpy(p, "25") - text)), NUM_UNDERFLOW, 0);
	check_parse(str_of(text, (size_t)(stpcpy(p, "0") - text)), NUM_OK, 0);

	p = append(stpcpy(text, "9007199254740993."), "0", many);
	check_parse(str_of(text, (size_t)(p - text)), NUM_OK, 0x1p53);
	check_parse(str_of(text, (size_t)(stpcpy(p, "1") - text)), NUM_OK, 0x1p53 + 2);
	check_parse(str_of(text, (size_t)(stpcpy(p, "100") - text)), NUM_OK, 0x1p53 + 2);
	check_canon(str_of(text, (size_t)(stpcpy(p, "1") - text)), NUM_OK, STR("9007199254740994"));

	p = append(stpcpy(text, "1e"), "0", many);
	check_parse(str_of(text, (size_t)(stpcpy(p, "5") - text)), NUM_OK, 100000);
	p = append(stpcpy(text, "1e-"), "9", many);
	check_parse(str_of(text, (size_t)(p - text)), NUM_UNDERFLOW, 0);
	free(text);
}

/* The digits of 5^n, which are those of 2^-n. */
static size_t power_of_five(char out[1000], int n)
{
	size_t length = 1;

	memset(out, '0', 1000);
	out[999] = '1';
	for (; n > 0; n--)
		for (size_t i = 1, carry = 0; i <= length || carry; i++) {
			carry += (size_t)(out[1000 - i] - '0') * 5;
			out[1000 - i] = (char)('0' + carry % 10);
			carry /= 10;
			length = i > length ? i : length;
		}
	memmove(out, out + 1000 - length, length);
	return length;
}

TEST(the_last_of_a_thousand_digits_decides)
{
	char half[1000], text[3000];
	size_t n = power_of_five(half, 1075); /* 2^-1075, half of the smallest double: a tie, and zero is even */
	const struct {
		char last;
		const char *between, *repeated, *end;
		enum num_read read;
		double value;
	} cases[] = {
		{ '5', "", "", "e-1075", NUM_UNDERFLOW, 0 },
		{ '5', ".", "0", "0e-1075", NUM_UNDERFLOW, 0 },
		{ '5', ".", "0", "1e-1075", NUM_OK, 0x1p-1074 },
		{ '5', ".", "0", "100e-1075", NUM_OK, 0x1p-1074 },
		{ '4', ".", "9", "e-1075", NUM_UNDERFLOW, 0 },
		{ '6', "", "", "e-1075", NUM_OK, 0x1p-1074 },
	};

	CHECK_INT(n, 752);
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *p = text + n - 1;

		test_case("%c%s%s%s", cases[i].last, cases[i].between, cases[i].repeated, cases[i].end);
		memcpy(text, half, n - 1);
		*p++ = cases[i].last;
		p = append(stpcpy(p, cases[i].between), cases[i].repeated, 900);
		check_parse(str_of(text, (size_t)(stpcpy(p, cases[i].end) - text)), cases[i].read, cases[i].value);
	}
}

static struct str skip_digits(struct str s)
{
	while (s.n > 0 && s.p[0] >= '0' && s.p[0] <= '9')
		s = str_of(s.p + 1, s.n - 1);
	return s;
}

static bool skip_one_of(struct str *s, const char *bytes)
{
	if (s->n == 0 || s->p[0] == 0 || !strchr(bytes, s->p[0]))
		return false;
	*s = str_of(s->p + 1, s->n - 1);
	return true;
}

/* RFC 8259's grammar once more, in the plainest way. */
static bool is_number(struct str s)
{
	skip_one_of(&s, "-");
	if (!skip_one_of(&s, "0")) {
		if (!skip_one_of(&s, "123456789"))
			return false;
		s = skip_digits(s);
	}
	if (skip_one_of(&s, ".")) {
		if (!skip_one_of(&s, "0123456789"))
			return false;
		s = skip_digits(s);
	}
	if (skip_one_of(&s, "eE")) {
		skip_one_of(&s, "+-");
		if (!skip_one_of(&s, "0123456789"))
			return false;
		s = skip_digits(s);
	}
	return s.n == 0;
}

static void check_grammar(struct str text)
{
	double v = 0;

	test_case("\"%.*s\" (%zu bytes)", STR_ARG(text), text.n);
	if (!is_number(text)) {
		check_parse(text, NUM_SYNTAX, 0);
		return;
	}
	CHECK(num_parse_double(text, &v) != NUM_SYNTAX);
	check_canon_agrees(text);
}

TEST(the_grammar_decides_for_every_short_text)
{
	static const char alphabet[] = { '0', '1', '7', '.', 'e', 'E', '+', '-', '\0' };
	static const char *const starts[] = { "",         "-",        "123",
					      "123456",   "0.00000",  "1234567.",
					      "123456789012345678901" };
	char text[40];

	for (size_t s = 0; s < COUNT(starts); s++)
		for (size_t length = 0; length <= 4; length++)
			for (size_t i = 0, all = (size_t)pow(COUNT(alphabet), (double)length); i < all; i++) {
				char *p = stpcpy(text, starts[s]);

				for (size_t rest = i, at = 0; at < length; at++, rest /= COUNT(alphabet))
					*p++ = alphabet[rest % COUNT(alphabet)];
				check_grammar(str_of(text, (size_t)(p - text)));
			}
}

TEST(any_other_byte_anywhere_is_refused)
{
	static const char *const numbers[] = { "7", "1234567", "12345678", "-12.25e10", "1234567890.12345678" };
	char text[40];

	for (size_t i = 0; i < COUNT(numbers); i++)
		for (size_t at = 0; numbers[i][at]; at++)
			for (int byte = 0; byte < 256; byte++) {
				strcpy(text, numbers[i]);
				text[at] = (char)byte;
				check_grammar(str_of(text, strlen(numbers[i])));
			}
	check_parse((struct str){ NULL, 0 }, NUM_SYNTAX, 0);
}

/* Digits that like to be zero or nine, since carries and ends are where mistakes are. */
static char *append_digits(char *p, uint64_t *state, uint64_t count)
{
	for (; count > 0; count--) {
		uint64_t random = random_next(state);

		*p++ = (char)('0' + (random & 3 ? random >> 8 : random & 4 ? 0 : 9) % 10);
	}
	return p;
}

static size_t random_number(char text[100], uint64_t *state)
{
	uint64_t shape = random_next(state);
	char *p = text;

	*p = '-';
	p += (shape & 3) == 0;
	*p++ = (char)('0' + (shape >> 2 & 15) % 10);
	if (p[-1] != '0')
		p = append_digits(p, state, shape >> 8 & 7 ? (shape >> 11) % 4 : (shape >> 11) % 24);
	if (shape >> 20 & 3) {
		*p++ = '.';
		p = append_digits(p, state, 1 + (shape >> 22 & 1 ? (shape >> 23) % 5 : (shape >> 23) % 22));
	}
	if ((shape >> 30 & 3) == 0)
		p += sprintf(p, "%c%s%u", shape >> 32 & 1 ? 'e' : 'E', &"+\0-"[shape >> 33 & 3],
			     (unsigned)((shape >> 36) % (shape >> 35 & 1 ? 25 : 345)));
	*p = '\0';
	return (size_t)(p - text);
}

TEST(random_texts_read_as_the_c_library_reads_them)
{
	uint64_t state = 7;
	char text[100];

	for (int i = 0; i < 300000; i++) {
		size_t n = random_number(text, &state);
		double v = strtod(text, NULL);
		bool gone = v == 0 && has_value(str_of(text, n));

		test_case("%s", text);
		check_parse(str_of(text, n), isinf(v) ? NUM_OVERFLOW : gone ? NUM_UNDERFLOW : NUM_OK, v);
		check_canon_agrees(str_of(text, n));
	}
}

TEST(the_locale_changes_nothing)
{
	static const char *const with_comma[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR", "nl_NL.UTF-8" };
	size_t i = 0;
	char out[NUM_DOUBLE_MAX];

	while (i < COUNT(with_comma) && !setlocale(LC_ALL, with_comma[i]))
		i++;
	if (i == COUNT(with_comma))
		SKIP("no locale with a decimal comma is installed");
	check_parse(STR("1.00000000000000011102230246251565404236316680908203126"), NUM_OK, 0x1.0000000000001p+0);
	check_parse(STR("0,5"), NUM_SYNTAX, 0);
	CHECK_STR(str_of(out, num_format_double(out, 0.5)), STR("0.5"));
}
