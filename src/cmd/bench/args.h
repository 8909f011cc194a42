/* What the commands of `bench` share: options that name who is asked, where, and with what; suites; the run's place. */
#ifndef CMD_BENCH_ARGS_H
#define CMD_BENCH_ARGS_H

#include "bench/run/config.h"
#include "bench/run/target.h"
#include "bench/suite/suite.h"
#include "cmd/frame/command.h"

/* ---- who is asked: a member `who` of the options struct ---- */

struct bench_who {
	struct opt_list targets, bases, key_files; /* as given; parsed by the functions below */
	struct str header_file, mock_script; /* p NULL when not given */
};

/* `times`: how often --target may be given. */
#define BENCH_WHO_OPTIONS(type, times) \
	{ OPT_LIST, 0, "target", offsetof(type, who.targets), "PROVIDER:MODEL[@THINKING]", \
	  "the model to ask; " times }, \
	{ OPT_LIST, 0, "base", offsetof(type, who.bases), "PROVIDER=URL", \
	  "the address of a provider, instead of its usual one" }, \
	{ OPT_LIST, 0, "key-file", offsetof(type, who.key_files), "PROVIDER=FILE", \
	  "read the provider's key from a file, not the environment" }, \
	{ OPT_STR, 0, "header-file", offsetof(type, who.header_file), "FILE", \
	  "send these headers with every request: lines 'Name: value'" }, \
	{ OPT_STR, 0, "mock-script", offsetof(type, who.mock_script), "FILE", \
	  "the answers of the provider 'mock' (default: it repeats the prompt)" }

/* For commands that send: a member `allow_unreachable`. */
#define BENCH_REACH_OPTION(type) \
	{ OPT_FLAG, 0, "allow-unreachable", offsetof(type, allow_unreachable), NULL, \
	  "run without a key, and exit with 0 even if a target never answers" }

/*
 * Checks that each target has its key. ERR_USAGE, before anything is made or sent, that names the first which cannot be
 * asked for want of one, and its variable.
 */
bool bench_args_keys(const struct target *targets, const struct provider_options *providers, size_t count,
		     struct err *err);

/* The same for an address, which --allow-unreachable does not make up for. */
bool bench_args_addresses(const struct target *targets, const struct provider_options *providers, size_t count,
			  struct err *err);

/* Always false: sets ERR_IO because `targets`, a text with the failures of each, gave not one ok answer. */
bool bench_args_unreachable(struct str targets, struct err *err);

/*
 * Parses every --target. False with an error when there is none, one cannot be parsed, or two would have the same
 * files. *out lives in the arena; *out and *count are untouched after an error.
 */
bool bench_args_targets(struct arena *a, const struct bench_who *w, struct target **out, size_t *count,
			struct err *err);

/*
 * How to reach each target: reads the files that the options name, into the arena. `c`, unless it is NULL, gets what
 * config.json keeps of these files (digests, never values); its created_at must be set already. ERR_USAGE for an option
 * that names no provider, ERR_DATA for a file that holds something else, else why it cannot be read. *out has `count`
 * items in the order of the targets.
 */
bool bench_args_providers(struct arena *a, const struct bench_who *w, const struct target *targets, size_t count,
			  struct provider_options **out, struct config *c, struct err *err);

/* ---- how they are asked: a member `how` ---- */

struct bench_how {
	unsigned timeout, max_tokens, seed; /* timeout in seconds; max_tokens 0: none is sent */
	struct str temperature, system; /* p NULL: the provider's own */
	bool no_stream;
};

#define BENCH_TIMEOUT 120

#define BENCH_HOW_OPTIONS(type) \
	{ OPT_UINT, 0, "timeout", offsetof(type, how.timeout), "SECONDS", "seconds to wait for an answer (120)" }, \
	{ OPT_UINT, 0, "max-tokens", offsetof(type, how.max_tokens), "N", "most tokens in an answer" }, \
	{ OPT_STR, 0, "temperature", offsetof(type, how.temperature), "X", \
	  "the temperature to send (default: the provider's)" }, \
	{ OPT_STR, 0, "system", offsetof(type, how.system), "TEXT", \
	  "the system prompt (default: the provider's)" }, \
	{ OPT_FLAG, 0, "no-stream", offsetof(type, how.no_stream), NULL, \
	  "do not stream answers; this gives no time to first token" }, \
	{ OPT_UINT, 0, "seed", offsetof(type, how.seed), "N", "random seed (0)" }

