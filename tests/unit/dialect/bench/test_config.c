#include <stdio.h>

#include "dialect/bench/rules.h"
#include "dialect/formats.h"
#include "unit/dialect/bench_feed.h"

static const struct bench_case cases[] = {
	{ "BR002", "BR002", NULL },
	{ "BR003", "BR003", NULL },
	{ "BR004", "BR004", "" },
	{ "BR005", "BR005", "" },
	{ "BR005_prompt", "BR005", "/prompts/0" },
	{ "BR006", "BR006", "/stream" },
	{ "BR006_element", "BR006", "/command/0" },
	{ "BR007", "BR007", "/prompts/1/name" },
	{ "BR008", "BR008", "/targets/1/thinking_level" },
	{ "BR009", "BR009", "/timeout_ms" },
	{ "BR039", "BR039", "/schema" },
	{ "BR040", "BR040", "/created_at" },
	{ "BR041", "BR041", "/targets/0/provider" },
	{ "BR042", "BR042", "/suite_digest" },
	{ "BR042_suite", "BR042", "/suites/0/sha256" },
	{ "BR042_prices", "BR042", "/price_table" },
	{ "BR043", "BR043", "/run_id" },
	{ "BR043_dot", "BR043", "/run_id" },
	{ "BR043_blank", "BR043", "/run_id" },
	{ "BR043_long", "BR043", "/run_id" },
	{ "BR044", "BR044", "/targets/1/tag" },
	{ "BR045", "BR045", "/targets/2" },
	{ "BR046", "BR046", "/prompts/1/id" },
	{ "BR047", "BR047", "/prompts" },
	{ "BR047_targets", "BR047", "/targets" },
	{ "BR048", "BR048", "/repeat" },
	{ "BR049", "BR049", "/concurrency" },
	{ "BR049_zero", "BR049", "/concurrency" },
	{ "BR050", "BR050", "/detector" },
	{ "BR051", "BR051", "/targets/1/base" },
};

static struct str text_of(const char *name)
{
	return bench_text(name, "config.json");
}

TEST(every_rule_is_broken_by_its_file_and_no_other_is)
{
	bench_check(&bench_config_dialect, "config.json", cases, COUNT(cases));
}

TEST(a_good_configuration_has_no_finding_in_any_mode)
{
	for (int mode = MODE_DEFAULT; mode <= MODE_PERMISSIVE; mode++)
		CHECK_STR(codes_of(feed(&bench_config_dialect, text_of("valid"), (enum check_mode)mode, 0)), STR(""));
}

/* The good one with `was` replaced. */
static struct str changed(const char *was, const char *is)
{
	struct str text = text_of("valid"), old = str_from(was), new = str_from(is);
	size_t at = str_find(text, old);
	char *out = test_alloc(text.n + new.n);

	CHECK(at != (size_t)-1);
	memcpy(out, text.p, at);
	memcpy(out + at, new.p, new.n);
	memcpy(out + at + new.n, text.p + at + old.n, text.n - at - old.n);
	return str_of(out, text.n - old.n + new.n);
}

#define KEY "ghp_" "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"

TEST(a_key_is_found_wherever_it_stands_and_not_shown)
{
	static const struct {
		const char *was, *is;
	} places[] = {
		{ "\"run\",", "\"" KEY "\"," },
		{ "Say yes.", KEY },
		{ "Oslo", KEY },
		{ "\"city\"", "\"" KEY "\"" },
	};

	for (size_t i = 0; i < COUNT(places); i++) {
		struct outcome *o = feed(&bench_config_dialect, changed(places[i].was, places[i].is), MODE_DEFAULT, 0);

		test_case("%s", places[i].was);
		CHECK_STR(codes_of(o), STR("BR051"));
		CHECK(str_find(o->findings.kept[0].excerpt, STR(KEY)) == (size_t)-1);
		CHECK(str_find(o->findings.kept[0].message, STR(KEY)) == (size_t)-1);
	}
}

TEST(a_configuration_is_known_by_its_schema_alone)
{
	static const struct {
		const char *text;
		bool fits;
	} texts[] = {
		{ "{\"schema\":\"trackway.bench-config/1\"}", true },
		{ "{\"schema\":\"trackway.bench-config/2\",\"run_id\":\"a\"}", true },
		{ "{\"schema\":\"trackway.bench-inventory/1\"}", false },
		{ "{\"schema\":\"other.bench-config/1\"}", false },
		{ "{\"run_id\":\"a\",\"suites\":[],\"prompts\":[],\"targets\":[],\"repeat\":1}", false },
		{ "{\"architectures\":[\"LlamaForCausalLM\"],\"hidden_size\":4096}", false },
		{ "{\"schema\":{}}", false },
		{ "[]", false },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct val v;

		test_case("%s", texts[i].text);
		CHECK(json_parse_copy(p, str_from(texts[i].text), &v, NULL));
		CHECK_INT(bench_config_dialect.fits(v) > 0, texts[i].fits);
	}
	json_parser_close(p);
}
