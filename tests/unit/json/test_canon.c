#include "conformance.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/sha256.h"
#include "json/canon.h"
#include "json/lenient.h"

static struct str hex_of(char out[SHA256_HEX], struct str bytes)
{
	struct sha256 s;

	sha256_init(&s);
	digest_hex(out, sha256_of(&s, bytes));
	sha256_free(&s);
	return str_of(out, SHA256_HEX);
}

static bool canon(enum canon_profile profile, struct str text, struct buf *out, enum json_code *code)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct canon *c = canon_open(profile);
	struct json_issue issue;
	uint32_t at;
	struct val v;
	bool ok;

	if (!json_parse_copy(p, text, &v, &issue)) {
		*code = issue.code;
		ok = false;
	} else {
		ok = canon_value(c, v, out, &at, code);
	}
	canon_close(c);
	json_parser_close(p);
	return ok;
}

TEST(values_take_their_canonical_form)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "null", "null" },
		{ " [ ] ", "[]" },
		{ "{ }", "{}" },
		{ "{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}" },
		{ "{\"b\":{\"d\":1,\"c\":[{\"z\":1,\"y\":2},3]},\"a\":{}}", "{\"a\":{},\"b\":{\"c\":[{\"y\":2,\"z\":1},3],\"d\":1}}" },
		{ "\"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\"", "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"" },
		{ "\"\\ud83d\\ude00 \\u007f\\u2028\"", "\"😀 \x7f\xe2\x80\xa8\"" },
		{ "{\"\\ufb33\":1,\"\\ud83d\\ude00\":2}", "{\"\xf0\x9f\x98\x80\":2,\"\xef\xac\xb3\":1}" },
		{ "{\"\\u0061\\n\":1,\"a\\t\":2}", "{\"a\\t\":2,\"a\\n\":1}" },
		{ "[1.0,1e21,1e-7,-0,0.000001,1E2,333333333.33333329,1e-400,9007199254740993]",
		  "[1,1e+21,1e-7,0,0.000001,100,333333333.3333333,0,9007199254740992]" },
		{ "[true,false,null,\"\"]", "[true,false,null,\"\"]" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum json_code code;
		struct buf out;

		test_case("%s", cases[i].text);
		buf_init(&out);
		CHECK(canon(CANON_JCS, str_from(cases[i].text), &out, &code));
		CHECK_STR(buf_str(&out), str_from(cases[i].want));
		buf_free(&out);
	}
}

TEST(what_cannot_be_canonical_is_refused_with_its_code)
{
	static const struct { const char *text; enum canon_profile profile; enum json_code code; } cases[] = {
		{ "[1e400]", CANON_JCS, JSON_E_NUM_RANGE },
		{ "{\"a\":1,\"a\":1}", CANON_JCS, JSON_E_DUP_KEY },
		{ "\"\\udead\"", CANON_JCS, JSON_E_SURROGATE },
		{ "[1e-400]", CANON_OTUTL, JSON_E_NUM_UNDERFLOW },
		{ "9007199254740992", CANON_OTUTL, JSON_E_NUM_UNSAFE_INT },
		{ "-9007199254740993", CANON_OTUTL, JSON_E_NUM_UNSAFE_INT },
		{ "1e20", CANON_OTUTL, JSON_E_NUM_UNSAFE_INT },
		{ "12345678901234567890123", CANON_OTUTL, JSON_E_NUM_UNSAFE_INT },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum json_code code = JSON_OK;
		struct buf out;

		test_case("%s", cases[i].text);
		buf_init(&out);
		buf_add_str(&out, STR("kept"));
		CHECK(!canon(cases[i].profile, str_from(cases[i].text), &out, &code));
		CHECK_STR(str_from(json_code_name(code)), str_from(json_code_name(cases[i].code)));
		CHECK_STR(buf_str(&out), STR("kept"));
		buf_free(&out);
	}
}

TEST(the_profile_lets_safe_numbers_through)
{
	static const char *const cases[] = { "9007199254740991", "-9007199254740991", "1e21", "1E+22", "0", "-0.0", "1e-300", "0e-999" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum json_code code;
		struct buf out;

		test_case("%s", cases[i]);
		buf_init(&out);
		CHECK(canon(CANON_OTUTL, str_from(cases[i]), &out, &code));
		buf_free(&out);
	}
}

TEST(duplicates_and_lone_surrogates_that_the_parser_let_pass_are_refused)
{
	static const struct { const char *text; enum json_code code; } cases[] = {
		{ "{\"a\":1,\"b\":2,\"a\":1}", JSON_E_DUP_KEY },
		{ "[\"\\ud800\"]", JSON_E_SURROGATE },
		{ "{\"\\ud800\":1}", JSON_E_SURROGATE },
	};
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	struct canon *c = canon_open(CANON_JCS);
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum json_code code = JSON_OK;
		uint32_t at;
		struct val v;

		test_case("%s", cases[i].text);
		CHECK(json_parse_copy(p, str_from(cases[i].text), &v, NULL));
		CHECK(!canon_value(c, v, &out, &at, &code));
		CHECK_INT(code, cases[i].code);
	}
	buf_free(&out);
	canon_close(c);
	json_parser_close(p);
}

