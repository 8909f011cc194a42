/* A trial out of a ledger: its record and its files. */
#include "cmd/trial/sealed.h"

#include "../../trial/trial_kit.h"
#include "trial/seal.h"

static bool note_sealed(void *context, const struct seal_result *r, struct err *err)
{
	(void)err;
	*(bool *)context = r->outcome == SEAL_ADDED;
	return true;
}

TEST(the_record_and_the_files_are_those_that_were_sealed)
{
	static const struct seal_artifact files[] = {
		{ { "a.txt", 5 }, { "text/plain", 10 }, { "one", 3 } }, { { "d/b.txt", 7 }, { "text/plain", 10 }, { "two", 3 } },
	};
	struct err err = { .kind = ERR_NONE };
	struct frame f = { .quiet = true };
	struct seal_options o;
	struct index_row row;
	struct str record, dir;
	struct sealer *s;
	bool added = false;
	struct kit k;

	kit_begin(&k);
	o = (struct seal_options){ .ledger = &k.ledger, .each = note_sealed, .context = &added };
	s = sealer_open(&o);
	record = kit_record(&k, "\"t-9\"");
	if (!seal_add(s, STR("t-9"), record, files, 2, NULL, &err) || !seal_commit(s, &err))
		FAIL("%s", err.text);
	CHECK(added);
	CHECK(ledger_publish(&k.ledger, &err));
	sealer_close(s);
	CHECK(trial_sealed_record(&k.arena, &k.ledger, &f, STR("t-9"), &row, &dir, &err));
	CHECK_STR(dir, record);
	dir = ARENA_JOIN(&k.arena, k.root, STR("/out"));
	CHECK(trial_sealed_files(&k.arena, &k.ledger, &f, &row, dir, &err));
	CHECK(file_read(&k.arena, ARENA_JOIN(&k.arena, dir, STR("/d/b.txt")), 100, &record, &err));
	CHECK_STR(record, STR("two"));
	CHECK(!trial_sealed_record(&k.arena, &k.ledger, &f, STR("nobody"), &row, &dir, &err));
	kit_end(&k);
}
