#include "import_kit.h"
#include "json/put.h"

TEST(a_slug_has_only_plain_characters)
{
	static const struct {
		const char *text, *slug;
	} cases[] = {
		{ "abc", "abc" },           { "a b", "a-b" },        { "a / b", "a-b" },     { "  a  ", "a" },
		{ "-a-", "a" },             { "a--b", "a--b" },      { "\xc3\xa9t\xc3\xa9", "t" }, { "", "unknown" },
		{ "///", "unknown" },       { "A_z.9-", "A_z.9" },   { "a-/b", "a--b" },     { "Qwen/Q3:4B", "Qwen-Q3-4B" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(import_slug(&a, str_from(cases[i].text)), str_from(cases[i].slug));
	}
	arena_free(&a);
}

TEST(text_is_that_of_strings_and_numbers_that_say_something)
{
	static const struct {
		const char *json, *text; /* text NULL: none */
	} cases[] = {
		{ "\"a\"", "a" }, { "\"\\u0061 \"", "a " }, { "1.50", "1.50" }, { "0", "0" },     { "\"\"", NULL },
		{ "\" \\n\"", NULL }, { "null", NULL },     { "true", NULL },   { "[\"a\"]", NULL }, { "{}", NULL },
	};
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct arena a;
	struct val v;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].json);
		CHECK(json_parse_copy(p, str_from(cases[i].json), &v, NULL));
		CHECK((import_text(&a, v).p != NULL) == (cases[i].text != NULL));
		if (cases[i].text)
			CHECK_STR(import_text(&a, v), str_from(cases[i].text));
	}
	CHECK(import_text(&a, VAL_NONE).p == NULL);
	arena_free(&a);
	json_parser_close(p);
}

static struct str written(struct kit *k, struct str json)
{
	struct json_writer w;
	struct buf out;
	struct str copy;
	struct val v;

	buf_init(&out);
	CHECK(json_parse_copy(k->parser, json, &v, NULL));
	json_write_init(&w, &out, JSON_PRETTY);
	json_write_begin_object(&w);
	import_write_member(&w, "v", v);
	import_write_member(&w, "none", VAL_NONE);
	json_put_text_or_null(&w, "t", (struct str){ NULL, 0 });
	json_write_end_object(&w);
	copy = arena_copy(&k->arena, buf_str(&out));
	buf_free(&out);
	return copy;
}

TEST(values_are_indented_anew_and_numbers_keep_their_text)
{
	struct str deep, text;
	struct kit k;
	struct val v;
	char brackets[400];

	kit_begin(&k);
	CHECK_STR(written(&k, STR("{\"a\":[1.50,-0e1,\"x\\u0041\"],\"b\":{},\"c\":[{\"d\":null}],\"\\u0065\":true}")),
		  STR("{\n  \"v\": {\n    \"a\": [\n      1.50,\n      -0e1,\n      \"xA\"\n    ],\n    \"b\": {},\n    \"c\": [\n"
		      "      {\n        \"d\": null\n      }\n    ],\n    \"e\": true\n  },\n  \"none\": null,\n  \"t\": null\n}"));
	CHECK_STR(written(&k, STR("7")), STR("{\n  \"v\": 7,\n  \"none\": null,\n  \"t\": null\n}"));
	/* deeper than the writer goes: as it stands */
	memset(brackets, '[', 200);
	memset(brackets + 200, ']', 200);
	deep = str_of(brackets, 400);
	text = written(&k, deep);
	CHECK(str_find(text, deep) != (size_t)-1);
	CHECK(json_parse_copy(k.parser, text, &v, NULL));
	memset(brackets, '[', 64);
	memset(brackets + 64, ']', 64);
	CHECK(json_parse_copy(k.parser, written(&k, str_of(brackets, 128)), &v, NULL));
	kit_end(&k);
}

static bool is_known(struct told *t, enum ledger_part part, const char *name, const char *from)
{
	struct import_question q = { .part = part, .name = str_from(name), .experiment = STR("e-1"), .trial_id = STR("t-1"),
				     .from = str_from(from) };
	struct err err = { .kind = ERR_NONE };
	struct str record;
	bool known;

	kit_must(import_ask(t->import, &q, &known, &record, &err), &err);
	CHECK(record.p == NULL);
	return known;
}

