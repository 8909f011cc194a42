/* A record is taken for a message by what it holds: the names of its members only say where to look. */
#include "dialect/exchange/frames.h"

#include "dialect/exchange/answer_stream.h"
#include "dialect/record/field.h"

#define LOOK 32 /* messages of a list that are looked at to tell whose they are */

/* What was sent or received: an object, or its text. VAL_NONE when the record does not say which way it went. */
static struct val frame_message(struct val v)
{
	static const struct str ways[] = { WORD("direction"), WORD("dir"),     WORD("opcode"),     WORD("type"),
					   WORD("from"),      WORD("from_client"), WORD("fromClient"), WORD("side") };
	static const struct str names[] = { WORD("data"), WORD("payload"), WORD("message"), WORD("msg"),
					    WORD("frame"), WORD("text"),   WORD("content"), WORD("body") };
	bool told = false;

	if (!val_is(v, JSON_OBJECT))
		return VAL_NONE;
	for (size_t i = 0; i < COUNT(ways); i++)
		told = told || val_has(v, ways[i]);
	for (size_t i = 0; told && i < COUNT(names); i++) {
		struct val message = val_get(v, names[i]);

		if (val_is(message, JSON_OBJECT) || (val_is(message, JSON_STRING) && val_raw(message).n > 1 &&
						     str_trim(val_raw(message)).p[0] == '{'))
			return message;
	}
	return VAL_NONE;
}

/* A message that is a text is told by the words of its kind, quoted as JSON in JSON is. */
int exchange_frame_fits(struct val v, const struct exchange_api *api)
{
	struct val message = api->by_socket ? frame_message(v) : VAL_NONE;
	int request, event;

	if (val_is(message, JSON_OBJECT)) {
		request = api->fits_request(message);
		event = api->fits_response(message);
		return (request > event ? request : event) >= 80 ? 80 : 0;
	}
	if (!val_is(message, JSON_STRING))
		return 0;
	for (const struct str *word = api->body_words; word->n; word++)
		if (str_has(val_raw(message), *word))
			return 75;
	return str_has(val_raw(message), STR("response.create")) ? 75 : 0;
}

void exchange_frame_read(struct reading *r, struct val v, const struct exchange_api *api)
{
	static const struct str times[] = { WORD("timestamp"), WORD("ts"), WORD("time"), WORD("t"), WORD("at") };
	struct val message = frame_message(v), inner = message;
	struct moment at = { .source = MOMENT_NONE };
	size_t from = r->count;

	if (val_is(message, JSON_STRING))
		inner = reading_parse(r, val_text(message, r->arena));
	for (size_t i = 0; i < COUNT(times) && !at.text.p; i++)
		at = reading_time(r, v, times[i]);
	if (!val_is(inner, JSON_OBJECT))
		reading_add_unknown(r, v);
	else if (api->fits_request(inner) > 0)
		api->request(r, inner);
	else
		api->stream_event(r, inner, str_of(NULL, 0));
	if (val_is(message, JSON_STRING) && !val_is_none(inner)) {
		reading_release(r, inner);
		reading_take(r, message);
	}
	for (size_t i = from; i < r->count; i++)
		if (at.text.p)
			r->events[i].ts = at;
	if (r->count > from)
		reading_rest_under(r, &r->events[from], v, STR("frame"));
}

struct val exchange_frames_of(struct val entry)
{
	static const struct str names[] = { WORD("_webSocketMessages"), WORD("webSocketMessages"),
					    WORD("websocket_messages"), WORD("ws_messages") };

	for (size_t i = 0; i < COUNT(names); i++)
		if (val_is(val_get(entry, names[i]), JSON_ARRAY))
			return val_get(entry, names[i]);
	return VAL_NONE;
}

const struct exchange_api *exchange_frames_api(struct val messages)
{
	struct val_iter it = val_begin(messages);
	struct val v;

	for (size_t n = 0; val_is(messages, JSON_ARRAY) && n < LOOK && val_next(&it, &v); n++)
		for (const struct exchange_api *const *api = exchange_apis; *api; api++)
			if (exchange_frame_fits(v, *api) > 0)
				return *api;
	return NULL;
}
