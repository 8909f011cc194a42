#include "bench/run/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

static struct str write_file(struct arena *a, struct str text)
{
	struct err err = { .kind = ERR_NONE };
	const char *dir = getenv("TMPDIR");
	struct str path = arena_printf(a, "%s/config-%d.json", dir ? dir : "/tmp", (int)getpid());

	if (!file_replace(path, text, 0600, &err))
		FAIL("%s", err.text);
	return path;
}

static struct config sample(struct arena *a)
{
	static const struct str command[] = { { "trackway", 8 }, { "bench", 5 }, { "run", 3 } };
	static const struct config_suite suites[] = { { { "s.json", 6 }, { "00ff", 4 } } };
	static const struct str tags[] = { { "easy", 4 } };
	static const struct suite_var vars[] = { { { "who", 3 }, { "Ana", 3 } } };
	static const struct config_header headers[] = { { { "X-Team", 6 }, { "11ff", 4 } } };
	struct suite_prompt *p = arena_new(a, struct suite_prompt);
	struct target *t = arena_array(a, struct target, 2);
	struct str *bases = arena_array(a, struct str, 2);
	struct err err = { .kind = ERR_NONE };

	*p = (struct suite_prompt){ .id = STR("P0"), .name = STR("n"), .prompt = STR("say \"x\""),
				    .canonical = STR("{\"id\":\"P0\",\"name\":\"n\",\"prompt\":\"say \\\"x\\\"\","
						     "\"validator\":{\"type\":\"noop\"}}") };
	CHECK(target_parse(a, STR("mock:echo"), &t[0], &err));
	CHECK(target_parse(a, STR("openai_responses:gpt-5@high"), &t[1], &err));
	bases[0] = STR("builtin");
	bases[1] = STR("http://127.0.0.1:1/v1");
	return (struct config){
		.run_id = STR("r1"), .created_at = STR("2026-05-01T12:00:00.000Z"), .version = STR("0.1.0"),
		.command = command, .command_count = 3, .suites = suites, .suite_count = 1, .suite_digest = STR("abcd"),
		.prompts = p, .prompt_count = 1, .targets = t, .bases = bases, .target_count = 2, .repeat = 3,
		.timeout_ms = 1000, .retries = 2, .retry_delay_ms = 10, .stream = true, .temperature = -1,
		.max_tokens = 500, .system = STR("be brief"), .detector = DETECT_REFERENCE, .seed = 7, .warmup = 1,
		.budget_usd = 2.5, .price_table = STR("sha256:00"), .allow_commands = true, .sandbox = STR("bubblewrap"),
		.tags = tags, .tag_count = 1, .vars = vars, .var_count = 1, .allow_unreachable = true,
		.mock_script = { STR("script.json"), STR("22ff") }, .header_file = STR("headers"), .headers = headers,
		.header_count = 1, .prices = STR("prices.tsv"),
	};
}

static struct str written(struct arena *a, const struct config *c)
{
	struct buf out;
	struct str text;

	buf_init(&out);
	config_write(&out, c);
	text = arena_copy(a, buf_str(&out));
	buf_free(&out);
	return text;
}

TEST(a_configuration_that_was_written_is_read_as_it_was)
{
	struct err err = { .kind = ERR_NONE };
	struct config c, again;
	struct str text, path;
	struct arena a;

	arena_init(&a);
	c = sample(&a);
	text = written(&a, &c);
	path = write_file(&a, text);
	if (!config_read(&again, &a, path, &err))
		FAIL("%s", err.text);
	CHECK_INT(again.prompt_count, 1);
	CHECK_STR(again.prompts[0].prompt, STR("say \"x\""));
	CHECK_STR(again.targets[1].thinking, STR("high"));
	CHECK(!again.targets[0].thinking.p && again.targets[0].provider == c.targets[0].provider);
	CHECK_STR(again.bases[1], c.bases[1]);
	CHECK_INT(again.detector, DETECT_REFERENCE);
	CHECK(again.temperature < 0 && again.budget_usd == 2.5);
	CHECK(again.allow_unreachable && again.knows_files);
	CHECK_STR(again.mock_script.sha256, STR("22ff"));
	CHECK_INT(again.header_count, 1);
	CHECK_STR(again.headers[0].name, STR("X-Team"));
	CHECK_STR(written(&a, &again), text);
	unlink(path.p);
	arena_free(&a);
}

