/*
 * Writing events in a format. A writer gets finished events, one run after the other (model/assemble.h says what
 * that promises), adds bytes to `out` as soon as it can, and says what it had to leave out. It keeps no more than
 * what is open. What the source had beyond the model comes in the events' extras: a writer of the same format
 * puts it back where it was, so that a round trip through OTUTL gives back every field.
 */
#ifndef DIALECT_WRITING_H
#define DIALECT_WRITING_H

#include "base/buf.h"
#include "base/id.h"
#include "dialect/values.h"
#include "json/json.h"
#include "model/event.h"

struct losses; /* what could not be held: names and how often */

struct writing {
	struct buf *out;       /* the caller empties it */
	struct losses *losses; /* NULL when nobody asks */
	const char *variant;   /* "openai", "anthropic", "canonical" for a conversation; "anew" for a trace whose */
			       /* nodes are not to be kept as another trace had them; otherwise NULL */
	struct str source_format; /* "claude-code" */
	struct str source_sha256; /* hex of the file, p NULL when it is not known */
	bool chunks;           /* write the pieces of results, where the format has them */
	bool single;           /* the runs of this output belong together (several in one file) */
};

/* A list of losses, until losses_close, which takes NULL too. A NULL list takes every loss and keeps none. */
struct losses *losses_open(void);
void losses_close(struct losses *l);
void losses_add(struct losses *l, const char *what); /* a constant: "usage.reasoning_tokens" */
void losses_note(struct losses *l, bool is_lost, const char *what); /* the same, when it is lost */
size_t losses_count(const struct losses *l);
void losses_get(const struct losses *l, size_t i, const char **what, uint64_t *times); /* most often first */

/*
 * The UUIDv7 of a run: the vendor's id itself when it is one, else made of the first time and a digest of vendor and
 * id ("otutl-run" NUL vendor NUL id): the same for the same log, always. The time is 0 in it when first_ns is 0 or
 * before 1970.
 */
struct id writing_run_id(struct str vendor, struct str run, int64_t first_ns);

/* The time for that of a RUN_START: 0 for one that was made up, so that a run has one id in all formats. */
int64_t writing_first_ns(const struct event *start);

/* That of the run a RUN_START begins: its own, as an OTUTL log has one and flow/run_name makes one, else that above. */
struct id writing_id_of(const struct event *start);

/* A UUIDv7 for a part of a run, by its name: trace node ids. The same run, name and time always give the same. */
struct id writing_node_id(struct id run, struct str name, int64_t ns);

/*
 * For formats that have no word for how a run ended: whether it must be said. Whoever reads them takes a run for a
 * success, unless a call has no result (`unanswered`).
 */
bool writing_tells_end(const struct event *end, bool unanswered);

/*
 * Looking into payloads: the value of canonical text; lasts until the next call on the same parser. VAL_NONE for an
 * empty text and for what is no JSON.
 */
struct val writing_parse(struct json_parser *p, struct str json);

/*
 * The text of a payload that is a JSON string, unescaped: in the arena, or a part of `json` when nothing is escaped.
 * The JSON itself when it is no string.
 */
struct str writing_plain(struct arena *a, struct str json);

/*
 * The extra of this format in the event, parsed: VAL_NONE when there is none. Lasts as long as that of writing_parse.
 */
struct val writing_rest(struct json_parser *p, const struct event *e, const char *key);

#endif
