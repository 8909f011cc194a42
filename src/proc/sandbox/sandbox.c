/*
 * The command line of a sandbox, both ways. Its words are for this program alone: "key=value", then "--" and the
 * command. "in=" belongs to the path before it.
 */
#include "proc/sandbox/private.h"

#include <limits.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/num.h"

static const char *const sandbox_levels[SANDBOX_LEVELS] = { "none", "landlock", "bwrap", "oci" };

const char *sandbox_level_name(enum sandbox_level level)
{
	return sandbox_levels[level];
}

void sandbox_complain(const struct err *err)
{
	struct err ignored;
	struct buf line;

	buf_init(&line);
	buf_printf(&line, "trackway: %s\n", err->text);
	file_write_all(2, buf_str(&line), &ignored); /* whoever closed it does not want to know */
	buf_free(&line);
}

/* ---- writing it ---- */

struct words {
	struct arena *arena;
	const char **list;
	size_t count, cap;
};

static void words_add(struct words *w, const char *word)
{
	arena_grow(w->arena, w->list, w->count, w->cap, 32);
	w->list[w->count++] = word;
}

/* Nothing for an absent value. */
static void words_add_text(struct words *w, struct str key, struct str value)
{
	if (value.p)
		words_add(w, ARENA_JOIN(w->arena, key, STR("="), value).p);
}

static void words_add_number(struct words *w, const char *key, uint64_t value)
{
	if (value)
		words_add(w, arena_printf(w->arena, "%s=%llu", key, (unsigned long long)value).p);
}

const char *const *sandbox_argv(struct arena *a, const struct sandbox_options *o)
{
	struct words w = { .arena = a };

	words_add(&w, arena_copy(a, o->program).p);
	words_add(&w, "__sandbox");
	words_add_text(&w, STR("level"), str_from(sandbox_level_name(o->level)));
	for (size_t i = 0; i < o->path_count; i++) {
		words_add_text(&w, o->paths[i].writable ? STR("write") : STR("read"), o->paths[i].outside);
		words_add_text(&w, STR("in"), o->paths[i].inside);
	}
	for (size_t i = 0; i < o->hidden_count; i++)
		words_add_text(&w, STR("hide"), o->hidden[i]);
	words_add_text(&w, STR("dir"), o->dir);
	words_add_text(&w, STR("port"), o->port_variable);
	words_add_number(&w, "other-user", o->other_user);
	words_add_number(&w, "keep", o->keep > 0 ? (uint64_t)o->keep : 0);
	words_add_number(&w, "timeout-ms", o->timeout_ms);
	words_add_number(&w, "memory", o->limits.memory_bytes);
	words_add_number(&w, "processes", o->limits.processes);
	words_add_number(&w, "file-bytes", o->limits.file_bytes);
	words_add_number(&w, "cpu-seconds", o->limits.cpu_seconds);
	words_add_text(&w, STR("report"), o->report);
	words_add(&w, "--");
	for (size_t i = 0; o->argv[i]; i++)
		words_add(&w, o->argv[i]);
	words_add(&w, NULL);
	return w.list;
}

/* ---- reading it ---- */

/* The lists while they grow; the options have them constant. */
struct reading {
	struct arena *arena;
	struct sandbox_options *o;
	struct sandbox_path *paths;
	struct str *hidden;
	size_t path_cap, hidden_cap;
	bool has_level;
};

static bool reading_take_level(struct reading *r, struct str value)
{
	for (int i = 0; i < SANDBOX_LEVELS; i++) {
		if (!str_eq(value, str_from(sandbox_levels[i])))
			continue;
		r->o->level = (enum sandbox_level)i;
		return r->has_level = true;
	}
	return false;
}

static bool reading_is_absolute(struct str path)
{
	return path.n > 0 && path.p[0] == '/';
}

static bool reading_take_path(struct reading *r, struct str path, bool writable)
{
	arena_grow(r->arena, r->paths, r->o->path_count, r->path_cap, 8);
	r->paths[r->o->path_count++] = (struct sandbox_path){ .outside = path, .writable = writable };
	return reading_is_absolute(path);
}

static bool reading_take_read(struct reading *r, struct str value)
{
	return reading_take_path(r, value, false);
}

static bool reading_take_write(struct reading *r, struct str value)
{
	return reading_take_path(r, value, true);
}

static bool reading_take_in(struct reading *r, struct str value)
{
	struct sandbox_path *p = r->o->path_count ? &r->paths[r->o->path_count - 1] : NULL;

	if (!p || p->inside.p || !reading_is_absolute(value))
		return false;
	p->inside = value;
	return true;
}

static bool reading_take_hide(struct reading *r, struct str value)
{
	arena_grow(r->arena, r->hidden, r->o->hidden_count, r->hidden_cap, 8);
	r->hidden[r->o->hidden_count++] = value;
	return reading_is_absolute(value);
}

static bool reading_take_dir(struct reading *r, struct str value)
{
	r->o->dir = value;
	return reading_is_absolute(value);
}

static bool reading_take_port(struct reading *r, struct str value)
{
	r->o->port_variable = value;
	return value.n > 0;
}

static bool reading_take_report(struct reading *r, struct str value)
{
	r->o->report = value;
	return value.n > 0;
}

static bool reading_number(struct str value, uint64_t most, uint64_t *out)
{
	return num_parse_u64(value, out) && *out > 0 && *out <= most;
}

static bool reading_unsigned(struct str value, uint64_t most, unsigned *out)
{
	uint64_t n;

	if (!reading_number(value, most, &n))
		return false;
	*out = (unsigned)n;
	return true;
}

