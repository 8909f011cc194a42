/*
 * Claude Code: variables in the `env` of its settings win over the environment, and those of --settings win over those
 * of files. So an address that a file names is replaced by --settings with the same variable, and stays the upstream.
 * Hooks of all settings are called, so --settings can bring ours for this run without touching those of the user.
 */
#include "capture/agents/hooks.h"
#include "capture/agents/private.h"
#include "json/put.h"

/* Where settings come from, from the strongest on; those above can be replaced by --settings, which is one itself. */
enum claude_source { CLAUDE_MANAGED, CLAUDE_FLAG, CLAUDE_LOCAL, CLAUDE_PROJECT, CLAUDE_USER, CLAUDE_SOURCES };

static const struct {
	const char *word; /* in --setting-sources; NULL: always read */
	const char *shown;
} claude_sources[] = {
	[CLAUDE_MANAGED] = { NULL, "managed settings" },
	[CLAUDE_FLAG] = { NULL, "--settings" },
	[CLAUDE_LOCAL] = { "local", ".claude/settings.local.json" },
	[CLAUDE_PROJECT] = { "project", ".claude/settings.json" },
	[CLAUDE_USER] = { "user", "~/.claude/settings.json" },
};

/* Variables of its settings that name a gateway, and the routes that lead there. */
static const struct claude_gateway {
	const char *name, *route;
} claude_gateways[] = {
	{ "ANTHROPIC_BASE_URL", "anthropic" },
	{ "ANTHROPIC_BEDROCK_BASE_URL", "bedrock" },
	{ "ANTHROPIC_VERTEX_BASE_URL", "vertex-anthropic" },
};

struct claude {
	struct agent_plan *plan;
	struct json_parser *parsers[CLAUDE_SOURCES];
	struct val settings[CLAUDE_SOURCES]; /* objects, or none */
	size_t flag, flag_taken; /* --settings in argv, its words; flag_taken 0: not given */
	bool flag_is_file, flag_is_lost; /* lost: it cannot be read, so nothing can be added to it */
	struct str chosen;       /* --setting-sources; p NULL: all */
	bool restricted;         /* no files at all */
	bool hooks;              /* ours are to be called, too */
};

static void claude_read_arguments(struct claude *c)
{
	struct agent_plan *p = c->plan;
	size_t taken;

	for (size_t i = p->first; p->argv[i] && strcmp(p->argv[i], "--") != 0; i++) {
		struct str value = agent_option_at(p, i, "--settings", NULL, &taken);

		if (value.p) {
			c->flag = i;
			c->flag_taken = taken;
			i += taken - 1;
			continue;
		}
		value = agent_option_at(p, i, "--setting-sources", NULL, &taken);
		if (value.p) {
			c->chosen = value;
			i += taken - 1;
		}
		c->restricted = c->restricted || strcmp(p->argv[i], "--restricted") == 0;
	}
}

/* What stands there is JSON when it begins like an object, else a path. */
static void claude_read_flag(struct claude *c)
{
	struct agent_plan *p = c->plan;
	struct str value;
	size_t taken;

	if (!c->flag_taken)
		return;
	value = str_trim(agent_option_at(p, c->flag, "--settings", NULL, &taken));
	c->flag_is_file = value.n == 0 || value.p[0] != '{';
	c->parsers[CLAUDE_FLAG] = agent_parse_settings(c->flag_is_file ? agent_read_settings(p, value) : value,
						       &c->settings[CLAUDE_FLAG]);
	c->flag_is_lost = val_is_none(c->settings[CLAUDE_FLAG]);
}

static bool claude_is_chosen(const struct claude *c, const char *word)
{
	struct str rest = c->chosen;

	if (c->restricted)
		return false;
	if (!c->chosen.p)
		return true;
	while (rest.n)
		if (str_eq(str_trim(str_cut(rest, ',', &rest)), str_from(word)))
			return true;
	return false;
}

static void claude_read_files(struct claude *c)
{
	struct agent_plan *p = c->plan;
	struct str home = agent_variable_of(p, "HOME"), dir = agent_variable_of(p, "CLAUDE_CONFIG_DIR");
	struct str paths[CLAUDE_SOURCES] = {
		[CLAUDE_MANAGED] = STR("/etc/claude-code/managed-settings.json"),
		[CLAUDE_LOCAL] = STR(".claude/settings.local.json"),
		[CLAUDE_PROJECT] = STR(".claude/settings.json"),
	};

	if (dir.p)
		paths[CLAUDE_USER] = ARENA_JOIN(p->arena, dir, STR("/settings.json"));
	else if (home.p)
		paths[CLAUDE_USER] = ARENA_JOIN(p->arena, home, STR("/.claude/settings.json"));
	for (size_t s = 0; s < CLAUDE_SOURCES; s++)
		if (paths[s].p && (!claude_sources[s].word || claude_is_chosen(c, claude_sources[s].word)))
			c->parsers[s] = agent_parse_settings(agent_read_settings(p, paths[s]), &c->settings[s]);
}

/* The strongest settings that set a variable; CLAUDE_SOURCES for none. *value gets it, in the arena. */
static enum claude_source claude_find(const struct claude *c, const char *name, struct str *value)
{
	enum claude_source s = 0;

	for (; s < CLAUDE_SOURCES; s++) {
		struct val v = val_get(val_get(c->settings[s], STR("env")), str_from(name));

		if (val_is(v, JSON_STRING) && val_raw(v).n) {
			*value = val_text_copy(v, c->plan->arena);
			break;
		}
	}
	return s;
}

