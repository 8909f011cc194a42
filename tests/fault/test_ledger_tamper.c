/*
 * A ledger of twenty-one entries, written by the engine and then loaded into memory, is damaged in every way that fits
 * one file: every byte changed, every file deleted, cut, lengthened, swapped; and as a whole: an older copy put back,
 * another history put in its place. Each damage must be found, and the finding must name the file.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/build.h"
#include "ledger/check/check.h"
#include "ledger/check/rules.h"
#include "ledger/dir/log_dir.h"
#include "unit/ledger/disk.h"

#define PUBLISHED 18

struct bench {
	char dir[32];
	char where[64], keys[64];
	struct signer signer;
	struct arena arena, found; /* its own; what the last look found */
	struct disk *disk;
	struct io io;
	struct findings findings;
	struct log_report report[LEDGER_PARTS];
	const struct policy *policy;
	struct str vkey;
	size_t done, passed; /* damages; those that nothing is to be found of, by design */
};

/* ---- writing ---- */

struct writer {
	struct ledger ledger;
	struct arena *arena;
	struct digest leaves[64];
	struct digest objects[64];
};

static uint64_t append(struct writer *w, enum ledger_part p, struct entry e, struct str object)
{
	struct log *l = w->ledger.logs[p];
	struct err err = { .kind = ERR_NONE };
	struct log_item item = { .outcome = LOG_ADDED };
	struct buf text;

	e.experiment = STR("pilot");
	e.sealed_at = STR("2026-07-01T10:00:00.000Z");
	buf_init(&text);
	if (object.p) {
		e.record.given = true;
		e.record.size = object.n;
		e.record.media = STR("text/plain");
		if (!l->ops->put_objects(l, &object, 1, &e.record.digest, &err))
			FAIL("%s", err.text);
	}
	CHECK(entry_add_text(&text, &e, &err));
	item.ident = entry_ident(w->arena, &e);
	item.digest = entry_digest(&e);
	item.entry = buf_str(&text);
	if (!log_append(l, &item, 1, &err) || item.outcome != LOG_ADDED)
		FAIL("%s", err.text);
	if (object.p)
		ledger_link(&w->ledger, p, &e);
	buf_free(&text);
	if (p == LEDGER_MAIN) {
		w->leaves[item.index] = item.leaf;
		w->objects[item.index] = e.record.digest;
	}
	return item.index;
}

static uint64_t add_trial(struct writer *w, enum ledger_part p, unsigned n, const char *more)
{
	struct entry e = { .kind = ENTRY_TRIAL, .id = arena_printf(w->arena, "t%u", n) };

	e.completeness = p == LEDGER_MAIN ? STR("complete") : STR("partial");
	return append(w, p, e, arena_printf(w->arena, "{\"trial_id\":\"t%u\"%s}", n, more));
}

static struct entry_ref ref_to(struct writer *w, uint64_t index, unsigned n)
{
	return (struct entry_ref){ .given = true, .trial_id = arena_printf(w->arena, "t%u", n), .index = index,
				   .leaf = w->leaves[index] };
}

static void add_others(struct writer *w)
{
	struct entry e = { .kind = ENTRY_ARTIFACT, .id = STR("t1/out.txt"), .ref = ref_to(w, 1, 1) };

	append(w, LEDGER_MAIN, e, STR("what came out\n"));
	for (unsigned i = 0; i < 3; i++) {
		e = (struct entry){ .kind = ENTRY_REVIEW, .id = arena_printf(w->arena, "r%u", i), .ref = ref_to(w, i, i) };
		append(w, LEDGER_MAIN, e, arena_printf(w->arena, "{\"judgment\":\"pass\",\"n\":%u}", i));
	}
	e = (struct entry){ .kind = ENTRY_SUPERSEDE, .id = STR("s"), .ref = ref_to(w, 3, 3), .by = ref_to(w, 4, 4),
			    .reason = STR("a better run") };
	append(w, LEDGER_MAIN, e, (struct str){ NULL, 0 });
}

