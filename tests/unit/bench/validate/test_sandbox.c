#include "bench/validate/sandbox.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "harness/test.h"

#define NOBODY 65534
#define LIMIT_MS 20000

/* Programs are run as a user who is held to the number of processes, which root is not. */
static void become_nobody(void)
{
	if (geteuid() != 0)
		return;
	CHECK(setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
	      setresuid(NOBODY, NOBODY, NOBODY) == 0);
}

static void need_lock(void)
{
	become_nobody();
	if (!sandbox_works())
		SKIP("bwrap is not installed, or may not make namespaces here");
}

static int run_shell(const char *script, bool locked, const char **why)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct sandbox_job job = { .argv = argv, .input = STR("the answer\n"), .limit_ms = LIMIT_MS, .locked = locked };

	return sandbox_run(&job, why);
}

static int locked_in(const char *script)
{
	const char *why;

	return run_shell(script, true, &why);
}

static int with_limits(const char *script)
{
	const char *why;

	return run_shell(script, false, &why);
}

/* How many processes have this word in their command line. */
static size_t count_processes(const char *word)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	size_t count = 0;

	CHECK(dir != NULL);
	while ((entry = readdir(dir))) {
		char path[300], text[4096];
		ssize_t n;
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		fd = entry->d_name[0] >= '0' && entry->d_name[0] <= '9' ? open(path, O_RDONLY | O_CLOEXEC) : -1;
		if (fd < 0)
			continue;
		n = read(fd, text, sizeof(text));
		count += n > 0 && str_find(str_of(text, (size_t)n), str_from(word)) != (size_t)-1;
		close(fd);
	}
	closedir(dir);
	return count;
}

/* The kernel ends a namespace's processes soon, not at once. */
static bool are_gone(const char *word)
{
	for (unsigned i = 0; i < 500 * test_slower(); i++) {
		if (count_processes(word) == 0)
			return true;
		usleep(10000);
	}
	return false;
}

TEST(a_status_is_the_programs_own)
{
	const char *why;

	become_nobody();
	CHECK_INT(with_limits("exit 0"), 0);
	CHECK_INT(with_limits("exit 200"), 200);
	CHECK_INT(with_limits("read line; test \"$line\" = 'the answer'"), 0);
	CHECK_INT(run_shell("kill -9 $$", false, &why), -1);
	CHECK_STR(str_from(why), STR("command_error: ended by a signal"));
}

TEST(a_status_is_the_programs_own_when_it_is_locked_in)
{
	const char *why;

	need_lock();
	CHECK_INT(locked_in("exit 0"), 0);
	CHECK_INT(locked_in("exit 1"), 1);
	CHECK_INT(locked_in("exit 200"), 200);
	CHECK_INT(locked_in("read line; test \"$line\" = 'the answer'"), 0);
	CHECK_INT(run_shell("kill -9 $$", true, &why), -1);
	CHECK_STR(str_from(why), STR("command_error: ended by a signal"));
}

TEST(a_program_that_is_not_there_is_told)
{
	static const char *const names[] = { "/nonexistent/x", "no-such-program-anywhere" };

	become_nobody();
	for (size_t i = 0; i < 4; i++) {
		const char *const argv[] = { names[i / 2], NULL };
		struct sandbox_job job = { .argv = argv, .input = STR(""), .limit_ms = LIMIT_MS, .locked = i % 2 };
		const char *why;

		CHECK_INT(sandbox_run(&job, &why), -1);
		CHECK_STR(str_from(why), STR("command_error: no such program"));
	}
}

TEST(a_program_that_cannot_be_run_has_no_status)
{
	const char *const argv[] = { "/usr", NULL }; /* a directory */

	for (int locked = 0; locked <= sandbox_works(); locked++) {
		struct sandbox_job job = { .argv = argv, .input = STR(""), .limit_ms = LIMIT_MS, .locked = locked };
		const char *why;

		CHECK_INT(sandbox_run(&job, &why), -1);
		CHECK_STR(str_from(why), STR("command_error: cannot be started"));
	}
}

