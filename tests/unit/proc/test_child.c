#include "proc/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/stop.h"
#include "harness/test.h"
#include "unit/base/scratch.h"

#define MYSELF "/proc/self/exe"

/* ---- what the child does: this program again, with ACT in its environment ---- */

static void say(const char *before, int n, const char *after)
{
	char line[64];
	int length = snprintf(line, sizeof(line), "%s%d%s", before, n, after);

	if (write(1, line, (size_t)length) != length)
		_exit(99);
}

/* Says each signal that comes; SIGTERM ends it. */
static void act_count(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT };
	sigset_t set;
	int got;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	say("ready ", 0, "\n");
	while ((got = sigwaitinfo(&set, NULL)) != SIGTERM)
		if (got > 0)
			say("", got, "\n");
	say("", SIGTERM, "\n");
	_exit(7);
}

static void act_descriptors(void)
{
	for (int fd = 0; fd < 100; fd++)
		if (fcntl(fd, F_GETFD) != -1)
			say("", fd, " ");
	_exit(0);
}

static void act_dispositions(void)
{
	sigset_t blocked;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int n = 1; n < 32; n++) {
		struct sigaction a;

		if (sigaction(n, NULL, &a) == 0 && a.sa_handler == SIG_IGN)
			say("", n, " ");
		if (sigismember(&blocked, n) == 1)
			say("blocked-", n, " ");
	}
	_exit(0);
}

__attribute__((constructor)) static void act(void)
{
	const char *what = getenv("ACT");

	if (!what)
		return;
	if (strcmp(what, "stop") == 0) { /* as an editor does it that sees Ctrl-Z as a key */
		say("stops ", 0, "\n");
		raise(SIGSTOP);
		act_count();
	}
	if (strcmp(what, "count") == 0)
		act_count();
	if (strcmp(what, "descriptors") == 0)
		act_descriptors();
	if (strcmp(what, "dispositions") == 0)
		act_dispositions();
	if (strcmp(what, "abort") == 0)
		raise(SIGKILL);
	_exit(42);
}

/* ---- we ---- */

struct end {
	int count, status, signal;
	struct child *child;
};

static bool together; /* what we start dies with us */

static void note_end(void *context, int status, int signal)
{
	struct end *e = context;

	e->count++;
	e->status = status;
	e->signal = signal;
	if (e->child)
		child_close(e->child);
}

static struct end run(const char *const *argv, const char *const *env, struct err *err)
{
	struct end e = { 0 };
	struct child_options o = { .argv = argv, .env = env, .ended = note_end, .context = &e,
				   .dies_with_us = together };
	uv_loop_t loop;

	CHECK(uv_loop_init(&loop) == 0);
	e.child = child_start(&loop, &o, err);
	CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
	CHECK(uv_loop_close(&loop) == 0);
	if (e.child)
		child_free(e.child);
	return e;
}

static struct end run_act(const char *act)
{
	struct err err = { .kind = ERR_NONE };
	const char *const argv[] = { MYSELF, NULL }, *const env[] = { act, NULL };
	struct end e = run(argv, env, &err);

	if (!e.child)
		FAIL("%s", err.text);
	CHECK_INT(e.count, 1);
	return e;
}

#define KEPT_OUTPUT 90

/* Standard output goes into a pipe until it is released. */
static int capture(void)
{
	int ends[2];

	CHECK(fcntl(1, F_DUPFD_CLOEXEC, KEPT_OUTPUT) == KEPT_OUTPUT);
	CHECK(pipe2(ends, O_CLOEXEC) == 0 && dup2(ends[1], 1) == 1 && close(ends[1]) == 0);
	return ends[0];
}

static void release(void)
{
	dup2(KEPT_OUTPUT, 1);
	close(KEPT_OUTPUT);
}

static char *text_of(int fd)
{
	char *text = test_alloc(10000);
	size_t n = 0;
	ssize_t got;

	while ((got = read(fd, text + n, 9999 - n)) > 0)
		n += (size_t)got;
	return text;
}

