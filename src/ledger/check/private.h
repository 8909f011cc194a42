/* The parts of the check, the other files of this directory, which work on one struct check_run. */
#ifndef LEDGER_CHECK_PRIVATE_H
#define LEDGER_CHECK_PRIVATE_H

#include "ledger/check/state.h"

#define N(number) (unsigned long long)(number) /* for %llu */

/* How reading went. Absence is for the caller to judge: it is a finding, or means nothing. */
enum check_got { CHECK_GOT, CHECK_ABSENT, CHECK_FAILED };

/* ---- read.c ---- */

/*
 * Notes a finding of this rule. The text is that of the message, and begins with the file or row at fault; that of
 * the diagnostic log gets its directory before it. One that nobody wants is only counted.
 */
__attribute__((format(printf, 3, 4))) void check_note(struct check_run *r, enum ledger_rule rule, const char *format,
						      ...);

/* The path of a file of the log's directory, terminated, until the next call. */
const char *check_path(struct check_run *r, struct str name);

/* Whether this (-ENOENT, ...) says so: what stands instead of a file, or of a directory above it, is not the file. */
bool check_is_absence(int64_t code);

/*
 * The whole file, or its first `limit` bytes, in place of what the buffer had; what is no file counts as absent.
 * CHECK_FAILED has *err. check_read takes a name below the log's directory; what check_path gave last is gone then.
 */
enum check_got check_read_file(struct check_run *r, const char *path, size_t limit, struct buf *out, struct err *err);
enum check_got check_read(struct check_run *r, struct str name, size_t limit, struct buf *out, struct err *err);

/*
 * A tile or bundle as it is stored, of whatever length. *full: a full one stands where a partial one was asked for.
 * Rows of a database that are missing or damaged count as absent.
 */
enum check_got check_read_tile(struct check_run *r, const struct tile *t, struct buf *out, bool *full,
			       struct err *err);

/*
 * Names in a directory, in order, in the arena; none when it is not there. False with ERR_IO when it cannot be
 * listed.
 */
bool check_list(struct check_run *r, struct arena *a, const char *path, struct str **names, size_t *count,
		struct err *err);

/* ---- heads.c ---- */

/*
 * Chooses r->key: given, the main log's, ours, else the vkey beside the log. `main_key` NULL: this is the main log. A
 * vkey that is missing, none or another one is a finding; false with ERR_USAGE when the key given is none.
 */
bool check_choose_key(struct check_run *r, const struct key *main_key, struct err *err);
bool check_load_checkpoint(struct check_run *r, struct err *err); /* its bytes; what they are is not asked yet */
void check_checkpoint(struct check_run *r);                       /* after the heads, one of which may stand in */
void check_against(struct check_run *r);                          /* adds the older checkpoint that was given */
bool check_collect_heads(struct check_run *r, struct err *err);   /* adds those kept, and the signer's */
/* Adds a root to be held against the tree. `name`, the file that says so, must live as long as the run. */
void check_add_head(struct check_run *r, uint64_t size, struct digest root, enum check_witness by, struct str name);
void check_sort_heads(struct check_run *r);
bool check_is_size(struct str name); /* "40", as the file of a checkpoint that was kept is called */
void check_hold_heads(struct check_run *r); /* those of the size that the edge has */
/*
 * Notes the heads that did not hold, once the tree is read; false with *err when the checkpoint cannot be read again.
 */
bool check_tell_heads(struct check_run *r, struct err *err);
bool check_log_moved(struct check_run *r, bool *moved, struct err *err); /* somebody published meanwhile */
/* Holds the checkpoint against the policy of the check, which must have one, and counts its witnesses. */
void check_policy(struct check_run *r);

/* ---- tree.c ---- */

bool check_tree(struct check_run *r, struct err *err); /* all bundles and tiles, and by them all entries */

/* ---- entries.c ---- */

/* Checks an entry, and its object if asked to. False only with *err: what is wrong with the entry is a finding. */
bool check_entry(struct check_run *r, uint64_t index, struct str bytes, struct err *err);
/* An earlier entry, or (false) none that can be had. Its bytes last until the next call. */
bool check_fetch(struct check_run *r, uint64_t index, struct str *bytes);
/* Remembers the leaves of bundle n for references to it; it takes the place of an older bundle. */
void check_keep_leaves(struct check_run *r, uint64_t n, const struct digest *leaves, unsigned count);

/* ---- objects.c ---- */

/* Hashes the object of an entry and looks at its names. False with *err when a file cannot be read. */
bool check_object(struct check_run *r, uint64_t index, const struct entry *e, struct err *err);
/* Notes what is missing or misnamed, when all entries, and so all erasures, are known. */
void check_finish_objects(struct check_run *r);
void check_add_erased(struct check_run *r, uint64_t trial); /* the index of a trial that an entry erases */
bool check_has_object(const struct check_run *r, struct digest d); /* after check_finish_objects */

/* ---- signatures.c ---- */

/* Checks the signature of a review that has one, by its object. False with *err when that cannot be read. */
bool check_review_signature(struct check_run *r, uint64_t index, const struct entry *e, struct err *err);

/* ---- local.c, walk.c ---- */

/* Opens the table of ids, if there is one; check_ids looks each entry up; check_finish_ids notes, and closes it. */
void check_open_ids(struct check_run *r);
void check_ids(struct check_run *r, uint64_t index, struct str ident);
void check_finish_ids(struct check_run *r);
void check_find_secret(struct check_run *r, const struct key *main_key); /* what frames are proven with, if any */
/* Checks the frames of the WAL and the entries in them that are not published. False with *err: it cannot be read. */
bool check_wal(struct check_run *r, struct err *err);
/* Walks the directories of the log for files that are not the log's. False with *err: one cannot be listed. */
bool check_strays(struct check_run *r, struct err *err);

#endif
