/* Asks the index which entries there are, and the log for their bytes. */
#include "cmd/trial/sealed.h"

#include <math.h>

#include "base/file.h"
#include "trial/seal.h"

struct sealed_files {
	struct arena *arena;
	struct ledger *ledger;
	struct str prefix, dir; /* "TRIAL/" */
	struct err *err;
	bool failed;
};

static bool get_object(struct arena *a, struct ledger *l, const struct index_row *row, struct str *out, struct err *err)
{
	struct log *log = l->logs[row->part];
	struct sha256 sha;
	bool found = false, same;

	if (!log->ops->object(log, a, row->digest, out, &found, err))
		return false;
	if (!found)
		return err_set(err, ERR_DATA, "%.*s: the bytes of entry %llu are missing", STR_ARG(log->where),
			       (unsigned long long)row->index);
	sha256_init(&sha);
	same = digest_eq(sha256_of(&sha, *out), row->digest);
	sha256_free(&sha);
	return same || err_set(err, ERR_DATA, "%.*s: the bytes of entry %llu are not those that were sealed" ERR_HELP
			       "'trackway ledger verify' names all that has changed", STR_ARG(log->where),
			       (unsigned long long)row->index);
}

bool trial_sealed_record(struct arena *a, struct ledger *l, const struct frame *f, struct str name,
			 struct index_row *row, struct str *record, struct err *err)
{
	struct index *x = ledger_args_open_index(l, f, err);
	bool done = x && index_find_trial(x, a, name, row, err);

	index_close(x);
	if (done && row->kind != ENTRY_TRIAL)
		return err_set(err, ERR_DATA, "%.*s is no trial", STR_ARG(name));
	return done && get_object(a, l, row, record, err);
}

static bool sealed_write_file(void *context, const struct index_row *row)
{
	struct sealed_files *s = context;
	struct str name, bytes, path;

	if (!str_starts(row->id, s->prefix))
		return true;
	name = str_skip(row->id, s->prefix.n);
	path = ARENA_JOIN(s->arena, s->dir, STR("/"), name);
	if (seal_is_artifact_name(name) && get_object(s->arena, s->ledger, row, &bytes, s->err) &&
	    file_make_dirs(str_dirname(path), 0700, NULL, s->err) && file_replace(path, bytes, 0600, s->err))
		return true;
	s->failed = true;
	return false;
}

bool trial_sealed_files(struct arena *a, struct ledger *l, const struct frame *f, const struct index_row *row,
			struct str dir, struct err *err)
{
	struct sealed_files s = { .arena = a, .ledger = l, .prefix = ARENA_JOIN(a, row->id, STR("/")), .dir = dir,
				  .err = err };
	struct index *x = ledger_args_open_index(l, f, err);
	struct index_filter filter = INDEX_ANY;
	bool done;

	filter.kind = ENTRY_ARTIFACT;
	filter.part = (int)row->part;
	filter.ref_of = row->index;
	done = x && index_list(x, &filter, sealed_write_file, &s, err);
	index_close(x);
	return done && !s.failed;
}
