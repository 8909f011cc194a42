/*
 * Walks the old rows once to see whether the suite is the right one, and once more to judge each and write it to the
 * new directory at once. Only what changed is kept in memory.
 */
#include "bench/compare/rescore.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "bench/report/outputs.h"
#include "bench/report/summary_cells.h"
#include "bench/run/run_dir.h"
#include "bench/validate/judge.h"
#include "bench/validate/private.h"

#define BESIDE_MAX ((size_t)16 << 20) /* bytes of a file that is taken over */

struct rescoring {
	struct arena *arena; /* of what comes out */
	struct arena row;    /* of one row */
	const struct rescore_options *options;
	struct rescore *out;
	struct config config; /* the old one, as far as there is one */
	struct map prompts;   /* id to its number in the suite */
	struct map kept;      /* ids */
	struct map asked;     /* ids of the suite's prompts that have rows */
	struct buf kept_ids;  /* struct str */
	struct buf changes;   /* struct rescore_change */
	struct run_dir *dir;  /* NULL for a dry run */
	struct err *err;
	bool failed;
};

/* ---- one row ---- */

/* Whether what it says depends on the arguments of calls. */
static bool needs_arguments(const struct validator *v)
{
	for (uint32_t i = 0; i < v->count; i++)
		if (v->nodes[i].kind == &validator_tool_args)
			return true;
	return false;
}

/* Judges a stored answer again. Arguments of calls were not stored, so what needs them is not known. */
static void judge_again(struct rescoring *s, struct result *r, const struct suite_prompt *p,
			struct rescore_change *change)
{
	struct provider_call_made *calls = arena_array(&s->row, struct provider_call_made, r->tool_count + 1);
	struct judged j = { .output = r->output, .output_tokens = r->output_tokens, .calls = calls };
	bool from_api = r->tool_source == TOOLS_FROM_API;

	for (size_t i = 0; from_api && i < r->tool_count; i++)
		calls[j.call_count++].name = r->tools[i];
	judge(r, &s->row, p, s->out->detector, &j);
	if (r->success && from_api && j.call_count && needs_arguments(p->validator)) {
		r->pass = VERDICT_NULL;
		r->violation = (struct str){ NULL, 0 };
		change->unknown = true;
		s->out->unknown++;
	}
	change->cut = r->success && r->truncated;
	s->out->cut += change->cut;
	s->out->judged++;
}

/* Keeps a row whose verdict or tool use is not what it was. */
static void note_change(struct rescoring *s, const struct result *old, const struct result *now,
			struct rescore_change change)
{
	struct arena *a = s->arena;

	change.before = old->pass;
	change.after = now->pass;
	change.tools_before = old->tool_success;
	change.tools_after = now->tool_success;
	change.tools_changed = (old->expects || now->expects) && old->tool_success != now->tool_success;
	if (change.before == change.after && !change.tools_changed)
		return;
	change.target = target_name(a, now->provider, now->model, now->thinking);
	change.prompt_id = arena_copy(a, now->prompt_id);
	change.repetition = now->repetition;
	if (now->violation.p) {
		change.violation = arena_copy(a, now->violation);
		change.got = cell_got(a, now->output);
	}
	buf_add(&s->changes, &change, sizeof(change));
}

/* Counts a row whose prompt the suite does not have: its verdict stays. */
static void keep_verdict(struct rescoring *s, const struct result *r)
{
	bool is_new;

	s->out->kept++;
	map_add(&s->kept, r->prompt_id, &is_new);
	if (is_new) {
		struct str id = arena_copy(s->arena, r->prompt_id);

		buf_add(&s->kept_ids, &id, sizeof(id));
	}
}

/* One old row. s->failed tells a disk that did not take the new one from the end of the walk. */
static bool rescore_take(void *own, const struct result *r, struct str line)
{
	struct rescoring *s = own;
	uint64_t *at = map_find(&s->prompts, r->prompt_id);
	struct rescore_change change = { .cut = false };
	struct result now = *r;

	(void)line;
	arena_reset(&s->row);
	s->out->rows++;
	if (at) {
		map_add(&s->asked, r->prompt_id, &(bool){ false });
		judge_again(s, &now, &s->options->suite->prompts[*at], &change);
		note_change(s, r, &now, change);
	} else {
		keep_verdict(s, r);
	}
	now.run_id = s->out->new_id;
	s->failed = s->dir && !run_dir_add_result(s->dir, &now, s->err);
	return !s->failed;
}

/* ---- the new directory ---- */

