/*
 * Any text as a script of the mock server: refused with a sentence, or taken, and then every API answers by it; without
 * faults what it answers is valid.
 */
#include "fuzz/fuzz_mock.h"

static bool has_fault(const struct mock_script *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->rules[i].fault.cuts || s->rules[i].fault.bad_json)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct str bodies[] = {
		{ "{\"model\":\"m\",\"stream\":true,\"input\":\"x\",\"prompt\":\"x\","
		  "\"messages\":[{\"role\":\"user\",\"content\":\"x y\"}]}", 97 },
		{ "{\"model\":\"m\",\"stream\":false,\"input\":\"x\",\"prompt\":\"x\","
		  "\"messages\":[{\"role\":\"tool\",\"content\":\"x\"}]}", 96 },
	};
	struct json_options strict = { .max_depth = 0 };
	struct err err = { .kind = ERR_NONE };
	struct mock_script s;
	struct json_parser *p;
	struct mock_maker m;
	struct arena a;
	struct buf out;

	arena_init(&a);
	if (!mock_script_parse(&a, str_of(data, size), STR("s.json"), &s, &err)) {
		FUZZ_CHECK(err.kind == ERR_DATA && err.text[0]);
		arena_free(&a);
		return 0;
	}
	p = json_parser_open(strict);
	buf_init(&out);
	mock_maker_init(&m, &s);
	for (size_t i = 0; i < FUZZ_MOCK_PATHS; i++)
		for (size_t k = 0; k < 2; k++)
			fuzz_mock_ask(&m, p, fuzz_mock_paths[i], bodies[k], !has_fault(&s), &out);
	mock_maker_free(&m);
	buf_free(&out);
	json_parser_close(p);
	arena_free(&a);
	return 0;
}
