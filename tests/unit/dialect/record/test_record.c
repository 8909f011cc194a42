#include "dialect/record/record.h"

#include "base/utf8.h"
#include "dialect/record/scan.h"
#include "unit/dialect/check_feed.h"

/* ---- a format of every kind of row ---- */

enum rules { UTF8, SYNTAX, DUPLICATE, NOT_OBJECT, MISSING, TYPE, UNKNOWN, VALUE, NEGATIVE, RANGE, WORD_, STAMP, HAND };

#define RULE(code_, severity_) { .code = code_, .severity = severity_ }

static const struct rule rules[] = {
	RULE("R000", SEV_ERROR),   RULE("R001", SEV_ERROR),   RULE("R002", SEV_ERROR),   RULE("R003", SEV_ERROR),
	RULE("R004", SEV_ERROR),   RULE("R005", SEV_ERROR),   RULE("R006", SEV_WARNING), RULE("R007", SEV_ERROR),
	RULE("R008", SEV_ERROR),   RULE("R009", SEV_ERROR),   RULE("R010", SEV_ERROR),   RULE("R011", SEV_ERROR),
	RULE("R012", SEV_INFO),    { .code = NULL },
};

#define F(name_, types_, ...) { .name = name_, .types = types_, .need = __VA_ARGS__ }

static const struct field leaf_fields[] = {
	F("n", T_INTEGER, FIELD_REQUIRED, .check = CHECK_NOT_NEGATIVE, .rule = NEGATIVE),
	F("s", T_STRING, FIELD_OPTIONAL, .check = CHECK_NOT_EMPTY, .rule = VALUE),
};
static const struct record_type leaf = { .name = "leaf", RECORD_TYPE(leaf_fields), .closed = true };
static const struct field any_leaf = { .name = "a leaf", .types = T_OBJECT, .object = &leaf };

static const struct field inner_fields[] = {
	F("x", T_INTEGER, FIELD_REQUIRED),
	F("leaf", T_OBJECT, FIELD_EXTRA, .object = &leaf),
	F("leaves", T_ARRAY, FIELD_EXTRA, .each = &any_leaf),
};
static const struct record_type inner = { .name = "inner", RECORD_TYPE(inner_fields) };

static const struct field nameless = { .types = T_STRING, .check = CHECK_NOT_EMPTY, .rule = VALUE };
static const struct field count_field = {
	.name = "a count", .types = T_INTEGER, .check = CHECK_NOT_NEGATIVE, .rule = NEGATIVE,
};
static const struct field row_field = { .name = "a row", .types = T_ARRAY, .each = &count_field };

#define ANY_COLOR "red, dark green, bl\xc3\xa5 or a colour of many letters"
#define COLORS WORDS(WORD("red"), WORD("dark green"), WORD("bl\xc3\xa5"), WORD("a colour of many letters"))

static const struct field thing_fields[] = {
	F("id", T_STRING, FIELD_REQUIRED, .check = CHECK_NOT_EMPTY, .rule = VALUE),
	F("void", T_STRING | T_NULL, FIELD_REQUIRED),
	F("flag", T_BOOL, FIELD_EXTRA),
	F("number", T_NUMBER, FIELD_EXTRA),
	F("count", T_INTEGER, FIELD_EXTRA, .check = CHECK_NOT_NEGATIVE, .rule = NEGATIVE),
	F("whole", T_INTEGER, FIELD_EXTRA),
	F("share", T_NUMBER, FIELD_EXTRA, .check = CHECK_RANGE, .rule = RANGE, .min = 0, .max = 1),
	F("title", T_STRING, FIELD_EXTRA, .check = CHECK_NOT_BLANK, .rule = VALUE),
	F("text", T_STRING, FIELD_OPTIONAL),
	F("color", T_STRING, FIELD_EXTRA, .check = CHECK_WORD, .rule = WORD_, .words = COLORS),
	F("shade", T_STRING | T_BOOL, FIELD_EXTRA, .check = CHECK_WORD, .rule = WORD_, .words = COLORS),
	F("when", T_STRING, FIELD_EXTRA, .check = CHECK_STAMP, .rule = STAMP),
	F("list", T_ARRAY, FIELD_EXTRA, .each = &nameless),
	F("map", T_OBJECT, FIELD_EXTRA, .each = &count_field),
	F("grid", T_ARRAY | T_OBJECT, FIELD_EXTRA, .each = &row_field),
	F("inner", T_OBJECT, FIELD_EXTRA, .object = &inner),
	F("both", T_STRING | T_ARRAY, FIELD_EXTRA, .each = &nameless),
	F("code", T_INTEGER | T_STRING, FIELD_EXTRA, .check = CHECK_NOT_NEGATIVE, .rule = NEGATIVE),
	F("cost", T_NUMBER | T_OBJECT, FIELD_EXTRA, .check = CHECK_NOT_NEGATIVE, .rule = NEGATIVE),
	F("hand", T_OBJECT, FIELD_EXTRA, .object = &inner, .by_hand = true),
	F("word", T_STRING, FIELD_EXTRA, .check = CHECK_WORD, .rule = WORD_, .words = COLORS, .by_hand = true),
	F("tally", T_INTEGER, FIELD_EXTRA, .by_hand = true),
	F("any", T_ANY, FIELD_EXTRA),
	F("level", T_STRING | T_NULL, FIELD_EXTRA, .check = CHECK_WORD, .rule = WORD_, .words = COLORS),
};
#define FIELDS (sizeof(thing_fields) / sizeof(thing_fields[0]))

