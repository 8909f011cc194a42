#include "capture/prometheus.h"

#include <math.h>
#include <stdio.h>

#include "harness/test.h"

/* A sample as a text that tests can compare: "name{label=value,} value @time;". */
static void print_sample(void *context, const struct prometheus_sample *s)
{
	struct buf *out = context;

	buf_add_str(out, s->name);
	for (size_t i = 0; i < s->count; i++) {
		buf_add_str(out, i ? STR(",") : STR("{"));
		buf_add_str(out, s->labels[i].name);
		buf_add_byte(out, '=');
		buf_add_str(out, s->labels[i].value);
	}
	buf_add_str(out, s->count ? STR("} ") : STR(" "));
	if (isnan(s->value))
		buf_add_str(out, STR("NaN"));
	else
		buf_printf(out, "%.17g", s->value);
	if (s->has_time)
		buf_printf(out, " @%lld", (long long)s->time_ms);
	buf_add_byte(out, ';');
}

static struct str in_pieces(struct str text, size_t piece, struct buf *out, uint64_t *bad)
{
	struct prometheus p;

	buf_clear(out);
	prometheus_init(&p, print_sample, out);
	for (size_t at = 0; at < text.n; at += piece) {
		size_t n = text.n - at < piece ? text.n - at : piece;
		char *copy = mem_alloc(n); /* exactly as long, so that a sanitizer sees a byte too many */

		memcpy(copy, text.p + at, n);
		prometheus_push(&p, str_of(copy, n));
		mem_free(copy);
	}
	prometheus_end(&p);
	*bad = p.bad;
	prometheus_free(&p);
	return buf_str(out);
}

TEST(lines_are_samples_comments_or_bad)
{
	static const struct {
		const char *line, *want;
		enum prometheus_line kind;
	} cases[] = {
		{ "", "", PROMETHEUS_NOTHING },
		{ "  \t", "", PROMETHEUS_NOTHING },
		{ "# HELP a b", "", PROMETHEUS_NOTHING },
		{ "# EOF", "", PROMETHEUS_NOTHING },
		{ "a 1", "a 1;", PROMETHEUS_SAMPLE },
		{ " vllm:x_1\t 1.5e3 ", "vllm:x_1 1500;", PROMETHEUS_SAMPLE },
		{ "a 1\r", "a 1;", PROMETHEUS_SAMPLE },
		{ "a 1 1700000000000", "a 1 @1700000000000;", PROMETHEUS_SAMPLE },
		{ "a 1 -5", "a 1 @-5;", PROMETHEUS_SAMPLE },
		{ "a 1 # {id=\"x\"} 0.5", "a 1;", PROMETHEUS_SAMPLE },
		{ "a{} 2", "a 2;", PROMETHEUS_SAMPLE },
		{ "a{b=\"c\"} 2", "a{b=c} 2;", PROMETHEUS_SAMPLE },
		{ "a { b = \"c\" , d = \"\" , } 2", "a{b=c,d=} 2;", PROMETHEUS_SAMPLE },
		{ "a{b=\"\\\\ \\\" \\n \\t } # ,\"} 2", "a{b=\\ \" \n \\t } # ,} 2;", PROMETHEUS_SAMPLE },
		{ "a", "", PROMETHEUS_BAD },
		{ "1a 1", "", PROMETHEUS_BAD },
		{ "a-b 1", "", PROMETHEUS_BAD },
		{ "a 1 2 3", "", PROMETHEUS_BAD },
		{ "a 1 2.5", "", PROMETHEUS_BAD },
		{ "a{b=\"c\" 2", "", PROMETHEUS_BAD },
		{ "a{b=\"c} 2", "", PROMETHEUS_BAD },
		{ "a{b=\"c\\", "", PROMETHEUS_BAD },
		{ "a{b=\"c\\\"", "", PROMETHEUS_BAD },
		{ "a{b=\"c\"d=\"e\"} 2", "", PROMETHEUS_BAD },
		{ "a{b:c=\"d\"} 2", "", PROMETHEUS_BAD },
		{ "a{=\"d\"} 2", "", PROMETHEUS_BAD },
		{ "a{,} 2", "", PROMETHEUS_BAD },
		{ "a{", "", PROMETHEUS_BAD },
		{ "{\"a\"} 1", "", PROMETHEUS_BAD },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct prometheus_sample s;
		struct arena a;
		struct buf out;

		test_case("%s", cases[i].line);
		arena_init(&a);
		buf_init(&out);
		CHECK_INT(prometheus_parse(&a, str_from(cases[i].line), &s), cases[i].kind);
		if (cases[i].kind == PROMETHEUS_SAMPLE)
			print_sample(&out, &s);
		CHECK_STR(buf_str(&out), str_from(cases[i].want));
		buf_free(&out);
		arena_free(&a);
	}
}

