/* Traces from events, and traces that come back as they were. */
#include <stdio.h>

#include "base/clock.h"
#include "base/map.h"
#include "dialect/agent_trace/clean.h"
#include "dialect/agent_trace/dag.h"
#include "dialect/formats.h"
#include "dialect/writing.h"
#include "harness/convert.h"
#include "harness/test.h"
#include "unit/dialect/round_check.h"

/* ---- events by a few letters ---- */

#define NONE ((struct str){ NULL, 0 })

static struct arena *arena(void)
{
	struct arena *a = test_alloc(sizeof(*a));

	arena_init(a);
	return a;
}

struct feed {
	struct arena *arena;
	struct buf out;
	struct losses *losses;
	struct writing writing;
	void *writer;
	int64_t seconds; /* since 2026-01-01 */
	struct str steps[8], branches[8];
	size_t branch_count;
};

static void feed_begin(struct feed *f, bool single)
{
	memset(f, 0, sizeof(*f));
	f->arena = arena();
	f->losses = losses_open();
	f->writing = (struct writing){ .out = &f->out, .losses = f->losses, .single = single };
	f->writer = agent_trace_dialect.write->open(&f->writing);
}

static void feed_add(struct feed *f, struct event *e)
{
	struct err err;
	char text[36];

	e->ts.ns = (1767225600 + f->seconds) * 1000000000;
	e->ts.text = arena_copy(f->arena, str_of(text, stamp_format(text, 1767225600 + f->seconds, 0, 3)));
	e->ts.source = MOMENT_VENDOR;
	f->seconds++;
	CHECK(agent_trace_dialect.write->event(f->writer, e, &err));
}

static struct str feed_end(struct feed *f)
{
	struct err err;
	struct str out;

	CHECK(agent_trace_dialect.write->end(f->writer, &err));
	agent_trace_dialect.write->close(f->writer);
	losses_close(f->losses);
	out = arena_copy(f->arena, buf_str(&f->out));
	buf_free(&f->out);
	return out;
}

static struct str *latest_step(struct feed *f, struct str branch)
{
	for (size_t i = 0; i < f->branch_count; i++)
		if (str_eq(f->branches[i], branch))
			return &f->steps[i];
	f->branches[f->branch_count] = branch;
	return &f->steps[f->branch_count++];
}

/*
 * One word: [BRANCH@]KIND[ID][^PARENT]. Kinds: u a user's message, S a system message, s a step, x a step that failed,
 * c a call, r its result, n that it has none, e a failed request, t a retry, k a compaction.
 */
static void feed_word(struct feed *f, struct str word)
{
	static const struct {
		char letter;
		enum event_kind kind;
		struct str role, class, code, stop;
	} kinds[] = {
		{ 'u', EVENT_MESSAGE, { "user", 4 }, { 0 }, { 0 }, { 0 } },
		{ 'S', EVENT_MESSAGE, { "system", 6 }, { 0 }, { 0 }, { 0 } },
		{ 's', EVENT_STEP, { 0 }, { 0 }, { 0 }, { 0 } },
		{ 'x', EVENT_STEP, { 0 }, { 0 }, { 0 }, { "error", 5 } },
		{ 'c', EVENT_CALL, { 0 }, { 0 }, { 0 }, { 0 } },
		{ 'r', EVENT_RESULT, { 0 }, { 0 }, { 0 }, { 0 } },
		{ 'n', EVENT_ERROR, { 0 }, { "tool", 4 }, { "no_result", 9 }, { 0 } },
		{ 'e', EVENT_ERROR, { 0 }, { "model", 5 }, { 0 }, { 0 } },
		{ 't', EVENT_NOTE, { "retry", 5 }, { 0 }, { 0 }, { 0 } },
		{ 'k', EVENT_NOTE, { "compaction", 10 }, { 0 }, { 0 }, { 0 } },
	};
	struct event e = { .index = -1 };
	struct str rest, id;

	if (memchr(word.p, '@', word.n)) {
		e.branch = str_cut(word, '@', &rest);
		word = rest;
	}
	word = str_cut(word, '^', &rest);
	if (rest.n)
		e.parent = rest;
	id = str_of(word.p + 1, word.n - 1);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].letter != word.p[0])
			continue;
		e.kind = kinds[i].kind;
		e.role = kinds[i].role;
		e.class = kinds[i].class;
		e.code = kinds[i].code;
		e.stop_reason = kinds[i].stop;
	}
	if (e.kind == EVENT_STEP)
		*latest_step(f, e.branch) = e.step = id;
	if (e.kind == EVENT_CALL) {
		e.step = *latest_step(f, e.branch);
		e.tool = STR("Read");
		e.args = STR("{\"path\":\"secret\"}");
	}
	if (e.kind == EVENT_RESULT)
		e.content = STR("\"secret\"");
	if (e.kind == EVENT_CALL || e.kind == EVENT_RESULT || word.p[0] == 'n')
		e.call = id;
	feed_add(f, &e);
}

