/* Makes the pages of a run again and compares them with those in its directory. */
#include "bench/report/check_pages.h"

#include <sys/stat.h>

#include "base/build.h"
#include "base/clock.h"
#include "base/file.h"
#include "bench/report/check_sum.h"
#include "bench/report/html_page.h"
#include "bench/report/outputs_mark.h"
#include "bench/report/page_table.h"

#define PAGE_MAX ((size_t)64 << 20)
#define PAGE_HEAD 8192 /* bytes that say who made it */

/* A page: how it is known, made again and read. */
struct page_kind {
	const char *name;
	const char *sign; /* of ours, in its beginning, in every version */
	void (*write)(struct buf *out, const struct summary *s, const struct config *c, struct str page);
	void (*read)(struct page_table *t, struct arena *a, struct str page, size_t most);
};

/* The Markdown page has neither settings nor a time, so nothing but the summary goes in. */
static void write_page_md(struct buf *out, const struct summary *s, const struct config *c, struct str page)
{
	(void)c;
	(void)page;
	summary_write_md(out, s);
}

/* When a page says that it was made: "page of 2026-05-01 12:00:00 UTC". */
static int64_t page_time(struct str page)
{
	static const char before[] = "page of ";
	size_t at = str_find(page, STR("page of "));
	struct stamp stamp;
	char text[21];

	if (at == (size_t)-1 || page.n - at < sizeof(before) - 1 + 19)
		return 0;
	memcpy(text, page.p + at + sizeof(before) - 1, 19);
	text[10] = 'T';
	text[19] = 'Z';
	return stamp_parse(str_of(text, 20), &stamp) ? stamp.seconds * 1000000000 : 0;
}

/* A page says when it was made. It is made again as of that time, or no byte after it would agree. */
static void write_page_html(struct buf *out, const struct summary *s, const struct config *c, struct str page)
{
	report_write_html(out, s, c, page_time(page));
}

static const struct page_kind page_kinds[] = {
	{ "summary.md", "# Benchmark run ", write_page_md, page_table_read_md },
	{ "report.html", "<meta name='generator' content='trackway ", write_page_html, page_table_read_html },
};

struct page_check {
	struct run_check *out;
	const struct page_kind *kind;
	const struct config *config;
	struct str page;
};

/* Whether all is there that a page tells beside the results; that something is missing has been told. */
static bool has_beside(const struct summary *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->groups[i].before.known || !s->groups[i].after.known)
			return false;
	return true;
}

/* ---- of another version ---- */

/*
 * The cell below the head `name`; NULL when the table has no such column or the row is too short. Columns are found by
 * name: other versions had others.
 */
static const struct str *cell_of(const struct page_table *t, const struct page_row *row, struct str name)
{
	for (size_t i = 0; t->count && i < t->rows[0].count && i < row->count; i++)
		if (str_eq(t->rows[0].cells[i], name))
			return &row->cells[i];
	return NULL;
}

/* Columns that name a target, and what it is, in either page. */
static bool is_name_column(struct str name)
{
	static const struct str names[] = {
		{ "provider", 8 }, { "model", 5 }, { "thinking", 8 }, { "target", 6 }, { "size", 4 }, { "", 0 },
	};

	return str_is_one_of(name, names, COUNT(names));
}

/* Compares those naming columns that the wanted table has: Markdown names a target in three, HTML in one. */
static bool is_same_target(const struct page_table *a, const struct page_row *x, const struct page_table *b,
			   const struct page_row *y)
{
	static const struct str names[] = { { "provider", 8 }, { "model", 5 }, { "thinking", 8 }, { "target", 6 } };

	for (size_t i = 0; i < COUNT(names); i++) {
		const struct str *one = cell_of(a, x, names[i]), *other = cell_of(b, y, names[i]);

		if (one && (!other || !str_eq(*one, *other)))
			return false;
	}
	return true;
}

