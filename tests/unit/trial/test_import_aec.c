#include "trial/import_aec.h"
#include "import_kit.h"

static struct told *import_all(struct kit *k, const char *path)
{
	struct err err = { .kind = ERR_NONE };
	struct told *t = told_begin(k, false);

	kit_must(aec_import(t->import, str_from(path), &err), &err);
	told_end(t);
	return t;
}

TEST(a_tree_is_imported_but_for_what_begins_with_an_underscore)
{
	struct kit k;
	struct told *t;

	kit_begin(&k);
	CHECK(mkdir(kit_path(&k, "_tree"), 0700) == 0 && mkdir(kit_path(&k, "_tree/e-1"), 0700) == 0);
	CHECK(mkdir(kit_path(&k, "_tree/e-1/_artifacts"), 0700) == 0 && mkdir(kit_path(&k, "_tree/_old"), 0700) == 0);
	kit_put(&k, "_tree/e-1/t-1.json", kit_record(&k, "\"t-1\""));
	kit_put(&k, "_tree/e-1/t-2.json", kit_replace(&k, kit_record(&k, "\"t-2\""), "\"complete\"", "\"partial\""));
	kit_put(&k, "_tree/e-1/_index.json", STR("{}"));
	kit_put(&k, "_tree/e-1/_artifacts/x.json", STR("{}"));
	kit_put(&k, "_tree/_old/t-9.json", kit_record(&k, "\"t-9\""));
	t = import_all(&k, kit_path(&k, "_tree"));
	CHECK_INT(t->tally.imported, 2);
	CHECK_INT(t->tally.refused, 0);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 1);
	CHECK_INT(kit_size(&k, LEDGER_DIAGNOSTIC), 1);
	CHECK_STR(kit_object(&k, LEDGER_MAIN, kit_entry(&k, LEDGER_MAIN, 0).record.digest), kit_record(&k, "\"t-1\""));
	t = import_all(&k, kit_path(&k, "_tree"));
	CHECK_INT(t->tally.imported, 0);
	CHECK_INT(t->tally.duplicates, 2);
	kit_end(&k);
}

TEST(a_file_has_one_record_or_one_per_line)
{
	struct str both;
	struct told *t;
	struct kit k;

	kit_begin(&k);
	both = ARENA_JOIN(&k.arena, str_trim(kit_record(&k, "\"t-1\"")), STR("\n\n"), str_trim(kit_record(&k, "\"t-2\"")),
			  STR("\r\n{broken\n"));
	kit_put(&k, "a.jsonl", both);
	t = import_all(&k, kit_path(&k, "a.jsonl"));
	CHECK_INT(t->tally.imported, 2);
	CHECK_INT(t->tally.refused, 1);
	CHECK(str_ends(t->items[2].name, STR("a.jsonl:4")));
	CHECK(str_starts(t->items[2].why, STR("TR002: ")));
	kit_end(&k);
}

TEST(a_record_of_version_2_is_refused_with_a_sentence)
{
	struct told *t;
	struct kit k;

	kit_begin(&k);
	kit_put(&k, "two.json", kit_replace(&k, kit_record(&k, "\"t-1\""), "{\"trial_id\"", "{\"schema_version\":2,\"trial_id\""));
	kit_put(&k, "one.json", STR("{\"trial_id\":\"t\",\"experiment_id\":\"e\",\"task\":{},\"agent\":{}}"));
	t = import_all(&k, kit_path(&k, "two.json"));
	CHECK_INT(t->tally.refused, 1);
	CHECK(str_find(t->items[0].why, STR("schema version 2")) != (size_t)-1);
	t = import_all(&k, kit_path(&k, "one.json"));
	CHECK(str_starts(t->items[0].why, STR("TR006: ")));
	kit_end(&k);
}

TEST(a_record_that_is_there_with_other_bytes_is_refused)
{
	struct told *t;
	struct kit k;

	kit_begin(&k);
	kit_put(&k, "a.json", kit_record(&k, "\"t-1\""));
	kit_put(&k, "b.json", kit_replace(&k, kit_record(&k, "\"t-1\""), "0.75", "0.5"));
	import_all(&k, kit_path(&k, "a.json"));
	t = import_all(&k, kit_path(&k, "b.json"));
	CHECK_INT(t->tally.refused, 1);
	CHECK(str_starts(t->items[0].why, STR("E_CONFLICT: ")));
	kit_end(&k);
}

TEST(a_path_that_is_not_there_is_an_error)
{
	struct err err = { .kind = ERR_NONE };
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = told_begin(&k, false);
	CHECK(!aec_import(t->import, str_from(kit_path(&k, "none")), &err));
	CHECK_INT(err.kind, ERR_IO);
	told_end(t);
	kit_end(&k);
}

TEST(the_published_record_is_imported)
{
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = import_all(&k, test_shared("aec/trial_record_v1_complete.json"));
	CHECK_INT(t->tally.imported, 1);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 1);
	kit_end(&k);
}
