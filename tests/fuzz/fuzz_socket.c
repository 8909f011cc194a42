/*
 * A WebSocket of the Responses API as the recorder sees it: any bytes of both sides, cut anywhere, with any agreement.
 * Every exchange that begins ends once, what is told does not depend on the cuts, and no memory is kept. The first byte
 * chooses agreement and end, the second the pieces; then runs of a length byte and so many bytes, of which the highest
 * bit says who sends them.
 */
#include <string.h>

#include "capture/socket.h"
#include "fuzz/fuzz.h"

#define HEAD 2
#define MOST 65536

struct told {
	struct buf text;
	size_t open;
	uint64_t next;
};

static void take(void *context, struct handoff *w)
{
	struct told *t = context;

	if (w->is_request) {
		t->open++;
		w->exchange->own = (void *)(uintptr_t)++t->next;
	}
	FUZZ_CHECK(w->exchange->own && t->open <= SOCKET_OPEN);
	buf_printf(&t->text, "%u%c%d", (unsigned)(uintptr_t)w->exchange->own, w->is_request ? '<' : w->is_end ? '.' : '>',
		   (int)w->lost);
	buf_add_str(&t->text, buf_str(&w->body));
	if (w->is_end) {
		t->open--;
		mem_free(w->exchange);
	}
	handoff_free(w);
}

static bool is_over(void *context, const struct handoff_exchange *x)
{
	struct told *t = context;

	(void)x;
	return str_ends(buf_str(&t->text), STR("1}\n"));
}

static void run(struct str bytes, size_t piece, uint8_t mode, struct answer_parser *parser, struct told *t)
{
	static const char *const agreements[] = { "", "permessage-deflate", "permessage-deflate; client_no_context_takeover", "other" };
	struct http_header agreed = { STR("Sec-WebSocket-Extensions"), str_from(agreements[mode & 3]) };
	struct http_head head = { .method = STR("GET") }, answer = { .status = 101, .headers = &agreed, .count = (mode & 3) != 0 };
	struct handoff request = { .head = &head, .target = STR("/v1/responses") };
	struct budget room = { .limit = mode & 4 ? 100 << 10 : 64 << 20 };
	struct socket *s = socket_open(&request, 1, parser, &room, (struct socket_sink){ take, is_over, t });

	FUZZ_CHECK(socket_begin(s, &answer));
	while (bytes.n) {
		size_t n = (uint8_t)bytes.p[0] & 127;
		bool from_client = (uint8_t)bytes.p[0] & 128;

		bytes = str_skip(bytes, 1);
		n = n < bytes.n ? n : bytes.n;
		for (size_t at = 0; at < n; at += piece)
			socket_push(s, str_of(bytes.p + at, n - at < piece ? n - at : piece), from_client, false, 5);
		bytes = str_skip(bytes, n);
	}
	socket_end(s, (enum proxy_end)(mode >> 4 & 3), 6);
	FUZZ_CHECK(t->open == 0 && socket_count(s) == t->next);
	socket_close(s);
	FUZZ_CHECK(room.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct told whole = { .open = 0 }, cut = { .open = 0 };
	struct answer_parser parser;

	if (size < HEAD || size > MOST)
		return 0;
	answer_parser_init(&parser);
	run(str_of(data + HEAD, size - HEAD), SIZE_MAX / 2, data[0], &parser, &whole);
	run(str_of(data + HEAD, size - HEAD), 1u + data[1] % 32, data[0], &parser, &cut);
	FUZZ_CHECK((data[0] & 4) || str_eq(buf_str(&whole.text), buf_str(&cut.text)));
	answer_parser_free(&parser);
	buf_free(&whole.text);
	buf_free(&cut.text);
	return 0;
}
