/*
 * Figures as people read them, and texts of models so that they do no harm. "-" stands for what is not known. The files
 * summary_*.c are made of these.
 */
#ifndef BENCH_REPORT_SUMMARY_CELLS_H
#define BENCH_REPORT_SUMMARY_CELLS_H

#include "bench/report/summary.h"

/*
 * A text that came from outside, of which nothing can move a cursor, hide, or turn the reading order: such characters
 * become \xNN and \u{NNNN}, as everywhere in the program.
 */
void cell_add_text(struct buf *out, struct str untrusted);

/* The same for a cell of a Markdown table: what Markdown or HTML could act upon is escaped too. */
void cell_add_md(struct buf *out, struct str untrusted);

/* A cell of CSV by RFC 4180, quoted where needed. One that a spreadsheet would take for a formula gets a ' in front. */
void cell_add_csv(struct buf *out, struct str untrusted);

/* For XML, in attributes and between tags. */
void cell_add_xml(struct buf *out, struct str untrusted);

/* "93.3", a hundredth part each; without a unit. */
/*
 * A share of 1 in percent, without the sign: one decimal, and more when with one a share below 50, 80 or 100 % would
 * read as that, or one above 0 as none. A tier is never contradicted by the figure beside it.
 */
void cell_add_share(struct buf *out, double share);
void cell_add_percent(struct buf *out, struct rate r);

/* "93.3 (84.1-97.4)" with its interval; the dash is an en dash. */
void cell_add_percent_interval(struct buf *out, struct rate r);

void cell_add_ms(struct buf *out, double ms);       /* "834 ms", "12.4 s", "3 min 20 s"; NaN is "-" */
void cell_add_bytes(struct buf *out, int64_t bytes); /* "12.3 GB", decimal; negative is "-" */
void cell_add_usd(struct buf *out, double usd);      /* "$0.0123" */

/* What should be said about the figures of a group, a sentence at a time, each ended by LF. May be nothing. */
void cell_add_notes(struct buf *out, const struct summary_group *g);

/* Of all groups together. */
void cell_add_run_notes(struct buf *out, const struct summary *s);

/* "provider:model@thinking", escaped. */
void cell_add_target(struct buf *out, const struct summary_group *g);

/* A prompt of a group with something to tell, and where it stands among all prompts. */
struct cell_violation {
	size_t order, group;
	const struct summary_prompt *prompt;
};

/*
 * Prompts with violations, by prompt and then by group; *count of them. To be freed with mem_free.
 */
struct cell_violation *cell_violations(const struct summary *s, size_t *count);

#endif
