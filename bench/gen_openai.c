/*
 * Exchanges with OpenAI's chat completions, as a recording proxy keeps them: a line for each, the request with the
 * whole conversation so far, the response after it. A file is one conversation of an agent.
 */
#include "gen.h"

#include <string.h>

static const char *const tools[] = { "run_shell", "read_file", "write_file", "search" };
static const char *const models[] = { "gpt-4o-2024-08-06", "gpt-4.1-2025-04-14", "gpt-5-mini-2025-08-07" };

#define TOOL(name, what, members)                                                                                  \
	"{\"type\":\"function\",\"function\":{\"name\":\"" name "\",\"description\":\"" what "\",\"parameters\":" \
	"{\"type\":\"object\",\"properties\":{" members "}}}}"
#define TEXT(name) "\"" name "\":{\"type\":\"string\"}"

static const char offered[] = "["
	TOOL("run_shell", "Runs a command.", TEXT("command")) ","
	TOOL("read_file", "Reads a file.", TEXT("path") "," TEXT("query")) ","
	TOOL("write_file", "Writes a file.", TEXT("path") "," TEXT("text")) ","
	TOOL("search", "Searches the project.", TEXT("query")) "]";

static void token(struct gen *g, const char *key, const char *value)
{
	gen_key(g, key);
	gen_string(g, value);
}

static void number(struct gen *g, const char *key, uint64_t value)
{
	gen_key(g, key);
	gen_uint(g, value);
}

static void nothing(struct gen *g, const char *key)
{
	gen_key(g, key);
	gen_raw(g, "null");
}

/* Remembers what was written since `begin` as the next message of the conversation. */
static void remember(struct gen *g, const char *begin)
{
	size_t n = (size_t)(g->at - begin);

	if (g->history_n + n + 2 > GEN_HISTORY_MAX)
		return;
	if (g->history_n)
		g->history[g->history_n++] = ',';
	memcpy(g->history + g->history_n, begin, n);
	g->history_n += n;
}

/* Messages are made at the end of the line, where the next line begins, and taken from there. */
static void say(struct gen *g, const char *role, size_t low, size_t high)
{
	char *begin = g->at;

	gen_open(g, '{');
	token(g, "role", role);
	gen_key(g, "content");
	gen_text(g, GEN_PROSE, low, high);
	gen_close(g, '}');
	remember(g, begin);
	g->at = begin;
}

static void begin_conversation(struct gen *g)
{
	g->clock_us += 1000000 + gen_below(g, 600000000);
	gen_make_id(g, g->run_id);
	g->left = 4 + gen_below(g, 24);
	g->model = (unsigned)gen_below(g, sizeof(models) / sizeof(models[0]));
	g->history_n = g->calls = 0;
	g->context = 900;
	g->begins = true;
	say(g, "system", 900, 3000);
	say(g, "user", 100, 2000);
}

static void call(struct gen *g, size_t i)
{
	const char *tool = GEN_PICK(g, tools);
	char *begin;

	gen_make_token(g, g->call_ids[i], "call_");
	gen_element(g);
	gen_open(g, '{');
	token(g, "id", g->call_ids[i]);
	token(g, "type", "function");
	gen_key(g, "function");
	gen_open(g, '{');
	token(g, "name", tool);
	gen_key(g, "arguments");
	begin = g->at;
	gen_open(g, '{');
	if (strcmp(tool, "write_file") == 0) {
		token(g, "path", "src/new.py");
		gen_key(g, "text");
		gen_text(g, GEN_CODE, 300, 3000);
	} else {
		gen_key(g, strcmp(tool, "run_shell") == 0 ? "command" : "query");
		gen_text(g, GEN_CODE, 40, 400);
	}
	gen_close(g, '}');
	gen_quote_since(g, begin);
	gen_close(g, '}');
	gen_close(g, '}');
}

