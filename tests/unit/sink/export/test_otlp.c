#include "sink/export/otlp.h"

#include <stdio.h>

#include "base/crypto/hex.h"
#include "base/crypto/sha256.h"
#include "harness/test.h"
#include "json/json.h"
#include "unit/sink/export/written.h"

#define TRACE "0192f3a8-7c1e-7d3a-9b1f-0c5d2e8a4f60"
#define NODE(id, parents, from, to, rest) \
	"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"" TRACE "\",\"node_id\":\"" id \
	"\",\"parent_node_ids\":[" parents "],\"timestamp_start\":" from ",\"timestamp_end\":" to \
	",\"framework\":\"langgraph\"," rest "}\n"
#define SYSTEM "\"kind\":\"system\""
#define MODEL(endpoint, more) \
	"\"kind\":\"model_call\",\"model_call\":{\"endpoint\":\"" endpoint "\",\"model\":\"m\"" more "}"
#define CHAT "http://localhost:8000/v1/chat/completions"

/* ---- looking at what was written ---- */

static struct json_parser *parsers[64]; /* values live as long as theirs */
static size_t parser_count;

static struct val document(struct str text)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .allow_duplicates = false });
	struct json_issue issue;
	struct val v;

	CHECK(parser_count < COUNT(parsers));
	parsers[parser_count++] = parser;
	if (!json_parse_copy(parser, str_trim(text), &v, &issue))
		FAIL("no JSON: %.*s", (int)text.n, text.p);
	return v;
}

static struct val element(struct val list, size_t at)
{
	struct val_iter it = val_begin(list);
	struct val v = VAL_NONE;

	for (size_t i = 0; i <= at; i++)
		if (!val_next(&it, &v))
			return VAL_NONE;
	return v;
}

static struct val spans_of(struct val doc)
{
	struct val scopes = val_get(element(val_get(doc, STR("resourceSpans")), 0), STR("scopeSpans"));

	return val_get(element(scopes, 0), STR("spans"));
}

static struct val metrics_of(struct val doc)
{
	struct val scopes = val_get(element(val_get(doc, STR("resourceMetrics")), 0), STR("scopeMetrics"));

	return val_get(element(scopes, 0), STR("metrics"));
}

/* The value of an attribute as JSON; "" when there is none. */
static struct str attribute(struct val of, const char *key)
{
	struct val_iter it = val_begin(val_get(of, STR("attributes"))), inside;
	struct val pair, name, value;

	while (val_next(&it, &pair)) {
		if (!val_text_is(val_get(pair, STR("key")), str_from(key)))
			continue;
		inside = val_begin(val_get(pair, STR("value")));
		CHECK(val_next_member(&inside, &name, &value));
		return val_source(value);
	}
	return STR("");
}

static struct val span_of(const char *trace, size_t at)
{
	return element(spans_of(document(written("otlp-json", str_from(trace)))), at);
}

/* ---- ids and times ---- */

TEST(ids_of_traces_are_their_bytes_and_those_of_spans_are_digests)
{
	static const struct {
		const char *trace, *hex;
	} cases[] = {
		{ TRACE, "0192f3a87c1e7d3a9b1f0c5d2e8a4f60" },
		{ "01HZXW4Y5Z0123456789ABCDEF", "018ffbc278bf00443214c74254b635cf" },
		{ "01hzxw4y5z0123456789abcdef", "018ffbc278bf00443214c74254b635cf" },
		{ "run-7", "68163f93c83472e8c125775ac7342db9" },
		{ "00000000-0000-0000-0000-000000000000", "" }, /* never zeros */
	};
	struct sha256 hash;
	char hex[32];

	sha256_init(&hash);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct otlp_ids ids = otlp_ids_of(&hash, str_from(cases[i].trace), STR("u1"));

		hex_format(hex, ids.trace, 16);
		test_case("%s %.32s", cases[i].trace, hex);
		if (cases[i].hex[0])
			CHECK_STR(str_of(hex, 32), str_from(cases[i].hex));
		else
			CHECK(memcmp(hex, "00000000000000000000000000000000", 32) != 0);
	}
	hex_format(hex, otlp_ids_of(&hash, STR(TRACE), STR("u1")).span, 8);
	CHECK_STR(str_of(hex, 16), STR("9ca800f1e937df24"));
	hex_format(hex, otlp_ids_of(&hash, STR(TRACE), OTLP_ROOT).span, 8);
	CHECK_STR(str_of(hex, 16), STR("82f53ec169f9966b"));
	sha256_free(&hash);
}

