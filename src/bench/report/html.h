/*
 * Texts and figures for a page of ours. The page is read by browsers and must be well-formed XML too, so that anything
 * can check it. What comes from outside (names, answers, prompts) may hold anything: it goes through html_text or
 * html_cut, which serve for the text of an element and for an attribute in quotes alike.
 *
 * Characters that are not seen or that turn the line around (controls, bidirectional marks, tags, zero-width space) are
 * shown by their number, [U+202E]: a name must not look like another one. Bytes that are no UTF-8 become U+FFFD.
 */
#ifndef BENCH_REPORT_HTML_H
#define BENCH_REPORT_HTML_H

#include "base/buf.h"
#include "transform/stats.h"

#define HTML_NONE "\xE2\x80\x93" /* a dash where there is no figure */

void html_text(struct buf *out, struct str s);

/* At most `limit` characters of it, and an ellipsis when that was not all. */
void html_cut(struct buf *out, struct str s, size_t limit);

/* ---- figures with their units; HTML_NONE for what is not finite or of nothing ---- */

void html_count(struct buf *out, uint64_t n); /* digits in groups of three */
void html_ms(struct buf *out, double ms);     /* 412 ms, 1.20 s, 2 min 05 s, 1 h 02 min */
void html_usd(struct buf *out, double usd);   /* $0 only when it is nothing */
void html_bytes(struct buf *out, int64_t n);  /* negative: not known */

/* 100 % and 0 % only when it is so; what would be rounded to them is "> 99.9 %" or "< 0.1 %". */
void html_rate(struct buf *out, uint64_t k, uint64_t n);

/* 71.2–91.0 %, of shares from 0 to 1. */
void html_interval(struct buf *out, struct interval i);

#endif