/* A finding for each figure that differs. `x` is a row of what the results give, `y` the page's. */
static void compare_row(struct page_check *p, const struct page_table *want, const struct page_row *x,
			const struct page_table *got, const struct page_row *y)
{
	for (size_t i = 0; i < want->rows[0].count && i < x->count; i++) {
		struct str name = want->rows[0].cells[i];
		const struct str *other = cell_of(got, y, name);

		if (is_name_column(name) || !other || str_eq(x->cells[i], STR("-")) ||
		    page_cell_agrees(x->cells[i], *other))
			continue; /* what cannot be known any more is not held against it */
		run_check_note(p->out, RUN_PAGE, "%s, row %zu: %.*s is %.*s, but the results give %.*s", p->kind->name,
			       (size_t)(y - got->rows), STR_ARG(name), STR_ARG(*other), STR_ARG(x->cells[i]));
	}
}

/* Holds the first table of a page against the table that the results give now, row by row. */
static void compare_figures(struct page_check *p, const struct summary *s, const char *why)
{
	struct page_table want, got;
	struct arena a;
	struct buf text;

	arena_init(&a);
	buf_init(&text);
	p->kind->write(&text, s, p->config, p->page);
	p->kind->read(&want, &a, buf_str(&text), s->count + 1);
	p->kind->read(&got, &a, p->page, s->count + 2);
	if (got.count > want.count)
		run_check_note(p->out, RUN_PAGE, "%s has more targets than the results", p->kind->name);
	for (size_t i = 1; i < want.count; i++) {
		size_t k = 1;

		while (k < got.count && !is_same_target(&want, &want.rows[i], &got, &got.rows[k]))
			k++;
		if (k < got.count)
			compare_row(p, &want, &want.rows[i], &got, &got.rows[k]);
		else
			run_check_note(p->out, RUN_PAGE, "%s lacks a target of the results", p->kind->name);
	}
	run_check_note(p->out, RUN_PAGE_OTHER, "%s %s: its figures were compared, its words were not",
		       p->kind->name, why);
	buf_free(&text);
	arena_free(&a);
}

/* ---- of this version ---- */

/*
 * Tells the first line that differs, once. Where files beside the results are gone, the page cannot be made again byte
 * for byte, and its figures are compared instead.
 */
static void compare_bytes(struct page_check *p, const struct summary *s, enum rate_method method)
{
	struct buf want;
	size_t line = 1, i = 0;

	buf_init(&want);
	p->kind->write(&want, s, p->config, p->page);
	outputs_mark_add(&want, method);
	while (i < want.n && i < p->page.n && want.p[i] == p->page.p[i])
		line += want.p[i++] == '\n';
	if ((i < want.n || i < p->page.n) && has_beside(s))
		run_check_note(p->out, RUN_PAGE, "%s, line %zu: not what the results give", p->kind->name, line);
	else if (i < want.n || i < p->page.n)
		compare_figures(p, s, "tells of files that are missing");
	buf_free(&want);
}

/* ---- pages ---- */

/* Checks one page by who made it: this version byte for byte, another by its figures, a stranger not at all. */
static bool check_page(struct page_check *p, struct err *err)
{
	struct str path = ARENA_JOIN(p->out->arena, p->out->path, STR("/"), str_from(p->kind->name)), version;
	enum rate_method method = RATE_WILSON;
	struct summary s;
	bool marked;
	struct stat st;

	if (lstat(path.p, &st) != 0 || !S_ISREG(st.st_mode))
		return true; /* a link is not followed, and what is missing has been told */
	if (!file_read(p->out->arena, path, PAGE_MAX, &p->page, err))
		return false;
	marked = outputs_mark_read(p->page, &version, &method);
	if (!marked && !str_has(str_of(p->page.p, p->page.n < PAGE_HEAD ? p->page.n : PAGE_HEAD),
				str_from(p->kind->sign))) {
		run_check_note(p->out, RUN_PAGE_OTHER, "%s is another program's page: not checked", p->kind->name);
		return true;
	}
	if (!summary_make(&s, p->out->arena, p->out->path, method, err))
		return false;
	if (marked && str_eq(version, STR(BUILD_VERSION)))
		compare_bytes(p, &s, method);
	else
		compare_figures(p, &s, "is a page of another version");
	return true;
}

bool run_check_pages(struct run_check *c, const struct config *config, struct err *err)
{
	for (size_t i = 0; i < COUNT(page_kinds); i++) {
		struct page_check p = { .out = c, .kind = &page_kinds[i], .config = config };

		if (!check_page(&p, err))
			return false;
	}
	return true;
}
