#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "crash/sim_own.h"

/* ---- what may happen ---- */

void sim_end(struct sim_process *p)
{
	for (size_t i = 0; i < p->sim->file_count; i++)
		if (p->sim->files[i].of == p)
			p->sim->files[i].is_open = p->sim->files[i].is_locked = false;
	p->is_dead = true;
}

/* A sync that failed. */
static void forget_writes(struct sim *s, const struct sim_op *op)
{
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; (op->syncs_all || (op->syncs && (int)i == op->node)) && k < s->nodes[i].change_count; k++)
			s->nodes[i].changes[k].forgotten = true;
}

/* False when the process is dead: the operation must not be made. */
static bool begin(struct sim_process *by, const struct sim_op *op, const char *path)
{
	struct sim *s = by->sim;

	if (by->is_dead)
		return false;
	if (s->before)
		s->before(s->context, s, op);
	s->ops++;
	by->ops++;
	s->clock += 1000;
	if (s->trace)
		printf("    %4llu %s %s %zu@%llu\n", (unsigned long long)s->ops, op->what, path, op->n,
		       (unsigned long long)op->at);
	if (s->count > 2 * s->live + 64)
		sim_collect(s);
	if (by->fail_at && by->ops == by->fail_at) {
		if (s->trace)
			printf("    ---- fails\n");
		by->has_failed = true;
		forget_writes(s, op);
		return false;
	}
	if (by->die_at == 0 || by->ops < by->die_at)
		return true;
	if (s->trace)
		printf("    ---- stopped before it\n");
	if (op->p && by->chance)
		sim_write_now(s, op->node, op->p, mutate_below(by->chance, op->n + 1), op->at);
	sim_end(by);
	return false;
}

static void sync_names(struct sim *s, struct sim_node *d, const char *path)
{
	size_t left = 0;

	s->syncs[place_of_names(path, false)]++;
	s->syncs[place_of_names(path, true)]++;
	for (size_t i = 0; i < d->move_count; i++) {
		if (s->without && place_of_names(path, d->moves[i].is_dir) == s->without)
			d->moves[left++] = d->moves[i];
		else
			names_put(&d->safe_names, &d->moves[i]);
	}
	d->move_count = left;
	if (left == 0)
		node_forget_moves(d);
}

/* A temporary file becomes one of the protocol: now it shows whether its sync counts. */
static void give_name(struct sim *s, int node, const char *from, const char *to)
{
	struct sim_node *f = &s->nodes[node];
	enum place p = place_of_file(to);

	if (f->kind != NODE_FILE || !place_is_temporary(from))
		return;
	if (p == PLACE_WAL)
		p = PLACE_WAL_NEW;
	s->syncs[p]++;
	if (f->is_due && p != s->without)
		node_sync(f);
}

/* ---- the table ---- */

static int sim_open_file(struct sim_process *by, int node, const char *path)
{
	struct sim *s = by->sim;
	size_t i = 0;

	while (i < s->file_count && s->files[i].is_open)
		i++;
	if (i == FILES_MOST)
		return -EMFILE;
	if (i == s->file_count)
		s->file_count++;
	s->files[i] = (struct sim_file){ .is_open = true, .of = by, .node = node };
	snprintf(s->files[i].path, sizeof(s->files[i].path), "%s", path);
	return (int)i;
}

static int op_open(void *own, const char *path, enum io_open how, unsigned mode)
{
	struct sim_process *by = own;
	struct sim *s = by->sim;
	int node = sim_walk(s, path), parent;
	struct name name;

	if (by->is_dead)
		return -EIO;
	if (node >= 0 && how == IO_NEW)
		return -EEXIST;
	if (node >= 0 && (s->nodes[node].kind == NODE_DIR) != (how == IO_DIR))
		return how == IO_DIR ? -ENOTDIR : -EISDIR;
	if (node < 0 && (how == IO_READ || how == IO_WRITE || how == IO_DIR))
		return node;
	if (node < 0) {
		parent = sim_walk_to_parent(s, path, &name);
		if (parent < 0)
			return parent;
		if (!begin(by, &(struct sim_op){ .what = "create" }, path))
			return -EIO;
		node = name.node = node_new(s, NODE_FILE, mode);
		sim_move(s, parent, &name);
	}
	return sim_open_file(by, node, path);
}

static struct sim_file *file_of(const struct sim_process *by, int fd)
{
	struct sim *s = by->sim;

	if (fd < 0 || (size_t)fd >= s->file_count || !s->files[fd].is_open || s->files[fd].of != by)
		return NULL;
	return &s->files[fd];
}

static void op_close(void *own, int fd)
{
	struct sim_file *f = file_of(own, fd);

	if (f)
		f->is_open = f->is_locked = false;
}

static int64_t op_read(void *own, int fd, void *p, size_t n, uint64_t at)
{
	struct sim_process *by = own;
	struct sim *s = by->sim;
	const struct sim_file *f = file_of(by, fd);
	const struct blob *b;
	size_t stored;

	if (!f)
		return -EBADF;
	if (by->is_dead)
		return -EIO;
	b = s->nodes[f->node].now;
	if (!b)
		return -EISDIR;
	if (at >= b->n)
		return 0;
	if (n > b->n - (size_t)at)
		n = b->n - (size_t)at;
	stored = at < b->stored ? b->stored - (size_t)at : 0;
	if (stored > n)
		stored = n;
	memcpy(p, b->bytes + at, stored);
	memset((char *)p + stored, 0, n - stored);
	return (int64_t)n;
}

