/*
 * OpenAI's Responses: which value is a request, a response or an event of a stream, and how each is read. Items are
 * read by responses_items.c, streams are put in order by responses_stream.c.
 */
#include "dialect/exchange/gather.h"
#include "dialect/exchange/order.h"
#include "dialect/formats.h"
#include "dialect/openai/chat.h"
#include "dialect/openai/responses_items.h"
#include "dialect/openai/responses_stream.h"
#include "dialect/reading/billing.h"
#include "dialect/record/field.h"
#include "json/mend.h"
#include "model/history.h"

#define UNSURE 20    /* an error may be of this API when something else says so, such as a path */
#define LOOKED_AT 16 /* elements of a list, to find out what it is */

/* ---- responses ---- */

/* What a response is in its stream. */
static const struct {
	struct str type;
	enum stream_part part;
} phases[] = {
	{ WORD("response.created"), STREAM_OPENED },
	{ WORD("response.in_progress"), STREAM_GOING },
	{ WORD("response.queued"), STREAM_GOING },
	{ WORD("response.completed"), STREAM_CLOSED },
	{ WORD("response.done"), STREAM_CLOSED },
	{ WORD("response.failed"), STREAM_CLOSED },
	{ WORD("response.incomplete"), STREAM_CLOSED },
	{ WORD("response.cancelled"), STREAM_CLOSED },
};

static bool is_pending(struct val response)
{
	struct val status = val_get(response, STR("status"));

	return val_text_is(status, STR("in_progress")) || val_text_is(status, STR("queued"));
}

/* It was asked for before the answer was whole, and nothing follows; or somebody stopped it. */
static bool is_unfinished(struct val response, bool stream)
{
	return (!stream && is_pending(response)) || val_text_is(val_get(response, STR("status")), STR("cancelled"));
}

/* Absent while the response is not over, so that the step is not taken for a whole one. */
static struct str openai_responses_read_stop(struct reading *r, struct val response)
{
	struct val why = val_get(val_get(response, STR("incomplete_details")), STR("reason"));

	if (is_pending(response))
		return str_of(NULL, 0);
	if (val_is(why, JSON_STRING))
		return reading_text_of(r, why); /* "incomplete" stays in the rest */
	return reading_text(r, response, STR("status"));
}

static struct str openai_responses_read_choice(struct reading *r, struct val object)
{
	struct val choice = val_get(object, STR("tool_choice")), type = val_get(choice, STR("type"));

	if (val_is(choice, JSON_STRING))
		return reading_text_of(r, choice);
	return val_text_copy(type, r->arena);
}

/* Adds nothing for null and for what is neither text nor object: responses have "error":null when all is well. */
static void openai_responses_add_error(struct reading *r, struct val error, struct str step, const char *class)
{
	struct event *e;

	if (!val_is(error, JSON_OBJECT) && !val_is(error, JSON_STRING))
		return;
	e = reading_add(r, EVENT_ERROR);
	e->class = str_from(class);
	e->step = step;
	if (val_is(error, JSON_STRING)) {
		e->text = reading_text_of(r, error);
		return;
	}
	e->text = reading_text(r, error, STR("message"));
	e->code = reading_text(r, error, STR("code"));
	if (!e->code.p)
		e->code = reading_text(r, error, STR("type"));
	reading_rest_under(r, e, error, STR("error"));
}

/* The whole item: requests tell it again in the same words. Nothing is marked; the words are in r->scratch. */
static uint64_t openai_responses_digest_of(struct reading *r, struct val item)
{
	buf_clear(&r->scratch);
	if (val_is_none(item))
		return 0;
	mend_value(r->mend, item, &r->scratch, (struct mend_watch){ 0 });
	return history_digest(buf_str(&r->scratch));
}

