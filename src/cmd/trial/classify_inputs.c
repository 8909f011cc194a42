/* Directories are walked here and now, so that the list is complete before the first file is read. */
#include "cmd/trial/classify_inputs.h"

#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "cmd/ledger/args.h"
#include "source/walk.h"
#include "trial/transcript_find.h"

static void classify_inputs_take(struct classify_paths *out, struct str path)
{
	arena_grow(out->arena, out->items, out->count, out->cap, 16);
	out->items[out->count++] = arena_copy(out->arena, path);
}

/* ---- a ledger ---- */

struct classify_rows {
	struct classify_paths *out;
	struct str where;
};

static bool classify_inputs_take_row(void *context, const struct index_row *row)
{
	struct classify_rows *r = context;
	struct arena *a = r->out->arena;
	struct entry e = { .kind = row->kind, .experiment = row->experiment, .id = row->id };
	struct str name = entry_link_name(a, &e);

	if (!row->erased && name.p)
		classify_inputs_take(r->out, ARENA_JOIN(a, r->where, row->part == LEDGER_DIAGNOSTIC ?
							STR(LEDGER_SECOND "/") : STR("/"), name));
	return true;
}

static bool classify_inputs_add_ledger(struct classify_paths *out, const struct frame *f, struct str path,
				       struct err *err)
{
	struct ledger_choice choice = { .where = path };
	struct classify_rows rows = { out, path };
	struct index_filter all = INDEX_ANY;
	struct ledger ledger;
	struct index *x;
	bool done;

	all.kind = ENTRY_TRIAL;
	all.hide_superseded = true;
	if (!ledger_args_open(&ledger, out->arena, f, &choice, LEDGER_READ, err))
		return false;
	x = ledger_args_open_index(&ledger, f, err);
	done = x && index_list(x, &all, classify_inputs_take_row, &rows, err);
	index_close(x);
	ledger_close(&ledger);
	return done;
}

/* ---- any other directory ---- */

struct classify_tree {
	struct classify_paths *out;
	struct map named; /* transcripts that a record leads to */
};

/* A record that leads to a transcript is taken for it: it tells the reward as well. */
static bool classify_inputs_take_record(struct classify_tree *t, struct str path)
{
	struct transcript_record record;
	struct transcript_found found;
	struct err why;
	bool added;

	if (!str_ends(path, STR(".json")) ||
	    !transcript_find_by_record(t->out->arena, path, &found, &record, &why) || !found.as)
		return false;
	classify_inputs_take(t->out, path);
	*map_add(&t->named, found.path, &added) = 1;
	*map_add(&t->named, path, &added) = 1;
	return true;
}

/* The directory's own transcript: a conversation only where it has no trajectory. */
static bool classify_inputs_is_transcript(struct arena *a, struct str path)
{
	struct str name = str_basename(path), beside = ARENA_JOIN(a, str_dirname(path), STR("/trajectory.jsonl"));

	return str_eq(name, STR("trajectory.jsonl")) ||
	       (str_eq(name, STR("conversation.jsonl")) && access(beside.p, F_OK) != 0);
}

static bool classify_inputs_add_tree(struct classify_paths *out, struct str path, bool records, struct err *err)
{
	struct source_options how = { .shape = SOURCE_CONTENT };
	struct classify_tree t = { .out = out };
	struct walk_item *list = NULL;
	size_t before = out->count;

	map_init(&t.named, out->arena);
	if (!walk_paths(out->arena, source_io_system(), &path, 1, &how, &list, err))
		return false;
	for (const struct walk_item *i = list; i; i = i->next) {
		if (i->refused)
			return err_system(err, i->refused, "%.*s", STR_ARG(i->input.name));
		classify_inputs_take_record(&t, i->input.name);
	}
	for (const struct walk_item *i = list; i && !records; i = i->next)
		if (!map_find(&t.named, i->input.name) && classify_inputs_is_transcript(out->arena, i->input.name))
			classify_inputs_take(out, i->input.name);
	for (const struct walk_item *i = list; i && !records && out->count == before; i = i->next)
		classify_inputs_take(out, i->input.name);
	return true;
}

bool classify_inputs_add(struct classify_paths *out, const struct frame *f, struct str path, bool records,
			 struct err *err)
{
	struct transcript_found found;

	if (!file_is_dir(path)) {
		classify_inputs_take(out, path);
		return true;
	}
	if (access(ARENA_JOIN(out->arena, path, STR("/checkpoint")).p, F_OK) == 0)
		return classify_inputs_add_ledger(out, f, path, err);
	transcript_find_in_directory(out->arena, path, &found);
	if (!records && (found.as || access(ARENA_JOIN(out->arena, path, STR("/agent-trace.jsonl")).p, F_OK) == 0)) {
		classify_inputs_take(out, path);
		return true;
	}
	return classify_inputs_add_tree(out, path, records, err);
}
