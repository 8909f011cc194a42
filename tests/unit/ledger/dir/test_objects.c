#include "unit/ledger/log_dir_kit.h"

static struct str name_of(struct kit *k, struct digest d)
{
	char hex[SHA256_HEX];

	digest_hex(hex, d);
	return arena_printf(&k->arena, "objects/sha256/%.2s/%.62s", hex, hex + 2);
}

TEST(an_object_is_put_found_and_the_same_twice_is_one)
{
	struct err err = { .kind = ERR_NONE };
	struct str body = STR("some bytes\0and more"), got;
	struct digest d, again;
	struct stat st, later;
	struct log *l;
	struct kit k;
	bool found;

	kit_begin(&k);
	l = kit_make(&k);
	kit_must(l->ops->put_objects(l, &body, 1, &d, &err), &err);
	again = sha256_of(&k.sha, body);
	CHECK(memcmp(d.b, again.b, SHA256_SIZE) == 0);
	CHECK(stat(kit_path(&k, name_of(&k, d).p), &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0444);
	kit_must(l->ops->put_objects(l, &body, 1, &again, &err), &err);
	CHECK(stat(kit_path(&k, name_of(&k, d).p), &later) == 0 && later.st_ino == st.st_ino);
	kit_must(l->ops->object(l, &k.arena, d, &got, &found, &err), &err);
	CHECK(found);
	CHECK_STR(got, body);
	again.b[0] ^= 1;
	kit_must(l->ops->object(l, &k.arena, again, &got, &found, &err), &err);
	CHECK(!found);
	log_close(l);
	kit_end(&k);
}

TEST(many_objects_at_once_are_all_there_and_leave_nothing_else)
{
	struct err err = { .kind = ERR_NONE };
	enum { COUNT = 700 };
	struct str *bodies = test_alloc(COUNT * sizeof(*bodies)), got;
	struct digest *digests = test_alloc(COUNT * sizeof(*digests));
	struct log *l;
	struct kit k;
	bool found;

	kit_begin(&k);
	l = kit_make(&k);
	for (unsigned i = 0; i < COUNT; i++)
		bodies[i] = arena_printf(&k.arena, "body %u", i % 650); /* some of them twice */
	kit_must(l->ops->put_objects(l, bodies, COUNT, digests, &err), &err);
	for (unsigned i = 0; i < COUNT; i++) {
		kit_must(l->ops->object(l, &k.arena, digests[i], &got, &found, &err), &err);
		CHECK(found);
		CHECK_STR(got, bodies[i]);
	}
	CHECK_INT(system(arena_printf(&k.arena, "test -z \"$(find '%s' -name '.tmp*')\"", k.dir.p).p), 0);
	log_close(l);
	kit_end(&k);
}

TEST(an_object_that_is_damaged_is_replaced)
{
	static const char *const damage[] = { "", "some", "some bytez" };
	struct err err = { .kind = ERR_NONE };
	struct str body = STR("some bytes");
	struct digest d;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	for (size_t i = 0; i < 3; i++) {
		kit_must(l->ops->put_objects(l, &body, 1, &d, &err), &err);
		kit_write(&k, name_of(&k, d).p, str_from(damage[i]));
		kit_must(l->ops->put_objects(l, &body, 1, &d, &err), &err);
		CHECK_STR(kit_read(&k, name_of(&k, d).p), body);
	}
	log_close(l);
	kit_end(&k);
}

TEST(an_object_is_erased_once)
{
	struct err err = { .kind = ERR_NONE };
	struct str body = STR("some bytes"), got;
	struct digest d;
	struct log *l;
	struct kit k;
	bool found;

	kit_begin(&k);
	l = kit_make(&k);
	kit_must(l->ops->put_objects(l, &body, 1, &d, &err), &err);
	kit_must(l->ops->erase_object(l, d, 0, &found, &err), &err);
	CHECK(found);
	kit_must(l->ops->object(l, &k.arena, d, &got, &found, &err), &err);
	CHECK(!found);
	kit_must(l->ops->erase_object(l, d, 0, &found, &err), &err);
	CHECK(!found);
	log_close(l);
	k.options.read_only = true;
	l = kit_open(&k);
	CHECK(!l->ops->erase_object(l, d, 0, &found, &err));
	log_close(l);
	kit_end(&k);
}

TEST(an_object_gets_a_name_for_people)
{
	struct err err = { .kind = ERR_NONE };
	struct str body = STR("some bytes"), other = STR("others");
	struct digest d, e;
	struct stat st;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_must(l->ops->put_objects(l, &body, 1, &d, &err), &err);
	kit_must(l->ops->put_objects(l, &other, 1, &e, &err), &err);
	CHECK(log_dir_link(l, d, "records/e1/trial.json"));
	CHECK(log_dir_link(l, d, "records/e1/trial.json"));
	CHECK_STR(kit_read(&k, "records/e1/trial.json"), body);
	CHECK(stat(kit_path(&k, "records/e1/trial.json"), &st) == 0);
	CHECK_INT(st.st_nlink, 2);
	CHECK(!log_dir_link(l, e, "records/e1/trial.json")); /* another has the name, and keeps it */
	CHECK_STR(kit_read(&k, "records/e1/trial.json"), body);
	CHECK(log_dir_has_link(l, d, "records/e1/trial.json"));
	CHECK(!log_dir_has_link(l, e, "records/e1/trial.json"));
	CHECK(!log_dir_has_link(l, e, "records/e1/none.json"));
	CHECK(!log_dir_is_taken(l, d, "records/e1/trial.json"));
	CHECK(log_dir_is_taken(l, e, "records/e1/trial.json"));
	CHECK(!log_dir_is_taken(l, e, "records/e1/none.json"));
	CHECK(log_dir_unlink(l, "records/e1/trial.json"));
	CHECK(!log_dir_unlink(l, "records/e1/trial.json"));
	CHECK(!kit_exists(&k, "records/e1/trial.json"));
	log_close(l);
	kit_end(&k);
}

TEST(a_copy_under_a_name_for_people_is_as_good_as_a_link)
{
	struct err err = { .kind = ERR_NONE };
	struct str body = STR("some bytes");
	struct digest d;
	struct stat st;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_must(l->ops->put_objects(l, &body, 1, &d, &err), &err);
	CHECK(log_dir_link(l, d, "records/e1/trial.json"));
	CHECK(unlink(kit_path(&k, "records/e1/trial.json")) == 0);
	kit_write(&k, "records/e1/trial.json", body);
	CHECK(log_dir_link(l, d, "records/e1/trial.json"));
	CHECK(log_dir_has_link(l, d, "records/e1/trial.json"));
	CHECK(stat(kit_path(&k, "records/e1/trial.json"), &st) == 0);
	CHECK_INT(st.st_nlink, 1);
	kit_write(&k, "records/e1/trial.json", STR("same bytes"));
	CHECK(!log_dir_link(l, d, "records/e1/trial.json"));
	CHECK(!log_dir_has_link(l, d, "records/e1/trial.json"));
	log_close(l);
	kit_end(&k);
}

TEST(names_are_not_made_through_links)
{
	static const char *const names[] = { "records/e1/trial.json", "artifacts/e1/t1/a.txt", "records/e2/dangling.json" };
	struct err err = { .kind = ERR_NONE };
	struct str body = STR("some bytes");
	struct digest d;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_must(l->ops->put_objects(l, &body, 1, &d, &err), &err);
	CHECK(log_dir_link(l, d, "records/e2/other.json") && log_dir_link(l, d, "elsewhere/t1/a.txt"));
	CHECK(symlink("../elsewhere", kit_path(&k, "records/e1")) == 0);
	CHECK(mkdir(kit_path(&k, "artifacts"), 0755) == 0 && symlink("../elsewhere", kit_path(&k, "artifacts/e1")) == 0);
	CHECK(symlink("nothing", kit_path(&k, "records/e2/dangling.json")) == 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		test_case("%s", names[i]);
		CHECK(!log_dir_link(l, d, names[i]));
		CHECK(log_dir_is_taken(l, d, names[i])); /* though the very bytes may be there */
		CHECK(!log_dir_has_link(l, d, names[i]));
	}
	CHECK(!kit_exists(&k, "elsewhere/trial.json"));
	CHECK(!log_dir_unlink(l, "artifacts/e1/t1/a.txt"));
	CHECK(kit_exists(&k, "elsewhere/t1/a.txt"));
	log_close(l);
	kit_end(&k);
}

TEST(a_name_that_leads_out_of_the_log_is_refused)
{
	static const char *const names[] = { "../x", "/tmp/x", "records/../../x", "records//x", "", "./x", "records/.." };
	struct err err = { .kind = ERR_NONE };
	struct str body = STR("some bytes");
	struct digest d;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_must(l->ops->put_objects(l, &body, 1, &d, &err), &err);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		test_case("'%s'", names[i]);
		CHECK(!log_dir_link(l, d, names[i]));
		CHECK(!log_dir_unlink(l, names[i]));
		CHECK(!log_dir_has_link(l, d, names[i]));
	}
	log_close(l);
	kit_end(&k);
}
