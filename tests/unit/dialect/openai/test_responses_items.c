#include "dialect/openai/responses_items.h"

#include "dialect/formats.h"
#include "harness/test.h"

#include <stdio.h>

/* What the events of one item are, a letter for each: S step, C call, R result, M message, N note. */
static struct str kinds_of(struct reading *r)
{
	static const char letters[] = { [EVENT_STEP] = 'S', [EVENT_CALL] = 'C', [EVENT_RESULT] = 'R', [EVENT_MESSAGE] = 'M',
					[EVENT_NOTE] = 'N' };
	char *out = arena_array(r->arena, char, r->count + 1);

	for (size_t i = 0; i < r->count; i++)
		out[i] = letters[r->events[i].kind];
	return str_of(out, r->count);
}

static const struct responses_place *place_now(const struct responses_place *set)
{
	static const struct responses_place *now;

	if (set)
		now = set;
	return now;
}

static void read_one(struct reading *r, struct val v)
{
	responses_read_item(r, v, place_now(NULL));
}

/* A reading of one item, kept until the test is over. */
static struct reading *read_item(const char *text, const struct responses_place *place)
{
	static const struct read_ops ops = { .vendor = "openai", .key = "k/1", .value = read_one };
	static const struct dialect d = { .name = "d", .read = &ops };
	struct reading *r = test_alloc(sizeof(*r));
	struct arena *a = test_alloc(sizeof(*a));
	struct buf padded;

	arena_init(a);
	buf_init(&padded);
	buf_add_str(&padded, str_from(text));
	memset(buf_reserve(&padded, JSON_PAD), 0, JSON_PAD);
	place_now(place);
	reading_init(r, &d);
	reading_chunk(r, a, buf_str(&padded), 1, false);
	return r;
}

TEST(an_item_becomes_what_its_place_makes_of_it)
{
	static const struct { const char *text, *said, *told, *inner; } cases[] = {
		{ "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}", "S", "M", "S" },
		{ "{\"role\":\"user\",\"content\":\"x\"}", "M", "M", "M" },
		{ "{\"type\":\"reasoning\",\"summary\":[]}", "S", "N", "" },
		{ "{\"type\":\"reasoning\",\"summary\":[{\"text\":\"a\"},{\"text\":\"b\"}]}", "SS", "N", "SS" },
		{ "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"n\",\"arguments\":\"\"}", "C", "C", "C" },
		{ "{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"\"}", "R", "R", "R" },
		{ "{\"type\":\"mcp_call\",\"id\":\"c\",\"name\":\"n\",\"arguments\":\"\",\"output\":\"\"}", "CR", "CR", "CR" },
		{ "{\"type\":\"tool_search_call\",\"call_id\":\"c\"}", "S", "N", "" },
		{ "{\"type\":\"unheard_of\"}", "S", "N", "" },
		{ "[]", "S", "N", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(kinds_of(read_item(cases[i].text, &(struct responses_place){ .index = 0 })), str_from(cases[i].said));
		CHECK_STR(kinds_of(read_item(cases[i].text, &(struct responses_place){ .told = true })), str_from(cases[i].told));
		CHECK_STR(kinds_of(read_item(cases[i].text, &(struct responses_place){ .inner = true })), str_from(cases[i].inner));
	}
}

TEST(parts_of_a_message_are_joined_and_refusals_are_said_too)
{
	struct responses_place place = { .index = 0 };
	struct reading *r = read_item("{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"},"
				      "{\"type\":\"refusal\",\"refusal\":\"b\"}]}", &place);

	CHECK_STR(r->events[0].text, STR("ab"));
}

TEST(a_namespace_is_the_server_of_a_tool_unless_it_is_everybodys)
{
	static const struct { const char *text, *server; } cases[] = {
		{ "\"mcp__docs__\"", "docs" },
		{ "\"docs\"", "docs" },
		{ "\"functions\"", "" },
		{ "\"n\"", "" }, /* the function's own */
		{ "\"mcp__n__\"", "n" },
		{ "\"mcp____\"", "" },
		{ "\"\"", "" },
		{ "null", "" },
	};
	struct responses_place place = { .index = 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text), "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"n\",\"namespace\":%s}", cases[i].text);
		test_case("%s", cases[i].text);
		CHECK_STR(read_item(text, &place)->events[0].server, str_from(cases[i].server));
	}
}

TEST(commands_of_a_shell_fail_together)
{
	static const struct { const char *output; int error; } cases[] = {
		{ "[{\"outcome\":{\"type\":\"exit\",\"exit_code\":0}}]", TRUTH_FALSE },
		{ "[{\"outcome\":{\"type\":\"exit\",\"exit_code\":1}},{\"outcome\":{\"type\":\"exit\",\"exit_code\":0}}]", TRUTH_TRUE },
		{ "[{\"outcome\":{\"type\":\"timeout\"}}]", TRUTH_TRUE },
		{ "[]", TRUTH_ABSENT },
	};
	struct responses_place place = { .index = 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text), "{\"type\":\"shell_call_output\",\"call_id\":\"c\",\"output\":%s}", cases[i].output);
		test_case("%s", cases[i].output);
		CHECK_INT(read_item(text, &place)->events[0].is_error, cases[i].error);
	}
}
