#include "model/history.h"

#include "harness/test.h"

/* A request as letters, one for each message; capital ones the model said. What each was: K, A, N. */
static struct str tell(struct history *h, const char *request)
{
	static const char words[] = { [HISTORY_KNOWN] = 'K', [HISTORY_ANSWER] = 'A', [HISTORY_NEW] = 'N' };
	size_t n = strlen(request);
	char *told = test_alloc(n + 1);

	history_begin(h);
	for (size_t i = 0; i < n; i++) {
		bool said = request[i] >= 'A' && request[i] <= 'Z';

		told[i] = words[history_next(h, history_digest(str_of(request + i, 1)), said)];
	}
	return str_of(told, n);
}

/* Requests in turn; one that begins with "!" was answered before it came. */
struct telling {
	const char *request, *want;
};

static void check(const struct telling *rows, size_t count)
{
	struct history *h = history_open();

	for (size_t i = 0; i < count; i++) {
		const char *request = rows[i].request;

		test_case("request %zu: %s", i, request);
		if (*request == '!') {
			history_answer(h);
			request++;
		}
		CHECK_STR(tell(h, request), str_from(rows[i].want));
	}
	history_close(h);
}

#define CHECK_TELLINGS(...)                                      \
	do {                                                     \
		const struct telling rows[] = { __VA_ARGS__ };   \
		check(rows, COUNT(rows));                        \
	} while (0)

TEST(only_what_is_behind_the_common_beginning_is_new)
{
	CHECK_TELLINGS({ "ab", "NN" }, { "abcd", "KKNN" }, { "abcde", "KKKKN" });
}

TEST(the_answer_told_again_in_other_words_is_not_new)
{
	CHECK_TELLINGS({ "a", "N" }, { "!aXb", "KAN" }, { "!aXbYZc", "KKKAAN" });
}

TEST(without_an_answer_what_the_model_said_is_new)
{
	CHECK_TELLINGS({ "a", "N" }, { "aXb", "KNN" });
}

TEST(what_somebody_else_said_is_no_answer)
{
	CHECK_TELLINGS({ "a", "N" }, { "!ab", "KN" });
}

TEST(a_request_sent_again_has_nothing_new)
{
	CHECK_TELLINGS({ "ab", "NN" }, { "ab", "KK" }, { "!abXc", "KKAN" });
}

TEST(a_side_question_does_not_disturb_the_main_conversation)
{
	CHECK_TELLINGS({ "ab", "NN" }, { "!t", "N" }, { "!abXc", "KKAN" }, { "!u", "N" }, { "!abXcYd", "KKKKAN" });
}

TEST(a_conversation_that_parts_from_another_leaves_it_as_it_was)
{
	CHECK_TELLINGS({ "abcd", "NNNN" }, { "abxy", "KKNN" }, { "abcde", "KKKKN" }, { "abxyz", "KKKKN" });
}

TEST(a_shortened_conversation_can_go_on_and_so_can_the_whole_one)
{
	CHECK_TELLINGS({ "abcd", "NNNN" }, { "ab", "KK" }, { "!abXe", "KKAN" }, { "abcdf", "KKKKN" });
}

TEST(a_run_begins_with_nothing_known)
{
	struct history *h = history_open();

	CHECK(history_is_empty(h));
	tell(h, "ab");
	history_answer(h);
	CHECK(!history_is_empty(h));
	history_reset(h);
	CHECK(history_is_empty(h));
	CHECK_STR(tell(h, "abX"), STR("NNN"));
	history_close(h);
}

TEST(a_change_in_the_middle_is_told_from_a_continuation)
{
	static const struct { const char *before; bool answered; const char *request; bool continued; } cases[] = {
		{ "ab", false, "abc", true },
		{ "ab", true, "abXc", true },
		{ "ab", true, "abc", true },
		{ "ab", false, "axc", false },
		{ "ab", false, "c", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct history *h = history_open();

		test_case("%s after %s", cases[i].request, cases[i].before);
		tell(h, cases[i].before);
		if (cases[i].answered)
			history_answer(h);
		tell(h, cases[i].request);
		CHECK_INT(history_is_continued(h), cases[i].continued);
		history_close(h);
	}
}

TEST(the_oldest_of_many_conversations_is_forgotten_first)
{
	struct history *h = history_open();
	char name[2] = "a";

	for (int i = 0; i < 17; i++) {
		name[0] = (char)('a' + i);
		CHECK_STR(tell(h, name), STR("N"));
		if (i < 16)
			CHECK_STR(tell(h, "z"), i == 0 ? STR("N") : STR("K"));
	}
	CHECK_STR(tell(h, "z"), STR("K"));
	CHECK_STR(tell(h, "q"), STR("K"));
	CHECK_STR(tell(h, "a"), STR("N"));
	history_close(h);
}
