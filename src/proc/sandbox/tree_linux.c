/*
 * The processes below this one. Who loses its parent becomes our child (PR_SET_CHILD_SUBREAPER, which the caller has
 * asked for), so nobody gets out of the tree, whatever sessions it makes.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/num.h"
#include "proc/sandbox/linux.h"

#define TREE_PAUSE_NS 1000000

struct tree_process {
	pid_t pid, parent;
	bool below;
};

struct tree {
	struct tree_process *list;
	size_t count, cap;
};

/* "PID (NAME) STATE PARENT ...": the name may have anything in it, so the last parenthesis counts. 0: gone. */
static pid_t tree_parent_of(const char *pid)
{
	char path[64], text[512];
	const char *behind;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	behind = strrchr(text, ')');
	return behind && strlen(behind) > 4 ? (pid_t)strtol(behind + 4, NULL, 10) : 0;
}

static void tree_read(struct tree *t)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;

	t->count = 0;
	while (proc && (e = readdir(proc)) != NULL) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		mem_grow(t->list, t->count, t->cap, 256);
		t->list[t->count++] = (struct tree_process){ .pid = (pid_t)strtol(e->d_name, NULL, 10),
							     .parent = tree_parent_of(e->d_name) };
	}
	if (proc)
		closedir(proc);
}

/* A parent may stand behind its child, so it takes as many rounds as the tree is deep at most. */
static void tree_mark(struct tree *t)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < t->count; i++) {
			bool below = t->list[i].parent == getpid();

			for (size_t j = 0; j < t->count && !below; j++)
				below = t->list[j].below && t->list[j].pid == t->list[i].parent;
			changed = changed || (below && !t->list[i].below);
			t->list[i].below = t->list[i].below || below;
		}
	}
}

static void tree_kill(struct tree *t)
{
	tree_read(t);
	tree_mark(t);
	for (size_t i = 0; i < t->count; i++)
		if (t->list[i].below)
			kill(t->list[i].pid, SIGKILL);
}

/* Takes those who have ended. True when there is no child any more. */
static bool tree_reap(uint64_t *count)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		++*count;
	return pid < 0 && errno == ECHILD;
}

uint64_t sandbox_tree_end(unsigned most_ms, bool *emptied)
{
	uint64_t count = 0, until = clock_mono_ns() + (uint64_t)most_ms * 1000000;
	struct timespec pause = { .tv_nsec = TREE_PAUSE_NS };
	struct tree t = { .list = NULL };

	tree_reap(&count); /* these had ended already */
	count = 0;
	while (!(*emptied = tree_reap(&count)) && clock_mono_ns() < until) {
		tree_kill(&t);
		nanosleep(&pause, NULL);
	}
	mem_free(t.list);
	return count;
}
