/* Options and messages of commands that read logs. A file that nobody named is skipped when it is no log. */
#include "cmd/logs.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cmd/inputs.h"
#include "cmd/report/rules.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/term.h"
#include "source/raw.h"

#define LOGS_LOSSES_SHOWN 8
#define LOGS_PRICES_MAX ((size_t)16 << 20)

bool logs_init(struct logs *l, struct arena *a, const struct frame *frame, const char *verb, const struct str *paths,
	       size_t count, struct err *err)
{
	*l = (struct logs){ .frame = frame, .verb = verb, .paths = paths, .path_count = count };
	map_init(&l->named, a);
	progress_init(&l->progress, frame, STDERR_FILENO, clock_mono_ns());
	for (size_t i = 0; i < count; i++) {
		bool added;

		map_add(&l->named, paths[i], &added);
		if (!added && str_eq(paths[i], STR("-")))
			return usage_set(err, "give '-' once", "standard input can only be read once");
	}
	return true;
}

/* ---- options ---- */

/* Puts what to do behind an error already set. Always false. */
static bool logs_add_help(struct err *err, const char *help)
{
	struct err told = *err;

	return err_set(err, told.kind, "%s" ERR_HELP "%s", told.text, help);
}

bool logs_explain_output(struct err *err)
{
	return err->errnum == ENOENT ? logs_add_help(err, "make its parent directories first, with mkdir -p") : false;
}

static bool logs_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Of a directory that is an input the walk leaves the output out. */
bool logs_check_output(const struct logs *l, const char *option, struct str path, struct err *err)
{
	struct stat target, st;

	if (!path.p || str_eq(path, STR("-")) || stat(path.p, &target) != 0 ||
	    !(S_ISREG(target.st_mode) || S_ISDIR(target.st_mode)))
		return true;
	for (size_t i = 0; i < l->path_count; i++) {
		bool is_input = str_eq(l->paths[i], STR("-"));

		if ((is_input ? fstat(STDIN_FILENO, &st) : stat(l->paths[i].p, &st)) == 0 && logs_is_same(&st, &target))
			return usage_set(err, "name another place", "%s names an input: %.*s", option, STR_ARG(path));
	}
	return true;
}

bool logs_get_format(struct str name, const struct dialect **out, struct err *err)
{
	if (!name.p)
		return true;
	if (!rules_get_format(name, out, err))
		return false;
	return (*out)->read || usage_set(err, "'trackway formats' lists what can be read",
					 "%s can only be validated, not converted", (*out)->name);
}

enum source_shape logs_shape_of(const struct dialect *from)
{
	return from && from->forms == DIALECT_LINES ? SOURCE_LINES : SOURCE_CONTENT;
}

bool logs_get_start(struct str text, int64_t *out, struct err *err)
{
	struct stamp stamp;

	if (!text.p || (stamp_parse(text, &stamp) && stamp_ns(&stamp, out) && *out > 0))
		return true;
	return usage_set(err, "give a date, a time and a zone: --start 2026-01-31T12:00:00Z",
			 "--start takes a time after 1970, not '%.*s'", STR_ARG(text));
}

bool logs_get_prices(struct arena *a, bool no_cost, struct str file, const struct prices **out, struct err *err)
{
	struct prices *prices;
	struct str text;

	if (no_cost && file.p)
		return usage_set(err, "give one of them", "--no-cost and --prices exclude each other");
	if (no_cost)
		return true;
	prices = prices_new(a);
	*out = prices;
	if (!file.p)
		return true;
	if (!file_read(a, file, LOGS_PRICES_MAX, &text, err))
		return false;
	return prices_override(prices, text, file, err) ||
	       logs_add_help(err, "'trackway convert --help' says what a line of prices holds");
}

/* ---- what is said ---- */

void logs_say(struct logs *l, struct buf *text)
{
	progress_erase(&l->progress);
	if (!l->frame->quiet)
		inputs_print(buf_str(text));
	buf_clear(text);
}

void logs_fail(struct logs *l, const struct err *why)
{
	progress_erase(&l->progress);
	inputs_print_failure(l->frame, why);
	l->failed++;
}

void logs_missing(struct logs *l, const struct err *why)
{
	struct err told = *why;

	if (why->errnum == ENOENT)
		logs_add_help(&told, "check the name; paths start in the current directory");
	logs_fail(l, &told);
}

/* A file that nobody named, among others of a directory, and no log of a kind that is known. */
static bool logs_may_skip(const struct logs *l, const struct convert_input *part)
{
	return !map_find(&l->named, part->name) && (part->from || part->looks.best || !part->looks.is_log);
}

