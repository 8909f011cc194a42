/* The phases in their order, and the record after each. */
#include "trial/run/trial.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/build.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "json/put.h"
#include "ledger/entry.h"
#include "trial/run/finish.h"
#include "trial/run/private.h"

struct str trial_tmp(enum sandbox_level level, struct str home)
{
	const char *ours = getenv("TMPDIR");

	if (level == SANDBOX_LANDLOCK)
		return home;
	return level == SANDBOX_NONE && ours && *ours ? str_from(ours) : STR("/tmp");
}

bool trial_is_orphan(int parent)
{
	return stop_signal() || (parent && getppid() != parent);
}

struct trial_dirs trial_dirs_of(struct arena *a, struct str trial, enum sandbox_level level)
{
	struct trial_dirs d = {
		.trial = trial,
		.workspace = ARENA_JOIN(a, trial, STR("/workspace")),
		.home = ARENA_JOIN(a, trial, STR("/home")),
		.run = ARENA_JOIN(a, trial, STR("/run")),
		.artifacts = ARENA_JOIN(a, trial, STR("/artifacts")),
	};

	d.workspace_seen = level >= SANDBOX_BWRAP ? STR("/workspace") : d.workspace;
	return d;
}

/* ---- where ---- */

static struct str system_name(struct arena *a)
{
	struct str text, rest, name = STR("linux");
	struct err ignored = { .kind = ERR_NONE };

	if (!file_read(a, STR("/etc/os-release"), (size_t)64 << 10, &text, &ignored))
		return name;
	for (rest = text; rest.n;) {
		struct str line = str_cut(rest, '\n', &rest);

		if (str_starts(line, STR("PRETTY_NAME=\"")) && line.n > 14)
			name = str_of(line.p + 13, line.n - 14);
	}
	return name;
}

void trial_describe_system(struct arena *a, struct trial_facts *f)
{
	struct json_writer w;
	struct utsname u;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "trackway", STR(BUILD_VERSION));
	if (uname(&u) == 0) {
		json_put_text(&w, "kernel", str_from(u.release));
		json_put_text(&w, "machine", str_from(u.machine));
	}
	json_write_end_object(&w);
	f->tool_versions = arena_take(a, &out);
	f->runtime_image = system_name(a);
	f->compute_backend = ARENA_JOIN(a, STR("local/"), str_from(sandbox_level_name(f->isolation)));
}

/* ---- the record ---- */

/* Synced and in one step: whoever looks sees the record of a phase, whole. */
static bool trial_write(struct trial_running *t, enum trial_phase phase, struct err *err)
{
	struct str record, path = ARENA_JOIN(t->arena, t->dirs.trial, STR("/" JOB_RECORD));

	t->facts.phase = phase;
	t->facts.total_s = (double)((int64_t)clock_wall_ns() - t->facts.begun_ns) / 1e9;
	record = record_write_trial(t->arena, &t->facts);
	return record_check_rules(record, err) && file_replace(path, record, 0644, err);
}

/* What the record names lies where the ledger has it. */
static struct str sealed_path(struct trial_running *t, struct str path)
{
	if (!path.p)
		return path;
	return ARENA_JOIN(t->arena, STR("artifacts/"), entry_path_part(t->arena, t->facts.experiment), STR("/"),
			  entry_path_part(t->arena, t->facts.trial_id), STR("/"), path);
}

static void keep_log(struct trial_running *t)
{
	const struct str name = STR("agent.log");
	struct err ignored = { .kind = ERR_NONE };
	bool is_longer;
	struct str text = tree_read_first(t->arena, t->dirs.trial, name, TRIAL_LOG_MAX, &is_longer);

	if (is_longer)
		record_add_finding(t->arena, &t->facts, "agent_log_cut", STR("agent.log is longer than 1 MiB; what is "
				   "beyond was not kept"));
	if (text.n)
		(void)file_replace(ARENA_JOIN(t->arena, t->dirs.artifacts, STR("/"), name), text, 0600,
				   &ignored);
}

static void trial_fail(struct trial_running *t, const struct err *why)
{
	t->facts.class = CLASS_INFRASTRUCTURE;
	t->facts.infrastructure = arena_copy(t->arena, str_from(why->text));
	t->facts.verdict = (struct verdict){ .completed = false };
}

