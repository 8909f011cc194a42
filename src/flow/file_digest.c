/* Reads a file from its start to its end for its digest. */
#include "flow/file_digest.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"

#define FILE_DIGEST_PIECE ((size_t)1 << 20) /* read at once */

/* Only a regular file has bytes to be read again: opening a pipe could wait for ever. */
static int file_digest_open(struct str path)
{
	struct arena a;
	struct stat st;
	int fd;

	arena_init(&a);
	fd = open(arena_copy(&a, path).p, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	arena_free(&a);
	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

bool file_digest(struct str path, struct digest *out)
{
	struct sha256 sha;
	struct buf piece;
	ssize_t got;
	int fd = file_digest_open(path);

	if (fd < 0)
		return false;
	buf_init(&piece);
	sha256_init(&sha);
	do {
		got = read(fd, buf_reserve(&piece, FILE_DIGEST_PIECE), FILE_DIGEST_PIECE);
		if (got > 0)
			sha256_add(&sha, str_of(piece.p, (size_t)got));
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got == 0)
		*out = sha256_end(&sha);
	sha256_free(&sha);
	buf_free(&piece);
	close(fd);
	return got == 0;
}
