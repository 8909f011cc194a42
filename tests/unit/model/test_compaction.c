/* Results come into sight and go out of it; the log of each dialect is tried in tests/unit/dialect/session. */
#include "model/compaction.h"

#include "harness/test.h"

static void see(struct compactions *c, enum event_kind kind, const char *branch, const char *call, const char *args)
{
	struct event e = { .kind = kind, .tool = STR("read"), .args = str_from(args), .call = str_from(call) };

	if (branch)
		e.branch = str_from(branch);
	compactions_see(c, &e);
}

static void see_both(struct compactions *c, const char *branch, const char *call, const char *args)
{
	see(c, EVENT_CALL, branch, call, args);
	see(c, EVENT_RESULT, branch, call, args);
}

static bool tell(struct compactions *c, const char *branch, struct compaction told, struct buf *out)
{
	struct event e = { .kind = EVENT_NOTE, .compaction = &told };

	if (branch)
		e.branch = str_from(branch);
	return compactions_tell(c, &e, out);
}

TEST(each_branch_has_a_context_of_its_own)
{
	struct compactions c = { .count = 0 };
	struct buf out = { 0 };

	arena_init(&c.arena);
	compactions_begin(&c);
	see_both(&c, NULL, "a", "{}");
	see_both(&c, "sub", "b", "{}");
	see_both(&c, "sub", "c", "{}");
	CHECK(tell(&c, "sub", (struct compaction){ .calls = NULL }, &out));
	CHECK(str_has(buf_str(&out), STR("\"results_hidden\":2")));
	CHECK(!tell(&c, "sub", (struct compaction){ .calls = NULL }, &out));
	CHECK(tell(&c, NULL, (struct compaction){ .calls = NULL }, &out));
	CHECK(str_has(buf_str(&out), STR("\"results_hidden\":1")));
	buf_free(&out);
	compactions_free(&c);
}

TEST(a_total_that_does_not_grow_hides_nothing_more)
{
	struct compactions c = { .count = 0 };
	struct buf out = { 0 };

	arena_init(&c.arena);
	compactions_begin(&c);
	see_both(&c, NULL, "a", "1");
	see_both(&c, NULL, "b", "2");
	see_both(&c, NULL, "d", "3");
	CHECK(tell(&c, NULL, (struct compaction){ .total = FIGURE(1) }, &out));
	CHECK(str_has(buf_str(&out), STR("\"kept\":2")));
	CHECK(!tell(&c, NULL, (struct compaction){ .total = FIGURE(1) }, &out));
	CHECK(tell(&c, NULL, (struct compaction){ .total = FIGURE(2) }, &out));
	CHECK(str_has(buf_str(&out), STR("\"results_hidden\":1")));
	see(&c, EVENT_CALL, NULL, "e", "3"); /* it is in sight */
	CHECK_INT(c.refetched, 0);
	see(&c, EVENT_CALL, NULL, "f", "1");
	see(&c, EVENT_CALL, NULL, "g", "1");
	CHECK_INT(c.refetched, 1);
	buf_free(&out);
	compactions_free(&c);
}

TEST(those_that_stay_are_hidden_by_the_next)
{
	const struct str stays[] = { STR("b"), STR("nobody"), STR("b") };
	struct compactions c = { .count = 0 };
	struct buf out = { 0 };

	arena_init(&c.arena);
	compactions_begin(&c);
	see_both(&c, NULL, "a", "1");
	see_both(&c, NULL, "b", "2");
	CHECK(tell(&c, NULL, (struct compaction){ .calls = stays, .call_count = 3, .stay = true }, &out));
	CHECK(str_has(buf_str(&out), STR("\"kept\":1")) && str_has(buf_str(&out), STR("\"results_hidden\":1")));
	see_both(&c, NULL, "c", "3");
	CHECK(tell(&c, NULL, (struct compaction){ .calls = NULL }, &out));
	CHECK(str_has(buf_str(&out), STR("\"kept\":0")) && str_has(buf_str(&out), STR("\"results_hidden\":2")));
	buf_free(&out);
	compactions_free(&c);
}

TEST(it_is_said_in_one_sentence)
{
	struct buf out = { 0 };

	compaction_say(&out, FIGURE(41), STR("2026-05-01T10:02:11.000Z"));
	CHECK_STR(buf_str(&out), STR("after this compaction the model could no longer see 41 tool results from 10:02:11 on"));
	buf_clear(&out);
	compaction_say(&out, FIGURE(1), STR(""));
	CHECK_STR(buf_str(&out), STR("after this compaction the model could no longer see 1 tool result"));
	buf_clear(&out);
	compaction_say(&out, (struct figure){ .state = FIGURE_NULL }, STR(""));
	CHECK(str_ends(buf_str(&out), STR("is not known")));
	buf_free(&out);
}
