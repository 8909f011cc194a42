/* Samples of a vendor, converted and held against EXPECT.jsonl: figures, and that what is written is valid. */
#ifndef UNIT_DIALECT_EXPECT_RUN_H
#define UNIT_DIALECT_EXPECT_RUN_H

#include "harness/convert.h"
#include "harness/test.h"

static inline bool expect_text_is(struct val v, const char *name, const char *text)
{
	struct val member = val_get(v, str_from(name));

	return val_is(member, JSON_STRING) && val_text_is(member, str_from(text));
}

/* One sample; what is wrong with it is added to `wrong`. */
static inline void expect_sample(struct arena *a, const char *folder, struct val row, const char *dialect, struct buf *wrong)
{
	struct str file = val_text(val_get(row, STR("file")), a);
	struct str path = arena_printf(a, "%s/dev/%.*s", folder, STR_ARG(file));
	struct convert_how how = { .to = "otutl" };
	struct converted log = convert_file(a, path.p, how), trace;
	struct convert_figures figures = convert_count(log.out);
	struct str first;
	size_t before = wrong->n;

	/* where nobody can tell whether it is a run, nobody can tell of which format */
	if (!log.done || !log.from ||
	    (strcmp(log.from->name, dialect) != 0 && !val_is(val_get(row, STR("runs")), JSON_NULL)))
		buf_printf(wrong, "read as %s\n", log.from ? log.from->name : "nothing");
	else if (expect_text_is(row, "confidence", "high"))
		convert_compare(wrong, &figures, row);
	if (convert_errors(a, "otutl", log.out, &first))
		buf_printf(wrong, "the log is not valid: %.*s\n", STR_ARG(first));
	how.to = "agent-trace";
	trace = convert_file(a, path.p, how);
	if (convert_errors(a, "agent-trace", trace.out, &first))
		buf_printf(wrong, "the trace is not valid: %.*s\n", STR_ARG(first));
	if (log.coverage.leaves.left)
		buf_printf(wrong, "%llu values are neither mapped, kept nor dropped\n",
			   (unsigned long long)log.coverage.leaves.left);
	if (wrong->n > before)
		buf_printf(wrong, "  in %.*s\n", STR_ARG(file));
}

/* Every row of a folder's EXPECT.jsonl that is a run; at least `least` of them. */
static inline void expect_folder(const char *vendor, const char *dialect, size_t least)
{
	const char *folder = test_shared(vendor);
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct arena a;
	struct str left, line;
	struct buf wrong;
	struct val row;
	size_t n = 0;

	arena_init(&a);
	buf_init(&wrong);
	left = test_read(arena_printf(&a, "%s/EXPECT.jsonl", folder).p);
	while (left.n) {
		line = str_cut(left, '\n', &left);
		if (!line.n || !json_parse_copy(p, line, &row, NULL) || !val_is_none(val_get(row, STR("skip"))))
			continue;
		expect_sample(&a, folder, row, dialect, &wrong);
		n++;
	}
	if (wrong.n)
		FAIL("%.*s", (int)wrong.n, wrong.p);
	CHECK(n >= least);
	json_parser_close(p);
	buf_free(&wrong);
	arena_free(&a);
}

#endif
