/* Cells by the kind of their column. CSV and JSON write what is there; the other forms round. */
#include "sink/sheet.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "base/num.h"
#include "base/utf8.h"
#include "json/put.h"
#include "sink/cell.h"
#include "sink/html.h"

#define DASH "-"
#define LISTED 3 /* items of a list that people see; the rest is counted */
#define DIGEST_SHOWN 12 /* of 64 hexadecimal digits */
#define TEXT_SHOWN 200 /* bytes; on a page characters */

/* ---- filling ---- */

struct sheet sheet_begin(struct arena *a, const char *name, const struct sheet_column *columns, size_t width)
{
	return (struct sheet){ .arena = a, .name = name, .columns = columns, .width = width };
}

static void sheet_add(struct sheet *s, union sheet_value v)
{
	arena_grow(s->arena, s->values, s->count, s->cap, 256);
	s->values[s->count++] = v;
}

/* A cell of another kind than its column is a mistake of ours. */
static void sheet_expect(const struct sheet *s, enum sheet_kind first, enum sheet_kind last)
{
	enum sheet_kind kind = s->columns[s->count % s->width].kind;

	(void)first;
	(void)last;
	(void)kind;
	assert(kind >= first && kind <= last);
}

void sheet_add_text(struct sheet *s, struct str text)
{
	sheet_expect(s, SHEET_TEXT, SHEET_TEXT);
	sheet_add(s, (union sheet_value){ .text = text });
}

void sheet_add_texts(struct sheet *s, const struct str *items, size_t count)
{
	sheet_expect(s, SHEET_TEXTS, SHEET_TEXTS);
	sheet_add(s, (union sheet_value){ .list = { items, count } });
}

void sheet_add_number(struct sheet *s, double n)
{
	sheet_expect(s, SHEET_COUNT, SHEET_SECONDS);
	sheet_add(s, (union sheet_value){ .n = isfinite(n) ? n : NAN });
}

void sheet_add_range(struct sheet *s, struct interval i)
{
	sheet_expect(s, SHEET_RANGE, SHEET_SHARES);
	if (!isfinite(i.low) || !isfinite(i.high))
		i = (struct interval){ NAN, NAN };
	sheet_add(s, (union sheet_value){ .range = i });
}

void sheet_add_yes(struct sheet *s, int yes)
{
	sheet_expect(s, SHEET_YES, SHEET_YES);
	sheet_add(s, (union sheet_value){ .n = yes < 0 ? NAN : yes > 0 });
}

void sheet_add_seed(struct sheet *s, uint64_t bits, bool known)
{
	sheet_expect(s, SHEET_SEED, SHEET_SEED);
	sheet_add(s, (union sheet_value){ .seed = { bits, known } });
}

size_t sheet_rows(const struct sheet *s)
{
	assert(s->count % s->width == 0);
	return s->count / s->width;
}

unsigned sheet_tables(const struct sheet *s)
{
	unsigned most = 1;

	for (size_t i = 0; i < s->width; i++)
		if (s->columns[i].table > most)
			most = s->columns[i].table;
	return most;
}

bool sheet_is_in(const struct sheet_column *c, unsigned table)
{
	return c->head && (c->table == 0 || c->table == table);
}

bool sheet_is_right(const struct sheet_column *c)
{
	return c->kind != SHEET_TEXT && c->kind != SHEET_TEXTS && c->kind != SHEET_YES;
}

/* ---- JSON ---- */

static bool sheet_is_known(enum sheet_kind kind, const union sheet_value *v)
{
	switch (kind) {
	case SHEET_TEXT:
		return v->text.p != NULL;
	case SHEET_TEXTS:
		return v->list.items != NULL;
	case SHEET_RANGE:
	case SHEET_SHARES:
		return !isnan(v->range.low);
	case SHEET_SEED:
		return v->seed.known;
	default:
		return !isnan(v->n);
	}
}

static void sheet_put_value(struct json_writer *w, const struct sheet_column *c, const union sheet_value *v)
{
	if (!sheet_is_known(c->kind, v)) {
		json_put_null(w, c->name);
	} else if (c->kind == SHEET_TEXT) {
		json_put_text(w, c->name, v->text);
	} else if (c->kind == SHEET_TEXTS) {
		json_put_texts(w, c->name, v->list.items, v->list.count);
	} else if (c->kind == SHEET_RANGE || c->kind == SHEET_SHARES) {
		stats_put_interval(w, c->name, v->range);
	} else if (c->kind == SHEET_YES) {
		json_put_bool(w, c->name, v->n > 0);
	} else if (c->kind == SHEET_SEED) {
		struct cell hex = cell_printf("%016" PRIx64, v->seed.bits);

		json_put_text(w, c->name, str_from(hex.text));
	} else {
		json_put_double(w, c->name, v->n);
	}
}

