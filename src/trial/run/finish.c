/* Records are changed by splicing: what was written during the trial stays as it was written. */
#include "trial/run/finish.h"

#include <math.h>

#include "base/file.h"
#include "base/utf8.h"
#include "trial/beneath.h"
#include "trial/run/private.h"
#include "trial/run/splice.h"

#define FINISH_OURS "/outputs/agent_result/trackway/"

static void read_facts(struct arena *a, struct val root, struct finish_facts *out)
{
	struct val evaluation = val_get(root, STR("evaluation")), first;
	struct val validity = val_get(evaluation, STR("validity"));
	struct val_iter it = val_begin(val_get(validity, STR("errors")));

	out->task_id = val_text_copy(val_get(val_get(root, STR("task")), STR("task_id")), a);
	out->model = val_text_copy(val_get(val_get(root, STR("agent")), STR("model")), a);
	out->adapter = val_text_copy(val_get(val_get(root, STR("agent")), STR("adapter")), a);
	val_double(val_get(evaluation, STR("reward")), &out->reward);
	val_double(val_get(val_get(root, STR("timing")), STR("total_seconds")), &out->seconds);
	if (!val_double(val_get(val_get(root, STR("cost")), STR("estimated_cost_usd")), &out->cost_usd))
		out->cost_usd = NAN;
	out->verifier_completed = val_is(val_get(validity, STR("verifier_completed")), JSON_TRUE);
	out->is_complete = val_text_is(val_get(root, STR("completeness")), STR("complete"));
	if (val_next(&it, &first))
		out->error = val_text_copy(first, a);
	if (out->class == CLASS_INFRASTRUCTURE && val_next(&it, &first))
		out->error = val_text_copy(first, a);
}

bool finish_read(struct arena *a, struct str record, struct finish_facts *out)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct val root;
	bool good;

	*out = (struct finish_facts){ .cost_usd = NAN };
	good = json_parse_copy(p, record, &root, NULL) &&
	       trial_class_parse(val_text_or_none(val_at(root, STR(FINISH_OURS "class")), a), &out->class);
	if (good)
		read_facts(a, root, out);
	json_parser_close(p);
	return good;
}

bool finish_stopped(struct arena *a, struct str record, struct str reason, struct str *out, struct err *err)
{
	struct str why = splice_text(a, reason);
	const struct splice changes[] = {
		{ FINISH_OURS "phase", STR("\"ended\"") },
		{ FINISH_OURS "class", STR("\"infrastructure\"") },
		{ FINISH_OURS "infrastructure", why },
		{ "/evaluation/validity/errors",
		  ARENA_JOIN(a, STR("[\"infrastructure failure: not the model's\","), why, STR("]")) },
	};

	return splice_values(a, record, changes, COUNT(changes), out, err) && record_check_rules(*out, err);
}

/* ---- sealing ---- */

/* Other names cannot stand in an entry of a ledger. */
bool finish_takes_name(struct str name)
{
	return seal_is_artifact_name(name) && utf8_check(name) == name.n;
}

bool finish_seal(struct arena *a, struct sealer *s, struct str id, struct str record, struct str artifacts,
		 struct err *err)
{
	struct seal_extra extra = { .are_mapped = true };
	struct err ignored = { .kind = ERR_NONE };
	struct seal_artifact *list;
	struct tree files;

	if (!tree_read(a, artifacts, NULL, &files, &ignored))
		files = (struct tree){ .count = 0 };
	list = arena_array(a, struct seal_artifact, files.count + 1);
	for (size_t i = 0; i < files.count; i++) {
		struct str name = files.files[i].name, bytes;

		if (finish_takes_name(name) &&
		    file_map(ARENA_JOIN(a, artifacts, STR("/"), name), &bytes, &ignored))
			list[extra.count++] = (struct seal_artifact){ name, beneath_media(name), bytes };
	}
	extra.artifacts = list;
	return seal_add_with(s, id, record, &extra, err) && seal_commit(s, err);
}
