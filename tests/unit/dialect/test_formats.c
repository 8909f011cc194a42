/* The documents of the formats, held against the tables: nobody need remember to change them. */
#include <stdio.h>
#include <string.h>

#include "dialect/formats.h"
#include "harness/test.h"

/* "doc/formats/trial.md" */
static struct str page_of(const struct dialect *d)
{
	char path[64];

	snprintf(path, sizeof(path), "doc/formats/%s.md", d->name);
	return test_read(path);
}

static const char *name_in_mode(enum rule_mode_severity s)
{
	return s == RULE_ERROR ? "error" : s == RULE_WARNING ? "warning" : "info";
}

/* The row of a rule, as every page has it. */
static struct str row_of(const struct rule *r, char *row, size_t size)
{
	size_t n = (size_t)snprintf(row, size, "\n| %s | %s", r->code, severity_name(r->severity));

	if (r->in_strict != RULE_SAME)
		n += (size_t)snprintf(row + n, size - n, "; %s with --strict", name_in_mode(r->in_strict));
	if (r->in_permissive != RULE_SAME)
		n += (size_t)snprintf(row + n, size - n, "; %s with --permissive", name_in_mode(r->in_permissive));
	n += (size_t)snprintf(row + n, size - n, " | %s | %s |\n", r->sentence, r->scope == RULE_FILE ? "file" : "record");
	CHECK(n < size);
	return str_of(row, n);
}

static bool has(struct str text, struct str part)
{
	return str_find(text, part) != (size_t)-1;
}

/* Formats that share a table may share its rows out among their pages. */
static bool any_page_has(const struct rule *rules, struct str row)
{
	for (const struct dialect *const *d = dialects; *d; d++)
		if ((*d)->rules == rules && has(page_of(*d), row))
			return true;
	return false;
}

TEST(every_rule_has_its_row_in_the_document_of_its_format)
{
	size_t rows = 0;

	for (const struct dialect *const *d = dialects; *d; d++) {
		for (const struct rule *r = (*d)->rules; r->code; r++) {
			char text[300];
			struct str row = row_of(r, text, sizeof(text));

			test_case("%s %s", (*d)->name, r->code);
			if (!any_page_has((*d)->rules, row))
				FAIL("doc/formats/%s.md has no row %s(tools/gen-rules writes it)", (*d)->name, text);
			rows++;
		}
	}
	CHECK(rows > 150);
}

/* The code of a row "| AT001 | error | ...", or nothing. */
static struct str code_of(struct str line)
{
	size_t end;

	if (!str_starts(line, STR("| ")) || !(has(line, STR(" | record |")) || has(line, STR(" | file |"))))
		return STR("");
	line = str_of(line.p + 2, line.n - 2);
	end = str_find(line, STR(" | "));
	return str_of(line.p, end == (size_t)-1 ? 0 : end);
}

TEST(no_document_has_a_row_for_a_rule_that_is_gone)
{
	for (const struct dialect *const *d = dialects; *d; d++) {
		struct str rest, line;

		if (!(*d)->rules->code)
			continue;
		for (rest = page_of(*d); rest.n > 0;) {
			struct str code;
			char name[64];

			line = str_cut(rest, '\n', &rest);
			code = code_of(line);
			if (code.n == 0)
				continue;
			snprintf(name, sizeof(name), "%.*s", STR_ARG(code));
			test_case("%s %s", (*d)->name, name);
			CHECK(dialect_find_rule(name, NULL) != NULL);
		}
	}
}

TEST(every_rule_has_all_that_explain_prints)
{
	for (const struct dialect *const *d = dialects; *d; d++) {
		for (const struct rule *r = (*d)->rules; r->code; r++) {
			const char *const texts[] = { r->sentence, r->help, r->section, r->why, r->example };

			for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
				test_case("%s %s, text %zu", (*d)->name, r->code, i);
				CHECK(texts[i] != NULL && strlen(texts[i]) > 3);
				CHECK(i > 0 || texts[i][strlen(texts[i]) - 1] != '.');
			}
		}
	}
}