TEST(the_environment_is_clean)
{
	const char *script = "test -z \"$TRACKWAY_TEST_KEY\" && test \"$HOME\" = /tmp && test -n \"$PATH\" && test -n \"$LANG\" "
			     "&& test \"$(env | grep -vc -e ^PATH= -e ^LANG= -e ^HOME= -e ^PWD= -e ^_= -e ^OLDPWD= -e ^SHLVL=)\" = 0";

	setenv("TRACKWAY_TEST_KEY", "geheim", 1);
	become_nobody();
	CHECK_INT(with_limits(script), 0);
	if (sandbox_works())
		CHECK_INT(locked_in(script), 0);
}

TEST(nothing_but_three_descriptors_is_handed_on)
{
	int fd = open("/dev/null", O_RDONLY); /* without O_CLOEXEC */

	CHECK(fd >= 0);
	become_nobody();
	CHECK_INT(with_limits("test \"$(ls /proc/self/fd | wc -l)\" = 4"), 0); /* ls has the directory open */
	if (sandbox_works())
		CHECK_INT(locked_in("test \"$(ls /proc/self/fd | wc -l)\" = 4"), 0);
	close(fd);
}

TEST(the_network_is_not_reachable)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char script[200];

	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, 16) == 0);
	CHECK(getsockname(fd, (struct sockaddr *)&at, &size) == 0);
	snprintf(script, sizeof(script), "bash -c 'exec 5<>/dev/tcp/127.0.0.1/%u'", ntohs(at.sin_port));
	need_lock();
	if (with_limits(script) != 0)
		SKIP("there is no bash that can connect");
	CHECK(locked_in(script) > 0);
	close(fd);
}

TEST(only_a_tmp_of_its_own_can_be_written)
{
	char script[400], dir[] = "/var/tmp/trackway-test-XXXXXX";

	need_lock();
	CHECK(mkdtemp(dir) != NULL);
	snprintf(script, sizeof(script), "echo x > %s/file", dir);
	CHECK(locked_in(script) > 0);
	CHECK_INT(with_limits(script), 0);
	snprintf(script, sizeof(script), "%s/file", dir);
	unlink(script);
	rmdir(dir);
	CHECK_INT(locked_in("echo x > /tmp/trackway-test-private && test -s /tmp/trackway-test-private"), 0);
	CHECK(access("/tmp/trackway-test-private", F_OK) != 0);
	CHECK_INT(locked_in("test -z \"$(ls -A /run)\""), 0);
}

TEST(it_has_no_privileges_and_sees_no_other_process)
{
	need_lock();
	CHECK_INT(locked_in("grep -q '^NoNewPrivs:.1$' /proc/self/status"), 0);
	CHECK_INT(locked_in("grep -q '^CapEff:.0*$' /proc/self/status && grep -q '^CapBnd:.0*$' /proc/self/status"), 0);
	CHECK_INT(locked_in("test \"$(ls /proc | grep -c '^[0-9]')\" -lt 8"), 0);
}

TEST(root_has_no_privileges_there_either)
{
	if (geteuid() != 0)
		SKIP("this is not root");
	if (!sandbox_works())
		SKIP("bwrap is not installed, or may not make namespaces here");
	CHECK_INT(locked_in("grep -q '^CapEff:.0*$' /proc/self/status"), 0);
	CHECK(locked_in("mount -o remount,rw / || echo x > /etc/trackway-test") > 0);
	CHECK(access("/etc/trackway-test", F_OK) != 0);
}

TEST(memory_is_limited)
{
	become_nobody();
	CHECK_INT(with_limits("dd if=/dev/zero of=/dev/null bs=1M count=1"), 0);
	CHECK(with_limits("dd if=/dev/zero of=/dev/null bs=5G count=1") > 0);
	if (sandbox_works())
		CHECK(locked_in("dd if=/dev/zero of=/dev/null bs=5G count=1") > 0);
}

