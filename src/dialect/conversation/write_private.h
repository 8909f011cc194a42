/* What the parts of the writer of conversations share: write.c, fresh.c, kept.c. */
#ifndef DIALECT_CONVERSATION_WRITE_PRIVATE_H
#define DIALECT_CONVERSATION_WRITE_PRIVATE_H

#include "base/arena.h"
#include "dialect/conversation/marks.h"
#include "dialect/reading/waiting.h"
#include "dialect/writing.h"
#include "json/write.h"

enum conversation_variant { CONVERSATION_CANONICAL, CONVERSATION_OPENAI, CONVERSATION_ANTHROPIC };

/* One line while its events come in. */
struct conversation_line {
	const struct event **events;
	size_t count, cap;
	bool kept;     /* it was a line of this dialect before */
	uint64_t line; /* then: its number */
	const struct event *end; /* of the run, when the line is its last and must say how it ended */
};

struct conversation_writer {
	struct writing *w;
	enum conversation_variant variant;
	struct json_parser *parser, *inner;
	struct arena hold; /* of the line */
	struct conversation_line line;
	struct buf text;
	struct waiting waiting; /* lines of a conversation, by their numbers */
	uint64_t runs; /* begun so far: from the second on, where one ends is lost */
	bool torn;       /* the last line of what the run was made of breaks off */
	bool unanswered; /* a call of the run has no result */
};

/*
 * Both write the line that t->line holds, of one event at least; the caller empties it. A fresh one goes to the output
 * at once, and what the dialect has no place for is noted as a loss. One that was kept goes to `waiting` by its
 * number, so it may come out later.
 */
void conversation_write_fresh(struct conversation_writer *t);
void conversation_write_kept(struct conversation_writer *t);

/*
 * Members of ours in the last line of a run: how it ended, and why when that is known. The writer must be inside an
 * object.
 */
void conversation_put_end(struct json_writer *j, const struct event *end);

#endif
