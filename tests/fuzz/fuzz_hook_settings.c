/*
 * Settings of agents, which anybody may have written: hooks put in and taken out again leave the text as it was, or the
 * text is refused. The first byte chooses the agent.
 */
#include "fuzz/fuzz.h"

#include "capture/agents/hooks.h"
#include "json/json.h"

#define PROGRAM STR("/opt/trackway")

/* Lists and objects without anything are not told apart from those that our last entry left. */
static bool is_kept(const struct hooks_agent *h, struct val root)
{
	struct val hooks = val_get(root, STR("hooks"));
	struct val_iter it = val_begin(hooks);
	struct val key, list;

	if (h->versioned && !val_has(root, STR("version")))
		return false;
	if (val_is_none(hooks))
		return val_count(root) > 0;
	if (val_count(hooks) == 0)
		return false;
	while (val_next_member(&it, &key, &list))
		if (val_is(list, JSON_ARRAY) && val_count(list) == 0)
			return false;
	return true;
}

static void check_settings(struct arena *a, const struct hooks_agent *h, struct str text)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_bom = true, .max_depth = 128 });
	struct hooks_change in, again, out, none;
	struct err err;
	struct val root;

	if (hooks_install(a, h, text, PROGRAM, &in, &err)) {
		FUZZ_CHECK(json_parse_copy(p, in.text, &root, NULL));
		FUZZ_CHECK(hooks_install(a, h, in.text, PROGRAM, &again, &err));
		FUZZ_CHECK(again.added + again.updated + again.removed == 0 && str_eq(again.text, in.text));
		FUZZ_CHECK(hooks_remove(a, h, in.text, &out, &err));
		FUZZ_CHECK(out.removed >= in.added);
		FUZZ_CHECK(hooks_remove(a, h, text, &none, &err));
		if (none.removed == 0 && json_parse_copy(p, text, &root, NULL) && is_kept(h, root))
			FUZZ_CHECK(str_eq(out.text, text));
	} else {
		FUZZ_CHECK(err.kind == ERR_DATA && err.text[0]);
	}
	if (hooks_remove(a, h, text, &out, &err) && out.removed) {
		FUZZ_CHECK(json_parse_copy(p, out.text, &root, NULL));
		FUZZ_CHECK(hooks_remove(a, h, out.text, &none, &err) && none.removed == 0);
	}
	json_parser_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;

	if (size == 0 || size > 4096)
		return 0;
	arena_init(&a);
	check_settings(&a, &hooks_agents[data[0] & 1], arena_copy(&a, str_of(data + 1, size - 1)));
	arena_free(&a);
	return 0;
}
