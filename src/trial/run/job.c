/* job.json is written once and read by every trial of the job, which is a process of its own. */
#include "trial/run/job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/file.h"
#include "base/id.h"
#include "base/num.h"
#include "json/put.h"

#define JOB_FILE_MAX ((size_t)16 << 20)
#define JOB_TRIES 60 /* to lock it: trials of a job that was killed take a moment to end */
#define JOB_PAUSE_NS 50000000
#define JOB_RECORD_MAX ((size_t)64 << 20)

/* ---- the agent ---- */

static bool is_plain_command(struct str command)
{
	for (size_t i = 0; i < command.n; i++)
		if (!ascii_is_alnum(command.p[i]) && !ascii_is_one_of(command.p[i], " _-./:=,@+"))
			return false;
	return true;
}

static bool is_file(struct str path)
{
	struct stat st;

	return stat(path.p, &st) == 0 && S_ISREG(st.st_mode);
}

/*
 * A file that the word names from here, as an absolute path. p NULL: it names none. A link keeps its own name: a Python
 * knows by that which virtual environment it belongs to.
 */
static struct str find_word_file(struct arena *a, struct str word, const struct tree *environment)
{
	struct str copy = arena_copy(a, word), dir, none = { NULL, 0 };

	if ((word.p[0] != '/' && environment && tree_find(environment, word)) || !is_file(copy) ||
	    str_starts(word, STR("/proc/")) || str_starts(word, STR("/sys/")))
		return none; /* those of the kernel are another's for each process */
	dir = str_dirname(copy);
	dir = tree_real_path(a, dir.n ? dir : STR("."));
	return dir.p ? ARENA_JOIN(a, dir, dir.n > 1 ? STR("/") : STR(""), str_basename(copy)) : none;
}

/* Its name, and what is in it, be it a link to somewhere else. */
static void feed_file(struct arena *a, struct sha256 *sha, struct str path)
{
	struct str real = tree_real_path(a, path);
	struct err ignored = { .kind = ERR_NONE };

	sha256_add(sha, str_basename(path));
	if (real.p)
		(void)tree_feed(str_dirname(real), str_basename(real), &sha, 1, &ignored);
}

/* The program of a first word without a slash, as the shell finds it. p NULL: in no directory of PATH. */
static struct str find_program(struct arena *a, struct str word)
{
	struct str rest = str_from(getenv("PATH"));

	while (rest.n && !str_has(word, STR("/"))) {
		struct str dir = str_cut(rest, ':', &rest), path = ARENA_JOIN(a, dir, STR("/"), word);

		if (dir.n && dir.p[0] == '/' && is_file(path) && access(path.p, X_OK) == 0)
			return path;
	}
	return (struct str){ NULL, 0 };
}

/* Names and contents of all plain files below; of links and the like the names, for what they lead to is not shown. */
static void feed_dir(struct arena *a, struct sha256 *sha, struct str path)
{
	struct err ignored = { .kind = ERR_NONE };
	struct tree t;

	if (!tree_read(a, path, NULL, &t, &ignored))
		return;
	for (size_t i = 0; i < t.count; i++) {
		sha256_add(sha, t.files[i].name);
		sha256_add(sha, lock_digest(a, t.files[i].digest));
	}
	for (size_t i = 0; i < t.left_count; i++)
		sha256_add(sha, t.left[i].name);
}

/* Whether what the user lets the agent read has this path in it, as a link perhaps. */
static bool is_in_readable(const struct job_agent *g, struct str path)
{
	for (size_t i = 0; i < g->readable_count; i++)
		if (str_is_at_or_below(path, g->readable[i]))
			return true;
	return false;
}

/* The file or directory, and the link that leads to it where that is a path of its own. */
static void agent_add_file(struct arena *a, struct job_agent *g, struct str path)
{
	struct str real = tree_real_path(a, path);

	if (!real.p)
		return;
	g->files = arena_move_array(a, g->files, g->file_count, g->file_count + 2, sizeof(*g->files));
	g->files[g->file_count++] = real;
	if (!str_eq(real, path) && !is_in_readable(g, path))
		g->files[g->file_count++] = path;
}

