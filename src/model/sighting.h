/*
 * What a layer besides the proxy saw: a tool call that began or ended, a model call, a person who was waited for, a
 * command that ran. The layers are programs that tell of themselves (OTLP), hooks of agents, a wrapper around an MCP
 * server, shims in front of commands. A sighting has times, sizes and ids, never content: only `tape` may hold some,
 * for the cassette of a run that keeps it.
 *
 * Several layers may see the same call. Who makes nodes of sightings joins them (capture/graph).
 */
#ifndef MODEL_SIGHTING_H
#define MODEL_SIGHTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* The words of agent-trace's known_by, in this order. */
enum sight_layer { SIGHT_PROXY, SIGHT_HOOK, SIGHT_OTLP, SIGHT_MCP, SIGHT_SHELL, SIGHT_LAYERS };

enum sight_kind {
	SIGHT_TOOL_BEGIN,    /* a tool call began, at begun_ns */
	SIGHT_TOOL_END,      /* it is over, at ended_ns; begun_ns where this layer knows it */
	SIGHT_MODEL,         /* a model call, whole */
	SIGHT_WAIT_BEGIN,    /* a person is waited for (permission, elicitation), from begun_ns; perhaps for `call` */
	SIGHT_WAIT_END,      /* no more, at ended_ns */
	SIGHT_INPUT,         /* a person said something, at begun_ns */
	SIGHT_AGENT_BEGIN,   /* a sub-agent began: `agent`, `parent_agent`, `call` that it is for where that is known */
	SIGHT_AGENT_END,
	SIGHT_SPAN,          /* a span that is no call: only where it stands between others */
	SIGHT_COMMAND_BEGIN, /* a command began: `command`, and `parent_command` that it was started from */
	SIGHT_COMMAND_END,
	SIGHT_TAPE,          /* nothing but `tape` */
	SIGHT_KINDS,
};

/* Texts with p NULL, times and numbers that are negative are not known: begin with sighting_of. */
struct sighting {
	unsigned kind, layer; /* enum sight_kind, enum sight_layer */
	int64_t begun_ns, ended_ns; /* since 1970 */
	struct str run;     /* the run that it belongs to, by the name that the client was given */
	struct str session, agent, parent_agent;
	struct str framework, framework_version;
	struct str trace, span, parent_span; /* of W3C trace context, in hexadecimal */
	/* tools */
	struct str call;    /* the id that the model gave it; of what a person said, that of the prompt */
	struct str name;    /* as the layer has it: "Bash", "mcp__github__search"; the program of a command */
	struct str server;  /* of an MCP tool; p NULL: it is none, or the name says it */
	int64_t cpu_ns;     /* that it took, children included */
	int64_t wall_ns;    /* where the layer measured it apart from its begin and end: without waiting for a person */
	int64_t size;       /* bytes of its result, or that a command wrote */
	struct str result_kind; /* text, json, image, binary */
	int64_t exit;       /* of a command */
	bool failed, partial;
	struct str command, parent_command;
	/* models */
	struct str response_id, model, provider, endpoint, stop_reason;
	bool stream;
	int64_t input, output, cache_read, cache_write, reasoning; /* tokens; input and output hold the parts */
	int64_t ttft_ns;
	double usd;
	const struct str *calls; /* ids of tool calls that the answer asks for */
	size_t call_count;
	const struct str *results; /* ids of calls whose results the request carries */
	size_t result_count;
	struct str tape;    /* a JSON object: what was said, as a line of a cassette; p NULL, or n 0: none */
};

/* A sighting of this kind that knows nothing else yet. */
static inline struct sighting sighting_of(enum sight_kind kind, enum sight_layer layer)
{
	return (struct sighting){
		.kind = kind, .layer = layer, .begun_ns = -1, .ended_ns = -1, .cpu_ns = -1, .wall_ns = -1, .size = -1,
		.exit = -1, .input = -1, .output = -1, .cache_read = -1, .cache_write = -1, .reasoning = -1,
		.ttft_ns = -1, .usd = -1,
	};
}

#endif
