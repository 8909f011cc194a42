/* Options become words for the replays; what the batch comes to is told by batch_output.c. */
#include "cmd/replay/batch.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "base/stop.h"
#include "cmd/frame/opt.h"
#include "cmd/replay/batch_output.h"
#include "cmd/screen/progress.h"
#include "proc/self.h"

#define DOCUMENT_MOST ((size_t)1 << 30)

/* ---- options for each replay ---- */

/* What the batch itself does, or gives to each replay in its own way. */
static bool is_of_batch(const char *name)
{
	static const char *const names[] = { "batch", "jobs", "limit", "by", "max-age", "same-as", "report", "json",
					     "child-stdout", "output" };

	return str_is_word_of(str_from(name), names, COUNT(names));
}

static struct str nth_choice(const char *words, int n)
{
	struct str rest = str_from(words), word = opt_next_choice(&rest);

	while (n-- > 0)
		word = opt_next_choice(&rest);
	return word;
}

/* The option as it would be typed, unless it is as it is by itself; p NULL then. */
static struct str spell_option(struct arena *a, const struct opt *o, const void *options, const void *defaults)
{
	const char *at = (const char *)options + o->offset, *was = (const char *)defaults + o->offset;
	struct str name = ARENA_JOIN(a, STR("--"), str_from(o->name)), none = { NULL, 0 };

	if (o->kind == OPT_FLAG)
		return *(const bool *)at ? name : none;
	if (o->kind == OPT_STR)
		return ((const struct str *)at)->p ? ARENA_JOIN(a, name, STR("="), *(const struct str *)at) : none;
	if (o->kind == OPT_UINT && *(const unsigned *)at != *(const unsigned *)was)
		return arena_printf(a, "%s=%u", name.p, *(const unsigned *)at);
	if (o->kind == OPT_CHOICE && *(const int *)at != *(const int *)was)
		return ARENA_JOIN(a, name, STR("="), nth_choice(o->argument, *(const int *)at));
	return none;
}

static void spell_options(struct arena *a, const struct command *c, const void *options, struct batch_options *out)
{
	struct str *words;
	size_t n = 0;

	while (c->options[n].kind != OPT_END)
		n++;
	words = arena_array(a, struct str, n + 3);
	words[out->word_count++] = STR("replay");
	words[out->word_count++] = STR("--json");
	words[out->word_count++] = STR("--child-stdout=/dev/null");
	for (size_t i = 0; i < n; i++) {
		struct str word = { NULL, 0 };

		if (!is_of_batch(c->options[i].name))
			word = spell_option(a, &c->options[i], options, c->defaults);
		if (word.p)
			words[out->word_count++] = word;
	}
	out->words = words;
}

bool replay_batch_is_unasked(struct arena *a, const void *options, struct args args, struct err *err)
{
	static const char *const names[] = { "jobs", "limit", "by", "max-age", "same-as" };
	const struct command *c = args.frame->command;

	for (size_t i = 0; c->options[i].kind != OPT_END; i++)
		if (str_is_word_of(str_from(c->options[i].name), names, COUNT(names)) &&
		    spell_option(a, &c->options[i], options, c->defaults).p)
			return usage_set(err, "trackway replay --batch runs -- python3 agent.py {name}",
					 "--%s is of a batch, and there is no --batch", c->options[i].name);
	return true;
}

/* ---- what is asked for ---- */

static bool get_argv(struct arena *a, struct args args, struct batch_options *out, struct err *err)
{
	const char **argv = arena_array(a, const char *, args.count + 1);

	if (args.rest == args.count)
		return usage_set(err, "trackway replay --batch runs -- python3 agent.py {name}",
				 "the command to replay is missing: a recording does not keep its arguments, so it "
				 "stands behind '--', where {dir}, {name} and {run} stand for each run's");
	for (size_t i = args.rest; i < args.count; i++)
		argv[i - args.rest] = args.items[i].p;
	out->argv = argv;
	return true;
}

