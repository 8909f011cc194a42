/* Begins and ends documents; copies chosen members of finished JSON by parsing it once more. */
#include "cmd/frame/field.h"

#include <assert.h>
#include <stdio.h>

#include "json/json.h"

void field_begin_document(struct json_writer *w, struct buf *out, enum json_layout layout, const char *what)
{
	char schema[60];
	int n = snprintf(schema, sizeof(schema), "trackway.%s/1", what);

	assert(n > 0 && (size_t)n < sizeof(schema));
	(void)n;
	json_write_init(w, out, layout);
	json_write_begin_object(w);
	json_put_word(w, "schema", schema);
}

void field_end_document(struct json_writer *w)
{
	json_write_end_object(w);
	buf_add_byte(w->out, '\n');
}

void field_put_chosen(struct json_writer *w, struct opt_maybe selected, struct str json)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 0 });
	struct val root, key, v;
	struct val_iter it;
	struct arena a;

	arena_init(&a);
	if (json_parse_copy(parser, json, &root, NULL))
		for (it = val_begin(root); val_next_member(&it, &key, &v);)
			if (val_text_is(key, STR("schema")) || opt_has_field(selected, val_text(key, &a))) {
				json_write_key(w, val_text(key, &a));
				json_write_raw(w, val_source(v));
			}
	json_parser_close(parser);
	arena_free(&a);
}
