#include "capture/env.h"
#include "harness/test.h"

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

static const char *const *given; /* the environment, for `get` */

static const char *get(const char *name)
{
	return value(given, name);
}

static const char *const *make_without(struct arena *a, const char *const *base, const char *const *without)
{
	static struct routes routes; /* outlives the environment made of it */
	struct env_options o = { .base = base, .routes = &routes, .port = 4321, .dir = STR("/runs/1"), .without = without };
	struct err err;

	given = base;
	CHECK(routes_init(&routes, a, get, &err));
	CHECK(routes_set(&routes, STR("my-own"), STR("http://h"), "test", &err));
	CHECK(id_parse_uuid(STR("0193b3a1-7c00-7abc-8def-0123456789ab"), &o.run));
	memcpy(o.span, "\x01\x02\x03\x04\x05\x06\x07\xff", 8);
	return env_make(a, &o);
}

static const char *const *make(struct arena *a, const char *const *base)
{
	return make_without(a, base, NULL);
}

TEST(an_agent_gets_its_own_variables)
{
	static const char *const base[] = { "PATH=/bin", "KEPT=1", NULL };
	struct agent_change word = { .option = "-x", .text = STR("\001") };
	struct agent_change own = { .next = &word, .variable = "OWN", .text = STR("\001/own") };
	struct agent_plan plan = { .changes = &own };
	struct env_options o = { .base = base, .plan = &plan, .port = 4321, .dir = STR("/runs/1") };
	struct routes routes;
	const char *const *env;
	struct arena a;
	struct err err;

	arena_init(&a);
	given = base;
	CHECK(routes_init(&routes, &a, get, &err));
	o.routes = &routes;
	env = env_make(&a, &o);
	check(env, "OWN", "http://127.0.0.1:4321/own");
	check(env, "KEPT", "1");
	check(env, "TRACKWAY_PROXY", "http://127.0.0.1:4321");
	arena_free(&a);
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
	check(env, "ANTHROPIC_API_BASE", "http://127.0.0.1:4321/anthropic");
	check(env, "GEMINI_API_BASE", "http://127.0.0.1:4321/gemini");
	check(env, "OLLAMA_API_BASE", "http://127.0.0.1:4321/ollama");
	check(env, "OLLAMA_BASE_URL", "http://127.0.0.1:4321/ollama/v1");
	check(env, "OPENAI_WEBSOCKET_BASE_URL", "ws://127.0.0.1:4321/openai/v1");
	check(env, "GROQ_BASE_URL", "http://127.0.0.1:4321/groq");
	check(env, "GROQ_API_BASE", "http://127.0.0.1:4321/groq/openai/v1");
	check(env, "CO_API_URL", "http://127.0.0.1:4321/cohere");
	check(env, "COHERE_API_BASE", "http://127.0.0.1:4321/cohere/v2/chat");
	check(env, "MISTRAL_API_BASE", "http://127.0.0.1:4321/mistral/v1");
	check(env, "MISTRAL_AZURE_API_BASE", "http://127.0.0.1:4321/mistral/v1");
	check(env, "OPENROUTER_BASE_URL", "http://127.0.0.1:4321/openrouter/api/v1");
	check(env, "DEEPSEEK_BASE_URL", "http://127.0.0.1:4321/deepseek");
	check(env, "XAI_API_BASE", "http://127.0.0.1:4321/xai/v1");
	check(env, "GROK_CLI_CHAT_PROXY_BASE_URL", "http://127.0.0.1:4321/grok-cli/v1");
	check(env, "KIMI_BASE_URL", "http://127.0.0.1:4321/kimi/coding/v1");
	check(env, "KIMI_CODE_BASE_URL", "http://127.0.0.1:4321/kimi/coding/v1");
	check(env, "CLOUD_CODE_URL", "http://127.0.0.1:4321/cloud-code");
	check(env, "TRACKWAY_UPSTREAM_MY_OWN", "http://127.0.0.1:4321/my-own");
	check(env, "TRACKWAY_RUN_ID", "0193b3a1-7c00-7abc-8def-0123456789ab");
	check(env, "TRACKWAY_RUN_DIR", "/runs/1");
	check(env, "TRACKWAY", "1");
	check(env, "TRACEPARENT", "00-0193b3a17c007abc8def0123456789ab-01020304050607ff-01");
	check(env, "OTEL_RESOURCE_ATTRIBUTES", "agent_trace.run.id=0193b3a1-7c00-7abc-8def-0123456789ab");
	CHECK(!value(env, "NO_PROXY"));
	arena_free(&a);
}

