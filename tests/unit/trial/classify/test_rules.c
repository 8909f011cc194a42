/* Tables of rules: what is read, what is refused with line and cause, and each kind by cases that fit and that do not. */
#include "trial/classify/rules.h"

#include "harness/test.h"
#include "json/json.h"
#include "trial/classify/look.h"

static bool parse(struct arena *a, const char *text, struct rules *out, struct err *err)
{
	return rules_parse(a, str_from(text), STR("own.tsv"), out, err);
}

TEST(a_row_is_read_and_comments_are_not)
{
	struct arena a;
	struct rules r;
	struct err err;

	arena_init(&a);
	CHECK(parse(&a, "# mine\n\nverification\t3\tsays\tlet me check\tit checks\r\nexploration\t-2\tasks\tany\t\n", &r, &err));
	CHECK_INT(r.count, 2);
	CHECK_INT(r.rows[0].bond, BOND_VERIFICATION);
	CHECK_INT(r.rows[0].weight, 3);
	CHECK_INT(r.rows[0].kind, RULE_SAYS);
	CHECK_STR(r.rows[0].field, STR("let me check"));
	CHECK_STR(r.rows[0].why, STR("it checks"));
	CHECK_INT(r.rows[0].line, 3);
	CHECK_INT(r.rows[1].weight, -2);
	CHECK_STR(r.rows[1].why, STR(""));
	arena_free(&a);
}

TEST(a_table_that_is_none_is_refused_with_line_and_cause)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "own.tsv: there is no rule in it" },
		{ "# only this\n", "own.tsv: there is no rule in it" },
		{ "execution\t1\talways\t-\n", "own.tsv:1: a row has five fields parted by tabs: bond, weight, kind, "
					       "patterns, why; this one has 4" },
		{ "execution\t1\talways\t-\tx\ty\n", "own.tsv:1: a row has five fields parted by tabs: bond, weight, "
						     "kind, patterns, why; this one has 6" },
		{ "#\nacting\t1\talways\t-\tx\n", "own.tsv:2: the bond \"acting\" should be execution, verification, "
						  "deliberation or exploration" },
		{ "execution\t0\talways\t-\tx\n",
		  "own.tsv:1: the weight \"0\" should be a whole number from -100 to 100, not 0" },
		{ "execution\t101\talways\t-\tx\n",
		  "own.tsv:1: the weight \"101\" should be a whole number from -100 to 100, not 0" },
		{ "execution\t1.5\talways\t-\tx\n",
		  "own.tsv:1: the weight \"1.5\" should be a whole number from -100 to 100, not 0" },
		{ "execution\t1\tlikes\t-\tx\n", "own.tsv:1: the kind \"likes\" should be says, begins, asks, tool, "
						 "runs, args, calls, after, shape, length, place or always" },
		{ "execution\t1\tsays\t\tx\n", "own.tsv:1: the pattern \"\" should be given, in at most 200 bytes" },
		{ "execution\t1\tsays\t...\tx\n",
		  "own.tsv:1: the pattern \"...\" should be words, with a * only at the end" },
		{ "execution\t1\tsays\ta*b\tx\n",
		  "own.tsv:1: the pattern \"a*b\" should be words, with a * only at the end" },
		{ "execution\t1\tasks\tno\tx\n", "own.tsv:1: the pattern \"no\" should be any or last" },
		{ "execution\t1\truns\ta  b\tx\n", "own.tsv:1: the pattern \"a  b\" should be a program and words "
						   "behind it, one space between them" },
		{ "execution\t1\tcalls\t<0\tx\n", "own.tsv:1: the pattern \"<0\" should be a number: 0, 2+ or <3" },
		{ "execution\t1\tcalls\t<3+\tx\n", "own.tsv:1: the pattern \"<3+\" should be a number: 0, 2+ or <3" },
		{ "execution\t1\tlength\tlong\tx\n",
		  "own.tsv:1: the pattern \"long\" should be a number: 800+ or <200" },
		{ "execution\t1\tafter\tx\tx\n",
		  "own.tsv:1: the pattern \"x\" should be nothing, answer, success or error" },
		{ "execution\t1\tshape\tx\tx\n", "own.tsv:1: the pattern \"x\" should be code, numbers, bullets, table, "
						 "json or heading" },
		{ "execution\t1\tplace\tx\tx\n", "own.tsv:1: the pattern \"x\" should be first or last" },
		{ "execution\t1\talways\tx\tx\n", "own.tsv:1: the pattern \"x\" should be -" },
		{ "execution\t1\tcalls\t1 | x\tx\n", "own.tsv:1: the pattern \"x\" should be a number: 0, 2+ or <3" },
		{ "execution\t1\tsays\tx |  | y\tx\n", "own.tsv:1: the pattern \"\" should be given, in at most 200 bytes" },
		{ "execution\t1\talways\t-\tx\nexecution\t2\talways\t-\ty\n",
		  "own.tsv:2: the same bond, kind and patterns as in line 1" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct arena a;
		struct rules r;
		struct err err;

		arena_init(&a);
		test_case("%s", cases[i].text);
		CHECK(!parse(&a, cases[i].text, &r, &err) && err.kind == ERR_DATA);
		CHECK_STR(str_from(err.text), str_from(cases[i].want));
		arena_free(&a);
	}
}

