/* A new user namespace has no users until its maps are written; groups only after setgroups was given up. */
#include "proc/user_ids.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool user_ids_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return written;
}

bool user_ids_keep(uid_t uid, gid_t gid)
{
	char users[64], groups[64];

	snprintf(users, sizeof(users), "%u %u 1", uid, uid);
	snprintf(groups, sizeof(groups), "%u %u 1", gid, gid);
	return user_ids_write("/proc/self/setgroups", "deny") && user_ids_write("/proc/self/uid_map", users) &&
	       user_ids_write("/proc/self/gid_map", groups);
}
