#include "dialect/target.h"

#include "harness/test.h"

TEST(every_target_can_be_written_and_has_a_name_of_its_own)
{
	for (const struct target *t = targets; t->name; t++) {
		test_case("%s", t->name);
		CHECK(t->dialect->write != NULL);
		CHECK(t->dialect->write->cannot != NULL);
		CHECK(target_find(str_from(t->name)) == t);
		CHECK(t->suffix[0] == '.');
	}
	CHECK(target_find(STR("codex")) == NULL);
}

TEST(every_format_that_is_written_is_a_target_and_is_read_too)
{
	for (size_t i = 0; dialects[i]; i++) {
		bool found = false;

		if (!dialects[i]->write)
			continue;
		test_case("%s", dialects[i]->name);
		for (const struct target *t = targets; t->name; t++)
			found = found || t->dialect == dialects[i];
		CHECK(found);
		CHECK(dialects[i]->read != NULL);
	}
}
