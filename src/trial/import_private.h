/* Between the files of the importer: one sample while it is looked at. Everything lives as long as the arena. */
#ifndef TRIAL_IMPORT_PRIVATE_H
#define TRIAL_IMPORT_PRIVATE_H

#include "trial/import_prime.h"

/* What is parsed while something else still points into an earlier tape has a parser of its own. */
enum prime_parser {
	PRIME_EVALUATION,
	PRIME_INFO,      /* an `info` that is text */
	PRIME_CALL,
	PRIME_ARGUMENTS, /* of a call */
	PRIME_TRACE,     /* a sample made of a trace */
	PRIME_PARSERS,
};

struct prime {
	enum prime_source source;
	struct arena arena, sample_arena;
	struct json_parser *parsers[PRIME_PARSERS];
	struct val evaluation;
	struct str id, slug, experiment, model;
	struct buf record, conversation, trace;
};

struct prime_sample {
	struct prime *prime;
	struct arena *arena;
	struct val root, info;
	struct str kept;                         /* the sample as it came */
	bool is_trace;                           /* root was made of a trace of verifiers */
	struct val metrics, timing, token_usage; /* of info, or of the sample itself */
	struct str sample_id, trial_id;          /* sample_id p NULL: it has none */
	struct str conversation_path;            /* as the record has it */
	struct str submitted_name, submitted, submitted_path; /* p NULL: nothing was submitted */
	struct str sealed; /* the record, when it is in the ledger and only its artifacts are not; else p NULL */
	struct str why; /* p not NULL: it is refused, and this says why */
};

/* A member of info, else of the sample; VAL_NONE, or null, when neither has it. */
struct val prime_get(const struct prime_sample *s, struct str name);

/*
 * Adds the conversation, one message per line, and finds what was submitted: s->submitted and its name, in the arena.
 * Sets s->why when that name is not one an artifact can have.
 */
void prime_read_talk(struct prime_sample *s, struct buf *conversation);

/* The text of a message's content: a string, or the texts of its parts. p is NULL when there is none. */
struct str prime_content(struct arena *a, struct val content);

/* Sets s->why when it has no reward, or nothing that samples have. */
void prime_check(struct prime_sample *s);

/* Adds the record. Sets s->why when created_at is not a time; what was added is of no use then. */
void prime_write_record(struct prime_sample *s, struct buf *out);

/* ---- episodes of verifiers ---- */

/*
 * Adds the trace as a sample: its last branch as prompt and completion, its rewards summed by their weights. Never
 * fails: what is absent is left out, and prime_check refuses a sample without a reward.
 */
void verifiers_write_trace(struct arena *a, struct val trace, struct buf *out);

/* The last error of an episode or a trace, "type: message", in the arena; p is NULL when there was none. */
struct str verifiers_error(struct arena *a, struct val of);

#endif
