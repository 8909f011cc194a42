#include "notary/witness.h"

#include <errno.h>
#include <sys/wait.h>

#include "unit/notary/notary_sample.h"

/* ---- reading and writing the question ---- */

TEST(a_question_reads_back_as_it_was_written)
{
	struct sample *s = sample_open();
	struct str body = sample_body(s, 257, 300);
	struct witness_ask ask;
	const char *why;

	CHECK(str_starts(body, STR("old 257\n")));
	CHECK(witness_parse(body, &ask, &why));
	CHECK_INT(ask.old, 257);
	CHECK(ask.proof.count > 0);
	CHECK_STR(ask.note, sample_note(s, 300, &s->log));
	CHECK_STR(sample_body_of(s, &ask), body);
	sample_close(s);
}

TEST(what_is_not_a_question_is_refused)
{
	static const char hash[] = "o8K+6UDqei5OKZwehSBclG8XjpX4Vhn7HWDv4TGVc1g=";
	static const char *const wrong[] = {
		"", "old", "old 1", "old \n\nx", "old 01\n\nx", "old -1\n\nx", "old +1\n\nx", "old 1 \n\nx", "Old 1\n\nx", "old  1\n\nx",
		"old 18446744073709551616\n\nx", "old 9223372036854775808\n\nx", "old 1\r\n\r\nx", "old 1\n", "old 1\n\n", "old 1\nx\n\ny",
		"old 1\no8K+6UDqei5OKZwehSBclG8XjpX4Vhn7HWDv4TGVc1h=\n\nx", /* bits behind the hash */
		"old 1\no8K+6UDqei5OKZwehSBclG8XjpX4Vhn7HWDv4TGVc1g\n\nx",
		"old 1\no8K+6UDqei5OKZwehSBclG8XjpX4Vhn7HWDv4TGVc1g= \n\nx",
	};
	struct witness_ask ask;
	const char *why;
	struct buf b;

	for (size_t i = 0; i < COUNT(wrong); i++) {
		test_case("%zu", i);
		why = NULL;
		CHECK(!witness_parse(str_from(wrong[i]), &ask, &why));
		CHECK(why != NULL);
	}
	for (int lines = 63; lines <= 64; lines++) {
		buf_init(&b);
		buf_printf(&b, "old 1\n");
		for (int i = 0; i < lines; i++)
			buf_printf(&b, "%s\n", hash);
		buf_printf(&b, "\nx");
		CHECK_INT(witness_parse(buf_str(&b), &ask, &why), lines == 63);
		buf_free(&b);
	}
}

/* ---- the rules ---- */

TEST(a_log_seen_for_the_first_time_is_cosigned_without_a_proof)
{
	struct sample *s = sample_open();

	CHECK_INT(sample_ask(s, sample_body(s, 0, 5)), 200);
	CHECK(sample_is_cosigned(s, 5));
	CHECK(!sample_is_cosigned(s, 6));
	sample_close(s);
}

TEST(an_empty_log_is_cosigned_too)
{
	struct sample *s = sample_open();

	CHECK_INT(sample_ask(s, sample_body(s, 0, 0)), 200);
	CHECK(sample_is_cosigned(s, 0));
	CHECK_INT(sample_ask(s, sample_body(s, 0, 3)), 200);
	sample_close(s);
}

TEST(a_log_that_goes_on_is_cosigned_at_every_step)
{
	struct sample *s = sample_open();
	uint64_t sizes[] = { 1, 2, 3, 7, 8, 9, 64, 100, 255, 256, 257, 300 }, old = 0;

	for (size_t i = 0; i < COUNT(sizes); i++) {
		test_case("%llu to %llu", (unsigned long long)old, (unsigned long long)sizes[i]);
		CHECK_INT(sample_ask(s, sample_body(s, old, sizes[i])), 200);
		CHECK(sample_is_cosigned(s, sizes[i]));
		old = sizes[i];
	}
	sample_close(s);
}

TEST(the_same_checkpoint_is_cosigned_again)
{
	struct sample *s = sample_open();

	CHECK_INT(sample_ask(s, sample_body(s, 0, 5)), 200);
	CHECK_INT(sample_ask(s, sample_body(s, 5, 5)), 200);
	CHECK(sample_is_cosigned(s, 5));
	sample_close(s);
}