TEST(what_changes_a_client_by_being_set_is_led_only_where_the_user_has_it)
{
	static const char *const own[] = {
		"AZURE_OPENAI_ENDPOINT", "AZURE_API_BASE", "ANTHROPIC_BEDROCK_BASE_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
		"GOOGLE_VERTEX_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL", "COPILOT_PROVIDER_BASE_URL", "CODEBUDDY_BASE_URL", "CUSTOM_BASE_URL",
	};
	static const char *const none[] = { "PATH=/bin", "COPILOT_PROVIDER_BASE_URL=", NULL };
	static const char *const some[] = {
		"AZURE_OPENAI_ENDPOINT=https://me.openai.azure.com", "COPILOT_PROVIDER_BASE_URL=https://gw/v1", NULL,
	};
	struct arena a;
	const char *const *env;

	arena_init(&a);
	env = make(&a, none);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		const char *got = value(env, own[i]);

		test_case("%s", own[i]);
		CHECK(!got || !*got);
	}
	env = make(&a, some);
	check(env, "AZURE_OPENAI_ENDPOINT", "http://127.0.0.1:4321/azure");
	check(env, "COPILOT_PROVIDER_BASE_URL", "http://127.0.0.1:4321/copilot");
	CHECK(!value(env, "AZURE_API_BASE")); /* of the same service, and not the user's */
	arena_free(&a);
}

