#include "ledger/index_db.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"

struct bench {
	struct arena arena;
	struct index_db *db;
	struct str path;
	struct err err;
};

static struct bench *bench(void)
{
	struct bench *b = test_alloc(sizeof(*b));

	arena_init(&b->arena);
	b->path = arena_printf(&b->arena, "%s/x.index", test_dir());
	b->db = index_db_open(b->path, &b->err);
	CHECK(b->db != NULL);
	return b;
}

static void done(struct bench *b)
{
	index_db_close(b->db);
	CHECK(index_db_remove(b->path, &b->err));
	*strrchr((char *)(uintptr_t)b->path.p, '/') = '\0';
	CHECK(rmdir(b->path.p) == 0);
	arena_free(&b->arena);
}

static struct index_row trial(uint64_t at, const char *experiment, const char *id, const char *task, double reward)
{
	return (struct index_row){
		.part = LEDGER_MAIN, .index = at, .kind = ENTRY_TRIAL, .experiment = str_from(experiment),
		.id = str_from(id), .sealed_at = STR("2026-05-01T12:30:00.000Z"), .size = 9, .ref = UINT64_MAX,
		.digest = { { 1, (uint8_t)at } }, .leaf = { { 2, (uint8_t)at } }, .dataset = STR("d@1"),
		.task = str_from(task), .adapter = STR("a"), .model = at % 2 ? STR("odd") : STR("even"),
		.completeness = STR("complete"), .timestamp = STR("2026-05-01T12:00:00Z"), .has_reward = true, .reward = reward,
	};
}

static struct index_row about(uint64_t at, enum entry_kind kind, const char *id, uint64_t ref)
{
	return (struct index_row){ .part = LEDGER_MAIN, .index = at, .kind = kind, .id = str_from(id), .ref = ref,
				   .experiment = STR("e"), .sealed_at = STR("t"), .leaf = { { 3 } } };
}

static void add(struct bench *b, struct index_row row)
{
	CHECK(index_db_add(b->db, &row, &b->err));
}

static void fill(struct bench *b)
{
	struct index_row second = trial(0, "e", "t0", "family/one", 0.5);

	CHECK(index_db_begin(b->db, &b->err));
	add(b, trial(0, "e", "t0", "family/one", 0));
	add(b, trial(1, "e", "t1", "family/two", 0.5));
	add(b, trial(2, "f", "t1", "fam", 1));
	add(b, about(3, ENTRY_REVIEW, "r1", 1));
	add(b, about(4, ENTRY_REVIEW, "r2", 1));
	add(b, about(5, ENTRY_SUPERSEDE, "s", 0));
	add(b, about(6, ENTRY_ERASE, "x", 2));
	second.part = LEDGER_DIAGNOSTIC;
	second.completeness = STR("partial");
	second.model.p = NULL;
	second.has_reward = false;
	add(b, second);
	CHECK(index_db_set_head(b->db, LEDGER_MAIN, STR("origin"), 7, (struct digest){ { 7 } }, &b->err));
	CHECK(index_db_commit(b->db, &b->err));
}

static bool note_row(void *context, const struct index_row *row)
{
	struct buf *out = context;

	buf_printf(out, "%s%s%llu", out->n ? " " : "", row->part == LEDGER_MAIN ? "" : "d",
		   (unsigned long long)row->index);
	return true;
}

static void check_rows(struct bench *b, struct index_filter f, const char *want)
{
	struct buf got;
	uint64_t count = 0, wanted = *want != '\0';

	for (const char *p = want; *p; p++)
		wanted += *p == ' ';
	buf_init(&got);
	CHECK(index_db_list(b->db, &f, note_row, &got, &b->err));
	CHECK_STR(buf_str(&got), str_from(want));
	f.limit = 0;
	CHECK(index_db_count(b->db, &f, &count, &b->err));
	CHECK(count >= wanted);
	buf_free(&got);
}

