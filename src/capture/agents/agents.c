/* The table of agents, how a command is recognised as one of them, and how what a row says becomes a plan. */
#include "capture/agents/agents.h"

#include <assert.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"
#include "capture/agents/private.h"

#define BOTH_ADDRESSES "OPENAI_BASE_URL and ANTHROPIC_BASE_URL"

static const char stored_address[] =
	"its address is in a file of its own: put the recorder's there, in two lines that doc/agents.md has for pi, "
	"Cline, Continue and Amp; or let its connections be intercepted";
static const char many_providers[] =
	"of its providers, OpenAI, Anthropic and Gemini are led by addresses; for another one let its connections be "
	"intercepted";
static const char own_servers[] =
	"it asks servers of its vendor, which are not read: convert the session it leaves";

/* In the order of the documentation. A program's name stands in one row only. */
static const struct agent agents[] = {
	{ .name = "Claude Code",
	  .programs = { "claude", "claude-code" },
	  .by = "ANTHROPIC_BASE_URL",
	  .read = agent_claude_read,
	  .help = "a gateway in managed settings cannot be led elsewhere, and neither can Bedrock and Vertex without "
		  "ANTHROPIC_BEDROCK_BASE_URL or ANTHROPIC_VERTEX_BASE_URL: let its connections be intercepted" },
	{ .name = "Codex",
	  .programs = { "codex" },
	  .by = "-c openai_base_url",
	  .read = agent_codex_read,
	  .help = "its provider has no address in ~/.codex/config.toml that could be led elsewhere: give it one, or "
		  "let its connections be intercepted" },
	{ .name = "Gemini CLI",
	  .programs = { "gemini", "gemini-cli" },
	  .by = "GOOGLE_GEMINI_BASE_URL",
	  .interception = INTERCEPT_UNSET,
	  .read = agent_gemini_read,
	  .help = "with GOOGLE_GEMINI_BASE_URL set it needs a stored kind of sign-in (security.auth.selectedType in "
		  "~/.gemini/settings.json); otherwise let its connections be intercepted" },
	{ .name = "opencode",
	  .programs = { "opencode", "opencode-ai", "mimo" },
	  .by = BOTH_ADDRESSES,
	  .help = many_providers },
	{ .name = "Qwen Code", .programs = { "qwen", "qwen-code" }, .by = BOTH_ADDRESSES },
	{ .name = "aider", .programs = { "aider", "aider-chat" }, .by = BOTH_ADDRESSES, .help = many_providers },
	{ .name = "mini-swe-agent",
	  .programs = { "mini", "mini-swe-agent", "mini-extra" },
	  .by = BOTH_ADDRESSES,
	  .help = many_providers },
	{ .name = "llm", .programs = { "llm" }, .by = "OPENAI_BASE_URL", .help = many_providers },
	{ .name = "gptme", .programs = { "gptme" }, .by = BOTH_ADDRESSES, .help = many_providers },
	{ .name = "Pydantic AI", .programs = { "clai", "pydantic-ai" }, .by = BOTH_ADDRESSES, .help = many_providers },
	{ .name = "smolagents",
	  .programs = { "smolagent", "smolagents" },
	  .by = BOTH_ADDRESSES,
	  .help = many_providers },
	{ .name = "GitHub Copilot CLI",
	  .programs = { "copilot" },
	  .by = "COPILOT_PROVIDER_BASE_URL",
	  .interception = INTERCEPT_UNSET,
	  .help = "with a key of your own it is led by COPILOT_PROVIDER_BASE_URL; with GitHub's models it asks "
		  "GitHub's servers, and its connections must be intercepted" },
	{ .name = "pi",
	  .programs = { "pi", "pi-coding-agent" },
	  .interception = INTERCEPT_ALWAYS,
	  .help = stored_address },
	{ .name = "Cline", .programs = { "cline" }, .interception = INTERCEPT_ALWAYS, .help = stored_address },
	{ .name = "Continue",
	  .programs = { "cn", "@continuedev" },
	  .interception = INTERCEPT_ALWAYS,
	  .help = stored_address },
	{ .name = "Hermes Agent", .programs = { "hermes" }, .interception = INTERCEPT_ALWAYS },
	{ .name = "Qoder CLI", .programs = { "qodercli" }, .interception = INTERCEPT_ALWAYS, .help = own_servers },
	{ .name = "DeepSeek Harness",
	  .programs = { "dsh" },
	  .interception = INTERCEPT_ALWAYS,
	  .help = "an address that it has stored wins over DEEPSEEK_BASE_URL: let its connections be intercepted" },
	{ .name = "Amp", .programs = { "amp" }, .interception = INTERCEPT_ALWAYS, .help = stored_address },
	{ .name = "Droid", .programs = { "droid" }, .interception = INTERCEPT_ALWAYS, .help = own_servers },
	{ .name = "Grok CLI", .programs = { "grok" }, .by = "GROK_CLI_CHAT_PROXY_BASE_URL" },
	{ .name = "Kimi CLI", .programs = { "kimi", "kimi-cli" }, .by = "KIMI_BASE_URL" },
	{ .name = "CodeBuddy",
	  .programs = { "codebuddy", "codebuddy-code" },
	  .by = "CODEBUDDY_BASE_URL",
	  .interception = INTERCEPT_UNSET,
	  .help = "it is led by CODEBUDDY_BASE_URL where that is set, with /v2 at its end" },
	{ .name = "Antigravity CLI",
	  .programs = { "agy" },
	  .by = "CLOUD_CODE_URL",
	  .interception = INTERCEPT_ALWAYS,
	  .help = own_servers },
	{ .name = "OpenClaw", .programs = { "openclaw" }, .by = BOTH_ADDRESSES, .help = many_providers },
	{ .name = "Cursor", .programs = { "cursor-agent" }, .help = own_servers },
};

