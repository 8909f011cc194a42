#include <errno.h>

#include "base/arena.h"
#include "crash/sim_own.h"

#define STORED_WHOLE 16384 /* bytes: up to this size everything is stored */

/* ---- shared bytes and names ---- */

struct blob *blob_new(size_t cap)
{
	struct blob *b = mem_alloc(sizeof(*b) + cap);

	*b = (struct blob){ .refs = 1, .cap = cap };
	return b;
}

struct blob *blob_keep(struct blob *b)
{
	b->refs++;
	return b;
}

void blob_drop(struct blob *b)
{
	if (b && --b->refs == 0)
		mem_free(b);
}

/* Alone, with room for this many stored bytes. */
struct blob *blob_own(struct blob *b, size_t cap)
{
	struct blob *new = b;

	if (b->refs > 1) {
		new = blob_new(cap > b->stored ? cap : b->stored);
		new->n = b->n;
		new->stored = b->stored;
		memcpy(new->bytes, b->bytes, b->stored);
		blob_drop(b);
	} else if (cap > b->cap) {
		new = mem_resize(b, sizeof(*b) + cap * 2);
		new->cap = cap * 2;
	}
	new->hash = 0;
	return new;
}

static void blob_store(struct blob *b, size_t stored)
{
	if (stored > b->stored) {
		memset(b->bytes + b->stored, 0, stored - b->stored);
		b->stored = stored;
	}
}

void blob_resize(struct blob **b, size_t n)
{
	*b = blob_own(*b, n <= STORED_WHOLE ? n : 0);
	if (n < (*b)->stored)
		(*b)->stored = n;
	(*b)->n = n;
	if (n <= STORED_WHOLE)
		blob_store(*b, n);
}

/* Writes n bytes, of which those behind the first `given` are zero. */
void blob_write(struct blob **b, const void *p, size_t given, size_t n, uint64_t to)
{
	size_t at = (size_t)to, end = at + n;

	if (end > (*b)->n || (*b)->refs > 1)
		blob_resize(b, end > (*b)->n ? end : (*b)->n);
	if (given) {
		*b = blob_own(*b, at + given);
		blob_store(*b, at + given);
		memcpy((*b)->bytes + at, p, given);
	}
	if ((*b)->stored > at + given)
		memset((*b)->bytes + at + given, 0, ((*b)->stored < end ? (*b)->stored : end) - (at + given));
	(*b)->hash = 0;
}

/* Bytes without the zeros at the end of many, or most of them. */
size_t blob_without_zeros(const void *p, size_t n)
{
	static const uint8_t zeros[1024];
	const uint8_t *bytes = p;

	while (n > STORED_WHOLE && memcmp(bytes + n - sizeof(zeros), zeros, sizeof(zeros)) == 0)
		n -= sizeof(zeros);
	return n;
}

struct blob *blob_of(const void *p, size_t n)
{
	size_t given = blob_without_zeros(p, n);
	struct blob *b = blob_new(given);

	blob_write(&b, p, given, n, 0);
	return b;
}

struct names *names_new(void)
{
	struct names *l = mem_alloc(sizeof(*l));

	*l = (struct names){ .refs = 1 };
	return l;
}

void names_drop(struct names *l)
{
	if (l && --l->refs == 0)
		mem_free(l);
}

struct name *names_find(const struct names *l, const char *text, size_t n)
{
	for (size_t i = 0; i < l->count && n <= NAME_MOST; i++)
		if (memcmp(l->list[i].text, text, n) == 0 && l->list[i].text[n] == 0)
			return (struct name *)(uintptr_t)&l->list[i];
	return NULL;
}

void names_put(struct names **list, const struct name *n)
{
	struct names *l = *list;
	struct names *new = mem_alloc(sizeof(*new) + (l->count + 1) * sizeof(struct name));
	size_t count = 0;
	bool placed = false;

	/* In their old order, so that nothing depends on what was shared with whom. */
	for (size_t i = 0; i < l->count; i++) {
		bool same = strcmp(l->list[i].text, n->text) == 0;

		if (!same)
			new->list[count++] = l->list[i];
		else if (n->node >= 0)
			new->list[count++] = *n;
		placed |= same;
	}
	if (!placed && n->node >= 0)
		new->list[count++] = *n;
	new->refs = 1;
	new->count = count;
	names_drop(l);
	*list = new;
}

/* ---- nodes ---- */

void node_forget_changes(struct sim_node *n)
{
	for (size_t i = 0; i < n->change_count; i++)
		blob_drop(n->changes[i].bytes);
	mem_free(n->changes);
	n->changes = NULL;
	n->change_count = 0;
}

void node_forget_moves(struct sim_node *n)
{
	mem_free(n->moves);
	n->moves = NULL;
	n->move_count = 0;
}

void node_free(struct sim_node *n)
{
	node_forget_changes(n);
	node_forget_moves(n);
	blob_drop(n->now);
	blob_drop(n->safe);
	names_drop(n->names);
	names_drop(n->safe_names);
	*n = (struct sim_node){ .kind = NODE_FREE };
}

