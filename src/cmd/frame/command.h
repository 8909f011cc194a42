/*
 * A command is a constant and one function. The constant says everything the frame needs to parse
 * the command line, to print help, to write the manual page and to complete words in a shell; the
 * function does the work. To add a command, add a file cmd_<name>.c and a row in commands.c.
 *
 * The frame owns everything it hands to a run function: the options struct, the arguments and what
 * they point to live as long as the process.
 */
#ifndef CMD_FRAME_COMMAND_H
#define CMD_FRAME_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "cmd/frame/exit.h"
#include "cmd/screen/term.h"

/* The kind of an option says which field stands at its offset. Given twice, the last one wins. */
enum opt_kind {
	OPT_END,
	OPT_FLAG,     /* bool */
	OPT_COUNT,    /* unsigned: how often it was given */
	OPT_STR,      /* struct str; p is NULL when it was not given */
	OPT_SIZE,     /* size_t, from 4096, 64M, 1GiB (powers of 1024) or 5MB (of 1000) */
	OPT_UINT,     /* unsigned */
	OPT_CHOICE,   /* int: which of the words of `argument`, "auto|always|never", counted from 0 */
	OPT_LIST,     /* struct opt_list: every value given, in order */
	OPT_OPTIONAL, /* struct opt_maybe: --name or --name=VALUE, never --name VALUE */
};

struct opt_list {
	struct str *items;
	size_t count;
};

struct opt_maybe {
	bool given;
	struct str value; /* p is NULL without "=VALUE" */
};

struct opt {
	enum opt_kind kind;
	char letter;      /* of the short form, or 0; only o, n and e are free for commands */
	const char *name; /* of the long form, without the dashes */
	size_t offset;    /* of the field in the command's options struct */
	const char *argument; /* "FILE", "N", "a|b|c"; NULL for a flag */
	const char *help;     /* a sentence without capital and full stop */
};

#define OPT_LAST { OPT_END, 0, NULL, 0, NULL, NULL }

/* TRACKWAY_JOBS=4 in the environment stands for --jobs=4; the command line wins. */
struct opt_env {
	const char *variable, *option;
};

struct example {
	const char *line;  /* "trackway canon trace.json"; every example is run by the tests */
	const char *about; /* what it does, without capital and full stop */
};

/* What the arguments are, for completion and for the rule about standard input. */
enum args_kind {
	ARGS_NONE,
	ARGS_WORDS,  /* nothing to complete */
	ARGS_FILES,  /* completed by the shell; standard input stands in for a missing one */
	ARGS_TOPICS, /* commands and help topics */
	ARGS_SHELLS,
	ARGS_CODES, /* of rules */
	ARGS_RUNS,  /* names of runs, and files */
	ARGS_SUITES, /* files of prompts, and those that are built in */
	ARGS_DIR,    /* completed by the shell; standard input is none */
	ARGS_KINDS, /* count of the above */
};

#define ARGS_MANY ((size_t)-1)

/* What the frame decided before the command started. */
struct frame {
	const struct command *command;
	struct term out, err; /* standard output and standard error */
	unsigned verbose;     /* -v, -vv */
	bool quiet;           /* -q: nothing but errors on standard error */
	bool pager;           /* may be used */
	const char *const *argv; /* the command line as it was given; ended by NULL */
};

struct args {
	const struct str *items; /* NUL-terminated, so items[i].p also serves system calls */
	size_t count;
	size_t rest; /* items from here on stood after "--"; equals count without one */
	const struct frame *frame;
};

struct command {
	const char *name;        /* "canon"; a member of a group has two words, "ledger init" */
	const char *summary;     /* one line without capital and full stop */
	const char *usage;       /* what follows the name: "FILE|- [-o OUT]" */
	const char *description; /* paragraphs parted by an empty line; indented lines stay as they are */
	const struct example *examples; /* ended by a NULL line */
	const struct opt *options;      /* ended by OPT_LAST; NULL for none */
	const char *const *fields; /* of --json, ended by NULL: help lists them, others are refused; NULL for none */
	const struct opt_env *env;      /* ended by a NULL variable; NULL for none */
	const void *defaults;           /* an options struct to start from; NULL for all zero */
	size_t options_size;            /* sizeof the options struct */
	enum args_kind args;
	size_t args_min, args_max;
	bool hidden; /* from help, completion and manual */
	bool is_group; /* the first word of others: its page lists them, its examples are a session; it has no run */
	/* One of enum exit_status. EXIT_FAIL with *err set when it could not do its work. */
	int (*run)(struct arena *a, const void *options, struct args args, struct err *err);
};

/* The first argument; there must be one (args_min says so). */
struct str args_path(struct args args);

/*
 * For ARGS_FILES without any argument: makes it "-" and gives true, unless standard input is a
 * terminal, where waiting would look like hanging: false, and the command returns EXIT_HELP. The
 * frame does this itself when args_min is not 0.
 */
bool args_default_stdin(struct args *args);

/*
 * Sets ERR_USAGE with a sentence (cut to 699 bytes) and, unless `help` is NULL, what to do about it, on a line of its
 * own. Any error text may have such a part after ERR_HELP. Always false.
 */
__attribute__((format(printf, 3, 4))) bool usage_set(struct err *err, const char *help, const char *format, ...);

#endif
