#include "flow/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/test.h"

#define PARTS 8

struct seen {
	struct arena arena;
	struct digest_input inputs[PARTS];
	struct otutl_run runs[PARTS];
	uint64_t errors[PARTS];
	size_t count, ticks;
};

static bool add_part(void *context, const struct digest_input *input, struct err *err)
{
	struct seen *s = context;

	(void)err;
	CHECK(s->count < PARTS);
	s->inputs[s->count] = *input;
	s->inputs[s->count].name = arena_copy(&s->arena, input->name);
	s->errors[s->count] = input->findings->errors;
	if (input->run_count)
		s->runs[s->count] = input->runs[0];
	s->count++;
	return true;
}

static void tick(void *context, const struct source *from)
{
	CHECK(source_bytes_read(from) > 0);
	((struct seen *)context)->ticks++;
}

static void digest_files(struct seen *s, const char *const *paths, size_t count, struct source_options how,
			 struct digest_flow f)
{
	struct str names[PARTS];
	struct err err = { .kind = ERR_NONE };

	*s = (struct seen){ .count = 0 };
	arena_init(&s->arena);
	for (size_t i = 0; i < count; i++)
		names[i] = str_from(paths[i]);
	f.input = add_part;
	f.tick = tick;
	f.context = s;
	f.from = source_open(&s->arena, names, count, how, &err);
	CHECK(f.from != NULL);
	CHECK(digest_flow_run(&f, &err));
	source_close(f.from);
}

/* A file with this text; the caller unlinks it. */
static const char *file_with(char *path, struct str text)
{
	int fd;

	strcpy(path, "/tmp/test-digest-XXXXXX.jsonl");
	fd = mkstemps(path, 6);
	CHECK(fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n);
	close(fd);
	return path;
}

static struct digest hash_of(struct str text)
{
	struct sha256 s;
	struct digest d;

	sha256_init(&s);
	d = sha256_of(&s, text);
	sha256_free(&s);
	return d;
}

static bool same(struct digest a, struct digest b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

TEST(a_part_is_known_by_what_is_in_it)
{
	static const char *const paths[] = { "tests/data/otutl/valid.jsonl", "tests/data/otutl/E_BOM.jsonl" };
	char lines[64];
	struct seen s;
	const char *all[3] = { paths[0], paths[1], file_with(lines, STR("{\"b\":1,\"a\":2}\n\n[1.0]\n")) };

	digest_files(&s, all, 3, (struct source_options){ .shape = SOURCE_AUTO }, (struct digest_flow){ .jobs = 2 });
	CHECK_INT(s.count, 3);
	CHECK_INT(s.ticks, 3);
	CHECK_INT(s.inputs[0].format, DIGEST_OTUTL);
	CHECK(s.inputs[0].run_count == 1 && s.runs[0].hashed && s.runs[0].complete);
	CHECK_INT(s.inputs[0].records, 4);
	CHECK_INT(s.inputs[1].format, DIGEST_OTUTL);
	CHECK(s.errors[1] == 2 && !s.runs[1].hashed);
	CHECK_INT(s.inputs[2].format, DIGEST_JSONL);
	CHECK(s.inputs[2].has_sha256 && same(s.inputs[2].sha256, hash_of(STR("{\"a\":2,\"b\":1}\n[1]\n"))));
	CHECK_INT(s.inputs[2].records, 2);
	arena_free(&s.arena);

	/* as one document the same is not JSON */
	digest_files(&s, all + 2, 1, (struct source_options){ .shape = SOURCE_DOCUMENT }, (struct digest_flow){ .jobs = 1 });
	CHECK_INT(s.inputs[0].format, DIGEST_JSON);
	CHECK(!s.inputs[0].has_sha256 && s.errors[0] == 1);
	arena_free(&s.arena);

	/* and a log is JSON lines to whom it may concern */
	digest_files(&s, all, 1, (struct source_options){ .shape = SOURCE_AUTO },
		     (struct digest_flow){ .jobs = 1, .values_only = true });
	CHECK_INT(s.inputs[0].format, DIGEST_JSONL);
	CHECK(s.inputs[0].has_sha256);
	arena_free(&s.arena);
	unlink(lines);
}

/* Small chunks, so that some hold nothing that looks like the log they belong to, and the other way round. */
TEST(a_chunk_belongs_to_its_part_whatever_it_looks_like)
{
	struct str log = test_data("otutl/valid.jsonl");
	struct buf mixed;
	char path[64];

	buf_init(&mixed);
	for (int i = 0; i < 200; i++)
		buf_add_str(&mixed, STR("{\"b\":1,\"a\":2}\n"));
	for (int i = 0; i < 50; i++)
		buf_add_str(&mixed, log);
	for (unsigned jobs = 1; jobs <= 3; jobs++) {
		struct seen s;
		const char *name = file_with(path, buf_str(&mixed));

		test_case("values first, %u jobs", jobs);
		digest_files(&s, &name, 1, (struct source_options){ .chunk_size = 600 }, (struct digest_flow){ .jobs = jobs });
		CHECK_INT(s.inputs[0].format, DIGEST_JSONL);
		CHECK(s.inputs[0].has_sha256);
		CHECK_INT(s.inputs[0].records, 400);
		CHECK(s.ticks > 10);
		arena_free(&s.arena);
		unlink(path);
	}
	buf_clear(&mixed);
	buf_add_str(&mixed, log);
	for (int i = 0; i < 200; i++)
		buf_add_str(&mixed, STR("{\"b\":1,\"a\":2}\n"));
	for (unsigned jobs = 1; jobs <= 3; jobs++) {
		struct seen s;
		const char *name = file_with(path, buf_str(&mixed));

		test_case("a log first, %u jobs", jobs);
		digest_files(&s, &name, 1, (struct source_options){ .chunk_size = 600 }, (struct digest_flow){ .jobs = jobs });
		CHECK_INT(s.inputs[0].format, DIGEST_OTUTL);
		CHECK(s.errors[0] >= 800); /* no type, ts, run_id, seq */
		CHECK(!s.runs[0].hashed);
		arena_free(&s.arena);
		unlink(path);
	}
	buf_free(&mixed);
}

TEST(chunks_and_threads_change_nothing)
{
	struct buf log;
	char path[64];
	const char *name;
	struct digest first = { { 0 } };

	buf_init(&log);
	for (int i = 0; i < 3000; i++)
		buf_printf(&log,
			   "{\"seq\":%d,\"type\":\"%s\",\"ts\":\"2026-05-01T12:00:00.000Z\","
			   "\"run_id\":\"019de368-f600-7000-8000-00000000000a\",\"x\":%d.50}\n",
			   i, i == 0 ? "run_start" : i == 2999 ? "run_end" : "model_step", i);
	name = file_with(path, buf_str(&log));
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		for (size_t size = 1 << 8; size <= 1 << 20; size <<= 4) {
			struct seen s;

			test_case("%u jobs, chunks of %zu", jobs, size);
			digest_files(&s, &name, 1, (struct source_options){ .chunk_size = size }, (struct digest_flow){ .jobs = jobs });
			CHECK(s.runs[0].hashed && s.runs[0].complete);
			CHECK_INT(s.runs[0].records, 3000);
			if (jobs == 1 && size == 1 << 8)
				first = s.runs[0].run_hash;
			CHECK(same(first, s.runs[0].run_hash));
			arena_free(&s.arena);
		}
	}
	unlink(path);
	buf_free(&log);
}

