#include "cmd/replay/batch.h"

#include "cmd/frame/commands.h"
#include "harness/test.h"

static int play(const struct replay_batch_opts *o, size_t rest, struct opt_maybe json, struct err *err)
{
	static const struct str words[] = { { "true", 4 } };
	const struct frame f = { .command = &replay_command };
	struct args args = { .items = words, .count = 1, .rest = rest, .frame = &f };
	struct arena a;
	int status;

	arena_init(&a);
	status = replay_batch(&a, o, replay_command.defaults, str_of(NULL, 0), REPLAY_TEXT, json, args, err);
	arena_free(&a);
	return status;
}

TEST(what_a_batch_lacks_is_told_before_anything_runs)
{
	struct str place = STR("/nonexistent/place");
	const struct opt_maybe none = { .given = false }, fields = { .given = true, .value = STR("verdict") };
	struct replay_batch_opts o = { .places = { &place, 1 } };
	struct err err = { .kind = ERR_NONE };

	CHECK_INT(play(&o, 1, none, &err), EXIT_FAIL); /* no command */
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK_INT(play(&o, 0, fields, &err), EXIT_FAIL);
	CHECK_INT(err.kind, ERR_USAGE);
	o.max_age = STR("7x");
	CHECK_INT(play(&o, 0, none, &err), EXIT_FAIL);
	CHECK_INT(err.kind, ERR_USAGE);
	o.max_age = STR("7d");
	CHECK_INT(play(&o, 0, none, &err), EXIT_FAIL); /* the place */
	CHECK_INT(err.kind, ERR_IO);
}
