/*
 * Two passes over the words. The first finds the command's name, the second reads options and arguments by its table.
 * Defaults and the environment are put into the options between the two, so the command line wins.
 */
#include "cmd/frame/cmdline.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/frame/nearest.h"
#include "cmd/frame/opt.h"

const struct opt global_options[] = {
	{ OPT_FLAG, 'h', NULL, offsetof(struct globals, short_help), NULL, "print a short help page" },
	{ OPT_FLAG, 0, "help", offsetof(struct globals, full_help), NULL, "print the full help page" },
	{ OPT_FLAG, 'V', "version", offsetof(struct globals, version), NULL, "print the version" },
	{ OPT_COUNT, 'v', "verbose", offsetof(struct globals, verbose), NULL,
	  "more messages on standard error; -vv for even more" },
	{ OPT_FLAG, 'q', "quiet", offsetof(struct globals, quiet), NULL, "only errors on standard error" },
	{ OPT_CHOICE, 0, "color", offsetof(struct globals, color), "auto|always|never",
	  "when to use colour (auto: on a terminal)" },
	{ OPT_FLAG, 0, "no-pager", offsetof(struct globals, no_pager), NULL, "never start a pager" },
	OPT_LAST,
};

static bool is_flag(struct str word)
{
	return word.n > 1 && word.p[0] == '-';
}

static struct str second_word(const struct command *c)
{
	struct str rest;

	(void)str_cut(str_from(c->name), ' ', &rest);
	return rest;
}

static struct str first_word(const struct command *c)
{
	struct str rest;

	return str_cut(str_from(c->name), ' ', &rest);
}

const struct command *command_find(const struct command *const *table, const struct str *words, size_t count,
				   size_t *used, bool *is_group)
{
	const struct command *group = NULL;

	*is_group = false;
	*used = 1;
	for (; count && *table; table++) {
		struct str second = second_word(*table);

		if (!str_eq(first_word(*table), words[0]))
			continue;
		if (second.n == 0 && !(*table)->is_group)
			return *table;
		*is_group = true;
		if (second.n == 0)
			group = *table;
		if (count > 1 && second.n && str_eq(second, words[1])) {
			*used = 2;
			return *table;
		}
	}
	return count == 1 ? group : NULL;
}

bool command_is_member(const struct command *c, const struct command *group)
{
	return group->is_group && second_word(c).n && str_eq(first_word(c), str_from(group->name));
}

const struct command *command_find_hyphened(const struct command *const *table, struct str word)
{
	for (; *table; table++) {
		struct str first = first_word(*table), second = second_word(*table);

		if (second.n && word.n == first.n + 1 + second.n && str_starts(word, first) &&
		    word.p[first.n] == '-' && str_ends(word, second))
			return *table;
	}
	return NULL;
}

/* By its second word, or one that is an edit away: the first word is missing already, so there is little to go by. */
static const struct command *cmdline_find_second(const struct command *const *table, struct str word)
{
	const struct command *near = NULL;
	struct nearest search;

	nearest_init(&search, word);
	for (; *table; table++) {
		struct str best = search.best, second = second_word(*table);

		if (!second.n || (*table)->hidden)
			continue;
		if (str_eq(second, word))
			return *table;
		nearest_offer(&search, second);
		near = search.best.p != best.p ? *table : near;
	}
	return search.distance <= 1 ? near : NULL;
}

const struct command *command_find_meant(const struct command *const *table, struct str word, bool near)
{
	const struct command *c = command_find_hyphened(table, word);

	if (c)
		return c;
	c = cmdline_find_second(table, word);
	return c && (near || str_eq(second_word(c), word)) ? c : NULL;
}

bool command_is_listed(const struct command *c)
{
	return !c->hidden && second_word(c).n == 0;
}

/*
 * Before the command is known, whether a flag takes the next word can only be told from all tables
 * together. They agree: an option of one name has one kind in every command (a unit test sees to it).
 */
static const struct opt *find_anywhere(const struct command *const *table, struct str name, char letter)
{
	const struct opt *o = name.n ? opt_find_name(global_options, name) : opt_find_letter(global_options, letter);

	for (; !o && *table; table++)
		o = name.n ? opt_find_name((*table)->options, name) : opt_find_letter((*table)->options, letter);
	return o;
}

const struct opt *cmdline_find_waiting(const struct command *const *table, struct str word)
{
	const struct opt *o;

	if (!is_flag(word) || memchr(word.p, '=', word.n))
		return NULL;
	if (word.p[1] == '-') {
		o = word.n > 2 ? find_anywhere(table, str_skip(word, 2), 0) : NULL;
		return o && opt_needs_value(o) ? o : NULL;
	}
	for (size_t i = 1; i < word.n; i++) {
		o = find_anywhere(table, STR(""), word.p[i]);
		if (o && opt_needs_value(o))
			return i + 1 == word.n ? o : NULL; /* otherwise the value is attached */
	}
	return NULL;
}

