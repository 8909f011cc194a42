/* A message is turned into the body that plain HTTP would have: input joined, what only sockets have left out. */
#include "provider/mock_socket_ask.h"

#include "dialect/record/field.h"
#include "json/put.h"

#define ITEMS_MOST ((size_t)8 << 20) /* bytes of a conversation that are kept */

void mock_asked_free(struct mock_asked *a)
{
	buf_free(&a->body);
	buf_free(&a->items);
}

static const struct mock_told *find_told(const struct mock_tellings *t, struct str id)
{
	for (size_t i = 0; i < MOCK_TOLD; i++)
		if (t->told[i].id_size && str_eq(str_of(t->told[i].id, t->told[i].id_size), id))
			return &t->told[i];
	return NULL;
}

void mock_tellings_add(struct mock_tellings *t, struct str id, struct str items)
{
	struct mock_told *to = &t->told[t->next];

	if (id.n == 0 || id.n > MOCK_TOLD_ID)
		return;
	t->next = (t->next + 1) % MOCK_TOLD;
	memcpy(to->id, id.p, id.n);
	to->id_size = id.n;
	buf_clear(&to->items);
	if (items.n <= ITEMS_MOST)
		buf_add_str(&to->items, items);
}

void mock_tellings_free(struct mock_tellings *t)
{
	for (size_t i = 0; i < MOCK_TOLD; i++)
		buf_free(&t->told[i].items);
}

static enum mock_ask refuse(struct mock_asked *out, const char *code, const char *why)
{
	out->code = code;
	out->why = why;
	return MOCK_ASK_BAD;
}

/* The input's own items behind those that were told before. A text is what a user says. */
static void add_items(struct mock_asked *out, struct val input)
{
	struct val_iter it = val_begin(input);
	struct val item;

	if (val_is(input, JSON_STRING)) {
		buf_add_str(&out->items, out->items.n ? STR(",") : STR(""));
		buf_add_str(&out->items, STR("{\"role\":\"user\",\"content\":"));
		buf_add_str(&out->items, val_source(input));
		buf_add_byte(&out->items, '}');
	}
	while (val_is(input, JSON_ARRAY) && val_next(&it, &item)) {
		buf_add_str(&out->items, out->items.n ? STR(",") : STR(""));
		buf_add_str(&out->items, val_source(item));
	}
}

/* Members that only messages have, and those that are put again. */
static bool mock_socket_is_left_out(struct val key)
{
	static const struct str names[] = { WORD("type"), WORD("stream"), WORD("input"),
					    WORD("generate"), WORD("previous_response_id") };

	for (size_t i = 0; i < COUNT(names); i++)
		if (val_text_is(key, names[i]))
			return true;
	return false;
}

static void mock_socket_ask_compose(struct mock_asked *out, struct val v, struct arena *a)
{
	struct val_iter it = val_begin(v);
	struct json_writer w;
	struct val key, one;

	json_write_init(&w, &out->body, JSON_COMPACT);
	json_write_begin_object(&w);
	while (val_next_member(&it, &key, &one)) {
		if (mock_socket_is_left_out(key))
			continue;
		json_write_key(&w, val_text(key, a));
		json_write_raw(&w, val_source(one));
	}
	json_put_bool(&w, "stream", true);
	json_put_raw(&w, "input", ARENA_JOIN(a, STR("["), buf_str(&out->items), STR("]")));
	json_write_end_object(&w);
}

enum mock_ask mock_socket_ask(const struct mock_tellings *t, struct json_parser *p, struct arena *a,
			      struct str message, struct mock_asked *out)
{
	const struct mock_told *before = NULL;
	struct val v, previous;

	buf_clear(&out->body);
	buf_clear(&out->items);
	if (!json_parse_copy(p, message, &v, NULL) || !val_is(v, JSON_OBJECT))
		return refuse(out, "invalid_json", "a message must be a JSON object");
	if (!val_text_is(val_get(v, STR("type")), STR("response.create")))
		return refuse(out, "invalid_type", "only messages of the type response.create are known");
	if (val_is(val_get(v, STR("response")), JSON_OBJECT))
		v = val_get(v, STR("response"));
	previous = val_get(v, STR("previous_response_id"));
	if (val_is(previous, JSON_STRING)) {
		before = find_told(t, val_text(previous, a));
		if (!before)
			return refuse(out, "previous_response_not_found", "no answer of this socket has this id");
		buf_add_str(&out->items, buf_str(&before->items));
	}
	out->model = val_is(val_get(v, STR("model")), JSON_STRING) ? val_text(val_get(v, STR("model")), a)
								    : STR("mock");
	out->model = arena_copy(a, out->model);
	add_items(out, val_get(v, STR("input")));
	if (val_is(val_get(v, STR("generate")), JSON_FALSE))
		return MOCK_ASK_PREWARM;
	mock_socket_ask_compose(out, v, a);
	return MOCK_ASK_ANSWER;
}
