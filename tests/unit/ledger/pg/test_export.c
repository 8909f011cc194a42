#include "harness/test.h"
#include "ledger/pg/private.h"

/* A log whose checkpoint cannot be read: nothing may be written then, least of all a directory. */
static bool no_checkpoint(struct log *l, struct arena *a, struct str *note, struct err *err)
{
	(void)l;
	(void)a;
	(void)note;
	return err_set(err, ERR_IO, "gone");
}

static int no_mkdir(void *own, const char *path, unsigned mode)
{
	(void)path;
	(void)mode;
	*(bool *)own = true;
	return 0;
}

TEST(an_export_begins_with_the_checkpoint_and_writes_nothing_without_it)
{
	const struct log_ops ops = { .checkpoint = no_checkpoint };
	struct log_pg l = { .log = { .ops = &ops, .where = STR("here"), .origin = STR("o") } };
	const struct io_ops disk = { .mkdir = no_mkdir };
	struct err err = { .kind = ERR_NONE };
	bool touched = false;
	struct io io = { .ops = &disk, .own = &touched };

	CHECK(!log_pg_export(&l.log, &io, STR("dir"), &err));
	CHECK(strstr(err.text, "gone"));
	CHECK(!touched);
}
