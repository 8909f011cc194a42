#include "cmd/report/explain_page.h"

#include "harness/test.h"

static const struct rule rules[] = {
	{ .code = "X1",
	  .severity = SEV_WARNING,
	  .sentence = "it is odd in a way that takes some words to tell",
	  .help = "make it even",
	  .section = "section 2",
	  .scope = RULE_FILE,
	  .in_strict = RULE_ERROR,
	  .why = "readers stumble",
	  .example = "{\"odd\":1}" },
	{ .code = "LONGER_CODE", .severity = SEV_ERROR, .sentence = "it is bad" },
	{ .code = NULL },
};

static const struct rules_group group = { .rules = rules };

TEST(a_page_has_everything_that_is_known)
{
	struct term t = { .width = 44 }, color = { .width = 44, .color = true };
	struct buf b;

	buf_init(&b);
	explain_page_add(&b, &t, &group, &rules[0]);
	CHECK_STR(buf_str(&b), STR("warning[X1]: it is odd in a way that takes\n  some words to tell\n\n"
				   "  severity  warning; error with --strict\n"
				   "  format    any\n"
				   "  looks at  the file as a whole\n\n"
				   "Why\n  readers stumble\n\n"
				   "What to do\n  make it even\n\n"
				   "Where it is written\n  section 2\n\n"
				   "Breaks it\n  {\"odd\":1}\n"));
	buf_clear(&b);
	explain_page_add(&b, &color, &group, &rules[1]);
	CHECK_STR(buf_str(&b), STR("\033[1;31merror[LONGER_CODE]\033[0m: \033[1mit is bad\033[0m\n\n"
				   "  severity  error\n  format    any\n  looks at  one record\n"));
	buf_free(&b);
}

TEST(a_list_has_a_line_for_each_rule)
{
	struct term t = { .width = 60 };
	struct buf b;

	buf_init(&b);
	explain_page_add_list(&b, &t, &group, str_of(NULL, 0));
	CHECK_STR(buf_str(&b), STR("any\n"
				   "  X1           warning  it is odd in a way that takes some\n"
				   "                        words to tell\n"
				   "  LONGER_CODE  error    it is bad\n"));
	buf_clear(&b);
	explain_page_add_list(&b, &t, &group, STR("otutl")); /* not its group */
	CHECK_INT(b.n, 0);
	buf_free(&b);
}

TEST(a_rule_is_a_json_object_of_the_fields_asked_for)
{
	struct opt_maybe every = { .given = true }, some = { true, STR("code,strict") };
	struct json_writer w;
	struct buf b;

	buf_init(&b);
	json_write_init(&w, &b, JSON_COMPACT);
	explain_page_write(&w, every, &group, &rules[0]);
	CHECK_STR(buf_str(&b), STR("{\"code\":\"X1\",\"severity\":\"warning\",\"strict\":\"error\",\"permissive\":\"warning\","
				   "\"format\":\"any\",\"scope\":\"file\",\"sentence\":\"it is odd in a way that takes some "
				   "words to tell\",\"why\":\"readers stumble\",\"help\":\"make it even\","
				   "\"section\":\"section 2\",\"example\":\"{\\\"odd\\\":1}\"}"));
	buf_clear(&b);
	json_write_init(&w, &b, JSON_COMPACT);
	explain_page_write(&w, some, &group, &rules[1]);
	CHECK_STR(buf_str(&b), STR("{\"code\":\"LONGER_CODE\",\"strict\":\"error\"}"));
	for (size_t i = 0; explain_fields[i]; i++)
		CHECK(explain_fields[i][0]);
	buf_free(&b);
}
