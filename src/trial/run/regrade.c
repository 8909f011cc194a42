/* The new parts are written by the code that writes any record, and spliced into the first one. */
#include "trial/run/regrade.h"

#include <math.h>

#include "base/clock.h"
#include "base/file.h"
#include "ledger/entry.h"
#include "trial/run/finish.h"
#include "trial/run/splice.h"
#include "trial/seal.h"

#define REGRADE_OURS "/outputs/agent_result/trackway/"
#define REGRADE_MANIFEST_MAX ((size_t)64 << 20)

struct regrading {
	struct arena *arena;
	const struct regrade_how *how;
	struct json_parser *parser, *other; /* of the record, and of what is read beside it */
	struct val root;
	struct trial_task task;
	struct trial_dirs dirs;
	struct trial_facts facts; /* of the judging */
	struct lock before, after;
	struct str old_id, experiment;
	struct err *err;
};

static bool regrade_refuse(struct regrading *g, const char *sentence)
{
	return err_set(g->err, ERR_DATA, "trial %.*s cannot be judged again: %s", STR_ARG(g->old_id), sentence);
}

static bool take_level(struct regrading *g)
{
	struct str level = g->before.members[LOCK_ISOLATION];

	for (unsigned i = 0; i < SANDBOX_LEVELS; i++)
		if (str_eq(level, str_from(sandbox_level_name((enum sandbox_level)i)))) {
			g->facts.isolation = (enum sandbox_level)i;
			return i == SANDBOX_NONE || sandbox_can(g->facts.isolation, g->err);
		}
	return regrade_refuse(g, "its record does not say how it was isolated");
}

/* Of the old lock, what the new task decides is new. */
static bool compare_locks(struct regrading *g)
{
	struct lock_difference d;

	g->after = g->before;
	g->after.members[LOCK_TASK_REVISION] = lock_digest(g->arena, g->task.revision);
	g->after.members[LOCK_VERIFIER] = lock_digest(g->arena, g->task.verifier);
	g->after.members[LOCK_TASK_REST] = lock_digest(g->arena, g->task.rest);
	g->after.members[LOCK_PROMPTS] = lock_digest(g->arena, g->task.prompts);
	d = lock_compare(&g->before, &g->after);
	if (d.answer != LOCK_RERUN || d.first == LOCK_TASK_REVISION)
		return true;
	return err_set(g->err, ERR_DATA, "trial %.*s cannot be judged again with this task: %s differs, so it has to "
		       "be run again", STR_ARG(g->old_id), lock_member_name(d.first));
}

static bool read_first(struct regrading *g)
{
	struct finish_facts f;

	if (!json_parse_copy(g->parser, g->how->record, &g->root, NULL))
		return err_set(g->err, ERR_DATA, "the record is not JSON");
	g->old_id = val_text_copy(val_get(g->root, STR("trial_id")), g->arena);
	if (!lock_read(g->arena, g->old_id, g->how->record, &g->before, g->err))
		return false;
	if (!finish_read(g->arena, g->how->record, &f))
		return regrade_refuse(g, "it has not ended");
	if (f.class == CLASS_INFRASTRUCTURE)
		return regrade_refuse(g, "it is an infrastructure failure, which left nothing to judge");
	g->experiment = g->how->experiment;
	if (!g->experiment.p)
		g->experiment = ARENA_JOIN(g->arena, val_text_copy(val_get(g->root, STR("experiment_id")), g->arena),
					   STR("-regraded"));
	return true;
}

/* ---- the workspace ---- */

static bool regrade_put_file(struct regrading *g, struct val file)
{
	struct str name = val_get_text(file, STR("path"), g->arena), from;
	struct tree_file f = { .name = name, .executable = val_is(val_get(file, STR("executable")), JSON_TRUE) };
	struct digest expected, copied;

	if (!seal_is_artifact_name(name) || !digest_parse(val_get_text(file, STR("sha256"), g->arena), &expected))
		return regrade_refuse(g, "the list of its files is damaged");
	from = val_is(val_get(file, STR("kept")), JSON_TRUE) ?
		       ARENA_JOIN(g->arena, g->dirs.artifacts, STR("/workspace")) :
		       ARENA_JOIN(g->arena, g->task.dir, STR("/environment"));
	if (!tree_copy(g->arena, from, &f, g->dirs.workspace, name, &copied, g->err))
		return err_context(g->err, "a file that the agent left");
	return digest_eq(copied, expected) ||
	       err_set(g->err, ERR_DATA, "trial %.*s cannot be judged again: %.*s is not the file that the agent left",
		       STR_ARG(g->old_id), STR_ARG(name));
}