void sheet_put_json(struct json_writer *w, const struct sheet *s)
{
	size_t rows = sheet_rows(s);

	json_put_key(w, s->name);
	if (!s->is_single)
		json_write_begin_array(w);
	for (size_t r = 0; r < rows; r++) {
		json_write_begin_object(w);
		for (size_t c = 0; c < s->width; c++)
			sheet_put_value(w, &s->columns[c], &s->values[r * s->width + c]);
		json_write_end_object(w);
	}
	if (!s->is_single)
		json_write_end_array(w);
}

/* ---- CSV ---- */

static void sheet_add_exact(struct buf *out, double n)
{
	char text[NUM_DOUBLE_MAX];

	if (!isnan(n))
		buf_add(out, text, num_format_double(text, n));
}

static void sheet_add_list(struct buf *out, const union sheet_value *v, size_t most)
{
	for (size_t i = 0; i < v->list.count && i < most; i++) {
		buf_add_str(out, i ? STR("; ") : STR(""));
		buf_add_str(out, v->list.items[i]);
	}
	if (v->list.count > most)
		buf_printf(out, " and %zu more", v->list.count - most);
}

static void sheet_add_csv_value(struct buf *out, const struct sheet *s, const struct sheet_column *c,
				const union sheet_value *v)
{
	if (c->kind == SHEET_RANGE || c->kind == SHEET_SHARES) {
		sheet_add_exact(out, v->range.low);
		buf_add_byte(out, ',');
		sheet_add_exact(out, v->range.high);
	} else if (!sheet_is_known(c->kind, v)) {
		return;
	} else if (c->kind == SHEET_TEXT) {
		buf_add_str(out, str_from(cell_csv(s->arena, v->text)));
	} else if (c->kind == SHEET_TEXTS) {
		struct buf list;

		buf_init(&list);
		sheet_add_list(&list, v, SIZE_MAX);
		buf_add_str(out, str_from(cell_csv(s->arena, buf_str(&list))));
		buf_free(&list);
	} else if (c->kind == SHEET_YES) {
		buf_add_str(out, v->n > 0 ? STR("true") : STR("false"));
	} else if (c->kind == SHEET_SEED) {
		buf_printf(out, "%016" PRIx64, v->seed.bits);
	} else {
		sheet_add_exact(out, v->n);
	}
}

void sheet_add_csv(struct buf *out, const struct sheet *s)
{
	size_t rows = sheet_rows(s);

	for (size_t c = 0; c < s->width; c++) {
		const struct sheet_column *col = &s->columns[c];

		buf_add_str(out, c ? STR(",") : STR(""));
		if (col->kind == SHEET_RANGE || col->kind == SHEET_SHARES)
			buf_printf(out, "%s_low,%s_high", col->name, col->name);
		else
			buf_add_str(out, str_from(col->name));
	}
	buf_add_str(out, STR("\r\n"));
	for (size_t r = 0; r < rows; r++) {
		for (size_t c = 0; c < s->width; c++) {
			buf_add_str(out, c ? STR(",") : STR(""));
			sheet_add_csv_value(out, s, &s->columns[c], &s->values[r * s->width + c]);
		}
		buf_add_str(out, STR("\r\n"));
	}
}

/* ---- for people ---- */

/* A digest or id of 64 digits is known by its beginning; JSON and CSV have all of it. */
static struct str sheet_shorten(struct str text)
{
	struct str hex = str_starts(text, STR("sha256:")) ? str_skip(text, sizeof("sha256:") - 1) : text;

	for (size_t i = 0; i < hex.n; i++)
		if (!strchr("0123456789abcdef", hex.p[i]) || !hex.p[i])
			return text;
	return hex.n == SHA256_HEX ? str_of(text.p, text.n - hex.n + DIGEST_SHOWN) : text;
}

