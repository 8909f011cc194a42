/*
 * An exchange: any bytes as request and answer, of each API. What is seen must be the same however the answer was cut, and
 * what was seen after the request must not change with the answer. The first byte picks the path, the second the
 * headers and the end, the third the pieces; request and answer are separated by the byte 0x1e.
 */
#include <string.h>

#include "capture/observe/block_chain.h"
#include "fuzz.h"
#include "unit/capture/observer_feed.h"

#define HEAD 3
#define MOST 65536

static const char *const paths[] = {
	"/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1beta/models/g:streamGenerateContent", "/api/chat",
	"/v1/embeddings",       "/v1/completions", "/somewhere", "/v2/chat",
};

static const char *const types[] = { "text/event-stream", "application/json", "application/x-ndjson", "text/plain" };
static const char *const packings[] = { "", "gzip", "deflate", "zstd" };

static void see(struct observers *l, const struct feed *f, struct buf *out)
{
	struct observer *k = feed_run(l, f);
	const struct observation *s = observer_seen(k);

	feed_text(out, s);
	FUZZ_CHECK(s->kind == OBSERVED_OTHER ||
		   (figure_is_known(s->usage.input) && figure_is_known(s->usage.output)));
	FUZZ_CHECK(!s->failed || s->kind == OBSERVED_OTHER || strcmp(s->stop_reason, "error") == 0);
	for (size_t i = 0; i < s->result_count; i++)
		FUZZ_CHECK(s->results[i].message < s->message_count);
	for (size_t i = 0; i < s->call_count; i++)
		FUZZ_CHECK(s->calls[i].name.p && s->calls[i].name.n <= 200 && s->calls[i].call.n <= 200);
	FUZZ_CHECK(s->block_count <= BLOCK_CHAIN_IDS);
	for (size_t i = 0; i < s->block_count; i++)
		FUZZ_CHECK(s->blocks[i] < UINT64_C(1) << 53);
	observer_close(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed f = { .number = 1 };
	struct buf whole, cut;
	struct observers *l;

	if (size < HEAD || size > MOST)
		return 0;
	f.path = paths[data[0] % (sizeof(paths) / sizeof(paths[0]))];
	f.type = types[data[1] % 4];
	f.how = (enum proxy_end)(data[1] / 4 % 4);
	f.status = data[1] & 128 ? 500 : 200;
	if (data[1] / 16 % 4)
		f.answer_headers[0] = (struct http_header){ STR("Content-Encoding"), str_from(packings[data[1] / 16 % 4]) };
	f.body = str_cut(str_of(data + HEAD, size - HEAD), '\x1e', &f.answer);
	buf_init(&whole);
	buf_init(&cut);
	l = observers_open(&test_room);
	observers_hash_blocks(l, &(struct block_options){ .tokens = BLOCK_CHAIN_LEAST });
	see(l, &f, &whole);
	f.piece = 1 + data[2] % 64;
	f.first = 1 + data[2] / 64;
	see(l, &f, &cut);
	if (!str_eq(buf_str(&whole), buf_str(&cut)))
		fprintf(stderr, "whole:  %.*s\npieces: %.*s\n", (int)whole.n, whole.p, (int)cut.n, cut.p);
	FUZZ_CHECK(str_eq(buf_str(&whole), buf_str(&cut)));
	observers_close(l);
	buf_free(&whole);
	buf_free(&cut);
	return 0;
}
