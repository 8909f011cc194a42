/* Events of Claude Code's hooks, as sightings. */
#include "dialect/claude_code/hook.h"

#include "unit/dialect/hook_told.h"

#define EVENT(name, more) "{'session_id':'s-1','transcript_path':'/data/canary','cwd':'/data/canary'," \
			  "'hook_event_name':'" name "'" more "}"
#define CLAUDE(kind, when, more) "'kind':'" kind "','layer':'hook'," when "'session':'s-1'," more \
				 "'framework':'claude_code'"
#define BEGAN "'begun_ns':5000000000,"
#define ENDED "'ended_ns':5000000000,"

TEST(events_become_sightings_without_content)
{
	static const struct told_case cases[] = {
		{ EVENT("PreToolUse", ",'tool_name':'Bash','tool_input':{'command':'canary'},'tool_use_id':'toolu_1'"),
		  CLAUDE("tool_begin", BEGAN, "") ",'call':'toolu_1','name':'Bash'}\n" },
		{ EVENT("PostToolUse", ",'tool_name':'Bash','tool_input':{'command':'canary'},'tool_use_id':'toolu_1',"
				       "'tool_response':{'stdout':'canary','stderr':''},'duration_ms':12.5"),
		  CLAUDE("tool_end", ENDED, "") ",'call':'toolu_1','name':'Bash','wall_ns':12500000,'size':6,"
						"'result_kind':'text'}\n" },
		{ EVENT("PostToolUseFailure", ",'tool_name':'Bash','tool_use_id':'toolu_1','error':'canary',"
					      "'is_interrupt':true,'duration_ms':3"),
		  CLAUDE("tool_end", ENDED, "") ",'call':'toolu_1','name':'Bash','wall_ns':3000000,'size':6,"
						"'result_kind':'text','failed':true,'partial':true}\n" },
		{ EVENT("PermissionRequest", ",'tool_name':'Bash','tool_input':{'command':'canary'}"),
		  CLAUDE("wait_begin", BEGAN, "") ",'name':'Bash'}\n" },
		{ EVENT("PermissionDenied", ",'tool_name':'Bash','tool_use_id':'toolu_1'"),
		  CLAUDE("wait_end", ENDED, "") ",'call':'toolu_1'}\n"
		  "'kind':'tool_end','layer':'hook'," ENDED "'session':'s-1','framework':'claude_code',"
		  "'call':'toolu_1','name':'Bash','failed':true}\n" },
		{ EVENT("UserPromptSubmit", ",'prompt':'a canary'"), CLAUDE("input", BEGAN, "") "}\n" },
		{ EVENT("UserPromptSubmit", ",'prompt':'a canary','prompt_id':'p-1'"),
		  CLAUDE("input", BEGAN, "") ",'call':'p-1'}\n" },
		{ EVENT("Notification", ",'notification_type':'idle_prompt','message':'canary'"),
		  CLAUDE("wait_begin", BEGAN, "") "}\n" },
		{ EVENT("Elicitation", ",'mcp_server_name':'hub','message':'canary'"),
		  CLAUDE("wait_begin", BEGAN, "") ",'server':'hub'}\n" },
		{ EVENT("ElicitationResult", ",'mcp_server_name':'hub'"),
		  CLAUDE("wait_end", ENDED, "") ",'server':'hub'}\n" },
		{ EVENT("SubagentStart", ",'agent_id':'a1','agent_type':'general-purpose'"),
		  CLAUDE("agent_begin", BEGAN, "'agent':'a1',") ",'name':'general-purpose'}\n" },
		{ EVENT("SubagentStop", ",'agent_id':'a1','agent_type':'general-purpose','last_message':'canary'"),
		  CLAUDE("agent_end", ENDED, "'agent':'a1',") ",'name':'general-purpose'}\n" },
		{ EVENT("SessionStart", ",'source':'startup'"), CLAUDE("span", BEGAN, "") "}\n" },
		{ EVENT("SessionEnd", ",'reason':'other'"), CLAUDE("span", BEGAN, "") "}\n" },
	};

	told_check(cases, COUNT(cases), claude_hook_see);
}

TEST(the_result_of_a_call_that_began_a_sub_agent_names_it)
{
	static const struct told_case cases[] = {
		{ EVENT("PostToolUse", ",'tool_name':'Task','tool_use_id':'toolu_1','agent_id':'a0',"
				       "'tool_response':{'agentId':'a1','content':[{'type':'text','text':'four'}]}"),
		  CLAUDE("tool_end", ENDED, "'agent':'a0',") ",'call':'toolu_1','name':'Task','size':4,"
							     "'result_kind':'text'}\n"
		  "'kind':'agent_begin','layer':'hook','session':'s-1','agent':'a1','parent_agent':'a0',"
		  "'call':'toolu_1'}\n" },
	};

	told_check(cases, COUNT(cases), claude_hook_see);
}

TEST(what_says_nothing_to_us_gives_nothing)
{
	static const struct told_case cases[] = {
		{ EVENT("Stop", ""), "" },
		{ EVENT("Notification", ",'notification_type':'auth_success'"), "" },
		{ EVENT("Notification", ",'notification_type':'permission_prompt'"), "" },
		{ EVENT("Notification", ""), "" },
		{ EVENT("UserPromptSubmit", ",'prompt':' <task-notification>canary'"), "" },
		{ "{'hook_event_name':7}", "" },
		{ "{}", "" },
		{ "[]", "" },
		{ "'PreToolUse'", "" },
	};

	told_check(cases, COUNT(cases), claude_hook_see);
}

TEST(members_of_other_types_are_not_known)
{
	static const struct told_case cases[] = {
		{ "{'hook_event_name':'PreToolUse','session_id':7,'tool_use_id':['x'],'tool_name':{}}",
		  "'kind':'tool_begin','layer':'hook'," BEGAN "'framework':'claude_code'}\n" },
		{ "{'hook_event_name':'PostToolUse','tool_use_id':'a path /data/canary','duration_ms':'x','tool_response':null}",
		  "'kind':'tool_end','layer':'hook'," ENDED "'framework':'claude_code'}\n" },
	};

	told_check(cases, COUNT(cases), claude_hook_see);
}
