/* Reads everything once; the three digests are fed file by file in the order of the names. */
#include "trial/run/task.h"

#include "base/ascii.h"
#include "base/file.h"
#include "base/toml.h"
#include "base/utf8.h"
#include "dialect/record/record.h"

#define TASK_TOML_MAX ((size_t)1 << 20)
#define TASK_TIMEOUT_MAX (7 * 24 * 3600.0)

struct task_reading {
	struct arena *arena;
	struct trial_task *task;
	struct tree all;
	struct str toml;
	struct err *err;
};

static bool task_refuse(struct task_reading *r, const char *sentence)
{
	return err_set(r->err, ERR_DATA, "%.*s: %s", STR_ARG(r->task->dir), sentence);
}

/* ---- task.toml ---- */

static bool find_value(struct task_reading *r, const char *table, const char *name, struct toml_value *v)
{
	const struct str path[] = { str_from(table), str_from(name) };

	return toml_find_value(r->arena, r->toml, table ? path : path + 1, table ? 2 : 1, v);
}

static struct str find_text(struct task_reading *r, const char *table, const char *name)
{
	struct toml_value v;

	return find_value(r, table, name, &v) && v.kind == TOML_TEXT && !record_is_blank(v.text) ? v.text :
												   str_of(NULL, 0);
}

/* A number greater than 0; one that is absent leaves *out. */
static bool find_amount(struct task_reading *r, const char *table, const char *name, double most, double *out)
{
	struct toml_value v;

	if (!find_value(r, table, name, &v))
		return true;
	if (v.kind != TOML_NUMBER || !(v.number > 0) || v.number > most)
		return err_set(r->err, ERR_DATA, "%.*s/task.toml: %s.%s is %s%.*s, expected a number above 0 and at "
			       "most %.0f", STR_ARG(r->task->dir), table, name, v.kind == TOML_TEXT ? "the text " : "",
			       STR_ARG(v.text), most);
	*out = v.number;
	return true;
}

/* "2G", "512M", "512MB": the older spelling of the limits. */
static uint64_t size_of_text(struct str text)
{
	static const char units[] = "KMGT";
	uint64_t n = 0;
	size_t i = 0;

	for (; i < text.n && ascii_is_digit(text.p[i]) && n < UINT64_C(1) << 32; i++)
		n = n * 10 + (uint64_t)(text.p[i] - '0');
	for (size_t u = 0; i < text.n && u < 4; u++)
		if (ascii_upper(text.p[i]) == units[u])
			return n << (10 * (u + 1));
	return i == text.n ? n : 0;
}

/* A limit that could not be read would be none. */
static bool read_limit(struct task_reading *r, const char *name, const char *older, uint64_t *out)
{
	struct str text = find_text(r, "environment", older);
	double megabytes = 0;

	if (!find_amount(r, "environment", name, 1e9, &megabytes))
		return false;
	*out = megabytes > 0 ? (uint64_t)(megabytes * 1048576) : size_of_text(text);
	if (megabytes <= 0 && text.p && !*out)
		return err_set(r->err, ERR_DATA, "%.*s/task.toml: environment.%s is \"%.*s\", expected a size such as "
			       "\"2G\"", STR_ARG(r->task->dir), older, STR_ARG(text));
	return true;
}

/* Variables that are set for nobody here: what needs them would fail, and the agent would be blamed. */
static bool refuse_variables(struct task_reading *r)
{
	static const char *const tables[] = { "environment", "verifier" };

	for (size_t i = 0; i < COUNT(tables); i++) {
		const struct str path[] = { str_from(tables[i]), STR("env") };

		if (toml_has_below(r->arena, r->toml, path, COUNT(path)))
			return err_set(r->err, ERR_DATA, "%.*s: task.toml asks for variables ([%s.env]), which are not "
				       "set here" ERR_HELP "let its tests set what they need, and take the table out",
				       STR_ARG(r->task->dir), tables[i]);
	}
	return true;
}

