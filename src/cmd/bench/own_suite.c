/* The suite of a run, found again by its config.json: the files that it names, as they are now. */
#include <unistd.h>

#include "bench/run/run_dir.h"
#include "bench/suite/builtin.h"
#include "cmd/bench/args.h"
#include "cmd/inputs.h"
#include "cmd/ledger/args.h"

/* Then the first file that config.json names is the table. */
static bool own_suite_had_table(const struct config *c)
{
	for (size_t i = 0; i < c->command_count; i++)
		if (str_eq(c->command[i], STR("--table")) || str_starts(c->command[i], STR("--table=")))
			return true;
	return false;
}

/* Tags and variables are those of the run, unless others are given. */
static void own_suite_settle(struct arena *a, const struct config *c, struct bench_what *w)
{
	struct str *tags = arena_array(a, struct str, c->tag_count + 1);
	struct str *vars = arena_array(a, struct str, c->var_count + 1);

	for (size_t i = 0; i < c->tag_count; i++)
		tags[i] = c->tags[i];
	for (size_t i = 0; i < c->var_count; i++)
		vars[i] = ARENA_JOIN(a, c->vars[i].name, STR("="), c->vars[i].value);
	if (!w->tags.count)
		w->tags = (struct opt_list){ tags, c->tag_count };
	if (!w->vars.count)
		w->vars = (struct opt_list){ vars, c->var_count };
}

/* Those from `first` on must be there. */
static bool own_suite_find(struct arena *a, const struct config *c, struct str config, size_t first,
			   struct str **paths, struct err *err)
{
	*paths = arena_array(a, struct str, c->suite_count + 1);
	if (!c->suite_count)
		return usage_set(err, "name the suite with the validators: --suite FILE", "%.*s names no suite",
				 STR_ARG(config));
	for (size_t i = 0; i < c->suite_count; i++) {
		struct str path = arena_copy(a, c->suites[i].path);

		if (i >= first && !suite_is_builtin(path) && access(path.p, R_OK) != 0)
			return err_set(err, ERR_IO, "%.*s, which the run was made with, cannot be read here" ERR_HELP
				       "say where it is now: --suite FILE, or --table FILE for the table",
				       STR_ARG(path));
		(*paths)[i] = path;
	}
	return true;
}

bool bench_args_own_suite(struct arena *a, const struct frame *f, struct str run, const struct bench_what *given,
			  struct suite *out, struct err *err)
{
	struct str config = ARENA_JOIN(a, results_dir(a, run), STR("/config.json")), *paths;
	struct bench_what what = *given;
	struct suite_options how;
	struct config c;
	size_t tables;

	if (!config_read(&c, a, config, err))
		return err_context(err, "without --suite the run's own is taken");
	own_suite_settle(a, &c, &what);
	tables = own_suite_had_table(&c);
	if (!own_suite_find(a, &c, config, given->table.p ? tables : 0, &paths, err))
		return false;
	if (tables && !what.table.p)
		what.table = paths[0];
	if (!bench_args_suite(a, f, paths + tables, c.suite_count - tables, &what, out, &how, err))
		return false;
	for (size_t i = given->table.p ? tables : 0; i < c.suite_count && i < out->file_count; i++) {
		if (!str_eq(ledger_args_hex(a, out->files[i].digest), c.suites[i].sha256))
			inputs_note(f, "%.*s is not what it was when the run was made: the answers are judged by what "
				    "it says now", STR_ARG(out->files[i].name));
	}
	return true;
}