static int64_t op_write(void *own, int fd, const void *p, size_t n, uint64_t at)
{
	struct sim_process *by = own;
	struct sim *s = by->sim;
	const struct sim_file *f = file_of(by, fd);

	if (!f)
		return -EBADF;
	if (!begin(by, &(struct sim_op){ .what = "write", .node = f->node, .p = p, .n = n, .at = at }, f->path))
		return -EIO;
	sim_write_now(s, f->node, p, n, at);
	return (int64_t)n;
}

static int op_truncate(void *own, int fd, uint64_t size)
{
	struct sim_process *by = own;
	struct sim *s = by->sim;
	const struct sim_file *f = file_of(by, fd);
	struct sim_node *n;

	if (!f)
		return -EBADF;
	if (!begin(by, &(struct sim_op){ .what = "truncate", .node = f->node, .at = size }, f->path))
		return -EIO;
	n = &s->nodes[f->node];
	blob_resize(&n->now, (size_t)size);
	n->changes = mem_resize(n->changes, (n->change_count + 1) * sizeof(*n->changes));
	n->changes[n->change_count++] = (struct change){ .at = size, .cut = true };
	return 0;
}

static int op_sync(void *own, int fd)
{
	struct sim_process *by = own;
	struct sim *s = by->sim;
	const struct sim_file *f = file_of(by, fd);
	struct sim_node *n;
	enum place p;

	if (!f)
		return -EBADF;
	if (!begin(by, &(struct sim_op){ .what = "sync", .node = f->node, .syncs = true }, f->path))
		return -EIO;
	n = &s->nodes[f->node];
	if (n->kind == NODE_DIR) {
		sync_names(s, n, f->path);
		return 0;
	}
	p = place_of_file(f->path);
	if (place_is_temporary(f->path)) {
		n->is_due = s->without != PLACE_NONE;
		if (!n->is_due)
			node_sync(n);
		return 0;
	}
	s->syncs[p]++;
	if (p != s->without)
		node_sync(n);
	return 0;
}

static int op_sync_all(void *own, int fd)
{
	struct sim_process *by = own;
	struct sim *s = by->sim;
	const struct sim_file *f = file_of(by, fd);
	enum place without = s->without;

	if (!f)
		return -EBADF;
	if (!begin(by, &(struct sim_op){ .what = "sync-all", .node = f->node, .syncs_all = true }, f->path))
		return -EIO;
	s->syncs[PLACE_ALL]++;
	if (without == PLACE_ALL)
		return 0;
	for (size_t i = 0; i < s->count; i++) {
		struct sim_node *n = &s->nodes[i];

		if (n->kind == NODE_FILE)
			node_sync(n);
		if (n->kind != NODE_DIR)
			continue;
		for (size_t k = 0; k < n->move_count; k++)
			names_put(&n->safe_names, &n->moves[k]);
		node_forget_moves(n);
	}
	return 0;
}

static void tell(const struct sim *s, int node, struct io_stat *out)
{
	const struct sim_node *n = &s->nodes[node];

	*out = (struct io_stat){ .inode = (uint64_t)node + 1, .size = n->now ? n->now->n : 0, .mtime_ns = n->mtime,
				 .mode = n->mode, .is_dir = n->kind == NODE_DIR };
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; s->nodes[i].kind == NODE_DIR && k < s->nodes[i].names->count; k++)
			out->links += s->nodes[i].names->list[k].node == node;
}

static int op_stat_fd(void *own, int fd, struct io_stat *out)
{
	const struct sim_process *by = own;
	const struct sim_file *f = file_of(by, fd);

	if (by->is_dead)
		return -EIO;
	if (!f)
		return -EBADF;
	tell(by->sim, f->node, out);
	return 0;
}

static int op_stat(void *own, const char *path, struct io_stat *out)
{
	struct sim_process *by = own;
	struct sim *s = by->sim;
	int node = sim_walk(s, path);

	if (by->is_dead)
		return -EIO;
	if (node < 0)
		return node;
	tell(s, node, out);
	return 0;
}

static int op_lock(void *own, int fd, bool wait)
{
	struct sim_process *by = own;
	struct sim *s = by->sim;
	struct sim_file *f = file_of(by, fd);

	(void)wait; /* processes take turns call by call: whoever waits here waits for ever */
	if (!f)
		return -EBADF;
	if (by->is_dead)
		return -EIO;
	for (size_t i = 0; i < s->file_count; i++)
		if (s->files[i].is_open && s->files[i].is_locked && s->files[i].node == f->node && (int)i != fd)
			return -EWOULDBLOCK;
	f->is_locked = true;
	return 0;
}

static int op_unlock(void *own, int fd)
{
	struct sim_file *f = file_of(own, fd);

	if (!f)
		return -EBADF;
	f->is_locked = false;
	return 0;
}

