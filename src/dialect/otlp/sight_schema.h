/*
 * The messages of OTLP as a table: what a field is in protobuf and in JSON, and what becomes of it. Both decoders walk
 * it, and so do tests that write requests.
 */
#ifndef DIALECT_OTLP_SIGHT_SCHEMA_H
#define DIALECT_OTLP_SIGHT_SCHEMA_H

#include "base/str.h"
#include "dialect/otlp/sight.h"

enum sight_type {
	SIGHT_T_TEXT,
	SIGHT_T_BYTES, /* base64 in JSON */
	SIGHT_T_ID,    /* bytes too, but hexadecimal in JSON */
	SIGHT_T_MESSAGE,
	SIGHT_T_BOOL,
	SIGHT_T_ENUM,
	SIGHT_T_INT32,
	SIGHT_T_SINT32, /* zigzag */
	SIGHT_T_UINT32,
	SIGHT_T_INT64,
	SIGHT_T_UINT64,
	SIGHT_T_DOUBLE,
	SIGHT_T_FIXED64,
	SIGHT_T_SFIXED64,
	SIGHT_T_FIXED32,
};

/* What becomes of a field. */
enum sight_take {
	SIGHT_TAKE_NOTHING,
	SIGHT_TAKE_TRACE,
	SIGHT_TAKE_SPAN,
	SIGHT_TAKE_PARENT,
	SIGHT_TAKE_NAME,
	SIGHT_TAKE_BEGIN,
	SIGHT_TAKE_END,
	SIGHT_TAKE_STATUS,
	SIGHT_TAKE_KEY,
	SIGHT_TAKE_VALUE,   /* of a key */
	SIGHT_TAKE_ELEMENT, /* of an array */
	SIGHT_TAKE_BODY,    /* of a log record */
	SIGHT_TAKE_SCALAR,  /* of a value: its type says what it is */
	SIGHT_TAKE_SCOPE_NAME,
	SIGHT_TAKE_EVENT_NAME,
	SIGHT_TAKE_EVENT_TIME,
};

struct sight_message;

struct sight_field {
	struct str name; /* in JSON; p NULL: there is no such field */
	uint8_t type, take;
	bool repeated;
	const struct sight_message *message;
};

/* What is done when a message begins and ends. */
enum sight_part {
	SIGHT_PART_OTHER,
	SIGHT_PART_GROUP, /* ResourceSpans and its like */
	SIGHT_PART_RESOURCE,
	SIGHT_PART_SCOPES, /* ScopeSpans and its like */
	SIGHT_PART_SPAN,
	SIGHT_PART_EVENT,
	SIGHT_PART_LOG,
	SIGHT_PART_POINT,
	SIGHT_PART_PAIR,
	SIGHT_PART_ANY,
	SIGHT_PART_ARRAY,
	SIGHT_PART_LIST,
};

struct sight_message {
	const struct sight_field *fields; /* by number */
	size_t count;
	enum sight_part part;
};

/* The request of a signal. */
const struct sight_message *sight_request(enum otlp_signal signal);

#endif
