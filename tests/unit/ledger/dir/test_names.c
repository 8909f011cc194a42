#include "unit/ledger/log_dir_kit.h"

/* Trial n with its object, committed and without a name: as a writer leaves it that is killed then. */
static struct log_item add(struct kit *k, struct log *l, unsigned n)
{
	struct str body = arena_printf(&k->arena, "body %u", n);
	struct err err = { .kind = ERR_NONE };
	struct log_item item = kit_number(k, n);
	struct digest d;

	kit_must(l->ops->put_objects(l, &body, 1, &d, &err), &err);
	kit_must(log_append(l, &item, 1, &err), &err);
	return item;
}

static bool has_name(struct kit *k, unsigned n)
{
	return kit_exists(k, arena_printf(&k->arena, "records/e1/trial-%u.json", n).p);
}

TEST(names_that_a_killed_writer_did_not_make_are_made_by_the_next)
{
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	add(&k, l, 0);
	kit_publish(l); /* killed after this one, */
	add(&k, l, 1);  /* and before that */
	log_close(l);
	CHECK(!has_name(&k, 0) && !has_name(&k, 1));
	log_close(kit_open(&k));
	CHECK(has_name(&k, 0) && has_name(&k, 1));
	CHECK_STR(kit_read(&k, "records/e1/trial-1.json"), STR("body 1"));
	kit_end(&k);
}

TEST(a_name_that_is_taken_stays_as_it_is)
{
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	add(&k, l, 0);
	log_close(l);
	CHECK(mkdir(kit_path(&k, "records"), 0755) == 0 && mkdir(kit_path(&k, "records/e1"), 0755) == 0);
	kit_write(&k, "records/e1/trial-0.json", STR("mine"));
	log_close(kit_open(&k));
	CHECK_STR(kit_read(&k, "records/e1/trial-0.json"), STR("mine"));
	kit_end(&k);
}

/* Its object may be there for another trial that has the same bytes. */
TEST(the_name_of_what_was_erased_does_not_come_back)
{
	struct err err = { .kind = ERR_NONE };
	struct log_item trial, erase = { .index = 0 };
	struct entry e = { .kind = ENTRY_ERASE, .id = STR("trial-0"), .experiment = STR("e1"), .reason = STR("asked to"),
			   .sealed_at = STR("2026-05-01T10:00:00.000Z") };
	struct buf text;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	trial = add(&k, l, 0);
	add(&k, l, 1);
	e.ref = (struct entry_ref){ .given = true, .trial_id = STR("trial-0"), .index = trial.index, .leaf = trial.leaf };
	buf_init(&text);
	kit_must(entry_add_text(&text, &e, &err), &err);
	erase.ident = entry_ident(&k.arena, &e);
	erase.digest = entry_digest(&e);
	erase.entry = buf_str(&text);
	kit_must(log_append(l, &erase, 1, &err), &err);
	log_close(l);
	log_close(kit_open(&k));
	CHECK(!has_name(&k, 0));
	CHECK(has_name(&k, 1));
	buf_free(&text);
	kit_end(&k);
}

TEST(what_has_no_object_gets_no_name_and_no_directory)
{
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 2);
	log_close(l);
	log_close(kit_open(&k));
	CHECK(!kit_exists(&k, "records"));
	kit_end(&k);
}
