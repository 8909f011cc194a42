#include "cmd/watch_output.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/frame/command.h"
#include "harness/test.h"

TEST(what_nobody_knows_is_null)
{
	struct figures f = { .ttft_p50 = NAN, .ttft_p99 = NAN, .stall_ratio = NAN };
	struct tail t = { .passes = 1 };
	struct buf out;

	buf_init(&out);
	watch_output_add_json(&out, &f, &t, (struct opt_maybe){ .given = true });
	CHECK_STR(buf_str(&out),
		  STR("{\"schema\":\"trackway.watch/1\",\"at\":\"1970-01-01T00:00:00.000Z\",\"window_seconds\":300,\"events\":0,"
		      "\"model_calls\":0,\"tool_calls\":0,\"nodes\":{\"model_call\":0,\"tool_call\":0,\"branch\":0,\"retry\":0,"
		      "\"user_input\":0,\"system\":0},\"ttft_seconds\":{\"count\":0,\"p50\":null,\"p99\":null},"
		      "\"tool_stall_ratio\":null,\"files\":{\"followed\":0,\"refused\":0,\"left_out\":0},"
		      "\"lines_skipped\":{\"damaged\":0,\"long\":0,\"version\":0,\"ahead\":0,\"full\":0}}\n"));
	buf_free(&out);
}

TEST(fields_can_be_selected)
{
	for (size_t i = 0; watch_fields[i]; i++) {
		struct opt_maybe one = { .given = true, .value = str_from(watch_fields[i]) };
		struct figures f = { .events = 7 };
		struct tail t = { .passes = 1 };
		struct buf out;

		test_case("%s", watch_fields[i]);
		buf_init(&out);
		watch_output_add_json(&out, &f, &t, one);
		for (size_t k = 0; watch_fields[k]; k++) {
			char name[40];

			CHECK_INT(snprintf(name, sizeof(name), "\"%s\":", watch_fields[k]) > 0, 1);
			CHECK_INT(str_has(buf_str(&out), str_from(name)), i == k);
		}
		buf_free(&out);
	}
}

/* What the passes say on standard error, each byte of `passes` one: f a failure, l files left out, w a full window. */
static struct str warnings(const char *passes, bool quiet)
{
	const struct frame frame = { .quiet = quiet };
	struct watch_warned warned = { .failure = false };
	char *text = test_alloc(4096), path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/err", test_dir());
	fd = open(path, O_RDWR | O_CREAT, 0600);
	CHECK(fd >= 0 && dup2(fd, STDERR_FILENO) == STDERR_FILENO);
	for (const char *p = passes; *p; p++) {
		struct tail t = { .left_out = *p == 'l' };

		if (*p == 'f')
			err_set(&t.failure, ERR_IO, "runs: gone");
		t.lines.skipped[SKIP_FULL] = *p == 'w';
		watch_output_warn(&frame, &t, &warned);
	}
	fflush(stderr);
	CHECK(pread(fd, text, 4095, 0) >= 0);
	return str_from(text);
}

TEST(a_warning_is_printed_once)
{
	CHECK_STR(warnings("..", false), STR(""));
	CHECK_STR(warnings("ff.f", false), STR("warning: runs: gone\n"));
	CHECK_INT(str_count(warnings("flwflw", false), '\n'), 3);
	CHECK(str_has(warnings("l", false), STR("16384 files")));
	CHECK(str_has(warnings("w", false), STR("524288 events in 300 seconds")));
	CHECK_STR(warnings("flw", true), STR(""));
}
