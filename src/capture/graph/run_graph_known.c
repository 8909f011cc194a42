/* The bounded memory of a run graph: a table of digests in which the new takes the place of the old. */
#include "capture/graph/run_graph_private.h"

#define WAYS 4
#define ROWS 4096 /* at most */
#define FIRST_ROWS 16

/* Newest first. The keys lie together: most that are looked for are not there. */
struct known_row {
	uint64_t keys[WAYS]; /* 0: free */
	struct id nodes[WAYS];
};

/* Rows double when one is full, up to ROWS: only then is something forgotten, and most runs need few. */
struct known {
	struct known_row *rows;
	size_t mask; /* their number, a power of two, less one */
};

static struct known_row *new_rows(size_t count)
{
	struct known_row *rows = mem_alloc(count * sizeof(*rows));

	memset(rows, 0, count * sizeof(*rows));
	return rows;
}

struct known *known_open(void)
{
	struct known *k = mem_alloc(sizeof(*k));

	*k = (struct known){ .rows = new_rows(FIRST_ROWS), .mask = FIRST_ROWS - 1 };
	return k;
}

void known_close(struct known *k)
{
	mem_free(k->rows);
	mem_free(k);
}

static uint64_t run_graph_known_key_of(enum known_kind kind, uint64_t digest)
{
	uint64_t key = run_graph_mix(digest, (uint64_t)kind);

	return key ? key : 1;
}

/* Each row becomes two, and what is in them stays in its order. */
static void known_grow(struct known *k)
{
	size_t count = k->mask + 1;
	struct known_row *rows = new_rows(2 * count);

	for (size_t i = 0; i < count; i++) {
		size_t used[2] = { 0, 0 };

		for (size_t n = 0; n < WAYS && k->rows[i].keys[n]; n++) {
			size_t high = k->rows[i].keys[n] & count ? 1 : 0;
			struct known_row *to = &rows[i + high * count];

			to->keys[used[high]] = k->rows[i].keys[n];
			to->nodes[used[high]++] = k->rows[i].nodes[n];
		}
	}
	mem_free(k->rows);
	k->rows = rows;
	k->mask = 2 * count - 1;
}

static bool has_room(const struct known_row *row, uint64_t key)
{
	for (size_t i = 0; i < WAYS; i++)
		if (!row->keys[i] || row->keys[i] == key)
			return true;
	return false;
}

void known_set(struct known *k, enum known_kind kind, uint64_t digest, struct id node)
{
	uint64_t key = run_graph_known_key_of(kind, digest);
	struct known_row *row;
	size_t at = 0;

	while (k->mask + 1 < ROWS && !has_room(&k->rows[key & k->mask], key))
		known_grow(k);
	row = &k->rows[key & k->mask];
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
	const struct known_row *row = &k->rows[key & k->mask];

	for (size_t i = 0; i < WAYS; i++) {
		if (row->keys[i] != key)
			continue;
		*node = row->nodes[i];
		return true;
	}
	return false;
}