TEST(another_size_than_the_one_it_has_is_answered_with_that)
{
	struct sample *s = sample_open();

	CHECK_INT(sample_ask(s, sample_body(s, 3, 5)), 409);
	CHECK_STR(s->x.body, STR("0\n"));
	CHECK_INT(sample_ask(s, sample_body(s, 0, 5)), 200);
	CHECK_INT(sample_ask(s, sample_body(s, 0, 9)), 409);
	CHECK_STR(s->x.body, STR("5\n"));
	CHECK_STR(str_from(s->x.media), STR("text/x.tlog.size"));
	sample_close(s);
}

TEST(a_log_that_lost_entries_is_not_cosigned)
{
	struct sample *s = sample_open();

	CHECK_INT(sample_ask(s, sample_body(s, 0, 9)), 200);
	CHECK_INT(sample_ask(s, sample_body(s, 5, 5)), 409);
	CHECK_STR(s->x.body, STR("9\n"));
	CHECK_INT(sample_ask(s, sample_body(s, 0, 5)), 409);
	sample_close(s);
}

TEST(a_log_that_was_rewritten_is_not_cosigned)
{
	struct sample *s = sample_open();

	CHECK_INT(sample_ask(s, sample_body(s, 0, 9)), 200);
	s->forked_at = 4;
	CHECK_INT(sample_ask(s, sample_body(s, 9, 20)), 422);
	CHECK_INT(sample_ask(s, sample_body(s, 9, 9)), 409);
	CHECK_STR(s->x.body, STR("9\n"));
	s->forked_at = 9; /* what it has seen is as it was */
	CHECK_INT(sample_ask(s, sample_body(s, 9, 20)), 200);
	sample_close(s);
}

TEST(an_empty_log_with_a_wrong_root_is_not_cosigned)
{
	struct sample *s = sample_open();
	struct checkpoint c = sample_checkpoint(s, 1);
	struct witness_ask ask = { .old = 0 };
	struct buf b;

	c.size = 0;
	buf_init(&b);
	CHECK(checkpoint_sign(&b, &c, &s->log, &s->err));
	ask.note = buf_str(&b);
	CHECK_INT(sample_ask(s, sample_body_of(s, &ask)), 409);
	buf_free(&b);
	sample_close(s);
}

TEST(a_proof_that_does_not_hold_is_422)
{
	struct sample *s = sample_open();
	struct witness_ask ask, changed;
	const char *why;

	CHECK_INT(sample_ask(s, sample_body(s, 0, 100)), 200);
	CHECK(witness_parse(sample_body(s, 100, 300), &ask, &why));
	for (size_t i = 0; i < ask.proof.count; i++) {
		changed = ask;
		changed.proof.hashes[i].b[31] ^= 1;
		test_case("hash %zu changed", i);
		CHECK_INT(sample_ask(s, sample_body_of(s, &changed)), 422);
	}
	changed = ask;
	changed.proof.count--;
	CHECK_INT(sample_ask(s, sample_body_of(s, &changed)), 422);
	changed = ask;
	changed.proof.hashes[changed.proof.count++] = ask.proof.hashes[0];
	CHECK_INT(sample_ask(s, sample_body_of(s, &changed)), 422);
	CHECK_INT(sample_ask(s, sample_body_of(s, &ask)), 200);
	sample_close(s);
}

TEST(a_proof_where_none_belongs_is_422)
{
	struct sample *s = sample_open();
	struct witness_ask ask = { .old = 0, .proof = { .count = 1 }, .note = sample_note(s, 5, &s->log) };

	CHECK_INT(sample_ask(s, sample_body_of(s, &ask)), 422);
	CHECK_INT(sample_ask(s, sample_body(s, 0, 5)), 200);
	ask.old = 5;
	CHECK_INT(sample_ask(s, sample_body_of(s, &ask)), 422);
	sample_close(s);
}

TEST(an_old_size_beyond_the_checkpoint_is_400)
{
	struct sample *s = sample_open();
	struct witness_ask ask = { .old = 6, .note = sample_note(s, 5, &s->log) };

	CHECK_INT(sample_ask(s, sample_body_of(s, &ask)), 400);
	CHECK_INT(sample_ask(s, STR("old 0\n\nnot a checkpoint\n")), 400);
	CHECK_INT(sample_ask(s, STR("")), 400);
	sample_close(s);
}

