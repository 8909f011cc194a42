/* The variables of OpenTelemetry, the wish and the preset, joined to one plan. No message shows a value of a header. */
#include "sink/push/plan.h"

#include "base/crypto/base64.h"
#include "base/num.h"
#include "base/utf8.h"
#include "net/http/head.h"
#include "sink/push/pairs.h"

#define TIMEOUT_MOST ((uint64_t)3600 * 1000)
#define HEADERS_MOST 64
#define PREFIX "OTEL_EXPORTER_OTLP_"

static const struct {
	const char *word; /* in the names of variables */
	const char *path;
	const char *plural;
} push_signals[PUSH_SIGNALS] = {
	[PUSH_TRACES] = { "TRACES", "/v1/traces", "traces" },
	[PUSH_METRICS] = { "METRICS", "/v1/metrics", "metrics" },
	[PUSH_LOGS] = { "LOGS", "/v1/logs", "logs" },
};

struct plan_reader {
	struct arena *arena;
	const struct push_wish *wish;
	const char *(*get)(const char *name);
	struct push_plan *plan;
	struct http_header *headers; /* of HEADERS_MOST */
};

/* A variable without blanks around it; n 0 when it is empty or not set. */
static struct str plan_get(const struct plan_reader *r, const char *name)
{
	return str_trim(str_from(name ? r->get(name) : NULL));
}

/* OTEL_EXPORTER_OTLP_<SIGNAL>_<end>, else without the signal; *name is the one that is set. */
static struct str plan_get_otlp(const struct plan_reader *r, const char *end, const char **name)
{
	struct str value;

	*name = arena_printf(r->arena, PREFIX "%s_%s", push_signals[r->plan->signal].word, end).p;
	value = plan_get(r, *name);
	if (value.n)
		return value;
	*name = arena_printf(r->arena, PREFIX "%s", end).p;
	return plan_get(r, *name);
}

/* ---- the address ---- */

/* Without the slashes at its end. */
static struct str plan_cut_slashes(struct str text)
{
	while (text.n && text.p[text.n - 1] == '/')
		text.n--;
	return text;
}

/* What stands behind host and port, as it is sent: url_parse drops a slash at the end, and some receivers need it. */
static struct str plan_target(struct arena *a, struct str text, const struct url *u)
{
	size_t scheme = str_find(text, STR("://"));
	struct str path = str_skip(text, scheme + 3);
	size_t at = 0;

	while (at < path.n && !strchr("/?#", path.p[at]))
		at++;
	path = str_skip(path, at);
	for (at = 0; at < path.n && path.p[at] != '?' && path.p[at] != '#';)
		at++;
	path.n = at;
	path = path.n ? path : STR("/");
	return u->query.p ? ARENA_JOIN(a, path, STR("?"), u->query) : arena_copy(a, path);
}

/* `text` was said at `place` (in messages). */
static bool plan_set_address(struct plan_reader *r, struct str text, const char *place, struct err *err)
{
	struct push_plan *p = r->plan;

	if (!url_parse(r->arena, text, &p->url, err))
		return err_context(err, place);
	p->target = plan_target(r->arena, text, &p->url);
	p->shown = url_format(r->arena, &p->url);
	return true;
}

/* A base with the path of the signal behind it; `more` stands between when the base is a host alone. */
static bool plan_set_base(struct plan_reader *r, struct str base, const char *more, const char *place, struct err *err)
{
	struct str path = str_from(push_signals[r->plan->signal].path), query;
	struct url url;

	if (!url_parse(r->arena, base, &url, err))
		return err_context(err, place);
	if (url.path.n)
		more = "";
	base = plan_cut_slashes(str_cut(str_cut(base, '#', &query), '?', &query));
	base = ARENA_JOIN(r->arena, base, str_from(more), path);
	if (url.query.p)
		base = ARENA_JOIN(r->arena, base, STR("?"), url.query);
	return plan_set_address(r, base, place, err);
}

/* People paste the whole address where a base is wanted. */
static struct str plan_cut_signal(struct str base)
{
	base = plan_cut_slashes(base);
	for (size_t i = 0; i < PUSH_SIGNALS; i++)
		if (str_ends(base, str_from(push_signals[i].path)))
			base.n -= strlen(push_signals[i].path);
	return base;
}

static bool plan_read_address(struct plan_reader *r, struct err *err)
{
	const struct push_preset *preset = r->wish->preset;
	const char *more = preset ? preset->path : "", *name;
	struct str value;

	if (r->wish->endpoint.n)
		return plan_set_base(r, plan_cut_signal(r->wish->endpoint), more, "the endpoint", err);
	for (size_t i = 0; preset && i < COUNT(preset->variables); i++) {
		value = plan_get(r, preset->variables[i]);
		if (value.n)
			return plan_set_base(r, plan_cut_signal(value), more, preset->variables[i], err);
	}
	value = plan_get_otlp(r, "ENDPOINT", &name);
	if (value.n && strcmp(name, PREFIX "ENDPOINT") != 0)
		return plan_set_address(r, value, name, err);
	if (value.n)
		return plan_set_base(r, value, "", name, err);
	return plan_set_base(r, str_from(preset ? preset->endpoint : "http://localhost:4318"), more, "preset", err);
}

