/* The table for people and the JSON are made from the same sums (coverage_sum), so their figures agree. */
#include "cmd/convert_coverage.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cmd/frame/field.h"
#include "cmd/screen/term.h"
#include "json/put.h"

#define NAMES_MAX 40

static bool is_lost(const struct coverage_field *f)
{
	return f->leaves.dropped + f->leaves.left > 0;
}

static uint64_t sum_of(const struct coverage_counts *n)
{
	return n->taken + n->kept + n->dropped + n->left;
}

/* Of a hundred, to one place; 100 only when it is all. */
static double percent(double share)
{
	double rounded = round(share * 1000) / 10;

	return rounded >= 100 && share < 1 ? 99.9 : rounded;
}

static void convert_coverage_add_part(struct buf *out, uint64_t n, uint64_t all)
{
	buf_printf(out, "%11" PRIu64 " %5.1f %%", n, all ? percent((double)n / (double)all) : 0);
}

/* Columns as the heading in add_table has them. */
static void convert_coverage_add_row(struct buf *out, const char *name, uint64_t core, uint64_t ext,
				     uint64_t dropped)
{
	uint64_t all = core + ext + dropped;

	buf_printf(out, "  %-7s%11" PRIu64, name, all);
	convert_coverage_add_part(out, core, all);
	convert_coverage_add_part(out, ext, all);
	convert_coverage_add_part(out, dropped, all);
	buf_add_byte(out, '\n');
}

/* The mean over records, beside the share of all values: one long record can hide many short ones. */
static void add_record_line(struct buf *out, const struct coverage_summary *s)
{
	buf_printf(out, "  a record on average %.1f %%", percent(s->mean));
	if (s->has_interval)
		buf_printf(out, " (95 %% interval %.1f to %.1f, n = %" PRIu64 ")", percent(s->low), percent(s->high),
			   s->records);
	else
		buf_printf(out, " (n = %" PRIu64 ")", s->records);
	buf_add_byte(out, '\n');
}

static void add_ratio(struct buf *out, uint64_t to, uint64_t from)
{
	if (from)
		buf_printf(out, "%14.2f", (double)to / (double)from);
	else
		buf_printf(out, "%14s", "-");
}

/* The two sides by their formats; the longer of both names makes the column. */
static void add_sizes(struct buf *out, const struct convert_covered *t)
{
	const struct convert_sizes *s = &t->sizes;
	int width = (int)(t->from.n > t->to.n ? t->from.n : t->to.n);

	width = width < 5 ? 5 : width;
	buf_printf(out, "\n  %*s%14s%s\n", width, "", "bytes", s->has_gzip ? "       in gzip" : "");
	buf_printf(out, "  %-*.*s%14" PRIu64, width, STR_ARG(t->from), s->source);
	if (s->has_gzip)
		buf_printf(out, "%14" PRIu64, s->source_gzip);
	buf_printf(out, "\n  %-*.*s%14" PRIu64, width, STR_ARG(t->to), s->output);
	if (s->has_gzip)
		buf_printf(out, "%14" PRIu64, s->output_gzip);
	buf_printf(out, "\n  %-*s", width, "ratio");
	add_ratio(out, s->output, s->source);
	if (s->has_gzip)
		add_ratio(out, s->output_gzip, s->source_gzip);
	buf_add_byte(out, '\n');
}

/* Lists fields of which values were dropped; "not on purpose" marks those that no rule of the dialect drops. */
static void add_names(struct buf *out, const struct coverage_field *list, size_t n)
{
	size_t lost = 0;

	for (size_t i = 0; i < n; i++)
		lost += is_lost(&list[i]);
	if (lost == 0)
		return;
	buf_add_str(out, STR("\n  dropped\n"));
	for (size_t i = 0, shown = 0; i < n; i++) {
		const struct coverage_counts *l = &list[i].leaves;

		if (!is_lost(&list[i]))
			continue;
		if (shown++ == NAMES_MAX) {
			buf_printf(out, "    and %zu more, which JSON lists\n", lost - NAMES_MAX);
			return;
		}
		buf_add_str(out, STR("    "));
		term_add_text(out, list[i].path);
		buf_printf(out, ": %" PRIu64 " of %" PRIu64 "%s\n", l->dropped + l->left, sum_of(l),
			   l->left ? ", not on purpose" : "");
	}
}

