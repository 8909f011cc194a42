/* Values replaced in a text, and all else as it stands. */
#include "trial/run/splice.h"

#include "harness/test.h"

TEST(only_the_named_values_change)
{
	static const struct splice changes[] = { { "/c/1", { "[]", 2 } }, { "/a", { "\"x\"", 3 } } };
	static const struct splice absent[] = { { "/a", { "1", 1 } }, { "/b", { "1", 1 } } };
	struct err err = { .kind = ERR_NONE };
	struct arena a;
	struct str out;

	arena_init(&a);
	CHECK(splice_values(&a, STR("{ \"a\" : 1.50,\n\"c\":[0, {\"d\":2} ] }\n"), changes, 2, &out, &err));
	CHECK_STR(out, STR("{ \"a\" : \"x\",\n\"c\":[0, [] ] }\n"));
	CHECK(splice_values(&a, STR("{}"), changes, 0, &out, &err));
	CHECK_STR(out, STR("{}"));
	CHECK(!splice_values(&a, STR("{\"a\":1}"), absent, 2, &out, &err));
	CHECK_INT(err.kind, ERR_DATA);
	CHECK(!splice_values(&a, STR("{\"a\":"), absent, 1, &out, &err));
	CHECK_STR(splice_text(&a, STR("a\"b\n")), STR("\"a\\\"b\\n\""));
	arena_free(&a);
}
