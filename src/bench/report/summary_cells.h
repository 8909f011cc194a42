/*
 * Figures as people read them, beside those of sink/cell.h. "-" stands for what is not known. The files summary_*.c are
 * made of these: they come back terminated, so that a sentence with five of them is one buf_printf.
 */
#ifndef BENCH_REPORT_SUMMARY_CELLS_H
#define BENCH_REPORT_SUMMARY_CELLS_H

#include "bench/report/summary.h"
#include "sink/cell.h"

/* "provider:model@thinking", by cell_text; lives as long as the arena. */
const char *cell_target(struct arena *a, const struct summary_group *g);

/*
 * got="..." with the beginning of what a model said: what looks like a key is hidden, it is one line, quoted as in
 * JSON, and cut between characters. Still a text from outside: cell_text and its like are for the caller. In the arena.
 */
struct str cell_got(struct arena *a, struct str answer);

/* A violation or a tool's name, which may quote an answer: at most its first bytes, with keys hidden. In the arena. */
struct str cell_violation(struct arena *a, struct str text, size_t most);

/* ---- figures ---- */

/*
 * A share of 1 in percent, without the sign: one decimal, and more when with one a share below 50, 80 or 100 % would
 * read as that, or one above 0 as none. A tier is never contradicted by the figure beside it.
 */
struct cell cell_share(double share);

/* "93.3", the share of k in n; "-" of nothing. */
struct cell cell_percent(struct rate r);

/* "93.3 (84.1-97.4)" with its interval; the dash is an en dash. */
struct cell cell_percent_interval(struct rate r);

struct cell cell_ms(double ms);       /* "834 ms", "12.4 s", "3 min 20 s"; NaN and a negative one are "-" */
struct cell cell_bytes(int64_t bytes); /* "12.3 GB", decimal; negative is "-" */
/* "not known: no price for NAME (3 of 8 calls)", of a group whose `unpriced` is not 0; `md`: escaped for Markdown. */
void cell_add_unpriced(struct buf *out, const struct summary_group *g, bool md);

struct cell cell_usd(double usd);      /* "$0.0123"; NaN is "-" */

/* ---- sentences ---- */

/* What should be said about the figures of a group, a sentence at a time, each ended by LF. May be nothing. */
void cell_add_notes(struct buf *out, const struct summary_group *g);

/* The same of all groups together; at least how intervals were made is said. */
void cell_add_run_notes(struct buf *out, const struct summary *s);

/* A prompt of a group with something to tell, and where it stands among all prompts. */
struct cell_violation {
	size_t order, group;
	const struct summary_prompt *prompt;
};

/*
 * Prompts with a violation, or with an answer that did not pass, by prompt and then by group; *count of them, NULL for
 * none. To be freed with mem_free; the prompts are those of `s`.
 */
struct cell_violation *cell_violations(const struct summary *s, size_t *count);

#endif
