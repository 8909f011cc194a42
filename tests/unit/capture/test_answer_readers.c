/*
 * One stream, four readers: convert, record (its observer), a cassette, bench (its provider). However its bytes come, all of
 * them read the same text and see the first token with the same bytes.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "capture/cassette.h"
#include "harness/convert.h"
#include "harness/stream_text.h"
#include "harness/test.h"
#include "observer_feed.h"
#include "provider/provider_http.h"

#define MS INT64_C(1000000)
#define NO_TOKEN (-1)

#define CHAT(delta, more) \
	"{\"id\":\"c\",\"object\":\"chat.completion.chunk\",@\"model\":\"m\",\"choices\":[{\"index\":0,@\"delta\":{" delta "}" more "}]}"
#define TYPE(name) "~" name "~{\"type\":\"" name "\",@"
#define RESPONSE(status, output) "\"response\":{\"id\":\"r\",\"model\":\"m\",\"status\":\"" status "\",@\"output\":[" output "]}}"
#define MESSAGE "{\"id\":\"i\",\"type\":\"message\",\"role\":\"assistant\",@\"content\":[{\"type\":\"output_text\",\"text\":\"h\xc3\xa9y\"}]}"
#define GEMINI(text, more) \
	"{\"candidates\":[{\"content\":{@\"role\":\"model\",\"parts\":[{\"text\":\"" text "\"}]}" more "}],@\"modelVersion\":\"m\"}"
#define OLLAMA(text, more) "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"" text "\"},\"done\":" more "}"
#define CHAT_STREAM \
	CHAT("\"role\":\"assistant\",\"content\":\"\"", "") "|" CHAT("\"content\":\"h\xc3\xa9\"", "") "!" CHAT("\"content\":\"y\"", "") "|" \
	CHAT("", ",\"finish_reason\":\"stop\"") "|[DONE]|"
#define GEMINI_STREAM GEMINI("h\xc3\xa9", "") "!" GEMINI("y", ",\"finishReason\":\"STOP\"") "|"
#define ASK_CHAT "{\"model\":\"m\",\"stream\":true,\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}"
#define ASK_INPUT "{\"model\":\"m\",\"stream\":true,\"input\":\"q\"}"
#define ASK_GEMINI "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"q\"}]}]}"

static const struct stream {
	const char *name;
	const struct exchange_api *api;
	enum stream_shape shape;
	const char *path, *ask, *type, *marked, *text;
} streams[] = {
	{ "chat", &openai_chat_api, STREAM_EVENTS, "/v1/chat/completions", ASK_CHAT, "text/event-stream", CHAT_STREAM, "h\xc3\xa9y" },
	{ "chat without a token", &openai_chat_api, STREAM_EVENTS, "/v1/chat/completions", ASK_CHAT, "text/event-stream",
	  CHAT("\"role\":\"assistant\",\"content\":\"\"", "") "|" CHAT("", ",\"finish_reason\":\"stop\"") "|[DONE]|", "" },
	{ "responses", &openai_responses_api, STREAM_EVENTS, "/v1/responses", ASK_INPUT, "text/event-stream",
	  TYPE("response.created") RESPONSE("in_progress", "") "|"
	  TYPE("response.output_text.delta") "\"output_index\":0,\"item_id\":\"i\",\"content_index\":0,@\"delta\":\"h\xc3\xa9y\"}!"
	  TYPE("response.output_item.done") "\"output_index\":0,@\"item\":" MESSAGE "}|"
	  TYPE("response.completed") RESPONSE("completed", MESSAGE) "|", "h\xc3\xa9y" },
	{ "responses, whole items only", &openai_responses_api, STREAM_EVENTS, "/v1/responses", ASK_INPUT,
	  "text/event-stream", TYPE("response.created") RESPONSE("in_progress", "") "|"
	  TYPE("response.output_item.done") "\"output_index\":0,@\"item\":" MESSAGE "}!"
	  TYPE("response.completed") RESPONSE("completed", MESSAGE) "|", "h\xc3\xa9y" },
	{ "messages", &anthropic_api, STREAM_EVENTS, "/v1/messages", ASK_CHAT, "text/event-stream",
	  TYPE("message_start") "\"message\":{\"id\":\"g\",\"type\":\"message\",\"role\":\"assistant\",@\"model\":\"m\",\"content\":[],"
	  "\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}|"
	  TYPE("content_block_start") "\"index\":0,@\"content_block\":{\"type\":\"text\",\"text\":\"\"}}|"
	  TYPE("content_block_delta") "\"index\":0,@\"delta\":{\"type\":\"text_delta\",\"text\":\"h\xc3\xa9y\"}}!"
	  TYPE("message_delta") "\"delta\":{\"stop_reason\":\"end_turn\"},@\"usage\":{\"output_tokens\":2}}|"
	  TYPE("message_stop") "\"x\":1}|", "h\xc3\xa9y" },
	{ "gemini", &gemini_api, STREAM_EVENTS, "/v1beta/models/m:streamGenerateContent", ASK_GEMINI, "text/event-stream", GEMINI_STREAM,
	  "h\xc3\xa9y" },
	{ "gemini, a list", &gemini_api, STREAM_LIST, "/v1beta/models/m:streamGenerateContent", ASK_GEMINI, "application/json", GEMINI_STREAM,
	  "h\xc3\xa9y" },
	{ "cohere", &cohere_api, STREAM_EVENTS, "/v2/chat", ASK_CHAT, "text/event-stream",
	  TYPE("message-start") "\"id\":\"c\",@\"delta\":{\"message\":{\"role\":\"assistant\",\"content\":[]}}}|"
	  TYPE("content-start") "\"index\":0,@\"delta\":{\"message\":{\"content\":{\"type\":\"text\",\"text\":\"\"}}}}|"
	  TYPE("content-delta") "\"index\":0,@\"delta\":{\"message\":{\"content\":{\"text\":\"h\xc3\xa9y\"}}}}!"
	  TYPE("content-end") "\"index\":0}|"
	  TYPE("message-end") "\"delta\":{@\"finish_reason\":\"COMPLETE\",\"usage\":{\"tokens\":{\"input_tokens\":1,\"output_tokens\":2}}}}|",
	  "h\xc3\xa9y" },
	{ "ollama", &ollama_api, STREAM_LINES, "/api/chat", ASK_CHAT, "application/x-ndjson",
	  OLLAMA("", "false") "|" OLLAMA("h\xc3\xa9", "false") "!" OLLAMA("y", "false") "|" OLLAMA("", "true,\"done_reason\":\"stop\"") "|",
	  "h\xc3\xa9y" },
	{ "ollama, under a type that does not tell", &ollama_api, STREAM_LINES, "/api/chat", ASK_CHAT, "application/json",
	  OLLAMA("h\xc3\xa9y", "false") "!" OLLAMA("", "true,\"done_reason\":\"stop\"") "|", "h\xc3\xa9y" },
	{ "ollama, one line", &ollama_api, STREAM_LINES, "/api/chat", ASK_CHAT, "application/json",
	  OLLAMA("h\xc3\xa9y", "true,\"done_reason\":\"stop\"") "!", "h\xc3\xa9y" },
};

/* What a reader made of a stream that came in two pieces. */
struct seen {
	struct str text; /* p NULL: the reader has none */
	int piece;       /* the one that brought the first token */
};

