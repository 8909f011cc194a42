/*
 * The agent: a shell in the sandbox, which the recorder starts as it starts any child. What it asks of models passes
 * the recorder's proxy, whose port is all that it reaches.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "capture/derive.h"
#include "capture/recording.h"
#include "trial/run/private.h"

#define AGENT_PORT "TRACKWAY_PROXY_PORT"
#define AGENT_LOG "agent.log"
#define AGENT_LOOK_MS 200
#define AGENT_LATE_MS 15000 /* the recorder's own limit, after the sandbox's: it has processes to end */

static const char *agent_get_variable(const char *name)
{
	return getenv(name);
}

/* ---- its variables ---- */

/* The recorder names its address in a variable; the sandbox wants the port alone. */
static const char *const *add_port(void *context, struct arena *a, const char *const *env)
{
	const struct str name = STR("TRACKWAY_PROXY=http://127.0.0.1:");
	const char **with;
	size_t count = 0;

	(void)context;
	while (env[count])
		count++;
	with = arena_array(a, const char *, count + 2);
	memcpy(with, env, count * sizeof(*env));
	for (size_t i = 0; i < count; i++)
		if (str_starts(str_from(env[i]), name))
			with[count] = ARENA_JOIN(a, STR(AGENT_PORT "="), str_from(env[i] + name.n)).p;
	return with;
}

/* Directories that belong to the user's HOME: the agent has another one, and in a sandbox they are not there. */
static const char *const agent_unset[] = { "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_CACHE_HOME=", "XDG_STATE_HOME=",
					   "XDG_RUNTIME_DIR=" };

static bool is_replaced(const char *entry, const struct str *more, size_t count)
{
	struct str value, name = str_cut(str_from(entry), '=', &value);

	for (size_t i = 0; i < COUNT(agent_unset); i++)
		if (str_starts(str_from(entry), str_from(agent_unset[i])))
			return true;
	for (size_t i = 0; i < count; i++)
		if (str_starts(more[i], name) && more[i].p[name.n] == '=')
			return true;
	return false;
}

static const char *const *agent_env(struct trial_running *t)
{
	struct arena *a = t->arena;
	const struct str more[] = {
		ARENA_JOIN(a, STR("WORKSPACE="), t->dirs.workspace_seen),
		ARENA_JOIN(a, STR("PWD="), t->dirs.workspace_seen),
		ARENA_JOIN(a, STR("TRACKWAY_INSTRUCTION="), t->task.instruction),
		ARENA_JOIN(a, STR("TRACKWAY_SYSTEM_PROMPT="), t->task.system_prompt),
		ARENA_JOIN(a, STR("TRACKWAY_MODEL="), t->how->job->agent.model),
		ARENA_JOIN(a, STR("HOME="), t->dirs.home),
		ARENA_JOIN(a, STR("TMPDIR="), trial_tmp(t->how->job->isolation, t->dirs.home)),
	};
	size_t count = 0, n = 0;
	const char **env;

	while (environ[count])
		count++;
	env = arena_array(a, const char *, count + COUNT(more) + 1);
	for (size_t i = 0; i < count; i++)
		if (!is_replaced(environ[i], more, COUNT(more)))
			env[n++] = environ[i];
	for (size_t i = 0; i < COUNT(more); i++)
		env[n++] = more[i].p;
	return env;
}

/* ---- its sandbox ---- */

/* Whether another user can come to the path: every directory above it lets others pass. */
static bool others_can_reach(struct arena *a, struct str path)
{
	struct stat st;

	for (path = str_dirname(path); path.n > 1; path = str_dirname(path))
		if (stat(arena_copy(a, path).p, &st) != 0 || !(st.st_mode & S_IXOTH))
			return false;
	return true;
}

/* bwrap puts everything into directories of its own. Elsewhere a private directory keeps the agent our own user. */
static bool takes_other_user(struct trial_running *t)
{
	const struct job_agent *g = &t->how->job->agent;
	bool can = others_can_reach(t->arena, t->dirs.workspace);

	if (t->how->job->isolation != SANDBOX_LANDLOCK)
		return t->how->job->isolation != SANDBOX_NONE;
	for (size_t i = 0; i < g->file_count; i++)
		can = can && others_can_reach(t->arena, g->files[i]);
	if (!can)
		record_add_finding(t->arena, &t->facts, "same_user",
				   STR("the agent ran as the user who ran the trial: its files lie in a directory that "
				       "others cannot enter"));
	return can;
}

