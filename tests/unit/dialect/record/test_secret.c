#include "dialect/record/record.h"
#include "dialect/record/scan.h"
#include "unit/dialect/check_feed.h"

/* In two pieces, so that this file holds no key itself. */
#define PUBLIC "ghp_"
#define HIDDEN "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
#define HIDDEN_TOO "Zy9xW8vU7tS6rQ5pO4nM3lK2jI1hG0fE9dC8"
#define KEY PUBLIC HIDDEN
#define KEY_TOO PUBLIC HIDDEN_TOO
#define KEY_ESCAPED "\\u0067hp_\\u0061B3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA\\u0035" /* KEY */

enum rules { BAD, SECRET, NOW, MARK, UNKNOWN, TYPE };

static const struct rule rules[] = {
	[BAD] = { .code = "S_BAD", .severity = SEV_ERROR },
	[SECRET] = { .code = "S_SECRET", .severity = SEV_ERROR, .in_permissive = RULE_WARNING },
	[NOW] = { .code = "S_NOW", .severity = SEV_ERROR },
	[MARK] = { .code = "S_MARK", .severity = SEV_INFO },
	[UNKNOWN] = { .code = "S_UNKNOWN", .severity = SEV_WARNING },
	[TYPE] = { .code = "S_TYPE", .severity = SEV_ERROR },
	{ .code = NULL },
};

/* ---- formats: all strings are gathered, looked at now, remembered ---- */

static void gather(struct record_scan *s, struct val root, void *fact)
{
	(void)root;
	(void)fact;
	record_gather_all(s);
}

static void look_now(struct record_scan *s, struct val root, void *fact)
{
	(void)fact;
	for (struct val v = root; v.at < val_end(root); v.at++) {
		const char *service = NULL;

		if ((val_is(v, JSON_STRING) || val_is(v, JSON_KEY)) && record_is_secret(s, v, &service)) {
			CHECK_STR(str_from(service), STR("a GitHub token"));
			record_note_secret(s, NOW, v, "it is %s", service);
		}
	}
}

static void nothing(struct record_scan *s, struct val root, void *fact)
{
	(void)s;
	(void)root;
	(void)fact;
}

static bool is_marked(struct str text, const char **what)
{
	*what = "is marked";
	return text.n > 0;
}

static const struct field number_fields[] = {
	{ .name = "number", .types = T_NUMBER },
};
static const struct record_type numbers = { .name = "numbers", RECORD_TYPE(number_fields), .closed = true };

static void check_numbers(struct record_scan *s, struct val root, void *fact)
{
	uint32_t at[1];

	(void)fact;
	record_check_object(s, root, &numbers, at);
}

#define FORMAT(secret_, check_, ...) \
	{ .on_utf8 = BAD, .on_syntax = BAD, .on_duplicate = BAD, .on_not_object = BAD, .on_unknown = UNKNOWN, \
	  .on_type = TYPE, .on_blank = RECORD_NO_RULE, .on_torn = RECORD_NO_RULE, .on_empty = RECORD_NO_RULE, \
	  .on_secret = secret_, .check = check_, __VA_ARGS__ }
#define DIALECT(format_) { .name = "secrets", .rules = rules, .ops = &record_ops, .record = &format_ }

static const struct record_format own_format = FORMAT(SECRET, gather, .fact_size = 0);
static const struct record_format now_format = FORMAT(RECORD_NO_RULE, look_now, .fact_size = 0);
static const struct record_format mark_format =
	FORMAT(SECRET, gather, .gathered_marks = "/\\", .on_bad = MARK, .is_bad = is_marked);
static const struct record_format other_format = FORMAT(RECORD_NO_RULE, nothing, .fact_size = 0);
static const struct record_format number_format = FORMAT(RECORD_NO_RULE, check_numbers, .fact_size = 0);
static const struct dialect own = DIALECT(own_format), now = DIALECT(now_format), mark = DIALECT(mark_format);
static const struct dialect other = DIALECT(other_format), number = DIALECT(number_format);

/* No three bytes in a row of what must not be seen are in a text. */
static void check_hidden(struct str text, const char *hidden)
{
	for (size_t i = 0; i + 3 <= strlen(hidden); i++)
		if (str_find(text, str_of(hidden + i, 3)) != (size_t)-1)
			FAIL("\"%.3s\" is shown in \"%.*s\"", hidden + i, STR_ARG(text));
}

static void check_all_hidden(const struct check_feed *f)
{
	for (size_t i = 0; i < f->findings.kept_count; i++) {
		const struct finding *k = &f->findings.kept[i];

		check_hidden(k->message, HIDDEN);
		check_hidden(k->message, HIDDEN_TOO);
		check_hidden(k->excerpt, HIDDEN);
		check_hidden(k->excerpt, HIDDEN_TOO);
		check_hidden(k->pointer, HIDDEN);
		check_hidden(k->pointer, HIDDEN_TOO);
	}
}

