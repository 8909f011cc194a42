#include "cmd/frame/topics.h"

#include "harness/test.h"

TEST(help_topics_are_found_by_name_and_are_plain_text_of_terminal_width)
{
	for (const struct topic *t = topics; t->name; t++) {
		struct str left = str_from(t->text);

		test_case("%s", t->name);
		CHECK(topic_find(str_from(t->name)) == t);
		CHECK(t->summary && str_ends(left, STR("\n")));
		while (left.n) {
			struct str line = str_cut(left, '\n', &left);

			CHECK(line.n == 0 || line.p[0] != ' ' || line.n <= 80);
			for (size_t i = 0; i < line.n; i++)
				CHECK(line.p[i] >= ' ' && line.p[i] <= '~');
		}
	}
	CHECK(topic_find(STR("nothing")) == NULL);
}