TEST(times_have_every_digit_and_an_end_before_its_start_is_marked)
{
	struct val s = span_of(NODE("a", "", "1777550400.123456789", "1777550400.1", SYSTEM), 1);

	CHECK_STR(val_raw(val_get(s, STR("startTimeUnixNano"))), STR("1777550400123456789"));
	CHECK_STR(val_raw(val_get(s, STR("endTimeUnixNano"))), STR("1777550400123456789"));
	CHECK_STR(attribute(s, "agent_trace.clock_skew"), STR("true"));
}

TEST(two_nodes_of_one_id_are_two_spans)
{
	struct val spans = spans_of(document(written("otlp-json", STR(NODE("a", "", "1", "2", SYSTEM)
								      NODE("a", "", "3", "4", SYSTEM)))));

	CHECK_INT(val_count(spans), 3);
	CHECK(!str_eq(val_raw(val_get(element(spans, 1), STR("spanId"))),
		      val_raw(val_get(element(spans, 2), STR("spanId")))));
}

/* ---- parents ---- */

TEST(the_parent_is_the_latest_that_is_around_and_the_others_are_links)
{
	static const char trace[] = NODE("out", "", "1", "9", SYSTEM) NODE("in", "\"out\"", "2", "8", SYSTEM)
		NODE("side", "", "1", "2.5", SYSTEM) NODE("x", "\"out\",\"side\",\"in\",\"gone\"", "3", "4", SYSTEM);
	struct val x = span_of(trace, 4), link;
	struct sha256 hash;
	char hex[16];

	sha256_init(&hash);
	hex_format(hex, otlp_ids_of(&hash, STR(TRACE), STR("in")).span, 8);
	CHECK_STR(val_raw(val_get(x, STR("parentSpanId"))), str_of(hex, 16));
	CHECK_INT(val_count(val_get(x, STR("links"))), 2);
	link = element(val_get(x, STR("links")), 1);
	hex_format(hex, otlp_ids_of(&hash, STR(TRACE), STR("side")).span, 8);
	CHECK_STR(val_raw(val_get(link, STR("spanId"))), str_of(hex, 16));
	CHECK_STR(attribute(link, "agent_trace.link.kind"), STR("\"causal_parent\""));
	CHECK_STR(attribute(x, "agent_trace.parent.missing"), STR("{\"values\":[{\"stringValue\":\"gone\"}]}"));
	sha256_free(&hash);
}

TEST(nodes_that_are_around_each_other_are_not_each_others_parents)
{
	static const char trace[] = NODE("a", "\"b\"", "1", "2", SYSTEM) NODE("b", "\"a\"", "1", "2", SYSTEM);
	struct val spans = spans_of(document(written("otlp-json", str_from(trace))));
	struct str a = val_raw(val_get(element(spans, 1), STR("spanId")));

	CHECK_STR(val_raw(val_get(element(spans, 1), STR("parentSpanId"))),
		  val_raw(val_get(element(spans, 0), STR("spanId"))));
	CHECK_STR(val_raw(val_get(element(spans, 2), STR("parentSpanId"))), a);
}

/* ---- calls ---- */

TEST(an_address_is_never_a_whole_url)
{
	struct str text = written("otlp-json", STR(NODE("a", "", "1", "2", MODEL("https://u:pw@h.example/v1/messages?k=v", ""))));
	struct val s = element(spans_of(document(text)), 1);

	CHECK_STR(attribute(s, "server.address"), STR("\"h.example\""));
	CHECK_STR(attribute(s, "server.port"), STR("\"443\""));
	CHECK(!str_has(text, STR("pw@")) && !str_has(text, STR("k=v")) && !str_has(text, STR("https://u")));
}