static bool read_toml(struct task_reading *r)
{
	struct trial_task *t = r->task;
	struct toml_value v;
	size_t line;

	r->toml = tree_read_file(r->arena, t->dir, STR("task.toml"), TASK_TOML_MAX);
	if (!r->toml.p)
		return task_refuse(r, "there is no task.toml" ERR_HELP "a task is a directory with task.toml, "
				   "instruction.md and tests/test.sh");
	line = toml_find_fault(r->arena, r->toml);
	if (line)
		return err_set(r->err, ERR_DATA, "%.*s/task.toml: line %zu is no TOML", STR_ARG(t->dir), line);
	if (find_value(r, NULL, "id", &v) && v.kind != TOML_TEXT)
		return task_refuse(r, "task.toml: id is no plain text in quotes");
	t->id = find_text(r, NULL, "id");
	if (!t->id.p)
		t->id = find_text(r, "task", "name");
	if (!t->id.p)
		t->id = str_basename(t->dir);
	t->version = find_text(r, NULL, "version");
	t->agent_timeout_s = t->verifier_timeout_s = TASK_TIMEOUT_S;
	if (find_text(r, "environment", "docker_image").p)
		return task_refuse(r, "it needs a container: task.toml names a docker_image");
	if (find_value(r, "verifier", "needs_services", &v) && v.kind == TOML_BOOL && v.truth)
		return task_refuse(r, "its tests need a process that the agent leaves running; every process of the "
				   "agent is ended before the verifier starts");
	return refuse_variables(r) && find_amount(r, "agent", "timeout_sec", TASK_TIMEOUT_MAX, &t->agent_timeout_s) &&
	       find_amount(r, "verifier", "timeout_sec", TASK_TIMEOUT_MAX, &t->verifier_timeout_s) &&
	       read_limit(r, "memory_mb", "memory", &t->memory_bytes) &&
	       read_limit(r, "storage_mb", "storage", &t->disk_bytes);
}

/* ---- files ---- */

static bool refuse_container(struct task_reading *r)
{
	static const char *const names[] = { "Dockerfile", "docker-compose.yaml", "docker-compose.yml", "compose.yaml",
					     "compose.yml" };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct str name = str_from(names[i]), below = ARENA_JOIN(r->arena, STR("environment/"), name);

		if (!tree_find(&r->all, below) && !tree_find(&r->all, name))
			continue;
		return err_set(r->err, ERR_DATA, "%.*s: it needs a container: there is a %s" ERR_HELP
			       "only tasks whose files are copied into a workspace run here", STR_ARG(r->task->dir),
			       names[i]);
	}
	return true;
}

/* What could not be read would be missing from the digests. */
static bool refuse_left(struct task_reading *r)
{
	if (!r->all.left_count)
		return true;
	return err_set(r->err, ERR_DATA, "%.*s: %.*s %s" ERR_HELP "a task holds plain files only, which its digest "
		       "pins", STR_ARG(r->task->dir), STR_ARG(r->all.left[0].name), r->all.left[0].why);
}

/* What the agent is told, by a variable: a part of it would be another task. A file that is absent is fine. */
static bool read_told(struct task_reading *r, const char *name, struct str *out)
{
	const char *why = NULL;

	*out = tree_read_file(r->arena, r->task->dir, str_from(name), TASK_INSTRUCTION_MAX);
	if (!out->p && tree_find(&r->all, str_from(name)))
		why = "is longer than 120000 bytes";
	else if (utf8_check(*out) != out->n || str_has(*out, str_of("", 1)))
		why = "is no text in UTF-8 without NUL";
	return !why || err_set(r->err, ERR_DATA, "%.*s: %s %s", STR_ARG(r->task->dir), name, why);
}

static bool read_texts(struct task_reading *r)
{
	struct trial_task *t = r->task;

	if (!read_told(r, "instruction.md", &t->instruction) ||
	    !read_told(r, "environment/system_prompt.md", &t->system_prompt))
		return false;
	if (!t->instruction.p)
		return task_refuse(r, "there is no instruction.md");
	if (record_is_blank(t->instruction))
		return task_refuse(r, "instruction.md is empty");
	if (!tree_find(&r->all, STR("tests/test.sh")))
		return task_refuse(r, "there is no tests/test.sh, so nothing would judge the result");
	return true;
}

