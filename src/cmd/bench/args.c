/*
 * Each group of options is read by one function that checks all of it. Files that options name are read at once, so
 * that a run cannot fail on them later. Keys stay in memory: messages and config.json never hold them.
 */
#include "cmd/bench/args.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mask.h"
#include "base/num.h"
#include "bench/run/run_dir.h"
#include "bench/suite/builtin.h"
#include "cmd/frame/header_file.h"
#include "cmd/frame/nearest.h"
#include "cmd/inputs.h"
#include "cmd/ledger/args.h"
#include "cmd/report/report.h"
#include "cmd/report/rules.h"
#include "provider/mock_script.h"
#include "store/runs.h"

#define KEY_MAX ((size_t)64 << 10)
#define SCRIPT_MAX ((size_t)64 << 20)

bool bench_args_pair(struct str text, struct str *name, struct str *value)
{
	*name = str_cut(text, '=', value);
	return name->n > 0 && name->n < text.n;
}

/* ---- who ---- */

bool bench_args_targets(struct arena *a, const struct bench_who *w, struct target **out, size_t *count,
			struct err *err)
{
	struct target *t = arena_array(a, struct target, w->targets.count + 1);

	if (!w->targets.count)
		return usage_set(err, "add --target PROVIDER:MODEL, for instance --target mock:echo",
				 "no --target given");
	for (size_t i = 0; i < w->targets.count; i++) {
		if (!target_parse(a, w->targets.items[i], &t[i], err))
			return err_context(err, "--target");
		for (size_t k = 0; k < i; k++)
			if (str_eq(t[k].tag, t[i].tag))
				return usage_set(err, "name each target once; --repeat asks it several times",
						 "--target '%.*s' and '%.*s' would have the same files",
						 STR_ARG(w->targets.items[k]), STR_ARG(w->targets.items[i]));
	}
	*out = t;
	*count = w->targets.count;
	return true;
}

/* What the last PROVIDER=VALUE of a list says about a provider; an option that names none of the targets is told. */
static bool find_pair(const struct opt_list *list, const char *option, const struct provider *p, struct str *out,
		      struct err *err)
{
	for (size_t i = 0; i < list->count; i++) {
		struct str name, value;

		if (!bench_args_pair(list->items[i], &name, &value) || !value.n)
			return usage_set(err, "write PROVIDER=VALUE", "%s: '%.*s' has no provider or no value", option,
					 STR_ARG(list->items[i]));
		if (!provider_find(name))
			return provider_refuse_name(name, err) || err_context(err, option);
		if (provider_find(name) == p)
			*out = value;
	}
	return true;
}

/* A key is one line of text. What is in the file is in no message. */
static bool bench_args_read_key(struct arena *a, struct str path, struct str *out, struct err *err)
{
	struct str text;

	if (!file_read(a, path, KEY_MAX, &text, err))
		return err_context(err, "--key-file");
	text = str_trim(text);
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < ' ' || text.p[i] == 127)
			return err_set(err, ERR_DATA, "--key-file: %.*s: this is not one line of text" ERR_HELP
				       "a key file holds one key and nothing else", STR_ARG(path));
	if (!text.n)
		return err_set(err, ERR_DATA, "--key-file: %.*s: it holds no key", STR_ARG(path));
	*out = arena_copy(a, text);
	return true;
}

/* Reads the answers of the mock. *sha256 lets a resumed run notice that the file has changed. */
static bool bench_args_read_script(struct arena *a, struct str path, struct provider_options *o,
				   struct str *sha256, struct err *err)
{
	struct mock_script *script = arena_new(a, struct mock_script);
	struct sha256 hash;
	struct str text;

	if (!path.p)
		return true;
	if (!file_read(a, path, SCRIPT_MAX, &text, err) || !mock_script_parse(a, text, path, script, err))
		return err_context(err, "--mock-script");
	o->script = script;
	sha256_init(&hash);
	*sha256 = ledger_args_hex(a, sha256_of(&hash, text));
	sha256_free(&hash);
	return true;
}

