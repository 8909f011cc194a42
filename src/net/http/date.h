/* Dates as HTTP has them (RFC 9110, section 5.6.7), and the time that an answer asks to wait. */
#ifndef NET_HTTP_DATE_H
#define NET_HTTP_DATE_H

#include "net/http/http.h"

/*
 * Seconds since 1970 of any of the three forms: "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT" and
 * "Sun Nov  6 08:49:37 1994". Of a year with two digits the one that is at most 50 years ahead of `now` (seconds).
 * The day of the week is not held against the date. False when it is none of them.
 */
bool http_parse_date(struct str text, int64_t now, int64_t *out);

#define HTTP_WAIT_MOST ((int64_t)3600 * 1000)

/*
 * For how long the sender wants to be left alone, in milliseconds, at most an hour: retry-after-ms, Retry-After in
 * seconds (also with a fraction) or as a date; without these x-ratelimit-reset-requests and -tokens ("1s", "6m0s",
 * "250ms": the longer) and x-ratelimit-reset (seconds, or a time since 1970). -1 when it does not say. `now` is in
 * nanoseconds since 1970.
 */
int64_t http_wait_ms(const struct http_head *h, int64_t now);

#endif
