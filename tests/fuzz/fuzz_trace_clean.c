/*
 * Names, ids and addresses on their way into a trace: what came out is clean, so cleaning it again changes nothing, and
 * nothing in it acts on a terminal. The first byte says how much of the address is its user's own.
 */
#include "fuzz/fuzz.h"

#include "dialect/agent_trace/clean.h"
#include "dialect/record/leak_name.h"

static void check_name(struct str (*clean)(struct str), struct str text)
{
	struct str once = clean(text);

	FUZZ_CHECK(!leak_has_controls(once));
	FUZZ_CHECK(str_eq(clean(once), once));
	FUZZ_CHECK(!leak_has_mail(once) && !leak_has_person_number(once));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size }, once;
	struct arena a;

	arena_init(&a);
	check_name(clean_model, text);
	check_name(clean_tool, text);
	check_name(clean_id, text);
	FUZZ_CHECK(!leak_looks_like_key(clean_model(text)) && !leak_has_key_run(clean_tool(text)));
	once = clean_endpoint(&a, text, 0, STR(""));
	FUZZ_CHECK(!leak_has_controls(once) && str_find(once, STR("?")) == (size_t)-1);
	FUZZ_CHECK(str_eq(clean_endpoint(&a, once, 0, STR("")), once));
	if (size > 1) {
		once = clean_endpoint(&a, str_of(text.p + 1, size - 1), data[0], STR(""));
		FUZZ_CHECK(!leak_has_controls(once) && str_find(once, STR("?")) == (size_t)-1);
	}
	arena_free(&a);
	return 0;
}
