/* A span as three families of files spell it, seen as one thing: ids, times, status, attributes. */
#ifndef DIALECT_OTLP_SPAN_H
#define DIALECT_OTLP_SPAN_H

#include "dialect/otlp/attr.h"

enum otlp_role {
	OTLP_OTHER, /* no part of an agent's run that we know */
	OTLP_MODEL,
	OTLP_TOOL,
	OTLP_RETRIEVER, /* retrieval, embeddings, reranking: tools of their own kind */
	OTLP_AGENT_SPAN,
	OTLP_ROLES,
};

struct otlp_span {
	struct val v;
	enum otlp_shape shape;
	struct str trace, id, parent, name; /* ids in lower-case hexadecimal; p NULL when there is none */
	int64_t start, end;                 /* nanoseconds; 0 when not told */
	bool error, ok; /* the status; neither when it is unset */
	struct str error_text; /* of the status; p NULL when there is none */
	struct val attributes, events;
	struct otlp_attrs attrs;
	uint32_t place; /* in the run, counted from 1, for spans that we made; 0 for others */
};

/* Whether v is a span; *shape tells which kind, and is untouched when it is none. */
bool otlp_span_is(struct val v, enum otlp_shape *shape);

/*
 * The view of a span, which must be one of this shape. Nothing fails: what is missing or of another type is absent.
 * Texts live in the batch; what is looked at is marked as mapped.
 */
void otlp_span_open(struct reading *r, struct otlp_span *s, struct val v, enum otlp_shape shape);

/* Where a span of the shape OTLP_SDK has its ids and times, in any of its spellings. Nothing is marked. */
struct otlp_flat {
	struct val trace, id, parent; /* VAL_NONE when there is none */
	struct val start_at, end_at;  /* what the times were made of */
	int64_t start, end;           /* nanoseconds; 0 when not told */
};
struct otlp_flat otlp_span_flat(struct val v);

/* A word that tells by an attribute what a span is. */
struct otlp_role_word {
	uint8_t slot;
	const char *word; /* NULL: any value */
	uint8_t role;
};

/* All of them; the first row that fits decides. *count of them. Constants. */
const struct otlp_role_word *otlp_role_words(size_t *count);

/* What a span is by its attributes, OTLP_OTHER when they do not say. */
enum otlp_role otlp_span_role(const struct otlp_span *s);

/*
 * An id in lower-case hexadecimal: hexadecimal of either case, with 0x in front, or base64 (as protojson has it) of
 * `bytes` bytes. Absent for an empty one and one of zeros; anything else as it stands.
 */
struct str otlp_span_id(struct arena *a, struct str text, size_t bytes);

/*
 * Nanoseconds since 1970 of a number or a text of digits, in units of `scale` ns; RFC 3339 too, and [seconds,
 * nanoseconds]. 0 when it is none of these, not after 1970, or too large.
 */
int64_t otlp_span_time(struct val v, int64_t scale);

#endif