static struct str feed_words(struct feed *f, const char *words, bool single)
{
	struct event start = { .kind = EVENT_RUN_START, .vendor = STR("x"), .run = STR("r1") };
	struct event end = { .kind = EVENT_RUN_END, .status = STATUS_SUCCESS };
	struct str left = str_from(words);

	feed_begin(f, single);
	feed_add(f, &start);
	while (left.n)
		feed_word(f, str_cut(left, ' ', &left));
	feed_add(f, &end);
	return feed_end(f);
}

/* ---- a trace by a few words ---- */

static struct json_parser *parser(void)
{
	return json_parser_open((struct json_options){ .allow_duplicates = true });
}

static void add_ids(struct buf *out, struct map *places, struct val ids, const char *around)
{
	struct val_iter it = val_begin(ids);
	struct val id;

	buf_add_byte(out, around[0]);
	for (size_t i = 0; val_next(&it, &id); i++) {
		uint64_t *place = map_find(places, val_raw(id));

		CHECK(place != NULL);
		buf_printf(out, "%s%llu", i ? "," : "", (unsigned long long)*place);
	}
	buf_add_byte(out, around[1]);
}

/* "user_input() model_call(0)": kinds with the places of their parents, branches with those of their siblings. */
static struct str shape_of(struct str trace)
{
	struct arena *a = arena();
	struct json_parser *p = parser();
	struct buf out = { 0 };
	struct map places;
	struct str left = trace;
	uint64_t count = 0;
	bool added;
	struct val v;

	map_init(&places, a);
	while (left.n) {
		CHECK(json_parse_copy(p, str_cut(left, '\n', &left), &v, NULL));
		if (!val_is_none(val_get(v, STR("node_id")))) {
			*map_add(&places, val_raw(val_get(v, STR("node_id"))), &added) = count++;
			CHECK(added);
		}
	}
	for (left = trace; left.n;) {
		CHECK(json_parse_copy(p, str_cut(left, '\n', &left), &v, NULL));
		if (val_is_none(val_get(v, STR("node_id"))))
			continue;
		if (out.n)
			buf_add_byte(&out, ' ');
		buf_add_str(&out, val_raw(val_get(v, STR("kind"))));
		add_ids(&out, &places, val_get(v, STR("parent_node_ids")), "()");
		if (!val_is_none(val_get(v, STR("branch"))))
			add_ids(&out, &places, val_get(val_get(v, STR("branch")), STR("siblings")), "[]");
	}
	json_parser_close(p);
	trace = arena_copy(a, buf_str(&out));
	buf_free(&out);
	return trace;
}

static struct str report_of(struct arena *a, struct str trace)
{
	struct str first = NONE;

	return convert_errors(a, "agent-trace", trace, &first) ? first : STR("");
}

/* ---- parents ---- */

