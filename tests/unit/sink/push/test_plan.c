#include "sink/push/plan.h"

#include "harness/test.h"

/* An environment of "NAME=value", ended by NULL; the one that `get` reads. */
static const char *const *environment;

static const char *get(const char *name)
{
	size_t n = strlen(name);

	for (const char *const *e = environment; *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

#define ENV(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NO_ENV ((const char *const[]){ NULL })

static struct arena *arena_of_test(void)
{
	struct arena *a = test_alloc(sizeof(*a));

	arena_init(a);
	return a;
}

static bool plan_of(const char *to, const char *endpoint, enum push_signal signal, const char *const *env,
		    struct push_plan *out, struct err *err)
{
	struct push_wish w = { .preset = to ? push_preset_find(str_from(to)) : NULL, .endpoint = str_from(endpoint) };

	environment = env;
	*err = (struct err){ .kind = ERR_NONE };
	return push_plan_read(arena_of_test(), &w, signal, get, out, err);
}

TEST(the_address_comes_from_the_strongest_place)
{
	static const struct {
		const char *to, *endpoint;
		const char *env[4];
		const char *shown, *target;
	} cases[] = {
		{ NULL, NULL, { NULL }, "http://localhost:4318/v1/traces", "/v1/traces" },
		{ NULL, NULL, { "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:1" }, "http://h:1/v1/traces", "/v1/traces" },
		{ NULL, NULL, { "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:1/" }, "http://h:1/v1/traces", "/v1/traces" },
		{ NULL, NULL, { "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:1/a/b/?k=v#f" }, "http://h:1/a/b/v1/traces",
		  "/a/b/v1/traces?k=v" },
		{ NULL, NULL, { "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://h:1" }, "http://h:1", "/" },
		{ NULL, NULL, { "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://h/x/" }, "https://h/x", "/x/" },
		{ NULL, NULL, { "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://h:1/x?a=b", "OTEL_EXPORTER_OTLP_ENDPOINT=http://i" },
		  "http://h:1/x", "/x?a=b" },
		{ NULL, NULL, { "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=", "OTEL_EXPORTER_OTLP_ENDPOINT=http://i" }, "http://i/v1/traces",
		  "/v1/traces" },
		{ NULL, NULL, { "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://h:1/x" }, "http://localhost:4318/v1/traces", "/v1/traces" },
		{ NULL, "http://f:9", { "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://h:1" }, "http://f:9/v1/traces", "/v1/traces" },
		{ NULL, "http://f:9/v1/traces", { NULL }, "http://f:9/v1/traces", "/v1/traces" },
		{ NULL, "http://f:9/v1/metrics/", { NULL }, "http://f:9/v1/traces", "/v1/traces" },
		{ NULL, "http://me:pw@f:9/x", { NULL }, "http://f:9/x/v1/traces", "/x/v1/traces" },
		{ "jaeger", NULL, { NULL }, "http://localhost:4318/v1/traces", "/v1/traces" },
		{ "phoenix", NULL, { NULL }, "http://localhost:6006/v1/traces", "/v1/traces" },
		{ "phoenix", NULL, { "PHOENIX_COLLECTOR_ENDPOINT=http://p:7/sub", "OTEL_EXPORTER_OTLP_ENDPOINT=http://i" },
		  "http://p:7/sub/v1/traces", "/sub/v1/traces" },
		{ "phoenix", NULL, { "OTEL_EXPORTER_OTLP_ENDPOINT=http://i" }, "http://i/v1/traces", "/v1/traces" },
		{ "langfuse", "http://l:3000", { "LANGFUSE_PUBLIC_KEY=pk", "LANGFUSE_SECRET_KEY=sk" },
		  "http://l:3000/api/public/otel/v1/traces", "/api/public/otel/v1/traces" },
		{ "langfuse", "http://l:3000/api/public/otel/v1/traces", { "LANGFUSE_PUBLIC_KEY=pk", "LANGFUSE_SECRET_KEY=sk" },
		  "http://l:3000/api/public/otel/v1/traces", "/api/public/otel/v1/traces" },
		{ "langfuse", NULL, { "LANGFUSE_HOST=https://l", "LANGFUSE_PUBLIC_KEY=pk", "LANGFUSE_SECRET_KEY=sk" },
		  "https://l/api/public/otel/v1/traces", "/api/public/otel/v1/traces" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *env[5] = { cases[i].env[0], cases[i].env[1], cases[i].env[2], cases[i].env[3], NULL };
		struct push_plan p;
		struct err err;

		test_case("%zu", i);
		if (!plan_of(cases[i].to, cases[i].endpoint, PUSH_TRACES, env, &p, &err))
			FAIL("%s", err.text);
		CHECK_STR(p.shown, str_from(cases[i].shown));
		CHECK_STR(p.target, str_from(cases[i].target));
	}
}

TEST(metrics_have_variables_of_their_own)
{
	struct push_plan p;
	struct err err;

	CHECK(plan_of(NULL, NULL, PUSH_METRICS,
		      ENV("OTEL_EXPORTER_OTLP_ENDPOINT=http://h", "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT=7",
			  "OTEL_EXPORTER_OTLP_METRICS_COMPRESSION=gzip", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=http/json"),
		      &p, &err));
	CHECK_STR(p.target, STR("/v1/metrics"));
	CHECK_INT(p.timeout_ms, 7);
	CHECK_INT(p.gzip, true);
	CHECK_INT(p.encoding, PUSH_JSON);
	CHECK(!plan_of("tempo", NULL, PUSH_METRICS, NO_ENV, &p, &err));
	CHECK_STR(str_from(err.text), STR("Grafana Tempo takes no metrics"));
}

TEST(encoding_time_and_compression)
{
	struct push_plan p;
	struct err err;

	CHECK(plan_of(NULL, NULL, PUSH_TRACES, NO_ENV, &p, &err));
	CHECK_INT(p.encoding, PUSH_PROTOBUF);
	CHECK_INT(p.timeout_ms, 10000);
	CHECK_INT(p.gzip, false);
	CHECK_INT(p.tries, 5);
	CHECK_INT(p.budget_ms, 120000);
	CHECK(plan_of(NULL, NULL, PUSH_TRACES,
		      ENV("OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json",
			  "OTEL_EXPORTER_OTLP_TIMEOUT=250", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
			  "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=none"), &p, &err));
	CHECK_INT(p.encoding, PUSH_JSON);
	CHECK_INT(p.timeout_ms, 250);
	CHECK_INT(p.gzip, false);
	CHECK(plan_of("phoenix", NULL, PUSH_TRACES, NO_ENV, &p, &err));
	CHECK_INT(p.gzip, true);
	CHECK_INT(p.encoding, PUSH_PROTOBUF);
}

TEST(a_wish_is_stronger_than_the_environment)
{
	const struct http_header headers[] = { { STR("X-A"), STR("file") }, { STR("content-type"), STR("text/odd") } };
	struct push_wish w = { .encoding = PUSH_PROTOBUF, .headers = headers, .header_count = 2 };
	struct push_plan p;
	struct err err;

	environment = ENV("OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_HEADERS=x-a=env,x-b=1");
	CHECK(push_plan_read(arena_of_test(), &w, PUSH_TRACES, get, &p, &err));
	CHECK_INT(p.encoding, PUSH_PROTOBUF);
	CHECK_INT(p.header_count, 2); /* what describes the body is ours */
	CHECK_STR(p.headers[0].value, STR("file"));
}

TEST(what_cannot_be_is_refused_with_the_place_and_the_remedy)
{
	static const struct { const char *to, *endpoint, *env, *want; } cases[] = {
		{ NULL, NULL, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' cannot be sent" },
		{ NULL, NULL, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "set it to http/protobuf" },
		{ NULL, NULL, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=x", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'x'" },
		{ "phoenix", NULL, "OTEL_EXPORTER_OTLP_PROTOCOL=http/json", "Arize Phoenix takes OTLP as protobuf only" },
		{ NULL, NULL, "OTEL_EXPORTER_OTLP_TIMEOUT=1s", "OTEL_EXPORTER_OTLP_TIMEOUT: '1s' is not" },
		{ NULL, NULL, "OTEL_EXPORTER_OTLP_TIMEOUT=0", "from 1 to" },
		{ NULL, NULL, "OTEL_EXPORTER_OTLP_TIMEOUT=99999999999", "from 1 to" },
		{ NULL, NULL, "OTEL_EXPORTER_OTLP_COMPRESSION=zstd", "neither gzip nor none" },
		{ NULL, NULL, "OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4318", "OTEL_EXPORTER_OTLP_ENDPOINT: an address begins with" },
		{ NULL, NULL, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=x", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: an address" },
		{ NULL, "x", NULL, "the endpoint: an address begins with" },
		{ NULL, NULL, "OTEL_EXPORTER_OTLP_HEADERS=hush", "OTEL_EXPORTER_OTLP_HEADERS: item 1 has no '='" },
		{ NULL, NULL, "OTEL_EXPORTER_OTLP_HEADERS=a=b,h u=sh", "item 2 has a name that no header can have" },
		{ NULL, NULL, "OTEL_EXPORTER_OTLP_TRACES_HEADERS=hush=a%0Ab", "item 1 has a control character" },
		{ "langfuse", NULL, "LANGFUSE_PUBLIC_KEY=hush", "set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct push_plan p;
		struct err err;

		test_case("%s", cases[i].env ? cases[i].env : cases[i].endpoint);
		CHECK(!plan_of(cases[i].to, cases[i].endpoint, PUSH_TRACES, ENV(cases[i].env), &p, &err));
		CHECK_INT(err.kind, ERR_USAGE);
		if (!strstr(err.text, cases[i].want))
			FAIL("%s", err.text);
		CHECK(!strstr(err.text, "hush"));
	}
}

/* "name: value|..." */
static struct str headers_of(const char *to, const char *endpoint, const char *const *env)
{
	struct push_plan p;
	struct buf out;
	struct err err;

	if (!plan_of(to, endpoint, PUSH_TRACES, env, &p, &err))
		FAIL("%s", err.text);
	buf_init(&out);
	for (size_t i = 0; i < p.header_count; i++)
		buf_printf(&out, "%s%.*s: %.*s", i ? "|" : "", STR_ARG(p.headers[i].name), STR_ARG(p.headers[i].value));
	return arena_take(arena_of_test(), &out);
}

TEST(headers_are_merged_by_name_and_later_ones_count)
{
	CHECK_STR(headers_of(NULL, NULL, NO_ENV), STR(""));
	CHECK_STR(headers_of(NULL, NULL, ENV("OTEL_EXPORTER_OTLP_HEADERS=A=1,b=x%20y,a=2,Host=evil,content-length=1",
					     "OTEL_EXPORTER_OTLP_TRACES_HEADERS=B=3,c=4",
					     "OTEL_EXPORTER_OTLP_METRICS_HEADERS=d=5")),
		  STR("a: 2|B: 3|c: 4"));
	CHECK_STR(headers_of(NULL, "http://me:pw@h", NO_ENV), STR("authorization: Basic bWU6cHc="));
	CHECK_STR(headers_of(NULL, "http://me:p%40w@h", NO_ENV), STR("authorization: Basic bWU6cEB3"));
	CHECK_STR(headers_of(NULL, "http://me:pw@h", ENV("OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer x")),
		  STR("Authorization: Bearer x"));
	CHECK_STR(headers_of("phoenix", NULL, ENV("PHOENIX_API_KEY=k1", "PHOENIX_PROJECT_NAME=runs")),
		  STR("authorization: Bearer k1|x-project-name: runs"));
	CHECK_STR(headers_of("phoenix", NULL, ENV("PHOENIX_API_KEY=k1", "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer k2")),
		  STR("authorization: Bearer k2"));
	CHECK_STR(headers_of("langfuse", NULL, ENV("LANGFUSE_PUBLIC_KEY=pk", "LANGFUSE_SECRET_KEY=sk")),
		  STR("authorization: Basic cGs6c2s=|x-langfuse-ingestion-version: 4"));
	CHECK_STR(headers_of("langfuse", NULL, ENV("OTEL_EXPORTER_OTLP_HEADERS=Authorization=Basic abc")),
		  STR("x-langfuse-ingestion-version: 4|Authorization: Basic abc"));
}

TEST(a_certificate_that_is_not_read_is_said)
{
	struct push_plan p;
	struct err err;

	CHECK(plan_of(NULL, "https://h", PUSH_TRACES, ENV("OTEL_EXPORTER_OTLP_CERTIFICATE=/x.pem"), &p, &err));
	CHECK_STR(p.note, STR("OTEL_EXPORTER_OTLP_CERTIFICATE is not read: name the file in SSL_CERT_FILE"));
	CHECK(plan_of(NULL, "http://h", PUSH_TRACES, ENV("OTEL_EXPORTER_OTLP_CERTIFICATE=/x.pem"), &p, &err));
	CHECK_INT(p.note.n, 0);
}

TEST(what_is_said_of_the_spans_themselves)
{
	struct export_options o = { .version = "v" };
	struct arena *a = arena_of_test();
	struct err err = { .kind = ERR_NONE };

	environment = NO_ENV;
	CHECK(push_plan_export(a, NULL, get, &o, &err));
	CHECK(!o.service.p && o.resource_count == 0 && o.profile == OTLP_GENAI_1_41 && o.text_limit == 0);
	environment = ENV("OTEL_RESOURCE_ATTRIBUTES=service.name=weak,team=a%2Cb,host=x,team=c",
			  "OTEL_SEMCONV_STABILITY_OPT_IN=http, gen_ai_latest_experimental");
	CHECK(push_plan_export(a, push_preset_find(STR("tempo")), get, &o, &err));
	CHECK_STR(o.service, STR("weak"));
	CHECK_INT(o.resource_count, 4);
	CHECK(str_eq(o.resource[0], STR("team")) && str_eq(o.resource[1], STR("c")));
	CHECK(str_eq(o.resource[2], STR("host")) && str_eq(o.resource[3], STR("x")));
	CHECK_INT(o.profile, OTLP_GENAI_DEV);
	CHECK_INT(o.text_limit, 2000);
	CHECK_STR(str_from(o.version), STR("v"));
	environment = ENV("OTEL_RESOURCE_ATTRIBUTES=service.name=weak", "OTEL_SERVICE_NAME= strong ");
	CHECK(push_plan_export(a, NULL, get, &o, &err));
	CHECK(str_eq(o.service, STR("strong")) && o.resource_count == 0);
	environment = ENV("OTEL_RESOURCE_ATTRIBUTES=a=1,b");
	CHECK(!push_plan_export(a, NULL, get, &o, &err));
	CHECK(strstr(err.text, "OTEL_RESOURCE_ATTRIBUTES: item 2 has no '='"));
	environment = ENV("OTEL_SERVICE_NAME=\xff");
	CHECK(!push_plan_export(a, NULL, get, &o, &err));
}

TEST(every_preset_can_be_found)
{
	size_t n = 0;

	for (const struct push_preset *p = push_presets; p->name; p++, n++) {
		CHECK(push_preset_find(str_from(p->name)) == p);
		CHECK(p->title && p->endpoint && p->path && p->takes[PUSH_TRACES]);
		CHECK(!p->needs_authorization || p->help);
	}
	CHECK_INT(n, 4);
	CHECK(push_preset_find(STR("zipkin")) == NULL);
}

TEST(logs_have_variables_of_their_own_too)
{
	struct push_plan p;
	struct err err;

	CHECK(plan_of(NULL, NULL, PUSH_LOGS, ENV("OTEL_EXPORTER_OTLP_ENDPOINT=http://h:1/a"), &p, &err));
	CHECK_STR(p.target, STR("/a/v1/logs"));
	CHECK(plan_of(NULL, NULL, PUSH_LOGS, ENV("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://h:1/as/it/is"), &p, &err));
	CHECK_STR(p.target, STR("/as/it/is"));
	CHECK(!plan_of("jaeger", NULL, PUSH_LOGS, NO_ENV, &p, &err));
}
