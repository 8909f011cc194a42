#include "kit.h"

TEST(nodes_stand_by_agent_in_the_order_in_which_they_come)
{
	struct export_agents g;
	struct kit k;

	kit_open(&k);
	kit_add(&k, STR(NODE("\"a\"", "system", "", 1, 1, ",\"agent_id\":\"x\"") NODE("\"b\"", "system", "", 1, 1, "")
			NODE("\"c\"", "system", "", 1, 1, ",\"agent_id\":\"y\"") NODE("\"d\"", "system", "", 1, 1, ",\"agent_id\":\"x\"")), "1");
	export_agents_of(&k.arena, &k.runs.items[0], &g);
	CHECK_INT(g.count, 3);
	CHECK_STR(g.names[0], STR(""));
	CHECK_STR(g.names[1], STR("x"));
	CHECK_STR(g.names[2], STR("y"));
	CHECK_INT(g.first[0], 2);
	CHECK_INT(g.next[1], 0);
	CHECK_INT(g.first[1], 1);
	CHECK_INT(g.next[0], 4);
	CHECK_INT(g.next[3], 0);
	kit_free(&k);
}
