/* The lines of a cassette as tables, for their check (cassette_check.h) and for the JSON Schema. */
#ifndef DIALECT_EXCHANGE_CASSETTE_TYPES_H
#define DIALECT_EXCHANGE_CASSETTE_TYPES_H

#include "dialect/record/field.h"

#define CASSETTE_V1 "cassette/v1"

extern const struct record_type cassette_head_type, cassette_exchange_type, cassette_message_type,
	cassette_command_type, cassette_end_type;
extern const struct record_type cassette_line_type; /* of a lane that nobody knows; no root */

/* Ended by NULL; rules are those of cassette_check_rules. */
extern const struct record_type *const cassette_roots[];

#endif
