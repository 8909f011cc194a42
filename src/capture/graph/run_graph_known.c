/* The bounded memory of a run graph: a table of digests in which the new takes the place of the old. */
#include "capture/graph/run_graph_private.h"

#define WAYS 4
#define ROWS 4096

/* Newest first. The keys lie together: most that are looked for are not there. */
struct known_row {
	uint64_t keys[WAYS]; /* 0: free */
	struct id nodes[WAYS];
};

struct known {
	struct known_row rows[ROWS];
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
	struct known_row *row = &k->rows[key % ROWS];
	size_t at = 0;

	while (at < WAYS - 1 && row->keys[at] != key)
		at++;
	for (; at > 0; at--) {
		row->keys[at] = row->keys[at - 1];
		row->nodes[at] = row->nodes[at - 1];
	}
	row->keys[0] = key;
	row->nodes[0] = node;
}

bool known_find(const struct known *k, enum known_kind kind, uint64_t digest, struct id *node)
{
	uint64_t key = run_graph_known_key_of(kind, digest);
	const struct known_row *row = &k->rows[key % ROWS];

	for (size_t i = 0; i < WAYS; i++) {
		if (row->keys[i] != key)
			continue;
		*node = row->nodes[i];
		return true;
	}
	return false;
}
