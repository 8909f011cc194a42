/*
 * Drives the engines of a log for the suite: what 'trackway ledger' does not show, or not often enough. Every word is one
 * step; what was acknowledged is a line on standard output, flushed.
 *
 *	drive KEYS ORIGIN make WHERE
 *	drive KEYS ORIGIN append WHERE PREFIX COUNT BATCH       prints "OUTCOME INDEX LEAF ID", one for each
 *	drive KEYS ORIGIN publish|head|checkpoint|read WHERE
 *	drive KEYS ORIGIN erase WHERE ID
 *	drive KEYS ORIGIN cosign WHERE
 *	drive KEYS ORIGIN export WHERE DIR
 *	drive KEYS ORIGIN same WHERE OTHER COUNT                both engines side by side, at every size
 *	drive KEYS ORIGIN rate WHERE SECONDS BATCH              appends per second
 *
 * WHERE is a directory or a postgres:// URL. The key is made of the origin's name: not a secret. With "-" for KEYS there
 * is none, as for a writer who cannot sign.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "ledger/dir/log_dir.h"
#include "ledger/entry.h"
#include "ledger/ledger.h"
#include "ledger/pg/log_pg.h"

#define ITEMS 1024
#define SEALED STR("2026-01-02T03:04:05.678Z")

struct drive {
	struct arena a;
	struct str keys, origin; /* keys.p NULL: none */
	struct signer signer;
	struct err err;
};

__attribute__((noreturn)) static void fail(struct drive *d, const char *what)
{
	fprintf(stderr, "%s: %s\n", what, d->err.text);
	exit(3);
}

static void warn(void *context, const char *sentence)
{
	(void)context;
	fprintf(stderr, "warning: %s\n", sentence);
}

static struct log_pg_options in_pg(struct drive *d, const char *where)
{
	return (struct log_pg_options){
		.url = str_from(where), .origin = d->origin, .keys = d->keys, .signer = d->keys.p ? &d->signer : NULL,
		.warn = warn,
	};
}

static struct log_dir_options in_dir(struct drive *d, const char *where)
{
	return (struct log_dir_options){ .dir = str_from(where), .keys = d->keys, .signer = d->keys.p ? &d->signer : NULL };
}

static void make(struct drive *d, const char *where)
{
	struct log_pg_options pg = in_pg(d, where);
	struct log_dir_options dir = in_dir(d, where);

	if (!(ledger_is_url(str_from(where)) ? log_pg_make(&pg, d->origin, &d->err) : log_dir_make(&dir, d->origin, &d->err)))
		fail(d, "make");
}

static struct log *open_log(struct drive *d, const char *where)
{
	struct log_pg_options pg = in_pg(d, where);
	struct log_dir_options dir = in_dir(d, where);
	struct log *l = ledger_is_url(str_from(where)) ? log_pg_open(&pg, &d->err) : log_dir_open(&dir, &d->err);

	if (!l)
		fail(d, "open");
	return l;
}

/* ---- entries ---- */

static struct str record_of(struct arena *a, struct str id)
{
	return arena_printf(a, "{\"trial_id\":\"%.*s\"}", STR_ARG(id));
}

static struct entry entry_of(struct arena *a, struct str id)
{
	struct str record = record_of(a, id);
	struct entry e = {
		.kind = ENTRY_TRIAL, .id = id, .experiment = STR("drive"), .completeness = STR("complete"), .sealed_at = SEALED,
	};
	struct sha256 s;

	sha256_init(&s);
	e.record.given = true;
	e.record.digest = sha256_of(&s, record);
	e.record.size = record.n;
	e.record.media = STR(ENTRY_MEDIA_TRIAL);
	sha256_free(&s);
	return e;
}

static struct log_item item_of(struct drive *d, struct arena *a, const struct entry *e)
{
	struct log_item item = { .ident = entry_ident(a, e), .digest = entry_digest(e) };
	struct buf text;

	buf_init(&text);
	if (!entry_add_text(&text, e, &d->err))
		fail(d, "entry");
	item.entry = arena_copy(a, buf_str(&text));
	buf_free(&text);
	return item;
}

