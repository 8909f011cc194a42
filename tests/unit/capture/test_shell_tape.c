#include "capture/shell_tape.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/test.h"
#include "unit/base/scratch.h"

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static struct shell_tape begin(struct arena *a, const char *root)
{
	static char *argv[] = { (char *)(uintptr_t) "/usr/bin/git", (char *)(uintptr_t) "a b", (char *)(uintptr_t) "\xff",
				NULL };
	struct shell_tape t;

	shell_tape_begin(&t, a, STR("git"), argv, root);
	t.id = STR("id1");
	return t;
}

TEST(a_line_has_what_was_asked_and_answered)
{
	static const struct relay_piece pieces[] = { { 0, 3, 5000000 }, { 1, 4, 7000000 }, { 0, 5, 7500000 } };
	struct shim_end end = { .status = 3 << 8, .begun_ns = 1000000, .ended_ns = 9000000, .cpu_ns = 2000000, .out = 4,
				.err = 1, .written = { .kept = STR("hi\nx\xfe"), .pieces = pieces, .piece_count = 3 } };
	struct shell_tape t;
	struct arena a;
	struct buf out;
	char dir[64];

	arena_init(&a);
	buf_init(&out);
	enter_dir(dir);
	clearenv();
	setenv("TZ", "UTC", 1);
	setenv("SECRET", "canary", 1);
	t = begin(&a, dir);
	t.stdin_sha256 = STR("ab");
	shell_tape_add(&out, &t, &end);
	CHECK_STR(buf_str(&out),
		  STR("{\"lane\":\"shell\",\"command\":\"id1\",\"parent\":null,\"req\":{\"argv\":[\"git\",\"a b\","
		      "{\"base64\":\"/w==\"}],\"cwd\":\"<ws>\",\"stdin_sha256\":\"ab\",\"env\":{\"TZ\":\"UTC\"}},"
		      "\"resp\":{\"io\":[[\"o\",\"hi\\n\",4000],[\"e\",\"x\",2000],[\"o\",{\"base64\":\"/g==\"},500]],"
		      "\"stdout_size\":4,\"stderr_size\":1,\"exit\":3,\"signal\":null},\"t_us\":1000,\"dur_us\":8000,"
		      "\"cpu_us\":2000}"));
	leave_dir(dir);
	buf_free(&out);
	arena_free(&a);
}

TEST(keys_of_the_environment_are_not_kept)
{
	static const struct relay_piece piece = { 0, 38, 0 };
	struct shim_end end = { .out = 38, .written = { .kept = STR("A_KEY=canary-key\nB=canary-key canary-k"),
							.pieces = &piece, .piece_count = 1 } };
	struct shell_tape t;
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	clearenv();
	setenv("A_KEY", "canary-key", 1);
	setenv("B_TOKEN", "short", 1);
	t = begin(&a, NULL);
	t.argv = (char *[]){ (char *)(uintptr_t) "x", (char *)(uintptr_t) "--key=canary-key", NULL };
	shell_tape_add(&out, &t, &end);
	CHECK(!str_has(buf_str(&out), STR("canary-key")) && str_has(buf_str(&out), STR("\"masked\":true}")));
	CHECK(str_has(buf_str(&out), STR("[[\"o\",\"A_KEY=**********\\nB=********** canary-k\",")));
	CHECK(str_has(buf_str(&out), STR("\"--key=**********\"")));
	buf_free(&out);
	arena_free(&a);
}

TEST(a_signal_and_what_is_not_known_are_told_apart)
{
	struct shim_end end = { .status = 9, .out = -1, .err = -1, .cpu_ns = -1, .written.cut = true };
	struct shell_tape t;
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	t = begin(&a, NULL);
	shell_tape_add(&out, &t, &end);
	CHECK(str_has(buf_str(&out), STR("\"resp\":{\"io\":[],\"stdout_size\":null,\"stderr_size\":null,\"cut\":true,"
					 "\"exit\":null,\"signal\":9}")));
	CHECK(str_has(buf_str(&out), STR("\"cpu_us\":null")));
	buf_free(&out);
	arena_free(&a);
}

TEST(directories_are_told_from_where_the_recording_began)
{
	struct arena a;

	arena_init(&a);
	CHECK(chdir("/usr/bin") == 0);
	CHECK_STR(begin(&a, "/usr").cwd, STR("<ws>/bin"));
	CHECK_STR(begin(&a, "/us").cwd, STR("/usr/bin"));
	CHECK_STR(begin(&a, "/usr/bin").cwd, STR("<ws>"));
	CHECK_STR(begin(&a, "/usr/bin/x").cwd, STR("/usr/bin"));
	CHECK_STR(begin(&a, "/").cwd, STR("/usr/bin"));
	arena_free(&a);
}

TEST(standard_input_is_looked_at_and_not_taken)
{
	char dir[64], text[8];
	struct arena a;
	int fds[2], fd;

	arena_init(&a);
	enter_dir(dir);
	fd = open("in", O_CREAT | O_RDWR, 0600);
	CHECK(write(fd, "xyzabc", 6) == 6 && lseek(fd, 3, SEEK_SET) == 3 && dup2(fd, 0) == 0);
	CHECK_STR(begin(&a, NULL).stdin_sha256, STR(ABC));
	CHECK_INT(read(0, text, sizeof(text)), 3);
	CHECK_STR(begin(&a, NULL).stdin_sha256, STR(EMPTY));
	CHECK(pipe(fds) == 0 && write(fds[1], "abc", 3) == 3 && dup2(fds[0], 0) == 0);
	CHECK(!begin(&a, NULL).stdin_sha256.p); /* more may come */
	close(fds[1]);
	CHECK_STR(begin(&a, NULL).stdin_sha256, STR(ABC));
	CHECK_INT(read(0, text, sizeof(text)), 3);
	CHECK_STR(begin(&a, NULL).stdin_sha256, STR(EMPTY));
	CHECK(dup2(open("/dev/null", O_RDONLY), 0) == 0);
	CHECK_STR(begin(&a, NULL).stdin_sha256, STR(EMPTY));
	CHECK(dup2(open("/dev/zero", O_RDONLY), 0) == 0);
	CHECK(!begin(&a, NULL).stdin_sha256.p);
	close(0);
	CHECK_STR(begin(&a, NULL).stdin_sha256, STR(EMPTY));
	leave_dir(dir);
	arena_free(&a);
}
