#include "dialect/otutl.h"
#include "dialect/otutl_field.h"

#define LINES 8 /* looked at, blank ones not counted */

bool otutl_is_record(struct val v)
{
	struct val type = val_get(v, STR("type"));
	bool known = false;

	for (size_t i = OTUTL_OTHER + 1; i < OTUTL_TYPES && val_is(type, JSON_STRING); i++)
		known = known || val_text_is(type, otutl_type_name((enum otutl_type)i));
	return known && !val_is_none(val_get(v, STR("run_id"))) && !val_is_none(val_get(v, STR("seq")));
}

struct json_parser *otutl_detect_open(void)
{
	/* it is for the scan to find fault with these */
	return json_parser_open((struct json_options){
		.max_depth = JSON_DEPTH_MAX,
		.allow_duplicates = true,
		.allow_lone = true,
		.allow_bom = true,
	});
}

/* The part of the text that decides, so that a large chunk is not read twice. */
static struct str first_lines(struct str text)
{
	size_t lines = 0, at = 0;

	while (lines < LINES && at < text.n) {
		const char *end = memchr(text.p + at, '\n', text.n - at);
		size_t n = end ? (size_t)(end - text.p) + 1 - at : text.n - at;

		lines += str_trim(str_of(text.p + at, n)).n > 0;
		at += n;
	}
	return str_of(text.p, at);
}

bool otutl_detect(struct json_parser *parser, struct str text)
{
	struct json_lines lines;
	struct json_record line;
	enum json_line kind;

	json_lines_begin(&lines, parser, first_lines(text), 1);
	while ((kind = json_lines_next(&lines, &line, NULL)) != JSON_LINE_END)
		if (kind == JSON_LINE_VALUE && val_is(line.value, JSON_OBJECT) && otutl_is_record(line.value))
			return true;
	return false;
}