struct str job_agent_digest(struct arena *a, const struct job_agent *g)
{
	struct str rest, program = find_program(a, str_cut(str_trim(g->given), ' ', &rest));
	struct sha256 sha;
	struct digest d;

	sha256_init(&sha);
	sha256_add(&sha, g->given);
	if (program.p)
		feed_file(a, &sha, program);
	for (size_t i = 0; i < g->file_count; i++) {
		if (file_is_dir(g->files[i]))
			feed_dir(a, &sha, g->files[i]);
		else
			feed_file(a, &sha, g->files[i]);
	}
	d = sha256_end(&sha);
	sha256_free(&sha);
	return lock_digest(a, d);
}

/* As a word that the shell takes for this path, whatever is in it. */
static struct str quote_path(struct arena *a, struct str path)
{
	struct buf out;

	if (is_plain_command(path) && !str_has(path, STR(" ")))
		return path;
	buf_init(&out);
	buf_add_byte(&out, '\'');
	for (size_t i = 0; i < path.n; i++) {
		if (path.p[i] == '\'')
			buf_add_str(&out, STR("'\\'"));
		buf_add_byte(&out, path.p[i]);
	}
	buf_add_byte(&out, '\'');
	return arena_take(a, &out);
}

/* Word by word; the command with those that name files in their places. */
static struct str agent_read_words(struct arena *a, struct str command, bool plain, const struct tree *environment,
				   struct job_agent *out)
{
	bool is_first = true, is_named = false;
	struct str rest = command;
	struct buf text;

	buf_init(&text);
	while (rest.n) {
		struct str word = str_cut(rest, ' ', &rest), path = { NULL, 0 };

		if (word.n && (plain || word.p[0] == '/') && !(is_first && find_program(a, word).p))
			path = find_word_file(a, word, environment);
		if (path.p)
			agent_add_file(a, out, path);
		if (path.p && !is_named)
			out->adapter = str_basename(path);
		is_named = is_named || path.p;
		buf_add_str(&text, text.n ? STR(" ") : STR(""));
		buf_add_str(&text, path.p ? quote_path(a, path) : word);
		is_first = is_first && !word.n;
	}
	return arena_take(a, &text);
}

void job_agent_read(struct arena *a, struct str command, const struct tree *environment, struct job_agent *out)
{
	struct str trimmed = str_trim(command), rest, path = { NULL, 0 }, words;
	bool plain = is_plain_command(command);

	out->given = command;
	out->adapter = str_basename(str_cut(trimmed, ' ', &rest));
	if (str_has(trimmed, STR("/")))
		path = find_word_file(a, trimmed, environment);
	if (path.p) {
		agent_add_file(a, out, path);
		out->adapter = str_basename(path);
		out->command = quote_path(a, path);
	} else {
		words = agent_read_words(a, command, plain, environment, out);
		out->command = plain ? words : arena_copy(a, command);
	}
	for (size_t i = 0; i < out->readable_count; i++)
		agent_add_file(a, out, out->readable[i]);
	out->digest = job_agent_digest(a, out);
	if (!out->revision.p)
		out->revision = ARENA_JOIN(a, STR("sha256:"), out->digest);
}

bool job_check_agent(struct arena *a, const struct job *j, struct err *err)
{
	const struct job_agent *g = &j->agent;

	return !g->digest.p || str_eq(job_agent_digest(a, g), g->digest) ||
	       err_set(err, ERR_DATA, "the agent is not the one that this job began with: %.*s, or a file that it runs "
		       "with, has changed" ERR_HELP "begin a new job for it", STR_ARG(g->adapter));
}

/* ---- what it must not see ---- */

static bool refuse_shown(struct str shown, struct str secret, const char *what, struct err *err)
{
	return err_set(err, ERR_USAGE, "%.*s must not be shown to the agent: it would see %s (%.*s)" ERR_HELP
		       "show only what the agent needs to run", STR_ARG(shown), what, STR_ARG(secret));
}

