/*
 * A cassette made of bytes: it is loaded or refused with a sentence, what is loaded lies in order inside of its bounds,
 * and loading it again gives the same.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "replay/tape.h"

static void check_line(const struct tape *t, const struct tape_line *l)
{
	FUZZ_CHECK(tape_find(t, l->x) == l && l->begun_us >= 0 && l->begun_us <= l->ended_us && l->number > 1);
	if (l->lane == TAPE_MODEL || l->lane == TAPE_MCP_HTTP)
		for (size_t i = 0; i < l->http.chunk_count; i++)
			FUZZ_CHECK(l->http.chunks[i].offset <= l->http.answer.bytes.n);
	if (l->lane == TAPE_SHELL)
		FUZZ_CHECK(l->command.argc > 0 && (l->command.exit < 0) != (l->command.signal < 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { .kind = ERR_NONE };
	struct tape t, again;
	struct arena a;
	bool good;

	arena_init(&a);
	good = tape_load_memory(&a, STR("fuzz"), str_of(data, size), &t, &err);
	FUZZ_CHECK(good || (err.kind == ERR_DATA && str_has(str_from(err.text), STR(ERR_HELP))));
	FUZZ_CHECK(tape_load_memory(&a, STR("fuzz"), str_of(data, size), &again, &err) == good);
	for (size_t i = 0; good && i < t.count; i++) {
		FUZZ_CHECK(i == 0 || t.lines[i - 1].x < t.lines[i].x);
		check_line(&t, &t.lines[i]);
	}
	FUZZ_CHECK(!good || (t.count == again.count && str_eq(t.sha256, again.sha256)));
	arena_free(&a);
	return 0;
}