/* A hidden command may have the look of a flag, as --generate does. */
static bool is_command_name(const struct command *const *table, struct str word)
{
	size_t used;
	bool is_group;

	return command_find(table, &word, 1, &used, &is_group) != NULL;
}

size_t cmdline_find_words(const struct command *const *table, const struct str *words, size_t count, size_t at[2])
{
	size_t found = 0;

	for (size_t i = 0; i < count && found < 2; i++) {
		if (str_eq(words[i], STR("--")))
			break;
		if (!is_flag(words[i]) || (found == 0 && is_command_name(table, words[i])))
			at[found++] = i;
		else if (cmdline_find_waiting(table, words[i]))
			i++;
	}
	return found;
}

static const char *group_prefix(struct str group, char *out, size_t size)
{
	snprintf(out, size, "%.*s ", STR_ARG(group));
	return out;
}

/* A word that begins nothing, or the second one when the first is that of a group. */
static bool unknown_command(const struct command *const *table, const struct str *words, bool is_group,
			    struct err *err)
{
	const struct command *const *all = table, *member;
	struct nearest near;
	char text[200], prefix[50];
	const char *help;

	nearest_init(&near, words[is_group]);
	for (; *table; table++)
		if (!(*table)->hidden && (!is_group || str_eq(first_word(*table), words[0])))
			nearest_offer(&near, is_group ? second_word(*table) : first_word(*table));
	help = nearest_help(&near, text, sizeof(text), is_group ? group_prefix(words[0], prefix, sizeof(prefix)) : "");
	if (!is_group && (member = command_find_meant(all, words[0], !help))) {
		snprintf(text, sizeof(text), "did you mean 'trackway %s'?", member->name);
		help = text;
	}
	if (!help && is_group) {
		snprintf(text, sizeof(text), "'trackway %.*s -h' lists its commands", STR_ARG(words[0]));
		help = text;
	} else if (!help) {
		help = "'trackway help' lists the commands";
	}
	if (is_group)
		return usage_set(err, help, "unknown command '%.*s %.*s'", STR_ARG(words[0]), STR_ARG(words[1]));
	return usage_set(err, help, "unknown command '%.*s'", STR_ARG(words[0]));
}

/* The walk over the words behind the program's name. */
struct walk {
	struct cmdline *out;
	struct arena *arena;
	const struct str *words;
	size_t count, at;
};

static const struct opt *own_options(const struct walk *w)
{
	return w->out->command ? w->out->command->options : NULL;
}

static void offer_names(struct nearest *near, const struct opt *table)
{
	for (; table && table->kind != OPT_END; table++)
		if (table->name)
			nearest_offer(near, str_from(table->name));
}

/* Always false. The nearest name is looked for in the command's own options first, then in the global ones. */
static bool unknown_option(const struct walk *w, struct str name, struct err *err)
{
	struct nearest near;
	char help[200];

	nearest_init(&near, name);
	offer_names(&near, own_options(w));
	offer_names(&near, global_options);
	return usage_set(err, nearest_help(&near, help, sizeof(help), "--"), "unknown option '--%.*s'", STR_ARG(name));
}

/* Stores an option. A value that is missing is taken from the next word, unless that looks like a flag. */
static bool set_option(struct walk *w, const struct opt *o, struct str spelled, struct str value, struct err *err)
{
	bool is_global = o >= global_options && o < global_options + sizeof(global_options) / sizeof(*o);
	bool has_next = w->at + 1 < w->count;

	/* -o --json is a forgotten file name far more often than a file of that name */
	if (!value.p && opt_needs_value(o) && has_next && !is_flag(w->words[w->at + 1]))
		value = w->words[++w->at];
	return opt_set(o, is_global ? (void *)&w->out->globals : w->out->options, w->arena, spelled, value, err);
}

/* --name or --name=VALUE. Global names come first, so no command can have an option of the same name. */
static bool read_long(struct walk *w, struct str word, struct err *err)
{
	struct str value, spelled = str_cut(word, '=', &value), name = str_skip(spelled, 2);
	const struct opt *o = opt_find_name(global_options, name);

	if (!o)
		o = opt_find_name(own_options(w), name);
	if (!o)
		return unknown_option(w, name, err);
	if (spelled.n == word.n)
		value = str_of(NULL, 0);
	return set_option(w, o, spelled, value, err);
}

/*
 * A group such as -vq, or a letter with its value attached (-oFILE). The first letter that needs a value takes the
 * rest.
 */
static bool read_letters(struct walk *w, struct str word, struct err *err)
{
	for (size_t i = 1; i < word.n; i++) {
		const struct opt *o = opt_find_letter(global_options, word.p[i]);
		char spelled[2] = { '-', word.p[i] };
		struct str attached = str_of(NULL, 0);

		if (!o)
			o = opt_find_letter(own_options(w), word.p[i]);
		if (!o)
			return usage_set(err, NULL, "unknown option '-%.*s'", STR_ARG(str_skip(word, i)));
		if (opt_needs_value(o) && i + 1 < word.n) {
			attached = str_skip(word, i + 1);
			i = word.n;
		}
		if (!set_option(w, o, str_of(spelled, sizeof(spelled)), attached, err))
			return false;
	}
	return true;
}

