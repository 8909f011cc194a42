#include "model/words.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/crypto/hex.h"
#include "base/utf8.h"

/* Words of others, each with the same one of ours, in lower case and with '_' for '-' and ' '. */
struct fold {
	const char *ours;
	const char *words[10]; /* NULL behind the last */
};

static const struct fold stop_reasons[] = {
	{ "tool_use", { "tool_use", "tool_call", "tool_calls", "tooluse", "function_call", "function_calls" } },
	{ "end_turn", { "end_turn", "stop", "stop_sequence", "completed", "complete", "eos" } },
	{ "length", { "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded" } },
	{ "error", { "malformed_function_call", "failed", "error", "timeout", "cancelled", "canceled", "aborted" } },
};

/* Stop reasons too, folded to "error". */
static const struct fold refusals[] = {
	{ "error", { "content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii",
		     "guardrail_intervened" } },
};

static const struct fold tool_choices[] = {
	{ "auto", { "auto" } },
	{ "none", { "none" } },
	{ "required", { "required", "any", "tool", "function" } },
};

static bool is_word(struct str text, const char *word)
{
	size_t i = 0;

	for (; i < text.n && word[i]; i++) {
		char c = ascii_lower(text.p[i]);

		if ((c == '-' || c == ' ' ? '_' : c) != word[i])
			return false;
	}
	return i == text.n && word[i] == '\0';
}

/* The word of ours for a text, or NULL. */
static const char *fold_word(struct str text, const struct fold *table, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (const char *const *word = table[i].words; *word; word++)
			if (is_word(text, *word))
				return table[i].ours;
	return NULL;
}

bool words_is_refusal(struct str vendor_word)
{
	return fold_word(vendor_word, refusals, COUNT(refusals)) != NULL;
}

const char *words_stop_reason(struct str vendor_word)
{
	return words_is_refusal(vendor_word) ? refusals[0].ours
					     : fold_word(vendor_word, stop_reasons, COUNT(stop_reasons));
}

const char *words_tool_choice(struct str vendor_word)
{
	return fold_word(vendor_word, tool_choices, COUNT(tool_choices));
}

/* ---- URIs ---- */

static bool is_unreserved(char c)
{
	return ascii_is_alnum(c) || ascii_is_one_of(c, "-._~");
}

/* Only characters that a URI may have there, and every % with its two digits. */
static bool is_made_of(struct str s, const char *also)
{
	uint8_t byte;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%') {
			if (s.n - i < 3 || !hex_parse(str_of(s.p + i + 1, 2), &byte, 1))
				return false;
			i += 2;
		} else if (!is_unreserved(s.p[i]) && !ascii_is_one_of(s.p[i], "!$&'()*+,;=") &&
			   !ascii_is_one_of(s.p[i], also)) {
			return false;
		}
	}
	return true;
}

/*
 * With "//" after the scheme, since a tool may well be called "math:add". Ports and brackets are left out: what is
 * not surely a URI is encoded, and comes back as it was.
 */
static bool is_uri(struct str name)
{
	struct str host, path, query;
	size_t n = 0;

	while (n < name.n &&
	       (ascii_is_alpha(name.p[n]) || (n && (ascii_is_digit(name.p[n]) || ascii_is_one_of(name.p[n], "+-.")))))
		n++;
	if (n == 0 || !str_starts(str_of(name.p + n, name.n - n), STR("://")))
		return false;
	host = str_cut(str_of(name.p + n + 3, name.n - n - 3), '/', &path);
	path = str_cut(path, '?', &query);
	return is_made_of(host, "") && is_made_of(path, ":@/") && is_made_of(query, ":@/?");
}

static void add_encoded(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (is_unreserved(s.p[i]))
			buf_add_byte(b, s.p[i]);
		else
			buf_printf(b, "%%%02X", (unsigned)(unsigned char)s.p[i]);
	}
}

/* mcp__SERVER__TOOL; neither may be empty. */
static bool split_mcp(struct str name, struct str *server, struct str *tool)
{
	struct str rest;
	size_t at;

	if (!str_starts(name, STR("mcp__")))
		return false;
	rest = str_of(name.p + 5, name.n - 5);
	at = str_find(rest, STR("__"));
	if (at == (size_t)-1 || at == 0 || at + 2 == rest.n)
		return false;
	*server = str_of(rest.p, at);
	*tool = str_of(rest.p + at + 2, rest.n - at - 2);
	return true;
}

struct str words_tool_uri(struct arena *a, struct str vendor, struct str server, struct str name)
{
	struct buf b;

	if (!server.n && is_uri(name))
		return name;
	buf_init(&b);
	if (server.n || split_mcp(name, &server, &name)) {
		buf_add_str(&b, STR("mcp://"));
		add_encoded(&b, server);
	} else {
		buf_add_str(&b, STR("tool://"));
		add_encoded(&b, vendor.n ? vendor : STR("unknown"));
	}
	buf_add_byte(&b, '/');
	add_encoded(&b, name);
	return arena_take(a, &b);
}

struct str words_program_uri(struct arena *a, struct str program)
{
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, STR("shell://local/"));
	add_encoded(&b, program);
	return arena_take(a, &b);
}

static struct str decode(struct arena *a, struct str s)
{
	char *out = arena_array(a, char, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		uint8_t byte;

		if (s.p[i] == '%' && s.n - i >= 3 && hex_parse(str_of(s.p + i + 1, 2), &byte, 1)) {
			out[n++] = (char)byte;
			i += 2;
		} else {
			out[n++] = s.p[i];
		}
	}
	return str_of(out, n);
}

