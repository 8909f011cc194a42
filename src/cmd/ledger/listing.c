#include "cmd/ledger/listing.h"

#include <stdio.h>

#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/ledger/args.h"
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
	if (l->json.given + l->jsonl + l->plain > 1)
		return usage_set(err, "give one of them", "--json, --jsonl and --plain exclude each other");
	return opt_check_fields(l->json, ledger_row_fields, err);
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
	if (listing_is_table(l) && l->shown)
		grid_end(&l->grid, &l->out, 0, ledger_listing_width_of(l), l->frame->out.color);
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
