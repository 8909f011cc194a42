#include "cmd/board/board.h"

#include "harness/test.h"

static bool board_never(struct board_work *w, struct args args, struct doc *out, int *status, struct err *err)
{
	(void)w;
	(void)args;
	(void)out;
	(void)status;
	(void)err;
	FAIL("the ledger was read");
	return false;
}

/* What is wrong with the options is said before any ledger is opened: there is none here. */
TEST(options_are_checked_before_the_ledger)
{
	const struct board_opts wrong[] = {
		{ .csv = true, .md = true },
		{ .json = { .given = true }, .md = true },
		{ .since = STR("yesterday") },
	};
	struct frame frame = { .quiet = true };
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct err err = { .kind = ERR_NONE };

		CHECK_INT(board_run(&a, &wrong[i], (struct args){ .frame = &frame }, board_never, &err), EXIT_FAIL);
		CHECK_INT(err.kind, ERR_USAGE);
	}
	arena_free(&a);
}

TEST(a_ledger_that_is_not_there_is_no_report)
{
	struct board_opts o = { .ledger = { .where = STR("/nowhere/at/all") } };
	struct err err = { .kind = ERR_NONE };
	struct frame frame = { .quiet = true };
	struct arena a;

	arena_init(&a);
	CHECK_INT(board_run(&a, &o, (struct args){ .frame = &frame }, board_never, &err), EXIT_FAIL);
	CHECK_INT(err.kind, ERR_DATA);
	arena_free(&a);
}
