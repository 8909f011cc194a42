/*
 * The tree as AEC-Bench has it. A record names its artifacts by the path that they have in the ledger's directory
 * (artifacts/EXPERIMENT/TRIAL/NAME); links lead from there to where the tree has them, since programs that read such a
 * tree take every *.json for a record that does not stand below a name with '_', and follow no links.
 */
#include "base/map.h"
#include "json/json.h"
#include "sink/export/dir.h"
#include "trial/export.h"

struct tree {
	struct export_dir *dir;
	struct export_sum *sum;
	struct json_parser *parser;
	struct arena arena, *keep; /* what the sum points to */
	struct map named; /* the wide hash of each path, to a hash of what a link leads to, 1 for a file */
	struct map old;   /* trials whose records have paths as version 0.1 wrote them */
};

struct place {
	uint64_t part, index;
};

/* False when something else has the path, which is counted: nothing is replaced. *known: the same link was there. */
static bool claim_path(struct tree *t, struct str path, struct str target, bool *known)
{
	uint64_t *count = target.p ? &t->sum->unlinked : &t->sum->left_out;
	struct str *first = target.p ? &t->sum->first_unlinked : &t->sum->first_left_out;
	uint64_t mark = target.p ? str_hash(target) | 2 : 1, *has;
	struct hash hash = str_hash_wide(path);
	bool added;

	has = map_add(&t->named, str_of(&hash, sizeof(hash)), &added);
	*known = !added && target.p && *has == mark;
	if (added)
		*has = mark;
	if (added || *known)
		return true;
	if ((*count)++ == 0)
		*first = arena_copy(t->keep, path);
	return false;
}

static bool put_file(struct tree *t, struct str path, struct str bytes, struct err *err)
{
	bool known;

	return !claim_path(t, path, (struct str){ NULL, 0 }, &known) || export_dir_put(t->dir, path, bytes, err);
}

/* A link in the directory `dir`, which must not be the name of a link itself. */
static bool put_link(struct tree *t, struct str dir, struct str path, struct str target, struct err *err)
{
	bool known;

	if (!claim_path(t, dir, STR("."), &known) || !claim_path(t, path, target, &known) || known)
		return true;
	return export_dir_link(t->dir, path, target, err);
}

/* ---- paths of version 0.1 ---- */

/* Whether the record names a file right below artifacts/<trial>, without the experiment. */
static bool has_old_paths(struct tree *t, struct arena *a, const struct export_item *x)
{
	static const char *const pointers[] = {
		"/outputs/conversation_path", "/outputs/raw_output_path", "/outputs/trajectory_path",
	};
	struct str top = ARENA_JOIN(a, STR("artifacts/"), entry_path_part(a, x->entry.id), STR("/"));
	struct val record, path;

	if (!json_parse_copy(t->parser, x->object, &record, NULL))
		return false;
	for (size_t i = 0; i < COUNT(pointers); i++) {
		struct str text;

		path = val_at(record, str_from(pointers[i]));
		text = val_is(path, JSON_STRING) ? val_text(path, a) : STR("");
		if (str_starts(text, top) && !memchr(text.p + top.n, '/', text.n - top.n))
			return true;
	}
	return false;
}

static void note_trial(struct tree *t, struct arena *a, const struct export_item *x)
{
	struct place place = { x->part, x->index };
	bool added;

	if (has_old_paths(t, a, x))
		map_add(&t->old, str_of(&place, sizeof(place)), &added);
}

/* ---- entries ---- */

/* Links from `from`, the top of the tree or of a log, to the artifacts of a trial. */
static bool link_trial(struct tree *t, struct arena *a, struct str from, struct str experiment, struct str trial,
		       struct str to, bool is_old, struct err *err)
{
	struct str dir = ARENA_JOIN(a, from, STR("artifacts")), inner = ARENA_JOIN(a, dir, STR("/"), experiment);

	if (!put_link(t, inner, ARENA_JOIN(a, inner, STR("/"), trial), ARENA_JOIN(a, STR("../../"), to), err))
		return false;
	return !is_old || put_link(t, dir, ARENA_JOIN(a, dir, STR("/"), trial), ARENA_JOIN(a, STR("../"), to), err);
}

static bool put_artifact(struct tree *t, struct arena *a, const struct export_item *x, struct str top,
			 struct str experiment, struct err *err)
{
	struct place place = { x->part, x->entry.ref.index };
	struct str trial = entry_path_part(a, x->entry.ref.trial_id);
	struct str dir = ARENA_JOIN(a, experiment, STR("/_artifacts/"), trial), full = ARENA_JOIN(a, top, dir);
	struct str name = export_artifact_path(a, x->entry.id, x->entry.ref.trial_id);
	bool is_old = map_find(&t->old, str_of(&place, sizeof(place)));

	if (!put_file(t, ARENA_JOIN(a, full, STR("/"), name), x->object, err))
		return false;
	return link_trial(t, a, STR(""), experiment, trial, full, is_old, err) &&
	       (!top.n || link_trial(t, a, top, experiment, trial, dir, is_old, err));
}

/* The summary of a run stands beside its files, which are artifacts. */
static bool put_run(struct tree *t, struct arena *a, const struct export_item *x, struct str top, struct str experiment,
		    struct err *err)
{
	struct str name = entry_link_name(a, &x->entry), dir;

	dir = ARENA_JOIN(a, top, experiment, STR("/_artifacts/"), entry_path_part(a, x->entry.id), STR("/"));
	return !name.p || put_file(t, ARENA_JOIN(a, dir, str_basename(name)), x->object, err);
}

/* Entries without an object, and those that only say something about a trial, have no file. */
static bool put_item(void *context, struct arena *a, const struct export_item *x, struct err *err)
{
	struct str top = x->part == LEDGER_DIAGNOSTIC ? STR("_diagnostic/") : STR("");
	struct str experiment = x->experiment.n ? entry_path_part(a, x->experiment) : STR("_");
	struct str trial = x->entry.ref.given ? entry_path_part(a, x->entry.ref.trial_id) : STR("_");
	struct tree *t = context;

	if (!x->has_object)
		return true;
	switch (x->entry.kind) {
	case ENTRY_TRIAL:
		note_trial(t, a, x);
		return put_file(t, ARENA_JOIN(a, top, export_trial_path(a, x->experiment, x->entry.id), STR(".json")),
				x->object, err);
	case ENTRY_RUN:
	case ENTRY_BENCH:
		return put_run(t, a, x, top, experiment, err);
	case ENTRY_ARTIFACT:
		return put_artifact(t, a, x, top, experiment, err);
	case ENTRY_REVIEW:
		return put_file(t, ARENA_JOIN(a, top, experiment, STR("/_reviews/"), trial, STR("/"),
					      entry_path_part(a, x->entry.id), STR(".json")), x->object, err);
	default:
		return true;
	}
}

bool export_tree(const struct export_options *o, struct export_sum *sum, struct err *err)
{
	struct tree t = { .dir = export_dir_open(o->io, o->dir, o->force, err), .sum = sum,
			  .keep = o->ledger->arena };
	bool done;

	if (!t.dir)
		return false;
	arena_init(&t.arena);
	map_init(&t.named, &t.arena);
	map_init(&t.old, &t.arena);
	t.parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	done = export_walk(o, sum, put_item, &t, err);
	json_parser_close(t.parser);
	arena_free(&t.arena);
	if (done)
		return export_dir_commit(t.dir, err);
	export_dir_abort(t.dir);
	return false;
}
