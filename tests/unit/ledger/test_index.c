#include "ledger/index.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

#define SEALED "2026-05-01T12:30:00.000Z"

/* A ledger in a directory of the test's own, with its cache beside it. */
struct bench {
	struct arena arena;
	struct ledger ledger;
	struct ledger_options options;
	struct str dir;
	struct err err;
};

static void must(struct bench *b, bool good)
{
	if (!good)
		FAIL("%s", b->err.text);
}

static void make_ledger(struct bench *b)
{
	uint8_t seed[ED25519_SEED] = { 3 };
	struct signer s;

	must(b, signer_init(&s, STR("example.org/index"), KEY_LOG, seed, &b->err));
	must(b, keys_add(&b->arena, b->options.keys, &s, &b->err));
	must(b, ledger_make(&b->arena, &b->options, &s, &b->err));
	must(b, ledger_open(&b->ledger, &b->arena, &b->options, &b->err));
}

static struct bench *bench(void)
{
	struct bench *b = test_alloc(sizeof(*b));

	arena_init(&b->arena);
	b->dir = str_from(test_dir());
	b->options = (struct ledger_options){
		.where = ARENA_JOIN(&b->arena, b->dir, STR("/ledger")), .keys = ARENA_JOIN(&b->arena, b->dir, STR("/keys")),
	};
	setenv("XDG_CACHE_HOME", arena_printf(&b->arena, "%s/cache", b->dir.p).p, 1);
	make_ledger(b);
	return b;
}

static void done(struct bench *b)
{
	char command[256];

	ledger_close(&b->ledger);
	snprintf(command, sizeof(command), "rm -rf '%s'", b->dir.p);
	CHECK(system(command) == 0);
	arena_free(&b->arena);
}

static struct digest put(struct bench *b, enum ledger_part p, struct str bytes)
{
	struct log *l = b->ledger.logs[p];
	struct digest d;

	must(b, l->ops->put_objects(l, &bytes, 1, &d, &b->err));
	return d;
}

static struct log_item append(struct bench *b, enum ledger_part p, const struct entry *e)
{
	struct log_item item = { .ident = entry_ident(&b->arena, e), .digest = entry_digest(e) };
	struct buf text;

	buf_init(&text);
	must(b, entry_add_text(&text, e, &b->err));
	item.entry = arena_copy(&b->arena, buf_str(&text));
	buf_free(&text);
	must(b, log_append(b->ledger.logs[p], &item, 1, &b->err));
	CHECK_INT(item.outcome, LOG_ADDED);
	return item;
}

static struct log_item add_trial(struct bench *b, enum ledger_part p, const char *experiment, const char *id,
				 const char *model)
{
	struct str record = arena_printf(&b->arena, "{\"dataset_id\":\"d@1\",\"timestamp\":\"2026-05-01T00:00:00Z\","
					 "\"task\":{\"task_id\":\"fam/%s\"},\"agent\":{\"adapter\":\"a\",\"model\":\"%s\"},"
					 "\"evaluation\":{\"reward\":0.5}}", id, model);
	struct entry e = {
		.kind = ENTRY_TRIAL, .id = str_from(id), .experiment = str_from(experiment), .sealed_at = STR(SEALED),
		.completeness = p == LEDGER_MAIN ? STR("complete") : STR("partial"),
		.record = { .given = true, .digest = put(b, p, record), .size = record.n, .media = STR(ENTRY_MEDIA_TRIAL) },
	};

	return append(b, p, &e);
}

static void add_review(struct bench *b, struct log_item of, const char *trial, const char *id)
{
	struct entry e = {
		.kind = ENTRY_REVIEW, .id = str_from(id), .sealed_at = STR(SEALED),
		.record = { .given = true, .digest = put(b, LEDGER_MAIN, STR("{}")), .size = 2, .media = STR(ENTRY_MEDIA_REVIEW) },
		.ref = { .given = true, .trial_id = str_from(trial), .index = of.index, .leaf = of.leaf },
	};

	append(b, LEDGER_MAIN, &e);
}

static void publish(struct bench *b)
{
	must(b, ledger_publish(&b->ledger, &b->err));
}

static struct index *open_index(struct bench *b)
{
	struct index *x = index_open(&b->ledger, NULL, NULL, &b->err);

	must(b, x != NULL);
	return x;
}

static uint64_t count(struct bench *b, struct index_filter f)
{
	struct index *x = open_index(b);
	uint64_t n;

	must(b, index_count(x, &f, &n, &b->err));
	index_close(x);
	return n;
}

static uint64_t count_model(struct bench *b, const char *model)
{
	struct index_filter f = INDEX_ANY;

	f.model = str_from(model);
	return count(b, f);
}