static void begin_facts(struct trial_running *t)
{
	const struct job *j = t->how->job;
	struct trial_facts *f = &t->facts;

	*f = (struct trial_facts){
		.trial_id = t->how->id,
		.experiment = j->experiment,
		.dataset = j->dataset,
		.begun_ns = (int64_t)clock_wall_ns(),
		.task_id = t->task.id,
		.task_revision = lock_digest(t->arena, t->task.revision),
		.instruction = t->task.instruction,
		.system_prompt = t->task.system_prompt,
		.adapter = j->agent.adapter,
		.adapter_revision = j->agent.revision,
		.model = j->agent.model,
		.configuration = job_configuration(t->arena, j),
		.setup_s = -1, .agent_s = -1, .verifier_s = -1,
		.isolation = j->isolation,
		.lock = job_lock(t->arena, j, &t->task),
		.slot = t->how->slot,
	};
	trial_describe_system(t->arena, f);
}

/* ---- phases ---- */

static bool phase_setup(struct trial_running *t, struct err *err)
{
	uint64_t begun = clock_mono_ns();
	bool done = job_check_agent(t->arena, t->how->job, err) && workspace_fill(t, err);

	t->facts.setup_s = (double)(clock_mono_ns() - begun) / 1e9;
	return done;
}

/* A service that failed to the end is the end of it, whatever the agent made of that. */
static bool phase_agent(struct trial_running *t, struct err *err)
{
	bool done = agent_run(t, err);

	keep_log(t);
	if (!done || trial_is_orphan(t->how->parent))
		return done;
	if (!workspace_collect(t, err) || !agent_collect(t, err))
		return false;
	t->facts.raw_output_path = sealed_path(t, t->facts.raw_output_path);
	t->facts.conversation_path = sealed_path(t, t->facts.conversation_path);
	t->facts.trajectory_path = sealed_path(t, t->facts.trajectory_path);
	if (t->calls.failure.p)
		return err_set(err, ERR_IO, "%.*s", STR_ARG(t->calls.failure));
	return true;
}

static bool phase_verifier(struct trial_running *t, struct err *err)
{
	struct verifier_ask ask = {
		.task = &t->task, .dirs = t->dirs, .program = t->how->program, .level = t->how->job->isolation,
		.parent = t->how->parent,
	};

	return verifier_run(t->arena, &ask, &t->facts, err);
}

/* False: the trial is to be left as it is, since whoever wanted it has gone; *err says so. */
static bool run_phases(struct trial_running *t, struct err *err)
{
	bool (*const phases[])(struct trial_running *, struct err *) = { phase_setup, phase_agent, phase_verifier };
	struct err why = { .kind = ERR_NONE };

	for (unsigned i = 0; i < COUNT(phases); i++) {
		bool done = trial_write(t, (enum trial_phase)i, err);

		if (!done)
			return false;
		done = !trial_is_orphan(t->how->parent) && phases[i](t, &why);
		if (trial_is_orphan(t->how->parent))
			return err_set(err, ERR_IO, "the trial was stopped");
		if (!done) {
			trial_fail(t, &why);
			break;
		}
	}
	return trial_write(t, PHASE_ENDED, err);
}

static bool trial_begin(struct trial_running *t, struct err *err)
{
	const struct trial_how *how = t->how;
	uint64_t attempt;
	struct str task = job_task_of(how->job, how->slot, &attempt);

	t->dirs = trial_dirs_of(t->arena, ARENA_JOIN(t->arena, how->job->dir, STR("/"), how->id), how->job->isolation);
	if (!task_read(t->arena, task, &t->task, err))
		return false;
	begin_facts(t);
	t->facts.attempt_of = attempt;
	return true;
}

bool trial_run(struct arena *a, const struct trial_how *how, struct err *err)
{
	struct trial_running t = { .arena = a, .how = how };

	return trial_begin(&t, err) && file_make_dirs(t.dirs.trial, 0755, NULL, err) && run_phases(&t, err);
}

bool finish_lost(struct arena *a, const struct trial_how *how, struct str reason, struct str *out, struct err *err)
{
	struct trial_running t = { .arena = a, .how = how };
	struct err why = { .kind = ERR_IO };

	if (!trial_begin(&t, err))
		return false;
	err_set(&why, ERR_IO, "%.*s", STR_ARG(reason));
	trial_fail(&t, &why);
	t.facts.phase = PHASE_ENDED;
	*out = record_write_trial(a, &t.facts);
	return record_check_rules(*out, err);
}
