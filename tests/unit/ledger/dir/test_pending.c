#include "unit/ledger/log_dir_kit.h"
#include "unit/ledger/old_frame.h"

static unsigned told;
static char told_last[500];

static void hear(void *context, const char *sentence)
{
	(void)context;
	told++;
	snprintf(told_last, sizeof(told_last), "%s", sentence);
}

/* Entry `n` in a frame at place `n` behind what is in the WAL: by the key given, or (NULL) as version 0.1 wrote it. */
static void plant(struct kit *k, unsigned n, const struct signer *by)
{
	struct str wal = kit_read(k, ".state/wal"), rest = wal;
	struct buf bundle, out;
	struct wal_frame f;
	struct wal_key key;

	buf_init(&bundle);
	buf_init(&out);
	bundle_add(&bundle, kit_number(k, n).entry);
	while (wal_next(&rest, &k->sha, NULL, &f))
		;
	buf_add(&out, wal.p, wal.n - rest.n);
	if (by) {
		wal_key_init(&key, by->seed, by->key.name);
		wal_add_frame(&out, &k->sha, &key, n, 1, buf_str(&bundle));
	} else {
		old_frame_add(&out, &k->sha, n, 1, buf_str(&bundle));
	}
	kit_write(k, ".state/wal", buf_str(&out));
	buf_free(&bundle);
	buf_free(&out);
}

/* A log of three entries, published. */
static void begin(struct kit *k)
{
	struct log *l;

	kit_begin(k);
	l = kit_make(k);
	kit_append(k, l, 0, 3);
	kit_publish(l);
	log_close(l);
	k->options.warn = hear;
	told = 0;
}

static void check_refused(struct kit *k, const char *why)
{
	struct err err = { .kind = ERR_NONE };
	struct str before = kit_read(k, ".state/wal");

	CHECK(!log_dir_open(&k->options, &err));
	CHECK_INT(err.kind, ERR_DATA);
	CHECK(strstr(err.text, why) != NULL);
	CHECK_STR(kit_read(k, ".state/wal"), before); /* it stays, to be looked at */
	kit_check_published(k, 3);
}

TEST(a_frame_that_somebody_put_there_is_never_signed)
{
	struct signer other;
	struct err err = { .kind = ERR_NONE };
	uint8_t seed[ED25519_SEED] = { 8 };
	struct log *l;
	struct kit k;

	begin(&k);
	kit_must(signer_init(&other, KIT_ORIGIN, KEY_LOG, seed, &err), &err);
	plant(&k, 3, &other);
	check_refused(&k, "was not written with the log's key");
	k.options.pending = LOG_PENDING_ACCEPT; /* nor if the owner would */
	check_refused(&k, "was not written with the log's key");
	CHECK_INT(told, 0);
	k.options.pending = LOG_PENDING_DROP;
	l = kit_open(&k);
	CHECK_INT(told, 1);
	CHECK(strstr(told_last, "entry 3, the trial 'trial-3' of 'e1', is left out"));
	kit_check_numbers(&k, l, 3);
	log_close(l);
	k.options.pending = LOG_PENDING_REFUSE; /* gone for good */
	l = kit_open(&k);
	kit_append(&k, l, 3, 1);
	log_close(l);
	kit_end(&k);
}

TEST(a_frame_of_the_diagnostic_log_is_none_of_this_one)
{
	struct signer second;
	struct err err = { .kind = ERR_NONE };
	struct kit k;

	begin(&k);
	kit_must(signer_init(&second, STR("ledger.example/test/diagnostic"), KEY_LOG, k.signer.seed, &err), &err);
	plant(&k, 3, &second);
	check_refused(&k, "was not written with the log's key");
	kit_end(&k);
}

TEST(a_frame_of_version_0_1_waits_for_its_owner_and_is_accepted_once)
{
	struct log *l;
	struct kit k;

	begin(&k);
	plant(&k, 3, NULL);
	check_refused(&k, "as version 0.1 wrote them");
	k.options.pending = LOG_PENDING_ACCEPT;
	l = kit_open(&k);
	CHECK_INT(told, 1);
	CHECK(strstr(told_last, "entry 3, the trial 'trial-3' of 'e1', is accepted"));
	kit_check_numbers(&k, l, 4);
	log_close(l);
	kit_check_published(&k, 4);
	k.options.pending = LOG_PENDING_REFUSE;
	l = kit_open(&k);
	kit_append(&k, l, 4, 1);
	log_close(l);
	CHECK_INT(told, 1);
	plant(&k, 5, NULL); /* a second one is not */
	{
		struct err err = { .kind = ERR_NONE };

		CHECK(!log_dir_open(&k.options, &err));
	}
	kit_end(&k);
}

