/* Notes the runs and ledgers that a walk meets, and checks each as a whole afterwards. */
#include "cmd/report/validate_wholes.h"

#include <stdlib.h>

#include "base/stop.h"
#include "capture/run_files_check.h"
#include "cmd/report/rules.h"
#include "cmd/report/validate_bench.h"
#include "cmd/report/validate_ledger.h"

/* A recorded run, as validate_bench and validate_ledger are for theirs. */
static bool validate_recorded(struct validate_output *o, struct str path, size_t limit, struct err *err)
{
	struct validate_input part = { .name = path, .dialect = &rules_run };
	struct err why = { .kind = ERR_NONE };
	struct findings findings;
	struct arena a;
	struct run_files_check c = { .path = path, .arena = &a, .findings = &findings };
	bool done = true;

	arena_init(&a);
	findings_init(&findings, &a, limit);
	part.findings = &findings;
	if (!run_files_check(&c, &why)) {
		part.failure = &why;
		done = !stop_signal();
	}
	part.tally.records = c.files;
	part.bytes = c.bytes;
	if (done)
		validate_output_add(o, &part);
	else
		*err = why;
	arena_free(&a);
	return done;
}

/* In the order in which they are tried. */
static const struct whole_kind {
	bool (*is_one)(struct str path);
	bool (*check)(struct validate_output *o, struct str path, size_t limit, struct err *err);
	bool files; /* are checked by themselves, too */
} kinds[] = {
	{ validate_is_ledger, validate_ledger, false },
	{ validate_is_bench, validate_bench, true },
	{ run_files_check_is_one, validate_recorded, true },
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

bool validate_wholes_check(struct validate_wholes *w, struct validate_output *o, size_t limit, struct err *err)
{
	bool done = true;

	if (w->count)
		qsort(w->list, w->count, sizeof(*w->list), str_cmp_first);
	for (size_t i = 0; done && i < w->count; i++)
		done = w->list[i].kind->check(o, w->list[i].path, limit, err);
	w->count = 0;
	map_init(&w->seen, w->arena);
	return done;
}
