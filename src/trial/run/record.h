/*
 * The record of a trial at any moment of it: facts in, a TrialRecord out. The record is closed, so all that it has no
 * member for stands in outputs.agent_result.trackway.
 */
#ifndef TRIAL_RUN_RECORD_H
#define TRIAL_RUN_RECORD_H

#include "proc/sandbox/sandbox.h"
#include "trial/run/calls.h"
#include "trial/run/lock.h"
#include "trial/run/task.h"
#include "trial/run/verdict.h"

/* What a trial is doing; each leaves a record. */
enum trial_phase { PHASE_SETUP, PHASE_AGENT, PHASE_VERIFIER, PHASE_ENDED, PHASES };

const char *trial_phase_name(enum trial_phase p); /* "setup", "agent", "verifier", "ended" */

/* How it ended. What comes later in the list wins over what comes before. */
enum trial_class {
	CLASS_COMPLETED,
	CLASS_AGENT_FAILED,    /* it exited with another status than 0, or by a signal */
	CLASS_AGENT_TIMEOUT,
	CLASS_VERIFIER_FAILED, /* no reward: nothing written, a signal, a timeout, a reward that is none */
	CLASS_INFRASTRUCTURE,  /* nobody's failure: provider down, rate limit, sandbox, disk, recorder */
	CLASSES,
};

const char *trial_class_name(enum trial_class c); /* "agent_failed" */

/* False when the word is none. */
bool trial_class_parse(struct str word, enum trial_class *out);

/* Something that a reader should know: a word and a sentence. */
struct trial_finding {
	struct str code, sentence;
};

struct trial_file {
	struct str path, hash;
};

/* How a process ended, and where it ran. */
struct trial_end {
	bool ran;
	struct sandbox_report report;
};

struct trial_facts {
	struct str trial_id, experiment, dataset; /* dataset p NULL */
	int64_t begun_ns;
	struct str task_id, task_revision, instruction, system_prompt; /* system_prompt p NULL */
	struct str adapter, adapter_revision, model, configuration;     /* configuration: JSON */
	struct str runtime_image, compute_backend, tool_versions;       /* tool_versions: JSON; p NULL: not known */
	const struct trial_file *inputs; /* NULL: not known yet */
	size_t input_count;
	struct str output_path, output_format, raw_output_path, conversation_path, trajectory_path; /* p NULL: none */
	struct str agent_error; /* p NULL: none */
	bool left_something;    /* the agent changed the workspace */
	struct verdict verdict;
	struct str *errors;     /* of validity, besides the verdict's */
	size_t error_count, error_cap;
	double total_s, setup_s, agent_s, verifier_s; /* negative: not known */
	const struct calls *calls; /* NULL: not known */
	struct trial_finding *findings;
	size_t finding_count, finding_cap;
	enum trial_phase phase;
	enum trial_class class;
	struct str infrastructure; /* why; p NULL: it is none */
	enum sandbox_level isolation;
	struct trial_end agent, verifier;
	struct lock lock;
	uint64_t slot, attempt_of; /* which of the job's trials, from 0; which of the K of its task, from 1 */
	const struct tree_left *left_out; /* of the workspace, not kept */
	size_t left_out_count;
	const struct str *removed; /* inputs that are not in the workspace any more */
	size_t removed_count;
};

/* Adds a sentence to validity.errors, and a finding. Copied to the arena. */
void record_add_error(struct arena *a, struct trial_facts *f, struct str sentence);
void record_add_finding(struct arena *a, struct trial_facts *f, const char *code, struct str sentence);

/*
 * The record, in the arena. It is complete once it has ended with all provenance and is no infrastructure failure;
 * which of these is missing stands in validity.errors.
 */
struct str record_write_trial(struct arena *a, const struct trial_facts *f);

/*
 * Whether it keeps the rules of its format (TR...). False and *err (ERR_DATA) with the first finding: a fault of ours.
 */
bool record_check_rules(struct str record, struct err *err);

#endif