static const struct record_type thing = { .name = "thing", RECORD_TYPE(thing_fields) };

/* The fact: what at[] points to, a letter each. */
struct seen {
	char types[RECORD_FIELDS + 1];
};

static char letter_of(const struct record_scan *s, uint32_t at)
{
	return at ? "?0ftnsao"[val_type(record_at(s, at))] : '-';
}

static void check_by(struct record_scan *s, struct val root, const struct record_type *type, struct seen *seen)
{
	uint32_t at[RECORD_FIELDS];

	memset(at, 0xff, sizeof(at));
	CHECK(record_check_object(s, root, type, at));
	for (size_t i = 0; i < type->count; i++)
		seen->types[i] = letter_of(s, at[i]);
}

static void check_thing(struct record_scan *s, struct val root, void *fact)
{
	check_by(s, root, &thing, fact);
}

#define FORMAT(check_, ...) \
	{ .on_utf8 = UTF8, .on_syntax = SYNTAX, .on_duplicate = DUPLICATE, .on_not_object = NOT_OBJECT, \
	  .on_missing = MISSING, .on_type = TYPE, .on_unknown = UNKNOWN, .on_blank = RECORD_NO_RULE, \
	  .on_torn = RECORD_NO_RULE, .on_empty = RECORD_NO_RULE, .on_secret = RECORD_NO_RULE, \
	  .fact_size = sizeof(struct seen), .check = check_, __VA_ARGS__ }
#define DIALECT(format_) { .name = "toy", .rules = rules, .ops = &record_ops, .record = &format_ }

static const struct record_format plain_format = FORMAT(check_thing, .strict_wants_optional = false);
static const struct record_format strict_format = FORMAT(check_thing, .strict_wants_optional = true);
static const struct dialect plain = DIALECT(plain_format), strict = DIALECT(strict_format);

/* ---- one chunk, scanned ---- */

struct run {
	struct record_scanner *scanner;
	struct record_batch *batch;
	struct arena arena;
	char *text;
};

static void run_open(struct run *r, const struct dialect *d, enum check_mode mode)
{
	struct check_options options = { .mode = mode };

	r->scanner = d->ops->scanner_open(d, &options);
	r->batch = d->ops->batch_open(d);
	arena_init(&r->arena);
	r->text = NULL;
}

static void run_scan(struct run *r, struct str text)
{
	struct check_chunk in = { .first_line = 1, .lines = true };

	free(r->text);
	r->text = malloc(text.n + JSON_PAD);
	CHECK(r->text != NULL);
	memcpy(r->text, text.p, text.n);
	memset(r->text + text.n, 0, JSON_PAD);
	in.bytes = str_of(r->text, text.n);
	record_ops.scan(r->scanner, &in, r->batch);
}

static void run_close(struct run *r)
{
	record_ops.scanner_close(r->scanner);
	record_ops.batch_close(r->batch);
	arena_free(&r->arena);
	free(r->text);
}

static const struct seen *seen_at(const struct run *r, size_t i)
{
	return (const struct seen *)(const void *)r->batch->facts.p + i;
}

/* "7 R005 /count what is wrong", a line for each finding that is not about padding. */
static struct str listed(struct run *r)
{
	struct findings *list = &r->batch->findings;
	struct buf out;
	struct str text;

	buf_init(&out);
	findings_sort(list);
	for (size_t i = 0; i < list->kept_count; i++) {
		const struct finding *f = &list->kept[i];

		if (!str_starts(f->pointer, STR("/pad")))
			buf_printf(&out, "%s%llu %s %.*s: %.*s", out.n ? "\n" : "", (unsigned long long)f->at.column,
				   f->code, STR_ARG(f->pointer), STR_ARG(f->message));
	}
	text = arena_copy(&r->arena, buf_str(&out));
	buf_free(&out);
	return text;
}

#define PADS 100

/* The same record with so many more members that it has no shape. */
static struct str padded(struct run *r, struct str record)
{
	struct buf out;
	struct str text;

	buf_init(&out);
	buf_add(&out, record.p, record.n - 1);
	for (unsigned i = 0; i < PADS; i++)
		buf_printf(&out, "%s\"pad%u\":null", record.n == 2 && i == 0 ? "" : ",", i);
	buf_add_byte(&out, '}');
	text = arena_copy(&r->arena, buf_str(&out));
	buf_free(&out);
	return text;
}

/* Both ways, twice with the same scanner: the second time it knows the shape. */
static void expect(const struct dialect *d, enum check_mode mode, const char *record, const char *expected)
{
	for (int times = 0; times < 2; times++) {
		struct run r;

		run_open(&r, d, mode);
		for (int again = 0; again < 2; again++) {
			struct str text = str_from(record);

			run_scan(&r, times ? padded(&r, text) : text);
			CHECK_STR(listed(&r), str_from(expected));
		}
		run_close(&r);
	}
}

/* ---- what rows say ---- */

#define WITH(members) "{\"id\":\"a\",\"void\":null," members "}" /* column 23 is where the members begin */

