/* For tests of what judges answers: a text read as JSON, with somewhere to tell its problems. */
#ifndef UNIT_BENCH_JUDGING_H
#define UNIT_BENCH_JUDGING_H

#include "bench/validate/validator.h"
#include "harness/test.h"

struct judging {
	struct arena arena;
	struct json_parser *parser;
	struct findings findings;
	struct problems problems;
};

static inline struct val judging_read(struct judging *j, const char *text)
{
	struct json_issue issue;
	struct val v;

	arena_init(&j->arena);
	findings_init(&j->findings, &j->arena, 0);
	j->parser = json_parser_open((struct json_options){ .max_depth = 0 });
	if (!json_parse_copy(j->parser, str_from(text), &v, &issue))
		FAIL("%s: %s", text, issue.message);
	j->problems = (struct problems){ .list = &j->findings, .text = str_from(text), .root = v };
	return v;
}

static inline void judging_free(struct judging *j)
{
	json_parser_close(j->parser);
	arena_free(&j->arena);
}

/* "BS004 /a BS007 " and so on: codes and pointers of what was told, in order. */
static inline struct str judging_told(struct judging *j)
{
	struct str told = STR("");

	for (size_t i = 0; i < j->findings.kept_count; i++)
		told = arena_printf(&j->arena, "%.*s%s %.*s;", STR_ARG(told), j->findings.kept[i].code,
				    STR_ARG(j->findings.kept[i].pointer));
	return told;
}

#endif
