/*
 * What stands around messages in logs, since the wire itself has no times: a time and arrows before it on its line, an
 * object with a direction, an HTTP exchange, Claude Desktop's "Message from client:". Batches and streams of events may
 * be in any of them.
 */
#include "base/ascii.h"
#include "base/sse.h"
#include "dialect/exchange/http.h"
#include "dialect/mcp/mcp.h"
#include "dialect/record/field.h"

static const struct str wrapper_names[] = { WORD("msg"), WORD("message"), WORD("data"), WORD("payload"),
					    WORD("body"), WORD("raw"), WORD("json"), WORD("content") };

/* ---- words of a wrapper ---- */

/* Who sends, by a word or an arrow. What is said of a client's log ("out") is taken for it: most are. */
static uint8_t wrapper_sender(struct str word)
{
	static const struct {
		struct str word;
		uint8_t sender;
	} words[] = {
		{ WORD("from client"), MCP_CLIENT }, { WORD("from server"), MCP_SERVER },
		{ WORD("c2s"), MCP_CLIENT }, { WORD("s2c"), MCP_SERVER },
		{ WORD("client_to_server"), MCP_CLIENT }, { WORD("server_to_client"), MCP_SERVER },
		{ WORD("client->server"), MCP_CLIENT }, { WORD("server->client"), MCP_SERVER },
		{ WORD("client-to-server"), MCP_CLIENT }, { WORD("server-to-client"), MCP_SERVER },
		{ WORD(">>>"), MCP_CLIENT }, { WORD("<<<"), MCP_SERVER },
		{ WORD("-->"), MCP_CLIENT }, { WORD("<--"), MCP_SERVER },
		{ WORD("\xe2\x86\x92"), MCP_CLIENT }, { WORD("\xe2\x86\x90"), MCP_SERVER },
		{ WORD("->"), MCP_CLIENT }, { WORD("<-"), MCP_SERVER },
		{ WORD("outgoing"), MCP_CLIENT }, { WORD("incoming"), MCP_SERVER },
		{ WORD("sent"), MCP_CLIENT }, { WORD("received"), MCP_SERVER },
		{ WORD("send"), MCP_CLIENT }, { WORD("recv"), MCP_SERVER },
		{ WORD("client"), MCP_CLIENT }, { WORD("server"), MCP_SERVER },
	};

	for (size_t i = 0; i < COUNT(words); i++)
		if (str_has(word, words[i].word))
			return words[i].sender;
	return str_eq(word, STR("out")) || str_eq(word, STR(">")) ? MCP_CLIENT :
	       str_eq(word, STR("in")) || str_eq(word, STR("<")) ? MCP_SERVER : MCP_UNKNOWN;
}

/* A time at the beginning: "[2025-09-24T01:18:42Z] >>>", "2025-09-24 01:18:42,018 INFO". */
static struct moment wrapper_time(struct reading *r, struct str prefix)
{
	struct str text = str_starts(prefix, STR("[")) ? str_skip(prefix, 1) : prefix;
	char copy[40];
	size_t n = 0;

	while (n < text.n && n < sizeof(copy) && text.p[n] != ']' && (text.p[n] != ' ' || n == 10)) {
		copy[n] = text.p[n] == ',' ? '.' : text.p[n];
		n++;
	}
	if (n < 19 || !ascii_is_digit(copy[0]))
		return (struct moment){ .source = MOMENT_NONE };
	return reading_time_text(r, arena_copy(r->arena, str_of(copy, n)));
}

/* Claude Desktop: "TIME [NAME] [info] Message from client:", in later versions with the two in the other order. */
static struct str wrapper_server(struct reading *r, struct str prefix)
{
	static const struct str levels[] = { WORD("info"), WORD("error"), WORD("warn"), WORD("debug") };
	struct str left = prefix;

	if (!str_has(prefix, STR("Message from ")))
		return str_of(NULL, 0);
	while (left.n) {
		struct str name, rest;
		bool is_level = false;

		(void)str_cut(left, '[', &left);
		name = str_cut(left, ']', &rest);
		for (size_t i = 0; i < COUNT(levels); i++)
			is_level = is_level || str_eq(name, levels[i]);
		if (name.n && !is_level && !ascii_is_digit(name.p[0]))
			return arena_copy(r->arena, name);
		left = rest;
	}
	return str_of(NULL, 0);
}

