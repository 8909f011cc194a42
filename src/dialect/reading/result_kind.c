/* Tells text, JSON, image and binary results apart. */
#include "dialect/reading/result_kind.h"

#include "dialect/writing.h"

static bool result_has_word(struct str text, const char *word)
{
	return str_has(text, str_from(word));
}

/* A whole text that is one object or array. */
static bool result_is_container(struct json_parser *p, struct str text)
{
	struct val v;

	text = str_trim(text);
	if (text.n < 2 || !((text.p[0] == '{' && text.p[text.n - 1] == '}') ||
			    (text.p[0] == '[' && text.p[text.n - 1] == ']')))
		return false;
	return json_parse_copy(p, text, &v, NULL);
}

/* Of a list of blocks. NULL when it is none: {"type":"text","text":...} and {"type":"image",...} are blocks. */
static const char *result_kind_of_blocks(struct json_parser *p, struct arena *scratch, struct str json)
{
	struct val list = writing_parse(p, json), block;
	struct val_iter it = val_begin(list);
	struct str text = { NULL, 0 };
	bool image = false, other = false;
	size_t texts = 0;

	while (val_is(list, JSON_ARRAY) && val_next(&it, &block)) {
		struct val type = val_get(block, STR("type")), said = val_get(block, STR("text"));

		image = image || (val_is(type, JSON_STRING) && result_has_word(val_raw(type), "image"));
		other = other || !val_is(type, JSON_STRING) || !val_is(said, JSON_STRING);
		if (texts++ == 0 && val_is(said, JSON_STRING))
			text = val_text(said, scratch);
	}
	if (image)
		return "image";
	if (other || texts == 0)
		return NULL;
	return texts == 1 && result_is_container(p, arena_copy(scratch, text)) ? "json" : "text";
}

/* Media types decide before the content. */
const char *result_kind(struct json_parser *p, struct arena *scratch, const struct event *e)
{
	const char *kind;

	if (e->media.n > 2)
		return result_has_word(e->media, "\"image/") ? "image" : "binary";
	if (e->content.n == 0 || str_eq(e->content, STR("null")))
		return NULL;
	if (e->content.p[0] == '"')
		return result_is_container(p, writing_plain(scratch, e->content)) ? "json" : "text";
	kind = e->content.p[0] == '[' ? result_kind_of_blocks(p, scratch, e->content) : NULL;
	return kind ? kind : "json";
}
