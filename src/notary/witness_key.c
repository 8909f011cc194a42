/*
 * The state's file "vkey" is written last, after the private key: a crash in between leaves a key that nobody uses,
 * never a state whose key is lost.
 */
#include "notary/witness_key.h"

#include <sys/stat.h>

#include "base/file.h"
#include "ledger/entry.h"

#define DIR_MODE 0700
#define FILE_MODE 0644
#define KEY_MAX 4096

bool witness_make_dir(const struct io *io, struct arena *a, struct str dir, struct err *err)
{
	struct str path = ARENA_JOIN(a, dir.n && dir.p[0] == '/' ? STR("") : STR("./"), dir);
	char *base = arena_alloc(a, path.n + 1, 1);
	size_t n = path.n;
	struct io_stat st;

	memcpy(base, path.p, n);
	while (n > 1 && io->ops->stat(io->own, base, &st) != 0) { /* up to the nearest one that is there */
		while (n > 1 && base[n - 1] != '/')
			n--;
		base[--n] = '\0';
	}
	if (n == 0) /* only the root is there, which has no name before its slash */
		return io_make_dirs(io, "/.", ARENA_JOIN(a, STR("/."), path).p, DIR_MODE, err);
	return io_make_dirs(io, base, path.p, DIR_MODE, err);
}

struct str witness_state_home(struct arena *a, struct str keys, struct str name)
{
	return ARENA_JOIN(a, keys, STR("/"), entry_path_part(a, name), STR(".witness"));
}

static bool check_kind(const struct signer *s, struct str path, struct err *err)
{
	return s->key.kind == KEY_WITNESS ||
	       err_set(err, ERR_DATA,
		       "%.*s: this is the key of a log, and cosigning needs one of a witness", STR_ARG(path)) ||
	       err_advise(err, ADVICE_WITNESS_KEY);
}

bool witness_key_load(struct arena *a, struct str path, struct signer *out, struct err *err)
{
	struct str terminated = arena_copy(a, path), text;
	struct stat st;

	if (stat(terminated.p, &st) == 0 && (st.st_mode & 077))
		return err_set(err, ERR_DATA, "%.*s can be read or changed by others (mode %03o)" ERR_HELP
			       "chmod 600 %.*s",
			       STR_ARG(path), (unsigned)(st.st_mode & 0777), STR_ARG(path));
	if (!file_read(a, path, KEY_MAX, &text, err))
		return false;
	if (!signer_parse(text, out, err))
		return err_context(err, terminated.p);
	return check_kind(out, path, err);
}

/* The vkey that the state names; *found false when there is none yet. */
static bool read_vkey(struct arena *a, struct str path, struct str name, struct key *out, bool *found, struct err *err)
{
	struct str text;

	if (!io_read_file(&io_system, a, path.p, KEY_MAX, &text, found, err))
		return false;
	if (!*found)
		return true;
	if (!key_parse(text, out) || out->kind != KEY_WITNESS)
		return err_set(err, ERR_DATA, "%.*s: there is no public key of a witness in it", STR_ARG(path));
	if (name.p && !str_eq(name, out->name))
		return err_set(err, ERR_DATA, "%.*s: this is the state of another witness, %.*s", STR_ARG(path),
			       STR_ARG(out->name)) || err_advise(err, ADVICE_WITNESS_STATE);
	return true;
}

/* The directory of the state, the key, then the file that ties them, at `path`. */
static bool make_key(struct arena *a, struct str keys, struct str state, struct str path, struct str name,
		     struct signer *out, struct err *err)
{
	if (!witness_make_dir(&io_system, a, state, err) || !keys_make(a, keys, name, KEY_WITNESS, out, err))
		return false;
	return io_put(&io_system, path.p, ARENA_JOIN(a, key_text(a, &out->key), STR("\n")), FILE_MODE, false, err) &&
	       io_sync_dir(&io_system, arena_copy(a, state).p, err);
}

bool witness_key_open(struct arena *a, struct str keys, struct str state, struct str name, struct signer *out,
		      bool *made, struct err *err)
{
	struct str path = ARENA_JOIN(a, state, STR("/vkey"));
	struct key key;
	bool found;

	*made = false;
	if (!read_vkey(a, path, name, &key, &found, err))
		return false;
	if (!found && !name.p)
		return err_set(err, ERR_DATA, "%.*s: there is no witness in it", STR_ARG(state));
	if (!found) {
		*made = true;
		return make_key(a, keys, state, path, name, out, err);
	}
	if (keys_find(a, keys, &key, out, &found, err))
		return true;
	if (found)
		return false;
	return err_set(err, ERR_DATA,
		       "%.*s: the private key of the witness %.*s is not here" ERR_HELP
		       "put the file %02x%02x%02x%02x.key there",
		       STR_ARG(keys), STR_ARG(key.name), key.id[0], key.id[1], key.id[2], key.id[3]) ||
	       err_advise(err, ADVICE_WITNESS_NEW);
}
