#include "ledger/key.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crypto/hex.h"
#include "base/file.h"
#include "harness/test.h"
#include "json/json.h"

#define SEED "e7baf7d798267cef6059cedc63ef4fff05f8bf33bfafb0e5fb5308d9a826c938"
#define SKEY "PRIVATE+KEY+log.example/tests+bc190136+Aee699eYJnzvYFnO3GPvT/8F+L8zv6+w5ftTCNmoJsk4"
#define VKEY "log.example/tests+bc190136+ATjiX+xH0sT44LaLhHeIoM6BcxAXl93C7Fn5pGiP8UDT"

static struct arena arena;
static char dir[] = "/tmp/trackway-keys-XXXXXX";

static struct str in_dir(const char *name)
{
	return arena_printf(&arena, "%s/%s", dir, name);
}

static void begin(void)
{
	arena_init(&arena);
	CHECK(mkdtemp(dir));
}

static void remove_all(const char *path)
{
	CHECK(system(arena_printf(&arena, "rm -rf '%s'", path).p) == 0);
}

static void end(void)
{
	remove_all(dir);
	arena_free(&arena);
}

static unsigned mode_of(struct str path)
{
	struct stat st;

	CHECK(stat(path.p, &st) == 0);
	return st.st_mode & 0777;
}

static size_t files_in(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	CHECK(d);
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static struct str text_of(const struct signer *s)
{
	struct buf b;
	struct str text;

	buf_init(&b);
	signer_add_text(&b, s);
	text = arena_copy(&arena, buf_str(&b));
	buf_free(&b);
	return text;
}

static struct str vkey_of(const struct key *k)
{
	struct buf b;
	struct str text;

	buf_init(&b);
	key_add_text(&b, k);
	text = arena_copy(&arena, buf_str(&b));
	buf_free(&b);
	return text;
}

TEST(a_name_has_no_spaces_plus_signs_or_controls)
{
	static const struct {
		const char *name;
		bool ours, foreign;
	} cases[] = {
		{ "log.example/tests", true, true }, { "x", true, true }, { "\xc3\xa9\xf0\x9f\x98\x82", true, true }, { "", false, false },
		{ "a b", false, false }, { "a+b", false, false }, { "a\tb", false, false }, { "a\nb", false, false }, { "a\x01", false, false },
		{ "a\x7f", false, true }, { "a\xc2\x9b", false, true }, { "a\xc2\x85", false, false }, { "a\xc2\xa0", false, false },
		{ "a\xc2\xa1", true, true }, { "\xe1\x9a\x80", false, false }, { "\xe2\x80\x80", false, false }, { "\xe2\x80\x8a", false, false },
		{ "\xe2\x80\x8b", true, true }, { "\xe2\x80\xa8", false, false }, { "\xe2\x80\xa9", false, false }, { "\xe2\x80\xaf", false, false },
		{ "\xe2\x81\x9f", false, false }, { "\xe3\x80\x80", false, false }, { "a\xff", false, false }, { "a\xc2", false, false },
	};
	char most[KEY_NAME_MAX + 1];

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu: %s", i, cases[i].name);
		CHECK_INT(key_is_name(str_from(cases[i].name)), cases[i].ours);
		CHECK_INT(key_is_foreign_name(str_from(cases[i].name)), cases[i].foreign);
	}
	memset(most, 'a', sizeof(most));
	CHECK(key_is_name(str_of(most, KEY_NAME_MAX)));
	CHECK(!key_is_name(str_of(most, KEY_NAME_MAX + 1)));
	CHECK(key_is_foreign_name(str_of(most, KEY_NAME_MAX + 1)));
	CHECK(!key_is_name(STR("a\0b")));
}

