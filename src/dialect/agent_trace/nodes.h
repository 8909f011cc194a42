/*
 * The ids of a file's nodes and what they say about each other, for files of any size: which id occurs
 * twice, which is named and never comes, and which nodes are their own ancestors.
 *
 * An id is 96 bits of its seeded hash, so that two ids share one neither by chance nor by intent. With
 * 32 bits of state that is an entry of 16 bytes in one of 64 tables, each of which grows by half on its
 * own: 20 to 30 bytes a node, and no moment at which the whole is held twice.
 *
 * A cycle must have an edge that points forward, to a node named before it came. So edges are kept only
 * while such a node is awaited: in a file whose parents stand before their children that is never, and
 * where hooks flush out of order it is for a few lines. While it lasts an edge costs 4 bytes and a node
 * 8. When nothing is awaited any more (or the file ends) the edges kept are searched and forgotten: what
 * comes later can point at them, but they cannot point at what comes later.
 */
#ifndef DIALECT_AGENT_TRACE_NODES_H
#define DIALECT_AGENT_TRACE_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

#define NODES_MAX ((uint64_t)1 << 28) /* ids followed; more are not looked at, and that is said */

struct node_key {
	uint64_t a; /* never 0 */
	uint32_t b;
};

/* The key of an id: 96 bits of a hash that is seeded for the process, so keys cannot be made to collide. */
struct node_key node_key_of(struct str id);

enum node_ref { NODE_PARENT, NODE_SIBLING };

/* Where an id that has not come yet is named for the first time. */
struct node_want {
	uint64_t line, offset; /* of the line that names it */
	uint32_t at;           /* byte in the line */
	uint32_t index;        /* in the array that names it */
	uint32_t next;         /* free list, or the other kind of reference to the same id; 0 ends */
	uint32_t number;       /* of the node in the edges, for a parent */
	uint8_t kind;          /* enum node_ref */
	bool open;
};

struct node_part { /* one of the tables */
	struct node_entry *slots;
	uint32_t cap, used;
};

#define NODES_PARTS 64

struct nodes {
	struct node_part parts[NODES_PARTS];
	uint64_t count, limit;
	struct buf wants; /* struct node_want, from index 1 */
	uint32_t free_want;
	uint64_t open_parents; /* ids awaited as somebody's parent */
	/* the edges kept: */
	uint32_t base, next; /* numbers of the nodes among them: base up to next - 1 */
	struct buf first;    /* uint32_t for each: its first edge + 1, 0 without any */
	struct buf lines;    /* uint32_t for each: the line it came in, 0 before it has */
	struct buf edges;    /* uint32_t: a number; EDGE_LAST (nodes.c) marks a node's last */
};

/* Sets up an empty set that follows at most `limit` ids; 0 means NODES_MAX. Its memory lasts until nodes_free. */
void nodes_init(struct nodes *n, uint64_t limit);
void nodes_free(struct nodes *n);

/* Fetches what nodes_add would look at: call it for several ids, then add them. */
void nodes_prefetch(const struct nodes *n, struct node_key id);

/* An id that a node names, with the byte of its line and the place in the array where it stands. */
struct node_parent {
	struct node_key key;
	uint32_t at, index;
};

enum node_added { NODE_NEW, NODE_AGAIN, NODE_BEYOND };

/*
 * A node came, in the line given. NODE_AGAIN when another node had the id, NODE_BEYOND when there are
 * too many to follow. *own_parent tells that it names itself as a parent.
 */
enum node_added nodes_add(struct nodes *n, struct node_key id, uint64_t line, uint64_t offset,
			  const struct node_parent *parents, size_t count, bool *own_parent);

/*
 * A node names an id as a sibling; or as a parent, but has no id of its own by which it could be in a cycle. The
 * first line that names an id is kept; ids beyond the limit are passed over.
 */
void nodes_add_reference(struct nodes *n, enum node_ref kind, const struct node_parent *to, uint64_t line,
			 uint64_t offset);

/* True when edges are kept and nothing is awaited: time for nodes_find_cycles. */
static inline bool nodes_is_settled(const struct nodes *n)
{
	return n->next > n->base && n->open_parents == 0;
}

/*
 * Searches the edges kept and forgets them. Calls back once for each cycle with the lines of its nodes,
 * each the parent of the one before, at most `NODES_CYCLE_SHOWN` of them; `length` is the whole number.
 */
#define NODES_CYCLE_SHOWN 8
/* Needs time in proportion to nodes and edges. `lines` lasts for the callback, which must not change the set. */
void nodes_find_cycles(struct nodes *n,
		       void (*cycle)(void *context, const uint32_t *lines, size_t shown, size_t length), void *context);

/*
 * The next reference to an id that never came, from *at on (begin with 0), in no particular order; NULL after the last.
 * It lasts until the next change.
 */
const struct node_want *nodes_next_want(const struct nodes *n, size_t *at);

#endif