/* What config.json keeps of headers: a value may be a key, so only its digest, of no use for another run. */
static void keep_headers(struct arena *a, const struct provider_options *o, struct config *c)
{
	struct config_header *list = arena_array(a, struct config_header, o->header_count + 1);
	struct sha256 hash;

	sha256_init(&hash);
	for (size_t i = 0; i < o->header_count; i++) {
		const struct http_header *h = &o->headers[i];

		list[i].name = h->name;
		list[i].sha256 = ledger_args_hex(a, sha256_of(&hash, ARENA_JOIN(a, c->created_at, STR("\n"), h->name,
									       STR(": "), h->value)));
	}
	sha256_free(&hash);
	c->headers = list;
	c->header_count = o->header_count;
}

bool bench_args_providers(struct arena *a, const struct bench_who *w, const struct target *targets, size_t count,
			  struct provider_options **out, struct config *c, struct err *err)
{
	struct provider_options common = { .connect_ms = 0 };
	struct provider_options *list = arena_array(a, struct provider_options, count + 1);
	struct str digest = { NULL, 0 };

	if (!header_file_read(a, w->header_file, &common.headers, &common.header_count, err) ||
	    !bench_args_read_script(a, w->mock_script, &common, &digest, err))
		return false;
	if (c) {
		c->mock_script = (struct config_suite){ w->mock_script, digest };
		c->header_file = w->header_file;
		keep_headers(a, &common, c);
	}
	for (size_t i = 0; i < count; i++) {
		struct str file = { NULL, 0 };

		list[i] = common;
		if (!find_pair(&w->bases, "--base", targets[i].provider, &list[i].base, err) ||
		    !find_pair(&w->key_files, "--key-file", targets[i].provider, &file, err))
			return false;
		if (file.p && !bench_args_read_key(a, file, &list[i].key, err))
			return false;
	}
	*out = list;
	return true;
}

bool bench_args_addresses(const struct target *targets, const struct provider_options *providers, size_t count,
			  struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		const char *variable = provider_lacks_address(targets[i].provider, &providers[i]);

		if (variable)
			return usage_set(err, "set it, or give --base PROVIDER=URL",
					 "%s:%.*s has no usual address, and %s is not set: nothing was sent",
					 provider_name(targets[i].provider), STR_ARG(targets[i].model), variable);
	}
	return true;
}

bool bench_args_keys(const struct target *targets, const struct provider_options *providers, size_t count,
		     struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		const char *key = provider_lacks_key(targets[i].provider, &providers[i]);

		if (key)
			return usage_set(err, "set it, or name a file with --key-file PROVIDER=FILE; "
					 "--allow-unreachable runs without it",
					 "%s:%.*s needs a key, and %s is not set: nothing was sent",
					 provider_name(targets[i].provider), STR_ARG(targets[i].model), key);
	}
	return true;
}

bool bench_args_unreachable(struct str targets, struct err *err)
{
	return err_set(err, ERR_IO, "no ok answer from %.*s" ERR_HELP
		       "check that it can be reached; with --allow-unreachable this is not "
		       "a failure", STR_ARG(targets));
}

/* ---- how ---- */

bool bench_args_temperature(const struct bench_how *h, double *out, struct err *err)
{
	*out = -1;
	if (!h->temperature.p)
		return true;
	if (num_parse_double(h->temperature, out) == NUM_OK && *out >= 0 && *out <= 100)
		return true;
	return usage_set(err, "write a number such as 0 or 0.7", "--temperature: '%.*s' is not a temperature",
			 STR_ARG(h->temperature));
}

/* ---- what ---- */

