#include "bench/run/recorded.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

struct reading {
	struct arena a;
	struct recorded r;
	struct err err;
};

static bool parse(struct reading *x, const char *text)
{
	arena_init(&x->a);
	x->err = (struct err){ .kind = ERR_NONE };
	return recorded_parse(&x->r, &x->a, STR("t.jsonl"), str_from(text), &x->err);
}

static void end(struct reading *x)
{
	recorded_free(&x->r);
	arena_free(&x->a);
}

#define NODE(start, more) \
	"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"n\"," \
	"\"parent_node_ids\":[],\"timestamp_start\":" start ",\"timestamp_end\":" start ",\"kind\":\"model_call\"," \
	"\"framework\":\"raw_openai\",\"model_call\":{\"model\":\"m\"" more "}}\n"
#define TOOL \
	"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"n\"," \
	"\"parent_node_ids\":[],\"timestamp_start\":1,\"timestamp_end\":2,\"kind\":\"tool_call\"," \
	"\"framework\":\"raw_openai\",\"tool_call\":{\"name\":\"x\"}}\n"

TEST(model_calls_of_an_agent_trace_are_requests_in_the_order_of_their_starts)
{
	struct reading x;

	CHECK(parse(&x, NODE("1700000005.5", ",\"input_tokens\":20,\"output_tokens\":2") TOOL "\n" NODE("1700000001.25", "")
			       NODE("1700000005.5", ",\"input_tokens\":30")));
	CHECK_INT(x.r.kind, RECORDED_AGENT_TRACE);
	CHECK_INT(x.r.count, 3);
	CHECK_INT(x.r.items[0].due_ns, 0);
	CHECK_INT(x.r.items[0].line, 4);
	CHECK_INT(x.r.items[1].due_ns, 4250000000);
	CHECK_INT(x.r.items[1].input_tokens, 20);
	CHECK_INT(x.r.items[1].output_tokens, 2);
	CHECK_INT(x.r.items[2].input_tokens, 30);
	CHECK_INT(x.r.unsized, 1);
	end(&x);
}

TEST(what_is_only_a_total_is_no_request)
{
	struct reading x;

	CHECK(parse(&x, NODE("1700000001", ",\"input_tokens\":20")
		    "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"m\","
		    "\"parent_node_ids\":[],\"timestamp_start\":1,\"timestamp_end\":1,\"kind\":\"model_call\","
		    "\"framework\":\"unknown\",\"total_only\":true,\"model_call\":{\"model\":\"m\",\"input_tokens\":900}}"));
	CHECK_INT(x.r.count, 1);
	CHECK_INT(x.r.items[0].input_tokens, 20);
	end(&x);
}

TEST(blocks_stay_with_their_call_when_calls_are_sorted)
{
	struct reading x;

	CHECK(parse(&x, NODE("9", ",\"input_tokens\":64,\"hash_ids\":[9007199254740991,\"text\"]")
			       NODE("3", ",\"input_tokens\":64,\"hash_ids\":[5]")));
	CHECK_INT(x.r.items[0].block_count, 1);
	CHECK_INT(x.r.blocks[x.r.items[0].block_at], 5);
	CHECK_INT(x.r.items[1].block_count, 2);
	CHECK_INT(x.r.blocks[x.r.items[1].block_at], 9007199254740991);
	CHECK_INT(x.r.block_sizes[x.r.items[0].block_at], 64);
	CHECK_INT(x.r.block_sizes[x.r.items[1].block_at + 1], 32);
	end(&x);
}

TEST(a_mooncake_trace_has_times_lengths_and_blocks)
{
	struct reading x;

	CHECK(parse(&x, "{\"timestamp\": 1000, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [0, 7]}\n"
			"{\"timestamp\": 1000.5, \"input_length\": 1}\n"
			"{\"timestamp\": 4000, \"input_length\": 0, \"output_length\": 1, \"hash_ids\": []}"));
	CHECK_INT(x.r.kind, RECORDED_MOONCAKE);
	CHECK_INT(x.r.count, 3);
	CHECK_INT(x.r.items[0].due_ns, 0);
	CHECK_INT(x.r.items[0].block_count, 2);
	CHECK_INT(x.r.blocks[x.r.items[0].block_at + 1], 7);
	CHECK(!x.r.block_sizes);
	CHECK_INT(x.r.items[1].due_ns, 500000);
	CHECK_INT(x.r.items[1].output_tokens, 0);
	CHECK_INT(x.r.items[2].due_ns, 3000000000);
	end(&x);
}

