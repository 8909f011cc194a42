/*
 * Recorded streams of real services, cut into pieces of one byte and of random sizes: the text, the calls with their
 * arguments, and the figures must be those that two other readers found in them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/crypto/sha256.h"
#include "dialect/exchange/answer_stream.h"
#include "harness/test.h"
#include "provider/provider_said.h"

#define CORPUS "corpora/04-sse/dev/transcripts"

struct recorder {
	struct answer_parser parser;
	struct answer_stream stream;
	struct provider_said said;
	struct provider_answer a;
	struct arena arena;
};

static void take(void *own, struct event *e)
{
	provider_said_take(own, e);
}

/* piece 0: random */
static void read_answer(struct recorder *d, const struct exchange_api *api, struct str bytes, size_t piece)
{
	struct answer_sink to = { take, &d->said };

	answer_stream_reset(&d->stream);
	d->stream.api = api;
	answer_stream_header(&d->stream, STR("content-type"), STR("text/event-stream"));
	d->a = (struct provider_answer){ .status = PROVIDER_OK };
	provider_said_begin(&d->said, api == &openai_responses_api);
	while (bytes.n) {
		size_t n = piece ? piece : 1 + (size_t)rand() % 700;

		n = n < bytes.n ? n : bytes.n;
		answer_stream_push(&d->stream, str_of(bytes.p, n), to);
		bytes = str_of(bytes.p + n, bytes.n - n);
	}
	answer_stream_end(&d->stream, to);
	provider_said_end(&d->said, &d->a);
}

static bool is_digest(struct str text, struct val want)
{
	struct sha256 sum;
	char hex[SHA256_HEX];

	sha256_init(&sum);
	digest_hex(hex, sha256_of(&sum, text));
	sha256_free(&sum);
	return val_is(want, JSON_STRING) && val_text_is(want, str_of(hex, sizeof(hex)));
}

static const struct exchange_api *api_of(struct val row)
{
	struct val api = val_get(row, STR("api"));

	if (val_text_is(api, STR("openai-chat")))
		return &openai_chat_api;
	if (val_text_is(api, STR("openai-responses")))
		return &openai_responses_api;
	return val_text_is(api, STR("anthropic-messages")) ? &anthropic_api : NULL;
}

struct sum {
	size_t files, texts, calls, figures, odd;
};

static void complain(struct sum *sum, struct val row, const char *what)
{
	fprintf(stderr, "  %.*s: %s\n", STR_ARG(val_raw(val_get(row, STR("file")))), what);
	sum->odd++;
}

/* Among all that were told, also those that the service answers itself, which the answer leaves out. */
static bool has_call(struct recorder *d, struct str name, struct val digest)
{
	for (size_t i = 0; i < d->said.marks.count; i++) {
		const struct said_call *c = &d->said.calls[i];

		if (str_eq(c->name, name) &&
		    (is_digest(c->pieces.n ? buf_str(&c->pieces) : STR(""), digest) || (c->whole.p && is_digest(c->whole, digest))))
			return true;
	}
	return false;
}

static void compare_calls(struct recorder *d, struct val row, struct sum *sum)
{
	struct val_iter it = val_begin(val_get(row, STR("tool_calls")));
	struct val call;

	for (; val_next(&it, &call); sum->calls++)
		if (!has_call(d, val_text(val_get(call, STR("name")), &d->arena), val_get(call, STR("arguments_sha256"))))
			complain(sum, row, "a call is not there");
	for (size_t i = 0; i < d->a.call_count; i++)
		if (d->a.calls[i].arguments.n && d->a.calls[i].arguments.p[0] != '{')
			complain(sum, row, "arguments that are no object");
}

static void compare(struct recorder *d, struct val row, struct sum *sum)
{
	struct val_iter it = val_begin(val_get(row, STR("text")));
	struct val text, usage = val_get(row, STR("usage")), out = val_get(usage, STR("completion_tokens"));
	int64_t n;

	sum->files++;
	/* several texts are several choices or blocks, of which only the sum of the lengths could be compared */
	if (val_count(val_get(row, STR("text"))) == 1 && val_next(&it, &text)) {
		sum->texts++;
		if (!is_digest(d->a.text, val_get(text, STR("sha256"))))
			complain(sum, row, "another text");
	}
	compare_calls(d, row, sum);
	if (val_is_none(out))
		out = val_get(usage, STR("output_tokens"));
	if (val_i64(out, &n) && n > 0) {
		sum->figures++;
		if (d->stream.usage.output.n < (uint64_t)n)
			complain(sum, row, "fewer tokens");
	}
}

static void run_corpus(size_t piece)
{
	const char *dir = test_shared(CORPUS);
	struct recorder *d = test_alloc(sizeof(*d));
	struct json_parser *rows = json_parser_open((struct json_options){ .max_depth = 0 });
	struct sum sum = { .files = 0 };
	struct str lines;
	char path[4096];

	answer_parser_init(&d->parser);
	answer_stream_init(&d->stream, &d->parser, &d->said.arena, 8 << 20, 64 << 20);
	provider_said_init(&d->said);
	arena_init(&d->arena);
	snprintf(path, sizeof(path), "%s/EXPECT.jsonl", dir);
	lines = test_read(path);
	while (lines.n) {
		struct str line = str_cut(lines, '\n', &lines), file;
		struct val row;

		if (!json_parse_copy(rows, line, &row, NULL) || !api_of(row))
			continue;
		file = val_text(val_get(row, STR("file")), &d->arena);
		snprintf(path, sizeof(path), "%s/../%.*s", dir, STR_ARG(file));
		test_case("%.*s", STR_ARG(file));
		read_answer(d, api_of(row), test_read(path), piece);
		compare(d, row, &sum);
		arena_reset(&d->arena);
	}
	test_case("%zu files, %zu texts, %zu calls, %zu figures, %zu odd", sum.files, sum.texts, sum.calls, sum.figures, sum.odd);
	CHECK(sum.files > 300 && sum.texts > 200 && sum.calls > 50 && sum.figures > 100);
	CHECK_INT(sum.odd, 0);
	provider_said_free(&d->said);
	answer_stream_free(&d->stream);
	answer_parser_free(&d->parser);
	json_parser_close(rows);
	arena_free(&d->arena);
}

TEST(recorded_streams_are_read_byte_by_byte)
{
	run_corpus(1);
}

TEST(recorded_streams_are_read_in_random_pieces)
{
	srand(7);
	run_corpus(0);
}
