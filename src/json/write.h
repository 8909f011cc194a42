/*
 * A writer: values in, JSON text out, added to a buffer that the caller owns. Commas, colons and
 * spacing come by themselves; what the caller writes in the wrong order is a mistake of ours and is
 * asserted. A struct json_writer lies where the caller puts it and needs no freeing.
 *
 * The text is always valid: bytes that are not UTF-8 become U+FFFD, and a double that is not finite
 * becomes null. Escaped is what must be, and what a terminal or a script could act upon: DEL, the
 * control characters from U+0080 on, U+2028 and U+2029. That is not the canonical form: see canon.h.
 */
#ifndef JSON_WRITE_H
#define JSON_WRITE_H

#include "base/buf.h"

#define JSON_WRITE_DEPTH 128 /* containers that may be open at once */

enum json_layout {
	JSON_COMPACT, /* no white space at all */
	JSON_PRETTY,  /* one member or element per line, indented by two spaces; no newline at the end */
};

struct json_writer {
	struct buf *out;
	enum json_layout layout;
	unsigned depth;
	bool started; /* the innermost container, or the document, has something in it */
	bool named;   /* a name awaits its value */
	uint64_t objects[JSON_WRITE_DEPTH / 64]; /* a bit per open container */
};

/*
 * A writer of one value, which is added to `out`. Call it again for another value. Nothing has to be freed, also when
 * the value is given up half-way.
 */
void json_write_init(struct json_writer *w, struct buf *out, enum json_layout layout);

/*
 * Containers, at most JSON_WRITE_DEPTH of them in each other. Each begin wants its own end; an end of the other kind,
 * or while a name waits for its value, is a mistake of ours and asserted.
 */
void json_write_begin_object(struct json_writer *w);
void json_write_end_object(struct json_writer *w);
void json_write_begin_array(struct json_writer *w);
void json_write_end_array(struct json_writer *w);

/* The name of the member whose value is written next. Any bytes. */
void json_write_key(struct json_writer *w, struct str name);

/* The same for a name of our own tables: nothing in it needs an escape, so it is not looked at. */
void json_write_own_key(struct json_writer *w, struct str name);

/* A scalar: an element, the value of the name before it, or the whole. Ill-formed UTF-8 becomes U+FFFD. */
void json_write_string(struct json_writer *w, struct str text);
void json_write_u64(struct json_writer *w, uint64_t v);
void json_write_i64(struct json_writer *w, int64_t v);
void json_write_double(struct json_writer *w, double v); /* the shortest text that reads back; null if not finite */
void json_write_bool(struct json_writer *w, bool v);
void json_write_null(struct json_writer *w);

/* One value that is JSON already, as it stands; it is not checked, and may not be empty. */
void json_write_raw(struct json_writer *w, struct str json);

/* Whether the value is complete. */
bool json_write_is_done(const struct json_writer *w);

/* A string with its quotes, for those who build text without a writer. */
void json_write_quoted(struct buf *out, struct str text);

#endif
