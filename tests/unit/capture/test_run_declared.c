#include "capture/run_declared.h"

#include "base/file.h"
#include "harness/test.h"

static bool read_meta(struct arena *a, const char *text, struct run_declared *out, struct err *err)
{
	struct str dir = str_from(test_dir());

	if (text)
		CHECK(file_replace(arena_copy(a, ARENA_JOIN(a, dir, STR("/meta.json"))), str_from(text), 0600, err));
	return run_declared_read(a, dir, out, err);
}

TEST(what_is_declared_is_given_as_it_stands)
{
	struct run_declared d;
	struct arena a;
	struct err err;

	arena_init(&a);
	CHECK(read_meta(&a, "{\"budget\": {\"max_calls\": 1}, \"retrieval_set\":[\"sha256:x\"], \"content_saved\": true}", &d, &err));
	CHECK_STR(d.budget, STR("{\"max_calls\": 1}"));
	CHECK_STR(d.retrieval_set, STR("[\"sha256:x\"]"));
	CHECK(d.content);
	CHECK(read_meta(&a, "{\"budget\": null}", &d, &err));
	CHECK(!d.budget.p && !d.retrieval_set.p && !d.content);
	arena_free(&a);
}

TEST(a_meta_that_cannot_be_read_is_an_error)
{
	struct run_declared d;
	struct arena a;
	struct err err = { .kind = ERR_NONE };

	arena_init(&a);
	CHECK(!read_meta(&a, NULL, &d, &err));
	CHECK_INT(err.kind, ERR_IO);
	CHECK(!read_meta(&a, "{", &d, &err));
	CHECK_INT(err.kind, ERR_DATA);
	arena_free(&a);
}