static void erase(struct writer *w, uint64_t index, unsigned n)
{
	struct entry e = { .kind = ENTRY_ERASE, .id = STR("e"), .ref = ref_to(w, index, n), .reason = STR("asked for") };
	struct log *l = w->ledger.logs[LEDGER_MAIN];
	struct err err = { .kind = ERR_NONE };
	uint64_t by = append(w, LEDGER_MAIN, e, (struct str){ NULL, 0 });
	bool found;

	CHECK(l->ops->erase_object(l, w->objects[index], by, &found, &err) && found);
	CHECK(log_dir_unlink(l, arena_printf(w->arena, "records/pilot/t%u.json", n).p));
}

static void publish(struct writer *w)
{
	struct err err = { .kind = ERR_NONE };

	if (!ledger_publish(&w->ledger, &err))
		FAIL("%s", err.text);
}

static void open_ledger(struct bench *b, struct writer *w, const char *where, const char *keys, bool make)
{
	struct ledger_options o = { .where = str_from(where), .keys = str_from(keys) };
	struct err err = { .kind = ERR_NONE };

	w->arena = &b->arena;
	if (make && !ledger_make(&b->arena, &o, &b->signer, &err))
		FAIL("%s", err.text);
	if (!ledger_open(&w->ledger, &b->arena, &o, &err))
		FAIL("%s", err.text);
}

/* Eight trials, published; then whatever there is, published; then two that are only committed. */
static void write_ledger(struct bench *b, const char *older)
{
	struct writer w;

	open_ledger(b, &w, b->where, b->keys, true);
	for (unsigned i = 0; i < 8; i++)
		add_trial(&w, LEDGER_MAIN, i, "");
	add_trial(&w, LEDGER_DIAGNOSTIC, 90, "");
	publish(&w);
	if (older) {
		char command[300];

		snprintf(command, sizeof(command), "cp -a '%s' '%s'", b->where, older);
		CHECK(system(command) == 0);
	}
	add_others(&w);
	for (unsigned i = 8; i < 12; i++)
		add_trial(&w, LEDGER_MAIN, i, "");
	erase(&w, 7, 7);
	publish(&w);
	add_trial(&w, LEDGER_MAIN, 12, "");
	add_trial(&w, LEDGER_MAIN, 13, "");
	ledger_close(&w.ledger);
}

static struct bench *begin(const char *older)
{
	struct bench *b = test_alloc(sizeof(*b));
	static const uint8_t seed[ED25519_SEED] = { 3, 1, 4, 1, 5 };
	struct err err = { .kind = ERR_NONE };
	struct buf text;

	snprintf(b->dir, sizeof(b->dir), "/tmp/trackway-tamper-XXXXXX");
	CHECK(mkdtemp(b->dir));
	snprintf(b->where, sizeof(b->where), "%s/l", b->dir);
	snprintf(b->keys, sizeof(b->keys), "%s/k", b->dir);
	arena_init(&b->arena);
	arena_init(&b->found);
	CHECK(signer_init(&b->signer, STR("example.org/tamper"), KEY_LOG, seed, &err));
	if (!keys_add(&b->arena, str_from(b->keys), &b->signer, &err))
		FAIL("%s", err.text);
	buf_init(&text);
	key_add_text(&text, &b->signer.key);
	b->vkey = arena_copy(&b->arena, buf_str(&text));
	buf_free(&text);
	write_ledger(b, older);
	return b;
}

/* The write-ahead file is mostly zeros, written before they are needed; they are cut off, or we would read little else. */
static void load(struct bench *b)
{
	b->disk = disk_new();
	b->io = disk_io(b->disk);
	disk_load(b->disk, b->dir);
	for (size_t i = 0; i < b->disk->count; i++) {
		struct disk_file *f = b->disk->files + i;

		while (strstr(f->path, "/.state/wal") && f->bytes.n && f->bytes.p[f->bytes.n - 1] == 0)
			f->bytes.n--;
	}
}

