/*
 * JSON for a terminal. Valid JSON may hold characters that act on a terminal or change the direction of writing
 * (U+009B, U+202E, ...). Shown to a person they become \uXXXX, which is the same JSON; into files and pipes bytes go as
 * they are.
 */
#ifndef CMD_SCREEN_TERM_JSON_H
#define CMD_SCREEN_TERM_JSON_H

#include "base/err.h"
#include "base/str.h"

struct term_json {
	int fd;
	bool is_terminal; /* false: bytes pass unchanged */
	char held[4]; /* the start of a character whose end is still to come */
	size_t held_n;
};

/* `fd` is written to and not closed. Without a terminal bytes pass unchanged. */
void term_json_init(struct term_json *t, int fd, bool is_terminal);

/*
 * Writes the next bytes, cut anywhere. False with ERR_IO when they cannot be written; how much was is not known then.
 */
bool term_json_put(struct term_json *t, struct str bytes, struct err *err);

/* Writes what is held back: nothing, unless the text was not UTF-8; such bytes become U+FFFD. False with ERR_IO. */
bool term_json_end(struct term_json *t, struct err *err);

#endif