static const struct {
	const char *record, *expected;
} rows[] = {
	{ "{\"id\":\"a\",\"void\":\"\"}", "" },
	{ "{}", "1 R004 : thing has no id\n1 R004 : thing has no void" },
	{ "{\"void\":null}", "1 R004 : thing has no id" },
	{ "{\"id\":null,\"void\":null}", "7 R005 /id: id must be a string, found null" },
	{ "{\"id\":\"\",\"void\":1}",
	  "7 R007 /id: id must not be empty, found \"\"\n17 R005 /void: void must be a string or null, found 1" },
	{ WITH("\"flag\":null,\"color\":null,\"list\":null,\"inner\":null,\"hand\":null,\"count\":null"), "" },
	{ WITH("\"flag\":true"), "" },
	{ WITH("\"flag\":0"), "30 R005 /flag: flag must be true or false, found 0" },
	{ WITH("\"number\":-1.5e3"), "" },
	{ WITH("\"number\":\"1\""), "32 R005 /number: number must be a number, found \"1\"" },
	{ WITH("\"count\":1.0,\"whole\":1e3"), "" },
	{ WITH("\"count\":-0,\"whole\":-5"), "" },
	{ WITH("\"count\":123456789012345678901234567890,\"whole\":1e30"), "" },
	{ WITH("\"count\":-1"), "31 R008 /count: count must not be negative, found -1" },
	{ WITH("\"count\":-2.0"), "31 R008 /count: count must not be negative, found -2.0" },
	{ WITH("\"count\":1.5"), "31 R005 /count: count must be an integer, found 1.5" },
	{ WITH("\"count\":[]"), "31 R005 /count: count must be an integer, found an array" },
	{ WITH("\"share\":0,\"number\":0"), "" },
	{ WITH("\"share\":1.0"), "" },
	{ WITH("\"share\":-0.001"), "31 R009 /share: share must be from 0 to 1, found -0.001" },
	{ WITH("\"share\":1.001"), "31 R009 /share: share must be from 0 to 1, found 1.001" },
	{ WITH("\"share\":1e999"), "31 R009 /share: share must be from 0 to 1, found 1e999" },
	{ WITH("\"title\":\" a\""), "" },
	{ WITH("\"title\":\"-\""), "" },
	{ WITH("\"title\":\"\""), "31 R007 /title: title must have text in it, found \"\"" },
	{ WITH("\"title\":\" \\t\\u3000\""), "31 R007 /title: title must have text in it, found \" \\t\\u3000\"" },
	{ WITH("\"text\":\"\""), "" },
	{ WITH("\"color\":\"red\""), "" },
	{ WITH("\"color\":\"dark green\",\"shade\":\"a colour of many letters\""), "" },
	{ WITH("\"color\":\"\\u0072ed\",\"shade\":\"dark\\u0020green\""), "" },
	{ WITH("\"color\":\"bl\\u00e5\",\"shade\":\"bl\xc3\xa5\""), "" },
	{ WITH("\"shade\":true"), "" },
	{ WITH("\"level\":null"), "" },
	{ WITH("\"color\":\"rad\""),
	  "31 R010 /color: color must be " ANY_COLOR ", found \"rad\"" },
	{ WITH("\"color\":\"dark griin\""),
	  "31 R010 /color: color must be " ANY_COLOR ", found \"dark griin\"" },
	{ WITH("\"color\":\"a colour of nany letters\""),
	  "31 R010 /color: color must be " ANY_COLOR ", found \"a colour of nany letters\"" },
	{ WITH("\"color\":\"\\u0072e\""),
	  "31 R010 /color: color must be " ANY_COLOR ", found \"\\u0072e\"" },
	{ WITH("\"color\":\"\""),
	  "31 R010 /color: color must be " ANY_COLOR ", found \"\"" },
	{ WITH("\"color\":\"-ed\""),
	  "31 R010 /color: color must be " ANY_COLOR ", found \"-ed\"" },
	{ WITH("\"when\":\"2025-01-31T23:59:59Z\""), "" },
	{ WITH("\"when\":\"2025-01-31T23:59:59.5+01:00\""), "" },
	{ WITH("\"when\":\"2025-01-31T23:59:59\""), "30 R011 /when: when must be an RFC 3339 time with Z or an offset, "
	  "found \"2025-01-31T23:59:59\"" },
	{ WITH("\"list\":[\"a\",\"\",3]"), "35 R007 /list/1: an element must not be empty, found \"\"\n"
	  "38 R005 /list/2: an element must be a string, found 3" },
	{ WITH("\"list\":[null]"), "31 R005 /list/0: an element must be a string, found null" },
	{ WITH("\"map\":{\"a\":1,\"b/c\":-1,\"d\":null}"), "42 R008 /map/b~1c: a count must not be negative, found -1\n"
	  "49 R005 /map/d: a count must be an integer, found null" },
	{ WITH("\"grid\":[[1],{},[\"\"]]"), "35 R005 /grid/1: a row must be an array, found an object\n"
	  "39 R005 /grid/2/0: a count must be an integer, found \"\"" },
	{ WITH("\"grid\":{\"a\":[-1]}"), "36 R008 /grid/a/0: a count must not be negative, found -1" },
	{ WITH("\"inner\":{}"), "31 R004 /inner: inner has no x" },
	{ WITH("\"inner\":{\"x\":1,\"other\":1}"), "" },
	{ WITH("\"inner\":{\"x\":1,\"leaf\":{\"n\":-1,\"other\":1}}"),
	  "50 R008 /inner/leaf/n: n must not be negative, found -1\n"
	  "53 R006 /inner/leaf/other: \"other\" is not a field of leaf" },
	{ WITH("\"inner\":{\"x\":1,\"leaves\":[{\"n\":1},{\"n\":2,\"s\":\"\"},{}]}"),
	  "67 R007 /inner/leaves/1/s: s must not be empty, found \"\"\n71 R004 /inner/leaves/2: leaf has no n" },
	{ WITH("\"both\":\"\""), "" },
	{ WITH("\"both\":[\"\"]"), "31 R007 /both/0: an element must not be empty, found \"\"" },
	{ WITH("\"both\":1"), "30 R005 /both: both must be a string or an array, found 1" },
	{ WITH("\"code\":\"-x\""), "" },
	{ WITH("\"code\":2.0"), "" },
	{ WITH("\"code\":-2"), "30 R008 /code: code must not be negative, found -2" },
	{ WITH("\"code\":2.5"), "30 R005 /code: code must be a string or an integer, found 2.5" },
	{ WITH("\"cost\":{\"usd\":-1}"), "" },
	{ WITH("\"cost\":-1"), "30 R008 /cost: cost must not be negative, found -1" },
	{ WITH("\"cost\":\"1\""), "30 R005 /cost: cost must be a number or an object, found \"1\"" },
	{ WITH("\"hand\":{\"x\":\"not looked at\"},\"word\":\"no colour\""), "" },
	{ WITH("\"hand\":[]"), "30 R005 /hand: hand must be an object, found an array" },
	{ WITH("\"word\":7"), "" },
	{ WITH("\"tally\":1.0"), "" },
	{ WITH("\"tally\":1.5"), "31 R005 /tally: tally must be an integer, found 1.5" },
	{ WITH("\"any\":null,\"unknown\":[{}]"), "" },
	{ "{\"i\\u0064\":1,\"\\u0076oid\":null}", "12 R005 /id: id must be a string, found 1" },
	{ "{\"id\":\"\xc3\xa5\xc3\xa5\",\"void\":1}", "19 R005 /void: void must be a string or null, found 1" },
	{ WITH("\"number\":\"0123456789012345678901234567890123456789012345678901234567\""),
	  "32 R005 /number: number must be a number, "
	  "found \"0123456789012345678901234567890123456789012345678901234567\"" },
	{ WITH("\"number\":\"01234567890123456789012345678901234567890123456789012345678\xc3\xa5\""),
	  "32 R005 /number: number must be a number, "
	  "found \"01234567890123456789012345678901234567890123456789012345678..." },
	{ WITH("\"number\":\"0123456789012345678901234567890123456789012345678901234567\xc3\xa5\xc3\xa5\""),
	  "32 R005 /number: number must be a number, "
	  "found \"0123456789012345678901234567890123456789012345678901234567..." },
};