static void end(struct bench *b)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", b->dir);
	CHECK(system(command) == 0);
}

static struct bench *begin_in_memory(void)
{
	struct bench *b = begin(NULL);

	load(b);
	end(b);
	return b;
}

/* ---- looking ---- */

static void look_at(struct bench *b, const char *where)
{
	struct ledger_check c = {
		.signer = &b->signer,
		.where = str_from(where), .arena = &b->found, .io = &b->io, .vkey = b->vkey, .keys = str_from(b->keys),
		.objects = true, .local = true, .findings = &b->findings, .policy = b->policy,
	};
	struct err err = { .kind = ERR_NONE };

	arena_reset(&b->found);
	findings_init(&b->findings, &b->found, 0);
	if (!ledger_check_run(&c, b->report, &err))
		FAIL("could not look: %s", err.text);
}

static void show(const struct bench *b)
{
	for (size_t i = 0; i < b->findings.kept_count; i++)
		printf("\t%s %.*s\n", b->findings.kept[i].code, STR_ARG(b->findings.kept[i].message));
}

/* The name of a file as findings have it: relative to the ledger. What lies beside the key is told of the checkpoint. */
static const char *name_of(const struct bench *b, const struct disk_file *f)
{
	size_t n = strlen(b->where);

	return strncmp(f->path, b->where, n) == 0 && f->path[n] == '/' ? f->path + n + 1 : "checkpoint";
}

static bool has_finding(const struct bench *b, const char *file, enum severity least)
{
	size_t n = strlen(file);

	for (size_t i = 0; i < b->findings.kept_count; i++) {
		const struct finding *f = b->findings.kept + i;

		if (f->severity >= least && f->message.n > n && memcmp(f->message.p, file, n) == 0 && f->message.p[n] == ':')
			return true;
	}
	return false;
}

static bool is_in(const char *name, const char *dir)
{
	name = strncmp(name, "diagnostic/", 11) == 0 ? name + 11 : name;
	return strncmp(name, dir, strlen(dir)) == 0;
}

static bool is_key(const struct bench *b, const struct disk_file *f)
{
	return strncmp(f->path, b->keys, strlen(b->keys)) == 0 && strstr(f->path, ".head") == NULL;
}

static void must_find(struct bench *b, const struct disk_file *f, const char *what, size_t at)
{
	const char *name = name_of(b, f);
	enum severity least = is_in(name, ".state/wal") || is_in(name, ".state/ids") ? SEV_WARNING : SEV_ERROR;

	look_at(b, b->where);
	b->done++;
	if (has_finding(b, name, least) || (strcmp(name, "checkpoint") == 0 && strstr(f->path, ".head") &&
					    has_finding(b, "diagnostic/checkpoint", least)))
		return;
	show(b);
	FAIL("%s: %s at %zu was not found", f->path, what, at);
}

/* Nobody reads what a lock says, and a table of ids is made again. */
static bool is_content(const struct bench *b, const struct disk_file *f)
{
	return !f->gone && f->bytes.n > 0 && !is_key(b, f) && !strstr(f->path, "/.state/lock") &&
	       !strstr(f->path, "/.state/ids.idx");
}

static void change(struct bench *b, struct disk_file *f, size_t at, unsigned bit)
{
	const char *name = name_of(b, f);
	uint64_t inode = f->inode;

	if (is_in(name, "records/") || is_in(name, "artifacts/"))
		f->inode = 999999;
	f->bytes.p[at] ^= (char)(1 << bit);
	must_find(b, f, "a changed byte", at);
	f->bytes.p[at] ^= (char)(1 << bit);
	f->inode = inode;
}

/* ---- one file ---- */