/* Objects, then entries, as the commands do it. */
static void append_some(struct drive *d, struct log *l, struct arena *a, const char *prefix, uint64_t from, size_t count,
			struct log_item *items)
{
	struct str *records = arena_array(a, struct str, count);
	struct digest *digests = arena_array(a, struct digest, count);

	for (size_t i = 0; i < count; i++) {
		struct entry e = entry_of(a, arena_printf(a, "%s-%" PRIu64, prefix, from + i));

		records[i] = record_of(a, e.id);
		items[i] = item_of(d, a, &e);
	}
	if (!l->ops->put_objects(l, records, count, digests, &d->err) || !log_append(l, items, count, &d->err))
		fail(d, "append");
}

static void append(struct drive *d, const char *where, const char *prefix, uint64_t count, size_t batch)
{
	static const char *const words[] = { "added", "same", "conflict" };
	struct log *l = open_log(d, where);
	struct log_item items[ITEMS];
	struct arena a;

	arena_init(&a);
	for (uint64_t at = 0; at < count;) {
		size_t n = count - at < batch ? (size_t)(count - at) : batch;

		arena_reset(&a);
		append_some(d, l, &a, prefix, at, n, items);
		for (size_t i = 0; i < n; i++) {
			char hex[SHA256_HEX];

			digest_hex(hex, items[i].leaf);
			printf("%s %" PRIu64 " %.64s %s-%" PRIu64 "\n", words[items[i].outcome], items[i].index, hex, prefix, at + i);
		}
		fflush(stdout);
		at += n;
	}
	arena_free(&a);
	log_close(l);
}

/* ---- one step each ---- */

static void publish(struct drive *d, const char *where)
{
	struct log *l = open_log(d, where);

	if (!log_publish(l, &d->err))
		fail(d, "publish");
	log_close(l);
}

static void print_head(struct drive *d, struct log *l)
{
	struct log_head h;
	char hex[SHA256_HEX];

	if (!l->ops->head(l, &h, &d->err))
		fail(d, "head");
	digest_hex(hex, h.root);
	printf("%" PRIu64 " %.64s\n", h.size, hex);
}

static void print_checkpoint(struct drive *d, struct log *l)
{
	struct str note;

	if (!l->ops->checkpoint(l, &d->a, &note, &d->err))
		fail(d, "checkpoint");
	fwrite(note.p, 1, note.n, stdout);
}

/* Everything that is published, as a reader has it, and the root it gives. */
static void read_all(struct drive *d, struct log *l)
{
	struct log_entries it;
	struct checkpoint c;
	struct sha256 s;
	struct merkle m;
	struct str entry;
	uint64_t index;

	if (!log_read_checkpoint(l, &d->a, &c, NULL, &d->err))
		fail(d, "checkpoint");
	sha256_init(&s);
	merkle_init(&m);
	log_entries_begin(&it, l, 0, c.size, c.size);
	while (log_entries_next(&it, &entry, &index, &d->err))
		merkle_add(&m, &s, merkle_leaf(&s, entry));
	log_entries_end(&it);
	if (d->err.kind != ERR_NONE)
		fail(d, "read");
	struct digest root = merkle_root(&m, &s);

	printf("%" PRIu64 " %s\n", m.count, memcmp(root.b, c.root.b, SHA256_SIZE) == 0 ? "fits" : "differs");
	sha256_free(&s);
}

static void with_log(struct drive *d, const char *where, void (*step)(struct drive *d, struct log *l))
{
	struct log *l = open_log(d, where);

	step(d, l);
	log_close(l);
}

