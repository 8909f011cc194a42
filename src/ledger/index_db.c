/*
 * One SQLite file with prepared statements for writing and statements built from a filter for asking. Words are
 * numbered once; their texts are kept in memory, so that a row is read without joins.
 */
#include "ledger/index_db.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/crypto/hex.h"
#include "base/file.h"
#include "base/map.h"

#define VERSION 3 /* of the tables */
#define BUSY_MS 30000
#define FIRST_FIGURE_PUT 16 /* parameter of ADD_ROW */
#define FIRST_FIGURE_GOT 20 /* column */

/*
 * Names that repeat (experiments, tasks, models) are numbers here, and digests, which are the bulk and seldom asked
 * for, have a table of their own: so a look at a million rows reads some 60 MB and no more.
 */
static const char tables[] =
	"CREATE TABLE log(part INTEGER PRIMARY KEY, origin BLOB NOT NULL, size INTEGER NOT NULL, root BLOB NOT NULL);"
	"CREATE TABLE word(n INTEGER PRIMARY KEY, text BLOB NOT NULL UNIQUE);"
	"CREATE TABLE row(n INTEGER PRIMARY KEY, part INTEGER NOT NULL, idx INTEGER NOT NULL, kind INTEGER NOT NULL,"
	" experiment INTEGER, id BLOB NOT NULL, sealed_at BLOB, dataset INTEGER, task INTEGER, adapter INTEGER,"
	" model INTEGER, completeness INTEGER, stamp BLOB, reward REAL, superseded INTEGER NOT NULL DEFAULT 0,"
	" erased INTEGER NOT NULL DEFAULT 0, reviews INTEGER NOT NULL DEFAULT 0, ref INTEGER, tokens_in REAL,"
	" tokens_out REAL, cost REAL, advisor_calls REAL, seconds REAL);"
	"CREATE TABLE hash(n INTEGER PRIMARY KEY, digest BLOB, leaf BLOB NOT NULL, size INTEGER NOT NULL);"
	"CREATE INDEX row_id ON row(id);"
	"CREATE INDEX row_ref ON row(part, ref) WHERE ref IS NOT NULL;"
	"CREATE INDEX row_experiment ON row(experiment);"
	"CREATE INDEX row_task ON row(task);"
	"CREATE INDEX row_model ON row(model);"
	"CREATE INDEX hash_digest ON hash(digest);"
	"CREATE TABLE bad(part INTEGER NOT NULL, idx INTEGER NOT NULL, why BLOB NOT NULL);"
	"PRAGMA user_version = 3;";

/* The number of a row: its place in the log, the diagnostic log behind the main one. */
#define ROW_OF(part, index) ((int64_t)(index) + ((int64_t)(part) << 56))

static const char columns[] =
	"SELECT r.part, r.idx, r.kind, r.experiment, r.id, r.sealed_at, h.digest, h.leaf, h.size, r.dataset, r.task,"
	" r.adapter, r.model, r.completeness, r.stamp, r.reward, r.superseded, r.erased, r.reviews, r.ref,"
	" r.tokens_in, r.tokens_out, r.cost, r.advisor_calls, r.seconds"
	" FROM row r JOIN hash h ON h.n = r.n";

enum statement {
	ADD_ROW, ADD_HASH, ADD_WORD, FIND_WORD, NOTE_REVIEW, NOTE_SUPERSEDED, NOTE_ERASED, SET_HEAD, ADD_BAD,
	STATEMENTS,
};

