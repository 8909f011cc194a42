#include "dialect/exchange/answer_text.h"

#include "dialect/exchange/answer_stream.h"
#include "harness/test.h"

/* Each value as "event:value@end ", then what else is known. */
static void show_values(struct reading *r, struct str text, struct buf *out)
{
	struct answer_text t = { .left = text, .value = VAL_NONE };
	struct val v;

	buf_clear(out);
	while (answer_text_next(r, &t, &v))
		buf_printf(out, "%.*s:%.*s@%zu ", STR_ARG(t.event), STR_ARG(val_source(v)), t.end);
	buf_printf(out, "%s%zu %.*s", t.done ? "done " : "", t.unread, STR_ARG(t.odd));
}

TEST(the_values_of_a_stored_answer_are_told_with_their_ends)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "", "0 " },
		{ "data: {\"a\":1}\n\ndata: [DONE]\n\n", ":{\"a\":1}@15 done 0 " },
		{ "event: x\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata: 2\r\r", "x:{\"a\":\n1}@34 :2@44 0 " },
		{ "data: 1\ndata: 2\ndata: [DONE]\n\n", ":1@30 :2@30 done 0 " },
		{ " {\"a\":1} \r\n{\"b\":2}", ":{\"a\":1}@8 :{\"b\":2}@18 0 " },
		{ "data: 1\n\ndata: {\"a", ":1@9 1 {\"a" },
		{ "a proxy said no\n\ndata: 1\n\n", ":1@26 1 " },
		{ " [{\"a\":\"}\"}\n,{\"b\":2},", ":{\"a\":\"}\"}@11 :{\"b\":2}@20 0 " },
		{ "[{\"a\":1},{\"b\":", ":{\"a\":1}@8 1 {\"b\":" },
		{ "[DONE]\n", "done 0 " },
	};
	struct answer_parser p;
	struct buf out;
	struct val v;

	answer_parser_init(&p);
	buf_init(&out);
	CHECK(answer_parse(&p, STR("{}"), &v));
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		show_values(&p.reading, str_from(cases[i].text), &out);
		CHECK_STR(buf_str(&out), str_from(cases[i].shown));
	}
	answer_parse_end(&p);
	answer_parser_free(&p);
	buf_free(&out);
}