/* The message of the assistant; the calls in it are answered before the next request. */
static void message(struct gen *g)
{
	char *begin = g->at;

	gen_open(g, '{');
	token(g, "role", "assistant");
	gen_key(g, "content");
	if (g->calls && gen_chance(g, 60))
		gen_raw(g, "null");
	else
		gen_text(g, GEN_PROSE, 80, 1500);
	if (g->calls) {
		gen_key(g, "tool_calls");
		gen_open(g, '[');
		for (size_t i = 0; i < g->calls; i++)
			call(g, i);
		gen_close(g, ']');
	}
	nothing(g, "refusal");
	gen_close(g, '}');
	remember(g, begin);
}

static void answer_calls(struct gen *g)
{
	for (size_t i = 0; i < g->calls; i++) {
		char *begin = g->at;

		gen_open(g, '{');
		token(g, "role", "tool");
		token(g, "tool_call_id", g->call_ids[i]);
		gen_key(g, "content");
		gen_text(g, GEN_LISTING, 200, 5000);
		gen_close(g, '}');
		remember(g, begin);
		g->at = begin;
	}
	if (g->calls == 0)
		say(g, "user", 60, 800);
}

static void request(struct gen *g)
{
	gen_key(g, "request");
	gen_open(g, '{');
	token(g, "method", "POST");
	token(g, "url", "https://api.openai.com/v1/chat/completions");
	gen_key(g, "body");
	gen_open(g, '{');
	token(g, "model", models[g->model]);
	gen_key(g, "messages");
	gen_open(g, '[');
	gen_bytes(g, g->history, g->history_n);
	gen_close(g, ']');
	gen_key(g, "tools");
	gen_raw(g, offered);
	token(g, "tool_choice", "auto");
	gen_key(g, "stream");
	gen_bool(g, false);
	gen_close(g, '}');
	gen_close(g, '}');
}

static void usage(struct gen *g)
{
	uint64_t out = gen_magnitude(g, 2, 4), cached = g->context / 128 * 128;

	g->context += gen_magnitude(g, 3, 4);
	gen_key(g, "usage");
	gen_open(g, '{');
	number(g, "prompt_tokens", g->context);
	number(g, "completion_tokens", out);
	number(g, "total_tokens", g->context + out);
	gen_key(g, "prompt_tokens_details");
	gen_open(g, '{');
	number(g, "cached_tokens", cached);
	number(g, "audio_tokens", 0);
	gen_close(g, '}');
	gen_key(g, "completion_tokens_details");
	gen_open(g, '{');
	number(g, "reasoning_tokens", 0);
	number(g, "audio_tokens", 0);
	gen_close(g, '}');
	gen_close(g, '}');
}

static void body(struct gen *g)
{
	gen_make_token(g, g->message_id, "chatcmpl-");
	gen_key(g, "body");
	gen_open(g, '{');
	token(g, "id", g->message_id);
	token(g, "object", "chat.completion");
	number(g, "created", g->clock_us / 1000000);
	token(g, "model", models[g->model]);
	gen_key(g, "choices");
	gen_raw(g, "[{");
	g->first = true;
	number(g, "index", 0);
	gen_key(g, "message");
	message(g);
	nothing(g, "logprobs");
	token(g, "finish_reason", g->calls ? "tool_calls" : "stop");
	gen_raw(g, "}]");
	usage(g);
	token(g, "service_tier", "default");
	token(g, "system_fingerprint", "fp_50cad350e4");
	gen_close(g, '}');
}

static void response(struct gen *g)
{
	gen_make_token(g, g->request_id, "req_");
	gen_key(g, "response");
	gen_open(g, '{');
	number(g, "status", 200);
	gen_key(g, "headers");
	gen_open(g, '{');
	token(g, "content-type", "application/json");
	token(g, "x-request-id", g->request_id);
	gen_close(g, '}');
	body(g);
	gen_close(g, '}');
}

void gen_openai(struct gen *g)
{
	if (g->left == 0 || g->history_n > GEN_HISTORY_MAX / 2)
		begin_conversation(g);
	else
		answer_calls(g);
	g->left--;
	g->calls = g->left == 0 || gen_chance(g, 10) ? 0 : gen_chance(g, 80) ? 1 : 2;
	g->clock_us += gen_magnitude(g, 6, 7);
	gen_open(g, '{');
	request(g);
	response(g);
	gen_close(g, '}');
}
