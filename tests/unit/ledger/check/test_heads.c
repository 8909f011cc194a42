#include "unit/ledger/made_check.h"

static struct made *make(void)
{
	struct made *m = made_new();

	for (int i = 0; i < 9; i++)
		made_trial(m, LEDGER_MAIN, (char[]){ (char)('a' + i), 0 });
	made_publish_at(m, LEDGER_DIAGNOSTIC, 0);
	made_publish_at(m, LEDGER_MAIN, 4);
	made_publish_at(m, LEDGER_MAIN, 9);
	return m;
}

/* The same log with another third entry, signed by the same key. */
static struct made *fork(void)
{
	struct made *m = make();

	made_add(m, LEDGER_MAIN, made_trial_entry(m, LEDGER_MAIN, "z"), STR("{}"));
	m->logs[0].count--;
	m->logs[0].entries[2] = m->logs[0].entries[9];
	m->logs[0].leaves[2] = m->logs[0].leaves[9];
	made_publish_at(m, LEDGER_MAIN, 4);
	made_publish_at(m, LEDGER_MAIN, 9);
	made_put(m, STR("{}"), "l/records/exp/z.json");
	for (size_t i = 0; i < m->disk->count; i++) /* of the entry whose place it took */
		if (strstr(m->disk->files[i].path, "records/exp/c.json"))
			m->disk->files[i].gone = true;
	return m;
}

static void run_remote(struct made *m, struct ledger_check c)
{
	c.local = false;
	made_run_with(m, c);
}

/* ---- the checkpoint and its key ---- */

TEST(a_checkpoint_that_is_missing_is_named)
{
	struct made *m = make();

	made_file(m, "l/checkpoint")->gone = true;
	made_run(m);
	CHECK_ONLY(m, LG_NO_CHECKPOINT, "checkpoint: it is missing");
}

TEST(a_checkpoint_that_is_no_note_is_named)
{
	struct made *m = make();

	made_put(m, STR("example.org/l\n9\n"), "l/checkpoint");
	made_run(m);
	CHECK_ONLY(m, LG_NOT_A_NOTE, "checkpoint: ");
}

TEST(a_checkpoint_that_another_key_signed_is_named)
{
	struct made *m = make();
	uint8_t seed[ED25519_SEED] = { 99 };
	struct err err;

	CHECK(signer_init(&m->logs[0].signer, STR("example.org/l"), KEY_LOG, seed, &err));
	made_put(m, made_sign(m, LEDGER_MAIN, 9), "l/checkpoint");
	made_run(m);
	CHECK_ONLY(m, LG_NOT_SIGNED, "checkpoint: ");
	CHECK(!m->report[0].signed_well);
}

/* As it is for whoever has two ledgers, and asks about one with the key of the other. */
TEST(a_key_that_was_given_and_is_of_another_log_is_one_error)
{
	static const char *const names[] = { "example.org/l", "example.org/other" };
	uint8_t seed[ED25519_SEED] = { 99 };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct made *m = make();
		struct ledger_check c = made_check(m);
		struct signer other;
		struct err err;

		CHECK(signer_init(&other, str_from(names[i]), KEY_LOG, seed, &err));
		c.vkey = made_vkey(m, &other.key);
		made_run_with(m, c);
		CHECK_ONLY(m, LG_NOT_SIGNED, "checkpoint: it is signed by example.org/l+");
		CHECK(!m->report[0].key_is_trusted && !m->report[1].key_is_trusted);
		CHECK_STR(m->report[0].origin, STR("example.org/l"));
	}
}

TEST(a_wrong_signature_does_not_hide_what_else_is_wrong)
{
	struct made *m = make();

	made_file(m, "l/checkpoint")->bytes.p[20] ^= 1;
	made_file(m, "l/tile/0/000.p/9")->bytes.p[3] ^= 1;
	made_run(m);
	CHECK_INT(m->findings.errors, 2);
	CHECK_INT(made_count(m, LG_TILE, "tile/0/000.p/9"), 1);
}

TEST(the_checkpoint_of_another_log_of_the_same_key_is_named)
{
	struct made *m = make();
	struct checkpoint c = { .origin = STR("example.org/x"), .size = 9, .root = made_subtree(m, LEDGER_MAIN, 0, 9) };
	struct err err = { .kind = ERR_NONE };
	struct buf note;

	buf_init(&note);
	CHECK(checkpoint_sign(&note, &c, &m->logs[0].signer, &err));
	made_put(m, buf_str(&note), "l/checkpoint");
	made_run(m);
	CHECK_INT(made_count(m, LG_ORIGIN, "checkpoint: "), 1);
	buf_free(&note);
}

