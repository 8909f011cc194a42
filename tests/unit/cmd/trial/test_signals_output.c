/* The text at 80 columns and narrower, and the JSON. tests/cli/trial-signals has whole commands. */
#include "cmd/trial/signals_output.h"

#include "harness/test.h"

static const struct glance some = {
	.signals = {
		.has_transcript = true,
		.turns = 3,
		.total_messages = 9,
		.assistant_messages = 3,
		.tool_calls = 2,
		.tool_results = 2,
		.tool_errors = 1,
		.first_error = { "one two three four five six seven\x1b[2J", 37 },
		.wrote_output = true,
		.tool_seconds = 0.25,
		.timed_results = 2,
		.tools = (struct signals_tool[]){ { { "sh\n", 3 }, 2, 0 } },
		.tool_count = 1,
		.path = { "t.jsonl", 7 },
		.format = "trajectory",
	},
	.is_classified = true,
	.trial = { .sequence = { NULL, 3 }, .bond_counts = { 2, 1 }, .mean_confidence = 0.3333334 },
};

TEST(every_signal_has_a_line_and_long_ones_are_wrapped)
{
	struct buf out;

	buf_init(&out);
	signals_output_add_text(&out, &some, 40);
	CHECK_STR(buf_str(&out), STR("transcript     trajectory, t.jsonl\n"
				     "turns          3\n"
				     "messages       9, 3 of the assistant\n"
				     "tool calls     2\n"
				     "               sh\\x0a 2\n"
				     "tool results   2, 1 error\n"
				     "tool time      250 ms\n"
				     "wrote output   yes\n"
				     "bonds          execution 2, verification\n"
				     "               1, deliberation 0,\n"
				     "               exploration 0\n"
				     "first error    one two three four five\n"
				     "               six seven\\x1b[2J\n"));
	buf_free(&out);
}

TEST(many_tools_are_not_all_shown)
{
	struct signals_tool tools[25];
	struct glance s = some;
	struct buf out;

	for (size_t i = 0; i < COUNT(tools); i++)
		tools[i] = (struct signals_tool){ STR("x"), i, 0 };
	s.signals.tools = tools;
	s.signals.tool_count = COUNT(tools);
	buf_init(&out);
	signals_output_add_text(&out, &s, 80);
	CHECK(str_has(buf_str(&out), STR(" x 19\n               and 5 more; --json has them\n")));
	buf_free(&out);
}

TEST(an_unknown_time_is_null_and_fields_can_be_selected)
{
	const struct glance none = { .is_classified = false };
	struct buf out;

	buf_init(&out);
	signals_output_add_json(&out, &none, (struct opt_maybe){ .given = true });
	CHECK_STR(buf_str(&out),
		  STR("{\"schema\":\"trackway.signals/1\",\"path\":null,\"format\":null,\"signals\":{\"has_transcript\":false,"
		      "\"turns\":0,\"total_messages\":0,\"assistant_messages\":0,\"tool_calls\":0,\"tool_results\":0,"
		      "\"tool_errors\":0,\"first_error\":null,\"wrote_output\":false,\"tool_seconds\":null,"
		      "\"timed_results\":0,\"tools\":[],\"classification\":null}}\n"));
	buf_clear(&out);
	signals_output_add_json(&out, &some, (struct opt_maybe){ .given = true });
	CHECK(str_has(buf_str(&out),
		      STR("\"classification\":{\"classified_turns\":3,\"bond_counts\":{\"execution\":2,\"verification\":1,"
			  "\"deliberation\":0,\"exploration\":0},\"dominant_bond\":\"execution\","
			  "\"mean_turn_confidence\":0.333333}")));
	buf_clear(&out);
	signals_output_add_json(&out, &some, (struct opt_maybe){ .given = true, .value = STR("format") });
	CHECK_STR(buf_str(&out), STR("{\"schema\":\"trackway.signals/1\",\"format\":\"trajectory\"}\n"));
	buf_free(&out);
}