TEST(an_accepted_frame_has_a_code_when_it_could_not_be_published)
{
	struct log_dir_options o;
	struct err err = { .kind = ERR_NONE };
	struct kit k;
	struct str rest;
	struct wal_frame f;
	struct wal_key key;
	struct log *l;

	begin(&k);
	plant(&k, 3, NULL);
	o = k.options;
	o.pending = LOG_PENDING_ACCEPT;
	CHECK(mkdir(kit_path(&k, "tile/0/000.p/4"), 0700) == 0); /* where a tile should be */
	CHECK(!log_dir_open(&o, &err));
	CHECK(rmdir(kit_path(&k, "tile/0/000.p/4")) == 0);
	rest = kit_read(&k, ".state/wal");
	wal_key_init(&key, k.signer.seed, KIT_ORIGIN);
	CHECK(wal_next(&rest, &k.sha, &key, &f));
	CHECK_INT(f.proof, WAL_PROVEN);
	l = kit_open(&k);
	kit_check_numbers(&k, l, 4);
	log_close(l);
	kit_end(&k);
}

/* Of version 0.1 and published long ago, as most that lie there: they are passed over. */
TEST(frames_of_version_0_1_that_are_published_need_nobody)
{
	struct log *l;
	struct kit k;

	begin(&k);
	kit_write(&k, ".state/wal", STR(""));
	for (unsigned i = 0; i < 3; i++)
		plant(&k, i, NULL);
	l = kit_open(&k);
	kit_append(&k, l, 3, 2);
	kit_publish(l);
	log_close(l);
	CHECK_INT(told, 0);
	l = kit_open(&k);
	kit_check_numbers(&k, l, 5);
	log_close(l);
	kit_end(&k);
}

/* The head beside the key was written, and the checkpoint was not: the head vouches for the frame, and only for it. */
TEST(a_frame_of_version_0_1_below_the_signed_head_is_published)
{
	struct str checkpoint;
	struct log *l;
	struct kit k;

	begin(&k);
	checkpoint = kit_read(&k, "checkpoint");
	l = kit_open(&k);
	kit_append(&k, l, 3, 1);
	kit_publish(l);
	log_close(l);
	kit_write(&k, "checkpoint", checkpoint);
	kit_write(&k, ".state/wal", STR(""));
	plant(&k, 3, NULL);
	l = kit_open(&k);
	kit_check_numbers(&k, l, 4);
	log_close(l);
	kit_check_published(&k, 4);
	kit_end(&k);
}

TEST(good_frames_on_both_sides_of_a_bad_one_stay)
{
	struct signer other;
	struct err err = { .kind = ERR_NONE };
	uint8_t seed[ED25519_SEED] = { 9 };
	struct log *l;
	struct kit k;

	begin(&k);
	kit_must(signer_init(&other, KIT_ORIGIN, KEY_LOG, seed, &err), &err);
	plant(&k, 3, &k.signer);
	plant(&k, 4, &other);
	plant(&k, 4, &k.signer);
	k.options.pending = LOG_PENDING_DROP;
	l = kit_open(&k);
	CHECK_INT(told, 1);
	kit_check_numbers(&k, l, 5);
	log_close(l);
	kit_check_published(&k, 5);
	kit_end(&k);
}

/* A handle that is open takes frames of others as they come; not those of strangers. */
TEST(a_frame_put_under_an_open_handle_is_not_taken)
{
	struct signer other;
	struct err err = { .kind = ERR_NONE };
	uint8_t seed[ED25519_SEED] = { 8 };
	struct log_item item;
	struct log *l;
	struct kit k;

	begin(&k);
	kit_must(signer_init(&other, KIT_ORIGIN, KEY_LOG, seed, &err), &err);
	l = kit_open(&k);
	plant(&k, 3, &other);
	item = kit_number(&k, 4);
	CHECK(!log_append(l, &item, 1, &err));
	CHECK(strstr(err.text, "was not written with the log's key"));
	log_close(l);
	kit_check_published(&k, 3);
	kit_end(&k);
}

TEST(nothing_is_added_without_the_private_key)
{
	struct err err = { .kind = ERR_NONE };
	struct log_dir_options o;
	struct log_item item;
	struct log *l;
	struct kit k;

	begin(&k);
	o = k.options;
	o.signer = NULL;
	o.keys = (struct str){ NULL, 0 };
	o.key = &k.signer.key;
	l = log_dir_open(&o, &err);
	kit_must(l != NULL, &err);
	item = kit_number(&k, 3);
	CHECK(!log_append(l, &item, 1, &err));
	CHECK(strstr(err.text, LOG_E_NO_KEY));
	log_close(l);
	kit_end(&k);
}
