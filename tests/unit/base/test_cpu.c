#include "base/cpu.h"

#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "unit/base/faults.h"

/* Makes the directories of "DIR/a/b/file" and writes the file. */
static void put_file(const char *root, const char *path, const char *text)
{
	char full[300];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	f = fopen(full, "w");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	return remove(path);
}

TEST(the_smallest_quota_of_our_control_group_and_those_above_it_holds)
{
	static const struct {
		const char *self, *root, *outer, *inner;
		unsigned cores;
	} cases[] = {
		{ "0::/outer/inner\n", NULL, "max 100000\n", "max 100000\n", 0 },
		{ "0::/outer/inner\n", NULL, "max 100000\n", "100000 100000\n", 1 },
		{ "0::/outer/inner\n", NULL, "50000 100000\n", "max 100000\n", 1 },
		{ "0::/outer/inner\n", "100000 100000\n", NULL, NULL, 1 },
		{ "0::/outer/inner\n", "900000 1000\n", "900000 1000\n", "100000 100000\n", 1 },
		{ "0::/outer/inner\n", "900000 1000\n", "100000 100000\n", "900000 1000\n", 1 },
		{ "0::/outer/inner\n", "100000 100000\n", "900000 1000\n", "900000 1000\n", 1 },
		{ "12:cpu:/x\n0::/outer\n", NULL, "100000 100000\n", NULL, 1 },
		{ "0::/outer\n", NULL, NULL, "100000 100000\n", 0 },
		{ "12:cpu:/outer/inner\n", NULL, NULL, "100000 100000\n", 0 },
		{ "0::/\n", "100000 100000\n", NULL, NULL, 1 },
		{ "0::/", "100000 100000\n", NULL, NULL, 1 },
		{ NULL, "100000 100000\n", NULL, NULL, 1 },
		{ "0::/outer/deep/er/inner\n", NULL, "100000 100000\n", NULL, 1 },
		{ NULL, NULL, NULL, NULL, 0 },
	};
	unsigned all = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t allowed;

	CHECK(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
	if (all < 2 || CPU_COUNT(&allowed) < 2)
		SKIP("there is one core only");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char root[] = "/tmp/trackway-base-XXXXXX";
		int status;
		pid_t pid;

		CHECK(mkdtemp(root) != NULL);
		if (cases[i].self)
			put_file(root, "/proc/self/cgroup", cases[i].self);
		if (cases[i].root)
			put_file(root, "/sys/fs/cgroup/cpu.max", cases[i].root);
		if (cases[i].outer)
			put_file(root, "/sys/fs/cgroup/outer/cpu.max", cases[i].outer);
		if (cases[i].inner)
			put_file(root, "/sys/fs/cgroup/outer/inner/cpu.max", cases[i].inner);
		pid = fork();
		if (pid == 0) {
			fake_root = root;
			_exit((int)cpu_get().cores);
		}
		CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
		nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
		test_case("%zu", i);
		CHECK_INT(WEXITSTATUS(status), cases[i].cores ? (int)cases[i].cores : CPU_COUNT(&allowed));
	}
}

TEST(this_process_may_use_at_least_one_core_and_no_more_than_there_are)
{
	struct cpu cpu = cpu_get();

	CHECK(cpu.cores >= 1);
	CHECK(cpu.cores <= (unsigned)sysconf(_SC_NPROCESSORS_CONF));
}

TEST(a_process_bound_to_one_core_has_one)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0)
		SKIP("the system does not let us choose a core");
	CHECK_INT(cpu_get().cores, 1);
}

TEST(the_answer_is_the_same_every_time)
{
	struct cpu first = cpu_get(), second;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	second = cpu_get();
	CHECK_INT(first.cores, second.cores);
	CHECK_INT(first.avx2, second.avx2);
	CHECK_INT(first.avx512, second.avx512);
	CHECK_INT(first.neon, second.neon);
}

/* All words of a space-separated list are in the flags the kernel shows. */
static bool kernel_shows(struct str flags, const char *words)
{
	for (struct str rest = str_from(words), word; rest.n > 0;) {
		char padded[64];
		size_t n = 0;

		word = str_cut(rest, ' ', &rest);
		padded[n++] = ' ';
		memcpy(padded + n, word.p, word.n);
		n += word.n;
		padded[n++] = ' ';
		if (str_find(flags, str_of(padded, n)) == (size_t)-1)
			return false;
	}
	return true;
}

TEST(the_features_are_those_the_kernel_shows)
{
	struct str text = test_read("/proc/cpuinfo"), flags;
	size_t at = str_find(text, STR("\nflags\t\t:"));
	char line[8192];
	struct cpu cpu = cpu_get();

	if (at == (size_t)-1)
		SKIP("/proc/cpuinfo has no flags here");
	flags = str_cut(str_of(text.p + at + 1, text.n - at - 1), '\n', &text);
	CHECK(flags.n + 1 < sizeof(line));
	memcpy(line, flags.p, flags.n);
	line[flags.n] = ' ';
	flags = str_of(line, flags.n + 1);
	CHECK_INT(cpu.avx2, kernel_shows(flags, "avx2 bmi1 bmi2 pclmulqdq abm popcnt"));
	CHECK_INT(cpu.avx512,
		  cpu.avx2 && kernel_shows(flags, "avx512f avx512bw avx512vl avx512vbmi avx512_vbmi2"));
	CHECK(!cpu.neon);
}

TEST(a_quota_is_rounded_up_to_whole_cores)
{
	static const struct {
		const char *text;
		unsigned cores;
	} cases[] = {
		{ "max 100000\n", 0 }, { "100000 100000\n", 1 }, { "200000 100000\n", 2 },
		{ "150000 100000\n", 2 }, { "100001 100000", 2 }, { "99999 100000", 1 },
		{ "1 100000", 1 }, { "", 0 }, { "100000", 0 }, { "100000 0", 0 }, { "0 100000", 0 },
		{ "x y", 0 }, { "-1 100000", 0 }, { "99999999999999999999 1", 0 },
		{ "999999999999999999 1", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(cpu_parse_quota(str_from(cases[i].text)), cases[i].cores);
	}
}
