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
	struct source_options source; /* how the input is cut; tw_validate_memory sets its io */
	unsigned jobs; /* at least 1 */
};

/*
 * Reads the options; NULL gives the defaults. False with ERR_USAGE, in words for people who write programs, when the
 * size, the format, the mode or a limit makes no sense, or a longer struct asks for what this version cannot do; *s
 * then has the defaults. Nothing in *s points into `options`.
 */
bool settings_read(struct settings *s, const struct tw_validate_options *options, struct err *err);

#endif
