/* The caller's options, read with care: they may come from a program built with another header. */
#ifndef LIB_SETTINGS_H
#define LIB_SETTINGS_H

#include "dialect/dialect.h"
#include "source/source.h"
#include "trackway.h"

#define SETTINGS_FINDINGS 1000 /* kept when the caller does not say */

struct settings {
	const struct dialect *as; /* NULL: by content */
	struct check_options check;
	struct source_options source;
	unsigned jobs;
};

/* False with an error for people who write programs; *s then has the defaults. `options` may be NULL. */
bool settings_read(struct settings *s, const struct tw_validate_options *options, struct err *err);

#endif