TEST(stop_reasons_are_the_conventions_words_and_an_error_fails_the_span)
{
	static const struct {
		const char *stop, *finish;
		bool failed;
	} cases[] = {
		{ "tool_use", "tool_call", false }, { "end_turn", "stop", false },
		{ "length", "length", false }, { "error", "error", true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char trace[2000], want[200];
		struct val s;

		snprintf(trace, sizeof(trace), NODE("a", "", "1", "2", MODEL(CHAT, ",\"stop_reason\":\"%s\"")), cases[i].stop);
		snprintf(want, sizeof(want), "{\"values\":[{\"stringValue\":\"%s\"}]}", cases[i].finish);
		s = span_of(trace, 1);
		CHECK_STR(attribute(s, "gen_ai.response.finish_reasons"), str_from(want));
		CHECK_INT(val_has(s, STR("status")), cases[i].failed);
		CHECK_STR(attribute(s, "error.type"), cases[i].failed ? STR("\"_OTHER\"") : STR(""));
	}
}

TEST(what_a_call_does_not_say_is_left_out)
{
	struct val s = span_of(NODE("a", "", "1", "2", MODEL("unknown", ",\"stream\":false")), 1);
	static const char *const absent[] = {
		"server.address", "server.port", "gen_ai.usage.input_tokens", "gen_ai.request.stream",
		"gen_ai.response.time_to_first_chunk", "gen_ai.response.finish_reasons", "llm.cost.total",
		"gen_ai.response.id", "agent_trace.tpot_seconds",
	};

	for (size_t i = 0; i < COUNT(absent); i++)
		CHECK_STR(attribute(s, absent[i]), STR(""));
}

TEST(the_root_tells_how_the_run_ended)
{
	struct val cut = span_of(NODE("a", "", "1", "2", SYSTEM), 0);
	struct val failed = span_of(NODE("a", "", "1", "2", MODEL(CHAT, ",\"stop_reason\":\"error\"")), 0);

	CHECK_STR(attribute(cut, "agent_trace.exit_status"), STR("\"interrupted\""));
	CHECK_STR(val_source(val_get(cut, STR("status"))), STR("{}"));
	CHECK_STR(attribute(failed, "error.type"), STR("\"_OTHER\""));
	CHECK_STR(val_source(val_get(failed, STR("status"))), STR("{\"code\":2}"));
}

/* ---- profiles ---- */

TEST(each_profile_has_its_names)
{
	static const struct {
		enum otlp_profile profile;
		const char *cache, *ttft, *root;
	} cases[] = {
		{ OTLP_GENAI_1_41, "gen_ai.usage.cache_creation.input_tokens", "gen_ai.response.time_to_first_chunk",
		  "\"openai\"" },
		{ OTLP_GENAI_DEV, "gen_ai.usage.cache_write.input_tokens", "gen_ai.response.time_to_first_chunk", "" },
		{ OTLP_SEED, "gen_ai.usage.cache_creation.input_tokens", "gen_ai.server.time_to_first_token",
		  "\"openai\"" },
	};
	static const char trace[] = NODE("a", "", "1", "2", MODEL(CHAT, ",\"cache_write_tokens\":7,\"ttft_seconds\":0.5"));

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct written *w = written_with("otlp-json", str_from(trace),
						 (struct export_options){ .profile = cases[i].profile });
		struct val spans = spans_of(document(buf_str(&w->bytes)));

		test_case("%zu", i);
		CHECK_STR(attribute(element(spans, 1), cases[i].cache), STR("\"7\""));
		CHECK_STR(attribute(element(spans, 1), cases[i].ttft), STR("0.5"));
		CHECK_STR(attribute(element(spans, 0), "gen_ai.provider.name"), str_from(cases[i].root));
		CHECK(str_has(buf_str(&w->bytes), otlp_schema_urls[cases[i].profile]));
	}
}

/* ---- limits ---- */

TEST(a_request_is_never_larger_than_its_limit)
{
	struct buf trace;

	buf_init(&trace);
	for (int i = 0; i < 2000; i++)
		buf_printf(&trace, NODE("n%d", "", "1", "2", "\"kind\":\"tool_call\",\"tool_call\":{\"name\":\"t\"}"), i);
	for (int proto = 0; proto < 2; proto++) {
		struct written *w = written_with(proto ? "otlp-proto" : "otlp-json", buf_str(&trace),
						 (struct export_options){ .batch_limit = 20000 });

		CHECK(w->pieces > 10);
		CHECK(w->longest <= 20000);
		CHECK(w->longest > 15000); /* and they are full */
	}
	buf_free(&trace);
}

TEST(links_and_lists_have_limits_and_what_is_left_out_is_counted)
{
	struct buf trace, parents;
	struct val x;

	buf_init(&trace);
	buf_init(&parents);
	for (int i = 0; i < 1300; i++) {
		buf_printf(&trace, NODE("n%d", "", "1", "2", SYSTEM), i);
		buf_printf(&parents, "%s\"n%d\"", i ? "," : "", i);
	}
	buf_add_str(&trace, STR("{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"" TRACE
				"\",\"node_id\":\"x\",\"parent_node_ids\":["));
	buf_add_str(&trace, buf_str(&parents));
	buf_add_str(&trace, STR("],\"timestamp_start\":3,\"timestamp_end\":4,\"framework\":\"langgraph\","
				"\"kind\":\"branch\",\"branch\":{\"branch_kind\":\"fan_out\",\"siblings\":["));
	buf_add_str(&trace, buf_str(&parents));
	buf_add_str(&trace, STR("]}}\n"));
	x = element(spans_of(document(written("otlp-json", buf_str(&trace)))), 1301);
	CHECK_INT(val_count(val_get(x, STR("links"))), OTLP_LINKS);
	CHECK_STR(val_raw(val_get(x, STR("droppedLinksCount"))), STR("300"));
	CHECK_STR(attribute(x, "agent_trace.branch.sibling_count"), STR("\"1300\""));
	buf_free(&trace);
	buf_free(&parents);
}

