/* A plan made of a command line, a directory of settings and variables, and shown as one text. */
#ifndef UNIT_CAPTURE_AGENTS_PLAN_H
#define UNIT_CAPTURE_AGENTS_PLAN_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "capture/agents/agents.h"
#include "harness/test.h"

#define PLAN_WORDS 20

struct planned {
	struct arena arena;
	char dir[64];              /* where it works; its home is "home" in it */
	const char *env[8];        /* HOME first */
	struct routes routes;
	struct agent_plan plan;
	struct err err;
	enum agent_wish wish;
	struct str handed;         /* the text of the file, when one was made */
};

static inline const char *plan_no_variable(const char *name)
{
	(void)name;
	return NULL;
}

static inline void plan_begin(struct planned *p)
{
	const char *tmp = getenv("TMPDIR");

	*p = (struct planned){ .err.kind = ERR_NONE };
	arena_init(&p->arena);
	CHECK(snprintf(p->dir, sizeof(p->dir), "%s/trackway-agents-XXXXXX", tmp ? tmp : "/tmp") < 64);
	CHECK(mkdtemp(p->dir) != NULL && chdir(p->dir) == 0);
	p->env[0] = arena_printf(&p->arena, "HOME=%s/home", p->dir).p;
	CHECK(routes_init(&p->routes, &p->arena, plan_no_variable, &p->err));
}

/* A file of the test's directory; directories before it are made. */
static inline void plan_write(struct planned *p, const char *path, struct str text)
{
	struct str dir = str_dirname(str_from(path));

	CHECK(file_make_dirs(dir, 0777, NULL, &p->err));
	CHECK(file_replace(str_from(path), text, 0600, &p->err));
}

static inline void plan_end(struct planned *p)
{
	struct str command = arena_printf(&p->arena, "rm -rf '%s'", p->dir);

	CHECK(chdir("/") == 0 && system(command.p) == 0);
	arena_free(&p->arena);
}

static inline bool plan_hand(void *context, struct str text, struct str *path, struct err *err)
{
	struct planned *p = context;

	(void)err;
	p->handed = text;
	*path = STR("FILE");
	return true;
}

/* Words between single blanks. */
static inline bool plan_make(struct planned *p, const char *line)
{
	const char **argv = arena_array(&p->arena, const char *, PLAN_WORDS + 1);
	struct str rest = str_from(line);
	size_t count = 0;

	while (rest.n && count < PLAN_WORDS)
		argv[count++] = arena_copy(&p->arena, str_cut(rest, ' ', &rest)).p;
	return agents_plan(&p->arena, argv, p->env, p->wish, &p->routes, &p->plan, &p->err);
}

/* The words the child gets, with blanks between them; our address is B. */
static inline struct str plan_words(struct planned *p)
{
	const char *const *argv;
	struct buf b;

	CHECK(agents_argv(&p->plan, STR("B"), plan_hand, p, &argv, &p->err));
	buf_init(&b);
	for (; *argv; argv++) {
		buf_add_str(&b, str_from(*argv));
		if (argv[1])
			buf_add_byte(&b, ' ');
	}
	return arena_take(&p->arena, &b);
}

static inline struct str plan_upstream(struct planned *p, const char *route)
{
	const struct route *t = routes_find(&p->routes, str_from(route));

	return t ? url_format(&p->arena, &t->url) : STR("none");
}

#endif
