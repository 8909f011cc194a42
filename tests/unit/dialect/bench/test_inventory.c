#include <stdio.h>

#include "dialect/bench/rules.h"
#include "dialect/formats.h"
#include "unit/dialect/bench_feed.h"

static const struct bench_case cases[] = {
	{ "BR002", "BR002", NULL },
	{ "BR004", "BR004", "" },
	{ "BR005", "BR005", "" },
	{ "BR005_error", "BR005", "/claude_version" },
	{ "BR005_list", "BR005", "/ollama_list" },
	{ "BR006", "BR006", "/tools/ollama" },
	{ "BR006_list", "BR006", "/ollama_list" },
	{ "BR006_model", "BR006", "/ollama_list/0" },
	{ "BR007", "BR007", "/ollama_list/0/name" },
	{ "BR009", "BR009", "/host/ram_bytes" },
	{ "BR039", "BR039", "/schema" },
	{ "BR040", "BR040", "/taken_at" },
};

static struct str text_of(const char *name)
{
	return bench_text(name, "inventory.json");
}

TEST(every_rule_is_broken_by_its_file_and_no_other_is)
{
	bench_check(&bench_inventory_dialect, "inventory.json", cases, COUNT(cases));
}

TEST(a_good_inventory_has_no_finding_in_any_mode)
{
	for (int mode = MODE_DEFAULT; mode <= MODE_PERMISSIVE; mode++) {
		CHECK_STR(codes_of(feed(&bench_inventory_dialect, text_of("valid"), (enum check_mode)mode, 0)), STR(""));
		CHECK_STR(codes_of(feed(&bench_inventory_dialect, text_of("valid_error"), (enum check_mode)mode, 0)), STR(""));
	}
}

TEST(a_key_in_what_a_tool_said_is_found)
{
	static const char key[] = "{\"schema\":\"trackway.bench-inventory/1\",\"taken_at\":\"2026-03-01T12:00:00Z\",\"host\":{},"
				  "\"tools\":{\"x\":\"ghp_" "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5\"},\"python_version\":\"3\","
				  "\"ollama_list\":[],\"claude_version\":\"1\"}";

	CHECK_STR(codes_of(feed(&bench_inventory_dialect, str_from(key), MODE_DEFAULT, 0)), STR("BR051"));
}

TEST(an_inventory_is_known_by_its_schema_alone)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct val v;

	CHECK(json_parse_copy(p, STR("{\"schema\":\"trackway.bench-inventory/7\"}"), &v, NULL));
	CHECK(bench_inventory_dialect.fits(v) > 0);
	CHECK(json_parse_copy(p, STR("{\"host\":{},\"tools\":{},\"ollama_list\":[]}"), &v, NULL));
	CHECK_INT(bench_inventory_dialect.fits(v), 0);
	json_parser_close(p);
}
