/*
 * One JSON-RPC message. A call of a tool is a CALL, any other request and every notification a NOTE with its
 * parameters, an answer a RESULT, of which the fold knows what it answers.
 */
#include "dialect/mcp/mcp.h"
#include "dialect/record/field.h"

bool mcp_is_message(struct val v)
{
	if (!val_is(v, JSON_OBJECT))
		return false;
	return val_text_is(val_get(v, STR("jsonrpc")), STR("2.0")) && (val_has(v, STR("method")) ||
	       val_has(v, STR("result")) || val_has(v, STR("error")));
}

/* Requests and notifications that only one side sends. */
static uint8_t message_sender(struct val method)
{
	static const struct str client[] = {
		WORD("initialize"), WORD("notifications/initialized"), WORD("tools/call"), WORD("tools/list"),
		WORD("resources/list"), WORD("resources/read"), WORD("resources/templates/list"),
		WORD("resources/subscribe"), WORD("resources/unsubscribe"), WORD("prompts/list"), WORD("prompts/get"),
		WORD("completion/complete"), WORD("logging/setLevel"), WORD("server/discover"),
		WORD("subscriptions/listen"), WORD("notifications/roots/list_changed"),
	};
	static const struct str server[] = {
		WORD("sampling/createMessage"), WORD("elicitation/create"), WORD("roots/list"),
		WORD("notifications/message"), WORD("notifications/tools/list_changed"),
		WORD("notifications/resources/list_changed"), WORD("notifications/resources/updated"),
		WORD("notifications/prompts/list_changed"), WORD("notifications/elicitation/complete"),
	};

	return values_is_word(method, client, COUNT(client)) ? MCP_CLIENT :
	       values_is_word(method, server, COUNT(server)) ? MCP_SERVER : MCP_UNKNOWN;
}

/* An id or a token: a string or a number, as JSON. */
static struct str message_id(struct reading *r, struct val v)
{
	if (!val_is(v, JSON_STRING) && !val_is(v, JSON_NUMBER))
		return str_of(NULL, 0);
	return reading_json_of(r, NULL, "id", v);
}

/* In the world without sessions every request says who sends it, in its _meta. */
static void message_client(struct reading *r, struct mcp_hint *h, struct val params)
{
	struct val info = val_get(params, STR("clientInfo"));

	if (!val_is(info, JSON_OBJECT))
		info = val_get(val_get(params, STR("_meta")), STR("io.modelcontextprotocol/clientInfo"));
	h->client = val_text_copy(val_get(info, STR("name")), r->arena);
	h->client_version = val_text_copy(val_get(info, STR("version")), r->arena);
}

static void message_call(struct reading *r, struct event *e, struct val params)
{
	struct val args = val_get(params, STR("arguments"));

	e->tool = reading_text(r, params, STR("name"));
	e->tool = e->tool.n ? e->tool : STR("unknown");
	e->args = val_is_unset(args) ? STR("{}") : reading_json_of(r, e, "args", args);
	reading_take(r, val_get(val_get(params, STR("_meta")), STR("progressToken")));
}

/* The rest of a call's parameters is kept by whoever keeps that of the message. */
static void message_read_request(struct reading *r, struct event *e, struct mcp_hint *h, struct val message)
{
	struct val params = val_get(message, STR("params")), id = val_get(params, STR("requestId"));

	h->token = message_id(r, val_get(val_get(params, STR("_meta")), STR("progressToken")));
	if (h->part == MCP_NOTIFICATION && str_eq(h->method, STR("notifications/cancelled")))
		h->id = message_id(r, id);
	if (h->part == MCP_NOTIFICATION && str_eq(h->method, STR("notifications/progress")))
		h->token = message_id(r, val_get(params, STR("progressToken")));
	h->task = val_text_copy(val_get(params, STR("taskId")), r->arena);
	message_client(r, h, params);
	if (e->kind == EVENT_CALL) {
		message_call(r, e, params);
		return;
	}
	e->role = h->method;
	e->content = reading_json(r, e, "content", message, STR("params"));
	if (str_eq(h->method, STR("notifications/cancelled")))
		h->text = val_text_copy(val_get(params, STR("reason")), r->arena);
	else if (str_eq(h->method, STR("notifications/progress")))
		h->text = val_text_copy(val_get(params, STR("message")), r->arena);
}

