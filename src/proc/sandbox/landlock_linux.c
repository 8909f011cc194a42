/*
 * What the command may do with files, by Landlock: nothing but what a rule allows, for the paths below those that the
 * rules name. No connection and no port of TCP at all: the one that is allowed is made by the process outside. The
 * kernel's numbers stand here because older headers lack the newer ones.
 */
#include "proc/sandbox/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LANDLOCK_TRUNCATE (1ULL << 14)  /* since version 3 */
#define LANDLOCK_DEVICES (1ULL << 15)   /* ioctl; since 5 */
#define LANDLOCK_TCP 3ULL               /* bind and connect; since 4 */
#define LANDLOCK_SCOPES 3ULL            /* sockets without a path, and signals; since 6 */

#define LANDLOCK_READ (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define LANDLOCK_LOOK (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define LANDLOCK_DEVICE (LANDLOCK_LOOK | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_DEVICES)
#define LANDLOCK_WRITE ((1ULL << 15) - 1) /* all but ioctl */
#define LANDLOCK_OF_FILES (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | \
			   LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_TRUNCATE | LANDLOCK_DEVICES)

struct landlock_attr {
	uint64_t files, tcp, scopes;
};

/* What is there besides: the system, and those devices that are as good as memory. */
static const struct {
	const char *path;
	uint64_t rights;
} landlock_system[] = {
	{ "/usr", LANDLOCK_READ },
	{ "/bin", LANDLOCK_READ },
	{ "/sbin", LANDLOCK_READ },
	{ "/lib", LANDLOCK_READ },
	{ "/lib32", LANDLOCK_READ },
	{ "/lib64", LANDLOCK_READ },
	{ "/libx32", LANDLOCK_READ },
	{ "/nix/store", LANDLOCK_READ },
	{ "/etc", LANDLOCK_LOOK },
	{ "/proc", LANDLOCK_LOOK },
	{ "/sys/devices/system/cpu", LANDLOCK_LOOK },
	{ "/dev/null", LANDLOCK_DEVICE },
	{ "/dev/zero", LANDLOCK_DEVICE },
	{ "/dev/full", LANDLOCK_DEVICE },
	{ "/dev/random", LANDLOCK_DEVICE },
	{ "/dev/urandom", LANDLOCK_DEVICE },
	{ "/dev/tty", LANDLOCK_DEVICE },
	{ "/dev/ptmx", LANDLOCK_DEVICE },
	{ "/dev/pts", LANDLOCK_DEVICE },
};

int sandbox_landlock_version(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/* What this version of Landlock can forbid, is forbidden. */
static struct landlock_attr landlock_attr_of(int version)
{
	return (struct landlock_attr){
		.files = version >= 5 ? (1ULL << 16) - 1 : (1ULL << 15) - 1,
		.tcp = version >= 4 ? LANDLOCK_TCP : 0,
		.scopes = version >= 6 ? LANDLOCK_SCOPES : 0,
	};
}

/* The kernel takes the struct in three lengths. */
static size_t landlock_attr_size(int version)
{
	return version >= 6 ? sizeof(struct landlock_attr) : version >= 4 ? 16 : 8;
}

/* A path that is not there needs no rule. */
static bool landlock_allow(int rules, const struct landlock_attr *all, const char *path, uint64_t rights)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct landlock_path_beneath_attr rule = { .allowed_access = rights & all->files, .parent_fd = fd };
	struct stat st;
	bool done;

	if (fd < 0)
		return errno == ENOENT;
	if (fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.allowed_access &= LANDLOCK_OF_FILES;
	done = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
	close(fd);
	return done;
}

static bool landlock_allow_all(const struct sandbox_inside *in, int rules, const struct landlock_attr *all)
{
	const struct sandbox_options *o = in->o;
	struct arena a;
	bool good = true;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(landlock_system) && good; i++)
		good = landlock_allow(rules, all, landlock_system[i].path, landlock_system[i].rights);
	if (in->own_shm)
		good = good && landlock_allow(rules, all, "/dev/shm", LANDLOCK_WRITE);
	for (size_t i = 0; i < o->path_count && good; i++) {
		const char *path = arena_copy(&a, o->paths[i].outside).p;

		good = access(path, F_OK) == 0 &&
		       landlock_allow(rules, all, path, o->paths[i].writable ? LANDLOCK_WRITE : LANDLOCK_READ);
	}
	arena_free(&a);
	return good;
}

bool sandbox_landlock_restrict(const struct sandbox_inside *in)
{
	int version = sandbox_landlock_version();
	struct landlock_attr all = landlock_attr_of(version);
	int rules = version < SANDBOX_LANDLOCK_LEAST ? -1 : (int)syscall(SYS_landlock_create_ruleset, &all,
									 landlock_attr_size(version), 0);

	if (rules < 0)
		return sandbox_word_fail(in->channel, "use Landlock");
	if (!landlock_allow_all(in, rules, &all))
		return sandbox_word_fail(in->channel, "open a path that the command is to see");
	if (syscall(SYS_landlock_restrict_self, rules, 0) != 0)
		return sandbox_word_fail(in->channel, "use Landlock");
	close(rules);
	return true;
}
