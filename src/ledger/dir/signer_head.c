/*
 * The head is a signed checkpoint like any other. One lock for the whole directory of keys guards reading and
 * replacing it; what was read before the lock is compared again under it.
 */
#include "ledger/dir/signer_head.h"

#include <errno.h>
#include <inttypes.h>

#include "base/crypto/hex.h"
#include "base/stop.h"

/* "<keys>/<id>.head", terminated. */
static struct str head_path(struct arena *a, struct str keys, const struct key *k)
{
	char id[2 * KEY_ID];

	hex_format(id, k->id, KEY_ID);
	return ARENA_JOIN(a, keys, STR("/"), str_of(id, sizeof(id)), STR(".head"));
}

static bool is_not_ours(struct str path, const char *why, struct err *err)
{
	return err_set(err, ERR_DATA, "%.*s: %s, so nobody can tell what this key has signed"
		       ERR_HELP "put back the file as it was, or the checkpoint of the log as others have it",
		       STR_ARG(path), why);
}

static bool read_note(struct str path, struct str text, const struct key *k, struct str origin, struct note *n,
		      struct signer_head *out, struct err *err)
{
	struct checkpoint c;
	const char *why;

	if (!note_parse(text, n, &why) || !checkpoint_parse(n->text, &c, &why))
		return is_not_ours(path, why, err);
	if (!str_eq(c.origin, origin))
		return is_not_ours(path, "it is of another log", err);
	if (note_check(n, k, NULL) != NOTE_GOOD)
		return is_not_ours(path, "its signature is not this key's", err);
	*out = (struct signer_head){ .found = true, .size = c.size, .root = c.root };
	return true;
}

static bool check_home(const struct io *io, struct arena *a, struct str keys, struct err *err)
{
	struct io_stat st;

	return io->ops->stat(io->own, arena_copy(a, keys).p, &st) != 0 || keys_check_mode(keys, st.mode, err);
}

bool signer_head_read(const struct io *io, struct str keys, const struct key *k, struct str origin,
		      struct signer_head *out, struct err *err)
{
	struct str path, text;
	struct arena scratch;
	bool found, good;

	*out = (struct signer_head){ .found = false };
	if (keys.n == 0)
		return true;
	arena_init(&scratch);
	path = head_path(&scratch, keys, k);
	good = check_home(io, &scratch, keys, err) && io_read_file(io, &scratch, path.p, NOTE_MAX, &text, &found, err);
	if (good && found)
		good = read_note(path, text, k, origin, arena_new(&scratch, struct note), out, err);
	arena_free(&scratch);
	return good;
}

static bool signer_head_is_same(const struct signer_head *a, const struct signer_head *b)
{
	return a->found == b->found &&
	       (!a->found || (a->size == b->size && digest_eq(a->root, b->root)));
}

/* A file of its own, for all keys, since the head is replaced. The lock ends when it is closed. */
static int lock_keys(const struct io *io, struct arena *a, struct str keys, struct err *err)
{
	struct str path = ARENA_JOIN(a, keys, STR("/.lock"));
	int fd = io_open(io, path.p, IO_CREATE, 0600), r;

	if (fd < 0) {
		err_system(err, -fd, "cannot open %s", path.p);
		return -1;
	}
	do {
		r = io->ops->lock(io->own, fd, true);
	} while (r == -EINTR && !stop_signal());
	if (r == 0)
		return fd;
	io_close(io, fd);
	err_system(err, -r, "cannot lock %s", path.p);
	return -1;
}

static bool replace(const struct io *io, struct str keys, const struct key *k, const struct signer_head *old,
		    struct str note, struct arena *scratch, struct err *err)
{
	struct str path = head_path(scratch, keys, k);
	struct signer_head now;

	if (!signer_head_read(io, keys, k, k->name, &now, err))
		return false;
	if (!signer_head_is_same(&now, old))
		return err_set(err, ERR_DATA, "%.*s: somebody else has signed with this key meanwhile"
			       ERR_HELP "do it again; if there are two copies of the log, only one may be written to",
			       STR_ARG(path));
	return io_put(io, path.p, note, 0600, false, err) && io_sync_dir(io, arena_copy(scratch, keys).p, err);
}

bool signer_head_write(const struct io *io, struct str keys, const struct key *k, const struct signer_head *old,
		       struct str note, struct err *err)
{
	struct arena scratch;
	bool good = false;
	int lock;

	if (keys.n == 0)
		return true;
	arena_init(&scratch);
	lock = lock_keys(io, &scratch, keys, err);
	if (lock >= 0) {
		good = replace(io, keys, k, old, note, &scratch, err);
		io->ops->unlock(io->own, lock);
		io_close(io, lock);
	}
	arena_free(&scratch);
	return good;
}

bool signer_head_check(const struct signer_head *h, uint64_t size, const struct digest *root, struct str where,
		       struct err *err)
{
	if (!h->found)
		return true;
	if (h->size > size)
		return err_set(err, ERR_DATA,
			       LOG_E_ROLLBACK "%.*s: the log has %" PRIu64 " entries, and its key has signed %" PRIu64
			       ERR_HELP "an older copy was put in its place: supply what is missing, or begin a log of "
			       "another origin", STR_ARG(where), size, h->size);
	if (!digest_eq(*root, h->root))
		return err_set(err, ERR_DATA,
			       LOG_E_FORK "%.*s: the first %" PRIu64 " entries are not those that its key has signed"
			       ERR_HELP "entries were changed, or this is another log of the same name: 'trackway "
			       "ledger verify' tells where", STR_ARG(where), h->size);
	return true;
}
