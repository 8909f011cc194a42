/*
 * Prompt suites: what is asked, and by what the answers are judged. A file is a JSON list of prompts
 *
 *	{"id", "name", "prompt", "validator": {"type", ...}, "expected_tool_calls"?: [], "variant"?: "", "tags"?: []}
 *
 * and a suite is one or more files, or directories of them. Everything that is wrong with it is found here, in all
 * files at once, with file, line and column (rules BS001 and on, bench/suite/rules.h): nothing is sent by halves.
 *
 * {{name}} in any string of a prompt but its id stands for a variable. Its value comes from the pairs the user gave,
 * else from a table (CSV with a row of names, or JSONL), and each row of the table gives a copy of every prompt that
 * uses one of its columns, with "#" and the number of the row behind its id. Values are put in as they are, once: a
 * value is not searched for variables. What is not {{, a name and }} stays as it stands.
 *
 * A prompt that was filled in is judged by a validator that was filled in; both are checked as if they had been
 * written so. The digest is of the prompts as they will be sent and judged, so it is the same for the same questions
 * however they were laid out in files, and another one when a validator changes.
 */
#ifndef BENCH_SUITE_SUITE_H
#define BENCH_SUITE_SUITE_H

#include "base/crypto/sha256.h"
#include "base/err.h"
#include "bench/validate/validator.h"

#define SUITE_FILE_MAX ((size_t)64 << 20) /* bytes of a suite's file, and of a table */
#define SUITE_PROMPTS_MAX 1000000u        /* copies for rows of a table counted */

struct suite_var {
	struct str name, value;
};

struct suite_options {
	const struct suite_var *vars;
	size_t var_count;
	struct str table;     /* path of a .csv or .jsonl file; empty for none */
	bool allow_commands;  /* validators may run programs, */
	bool unsandboxed;     /* even where they cannot be locked in: see validator_sandbox */
	bool filled;          /* the prompts are filled in already: {{name}} stands for itself */
	size_t finding_limit; /* findings kept for each file; 0 keeps all */
};

/* A file that was read, and what is odd about it. */
struct suite_file {
	struct str name;
	struct digest digest; /* of its bytes */
	struct findings findings;
};

struct suite_prompt {
	struct str id, name, prompt;
	struct str variant;        /* empty when there is none */
	const struct str *tags;
	size_t tag_count;
	const struct str *expected; /* tools: the validator's, else expected_tool_calls */
	size_t expected_count;
	bool expects;               /* there is such a list, empty or not */
	const struct validator *validator;
	struct str canonical;       /* the whole prompt as canonical JSON */
	size_t file;                /* its number among the files */
	struct place at;
	uint64_t row;               /* of the table, from 1; 0 when it uses no column */
};

struct suite {
	struct suite_file *files;
	size_t file_count;
	struct suite_prompt *prompts;
	size_t count;
	uint64_t errors; /* findings of all files; the suite may be used only when there are none */
};

/*
 * Reads files, directories (every *.json in one that is not hidden, in the order of their names) and shipped suites
 * (bench/suite/builtin.h), whose names need no "builtin:" unless a file has the same. Everything is in the arena. False
 * and *err, with *s untouched, when a file cannot be read (ERR_IO) or has more than SUITE_FILE_MAX bytes (ERR_LIMIT), a
 * directory has no *.json (ERR_DATA) or no suite of that name is shipped (ERR_USAGE). What is wrong inside a file is
 * for the findings: then it is true, and s->errors is not 0.
 */
bool suite_load(struct suite *s, struct arena *a, const struct str *paths, size_t count, const struct suite_options *o,
		struct err *err);

/* A text at hand, and the name that stands for its file. */
struct suite_text {
	struct str name, text;
};

/* suite_load for texts at hand; `table` is NULL or has the table's text. It cannot fail: all is for the findings. */
void suite_parse(struct suite *s, struct arena *a, const struct suite_text *texts, size_t count,
		 const struct suite_text *table, const struct suite_options *o);

/*
 * Keeps only the prompts that have one of these tags, in their order; without tags all of them. Gives how many are
 * left, which may be none.
 */
size_t suite_select(struct suite *s, const struct str *tags, size_t count);

/*
 * SHA-256 over the canonical form of each prompt and an LF, in their order; of those that are left after suite_select.
 */
struct digest suite_digest(const struct suite *s);

#endif