TEST(what_cannot_be_used_is_refused_with_its_line)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "t.jsonl has no requests" },
		{ TOOL, "t.jsonl has no requests: the trace has no model_call" },
		{ "\n{\"a\":1}\n", "t.jsonl:2: neither an event" },
		{ "[1]\n", "t.jsonl:1: neither" },
		{ "{\"timestamp\":1,\"input_length\":1}\nnot json\n", "t.jsonl:2: no JSON" },
		{ "{\"timestamp\":-1,\"input_length\":1}\n", "t.jsonl:1: timestamp is wrong" },
		{ "{\"timestamp\":\"1\",\"input_length\":1}\n", "t.jsonl:1: timestamp is wrong" },
		{ "{\"timestamp\":1e300,\"input_length\":1}\n", "t.jsonl:1: timestamp is wrong" },
		{ "{\"timestamp\":1,\"input_length\":1}\n{\"input_length\":1}\n", "t.jsonl:2: timestamp is missing" },
		{ "{\"timestamp\":5,\"input_length\":1}\n{\"timestamp\":4,\"input_length\":1}\n", "t.jsonl:2: timestamp 4 is before" },
		{ "{\"timestamp\":1,\"input_length\":-1}\n", "t.jsonl:1: input_length is wrong" },
		{ "{\"timestamp\":1,\"input_length\":1.5}\n", "t.jsonl:1: input_length is wrong" },
		{ "{\"timestamp\":1,\"input_length\":1,\"output_length\":null}\n", "t.jsonl:1: output_length is wrong" },
		{ "{\"timestamp\":1,\"input_length\":1,\"hash_ids\":3}\n", "t.jsonl:1: hash_ids is not a list" },
		{ "{\"timestamp\":1,\"input_length\":1,\"hash_ids\":[-1]}\n", "t.jsonl:1: hash_ids: an id" },
		{ NODE("1", ",\"hash_ids\":7"), "t.jsonl:1: hash_ids is not a list" },
		{ NODE("1", ",\"hash_ids\":[{}]"), "t.jsonl:1: hash_ids: an id" },
		{ "{\"schema_version\":\"agent-trace/v9\",\"event_type\":\"node\"}\n", "t.jsonl:1: an event of agent-trace/v9" },
		{ NODE("-5", ""), "t.jsonl:1: " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct reading x;

		test_case("%s", cases[i].text);
		CHECK(!parse(&x, cases[i].text));
		CHECK_INT(x.err.kind, ERR_DATA);
		CHECK_STR(str_of(x.err.text, strlen(cases[i].why)), str_from(cases[i].why));
		end(&x);
	}
}

TEST(lengths_beyond_reason_are_cut_and_counted)
{
	struct reading x;

	CHECK(parse(&x, "{\"timestamp\":0,\"input_length\":1}\n"
			"{\"timestamp\":1,\"input_length\":1000000000,\"output_length\":1048577}\n"));
	CHECK_INT(x.r.items[1].input_tokens, RECORDED_TOKENS_MOST);
	CHECK_INT(x.r.items[1].output_tokens, RECORDED_TOKENS_MOST);
	CHECK_INT(x.r.capped, 2);
	CHECK_INT(x.r.first_capped, 2);
	end(&x);
}

TEST(a_last_line_that_breaks_off_is_left_out)
{
	struct reading x;

	CHECK(parse(&x, "{\"timestamp\":0,\"input_length\":1}\n{\"timestamp\":1,\"inp"));
	CHECK_INT(x.r.count, 1);
	CHECK(x.r.torn);
	end(&x);
}

TEST(a_huge_line_and_too_many_blocks_are_refused)
{
	struct reading x;
	struct buf text;

	buf_init(&text);
	buf_add_str(&text, STR("{\"timestamp\":0,\"input_length\":1,\"hash_ids\":[0"));
	for (unsigned i = 0; i < RECORDED_BLOCKS_MOST; i++)
		buf_add_str(&text, STR(",1"));
	buf_add_str(&text, STR("]}\n"));
	buf_add_byte(&text, '\0');
	CHECK(!parse(&x, text.p));
	CHECK(str_find(str_from(x.err.text), STR("more than 65536")) != (size_t)-1);
	end(&x);
	buf_clear(&text);
	buf_add_str(&text, STR("{\"timestamp\":0,\"input_length\":1,\"x\":\""));
	for (size_t i = 0; i < RECORDED_LINE_MOST / 16; i++)
		buf_add_str(&text, STR("0123456789abcdef"));
	buf_add_str(&text, STR("\"}\n"));
	buf_add_byte(&text, '\0');
	CHECK(!parse(&x, text.p));
	CHECK_INT(x.err.kind, ERR_LIMIT);
	end(&x);
	buf_free(&text);
}

TEST(a_file_is_read_and_a_missing_one_is_told)
{
	struct err err = { .kind = ERR_NONE };
	char path[] = "/tmp/recorded-XXXXXX";
	int fd = mkstemp(path);
	struct recorded r;
	struct arena a;

	CHECK(fd >= 0 && file_write_all(fd, STR("{\"timestamp\":3,\"input_length\":9}\n"), &err));
	close(fd);
	arena_init(&a);
	CHECK(recorded_read(&r, &a, str_from(path), &err));
	CHECK_INT(r.items[0].input_tokens, 9);
	recorded_free(&r);
	unlink(path);
	CHECK(!recorded_read(&r, &a, str_from(path), &err));
	CHECK_INT(err.kind, ERR_IO);
	recorded_free(&r);
	arena_free(&a);
}
