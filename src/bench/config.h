/*
 * config.json of a run: everything that decided what was sent and how it was judged, and no key. Written before
 * anything is sent; --resume, `rescore` and `validate` read it.
 *
 *	{"schema": "trackway.bench-config/1", "run_id", "created_at" (RFC 3339), "trackway_version", "command": [..],
 *	 "suites": [{"path", "sha256"}], "suite_digest" (hex), "prompts": [the prompts as sent, each an object],
 *	 "targets": [{"provider", "model", "thinking_level", "tag", "base"}], "repeat", "concurrency" ("auto" or a
 *	 number), "timeout_ms", "retries", "retry_delay_ms", "stream", "temperature" (null: the provider's own),
 *	 "max_tokens" (null), "system" (null: the provider's own), "detector", "seed", "warmup", "budget_usd" (null),
 *	 "price_table" ("sha256:..."), "allow_commands", "sandbox" ("bubblewrap" ..., null), "tags": [..],
 *	 "variables": {}, "allow_unreachable", "mock_script" ({"path", "sha256"} or null), "header_file" ({"path",
 *	 "headers": [{"name", "sha256"}]} or null), "prices" (a path or null), "rescored_from" (a run id; only of a run
 *	 that was judged again)}
 *
 * What headers say may be a key: of each only its name is kept and a digest over created_at, the name and the value.
 */
#ifndef BENCH_CONFIG_H
#define BENCH_CONFIG_H

#include "bench/suite.h"
#include "bench/target.h"

struct config_suite {
	struct str path, sha256;
};

struct config_header {
	struct str name, sha256;
};

struct config {
	struct str run_id, created_at, version;
	const struct str *command;
	size_t command_count;
	const struct config_suite *suites;
	size_t suite_count;
	struct str suite_digest;
	const struct suite_prompt *prompts; /* only id, name, prompt, canonical are filled in when read */
	size_t prompt_count;
	struct target *targets; /* provider is NULL when read and unknown */
	struct str *bases;      /* of each target; p NULL */
	size_t target_count;
	uint64_t repeat;
	uint64_t concurrency; /* 0: auto */
	uint64_t timeout_ms, retries, retry_delay_ms;
	bool stream;
	double temperature;   /* negative: null */
	uint64_t max_tokens;  /* 0: null */
	struct str system;    /* p NULL: null */
	enum detector detector;
	uint64_t seed, warmup;
	double budget_usd;    /* negative: null */
	struct str price_table;
	bool allow_commands;
	const struct str *tags;
	size_t tag_count;
	const struct suite_var *vars;
	size_t var_count;
	bool allow_unreachable;
	/* the files that options named; p NULL for none */
	bool knows_files;         /* only when read: a version that did not keep them says nothing about them */
	struct config_suite mock_script;
	struct str header_file, prices;
	const struct config_header *headers;
	size_t header_count;
	struct str sandbox;       /* what keeps programs of validators in; p NULL: null */
	struct str rescored_from; /* p NULL: left out */
};

void config_write(struct buf *out, const struct config *c); /* pretty, with its LF */

/* ERR_DATA, with the path, when it is none. */
bool config_read(struct config *c, struct arena *a, struct str path, struct err *err);

#endif
