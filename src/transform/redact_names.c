#include "transform/redact_names.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/mask.h"

#define WORD_MOST 64
#define NAME_MOST 128
#define ID_MOST 512
#define MEDIA_LEAST 256
#define BLANKS_MOST 4
#define AROUND (-1)

/* Sorted by name; test_redact_names fails when it is not. */
static const struct redact_name names[] = {
	{ "accept", NAME_HEADER, AROUND },
	{ "answer", NAME_BODY, AROUND },
	{ "anthropic-beta", NAME_HEADER, AROUND },
	{ "anthropic-version", NAME_HEADER, AROUND },
	{ "apiVersion", NAME_WORD, AROUND },
	{ "args", NAME_ARGS, REDACT_ARGS },
	{ "arguments", NAME_ARGS, REDACT_ARGS },
	{ "arrayValue", NAME_INHERIT, AROUND },
	{ "attempt", NAME_WORD, AROUND },
	{ "base_url", NAME_URL, AROUND },
	{ "body", NAME_BODY, AROUND },
	{ "body_text", NAME_BODY, AROUND },
	{ "class", NAME_WORD, AROUND },
	{ "code", NAME_WORD, AROUND },
	{ "content-encoding", NAME_HEADER, AROUND },
	{ "content-type", NAME_HEADER, AROUND },
	{ "created", NAME_TIME, AROUND },
	{ "cwd", NAME_CONTENT, REDACT_PATHS },
	{ "date", NAME_TIME, AROUND },
	{ "detail", NAME_WORD, AROUND },
	{ "dotted_order", NAME_ID, AROUND },
	{ "effort", NAME_WORD, AROUND },
	{ "enc", NAME_WORD, AROUND },
	{ "encrypted_content", NAME_OPAQUE, AROUND },
	{ "end", NAME_WORD, AROUND },
	{ "ended", NAME_TIME, AROUND },
	{ "endpoint", NAME_URL, AROUND },
	{ "entrypoint", NAME_WORD, AROUND },
	{ "event", NAME_WORD, AROUND },
	{ "exit_status", NAME_WORD, AROUND },
	{ "file", NAME_CONTENT, REDACT_PATHS },
	{ "filePath", NAME_CONTENT, REDACT_PATHS },
	{ "file_path", NAME_CONTENT, REDACT_PATHS },
	{ "finishReason", NAME_WORD, AROUND },
	{ "finish_reason", NAME_WORD, AROUND },
	{ "finish_reasons", NAME_WORD, AROUND },
	{ "format", NAME_WORD, AROUND },
	{ "framework", NAME_WORD, AROUND },
	{ "function_name", NAME_TOOL, AROUND },
	{ "gitBranch", NAME_CONTENT, REDACT_PATHS },
	{ "git_branch", NAME_CONTENT, REDACT_PATHS },
	{ "hook_event_name", NAME_WORD, AROUND },
	{ "id", NAME_ID, AROUND },
	{ "ids", NAME_ID, AROUND },
	{ "inline", NAME_BODY, AROUND },
	{ "input", NAME_ITEMS, REDACT_ARGS },
	{ "inputs", NAME_ARGS, REDACT_ARGS },
	{ "instructions", NAME_CONTENT, REDACT_PROMPT },
	{ "intValue", NAME_ID, AROUND },
	{ "jsonrpc", NAME_WORD, AROUND },
	{ "key", NAME_WORD, AROUND },
	{ "kind", NAME_WORD, AROUND },
	{ "lane", NAME_WORD, AROUND },
	{ "level", NAME_WORD, AROUND },
	{ "media_type", NAME_WORD, AROUND },
	{ "messages", NAME_BODY, AROUND },
	{ "method", NAME_METHOD, AROUND },
	{ "mimeType", NAME_WORD, AROUND },
	{ "mime_type", NAME_WORD, AROUND },
	{ "mode", NAME_WORD, AROUND },
	{ "model", NAME_MODEL, AROUND },
	{ "modelVersion", NAME_MODEL, AROUND },
	{ "model_name", NAME_MODEL, AROUND },
	{ "name", NAME_TOOL, AROUND },
	{ "namespace", NAME_TOOL, AROUND },
	{ "native_finish_reason", NAME_WORD, AROUND },
	{ "obfuscation", NAME_WORD, AROUND },
	{ "object", NAME_WORD, AROUND },
	{ "openai-model", NAME_HEADER, AROUND },
	{ "openai-processing-ms", NAME_HEADER, AROUND },
	{ "openai-version", NAME_HEADER, AROUND },
	{ "output", NAME_ITEMS, REDACT_RESULTS },
	{ "outputs", NAME_RESULT, REDACT_RESULTS },
	{ "packing", NAME_WORD, AROUND },
	{ "parentUuid", NAME_ID, AROUND },
	{ "partial_json", NAME_ARGS, REDACT_ARGS },
	{ "path", NAME_CONTENT, REDACT_PATHS },
	{ "permissionMode", NAME_WORD, AROUND },
	{ "phase", NAME_WORD, AROUND },
	{ "profile", NAME_WORD, AROUND },
	{ "prompt", NAME_CONTENT, REDACT_PROMPT },
	{ "provider", NAME_WORD, AROUND },
	{ "rbody", NAME_BODY, AROUND },
	{ "reasoning", NAME_CONTENT, REDACT_THINKING },
	{ "reasoning_content", NAME_CONTENT, REDACT_THINKING },
	{ "recipient", NAME_WORD, AROUND },
	{ "recorder", NAME_HEADER, AROUND },
	{ "request-id", NAME_HEADER, AROUND },
	{ "request_body", NAME_BODY, AROUND },
	{ "required", NAME_WORD, AROUND },
	{ "response", NAME_ITEMS, REDACT_RESULTS },
	{ "response_body", NAME_BODY, AROUND },
	{ "result", NAME_ITEMS, REDACT_RESULTS },
	{ "retry-after", NAME_HEADER, AROUND },
	{ "role", NAME_WORD, AROUND },
	{ "rules_sha256", NAME_ID, AROUND },
	{ "schema_version", NAME_WORD, AROUND },
	{ "scope", NAME_WORD, AROUND },
	{ "server_label", NAME_TOOL, AROUND },
	{ "server_name", NAME_TOOL, AROUND },
	{ "service_tier", NAME_WORD, AROUND },
	{ "signature", NAME_OPAQUE, AROUND },
	{ "source", NAME_WORD, AROUND },
	{ "speed", NAME_WORD, AROUND },
	{ "started", NAME_TIME, AROUND },
	{ "status", NAME_WORD, AROUND },
	{ "stop_reason", NAME_WORD, AROUND },
	{ "stringValue", NAME_INHERIT, AROUND },
	{ "structuredContent", NAME_RESULT, REDACT_RESULTS },
	{ "subtype", NAME_WORD, AROUND },
	{ "summary", NAME_CONTENT, REDACT_THINKING },
	{ "system", NAME_CONTENT, REDACT_PROMPT },
	{ "system_fingerprint", NAME_ID, AROUND },
	{ "thinking", NAME_CONTENT, REDACT_THINKING },
	{ "thoughtSignature", NAME_OPAQUE, AROUND },
	{ "thought_signature", NAME_OPAQUE, AROUND },
	{ "time", NAME_TIME, AROUND },
	{ "timestamp", NAME_TIME, AROUND },
	{ "toolUseResult", NAME_RESULT, REDACT_RESULTS },
	{ "tool_choice", NAME_WORD, AROUND },
	{ "tool_name", NAME_TOOL, AROUND },
	{ "ts", NAME_TIME, AROUND },
	{ "ttl", NAME_WORD, AROUND },
	{ "type", NAME_WORD, AROUND },
	{ "user-agent", NAME_HEADER, AROUND },
	{ "userType", NAME_WORD, AROUND },
	{ "uuid", NAME_ID, AROUND },
	{ "v", NAME_WORD, AROUND },
	{ "values", NAME_INHERIT, AROUND },
	{ "verbosity", NAME_WORD, AROUND },
	{ "version", NAME_WORD, AROUND },
	{ "x-app", NAME_HEADER, AROUND },
	{ "x-should-retry", NAME_HEADER, AROUND },
};

