#include "crash/sim.h"

#include "base/arena.h"
#include "crash/sim_own.h"

#define SECTOR 512

/* ---- disks ---- */

struct sim *sim_new(void)
{
	struct sim *s = mem_alloc(sizeof(*s));

	*s = (struct sim){ .clock = 1700000000000000000 };
	s->files = mem_alloc(FILES_MOST * sizeof(*s->files));
	node_new(s, NODE_DIR, 0755);
	return s;
}

struct sim *sim_copy(const struct sim *s)
{
	struct sim *c = mem_alloc(sizeof(*c));

	*c = (struct sim){ .clock = s->clock, .count = s->count, .cap = s->count + 32, .live = s->live, .without = s->without };
	c->files = mem_alloc(FILES_MOST * sizeof(*c->files));
	c->nodes = mem_alloc(c->cap * sizeof(*c->nodes));
	memcpy(c->nodes, s->nodes, s->count * sizeof(*c->nodes));
	for (size_t i = 0; i < c->count; i++) {
		struct sim_node *n = &c->nodes[i];

		if (n->kind == NODE_FREE)
			continue;
		if (n->kind == NODE_FILE) {
			blob_keep(n->now);
			blob_keep(n->safe);
		} else {
			n->names->refs++;
			n->safe_names->refs++;
		}
		if (n->change_count) {
			n->changes = mem_alloc(n->change_count * sizeof(*n->changes));
			memcpy(n->changes, s->nodes[i].changes, n->change_count * sizeof(*n->changes));
		}
		for (size_t k = 0; k < n->change_count; k++)
			if (n->changes[k].bytes)
				blob_keep(n->changes[k].bytes);
		if (n->move_count) {
			n->moves = mem_alloc(n->move_count * sizeof(*n->moves));
			memcpy(n->moves, s->nodes[i].moves, n->move_count * sizeof(*n->moves));
		}
	}
	return c;
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++)
		node_free(&s->nodes[i]);
	mem_free(s->nodes);
	mem_free(s->files);
	mem_free(s);
}

void sim_begin_write(struct sim *s, const struct sim_op *op, size_t n)
{
	if (op->p)
		sim_write_now(s, op->node, op->p, n, op->at);
}

/* Some of a write: a prefix, some sectors, zeros, or garbage. */
static void tear(struct blob **b, const struct change *c, struct mutate *chance)
{
	size_t n = c->bytes->stored, how = mutate_below(chance, 4);
	struct blob *part;

	if (how == 0) {
		n = mutate_below(chance, n + 1);
		blob_write(b, c->bytes->bytes, n, n, c->at);
		return;
	}
	part = blob_own(blob_keep(c->bytes), 0);
	for (size_t i = 0; i < n;) {
		size_t end = i + SECTOR - (size_t)((c->at + i) % SECTOR);
		bool hit = how == 2 || mutate_below(chance, 2);

		end = end < n ? end : n;
		for (; i < end; i++)
			if (hit)
				part->bytes[i] = how == 3 ? (uint8_t)mutate_next(chance) : 0;
	}
	blob_write(b, part->bytes, n, part->n, c->at);
	blob_drop(part);
}

static void lose_bytes(struct sim_node *f, unsigned kept, struct mutate *chance)
{
	struct blob *b = f->safe;

	if (kept >= 100) {
		blob_drop(b);
		f->safe = blob_keep(f->now);
		node_forget_changes(f);
		return;
	}
	for (size_t i = 0; i < f->change_count && kept > 0; i++) {
		const struct change *c = &f->changes[i];
		size_t fate = mutate_below(chance, 100);

		if (fate >= kept && (c->cut || mutate_below(chance, 2)))
			continue;
		if (c->cut || fate < kept)
			change_apply(&b, c);
		else
			tear(&b, c, chance);
	}
	node_forget_changes(f);
	blob_drop(f->now);
	f->safe = b;
	f->now = blob_keep(b);
	f->is_due = false;
}

