/*
 * Content replaced by keyed tokens, in a text that keeps its format and shape. A token is [tw:KEYID:CODE]: the code is
 * made of HMAC-SHA-256 over the whole value, so equal values have equal tokens wherever they stand, another key gives
 * other tokens, and nobody without the key can try values out. A token of the same key is left as it is, so redacting
 * twice is redacting once.
 *
 * What stays is decided by the tables of redact_names.c: names of members, numbers, and strings that are structure by
 * their member's name and by their looks (ids, types, roles, models, names of tools, times). Every other string becomes
 * a token. The bytes between strings are copied, so the same text always gives the same bytes: a live request that
 * equals a recorded one equals it redacted.
 *
 * Text that comes in pieces (the events of a stream) is joined first; the token lies over the pieces, whose number and
 * places stay. Text that holds JSON (arguments of a call) is redacted inside. A cassette's digests, sizes and places of
 * chunks follow its bodies. doc/redact.md has the tables.
 */
#ifndef TRANSFORM_REDACT_H
#define TRANSFORM_REDACT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "json/json.h"

#define REDACT_KEY 32    /* bytes of a key */
#define REDACT_ID 8      /* letters of a key's id */
#define REDACT_TOKEN 34  /* bytes of a token: [tw:, the id, a colon, 16 letters and 4 that check them, ] */
#define REDACT_DEPTH 512 /* containers in each other; what is deeper is refused */

enum redact_mode {
	REDACT_CONTENT, /* all content */
	REDACT_SECRETS, /* only keys and credentials by the rules of secret_rules.h */
};

enum redact_class {
	REDACT_PROMPT,
	REDACT_OUTPUT,
	REDACT_THINKING,
	REDACT_ARGS,
	REDACT_RESULTS,
	REDACT_PATHS,
	REDACT_IMAGES,
	REDACT_OTHER,
	REDACT_CLASSES,
};

/* "prompt", "output" and so on, for programs; a constant. */
const char *redact_class_name(enum redact_class c);

/* What was replaced, of one class or by one rule. */
struct redact_sum {
	const char *name;
	uint64_t values, bytes;
};

#define REDACT_DISTINCT_MOST ((size_t)1 << 20) /* tokens that are told apart; beyond that their number is not known */

struct redact;

/*
 * The key is copied. NULL, with *err, when the scanner for keys of services cannot run here. redact_close takes NULL
 * too, and wipes the key.
 */
struct redact *redact_open(const uint8_t key[REDACT_KEY], enum redact_mode mode, struct err *err);
void redact_close(struct redact *r);

/* Goes on in another mode: a live request is redacted as the recorded one was. */
void redact_set_mode(struct redact *r, enum redact_mode mode);

/* The id of the key, REDACT_ID letters: it tells keys apart and gives nothing away. Lives as long as `r`. */
struct str redact_key_id(const struct redact *r);

/*
 * Adds the redacted form of a text: one JSON value; or JSON, one value per line; or server-sent events. A text that is
 * none of these becomes one token (of secrets: its secrets do). This is what a body of a request or an answer goes
 * through, recorded or live.
 */
void redact_body(struct redact *r, struct str body, struct buf *out);

/* Whether a text is one token of this key. */
bool redact_is_token(const struct redact *r, struct str text);

/* ---- a file, line by line ---- */

/*
 * One line without its end, or a whole document. What is ready is added to `out`, with line ends: lines of a stream
 * wait for each other until its end shows, at most REDACT_HELD bytes of them. False, with *issue, when it is no JSON.
 */
bool redact_line(struct redact *r, struct str line, struct buf *out, struct json_issue *issue);
/* What still waits. */
void redact_flush(struct redact *r, struct buf *out);
#define REDACT_HELD ((size_t)64 << 20)

/* Whole server-sent events, as far as they are read. False when they hold data that is no event at all. */
bool redact_events(struct redact *r, struct str text, struct buf *out);

/* ---- what was done ---- */

/* REDACT_CLASSES sums; live as long as `r`. In the mode for secrets they are all 0. */
const struct redact_sum *redact_sums(const struct redact *r);
/* By the rules of secret_rules.h that hit, `count` of them. */
const struct redact_sum *redact_secrets(const struct redact *r, size_t *count);
/* How many different tokens were laid; false when there are more than REDACT_DISTINCT_MOST. */
bool redact_distinct(const struct redact *r, uint64_t *out);

#endif
