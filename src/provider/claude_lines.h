/*
 * What `claude -p --output-format stream-json --verbose` writes, line by line: an init, the messages as they become
 * complete (with --include-partial-messages also the events of the stream they came in), a result. Lines are read by
 * the Claude Code dialect, as everywhere; what an answer needs of them is gathered here. Lines that are no JSON are
 * kept in part, since a complaint may be among them.
 */
#ifndef PROVIDER_CLAUDE_LINES_H
#define PROVIDER_CLAUDE_LINES_H

#include "dialect/exchange/answer_stream.h"
#include "provider/provider_said.h"

#define CLAUDE_PLAIN 2000 /* bytes of lines that are no JSON, and of complaints */

struct claude_lines {
	struct answer_parser *parser;
	struct provider_said said;  /* of the main line: sub-agents speak for themselves */
	struct buf partial;         /* of a message that is not complete */
	struct buf plain;
	struct str model, session, result; /* p NULL until they are told; they live in the arena of `said` */
	struct str reason;          /* why there is no result: "error_max_turns" */
	struct str trouble;         /* what the program says in the model's place, or the errors of the result */
	struct str trouble_code;    /* "authentication_failed" */
	const char *stop_reason;
	struct usage usage, models; /* of the main line; of all models together */
	struct amount usd;
	uint64_t read;     /* lines that were JSON */
	bool has_result, is_error;
	bool made_up;      /* the newest message is the program's, not the model's */
	bool is_refused;   /* by a limit, as an event of its own says */
	int64_t resets_at; /* when that limit ends, seconds since 1970; 0: not told */
	int api_status;    /* of the service's refusal; 0: not told */
};

/* An empty reading. The parser is borrowed, shared with others, and must live as long. */
void claude_lines_init(struct claude_lines *c, struct answer_parser *parser);
/* Frees the reading with all texts that claude_lines_end gave out. */
void claude_lines_free(struct claude_lines *c);

/*
 * What a line brought: enum answer_news and enum program_news. 0 for a line that is no JSON object, whose beginning is
 * kept in `plain` (CLAUDE_PLAIN bytes of all such lines together).
 */
unsigned claude_lines_take(struct claude_lines *c, struct str line);

/*
 * No more lines. Fills in text, calls, model, session, stop reason, usage and cost; they last until free. Whether it is
 * a failure is not judged here. The text is the result's when there is a good one, else what was said so far.
 */
void claude_lines_end(struct claude_lines *c, struct provider_answer *out);

#endif
