#include "harness/test.h"
#include "ledger/pg/private.h"

static struct log_pg unconnected(bool read_only)
{
	return (struct log_pg){
		.log = { .where = STR("here"), .origin = STR("example.org/log") },
		.pg = { .read_only = read_only, .url = STR("nonsense"), .where = STR("here") },
	};
}

TEST(nothing_is_published_without_the_key)
{
	struct err err = { .kind = ERR_NONE };
	struct log_pg l = unconnected(false);

	CHECK(!pg_publish(&l.log, &err));
	CHECK(str_starts(str_from(err.text), STR(LOG_E_NO_KEY)));
	CHECK(pg_check_signed(&l, &err)); /* nor is there anything to hold it against */
}

TEST(a_reader_publishes_and_cosigns_nothing)
{
	struct err err = { .kind = ERR_NONE };
	struct log_pg l = unconnected(true);

	CHECK(!pg_publish(&l.log, &err) && err.kind == ERR_USAGE);
	CHECK(!pg_cosign(&l.log, STR("o\n0\n\n"), STR(""), &err) && err.kind == ERR_USAGE);
}

TEST(the_edge_of_a_tree_is_not_made_up_when_nobody_answers)
{
	struct err err = { .kind = ERR_NONE };
	struct log_pg l = unconnected(false);
	struct merkle m;

	CHECK_INT(pg_edge(&l, 3, &m, &err), PG_RECONNECT);
	CHECK(err.kind != ERR_NONE);
	CHECK_INT(m.depth, 0);
}
