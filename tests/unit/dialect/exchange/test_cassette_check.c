/* One cassette per rule: whole.jsonl has every lane, each row below is an edit of it that breaks one rule, or none. */
#include "base/buf.h"
#include "dialect/exchange/cassette_check_rules.h"
#include "unit/dialect/check_feed.h"

#define DIGEST_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DIGEST_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define DIGEST_C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

/* The first `from` behind the first `after` becomes `to`. */
static struct str edit(const char *after, const char *from, const char *to)
{
	struct str whole = test_data("cassette/whole.jsonl"), in = str_from(from), out = str_from(to);
	size_t skip = str_find(whole, str_from(after)), at;
	char *text;

	if (skip == (size_t)-1 || (at = str_find(str_skip(whole, skip), in)) == (size_t)-1)
		FAIL("whole.jsonl does not hold %s behind %s", from, after);
	at += skip;
	text = test_alloc(whole.n + out.n);
	memcpy(text, whole.p, at);
	memcpy(text + at, out.p, out.n);
	memcpy(text + at + out.n, whole.p + at + in.n, whole.n - at - in.n);
	return str_of(text, whole.n - in.n + out.n);
}

#define TOKEN "[tw:sm2km6iq:7h42l4g6qlk3f6kzrcaq]"
#define X(n) "{\"x\":" #n ","

