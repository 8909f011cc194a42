#include "dialect/exchange/exchange.h"

#include <assert.h>

#include "dialect/exchange/answer_stream.h"
#include "dialect/exchange/answer_text.h"
#include "dialect/exchange/frames.h"
#include "dialect/exchange/http.h"
#include "dialect/record/field.h"

#define LOOK 32      /* entries of a list that are looked at to tell what it is */

/* ---- the envelope ---- */

static struct val exchange_object_of(struct val v, struct str name)
{
	struct val member = val_get(v, name);

	return val_is(member, JSON_OBJECT) ? member : VAL_NONE;
}

static struct val exchange_first_of(struct val v, const struct str *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct val member = val_get(v, names[i]);

		if (!val_is_unset(member))
			return member;
	}
	return VAL_NONE;
}

/* Content of a half: {body}, {body_text}, HAR's {postData:{text}} and {content:{text}}, VCR's {body:{string}}. */
static struct val body_of(struct val half)
{
	static const struct str names[] = {
		WORD("body"), WORD("body_text"), WORD("json"), WORD("postData"), WORD("content"), WORD("data"),
	};
	static const struct str inside[] = { WORD("text"), WORD("string") };
	struct val body = exchange_first_of(half, names, COUNT(names)), text;

	if (!val_is(body, JSON_OBJECT))
		return body;
	text = exchange_first_of(body, inside, COUNT(inside));
	if (val_is(text, JSON_STRING) && val_count(body) <= 6 && !val_has(body, STR("model")))
		return text;
	return body;
}

/* The API of a request that holds its answer; NULL when it is none. */
static const struct exchange_api *exchange_find_holder(struct val v)
{
	for (const struct exchange_api *const *api = exchange_apis; *api; api++)
		if ((*api)->holds_answer && (*api)->holds_answer(v))
			return *api;
	return NULL;
}

/* {type:"request", request_params:{...}} and {type:"response", response:{...}}: the halves on lines of their own. */
static bool find_half(struct val v, struct exchange *x)
{
	static const struct str names[] = { WORD("request_params"), WORD("request"), WORD("params"), WORD("body") };
	struct val type = val_get(v, STR("type"));

	if (!val_is(type, JSON_STRING))
		return false;
	if (val_text_is(type, STR("request"))) {
		x->request_body = exchange_first_of(v, names, COUNT(names));
		return val_is(x->request_body, JSON_OBJECT);
	}
	if (val_text_is(type, STR("response"))) {
		x->response_body = val_get(v, STR("response"));
		return val_is(x->response_body, JSON_OBJECT);
	}
	return false;
}

/* {path, body, status, answer}: both halves in one object, as a tap writes them. */
static bool find_flat(struct val v, struct exchange *x)
{
	static const struct str paths[] = { WORD("path"), WORD("url"), WORD("uri") };
	static const struct str requests[] = { WORD("body"), WORD("request_body"), WORD("req_body") };
	static const struct str answers[] = { WORD("answer"),    WORD("rbody"),    WORD("response_body"),
					      WORD("resp_body"), WORD("res_body") };

	x->request_body = exchange_first_of(v, requests, COUNT(requests));
	x->response_body = exchange_first_of(v, answers, COUNT(answers));
	return !val_is_none(x->request_body) && !val_is_none(x->response_body) &&
	       val_is(exchange_first_of(v, paths, COUNT(paths)), JSON_STRING);
}

/* Whether it is one exchange, and where its parts are. */
static bool find_parts(struct val v, struct exchange *x)
{
	static const struct str events[] = { WORD("sse_events"), WORD("ws_events"), WORD("events"), WORD("chunks") };

	*x = (struct exchange){ .v = v };
	if (!val_is(v, JSON_OBJECT))
		return false;
	x->request = exchange_object_of(v, STR("request"));
	x->response = exchange_object_of(v, STR("response"));
	x->api = exchange_find_holder(v);
	if (x->api) {
		x->request_body = v;
		x->response_body = x->response;
		x->request = x->response = VAL_NONE;
		return true;
	}
	if (val_is_none(x->request) || !val_has(v, STR("response")))
		return find_half(v, x) || find_flat(v, x);
	x->request_body = body_of(x->request);
	x->response_body = body_of(x->response);
	x->events = exchange_first_of(x->response, events, COUNT(events));
	/* a request that is the body itself */
	if (val_is_none(x->request_body) && val_has(x->request, STR("model"))) {
		x->request_body = x->request;
		x->request = VAL_NONE;
	}
	if (val_is_none(x->response_body) && val_is_none(x->events) && !val_has(x->response, STR("status"))) {
		x->response_body = x->response;
		x->response = VAL_NONE;
	}
	return true;
}

