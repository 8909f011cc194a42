/*
 * From argv to a command, its options and its arguments, by the tables alone. Flags may stand
 * anywhere, also before the command's name; "--" ends them. Words are never abbreviated: a word that
 * nobody knows is an error that names the nearest one, and nothing is run.
 */
#ifndef CMD_FRAME_CMDLINE_H
#define CMD_FRAME_CMDLINE_H

#include "cmd/frame/command.h"

/* The options that every command has. */
struct globals {
	bool short_help, full_help, version; /* -h, --help, --version: they win over the command */
	unsigned verbose; /* how often -v was given */
	bool quiet, no_pager;
	int color; /* enum term_color */
};

extern const struct opt global_options[]; /* ended by OPT_LAST; offsets are those in struct globals */

struct cmdline {
	const struct command *command; /* NULL when none was named */
	struct globals globals;
	void *options;    /* the command's struct; NULL without a command */
	struct args args; /* the frame in it is the caller's to set */
};

/*
 * Reads a command line; *out is filled in whole. Everything in it points into argv and the arena. Fails with ERR_USAGE
 * on an unknown command or option, or a value of the wrong kind (of a variable, too); *out then has the command as far
 * as it was found, and the colour, so that the message can name a help page and look right.
 */
bool cmdline_parse(struct cmdline *out, struct arena *a, const struct command *const *table, int argc,
		   char *const *argv, struct err *err);

/*
 * Whether the number of arguments is one the command takes; ERR_USAGE otherwise. No argument at all is
 * right for a command on files, because standard input may stand in.
 */
bool cmdline_check_args(const struct cmdline *line, struct err *err);

/*
 * The command whose name is the first one or two of the words; *used says how many. The first word of a
 * group alone is the group's own row. NULL when there is none; *is_group then says whether the first word
 * begins names of two words.
 */
const struct command *command_find(const struct command *const *table, const struct str *words, size_t count,
				   size_t *used, bool *is_group);

/* The command of two words whose name is written with a hyphen, as manual pages are: "ledger-verify". NULL for none. */
const struct command *command_find_hyphened(const struct command *const *table, struct str word);

/*
 * The command of two words that somebody may have meant by one: with a hyphen, or its second word alone; with `near`
 * also one that is nearly that. The first of several; NULL for none.
 */
const struct command *command_find_meant(const struct command *const *table, struct str word, bool near);

/* Whether c is one of the commands of the group; the group's own row is not. */
bool command_is_member(const struct command *c, const struct command *group);

/* Whether lists of everything name it: not what is hidden, and of a group its row alone. */
bool command_is_listed(const struct command *c);

/*
 * Where the first two words stand that are neither flags nor their values, in at[]; "--" ends the search. Gives how
 * many there are. These are the words a command's name can be made of.
 */
size_t cmdline_find_words(const struct command *const *table, const struct str *words, size_t count, size_t at[2]);

/*
 * The option that `word` names and that takes the word after it as its value. NULL when it is no flag, is unknown,
 * needs no value, or has one attached. A constant row of a table.
 */
const struct opt *cmdline_find_waiting(const struct command *const *table, struct str word);

#endif