TEST(every_node_follows_from_what_led_to_it)
{
	static const struct {
		const char *events, *shape;
	} cases[] = {
		{ "u sA", "user_input() model_call(0)" },
		{ "S u sA", "user_input() model_call(0)" },
		{ "u u sA", "user_input() user_input(0) model_call(1)" },
		/* a call, its result, the model call that carries it */
		{ "u sA c1 r1 sB", "user_input() model_call(0) tool_call(1) model_call(2)" },
		/* what the user said since the model call before, all of it */
		{ "u sA u sB", "user_input() model_call(0) user_input(1) model_call(2)" },
		{ "u sA u u sB", "user_input() model_call(0) user_input(1) user_input(1) model_call(2,3)" },
		{ "u sA c1 r1 u sB", "user_input() model_call(0) tool_call(1) user_input(1) model_call(2,3)" },
		/* side by side, done in the other order, joined */
		{ "u sA c1 c2 r2 r1 sB",
		  "user_input() model_call(0) branch(1)[4,3] tool_call(2) tool_call(2) model_call(3,4)" },
		/* one of them had no result: it leads to nothing */
		{ "sA c1 c2 r1 sB n2", "model_call() branch(0)[2,4] tool_call(1) model_call(2) tool_call(1)" },
		{ "sA c1 n1", "model_call() tool_call(0)" },
		/* one after the other is no branch */
		{ "sA c1 r1 c2 r2 sB", "model_call() tool_call(0) tool_call(0) model_call(1,2)" },
		/* without a model call */
		{ "u c1 r1", "user_input() tool_call(0)" },
		{ "c1 r1", "tool_call()" },
		/* what happened has a node, and nothing follows from it */
		{ "u sA k sB", "user_input() model_call(0) system(1) model_call(1)" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed f;
		struct str trace = feed_words(&f, cases[i].events, false);

		test_case("%s", cases[i].events);
		CHECK_STR(shape_of(trace), str_from(cases[i].shape));
		CHECK_STR(report_of(f.arena, trace), STR(""));
	}
}

TEST(a_sub_agent_follows_from_the_call_that_started_it)
{
	static const struct {
		const char *events, *shape;
	} cases[] = {
		/* while the call is open: its node is written after those of the sub-agent */
		{ "u sA c1 a@sX^1 a@c2^1 a@r2^1 a@sY^1 r1 sB",
		  "user_input() model_call(0) model_call(5) tool_call(2) model_call(3) tool_call(1) model_call(5)" },
		/* what it was told is the call's, and no person said it */
		{ "sA c1 a@u^1 a@sX^1 r1 sB", "model_call() model_call(2) tool_call(0) model_call(2)" },
		{ "a@u^9 a@sX^9", "user_input() model_call(0)" },
		/* told of when the call is over */
		{ "sA c1 r1 sB a@sX^1", "model_call() tool_call(0) model_call(1) model_call(1)" },
		/* two at once */
		{ "sA c1 c2 a@sX^1 b@sY^2 r1 r2 sB",
		  "model_call() branch(0)[4,5] model_call(4) model_call(5) tool_call(1) tool_call(1) model_call(4,5)" },
		/* nobody knows which call it was */
		{ "sA a@sX^9 a@sY", "model_call() model_call() model_call(1)" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed f;
		struct str trace = feed_words(&f, cases[i].events, false);

		test_case("%s", cases[i].events);
		CHECK_STR(shape_of(trace), str_from(cases[i].shape));
		CHECK_STR(report_of(f.arena, trace), STR(""));
	}
}

TEST(a_request_that_is_made_again_follows_from_the_failure)
{
	static const struct {
		const char *events, *shape;
	} cases[] = {
		{ "u e sA", "user_input() model_call(0) retry(1) model_call(2)" },
		{ "u xA sB", "user_input() model_call(0) retry(1) model_call(2)" },
		{ "u e e sA", "user_input() model_call(0) retry(1) model_call(2) retry(3) model_call(4)" },
		{ "u e t sA", "user_input() model_call(0) retry(1) model_call(2)" },
		/* something new was said: that is no retry */
		{ "u e u sA", "user_input() model_call(0) user_input(1) model_call(2)" },
		{ "sA c1 r1 e sB", "model_call() tool_call(0) model_call(1) retry(2) model_call(3)" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed f;
		struct str trace = feed_words(&f, cases[i].events, false);

		test_case("%s", cases[i].events);
		CHECK_STR(shape_of(trace), str_from(cases[i].shape));
		CHECK_STR(report_of(f.arena, trace), STR(""));
	}
}

/* ---- fields ---- */

static struct str get(struct arena *a, struct str trace, size_t line, const char *pointer)
{
	for (; line > 0; line--)
		str_cut(trace, '\n', &trace);
	return convert_get(a, str_cut(trace, '\n', &trace), pointer);
}

TEST(a_model_call_has_the_figures_of_its_step)
{
	struct event start = { .kind = EVENT_RUN_START, .vendor = STR("x"), .run = STR("r1"), .framework = STR("claude_code") };
	struct event step = {
		.kind = EVENT_STEP,
		.flags = EVENT_STREAM | EVENT_PARTIAL,
		.step = STR("A"),
		.model = STR("/srv/models/llama-3"),
		.endpoint = STR("https://me:pw@host:8000/v1/chat?key=abc#x"),
		.stop_reason = STR("tool_calls"),
		.tool_choice = STR("any"),
		.request_id = STR("req_1"),
		.text = STR("do not tell"),
		.latency_ms = AMOUNT(2500),
		.ttft_ms = AMOUNT(500),
		.usage = { .input = FIGURE(100), .output = { FIGURE_KNOWN, FIGURE_ESTIMATED, 5 }, .cache_read = FIGURE(0) },
	};
	struct event cost = { .kind = EVENT_COST, .step = STR("A"), .scope = STR("step"), .usd = AMOUNT(0.25) };
	struct event end = { .kind = EVENT_RUN_END, .status = STATUS_ERROR, .reason = STR("do not tell") };
	struct feed f;
	struct str out;

	feed_begin(&f, false);
	feed_add(&f, &start);
	feed_add(&f, &step);
	feed_add(&f, &cost);
	feed_add(&f, &end);
	out = feed_end(&f);
	CHECK_STR(get(f.arena, out, 0, "/model_call/endpoint"), STR("https://host:8000/v1/chat"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/model"), STR("llama-3"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/input_tokens_source"), STR("api"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/output_tokens_source"), STR("estimated"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/cache_read_tokens"), STR("0"));
	CHECK(get(f.arena, out, 0, "/model_call/reasoning_tokens").p == NULL);
	CHECK_STR(get(f.arena, out, 0, "/model_call/latency_seconds"), STR("2.5"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/tpot_seconds"), STR("0.5"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/stop_reason"), STR("tool_use"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/tool_choice"), STR("required"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/partial"), STR("true"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/estimated_cost_usd"), STR("0.25"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/kv_pressure_label"), STR("inferred_without_engine_metrics"));
	CHECK_STR(get(f.arena, out, 0, "/framework"), STR("claude_code"));
	CHECK_STR(get(f.arena, out, 0, "/timestamp_end"), STR("1767225601.000000"));
	CHECK_STR(get(f.arena, out, 0, "/timestamp_start"), STR("1767225598.500000"));
	CHECK_STR(get(f.arena, out, 1, "/started_at"), STR("2025-12-31T23:59:58.500000Z"));
	CHECK_STR(get(f.arena, out, 1, "/completed_at"), STR("2026-01-01T00:00:03.000000Z"));
	CHECK_STR(get(f.arena, out, 1, "/total_seconds"), STR("4.500000"));
	CHECK_STR(get(f.arena, out, 1, "/total_tokens/input"), STR("100"));
	CHECK_STR(get(f.arena, out, 1, "/exit_status"), STR("error"));
	CHECK(str_find(out, STR("do not tell")) == (size_t)-1);
}

TEST(what_is_not_known_is_zero_and_estimated_or_null)
{
	struct feed f;
	struct str out = feed_words(&f, "sA", false);

	CHECK_STR(get(f.arena, out, 0, "/model_call/endpoint"), STR("unknown"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/model"), STR("unknown"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/input_tokens"), STR("0"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/input_tokens_source"), STR("estimated"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/ttft_seconds"), STR("null"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/stop_reason"), STR("null"));
	CHECK_STR(get(f.arena, out, 0, "/model_call/latency_seconds"), STR("0"));
}

TEST(a_length_that_follows_from_times_says_so)
{
	struct feed f;
	struct str out = feed_words(&f, "u sA c1 r1", false);

	CHECK_STR(get(f.arena, out, 1, "/model_call/latency_seconds"), STR("1"));
	CHECK_STR(get(f.arena, out, 1, "/model_call/inferred/0"), STR("latency_seconds"));
	CHECK_STR(get(f.arena, out, 2, "/tool_call/wall_time_seconds"), STR("1"));
	CHECK_STR(get(f.arena, out, 2, "/tool_call/wall_time_source"), STR("timestamps"));
	CHECK_STR(get(f.arena, out, 2, "/tool_call/result_size_bytes"), STR("6"));
	CHECK_STR(get(f.arena, out, 2, "/tool_call/result_kind"), STR("text"));
	CHECK_STR(get(f.arena, out, 2, "/tool_call/is_external"), STR("true"));
	CHECK(str_find(out, STR("secret")) == (size_t)-1);
}

TEST(a_call_without_a_result_is_partial)
{
	struct feed f;
	struct str out = feed_words(&f, "sA c1 n1", false);

	CHECK_STR(get(f.arena, out, 1, "/tool_call/partial"), STR("true"));
	CHECK_STR(get(f.arena, out, 1, "/tool_call/result_size_bytes"), STR("null"));
	CHECK_STR(get(f.arena, out, 1, "/tool_call/wall_time_seconds"), STR("0"));
}

TEST(several_runs_are_one_trace_with_a_root_for_each)
{
	struct event start = { .kind = EVENT_RUN_START, .vendor = STR("x") };
	struct event end = { .kind = EVENT_RUN_END, .status = STATUS_SUCCESS };
	struct feed f;
	struct str out;

	feed_begin(&f, true);
	f.writing.source_sha256 = STR("7755be4de8e25d4f1bcde2e5e82fcf8ba47e746696b36c997530e3a1257f4040");
	for (size_t i = 0; i < 2; i++) { /* not even their ids tell them apart */
		feed_add(&f, &start);
		feed_word(&f, STR("u"));
		feed_word(&f, STR("sA"));
		end.status = i ? STATUS_SUCCESS : STATUS_ERROR;
		feed_add(&f, &end);
	}
	out = feed_end(&f);
	CHECK_STR(shape_of(out), STR("system() user_input(0) model_call(1) system() user_input(3) model_call(4)"));
	CHECK_STR(report_of(f.arena, out), STR(""));
	CHECK_STR(get(f.arena, out, 6, "/exit_status"), STR("error"));
	CHECK_STR(get(f.arena, out, 6, "/node_counts/system"), STR("2"));
}

TEST(nodes_stand_in_the_order_in_which_they_ended)
{
	struct feed f;
	struct event start = { .kind = EVENT_RUN_START, .vendor = STR("x"), .run = STR("r1") };
	struct event end = { .kind = EVENT_RUN_END, .status = STATUS_SUCCESS };

	feed_begin(&f, false);
	feed_add(&f, &start);
	f.seconds = 10;
	feed_word(&f, STR("sA")); /* its last word came when the call was over */
	f.seconds = 5;
	feed_word(&f, STR("c1"));
	feed_word(&f, STR("r1"));
	f.seconds = 20;
	feed_add(&f, &end);
	CHECK_STR(shape_of(feed_end(&f)), STR("tool_call(1) model_call()"));
}

TEST(texts_that_could_be_content_do_not_get_in)
{
	static const struct {
		struct str (*clean)(struct str);
		const char *text, *want;
	} cases[] = {
		{ clean_model, "gpt-5", "gpt-5" },
		{ clean_model, "deepseek-ai/DeepSeek-V4-Pro", "deepseek-ai/DeepSeek-V4-Pro" },
		{ clean_model, "/srv/me/models/x.gguf", "x.gguf" },
		{ clean_model, "C:\\models\\x.gguf", "x.gguf" },
		{ clean_model, "~/models/x", "x" },
		{ clean_model, "/srv/models/x/", "x" },
		{ clean_model, "Ann/GPT 5 :1f0ac3d9be7724650c8ad19e6f2b7733", "Ann/GPT 5" },
		{ clean_model, "", "unknown" },
		{ clean_model, "tell me a story about a very long road", "unknown" },
		{ clean_tool, "filesystem.read_file", "filesystem.read_file" },
		{ clean_tool, "Delegate work to coworker", "Delegate work to coworker" },
		{ clean_tool, "read(\"/etc/passwd\")", "read" },
		{ clean_tool, "bash -c ls", "bash" },
		{ clean_tool, "", "unknown" },
		{ clean_id, "req_123", "req_123" },
		{ clean_id, "/srv/ann", NULL },
		{ clean_id, "two words", NULL },
		{ clean_framework, "claude_code", "claude_code" },
		{ clean_framework, "mine", "unknown" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(cases[i].clean(str_from(cases[i].text)), str_from(cases[i].want));
	}
}

TEST(an_endpoint_is_the_address_alone)
{
	static const struct {
		const char *endpoint, *provider, *want;
	} cases[] = {
		{ "http://localhost:8000/v1/chat/completions", NULL, "http://localhost:8000/v1/chat/completions" },
		{ "https://user:pass@host/v1?x=1#y", NULL, "https://host/v1" },
		{ "host:8000/v1", NULL, "host:8000/v1" },
		{ NULL, "anthropic", "https://api.anthropic.com/v1/messages" },
		{ NULL, "OpenAI", "https://api.openai.com/v1" },
		{ NULL, "somebody", "unknown" },
		{ "/srv/ann/x.sock", NULL, "unknown" },
		{ "/v1/chat/completions", NULL, "/v1/chat/completions" },
		{ "https://h/v1/ann/chat/completions", NULL, "https://h/v1/.../chat/completions" },
		{ "a\x1b[31m://h/v1", NULL, "unknown" },
		{ "https://h\x1b[31m/v1", NULL, "unknown" },
		{ "https://h{x}/v1", NULL, "unknown" },
		{ "https://", NULL, "unknown" },
		{ "me@", NULL, "unknown" },
		{ "file:/+", NULL, "unknown" },
	};
	struct arena *a = arena();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s of %s", cases[i].endpoint, cases[i].provider);
		CHECK_STR(clean_endpoint(a, str_from(cases[i].endpoint), 0, str_from(cases[i].provider)),
			  str_from(cases[i].want));
	}
}

TEST(calls_are_found_by_their_ids_and_open_ones_are_known_in_order)
{
	struct dag d;

	dag_init(&d);
	for (int i = 0; i < 1000; i++) {
		char id[16];
		size_t n = (size_t)snprintf(id, sizeof(id), "c%d", i);
		struct dag_call *c = dag_new_call(STR("t"), str_of(id, n), NONE);

		c->node.b[0] = (uint8_t)i;
		dag_add_call(&d, c);
	}
	CHECK(dag_find_call(&d, STR("nobody")) == NULL);
	CHECK_INT(dag_find_call(&d, STR("c7"))->node.b[0], 7);
	dag_close_call(&d, dag_find_call(&d, STR("c0")));
	CHECK(dag_find_call(&d, STR("c0"))->open == NULL);
	CHECK_STR(d.first->call, STR("c1"));
	dag_reset(&d);
	CHECK(d.first == NULL && dag_find_call(&d, STR("c7")) == NULL);
	dag_free(&d);
}

/* ---- there and back ---- */

TEST(a_trace_comes_back_from_otutl_with_every_field)
{
	round_check(arena(), "agent-trace", "agent-trace", test_data("agent-trace/convert.jsonl"));
}

TEST(a_trace_gives_steps_calls_and_results)
{
	struct arena *a = arena();
	struct str otutl;
	struct convert_figures f;

	otutl = convert_text(a, "agent-trace", test_data("agent-trace/convert.jsonl"), "otutl");
	f = convert_count(otutl);
	CHECK_INT(f.runs, 1);
	CHECK_INT(f.model_steps, 2);
	CHECK_INT(f.tool_calls, 3);
	CHECK_INT(f.tool_results, 2);
	CHECK_INT(f.orphan_calls, 1);
	CHECK_INT(f.input_total, 120);
	CHECK_INT(f.output_total, 24);
	CHECK_INT(f.cache_read, 64);
	/* by way of the branch */
	CHECK_STR(convert_get(a, convert_record(otutl, "tool_call", 0), "/step_id"),
		  convert_get(a, convert_record(otutl, "model_step", 0), "/step_id"));
	CHECK_STR(convert_get(a, convert_record(otutl, "tool_result", 0), "/duration_ms"), STR("90"));
	CHECK_STR(convert_get(a, convert_record(otutl, "run_end", 0), "/status"), STR("success"));
	CHECK_STR(convert_get(a, convert_record(otutl, "run_start", 0), "/run_id"),
		  STR("019dfd99-8dfa-7eaf-a895-eb8119e6e5d0"));
}

TEST(every_trace_of_the_corpus_that_is_accepted_comes_back)
{
	struct str left = test_read(test_shared("corpora/13-agent-trace-v1/dev/events.jsonl"));
	struct json_parser *p = parser();
	struct arena *a = arena();
	size_t count = 0;
	struct val v;

	while (left.n) {
		struct val expect, event;

		CHECK(json_parse_copy(p, str_cut(left, '\n', &left), &v, NULL));
		expect = val_get(v, STR("spec_expect"));
		event = val_get(v, STR("event"));
		if (!val_is(event, JSON_OBJECT) || val_text_is(expect, STR("reject")))
			continue;
		test_case("%.*s", STR_ARG(val_raw(val_get(v, STR("id")))));
		round_check(a, "agent-trace", "agent-trace", arena_printf(a, "%.*s\n", STR_ARG(val_source(event))));
		count++;
	}
	CHECK(count > 20);
	json_parser_close(p);
}

/* ---- versions, and events of other types ---- */

#define V1 "\"schema_version\":\"agent-trace/v1\","
#define TRACE "\"trace_id\":\"019dfd99-8dfa-7eaf-a895-eb8119e6e5d0\","
#define WHOLE                                                                                                    \
	"{" V1 "\"event_type\":\"node\"," TRACE "\"node_id\":\"n1\",\"parent_node_ids\":[],\"timestamp_start\":1," \
	"\"timestamp_end\":2,\"kind\":\"system\"}\n"

TEST(another_version_is_refused_and_so_is_none_unless_all_are_wanted)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "{\"schema_version\":\"agent-trace/v2\",\"event_type\":\"node\"," TRACE "\"kind\":\"system\"}\n",
		  "x.jsonl:1: version 'agent-trace/v2'" },
		{ "{\"event_type\":\"node\"," TRACE "\"node_id\":\"n\",\"kind\":\"system\"}\n", "x.jsonl:1: the line has no schema_version" },
		{ "{\"schema_version\":1,\"event_type\":\"node\"," TRACE "\"node_id\":\"n\",\"kind\":\"system\"}\n", "x.jsonl:1: the line has no" },
	};
	struct arena *a = arena();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct convert_how how = { .to = "otutl" };
		struct converted c = convert_with(a, str_from(cases[i].text), how);

		test_case("%s", cases[i].text);
		CHECK(str_starts(str_from(c.err.text), str_from(cases[i].why)));
		CHECK_INT(c.out.n, 0);
		how.permissive = true;
		c = convert_with(a, str_from(cases[i].text), how);
		CHECK_INT(c.err.kind, ERR_NONE);
		CHECK_INT(convert_count(c.out).runs, 1);
	}
}

TEST(a_line_that_is_refused_ends_the_trace_there_however_the_bytes_were_cut)
{
	static const char *const lines[] = {
		"{\"event_type\":\"summary\"," TRACE "\"exit_status\":\"success\"}\n",
		"{\"schema_version\":\"agent-trace/v2\",\"event_type\":\"summary\"," TRACE "\"exit_status\":\"success\"}\n",
		"data: {\"event_type\":\"node\"}\ndata: {\"no\n\n",
	};
	static const char after[] = "{\"no json\nplain\ndata: {\"no\n\n{\"torn";
	struct arena *a = arena();

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct convert_how how = { .from = "agent-trace", .to = "otutl" };
		struct str before = STR(WHOLE), text = ARENA_JOIN(a, before, str_from(lines[i]), before, STR(after));
		struct converted whole = convert_with(a, text, how), cut;

		test_case("%s", lines[i]);
		CHECK_STR(whole.out, convert_with(a, before, how).out);
		CHECK_STR(convert_get(a, convert_record(whole.out, "run_end", 0), "/status"), STR("interrupted"));
		CHECK(str_starts(str_from(whole.err.text), STR("x.jsonl:2: ")));
		for (how.chunk = 1; how.chunk <= text.n; how.chunk++) {
			cut = convert_with(a, text, how);
			test_case("%s: chunks of %zu", lines[i], how.chunk);
			CHECK_STR(cut.out, whole.out);
			CHECK_STR(str_from(cut.err.text), str_from(whole.err.text));
			CHECK_INT(cut.unreadable, whole.unreadable);
			CHECK_INT(cut.torn, whole.torn);
		}
	}
}