/* A sandbox shows the system's directories whole. */
static bool refuse_in_system(const struct job *j, struct str task, struct err *err)
{
	return j->isolation == SANDBOX_NONE || !sandbox_is_system(task) ||
	       err_set(err, ERR_USAGE, "%.*s: the agent would see the tests of this task, as all that lies in the "
		       "system's directories" ERR_HELP "copy the task to another place", STR_ARG(task));
}

bool job_check_shown(struct arena *a, const struct job *j, struct err *err)
{
	static const char *const secrets[] = { "/tests", "/solution" };
	const struct str places[] = { j->dir, j->ledger };

	for (size_t k = 0; k < j->task_count; k++)
		if (!refuse_in_system(j, j->tasks[k], err))
			return false;
	for (size_t i = 0; i < j->agent.file_count; i++) {
		struct str shown = j->agent.files[i];

		for (size_t k = 0; k < j->task_count * COUNT(secrets); k++) {
			struct str secret = ARENA_JOIN(a, j->tasks[k / 2], str_from(secrets[k % 2]));

			if (str_is_at_or_below(shown, secret) || str_is_at_or_below(secret, shown))
				return refuse_shown(shown, secret, "the tests or the solution of a task", err);
		}
		for (size_t k = 0; k < COUNT(places); k++)
			if (places[k].n && str_is_at_or_below(places[k], shown))
				return refuse_shown(shown, places[k], "what other trials left", err);
	}
	return true;
}

/* ---- what it was asked for ---- */

struct str job_configuration(struct arena *a, const struct job *j)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text_or_null(&w, "advisor_model", j->agent.advisor);
	if (j->agent.readable_count)
		json_put_texts(&w, "allow_read", j->agent.readable, j->agent.readable_count);
	json_put_text(&w, "command", j->agent.given);
	json_put_text(&w, "source", STR("trackway"));
	json_put_u64_or_null(&w, "timeout_seconds", j->timeout_s, j->timeout_s > 0);
	json_write_end_object(&w);
	return arena_take(a, &out);
}

static struct digest configuration_digest(struct arena *a, const struct job *j)
{
	struct sha256 sha;
	struct digest d;

	sha256_init(&sha);
	d = sha256_of(&sha, job_configuration(a, j));
	sha256_free(&sha);
	return d;
}

struct lock job_lock(struct arena *a, const struct job *j, const struct trial_task *t)
{
	return (struct lock){ .members = {
		[LOCK_TASK_REVISION] = lock_digest(a, t->revision),
		[LOCK_VERIFIER] = lock_digest(a, t->verifier),
		[LOCK_TASK_REST] = lock_digest(a, t->rest),
		[LOCK_ADAPTER] = j->agent.adapter,
		[LOCK_ADAPTER_REVISION] = j->agent.revision,
		[LOCK_CONFIGURATION] = lock_digest(a, configuration_digest(a, j)),
		[LOCK_MODEL] = j->agent.model,
		[LOCK_PROMPTS] = lock_digest(a, t->prompts),
		[LOCK_ISOLATION] = str_from(sandbox_level_name(j->isolation)),
		[LOCK_K] = arena_printf(a, "%llu", (unsigned long long)j->repeat),
		[LOCK_SEED] = arena_printf(a, "%llu", (unsigned long long)j->seed),
	} };
}

struct str job_task_of(const struct job *j, uint64_t slot, uint64_t *attempt)
{
	*attempt = slot / j->task_count + 1;
	return j->tasks[slot % j->task_count];
}

/* ---- job.json ---- */