static bool make_workspace(struct regrading *g)
{
	struct str text = tree_read_file(g->arena, g->dirs.artifacts, STR("manifest.json"), REGRADE_MANIFEST_MAX);
	struct val manifest, file;
	struct val_iter it;

	if (!text.p || !json_parse_copy(g->other, text, &manifest, NULL))
		return regrade_refuse(g, "the list of its files (manifest.json) was not sealed with it");
	if (val_count(val_get(manifest, STR("left_out"))))
		return regrade_refuse(g, "not all files that the agent left were kept");
	if (!file_make_dirs(g->dirs.workspace, 0777, NULL, g->err))
		return false;
	it = val_begin(val_get(manifest, STR("files")));
	while (val_next(&it, &file))
		if (!regrade_put_file(g, file))
			return false;
	return true;
}

/* ---- judging ---- */

/* How the agent ended stays what it was; the verifier's part is new. */
static void take_class(struct regrading *g)
{
	struct val agent = val_at(g->root, STR(REGRADE_OURS "agent"));
	int64_t status = 0, signal = 0;

	g->facts.class = CLASS_COMPLETED;
	if (val_is(val_get(agent, STR("timed_out")), JSON_TRUE))
		g->facts.class = CLASS_AGENT_TIMEOUT;
	else if ((val_i64(val_get(agent, STR("exit_status")), &status) && status) ||
		 val_i64(val_get(agent, STR("signal")), &signal))
		g->facts.class = CLASS_AGENT_FAILED;
}

static bool is_of_verifier(struct str code)
{
	static const struct str codes[] = { { "reward_place_taken", 18 }, { "tests_changed", 13 },
					    { "verifier_log_cut", 16 } };

	return str_is_one_of(code, codes, COUNT(codes));
}

/* What was found out about the agent stays, beside what is found out about the new verifier. */
static void take_findings(struct regrading *g)
{
	struct val_iter it = val_begin(val_at(g->root, STR(REGRADE_OURS "findings")));
	struct str error = val_get_text(val_at(g->root, STR("/outputs/agent_output")), STR("error_message"), g->arena);
	struct val v;

	while (val_next(&it, &v)) {
		struct str code = val_get_text(v, STR("code"), g->arena);

		if (!is_of_verifier(code))
			record_add_finding(g->arena, &g->facts, arena_copy(g->arena, code).p,
					   val_get_text(v, STR("message"), g->arena));
	}
	if (error.p)
		record_add_error(g->arena, &g->facts, error);
}

static void take_denied(struct regrading *g)
{
	struct val list = val_at(g->root, STR(REGRADE_OURS "denied")), v;
	struct sandbox_report *r = &g->facts.agent.report;
	struct val_iter it = val_begin(list);

	r->denials = arena_array(g->arena, struct sandbox_denial, val_count(list) + 1);
	g->facts.agent.ran = true;
	while (val_next(&it, &v)) {
		struct sandbox_denial *d = &r->denials[r->denial_count];
		double seconds = 0;
		int64_t count = 0;

		if (!val_text_is(val_get(v, STR("phase")), STR("agent")))
			continue;
		val_double(val_get(v, STR("t")), &seconds);
		val_i64(val_get(v, STR("count")), &count);
		*d = (struct sandbox_denial){ .t_ms = llround(seconds * 1000), .count = (uint64_t)count,
					      .call = val_get_text(v, STR("call"), g->arena),
					      .what = val_get_text(v, STR("what"), g->arena) };
		r->denial_count++;
	}
}

/* A whole record of the judging alone, of which parts are taken. */
static struct str write_judging(struct regrading *g)
{
	struct trial_facts *f = &g->facts;

