#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"

static struct arena arena;

/* JSON in single quotes, so that it can be read here. */
static struct str quoted(const char *text)
{
	struct str copy = arena_copy(&arena, str_from(text));

	for (size_t i = 0; i < copy.n; i++)
		if (copy.p[i] == '\'')
			((char *)(uintptr_t)copy.p)[i] = '"';
	return copy;
}

static struct str to_otutl(const char *text)
{
	return convert_valid(&arena, NULL, quoted(text), "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

#define ROLLOUT(id, more) "{'id':" id ",'prompt':[{'role':'user','content':'u'}],'reward':0.5" more "}\n"
#define CALL(id) "'{\\'id\\':\\'" id "\\',\\'function\\':{\\'name\\':\\'f\\',\\'arguments\\':\\'{\\\\\\'a\\\\\\':1}\\'}}'"
#define SAID(calls) "{'role':'assistant','content':'','tool_calls':[" calls "]}"
#define TOOL(text) "{'role':'tool','content':'" text "'}"

TEST(samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/verifiers", "verifiers", 7);
}

TEST(calls_may_be_texts_in_texts)
{
	struct str out = to_otutl(ROLLOUT("0", ",'completion':[" SAID(CALL("c1")) "]"));

	CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("c1"));
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://verifiers/f"));
	CHECK_STR(get(out, "tool_call", 0, "/args/a"), STR("1"));
}

TEST(results_without_an_id_belong_to_the_calls_of_the_latest_answer_in_order)
{
	struct str out = to_otutl(ROLLOUT("0", ",'completion':[" SAID(CALL("c1") "," CALL("c2")) "," TOOL("r1") ","
						SAID(CALL("c3")) "," TOOL("r3") "]"));

	CHECK_STR(get(out, "tool_result", 0, "/call_id"), STR("c1"));
	CHECK_STR(get(out, "tool_result", 1, "/call_id"), STR("c3")); /* and not c2, which has none */
	CHECK_STR(get(out, "tool_result", 1, "/result"), STR("r3"));
	CHECK_STR(get(out, "error", 0, "/call_id"), STR("c2"));
}

TEST(each_line_is_a_run_and_those_of_one_example_are_numbered)
{
	struct str out = to_otutl(ROLLOUT("0", ",'completion':[]") ROLLOUT("0", ",'completion':[]") ROLLOUT("1", ",'completion':'t'"));

	CHECK_INT(convert_count(out).runs, 3);
	CHECK_STR(get(out, "run_start", 0, "/ext/verifiers~11/rollout"), STR("1"));
	CHECK_STR(get(out, "run_start", 1, "/ext/verifiers~11/rollout"), STR("2"));
	CHECK_STR(get(out, "run_start", 2, "/ext/verifiers~11/rollout"), STR("1"));
	CHECK(!str_eq(get(out, "run_start", 0, "/run_id"), get(out, "run_start", 1, "/run_id")));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("t")); /* a completion may be one text */
}

TEST(what_the_model_is_said_to_have_said_in_the_prompt_is_no_step)
{
	struct str out = to_otutl("{'id':0,'prompt':[{'role':'user','content':'q'},{'role':'assistant','content':'like this'},"
				  "{'role':'tool','content':'r','tool_call_id':'x'}],"
				  "'completion':[{'role':'assistant','content':'a'}],'reward':1}\n");

	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_INT(convert_count(out).tool_results, 0);
	CHECK_STR(get(out, "model_step", 0, "/request/messages/1/role"), STR("assistant"));
}

TEST(metrics_are_numbers_beside_the_columns_of_a_rollout)
{
	struct str out = to_otutl(ROLLOUT("0", ",'completion':[],'total_ms':5,'my_metric':2.0,'note':'n'"));

	CHECK_STR(get(out, "run_end", 0, "/ext/verifiers~11/score/reward"), STR("0.5"));
	CHECK_STR(get(out, "run_end", 0, "/ext/verifiers~11/score/metrics/my_metric"), STR("2"));
	CHECK(!get(out, "run_end", 0, "/ext/verifiers~11/my_metric").p);
	CHECK(!get(out, "run_end", 0, "/ext/verifiers~11/score/metrics/total_ms").p);
	CHECK_STR(get(out, "run_end", 0, "/ext/verifiers~11/note"), STR("n"));
}

TEST(metrics_that_stand_twice_are_kept_once_and_two_values_are_both_kept)
{
	struct str out = to_otutl(ROLLOUT("0", ",'completion':[],'metrics':{'b':1.0,'a':2.0},'b':1.0,'a':3.0"));

	CHECK_STR(get(out, "run_end", 0, "/ext/verifiers~11/score/metrics/b"), STR("1"));
	CHECK(!get(out, "run_end", 0, "/ext/verifiers~11/b").p);
	CHECK_STR(get(out, "run_end", 0, "/ext/verifiers~11/score/metrics/a"), STR("2"));
	CHECK_STR(get(out, "run_end", 0, "/ext/verifiers~11/a"), STR("3"));
}