/* "2:6 S_SECRET /a: this string resembles a GitHub token", in the order they came. */
static struct str listed(struct check_feed *f)
{
	struct str out = STR("");

	for (size_t i = 0; i < f->findings.kept_count; i++) {
		const struct finding *k = &f->findings.kept[i];

		out = arena_printf(&f->arena, "%.*s%s%llu:%llu %s %.*s: %.*s", STR_ARG(out), out.n ? "\n" : "",
				   (unsigned long long)k->at.line, (unsigned long long)k->at.column, k->code,
				   STR_ARG(k->pointer), STR_ARG(k->message));
	}
	return out;
}

#define RESEMBLES(what) "this " what " resembles a GitHub token"

static const struct {
	const char *text;
	size_t lines;
	const char *expected; /* after the code, which is the format's */
} cases[] = {
	{ "{\"a\":\"nothing\",\"b\":\"" PUBLIC "\"}\n", 0, "" },
	{ "{\"a\":\"" KEY "\"}\n", 0, "1:6 /a: " RESEMBLES("string") },
	{ "{}\n\n{\"a\":[0,{\"b\":\"use " KEY " here\"}]}\r\n", 0, "3:14 /a/1/b: " RESEMBLES("string") },
	{ "{\"\xc3\xa5\":\"" KEY_ESCAPED "\"}", 0, "1:6 /\xc3\xa5: " RESEMBLES("string") },
	{ "{\"a\":\"\\n\\t" KEY "\\n\"}", 0, "1:6 /a: " RESEMBLES("string") },
	{ "{\"a\":\"" KEY " and " KEY_TOO "\"}\n", 0,
	  "1:6 /a: " RESEMBLES("string") ", and there is 1 more in it" },
	{ "{\"a\":\"" KEY "\",\"b\":\"" KEY_TOO "\"}\n{\"c\":\"" KEY "\"}\n", 0,
	  "1:6 /a: " RESEMBLES("string") "\n1:53 /b: " RESEMBLES("string") "\n2:6 /c: " RESEMBLES("string") },
	{ "{\"a\":\"\",\"b\":\"" KEY " " KEY "\",\"c\":\"\",\"d\":\"" KEY "\"}\n", 0,
	  "1:13 /b: " RESEMBLES("string") ", and there is 1 more in it" "\n1:108 /d: " RESEMBLES("string") },
	{ "\n{\n  \"a\":\n   \"" KEY "\"\n}", CHECK_DOCUMENT, "4:4 /a: " RESEMBLES("string") },
	{ "{\"a\":\"" PUBLIC "\",\"b\":\"" HIDDEN "\"}", 0, "" }, /* none from the halves of two strings */
	{ "{\"a\":\"" KEY "\",\"a\":1}\n", 0, NULL },          /* not read, so not searched: told as what it is */
};

static struct str with_code(struct check_feed *f, const char *expected, const char *code)
{
	struct str rest = str_from(expected), out = STR("");

	while (rest.n > 0) {
		size_t space = str_find(rest, STR(" ")), end = str_find(rest, STR("\n"));

		end = end == (size_t)-1 ? rest.n : end + 1;
		out = arena_printf(&f->arena, "%.*s%.*s %s%.*s", STR_ARG(out), (int)space, rest.p, code,
				   (int)(end - space), rest.p + space);
		rest = str_of(rest.p + end, rest.n - end);
	}
	return out;
}

TEST(keys_in_strings_are_found_at_their_places_and_not_shown)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int asked = 0; asked < 2; asked++) {
			struct check_options options = { .mode = MODE_DEFAULT, .secrets = asked };
			size_t lines = cases[i].lines;

			test_case("%s", cases[i].text);
			for (int again = 0; again < 3; again++) {
				struct check_feed f;

				check_feed_with(&f, &own, &options, str_from(cases[i].text),
						lines == 0 ? (size_t)again : lines);
				if (cases[i].expected)
					CHECK_STR(listed(&f), with_code(&f, cases[i].expected, "S_SECRET"));
				for (size_t k = 0; k < f.findings.kept_count && cases[i].expected; k++)
					CHECK_INT(f.findings.kept[k].excerpt.n + f.findings.kept[k].mark_length, 0);
				check_all_hidden(&f);
				arena_free(&f.arena);
			}
		}
}

