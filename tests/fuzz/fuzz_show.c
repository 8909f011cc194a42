/*
 * A trace as `trackway show` reads it. The first byte picks the number of rows and the width of the screen. Chunks of any
 * size must give the same answers, the JSON must be JSON, and nothing that a terminal would act on may be in the text.
 */
#include "cmd/show.h"
#include "fuzz.h"
#include "json/json.h"
#include "source/memory.h"

struct answer {
	struct arena arena;
	struct buf text, json;
};

static void answer(struct answer *a, struct str trace, unsigned choice, size_t chunk)
{
	struct memory_file file = { STR("t.jsonl"), trace };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);
	struct source_options how = { .shape = SOURCE_LINES, .io = &io, .chunk_size = chunk };
	struct profile_flow f = { .jobs = 1, .permissive = choice & 1, .row_limit = choice & 2 ? SIZE_MAX : 3 };
	const struct term term = { .width = 20 + (choice >> 2) * 3, .height = 24 };
	struct err err = { .kind = ERR_NONE };
	struct profile p;
	struct show s;

	arena_init(&a->arena);
	buf_init(&a->text);
	buf_init(&a->json);
	f.from = source_open(&a->arena, &file.path, 1, how, &err);
	FUZZ_CHECK(f.from != NULL);
	if (profile_run(&a->arena, &f, &p, &err)) {
		s = (struct show){ .arena = &a->arena, .term = &term, .path = file.path, .profile = &p };
		show_add_text(&a->text, &s);
		show_add_plain(&a->text, &s);
		show_add_json(&a->json, &s, (struct opt_maybe){ .given = true });
	}
	profile_free(&p);
	source_close(f.from);
}

static void forget(struct answer *a)
{
	buf_free(&a->text);
	buf_free(&a->json);
	arena_free(&a->arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str trace = size ? str_of(data + 1, size - 1) : STR("");
	unsigned choice = size ? data[0] : 0;
	struct answer whole, cut;

	answer(&whole, trace, choice, 0);
	answer(&cut, trace, choice, 1);
	FUZZ_CHECK(str_eq(buf_str(&whole.text), buf_str(&cut.text)) && str_eq(buf_str(&whole.json), buf_str(&cut.json)));
	for (size_t i = 0; i < whole.text.n; i++)
		FUZZ_CHECK((unsigned char)whole.text.p[i] >= 0x20 || strchr("\n\t", whole.text.p[i]));
	if (whole.json.n) {
		struct json_parser *p = json_parser_open((struct json_options){ 0 });
		struct val v;

		FUZZ_CHECK(json_parse_copy(p, buf_str(&whole.json), &v, NULL));
		json_parser_close(p);
	}
	forget(&whole);
	forget(&cut);
	return 0;
}
