/* Linux: a file in memory, by its descriptor in /proc. The child needs no descriptor of its own for it. */
#include "proc/handed_file.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"

int handed_file_open(struct arena *a, struct str text, struct str *path, struct err *err)
{
	int fd = memfd_create("settings", MFD_CLOEXEC);

	if (fd < 0) {
		err_system(err, errno, "cannot make a file in memory");
		return -1;
	}
	if (!file_write_all(fd, text, err)) {
		err_context(err, "a file in memory");
		close(fd);
		return -1;
	}
	*path = arena_printf(a, "/proc/%ld/fd/%d", (long)getpid(), fd);
	return fd;
}
