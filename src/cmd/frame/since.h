/* What the value of --since means. */
#ifndef CMD_FRAME_SINCE_H
#define CMD_FRAME_SINCE_H

#include "base/err.h"
#include "base/str.h"

/*
 * Microseconds since 1970 of a day (2026-05-06, its midnight by the clock of this place), of a moment (RFC 3339), or of
 * so long ago (30m, 24h, 7d, 2w). False with ERR_USAGE otherwise; *us is undefined then.
 */
bool since_parse(struct str text, int64_t *us, struct err *err);

#endif