struct table {
	struct arena arena; /* of one cut */
	struct observers *observers;
	uv_loop_t loop;
	struct provider_pool *pool;
	struct provider_client *client;
	uint64_t second_ns; /* when the provider got its second piece */
	struct seen told;   /* by the provider */
};

static struct table *table_open(void)
{
	struct provider_options o = { .base = STR("http://127.0.0.1:1/v1") };
	struct table *t = test_alloc(sizeof(*t));
	struct err err;

	arena_init(&t->arena);
	t->observers = observers_open(&test_room);
	uv_loop_init(&t->loop);
	t->pool = provider_pool_open(&t->loop);
	t->client = provider_open(t->pool, &provider_ollama_openai, &o, &err);
	CHECK(t->client != NULL);
	return t;
}

static void table_close(struct table *t)
{
	provider_pool_close(t->pool);
	uv_run(&t->loop, UV_RUN_DEFAULT);
	provider_pool_free(t->pool);
	CHECK_INT(uv_loop_close(&t->loop), 0);
	observers_close(t->observers);
	arena_free(&t->arena);
}

static struct str text_of(struct table *t, struct str step)
{
	struct str text = convert_get(&t->arena, step, "/text");

	return text.n ? text : STR("");
}

static struct seen read_by_look(struct table *t, const struct stream *s, struct str bytes, size_t cut)
{
	struct feed f = {
		.path = s->path, .body = str_from(s->ask), .type = s->type, .answer = bytes, .first = cut, .coarse = true,
	};
	struct observer *k = feed_run(t->observers, &f);
	int64_t token = observer_seen(k)->token_ns;
	struct seen seen = { .piece = token == 0 ? NO_TOKEN : token == feed_ns(&f, cut - 1) ? 0 : 1 };