/* The first of some members that is there. */
static struct val wrapper_first(struct val v, const struct str *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (val_has(v, names[i]))
			return val_get(v, names[i]);
	return VAL_NONE;
}

static struct val wrapper_direction(struct val v)
{
	static const struct str names[] = { WORD("dir"), WORD("direction"), WORD("from"), WORD("sender") };

	return wrapper_first(v, names, COUNT(names));
}

static struct str wrapper_text(struct reading *r, struct val v)
{
	return val_is(v, JSON_NUMBER) ? arena_copy(r->arena, val_raw(v)) : val_text_copy(v, r->arena);
}

/* What an object around a message says of it. Times and directions are taken; the rest stays. */
static void wrapper_read(struct reading *r, struct val v, struct mcp_place *place)
{
	static const struct str times[] = { WORD("ts"), WORD("timestamp"), WORD("time"), WORD("at") };
	static const struct str connections[] = { WORD("session_id"), WORD("sessionId"), WORD("session"),
						  WORD("connection_id"), WORD("connectionId"), WORD("connection"),
						  WORD("pid") };
	static const struct str servers[] = { WORD("server"), WORD("server_name"), WORD("serverName") };
	struct val direction = wrapper_direction(v);
	struct moment ts = reading_time_of(r, wrapper_first(v, times, COUNT(times)));
	struct str connection = wrapper_text(r, wrapper_first(v, connections, COUNT(connections)));
	struct str server = wrapper_text(r, wrapper_first(v, servers, COUNT(servers)));

	if (ts.text.p)
		place->ts = ts;
	place->server = server.n ? server : place->server;
	place->connection = connection.n ? connection : server.n ? server : place->connection;
	if (val_is(direction, JSON_STRING)) {
		place->sender = wrapper_sender(val_text(direction, r->arena));
		if (place->sender)
			reading_take(r, direction);
	}
}

/* ---- messages in it ---- */

/* A message, or a batch of them, which the protocol had for a while. */
static bool wrapper_read_messages(struct reading *r, struct val v, struct val rest, const struct mcp_place *place)
{
	size_t messages = mcp_is_message(v);

	if (messages)
		mcp_read_message(r, v, rest, place);
	VALUES_EACH(one, v)
		messages += mcp_is_message(one);
	VALUES_EACH(one, v) {
		if (mcp_is_message(one))
			mcp_read_message(r, one, one, place);
		else if (messages)
			reading_add_unknown(r, one);
	}
	return messages > 0;
}

/* A text that is such a value, or a stream of events with one in each. */
static bool wrapper_read_text(struct reading *r, struct str text, const struct mcp_place *place)
{
	struct val v = reading_parse(r, text);
	struct sse_event event;
	bool any = false;

	if (!val_is_none(v)) {
		any = wrapper_read_messages(r, v, v, place);
		reading_release(r, v);
		return any;
	}
	while (sse_is_line(text) && sse_next_in_text(&text, r->arena, &event)) {
		v = reading_parse(r, event.data);
		if (val_is_none(v))
			continue;
		if (!wrapper_read_messages(r, v, v, place))
			reading_add_unknown(r, v);
		any = true;
		reading_release(r, v);
	}
	return any;
}

/* A body: a value, or a text. */
static bool wrapper_read_body(struct reading *r, struct val body, const struct mcp_place *place)
{
	bool any;

	if (!val_is(body, JSON_STRING))
		return wrapper_read_messages(r, body, body, place);
	any = wrapper_read_text(r, val_text_copy(body, r->arena), place);
	if (any)
		reading_take(r, body);
	return any;
}

/* ---- HTTP ---- */

static struct val wrapper_body(struct val half)
{
	static const struct str names[] = { WORD("body"), WORD("body_text"), WORD("json"), WORD("content") };

	return wrapper_first(half, names, COUNT(names));
}

/* The session that either side's headers name, whatever the case of their names. */
static struct str wrapper_session(struct reading *r, struct val half)
{
	struct val headers = val_get(half, STR("headers")), key, value;
	struct val_iter it = val_begin(headers);

	if (val_is(headers, JSON_OBJECT))
		while (val_next_member(&it, &key, &value))
			if (str_eq_nocase(val_text(key, r->arena), STR("mcp-session-id")) && val_is(value, JSON_STRING))
				return val_text_copy(value, r->arena);
	return str_of(NULL, 0);
}

