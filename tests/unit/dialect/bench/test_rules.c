#include "dialect/bench/rules.h"

#include "harness/test.h"
#include "json/json.h"

TEST(a_file_of_a_benchmark_names_its_schema)
{
	static const struct { const char *json; int fit; } cases[] = {
		{ "{\"schema\":\"trackway.bench-config/1\"}", 100 }, { "{\"schema\":\"trackway.bench-config/9\"}", 100 },
		{ "{\"schema\":\"trackway.bench-inventory/1\"}", 0 }, { "{\"schema\":1}", 0 }, { "{}", 0 }, { "[]", 0 },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct val v;

		CHECK(json_parse_copy(p, str_from(cases[i].json), &v, NULL));
		CHECK_INT(bench_schema_fits(v, STR("trackway.bench-config/")), cases[i].fit);
	}
	json_parser_close(p);
}
