/*
 * Texts and figures for a page of ours. The page is read by browsers and must be well-formed XML too, so that anything
 * can check it. What comes from outside (names, answers, prompts) may hold anything: it goes through html_text, which
 * serves for the text of an element and for an attribute in quotes alike.
 *
 * Characters that are not seen or that turn the line around (controls, bidirectional marks, tags, zero-width space) are
 * shown by their number, [U+202E]: a name must not look like another one. Bytes that are no UTF-8 become U+FFFD.
 */
#ifndef SINK_HTML_H
#define SINK_HTML_H

#include "sink/cell.h"

#define HTML_NONE "\xE2\x80\x93" /* a dash where there is no figure */
#define HTML_SPACE "\xE2\x80\xAF" /* narrow, and no line is broken at it */
#define HTML_LESS "&lt;" HTML_SPACE
#define HTML_MORE "&gt;" HTML_SPACE

/*
 * At most `limit` characters of a text from outside, and an ellipsis when that was not all. Terminated, lives with the
 * arena; never fails. Of CR LF only the LF is kept.
 */
const char *html_text(struct arena *a, struct str s, size_t limit);

/* ---- figures with their units; HTML_NONE for what is not finite or of nothing ---- */

struct cell html_count(uint64_t n); /* digits in groups of three */
struct cell html_ms(double ms);     /* 412 ms, 1.20 s, 2 min 05 s, 1 h 02 min */
struct cell html_usd(double usd);   /* $0 only when it is nothing */
struct cell html_bytes(int64_t n);  /* negative: not known */

/* ---- a page ---- */

/*
 * Adds everything up to <body>: a policy that allows inline style and nothing else (no script runs, and nothing is
 * fetched), the style that our pages share, then `more` lines of it, ended by NULL; `more` may be NULL. The title is
 * markup.
 */
void html_begin(struct buf *out, const char *title, const char *const *more);

#endif
