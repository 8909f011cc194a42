#include "kit.h"

#define HEAD "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
#define THREAD(tid, name, index) \
	"{\"ph\":\"M\",\"pid\":1,\"tid\":" #tid ",\"name\":\"thread_name\",\"args\":{\"name\":\"" name "\"}},\n" \
	"{\"ph\":\"M\",\"pid\":1,\"tid\":" #tid ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":" #index "}},\n"
#define REST "\n],\"otherData\":{\"exporter\":\"trackway 1.2.3\",\"pid\":1,\"trace_id\":\"trace-one\"," \
	"\"started_at\":\"1970-01-01T00:00:01.000000Z\",\"exit_status\":\"interrupted\"}}\n"

TEST(a_run_is_slices_flows_and_counters_from_zero)
{
	CHECK_STR(kit_export("chrome", NODE("\"u\"", "user_input", "", 1, 1.5, "")
			     NODE("\"m\"", "model_call", "\"u\"", 2, 3,
				  MODEL("\"big\"", 10, 2, ",\"estimated_cost_usd\":0.5,\"stop_reason\":\"end_turn\""))),
		  STR(HEAD "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"agent run trace-on\"}},\n"
		      THREAD(10, "agent 1", 1)
		      "{\"ph\":\"X\",\"pid\":1,\"tid\":10,\"ts\":0,\"dur\":500000,\"cat\":\"user_input\",\"name\":\"user_input\","
		      "\"args\":{\"node_id\":\"u\"}},\n"
		      THREAD(11, "model 1", 101)
		      "{\"ph\":\"X\",\"pid\":1,\"tid\":11,\"ts\":1000000,\"dur\":1000000,\"cat\":\"model_call\",\"name\":\"chat big\",\"args\":"
		      "{\"node_id\":\"m\",\"input_tokens\":10,\"output_tokens\":2,\"stop_reason\":\"end_turn\",\"cost_usd\":0.5}},\n"
		      "{\"ph\":\"s\",\"pid\":1,\"tid\":10,\"name\":\"dep\",\"ts\":499999,\"id\":1,\"cat\":\"causal\"},\n"
		      "{\"ph\":\"f\",\"pid\":1,\"tid\":11,\"name\":\"dep\",\"bp\":\"e\",\"ts\":1000001,\"id\":1,\"cat\":\"causal\"},\n"
		      "{\"ph\":\"C\",\"pid\":1,\"name\":\"in flight\",\"ts\":1000000,\"args\":{\"model\":1,\"tool\":0}},\n"
		      "{\"ph\":\"C\",\"pid\":1,\"name\":\"in flight\",\"ts\":2000000,\"args\":{\"model\":0,\"tool\":0}},\n"
		      "{\"ph\":\"C\",\"pid\":1,\"name\":\"tokens\",\"ts\":2000000,\"args\":{\"input\":10,\"output\":2}},\n"
		      "{\"ph\":\"C\",\"pid\":1,\"name\":\"cost\",\"ts\":2000000,\"args\":{\"usd\":0.5}}" REST));
}

TEST(a_failure_and_a_retry_are_marks_and_nothing_is_shorter_than_a_microsecond)
{
	struct str out = kit_export("chrome", NODE("\"m\"", "model_call", "", 1, 1, MODEL("\"x\"", 0, 0, ",\"stop_reason\":\"error\""))
				    NODE("\"r\"", "retry", "\"m\"", 1, 1, ""));

	CHECK(str_has(out, STR("\"ts\":0,\"dur\":1,\"cat\":\"model_call\"")));
	CHECK(str_has(out, STR("{\"ph\":\"i\",\"pid\":1,\"tid\":10,\"name\":\"error\",\"ts\":0.5,\"cat\":\"error\",\"s\":\"t\"}")));
	CHECK(str_has(out, STR("\"name\":\"retry\",\"ts\":0.5,\"cat\":\"retry\",\"s\":\"t\"}")));
	CHECK(str_has(out, STR("\"ph\":\"s\",\"pid\":1,\"tid\":10,\"name\":\"dep\",\"ts\":0.5")));
	CHECK(str_has(out, STR("\"ph\":\"f\",\"pid\":1,\"tid\":11,\"name\":\"dep\",\"bp\":\"e\",\"ts\":0.5")));
}

TEST(an_arrow_never_leads_back_in_time)
{
	struct kit k;
	const char *what;
	uint64_t times;

	kit_open(&k);
	kit_add(&k, STR(NODE("\"a\"", "tool_call", "\"b\"", 1, 9, "") NODE("\"b\"", "tool_call", "\"a\",\"b\"", 3, 5, "")), "x");
	kit_write(&k, "chrome");
	/* a goes on beside b: the arrow leaves it when b begins */
	CHECK(str_has(buf_str(&k.out), STR("\"ph\":\"s\",\"pid\":1,\"tid\":10,\"name\":\"dep\",\"ts\":2000001,\"id\":1")));
	CHECK(!str_has(buf_str(&k.out), STR("\"id\":2")));
	CHECK_INT(losses_count(k.losses), 2);
	losses_get(k.losses, 0, &what, &times);
	CHECK_INT(times, 1);
	kit_free(&k);
}

TEST(hostile_names_stay_inside_their_strings_and_are_cut)
{
	char lines[12000];
	struct str out;

	snprintf(lines, sizeof(lines), NODE("\"</script>\\n\\\"\"", "tool_call", "", 1, 2, TOOL("\"%09999d\"")), 1);
	out = kit_export("chrome", lines);
	CHECK(str_has(out, STR("\"node_id\":\"</script> \\\"\"")));
	CHECK(out.n < 2000);
}

TEST(runs_are_processes_and_no_nodes_are_none)
{
	struct kit k;

	kit_open(&k);
	kit_add(&k, STR(NODE("\"a\"", "system", "", 100, 101, "")), "1");
	kit_add(&k, STR(NODE("\"a\"", "system", "", 5, 6, "")), "2");
	trace_list_open(&k.runs, STR("3"), "agent-trace");
	trace_list_begin(&k.runs);
	trace_list_finish(&k.runs);
	kit_write(&k, "chrome");
	CHECK(str_has(buf_str(&k.out), STR("{\"ph\":\"X\",\"pid\":1,\"tid\":10,\"ts\":0,")));
	CHECK(str_has(buf_str(&k.out), STR("{\"ph\":\"X\",\"pid\":2,\"tid\":10,\"ts\":0,")));
	CHECK(str_has(buf_str(&k.out), STR("\"pid\":3,\"name\":\"process_name\",\"args\":{\"name\":\"agent run 3\"}")));
	CHECK(str_has(buf_str(&k.out), STR("\"runs\":[{\"pid\":1,")));
	kit_free(&k);
}