static const struct {
	struct str end;
	struct redact_name row;
} ends[] = {
	{ { "request-id", 10 }, { "*request-id", NAME_HEADER, AROUND } },
	{ { "_ai.system", 10 }, { "*_ai.system", NAME_WORD, AROUND } }, /* who serves the model, in telemetry */
	{ { "user_id", 7 }, { "*user_id", NAME_CONTENT, AROUND } },
	{ { "userId", 6 }, { "*userId", NAME_CONTENT, AROUND } },
	{ { "_id", 3 }, { "*_id", NAME_ID, AROUND } },
	{ { "_ids", 4 }, { "*_ids", NAME_ID, AROUND } },
	{ { "Id", 2 }, { "*Id", NAME_ID, AROUND } },
	{ { "Ids", 3 }, { "*Ids", NAME_ID, AROUND } },
	{ { "ID", 2 }, { "*ID", NAME_ID, AROUND } },
	{ { "Uuid", 4 }, { "*Uuid", NAME_ID, AROUND } },
	{ { "UUID", 4 }, { "*UUID", NAME_ID, AROUND } },
	{ { "_uuid", 5 }, { "*_uuid", NAME_ID, AROUND } },
	{ { "_at", 3 }, { "*_at", NAME_TIME, AROUND } },
	{ { "At", 2 }, { "*At", NAME_TIME, AROUND } },
	{ { "_time", 5 }, { "*_time", NAME_TIME, AROUND } },
	{ { "Time", 4 }, { "*Time", NAME_TIME, AROUND } },
	{ { "imestamp", 8 }, { "*timestamp", NAME_TIME, AROUND } },
	{ { "UnixNano", 8 }, { "*UnixNano", NAME_TIME, AROUND } },
	{ { "_version", 8 }, { "*_version", NAME_WORD, AROUND } },
	{ { "Version", 7 }, { "*Version", NAME_WORD, AROUND } },
	{ { "_reason", 7 }, { "*_reason", NAME_WORD, AROUND } },
	{ { "_type", 5 }, { "*_type", NAME_WORD, AROUND } },
	{ { "_kind", 5 }, { "*_kind", NAME_WORD, AROUND } },
	{ { "_source", 7 }, { "*_source", NAME_WORD, AROUND } },
	{ { "_label", 6 }, { "*_label", NAME_WORD, AROUND } },
};

