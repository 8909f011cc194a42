/* One row for each name that --to takes; formats with variants have several. */
#include "dialect/target.h"

#include "dialect/formats.h"

const struct target targets[] = {
	{ "otutl", &otutl_dialect, NULL, ".otutl.jsonl" },
	{ "agent-trace", &agent_trace_dialect, NULL, ".agent-trace.jsonl" },
	{ "trajectory", &trajectory_dialect, NULL, ".trajectory.jsonl" },
	{ "conversation", &conversation_dialect, "canonical", ".conversation.jsonl" },
	{ "conversation-openai", &conversation_dialect, "openai", ".conversation.jsonl" },
	{ "conversation-anthropic", &conversation_dialect, "anthropic", ".conversation.jsonl" },
	{ "atif", &atif_dialect, NULL, ".atif.json" },
	{ "claude-code", &claude_code_dialect, NULL, ".claude-code.jsonl" },
	{ "otlp-json", &otlp_dialect, NULL, ".otlp.json" },
	{ "langsmith", &langsmith_dialect, NULL, ".langsmith.jsonl" },
	{ NULL, NULL, NULL, NULL },
};

const struct target *target_find(struct str name)
{
	for (const struct target *t = targets; t->name; t++)
		if (str_eq(str_from(t->name), name))
			return t;
	return NULL;
}
