/* Who answers a model call, and what was asked: the conventions want both by their own words. */
#ifndef DIALECT_OTLP_PROVIDER_H
#define DIALECT_OTLP_PROVIDER_H

#include "base/str.h"

/*
 * The provider by the host of a call (n 0: not known), else `by_path` (see below), else by the format or vendor of the
 * log; "unknown" when none of them tells. A constant, or by_path.
 */
struct str otlp_provider_of(struct str host, struct str by_path, struct str source);

/* A provider by another name that logs have, by the conventions' own; any other is itself. */
struct str otlp_provider_word(struct str provider);

/*
 * Why an answer ended, in the conventions' words: stop, length, content_filter, tool_call, error. A reason that is not
 * known is itself.
 */
struct str otlp_finish_word(struct str stop_reason);

/* What is asked at a path, and whose API that is. False, with both untouched, for a path that is not known. */
bool otlp_operation_of(struct str path, struct str *operation, struct str *provider);

#endif
