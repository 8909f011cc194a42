#include "unit/ledger/made_check.h"

static struct made *make(void)
{
	struct made *m = made_new();

	made_trial(m, LEDGER_MAIN, "a");
	made_trial(m, LEDGER_MAIN, "b");
	made_artifact(m, LEDGER_MAIN, "a/out.txt", made_ref(m, LEDGER_MAIN, 0, "a"), STR("out"));
	made_publish(m);
	return m;
}

static struct disk_file *object(struct made *m, struct str bytes)
{
	struct digest d = sha256_of(&m->sha, bytes);
	char hex[SHA256_HEX];

	digest_hex(hex, d);
	return made_file(m, "l/objects/sha256/%.2s/%.62s", hex, hex + 2);
}

#define OF_A STR("{\"trial_id\":\"a\"}")

static void erase_a(struct made *m)
{
	made_erase(m, LEDGER_MAIN, made_ref(m, LEDGER_MAIN, 0, "a"));
	made_publish(m);
}

/* What erasing takes away. */
static void remove_a(struct made *m)
{
	object(m, OF_A)->gone = true;
	object(m, STR("out"))->gone = true;
	made_file(m, "l/records/exp/a.json")->gone = true;
	made_file(m, "l/artifacts/exp/a/out.txt")->gone = true;
}

TEST(a_changed_object_is_named_with_its_trial)
{
	struct made *m = make();

	object(m, OF_A)->bytes.p[3] ^= 1;
	made_run(m);
	CHECK_ONLY(m, LG_OBJECT, "objects/sha256/");
	CHECK_ONLY(m, LG_OBJECT, "it is the trial 'a' of entry 0");
	object(m, OF_A)->bytes.p[3] ^= 1;
	buf_add_byte(&object(m, STR("out"))->bytes, '!');
	made_run(m);
	CHECK_ONLY(m, LG_OBJECT, "it is the artifact 'a/out.txt' of entry 2");
}

TEST(objects_are_left_alone_when_nobody_asks_for_them)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);

	object(m, OF_A)->bytes.p[3] ^= 1;
	c.objects = false;
	made_run_with(m, c);
	CHECK_CLEAN(m);
	CHECK_INT(m->report[0].objects, 0);
}

TEST(an_entry_that_tells_another_size_than_its_object_has_is_a_finding)
{
	struct made *m = make();
	struct entry e = made_trial_entry(m, LEDGER_MAIN, "s");
	struct err err = { .kind = ERR_NONE };
	struct buf text;

	buf_init(&text);
	e.record.given = true;
	e.record.digest = sha256_of(&m->sha, OF_A);
	e.record.size = 1;
	e.record.media = STR("m");
	e.sealed_at = STR("2026-07-01T10:00:00.000Z");
	CHECK(entry_add_text(&text, &e, &err));
	made_add_bytes(m, LEDGER_MAIN, buf_str(&text));
	made_put(m, OF_A, "l/records/exp/s.json");
	made_publish(m);
	made_run(m);
	CHECK_ONLY(m, LG_OBJECT, "the entry has another size than it: it is the trial 's' of entry 3");
	buf_free(&text);
}

TEST(a_missing_object_is_named_with_its_trial)
{
	struct made *m = make();

	object(m, OF_A)->gone = true;
	made_run(m);
	CHECK_ONLY(m, LG_OBJECT_GONE, "it is missing: it is the trial 'a' of entry 0");
}

TEST(what_an_entry_erases_may_be_missing)
{
	struct made *m = make();

	erase_a(m);
	remove_a(m);
	made_run(m);
	CHECK_CLEAN(m);
	CHECK_INT(m->report[0].erased, 2);
	CHECK_INT(m->report[0].objects, 1);
}

TEST(what_was_erased_must_be_missing)
{
	struct made *m = make();

	erase_a(m);
	made_run(m);
	CHECK_INT(m->findings.errors, 4);
	CHECK_INT(made_count(m, LG_ERASED_THERE, "it was erased: it is the trial 'a' of entry 0"), 1);
	CHECK_INT(made_count(m, LG_ERASED_THERE, "it was erased: it is the artifact 'a/out.txt' of entry 2"), 1);
	CHECK_INT(made_count(m, LG_ERASED_THERE, "records/exp/a.json: the trial 'a' of entry 0 was erased"), 1);
	CHECK_INT(made_count(m, LG_ERASED_THERE, "artifacts/exp/a/out.txt: the artifact 'a/out.txt' of entry 2"), 1);
	remove_a(m);
	made_put(m, OF_A, "l/records/exp/a.json");
	made_run(m);
	CHECK_ONLY(m, LG_ERASED_THERE, "records/exp/a.json: ");
}

TEST(a_shared_object_stays_when_one_of_its_trials_is_erased)
{
	struct made *m = make();

	made_add(m, LEDGER_MAIN, made_trial_entry(m, LEDGER_MAIN, "twin"), OF_A);
	erase_a(m);
	object(m, STR("out"))->gone = true;
	made_file(m, "l/records/exp/a.json")->gone = true;
	made_file(m, "l/artifacts/exp/a/out.txt")->gone = true;
	made_run(m);
	CHECK_CLEAN(m);
}

TEST(a_missing_name_is_a_warning)
{
	struct made *m = make();

	made_file(m, "l/records/exp/a.json")->gone = true;
	made_run(m);
	CHECK_ONLY(m, LG_LINK_GONE, "records/exp/a.json: it is missing: the trial 'a' of entry 0");
	CHECK_INT(m->findings.errors, 0);
}

