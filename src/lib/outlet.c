/*
 * Writes whole lines by one write each, and checks before each that the descriptor is still the file that was opened.
 * What processes share is changed by atomic operations; the lock is only for the threads of one process.
 */
#include "lib/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

#define WAIT_NS (INT64_C(200) * 1000000) /* for other processes that are writing while the summary is to be written */
#define NAP_NS 100000

void outlet_note(struct outlet *o, const char *format, ...)
{
	va_list args;

	if (__atomic_load_n(&o->has_error, __ATOMIC_RELAXED))
		return;
	va_start(args, format);
	vsnprintf(o->error, sizeof(o->error), format, args);
	va_end(args);
	__atomic_store_n(&o->has_error, 1, __ATOMIC_RELEASE);
}

/* strerrordesc_np, unlike strerror, needs no buffer and no locale, so any thread may call it at any time. */
static void note_system(struct outlet *o, int errnum, const char *path)
{
	const char *reason = strerrordesc_np(errnum);

	outlet_note(o, "%.150s: %s", path, reason ? reason : "it cannot be used");
}

/* ---- opening ---- */

/* The program may have closed its standard streams; what it prints later must not get into the trace. */
static int open_above_streams(const char *path)
{
	int fd, other;

	do {
		fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return other;
}

/* A pipe could block its writer, or end it. */
static const char *why_unfit(const struct stat *st, bool joins)
{
	if (S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode))
		return "a trace is written to a file, not to a pipe";
	if (!joins && S_ISREG(st->st_mode) && st->st_size > 0)
		return "there is something in it already, and a new trace wants an empty file";
	return NULL;
}

/* Opens the file, or notes why it cannot be used and leaves fd at -1. Nothing else fails here. */
static void use_file(struct outlet *o, const char *path, bool joins)
{
	const char *unfit;
	struct stat st;

	o->fd = open_above_streams(path);
	if (o->fd < 0 || fstat(o->fd, &st) != 0) {
		note_system(o, errno, path);
	} else if ((unfit = why_unfit(&st, joins))) {
		outlet_note(o, "%.150s: %s", path, unfit);
		close(o->fd);
		o->fd = -1;
	} else {
		o->dev = st.st_dev;
		o->ino = st.st_ino;
		file_claim(o->fd);
	}
}