TEST(a_format_without_a_rule_of_its_own_has_v003_when_asked)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct check_options options = { .mode = MODE_DEFAULT, .secrets = true };
		struct check_feed f;

		test_case("%s", cases[i].text);
		check_feed_with(&f, &other, &options, str_from(cases[i].text), cases[i].lines);
		if (cases[i].expected) {
			CHECK_STR(listed(&f), with_code(&f, cases[i].expected, "V003"));
			CHECK_INT(f.findings.errors, 0);
			CHECK_INT(f.findings.warnings, f.findings.kept_count);
		}
		check_all_hidden(&f);
		arena_free(&f.arena);
		options.secrets = false;
		check_feed_with(&f, &other, &options, str_from(cases[i].text), cases[i].lines);
		CHECK_INT(check_feed_count(&f, "V003"), 0);
		arena_free(&f.arena);
	}
}

TEST(a_key_that_is_a_name_is_told_as_a_name)
{
	static const char *const texts[] = {
		"{\"" KEY "\":1}", "{\"a\":{\"" KEY_ESCAPED "\":\"x\"}}", "{\"a\":[{\"" KEY "\":{}}]}",
		"{\"x " KEY "/~ y\":[]}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct check_options options = { .mode = MODE_PERMISSIVE };
		struct check_feed f;

		test_case("%s", texts[i]);
		check_feed_with(&f, &own, &options, str_from(texts[i]), 0);
		CHECK_INT(f.findings.kept_count, 1);
		CHECK_INT(f.findings.warnings, 1); /* the severity is that of the mode */
		CHECK_STR(f.findings.kept[0].message, STR(RESEMBLES("name")));
		check_all_hidden(&f);
		arena_free(&f.arena);
	}
}

TEST(a_string_can_be_looked_at_now)
{
	struct check_feed f;

	check_feed(&f, &now, STR("{\"a\":\"b\",\"c\":\"" KEY_ESCAPED "\",\"" KEY "\":\"" PUBLIC "\"}"), 0);
	CHECK_INT(f.findings.kept_count, 2);
	CHECK_STR(f.findings.kept[0].message, STR("it is a GitHub token"));
	CHECK_STR(f.findings.kept[0].pointer, STR("/c"));
	CHECK_INT(f.findings.kept[0].at.column, 14);
	check_all_hidden(&f);
	arena_free(&f.arena);
}