/* Walks the command line once: options, their values and arguments; everything after -- is an argument. */
static bool read_words(struct walk *w, const size_t *skip, size_t skip_count, struct err *err)
{
	struct str *items = arena_array(w->arena, struct str, w->count + 1);
	struct args *args = &w->out->args;
	bool flags_ended = false;

	args->items = items;
	for (w->at = 0; w->at < w->count; w->at++) {
		struct str word = w->words[w->at];

		if ((skip_count > 0 && w->at == skip[0]) || (skip_count > 1 && w->at == skip[1]))
			continue;
		if (!flags_ended && str_eq(word, STR("--"))) {
			flags_ended = true;
			args->rest = args->count;
			continue;
		}
		if (flags_ended || !is_flag(word))
			items[args->count++] = word;
		else if (!(word.p[1] == '-' ? read_long(w, word, err) : read_letters(w, word, err)))
			return false;
	}
	if (!flags_ended)
		args->rest = args->count;
	return true;
}

/*
 * Reads one variable as if its option stood first on the line. Empty counts as not set; for a flag 0 means off and 1
 * on.
 */
static bool read_variable(struct walk *w, const struct opt_env *e, struct err *err)
{
	const struct opt *o = opt_find_name(w->out->command->options, str_from(e->option));
	struct str value = str_from(getenv(e->variable));

	if (!o || value.n == 0)
		return true;
	if (o->kind == OPT_FLAG && str_eq(value, STR("0")))
		return true;
	if (o->kind == OPT_FLAG && str_eq(value, STR("1")))
		value = str_of(NULL, 0);
	return opt_set(o, w->out->options, w->arena, str_from(e->variable), value, err);
}

/* The options struct, from the defaults and the environment. One byte more than its size, since a size may be 0. */
static bool cmdline_make_options(struct walk *w, struct err *err)
{
	const struct command *c = w->out->command;

	w->out->options = arena_alloc(w->arena, c->options_size + 1, _Alignof(max_align_t));
	if (c->defaults)
		memcpy(w->out->options, c->defaults, c->options_size);
	for (const struct opt_env *e = c->env; e && e->variable; e++)
		if (!read_variable(w, e, err))
			return false;
	return true;
}

/* Colour is wanted for the message about a wrong command line too, so it is looked for before the rest. */
static void find_color(struct walk *w)
{
	const struct opt *o = opt_find_name(global_options, STR("color"));
	struct err ignored; /* a wrong value is told when its turn comes */

	for (size_t i = 0; i < w->count && !str_eq(w->words[i], STR("--")); i++) {
		struct str value, name = str_cut(w->words[i], '=', &value);

		if (!str_eq(name, STR("--color")))
			continue;
		if (name.n == w->words[i].n && i + 1 < w->count)
			value = w->words[i + 1];
		(void)opt_set(o, &w->out->globals, w->arena, name, value, &ignored);
	}
}

static struct str *words_of(struct arena *a, int argc, char *const *argv, size_t *count)
{
	struct str *words = arena_array(a, struct str, (size_t)argc + 1);

	*count = 0;
	for (int i = 1; i < argc; i++)
		words[(*count)++] = str_from(argv[i]);
	return words;
}

bool cmdline_parse(struct cmdline *out, struct arena *a, const struct command *const *table, int argc,
		   char *const *argv, struct err *err)
{
	struct walk w = { .out = out, .arena = a };
	struct str names[2];
	size_t at[2], count, used = 0;
	bool is_group = false;

	*out = (struct cmdline){ .command = NULL };
	w.words = words_of(a, argc, argv, &w.count);
	find_color(&w);
	count = cmdline_find_words(table, w.words, w.count, at);
	for (size_t i = 0; i < count; i++)
		names[i] = w.words[at[i]];
	if (count) {
		out->command = command_find(table, names, count, &used, &is_group);
		if (!out->command)
			return unknown_command(table, names, is_group, err);
		if (!cmdline_make_options(&w, err))
			return false;
	}
	return read_words(&w, at, used, err);
}

bool cmdline_check_args(const struct cmdline *line, struct err *err)
{
	const struct command *c = line->command;
	char help[200];

	if (c->args_min <= line->args.count && line->args.count <= c->args_max)
		return true;
	if (c->args == ARGS_FILES && line->args.count == 0)
		return true; /* args_default_stdin decides */
	snprintf(help, sizeof(help), "usage: trackway %s%s%s", c->name, *c->usage ? " " : "", c->usage);
	if (line->args.count < c->args_min)
		return usage_set(err, help, "'trackway %s' needs more arguments", c->name);
	if (c->args_max == 0)
		return usage_set(err, help, "'trackway %s' takes no arguments, found '%.*s'", c->name,
				 STR_ARG(line->args.items[0]));
	return usage_set(err, help, "too many arguments for 'trackway %s', the first of them '%.*s'", c->name,
			 STR_ARG(line->args.items[c->args_max]));
}
