/* Settings in TOML, which anybody may have written: the search ends, and what it finds is in the text's length. */
#include "fuzz/fuzz.h"

#include "base/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct str paths[][3] = {
		{ { "a", 1 }, { "", 0 }, { "", 0 } },
		{ { "t", 1 }, { "u", 1 }, { "a", 1 } },
	};
	struct str text, found = { NULL, 0 };
	struct toml_value v, element;
	size_t elements = 0;
	struct arena a;

	arena_init(&a);
	text = arena_copy(&a, str_of(data, size));
	if (toml_find(&a, text, paths[0], 1, &found) || toml_find(&a, text, paths[1], 3, &found))
		FUZZ_CHECK(found.p && found.n < size);
	else
		FUZZ_CHECK(!found.p);
	if (toml_find_value(&a, text, paths[0], 1, &v) && v.kind == TOML_ARRAY)
		while (toml_next(&a, &v.text, &element))
			FUZZ_CHECK(++elements <= size);
	arena_free(&a);
	return 0;
}
