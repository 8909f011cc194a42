/* Looks a name up in the table that tools/gen-suites makes from the files of src/bench/suites. */
#include "bench/suite/builtin.h"

#include "base/buf.h"

const char *suite_builtin_name(size_t i)
{
	return suite_builtins[i].name;
}

bool suite_is_builtin(struct str path)
{
	return str_starts(path, STR(SUITE_BUILTIN));
}

/* What is behind the prefix. */
static struct str suite_builtin_name_of(struct str path)
{
	size_t n = sizeof(SUITE_BUILTIN) - 1;

	return suite_is_builtin(path) ? str_skip(path, n) : path;
}

struct str suite_builtin_find(struct arena *a, struct str path)
{
	struct str name = suite_builtin_name_of(path);

	for (const struct suite_builtin *b = suite_builtins; b->name; b++)
		if (str_eq(str_from(b->name), name))
			return suite_is_builtin(path) ? path : ARENA_JOIN(a, STR(SUITE_BUILTIN), name);
	return str_of(NULL, 0);
}

bool suite_builtin_text(struct str path, struct str *out, struct err *err)
{
	struct str name = suite_builtin_name_of(path);
	struct buf names;

	for (const struct suite_builtin *b = suite_builtins; b->name; b++) {
		if (str_eq(str_from(b->name), name)) {
			*out = str_of(b->text, b->size);
			return true;
		}
	}
	buf_init(&names);
	for (const struct suite_builtin *b = suite_builtins; b->name; b++)
		buf_printf(&names, "%s" SUITE_BUILTIN "%s", b == suite_builtins ? "" : b[1].name ? ", " : " and ",
			   b->name);
	err_set(err, ERR_USAGE, "no suite called '%.*s' comes with the program" ERR_HELP
		"there are %.*s", STR_ARG(name),
		STR_ARG(buf_str(&names)));
	buf_free(&names);
	return false;
}