static char *output_of(const char *act)
{
	int out = capture();

	run_act(act);
	release();
	return text_of(out);
}

TEST(the_end_tells_status_or_signal)
{
	struct end e = run_act("ACT=nothing");

	CHECK_INT(e.status, 42);
	CHECK_INT(e.signal, 0);
	e = run_act("ACT=abort");
	CHECK_INT(e.status, 0);
	CHECK_INT(e.signal, SIGKILL);
}

TEST(arguments_and_environment_are_those_given)
{
	static const char *const argv[] = { "sh", "-c", "echo \"$0|$1|$FISH|$HOME\"; exit 5", "zero", "a b\"c", NULL };
	static const char *const env[] = { "FISH=cod", "PATH=/nowhere:/usr/bin:/bin", NULL };
	struct err err = { .kind = ERR_NONE };
	int out = capture();
	struct end e;

	setenv("PATH", "/elsewhere", 1); /* ours does not count */
	setenv("HOME", "ours", 1);
	e = run(argv, env, &err);
	release();
	CHECK_INT(e.status, 5);
	CHECK_STR(str_from(text_of(out)), STR("zero|a b\"c|cod|\n"));
}

TEST(what_cannot_be_started_is_named_with_the_reason)
{
	static const char *const env[] = { "PATH=/nowhere:here", NULL };
	static const struct {
		const char *name, *text;
	} cases[] = {
		{ "agentt", "cannot start 'agentt': no directory of PATH has it; check the spelling, install it, or give its path" },
		{ "", "cannot start '': no directory of PATH has it; check the spelling, install it, or give its path" },
		{ "./absent", "cannot start './absent': there is no such file; check the path" },
		{ "./here", "cannot start './here': it is a directory; name a program" },
		{ "plain", "cannot start 'plain': here/plain may not be executed; try 'chmod +x here/plain'" },
		{ "lost", "cannot start 'lost': here/lost exists, but not the interpreter or loader that it asks for; look at "
			  "its first line" },
	};
	char dir[64];

	enter_dir(dir);
	CHECK(mkdir("here", 0700) == 0);
	put("here/plain", STR("text"));
	put("here/lost", STR("#!/nowhere/python\n"));
	CHECK(chmod("here/plain", 0600) == 0 && chmod("here/lost", 0700) == 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };
		const char *const argv[] = { cases[i].name, NULL };
		struct end e = run(argv, env, &err);

		CHECK(e.child == NULL && e.count == 0);
		CHECK_INT(err.kind, ERR_IO);
		CHECK_STR(str_from(err.text), str_from(cases[i].text));
	}
	unlink("here/plain");
	unlink("here/lost");
	leave_dir(dir);
}

TEST(a_failed_start_gives_the_signals_back)
{
	static const char *const argv[] = { "./absent", NULL }, *const env[] = { NULL };
	struct err err = { .kind = ERR_NONE };
	sigset_t blocked;

	CHECK(run(argv, env, &err).child == NULL);
	CHECK(pthread_sigmask(SIG_SETMASK, NULL, &blocked) == 0);
	CHECK_INT(sigismember(&blocked, SIGINT), 0);
}

TEST(a_script_without_a_first_line_is_the_shells)
{
	static const char *const argv[] = { "here", "x", "y", NULL }, *const env[] = { "PATH=::/usr/bin", NULL };
	struct err err = { .kind = ERR_NONE };
	struct end e;
	char dir[64];
	int out;

	enter_dir(dir);
	put("here", STR("echo \"$1-$2-$#\"\n"));
	CHECK(chmod("here", 0700) == 0);
	out = capture();
	e = run(argv, env, &err);
	release();
	CHECK_INT(e.count, 1);
	CHECK_STR(str_from(text_of(out)), STR("x-y-2\n"));
	leave_dir(dir);
}

TEST(descriptors_that_were_given_to_us_pass_and_our_own_do_not)
{
	closefrom(3); /* whatever this test was started with */
	CHECK(dup2(2, 63) == 63); /* as a shell does it for <(command) */
	CHECK_STR(str_from(output_of("ACT=descriptors")), STR("0 1 2 63 "));
}

