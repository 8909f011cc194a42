/* Runs the tool with its output in memory and turns every way to fail into a short sentence of our own. */
#include "bench/suite/tool.h"

#include <errno.h>

#include "proc/answer.h"

static struct str why_not(struct arena *a, const char *name, const struct err *err)
{
	if (err->errnum == ENOENT)
		return arena_printf(a, "%s: not found", name);
	if (err->errnum == ETIMEDOUT)
		return arena_printf(a, "%s: no answer within %d s", name, TOOL_MS / 1000);
	if (err->kind == ERR_LIMIT)
		return arena_printf(a, "%s: its answer is too long", name);
	return arena_printf(a, "%s: cannot be run", name);
}

/* Programs that have a server say this when it is not running; worth more than a number. */
static bool has_no_server(struct str complaint)
{
	return str_has(complaint, STR("could not connect")) || str_has(complaint, STR("connection refused"));
}

bool tool_ask(struct arena *a, const char *const *argv, struct str *said)
{
	const char *name = str_basename(str_from(argv[0])).p; /* a path tells of whose it is */
	struct err err = { .kind = ERR_NONE };
	struct answer answer;
	bool ok;

	answer_init(&answer);
	ok = answer_get_within(&answer, argv, TOOL_SAID, TOOL_MS, &err);
	if (!ok)
		*said = why_not(a, name, &err);
	else if (answer.signal)
		*said = arena_printf(a, "%s: ended by signal %d", name, answer.signal);
	else if (answer.status && has_no_server(buf_str(&answer.complaint)))
		*said = arena_printf(a, "%s: its server does not answer", name);
	else if (answer.status)
		*said = arena_printf(a, "%s: exit status %d", name, answer.status);
	else
		*said = arena_copy(a, buf_str(&answer.out));
	ok = ok && !answer.signal && !answer.status;
	answer_free(&answer);
	return ok;
}