bool bench_args_check_suite(const struct frame *f, const struct suite *s, struct err *err)
{
	struct report r;
	struct buf text;

	report_init(&r, &f->err, false);
	r.no_all = true;
	r.find_rule = rules_find;
	if (f->quiet)
		r.least = SEV_ERROR;
	buf_init(&text);
	for (size_t i = 0; i < s->file_count; i++)
		report_add_list(&text, &r, s->files[i].name, &s->files[i].findings);
	inputs_print(buf_str(&text));
	buf_free(&text);
	if (!s->errors)
		return true;
	return err_set(err, ERR_DATA, "the suite cannot be used: it has %llu error%s, and nothing was sent",
		       (unsigned long long)s->errors, s->errors == 1 ? "" : "s");
}

/* Pairs point into the options, which live as long as the process. A value may be empty, a name may not. */
static bool read_vars(struct arena *a, const struct opt_list *list, struct suite_options *how, struct err *err)
{
	struct suite_var *vars = arena_array(a, struct suite_var, list->count + 1);

	for (size_t i = 0; i < list->count; i++)
		if (!bench_args_pair(list->items[i], &vars[i].name, &vars[i].value))
			return usage_set(err, "write --var NAME=VALUE", "--var: '%.*s' is not NAME=VALUE",
					 STR_ARG(list->items[i]));
	how->vars = vars;
	how->var_count = list->count;
	return true;
}

/* A file has the name of a shipped suite: whoever meant the other one is told. */
static void tell_shadows(struct arena *a, const struct frame *f, const struct str *paths, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct str shipped = suite_builtin_find(a, paths[i]);

		if (shipped.p && !suite_is_builtin(paths[i]) && access(paths[i].p, F_OK) == 0)
			inputs_note(f, "the suite is %.*s, as it lies here; the shipped one is %.*s", STR_ARG(paths[i]),
				    STR_ARG(shipped));
	}
}

/* Always false: a file that is not there may be a shipped suite with a slip in its name. */
static bool bench_args_no_suite(struct arena *a, const struct str *paths, size_t count, struct err *err)
{
	struct err was = *err;
	struct nearest near;
	char text[100];

	for (size_t i = 0; was.errnum == ENOENT && i < count; i++) {
		if (access(paths[i].p, F_OK) == 0 || suite_builtin_find(a, paths[i]).p)
			continue;
		nearest_init(&near, paths[i]);
		for (size_t k = 0; suite_builtin_name(k); k++)
			nearest_offer(&near, str_from(suite_builtin_name(k)));
		if (nearest_help(&near, text, sizeof(text), SUITE_BUILTIN))
			return err_set(err, was.kind, "%s" ERR_HELP "%s", was.text, text);
	}
	return false;
}

bool bench_args_suite(struct arena *a, const struct frame *f, const struct str *paths, size_t count,
		      const struct bench_what *w, struct suite *out, struct suite_options *how, struct err *err)
{
	if (!count)
		return usage_set(err,
				 "name a file, a directory, or one that is shipped: sanity, instructions, tools",
				 "no suite given");
	*how = (struct suite_options){ .table = w->table, .finding_limit = REPORT_LIMIT,
				       .allow_commands = w->allow_commands.given };
	if (w->allow_commands.value.p && !str_eq(w->allow_commands.value, STR("unsandboxed")))
		return usage_set(err, "write --allow-commands or --allow-commands=unsandboxed",
				 "--allow-commands: '%.*s' is not known", STR_ARG(w->allow_commands.value));
	how->unsandboxed = w->allow_commands.value.p != NULL;
	tell_shadows(a, f, paths, count);
	if (!read_vars(a, &w->vars, how, err))
		return false;
	if (!suite_load(out, a, paths, count, how, err))
		return bench_args_no_suite(a, paths, count, err);
	if (!bench_args_check_suite(f, out, err))
		return false;
	if (w->tags.count && !suite_select(out, w->tags.items, w->tags.count))
		return usage_set(err, "a tag stands in \"tags\" of a prompt", "--tag: no prompt has %s'%.*s'",
				 w->tags.count > 1 ? "any of these tags, as " : "the tag ",
				 STR_ARG(w->tags.items[0]));
	return true;
}

/* ---- for config.json ---- */

