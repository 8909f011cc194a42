/* The table. A name that is the same everywhere is written once. */
#include "dialect/otlp/names.h"

#include "dialect/record/field.h"

const struct str otlp_profiles[OTLP_PROFILES] = { WORD("1.41"), WORD("genai-dev"), WORD("seed") };

const struct str otlp_schema_urls[OTLP_PROFILES] = {
	WORD("https://opentelemetry.io/schemas/1.41.0"),
	WORD("https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"),
	WORD("https://opentelemetry.io/schemas/1.41.0"),
};

#define SAME(name) { WORD(name), WORD(name), WORD(name) }
#define EACH(released, dev, seed) { WORD(released), WORD(dev), WORD(seed) }

static const struct str names[OTLP_NAMES][OTLP_PROFILES] = {
	[OTLP_NAME_OPERATION] = SAME("gen_ai.operation.name"),
	[OTLP_NAME_SPAN_KIND] = SAME("openinference.span.kind"),
	[OTLP_NAME_PROVIDER] = SAME("gen_ai.provider.name"),
	[OTLP_NAME_AGENT] = SAME("gen_ai.agent.name"),
	[OTLP_NAME_AGENT_VERSION] = SAME("gen_ai.agent.version"),
	[OTLP_NAME_AGENT_PROVIDER] = EACH("gen_ai.provider.name", "", "gen_ai.provider.name"),
	[OTLP_NAME_CONVERSATION] = SAME("gen_ai.conversation.id"),
	[OTLP_NAME_REQUEST_MODEL] = SAME("gen_ai.request.model"),
	[OTLP_NAME_RESPONSE_MODEL] = SAME("gen_ai.response.model"),
	[OTLP_NAME_RESPONSE_ID] = SAME("gen_ai.response.id"),
	[OTLP_NAME_FINISH] = SAME("gen_ai.response.finish_reasons"),
	[OTLP_NAME_STREAM] = SAME("gen_ai.request.stream"),
	[OTLP_NAME_TTFT] = EACH("gen_ai.response.time_to_first_chunk", "gen_ai.response.time_to_first_chunk",
				"gen_ai.server.time_to_first_token"),
	[OTLP_NAME_TPOT] = EACH("agent_trace.tpot_seconds", "agent_trace.tpot_seconds",
				"gen_ai.server.time_per_output_token"),
	[OTLP_NAME_INPUT] = SAME("gen_ai.usage.input_tokens"),
	[OTLP_NAME_OUTPUT] = SAME("gen_ai.usage.output_tokens"),
	[OTLP_NAME_CACHE_READ] = SAME("gen_ai.usage.cache_read.input_tokens"),
	[OTLP_NAME_CACHE_WRITE] = EACH("gen_ai.usage.cache_creation.input_tokens",
				       "gen_ai.usage.cache_write.input_tokens",
				       "gen_ai.usage.cache_creation.input_tokens"),
	[OTLP_NAME_REASONING] = SAME("gen_ai.usage.reasoning.output_tokens"),
	[OTLP_NAME_INPUT_MESSAGES] = SAME("gen_ai.input.messages"),
	[OTLP_NAME_OUTPUT_MESSAGES] = SAME("gen_ai.output.messages"),
	[OTLP_NAME_COST] = SAME("llm.cost.total"),
	[OTLP_NAME_COST_SOURCE] = SAME("agent_trace.cost.source"),
	[OTLP_NAME_ADDRESS] = SAME("server.address"),
	[OTLP_NAME_PORT] = SAME("server.port"),
	[OTLP_NAME_TOOL] = SAME("gen_ai.tool.name"),
	[OTLP_NAME_TOOL_TYPE] = SAME("gen_ai.tool.type"),
	[OTLP_NAME_TOOLS] = SAME("gen_ai.tool.definitions"),
	[OTLP_NAME_TOOL_CALL] = SAME("gen_ai.tool.call.id"),
	[OTLP_NAME_ARGS] = SAME("gen_ai.tool.call.arguments"),
	[OTLP_NAME_RESULT] = SAME("gen_ai.tool.call.result"),
	/* proposed: open-telemetry/semantic-conventions-genai, pull request 466 */
	[OTLP_NAME_ARGS_HASH] = EACH("", "gen_ai.tool.call.arguments_hash", ""),
	[OTLP_NAME_RESULT_HASH] = EACH("", "gen_ai.tool.call.result_hash", ""),
	[OTLP_NAME_ERROR] = SAME("error.type"),
	[OTLP_NAME_TOKEN_TYPE] = SAME("gen_ai.token.type"),
	[OTLP_NAME_SERVICE] = SAME("service.name"),
	[OTLP_NAME_SDK] = SAME("telemetry.sdk.name"),
	[OTLP_NAME_LANGUAGE] = SAME("telemetry.sdk.language"),
	[OTLP_NAME_PROJECT] = SAME("openinference.project.name"),

	[OTLP_NAME_TRACE_ID] = SAME("agent_trace.trace.id"),
	[OTLP_NAME_NODE_ID] = SAME("agent_trace.node.id"),
	[OTLP_NAME_NODE_KIND] = SAME("agent_trace.node.kind"),
	[OTLP_NAME_FRAMEWORK] = SAME("agent_trace.framework"),
	[OTLP_NAME_EXIT] = SAME("agent_trace.exit_status"),
	[OTLP_NAME_ENGINE] = SAME("agent_trace.engine"),
	[OTLP_NAME_RIG] = SAME("agent_trace.rig_label"),
	[OTLP_NAME_REDACTED] = SAME("agent_trace.prompts_redacted"),
	[OTLP_NAME_REQUEST_ID] = SAME("agent_trace.request.id"),
	[OTLP_NAME_INPUT_SOURCE] = SAME("agent_trace.usage.input_tokens.source"),
	[OTLP_NAME_OUTPUT_SOURCE] = SAME("agent_trace.usage.output_tokens.source"),
	[OTLP_NAME_KV] = SAME("agent_trace.kv_pressure_label"),
	[OTLP_NAME_EXTERNAL] = SAME("agent_trace.tool.is_external"),
	[OTLP_NAME_IO_BOUND] = SAME("agent_trace.tool.is_io_bound"),
	[OTLP_NAME_STALL] = SAME("agent_trace.tool.stall_seconds"),
	[OTLP_NAME_SIZE] = SAME("agent_trace.tool.result_size_bytes"),
	[OTLP_NAME_RESULT_KIND] = SAME("agent_trace.tool.result_kind"),
	[OTLP_NAME_BRANCH] = SAME("agent_trace.branch.kind"),
	[OTLP_NAME_SIBLINGS] = SAME("agent_trace.branch.siblings"),
	[OTLP_NAME_SIBLING_COUNT] = SAME("agent_trace.branch.sibling_count"),
	[OTLP_NAME_AGENT_ID] = SAME("agent_trace.agent.id"),
	[OTLP_NAME_PARTIAL] = SAME("agent_trace.partial"),
	[OTLP_NAME_INFERRED] = SAME("agent_trace.inferred"),
	[OTLP_NAME_TOTAL_ONLY] = SAME("agent_trace.total_only"),
	[OTLP_NAME_REFUSED] = SAME("agent_trace.refused"),
	[OTLP_NAME_SKEW] = SAME("agent_trace.clock_skew"),
	[OTLP_NAME_SHIFT] = SAME("agent_trace.time_shift_seconds"),
	[OTLP_NAME_LAID_OUT] = SAME("agent_trace.times_laid_out"),
	[OTLP_NAME_REAL_START] = SAME("agent_trace.start_unix_nano"),
	[OTLP_NAME_REAL_END] = SAME("agent_trace.end_unix_nano"),
	[OTLP_NAME_LINK] = SAME("agent_trace.link.kind"),
	[OTLP_NAME_MISSING] = SAME("agent_trace.parent.missing"),

	[OTLP_METRIC_TOKENS] = SAME("gen_ai.client.token.usage"),
	[OTLP_METRIC_DURATION] = SAME("gen_ai.client.operation.duration"),
	[OTLP_METRIC_FIRST_CHUNK] = EACH("gen_ai.client.operation.time_to_first_chunk",
					 "gen_ai.client.operation.time_to_first_chunk", ""),
	[OTLP_METRIC_SERVER_TTFT] = SAME("gen_ai.server.time_to_first_token"),
	[OTLP_METRIC_SERVER_TPOT] = SAME("gen_ai.server.time_per_output_token"),
};

struct str otlp_name(enum otlp_name name, enum otlp_profile profile)
{
	return names[name][profile];
}

bool otlp_find_profile(struct str word, enum otlp_profile *out)
{
	for (unsigned i = 0; i < OTLP_PROFILES; i++) {
		if (str_eq(word, otlp_profiles[i])) {
			*out = (enum otlp_profile)i;
			return true;
		}
	}
	return false;
}
