/* A summary for a terminal: a block for each model, notes, violations. Several models are first shown in one list. */
#include <inttypes.h>
#include <math.h>

#include "base/utf8.h"
#include "bench/report/summary_cells.h"

#define WIDTH_MIN 60
#define BAR_MAX 30
#define TARGET_MAX 40        /* columns of a target in the list of all */
#define VIOLATIONS_MAX 20  /* summary.md has more of them */

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define RED "\033[31m"
#define PLAIN "\033[0m"

struct page {
	struct buf *out;
	size_t width;
	bool color;
	struct buf line;    /* under way, without colours */
	struct arena arena; /* of texts in it */
};

/* The part of a text that has room in so many columns. */
static size_t fitting(struct str s, size_t columns)
{
	size_t at = 0;

	while (at < s.n) {
		uint32_t code;
		size_t n = utf8_decode(s.p + at, s.n - at, &code);
		size_t wide = utf8_width(str_of(s.p + at, n ? n : 1));

		if (wide > columns)
			break;
		columns -= wide;
		at += n ? n : 1;
	}
	return at;
}

/* Ends the line: cut when it is too wide for the page. */
static void line_end(struct page *p, const char *style)
{
	struct str text = buf_str(&p->line);

	while (text.n && text.p[text.n - 1] == ' ')
		text.n--;
	if (p->color && *style)
		buf_add_str(p->out, str_from(style));
	if (utf8_width(text) <= p->width) {
		buf_add_str(p->out, text);
	} else {
		buf_add_str(p->out, str_of(text.p, fitting(text, p->width - 1)));
		buf_add_str(p->out, STR("\xe2\x80\xa6")); /* ... as one character */
	}
	if (p->color && *style)
		buf_add_str(p->out, STR(PLAIN));
	buf_add_byte(p->out, '\n');
	buf_clear(&p->line);
}

/* A heading, with an empty line before it. */
static void add_heading(struct page *p, const char *title)
{
	line_end(p, "");
	buf_add_str(&p->line, str_from(title));
	line_end(p, BOLD);
}

/* Blanks up to a column. */
static void line_pad(struct page *p, size_t column)
{
	for (size_t n = utf8_width(buf_str(&p->line)); n < column; n++)
		buf_add_byte(&p->line, ' ');
}

/* Words, on as many lines as they need, each after the first a little further in. */
static void add_wrapped(struct page *p, struct str text)
{
	size_t used = 4;
	bool first = true;

	buf_add_str(&p->line, STR("  - "));
	while (text.n) {
		struct str word = str_cut(text, ' ', &text);
		size_t wide = utf8_width(word);

		if (!first && used + 1 + wide > p->width) {
			line_end(p, DIM);
			buf_add_str(&p->line, STR("    "));
			used = 4;
			first = true;
		}
		if (!first)
			buf_add_byte(&p->line, ' ');
		buf_add_str(&p->line, word);
		used += wide + !first;
		first = false;
	}
	line_end(p, DIM);
}

/* A sentence on each line of `notes`. */
static void add_sentences(struct page *p, struct str notes)
{
	while (notes.n)
		add_wrapped(p, str_cut(notes, '\n', &notes));
}

/* ---- one model ---- */

/* From 0 to 100 %: where the interval is, and in it the rate. */
static void add_bar(struct buf *out, struct rate r, size_t columns)
{
	size_t low, high, at;

	if (r.n == 0)
		return;
	low = (size_t)(r.interval.low * (double)(columns - 1) + 0.5);
	high = (size_t)(r.interval.high * (double)(columns - 1) + 0.5);
	at = (size_t)((double)r.k / (double)r.n * (double)(columns - 1) + 0.5);
	for (size_t i = 0; i < columns; i++) {
		if (i == at)
			buf_add_str(out, STR("\xe2\x97\x8f")); /* a filled circle */
		else if (i >= low && i <= high)
			buf_add_str(out, STR("\xe2\x94\x80")); /* a line */
		else
			buf_add_str(out, STR("\xc2\xb7")); /* a middle dot */
	}
}

/* What is left of the line after `taken` columns, between 8 and BAR_MAX. With less room line_end cuts it. */
static size_t bar_columns(const struct page *p, size_t taken)
{
	size_t left = p->width > taken ? p->width - taken : 0;

	return left > BAR_MAX ? BAR_MAX : left < 8 ? 8 : left;
}