TEST(ignored_signals_stay_ignored_and_a_broken_pipe_does_not)
{
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	stop_install();
	CHECK_STR(str_from(output_of("ACT=dispositions")), STR("1 "));
}

TEST(a_blocked_or_ignored_sigchld_does_not_hide_the_end)
{
	sigset_t set;

	signal(SIGCHLD, SIG_IGN);
	CHECK_INT(run_act("ACT=nothing").status, 42);

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	CHECK_INT(run_act("ACT=nothing").status, 42);
}

/* ---- signals ---- */

static struct str read_until(int fd, struct str end)
{
	char *text = test_alloc(1000);
	size_t n = 0;

	while (!str_ends(str_of(text, n), end)) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (poll(&p, 1, 20000) != 1 || read(fd, text + n, 1) != 1)
			FAIL("got \"%.*s\", waited for \"%.*s\"", (int)n, text, STR_ARG(end));
		if (text[n] != '\r')
			n++;
		CHECK(n < 900);
	}
	return str_of(text, n);
}

static void rest_ms(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&t, &t) != 0)
		;
}

/* What a command does: stop_install, a child that counts, and its status in the end. */
__attribute__((noreturn)) static void be_between(const char *act)
{
	struct end e;

	stop_install();
	e = run_act(act);
	_exit(stop_signal() ? 80 : e.signal ? 81 : e.status);
}

static int status_of(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(signals_sent_to_us_are_passed_on_once)
{
	static const int numbers[] = { SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGINT, SIGINT };
	int out = capture();
	pid_t pid = fork();

	if (pid == 0)
		be_between("ACT=count");
	release();
	CHECK_STR(read_until(out, STR("\n")), STR("ready 0\n"));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char want[16];

		test_case("signal %d", numbers[i]);
		snprintf(want, sizeof(want), "%d\n", numbers[i]);
		CHECK(kill(pid, numbers[i]) == 0);
		CHECK_STR(read_until(out, STR("\n")), str_from(want));
	}
	kill(pid, SIGTERM);
	CHECK_STR(read_until(out, STR("\n")), STR("15\n"));
	CHECK_INT(status_of(pid), 7);
	CHECK_STR(str_from(text_of(out)), STR(""));
}

static void send_and_end(void *context, int status, int signal)
{
	struct end *e = context;

	(void)status;
	e->signal = signal;
	CHECK(!child_kill(e->child, SIGINT)); /* it is over */
	raise(SIGINT);                        /* comes before we let go of the signals: meant for the child */
	child_close(e->child);
}

TEST(a_signal_that_comes_with_the_end_is_not_for_us)
{
	static const char *const argv[] = { MYSELF, NULL }, *const env[] = { "ACT=count", NULL };
	struct err err = { .kind = ERR_NONE };
	struct end e = { 0 };
	struct child_options o = { .argv = argv, .env = env, .ended = send_and_end, .context = &e };
	uv_loop_t loop;

	stop_install();
	capture(); /* it has nothing to say here */
	CHECK(uv_loop_init(&loop) == 0);
	e.child = child_start(&loop, &o, &err);
	CHECK(e.child != NULL && child_pid(e.child) > 0);
	CHECK(kill(child_pid(e.child), 0) == 0);
	CHECK(child_kill(e.child, SIGKILL));
	CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0 && uv_loop_close(&loop) == 0);
	release();
	child_free(e.child);
	CHECK_INT(e.signal, SIGKILL);
	CHECK_INT(stop_signal(), 0);
	raise(SIGINT); /* and from then on it is */
	CHECK_INT(stop_signal(), SIGINT);
}

TEST(one_that_dies_with_us_is_killed_when_we_are)
{
	struct pollfd p = { .fd = capture(), .events = POLLIN };
	pid_t pid;
	char byte;

	together = true;
	pid = fork();
	if (pid == 0)
		be_between("ACT=count");
	release();
	CHECK_STR(read_until(p.fd, STR("\n")), STR("ready 0\n"));
	kill(pid, SIGKILL);
	CHECK_INT(status_of(pid), -SIGKILL);
	CHECK(poll(&p, 1, 20000) == 1 && read(p.fd, &byte, 1) == 0); /* its end closes with it */
}

