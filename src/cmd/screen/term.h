/*
 * What can be done with an output stream: whether it is a terminal, how wide it is, and whether
 * colour may be used. Decided once at start and then only looked at.
 */
#ifndef CMD_SCREEN_TERM_H
#define CMD_SCREEN_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

enum term_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct term {
	bool is_terminal;
	bool color;
	size_t width, height; /* columns and lines; 80 and 24 when nobody knows */
};

/*
 * For descriptor 1 or 2. Looks at the descriptor and the environment; COLUMNS and LINES from 10 to 10000 win over the
 * terminal's own size. Never fails: what cannot be found out gets its default.
 */
void term_init(struct term *t, int fd, enum term_color color);

/*
 * The rule behind it: --color always and never win; then CLICOLOR_FORCE (set and not "0"), then
 * NO_COLOR (not empty), then CLICOLOR ("0" turns off), then a terminal whose TERM is not "dumb".
 */
bool term_wants_color(enum term_color color, bool is_terminal);

/* Escape sequences; each gives "" when the terminal has no colour. */
enum term_style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_ERROR, STYLE_WARNING, STYLE_INFO, STYLE_PLACE };
const char *term_style(bool color, enum term_style style);

/*
 * Adds text that came from outside so that it cannot move the cursor, change colours or reverse
 * the reading order: control characters and ill-formed bytes become \xNN, invisible and
 * direction-changing characters \u{NNNN}. A backslash stays as it is.
 */
void term_add_text(struct buf *out, struct str untrusted);

/*
 * Adds only the first character, made safe in the same way; gives how many bytes of `untrusted` that was, at least 1.
 * `untrusted` must not be empty.
 */
size_t term_add_char(struct buf *out, struct str untrusted);

#endif
