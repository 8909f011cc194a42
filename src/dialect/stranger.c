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

/* The first row that fits. */
static const struct sign signs[] = {
	{ "an OpenTelemetry trace", { WORD("resourceSpans") }, WORD(""), false },
	{ "an Inspect log", { WORD("eval"), WORD("plan"), WORD("results") }, WORD(""), false },
	{ "an ATIF trajectory", { WORD("schema_version"), WORD("steps"), WORD("agent") }, WORD(""), false },
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
	{ "a list of messages", { WORD("messages") }, WORD(""), true },
	{ "the journal of a gptme conversation", { WORD("seq"), WORD("ts"), WORD("/payload/message") },
	  WORD("message_append"), true },
	{ "the list of Continue's sessions", { WORD("sessionId"), WORD("dateCreated"), WORD("workspaceDirectory") },
	  WORD(""), true },
	{ "a trace of the OpenAI Agents SDK", { WORD("traces"), WORD("/traces/0/spans") }, WORD(""), false },
	{ "a log of NeMo's agent toolkit (ATOF)", { WORD("kind"), WORD("atof_version"), WORD("uuid") }, WORD(""),
	  false },
	{ "a Langfuse trace", { WORD("observations"), WORD("trace") }, WORD(""), false },
	{ "a Gemini log", { WORD("candidates") }, WORD(""), true },
	{ "a log of requests and responses", { WORD("request"), WORD("response") }, WORD(""), true },
};

/* Texts that a damaged document still holds: all of a row. */
static const struct {
	const char *what;
	struct str marks[3];
	bool is_whole; /* nothing is damaged: it never was JSON */
} scars[] = {
	{ "a Git LFS pointer in place of the file ('git lfs pull' fetches it)",
	  { WORD("version https://git-lfs.github.com/spec/"), WORD("oid sha256:") }, true },
	{ "a damaged Inspect log", { WORD("\"eval\""), WORD("\"task_id\""), WORD("\"plan\"") }, false },
	{ "a damaged ATIF trajectory", { WORD("\"ATIF-v") }, false },
	{ "a damaged OpenTelemetry trace", { WORD("\"resourceSpans\"") }, false },
	{ "a damaged SWE-agent trajectory", { WORD("\"trajectory\""), WORD("\"observation\""), WORD("\"thought\"") },
	  false },
	{ "a damaged mini-swe-agent trajectory", { WORD("\"mini_version\""), WORD("\"messages\"") }, false },
	{ "a damaged Gemini CLI session", { WORD("\"sessionId\""), WORD("\"projectHash\""), WORD("\"messages\"") },
	  false },
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
		*out = (struct stranger){ .what = table[i].what, .is_log = !table[i].vague };
		return true;
	}
	return false;
}

bool stranger_find(struct val v, struct stranger *out)
{
	return sign_find(signs, COUNT(signs), v, out);
}

/* Only formats that are one document have scars: of lines, those that are whole still tell. */
bool stranger_find_damaged(struct str text, struct stranger *out)
{
	if (str_starts(text, STR("SQLite format 3"))) {
		*out = (struct stranger){ .what = "an SQLite database", .is_log = true,
					  .help = "export its tables as JSON, one row on each line; the rows of "
					  "AutoGen's logs.db can be read so, for example" };
		return true;
	}
	for (size_t i = 0; i < COUNT(scars); i++) {
		bool all = true;

		for (size_t k = 0; k < COUNT(scars[i].marks) && scars[i].marks[k].n; k++)
			all = all && str_has(text, scars[i].marks[k]);
		if (!all)
			continue;
		*out = (struct stranger){ .what = scars[i].what, .is_log = true, .is_damaged = !scars[i].is_whole };
		return true;
	}
	return false;
}