	CHECK(seen.piece != 1 || token == feed_ns(&f, bytes.n - 1));
	observer_close(k);
	return seen;
}

/* One exchange, whose request has the number of the cut. */
static void add_exchange(struct buf *b, const struct stream *s, struct str bytes, size_t cut, size_t number)
{
	static const struct http_head head = { .side = HTTP_REQUEST, .method = { "POST", 4 } };
	char id[24];
	struct http_header named = { STR("x-request-id"), str_of(id, (size_t)snprintf(id, sizeof(id), "q%zu", number)) };
	const struct http_head answered = { .side = HTTP_RESPONSE, .status = 200, .headers = &named, .count = 1 };
	const struct observer_arrival arrivals[] = { { cut, FEED_BEGUN + 10 * MS },
						     { bytes.n, FEED_BEGUN + 30 * MS } };

	cassette_add(b, &(struct cassette_exchange){
				.number = number, .group = number, .request = &head, .answer = &answered,
				.target = str_from(s->path), .request_body = str_from(s->ask), .answer_body = bytes,
				.arrivals = arrivals, .arrival_count = 2, .how = PROXY_WHOLE, .begun_ns = FEED_BEGUN,
				.ended_ns = FEED_BEGUN + 40 * MS,
			});
}

/* What a cassette of many exchanges says of each; of one without an answer it says nothing. */
static struct seen *read_cassette(struct table *t, struct str lines, size_t count)
{
	struct seen *seen = arena_array(&t->arena, struct seen, count);
	struct str left = convert_text(&t->arena, "cassette", lines, "otutl"), line;

	for (size_t i = 0; i < count; i++)
		seen[i] = (struct seen){ STR(""), NO_TOKEN };
	while (left.n) {
		struct str id, ms;

		line = str_cut(left, '\n', &left);
		if (str_find(line, STR("\"type\":\"model_step\"")) == (size_t)-1)
			continue;
		id = convert_get(&t->arena, line, "/request_id");
		ms = convert_get(&t->arena, line, "/ttft_ms");
		CHECK(id.n > 1 && strtoul(id.p + 1, NULL, 10) < count);
		CHECK(ms.n == 0 || str_eq(ms, STR("10")) || str_eq(ms, STR("30")));
		seen[strtoul(id.p + 1, NULL, 10)] = (struct seen){
			text_of(t, line), ms.n == 0 ? NO_TOKEN : str_eq(ms, STR("10")) ? 0 : 1,
		};
	}
	return seen;
}

/* A file of the stream itself, read in chunks; it has no times. */
static struct str read_by_convert(struct table *t, const struct stream *s, struct str bytes, size_t chunk)
{
	struct convert_how how = { .from = s->api->name, .to = "otutl", .chunk = chunk };
	struct converted c = convert_with(&t->arena, bytes, how);

	CHECK(c.done);
	return text_of(t, convert_record(c.out, "model_step", 0));
}

static void provider_told(void *own, const struct provider_answer *a)
{
	struct table *t = own;

	t->told.text = arena_copy(&t->arena, a->text);
	t->told.piece = a->token_ns == 0 ? NO_TOKEN : a->token_ns < t->second_ns ? 0 : 1;
}

/* The call is cut off from its server, and told its answer by us. */
static struct seen read_by_provider(struct table *t, const struct stream *s, struct str bytes, size_t cut)
{
	static const struct provider_question q = { .model = { "m", 1 }, .prompt = { "q", 1 }, .temperature = -1 };
	struct http_header type = { STR("Content-Type"), str_from(s->type) };
	struct http_head head = { .side = HTTP_RESPONSE, .status = 200, .headers = &type, .count = 1 };
	struct http_call *c = (struct http_call *)provider_ask(t->client, &q, provider_told, t);