TEST(a_row_that_is_broken_is_a_finding_at_its_place_with_or_without_a_shape)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		test_case("%s", rows[i].record);
		for (int mode = MODE_DEFAULT; mode <= MODE_PERMISSIVE; mode++)
			expect(&plain, (enum check_mode)mode, rows[i].record, rows[i].expected);
		expect(&strict, MODE_DEFAULT, rows[i].record, rows[i].expected);
		expect(&strict, MODE_PERMISSIVE, rows[i].record, rows[i].expected);
	}
}

TEST(a_strict_format_wants_what_is_optional_and_knows_every_name)
{
	static const struct {
		const char *record, *expected;
	} cases[] = {
		{ "{\"id\":\"a\",\"void\":null,\"text\":\"\"}", "" },
		{ "{\"id\":\"a\",\"void\":null,\"text\":null}", "" },
		{ "{\"id\":\"a\",\"void\":null}", "1 R004 : thing has no text" },
		{ "{\"id\":\"a\",\"void\":null,\"text\":\"\",\"more\":{\"x\":1}}",
		  "33 R006 /more: \"more\" is not a field of thing" },
		{ "{\"id\":\"a\",\"void\":null,\"text\":\"\",\"mo\\u0072e\":0}",
		  "33 R006 /more: \"more\" is not a field of thing" },
		{ "{\"id\":\"a\",\"void\":null,\"text\":\"\",\"inner\":{\"x\":1,\"y\":1,\"leaf\":{\"n\":1}}}",
		  "48 R006 /inner/y: \"y\" is not a field of inner\n61 R004 /inner/leaf: leaf has no s" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].record);
		expect(&strict, MODE_STRICT, cases[i].record, cases[i].expected);
	}
}

TEST(a_long_unknown_name_is_cut_between_characters)
{
	for (int skip = 0; skip < 3; skip++) { /* the cut falls on each byte of a character */
		char name[200] = "xx", record[400];
		struct run r;

		for (size_t i = 0; i < 40; i++)
			memcpy(name + skip + 3 * i, "\xe2\x82\xac", 4);
		snprintf(record, sizeof(record), "{\"id\":\"a\",\"void\":null,\"text\":\"\",\"%s\":1}", name);
		run_open(&r, &strict, MODE_STRICT);
		run_scan(&r, str_from(record));
		CHECK_INT(r.batch->findings.kept_count, 1);
		CHECK(r.batch->findings.kept[0].message.n < 100);
		CHECK(utf8_check(r.batch->findings.kept[0].message) == r.batch->findings.kept[0].message.n);
		run_close(&r);
	}
}