static void job_put(struct json_writer *w, const struct job *j)
{
	json_write_begin_object(w);
	json_put_text(w, "schema", STR(JOB_SCHEMA));
	json_put_text(w, "experiment", j->experiment);
	json_put_text_or_null(w, "dataset", j->dataset);
	json_put_text(w, "ledger", j->ledger);
	json_put_text_or_null(w, "prices", j->prices);
	json_put_text(w, "given", j->agent.given);
	json_put_text(w, "command", j->agent.command);
	json_put_text(w, "adapter", j->agent.adapter);
	json_put_text(w, "adapter_revision", j->agent.revision);
	json_put_text_or_null(w, "agent_sha256", j->agent.digest);
	json_put_text(w, "model", j->agent.model);
	json_put_text_or_null(w, "advisor_model", j->agent.advisor);
	json_put_texts(w, "files", j->agent.files, j->agent.file_count);
	json_put_texts(w, "allow_read", j->agent.readable, j->agent.readable_count);
	json_put_texts(w, "upstreams", j->upstreams, j->upstream_count);
	json_put_texts(w, "tasks", j->tasks, j->task_count);
	json_put_word(w, "isolation", sandbox_level_name(j->isolation));
	json_put_u64(w, "repeat", j->repeat);
	json_put_u64(w, "seed", j->seed);
	json_put_u64(w, "timeout_seconds", j->timeout_s);
	json_write_end_object(w);
}

bool job_write(struct arena *a, const struct job *j, struct err *err)
{
	struct str path = ARENA_JOIN(a, j->dir, STR("/" JOB_FILE));
	struct json_writer w;
	struct buf out;
	bool done;

	if (access(path.p, F_OK) == 0)
		return err_set(err, ERR_USAGE, "%.*s is a job already" ERR_HELP "continue it, or name another "
			       "directory for the new one", STR_ARG(j->dir));
	if (!file_make_dirs(j->dir, 0777, NULL, err))
		return false;
	buf_init(&out);
	json_write_init(&w, &out, JSON_PRETTY);
	job_put(&w, j);
	buf_add_byte(&out, '\n');
	done = file_replace(path, buf_str(&out), 0600, err);
	buf_free(&out);
	return done;
}

static struct str *take_texts(struct arena *a, struct val list, size_t *count)
{
	struct str *texts = arena_array(a, struct str, val_count(list) + 1);
	struct val_iter it = val_begin(list);
	struct val v;

	*count = 0;
	while (val_next(&it, &v))
		if (val_is(v, JSON_STRING))
			texts[(*count)++] = val_text_copy(v, a);
	return texts;
}

static struct str take_text(struct arena *a, struct val root, const char *name)
{
	struct val v = val_get(root, str_from(name));

	return val_is(v, JSON_STRING) ? val_text_copy(v, a) : str_of(NULL, 0);
}

static uint64_t take_number(struct val root, const char *name)
{
	int64_t n = 0;

	return val_i64(val_get(root, str_from(name)), &n) && n > 0 ? (uint64_t)n : 0;
}

static bool job_take(struct arena *a, struct val root, struct job *j)
{
	struct str level = take_text(a, root, "isolation");
	bool known = false;

	j->experiment = take_text(a, root, "experiment");
	j->dataset = take_text(a, root, "dataset");
	j->ledger = take_text(a, root, "ledger");
	j->prices = take_text(a, root, "prices");
	j->agent.given = take_text(a, root, "given");
	j->agent.command = take_text(a, root, "command");
	j->agent.adapter = take_text(a, root, "adapter");
	j->agent.revision = take_text(a, root, "adapter_revision");
	j->agent.digest = take_text(a, root, "agent_sha256");
	j->agent.model = take_text(a, root, "model");
	j->agent.advisor = take_text(a, root, "advisor_model");
	j->agent.files = take_texts(a, val_get(root, STR("files")), &j->agent.file_count);
	j->agent.readable = take_texts(a, val_get(root, STR("allow_read")), &j->agent.readable_count);
	j->upstreams = take_texts(a, val_get(root, STR("upstreams")), &j->upstream_count);
	j->tasks = take_texts(a, val_get(root, STR("tasks")), &j->task_count);
	j->repeat = take_number(root, "repeat");
	j->seed = take_number(root, "seed");
	j->timeout_s = take_number(root, "timeout_seconds");
	for (unsigned i = 0; i < SANDBOX_LEVELS && !known; i++) {
		j->isolation = (enum sandbox_level)i;
		known = str_eq(level, str_from(sandbox_level_name(j->isolation)));
	}
	return known && val_text_is(val_get(root, STR("schema")), STR(JOB_SCHEMA)) && j->experiment.n &&
	       j->agent.given.n && j->agent.command.n && j->agent.adapter.n && j->agent.model.n && j->task_count &&
	       j->repeat && j->ledger.n && j->task_count * j->repeat <= JOB_TRIALS_MAX;
}

