/*
 * Number text, all of base/num: the grammar against a second, plainer one; the value against strtod;
 * the canonical text against parse + format; integers against the C library's; and the first eight
 * bytes as a double that must survive being written and read.
 */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/num.h"

static size_t skip_digits(const char *text, size_t at)
{
	while (text[at] >= '0' && text[at] <= '9')
		at++;
	return at;
}

/* Where the JSON number at the start of a terminated text ends; 0 when there is none. */
static size_t number_end(const char *text)
{
	size_t at = text[0] == '-', end = skip_digits(text, at), before;

	if (end == at || (text[at] == '0' && end > at + 1))
		return 0;
	if (text[end] == '.') {
		before = ++end;
		end = skip_digits(text, end);
		if (end == before)
			return 0;
	}
	if (text[end] == 'e' || text[end] == 'E') {
		end++;
		end += text[end] == '+' || text[end] == '-';
		before = end;
		end = skip_digits(text, end);
		if (end == before)
			return 0;
	}
	return end;
}

/* True when a digit before the exponent is not zero. */
static bool has_value(const char *number)
{
	return strcspn(number, "123456789") < strcspn(number, "eE");
}

static void check_double(double v)
{
	char out[NUM_DOUBLE_MAX], again[NUM_DOUBLE_MAX];
	struct str text = str_of(out, num_format_double(out, v));
	double back = 0;
	size_t n = 0;

	FUZZ_CHECK(text.n > 0 && text.n <= NUM_DOUBLE_MAX);
	FUZZ_CHECK(num_parse_double(text, &back) == NUM_OK);
	FUZZ_CHECK(back == v);
	FUZZ_CHECK(num_canon(again, &n, text) == NUM_OK);
	FUZZ_CHECK(str_eq(str_of(again, n), text));
}

static void check_canon(struct str text, enum num_read read, double v)
{
	char out[NUM_DOUBLE_MAX], want[NUM_DOUBLE_MAX];
	size_t n = 0;

	FUZZ_CHECK(num_canon(out, &n, text) == read);
	if (read == NUM_OVERFLOW)
		return;
	FUZZ_CHECK(str_eq(str_of(out, n), str_of(want, num_format_double(want, v))));
	check_double(v);
}

static void check_integers(struct str text, const char *terminated, double v)
{
	bool plain = text.n > 0 && strspn(terminated, "0123456789") == text.n && (text.p[0] != '0' || text.n == 1);
	bool minus = text.n > 1 && text.p[0] == '-' && strspn(terminated + 1, "0123456789") == text.n - 1 &&
		     (text.p[1] != '0' || text.n == 2);
	unsigned long long size;
	long long number;
	uint64_t u = 0;
	int64_t i = 0;

	errno = 0;
	size = strtoull(terminated, NULL, 10);
	FUZZ_CHECK(num_parse_u64(text, &u) == (plain && errno == 0));
	FUZZ_CHECK(u == (plain && errno == 0 ? size : 0));
	errno = 0;
	number = strtoll(terminated, NULL, 10);
	FUZZ_CHECK(num_parse_i64(text, &i) == ((plain || minus) && errno == 0));
	FUZZ_CHECK(i == ((plain || minus) && errno == 0 ? number : 0));
	if (num_integral(text, &i))
		FUZZ_CHECK((double)i == v);
	else if (fabs(v) < 0x1p53 && v == trunc(v)) /* then it has digits that the double cannot show */
		FUZZ_CHECK(text.n > 15 || v == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of(data, size);
	char *terminated = malloc(size + 1);
	double v = 4711, want;
	enum num_read read;
	size_t end;

	FUZZ_CHECK(terminated != NULL);
	if (size)
		memcpy(terminated, data, size);
	terminated[size] = '\0';
	end = number_end(terminated);
	read = num_parse_double(text, &v);
	FUZZ_CHECK((read != NUM_SYNTAX) == (end > 0 && end == size));
	if (read == NUM_SYNTAX) {
		FUZZ_CHECK(v == 4711);
		check_integers(text, terminated, 0.5);
	} else {
		want = strtod(terminated, NULL);
		FUZZ_CHECK(memcmp(&v, &want, sizeof(v)) == 0);
		FUZZ_CHECK((read == NUM_OVERFLOW) == (isinf(v) != 0));
		FUZZ_CHECK((read == NUM_UNDERFLOW) == (v == 0 && has_value(terminated)));
		check_canon(text, read, v);
		check_integers(text, terminated, v);
	}
	if (size >= sizeof(v)) {
		memcpy(&v, data, sizeof(v));
		if (isfinite(v))
			check_double(v);
	}
	free(terminated);
	return 0;
}