static const char *const statements[STATEMENTS] = {
	[ADD_ROW] = ("INSERT INTO row(n, part, idx, kind, experiment, id, sealed_at, dataset, task, adapter, model,"
		     " completeness, stamp, reward, ref, tokens_in, tokens_out, cost, advisor_calls, seconds)"
		     " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20)"),
	[ADD_HASH] = "INSERT INTO hash(n, digest, leaf, size) VALUES(?1,?2,?3,?4)",
	[ADD_WORD] = "INSERT INTO word(text) VALUES(?1)",
	[FIND_WORD] = "SELECT n FROM word WHERE text = ?1",
	[NOTE_REVIEW] = "UPDATE row SET reviews = reviews + 1 WHERE n = ?1",
	[NOTE_SUPERSEDED] = "UPDATE row SET superseded = 1 WHERE n = ?1",
	/* An index that is made anew finds no record to read: one that saw it before must not say more. */
	[NOTE_ERASED] = ("UPDATE row SET erased = 1, dataset = NULL, task = NULL, adapter = NULL, model = NULL,"
			 " stamp = NULL, reward = NULL, tokens_in = NULL, tokens_out = NULL, cost = NULL,"
			 " advisor_calls = NULL, seconds = NULL WHERE n = ?1"),
	[SET_HEAD] = "INSERT OR REPLACE INTO log VALUES(?1,?2,?3,?4)",
	[ADD_BAD] = "INSERT INTO bad(part, idx, why) VALUES(?1,?2,?3)",
};

struct index_db {
	sqlite3 *file;
	sqlite3_stmt *prepared[STATEMENTS];
	struct arena arena;
	struct map words; /* text to number, of this transaction and before */
	struct arena shown;
	struct buf texts; /* struct str: the word of each number, as far as rows were read that have one */
};

/* ---- the file ---- */

/* Always false, with what SQLite says last as ERR_IO. */
static bool db_refused(struct index_db *d, struct err *err)
{
	return err_set(err, ERR_IO, "the index of the ledger: %s", sqlite3_errmsg(d->file)) ||
	       err_advise(err, ADVICE_REPAIR_INDEX);
}

/* NULL, with *err, when SQLite does not take it. To be finalized by the caller. */
static sqlite3_stmt *index_db_prepare(struct index_db *d, const char *sql, struct err *err)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(d->file, sql, -1, &s, NULL) != SQLITE_OK)
		db_refused(d, err);
	return s;
}

/* Steps to the only row, a number, and finalizes the statement. */
static bool index_db_take_number(struct index_db *d, sqlite3_stmt *s, uint64_t *out, struct err *err)
{
	int got = sqlite3_step(s);

	*out = got == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(s, 0) : 0;
	sqlite3_finalize(s);
	return got == SQLITE_ROW || db_refused(d, err);
}

static struct str cache_home(struct arena *a)
{
	struct str cache = str_from(getenv("XDG_CACHE_HOME")), home = str_from(getenv("HOME"));

	if (cache.n && cache.p[0] == '/')
		return ARENA_JOIN(a, cache, STR("/trackway"));
	if (home.n)
		return ARENA_JOIN(a, home, STR("/.cache/trackway"));
	return (struct str){ NULL, 0 };
}

struct str index_db_path(struct arena *a, const struct ledger *l)
{
	struct str home = cache_home(a), where = l->where;
	struct sha256 s;
	struct digest d;
	char hex[16], real[PATH_MAX];
	struct err ignored;

	if (!home.p)
		return home;
	if (l->is_dir && realpath(arena_copy(a, where).p, real))
		where = str_from(real);
	sha256_init(&s);
	d = sha256_of(&s, ARENA_JOIN(a, where, STR("\n"), l->logs[LEDGER_MAIN]->origin));
	sha256_free(&s);
	hex_format(hex, d.b, sizeof(hex) / 2);
	file_make_dirs(home, 0700, NULL, &ignored); /* whether it worked shows when it is used */
	return ARENA_JOIN(a, home, STR("/"), str_of(hex, sizeof(hex)), STR(".index"));
}

