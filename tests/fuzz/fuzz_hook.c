/* What hooks are told, and lines of the recorder's socket: whatever is read and written again says the same. */
#include "fuzz/fuzz.h"

#include "dialect/claude_code/hook.h"
#include "dialect/cursor/hook.h"
#include "dialect/sighting/sighting_line.h"

static struct json_parser *hook_parser(void)
{
	return json_parser_open((struct json_options){
		.allow_duplicates = true, .allow_lone = true, .allow_bom = true, .max_depth = 64 });
}

/* Written, read and written: the same line. */
static void check_again(struct arena *a, const struct sighting *s)
{
	struct json_parser *p = hook_parser();
	struct sighting back;
	struct buf line, again;
	struct val v;

	buf_init(&line);
	buf_init(&again);
	sighting_line_add(&line, s);
	FUZZ_CHECK(memchr(line.p, '\n', line.n) == line.p + line.n - 1);
	FUZZ_CHECK(json_parse_copy(p, buf_str(&line), &v, NULL));
	FUZZ_CHECK(sighting_line_read(a, v, &back));
	FUZZ_CHECK(back.kind == s->kind && back.layer == s->layer && back.begun_ns == s->begun_ns);
	sighting_line_add(&again, &back);
	FUZZ_CHECK(str_eq(buf_str(&line), buf_str(&again)));
	buf_free(&line);
	buf_free(&again);
	json_parser_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		size_t (*read)(struct arena *a, struct val told, int64_t ns, struct sighting out[HOOK_SIGHTINGS]);
	} readers[] = { { claude_hook_see }, { cursor_hook_see } };
	struct json_parser *p = hook_parser();
	struct sighting seen[HOOK_SIGHTINGS];
	struct arena a;
	struct val told;

	arena_init(&a);
	if (json_parse_copy(p, str_of(data, size), &told, NULL)) {
		for (size_t i = 0; i < COUNT(readers); i++) {
			size_t n = readers[i].read(&a, told, INT64_C(1750000000000000000), seen);

			FUZZ_CHECK(n <= HOOK_SIGHTINGS);
			for (size_t k = 0; k < n; k++)
				check_again(&a, &seen[k]);
		}
		/* the socket's lines end at a line feed, so there is none inside of one */
		if (!memchr(data, '\n', size) && sighting_line_read(&a, told, &seen[0]))
			check_again(&a, &seen[0]);
	}
	arena_free(&a);
	json_parser_close(p);
	return 0;
}