static void erase(struct drive *d, const char *where, const char *id)
{
	struct log *l = open_log(d, where);
	struct entry trial = entry_of(&d->a, str_from(id)), e = {
		.kind = ENTRY_ERASE, .id = trial.id, .experiment = trial.experiment, .sealed_at = SEALED, .reason = STR("asked for"),
	};
	struct log_item item;
	struct sha256 s;
	struct str text;
	bool found;

	e.ref.given = true;
	e.ref.trial_id = trial.id;
	if (!l->ops->find(l, entry_ident(&d->a, &trial), &found, &e.ref.index, &d->err) || !found ||
	    !l->ops->entry(l, &d->a, e.ref.index, &text, &d->err))
		fail(d, "find");
	sha256_init(&s);
	e.ref.leaf = merkle_leaf(&s, text);
	sha256_free(&s);
	/* Before the entry that says so, it is refused. */
	if (l->ops->erase_object(l, trial.record.digest, e.ref.index, &found, &d->err))
		printf("erased without leave\n");
	else
		printf("refused: %s\n", d->err.text);
	item = item_of(d, &d->a, &e);
	if (!log_append(l, &item, 1, &d->err) || !l->ops->erase_object(l, trial.record.digest, item.index, &found, &d->err))
		fail(d, "erase");
	printf("%s\n", found ? "erased" : "was not there");
	if (!l->ops->object(l, &d->a, trial.record.digest, &text, &found, &d->err))
		fail(d, "object");
	printf("%s\n", found ? "still there" : "gone");
	log_close(l);
}

static void cosign(struct drive *d, const char *where)
{
	struct log *l = open_log(d, where);
	uint8_t seed[ED25519_SEED] = { 7 };
	struct signer witness;
	struct str note, text;
	struct buf line;

	buf_init(&line);
	if (!signer_init(&witness, STR("witness.example/w"), KEY_WITNESS, seed, &d->err) ||
	    !l->ops->checkpoint(l, &d->a, &note, &d->err))
		fail(d, "witness");
	text = str_of(note.p, str_find(note, STR("\n\n")) + 1);
	for (uint64_t time = 1; time <= 2; time++) {
		buf_clear(&line);
		if (!cosignature_add_line(&line, text, &witness, time, &d->err) || !l->ops->cosign(l, text, buf_str(&line), &d->err))
			fail(d, "cosign");
	}
	print_checkpoint(d, l);
	if (l->ops->cosign(l, STR("another\n1\nAAAA\n"), buf_str(&line), &d->err))
		printf("cosigned another text\n");
	buf_free(&line);
	log_close(l);
}

static void export_log(struct drive *d, const char *where, const char *dir)
{
	struct log *l = open_log(d, where);

	if (!log_pg_export(l, NULL, str_from(dir), &d->err))
		fail(d, "export");
	log_close(l);
}

/* ---- side by side ---- */

static bool is_published_at(uint64_t size)
{
	return size < 10 || (size & (size - 1)) == 0 || size % 64 == 1 || size % 50 == 0;
}

static void compare(struct drive *d, struct log *one, struct log *two, uint64_t size)
{
	struct log_head a, b;
	struct str first, second;

	if (!one->ops->head(one, &a, &d->err) || !two->ops->head(two, &b, &d->err))
		fail(d, "head");
	if (a.size != size || b.size != size || memcmp(a.root.b, b.root.b, SHA256_SIZE) != 0)
		printf("heads differ at %" PRIu64 "\n", size);
	if (!is_published_at(size))
		return;
	if (!log_publish(one, &d->err) || !log_publish(two, &d->err) || !one->ops->checkpoint(one, &d->a, &first, &d->err) ||
	    !two->ops->checkpoint(two, &d->a, &second, &d->err))
		fail(d, "publish");
	if (!str_eq(first, second))
		printf("checkpoints differ at %" PRIu64 "\n", size);
}