static const struct {
	const char *findings, *pointer, *after, *from, *to;
} edits[] = {
	{ "", "", "", "\"x\":1", "\"x\":1" },
	/* what older recorders did not write */
	{ "", "", "", ",\"end_line\":true", "" },
	{ "", "", "", ",\"content_saved\":true", "" },
	{ "", "", "", ",\"clock0_us\":1782900000000000", "" },
	{ "", "", "", ",\"started\":\"2026-07-01T10:00:00.000000Z\"", "" },
	{ "", "", "", ",\"redacted\":false", "" },
	{ "", "", X(1), ",\"base\":\"/v1\"", "" },
	{ "", "", X(5), ",\"cpu_us\":3", "" },
	{ "", "", X(5), "\"parent\":null,", "" },
	{ "", "", X(3), ",\"progress_us\":[5,9]", "" },
	{ "", "", "", "\"redacted\":false", "\"redacted\":true,\"redacted_with\":\"sm2km6iq\"" },
	{ "", "", "", "\"run_id\"", "\"later\":1,\"run_id\"" },
	{ "2:CS001", "/resp/headers/content-type", X(1), "text/event-stream", "caf\xe9" },
	{ "2:CS002", "", X(1), "{", "" },
	{ "2:CS003", "/x", X(1), "\"x\":1", "\"x\":1,\"x\":1" },
	{ "2:CS004", "", X(1), "{\"x\":1,", "[]\n{\"x\":1," },
	{ "1:CS006", "", "", "\"run_id\":\"019f0000-0000-7000-8000-000000000001\",", "" },
	{ "2:CS006", "", X(1), ",\"t_us\":1782900000001000", "" },
	{ "2:CS006", "/resp", X(1), ",\"end\":\"eof\"", "" },
	{ "2:CS006", "/resp/body", "\"resp\"", "\"sha256\"", "\"sha257\"" },
	{ "2:CS007", "/resp/status", X(1), "\"status\":200", "\"status\":\"200\"" },
	{ "2:CS007", "/req/headers/content-type", X(1), "\"application/json\"", "7" },
	{ "1:CS010", "/v", "", "cassette/v1", "cassette/v2" },
	{ "2:CS011", "", X(1), "{\"x\":1,", "{\"v\":\"cassette/v1\",\"run_id\":\"019f0000-0000-7000-8000-000000000001\","
		"\"clock0_us\":0,\"end_line\":true}\n{\"x\":1," },
	{ "1:CS012", "/run_id", "", "019f0000-", "019f-0000" },
	{ "1:CS013", "/clock0_us", "", "1782900000000000", "1782900000000001" },
	{ "1:CS013", "/started", "", "10:00:00.000000Z", "10:00:00" },
	{ "8:CS013", "/ended", "", "10:00:09.000000Z", "10:00:09" },
	{ "1:CS013", "", "", ",\"started\":\"2026-07-01T10:00:00.000000Z\",\"clock0_us\":1782900000000000", "" },
	{ "1:CS014", "/normalize/rules_sha256", "", DIGEST_A, "12ab" },
	{ "2:CS014", "/req/body/sha256", X(1), "\"sha256\":\"", "\"sha256\":\"0" },
	{ "7:CS014", "/req/stdin_sha256", X(5), "\"e3b0", "\"g3b0" },
	{ "8:CS014", "/stdout/sha256", "", DIGEST_C, "none" },
	{ "2:CS015", "/dur_us", X(1), "\"dur_us\":1500", "\"dur_us\":-1" },
	{ "2:CS015", "/dur_us", X(1), "\"dur_us\":1500", "\"dur_us\":9000000000000001" },
	{ "", "", X(1), "\"dur_us\":1500", "\"dur_us\":9000000000000000" },
	{ "2:CS015", "/x", X(1), "\"x\":1", "\"x\":99999999999999999999" },
	{ "5:CS015", "/delay_us", X(3), "\"delay_us\":12", "\"delay_us\":-12" },
	{ "1:CS015", "/forked_from/seq", "", "\"seq\":3", "\"seq\":-3" },
	{ "4:CS016", "/x", X(2), "\"x\":2", "\"x\":0" },
	{ "0:CS017", "", X(5), "\"x\":5", "\"x\":6" },
	{ "7:CS018", "/lane", X(5), "\"shell\"", "\"clock\"" },
	{ "5:CS018", "/lane", X(3), "\"mcp\"", "\"mcpx\"" },
	{ "2:CS019", "/req/body/enc", X(1), "\"enc\":\"json\"", "\"enc\":\"cbor\"" },
	{ "2:CS019", "/req/body", X(1), "\"enc\":\"json\",", "" },
	{ "2:CS020", "/req/body/inline", X(1), "\"enc\":\"json\"", "\"enc\":\"utf8\"" },
	{ "3:CS020", "/resp/body/inline", X(0), "\"AP8=\"", "\"A P8\"" },
	{ "6:CS020", "/body", X(4), ",\"lost\":true", "" },
	{ "2:CS021", "/req/body/sha256", X(1), "\"content\":\"q\"", "\"content\":\"r\"" },
	{ "2:CS021", "/resp/body/sha256", X(1), "\\\"c1\\\"", "\\\"c2\\\"" },
	{ "3:CS021", "/resp/body/sha256", X(0), "\"AP8=\"", "\"AP4=\"" },
	{ "5:CS021", "/body/sha256", X(3), "\"ping\"", "\"pong\"" },
	{ "2:CS022", "/resp/body/size", "\"resp\"", "\"size\":19", "\"size\":18" },
	{ "2:CS023", "/resp/chunks/2", X(1), "[6,0]", "[5,0]" },
	{ "", "", X(1), "[6,0]", "[19,0]" },
	{ "2:CS023", "/resp/chunks/2", X(1), "[6,0]", "[20,0]" },
	{ "2:CS023", "/resp/chunks/0", X(1), "[0,250]", "[0,-1]" },
	{ "2:CS023", "/resp/chunks/0", X(1), "[0,250]", "[0]" },
	{ "2:CS023", "/resp/chunks/0", X(1), "[0,250]", "[0,1,2]" },
	{ "2:CS024", "/resp/status", X(1), "\"status\":200", "\"status\":99" },
	{ "", "", X(1), "\"status\":200", "\"status\":999" },
	{ "2:CS024", "/resp/status", X(1), "\"status\":200", "\"status\":1000" },
	{ "2:CS025", "/resp/end", X(1), "\"eof\"", "\"done\"" },
	{ "5:CS026", "/from", X(3), "\"client\"", "\"proxy\"" },
	{ "7:CS027", "/req/argv/0", X(5), "\"ls\"", "5" },
	{ "7:CS027", "/req/argv/1", X(5), "\"/w==\"", "\"/ w\"" },
	{ "7:CS027", "/req/argv", X(5), "[\"ls\",{\"base64\":\"/w==\"}]", "[]" },
	{ "7:CS028", "/resp/io/0", X(5), "[\"o\"", "[\"out\"" },
	{ "7:CS028", "/resp/io/0", X(5), "\"ok\\n\",51", "\"ok\\n\",-51" },
	{ "7:CS028", "/resp/io/0", X(5), "\"ok\\n\",51", "7,51" },
	{ "", "", X(5), "\"ok\\n\",51", "\"ok\\n\"" },
	{ "7:CS029", "/resp", X(5), "\"exit\":0", "\"exit\":null" },
	{ "7:CS029", "/resp", X(5), "\"signal\":null", "\"signal\":9" },
	{ "", "", X(5), "\"exit\":0,\"signal\":null", "\"exit\":null,\"signal\":9" },
	{ "1:CS030", "/forked_from/run_hash", "", DIGEST_B, "b" },
	{ "1:CS030", "/forked_from/run_hash", "", "otutl-v1:sha256:", "" },
	{ "", "", "", "otutl-v1:sha256:" DIGEST_B, TOKEN },
	{ "", "", "", DIGEST_C, TOKEN },
	{ "7:CS014", "/req/stdin_sha256", X(5), "\"e3b0", "\"[tw:KEYID:CODE]e3b0" },
	{ "1:CS014", "/normalize/rules_sha256", "", DIGEST_A, TOKEN },
	{ "1:CS031", "/redacted_with", "", "\"redacted\":false", "\"redacted\":false,\"redacted_with\":\"sm2km6iq\"" },
	{ "2:CS021 2:CS022 2:CS032", "", X(1), "\"content\":\"q\"", "\"content\":\"" TOKEN "\"" },
	{ "2:CS021 2:CS022", "/req/body/sha256", X(1), "\"content\":\"q\"", "\"content\":\"[tw:KEYID:CODE]\"" },
	{ "8:CS035", "/exit_status", "", "\"exit_status\":\"error\"", "\"exit_status\":\"ok\"" },
	{ "8:CS036", "/stdout", "", ",\"size\":100", "" },
	{ "8:CS036", "/stdout", "", "\"" DIGEST_C "\"", "null" },
	{ "", "", "", "{\"sha256\":\"" DIGEST_C "\",\"size\":100,\"terminal\":false}", "null" },
};