TEST(one_that_dies_with_us_is_started_as_any_other)
{
	static const char *const argv[] = { "./absent", NULL }, *const env[] = { NULL };
	static const char *const lost[] = { "./lost", NULL };
	struct err err = { .kind = ERR_NONE };
	char dir[64];

	together = true;
	closefrom(3);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	CHECK_STR(str_from(output_of("ACT=dispositions")), STR("1 "));
	CHECK_STR(str_from(output_of("ACT=descriptors")), STR("0 1 2 "));
	CHECK_INT(run_act("ACT=nothing").status, 42);
	CHECK_INT(run_act("ACT=abort").signal, SIGKILL);
	CHECK(run(argv, env, &err).child == NULL && str_has(str_from(err.text), STR("no such file")));
	enter_dir(dir);
	put("lost", STR("#!/nowhere/python\n"));
	CHECK(chmod("lost", 0700) == 0);
	CHECK(run(lost, env, &err).child == NULL && str_has(str_from(err.text), STR("not the interpreter")));
	unlink("lost");
	leave_dir(dir);
}

/* ---- a terminal ---- */

struct terminal {
	int master;
	pid_t leader;  /* of the session: a shell, or (alone) ourselves */
	int reports;   /* from the shell: a byte each time its job stopped */
};

static void be_shell(const struct terminal *t, const char *act, int report)
{
	pid_t job;
	int status;

	signal(SIGTTOU, SIG_IGN);
	job = fork();
	if (job == 0) {
		setpgid(0, 0);
		tcsetpgrp(0, getpid());
		signal(SIGTTOU, SIG_DFL);
		close(t->master);
		be_between(act);
	}
	setpgid(job, job);
	while (waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status)) {
		if (write(report, "s", 1) != 1)
			_exit(98);
		rest_ms(50);
		kill(-job, SIGCONT); /* fg */
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 97);
}

static struct terminal start_in_terminal(bool alone, const char *act)
{
	struct terminal t = { .master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) };
	int reports[2], slave;
	struct termios modes;
	char name[100];

	if (t.master < 0)
		SKIP("there are no pseudo terminals here: %s", strerror(errno));
	CHECK(grantpt(t.master) == 0 && unlockpt(t.master) == 0 && ptsname_r(t.master, name, sizeof(name)) == 0);
	CHECK(pipe2(reports, O_CLOEXEC) == 0);
	t.leader = fork();
	if (t.leader == 0) {
		setsid();
		slave = open(name, O_RDWR); /* the first one a leader opens is its terminal */
		CHECK(slave >= 0 && tcgetattr(slave, &modes) == 0);
		modes.c_lflag &= ~(tcflag_t)ECHO;
		tcsetattr(slave, TCSANOW, &modes);
		for (int fd = 0; fd < 3; fd++)
			dup2(slave, fd);
		if (slave > 2)
			close(slave);
		if (!alone)
			be_shell(&t, act, reports[1]);
		close(t.master);
		be_between(act);
	}
	CHECK(t.leader > 0);
	close(reports[1]);
	t.reports = reports[0];
	return t;
}

/* The process between: the only child of the shell. */
static pid_t child_of(pid_t pid)
{
	char path[100];
	struct str text;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	text = test_read(path);
	CHECK(text.n > 0);
	return (pid_t)strtol(text.p, NULL, 10);
}

