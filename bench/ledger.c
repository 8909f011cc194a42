/*
 * The ledger beside what the disk can do and beside SQLite. `ledger write DIR` measures durable appends: each way has
 * its turn in every round, and a line "row, operations, seconds" is printed for each turn. `ledger large DIR N` makes a
 * ledger of N entries and measures what is asked of it.
 */
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "common.h"
#include "ledger/check/check.h"
#include "ledger/dir/log_dir.h"
#include "ledger/index.h"
#include "ledger/proof.h"

#define ENTRY 480   /* bytes of the writes that entries are held against: about what an entry has */
#define RECORD 2048 /* bytes of a whole record */
#define BATCH 256
#define RECORDS 1000 /* different ones in the large ledger: entries name them in turn */

struct recorder {
	const char *dir;
	double seconds; /* of a turn */
	struct arena arena, batch;
	struct err err;
	struct signer signer;
	struct log *log;
	uint64_t serial;
	struct str texts[BATCH], records[BATCH];
	struct digest digests[BATCH];
	struct log_item items[BATCH];
};

static void must(struct recorder *d, bool good)
{
	if (!good)
		bench_fail("ledger", d->err.text);
}

static struct str path_of(struct recorder *d, const char *name)
{
	return arena_printf(&d->arena, "%s/%s", d->dir, name);
}

static void make_signer(struct recorder *d)
{
	uint8_t seed[ED25519_SEED] = { 7 };

	must(d, signer_init(&d->signer, STR("bench.example/ledger"), KEY_LOG, seed, &d->err));
}

/* ---- entries and records ---- */

static void make_entry(struct recorder *d, size_t i, struct digest record)
{
	struct entry e = {
		.kind = ENTRY_TRIAL,
		.id = arena_printf(&d->batch, "trial-%012llu", (unsigned long long)d->serial++),
		.experiment = STR("bench"),
		.completeness = STR("complete"),
		.sealed_at = STR("2026-05-01T12:30:00.000Z"),
		.record = { .given = true, .digest = record, .size = RECORD, .media = STR(ENTRY_MEDIA_TRIAL) },
		.run = { .hash = STR("otutl-v1:sha256:"
				     "8d6f9547bf5c71a7dd489abfe62a11d0abce786eb878bbbd15b91d3ac4cecf82"),
			 .root = STR("rfc6962-sha256:"
				     "530bd5b29755d1cf5210238cfb45a8662cfc52bb67a311bd5cf27db6520f7727"),
			 .records = 9 },
	};
	struct buf text;

	buf_init(&text);
	must(d, entry_add_text(&text, &e, &d->err));
	d->items[i] = (struct log_item){
		.ident = entry_ident(&d->batch, &e),
		.digest = record,
		.entry = arena_copy(&d->batch, buf_str(&text)),
	};
	buf_free(&text);
}

static void make_record(struct recorder *d, size_t i, uint64_t n)
{
	struct str head = arena_printf(&d->batch,
				       "{\"trial_id\":\"trial-%012llu\",\"experiment_id\":\"bench\","
				       "\"dataset_id\":\"d@%llu\",\"timestamp\":\"2026-05-01T12:30:00Z\","
				       "\"task\":{\"task_id\":\"family-%llu/task-%llu\"},"
				       "\"agent\":{\"adapter\":\"a-%llu\",\"model\":\"m-%llu\"},"
				       "\"evaluation\":{\"reward\":%g},\"x\":\"",
				       (unsigned long long)n, (unsigned long long)(n % 3), (unsigned long long)(n % 10),
				       (unsigned long long)(n % 200), (unsigned long long)(n % 4),
				       (unsigned long long)(n % 20), (double)(n % 5) / 4);
	char *text = arena_array(&d->batch, char, RECORD);

	memset(text, 'x', RECORD);
	memcpy(text, head.p, head.n);
	memcpy(text + RECORD - 2, "\"}", 2);
	d->records[i] = str_of(text, RECORD);
}

static void append(struct recorder *d, size_t count, bool with_objects)
{
	static const struct digest same = { { 1, 2, 3 } };

	arena_reset(&d->batch);
	if (with_objects) {
		for (size_t i = 0; i < count; i++)
			make_record(d, i, d->serial + i);
		must(d, d->log->ops->put_objects(d->log, d->records, count, d->digests, &d->err));
	}
	for (size_t i = 0; i < count; i++)
		make_entry(d, i, with_objects ? d->digests[i] : same);
	must(d, log_append(d->log, d->items, count, &d->err));
}

/* ---- the ways to write; each gives how many operations it did in its turn ---- */