TEST(times_of_the_model_are_those_of_the_steps_when_there_are_as_many)
{
	struct str one = to_otutl(ROLLOUT("0", ",'completion':['x'],'timing':{'start_time':1794858904.5,'total':2.0,"
					       "'model':{'spans':[{'start':1794858905.0,'end':1794858905.25}]}}"));
	struct str two = to_otutl(ROLLOUT("0", ",'completion':['x','y'],'timing':{'start_time':1794858904.5,"
					       "'model':{'spans':[{'start':1794858905.0,'end':1794858905.25}]}}"));

	CHECK_STR(get(one, "run_start", 0, "/ts"), STR("2026-11-16T19:55:04.500Z"));
	CHECK_STR(get(one, "model_step", 0, "/latency_ms"), STR("250"));
	CHECK_STR(get(one, "model_step", 0, "/ts"), STR("2026-11-16T19:55:05.250Z"));
	CHECK_STR(get(one, "run_end", 0, "/ts"), STR("2026-11-16T19:55:06.500Z"));
	CHECK(!get(two, "model_step", 0, "/latency_ms").p);
}

TEST(tokens_are_the_runs)
{
	struct str out = to_otutl(ROLLOUT("0", ",'completion':['x'],'token_usage':{'input_tokens':30.0,'output_tokens':4.0,'final_input_tokens':9}"));

	CHECK_STR(get(out, "cost", 0, "/scope"), STR("run"));
	CHECK_STR(get(out, "cost", 0, "/tokens_in"), STR("30"));
	CHECK_STR(get(out, "cost", 0, "/tokens_out"), STR("4"));
	CHECK_STR(get(out, "cost", 0, "/ext/verifiers~11/final_input_tokens"), STR("9"));
}

TEST(how_it_ended)
{
	struct str done = to_otutl(ROLLOUT("0", ",'completion':[],'is_completed':true,'stop_condition':'max_turns'"));
	struct str cut = to_otutl(ROLLOUT("0", ",'completion':[],'is_completed':true,'is_truncated':true"));
	struct str open = to_otutl(ROLLOUT("0", ",'completion':[],'is_completed':false"));
	struct str bad = to_otutl(ROLLOUT("0", ",'completion':[],'is_completed':true,'error':{'error':'ModelError','error_chain_str':'gone'}"));
	struct str text = to_otutl(ROLLOUT("0", ",'completion':[],'error':'gone too'"));

	CHECK_STR(get(done, "run_end", 0, "/status"), STR("success"));
	CHECK_STR(get(done, "run_end", 0, "/reason"), STR("max_turns"));
	CHECK_STR(get(cut, "run_end", 0, "/status"), STR("interrupted"));
	CHECK_STR(get(open, "run_end", 0, "/status"), STR("interrupted"));
	CHECK_STR(get(bad, "run_end", 0, "/status"), STR("error"));
	CHECK_STR(get(bad, "error", 0, "/class"), STR("harness"));
	CHECK_STR(get(bad, "error", 0, "/message"), STR("gone"));
	CHECK_STR(get(bad, "error", 0, "/ext/verifiers~11/error"), STR("ModelError"));
	CHECK_STR(get(text, "error", 0, "/message"), STR("gone too"));
}

TEST(settings_give_the_model_the_day_and_a_name)
{
	struct str out = to_otutl("{'env':'math','model':'m-1','num_examples':1,'rollouts_per_example':1,'date':'2026-01-02 03:04:05'}\n"
				  ROLLOUT("7", ",'completion':['x'],'total_ms':1500") ROLLOUT("8", ",'completion':[]"));

	CHECK_INT(convert_count(out).runs, 2);
	CHECK_STR(get(out, "run_start", 0, "/model"), STR("m-1"));
	CHECK_STR(get(out, "run_start", 0, "/ts"), STR("2026-01-02T03:04:05.000Z"));
	CHECK_STR(get(out, "run_start", 0, "/ext/trackway~11/ts_source"), STR("derived"));
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("math--m-1/2026-01-02 03:04:05/7/1"));
	CHECK_STR(get(out, "run_end", 0, "/ts"), STR("2026-01-02T03:04:06.500000000Z"));
	CHECK_STR(get(out, "run_start", 0, "/ext/verifiers~11/evaluation/env"), STR("math"));
	CHECK(!get(out, "run_start", 1, "/ext/verifiers~11/evaluation").p); /* with the first alone */
	CHECK_STR(get(out, "run_start", 1, "/model"), STR("m-1"));
}

