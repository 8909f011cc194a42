/* Everything that shows a summary to people and their programs: Markdown, text, CSV, JUnit. */
#include "base/utf8.h"
#include "bench/report/summary.h"
#include "unit/bench/bench_run.h"

/* Two models; one of them is hostile. */
static struct summary shown(struct bench_run *b)
{
	struct summary s;
	struct result r;
	struct err err;

	for (int i = 1; i <= 6; i++) {
		r = bench_row("m1", "P1", i);
		r.pass = i > 1 ? VERDICT_TRUE : VERDICT_FALSE;
		r.violation = i > 1 ? str_of(NULL, 0) : STR("a|b\n\033[31m<script>");
		r.output = i > 1 ? STR("yes") : STR("a \"b\"\n\033[31m|<i> key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF");
		r.expects = true;
		r.tool_success = i > 4;
		bench_run_add(b, &r);
	}
	r = bench_row("=m,\"2\"\xe2\x80\xae", "P\"2<", 1);
	r.thinking = STR("high");
	bench_run_fail(&r, PROVIDER_ERROR, "timeout");
	bench_run_add(b, &r);
	r.prompt_id = STR("P3");
	r.status = PROVIDER_UNAVAILABLE;
	bench_run_add(b, &r);
	bench_run_save(b);
	bench_run_file(b, "resources_mock__m1__none_before.txt", STR("mem_available_bytes: 2000000000\ndisk_free_bytes: 5000000000\n"));
	bench_run_file(b, "resources_mock__m1__none_after.txt", STR("mem_available_bytes: 1500000000\ndisk_free_bytes: 4000000000\n"));
	if (!summary_make(&s, &b->arena, b->dir, RATE_WILSON, &err))
		FAIL("%s", err.text);
	return s;
}

static struct str by(const struct summary *s, void (*write)(struct buf *, const struct summary *))
{
	struct buf *out = test_alloc(sizeof(*out)); /* lives as long as the test */

	buf_init(out);
	write(out, s);
	return buf_str(out);
}

static bool has(struct str text, const char *what)
{
	return str_find(text, str_from(what)) != (size_t)-1;
}

/* Nothing that a terminal or a reader could act upon is left, but LF (and CR before it in CSV). */
static void check_tame(struct str text)
{
	CHECK_INT(utf8_check(text), text.n);
	for (size_t i = 0; i < text.n; i++)
		CHECK((unsigned char)text.p[i] >= 0x20 || text.p[i] == '\n' || (text.p[i] == '\r' && text.p[i + 1] == '\n'));
	CHECK(!has(text, "\xe2\x80\xae"));
}

TEST(the_page_has_a_title_a_table_notes_and_violations)
{
	struct bench_run *b = bench_run_new();
	struct summary s = shown(b);
	struct str text = by(&s, summary_write_md);

	check_tame(text);
	CHECK(str_starts(text, STR("# Benchmark run r1\n\n8 calls of 2 models in 5.50 s.\n\n| provider | model | size | thinking | n | "
				   "ok | err | rate-limited | success % | objective % | wall | p50 | p95 | p99 | TTFT p50 | tier | "
				   "RAM before -> after | disk before -> after |\n")));
	CHECK(has(text, "| mock | m1 | - | - | 6 | 6 | 0 | 0 | 100.0 (61.0\xe2\x80\x93" "100.0) | 83.3 (43.6\xe2\x80\x93" "97.0) | "
			"5.50 s | 500 ms | 500 ms | 500 ms | 100 ms | 3? | 2.0 GB -> 1.5 GB | 5.0 GB -> 4.0 GB |\n"));
	CHECK(has(text, "| mock | =m,\"2\"\\u{202e} | - | high | 2 | 0 | 1 | 0 | - | - | 500 ms | - | - | - | - | - | - | - |\n"));
	CHECK(has(text, "\n## Notes\n\n**mock:m1**\n\n- Tools were used in 33.3 %"));
	CHECK(has(text, "n too small to separate tiers"));
	CHECK(has(text, "\n## Violations by prompt\n\n| prompt | name | model | passed | first violation | answer |\n|---|---|---|---|---|---|\n"
			"| P1 | name | mock:m1 | 5 of 6 | a\\|b\\x0a\\x1b\\[31m&lt;script> | "
			"got=\"a \\\\\"b\\\\\"\\\\n\\\\u001b\\[31m\\|&lt;i> key sk-proj-\xe2\x80\xa6\" |\n"));
	bench_run_free(b);
}

TEST(a_run_without_violations_says_so)
{
	struct bench_run *b = bench_run_new();
	struct result r = bench_row("m1", "P1", 1);
	struct summary s;
	struct err err;

	bench_run_add(b, &r);
	bench_run_save(b);
	CHECK(summary_make(&s, &b->arena, b->dir, RATE_WILSON, &err));
	CHECK(str_ends(by(&s, summary_write_md), STR("\n## Violations by prompt\n\nNone.\n")));
	CHECK(!has(by(&s, summary_write_md), "**"));
	bench_run_free(b);
}

TEST(tool_use_has_a_page_and_a_table_of_its_own)
{
	struct bench_run *b = bench_run_new();
	struct summary s = shown(b);
	struct str text = by(&s, summary_write_tools_md);

	check_tame(text);
	CHECK(has(text, "# Tool use of run r1\n"));
	CHECK(has(text, "| mock | m1 | - | 6 | 2 | 33.3 (9.7\xe2\x80\x93" "70.0) | 3? | no | 33.3 of 6 |\n"));
	CHECK(has(text, "A tier with ? is not certain: n too small to separate tiers."));
	CHECK(has(text, "## Prompts whose tools were not called"));
	CHECK(has(text, "| mock | m1 | - | P1 | name | 2 of 6 |\n"));
	text = by(&s, summary_write_tools_csv);
	check_tame(text);
	CHECK(str_starts(text, STR("run_id,provider,model,thinking_level,tool_use_k,tool_use_n,tool_use_rate,tool_use_low,"
				   "tool_use_high,tool_use_all_k,")));
	CHECK(has(text, "\r\nr1,mock,m1,,2,6,0.3333333333333333,"));
	CHECK(has(text, ",3,true,false\r\n"));
	CHECK(has(text, "\r\nr1,mock,\"'=m,\"\"2\"\"\\u{202e}\",high,0,0,,,,0,0,,,,,false,false\r\n"));
	bench_run_free(b);
}