static const char *const *agent_argv(struct trial_running *t, struct str report, unsigned timeout_ms)
{
	const struct job_agent *g = &t->how->job->agent;
	struct sandbox_path *paths = arena_array(t->arena, struct sandbox_path, g->file_count + 2);
	const char **argv = arena_array(t->arena, const char *, 4);
	struct sandbox_options o = {
		.program = t->how->program,
		.level = t->how->job->isolation,
		.paths = paths,
		.dir = t->dirs.workspace_seen,
		.port_variable = STR(AGENT_PORT),
		.other_user = takes_other_user(t),
		.timeout_ms = timeout_ms,
		.limits = { .memory_bytes = t->task.memory_bytes, .file_bytes = t->task.disk_bytes },
		.report = report,
		.argv = argv,
	};

	paths[o.path_count++] = (struct sandbox_path){ t->dirs.workspace, t->dirs.workspace_seen, true };
	paths[o.path_count++] = (struct sandbox_path){ .outside = t->dirs.home, .writable = true };
	for (size_t i = 0; i < g->file_count; i++)
		paths[o.path_count++] = (struct sandbox_path){ .outside = g->files[i] };
	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = g->command.p;
	return sandbox_argv(t->arena, &o);
}

/* ---- whether it is still wanted ---- */

/* A signal that came before the agent was there has reached nobody, so it is looked at again and again. */
struct agent_watch {
	uv_timer_t timer;
	int log;
	void (*kill)(void *recording, int signal);
	void *recording;
	int parent;
};

/* Of what is too long only the beginning is kept; a flood would fill the disk meanwhile. It is written at its end. */
static void watch_cut_log(int log)
{
	struct stat st;

	if (fstat(log, &st) == 0 && st.st_size > 2 * (off_t)TRIAL_LOG_MAX)
		(void)!ftruncate(log, (off_t)TRIAL_LOG_MAX + 1);
}

static void watch_look(uv_timer_t *timer)
{
	struct agent_watch *w = timer->data;

	if (trial_is_orphan(w->parent))
		w->kill(w->recording, SIGTERM);
	watch_cut_log(w->log);
}

static bool watch_open(void *context, uv_loop_t *loop, void (*kill)(void *recording, int signal), void *recording,
		       struct err *err)
{
	struct agent_watch *w = context;

	(void)err;
	w->kill = kill;
	w->recording = recording;
	uv_timer_init(loop, &w->timer);
	w->timer.data = w;
	uv_timer_start(&w->timer, watch_look, AGENT_LOOK_MS, AGENT_LOOK_MS);
	return true;
}

static void watch_stop(void *context)
{
	struct agent_watch *w = context;

	uv_close((uv_handle_t *)&w->timer, NULL);
}

/* ---- running ---- */

/* Both streams of the agent go to one file: our own standard error is that of the job. */
static bool agent_record(struct trial_running *t, const struct recording_options *o, int log,
			 struct recording_outcome *out, struct err *err)
{
	int ours = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
	bool done;

	dup2(log, STDERR_FILENO);
	done = recording_run(t->arena, o, out, err);
	dup2(ours, STDERR_FILENO);
	close(ours);
	return done;
}

static bool set_routes(struct trial_running *t, struct routes *routes, struct err *err)
{
	const struct job *j = t->how->job;

	if (!routes_init(routes, t->arena, agent_get_variable, err))
		return false;
	for (size_t i = 0; i < j->upstream_count; i++) {
		struct str address, name = str_cut(j->upstreams[i], '=', &address);

		if (!routes_set(routes, name, address, "the address of a service", err))
			return false;
	}
	return routes_check(routes, err);
}

/* A shell ends so when it cannot start a command; in a sandbox that often lies elsewhere than what is shown. */
static const char *agent_why_not_started(const struct trial_running *t, int status)
{
	if (t->how->job->isolation == SANDBOX_NONE)
		return "";
	return status == 127 ? ": its command was not found; the sandbox shows only the system's own and what the job "
			       "names" :
	       status == 126 ? ": its command, or the interpreter of that, may not be run by the agent's user" : "";
}

/* How it ended decides the class, until the verifier or the infrastructure say otherwise. */
static void agent_judge(struct trial_running *t)
{
	const struct sandbox_report *r = &t->facts.agent.report;
	struct trial_facts *f = &t->facts;

	if (r->timed_out) {
		f->class = CLASS_AGENT_TIMEOUT;
		f->agent_error = arena_printf(t->arena, "the agent did not end in %.0f s, and was ended",
					      t->how->job->timeout_s ? (double)t->how->job->timeout_s :
								       t->task.agent_timeout_s);
	} else if (r->signal || r->status) {
		f->class = CLASS_AGENT_FAILED;
		f->agent_error = r->signal ? arena_printf(t->arena, "the agent was ended by signal %d", r->signal) :
					     arena_printf(t->arena, "the agent exited with status %d%s", r->status,
							  agent_why_not_started(t, r->status));
	}
	if (f->agent_error.p)
		record_add_error(t->arena, f, f->agent_error);
	if (r->left_behind)
		record_add_finding(t->arena, f, "processes_left",
				   arena_printf(t->arena, "the agent left %llu processes running; they were ended "
						"before the verifier began", (unsigned long long)r->left_behind));
}

