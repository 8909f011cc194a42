#include "proc/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "harness/test.h"

/* A relay of one or two streams, with all ends that others have of it in the test. */
struct scene {
	int in[2];   /* what a command writes to */
	int out[2];  /* what a reader reads */
	int control;
	char *told;  /* what `over` says; shared memory, since the relay closes all descriptors */
	pid_t pid;
};

#define TOLD ((size_t)512)

static void tell(void *context, struct str note, const struct relay_tally *t)
{
	char *text = context;
	int n = snprintf(text, TOLD, "note=%.*s out=%llu err=%llu cut=%d kept=%.*s pieces=", STR_ARG(note),
			 (unsigned long long)t->bytes[0], (unsigned long long)t->bytes[1], t->cut,
			 (int)(t->kept.n < 64 ? t->kept.n : 64), t->kept.n ? t->kept.p : "");

	for (size_t i = 0; i < t->piece_count && n < 400; i++)
		n += snprintf(text + n, TOLD - (size_t)n, "%u:%zu ", t->pieces[i].stream, t->pieces[i].end);
}

static void open_scene(struct scene *s, size_t keep)
{
	int in[2][2], out[2][2], control[2];
	struct relay_options o = { .keep = keep, .over = tell };

	for (int i = 0; i < 2; i++)
		CHECK(pipe2(in[i], O_CLOEXEC) == 0 && pipe2(out[i], O_CLOEXEC) == 0);
	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) == 0);
	s->told = mmap(NULL, TOLD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(s->told != MAP_FAILED);
	s->pid = fork();
	if (s->pid == 0) {
		for (int i = 0; i < 2; i++) {
			o.from[i] = in[i][0];
			o.to[i] = out[i][1];
		}
		o.control = control[1];
		o.context = s->told;
		relay_run(&o);
		_exit(0);
	}
	for (int i = 0; i < 2; i++) {
		close(in[i][0]);
		close(out[i][1]);
		s->in[i] = in[i][1];
		s->out[i] = out[i][0];
	}
	close(control[1]);
	s->control = control[0];
}

static void check_read(int fd, const char *wants)
{
	char text[1024];
	size_t n = 0;
	ssize_t got;

	while (n < strlen(wants) && (got = read(fd, text + n, sizeof(text) - n)) > 0)
		n += (size_t)got;
	CHECK_STR(str_of(text, n), str_from(wants));
}

static void check_write(int fd, const char *text)
{
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

static char answer(struct scene *s, const char *note)
{
	char byte = 0;

	CHECK(send(s->control, note, strlen(note), 0) == (ssize_t)strlen(note));
	CHECK(recv(s->control, &byte, 1, 0) == 1);
	return byte;
}

TEST(bytes_pass_are_counted_and_kept_in_order)
{
	struct scene s;
	int status;

	open_scene(&s, 100);
	check_write(s.in[0], "one ");
	check_read(s.out[0], "one ");
	check_write(s.in[1], "two ");
	check_read(s.out[1], "two ");
	check_write(s.in[0], "three");
	check_read(s.out[0], "three");
	close(s.in[0]);
	close(s.in[1]);
	usleep(20000);
	CHECK_INT(answer(&s, "hi"), RELAY_ENDS);
	CHECK(waitpid(s.pid, &status, 0) == s.pid && status == 0);
	CHECK_INT(read(s.out[1], &status, 1), 0);
}

TEST(what_is_told_has_sizes_and_pieces)
{
	struct scene s;

	open_scene(&s, 6);
	check_write(s.in[0], "four");
	check_read(s.out[0], "four");
	check_write(s.in[1], "sixsix");
	check_read(s.out[1], "sixsix");
	CHECK_INT(answer(&s, "n"), RELAY_STAYS);
	CHECK_STR(str_from(s.told), STR("note=n out=4 err=6 cut=1 kept=foursi pieces=0:4 1:6 "));
	check_write(s.in[1], "later");
	check_read(s.out[1], "later");
	close(s.in[0]);
	close(s.in[1]);
	CHECK(waitpid(s.pid, NULL, 0) == s.pid);
}

TEST(a_reader_that_leaves_is_known_to_the_writer)
{
	struct pollfd p;
	struct scene s;

	signal(SIGPIPE, SIG_IGN);
	open_scene(&s, 0);
	close(s.out[1]);
	p = (struct pollfd){ .fd = s.in[1] };
	CHECK(poll(&p, 1, 5000) == 1 && (p.revents & POLLERR));
	CHECK(write(s.in[1], "x", 1) < 0 && errno == EPIPE);
	close(s.in[0]);
	close(s.control);
	CHECK(waitpid(s.pid, NULL, 0) == s.pid);
	CHECK_STR(str_from(s.told), STR("note= out=0 err=0 cut=0 kept= pieces="));
}

TEST(a_reader_that_waits_does_not_hold_up_the_end)
{
	char full[4096] = { 0 };
	struct scene s;

	open_scene(&s, 0);
	fcntl(s.in[1], F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 100; i++) {
		while (write(s.in[1], full, sizeof(full)) > 0)
			;
		usleep(1000);
	}
	CHECK_INT(answer(&s, "n"), RELAY_STAYS);
	kill(s.pid, SIGKILL);
	CHECK(waitpid(s.pid, NULL, 0) == s.pid);
}