static uint64_t count_all(struct bench *b)
{
	struct index_filter f = INDEX_ANY;

	return count(b, f);
}

TEST(an_index_has_what_is_published_of_both_logs)
{
	struct bench *b = bench();

	add_trial(b, LEDGER_MAIN, "e", "one", "m");
	add_trial(b, LEDGER_DIAGNOSTIC, "e", "two", "m");
	CHECK_INT(count_all(b), 0);
	publish(b);
	CHECK_INT(count_all(b), 2);
	CHECK_INT(count_model(b, "m"), 2);
	CHECK_INT(count_model(b, "n"), 0);
	done(b);
}

TEST(an_index_follows_the_log)
{
	struct bench *b = bench();
	struct log_item first = add_trial(b, LEDGER_MAIN, "e", "one", "m");
	struct index_row row;
	struct index *x;

	publish(b);
	CHECK_INT(count_all(b), 1);
	add_review(b, first, "one", "r");
	for (int i = 0; i < 300; i++) {
		char id[20];

		snprintf(id, sizeof(id), "t%d", i);
		add_trial(b, LEDGER_MAIN, "f", id, i % 2 ? "m" : "n");
	}
	publish(b);
	CHECK_INT(count_all(b), 302);
	CHECK_INT(count_model(b, "n"), 150);
	x = open_index(b);
	must(b, index_find_trial(x, &b->arena, STR("one"), &row, &b->err));
	CHECK_INT(row.reviews, 1);
	CHECK(row.has_reward && row.reward == 0.5);
	CHECK_STR(row.task, STR("fam/one"));
	CHECK(memcmp(row.leaf.b, first.leaf.b, SHA256_SIZE) == 0);
	index_close(x);
	done(b);
}

TEST(a_trial_is_found_by_its_name)
{
	static const struct {
		const char *name, *experiment, *problem;
	} cases[] = {
		{ "one", "e", NULL }, { "e/one", "e", NULL }, { "two", NULL, "the id of 2 trials" }, { "e/two", "e", NULL },
		{ "f/two", "f", NULL }, { "three", NULL, "no trial 'three'" }, { "e/three", NULL, "no trial" },
		{ "a/b", "g/h", NULL }, { "g/h/a/b", "g/h", NULL }, { "", NULL, "no trial" },
	};
	struct bench *b = bench();
	struct index *x;

	add_trial(b, LEDGER_MAIN, "e", "one", "m");
	add_trial(b, LEDGER_MAIN, "e", "two", "m");
	add_trial(b, LEDGER_DIAGNOSTIC, "f", "two", "m");
	add_trial(b, LEDGER_MAIN, "g/h", "a/b", "m");
	publish(b);
	x = open_index(b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };
		struct index_row row;
		bool found = index_find_trial(x, &b->arena, str_from(cases[i].name), &row, &err);

		test_case("%s", cases[i].name);
		CHECK_INT(found, cases[i].experiment != NULL);
		if (found)
			CHECK_STR(row.experiment, str_from(cases[i].experiment));
		else if (!strstr(err.text, cases[i].problem) || !strstr(err.text, "= help: "))
			FAIL("%s", err.text);
	}
	index_close(x);
	done(b);
}

TEST(a_trial_that_became_complete_is_meant_before_its_partial_record)
{
	struct bench *b = bench();
	struct index_row row;
	struct index *x;

	add_trial(b, LEDGER_DIAGNOSTIC, "e", "one", "m");
	add_trial(b, LEDGER_MAIN, "e", "one", "m");
	publish(b);
	x = open_index(b);
	must(b, index_find_trial(x, &b->arena, STR("one"), &row, &b->err));
	CHECK_INT(row.part, LEDGER_MAIN);
	index_close(x);
	done(b);
}

TEST(a_record_that_was_changed_says_nothing_about_its_trial)
{
	struct bench *b = bench();
	struct log_item item = add_trial(b, LEDGER_MAIN, "e", "one", "m");
	char hex[SHA256_HEX], path[512];
	FILE *file;

	digest_hex(hex, item.digest);
	snprintf(path, sizeof(path), "%s/objects/sha256/%.2s/%.62s", b->options.where.p, hex, hex + 2);
	CHECK(chmod(path, 0644) == 0);
	file = fopen(path, "r+");
	CHECK(file && fputs("{\"dataset_id\":\"D", file) >= 0 && fclose(file) == 0);
	publish(b);
	CHECK_INT(count_all(b), 1);
	CHECK_INT(count_model(b, "m"), 0);
	done(b);
}

