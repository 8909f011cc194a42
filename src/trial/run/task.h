/*
 * A task directory: what the agent is told, the files it finds, how it is judged, and the digests that pin all of it.
 *
 *	task.toml        id, version, [agent] timeout_sec, [verifier] timeout_sec, [environment] memory_mb ...
 *	instruction.md   what the agent is told
 *	environment/     files of the workspace; system_prompt.md among them is told, too
 *	tests/test.sh    the verifier
 *	solution/        never shown to anybody
 *
 * Directories of Harbor and Terminal-Bench 2 have this form. One that needs a container (Dockerfile, compose file,
 * docker_image) is refused by name.
 */
#ifndef TRIAL_RUN_TASK_H
#define TRIAL_RUN_TASK_H

#include "trial/run/tree.h"

#define TASK_TIMEOUT_S 600          /* of agent and verifier, where task.toml says nothing */
#define TASK_INSTRUCTION_MAX 120000 /* bytes: it is handed over in a variable */

struct trial_task {
	struct str dir;      /* absolute */
	struct str id, version; /* version p NULL: task.toml has none */
	struct str instruction, system_prompt; /* system_prompt p NULL: none */
	double agent_timeout_s, verifier_timeout_s;
	uint64_t memory_bytes, disk_bytes; /* 0: no limit */
	struct tree environment; /* names are relative to environment/ */
	bool wants_absolute_logs; /* its tests name /logs/verifier or /tests, where a weak sandbox puts nothing */
	struct digest revision;  /* of the whole directory */
	struct digest verifier;  /* of tests/ */
	struct digest rest;      /* of all but tests/ and solution/: what the agent can notice */
	struct digest prompts;   /* of instruction and system prompt */
};

/*
 * Reads and checks the directory. False and *err, which begins with its path, when it is no task or cannot be run here
 * (ERR_DATA), or cannot be read (ERR_IO). Everything lives in the arena.
 */
bool task_read(struct arena *a, struct str dir, struct trial_task *out, struct err *err);

#endif
