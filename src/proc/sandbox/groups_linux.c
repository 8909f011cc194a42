/* Cgroups are directories: a process enters by writing into one, a limit is a file. */
#include "proc/sandbox/groups.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/num.h"

#define GROUPS_ROOT "/sys/fs/cgroup"
#define GROUPS_FILE_MOST 65536

/* ---- files ---- */

static bool groups_write(const char *dir, const char *name, const char *text)
{
	char path[4096];
	bool written;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return false;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return written;
}

static bool groups_write_number(const char *dir, const char *name, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	return groups_write(dir, name, text);
}

/* The number behind this word in a file of lines "WORD NUMBER"; 0 when there is none. */
static uint64_t groups_read(struct arena *a, const char *dir, const char *name, struct str word)
{
	struct str path = arena_printf(a, "%s/%s", dir, name), text = STR("");
	uint64_t n = 0;
	struct err err;

	file_read(a, path, GROUPS_FILE_MOST, &text, &err);
	while (text.n) {
		struct str line = str_cut(text, '\n', &text), number;

		if (str_eq(str_cut(line, ' ', &number), word))
			num_parse_u64(number, &n);
	}
	return n;
}

static bool groups_has(const char *dir, const char *name)
{
	char path[4096];

	return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path) && access(path, W_OK) == 0;
}

/* ---- where we are ---- */

/* The path of our group in the hierarchy of this controller; empty: version 2. "4:memory:/a/b", "0::/a/b". */
static struct str groups_own(struct str text, struct str controller)
{
	while (text.n) {
		struct str rest, names, line = str_cut(text, '\n', &text);

		str_cut(line, ':', &rest);
		names = str_cut(rest, ':', &rest);
		if (controller.n == 0 && names.n == 0)
			return rest;
		while (names.n)
			if (str_eq(str_cut(names, ',', &names), controller))
				return rest;
	}
	return str_of(NULL, 0);
}

static const char *groups_make(struct arena *a, const char *in)
{
	const char *dir = arena_printf(a, "%s/trackway-%ld", in, (long)getpid()).p;

	return mkdir(dir, 0755) == 0 ? dir : NULL;
}

/* ---- version 2 ---- */

static bool groups_limit_v2(const char *dir, const struct sandbox_limits *l, unsigned own)
{
	return (!l->memory_bytes || groups_write_number(dir, "memory.max", l->memory_bytes)) &&
	       (!l->processes || groups_write_number(dir, "pids.max", l->processes + own));
}

static bool groups_bears_v2(const char *dir, const struct sandbox_limits *l)
{
	return (!l->memory_bytes || groups_has(dir, "memory.max")) && (!l->processes || groups_has(dir, "pids.max"));
}

/*
 * Below our own group, or beside it where that gives no controllers to those below. Some other program's process may be
 * in the way of a change there, which then fails, and nothing has changed.
 */
static bool groups_open_v2(struct arena *a, struct str own_path, const struct sandbox_limits *l, unsigned own,
			   struct sandbox_groups *g)
{
	bool unified = access(GROUPS_ROOT "/cgroup.controllers", F_OK) == 0, wants = l->memory_bytes || l->processes;
	const char *root = unified ? GROUPS_ROOT : GROUPS_ROOT "/unified";
	const char *in[2] = { arena_printf(a, "%s%.*s", root, STR_ARG(own_path)).p,
			      arena_printf(a, "%s%.*s", root, STR_ARG(str_dirname(own_path))).p };

	for (size_t i = 0; i < COUNT(in) && !g->dir[SANDBOX_GROUP_V2]; i++) {
		const char *dir = groups_make(a, in[i]);

		if (dir && wants && !groups_bears_v2(dir, l))
			groups_write(in[i], "cgroup.subtree_control", "+memory +pids");
		if (dir && (!wants || (groups_bears_v2(dir, l) && groups_limit_v2(dir, l, own))))
			g->dir[SANDBOX_GROUP_V2] = dir;
		else if (dir)
			rmdir(dir);
	}
	return wants && g->dir[SANDBOX_GROUP_V2];
}

/* ---- version 1 ---- */

