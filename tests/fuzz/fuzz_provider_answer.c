/*
 * The bytes of an answer, read as each API has it: what the model said must be the same however they are cut, and within
 * its limits. The first byte picks the API and the headers, the second the pieces.
 */
#include "dialect/exchange/answer_stream.h"
#include "fuzz.h"
#include "provider/provider_refusal.h"
#include "provider/provider_said.h"

#define HEAD 2
#define MOST 65536

static const struct exchange_api *const apis[] = { &openai_chat_api, &openai_responses_api, &ollama_api, &anthropic_api };

struct recorder {
	struct answer_parser parser;
	struct answer_stream stream;
	struct provider_said said;
};

static void take(void *own, struct event *e)
{
	provider_said_take(own, e);
}

static void read_answer(struct recorder *d, unsigned how, struct str bytes, size_t piece, struct buf *out)
{
	struct answer_sink to = { take, &d->said };
	struct provider_answer a = { .status = PROVIDER_OK, .message = STR("") };
	struct answer_stream *s = &d->stream;

	answer_stream_reset(s);
	s->api = apis[how % 4];
	s->asked = true;
	if (how & 4)
		answer_stream_header(s, STR("content-type"), STR("text/event-stream"));
	else if (how & 8)
		answer_stream_header(s, STR("content-type"), STR("application/x-ndjson"));
	provider_said_begin(&d->said, s->api == &openai_responses_api);
	for (size_t at = 0; at < bytes.n; at += piece)
		answer_stream_push(s, str_of(bytes.p + at, bytes.n - at < piece ? bytes.n - at : piece), to);
	answer_stream_end(s, to);
	provider_said_end(&d->said, &a);
	FUZZ_CHECK(a.text.n <= SAID_MOST && a.call_count <= ANSWER_CALLS);
	if (d->said.error.p) {
		provider_refuse_event(&d->said.arena, d->said.error_code, d->said.error, &a);
		FUZZ_CHECK(a.failure && a.failure[0] && a.status != PROVIDER_OK);
	}
	a.message = provider_message(&d->said.arena, a.message, STR("key"));
	FUZZ_CHECK(a.message.n == 0 || !memchr(a.message.p, '\n', a.message.n));
	buf_printf(out, "%d %d%d%d%d%d %llu %llu %llu %s|", (int)s->form, s->has_done, s->has_stop, s->has_error, s->bad, s->torn,
		   (unsigned long long)s->values, (unsigned long long)s->unread, (unsigned long long)s->usage.output.n,
		   a.failure ? a.failure : "");
	buf_add_str(out, a.text);
	for (size_t i = 0; i < a.call_count; i++) {
		buf_add_str(out, a.calls[i].name);
		buf_add_str(out, a.calls[i].arguments);
	}
	buf_add_str(out, a.message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, cut;
	struct recorder d;
	struct str bytes;

	if (size < HEAD || size > MOST)
		return 0;
	bytes = str_of(data + HEAD, size - HEAD);
	buf_init(&whole);
	buf_init(&cut);
	answer_parser_init(&d.parser);
	answer_stream_init(&d.stream, &d.parser, &d.said.arena, 4096, 8192);
	provider_said_init(&d.said);
	read_answer(&d, data[0], bytes, bytes.n ? bytes.n : 1, &whole);
	read_answer(&d, data[0], bytes, 1 + data[1] % 64, &cut);
	FUZZ_CHECK(str_eq(buf_str(&whole), buf_str(&cut)));
	provider_said_free(&d.said);
	answer_stream_free(&d.stream);
	answer_parser_free(&d.parser);
	buf_free(&whole);
	buf_free(&cut);
	return 0;
}
