#include <signal.h>

#include "base/stop.h"
#include "harness/test.h"
#include "source/raw.h"
#include "unit/source/feed.h"

static const struct memory_file files[] = {
	{ { "p", 1 }, { "0123456789", 10 } },
	{ { "short", 5 }, { "ab", 2 } },
	{ { "none", 4 }, { "", 0 } },
};

static struct feed feed;
static struct source_io io;

static struct raw open_raw(const char *path)
{
	struct err err;
	struct raw r;

	io = feed_io(&feed, files, 3);
	CHECK(raw_open(&r, &io, str_from(path), &err));
	return r;
}

TEST(what_was_peeked_is_read_again_in_any_size)
{
	for (size_t size = 1; size <= 11; size++) {
		struct raw r = open_raw("p");
		struct str head;
		struct err err;
		char all[32] = "";
		size_t n = 0, got;

		CHECK(raw_peek(&r, &head, &err));
		CHECK_STR(head, STR("0123"));
		CHECK_INT(r.given, 0);
		while (raw_read(&r, all + n, size, &got, &err) == NEXT_MORE) {
			CHECK(got >= 1 && got <= size);
			n += got;
			CHECK_INT(r.given, n);
		}
		CHECK_STR(str_of(all, n), STR("0123456789"));
		CHECK_INT(r.taken, 10);
		raw_close(&r);
		CHECK_INT(feed.closes, size);
	}
}

TEST(a_peek_gathers_short_reads_and_takes_less_at_the_end)
{
	struct raw r;
	struct str head;
	struct err err;

	feed.cut = FEED_PIECES, feed.size = 1;
	r = open_raw("p");
	CHECK(raw_peek(&r, &head, &err));
	CHECK_STR(head, STR("0123"));
	r = open_raw("short");
	CHECK(raw_peek(&r, &head, &err));
	CHECK_STR(head, STR("ab"));
	r = open_raw("none");
	CHECK(raw_peek(&r, &head, &err));
	CHECK_STR(head, STR(""));
}

TEST(an_interrupted_call_is_made_again)
{
	struct raw r;
	struct err err;
	char got[16];
	size_t n;

	feed.fail_read = 1, feed.fail_open = 1, feed.why = EINTR;
	r = open_raw("p");
	CHECK_INT(feed.opens, 2);
	CHECK_INT(raw_read(&r, got, 16, &n, &err), NEXT_MORE);
	CHECK_INT(n, 10);
	CHECK_INT(feed.reads, 2);
}

TEST(an_interrupted_call_is_not_made_again_when_the_user_wants_to_stop)
{
	struct raw r;
	struct err err;
	char got[16];
	size_t n;

	feed.fail_read = 2, feed.why = EINTR, feed.cut = FEED_PIECES, feed.size = 6;
	r = open_raw("p");
	CHECK_INT(raw_read(&r, got, 16, &n, &err), NEXT_MORE);
	signal(SIGINT, SIG_DFL); /* a test run in the background has it ignored */
	stop_install();
	raise(SIGINT);
	CHECK_INT(raw_read(&r, got, 16, &n, &err), NEXT_FAIL);
	CHECK_STR(str_from(err.text), STR("p: interrupted at byte 6"));
	feed.opens = 0, feed.fail_open = 1;
	CHECK(!raw_open(&r, &io, STR("p"), &err));
	CHECK_STR(str_from(err.text), STR("p: interrupted at byte 0"));
}

TEST(failures_say_what_and_where)
{
	struct raw r;
	struct err err;
	char got[16];
	size_t n;

	feed.fail_read = 2, feed.why = EIO, feed.cut = FEED_PIECES, feed.size = 6;
	r = open_raw("p");
	CHECK_INT(raw_read(&r, got, 16, &n, &err), NEXT_MORE);
	CHECK_INT(raw_read(&r, got, 16, &n, &err), NEXT_FAIL);
	CHECK_INT(n, 0);
	CHECK_STR(str_from(err.text), STR("p: cannot read at byte 6: Input/output error"));
	CHECK_INT(err.kind, ERR_IO);
	feed.opens = 0, feed.fail_open = 1, feed.why = EACCES;
	CHECK(!raw_open(&r, &io, STR("p"), &err));
	CHECK_STR(str_from(err.text), STR("p: cannot open: Permission denied"));
	feed.opens = 0, feed.why = ENXIO;
	CHECK(!raw_open(&r, &io, STR("p"), &err));
	CHECK_STR(str_from(err.text), STR("p: cannot open, expected a file or a pipe and found a socket or an absent "
					  "device: No such device or address"));
}