TEST(texts_are_cut_where_a_backend_asks_for_it)
{
	struct written *w = written_with("otlp-json", STR(NODE("a", "", "1", "2", MODEL(CHAT, ",\"request_id\":\"0123456789\""))),
					 (struct export_options){ .text_limit = 4 });

	CHECK_STR(attribute(element(spans_of(document(buf_str(&w->bytes))), 1), "agent_trace.request.id"), STR("\"0123\""));
}

/* ---- metrics ---- */

static struct val point_of_metric(struct val metric, size_t at)
{
	return element(val_get(val_get(metric, STR("histogram")), STR("dataPoints")), at);
}

TEST(buckets_hold_what_is_at_most_their_bound)
{
	static const char trace[] =
		NODE("a", "", "1", "2", MODEL(CHAT, ",\"latency_seconds\":0.01"))
		NODE("b", "", "1", "2", MODEL(CHAT, ",\"latency_seconds\":0.010001"))
		NODE("c", "", "1", "2", MODEL(CHAT, ",\"latency_seconds\":100"))
		NODE("d", "", "1", "2", MODEL(CHAT, ",\"latency_seconds\":1,\"stop_reason\":\"error\""));
	struct val m = element(metrics_of(document(written("otlp-metrics-json", str_from(trace)))), 0);
	struct val p = point_of_metric(m, 0);

	CHECK_STR(val_raw(val_get(m, STR("name"))), STR("gen_ai.client.operation.duration"));
	CHECK_STR(val_raw(val_get(p, STR("count"))), STR("3"));
	CHECK_STR(val_source(val_get(p, STR("bucketCounts"))),
		  STR("[\"1\",\"1\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"1\"]"));
	CHECK_STR(val_raw(val_get(p, STR("min"))), STR("0.01"));
	CHECK_STR(val_raw(val_get(p, STR("max"))), STR("100"));
	CHECK_STR(attribute(point_of_metric(m, 1), "error.type"), STR("\"_OTHER\""));
}

TEST(estimates_and_engines_nobody_measured_are_in_metrics_only_when_asked_for)
{
	static const char trace[] = NODE("a", "", "1", "2", MODEL(CHAT, ",\"input_tokens\":5,\"output_tokens\":6,"
		"\"input_tokens_source\":\"estimated\",\"output_tokens_source\":\"api\",\"ttft_seconds\":0.5,"
		"\"tpot_seconds\":0.01"));
	static const struct {
		struct export_options o;
		const char *names; /* first letters would do, but names say it */
		int points;        /* of tokens */
	} cases[] = {
		{ { .profile = OTLP_GENAI_1_41 }, "token.usage operation.time_to_first_chunk", 1 },
		{ { .include_estimated = true }, "token.usage operation.time_to_first_chunk", 2 },
		{ { .server_metrics = true },
		  "token.usage operation.time_to_first_chunk time_to_first_token time_per_output_token", 1 },
		{ { .profile = OTLP_SEED }, "token.usage time_to_first_token time_per_output_token", 1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct written *w = written_with("otlp-metrics-json", str_from(trace), cases[i].o);
		struct val metrics = metrics_of(document(buf_str(&w->bytes)));
		struct str rest = str_from(cases[i].names), name;
		size_t n = 0;

		test_case("%zu", i);
		for (; rest.n; n++) {
			name = str_cut(rest, ' ', &rest);
			CHECK(str_ends(val_raw(val_get(element(metrics, n), STR("name"))), name));
		}
		CHECK_INT(val_count(metrics), n);
		CHECK_INT(val_count(val_get(val_get(element(metrics, 0), STR("histogram")), STR("dataPoints"))),
			  cases[i].points);
	}
}

TEST(what_a_log_states_only_in_total_is_no_measurement)
{
	struct str text = written("otlp-metrics-json", STR(NODE("a", "", "1", "2", "\"total_only\":true,"
		MODEL(CHAT, ",\"input_tokens\":5,\"input_tokens_source\":\"api\",\"latency_seconds\":1"))));

	CHECK_STR(text, STR(""));
}