TEST(what_is_asked_for_again_is_a_duplicate)
{
	struct err err = { .kind = ERR_NONE };
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = told_begin(&k, false);
	CHECK(!is_known(t, LEDGER_MAIN, "a", "x"));
	CHECK(!is_known(t, LEDGER_DIAGNOSTIC, "b", "x")); /* of the other log */
	CHECK(is_known(t, LEDGER_MAIN, "c", "x"));
	CHECK_INT(t->items[0].outcome, IMPORT_DUPLICATE);
	CHECK(is_known(t, LEDGER_MAIN, "d", "y"));
	CHECK_INT(t->items[1].outcome, IMPORT_REFUSED);
	CHECK_STR(t->items[1].why, STR("an earlier one has the same trial id, t-1; give each an id of its own"));
	kit_must(import_add(t->import, STR("a"), kit_record(&k, "\"t-1\""), NULL, 0, &err), &err);
	told_end(t);
	CHECK_INT(t->tally.imported, 1);
	CHECK_INT(t->tally.duplicates, 1);
	CHECK_INT(t->tally.refused, 1);
	t = told_begin(&k, false);
	CHECK(is_known(t, LEDGER_MAIN, "a", "y"));
	CHECK_INT(import_so_far(t->import).duplicates, 1);
	told_end(t);
	kit_end(&k);
}

TEST(a_trial_without_its_artifact_is_finished_with_the_record_that_was_sealed)
{
	const struct seal_artifact artifact = { STR("a.txt"), STR("text/plain"), STR("a") };
	struct import_question q = { .part = LEDGER_MAIN, .name = STR("x"), .experiment = STR("e-1"), .trial_id = STR("t-1"),
				     .from = STR("x"), .artifact = STR("a.txt"), .bytes = STR("a") };
	struct err err = { .kind = ERR_NONE };
	struct str record;
	struct told *t;
	struct kit k;
	bool known;

	kit_begin(&k);
	t = told_begin(&k, false);
	kit_must(import_add(t->import, STR("a"), kit_record(&k, "\"t-1\""), NULL, 0, &err), &err);
	told_end(t);
	t = told_begin(&k, false);
	kit_must(import_ask(t->import, &q, &known, &record, &err), &err);
	CHECK(!known);
	CHECK_STR(record, kit_record(&k, "\"t-1\""));
	kit_must(import_add(t->import, STR("a"), record, &artifact, 1, &err), &err);
	told_end(t);
	CHECK_INT(t->tally.duplicates, 1);
	CHECK_STR(kit_entry(&k, LEDGER_MAIN, 1).id, STR("t-1/a.txt"));
	t = told_begin(&k, false);
	kit_must(import_ask(t->import, &q, &known, &record, &err), &err);
	CHECK(known && record.p == NULL);
	CHECK_INT(import_so_far(t->import).duplicates, 1);
	told_end(t);
	q.bytes = STR("b");
	t = told_begin(&k, false);
	kit_must(import_ask(t->import, &q, &known, &record, &err), &err);
	CHECK(known && record.p == NULL);
	CHECK_INT(import_so_far(t->import).refused, 1);
	told_end(t);
	kit_end(&k);
}

TEST(what_is_imported_is_published_and_what_is_refused_is_told)
{
	struct err err = { .kind = ERR_NONE };
	struct checkpoint c;
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = told_begin(&k, false);
	kit_must(import_add(t->import, STR("a"), kit_record(&k, "\"t-1\""), NULL, 0, &err), &err);
	kit_must(import_add(t->import, STR("b"), STR("{\"trial_id\":7}"), NULL, 0, &err), &err);
	kit_must(import_refuse(t->import, STR("c"), STR("e"), STR("t"), STR("because"), &err), &err);
	kit_must(import_add(t->import, STR("d"), kit_replace(&k, kit_record(&k, "\"t-1\""), "0.75", "0.5"), NULL, 0, &err),
		 &err);
	told_end(t);
	CHECK_INT(t->count, 4);
	CHECK_STR(t->items[0].why, STR("because"));
	CHECK_INT(t->items[1].outcome, IMPORT_NEW);
	CHECK(str_starts(t->items[2].why, STR("TR00")));
	CHECK_STR(t->items[3].why, STR("E_CONFLICT: the ledger has another record of this trial, entry 0; nothing is rewritten: "
				       "give the new one an id of its own"));
	kit_must(log_read_checkpoint(k.ledger.logs[LEDGER_MAIN], &k.arena, &c, NULL, &err), &err);
	CHECK_INT(c.size, 1);
	kit_end(&k);
}

TEST(a_dry_run_into_a_ledger_that_is_only_read_works)
{
	struct err err = { .kind = ERR_NONE };
	struct told *t;
	struct kit k;

	kit_begin(&k);
	ledger_close(&k.ledger);
	k.options.read_only = true;
	kit_open(&k);
	t = told_begin(&k, true);
	CHECK(!is_known(t, LEDGER_DIAGNOSTIC, "a", "x"));
	kit_must(import_add(t->import, STR("a"), kit_record(&k, "\"t-1\""), NULL, 0, &err), &err);
	told_end(t);
	CHECK_INT(t->tally.imported, 1);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 0);
	kit_end(&k);
}