/* The list of a file that holds many: HAR, a tap's packets, a cassette. */
static struct val find_list(struct val v)
{
	static const struct str names[] = { WORD("packets"), WORD("interactions"), WORD("exchanges"), WORD("entries") };
	struct val log = exchange_object_of(v, STR("log")), list;

	if (!val_is(v, JSON_OBJECT))
		return VAL_NONE;
	list = exchange_first_of(val_is_none(log) ? v : log, names, COUNT(names));
	return val_is(list, JSON_ARRAY) ? list : VAL_NONE;
}

/* ---- whose it is ---- */

static struct str exchange_path_of(const struct exchange *x)
{
	static const struct str names[] = { WORD("url"), WORD("uri"), WORD("path") };
	struct val url = exchange_first_of(x->request, names, COUNT(names));

	if (x->path.p)
		return x->path;
	if (!val_is(url, JSON_STRING))
		url = exchange_first_of(x->v, names, COUNT(names));
	return val_is(url, JSON_STRING) ? exchange_http_path(val_raw(url)) : STR("");
}

/* A text that names a model, as those of every API do: many a service has a path that ends in "/messages". */
static bool exchange_is_call(struct val body)
{
	return val_is(body, JSON_STRING) && str_has(val_raw(body), STR("model"));
}

/* Without parsing anything: a body that is a text is told by the path, and by what names it holds. */
static int look_fits(const struct exchange *x, const struct exchange_api *api)
{
	struct val request = VAL_NONE, response = VAL_NONE, first = values_first(x->events), text = x->response_body;
	const struct exchange_api *best;
	struct str path = exchange_path_of(x);

	if (exchange_frames_api(exchange_frames_of(x->v)))
		return exchange_frames_api(exchange_frames_of(x->v)) == api ? 85 : 0;
	if (val_is(x->request_body, JSON_OBJECT))
		request = x->request_body;
	if (val_is(x->response_body, JSON_OBJECT))
		response = x->response_body;
	if (val_is(x->events, JSON_ARRAY)) {
		if (!val_is_none(first))
			text = val_has(first, STR("data")) ? val_get(first, STR("data")) : first;
		if (val_is(text, JSON_OBJECT) && val_is_none(response))
			response = text;
	}
	best = x->api ? x->api : exchange_find_api(request, response, path);
	if (best)
		return best == api ? 85 : 0;
	if (exchange_api_of_path(path) == api &&
	    (exchange_is_call(x->request_body) || exchange_is_call(x->response_body)))
		return 75;
	for (const struct str *word = api->body_words; word->n && val_is(text, JSON_STRING); word++)
		if (str_find(val_raw(text), *word) != (size_t)-1)
			return 70;
	return 0;
}

bool exchange_is_foreign(struct val v)
{
	struct val type = val_get(v, STR("type"));

	if (val_has(v, STR("invocation_id")) && val_has(v, STR("wrapper_id")))
		return true;
	return val_is(type, JSON_STRING) && str_starts(val_raw(type), STR("LLM"));
}

/* Lists are looked at until an exchange is of some API: one that only accompanies others says nothing. */
int exchange_fits(struct val v, const struct exchange_api *api)
{
	struct val list = find_list(v), entry;
	struct val_iter it = val_begin(list);
	struct exchange x;
	size_t n = 0;
	int best = 0;

	if (exchange_is_foreign(v))
		return 0;
	if (find_parts(v, &x))
		return look_fits(&x, api);
	if (exchange_frame_fits(v, api))
		return exchange_frame_fits(v, api);
	while (val_is(list, JSON_ARRAY) && n++ < LOOK && val_next(&it, &entry)) {
		if (!find_parts(entry, &x))
			continue;
		best = look_fits(&x, api);
		if (best > 0)
			return best;
		/* the first that is of any API decides */
		for (const struct exchange_api *const *one = exchange_apis; *one; one++)
			if (!(*one)->accompanies && look_fits(&x, *one) > 0)
				return 0;
	}
	return 0;
}