/* Reads the temperature, from 0 to 100; *out is -1 when it was not given. False with ERR_USAGE. */
bool bench_args_temperature(const struct bench_how *h, double *out, struct err *err);

/* ---- what is asked: a member `what` ---- */

struct bench_what {
	struct opt_list tags, vars; /* no tags: every prompt */
	struct str table;
	struct opt_maybe allow_commands; /* value p NULL: only in a sandbox */
};

#define BENCH_WHAT_OPTIONS(type) \
	{ OPT_LIST, 0, "tag", offsetof(type, what.tags), "TAG", \
	  "only prompts with this tag; with several, any of them" }, \
	{ OPT_LIST, 0, "var", offsetof(type, what.vars), "NAME=VALUE", "a value for {{NAME}} in prompts" }, \
	{ OPT_STR, 0, "table", offsetof(type, what.table), "FILE", \
	  "a CSV or JSONL file; each row makes a copy of every prompt that uses its columns" }, \
	{ OPT_OPTIONAL, 0, "allow-commands", offsetof(type, what.allow_commands), "unsandboxed", \
	  "let validators run programs in a sandbox; =unsandboxed also runs them without one" }

/*
 * Loads a suite and keeps the prompts with the tags asked for. Whatever is wrong with it is printed on standard error,
 * and *err (ERR_DATA) then says that it cannot be used; ERR_USAGE when no suite is named or no prompt has the tags.
 * *how gets the options the suite was loaded with, the pairs of --var among them. Everything lives in the arena.
 */
bool bench_args_suite(struct arena *a, const struct frame *f, const struct str *paths, size_t count,
		      const struct bench_what *w, struct suite *out, struct suite_options *how, struct err *err);

/*
 * Loads the suite that a run was made with: the files that its config.json names, as they are now, with its tags and
 * variables where none are given. A note says which file has changed since. ERR_USAGE when config.json does not tell
 * enough, ERR_IO when a file is not there; else as bench_args_suite.
 */
bool bench_args_own_suite(struct arena *a, const struct frame *f, struct str run, const struct bench_what *given,
			  struct suite *out, struct err *err);

/* Prints what is odd about a suite's files, with -q only errors; false with ERR_DATA when it has an error. */
bool bench_args_check_suite(const struct frame *f, const struct suite *s, struct err *err);

/* ---- where it goes ---- */

/*
 * The id that was given, if it can be the name of a directory (else ERR_USAGE); or one made of the local time, that no
 * directory below `out` has. Nothing is made. *id lives in the arena, or is `given`.
 */
bool bench_args_run_id(struct arena *a, struct str given, struct str out, struct str *id, struct err *err);

/*
 * The directory of a run as the user names it: a directory, a file in it, an id below `out` (p NULL: ./runs), or what
 * store/runs.h knows. A path that is there wins. ERR_IO when there is no such run; errors of store/runs.h for an
 * ambiguous name. *dir is NUL-terminated.
 */
bool bench_args_find_run(struct arena *a, struct str name, struct str out, struct str *dir, struct err *err);

/* Puts a run on the list, so that @last and the end of its id name it. A list that cannot be written stops nobody. */
void bench_args_list_run(struct arena *a, struct str run_id, struct str dir, struct str started);

/* ---- for config.json ---- */

struct str bench_args_now(struct arena *a); /* RFC 3339 */
const struct config_suite *bench_args_suites(struct arena *a, const struct suite *s);        /* one for each file */
const struct str *bench_args_command(struct arena *a, const struct frame *f, size_t *count); /* without keys */

/* Cuts NAME=VALUE at the first sign; both parts point into `text`. False without the sign or a name. */
bool bench_args_pair(struct str text, struct str *name, struct str *value);

#endif