TEST(the_end_is_final_though_the_file_grows)
{
	struct memory_file growing = { { "g", 1 }, { "one\ntwo\n", 4 } };
	struct memory m = { .files = &growing, .count = 1 };
	struct source_io table = memory_io(&m);
	struct raw r;
	struct err err;
	char got[16];
	size_t n;

	CHECK(raw_open(&r, &table, STR("g"), &err));
	CHECK_INT(raw_read(&r, got, 16, &n, &err), NEXT_MORE);
	CHECK_INT(raw_read(&r, got, 16, &n, &err), NEXT_END);
	growing.bytes.n = 8;
	CHECK_INT(raw_read(&r, got, 16, &n, &err), NEXT_END);
	CHECK(raw_is_ready(&r));
}

TEST(a_file_read_to_its_end_may_be_gone_by_then)
{
	struct memory_file file = { { "g", 1 }, { "one\n", 4 } };
	struct memory m = { .files = &file, .count = 1 };
	struct source_io table = memory_io(&m);
	struct raw r;
	struct err err;
	char got[16];
	size_t n;

	CHECK(raw_open(&r, &table, STR("g"), &err));
	CHECK_INT(raw_read(&r, got, 16, &n, &err), NEXT_MORE);
	m.count = 0;
	CHECK_INT(raw_read(&r, got, 16, &n, &err), NEXT_END);
}

TEST(a_file_that_shrinks_is_an_error)
{
	struct memory_file shrinking = { { "s", 1 }, { "one\ntwo\n", 8 } };
	struct memory m = { .files = &shrinking, .count = 1 };
	struct source_io table = memory_io(&m);
	struct raw r;
	struct err err;
	char got[16];
	size_t n;

	CHECK(raw_open(&r, &table, STR("s"), &err));
	CHECK_INT(raw_read(&r, got, 3, &n, &err), NEXT_MORE);
	shrinking.bytes.n = 3;
	CHECK_INT(raw_read(&r, got, 3, &n, &err), NEXT_FAIL);
	CHECK_STR(str_from(err.text), STR("s: the file became shorter while it was read: it had 8 bytes when it was "
					  "opened and ended after 3"));
}

/* As files under /sys do. */
TEST(a_file_that_promised_too_much_is_not)
{
	struct memory_file boasting = { { "s", 1 }, { "one\n", 4 } };
	struct memory m = { .files = &boasting, .count = 1 };
	struct source_io table = memory_io(&m);
	struct raw r;
	struct err err;
	char got[16];
	size_t n;

	CHECK(raw_open(&r, &table, STR("s"), &err));
	m.at = 2;
	CHECK_INT(raw_read(&r, got, 16, &n, &err), NEXT_MORE);
	CHECK_INT(n, 2);
	CHECK_INT(raw_read(&r, got, 16, &n, &err), NEXT_END);
}

TEST(only_a_stream_can_keep_us_waiting)
{
	struct raw r;
	struct str head;
	struct err err;

	feed.seed = 3; /* the feed says it is not ready */
	r = open_raw("p");
	CHECK(raw_is_ready(&r));
	feed.is_stream = true;
	r = open_raw("p");
	CHECK(!raw_is_ready(&r));
	CHECK(raw_peek(&r, &head, &err));
	CHECK(raw_is_ready(&r)); /* for what was peeked */
}

TEST(standard_input_is_named_in_words_and_never_closed)
{
	struct memory_file in = { { "-", 1 }, { "x", 1 } };
	struct raw r;
	struct err err;
	char got[4];
	size_t n;

	CHECK_STR(raw_title(STR("-")), STR("standard input"));
	CHECK_STR(raw_title(STR("./-")), STR("./-"));
	io = feed_io(&feed, &in, 1);
	feed.fail_read = 1, feed.why = EIO;
	CHECK(raw_open(&r, &io, STR("-"), &err));
	CHECK_INT(raw_read(&r, got, 4, &n, &err), NEXT_FAIL);
	CHECK_STR(str_from(err.text), STR("standard input: cannot read at byte 0: Input/output error"));
	raw_close(&r);
	CHECK_INT(feed.closes, 0);
}
