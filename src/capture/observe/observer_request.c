/* The request of an exchange: whose API it is, what it asks for, which messages and results it carries. */
#include "capture/observe/observer_private.h"
#include "dialect/exchange/http.h"
#include "dialect/reading/result_kind.h"
#include "dialect/record/field.h"
#include "dialect/writing.h"
#include "model/history.h"
#include "model/words.h"

/* ---- whose it is ---- */

/* What looks like a request for an answer and is none. */
static bool is_side_path(struct str path)
{
	static const struct str ends[] = {
		WORD("count_tokens"), WORD("countTokens"), WORD("/input_tokens"), WORD("/tokenize"),
		WORD("/batches"),     WORD("/files"),      WORD("/moderations"),  WORD("/apply-template"),
	};

	for (size_t i = 0; i < COUNT(ends); i++)
		if (str_ends(path, ends[i]))
			return true;
	return false;
}

/* What APIs have beside that: lists of models, what was answered before, whether anybody is there. */
static bool is_known_path(struct str path, const struct exchange_api *by_path)
{
	static const struct str ends[] = {
		WORD("/models"), WORD("/api/tags"), WORD("/api/version"), WORD("/api/show"), WORD("/api/ps"),
	};
	static const struct str parts[] = { WORD("/models/"), WORD("/responses/"), WORD("/messages/") };
	bool is = path.n <= 1 || by_path || is_side_path(path);

	for (size_t i = 0; i < COUNT(ends); i++)
		is = is || str_ends(path, ends[i]);
	for (size_t i = 0; i < COUNT(parts); i++)
		is = is || str_has(path, parts[i]);
	return is;
}

/* The path says it where the body does not contradict; where it says nothing the body may. */
static const struct exchange_api *find_api(const struct observer *k, struct val body,
					   const struct exchange_api *by_path)
{
	if (!k->post || is_side_path(k->path))
		return NULL;
	if (!val_is(body, JSON_OBJECT))
		return by_path; /* nothing that could contradict */
	if (by_path && (val_is(val_get(body, STR("model")), JSON_STRING) || by_path->fits_request(body) > 0))
		return by_path;
	return exchange_api_of_request(body);
}

/* ---- what it asks for ---- */

/* The part of the path behind this word, up to a slash or a colon. */
static struct str part_behind(struct str path, struct str word)
{
	size_t at = str_find(path, word), n = 0;

	if (at == (size_t)-1)
		return str_of(NULL, 0);
	path = str_of(path.p + at + word.n, path.n - at - word.n);
	while (n < path.n && path.p[n] != '/' && path.p[n] != ':')
		n++;
	return n ? str_of(path.p, n) : str_of(NULL, 0);
}

/* In the body, or in the path, where Gemini, Azure and Bedrock have it. */
static struct str find_model(const struct observer *k, struct val body)
{
	struct val model = val_get(body, STR("model"));
	struct str named = { NULL, 0 };

	if (val_is(model, JSON_STRING))
		named = val_text(model, &k->all->parser.batch);
	if (!named.n)
		named = part_behind(k->path, STR("/models/"));
	if (!named.n)
		named = part_behind(k->path, STR("/deployments/"));
	if (!named.n)
		named = part_behind(k->path, STR("/model/"));
	return named;
}

static const char *find_tool_choice(const struct observer *k, struct val body)
{
	struct val choice = exchange_tool_choice(body);

	return val_is(choice, JSON_STRING) ? words_tool_choice(val_text(choice, &k->all->parser.batch)) : NULL;
}

/* ---- how much text it holds ---- */

/* The bytes of a string's value. */
static size_t text_size(struct observers *l, struct val v)
{
	return val_tok(v)->flags & JSON_ESCAPED ? val_text(v, &l->parser.batch).n : val_raw(v).n;
}

static size_t texts_in(struct observers *l, struct val v)
{
	struct val_iter it = val_begin(v);
	struct val element;
	size_t n = 0;

	if (val_is(v, JSON_STRING))
		return text_size(l, v);
	while (val_is(v, JSON_ARRAY) && val_next(&it, &element))
		n += val_is(element, JSON_STRING) ? text_size(l, element) : 0;
	return n;
}

/*
 * What a count of tokens may be estimated from: texts under the names that APIs give them, and arguments and results
 * that are objects, as they stand. Pictures, ids and descriptions of tools are no texts.
 */
