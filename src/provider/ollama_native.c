/* Ollama's own API. */
#include "json/put.h"
#include "provider/provider_row.h"

/* It knows three levels. */
static void put_think(struct json_writer *w, struct str thinking)
{
	json_put_text(w, "think", str_eq(thinking, STR("xhigh")) ? STR("high") : thinking);
}

static void request(const struct provider_question *q, struct str key, struct provider_request *out)
{
	struct json_writer w;

	provider_add_bearer(out, key);
	json_write_init(&w, out->body, JSON_COMPACT);
	json_write_begin_object(&w);
	provider_put_chat(&w, q);
	if (q->thinking.p)
		put_think(&w, q->thinking);
	json_put_object(&w, "options");
	json_put_double(&w, "temperature", q->temperature >= 0 ? q->temperature : 0);
	if (q->max_tokens)
		json_put_u64(&w, "num_predict", q->max_tokens);
	json_write_end_object(&w);
	json_put_bool(&w, "stream", !q->whole);
	json_write_end_object(&w);
}

/* Whether an address without a scheme names a port. The colons of an IPv6 address are inside brackets. */
static bool has_port(struct str host)
{
	for (size_t i = host.n; i-- > 0 && host.p[i] != ']';)
		if (host.p[i] == ':')
			return true;
	return false;
}

/* What OLLAMA_HOST may be: a host, host:port, :port or an address. What a server listens on is no place to call. */
static struct str base(struct arena *a, struct str given)
{
	struct str path, host, port = { NULL, 0 };

	if (given.n >= 2 && (given.p[0] == '"' || given.p[0] == '\'') && given.p[given.n - 1] == given.p[0])
		given = str_trim(str_of(given.p + 1, given.n - 2));
	if (str_find(given, STR("://")) != (size_t)-1)
		return given;
	host = str_cut(given, '/', &path);
	if (!has_port(host))
		port = STR(":11434");
	if (host.n == 0 || host.p[0] == ':')
		host = ARENA_JOIN(a, STR("localhost"), host);
	else if (str_starts(host, STR("0.0.0.0")))
		host = ARENA_JOIN(a, STR("127.0.0.1"), str_of(host.p + 7, host.n - 7));
	return ARENA_JOIN(a, STR("http://"), host, port, path.n ? STR("/") : STR(""), path);
}

const struct provider provider_ollama_native = {
	.name = "ollama_native",
	.vendor = "ollama",
	.about = "Ollama's own API",
	.base_env = "OLLAMA_HOST",
	.base_usual = "http://localhost:11434",
	.base = base,
	.thinks = true,
	.api = &ollama_api,
	.path = "/api/chat",
	.request = request,
};