/* ---- reading one ---- */

/* A text of JSON becomes its value; *parsed says whether there is a tape to release. */
static struct val exchange_open_body(struct reading *r, struct val v, bool *parsed)
{
	struct val inner;
	struct str text;

	*parsed = false;
	if (!val_is(v, JSON_STRING))
		return v;
	text = str_trim(val_text(v, r->arena));
	if (text.n == 0 || (text.p[0] != '{' && text.p[0] != '['))
		return v;
	inner = reading_parse(r, text);
	*parsed = !val_is_none(inner);
	return *parsed ? inner : v;
}

/* The first value of a stream, to see whose it is; it must be released. */
static struct val open_first(struct reading *r, const struct exchange *x, struct val body, bool *parsed)
{
	struct answer_text it = { .value = VAL_NONE };
	struct val first = VAL_NONE, data;

	*parsed = false;
	if (val_is(body, JSON_ARRAY)) {
		first = values_first(body);
	} else if (val_is(body, JSON_STRING)) {
		it.left = val_text(body, r->arena);
		*parsed = answer_text_next(r, &it, &first);
	} else if (val_is(body, JSON_OBJECT)) {
		return body;
	} else {
		first = values_first(x->events);
		data = val_get(first, STR("data"));
		first = val_is_none(data) ? first : exchange_open_body(r, data, parsed);
	}
	return first;
}

/* The API of an exchange. The first value of a stored stream is opened to see, and released again. */
static const struct exchange_api *find_api(struct reading *r, const struct exchange *x, struct val request,
					   struct val response)
{
	const struct exchange_api *api;
	struct val first;
	bool parsed;

	if (x->api)
		return x->api;
	first = open_first(r, x, response, &parsed);
	api = exchange_find_api(request, first, exchange_path_of(x));
	if (parsed)
		reading_release(r, first);
	return api;
}

/* Whether an answer says why it ended, or that it failed. */
static bool has_stop(const struct reading *r, size_t from)
{
	for (size_t i = from; i < r->count; i++)
		if ((r->events[i].kind == EVENT_STEP && r->events[i].stop_reason.p) || r->events[i].kind == EVENT_ERROR)
			return true;
	return false;
}

/* A stream that just ends, without a word why, was cut; one with an end mark was not. */
static void end_stream(struct reading *r, size_t from, bool done)
{
	size_t i = r->count;
	struct event *e;

	if (has_stop(r, from))
		return;
	while (i > from && r->events[i - 1].kind != EVENT_STEP)
		i--;
	if (i == from)
		return;
	if (!done) {
		r->events[i - 1].flags |= EVENT_PARTIAL;
		return;
	}
	e = reading_add(r, EVENT_STEP);
	e->flags = EVENT_PIECE | EVENT_MARKER | EVENT_LAST;
	e->step = r->events[i - 1].step;
	e->branch = r->events[i - 1].branch;
}

/* A stream that was stored as a list of events, each with its data as text or as a value. */
static void read_event_list(struct reading *r, const struct exchange_api *api, struct val events)
{
	size_t from = r->count;
	bool parsed, done = false;

	VALUES_EACH(event, events) {
		struct val data = val_get(event, STR("data")), v;
		struct val name = val_get(event, STR("event"));

		if (val_is_none(data) || val_has(event, STR("type"))) {
			api->stream_event(r, event, str_of(NULL, 0));
			continue;
		}
		done = done || val_text_is(data, STR("[DONE]"));
		v = exchange_open_body(r, data, &parsed);
		if (!val_is(v, JSON_OBJECT))
			continue;
		api->stream_event(r, v, val_is(name, JSON_STRING) ? reading_text_of(r, name) : str_of(NULL, 0));
		if (parsed) {
			reading_release(r, v);
			reading_take(r, data);
		}
	}
	end_stream(r, from, done);
}

