/*
 * Cuts the line in two steps: first to REACH bytes around the mark, whatever the line's length, then to as many cells
 * as fit the width. Carets are counted in columns of what is shown, not of what was read.
 */
#include "cmd/report/excerpt.h"

#include "base/num.h"
#include "base/utf8.h"
#include "cmd/screen/term.h"
#include "cmd/screen/wrap.h"

#define REACH 256 /* bytes looked at on each side of the place: more than any width shows */
#define CELLS (3 * REACH)

/* One character of the excerpt and how it is shown. */
struct cell {
	size_t byte;  /* where it begins in the excerpt */
	size_t shown; /* where its text begins in `shown` */
	size_t width;
};

struct excerpt {
	struct cell cells[CELLS + 1]; /* one more than there are, for the ends */
	size_t count;
	struct buf shown;
	bool cut_left, cut_right;
};

/* Part of the excerpt within reach of the mark, not beginning inside a character. */
static struct str clip(struct excerpt *e, const struct finding *f, size_t *mark, size_t *mark_length)
{
	struct str text = f->excerpt;
	size_t start, end;

	*mark = f->mark < text.n ? f->mark : text.n;
	*mark_length = f->mark_length < text.n - *mark ? f->mark_length : text.n - *mark;
	*mark_length = *mark_length < REACH ? *mark_length : REACH;
	start = *mark > REACH ? *mark - REACH : 0;
	while (start < *mark && start > 0 && utf8_is_tail(text.p[start]))
		start++;
	end = text.n - *mark > 2 * REACH - 4 ? *mark + 2 * REACH - 4 : text.n;
	e->cut_left = start > 0 || f->at.column > utf8_count(str_of(text.p, *mark)) + 1;
	e->cut_right = end < text.n;
	*mark -= start;
	return str_of(text.p + start, end - start);
}

/* How each character is shown, and how wide that is: an escape may take several columns. */
static void make_cells(struct excerpt *e, struct str text)
{
	size_t at = 0;

	while (at < text.n && e->count < CELLS) {
		size_t before = e->shown.n, n = term_add_char(&e->shown, str_skip(text, at));

		e->cells[e->count].byte = at;
		e->cells[e->count].shown = before;
		e->cells[e->count++].width = utf8_width(str_skip(buf_str(&e->shown), before));
		at += n;
	}
	e->cells[e->count] = (struct cell){ .byte = at, .shown = e->shown.n };
}

static size_t excerpt_cell_at(const struct excerpt *e, size_t byte)
{
	size_t i = 0;

	while (i < e->count && e->cells[i + 1].byte <= byte)
		i++;
	return i;
}

static size_t excerpt_width_of(const struct excerpt *e, size_t from, size_t to)
{
	size_t width = 0;

	for (size_t i = from; i < to; i++)
		width += e->cells[i].width;
	return width;
}

/* Grows [*from, *to) around the mark on both sides in turn for as long as it fits. */
static void choose_window(const struct excerpt *e, size_t *from, size_t *to, size_t room)
{
	size_t used = 0;
	bool grew = true;

	while (grew) {
		grew = false;
		if (*to < e->count && used + e->cells[*to].width <= room) {
			used += e->cells[(*to)++].width;
			grew = true;
		}
		if (*from > 0 && used + e->cells[*from - 1].width <= room) {
			used += e->cells[--*from].width;
			grew = true;
		}
	}
}

static void add_margin(struct buf *out, bool color, const char *number, size_t digits)
{
	buf_printf(out, " %s%*.*s |%s", term_style(color, STYLE_PLACE), (int)digits, (int)digits, number,
		   term_style(color, STYLE_PLAIN));
}

static void add_carets(struct buf *out, enum term_style style, bool color, size_t count)
{
	buf_add_str(out, str_from(term_style(color, style)));
	memset(buf_reserve(out, count), '^', count);
	out->n += count;
	buf_printf(out, "%s\n", term_style(color, STYLE_PLAIN));
}

static struct str without_newline(struct str s)
{
	while (s.n && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\r'))
		s.n--;
	return s;
}

void excerpt_add(struct buf *out, const struct finding *f, bool color, size_t width)
{
	static const char ellipsis[] = "…";
	struct finding line = *f;
	struct excerpt e = { .count = 0 };
	char number[NUM_U64_MAX + 1] = "";
	size_t digits = num_format_u64(number, f->at.line), mark, mark_length, from, to, first, last;

	buf_init(&e.shown);
	buf_reserve(&e.shown, 1); /* so that there are bytes to point at, even for an empty line */
	line.excerpt = without_newline(f->excerpt);
	make_cells(&e, clip(&e, &line, &mark, &mark_length));
	first = from = to = excerpt_cell_at(&e, mark);
	choose_window(&e, &from, &to, width > digits + 6 ? width - digits - 6 : 1);
	last = mark_length ? excerpt_cell_at(&e, mark + mark_length - 1) + 1 : first + 1;
	last = last < to ? last : to;
	e.cut_left = e.cut_left || from > 0;
	e.cut_right = e.cut_right || to < e.count;

	add_margin(out, color, "", digits);
	buf_add_byte(out, '\n');
	add_margin(out, color, number, digits);
	buf_printf(out, " %s", e.cut_left ? ellipsis : "");
	buf_add(out, e.shown.p + e.cells[from].shown, e.cells[to].shown - e.cells[from].shown);
	buf_printf(out, "%s\n", e.cut_right ? ellipsis : "");
	add_margin(out, color, "", digits);
	wrap_add_spaces(out, 1 + e.cut_left + excerpt_width_of(&e, from, first));
	width = last > first ? excerpt_width_of(&e, first, last) : 0;
	add_carets(out, f->severity == SEV_ERROR ? STYLE_ERROR : STYLE_WARNING, color, width ? width : 1);
	buf_free(&e.shown);
}