/* Finds the old run's id, the new one's and its path, and makes its directory unless this is a dry run. */
static bool name_run(struct rescoring *s, struct str old_dir, struct err *err)
{
	const struct rescore_options *o = s->options;
	struct rescore *out = s->out;
	struct str parent = o->parent;
	char whole[PATH_MAX];

	if (!realpath(old_dir.p, whole))
		return err_system(err, errno, "%.*s", STR_ARG(old_dir));
	if (s->config.run_id.n)
		out->old_id = s->config.run_id;
	else if (out->old_id.n == 0)
		out->old_id = arena_copy(s->arena, str_basename(str_from(whole)));
	out->new_id = o->run_id.p ? o->run_id : ARENA_JOIN(s->arena, out->old_id, STR("-rescored"));
	if (!parent.p) {
		size_t n = old_dir.n - str_basename(old_dir).n;
		bool is_plain = old_dir.n && !str_eq(old_dir, STR(".")) && !str_ends(old_dir, STR(".."));

		while (n > 1 && old_dir.p[n - 1] == '/')
			n--;
		parent = !is_plain ? ARENA_JOIN(s->arena, old_dir, STR("/..")) : n ? str_of(old_dir.p, n) : STR(".");
	}
	out->path = ARENA_JOIN(s->arena, parent, STR("/"), out->new_id);
	if (str_starts(out->path, STR("./")))
		out->path = arena_copy(s->arena, str_skip(out->path, 2));
	if (o->dry)
		return true;
	s->dir = run_dir_make(parent, out->new_id, err);
	if (!s->dir && err->kind == ERR_USAGE) /* its own advice is for runs that go on */
		return err_set(err, ERR_USAGE, "%.*s has results already, and nothing is overwritten" ERR_HELP
			       "give the new run another name", STR_ARG(out->path)) || err_advise(err, ADVICE_RUN_ID);
	return s->dir != NULL;
}

/* What the machine had, and was, is the old run's affair and stays true. */
static bool is_beside(struct str name)
{
	return str_eq(name, STR("inventory.json")) ||
	       (str_starts(name, STR("resources_")) && str_ends(name, STR(".txt")));
}

/* Copies what lies beside the old results into the new directory. */
static bool take_over(struct rescoring *s, struct str old_dir, struct err *err)
{
	DIR *d = opendir(old_dir.p);
	struct dirent *e;
	bool done = true;

	if (!d)
		return err_system(err, errno, "%.*s", STR_ARG(old_dir));
	while (done && (e = readdir(d))) {
		struct str text;

		if (is_beside(str_from(e->d_name)))
			done = file_read(s->arena, ARENA_JOIN(s->arena, old_dir, STR("/"), str_from(e->d_name)),
					 BESIDE_MAX, &text, err) &&
			       run_dir_write(s->dir, e->d_name, text, err);
	}
	closedir(d);
	return done;
}

/* ---- the new configuration ---- */

/* The prompts that have rows: those of the suite as they are judged now, the others as they were. */
static void mix_prompts(struct rescoring *s, struct config *c)
{
	const struct suite *suite = s->options->suite;
	struct suite_prompt *list = arena_array(s->arena, struct suite_prompt, suite->count + c->prompt_count + 1);
	struct str *reworded = arena_array(s->arena, struct str, c->prompt_count + 1);
	struct map done;
	size_t n = 0;

	map_init(&done, s->arena);
	for (size_t i = 0; i < c->prompt_count; i++) {
		const struct suite_prompt *old = &c->prompts[i];
		uint64_t *at = map_find(&s->prompts, old->id);
		bool is_new;

		map_add(&done, old->id, &is_new);
		if (!is_new)
			continue;
		list[n++] = at ? suite->prompts[*at] : *old;
		if (at && !str_eq(old->prompt, suite->prompts[*at].prompt))
			reworded[s->out->reworded_count++] = old->id;
	}
	for (size_t i = 0; i < suite->count; i++)
		if (map_find(&s->asked, suite->prompts[i].id) && !map_find(&done, suite->prompts[i].id))
			list[n++] = suite->prompts[i];
	c->prompts = list;
	c->prompt_count = n;
	s->out->reworded = reworded;
}

