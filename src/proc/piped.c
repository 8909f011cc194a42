/*
 * A piped ends when two things have happened, in any order: the child is over, and both its streams are. Whoever keeps
 * a stream open after its end is given DRAIN_MS, then ended too.
 */
#include "proc/piped.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"

#define PIECE ((size_t)64 << 10)
#define DRAIN_MS 200 /* after its end, for those who have its streams and say nothing */

struct piped {
	struct piped_options options;
	pid_t pid;
	uv_signal_t changed;
	uv_timer_t timer;
	uv_pipe_t out, err;
	unsigned handles;      /* not closed yet */
	unsigned streams;      /* not at their end */
	uint64_t bytes;        /* of its standard output */
	bool over;             /* it has ended, though it is waited for last: its number stays its own until then */
	bool asked, killed, forgotten, finished;
	struct piped_end end;
	struct buf complaint;
	char piece[PIECE];
};

/* ---- the end ---- */

static void piped_handle_closed(uv_handle_t *h)
{
	struct piped *p = h->data;

	assert(p->handles > 0);
	if (--p->handles > 0)
		return;
	buf_free(&p->complaint);
	mem_free(p);
}

static void close_all(struct piped *p)
{
	uv_handle_t *handles[] = { (uv_handle_t *)&p->changed, (uv_handle_t *)&p->timer, (uv_handle_t *)&p->out,
				   (uv_handle_t *)&p->err };

	for (size_t i = 0; i < COUNT(handles); i++)
		uv_close(handles[i], piped_handle_closed);
}

static void finish(struct piped *p)
{
	if (p->finished)
		return;
	p->finished = true;
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		; /* it is over: this does not wait */
	close_all(p);
	p->end.complaint = buf_str(&p->complaint);
	if (!p->forgotten)
		p->options.ended(p->options.own, &p->end);
}

static void grace_over(uv_timer_t *timer)
{
	struct piped *p = timer->data;

	p->killed = true;
	kill(-p->pid, SIGKILL);
	if (p->over)
		finish(p); /* who has its streams now has left its session: nothing more to wait for */
}

static void piped_make_end(struct piped *p)
{
	if (p->asked)
		return;
	p->asked = true;
	kill(-p->pid, SIGTERM);
	kill(-p->pid, SIGCONT); /* one that is stopped does not see the other */
	uv_timer_start(&p->timer, grace_over, PIPED_GRACE_MS, 0);
}

/* Whoever has its streams is ended; what it wrote itself is in the pipe, and is still read. */
static void drained(uv_timer_t *timer)
{
	piped_make_end(timer->data);
}

/* It ended, or a stream did. */
static void look(struct piped *p)
{
	if (p->finished || !p->over)
		return;
	if (p->streams == 0 && p->asked)
		kill(-p->pid, SIGKILL); /* all its own were to be ended: also who closed the streams and stayed */
	if (p->streams == 0 || p->killed)
		finish(p);
	else if (!p->asked)
		uv_timer_start(&p->timer, drained, DRAIN_MS, 0);
}

/* SIGCHLD is for any child: only this one's end counts. WNOWAIT leaves it to be reaped in finish. */
static void child_changed(uv_signal_t *changed, int signal)
{
	struct piped *p = changed->data;
	siginfo_t info = { .si_pid = 0 };

	(void)signal;
	if (p->over || waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != p->pid)
		return;
	p->over = true;
	p->end.ended_ns = clock_mono_ns();
	if (info.si_code == CLD_EXITED)
		p->end.status = info.si_status;
	else
		p->end.signal = info.si_status;
	look(p);
}

/* ---- its streams ---- */

static void lend(uv_handle_t *h, size_t suggested, uv_buf_t *out)
{
	struct piped *p = h->data;

	(void)suggested;
	*out = uv_buf_init(p->piece, PIECE);
}

static void stream_over(struct piped *p, uv_stream_t *s)
{
	assert(p->streams > 0);
	uv_read_stop(s);
	p->streams--;
	look(p);
}

/* Beyond the limit it is ended; what still comes is read, so that it can end, and thrown away. */
static void read_out(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct piped *p = s->data;

	if (n < 0) {
		stream_over(p, s);
		return;
	}
	p->bytes += (uint64_t)n;
	if (p->options.limit && p->bytes > p->options.limit && !p->end.overflown) {
		p->end.overflown = true;
		piped_make_end(p);
	}
	if (n > 0 && !p->forgotten && !p->end.overflown)
		p->options.data(p->options.own, str_of(b->base, (size_t)n));
}

static void read_err(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct piped *p = s->data;
	size_t room = PIPED_COMPLAINT - p->complaint.n;

	if (n < 0) {
		stream_over(p, s);
		return;
	}
	buf_add(&p->complaint, b->base, (size_t)n < room ? (size_t)n : room);
}

/* ---- starting ---- */

