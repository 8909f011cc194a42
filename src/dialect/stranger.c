/* The table of logs that are known by name and not read, and how each is recognised. */
#include "dialect/stranger.h"

#include "dialect/record/field.h"
#include "dialect/values.h"

#define NAMES 4

/* Names are members, or paths to members that begin with a slash. */
struct sign {
	const char *what;
	struct str names[NAMES];
	struct str type; /* what its member "type" begins with */
	bool vague;      /* other things look so too */
};

/* Known before our formats. Any row that fits. */
static const struct sign alike[] = {
	{ "a Cline session", { WORD("sessionId"), WORD("messages"), WORD("/origin/source") }, WORD(""), false },
	{ "a gptme conversation", { WORD("role"), WORD("timestamp"), WORD("pinned"), WORD("hide") }, WORD(""), false },
	{ "a gptme conversation", { WORD("role"), WORD("timestamp"), WORD("/metadata/served_model") }, WORD(""),
	  false },
	{ "a Cline session", { WORD("messages"), WORD("/messages/0/ts"), WORD("/messages/1/modelInfo") }, WORD(""),
	  false },
};

/* The first row that fits. */
static const struct sign signs[] = {
	{ "a session of pi", { WORD("type"), WORD("cwd"), WORD("version") }, WORD("session"), false },
	{ "a session of pi", { WORD("type"), WORD("cwd"), WORD("thinkingLevel") }, WORD("session"), false },
	{ "the record of a Cline session", { WORD("session_id"), WORD("workspace_root"), WORD("enable_tools") },
	  WORD(""), true },
	{ "a GitHub Copilot CLI session", { WORD("type"), WORD("/data/copilotVersion") }, WORD("session.start"),
	  false },
	{ "a Continue session", { WORD("sessionId"), WORD("workspaceDirectory"), WORD("history") }, WORD(""), false },
	{ "an opencode session", { WORD("messages"), WORD("/info/slug"), WORD("/info/projectID") }, WORD(""), false },
	{ "an AutoGen log", { WORD("type"), WORD("prompt_tokens") }, WORD("LLM"), false },
	{ "an AutoGen recording", { WORD("mode"), WORD("messages"), WORD("response") }, WORD(""), false },
	{ "an OpenTelemetry trace", { WORD("resourceSpans") }, WORD(""), false },
	{ "an Inspect log", { WORD("eval"), WORD("plan"), WORD("results") }, WORD(""), false },
	{ "an ATIF trajectory", { WORD("schema_version"), WORD("steps"), WORD("agent") }, WORD(""), false },
	{ "a mini-swe-agent trajectory", { WORD("trajectory_format"), WORD("messages") }, WORD(""), false },
	{ "an OpenHands or SWE-agent trajectory", { WORD("trajectory"), WORD("info") }, WORD(""), false },
	{ "an OpenHands log", { WORD("kind"), WORD("source"), WORD("timestamp") }, WORD(""), true },
	{ "a Claude Code session", { WORD("sessionId"), WORD("uuid"), WORD("type") }, WORD(""), false },
	{ "a Claude Code or Cursor stream", { WORD("session_id"), WORD("type") }, WORD("system"), false },
	{ "a Codex rollout", { WORD("timestamp"), WORD("type"), WORD("payload") }, WORD(""), true },
	{ "a Codex stream", { WORD("type") }, WORD("thread.started"), true },
	{ "an OpenAI Responses stream", { WORD("type"), WORD("response") }, WORD("response."), false },
	{ "an Anthropic message log", { WORD("stop_reason"), WORD("content"), WORD("usage") }, WORD(""), false },
	{ "an Anthropic message log", { WORD("type"), WORD("message") }, WORD("message"), true },
	{ "an Anthropic message log", { WORD("type"), WORD("message") }, WORD("user"), true },
	{ "an Anthropic message log", { WORD("type"), WORD("message") }, WORD("assistant"), true },
	{ "an OpenAI chat log", { WORD("choices"), WORD("model") }, WORD(""), true },
	{ "an OpenAI Responses log", { WORD("output"), WORD("object"), WORD("model") }, WORD(""), true },
	{ "an OpenAI or Anthropic request", { WORD("messages"), WORD("model") }, WORD(""), true },
	{ "a verifiers rollout", { WORD("prompt"), WORD("completion"), WORD("reward") }, WORD(""), false },
	{ "a list of messages", { WORD("messages") }, WORD(""), true },
	{ "a LangSmith run", { WORD("run_type"), WORD("inputs") }, WORD(""), false },
	{ "a Langfuse trace", { WORD("observations"), WORD("trace") }, WORD(""), false },
	{ "a CrewAI log", { WORD("event_data"), WORD("event_id") }, WORD(""), false },
	{ "a Gemini log", { WORD("candidates") }, WORD(""), true },
	{ "an MCP log", { WORD("jsonrpc"), WORD("method") }, WORD(""), true },
	{ "an MCP log", { WORD("jsonrpc"), WORD("result") }, WORD(""), true },
	{ "a log of requests and responses", { WORD("request"), WORD("response") }, WORD(""), true },
};

/* Texts that a damaged document still holds: all of a row. */
static const struct {
	const char *what;
	struct str marks[3];
} scars[] = {
	{ "a damaged Inspect log", { WORD("\"eval\""), WORD("\"task_id\""), WORD("\"plan\"") } },
	{ "a damaged ATIF trajectory", { WORD("\"ATIF-v") } },
	{ "a damaged Gemini CLI session", { WORD("\"sessionId\""), WORD("\"projectHash\""), WORD("\"messages\"") } },
	{ "a damaged OpenTelemetry trace", { WORD("\"resourceSpans\"") } },
};

/* All names of the row must be there, null or not, and its type must begin as it says. */
static bool sign_fits(const struct sign *s, struct val v)
{
	struct val type = val_get(v, STR("type"));

	if (s->type.n && !(val_is(type, JSON_STRING) && str_starts(val_raw(type), s->type)))
		return false;
	for (size_t i = 0; i < NAMES && s->names[i].n; i++) {
		struct str name = s->names[i];

		if (val_is_none(name.p[0] == '/' ? val_at(v, name) : val_get(v, name)))
			return false;
	}
	return true;
}

static bool sign_find(const struct sign *table, size_t count, struct val v, struct stranger *out)
{
	struct val first = val_is(v, JSON_ARRAY) ? values_first(v) : v; /* or a list of what a line would hold */

	for (size_t i = 0; i < count && val_is(first, JSON_OBJECT); i++) {
		if (!sign_fits(&table[i], first))
			continue;
		*out = (struct stranger){ table[i].what, !table[i].vague };
		return true;
	}
	return false;
}

bool stranger_find(struct val v, struct stranger *out)
{
	return sign_find(signs, COUNT(signs), v, out);
}

bool stranger_is_alike(struct val v, struct stranger *out)
{
	return sign_find(alike, COUNT(alike), v, out);
}

/* Only formats that are one document have scars: of lines, those that are whole still tell. */
bool stranger_find_damaged(struct str text, struct stranger *out)
{
	for (size_t i = 0; i < COUNT(scars); i++) {
		bool all = true;

		for (size_t k = 0; k < COUNT(scars[i].marks) && scars[i].marks[k].n; k++)
			all = all && str_has(text, scars[i].marks[k]);
		if (!all)
			continue;
		*out = (struct stranger){ scars[i].what, true };
		return true;
	}
	return false;
}