TEST(a_wide_object_is_sorted_like_a_narrow_one)
{
	enum json_code code;
	struct buf in, out;

	buf_init(&in);
	buf_init(&out);
	for (int i = 0; i < 300; i++)
		buf_printf(&in, "%c\"k%03d\":%d", i ? ',' : '{', 299 - i, i);
	buf_add_byte(&in, '}');
	CHECK(canon(CANON_JCS, buf_str(&in), &out, &code));
	CHECK(str_starts(buf_str(&out), STR("{\"k000\":299,\"k001\":298,")));
	CHECK(str_ends(buf_str(&out), STR(",\"k299\":0}")));
	buf_free(&in);
	buf_free(&out);
}

TEST(a_number_that_grows_never_runs_out_of_room)
{
	enum json_code code;
	struct buf in, out, want;

	buf_init(&in);
	buf_init(&out);
	buf_init(&want);
	for (int i = 0; i < 20000; i++) {
		buf_printf(&in, "%c1e20", i ? ',' : '[');
		buf_printf(&want, "%c100000000000000000000", i ? ',' : '[');
	}
	buf_add_byte(&in, ']');
	buf_add_byte(&want, ']');
	CHECK(canon(CANON_JCS, buf_str(&in), &out, &code));
	CHECK(str_eq(buf_str(&out), buf_str(&want)));
	buf_free(&in);
	buf_free(&out);
	buf_free(&want);
}

/* ---- corpora ---- */

static void check_hashes(const char *directory, const char *table, const char *hash_title)
{
	char root[1024], path[1200], hex[SHA256_HEX];
	struct str text;
	struct row header;
	size_t hash, file, same = 0, refused = 0;

	snprintf(root, sizeof(root), "%s", test_shared(directory));
	snprintf(path, sizeof(path), "%s/%s", root, table);
	text = test_read(path);
	header = row_split(str_cut(text, '\n', &text));
	file = row_find(&header, "file");
	hash = row_find(&header, hash_title);
	while (text.n) {
		struct row r = row_split(str_cut(text, '\n', &text));
		enum json_code code;
		struct buf out;
		bool ok;

		test_case("%.*s", STR_ARG(r.column[file]));
		buf_init(&out);
		ok = canon(CANON_JCS, row_file(root, r.column[file]), &out, &code);
		if (str_eq(r.column[hash], STR("-"))) {
			CHECK(!ok);
			refused++;
		} else {
			CHECK(ok);
			CHECK_STR(hex_of(hex, buf_str(&out)), r.column[hash]);
			same++;
		}
		buf_free(&out);
	}
	printf("  %s: %zu hashes equal, %zu refused\n", table, same, refused);
}

TEST(the_JSON_suites_get_every_canonical_hash)
{
	check_hashes("corpora/01-jsontestsuite/dev", "EXPECT.test_parsing.tsv", "jcs_sha256");
	check_hashes("corpora/01-jsontestsuite/dev", "EXPECT.test_transform.tsv", "jcs_sha256");
	check_hashes("corpora/01b-json-extra/dev", "EXPECT.tsv", "jcs_sha256");
}

TEST(the_published_vectors_match_byte_for_byte)
{
	char root[1024], path[1400];
	struct dirent *e;
	DIR *d;

	snprintf(root, sizeof(root), "%s", test_shared("corpora/02-rfc8785/dev/vectors"));
	snprintf(path, sizeof(path), "%s/input", root);
	d = opendir(path);
	CHECK(d);
	while ((e = readdir(d))) {
		struct str in, want;
		enum json_code code;
		struct buf out;

		if (e->d_name[0] == '.')
			continue;
		test_case("%s", e->d_name);
		snprintf(path, sizeof(path), "%s/input/%s", root, e->d_name);
		in = test_read(path);
		snprintf(path, sizeof(path), "%s/output/%s", root, e->d_name);
		want = test_read(path);
		buf_init(&out);
		CHECK(canon(CANON_JCS, in, &out, &code));
		CHECK_STR(buf_str(&out), want);
		buf_free(&out);
	}
	closedir(d);
}

static size_t base64(struct str s, char *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0, have = 0;
	size_t n = 0;

	for (size_t i = 0; i < s.n && s.p[i] != '='; i++) {
		bits = bits << 6 | (uint32_t)(strchr(digits, s.p[i]) - digits);
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[n++] = (char)(bits >> have);
		}
	}
	return n;
}

