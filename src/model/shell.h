/*
 * As much of the shell's language as it takes to say which commands a line runs: words and quotes, what joins
 * commands, what stands before them (sudo, NAME=value), what is not a command at all (comments, keywords,
 * here-documents, the rest of a line that goes on). Nothing is expanded and nothing is run.
 */
#ifndef MODEL_SHELL_H
#define MODEL_SHELL_H

#include "base/arena.h"

#define SHELL_DELIMITER 64 /* bytes of a here-document's word that are kept */

/* Zero but for the callbacks, their context and prefixes at the start. */
struct shell_script {
	void (*command)(void *context, struct str word); /* a word that is run, as it stands: path, quotes and all */
	void (*word)(void *context, struct str word);    /* every word, as it stands; NULL: nobody asks */
	void *context;
	bool prefixes;      /* tell of sudo and its like as well as of what they run */
	bool goes_on;       /* the last line ended with a backslash */
	char quote;         /* the quote that the last line left open, or 0 */
	char delimiter[SHELL_DELIMITER];
	size_t delimiter_length; /* of the here-document that we are in; 0 outside */
};

/*
 * Reads one line, without its LF, and tells s->command of the commands in it. Any bytes will do. A line inside of a
 * here-document or of open quotes has none; what it leaves open is kept in *s.
 */
void shell_read_line(struct shell_script *s, struct str line);

/*
 * What the shell makes of a word, in the arena: without its quotes and backslashes. False when the shell would put
 * something in its place that is not known here: a variable, a command, names of files.
 */
bool shell_plain_word(struct arena *a, struct str word, struct str *plain);

/* Whether the next line belongs to the last one: continued, in quotes, or in a here-document. */
bool shell_is_within(const struct shell_script *s);

#endif