/* Whether the text names the absolute path: not as the end of a longer one, such as "$WORKSPACE/logs/verifier". */
static bool names_path(struct str text, struct str path)
{
	for (size_t at; (at = str_find(text, path)) != (size_t)-1; text = str_skip(text, at + path.n))
		if (at == 0 || !(ascii_is_name(text.p[at - 1]) || str_has(STR("}/)\"'"), str_of(text.p + at - 1, 1))) ||
		    (at > 1 && str_has(STR("\"'"), str_of(text.p + at - 1, 1)) &&
		     !ascii_is_name(text.p[at - 2]) && text.p[at - 2] != '}'))
			return true;
	return false;
}

static bool feed_digests(struct task_reading *r, struct sha256 *sha)
{
	for (size_t i = 0; i < r->all.count; i++) {
		struct str name = r->all.files[i].name;
		bool is_test = str_starts(name, STR("tests/")), is_solution = str_starts(name, STR("solution/"));
		struct sha256 *to[2] = { &sha[0], is_test ? &sha[1] : &sha[2] };
		size_t count = is_solution ? 1 : 2;

		for (size_t k = 0; k < count; k++)
			sha256_add(to[k], name);
		if (!tree_feed(r->task->dir, name, to, count, r->err))
			return false;
		if (is_test && r->all.files[i].size < TASK_TOML_MAX && !r->task->wants_absolute_logs) {
			struct str text = tree_read_file(r->arena, r->task->dir, name, TASK_TOML_MAX);

			r->task->wants_absolute_logs = text.p && (names_path(text, STR("/logs/verifier")) ||
								  names_path(text, STR("/tests/")));
		}
	}
	return true;
}

static bool read_digests(struct task_reading *r)
{
	struct trial_task *t = r->task;
	struct sha256 sha[4];
	bool done;

	for (size_t i = 0; i < COUNT(sha); i++)
		sha256_init(&sha[i]);
	done = feed_digests(r, sha);
	sha256_add(&sha[3], t->instruction);
	sha256_add(&sha[3], str_of("", 1));
	sha256_add(&sha[3], t->system_prompt);
	t->revision = sha256_end(&sha[0]);
	t->verifier = sha256_end(&sha[1]);
	t->rest = sha256_end(&sha[2]);
	t->prompts = sha256_end(&sha[3]);
	for (size_t i = 0; i < COUNT(sha); i++)
		sha256_free(&sha[i]);
	return done;
}

static void list_environment(struct task_reading *r)
{
	struct tree *to = &r->task->environment;
	const struct str below = STR("environment/");

	for (size_t i = 0; i < r->all.count; i++) {
		if (!str_starts(r->all.files[i].name, below))
			continue;
		arena_grow(r->arena, to->files, to->count, to->cap, 16);
		to->files[to->count] = r->all.files[i];
		to->files[to->count++].name = str_skip(r->all.files[i].name, below.n);
	}
}

bool task_read(struct arena *a, struct str dir, struct trial_task *out, struct err *err)
{
	struct task_reading r = { .arena = a, .task = out, .err = err };
	struct str given = arena_copy(a, dir), path = tree_real_path(a, given);

	*out = (struct trial_task){ .dir = path.p ? path : given };
	if (!file_is_dir(out->dir))
		return err_set(err, ERR_DATA, "%.*s is no directory" ERR_HELP "a task is a directory with task.toml, "
			       "instruction.md and tests/test.sh", STR_ARG(given));
	if (!tree_read(a, out->dir, NULL, &r.all, err) || !read_toml(&r) || !refuse_container(&r) || !refuse_left(&r) ||
	    !read_texts(&r) || !read_digests(&r))
		return false;
	list_environment(&r);
	return true;
}
