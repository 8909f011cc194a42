/*
 * Codex: it reads no variable, but `-c key=value` wins over its files, the last of several. So one more is put behind
 * the user's own. What they, the profile and config.toml name is the upstream. People who are signed in to ChatGPT ask
 * another host than those with a key; their requests tell it by a header.
 */
#include "base/ascii.h"
#include "base/toml.h"
#include "capture/agents/private.h"

#define CODEX_ACCOUNT_HEADER "chatgpt-account-id"
#define CODEX_ACCOUNT_URL "https://chatgpt.com/backend-api/codex"
#define CODEX_ROUTE "codex" /* of a provider of the user's own */

struct codex {
	struct agent_plan *plan;
	struct str *texts; /* TOML, the strongest last */
	size_t count, cap;
	struct str profile, local; /* --profile, --local-provider; p NULL */
	bool oss;                  /* --oss: a model on this machine */
	size_t behind; /* the place of one more -c */
};

static void codex_add(struct codex *c, struct str text)
{
	if (!text.p)
		return;
	arena_grow(c->plan->arena, c->texts, c->count, c->cap, 8);
	c->texts[c->count++] = text;
}

/*
 * The subcommands whose words may be another program's: nothing behind them is looked at. The word of the command is
 * the first that is neither an option nor the value of one.
 */
static bool codex_is_foreign(struct str word)
{
	static const char *const foreign[] = { "sandbox", "debug", "mcp", "plugin", "mcp-server", "completion" };

	return str_is_word_of(word, foreign, COUNT(foreign));
}

/* Options of one word each: their value is the next. Others stand alone, or have it behind "=". */
static bool codex_takes_value(struct str word)
{
	static const char *const options[] = {
		"-i", "--image", "-m", "--model", "-s", "--sandbox", "-C", "--cd", "--add-dir", "-a",
		 "--ask-for-approval", "--enable", "--disable", "--remote", "--remote-auth-token-env",
	};

	return str_is_word_of(word, options, COUNT(options));
}

/* -c and --profile, and where the last -c ends. Those of a subcommand count like those before it. */
static void codex_read_arguments(struct codex *c)
{
	struct agent_plan *p = c->plan;
	bool is_first = true;
	size_t taken;

	c->behind = p->first;
	for (size_t i = p->first; p->argv[i] && strcmp(p->argv[i], "--") != 0; i++) {
		struct str word = str_from(p->argv[i]), value = agent_option_at(p, i, "-c", "--config", &taken);

		if (value.p) {
			codex_add(c, value);
			i += taken - 1;
			c->behind = i + 1;
			continue;
		}
		c->oss = c->oss || str_eq(word, STR("--oss"));
		value = agent_option_at(p, i, "-p", "--profile", &taken);
		if (value.p)
			c->profile = value;
		if (!value.p) {
			value = agent_option_at(p, i, "--local-provider", NULL, &taken);
			if (value.p)
				c->local = value;
		}
		if (value.p) {
			i += taken - 1;
		} else if (codex_takes_value(word) && p->argv[i + 1]) {
			i++;
		} else if (word.n && word.p[0] != '-') {
			if (is_first && codex_is_foreign(word))
				return;
			is_first = false;
		}
	}
}

/* A name of a file is one word: what has a slash is no profile. */
static bool codex_is_plain(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_word(s.p[i]) && s.p[i] != '-')
			return false;
	return s.n > 0;
}

/* From the weakest on. */
static void codex_read_files(struct codex *c)
{
	struct agent_plan *p = c->plan;
	struct str dir = agent_variable_of(p, "CODEX_HOME"), home = agent_variable_of(p, "HOME");

	if (!dir.p && home.p)
		dir = ARENA_JOIN(p->arena, home, STR("/.codex"));
	codex_add(c, agent_read_settings(p, STR("/etc/codex/config.toml")));
	if (!dir.p)
		return;
	codex_add(c, agent_read_settings(p, ARENA_JOIN(p->arena, dir, STR("/config.toml"))));
	if (codex_is_plain(c->profile))
		codex_add(c, agent_read_settings(p, ARENA_JOIN(p->arena, dir, STR("/"), c->profile,
							       STR(".config.toml"))));
}

/* -c takes what is no TOML for the text itself: -c model_provider=mine. */
static struct str codex_find_raw(struct str text, const struct str *path, size_t count)
{
	struct str value, key = str_trim(str_cut(text, '=', &value));

	for (size_t i = 0; i < count; i++)
		if (!str_eq(str_cut(key, '.', &key), path[i]))
			return str_of(NULL, 0);
	value = str_trim(value);
	if (key.n || value.n == 0 || memchr("\"'[{", value.p[0], 4) || memchr(text.p, '\n', text.n))
		return str_of(NULL, 0);
	return value;
}

