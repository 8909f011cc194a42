/* Reads the ledger once, and shows a document in the one form that was asked for. */
#include "cmd/board/board.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/utf8.h"
#include "cmd/frame/field.h"
#include "cmd/frame/since.h"
#include "cmd/frame/stream.h"
#include "cmd/screen/grid.h"
#include "cmd/screen/pager.h"
#include "cmd/screen/wrap.h"
#include "trial/report/page.h"

#define BOARD_WIDE 100   /* columns where there is no terminal */
#define BOARD_COLUMNS 64 /* of a table */

/* ---- forms ---- */

static void board_put_json(struct buf *out, const struct doc *d, struct opt_maybe selected)
{
	struct json_writer w;
	struct buf all;

	buf_init(&all);
	json_write_init(&w, &all, JSON_COMPACT);
	json_write_begin_object(&w);
	for (size_t i = 0; i < d->count; i++)
		sheet_put_json(&w, &d->sheets[i]);
	json_write_end_object(&w);
	field_begin_document(&w, out, JSON_COMPACT, d->schema);
	field_put_chosen(&w, selected, buf_str(&all));
	field_end_document(&w);
	buf_free(&all);
}

static void board_put_md(struct buf *out, const struct doc *d)
{
	buf_printf(out, "# %s\n\n", d->title);
	for (size_t i = 0; i < d->count; i++)
		sheet_add_md(out, &d->sheets[i]);
	for (const char *const *note = d->notes; note && *note; note++)
		buf_printf(out, "%s\n\n", *note);
}

static size_t board_width(const struct board_work *w)
{
	return w->frame->out.is_terminal ? w->frame->out.width : BOARD_WIDE;
}

/* As wide as its widest cell. */
static size_t board_column_width(const struct sheet *s, size_t column)
{
	size_t most = utf8_width(str_from(s->columns[column].head)), rows = sheet_rows(s);
	struct buf cell;

	buf_init(&cell);
	for (size_t r = 0; r < rows; r++) {
		size_t width;

		cell.n = 0;
		sheet_add_cell(&cell, s, r, column, SHEET_PLAIN);
		width = utf8_width(buf_str(&cell));
		most = width > most ? width : most;
	}
	buf_free(&cell);
	return most;
}

/* The columns in `chosen`, `count` of them; after an empty line where a part of the sheet is above: from `begin` on. */
static void board_add_columns(struct buf *out, const struct board_work *w, const struct sheet *s, const size_t *chosen,
			      size_t count, size_t begin)
{
	char align[BOARD_COLUMNS + 1];
	size_t rows = sheet_rows(s);
	struct grid g;

	if (out->n > begin)
		buf_add_byte(out, '\n');
	for (size_t i = 0; i < count; i++)
		align[i] = sheet_is_right(&s->columns[chosen[i]]) ? 'r' : 'l';
	align[count] = '\0';
	grid_init(&g, w->arena, align);
	for (size_t i = 0; i < count; i++)
		grid_add(&g, str_from(s->columns[chosen[i]].head));
	for (size_t r = 0; r < rows; r++)
		for (size_t i = 0; i < count; i++) {
			sheet_add_cell(&g.cell, s, r, chosen[i], SHEET_PLAIN);
			grid_add_cell(&g);
		}
	grid_end(&g, out, 0, board_width(w), w->frame->out.color);
}

/* Which columns each part of a table begins with: those of all tables of the sheet; of a lone table its first. */
static size_t board_choose_shared(const struct sheet *s, size_t *chosen)
{
	bool is_lone = sheet_tables(s) == 1;
	size_t shared = 0;

	for (size_t c = 0; c < s->width && shared < (is_lone ? !s->is_single : BOARD_COLUMNS); c++)
		if (s->columns[c].table == 0 && sheet_is_in(&s->columns[c], 1))
			chosen[shared++] = c;
	return shared;
}

/* Whether the column is said once for all rows. Of a sheet's first table everything stands in its place. */
static bool board_is_said_once(const struct sheet *s, size_t column)
{
	struct buf first, other;
	bool is_same = s->is_brief && s->columns[column].table > 1;

	buf_init(&first);
	buf_init(&other);
	for (size_t r = 0, rows = sheet_rows(s); is_same && r < rows; r++) {
		other.n = 0;
		sheet_add_cell(r ? &other : &first, s, r, column, SHEET_PLAIN);
		is_same = !r || str_eq(buf_str(&other), buf_str(&first));
	}
	buf_free(&first);
	buf_free(&other);
	return is_same;
}

/* A table that is too wide goes on below itself. */
static void board_add_table(struct buf *out, const struct board_work *w, const struct sheet *s, unsigned table,
			    size_t begin)
{
	size_t chosen[BOARD_COLUMNS], shared = board_choose_shared(s, chosen), count = shared, width = 0, used;

	for (size_t i = 0; i < shared; i++)
		width += board_column_width(s, chosen[i]) + 2;
	used = width;
	for (size_t c = 0; c < s->width && count < BOARD_COLUMNS; c++) {
		size_t wide;
		bool is_shared = shared && c <= chosen[shared - 1] && s->columns[c].table == 0;

		if (is_shared || !sheet_is_in(&s->columns[c], table) || board_is_said_once(s, c))
			continue;
		wide = board_column_width(s, c) + 2;
		if (count > shared && used + wide > board_width(w) + 2) {
			board_add_columns(out, w, s, chosen, count, begin);
			count = shared;
			used = width;
		}
		chosen[count++] = c;
		used += wide;
	}
	if (count > shared)
		board_add_columns(out, w, s, chosen, count, begin);
}