TEST(a_key_beside_the_log_that_is_none_or_another_one_is_named)
{
	struct made *m = make();

	made_put(m, STR("nonsense"), "l/vkey");
	made_run(m);
	CHECK_ONLY(m, LG_VKEY, "vkey: it is not a key");
	made_put(m, made_vkey(m, &m->logs[1].signer.key), "l/vkey");
	made_run(m);
	CHECK_ONLY(m, LG_VKEY, "vkey: it is the key of 'example.org/l/diagnostic'");
	made_file(m, "l/vkey")->gone = true;
	made_run(m);
	CHECK_ONLY(m, LG_VKEY, "vkey: it is missing");
}

TEST(without_any_key_the_signature_is_not_known_but_the_tree_is_looked_at)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);

	made_file(m, "l/vkey")->gone = true;
	made_file(m, "l/diagnostic/checkpoint")->gone = true;
	made_file(m, "l/tile/0/000.p/9")->bytes.p[3] ^= 1;
	c.vkey = (struct str){ NULL, 0 };
	run_remote(m, c);
	CHECK_INT(made_count(m, LG_NO_KEY, "checkpoint: "), 1);
	CHECK_INT(made_count(m, LG_TILE, "tile/0/000.p/9"), 1);
	CHECK(!m->report[0].signed_well);
}

/* ---- checkpoints that were kept ---- */

TEST(a_checkpoint_that_was_kept_must_be_signed_and_of_its_size)
{
	struct made *m = make();

	made_file(m, "l/checkpoints/4")->bytes.p[0] ^= 1;
	made_run(m);
	CHECK_ONLY(m, LG_KEPT, "checkpoints/4: ");
	made_put(m, made_sign(m, LEDGER_MAIN, 5), "l/checkpoints/4");
	made_run(m);
	CHECK_ONLY(m, LG_KEPT, "checkpoints/4: it is the checkpoint of 5 entries");
}

TEST(a_checkpoint_that_was_kept_must_be_one_of_this_history)
{
	struct made *m = make(), *other = fork();
	struct ledger_check c;

	made_put(m, made_sign(other, LEDGER_MAIN, 4), "l/checkpoints/4");
	made_run(m);
	CHECK_ONLY(m, LG_KEPT, "checkpoints/4: the log had another root at 4 entries");
	m = make();
	made_put(m, made_sign(m, LEDGER_MAIN, 4), "l/checkpoint");
	c = made_check(m);
	c.objects = false; /* the records of the entries that were taken back are still there */
	run_remote(m, c);
	CHECK_INT(made_count(m, LG_KEPT, "checkpoints/9: it says 9 entries, and the log has 4"), 1);
	CHECK_INT(made_count(m, LG_OLDER, "checkpoint: it is of 4 entries, and its key signed 9"), 1);
	CHECK_INT(m->findings.errors, 1);
}

/* ---- the signer's head ---- */

TEST(a_log_that_was_taken_back_is_shorter_than_what_its_key_signed)
{
	struct made *m = make(), *older = made_new();

	for (int i = 0; i < 4; i++)
		made_trial(older, LEDGER_MAIN, (char[]){ (char)('a' + i), 0 });
	made_publish(older);
	made_put_head(older, LEDGER_MAIN, made_sign(m, LEDGER_MAIN, 9));
	made_run(older);
	CHECK_ONLY(older, LG_ROLLBACK, "checkpoint: the log has 4 entries, and its key signed 9 [E_ROLLBACK]");
}

TEST(a_second_history_is_not_what_the_key_signed)
{
	struct made *m = make(), *other = fork();

	made_put_head(other, LEDGER_MAIN, made_sign(m, LEDGER_MAIN, 9));
	made_run(other);
	CHECK_INT(made_count(other, LG_FORK, "checkpoint: at 9 entries"), 1);
	made_put_head(other, LEDGER_MAIN, made_sign(m, LEDGER_MAIN, 4));
	made_run(other);
	CHECK_INT(made_count(other, LG_FORK, "checkpoint: at 4 entries"), 1);
}

TEST(a_head_that_is_damaged_is_a_finding)
{
	struct made *m = make();

	made_put_head(m, LEDGER_MAIN, STR("what?"));
	made_run(m);
	CHECK_ONLY(m, LG_HEAD, "checkpoint: what its key signed last is not known");
}

/* ---- older checkpoints of somebody else ---- */

TEST(an_older_checkpoint_of_the_same_history_anchors_what_it_covers)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);

	c.against = made_sign(m, LEDGER_MAIN, 5);
	made_run_with(m, c);
	CHECK_CLEAN(m);
	CHECK_INT(m->report[0].anchored, 5);
	c.against = made_sign(m, LEDGER_DIAGNOSTIC, 0);
	made_run_with(m, c);
	CHECK_CLEAN(m);
}

