#include "sink/redact_key.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/crypto/hex.h"
#include "base/file.h"
#include "base/seed.h"
#include "ledger/key.h"

#define DIGITS (2 * (size_t)REDACT_KEY)
#define NAME_MOST 64

/* The key in an open file. */
static bool redact_key_read(int fd, struct str path, uint8_t key[REDACT_KEY], struct err *err)
{
	char text[DIGITS + 2];
	struct stat st;
	ssize_t n;
	bool good;

	if (fstat(fd, &st) != 0)
		return err_system(err, errno, "cannot look at %.*s", STR_ARG(path));
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_DATA, "%.*s is not a file" ERR_HELP "name a key, or the file of one",
			       STR_ARG(path));
	if (st.st_mode & 077)
		return err_set(err, ERR_DATA, "%.*s, a key, can be read by others (mode %03o)" ERR_HELP
			       "chmod 600 %.*s; who has read it can try out what the tokens stand for: a new key is "
			       "better",
			       STR_ARG(path), (unsigned)st.st_mode & 0777, STR_ARG(path));
	n = read(fd, text, sizeof(text));
	good = n >= (ssize_t)DIGITS && str_trim(str_of(text, (size_t)n)).n == DIGITS;
	for (size_t i = 0; good && i < REDACT_KEY; i++) {
		int high = hex_value(text[2 * i]), low = hex_value(text[2 * i + 1]);

		good = high >= 0 && low >= 0;
		key[i] = (uint8_t)(good ? high << 4 | low : 0);
	}
	explicit_bzero(text, sizeof(text));
	return good || err_set(err, ERR_DATA, "%.*s is not a key: it must hold %zu hexadecimal digits" ERR_HELP
			       "name another key", STR_ARG(path), DIGITS);
}

/* A link never takes the place of a key that is there; one that somebody else has just made is as good. */
static bool redact_key_make(struct arena *a, struct str dir, struct str path, struct err *err)
{
	uint8_t key[REDACT_KEY];
	char text[DIGITS + 1];
	uint64_t random;
	struct str temporary;
	bool done;
	int fd;

	if (!file_make_dirs(dir, 0700, NULL, err))
		return false;
	seed_random(&random, sizeof(random));
	temporary = arena_printf(a, "%.*s/.tmp-%016llx", STR_ARG(dir), (unsigned long long)random);
	fd = open(temporary.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_system(err, errno, "cannot make a key in %.*s", STR_ARG(dir));
	seed_random(key, sizeof(key));
	hex_format(text, key, sizeof(key));
	text[DIGITS] = '\n';
	done = file_write_all(fd, str_of(text, sizeof(text)), err) && (fsync(fd) == 0 || err_system(err, errno,
		"cannot bring a key to the disk"));
	explicit_bzero(key, sizeof(key));
	explicit_bzero(text, sizeof(text));
	close(fd);
	if (done && link(temporary.p, path.p) != 0 && errno != EEXIST)
		done = err_system(err, errno, "cannot make %.*s", STR_ARG(path));
	unlink(temporary.p);
	return done && file_sync_dir(dir, err);
}

static bool redact_key_is_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!ascii_is_word(name.p[i]) && name.p[i] != '-')
			return false;
	return name.n > 0 && name.n <= NAME_MOST;
}

static bool redact_key_check_dir(struct arena *a, struct str dir, struct err *err)
{
	struct stat st;

	return stat(arena_copy(a, dir).p, &st) != 0 || keys_check_mode(dir, (unsigned)st.st_mode & 07777, err);
}

bool redact_key_load(struct arena *a, struct str name, uint8_t key[REDACT_KEY], struct str *path, bool *made,
		     struct err *err)
{
	bool is_file = memchr(name.p, '/', name.n) != NULL, done;
	struct str dir;
	int fd;

	*made = false;
	*path = arena_copy(a, name);
	if (!is_file) {
		if (!redact_key_is_name(name))
			return err_set(err, ERR_USAGE, "'%.*s' cannot name a key" ERR_HELP "take letters, digits, '-' "
				       "and '_'; a path has a slash in it", STR_ARG(name));
		if (!keys_home(a, &dir, err) || !redact_key_check_dir(a, dir, err))
			return false;
		*path = ARENA_JOIN(a, dir, STR("/redact-"), name, STR(".key"));
	}
	fd = open(path->p, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT && !is_file) {
		if (!redact_key_make(a, dir, *path, err))
			return false;
		*made = true;
		fd = open(path->p, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	}
	if (fd < 0)
		return err_system(err, errno, "cannot read the key %.*s", STR_ARG(*path));
	done = redact_key_read(fd, *path, key, err);
	close(fd);
	return done;
}
