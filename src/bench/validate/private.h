/* Inside of the validators: what a kind is, and what one of them looks like once it is compiled. */
#ifndef BENCH_VALIDATE_PRIVATE_H
#define BENCH_VALIDATE_PRIVATE_H

#include "base/buf.h"
#include "bench/validate/jsonschema.h"
#include "bench/validate/regex.h"
#include "bench/validate/validator.h"

struct validator_compile;
struct validator_node;
struct validator_run;

/* A member that a validator may have. */
struct validator_key {
	const char *name;
	bool required;
};

#define VALIDATOR_KEYS 5

struct validator_kind {
	const char *name;
	struct validator_key keys[VALIDATOR_KEYS]; /* beside "type"; ended by a NULL name */
	/* NULL: nothing to compile. Required keys are there. Tells its problems; what it returns nobody asks. */
	bool (*compile)(struct validator_compile *c, struct val v, struct validator_node *n);
	/* *out is VERDICT_NULL without texts when it begins. Any number of threads at once. */
	void (*run)(const struct validator_run *r, const struct validator_node *n, struct verdict *out);
};

/* The rule for one member of json_keys. */
struct validator_rule {
	struct str key;
	const char *type;         /* "one_of", "number", ... */
	const struct str *values; /* of one_of: canonical JSON */
	size_t value_count;
};

/* One validator. Which of the fields mean something is its kind's affair. */
struct validator_node {
	const struct validator_kind *kind;
	struct str failure; /* the violation, or what it begins with: known when it is compiled */
	struct str value;
	const struct str *values;
	size_t value_count;
	const struct regex **patterns;
	size_t pattern_count;
	const struct jsonschema *schema;
	const struct validator_rule *rules;
	size_t rule_count;
	int64_t limit;
	bool flag;
	uint32_t first, count; /* of those inside: they lie behind it, one after the other */
};

struct validator {
	struct validator_node *nodes; /* the first is the whole; each is before those inside it */
	uint32_t count;
	uint64_t pattern_count; /* of all of them */
};

struct validator_compile {
	struct arena *arena;
	struct problems *problems;
	const struct validator_options *options;
	struct validator *out;
	struct val *sources; /* of each node; those not yet compiled are at the end */
};

struct validator_run {
	struct arena *arena;
	const struct validator_input *in;
	struct str raw, out; /* the answer as UTF-8: whole, and trimmed */
	const struct validator *validator;
	uint64_t *budget; /* of all patterns and schemas together, see regex.h */
	struct verdict *verdicts; /* of every node behind the one that runs */
};

/* ---- for compiling ---- */

/* Tells that a member should be something else. Always false. */
bool validator_fault(struct validator_compile *c, struct val v, const char *name, const char *wanted);

/*
 * Each reads a member of a type; false, and the problem told, when it is not of that type. A flag that is absent is no
 * fault, and *out stays; the others must be there. Texts are copied into the arena.
 */
bool validator_read_text(struct validator_compile *c, struct val object, const char *name, struct str *out);
bool validator_read_count(struct validator_compile *c, struct val object, const char *name, int64_t least,
			  int64_t *out);
bool validator_read_flag(struct validator_compile *c, struct val object, const char *name, bool *out);
/* Reads a list of strings; with `some`, at least one must be there. */
bool validator_read_texts(struct validator_compile *c, struct val object, const char *name, bool some,
			  const struct str **out, size_t *count);
/*
 * Compiles a pattern and adds it to the node's, for which n->patterns must have room; false and the problem told when
 * it is none.
 */
bool validator_read_pattern(struct validator_compile *c, struct val v, enum regex_syntax syntax,
			    struct validator_node *n);
/* Adds a validator inside another, to be compiled later; false and the problem told when there are too many. */
bool validator_add_inside(struct validator_compile *c, struct val v, struct validator_node *n);
/* n->failure = words, then Python's repr of the value. */
void validator_say(struct validator_compile *c, struct validator_node *n, const char *words, struct val v);
/*
 * The canonical text (JCS) of a value, in the arena. False, and *out untouched, when it has none, as with a lone
 * surrogate.
 */
bool validator_canonical(struct arena *a, struct val v, struct str *out);

/* ---- for running ---- */

/* Passes, or fails with the node's own words. */
void verdict_set(struct verdict *out, bool pass, struct str violation);
/* Sets parsed_output to {NAME: n, "text": the trimmed answer}; without n when `name` is NULL. */
void verdict_text(const struct validator_run *r, const char *name, uint64_t n, struct verdict *out);

/* ---- the kinds, by file ---- */

extern const struct validator_kind validator_noop, validator_exact, validator_one_of, validator_regex,
	validator_max_words, validator_max_sentences, validator_exact_bullets, validator_contains,
	validator_max_tokens;                                                  /* validator_text.c */
extern const struct validator_kind validator_json_keys, validator_json_schema; /* validator_json.c */
extern const struct validator_kind validator_tool_invocation, validator_tool_sequence,
	validator_tool_args;                                                          /* _tool.c */
extern const struct validator_kind validator_all_of, validator_any_of, validator_not; /* validator_group.c */
extern const struct validator_kind validator_command;                                 /* validator_command.c */

/* The JSON in an answer: fenced, else from the first { to the last }, else all of it. */
struct str validator_json_part(struct str answer);

/* A value's own text without the white space between its parts; of names that repeat only the last one is kept. */
void validator_squeeze(struct buf *out, struct val v);

#endif
