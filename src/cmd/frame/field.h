/*
 * Members of a command's JSON that --json=FIELDS may leave out: each function writes the member when it is wanted, as
 * json/put.h does, and nothing otherwise. Larger values begin with report_begin_field.
 */
#ifndef CMD_FRAME_FIELD_H
#define CMD_FRAME_FIELD_H

#include "cmd/frame/opt.h"
#include "json/put.h"

static inline void field_put_u64(struct json_writer *w, struct opt_maybe selected, const char *name, uint64_t v)
{
	if (opt_has_field(selected, str_from(name)))
		json_put_u64(w, name, v);
}

static inline void field_put_double(struct json_writer *w, struct opt_maybe selected, const char *name, double v)
{
	if (opt_has_field(selected, str_from(name)))
		json_put_double(w, name, v);
}

static inline void field_put_bool(struct json_writer *w, struct opt_maybe selected, const char *name, bool v)
{
	if (opt_has_field(selected, str_from(name)))
		json_put_bool(w, name, v);
}

static inline void field_put_text(struct json_writer *w, struct opt_maybe selected, const char *name, struct str text)
{
	if (opt_has_field(selected, str_from(name)))
		json_put_text(w, name, text);
}

static inline void field_put_text_or_null(struct json_writer *w, struct opt_maybe selected, const char *name,
					  struct str text)
{
	if (opt_has_field(selected, str_from(name)))
		json_put_text_or_null(w, name, text);
}

static inline void field_put_word(struct json_writer *w, struct opt_maybe selected, const char *name, const char *word)
{
	if (opt_has_field(selected, str_from(name)))
		json_put_word(w, name, word);
}

static inline void field_put_digest(struct json_writer *w, struct opt_maybe selected, const char *name, struct digest d)
{
	if (opt_has_field(selected, str_from(name)))
		json_put_digest(w, name, d);
}

/*
 * Begins the JSON document of a command: an object whose first member is "schema":"trackway.<what>/1". `out` must live
 * until field_end_document, which closes the object and adds a newline. `what` has at most 48 characters.
 */
void field_begin_document(struct json_writer *w, struct buf *out, enum json_layout layout, const char *what);
void field_end_document(struct json_writer *w);

/*
 * Copies the wanted members of an object, as they are spelled in `json`, and its schema, which is always there. Writes
 * nothing when `json` is no object.
 */
void field_put_chosen(struct json_writer *w, struct opt_maybe selected, struct str json);

#endif
