/* Events of hooks as JSON, and the sightings that a reader makes of them, as lines. */
#ifndef UNIT_DIALECT_HOOK_TOLD_H
#define UNIT_DIALECT_HOOK_TOLD_H

#include "dialect/sighting/hook.h"
#include "dialect/sighting/sighting_line.h"
#include "harness/test.h"

#define TOLD_NS INT64_C(5000000000)

struct told_case {
	const char *event, *lines; /* lines without {"v":"sighting/1", and with ' for " */
};

static inline struct str told_quotes(struct arena *a, const char *text)
{
	char *copy = (char *)(uintptr_t)arena_copy(a, str_from(text)).p;

	for (char *c = copy; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	return str_from(copy);
}

static inline void told_check(const struct told_case *cases, size_t count,
			      size_t (*read)(struct arena *a, struct val told, int64_t ns,
					     struct sighting out[HOOK_SIGHTINGS]))
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < count; i++) {
		struct sighting seen[HOOK_SIGHTINGS];
		struct buf out, bare;
		struct val told;
		size_t n;

		test_case("%s", cases[i].event);
		CHECK(json_parse_copy(p, told_quotes(&a, cases[i].event), &told, NULL));
		n = read(&a, told, TOLD_NS, seen);
		CHECK(n <= HOOK_SIGHTINGS);
		buf_init(&out);
		buf_init(&bare);
		for (size_t k = 0; k < n; k++) {
			struct str head = STR("{\"v\":\"sighting/1\",");

			buf_clear(&out);
			sighting_line_add(&out, &seen[k]);
			CHECK(str_starts(buf_str(&out), head));
			buf_add_str(&bare, str_skip(buf_str(&out), head.n));
		}
		CHECK_STR(buf_str(&bare), told_quotes(&a, cases[i].lines));
		buf_free(&out);
		buf_free(&bare);
	}
	arena_free(&a);
	json_parser_close(p);
}

#endif