static bool reading_take_other_user(struct reading *r, struct str value)
{
	return r->o->other_user = str_eq(value, STR("1"));
}

static bool reading_take_keep(struct reading *r, struct str value)
{
	unsigned n = 0;

	if (!reading_unsigned(value, INT_MAX, &n) || n < 3)
		return false;
	r->o->keep = (int)n;
	return true;
}

static bool reading_take_timeout(struct reading *r, struct str value)
{
	return reading_unsigned(value, UINT_MAX, &r->o->timeout_ms);
}

static bool reading_take_memory(struct reading *r, struct str value)
{
	return reading_number(value, INT64_MAX, &r->o->limits.memory_bytes);
}

static bool reading_take_processes(struct reading *r, struct str value)
{
	return reading_number(value, INT32_MAX, &r->o->limits.processes);
}

static bool reading_take_file_bytes(struct reading *r, struct str value)
{
	return reading_number(value, INT64_MAX, &r->o->limits.file_bytes);
}

static bool reading_take_cpu(struct reading *r, struct str value)
{
	return reading_unsigned(value, INT32_MAX, &r->o->limits.cpu_seconds);
}

static const struct {
	const char *key;
	bool (*take)(struct reading *r, struct str value);
} reading_keys[] = {
	{ "level", reading_take_level },
	{ "read", reading_take_read },
	{ "write", reading_take_write },
	{ "in", reading_take_in },
	{ "hide", reading_take_hide },
	{ "dir", reading_take_dir },
	{ "port", reading_take_port },
	{ "other-user", reading_take_other_user },
	{ "keep", reading_take_keep },
	{ "timeout-ms", reading_take_timeout },
	{ "memory", reading_take_memory },
	{ "processes", reading_take_processes },
	{ "file-bytes", reading_take_file_bytes },
	{ "cpu-seconds", reading_take_cpu },
	{ "report", reading_take_report },
};

static bool reading_take(struct reading *r, struct str word, struct err *err)
{
	struct str value, key = str_cut(word, '=', &value);

	for (size_t i = 0; i < COUNT(reading_keys); i++) {
		if (!str_eq(key, str_from(reading_keys[i].key)))
			continue;
		return reading_keys[i].take(r, value) ||
		       err_set(err, ERR_USAGE, "a sandbox cannot take '%.*s'", STR_ARG(word));
	}
	return err_set(err, ERR_USAGE, "a sandbox does not know '%.*s'", STR_ARG(word));
}

/* Below `to` what the path is below `from`. */
static struct str reading_move(struct arena *a, struct str path, struct str from, struct str to)
{
	struct str rest = str_skip(path, from.n);

	if (rest.n && rest.p[0] != '/')
		to = ARENA_JOIN(a, to, STR("/"));
	return ARENA_JOIN(a, to, rest);
}

bool sandbox_is_system(struct str path)
{
	static const char *const system[] = { "/usr",	"/bin",	   "/sbin",	 "/lib", "/lib32",
					      "/lib64", "/libx32", "/nix/store", "/etc" };

	for (size_t i = 0; i < COUNT(system); i++)
		if (str_is_at_or_below(path, str_from(system[i])))
			return true;
	return false;
}

struct str sandbox_place(struct arena *a, const struct sandbox_options *o, struct str outside)
{
	for (size_t i = o->path_count; i > 0; i--) {
		const struct sandbox_path *p = &o->paths[i - 1];

		if (str_is_at_or_below(outside, p->outside))
			return p->inside.p ? reading_move(a, outside, p->outside, p->inside) : outside;
	}
	return sandbox_is_system(outside) ? outside : str_of(NULL, 0);
}

/* Where no path can be moved, the directory is where its path is. */
static void reading_stay(struct arena *a, struct sandbox_options *o)
{
	for (size_t i = 0; i < o->path_count && o->dir.p && o->level < SANDBOX_BWRAP; i++) {
		const struct sandbox_path *p = &o->paths[i];

		if (!p->inside.p || !str_is_at_or_below(o->dir, p->inside))
			continue;
		o->dir = reading_move(a, o->dir, p->inside, p->outside);
		return;
	}
}

/* Whoever could write the report could say anything in it. */
static bool reading_check(const struct reading *r, struct err *err)
{
	const struct sandbox_options *o = r->o;

	if (!r->has_level)
		return err_set(err, ERR_USAGE, "a sandbox needs a level");
	if (!o->argv || !o->argv[0])
		return err_set(err, ERR_USAGE, "a sandbox needs a command behind '--'");
	for (size_t i = 0; i < o->path_count && o->report.p; i++)
		if (str_is_at_or_below(o->report, o->paths[i].outside))
			return err_set(err, ERR_USAGE, "the report of a sandbox may not be in %.*s, which its command "
				       "sees", STR_ARG(o->paths[i].outside));
	return true;
}

bool sandbox_read_arguments(struct arena *a, const char *const *argv, struct sandbox_options *out, struct err *err)
{
	struct reading r = { .arena = a, .o = out };

	*out = (struct sandbox_options){ .level = SANDBOX_NONE };
	for (; *argv && strcmp(*argv, "--") != 0; argv++)
		if (!reading_take(&r, str_from(*argv), err))
			return false;
	out->paths = r.paths;
	out->hidden = r.hidden;
	out->argv = *argv ? argv + 1 : NULL;
	reading_stay(a, out);
	return reading_check(&r, err);
}
