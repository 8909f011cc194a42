/* Looks through /proc for the processes of a program and adds up the memory of each. */
#include "bench/validate/sandbox_memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/num.h"

#define ALL_MOST ((uint64_t)8 << 30)
#define POOL_USUAL 4   /* threads of libuv's pool */
#define POOL_MOST 1024
#define DEPTH 64       /* of the tree: what lies deeper is found in a later look, when its parents have ended */

/* Of /proc/PID/stat, as proc(5) counts them. */
enum { FIELD_PARENT = 4, FIELD_GROUP = 5, FIELD_PAGES = 24 };

struct process {
	pid_t pid, parent, group;
	uint64_t pages;
	bool ours;
};

uint64_t sandbox_memory_all(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t half = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 2 : ALL_MOST;

	return half < ALL_MOST ? half : ALL_MOST;
}

uint64_t sandbox_memory_share(void)
{
	const char *given = getenv("UV_THREADPOOL_SIZE");
	uint64_t threads = POOL_USUAL;

	if (given && (!num_parse_u64(str_from(given), &threads) || threads < 1 || threads > POOL_MOST))
		threads = POOL_USUAL;
	return sandbox_memory_all() / threads;
}

/* "31820 (a name with ) and blanks) R 1 2 ...": what stands behind the last bracket has no surprises. */
static bool process_parse(struct str text, struct process *out)
{
	const char *end = text.n ? memrchr(text.p, ')', text.n) : NULL;
	struct str rest;

	if (!end || text.p + text.n - end < 4)
		return false;
	rest = str_of(end + 4, (size_t)(text.p + text.n - end) - 4); /* behind ") R " */
	for (int field = FIELD_PARENT; field <= FIELD_PAGES; field++) {
		int64_t value = 0;

		num_parse_i64(str_cut(rest, ' ', &rest), &value);
		if (field == FIELD_PARENT)
			out->parent = (pid_t)value;
		else if (field == FIELD_GROUP)
			out->group = (pid_t)value;
		else if (field == FIELD_PAGES && value > 0)
			out->pages = (uint64_t)value;
	}
	return true;
}

/* False for a name that is no number and for a process that ended meanwhile. */
static bool process_read(const char *name, struct process *out)
{
	char path[300], text[1024];
	int64_t pid;
	ssize_t n;
	int fd;

	*out = (struct process){ .pid = 0 };
	if (!num_parse_i64(str_from(name), &pid) || pid <= 0)
		return false;
	out->pid = (pid_t)pid;
	snprintf(path, sizeof(path), "/proc/%s/stat", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text));
	close(fd);
	return n > 0 && process_parse(str_of(text, (size_t)n), out);
}

static int process_order(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* All processes of the machine, sorted by id for bsearch. Nothing when there is no /proc. */
static void process_list(struct buf *out)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct process one;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && process_read(entry->d_name, &one))
			buf_add(out, &one, sizeof(one));
	if (dir)
		closedir(dir);
	if (out->n)
		qsort(out->p, out->n / sizeof(one), sizeof(one), process_order);
}

/* Whether one more of them was found to descend from the root. */
static bool process_spread(struct process *list, size_t n, pid_t root)
{
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		struct process key = { .pid = list[i].parent };
		const struct process *parent;

		if (list[i].ours)
			continue;
		parent = bsearch(&key, list, n, sizeof(key), process_order);
		if (list[i].pid != root && list[i].group != root && !(parent && parent->ours))
			continue;
		list[i].ours = found = true;
	}
	return found;
}

/* Each round finds the children of those found before; most trees need two or three. */
uint64_t sandbox_memory_of(pid_t root)
{
	long size = sysconf(_SC_PAGESIZE);
	struct process *list;
	uint64_t pages = 0;
	struct buf all;
	size_t n;

	buf_init(&all);
	process_list(&all);
	list = (struct process *)(void *)all.p;
	n = all.n / sizeof(*list);
	for (int i = 0; i < DEPTH && process_spread(list, n, root); i++)
		;
	for (size_t i = 0; i < n; i++)
		pages += list[i].ours ? list[i].pages : 0;
	buf_free(&all);
	return size > 0 ? pages * (uint64_t)size : 0;
}