/* The host of an address names a server that does not name itself. */
static struct str wrapper_host(struct reading *r, struct val url)
{
	struct str text = exchange_http_clean_url(r->arena, val_text_copy(url, r->arena)), rest;
	size_t at = text.n ? str_find(text, STR("://")) : (size_t)-1;

	return at == (size_t)-1 ? str_of(NULL, 0) : str_cut(str_skip(text, at + 3), '/', &rest);
}

static bool wrapper_is_exchange(struct val v)
{
	struct val body = wrapper_body(val_get(v, STR("request")));

	return mcp_is_message(body) || mcp_is_message(values_first(body)) ||
	       (val_is(body, JSON_STRING) && str_has(val_raw(body), STR("jsonrpc")));
}

static void wrapper_read_exchange(struct reading *r, struct val v)
{
	struct val request = val_get(v, STR("request")), response = val_get(v, STR("response"));
	struct mcp_place place = { .sender = MCP_CLIENT };
	struct exchange_http http;
	size_t first = r->count;

	exchange_http_read(r, &http, v, request, response);
	place.session = wrapper_session(r, request);
	if (!place.session.n)
		place.session = wrapper_session(r, response);
	place.server = wrapper_host(r, val_get_either(request, STR("url"), STR("uri")));
	place.connection = place.session.n ? place.session : place.server;
	place.ts = http.begun;
	wrapper_read_body(r, wrapper_body(request), &place);
	place.sender = MCP_SERVER;
	place.ts = http.ended;
	wrapper_read_body(r, wrapper_body(response), &place);
	if (r->count > first)
		reading_rest_under(r, &r->events[first], v, STR("http"));
	else
		reading_add_unknown(r, v);
}

/* ---- a value ---- */

/* The message in a wrapper; VAL_NONE when it has none. A text counts when it begins as one. */
static struct val wrapper_inner(struct val v)
{
	for (size_t i = 0; i < COUNT(wrapper_names); i++) {
		struct val inner = val_get(v, wrapper_names[i]);

		if (mcp_is_message(inner) || mcp_is_message(values_first(inner)) ||
		    (val_is(inner, JSON_STRING) && str_starts(val_raw(inner), STR("{")) &&
		     str_has(val_raw(inner), STR("jsonrpc"))))
			return inner;
	}
	return VAL_NONE;
}

/* The members of a message beside those of a wrapper, without jsonrpc. */
static bool wrapper_is_flat(struct val v)
{
	return val_is(wrapper_direction(v), JSON_STRING) && (val_is(val_get(v, STR("method")), JSON_STRING) ||
	       (val_has(v, STR("id")) && (val_has(v, STR("result")) || val_has(v, STR("error")))));
}

void mcp_read_value(struct reading *r, struct val v)
{
	struct mcp_place place = { .sender = wrapper_sender(r->prefix), .ts = wrapper_time(r, r->prefix) };
	struct val inner = val_is(v, JSON_OBJECT) ? wrapper_inner(v) : VAL_NONE;
	size_t first = r->count;

	place.connection = place.server = wrapper_server(r, r->prefix);
	if (mcp_is_message(v) || val_is(v, JSON_ARRAY)) {
		if (val_is(v, JSON_OBJECT))
			wrapper_read(r, v, &place);
		if (!wrapper_read_messages(r, v, v, &place))
			reading_add_unknown(r, v);
	} else if (!val_is_none(inner)) {
		wrapper_read(r, v, &place);
		if (!wrapper_read_body(r, inner, &place))
			reading_add_unknown(r, v);
		else
			reading_rest(r, &r->events[first], v);
	} else if (val_is(v, JSON_OBJECT) && wrapper_is_exchange(v)) {
		wrapper_read_exchange(r, v);
	} else if (val_is(v, JSON_OBJECT) && wrapper_is_flat(v)) {
		wrapper_read(r, v, &place);
		mcp_read_message(r, v, v, &place);
	} else {
		reading_add_unknown(r, v);
	}
}

int mcp_fits(struct val v)
{
	if (mcp_is_message(v) || mcp_is_message(values_first(v)))
		return 95;
	if (!val_is(v, JSON_OBJECT))
		return 0;
	if (!val_is_none(wrapper_inner(v)) || wrapper_is_exchange(v))
		return 90;
	return wrapper_is_flat(v) && (val_text_is(val_get(v, STR("method")), STR("initialize")) ||
				      val_text_is(val_get(v, STR("method")), STR("tools/call"))) ? 70 : 0;
}
