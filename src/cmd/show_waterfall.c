/* The nodes of a run as bars along the time. */
#include <inttypes.h>

#include "base/utf8.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/grid.h"
#include "cmd/screen/wrap.h"
#include "cmd/show.h"

#define FULL "\xe2\x96\x88"  /* a full block */
#define LIGHT "\xe2\x96\x91" /* a light one */
#define LENGTH_COLUMNS 11    /* of how long a node took, with a space before */
#define LABEL_MIN 20
#define LABEL_MAX 44
#define BAR_MIN 10
#define WIDE 160

/* How the line of a node is parted. */
struct layout {
	size_t label, bar;
	int64_t from_us, length_us;
};

char show_sign(enum at_kind kind)
{
	static const char signs[AT_KINDS] = { 'M', 'T', 'B', 'R', 'U', 'S' };

	return (unsigned)kind < AT_KINDS ? signs[kind] : '?';
}

/*
 * A third of the width for names, within bounds, and the rest for bars. A run that took no time counts as 1 us, so that
 * nothing is divided by 0.
 */
static struct layout layout_of(const struct show *s)
{
	size_t width = s->term->width < WIDE ? s->term->width : WIDE;
	struct layout l = { .label = width / 3, .from_us = s->profile->from_us };

	l.label = l.label < LABEL_MIN ? LABEL_MIN : l.label > LABEL_MAX ? LABEL_MAX : l.label;
	l.bar = width > l.label + LENGTH_COLUMNS + BAR_MIN ? width - l.label - LENGTH_COLUMNS : BAR_MIN;
	l.length_us = s->profile->to_us - s->profile->from_us;
	l.length_us = l.length_us > 0 ? l.length_us : 1;
	return l;
}

/* The column of a moment, from 0 to l->bar. */
static size_t column_of(const struct layout *l, int64_t us)
{
	double share = (double)(us - l->from_us) / (double)l->length_us;

	share = share < 0 ? 0 : share > 1 ? 1 : share;
	return (size_t)(share * (double)l->bar + 0.5);
}

/* The sign and name of a node, indented by its level and filled up to l->label columns. */
static void show_waterfall_add_label(struct buf *out, const struct layout *l, const struct profile_row *r)
{
	struct str mark = r->failed ? STR(" !") : r->partial ? STR(" ~") : STR("");
	size_t start = out->n;
	struct buf b;

	buf_init(&b);
	wrap_add_spaces(&b, 2 + 2 * (size_t)r->level);
	buf_printf(&b, "%c %s", show_sign(r->kind), r->total_only ? "total of " : "");
	term_add_text(&b, r->label);
	if (r->kind == AT_BRANCH && r->siblings)
		buf_printf(&b, " of %zu", r->siblings);
	grid_add_fitting(out, buf_str(&b), l->label - 1 - mark.n); /* the name is cut, its mark is not */
	while (mark.n && out->n && out->p[out->n - 1] == ' ')
		out->n--;
	buf_add_str(out, mark);
	for (size_t width = utf8_width(str_skip(buf_str(out), start)); width < l->label; width++)
		buf_add_byte(out, ' ');
	buf_free(&b);
}

static enum term_style show_waterfall_style_of(const struct profile_row *r)
{
	if (r->failed)
		return STYLE_ERROR;
	return r->kind == AT_MODEL_CALL ? STYLE_INFO : r->kind == AT_TOOL_CALL ? STYLE_WARNING : STYLE_DIM;
}

/* A tool call without a result takes no time that anybody knows. */
static int64_t length_of(const struct profile_row *r)
{
	return r->kind == AT_TOOL_CALL && r->partial ? 0 : r->to_us - r->from_us;
}

/* At least one column, also for a node of no length. The time until the first token is lighter. */
static void add_bar(struct buf *out, const struct show *s, const struct layout *l, const struct profile_row *r)
{
	size_t from = column_of(l, r->from_us), to = column_of(l, r->from_us + length_of(r)), first = from;
	bool is_call = r->kind == AT_MODEL_CALL || (r->kind == AT_TOOL_CALL && !r->partial);

	from = from < l->bar ? from : l->bar - 1;
	to = to > from ? to : from + 1;
	if (r->kind == AT_MODEL_CALL && r->ttft_us > 0 && r->ttft_us < l->length_us)
		first = column_of(l, r->from_us + r->ttft_us);
	first = first < to ? first : to;
	wrap_add_spaces(out, from);
	buf_add_str(out, str_from(term_style(s->term->color, show_waterfall_style_of(r))));
	for (size_t i = from; i < to; i++)
		buf_add_str(out, !is_call ? STR("|") : i < first ? STR(LIGHT) : STR(FULL));
	buf_add_str(out, str_from(term_style(s->term->color, STYLE_PLAIN)));
	wrap_add_spaces(out, l->bar - to);
}