void logs_refuse(struct logs *l, const struct convert_input *part,
		 bool (*explain)(const struct convert_input *part, struct err *why))
{
	struct err why = { .kind = ERR_NONE };

	if (!logs_may_skip(l, part)) {
		explain(part, &why);
		logs_fail(l, &why);
		return;
	}
	l->skipped++;
	if (!l->frame->verbose)
		return;
	progress_erase(&l->progress);
	inputs_note(l->frame, "skipped %.*s%s%s", STR_ARG(part->name), part->looks.like ? ": it looks like " : "",
		    part->looks.like ? part->looks.like : "");
}

static void logs_begin_warning(struct buf *text, const struct convert_input *part)
{
	buf_add_str(text, STR("warning: "));
	term_add_text(text, raw_title(part->name));
	buf_add_str(text, STR(": "));
}

void logs_say_damage(struct logs *l, const struct convert_input *part, const char *then)
{
	struct buf text;

	buf_init(&text);
	if (part->unreadable) {
		logs_begin_warning(&text, part);
		amounts_add_things(&text, part->unreadable, "line");
		buf_printf(&text, " could not be read%s\n", then);
	}
	if (part->torn) {
		logs_begin_warning(&text, part);
		buf_add_str(&text, STR("the last line is cut off; everything before it was read\n"));
	}
	if (text.n)
		logs_say(l, &text);
	buf_free(&text);
}

void logs_say_written(struct logs *l, struct str source, struct str dir, struct str output)
{
	struct buf text;

	if (!l->frame->verbose)
		return;
	buf_init(&text);
	term_add_text(&text, raw_title(source));
	buf_add_str(&text, STR(" -> "));
	term_add_text(&text, dir);
	buf_add_str(&text, str_ends(dir, STR("/")) ? STR("") : STR("/"));
	term_add_text(&text, output);
	buf_add_byte(&text, '\n');
	logs_say(l, &text);
	buf_free(&text);
}

void logs_say_skipped(struct logs *l, bool is_all)
{
	struct err why = { .kind = ERR_NONE };
	struct buf text;

	if (!l->skipped)
		return;
	if (is_all && !l->failed) {
		err_set(&why, ERR_DATA, "nothing to %s: no file holds a run in a known format (%llu skipped)" ERR_HELP
			"'trackway formats' lists what can be read; --from FORMAT sets the format", l->verb,
			(unsigned long long)l->skipped);
		logs_fail(l, &why);
		return;
	}
	buf_init(&text);
	buf_add_str(&text, STR("skipped "));
	amounts_add_things(&text, l->skipped, "file");
	buf_printf(&text, " that hold%s no run in a known format", l->skipped == 1 ? "s" : "");
	if (!l->frame->verbose)
		buf_add_str(&text, l->skipped == 1 ? STR(" (-v names it)") : STR(" (-v names them)"));
	buf_add_byte(&text, '\n');
	logs_say(l, &text);
	buf_free(&text);
}

void logs_say_unpriced(struct logs *l, const struct price_gaps *unpriced)
{
	struct buf said, text;

	if (unpriced->calls == 0)
		return;
	buf_init(&said);
	buf_init(&text);
	price_gaps_say(unpriced, &said);
	buf_add_str(&text, STR("note: "));
	term_add_text(&text, buf_str(&said));
	buf_add_str(&text, STR("; their cost is not known, and no total has it (--prices adds prices)\n"));
	logs_say(l, &text);
	buf_free(&said);
	buf_free(&text);
}

void logs_say_losses(struct logs *l, const char *format, const struct losses *losses)
{
	size_t count = losses_count(losses);
	struct buf text;

	if (count == 0)
		return;
	buf_init(&text);
	buf_printf(&text, "note: %s cannot hold everything; left out:", format);
	for (size_t i = 0; i < count && (i < LOGS_LOSSES_SHOWN || l->frame->verbose); i++) {
		const char *what;
		uint64_t times;

		losses_get(losses, i, &what, &times);
		buf_printf(&text, "%s %s (%llu)", i ? "," : "", what, (unsigned long long)times);
	}
	if (count > LOGS_LOSSES_SHOWN && !l->frame->verbose)
		buf_printf(&text, " and %zu more kinds (-v lists them)", count - LOGS_LOSSES_SHOWN);
	buf_add_byte(&text, '\n');
	logs_say(l, &text);
	buf_free(&text);
}