TEST(nothing_is_added_to_an_event_when_it_is_written_again)
{
	static const char *const events[] = {
		"{" V1 "\"event_type\":\"checkpoint\",\"at\":5}\n",
		"{" V1 "\"event_type\":\"checkpoint\"," TRACE "\"kind\":\"model_call\",\"model_call\":{\"model\":\"m\"}}\n",
		"{" V1 "\"event_type\":\"node\"," TRACE "\"node_id\":\"n2\",\"kind\":\"dance\"}\n",
		"{" V1 "\"event_type\":\"node\"," TRACE "\"node_id\":\"n2\"}\n",
		"{" V1 "\"event_type\":\"node\",\"node_id\":\"n2\",\"kind\":\"system\"}\n",
		"{" V1 TRACE "\"node_id\":\"n2\",\"kind\":\"tool_call\"}\n",
		"{\"schema_version\":\"agent-trace/v1\"}\n",
		"{\"node_id\":\"n2\"}\n",
		"{}\n",
		"{" V1 "\"event_type\":\"summary\"," TRACE "\"a\":1}\n",
		"{\"event_type\":\"summary\"}\n",
	};
	struct arena *a = arena();

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct convert_how how = { .to = "agent-trace", .permissive = true }, twice = { .to = "otutl", .permissive = true };
		struct str text = ARENA_JOIN(a, STR(WHOLE), str_from(events[i]));

		test_case("%s", events[i]);
		CHECK_STR(convert_with(a, text, how).out, text);
		CHECK_STR(convert_text(a, NULL, convert_with(a, text, twice).out, "agent-trace"), text);
	}
}

TEST(an_event_of_an_unknown_type_counts_for_nothing)
{
	static const char text[] = WHOLE "{" V1 "\"event_type\":\"checkpoint\"," TRACE "\"kind\":\"model_call\",\"model_call\":{\"model\":\"m\"}}\n";
	struct arena *a = arena();
	struct str out = convert_text(a, NULL, STR(text), "otutl");

	CHECK_INT(convert_count(out).model_steps, 0);
	CHECK(str_find(out, STR("checkpoint")) != (size_t)-1);
}
