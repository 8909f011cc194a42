/* The pager is a shell command that reads a pipe. While it runs, Ctrl-C is for the pager alone. */
#include "cmd/screen/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd/frame/stream.h"

extern char **environ;

static struct str pager_command(void)
{
	const char *command = getenv("TRACKWAY_PAGER");

	if (!command)
		command = getenv("PAGER");
	return str_from(command ? command : "less -FRX");
}

static bool fits(const struct frame *f, struct str text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	return lines < f->out.height; /* the prompt needs a line too */
}

/* Starts the pager with the reading end of `ends` as its input. Ctrl-C is the pager's to handle. */
static bool start(struct arena *a, struct str command, const int ends[2], pid_t *pid)
{
	char shell[] = "sh", dash_c[] = "-c", *line = arena_array(a, char, command.n + 1);
	char *argv[] = { shell, dash_c, line, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	bool started;

	memcpy(line, command.p, command.n);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
	started = posix_spawn(pid, "/bin/sh", &files, &attributes, argv, environ) == 0;
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return started;
}

/* False when the text has not been shown. */
static bool page(struct arena *a, struct str command, struct str text)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	struct err ignored; /* leaving the pager before the end is what pagers are for */
	int ends[2], status = 0;
	pid_t pid;
	bool started;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	sigaction(SIGINT, &ignore, &old);
	started = start(a, command, ends, &pid);
	close(ends[0]);
	if (started)
		(void)file_write_all(ends[1], text, &ignored);
	close(ends[1]);
	if (started)
		started = waitpid(pid, &status, 0) == pid;
	sigaction(SIGINT, &old, NULL);
	return started && !(WIFEXITED(status) && WEXITSTATUS(status) >= 126);
}

/* Whether long text goes through a pager at all. */
static bool pager_is_wanted(const struct frame *f, struct str command)
{
	return f->pager && f->out.is_terminal && command.n && !str_eq(command, STR("cat"));
}

void pager_show(struct arena *a, const struct frame *f, struct str text)
{
	struct str command = pager_command();

	if (pager_is_wanted(f, command) && !fits(f, text) && page(a, command, text))
		return;
	stream_write(stdout, text);
}

void pager_open(struct pager *p, struct arena *a, const struct frame *f)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct str command = pager_command();
	int ends[2];
	pid_t pid;

	*p = (struct pager){ .pipe = -1 };
	if (!pager_is_wanted(f, command) || pipe2(ends, O_CLOEXEC) != 0)
		return;
	p->old = arena_new(a, struct sigaction);
	sigaction(SIGINT, &ignore, p->old);
	if (start(a, command, ends, &pid)) {
		p->pid = pid;
		p->pipe = ends[1];
	} else {
		close(ends[1]);
		sigaction(SIGINT, p->old, NULL);
	}
	close(ends[0]);
}

bool pager_write(struct pager *p, struct str text)
{
	struct err ignored;

	if (p->pid)
		return file_write_all(p->pipe, text, &ignored);
	stream_write(stdout, text);
	return ferror(stdout) == 0;
}

void pager_close(struct pager *p)
{
	int status;

	if (!p->pid)
		return;
	close(p->pipe);
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	sigaction(SIGINT, p->old, NULL);
	p->pid = 0;
}
