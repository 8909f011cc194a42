/* The check of Claude Code's logs: what claude_code.c puts into its dialect. */
#ifndef DIALECT_CLAUDE_CODE_CHECK_H
#define DIALECT_CLAUDE_CODE_CHECK_H

#include "dialect/record/record.h"

extern const struct record_format claude_code_format;

#endif