TEST(the_model_of_a_run_is_that_of_its_answers_unless_they_tell_another)
{
	struct str out = to_otutl("{'env':'math','model':'m-1','num_examples':1,'rollouts_per_example':1,'date':'2026-01-02 03:04:05'}\n"
				  ROLLOUT("7", ",'completion':['x','y']") ROLLOUT("8", ",'model':'m-2','completion':['x']")
				  ROLLOUT("9", ",'completion':['x']"));
	struct str none = to_otutl(ROLLOUT("7", ",'completion':['x']"));
	struct str trace = to_otutl("{'id':'t1','agent':{'config':{'model':'m-3'}},'nodes':["
				    "{'message':{'role':'assistant','content':'a'},'sampled':true},"
				    "{'message':{'role':'assistant','content':'b'},'sampled':true,'parent':0}],"
				    "'calls':[{'node':0,'model':'m-4'}],'rewards':{},'is_completed':true}\n");

	CHECK_STR(get(out, "model_step", 0, "/model"), STR("m-1"));
	CHECK_STR(get(out, "model_step", 1, "/model"), STR("m-1"));
	CHECK_STR(get(out, "model_step", 2, "/model"), STR("m-2"));
	CHECK_STR(get(out, "model_step", 3, "/model"), STR("m-1"));
	CHECK(!get(none, "model_step", 0, "/model").p);
	CHECK_STR(get(trace, "model_step", 0, "/model"), STR("m-4"));
	CHECK_STR(get(trace, "model_step", 1, "/model"), STR("m-3"));
}

TEST(settings_alone_are_no_run)
{
	struct converted c = convert_with(&arena, quoted("{'env':'math','model':'m','num_examples':1,'rollouts_per_example':1}"),
					  (struct convert_how){ .to = "otutl" });

	CHECK(c.from == &verifiers_dialect);
	CHECK_INT((int64_t)c.out.n, 0);
}

TEST(hosted_samples_are_a_page_in_either_spelling)
{
	struct str out = to_otutl("{'samples':[{'sample_id':'s1','example_id':0,'prompt':'q','completion':[" SAID("") "],'reward':1,"
				  "'created_at':'2026-05-08T21:13:35.662Z','total_time':2.5,'info':{'metrics':{'m':1},'token_usage':"
				  "{'input_tokens':5,'output_tokens':6},'stop_condition':'done','is_completed':true}},"
				  "{'sampleId':'s2','exampleId':1,'prompt':'q','completion':'a','reward':0,"
				  "'stopCondition':'cut','isCompleted':false}],"
				  "'evaluationId':'e1','modelName':'m-2','total':2}");

	CHECK_INT(convert_count(out).runs, 2);
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("e1/s1"));
	CHECK_STR(get(out, "run_start", 0, "/model"), STR("m-2"));
	CHECK_STR(get(out, "run_start", 0, "/ts"), STR("2026-05-08T21:13:35.662Z"));
	CHECK_STR(get(out, "run_start", 0, "/ext/verifiers~11/page/total"), STR("2"));
	CHECK_STR(get(out, "run_end", 0, "/ext/verifiers~11/score/metrics/m"), STR("1"));
	CHECK_STR(get(out, "run_end", 0, "/ts"), STR("2026-05-08T21:13:38.162Z"));
	CHECK_STR(get(out, "run_end", 0, "/reason"), STR("done"));
	CHECK_STR(get(out, "cost", 0, "/tokens_out"), STR("6"));
	CHECK_STR(get(out, "run_start", 1, "/vendor_run_id"), STR("e1/s2"));
	CHECK_STR(get(out, "run_end", 1, "/reason"), STR("cut"));
	CHECK_STR(get(out, "run_end", 1, "/status"), STR("interrupted"));
}

TEST(info_may_be_a_text)
{
	struct str out = to_otutl(ROLLOUT("0", ",'completion':[],'info':'{\\'stop_condition\\':\\'done\\',\\'k\\':1}'"));

	CHECK_STR(get(out, "run_end", 0, "/reason"), STR("done"));
	CHECK_STR(get(out, "run_start", 0, "/ext/verifiers~11/info/k"), STR("1"));
}

/* ---- traces ---- */

static struct str traces(void)
{
	return test_read("tests/fuzz/corpus/read_verifiers/traces");
}