static bool has_token(const struct reading *r, size_t from)
{
	for (size_t i = from; i < r->count; i++)
		if (answer_event_news(&r->events[i]) & ANSWER_TOKEN)
			return true;
	return false;
}

/*
 * What of a body was no event stays: an event that is no JSON (the last one of an answer that broke off) beside the
 * step, anything else by leaving the whole body to the rest.
 */
static void keep_unread(struct reading *r, size_t from, const struct answer_text *it, struct val text)
{
	size_t i = r->count;

	while (i > from && r->events[i - 1].kind != EVENT_STEP)
		i--;
	if (r->count == from || it->unread > 1 || (it->unread && (!it->odd.p || i == from)))
		return;
	if (it->unread)
		reading_extra(r, &r->events[i - 1], STR("unread"), reading_quote(r, it->odd));
	reading_take(r, text);
}

/* *token gets how many bytes of the text make the first token whole; 0 when there is none. */
static void read_stream_text(struct reading *r, const struct exchange_api *api, struct val text, size_t *token)
{
	struct answer_text it = { .left = val_text(text, r->arena), .value = VAL_NONE };
	size_t from = r->count, before;
	struct val v;

	for (before = from; answer_text_next(r, &it, &v); before = r->count) {
		api->stream_event(r, v, it.event.p ? arena_copy(r->arena, it.event) : it.event);
		if (*token == 0 && has_token(r, before))
			*token = it.end;
	}
	keep_unread(r, from, &it, text);
	end_stream(r, from, it.done);
}

/* How many bytes of a stored body there are up to the end of a value in it. */
static size_t exchange_find_end(struct reading *r, const struct exchange *x, struct val body, struct val v)
{
	struct str text = val_is(x->response_body, JSON_STRING) ? val_text(x->response_body, r->arena) : STR("");
	size_t lead = (size_t)(str_trim(text).p - text.p);

	return lead + (size_t)(val_source(v).p + val_source(v).n - val_source(body).p);
}

/* A stream that was stored as a list of its values. */
static void read_list(struct reading *r, const struct exchange_api *api, const struct exchange *x, struct val body,
		      size_t *token)
{
	struct val_iter it = val_begin(body);
	size_t from = r->count, before;
	struct val v;

	for (before = from; val_next(&it, &v); before = r->count) {
		if (val_is(v, JSON_OBJECT))
			api->stream_event(r, v, str_of(NULL, 0));
		if (*token == 0 && has_token(r, before))
			*token = exchange_find_end(r, x, body, v);
	}
	end_stream(r, from, false);
}

/* The answer in whatever form it was stored: a body, a list, a text of events, or a list of events beside it. */
static void exchange_read_answer(struct reading *r, const struct exchange_api *api, const struct exchange *x,
				 struct val request, struct val body, size_t *token)
{
	size_t from = r->count;

	if (val_is(body, JSON_OBJECT)) {
		api->response(r, body);
		/* a stream of one line */
		if (api->streams_lines && exchange_asks_stream(api, request, exchange_path_of(x)) &&
		    has_token(r, from))
			*token = exchange_find_end(r, x, body, body);
	} else if (val_is(body, JSON_ARRAY)) {
		read_list(r, api, x, body, token);
	} else if (val_is(body, JSON_STRING)) {
		read_stream_text(r, api, body, token);
	}
	if (r->count == from && val_is(x->events, JSON_ARRAY))
		read_event_list(r, api, x->events);
}

/*
 * What the model said in a request is no step of this log unless an answer in it says so: it is a message, under a name
 * of its own that its calls have too.
 */
