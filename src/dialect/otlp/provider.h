/* Who answers a model call, and what was asked: the conventions want both by their own words. */
#ifndef DIALECT_OTLP_PROVIDER_H
#define DIALECT_OTLP_PROVIDER_H

#include "base/str.h"

/*
 * The provider by the host of a call (n 0: not known), else `by_path` (see below), else by the format or vendor of the
 * log; "unknown" when none of them tells. A constant, or by_path.
 */
struct str otlp_provider_of(struct str host, struct str by_path, struct str source);

/* What is asked at a path, and whose API that is. False, with both untouched, for a path that is not known. */
bool otlp_operation_of(struct str path, struct str *operation, struct str *provider);

#endif
