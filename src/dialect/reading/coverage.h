/*
 * How much of a source came through: for every field, how often it was mapped to the model, kept as an extension,
 * dropped on purpose, or lost. A field is a path with the places in arrays left out ("message.content[].type") that
 * leads to a leaf: a string, a number, true, false, null, an empty object or array.
 *
 * Objects used as maps would make endless fields: of the members of one object the first COVERAGE_MEMBERS names
 * are told apart, further ones are "*"; and after COVERAGE_FIELDS fields whatever is new is counted as one.
 * The counts of leaves stay exact.
 *
 * One thread owns a coverage; those of several are merged at the end.
 */
#ifndef DIALECT_READING_COVERAGE_H
#define DIALECT_READING_COVERAGE_H

#include "base/arena.h"
#include "json/json.h"

#define COVERAGE_FIELDS 4096
#define COVERAGE_MEMBERS 128

struct coverage;

/* Counts of one thread, until coverage_close, which takes NULL too. Two are joined by coverage_merge. */
struct coverage *coverage_open(void);
void coverage_close(struct coverage *c);

/* One record that was read: marks has an enum reading_mark for each token of the tape, of containers for all inside. */
void coverage_add(struct coverage *c, struct val root, const uint8_t *marks);

/* Adds the counts of another thread; `from` stays as it was. The result does not depend on the order. */
void coverage_merge(struct coverage *into, const struct coverage *from);

struct coverage_counts {
	uint64_t taken, kept, dropped, left; /* left: neither mapped, kept nor dropped by name, so it is lost */
	uint64_t nulls;                      /* of those dropped and left */
};

struct coverage_field {
	struct str path; /* "(other)" for all beyond the limit, "(value)" for a record that is no object or array */
	struct coverage_counts leaves;
};

/* Fields in the order of their paths; their number is returned. List and paths are in the arena. */
size_t coverage_list(const struct coverage *c, struct arena *a, const struct coverage_field **out);

struct coverage_summary {
	uint64_t records;
	struct coverage_counts leaves;
	uint64_t fields, core, ext, lost; /* distinct: ever mapped; else ever kept; else neither */
	bool limited;                     /* there were more fields than could be told apart */
	double overall;                   /* share of the leaves that were mapped or kept; 1 when there are none */
	double mean, low, high;           /* of that share in a record; with its 95 % interval (normal, n = records) */
	bool has_interval;                /* two records or more */
};

/* What all records come to; overall is 1 when there was none. */
struct coverage_summary coverage_sum(const struct coverage *c);

#endif
