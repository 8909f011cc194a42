/*
 * What a prompt's answer is judged by. A validator is compiled once, when its suite is loaded, so that whatever is
 * wrong with it is known before anything is sent; it is then run for every answer, by any number of threads, and
 * keeps nothing.
 *
 * The nine of the seed are `noop`, `exact`, `one_of`, `regex_fullmatch`, `max_words`, `max_sentences`,
 * `exact_bullets`, `json_keys` and `tool_invocation`; ours are `all_of`, `any_of`, `not`, `contains`, `json_schema`,
 * `tool_sequence`, `tool_args`, `max_tokens` and `command`. doc/bench-suites.md says what each needs, when it passes,
 * and in which words it refuses. Words, blanks and lines are Python's (python_text.h), for the harness that set the
 * rules was written in it.
 *
 * The answer is trimmed of spaces, tabs, CRs and LFs first, except for what looks for tools. Bytes that are not UTF-8
 * become U+FFFD. Whatever the answer is, a verdict comes: patterns and schemas have budgets, programs have a time
 * limit.
 */
#ifndef BENCH_VALIDATE_VALIDATOR_H
#define BENCH_VALIDATE_VALIDATOR_H

#include "bench/suite/problem.h"
#include "bench/validate/detect.h"

#define VALIDATOR_NODES 256         /* validators inside one, itself included */
#define VALIDATOR_JSON_DEPTH 256    /* of JSON in an answer */
#define VALIDATOR_COMMAND_MS 10000  /* how long a program may take, unless it is told otherwise */
#define VALIDATOR_COMMAND_MAX 600000

struct validator;

struct validator_options {
	bool allow_commands; /* the user has said that the suite may run programs, */
	bool unsandboxed;    /* and that it may do so without a sandbox */
	const char *sandbox; /* what validator_sandbox gave; NULL: it is asked for each validator that runs one */
};

/*
 * What programs are locked into on this machine: "bubblewrap", or "limits only" where namespaces cannot be made. Then
 * a suite with `command` is refused unless `unsandboxed` is set.
 */
const char *validator_sandbox(void);

/*
 * Compiles a validator into the arena; it keeps nothing of `v`. NULL when it cannot be used; all that is wrong, in
 * those inside it too, is told to `p`. With `command` in it and no `sandbox` given, it tries the sandbox, which takes
 * some milliseconds.
 */
const struct validator *validator_new(struct arena *a, struct val v, const struct validator_options *o,
				      struct problems *p);

/*
 * Adds what an answer must be to pass, in words, from a validator's JSON, whether it could be compiled or not: a line
 * for each of those inside it, indented by "- ", each ended by LF. Members stand as they are written; of a type that is
 * not known the whole does. Nothing for what is no object.
 */
void validator_add_words(struct buf *out, struct val v);

/* "exact" and so on: the type of the outermost validator; a constant. */
const char *validator_type(const struct validator *v);

/*
 * The list expected_tools of a tool_invocation at the top, which lives as long as the validator; NULL and *count 0 for
 * any other, also for one inside a group.
 */
const struct str *validator_expected_tools(const struct validator *v, size_t *count);

/* A call that the service reported. `arguments` is JSON, or empty when there were none. */
struct validator_call {
	struct str name, arguments;
};

struct validator_input {
	struct str output;                  /* of the model, whole and untrimmed */
	struct tool_use tools;              /* what detect_tools gave for it */
	const struct validator_call *calls; /* as reported; none when the tools come from the text */
	size_t call_count;
	int64_t output_tokens; /* as reported, or -1 */
};

struct verdict {
	enum verdict_pass pass;
	struct str violation; /* empty when there is none */
	struct str parsed;    /* parsed_output: a JSON object, or empty for null */
};

/*
 * Judges an answer; always gives a verdict. VERDICT_NULL: this validator has nothing to say (noop, tokens that were not
 * counted). What could not be decided within its limits fails, with a violation that says so. A `command` blocks until
 * its program has ended. Texts of the verdict are in the arena, or live as long as the validator.
 */
struct verdict validator_run(const struct validator *v, struct arena *a, const struct validator_input *in);

#endif