const struct agent *agents_all(size_t *count)
{
	*count = COUNT(agents);
	return agents;
}

/* ---- which agent a command is ---- */

static const struct agent *agents_named(struct str name)
{
	for (size_t i = 0; i < COUNT(agents); i++)
		for (const char *const *p = agents[i].programs; *p; p++)
			if (str_eq(name, str_from(*p)))
				return &agents[i];
	return NULL;
}

/* "/usr/lib/node_modules/@openai/codex/bin/codex.js" and "@openai/codex@0.166" without what is no name. */
static struct str agents_bare(struct str word)
{
	static const char *const endings[] = { ".js", ".mjs", ".cjs", ".py", ".exe", ".sh", ".cmd" };
	struct str name = str_basename(word);
	const char *version = name.n > 1 ? memchr(name.p + 1, '@', name.n - 1) : NULL;

	if (version)
		name.n = (size_t)(version - name.p);
	for (size_t i = 0; i < COUNT(endings); i++)
		if (str_ends(name, str_from(endings[i])))
			return str_of(name.p, name.n - strlen(endings[i]));
	return name;
}

/* A program by its name; one that says nothing ("cli.js") by the directories that it is in. */
static const struct agent *agents_of_word(struct str word)
{
	static const char *const general[] = { "cli", "index", "main", "bin", "start" };
	struct str name = agents_bare(word);

	if (!str_is_word_of(name, general, COUNT(general)))
		return agents_named(name);
	while (word.n > 1 && memchr(word.p, '/', word.n)) {
		const struct agent *a;

		word = str_dirname(word);
		a = agents_named(agents_bare(word));
		if (a)
			return a;
	}
	return NULL;
}

/* Programs that start what their first word without a dash names; "NAME=value" and these verbs come before it. */
static bool agents_is_runner(struct str name)
{
	static const char *const runners[] = {
		"npx", "bunx", "uvx", "npm", "pnpm", "yarn", "bun", "deno", "node", "nodejs", "env", "nohup", "time",
		"pipx", "uv", "nice", "setsid", "stdbuf",
	};

	return str_is_word_of(name, runners, COUNT(runners)) || str_starts(name, STR("python")) ||
	       str_starts(name, STR("pypy"));
}

static bool agents_is_before(struct str word)
{
	static const char *const verbs[] = { "exec", "dlx", "run", "tool", "x" };

	return word.n == 0 || word.p[0] == '-' || str_is_word_of(word, verbs, COUNT(verbs)) ||
	       (memchr(word.p, '=', word.n) && !memchr(word.p, '/', word.n));
}

const struct agent *agents_find(const char *const *argv, size_t *first)
{
	const struct agent *found = NULL;
	size_t i = 0;

	while (argv[i] && (agents_is_runner(agents_bare(str_from(argv[i]))) ||
			   (i > 0 && agents_is_before(str_from(argv[i])))))
		i++;
	if (argv[i])
		found = agents_of_word(str_from(argv[i]));
	if (!found)
		return NULL;
	i++;
	/* npx -p @openai/codex codex: the package, then its program */
	if (i > 1 && argv[i] && agents_of_word(str_from(argv[i])) == found)
		i++;
	*first = i;
	return found;
}

/* ---- what its row says ---- */

struct str agent_variable_of(const struct agent_plan *p, const char *name)
{
	size_t n = strlen(name);

	for (const char *const *e = p->env; *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=' && (*e)[n + 1])
			return str_from(*e + n + 1);
	return str_of(NULL, 0);
}

struct agent_change *agent_add_change(struct agent_plan *p)
{
	struct agent_change *c = arena_new(p->arena, struct agent_change);