/* The second one has its own directory of keys: one key may sign one log only. */
static void same(struct drive *d, const char *where, const char *other, uint64_t count)
{
	struct str keys[] = { ARENA_JOIN(&d->a, d->keys, STR("/1")), ARENA_JOIN(&d->a, d->keys, STR("/2")) };
	const char *places[] = { where, other };
	struct log *logs[2];
	struct arena a;

	for (int i = 0; i < 2; i++) {
		d->keys = keys[i];
		if (!keys_add(&d->a, d->keys, &d->signer, &d->err))
			fail(d, "keys");
		make(d, places[i]);
		logs[i] = open_log(d, places[i]);
	}
	arena_init(&a);
	compare(d, logs[0], logs[1], 0);
	for (uint64_t n = 0; n < count; n++) {
		struct log_item items[2];

		arena_reset(&a);
		for (int i = 0; i < 2; i++)
			append_some(d, logs[i], &a, "t", n, 1, &items[i]);
		if (items[0].index != n || items[1].index != n || memcmp(items[0].leaf.b, items[1].leaf.b, SHA256_SIZE) != 0)
			printf("entry %" PRIu64 " differs\n", n);
		compare(d, logs[0], logs[1], n + 1);
	}
	printf("%" PRIu64 " compared\n", count);
	arena_free(&a);
	log_close(logs[0]);
	log_close(logs[1]);
}

static void rate(struct drive *d, const char *where, double seconds, size_t batch)
{
	struct log *l = open_log(d, where);
	struct log_item items[ITEMS];
	uint64_t begun, done = 0;
	char prefix[64];
	struct arena a;

	snprintf(prefix, sizeof(prefix), "r%d", (int)getpid());
	arena_init(&a);
	begun = clock_mono_ns();
	while ((double)(clock_mono_ns() - begun) < seconds * 1e9) {
		arena_reset(&a);
		for (size_t i = 0; i < batch; i++) {
			struct entry e = entry_of(&a, arena_printf(&a, "%s-%" PRIu64, prefix, done + i));

			items[i] = item_of(d, &a, &e);
		}
		if (!log_append(l, items, batch, &d->err))
			fail(d, "append");
		done += batch;
	}
	printf("%.0f\n", (double)done * 1e9 / (double)(clock_mono_ns() - begun));
	arena_free(&a);
	log_close(l);
}

static bool run_on_one(struct drive *d, const char *word, const char *where)
{
	if (strcmp(word, "make") == 0)
		make(d, where);
	else if (strcmp(word, "publish") == 0)
		publish(d, where);
	else if (strcmp(word, "head") == 0)
		with_log(d, where, print_head);
	else if (strcmp(word, "checkpoint") == 0)
		with_log(d, where, print_checkpoint);
	else if (strcmp(word, "read") == 0)
		with_log(d, where, read_all);
	else if (strcmp(word, "cosign") == 0)
		cosign(d, where);
	else
		return false;
	return true;
}

static bool run(struct drive *d, int n, char **v)
{
	const char *word = v[0], *where = v[1];

	if (n == 2)
		return run_on_one(d, word, where);
	if (n == 5 && strcmp(word, "append") == 0 && strtoul(v[4], NULL, 10) <= ITEMS)
		append(d, where, v[2], strtoull(v[3], NULL, 10), strtoul(v[4], NULL, 10));
	else if (n == 3 && strcmp(word, "erase") == 0)
		erase(d, where, v[2]);
	else if (n == 3 && strcmp(word, "export") == 0)
		export_log(d, where, v[2]);
	else if (n == 4 && strcmp(word, "same") == 0)
		same(d, where, v[2], strtoull(v[3], NULL, 10));
	else if (n == 4 && strcmp(word, "rate") == 0 && strtoul(v[3], NULL, 10) <= ITEMS)
		rate(d, where, strtod(v[2], NULL), strtoul(v[3], NULL, 10));
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct drive d = { .err = { .kind = ERR_NONE } };
	struct sha256 s;
	struct digest seed;

	if (argc < 5)
		return 2;
	arena_init(&d.a);
	d.keys = strcmp(argv[1], "-") == 0 ? str_of(NULL, 0) : str_from(argv[1]);
	d.origin = str_from(argv[2]);
	sha256_init(&s);
	seed = sha256_of(&s, d.origin);
	sha256_free(&s);
	if (!signer_init(&d.signer, d.origin, KEY_LOG, seed.b, &d.err) || (d.keys.p && !keys_add(&d.a, d.keys, &d.signer, &d.err)))
		fail(&d, "key");
	if (!run(&d, argc - 3, argv + 3))
		return 2;
	arena_free(&d.a);
	return 0;
}
