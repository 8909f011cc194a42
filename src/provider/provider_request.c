/* Parts of requests that several APIs share. */
#include "provider/provider_row.h"

void provider_add_bearer(struct provider_request *out, struct str key)
{
	if (key.n)
		out->headers[out->header_count++] = (struct http_header){
			STR("Authorization"), ARENA_JOIN(out->arena, STR("Bearer "), key),
		};
}

static void put_message(struct json_writer *w, struct str role, struct str text)
{
	json_write_begin_object(w);
	json_write_key(w, STR("role"));
	json_write_string(w, role);
	json_write_key(w, STR("content"));
	json_write_string(w, text);
	json_write_end_object(w);
}

void provider_put_chat(struct json_writer *w, const struct provider_question *q)
{
	json_write_key(w, STR("model"));
	json_write_string(w, q->model);
	json_write_key(w, STR("messages"));
	json_write_begin_array(w);
	put_message(w, STR("system"), q->system.p ? q->system : STR(PROVIDER_SYSTEM));
	put_message(w, STR("user"), q->prompt);
	json_write_end_array(w);
}
