#include "sink/export/export.h"

#include "harness/test.h"
#include "unit/sink/export/written.h"

TEST(formats_are_found_by_their_names_and_none_is_there_twice)
{
	for (const struct export_format *f = export_formats; f->name; f++) {
		test_case("%s", f->name);
		CHECK(export_find(str_from(f->name)) == f);
		CHECK(f->title && f->ending[0] == '.' && f->write);
	}
	CHECK(!export_find(STR("no such format")));
	CHECK(!export_find(STR("")));
}

TEST(what_is_written_goes_out_once_it_is_worth_it)
{
	struct written w = { .pieces = 0 };
	struct export x = { .put = written_put, .context = &w };
	struct err err = { .kind = ERR_NONE };

	buf_init(&x.out);
	buf_add_str(&x.out, STR("short"));
	CHECK(export_drain(&x, &err) && w.pieces == 0);
	buf_reserve(&x.out, 1 << 20);
	x.out.n = 1 << 20;
	CHECK(export_drain(&x, &err) && w.pieces == 1 && x.out.n == 0);
	CHECK(export_flush(&x, &err) && w.pieces == 1); /* nothing is nothing */
	buf_free(&x.out);
	buf_free(&w.bytes);
}
