#include "cmd/bench/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd/bench/run.h"
#include "harness/test.h"
#include "provider/mock_script.h"

static struct arena arena;

static struct str place(void)
{
	arena_init(&arena);
	return str_from(test_dir());
}

static struct str put(struct str dir, const char *name, const char *text)
{
	struct str path = ARENA_JOIN(&arena, dir, STR("/"), str_from(name));
	struct err err = { .kind = ERR_NONE };

	if (!file_replace(path, str_from(text), 0600, &err))
		FAIL("%s", err.text);
	return path;
}

static void clear(struct str dir)
{
	char line[128];

	snprintf(line, sizeof(line), "rm -rf %.*s", STR_ARG(dir));
	if (system(line) != 0)
		FAIL("cannot remove it");
	arena_free(&arena);
}

static struct opt_list list_of(const char *const *words, size_t count)
{
	struct opt_list l = { .items = arena_array(&arena, struct str, count), .count = count };

	for (size_t i = 0; i < count; i++)
		l.items[i] = str_from(words[i]);
	return l;
}

#define LIST(...) list_of((const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static bool providers(struct bench_who *w, struct provider_options **out, struct err *err)
{
	struct target *targets;
	size_t count;

	return bench_args_targets(&arena, w, &targets, &count, err) && bench_args_providers(&arena, w, targets, count, out, NULL, err);
}

TEST(a_pair_has_a_name_and_a_value_perhaps_an_empty_one)
{
	struct str name, value;

	CHECK(bench_args_pair(STR("a=b=c"), &name, &value));
	CHECK_STR(name, STR("a"));
	CHECK_STR(value, STR("b=c"));
	CHECK(bench_args_pair(STR("a="), &name, &value));
	CHECK_STR(value, STR(""));
	CHECK(!bench_args_pair(STR("a"), &name, &value));
	CHECK(!bench_args_pair(STR("=b"), &name, &value));
	CHECK(!bench_args_pair(STR(""), &name, &value));
}

TEST(each_target_gets_the_address_the_key_and_the_headers_meant_for_it)
{
	struct str dir = place();
	struct err err = { .kind = ERR_NONE };
	struct provider_options *o;
	struct bench_who w = { .targets = LIST("mock:a", "openai_responses:b"), .bases = LIST("openai_responses=http://h/v1") };
	char key[160];

	snprintf(key, sizeof(key), "openai_responses=%s", put(dir, "key", "  k-1\n").p);
	w.key_files = LIST(key);
	w.header_file = put(dir, "headers", "# mine\n\nX-Team:  research \r\nX-Empty:\n");
	w.mock_script = put(dir, "script", "{\"schema\":\"trackway.mock/1\",\"rules\":[{\"reply\":{\"text\":\"x\"}}]}");
	if (!providers(&w, &o, &err))
		FAIL("%s", err.text);
	CHECK(!o[0].base.p && !o[0].key.p && o[0].script && o[0].script->count == 1);
	CHECK_STR(o[1].base, STR("http://h/v1"));
	CHECK_STR(o[1].key, STR("k-1"));
	CHECK_INT(o[1].header_count, 2);
	CHECK_STR(o[1].headers[0].name, STR("X-Team"));
	CHECK_STR(o[1].headers[0].value, STR("research"));
	CHECK_STR(o[1].headers[1].value, STR(""));
	clear(dir);
}

