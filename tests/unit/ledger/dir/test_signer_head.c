#include "ledger/dir/signer_head.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"

#define ORIGIN STR("example.org/log")

struct scene {
	char dir[64];
	struct arena a;
	struct signer signer;
	struct err err;
};

static void scene_begin(struct scene *s)
{
	static const uint8_t seed[ED25519_SEED] = { 5 };
	const char *tmp = getenv("TMPDIR");

	*s = (struct scene){ .err = { .kind = ERR_NONE } };
	CHECK(snprintf(s->dir, sizeof(s->dir), "%s/trackway-head-XXXXXX", tmp ? tmp : "/tmp") < (int)sizeof(s->dir));
	CHECK(mkdtemp(s->dir));
	arena_init(&s->a);
	CHECK(signer_init(&s->signer, ORIGIN, KEY_LOG, seed, &s->err));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

static void scene_end(struct scene *s)
{
	CHECK(nftw(s->dir, remove_one, 20, FTW_DEPTH | FTW_PHYS) == 0);
	arena_free(&s->a);
}

static struct str note_of(struct scene *s, struct str origin, uint64_t size, uint8_t root)
{
	struct checkpoint c = { .origin = origin, .size = size, .root = { { root } } };
	struct str out;
	struct buf b;

	buf_init(&b);
	CHECK(checkpoint_sign(&b, &c, &s->signer, &s->err));
	out = arena_copy(&s->a, buf_str(&b));
	buf_free(&b);
	return out;
}

static bool read_head(struct scene *s, struct signer_head *h)
{
	return signer_head_read(&io_system, str_from(s->dir), &s->signer.key, ORIGIN, h, &s->err);
}

static bool replace_head(struct scene *s, const struct signer_head *old, struct str note)
{
	return signer_head_write(&io_system, str_from(s->dir), &s->signer.key, old, note, &s->err);
}

static bool write_head(struct scene *s, struct str note)
{
	struct signer_head h;

	return read_head(s, &h) && replace_head(s, &h, note);
}

static const char *path_of(struct scene *s)
{
	return arena_printf(&s->a, "%s/%02x%02x%02x%02x.head", s->dir, s->signer.key.id[0], s->signer.key.id[1],
			    s->signer.key.id[2], s->signer.key.id[3]).p;
}

/* Whatever it is, as a fault or a hand would leave it. */
static bool damage_head(struct scene *s, struct str bytes)
{
	return io_put(&io_system, path_of(s), bytes, 0600, false, &s->err);
}

TEST(what_was_signed_last_is_read_back)
{
	struct signer_head h;
	struct stat st;
	struct scene s;

	scene_begin(&s);
	CHECK(read_head(&s, &h) && !h.found);
	CHECK(write_head(&s, note_of(&s, ORIGIN, 7, 1)));
	CHECK(read_head(&s, &h) && h.found && h.size == 7 && h.root.b[0] == 1);
	CHECK(write_head(&s, note_of(&s, ORIGIN, 9, 2)));
	CHECK(read_head(&s, &h) && h.size == 9 && h.root.b[0] == 2);
	CHECK(stat(path_of(&s), &st) == 0 && (st.st_mode & 0777) == 0600);
	scene_end(&s);
}

TEST(without_a_directory_of_keys_there_is_no_head)
{
	struct signer_head h = { .found = true };
	struct scene s;

	scene_begin(&s);
	CHECK(signer_head_read(&io_system, str_of(NULL, 0), &s.signer.key, ORIGIN, &h, &s.err) && !h.found);
	CHECK(signer_head_write(&io_system, str_of(NULL, 0), &s.signer.key, &h, STR("x"), &s.err));
	scene_end(&s);
}

TEST(a_head_that_is_not_this_keys_is_an_error_not_an_absence)
{
	struct signer_head h;
	struct scene s;
	struct str note;
	char *bent;

	scene_begin(&s);
	CHECK(damage_head(&s, STR("no note\n")) && !read_head(&s, &h));
	CHECK_INT(s.err.kind, ERR_DATA);
	CHECK(strstr(s.err.text, ".head") && strstr(s.err.text, "= help: "));
	CHECK(damage_head(&s, STR("")) && !read_head(&s, &h));
	CHECK(damage_head(&s, note_of(&s, STR("example.org/other"), 7, 1)) && !read_head(&s, &h));
	CHECK(strstr(s.err.text, "another log"));
	note = note_of(&s, ORIGIN, 7, 1);
	bent = test_alloc(note.n);
	memcpy(bent, note.p, note.n);
	bent[ORIGIN.n + 1] = '8'; /* the size */
	CHECK(damage_head(&s, str_of(bent, note.n)) && !read_head(&s, &h));
	CHECK(strstr(s.err.text, "signature"));
	scene_end(&s);
}

/* Two copies of a log, each under a lock of its own, held against the same head: one of them may be signed. */
TEST(a_head_that_somebody_replaced_meanwhile_stays)
{
	struct signer_head none = { .found = false }, first, h;
	struct scene s;

	scene_begin(&s);
	CHECK(replace_head(&s, &none, note_of(&s, ORIGIN, 7, 1)));
	CHECK(!replace_head(&s, &none, note_of(&s, ORIGIN, 7, 2)));
	CHECK_INT(s.err.kind, ERR_DATA);
	CHECK(strstr(s.err.text, "meanwhile") && strstr(s.err.text, "= help: "));
	CHECK(read_head(&s, &first) && first.size == 7 && first.root.b[0] == 1);
	CHECK(replace_head(&s, &first, note_of(&s, ORIGIN, 8, 3)));
	CHECK(!replace_head(&s, &first, note_of(&s, ORIGIN, 8, 4)));
	CHECK(read_head(&s, &h) && h.size == 8 && h.root.b[0] == 3);
	scene_end(&s);
}

TEST(heads_are_replaced_one_after_the_other)
{
	struct signer_head none = { .found = false };
	struct scene s;
	pid_t child;
	int fd, status;

	scene_begin(&s);
	fd = io_open(&io_system, arena_printf(&s.a, "%s/.lock", s.dir).p, IO_CREATE, 0600);
	CHECK(fd >= 0 && io_system.ops->lock(NULL, fd, true) == 0);
	child = fork();
	if (child == 0)
		_exit(replace_head(&s, &none, note_of(&s, ORIGIN, 1, 1)) ? 0 : 1);
	usleep(50000);
	CHECK_INT(waitpid(child, &status, WNOHANG), 0);
	CHECK(io_system.ops->unlock(NULL, fd) == 0);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	io_close(&io_system, fd);
	scene_end(&s);
}

TEST(a_log_is_signed_only_if_it_goes_on_from_the_head)
{
	const struct digest one = { { 1 } }, two = { { 2 } };
	static const struct { bool found; uint64_t head, size; bool same; const char *error; } cases[] = {
		{ false, 9, 0, false, NULL },
		{ true, 0, 0, true, NULL },
		{ true, 7, 7, true, NULL },
		{ true, 7, 8, true, NULL },
		{ true, 7, 6, true, LOG_E_ROLLBACK },
		{ true, 7, 0, false, LOG_E_ROLLBACK },
		{ true, 7, 7, false, LOG_E_FORK },
		{ true, 7, 99, false, LOG_E_FORK },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct signer_head h = { .found = cases[i].found, .size = cases[i].head, .root = one };
		struct err err = { .kind = ERR_NONE };
		bool good = signer_head_check(&h, cases[i].size, cases[i].same ? &one : &two, STR("here"), &err);

		test_case("%zu", i);
		CHECK_INT(good, cases[i].error == NULL);
		if (cases[i].error)
			CHECK(str_starts(str_from(err.text), str_from(cases[i].error)) && strstr(err.text, "here"));
		else
			CHECK_INT(err.kind, ERR_NONE);
	}
}

TEST(a_memory_that_others_can_put_back_is_none)
{
	static const mode_t bad[] = { 0777, 0770, 0720, 0702, 01777 };
	struct signer_head h;
	struct scene s;

	scene_begin(&s);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK(chmod(s.dir, bad[i]) == 0);
		s.err.kind = ERR_NONE;
		CHECK(!signer_head_read(&io_system, str_from(s.dir), &s.signer.key, ORIGIN, &h, &s.err));
		CHECK_INT(s.err.kind, ERR_DATA);
		CHECK(strstr(s.err.text, "can be changed by others") && strstr(s.err.text, "= help: chmod go-w "));
	}
	CHECK(chmod(s.dir, 0755) == 0); /* to read what was signed is no harm */
	CHECK(signer_head_read(&io_system, str_from(s.dir), &s.signer.key, ORIGIN, &h, &s.err));
	CHECK(!h.found);
	scene_end(&s);
}
