/*
 * A program that judges: the answer on its standard input, its exit status for a verdict. It is off unless the user
 * allows it, for a suite may come from anywhere, and locked in (sandbox.h); where that cannot be done, the user has to
 * say once more that it may run.
 */
#include "bench/validate/private.h"
#include "bench/validate/sandbox.h"

#define LOCKED "bubblewrap"

const char *validator_sandbox(void)
{
	return sandbox_works() ? LOCKED : "limits only";
}

/* Sets n->flag when the program will be locked in. False and the problem told when it may not run. */
static bool is_allowed(struct validator_compile *c, struct val v, struct validator_node *n)
{
	const struct validator_options *o = c->options;

	if (!o->allow_commands)
		return problem_at(c->problems, SUITE_COMMAND, v,
				  "the suite wants to run a program, which was not allowed");
	n->flag = strcmp(o->sandbox ? o->sandbox : validator_sandbox(), LOCKED) == 0;
	if (n->flag || o->unsandboxed)
		return true;
	return problem_at(c->problems, SUITE_COMMAND, v,
		   "the program cannot be sandboxed: bwrap is not installed, or may not create namespaces here");
}

/* A NUL in an argument would cut it short without a word, so it is refused. */
static bool compile_command(struct validator_compile *c, struct val v, struct validator_node *n)
{
	n->limit = VALIDATOR_COMMAND_MS;
	if (!is_allowed(c, v, n) || !validator_read_texts(c, v, "argv", true, &n->values, &n->value_count))
		return false;
	for (size_t i = 0; i < n->value_count; i++) {
		if ((i == 0 && n->values[i].n == 0) || memchr(n->values[i].p, '\0', n->values[i].n))
			return problem_at(c->problems, SUITE_VALUE, val_get(v, STR("argv")), "\"argv\" is no command");
	}
	if (!val_has(v, STR("timeout_ms")))
		return true;
	if (!validator_read_count(c, v, "timeout_ms", 1, &n->limit))
		return false;
	if (n->limit > VALIDATOR_COMMAND_MAX)
		return problem_at(c->problems, SUITE_VALUE, val_get(v, STR("timeout_ms")),
			   "\"timeout_ms\" should be at most %d", VALIDATOR_COMMAND_MAX);
	return true;
}

/* The program gets the answer untrimmed. Status 0 passes; one that has no status fails for what sandbox_run says. */
static void run_command(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	const char **argv = (const char **)arena_alloc_array(r->arena, n->value_count + 1, sizeof(*argv),
							     _Alignof(const char *));
	struct sandbox_job job = { .argv = argv, .input = r->raw, .limit_ms = n->limit, .locked = n->flag };
	const char *why;
	int status;

	for (size_t i = 0; i < n->value_count; i++)
		argv[i] = n->values[i].p; /* a copy in an arena is terminated */
	argv[n->value_count] = NULL;
	status = sandbox_run(&job, &why);
	if (status < 0) {
		verdict_set(out, false, str_from(why));
		return;
	}
	verdict_set(out, status == 0, arena_printf(r->arena, "command_failed status=%d", status));
	out->parsed = arena_printf(r->arena, "{\"status\":%d}", status);
}

const struct validator_kind validator_command = {
	"command", { { "argv", true }, { "timeout_ms", false }, { NULL, false } }, compile_command, run_command
};