TEST(the_index_lists_every_format_with_its_file_and_its_rules)
{
	struct str index = test_read("doc/formats/README.md");

	for (const struct dialect *const *d = dialects; *d; d++) {
		char text[160];

		test_case("%s", (*d)->name);
		if ((*d)->rules->code || (*d)->read)
			snprintf(text, sizeof(text), "\n| [%s](%s.md) | `%s` | ", (*d)->name, (*d)->name, (*d)->file);
		else
			snprintf(text, sizeof(text), "\n| %s | `%s` | ", (*d)->name, (*d)->file);
		CHECK(has(index, str_from(text)));
	}
}

TEST(the_index_has_the_first_and_the_last_number_of_each_table)
{
	struct str index = test_read("doc/formats/README.md");

	for (const struct dialect *const *d = dialects; *d; d++) {
		const struct rule *last = (*d)->rules;
		char text[100];

		if (!last->code || *d == &otutl_dialect)
			continue;
		while (last[1].code)
			last++;
		test_case("%s", (*d)->name);
		snprintf(text, sizeof(text), " | %s to %s |\n", (*d)->rules->code, last->code);
		CHECK(has(index, str_from(text)));
	}
}

/* Whether "doc/formats/trial.md, Rules" or "doc/formats/otutl.md section 2" names a heading that is there. */
static bool leads_somewhere(const char *place)
{
	const char *end = strstr(place, ".md"), *comma = strrchr(place, ','), *number = strstr(place, ".md section ");
	char path[64], heading[64];
	struct str page;

	if (!end || !(comma || number))
		return false;
	snprintf(path, sizeof(path), "%.*s", (int)(end + 3 - place), place);
	page = test_read(path);
	if (number)
		snprintf(heading, sizeof(heading), "# %s. ", number + strlen(".md section "));
	else
		snprintf(heading, sizeof(heading), "# %s\n", comma + 2);
	return has(page, str_from(heading));
}

TEST(every_place_of_ours_that_a_rule_names_is_a_heading_of_a_page)
{
	size_t places = 0;

	for (const struct dialect *const *d = dialects; *d; d++) {
		for (const struct rule *r = (*d)->rules; r->code; r++) {
			const char *place = strstr(r->section, "doc/formats/");

			test_case("%s %s: %s", (*d)->name, r->code, r->section);
			CHECK(!place || leads_somewhere(place));
			places += place != NULL;
		}
	}
	CHECK(places > 50);
}

/* The first words of the place of a rule that is written elsewhere; the index says what they mean. */
TEST(every_text_that_a_rule_names_is_in_the_index)
{
	static const char *const texts[] = { "agent-trace/v1 section", "OTUTL section ", "AEC-Bench Traces, ",
					     "OpenClaw LLM Benchmark Schema, ", "Harbor's models of ATIF", "RFC ",
					     "doc/formats/" };
	struct str index = test_read("doc/formats/README.md");

	for (const struct dialect *const *d = dialects; *d; d++) {
		for (const struct rule *r = (*d)->rules; r->code; r++) {
			bool known = false;

			for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
				known = known || (strncmp(r->section, texts[i], strlen(texts[i])) == 0 &&
						  has(index, str_from(texts[i])));
			test_case("%s %s: %s", (*d)->name, r->code, r->section);
			CHECK(known);
		}
	}
}

TEST(what_explain_says_under_why_is_no_sentence_of_its_own)
{
	for (const struct dialect *const *d = dialects; *d; d++) {
		for (const struct rule *r = (*d)->rules; r->code; r++) {
			test_case("%s %s: %s", (*d)->name, r->code, r->why);
			CHECK(r->why[0] < 'A' || r->why[0] > 'Z');
			CHECK(r->why[strlen(r->why) - 1] != '.');
		}
	}
}
