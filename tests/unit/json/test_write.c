#include "json/write.h"

#include <float.h>
#include <math.h>

#include "harness/test.h"
#include "json/json.h"

#define LIT(text) { (text), sizeof(text) - 1 }

static void write_sample(struct json_writer *w)
{
	json_write_begin_object(w);
	json_write_key(w, STR("empty"));
	json_write_begin_array(w);
	json_write_end_array(w);
	json_write_own_key(w, STR("none"));
	json_write_begin_object(w);
	json_write_end_object(w);
	json_write_key(w, STR("list"));
	json_write_begin_array(w);
	json_write_null(w);
	json_write_bool(w, true);
	json_write_bool(w, false);
	json_write_begin_object(w);
	json_write_key(w, STR("a\"b"));
	json_write_string(w, STR("x\ny"));
	json_write_end_object(w);
	json_write_raw(w, STR("[1, 2]"));
	json_write_end_array(w);
	json_write_own_key(w, STR("n"));
	json_write_u64(w, 7);
	json_write_end_object(w);
}

TEST(commas_and_colons_come_by_themselves)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	write_sample(&w);
	CHECK(json_write_is_done(&w));
	CHECK_STR(buf_str(&out), STR("{\"empty\":[],\"none\":{},"
				     "\"list\":[null,true,false,{\"a\\\"b\":\"x\\ny\"},[1, 2]],\"n\":7}"));
	buf_free(&out);
}

TEST(the_pretty_layout_has_one_member_per_line)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	buf_add_str(&out, STR("# "));
	json_write_init(&w, &out, JSON_PRETTY);
	write_sample(&w);
	CHECK_STR(buf_str(&out), STR("# {\n"
				     "  \"empty\": [],\n"
				     "  \"none\": {},\n"
				     "  \"list\": [\n"
				     "    null,\n"
				     "    true,\n"
				     "    false,\n"
				     "    {\n"
				     "      \"a\\\"b\": \"x\\ny\"\n"
				     "    },\n"
				     "    [1, 2]\n"
				     "  ],\n"
				     "  \"n\": 7\n"
				     "}"));
	buf_free(&out);
}

TEST(a_value_is_done_when_its_last_container_is_closed)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	CHECK(!json_write_is_done(&w));
	json_write_begin_array(&w);
	CHECK(!json_write_is_done(&w));
	json_write_u64(&w, 1);
	CHECK(!json_write_is_done(&w));
	json_write_end_array(&w);
	CHECK(json_write_is_done(&w));
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_null(&w);
	CHECK(json_write_is_done(&w));
	CHECK_STR(buf_str(&out), STR("[1]null"));
	buf_free(&out);
}

