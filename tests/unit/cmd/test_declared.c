#include "cmd/declared.h"

#include "base/file.h"
#include "harness/test.h"

static struct str write_text(struct arena *a, const char *text)
{
	struct str path = arena_printf(a, "%s/declared.json", test_dir());
	struct err err;

	CHECK(file_replace(path, str_from(text), 0600, &err));
	return path;
}

TEST(a_file_of_each_kind_is_read)
{
	struct audit_policy p = { 0 };
	struct arena a;
	struct err err;
	struct str text;

	arena_init(&a);
	CHECK(declared_read(&a, write_text(&a, "{\"budget\":{\"max_calls\":1}}"), DECLARED_POLICY, &p, &text, &err));
	CHECK(p.has_calls && text.n == 26);
	CHECK(declared_read(&a, write_text(&a, "{\"max_tokens\":1}"), DECLARED_BUDGET, &p, NULL, &err));
	CHECK(declared_read(&a, write_text(&a, "[]"), DECLARED_SET, &p, NULL, &err));
	CHECK(p.has_tokens && p.has_set);
	arena_free(&a);
}

TEST(a_wrong_file_is_an_error_of_usage_and_a_missing_one_is_not)
{
	struct audit_policy p = { 0 };
	struct err err = { .kind = ERR_NONE };
	struct arena a;

	arena_init(&a);
	CHECK(!declared_read(&a, write_text(&a, "{\"x\":1}"), DECLARED_BUDGET, &p, NULL, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(str_has(str_from(err.text), STR("declared.json: line 1, column 2: budget.x is not known")));
	CHECK(!declared_read(&a, STR("/nowhere/x.json"), DECLARED_BUDGET, &p, NULL, &err));
	CHECK_INT(err.kind, ERR_IO);
	arena_free(&a);
}

TEST(a_recording_gets_both_in_canonical_form_and_the_set_as_digests)
{
	struct recording_options o = { .argv = NULL };
	struct str budget, set;
	struct arena a;
	struct err err;

	arena_init(&a);
	CHECK(declared_for_run(&a, str_of(NULL, 0), str_of(NULL, 0), &o, &err));
	CHECK(!o.budget.p && !o.retrieval_set.p && !o.retrieval_digests.p);
	budget = write_text(&a, "{ \"max_tokens\": 2, \"max_calls\": 1.0 }");
	set = write_text(&a, "[ \"https://Example.org\" ]");
	CHECK(declared_for_run(&a, budget, set, &o, &err));
	CHECK_STR(o.budget, STR("{\"max_calls\":1,\"max_tokens\":2}"));
	CHECK_STR(o.retrieval_set, STR("[\"https://Example.org\"]"));
	CHECK(str_starts(o.retrieval_digests, STR("[\"sha256:")));
	arena_free(&a);
}
