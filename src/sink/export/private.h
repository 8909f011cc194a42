/* What the formats share: names that are safe to show, times since the start of a run, lanes. */
#ifndef SINK_EXPORT_PRIVATE_H
#define SINK_EXPORT_PRIVATE_H

#include "sink/export/export.h"

#define EXPORT_NAME_MAX 120 /* bytes of a name in a drawing; longer ones are cut */
#define EXPORT_NO_PARENT "edges from nodes that are not in the trace" /* a loss */

bool export_dot(struct export *x, const struct trace_list *runs, struct err *err);

/* Whether a text can stand as it is: UTF-8 without control characters, and no longer than a name may be. */
bool export_is_plain(struct str text);

/* The characters of a name, one after the other, until it is over or EXPORT_NAME_MAX is reached. */
struct export_chars {
	struct str left;
	size_t room;
};

struct export_chars export_chars_of(struct str name);

/*
 * The next character, as UTF-8: what controls something, is ill-formed or deceives becomes U+FFFD, a line end a space,
 * and what is cut off an ellipsis. p is NULL at the end.
 */
struct str export_next_char(struct export_chars *c);

/* What a drawing calls a node: the model, the tool, else its kind. */
struct str export_label_of(const struct trace_entry *e);

/* "8192->150 tok", estimated figures with ~, "" when neither is known. `out` is a buffer to add to. */
void export_add_tokens(struct buf *out, const struct trace_entry *e);

/* "run 0192f3a8": the first eight characters of its id, or its number among the runs when it has none. */
struct str export_title_of(struct export *x, const struct trace *t, size_t number);

#endif