TEST(files_that_are_wrong_are_told_without_what_is_in_them)
{
	static const struct {
		const char *key, *headers, *script, *says;
	} cases[] = {
		{ "two\nlines sk-secret", "", "", "not one line" },
		{ " \n", "", "", "holds no key" },
		{ "k", "no colon here\n", "", "headers:1:" },
		{ "k", "\n\nBad Name: x\n", "", "headers:3:" },
		{ "k", "X: a\x01" "b\n", "", "headers:1:" },
		{ "k", "", "{\"rules\":3}", "--mock-script" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str dir = place();
		struct err err = { .kind = ERR_NONE };
		struct bench_who w = { .targets = LIST("mock:a") };
		struct provider_options *o;
		char key[160];

		test_case("%s", cases[i].says);
		snprintf(key, sizeof(key), "mock=%s", put(dir, "key", cases[i].key).p);
		w.key_files = LIST(key);
		w.header_file = put(dir, "headers", cases[i].headers);
		if (cases[i].script[0])
			w.mock_script = put(dir, "script", cases[i].script);
		CHECK(!providers(&w, &o, &err));
		CHECK(strstr(err.text, cases[i].says) != NULL);
		CHECK(strstr(err.text, "sk-secret") == NULL);
		clear(dir);
	}
}

TEST(an_id_is_made_of_the_time_and_is_no_directory_that_is_there)
{
	struct str dir = place(), first, second;
	struct err err = { .kind = ERR_NONE };

	CHECK(bench_args_run_id(&arena, str_of(NULL, 0), dir, &first, &err));
	CHECK_INT(first.n, strlen("20260501_120000"));
	CHECK(mkdir(ARENA_JOIN(&arena, dir, STR("/"), first).p, 0700) == 0);
	CHECK(bench_args_run_id(&arena, str_of(NULL, 0), dir, &second, &err));
	CHECK(!str_eq(first, second));
	clear(dir);
}

TEST(ids_that_are_no_names_are_refused)
{
	static const char *const bad[] = { "", ".", "..", ".x", "a/b", "a b", "a\nb", "\xC3\xA9" };
	struct str dir = place(), id;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = { .kind = ERR_NONE };

		test_case("%s", bad[i]);
		CHECK(!bench_args_run_id(&arena, str_from(bad[i]), dir, &id, &err));
		CHECK_INT(err.kind, ERR_USAGE);
	}
	clear(dir);
}

TEST(a_run_is_found_by_its_directory_a_file_in_it_or_its_id)
{
	struct str dir = place(), run = ARENA_JOIN(&arena, dir, STR("/r1")), got;
	struct err err = { .kind = ERR_NONE };

	CHECK(mkdir(run.p, 0700) == 0);
	CHECK(bench_args_find_run(&arena, run, dir, &got, &err));
	CHECK_STR(got, run);
	CHECK(bench_args_find_run(&arena, put(run, "results.jsonl", ""), dir, &got, &err));
	CHECK_STR(got, run);
	CHECK(bench_args_find_run(&arena, STR("r1"), dir, &got, &err));
	CHECK_STR(got, run);
	CHECK(!bench_args_find_run(&arena, STR("r2"), dir, &got, &err));
	CHECK_INT(err.kind, ERR_IO);
	clear(dir);
}

TEST(a_temperature_is_a_number_that_is_not_negative)
{
	struct bench_how h = { .temperature = STR("0.7") };
	struct err err = { .kind = ERR_NONE };
	double t;

	CHECK(bench_args_temperature(&h, &t, &err) && t == 0.7);
	h.temperature = str_of(NULL, 0);
	CHECK(bench_args_temperature(&h, &t, &err) && t < 0);
	h.temperature = STR("-1");
	CHECK(!bench_args_temperature(&h, &t, &err));
	h.temperature = STR("1x");
	CHECK(!bench_args_temperature(&h, &t, &err));
}

TEST(an_option_about_a_provider_that_is_none_is_refused)
{
	struct str dir = place();
	struct err err = { .kind = ERR_NONE };
	struct bench_who w = { .targets = LIST("mock:a"), .bases = LIST("nobody=http://h") };
	struct provider_options *o;

	CHECK(!providers(&w, &o, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	w.bases = LIST("mock=");
	CHECK(!providers(&w, &o, &err));
	w.bases.count = 0;
	w.targets.count = 0;
	CHECK(!providers(&w, &o, &err));
	CHECK(strstr(err.text, "no --target given") != NULL);
	clear(dir);
}