/* The configuration of the new run: the old one with what is judged otherwise now. */
static void make_config(struct rescoring *s, struct config *c)
{
	const struct rescore_options *o = s->options;
	struct suite mixed = { .count = 0 };
	char hex[SHA256_HEX];

	*c = s->config;
	mix_prompts(s, c);
	mixed.prompts = arena_array(s->arena, struct suite_prompt, c->prompt_count + 1);
	mixed.count = c->prompt_count;
	for (size_t i = 0; i < mixed.count; i++)
		mixed.prompts[i] = c->prompts[i];
	digest_hex(hex, suite_digest(&mixed));
	c->suite_digest = arena_copy(s->arena, str_of(hex, sizeof(hex)));
	c->rescored_from = s->out->old_id;
	c->run_id = s->out->new_id;
	c->created_at = o->created_at;
	c->version = o->version;
	c->command = o->command;
	c->command_count = o->command_count;
	c->suites = o->files;
	c->suite_count = o->file_count;
	c->detector = s->out->detector;
	c->allow_commands = o->allow_commands;
	c->sandbox = o->sandbox;
}

/* A run that was stopped is one still. */
static bool is_interrupted(const struct rescoring *s)
{
	return s->out->rows < s->config.prompt_count * s->config.target_count * s->config.repeat;
}

/* The configuration is made for a dry run too: it finds the prompts that were reworded. */
static bool rescore_finish(struct rescoring *s, struct str old_dir, struct err *err)
{
	struct config c;
	struct buf text;
	bool done;

	make_config(s, &c);
	if (!s->dir)
		return true;
	buf_init(&text);
	config_write(&text, &c);
	done = run_dir_write(s->dir, "config.json", buf_str(&text), err) && take_over(s, old_dir, err) &&
	       run_dir_add_event(s->dir, "rescored", STR(""), err) &&
	       outputs_write(s->arena, run_dir_path(s->dir), &c, RATE_WILSON, is_interrupted(s), &s->out->summary,
			     err);
	buf_free(&text);
	return done;
}

/* ---- all of it ---- */

/* Without a config.json of the old run, defaults stand in for it, so that the new run has one. */
static void begin(struct rescoring *s, struct str old_dir)
{
	const struct suite *suite = s->options->suite;
	struct err why = { .kind = ERR_NONE };

	arena_init(&s->row);
	buf_init(&s->kept_ids);
	buf_init(&s->changes);
	map_init(&s->prompts, s->arena);
	map_init(&s->kept, s->arena);
	map_init(&s->asked, s->arena);
	for (size_t i = 0; i < suite->count; i++)
		*map_add(&s->prompts, suite->prompts[i].id, &(bool){ false }) = i;
	s->out->had_config =
		config_read(&s->config, s->arena, ARENA_JOIN(s->arena, old_dir, STR("/config.json")), &why);
	if (!s->out->had_config)
		s->config = (struct config){ .repeat = 1, .stream = true, .temperature = -1, .budget_usd = -1 };
	s->out->detector = s->options->has_detector ? s->options->detector : s->config.detector;
}

/* Stops at the first row of a prompt that the suite has. */
static bool has_rows(void *own, const struct result *r, struct str line)
{
	struct rescoring *s = own;

	(void)line;
	if (!s->out->old_id.p)
		s->out->old_id = arena_copy(s->arena, r->run_id);
	s->out->judged += map_find(&s->prompts, r->prompt_id) != NULL;
	return s->out->judged == 0;
}

/* Before anything is made: a suite of something else must not leave a directory behind. */
static bool check_suite(struct rescoring *s, struct err *err)
{
	struct results_lost lost;

	if (!results_walk(s->options->run, has_rows, s, &lost, err))
		return false;
	if (s->out->judged == 0)
		return err_set(err, ERR_USAGE, "%.*s: the suite has none of this run's prompts" ERR_HELP
			       "give the suite of this run, as it is now", STR_ARG(s->options->run));
	s->out->judged = 0;
	return true;
}

bool rescore_run(struct rescore *out, struct arena *a, const struct rescore_options *o, struct err *err)
{
	struct rescoring s = { .arena = a, .options = o, .out = out, .err = err };
	struct str old_dir = results_dir(a, o->run);
	bool done;

	*out = (struct rescore){ .rows = 0 };
	begin(&s, old_dir);
	done = check_suite(&s, err) && name_run(&s, old_dir, err) &&
	       results_walk(o->run, rescore_take, &s, &out->lost, err) && !s.failed &&
	       rescore_finish(&s, old_dir, err);
	if (done) {
		out->kept_count = s.kept_ids.n / sizeof(struct str);
		out->kept_prompts = arena_move_array(a, s.kept_ids.p, out->kept_count, out->kept_count + 1,
						     sizeof(struct str));
		out->change_count = s.changes.n / sizeof(*out->changes);
		out->changes = arena_move_array(a, s.changes.p, out->change_count, out->change_count + 1,
						sizeof(*out->changes));
	}
	if (s.dir)
		run_dir_close(s.dir);
	buf_free(&s.kept_ids);
	buf_free(&s.changes);
	arena_free(&s.row);
	return done;
}