TEST(variables_that_the_caller_names_stay_as_they_are)
{
	static const char *const base[] = { "ANTHROPIC_BASE_URL=https://gw", NULL };
	static const char *const without[] = { "GOOGLE_GEMINI_BASE_URL", "ANTHROPIC_BASE_URL", NULL };
	struct arena a;
	const char *const *env;

	arena_init(&a);
	env = make_without(&a, base, without);
	CHECK(!value(env, "GOOGLE_GEMINI_BASE_URL"));
	check(env, "ANTHROPIC_BASE_URL", "https://gw");
	check(env, "GEMINI_API_BASE", "http://127.0.0.1:4321/gemini");
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

TEST(where_connections_are_intercepted_we_are_the_proxy_and_addresses_stay_as_they_are)
{
	static const char *const base[] = { "OPENAI_BASE_URL=https://gateway.example/v1", "HTTP_PROXY=http://corp:3128",
					    "NO_PROXY=localhost,.corp", "CURL_CA_BUNDLE=/corp.pem", "OLLAMA_HOST=box:11434", NULL };
	static const char *const trusted[] = { "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CODEX_CA_CERTIFICATE",
					       "CURL_CA_BUNDLE", "TRACKWAY_CA_FILE" };
	static const char *const ours[] = { "HTTPS_PROXY", "https_proxy", "HTTP_PROXY" };
	struct routes routes;
	struct env_options o = { .base = base, .routes = &routes, .port = 4321, .dir = STR("/runs/1"), .trust = STR("/runs/1/x.pem") };
	struct arena a;
	struct err err;
	const char *const *env;

	arena_init(&a);
	given = base;
	CHECK(routes_init(&routes, &a, get, &err));
	CHECK(routes_set(&routes, STR("anthropic"), STR("http://127.0.0.1:8000"), "test", &err));
	env = env_make(&a, &o);
	for (size_t i = 0; i < COUNT(trusted); i++)
		check(env, trusted[i], "/runs/1/x.pem");
	for (size_t i = 0; i < COUNT(ours); i++)
		check(env, ours[i], "http://127.0.0.1:4321");
	check(env, "NO_PROXY", "");
	check(env, "no_proxy", "");
	check(env, "NODE_USE_ENV_PROXY", "1");
	check(env, "OPENAI_BASE_URL", "https://gateway.example/v1");
	check(env, "OLLAMA_HOST", "http://127.0.0.1:4321"); /* without TLS there is nothing to intercept */
	CHECK(value(env, "ANTHROPIC_BASE_URL") == NULL && value(env, "OPENAI_API_BASE") == NULL);
	CHECK(value(env, "http_proxy") == NULL && value(env, "ALL_PROXY") == NULL && value(env, "AWS_CA_BUNDLE") == NULL);
	arena_free(&a);
}

TEST(telemetry_comes_to_the_recorder_also_where_the_user_has_an_address_for_a_signal)
{
	static const char *const none[] = { "PATH=/bin", NULL };
	static const char *const some[] = {
		"OTEL_EXPORTER_OTLP_ENDPOINT=https://mine", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://mine/t", "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=grpc",
		"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=http/json", "OTEL_EXPORTER_OTLP_HEADERS=a=b",
		"OTEL_RESOURCE_ATTRIBUTES=service.name=x", NULL,
	};
	struct arena a;
	const char *const *env;

	arena_init(&a);
	env = make(&a, none);
	check(env, "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4321");
	check(env, "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
	CHECK(!value(env, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"));
	CHECK(!value(env, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"));
	env = make(&a, some);
	check(env, "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4321");
	check(env, "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
	check(env, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:4321/v1/traces");
	check(env, "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "http/protobuf");
	check(env, "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "http/json"); /* which is fine with us */
	check(env, "OTEL_EXPORTER_OTLP_HEADERS", "a=b");
	CHECK(!value(env, "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"));
	arena_free(&a);
}

TEST(where_only_telemetry_is_taken_addresses_of_services_stay_as_they_are)
{
	static const char *const base[] = { "OPENAI_BASE_URL=https://real", NULL };
	struct env_options o = { .base = base, .port = 4321, .dir = STR("/runs/1"), .otlp = true };
	const char *const *env;
	struct arena a;

	arena_init(&a);
	env = env_make(&a, &o);
	check(env, "OPENAI_BASE_URL", "https://real");
	check(env, "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4321");
	CHECK(!value(env, "TRACKWAY_PROXY"));
	CHECK(!value(env, "ANTHROPIC_BASE_URL"));
	arena_free(&a);
}

TEST(shims_stand_first_in_path_and_those_of_an_outer_run_go)
{
	static const char *const base[] = { "PATH=/outer:/bin", "SHELL=/outer/shell/zsh", "TRACKWAY_SHELL_DIR=/outer",
					    "TRACKWAY_SHELL_PATH=/bin/zsh", "TRACKWAY_COMMAND=1", NULL };
	struct shell_dir own = { .path = STR("/own"), .root = STR("/here"), .shell = STR("/own/shell/zsh") };
	struct env_options o = { .base = base, .dir = STR("/runs/1") };
	const char *const *env;
	struct routes routes;
	struct arena a;
	struct err err;

	arena_init(&a);
	given = base;
	CHECK(routes_init(&routes, &a, get, &err));
	o.routes = &routes;
	env = env_make(&a, &o);
	check(env, "PATH", "/bin");
	check(env, "SHELL", "/bin/zsh");
	check(env, "TRACKWAY_SHELL_DIR", "");
	o.shell = &own;
	env = env_make(&a, &o);
	check(env, "PATH", "/own:/bin");
	check(env, "SHELL", "/own/shell/zsh");
	check(env, "TRACKWAY_SHELL_PATH", "/bin/zsh");
	check(env, "TRACKWAY_SHELL_DIR", "/own");
	check(env, "TRACKWAY_SHELL_ROOT", "/here");
	check(env, "TRACKWAY_COMMAND", "");
	arena_free(&a);
}
