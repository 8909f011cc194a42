/*
 * The names that telemetry has for what a run says: one row each, with its name in every profile. Nobody else in this
 * program spells a name that is written; dialect/otlp/attr.c lists those that are read.
 *
 * The profiles: the GenAI conventions as last released (1.41), what their repository has since and proposes
 * (genai-dev), and the names of section 13 of the agent-trace text, word for word (seed).
 */
#ifndef DIALECT_OTLP_NAMES_H
#define DIALECT_OTLP_NAMES_H

#include "base/str.h"

enum otlp_profile { OTLP_GENAI_1_41, OTLP_GENAI_DEV, OTLP_SEED, OTLP_PROFILES };

/* As --profile takes them. */
extern const struct str otlp_profiles[OTLP_PROFILES];

/* Of the conventions that a profile follows. */
extern const struct str otlp_schema_urls[OTLP_PROFILES];

enum otlp_name {
	/* attributes of spans and metrics */
	OTLP_NAME_OPERATION,
	OTLP_NAME_SPAN_KIND,
	OTLP_NAME_PROVIDER,
	OTLP_NAME_AGENT,
	OTLP_NAME_AGENT_VERSION,
	OTLP_NAME_AGENT_PROVIDER, /* of the root: the provider of its calls */
	OTLP_NAME_CONVERSATION,
	OTLP_NAME_REQUEST_MODEL,
	OTLP_NAME_RESPONSE_MODEL,
	OTLP_NAME_RESPONSE_ID,
	OTLP_NAME_FINISH,
	OTLP_NAME_STREAM,
	OTLP_NAME_TTFT,
	OTLP_NAME_TPOT,
	OTLP_NAME_INPUT,
	OTLP_NAME_OUTPUT,
	OTLP_NAME_CACHE_READ,
	OTLP_NAME_CACHE_WRITE,
	OTLP_NAME_REASONING,
	OTLP_NAME_INPUT_MESSAGES,
	OTLP_NAME_OUTPUT_MESSAGES,
	OTLP_NAME_COST,
	OTLP_NAME_COST_SOURCE,
	OTLP_NAME_ADDRESS,
	OTLP_NAME_PORT,
	OTLP_NAME_TOOL,
	OTLP_NAME_TOOL_TYPE,
	OTLP_NAME_TOOLS,
	OTLP_NAME_TOOL_CALL,
	OTLP_NAME_ARGS,
	OTLP_NAME_RESULT,
	OTLP_NAME_ARGS_HASH,
	OTLP_NAME_RESULT_HASH,
	OTLP_NAME_ERROR,
	OTLP_NAME_TOKEN_TYPE,
	OTLP_NAME_SERVICE,
	OTLP_NAME_SDK,
	OTLP_NAME_LANGUAGE,
	OTLP_NAME_PROJECT,
	/* what only a trace of ours says */
	OTLP_NAME_TRACE_ID,
	OTLP_NAME_NODE_ID,
	OTLP_NAME_NODE_KIND,
	OTLP_NAME_FRAMEWORK,
	OTLP_NAME_EXIT,
	OTLP_NAME_ENGINE,
	OTLP_NAME_RIG,
	OTLP_NAME_REDACTED,
	OTLP_NAME_REQUEST_ID,
	OTLP_NAME_INPUT_SOURCE,
	OTLP_NAME_OUTPUT_SOURCE,
	OTLP_NAME_KV,
	OTLP_NAME_EXTERNAL,
	OTLP_NAME_IO_BOUND,
	OTLP_NAME_STALL,
	OTLP_NAME_SIZE,
	OTLP_NAME_RESULT_KIND,
	OTLP_NAME_BRANCH,
	OTLP_NAME_SIBLINGS,
	OTLP_NAME_SIBLING_COUNT,
	OTLP_NAME_AGENT_ID,
	OTLP_NAME_PARTIAL,
	OTLP_NAME_INFERRED,
	OTLP_NAME_TOTAL_ONLY,
	OTLP_NAME_REFUSED,
	OTLP_NAME_SKEW,
	OTLP_NAME_SHIFT,
	OTLP_NAME_LAID_OUT,   /* of the root: the run had no times */
	OTLP_NAME_REAL_START, /* of the root, where its span is wider: nanoseconds since 1970 */
	OTLP_NAME_REAL_END,
	OTLP_NAME_LINK,
	OTLP_NAME_MISSING,
	/* metrics */
	OTLP_METRIC_TOKENS,
	OTLP_METRIC_DURATION,
	OTLP_METRIC_FIRST_CHUNK,
	OTLP_METRIC_SERVER_TTFT,
	OTLP_METRIC_SERVER_TPOT,
	OTLP_NAMES,
};

/* The name in a profile; n 0 where the profile has none, and nothing is written. */
struct str otlp_name(enum otlp_name name, enum otlp_profile profile);

/* OTLP_RELEASED(PROVIDER): the name that everybody has. */
#define OTLP_RELEASED(name_) otlp_name(OTLP_NAME_##name_, OTLP_GENAI_1_41)

/* "1.41", "genai-dev", "seed"; false, with *out as it was, for another word. */
bool otlp_find_profile(struct str word, enum otlp_profile *out);

#endif
