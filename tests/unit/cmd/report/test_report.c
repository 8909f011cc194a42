#include "cmd/report/report.h"

#include "harness/test.h"

static const struct rule sample_rules[] = {
	{ .code = "AT041", .severity = SEV_ERROR, .sentence = "a count is negative",
	  .help = "omit the line's model_call if the call failed before any usage was returned",
	  .section = "agent-trace/v1 section 9" },
	{ .code = "AT042", .severity = SEV_ERROR, .sentence = "a count is odd", .section = "section 10" },
	{ .code = "AT109", .severity = SEV_WARNING, .sentence = "totals disagree", .help = "count again" },
};

static const struct rule *find_sample_rule(const char *code)
{
	for (size_t i = 0; i < sizeof(sample_rules) / sizeof(sample_rules[0]); i++)
		if (strcmp(sample_rules[i].code, code) == 0)
			return &sample_rules[i];
	return NULL;
}

static struct str shown(struct report r, const char *path, const struct finding *f)
{
	static struct buf b;

	buf_clear(&b);
	report_add_finding(&b, &r, str_from(path), f);
	return buf_str(&b);
}

static struct finding sample_finding(void)
{
	static const char text[] =
		"{\"model_call\":{\"input_tokens\":12400,\"output_tokens\":-1,\"latency_seconds\":1.3}}\n";
	struct str line = str_from(text);

	return (struct finding){
		.code = "AT041",
		.severity = SEV_ERROR,
		.at = { .line = 6, .column = 53, .offset = 412 },
		.pointer = STR("/model_call/output_tokens"),
		.message = STR("output_tokens must not be negative"),
		.excerpt = line,
		.mark = str_find(line, STR("-1")),
		.mark_length = 2,
	};
}

TEST(a_finding_has_heading_place_excerpt_path_and_help)
{
	static const char want[] =
		"error[AT041]: output_tokens must not be negative\n"
		"  --> run/agent-trace.jsonl:6:53\n"
		"   |\n"
		" 6 | {\"model_call\":{\"input_tokens\":12400,\"output_tokens\":-1,\"latency_seconds\":1.3}}\n"
		"   |                                                     ^^\n"
		"   = path: $.model_call.output_tokens   rule: agent-trace/v1 section 9\n"
		"   = help: omit the line's model_call if the call failed before any usage was returned\n";
	struct report r = { .width = 100, .find_rule = find_sample_rule };
	struct finding f = sample_finding();

	CHECK_STR(shown(r, "run/agent-trace.jsonl", &f), str_from(want));
}

TEST(sentences_wrap_and_long_lines_are_cut_around_the_place)
{
	static const char want[] = "error[AT041]: output_tokens must not be\n"
				   "  negative\n"
				   "     --> a.jsonl:1234:53\n"
				   "      |\n"
				   " 1234 | …,\"output_tokens\":-1,\"latency_secon…\n"
				   "      |                   ^^\n"
				   "      = path: $.model_call.output_tokens   rule: agent-trace/v1 section 9\n"
				   "      = help: omit the line's model_call if\n"
				   "              the call failed before any\n"
				   "              usage was returned\n";
	struct report r = { .width = 44, .find_rule = find_sample_rule };
	struct finding f = sample_finding();

	f.at.line = 1234;
	CHECK_STR(shown(r, "a.jsonl", &f), str_from(want));
}

TEST(colour_only_adds_escape_sequences)
{
	struct report r = { .width = 100, .find_rule = find_sample_rule }, colored = r;
	struct finding f = sample_finding();
	struct buf plain, stripped;
	struct str text;

	buf_init(&plain);
	buf_init(&stripped);
	buf_add_str(&plain, shown(r, "a", &f));
	colored.color = true;
	text = shown(colored, "a", &f);
	CHECK(text.n > plain.n);
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\033')
			i += strcspn(text.p + i, "m");
		else
			buf_add_byte(&stripped, text.p[i]);
	}
	CHECK_STR(buf_str(&stripped), buf_str(&plain));
	buf_free(&plain);
	buf_free(&stripped);
}