TEST(the_ledger_is_whole_before_anything_is_done_to_it)
{
	struct bench *b = begin_in_memory();

	look_at(b, b->where);
	if (b->findings.errors + b->findings.warnings) {
		show(b);
		FAIL("expected nothing");
	}
	CHECK_INT(b->report[0].size, PUBLISHED);
	CHECK_INT(b->report[0].unpublished, 2);
	CHECK_INT(b->report[0].erased, 1);
	CHECK_INT(b->report[1].size, 1);
}

/* What only signatures are about: without it a look takes a fifth of the time. */
static bool is_signed(const struct bench *b, const struct disk_file *f)
{
	const char *name = name_of(b, f);

	return is_in(name, "checkpoints/") || strcmp(name, "checkpoint") == 0 || strncmp(name, "diagnostic/", 11) == 0;
}

static void hide_signed(struct bench *b, bool hidden)
{
	for (size_t i = 0; i < b->disk->count; i++) {
		struct disk_file *f = b->disk->files + i;

		if (is_signed(b, f) && strcmp(f->path + strlen(b->where), "/checkpoint") != 0)
			f->gone = hidden;
	}
}

/* Every byte of the files in some directories, or of all others; with a sanitizer, which is slow, each seventh. */
static void change_all(const char *const *dirs, size_t dir_count, bool others, size_t at_least)
{
	struct bench *b = begin_in_memory();
	size_t step = build_has_sanitizer() ? 7 : 1, files = 0;

	for (size_t i = 0; i < b->disk->count; i++) {
		struct disk_file *f = b->disk->files + i;
		bool is_one = false;

		for (size_t j = 0; j < dir_count; j++)
			is_one = is_one || is_in(name_of(b, f), dirs[j]);
		if (!is_content(b, f) || is_one == others)
			continue;
		files++;
		hide_signed(b, !is_signed(b, f));
		for (size_t at = i % step; at < f->bytes.n; at += step)
			change(b, f, at, (unsigned)at % 8);
		hide_signed(b, false);
	}
	printf("  %zu bytes of %zu files changed, each found\n", b->done, files);
	CHECK(b->done >= at_least / step);
}

TEST(every_byte_of_every_tile_and_bundle_that_is_changed_is_found_and_its_file_named)
{
	change_all((const char *const[]){ "tile/" }, 1, false, 6000);
}

TEST(every_byte_of_every_object_and_record_that_is_changed_is_found_and_its_file_named)
{
	change_all((const char *const[]){ "objects/", "records/", "artifacts/" }, 3, false, 500);
}

TEST(every_byte_of_the_write_ahead_file_that_is_changed_is_found)
{
	change_all((const char *const[]){ ".state/wal" }, 1, false, 4000);
}

TEST(every_byte_of_every_other_file_that_is_changed_is_found_and_its_file_named)
{
	change_all((const char *const[]){ "tile/", "objects/", "records/", "artifacts/", ".state/wal" }, 5, true, 1000);
}

TEST(every_bit_of_the_checkpoints_that_is_changed_is_found)
{
	struct bench *b = begin_in_memory();

	for (size_t i = 0; i < b->disk->count; i++) {
		struct disk_file *f = b->disk->files + i;

		if (strcmp(name_of(b, f), "checkpoint") != 0 || is_key(b, f) || strstr(f->path, ".head"))
			continue;
		for (size_t at = 0; at < f->bytes.n; at++)
			for (unsigned bit = 0; bit < 8; bit++)
				change(b, f, at, bit);
	}
	printf("  %zu bits changed, each found\n", b->done);
	CHECK(b->done > 1000);
}

/*
 * What may be missing: locks, the key's memory (then it has none), checkpoints that were kept only as a courtesy, and
 * partial tiles of a smaller size. A missing name is a warning.
 */
static bool may_be_missing(const struct bench *b, const struct disk_file *f)
{
	const char *name = name_of(b, f);
	char now[8];

	snprintf(now, sizeof(now), ".p/%d", PUBLISHED);
	if (strstr(f->path, ".head") || is_key(b, f) || is_in(name, "checkpoints/") || is_in(name, ".state/lock") ||
	    is_in(name, ".state/ids.idx"))
		return true;
	return strncmp(name, "tile/", 5) == 0 && !strstr(name, now);
}

