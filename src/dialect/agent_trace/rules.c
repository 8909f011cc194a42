/* The table of rules.h, with the names of the documents that its rows refer to. */
#include "dialect/agent_trace/agent_trace.h"

#define SPEC "agent-trace/v1 section "
#define SPECS "agent-trace/v1 sections "
#define PAGE "doc/formats/agent-trace.md, "

#define RULE(code_, ...) [code_] = { #code_, __VA_ARGS__ },

const struct rule agent_trace_rules[AT_RULES + 1] = {
#include "dialect/agent_trace/rules.h"
	[AT_RULES] = { .code = NULL },
};