TEST(a_seed_gives_the_texts_that_others_make_of_it)
{
	struct err err = { .kind = ERR_NONE };
	uint8_t seed[ED25519_SEED];
	struct signer s;

	arena_init(&arena);
	CHECK(hex_parse(STR(SEED), seed, sizeof(seed)));
	CHECK(signer_init(&s, STR("log.example/tests"), KEY_LOG, seed, &err));
	CHECK_STR(vkey_of(&s.key), STR(VKEY));
	CHECK_STR(text_of(&s), STR(SKEY));
	CHECK_STR(vkey_of(&s.key), str_trim(test_data("ledger/log.vkey")));
	CHECK_INT(s.key.id[0], 0xbc);
	CHECK(signer_init(&s, STR("log.example/tests"), KEY_WITNESS, seed, &err));
	CHECK(s.key.id[0] != 0xbc);
	CHECK(!signer_init(&s, STR("two words"), KEY_LOG, seed, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(str_find(str_from(err.text), STR("'two words' cannot name a key\n= help: ")) == 0);
	arena_free(&arena);
}

TEST(a_verifier_key_is_read_and_written_the_same)
{
	static const char *const files[] = { "ledger/log.vkey", "ledger/witness.vkey" };
	static const uint8_t kinds[] = { KEY_LOG, KEY_WITNESS };
	struct key k;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(files); i++) {
		test_case("%s", files[i]);
		CHECK(key_parse(test_data(files[i]), &k)); /* with its line end */
		CHECK_INT(k.kind, kinds[i]);
		CHECK_STR(vkey_of(&k), str_trim(test_data(files[i])));
	}
	CHECK_STR(k.name, STR("witness.example/one"));
	arena_free(&arena);
}

TEST(a_verifier_key_with_any_byte_changed_is_none)
{
	char text[] = VKEY;
	struct key k;

	CHECK(key_parse(str_from(text), &k));
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		for (int bit = 0; bit < 8; bit++) {
			bool is_case = i >= 18 && i < 26 && bit == 5; /* the id may be in capitals */

			test_case("bit %d of byte %zu", bit, i);
			text[i] ^= (char)(1 << bit);
			CHECK_INT(key_parse(str_from(text), &k), is_case && text[i] >= 'A' && text[i] <= 'F');
			text[i] ^= (char)(1 << bit);
		}
	for (size_t n = 0; n < sizeof(text) - 1; n++)
		CHECK(!key_parse(str_of(text, n), &k));
}

TEST(what_only_resembles_a_verifier_key_is_none)
{
	static const char *const cases[] = {
		"", "+", "++", "a+b+c", VKEY "+", VKEY "=", VKEY "AAAA", "log.example/tests bc190136 ATji",
		"log.example/tests+bc190136+ATjiX+xH0sT44LaLhHeIoM6BcxAXl93C7Fn5pGiP8UD",
		"log.example/tests+bc19013+ATjiX+xH0sT44LaLhHeIoM6BcxAXl93C7Fn5pGiP8UDT",
		"log.example/tests+0bc190136+ATjiX+xH0sT44LaLhHeIoM6BcxAXl93C7Fn5pGiP8UDT",
		"log.example/tests+bc190136+AZjiX-xH0sT44LaLhHeIoM6BcxAXl93C7Fn5pGiP8UDT",
		SKEY,
	};
	struct key k;

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i]);
		CHECK(!key_parse(str_from(cases[i]), &k));
	}
}

TEST(a_private_key_is_read_strictly)
{
	struct err err = { .kind = ERR_NONE };
	char text[] = SKEY;
	struct signer s;

	arena_init(&arena);
	CHECK(signer_parse(STR(SKEY "\n"), &s, &err));
	CHECK_STR(text_of(&s), STR(SKEY));
	CHECK_STR(vkey_of(&s.key), STR(VKEY));
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		test_case("byte %zu", i);
		text[i] ^= 1;
		err.kind = ERR_NONE;
		CHECK(!signer_parse(str_from(text), &s, &err));
		CHECK_INT(err.kind, ERR_DATA);
		text[i] ^= 1;
	}
	CHECK(!signer_parse(STR(VKEY), &s, &err));
	CHECK_STR(str_from(err.text), STR("it is not a private key: it does not begin with PRIVATE+KEY+"
					   "\n= help: it is the one line that 'trackway ledger init' wrote, or a copy of it"));
	arena_free(&arena);
}

TEST(published_verifier_keys_are_judged_as_published)
{
	struct str rest = test_read(test_shared("corpora/06-merkle-notes/dev/notes/cases.jsonl"));
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	size_t accepted = 0, refused = 0;
	struct key k;
	struct val v;

	arena_init(&arena);
	while (rest.n > 0) {
		bool want;

		CHECK(json_parse_copy(p, str_cut(rest, '\n', &rest), &v, NULL));
		if (!val_text_is(val_get(v, STR("kind")), STR("vkey")))
			continue;
		want = val_text_is(val_get(v, STR("expect")), STR("accept"));
		test_case("%.*s", STR_ARG(val_raw(val_get(v, STR("id")))));
		CHECK_INT(key_parse(val_text(val_get(v, STR("vkey")), &arena), &k), want);
		accepted += want;
		refused += !want;
	}
	CHECK(accepted > 0 && refused > 0);
	json_parser_close(p);
	arena_free(&arena);
}

/* ---- the directory ---- */

