/*
 * The list is rewritten in place: a variable that was there keeps its position; new ones, but for TRACKWAY itself,
 * stand at the end.
 */
#include "capture/env.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/crypto/hex.h"
#include "capture/trust.h"

#define ENV_USUAL_PATH "/usr/local/bin:/usr/bin:/bin" /* where programs are looked for without a PATH */

struct list {
	struct arena *arena;
	const char **items;
	size_t count, cap;
};

static void env_put(struct list *l, struct str entry)
{
	arena_grow(l->arena, l->items, l->count + 1, l->cap, 64); /* and a NULL behind the last */
	l->items[l->count++] = arena_copy(l->arena, entry).p; /* terminated */
	l->items[l->count] = NULL;
}

static struct str env_name_of(const char *entry)
{
	struct str value;

	return str_cut(str_from(entry), '=', &value);
}

static const char *value_of(const char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; *env; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

/* Sets a variable, in the place of the one there was. */
static void set(struct list *l, struct str name, struct str value)
{
	struct str entry = ARENA_JOIN(l->arena, name, STR("="), value);

	for (size_t i = 0; i < l->count; i++) {
		if (!str_eq(env_name_of(l->items[i]), name))
			continue;
		l->items[i] = arena_copy(l->arena, entry).p;
		return;
	}
	env_put(l, entry);
}

/* A list with commas gets one more; where it is not set, that of another spelling counts (which may be NULL). */
static void append(struct list *l, const char *name, const char *other, struct str more)
{
	const char *before = value_of(l->items, name);

	if (!before && other)
		before = other;

	if (before && *before)
		more = ARENA_JOIN(l->arena, str_from(before), STR(","), more);
	set(l, str_from(name), more);
}

static char as_variable(char c)
{
	return (char)(c == '-' ? '_' : ascii_upper(c));
}

static bool env_is_one_of(const char *name, const char *const *names)
{
	for (; names && *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

/* Every variable of a service, as its clients read it; some only where the user has them. */
static void env_set_service(struct list *l, const struct env_options *o, struct str address, const struct route *t)
{
	struct str host = str_of(address.p + 7, address.n - 7); /* behind "http://" */

	for (const struct service_variable *v = t->service->variables; v->name; v++) {
		struct str path = ARENA_JOIN(l->arena, STR("/"), t->name, str_from(v->path));
		const char *before = value_of(l->items, v->name);

		if (env_is_one_of(v->name, o->without) || ((v->flags & SERVICE_IF_SET) && (!before || !*before)))
			continue;
		if (v->flags & SERVICE_BARE)
			set(l, str_from(v->name), address);
		else if (v->flags & SERVICE_WEBSOCKET)
			set(l, str_from(v->name), ARENA_JOIN(l->arena, STR("ws://"), host, path));
		else
			set(l, str_from(v->name), ARENA_JOIN(l->arena, address, path));
	}
}

/* Addresses of all services are told as TRACKWAY_UPSTREAM_NAME, too: the user's own have no other variable. */
static void set_services(struct list *l, const struct env_options *o, struct str base)
{
	set(l, STR("TRACKWAY_PROXY"), base);
	for (const struct route *t = o->routes->first; t; t = t->next) {
		struct str name = ARENA_JOIN(l->arena, STR("TRACKWAY_UPSTREAM_"), t->name);
		char *p = arena_alloc(l->arena, name.n, 1);

		for (size_t i = 0; i < name.n; i++)
			p[i] = as_variable(name.p[i]);
		set(l, str_of(p, name.n), ARENA_JOIN(l->arena, base, STR("/"), t->name));
		if (t->service && (!o->trust.p || (t->home.host.p && !t->home.tls)))
			env_set_service(l, o, base, t);
	}
}

static void set_for_agent(struct list *l, const struct agent_plan *plan, struct str base)
{
	for (const struct agent_change *c = plan->changes; c; c = c->next)
		if (c->variable)
			set(l, str_from(c->variable), agents_text(l->arena, c, base));
}

/* The run's id in our own words, as W3C trace context, and for OpenTelemetry SDKs; and where to tell of it. */
static void set_ids(struct list *l, const struct env_options *o)
{
	char uuid[ID_UUID_TEXT], trace[32], span[16];
	struct str id;

	id_format_uuid(uuid, o->run);
	id = str_of(uuid, sizeof(uuid));
	hex_format(trace, o->run.b, sizeof(o->run.b));
	hex_format(span, o->span, sizeof(o->span));
	set(l, STR("TRACKWAY_RUN_ID"), id);
	set(l, STR("TRACKWAY_RUN_DIR"), o->dir);
	set(l, STR("TRACEPARENT"), ARENA_JOIN(l->arena, STR("00-"), str_of(trace, sizeof(trace)), STR("-"),
					       str_of(span, sizeof(span)), STR("-01")));
	/* those of a run around this one are not ours */
	if (o->socket.n || value_of(l->items, "TRACKWAY_SOCKET"))
		set(l, STR("TRACKWAY_SOCKET"), o->socket);
	if (o->content || value_of(l->items, "TRACKWAY_CONTENT"))
		set(l, STR("TRACKWAY_CONTENT"), o->content ? STR("1") : STR(""));
	append(l, "OTEL_RESOURCE_ATTRIBUTES", NULL, ARENA_JOIN(l->arena, STR("agent_trace.run.id="), id));
}

/* An SDK that would speak gRPC, or nothing that is said, speaks HTTP: JSON where the user has said so. */
static void env_set_protocol(struct list *l, const char *name, bool always)
{
	const char *before = value_of(l->items, name);

	if ((before || always) && (!before || strcmp(before, "http/json") != 0))
		set(l, str_from(name), STR("http/protobuf"));
}

static void set_telemetry(struct list *l, struct str base)
{
	static const struct { const char *endpoint, *protocol, *path; } signals[] = {
#define ENV_SIGNAL(word, path) { "OTEL_EXPORTER_OTLP_" word "_ENDPOINT", "OTEL_EXPORTER_OTLP_" word "_PROTOCOL", path }
		ENV_SIGNAL("TRACES", "/v1/traces"), ENV_SIGNAL("LOGS", "/v1/logs"),
		ENV_SIGNAL("METRICS", "/v1/metrics"),
#undef ENV_SIGNAL
	};

	set(l, STR("OTEL_EXPORTER_OTLP_ENDPOINT"), base);
	env_set_protocol(l, "OTEL_EXPORTER_OTLP_PROTOCOL", true);
	for (size_t i = 0; i < COUNT(signals); i++) {
		if (value_of(l->items, signals[i].endpoint))
			set(l, str_from(signals[i].endpoint), ARENA_JOIN(l->arena, base, str_from(signals[i].path)));
		env_set_protocol(l, signals[i].protocol, false);
	}
}

static const char *const env_proxies[] = {
	"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy",
};

/* We are the proxy, and whoever is asked for it trusts our certificates. Node's own clients must be told to ask. */
static void set_interception(struct list *l, const struct env_options *o, struct str base)
{
	for (size_t i = 0; i < COUNT(env_proxies); i++)
		if (str_starts(str_from(env_proxies[i]), STR("HTTPS")) ||
		    str_starts(str_from(env_proxies[i]), STR("https")) || value_of(l->items, env_proxies[i]))
			set(l, str_from(env_proxies[i]), base);
	set(l, STR("NO_PROXY"), STR(""));
	set(l, STR("no_proxy"), STR(""));
	set(l, STR("NODE_USE_ENV_PROXY"), STR("1"));
	set(l, STR("TRACKWAY_CA_FILE"), o->trust);
	for (const struct trust_variable *v = trust_variables; v->name; v++)
		if (v->always || value_of(l->items, v->name))
			set(l, str_from(v->name), o->trust);
}

static void spare_loopback(struct list *l)
{
	const char *upper = value_of(l->items, "NO_PROXY"), *lower = value_of(l->items, "no_proxy");
	bool any = false;

	for (size_t i = 0; i < COUNT(env_proxies); i++)
		any = any || value_of(l->items, env_proxies[i]);
	if (!any)
		return;
	append(l, "NO_PROXY", lower, STR("127.0.0.1,localhost"));
	append(l, "no_proxy", upper, STR("127.0.0.1,localhost"));
}

/* What a run around this one has set is undone first: its shims would tell of commands that are ours. */
static void set_shell(struct list *l, const struct shell_dir *d)
{
	const char *outer = value_of(l->items, "TRACKWAY_SHELL_DIR");
	const char *shell = value_of(l->items, "TRACKWAY_SHELL_PATH");
	const char *search = value_of(l->items, "PATH");

	if (outer && *outer) {
		if (search)
			set(l, STR("PATH"), shell_find_without(l->arena, str_from(search), str_from(outer)));
		if (shell && *shell)
			set(l, STR("SHELL"), str_from(shell));
		set(l, STR("TRACKWAY_SHELL_DIR"), STR(""));
		set(l, STR("TRACKWAY_COMMAND"), STR(""));
	}
	if (!d || !d->path.p)
		return;
	search = value_of(l->items, "PATH");
	set(l, STR("TRACKWAY_SHELL_DIR"), d->path);
	set(l, STR("TRACKWAY_SHELL_ROOT"), d->root);
	set(l, STR("PATH"), ARENA_JOIN(l->arena, d->path, STR(":"), str_from(search ? search : ENV_USUAL_PATH)));
	if (!d->shell.p)
		return;
	set(l, STR("TRACKWAY_SHELL_PATH"), str_from(value_of(l->items, "SHELL")));
	set(l, STR("SHELL"), d->shell);
}

const char *const *env_make(struct arena *a, const struct env_options *o)
{
	struct list l = { .arena = a };
	struct str base = arena_printf(a, "http://127.0.0.1:%u", o->port);

	env_put(&l, STR("TRACKWAY=1"));
	for (const char *const *e = o->base; *e; e++)
		if (!str_eq(env_name_of(*e), STR("TRACKWAY")))
			env_put(&l, str_from(*e));
	if (!o->otlp) {
		set_services(&l, o, base);
		if (o->plan)
			set_for_agent(&l, o->plan, base);
	}
	set_ids(&l, o);
	set_shell(&l, o->shell);
	set_telemetry(&l, base);
	if (o->trust.p)
		set_interception(&l, o, base);
	else
		spare_loopback(&l);
	return l.items;
}