struct str bench_args_now(struct arena *a)
{
	return stamp_new_ns(a, (int64_t)clock_wall_ns(), 3);
}

const struct config_suite *bench_args_suites(struct arena *a, const struct suite *s)
{
	struct config_suite *list = arena_array(a, struct config_suite, s->file_count + 1);

	for (size_t i = 0; i < s->file_count; i++)
		list[i] = (struct config_suite){ .path = s->files[i].name,
						 .sha256 = ledger_args_hex(a, s->files[i].digest) };
	return list;
}

const struct str *bench_args_command(struct arena *a, const struct frame *f, size_t *count)
{
	struct str *list;
	struct buf text;
	size_t n = 0;

	while (f->argv && f->argv[n])
		n++;
	list = arena_array(a, struct str, n + 1);
	buf_init(&text);
	for (size_t i = 0; i < n; i++) {
		buf_clear(&text);
		mask_text(&text, i ? str_from(f->argv[i]) : STR("trackway"), 0, NULL, NULL);
		list[i] = arena_copy(a, buf_str(&text));
	}
	buf_free(&text);
	*count = n;
	return list;
}

/* ---- where ---- */

static bool bench_args_is_there(struct arena *a, struct str out, struct str id)
{
	struct stat st;

	return stat(ARENA_JOIN(a, out, STR("/"), id).p, &st) == 0;
}

bool bench_args_run_id(struct arena *a, struct str given, struct str out, struct str *id, struct err *err)
{
	time_t now = (time_t)(clock_wall_ns() / 1000000000u);
	struct tm tm;
	char text[32];
	size_t n;

	if (given.p) {
		*id = given;
		return run_dir_is_id(given) || usage_set(err, "use letters, digits, '_', '-' and '.', a dot not first",
							  "--run-id: '%.*s' cannot be the name of a run",
							  STR_ARG(given));
	}
	localtime_r(&now, &tm);
	n = strftime(text, sizeof(text), "%Y%m%d_%H%M%S", &tm);
	*id = arena_copy(a, str_of(text, n));
	for (unsigned i = 2; bench_args_is_there(a, out, *id); i++)
		*id = arena_printf(a, "%.*s_%u", (int)n, text, i);
	return true;
}

/* The directory of a path that is there: itself, or the one that the file is in. */
static bool take_path(struct arena *a, struct str path, struct str *dir)
{
	struct stat st;
	struct str name;

	if (stat(path.p, &st) != 0)
		return false;
	name = str_basename(path);
	if (S_ISDIR(st.st_mode))
		*dir = path;
	else if (name.n == path.n)
		*dir = STR(".");
	else
		*dir = arena_copy(a, str_of(path.p, path.n - name.n - 1));
	return true;
}

void bench_args_list_run(struct arena *a, struct str run_id, struct str dir, struct str started)
{
	struct err err = { .kind = ERR_NONE };
	char whole[PATH_MAX];
	struct run_entry e = { .run_id = run_id, .dir = str_from(realpath(dir.p, whole)), .started = started,
			       .kind = STR("bench"), .program = STR("trackway") };

	if (e.dir.n)
		runs_add(a, &e, &err);
}

bool bench_args_find_run(struct arena *a, struct str name, struct str out, struct str *dir, struct err *err)
{
	struct str path;

	if (take_path(a, name, dir) ||
	    (!memchr(name.p, '/', name.n) &&
	     take_path(a, ARENA_JOIN(a, out.p ? out : STR("runs"), STR("/"), name), dir)))
		return true;
	if (!runs_is_name(name))
		return err_set(err, ERR_IO, "%.*s: there is no such run" ERR_HELP
			       "name its directory, or an id below %.*s", STR_ARG(name),
			       STR_ARG(out.p ? out : STR("runs")));
	return runs_find(a, name, &path, err) &&
	       (take_path(a, path, dir) || err_set(err, ERR_IO, "%.*s: this run no longer exists", STR_ARG(path)));
}