TEST(every_filter_leaves_what_it_says)
{
	struct bench *b = bench();
	struct index_filter f = INDEX_ANY;

	fill(b);
	check_rows(b, f, "0 1 2 3 4 5 6 d0");
#define WITH(member, value, want) \
	do { \
		f = INDEX_ANY; \
		f.member = (value); \
		check_rows(b, f, (want)); \
	} while (0)
	WITH(kind, ENTRY_TRIAL, "0 1 2 d0");
	WITH(kind, ENTRY_REVIEW, "3 4");
	WITH(part, LEDGER_DIAGNOSTIC, "d0");
	WITH(experiment, STR("f"), "2");
	WITH(experiment, STR("nobody"), "");
	WITH(dataset, STR("d@1"), "0 1 d0");
	WITH(task, STR("family/one"), "0 d0");
	WITH(task, STR("fam"), ""); /* that of 2 went with its record, and the others only begin so */
	WITH(task_prefix, STR("fam"), "0 1 d0");
	WITH(task_prefix, STR("family/"), "0 1 d0");
	WITH(task_prefix, STR("family/t"), "1");
	WITH(task_prefix, STR(""), "0 1 d0");
	WITH(adapter, STR("a"), "0 1 d0");
	WITH(model, STR("even"), "0");
	WITH(completeness, STR("partial"), "d0");
	WITH(id, STR("t1"), "1 2");
	WITH(ref_of, 1, "3 4");
	WITH(reward_min, 0.5, "1");
	WITH(reward_max, 0.5, "0 1");
	WITH(hide_superseded, true, "1 2 3 4 5 6 d0");
	WITH(limit, 2, "0 1");
	WITH(newest_first, true, "d0 6 5 4 3 2 1 0");
	done(b);
}

static bool keep_row(void *context, const struct index_row *row)
{
	struct index_row *out = context;

	*out = *row;
	out->experiment = out->id = out->task = out->model = out->dataset = (struct str){ NULL, 0 };
	CHECK_STR(row->experiment, STR("e"));
	CHECK_STR(row->id, STR("t1"));
	CHECK_STR(row->task, STR("family/two"));
	CHECK_STR(row->model, STR("odd"));
	CHECK_STR(row->dataset, STR("d@1"));
	CHECK_STR(row->timestamp, STR("2026-05-01T12:00:00Z"));
	return false;
}

TEST(a_row_comes_back_with_what_later_entries_say_of_it)
{
	struct bench *b = bench();
	struct index_filter f = INDEX_ANY;
	struct index_row row;

	fill(b);
	f.id = STR("t1");
	CHECK(index_db_list(b->db, &f, keep_row, &row, &b->err));
	CHECK_INT(row.index, 1);
	CHECK_INT(row.reviews, 2);
	CHECK(!row.superseded && !row.erased && row.has_reward && row.reward == 0.5);
	CHECK_INT(row.digest.b[1], 1);
	CHECK_INT(row.leaf.b[0], 2);
	CHECK_INT(row.size, 9);
	CHECK(row.ref == UINT64_MAX);
	done(b);
}

static bool note_flags(void *context, const struct index_row *row)
{
	buf_printf(context, "%d%d%d ", row->superseded, row->erased, row->has_reward);
	return true;
}

TEST(superseded_and_erased_trials_are_marked_and_the_reward_of_an_erased_one_is_forgotten)
{
	struct bench *b = bench();
	struct index_filter f = INDEX_ANY;
	struct buf got;

	fill(b);
	buf_init(&got);
	f.kind = ENTRY_TRIAL;
	CHECK(index_db_list(b->db, &f, note_flags, &got, &b->err));
	CHECK_STR(buf_str(&got), STR("101 001 010 000 "));
	buf_free(&got);
	done(b);
}

TEST(an_object_is_counted_while_somebody_needs_it)
{
	struct bench *b = bench();
	struct index_row artifact = about(7, ENTRY_ARTIFACT, "t1/a", 2), other = about(8, ENTRY_ARTIFACT, "t1/b", 1);
	uint64_t count;

	fill(b);
	CHECK(index_db_begin(b->db, &b->err));
	artifact.digest = other.digest = (struct digest){ { 9 } };
	add(b, artifact);
	CHECK(index_db_count_object(b->db, LEDGER_MAIN, artifact.digest, &count, &b->err));
	CHECK_INT(count, 0); /* its trial is erased */
	add(b, other);
	CHECK(index_db_count_object(b->db, LEDGER_MAIN, artifact.digest, &count, &b->err));
	CHECK_INT(count, 1);
	CHECK(index_db_count_object(b->db, LEDGER_MAIN, (struct digest){ { 1, 0 } }, &count, &b->err));
	CHECK_INT(count, 1);
	CHECK(index_db_count_object(b->db, LEDGER_DIAGNOSTIC, (struct digest){ { 1, 0 } }, &count, &b->err));
	CHECK_INT(count, 1); /* each log has its own */
	CHECK(index_db_count_object(b->db, LEDGER_MAIN, (struct digest){ { 1, 2 } }, &count, &b->err));
	CHECK_INT(count, 0);
	CHECK(index_db_commit(b->db, &b->err));
	done(b);
}

