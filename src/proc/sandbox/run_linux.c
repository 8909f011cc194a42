/*
 * The process outside: it starts the first process inside, waits, ends all who are left and writes the report. Nobody
 * inside can see it where there is a PID namespace, and none of its descriptors is theirs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num.h"
#include "proc/sandbox/ferry.h"
#include "proc/sandbox/filter.h"
#include "proc/sandbox/linux.h"

#define RUN_END_MS 10000 /* for those who are left to be gone */
#define RUN_NOBODY 65534
#define RUN_LOOK_MS 100 /* between two looks at the processor's time */
#define RUN_WAIT_MOST_MS 3600000

struct run {
	const struct sandbox_options *o;
	struct arena *arena;
	struct sandbox_report report;
	struct sandbox_tally tally;
	int epoll, signals, channel;
	pid_t first;
	bool first_over, channel_over, ended; /* ended: the first process said how the command ended */
	uint64_t deadline_ns; /* 0: none */
	uint64_t look_ns;     /* the processor's time is looked at then */
	int asked;            /* the signal that asked us to end it */
	bool handed;          /* it is set up so far that the command can begin */
	bool cpu_over;        /* it used more than it may */
	int absent;           /* errno: why the command could not be started */
	struct sandbox_watch watch;
	struct sandbox_ferry *ferry;
	struct sandbox_groups groups;
};

/* ---- starting ---- */

static void run_describe_user(struct run *r, struct sandbox_inside *in)
{
	if (r->o->other_user && geteuid() == 0) {
		in->becomes = true;
		in->uid = in->gid = RUN_NOBODY;
	}
	if (!in->becomes && geteuid() == 0)
		r->report.user = STR("root");
	else
		r->report.user = arena_printf(r->arena, "%u", (unsigned)(in->becomes ? in->uid : geteuid()));
}

/* Moved away from the numbers that the command has for its own. */
static int run_move_up(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, 10);

	close(fd);
	return moved;
}

static bool run_open_channel(struct run *r, int *inside, struct err *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return err_system(err, errno, "cannot make a socket");
	r->channel = run_move_up(ends[0]);
	*inside = run_move_up(ends[1]);
	return true;
}

/*
 * The port that the variable names, by itself or in the address of a service on loopback. Where the variable is not
 * set, or says something else, the command would run without what it was promised: it does not run.
 */
static bool run_find_port(struct run *r, uint16_t *out, struct err *err)
{
	const char *name = r->o->port_variable.p ? arena_copy(r->arena, r->o->port_variable).p : NULL;
	const char *value = name ? getenv(name) : NULL;
	struct str text = str_from(value), port;
	uint64_t n = 0;
	size_t at;

	*out = 0;
	if (!name)
		return true;
	at = str_find(text, STR("://"));
	if (at != (size_t)-1)
		text = str_skip(text, at + 3);
	port = str_starts(text, STR("127.0.0.1:")) ? str_skip(text, 10) :
	       str_starts(text, STR("localhost:")) ? str_skip(text, 10) : text;
	port = str_cut(port, '/', &text);
	if (!value || !num_parse_u64(port, &n) || n == 0 || n > UINT16_MAX)
		return err_set(err, ERR_IO, "the variable %s names no port of 127.0.0.1, so the command of a sandbox "
			       "could not reach it", name);
	*out = (uint16_t)n;
	return true;
}

/* Groups that bear no limit are for ending what is in them, where no PID namespace may do that. */
static void run_open_groups(struct run *r, struct sandbox_inside *in)
{
	const struct sandbox_limits *l = &r->o->limits;
	bool wants = l->memory_bytes || l->processes || l->cpu_seconds || l->file_bytes;

	if (wants || (geteuid() != 0 && r->o->level < SANDBOX_BWRAP))
		sandbox_groups_open(r->arena, l, r->o->level == SANDBOX_BWRAP ? 2 : 1, &r->groups);
	r->report.limits_by = r->groups.by;
	in->groups = r->groups;
	in->by_rlimit = str_eq(r->groups.by, STR("rlimit"));
}