TEST(a_name_that_leads_to_something_else_is_an_error)
{
	struct made *m = make();

	made_file(m, "l/records/exp/a.json")->bytes.p[4] ^= 1;
	made_run(m);
	CHECK_ONLY(m, LG_LINK, "records/exp/a.json: it is not the trial 'a' that entry 0 seals");
}

TEST(a_hard_link_is_not_read_twice)
{
	struct made *m = make();

	made_file(m, "l/records/exp/a.json")->inode = object(m, OF_A)->inode;
	made_file(m, "l/records/exp/a.json")->bytes.p[4] ^= 1; /* as no disk could have it */
	made_run(m);
	CHECK_CLEAN(m);
}

/* ---- names that version 0.1 gave ---- */

/* The artifact of a second experiment with a trial of the same name. */
static void add_second(struct made *m)
{
	struct entry e = made_trial_entry(m, LEDGER_MAIN, "a");
	uint64_t other;

	e.experiment = STR("second");
	other = made_add(m, LEDGER_MAIN, e, STR("{\"second\":1}"));
	e = (struct entry){ .kind = ENTRY_ARTIFACT, .experiment = STR("second"), .id = STR("a/out.txt") };
	e.ref = made_ref(m, LEDGER_MAIN, other, "a");
	made_add(m, LEDGER_MAIN, e, STR("other out"));
	made_publish(m);
}

TEST(the_old_name_of_an_artifact_will_do)
{
	struct made *m = make();

	made_file(m, "l/artifacts/exp/a/out.txt")->gone = true;
	made_put(m, STR("out"), "l/artifacts/a/out.txt");
	made_run(m);
	CHECK_CLEAN(m);
	made_file(m, "l/artifacts/a/out.txt")->gone = true;
	made_run(m);
	CHECK_ONLY(m, LG_LINK_GONE, "artifacts/exp/a/out.txt: it is missing: the artifact 'a/out.txt' of entry 2");
}

TEST(an_old_name_that_leads_to_something_else_is_an_error)
{
	struct made *m = make();

	made_put(m, STR("our"), "l/artifacts/a/out.txt");
	made_run(m);
	CHECK_ONLY(m, LG_LINK, "artifacts/a/out.txt: it is not the artifact 'a/out.txt' that entry 2 seals");
	made_file(m, "l/artifacts/exp/a/out.txt")->gone = true;
	made_run(m);
	CHECK_ONLY(m, LG_LINK, "artifacts/a/out.txt: ");
}

TEST(of_two_artifacts_with_one_old_name_the_other_is_told_of)
{
	struct made *m = make();

	add_second(m);
	made_run(m);
	CHECK_CLEAN(m);
	made_file(m, "l/artifacts/exp/a/out.txt")->gone = true;
	made_file(m, "l/artifacts/second/a/out.txt")->gone = true;
	made_put(m, STR("other out"), "l/artifacts/a/out.txt");
	made_run(m);
	CHECK_ONLY(m, LG_LINK_GONE, "artifacts/exp/a/out.txt: it is missing: the artifact 'a/out.txt' of entry 2");
	CHECK_INT(m->findings.errors, 0);
}

TEST(what_was_erased_may_not_stand_under_its_old_name)
{
	struct made *m = make();

	erase_a(m);
	remove_a(m);
	made_put(m, STR("out"), "l/artifacts/a/out.txt");
	made_run(m);
	CHECK_ONLY(m, LG_ERASED_THERE, "artifacts/a/out.txt: the artifact 'a/out.txt' of entry 2 was erased");
}

/* A long id is cut, with a hash behind it; nothing keeps another trial from being called just that. */
TEST(a_name_that_two_entries_have_is_told_of)
{
	struct made *m = make();
	char id[202];
	struct str part;

	memset(id, 'x', sizeof(id) - 1);
	id[sizeof(id) - 1] = 0;
	part = entry_path_part(&m->arena, str_from(id));
	made_trial(m, LEDGER_MAIN, part.p);
	made_add(m, LEDGER_MAIN, made_trial_entry(m, LEDGER_MAIN, id), STR("{}"));
	made_put(m, arena_printf(&m->arena, "{\"trial_id\":\"%s\"}", part.p), "l/records/exp/%s.json", part.p);
	made_publish(m);
	made_run(m);
	CHECK_INT(made_count(m, LG_LINK_GONE, "the name is taken by another entry: the trial 'xxx"), 1);
	CHECK_INT(made_count(m, LG_LINK_GONE, "of entry 4 has none"), 1);
	CHECK_INT(m->findings.errors, 0);
}

/* A symbolic link to /dev/zero would otherwise keep us busy for ever. */
TEST(a_file_that_does_not_end_is_not_what_was_sealed)
{
	struct made *m = make();

	object(m, OF_A)->endless = true;
	made_run(m);
	CHECK_ONLY(m, LG_OBJECT, "it is the trial 'a' of entry 0");
	object(m, OF_A)->endless = false;
	made_file(m, "l/records/exp/a.json")->inode = 999;
	made_file(m, "l/records/exp/a.json")->endless = true;
	made_run(m);
	CHECK_ONLY(m, LG_LINK, "records/exp/a.json");
}

/* Numbers of inodes are chosen easily on a file system of one's own, to which a symbolic link leads. */
TEST(a_file_of_another_device_with_the_same_number_is_another_one)
{
	struct made *m = make();
	struct disk_file *name = made_file(m, "l/records/exp/a.json"), *other;

	name->inode = object(m, OF_A)->inode;
	made_run(m);
	CHECK_CLEAN(m);
	other = made_file(m, "l/records/exp/b.json");
	name->device = other->device = 7;
	name->bytes.p[3] ^= 1;
	made_run(m);
	CHECK_ONLY(m, LG_LINK, "records/exp/a.json");
}
