#include "dialect/otutl/convert.h"

#include "dialect/otutl/schema.h"
#include "harness/test.h"

static const struct otutl_columns *columns_of(const char *type)
{
	for (size_t i = 0; i < EVENT_KINDS; i++)
		if (otutl_columns[i].type.n && str_eq(otutl_columns[i].type, str_from(type)))
			return &otutl_columns[i];
	return NULL;
}

static bool has_column(const struct otutl_columns *c, const char *name)
{
	for (size_t i = 0; i < c->count; i++)
		if (str_eq(c->list[i].name, str_from(name)))
			return true;
	return false;
}

TEST(columns_stand_in_canonical_order)
{
	for (size_t k = 0; k < EVENT_KINDS; k++)
		for (size_t i = 1; i < otutl_columns[k].count; i++) {
			test_case("%s", otutl_columns[k].list[i].name.p);
			CHECK(str_cmp(otutl_columns[k].list[i - 1].name, otutl_columns[k].list[i].name) < 0);
		}
}

/* Members that the schema documents and that only other writers have: the reader keeps them as they stand. */
static bool is_foreign(const char *name)
{
	static const char *const names[] = { "budget", "retrieval_set", "seed", "response", "output_sha256" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

TEST(every_field_of_the_schema_is_a_column_or_foreign)
{
	for (size_t t = 0; otutl_roots[t]; t++) {
		const struct otutl_columns *c = columns_of(otutl_roots[t]->name);

		test_case("%s", otutl_roots[t]->name);
		CHECK(c != NULL);
		for (size_t i = 0; i < otutl_roots[t]->count; i++) {
			const char *name = otutl_roots[t]->fields[i].name;

			test_case("%s.%s", otutl_roots[t]->name, name);
			CHECK(has_column(c, name) != is_foreign(name));
		}
	}
}
