/* The list of what was learnt late: one amendment for a node, and no more than there is room for. */
#include "capture/graph/amendments.h"

#include "harness/test.h"

static struct id node_of(uint64_t n)
{
	struct id id = { { 0 } };

	memcpy(id.b, &n, sizeof(n));
	return id;
}

TEST(an_amendment_is_made_once_and_found_again)
{
	struct amendments a;
	struct amendment *m;

	amendments_init(&a);
	CHECK(!amendments_find(&a, node_of(1)));
	m = amendments_get(&a, node_of(1));
	CHECK(m && id_eq(m->node, node_of(1)));
	CHECK(m->layers == 0 && !m->exact && !m->moved && !m->parents);
	CHECK(amendments_get(&a, node_of(2)) != m);
	CHECK(amendments_get(&a, node_of(1)) == m);
	CHECK(amendments_find(&a, node_of(1)) == m);
	CHECK(!amendments_find(&a, node_of(3)));
	CHECK_INT(a.count, 2);
	CHECK(a.list[0] == m && !a.full);
	amendments_free(&a);
}

TEST(beyond_the_limit_nothing_is_noted_and_that_is_said)
{
	struct amendments a;

	amendments_init(&a);
	for (uint64_t i = 1; i <= AMENDMENTS_MOST; i++)
		CHECK(amendments_get(&a, node_of(i)));
	CHECK(!a.full);
	CHECK(!amendments_get(&a, node_of(AMENDMENTS_MOST + 1)));
	CHECK(a.full && a.count == AMENDMENTS_MOST);
	CHECK(amendments_get(&a, node_of(AMENDMENTS_MOST)) == a.list[AMENDMENTS_MOST - 1]);
	amendments_free(&a);
}