/* Of a stream the items were told before; each comes with all of its words in case they are others now. */
static void read_items(struct reading *r, struct val output, struct responses_place place)
{
	struct val_iter it = val_begin(output);
	struct val item;
	size_t from = r->count;
	struct str words;

	for (place.index = 0; val_is(output, JSON_ARRAY) && val_next(&it, &item); place.index++) {
		if (!(place.flags & EVENT_STREAM)) {
			responses_read_item(r, item, &place);
			continue;
		}
		place.digest = openai_responses_digest_of(r, item);
		place.part = STREAM_FINAL;
		words = arena_copy(r->arena, buf_str(&r->scratch));
		responses_read_item(r, item, &place);
		exchange_gather_put(r, &r->events[from], STR("output"), words);
		from = r->count;
	}
}

/* A request that only warms the cache: nothing was asked and nothing said. */
static bool read_prewarm(struct reading *r, struct val response, struct val whole)
{
	struct event *e;

	if (!val_is(val_get(response, STR("generate")), JSON_FALSE) || val_count(val_get(response, STR("output"))) > 0)
		return false;
	e = reading_add(r, EVENT_NOTE);
	e->ts = reading_time(r, response, STR("created_at"));
	e->role = STR("prewarm");
	e->content = reading_json_of(r, e, "content", response);
	reading_rest(r, e, whole);
	return true;
}

/* `whole` is what the rest is of: the response, or the event of a stream that holds it. */
static void openai_responses_read_response(struct reading *r, struct val response, struct val whole,
					   enum stream_part part)
{
	struct responses_place place = { .index = -1, .inner = !part }; /* of a stream, the item may have been told */
	struct val output = val_get(response, STR("output"));
	size_t at = r->count;
	struct event *e;

	if (read_prewarm(r, response, whole))
		return;
	e = reading_add(r, EVENT_STEP);
	if (part)
		exchange_hint_add(r, e)->part = part;
	e->flags = part ? EVENT_STREAM | EVENT_PIECE : 0;
	if (part == STREAM_CLOSED && val_count(output) > 0)
		e->flags |= EVENT_WHOLE;
	if (is_pending(response) && val_count(output) == 0)
		e->flags |= EVENT_MARKER;
	if (is_unfinished(response, part))
		e->flags |= EVENT_PARTIAL;
	e->step = reading_text(r, response, STR("id"));
	e->response_id = text_or_none(e->step);
	e->model = reading_text(r, response, STR("model"));
	e->tool_choice = openai_responses_read_choice(r, response);
	e->stop_reason = openai_responses_read_stop(r, response);
	e->ts = reading_time(r, response, STR("completed_at"));
	if (!e->ts.text.p)
		e->ts = reading_time(r, response, STR("created_at"));
	responses_read_usage(r, val_get(response, STR("usage")), &e->usage);
	billing_read(r, e, response, val_get(response, STR("usage")));
	reading_take(r, val_get(response, STR("object")));
	place.step = e->step;
	place.ts = e->ts;
	place.flags = part ? EVENT_STREAM : 0;
	read_items(r, output, place);
	openai_responses_add_error(r, val_get(response, STR("error")), place.step, "model");
	reading_rest(r, &r->events[at], whole);
}

/* ---- streams ---- */

/* Parts of items. What else such an event holds is told again when the item is done, so all of it is mapped. */
static const struct delta {
	struct str type;
	size_t member; /* of struct event */
	bool is_call;
} deltas[] = {
	{ WORD("response.output_text.delta"), offsetof(struct event, text), false },
	{ WORD("response.refusal.delta"), offsetof(struct event, text), false },
	{ WORD("response.reasoning_text.delta"), offsetof(struct event, reasoning), false },
	{ WORD("response.reasoning_summary_text.delta"), offsetof(struct event, reasoning), false },
	{ WORD("response.reasoning.delta"), offsetof(struct event, reasoning), false },
	{ WORD("response.function_call_arguments.delta"), offsetof(struct event, args_text), true },
	{ WORD("response.custom_tool_call_input.delta"), offsetof(struct event, args_text), true },
	{ WORD("response.mcp_call_arguments.delta"), offsetof(struct event, args_text), true },
	{ WORD("response.mcp_call.arguments.delta"), offsetof(struct event, args_text), true },
	{ WORD("response.code_interpreter_call_code.delta"), offsetof(struct event, args_text), true },
	{ WORD("response.code_interpreter_call.code.delta"), offsetof(struct event, args_text), true },
	{ WORD("response.shell_call_command.delta"), offsetof(struct event, args_text), true },
};