static void sheet_add_safe(struct buf *out, struct arena *a, struct str text, enum sheet_form form)
{
	struct str shown;

	text = sheet_shorten(text);
	if (form == SHEET_HTML) {
		buf_printf(out, "<bdi>%s</bdi>", html_text(a, text, TEXT_SHOWN));
		return;
	}
	shown = utf8_cut(text, TEXT_SHOWN);
	buf_add_str(out, str_from(form == SHEET_MD ? cell_md(a, shown) : cell_text(a, shown)));
	buf_add_str(out, shown.n < text.n ? STR("\xE2\x80\xA6") : STR(""));
}

/* Percent. Few of many are not none, and nearly all are not all. */
static struct cell sheet_share(double n, const char *unit)
{
	if (n > 0 && n < 0.0005)
		return cell_printf("< 0.1%s", unit);
	if (n < 1 && n >= 0.9995)
		return cell_printf("> 99.9%s", unit);
	return cell_printf("%.1f%s", 100 * n, unit);
}

/* Not 0.000 or 1.000 when it is not that. */
static struct cell sheet_number(double n)
{
	double size = fabs(n);

	if (size > 0 && size < 1e-4)
		return cell_printf(n < 0 ? "> -0.0001" : "< 0.0001");
	if (size > 0 && size < 0.01)
		return cell_printf("%.2g", n);
	if (size >= 0.9995 && size < 1)
		return cell_printf(n < 0 ? "< -0.999" : "> 0.999");
	return size < 1e15 ? cell_printf("%.*f", size < 100 ? 3 : 0, n) : cell_printf("%.3g", n);
}

static struct cell sheet_figure(enum sheet_kind kind, double n)
{
	switch (kind) {
	case SHEET_COUNT:
		return n >= 1e15 ? cell_printf("%.3g", n) : cell_printf("%.0f", n);
	case SHEET_SHARE:
	case SHEET_SHARES:
		return sheet_share(n, kind == SHEET_SHARE ? " %" : "");
	case SHEET_USD:
		return n > 0 && n < 1e-8 ? cell_printf("< $0.00000001") : html_usd(n);
	case SHEET_SECONDS:
		if (n >= 600)
			return cell_printf("%.0f min", n / 60);
		return cell_printf("%.*f s", n < 10 ? 2 : n < 100 ? 1 : 0, n);
	default:
		return sheet_number(n);
	}
}

/* Figures may begin with a sign that is markup. */
static void sheet_add_figure(struct buf *out, struct arena *a, struct cell figure, enum sheet_form form)
{
	buf_add_str(out, str_from(form == SHEET_HTML ? html_text(a, str_from(figure.text), SIZE_MAX) : figure.text));
}

static void sheet_add_range_text(struct buf *out, struct arena *a, enum sheet_kind kind, struct interval i,
				 enum sheet_form form)
{
	sheet_add_figure(out, a, sheet_figure(kind, i.low), form);
	buf_add_str(out, STR(" to "));
	sheet_add_figure(out, a, sheet_figure(kind, i.high), form);
}

static void sheet_add_listed(struct buf *out, const struct sheet *s, const union sheet_value *v, enum sheet_form form)
{
	for (size_t i = 0; i < v->list.count && i < LISTED; i++) {
		buf_add_str(out, i ? STR(", ") : STR(""));
		sheet_add_safe(out, s->arena, v->list.items[i], form);
	}
	if (v->list.count > LISTED)
		buf_printf(out, " and %zu more", v->list.count - LISTED);
	if (!v->list.count)
		buf_add_str(out, STR(DASH));
}

void sheet_add_cell(struct buf *out, const struct sheet *s, size_t row, size_t column, enum sheet_form form)
{
	const struct sheet_column *c = &s->columns[column];
	const union sheet_value *v = &s->values[row * s->width + column];

	if (!sheet_is_known(c->kind, v))
		buf_add_str(out, STR(DASH));
	else if (c->kind == SHEET_TEXT)
		sheet_add_safe(out, s->arena, v->text, form);
	else if (c->kind == SHEET_TEXTS)
		sheet_add_listed(out, s, v, form);
	else if (c->kind == SHEET_RANGE || c->kind == SHEET_SHARES)
		sheet_add_range_text(out, s->arena, c->kind, v->range, form);
	else if (c->kind == SHEET_YES)
		buf_add_str(out, v->n > 0 ? STR("yes") : STR("no"));
	else if (c->kind == SHEET_SEED)
		buf_printf(out, "%016" PRIx64, v->seed.bits);
	else
		sheet_add_figure(out, s->arena, sheet_figure(c->kind, v->n), form);
}

