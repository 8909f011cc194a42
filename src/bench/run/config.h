/*
 * config.json of a run: what dialect/bench/config.h has of it, and what its prompts and targets are here. Written
 * before anything is sent; --resume, `rescore` and `validate` read it.
 */
#ifndef BENCH_RUN_CONFIG_H
#define BENCH_RUN_CONFIG_H

#include "bench/run/target.h"
#include "bench/suite/suite.h"
#include "dialect/bench/config.h"

struct config {
	BENCH_CONFIG; /* the writer fills in prompts_sent and targets_asked from what follows */
	const struct suite_prompt *prompts; /* only id, name, prompt, canonical are filled in when read */
	size_t prompt_count;
	struct target *targets; /* provider is NULL when read and unknown */
	struct str *bases;      /* of each target; p NULL */
	size_t target_count;
	bool knows_files; /* only when read: a version that did not keep the options' files says nothing about them */
};

/*
 * Adds config.json, pretty, with its LF; cannot fail. API keys in the command line, tags and variables are masked;
 * prompts are written as they are sent.
 */
void config_write(struct buf *out, const struct config *c);

/*
 * Reads a config.json; everything lives in the arena. Members that are missing or of the wrong type have their
 * defaults. False and *err when the file cannot be read (ERR_IO), has more than 256 MiB (ERR_LIMIT) or is no JSON
 * object (ERR_DATA, with the path); *c is then what stands for "nothing known".
 */
bool config_read(struct config *c, struct arena *a, struct str path, struct err *err);

#endif
