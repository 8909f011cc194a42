/* What `validate` holds a cassette against: the tables of its lines, and what must hold between them. */
#ifndef DIALECT_EXCHANGE_CASSETTE_CHECK_H
#define DIALECT_EXCHANGE_CASSETTE_CHECK_H

#include "dialect/record/record.h"

extern const struct record_format cassette_format;

#endif