/* The borders of the tiers; without color the figures say the same. */
static const char *color_of(struct rate r)
{
	double rate = r.n ? (double)r.k / (double)r.n : 0;

	return r.n == 0 ? "" : rate >= 0.8 ? GREEN : rate >= 0.5 ? YELLOW : RED;
}

/* "  objective  83.3 %  25 of 30   ....----O--  66.4 to 92.7" */
static void summary_text_add_rate(struct page *p, const char *name, struct rate r)
{
	buf_printf(&p->line, "  %s", name);
	line_pad(p, 13);
	if (r.n == 0) {
		buf_add_byte(&p->line, '-');
		line_end(p, "");
		return;
	}
	buf_printf(&p->line, "%s%s%s %%  %" PRIu64 " of %" PRIu64, r.k < r.n ? " " : "", r.k * 10 < r.n ? " " : "",
		   cell_percent(r).text, r.k, r.n);
	line_pad(p, 34);
	add_bar(&p->line, r, bar_columns(p, 34 + 2 + 14));
	buf_printf(&p->line, "  %s\xe2\x80\x93%s", cell_share(r.interval.low).text, cell_share(r.interval.high).text);
	line_end(p, color_of(r));
}

static void summary_text_add_spread(struct page *p, const char *name, const struct spread *s)
{
	if (s->n == 0)
		return;
	buf_printf(&p->line, "  %s", name);
	line_pad(p, 13);
	buf_printf(&p->line, "p50 %s  p95 %s  p99 %s  mean %s", cell_ms(s->p50).text, cell_ms(s->p95).text,
		   cell_ms(s->p99).text, cell_ms(s->mean).text);
	line_end(p, "");
}

/* Kinds of failure that did not occur are left out; "ok" stands even when it is 0. */
static void add_calls(struct page *p, const struct summary_group *g)
{
	static const char *const names[] = { "ok", "failed", "rate-limited", "skipped" };
	const uint64_t counts[] = { g->n_ok, g->n_error, g->n_limited, g->n_unavailable };

	buf_printf(&p->line, "  calls      %" PRIu64 ":", g->n_total);
	for (size_t i = 0; i < COUNT(counts); i++)
		if (counts[i] || i == 0)
			buf_printf(&p->line, "%s %" PRIu64 " %s", i ? "," : "", counts[i], names[i]);
	line_end(p, "");
}

static void add_speed(struct page *p, const struct summary_group *g)
{
	buf_printf(&p->line, "  wall       %s", cell_ms(g->has_wall ? (double)g->wall_ms : NAN).text);
	if (isfinite(g->tokens_per_second))
		buf_printf(&p->line, "  %.1f tokens/s", g->tokens_per_second);
	if (isfinite(g->usd))
		buf_printf(&p->line, "  %s%s", cell_usd(g->usd).text, g->usd_estimated ? " (estimated)" : "");
	line_end(p, "");
	if (g->unpriced) {
		buf_add_str(&p->line, STR("  cost       "));
		cell_add_unpriced(&p->line, g, false);
		line_end(p, "");
	}
}

/* Only when both ends were measured: one of them says nothing about a change. */
static void add_resources(struct page *p, const struct summary_group *g)
{
	if (!g->before.known || !g->after.known)
		return;
	buf_printf(&p->line, "  free       RAM %s -> %s, disk %s -> %s", cell_bytes(g->before.mem_available).text,
		   cell_bytes(g->after.mem_available).text, cell_bytes(g->before.disk_free).text,
		   cell_bytes(g->after.disk_free).text);
	line_end(p, "");
}

/* The block of one model. */
static void add_group(struct page *p, const struct summary_group *g)
{
	struct buf notes;

	line_end(p, "");
	buf_printf(&p->line, "%s%s%s", cell_target(&p->arena, g), g->size.p ? ", " : "", cell_text(&p->arena, g->size));
	line_end(p, BOLD);
	add_calls(p, g);
	summary_text_add_rate(p, "success", g->success);
	summary_text_add_rate(p, "objective", g->pass);
	if (g->tools.n) {
		summary_text_add_rate(p, "tools", g->tools);
		buf_printf(&p->line, "  tier       %d%s", g->tier,
			   g->tier_unsure ? " (n too small to separate tiers)" : "");
		line_end(p, g->tier == 1 ? GREEN : g->tier == 2 ? YELLOW : RED);
	}
	summary_text_add_spread(p, "latency", &g->latency);
	summary_text_add_spread(p, "TTFT", &g->ttft);
	add_speed(p, g);
	add_resources(p, g);
	buf_init(&notes);
	cell_add_notes(&notes, g);
	add_sentences(p, buf_str(&notes));
	buf_free(&notes);
}

