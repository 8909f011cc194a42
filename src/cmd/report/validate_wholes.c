/* Notes the runs and ledgers that a walk meets, and checks each as a whole afterwards. */
#include "cmd/report/validate_wholes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/stop.h"
#include "bench/report/check.h"
#include "capture/run_files_check.h"
#include "cmd/report/rules.h"
#include "ledger/check/check.h"
#include "ledger/dir/log_dir.h"

/* ---- the kinds ---- */

static bool ledger_has_file(struct str dir, const char *name)
{
	char path[4096];
	struct stat st;

	return snprintf(path, sizeof(path), "%.*s/%s", STR_ARG(dir), name) < (int)sizeof(path) && stat(path, &st) == 0;
}

/* Other programs keep a file 'checkpoint' in a directory, too; one without tiles and state is none of ours. */
static bool whole_is_ledger(struct str path)
{
	return ledger_has_file(path, ".") && log_dir_is_one(&io_system, path) &&
	       (ledger_has_file(path, "tile") || ledger_has_file(path, ".state/version"));
}

/* Checks everything an owner would: objects and local state, too. */
static bool whole_check_ledger(struct validate_input *part, struct arena *a, struct findings *findings, struct err *err)
{
	struct ledger_check c = { .where = part->name, .arena = a, .objects = true, .local = true,
				  .findings = findings };
	struct log_report report[LEDGER_PARTS];
	bool done = ledger_check_run(&c, report, err);

	for (int p = 0; p < LEDGER_PARTS; p++) {
		part->tally.records += report[p].size;
		part->bytes += report[p].bytes;
	}
	return done;
}

static bool whole_check_bench(struct validate_input *part, struct arena *a, struct findings *findings, struct err *err)
{
	struct run_check c = { .path = part->name, .arena = a, .findings = findings };
	bool done = run_check(&c, err);

	part->tally.records = c.rows;
	return done;
}

static bool whole_check_recorded(struct validate_input *part, struct arena *a, struct findings *findings,
				 struct err *err)
{
	struct run_files_check c = { .path = part->name, .arena = a, .findings = findings };
	bool done = run_files_check(&c, err);

	part->tally.records = c.files;
	part->bytes = c.bytes;
	return done;
}

/* In the order in which they are tried. */
static const struct whole_kind {
	bool (*is_one)(struct str path);
	/* Fills in records and bytes. False with *err when it cannot be read, or the process is asked to stop. */
	bool (*check)(struct validate_input *part, struct arena *a, struct findings *findings, struct err *err);
	const struct dialect *dialect; /* as which it is reported */
	bool files; /* are checked by themselves, too */
} kinds[] = {
	{ whole_is_ledger, whole_check_ledger, &rules_ledger, false },
	{ run_check_is_one, whole_check_bench, &rules_bench_run, true },
	{ run_files_check_is_one, whole_check_recorded, &rules_run, true },
};

struct whole {
	struct str path;
	const struct whole_kind *kind;
};

void validate_wholes_init(struct validate_wholes *w, struct arena *a)
{
	*w = (struct validate_wholes){ .arena = a };
	map_init(&w->seen, a);
}

static void wholes_add(struct validate_wholes *w, struct str path, const struct whole_kind *kind)
{
	arena_grow(w->arena, w->list, w->count, w->cap, 16);
	w->list[w->count++] = (struct whole){ arena_copy(w->arena, path), kind };
}

bool validate_wholes_enter(void *wholes, struct str path)
{
	struct validate_wholes *w = wholes;
	uint64_t *known;
	bool added;

	known = map_add(&w->seen, path, &added);
	if (!added)
		return *known;
	*known = true;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!kinds[i].is_one(path))
			continue;
		wholes_add(w, path, &kinds[i]);
		*known = kinds[i].files;
		break;
	}
	return *known;
}

/* Reports a directory as one file. What cannot be read is reported, too; false only when the process is to stop. */
static bool whole_report(const struct whole *x, struct validate_output *o, size_t limit, struct err *err)
{
	struct validate_input part = { .name = x->path, .dialect = x->kind->dialect };
	struct err why = { .kind = ERR_NONE };
	struct findings findings;
	struct arena a;
	bool done;

	arena_init(&a);
	findings_init(&findings, &a, limit);
	part.findings = &findings;
	if (!x->kind->check(&part, &a, &findings, &why))
		part.failure = &why;
	done = !part.failure || !stop_signal();
	if (done)
		validate_output_add(o, &part);
	else
		*err = why;
	arena_free(&a);
	return done;
}

bool validate_wholes_check(struct validate_wholes *w, struct validate_output *o, size_t limit, struct err *err)
{
	bool done = true;

	if (w->count)
		qsort(w->list, w->count, sizeof(*w->list), str_cmp_first);
	for (size_t i = 0; done && i < w->count; i++)
		done = whole_report(&w->list[i], o, limit, err);
	w->count = 0;
	map_init(&w->seen, w->arena);
	return done;
}
