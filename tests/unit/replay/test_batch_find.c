#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"
#include "replay/batch.h"

static void put(struct arena *a, const char *top, const char *path, const char *text)
{
	struct err err = { .kind = ERR_NONE };
	struct str full = ARENA_JOIN(a, str_from(top), STR("/"), str_from(path));

	CHECK(file_make_dirs(str_dirname(full), 0700, NULL, &err) || file_is_dir(str_dirname(full)));
	CHECK(file_replace(full, str_from(text), 0600, &err));
}

TEST(every_run_below_a_directory_is_found_once_and_in_order)
{
	const char *top = test_dir();
	struct err err = { .kind = ERR_NONE };
	struct batch_row *rows;
	struct arena a;
	struct str places[2];
	size_t n;

	arena_init(&a);
	put(&a, top, "b/deep/cassette.jsonl", "");
	put(&a, top, "a/cassette.jsonl", "");
	put(&a, top, "a/cassettes/inner/cassette.jsonl", ""); /* of the run a, not a run of its own */
	put(&a, top, "c/meta.json",
	    "{\"schema\":\"trackway.run/1\",\"run_id\":\"id\",\"files\":[{\"name\":\"cassette.jsonl\",\"sha256\":\"ab\"}]}");
	put(&a, top, "c/agent-trace.jsonl", "");
	put(&a, top, "d/other.txt", "");
	CHECK(symlink(top, ARENA_JOIN(&a, str_from(top), STR("/round")).p) == 0);
	places[0] = str_from(top);
	places[1] = ARENA_JOIN(&a, str_from(top), STR("/a"));
	CHECK(batch_find(&a, places, 2, &rows, &n, &err));
	CHECK_INT(n, 3);
	CHECK_STR(rows[0].name, STR("a"));
	CHECK_STR(rows[1].name, STR("deep"));
	CHECK_STR(rows[2].name, STR("c"));
	CHECK_STR(rows[2].listed_sha256, STR("ab"));
	arena_free(&a);
}

TEST(a_place_without_a_run_is_an_error)
{
	struct err err = { .kind = ERR_NONE };
	struct str place = str_from(test_dir());
	struct batch_row *rows;
	struct arena a;
	size_t n;

	arena_init(&a);
	CHECK(!batch_find(&a, &place, 1, &rows, &n, &err) && err.kind == ERR_DATA);
	place = STR("/nonexistent/place");
	CHECK(!batch_find(&a, &place, 1, &rows, &n, &err));
	arena_free(&a);
}
