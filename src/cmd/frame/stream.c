/* Standard output is written through stdio and its failure is looked for once, at the end. */
#include "cmd/frame/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/file.h"

void stream_open_missing(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY); /* takes the lowest number: fd */
}

static void ignore_signal(int number)
{
	(void)number;
}

void stream_catch_signals(void)
{
	/* a handler, not SIG_IGN, because exec resets handlers and passes on what is ignored */
	struct sigaction catch = { .sa_handler = ignore_signal, .sa_flags = SA_RESTART };

	sigemptyset(&catch.sa_mask);
	sigaction(SIGPIPE, &catch, NULL);
	sigaction(SIGXFSZ, &catch, NULL);
}

static bool stream_release(void *spool, int fd, struct err *err)
{
	return spool_release(spool, fd, err);
}

bool stream_replace(struct str path, struct spool *s, struct err *err)
{
	return file_replace_by(path, stream_release, s, 0666, err);
}

bool stream_replace_later(struct str path, struct spool *s, struct err *err)
{
	return file_replace_later_by(path, stream_release, s, 0666, err);
}

void stream_write(FILE *to, struct str text)
{
	if (text.n)
		fwrite(text.p, 1, text.n, to);
}

bool stream_reader_left(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP)) != 0;
}

enum stream_end stream_finish_output(struct err *err)
{
	bool failed_before = ferror(stdout) != 0, reader_left = stream_reader_left();
	int errnum = 0;

	errno = 0;
	if (fflush(stdout) != 0)
		errnum = errno;
	if (fclose(stdout) != 0 && !errnum)
		errnum = errno;
	if (errnum == 0 && !failed_before)
		return STREAM_WRITTEN;
	if (errnum == EPIPE || (failed_before && reader_left))
		return STREAM_READER_LEFT;
	if (errnum)
		err_system(err, errnum, "standard output: cannot write");
	else
		err_set(err, ERR_IO, "standard output: cannot write");
	return STREAM_FAILED;
}
