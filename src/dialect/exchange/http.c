/*
 * Logs have many names for the same things: each is tried in turn. Secrets are told by the names of headers and
 * parameters alone, with words rather than lists, so that a new header is dropped sooner than kept.
 */
#include "dialect/exchange/http.h"

#include "base/ascii.h"
#include "dialect/reading/billing.h"
#include "dialect/record/field.h"

#define NAME_ROOM 128
#define DELAY_MAX INT64_C(1000000000000000) /* microseconds: thirty years */

/* ---- names that let others in ---- */

/* Lower case, as much as there is room for. */
static struct str lower(char room[NAME_ROOM], struct str name)
{
	size_t n = name.n < NAME_ROOM ? name.n : NAME_ROOM;

	for (size_t i = 0; i < n; i++)
		room[i] = ascii_lower(name.p[i]);
	return str_of(room, n);
}

static bool holds(struct str s, const struct str *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_has(s, words[i]))
			return true;
	return false;
}

/* Some words are mostly secret: "x-ratelimit-tokens" and the like are let through. */
bool exchange_http_is_secret(struct str name)
{
	static const struct str always[] = {
		WORD("authoriz"), WORD("cookie"), WORD("api-key"), WORD("api_key"), WORD("apikey"), WORD("secret"),
		WORD("password"), WORD("credential"), WORD("signature"), WORD("jwt"), WORD("x-amz-"),
	};
	static const struct str mostly[] = { WORD("auth"), WORD("key"), WORD("token") };
	static const struct str harmless[] = {
		WORD("ratelimit"), WORD("rate-limit"), WORD("tokens"), WORD("authority"),
	};
	char room[NAME_ROOM];
	struct str low = lower(room, name);

	if (str_eq(low, STR("sig")) || str_eq(low, STR("code")) || str_eq(low, STR("pass")))
		return true;
	if (name.n > NAME_ROOM || holds(low, always, COUNT(always)))
		return true; /* a name that long is none of ours to judge */
	return holds(low, mostly, COUNT(mostly)) && !holds(low, harmless, COUNT(harmless));
}

/* ---- addresses ---- */

/* The address without its query and fragment. */
static struct str without_tail(struct str url)
{
	for (size_t i = 0; i < url.n; i++)
		if (url.p[i] == '?' || url.p[i] == '#')
			return str_of(url.p, i);
	return url;
}

struct str exchange_http_path(struct str url)
{
	size_t at = str_find(url, STR("://"));

	url = without_tail(url);
	if (at != (size_t)-1 && at < url.n) {
		const char *slash = memchr(url.p + at + 3, '/', url.n - at - 3);

		url = slash ? str_of(slash, (size_t)(url.p + url.n - slash)) : STR("");
	}
	while (url.n > 1 && url.p[url.n - 1] == '/')
		url.n--;
	return url;
}

/* ".../models/NAME:verb": some requests name the model nowhere else. */
struct str exchange_http_model(struct str url)
{
	struct str path = exchange_http_path(url), rest, name;
	size_t at = str_find(path, STR("/models/"));

	if (at == (size_t)-1)
		return str_of(NULL, 0);
	name = str_cut(str_of(path.p + at + 8, path.n - at - 8), ':', &rest);
	return name.n && rest.n && !memchr(name.p, '/', name.n) ? name : str_of(NULL, 0);
}

/* The last '@' before the path counts, since passwords may hold one. */
struct str exchange_http_clean_url(struct arena *a, struct str url)
{
	size_t at, begin, end;
	const char *sign = NULL;

	url = without_tail(url);
	at = str_find(url, STR("://"));
	if (at == (size_t)-1)
		return url;
	begin = at + 3;
	for (end = begin; end < url.n && url.p[end] != '/'; end++)
		if (url.p[end] == '@')
			sign = url.p + end;
	if (!sign)
		return url;
	return arena_printf(a, "%.*s%.*s", (int)begin, url.p, (int)(url.p + url.n - sign - 1), sign + 1);
}

struct str exchange_http_clean_query(struct arena *a, struct str url)
{
	struct str query, rest, pair, name, value;
	struct buf kept = { 0 };