static bool run_start(struct run *r, struct err *err)
{
	struct sandbox_inside in = { .o = r->o };

	run_describe_user(r, &in);
	if (in.becomes)
		sandbox_give(r->o, in.uid, in.gid);
	run_open_groups(r, &in);
	if (!run_find_port(r, &in.port, err) || !run_open_channel(r, &in.channel, err))
		return false;
	r->watch.strict = r->o->level == SANDBOX_LANDLOCK;
	r->watch.port = in.port;
	r->watch.becomes = in.becomes;
	r->watch.uid = in.uid;
	r->watch.gid = in.gid;
	if (!sandbox_start(r->arena, &in, &r->first, err))
		return false;
	close(in.channel);
	return true;
}

/* ---- while it runs ---- */

static void run_end(struct run *r)
{
	sandbox_groups_kill(&r->groups);
	if (!r->first_over)
		kill(r->first, SIGKILL);
}

/* What is waited for from now on; false when the system has no room for it. */
static bool run_add(struct run *r, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data = { .fd = fd } };

	return epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

/* The command waits until we can answer. */
static void run_take_handed(struct run *r, int kind, int fd)
{
	struct sandbox_word go = { .kind = SANDBOX_WORD_GO };
	bool taken = false;

	if (kind == SANDBOX_FILTER && fd >= 0 && r->watch.fd < 0) {
		r->watch.fd = fd;
		r->handed = taken = run_add(r, fd);
	} else if (kind == SANDBOX_LISTENER && fd >= 0 && !r->ferry) {
		r->ferry = sandbox_ferry_open(r->epoll, fd, r->watch.port);
		taken = r->ferry != NULL;
		fd = -1; /* the ferry's */
	}
	if (!taken) {
		if (fd >= 0)
			close(fd);
		run_end(r);
		return;
	}
	sandbox_word_send(r->channel, &go, -1);
}

static void run_take_question(struct run *r)
{
	if (sandbox_watch_answer(&r->watch))
		return;
	close(r->watch.fd);
	r->watch.fd = -1;
}

static void run_take_word(struct run *r)
{
	struct sandbox_word w;
	int fd;

	if (!sandbox_word_receive(r->channel, &w, &fd)) {
		r->channel_over = true;
		epoll_ctl(r->epoll, EPOLL_CTL_DEL, r->channel, NULL);
		return;
	}
	if (w.kind == SANDBOX_WORD_HANDED) {
		run_take_handed(r, w.number, fd);
		return;
	}
	if (w.kind == SANDBOX_WORD_ENDED) {
		r->ended = true;
		r->report.status = WIFEXITED(w.number) ? WEXITSTATUS(w.number) : 0;
		r->report.signal = WIFSIGNALED(w.number) ? WTERMSIG(w.number) : 0;
		r->report.left_behind = w.left;
	} else if (w.kind == SANDBOX_WORD_ABSENT) {
		r->absent = w.number;
	} else if (w.kind == SANDBOX_WORD_FAILED) {
		r->report.failure = arena_printf(r->arena, "the sandbox could not %s: %s", w.text,
						 strerror(w.number));
	}
	if (fd >= 0)
		close(fd);
}

static void run_take_signal(struct run *r)
{
	struct signalfd_siginfo s;
	siginfo_t info = { .si_pid = 0 };

	while (read(r->signals, &s, sizeof(s)) == (ssize_t)sizeof(s)) {
		if (s.ssi_signo == SIGCHLD)
			continue;
		r->asked = (int)s.ssi_signo;
		run_end(r);
	}
	/* the first one only: orphans are counted and waited for at the end */
	if (!r->first_over && waitid(P_PID, (id_t)r->first, &info, WEXITED | WNOHANG) == 0 && info.si_pid == r->first)
		r->first_over = true;
}

