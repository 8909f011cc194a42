/* The rules of the ledger and their page, held against each other. */
#include <stdio.h>

#include "harness/test.h"
#include "ledger/check/check.h"
#include "ledger/check/rules.h"

TEST(every_rule_has_its_number_and_all_that_explain_prints)
{
	for (int i = 0; i < LG_RULES; i++) {
		const struct rule *r = ledger_rules + i;
		const char *const texts[] = { r->sentence, r->help, r->section, r->why, r->example };
		char code[16];

		snprintf(code, sizeof(code), "LG%03d", i + 1);
		test_case("%s", code);
		CHECK_STR(str_from(r->code), str_from(code));
		for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++)
			CHECK(texts[j] && strlen(texts[j]) > 3);
		CHECK(r->sentence[strlen(r->sentence) - 1] != '.');
	}
	CHECK(ledger_rules[LG_RULES].code == NULL);
}

TEST(every_rule_has_its_row_in_the_page_and_no_row_is_without_a_rule)
{
	struct str page = test_read("doc/formats/ledger.md"), rest = page;
	size_t rows = 0;

	for (const struct rule *r = ledger_rules; r->code; r++) {
		char row[300];

		snprintf(row, sizeof(row), "\n| %s | %s | %s | %s |\n", r->code, severity_name(r->severity), r->sentence,
			 r->scope == RULE_FILE ? "file" : "record");
		if (str_find(page, str_from(row)) == (size_t)-1)
			FAIL("doc/formats/ledger.md has no row %s", row);
	}
	while (rest.n)
		rows += str_starts(str_cut(rest, '\n', &rest), STR("| LG"));
	CHECK_INT(rows, LG_RULES);
}

TEST(every_section_that_a_rule_names_is_a_heading_of_the_page)
{
	struct str page = test_read("doc/formats/ledger.md");

	for (const struct rule *r = ledger_rules; r->code; r++) {
		char heading[64];

		test_case("%s", r->code);
		CHECK(strncmp(r->section, "doc/formats/ledger.md, ", 23) == 0);
		snprintf(heading, sizeof(heading), "\n## %s\n", r->section + 23);
		CHECK(str_find(page, str_from(heading)) != (size_t)-1);
	}
}

TEST(the_index_of_formats_has_the_first_and_the_last_number)
{
	char row[64];

	snprintf(row, sizeof(row), " | %s to %s |\n", ledger_rules[0].code, ledger_rules[LG_RULES - 1].code);
	CHECK(str_find(test_read("doc/formats/README.md"), str_from(row)) != (size_t)-1);
	CHECK(str_find(test_read("doc/formats/README.md"), STR("\n| [ledger](ledger.md) | ")) != (size_t)-1);
}