TEST(the_directory_of_keys_is_where_the_environment_says)
{
	static const struct {
		const char *own, *config, *home, *want;
	} cases[] = {
		{ "/k", "/c", "/h", "/k" },
		{ NULL, "/c", "/h", "/c/trackway/keys" },
		{ "", "/c", "/h", "/c/trackway/keys" },
		{ NULL, "relative", "/h", "/h/.config/trackway/keys" },
		{ NULL, NULL, "/h", "/h/.config/trackway/keys" },
		{ NULL, NULL, NULL, NULL },
	};

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *const names[] = { "TRACKWAY_KEYS", "XDG_CONFIG_HOME", "HOME" };
		const char *const values[] = { cases[i].own, cases[i].config, cases[i].home };
		struct err err = { .kind = ERR_NONE };
		struct str home;

		test_case("%zu", i);
		for (size_t n = 0; n < 3; n++)
			CHECK((values[n] ? setenv(names[n], values[n], 1) : unsetenv(names[n])) == 0);
		CHECK_INT(keys_home(&arena, &home, &err), cases[i].want != NULL);
		if (cases[i].want)
			CHECK_STR(home, str_from(cases[i].want));
		else
			CHECK_STR(str_from(err.text), STR("there is no place for keys\n= help: set TRACKWAY_KEYS to a directory"));
	}
	arena_free(&arena);
}

static struct str key_path(struct str keys, const struct key *k)
{
	char id[2 * KEY_ID];

	hex_format(id, k->id, KEY_ID);
	return arena_printf(&arena, "%.*s/%.*s.key", STR_ARG(keys), 2 * KEY_ID, id);
}

TEST(a_new_key_is_private_and_found_again)
{
	struct err err = { .kind = ERR_NONE };
	struct signer made, again, other;
	struct str keys;
	bool found;

	begin();
	umask(0);
	keys = in_dir("a/b/keys");
	CHECK(keys_make(&arena, keys, STR("log.example/new"), KEY_LOG, &made, &err));
	CHECK_INT(mode_of(keys), 0700);
	CHECK_INT(mode_of(in_dir("a")), 0700);
	CHECK_INT(mode_of(key_path(keys, &made.key)), 0600);
	CHECK_INT(files_in(keys.p), 1);
	CHECK(keys_find(&arena, keys, &made.key, &again, &found, &err));
	CHECK(found);
	CHECK_STR(text_of(&again), text_of(&made));
	CHECK(keys_make(&arena, keys, STR("log.example/new"), KEY_LOG, &other, &err));
	CHECK(memcmp(other.seed, made.seed, sizeof(made.seed)) != 0);
	CHECK_INT(files_in(keys.p), 2);
	CHECK(!keys_make(&arena, keys, STR("a b"), KEY_LOG, &other, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK_INT(files_in(keys.p), 2);
	end();
}

TEST(a_key_from_elsewhere_is_kept_once_and_never_replaced)
{
	struct err err = { .kind = ERR_NONE };
	struct signer s, other;
	struct str keys, path, text;
	bool found;

	begin();
	keys = in_dir("keys/"); /* people write a slash at the end */
	CHECK(signer_parse(STR(SKEY), &s, &err));
	CHECK(!keys_find(&arena, keys, &s.key, &other, &found, &err) && !found);
	CHECK(keys_add(&arena, keys, &s, &err));
	path = key_path(keys, &s.key);
	CHECK(file_read(&arena, path, 1000, &text, &err));
	CHECK_STR(text, STR(SKEY "\n"));
	CHECK(keys_add(&arena, keys, &s, &err));
	/* the same id, another name: a key that stands for another must not be taken for it */
	other = s;
	other.key.name = STR("log.example/other");
	CHECK(!keys_add(&arena, keys, &other, &err));
	CHECK(str_find(str_from(err.text), STR("is another key with the same id\n= help: ")) != (size_t)-1);
	err.kind = ERR_NONE;
	CHECK(!keys_find(&arena, keys, &other.key, &s, &found, &err));
	CHECK(!found);
	CHECK_INT(err.kind, ERR_NONE);
	CHECK(file_read(&arena, path, 1000, &text, &err));
	CHECK_STR(text, STR(SKEY "\n"));
	CHECK_INT(files_in(keys.p), 1);
	end();
}

TEST(a_key_that_others_can_read_is_refused_with_the_remedy)
{
	static const mode_t modes[] = { 0640, 0604, 0620, 0602, 0610, 0666 };
	struct signer s, out;
	struct err err = { .kind = ERR_NONE };
	struct str keys, path;
	bool found;

	begin();
	keys = in_dir("keys");
	CHECK(signer_parse(STR(SKEY), &s, &err));
	CHECK(keys_add(&arena, keys, &s, &err));
	path = key_path(keys, &s.key);
	for (size_t i = 0; i < COUNT(modes); i++) {
		test_case("%o", modes[i]);
		CHECK(chmod(path.p, modes[i]) == 0);
		CHECK(!keys_find(&arena, keys, &s.key, &out, &found, &err));
		CHECK(found);
		CHECK_STR(str_from(err.text), arena_printf(&arena, "%s can be read or changed by others (mode %03o)\n= help: chmod 600 %s",
							   path.p, modes[i], path.p));
	}
	CHECK(chmod(path.p, 0400) == 0);
	CHECK(keys_find(&arena, keys, &s.key, &out, &found, &err));
	end();
}

TEST(a_directory_that_others_can_write_to_is_refused_with_the_remedy)
{
	static const mode_t modes[] = { 0777, 0770, 0720, 0702, 01777 };
	struct signer s, out;
	struct err err = { .kind = ERR_NONE };
	struct str keys;
	bool found;

	begin();
	keys = in_dir("keys");
	CHECK(signer_parse(STR(SKEY), &s, &err));
	CHECK(keys_add(&arena, keys, &s, &err));
	for (size_t i = 0; i < COUNT(modes); i++) {
		test_case("%o", modes[i]);
		CHECK(chmod(keys.p, modes[i]) == 0);
		CHECK(!keys_find(&arena, keys, &s.key, &out, &found, &err));
		CHECK(found);
		CHECK(strstr(err.text, "can be changed by others"));
		CHECK(str_ends(str_from(err.text), ARENA_JOIN(&arena, STR("\n= help: chmod go-w "), keys)));
		CHECK(!keys_add(&arena, keys, &s, &err));
		CHECK(!keys_make(&arena, keys, STR("example.org/new"), KEY_LOG, &out, &err));
	}
	CHECK(chmod(keys.p, 0755) == 0);
	CHECK(keys_find(&arena, keys, &s.key, &out, &found, &err));
	end();
}

TEST(a_file_that_is_not_the_key_it_is_named_after_is_an_error)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "it is not a private key" },
		{ VKEY "\n", "it is not a private key" },
		{ "PRIVATE+KEY+witness.example/one+c2497401+BIDi7OQQS5dKsxlMqf0kTE/MbfOt31M+N5B6QYMUSYcF\n",
		  "holds another key than its name says: that of witness.example/one" },
		{ "PRIVATE+KEY+log.example/tests+bc190137+Aee699eYJnzvYFnO3GPvT/8F+L8zv6+w5ftTCNmoJsk4\n",
		  "the id of the private key does not belong to it" },
	};
	struct err err = { .kind = ERR_NONE };
	struct signer s, out;
	struct str keys, path;
	bool found;

	begin();
	keys = in_dir("");
	CHECK(signer_parse(STR(SKEY), &s, &err));
	path = key_path(keys, &s.key);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK(file_replace(path, str_from(cases[i].text), 0600, &err));
		CHECK(!keys_find(&arena, keys, &s.key, &out, &found, &err));
		CHECK(found);
		CHECK(str_find(str_from(err.text), path) == 0);
		CHECK(str_find(str_from(err.text), str_from(cases[i].want)) != (size_t)-1);
	}
	CHECK(file_replace(path, str_of(test_alloc(5000), 5000), 0600, &err));
	CHECK(!keys_find(&arena, keys, &s.key, &out, &found, &err));
	CHECK(str_find(str_from(err.text), STR("is too long for a private key")) != (size_t)-1);
	CHECK(unlink(path.p) == 0 && mkdir(path.p, 0700) == 0);
	CHECK(!keys_find(&arena, keys, &s.key, &out, &found, &err));
	CHECK(str_find(str_from(err.text), STR("is not a regular file")) != (size_t)-1);
	end();
}

