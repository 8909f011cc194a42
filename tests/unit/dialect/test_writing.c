#include "dialect/writing.h"

#include "harness/test.h"

static struct str id_text(struct id id)
{
	char *out = test_alloc(ID_UUID_TEXT);

	id_format_uuid(out, id);
	return str_of(out, ID_UUID_TEXT);
}

TEST(losses_are_listed_with_the_most_frequent_first)
{
	static const char *const adds[] = { "a", "b", "b", "c", "c", "c", "a", "c" };
	static const struct {
		const char *what;
		uint64_t times;
	} want[] = { { "c", 4 }, { "b", 2 }, { "a", 2 } };
	struct losses *l = losses_open();

	CHECK_INT(losses_count(l), 0);
	for (size_t i = 0; i < COUNT(adds); i++)
		losses_add(l, adds[i]);
	CHECK_INT(losses_count(l), COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++) {
		const char *what;
		uint64_t times;

		losses_get(l, i, &what, &times);
		test_case("%s", want[i].what);
		CHECK_STR(str_from(what), str_from(want[i].what));
		CHECK_INT(times, want[i].times);
	}
	losses_close(l);
}

TEST(more_kinds_of_losses_than_the_list_begins_with_are_all_kept)
{
	struct losses *l = losses_open();

	for (int i = 0; i < 40; i++) {
		char *name = test_alloc(4);

		name[0] = (char)('a' + i % 26);
		name[1] = (char)('a' + i / 26);
		losses_add(l, name);
	}
	CHECK_INT(losses_count(l), 40);
	losses_close(l);
}

TEST(losses_that_nobody_asks_for_are_nothing)
{
	losses_add(NULL, "a");
	CHECK_INT(losses_count(NULL), 0);
	losses_close(NULL);
}

TEST(a_run_whose_id_is_a_uuid7_keeps_it)
{
	struct str lower = STR("01997e76-d124-7592-9b4f-000000000001");

	CHECK_STR(id_text(writing_run_id(STR("codex"), lower, 5)), lower);
	CHECK_STR(id_text(writing_run_id(STR("codex"), STR("01997E76-D124-7592-9B4F-000000000001"), 5)), lower);
}

TEST(any_other_run_id_gives_a_uuid7_of_the_first_time_and_a_digest)
{
	static const char *const runs[] = {
		"05997ac9-0000-4000-8000-000000000000", /* version 4 */
		"01997e76-d124-7592-0b4f-000000000001", /* another variant */
		"chatcmpl-1", "",
	};

	for (size_t i = 0; i < COUNT(runs); i++) {
		struct id id = writing_run_id(STR("v"), str_from(runs[i]), 1700000000123456789);
		struct id other = writing_run_id(STR("w"), str_from(runs[i]), 1700000000123456789);

		test_case("%s", runs[i]);
		CHECK_INT(id_uuid_version(id), 7);
		CHECK(id_uuid_variant_ok(id));
		CHECK_INT(id_uuid7_ms(id), 1700000000123);
		CHECK_STR(id_text(id), id_text(writing_run_id(STR("v"), str_from(runs[i]), 1700000000123456789)));
		CHECK(memcmp(&id, &other, sizeof(id)) != 0);
	}
	CHECK_INT(id_uuid7_ms(writing_run_id(STR("v"), STR("x"), -5)), 0);
}

/* sha256("otutl-run" NUL "v" NUL "r") begins 7a8838dc d63ee434 1799; checked with another program. */
TEST(the_digest_of_a_run_id_is_the_one_that_is_written_down)
{
	struct id id = writing_run_id(STR("v"), STR("r"), 0);
	struct id want;
	static const uint8_t digest[10] = { 0x7a, 0x88, 0x38, 0xdc, 0xd6, 0x3e, 0xe4, 0x34, 0x17, 0x99 };

	want = id_uuid7(0, digest);
	CHECK_STR(id_text(id), id_text(want));
}