	str_cut(url, '?', &query);
	query = str_cut(query, '#', &rest);
	while (query.n) {
		pair = str_cut(query, '&', &query);
		name = str_cut(pair, '=', &value);
		/* a name that is spelled in hexadecimal has something to hide */
		if (pair.n == 0 || memchr(name.p, '%', name.n) || exchange_http_is_secret(name))
			continue;
		if (kept.n)
			buf_add_byte(&kept, '&');
		buf_add_str(&kept, pair);
	}
	query = kept.n ? arena_copy(a, buf_str(&kept)) : str_of(NULL, 0);
	buf_free(&kept);
	return query;
}

/* Where the request went: as the request says it, else as the envelope does. */
static struct str find_url(struct reading *r, struct val v, struct val request)
{
	static const struct str names[] = { WORD("url"), WORD("uri"), WORD("path") };
	struct str url = { NULL, 0 };

	for (size_t i = 0; i < 2 * COUNT(names) && !url.n; i++) {
		struct val place = i < COUNT(names) ? request : v;
		struct val member = val_get(place, names[i % COUNT(names)]);

		if (val_is(member, JSON_STRING))
			url = reading_text_of(r, member);
	}
	return url;
}

/* A path alone is joined to the address that a proxy passed it on to. */
static void read_url(struct reading *r, struct exchange_http *http, struct val v, struct val request)
{
	struct str url = find_url(r, v, request), base;
	struct val up = val_get(v, STR("upstream_base_url"));

	if (!url.n)
		return;
	if (url.p[0] == '/' && val_is(up, JSON_STRING)) {
		base = reading_text_of(r, up);
		while (base.n && base.p[base.n - 1] == '/')
			base.n--;
		/* a proxy's own version of the path is not part of the service's */
		url = arena_printf(r->arena, "%.*s%.*s", STR_ARG(base), STR_ARG(url));
	}
	http->endpoint = exchange_http_clean_url(r->arena, url);
	http->query = exchange_http_clean_query(r->arena, url);
}

/* ---- headers ---- */

/* A moment from an HTTP date, which has no fraction: it counts as derived. */
static struct moment http_date(struct reading *r, struct str text)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct moment none = { .source = MOMENT_NONE }, m;
	struct str iso;

	/* Tue, 14 Jan 2025 22:01:42 GMT */
	if (text.n != 29 || text.p[3] != ',' || text.p[16] != ' ' || !str_ends(text, STR(" GMT")))
		return none;
	for (int i = 0; i < 12; i++) {
		if (memcmp(months + (ptrdiff_t)3 * i, text.p + 8, 3) != 0)
			continue;
		iso = arena_printf(r->arena, "%.4s-%02d-%.2sT%.8s.000Z", text.p + 12, i + 1, text.p + 5, text.p + 17);
		m = reading_time_text(r, iso);
		if (m.text.p)
			m.source = MOMENT_DERIVED;
		return m;
	}
	return none;
}

bool exchange_http_is_id(struct str name)
{
	static const struct str ids[] = {
		WORD("request-id"), WORD("x-request-id"), WORD("x-oai-request-id"), WORD("anthropic-request-id"),
		WORD("apim-request-id"), WORD("x-amzn-requestid"), WORD("x-kong-request-id"),
	};
	char room[NAME_ROOM];
	struct str low = lower(room, name);

	return name.n < NAME_ROOM && str_is_one_of(low, ids, COUNT(ids));
}

/* Request headers are only looked at for secrets; of the answer's, the request id and the date are wanted. */
static void exchange_http_read_header(struct reading *r, struct exchange_http *http, struct val whole,
				      struct str name, struct val value, bool answer)
{
	char room[NAME_ROOM];
	struct str low = lower(room, name);
	struct val_iter it = val_begin(value);

	if (exchange_http_is_secret(name)) {
		reading_drop(r, whole);
		return;
	}
	if (val_is(value, JSON_ARRAY) && (val_count(value) != 1 || !val_next(&it, &value)))
		return;
	if (!answer || !val_is(value, JSON_STRING))
		return;
	if (!http->request_id.n && exchange_http_is_id(name))
		http->request_id = reading_text_of(r, value);
	if (!amount_is_known(http->usd))
		http->usd = billing_header(name, val_text(value, r->arena));
	if (str_eq(low, STR("date")) && !http->ended.text.p)
		http->ended = http_date(r, val_text(value, r->arena));
}

