#include "dialect/agent_trace/nodes.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "harness/test.h"

static struct node_key key(unsigned n)
{
	char text[16];

	return node_key_of(str_of(text, (size_t)snprintf(text, sizeof(text), "node-%u", n)));
}

static struct node_parent parent(unsigned n)
{
	return (struct node_parent){ .key = key(n), .at = n };
}

static enum node_added add(struct nodes *n, unsigned id, uint64_t line, const unsigned *parents, size_t count)
{
	struct node_parent list[16];
	bool own;

	for (size_t i = 0; i < count; i++)
		list[i] = parent(parents[i]);
	return nodes_add(n, key(id), line, line * 100, list, count, &own);
}

static void count_cycle(void *context, const uint32_t *lines, size_t shown, size_t length)
{
	(void)lines;
	CHECK(shown <= NODES_CYCLE_SHOWN && shown <= length && length > 1);
	(*(size_t *)context)++;
}

static size_t cycles_of(struct nodes *n)
{
	size_t count = 0;

	nodes_find_cycles(n, count_cycle, &count);
	return count;
}

static size_t wants_of(const struct nodes *n, enum node_ref kind)
{
	const struct node_want *w;
	size_t at = 0, count = 0;

	while ((w = nodes_next_want(n, &at)))
		count += w->kind == kind;
	return count;
}

TEST(an_id_that_comes_twice_is_noticed_in_a_large_file)
{
	struct nodes n;

	nodes_init(&n, 0);
	for (unsigned i = 0; i < 50000; i++)
		CHECK_INT(add(&n, i, i + 1, NULL, 0), NODE_NEW);
	for (unsigned i = 0; i < 50000; i += 7)
		CHECK_INT(add(&n, i, i + 1, NULL, 0), NODE_AGAIN);
	CHECK_INT(n.count, 50000);
	nodes_free(&n);
}

TEST(ids_that_differ_in_one_byte_have_keys_of_their_own)
{
	static const size_t lengths[] = { 1, 7, 8, 15, 16, 17, 24, 25, 36, 40, 100 };
	char text[100];

	memset(text, 'a', sizeof(text));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct node_key base = node_key_of(str_of(text, lengths[i]));

		for (size_t j = 0; j < lengths[i]; j++) {
			struct node_key other;

			text[j] = 'b';
			other = node_key_of(str_of(text, lengths[i]));
			text[j] = 'a';
			CHECK(other.a != base.a && other.b != base.b);
		}
		CHECK(node_key_of(str_of(text, lengths[i] - 1)).a != base.a);
	}
}

TEST(a_table_needs_no_more_than_28_bytes_a_node)
{
	struct nodes n;
	size_t bytes = 0;

	nodes_init(&n, 0);
	for (unsigned i = 0; i < 300000; i++) {
		unsigned before = i ? i - 1 : 0;

		add(&n, i, i + 1, &before, i > 0);
	}
	for (size_t i = 0; i < NODES_PARTS; i++)
		bytes += n.parts[i].cap * 16;
	bytes += n.wants.cap + n.first.cap + n.lines.cap + n.edges.cap;
	CHECK(bytes < (size_t)300000 * 30);
	nodes_free(&n);
}

TEST(parents_that_never_come_are_told_and_those_that_come_later_are_not)
{
	struct nodes n;

	nodes_init(&n, 0);
	add(&n, 1, 1, (unsigned[]){ 2, 9 }, 2);
	CHECK_INT(wants_of(&n, NODE_PARENT), 2);
	add(&n, 2, 2, NULL, 0);
	CHECK_INT(wants_of(&n, NODE_PARENT), 1);
	nodes_add_reference(&n, NODE_SIBLING, &(struct node_parent){ .key = key(9) }, 3, 300);
	nodes_add_reference(&n, NODE_SIBLING, &(struct node_parent){ .key = key(1) }, 3, 300);
	nodes_add_reference(&n, NODE_SIBLING, &(struct node_parent){ .key = key(7) }, 3, 300);
	CHECK_INT(wants_of(&n, NODE_SIBLING), 2);
	add(&n, 9, 4, NULL, 0);
	CHECK_INT(wants_of(&n, NODE_PARENT), 0);
	CHECK_INT(wants_of(&n, NODE_SIBLING), 1);
	CHECK(nodes_is_settled(&n));
	CHECK_INT(cycles_of(&n), 0);
	CHECK(!nodes_is_settled(&n));
	nodes_add_reference(&n, NODE_PARENT, &(struct node_parent){ .key = key(20) }, 5, 500);
	nodes_add_reference(&n, NODE_PARENT, &(struct node_parent){ .key = key(1) }, 5, 500);
	CHECK_INT(wants_of(&n, NODE_PARENT), 1);
	add(&n, 21, 6, (unsigned[]){ 20 }, 1);
	add(&n, 20, 7, (unsigned[]){ 21 }, 1);
	CHECK_INT(wants_of(&n, NODE_PARENT), 0);
	CHECK_INT(cycles_of(&n), 1);
	nodes_free(&n);
}

