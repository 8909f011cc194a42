/* Reads events.jsonl once and keeps the failed tries by row and the endpoints by target. */
#include "bench/run/bench_tries.h"

#include <assert.h>

#include "bench/run/result.h"
#include "source/source.h"

#define BEGINS_MAX 1024 /* of targets: a run that is gone on with has some more */
#define TRIES_MAX 10000000u

/* A target's turn. */
struct bench_begin {
	struct str target, endpoint;
	int64_t at_ms;
};

/* A whole number that is not negative; `otherwise` when the event has none. */
static int64_t tries_number(struct val event, const char *name, int64_t otherwise)
{
	int64_t n;

	return val_i64(val_get(event, str_from(name)), &n) && n >= 0 ? n : otherwise;
}

static struct str tries_key(struct arena *a, struct str target, struct str prompt_id, int64_t repetition)
{
	return result_key(a, target, STR(""), STR(""), prompt_id, repetition);
}

size_t bench_tries_count(const struct bench_tries *t)
{
	return t->tries.n / sizeof(struct bench_try);
}

struct bench_try *bench_tries_at(const struct bench_tries *t, size_t i)
{
	assert(i == 0 || i < bench_tries_count(t)); /* the first place is also asked for to count from */
	return (struct bench_try *)(void *)t->tries.p + i;
}

/* Adds a failed try to the end of its row's chain. */
static void tries_add(struct bench_tries *t, struct val event)
{
	struct bench_try one = {
		.target = val_text_copy(val_get(event, STR("target")), t->arena),
		.prompt_id = val_text_copy(val_get(event, STR("prompt_id")), t->arena),
		.repetition = tries_number(event, "repetition", 1),
		.attempt = tries_number(event, "attempt", 1),
		.from = tries_number(event, "started_at_ms", -1),
		.to = tries_number(event, "at_ms", 0),
		.delay = tries_number(event, "delay_ms", 0),
		.is_first = true,
	};
	size_t number = bench_tries_count(t) + 1;
	struct str reason = val_text_copy(val_get(event, STR("reason")), t->arena);
	struct arena scratch;
	uint64_t *ends;
	bool added;

	if (!one.target.p || !one.prompt_id.p || number > TRIES_MAX)
		return;
	one.sent = !str_eq(reason, STR("connect_error"));
	if (one.from >= 0 && tries_number(event, "e2e_ms", -1) >= 0)
		one.to = one.from + tries_number(event, "e2e_ms", 0);
	arena_init(&scratch);
	ends = map_add(&t->rows, tries_key(&scratch, one.target, one.prompt_id, one.repetition), &added);
	arena_free(&scratch);
	if (!added) {
		one.is_first = false;
		bench_tries_at(t, (size_t)(*ends & UINT32_MAX) - 1)->next = number;
	}
	*ends = (added ? (uint64_t)number << 32 : *ends & ~(uint64_t)UINT32_MAX) | number;
	buf_add(&t->tries, &one, sizeof(one));
}

static void tries_begin(struct bench_tries *t, struct val event)
{
	struct bench_begin one = {
		.target = val_text_copy(val_get(event, STR("target")), t->arena),
		.endpoint = val_text_copy(val_get(event, STR("endpoint")), t->arena),
		.at_ms = tries_number(event, "at_ms", 0),
	};

	if (one.target.p && one.endpoint.p && t->begins.n / sizeof(one) < BEGINS_MAX)
		buf_add(&t->begins, &one, sizeof(one));
}

/* Lines that are no JSON are passed over: a run that was killed leaves half a line behind. */
static void tries_chunk(struct bench_tries *t, struct json_parser *parser, const struct chunk *c)
{
	struct json_issue issue;
	struct json_lines it;
	struct json_record line;
	enum json_line what;

	json_lines_begin(&it, parser, c->bytes, c->first_line);
	while ((what = json_lines_next(&it, &line, &issue)) != JSON_LINE_END) {
		struct val name = what == JSON_LINE_VALUE ? val_get(line.value, STR("event")) : VAL_NONE;

		if (!val_is(name, JSON_STRING))
			continue;
		if (val_text_is(name, STR("retry")))
			tries_add(t, line.value);
		else if (val_text_is(name, STR("target_begin")))
			tries_begin(t, line.value);
	}
}

void bench_tries_read(struct bench_tries *t, struct arena *a, struct str dir)
{
	struct source_options how = { .shape = SOURCE_LINES };
	struct str path = ARENA_JOIN(a, dir, STR("/events.jsonl"));
	struct json_parser *parser;
	struct source *source;
	struct chunk chunk;
	struct buf room;
	struct err err;

	*t = (struct bench_tries){ .arena = a };
	buf_init(&t->tries);
	buf_init(&t->begins);
	map_init(&t->rows, a);
	source = source_open(a, &path, 1, how, &err);
	if (!source)
		return;
	buf_init(&room);
	parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	while (source_next(source, &room, &chunk, &err) == NEXT_MORE)
		tries_chunk(t, parser, &chunk);
	json_parser_close(parser);
	buf_free(&room);
	source_close(source);
}

void bench_tries_free(struct bench_tries *t)
{
	buf_free(&t->tries);
	buf_free(&t->begins);
}

struct bench_try *bench_tries_find(const struct bench_tries *t, struct str target, struct str prompt_id,
				   int64_t repetition)
{
	struct arena scratch;
	const uint64_t *ends;

	arena_init(&scratch);
	ends = map_find(&t->rows, tries_key(&scratch, target, prompt_id, repetition));
	arena_free(&scratch);
	return ends ? bench_tries_at(t, (size_t)(*ends >> 32) - 1) : NULL;
}

struct bench_try *bench_tries_next(const struct bench_tries *t, const struct bench_try *one)
{
	return one->next ? bench_tries_at(t, one->next - 1) : NULL;
}

struct str bench_tries_endpoint(const struct bench_tries *t, struct str target, int64_t at_ms)
{
	const struct bench_begin *list = (const struct bench_begin *)(const void *)t->begins.p;
	struct str found = { NULL, 0 };

	for (size_t i = 0; i < t->begins.n / sizeof(*list); i++)
		if (str_eq(list[i].target, target) && (!found.p || list[i].at_ms <= at_ms))
			found = list[i].endpoint;
	return found;
}
