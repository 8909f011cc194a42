#include "provider/provider_refusal.h"

#include "harness/test.h"

struct recorder {
	struct arena arena;
	struct json_parser *parser;
	struct provider_answer a;
};

static struct recorder *recorder_open(int status)
{
	struct recorder *d = test_alloc(sizeof(*d));

	arena_init(&d->arena);
	d->parser = json_parser_open((struct json_options){ .max_depth = 0 });
	d->a = (struct provider_answer){ .http_status = status, .message = STR("") };
	if (status)
		provider_refuse_status(&d->arena, status, &d->a);
	return d;
}

static void recorder_close(struct recorder *d)
{
	json_parser_close(d->parser);
	arena_free(&d->arena);
}

static void say(struct recorder *d, const char *body)
{
	struct val v;

	CHECK(json_parse_copy(d->parser, str_from(body), &v, NULL));
	provider_refuse_body(&d->arena, v, &d->a);
}

static void check(const struct recorder *d, enum provider_status status, const char *failure, bool retryable)
{
	CHECK_STR(str_from(provider_status_name(d->a.status)), str_from(provider_status_name(status)));
	CHECK_STR(str_from(d->a.failure), str_from(failure));
	CHECK_INT(d->a.retryable, retryable);
}

TEST(a_body_says_what_the_status_does_not)
{
	static const struct {
		int code;
		const char *body;
		enum provider_status status;
		const char *failure;
		bool retryable;
		const char *message;
	} cases[] = {
		{ 400, "{\"error\":{\"message\":\"The requested model 'x' does not exist.\",\"code\":\"model_not_found\"}}",
		  PROVIDER_UNAVAILABLE, "model_not_found", false, "The requested model 'x' does not exist." },
		{ 400, "{\"error\":\"model \\\"x\\\" Not Found\"}", PROVIDER_UNAVAILABLE, "model_not_found", false, "model \"x\" Not Found" },
		{ 400, "{\"error\":{\"message\":\"prompt is too long\"}}", PROVIDER_ERROR, "http_400", false, "prompt is too long" },
		{ 429, "{\"error\":{\"message\":\"quota\",\"type\":\"insufficient_quota\"}}", PROVIDER_LIMITED, "http_429", false, "quota" },
		{ 429, "{\"error\":{\"message\":\"slow\",\"code\":null}}", PROVIDER_LIMITED, "http_429", true, "slow" },
		{ 401, "{\"error\":{\"message\":\"model not found\"}}", PROVIDER_AUTH, "http_401", false, "model not found" },
		{ 500, "{\"error\":{\"message\":\"model not found\"}}", PROVIDER_ERROR, "http_500", false, "model not found" },
		{ 422, "{\"detail\":\"odd\"}", PROVIDER_ERROR, "http_422", false, "odd" },
		{ 503, "[1]", PROVIDER_ERROR, "http_503", true, "" },
		{ 400, "{\"error\":{\"message\":7,\"code\":{},\"type\":[]}}", PROVIDER_ERROR, "http_400", false, "" },
		{ 400, "{\"error\":null}", PROVIDER_ERROR, "http_400", false, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recorder *d = recorder_open(cases[i].code);

		test_case("%d %s", cases[i].code, cases[i].body);
		say(d, cases[i].body);
		check(d, cases[i].status, cases[i].failure, cases[i].retryable);
		CHECK_STR(d->a.message, str_from(cases[i].message));
		recorder_close(d);
	}
}

TEST(errors_in_a_stream_have_the_name_that_the_service_gives_them)
{
	static const struct {
		const char *code, *message;
		enum provider_status status;
		const char *failure;
		bool retryable;
	} cases[] = {
		{ "overloaded_error", "Overloaded", PROVIDER_ERROR, "http_529", true },
		{ "rate_limit_error", "", PROVIDER_LIMITED, "http_429", true },
		{ "authentication_error", "", PROVIDER_AUTH, "http_401", false },
		{ "api_error", "Internal", PROVIDER_ERROR, "api_error", false },
		{ "Internal Server Error!", "", PROVIDER_ERROR, "internal_server_error", false },
		{ "", "whatever", PROVIDER_ERROR, "stream_error", false },
		{ "500", "a number is no name", PROVIDER_ERROR, "stream_error", false },
		{ "", "model 'x' not found", PROVIDER_UNAVAILABLE, "model_not_found", false },
		{ "\x01\xff\xfe", "", PROVIDER_ERROR, "stream_error", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recorder *d = recorder_open(0);

		test_case("%s", cases[i].code);
		provider_refuse_event(&d->arena, str_from(cases[i].code), str_from(cases[i].message), &d->a);
		check(d, cases[i].status, cases[i].failure, cases[i].retryable);
		recorder_close(d);
	}
}

TEST(a_name_without_end_is_cut)
{
	char long_name[500];
	struct recorder *d = recorder_open(0);

	memset(long_name, 'x', sizeof(long_name));
	provider_refuse_event(&d->arena, str_of(long_name, sizeof(long_name)), STR(""), &d->a);
	CHECK_INT(strlen(d->a.failure), 60);
	recorder_close(d);
}

TEST(a_message_is_one_line_without_keys)
{
	struct arena a;
	struct str m;

	arena_init(&a);
	m = provider_message(&a, STR(" bad key hunter22-of-mine,\r\n\tsee\x1b[31m hunter22-of-mine"), STR("hunter22-of-mine"));
	CHECK_STR(m, STR("bad key ...,   see [31m ..."));
	CHECK_INT(provider_message(&a, STR("  \n "), STR("x")).n, 0);
	CHECK_STR(provider_message(&a, STR("fine"), str_of(NULL, 0)), STR("fine"));
	m = provider_message(&a, STR("Authorization: Bearer abcdefghijklmnop0123456789"), str_of(NULL, 0));
	CHECK(str_find(m, STR("abcdefghijklmnop0123456789")) == (size_t)-1);
	arena_free(&a);
}
