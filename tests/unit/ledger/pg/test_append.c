#include "harness/test.h"
#include "ledger/pg/private.h"

/* What is decided before anything is sent; the rest needs a server: tests/integration/postgres. */
static struct log_pg unconnected(bool read_only)
{
	return (struct log_pg){
		.log = { .where = STR("here"), .origin = STR("example.org/log") },
		.pg = { .read_only = read_only, .url = STR("nonsense"), .where = STR("here") },
	};
}

TEST(an_entry_that_fits_no_bundle_is_refused_before_it_is_sent)
{
	char *long_text = test_alloc(ENTRY_MAX + 1);
	struct log_item items[] = { { .ident = STR("a"), .entry = STR("{}") },
				    { .ident = STR("b"), .entry = str_of(long_text, ENTRY_MAX + 1) } };
	struct err err = { .kind = ERR_NONE };
	struct log_pg l = unconnected(false);

	CHECK(!pg_append(&l.log, items, 2, &err));
	CHECK_INT(err.kind, ERR_LIMIT);
}

TEST(nothing_to_append_is_fine_and_asks_nobody)
{
	struct err err = { .kind = ERR_NONE };
	struct log_pg l = unconnected(false);

	CHECK(pg_append(&l.log, NULL, 0, &err));
	CHECK(pg_put_objects(&l.log, NULL, 0, NULL, &err));
	CHECK_INT(err.kind, ERR_NONE);
}

TEST(a_reader_writes_nothing)
{
	struct log_item item = { .ident = STR("a"), .entry = STR("{}") };
	struct err err = { .kind = ERR_NONE };
	struct log_pg l = unconnected(true);
	struct digest d = { { 0 } };
	struct str bytes = STR("x");
	bool found;

	CHECK(!pg_append(&l.log, &item, 1, &err) && err.kind == ERR_USAGE);
	CHECK(!pg_put_objects(&l.log, &bytes, 1, &d, &err) && err.kind == ERR_USAGE);
	CHECK(!pg_erase_object(&l.log, d, 0, &found, &err) && err.kind == ERR_USAGE);
}