static bool get_oldest(struct str age, int64_t *oldest_us, struct err *err)
{
	static const struct { char unit; uint64_t seconds; } units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 },
									 { 'd', 86400 }, { 'w', 604800 } };
	uint64_t n;

	if (!age.p)
		return true;
	for (size_t i = 0; age.n > 1 && age.n < 8 && i < COUNT(units); i++)
		if (units[i].unit == age.p[age.n - 1] && num_parse_u64(str_of(age.p, age.n - 1), &n)) {
			*oldest_us = (int64_t)(clock_wall_ns() / 1000) - (int64_t)(n * units[i].seconds) * 1000000;
			return true;
		}
	return usage_set(err, "--max-age 7d, or 30m, 24h, 2w", "'%.*s' is no age", STR_ARG(age));
}

static bool get_same(struct arena *a, struct str path, struct batch_tally_options *out, struct err *err)
{
	struct str text;

	if (!path.p)
		return true;
	return (file_read(a, path, DOCUMENT_MOST, &text, err) &&
		batch_tally_read_runs(a, text, &out->same_as, &out->same_count, err)) ||
	       err_context(err, "--same-as");
}

/* All of --batch, and the arguments before '--'. */
static bool find_rows(struct arena *a, const struct replay_batch_opts *o, struct args args, struct batch_told *t,
		      struct err *err)
{
	size_t n = o->places.count + args.rest;
	struct str *places = arena_array(a, struct str, n);

	for (size_t i = 0; i < n; i++)
		places[i] = i < o->places.count ? o->places.items[i] : args.items[i - o->places.count];
	if (!batch_find(a, places, n, &t->rows, &t->found, err))
		return false;
	t->count = o->limit && o->limit < t->found ? o->limit : t->found;
	return true;
}

/* ---- the way through it ---- */

struct watcher {
	struct arena *arena;
	struct progress progress;
	uint64_t began_ns;
};

static void show_tick(void *own, const struct batch_row *rows, size_t count)
{
	struct watcher *w = own;
	uint64_t now = clock_mono_ns();
	struct buf text;

	if (!progress_is_due(&w->progress, now))
		return;
	buf_init(&text);
	batch_output_progress(&text, rows, count, now - w->began_ns);
	progress_show(&w->progress, buf_str(&text), now);
	buf_free(&text);
}

static int batch_status(const struct batch_told *t)
{
	const struct batch_group *all = &t->tally.all;

	if (t->stopped_by)
		return 128 + t->stopped_by;
	if (all->verdicts[VERDICT_DIVERGED] || all->verdicts[VERDICT_INCOMPLETE] || !batch_tally_holds(&t->tally))
		return EXIT_NO;
	return all->judged == all->runs ? EXIT_YES : EXIT_CANNOT;
}

int replay_batch(struct arena *a, const struct replay_batch_opts *o, const void *options, struct str keep,
		 enum replay_form form, struct opt_maybe json, struct args args, struct err *err)
{
	struct batch_tally_options asked = { .by = (enum batch_by)o->by };
	struct watcher watcher = { .arena = a, .began_ns = clock_mono_ns() };
	struct batch_told told = { .by = asked.by };
	struct batch_options b = { .program = self_path(a).p, .jobs = o->jobs, .tick = show_tick, .own = &watcher };
	const struct command *c = args.frame->command;

	if (json.value.p) {
		usage_set(err, "trackway replay --batch runs --json -- CMD",
			  "--json of a batch has no fields to choose");
		return EXIT_FAIL;
	}
	if (!get_argv(a, args, &b, err) || !get_oldest(o->max_age, &asked.oldest_us, err) ||
	    !get_same(a, o->same_as, &asked, err) || !find_rows(a, o, args, &told, err))
		return EXIT_FAIL;
	spell_options(a, c, options, &b);
	if (keep.p)
		b.keep = ARENA_JOIN(a, STR("--output="), keep, STR("/"));
	progress_init(&watcher.progress, args.frame, 2, watcher.began_ns);
	if (!batch_play(a, &b, told.rows, told.count, err))
		return EXIT_FAIL;
	progress_erase(&watcher.progress);
	told.stopped_by = stop_signal();
	told.seconds = (double)(clock_mono_ns() - watcher.began_ns) / 1e9;
	batch_tally_rows(a, &asked, told.rows, told.count, &told.tally);
	told.status = batch_status(&told);
	batch_output(a, args.frame, form, &told);
	return told.status;
}
