#include "base/cpu.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/file.h"

uint32_t cpu_audit_arch(void)
{
#if defined(__x86_64__)
	return 0xc000003e;
#elif defined(__aarch64__)
	return 0xc00000b7;
#else
	return 0;
#endif
}

#if defined(__x86_64__)
#include <cpuid.h>

static bool has_lzcnt(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & (1u << 5));
}

/* The builtin also asks whether the system saves the wide registers. */
static void cpu_find_features(struct cpu *cpu)
{
	__builtin_cpu_init();
	cpu->avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
		    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("pclmul") &&
		    __builtin_cpu_supports("popcnt") && has_lzcnt();
	cpu->avx512 = cpu->avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
		      __builtin_cpu_supports("avx512vbmi2");
}
#elif defined(__aarch64__)
static void cpu_find_features(struct cpu *cpu)
{
	cpu->neon = true; /* every 64-bit ARM has it */
}
#else
static void cpu_find_features(struct cpu *cpu)
{
	(void)cpu;
}
#endif

static unsigned cores_allowed(void)
{
	unsigned cores = 0;

	/* the call fails while the set is smaller than the kernel's */
	for (size_t most = 1024; most <= (size_t)1 << 20 && cores == 0; most *= 2) {
		cpu_set_t *set = CPU_ALLOC(most);

		if (!set)
			break;
		if (sched_getaffinity(0, CPU_ALLOC_SIZE(most), set) == 0)
			cores = (unsigned)CPU_COUNT_S(CPU_ALLOC_SIZE(most), set);
		CPU_FREE(set);
	}
	return cores ? cores : 1;
}

static uint64_t number_of(struct str text)
{
	uint64_t v = 0;

	if (text.n == 0 || text.n > 18)
		return 0;
	for (size_t i = 0; i < text.n; i++) {
		if (!ascii_is_digit(text.p[i]))
			return 0;
		v = v * 10 + (uint64_t)(text.p[i] - '0');
	}
	return v;
}

unsigned cpu_parse_quota(struct str cpu_max)
{
	struct str rest, quota = str_cut(str_trim(cpu_max), ' ', &rest);
	uint64_t used = number_of(quota), period = number_of(rest), cores;

	if (used == 0 || period == 0)
		return 0;
	cores = (used - 1) / period + 1;
	return cores < UINT32_MAX ? (unsigned)cores : 0;
}

/* The path of our control group, "/a/b": the line of version 2 begins with "0::". */
static struct str group_of(struct str proc_self_cgroup)
{
	for (struct str rest = proc_self_cgroup, line; rest.n > 0;) {
		line = str_cut(rest, '\n', &rest);
		if (str_starts(line, STR("0::/")))
			return str_skip(line, 3);
	}
	return STR("/");
}

/* A quota on any group we are in holds for us, so each ancestor is asked. 0 when there is none. */
static unsigned cores_by_quota(struct arena *a)
{
	struct str text = STR(""), group;
	struct err err;
	unsigned cores = 0;

	file_read(a, STR("/proc/self/cgroup"), 1 << 16, &text, &err);
	group = group_of(text);
	for (;;) {
		struct str path = arena_printf(a, "/sys/fs/cgroup%.*s/cpu.max", STR_ARG(group));
		unsigned here = file_read(a, path, 4096, &text, &err) ? cpu_parse_quota(text) : 0;

		if (here && (!cores || here < cores))
			cores = here;
		if (group.n == 0)
			return cores;
		do {
			group.n--;
		} while (group.n > 0 && group.p[group.n] != '/');
	}
}

static pthread_once_t asked = PTHREAD_ONCE_INIT;
static struct cpu cpu;

static void ask(void)
{
	struct arena a;
	unsigned quota;

	cpu_find_features(&cpu);
	cpu.cores = cores_allowed();
	arena_init(&a);
	quota = cores_by_quota(&a);
	arena_free(&a);
	if (quota && quota < cpu.cores)
		cpu.cores = quota;
}

struct cpu cpu_get(void)
{
	pthread_once(&asked, ask);
	return cpu;
}