TEST(a_log_that_is_not_known_is_404)
{
	struct sample *s = sample_open();

	sample_signer(s, &s->log, "log.example/b", KEY_LOG, 1);
	s->log.key.name = STR("log.example/b");
	s->stranger = s->log; /* the witness looks at s->log.key: give it back its own */
	sample_signer(s, &s->log, "log.example/a", KEY_LOG, 1);
	{
		struct checkpoint c = sample_checkpoint(s, 5);
		struct witness_ask ask = { .old = 0 };
		struct buf b;

		c.origin = s->stranger.key.name;
		buf_init(&b);
		CHECK(checkpoint_sign(&b, &c, &s->stranger, &s->err));
		ask.note = buf_str(&b);
		CHECK_INT(sample_ask(s, sample_body_of(s, &ask)), 404);
		buf_free(&b);
	}
	sample_close(s);
}

TEST(a_signature_of_another_key_is_403)
{
	struct sample *s = sample_open();
	struct witness_ask ask = { .old = 0, .note = sample_note(s, 5, &s->stranger) };
	struct str good = sample_note(s, 5, &s->log);
	char *bad = test_alloc(good.n);

	CHECK_INT(sample_ask(s, sample_body_of(s, &ask)), 403);
	memcpy(bad, good.p, good.n);
	bad[good.n - 20] = bad[good.n - 20] == 'A' ? 'B' : 'A';
	ask.note = str_of(bad, good.n);
	CHECK_INT(sample_ask(s, sample_body_of(s, &ask)), 403);
	CHECK_INT(sample_ask(s, sample_body(s, 0, 5)), 200);
	sample_close(s);
}

TEST(lines_of_keys_it_does_not_know_are_no_matter)
{
	struct sample *s = sample_open();
	struct str note = sample_note(s, 5, &s->log), other = sample_note(s, 5, &s->stranger);
	size_t at = str_find(other, STR("\n\n")) + 2;
	struct witness_ask ask = { .old = 0 };

	ask.note = ARENA_JOIN(&s->a, note, str_of(other.p + at, other.n - at));
	CHECK_INT(sample_ask(s, sample_body_of(s, &ask)), 200);
	sample_close(s);
}

/* ---- the state ---- */

TEST(a_witness_remembers_after_it_is_closed)
{
	struct sample *s = sample_open();

	CHECK_INT(sample_ask(s, sample_body(s, 0, 9)), 200);
	witness_close(s->w);
	sample_open_witness(s, NULL);
	CHECK_INT(sample_ask(s, sample_body(s, 0, 5)), 409);
	CHECK_STR(s->x.body, STR("9\n"));
	CHECK_INT(sample_ask(s, sample_body(s, 9, 10)), 200);
	sample_close(s);
}

/* The one file in its directory that is not the lock. */
static int find_state(const char *path, const struct stat *st, int type, struct FTW *where)
{
	FILE *f;

	(void)st;
	if (type != FTW_F || strcmp(path + where->base, "lock") == 0)
		return 0;
	f = fopen(path, "r+");
	CHECK(f && fseek(f, -30, SEEK_END) == 0);
	int c = fgetc(f);
	CHECK(fseek(f, -30, SEEK_END) == 0 && fputc(c == 'A' ? 'B' : 'A', f) != EOF && fclose(f) == 0);
	return 1;
}

TEST(a_state_that_was_changed_is_not_believed)
{
	struct sample *s = sample_open();

	CHECK_INT(sample_ask(s, sample_body(s, 0, 9)), 200);
	CHECK_INT(nftw(s->dir, find_state, 20, FTW_PHYS), 1);
	CHECK_INT(sample_ask(s, sample_body(s, 9, 10)), 500);
	CHECK(s->x.trouble.p && str_find(s->x.trouble, STR("damaged")) != (size_t)-1);
	CHECK(str_find(s->x.body, str_from(s->dir)) == (size_t)-1); /* clients are not told our paths */
	sample_close(s);
}

/* A disk on which what `broken` counts down to fails, once and for all. */
struct disk {
	struct io_ops ops;
	int syncs_left, renames_left;
};

static int disk_sync(void *own, int fd)
{
	struct disk *d = own;

	return d->syncs_left-- > 0 ? io_system.ops->sync(io_system.own, fd) : -EIO;
}