bool outlet_open(struct outlet *o, const char *path, bool joins)
{
	void *page = mmap(NULL, sizeof(*o->page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return false;
	*o = (struct outlet){ .fd = -1, .self = getpid(), .is_opener = true, .page = page };
	o->page->others = joins;
	use_file(o, path, joins);
	return true;
}

/* Whether the descriptor is still ours: the program may have closed it, and opened something else under its number. */
static bool is_ours(const struct outlet *o, struct stat *st)
{
	return o->fd >= 0 && fstat(o->fd, st) == 0 && st->st_dev == o->dev && st->st_ino == o->ino;
}

void outlet_close(struct outlet *o)
{
	struct stat st;

	if (is_ours(o, &st))
		close(o->fd);
	o->fd = -1;
}

void outlet_free(struct outlet *o)
{
	outlet_close(o);
	munmap(o->page, sizeof(*o->page));
}

/* ---- the lock ---- */

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
}

static bool swap(int *holder, int from, int to)
{
	return __atomic_compare_exchange_n(holder, &from, to, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

enum outlet_entry outlet_enter(struct outlet *o)
{
	int self = (int)getpid(), tries = 0;
	bool taken_over = false;

	while (!swap(&o->holder, 0, self)) {
		int holder = __atomic_load_n(&o->holder, __ATOMIC_RELAXED);

		if (holder && holder != self && swap(&o->holder, holder, self)) {
			taken_over = true;
			break;
		}
		if (++tries < 100)
			sched_yield();
		else
			nap();
	}
	if (o->self == self)
		return OUTLET_SAME;
	o->self = self;
	o->is_opener = false;
	__atomic_store_n(&o->page->others, 1, __ATOMIC_RELAXED);
	return taken_over ? OUTLET_BROKEN : OUTLET_FORKED;
}

void outlet_leave(struct outlet *o)
{
	__atomic_store_n(&o->holder, 0, __ATOMIC_RELEASE);
}

/* ---- writing ---- */

/* A write beyond the limit of a file's size sends a signal that would end the program. */
static ssize_t write_quietly(int fd, const char *p, size_t n)
{
	const struct timespec now = { .tv_sec = 0 };
	sigset_t limit, pending, before;
	int saved;
	ssize_t r;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	sigemptyset(&pending);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &limit, &before);
	do {
		r = write(fd, p, n);
	} while (r < 0 && errno == EINTR);
	saved = errno;
	if (r < 0 && saved == EFBIG && !sigismember(&pending, SIGXFSZ))
		while (sigtimedwait(&limit, NULL, &now) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return r;
}

/* A piece of a line is taken back, if nobody else can have written behind it; otherwise the next line ends it. */
static void mend(struct outlet *o, const struct stat *before)
{
	bool alone = !__atomic_load_n(&o->page->others, __ATOMIC_RELAXED);

	if (!alone || ftruncate(o->fd, before->st_size) != 0)
		__atomic_store_n(&o->page->torn, 1, __ATOMIC_RELAXED);
}

/* Writes one line whole, or takes back what was written of it. False with a note when it is lost. */
static bool write_line(struct outlet *o, const struct buf *line)
{
	size_t done = __atomic_exchange_n(&o->page->torn, 0, __ATOMIC_RELAXED) ? 0 : 1, begun = done;
	struct stat st;

	if (o->fd < 0) {
		outlet_note(o, "the trace is closed");
		return false;
	}
	if (!is_ours(o, &st)) {
		outlet_note(o, "the descriptor of the trace was closed by the program");
		o->fd = -1;
		return false;
	}
	while (done < line->n) {
		ssize_t n = write_quietly(o->fd, line->p + done, line->n - done);

		if (n <= 0) {
			note_system(o, n < 0 ? errno : EIO, "the trace");
			if (done > begun)
				mend(o, &st);
			return false;
		}
		done += (size_t)n;
	}
	return true;
}

/* Without going over: a sum that is too large is the largest. */
static void outlet_add(uint64_t *sum, uint64_t n)
{
	uint64_t old = __atomic_load_n(sum, __ATOMIC_RELAXED), new;

	if (n == 0)
		return;
	do {
		new = n > INT64_MAX - old ? INT64_MAX : old + n;
	} while (!__atomic_compare_exchange_n(sum, &old, new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* Each figure by itself: a reader between two additions may see only some of them, but none reads before outlet_end. */
static void add_sums(struct outlet_sums *to, const struct outlet_sums *from)
{
	for (size_t i = 0; i < AT_KINDS; i++)
		outlet_add(&to->counts[i], from->counts[i]);
	outlet_add(&to->input, from->input);
	outlet_add(&to->output, from->output);
	outlet_add(&to->stall_ns, from->stall_ns);
	outlet_add(&to->stalls, from->stalls);
	outlet_add(&to->nano_usd, from->nano_usd);
	outlet_add(&to->priced, from->priced);
}

/* Counts a line that was not written, and hands the answer on. */
static bool count_lost(struct outlet *o, bool written)
{
	if (!written)
		outlet_add(&o->page->lost, 1);
	return written;
}

bool outlet_write(struct outlet *o, const struct buf *line, const struct outlet_sums *sums)
{
	struct outlet_page *page = o->page;
	bool written = false;

	__atomic_add_fetch(&page->writing, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&page->ended, __ATOMIC_SEQ_CST))
		outlet_note(o, "the trace is closed");
	else
		written = write_line(o, line);
	if (written)
		add_sums(&page->sums, sums);
	__atomic_sub_fetch(&page->writing, 1, __ATOMIC_SEQ_CST);
	return count_lost(o, written);
}

void outlet_end(struct outlet *o)
{
	int64_t waited = 0;

	__atomic_store_n(&o->page->ended, 1, __ATOMIC_SEQ_CST);
	/* A child that was killed in the middle never says that it is done. */
	for (; waited < WAIT_NS && __atomic_load_n(&o->page->writing, __ATOMIC_SEQ_CST); waited += NAP_NS)
		nap();
}

bool outlet_write_last(struct outlet *o, const struct buf *line)
{
	return count_lost(o, write_line(o, line));
}

void outlet_lose(struct outlet *o)
{
	count_lost(o, false);
}

uint64_t outlet_lost(const struct outlet *o)
{
	return __atomic_load_n(&o->page->lost, __ATOMIC_RELAXED);
}
