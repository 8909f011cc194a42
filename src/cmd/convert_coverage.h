/* The table of `trackway convert --coverage`: what became of the fields of a source, and the sizes of both sides. */
#ifndef CMD_CONVERT_COVERAGE_H
#define CMD_CONVERT_COVERAGE_H

#include "base/arena.h"
#include "base/buf.h"
#include "dialect/reading/coverage.h"

struct convert_sizes {
	uint64_t source, output;               /* bytes, unpacked */
	uint64_t source_gzip, output_gzip;     /* the same in gzip (flow/packed_size.h) */
	bool has_gzip; /* false: both sizes in gzip mean nothing */
};

/* What is told about: formats by their names. */
struct convert_covered {
	struct str from, to;
	const struct coverage *coverage; /* the caller's */
	struct convert_sizes sizes; /* all 0: they are not told. Of one of several: each source packed by itself */
	uint64_t runs;
	const struct convert_covered *formats; /* where there are several: the same of each */
	size_t format_count;
};

/*
 * For people, 80 columns wide unless a name is longer; the names of dropped fields at the end, at most 40 of them. With
 * several formats, a table with a row for each comes first, and one for each of them last. The arena is for work only.
 */
void convert_coverage_add_text(struct buf *out, struct arena *a, const struct convert_covered *t);

/*
 * One line of JSON, schema "trackway.coverage/1", with every field. Shares are rounded to six places; null where
 * nothing was measured.
 */
void convert_coverage_add_json(struct buf *out, struct arena *a, const struct convert_covered *t);

#endif
