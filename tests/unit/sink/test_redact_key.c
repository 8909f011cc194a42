/* Keys of redaction, in a directory of keys of the test's own. */
#include "sink/redact_key.h"

#include <string.h>

#include "unit/source/scratch.h"

struct key_try {
	struct arena arena;
	struct err err;
	struct scratch dir;
	uint8_t key[REDACT_KEY];
	struct str path;
	bool made;
};

static void key_begin(struct key_try *t)
{
	*t = (struct key_try){ .dir = scratch_enter() };
	arena_init(&t->arena);
	CHECK(setenv("TRACKWAY_KEYS", "keys", 1) == 0);
}

static void key_end(struct key_try *t)
{
	arena_free(&t->arena);
	scratch_leave(&t->dir);
}

static bool key_load(struct key_try *t, struct str name)
{
	t->err = (struct err){ .kind = ERR_NONE };
	return redact_key_load(&t->arena, name, t->key, &t->path, &t->made, &t->err);
}

static unsigned key_mode(const char *path)
{
	struct stat st;

	CHECK(stat(path, &st) == 0);
	return st.st_mode & 07777;
}

/* A file with this text that only its owner can read. */
static void key_write(const char *path, struct str text)
{
	scratch_write(path, text);
	CHECK(chmod(path, 0600) == 0);
}

#define DIGITS "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F"

TEST(a_key_of_redaction_is_made_once_and_for_its_owner)
{
	uint8_t first[REDACT_KEY], other[REDACT_KEY];
	struct key_try t;

	key_begin(&t);
	umask(0);
	CHECK(key_load(&t, STR("team")) && t.made);
	CHECK_STR(t.path, STR("keys/redact-team.key"));
	CHECK_INT(key_mode("keys"), 0700);
	CHECK_INT(key_mode("keys/redact-team.key"), 0600);
	CHECK_INT(test_read("keys/redact-team.key").n, 2 * REDACT_KEY + 1);
	memcpy(first, t.key, sizeof(first));
	memset(t.key, 0, sizeof(t.key));
	CHECK(key_load(&t, STR("team")) && !t.made);
	CHECK(memcmp(first, t.key, sizeof(first)) == 0);
	CHECK(key_load(&t, STR("other-2")) && t.made);
	memcpy(other, t.key, sizeof(other));
	CHECK(memcmp(first, other, sizeof(first)) != 0);
	CHECK(remove("keys/redact-team.key") == 0 && remove("keys/redact-other-2.key") == 0);
	CHECK(rmdir("keys") == 0); /* nothing else was left in it */
	key_end(&t);
}

TEST(a_path_names_a_key_that_must_be_there)
{
	struct key_try t;

	key_begin(&t);
	key_write("some.key", STR(DIGITS "\n"));
	CHECK(key_load(&t, STR("./some.key")) && !t.made);
	CHECK_STR(t.path, STR("./some.key"));
	for (unsigned i = 0; i < REDACT_KEY; i++)
		CHECK_INT(t.key[i], i);
	CHECK(!key_load(&t, STR("./none.key")));
	CHECK(t.err.kind == ERR_IO && strstr(t.err.text, "./none.key"));
	CHECK(access("none.key", F_OK) != 0 && access("keys", F_OK) != 0);
	key_end(&t);
}

TEST(a_key_of_redaction_that_others_can_read_is_refused)
{
	static const mode_t modes[] = { 0640, 0604, 0620, 0601 };
	struct key_try t;

	key_begin(&t);
	key_write("k", STR(DIGITS "\n"));
	for (size_t i = 0; i < COUNT(modes); i++) {
		test_case("%03o", (unsigned)modes[i]);
		CHECK(chmod("k", modes[i]) == 0);
		CHECK(!key_load(&t, STR("./k")));
		CHECK(t.err.kind == ERR_DATA && strstr(t.err.text, "can be read by others") && strstr(t.err.text, "chmod 600 ./k"));
	}
	CHECK(chmod("k", 0400) == 0);
	CHECK(key_load(&t, STR("./k")));
	key_end(&t);
}

TEST(a_directory_of_keys_that_others_can_change_is_refused)
{
	struct key_try t;

	key_begin(&t);
	umask(0);
	CHECK(mkdir("keys", 0777) == 0);
	CHECK(!key_load(&t, STR("team")));
	CHECK(t.err.kind == ERR_DATA);
	CHECK(access("keys/redact-team.key", F_OK) != 0);
	key_end(&t);
}

TEST(what_is_no_key_of_redaction_is_refused_and_left_alone)
{
	static const struct {
		const char *what;
		struct str text;
	} cases[] = {
		{ "empty", { "", 0 } },
		{ "short", { DIGITS, 2 * REDACT_KEY - 1 } },
		{ "short, with a line end", { &(DIGITS "\n")[1], 2 * REDACT_KEY } },
		{ "long", { DIGITS "0", 2 * REDACT_KEY + 1 } },
		{ "longer", { DIGITS DIGITS, 4 * REDACT_KEY } },
		{ "no digit", { "x" DIGITS, 2 * REDACT_KEY } },
	};
	struct key_try t;

	key_begin(&t);
	CHECK(mkdir("keys", 0700) == 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].what);
		key_write("keys/redact-bad.key", cases[i].text);
		CHECK(!key_load(&t, STR("bad")));
		CHECK(t.err.kind == ERR_DATA && strstr(t.err.text, "64 hexadecimal digits"));
		CHECK(!t.made);
		CHECK_STR(test_read("keys/redact-bad.key"), cases[i].text);
	}
	CHECK(mkdir("d", 0700) == 0);
	CHECK(!key_load(&t, STR("./d")));
	CHECK(t.err.kind == ERR_DATA && strstr(t.err.text, "is not a file"));
	key_write("target", STR(DIGITS "\n"));
	CHECK(symlink("target", "link") == 0);
	CHECK(!key_load(&t, STR("./link")));
	CHECK(t.err.kind == ERR_IO);
	key_end(&t);
}

TEST(a_name_of_a_key_has_few_signs)
{
	static const char *const names[] = {
		"", ".", "..", "a.key", "two words", "a\tb", "caf\xc3\xa9",
		"0123456789012345678901234567890123456789012345678901234567890123x",
	};
	struct key_try t;

	key_begin(&t);
	for (size_t i = 0; i < COUNT(names); i++) {
		test_case("'%s'", names[i]);
		CHECK(!key_load(&t, str_from(names[i])));
		CHECK(t.err.kind == ERR_USAGE && strstr(t.err.text, "cannot name a key"));
	}
	CHECK(access("keys", F_OK) != 0);
	key_end(&t);
}
