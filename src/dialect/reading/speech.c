/* A list is measured first, so that its texts are copied once. */
#include "dialect/reading/speech.h"

#include "dialect/writing.h"

/* The text of a block that has one. */
static struct val speech_text_of(struct val block)
{
	struct val text = val_get(block, STR("text"));

	return val_is(text, JSON_STRING) ? text : VAL_NONE;
}

/* `size` is room for all texts as they stand, escaped, and a line end for each: unescaping only shortens. */
static struct str speech_join(struct arena *a, struct val list, size_t size)
{
	char *text = arena_array(a, char, size + 1);
	struct val_iter it = val_begin(list);
	struct val block;
	size_t n = 0;

	for (bool first = true; val_next(&it, &block); first = false) {
		struct str piece = val_text(speech_text_of(block), a);

		if (!first)
			text[n++] = '\n';
		if (piece.n)
			memcpy(text + n, piece.p, piece.n);
		n += piece.n;
	}
	return str_of(text, n);
}

struct str speech_text(struct arena *a, struct json_parser *p, struct str json, bool *whole)
{
	struct val list, block;
	struct val_iter it;
	size_t size = 0;
	bool texts;

	if (whole)
		*whole = json.n == 0 || json.p[0] == '"';
	if (json.n == 0 || json.p[0] != '[')
		return writing_plain(a, json);
	list = writing_parse(p, json);
	it = val_begin(list);
	texts = val_is(list, JSON_ARRAY) && val_count(list) > 0;
	while (texts && val_next(&it, &block)) {
		texts = !val_is_none(speech_text_of(block));
		size += texts ? val_raw(speech_text_of(block)).n + 1 : 0;
	}
	return texts ? speech_join(a, list, size) : json;
}
