/* What the first process is told when it is started as a program: our own struct, then the words that were given. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "proc/sandbox/linux.h"

int sandbox_inside_write(struct arena *a, const struct sandbox_inside *in, struct err *err)
{
	const char *const *word = sandbox_argv(a, in->o) + 2; /* behind the program and "__sandbox" */
	struct buf text;
	int fd = memfd_create("settings", 0);

	buf_init(&text);
	buf_add(&text, in, sizeof(*in));
	for (; *word; word++)
		buf_add(&text, *word, strlen(*word) + 1);
	if (fd < 0 || !file_write_all(fd, buf_str(&text), err) || lseek(fd, 0, SEEK_SET) != 0) {
		err_system(err, errno, "cannot make a file in memory");
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	buf_free(&text);
	return fd;
}