/* Four processes, none of which has much by itself. */
TEST(memory_is_limited_in_sum)
{
	const char *const argv[] = { "sh", "-c", "for i in 1 2 3 4; do head -c 150M /dev/zero | tail -c 150M | sleep 20 & done; wait",
				     NULL };
	struct sandbox_job job = { .argv = argv, .input = STR(""), .limit_ms = LIMIT_MS, .memory = (uint64_t)400 << 20 };

	become_nobody();
	for (int locked = 0; locked <= sandbox_works(); locked++) {
		uint64_t began = clock_mono_ns();
		const char *why = "";

		test_case("locked %d", locked);
		job.locked = locked;
		CHECK_INT(sandbox_run(&job, &why), -1);
		CHECK_STR(str_from(why), STR("command_error: too much memory"));
		CHECK((clock_mono_ns() - began) / 1000000 < LIMIT_MS / 2);
	}
}

TEST(memory_in_files_is_limited_too)
{
	need_lock();
	CHECK(locked_in("head -c 40M /dev/zero >/dev/shm/a && head -c 40M /dev/zero >/dev/shm/b") > 0);
	CHECK(locked_in("echo x >/dev/other") > 0);
	CHECK_INT(locked_in("echo x >/dev/null && head -c 1M /dev/zero >/dev/shm/a"), 0);
}

TEST(files_are_limited)
{
	need_lock();
	CHECK_INT(locked_in("head -c 1000000 /dev/zero > /tmp/small"), 0);
	CHECK(locked_in("head -c 70000000 /dev/zero > /tmp/large") != 0);
	CHECK(locked_in("head -c 40000000 /dev/zero > /tmp/a && head -c 40000000 /dev/zero > /tmp/b") > 0);
}

TEST(time_is_limited)
{
	const char *const argv[] = { "sh", "-c", "while :; do :; done", NULL };
	uint64_t began = clock_mono_ns();

	become_nobody();
	for (int locked = 0; locked <= sandbox_works(); locked++) {
		struct sandbox_job job = { .argv = argv, .input = STR(""), .limit_ms = 200, .locked = locked };
		const char *why;

		CHECK_INT(sandbox_run(&job, &why), -1);
		CHECK_STR(str_from(why), STR("command_timeout"));
	}
	CHECK(clock_mono_ns() - began < (uint64_t)15 * 1000000000u * test_slower());
}

TEST(a_fork_bomb_comes_to_an_end)
{
	need_lock();
	CHECK(locked_in("i=0; while [ $i -lt 20000 ]; do sleep 271.828 & i=$((i + 1)); done") > 0);
	CHECK(are_gone("271.828"));
}

TEST(what_a_program_started_does_not_outlive_it)
{
	const char *const argv[] = { "sh", "-c", "setsid sleep 161.803 & sleep 161.803", NULL };
	struct sandbox_job job = { .argv = argv, .input = STR(""), .limit_ms = 300, .locked = true };
	const char *why;

	become_nobody();
	CHECK_INT(with_limits("sleep 141.421 & exit 0"), 0);
	CHECK(are_gone("141.421"));
	if (!sandbox_works())
		SKIP("bwrap is not installed, or may not make namespaces here");
	CHECK_INT(locked_in("setsid sleep 173.205 & exit 0"), 0);
	CHECK(are_gone("173.205"));
	CHECK_INT(sandbox_run(&job, &why), -1);
	CHECK(are_gone("161.803"));
}

TEST(a_checker_below_tmp_can_be_used)
{
	char dir[] = "/tmp/trackway-test-XXXXXX", path[100];
	const char *const here[] = { "./check", NULL }, *const there[] = { path, NULL };
	const char *const *const both[] = { here, there };
	int fd;

	need_lock();
	CHECK(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/check", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	CHECK(fd >= 0 && write(fd, "#!/bin/sh\nexit 7\n", 17) == 17 && close(fd) == 0);
	for (size_t i = 0; i < 2; i++) {
		struct sandbox_job job = { .argv = both[i], .input = STR(""), .limit_ms = LIMIT_MS, .locked = true };
		const char *why;

		CHECK(chdir(i == 0 ? dir : "/") == 0);
		CHECK_INT(sandbox_run(&job, &why), 7);
	}
	unlink(path);
	rmdir(dir);
}

TEST(without_bwrap_nothing_can_be_locked_in)
{
	setenv("PATH", "/nonexistent", 1);
	CHECK(!sandbox_works());
}
