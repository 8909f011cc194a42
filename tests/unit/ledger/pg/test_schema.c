#include "harness/test.h"
#include "ledger/pg/private.h"

static size_t count_of(struct str text, const char *word)
{
	struct str needle = str_from(word);
	size_t n = 0;

	for (size_t at; (at = str_find(text, needle)) != (size_t)-1; n++)
		text = str_of(text.p + at + needle.n, text.n - at - needle.n);
	return n;
}

/* What the text must have, however it is written. That it works is the business of tests/integration/postgres. */
TEST(the_schema_names_every_table_function_and_role_and_no_sequence)
{
	static const char *const has[] = {
		"CREATE SCHEMA ledger", "CREATE TABLE ledger.head", "CREATE TABLE ledger.entry", "CREATE TABLE ledger.ident",
		"CREATE TABLE ledger.node", "CREATE TABLE ledger.object", "CREATE FUNCTION ledger.append(",
		"CREATE FUNCTION ledger.publish(", "CREATE FUNCTION ledger.erase_object(", "FOR UPDATE", "BEFORE TRUNCATE",
		"ENABLE ALWAYS TRIGGER", "ledger_owner", "ledger_writer", "ledger_publisher", "ledger_auditor", "ledger_eraser",
		"synchronous_commit", "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ledger FROM PUBLIC",
	};
	static const char *const has_not[] = { "SEQUENCE", "serial", "nextval", "ON DELETE", "DISABLE TRIGGER" };
	struct arena a;
	struct str sql;

	arena_init(&a);
	sql = log_pg_schema(&a);
	for (size_t i = 0; i < COUNT(has); i++) {
		test_case("%s", has[i]);
		CHECK(count_of(sql, has[i]) > 0);
	}
	for (size_t i = 0; i < COUNT(has_not); i++) {
		test_case("%s", has_not[i]);
		CHECK_INT(count_of(sql, has_not[i]), 0);
	}
	arena_free(&a);
}

/* A function that takes its names from whoever calls it could be made to run something else. */
TEST(every_function_that_lends_its_owners_rights_fixes_where_names_are_looked_up)
{
	struct str sql, rest;
	size_t lent = 0;
	struct arena a;

	arena_init(&a);
	sql = log_pg_schema(&a);
	CHECK_INT(count_of(sql, "SECURITY DEFINER"), 7);
	for (rest = sql; rest.n;) {
		struct str line = str_cut(rest, '\n', &rest);

		if (str_find(line, STR("SECURITY DEFINER")) == (size_t)-1)
			continue;
		lent++;
		CHECK(str_find(line, STR("SET search_path = pg_catalog, pg_temp")) != (size_t)-1);
	}
	CHECK_INT(lent, 7);
	CHECK_INT(count_of(sql, "LANGUAGE plpgsql") + count_of(sql, "LANGUAGE sql"),
		  count_of(sql, "SET search_path = pg_catalog, pg_temp") + 1); /* version() looks up nothing */
	arena_free(&a);
}
