/*
 * The first process inside, where it is started as a program by bwrap. The small program (src/cmd/shim.c) has this file
 * and what it needs, and nothing of the process outside.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/num.h"
#include "proc/sandbox/linux.h"

#define ENTER_BACKLOG 128
#define ENTER_SETTINGS_MOST ((size_t)16 << 20)

static bool enter_read(struct arena *a, int settings, struct sandbox_inside *in, struct sandbox_options *o)
{
	struct str text, path = arena_printf(a, "/proc/self/fd/%d", settings);
	const char **argv;
	size_t count = 0;
	struct err err;

	if (!file_read(a, path, ENTER_SETTINGS_MOST, &text, &err) || text.n <= sizeof(*in) || text.p[text.n - 1])
		return false;
	memcpy(in, text.p, sizeof(*in));
	text = str_skip(text, sizeof(*in));
	argv = arena_array(a, const char *, str_count(text, '\0') + 1);
	while (text.n)
		argv[count++] = str_cut(text, '\0', &text).p;
	in->o = o;
	close(settings);
	return sandbox_read_arguments(a, argv, o, &err);
}

/* The one port, inside; whoever connects is taken by the process outside. */
static bool enter_open_port(const struct sandbox_inside *in)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons(in->port) };
	struct sandbox_word w = { .kind = SANDBOX_WORD_HANDED, .number = SANDBOX_LISTENER };
	int fd, none;

	if (!in->port)
		return true;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, ENTER_BACKLOG) != 0)
		return sandbox_word_fail(in->channel, "open the one port");
	if (!sandbox_word_send(in->channel, &w, fd) || !sandbox_word_receive(in->channel, &w, &none) ||
	    w.kind != SANDBOX_WORD_GO)
		return false;
	close(fd);
	return true;
}

bool sandbox_inside_is_asked(int argc, char **argv)
{
	uint64_t settings;

	return argc == 1 && str_starts(str_from(argv[0]), STR("inside=")) &&
	       num_parse_u64(str_from(argv[0] + sizeof("inside=") - 1), &settings) && settings <= INT_MAX;
}

int sandbox_inside(char **argv)
{
	int settings = (int)strtol(argv[0] + sizeof("inside=") - 1, NULL, 10);
	struct sandbox_options o;
	struct sandbox_inside in;
	struct arena a;

	arena_init(&a);
	if (!enter_read(&a, settings, &in, &o))
		return SANDBOX_FAILED;
	if (o.dir.p)
		setenv("PWD", arena_copy(&a, o.dir).p, 1); /* bwrap has set it to the root */
	if (enter_open_port(&in))
		sandbox_inside_run(&in);
	return SANDBOX_FAILED;
}
