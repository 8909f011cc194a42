/* Finds runs by name or place; what is not whole or not over is refused with its first finding. */
#include "cmd/ledger/add_run.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "bench/report/check.h"
#include "capture/run_files_check.h"
#include "cmd/ledger/args.h"
#include "flow/digest.h"
#include "store/runs.h"

bool add_run_is_one(struct str path, enum entry_kind *kind)
{
	*kind = run_check_is_one(path) ? ENTRY_BENCH : ENTRY_RUN;
	return *kind == ENTRY_BENCH || run_files_check_is_one(path);
}

/* ---- which directories ---- */

struct run_dirs {
	struct str *list;
	size_t count, cap;
};

static void add_run_dir(struct arena *a, struct run_dirs *d, struct str path)
{
	arena_grow(a, d->list, d->count, d->cap, 16);
	d->list[d->count++] = path;
}

static bool list_below(struct arena *a, struct str path, struct run_dirs *out, struct err *err)
{
	DIR *dir = opendir(path.p);
	const struct dirent *e;
	enum entry_kind kind;

	if (!dir)
		return err_system(err, errno, "cannot read %.*s", STR_ARG(path));
	while ((e = readdir(dir))) {
		struct str name = str_from(e->d_name), below = ARENA_JOIN(a, path, STR("/"), name);

		if (!str_starts(name, STR(".")) && file_is_dir(below) && add_run_is_one(below, &kind))
			add_run_dir(a, out, below);
	}
	closedir(dir);
	if (out->count)
		qsort(out->list, out->count, sizeof(*out->list), str_cmp_first);
	return true;
}

bool add_run_find(struct arena *a, struct str argument, struct str *path, struct str **runs, size_t *count,
		  struct err *err)
{
	struct run_dirs found = { .count = 0 };
	enum entry_kind kind;
	bool done = true;

	*path = arena_copy(a, argument);
	if (runs_is_name(argument) && !runs_find(a, argument, path, err))
		return false;
	while (path->n > 1 && path->p[path->n - 1] == '/')
		*path = arena_copy(a, str_of(path->p, path->n - 1));
	if (file_is_dir(*path)) {
		if (add_run_is_one(*path, &kind))
			add_run_dir(a, &found, *path);
		else
			done = list_below(a, *path, &found, err);
	}
	*runs = found.list;
	*count = found.count;
	return done;
}

/* ---- is it whole? ---- */

/* These are no errors elsewhere, since the run may still come to its end; what is sealed must have. */
static bool is_unfinished(const char *code)
{
	return strcmp(code, run_files_rules[RUN_FILES_OPEN].code) == 0 ||
	       strcmp(code, bench_run_rules[RUN_INCOMPLETE].code) == 0;
}

static bool judge_run(const struct findings *list, struct str path, struct err *err)
{
	for (size_t i = 0; i < list->kept_count; i++) {
		const struct finding *f = &list->kept[i];

		if (f->severity == SEV_ERROR)
			return err_set(err, ERR_DATA, "%.*s: this run is not whole: %s: %.*s" ERR_HELP
				       "'trackway validate %.*s' lists everything", STR_ARG(path), f->code,
				       STR_ARG(f->message), STR_ARG(path));
		if (is_unfinished(f->code))
			return err_set(err, ERR_DATA, "%.*s: this run is not over: %s: %.*s" ERR_HELP
				       "wait for its end; one that was killed cannot be sealed, but a benchmark can "
				       "be resumed", STR_ARG(path), f->code, STR_ARG(f->message));
	}
	return true;
}

static bool add_run_check(struct arena *a, struct str path, enum entry_kind kind, struct err *err)
{
	struct findings list;
	struct run_check bench = { .path = path, .arena = a, .findings = &list };
	struct run_files_check run = { .path = path, .arena = a, .findings = &list };

	findings_init(&list, a, 0);
	if (!(kind == ENTRY_BENCH ? run_check(&bench, err) : run_files_check(&run, err)))
		return false;
	return judge_run(&list, path, err);
}

/* ---- the hashes of its log ---- */

struct hashing {
	struct arena *arena;
	struct seal_run *out;
};

/* A log that breaks its rules has no hashes. */
static bool take_hashes(void *context, const struct digest_input *part, struct err *err)
{
	struct hashing *h = context;

	if (part->failure) {
		*err = *part->failure;
		return false;
	}
	if (part->format != DIGEST_OTUTL || part->run_count != 1)
		return err_set(err, ERR_DATA, "%.*s: this is not an OTUTL log of one run" ERR_HELP
			       "'trackway convert FILE --to otutl' makes one from most logs", STR_ARG(part->name));
	if (!part->runs[0].hashed)
		return err_set(err, ERR_DATA, "%.*s: the log breaks rules of its format, so it has no hashes" ERR_HELP
			       "'trackway validate %.*s' says which", STR_ARG(part->name), STR_ARG(part->name));
	h->out->hash = ledger_args_hex(h->arena, part->runs[0].run_hash);
	h->out->root = ledger_args_hex(h->arena, part->runs[0].run_root);
	h->out->records = part->runs[0].records;
	return true;
}

bool add_run_hash(struct arena *a, struct str path, struct seal_run *out, struct err *err)
{
	struct hashing h = { .arena = a, .out = out };
	struct digest_flow f = { .finding_limit = 1, .input = take_hashes, .context = &h };
	bool done;

	f.from = source_open(a, &path, 1, (struct source_options){ .shape = SOURCE_LINES }, err);
	if (!f.from)
		return false;
	done = digest_flow_run(&f, err);
	source_close(f.from);
	return done && (out->hash.p || err_set(err, ERR_DATA, "%.*s: it holds no log", STR_ARG(path)));
}

bool add_run_read(struct arena *a, struct seal_dir *out, struct seal_run *hashes, struct err *err)
{
	add_run_is_one(out->path, &out->kind);
	if (!add_run_check(a, out->path, out->kind, err) || !seal_dir_read(a, out, err))
		return false;
	if (!out->has_log)
		return true;
	out->source.run = hashes;
	if (add_run_hash(a, ARENA_JOIN(a, out->path, STR("/" SEAL_DIR_LOG)), hashes, err))
		return true;
	seal_dir_free(out);
	return false;
}