static void lose_names(struct sim_node *d, unsigned kept, struct mutate *chance)
{
	for (size_t i = 0; i < d->move_count && kept > 0; i++)
		if (kept >= 100 || mutate_below(chance, 100) < kept)
			names_put(&d->safe_names, &d->moves[i]);
	node_forget_moves(d);
	names_drop(d->names);
	d->names = d->safe_names;
	d->names->refs++;
}

void sim_lose_power(struct sim *s, struct sim_loss loss, struct mutate *chance)
{
	for (size_t i = 0; i < s->count; i++) {
		struct sim_node *n = &s->nodes[i];

		if (n->kind == NODE_FILE && n->change_count)
			lose_bytes(n, loss.bytes, chance);
		if (n->kind == NODE_DIR && n->move_count)
			lose_names(n, loss.names, chance);
	}
	sim_collect(s);
}

/* ---- looking ---- */

bool sim_bytes(const struct sim *s, const char *path, struct str *out)
{
	int node = sim_walk(s, path);

	if (node < 0 || s->nodes[node].kind != NODE_FILE)
		return false;
	*out = str_of(s->nodes[node].now->bytes, s->nodes[node].now->n);
	return s->nodes[node].now->stored == out->n; /* else it is too large for what is looked at so */
}

/* Copies the directories and files below one directory of `from` to one here; with a list, since trees may be deep. */
void sim_restore(struct sim *s, const char *path, const struct sim *from)
{
	struct pair {
		int to, from;
	} *todo = mem_alloc((from->count + 1) * sizeof(*todo));
	size_t count = 1;

	todo[0] = (struct pair){ sim_walk(s, path), sim_walk(from, path) };
	for (size_t i = 0; i < count; i++) {
		const struct names *l = from->nodes[todo[i].from].names;
		int to = todo[i].to;

		names_drop(s->nodes[to].names);
		s->nodes[to].names = names_new();
		for (size_t k = 0; k < l->count; k++) {
			struct name n = l->list[k];
			const struct sim_node *old = &from->nodes[n.node];
			int new = node_new(s, old->kind, old->mode);

			if (old->kind == NODE_DIR) {
				todo[count++] = (struct pair){ new, n.node };
			} else {
				blob_drop(s->nodes[new].now);
				s->nodes[new].now = blob_keep(old->now);
				node_sync(&s->nodes[new]);
			}
			n.node = new;
			names_put(&s->nodes[to].names, &n);
		}
		names_drop(s->nodes[to].safe_names);
		s->nodes[to].safe_names = s->nodes[to].names;
		s->nodes[to].names->refs++;
		node_forget_moves(&s->nodes[to]);
	}
	mem_free(todo);
	sim_collect(s);
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9fb21c651e98df25;
	return h ^ (h >> 29);
}

static uint64_t hash_bytes(const void *p, size_t n)
{
	const uint8_t *b = p;
	uint64_t h = n + 0x243f6a8885a308d3, v;

	for (; n >= 8; n -= 8, b += 8) {
		memcpy(&v, b, 8);
		h = mix(h, v);
	}
	for (; n > 0; n--, b++)
		h = mix(h, *b);
	return h | 1;
}

uint64_t sim_hash(const struct sim *s)
{
	struct todo {
		int node;
		uint64_t path;
	} *todo = mem_alloc((s->count + 1) * 2 * sizeof(*todo));
	size_t count = 1;
	uint64_t sum = 0;

	/* A sum over the paths, so that the order of names does not matter. */
	todo[0] = (struct todo){ 0, 1 };
	for (size_t i = 0; i < count && i < s->count * 2; i++) {
		const struct names *l = s->nodes[todo[i].node].names;

		for (size_t k = 0; k < l->count && count < s->count * 2; k++) {
			const struct sim_node *n = &s->nodes[l->list[k].node];
			uint64_t path = mix(todo[i].path, hash_bytes(l->list[k].text, strlen(l->list[k].text)));

			if (n->kind == NODE_DIR)
				todo[count++] = (struct todo){ l->list[k].node, path };
			else if (n->now->hash == 0)
				n->now->hash = hash_bytes(n->now->bytes, n->now->stored);
			sum += mix(path, n->kind == NODE_DIR ? 7 : n->now->hash);
		}
	}
	mem_free(todo);
	return sum;
}