	upstream_cancel(c->up);
	c->up = NULL;
	c->stream.api = s->api;
	provider_said_begin(&c->said, s->api == &openai_responses_api);
	http_call_ops.head(c, &head);
	http_call_ops.body(c, str_of(bytes.p, cut));
	http_call_ops.settle(c); /* the rest comes later */
	t->second_ns = clock_mono_ns() + 1;
	while (clock_mono_ns() < t->second_ns)
		;
	http_call_ops.body(c, str_of(bytes.p + cut, bytes.n - cut));
	http_call_ops.end(c);
	uv_run(&t->loop, UV_RUN_NOWAIT);
	return t->told;
}

static const char *const ends[] = { "\n", "\r\n", "\r" };

enum { ONE_LINE, SEVERAL_LINES, NO_BLANK_LINES };

/* Every way to write the stream: line ends, and data on one line, on several, or without blank lines between events. */
static void each_form(void (*check)(struct table *t, const struct stream *s, const struct stream_made *m))
{
	struct table *t = table_open();
	struct arena kept;

	arena_init(&kept);
	for (size_t i = 0; i < COUNT(streams); i++)
		for (size_t end = 0; end < COUNT(ends); end++)
			for (int way = ONE_LINE; way <= (streams[i].shape == STREAM_EVENTS ? NO_BLANK_LINES : ONE_LINE); way++) {
				struct stream_form form = { streams[i].shape, ends[end], way == SEVERAL_LINES, way == NO_BLANK_LINES };
				struct stream_made m = stream_make(&kept, streams[i].marked, form);

				test_case("%s, end %zu, way %d", streams[i].name, end, way);
				check(t, &streams[i], &m);
				arena_reset(&t->arena);
				arena_reset(&kept);
			}
	arena_free(&kept);
	table_close(t);
}

/* All cuts of a stream, or of what is left of it when it broke off behind them. */
static struct seen *read_cuts(struct table *t, const struct stream *s, struct str bytes, bool broken)
{
	struct seen *seen;
	struct buf b;

	buf_init(&b);
	cassette_add_head(&b, STR("019f0000-0000-7000-8000-000000000001"), FEED_BEGUN, (struct str){ NULL, 0 });
	for (size_t cut = 1; cut < bytes.n; cut++)
		add_exchange(&b, s, str_of(bytes.p, broken ? cut + 1 : bytes.n), cut, cut);
	seen = read_cassette(t, buf_str(&b), bytes.n);
	buf_free(&b);
	return seen;
}

static void check_cuts(struct table *t, const struct stream *s, const struct stream_made *m)
{
	struct seen *cassette = read_cuts(t, s, m->text, false), provider;

	for (size_t cut = 1; cut < m->text.n; cut++) {
		int piece = m->token_end == 0 ? NO_TOKEN : m->token_end <= cut ? 0 : 1;

		CHECK_INT(read_by_look(t, s, m->text, cut).piece, piece);
		provider = read_by_provider(t, s, m->text, cut);
		CHECK_INT(provider.piece, piece);
		CHECK_STR(provider.text, str_from(s->text));
		CHECK_INT(cassette[cut].piece, piece);
		CHECK_STR(cassette[cut].text, str_from(s->text));
	}
}

TEST(a_stream_is_the_same_to_every_reader_wherever_it_is_cut)
{
	each_form(check_cuts);
}

static void check_chunks(struct table *t, const struct stream *s, const struct stream_made *m)
{
	for (size_t chunk = 1; chunk < m->text.n; chunk += chunk < 12 ? 1 : 37) {
		CHECK_STR(read_by_convert(t, s, m->text, chunk), str_from(s->text));
	}
}

TEST(a_file_of_a_stream_has_its_text_in_whatever_chunks_it_is_read)
{
	each_form(check_chunks);
}

static void check_broken(struct table *t, const struct stream *s, const struct stream_made *m)
{
	struct seen *cassette = read_cuts(t, s, m->text, true), provider;

	for (size_t cut = 1; cut < m->text.n; cut++) {
		struct str bytes = str_of(m->text.p, cut + 1);

		provider = read_by_provider(t, s, bytes, cut);
		CHECK_INT(read_by_look(t, s, bytes, cut).piece, provider.piece);
		CHECK_INT(cassette[cut].piece, provider.piece);
		CHECK_STR(cassette[cut].text, provider.text);
	}
}

TEST(a_stream_that_broke_off_is_the_same_to_every_reader)
{
	each_form(check_broken);
}