/* Events that say how an item comes along, or what its deltas or it itself say too. */
static const struct str repeats[] = {
	WORD("response.output_text."),
	WORD("response.refusal."),
	WORD("response.content_part."),
	WORD("response.reasoning_"),
	WORD("response.reasoning."),
	WORD("response.function_call_arguments."),
	WORD("response.custom_tool_call_input."),
	WORD("response.mcp_call"),
	WORD("response.mcp_list_tools."),
	WORD("response.code_interpreter_call"),
	WORD("response.web_search_call."),
	WORD("response.file_search_call."),
	WORD("response.image_generation_call."),
	WORD("response.shell_call_"),
	WORD("response.apply_patch_call_"),
};

/* The item's place in the output, taken; -1 when the event has none. */
static int openai_responses_place_of(struct reading *r, struct val v)
{
	struct val place = val_get(v, STR("output_index"));
	int64_t n;

	if (!val_i64(place, &n) || n < 0 || n > 1000000)
		return -1;
	reading_take(r, place);
	return (int)n;
}

/* What the item itself has, or says by its place; anything else is kept as it is. */
static void openai_responses_take_told(struct reading *r, struct event *e, struct val v)
{
	static const struct str told[] = {
		WORD("type"), WORD("item_id"), WORD("content_index"), WORD("summary_index"), WORD("annotation_index"),
		WORD("command_index"), WORD("delta"), WORD("text"), WORD("refusal"), WORD("arguments"), WORD("input"),
		WORD("code"), WORD("command"), WORD("part"), WORD("annotation"), WORD("logprobs"), WORD("name"),
	};
	struct extra *before = e->extras;

	for (size_t i = 0; i < COUNT(told); i++)
		reading_take(r, val_get(v, told[i]));
	reading_rest(r, e, v);
	if (e->extras != before) {
		struct str left = e->extras->json;

		e->extras = NULL;
		exchange_gather_put(r, e, STR("events"), left);
	}
}

/* Of a tool that the service runs: how it comes along. */
static bool is_progress(struct str type)
{
	return !str_ends(type, STR(".delta")) && !str_ends(type, STR(".done")) && !str_ends(type, STR(".added"));
}

/* EVENT_FALLBACK: when the item comes whole, what its parts said is not needed. */
static struct event *openai_responses_add_streamed(struct reading *r, enum event_kind kind, enum stream_part part,
						   struct val v)
{
	struct event *e = reading_add(r, kind);
	struct exchange_hint *h = exchange_hint_add(r, e);

	e->flags = EVENT_STREAM | EVENT_PIECE | EVENT_FALLBACK;
	h->part = part;
	h->index = openai_responses_place_of(r, v);
	if (kind == EVENT_CALL)
		e->index = h->index;
	return e;
}

/* An event that holds a part of an item, or says again what an item says. False when it is neither. */
static bool openai_responses_read_delta(struct reading *r, struct val v, struct str type)
{
	struct event *e;

	for (size_t i = 0; i < COUNT(deltas); i++) {
		if (!str_eq(type, deltas[i].type))
			continue;
		e = openai_responses_add_streamed(r, deltas[i].is_call ? EVENT_CALL : EVENT_STEP, STREAM_DELTA, v);
		*(struct str *)((char *)e + deltas[i].member) = reading_text(r, v, STR("delta"));
		openai_responses_take_told(r, e, v);
		return true;
	}
	if (str_ends(type, STR(".partial_image")))
		return false; /* the item has only the last */
	for (size_t i = 0; i < COUNT(repeats); i++) {
		if (!str_starts(type, repeats[i]))
			continue;
		e = openai_responses_add_streamed(r, EVENT_STEP, STREAM_TOLD, v);
		if (!is_progress(type)) {
			openai_responses_take_told(r, e, v);
		} else {
			exchange_gather_put(r, e, STR("events"), reading_json_of(r, NULL, "events", v));
			reading_keep(r, v);
		}
		return true;
	}
	return false;
}

