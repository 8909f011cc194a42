#include "json/put.h"

#include <math.h>

#include "harness/test.h"

static const struct str absent = { NULL, 0 };

static void put_known(struct json_writer *w)
{
	static const struct str texts[] = { { "a", 1 }, { "\"", 1 } };

	json_put_u64(w, "u64", UINT64_MAX);
	json_put_i64(w, "i64", -1);
	json_put_double(w, "double", 0.5);
	json_put_bool(w, "bool", true);
	json_put_raw(w, "raw", STR("[1, 2]"));
	json_put_text(w, "text", STR("x\ny"));
	json_put_text_or_null(w, "maybe", STR(""));
	json_put_word(w, "word", "end_turn");
	json_put_i64_or_null(w, "count", 0);
	json_put_u64_or_null(w, "size", 0, true);
	json_put_texts(w, "texts", texts, 2);
	json_put_digest(w, "digest", (struct digest){ .b = { 0xa1 } });
}

static void put_unknown(struct json_writer *w)
{
	json_put_null(w, "null");
	json_put_double(w, "double", NAN);
	json_put_text(w, "text", absent);
	json_put_text_or_null(w, "maybe", absent);
	json_put_word(w, "word", NULL);
	json_put_i64_or_null(w, "count", -1);
	json_put_u64_or_null(w, "size", 7, false);
	json_put_texts(w, "texts", NULL, 0);
}

static void put_containers(struct json_writer *w)
{
	json_put_object(w, "object");
	json_put_key(w, "in");
	json_write_string_or_null(w, absent);
	json_write_end_object(w);
	json_put_array(w, "array");
	json_write_string_or_null(w, STR(""));
	json_write_end_array(w);
}

TEST(a_member_is_a_name_and_its_value)
{
	static const struct {
		void (*put)(struct json_writer *w);
		const char *json;
	} cases[] = {
		{ put_known, "{\"u64\":18446744073709551615,\"i64\":-1,\"double\":0.5,\"bool\":true,\"raw\":[1, 2],"
			     "\"text\":\"x\\ny\",\"maybe\":\"\",\"word\":\"end_turn\",\"count\":0,\"size\":0,"
			     "\"texts\":[\"a\",\"\\\"\"],"
			     "\"digest\":\"a100000000000000000000000000000000000000000000000000000000000000\"}" },
		{ put_unknown, "{\"null\":null,\"double\":null,\"text\":\"\",\"maybe\":null,\"word\":null,\"count\":null,"
			       "\"size\":null,\"texts\":[]}" },
		{ put_containers, "{\"object\":{\"in\":null},\"array\":[\"\"]}" },
	};
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&out);
		json_write_init(&w, &out, JSON_COMPACT);
		json_write_begin_object(&w);
		cases[i].put(&w);
		json_write_end_object(&w);
		CHECK(json_write_is_done(&w));
		CHECK_STR(buf_str(&out), str_from(cases[i].json));
	}
	buf_free(&out);
}
