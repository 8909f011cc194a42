/* The check of Codex' logs: what codex.c puts into its dialect. */
#ifndef DIALECT_CODEX_CHECK_H
#define DIALECT_CODEX_CHECK_H

#include "dialect/record/record.h"

extern const struct record_format codex_format;

#endif