void words_tool_of_uri(struct arena *a, struct str uri, struct str *vendor, struct str *server, struct str *name)
{
	const struct str none = { NULL, 0 };
	bool mcp = str_starts(uri, STR("mcp://")), tool = str_starts(uri, STR("tool://"));
	struct str host, path;

	*vendor = *server = none;
	*name = uri;
	if (!mcp && !tool)
		return;
	host = str_cut(str_of(uri.p + (mcp ? 6 : 7), uri.n - (mcp ? 6 : 7)), '/', &path);
	host = decode(a, host);
	path = decode(a, path);
	if (utf8_check(host) != host.n || utf8_check(path) != path.n)
		return;
	/* Taken apart only if putting it together gives the same again: else something would get lost. */
	if (!str_eq(words_tool_uri(a, tool ? host : none, mcp ? host : none, path), uri))
		return;
	*(mcp ? server : vendor) = host;
	*name = path;
}

/* ---- what tools do ---- */

/* Parts of names: "web_search", "WebFetch" and "run_shell_command" each have one. */
static const char *const external[] = {
	"bash", "sh", "shell", "zsh", "powershell", "terminal", "console", "exec", "execute", "command", "cmd", "run",
	"python", "ipython", "node", "code", "interpreter", "process", "computer", "docker", "kubectl", "k8s", "git",
	"github", "read", "write", "edit", "editor", "insert", "replace", "patch", "file", "files", "fs", "dir",
	"directory", "folder", "path", "notebook", "glob", "grep", "rg", "ls", "cat", "find", "mkdir", "rm", "mv", "cp",
	"open", "save", "web", "http", "https", "url", "fetch", "request", "curl", "wget", "api", "download", "upload",
	"search", "crawl", "scrape", "browser", "browse", "navigate", "click", "page", "pages", "screenshot",
	"snapshot", "sql", "query", "db", "database", "postgres", "mysql", "sqlite", "redis", "mongo", "s3", "bucket",
	"retrieve", "retriever", "retrieval", "embedding", "embeddings", "email", "mail", "slack", "send", "post",
	"mcp",
};

/* These keep what they are told inside the agent, whatever else the name says: TodoWrite, update_plan. */
static const char *const internal[] = { "todo", "todos", "plan", "task", "tasks", "think", "thought", "note" };

/* A part is letters and digits: nearly all words are told apart by the first of them. */
static bool is_in(struct str part, const char *const *table, size_t count)
{
	char first = part.n ? ascii_lower(part.p[0]) : '\0';

	for (size_t i = 0; i < count; i++)
		if (table[i][0] == first && is_word(part, table[i]))
			return true;
	return false;
}

/* Parts end at what is neither letter nor digit, and before a capital that begins a word: "Web|Fetch", "HTTP|Get". */
static struct str cut_part(struct str *name)
{
	size_t i = 0, from;

	while (i < name->n && !ascii_is_alnum(name->p[i]))
		i++;
	from = i;
	while (i < name->n && ascii_is_alnum(name->p[i])) {
		bool capital = i > from && ascii_is_upper(name->p[i]);

		if (capital && (!ascii_is_upper(name->p[i - 1]) || (i + 1 < name->n && ascii_is_lower(name->p[i + 1]))))
			break;
		i++;
	}
	from = i - from;
	*name = str_of(name->p + i, name->n - i);
	return str_of(name->p - from, from);
}

bool words_tool_is_external(struct str name, bool mcp)
{
	bool found = false;

	if (mcp || str_starts(name, STR("mcp__")))
		return true;
	while (name.n) {
		struct str part = cut_part(&name);

		if (is_in(part, internal, COUNT(internal)))
			return false;
		found |= is_in(part, external, COUNT(external));
	}
	return found;
}

static bool has_part(struct str name, const char *const *table, size_t count)
{
	while (name.n)
		if (is_in(cut_part(&name), table, count))
			return true;
	return false;
}

bool words_tool_is_shell(struct str name)
{
	static const char *const parts[] = { "bash", "sh", "shell", "zsh", "terminal", "console", "exec", "command",
					     "cmd" };

	return has_part(name, parts, COUNT(parts));
}

bool words_tool_is_reader(struct str name)
{
	static const char *const parts[] = { "read", "reader", "view", "viewer", "cat", "open", "load", "get", "fetch",
					     "retrieve", "retriever", "retrieval", "download" };

	return has_part(name, parts, COUNT(parts));
}

static const char *const statuses[] = {
	[STATUS_UNKNOWN] = NULL,
	[STATUS_SUCCESS] = "success",
	[STATUS_ERROR] = "error",
	[STATUS_INTERRUPTED] = "interrupted",
};

struct str words_status(enum run_status status)
{
	return statuses[status] ? str_from(statuses[status]) : str_of(NULL, 0);
}

enum run_status words_find_status(struct str word)
{
	for (size_t i = STATUS_SUCCESS; i < COUNT(statuses); i++)
		if (str_eq(word, str_from(statuses[i])))
			return (enum run_status)i;
	return STATUS_UNKNOWN;
}

enum run_status words_fold_status(struct str word)
{
	static const struct fold folds[] = {
		{ "success", { "success", "succeeded", "successful", "completed", "complete", "ok" } },
		{ "interrupted", { "interrupted", "cancelled", "canceled", "aborted", "killed", "terminated" } },
	};
	const char *ours = fold_word(word, folds, COUNT(folds));

	if (word.n == 0)
		return STATUS_UNKNOWN;
	return ours ? words_find_status(str_from(ours)) : STATUS_ERROR;
}
