/*
 * Texts from outside so that they do no harm in a file that people or their programs read, and figures as text. Both
 * come back terminated, so that a sentence with five of them is one buf_printf.
 */
#ifndef SINK_CELL_H
#define SINK_CELL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* ---- texts from outside; they live as long as the arena ---- */

/*
 * A text that came from outside, of which nothing can move a cursor, hide, or turn the reading order: such characters
 * become \xNN and \u{NNNN}, as everywhere in the program. A NUL does too, so the text ends where it should.
 */
const char *cell_text(struct arena *a, struct str untrusted);

/* The same for a cell of a Markdown table: what Markdown or HTML could act upon is escaped too. */
const char *cell_md(struct arena *a, struct str untrusted);

/* A cell of CSV by RFC 4180, quoted where needed. One that a spreadsheet would take for a formula gets a ' in front. */
const char *cell_csv(struct arena *a, struct str untrusted);

/* The text for XML, in attributes between double quotes and between tags. U+FFFE and U+FFFF become U+FFFD. */
const char *cell_xml(struct arena *a, struct str untrusted);

/* ---- figures ---- */

/*
 * A figure as text, given by value: cell_ms(x).text may be an argument of buf_printf, and lasts until the end of that
 * statement. Nothing is to be freed.
 */
struct cell {
	char text[64];
};

/*
 * What printf makes of it. A text that has no room in 63 bytes is a mistake of ours and fails an assert, so no text
 * from outside may be an argument.
 */
__attribute__((format(printf, 1, 2))) struct cell cell_printf(const char *format, ...);

#endif