static uint64_t raw(struct recorder *d, const char *name, size_t prewritten)
{
	char bytes[ENTRY];
	uint64_t count = 0;
	struct bench_clock begin;
	int fd = open(path_of(d, name).p, O_CREAT | O_TRUNC | O_RDWR, 0644);

	memset(bytes, 'x', sizeof(bytes));
	if (prewritten) {
		char *zeros = calloc(1, prewritten);

		if (pwrite(fd, zeros, prewritten, 0) != (ssize_t)prewritten || fsync(fd) != 0)
			bench_fail(name, "cannot write");
		free(zeros);
	}
	for (begin = bench_now(); bench_since(begin).wall < d->seconds; count++)
		if (pwrite(fd, bytes, sizeof(bytes), (off_t)(count * ENTRY)) != ENTRY || fdatasync(fd) != 0)
			bench_fail(name, "cannot write");
	printf("%s\t%llu\t%.6f\n", name, (unsigned long long)count, bench_since(begin).wall);
	close(fd);
	return count;
}

static void run_raw(struct recorder *d)
{
	raw(d, "raw-growing", 0);
}

static void run_raw_flat(struct recorder *d)
{
	raw(d, "raw-prewritten", (size_t)64 << 20);
}

static void sql(sqlite3 *db, const char *text)
{
	if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
		bench_fail("sqlite", sqlite3_errmsg(db));
}

static void sqlite_turn(struct recorder *d, const char *name, size_t batch)
{
	char bytes[ENTRY];
	uint64_t count = 0;
	struct bench_clock begin;
	sqlite3 *db;
	sqlite3_stmt *insert;

	memset(bytes, 'x', sizeof(bytes));
	if (sqlite3_open(path_of(d, "peer.sqlite").p, &db) != SQLITE_OK)
		bench_fail("sqlite", "cannot open");
	sql(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
		"CREATE TABLE IF NOT EXISTS e(n INTEGER PRIMARY KEY, b BLOB)");
	sqlite3_prepare_v2(db, "INSERT INTO e(b) VALUES(?1)", -1, &insert, NULL);
	for (begin = bench_now(); bench_since(begin).wall < d->seconds; count += batch) {
		sql(db, "BEGIN");
		for (size_t i = 0; i < batch; i++) {
			sqlite3_bind_blob(insert, 1, bytes, sizeof(bytes), SQLITE_STATIC);
			if (sqlite3_step(insert) != SQLITE_DONE)
				bench_fail("sqlite", sqlite3_errmsg(db));
			sqlite3_reset(insert);
		}
		sql(db, "COMMIT");
	}
	printf("%s\t%llu\t%.6f\n", name, (unsigned long long)count, bench_since(begin).wall);
	sqlite3_finalize(insert);
	sqlite3_close(db);
}

static void run_sqlite(struct recorder *d)
{
	sqlite_turn(d, "sqlite-wal-full", 1);
}

static void run_sqlite_batch(struct recorder *d)
{
	sqlite_turn(d, "sqlite-256", BATCH);
}

/* Publishing is not inside: it happens by itself now and then, as it would, and at the end of the turn outside. */
static void ours_turn(struct recorder *d, const char *name, size_t batch, bool with_objects, bool publish)
{
	uint64_t count = 0;
	struct bench_clock begin;

	for (begin = bench_now(); bench_since(begin).wall < d->seconds; count += batch) {
		append(d, batch, with_objects);
		if (publish)
			must(d, log_publish(d->log, &d->err));
	}
	printf("%s\t%llu\t%.6f\n", name, (unsigned long long)count, bench_since(begin).wall);
	must(d, log_publish(d->log, &d->err));
}

static void run_entry(struct recorder *d)
{
	ours_turn(d, "entry", 1, false, false);
}

static void run_entries(struct recorder *d)
{
	ours_turn(d, "entries-256", BATCH, false, false);
}

static void run_published(struct recorder *d)
{
	ours_turn(d, "entry-published", 1, false, true);
}

static void run_record(struct recorder *d)
{
	ours_turn(d, "record", 1, true, false);
}

static void run_records(struct recorder *d)
{
	ours_turn(d, "records-256", BATCH, true, false);
}

static void open_log(struct recorder *d)
{
	struct log_dir_options o = { .dir = path_of(d, "log"), .keys = path_of(d, "keys"), .signer = &d->signer };

	mkdir(o.keys.p, 0700);
	must(d, log_dir_make(&o, d->signer.key.name, &d->err));
	d->log = log_dir_open(&o, &d->err);
	must(d, d->log != NULL);
}

static void measure_writes(struct recorder *d, unsigned rounds)
{
	static void (*const ways[])(struct recorder *d) = {
		run_raw,    run_raw_flat, run_sqlite,	    run_entry,	run_published,
		run_record, run_entries,  run_sqlite_batch, run_records,
	};

	open_log(d);
	for (unsigned round = 0; round < rounds; round++)
		for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
			ways[i](d);
			fflush(stdout);
		}
	log_close(d->log);
}

/* ---- a large ledger ---- */

static void say(const char *what, uint64_t count, struct bench_clock begin)
{
	printf("%s\t%llu\t%.6f\n", what, (unsigned long long)count, bench_since(begin).wall);
	fflush(stdout);
}

