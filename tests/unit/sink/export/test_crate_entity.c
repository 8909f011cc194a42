#include "sink/export/crate_entity.h"

#include "harness/test.h"

TEST(entities_have_the_words_of_the_profile)
{
	struct digest none = { { 0 } };
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	crate_begin(&w, &out, STR("a \"b\""), "File");
	crate_put_file(&w, STR("n"), "what", STR(""), 12, none, STR("#x"));
	crate_put_time(&w, "endTime", 1500000000);
	crate_put_outcome(&w, true, STR("why"));
	json_write_end_object(&w);
	CHECK_STR(buf_str(&out), STR("{\"@id\":\"a \\\"b\\\"\",\"@type\":\"File\",\"name\":\"n\",\"description\":\"what\","
		"\"encodingFormat\":\"application/octet-stream\",\"contentSize\":\"12\",\"sha256\":"
		"\"0000000000000000000000000000000000000000000000000000000000000000\",\"about\":{\"@id\":\"#x\"},"
		"\"endTime\":\"1970-01-01T00:00:01.500+00:00\",\"actionStatus\":\"http://schema.org/FailedActionStatus\","
		"\"error\":\"why\"}"));
	buf_clear(&out);
	crate_add_license(&out, str_of(NULL, 0), "somebody");
	CHECK(str_has(buf_str(&out), STR("\"#license\"")) && str_has(buf_str(&out), STR("Ask somebody before")));
	buf_clear(&out);
	crate_add_reference(&out, true, STR("a"));
	crate_add_reference(&out, false, STR("b"));
	CHECK_STR(buf_str(&out), STR("{\"@id\":\"a\"},{\"@id\":\"b\"}"));
	buf_free(&out);
}