static uint64_t count_texts(struct observers *l, struct val body)
{
	static const struct str texts[] = {
		WORD("text"),   WORD("content"), WORD("input"),        WORD("arguments"), WORD("output"),
		WORD("system"), WORD("prompt"),  WORD("instructions"), WORD("thinking"),  WORD("reasoning_content"),
	};
	static const struct str objects[] = { WORD("input"), WORD("args"), WORD("arguments"), WORD("response") };
	uint32_t end = val_end(body);
	uint64_t n = 0;

	for (struct val at = { body.tape, body.at + 1 }; at.at < end;) {
		struct val value = { at.tape, at.at + 1 };

		if (val_tok(at)->type != JSON_KEY) {
			at.at++;
		} else if (str_eq(val_raw(at), STR("tools"))) {
			at.at = val_end(value);
		} else if (val_is(value, JSON_OBJECT) && str_is_one_of(val_raw(at), objects, COUNT(objects))) {
			n += val_source(value).n;
			at.at = val_end(value);
		} else {
			if (!val_is(value, JSON_OBJECT) && str_is_one_of(val_raw(at), texts, COUNT(texts)))
				n += texts_in(l, value);
			at.at++;
		}
	}
	return n;
}

/* ---- messages and results ---- */

static enum observation_role role_of(const struct event *e, bool first)
{
	if (e->kind == EVENT_RESULT)
		return OBSERVED_RESULT;
	if (e->kind == EVENT_NOTE && first)
		return OBSERVED_SYSTEM; /* what stands before all talk is no part of it */
	if (e->kind != EVENT_MESSAGE || str_eq(e->role, STR("assistant")) || str_eq(e->role, STR("model")))
		return OBSERVED_SAID;
	return str_eq(e->role, STR("system")) || str_eq(e->role, STR("developer")) ? OBSERVED_SYSTEM
										   : OBSERVED_USER;
}

/* The size of a result's parts that are text; -1 when there is any other. */
static int64_t size_of_parts(struct observers *l, struct str json)
{
	struct val list = writing_parse(l->content, json), part;
	struct val_iter it = val_begin(list);
	int64_t n = 0;

	while (val_is(list, JSON_ARRAY) && val_next(&it, &part)) {
		struct val text = val_get(part, STR("text"));

		if (val_is(text, JSON_STRING) && n >= 0)
			n += (int64_t)text_size(l, text);
		else
			n = -1;
	}
	return val_is(list, JSON_ARRAY) ? n : -1;
}

/* The size a model sees: text parts by their text, everything else as it stands. */
static void measure(struct observers *l, const struct event *e, struct observation_result *out)
{
	int64_t parts = -1;

	if (!e->content.p)
		return;
	if (e->content.n && e->content.p[0] == '[')
		parts = size_of_parts(l, e->content);
	out->size = FIGURE(parts >= 0 ? (uint64_t)parts : writing_plain(&l->parser.batch, e->content).n);
	out->kind = result_kind(l->content, &l->parser.batch, e);
}

static struct str id_part(struct str text)
{
	return str_of(text.p, text.n < OBSERVER_TEXT ? text.n : OBSERVER_TEXT);
}

static struct str keep_word(struct observer *k, struct str text)
{
	const struct str none = { NULL, 0 };

	return text.n ? arena_copy(&k->history, id_part(text)) : none;
}

static size_t count_results(const struct reading *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		n += r->events[i].kind == EVENT_RESULT && (r->events[i].flags & EVENT_HISTORY);
	return n;
}

static void take_result(struct observer *k, const struct event *e)
{
	struct observation_result *r = &k->s.results[k->s.result_count++];

	r->call = keep_word(k, e->call);
	r->tool = keep_word(k, e->tool);
	r->is_error = e->is_error == TRUTH_TRUE;
	r->message = k->s.message_count - 1;
	measure(k->all, e, r);
}

/*
 * A request may go on from one that only warmed the service up: no model was called then, and what that one said is
 * said by this one.
 */
static const struct observer_warm *find_warm(struct observer *k)
{
	const struct observers *l = k->all;

	for (size_t i = 0; i < COUNT(l->warm) && k->s.previous.p; i++)
		if (l->warm[i].id && l->warm[i].id == str_hash(k->s.previous))
			return &l->warm[i];
	return NULL;
}

/*
 * The name of the tool whose result it is, by the call that the request tells again: for results whose id was made up
 * on the way, and only where nothing was said since, so that few are looked for.
 */
static void name_results(struct observer *k)
{
	const struct reading *r = &k->all->parser.reading;
	size_t last = k->s.message_count;

	while (last > 0 && k->s.messages[last - 1].role != OBSERVED_SAID)
		last--;
	for (size_t i = k->s.result_count; i-- > 0 && k->s.results[i].message >= last;) {
		struct observation_result *out = &k->s.results[i];

		for (size_t n = r->count; n-- > 0 && out->call.n && !out->tool.n;)
			if (r->events[n].kind == EVENT_CALL && str_eq(id_part(r->events[n].call), out->call))
				out->tool = keep_word(k, r->events[n].tool);
	}
}