static void fill(struct recorder *d, struct ledger *l, uint64_t entries)
{
	struct digest *all = arena_array(&d->arena, struct digest, RECORDS);
	struct bench_clock begin;

	d->log = l->logs[LEDGER_MAIN];
	for (size_t at = 0; at < RECORDS; at += BATCH) {
		size_t n = RECORDS - at < BATCH ? RECORDS - at : BATCH;

		arena_reset(&d->batch);
		for (size_t i = 0; i < n; i++)
			make_record(d, i, at + i);
		must(d, d->log->ops->put_objects(d->log, d->records, n, all + at, &d->err));
	}
	begin = bench_now();
	for (uint64_t at = 0; at < entries; at += BATCH) {
		size_t n = entries - at < BATCH ? (size_t)(entries - at) : BATCH;

		arena_reset(&d->batch);
		for (size_t i = 0; i < n; i++)
			make_entry(d, i, all[d->serial % RECORDS]);
		must(d, log_append(d->log, d->items, n, &d->err));
	}
	must(d, ledger_publish(l, &d->err));
	say("fill", entries, begin);
}

static bool count_row(void *context, const struct index_row *row)
{
	*(uint64_t *)context += row->size > 0;
	return true;
}

static void ask(struct recorder *d, struct index *x, const char *what, struct index_filter f, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		struct bench_clock begin = bench_now();
		uint64_t rows = 0;

		must(d, index_list(x, &f, count_row, &rows, &d->err));
		say(what, rows, begin);
	}
}

static void measure_list(struct recorder *d, struct ledger *l, unsigned rounds)
{
	struct bench_clock begin = bench_now();
	struct index *x = index_open(l, NULL, NULL, &d->err);
	struct index_filter f = INDEX_ANY;

	must(d, x != NULL);
	say("index-made", d->serial, begin);
	index_close(x);
	begin = bench_now();
	x = index_open(l, NULL, NULL, &d->err);
	say("index-opened", d->serial, begin);
	f.model = STR("m-7");
	f.reward_min = 0.5;
	f.limit = 50;
	ask(d, x, "list-model-reward-50", f, rounds);
	f.limit = 0;
	ask(d, x, "list-model-reward", f, rounds);
	f = INDEX_ANY;
	f.task_prefix = STR("family-3/");
	ask(d, x, "list-task-prefix", f, rounds);
	f = INDEX_ANY;
	ask(d, x, "list-all", f, rounds);
	index_close(x);
}

static void measure_proofs(struct recorder *d, struct ledger *l, unsigned rounds)
{
	struct log *log = l->logs[LEDGER_MAIN];

	for (unsigned i = 0; i < rounds * 20; i++) {
		struct bench_clock begin = bench_now();
		struct proof p;

		arena_reset(&d->batch);
		must(d, log_prove(log, &d->batch, (i * UINT64_C(2654435761)) % d->serial, &p, &d->err));
		say("prove", 1, begin);
	}
}

static void measure_check(struct recorder *d, struct ledger *l, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		struct bench_clock begin = bench_now();
		struct findings findings;
		struct log_report reports[LEDGER_PARTS] = { { .there = false } };
		struct ledger_check c = { .ledger = l, .findings = &findings };
		struct sha256 s;
		char *bytes = calloc(1, (size_t)1 << 20);
		uint64_t hashed, left;

		arena_reset(&d->batch);
		findings_init(&findings, &d->batch, 10);
		must(d, ledger_check_run(&c, reports, &d->err));
		if (findings.errors)
			bench_fail("verify", "found errors");
		say("verify", reports[LEDGER_MAIN].size, begin);
		hashed = reports[LEDGER_MAIN].bytes;
		sha256_init(&s);
		begin = bench_now();
		for (left = hashed; left; left -= left < (1 << 20) ? left : (1 << 20))
			sha256_add(&s, str_of(bytes, left < (1 << 20) ? (size_t)left : (size_t)1 << 20));
		sha256_end(&s);
		say("sha256-of-as-much", hashed, begin);
		sha256_free(&s);
		free(bytes);
	}
}

static void measure_large(struct recorder *d, uint64_t entries, unsigned rounds)
{
	struct ledger_options o = { .where = path_of(d, "ledger"), .keys = path_of(d, "keys") };
	struct ledger l;

	must(d, keys_add(&d->arena, o.keys, &d->signer, &d->err));
	must(d, ledger_make(&d->arena, &o, &d->signer, &d->err));
	must(d, ledger_open(&l, &d->arena, &o, &d->err));
	fill(d, &l, entries);
	measure_proofs(d, &l, rounds);
	measure_check(d, &l, rounds);
	measure_list(d, &l, rounds);
	ledger_close(&l);
}

int main(int argc, char **argv)
{
	struct recorder *d = calloc(1, sizeof(*d));
	unsigned rounds = bench_number(argc, argv, "rounds", 5);

	if (argc < 3)
		bench_fail("usage", "ledger write|large DIR [rounds N] [milliseconds N] [entries N]");
	arena_init(&d->arena);
	arena_init(&d->batch);
	d->dir = argv[2];
	d->seconds = bench_number(argc, argv, "milliseconds", 1000) / 1e3;
	make_signer(d);
	if (strcmp(argv[1], "write") == 0)
		measure_writes(d, rounds);
	else
		measure_large(d, bench_number(argc, argv, "entries", 1000000), rounds);
	return 0;
}