/* ---- both ways agree ---- */

static const char *const values[] = {
	"null", "true", "false", "0", "-0", "-0.0", "1", "-1", "1.0", "1.5", "-1.5", "1e2", "1e-2", "1e400",
	"-1e400", "1e-400", "-1e-400", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
	"1e19", "0.5", "2", "\"\"", "\" \"", "\"-\"", "\"-1\"", "\"a\"", "\"red\"", "\"\\u0072ed\"",
	"\"dark green\"", "\"re\"", "\"redd\"", "\"\\u00a0\"", "\"2025-01-01T00:00:00Z\"",
	"\"\\u0032025-01-01T00:00:00Z\"", "\"\\ud800\"", "\"\\u0000\"", "[]", "[1]", "[\"a\"]", "[\"\"]",
	"[[1],[-1]]", "[{}]", "{}", "{\"a\":1}", "{\"a\":-1.0}", "{\"x\":1}", "{\"x\":1.5,\"leaf\":{}}",
	"{\"x\":1,\"leaves\":[{\"n\":1},{\"n\":1,\"m\":[]},7]}", "{\"a\":[1,\"x\"]}",
};

static void agree(const struct dialect *d, enum check_mode mode, const char *record)
{
	struct run fast, slow;

	run_open(&fast, d, mode);
	run_open(&slow, d, mode);
	run_scan(&fast, str_from(record));
	run_scan(&slow, padded(&slow, str_from(record)));
	CHECK_STR(listed(&fast), listed(&slow));
	CHECK_STR(str_from(seen_at(&fast, 0)->types), str_from(seen_at(&slow, 0)->types));
	run_close(&fast);
	run_close(&slow);
}

TEST(every_field_with_every_value_is_the_same_with_and_without_a_shape)
{
	for (size_t f = 0; f < FIELDS; f++)
		for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			char record[300];

			snprintf(record, sizeof(record), "{%s%s\"%s\":%s}", f == 0 ? "" : "\"id\":\"a\",",
				 f == 1 ? "" : "\"void\":\"\",", thing_fields[f].name, values[v]);
			test_case("%s", record);
			agree(&plain, MODE_DEFAULT, record);
			if (v % 5 == f % 5) /* it takes its time: the padding is findings too */
				agree(&strict, MODE_STRICT, record);
		}
}

/*
 * A scanner remembers how the last value of a place looked. So every value comes after every other, and gives
 * what it gives alone and without a shape. Findings are only counted.
 */
static void check_pairs(const struct dialect *d, const char *name)
{
	enum { VALUES = sizeof(values) / sizeof(values[0]) };
	struct seen alone[VALUES];
	uint64_t errors[VALUES], sum = 0;
	struct run r;
	struct buf text;

	buf_init(&text);
	for (size_t v = 0; v < VALUES; v++) {
		char record[200];

		run_open(&r, d, MODE_DEFAULT);
		snprintf(record, sizeof(record), "{\"%s\":%s}", name, values[v]);
		run_scan(&r, padded(&r, str_from(record)));
		alone[v] = *seen_at(&r, 0);
		errors[v] = r.batch->findings.errors;
		run_close(&r);
	}
	for (size_t i = 0; i < VALUES * VALUES; i++) {
		buf_printf(&text, "{\"%s\":%s}\n{\"%s\":%s}\n", name, values[i / VALUES], name, values[i % VALUES]);
		sum += errors[i / VALUES] + errors[i % VALUES];
	}
	run_open(&r, d, MODE_DEFAULT);
	r.scanner->options.finding_limit = 1;
	run_scan(&r, buf_str(&text));
	for (size_t i = 0; i < 2 * VALUES * VALUES; i++) {
		size_t v = i % 2 ? i / 2 % VALUES : i / 2 / VALUES;

		test_case("%s: %s, line %zu", name, values[v], i + 1);
		CHECK_STR(str_from(seen_at(&r, i)->types), str_from(alone[v].types));
	}
	CHECK_INT(r.batch->findings.errors, sum);
	run_close(&r);
	buf_free(&text);
}

TEST(a_value_is_judged_alone_whatever_came_before_it)
{
	for (size_t f = 0; f < FIELDS; f++)
		check_pairs(&plain, thing_fields[f].name);
	check_pairs(&plain, "unknown");
}

/* ---- what must be there and may be null; words in number ---- */

#define TEN_WORDS(n) \
	WORD(n "0"), WORD(n "1"), WORD(n "2"), WORD(n "3"), WORD(n "4"), WORD(n "5"), WORD(n "6"), WORD(n "7"), \
	WORD(n "8"), WORD(n "9")
#define FORTY(n) WORDS(TEN_WORDS(n "0"), TEN_WORDS(n "1"), TEN_WORDS(n "2"), TEN_WORDS(n "red"), WORD("red"))
#define HALF "12345678"
#define LENGTHS WORDS(WORD("r"), WORD("re"), WORD("red"), WORD("redd"), WORD("reddish"), WORD(HALF), WORD(HALF "9"), \
		      WORD(HALF HALF), WORD(HALF "x" HALF), WORD("dark green"))