/* ---- encoding, time, compression ---- */

static bool plan_read_encoding(struct plan_reader *r, struct err *err)
{
	const struct push_preset *preset = r->wish->preset;
	enum push_encoding wanted = r->wish->encoding, only = preset ? preset->only : PUSH_ANY;
	const char *name = "the format";
	struct str value;

	if (wanted == PUSH_ANY && !r->wish->as_it_is) {
		value = plan_get_otlp(r, "PROTOCOL", &name);
		if (str_eq(value, STR("http/json")))
			wanted = PUSH_JSON;
		else if (str_eq(value, STR("http/protobuf")))
			wanted = PUSH_PROTOBUF;
		else if (value.n)
			return err_set(err, ERR_USAGE,
				       "%s: '%.*s' cannot be sent" ERR_HELP "set it to http/protobuf (or http/json), "
				       "and the endpoint to the receiver's HTTP port, which is 4318 for most", name,
				       STR_ARG(value));
	}
	if (only != PUSH_ANY && wanted != PUSH_ANY && wanted != only)
		return err_set(err, ERR_USAGE, "%s: %s takes OTLP as protobuf only", name, preset->title);
	r->plan->encoding = wanted != PUSH_ANY ? wanted : PUSH_PROTOBUF;
	return true;
}

static bool plan_read_timeout(struct plan_reader *r, struct err *err)
{
	const char *name;
	struct str value = plan_get_otlp(r, "TIMEOUT", &name);
	uint64_t ms = PUSH_TIMEOUT_MS;

	if (value.n && (!num_parse_u64(value, &ms) || ms == 0 || ms > TIMEOUT_MOST))
		return err_set(err, ERR_USAGE, "%s: '%.*s' is not a number of milliseconds from 1 to %llu", name,
			       STR_ARG(value), (unsigned long long)TIMEOUT_MOST);
	r->plan->timeout_ms = (unsigned)ms;
	return true;
}

static bool plan_read_compression(struct plan_reader *r, struct err *err)
{
	const char *name;
	struct str value = plan_get_otlp(r, "COMPRESSION", &name);

	r->plan->gzip = r->wish->preset && r->wish->preset->gzip;
	if (!value.n || r->wish->as_it_is)
		return true;
	r->plan->gzip = str_eq(value, STR("gzip"));
	if (!r->plan->gzip && !str_eq(value, STR("none")))
		return err_set(err, ERR_USAGE, "%s: '%.*s' is neither gzip nor none", name, STR_ARG(value));
	return true;
}

/* ---- headers ---- */

/* Sets a header, or gives it another value. `place` and `number` say in messages where it stands. */
static bool plan_add_header(struct plan_reader *r, struct http_header h, const char *place, size_t number,
			    struct err *err)
{
	static const char *const ours[] = {
		"host", "content-type", "content-length", "content-encoding", "transfer-encoding", "connection",
		"upgrade", "te", "trailer", "expect", "accept-encoding", "keep-alive", "proxy-connection",
	};
	struct push_plan *p = r->plan;
	size_t i = 0;

	if (!http_is_token(h.name))
		return err_set(err, ERR_USAGE, "%s: item %zu has a name that no header can have", place, number);
	if (http_find_control(h.value.p, h.value.n) < h.value.n)
		return err_set(err, ERR_USAGE, "%s: item %zu has a control character in its value", place, number);
	for (size_t k = 0; k < COUNT(ours); k++)
		if (http_name_eq(h.name, str_from(ours[k])))
			return true;
	while (i < p->header_count && !http_name_eq(r->headers[i].name, h.name))
		i++;
	if (i == HEADERS_MOST)
		return err_set(err, ERR_USAGE, "%s: more than %d headers", place, HEADERS_MOST);
	r->headers[i] = h;
	p->header_count += i == p->header_count;
	return true;
}