/* {"name":"value"}, or HAR's [{"name":..,"value":..}], or pairs. */
static void read_headers(struct reading *r, struct exchange_http *http, struct val headers, bool answer)
{
	struct val_iter it = val_begin(headers);
	struct val key, value;

	while (val_is(headers, JSON_OBJECT) && val_next_member(&it, &key, &value))
		exchange_http_read_header(r, http, value, val_text(key, r->arena), value, answer);
	while (val_is(headers, JSON_ARRAY) && val_next(&it, &value)) {
		struct val_iter pair = val_begin(value);
		struct val name = val_get(value, STR("name")), text = val_get(value, STR("value"));

		if (val_is(value, JSON_ARRAY) && (!val_next(&pair, &name) || !val_next(&pair, &text)))
			continue;
		if (val_is(name, JSON_STRING))
			exchange_http_read_header(r, http, value, val_text(name, r->arena), text, answer);
	}
}

/* Cookies, and parameters whose names say that they let somebody in. */
static void drop_secrets(struct reading *r, struct val half)
{
	struct val query = val_get(half, STR("queryString"));

	reading_drop(r, val_get(half, STR("cookies")));
	VALUES_EACH(pair, query) {
		struct val name = val_get(pair, STR("name"));

		if (val_is(name, JSON_STRING) && exchange_http_is_secret(val_text(name, r->arena)))
			reading_drop(r, pair);
	}
}

/* ---- times and status ---- */

static struct moment exchange_http_first_time(struct reading *r, struct val v, const struct str *names,
					      size_t count)
{
	struct moment m = { .source = MOMENT_NONE };

	for (size_t i = 0; i < count && !m.text.p; i++)
		m = reading_time(r, v, names[i]);
	return m;
}

/* Begin, end and duration under all the names that logs have for them. Two of the three give the third. */
static void exchange_http_read_times(struct reading *r, struct exchange_http *http, struct val v,
				     struct val request, struct val response)
{
	static const struct str begun[] = {
		WORD("startedDateTime"), WORD("start_time"), WORD("startTime"), WORD("started_at"),
		WORD("request_time"), WORD("t"),
	};
	static const struct str ended[] = {
		WORD("end_time"), WORD("endTime"), WORD("completed_at"), WORD("response_time"), WORD("te"),
	};
	static const struct str at[] = { WORD("timestamp"), WORD("ts"), WORD("created_at"), WORD("recorded_at") };
	static const struct {
		struct str name;
		double scale;
	} lasted[] = {
		{ WORD("duration_ms"), 1 }, { WORD("latency_ms"), 1 },   { WORD("elapsed_ms"), 1 },
		{ WORD("latency_sec"), 1e3 }, { WORD("latency_s"), 1e3 }, { WORD("duration_s"), 1e3 },
	};
	struct moment one = exchange_http_first_time(r, v, at, COUNT(at));

	http->begun = exchange_http_first_time(r, v, begun, COUNT(begun));
	http->ended = exchange_http_first_time(r, v, ended, COUNT(ended));
	if (!http->begun.text.p)
		http->begun = exchange_http_first_time(r, request, at, COUNT(at));
	if (!http->ended.text.p)
		http->ended = exchange_http_first_time(r, response, at, COUNT(at));
	for (size_t i = 0; i < COUNT(lasted) && !amount_is_known(http->latency_ms); i++)
		http->latency_ms = reading_amount(r, v, lasted[i].name, lasted[i].scale);
	if (!amount_is_known(http->latency_ms) && val_has(v, STR("startedDateTime")))
		http->latency_ms = reading_amount(r, v, STR("time"), 1);
	if (http->latency_ms.n < 0)
		http->latency_ms = (struct amount){ .state = FIGURE_ABSENT };
	http->ttft_ms = reading_amount(r, v, STR("ttft_ms"), 1);
	if (!http->begun.text.p)
		http->begun = one;
	if (!http->ended.text.p)
		http->ended = one;
	if (http->begun.text.p && !http->ended.text.p && amount_is_known(http->latency_ms) && http->latency_ms.n < 1e12)
		http->ended = reading_moment(r, http->begun.ns + (int64_t)(http->latency_ms.n * 1e6), MOMENT_DERIVED);
	if (http->begun.text.p && http->ended.ns > http->begun.ns && http->latency_ms.state == FIGURE_ABSENT)
		http->latency_ms = (struct amount){ FIGURE_KNOWN, FIGURE_API,
						    (double)(http->ended.ns - http->begun.ns) / 1e6 };
}