static int disk_rename(void *own, const char *from, const char *to)
{
	struct disk *d = own;

	return d->renames_left-- > 0 ? io_system.ops->rename(io_system.own, from, to) : -EIO;
}

TEST(nothing_is_cosigned_that_the_disk_did_not_take)
{
	for (int i = 0; i < 3; i++) {
		struct sample *s = sample_open();
		struct disk d = { .ops = *io_system.ops, .syncs_left = 1000, .renames_left = 1000 };
		struct io io = { .ops = &d.ops, .own = &d };

		test_case("fault %d", i);
		d.ops.sync = disk_sync;
		d.ops.rename = disk_rename;
		witness_close(s->w);
		sample_open_witness(s, &io);
		CHECK_INT(sample_ask(s, sample_body(s, 0, 5)), 200);
		d.syncs_left = i == 0 ? 0 : i == 1 ? 1 : 1000; /* of the file, of the directory */
		d.renames_left = i == 2 ? 0 : 1000;
		CHECK_INT(sample_ask(s, sample_body(s, 5, 9)), 500);
		CHECK(str_find(s->x.body, STR("\xe2\x80\x94")) == (size_t)-1);
		d.syncs_left = d.renames_left = 1000;
		/* Whatever it has now, it is one of the two; and it goes on from there. */
		if (sample_ask(s, sample_body(s, 5, 9)) == 409)
			CHECK_STR(s->x.body, STR("9\n"));
		CHECK_INT(sample_ask(s, sample_body(s, 9, 12)), 200);
		sample_close(s);
	}
}

/* Each of many processes asks for the next size from what it was told last; sizes given must never go back. */
TEST(two_processes_on_one_directory_never_let_a_log_go_back)
{
	struct sample *s = sample_open();
	int children = 4;

	witness_close(s->w);
	for (int c = 0; c < children; c++) {
		if (fork() != 0)
			continue;
		sample_open_witness(s, NULL);
		for (uint64_t old = 0, n = 0; n < 30; n++) {
			uint64_t told = 0;
			int status = sample_ask(s, sample_body(s, old, old + 1));

			if (status != 200 && status != 409)
				_exit(1);
			if (status == 200) {
				old++;
				continue;
			}
			for (size_t i = 0; i + 1 < s->x.body.n; i++)
				told = told * 10 + (uint64_t)(s->x.body.p[i] - '0');
			if (told <= old)
				_exit(2); /* it went back */
			old = told;
		}
		_exit(0);
	}
	for (int c = 0; c < children; c++) {
		int status = 0;

		CHECK(wait(&status) > 0);
		CHECK_INT(status, 0);
	}
	sample_open_witness(s, NULL);
	sample_close(s);
}

TEST(a_directory_that_cannot_be_made_is_an_error)
{
	struct sample *s = sample_open();
	struct witness_options o = { .dir = STR("/dev/null/state"), .signer = &s->signer };

	CHECK(witness_open(&o, &s->err) == NULL);
	CHECK_INT(s->err.kind, ERR_IO);
	sample_close(s);
}

/* ---- the vectors ---- */

TEST(the_published_question_is_answered)
{
	const char *dir = test_shared("ledger/ledger");
	struct sample *s = sample_open();
	struct str body = test_read(arena_printf(&s->a, "%s/witness-add-checkpoint-257-300.txt", dir).p);
	struct str before = test_read(arena_printf(&s->a, "%s/checkpoints/257", dir).p);
	struct str vkey = test_read(arena_printf(&s->a, "%s/vkey", dir).p);
	struct witness_ask ask = { .old = 0, .note = before };
	const char *why;
	struct str again;

	witness_close(s->w);
	CHECK(key_parse(vkey, &s->log.key));
	sample_open_witness(s, NULL);
	CHECK_INT(sample_ask(s, body), 409);
	CHECK_INT(sample_ask(s, sample_body_of(s, &ask)), 200);
	CHECK(witness_parse(body, &ask, &why));
	CHECK_STR(sample_body_of(s, &ask), body);
	CHECK_INT(sample_ask(s, body), 200);
	again = s->x.body;
	CHECK_INT(sample_ask(s, body), 409);
	CHECK_STR(s->x.body, STR("300\n"));
	CHECK(str_starts(again, STR("\xe2\x80\x94 witness.example/w ")));
	sample_close(s);
}
