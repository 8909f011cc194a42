/* Files through redaction, in memory: lines, documents, events, and what cannot be read. */
#include "flow/redact.h"

#include <string.h>

#include "harness/test.h"
#include "source/memory.h"

struct redact_try {
	struct buf out;
	struct err err;
	struct redact_flow flow;
	size_t puts, ticks;
	bool full; /* the next `put` fails */
};

static bool redact_try_put(void *context, struct str bytes, struct err *err)
{
	struct redact_try *t = context;

	if (t->full)
		return err_set(err, ERR_IO, "full");
	t->puts++;
	buf_add_str(&t->out, bytes);
	return true;
}

static void redact_try_tick(void *context, const struct source *from)
{
	(void)from;
	((struct redact_try *)context)->ticks++;
}

static bool redact_try(struct redact_try *t, struct str text, size_t chunk, const uint8_t key[REDACT_KEY])
{
	struct memory_file file = { STR("t.jsonl"), text };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);
	struct source_options how = { .shape = SOURCE_CONTENT, .io = &io, .chunk_size = chunk };
	struct arena a;
	bool good;

	arena_init(&a);
	buf_clear(&t->out);
	t->err = (struct err){ .kind = ERR_NONE };
	t->puts = t->ticks = 0;
	t->flow.put = redact_try_put;
	t->flow.tick = redact_try_tick;
	t->flow.context = t;
	t->flow.records = 0;
	t->flow.limit = t->flow.limit ? t->flow.limit : SOURCE_RECORD_LIMIT;
	t->flow.from = source_open(&a, &file.path, 1, how, &t->err);
	t->flow.with = redact_open(key, REDACT_CONTENT, &t->err);
	CHECK(t->flow.from && t->flow.with);
	good = redact_flow_run(&t->flow, &t->err);
	source_close(t->flow.from);
	redact_close(t->flow.with);
	arena_free(&a);
	return good;
}

static const uint8_t one_key[REDACT_KEY] = { 1 }, another_key[REDACT_KEY] = { 2 };

TEST(lines_are_redacted_one_by_one_however_they_are_cut)
{
	struct redact_try t = { .puts = 0 };
	struct buf lines, whole;

	buf_init(&lines);
	buf_init(&whole);
	for (int i = 0; i < 50; i++)
		buf_printf(&lines, "{\"role\":\"user\",\"content\":\"plums %d\"}\n\n", i);
	CHECK(redact_try(&t, buf_str(&lines), 0, one_key));
	CHECK_INT(t.flow.records, 50);
	CHECK_INT(str_count(buf_str(&t.out), '\n'), 50);
	CHECK(!str_has(buf_str(&t.out), STR("plums")));
	CHECK(str_starts(buf_str(&t.out), STR("{\"role\":\"user\",\"content\":\"[tw:")));
	buf_add_str(&whole, buf_str(&t.out));
	CHECK(redact_try(&t, buf_str(&lines), 64, one_key));
	CHECK(t.puts > 1 && t.ticks == t.puts);
	CHECK_STR(buf_str(&t.out), buf_str(&whole));
	CHECK(redact_try(&t, buf_str(&whole), 64, one_key));
	CHECK_STR(buf_str(&t.out), buf_str(&whole));
	CHECK(redact_try(&t, buf_str(&lines), 64, another_key));
	CHECK_INT(t.out.n, whole.n);
	CHECK(!str_eq(buf_str(&t.out), buf_str(&whole)));
	buf_free(&lines);
	buf_free(&whole);
	buf_free(&t.out);
}

TEST(a_document_keeps_its_lines)
{
	struct redact_try t = { .puts = 0 };

	CHECK(redact_try(&t, STR("{\n  \"role\": \"user\",\n  \"content\": \"plums\"\n}\n"), 0, one_key));
	CHECK_INT(t.flow.records, 1);
	CHECK(str_starts(buf_str(&t.out), STR("{\n  \"role\": \"user\",\n  \"content\": \"[tw:")));
	CHECK(str_ends(buf_str(&t.out), STR("]\"\n}\n")));
	buf_free(&t.out);
}

#define EVENT(text) "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"}}]}\n\n"

TEST(a_stream_of_events_is_taken_as_a_whole_up_to_a_limit)
{
	struct str stream = STR(EVENT("har") EVENT("bour") EVENT(" plan") "data: [DONE]\n\n");
	struct redact_try t = { .puts = 0 };
	struct buf whole;

	buf_init(&whole);
	CHECK(redact_try(&t, stream, 0, one_key));
	CHECK_INT(t.flow.records, 1);
	CHECK(str_ends(buf_str(&t.out), STR("data: [DONE]\n\n")));
	CHECK(!str_has(buf_str(&t.out), STR("bour")));
	buf_add_str(&whole, buf_str(&t.out));
	CHECK(redact_try(&t, stream, 16, one_key));
	CHECK_STR(buf_str(&t.out), buf_str(&whole));
	t.flow.limit = stream.n;
	CHECK(redact_try(&t, stream, 16, one_key));
	t.flow.limit = stream.n - 1;
	CHECK(!redact_try(&t, stream, 16, one_key));
	CHECK(t.err.kind == ERR_LIMIT && t.err.advice == ADVICE_RECORD_LIMIT);
	CHECK_INT(t.out.n, 0);
	buf_free(&whole);
	buf_free(&t.out);
}

TEST(a_part_that_is_no_json_is_named_by_its_place_and_not_shown)
{
	const struct {
		struct str text;
		const char *place;
	} cases[] = {
		{ STR("{\"a\":1}\n\n{\"content\":harbour}\n"), "t.jsonl:3:12: " },
		{ STR("{\"a\":1}\n{\"content\":\"harbour"), "t.jsonl:2:" },
		{ STR("{\n\"a\": 1,\n\"b\": harbour\n}\n"), "t.jsonl:3:" },
	};
	struct redact_try t = { .puts = 0 };

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK(!redact_try(&t, cases[i].text, 0, one_key));
		CHECK(t.err.kind == ERR_DATA && strstr(t.err.text, "this is not JSON"));
		if (strncmp(t.err.text, cases[i].place, strlen(cases[i].place)) != 0)
			FAIL("%s", t.err.text);
		CHECK(!strstr(t.err.text, "harbour"));
	}
	buf_free(&t.out);
}

TEST(what_cannot_be_put_ends_it)
{
	struct redact_try t = { .full = true };
	struct buf lines;

	buf_init(&lines);
	for (int i = 0; i < 50; i++)
		buf_add_str(&lines, STR("{\"role\":\"user\",\"content\":\"plums\"}\n"));
	CHECK(!redact_try(&t, buf_str(&lines), 64, one_key));
	CHECK(t.err.kind == ERR_IO);
	CHECK_STR(str_from(t.err.text), STR("full"));
	CHECK(t.flow.records < 50);
	buf_free(&lines);
	buf_free(&t.out);
}