TEST(every_file_that_is_deleted_is_missed)
{
	struct bench *b = begin_in_memory();

	for (size_t i = 0; i < b->disk->count; i++) {
		struct disk_file *f = b->disk->files + i;
		const char *name = name_of(b, f);
		bool is_name = is_in(name, "records/") || is_in(name, "artifacts/");

		f->gone = true;
		look_at(b, b->where);
		if (may_be_missing(b, f)) {
			b->passed++;
			if (b->findings.errors + b->findings.warnings) {
				show(b);
				FAIL("%s may be missing", f->path);
			}
		} else if (!has_finding(b, name, is_name ? SEV_WARNING : SEV_ERROR)) {
			show(b);
			FAIL("nobody missed %s", f->path);
		}
		b->done++;
		f->gone = false;
	}
	printf("  %zu files deleted, each missed, but for %zu that may be\n", b->done, b->passed);
	CHECK(b->done - b->passed > 40);
}

TEST(every_file_that_is_cut_or_lengthened_is_found)
{
	struct bench *b = begin_in_memory();

	for (size_t i = 0; i < b->disk->count; i++) {
		struct disk_file *f = b->disk->files + i;
		uint64_t inode = f->inode;

		if (!is_content(b, f))
			continue;
		if (is_in(name_of(b, f), "records/") || is_in(name_of(b, f), "artifacts/"))
			f->inode = 999999;
		if (strcmp(name_of(b, f), "vkey") != 0 && strcmp(name_of(b, f), "diagnostic/vkey") != 0) {
			f->bytes.n--; /* of a vkey that is the line end, which means nothing */
			must_find(b, f, "a missing byte", f->bytes.n);
			f->bytes.n++;
		}
		buf_add_byte(&f->bytes, 'x');
		must_find(b, f, "one byte more", f->bytes.n);
		f->bytes.n--;
		f->inode = inode;
	}
	printf("  %zu files cut or lengthened, each found\n", b->done);
	CHECK(b->done > 80);
}

/* The part of a name that two files must share to be mistaken for each other. */
static bool are_siblings(const struct bench *b, const struct disk_file *f, const struct disk_file *g)
{
	const char *a = name_of(b, f), *c = name_of(b, g), *const dirs[] = { "objects/", "tile/0/", "tile/entries/",
									      "checkpoints/", "records/", "checkpoint" };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (is_in(a, dirs[i]))
			return is_in(c, dirs[i]) && !str_eq(buf_str(&f->bytes), buf_str(&g->bytes)) &&
			       !strstr(f->path, ".head") && !strstr(g->path, ".head") && !is_key(b, f) && !is_key(b, g);
	return false;
}

static void swap(struct disk_file *f, struct disk_file *g)
{
	struct buf bytes = f->bytes;
	uint64_t inode = f->inode;

	f->bytes = g->bytes;
	g->bytes = bytes;
	f->inode = g->inode;
	g->inode = inode;
}

TEST(files_that_changed_places_are_found)
{
	struct bench *b = begin_in_memory();

	for (size_t i = 0; i < b->disk->count; i++) {
		for (size_t j = i + 1; j < b->disk->count; j++) {
			struct disk_file *f = b->disk->files + i, *g = b->disk->files + j;

			if (!is_content(b, f) || !is_content(b, g) || !are_siblings(b, f, g))
				continue;
			swap(f, g);
			must_find(b, f, "another file's content", j);
			must_find(b, g, "another file's content", i);
			swap(f, g);
		}
	}
	printf("  %zu times two files changed places, each found\n", b->done / 2);
	CHECK(b->done > 100);
}

/* ---- the whole ledger ---- */

static bool has_code(const struct bench *b, enum ledger_rule rule)
{
	for (size_t i = 0; i < b->findings.kept_count; i++)
		if (strcmp(b->findings.kept[i].code, ledger_rules[rule].code) == 0)
			return true;
	return false;
}

