#include "capture/env.h"
#include "harness/test.h"

static const char *nothing(const char *name)
{
	(void)name;
	return NULL;
}

/* The value, or NULL; a name that is there twice is a fault. */
static const char *value(const char *const *env, const char *name)
{
	const char *found = NULL;
	size_t n = strlen(name);

	for (; *env; env++) {
		if (strncmp(*env, name, n) != 0 || (*env)[n] != '=')
			continue;
		CHECK(!found);
		found = *env + n + 1;
	}
	return found;
}

static void check(const char *const *env, const char *name, const char *wants)
{
	const char *got = value(env, name);

	test_case("%s", name);
	CHECK(got != NULL);
	CHECK_STR(str_from(got), str_from(wants));
}

static const char *const *make(struct arena *a, const char *const *base)
{
	static struct routes routes; /* outlives the environment made of it */
	struct env_options o = { .base = base, .routes = &routes, .port = 4321, .dir = STR("/runs/1") };
	struct err err;

	CHECK(routes_init(&routes, a, nothing, &err));
	CHECK(routes_set(&routes, STR("my-own"), STR("http://h"), "test", &err));
	CHECK(id_parse_uuid(STR("0193b3a1-7c00-7abc-8def-0123456789ab"), &o.run));
	memcpy(o.span, "\x01\x02\x03\x04\x05\x06\x07\xff", 8);
	return env_make(a, &o);
}

TEST(every_client_finds_the_recorder_under_the_name_it_reads)
{
	static const char *const base[] = { "PATH=/bin", "OPENAI_BASE_URL=https://real", "OPENAI_API_KEY=k", NULL };
	struct arena a;
	const char *const *env;

	arena_init(&a);
	env = make(&a, base);
	check(env, "PATH", "/bin");
	check(env, "OPENAI_API_KEY", "k");
	check(env, "OPENAI_BASE_URL", "http://127.0.0.1:4321/openai/v1");
	check(env, "OPENAI_API_BASE", "http://127.0.0.1:4321/openai/v1");
	check(env, "OPENAI_HOST", "http://127.0.0.1:4321");
	check(env, "ANTHROPIC_BASE_URL", "http://127.0.0.1:4321/anthropic");
	check(env, "ANTHROPIC_API_URL", "http://127.0.0.1:4321/anthropic");
	check(env, "ANTHROPIC_HOST", "http://127.0.0.1:4321");
	check(env, "OLLAMA_HOST", "http://127.0.0.1:4321");
	check(env, "GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:4321/gemini");
	check(env, "TRACKWAY_UPSTREAM_MY_OWN", "http://127.0.0.1:4321/my-own");
	check(env, "TRACKWAY_RUN_ID", "0193b3a1-7c00-7abc-8def-0123456789ab");
	check(env, "TRACKWAY_RUN_DIR", "/runs/1");
	check(env, "TRACKWAY", "1");
	check(env, "TRACEPARENT", "00-0193b3a17c007abc8def0123456789ab-01020304050607ff-01");
	check(env, "OTEL_RESOURCE_ATTRIBUTES", "agent_trace.run.id=0193b3a1-7c00-7abc-8def-0123456789ab");
	CHECK(!value(env, "NO_PROXY"));
	arena_free(&a);
}

TEST(a_proxy_of_the_environment_does_not_come_in_between)
{
	static const char *const base[] = {
		"https_proxy=http://proxy:3128", "NO_PROXY=.example", "OTEL_RESOURCE_ATTRIBUTES=a=b", "TRACKWAY=0", NULL,
	};
	struct arena a;
	const char *const *env;

	arena_init(&a);
	env = make(&a, base);
	check(env, "https_proxy", "http://proxy:3128");
	check(env, "NO_PROXY", ".example,127.0.0.1,localhost");
	check(env, "no_proxy", ".example,127.0.0.1,localhost"); /* whichever a client reads */
	check(env, "OTEL_RESOURCE_ATTRIBUTES", "a=b,agent_trace.run.id=0193b3a1-7c00-7abc-8def-0123456789ab");
	check(env, "TRACKWAY", "1");
	arena_free(&a);
}

TEST(a_large_environment_passes_whole)
{
	const char *base[1001];
	struct arena a;
	const char *const *env;

	arena_init(&a);
	for (size_t i = 0; i < 1000; i++)
		base[i] = arena_printf(&a, "V%zu=%zu", i, i).p;
	base[1000] = NULL;
	env = make(&a, base);
	check(env, "V0", "0");
	check(env, "V999", "999");
	arena_free(&a);
}
