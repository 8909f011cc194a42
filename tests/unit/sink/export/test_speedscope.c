#include "kit.h"

#define HEAD "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"trackway@1.2.3\"," \
	"\"activeProfileIndex\":0,\"profiles\":[\n"

TEST(lanes_are_evented_and_tokens_and_money_sampled)
{
	CHECK_STR(kit_export("speedscope", NODE("\"t\"", "tool_call", "", 1, 2, TOOL("\"read\""))
			     NODE("\"m\"", "model_call", "", 2, 3, MODEL("\"big\"", 10, 2, ",\"estimated_cost_usd\":0.5") ",\"agent_id\":\"sub\"")),
		  STR(HEAD "{\"type\":\"evented\",\"name\":\"model 1\",\"unit\":\"microseconds\",\"startValue\":0,\"endValue\":2000000,"
		      "\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":1000000},{\"type\":\"C\",\"frame\":0,\"at\":2000000}]},\n"
		      "{\"type\":\"evented\",\"name\":\"tool 1\",\"unit\":\"microseconds\",\"startValue\":0,\"endValue\":2000000,"
		      "\"events\":[{\"type\":\"O\",\"frame\":1,\"at\":0},{\"type\":\"C\",\"frame\":1,\"at\":1000000}]},\n"
		      "{\"type\":\"sampled\",\"name\":\"tokens\",\"unit\":\"none\",\"startValue\":0,\"endValue\":12,"
		      "\"samples\":[[2,0,3],[2,0,4]],\"weights\":[10,2]},\n"
		      "{\"type\":\"sampled\",\"name\":\"cost in micro-dollars\",\"unit\":\"none\",\"startValue\":0,\"endValue\":500000,"
		      "\"samples\":[[2,0]],\"weights\":[500000]}\n],\"shared\":{\"frames\":[{\"name\":\"chat big\"},{\"name\":\"read\"},"
		      "{\"name\":\"sub\"},{\"name\":\"input tokens\"},{\"name\":\"output tokens\"}]},\"name\":\"agent run trace-on\"}\n"));
}

TEST(runs_name_their_profiles_and_no_nodes_are_an_empty_one)
{
	struct kit k;

	kit_open(&k);
	trace_list_open(&k.runs, STR("x"), "agent-trace");
	trace_list_begin(&k.runs);
	trace_list_finish(&k.runs);
	CHECK_STR(kit_write(&k, "speedscope"), STR(HEAD "{\"type\":\"evented\",\"name\":\"no nodes\",\"unit\":\"microseconds\",\"startValue\":0,"
						   "\"endValue\":0,\"events\":[]}\n],\"shared\":{\"frames\":[]},\"name\":\"agent run 1\"}\n"));
	kit_add(&k, STR(NODE("\"a\"", "system", "", 9, 8, "")), "2");
	CHECK(str_has(kit_write(&k, "speedscope"), STR("\"name\":\"run trace-on: agent 1\"")));
	CHECK(str_has(buf_str(&k.out), STR("\"name\":\"2 agent runs\"}")));
	kit_free(&k);
}
