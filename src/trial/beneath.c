/* Walks a name part by part, each opened in the directory before it. */
#include "trial/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trial/seal.h"

static const char *const beneath_sentences[BENEATH_STATES] = {
	[BENEATH_FOUND] = "is there",
	[BENEATH_ABSENT] = "is not there",
	[BENEATH_OUTSIDE] = "is not a name below the record's directory",
	[BENEATH_HIDDEN] = "has a part that begins with a dot, which is not followed",
	[BENEATH_LINK] = "leads through a symbolic link, which is not followed",
	[BENEATH_NO_FILE] = "is not a plain file",
	[BENEATH_LARGE] = "is longer than 256 MiB",
	[BENEATH_UNREAD] = "cannot be read",
};

const char *beneath_why(enum beneath state)
{
	return beneath_sentences[state];
}

static bool has_hidden_part(struct str name)
{
	for (struct str rest = name; rest.n;)
		if (str_starts(str_cut(rest, '/', &rest), STR(".")))
			return true;
	return false;
}

static enum beneath state_of_errno(int code)
{
	if (code == ENOENT)
		return BENEATH_ABSENT;
	if (code == ELOOP) /* O_NOFOLLOW */
		return BENEATH_LINK;
	return code == ENOTDIR || code == ENXIO || code == EISDIR ? BENEATH_NO_FILE : BENEATH_UNREAD;
}

/* A part that is a link and should be a directory is ENOTDIR, which would say too little. */
static enum beneath open_part(int at, const char *part, int flags, int *fd)
{
	struct stat st;

	if (fstatat(at, part, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
		return BENEATH_LINK;
	*fd = openat(at, part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags);
	return *fd >= 0 ? BENEATH_FOUND : state_of_errno(errno);
}

static enum beneath judge_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return BENEATH_UNREAD;
	if (!S_ISREG(st.st_mode))
		return BENEATH_NO_FILE;
	return (uint64_t)st.st_size > BENEATH_MAX ? BENEATH_LARGE : BENEATH_FOUND;
}

enum beneath beneath_open(struct arena *a, struct str dir, struct str name, int *fd)
{
	enum beneath state = BENEATH_FOUND;
	struct str rest = name;
	int at, next = -1;

	if (!seal_is_artifact_name(name))
		return BENEATH_OUTSIDE;
	if (has_hidden_part(name))
		return BENEATH_HIDDEN;
	at = open(arena_copy(a, dir.n ? dir : STR(".")).p, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	if (at < 0)
		return state_of_errno(errno);
	while (rest.n && state == BENEATH_FOUND) {
		struct str part = str_cut(rest, '/', &rest);

		state = open_part(at, arena_copy(a, part).p, rest.n ? O_DIRECTORY : 0, &next);
		if (state == BENEATH_FOUND) {
			close(at);
			at = next;
		}
	}
	if (state == BENEATH_FOUND)
		state = judge_file(at);
	if (state == BENEATH_FOUND || state == BENEATH_LARGE)
		*fd = at;
	else
		close(at);
	return state;
}

struct str beneath_media(struct str name)
{
	static const char *const all[][2] = {
		{ ".jsonl", "application/jsonl" }, { ".json", "application/json" }, { ".txt", "text/plain" },
		{ ".md", "text/markdown" },        { ".csv", "text/csv" },          { ".html", "text/html" },
	};

	for (size_t i = 0; i < COUNT(all); i++)
		if (str_ends(name, str_from(all[i][0])))
			return str_from(all[i][1]);
	return STR("application/octet-stream");
}
