/* A load test for people at a terminal: the line that moves, the tables at the end. */
#ifndef CMD_BENCH_LOAD_SHOWN_H
#define CMD_BENCH_LOAD_SHOWN_H

#include "bench/load/report.h"
#include "cmd/frame/command.h"

/*
 * Adds "load 212 due  ok 198  open 14  812 tok/s  00:27 of 00:30", without a line end; what is 0 is mostly left out.
 * `length_ns` 0: nobody knows.
 */
void load_shown_progress(struct buf *out, const struct load_progress *p, uint64_t length_ns, size_t stages);

/* The report of a finished test: stages, times of each stage, failures and notes, in lines that fit `t`. */
void load_shown_text(struct buf *out, struct arena *a, const struct load_report *r, const struct term *t);

/* The members of load.json that --json may name; ended by NULL. */
extern const char *const load_shown_fields[];
/* Adds load.json (`json` is its text) with the members that are selected, all of them without a selection. */
void load_shown_json(struct buf *out, struct str json, struct opt_maybe selected);

#endif