/* Until the time is up, or until the processor's time is looked at again. */
static int run_wait_ms(const struct run *r)
{
	uint64_t now = clock_mono_ns(), ms = RUN_WAIT_MOST_MS;

	if (r->first_over)
		return RUN_END_MS;
	if (r->o->limits.cpu_seconds && !r->cpu_over)
		ms = RUN_LOOK_MS;
	if (r->deadline_ns && r->deadline_ns <= now)
		return 0;
	if (r->deadline_ns && (r->deadline_ns - now) / 1000000 < ms)
		ms = (r->deadline_ns - now) / 1000000 + 1;
	return (int)ms;
}

/* At the time and at the processor's time. */
static void run_look(struct run *r)
{
	uint64_t now = clock_mono_ns();

	if (r->deadline_ns && r->deadline_ns <= now) {
		r->report.timed_out = true;
		r->deadline_ns = 0;
		run_end(r);
	}
	if (!r->o->limits.cpu_seconds || r->cpu_over || now < r->look_ns)
		return;
	r->look_ns = now + (uint64_t)RUN_LOOK_MS * 1000000;
	if (sandbox_groups_used(&r->groups, r->o->limits.cpu_seconds)) {
		r->cpu_over = true;
		sandbox_tally_add(&r->tally, STR("cpu"), STR("limit"), 1);
		run_end(r);
	}
}

static void run_take_event(struct run *r, int fd)
{
	if (fd == r->signals)
		run_take_signal(r);
	else if (fd == r->channel)
		run_take_word(r);
	else if (fd == r->watch.fd)
		run_take_question(r);
	else if (!sandbox_ferry_take(r->ferry, fd))
		sandbox_watch_connected(&r->watch, fd);
}

static void run_until_over(struct run *r)
{
	struct epoll_event e;

	while (!r->first_over || !r->channel_over) {
		int n = epoll_wait(r->epoll, &e, 1, run_wait_ms(r));

		if (n == 0 && r->first_over)
			return; /* somebody outside of the tree has the channel */
		run_look(r); /* also at a command that keeps us busy */
		if (n > 0)
			run_take_event(r, e.data.fd);
		if (r->ended && r->first_over)
			return;
	}
}

static bool run_watch(struct run *r, int fd, struct err *err)
{
	return run_add(r, fd) || err_system(err, errno, "cannot wait for a process");
}

