/*
 * The agents that are known, a row each: how their programs are called and what leads them to the recorder. Variables
 * that clients of a service read (env.h) are set for everybody. A row says what an agent needs beyond them: arguments,
 * a look into its settings, or interception of its connections. Nothing is written into an agent's settings, and HOME
 * is never moved.
 */
#ifndef CAPTURE_AGENTS_AGENTS_H
#define CAPTURE_AGENTS_AGENTS_H

#include "capture/route.h"

#define AGENT_PROGRAMS 4 /* names, and the NULL that ends them */

enum agent_interception {
	INTERCEPT_NEVER,  /* addresses lead all of it */
	INTERCEPT_UNSET,  /* unless the user has set the variable `by` */
	INTERCEPT_ALWAYS, /* addresses lead none of it, or not all */
};

/* What the user wants, whatever the row says. */
enum agent_wish {
	AGENT_WISH_NONE,
	AGENT_WISH_INTERCEPTION, /* connections are intercepted, and addresses set only where there is no TLS */
	AGENT_WISH_ADDRESSES,    /* connections are never intercepted */
};

struct agent_plan;

struct agent {
	const char *name;                     /* "Claude Code" */
	const char *programs[AGENT_PROGRAMS]; /* and packages, without their scope */
	const char *by; /* what leads it, for people: variables that env.h sets, or what `read` adds; NULL: nothing */
	enum agent_interception interception;
	/* Reads its settings and arguments, and adds to the plan; NULL: nothing to read. False, *err as agents_plan */
	bool (*read)(struct agent_plan *p, struct err *err);
	const char *help; /* what to do when nothing of it was captured; NULL */
};

/* What a child gets beyond its environment and arguments. "\001" in a text stands for our address. */
struct agent_change {
	struct agent_change *next;
	const char *variable; /* set to the text; NULL for an argument */
	size_t at;            /* argument: stands before this one of the user's, */
	size_t replaced;      /* in the place of so many of them */
	const char *option;   /* the word before the text; NULL */
	struct str text;
	bool as_file;         /* the child gets the path of a file with the text, which may hold keys */
};

struct agent_plan {
	struct arena *arena;
	const struct agent *agent; /* NULL: none that is known */
	const char *const *argv;   /* the user's; NULL-ended */
	const char *const *env;
	enum agent_wish wish;
	size_t first;              /* the first argument of the agent itself, in argv */
	struct routes *routes;
	struct agent_change *changes, **last;
	const char *without[2];    /* variables that it must not get, NULL-ended (see env.h) */
	bool intercept;            /* connections are to be intercepted, by the row or the user's wish */
	struct str program;        /* the path of this one, for hooks that call it; p NULL: no hooks */
	struct str told;           /* one line for the user: what is done; p NULL: nothing */
};

/* All rows, to be shown; *count gets how many. */
const struct agent *agents_all(size_t *count);

/*
 * The agent that a command starts, by the name of its program, also behind npx, node, python, env and their like; NULL
 * when none is known. *first gets the place of the agent's first argument.
 */
const struct agent *agents_find(const char *const *argv, size_t *first);

/*
 * Finds the agent and what leads it; may give routes the addresses that its settings name (never one that routes_set
 * gave). Settings that cannot be read count as absent: the agent will say what is wrong with them. False and *err
 * (ERR_USAGE) when an address that they name is none. The plan lives in the arena; argv and env are not copied. The
 * caller sets p->program before.
 */
bool agents_plan(struct arena *a, const char *const *argv, const char *const *env, enum agent_wish wish,
		 struct routes *routes, struct agent_plan *p, struct err *err);

/*
 * The child's arguments. `base` is our address. `path` makes a file of a text that lives as long as we do, and gives
 * its path in the arena. False and *err when it could not; otherwise *out is NULL-ended, in the arena.
 */
bool agents_argv(const struct agent_plan *p, struct str base,
		 bool (*path)(void *context, struct str text, struct str *path, struct err *err), void *context,
		 const char *const **out, struct err *err);

/* The text of a change with our address in it, in the arena. */
struct str agents_text(struct arena *a, const struct agent_change *c, struct str base);

#endif
