#include "capture/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "harness/test.h"

static int open_dir(void)
{
	int dir = open(test_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	CHECK(dir >= 0);
	return dir;
}

static struct str read_kept(struct arena *a, int dir)
{
	return test_read(arena_printf(a, "/proc/self/fd/%d/" OUTPUT_FILE, dir).p);
}

static struct str tell_kept(struct buf *b, const struct output_tally *t)
{
	struct json_writer w;

	buf_clear(b);
	json_write_init(&w, b, JSON_COMPACT);
	json_write_begin_object(&w);
	output_put(&w, t);
	json_write_end_object(&w);
	return buf_str(b);
}

TEST(what_is_added_is_hashed_and_kept_for_the_user_alone)
{
	struct output_tally t;
	struct output o;
	struct arena a;
	struct stat st;
	struct err err;
	struct buf b;
	int dir = open_dir();

	arena_init(&a);
	buf_init(&b);
	CHECK(output_open(&o, dir, &err));
	output_add(&o, STR("a"));
	output_add(&o, STR("bc"));
	CHECK(output_close(&o, &t));
	CHECK_STR(read_kept(&a, dir), STR("abc"));
	CHECK_INT(fstatat(dir, OUTPUT_FILE, &st, 0), 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	CHECK_STR(tell_kept(&b, &t), STR("{\"stdout\":{\"sha256\":\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\","
					 "\"size\":3,\"terminal\":false}}"));
	CHECK(!output_open(&o, dir, &err)); /* the name is taken */
	CHECK_INT(err.kind, ERR_IO);
	buf_free(&b);
	arena_free(&a);
	close(dir);
}

TEST(beyond_the_limit_bytes_are_hashed_only)
{
	struct output_tally t;
	struct output o;
	struct arena a;
	struct err err;
	struct buf b;
	int dir = open_dir();

	arena_init(&a);
	buf_init(&b);
	CHECK(output_open(&o, dir, &err));
	o.limit = 4;
	output_add(&o, STR("abc"));
	output_add(&o, STR("d"));
	CHECK(!o.cut);
	output_add(&o, STR("ef"));
	output_add(&o, STR("g"));
	CHECK(output_close(&o, &t));
	CHECK_STR(read_kept(&a, dir), STR("abcd"));
	CHECK_STR(tell_kept(&b, &t), STR("{\"stdout\":{\"sha256\":\"7d1a54127b222502f5b79b5fb0803061152a44f92b37e23c6527baf665d4da9a\","
					 "\"size\":7,\"terminal\":false,\"cut\":true}}"));
	buf_free(&b);
	arena_free(&a);
	close(dir);
}

TEST(a_file_that_cannot_be_written_is_a_failure_and_the_digest_goes_on)
{
	struct output_tally t;
	struct output o;
	struct err err;
	int dir = open_dir();

	CHECK(output_open(&o, dir, &err));
	close(o.fd);
	o.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	output_add(&o, STR("abc"));
	CHECK_INT(o.failure.kind, ERR_IO);
	output_add(&o, STR("d"));
	CHECK(!output_close(&o, &t)); /* and another file has its name */
	CHECK(t.cut);
	CHECK_INT(t.size, 4);
	close(dir);
}

TEST(a_terminal_and_nothing_at_all_are_told)
{
	struct output_tally terminal = { .terminal = true };
	struct buf b;

	buf_init(&b);
	CHECK_STR(tell_kept(&b, NULL), STR("{\"stdout\":null}"));
	CHECK_STR(tell_kept(&b, &terminal), STR("{\"stdout\":{\"sha256\":null,\"size\":null,\"terminal\":true}}"));
	buf_free(&b);
}