TEST(each_edit_of_a_whole_cassette_gives_exactly_its_findings)
{
	for (size_t i = 0; i < COUNT(edits); i++) {
		struct str text = edit(edits[i].after, edits[i].from, edits[i].to);
		struct check_feed f;

		test_case("%zu: %s for %s", i, edits[i].to, edits[i].from);
		check_feed_expect(&cassette_dialect, text, edits[i].findings);
		check_feed(&f, &cassette_dialect, text, 0);
		if (f.findings.kept_count == 1)
			CHECK_STR(f.findings.kept[0].pointer, str_from(edits[i].pointer));
		arena_free(&f.arena);
	}
}

/* Its first so many lines, and a text behind them. */
static struct str lines_of(size_t count, const char *more)
{
	struct str whole = test_data("cassette/whole.jsonl"), end = str_from(more);
	size_t n = check_feed_cut(whole, count);
	char *text = test_alloc(n + end.n + 1);

	memcpy(text, whole.p, n);
	memcpy(text + n, end.p, end.n);
	return str_of(text, n + end.n);
}

TEST(a_run_that_broke_off_is_told_and_no_error)
{
	struct check_feed f;

	check_feed_expect(&cassette_dialect, lines_of(3, ""), "0:CS033");
	check_feed_expect(&cassette_dialect, lines_of(2, ""), "0:CS033"); /* x 0 was open: no CS017 */
	check_feed_expect(&cassette_dialect, lines_of(3, "{\"x\":2,\"lane\":\"mod"), "0:CS033 4:CS008");
	check_feed(&f, &cassette_dialect, lines_of(3, ""), 0);
	CHECK(f.tally.interrupted);
	arena_free(&f.arena);
	check_feed(&f, &cassette_dialect, lines_of(8, ""), 0);
	CHECK(!f.tally.interrupted);
	arena_free(&f.arena);
}

TEST(nothing_stands_before_the_first_line_or_behind_the_last)
{
	struct str whole = lines_of(8, "");
	size_t first = check_feed_cut(whole, 1), second = check_feed_cut(whole, 2);
	char *swapped = test_alloc(whole.n);

	memcpy(swapped, whole.p + first, second - first);
	memcpy(swapped + second - first, whole.p, first);
	memcpy(swapped + second, whole.p + second, whole.n - second);
	check_feed_expect(&cassette_dialect, str_of(swapped, whole.n), "1:CS011 2:CS011");
	check_feed_expect(&cassette_dialect, str_skip(whole, first), "1:CS011");
	check_feed_expect(&cassette_dialect, lines_of(8, "{\"exit_status\":\"error\"}\n"), "9:CS034");
	check_feed_expect(&cassette_dialect,
			  lines_of(8, "{\"x\":6,\"lane\":\"mcp\",\"from\":\"client\",\"t_us\":1}\n"), "9:CS034");
	check_feed_expect(&cassette_dialect, STR("\n"), "0:CS009");
}

TEST(only_the_strict_mode_knows_all_names)
{
	struct check_options strict = { .mode = MODE_STRICT };
	struct check_feed f;

	check_feed_with(&f, &cassette_dialect, &strict, lines_of(8, ""), 0);
	CHECK_STR(check_feed_list(&f), STR(""));
	arena_free(&f.arena);
	check_feed_with(&f, &cassette_dialect, &strict, edit(X(1), "\"x\":1", "\"grp\":1,\"x\":1"), 0);
	CHECK_STR(check_feed_list(&f), STR("2:CS005"));
	arena_free(&f.arena);
}

/* One line more than numbers are remembered of. */
TEST(the_memory_for_numbers_has_an_end)
{
	struct buf text = { 0 };
	struct check_feed f;

	buf_add_str(&text, lines_of(1, ""));
	for (size_t i = 0; i <= ((size_t)1 << 20); i++)
		buf_printf(&text, "{\"x\":%zu,\"lane\":\"mcp\",\"from\":\"client\",\"t_us\":1}\n", i);
	buf_add_str(&text, STR("{\"exit_status\":\"success\"}\n"));
	check_feed(&f, &cassette_dialect, buf_str(&text), 50000);
	CHECK_STR(check_feed_list(&f), STR("1048578:CS037"));
	arena_free(&f.arena);
	buf_free(&text);
}

TEST(every_rule_has_all_that_is_told_of_it)
{
	check_feed_rules(cassette_check_rules, "CS", "doc/formats/cassette.md");
}