/* An item that begins, or one that is done. */
static void read_streamed_item(struct reading *r, struct val v, bool done)
{
	struct responses_place place = { .index = openai_responses_place_of(r, v), .flags = EVENT_STREAM };

	place.part = done ? STREAM_DONE : STREAM_DELTA;
	if (!done)
		place.flags |= EVENT_PIECE | EVENT_FALLBACK;
	else
		place.digest = openai_responses_digest_of(r, val_get(v, STR("item")));
	responses_read_item(r, val_get(v, STR("item")), &place);
	reading_rest(r, &r->events[r->count - 1], v);
}

/* The error object, or the event itself where that has message and code. */
static void read_stream_error(struct reading *r, struct val v)
{
	struct val error = val_get(v, STR("error"));

	reading_take(r, val_get(v, STR("type")));
	openai_responses_add_error(r, val_is(error, JSON_OBJECT) ? error : v, str_of(NULL, 0), "model");
	if (val_is(error, JSON_OBJECT))
		reading_rest(r, &r->events[r->count - 1], v);
}

/* An event that nobody knows is kept whole in a NOTE. */
static void read_other_event(struct reading *r, struct val v, struct str type)
{
	struct event *e = reading_add(r, EVENT_NOTE);

	e->role = type.n ? arena_copy(r->arena, type) : STR("event"); /* it may be text of a value inside a text */
	e->content = reading_json_of(r, e, "content", v);
}

/* One event of a stream by its type, which stands in it, or before it as the "event:" line. */
static void openai_responses_read_event(struct reading *r, struct val v, struct str sse_event)
{
	struct val named = val_get(v, STR("type")), response = val_get(v, STR("response"));
	struct str type = val_is(named, JSON_STRING) ? val_text(named, r->arena) : sse_event;

	for (size_t i = 0; i < COUNT(phases) && val_is(response, JSON_OBJECT); i++) {
		if (str_eq(type, phases[i].type)) {
			reading_take(r, named);
			openai_responses_read_response(r, response, v, phases[i].part);
			return;
		}
	}
	if (str_eq(type, STR("response.output_item.done")) || str_eq(type, STR("response.output_item.added"))) {
		reading_take(r, named);
		read_streamed_item(r, v, str_ends(type, STR("done")));
	} else if (str_eq(type, STR("error")) || str_eq(type, STR("response.error"))) {
		read_stream_error(r, v);
	} else if (!openai_responses_read_delta(r, v, type)) {
		read_other_event(r, v, type);
	}
}

/* Every event of a stream has a number, and those with deltas have padding that hides how long they are. */
static void openai_responses_read_chunk(struct reading *r, struct val v, struct str sse_event)
{
	struct val number = val_get(v, STR("sequence_number")), id = val_get(v, STR("item_id"));
	struct exchange_padding padding = exchange_gather_padding(r, v);
	size_t at = r->count;
	struct exchange_hint *h;
	struct event *e;
	int64_t n;

	if (!val_is(number, JSON_NUMBER) || !val_i64(number, &n) || n < 0 || n >= UINT32_MAX)
		n = -1;
	else
		reading_take(r, number);
	if (val_is_none(id))
		id = val_get(val_get(v, STR("item")), STR("id"));
	openai_responses_read_event(r, v, sse_event);
	e = &r->events[at];
	if (r->count == at || (e->kind == EVENT_NOTE && !e->extras)) /* all of it is in the note */
		return;
	h = exchange_hint_add(r, e);
	h->number = (uint32_t)(n + 1);
	if (h->part && val_is(id, JSON_STRING))
		h->item = arena_copy(r->arena, val_text(id, r->arena));
	exchange_gather_put_padding(r, e, &padding);
}

/* ---- requests ---- */

/* One message of a request, told again. */
static struct event *add_told(struct reading *r, struct val v, struct str role, uint32_t position)
{
	struct event *e = reading_add(r, EVENT_MESSAGE);

	e->flags = EVENT_HISTORY;
	e->position = position;
	e->digest = openai_responses_digest_of(r, v);
	e->role = role;
	e->content = reading_json_of(r, e, "content", v);
	return e;
}

