#include "kit.h"

TEST(a_format_is_found_by_its_name_only)
{
	CHECK(export_find(STR("dot")) && !export_find(STR("dott")) && !export_find(STR("")));
	for (const struct export_format *f = export_formats; f->name; f++) {
		test_case("%s", f->name);
		CHECK(f->title && f->ending && f->write && export_find(str_from(f->name)) == f);
	}
}

static bool refuse(void *context, struct str bytes, struct err *err)
{
	(void)context;
	(void)bytes;
	return err_set(err, ERR_IO, "full");
}

TEST(what_is_written_goes_out_in_pieces_and_a_failure_comes_back)
{
	struct export_options o = { .version = "1" };
	struct export x = { .options = &o, .put = refuse };
	struct err err = { .kind = ERR_NONE };
	struct kit k;

	kit_open(&k);
	kit_add(&k, STR(NODE("\"a\"", "model_call", "", 1, 2, MODEL("\"x\"", 1, 2, ",\"latency_seconds\":1"))), "x");
	x.arena = &k.arena;
	for (const struct export_format *f = export_formats; f->name; f++) {
		test_case("%s", f->name);
		buf_init(&x.out);
		CHECK(!f->write(&x, &k.runs, &err) && err.kind == ERR_IO);
		buf_free(&x.out);
	}
	kit_free(&k);
}