/* One format, or the sum over all of them. */
static void add_table(struct buf *out, struct arena *a, const struct convert_covered *t)
{
	struct coverage_summary s = coverage_sum(t->coverage);
	const struct coverage_field *list;
	size_t n = coverage_list(t->coverage, a, &list);

	buf_printf(out, "coverage of %.*s in %.*s: %.1f %% of all values\n\n", STR_ARG(t->from), STR_ARG(t->to),
		   percent(s.overall));
	buf_printf(out, "  %-7s%11s%11s%8s%11s%8s%11s\n", "", "seen", "to core", "", "to ext", "", "dropped");
	convert_coverage_add_row(out, "fields", s.core, s.ext, s.lost);
	convert_coverage_add_row(out, "values", s.leaves.taken, s.leaves.kept, s.leaves.dropped + s.leaves.left);
	if (s.leaves.nulls)
		buf_printf(out, "  of the dropped values, %" PRIu64 " %s null\n", s.leaves.nulls,
			   s.leaves.nulls == 1 ? "was" : "were");
	add_record_line(out, &s);
	if (s.limited)
		buf_printf(out, "  not all fields could be told apart: at most %d, and %d names in one object\n",
			   COVERAGE_FIELDS, COVERAGE_MEMBERS);
	if (t->sizes.source || t->sizes.output)
		add_sizes(out, t);
	add_names(out, list, n);
}

/* A row of the table of all formats: shares of fields, the mean of records with its interval, ratios of sizes. */
static void add_format(struct buf *out, struct str name, const struct convert_covered *t)
{
	struct coverage_summary s = coverage_sum(t->coverage);
	double all = s.fields ? (double)s.fields : 1;
	char interval[32] = "-";

	if (s.has_interval)
		snprintf(interval, sizeof(interval), "%.1f-%.1f", percent(s.low), percent(s.high));
	buf_printf(out, "  %-16.*s%6" PRIu64 "%7" PRIu64 "%7.1f%7.1f%5.1f%6.1f%12s", STR_ARG(name), t->runs, s.fields,
		   percent((double)s.core / all), percent((double)s.ext / all), percent((double)s.lost / all),
		   percent(s.mean), interval);
	if (t->sizes.source && t->sizes.source_gzip)
		buf_printf(out, "%6.2f%6.2f", (double)t->sizes.output / (double)t->sizes.source,
			   (double)t->sizes.output_gzip / (double)t->sizes.source_gzip);
	buf_add_byte(out, '\n');
}

/* All formats at a glance; fields are shares of those that were seen. */
static void add_formats(struct buf *out, const struct convert_covered *t)
{
	buf_printf(out, "coverage by format, in %.*s\n\n", STR_ARG(t->to));
	buf_printf(out, "  %-16s%6s%7s%7s%7s%5s%6s%12s%6s%6s\n", "", "", "fields", "% to", "% to", "%", "a", "95 %",
		   "size", "in");
	buf_printf(out, "  %-16s%6s%7s%7s%7s%5s%6s%12s%6s%6s\n", "", "runs", "seen", "core", "ext", "drop", "rec.",
		   "interval", "ratio", "gzip");
	for (size_t i = 0; i < t->format_count; i++)
		add_format(out, t->formats[i].from, &t->formats[i]);
	add_format(out, STR("all"), t);
	buf_add_byte(out, '\n');
}

void convert_coverage_add_text(struct buf *out, struct arena *a, const struct convert_covered *t)
{
	if (t->format_count)
		add_formats(out, t);
	add_table(out, a, t);
	for (size_t i = 0; i < t->format_count; i++) {
		buf_add_byte(out, '\n');
		add_table(out, a, &t->formats[i]);
	}
}

/* ---- JSON ---- */

/* null when it is not known */
static void put_share(struct json_writer *w, const char *name, bool is_known, double share)
{
	json_put_key(w, name);
	if (is_known)
		json_write_double(w, round(share * 1e6) / 1e6);
	else
		json_write_null(w);
}

static void convert_coverage_put_counts(struct json_writer *w, uint64_t core, uint64_t ext, uint64_t dropped)
{
	json_put_u64(w, "seen", core + ext + dropped);
	json_put_u64(w, "core", core);
	json_put_u64(w, "ext", ext);
	json_put_u64(w, "dropped", dropped);
}