/* The tools, the instructions and every item of the input. */
static void openai_responses_read_request(struct reading *r, struct val body)
{
	struct val input = val_get(body, STR("input")), prompt = val_get(body, STR("instructions")), item;
	struct val_iter it = val_begin(input);
	struct responses_place place = { .flags = EVENT_HISTORY, .index = -1, .told = true };
	struct event *e = reading_add(r, EVENT_RUN_START);
	size_t at = r->count - 1;

	e->model = reading_text(r, body, STR("model"));
	e->tools = reading_json(r, e, "tools", body, STR("tools"));
	e->tool_choice = openai_responses_read_choice(r, body);
	if (val_is(prompt, JSON_STRING))
		add_told(r, prompt, STR("system"), place.position++);
	if (val_is(input, JSON_STRING))
		add_told(r, input, STR("user"), place.position);
	for (; val_is(input, JSON_ARRAY) && val_next(&it, &item); place.position++) {
		place.digest = openai_responses_digest_of(r, item);
		responses_read_item(r, item, &place);
	}
	reading_rest(r, &r->events[at], body);
}

/* ---- which is which ---- */

/*
 * Whether a list begins with items; an empty one does. Clients send kinds that nobody knows yet between those that
 * everybody knows, so one that is known is enough among others that have a type.
 */
static bool has_items(struct val list)
{
	struct val_iter it = val_begin(list);
	struct val item;
	bool known = val_count(list) == 0;

	for (int i = 0; val_is(list, JSON_ARRAY) && i < LOOKED_AT && val_next(&it, &item); i++) {
		if (!responses_is_item(item) && !val_is(val_get(item, STR("type")), JSON_STRING))
			return false;
		known = known || responses_is_item(item);
	}
	return val_is(list, JSON_ARRAY) && known;
}

/* An input that is a text is an embedding's too: only members of this API decide then. */
static int openai_responses_fits_request(struct val body)
{
	struct val input = val_get(body, STR("input"));

	if (!val_is(body, JSON_OBJECT) || val_has(body, STR("messages")) || val_has(body, STR("output")) ||
	    !(val_is(input, JSON_STRING) || has_items(input)))
		return 0;
	if (val_text_is(val_get(body, STR("type")), STR("response.create")))
		return 95;
	if (val_has(body, STR("instructions")) || val_has(body, STR("previous_response_id")) ||
	    val_has(body, STR("max_output_tokens")))
		return 85;
	if (val_is(input, JSON_STRING) || val_count(input) == 0) /* an embedding has an input too */
		return val_has(body, STR("model")) && val_has(body, STR("tools")) ? 80 : 0;
	return val_has(body, STR("model")) ? 80 : 0;
}

/* Whether a value is an event of a stream: its type, and a member that proves it. */
static int fits_event(struct val v)
{
	static const struct {
		struct str name;
		int type;
	} members[] = {
		{ WORD("response"), JSON_OBJECT },
		{ WORD("output_index"), JSON_NUMBER },
		{ WORD("item_id"), JSON_STRING },
		{ WORD("sequence_number"), JSON_NUMBER },
	};
	struct val type = val_get(v, STR("type"));

	if (!val_is(type, JSON_STRING))
		return 0;
	if (val_text_is(type, STR("error")))
		return val_has(v, STR("sequence_number")) ? 60 : 0;
	if (!str_starts(val_raw(type), STR("response.")))
		return 0;
	for (size_t i = 0; i < COUNT(members); i++)
		if (val_type(val_get(v, members[i].name)) == members[i].type)
			return 95;
	return 0;
}

static bool openai_responses_is_error(struct val body)
{
	struct val error = val_get(body, STR("error"));

	return val_is(error, JSON_OBJECT) && val_has(error, STR("message")) && !val_has(body, STR("type")) &&
	       val_count(body) <= 2;
}

/*
 * By the name that a response gives itself, then by its members, then as an event of a stream. An error alone is not
 * sure.
 */
static int openai_responses_fits_response(struct val body)
{
	if (!val_is(body, JSON_OBJECT))
		return 0;
	if (val_text_is(val_get(body, STR("object")), STR("response")))
		return 95;
	if (val_has(body, STR("output")) && val_has(body, STR("status")) && val_has(body, STR("model")) &&
	    has_items(val_get(body, STR("output"))))
		return 85;
	if (openai_responses_is_error(body))
		return UNSURE;
	return fits_event(body);
}

