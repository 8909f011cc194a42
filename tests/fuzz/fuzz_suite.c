/*
 * Any text as a suite, with a table and variables: every problem has a place inside the file, prompts that were taken are
 * whole, and read back from their canonical form they are the same suite. The bytes up to the first NUL are the table, of
 * the kind that the first of them says.
 */
#include "fuzz/fuzz.h"

#include "base/buf.h"
#include "bench/suite/suite.h"

static void check_files(const struct suite *s, const struct suite_text *texts)
{
	uint64_t errors = 0;

	for (size_t i = 0; i < s->file_count; i++) {
		const struct findings *f = &s->files[i].findings;

		errors += f->errors;
		for (size_t k = 0; k < f->kept_count; k++) {
			FUZZ_CHECK(f->kept[k].message.n > 0);
			FUZZ_CHECK(f->kept[k].at.offset <= texts[i].text.n);
		}
	}
	FUZZ_CHECK(errors == s->errors);
}

static void check_again(const struct suite *s)
{
	struct suite_text again = { STR("again.json"), STR("") };
	struct suite_options o = { .allow_commands = true };
	struct digest first = suite_digest(s), second;
	struct suite_var vars[1] = { { STR("x"), STR("{{x}}") } };
	struct suite other;
	struct arena a;
	struct buf text;

	arena_init(&a);
	buf_init(&text);
	for (size_t i = 0; i < s->count; i++) {
		buf_add_byte(&text, i ? ',' : '[');
		buf_add_str(&text, s->prompts[i].canonical);
		FUZZ_CHECK(s->prompts[i].validator && s->prompts[i].id.n && s->prompts[i].prompt.n);
	}
	buf_add_byte(&text, ']');
	again.text = buf_str(&text);
	o.vars = vars;
	suite_parse(&other, &a, &again, 1, NULL, &o);
	/* A value may look like another variable: then the copy cannot be read as a suite of its own. */
	if (other.errors == 0 && other.count == s->count) {
		second = suite_digest(&other);
		FUZZ_CHECK(memcmp(&first, &second, sizeof(first)) == 0);
	}
	buf_free(&text);
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t head = nul ? (size_t)(nul - data) : 0;
	struct suite_text texts[2] = { { STR("t.csv"), STR("") }, { STR("s.json"), STR("") } };
	struct suite_var vars[2] = { { STR("x"), STR("a\"b") }, { STR("y"), STR("{{x}}\n") } };
	struct suite_options o = { .vars = vars, .var_count = 2, .allow_commands = true, .finding_limit = 20 };
	struct suite s;
	struct arena a;

	arena_init(&a);
	if (nul && head > 0 && data[0] == 'J')
		texts[0].name = STR("t.jsonl");
	texts[0].text = nul && head > 0 ? str_of(data + 1, head - 1) : STR("");
	texts[1].text = nul ? str_of(nul + 1, size - head - 1) : str_of(data, size);
	suite_parse(&s, &a, &texts[1], 1, nul ? &texts[0] : NULL, &o);
	check_files(&s, nul ? texts : texts + 1);
	if (s.errors == 0)
		check_again(&s);
	arena_free(&a);
	return 0;
}
