/*
 * Texts that are new in every run, by their looks: identifiers, times, temporary paths, ports. A scan walks over any
 * text, mostly JSON as it stands: an escape in it ("\n", "\\n", "\u001b") is a border between words like a blank is.
 * What is found stands between such borders, and whether it counts as volatile is for match.h to say: here are only
 * looks. Digits alone are no hexadecimal number, however many: a number in a task is no accident.
 */
#ifndef REPLAY_VOLATILE_H
#define REPLAY_VOLATILE_H

#include <stdint.h>

#include "base/str.h"

enum volatile_type {
	VOLATILE_UUID,
	VOLATILE_ULID,
	VOLATILE_RFC3339, /* a date-time; one without an offset is taken as UTC */
	VOLATILE_DATE,    /* YYYY-MM-DD */
	VOLATILE_EPOCH,   /* seconds (with a fraction or not), milli-, micro- or nanoseconds since 1970 */
	VOLATILE_PATH,    /* /tmp/NAME, without what follows the name */
	VOLATILE_PORT,    /* of loopback: HOST:PORT */
	VOLATILE_HEX,     /* 16 or more digits, of which some are letters and some are not */
	VOLATILE_TYPES,
};

/* "uuid", "rfc3339" and so on; a constant. */
const char *volatile_name(enum volatile_type type);

struct volatile_text {
	enum volatile_type type;
	size_t from, end; /* of the whole in the text scanned */
	size_t mask;      /* where the part begins that changes: the name below /tmp/, the port behind the host */
	bool is_time;
	int64_t us;       /* of a time: since 1970; of a date, its noon */
};

struct volatile_scan {
	struct str text;
	size_t at;
};

static inline struct volatile_scan volatile_begin(struct str text)
{
	return (struct volatile_scan){ text, 0 };
}

/* The next one, in the order of the text; they do not overlap. False at the end. */
bool volatile_next(struct volatile_scan *s, struct volatile_text *out);

#define VOLATILE_NEAR_US (INT64_C(48) * 3600 * 1000000)

/* Whether it is no time, or one within 48 hours of this clock. */
bool volatile_is_near(const struct volatile_text *t, int64_t clock_us);

#endif