TEST(an_older_copy_that_was_put_back_is_a_rollback)
{
	struct bench *b;
	char older[] = "/tmp/trackway-older-XXXXXX", command[128];

	CHECK(mkdtemp(older));
	CHECK(rmdir(older) == 0);
	b = begin(older);
	load(b);
	disk_load(b->disk, older);
	end(b);
	snprintf(command, sizeof(command), "rm -rf '%s'", older);
	CHECK(system(command) == 0);
	look_at(b, older);
	CHECK_INT(b->report[0].size, 8);
	CHECK(b->report[0].signed_well);
	if (!has_code(b, LG_ROLLBACK) || b->findings.errors != 1) {
		show(b);
		FAIL("expected a rollback and nothing else");
	}
}

TEST(another_history_of_the_same_key_is_a_fork)
{
	struct bench *b = begin(NULL);
	char where[64], keys[64];
	struct writer w;

	snprintf(where, sizeof(where), "%s/fork", b->dir);
	snprintf(keys, sizeof(keys), "%s/otherkeys", b->dir);
	CHECK(keys_add(&b->arena, str_from(keys), &b->signer, &(struct err){ .kind = ERR_NONE }));
	open_ledger(b, &w, where, keys, true);
	for (unsigned i = 0; i < 20; i++)
		add_trial(&w, LEDGER_MAIN, i, i == 5 ? ",\"reward\":1" : "");
	add_trial(&w, LEDGER_DIAGNOSTIC, 90, "");
	publish(&w);
	ledger_close(&w.ledger);
	load(b);
	end(b);
	look_at(b, where);
	CHECK(b->report[0].signed_well);
	if (!has_code(b, LG_FORK) || b->findings.errors != 1) {
		show(b);
		FAIL("expected a fork and nothing else");
	}
}

/* ---- witnesses ---- */

TEST(a_witness_line_is_anybodys_until_a_policy_names_the_witness)
{
	struct bench *b = begin_in_memory();
	struct disk_file *f = NULL;
	uint8_t seed[ED25519_SEED] = { 42 };
	struct err err = { .kind = ERR_NONE };
	struct signer witness;
	struct policy policy;
	struct arena a;
	struct buf text;
	struct note note;
	const char *why;
	size_t from;

	arena_init(&a);
	for (size_t i = 0; i < b->disk->count; i++)
		if (strcmp(b->disk->files[i].path + strlen(b->where), "/checkpoint") == 0)
			f = b->disk->files + i;
	CHECK(f && note_parse(arena_copy(&a, buf_str(&f->bytes)), &note, &why));
	from = f->bytes.n;
	CHECK(signer_init(&witness, STR("w.example"), KEY_WITNESS, seed, &err));
	CHECK(cosignature_add_line(&f->bytes, note.text, &witness, 1700000000, &err));
	buf_init(&text);
	buf_printf(&text, "log %.*s\nwitness w ", STR_ARG(b->vkey));
	key_add_text(&text, &witness.key);
	buf_add_str(&text, STR("\nquorum w\n"));
	CHECK(policy_parse(&a, buf_str(&text), &policy, &err));
	for (size_t at = from; at < f->bytes.n; at++) {
		f->bytes.p[at] ^= (char)(1 << at % 8);
		b->policy = NULL;
		look_at(b, b->where);
		b->passed += b->findings.errors == 0;
		b->policy = &policy;
		must_find(b, f, "a changed byte of the witness", at);
		f->bytes.p[at] ^= (char)(1 << at % 8);
	}
	look_at(b, b->where);
	CHECK_INT(b->findings.errors, 0);
	CHECK_INT(b->report[0].witnesses, 1);
	CHECK(b->passed > 10);
	printf("  %zu bytes of a witness's line changed: each found with a policy, %zu passed without\n", b->done, b->passed);
	buf_free(&text);
	arena_free(&a);
}
