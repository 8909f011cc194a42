/*
 * As much of the shell's language as it takes to say which commands a line runs: words and quotes, what joins
 * commands, what stands before them (sudo, NAME=value), what is not a command at all (comments, keywords,
 * here-documents, the rest of a line that goes on). Nothing is expanded and nothing is run.
 */
#ifndef BENCH_VALIDATE_DETECT_SHELL_H
#define BENCH_VALIDATE_DETECT_SHELL_H

#include "bench/validate/detect_names.h"

#define SHELL_DELIMITER 64 /* bytes of a here-document's word that are kept */

/* Zero but for names and only_commands at the start. */
struct shell_script {
	struct detect_names *names;
	bool only_commands; /* the line may not be shell at all: take a name only if it looks like one */
	bool goes_on;       /* the last line ended with a backslash */
	char quote;         /* the quote that the last line left open, or 0 */
	char delimiter[SHELL_DELIMITER];
	size_t delimiter_length; /* of the here-document that we are in; 0 outside */
};

/*
 * Reads one line, without its LF, and adds the commands in it to s->names. Any bytes will do. A line inside of a
 * here-document or of open quotes adds nothing; what it leaves open is kept in *s.
 */
void shell_read_line(struct shell_script *s, struct str line);

/* Whether the next line belongs to the last one: continued, in quotes, or in a here-document. */
bool shell_is_within(const struct shell_script *s);

#endif