	*p->last = c;
	p->last = &c->next;
	return c;
}

struct str agent_read_settings(struct agent_plan *p, struct str path)
{
	struct str text = { NULL, 0 };
	struct stat st;
	struct err err;

	/* a pipe is the agent's to read */
	if (!path.p || stat(arena_copy(p->arena, path).p, &st) != 0 || !S_ISREG(st.st_mode) ||
	    !file_read(p->arena, path, AGENT_SETTINGS_MOST, &text, &err))
		return str_of(NULL, 0);
	return text;
}

struct json_parser *agent_parse_settings(struct str text, struct val *out)
{
	struct json_options o = { .allow_duplicates = true, .allow_lone = true, .allow_bom = true, .max_depth = 64 };
	struct json_parser *parser = text.p ? json_parser_open(o) : NULL;

	*out = VAL_NONE;
	if (parser && (!json_parse_copy(parser, text, out, NULL) || !val_is(*out, JSON_OBJECT)))
		*out = VAL_NONE;
	return parser;
}

struct str agent_option_at(const struct agent_plan *p, size_t i, const char *name, const char *other, size_t *taken)
{
	struct str word = str_from(p->argv[i]);
	const struct str names[] = { str_from(name), str_from(other) };

	for (size_t k = 0; k < COUNT(names); k++) {
		struct str n = names[k], rest;

		if (n.n == 0 || !str_starts(word, n))
			continue;
		rest = str_skip(word, n.n);
		*taken = 1;
		if (rest.n && rest.p[0] == '=')
			return str_skip(rest, 1);
		if (rest.n && n.n == 2)
			return rest;
		if (rest.n == 0 && p->argv[i + 1]) {
			*taken = 2;
			return str_from(p->argv[i + 1]);
		}
	}
	return str_of(NULL, 0);
}

bool agent_needs_address(const struct agent_plan *p, struct str address)
{
	return p->wish != AGENT_WISH_INTERCEPTION || str_starts(address, STR("http:"));
}

bool agents_plan(struct arena *a, const char *const *argv, const char *const *env, enum agent_wish wish,
		 struct routes *routes, struct agent_plan *p, struct err *err)
{
	const struct agent *agent;

	*p = (struct agent_plan){ .arena = a, .argv = argv, .env = env, .wish = wish, .routes = routes,
				  .program = p->program };
	p->last = &p->changes;
	p->intercept = wish == AGENT_WISH_INTERCEPTION;
	agent = p->agent = agents_find(argv, &p->first);
	if (!agent)
		return true;
	p->intercept = p->intercept || agent->interception == INTERCEPT_ALWAYS ||
		       (agent->interception == INTERCEPT_UNSET && !agent_variable_of(p, agent->by).p);
	if (agent->read && !agent->read(p, err))
		return false;
	if (p->intercept && wish == AGENT_WISH_ADDRESSES)
		p->intercept = false; /* and nothing leads it */
	else if (!p->told.p && p->intercept)
		p->told = ARENA_JOIN(a, str_from(agent->name), STR(" is recorded by interception of its connections"));
	else if (!p->told.p && agent->by)
		p->told = ARENA_JOIN(a, str_from(agent->name), STR(" is led by "), str_from(agent->by));
	return true;
}

/* ---- what the child gets ---- */

struct str agents_text(struct arena *a, const struct agent_change *c, struct str base)
{
	struct str rest = c->text;
	struct buf b;

	buf_init(&b);
	while (rest.n) {
		bool more = memchr(rest.p, '\001', rest.n) != NULL;

		buf_add_str(&b, str_cut(rest, '\001', &rest));
		if (more)
			buf_add_str(&b, base);
	}
	return arena_take(a, &b);
}

bool agents_argv(const struct agent_plan *p, struct str base,
		 bool (*path)(void *context, struct str text, struct str *path, struct err *err), void *context,
		 const char *const **out, struct err *err)
{
	size_t given = 0, count = 0, i = 0;
	const char **argv;

	while (p->argv[given])
		given++;
	for (const struct agent_change *c = p->changes; c; c = c->next)
		count += 2;
	argv = arena_array(p->arena, const char *, given + count + 1);
	count = 0;
	for (const struct agent_change *c = p->changes; c; c = c->next) {
		struct str text;

		if (c->variable)
			continue;
		assert(c->at >= i && c->at + c->replaced <= given); /* in order, and none within another */
		while (i < c->at)
			argv[count++] = p->argv[i++];
		i += c->replaced;
		text = agents_text(p->arena, c, base);
		if (c->as_file && !path(context, text, &text, err))
			return false;
		if (c->option)
			argv[count++] = c->option;
		argv[count++] = arena_copy(p->arena, text).p; /* terminated */
	}
	while (i < given)
		argv[count++] = p->argv[i++];
	argv[count] = NULL;
	*out = argv;
	return true;
}
