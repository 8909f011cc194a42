/* Every format, one constant each; dialects.c lists them. */
#ifndef DIALECT_FORMATS_H
#define DIALECT_FORMATS_H

#include "dialect/dialect.h"
#include "dialect/exchange/vendors.h"

extern const struct dialect agent_trace_dialect;
extern const struct dialect otutl_dialect;
extern const struct dialect trajectory_dialect;
extern const struct dialect conversation_dialect;
extern const struct dialect trial_dialect;
extern const struct dialect review_dialect;
extern const struct dialect results_dialect;
extern const struct dialect summary_dialect;
extern const struct dialect bench_config_dialect;
extern const struct dialect bench_inventory_dialect;

/* The logs of vendors' APIs: one dialect for each row of exchange/vendors.h. */
#define FORMAT_DECLARE(name) extern const struct dialect name##_dialect;
VENDORS(FORMAT_DECLARE)
#undef FORMAT_DECLARE
extern const struct dialect cassette_dialect; /* what our own recorder keeps: exchanges of any API */
extern const struct dialect claude_code_dialect;
extern const struct dialect codex_dialect;
extern const struct dialect atif_dialect;
extern const struct dialect inspect_dialect;
extern const struct dialect otlp_dialect;
extern const struct dialect langsmith_dialect;
extern const struct dialect crewai_dialect;
extern const struct dialect verifiers_dialect;
extern const struct dialect swe_agent_dialect;
extern const struct dialect openhands_dialect;
extern const struct dialect mcp_dialect;
extern const struct dialect mooncake_dialect;
extern const struct dialect autogen_dialect;
extern const struct dialect opencode_dialect;
extern const struct dialect pi_dialect;
extern const struct dialect copilot_dialect;
extern const struct dialect cline_dialect;
extern const struct dialect continue_dialect;
extern const struct dialect gptme_dialect;
extern const struct dialect aider_dialect;
extern const struct dialect cursor_dialect;
extern const struct dialect gemini_cli_dialect;
extern const struct dialect qwen_code_dialect;
extern const struct dialect json_dialect;
extern const struct dialect jsonl_dialect;

/* Not one of them: any JSON, of which only the strings are searched for keys. */
extern const struct dialect secrets_dialect;

#endif
