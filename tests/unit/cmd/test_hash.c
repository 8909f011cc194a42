/* The output and the check of `trackway hash`; its options are tested in tests/cli/hash. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/hash_check.h"
#include "cmd/hash_output.h"
#include "harness/test.h"
#include "unit/cmd/said.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static const struct frame loud = { .err = { .width = 80 } };

static struct digest digest_of(uint8_t byte)
{
	struct digest d;

	memset(d.b, byte, sizeof(d.b));
	return d;
}

static struct otutl_run run_of(uint8_t byte)
{
	return (struct otutl_run){
		.records = 3,
		.complete = true,
		.hashed = true,
		.has_behavior = true,
		.run_hash = digest_of(byte),
		.run_root = digest_of(byte),
		.behavior_hash = digest_of(byte),
		.canonical_file = digest_of(byte),
	};
}

struct fixture {
	struct arena arena;
	struct findings findings;
	struct otutl_run runs[2];
	struct digest_input log, value;
	struct hash_output output;
};

static void fixture_init(struct fixture *x, bool json)
{
	*x = (struct fixture){ .output = { .frame = &loud, .json = { .given = json } } };
	arena_init(&x->arena);
	findings_init(&x->findings, &x->arena, 0);
	x->runs[0] = run_of(0xaa);
	x->runs[1] = run_of(0xbb);
	x->log = (struct digest_input){
		.name = STR("r.jsonl"),
		.format = DIGEST_OTUTL,
		.runs = x->runs,
		.run_count = 1,
		.records = 3,
		.findings = &x->findings,
	};
	x->value = (struct digest_input){
		.name = STR("v.json"),
		.records = 1,
		.has_sha256 = true,
		.sha256 = digest_of(0xbb),
		.findings = &x->findings,
	};
	hash_output_init(&x->output);
}

TEST(a_log_has_four_lines_and_a_value_one)
{
	struct fixture x;
	struct said s;

	fixture_init(&x, false);
	catch(&s);
	hash_output_add(&x.output, &x.log);
	hash_output_add(&x.output, &x.value);
	x.log.run_count = 2;
	x.runs[0].hashed = false;
	x.runs[1].has_behavior = false;
	x.output.lossy = true;
	hash_output_add(&x.output, &x.log);
	hash_output_show_progress(&x.output, NULL); /* too early to be due */
	caught(&s);
	CHECK_STR(s.out, STR("otutl-v1:sha256:" A64 "  r.jsonl\n"
			     "rfc6962-sha256:" A64 "  r.jsonl\n"
			     "bh-v1:sha256:" A64 "  r.jsonl\n"
			     "canonical_file_sha256:" A64 "  r.jsonl\n"
			     "jcs-sha256:" B64 "  v.json\n"
			     "otutl-v1-lossy:sha256:" B64 "  r.jsonl#2\n"
			     "rfc6962-sha256:" B64 "  r.jsonl#2\n"
			     "canonical_file_sha256:" B64 "  r.jsonl#2\n"));
	CHECK_INT(s.err.n, 0);
	CHECK_INT(hash_output_end(&x.output), EXIT_YES);
	arena_free(&x.arena);
}

TEST(as_json_it_is_one_document)
{
	struct fixture x;
	struct said s;
	int status;

	fixture_init(&x, true);
	x.output.json.value = STR("path,sha256,run_hash,complete,runs,error");
	catch(&s);
	hash_output_add(&x.output, &x.log);
	hash_output_add(&x.output, &x.value);
	x.log.run_count = 2;
	hash_output_add(&x.output, &x.log);
	hash_output_add_failure(&x.output, STR("gone"), &(struct err){ .kind = ERR_IO, .text = "gone: not there" });
	status = hash_output_end(&x.output);
	caught(&s);
	CHECK_INT(status, EXIT_CANNOT);
	CHECK_STR(s.out,
		  STR("{\"schema\":\"trackway.hash/1\",\"files\":["
		      "{\"path\":\"r.jsonl\",\"run_hash\":\"" A64 "\",\"complete\":true},"
		      "{\"path\":\"v.json\",\"sha256\":\"" B64 "\"},"
		      "{\"path\":\"r.jsonl\",\"runs\":[{\"first_line\":0,\"run_hash\":\"" A64 "\",\"complete\":true},"
		      "{\"first_line\":0,\"run_hash\":\"" B64 "\",\"complete\":true}]},"
		      "{\"path\":\"gone\",\"error\":\"gone: not there\"}]}\n"));
	CHECK(str_starts(s.err, STR("error: gone: not there")));
	arena_free(&x.arena);
}

TEST(findings_decide_the_exit_status)
{
	struct finding f = { .code = "W_BLANK", .severity = SEV_WARNING, .at = { 1, 1, 0 }, .message = STR("empty") };
	struct fixture x;
	struct said s;

	fixture_init(&x, false);
	catch(&s);
	findings_add(&x.findings, &f);
	hash_output_add(&x.output, &x.log);
	caught(&s);
	CHECK(str_find(s.err, STR("W_BLANK")) != (size_t)-1);
	CHECK(!x.output.refused);
	f.code = "E_BOM";
	f.severity = SEV_ERROR;
	catch(&s);
	findings_add(&x.findings, &f);
	hash_output_add(&x.output, &x.log);
	hash_output_say(&x.output, "%s", "a\033b");
	caught(&s);
	CHECK(str_ends(s.err, STR("a\\x1bb\n")));
	CHECK_INT(hash_output_end(&x.output), EXIT_NO);
	arena_free(&x.arena);
}

