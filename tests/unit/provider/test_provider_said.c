#include "provider/provider_said.h"

#include <stdio.h>

#include "harness/test.h"

static struct provider_said *open_said(void)
{
	struct provider_said *s = test_alloc(sizeof(*s));

	provider_said_init(s);
	provider_said_begin(s, false);
	return s;
}

static void text(struct provider_said *s, const char *piece, const char *branch)
{
	struct event e = { .kind = EVENT_STEP, .text = str_from(piece), .index = -1, .flags = EVENT_PIECE };

	e.branch = branch ? str_from(branch) : str_of(NULL, 0);
	provider_said_take(s, &e);
}

static void call(struct provider_said *s, const char *id, const char *name, const char *args, int index)
{
	struct event e = { .kind = EVENT_CALL, .index = index, .flags = EVENT_PIECE };

	e.call = id ? str_from(id) : str_of(NULL, 0);
	e.tool = name ? str_from(name) : str_of(NULL, 0);
	e.args_text = args ? str_from(args) : str_of(NULL, 0);
	provider_said_take(s, &e);
}

TEST(text_of_the_first_choice_is_joined)
{
	struct provider_said *s = open_said();
	struct provider_answer a = { .status = PROVIDER_OK };

	text(s, "one ", NULL);
	text(s, "other", "choice-1");
	text(s, "two", NULL);
	provider_said_end(s, &a);
	CHECK_STR(a.text, STR("one two"));
	provider_said_begin(s, false);
	provider_said_end(s, &a);
	CHECK_INT(a.text.n, 0);
	provider_said_free(s);
}

TEST(more_calls_than_one_array_holds_keep_their_arguments)
{
	struct provider_said *s = open_said();
	struct provider_answer a = { .status = PROVIDER_OK };
	char name[16];

	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		call(s, name, name, "{", i);
	}
	for (int i = 0; i < 50; i++)
		call(s, NULL, NULL, "}", i);
	provider_said_end(s, &a);
	CHECK_INT(a.call_count, 50);
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		CHECK_STR(a.calls[i].name, str_from(name));
		CHECK_STR(a.calls[i].arguments, STR("{}"));
	}
	provider_said_free(s);
}

TEST(calls_that_the_service_answers_itself_are_not_ours)
{
	struct provider_said *s = open_said();
	struct provider_answer a = { .status = PROVIDER_OK };
	struct event result = { .kind = EVENT_RESULT, .call = STR("c1") };

	call(s, "c1", "web_search", NULL, 0);
	call(s, "c2", NULL, NULL, 1);
	provider_said_take(s, &result);
	provider_said_end(s, &a);
	CHECK_INT(a.call_count, 1);
	CHECK_STR(a.calls[0].name, STR("unknown"));
	CHECK_STR(a.calls[0].arguments, STR(""));
	provider_said_free(s);
}

TEST(calls_without_end_are_too_large)
{
	struct provider_said *s = open_said();
	struct provider_answer a = { .status = PROVIDER_OK };
	char name[16];

	for (int i = 0; i < ANSWER_CALLS + 1; i++) {
		CHECK(!s->too_large);
		snprintf(name, sizeof(name), "t%d", i);
		call(s, name, name, NULL, i);
	}
	CHECK(s->too_large);
	provider_said_end(s, &a);
	CHECK_INT(a.call_count, ANSWER_CALLS);
	provider_said_free(s);
}

TEST(text_and_arguments_together_have_a_limit)
{
	struct provider_said *s = open_said();
	struct provider_answer a = { .status = PROVIDER_OK };
	char *big = test_alloc(1 << 20);

	memset(big, 'x', (1 << 20) - 1);
	for (int i = 0; i < 8; i++) {
		text(s, big, NULL);
		call(s, "c", "t", big, 0);
	}
	CHECK(!s->too_large);
	text(s, big, NULL);
	CHECK(s->too_large);
	text(s, "x", NULL); /* and nothing behind the gap */
	provider_said_end(s, &a);
	CHECK_INT(a.text.n, 8 * ((1 << 20) - 1));
	provider_said_free(s);
}

TEST(the_first_complaint_is_kept)
{
	struct provider_said *s = open_said();
	struct event first = { .kind = EVENT_ERROR, .code = STR("a_code") }, second = { .kind = EVENT_ERROR, .text = STR("second") };

	provider_said_take(s, &first);
	provider_said_take(s, &second);
	CHECK(s->error.p != NULL);
	CHECK_INT(s->error.n, 0);
	CHECK_STR(s->error_code, STR("a_code"));
	CHECK_INT(provider_said_keep(s, STR("abcdef"), 3).n, 3);
	CHECK(provider_said_keep(s, STR(""), 3).p == NULL);
	provider_said_free(s);
}