TEST(strings_are_escaped_where_they_must_be_and_where_it_is_safer)
{
	static const struct {
		struct str text, json;
	} cases[] = {
		{ LIT(""), LIT("\"\"") },
		{ LIT("a/b'c"), LIT("\"a/b'c\"") },
		{ LIT("\"\\"), LIT("\"\\\"\\\\\"") },
		{ LIT("\b\t\n\v\f\r"), LIT("\"\\b\\t\\n\\u000b\\f\\r\"") },
		{ LIT("\0\x01\x1f\x7f"), LIT("\"\\u0000\\u0001\\u001f\\u007f\"") },
		{ LIT("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0"), LIT("\"\\u0080\\u009b\\u009f\xc2\xa0\"") },
		{ LIT("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa"),
		  LIT("\"\xe2\x80\xa7\\u2028\\u2029\xe2\x80\xaa\"") },
		{ LIT("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), LIT("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"") },
		{ LIT("a\xff" "b\xc3"), LIT("\"a\xef\xbf\xbd" "b\xef\xbf\xbd\"") },
		{ LIT("\xed\xa0\x80"), LIT("\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"") },
	};
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		buf_clear(&out);
		json_write_quoted(&out, cases[i].text);
		CHECK_STR(buf_str(&out), cases[i].json);
	}
	buf_free(&out);
}

/* Words of eight bytes are looked at together: what is escaped must be found at every place of them. */
TEST(an_escape_is_found_at_every_place_of_a_string)
{
	static const struct {
		struct str text, json;
	} odd[] = {
		{ LIT("\""), LIT("\\\"") }, { LIT("\\"), LIT("\\\\") }, { LIT("\x1f"), LIT("\\u001f") },
		{ LIT("\x7f"), LIT("\\u007f") }, { LIT("\xff"), LIT("\xef\xbf\xbd") },
		{ LIT("\xe2\x80\xa8"), LIT("\\u2028") },
	};
	struct buf text, out, json;

	buf_init(&text);
	buf_init(&out);
	buf_init(&json);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]) * 26 * 26; i++) {
		size_t kind = i / (26 * 26), before = i / 26 % 26, behind = i % 26;
		struct str letters = STR("abcdefghijklmnopqrstuvwxyz");

		test_case("%zu behind %zu, before %zu", kind, before, behind);
		buf_clear(&text);
		buf_clear(&out);
		buf_clear(&json);
		buf_add(&text, letters.p, before);
		buf_add_str(&text, odd[kind].text);
		buf_add(&text, letters.p, behind);
		buf_printf(&json, "\"%.*s%.*s%.*s\"", (int)before, letters.p, STR_ARG(odd[kind].json), (int)behind,
			   letters.p);
		json_write_quoted(&out, buf_str(&text));
		CHECK_STR(buf_str(&out), buf_str(&json));
	}
	buf_free(&text);
	buf_free(&out);
	buf_free(&json);
}

TEST(numbers_are_written_exactly_or_as_short_as_can_be)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_begin_array(&w);
	json_write_u64(&w, 0);
	json_write_u64(&w, UINT64_MAX);
	json_write_i64(&w, INT64_MIN);
	json_write_i64(&w, INT64_MAX);
	json_write_i64(&w, -1);
	json_write_double(&w, 0.1);
	json_write_double(&w, -0.0);
	json_write_double(&w, 1e21);
	json_write_double(&w, DBL_MAX);
	json_write_double(&w, (double)NAN);
	json_write_double(&w, -(double)INFINITY);
	json_write_end_array(&w);
	CHECK_STR(buf_str(&out), STR("[0,18446744073709551615,-9223372036854775808,9223372036854775807,-1,0.1,0,1e+21,"
				     "1.7976931348623157e+308,null,null]"));
	buf_free(&out);
}

/* Every sequence of bytes, written as a string, is read back as the same text or as its repair. */
TEST(what_is_written_is_read_back)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct json_issue issue;
	struct arena arena;
	struct buf out;
	struct val v;

	arena_init(&arena);
	buf_init(&out);
	for (uint32_t code = 0; code < 0x3000; code++) {
		char text[8];
		size_t n;

		if (code < 0x100) {
			text[0] = (char)code;
			n = 1;
		} else {
			text[0] = (char)(code >> 8);
			text[1] = (char)code;
			n = 2;
		}
		test_case("%04x", (unsigned)code);
		buf_clear(&out);
		json_write_quoted(&out, str_of(text, n));
		if (!json_parse_copy(p, buf_str(&out), &v, &issue))
			FAIL("%s", issue.message);
		if (code < 0x80)
			CHECK_STR(val_text(v, &arena), str_of(text, n));
	}
	buf_free(&out);
	arena_free(&arena);
	json_parser_close(p);
}

TEST(containers_nest_up_to_the_limit)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	for (int i = 0; i < JSON_WRITE_DEPTH / 2; i++) {
		json_write_begin_array(&w);
		json_write_begin_object(&w);
		json_write_key(&w, STR(""));
	}
	json_write_null(&w);
	for (int i = 0; i < JSON_WRITE_DEPTH / 2; i++) {
		json_write_end_object(&w);
		json_write_end_array(&w);
	}
	CHECK(json_write_is_done(&w));
	CHECK_INT(out.n, JSON_WRITE_DEPTH / 2 * 7 + 4);
	buf_free(&out);
}
