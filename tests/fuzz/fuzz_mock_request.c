/*
 * Any body through every API of the mock server: the answer is valid JSON or a stream of it, and the same for a second
 * server. The first byte chooses between an echo and a script, and the size of the pieces.
 */
#include "fuzz/fuzz_mock.h"

static const char *const scripts[] = {
	"{\"schema\":\"trackway.mock/1\",\"rules\":[{\"reply\":{\"text\":\"a b\",\"reasoning\":\"r\",\"tool_calls\":[{\"name\":\"f\","
	"\"arguments\":{\"x\":[1,2]}},{\"name\":\"g\",\"arguments\":\"{\"},{\"name\":\"p\",\"input\":\"*\\n\"}]}}]}",
	"{\"schema\":\"trackway.mock/1\",\"rules\":[{\"pace\":{\"chunk\":1,\"ttft_ms\":1}}]}",
	"{\"schema\":\"trackway.mock/1\",\"rules\":[{\"match\":{\"contains\":\"a\",\"last\":\"b\",\"model\":\"*m*\"}},"
	"{\"match\":{\"path\":\"*e*\"},\"pace\":{\"chunk\":3}}]}",
};

static void run(const char *script, struct str body, struct buf *out)
{
	struct json_options strict = { .max_depth = 0 };
	struct json_parser *p = json_parser_open(strict);
	struct err err = { .kind = ERR_NONE };
	struct mock_script s;
	struct mock_maker m;
	struct arena a;

	arena_init(&a);
	if (script)
		FUZZ_CHECK(mock_script_parse(&a, str_from(script), STR("s"), &s, &err));
	mock_maker_init(&m, script ? &s : NULL);
	for (size_t i = 0; i < FUZZ_MOCK_PATHS; i++)
		fuzz_mock_ask(&m, p, fuzz_mock_paths[i], body, true, out);
	mock_maker_free(&m);
	json_parser_close(p);
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf first, second;
	const char *script;
	struct str body;

	if (size < 1)
		return 0;
	script = data[0] % 4 == 3 ? NULL : scripts[data[0] % 4];
	body = str_of(data + 1, size - 1);
	buf_init(&first);
	buf_init(&second);
	run(script, body, &first);
	run(script, body, &second);
	FUZZ_CHECK(str_eq(buf_str(&first), buf_str(&second)));
	buf_free(&first);
	buf_free(&second);
	return 0;
}
