/* The check of ATIF documents, versions 1.0 to 1.8: what atif.c puts into its dialect. */
#ifndef DIALECT_ATIF_CHECK_H
#define DIALECT_ATIF_CHECK_H

#include "dialect/record/record.h"

extern const struct record_format atif_format;
extern const struct record_type *const atif_roots[];

#endif