TEST(the_raw_cases_are_accepted_refused_and_written_as_published)
{
	struct str text = test_read(test_shared("corpora/02-rfc8785/dev/cases/raw_cases.jsonl"));
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct arena a;
	size_t accepted = 0, refused = 0;

	arena_init(&a);
	while (text.n) {
		struct str line = str_cut(text, '\n', &text), expect;
		char *raw = test_alloc(line.n);
		enum json_code code;
		struct buf out;
		struct val v;
		size_t n;
		bool ok;

		CHECK(json_parse_copy(p, line, &v, NULL));
		test_case("%.*s", STR_ARG(val_text(val_get(v, STR("id")), &a)));
		expect = val_text(val_get(v, STR("strict_expect")), &a);
		n = base64(val_text(val_get(v, STR("raw_b64")), &a), raw);
		buf_init(&out);
		ok = canon(CANON_JCS, str_of(raw, n), &out, &code);
		CHECK_INT(ok, str_eq(expect, STR("accept")));
		if (ok)
			CHECK_STR(buf_str(&out), val_text(val_get(v, STR("canonical")), &a));
		accepted += ok;
		refused += !ok;
		buf_free(&out);
	}
	printf("  raw cases: %zu written, %zu refused\n", accepted, refused);
	arena_free(&a);
	json_parser_close(p);
}

/* JSONL: the canonical lines, each with its LF. */
static void check_lines(const char *path, struct str want)
{
	struct str text = test_read(path), line;
	char hex[SHA256_HEX];
	struct buf out;

	buf_init(&out);
	while (text.n) {
		enum json_code code;

		line = str_cut(text, '\n', &text);
		if (str_trim(line).n == 0)
			continue;
		CHECK(canon(CANON_JCS, line, &out, &code));
		buf_add_byte(&out, '\n');
	}
	CHECK_STR(hex_of(hex, buf_str(&out)), want);
	buf_free(&out);
}

TEST(real_documents_and_naughty_strings_get_their_hashes)
{
	static const struct { const char *path; bool lines; const char *hash; } cases[] = {
		{ "corpora/03-json-real/dev/canada.json", false, "3d1def67735a73c30f18607fd3d03e1a3f07b2b073745d095119a46f65349bbb" },
		{ "corpora/03-json-real/dev/twitter.json", false, "8874600f3fdf2890e338b42071caefc15b98453450046822f4080e101d1a64c0" },
		{ "corpora/03-json-real/dev/amazon_cellphones.ndjson", true, "c1518fdaaed45e590c480ed707aa1adaaba8b84b10747f956bd431c708bd590e" },
		{ "corpora/11-naughty-strings/dev/strings.json", false, "2ccbc4347268564e9ca82a51a446b641f09b353c1dc1c313715ea850e066b1a1" },
		{ "corpora/11-naughty-strings/dev/keys_object.json", false, "e77e6460989726c0c1e90db8f7611199c5eddbff32bb8ef44cd16c5c8df8ae85" },
		{ "corpora/11-naughty-strings/dev/lines.jsonl", true, "692f4bc0f6c3cb450a3488adbc023ad1af238ba42177bb036c23e4fba23c7bb1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = test_shared(cases[i].path);
		char hex[SHA256_HEX];
		enum json_code code;
		struct buf out;

		test_case("%s", cases[i].path);
		if (cases[i].lines) {
			check_lines(path, str_from(cases[i].hash));
			continue;
		}
		buf_init(&out);
		CHECK(canon(CANON_JCS, test_read(path), &out, &code));
		CHECK_STR(hex_of(hex, buf_str(&out)), str_from(cases[i].hash));
		buf_free(&out);
	}
}

static void ignore(void *context, const struct json_issue *issue)
{
	(void)context;
	(void)issue;
}

TEST(what_lenient_reading_let_pass_has_no_canonical_form)
{
	static const struct { const char *line; enum json_code code; } cases[] = {
		{ "[\"\xff\"]", JSON_E_UTF8 },
		{ "{\"\xff\":1}", JSON_E_UTF8 },
		{ "[\"\\ud800\"]", JSON_E_SURROGATE },
		{ "[NaN]", JSON_E_SYNTAX },
		{ "{\"a\":1,\"a\":2}", JSON_E_DUP_KEY },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct canon *c = canon_open(CANON_JCS);
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = strlen(cases[i].line);
		char *text = test_alloc(n + JSON_PAD);
		struct json_lenient it;
		struct json_issue issue;
		enum json_code code = JSON_OK;
		uint64_t line;
		uint32_t at;
		struct val v;

		test_case("%s", cases[i].line);
		memcpy(text, cases[i].line, n);
		json_lenient_begin(&it, p, str_of(text, n), 1, ignore, NULL);
		CHECK(json_lenient_next(&it, &v, &line));
		CHECK(!canon_value(c, v, &out, &at, &code));
		CHECK_STR(str_from(json_code_name(code)), str_from(json_code_name(cases[i].code)));
		canon_issue(v, at, code, &a, &issue);
		CHECK(issue.message[0] && issue.length > 0);
	}
	buf_free(&out);
	arena_free(&a);
	canon_close(c);
	json_parser_close(p);
}
