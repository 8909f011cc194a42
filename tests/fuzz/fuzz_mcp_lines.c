/*
 * What an MCP client and a server say to each other: any bytes. What is seen must be the same however they are cut, every
 * call that began ends once, no time goes back, and a traceparent that is set changes nothing else. The first byte picks
 * the pieces; a line that begins with '<' is the server's.
 */
#include <string.h>

#include "capture/mcp/mcp_lines.h"
#include "capture/mcp/mcp_stream.h"
#include "capture/mcp/mcp_trace.h"
#include "fuzz.h"

#define MOST 65536

struct seen {
	struct buf text;
	size_t begun, ended;
};

static void see(void *context, const struct sighting *s)
{
	struct seen *seen = context;

	seen->begun += s->kind == SIGHT_TOOL_BEGIN;
	seen->ended += s->kind == SIGHT_TOOL_END;
	FUZZ_CHECK(seen->ended <= seen->begun);
	FUZZ_CHECK(s->kind != SIGHT_TOOL_END || (s->begun_ns >= 0 && s->ended_ns >= s->begun_ns));
	FUZZ_CHECK(s->wall_ns <= s->ended_ns - s->begun_ns || s->wall_ns < 0);
	FUZZ_CHECK(s->name.n <= 256 && s->call.n <= 256 && s->server.n <= 256);
	buf_printf(&seen->text, "%u %lld %lld %lld %lld %d%d ", s->kind, (long long)s->begun_ns, (long long)s->ended_ns,
		   (long long)s->wall_ns, (long long)s->size, s->failed, s->partial);
	buf_add_str(&seen->text, s->name);
	buf_add_str(&seen->text, s->call);
	buf_add_str(&seen->text, s->tape);
	buf_add_byte(&seen->text, '\n');
}

/* All lines, those of each side in pieces of `step` bytes; a line takes a microsecond. */
static void talk(struct str text, size_t step, struct seen *seen)
{
	struct mcp_stream_options o = { .program = STR("p"), .content = true, .chunks = true, .see = see, .context = seen };
	struct mcp_stream *s = mcp_stream_open(&o);
	char piece[128 + JSON_PAD];
	int64_t ns = 1000000;

	buf_init(&seen->text);
	seen->begun = seen->ended = 0;
	while (text.n) {
		const char *end = memchr(text.p, '\n', text.n);
		size_t n = end ? (size_t)(end - text.p) + 1 : text.n;
		bool server = text.p[0] == '<';

		ns += 1000;
		for (size_t at = server; at < n; at += step) {
			size_t size = n - at < step ? n - at : step;

			memcpy(piece, text.p + at, size);
			memset(piece + size, '"', JSON_PAD);
			mcp_stream_push(s, server ? MCP_SERVER : MCP_CLIENT, str_of(piece, size), ns);
		}
		text = str_skip(text, n);
	}
	mcp_stream_end(s, ns + 1000);
	mcp_stream_close(s);
	FUZZ_CHECK(seen->begun == seen->ended);
}

static void ones(void *out, size_t n)
{
	memset(out, 0x11, n);
}

/* Without what was inserted it is what was given. */
static void trace(struct str text, size_t step)
{
	struct mcp_trace t;
	struct buf out;
	size_t at = 0;

	buf_init(&out);
	mcp_trace_init(&t, STR(""), ones);
	for (size_t i = 0; i < text.n; i += step)
		mcp_trace_push(&t, str_of(text.p + i, text.n - i < step ? text.n - i : step), &out);
	mcp_trace_end(&t, &out);
	FUZZ_CHECK(out.n >= text.n);
	for (size_t i = 0; i < out.n && at < text.n; i++)
		at += out.p[i] == text.p[at];
	FUZZ_CHECK(at == text.n);
	FUZZ_CHECK(out.n == text.n || str_has(buf_str(&out), STR("\"traceparent\":\"00-11111111")));
	mcp_trace_free(&t);
	buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen whole, cut;
	struct str text;

	if (size < 1 || size > MOST)
		return 0;
	text = str_of(data + 1, size - 1);
	talk(text, 128, &whole);
	talk(text, 1 + data[0] % 64, &cut);
	FUZZ_CHECK(str_eq(buf_str(&whole.text), buf_str(&cut.text)));
	buf_free(&whole.text);
	buf_free(&cut.text);
	trace(text, 1 + data[0] % 64);
	return 0;
}