TEST(a_trace_is_a_run_of_its_own)
{
	struct str out = convert_valid(&arena, NULL, traces(), "otutl");
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.runs, 2);
	CHECK_INT(f.model_steps, 2); /* an example that was given is none */
	CHECK_INT(f.tool_calls, 1);
	CHECK_INT(f.tool_results, 1);
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("747ae244"));
	CHECK_STR(get(out, "run_start", 0, "/agent/name"), STR("solver"));
	CHECK_STR(get(out, "run_start", 0, "/ext/verifiers~11/episode/env/id"), STR("mytask"));
	CHECK_STR(get(out, "run_start", 1, "/ext/verifiers~11/episode/id"), STR("38129a"));
	CHECK(!get(out, "run_start", 1, "/ext/verifiers~11/episode/env").p);
}

TEST(the_calls_of_a_trace_tell_of_its_steps)
{
	struct str out = convert_valid(&arena, NULL, traces(), "otutl");

	CHECK_STR(get(out, "model_step", 0, "/usage/input_tokens"), STR("17")); /* prompt_tokens leaves the cache out */
	CHECK_STR(get(out, "model_step", 0, "/usage/cache_read_tokens"), STR("7"));
	CHECK_STR(get(out, "model_step", 0, "/usage/reasoning_tokens"), STR("2"));
	CHECK_STR(get(out, "model_step", 0, "/latency_ms"), STR("250"));
	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("tool_calls"));
	CHECK_STR(get(out, "model_step", 0, "/endpoint"), STR("http://127.0.0.1:1/v1/chat/completions"));
	CHECK_STR(get(out, "model_step", 0, "/reasoning"), STR("it must be four"));
	CHECK_STR(get(out, "cost", 0, "/estimated_cost_usd"), STR("0.25"));
	CHECK_STR(get(out, "tool_call", 0, "/args/code"), STR("print(2+2)"));
}

TEST(a_call_that_gave_no_message_is_an_error_in_its_place)
{
	struct str out = convert_valid(&arena, NULL, traces(), "otutl");

	CHECK_STR(get(out, "error", 0, "/class"), STR("model"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("overloaded, try later"));
	CHECK_STR(get(out, "error", 0, "/ts"), STR("2026-11-16T19:53:57.900Z"));
	CHECK(strstr(out.p, "\"class\":\"model\"") < strstr(out.p, "it is four"));
}

TEST(messages_after_a_fork_are_a_branch_with_the_prefix_told_once)
{
	struct str out = convert_valid(&arena, NULL, traces(), "otutl");

	CHECK(!get(out, "model_step", 0, "/ext/trackway~11/branch").p);
	CHECK_STR(get(out, "model_step", 1, "/ext/trackway~11/branch"), STR("branch-4"));
	CHECK_STR(get(out, "model_step", 1, "/request/messages/0/content"), STR("summary of before: four"));
	CHECK_STR(get(out, "model_step", 1, "/request/messages/1/role"), STR("assistant"));
}

TEST(rewards_of_a_trace_add_up_by_their_weights)
{
	struct str out = convert_valid(&arena, NULL, traces(), "otutl");

	CHECK_STR(get(out, "run_end", 0, "/ext/verifiers~11/score/reward"), STR("0.5"));
	CHECK_STR(get(out, "run_end", 0, "/ext/verifiers~11/rewards/exact/weight"), STR("0.5"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("error"));
	CHECK_STR(get(out, "run_end", 0, "/ts"), STR("2026-11-16T19:53:58.500Z"));
	CHECK_STR(get(out, "run_end", 1, "/status"), STR("success"));
	CHECK(!get(out, "run_end", 1, "/ext/verifiers~11/score").p);
}

TEST(a_trace_alone_and_an_episode_without_one_are_read)
{
	struct str alone = to_otutl("{'id':'t1','nodes':[],'calls':[],'rewards':{},'is_completed':true}\n");
	struct converted none = convert_with(&arena, quoted("{'id':'e1','traces':[],'errors':[{'type':'E','message':'no agent'}]}\n"),
					     (struct convert_how){ .from = "verifiers", .to = "otutl" });

	CHECK_STR(get(alone, "run_start", 0, "/vendor_run_id"), STR("t1"));
	CHECK_STR(get(none.out, "error", 0, "/message"), STR("no agent"));
	CHECK_STR(get(none.out, "run_end", 0, "/status"), STR("error"));
}

TEST(nothing_is_left_and_nothing_of_the_content_gets_into_a_trace)
{
	static const char *const files[] = { "results", "settings", "hosted", "traces" };

	for (size_t i = 0; i < COUNT(files); i++) {
		struct str text = test_read(arena_printf(&arena, "tests/fuzz/corpus/read_verifiers/%s", files[i]).p);
		struct converted c = convert_with(&arena, text, (struct convert_how){ .to = "agent-trace" });

		CHECK(c.from == &verifiers_dialect);
		CHECK_INT((int64_t)c.coverage.leaves.left, 0);
		CHECK(!str_has(c.out, STR("four")) && !str_has(c.out, STR("print(")) && !str_has(c.out, STR("went away")));
	}
}