static bool take_report(struct trial_running *t, struct str path, struct err *err)
{
	struct sandbox_report *r = &t->facts.agent.report;

	if (!sandbox_report_read(t->arena, path, r, err))
		return err_context(err, "the agent's sandbox");
	if (r->failure.p)
		return err_set(err, ERR_IO, "the agent's sandbox: %.*s", STR_ARG(r->failure));
	if (!r->started)
		return err_set(err, ERR_IO, "the agent's sandbox: the shell could not be started");
	t->facts.agent.ran = true;
	if (!r->emptied)
		return err_set(err, ERR_IO, "the agent's sandbox: processes of the agent could not be ended");
	return true;
}

bool agent_run(struct trial_running *t, struct err *err)
{
	const struct job *j = t->how->job;
	double seconds = j->timeout_s ? (double)j->timeout_s : t->task.agent_timeout_s;
	unsigned timeout_ms = (unsigned)fmin(fmax(seconds * 1000, 1), 4e9 - AGENT_LATE_MS);
	struct str report = ARENA_JOIN(t->arena, t->dirs.trial, STR("/agent.report"));
	struct agent_watch watch = { .parent = t->how->parent };
	struct recording_stage stage = { .open = watch_open, .env = add_port, .stop = watch_stop, .context = &watch,
					 .timeout_ms = timeout_ms + AGENT_LATE_MS };
	struct recording_outcome out;
	struct routes routes;
	struct recording_options o = {
		.argv = agent_argv(t, report, timeout_ms),
		.env = agent_env(t),
		.routes = &routes,
		.dir = t->dirs.run,
		.content = true,
		.program = t->how->program,
		.prices = t->how->prices,
		.stage = &stage,
		.unlisted = true,
	};
	struct str path = ARENA_JOIN(t->arena, t->dirs.trial, STR("/" AGENT_LOG));
	uint64_t begun = clock_mono_ns();
	bool done;
	int log;

	if (!set_routes(t, &routes, err))
		return false;
	log = open(path.p, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	if (log < 0)
		return err_system(err, errno, "%.*s", STR_ARG(path));
	o.child_out = watch.log = log;
	done = agent_record(t, &o, log, &out, err) || err_context(err, "the recorder");
	watch_cut_log(log);
	close(log);
	t->facts.agent_s = (double)(clock_mono_ns() - begun) / 1e9;
	if (!done || !take_report(t, report, err))
		return false;
	agent_judge(t);
	return true;
}

/* ---- what is kept ---- */

/* The agent's own log wins over what the recorder saw; a file of this name that the task brought does not. */
static bool copy_first(struct trial_running *t, struct str own, struct str from, struct str name, struct str *path,
		       struct err *err)
{
	struct str kept = ARENA_JOIN(t->arena, t->dirs.artifacts, STR("/"), name);
	struct str text = own.n && workspace_find_made(t, own) ? tree_read_file(t->arena, t->dirs.workspace, own,
							     (size_t)64 << 20) : str_of(NULL, 0);

	if (!text.p && from.n)
		text = tree_read_file(t->arena, t->dirs.run, from, (size_t)256 << 20);
	if (!text.p)
		return true;
	*path = name;
	return file_replace(kept, text, 0600, err);
}

static bool write_conversation(struct trial_running *t, struct err *err)
{
	const struct str name = STR("conversation.jsonl");
	int dir = open(t->dirs.artifacts.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done;

	if (dir < 0)
		return err_system(err, errno, "%.*s", STR_ARG(t->dirs.artifacts));
	done = derive_convert(t->arena, ARENA_JOIN(t->arena, t->dirs.run, STR("/cassette.jsonl")), "conversation",
			      STR(""), dir, name, err);
	close(dir);
	if (done)
		t->facts.conversation_path = name;
	return done || err_context(err, "the recorder");
}

bool agent_collect(struct trial_running *t, struct err *err)
{
	struct str cassette = ARENA_JOIN(t->arena, t->dirs.run, STR("/cassette.jsonl")), ignored;
	struct trial_facts *f = &t->facts;

	if (!calls_read(t->arena, cassette, t->how->job->agent.advisor, t->how->prices, &t->calls, err))
		return err_context(err, "the recorder");
	f->calls = &t->calls;
	if (str_eq(f->model, STR(JOB_NO_MODEL)) && t->calls.model_count)
		f->model = t->calls.models[0];
	if (f->class == CLASS_AGENT_TIMEOUT && t->calls.waited)
		record_add_finding(t->arena, f, "waited_for_model", STR("the agent was waiting for the answer of a "
				   "model when its time was up"));
	if (t->calls.agent + t->calls.advisor == 0)
		record_add_finding(t->arena, f, "no_model_call", STR("the agent never called a model through the "
				   "recorder"));
	else if (!write_conversation(t, err))
		return false;
	return copy_first(t, STR("trajectory.jsonl"),
			  t->calls.agent + t->calls.advisor ? STR("trajectory.jsonl") : STR(""),
			  STR("trajectory.jsonl"), &f->trajectory_path, err) &&
	       copy_first(t, STR(""), STR("agent-trace.jsonl"), STR("agent-trace.jsonl"), &ignored, err) &&
	       copy_first(t, STR(""), STR("summary.json"), STR("run-summary.json"), &ignored, err);
}
