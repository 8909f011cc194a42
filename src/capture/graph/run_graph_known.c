/* The bounded memory of a run graph: a table of digests in which the new takes the place of the old. */
#include "capture/graph/run_graph_private.h"

#define WAYS 4
#define SETS 4096

struct known_slot {
	uint64_t key; /* 0: free */
	uint64_t used;
	struct id node;
};

struct known {
	struct known_slot slots[SETS][WAYS];
	uint64_t clock;
};

struct known *known_open(void)
{
	struct known *k = mem_alloc(sizeof(*k));

	memset(k, 0, sizeof(*k));
	return k;
}

void known_close(struct known *k)
{
	mem_free(k);
}

static uint64_t run_graph_known_key_of(enum known_kind kind, uint64_t digest)
{
	uint64_t key = run_graph_mix(digest, (uint64_t)kind);

	return key ? key : 1;
}

void known_set(struct known *k, enum known_kind kind, uint64_t digest, struct id node)
{
	uint64_t key = run_graph_known_key_of(kind, digest);
	struct known_slot *set = k->slots[key % SETS], *at = set;

	for (size_t i = 0; i < WAYS; i++) {
		if (set[i].key == key) {
			at = &set[i];
			break;
		}
		if (set[i].used < at->used)
			at = &set[i];
	}
	*at = (struct known_slot){ .key = key, .used = ++k->clock, .node = node };
}

bool known_find(const struct known *k, enum known_kind kind, uint64_t digest, struct id *node)
{
	uint64_t key = run_graph_known_key_of(kind, digest);
	const struct known_slot *set = k->slots[key % SETS];

	for (size_t i = 0; i < WAYS; i++) {
		if (set[i].key != key)
			continue;
		*node = set[i].node;
		return true;
	}
	return false;
}
