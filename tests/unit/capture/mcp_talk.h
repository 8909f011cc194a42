/*
 * Talks between an MCP client and a server, as text: "C 10 {...}" is what the client says at 10 ms, "S" the server.
 * What is seen of it is text too: "begin everything.add 10" and so on.
 */
#ifndef UNIT_CAPTURE_MCP_TALK_H
#define UNIT_CAPTURE_MCP_TALK_H

#include <stdlib.h>

#include "capture/mcp/mcp_stream.h"
#include "harness/test.h"

#define TALK_BEGUN INT64_C(1790000000000000000)

static inline int64_t talk_ms(int64_t ns)
{
	return (ns - TALK_BEGUN) / 1000000;
}

/* A line for each sighting; times in ms since the beginning. */
static inline void talk_see(void *context, const struct sighting *s)
{
	static const char *const kinds[SIGHT_KINDS] = {
		[SIGHT_TOOL_BEGIN] = "begin", [SIGHT_TOOL_END] = "end", [SIGHT_WAIT_BEGIN] = "wait",
		[SIGHT_WAIT_END] = "waited", [SIGHT_TAPE] = "tape",
	};
	struct buf *out = context;

	CHECK(kinds[s->kind] && s->layer == SIGHT_MCP);
	buf_printf(out, "%s", kinds[s->kind]);
	if (s->kind == SIGHT_TAPE)
		buf_printf(out, " %.*s", (int)s->tape.n, s->tape.p);
	if (s->server.n || s->name.n)
		buf_printf(out, " %.*s.%.*s", STR_ARG(s->server), STR_ARG(s->name));
	if (s->call.p)
		buf_printf(out, " id=%.*s", STR_ARG(s->call));
	if (s->trace.p)
		buf_printf(out, " span=%.4s..%.4s", s->trace.p, s->span.p);
	if (s->begun_ns >= 0)
		buf_printf(out, " %lld", (long long)talk_ms(s->begun_ns));
	if (s->ended_ns >= 0)
		buf_printf(out, " -%lld", (long long)talk_ms(s->ended_ns));
	if (s->wall_ns >= 0)
		buf_printf(out, " wall=%lld", (long long)(s->wall_ns / 1000000));
	if (s->size >= 0)
		buf_printf(out, " %lld %.*s", (long long)s->size, STR_ARG(s->result_kind));
	buf_printf(out, "%s%s\n", s->failed ? " failed" : "", s->partial ? " partial" : "");
}

/* Says it all, in pieces of `step` bytes. */
static inline void talk_say_on(struct mcp_stream *s, struct str talk, size_t step)
{
	struct buf piece;

	buf_init(&piece);
	while (talk.n) {
		struct str rest, line = str_cut(talk, '\n', &talk), who = str_cut(line, ' ', &rest), said;
		int64_t ns = TALK_BEGUN + strtoll(rest.p, NULL, 10) * 1000000;

		str_cut(rest, ' ', &said);
		for (size_t at = 0; at <= said.n; at += step) {
			size_t n = said.n + 1 - at < step ? said.n + 1 - at : step;

			buf_clear(&piece);
			buf_add(&piece, said.p + at, n - (at + n > said.n));
			if (at + n > said.n)
				buf_add_byte(&piece, '\n');
			buf_reserve(&piece, JSON_PAD);
			mcp_stream_push(s, who.p[0] == 'C' ? MCP_CLIENT : MCP_SERVER, buf_str(&piece), ns);
		}
	}
	buf_free(&piece);
}

/* Likewise, and ends at `end_ms`. */
static inline void talk_say(struct mcp_stream *s, struct str talk, size_t step, int64_t end_ms)
{
	talk_say_on(s, talk, step);
	mcp_stream_end(s, TALK_BEGUN + end_ms * 1000000);
}

#endif
