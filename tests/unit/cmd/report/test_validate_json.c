/* The fields of the document: what is in them is tested with validate_output. */
#include "cmd/report/validate_json.h"

#include <stdio.h>

#include "cmd/frame/commands.h"
#include "harness/test.h"

TEST(every_field_is_on_the_page)
{
	struct str page = test_read("doc/json.md");

	CHECK(validate_command.fields == validate_fields); /* help and manual list these */
	for (size_t i = 0; validate_fields[i]; i++) {
		char quoted[64];

		test_case("%s", validate_fields[i]);
		snprintf(quoted, sizeof(quoted), "`%s`", validate_fields[i]);
		CHECK(str_find(page, str_from(quoted)) != (size_t)-1);
	}
}

TEST(a_document_has_files_totals_and_what_was_skipped)
{
	struct validate_input part = { .name = STR("a"), .text = TEXT_JSON };
	struct validate_output o = { .counts = { .skipped = 1 }, .json = { true, STR("path,verdict") } };
	struct findings none;
	struct arena a;

	arena_init(&a);
	findings_init(&none, &a, 0);
	part.findings = &none;
	buf_init(&o.text);
	buf_init(&o.skipped_files);
	validate_json_begin(&o);
	validate_json_add(&o, &part, "valid");
	part.name = STR("b");
	validate_json_add_skipped(&o, &part);
	validate_json_end(&o);
	CHECK_STR(buf_str(&o.text),
		  STR("{\"schema\":\"trackway.validate/1\",\"files\":[{\"path\":\"a\",\"verdict\":\"valid\"}],"
		      "\"errors\":0,\"warnings\":0,\"infos\":0,\"valid\":0,\"invalid\":0,\"unreadable\":0,"
		      "\"skipped\":1,\"skipped_files\":[{\"path\":\"b\",\"looks_like\":null,\"format\":null}],"
		      "\"unchecked\":0,\"unchecked_formats\":[]}\n"));
	buf_free(&o.text);
	buf_free(&o.skipped_files);
	arena_free(&a);
}