bool job_read(struct arena *a, struct str dir, struct job *out, struct err *err)
{
	struct str given = arena_copy(a, dir), text, path = tree_real_path(a, given);
	struct json_parser *p;
	struct val root;
	bool good;

	*out = (struct job){ .dir = path.p ? path : given };
	if (!file_read(a, ARENA_JOIN(a, out->dir, STR("/" JOB_FILE)), JOB_FILE_MAX, &text, err)) {
		if (err->errnum == ENOENT || err->errnum == ENOTDIR)
			return err_set(err, ERR_USAGE, "%.*s is no job: it has no " JOB_FILE, STR_ARG(given));
		return false;
	}
	p = json_parser_open((struct json_options){ .max_depth = 8 });
	good = json_parse_copy(p, text, &root, NULL) && job_take(a, root, out);
	json_parser_close(p);
	return good || err_set(err, ERR_DATA, "%.*s/" JOB_FILE " is damaged, or another version's", STR_ARG(out->dir));
}

int job_hold(struct arena *a, const struct job *j, struct err *err)
{
	struct timespec pause = { .tv_nsec = JOB_PAUSE_NS };
	int fd = open(ARENA_JOIN(a, j->dir, STR("/" JOB_FILE)).p, O_RDONLY); /* passed on: see job.h */

	if (fd < 0)
		return err_system(err, errno, "%.*s/" JOB_FILE, STR_ARG(j->dir)) - 1;
	for (unsigned tries = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; tries++) {
		if (errno != EWOULDBLOCK || tries == JOB_TRIES) {
			if (errno == EWOULDBLOCK)
				err_set(err, ERR_IO, "another trackway runs this job: %.*s" ERR_HELP
					"wait until it has ended, or stop it", STR_ARG(j->dir));
			else
				err_system(err, errno, "cannot lock %.*s/" JOB_FILE, STR_ARG(j->dir));
			close(fd);
			return -1;
		}
		nanosleep(&pause, NULL);
	}
	return fd;
}

/* ---- its trials ---- */

static void read_trial(struct arena *a, struct json_parser *p, const struct job *j, struct job_trial *t)
{
	struct str dir = ARENA_JOIN(a, j->dir, STR("/"), t->id);
	struct val root, ours;

	t->record = tree_read_file(a, dir, STR(JOB_RECORD), JOB_RECORD_MAX);
	if (!t->record.p || !json_parse_copy(p, t->record, &root, NULL)) {
		t->record = str_of(NULL, 0);
		return;
	}
	ours = val_at(root, STR("/outputs/agent_result/trackway"));
	t->slot = take_number(ours, "slot");
	t->state = val_text_is(val_get(ours, STR("phase")), STR("ended")) ? JOB_ENDED : JOB_STOPPED;
}

bool job_list(struct arena *a, const struct job *j, struct job_trial **out, size_t *count, struct err *err)
{
	struct json_parser *p;
	const struct dirent *e;
	size_t cap = 0;
	DIR *dir = opendir(j->dir.p);

	*out = NULL;
	*count = 0;
	if (!dir)
		return err_system(err, errno, "%.*s", STR_ARG(j->dir));
	p = json_parser_open((struct json_options){ .max_depth = 0 });
	while ((e = readdir(dir))) {
		struct job_trial t = { .id = arena_copy(a, str_from(e->d_name)), .state = JOB_ABSENT };

		if (!id_is_uuid(t.id))
			continue;
		read_trial(a, p, j, &t);
		arena_grow(a, *out, *count, cap, 64);
		(*out)[(*count)++] = t;
	}
	json_parser_close(p);
	closedir(dir);
	if (*count)
		qsort(*out, *count, sizeof(**out), str_cmp_first);
	return true;
}