TEST(a_part_that_cannot_be_read_is_told_and_the_next_one_is_hashed)
{
	char longest[64];
	const char *paths[3] = { "tests/data/otutl/valid.jsonl", longest, "tests/data/otutl/valid.jsonl" };
	struct buf text;
	struct seen s;

	buf_init(&text);
	memset(buf_reserve(&text, 5000), '[', 5000);
	text.n = 5000;
	file_with(longest, buf_str(&text));
	digest_files(&s, paths, 3, (struct source_options){ .record_limit = 1000 }, (struct digest_flow){ .jobs = 2 });
	CHECK_INT(s.count, 3);
	CHECK(s.inputs[0].failure == NULL && s.inputs[1].failure != NULL && s.inputs[2].failure == NULL);
	CHECK(!s.inputs[1].has_sha256);
	CHECK(same(s.runs[0].run_hash, s.runs[2].run_hash));
	arena_free(&s.arena);
	buf_free(&text);
	unlink(longest);
}

TEST(numbers_are_strict_unless_lossy_is_asked_for)
{
	static const char *const path = "tests/data/otutl/E_NUM_UNSAFE_INT.jsonl";
	struct seen s;

	digest_files(&s, &path, 1, (struct source_options){ .shape = SOURCE_AUTO }, (struct digest_flow){ .jobs = 1 });
	CHECK(!s.runs[0].hashed);
	arena_free(&s.arena);
	digest_files(&s, &path, 1, (struct source_options){ .shape = SOURCE_AUTO },
		     (struct digest_flow){ .jobs = 1, .lossy = true });
	CHECK(s.runs[0].hashed);
	arena_free(&s.arena);
}

TEST(formats_have_names)
{
	CHECK_STR(str_from(digest_format_name(DIGEST_JSON)), STR("json"));
	CHECK_STR(str_from(digest_format_name(DIGEST_JSONL)), STR("jsonl"));
	CHECK_STR(str_from(digest_format_name(DIGEST_OTUTL)), STR("otutl"));
}
