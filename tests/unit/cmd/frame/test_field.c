#include "cmd/frame/field.h"

#include "harness/test.h"

static struct str put_all(struct buf *out, struct opt_maybe selected)
{
	struct json_writer w;

	buf_clear(out);
	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	field_put_u64(&w, selected, "u64", 1);
	field_put_double(&w, selected, "double", 0.5);
	field_put_bool(&w, selected, "bool", true);
	field_put_text(&w, selected, "text", str_of(NULL, 0));
	field_put_text_or_null(&w, selected, "maybe", str_of(NULL, 0));
	field_put_word(&w, selected, "word", "w");
	field_put_digest(&w, selected, "digest", (struct digest){ .b = { 1 } });
	field_put_chosen(&w, selected, STR("{\"schema\":\"s/1\",\"a\": [1], \"b\":2}"));
	field_put_chosen(&w, selected, STR("not JSON"));
	json_write_end_object(&w);
	return buf_str(out);
}

TEST(a_field_is_written_when_it_is_wanted)
{
	static const struct {
		struct opt_maybe selected;
		const char *json;
	} cases[] = {
		{ { .given = true },
		  "{\"u64\":1,\"double\":0.5,\"bool\":true,\"text\":\"\",\"maybe\":null,\"word\":\"w\",\"digest\":"
		  "\"0100000000000000000000000000000000000000000000000000000000000000\","
		  "\"schema\":\"s/1\",\"a\":[1],\"b\":2}" },
		{ { true, { "maybe,u64,b", 11 } }, "{\"u64\":1,\"maybe\":null,\"schema\":\"s/1\",\"b\":2}" },
	};
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_STR(put_all(&out, cases[i].selected), str_from(cases[i].json));
	buf_free(&out);
}
