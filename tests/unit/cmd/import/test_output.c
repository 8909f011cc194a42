/* The answer of an import. What each command prints is shown by tests/cli/import-*. */
#include "cmd/import/output.h"

#include "unit/trial/trial_kit.h"

static const struct str none = { NULL, 0 };
static const struct frame quiet = { .quiet = true };

TEST(a_ledger_that_is_not_there_is_told)
{
	struct import_opts o = { .dry_run = true };
	struct ledger_choice where = { .where = STR("/none/such") };
	struct err err = { .kind = ERR_NONE };
	struct import_output out;
	struct arena a;

	arena_init(&a);
	CHECK(!import_output_open(&out, &a, &o, &where, &quiet, "sample", &err));
	CHECK_INT(err.kind, ERR_DATA);
	CHECK(str_starts(str_from(err.text), STR("/none/such: there is no such directory")));
	arena_free(&a);
}

/* What is printed goes to a file. */
static struct str end_into_file(struct kit *k, struct import_output *out, bool done, int want, struct err *err)
{
	int saved = dup(1), status;

	CHECK(saved >= 0 && freopen(kit_path(k, "printed"), "w", stdout));
	status = import_output_end(out, done, STR("ex"), none, err);
	fflush(stdout);
	CHECK(dup2(saved, 1) == 1);
	CHECK_INT(status, want);
	return test_read(kit_path(k, "printed"));
}

static void begin(struct kit *k, struct import_output *out, const struct import_opts *o)
{
	struct ledger_choice where = { .where = k->dir, .force_network = true };
	struct err err = { .kind = ERR_NONE };

	ledger_close(&k->ledger);
	CHECK(setenv("TRACKWAY_KEYS", k->keys.p, 1) == 0);
	kit_must(import_output_open(out, &k->arena, o, &where, &quiet, "record", &err), &err);
}

TEST(the_status_is_no_when_something_was_refused)
{
	struct import_opts o = { .json = { .given = true, .value = STR("imported,duplicates,refused,experiment_id") } };
	struct err err = { .kind = ERR_NONE };
	struct import_output out;
	struct kit k;

	kit_begin(&k);
	begin(&k, &out, &o);
	kit_must(import_add(out.import, STR("a"), kit_record(&k, "\"t-1\""), NULL, 0, &err), &err);
	CHECK_STR(end_into_file(&k, &out, true, EXIT_YES, &err),
		  STR("{\"schema\":\"trackway.import/1\",\"imported\":1,\"duplicates\":0,\"refused\":0,\"experiment_id\":\"ex\"}\n"));
	begin(&k, &out, &o);
	kit_must(import_add(out.import, STR("a"), kit_record(&k, "\"t-1\""), NULL, 0, &err) &&
			 import_refuse(out.import, STR("b"), none, none, STR("because"), &err), &err);
	CHECK_STR(end_into_file(&k, &out, true, EXIT_NO, &err),
		  STR("{\"schema\":\"trackway.import/1\",\"imported\":0,\"duplicates\":1,\"refused\":1,\"experiment_id\":\"ex\"}\n"));
	kit_open(&k);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 1);
	kit_end(&k);
}

TEST(what_was_read_before_a_failure_is_kept_and_told)
{
	struct import_opts o = { .dry_run = false };
	struct err err = { .kind = ERR_NONE };
	struct import_output out;
	struct kit k;

	kit_begin(&k);
	begin(&k, &out, &o);
	kit_must(import_add(out.import, STR("a"), kit_record(&k, "\"t-1\""), NULL, 0, &err), &err);
	err_set(&err, ERR_DATA, "it broke off");
	CHECK_STR(end_into_file(&k, &out, false, EXIT_FAIL, &err), STR("imported 1 record of ex, 0 already there, 0 refused\n"));
	CHECK_STR(str_from(err.text), STR("it broke off"));
	begin(&k, &out, &o);
	CHECK_STR(end_into_file(&k, &out, false, EXIT_FAIL, &err), STR("")); /* nothing was read: nothing to say */
	kit_open(&k);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 1);
	kit_end(&k);
}
