#include "cmd/report/report_github.h"

#include "harness/test.h"

static const struct report plain = { .width = 80 };

struct fixture {
	struct arena arena;
	struct findings list;
	struct report_github github;
	struct buf out;
};

static void fixture_init(struct fixture *x, size_t limit)
{
	arena_init(&x->arena);
	findings_init(&x->list, &x->arena, limit);
	report_github_init(&x->github);
	buf_init(&x->out);
}

static void fixture_free(struct fixture *x)
{
	report_github_free(&x->github);
	buf_free(&x->out);
	arena_free(&x->arena);
}

TEST(messages_and_properties_are_escaped_as_commands_want_it)
{
	static const struct {
		const char *text, *message, *property;
	} cases[] = {
		{ "plain", "plain", "plain" },
		{ "50%", "50%25", "50%25" },
		{ "a\r\nb", "a%0D%0Ab", "a%0D%0Ab" },
		{ "a:b,c", "a:b,c", "a%3Ab%2Cc" },
		{ "::error::x", "::error::x", "%3A%3Aerror%3A%3Ax" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&b);
		report_github_escape(&b, str_from(cases[i].text), false);
		CHECK_STR(buf_str(&b), str_from(cases[i].message));
		buf_clear(&b);
		report_github_escape(&b, str_from(cases[i].text), true);
		CHECK_STR(buf_str(&b), str_from(cases[i].property));
	}
	buf_free(&b);
}

TEST(text_means_nothing_in_markdown)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "a | b", "a \\| b" },
		{ "<b>&amp;", "\\<b\\>\\&amp;" },
		{ "[x](http://e.org)", "\\[x\\]\\(http\\://e\\.org\\)" },
		{ "`*_~#!@", "\\`\\*\\_\\~\\#\\!\\@" },
		{ "a\nb", "a\\\\x0ab" },
		{ "\\|", "\\\\\\|" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		buf_clear(&b);
		report_github_add_markdown(&b, str_from(cases[i].text));
		CHECK_STR(buf_str(&b), str_from(cases[i].want));
	}
	buf_free(&b);
}

TEST(the_worst_annotations_come_first)
{
	static const char line[] = "{\"é\":-1}";
	struct finding info = { .code = "I1", .severity = SEV_INFO, .message = STR("by the way") };
	struct finding warning = { .code = "W1", .severity = SEV_WARNING, .message = STR("100% odd\n") };
	struct finding error = { .code = "E1", .severity = SEV_ERROR, .message = STR("bad") };
	struct fixture x;

	fixture_init(&x, 0);
	finding_point(&error, str_from(line), 6, 100, 6, 2);
	finding_point(&warning, str_from(line), 2, 10, strlen(line), 0);
	findings_add(&x.list, &info);
	findings_add(&x.list, &warning);
	findings_add(&x.list, &error);
	report_github_add_list(&x.github, &plain, STR("a,b:c.jsonl"), &x.list);
	report_github_add_error(&x.github, STR("gone"), STR("gone: no"));
	report_github_end(&x.github, &x.out);
	CHECK_STR(buf_str(&x.out),
		  STR("::error file=a%2Cb%3Ac.jsonl,line=6,col=6,endColumn=8,title=E1::bad\n"
		      "::error file=gone,title=unreadable::gone: no\n"
		      "::warning file=a%2Cb%3Ac.jsonl,line=2,col=9,title=W1::100%25 odd\\x0a\n"
		      "::notice file=a%2Cb%3Ac.jsonl,title=I1::by the way\n"));
	buf_clear(&x.out);
	report_github_add_summary(&x.github, STR("2 files"), 10000, &x.out);
	CHECK_STR(buf_str(&x.out),
		  STR("### trackway validate\n\n2 files\n\n"
		      "| severity | rule | place | finding |\n|---|---|---|---|\n"
		      "| error | E1 | a,b\\:c\\.jsonl line 6 | bad |\n"
		      "| error | unreadable | gone | gone\\: no |\n"
		      "| warning | W1 | a,b\\:c\\.jsonl line 2 | 100% odd\\\\x0a |\n"
		      "| info | I1 | a,b\\:c\\.jsonl | by the way |\n\n"));
	fixture_free(&x);
}

TEST(a_remedy_follows_and_warnings_may_be_errors)
{
	static const struct rule rules[] = { { .code = "W1", .help = "50% less" }, { .code = NULL } };
	struct report r = { .width = 80, .rules = rules };
	struct finding warning = { .code = "W1", .severity = SEV_WARNING, .message = STR("odd") };
	struct fixture x;

	fixture_init(&x, 0);
	x.github.root = STR("/w/");
	findings_add(&x.list, &warning);
	report_github_add_list(&x.github, &r, STR("/w/a"), &x.list);
	x.github.promote = true;
	report_github_add_list(&x.github, &r, STR("-"), &x.list);
	report_github_end(&x.github, &x.out);
	CHECK_STR(buf_str(&x.out), STR("::error file=stdin,title=W1::odd%0Ahelp: 50%25 less\n"
				       "::warning file=a,title=W1::odd%0Ahelp: 50%25 less\n"));
	fixture_free(&x);
}

TEST(what_is_not_listed_is_counted)
{
	struct finding f = { .code = "E1", .severity = SEV_ERROR, .message = STR("bad") };
	struct fixture x;
	size_t lines = 0;

	fixture_init(&x, 0);
	for (size_t i = 0; i < REPORT_GITHUB_LIMIT + 7; i++)
		findings_add(&x.list, &f);
	report_github_add_list(&x.github, &plain, STR("a"), &x.list);
	report_github_end(&x.github, &x.out);
	for (size_t i = 0; i < x.out.n; i++)
		lines += x.out.p[i] == '\n';
	CHECK_INT(lines, REPORT_GITHUB_LIMIT + 1);
	CHECK(str_ends(buf_str(&x.out), STR("::notice title=trackway::7 more findings are not listed: at most 1000 of "
							"a kind and of a file, or what --limit says\n")));
	fixture_free(&x);

	fixture_init(&x, 2); /* what the list itself only counted */
	for (size_t i = 0; i < 5; i++)
		findings_add(&x.list, &f);
	report_github_add_list(&x.github, &plain, STR("a"), &x.list);
	report_github_end(&x.github, &x.out);
	CHECK(str_find(buf_str(&x.out), STR("::notice title=trackway::3 more findings are not listed: ")) != (size_t)-1);
	fixture_free(&x);
}

TEST(the_table_keeps_within_its_room)
{
	struct finding f = { .code = "E1", .severity = SEV_ERROR, .message = STR("a sentence of some length") };
	struct fixture x;

	fixture_init(&x, 0);
	for (size_t i = 0; i < 500; i++)
		findings_add(&x.list, &f);
	report_github_add_list(&x.github, &plain, STR("some/file.jsonl"), &x.list);
	for (size_t room = 0; room < 3000; room += 37) {
		buf_clear(&x.out);
		report_github_add_summary(&x.github, STR("1 file"), room, &x.out);
		test_case("room for %zu", room);
		CHECK(x.out.n <= room);
		CHECK(room < 300 || str_find(buf_str(&x.out), STR(" more findings are not listed.")) != (size_t)-1);
	}
	fixture_free(&x);
}
