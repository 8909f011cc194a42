/*
 * Lines of a client against a small tape of MCP: any bytes. Every line that is sent back is whole and one JSON value,
 * each request that was served gets one answer at most, and what is compared of a line is the same when it is taken
 * twice. A line that begins with '<' or '>' is a line of the tape instead, the server's or the client's.
 */
#include <string.h>

#include "fuzz.h"
#include "replay/mcp_lane_session.h"

#define MOST 16384
#define LINES 64

struct player {
	struct mcp_lane *lane;
	bool used[LINES];
	struct json_parser *parser;
	size_t asked;
};

static bool ask(void *context, struct arena *a, const struct match_question *q, struct match_result *out, struct str *why)
{
	struct player *p = context;
	struct match_difference d;

	*out = (struct match_result){ .tier = MATCH_MISS };
	for (size_t i = 0; i < p->lane->entries.count; i++) {
		const struct match_entry *e = &p->lane->entries.items[i];

		if (p->used[i] || !str_eq(e->q.method, q->method) || lane_differ(a, e->q.body, q->body, &d))
			continue;
		p->used[i] = true;
		p->asked++;
		*out = (struct match_result){ .tier = MATCH_EXACT, .entry = e };
		return true;
	}
	*why = STR("no");
	return false;
}

static void note(void *context, const struct divergence *d)
{
	(void)context;
	FUZZ_CHECK(d->sentence.n);
}

static struct str translate(void *context, struct arena *a, struct str answer)
{
	(void)context, (void)a;
	return answer;
}

static bool stopped(void *context)
{
	(void)context;
	return false;
}

static void tool(void *context, struct str name, enum player_tool how)
{
	(void)context, (void)how;
	FUZZ_CHECK(name.n);
}

static void get(void *context, struct str line)
{
	(void)context;
	FUZZ_CHECK(line.n && line.p[line.n - 1] == '\n' && str_count(line, '\n') == 1);
}

static void check_key(struct json_parser *p, struct arena *a, struct str line)
{
	struct str key = rpc_key(p, a, line);

	FUZZ_CHECK(str_eq(rpc_key(p, a, key), key));
}

/* Lines of the tape, then those of the client. */
static size_t split(struct str text, struct tape_line *lines, struct str *said, size_t *count)
{
	size_t n = 0;

	*count = 0;
	while (text.n) {
		struct str line = str_cut(text, '\n', &text);
		bool taped = line.n && (line.p[0] == '<' || line.p[0] == '>');

		if (taped && n < LINES) {
			lines[n] = (struct tape_line){ .x = n, .lane = TAPE_MCP, .begun_us = (int64_t)n };
			lines[n].message = (struct tape_message){ .server = STR("s"), .instance = STR("i"),
								  .client = line.p[0] == '>' };
			lines[n++].message.body.bytes = str_skip(line, 1);
		} else if (!taped && *count < LINES) {
			said[(*count)++] = line;
		}
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tape_line lines[LINES];
	struct str said[LINES];
	struct tape tape = { .lines = lines };
	struct player p = { .asked = 0 };
	struct lane_ops ops = { .ask = ask, .note = note, .translate = translate, .stopped = stopped, .tool = tool, .context = &p };
	struct mcp_session_options o = { .send = get };
	struct mcp_session *s;
	struct arena a;
	size_t count;

	if (size > MOST)
		return 0;
	arena_init(&a);
	tape.count = split(str_of(data, size), lines, said, &count);
	p.parser = rpc_parser_open();
	p.lane = o.lane = mcp_lane_new(&a, &tape, &ops);
	s = mcp_session_open(&o);
	for (size_t i = 0; i < count; i++) {
		check_key(p.parser, &a, said[i]);
		mcp_session_line(s, said[i], i);
	}
	FUZZ_CHECK(p.lane->served == p.asked);
	mcp_session_close(s);
	json_parser_close(p.parser);
	arena_free(&a);
	return 0;
}
