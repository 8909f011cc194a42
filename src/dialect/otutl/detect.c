/* Whether a file is an OTUTL log, by the first lines of it that can be read. */
#include "dialect/dialect.h"
#include "dialect/otutl/field.h"
#include "dialect/otutl/otutl.h"

bool otutl_is_record(struct val v)
{
	struct val type = val_get(v, STR("type"));
	bool known = false;

	for (size_t i = OTUTL_OTHER + 1; i < OTUTL_TYPES && val_is(type, JSON_STRING); i++)
		known = known || val_text_is(type, otutl_type_name((enum otutl_type)i));
	return known && val_has(v, STR("run_id")) && val_has(v, STR("seq"));
}

struct json_parser *otutl_detect_open(void)
{
	return dialect_detect_open();
}

bool otutl_detect(struct json_parser *parser, struct str text)
{
	struct json_lines lines;
	struct json_record line;
	enum json_line kind;

	json_lines_begin(&lines, parser, dialect_head(text), 1);
	while ((kind = json_lines_next(&lines, &line, NULL)) != JSON_LINE_END)
		if (kind == JSON_LINE_VALUE && val_is(line.value, JSON_OBJECT) && otutl_is_record(line.value))
			return true;
	return false;
}
