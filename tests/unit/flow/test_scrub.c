/* What a trace leaves out, counted of events made here; whole logs are in tests/cli/redact. */
#include "flow/scrub.h"

#include "harness/test.h"

static struct redact_sum left_out(struct event e, enum redact_class class)
{
	struct scrub s;

	scrub_init(&s);
	scrub_add(&s, &e);
	return s.left_out[class];
}

TEST(every_sum_of_a_scrub_begins_at_nothing_and_has_a_name)
{
	static const char *const cleaned[] = { "models", "tools", "ids", "endpoints" };
	struct scrub s;

	scrub_init(&s);
	for (int i = 0; i < REDACT_CLASSES; i++) {
		CHECK_STR(str_from(s.left_out[i].name), str_from(redact_class_name((enum redact_class)i)));
		CHECK(s.left_out[i].values == 0 && s.left_out[i].bytes == 0);
	}
	for (int i = 0; i < SCRUB_NAMES; i++) {
		CHECK_STR(str_from(s.cleaned[i].name), str_from(cleaned[i]));
		CHECK(s.cleaned[i].values == 0 && s.cleaned[i].bytes == 0);
	}
}

TEST(content_is_counted_by_what_said_it)
{
	const struct {
		const char *what;
		struct event e;
		enum redact_class class;
		uint64_t bytes;
	} cases[] = {
		{ "prompt", { .kind = EVENT_MESSAGE, .content = STR("\"abc\"") }, REDACT_PROMPT, 5 },
		{ "result", { .kind = EVENT_RESULT, .content = STR("\"abcd\"") }, REDACT_RESULTS, 6 },
		{ "note", { .kind = EVENT_NOTE, .content = STR("1") }, REDACT_OTHER, 1 },
		{ "answer", { .kind = EVENT_STEP, .text = STR("abc") }, REDACT_OUTPUT, 3 },
		{ "error", { .kind = EVENT_ERROR, .text = STR("no file") }, REDACT_OTHER, 7 },
		{ "thought", { .kind = EVENT_STEP, .reasoning = STR("hm") }, REDACT_THINKING, 2 },
		{ "arguments", { .kind = EVENT_CALL, .args = STR("{}"), .args_text = STR("{ }") }, REDACT_ARGS, 2 },
		{ "arguments as text", { .kind = EVENT_CALL, .args_text = STR("{ }") }, REDACT_ARGS, 3 },
		{ "output", { .kind = EVENT_RUN_END, .output = STR("\"x\"") }, REDACT_OUTPUT, 3 },
		{ "tools", { .kind = EVENT_RUN_START, .tools = STR("[1]") }, REDACT_OTHER, 3 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].what);
		for (int c = 0; c < REDACT_CLASSES; c++) {
			struct redact_sum sum = left_out(cases[i].e, (enum redact_class)c);

			CHECK_INT(sum.values, (enum redact_class)c == cases[i].class);
			CHECK_INT(sum.bytes, (enum redact_class)c == cases[i].class ? cases[i].bytes : 0);
		}
	}
}

TEST(extras_are_counted_one_by_one_and_events_add_up)
{
	struct extra two = { .key = STR("b"), .json = STR("22") }, one = { .next = &two, .key = STR("a"), .json = STR("1") };
	struct event e = { .kind = EVENT_STEP, .text = STR("ab"), .extras = &one };
	struct scrub s;

	scrub_init(&s);
	scrub_add(&s, &e);
	scrub_add(&s, &e);
	CHECK_INT(s.left_out[REDACT_OTHER].values, 4);
	CHECK_INT(s.left_out[REDACT_OTHER].bytes, 6);
	CHECK_INT(s.left_out[REDACT_OUTPUT].values, 2);
	CHECK_INT(s.left_out[REDACT_OUTPUT].bytes, 4);
}

TEST(names_that_are_not_fit_for_a_trace_are_counted)
{
	const struct {
		const char *what;
		struct event e;
		int cleaned; /* enum scrub_name, or -1 */
	} cases[] = {
		{ "a model", { .kind = EVENT_STEP, .model = STR("gpt-5") }, -1 },
		{ "a model that is a path", { .kind = EVENT_STEP, .model = STR("/srv/models/llama") }, SCRUB_MODELS },
		{ "a tool", { .kind = EVENT_CALL, .tool = STR("Bash"), .call = STR("call_1") }, -1 },
		{ "a tool that is mail", { .kind = EVENT_CALL, .tool = STR("me@example.com") }, SCRUB_TOOLS },
		{ "an id that is a sentence", { .kind = EVENT_CALL, .call = STR("open the door") }, SCRUB_IDS },
		{ "of a result it is counted with its call", { .kind = EVENT_RESULT, .call = STR("open the door") }, -1 },
		{ "an address", { .kind = EVENT_STEP, .endpoint = STR("https://api.openai.com/v1") }, -1 },
		{ "an address with a user", { .kind = EVENT_STEP, .endpoint = STR("https://me:pw@host.example/v1") }, SCRUB_ENDPOINTS },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct scrub s;

		test_case("%s", cases[i].what);
		scrub_init(&s);
		scrub_add(&s, &cases[i].e);
		for (int n = 0; n < SCRUB_NAMES; n++)
			CHECK_INT(s.cleaned[n].values, n == cases[i].cleaned);
	}
}