TEST(values_are_what_go_writes_and_reads)
{
	static const struct {
		const char *text;
		double value;
		bool good;
	} cases[] = {
		{ "0", 0, true },          { "-0.5", -0.5, true },     { "+2", 2, true },     { "1e-05", 1e-05, true },
		{ "1E+06", 1e6, true },    { ".5", 0.5, true },        { "5.", 5, true },     { "5.e3", 5000, true },
		{ "007", 7, true },        { "00.5", 0.5, true },      { "NaN", NAN, true },  { "nan", NAN, true },
		{ "+Inf", INFINITY, true }, { "-Inf", -INFINITY, true }, { "inf", INFINITY, true },
		{ "Infinity", INFINITY, true }, { "1e999", INFINITY, true }, { "1e-999", 0, true },
		{ "", 0, false },          { ".", 0, false },          { "-", 0, false },     { "+-1", 0, false },
		{ "1x", 0, false },        { "1e", 0, false },         { "e5", 0, false },    { "Infinite", 0, false },
		{ "In", 0, false },        { "0x10", 0, false },       { "1_000", 0, false }, { "1.2.3", 0, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct prometheus_sample s;
		struct arena a;
		char line[100];

		test_case("%s", cases[i].text);
		snprintf(line, sizeof(line), "a %s", cases[i].text);
		arena_init(&a);
		CHECK_INT(prometheus_parse(&a, str_from(line), &s), cases[i].good ? PROMETHEUS_SAMPLE : PROMETHEUS_BAD);
		if (cases[i].good)
			CHECK(isnan(cases[i].value) ? isnan(s.value) : s.value == cases[i].value);
		arena_free(&a);
	}
}

TEST(pieces_make_no_difference)
{
	struct str text = STR("# HELP a text\n# TYPE a gauge\na{b=\"c\\nd\"} 1\n\nbad line here\r\nx:y 2.5 77\r\n{\na 3\nlast 4");
	struct str want = STR("a{b=c\nd} 1;x:y 2.5 @77;a 3;");
	struct buf out;
	uint64_t bad;

	buf_init(&out);
	for (size_t piece = 1; piece <= text.n; piece++) {
		test_case("pieces of %zu", piece);
		CHECK_STR(in_pieces(text, piece, &out, &bad), want);
		CHECK_INT(bad, 3); /* the last line may be cut in its number */
	}
	buf_free(&out);
}

TEST(long_lines_and_many_labels_are_passed_over)
{
	struct buf text, out;
	uint64_t bad;

	buf_init(&text);
	buf_init(&out);
	buf_add_str(&text, STR("a 1\nlong{x=\""));
	while (text.n < PROMETHEUS_LINE_MAX + 20)
		buf_add_byte(&text, 'y');
	buf_add_str(&text, STR("\"} 1\nb 2\nc{"));
	for (int i = 0; i <= PROMETHEUS_LABELS_MAX; i++)
		buf_printf(&text, "l%d=\"\",", i);
	buf_add_str(&text, STR("} 3\nd 4\n"));
	for (size_t piece = 1; piece <= text.n; piece *= 7) {
		test_case("pieces of %zu", piece);
		CHECK_STR(in_pieces(buf_str(&text), piece, &out, &bad), STR("a 1;b 2;d 4;"));
		CHECK_INT(bad, 2);
	}
	CHECK_STR(in_pieces(buf_str(&text), text.n, &out, &bad), STR("a 1;b 2;d 4;"));
	CHECK_INT(bad, 2);
	buf_free(&text);
	buf_free(&out);
}