/* Blocked before anything starts, so that none is lost; the command gets its own mask. */
static bool run_listen(struct run *r, struct err *err)
{
	sigset_t taken;

	sigemptyset(&taken);
	sigaddset(&taken, SIGCHLD);
	sigaddset(&taken, SIGTERM);
	sigaddset(&taken, SIGINT);
	sigaddset(&taken, SIGHUP);
	sigaddset(&taken, SIGQUIT);
	sigprocmask(SIG_SETMASK, &taken, NULL);
	signal(SIGPIPE, SIG_IGN);
	r->epoll = run_move_up(epoll_create1(EPOLL_CLOEXEC));
	r->watch.epoll = r->epoll;
	r->signals = run_move_up(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
	return run_watch(r, r->signals, err);
}

/* ---- the end ---- */

static void run_describe_absent(const struct run *r)
{
	struct err err;

	err_system(&err, r->absent, "cannot start '%s'", r->o->argv[0]);
	sandbox_complain(&err);
}

/* The status of the command's end, as a shell would give it. */
static int run_status(const struct run *r)
{
	if (r->report.failure.p)
		return SANDBOX_FAILED;
	if (r->absent)
		return r->absent == ENOENT ? 127 : 126;
	if (r->asked)
		return 128 + r->asked;
	return r->report.signal ? 128 + r->report.signal : r->report.status;
}

static void run_conclude(struct run *r)
{
	uint64_t left;

	sandbox_ferry_close(r->ferry);
	left = sandbox_tree_end(RUN_END_MS, &r->report.emptied);
	sandbox_groups_count(&r->groups, &r->tally);
	sandbox_groups_close(&r->groups);

	r->report.left_behind += r->ended ? left : 0;
	r->report.started = !r->absent && !r->report.failure.p;
	if (!r->ended && r->report.started)
		r->report.signal = SIGKILL;
	if (r->absent)
		r->report.status = r->absent == ENOENT ? 127 : 126;
	if (!r->ended && r->report.started && !r->report.timed_out && !r->asked && !r->cpu_over) {
		r->report.failure = r->handed ? STR("the first process of the sandbox was ended") :
						STR("the sandbox was not set up; what was in the way is said above");
		r->report.started = false;
	}
}

/* What is refused, or not, without our seeing it. */
static void run_tell_unseen(struct run *r)
{
	static const struct {
		const char *name;
		unsigned levels;
	} kinds[] = {
		{ "paths", 1 << SANDBOX_NONE | 1 << SANDBOX_LANDLOCK | 1 << SANDBOX_BWRAP },
		{ "signals", 1 << SANDBOX_NONE | 1 << SANDBOX_LANDLOCK | 1 << SANDBOX_BWRAP },
		{ "sendmsg", 1 << SANDBOX_NONE | 1 << SANDBOX_BWRAP },
		{ "connect", 1 << SANDBOX_NONE },
		{ "bind", 1 << SANDBOX_NONE },
		{ "ptrace", 1 << SANDBOX_NONE },
		{ "mount", 1 << SANDBOX_NONE },
		{ "clock_settime", 1 << SANDBOX_NONE },
		{ "init_module", 1 << SANDBOX_NONE },
	};
	const struct sandbox_limits *l = &r->o->limits;
	bool single = str_eq(r->report.limits_by, STR("rlimit"));

	r->report.unseen = arena_array(r->arena, struct str, COUNT(kinds) + 3);
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].levels & 1u << r->o->level)
			r->report.unseen[r->report.unseen_count++] = str_from(kinds[i].name);
	if (l->file_bytes)
		r->report.unseen[r->report.unseen_count++] = STR("file_bytes");
	if (single && l->memory_bytes)
		r->report.unseen[r->report.unseen_count++] = STR("memory");
	if (single && l->processes)
		r->report.unseen[r->report.unseen_count++] = STR("processes");
}

static bool run_all(struct run *r, struct err *err)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!run_listen(r, err))
		return false;
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* whoever started us is gone: nobody waits for the answer */
	r->tally.began_ns = clock_mono_ns();
	if (r->o->timeout_ms)
		r->deadline_ns = r->tally.began_ns + (uint64_t)r->o->timeout_ms * 1000000;
	if (!run_start(r, err) || !run_watch(r, r->channel, err))
		return false;
	run_until_over(r);
	run_conclude(r);
	run_tell_unseen(r);
	return true;
}

int sandbox_run_command(struct arena *a, const struct sandbox_options *o)
{
	struct run *r = arena_new(a, struct run);
	struct err err = { .kind = ERR_NONE };
	struct utsname system;
	int status;

	r->o = o;
	r->arena = r->tally.arena = a;
	r->watch = (struct sandbox_watch){ .fd = -1, .tally = &r->tally, .paths = o->paths,
					   .path_count = o->path_count };
	for (size_t i = 0; i < SANDBOX_PENDING; i++)
		r->watch.pending[i].fd = -1;
	r->report.level = o->level;
	r->report.kernel = uname(&system) == 0 ? arena_copy(a, str_from(system.release)) : STR("");
	if (o->report.p)
		unlink(arena_copy(a, o->report).p); /* one of another run is no report of this one */
	if (!run_all(r, &err))
		r->report.failure = str_from(err.text);
	status = run_status(r);
	if (r->report.failure.p) {
		err_set(&err, ERR_IO, "%.*s", STR_ARG(arena_copy(a, r->report.failure)));
		sandbox_complain(&err);
	} else if (r->absent) {
		run_describe_absent(r);
	}
	r->report.denials = r->tally.rows;
	r->report.denial_count = r->tally.count;
	if (o->report.p && !sandbox_report_write(o->report, &r->report, &err)) {
		sandbox_complain(&err);
		return SANDBOX_FAILED;
	}
	return status;
}
