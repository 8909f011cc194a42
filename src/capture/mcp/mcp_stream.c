/* Lines to values to sightings; and lines to the cassette. */
#include "capture/mcp/mcp_stream.h"

#include "capture/mcp/mcp_lines.h"
#include "capture/mcp/mcp_tape.h"

#define DEPTH_MOST 256
#define VALUES_MOST ((size_t)1 << 20) /* of one message */

struct mcp_stream {
	struct mcp_stream_options o;
	struct mcp_calls *calls;
	struct json_parser *parser;
	struct mcp_lines lines[2]; /* the client's, the server's */
	struct mcp_said said;      /* of the bytes at hand */
	int64_t last_ns;           /* of the message before */
	struct buf tape;
};

struct mcp_stream *mcp_stream_open(const struct mcp_stream_options *o)
{
	struct mcp_stream *s = mem_alloc(sizeof(*s));
	struct mcp_calls_options calls = {
		.server = o->server,
		.program = o->program,
		.chunks = o->chunks && o->content,
		.see = o->see,
		.context = o->context,
	};

	*s = (struct mcp_stream){ .o = *o, .calls = mcp_calls_open(&calls), .last_ns = -1 };
	s->parser = json_parser_open((struct json_options){
		.allow_duplicates = true, .allow_lone = true, .max_depth = DEPTH_MOST,
		.max_values = VALUES_MOST });
	mcp_lines_init(&s->lines[0]);
	mcp_lines_init(&s->lines[1]);
	buf_init(&s->tape);
	return s;
}

void mcp_stream_close(struct mcp_stream *s)
{
	if (!s)
		return;
	mcp_calls_close(s->calls);
	json_parser_close(s->parser);
	mcp_lines_free(&s->lines[0]);
	mcp_lines_free(&s->lines[1]);
	buf_free(&s->tape);
	mem_free(s);
}

/* After it was read: its line says how the call went that it ends. */
static void stream_keep(struct mcp_stream *s, struct str line)
{
	struct mcp_tape t = {
		.server = mcp_calls_server(s->calls),
		.instance = s->o.instance,
		.sender = s->said.sender,
		.message = line,
		.ns = s->said.ns,
		.before_ns = s->last_ns,
	};
	struct sighting seen = sighting_of(SIGHT_TAPE, SIGHT_MCP);

	t.progress = mcp_calls_progress(s->calls, &t.progress_count);
	buf_clear(&s->tape);
	mcp_tape_add(&s->tape, &t);
	seen.tape = buf_str(&s->tape);
	s->last_ns = s->said.ns;
	s->o.see(s->o.context, &seen);
}

static void stream_take_line(void *context, struct str line)
{
	struct mcp_stream *s = context;
	struct str text = line.p ? str_trim(line) : line;
	struct val v = VAL_NONE;

	if (text.n == 0)
		return;
	if (text.p && (text.p[0] == '{' || text.p[0] == '['))
		json_parse(s->parser, line, &v, NULL);
	mcp_calls_read(s->calls, v, &s->said);
	if (!line.p && s->said.sender == MCP_SERVER)
		mcp_calls_unread(s->calls, 0, s->said.ns); /* nothing else that a server says is so long */
	if (s->o.content)
		stream_keep(s, line);
}

void mcp_stream_push(struct mcp_stream *s, enum mcp_sender sender, struct str bytes, int64_t ns)
{
	s->said = (struct mcp_said){ .sender = sender, .ns = ns };
	mcp_lines_push(&s->lines[sender == MCP_SERVER], bytes, (struct mcp_lines_sink){ stream_take_line, s });
}

void mcp_stream_end(struct mcp_stream *s, int64_t ns)
{
	for (int i = 0; i < 2; i++) {
		s->said = (struct mcp_said){ .sender = i ? MCP_SERVER : MCP_CLIENT, .ns = ns };
		mcp_lines_end(&s->lines[i], (struct mcp_lines_sink){ stream_take_line, s });
	}
	mcp_calls_end(s->calls, 0, false, ns);
}

uint64_t mcp_stream_too_long(const struct mcp_stream *s)
{
	return s->lines[0].too_long + s->lines[1].too_long;
}