static void settle_history(struct reading *r, size_t from, struct moment ts)
{
	for (size_t i = from; i < r->count; i++) {
		struct event *e = &r->events[i];

		if (ts.text.p && !e->ts.text.p)
			e->ts = ts;
		if (!(e->flags & EVENT_HISTORY) || (e->kind != EVENT_STEP && e->kind != EVENT_CALL))
			continue;
		e->step = arena_printf(r->arena, "history_%llu_%u", (unsigned long long)e->line, (unsigned)e->position);
		if (e->kind == EVENT_CALL)
			continue;
		e->kind = EVENT_MESSAGE;
		e->role = STR("assistant");
		e->content = reading_quote(r, e->text.p ? e->text : STR(""));
		if (e->reasoning.n)
			reading_extra(r, e, STR("reasoning"), reading_quote(r, e->reasoning));
		e->text = e->reasoning = e->stop_reason = e->model = e->provider = str_of(NULL, 0);
	}
}

/* The step of an answer, its error when there is none, or a note that there was an exchange. */
static size_t find_main(struct reading *r, size_t from, const char *reason)
{
	struct event *e;

	for (int kind = 0; kind < 2; kind++)
		for (size_t i = from; i < r->count; i++)
			if (r->events[i].kind == (kind == 0 ? EVENT_STEP : EVENT_ERROR))
				return i;
	e = reading_add(r, EVENT_NOTE);
	e->role = STR("exchange");
	e->content = reading_quote(r, str_from(reason));
	return r->count - 1;
}

/* What the request knows of the answer: how tools may be called, the model, and whether a stream was asked for. */
static void read_choice_of_tools(struct reading *r, struct event *e, struct val request)
{
	struct val choice = exchange_tool_choice(request);
	struct val stream = val_get(request, STR("stream"));

	if (e->kind == EVENT_STEP && val_is(choice, JSON_STRING) && !e->tool_choice.p)
		e->tool_choice = reading_text_of(r, choice);
	if (e->kind == EVENT_STEP && !e->model.p)
		e->model = arena_copy(r->arena, val_is(val_get(request, STR("model")), JSON_STRING)
							? val_text(val_get(request, STR("model")), r->arena)
							: STR(""));
	if (e->kind == EVENT_STEP && e->model.n == 0)
		e->model = str_of(NULL, 0);
	if (val_is(stream, JSON_TRUE))
		e->flags = (e->flags & ~(unsigned)EVENT_NO_STREAM) | EVENT_STREAM;
	else if (val_is(stream, JSON_FALSE) && !(e->flags & EVENT_STREAM))
		e->flags |= EVENT_NO_STREAM;
}

/* Of APIs whose requests name the model in their path only. */
static void name_model(struct reading *r, struct event *e, const struct exchange *x)
{
	struct str model = exchange_http_model(exchange_path_of(x));

	if (e->kind == EVENT_STEP && !e->model.p && model.n)
		e->model = arena_copy(r->arena, model);
}

static bool is_prewarm(struct val request)
{
	return val_is(val_get(request, STR("generate")), JSON_FALSE);
}

/* Keys that some programs log with the request. */
static void drop_keys(struct reading *r, struct val request)
{
	static const struct str names[] = {
		WORD("api_key"), WORD("apiKey"), WORD("authorization"), WORD("extra_headers"),
	};

	for (size_t i = 0; i < COUNT(names); i++)
		reading_drop(r, val_get(request, names[i]));
}

/* A HEAD that looks who is there, a GET for a list or a WebSocket: no model was asked, so none refused. */
static bool is_refused_look(const struct exchange *x, const struct exchange_http *http)
{
	struct val method = val_get(x->request, STR("method"));

	return http->status >= 400 && (val_text_is(method, STR("GET")) || val_text_is(method, STR("HEAD")));
}

/*
 * Request first, as history; then the answer. Bodies that were texts are parsed for the time of this call, and marked
 * as taken when all of them was kept.
 */