TEST(the_index_of_another_ledger_in_the_same_place_is_made_anew)
{
	struct bench *b = bench();
	char command[512];

	add_trial(b, LEDGER_MAIN, "e", "one", "m");
	add_trial(b, LEDGER_MAIN, "e", "two", "m");
	publish(b);
	CHECK_INT(count_model(b, "m"), 2);
	ledger_close(&b->ledger);
	snprintf(command, sizeof(command), "rm -rf '%s' '%s'", b->options.where.p, b->options.keys.p);
	CHECK(system(command) == 0);
	make_ledger(b);
	add_trial(b, LEDGER_MAIN, "e", "three", "n");
	add_trial(b, LEDGER_MAIN, "e", "four", "n");
	add_trial(b, LEDGER_MAIN, "e", "five", "n");
	publish(b);
	CHECK_INT(count_model(b, "m"), 0);
	CHECK_INT(count_model(b, "n"), 3);
	done(b);
}

TEST(an_index_that_was_removed_is_made_anew)
{
	struct bench *b = bench();

	add_trial(b, LEDGER_MAIN, "e", "one", "m");
	publish(b);
	CHECK_INT(count_all(b), 1);
	must(b, index_remove(&b->ledger, &b->err));
	CHECK_INT(count_all(b), 1);
	done(b);
}

static bool stop_at_first(void *context, const struct index_row *row)
{
	CHECK_INT(row->index, 0);
	++*(int *)context;
	return false;
}

TEST(a_list_ends_when_its_reader_has_enough)
{
	struct bench *b = bench();
	struct index_filter f = INDEX_ANY;
	struct index *x;
	int seen = 0;

	add_trial(b, LEDGER_MAIN, "e", "one", "m");
	add_trial(b, LEDGER_MAIN, "e", "two", "m");
	publish(b);
	x = open_index(b);
	must(b, index_list(x, &f, stop_at_first, &seen, &b->err));
	CHECK_INT(seen, 1);
	index_close(x);
	done(b);
}

static void note_tick(void *context, uint64_t at, uint64_t of)
{
	CHECK(at < of);
	++*(int *)context;
}

TEST(progress_is_told_while_an_index_is_made)
{
	struct bench *b = bench();
	struct index *x;
	int ticks = 0;

	add_trial(b, LEDGER_MAIN, "e", "one", "m");
	publish(b);
	x = index_open(&b->ledger, note_tick, &ticks, &b->err);
	must(b, x != NULL);
	CHECK_INT(ticks, 1);
	index_close(x);
	done(b);
}

TEST(an_object_is_needed_as_long_as_a_trial_has_it)
{
	struct bench *b = bench();
	struct log_item item = add_trial(b, LEDGER_MAIN, "e", "one", "m");
	struct index *x;
	uint64_t n;

	publish(b);
	x = open_index(b);
	must(b, index_count_object(x, LEDGER_MAIN, item.digest, &n, &b->err));
	CHECK_INT(n, 1);
	index_close(x);
	done(b);
}

static unsigned told;
static char told_last[400];

static void hear(void *context, const char *sentence)
{
	(void)context;
	told++;
	snprintf(told_last, sizeof(told_last), "%s", sentence);
}

/* As a writer could put it into a database of version 0.1. */
static void add_rubbish(struct bench *b, const char *text)
{
	struct log_item item = { .ident = str_from(text), .entry = str_from(text) };

	must(b, log_append(b->ledger.logs[LEDGER_MAIN], &item, 1, &b->err));
}

TEST(an_entry_that_is_none_is_named_each_time_and_hides_no_other)
{
	struct bench *b = bench();

	b->ledger.warn = hear;
	add_trial(b, LEDGER_MAIN, "e", "one", "m");
	add_rubbish(b, "hello");
	add_trial(b, LEDGER_MAIN, "e", "two", "m");
	publish(b);
	told = 0;
	CHECK_INT(count_all(b), 2);
	CHECK_INT(told, 1);
	CHECK(strstr(told_last, "entry 1 of the main log is passed over: it is not JSON"));
	CHECK_INT(count_all(b), 2); /* from the file, this time */
	CHECK_INT(told, 2);
	must(b, index_remove(&b->ledger, &b->err));
	CHECK_INT(count_all(b), 2);
	CHECK_INT(told, 3);
	for (int i = 0; i < 12; i++)
		add_rubbish(b, arena_printf(&b->arena, "rubbish %d", i).p);
	publish(b);
	told = 0;
	CHECK_INT(count_all(b), 2);
	CHECK_INT(told, 11);
	CHECK_STR(str_from(told_last), STR("3 more entries are passed over"));
	done(b);
}
