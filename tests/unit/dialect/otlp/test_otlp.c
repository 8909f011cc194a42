#include <stdlib.h>

#include "dialect/formats.h"
#include "json/canon.h"
#include "unit/dialect/expect_run.h"

/* A trace of Tempo's kind and one of Jaeger's: steps inside steps, tools inside steps. */
TEST(samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/otlp_genai", "otlp-json", 8);
}

static const char *const payloads[] = {
	"jaeger-db_traces_02.json", "jaeger-default.json", "jaeger-log_tags_trace.json", "jaeger-multi_index_trace.json",
	"jaeger-multispottag_opname_trace.json", "jaeger-otel_traces_01_b.json", "jaeger-otlp2jaeger_in.json",
	"jaeger-process_tags_trace.json", "jaeger-scope_attributes_trace.json", "jaeger-tags_escaped_operator_trace_1.json",
	"jaegerui-otlp2jaeger_in_error.json", "jaegerui-otlp2jaeger_multi_in_combined.json", "langwatch-claude_code.json",
	"langwatch-claude_cowork.json", "langwatch-cursor.json", "langwatch-raw_otlp_advanced.json",
	"openagent-test_traces.jsonl", "otelproto-logs.json", "otelproto-metrics.json", "otelproto-trace.json",
};

TEST(payloads_of_the_collectors_own_tests_are_read_whole)
{
	const char *folder = test_shared("corpora/07-otlp/dev/payloads");
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		struct converted c = convert_file(&a, arena_printf(&a, "%s/%s", folder, payloads[i]).p,
						  (struct convert_how){ .to = "otutl" });

		test_case("%s", payloads[i]);
		CHECK(c.done && c.from == &otlp_dialect);
		CHECK_INT(convert_errors(&a, "otutl", c.out, NULL), 0);
		CHECK_INT(c.coverage.leaves.left, 0);
		CHECK_INT(c.coverage.leaves.dropped, 0);
		CHECK(convert_count(c.out).runs >= 1);
	}
	arena_free(&a);
}

/* ---- every span comes back ---- */

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Spans as canonical text with their resource and scope, sorted. */
struct spans {
	struct str list[512];
	size_t count;
	struct canon *canon;
	struct arena *arena;
};

static void add_canonical(const struct spans *s, struct buf *b, struct val v)
{
	enum json_code code;
	uint32_t at;

	buf_add_byte(b, '|');
	if (!val_is_none(v))
		CHECK(canon_value(s->canon, v, b, &at, &code));
}

static void add_scope(struct spans *s, struct val resource, struct val scope)
{
	struct val_iter it = val_begin(val_get(scope, STR("spans")));
	struct val span;

	while (val_next(&it, &span) && s->count < 512) {
		struct buf b;

		buf_init(&b);
		add_canonical(s, &b, span);
		add_canonical(s, &b, val_get(scope, STR("scope")));
		add_canonical(s, &b, val_get(scope, STR("schemaUrl")));
		add_canonical(s, &b, val_get(resource, STR("resource")));
		add_canonical(s, &b, val_get(resource, STR("schemaUrl")));
		s->list[s->count++] = arena_copy(s->arena, buf_str(&b));
		buf_free(&b);
	}
}

static void add_envelope(struct spans *s, struct val v)
{
	struct val_iter resources = val_begin(val_get(v, STR("resourceSpans")));
	struct val resource, scope;

	while (val_next(&resources, &resource)) {
		struct val_iter scopes = val_begin(val_get(resource, STR("scopeSpans")));

		while (val_next(&scopes, &scope))
			add_scope(s, resource, scope);
	}
}

/* Of a document, or of lines. */
static struct spans *spans_of(struct arena *a, struct str text)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct spans *s = test_alloc(sizeof(*s));
	struct val v;

	s->canon = canon_open(CANON_OTUTL);
	s->arena = a;
	if (json_parse_copy(p, text, &v, NULL)) {
		add_envelope(s, v);
		text.n = 0;
	}
	while (text.n) {
		struct str line = str_cut(text, '\n', &text);

		if (json_parse_copy(p, line, &v, NULL))
			add_envelope(s, v);
	}
	qsort(s->list, s->count, sizeof(s->list[0]), by_text);
	canon_close(s->canon);
	json_parser_close(p);
	return s;
}

static void check_same(struct arena *a, struct str once, struct str twice)
{
	const struct spans *x = spans_of(a, once), *y = spans_of(a, twice);

	CHECK_INT(x->count, y->count);
	for (size_t i = 0; i < x->count; i++)
		CHECK_STR(x->list[i], y->list[i]);
}

TEST(payloads_come_back_as_they_were)
{
	const char *folder = test_shared("corpora/07-otlp/dev/payloads");
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		const char *path = arena_printf(&a, "%s/%s", folder, payloads[i]).p;
		struct converted log = convert_file(&a, path, (struct convert_how){ .to = "otutl" });

		test_case("%s", payloads[i]);
		check_same(&a, test_read(path), convert_text(&a, "otutl", log.out, "otlp-json"));
	}
	arena_free(&a);
}

/* What was written once is OTLP; reading and writing that changes nothing, and no span is lost on the way. */
TEST(samples_come_back_with_every_span)
{
	static const struct {
		const char *file;
		size_t spans;
	} cases[] = {
		{ "agento-otlp-non-genai.jsonl", 2 },
		{ "jaeger-helm.json", 96 },
		{ "jaeger-k8s.json", 73 },
		{ "otlp-proto-example-trace.json", 1 },
		{ "strands-autogen_live_spans.json", 3 },
		{ "strands-claude_adot_spans.json", 8 },
		{ "strands-openai_agents_genai_live_spans.json", 17 },
		{ "strands-otel_genai_convention_spans.json", 5 },
		{ "strands-pydantic_ai_live_spans.json", 4 },
		{ "tempo_export_with_batches.json", 86 },
	};
	const char *folder = test_shared("vendors/otlp_genai/dev");
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = arena_printf(&a, "%s/%s", folder, cases[i].file).p;
		struct converted log = convert_file(&a, path, (struct convert_how){ .to = "otutl" });
		struct converted direct = convert_file(&a, path, (struct convert_how){ .to = "otlp-json" });
		struct str back = convert_text(&a, "otutl", log.out, "otlp-json");
		struct convert_figures before = convert_count(log.out), after;

		test_case("%s", cases[i].file);
		CHECK_STR(back, direct.out);
		CHECK_INT(spans_of(&a, back)->count, cases[i].spans);
		log = convert_with(&a, back, (struct convert_how){ .to = "otutl" });
		after = convert_count(log.out);
		CHECK(memcmp(&before, &after, sizeof(before)) == 0);
		check_same(&a, back, convert_text(&a, "otutl", log.out, "otlp-json"));
	}
	arena_free(&a);
}

/* A small run with all there is: an agent, steps, a call that fails, a request of no meaning, an event, a link. */
TEST(a_run_of_our_own_is_read_and_comes_back)
{
	struct str text = test_data("otlp/run.json"), out, back;
	struct arena a;

	arena_init(&a);
	out = convert_text(&a, NULL, text, "otutl");
	CHECK_INT(convert_errors(&a, "otutl", out, NULL), 0);
	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_INT(convert_count(out).tool_errors, 1);
	CHECK_INT(convert_count(out).input_total, 30);
	back = convert_text(&a, "otutl", out, "otlp-json");
	check_same(&a, text, back);
	CHECK_INT(spans_of(&a, back)->count, 5);
	arena_free(&a);
}