size_t exchange_read_parts(struct reading *r, struct exchange *x, struct exchange_http *http)
{
	bool request_parsed, response_parsed;
	struct val request = exchange_open_body(r, x->request_body, &request_parsed);
	struct val response = exchange_open_body(r, x->response_body, &response_parsed);
	bool look = is_refused_look(x, http);
	const struct exchange_api *api = is_prewarm(request) || look ? NULL : find_api(r, x, request, response);
	const char *reason = is_prewarm(request) ? "prewarm" : api ? "no_answer" : "unknown_api";
	size_t from = r->count, main, token = 0;

	x->api = api;
	drop_keys(r, request);
	if (api && val_is(request, JSON_OBJECT) && api->fits_request(request) > 0)
		api->request(r, request);
	settle_history(r, from, http->begun);
	from = r->count;
	if (api)
		exchange_read_answer(r, api, x, request, response, &token);
	if (http->status >= 400 && !look)
		exchange_http_add_error(r, http, from);
	main = find_main(r, from, reason);
	read_choice_of_tools(r, &r->events[main], request);
	name_model(r, &r->events[main], x);
	if (val_is(x->chunks, JSON_ARRAY) && token)
		http->ttft_ms = exchange_http_arrival(x->chunks, token);
	if (response_parsed || val_is(response, JSON_OBJECT)) /* of a body nobody read */
		reading_rest_under(r, &r->events[main], response, STR("response"));
	if (request_parsed || (val_is(request, JSON_OBJECT) && request.at != x->v.at))
		reading_rest_under(r, &r->events[main], request, STR("request"));
	if (response_parsed) {
		reading_release(r, response);
		reading_take(r, x->response_body);
	}
	if (request_parsed) {
		reading_release(r, request);
		reading_take(r, x->request_body);
	}
	exchange_http_dress(r, http, from, main);
	return main;
}

/* A connection on which messages went both ways. */
static void read_frames(struct reading *r, struct val entry, const struct exchange_api *api)
{
	size_t from = r->count;

	VALUES_EACH(v, exchange_frames_of(entry)) {
		if (exchange_frame_fits(v, api))
			exchange_frame_read(r, v, api);
	}
	if (r->count > from)
		reading_rest_under(r, &r->events[from], entry, STR("exchange"));
}

/* The envelope's own members are read before its bodies, and what is left of it comes last. */
static void exchange_read_one(struct reading *r, struct exchange *x)
{
	const struct exchange_api *socket = exchange_frames_api(exchange_frames_of(x->v));
	struct exchange_http http;
	size_t main;

	if (socket) {
		exchange_http_read(r, &http, x->v, x->request, x->response); /* for the secrets of its headers */
		read_frames(r, x->v, socket);
		return;
	}

	exchange_http_read(r, &http, x->v, x->request, x->response);
	main = exchange_read_parts(r, x, &http);
	reading_rest_under(r, &r->events[main], x->v, STR("exchange"));
}

/* The start is made at the end and moved to its place, since events are only added there. */
void exchange_begin_run(struct reading *r, size_t at, struct val v)
{
	struct event start, *e;

	assert(at <= r->count);
	if (r->count == at || r->events[at].kind != EVENT_RUN_START) {
		start = *reading_add(r, EVENT_RUN_START);
		memmove(&r->events[at + 1], &r->events[at], (r->count - 1 - at) * sizeof(*r->events));
		r->events[at] = start;
	}
	e = &r->events[at];
	e->flags = EVENT_HISTORY | EVENT_INFERRED;
	e->digest = 0; /* it is of this run only */
	e->model = reading_text(r, v, STR("model"));
	reading_rest(r, e, v);
}

static bool fits_any(struct val v)
{
	for (const struct exchange_api *const *api = exchange_apis; *api; api++)
		if (exchange_fits(v, *api) > 0)
			return true;
	return false;
}

/* A list without one exchange that fits is none of ours, and nothing is added. */
bool exchange_read(struct reading *r, struct val v)
{
	struct val list;
	size_t at = r->count;
	struct event *start;
	struct exchange x;

	if (find_parts(v, &x)) {
		exchange_read_one(r, &x);
		return true;
	}
	for (const struct exchange_api *const *api = exchange_apis; *api; api++) {
		if (exchange_frame_fits(v, *api)) {
			exchange_frame_read(r, v, *api);
			return true;
		}
	}
	list = find_list(v);
	if (val_is_none(list) || !fits_any(v))
		return false;
	start = reading_add(r, EVENT_RUN_START);
	start->run = reading_text(r, v, STR("session"));
	start->agent = reading_text(r, v, STR("agent"));
	VALUES_EACH(entry, list) {
		if (find_parts(entry, &x))
			exchange_read_one(r, &x);
	}
	reading_rest(r, &r->events[at], v);
	return true;
}
