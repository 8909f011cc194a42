/* From options to a job: everything that can be wrong is found before anything runs. */
#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "capture/route.h"
#include "cmd/trial/run.h"

#define PRICES_MAX ((size_t)16 << 20)
#define REPEAT_MAX 10000

static bool job_choose_isolation(int asked, enum sandbox_level *out, struct err *err)
{
	if (asked == 0)
		return sandbox_best(out, err);
	*out = (enum sandbox_level)(asked - 1);
	return *out == SANDBOX_NONE || sandbox_can(*out, err);
}

static bool job_take_tasks(struct arena *a, struct args args, struct job *j, struct trial_task *first, struct err *err)
{
	j->tasks = arena_array(a, struct str, args.count);
	for (size_t i = 0; i < args.count; i++) {
		struct trial_task t;

		if (!task_read(a, args.items[i], &t, err))
			return false;
		if (t.wants_absolute_logs && j->isolation < SANDBOX_BWRAP)
			return err_set(err, ERR_DATA, "%.*s: its tests name /logs/verifier or /tests, and isolation %s "
				       "puts nothing there" ERR_HELP "run it with --isolation bwrap, or let its tests "
				       "use $WORKSPACE/logs/verifier and $TESTS", STR_ARG(t.dir),
				       sandbox_level_name(j->isolation));
		j->tasks[j->task_count++] = t.dir;
		if (i == 0)
			*first = t;
	}
	return true;
}

static bool job_take_upstreams(struct arena *a, struct opt_list given, struct job *j, struct err *err)
{
	struct routes routes = { .arena = a };

	j->upstreams = given.items;
	j->upstream_count = given.count;
	for (size_t i = 0; i < given.count; i++) {
		struct str address, name = str_cut(given.items[i], '=', &address);

		if (!routes_is_name(name) || !address.n)
			return usage_set(err, "--upstream openai=http://127.0.0.1:8000/v1",
					 "--upstream needs a name and an address");
		if (!routes_set(&routes, name, address, "--upstream", err))
			return false;
	}
	return routes_check(&routes, err);
}

/* A path that does not exist is a mistake of the user's: the agent would miss it in every trial. */
static bool job_take_readable(struct arena *a, struct opt_list given, struct job *j, struct err *err)
{
	struct job_agent *g = &j->agent;

	g->readable = arena_array(a, struct str, given.count + 1);
	for (size_t i = 0; i < given.count; i++) {
		struct str path = tree_real_path(a, given.items[i]);

		if (!path.p)
			return err_system(err, errno, "--allow-read %.*s", STR_ARG(given.items[i]));
		g->readable[g->readable_count++] = path;
	}
	return true;
}

bool trial_job_make(struct arena *a, const struct trial_asked *o, struct args args, struct job *out, struct err *err)
{
	struct trial_task first = { .id = { NULL, 0 } };

	if (!str_trim(o->agent).n)
		return usage_set(err, "trackway trial run TASKDIR --agent 'python3 agent.py' --isolation auto",
				 "--agent is missing: the command that runs the agent");
	if (!args.count)
		return usage_set(err, "name the directory of a task", "no task was given");
	if (!o->repeat || o->repeat > REPEAT_MAX || args.count * o->repeat > JOB_TRIALS_MAX)
		return usage_set(err, NULL, "--repeat must be from 1 to %d, with at most %d trials in all", REPEAT_MAX,
				 JOB_TRIALS_MAX);
	*out = (struct job){
		.agent = { .advisor = o->advisor, .revision = o->revision,
			   .model = o->model.n ? o->model : STR(JOB_NO_MODEL) },
		.experiment = str_trim(o->experiment).n ? o->experiment : STR("trials"),
		.dataset = o->dataset,
		.prices = o->prices,
		.repeat = o->repeat,
		.seed = o->seed,
		.timeout_s = o->timeout,
	};
	if (!job_choose_isolation(o->isolation, &out->isolation, err) || !job_take_tasks(a, args, out, &first, err) ||
	    !job_take_upstreams(a, o->upstreams, out, err) || !job_take_readable(a, o->readable, out, err))
		return false;
	job_agent_read(a, o->agent, &first.environment, &out->agent);
	if (str_trim(o->adapter).n)
		out->agent.adapter = o->adapter;
	return job_check_shown(a, out, err);
}

const struct prices *trial_job_prices(struct arena *a, struct str path, struct err *err)
{
	struct prices *p = prices_new(a);
	struct str text;

	if (path.p && (!file_read(a, path, PRICES_MAX, &text, err) || !prices_override(p, text, path, err)))
		return NULL;
	return p;
}