/* A body is one event of a stream, an error, or else a response. */
static void read_body(struct reading *r, struct val body)
{
	if (fits_event(body) || val_has(body, STR("sequence_number")))
		openai_responses_read_chunk(r, body, str_of(NULL, 0));
	else if (openai_responses_is_error(body))
		read_stream_error(r, body);
	else
		openai_responses_read_response(r, body, body, STREAM_NONE);
}

/* ---- in order ---- */

static const struct exchange_order responses_order = {
	.open = responses_stream_open,
	.close = responses_stream_close,
	.add = responses_stream_add,
	.end = responses_stream_end,
};

const struct exchange_api openai_responses_api = {
	.name = "openai-responses",
	.service = &openai_service,
	.paths = { WORD("/responses") },
	.body_words = { WORD("response.created"), WORD("response.completed") },
	.fits_request = openai_responses_fits_request,
	.fits_response = openai_responses_fits_response,
	.request = openai_responses_read_request,
	.response = read_body,
	.stream_event = openai_responses_read_chunk,
	.tells_again = true,
	.by_socket = true,
	.order = &responses_order,
	.framework = "raw_openai",
};

/* An item that chat messages could not be. */
static bool is_own_item(struct val v)
{
	struct val type = val_get(v, STR("type"));

	return val_is(type, JSON_STRING) && !val_text_is(type, STR("message")) && responses_is_item(v) &&
	       (val_has(v, STR("call_id")) || val_has(v, STR("summary")) || val_has(v, STR("status")));
}

/*
 * The best that is found among the first LOOKED_AT elements of a list. What is only UNSURE counts as nothing: no path
 * speaks for it here.
 */
static int openai_responses_fits(struct val v)
{
	struct val_iter it = val_begin(v);
	struct val element;
	int best = 0, fit;

	if (val_is(v, JSON_ARRAY)) {
		for (int i = 0; best < 60 && i < LOOKED_AT && val_next(&it, &element); i++) {
			fit = openai_responses_fits_response(element);
			best = is_own_item(element) ? 70 : fit > best ? fit : best;
		}
		return best > UNSURE ? best : 0;
	}
	if (!val_is(v, JSON_OBJECT))
		return 0;
	best = openai_responses_fits_response(v);
	fit = openai_responses_fits_request(v);
	best = fit > best ? fit : best;
	fit = is_own_item(v) ? 60 : exchange_fits(v, &openai_responses_api);
	best = fit > best ? fit : best;
	return best > UNSURE ? best : 0;
}

/* One line of a log. What is none of the known shapes is read as an event of a stream, and so becomes a NOTE. */
static void openai_responses_read_value(struct reading *r, struct val v)
{
	struct responses_place place = { .index = -1, .told = true };

	if (!val_is(v, JSON_OBJECT))
		read_other_event(r, v, STR("value"));
	else if (fits_event(v))
		openai_responses_read_chunk(
			r, v,
			str_of(NULL, 0)); /* each says its type; the line before it may be in another chunk */
	else if (exchange_read(r, v))
		return;
	else if (openai_responses_fits_response(v))
		read_body(r, v);
	else if (openai_responses_fits_request(v))
		openai_responses_read_request(r, v);
	else if (responses_is_item(v))
		responses_read_item(r, v, &place);
	else
		openai_responses_read_chunk(r, v, str_of(NULL, 0));
}

static void *responses_fold_open(void)
{
	return exchange_order_open(&responses_order);
}

static const struct read_ops read_openai_responses = {
	.vendor = "openai",
	.key = "openai-responses/1",
	.value = openai_responses_read_value,
	EXCHANGE_ORDERED(responses_fold_open),
};

const struct dialect openai_responses_dialect = {
	.name = "openai-responses",
	.title = "OpenAI Responses: requests, responses, streams",
	.file = "responses.jsonl",
	.unit = "exchange",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = openai_responses_fits,
	.read = &read_openai_responses,
};