TEST(an_older_checkpoint_shows_a_rewritten_history)
{
	struct made *m = make(), *other = fork();
	struct ledger_check c = made_check(other);

	c.against = made_sign(m, LEDGER_MAIN, 5);
	made_run_with(other, c);
	CHECK_INT(made_count(other, LG_REWRITTEN, "at 5 entries"), 1);
	CHECK_INT(other->report[0].anchored, 0);
	c.against = made_sign(m, LEDGER_MAIN, 2); /* before they part */
	made_run_with(other, c);
	CHECK_INT(made_count(other, LG_REWRITTEN, ""), 0);
	CHECK_INT(other->report[0].anchored, 2);
}

TEST(an_older_checkpoint_shows_what_was_taken_back)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);

	c.against = made_sign(m, LEDGER_MAIN, 9);
	made_put(m, made_sign(m, LEDGER_MAIN, 4), "l/checkpoint");
	run_remote(m, c);
	CHECK_INT(made_count(m, LG_TAKEN_BACK, "checkpoint: the log has 4 entries, and the older checkpoint 9"), 1);
}

/* Without this, whoever removes the whole second log is asked nothing. */
TEST(an_older_checkpoint_of_a_log_that_is_gone_is_not_forgotten)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);

	c.against = made_sign(m, LEDGER_DIAGNOSTIC, 0);
	c.local = false;
	for (size_t i = 0; i < m->disk->count; i++)
		m->disk->files[i].gone |= strncmp(m->disk->files[i].path, "l/diagnostic/", 13) == 0;
	made_run_with(m, c);
	CHECK_ONLY(m, LG_NO_CHECKPOINT, "diagnostic/checkpoint: it is missing");
	c.against = made_sign(m, LEDGER_MAIN, 5);
	made_run_with(m, c);
	CHECK_CLEAN(m);
}

TEST(an_older_checkpoint_must_be_signed_by_the_logs_key)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);
	static const char *const texts[] = { "nonsense", "", "example.org/other\n1\nAAAA\n" };

	for (size_t i = 0; i < 3; i++) {
		test_case("%zu", i);
		c.against = str_from(texts[i]);
		made_run_with(m, c);
		CHECK_ONLY(m, LG_AGAINST, "checkpoint: ");
	}
	c.against = made_sign(m, LEDGER_MAIN, 4);
	((char *)(uintptr_t)c.against.p)[14] = '5';
	made_run_with(m, c);
	CHECK_ONLY(m, LG_AGAINST, "its signature is wrong");
}

/* ---- witnesses ---- */

static struct str policy_text(struct made *m, const struct signer *witness)
{
	struct str log = made_vkey(m, &m->logs[0].signer.key), vkey = made_vkey(m, &witness->key);

	return arena_printf(&m->arena, "log %.*s\nwitness w %.*s\nquorum w\n", STR_ARG(log), STR_ARG(vkey));
}

TEST(a_policy_asks_for_the_signatures_of_witnesses)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);
	struct disk_file *f = made_file(m, "l/checkpoint");
	uint8_t seed[ED25519_SEED] = { 42 };
	struct err err = { .kind = ERR_NONE };
	struct signer witness;
	struct policy policy;
	struct note note;
	const char *why;

	CHECK(signer_init(&witness, STR("w.example"), KEY_WITNESS, seed, &err));
	CHECK(policy_parse(&m->arena, policy_text(m, &witness), &policy, &err));
	c.policy = &policy;
	made_run_with(m, c);
	CHECK_ONLY(m, LG_WITNESSES, "checkpoint: ");
	CHECK(note_parse(arena_copy(&m->arena, buf_str(&f->bytes)), &note, &why));
	CHECK(cosignature_add_line(&f->bytes, note.text, &witness, 1700000000, &err));
	made_run_with(m, c);
	CHECK_CLEAN(m);
	CHECK_INT(m->report[0].witnesses, 1);
	CHECK_INT(m->report[0].cosigned_at, 1700000000);
	f->bytes.p[f->bytes.n - 20] = f->bytes.p[f->bytes.n - 20] == 'A' ? 'B' : 'A'; /* in its signature */
	made_run_with(m, c);
	CHECK_ONLY(m, LG_WITNESSES, "checkpoint: ");
	CHECK_INT(m->report[0].witnesses, 0);
	c.policy = NULL; /* nobody here knows its key */
	made_run_with(m, c);
	CHECK_CLEAN(m);
}
