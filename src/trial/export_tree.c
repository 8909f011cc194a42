#include "trial/export.h"
#include "trial/export_dir.h"

static bool put_item(void *context, struct arena *a, const struct export_item *x, struct err *err)
{
	struct str top = x->part == LEDGER_DIAGNOSTIC ? STR("_diagnostic/") : STR("");
	struct str experiment = x->experiment.n ? entry_path_part(a, x->experiment) : STR("_");
	struct str trial = x->entry.ref.given ? entry_path_part(a, x->entry.ref.trial_id) : STR("_");
	struct str path;

	if (!x->has_object)
		return true;
	switch (x->entry.kind) {
	case ENTRY_TRIAL:
		path = ARENA_JOIN(a, top, export_trial_path(a, x->experiment, x->entry.id), STR(".json"));
		break;
	case ENTRY_ARTIFACT:
		path = ARENA_JOIN(a, top, experiment, STR("/_artifacts/"), trial, STR("/"),
				  export_artifact_path(a, x->entry.id, x->entry.ref.trial_id));
		break;
	case ENTRY_REVIEW:
		path = ARENA_JOIN(a, top, experiment, STR("/_reviews/"), trial, STR("/"),
				  entry_path_part(a, x->entry.id), STR(".json"));
		break;
	default:
		return true;
	}
	return export_dir_put(context, path, x->object, err);
}

bool export_tree(const struct export_options *o, struct export_sum *sum, struct err *err)
{
	struct export_dir *d = export_dir_open(o->io, o->dir, o->force, err);

	if (!d)
		return false;
	if (export_walk(o, sum, put_item, d, err))
		return export_dir_commit(d, err);
	export_dir_abort(d);
	return false;
}