/* Where two names are about to be changed: the source's node, or -errno. */
static int two_names(struct sim_process *by, const char *from, const char *to, int dirs[2], struct name names[2])
{
	struct sim *s = by->sim;
	int node = sim_walk(s, from);

	if (by->is_dead)
		return -EIO;
	if (node < 0)
		return node;
	dirs[0] = sim_walk_to_parent(s, from, &names[0]);
	dirs[1] = sim_walk_to_parent(s, to, &names[1]);
	if (dirs[0] < 0 || dirs[1] < 0)
		return dirs[0] < 0 ? dirs[0] : dirs[1];
	names[0].is_dir = names[1].is_dir = s->nodes[node].kind == NODE_DIR;
	names[1].node = node;
	return node;
}

static int op_rename(void *own, const char *from, const char *to)
{
	struct sim_process *by = own;
	struct sim *s = by->sim;
	struct name names[2];
	int dirs[2], node = two_names(by, from, to, dirs, names), there = sim_walk(s, to);

	if (node < 0)
		return node;
	if (there >= 0 && s->nodes[there].kind != s->nodes[node].kind)
		return s->nodes[there].kind == NODE_DIR ? -EISDIR : -ENOTDIR;
	if (!begin(by, &(struct sim_op){ .what = "rename", .node = node }, to))
		return -EIO;
	give_name(s, node, from, to);
	sim_move(s, dirs[1], &names[1]);
	sim_move(s, dirs[0], &names[0]);
	return 0;
}

static int op_link(void *own, const char *from, const char *to)
{
	struct sim_process *by = own;
	struct sim *s = by->sim;
	struct name names[2];
	int dirs[2], node = two_names(by, from, to, dirs, names);

	if (node < 0)
		return node;
	if (sim_walk(s, to) >= 0)
		return -EEXIST;
	if (!begin(by, &(struct sim_op){ .what = "link", .node = node }, to))
		return -EIO;
	give_name(s, node, from, to);
	sim_move(s, dirs[1], &names[1]);
	return 0;
}

static int take_away(struct sim_process *by, const char *path, bool is_dir)
{
	struct sim *s = by->sim;
	int node = sim_walk(s, path), parent;
	struct name name;

	if (by->is_dead)
		return -EIO;
	if (node < 0)
		return node;
	if ((s->nodes[node].kind == NODE_DIR) != is_dir)
		return is_dir ? -ENOTDIR : -EISDIR;
	if (is_dir && s->nodes[node].names->count)
		return -ENOTEMPTY;
	parent = sim_walk_to_parent(s, path, &name);
	if (parent < 0)
		return parent;
	name.is_dir = is_dir;
	if (!begin(by, &(struct sim_op){ .what = is_dir ? "rmdir" : "unlink", .node = node }, path))
		return -EIO;
	sim_move(s, parent, &name);
	return 0;
}

static int op_unlink(void *own, const char *path)
{
	return take_away(own, path, false);
}

static int op_rmdir(void *own, const char *path)
{
	return take_away(own, path, true);
}

static int op_mkdir(void *own, const char *path, unsigned mode)
{
	struct sim_process *by = own;
	struct sim *s = by->sim;
	struct name name;
	int parent = sim_walk_to_parent(s, path, &name);

	if (by->is_dead)
		return -EIO;
	if (sim_walk(s, path) >= 0)
		return -EEXIST;
	if (parent < 0)
		return parent;
	if (!begin(by, &(struct sim_op){ .what = "mkdir" }, path))
		return -EIO;
	name.is_dir = true;
	name.node = node_new(s, NODE_DIR, mode);
	sim_move(s, parent, &name);
	return 0;
}

static int op_list(void *own, const char *path, bool (*each)(void *context, const char *name), void *context)
{
	struct sim_process *by = own;
	struct sim *s = by->sim;
	int node = sim_walk(s, path);
	struct names *l;

	if (by->is_dead)
		return -EIO;
	if (node < 0)
		return node;
	if (s->nodes[node].kind != NODE_DIR)
		return -ENOTDIR;
	l = s->nodes[node].names;
	l->refs++; /* what is called may change the directory */
	for (size_t i = 0; i < l->count; i++)
		if (!each(context, l->list[i].text))
			break;
	names_drop(l);
	return 0;
}

static const char *op_network(void *own, const char *path)
{
	(void)own;
	(void)path;
	return NULL;
}

static int64_t op_now(void *own)
{
	return ((struct sim_process *)own)->sim->clock;
}

struct io sim_io(struct sim_process *p)
{
	static const struct io_ops ops = {
		.open = op_open, .close = op_close, .read = op_read, .write = op_write, .truncate = op_truncate,
		.sync = op_sync, .sync_all = op_sync_all, .stat_fd = op_stat_fd, .stat = op_stat, .lock = op_lock,
		.unlock = op_unlock, .rename = op_rename, .link = op_link, .unlink = op_unlink, .mkdir = op_mkdir,
		.rmdir = op_rmdir, .list = op_list, .network = op_network, .now_ns = op_now,
	};

	return (struct io){ .ops = &ops, .own = p };
}