TEST(a_table_with_too_many_rules_is_refused)
{
	struct arena a;
	struct rules r;
	struct err err;
	struct buf text;

	arena_init(&a);
	buf_init(&text);
	for (int i = 0; i < RULES_MOST; i++)
		buf_printf(&text, "execution\t1\tsays\tw%d\tx\n", i);
	CHECK(rules_parse(&a, buf_str(&text), STR("own.tsv"), &r, &err));
	buf_add_str(&text, STR("execution\t1\talways\t-\tx\n"));
	CHECK(!rules_parse(&a, buf_str(&text), STR("own.tsv"), &r, &err));
	CHECK_STR(str_from(err.text), STR("own.tsv:1001: more than 1000 rules"));
	buf_free(&text);
	arena_free(&a);
}

TEST(the_digest_is_of_what_decides)
{
	struct arena a;
	struct rules one, same, other;
	struct err err;

	arena_init(&a);
	CHECK(parse(&a, "execution\t1\talways\t-\tx\n", &one, &err));
	CHECK(parse(&a, "# why not\n execution\t1\talways\t-\tbecause", &same, &err));
	CHECK(parse(&a, "execution\t2\talways\t-\tx\n", &other, &err));
	CHECK_STR(str_from(one.digest), str_from(same.digest));
	CHECK(strcmp(one.digest, other.digest) != 0);
	arena_free(&a);
}

/* ---- kinds ---- */

/* One turn between two others. */
struct given {
	const char *text, *thought, *tool, *args;
	uint64_t calls, results_before, errors_before;
	size_t place; /* 0: in the middle, 1: first, 2: last */
};

static bool fits(const struct given *g, const char *rule)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct turn_call call = { g->tool ? str_from(g->tool) : STR("x"),
				  g->args ? str_from(g->args) : str_of(NULL, 0) };
	struct turn items[3] = { { .text = { NULL, 0 } } }, *t;
	struct turns turns = { .items = items, .count = 3 };
	size_t at = g->place == 0 ? 1 : g->place == 1 ? 0 : 2;
	struct look l;
	struct rules r;
	struct arena a;
	struct err err;
	bool yes;

	arena_init(&a);
	if (!rules_parse(&a, ARENA_JOIN(&a, STR("execution\t1\t"), str_from(rule), STR("\t")), STR("r"), &r, &err))
		FAIL("%s", err.text);
	if (at) {
		items[at - 1].results = g->results_before;
		items[at - 1].errors = g->errors_before;
	}
	t = &items[at];
	t->text = g->text ? str_from(g->text) : str_of(NULL, 0);
	t->thought = g->thought ? str_from(g->thought) : str_of(NULL, 0);
	t->all_calls = g->calls ? g->calls : g->args || g->tool;
	t->call_count = g->args || g->tool;
	t->calls = &call;
	look_at(&l, &a, p, &turns, at);
	yes = look_find(&l, r.rows) != NULL;
	arena_free(&a);
	json_parser_close(p);
	return yes;
}

