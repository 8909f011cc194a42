/*
 * From the bytes of a trial record to what a ledger takes: the record checked by its rules (TR...), its pins, its
 * entry, and which of the two logs it belongs to. The bytes are sealed exactly as they came.
 *
 * A sealer gathers a batch: seal_add, seal_add, ... seal_commit. Commit puts the objects, appends the entries, links
 * the names people read, and tells of each what became of it. A batch of 256 costs little more than one.
 */
#ifndef TRIAL_SEAL_H
#define TRIAL_SEAL_H

#include "base/finding.h"
#include "ledger/ledger.h"

#define SEAL_BATCH 256
#define SEAL_RECORD_MAX ((size_t)64 << 20)
#define SEAL_NAME_MAX 1024

/* What a record that was not taken is told, in seal_result.code. */
#define SEAL_E_INCOMPLETE "E_INCOMPLETE" /* it says complete and lacks provenance: a finding names what is missing */
#define SEAL_E_CONFLICT "E_CONFLICT"
#define SEAL_E_INVALID "E_INVALID"       /* it breaks rules, or cannot be sealed: findings say why */
#define SEAL_E_NAME "E_NAME"             /* of a finding: the name of an artifact */
#define SEAL_E_FILES "E_FILES"           /* files that it names are not there, and they were asked for */

struct sealer;

/* What is attached to a trial and sealed with it. Of a record that is there, those that are new. */
struct seal_artifact {
	struct str name;  /* "conversation.jsonl": relative, no "..", checked here */
	struct str media;
	struct str bytes;
};

/* The hashes of a trace, for the entry's "run". */
struct seal_run {
	struct str hash, root; /* hex */
	uint64_t records;
};

/* What goes with a record. */
struct seal_extra {
	const struct seal_artifact *artifacts;
	size_t count;
	bool are_mapped; /* their bytes are mappings (file_map), which the sealer gives back; else they are copied */
	const struct seal_run *run; /* or NULL */
	struct str refusal;         /* why it is not taken although it keeps its rules (E_FILES); p NULL: it is */
};

/* A recorded run or a benchmark, as seal_dir_read makes it of a directory. */
struct seal_source {
	enum entry_kind kind;     /* ENTRY_RUN, ENTRY_BENCH */
	struct str id;
	struct str record, media; /* its summary */
	const struct entry_file *files;
	size_t file_count;
	const struct digest *suites;
	size_t suite_count;
	const struct seal_run *run; /* the hashes of its OTUTL log, or NULL */
	struct str forked_from;     /* the hash of the run that it goes on from; p NULL: none */
	uint64_t forked_seq;
	const struct seal_artifact *artifacts; /* the files whose bytes go along, but for the record; mapped */
	size_t artifact_count;
};

enum seal_outcome {
	SEAL_ADDED,
	SEAL_SAME,     /* was there */
	SEAL_CONFLICT, /* another record has this id, or an artifact's name other bytes (then there is a finding) */
	SEAL_REFUSED,  /* breaks rules: findings say which */
};

struct seal_result {
	enum seal_outcome outcome;
	enum ledger_part part;
	enum entry_kind kind;
	struct str name;  /* what the caller called it: a path, path:line */
	struct str experiment, trial_id; /* of a run: its run_id, and no experiment */
	uint64_t index; /* of the entry that has this id, as the leaf is; 0 when there is none */
	struct digest leaf, digest;
	const char *code; /* SEAL_E_...; NULL when it is in the ledger */
	const struct findings *findings; /* SEAL_REFUSED: of this record; else NULL or more to say */
};

struct seal_options {
	struct ledger *ledger;
	/* Told once for each record, in the order given, when it is decided. False stops. */
	bool (*each)(void *context, const struct seal_result *r, struct err *err);
	void *context;
	int64_t (*now_ns)(void); /* sealed_at; NULL: the wall clock */
	bool dry_run; /* nothing is written; results are those that there would be, as far as one batch can tell */
};

/* A sealer with an empty batch. Never fails. The ledger of the options must outlive it. */
struct sealer *sealer_open(const struct seal_options *o);
void sealer_close(struct sealer *s); /* what was not committed is not there */

/* Relative, without "." and "..", empty parts, backslashes and control characters, at most SEAL_NAME_MAX bytes. */
bool seal_is_artifact_name(struct str name);

/*
 * Adds one record to the batch. Bytes, name and artifacts are copied. A record that breaks rules is a result, not an
 * error. Commits by itself when the batch is full; false with *err when that fails.
 */
bool seal_add(struct sealer *s, struct str name, struct str record, const struct seal_artifact *artifacts, size_t count,
	      const struct seal_run *run, struct err *err);
/* The same with all that may go along. Mappings are the sealer's from here on, also when the record is refused. */
bool seal_add_with(struct sealer *s, struct str name, struct str record, const struct seal_extra *x, struct err *err);

/* Adds a run or a benchmark to the batch, which was checked before. Likewise, but its entry is in the main log. */
bool seal_add_run(struct sealer *s, struct str name, const struct seal_source *run, struct err *err);
/*
 * Decides and writes the batch, and tells `each`; the sealer is empty then, also after a failure. Nothing is
 * published. False with *err when the log fails or `each` gives false: some may be in the log, which sealing again
 * finds there.
 */
bool seal_commit(struct sealer *s, struct err *err);

#endif