/* Loads lines of checksums from a file. */
static bool load(struct hash_check *c, struct arena *a, struct str text, struct err *err)
{
	char path[] = "/tmp/test-sums-XXXXXX";
	int fd = mkstemp(path);
	bool done;

	CHECK(fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n);
	close(fd);
	done = hash_check_load(c, a, str_from(path), err);
	unlink(path);
	return done;
}

TEST(lines_about_one_file_are_checked_together)
{
	static const struct {
		const char *lines;
		bool matches;
	} cases[] = {
		{ "otutl-v1:sha256:" A64 "  r.jsonl\n", true },
		{ "otutl-v1:sha256:" A64 "  r.jsonl\r\nrfc6962-sha256:" A64 "  r.jsonl\n", true },
		{ "bh-v1:sha256:" A64 "  r.jsonl\n# a remark\n\ncanonical_file_sha256:" A64 "  r.jsonl", true },
		{ A64 "  r.jsonl\n", true },
		{ "otutl-v1:sha256:" A64 "  r.jsonl#1\n", true },
		{ "otutl-v1:sha256:" A64 "  r.jsonl\nbh-v1:sha256:" B64 "  r.jsonl\n", false },
		{ "bh-v1:sha256:" B64 "  r.jsonl\notutl-v1:sha256:" A64 "  r.jsonl\n", false },
		{ "otutl-v1-lossy:sha256:" A64 "  r.jsonl\n", false },
		{ "jcs-sha256:" A64 "  r.jsonl\n", false },
		{ "sha256:" A64 "  r.jsonl\n", false },
		{ "otutl-v1:sha256:" A64 "  r.jsonl#2\n", false },
		{ "otutl-v1:sha256:" A64 "  other.jsonl\n", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture x;
		struct hash_check c;
		struct err err;
		struct said s;

		test_case("%s", cases[i].lines);
		fixture_init(&x, false);
		CHECK(load(&c, &x.arena, str_from(cases[i].lines), &err));
		CHECK_INT(c.path_count, 1);
		catch(&s);
		hash_check_part(&c, &x.output, &x.log);
		caught(&s);
		CHECK_STR(s.out, cases[i].matches ? STR("r.jsonl: OK\n") : STR("r.jsonl: FAILED\n"));
		CHECK_INT(s.err.n == 0, cases[i].matches);
		CHECK_INT(hash_output_end(&x.output), cases[i].matches ? EXIT_YES : EXIT_NO);
		arena_free(&x.arena);
	}
}

TEST(a_file_with_several_runs_needs_their_numbers)
{
	struct fixture x;
	struct hash_check c;
	struct err err;
	struct said s;

	fixture_init(&x, false);
	x.log.run_count = 2;
	CHECK(load(&c, &x.arena, STR("otutl-v1:sha256:" A64 "  r.jsonl#1\notutl-v1:sha256:" B64 "  r.jsonl#2\n"), &err));
	catch(&s);
	hash_check_part(&c, &x.output, &x.log);
	caught(&s);
	CHECK_STR(s.out, STR("r.jsonl: OK\n"));
	CHECK(load(&c, &x.arena, STR("otutl-v1:sha256:" A64 "  r.jsonl\n"), &err));
	catch(&s);
	hash_check_part(&c, &x.output, &x.log);
	caught(&s);
	CHECK_STR(s.out, STR("r.jsonl: FAILED\n"));
	CHECK_INT(hash_output_end(&x.output), EXIT_NO);
	arena_free(&x.arena);
}

TEST(a_check_as_json_has_a_verdict_for_each_file)
{
	struct fixture x;
	struct hash_check c;
	struct err err;
	struct said s;

	fixture_init(&x, true);
	x.output.json.value = STR("path,check");
	CHECK(load(&c, &x.arena, STR(B64 "  v.json\n"), &err));
	catch(&s);
	hash_check_part(&c, &x.output, &x.value);
	hash_output_add_check(&x.output, &x.log, false);
	hash_output_end(&x.output);
	caught(&s);
	CHECK_STR(s.out, STR("{\"schema\":\"trackway.hash/1\",\"files\":[{\"path\":\"v.json\",\"check\":\"ok\"},"
			     "{\"path\":\"r.jsonl\",\"check\":\"failed\"}]}\n"));
	arena_free(&x.arena);
}

TEST(lines_that_are_no_checksums_are_a_no_and_a_file_without_any_an_error)
{
	struct fixture x;
	struct hash_check c;
	struct err err = { .kind = ERR_NONE };
	struct said s;

	fixture_init(&x, false);
	CHECK(load(&c, &x.arena, STR(B64 "  v.json\nhello\n"), &err));
	CHECK_INT(c.malformed, 1);
	catch(&s);
	hash_check_part(&c, &x.output, &x.value);
	hash_check_end(&c, &x.output);
	caught(&s);
	CHECK(str_find(s.err, STR("1 line ")) != (size_t)-1);
	CHECK_INT(hash_output_end(&x.output), EXIT_NO);
	CHECK(!load(&c, &x.arena, STR("hello\n"), &err));
	CHECK_INT(err.kind, ERR_DATA);
	CHECK(!hash_check_load(&c, &x.arena, STR("/nowhere/at/all"), &err));
	arena_free(&x.arena);
}
