/* Parts of requests that several APIs share. */
#include <assert.h>

#include "json/put.h"
#include "provider/provider_row.h"

void provider_add_bearer(struct provider_request *out, struct str key)
{
	assert(out->header_count < PROVIDER_HEADERS);
	if (key.n)
		out->headers[out->header_count++] = (struct http_header){
			STR("Authorization"), ARENA_JOIN(out->arena, STR("Bearer "), key),
		};
}

static void put_message(struct json_writer *w, struct str role, struct str text)
{
	json_write_begin_object(w);
	json_put_text(w, "role", role);
	json_put_text(w, "content", text);
	json_write_end_object(w);
}

void provider_put_chat(struct json_writer *w, const struct provider_question *q)
{
	json_put_text(w, "model", q->model);
	json_put_array(w, "messages");
	put_message(w, STR("system"), q->system.p ? q->system : STR(PROVIDER_SYSTEM));
	put_message(w, STR("user"), q->prompt);
	json_write_end_array(w);
}