TEST(node_ids_differ_by_run_and_name_and_stay_the_same_otherwise)
{
	struct id run = writing_run_id(STR("v"), STR("r"), 0), second = writing_run_id(STR("v"), STR("s"), 0);
	struct id node = writing_node_id(run, STR("n"), 2000000);
	struct id again = writing_node_id(run, STR("n"), 2000000);
	struct id name = writing_node_id(run, STR("m"), 2000000);
	struct id other = writing_node_id(second, STR("n"), 2000000);

	CHECK_INT(id_uuid_version(node), 7);
	CHECK_INT(id_uuid7_ms(node), 2);
	CHECK(memcmp(&node, &again, sizeof(node)) == 0);
	CHECK(memcmp(&node, &name, sizeof(node)) != 0);
	CHECK(memcmp(&node, &other, sizeof(node)) != 0);
}

TEST(a_payload_that_is_a_string_gives_its_text)
{
	static const struct {
		const char *json, *plain;
	} cases[] = {
		{ "\"a\"", "a" }, { "\"\"", "" }, { "\"a\\n\\\"b\\u0001\"", "a\n\"b\x01" }, { "{\"a\":1}", "{\"a\":1}" },
		{ "12", "12" },   { "null", "null" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].json);
		CHECK_STR(writing_plain(&a, str_from(cases[i].json)), str_from(cases[i].plain));
	}
	CHECK(writing_plain(&a, (struct str){ NULL, 0 }).p == NULL);
	arena_free(&a);
}

TEST(payloads_and_the_rest_of_a_format_can_be_looked_into)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct event e = { .kind = EVENT_NOTE };
	struct arena a;
	int64_t n = 0;

	arena_init(&a);
	event_add_extra(&e, &a, STR("atif/1"), STR("{\"a\":1}"));
	event_add_extra(&e, &a, STR("codex/1"), STR("{\"a\":2}"));
	CHECK(val_i64(val_get(writing_rest(p, &e, "codex/1"), STR("a")), &n));
	CHECK_INT(n, 2);
	CHECK(val_is_none(writing_rest(p, &e, "inspect/1")));
	CHECK(val_is_none(writing_parse(p, STR("{"))));
	CHECK(val_is_none(writing_parse(p, (struct str){ NULL, 0 })));
	CHECK(val_is(writing_parse(p, STR("[]")), JSON_ARRAY));
	arena_free(&a);
	json_parser_close(p);
}

TEST(an_end_is_told_where_a_reader_would_think_otherwise)
{
	struct event e = { .kind = EVENT_RUN_END, .status = STATUS_SUCCESS };

	CHECK(!writing_tells_end(&e, false));
	CHECK(writing_tells_end(&e, true));
	e.status = STATUS_ERROR;
	CHECK(writing_tells_end(&e, false));
	e.status = STATUS_INTERRUPTED;
	CHECK(writing_tells_end(&e, false) && writing_tells_end(&e, true));
	e.status = STATUS_UNKNOWN;
	CHECK(!writing_tells_end(&e, true));
}

TEST(the_id_of_a_run_is_its_own_or_made_of_the_vendors)
{
	struct extra own = { .key = STR("run_id"), .json = STR("\"019b76da-a800-7ef2-895d-9591a1d1eeff\""), .member = true };
	struct event e = { .kind = EVENT_RUN_START, .vendor = STR("v"), .run = STR("r") };
	char text[ID_UUID_TEXT], other[ID_UUID_TEXT];

	id_format_uuid(text, writing_id_of(&e));
	id_format_uuid(other, writing_run_id(STR("v"), STR("r"), 0));
	CHECK_STR(str_of(text, sizeof(text)), str_of(other, sizeof(other)));
	e.extras = &own;
	id_format_uuid(text, writing_id_of(&e));
	CHECK_STR(str_of(text, sizeof(text)), STR("019b76da-a800-7ef2-895d-9591a1d1eeff"));
	own.member = false; /* in ext anything may be called so */
	id_format_uuid(text, writing_id_of(&e));
	CHECK_STR(str_of(text, sizeof(text)), str_of(other, sizeof(other)));
}