static bool sheet_is_left_out(const struct sheet *s)
{
	return sheet_rows(s) == 0 && !s->empty;
}

static void sheet_add_md_table(struct buf *out, const struct sheet *s, unsigned table)
{
	size_t rows = sheet_rows(s);

	for (size_t c = 0; c < s->width; c++)
		if (sheet_is_in(&s->columns[c], table))
			buf_printf(out, "| %s ", s->columns[c].head);
	buf_add_str(out, STR("|\n"));
	for (size_t c = 0; c < s->width; c++)
		if (sheet_is_in(&s->columns[c], table))
			buf_add_str(out, sheet_is_right(&s->columns[c]) ? STR("|---:") : STR("|---"));
	buf_add_str(out, STR("|\n"));
	for (size_t r = 0; r < rows; r++) {
		for (size_t c = 0; c < s->width; c++) {
			if (!sheet_is_in(&s->columns[c], table))
				continue;
			buf_add_str(out, STR("| "));
			sheet_add_cell(out, s, r, c, SHEET_MD);
			buf_add_byte(out, ' ');
		}
		buf_add_str(out, STR("|\n"));
	}
}

void sheet_add_md(struct buf *out, const struct sheet *s)
{
	if (sheet_is_left_out(s))
		return;
	if (s->title)
		buf_printf(out, "## %s\n\n", s->title);
	if (sheet_rows(s) == 0) {
		buf_printf(out, "%s\n\n", s->empty);
		return;
	}
	for (unsigned t = 1; t <= sheet_tables(s); t++) {
		sheet_add_md_table(out, s, t);
		buf_add_byte(out, '\n');
	}
}

/* The first column of texts of a table names its rows, and stays in sight. */
static size_t sheet_name_column(const struct sheet *s, unsigned table)
{
	for (size_t c = 0; c < s->width; c++)
		if (sheet_is_in(&s->columns[c], table) && s->columns[c].kind == SHEET_TEXT)
			return c;
	return s->width;
}

static void sheet_add_html_row(struct buf *out, const struct sheet *s, unsigned table, size_t row, size_t name)
{
	buf_add_str(out, STR("<tr>"));
	for (size_t c = 0; c < s->width; c++) {
		if (!sheet_is_in(&s->columns[c], table))
			continue;
		buf_add_str(out, c == name ? STR("<th scope='row' class='name'>") :
			    sheet_is_right(&s->columns[c]) ? STR("<td>") : STR("<td class='words'>"));
		sheet_add_cell(out, s, row, c, SHEET_HTML);
		buf_add_str(out, c == name ? STR("</th>") : STR("</td>"));
	}
	buf_add_str(out, STR("</tr>\n"));
}

static void sheet_add_html_table(struct buf *out, const struct sheet *s, unsigned table)
{
	size_t rows = sheet_rows(s), name = sheet_name_column(s, table);

	buf_printf(out, "<div class='scroll' role='region' aria-label='%s' tabindex='0'><table>\n<thead><tr>",
		   html_text(s->arena, str_from(s->title ? s->title : s->name), SIZE_MAX));
	for (size_t c = 0; c < s->width; c++)
		if (sheet_is_in(&s->columns[c], table))
			buf_printf(out, "<th scope='col'%s>%s</th>", c == name ? " class='name'" :
				   sheet_is_right(&s->columns[c]) ? "" : " class='words'", s->columns[c].head);
	buf_add_str(out, STR("</tr></thead>\n<tbody>\n"));
	for (size_t r = 0; r < rows; r++)
		sheet_add_html_row(out, s, table, r, name);
	buf_add_str(out, STR("</tbody></table></div>\n"));
}

void sheet_add_html(struct buf *out, const struct sheet *s)
{
	if (sheet_is_left_out(s))
		return;
	buf_add_str(out, STR("<section>"));
	if (s->title)
		buf_printf(out, "<h2>%s</h2>\n", html_text(s->arena, str_from(s->title), SIZE_MAX));
	if (sheet_rows(s) == 0)
		buf_printf(out, "<p class='none'>%s</p>\n", s->empty);
	for (unsigned t = 1; sheet_rows(s) && t <= sheet_tables(s); t++)
		sheet_add_html_table(out, s, t);
	buf_add_str(out, STR("</section>\n"));
}