struct ends {
	int in, out[2], err[2]; /* to read, to write */
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_ends(struct ends *e)
{
	close_end(&e->in);
	for (size_t i = 0; i < 2; i++) {
		close_end(&e->out[i]);
		close_end(&e->err[i]);
	}
}

/*
 * What it reads is in memory that looks like a file: it can be as long as it likes, nobody has to write it piece by
 * piece, and a child that does not read it breaks nothing.
 */
static int open_input(struct str input, struct err *err)
{
	int fd = input.p ? memfd_create("input", MFD_CLOEXEC) : open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_system(err, errno, "cannot open the input of a program") - 1;
	if (input.p && (!file_write_all(fd, input, err) || lseek(fd, 0, SEEK_SET) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool open_ends(struct ends *e, struct str input, struct err *err)
{
	*e = (struct ends){ -1, { -1, -1 }, { -1, -1 } };
	if (pipe2(e->out, O_CLOEXEC) != 0 || pipe2(e->err, O_CLOEXEC) != 0)
		err_system(err, errno, "cannot make a pipe");
	else
		e->in = open_input(input, err);
	if (e->in >= 0)
		return true;
	close_ends(e);
	return false;
}

/* In a session of its own, with no signal blocked and SIGPIPE deadly again. An errno, 0 when it runs. */
static int piped_spawn(struct piped *p, const struct ends *e)
{
	char *const *argv = (char *const *)(uintptr_t)p->options.argv;
	char *const *env = p->options.env ? (char *const *)(uintptr_t)p->options.env : environ;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, usual;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE); /* that we do not want to die of it is our affair */
	posix_spawnattr_setsigdefault(&attr, &usual);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
	error = posix_spawn_file_actions_adddup2(&actions, e->in, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, e->out[1], 1);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, e->err[1], 2);
	if (!error)
		error = posix_spawnp(&p->pid, argv[0], &actions, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Watched before it starts, since it may end at once. These do not fail but for a mistake of ours or want of memory. */
static bool piped_watch(struct piped *p, uv_loop_t *loop, struct err *err)
{
	int failed = uv_signal_init(loop, &p->changed);
	sigset_t chld;

	if (failed)
		return err_system(err, -failed, "cannot wait for a program");
	uv_timer_init(loop, &p->timer);
	uv_pipe_init(loop, &p->out, 0);
	uv_pipe_init(loop, &p->err, 0);
	p->changed.data = p->timer.data = p->out.data = p->err.data = p;
	p->handles = 4;
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD); /* whoever started us may have left it blocked */
	pthread_sigmask(SIG_UNBLOCK, &chld, NULL);
	failed = uv_signal_start(&p->changed, child_changed, SIGCHLD);
	return failed == 0 || err_system(err, -failed, "cannot wait for a program");
}

/* A descriptor that a handle has taken is closed by the handle: it is taken out of *e. */
static bool piped_listen_to(struct piped *p, struct ends *e, struct err *err)
{
	int failed = uv_pipe_open(&p->out, e->out[0]);

	if (!failed) {
		e->out[0] = -1; /* the handle's from now on */
		failed = uv_pipe_open(&p->err, e->err[0]);
	}
	if (!failed) {
		e->err[0] = -1;
		failed = uv_read_start((uv_stream_t *)&p->out, lend, read_out);
	}
	if (!failed)
		failed = uv_read_start((uv_stream_t *)&p->err, lend, read_err);
	p->streams = 2;
	return failed == 0 || err_system(err, -failed, "cannot read what a program writes");
}

struct piped *piped_start(uv_loop_t *loop, const struct piped_options *o, struct err *err)
{
	struct piped *p = mem_alloc(sizeof(*p));
	struct ends e;
	int error;

	memset(p, 0, offsetof(struct piped, piece));
	p->options = *o;
	buf_init(&p->complaint);
	p->finished = p->forgotten = true; /* until it runs */
	if (!open_ends(&e, o->input, err)) {
		mem_free(p);
		return NULL;
	}
	if (!piped_watch(p, loop, err)) {
		close_ends(&e);
		if (p->handles)
			close_all(p);
		else
			mem_free(p);
		return NULL;
	}
	error = piped_listen_to(p, &e, err) ? piped_spawn(p, &e) : -1;
	if (error > 0)
		err_system(err, error, "cannot run %s", o->argv[0]);
	close_ends(&e);
	if (error) {
		close_all(p);
		return NULL;
	}
	p->options.argv = p->options.env = NULL;
	p->options.input = str_of(NULL, 0);
	p->finished = p->forgotten = false;
	return p;
}

int piped_pid(const struct piped *p)
{
	return p->pid;
}

void piped_stop(struct piped *p)
{
	if (!p->finished)
		piped_make_end(p);
}

void piped_forget(struct piped *p)
{
	p->forgotten = true;
	piped_stop(p);
}