static bool groups_open_v1(struct arena *a, struct str text, const char *controller, const char *file, uint64_t limit,
			   const char **out)
{
	struct str own = groups_own(text, str_from(controller));

	if (!limit)
		return true;
	if (!own.p)
		return false;
	*out = groups_make(a, arena_printf(a, GROUPS_ROOT "/%s%.*s", controller, STR_ARG(own)).p);
	return *out && groups_write_number(*out, file, limit);
}

/* All that was asked for, or none. */
static bool groups_open_both_v1(struct arena *a, struct str text, const struct sandbox_limits *l, unsigned own,
				struct sandbox_groups *g)
{
	uint64_t pids = l->processes ? l->processes + own : 0;

	if (groups_open_v1(a, text, "memory", "memory.limit_in_bytes", l->memory_bytes,
			   &g->dir[SANDBOX_GROUP_MEMORY]) &&
	    groups_open_v1(a, text, "pids", "pids.max", pids, &g->dir[SANDBOX_GROUP_PIDS]))
		return true;
	sandbox_groups_close(g);
	g->dir[SANDBOX_GROUP_MEMORY] = g->dir[SANDBOX_GROUP_PIDS] = NULL;
	return false;
}

/* ---- their life ---- */

void sandbox_groups_open(struct arena *a, const struct sandbox_limits *l, unsigned own, struct sandbox_groups *out)
{
	static const struct sandbox_limits none;
	bool wants = l->memory_bytes || l->processes;
	struct str text = STR(""), v2;
	struct err err;

	*out = (struct sandbox_groups){ .by = STR("") };
	file_read(a, STR("/proc/self/cgroup"), GROUPS_FILE_MOST, &text, &err);
	v2 = groups_own(text, STR(""));
	if (v2.p && groups_open_v2(a, v2, l, own, out)) {
		out->by = STR("cgroup2");
		return;
	}
	if (wants && groups_open_both_v1(a, text, l, own, out))
		out->by = STR("cgroup1");
	else if (wants || l->file_bytes || l->cpu_seconds)
		out->by = STR("rlimit");
	if (v2.p && wants)
		groups_open_v2(a, v2, &none, own, out);
}

bool sandbox_groups_enter(const struct sandbox_groups *g)
{
	for (size_t i = 0; i < SANDBOX_GROUPS; i++)
		if (g->dir[i] && !groups_write(g->dir[i], "cgroup.procs", "0"))
			return false;
	return true;
}

bool sandbox_groups_used(const struct sandbox_groups *g, unsigned cpu_seconds)
{
	struct arena a;
	bool used;

	if (!g->dir[SANDBOX_GROUP_V2])
		return false;
	arena_init_small(&a);
	used = groups_read(&a, g->dir[SANDBOX_GROUP_V2], "cpu.stat", STR("usage_usec")) / 1000000 >= cpu_seconds;
	arena_free(&a);
	return used;
}

void sandbox_groups_kill(const struct sandbox_groups *g)
{
	if (g->dir[SANDBOX_GROUP_V2])
		groups_write(g->dir[SANDBOX_GROUP_V2], "cgroup.kill", "1"); /* older kernels do not have it */
}

void sandbox_groups_count(const struct sandbox_groups *g, struct sandbox_tally *t)
{
	bool first = g->dir[SANDBOX_GROUP_MEMORY] || g->dir[SANDBOX_GROUP_PIDS];
	const char *memory = first ? g->dir[SANDBOX_GROUP_MEMORY] : g->dir[SANDBOX_GROUP_V2];
	const char *pids = first ? g->dir[SANDBOX_GROUP_PIDS] : g->dir[SANDBOX_GROUP_V2];
	const char *kills = first ? "memory.oom_control" : "memory.events";

	if (memory)
		sandbox_tally_add(t, STR("memory"), STR("limit"),
				  groups_read(t->arena, memory, kills, STR("oom_kill")));
	if (pids)
		sandbox_tally_add(t, STR("processes"), STR("limit"),
				  groups_read(t->arena, pids, "pids.events", STR("max")));
}

void sandbox_groups_close(const struct sandbox_groups *g)
{
	for (size_t i = 0; i < SANDBOX_GROUPS; i++)
		if (g->dir[i])
			rmdir(g->dir[i]);
}