/* Commas outside of quotes. */
static size_t cells_of(struct str line)
{
	size_t n = 1;
	bool quoted = false;

	for (size_t i = 0; i < line.n; i++) {
		quoted ^= line.p[i] == '"';
		n += line.p[i] == ',' && !quoted;
	}
	return n;
}

TEST(every_row_of_a_csv_has_as_many_cells_as_its_head)
{
	void (*const writers[])(struct buf *, const struct summary *) = { summary_write_csv, summary_write_tools_csv };
	struct bench_run *b = bench_run_new();
	struct summary s = shown(b);

	for (size_t i = 0; i < 2; i++) {
		struct str text = by(&s, writers[i]), head = str_cut(text, '\n', &text);
		size_t rows = 0;

		check_tame(by(&s, writers[i]));
		CHECK(cells_of(head) > 10);
		while (text.n) {
			struct str line = str_cut(text, '\n', &text);

			CHECK_INT(cells_of(line), cells_of(head));
			rows++;
		}
		CHECK_INT(rows, 2);
	}
	CHECK(has(by(&s, summary_write_csv), "\r\nr1,mock,m1,,6,6,6,0,0,0,0,6,6,1,0.6096"));
	bench_run_free(b);
}

TEST(junit_has_a_case_for_each_prompt_and_model)
{
	struct bench_run *b = bench_run_new();
	struct summary s = shown(b);
	struct str text = by(&s, summary_write_junit);

	check_tame(text);
	CHECK(has(text, "<testsuites name=\"trackway bench r1\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"1\">\n"));
	CHECK(has(text, "<testsuite name=\"mock:m1\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"5.500\">\n"
			"    <testcase classname=\"mock:m1\" name=\"P1 name\" time=\"3.000\">\n"
			"      <failure message=\"5 of 6 answers passed: a|b\\x0a\\x1b[31m&lt;script&gt; "
			"got=&quot;a \\&quot;b\\&quot;\\n\\u001b[31m|&lt;i&gt; key sk-proj-\xe2\x80\xa6&quot;\"/>\n"
			"    </testcase>\n"));
	CHECK(has(text, "name=\"P&quot;2&lt; name\" time=\"0.500\">\n      <error message=\"1 of 1 calls failed\"/>"));
	CHECK(has(text, "<skipped message=\"1 of 1 calls failed\"/>"));
	CHECK(str_ends(text, STR("</testsuites>\n")));
	bench_run_free(b);
}

static struct str text_of(const struct summary *s, size_t width, bool color)
{
	struct buf *out = test_alloc(sizeof(*out));

	buf_init(out);
	summary_write_text(out, s, width, color);
	return buf_str(out);
}

TEST(no_line_is_wider_than_the_terminal)
{
	struct bench_run *b = bench_run_new();
	struct summary s = shown(b);

	s.groups[0].model = STR("a/very/long/name/of/a/model/that/goes/on/and/on/and/on/and/on/and/on/\xe6\x97\xa5\xe6\x9c\xac");
	s.groups[0].prompts[0].violation = STR("\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac"
					       "\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac");
	for (size_t width = 20; width <= 200; width += 7) {
		struct str text = text_of(&s, width, false);

		check_tame(text);
		test_case("%zu columns", width);
		while (text.n) {
			struct str line = str_cut(text, '\n', &text);

			if (utf8_width(line) > (width < 60 ? 60 : width))
				FAIL("%zu: %.*s", utf8_width(line), STR_ARG(line));
		}
	}
	bench_run_free(b);
}

TEST(a_terminal_is_shown_bars_for_intervals_and_colours_only_when_asked)
{
	struct bench_run *b = bench_run_new();
	struct summary s = shown(b);
	struct str text = text_of(&s, 80, false), color = text_of(&s, 80, true);

	CHECK(str_starts(text, STR("run r1: 8 calls in 5.50 s\n\nmodel ")));
	CHECK(has(text, "\nmock:m1\n  calls      6: 6 ok\n  success    100.0 %  6 of 6      "));
	CHECK(has(text, "\xc2\xb7\xe2\x94\x80"));
	CHECK(has(text, "\xe2\x97\x8f\n") == false && has(text, "\xe2\x97\x8f  61.0\xe2\x80\x93" "100.0\n"));
	CHECK(has(text, "  tier       3 (n too small to separate tiers)\n"));
	CHECK(has(text, "  latency    p50 500 ms  p95 500 ms  p99 500 ms  mean 500 ms\n"));
	CHECK(has(text, "  free       RAM 2.0 GB -> 1.5 GB, disk 5.0 GB -> 4.0 GB\n"));
	CHECK(has(text, "  P1 (5 of 6 passed, mock:m1): a|b\\x0a\\x1b[31m<script>\n"
			"    got=\"a \\\"b\\\"\\n\\u001b[31m|<i> key sk-proj-\xe2\x80\xa6\"\n"));
	CHECK(!has(text, "\033"));
	CHECK(has(color, "\033[1mmock:m1\033[0m\n"));
	CHECK(has(color, "\033[31m  tier       3"));
	bench_run_free(b);
}