#define OR_NULL(name_, types_, ...) F(name_, (types_) | T_NULL, FIELD_REQUIRED, __VA_ARGS__)

static const struct field nullable_fields[] = {
	OR_NULL("n", T_INTEGER, .check = CHECK_NOT_NEGATIVE, .rule = NEGATIVE),
	OR_NULL("b", T_BOOL, .check = CHECK_NONE),
	OR_NULL("rank", T_STRING, .check = CHECK_WORD, .rule = WORD_, .words = COLORS),
	OR_NULL("title", T_STRING, .check = CHECK_NOT_BLANK, .rule = VALUE),
	OR_NULL("share", T_NUMBER, .check = CHECK_RANGE, .rule = RANGE, .max = 1),
	OR_NULL("leaf", T_OBJECT, .object = &leaf),
	OR_NULL("list", T_ARRAY, .each = &nameless),
	OR_NULL("hand", T_STRING, .check = CHECK_WORD, .rule = WORD_, .words = COLORS, .by_hand = true),
	F("first", T_STRING, FIELD_REQUIRED, .check = CHECK_WORD, .rule = WORD_, .words = FORTY("a")),
	F("second", T_STRING, FIELD_REQUIRED, .check = CHECK_WORD, .rule = WORD_, .words = FORTY("")),
	F("lengths", T_STRING, FIELD_REQUIRED, .check = CHECK_WORD, .rule = WORD_, .words = LENGTHS),
};
static const struct record_type nullable_type = { .name = "nullable", RECORD_TYPE(nullable_fields) };

static void check_nullable(struct record_scan *s, struct val root, void *fact)
{
	check_by(s, root, &nullable_type, fact);
}

static const struct record_format nullable_format = FORMAT(check_nullable, .strict_wants_optional = true);
static const struct dialect nullable = DIALECT(nullable_format);

#define REST "\"title\":null,\"share\":null,\"leaf\":null,\"list\":null,\"hand\":null,"
#define NULLS "\"n\":null,\"b\":null,\"rank\":null," REST
#define ALL_OF(first, second, lengths) \
	"{" NULLS "\"first\":\"" first "\",\"second\":\"" second "\",\"lengths\":\"" lengths "\"}"

TEST(a_required_member_may_be_null_where_the_row_says_so)
{
	expect(&nullable, MODE_DEFAULT, ALL_OF("a00", "29", "r"), "");
	expect(&nullable, MODE_STRICT, ALL_OF("ared9", "red", "dark green"), "");
	expect(&nullable, MODE_DEFAULT, "{" REST "\"n\":-1,\"b\":0,\"rank\":\"\",\"first\":\"red\",\"second\":\"red0\","
	       "\"lengths\":null}", "68 R008 /n: n must not be negative, found -1\n"
	       "75 R005 /b: b must be true or false or null, found 0\n"
	       "84 R010 /rank: rank must be " ANY_COLOR ", found \"\"\n"
	       "127 R005 /lengths: lengths must be a string, found null");
	for (size_t f = 0; f < nullable_type.count; f++)
		check_pairs(&nullable, nullable_fields[f].name);
}

