#include "amend_kit.h"

TEST(a_trial_is_superseded_by_another_one_once)
{
	struct err err = { .kind = ERR_NONE };
	struct amend_target a, b, c;
	struct amend_result r, again;
	struct entry e;
	struct kit k;

	kit_begin(&k);
	a = amend_kit_seal(&k, kit_record(&k, "\"t-1\""), NULL, 0);
	b = amend_kit_seal(&k, kit_record(&k, "\"t-2\""), NULL, 0);
	c = amend_kit_seal(&k, kit_record(&k, "\"t-3\""), NULL, 0);
	kit_must(supersede_seal(&k.ledger, &a, &b, STR("wrong units"), &r, &err), &err);
	CHECK_INT(r.index, 3);
	CHECK(!r.was_there);
	e = kit_entry(&k, LEDGER_MAIN, 3);
	CHECK_INT(e.kind, ENTRY_SUPERSEDE);
	CHECK_STR(e.ref.trial_id, STR("t-1"));
	CHECK_INT(e.ref.index, 0);
	CHECK(memcmp(e.ref.leaf.b, a.leaf.b, 32) == 0);
	CHECK_STR(e.by.trial_id, STR("t-2"));
	CHECK_INT(e.by.index, 1);
	CHECK(memcmp(e.by.leaf.b, b.leaf.b, 32) == 0);
	CHECK_STR(e.reason, STR("wrong units"));
	CHECK_STR(e.experiment, STR("e-1"));
	CHECK(!e.record.given);
	kit_must(supersede_seal(&k.ledger, &a, &b, STR("wrong units"), &again, &err), &err);
	CHECK_INT(again.index, 3);
	CHECK(again.was_there);
	CHECK(!supersede_seal(&k.ledger, &a, &c, STR("wrong units"), &again, &err));
	CHECK(str_starts(str_from(err.text), STR("[E_CONFLICT] ")));
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 4);
	kit_end(&k);
}

/* Else both would be gone from every list, and none would stand. */
TEST(a_trial_cannot_take_the_place_of_one_that_came_to_take_its_own)
{
	struct err err = { .kind = ERR_NONE };
	struct amend_target a, b, c;
	struct amend_result r;
	struct kit k;

	kit_begin(&k);
	a = amend_kit_seal(&k, kit_record(&k, "\"t-1\""), NULL, 0);
	b = amend_kit_seal(&k, kit_record(&k, "\"t-2\""), NULL, 0);
	c = amend_kit_seal(&k, kit_record(&k, "\"t-3\""), NULL, 0);
	kit_must(supersede_seal(&k.ledger, &a, &b, STR("x"), &r, &err), &err);
	CHECK(!supersede_seal(&k.ledger, &b, &a, STR("x"), &r, &err));
	CHECK_INT(err.kind, ERR_DATA);
	kit_must(supersede_seal(&k.ledger, &b, &c, STR("x"), &r, &err), &err);
	CHECK(!supersede_seal(&k.ledger, &c, &a, STR("x"), &r, &err));
	CHECK(!supersede_seal(&k.ledger, &c, &b, STR("x"), &r, &err));
	kit_must(supersede_seal(&k.ledger, &a, &b, STR("x"), &r, &err), &err);
	CHECK(r.was_there);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 5);
	kit_end(&k);
}

