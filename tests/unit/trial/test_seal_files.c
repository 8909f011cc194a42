#include "trial/seal_files.h"

#include "trial_kit.h"

TEST(a_record_names_three_files_at_most)
{
	struct seal_files f;
	struct buf told;
	struct str record;
	struct kit k;

	kit_begin(&k);
	CHECK(mkdir(kit_path(&k, "out"), 0700) == 0);
	kit_put(&k, "out/raw.txt", STR("answer"));
	record = kit_record(&k, "\"t-1\"");
	seal_files_find(&k.arena, k.parser, record, k.root, &f);
	CHECK_INT(f.count, 1);
	CHECK_STR(f.artifacts[0].name, STR("out/raw.txt"));
	CHECK_STR(f.artifacts[0].bytes, STR("answer"));
	CHECK_STR(f.artifacts[0].media, STR("text/plain"));
	CHECK_INT(f.missing_count, 2);
	buf_init(&told);
	seal_files_add_missing(&told, &f, "\n");
	CHECK_STR(buf_str(&told), STR("trajectory_path out/trajectory.jsonl is not there\n"
				      "conversation_path out/conversation.jsonl is not there\n"));
	buf_free(&told);
	file_unmap(f.artifacts[0].bytes);
	seal_files_find(&k.arena, k.parser, record, (struct str){ NULL, 0 }, &f);
	CHECK(f.count == 0 && f.missing_count == 3);
	seal_files_find(&k.arena, k.parser, STR("no JSON"), k.root, &f);
	CHECK(f.count == 0 && f.missing_count == 0);
	kit_end(&k);
}

/* As a record has them that came out of a ledger. */
TEST(an_artifact_is_not_named_after_its_trial_twice)
{
	struct seal_files f;
	struct str record;
	struct kit k;

	kit_begin(&k);
	CHECK(mkdir(kit_path(&k, "artifacts"), 0700) == 0 && mkdir(kit_path(&k, "artifacts/e-1"), 0700) == 0 &&
	      mkdir(kit_path(&k, "artifacts/e-1/t-1"), 0700) == 0);
	kit_put(&k, "artifacts/e-1/t-1/raw.txt", STR("x"));
	record = kit_replace(&k, kit_record(&k, "\"t-1\""), "out/raw.txt", "./artifacts/e-1/t-1/raw.txt");
	seal_files_find(&k.arena, k.parser, record, k.root, &f);
	CHECK_INT(f.count, 1);
	CHECK_STR(f.artifacts[0].name, STR("raw.txt"));
	file_unmap(f.artifacts[0].bytes);
	kit_end(&k);
}