/* An object's members but those that are ours; a name that is there twice is written once. */
static void claude_copy(const struct claude *c, struct json_writer *w, struct val object, const char *const *ours,
			size_t count)
{
	struct val_iter it = val_begin(object);
	struct val key, value;

	while (val_next_member(&it, &key, &value)) {
		struct str name = val_text(key, c->plan->arena);

		if (str_is_word_of(name, ours, count) || val_get(object, name).at != value.at)
			continue;
		json_write_key(w, name);
		json_write_raw(w, val_source(value));
	}
}

/* The user's variables, with those of `led` leading to us. */
static void claude_put_env(const struct claude *c, struct json_writer *w, const struct claude_gateway *const *led,
			   size_t count)
{
	const char *names[COUNT(claude_gateways)];

	json_put_object(w, "env");
	for (size_t i = 0; i < count; i++)
		names[i] = led[i]->name;
	claude_copy(c, w, val_get(c->settings[CLAUDE_FLAG], STR("env")), names, count);
	for (size_t i = 0; i < count; i++)
		json_put_raw(w, names[i], ARENA_JOIN(c->plan->arena, STR("\"\001/"), str_from(led[i]->route),
						     STR("\"")));
	json_write_end_object(w);
}

/* The hooks that --settings has already, and ours. */
static void claude_put_hooks(const struct claude *c, struct json_writer *w)
{
	const struct hooks_agent *h = hooks_find(STR("claude-code"));
	struct str command = hooks_command(c->plan->arena, h, c->plan->program);
	struct val given = val_get(c->settings[CLAUDE_FLAG], STR("hooks")), entry;
	size_t count = 0;

	while (h->events[count])
		count++;
	json_put_object(w, "hooks");
	claude_copy(c, w, given, h->events, count);
	for (size_t i = 0; i < count; i++) {
		struct val_iter it = val_begin(val_get(given, str_from(h->events[i])));

		json_put_array(w, h->events[i]);
		while (val_next(&it, &entry))
			json_write_raw(w, val_source(entry));
		hooks_write_entry(w, h, command);
		json_write_end_array(w);
	}
	json_write_end_object(w);
}

/* --settings as the user gave it (or nothing), with the variables `led` leading to us, and with our hooks. */
static struct str claude_merge(const struct claude *c, const struct claude_gateway *const *led, size_t count)
{
	static const char *const ours[] = { "env", "hooks" };
	struct json_writer w;
	struct buf b;

	buf_init(&b);
	json_write_init(&w, &b, JSON_COMPACT);
	json_write_begin_object(&w);
	claude_copy(c, &w, c->settings[CLAUDE_FLAG], count ? ours : ours + 1, count ? 2 : 1);
	if (count)
		claude_put_env(c, &w, led, count);
	if (c->hooks)
		claude_put_hooks(c, &w);
	else if (val_has(c->settings[CLAUDE_FLAG], STR("hooks")))
		json_put_raw(&w, "hooks", val_source(val_get(c->settings[CLAUDE_FLAG], STR("hooks"))));
	json_write_end_object(&w);
	return arena_take(c->plan->arena, &b);
}

/* Not where they would replace something that we do not understand. */
static bool claude_takes_hooks(const struct claude *c)
{
	struct val given = val_get(c->settings[CLAUDE_FLAG], STR("hooks"));

	return c->plan->program.p && !c->flag_is_lost && (val_is_none(given) || val_is(given, JSON_OBJECT));
}

static void claude_lead(struct claude *c, const struct claude_gateway *const *led, size_t count)
{
	struct agent_change *change = agent_add_change(c->plan);

	change->at = c->flag_taken ? c->flag : c->plan->first;
	change->replaced = c->flag_taken;
	change->option = "--settings";
	change->as_file = c->flag_is_file;
	change->text = claude_merge(c, led, count);
}

/* The gateways that settings name; *where gets the strongest that did. False and *err for what is no address. */
static bool claude_offer(struct claude *c, const struct claude_gateway **led, size_t *count, enum claude_source *where,
			 struct err *err)
{
	*where = CLAUDE_SOURCES;
	for (size_t i = 0; i < COUNT(claude_gateways); i++) {
		const struct claude_gateway *v = &claude_gateways[i];
		struct str value;
		enum claude_source s = claude_find(c, v->name, &value);

		if (s == CLAUDE_SOURCES)
			continue;
		*where = s < *where ? s : *where;
		if (s == CLAUDE_MANAGED)
			continue;
		if (!routes_offer(c->plan->routes, str_from(v->route), value, v->name, err))
			return err_context(err, claude_sources[s].shown);
		if (agent_needs_address(c->plan, value))
			led[(*count)++] = v;
	}
	return true;
}

bool agent_claude_read(struct agent_plan *p, struct err *err)
{
	const struct claude_gateway *led[COUNT(claude_gateways)];
	struct claude c = { .plan = p };
	enum claude_source where;
	size_t count = 0;
	bool good;

	claude_read_arguments(&c);
	claude_read_flag(&c);
	claude_read_files(&c);
	good = claude_offer(&c, led, &count, &where, err);
	c.hooks = claude_takes_hooks(&c);
	if (good && where == CLAUDE_MANAGED) {
		p->told = STR("Claude Code cannot be led: managed settings name a gateway, and they win");
	} else if (good && count && c.flag_is_lost) {
		p->told = STR("Claude Code cannot be led: settings name a gateway, and --settings cannot be read here");
	} else if (good && count) {
		p->told = ARENA_JOIN(p->arena, STR("Claude Code is led by --settings, since "),
				     str_from(claude_sources[where].shown),
				     STR(" names a gateway; requests go there as before"));
	}
	if (good && where == CLAUDE_MANAGED)
		count = 0;
	if (good && (c.hooks || (count && !c.flag_is_lost)))
		claude_lead(&c, led, count);
	for (size_t s = 0; s < CLAUDE_SOURCES; s++)
		json_parser_close(c.parsers[s]);
	return good;
}