static void add_right(struct buf *out, struct str text, size_t columns)
{
	wrap_add_spaces(out, text.n < columns ? columns - text.n : 0);
	buf_add_str(out, text);
}

/* How long a node took; a quotation mark below the time of a fan-out that stands once for all its calls. */
static void add_length(struct buf *out, const struct show *s, const struct profile_row *r)
{
	if (length_of(r) == 0)
		return;
	if (r->same) {
		buf_add_byte(out, '"');
		return;
	}
	buf_add_str(out, r->length == TRACE_LENGTH_AT_MOST ? STR("<=") : STR(""));
	amounts_add_time(out, length_of(r), s->raw);
	buf_add_str(out, r->length == TRACE_LENGTH_ABOUT ? STR("~") : STR(""));
}

/* Label, bar and length; spaces at the end are cut off. */
static void show_waterfall_add_row(struct buf *out, const struct show *s, const struct layout *l,
				   const struct profile_row *r)
{
	struct buf b;

	show_waterfall_add_label(out, l, r);
	if (!r->total_only) /* it has no place in time */
		add_bar(out, s, l, r);
	buf_init(&b);
	add_length(&b, s, r);
	add_right(out, buf_str(&b), LENGTH_COLUMNS);
	while (out->n && out->p[out->n - 1] == ' ')
		out->n--;
	buf_add_byte(out, '\n');
	buf_free(&b);
}

/* "0 s", the middle and the end above the bars. */
static void add_axis(struct buf *out, const struct show *s, const struct layout *l)
{
	struct buf middle, end;
	size_t used;

	buf_init(&middle);
	buf_init(&end);
	amounts_add_time(&middle, l->length_us / 2, s->raw);
	amounts_add_time(&end, l->length_us, s->raw);
	buf_printf(out, "%swaterfall%s", term_style(s->term->color, STYLE_BOLD),
		   term_style(s->term->color, STYLE_PLAIN));
	wrap_add_spaces(out, l->label - strlen("waterfall"));
	buf_add_str(out, STR("0 s"));
	used = 3;
	if (l->bar / 2 > used + 1 && l->bar / 2 + middle.n + end.n + 1 < l->bar) {
		wrap_add_spaces(out, l->bar / 2 - used);
		buf_add_str(out, buf_str(&middle));
		used = l->bar / 2 + middle.n;
	}
	if (used + end.n + 1 <= l->bar)
		add_right(out, buf_str(&end), l->bar - used);
	buf_add_byte(out, '\n');
	buf_free(&middle);
	buf_free(&end);
}

/* Explains the signs, but only those that occur among the rows shown. */
static void add_legend(struct buf *out, const struct show *s)
{
	static const char *const words[AT_KINDS] = { "model", "tool", "branch", "retry", "user", "system" };
	const struct profile *p = s->profile;
	bool failed = false, partial = false, waits = false, bound = false, seen[AT_KINDS] = { false };
	const char *comma = "";
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < p->row_count; i++) {
		seen[p->rows[i].kind] = true;
		failed = failed || p->rows[i].failed;
		waits = waits || p->rows[i].ttft_us > 0;
		bound = bound || p->rows[i].length == TRACE_LENGTH_AT_MOST;
		partial = partial || (p->rows[i].partial && !p->rows[i].failed);
	}
	for (size_t i = 0; i < AT_KINDS; i++) {
		if (!seen[i])
			continue;
		buf_printf(&b, "%s%c %s%s", comma, show_sign((enum at_kind)i), words[i],
			   i == AT_MODEL_CALL && waits ? " (" LIGHT " until the first token)" : "");
		comma = ", ";
	}
	buf_add_str(&b, failed ? STR("; ! failed") : STR(""));
	buf_add_str(&b, partial ? STR("; ~ broke off") : STR(""));
	buf_add_str(&b, bound ? STR("; <= between an answer and the next request") : STR(""));
	buf_add_str(out, str_from(term_style(s->term->color, STYLE_DIM)));
	buf_add_str(out, STR("  "));
	wrap_add_words(out, buf_str(&b), 2, 2, s->term->width);
	buf_add_str(out, str_from(term_style(s->term->color, STYLE_PLAIN)));
	buf_add_byte(out, '\n');
	buf_free(&b);
}

void show_add_waterfall(struct buf *out, const struct show *s)
{
	const struct profile *p = s->profile;
	struct layout l = layout_of(s);

	if (p->row_count == 0)
		return;
	buf_add_byte(out, '\n');
	add_axis(out, s, &l);
	for (size_t i = 0; i < p->row_count; i++)
		show_waterfall_add_row(out, s, &l, &p->rows[i]);
	if (p->nodes > p->row_count) {
		buf_add_str(out, STR("  and "));
		amounts_add_things(out, p->nodes - p->row_count, "shorter node");
		if (s->hint)
			buf_printf(out, "; %s", s->hint);
		buf_add_byte(out, '\n');
	}
	add_legend(out, s);
}