TEST(only_strings_with_a_mark_are_given_to_the_format)
{
	static const struct {
		const char *text, *expected;
	} marks[] = {
		{ "{\"a\":\"b\"}", "" },
		{ "{\"a\":\"/b\"}", "1:6 S_MARK /a: this string is marked" },
		{ "{\"a/\":\"\",\"b\":\"c\\\\d\"}", "1:2 S_MARK /a~1: this name is marked\n1:14 S_MARK /b: this string is marked" },
		{ "{\"a\":\"b\\/\\u002fc\",\"d\":\"e\"}", "1:6 S_MARK /a: this string is marked" },
		{ "{\"a\":\"\\n\"}", "" }, /* there is a mark in the text, none in the string */
		{ "{\"a\":\"\"}\n{\"b\":[\"\",\"x/\"]}\n{\"c\":\"/\"}",
		  "2:10 S_MARK /b/1: this string is marked\n3:6 S_MARK /c: this string is marked" },
		{ "{\"a\":1,\"b\":{\"c\":null}}", "" },
		{ "{\"a\":\"x/y " KEY "\",\"b\":\"z/\"}", NULL },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		for (size_t lines = 0; lines < 3; lines++) {
			struct check_feed f;

			test_case("%s", marks[i].text);
			check_feed(&f, &mark, str_from(marks[i].text), lines);
			if (marks[i].expected)
				CHECK_STR(listed(&f), str_from(marks[i].expected));
			else
				CHECK(check_feed_count(&f, "S_MARK") == 2 && check_feed_count(&f, "S_SECRET") == 1);
			check_all_hidden(&f);
			arena_free(&f.arena);
		}
}

TEST(a_line_break_in_a_string_does_not_shift_what_comes_after)
{
	struct check_feed f;

	check_feed(&f, &mark, STR("{\"a\":\"\\n\\n\\n\",\"b\":\"\\nx/\\n\","
				  "\"c\":\"" KEY "\\n" KEY_TOO "\",\"d\":\"\\n" KEY "\"}"), 0);
	CHECK_STR(listed(&f), STR("1:19 S_MARK /b: this string is marked\n1:32 S_SECRET /c: "
				  RESEMBLES("string") ", and there is 1 more in it"
				  "\n1:121 S_SECRET /d: " RESEMBLES("string")));
	check_all_hidden(&f);
	arena_free(&f.arena);
}

TEST(no_other_finding_shows_a_key_either)
{
	/* a wrong type with the key at every distance from where a message is cut; an unknown name; not an object */
	for (int before = 0; before < 70; before++) {
		char text[300];
		struct check_feed f;

		test_case("%d bytes before it", before);
		snprintf(text, sizeof(text), "{\"number\":\"%.*s" KEY "\",\"%.*s" KEY_TOO "\":1}\n", before,
			 "---------------------------------------------------------------------", before,
			 "                                                                     ");
		check_feed(&f, &number, str_from(text), 0);
		CHECK_INT(f.findings.kept_count, 2);
		check_all_hidden(&f);
		arena_free(&f.arena);
	}
}

TEST(keys_are_found_in_the_chunk_they_are_in_also_in_thousands_of_records)
{
	struct check_options options = { .mode = MODE_DEFAULT, .secrets = true, .finding_limit = 5 };
	struct buf text;

	buf_init(&text);
	for (int i = 0; i < 3000; i++)
		buf_printf(&text, "{\"a%d\":[\"x\",\"%s\"]}\n", i, i % 30 == 7 ? KEY : "y");
	for (size_t lines = 0; lines < 200; lines += 99) {
		struct check_feed f;

		check_feed_with(&f, &other, &options, buf_str(&text), lines);
		CHECK_INT(check_feed_count(&f, "V003"), 100);
		CHECK_INT(f.findings.kept_count, 5);
		for (size_t i = 0; i < 5; i++) {
			CHECK_INT(f.findings.kept[i].at.line, i * 30 + 8);
			CHECK_STR(f.findings.kept[i].pointer, arena_printf(&f.arena, "/a%zu/1", i * 30 + 7));
		}
		arena_free(&f.arena);
	}
	buf_free(&text);
}

/* ---- the memory for clean strings ---- */

static void remember(struct record_scan *s, struct val root, void *fact)
{
	uint64_t ticket, other_ticket;

	(void)root;
	(void)fact;
	CHECK(!record_is_clean(s, STR("a"), 0, &ticket));
	CHECK(!record_is_clean(s, STR("a"), 0, &ticket)); /* asking is not marking */
	record_mark_clean(s, ticket);
	CHECK(record_is_clean(s, STR("a"), 0, &ticket));
	CHECK(!record_is_clean(s, STR("a"), 1, &other_ticket)); /* in another way */
	CHECK(ticket != other_ticket);
	CHECK(!record_is_clean(s, STR("b"), 0, &other_ticket));
	CHECK(!record_is_clean(s, STR(""), 0, &other_ticket));
	record_mark_clean(s, other_ticket);
	CHECK(record_is_clean(s, STR(""), 0, &other_ticket));
	for (int i = 0; i < 100000; i++) { /* it may forget, and must not make up */
		char text[20];
		uint64_t t;

		snprintf(text, sizeof(text), "string %d", i);
		CHECK(!record_is_clean(s, str_from(text), 3, &t));
		record_mark_clean(s, t);
		CHECK(record_is_clean(s, str_from(text), 3, &t));
	}
	record_note(s, NOW, VAL_NONE, "done");
}

static const struct record_format memory_format = FORMAT(RECORD_NO_RULE, remember, .fact_size = 0);
static const struct dialect memory = DIALECT(memory_format);

TEST(a_string_is_clean_when_it_was_marked_and_not_otherwise)
{
	struct check_feed f;

	check_feed(&f, &memory, STR("{}"), 0);
	CHECK_INT(check_feed_count(&f, "S_NOW"), 1);
	arena_free(&f.arena);
}

TEST(keys_that_could_not_be_looked_for_are_told_once_for_a_file)
{
	struct check_options options = { .mode = MODE_DEFAULT };
	void *scanner = own.ops->scanner_open(&own, &options), *batch = own.ops->batch_open(&own);
	void *fold = own.ops->fold_open(&own, &options);
	struct check_chunk in = { .first_line = 1, .lines = true };
	struct check_feed f;
	char *held = NULL;

	((struct record_scanner *)scanner)->no_secrets = true; /* as on a machine where the search cannot run */
	arena_init(&f.arena);
	findings_init(&f.findings, &f.arena, 0);
	own.ops->begin(fold, &f.findings);
	for (int chunk = 0; chunk < 2; chunk++) {
		in.bytes = STR("{\"a\":\"" KEY "\"}\n");
		check_feed_chunk(own.ops, scanner, batch, fold, in, &held);
		in.first_line++;
		in.origin += in.bytes.n;
	}
	own.ops->finish(fold, &f.tally);
	CHECK_STR(check_feed_list(&f), STR("0:V004"));
	CHECK_INT(f.findings.warnings, 1);
	free(held);
	own.ops->scanner_close(scanner);
	own.ops->batch_close(batch);
	own.ops->fold_close(fold);
	arena_free(&f.arena);
}