TEST(a_word_is_one_of_many_of_any_length)
{
	static const struct {
		const char *word;
		bool known;
	} cases[] = {
		{ "r", true },         { "re", true },           { "redd", true },        { "reddish", true },
		{ HALF, true },        { HALF "9", true },       { HALF HALF, true },     { HALF "x" HALF, true },
		{ "e", false },        { "er", false },          { "reddis", false },     { "1234567", false },
		{ "12345679", false }, { HALF "8", false },      { HALF "1" HALF, false }, { HALF HALF "8", false },
		{ "22345678", false }, { HALF "1234567", false }, { "r ", false },         { "r\\u0000", false },
		{ "", false },         { "\\u0072e", true },     { "\\u0072r", false },    { "1234567\\u0038", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int pad = 0; pad < 2; pad++) {
			char record[200];
			struct run r;

			test_case("%s", cases[i].word);
			snprintf(record, sizeof(record), ALL_OF("a00", "00", "%s"), cases[i].word);
			run_open(&r, &nullable, MODE_DEFAULT);
			run_scan(&r, pad ? padded(&r, str_from(record)) : str_from(record));
			CHECK_INT(r.batch->findings.errors, !cases[i].known);
			CHECK_INT(seen_at(&r, 0)->types[10], cases[i].known ? 's' : '-');
			run_close(&r);
		}
}

TEST(places_are_given_for_values_that_are_there_and_right)
{
	static const struct {
		const char *members, *field;
		char letter;
	} cases[] = {
		{ "\"flag\":true", "flag", 't' },       { "\"flag\":null", "flag", '-' },
		{ "\"flag\":1", "flag", '-' },          { "\"text\":\"\"", "flag", '-' },
		{ "\"text\":\"\"", "text", 's' },       { "\"count\":-1", "count", '-' },
		{ "\"count\":1.5", "count", '-' },      { "\"count\":1", "count", 'n' },
		{ "\"share\":2", "share", '-' },        { "\"share\":1", "share", 'n' },
		{ "\"color\":\"x\"", "color", '-' },    { "\"color\":\"red\"", "color", 's' },
		{ "\"inner\":{}", "inner", 'o' },       { "\"list\":[1]", "list", 'a' },
		{ "\"hand\":{\"x\":[]}", "hand", 'o' }, { "\"hand\":1", "hand", '-' },
		{ "\"word\":\"x\"", "word", 's' },      { "\"word\":7", "word", 'n' },
		{ "\"word\":null", "word", '-' },       { "\"tally\":1.5", "tally", '-' },
		{ "\"any\":null", "any", '-' },         { "\"any\":{}", "any", 'o' },
		{ "\"flag\":true", "void", '-' },       { "\"level\":null", "level", '-' },
		{ "\"when\":\"\"", "when", '-' },       { "\"flag\":true", "id", 's' },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char record[200];
		struct run r;

		snprintf(record, sizeof(record), "{\"id\":\"a\",\"void\":null,%s}", cases[i].members);
		test_case("%s for %s", record, cases[i].field);
		for (int times = 0; times < 2; times++) {
			size_t f = 0;

			run_open(&r, &plain, MODE_DEFAULT);
			run_scan(&r, times ? padded(&r, str_from(record)) : str_from(record));
			while (strcmp(thing_fields[f].name, cases[i].field) != 0)
				f++;
			CHECK_INT(seen_at(&r, 0)->types[f], cases[i].letter);
			run_close(&r);
		}
	}
}

/* ---- sixty-four fields ---- */

#define ROW(n) F("f" n, T_INTEGER, FIELD_REQUIRED)
#define EIGHT(n) ROW(n "0"), ROW(n "1"), ROW(n "2"), ROW(n "3"), ROW(n "4"), ROW(n "5"), ROW(n "6"), ROW(n "7")

static const struct field wide_fields[] = {
	EIGHT("0"), EIGHT("1"), EIGHT("2"), EIGHT("3"), EIGHT("4"), EIGHT("5"), EIGHT("6"), EIGHT("7"),
};
static const struct record_type wide_type = { .name = "wide", RECORD_TYPE(wide_fields), .closed = true };

static void check_wide(struct record_scan *s, struct val root, void *fact)
{
	check_by(s, root, &wide_type, fact);
}

static const struct record_format wide_format = FORMAT(check_wide, .strict_wants_optional = false);
static const struct dialect wide = DIALECT(wide_format);

/* All fields but one, which has `value` (or is not there for NULL). */
static void scan_wide(struct run *r, size_t odd, const char *value, bool pad)
{
	struct buf out;
	struct str text;

	buf_init(&out);
	for (size_t i = 0; i < RECORD_FIELDS; i++)
		if (i != odd || value)
			buf_printf(&out, "%c\"%s\":%s", out.n ? ',' : '{', wide_fields[i].name, i == odd ? value : "1");
	buf_add_byte(&out, '}');
	text = arena_copy(&r->arena, buf_str(&out));
	buf_free(&out);
	run_scan(r, pad ? padded(r, text) : text);
}

TEST(a_type_may_have_sixty_four_fields)
{
	CHECK_INT(wide_type.count, RECORD_FIELDS);
	for (int pad = 0; pad < 2; pad++) {
		struct run r;
		char expected[100];

		run_open(&r, &wide, MODE_DEFAULT);
		for (size_t i = 0; i < RECORD_FIELDS; i++) {
			test_case("field %zu", i);
			scan_wide(&r, i, "0", pad);
			CHECK_STR(listed(&r), STR(""));
			scan_wide(&r, i, NULL, pad);
			snprintf(expected, sizeof(expected), "1 R004 : wide has no %s", wide_fields[i].name);
			CHECK_STR(listed(&r), str_from(expected));
			CHECK_INT(r.batch->findings.warnings, pad ? PADS : 0);
			scan_wide(&r, i, "\"\"", pad);
			snprintf(expected, sizeof(expected), "%zu R005 /%s: %s must be an integer, found \"\"",
				 8 + 8 * i, wide_fields[i].name, wide_fields[i].name);
			CHECK_STR(listed(&r), str_from(expected));
			CHECK_INT(seen_at(&r, 0)->types[i], '-');
			CHECK_INT(seen_at(&r, 0)->types[(i + 1) % RECORD_FIELDS], 'n');
		}
		run_scan(&r, STR("{}"));
		CHECK_INT(r.batch->findings.errors, RECORD_FIELDS);
		run_close(&r);
	}
}

/* ---- more shapes than can be remembered ---- */

/* Fields at changing places between names of its own. Every third lacks an id; every fifth has a wrong count. */
static void add_odd(struct buf *out, unsigned i)
{
	buf_printf(out, "{\"n%u\":0", i);
	if (i % 2)
		buf_printf(out, ",\"void\":null,\"m%u\":[]", i % 977);
	if (i % 5)
		buf_printf(out, ",\"count\":%u", i);
	else
		buf_add_str(out, STR(",\"count\":\"\""));
	for (unsigned k = 0; k < i % 7; k++)
		buf_printf(out, ",\"k%u.%u\":{}", k, i);
	if (i % 3)
		buf_add_str(out, STR(",\"id\":\"a\""));
	buf_printf(out, "%s}\n", i % 2 ? "" : ",\"void\":\"\"");
}

static void check_odd(const struct run *r, unsigned count)
{
	const struct findings *list = &r->batch->findings;
	size_t at = 0;

	CHECK_INT(r->batch->records, count);
	for (unsigned i = 0; i < count; i++) {
		if (i % 5 == 0) {
			CHECK(at < list->kept_count);
			CHECK_INT(list->kept[at].at.line, i + 1);
			CHECK_STR(str_from(list->kept[at].code), STR("R005"));
			CHECK_STR(list->kept[at++].pointer, STR("/count"));
		}
		if (i % 3 == 0) {
			CHECK(at < list->kept_count);
			CHECK_INT(list->kept[at].at.line, i + 1);
			CHECK_STR(list->kept[at++].message, STR("thing has no id"));
		}
		CHECK_INT(seen_at(r, i)->types[0], i % 3 ? 's' : '-');
		CHECK_INT(seen_at(r, i)->types[1], i % 2 ? '-' : 's');
		CHECK_INT(seen_at(r, i)->types[4], i % 5 ? 'n' : '-');
	}
	CHECK_INT(at, list->kept_count);
}

TEST(answers_stay_right_when_shapes_and_layouts_are_forgotten)
{
	enum { COUNT = 30000 };
	struct buf text;
	struct run r;

	buf_init(&text);
	for (unsigned i = 0; i < COUNT; i++)
		add_odd(&text, i);
	run_open(&r, &plain, MODE_DEFAULT);
	for (int again = 0; again < 2; again++) {
		run_scan(&r, buf_str(&text));
		check_odd(&r, COUNT);
	}
	CHECK(r.scanner->epoch > 1); /* or it was no test */
	run_close(&r);
	buf_free(&text);
}

TEST(two_types_may_share_a_shape)
{
	static const char record[] = "{\"x\":1,\"n\":-1,\"inner\":{\"x\":1,\"n\":-1,\"leaf\":{\"x\":1,\"n\":-1}},"
				     "\"id\":\"\",\"void\":null}";

	for (int i = 0; i < 3; i++)
		expect(&plain, MODE_DEFAULT, record,
		       "45 R006 /inner/leaf/x: \"x\" is not a field of leaf\n"
		       "55 R008 /inner/leaf/n: n must not be negative, found -1\n"
		       "65 R007 /id: id must not be empty, found \"\"");
}

/* ---- values outside a table ---- */

static void check_alone(struct record_scan *s, struct val root, void *fact)
{
	struct val v = val_get(root, STR("v"));
	struct seen *seen = fact;
	uint32_t at[RECORD_FIELDS];

	for (size_t i = 0; i < FIELDS; i++)
		seen->types[i] = record_check_value(s, v, &thing_fields[i]) ? 'y' : 'n';
	memset(at, 0xff, sizeof(at));
	CHECK(record_check_object(s, v, &inner, at) == val_is(v, JSON_OBJECT));
	if (!val_is(v, JSON_OBJECT)) /* all places are cleared nevertheless */
		CHECK(at[0] == 0 && at[1] == 0 && at[2] == 0);
	CHECK(val_is_none(record_at(s, 0)));
}

static const struct record_format alone_format = FORMAT(check_alone, .strict_wants_optional = false);
static const struct dialect alone = DIALECT(alone_format);

TEST(a_value_is_checked_as_a_row_would_have_it)
{
	/* in the order of thing_fields: which rows take the value */
	static const struct {
		const char *value, *taken;
	} cases[] = {
		{ "null", "nyyyyyyyyyyyyyyyyyyyyyyy" },   { "true", "nnynnnnnnnynnnnnnnnnnnyn" },
		{ "1", "nnnyyyynnnnnnnnnnyynnyyn" },      { "-1", "nnnynynnnnnnnnnnnnnnnyyn" },
		{ "\"red\"", "yynnnnnyyyynnnnnyynnynyy" }, { "\"\"", "nynnnnnnynnnnnnnyynnnnyn" },
		{ "[]", "nnnnnnnnnnnnynynynnnnnyn" },     { "{}", "nnnnnnnnnnnnnyyynnyynnyn" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char record[100];
		struct run r;

		snprintf(record, sizeof(record), "{\"v\":%s}", cases[i].value);
		test_case("%s", record);
		run_open(&r, &alone, MODE_DEFAULT);
		run_scan(&r, str_from(record));
		CHECK_STR(str_from(seen_at(&r, 0)->types), str_from(cases[i].taken));
		run_close(&r);
	}
}

static void note_name(struct record_scan *s, struct val key)
{
	CHECK(val_is(key, JSON_KEY));
	record_note(s, HAND, key, "%.*s", STR_ARG(val_text(key, s->arena)));
}

static const struct record_format names_format = FORMAT(check_thing, .check_unknown = note_name);
static const struct dialect names = DIALECT(names_format);

TEST(the_format_is_shown_every_name_that_no_table_knows)
{
	static const char record[] = WITH("\"new\":1,\"map\":{\"free\":1},"
					  "\"inner\":{\"x\":1,\"y\":{\"z\":1},\"leaf\":{\"n\":1,\"\\u006d\":1}}");

	expect(&names, MODE_DEFAULT, record, "23 R012 /new: new\n63 R012 /inner/y: y\n"
	       "89 R006 /inner/leaf/m: \"m\" is not a field of leaf\n89 R012 /inner/leaf/m: m");
}