static const struct redact_name limits = { "*-ratelimit-*", NAME_HEADER, AROUND };
static const struct redact_name stranger = { "", NAME_CONTENT, AROUND };

static int names_cmp(const void *key, const void *row)
{
	return str_cmp(*(const struct str *)key, str_from(((const struct redact_name *)row)->name));
}

const struct redact_name *redact_name_find(struct str name)
{
	const struct redact_name *row = bsearch(&name, names, COUNT(names), sizeof(names[0]), names_cmp);

	for (size_t i = 0; !row && i < COUNT(ends); i++)
		if (str_ends(name, ends[i].end))
			return &ends[i].row;
	if (!row && (str_starts(name, STR("x-ratelimit-")) || str_starts(name, STR("anthropic-ratelimit-"))))
		return &limits;
	return row ? row : &stranger;
}

const struct redact_name *redact_name_of_attribute(struct str key)
{
	static const char *const people[] = { "user", "enduser", "host", "process", "os", "file", "node", "pod" };
	static const char *const named[] = { "tool", "function", "agent", "toolCall", "operation", "provider", "call",
					     "service", "framework", "span" };
	const struct redact_name *whole = redact_name_find(key);
	struct str left = key, part, before = STR(""), last = key;

	while (left.n) {
		part = str_cut(left, '.', &left);
		if (left.n && str_is_word_of(part, people, COUNT(people)))
			return &stranger; /* of a person, a machine or a file */
		before = left.n ? part : before;
		last = part;
	}
	if (whole->kind != NAME_CONTENT)
		return whole;
	if (str_eq(last, STR("name")) && !str_is_word_of(before, named, COUNT(named)))
		return &stranger;
	return redact_name_find(last);
}

/* ---- looks ---- */

static bool names_are_made_of(struct str s, const char *signs, size_t most)
{
	if (s.n == 0 || s.n > most)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_word(s.p[i]) && !ascii_is_one_of(s.p[i], signs))
			return false;
	return true;
}

static bool names_is_path(struct str s)
{
	return s.p[0] == '/' || s.p[0] == '~' || s.p[0] == '.' || str_has(s, STR("://")) || str_has(s, STR("/.")) ||
	       str_has(s, STR(":/"));
}

/* "application/json", "agent-trace/v1", "openai/1": two words of which the first is a kind, or the second a version. */
static bool names_is_pair(struct str s)
{
	static const char *const kinds[] = { "application", "text", "image", "audio", "video", "multipart" };
	struct str version, kind = str_cut(s, '/', &version);

	if (str_is_word_of(kind, kinds, COUNT(kinds)))
		return !memchr(version.p, '/', version.n);
	if (str_starts(version, STR("v")))
		version = str_skip(version, 1);
	for (size_t i = 0; i < version.n; i++)
		if (!ascii_is_digit(version.p[i]) && version.p[i] != '.')
			return false;
	return version.n > 0;
}

/* Without a slash, or one that no path has; base64 that is filled up has any. */
static bool names_has_no_path(struct str s)
{
	return !names_is_path(s) && (!memchr(s.p, '/', s.n) || names_is_pair(s) || str_ends(s, STR("=")));
}