static void put_size(struct json_writer *w, const char *name, uint64_t raw, uint64_t gzip, bool has_gzip)
{
	json_put_object(w, name);
	json_put_u64(w, "raw", raw);
	json_put_u64_or_null(w, "gzip", gzip, has_gzip);
	json_write_end_object(w);
}

static void put_sizes(struct json_writer *w, const struct convert_sizes *s)
{
	json_put_object(w, "sizes");
	put_size(w, "source", s->source, s->source_gzip, s->has_gzip);
	put_size(w, "output", s->output, s->output_gzip, s->has_gzip);
	json_put_object(w, "ratio");
	put_share(w, "raw", s->source > 0, (double)s->output / (double)s->source);
	put_share(w, "gzip", s->has_gzip && s->source_gzip > 0, (double)s->output_gzip / (double)s->source_gzip);
	json_write_end_object(w);
	json_write_end_object(w);
}

/* The members that the document and each entry of by_format share. */
static void put_summary(struct json_writer *w, const struct coverage_summary *s)
{
	json_put_u64(w, "records", s->records);
	json_put_object(w, "fields");
	convert_coverage_put_counts(w, s->core, s->ext, s->lost);
	json_put_bool(w, "limited", s->limited);
	json_write_end_object(w);
	json_put_object(w, "values");
	convert_coverage_put_counts(w, s->leaves.taken, s->leaves.kept, s->leaves.dropped + s->leaves.left);
	json_put_u64(w, "not_on_purpose", s->leaves.left);
	json_put_u64(w, "dropped_null", s->leaves.nulls);
	json_write_end_object(w);
	json_put_object(w, "coverage");
	put_share(w, "overall", true, s->overall);
	json_put_object(w, "per_record");
	put_share(w, "mean", s->records > 0, s->mean);
	put_share(w, "low", s->has_interval, s->low);
	put_share(w, "high", s->has_interval, s->high);
	json_put_u64(w, "n", s->records);
	json_write_end_object(w);
	json_write_end_object(w);
}

static void put_field(struct json_writer *w, const struct coverage_field *f)
{
	json_write_begin_object(w);
	json_put_text(w, "field", f->path);
	json_put_u64(w, "core", f->leaves.taken);
	json_put_u64(w, "ext", f->leaves.kept);
	json_put_u64(w, "dropped", f->leaves.dropped + f->leaves.left);
	json_put_u64(w, "not_on_purpose", f->leaves.left);
	json_write_end_object(w);
}

/* `dropped` is the list people look for; `by_field` has all counts. */
static void put_fields(struct json_writer *w, struct arena *a, const struct coverage *c)
{
	const struct coverage_field *list;
	size_t n = coverage_list(c, a, &list);

	json_put_array(w, "dropped");
	for (size_t i = 0; i < n; i++)
		if (is_lost(&list[i]))
			json_write_string(w, list[i].path);
	json_write_end_array(w);
	json_put_array(w, "by_field");
	for (size_t i = 0; i < n; i++)
		put_field(w, &list[i]);
	json_write_end_array(w);
}

static void put_format(struct json_writer *w, struct arena *a, const struct convert_covered *t)
{
	struct coverage_summary s = coverage_sum(t->coverage);

	json_write_begin_object(w);
	json_put_text(w, "from", t->from);
	json_put_u64(w, "runs", t->runs);
	put_summary(w, &s);
	put_sizes(w, &t->sizes);
	put_fields(w, a, t->coverage);
	json_write_end_object(w);
}

void convert_coverage_add_json(struct buf *out, struct arena *a, const struct convert_covered *t)
{
	struct coverage_summary s = coverage_sum(t->coverage);
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "coverage");
	json_put_text(&w, "from", t->from);
	json_put_text(&w, "to", t->to);
	json_put_u64(&w, "runs", t->runs);
	put_summary(&w, &s);
	put_sizes(&w, &t->sizes);
	put_fields(&w, a, t->coverage);
	if (t->format_count) {
		json_put_array(&w, "by_format");
		for (size_t i = 0; i < t->format_count; i++)
			put_format(&w, a, &t->formats[i]);
		json_write_end_array(&w);
	}
	field_end_document(&w);
}