TEST(what_is_not_known_is_left_out)
{
	struct report r = { .width = 100, .find_rule = find_sample_rule };
	struct finding f = { .code = "X", .severity = SEV_WARNING, .message = STR("odd") };

	CHECK_STR(shown(r, "a.json", &f), STR("warning[X]: odd\n  --> a.json\n"));
	CHECK_STR(shown(r, "", &f), STR("warning[X]: odd\n"));
	f.severity = SEV_INFO;
	f.at = (struct place){ .line = 3 };
	CHECK_STR(shown(r, "a.json", &f), STR("info[X]: odd\n  --> a.json:3\n"));
	f.code = "AT042";
	CHECK_STR(shown(r, "", &f), STR("info[AT042]: odd\n   = rule: section 10\n"));
	f.pointer = STR("/a");
	f.code = "AT109";
	CHECK_STR(shown(r, "", &f), STR("info[AT109]: odd\n   = path: $.a\n   = help: count again\n"));
	r.find_rule = NULL;
	CHECK_STR(shown(r, "", &f), STR("info[AT109]: odd\n   = path: $.a\n"));
}

TEST(hostile_text_is_shown_escaped_everywhere)
{
	struct report r = { .width = 100 };
	struct finding f = {
		.code = "X",
		.severity = SEV_ERROR,
		.at = { .line = 1, .column = 2 },
		.pointer = STR("/\033[2J"),
		.message = STR("the name \"\033[2J\" is odd"),
		.excerpt = STR("\033[2J\x01\xff日"),
		.mark = 4,
		.mark_length = 2,
	};
	static const char want[] = "error[X]: the name \"\\x1b[2J\" is odd\n"
				   "  --> \\x1b[2J.json:1:2\n"
				   "   |\n"
				   " 1 | \\x1b[2J\\x01\\xff日\n"
				   "   |        ^^^^^^^^\n"
				   "   = path: $['\\x1b[2J']\n";

	CHECK_STR(shown(r, "\033[2J.json", &f), str_from(want));
}