/* HAR, proxies and cassettes each put it elsewhere; what is no HTTP status is 0. */
static void exchange_http_read_status(struct exchange_http *http, struct val v, struct val response)
{
	struct val status = val_get(response, STR("status"));
	int64_t n;

	if (val_is(status, JSON_OBJECT))
		status = val_get(status, STR("code"));
	if (!val_is(status, JSON_NUMBER))
		status = val_get(response, STR("status_code"));
	if (!val_is(status, JSON_NUMBER))
		status = val_get(v, STR("http_status"));
	if (!val_is(status, JSON_NUMBER))
		status = val_get(v, STR("status"));
	if (val_i64(status, &n) && n > 0 && n < 1000)
		http->status = (int)n;
}

void exchange_http_read(struct reading *r, struct exchange_http *http, struct val v, struct val request,
			struct val response)
{
	*http = (struct exchange_http){ .status = 0 };
	exchange_http_read_times(r, http, v, request, response);
	read_url(r, http, v, request);
	read_headers(r, http, val_get(val_is_none(request) ? v : request, STR("headers")), false);
	read_headers(r, http, val_get(response, STR("headers")), true);
	read_headers(r, http, val_get(v, STR("rheaders")), true);
	read_headers(r, http, val_get(v, STR("response_headers")), true);
	drop_secrets(r, request);
	drop_secrets(r, response);
	exchange_http_read_status(http, v, response);
}

/* The delays of all chunks up to the one that holds the byte before `end` are added up. */
struct amount exchange_http_arrival(struct val chunks, size_t end)
{
	int64_t offset, delay, us = 0;
	bool any = false;

	VALUES_EACH(chunk, chunks) {
		struct val_iter pair = val_begin(chunk);
		struct val first, second;

		if (!val_is(chunk, JSON_ARRAY) || !val_next(&pair, &first) || !val_next(&pair, &second) ||
		    !val_i64(first, &offset) || !val_i64(second, &delay) || delay < 0 || delay > DELAY_MAX)
			return (struct amount){ .state = FIGURE_ABSENT };
		if (any && (uint64_t)offset >= end)
			break;
		us += delay;
		any = true;
		if (us > DELAY_MAX)
			return (struct amount){ .state = FIGURE_ABSENT };
	}
	return any ? AMOUNT((double)us / 1e3) : (struct amount){ .state = FIGURE_ABSENT };
}

/* ---- what comes of it ---- */

/* Whether a client may try again after this status. */
static bool is_retryable(int status)
{
	return status == 408 || status == 409 || status == 425 || status == 429 || status >= 500;
}

/* The body's own error gets what it left out: a code, and whether to try again. */
void exchange_http_add_error(struct reading *r, const struct exchange_http *http, size_t from)
{
	struct event *e = NULL;

	for (size_t i = from; i < r->count && !e; i++)
		if (r->events[i].kind == EVENT_ERROR)
			e = &r->events[i];
	if (!e) {
		e = reading_add(r, EVENT_ERROR);
		e->class = STR("model");
		e->text = arena_printf(r->arena, "the service answered with status %d", http->status);
	}
	if (!e->code.p)
		e->code = arena_printf(r->arena, "http_%d", http->status);
	if (e->retryable == TRUTH_ABSENT)
		e->retryable = is_retryable(http->status) ? TRUTH_TRUE : TRUTH_FALSE;
}

/* A time of the vendor's own replaces what bodies say; a derived one only fills in. */
void exchange_http_dress(struct reading *r, const struct exchange_http *http, size_t from, size_t main)
{
	struct event *e = &r->events[main];

	for (size_t i = from; i < r->count; i++)
		if (http->ended.text.p && http->ended.source == MOMENT_VENDOR)
			r->events[i].ts = http->ended;
		else if (http->ended.text.p && !r->events[i].ts.text.p)
			r->events[i].ts = http->ended;
	if (http->query.p)
		reading_extra(r, e, STR("query"), reading_quote(r, http->query));
	if (e->kind != EVENT_STEP) {
		if (http->endpoint.p)
			reading_extra(r, e, STR("endpoint"), reading_quote(r, http->endpoint));
		return;
	}
	if (http->endpoint.p && !e->endpoint.p)
		e->endpoint = http->endpoint;
	if (http->request_id.p && !e->request_id.p)
		e->request_id = http->request_id;
	if (!amount_is_known(e->usd))
		e->usd = http->usd;
	if (!amount_is_known(e->latency_ms))
		e->latency_ms = http->latency_ms;
	if (!amount_is_known(e->ttft_ms))
		e->ttft_ms = http->ttft_ms;
}
