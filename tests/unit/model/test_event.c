#include "model/event.h"

#include "harness/test.h"

TEST(a_copy_outlives_the_event)
{
	char call[] = "c1", json[] = "{}", key[] = "v/1", pointer[] = "/args";
	struct extra x = { .key = str_from(key), .json = str_from(json), .member = true };
	struct bignum b = { .pointer = str_from(pointer) };
	struct event e = { .kind = EVENT_CALL, .call = str_from(call), .args = str_from(json), .extras = &x, .bignums = &b };
	struct event *copy;
	struct arena a;

	arena_init(&a);
	copy = event_copy(&a, &e);
	call[0] = json[0] = key[0] = pointer[0] = '!';
	CHECK_STR(copy->call, STR("c1"));
	CHECK_STR(copy->args, STR("{}"));
	CHECK_STR(copy->extras->key, STR("v/1"));
	CHECK_STR(copy->extras->json, STR("{}"));
	CHECK(copy->extras->member && !copy->extras->next);
	CHECK_STR(copy->bignums->pointer, STR("/args"));
	arena_free(&a);
}

TEST(an_absent_text_stays_absent_and_an_empty_one_empty)
{
	struct event e = { .kind = EVENT_STEP, .text = STR("") };
	struct event *copy;
	struct arena a;

	arena_init(&a);
	copy = event_copy(&a, &e);
	CHECK(copy->text.p && copy->text.n == 0);
	CHECK(!copy->reasoning.p);
	arena_free(&a);
}

static bool overlaps(size_t text, size_t pointer)
{
	return text < pointer + sizeof(void *) && pointer < text + sizeof(struct str);
}

/* Every text of the event is copied: one that is forgotten still points to what was there before. */
TEST(no_text_is_forgotten)
{
	static const char letters[] = "abcdefgh";
	struct event e, *copy;
	struct arena a;
	size_t texts = 0;

	arena_init(&a);
	memset(&e, 0, sizeof(e));
	for (size_t i = 0; i + sizeof(struct str) <= sizeof(e); i += _Alignof(struct str)) {
		struct event one = { 0 };
		struct str s = { letters, 8 };

		if (overlaps(i, offsetof(struct event, extras)) || overlaps(i, offsetof(struct event, bignums)) ||
		    overlaps(i, offsetof(struct event, compaction)))
			continue;
		memcpy((char *)&one + i, &s, sizeof(s));
		copy = event_copy(&a, &one);
		memcpy(&s, (char *)copy + i, sizeof(s));
		/* what is no text stays as it was, and so does a text that was forgotten: they are counted */
		texts += s.p != letters;
	}
	CHECK_INT(texts, 37);
	arena_free(&a);
}

TEST(extras_are_found_by_key_and_members_are_not_extras)
{
	struct extra member = { .key = STR("a/1"), .json = STR("1"), .member = true };
	struct event e = { .kind = EVENT_NOTE, .extras = &member };
	struct arena a;

	arena_init(&a);
	CHECK(!event_find_extra(&e, STR("a/1")).p);
	event_add_extra(&e, &a, STR("a/1"), STR("2"));
	event_add_extra(&e, &a, STR("b/1"), STR("3"));
	CHECK_STR(event_find_extra(&e, STR("a/1")), STR("2"));
	CHECK_STR(event_find_extra(&e, STR("b/1")), STR("3"));
	arena_free(&a);
}

TEST(a_line_that_breaks_off_is_another_thing_than_one_that_cannot_be_read)
{
	struct event e = { .kind = EVENT_ERROR, .code = STR("unreadable_line") };

	CHECK(!event_is_torn(&e));
	e.flags = EVENT_PARTIAL;
	CHECK(event_is_torn(&e));
	e.code = STR("cut");
	CHECK(!event_is_torn(&e));
}
