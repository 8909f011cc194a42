#include "flow/run_times.h"

#include "harness/convert.h"
#include "harness/test.h"

static struct arena arena;

#define LOG(ts) "{\"type\":\"run_start\",\"seq\":0,\"run_id\":\"018bcfe5-6800-7000-8000-000000000000\",\"ts\":\"" ts "\"}\n" \
	"{\"type\":\"model_step\",\"seq\":1,\"run_id\":\"018bcfe5-6800-7000-8000-000000000000\",\"ts\":\"" ts "\",\"step_id\":\"s\"," \
	"\"latency_ms\":1500}\n" \
	"{\"type\":\"run_end\",\"seq\":2,\"run_id\":\"018bcfe5-6800-7000-8000-000000000000\",\"ts\":\"" ts "\",\"status\":\"success\"}\n"
#define NO_TIME "1970-01-01T00:00:00.000Z"

static struct converted to_spans(struct str text, bool no_start)
{
	return convert_with(&arena, text, (struct convert_how){ .from = "otutl", .to = "otlp-json", .no_start = no_start });
}

TEST(a_run_without_times_is_refused_and_says_what_helps)
{
	struct converted c;

	arena_init(&arena);
	c = to_spans(STR(LOG(NO_TIME)), true);
	CHECK(!c.done || c.out.n == 0);
	c = to_spans(STR(LOG("2026-01-02T03:04:05.000Z")), true);
	CHECK(c.done && c.out.n > 0);
	CHECK(!str_has(c.out, STR("laid_out")));
	arena_free(&arena);
}

TEST(a_run_without_times_is_laid_out_as_long_as_it_took)
{
	struct converted c;
	struct str back;

	arena_init(&arena);
	c = to_spans(STR(LOG(NO_TIME)), false);
	CHECK(c.done);
	CHECK(str_has(c.out, STR("\"startTimeUnixNano\":\"1769860800000000000\",\"endTimeUnixNano\":\"1769860801500000000\"")));
	CHECK(str_has(c.out, STR("\"traceId\":\"018bcfe5680070008000000000000000\"")));
	CHECK(str_has(c.out, STR("laid_out")));
	back = convert_text(&arena, "otlp-json", c.out, "otutl");
	CHECK(!str_has(back, STR("\"ts\":\"2026")));
	arena_free(&arena);
}

TEST(a_run_with_times_keeps_them)
{
	struct converted c;

	arena_init(&arena);
	c = to_spans(STR(LOG("2026-01-02T03:04:05.000Z")), false);
	CHECK(str_has(c.out, STR("\"endTimeUnixNano\":\"1767323045000000000\"")));
	CHECK(!str_has(c.out, STR("laid_out")));
	arena_free(&arena);
}
