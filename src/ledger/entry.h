/*
 * The leaf of our logs: a small canonical JSON object that names what is sealed by its digest. The bytes in the log are
 * the truth; a struct entry is how we talk about them.
 *
 *	{"completeness":"complete","experiment":"e","id":"t","kind":"trial","pins":{...},"record":{"alg":"sha256",
 *	 "hex":"...","media":"application/vnd.trial-record+json","size":778},"run":{...},"sealed_at":"...",
 *	 "v":"ledger-entry/v1"}
 *
 * run       record (its summary.json), files; run_hash and run_root of its OTUTL log, where it has one
 * bench     record (its summary.json), files, suites
 * review    record (the review), ref (the trial)
 * artifact  record (the file), ref (the trial, run or bench); its id is <trial_id>/<name>
 * supersede ref (the trial), by (the one that takes its place), reason
 * erase     ref (the trial, run or bench), reason: its object, and those of its artifacts, are gone
 *
 * The id of a run or a benchmark is its run_id, which is also the trial_id of what refers to it. Its files are named by
 * digest and size whether or not their bytes are in the ledger: those that are have an artifact each.
 */
#ifndef LEDGER_ENTRY_H
#define LEDGER_ENTRY_H

#include "base/arena.h"
#include "base/crypto/sha256.h"
#include "base/err.h"
#include "json/json.h"
#include "ledger/tile.h"

#define ENTRY_VERSION "ledger-entry/v1"
#define ENTRY_DEPTH 16
#define ENTRY_MEDIA_TRIAL "application/vnd.trial-record+json"
#define ENTRY_MEDIA_REVIEW "application/vnd.review+json"
#define ENTRY_MEDIA_RUN "application/vnd.trackway-run-summary+json"
#define ENTRY_MEDIA_BENCH "application/vnd.trackway-bench-summary+json"
#define ENTRY_REASON_MAX 4096

enum entry_kind {
	ENTRY_TRIAL,
	ENTRY_RUN,
	ENTRY_REVIEW,
	ENTRY_SUPERSEDE,
	ENTRY_ARTIFACT,
	ENTRY_ERASE,
	ENTRY_KEY,
	ENTRY_BENCH,
	ENTRY_KINDS,
};

/* The word for a kind in an entry: "trial". Static. `k` must be below ENTRY_KINDS. */
const char *entry_kind_name(enum entry_kind k);

/* Whether an entry of the kind `from` may refer to one of the kind `to`: a trial, or also a run or benchmark. */
bool entry_may_refer(enum entry_kind from, enum entry_kind to);

/* A file of a run or a benchmark. */
struct entry_file {
	struct str name;
	struct digest digest;
	uint64_t size;
};

/* An earlier entry of the same log. */
struct entry_ref {
	bool given; /* false: the entry has no such member, and the rest means nothing */
	struct str trial_id;
	uint64_t index;
	struct digest leaf;
};

/* Text that is not there has p NULL. */
struct entry {
	enum entry_kind kind;
	struct str id, experiment, completeness, sealed_at, reason;
	struct {
		bool given;
		struct digest digest;
		uint64_t size; /* bytes of the object */
		struct str media;
	} record;
	struct {
		bool given;
		struct digest task, agent, environment, inputs;
	} pins;
	struct {
		/* of a trace; there is none when hash.p is NULL */
		struct str hash, root; /* "otutl-v1:sha256:<hex>", "rfc6962-sha256:<hex>" */
		uint64_t records; /* of a trial's; a run's own entry does not say it */
	} run;
	struct {
		bool given;
		struct str run_hash; /* "otutl-v1:sha256:<hex>" */
		uint64_t seq;
	} forked_from; /* of a run: the one that it goes on from, and where */
	const struct entry_file *files; /* of a run or benchmark */
	size_t file_count;
	const struct digest *suites; /* of a benchmark: SHA-256 of each suite's file */
	size_t suite_count;
	struct entry_ref ref, by;
};

/*
 * Adds the canonical bytes. False, and nothing added, when they would be longer than ENTRY_MAX or a reason than
 * ENTRY_REASON_MAX (ERR_LIMIT), or when a text is not UTF-8 (ERR_DATA).
 */
bool entry_add_text(struct buf *out, const struct entry *e, struct err *err);

/*
 * Reads leaf bytes: strict about what it knows (canonical form, types, the fields a kind must have), silent about
 * members it does not know. Text lies in the arena. False with a sentence in *why, in the arena too; *out is half
 * filled then. The parser is the caller's (JSON_DEPTH does not matter; deeper than ENTRY_DEPTH is refused, and so are
 * more than ENTRY_MAX bytes).
 */
bool entry_parse(struct json_parser *p, struct arena *a, struct str bytes, struct entry *out, struct str *why);

/*
 * What can be in a log once only: kind, experiment and id, parted by NUL, in the arena. Supersede and erase have the
 * trial's id instead of their own, and an artifact has the trial's before its own. Never fails.
 */
struct str entry_ident(struct arena *a, const struct entry *e);

/* What must be equal for the same ident to mean the same: a digest over the files, where there are any, else that of
 * the record, else one over by and reason. */
struct digest entry_digest(const struct entry *e);

/* The part of a path that an id becomes: bytes outside [A-Za-z0-9_.-], a leading dot or underscore as %XX; beyond 200
 * bytes cut to 160, with "-" and 16 digits of its SHA-256. */
struct str entry_path_part(struct arena *a, struct str id);

/* "records/<experiment>/<trial>.json" of a trial, "artifacts/<experiment>/<trial>/<name>" of an artifact,
 * "artifacts/<run_id>/<name>" of the record of a run; p is NULL for others. */
struct str entry_link_name(struct arena *a, const struct entry *e);

/* "artifacts/<trial>/<name>" of an artifact, as version 0.1 named it: two experiments could come to the same name. p is
 * NULL for others. */
struct str entry_old_link_name(struct arena *a, const struct entry *e);

#endif
