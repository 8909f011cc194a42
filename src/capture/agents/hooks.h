/*
 * The hooks that we put into an agent's settings: which events, how an entry looks, and the file's text with our
 * entries put in or taken out. All else in the file stays as it is, byte for byte. An entry is ours when its command
 * ends like "trackway hook claude-code", wherever the program is.
 */
#ifndef CAPTURE_AGENTS_HOOKS_H
#define CAPTURE_AGENTS_HOOKS_H

#include "base/arena.h"
#include "base/err.h"
#include "json/write.h"

#define HOOKS_FILE_MOST ((size_t)1 << 20) /* bytes of settings that are changed; they are parsed for each entry */

struct hooks_agent {
	const char *name;          /* the word behind "trackway hook" */
	const char *title;
	const char *home_variable; /* names the directory of the user's file; NULL */
	const char *dir, *file;    /* in the home directory, and in a project */
	const char *const *events; /* NULL-ended */
	bool nested;               /* an entry is a matcher with a list of hooks, as Claude Code has it */
	bool versioned;            /* the file has "version": 1 */
};

/* The row of an agent by its name, or NULL; and all of them, ended by a NULL name. */
const struct hooks_agent *hooks_find(struct str name);
extern const struct hooks_agent hooks_agents[];

/* The command of an entry, for a shell: the program's path, quoted where needed, and its words. In the arena. */
struct str hooks_command(struct arena *a, const struct hooks_agent *h, struct str program);

/* One entry, as the value that a writer wants next. */
void hooks_write_entry(struct json_writer *w, const struct hooks_agent *h, struct str command);

struct hooks_change {
	struct str text;  /* of the file, as it is to be; in the arena */
	size_t added, updated, removed; /* entries; updated: they named another program */
};

/*
 * Puts our entries into a file's text (empty: there is no file yet), or takes them out. Nothing changes when all is as
 * it should be. False and *err (ERR_DATA) with the place when the text is not JSON, or not what the agent reads.
 */
bool hooks_install(struct arena *a, const struct hooks_agent *h, struct str text, struct str program,
		   struct hooks_change *out, struct err *err);
bool hooks_remove(struct arena *a, const struct hooks_agent *h, struct str text, struct hooks_change *out,
		  struct err *err);

#endif
