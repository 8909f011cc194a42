/* What the parts of the writer of conversations share: conversation_write.c, _fresh.c, _kept.c. */
#ifndef DIALECT_CONVERSATION_WRITE_H
#define DIALECT_CONVERSATION_WRITE_H

#include "base/arena.h"
#include "dialect/conversation_marks.h"
#include "dialect/waiting.h"
#include "dialect/writing.h"
#include "json/write.h"

enum conversation_variant { CONVERSATION_CANONICAL, CONVERSATION_OPENAI, CONVERSATION_ANTHROPIC };

/* One line while its events come in. */
struct conversation_line {
	const struct event **events;
	size_t count, cap;
	bool kept;     /* it was a line of this dialect before */
	uint64_t line; /* then: its number */
};

struct conversation_writer {
	struct writing *w;
	enum conversation_variant variant;
	struct json_parser *parser, *inner;
	struct arena hold; /* of the line */
	struct conversation_line line;
	struct buf text;
	struct waiting waiting; /* lines of a conversation, by their numbers */
	uint64_t runs;
};

/* Adds the line to the output. */
void conversation_write_fresh(struct conversation_writer *t);
void conversation_write_kept(struct conversation_writer *t);

void conversation_lose(const struct conversation_writer *t, bool there, const char *what);

#endif