/* What the strongest says, absent for none. A profile of older versions is a table of config.toml. */
static struct str codex_find(const struct codex *c, const struct str *path, size_t count)
{
	struct str in_profile[TOML_PARTS] = { STR("profiles"), c->profile }, found = { NULL, 0 };

	for (size_t i = 0; i < count && i + 2 < TOML_PARTS; i++)
		in_profile[i + 2] = path[i];
	for (size_t i = c->count; i > 0 && !found.p; i--) {
		struct str text = c->texts[i - 1];

		if (c->profile.p && toml_find(c->plan->arena, text, in_profile, count + 2, &found))
			break;
		if (!toml_find(c->plan->arena, text, path, count, &found))
			found = codex_find_raw(text, path, count);
	}
	return found;
}

static void codex_lead(struct codex *c, struct str key, struct str route)
{
	struct agent_change *change = agent_add_change(c->plan);

	change->at = c->behind;
	change->option = "-c";
	change->text = ARENA_JOIN(c->plan->arena, key, STR("=\"\001/"), route, STR("\""));
}

/* A provider of config.toml: its other settings, such as the name of its key, stay. */
static bool codex_lead_provider(struct codex *c, struct str provider, struct err *err)
{
	struct agent_plan *p = c->plan;
	const struct str path[] = { STR("model_providers"), provider, STR("base_url") };
	struct str url = codex_find(c, path, COUNT(path));

	if (!url.p || !codex_is_plain(provider)) {
		p->told = STR("Codex cannot be led: its model_provider has no base_url that could be replaced");
		return true;
	}
	if (!routes_offer(p->routes, STR(CODEX_ROUTE), url, "base_url of config.toml", err))
		return false;
	if (!agent_needs_address(p, url))
		return true;
	codex_lead(c, ARENA_JOIN(p->arena, STR("model_providers."), provider, STR(".base_url")), STR(CODEX_ROUTE));
	p->told = STR("Codex is led by -c with the base_url of its model_provider; requests go there as before");
	return true;
}

/* A model on this machine: the one variable that Codex reads. It asks Ollama, or LM Studio where it is told so. */
static bool codex_lead_local(struct codex *c, struct err *err)
{
	const struct str path[] = { STR("oss_provider") };
	struct agent_plan *p = c->plan;
	struct str set = agent_variable_of(p, "CODEX_OSS_BASE_URL"), local = c->local;
	struct agent_change *change;
	bool is_studio;

	if (!local.p)
		local = codex_find(c, path, 1);
	is_studio = str_eq(local, STR("lmstudio"));
	if (!set.p && is_studio)
		set = STR("http://localhost:1234/v1");
	if (set.p && !routes_offer(p->routes, is_studio ? STR("lmstudio") : STR("ollama"), set,
				   "CODEX_OSS_BASE_URL", err))
		return false;
	change = agent_add_change(p);
	change->variable = "CODEX_OSS_BASE_URL";
	change->text = is_studio ? STR("\001/lmstudio/v1") : STR("\001/ollama/v1");
	p->told = STR("Codex is led by CODEX_OSS_BASE_URL");
	return true;
}

bool agent_codex_read(struct agent_plan *p, struct err *err)
{
	const struct str provider_path[] = { STR("model_provider") }, url_path[] = { STR("openai_base_url") };
	const struct str profile_path[] = { STR("profile") };
	struct codex c = { .plan = p }, given = { .plan = p };
	struct str provider, url;

	codex_read_arguments(&given);
	c.profile = given.profile;
	c.local = given.local;
	c.behind = given.behind;
	codex_read_files(&c);
	for (size_t i = 0; i < given.count; i++)
		codex_add(&c, given.texts[i]);
	if (!c.profile.p)
		c.profile = codex_find(&c, profile_path, 1);
	if (given.oss)
		return codex_lead_local(&c, err);
	provider = codex_find(&c, provider_path, 1);
	if (provider.p && !str_eq(provider, STR("openai")))
		return codex_lead_provider(&c, provider, err);
	url = codex_find(&c, url_path, 1);
	if (!url.p)
		routes_offer_account(p->routes, STR("openai"), CODEX_ACCOUNT_HEADER, STR(CODEX_ACCOUNT_URL));
	else if (!routes_offer(p->routes, STR("openai"), url, "openai_base_url", err))
		return false;
	if (!agent_needs_address(p, url))
		return true;
	codex_lead(&c, STR("openai_base_url"), STR("openai/v1"));
	p->told = STR("Codex is led by -c openai_base_url");
	return true;
}