TEST(an_older_configuration_knows_nothing_of_files_and_one_without_them_does)
{
	struct err err = { .kind = ERR_NONE };
	struct str text, path;
	struct config c, again;
	struct arena a;

	arena_init(&a);
	path = write_file(&a, STR("{\"run_id\":\"r1\"}"));
	CHECK(config_read(&again, &a, path, &err));
	CHECK(!again.knows_files && !again.mock_script.path.p && !again.header_file.p && !again.header_count);
	c = sample(&a);
	c.mock_script = (struct config_suite){ .path = { NULL, 0 } };
	c.header_file = c.prices = str_of(NULL, 0);
	text = written(&a, &c);
	CHECK(str_find(text, STR("\"mock_script\": null")) != (size_t)-1);
	CHECK(file_replace(path, text, 0600, &err) && config_read(&again, &a, path, &err));
	CHECK(again.knows_files && !again.mock_script.path.p && !again.prices.p);
	unlink(path.p);
	arena_free(&a);
}

TEST(a_limit_that_was_not_given_is_null)
{
	struct config c;
	struct str text;
	struct arena a;

	arena_init(&a);
	c = sample(&a);
	c.max_tokens = c.concurrency = 0;
	c.budget_usd = -1;
	c.system = c.sandbox = str_of(NULL, 0);
	text = written(&a, &c);
	CHECK(str_find(text, STR("\"max_tokens\": null")) != (size_t)-1);
	CHECK(str_find(text, STR("\"budget_usd\": null")) != (size_t)-1);
	CHECK(str_find(text, STR("\"system\": null")) != (size_t)-1);
	CHECK(str_find(text, STR("\"concurrency\": \"auto\"")) != (size_t)-1);
	CHECK(str_find(text, STR("rescored_from")) == (size_t)-1);
	arena_free(&a);
}

TEST(a_key_in_what_was_typed_is_not_written)
{
	static const struct str command[] = { { "trackway", 8 }, { "--var", 5 },
					      { "k=sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGh", 53 } };
	static const struct suite_var vars[] = { { { "k", 1 }, { "sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGh", 51 } } };
	struct config c;
	struct str text;
	struct arena a;

	arena_init(&a);
	c = sample(&a);
	c.command = command;
	c.vars = vars;
	text = written(&a, &c);
	CHECK(str_find(text, STR("UvWxYz0123456789")) == (size_t)-1);
	CHECK(str_find(text, STR("--var")) != (size_t)-1);
	arena_free(&a);
}

TEST(what_is_no_configuration_is_refused_with_its_path)
{
	static const char *const texts[] = { "", "[]", "{", "null", "{\"a\":1" };
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct err err = { .kind = ERR_NONE };
		struct str path = write_file(&a, str_from(texts[i]));
		struct config c;

		test_case("%s", texts[i]);
		CHECK(!config_read(&c, &a, path, &err));
		CHECK_INT(err.kind, ERR_DATA);
		CHECK(strstr(err.text, path.p) != NULL);
		unlink(path.p);
	}
	arena_free(&a);
}

TEST(members_of_other_types_are_as_if_they_were_not_there)
{
	struct err err = { .kind = ERR_NONE };
	struct config c;
	struct str path;
	struct arena a;

	arena_init(&a);
	path = write_file(&a, STR("{\"run_id\":7,\"targets\":[3,{\"provider\":\"nobody\",\"model\":[]}],\"prompts\":{},\"suites\":[null],"
				  "\"repeat\":-4,\"variables\":[],\"command\":[1,\"x\"],\"stream\":\"no\",\"temperature\":\"hot\"}"));
	CHECK(config_read(&c, &a, path, &err));
	CHECK(!c.run_id.p && c.repeat == 1 && c.prompt_count == 0 && c.stream && c.temperature < 0);
	CHECK_INT(c.target_count, 2);
	CHECK(!c.targets[0].provider && !c.targets[1].provider && !c.targets[1].model.p);
	CHECK_INT(c.command_count, 1);
	unlink(path.p);
	arena_free(&a);
}
