/* Linux: /proc knows which file we are. */
#include "proc/self.h"

#include <limits.h>
#include <unistd.h>

struct str self_path(struct arena *a)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path));

	if (n <= 0 || (size_t)n >= sizeof(path) || path[0] != '/')
		return str_of(NULL, 0);
	return arena_copy(a, str_of(path, (size_t)n));
}
