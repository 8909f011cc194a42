#include "source/raw.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/stop.h"

#define PIECE ((size_t)1 << 20) /* larger reads are no faster, and say less often how far we are */

static bool ended_early(const struct raw *r, struct err *err)
{
	struct source_look now = { .size = 0 };

	if (!r->look.regular || r->taken >= r->look.size)
		return false;
	/* Some file systems promise more than they hold: only a size that changed is a fault. */
	if (r->io->look(r->io->context, r->path.p, &now) >= 0 && now.size >= r->look.size)
		return false;
	err_set(err, ERR_DATA,
		"%.*s: the file became shorter while it was read: it had %" PRIu64 " bytes when it was opened and "
		"ended after %" PRIu64,
		STR_ARG(r->title), r->look.size, r->taken);
	return true;
}

static bool interrupted(const struct raw *r, struct err *err)
{
	return err_set(err, ERR_IO, "%.*s: interrupted at byte %" PRIu64, STR_ARG(r->title), r->taken);
}

/* One read of the system, up to PIECE bytes, counted in r->taken. After the end it says the end for ever. */
static enum next read_some(struct raw *r, void *into, size_t n, size_t *got, struct err *err)
{
	ssize_t count;

	*got = 0;
	if (r->ended)
		return NEXT_END;
	do {
		count = r->io->read(r->io->context, r->handle, into, n < PIECE ? n : PIECE);
	} while (count == -EINTR && !stop_signal());
	if (count == -EINTR) {
		interrupted(r, err);
		return NEXT_FAIL;
	}
	if (count < 0) {
		err_system(err, (int)-count, "%.*s: cannot read at byte %" PRIu64, STR_ARG(r->title), r->taken);
		return NEXT_FAIL;
	}
	if (count == 0) {
		r->ended = true;
		return ended_early(r, err) ? NEXT_FAIL : NEXT_END;
	}
	assert((size_t)count <= n);
	*got = (size_t)count;
	r->taken += *got;
	return NEXT_MORE;
}

struct str raw_title(struct str path)
{
	return str_eq(path, STR("-")) ? STR("standard input") : path;
}

bool raw_open(struct raw *r, const struct source_io *io, struct str path, struct err *err)
{
	int handle;

	*r = (struct raw){ .io = io, .path = path, .title = raw_title(path) };
	do {
		handle = io->open(io->context, path.p, &r->look);
	} while (handle == -EINTR && !stop_signal());
	if (handle == -EINTR)
		return interrupted(r, err);
	if (handle == -ENXIO)
		return err_system(err, ENXIO, "%.*s: cannot open, expected a file or a pipe and found a socket or "
				  "an absent device", STR_ARG(r->title));
	if (handle < 0)
		return err_system(err, -handle, "%.*s: cannot open", STR_ARG(r->title));
	r->handle = handle;
	return true;
}

bool raw_peek(struct raw *r, struct str *head, struct err *err)
{
	enum next more = NEXT_MORE;
	size_t got;

	assert(r->given == 0);
	while (more == NEXT_MORE && r->head_n < RAW_HEAD) {
		more = read_some(r, r->head + r->head_n, RAW_HEAD - r->head_n, &got, err);
		r->head_n += got;
	}
	*head = str_of(r->head, r->head_n);
	return more != NEXT_FAIL;
}

enum next raw_read(struct raw *r, void *into, size_t n, size_t *got, struct err *err)
{
	size_t ahead = r->head_n - r->head_at;
	enum next more = NEXT_MORE;

	assert(n > 0 && r->head_at <= r->head_n && r->head_n <= RAW_HEAD);
	if (ahead > 0) {
		*got = ahead < n ? ahead : n;
		memcpy(into, r->head + r->head_at, *got);
		r->head_at += *got;
	} else {
		more = read_some(r, into, n, got, err);
	}
	r->given += *got;
	return more;
}

bool raw_can_seek(const struct raw *r)
{
	return r->look.regular && r->io->read_at;
}

bool raw_read_at(struct raw *r, uint64_t offset, void *into, size_t n, bool count, struct err *err)
{
	size_t done = 0;

	assert(raw_can_seek(r));
	while (done < n) {
		size_t room = n - done < PIECE ? n - done : PIECE;
		ssize_t got = r->io->read_at(r->io->context, r->handle, (char *)into + done, room, offset + done);

		if (got == -EINTR && !stop_signal())
			continue;
		if (got == -EINTR)
			return interrupted(r, err);
		if (got < 0)
			return err_system(err, (int)-got, "%.*s: cannot read at byte %" PRIu64, STR_ARG(r->title),
					  offset + done);
		if (got == 0)
			return err_set(err, ERR_DATA, "%.*s: the file became shorter while it was read",
				       STR_ARG(r->title));
		done += (size_t)got;
	}
	if (count)
		r->taken += n;
	return true;
}

bool raw_is_ready(const struct raw *r)
{
	return r->head_at < r->head_n || r->look.regular || r->ended || r->io->ready(r->io->context, r->handle);
}

void raw_close(struct raw *r)
{
	if (!str_eq(r->path, STR("-")))
		r->io->close(r->io->context, r->handle);
}