/* The types of what is no text in the content of a result: ["image/png"]. */
static struct str message_media(struct reading *r, struct val result)
{
	struct buf b = { 0 };

	VALUES_EACH(block, val_get(result, STR("content"))) {
		struct val type = val_get(block, STR("mimeType"));

		if (val_is(type, JSON_STRING) && val_is(val_get(block, STR("data")), JSON_STRING))
			buf_printf(&b, "%s%.*s", b.n ? "," : "[", STR_ARG(reading_quote(r, val_text(type, r->arena))));
	}
	if (!b.n)
		return str_of(NULL, 0);
	buf_add_byte(&b, ']');
	return arena_take(r->arena, &b);
}

/* What the fold may make of an answer: who the server is, its tools, what a client's model said. */
static void message_look_at_result(struct reading *r, struct event *e, struct mcp_hint *h, struct val result)
{
	struct val server = val_get(result, STR("serverInfo")), content = val_get(result, STR("content"));
	struct val tools = val_get(result, STR("tools"));

	if (!val_is(server, JSON_OBJECT))
		server = val_get(val_get(result, STR("_meta")), STR("io.modelcontextprotocol/serverInfo"));
	h->server = val_text_copy(val_get(server, STR("name")), r->arena);
	h->server_version = val_text_copy(val_get(server, STR("version")), r->arena);
	h->task = val_text_copy(val_at(result, STR("/task/taskId")), r->arena);
	if (val_is(tools, JSON_ARRAY)) {
		h->tools = reading_json_of(r, e, "tools", tools);
		h->only_tools = val_count(result) == 1;
	}
	h->model = val_text_copy(val_get(result, STR("model")), r->arena);
	h->stop_reason = val_text_copy(val_get(result, STR("stopReason")), r->arena);
	h->text = val_text_copy(val_get(content, STR("text")), r->arena);
	e->media = message_media(r, result);
}

static void message_read_response(struct reading *r, struct event *e, struct mcp_hint *h, struct val message)
{
	struct val result = val_get(message, STR("result")), error = val_get(message, STR("error"));
	struct val flag = val_get(result, STR("isError"));

	if (!val_is_none(error)) {
		struct val code = val_get(error, STR("code"));

		e->is_error = TRUTH_TRUE;
		h->text = val_text_copy(val_get(error, STR("message")), r->arena);
		h->code = val_is(code, JSON_NUMBER) ? arena_copy(r->arena, val_raw(code)) : STR("error");
		e->content = reading_json(r, e, "result", message, STR("error"));
		return;
	}
	message_look_at_result(r, e, h, result);
	e->is_error = val_is(flag, JSON_TRUE) ? TRUTH_TRUE : val_is(flag, JSON_FALSE) ? TRUTH_FALSE : TRUTH_ABSENT;
	e->content = reading_json(r, e, "result", message, STR("result"));
}

void mcp_read_message(struct reading *r, struct val message, struct val rest, const struct mcp_place *place)
{
	struct mcp_hint *h = arena_new(r->arena, struct mcp_hint);
	struct val method = val_get(message, STR("method")), id = val_get(message, STR("id"));
	bool asks = val_is(method, JSON_STRING);
	uint8_t sender = message_sender(method);
	struct event *e;

	h->part = !asks ? MCP_RESPONSE : val_is_unset(id) ? MCP_NOTIFICATION : MCP_REQUEST;
	e = reading_add(r, h->part == MCP_RESPONSE ? EVENT_RESULT :
			   h->part == MCP_REQUEST && val_text_is(method, STR("tools/call")) ? EVENT_CALL : EVENT_NOTE);
	e->ts = place->ts;
	h->sender = sender ? sender : place->sender;
	h->connection = place->connection;
	h->session = place->session;
	h->method = reading_text(r, message, STR("method"));
	h->id = message_id(r, id);
	if (asks)
		message_read_request(r, e, h, message);
	else
		message_read_response(r, e, h, message);
	if (!h->server.n)
		h->server = place->server;
	reading_take(r, id);
	reading_take(r, val_get(message, STR("jsonrpc"))); /* that it is MCP: the source's format */
	e->hint = h;
	reading_rest(r, e, rest);
}