/* A version behind it (claude@20250101), and no host. */
static bool names_has_mail(struct str s)
{
	const char *at = memchr(s.p, '@', s.n);

	return at && at > s.p && (at + 1 == s.p + s.n || !ascii_is_digit(at[1]));
}

static bool names_is_time(struct str s)
{
	if (str_ends(s, STR(" GMT")) && s.n < 40)
		return names_are_made_of(s, " ,:", 40);
	if (s.n == 0 || !ascii_is_digit(s.p[0]) || s.n > 40)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_digit(s.p[i]) && !ascii_is_one_of(s.p[i], "TtZz:.+- "))
			return false;
	return true;
}

/* What services take behind their paths: it says nothing of what was asked. */
static bool names_is_query(struct str query)
{
	static const char *const begins[] = { "alt=", "beta=", "api-version=", "stream=" };

	for (size_t i = 0; i < COUNT(begins); i++)
		if (str_starts(query, str_from(begins[i])))
			return query.n <= WORD_MOST && !memchr(query.p, '&', query.n);
	return query.n == 0;
}

/* An address without user, query of content or credentials, or fragment; with a scheme or as a path of an API. */
static bool names_is_url(struct str s)
{
	static const char *const begins[] = { "http://", "https://", "ws://", "wss://", "/v1", "/v2", "/api/",
					      "/openai/", "/chat/", "/responses", "/messages", "/backend-api/",
					      "/models/", "/model/" };
	struct str query;
	bool known = false;
	struct buf shown;
	bool hidden;

	for (size_t i = 0; i < COUNT(begins) && !known; i++)
		known = str_starts(s, str_from(begins[i]));
	str_cut(s, '?', &query);
	if (!known || !names_are_made_of(s, "-.:/?=&+[]", ID_MOST) || str_has(s, STR("/.")) || !names_is_query(query))
		return false;
	buf_init(&shown);
	hidden = mask_text(&shown, s, 0, NULL, NULL);
	buf_free(&shown);
	return !hidden;
}

/* "claude-cli/2.0 (external, cli)" is one; a sentence is none. */
static bool names_is_header(struct str s)
{
	size_t blanks = str_count(s, ' ');
	bool has_signs = memchr(s.p, '/', s.n) || memchr(s.p, ';', s.n) || memchr(s.p, ',', s.n);

	return names_are_made_of(s, " -.:/+;=,()*\"", ID_MOST) && !names_is_path(s) && (blanks == 0 || has_signs) &&
	       blanks <= BLANKS_MOST;
}

static bool names_is_word(struct str s)
{
	return names_are_made_of(s, "-.:/+", WORD_MOST) && names_has_no_path(s);
}

/* "tools/call": words of the protocol before the slash, words behind it. */
static bool names_is_rpc(struct str s)
{
	static const char *const subjects[] = { "completion", "elicitation", "logging", "notifications", "prompts",
						"resources", "roots", "sampling", "server", "subscriptions", "tasks",
						"tools" };
	struct str rest, subject = str_cut(s, '/', &rest);

	return str_is_word_of(subject, subjects, COUNT(subjects)) && names_are_made_of(rest, "/", WORD_MOST);
}

bool redact_looks_right(enum redact_kind kind, struct str s)
{
	switch (kind) {
	case NAME_METHOD:
		return names_is_word(s) || names_is_rpc(s);
	case NAME_WORD:
		return names_is_word(s);
	case NAME_TOOL:
		return names_are_made_of(s, "-.:/$", NAME_MOST) && !names_is_path(s);
	case NAME_ID:
		return names_are_made_of(s, "-.:/=+|~#", ID_MOST) && names_has_no_path(s);
	case NAME_MODEL:
		return names_are_made_of(s, "-.:/+@[]", NAME_MOST) && !names_is_path(s) && !names_has_mail(s);
	case NAME_OPAQUE:
		return names_are_made_of(s, "-+/=", SIZE_MAX);
	case NAME_TIME:
		return names_is_time(s);
	case NAME_URL:
		return names_is_url(s);
	case NAME_HEADER:
		return names_is_header(s);
	default:
		return false;
	}
}

bool redact_name_is_plain(struct str name)
{
	return name.n == 0 || (names_are_made_of(name, "-.:/$[]", WORD_MOST) && names_has_no_path(name));
}

bool redact_is_media(struct str s)
{
	if (str_starts(s, STR("data:")) && str_has(str_of(s.p, s.n < 200 ? s.n : 200), STR(";base64,")))
		return true;
	if (s.n < MEDIA_LEAST)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_word(s.p[i]) && !ascii_is_one_of(s.p[i], "+/=-\r\n"))
			return false;
	return true;
}