static void board_add_said_once(struct buf *out, const struct board_work *w, const struct sheet *s)
{
	const char *before = sheet_rows(s) == 1 ? "Also: " : "The same in every row: ";
	struct buf line;

	buf_init(&line);
	for (size_t c = 0; c < s->width; c++) {
		if (!s->columns[c].head || !board_is_said_once(s, c))
			continue;
		buf_printf(&line, "%s%s ", before, s->columns[c].head);
		sheet_add_cell(&line, s, 0, c, SHEET_PLAIN);
		before = "; ";
	}
	if (line.n) {
		buf_add_byte(out, '\n');
		wrap_add_words(out, buf_str(&line), 0, 0, board_width(w));
		buf_add_byte(out, '\n');
	}
	buf_free(&line);
}

static void board_add_sheet(struct buf *out, const struct board_work *w, const struct sheet *s)
{
	size_t begin;

	if (sheet_rows(s) == 0 && !s->empty)
		return;
	if (out->n)
		buf_add_byte(out, '\n');
	if (s->title)
		buf_printf(out, "%s\n", s->title);
	if (sheet_rows(s) == 0) {
		buf_printf(out, "%s\n", s->empty);
		return;
	}
	begin = out->n;
	for (unsigned t = 1; t <= sheet_tables(s); t++)
		board_add_table(out, w, s, t, begin);
	board_add_said_once(out, w, s);
}

static void board_put_text(struct buf *out, const struct board_work *w, const struct doc *d)
{
	for (size_t i = 0; i < d->count; i++)
		board_add_sheet(out, w, &d->sheets[i]);
	for (const char *const *note = d->notes; note && *note; note++) {
		buf_add_byte(out, '\n');
		wrap_add_words(out, str_from(*note), 0, 0, board_width(w));
		buf_add_byte(out, '\n');
	}
}

static void board_show(const struct board_work *w, const struct doc *d)
{
	const struct board_opts *o = w->options;
	struct buf out;

	buf_init(&out);
	if (o->json.given)
		board_put_json(&out, d, o->json);
	else if (o->csv)
		sheet_add_csv(&out, &d->sheets[d->answer]);
	else if (o->md)
		board_put_md(&out, d);
	else
		board_put_text(&out, w, d);
	if (o->json.given || o->csv || o->md)
		stream_write(stdout, buf_str(&out));
	else
		pager_show(w->arena, w->frame, buf_str(&out));
	buf_free(&out);
}

static bool board_write_page(const struct board_work *w, struct err *err)
{
	struct buf out;
	bool done;

	if (!w->options->html.p)
		return true;
	buf_init(&out);
	page_write(&out, &w->source);
	done = file_replace(w->options->html, buf_str(&out), 0666, err);
	buf_free(&out);
	return done;
}

/* ---- reading ---- */

static bool board_check(const struct board_opts *o, struct tally_filter *f, struct err *err)
{
	int64_t us = 0;

	*f = (struct tally_filter){ .experiment = o->experiment, .task_prefix = o->task, .model = o->model,
				    .adapter = o->adapter, .has_since = o->since.p != NULL };
	if (o->json.given + o->csv + o->md > 1)
		return usage_set(err, "give one of them", "--json, --csv and --md exclude each other");
	if (f->has_since && !since_parse(o->since, &us, err))
		return false;
	f->since = us / 1000000;
	return true;
}

static bool board_read(struct board_work *w, const struct tally_filter *f, struct err *err)
{
	const struct board_how how = { .bootstrap = w->options->ci == 1, .k = w->options->k };
	struct progress progress;
	struct tally_how walk = { .tick = ledger_args_tick, .context = &progress,
				  .artifacts = w->options->transcripts };
	bool done;

	progress_init(&progress, w->frame, STDERR_FILENO, clock_mono_ns());
	done = tally_read(&w->tally, w->arena, &w->ledger, &walk, err);
	progress_erase(&progress);
	if (!done)
		return false;
	doc_source_init(&w->source, &w->tally, f, &how);
	w->source.since = w->options->since;
	w->source.about = w->options->partial ? STANDING_PARTIAL : STANDING_COUNTED;
	return true;
}

int board_run(struct arena *a, const struct board_opts *o, struct args args,
	      bool (*make)(struct board_work *w, struct args args, struct doc *out, int *status, struct err *err),
	      struct err *err)
{
	struct board_work w = { .arena = a, .frame = args.frame, .options = o };
	int status = EXIT_YES;
	struct tally_filter f;
	struct doc d;
	bool done;

	if (!board_check(o, &f, err) || !ledger_args_open(&w.ledger, a, args.frame, &o->ledger, LEDGER_READ, err))
		return EXIT_FAIL;
	done = board_read(&w, &f, err) && make(&w, args, &d, &status, err) && board_write_page(&w, err);
	if (done)
		board_show(&w, &d);
	ledger_close(&w.ledger);
	return done ? status : EXIT_FAIL;
}
