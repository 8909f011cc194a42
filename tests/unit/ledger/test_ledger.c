#include "ledger/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"
#include "ledger/dir/log_dir.h"

struct bench {
	struct arena arena;
	struct ledger ledger;
	struct ledger_options options;
	struct signer signer;
	struct str dir;
	struct err err;
};

static void must(struct bench *b, bool good)
{
	if (!good)
		FAIL("%s", b->err.text);
}

static struct bench *bench(void)
{
	struct bench *b = test_alloc(sizeof(*b));
	uint8_t seed[ED25519_SEED] = { 5 };

	arena_init(&b->arena);
	b->dir = str_from(test_dir());
	b->options = (struct ledger_options){
		.where = ARENA_JOIN(&b->arena, b->dir, STR("/ledger")), .keys = ARENA_JOIN(&b->arena, b->dir, STR("/keys")),
	};
	must(b, signer_init(&b->signer, STR("example.org/trials"), KEY_LOG, seed, &b->err));
	must(b, keys_add(&b->arena, b->options.keys, &b->signer, &b->err));
	must(b, ledger_make(&b->arena, &b->options, &b->signer, &b->err));
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

static struct str vkey_of(struct bench *b, const struct key *k)
{
	struct buf text;
	struct str out;

	buf_init(&text);
	key_add_text(&text, k);
	out = arena_copy(&b->arena, buf_str(&text));
	buf_free(&text);
	return out;
}

TEST(a_database_is_named_by_a_url)
{
	CHECK(ledger_is_url(STR("postgres://host/db")));
	CHECK(ledger_is_url(STR("postgresql://host/db")));
	CHECK(!ledger_is_url(STR("ledger")));
	CHECK(!ledger_is_url(STR("./postgres://x")));
	CHECK_STR(str_from(ledger_part_name(LEDGER_MAIN)), STR("main"));
	CHECK_STR(str_from(ledger_part_name(LEDGER_DIAGNOSTIC)), STR("diagnostic"));
}

TEST(a_ledger_is_two_logs_under_one_secret)
{
	struct bench *b = bench();
	struct log *main, *second;

	must(b, ledger_open(&b->ledger, &b->arena, &b->options, &b->err));
	main = b->ledger.logs[LEDGER_MAIN];
	second = b->ledger.logs[LEDGER_DIAGNOSTIC];
	CHECK(b->ledger.is_dir);
	CHECK_STR(main->origin, STR("example.org/trials"));
	CHECK_STR(second->origin, STR("example.org/trials/diagnostic"));
	CHECK(main->signer && second->signer && main->key_is_trusted && second->key_is_trusted);
	CHECK(memcmp(main->key.public, second->key.public, ED25519_PUBLIC) == 0);
	CHECK(memcmp(main->key.id, second->key.id, KEY_ID) != 0);
	must(b, ledger_publish(&b->ledger, &b->err));
	done(b);
}

TEST(no_secret_stays_behind_when_a_ledger_is_closed)
{
	static const uint8_t wiped[ED25519_SEED];
	struct bench *b = bench();

	must(b, ledger_open(&b->ledger, &b->arena, &b->options, &b->err));
	CHECK(memcmp(b->ledger.signers[LEDGER_DIAGNOSTIC].seed, wiped, ED25519_SEED) != 0);
	ledger_close(&b->ledger);
	CHECK(memcmp(b->ledger.signers[LEDGER_DIAGNOSTIC].seed, wiped, ED25519_SEED) == 0);
	done(b);
}

TEST(the_key_of_the_second_log_follows_from_the_public_one)
{
	struct bench *b = bench();

	b->options.vkey = vkey_of(b, &b->signer.key);
	b->options.keys = ARENA_JOIN(&b->arena, b->dir, STR("/no-keys"));
	b->options.read_only = true;
	must(b, ledger_open(&b->ledger, &b->arena, &b->options, &b->err));
	CHECK(!b->ledger.logs[LEDGER_MAIN]->signer);
	CHECK(b->ledger.logs[LEDGER_DIAGNOSTIC]->key_is_trusted);
	CHECK_STR(b->ledger.keys[LEDGER_DIAGNOSTIC].name, STR("example.org/trials/diagnostic"));
	done(b);
}

TEST(a_key_that_is_none_or_another_one_is_refused)
{
	struct bench *b = bench();
	uint8_t seed[ED25519_SEED] = { 6 };
	struct signer other;

	b->options.read_only = true;
	b->options.vkey = STR("nonsense");
	CHECK(!ledger_open(&b->ledger, &b->arena, &b->options, &b->err));
	CHECK_INT(b->err.kind, ERR_USAGE);
	must(b, signer_init(&other, b->signer.key.name, KEY_LOG, seed, &b->err));
	b->options.vkey = vkey_of(b, &other.key);
	b->err.kind = ERR_NONE;
	CHECK(!ledger_open(&b->ledger, &b->arena, &b->options, &b->err));
	CHECK_INT(b->err.kind, ERR_DATA);
	must(b, signer_init(&other, b->signer.key.name, KEY_WITNESS, seed, &b->err));
	b->options.vkey = vkey_of(b, &other.key);
	CHECK(!ledger_open(&b->ledger, &b->arena, &b->options, &b->err));
	CHECK_INT(b->err.kind, ERR_USAGE);
	done(b);
}

TEST(a_reader_does_without_the_diagnostic_log)
{
	struct bench *b = bench();
	char command[256];

	snprintf(command, sizeof(command), "rm -rf '%s/ledger/diagnostic'", b->dir.p);
	CHECK(system(command) == 0);
	b->options.read_only = true;
	must(b, ledger_open(&b->ledger, &b->arena, &b->options, &b->err));
	CHECK(b->ledger.logs[LEDGER_MAIN] && !b->ledger.logs[LEDGER_DIAGNOSTIC]);
	ledger_close(&b->ledger);
	b->options.read_only = false;
	CHECK(!ledger_open(&b->ledger, &b->arena, &b->options, &b->err));
	CHECK(strstr(b->err.text, "diagnostic"));
	done(b);
}

TEST(what_is_sealed_has_a_name_for_people)
{
	struct bench *b = bench();
	struct entry e = { .kind = ENTRY_TRIAL, .experiment = STR("e"), .id = STR("t") };
	struct str bytes = STR("{}");
	struct stat st;
	char path[300];

	must(b, ledger_open(&b->ledger, &b->arena, &b->options, &b->err));
	must(b, b->ledger.logs[LEDGER_MAIN]->ops->put_objects(b->ledger.logs[LEDGER_MAIN], &bytes, 1, &e.record.digest, &b->err));
	ledger_link(&b->ledger, LEDGER_MAIN, &e);
	snprintf(path, sizeof(path), "%s/ledger/records/e/t.json", b->dir.p);
	CHECK(stat(path, &st) == 0);
	CHECK_INT(st.st_nlink, 2);
	CHECK_INT(st.st_size, 2);
	done(b);
}

TEST(a_ledger_that_is_there_is_not_made_again)
{
	struct bench *b = bench();

	CHECK(!ledger_make(&b->arena, &b->options, &b->signer, &b->err));
	done(b);
}
