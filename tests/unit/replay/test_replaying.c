#include "replay/replaying.h"

#include "harness/test.h"
#include "unit/replay/replay_kit.h"

static const char *none(const char *name)
{
	(void)name;
	return NULL;
}

static bool play(struct arena *a, struct str run, const char *script, struct replaying_outcome *out, struct err *err)
{
	static char home[] = "TRACKWAY_HOME=/nonexistent", path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
	static const char *const env[] = { home, path, NULL };
	const char *argv[] = { "sh", "-c", script, NULL };
	struct routes routes;
	struct replaying_options o = { .run = run, .argv = argv, .env = env, .routes = &routes,
				       .timeout_ms = 20000 };

	return routes_init(&routes, a, none, err) && replaying_run(a, &o, out, err);
}

TEST(a_command_that_asks_nothing_is_incomplete_and_the_place_is_named)
{
	struct replaying_outcome out;
	struct arena a;
	struct str dir;
	struct err err;

	arena_init(&a);
	dir = kit_run(&a);
	CHECK(play(&a, dir, "true", &out, &err));
	CHECK_STR(str_from(verdict_name(out.verdict)), STR("INCOMPLETE"));
	CHECK(out.first && out.first->class == DIVERGENCE_UNCONSUMED && out.first->x == 0 && out.first->seq > 0);
	CHECK_INT(out.counts[DIVERGENCE_UNCONSUMED], 2);
	CHECK_INT(out.exit_live, 0);
	CHECK(out.isolated || out.not_isolated.n);
	replaying_free(&out);
	kit_remove(dir);
	arena_free(&a);
}

TEST(a_run_without_content_is_not_replayable)
{
	struct replaying_outcome out;
	struct arena a;
	struct str dir;
	struct err err;

	arena_init(&a);
	dir = kit_run(&a);
	CHECK(play(&a, ARENA_JOIN(&a, dir, STR("/agent-trace.jsonl")), "true", &out, &err));
	CHECK(out.verdict == VERDICT_NOT_REPLAYABLE && out.refusal == REFUSAL_TRACE);
	unlink(ARENA_JOIN(&a, dir, STR("/cassette.jsonl")).p);
	CHECK(play(&a, dir, "true", &out, &err));
	CHECK(out.verdict == VERDICT_NOT_REPLAYABLE && out.refusal == REFUSAL_NO_CASSETTE);
	replaying_free(&out);
	kit_remove(dir);
	arena_free(&a);
}

TEST(a_damaged_cassette_is_an_error)
{
	struct replaying_outcome out;
	struct arena a;
	struct str dir;
	struct err err;

	arena_init(&a);
	dir = kit_run(&a);
	CHECK(file_replace(ARENA_JOIN(&a, dir, STR("/cassette.jsonl")), STR("{\n"), 0600, &err));
	CHECK(!play(&a, dir, "true", &out, &err));
	CHECK_INT(err.kind, ERR_DATA);
	replaying_free(&out);
	kit_remove(dir);
	arena_free(&a);
}
