#include "harness/test.h"
#include "ledger/pg/private.h"

static bool has(struct str text, const char *word)
{
	return str_find(text, str_from(word)) != (size_t)-1;
}

/* That it works is the business of tests/integration/postgres. */
TEST(the_upgrade_changes_functions_and_touches_no_row)
{
	static const char *const never[] = {
		"INSERT INTO ledger.head", "DELETE", "DROP", "TRUNCATE", "CREATE TABLE", "ALTER TABLE", "CREATE FUNCTION", "GRANT",
	};
	struct arena a;
	struct str sql;

	arena_init(&a);
	sql = log_pg_upgrade_sql(&a);
	CHECK(has(sql, "CREATE OR REPLACE FUNCTION ledger.append("));
	CHECK(has(sql, "CREATE OR REPLACE FUNCTION ledger.read_entry("));
	CHECK(has(sql, "AS 'SELECT 3'"));
	CHECK(has(sql, "FROM PUBLIC"));
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		test_case("%s", never[i]);
		CHECK(!has(sql, never[i]));
	}
	arena_free(&a);
}

/* A schema that is made and one that was upgraded have the same append. */
TEST(both_texts_have_the_same_functions)
{
	struct arena a;
	struct str schema;

	arena_init(&a);
	schema = log_pg_schema(&a);
	CHECK(has(schema, pg_schema_append) && has(schema, pg_schema_reading) && has(schema, pg_schema_checking) &&
	      has(schema, pg_schema_version));
	arena_free(&a);
}

/* Kinds are in two places, since one is the database's. */
TEST(the_database_knows_every_kind_of_entry)
{
	for (int k = 0; k < ENTRY_KINDS; k++) {
		char quoted[32];

		snprintf(quoted, sizeof(quoted), "WHEN '%s' THEN", entry_kind_name((enum entry_kind)k));
		test_case("%s", quoted);
		CHECK(strstr(pg_schema_reading, quoted));
	}
}
