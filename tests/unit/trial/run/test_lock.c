/* Locks: written, read, compared. */
#include "trial/run/lock.h"

#include "harness/test.h"

static struct lock lock_of(struct arena *a)
{
	struct lock l;

	for (size_t i = 0; i < LOCK_MEMBERS; i++)
		l.members[i] = i == LOCK_K || i == LOCK_SEED ? arena_printf(a, "%zu", i) : arena_printf(a, "text %zu", i);
	return l;
}

TEST(what_differs_decides_what_is_to_be_done)
{
	struct arena a;

	arena_init(&a);
	for (size_t m = 0; m < LOCK_MEMBERS; m++) {
		struct lock x = lock_of(&a), y = lock_of(&a);
		struct lock_difference d;

		y.members[m] = STR("other");
		d = lock_compare(&x, &y);
		test_case("%s", lock_member_name((enum lock_member)m));
		CHECK_INT(d.answer, m == LOCK_VERIFIER ? LOCK_REGRADE : LOCK_RERUN);
		CHECK_INT(d.first, m);
		/* a verifier that differs makes another revision of the task, and nothing else of it */
		x.members[LOCK_VERIFIER] = STR("other");
		x.members[LOCK_TASK_REVISION] = STR("another");
		d = lock_compare(&x, &y);
		CHECK_INT(d.answer, m == LOCK_TASK_REVISION ? LOCK_REGRADE : m == LOCK_VERIFIER ? LOCK_RERUN : LOCK_RERUN);
	}
	arena_free(&a);
}

TEST(equal_locks_mean_reuse_and_unknown_members_never_do)
{
	struct lock x, y;
	struct arena a;

	arena_init(&a);
	x = y = lock_of(&a);
	CHECK_INT(lock_compare(&x, &y).answer, LOCK_REUSE);
	for (size_t m = 0; m < LOCK_MEMBERS; m++) {
		x = y = lock_of(&a);
		x.members[m] = y.members[m] = str_of(NULL, 0);
		test_case("%s", lock_member_name((enum lock_member)m));
		CHECK_INT(lock_compare(&x, &y).answer, LOCK_RERUN);
		CHECK_INT(lock_compare(&x, &y).first, m);
	}
	arena_free(&a);
}

TEST(a_lock_is_read_as_it_was_written_also_out_of_a_record)
{
	struct err err = { .kind = ERR_NONE };
	struct json_writer w;
	struct lock x, y;
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	x = lock_of(&a);
	json_write_init(&w, &b, JSON_COMPACT);
	lock_put(&w, &x);
	CHECK(lock_read(&a, STR("a"), buf_str(&b), &y, &err));
	CHECK_INT(lock_compare(&x, &y).answer, LOCK_REUSE);
	CHECK(lock_read(&a, STR("a"), ARENA_JOIN(&a, STR("{\"outputs\":{\"agent_result\":{\"trackway\":{\"lock\":"),
					       buf_str(&b), STR("}}}}")), &y, &err));
	CHECK_INT(lock_compare(&x, &y).answer, LOCK_REUSE);
	buf_free(&b);
	arena_free(&a);
}

TEST(what_holds_no_lock_is_refused_by_name)
{
	static const char *const texts[] = { "", "{", "[]", "{}", "{\"schema\":\"trackway.trial-lock/2\"}", "1" };
	struct arena a;
	struct lock l;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct err err = { .kind = ERR_NONE };

		CHECK(!lock_read(&a, STR("it.json"), str_from(texts[i]), &l, &err));
		CHECK_INT(err.kind, ERR_DATA);
		CHECK(str_starts(str_from(err.text), STR("it.json ")));
	}
	arena_free(&a);
}

TEST(answers_have_names)
{
	CHECK_STR(str_from(lock_answer_name(LOCK_REUSE)), STR("reuse"));
	CHECK_STR(str_from(lock_answer_name(LOCK_REGRADE)), STR("regrade"));
	CHECK_STR(str_from(lock_answer_name(LOCK_RERUN)), STR("rerun"));
}
