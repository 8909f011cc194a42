#include "cmd/screen/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/test.h"

#define MS UINT64_C(1000000)

/* A progress line whose output can be read back from a pipe. */
struct probe {
	struct progress p;
	int ends[2];
	char text[5000];
};

static void probe_init(struct probe *b, bool is_terminal, bool quiet)
{
	struct frame f = { .err = { .is_terminal = is_terminal, .width = 20 }, .quiet = quiet };

	CHECK(pipe2(b->ends, O_NONBLOCK) == 0);
	progress_init(&b->p, &f, b->ends[1], 1000 * MS);
}

static struct str written(struct probe *b)
{
	ssize_t n = read(b->ends[0], b->text, sizeof(b->text));

	return str_of(b->text, n > 0 ? (size_t)n : 0);
}

TEST(a_live_line_appears_after_half_a_second_and_ten_times_a_second)
{
	struct probe b;

	setenv("TERM", "xterm", 1);
	probe_init(&b, true, false);
	CHECK(!progress_is_due(&b.p, 1499 * MS));
	progress_show(&b.p, STR("too early"), 1499 * MS);
	CHECK_STR(written(&b), STR(""));
	CHECK(progress_is_due(&b.p, 1500 * MS));
	progress_show(&b.p, STR("37/164"), 1500 * MS);
	CHECK_STR(written(&b), STR("\r37/164\033[K"));
	progress_show(&b.p, STR("38/164"), 1599 * MS);
	CHECK_STR(written(&b), STR(""));
	progress_show(&b.p, STR("39/164"), 1600 * MS);
	CHECK_STR(written(&b), STR("\r39/164\033[K"));
	progress_erase(&b.p);
	CHECK_STR(written(&b), STR("\r\033[K"));
	progress_erase(&b.p);
	CHECK_STR(written(&b), STR(""));
}

TEST(a_line_is_cut_to_the_terminal_and_made_safe)
{
	struct probe b;

	setenv("TERM", "xterm", 1);
	probe_init(&b, true, false);
	progress_show(&b.p, STR("0123456789abcdefghijklmnop"), 2000 * MS);
	CHECK_STR(written(&b), STR("\r0123456789abcdefghi\033[K"));
	progress_show(&b.p, STR("日本語日本語日本語日本語"), 3000 * MS);
	CHECK_STR(written(&b), STR("\r日本語日本語日本語\033[K"));
	progress_show(&b.p, STR("a\033[2Jb"), 4000 * MS);
	CHECK_STR(written(&b), STR("\ra\\x1b[2Jb\033[K"));
}

TEST(elsewhere_a_plain_line_is_written_every_thirty_seconds)
{
	for (int dumb = 0; dumb < 2; dumb++) {
		struct probe b;

		setenv("TERM", dumb ? "dumb" : "xterm", 1);
		probe_init(&b, dumb, false);
		progress_show(&b.p, STR("too early"), 30999 * MS);
		CHECK_STR(written(&b), STR(""));
		progress_show(&b.p, STR("0123456789abcdefghijklmnop"), 31000 * MS);
		CHECK_STR(written(&b), STR("0123456789abcdefghijklmnop\n"));
		progress_show(&b.p, STR("too early"), 60999 * MS);
		CHECK_STR(written(&b), STR(""));
		progress_show(&b.p, STR("next"), 61000 * MS);
		CHECK_STR(written(&b), STR("next\n"));
		progress_erase(&b.p);
		CHECK_STR(written(&b), STR(""));
	}
}

TEST(quiet_shows_nothing)
{
	struct probe b;

	setenv("TERM", "xterm", 1);
	probe_init(&b, true, true);
	CHECK(!progress_is_due(&b.p, UINT64_MAX));
	progress_show(&b.p, STR("x"), UINT64_MAX);
	progress_erase(&b.p);
	CHECK_STR(written(&b), STR(""));
}

TEST(a_place_that_cannot_be_written_is_no_reason_to_fail)
{
	struct probe b;

	setenv("TERM", "xterm", 1);
	probe_init(&b, true, false);
	close(b.ends[1]);
	progress_show(&b.p, STR("x"), 2000 * MS);
	progress_erase(&b.p);
}
