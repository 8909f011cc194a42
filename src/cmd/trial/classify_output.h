/* A classification for people and for programs. */
#ifndef CMD_TRIAL_CLASSIFY_OUTPUT_H
#define CMD_TRIAL_CLASSIFY_OUTPUT_H

#include "cmd/frame/command.h"
#include "json/put.h"
#include "trial/classify/judge.h"
#include "trial/classify/reference.h"

/* Who told the bonds. */
struct classify_teller {
	const struct rules *rules;
	const struct judge_options *judge; /* NULL: the rules did */
	struct str prompt_digest;          /* of the judge */
	struct judge_use use;
};

/* "rules sha256:..." or "judge provider:model sha256:...", as a reference names it. In the arena. */
struct str classify_teller_name(struct arena *a, const struct classify_teller *t);

/* ---- text ---- */

/* A line for each turn, what they come to, and the matrix; texts from the transcript are made safe. */
void classify_output_add_trial(struct buf *out, const struct classify_trial *t, const struct term *term);

/* One line about a trial among many. */
void classify_output_add_line(struct buf *out, const struct classify_trial *t);

/* "execution 1, verification 0, ..." and an LF; and the same as a member. */
void classify_output_add_counts(struct buf *out, const uint64_t counts[BONDS]);
void classify_output_put_counts(struct json_writer *w, const char *name, const uint64_t counts[BONDS]);

/* What many trials come to. */
void classify_output_add_sum(struct buf *out, struct classify_sum *s);

/* What the judge took: questions, tokens, dollars. */
void classify_output_add_use(struct buf *out, const struct classify_teller *t);

/* "turn", path, number, bond, confidence, two indicators or the rationale; then a line "trial" with its figures. */
void classify_output_add_plain(struct buf *out, const struct classify_trial *t);

/* ---- JSON: members of trackway.classify/1 ---- */

extern const char *const classify_fields[]; /* ended by NULL */

void classify_output_write_teller(struct json_writer *w, const struct classify_teller *t);
void classify_output_write_reference(struct json_writer *w, const struct classify_reference *r); /* NULL: null */
void classify_output_write_trial(struct json_writer *w, const struct classify_trial *t);
void classify_output_write_sum(struct json_writer *w, struct classify_sum *s);

#endif
