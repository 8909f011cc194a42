/*
 * A command as a line of the cassette, lane "shell": what it was asked and what it answered, for replay
 * (doc/formats/cassette.md). Only where content is kept.
 */
#ifndef CAPTURE_SHELL_TAPE_H
#define CAPTURE_SHELL_TAPE_H

#include "base/arena.h"
#include "base/buf.h"
#include "json/write.h"
#include "proc/shim.h"

#define SHELL_TAPE_KEPT ((size_t)8 << 20)  /* bytes of output */
#define SHELL_COMMAND "TRACKWAY_COMMAND" /* in the environment: the command around this one */
#define SHELL_TAPE_SERVER "mcp" /* parent of the server that `trackway mcp` runs */
#define SHELL_TAPE_STDIN ((size_t)8 << 20) /* bytes of a file at standard input that are looked at */

struct shell_tape {
	struct str name;
	char **argv;
	struct str cwd;   /* "<ws>" is the directory in which the recording began; p NULL: not known */
	struct str stdin_sha256; /* hexadecimal; p NULL: what it will read cannot be known without taking it away */
	struct str id, parent;   /* of commands; parent p NULL: none */
};

/*
 * What is known before the command runs. Standard input is looked at, and nothing is taken from it: a file from where
 * it stands, a pipe that nobody writes to any more.
 */
void shell_tape_begin(struct shell_tape *t, struct arena *a, struct str name, char **argv, const char *root);

/* A text as a line has it: a string, or {"base64":..}. */
void shell_tape_put_text(struct json_writer *w, struct str text, bool as_text);

/* Adds the object of what is asked alone, as the line has it: "req". */
void shell_tape_add_request(struct buf *out, const struct shell_tape *t);

/* Adds the line's object, without the numbers that the recorder gives it. */
void shell_tape_add(struct buf *out, const struct shell_tape *t, const struct shim_end *end);

#endif