	f->trial_id = g->how->id;
	f->experiment = g->experiment;
	f->begun_ns = (int64_t)clock_wall_ns();
	f->task_id = g->task.id;
	f->task_revision = g->after.members[LOCK_TASK_REVISION];
	f->instruction = g->task.instruction;
	f->adapter = f->model = f->adapter_revision = STR("-");
	f->configuration = STR("{}");
	f->inputs = &(const struct trial_file){ .path = { NULL, 0 } };
	f->lock = g->after;
	f->phase = PHASE_ENDED;
	trial_describe_system(g->arena, f);
	return record_write_trial(g->arena, f);
}

static struct str new_path(struct regrading *g, const char *name)
{
	struct str path = val_get_text(val_get(g->root, STR("outputs")), str_from(name), g->arena), old, now;

	old = ARENA_JOIN(g->arena, STR("artifacts/"), entry_path_part(g->arena, val_get_text(g->root,
			 STR("experiment_id"), g->arena)), STR("/"), entry_path_part(g->arena, g->old_id), STR("/"));
	if (!path.p)
		return STR("null");
	now = ARENA_JOIN(g->arena, STR("artifacts/"), entry_path_part(g->arena, g->experiment), STR("/"),
			 entry_path_part(g->arena, g->how->id), STR("/"));
	return splice_text(g->arena, str_starts(path, old) ? ARENA_JOIN(g->arena, now, str_skip(path, old.n)) : path);
}

static bool splice_record(struct regrading *g, struct str judging, struct str *out)
{
	static const char *const taken[] = {
		"/trial_id", "/experiment_id", "/timestamp", "/task/task_revision", "/evaluation",
		"/timing/verification_seconds", "/completeness", REGRADE_OURS "class", REGRADE_OURS "lock",
		REGRADE_OURS "verifier", REGRADE_OURS "reward_channel", REGRADE_OURS "findings",
		REGRADE_OURS "denied",
	};
	struct splice changes[COUNT(taken) + 4];
	struct val root;
	size_t n = 0;

	if (!json_parse_copy(g->other, judging, &root, NULL))
		return err_set(g->err, ERR_DATA, "the new record is not JSON");
	for (; n < COUNT(taken); n++)
		changes[n] = (struct splice){ taken[n], val_source(val_at(root, str_from(taken[n]))) };
	changes[n++] = (struct splice){ REGRADE_OURS "regrade_of", splice_text(g->arena, g->old_id) };
	changes[n++] = (struct splice){ "/outputs/raw_output_path", new_path(g, "raw_output_path") };
	changes[n++] = (struct splice){ "/outputs/conversation_path", new_path(g, "conversation_path") };
	changes[n++] = (struct splice){ "/outputs/trajectory_path", new_path(g, "trajectory_path") };
	return splice_values(g->arena, g->how->record, changes, n, out, g->err) && record_check_rules(*out, g->err);
}

static bool regrade_judge(struct regrading *g, struct str *record)
{
	struct verifier_ask ask = { .task = &g->task, .dirs = g->dirs, .program = g->how->program,
				    .level = g->facts.isolation };

	take_class(g);
	take_findings(g);
	take_denied(g);
	if (!verifier_run(g->arena, &ask, &g->facts, g->err))
		return false;
	return splice_record(g, write_judging(g), record);
}

bool regrade_run(struct arena *a, const struct regrade_how *how, struct str *record, struct err *err)
{
	struct regrading g = { .arena = a, .how = how, .err = err,
			       .facts = { .total_s = -1, .setup_s = -1, .agent_s = -1, .verifier_s = -1 } };
	bool done;

	g.parser = json_parser_open((struct json_options){ .max_depth = 0 });
	g.other = json_parser_open((struct json_options){ .max_depth = 0 });
	done = read_first(&g) && task_read(a, how->task, &g.task, err) && compare_locks(&g) && take_level(&g);
	g.dirs = trial_dirs_of(a, how->dir, g.facts.isolation);
	done = done && make_workspace(&g) && regrade_judge(&g, record);
	json_parser_close(g.other);
	json_parser_close(g.parser);
	return done;
}
