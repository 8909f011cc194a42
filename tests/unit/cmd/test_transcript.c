/* Transcripts: every format with content gives one, no line is too wide, and nothing acts on the terminal. */
#include "cmd/transcript.h"

#include "base/utf8.h"
#include "json/json.h"
#include "said.h"

static struct str print(const char *path, struct transcript_options o, bool *done, struct err *err)
{
	struct frame f = { .out = { .width = 80, .height = 24 } };
	struct arena a;
	struct said s;

	*err = (struct err){ .kind = ERR_NONE };
	arena_init(&a);
	o.jobs = 1;
	catch(&s);
	*done = transcript_show(&a, &f, str_from(path), &o, err);
	caught(&s);
	arena_free(&a);
	return s.out;
}

static const char *const logs[] = {
	"tests/data/claude-code/session.jsonl", "tests/data/claude-code/main.jsonl", "tests/data/conversation/anthropic.jsonl",
	"tests/data/trajectory/convert.jsonl",  "tests/data/atif/subagents.json",    "tests/data/openai-chat/stream.sse",
	"tests/data/inspect/log.json",
};

TEST(a_log_with_content_has_a_transcript_that_fits_the_screen)
{
	for (size_t i = 0; i < COUNT(logs); i++) {
		struct err err;
		bool done;
		struct str left = print(logs[i], (struct transcript_options){ 0 }, &done, &err);

		test_case("%s: %s", logs[i], err.text);
		CHECK(done && left.n > 20 && !memchr(left.p, '\x1b', left.n));
		while (left.n) {
			struct str line = str_cut(left, '\n', &left);

			if (utf8_width(line) > 80 && memchr(line.p, ' ', line.n))
				FAIL("%zu columns: %.*s", utf8_width(line), STR_ARG(line));
		}
	}
}

TEST(the_document_is_json_and_so_is_every_line)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });

	for (size_t i = 0; i < COUNT(logs); i++) {
		struct err err;
		bool done;
		struct str left = print(logs[i], (struct transcript_options){ .form = TRANSCRIPT_JSON }, &done, &err);
		struct val v;
		size_t entries, lines = 0;

		test_case("%s", logs[i]);
		CHECK(done && json_parse_copy(p, left, &v, NULL));
		entries = val_count(val_get(v, STR("entries")));
		left = print(logs[i], (struct transcript_options){ .form = TRANSCRIPT_JSONL }, &done, &err);
		while (left.n) {
			CHECK(json_parse_copy(p, str_cut(left, '\n', &left), &v, NULL));
			lines++;
		}
		CHECK(entries && entries == lines);
	}
	json_parser_close(p);
}

TEST(one_run_of_several_and_none_that_is_not_there)
{
	struct err err;
	bool done;
	struct str all = print("tests/data/inspect/log.json", (struct transcript_options){ 0 }, &done, &err);
	struct str one = print("tests/data/inspect/log.json", (struct transcript_options){ .run = 1 }, &done, &err);

	CHECK(done && one.n && one.n < all.n && str_starts(all, one));
	print("tests/data/inspect/log.json", (struct transcript_options){ .run = 7 }, &done, &err);
	CHECK(!done && err.kind == ERR_USAGE);
}

TEST(a_trace_has_no_transcript)
{
	struct err err;
	bool done;

	print("tests/data/show/full.jsonl", (struct transcript_options){ 0 }, &done, &err);
	CHECK(!done && err.kind == ERR_DATA && strstr(err.text, "--content"));
	print("tests/no such file", (struct transcript_options){ 0 }, &done, &err);
	CHECK(!done && err.kind == ERR_IO);
}

TEST(the_content_of_a_run_is_found_beside_its_trace)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(transcript_find(&a, STR("tests/data/bench/run")), STR("tests/data/bench/run/agent-trace.jsonl"));
	CHECK_STR(transcript_find(&a, STR("tests/data/show/full.jsonl")), STR("tests/data/show/full.jsonl"));
	CHECK_STR(transcript_find(&a, STR("tests/data")), STR("tests/data"));
	arena_free(&a);
}
