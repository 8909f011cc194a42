/*
 * Replays files through a fuzz target, without libFuzzer, so that every corpus is a test under every
 * compiler: `prog TARGET PATH...`, where a directory stands for the files in it. The empty input is always
 * the first. Inputs run one after another in a child process; when one ends it, the parent names the
 * file and goes on behind it with a new child.
 */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/replay.h"

enum { DONE = 9, UNREADABLE = 10, SECONDS_PER_INPUT = 60 };

static struct replay_target *targets;

struct inputs {
	char **paths; /* NULL stands for the empty input */
	size_t count;
};

void replay_register(struct replay_target *t)
{
	t->next = targets;
	targets = t;
}

/* NULL when there is none of this name. */
static const struct replay_target *target_find(const char *name)
{
	for (const struct replay_target *t = targets; t; t = t->next) {
		const char *slash = strrchr(t->file, '/'), *file = (slash ? slash + 1 : t->file) + strlen("fuzz_");
		size_t n = strlen(name);

		if (strncmp(file, name, n) == 0 && strcmp(file + n, ".c") == 0)
			return t;
	}
	return NULL;
}

static void inputs_add(struct inputs *in, char *path)
{
	in->paths = realloc(in->paths, (in->count + 1) * sizeof(*in->paths));
	if (!in->paths)
		abort();
	in->paths[in->count++] = path;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void inputs_add_directory(struct inputs *in, const char *path)
{
	struct dirent **names = NULL;
	int count = scandir(path, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char *full = NULL;

		if (asprintf(&full, "%s/%s", path, names[i]->d_name) < 0)
			abort();
		if (names[i]->d_name[0] != '.' && !is_directory(full))
			inputs_add(in, full);
		else
			free(full);
		free(names[i]);
	}
	free(names);
}

/* The copy has the input's exact size, so that a read past its end is seen by AddressSanitizer. */
static void replay(const struct replay_target *target, const char *path)
{
	FILE *f = path ? fopen(path, "rb") : NULL;
	uint8_t *bytes = NULL;
	size_t size = 0;
	struct stat st;

	if (path) {
		if (!f || fstat(fileno(f), &st) != 0)
			exit(UNREADABLE);
		size = (size_t)st.st_size;
	}
	bytes = malloc(size ? size : 1);
	if (!bytes || (f && fread(bytes, 1, size, f) != size))
		exit(UNREADABLE);
	if (f)
		fclose(f);
	alarm(SECONDS_PER_INPUT);
	target->run(bytes, size);
	free(bytes);
}

static void explain(const char *path, int status)
{
	printf("FAIL %s: ", path ? path : "the empty input");
	if (WIFEXITED(status) && WEXITSTATUS(status) == UNREADABLE)
		printf("cannot be read\n");
	else if (!WIFSIGNALED(status))
		printf("ended with exit status %d\n", WEXITSTATUS(status));
	else if (WTERMSIG(status) == SIGALRM)
		printf("took longer than %d seconds\n", SECONDS_PER_INPUT);
	else
		printf("ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/* Runs inputs from `first` on until one fails; *at is where the child was. */
static int run_from(const struct replay_target *target, const struct inputs *in, size_t first, volatile size_t *at)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		for (size_t i = first; i < in->count; i++) {
			*at = i;
			replay(target, in->paths[i]);
		}
		exit(DONE);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		abort();
	return status;
}

int main(int argc, char **argv)
{
	const struct replay_target *target = argc > 1 ? target_find(argv[1]) : NULL;
	struct inputs in = { NULL, 0 };
	size_t passed = 0, failed = 0, first = 0;
	volatile size_t *at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (!target) {
		fprintf(stderr, "usage: %s TARGET PATH..., where tests/fuzz/fuzz_TARGET.c is there\n", argv[0]);
		return 2;
	}
	if (at == MAP_FAILED)
		abort();
	inputs_add(&in, NULL);
	for (int i = 2; i < argc; i++) {
		if (is_directory(argv[i]))
			inputs_add_directory(&in, argv[i]);
		else
			inputs_add(&in, strdup(argv[i]));
	}
	while (first < in.count) {
		int status = run_from(target, &in, first, at);

		if (WIFEXITED(status) && WEXITSTATUS(status) == DONE) {
			passed += in.count - first;
			break;
		}
		passed += *at - first;
		failed++;
		explain(in.paths[*at], status);
		first = *at + 1;
	}
	for (size_t i = 0; i < in.count; i++)
		free(in.paths[i]);
	free(in.paths);
	printf("%zu passed, %zu failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
