/* The report of redaction, of sums made here; reports of whole files are in tests/cli/redact. */
#include "cmd/redact_output.h"

#include "cmd/frame/opt.h"
#include "harness/test.h"

static const struct redact_sum report_classes[REDACT_CLASSES] = {
	[REDACT_PROMPT] = { "prompt", 1, 1 }, [REDACT_OUTPUT] = { "output", 2, 2048 }, [REDACT_THINKING] = { "thinking", 0, 0 },
	[REDACT_ARGS] = { "args", 0, 0 }, [REDACT_RESULTS] = { "results", 0, 0 }, [REDACT_PATHS] = { "paths", 0, 0 },
	[REDACT_IMAGES] = { "images", 0, 0 }, [REDACT_OTHER] = { "other", 0, 0 },
};
static const struct redact_sum report_secrets[] = { { "github-pat", 1, 40 } };
static const struct redact_sum report_cleaned[SCRUB_NAMES] = {
	{ "models", 2, 0 }, { "tools", 0, 0 }, { "ids", 1, 0 }, { "endpoints", 0, 0 },
};

static struct redact_report structure_report(void)
{
	return (struct redact_report){ .mode = "structure", .output = STR("o"), .classes = report_classes,
				       .secrets = report_secrets, .secret_count = 1, .key_id = STR("abcdefgh"), .tokens = 1,
				       .tokens_known = true };
}

static struct redact_report trace_report(void)
{
	return (struct redact_report){ .mode = "trace", .output = STR("o"), .classes = report_classes, .cleaned = report_cleaned };
}

static struct str report_text(struct buf *out, struct redact_report r)
{
	buf_clear(out);
	redact_report_add_text(out, &r);
	return buf_str(out);
}

/* With nothing in it that only makes it readable. */
static struct str report_json(struct buf *out, struct redact_report r, const char *fields)
{
	struct opt_maybe chosen = { .given = true, .value = fields ? str_from(fields) : (struct str){ .p = NULL } };
	size_t n = 0;

	buf_clear(out);
	redact_report_add_json(out, chosen, &r);
	for (size_t i = 0; i < out->n; i++)
		if (out->p[i] != ' ' && out->p[i] != '\n')
			out->p[n++] = out->p[i];
	return str_of(out->p, n);
}

TEST(the_text_of_a_redaction_says_what_was_replaced)
{
	struct redact_report r = structure_report();
	struct buf out;

	buf_init(&out);
	CHECK_STR(report_text(&out, r), STR("replaced: 4 values, 2.0 KiB; 1 different token; key abcdefgh\n  prompt  1 value, 1 byte\n"
					    "  output  2 values, 2.0 KiB\n  secret github-pat  1 value, 40 bytes\n"));
	r.tokens = 2;
	CHECK(str_has(report_text(&out, r), STR("; 2 different tokens; key abcdefgh\n")));
	r.tokens_known = false;
	CHECK(str_has(report_text(&out, r), STR("2.0 KiB; key abcdefgh\n")));
	CHECK_STR(report_text(&out, trace_report()), STR("left out: 3 values, 2.0 KiB\n  prompt  1 value, 1 byte\n  output  2 values, 2.0 KiB\n"
							 "  models cleaned: 2\n  ids cleaned: 1\n"));
	buf_free(&out);
}

TEST(the_json_of_a_redaction_has_all_fields_or_those_that_are_named)
{
	struct redact_report r = structure_report();
	struct buf out;
	struct str all;

	buf_init(&out);
	all = report_json(&out, r, NULL);
	CHECK(str_starts(all, STR("{\"mode\":\"structure\",\"output\":\"o\",\"key\":\"abcdefgh\",\"tokens\":1,\"values\":4,\"bytes\":2089,"
				  "\"classes\":{\"prompt\":{\"values\":1,\"bytes\":1},")));
	CHECK(str_ends(all, STR("\"secrets\":{\"github-pat\":{\"values\":1,\"bytes\":40}},\"cleaned\":null}")));
	r.tokens_known = false;
	CHECK_STR(report_json(&out, r, "tokens,mode"), STR("{\"mode\":\"structure\",\"tokens\":null}"));
	CHECK_STR(report_json(&out, trace_report(), "key,tokens,secrets,cleaned"),
		  STR("{\"key\":null,\"tokens\":null,\"secrets\":{},\"cleaned\":{\"models\":2,\"tools\":0,\"ids\":1,\"endpoints\":0}}"));
	buf_free(&out);
}

TEST(every_field_of_the_report_can_be_named)
{
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; redact_report_fields[i]; i++) {
		struct str got = report_json(&out, structure_report(), redact_report_fields[i]);

		test_case("%s", redact_report_fields[i]);
		CHECK(str_starts(str_skip(got, 2), str_from(redact_report_fields[i])));
	}
	buf_free(&out);
}
