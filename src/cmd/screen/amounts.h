/*
 * Numbers as people read them: counts in thousands and millions, seconds with their unit, shares in percent. Each in
 * about three digits; `raw` gives all of them.
 */
#ifndef CMD_SCREEN_AMOUNTS_H
#define CMD_SCREEN_AMOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* 999, 1.98k, 12.4k, 3.20M */
void amounts_add_count(struct buf *out, uint64_t n, bool raw);

/* 0 s, 0.83 ms, 42.0 ms, 5.60 s, 312 s, 12 min 5 s, 2 h 3 min; raw: 5.600125 s */
void amounts_add_time(struct buf *out, int64_t us, bool raw);

/* 96.4 %; "<0.1 %" for what is not nothing. 0 % of nothing. */
void amounts_add_share(struct buf *out, double part, double whole);

/* $0.0123, $12.40; six places below a cent; raw: nine places */
void amounts_add_dollars(struct buf *out, double usd, bool raw);

/* 512 bytes, 4.0 KiB, 1.5 MiB */
void amounts_add_bytes(struct buf *out, uint64_t bytes);

/* "1 tool call", "2 tool calls", "3 entries", "2 branches": the noun is in the singular. */
void amounts_add_things(struct buf *out, uint64_t n, const char *noun);

/* 2026-05-06 14:03:12 for microseconds since 1970, by the clock of this place; "some time" when that is no date */
void amounts_add_moment(struct buf *out, int64_t us);

#endif