TEST(every_kind_fits_what_it_says_and_nothing_else)
{
	static const struct {
		const char *rule;
		bool want;
		struct given given;
	} cases[] = {
		/* phrases are whole words, in any case, whatever stands between them */
		{ "says\tlet me check", true, { .text = "Now, Let me  check\nthis." } },
		{ "says\tlet me check", true, { .text = "let me, check" } },
		{ "says\tlet me check", false, { .text = "outlet me check" } },
		{ "says\tlet me check", false, { .text = "let me checking" } },
		{ "says\tlet me check", true, { .thought = "let me check" } },
		{ "says\tverif*", true, { .text = "I verified it" } },
		{ "says\tverif*", false, { .text = "overif it" } },
		{ "says\tlet's", true, { .text = "let\xe2\x80\x99s go" } },
		{ "says\tno", true, { .text = "wait\xe2\x80\x94no" } },
		{ "says\tassert", false, { .text = "so:\n```\nassert x\n```\ndone" } },
		{ "says\tdone", true, { .text = "so:\n```\nassert x\n```\ndone" } },
		{ "says\tx", false, { .args = "{\"a\":\"x\"}" } },
		{ "begins\twait", true, { .text = "  Wait, what" } },
		{ "begins\twait", false, { .text = "so wait" } },
		{ "begins\twait", true, { .thought = "wait" } },
		{ "begins\twait", false, { .text = "so", .thought = "wait" } },
		{ "begins\tverif*", true, { .text = "Verifying" } },
		/* questions */
		{ "asks\tany", true, { .text = "why? because" } },
		{ "asks\tany", true, { .thought = "why?" } },
		{ "asks\tany", false, { .text = "see http://x/?a=1" } },
		{ "asks\tany", false, { .text = "```\na ? b\n```" } },
		{ "asks\tlast", true, { .text = "Which one?\n" } },
		{ "asks\tlast", false, { .text = "Which one? This one." } },
		{ "asks\tlast", false, { .thought = "Which one?" } },
		/* calls */
		{ "tool\tBash", true, { .tool = "bash" } },
		{ "tool\tbash", false, { .tool = "bash2" } },
		{ "tool\t*write*", true, { .tool = "fs_write_file" } },
		{ "tool\t*write*", false, { .tool = "fs_read" } },
		{ "runs\tpytest", true, { .args = "{\"command\":\"cd /w && /usr/bin/pytest -q\"}" } },
		{ "runs\tpytest", false, { .args = "{\"command\":\"echo pytest\"}" } },
		{ "runs\tpython* pytest", true, { .args = "{\"cmd\":\"python3 -m pytest t\"}" } },
		{ "runs\tgit diff", true, { .args = "{\"command\":\"git --no-pager diff | cat\"}" } },
		{ "runs\tgit diff", false, { .args = "{\"command\":\"git log; diff a b\"}" } },
		{ "runs\tgit diff", false, { .args = "{\"command\":\"git commit -m 'a diff'\"}" } },
		{ "runs\tls", true, { .args = "{\"command\":[\"bash\",\"-lc\",\"cd x; ls\"]}" } },
		{ "runs\tls -l", true, { .args = "{\"command\":[\"ls\",\"-l\"]}" } },
		{ "runs\tmake", true, { .args = "\"make all\"" } },
		{ "runs\tmake", false, { .args = "{\"path\":\"make\"}" } },
		{ "runs\tmake", true, { .args = "{\"command\":\"sudo make\"}" } },
		{ "args\t<<'EOF'", true, { .args = "{\"command\":\"cat > x <<'eof'\\n\"}" } },
		{ "args\ta\"b", true, { .args = "{\"x\":{\"y\":1},\"z\":\"A\\\"B\"}" } },
		{ "args\tz", false, { .args = "{\"z\":1}" } },
		{ "args\tcut", true, { .args = "{\"z\":\"it was cut" } },
		{ "calls\t0", true, { .text = "x" } },
		{ "calls\t0", false, { .tool = "x" } },
		{ "calls\t2+", true, { .tool = "x", .calls = 3 } },
		{ "calls\t2+", false, { .tool = "x" } },
		{ "calls\t<2", true, { .tool = "x" } },
		{ "calls\t1", false, { .tool = "x", .calls = 2 } },
		/* the turn before */
		{ "after\tnothing", true, { .place = 1 } },
		{ "after\tnothing", false, { .place = 0 } },
		{ "after\tanswer", true, { .place = 0 } },
		{ "after\tsuccess", true, { .results_before = 1 } },
		{ "after\tsuccess", false, { .results_before = 2, .errors_before = 1 } },
		{ "after\terror", true, { .results_before = 2, .errors_before = 1 } },
		{ "after\terror", false, { .results_before = 1 } },
		/* shapes */
		{ "shape\tcode", true, { .text = "x\n```c\nint a;\n```" } },
		{ "shape\tcode", false, { .text = "`a`" } },
		{ "shape\tcode", false, { .thought = "```\nx\n```" } },
		{ "shape\tnumbers", true, { .text = "1. a\n2. b" } },
		{ "shape\tnumbers", true, { .text = " 1) a\n 2) b" } },
		{ "shape\tnumbers", false, { .text = "1. a\n2.5 b" } },
		{ "shape\tbullets", true, { .text = "- a\n* b" } },
		{ "shape\tbullets", false, { .text = "- a\n-b" } },
		{ "shape\ttable", true, { .text = "| a | b |\n|---|---|" } },
		{ "shape\ttable", false, { .text = "| a |\n| b |" } },
		{ "shape\tjson", true, { .text = " {\"a\": 1}\n" } },
		{ "shape\tjson", true, { .text = "here:\n```json\n{}\n```" } },
		{ "shape\tjson", false, { .text = "it is {a}" } },
		{ "shape\theading", true, { .text = "## Result\nx" } },
		{ "shape\theading", false, { .text = "#1 is" } },
		/* characters, not bytes */
		{ "length\t<3", true, { .text = "\xc3\xa4\xc3\xb6" } },
		{ "length\t<3", false, { .text = "abc" } },
		{ "length\t3+", true, { .text = "abc" } },
		{ "length\t0", true, { .thought = "long" } },
		{ "place\tfirst", true, { .place = 1 } },
		{ "place\tfirst", false, { .place = 2 } },
		{ "place\tlast", true, { .place = 2 } },
		{ "place\tlast", false, { .place = 0 } },
		{ "always\t-", true, { .text = NULL } },
		/* one of several patterns will do */
		{ "says\ta | b c | d*", true, { .text = "b c" } },
		{ "says\ta | b c | d*", true, { .text = "done" } },
		{ "says\ta | b c | d*", false, { .text = "b, then c" } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu: %s", i, cases[i].rule);
		CHECK_INT(fits(&cases[i].given, cases[i].rule), cases[i].want);
	}
}
