/* Where a transcript is found from a record, and what its reader hands over. The signals' tests have the other places. */
#include "trial/transcript.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "dialect/formats.h"
#include "harness/test.h"

#define LINE(text) "{\"step\":1,\"role\":\"assistant\",\"content\":\"" text "\"}\n"
#define HEAD "{\"version\":1,\"format\":\"aec-bench-trajectory\"}\n"

static struct str write_file(const char *dir, const char *name, const char *text)
{
	char *path = test_alloc(1024);
	FILE *f;

	snprintf(path, 1024, "%s/%s", dir, name);
	for (char *slash = path + strlen(dir) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
	return str_from(path);
}

struct taken {
	enum transcript_kind kind;
	struct buf texts; /* of answers */
};

static void take_begin(void *own, enum transcript_kind kind)
{
	((struct taken *)own)->kind = kind;
}

static void take_event(void *own, const struct event *e)
{
	if (e->kind == EVENT_STEP)
		buf_add_str(&((struct taken *)own)->texts, e->text);
}

/* What the record at `name` leads to: the text of its answers. */
static void check_found(const char *dir, const char *trajectory, const char *want)
{
	struct taken taken = { .kind = TRANSCRIPT_NONE };
	struct transcript_taker taker = { take_begin, take_event, &taken };
	struct transcript t;
	struct str record;
	char text[1000];
	struct arena a;
	struct err err;

	test_case("%s", trajectory);
	snprintf(text, sizeof(text), "{\"trial_id\":\"t\",\"experiment_id\":\"e\",\"timestamp\":\"x\",\"task\":{},\"agent\":{},"
		 "\"environment\":{},\"inputs\":{},\"timing\":{},\"outputs\":{\"trajectory_path\":\"%s\"},"
		 "\"evaluation\":{\"reward\":1},\"completeness\":\"partial\"}", trajectory);
	record = write_file(dir, "records/e/t.json", text);
	arena_init(&a);
	buf_init(&taken.texts);
	if (!transcript_load(&a, record, &(struct transcript_how){ .jobs = 1 }, &taker, &t, &err))
		FAIL("%s", err.text);
	CHECK(t.by_record && t.record.reward == 1);
	CHECK_STR(t.record.experiment_id, STR("e"));
	CHECK_STR(buf_str(&taken.texts), str_from(want));
	CHECK_INT(t.path.p != NULL, *want != '\0');
	CHECK_INT(taken.kind, *want ? TRANSCRIPT_TRAJECTORY : TRANSCRIPT_NONE);
	buf_free(&taken.texts);
	arena_free(&a);
}

TEST(what_a_ledger_sealed_with_a_record_is_its_transcript)
{
	const char *dir = test_dir();

	check_found(dir, "own/x.jsonl", "");
	write_file(dir, "artifacts/e/t/x.jsonl", HEAD LINE("by its last name"));
	check_found(dir, "own/x.jsonl", "by its last name");
	write_file(dir, "artifacts/e/t/own/x.jsonl", HEAD LINE("as it was named"));
	check_found(dir, "own/x.jsonl", "as it was named");
	write_file(dir, "artifacts/e/other/y.jsonl", HEAD LINE("of another trial"));
	check_found(dir, "y.jsonl", "");
	write_file(dir, "records/e/own/x.jsonl", HEAD LINE("beside the record"));
	check_found(dir, "own/x.jsonl", "beside the record");
}

TEST(each_format_has_its_rule_of_what_an_error_is)
{
	struct event code = { .kind = EVENT_RESULT, .exit_code = FIGURE(1) };
	struct event flag = { .kind = EVENT_RESULT, .is_error = TRUTH_TRUE };
	struct event words = { .kind = EVENT_RESULT, .content = STR("\"Error: no\"") };
	struct event denied = { .kind = EVENT_RESULT, .content = STR("\"Error: no\""), .is_error = TRUTH_FALSE };
	static const struct {
		enum transcript_kind kind;
		bool code, flag, words, denied;
	} cases[] = {
		{ TRANSCRIPT_TRAJECTORY, true, false, false, false },
		{ TRANSCRIPT_CONVERSATION, false, true, true, true },
		{ TRANSCRIPT_OTHER, true, true, true, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK_INT(transcript_is_error(cases[i].kind, &code), cases[i].code);
		CHECK_INT(transcript_is_error(cases[i].kind, &flag), cases[i].flag);
		CHECK_INT(transcript_is_error(cases[i].kind, &words), cases[i].words);
		CHECK_INT(transcript_is_error(cases[i].kind, &denied), cases[i].denied);
	}
}

TEST(an_agent_trace_is_no_transcript)
{
	CHECK_INT(transcript_kind_of(&agent_trace_dialect), TRANSCRIPT_NONE);
	CHECK_INT(transcript_kind_of(&trajectory_dialect), TRANSCRIPT_TRAJECTORY);
	CHECK_INT(transcript_kind_of(&conversation_dialect), TRANSCRIPT_CONVERSATION);
	CHECK_INT(transcript_kind_of(&otutl_dialect), TRANSCRIPT_OTHER);
}