TEST(what_cannot_be_superseded_is_refused)
{
	struct err err = { .kind = ERR_NONE };
	struct amend_target a, b, partial, wrong;
	struct amend_result r;
	struct kit k;

	kit_begin(&k);
	a = amend_kit_seal(&k, kit_record(&k, "\"t-1\""), NULL, 0);
	b = amend_kit_seal(&k, kit_record(&k, "\"t-2\""), NULL, 0);
	partial = amend_kit_seal(&k, kit_replace(&k, kit_record(&k, "\"t-2\""), "\"complete\"", "\"partial\""), NULL, 0);
	CHECK_INT(partial.part, LEDGER_DIAGNOSTIC);
	CHECK(!supersede_seal(&k.ledger, &a, &partial, STR("x"), &r, &err));
	CHECK(str_find(str_from(err.text), STR("diagnostic")) != (size_t)-1);
	CHECK(!supersede_seal(&k.ledger, &a, &a, STR("x"), &r, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(!supersede_seal(&k.ledger, &a, &b, STR(" \n"), &r, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	wrong = b;
	wrong.leaf.b[0] ^= 1;
	CHECK(!supersede_seal(&k.ledger, &a, &wrong, STR("x"), &r, &err));
	CHECK_INT(err.kind, ERR_DATA);
	wrong = b;
	wrong.trial_id = STR("t-1");
	CHECK(!supersede_seal(&k.ledger, &wrong, &b, STR("x"), &r, &err));
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 2);
	kit_end(&k);
}

TEST(an_erased_trial_leaves_its_entry_and_nothing_else)
{
	const struct seal_artifact artifacts[] = {
		{ STR("conversation.jsonl"), STR("application/jsonl"), STR("private\n") },
		{ STR("shared.txt"), STR("text/plain"), STR("public\n") },
	};
	struct err err = { .kind = ERR_NONE };
	struct amend_target a, b;
	struct amend_result r;
	struct str record;
	struct entry e;
	struct kit k;

	kit_begin(&k);
	record = kit_record(&k, "\"t-1\"");
	a = amend_kit_seal(&k, record, artifacts, 2);
	b = amend_kit_seal(&k, kit_record(&k, "\"t-2\""), artifacts + 1, 1);
	CHECK(kit_has(&k, "ledger/records/e-1/t-1.json") && kit_has(&k, "ledger/artifacts/e-1/t-1/conversation.jsonl"));
	kit_must(erase_seal(&k.ledger, &a, STR("asked for by its author"), &r, &err), &err);
	CHECK_INT(r.erased, 2);
	CHECK_INT(r.shared, 1);
	e = kit_entry(&k, LEDGER_MAIN, r.index);
	CHECK_INT(e.kind, ENTRY_ERASE);
	CHECK_STR(e.reason, STR("asked for by its author"));
	CHECK_STR(e.ref.trial_id, STR("t-1"));
	CHECK(kit_object(&k, LEDGER_MAIN, sha256_of(&k.sha, record)).p == NULL);
	CHECK(kit_object(&k, LEDGER_MAIN, sha256_of(&k.sha, STR("private\n"))).p == NULL);
	CHECK_STR(kit_object(&k, LEDGER_MAIN, sha256_of(&k.sha, STR("public\n"))), STR("public\n"));
	CHECK(!kit_has(&k, "ledger/records/e-1/t-1.json") && !kit_has(&k, "ledger/artifacts/e-1/t-1/conversation.jsonl"));
	CHECK(!kit_has(&k, "ledger/artifacts/e-1/t-1/shared.txt") && kit_has(&k, "ledger/artifacts/e-1/t-2/shared.txt"));
	CHECK(kit_has(&k, "ledger/records/e-1/t-2.json"));
	/* the last one that has it takes it along */
	kit_must(erase_seal(&k.ledger, &b, STR("too"), &r, &err), &err);
	CHECK_INT(r.erased, 2);
	CHECK_INT(r.shared, 0);
	CHECK(kit_object(&k, LEDGER_MAIN, sha256_of(&k.sha, STR("public\n"))).p == NULL);
	kit_end(&k);
}

TEST(erasing_removes_the_old_name_of_an_artifact_unless_it_leads_elsewhere)
{
	const struct seal_artifact one = { STR("a.txt"), STR("text/plain"), STR("private\n") };
	struct err err = { .kind = ERR_NONE };
	struct amend_target a, b;
	struct amend_result r;
	struct kit k;

	kit_begin(&k);
	a = amend_kit_seal(&k, kit_record(&k, "\"t-1\""), &one, 1);
	b = amend_kit_seal(&k, kit_record(&k, "\"t-2\""), &one, 1);
	CHECK(mkdir(kit_path(&k, "ledger/artifacts/t-1"), 0700) == 0 && mkdir(kit_path(&k, "ledger/artifacts/t-2"), 0700) == 0);
	kit_put(&k, "ledger/artifacts/t-1/a.txt", STR("private\n"));
	kit_put(&k, "ledger/artifacts/t-2/a.txt", STR("of another experiment\n"));
	kit_must(erase_seal(&k.ledger, &a, STR("why"), &r, &err), &err);
	CHECK_INT(r.shared, 1);
	CHECK(!kit_has(&k, "ledger/artifacts/t-1/a.txt"));
	kit_must(erase_seal(&k.ledger, &b, STR("why"), &r, &err), &err);
	CHECK(kit_has(&k, "ledger/artifacts/t-2/a.txt"));
	kit_end(&k);
}

TEST(erasing_again_finishes_what_was_begun)
{
	struct err err = { .kind = ERR_NONE };
	struct amend_target a;
	struct amend_result r;
	struct str record;
	struct digest d;
	struct log *log;
	struct kit k;

	kit_begin(&k);
	record = kit_record(&k, "\"t-1\"");
	a = amend_kit_seal(&k, record, NULL, 0);
	kit_must(erase_seal(&k.ledger, &a, STR("why"), &r, &err), &err);
	/* as if we had been stopped between the entry and the object */
	log = k.ledger.logs[LEDGER_MAIN];
	kit_must(log->ops->put_objects(log, &record, 1, &d, &err), &err);
	kit_must(erase_seal(&k.ledger, &a, STR("another reason"), &r, &err), &err);
	CHECK(r.was_there);
	CHECK_INT(r.erased, 1);
	CHECK(kit_object(&k, LEDGER_MAIN, d).p == NULL);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 2);
	CHECK_STR(kit_entry(&k, LEDGER_MAIN, 1).reason, STR("why"));
	CHECK(!erase_seal(&k.ledger, &a, STR(""), &r, &err));
	kit_end(&k);
}

TEST(what_was_erased_does_not_come_back_when_it_is_added_again)
{
	const struct seal_artifact one = { STR("new.txt"), STR("text/plain"), STR("new\n") };
	struct kit_told *told = test_alloc(sizeof(*told));
	struct err err = { .kind = ERR_NONE };
	struct seal_options o = { .each = kit_tell, .context = told };
	struct amend_target a;
	struct amend_result r;
	struct sealer *s;
	struct str record;
	struct kit k;

	kit_begin(&k);
	record = kit_record(&k, "\"t-1\"");
	a = amend_kit_seal(&k, record, NULL, 0);
	kit_must(erase_seal(&k.ledger, &a, STR("why"), &r, &err), &err);
	o.ledger = &k.ledger;
	told->kit = &k;
	s = sealer_open(&o);
	kit_must(seal_add(s, STR("it"), record, &one, 1, NULL, &err) && seal_commit(s, &err), &err);
	sealer_close(s);
	CHECK_INT(told->results[0].outcome, SEAL_SAME);
	CHECK(kit_object(&k, LEDGER_MAIN, sha256_of(&k.sha, record)).p == NULL);
	CHECK(kit_object(&k, LEDGER_MAIN, sha256_of(&k.sha, STR("new\n"))).p == NULL);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 2);
	kit_end(&k);
}

TEST(a_row_of_the_index_names_a_trial)
{
	struct index_row row = { .part = LEDGER_DIAGNOSTIC, .index = 7, .experiment = STR("e"), .id = STR("t") };
	struct amend_target t;

	row.leaf.b[3] = 9;
	t = amend_target_of(&row);
	CHECK_INT(t.part, LEDGER_DIAGNOSTIC);
	CHECK_INT(t.index, 7);
	CHECK_INT(t.leaf.b[3], 9);
	CHECK_STR(t.experiment, STR("e"));
	CHECK_STR(t.trial_id, STR("t"));
}