TEST(cycles_are_found_wherever_they_close)
{
	static const struct {
		unsigned nodes[8][4]; /* id, parents; 0 ends */
		size_t cycles;
	} cases[] = {
		{ { { 1, 2 }, { 2, 1 } }, 1 },
		{ { { 1, 2 }, { 2, 3 }, { 3, 1 } }, 1 },
		{ { { 1 }, { 2, 1 }, { 3, 2, 1 } }, 0 },
		{ { { 1, 3 }, { 2, 1 }, { 3 } }, 0 },
		{ { { 1, 3 }, { 2, 1 }, { 3, 2 } }, 1 },
		{ { { 1, 2 }, { 2, 1 }, { 3, 4 }, { 4, 3 } }, 2 },
		{ { { 1, 2 }, { 2 }, { 3, 1 }, { 4, 5 }, { 5, 4, 3 } }, 1 },
		{ { { 1, 9 }, { 2, 3 }, { 3, 2 } }, 1 },
		{ { { 1, 2, 3 }, { 2, 4 }, { 3, 4 }, { 4 } }, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nodes n;
		size_t found = 0;

		test_case("%zu", i);
		nodes_init(&n, 0);
		for (size_t j = 0; j < 8 && cases[i].nodes[j][0]; j++) {
			size_t count = 0;

			while (count < 3 && cases[i].nodes[j][1 + count])
				count++;
			add(&n, cases[i].nodes[j][0], j + 1, cases[i].nodes[j] + 1, count);
			if (nodes_is_settled(&n))
				found += cycles_of(&n);
		}
		found += cycles_of(&n);
		CHECK_INT(found, cases[i].cycles);
		nodes_free(&n);
	}
}

/* Whether a graph has a cycle, by taking away nodes without parents until none is left. */
static bool has_cycle(unsigned count, unsigned parents[][2])
{
	bool gone[32] = { false }, changed = true;
	unsigned left = count;

	while (changed) {
		changed = false;
		for (unsigned i = 0; i < count; i++) {
			bool free = !gone[i];

			for (unsigned j = 0; j < 2; j++)
				free = free && (parents[i][j] >= count || gone[parents[i][j]]);
			if (free) {
				gone[i] = changed = true;
				left--;
			}
		}
	}
	return left > 0;
}

TEST(random_graphs_have_a_cycle_exactly_when_the_plain_way_finds_one)
{
	uint64_t state = 1;
	size_t with = 0;

	for (unsigned round = 0; round < 20000; round++) {
		unsigned parents[12][2], count = 2 + round % 10;
		struct nodes n;
		size_t found = 0;
		bool own;

		nodes_init(&n, 0);
		for (unsigned i = 0; i < count; i++) {
			struct node_parent list[2];

			for (unsigned j = 0; j < 2; j++) {
				state = state * 6364136223846793005u + 1442695040888963407u;
				parents[i][j] = (unsigned)(state >> 33) % (count * 3);
				if (parents[i][j] == i)
					parents[i][j] = count + 1; /* a parent of itself is told elsewhere */
				list[j] = parent(parents[i][j]);
			}
			nodes_add(&n, key(i), i + 1, 0, list, 2, &own);
			if (nodes_is_settled(&n))
				found += cycles_of(&n);
		}
		found += cycles_of(&n);
		CHECK_INT(found > 0, has_cycle(count, parents));
		with += found > 0;
		nodes_free(&n);
	}
	CHECK(with > 500 && with < 19500);
}

TEST(a_chain_of_a_million_nodes_in_the_wrong_order_needs_no_stack)
{
	struct nodes n;
	const unsigned count = 300000;

	nodes_init(&n, 0);
	for (unsigned i = 0; i < count; i++)
		add(&n, i, i + 1, (unsigned[]){ (i + 1) % count }, 1);
	CHECK(nodes_is_settled(&n));
	CHECK_INT(cycles_of(&n), 1);
	nodes_free(&n);
}

TEST(beyond_the_limit_nodes_are_no_longer_followed)
{
	struct nodes n;

	nodes_init(&n, 3);
	CHECK_INT(add(&n, 1, 1, NULL, 0), NODE_NEW);
	CHECK_INT(add(&n, 2, 2, (unsigned[]){ 5 }, 1), NODE_NEW);
	CHECK_INT(add(&n, 3, 3, (unsigned[]){ 1 }, 1), NODE_BEYOND);
	CHECK_INT(add(&n, 1, 4, NULL, 0), NODE_AGAIN);
	CHECK_INT(add(&n, 5, 5, (unsigned[]){ 6, 7 }, 2), NODE_NEW);
	CHECK_INT(n.count, 3);
	nodes_free(&n);
}
