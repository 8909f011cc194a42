/* A row for each shape of error, chosen by lane and path. */
#include "replay/tape_miss.h"

#include "json/json.h"
#include "json/put.h"

#define RPC_MISS (-32070) /* of JSON-RPC: -32601 would say that the server has no such method */

static void miss_put_message(struct json_writer *w, const char *name, struct str why)
{
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, STR("replay miss: "));
	buf_add_str(&b, why);
	json_put_text(w, name, buf_str(&b));
	buf_free(&b);
}

/* ---- shapes ---- */

static int miss_openai(struct json_writer *w, const struct match_question *q, struct str why)
{
	(void)q;
	json_put_object(w, "error");
	miss_put_message(w, "message", why);
	json_put_text(w, "type", STR("invalid_request_error"));
	json_put_null(w, "param");
	json_put_text(w, "code", STR("replay_miss"));
	json_write_end_object(w);
	return 400;
}

static int miss_anthropic(struct json_writer *w, const struct match_question *q, struct str why)
{
	(void)q;
	json_put_text(w, "type", STR("error"));
	json_put_object(w, "error");
	json_put_text(w, "type", STR("invalid_request_error"));
	miss_put_message(w, "message", why);
	json_write_end_object(w);
	return 400;
}

static int miss_gemini(struct json_writer *w, const struct match_question *q, struct str why)
{
	(void)q;
	json_put_object(w, "error");
	json_put_u64(w, "code", 400);
	miss_put_message(w, "message", why);
	json_put_text(w, "status", STR("INVALID_ARGUMENT"));
	json_write_end_object(w);
	return 400;
}

static int miss_ollama(struct json_writer *w, const struct match_question *q, struct str why)
{
	(void)q;
	miss_put_message(w, "error", why);
	return 400;
}

/* A call of MCP is answered as such, with its id; what has none is no call, and only HTTP can refuse it. */
static int miss_mcp(struct json_writer *w, const struct match_question *q, struct str why)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct val v = VAL_NONE, id = VAL_NONE;

	if (q->body.n && json_parse_copy(p, q->body, &v, NULL))
		id = val_get(v, STR("id"));
	json_put_text(w, "jsonrpc", STR("2.0"));
	if (val_is(id, JSON_STRING) || val_is(id, JSON_NUMBER))
		json_put_raw(w, "id", val_source(id));
	else
		json_put_null(w, "id");
	json_put_object(w, "error");
	json_put_i64(w, "code", RPC_MISS);
	miss_put_message(w, "message", why);
	json_put_object(w, "data");
	json_put_text(w, "replay_miss", why);
	json_write_end_object(w);
	json_write_end_object(w);
	json_parser_close(p);
	return val_is_none(id) ? 400 : 200;
}

/* ---- by whom ---- */

struct shape {
	const char *part; /* of the target */
	int (*put)(struct json_writer *w, const struct match_question *q, struct str why);
};

/* The first that fits. OpenRouter has the APIs of others below /api/v1. */
static const struct shape shapes[] = {
	{ "/v1/messages", miss_anthropic }, { "/v1/complete", miss_anthropic }, { "enerateContent", miss_gemini },
	{ "mbedContent", miss_gemini },     { ":countTokens", miss_gemini },    { "/v1beta/", miss_gemini },
	{ "/api/v1/", miss_openai },        { "/api/", miss_ollama },           { "", miss_openai },
};

/* Paths of OpenAI that begin as others' do. */
static bool miss_is_openai(struct str path)
{
	return str_ends(path, STR("/completions")) || str_ends(path, STR("/responses")) ||
	       str_has(path, STR("/openai/"));
}

static const struct shape *miss_find_shape(const struct match_question *q)
{
	static const struct shape mcp = { "", miss_mcp }, openai = { "", miss_openai };
	struct str query, path = str_cut(q->target, '?', &query);

	if (str_starts(q->lane, STR("mcp")))
		return &mcp;
	if (miss_is_openai(path))
		return &openai;
	for (size_t i = 0; i + 1 < COUNT(shapes); i++)
		if (str_has(path, str_from(shapes[i].part)))
			return &shapes[i];
	return &shapes[COUNT(shapes) - 1];
}

int tape_miss_add(struct buf *out, const struct match_question *q, struct str why)
{
	struct json_writer w;
	int status;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	status = miss_find_shape(q)->put(&w, q, why);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
	return status;
}

void tape_miss_add_event(struct buf *out, struct str why)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "type", STR("error"));
	json_put_u64(&w, "status", 400);
	json_put_object(&w, "error");
	json_put_text(&w, "type", STR("invalid_request_error"));
	json_put_text(&w, "code", STR("replay_miss"));
	miss_put_message(&w, "message", why);
	json_put_null(&w, "param");
	json_write_end_object(&w);
	json_write_end_object(&w);
}
