/* Servers are told apart by the id that their wrapper gives; a request waits in a list until its answer comes. */
#include "replay/mcp_lane_live.h"

struct live_server {
	struct live_server *next;
	struct str id; /* of the instance */
	struct mcp_instance *recorded; /* NULL: none */
	struct str lane;
	bool known;
};

struct live_request {
	struct live_request *next;
	const struct live_server *server;
	struct str id, tool;            /* behind the struct */
	const struct mcp_cause *cause;
};

struct mcp_live {
	struct mcp_lane *lane;
	struct arena arena, scratch;
	struct json_parser *parser;
	struct live_server *servers;
	struct live_request *open;
	size_t count;
};

struct mcp_live *mcp_live_open(struct mcp_lane *lane)
{
	struct mcp_live *l = mem_alloc(sizeof(*l));

	*l = (struct mcp_live){ .lane = lane };
	arena_init(&l->arena);
	arena_init(&l->scratch);
	l->parser = rpc_parser_open();
	return l;
}

void mcp_live_close(struct mcp_live *l)
{
	if (!l)
		return;
	while (l->open) {
		struct live_request *r = l->open;

		l->open = r->next;
		mem_free(r);
	}
	json_parser_close(l->parser);
	arena_free(&l->scratch);
	arena_free(&l->arena);
	mem_free(l);
}

static struct live_server *live_find_server(struct mcp_live *l, struct str id)
{
	struct live_server *s = l->servers;

	while (s && !str_eq(s->id, id))
		s = s->next;
	if (s)
		return s;
	s = arena_new(&l->arena, struct live_server);
	s->id = arena_copy(&l->arena, id);
	s->next = l->servers;
	l->servers = s;
	return s;
}

static void live_know(struct mcp_live *l, struct live_server *s, struct str name, struct str key)
{
	struct mcp_caller who = { .name = name, .argv = &name, .argc = 1 };

	if (s->known)
		return;
	s->known = true;
	s->recorded = mcp_lane_find(l->lane, &who, key);
	s->lane = s->recorded ? s->recorded->lane : ARENA_JOIN(&l->arena, STR("mcp:"), name);
}

static void live_add(struct mcp_live *l, const struct live_server *s, const struct rpc_message *m,
		     const struct mcp_cause *c)
{
	struct live_request *r;
	size_t tool = m->tool.p ? m->tool.n : 0;
	char *text;

	if (!m->id.p || l->count >= MCP_LIVE_OPEN)
		return;
	r = mem_alloc(sizeof(*r) + m->id.n + tool);
	text = (char *)(r + 1);
	*r = (struct live_request){ .next = l->open, .server = s, .cause = c };
	memcpy(text, m->id.p, m->id.n);
	r->id = str_of(text, m->id.n);
	if (tool)
		memcpy(text + m->id.n, m->tool.p, tool);
	r->tool = m->tool.p ? str_of(text + m->id.n, tool) : str_of(NULL, 0);
	l->open = r;
	l->count++;
}

static void live_ask(struct mcp_live *l, struct live_server *s, const struct rpc_message *m, struct str key)
{
	const struct lane_ops *ops = l->lane->ops;
	struct match_question q = { .lane = s->lane, .method = m->method, .target = STR(""), .body = key };
	struct match_result r = { .tier = MATCH_MISS };
	struct str why;

	if (str_eq(m->method, STR("ping")))
		return;
	if (m->tool.p)
		ops->tool(ops->context, ARENA_JOIN(&l->scratch, str_skip(s->lane, 4), STR("."), m->tool), PLAYER_LIVE);
	if (ops->ask(ops->context, &l->scratch, &q, &r, &why) && r.entry)
		live_add(l, s, m, r.entry->own);
}

/* An answer, without its id and with live values, against the recorded one. */
static void live_compare(struct mcp_live *l, const struct live_request *r, struct str line)
{
	const struct lane_ops *ops = l->lane->ops;
	const struct tape_line *recorded = r->cause->answer;
	struct divergence d = { .class = DIVERGENCE_TOOL_DRIFT, .seq = -1, .lane = r->server->lane, .tool = r->tool };
	struct str expected;

	if (!recorded || !recorded->message.body.bytes.p)
		return;
	expected = ops->translate(ops->context, &l->scratch, recorded->message.body.bytes);
	expected = rpc_key(l->parser, &l->scratch, expected);
	if (!lane_differ(&l->scratch, expected, rpc_key(l->parser, &l->scratch, line), &d.difference))
		return;
	d.has_x = true;
	d.x = r->cause->line->x;
	d.group = r->cause->line->group;
	d.sentence = ARENA_JOIN(&l->scratch, STR("the server answered "), r->cause->message.method,
				STR(" in another way than in the recording"));
	ops->note(ops->context, &d);
}

static void live_answer(struct mcp_live *l, const struct live_server *s, const struct rpc_message *m, struct str line)
{
	struct live_request **at = &l->open, *r;

	while ((r = *at) && !(r->server == s && m->id.p && str_eq(r->id, m->id)))
		at = &r->next;
	if (!r)
		return;
	*at = r->next;
	l->count--;
	live_compare(l, r, line);
	mem_free(r);
}

void mcp_live_see(struct mcp_live *l, struct val tape)
{
	struct val body = val_get(val_get(tape, STR("body")), STR("inline"));
	struct str id = val_get_text(tape, STR("instance"), &l->scratch), line, key;
	bool client = val_text_is(val_get(tape, STR("from")), STR("client"));
	struct str name = val_get_text(tape, STR("server"), &l->scratch);
	struct rpc_message m;
	struct live_server *s;

	if (!id.p || !val_is(body, JSON_OBJECT))
		return;
	line = arena_copy(&l->scratch, val_source(body));
	rpc_read(l->parser, &l->scratch, line, &m);
	s = live_find_server(l, id);
	if (client && m.kind == RPC_REQUEST) {
		key = rpc_key(l->parser, &l->scratch, line);
		live_know(l, s, name.p ? name : STR(""), key);
		live_ask(l, s, &m, key);
	} else if (!client && m.kind == RPC_RESPONSE) {
		live_answer(l, s, &m, line);
	}
	arena_reset(&l->scratch);
}