TEST(a_json_pointer_becomes_a_path)
{
	static const struct {
		const char *pointer, *want;
	} cases[] = {
		{ "", "$" },
		{ "/a", "$.a" },
		{ "/a/b_2/C", "$.a.b_2.C" },
		{ "/a/0/17", "$.a[0][17]" },
		{ "/01", "$['01']" }, /* no index */
		{ "/", "$['']" },
		{ "//a", "$[''].a" },
		{ "/a~1b/c~0d/~2", "$['a/b']['c~d']['~2']" },
		{ "/a b/2x/é", "$['a b']['2x']['é']" },
		{ "/a\nb", "$['a\\x0ab']" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b;

		test_case("%s", cases[i].pointer);
		buf_init(&b);
		report_add_path(&b, str_from(cases[i].pointer));
		CHECK_STR(buf_str(&b), str_from(cases[i].want));
		buf_free(&b);
	}
}

static void add_findings(struct findings *list, const char *code, enum severity severity, int count)
{
	struct finding f = { .code = code, .severity = severity, .message = STR("odd") };

	for (int i = 0; i < count; i++)
		findings_add(list, &f);
}

static struct str list_of(size_t limit, bool all)
{
	static struct arena a;
	static struct buf b;
	struct report r = { .width = 80, .all = all };
	struct findings list;

	findings_init(&list, &a, limit);
	add_findings(&list, "A1", SEV_ERROR, 46);
	add_findings(&list, "A2", SEV_WARNING, 2);
	add_findings(&list, "A3", SEV_INFO, 6);
	buf_clear(&b);
	report_add_list(&b, &r, STR(""), &list);
	report_add_counts(&b, &list);
	return buf_str(&b);
}

static size_t count_of(struct str text, const char *line)
{
	size_t count = 0;

	while (text.n)
		count += str_eq(str_cut(text, '\n', &text), str_from(line));
	return count;
}

TEST(repeats_are_grouped_and_everything_is_counted)
{
	struct str text = list_of(50, false);

	CHECK_INT(count_of(text, "error[A1]: odd"), 5);
	CHECK_INT(count_of(text, "warning[A2]: odd"), 2);
	CHECK_INT(count_of(text, "info[A3]: odd"), 5);
	CHECK_INT(count_of(text, "… and 41 more of A1 (--all to list)"), 1);
	CHECK_INT(count_of(text, "… and 1 more of A3 (--all to list)"), 1);
	CHECK(str_ends(text, STR("\n46 errors, 2 warnings, 6 notes")));
	text = list_of(1, false); /* no room for the codes that come later */
	CHECK_INT(count_of(text, "… and 2 of A2 (--all to list)"), 1);
}

TEST(all_shows_all_that_was_kept)
{
	struct str text = list_of(0, true);

	CHECK_INT(count_of(text, "error[A1]: odd"), 46);
	CHECK_INT(count_of(text, "info[A3]: odd"), 6);
	CHECK(str_find(text, STR("more of")) == (size_t)-1);
	text = list_of(50, true);
	CHECK_INT(count_of(text, "error[A1]: odd"), 42); /* makes room for the others */
	CHECK_INT(count_of(text, "… and 4 more of A1"), 1);
}

TEST(a_limit_that_was_asked_for_groups_nothing)
{
	struct report r = { .width = 80, .limited = true };
	struct findings list, none;
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	findings_init(&list, &a, 7);
	add_findings(&list, "A1", SEV_ERROR, 9);
	report_add_list(&b, &r, STR("p"), &list);
	CHECK_INT(count_of(buf_str(&b), "error[A1]: odd"), 7);
	CHECK_INT(count_of(buf_str(&b), "… and 2 more of A1 (above --limit; --all to list)"), 1);
	none = list;
	none.kept_count = 0;
	buf_clear(&b);
	report_add_list(&b, &r, STR("p"), &none);
	CHECK_STR(buf_str(&b), STR("9 of A1 (above --limit; --all to list)\n"));
	buf_free(&b);
	arena_free(&a);
}

TEST(a_rule_of_our_own_has_no_section_and_help_can_be_replaced)
{
	static const struct rule own[] = {
		{ .code = "V009", .sentence = "s", .help = "the rule's", .section = "nowhere" },
		{ .code = NULL },
	};
	struct finding f = { .code = "V009", .severity = SEV_ERROR, .message = STR("unknown") };
	struct report r = { .width = 80, .rules = own };

	CHECK_STR(shown(r, "p", &f), STR("error[V009]: unknown\n  --> p\n   = help: the rule's\n"));
	r.help = "the case's";
	CHECK_STR(shown(r, "p", &f), STR("error[V009]: unknown\n  --> p\n   = help: the case's\n"));
}

TEST(paths_for_services_are_relative_to_where_we_are)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
		{ "-", "stdin" },	{ "a/b", "a/b" },   { "./a", "a" }, { "././-", "-" },
		{ "/w/a.jsonl", "a.jsonl" }, { "/x/a", "/x/a" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(report_relative(str_from(cases[i].path), STR("/w/")), str_from(cases[i].want));
}

TEST(errors_only_leaves_the_rest_out)
{
	struct report r = { .width = 80, .least = SEV_ERROR };
	struct findings list;
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	findings_init(&list, &a, 0);
	add_findings(&list, "A2", SEV_WARNING, 9);
	add_findings(&list, "A1", SEV_ERROR, 1);
	report_add_list(&b, &r, STR("p"), &list);
	CHECK_STR(buf_str(&b), STR("error[A1]: odd\n  --> p\n"));
	r.least = SEV_WARNING; /* when warnings count as errors */
	buf_clear(&b);
	report_add_list(&b, &r, STR("p"), &list);
	CHECK_INT(count_of(buf_str(&b), "warning[A2]: odd"), REPORT_REPEATS);
	buf_free(&b);
	arena_free(&a);
}

TEST(the_rules_of_the_format_are_looked_at_first)
{
	static const struct rule own[] = { { .code = "AT041", .sentence = "mine" }, { .code = NULL } };
	struct report r = { .rules = own, .find_rule = find_sample_rule };

	CHECK(report_find_rule(&r, "AT041") == &own[0]);
	CHECK(report_find_rule(&r, "AT042") == &sample_rules[1]);
	CHECK(report_find_rule(&r, "AT999") == NULL);
	r.find_rule = NULL;
	CHECK(report_find_rule(&r, "AT042") == NULL);
}

TEST(the_end_column_counts_characters)
{
	static const char line[] = "{\"\xc3\xa9\":\"\xc3\xa9\xc3\xa9\"}";
	struct finding f = { .code = "X" };

	finding_point(&f, str_from(line), 1, 0, 6, 6);
	CHECK_INT(f.at.column, 6);
	CHECK_INT(report_end_column(&f), 10);
	f.mark_length = 1000;
	CHECK_INT(report_end_column(&f), 11);
	f.mark_length = 0;
	CHECK_INT(report_end_column(&f), 6);
}

TEST(only_the_fields_asked_for_are_begun)
{
	struct opt_maybe some = { true, STR("a,b") }, every = { .given = true };
	struct json_writer w;
	struct buf b;

	buf_init(&b);
	json_write_init(&w, &b, JSON_COMPACT);
	json_write_begin_object(&w);
	CHECK(report_begin_field(&w, some, "b"));
	json_write_null(&w);
	CHECK(!report_begin_field(&w, some, "c"));
	CHECK(report_begin_field(&w, every, "d"));
	json_write_null(&w);
	json_write_end_object(&w);
	CHECK_STR(buf_str(&b), STR("{\"b\":null,\"d\":null}"));
	buf_free(&b);
}

TEST(counts_are_told_in_words)
{
	static const struct {
		int errors, warnings, infos;
		const char *want;
	} cases[] = {
		{ 0, 0, 0, "no findings" },     { 1, 0, 0, "1 error" }, { 2, 1, 0, "2 errors, 1 warning" },
		{ 0, 3, 1, "3 warnings, 1 note" }, { 0, 0, 2, "2 notes" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena a;
		struct findings list;
		struct buf b;

		arena_init(&a);
		buf_init(&b);
		findings_init(&list, &a, 10);
		add_findings(&list, "A1", SEV_ERROR, cases[i].errors);
		add_findings(&list, "A2", SEV_WARNING, cases[i].warnings);
		add_findings(&list, "A3", SEV_INFO, cases[i].infos);
		report_add_counts(&b, &list);
		CHECK_STR(buf_str(&b), str_from(cases[i].want));
		buf_free(&b);
		arena_free(&a);
	}
}

TEST(a_finding_is_one_json_object)
{
	struct finding f = sample_finding();
	struct json_writer w;
	struct buf b;

	buf_init(&b);
	json_write_init(&w, &b, JSON_COMPACT);
	report_write_json(&w, &f);
	CHECK(json_write_is_done(&w));
	CHECK_STR(buf_str(&b), STR("{\"code\":\"AT041\",\"severity\":\"error\",\"line\":6,\"column\":53,"
				   "\"byte_offset\":412,\"pointer\":\"/model_call/output_tokens\","
				   "\"message\":\"output_tokens must not be negative\"}"));
	buf_free(&b);
}

TEST(a_list_of_findings_is_one_json_array_and_a_missing_place_is_null)
{
	struct finding f = { .code = "X", .severity = SEV_INFO, .message = STR("a \"b\"") };
	struct arena a;
	struct findings list;
	struct json_writer w;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	findings_init(&list, &a, 0);
	json_write_init(&w, &b, JSON_COMPACT);
	report_write_json_list(&w, &list);
	CHECK_STR(buf_str(&b), STR("[]"));
	findings_add(&list, &f);
	f = (struct finding){ .code = "Y", .severity = SEV_WARNING, .at = { .line = 1, .offset = 0 } };
	findings_add(&list, &f);
	buf_clear(&b);
	json_write_init(&w, &b, JSON_COMPACT);
	report_write_json_list(&w, &list);
	CHECK_STR(buf_str(&b), STR("[{\"code\":\"X\",\"severity\":\"info\",\"line\":null,\"column\":null,"
				   "\"byte_offset\":null,\"pointer\":\"\",\"message\":\"a \\\"b\\\"\"},"
				   "{\"code\":\"Y\",\"severity\":\"warning\",\"line\":1,\"column\":null,"
				   "\"byte_offset\":null,\"pointer\":\"\",\"message\":\"\"}]"));
	buf_free(&b);
	arena_free(&a);
}

TEST(a_report_is_as_wide_as_the_terminal_and_at_most_100_columns)
{
	struct term narrow = { .is_terminal = true, .width = 60, .color = true };
	struct term wide = { .is_terminal = true, .width = 200 }, file = { .width = 60 };
	struct report r;

	report_init(&r, &narrow, false);
	CHECK(r.width == 60 && r.color && !r.all && !r.find_rule);
	report_init(&r, &wide, true);
	CHECK(r.width == 100 && !r.color && r.all);
	report_init(&r, &file, false);
	CHECK(r.width == 100);
}