TEST(a_place_that_cannot_be_made_is_an_error_that_names_it)
{
	struct err err = { .kind = ERR_NONE };
	struct signer s;
	struct str file, keys;

	begin();
	file = in_dir("file");
	CHECK(file_replace(file, STR("x"), 0600, &err));
	keys = in_dir("file/keys");
	CHECK(!keys_make(&arena, keys, STR("a"), KEY_LOG, &s, &err));
	CHECK_INT(err.errnum, ENOTDIR);
	CHECK(str_find(str_from(err.text), file) != (size_t)-1);
	CHECK(signer_parse(STR(SKEY), &s, &err));
	CHECK(!keys_add(&arena, file, &s, &err));
	end();
}

TEST(a_key_that_could_not_be_written_whole_is_not_there)
{
	struct err err = { .kind = ERR_NONE };
	struct rlimit old, few;
	struct signer s;
	struct str keys;
	bool made;

	begin();
	keys = in_dir("keys");
	CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
	few = old;
	few.rlim_cur = 20;
	CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	CHECK(setrlimit(RLIMIT_FSIZE, &few) == 0);
	made = keys_make(&arena, keys, STR("log.example/new"), KEY_LOG, &s, &err);
	CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
	CHECK(!made);
	CHECK_INT(err.errnum, EFBIG);
	CHECK(str_find(str_from(err.text), keys) == 0);
	CHECK_INT(files_in(keys.p), 0);
	end();
}
