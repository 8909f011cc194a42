/* The parts of the check (check_*.c), which work on one struct check_run. */
#ifndef LEDGER_CHECK_PRIVATE_H
#define LEDGER_CHECK_PRIVATE_H

#include "ledger/check/state.h"

#define N(number) (unsigned long long)(number) /* for %llu */

enum check_got { CHECK_GOT, CHECK_ABSENT, CHECK_FAILED };

/* ---- check_read.c ---- */

/* A finding. The text is that of the message. */
__attribute__((format(printf, 3, 4))) void check_note(struct check_run *r, enum ledger_rule rule, const char *format,
						      ...);

/* The path of a file of the log's directory, terminated, until the next call. */
const char *check_path(struct check_run *r, struct str name);

/* Whether this (-ENOENT, ...) says so: what stands instead of a file, or of a directory above it, is not the file. */
bool check_is_absence(int64_t code);

/* The whole file, or its first `limit` bytes; what is no file counts as absent. CHECK_FAILED has *err. */
enum check_got check_read_file(struct check_run *r, const char *path, size_t limit, struct buf *out, struct err *err);
enum check_got check_read(struct check_run *r, struct str name, size_t limit, struct buf *out, struct err *err);

/* A tile or bundle as it is stored, of whatever length. *full: a full one stands where a partial one was asked for. */
enum check_got check_read_tile(struct check_run *r, const struct tile *t, struct buf *out, bool *full,
			       struct err *err);

/* Names in a directory, in order; none when it is not there. */
bool check_list(struct check_run *r, struct arena *a, const char *path, struct str **names, size_t *count,
		struct err *err);

/* ---- check_heads.c ---- */

bool check_choose_key(struct check_run *r, const struct key *main_key, struct err *err);
bool check_load_checkpoint(struct check_run *r, struct err *err); /* its bytes; what they are is not asked yet */
void check_checkpoint(struct check_run *r);                       /* after the heads, one of which may stand in */
void check_against(struct check_run *r);
bool check_collect_heads(struct check_run *r, struct err *err);
void check_add_head(struct check_run *r, uint64_t size, struct digest root, enum check_witness by, struct str name);
void check_sort_heads(struct check_run *r);
bool check_is_size(struct str name); /* "40", as the file of a checkpoint that was kept is called */
void check_hold_heads(struct check_run *r); /* those of the size that the edge has */
bool check_tell_heads(struct check_run *r, struct err *err);
bool check_log_moved(struct check_run *r, bool *moved, struct err *err); /* somebody published meanwhile */
void check_policy(struct check_run *r);

/* ---- check_tree.c ---- */

bool check_tree(struct check_run *r, struct err *err); /* all bundles and tiles, and by them all entries */

/* ---- check_entries.c ---- */

bool check_entry(struct check_run *r, uint64_t index, struct str bytes, struct err *err);
/* An earlier entry, or (false) none that can be had. */
bool check_fetch(struct check_run *r, uint64_t index, struct str *bytes);
void check_keep_leaves(struct check_run *r, uint64_t n, const struct digest *leaves, unsigned count);

/* ---- check_objects.c ---- */

bool check_object(struct check_run *r, uint64_t index, const struct entry *e, struct err *err);
void check_finish_objects(struct check_run *r);
void check_add_erased(struct check_run *r, uint64_t trial);
bool check_has_object(const struct check_run *r, struct digest d); /* after check_finish_objects */

/* ---- check_local.c, check_walk.c ---- */

void check_open_ids(struct check_run *r);
void check_ids(struct check_run *r, uint64_t index, struct str ident);
void check_finish_ids(struct check_run *r);
void check_find_secret(struct check_run *r, const struct key *main_key); /* what frames are proven with, if any */
bool check_wal(struct check_run *r, struct err *err);
bool check_strays(struct check_run *r, struct err *err);

#endif
