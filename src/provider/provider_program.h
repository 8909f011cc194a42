/*
 * Providers that are programs: each question runs one, and what it writes on its standard output is read line by line
 * while it comes. How many run at once is the caller's affair, as with every provider. A program finds our
 * environment and our directory, but no terminal, and is ended with everything it started when nobody wants its answer.
 */
#ifndef PROVIDER_PROVIDER_PROGRAM_H
#define PROVIDER_PROVIDER_PROGRAM_H

#include "dialect/exchange/answer_stream.h"
#include "provider/provider_row.h"

#define PROGRAM_ARGS 16
#define PROGRAM_ENV 4

/* What is run for a question; the engine puts the program in front. Everything lives in the arena. */
struct program_command {
	struct arena *arena;
	const char *args[PROGRAM_ARGS];
	size_t count;
	struct str input;             /* its standard input; p NULL: nothing */
	const char *set[PROGRAM_ENV]; /* "NAME=value" beside our environment, or instead of what it has there */
	size_t set_count;
	const char *less[PROGRAM_ENV]; /* names that it is not to find */
	size_t less_count;
};

/* What a line brought, beside enum answer_news. */
enum program_news {
	PROGRAM_READ = ANSWER_NEWS_END,       /* it was a line as it should be */
	PROGRAM_WHOLE = ANSWER_NEWS_END << 1, /* the answer is complete */
};

struct program_end {
	bool cancelled; /* it has not ended: nobody waits any more */
	int status, signal; /* of its end: exit status, or the signal that ended it; 0 for none */
	bool too_large;
	struct str complaint; /* its standard error, the beginning of it */
};

struct provider_program {
	const char *missing; /* failure_type when there is no such program */
	void (*command)(const struct provider_question *q, struct program_command *out);
	/* Reading an answer; the parser is shared, so nothing of it outlasts a line. */
	void *(*open)(struct answer_parser *parser);
	unsigned (*line)(void *reading, struct str line); /* without its end; both kinds of news */
	/* Text, calls, usage and what became of it; out has its times already. Lasts until close. */
	void (*end)(void *reading, const struct program_end *end, struct provider_answer *out);
	void (*close)(void *reading);
};

#endif
