/* References: of which trials they are made, and that a file says the same as what was written. */
#include "trial/classify/reference.h"

#include <stdio.h>

#include "harness/test.h"

static struct str write_in(const char *dir, const char *name, const char *text)
{
	char *path = test_alloc(1024);
	FILE *f;

	snprintf(path, 1024, "%s/%s", dir, name);
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
	return str_from(path);
}

static struct str record(const char *dir, const char *name, const char *reward, const char *trajectory)
{
	char text[2000];

	snprintf(text, sizeof(text),
		 "{\"trial_id\":\"%s\",\"experiment_id\":\"e1\",\"dataset_id\":null,"
		 "\"timestamp\":\"2026-01-01T00:00:00Z\",\"task\":{\"task_id\":\"a\","
		 "\"task_revision\":\"1\"},\"agent\":{\"adapter\":\"x\",\"adapter_revision\":null,\"model\":\"m\",\"configuration\":{}},"
		 "\"environment\":{\"runtime_image\":\"i\",\"compute_backend\":\"b\",\"tool_versions\":null},\"inputs\":{\"instruction\":\"x\"},"
		 "\"outputs\":{\"trajectory_path\":\"%s\"},\"evaluation\":{\"reward\":%s,\"validity\":{\"output_parseable\":true,"
		 "\"schema_valid\":true,\"verifier_completed\":true}},\"timing\":{\"total_seconds\":1},\"completeness\":\"partial\"}",
		 name, trajectory, reward);
	return write_in(dir, name, text);
}

static struct str trajectory(const char *dir, const char *name, const char *letters)
{
	struct buf b;
	struct str path;

	buf_init(&b);
	buf_add_str(&b, STR("{\"version\":1,\"format\":\"aec-bench-trajectory\"}\n"));
	for (size_t i = 0; letters[i]; i++)
		buf_printf(&b, "{\"step\":%zu,\"role\":\"assistant\",\"content\":\"%c\"}\n", i + 1, letters[i]);
	buf_add_byte(&b, '\0');
	path = write_in(dir, name, b.p);
	buf_free(&b);
	return path;
}

static bool make(struct classify_reference *out, struct arena *a, const struct str *paths, size_t count,
		 struct err *err)
{
	static const char table[] = "execution\t1\talways\t-\t\nverification\t2\tsays\tv\t\n";
	struct rules rules;
	struct classify_how how = { .rules = &rules, .read = { .jobs = 1 } };

	CHECK(rules_parse(a, STR(table), STR("t"), &rules, err));
	return reference_make(out, a, paths, count, &how, err);
}

TEST(only_trials_with_a_full_reward_and_a_transcript_make_a_reference)
{
	const char *dir = test_dir();
	struct classify_reference r;
	struct str paths[6];
	struct arena a;
	struct err err;

	arena_init(&a);
	trajectory(dir, "a.jsonl", "eev");
	trajectory(dir, "b.jsonl", "v");
	trajectory(dir, "none.jsonl", "");
	paths[0] = record(dir, "1.json", "1.0", "a.jsonl");
	paths[1] = record(dir, "2.json", "0.99", "b.jsonl");
	paths[2] = record(dir, "3.json", "1", "gone.jsonl");
	paths[3] = write_in(dir, "4.json", "[\"not a record\"");
	paths[4] = record(dir, "5.json", "1", "none.jsonl");
	paths[5] = STR("gone.json");
	if (!make(&r, &a, paths, 6, &err))
		FAIL("%s", err.text);
	CHECK_INT(r.bonds.traces, 1);
	CHECK_INT(r.bonds.turns, 3);
	CHECK_INT(r.bonds.ideal.n, 3);
	CHECK_INT(r.passed_over, 1);
	CHECK(str_has(str_from(r.why.text), STR("no turn of a model")));
	CHECK(!make(&r, &a, paths + 1, 1, &err) && err.kind == ERR_DATA);
	arena_free(&a);
}

TEST(a_file_says_the_same_as_what_was_written)
{
	static const uint8_t one[] = { 0, 1, 0, 3, 2 }, two[] = { 1, 1, 0 };
	struct bond_sequence traces[] = { { one, 5 }, { two, 3 } };
	struct classify_reference r = { .classifier = STR("rules sha256:x") }, back;
	struct buf text, again;
	struct arena a;
	struct err err;

	arena_init(&a);
	buf_init(&text);
	buf_init(&again);
	r.bonds = bond_make_reference(&a, traces, 2);
	reference_write(&text, &r);
	CHECK(reference_is_one(buf_str(&text)));
	if (!reference_read(&back, &a, buf_str(&text), STR("r.json"), &err))
		FAIL("%s", err.text);
	CHECK(memcmp(&back.bonds.matrix, &r.bonds.matrix, sizeof(r.bonds.matrix)) == 0);
	reference_write(&again, &back);
	CHECK_STR(buf_str(&again), buf_str(&text));
	buf_free(&text);
	buf_free(&again);
	arena_free(&a);
}

#define ROWS "[[1,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]]"
#define FILE_OF(schema, traces, matrix, ideal) \
	"{\"schema\":\"" schema "\",\"classifier\":\"c\",\"traces\":" traces ",\"turns\":2,\"matrix\":" matrix \
	",\"ideal_sequence\":" ideal ",\"ideal_traces\":1}"

TEST(a_file_that_is_none_is_refused_with_its_member)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ FILE_OF("x", "1", ROWS, "[\"execution\"]"), "r: $.schema should be trackway.bonds-reference/1" },
		{ FILE_OF(REFERENCE_SCHEMA, "0", ROWS, "[\"execution\"]"), "r: $.traces should be a number above 0" },
		{ FILE_OF(REFERENCE_SCHEMA, "1", "[[1,0,0,0]]", "[\"execution\"]"),
		  "r: $.matrix should be four rows of four shares, each row at most 1 in all" },
		{ FILE_OF(REFERENCE_SCHEMA, "1", "[[1,0,0,0.1],[0,0,0,0],[0,0,0,0],[0,0,0,0]]", "[\"execution\"]"),
		  "r: $.matrix should be four rows of four shares, each row at most 1 in all" },
		{ FILE_OF(REFERENCE_SCHEMA, "1", "[[-1,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]]", "[\"execution\"]"),
		  "r: $.matrix should be four rows of four shares, each row at most 1 in all" },
		{ FILE_OF(REFERENCE_SCHEMA, "1", ROWS, "[]"), "r: $.ideal_sequence should be a list of names of bonds" },
		{ FILE_OF(REFERENCE_SCHEMA, "1", ROWS, "[\"acting\"]"),
		  "r: $.ideal_sequence should be a list of names of bonds" },
		{ FILE_OF(REFERENCE_SCHEMA, "1", ROWS, "{\"a\":1}"),
		  "r: $.ideal_sequence should be a list of names of bonds" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct classify_reference r;
		struct arena a;
		struct err err;

		arena_init(&a);
		test_case("%s", cases[i].text);
		CHECK(!reference_read(&r, &a, str_from(cases[i].text), STR("r"), &err) && err.kind == ERR_DATA);
		CHECK_STR(str_from(err.text), str_from(cases[i].want));
		arena_free(&a);
	}
}
