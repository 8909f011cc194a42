/* Exact bytes, as a body of an exchange has them: as JSON where they are, else as text, else in base64. */
#include "capture/mcp/mcp_tape.h"

#include "base/crypto/hex.h"
#include "capture/cassette.h"
#include "json/put.h"

void mcp_tape_add(struct buf *out, const struct mcp_tape *t)
{
	struct str body = t->message;
	struct json_writer w;
	char instance[16];

	hex_format(instance, &t->instance, sizeof(t->instance));
	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "lane", STR("mcp"));
	json_put_text(&w, "server", t->server);
	json_put_text(&w, "instance", str_of(instance, sizeof(instance)));
	json_put_word(&w, "from", t->sender == MCP_SERVER ? "server" : "client");
	json_put_i64(&w, "t_us", t->ns / 1000);
	json_put_i64(&w, "delay_us", t->before_ns >= 0 && t->ns > t->before_ns ? (t->ns - t->before_ns) / 1000 : 0);
	if (body.p && body.n > MCP_TAPE_MOST)
		body = str_of(NULL, body.n);
	cassette_put_body(&w, body);
	if (t->progress_count) {
		json_put_array(&w, "progress_us");
		for (size_t i = 0; i < t->progress_count; i++)
			json_write_i64(&w, t->progress[i]);
		json_write_end_array(&w);
	}
	json_write_end_object(&w);
}
