#include "notary/witness_key.h"

#include <sys/stat.h>

#include "unit/notary/notary_sample.h"

static struct str path_in(struct sample *s, const char *name)
{
	return arena_printf(&s->a, "%s/%s", s->dir, name);
}

static void put(const char *path, struct str text, unsigned mode)
{
	FILE *f = fopen(path, "w");

	CHECK(f && fwrite(text.p, 1, text.n, f) == text.n && fclose(f) == 0 && chmod(path, mode) == 0);
}

static struct str skey_of(struct sample *s, const struct signer *by)
{
	struct str text;
	struct buf b;

	buf_init(&b);
	signer_add_text(&b, by);
	text = arena_copy(&s->a, buf_str(&b));
	buf_free(&b);
	return text;
}

TEST(directories_are_made_from_the_nearest_one_that_is_there)
{
	struct sample *s = sample_open();
	struct str deep = path_in(s, "a/b/c");
	struct stat st;

	CHECK(witness_make_dir(&io_system, &s->a, deep, &s->err));
	CHECK(stat(deep.p, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & 0777) == 0700);
	CHECK(witness_make_dir(&io_system, &s->a, deep, &s->err)); /* again is fine */
	CHECK(chdir(s->dir) == 0);
	CHECK(witness_make_dir(&io_system, &s->a, STR("near/by"), &s->err));
	CHECK(stat("near/by", &st) == 0);
	CHECK(!witness_make_dir(&io_system, &s->a, STR("/dev/null/x"), &s->err));
	sample_close(s);
}

TEST(the_usual_place_of_a_state_is_named_after_the_witness)
{
	struct sample *s = sample_open();

	CHECK_STR(witness_state_home(&s->a, STR("/k"), STR("w.example/one")), STR("/k/w.example%2Fone.witness"));
	CHECK_STR(witness_state_home(&s->a, STR("/k"), STR("../../etc")), STR("/k/%2E.%2F..%2Fetc.witness"));
	sample_close(s);
}

TEST(a_key_is_made_at_the_first_start_and_found_at_the_next)
{
	struct sample *s = sample_open();
	struct str keys = path_in(s, "keys"), state = path_in(s, "keys/w.witness");
	struct signer one, two;
	bool made;

	CHECK(witness_key_open(&s->a, keys, state, STR("w.example/w"), &one, &made, &s->err) && made);
	CHECK_INT(one.key.kind, KEY_WITNESS);
	CHECK(witness_key_open(&s->a, keys, state, STR("w.example/w"), &two, &made, &s->err) && !made);
	CHECK(memcmp(one.seed, two.seed, ED25519_SEED) == 0);
	CHECK(witness_key_open(&s->a, keys, state, (struct str){ NULL, 0 }, &two, &made, &s->err) && !made);
	CHECK_STR(two.key.name, STR("w.example/w"));
	sample_close(s);
}

TEST(a_state_of_another_witness_is_refused)
{
	struct sample *s = sample_open();
	struct str keys = path_in(s, "keys"), state = path_in(s, "state");
	struct signer one;
	bool made;

	CHECK(witness_key_open(&s->a, keys, state, STR("w.example/w"), &one, &made, &s->err));
	CHECK(!witness_key_open(&s->a, keys, state, STR("w.example/v"), &one, &made, &s->err));
	CHECK(strstr(s->err.text, "another witness"));
	sample_close(s);
}

TEST(a_state_whose_key_is_gone_makes_no_new_one)
{
	struct sample *s = sample_open();
	struct str keys = path_in(s, "keys"), state = path_in(s, "state");
	struct signer one;
	bool made;

	CHECK(witness_key_open(&s->a, keys, state, STR("w.example/w"), &one, &made, &s->err));
	CHECK(!witness_key_open(&s->a, path_in(s, "other"), state, STR("w.example/w"), &one, &made, &s->err));
	CHECK(!made && strstr(s->err.text, "private key"));
	CHECK(!witness_key_open(&s->a, keys, path_in(s, "none"), (struct str){ NULL, 0 }, &one, &made, &s->err));
	sample_close(s);
}

TEST(a_key_file_must_be_of_a_witness_and_of_its_owner_only)
{
	struct sample *s = sample_open();
	struct str path = path_in(s, "w.key");
	struct signer got;

	put(path.p, skey_of(s, &s->signer), 0600);
	CHECK(witness_key_load(&s->a, path, &got, &s->err));
	CHECK(memcmp(got.seed, s->signer.seed, ED25519_SEED) == 0);
	CHECK_STR(got.key.name, s->signer.key.name);
	put(path.p, skey_of(s, &s->signer), 0640);
	CHECK(!witness_key_load(&s->a, path, &got, &s->err) && strstr(s->err.text, "chmod 600"));
	put(path.p, skey_of(s, &s->log), 0600);
	CHECK(!witness_key_load(&s->a, path, &got, &s->err) && strstr(s->err.text, "key of a log"));
	put(path.p, STR("nothing"), 0600);
	CHECK(!witness_key_load(&s->a, path, &got, &s->err));
	CHECK(!witness_key_load(&s->a, path_in(s, "absent"), &got, &s->err));
	sample_close(s);
}
