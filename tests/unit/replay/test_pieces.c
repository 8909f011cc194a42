#include "replay/pieces.h"

#include "base/buf.h"
#include "harness/test.h"
#include "json/json.h"

TEST(pieces_of_one_text_are_put_together)
{
	static const struct { const char *answer, *want; } cases[] = {
		{ "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n"
		  "data: [DONE]\n\n", "ab;" },
		{ "event: x\ndata: {\"index\":0,\"delta\":{\"partial_json\":\"a\"}}\n\nevent: x\ndata: {\"index\":1,\"delta\":"
		  "{\"partial_json\":\"x\"}}\n\n"
		  "data: {\"index\":0,\"delta\":{\"partial_json\":\"b\"}}\n\ndata: {\"index\":1,\"delta\":{\"partial_json\":"
		  "\"\\n\"}}\n\n", "ab;x\\n;" },
		{ "data: {\"type\":\"t\",\"item_id\":\"i\",\"delta\":\"a\"}\n\ndata: {\"type\":\"t\",\"item_id\":\"i\",\"delta\":\"b\"}\n\n", "ab;" },
		{ "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"a\"}}]}}]}\n\n"
		  "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"x\"}}]}}]}\n\n"
		  "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"b\"}}]}}]}\n\n", "ab;" },
		{ "{\"message\":{\"content\":\"a\"}}\n{\"message\":{\"content\":\"b\"}}\n", "ab;" },
		{ "{\"message\":{\"content\":\"a\"}}", "" },
		{ "plain text\n\nof two lines", "" },
		{ "", "" },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct pieces_text *texts;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str answer = str_from(cases[i].answer);
		size_t count = pieces_join(&a, p, answer, &texts);
		struct buf b;

		test_case("%s", cases[i].answer);
		buf_init(&b);
		for (size_t k = 0; k < count; k++) {
			buf_add_str(&b, texts[k].joined);
			buf_add_byte(&b, ';');
			for (size_t n = 0; n < texts[k].count; n++)
				CHECK_STR(str_of(answer.p + texts[k].list[n].from, texts[k].list[n].n),
					  str_of(texts[k].joined.p + texts[k].list[n].at, texts[k].list[n].n));
		}
		CHECK_STR(b.n ? buf_str(&b) : STR(""), str_from(cases[i].want));
		buf_free(&b);
	}
	arena_free(&a);
	json_parser_close(p);
}