TEST(what_the_terminal_sends_reaches_the_child_once)
{
	struct terminal t = start_in_terminal(false, "ACT=count");
	struct winsize size = { .ws_row = 40, .ws_col = 100 };

	CHECK_STR(read_until(t.master, STR("\n")), STR("ready 0\n"));
	CHECK(write(t.master, "\003", 1) == 1); /* Ctrl-C */
	CHECK_STR(read_until(t.master, STR("\n")), STR("2\n"));
	rest_ms(200); /* time for a second one, which would be read next */
	CHECK(write(t.master, "\034", 1) == 1); /* Ctrl-\ */
	CHECK_STR(read_until(t.master, STR("\n")), STR("3\n"));
	rest_ms(200);
	CHECK(ioctl(t.master, TIOCSWINSZ, &size) == 0);
	CHECK_STR(read_until(t.master, STR("\n")), STR("28\n"));
	rest_ms(200);
	kill(child_of(t.leader), SIGTERM);
	CHECK_STR(read_until(t.master, STR("\n")), STR("15\n"));
	CHECK_INT(status_of(t.leader), 7);
}

TEST(ctrl_z_stops_us_and_the_child_and_fg_continues_both)
{
	struct terminal t = start_in_terminal(false, "ACT=count");
	char c;

	CHECK_STR(read_until(t.master, STR("\n")), STR("ready 0\n"));
	CHECK(write(t.master, "\032", 1) == 1);
	CHECK(read(t.reports, &c, 1) == 1 && c == 's');
	CHECK_STR(read_until(t.master, STR("\n")), STR("18\n"));
	kill(child_of(t.leader), SIGTERM);
	CHECK_STR(read_until(t.master, STR("\n")), STR("15\n"));
	CHECK_INT(status_of(t.leader), 7);
}

TEST(a_child_that_stops_itself_gives_the_terminal_back)
{
	struct terminal t = start_in_terminal(false, "ACT=stop");
	char c;

	CHECK_STR(read_until(t.master, STR("\n")), STR("stops 0\n"));
	CHECK(read(t.reports, &c, 1) == 1 && c == 's'); /* the shell sees us stopped, and goes on with us */
	CHECK_STR(read_until(t.master, STR("\n")), STR("ready 0\n"));
	kill(child_of(t.leader), SIGTERM);
	read_until(t.master, STR("15\n"));
	CHECK_INT(status_of(t.leader), 7);
}

TEST(a_child_that_is_stopped_without_a_terminal_does_not_stop_us)
{
	int out = capture(), status;
	pid_t pid = fork(), child;

	if (pid == 0) {
		setsid();
		be_between("ACT=stop");
	}
	release();
	CHECK_STR(read_until(out, STR("\n")), STR("stops 0\n"));
	rest_ms(200);
	CHECK_INT(waitpid(pid, &status, WUNTRACED | WNOHANG), 0);
	child = child_of(pid);
	kill(child, SIGCONT);
	CHECK_STR(read_until(out, STR("\n")), STR("ready 0\n"));
	kill(pid, SIGTERM);
	CHECK_INT(status_of(pid), 7);
}

TEST(a_hangup_reaches_the_child_when_we_lead_the_session)
{
	struct terminal t = start_in_terminal(true, "ACT=count");

	CHECK_STR(read_until(t.master, STR("\n")), STR("ready 0\n"));
	close(t.master);
	/* it cannot say so on a terminal that is gone: what it says fails, and it ends with 99 */
	CHECK_INT(status_of(t.leader), 99);
}

TEST(it_may_have_streams_of_its_own)
{
	const char *const argv[] = { "cat", NULL }, *const env[] = { "PATH=/usr/bin:/bin", NULL };
	struct child_options o = { .argv = argv, .env = env, .ended = note_end };
	struct end e = { 0 };
	struct err err;
	int in[2], out[2];
	char got[8];
	uv_loop_t loop;

	CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	o.in = in[0];
	o.out = out[1];
	o.context = &e;
	CHECK(uv_loop_init(&loop) == 0);
	e.child = child_start(&loop, &o, &err);
	CHECK(e.child != NULL);
	close(in[0]);
	close(out[1]);
	CHECK(write(in[1], "moo", 3) == 3);
	close(in[1]);
	CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0 && uv_loop_close(&loop) == 0);
	CHECK(e.status == 0 && read(out[0], got, sizeof(got)) == 3 && memcmp(got, "moo", 3) == 0);
	close(out[0]);
	child_free(e.child);
}