static bool plan_add_variable(struct plan_reader *r, const char *name, struct err *err)
{
	struct push_pair *pairs;
	size_t count;

	if (!push_pairs_parse(r->arena, plan_get(r, name), name, &pairs, &count, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!plan_add_header(r, (struct http_header){ pairs[i].key, pairs[i].value }, name, i + 1, err))
			return false;
	return true;
}

static struct str plan_basic(struct arena *a, struct str user)
{
	struct buf text;

	buf_init(&text);
	buf_add_str(&text, STR("Basic "));
	base64_add(&text, user);
	return arena_take(a, &text);
}

static bool plan_add_preset(struct plan_reader *r, const struct push_preset *preset, struct err *err)
{
	struct str bearer = plan_get(r, preset->bearer), project = plan_get(r, preset->project);
	struct str user = plan_get(r, preset->user), password = plan_get(r, preset->password);
	struct http_header h = { STR("authorization"), { NULL, 0 } };

	if (user.n && password.n)
		h.value = plan_basic(r->arena, ARENA_JOIN(r->arena, user, STR(":"), password));
	else if (bearer.n)
		h.value = ARENA_JOIN(r->arena, STR("Bearer "), bearer);
	if (h.value.p && !plan_add_header(r, h, bearer.n ? preset->bearer : preset->user, 1, err))
		return false;
	h = (struct http_header){ STR("x-project-name"), project };
	if (project.n && !plan_add_header(r, h, preset->project, 1, err))
		return false;
	h = (struct http_header){ str_from(preset->fixed[0]), str_from(preset->fixed[1]) };
	return !preset->fixed[0] || plan_add_header(r, h, preset->name, 1, err);
}

static bool plan_has_header(const struct plan_reader *r, struct str name)
{
	for (size_t i = 0; i < r->plan->header_count; i++)
		if (http_name_eq(r->headers[i].name, name))
			return true;
	return false;
}

/* The preset's first: what is added later replaces it. */
static bool plan_read_headers(struct plan_reader *r, struct err *err)
{
	const struct push_wish *w = r->wish;
	struct push_plan *p = r->plan;
	const char *own = arena_printf(r->arena, PREFIX "%s_HEADERS", push_signals[p->signal].word).p;

	r->headers = arena_array(r->arena, struct http_header, HEADERS_MOST);
	if ((w->preset && !plan_add_preset(r, w->preset, err)) || !plan_add_variable(r, PREFIX "HEADERS", err) ||
	    !plan_add_variable(r, own, err))
		return false;
	for (size_t i = 0; i < w->header_count; i++)
		if (!plan_add_header(r, w->headers[i], "the file of headers", i + 1, err))
			return false;
	if (p->url.user.p && !plan_has_header(r, STR("authorization")) &&
	    !plan_add_header(r, (struct http_header){ STR("authorization"), url_authorization(r->arena, &p->url) },
			     "the endpoint", 1, err))
		return false;
	if (w->preset && w->preset->needs_authorization && !plan_has_header(r, STR("authorization")))
		return err_set(err, ERR_USAGE, "%s wants to know who sends" ERR_HELP "%s", w->preset->title,
			       w->preset->help);
	p->headers = r->headers;
	return true;
}

/* ---- all of it ---- */

bool push_plan_read(struct arena *a, const struct push_wish *wish, enum push_signal signal,
		    const char *(*get)(const char *name), struct push_plan *out, struct err *err)
{
	struct plan_reader r = { .arena = a, .wish = wish, .get = get, .plan = out };
	const char *name;

	*out = (struct push_plan){ .signal = signal, .tries = PUSH_TRIES, .budget_ms = PUSH_BUDGET_MS };
	if (wish->preset && !wish->preset->takes[signal])
		return err_set(err, ERR_USAGE, "%s takes no %s", wish->preset->title, push_signals[signal].plural);
	if (!plan_read_address(&r, err) || !plan_read_encoding(&r, err) || !plan_read_timeout(&r, err) ||
	    !plan_read_compression(&r, err) || !plan_read_headers(&r, err))
		return false;
	if (out->url.tls && plan_get_otlp(&r, "CERTIFICATE", &name).n)
		out->note = arena_printf(a, "%s is not read: name the file in SSL_CERT_FILE", name);
	return true;
}

/* service.name is a member of its own, and OTEL_SERVICE_NAME is stronger. Of equal keys the last one counts. */
static void plan_set_resource(struct arena *a, const struct push_pair *pairs, size_t count, struct export_options *o)
{
	struct str *list = arena_array(a, struct str, 2 * count + 1);
	size_t n = 0, at;

	for (size_t i = 0; i < count; i++) {
		if (str_eq(pairs[i].key, STR("service.name"))) {
			if (pairs[i].value.n)
				o->service = pairs[i].value;
			continue;
		}
		for (at = 0; at < n && !str_eq(list[at], pairs[i].key);)
			at += 2;
		list[at] = pairs[i].key;
		list[at + 1] = pairs[i].value;
		n += at == n ? 2 : 0;
	}
	o->resource = list;
	o->resource_count = n;
}

bool push_plan_export(struct arena *a, const struct push_preset *preset, const char *(*get)(const char *name),
		      struct export_options *o, struct err *err)
{
	static const char attributes[] = "OTEL_RESOURCE_ATTRIBUTES";
	struct plan_reader r = { .arena = a, .get = get };
	struct str service = plan_get(&r, "OTEL_SERVICE_NAME"), opted = plan_get(&r, "OTEL_SEMCONV_STABILITY_OPT_IN");
	struct push_pair *pairs;
	size_t count;

	if (utf8_check(service) < service.n)
		return err_set(err, ERR_USAGE, "OTEL_SERVICE_NAME is not UTF-8");
	if (!push_pairs_parse(a, plan_get(&r, attributes), attributes, &pairs, &count, err))
		return false;
	plan_set_resource(a, pairs, count, o);
	if (service.n)
		o->service = arena_copy(a, service);
	while (opted.n)
		if (str_eq(str_trim(str_cut(opted, ',', &opted)), STR("gen_ai_latest_experimental")))
			o->profile = OTLP_GENAI_DEV;
	if (preset) {
		o->text_limit = preset->text_limit;
		o->batch_limit = preset->batch_limit;
	}
	return true;
}
