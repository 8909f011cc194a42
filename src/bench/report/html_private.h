/* What the files html_*.c share: the page that is being written, and its parts in their order. */
#ifndef BENCH_REPORT_HTML_PRIVATE_H
#define BENCH_REPORT_HTML_PRIVATE_H

#include "bench/report/html.h"
#include "bench/report/html_page.h"
#include "sink/plot.h"

/* A page stays a page, however large the run: what is left out is counted, and summary.json has it all. */
enum report_limit {
	REPORT_TABLE_MAX = 200,     /* targets in tables */
	REPORT_PLOT_MAX = 40,       /* targets in each plot */
	REPORT_GRID_TARGETS = 30,
	REPORT_GRID_PROMPTS = 100,
	REPORT_DETAILS_MAX = 50,    /* prompts with their violations */
	REPORT_DETAILS_TARGETS = 8, /* violations of each */
	REPORT_NAME_MAX = 80,       /* characters */
	REPORT_TEXT_MAX = 240,      /* of a violation */
	REPORT_PROMPT_MAX = 600,
	REPORT_ANSWER_MAX = 600,    /* of what a model said; SUMMARY_ANSWER_MAX bytes are there */
	REPORT_PART_BYTES = 120000, /* of grid and details: beyond it they say less */
};

struct report {
	struct arena *arena; /* of escaped texts; freed when the page is written */
	struct buf *out;
	const struct summary *s;
	const struct config *c; /* NULL when the run has no config.json */
	int64_t generated_ns;
	const struct summary_group **groups; /* by pass rate; a target's number is its place here + 1 */
	size_t count;
};

/* ---- small pieces ---- */

/* Adds a terminated text of ours that is markup already. */
void report_add(struct report *r, const char *markup);

/* Adds markup with figures and texts in it. Texts from outside must have come through report_text or report_name. */
__attribute__((format(printf, 2, 3))) void report_printf(struct report *r, const char *format, ...);

/* At most `limit` characters of a text from outside, escaped; lives as long as the page is written. */
const char *report_text(struct report *r, struct str untrusted, size_t limit);

/* provider:model@thinking, escaped and cut; lives as long as the page is written. */
const char *report_name(struct report *r, const struct summary_group *g);

/* Adds <p class="more"> with how many are not shown; nothing when there are none. */
void report_add_more(struct report *r, size_t all, size_t shown, const char *what);

/* ---- parts, in the order of the page: each adds a section, or says why it has nothing to show ---- */

void report_write_tables(struct report *r);  /* figures of each target */
void report_write_rates(struct report *r);   /* pass rates with their intervals */
void report_write_tiers(struct report *r);   /* tool use in the bands of the tiers */
void report_write_latency(struct report *r); /* times of calls, as points or hills */
void report_write_cost(struct report *r);    /* cost of a call against its pass rate */
void report_write_grid(struct report *r);    /* prompts by targets, and first violations */
void report_write_notes(struct report *r);   /* how to read it, and the settings */

#endif
