/* Events of Cursor's hooks, as sightings. */
#include "dialect/cursor/hook.h"

#include "unit/dialect/hook_told.h"

#define EVENT(name, more) "{'conversation_id':'c-1','generation_id':'g-1','cursor_version':'2.3.0'," \
			  "'workspace_roots':['/data/canary'],'user_email':'canary@x','hook_event_name':'" name "'" more "}"
#define CURSOR(kind, when, more) "'kind':'" kind "','layer':'hook'," when "'session':'c-1'," more \
				 "'framework':'cursor_sdk','framework_version':'2.3.0'"
#define BEGAN "'begun_ns':5000000000,"
#define ENDED "'ended_ns':5000000000,"

TEST(events_become_sightings_without_content)
{
	static const struct told_case cases[] = {
		{ EVENT("preToolUse", ",'tool_name':'Shell','tool_use_id':'t1','tool_input':{'command':'canary'}"),
		  CURSOR("tool_begin", BEGAN, "") ",'call':'t1','name':'Shell'}\n" },
		{ EVENT("postToolUse", ",'tool_name':'Shell','tool_use_id':'t1','tool_output':'canary','duration':1000"),
		  CURSOR("tool_end", "'begun_ns':4000000000," ENDED, "") ",'call':'t1','name':'Shell',"
									 "'wall_ns':1000000000,'size':6,"
									 "'result_kind':'text'}\n" },
		{ EVENT("postToolUseFailure", ",'tool_name':'Shell','tool_use_id':'t1','error_message':'canary',"
					      "'failure_type':'timeout','duration':1000"),
		  CURSOR("tool_end", "'begun_ns':4000000000," ENDED, "") ",'call':'t1','name':'Shell',"
									 "'wall_ns':1000000000,'size':6,"
									 "'result_kind':'text','failed':true,"
									 "'partial':true}\n" },
		{ EVENT("beforeSubmitPrompt", ",'prompt':'canary'"), CURSOR("input", BEGAN, "") ",'call':'g-1'}\n" },
		{ EVENT("subagentStop", ",'subagent_id':'a1','subagent_type':'explore','status':'error','duration':5,"
					"'summary':'canary'"),
		  CURSOR("agent_end", ENDED, "'agent':'a1',") ",'name':'explore','wall_ns':5000000,'failed':true}\n" },
		{ EVENT("sessionEnd", ",'reason':'completed'"), CURSOR("span", BEGAN, "") "}\n" },
	};

	told_check(cases, COUNT(cases), cursor_hook_see);
}

TEST(what_is_told_twice_is_read_once)
{
	static const struct told_case cases[] = {
		{ EVENT("beforeShellExecution", ",'command':'canary'"), "" },
		{ EVENT("afterShellExecution", ",'command':'canary','output':'canary','duration':5"), "" },
		{ EVENT("afterMCPExecution", ",'tool_name':'x','duration':5"), "" },
		{ EVENT("stop", ",'status':'completed'"), "" },
		{ "{}", "" },
		{ "[7]", "" },
	};

	told_check(cases, COUNT(cases), cursor_hook_see);
}