static bool run(sqlite3 *file, const char *sql)
{
	return sqlite3_exec(file, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* The first column of the first row; -1 when there is none, or the statement fails. */
static int64_t ask_number(sqlite3 *file, const char *sql)
{
	sqlite3_stmt *s = NULL;
	int64_t n = -1;

	if (sqlite3_prepare_v2(file, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
		n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return n;
}

/* Opens, or makes, a file of our version. NULL when it is something else, damaged, or cannot be written. */
static sqlite3 *open_file(const char *path)
{
	sqlite3 *file = NULL;
	bool good = sqlite3_open_v2(path, &file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK;

	if (good) {
		sqlite3_busy_timeout(file, BUSY_MS);
		/* This version's WAL has a defect that can lose a commit; a rollback journal has not. */
		good = run(file, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA;"
				 "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
				 "PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824; BEGIN IMMEDIATE");
	}
	if (good && ask_number(file, "PRAGMA user_version") == 0 &&
	    ask_number(file, "SELECT count(*) FROM sqlite_schema") == 0)
		good = run(file, tables);
	good = good && ask_number(file, "PRAGMA user_version") == VERSION && run(file, "COMMIT") &&
	       ask_number(file, "SELECT count(*) FROM log") >= 0;
	if (good)
		return file;
	sqlite3_close(file);
	return NULL;
}

/* With its journal, which would mean nothing to the next file of this name. Whether it worked, the caller asks. */
static void unlink_file(const char *path)
{
	struct buf journal;

	buf_init(&journal);
	buf_printf(&journal, "%s-journal%c", path, 0);
	unlink(journal.p);
	unlink(path);
	buf_free(&journal);
}

struct index_db *index_db_open(struct str path, struct err *err)
{
	struct index_db *d = mem_alloc(sizeof(*d));

	*d = (struct index_db){ .file = NULL };
	if (path.p)
		d->file = open_file(path.p);
	if (path.p && !d->file && access(path.p, W_OK) == 0) {
		unlink_file(path.p);
		d->file = open_file(path.p);
	}
	if (!d->file)
		d->file = open_file(":memory:");
	arena_init(&d->arena);
	arena_init(&d->shown);
	buf_init(&d->texts);
	map_init(&d->words, &d->arena);
	if (!d->file) {
		err_set(err, ERR_IO, "the index of the ledger cannot be made");
		index_db_close(d);
		return NULL;
	}
	for (int i = 0; i < STATEMENTS; i++)
		if (sqlite3_prepare_v3(d->file, statements[i], -1, SQLITE_PREPARE_PERSISTENT, &d->prepared[i], NULL) !=
		    SQLITE_OK) {
			db_refused(d, err);
			index_db_close(d);
			return NULL;
		}
	return d;
}

void index_db_close(struct index_db *d)
{
	if (!d)
		return;
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(d->prepared[i]);
	sqlite3_close(d->file);
	arena_free(&d->arena);
	arena_free(&d->shown);
	buf_free(&d->texts);
	mem_free(d);
}

bool index_db_remove(struct str path, struct err *err)
{
	if (!path.p)
		return true;
	unlink_file(path.p);
	if (access(path.p, F_OK) == 0)
		return err_system(err, errno, "cannot remove %.*s", STR_ARG(path));
	return true;
}

/* ---- transactions ---- */

bool index_db_begin(struct index_db *d, struct err *err)
{
	return run(d->file, "BEGIN IMMEDIATE") || db_refused(d, err);
}

bool index_db_commit(struct index_db *d, struct err *err)
{
	return run(d->file, "COMMIT") || db_refused(d, err);
}

void index_db_abort(struct index_db *d)
{
	if (!sqlite3_get_autocommit(d->file))
		run(d->file, "ROLLBACK");
	arena_reset(&d->arena); /* words that were added are not there */
	map_init(&d->words, &d->arena);
	arena_reset(&d->shown);
	buf_clear(&d->texts);
}

/* ---- writing ---- */

/* The text is not copied: it must stay until the statement was run. */
static void bind(sqlite3_stmt *s, int at, struct str text)
{
	if (text.p)
		sqlite3_bind_blob64(s, at, text.n ? text.p : "", text.n, SQLITE_STATIC);
	else
		sqlite3_bind_null(s, at);
}

static void bind_digest(sqlite3_stmt *s, int at, const struct digest *d)
{
	sqlite3_bind_blob(s, at, d->b, SHA256_SIZE, SQLITE_STATIC);
}

/* Runs a statement that gives nothing back. */
static bool index_db_finish(struct index_db *d, sqlite3_stmt *s, struct err *err)
{
	bool good = sqlite3_step(s) == SQLITE_DONE;

	if (!good)
		db_refused(d, err);
	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	return good;
}

/* The number of a word, or 0 when it has none. */
static int64_t find_word(struct index_db *d, struct str text)
{
	sqlite3_stmt *s = d->prepared[FIND_WORD];
	int64_t n = 0;

	bind(s, 1, text);
	if (sqlite3_step(s) == SQLITE_ROW)
		n = sqlite3_column_int64(s, 0);
	sqlite3_reset(s);
	return n;
}

/* Gives the word a number when it has none. An absent one leaves the column NULL. */
static bool bind_word(struct index_db *d, sqlite3_stmt *row, int at, struct str text, struct err *err)
{
	uint64_t *known;
	bool added;

	if (!text.p)
		return true;
	known = map_add(&d->words, text, &added);
	if (added)
		*known = (uint64_t)find_word(d, text);
	if (*known == 0) {
		bind(d->prepared[ADD_WORD], 1, text);
		if (!index_db_finish(d, d->prepared[ADD_WORD], err))
			return false;
		*known = (uint64_t)sqlite3_last_insert_rowid(d->file);
	}
	sqlite3_bind_int64(row, at, (int64_t)*known);
	return true;
}

static bool add_hashes(struct index_db *d, const struct index_row *row, struct err *err)
{
	static const struct digest none;
	sqlite3_stmt *s = d->prepared[ADD_HASH];

	sqlite3_bind_int64(s, 1, ROW_OF(row->part, row->index));
	if (!digest_eq(row->digest, none))
		bind_digest(s, 2, &row->digest);
	bind_digest(s, 3, &row->leaf);
	sqlite3_bind_int64(s, 4, (int64_t)row->size);
	return index_db_finish(d, s, err);
}

/* What a row says about the trial it refers to. Artifacts and runs say nothing. */
static bool note(struct index_db *d, const struct index_row *row, struct err *err)
{
	enum statement which;

	if (row->ref == UINT64_MAX)
		return true;
	if (row->kind == ENTRY_REVIEW)
		which = NOTE_REVIEW;
	else if (row->kind == ENTRY_SUPERSEDE)
		which = NOTE_SUPERSEDED;
	else if (row->kind == ENTRY_ERASE)
		which = NOTE_ERASED;
	else
		return true;
	sqlite3_bind_int64(d->prepared[which], 1, ROW_OF(row->part, row->ref));
	return index_db_finish(d, d->prepared[which], err);
}

bool index_db_add(struct index_db *d, const struct index_row *row, struct err *err)
{
	sqlite3_stmt *s = d->prepared[ADD_ROW];

	if (!bind_word(d, s, 5, row->experiment, err) || !bind_word(d, s, 8, row->dataset, err) ||
	    !bind_word(d, s, 9, row->task, err) || !bind_word(d, s, 10, row->adapter, err) ||
	    !bind_word(d, s, 11, row->model, err) || !bind_word(d, s, 12, row->completeness, err))
		return false;
	sqlite3_bind_int64(s, 1, ROW_OF(row->part, row->index));
	sqlite3_bind_int(s, 2, (int)row->part);
	sqlite3_bind_int64(s, 3, (int64_t)row->index);
	sqlite3_bind_int(s, 4, (int)row->kind);
	bind(s, 6, row->id);
	bind(s, 7, row->sealed_at);
	bind(s, 13, row->timestamp);
	if (row->has_reward)
		sqlite3_bind_double(s, 14, row->reward);
	if (row->ref != UINT64_MAX)
		sqlite3_bind_int64(s, 15, (int64_t)row->ref);
	for (int i = 0; i < INDEX_FIGURES; i++)
		if (row->known & 1u << i)
			sqlite3_bind_double(s, FIRST_FIGURE_PUT + i, row->figures[i]);
	return index_db_finish(d, s, err) && add_hashes(d, row, err) && note(d, row, err);
}

/* ---- heads ---- */

/* Lives until the statement is stepped on. p is NULL for NULL, and not for an empty text. */
static struct str blob(sqlite3_stmt *s, int column)
{
	const void *p = sqlite3_column_blob(s, column);
	int n = sqlite3_column_bytes(s, column);

	if (sqlite3_column_type(s, column) == SQLITE_NULL)
		return (struct str){ NULL, 0 };
	return str_of(p ? p : "", (size_t)n);
}

/* Zeros for NULL, and for anything that is not as long as a digest. */
static struct digest digest_at(sqlite3_stmt *s, int column)
{
	struct digest d = { { 0 } };
	struct str bytes = blob(s, column);

	if (bytes.n == SHA256_SIZE)
		memcpy(d.b, bytes.p, SHA256_SIZE);
	return d;
}

bool index_db_head(struct index_db *d, struct arena *a, enum ledger_part p, struct str *origin, uint64_t *size,
		   struct digest *root, struct err *err)
{
	sqlite3_stmt *s = index_db_prepare(d, "SELECT origin, size, root FROM log WHERE part = ?1", err);
	int got;

	*size = 0;
	*origin = STR("");
	if (!s)
		return false;
	sqlite3_bind_int(s, 1, (int)p);
	got = sqlite3_step(s);
	if (got == SQLITE_ROW) {
		*origin = arena_copy(a, blob(s, 0));
		*size = (uint64_t)sqlite3_column_int64(s, 1);
		*root = digest_at(s, 2);
	}
	sqlite3_finalize(s);
	return got == SQLITE_ROW || got == SQLITE_DONE || db_refused(d, err);
}

bool index_db_set_head(struct index_db *d, enum ledger_part p, struct str origin, uint64_t size, struct digest root,
		       struct err *err)
{
	sqlite3_stmt *s = d->prepared[SET_HEAD];

	sqlite3_bind_int(s, 1, (int)p);
	bind(s, 2, origin);
	sqlite3_bind_int64(s, 3, (int64_t)size);
	bind_digest(s, 4, &root);
	return index_db_finish(d, s, err);
}

bool index_db_add_bad(struct index_db *d, enum ledger_part p, uint64_t index, struct str why, struct err *err)
{
	sqlite3_stmt *s = d->prepared[ADD_BAD];

	sqlite3_bind_int(s, 1, (int)p);
	sqlite3_bind_int64(s, 2, (int64_t)index);
	bind(s, 3, why);
	return index_db_finish(d, s, err);
}

bool index_db_list_bad(struct index_db *d,
		       void (*each)(void *context, enum ledger_part p, uint64_t index, struct str why), void *context,
		       struct err *err)
{
	sqlite3_stmt *s = index_db_prepare(d, "SELECT part, idx, why FROM bad ORDER BY part, idx", err);
	int got;

	if (!s)
		return false;
	while ((got = sqlite3_step(s)) == SQLITE_ROW)
		each(context, (enum ledger_part)sqlite3_column_int(s, 0), (uint64_t)sqlite3_column_int64(s, 1),
		     blob(s, 2));
	sqlite3_finalize(s);
	return got == SQLITE_DONE || db_refused(d, err);
}

bool index_db_clear(struct index_db *d, enum ledger_part p, struct err *err)
{
	char sql[256];

	snprintf(sql, sizeof(sql), "DELETE FROM hash WHERE n IN (SELECT n FROM row WHERE part = %d);"
		 "DELETE FROM row WHERE part = %d; DELETE FROM log WHERE part = %d; DELETE FROM bad WHERE part = %d;",
		 (int)p, (int)p, (int)p, (int)p);
	return run(d->file, sql) || db_refused(d, err);
}

/* ---- asking ---- */

/* "column = number of the word"; a word that is not there matches nothing. */
static void where_word(struct index_db *d, struct buf *sql, const char *column, struct str text)
{
	if (text.p)
		buf_printf(sql, " AND r.%s = %lld", column, (long long)find_word(d, text));
}

/* The conditions of a filter. Numbers stand in the text; what came from a user is bound by prepare. */
static void add_where(struct index_db *d, struct buf *sql, const struct index_filter *f)
{
	buf_add_str(sql, STR(" WHERE 1"));
	if (f->kind >= 0)
		buf_printf(sql, " AND r.kind = %d", f->kind);
	if (f->part >= 0)
		buf_printf(sql, " AND r.part = %d", f->part);
	where_word(d, sql, "experiment", f->experiment);
	where_word(d, sql, "dataset", f->dataset);
	where_word(d, sql, "task", f->task);
	where_word(d, sql, "adapter", f->adapter);
	where_word(d, sql, "model", f->model);
	where_word(d, sql, "completeness", f->completeness);
	if (f->task_prefix.p) /* the plus: all rows in order are read faster than many tasks here and there */
		buf_add_str(sql, STR(" AND +r.task IN"
				     " (SELECT n FROM word WHERE text >= ?2 AND substr(text, 1, ?4) = ?2)"));
	if (f->id.p)
		buf_add_str(sql, STR(" AND r.id = ?1"));
	if (f->ref_of != UINT64_MAX)
		buf_printf(sql, " AND r.ref = %lld", (long long)f->ref_of);
	if (!isnan(f->reward_min))
		buf_add_str(sql, STR(" AND r.reward >= ?5"));
	if (!isnan(f->reward_max))
		buf_add_str(sql, STR(" AND r.reward <= ?6"));
	if (f->hide_superseded)
		buf_add_str(sql, STR(" AND r.superseded = 0"));
}

/* The statement in the buffer, which is freed, with the values of the filter. */
static sqlite3_stmt *prepare(struct index_db *d, struct buf *sql, const struct index_filter *f, struct err *err)
{
	sqlite3_stmt *s;

	buf_add_byte(sql, '\0');
	s = index_db_prepare(d, sql->p, err);
	buf_free(sql);
	if (!s)
		return NULL;
	if (f->id.p)
		bind(s, 1, f->id);
	if (f->task_prefix.p) {
		bind(s, 2, f->task_prefix);
		sqlite3_bind_int64(s, 4, (int64_t)f->task_prefix.n);
	}
	if (!isnan(f->reward_min))
		sqlite3_bind_double(s, 5, f->reward_min);
	if (!isnan(f->reward_max))
		sqlite3_bind_double(s, 6, f->reward_max);
	return s;
}

/* Words of the numbers from those that are known on; numbers have no gaps, and those that are not there are NULL. */
static void load_words(struct index_db *d)
{
	size_t known = d->texts.n / sizeof(struct str);
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(d->file, "SELECT n, text FROM word WHERE n >= ?1 ORDER BY n", -1, &s, NULL) != SQLITE_OK)
		return;
	sqlite3_bind_int64(s, 1, (int64_t)known);
	while (sqlite3_step(s) == SQLITE_ROW) {
		struct str none = { NULL, 0 }, text = arena_copy(&d->shown, blob(s, 1));

		for (; known < (uint64_t)sqlite3_column_int64(s, 0) && known < INT_MAX; known++)
			buf_add(&d->texts, &none, sizeof(none));
		buf_add(&d->texts, &text, sizeof(text));
		known++;
	}
	sqlite3_finalize(s);
}

/* Joining a table for each of six names would cost more than everything else. */
static struct str word_at(struct index_db *d, sqlite3_stmt *s, int column)
{
	uint64_t n = (uint64_t)sqlite3_column_int64(s, column);
	struct str text = { NULL, 0 };

	if (n == 0)
		return text;
	if (n >= d->texts.n / sizeof(text))
		load_words(d);
	if (n < d->texts.n / sizeof(text))
		memcpy(&text, d->texts.p + n * sizeof(text), sizeof(text));
	return text;
}

/* In the order of `columns`. Texts live as those of blob and of load_words do. */
static void index_db_read_row(struct index_db *d, sqlite3_stmt *s, struct index_row *row)
{
	*row = (struct index_row){
		.part = (enum ledger_part)sqlite3_column_int(s, 0),
		.index = (uint64_t)sqlite3_column_int64(s, 1),
		.kind = (enum entry_kind)sqlite3_column_int(s, 2),
		.experiment = word_at(d, s, 3), .id = blob(s, 4), .sealed_at = blob(s, 5),
		.digest = digest_at(s, 6), .leaf = digest_at(s, 7), .size = (uint64_t)sqlite3_column_int64(s, 8),
		.dataset = word_at(d, s, 9), .task = word_at(d, s, 10), .adapter = word_at(d, s, 11),
		.model = word_at(d, s, 12), .completeness = word_at(d, s, 13), .timestamp = blob(s, 14),
		.has_reward = sqlite3_column_type(s, 15) != SQLITE_NULL, .reward = sqlite3_column_double(s, 15),
		.superseded = sqlite3_column_int(s, 16), .erased = sqlite3_column_int(s, 17),
		.reviews = (uint64_t)sqlite3_column_int64(s, 18),
		.ref = sqlite3_column_type(s, 19) == SQLITE_NULL ? UINT64_MAX : (uint64_t)sqlite3_column_int64(s, 19),
	};
	for (int i = 0; i < INDEX_FIGURES; i++)
		if (sqlite3_column_type(s, FIRST_FIGURE_GOT + i) != SQLITE_NULL) {
			row->known |= 1u << i;
			row->figures[i] = sqlite3_column_double(s, FIRST_FIGURE_GOT + i);
		}
}

bool index_db_list(struct index_db *d, const struct index_filter *f,
		   bool (*each)(void *context, const struct index_row *row), void *context, struct err *err)
{
	struct index_row row;
	struct buf sql;
	sqlite3_stmt *s;
	int got = SQLITE_ROW;

	buf_init(&sql);
	buf_add_str(&sql, str_from(columns));
	add_where(d, &sql, f);
	buf_printf(&sql, " ORDER BY r.n%s", f->newest_first ? " DESC" : "");
	if (f->limit)
		buf_printf(&sql, " LIMIT %llu", (unsigned long long)f->limit);
	s = prepare(d, &sql, f, err);
	if (!s)
		return false;
	while ((got = sqlite3_step(s)) == SQLITE_ROW) {
		index_db_read_row(d, s, &row);
		if (!each(context, &row))
			break;
	}
	sqlite3_finalize(s);
	return got == SQLITE_ROW || got == SQLITE_DONE || db_refused(d, err);
}

bool index_db_count(struct index_db *d, const struct index_filter *f, uint64_t *out, struct err *err)
{
	struct buf sql;
	sqlite3_stmt *s;

	buf_init(&sql);
	buf_add_str(&sql, STR("SELECT count(*) FROM row r"));
	add_where(d, &sql, f);
	s = prepare(d, &sql, f, err);
	return s && index_db_take_number(d, s, out, err);
}

/* An artifact is erased with the trial it belongs to. */
bool index_db_count_object(struct index_db *d, enum ledger_part p, struct digest of, uint64_t *out, struct err *err)
{
	static const char sql[] =
		"SELECT count(*) FROM hash h JOIN row r ON r.n = h.n LEFT JOIN row t ON r.kind = ?2 AND"
		" t.n = r.ref + (r.part << 56) WHERE h.digest = ?1 AND r.part = ?3 AND"
		" r.erased = 0 AND coalesce(t.erased, 0) = 0";
	sqlite3_stmt *s = index_db_prepare(d, sql, err);

	if (!s)
		return false;
	bind_digest(s, 1, &of);
	sqlite3_bind_int(s, 2, ENTRY_ARTIFACT);
	sqlite3_bind_int(s, 3, (int)p);
	return index_db_take_number(d, s, out, err);
}