/* ---- all of them ---- */

/* All models in one list, a line each; names are cut so that the figures have room. */
static void add_list(struct page *p, const struct summary *s)
{
	size_t wide = 5;

	for (size_t i = 0; i < s->count; i++) {
		size_t n = utf8_width(str_from(cell_target(&p->arena, &s->groups[i])));

		wide = n > wide ? n : wide;
	}
	if (wide > TARGET_MAX || wide > p->width - 42)
		wide = p->width - 42 < TARGET_MAX ? p->width - 42 : TARGET_MAX;
	line_end(p, "");
	buf_add_str(&p->line, STR("model"));
	line_pad(p, wide);
	buf_add_str(&p->line, STR("  objective           p50       tier"));
	line_end(p, DIM);
	for (size_t i = 0; i < s->count; i++) {
		const struct summary_group *g = &s->groups[i];

		buf_add_str(&p->line, str_from(cell_target(&p->arena, g)));
		if (utf8_width(buf_str(&p->line)) > wide) {
			p->line.n = fitting(buf_str(&p->line), wide - 1);
			buf_add_str(&p->line, STR("\xe2\x80\xa6"));
		}
		line_pad(p, wide + 2);
		buf_printf(&p->line, "%s%s", cell_percent(g->pass).text, g->pass.n ? " %" : "");
		line_pad(p, wide + 2 + 8);
		add_bar(&p->line, g->pass, 10);
		line_pad(p, wide + 2 + 20);
		buf_add_str(&p->line, str_from(cell_ms(g->latency.n ? g->latency.p50 : NAN).text));
		line_pad(p, wide + 2 + 30);
		if (g->tier)
			buf_printf(&p->line, "%d%s", g->tier, g->tier_unsure ? "?" : "");
		else
			buf_add_byte(&p->line, '-');
		line_end(p, color_of(g->pass));
	}
}

static void summary_text_add_notes(struct page *p, const struct summary *s)
{
	struct buf notes;

	buf_init(&notes);
	cell_add_run_notes(&notes, s);
	add_heading(p, "Notes");
	add_sentences(p, buf_str(&notes));
	buf_free(&notes);
}

/*
 * A terminal shows VIOLATIONS_MAX of them and points to summary.md. Each is one line, cut at the width, and below it
 * what the model said.
 */
static void summary_text_add_violations(struct page *p, const struct summary *s)
{
	size_t count;
	struct cell_violation *list = cell_violations(s, &count);

	if (count)
		add_heading(p, "Violations by prompt");
	for (size_t i = 0; i < count && i < VIOLATIONS_MAX; i++) {
		const struct summary_prompt *q = list[i].prompt;

		buf_printf(&p->line, "  %s (%" PRIu64 " of %" PRIu64 " passed", cell_text(&p->arena, q->id), q->passed,
			   q->judged);
		if (s->count > 1)
			buf_printf(&p->line, ", %s", cell_target(&p->arena, &s->groups[list[i].group]));
		buf_printf(&p->line, "): %s", q->violation.p ? cell_text(&p->arena, q->violation) : "-");
		line_end(p, "");
		if (!q->violation.p)
			continue;
		buf_printf(&p->line, "    %s", cell_text(&p->arena, cell_got(&p->arena, q->answer)));
		line_end(p, DIM);
	}
	if (count > VIOLATIONS_MAX) {
		buf_printf(&p->line, "  and %zu more: see summary.md", count - VIOLATIONS_MAX);
		line_end(p, "");
	}
	mem_free(list);
}

void summary_write_text(struct buf *out, const struct summary *s, size_t width, bool color)
{
	struct page p = { .out = out, .width = width < WIDTH_MIN ? WIDTH_MIN : width, .color = color };

	buf_init(&p.line);
	arena_init(&p.arena);
	buf_printf(&p.line, "run %s: %" PRIu64 " calls%s%s", cell_text(&p.arena, s->run_id), s->rows,
		   s->has_wall ? " in " : "", s->has_wall ? cell_ms((double)s->wall_ms).text : "");
	line_end(&p, BOLD);
	if (s->count > 1)
		add_list(&p, s);
	for (size_t i = 0; i < s->count; i++)
		add_group(&p, &s->groups[i]);
	summary_text_add_notes(&p, s);
	summary_text_add_violations(&p, s);
	arena_free(&p.arena);
	buf_free(&p.line);
}
