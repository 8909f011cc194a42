/*
 * A table needs all rows to know its widths, so it is kept in a grid; every other form is written in pieces of FLUSH
 * bytes.
 */
#include "cmd/ledger/listing.h"

#include <stdio.h>

#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/screen/pager.h"
#include "json/put.h"

#define FLUSH ((size_t)64 << 10)
#define WIDE 160 /* columns of a table that goes to no terminal */

bool listing_is_table(const struct listing *l)
{
	return !l->json.given && !l->jsonl && !l->plain;
}

bool listing_check(const struct listing *l, struct err *err)
{
	return l->json.given + l->jsonl + l->plain <= 1 ||
	       usage_set(err, "give one of them", "--json, --jsonl and --plain exclude each other");
}

static size_t ledger_listing_width_of(const struct listing *l)
{
	return l->frame->out.is_terminal ? l->frame->out.width : WIDE;
}

void listing_begin(struct listing *l)
{
	buf_init(&l->out);
	grid_init(&l->grid, l->arena, l->align);
	if (listing_is_table(l))
		grid_add_row(&l->grid, l->names);
	if (l->json.given) {
		field_begin_document(&l->writer, &l->out, JSON_COMPACT, l->schema);
		json_put_array(&l->writer, l->array);
	}
}

static void flush(struct listing *l)
{
	stream_write(stdout, buf_str(&l->out));
	buf_clear(&l->out);
}

bool listing_take(void *listing, const struct index_row *row)
{
	struct listing *l = listing;

	l->shown++;
	if (listing_is_table(l)) {
		l->row(&l->grid, row, ledger_listing_width_of(l));
		l->in_grid++;
		return true;
	}
	if (l->plain) {
		ledger_row_add_plain(&l->out, row);
	} else if (l->jsonl) {
		json_write_init(&l->writer, &l->out, JSON_COMPACT);
		ledger_row_write_json(&l->writer, row, l->json);
		buf_add_byte(&l->out, '\n');
	} else {
		ledger_row_write_json(&l->writer, row, l->json);
	}
	if (l->out.n > FLUSH)
		flush(l);
	return ferror(stdout) == 0; /* nobody reads on */
}

void listing_end_rows(struct listing *l)
{
	if (l->json.given)
		json_write_end_array(&l->writer);
	if (listing_is_table(l) && l->in_grid && l->out.n)
		buf_add_byte(&l->out, '\n'); /* between two tables */
	if (listing_is_table(l) && l->in_grid)
		grid_end(&l->grid, &l->out, 0, ledger_listing_width_of(l), l->frame->out.color);
}

void listing_next(struct listing *l, const char *array, const char *align, const char *const *names,
		  void (*row)(struct grid *g, const struct index_row *row, size_t width))
{
	listing_end_rows(l);
	if (l->json.given)
		json_put_array(&l->writer, array);
	if (!listing_is_table(l))
		return;
	grid_free(&l->grid);
	l->in_grid = 0;
	l->row = row;
	grid_init(&l->grid, l->arena, align);
	grid_add_row(&l->grid, names);
}

void listing_end(struct listing *l)
{
	if (l->json.given)
		field_end_document(&l->writer);
	if (listing_is_table(l))
		pager_show(l->arena, l->frame, buf_str(&l->out));
	else
		flush(l);
}

void listing_free(struct listing *l)
{
	grid_free(&l->grid);
	buf_free(&l->out);
}

int listing_run(struct listing *l, const struct ledger_choice *c,
		bool (*fill)(void *own, struct index *x, struct err *err), void (*sum)(void *own), void *own,
		struct err *err)
{
	struct ledger ledger;
	struct index *x;
	bool done = false;

	if (!ledger_args_open(&ledger, l->arena, l->frame, c, LEDGER_READ, err))
		return EXIT_FAIL;
	x = ledger_args_open_index(&ledger, l->frame, err);
	if (x) {
		listing_begin(l);
		done = fill(own, x, err);
		if (done) {
			listing_end_rows(l);
			sum(own);
			listing_end(l);
		}
		listing_free(l);
		index_close(x);
	}
	ledger_close(&ledger);
	return done ? EXIT_YES : EXIT_FAIL;
}