TEST(what_was_not_committed_is_not_there)
{
	struct bench *b = bench();
	struct index_filter f = INDEX_ANY;

	fill(b);
	CHECK(index_db_begin(b->db, &b->err));
	add(b, trial(9, "new experiment", "t9", "new task", 1));
	index_db_abort(b->db);
	f.id = STR("t9");
	check_rows(b, f, "");
	CHECK(index_db_begin(b->db, &b->err));
	add(b, trial(9, "new experiment", "t9", "new task", 1)); /* its words are added again */
	CHECK(index_db_commit(b->db, &b->err));
	f.experiment = STR("new experiment");
	check_rows(b, f, "9");
	done(b);
}

static void check_head(struct bench *b, enum ledger_part p, uint64_t want)
{
	struct str origin;
	struct digest root;
	uint64_t size;

	CHECK(index_db_head(b->db, &b->arena, p, &origin, &size, &root, &b->err));
	CHECK_INT(size, want);
	if (want) {
		CHECK_STR(origin, STR("origin"));
		CHECK_INT(root.b[0], 7);
	}
}

TEST(a_log_can_be_thrown_away_alone)
{
	struct bench *b = bench();

	fill(b);
	check_head(b, LEDGER_MAIN, 7);
	check_head(b, LEDGER_DIAGNOSTIC, 0);
	CHECK(index_db_clear(b->db, LEDGER_MAIN, &b->err));
	check_head(b, LEDGER_MAIN, 0);
	check_rows(b, INDEX_ANY, "d0");
	done(b);
}

TEST(an_index_is_there_when_it_is_opened_again)
{
	struct bench *b = bench();
	struct index_filter f = INDEX_ANY;

	fill(b);
	index_db_close(b->db);
	b->db = index_db_open(b->path, &b->err);
	CHECK(b->db != NULL);
	check_head(b, LEDGER_MAIN, 7);
	f.model = STR("odd");
	check_rows(b, f, "1");
	done(b);
}

TEST(what_is_no_index_is_replaced)
{
	static const char *const garbage[] = { "no database at all, but long enough to be taken for one by its length",
					       "SQLite format 3" };

	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		struct bench *b = bench();
		FILE *file;

		fill(b);
		index_db_close(b->db);
		file = fopen(b->path.p, "w");
		CHECK(file && fputs(garbage[i], file) >= 0 && fclose(file) == 0);
		b->db = index_db_open(b->path, &b->err);
		CHECK(b->db != NULL);
		check_rows(b, INDEX_ANY, "");
		done(b);
	}
}

TEST(without_a_place_the_index_is_in_memory)
{
	static const char *const places[] = { NULL, "/nonexistent-directory/x.index" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct bench *b = bench();

		index_db_close(b->db);
		b->db = index_db_open(str_from(places[i]).n ? str_from(places[i]) : (struct str){ NULL, 0 }, &b->err);
		CHECK(b->db != NULL);
		fill(b);
		check_head(b, LEDGER_MAIN, 7);
		done(b);
	}
}

TEST(names_may_hold_any_byte)
{
	struct bench *b = bench();
	struct index_row row = trial(0, "e", "t", "task", 0);
	struct index_filter f = INDEX_ANY;

	row.task = STR("a\0b'; DROP TABLE row; --");
	row.id = STR("");
	CHECK(index_db_begin(b->db, &b->err));
	add(b, row);
	CHECK(index_db_commit(b->db, &b->err));
	f.task = row.task;
	f.id = STR("");
	check_rows(b, f, "0");
	f.task = STR("a");
	check_rows(b, f, "");
	f.task.p = NULL;
	f.task_prefix = STR("a\0b");
	check_rows(b, f, "0");
	done(b);
}

TEST(the_file_is_in_the_cache_of_the_user)
{
	struct bench *b = bench();
	struct log log = { .origin = STR("origin") };
	struct ledger one = { .is_dir = false, .where = STR("postgres://host/a"), .logs = { &log } }, other = one;
	struct str first, second;

	*strrchr((char *)(uintptr_t)b->path.p, '/') = '\0';
	setenv("XDG_CACHE_HOME", b->path.p, 1);
	other.where = STR("postgres://host/b");
	first = index_db_path(&b->arena, &one);
	second = index_db_path(&b->arena, &other);
	CHECK(str_starts(first, str_from(b->path.p)) && str_ends(first, STR(".index")));
	CHECK(!str_eq(first, second));
	CHECK_STR(index_db_path(&b->arena, &one), first);
	CHECK(rmdir(arena_printf(&b->arena, "%s/trackway", b->path.p).p) == 0);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	CHECK(index_db_path(&b->arena, &one).p == NULL);
	((char *)(uintptr_t)b->path.p)[strlen(b->path.p)] = '/';
	done(b);
}
