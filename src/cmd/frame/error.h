/* The one shape of an error on standard error. Only main prints it. */
#ifndef CMD_FRAME_ERROR_H
#define CMD_FRAME_ERROR_H

#include "base/buf.h"
#include "cmd/frame/command.h"

/*
 * Adds "error: sentence" and, when there is something to do about it, "   = help: sentence", wrapped to the terminal
 * and to at most 100 columns. Advice that fits the command is added (advice.h). A usage error without help of its own
 * names the help page of the command (NULL when none was found).
 */
void error_add(struct buf *out, const struct term *t, const struct command *c, const struct err *err);

#endif