/* Events of one message share their position; one that carries a result is a result, whatever else it says. */
static void take_messages(struct observer *k)
{
	const struct reading *r = &k->all->parser.reading;
	const struct observer_warm *warm = find_warm(k);
	uint32_t position = 0;
	bool any = false, only_system = true;

	k->s.messages = arena_array(&k->history, struct observation_message, r->count + (warm ? warm->count : 0));
	if (warm) {
		k->s.previous = observer_keep(k, str_of(warm->previous, warm->previous_size));
		if (warm->count)
			memcpy(k->s.messages, warm->messages, warm->count * sizeof(warm->messages[0]));
		k->s.message_count = k->warmed = warm->count;
	}
	k->s.results = arena_array(&k->history, struct observation_result, count_results(r));
	for (size_t i = 0; i < r->count; i++) {
		const struct event *e = &r->events[i];
		struct observation_message *m;

		if (!(e->flags & EVENT_HISTORY) || e->kind == EVENT_RUN_START)
			continue;
		if (!any || e->position != position) {
			k->s.messages[k->s.message_count++] = (struct observation_message){
				.mark = e->digest, .role = role_of(e, only_system) };
			position = e->position;
			any = true;
		}
		m = &k->s.messages[k->s.message_count - 1];
		only_system = only_system && m->role == OBSERVED_SYSTEM;
		if (e->kind == EVENT_RESULT) {
			m->role = OBSERVED_RESULT;
			take_result(k, e);
		}
	}
}

/* Digests of what it is told before the talk begins: prompts of the system, tools. */
static void take_setting(struct observer *k)
{
	const struct reading *r = &k->all->parser.reading;
	uint64_t system = 0;

	for (size_t i = 0; i < k->s.message_count && k->s.messages[i].role == OBSERVED_SYSTEM; i++)
		system = (system ^ k->s.messages[i].mark) * UINT64_C(0x9E3779B97F4A7C15) | 1;
	k->s.system = system;
	for (size_t i = 0; i < r->count; i++)
		if (r->events[i].kind == EVENT_RUN_START && r->events[i].tools.n > 2) /* more than [] */
			k->s.tools = history_digest(r->events[i].tools) | 1;
}

/* ---- all of it ---- */

/* It only asks to be made ready for. Nothing is made, and no model is called. */
static bool is_prewarm(struct val body)
{
	return val_is(val_get(body, STR("generate")), JSON_FALSE);
}

/* A body that is no JSON object still counts as a call of a model, by its path; nothing more is known of it then. */
static void read_body(struct observer *k, struct val body)
{
	struct val previous = val_get(body, STR("previous_response_id"));

	k->s.kind = OBSERVED_MODEL;
	k->s.api = k->api->name;
	k->s.model = observer_keep(k, find_model(k, body));
	k->s.stream = exchange_asks_stream(k->api, body, k->path);
	if (!val_is(body, JSON_OBJECT))
		return;
	k->s.tool_choice = find_tool_choice(k, body);
	k->s.chosen = observer_keep(k, val_text_or_none(exchange_chosen_tool(body), &k->all->parser.batch));
	k->prompt_bytes = count_texts(k->all, body);
	if (val_is(previous, JSON_STRING))
		k->s.previous = observer_keep(k, val_text(previous, &k->all->parser.batch));
	k->api->request(&k->all->parser.reading, body);
	take_messages(k);
	name_results(k);
	take_setting(k);
	observer_read_said(k);
	observer_read_blocks(k, body);
	if (k->api->by_socket && is_prewarm(body))
		k->s.kind = OBSERVED_OTHER;
}

void observer_read_request(struct observer *k, struct str body)
{
	const struct exchange_api *by_path = exchange_api_of_path(k->path);
	struct val v = VAL_NONE;

	k->s.digest = (k->asked ^ str_hash(body)) * UINT64_C(0x9E3779B97F4A7C15);
	k->s.is_known = is_known_path(k->path, by_path);
	if (!k->post)
		return;
	if (!answer_parse(&k->all->parser, body, &v))
		v = VAL_NONE;
	k->api = find_api(k, v, by_path);
	if (k->api)
		read_body(k, v);
	answer_parse_end(&k->all->parser);
	k->thin = answer_parser_is_crowded(&k->all->parser);
}

void observer_keep_warm(struct observer *k)
{
	struct observers *l = k->all;
	struct observer_warm *w = &l->warm[l->next_warm];
	size_t size = k->s.message_count * sizeof(w->messages[0]);

	if (!k->s.answer.p || k->s.message_count > OBSERVER_WARM_MOST)
		return;
	l->next_warm = (l->next_warm + 1) % OBSERVER_WARM;
	mem_free(w->messages);
	*w = (struct observer_warm){ .id = str_hash(k->s.answer), .count = k->s.message_count,
				     .previous_size = k->s.previous.n };
	if (k->s.previous.n)
		memcpy(w->previous, k->s.previous.p, k->s.previous.n);
	w->messages = size ? memcpy(mem_alloc(size), k->s.messages, size) : NULL;
}