int node_new(struct sim *s, enum node_kind kind, unsigned mode)
{
	size_t i = 0;
	struct sim_node *n;

	while (i < s->count && s->nodes[i].kind != NODE_FREE)
		i++;
	if (i == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 64;
		s->nodes = mem_resize(s->nodes, s->cap * sizeof(*s->nodes));
	}
	if (i == s->count)
		s->count++;
	n = &s->nodes[i];
	*n = (struct sim_node){ .kind = kind, .mode = mode, .mtime = s->clock };
	if (kind == NODE_FILE) {
		n->now = blob_new(0);
		n->safe = blob_keep(n->now);
	} else {
		n->names = names_new();
		n->safe_names = n->names;
		n->names->refs++;
	}
	return (int)i;
}

static void mark_names(const struct name *list, size_t count, bool *reached)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].node >= 0)
			reached[list[i].node] = true;
}

/* Frees what nothing leads to any more, certain or not, and nobody has open. */
void sim_collect(struct sim *s)
{
	bool *reached = mem_alloc(s->count), *looked = mem_alloc(s->count);
	bool more = true;

	memset(reached, 0, s->count);
	memset(looked, 0, s->count);
	reached[0] = true;
	for (size_t i = 0; i < s->file_count; i++)
		if (s->files[i].is_open)
			reached[s->files[i].node] = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < s->count; i++) {
			const struct sim_node *n = &s->nodes[i];

			if (!reached[i] || looked[i] || n->kind != NODE_DIR)
				continue;
			looked[i] = more = true;
			mark_names(n->names->list, n->names->count, reached);
			mark_names(n->safe_names->list, n->safe_names->count, reached);
			mark_names(n->moves, n->move_count, reached);
		}
	}
	s->live = 0;
	for (size_t i = 0; i < s->count; i++) {
		if (!reached[i] && s->nodes[i].kind != NODE_FREE)
			node_free(&s->nodes[i]);
		else if (reached[i])
			s->live++;
	}
	while (s->count && s->nodes[s->count - 1].kind == NODE_FREE)
		s->count--;
	mem_free(reached);
	mem_free(looked);
}

/* ---- paths ---- */

/* The parts of a path, one after the other. */
static bool part_next(const char **at, const char **part, size_t *n)
{
	while (**at == '/')
		(*at)++;
	if (**at == 0)
		return false;
	*part = *at;
	*n = strcspn(*at, "/");
	*at += *n;
	return true;
}

/* The node of a path, or -errno. */
int sim_walk(const struct sim *s, const char *path)
{
	const char *part;
	size_t n;
	int at = 0;

	while (part_next(&path, &part, &n)) {
		const struct name *found;

		if (n == 1 && *part == '.')
			continue;
		if (s->nodes[at].kind != NODE_DIR)
			return -ENOTDIR;
		found = names_find(s->nodes[at].names, part, n);
		if (!found)
			return -ENOENT;
		at = found->node;
	}
	return at;
}

/* The directory that a name is in (or -errno), and the name. */
int sim_walk_to_parent(const struct sim *s, const char *path, struct name *out)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MOST];
	size_t n = slash ? (size_t)(slash - path) : 0;
	int parent;

	if (!slash || n >= sizeof(dir) || strlen(slash + 1) > NAME_MOST || slash[1] == 0)
		return -ENAMETOOLONG;
	memcpy(dir, path, n);
	dir[n] = 0;
	parent = sim_walk(s, dir);
	if (parent >= 0 && s->nodes[parent].kind != NODE_DIR)
		return -ENOTDIR;
	*out = (struct name){ .node = -1 };
	memcpy(out->text, slash + 1, strlen(slash + 1));
	return parent;
}

void sim_move(struct sim *s, int dir, const struct name *n)
{
	struct sim_node *d = &s->nodes[dir];

	names_put(&d->names, n);
	d->moves = mem_resize(d->moves, (d->move_count + 1) * sizeof(*d->moves));
	d->moves[d->move_count++] = *n;
	d->mtime = s->clock;
}

void sim_write_now(struct sim *s, int node, const void *p, size_t n, uint64_t at)
{
	struct sim_node *f = &s->nodes[node];

	blob_write(&f->now, p, blob_without_zeros(p, n), n, at);
	f->changes = mem_resize(f->changes, (f->change_count + 1) * sizeof(*f->changes));
	f->changes[f->change_count++] = (struct change){ .bytes = blob_of(p, n), .at = at };
	f->mtime = s->clock;
}

void change_apply(struct blob **b, const struct change *c)
{
	if (c->cut)
		blob_resize(b, (size_t)c->at);
	else
		blob_write(b, c->bytes->bytes, c->bytes->stored, c->bytes->n, c->at);
}

void node_sync(struct sim_node *f)
{
	size_t left = 0;

	for (size_t i = 0; i < f->change_count; i++)
		left += f->changes[i].forgotten;
	f->is_due = false;
	if (left == 0) {
		blob_drop(f->safe);
		f->safe = blob_keep(f->now);
		node_forget_changes(f);
		return;
	}
	left = 0;
	for (size_t i = 0; i < f->change_count; i++) {
		if (f->changes[i].forgotten) {
			f->changes[left++] = f->changes[i];
			continue;
		}
		change_apply(&f->safe, &f->changes[i]);
		blob_drop(f->changes[i].bytes);
	}
	f->change_count = left;
}
