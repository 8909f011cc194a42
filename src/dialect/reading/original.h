/*
 * What an event kept of the record it was read from (its extra of the format), on its way back into such a record.
 * Names that begin with '#' are notes of the reader's, and no members of the record.
 */
#ifndef DIALECT_READING_ORIGINAL_H
#define DIALECT_READING_ORIGINAL_H

#include "json/json.h"
#include "json/write.h"
#include "model/event.h"

/*
 * What the event kept under this key, VAL_NONE when nothing; lasts until the parser is used again. Numbers that became
 * texts because no double holds them are numbers again.
 */
struct val original_rest(struct json_parser *p, const struct event *e, const char *key, struct arena *a);

/*
 * The same for a payload: `member` is "args" or whatever the record calls it. The text lives in the arena. That is
 * `json` itself where it has no big numbers. The parser is used: what it gave before is gone then.
 */
struct str original_payload(struct json_parser *p, const struct event *e, const char *member, struct str json,
			    struct arena *a);

/*
 * A result that the assembler made something else of, because no call waited for it: as it came, its texts in the
 * arena. False when e is none, and then *out is untouched.
 */
bool original_result(struct json_parser *p, const struct event *e, struct event *out, struct arena *a);

/* The member as it was; false, and nothing written, when it was not kept. */
bool original_copy(struct json_writer *j, struct val rest, struct str name);

/* The same, with a text (absent: nothing), figure or amount of the model instead when it was not kept. */
void original_text(struct json_writer *j, struct val rest, struct str name, struct str text);
void original_figure(struct json_writer *j, struct val rest, struct str name, struct figure f);
void original_amount(struct json_writer *j, struct val rest, struct str name, struct amount a);

/* Every member that is none of the names. */
void original_others(struct json_writer *j, struct val rest, const struct str *names, size_t count, struct arena *a);

/*
 * A note of the reader's: its text as it stands, or p NULL when there is none or it is no string. It lasts as long as
 * `rest`.
 */
struct str original_note(struct val rest, struct str name);

#endif
