/*
 * Embeddings, as an API of exchange.h: those of all vendors, whose rows say where they differ. A request is a step of a
 * model that reads and says nothing: its tokens are input. What was embedded stays with the request; the vectors, which
 * only machines read, are counted and dropped.
 */
#include "dialect/exchange/exchange.h"
#include "dialect/record/field.h"

#define FIT_MAYBE 30 /* with a path that says so */
#define FIT_SURE 88
#define FIT_ERROR 10

/* ---- what it is ---- */

/* Whether some vendor's row knows the body as a request in a shape of its own. */
static bool embeddings_is_own_request(struct val body)
{
	for (const struct exchange_api *const *api = exchange_apis; *api; api++)
		if ((*api)->embeds && (*api)->embeds->is_request && (*api)->embeds->is_request(body))
			return true;
	return false;
}

/*
 * A model and an input are what many requests have: that is FIT_MAYBE, and nothing when a member of `foreign` asks for
 * a text.
 */
static int embeddings_fits_request(struct val body)
{
	/* what asks for a text, not for vectors */
	static const struct str foreign[] = {
		WORD("messages"), WORD("contents"), WORD("instructions"), WORD("tools"), WORD("stream"),
		WORD("max_tokens"), WORD("max_output_tokens"), WORD("temperature"), WORD("previous_response_id"),
		WORD("store"), WORD("text"), WORD("reasoning"), WORD("type"),
	};
	struct val input = val_get(body, STR("input")), model = val_get(body, STR("model"));

	if (!val_is(body, JSON_OBJECT))
		return 0;
	if (embeddings_is_own_request(body))
		return 80;
	if (!val_is(model, JSON_STRING) || values_count_names(body, foreign, COUNT(foreign)))
		return 0;
	if (val_is_none(input))
		input = val_get(body, STR("prompt"));
	return val_is(input, JSON_STRING) || val_is(input, JSON_ARRAY) ? FIT_MAYBE : 0;
}

/* A list of numbers, those in base64, or {"values":[...]}. */
static bool is_vector(struct val v)
{
	if (val_is(v, JSON_OBJECT))
		return val_is(val_get(v, STR("values")), JSON_ARRAY);
	return val_is(v, JSON_ARRAY) && (val_count(v) == 0 || val_is(values_first(v), JSON_NUMBER));
}

/* Vectors are sure; an error may be of any API, and counts for little. */
static int embeddings_fits_response(struct val body)
{
	struct val first = values_first(val_get(body, STR("data"))), kind = val_get(first, STR("object"));
	struct val error = val_get(body, STR("error"));

	if (!val_is(body, JSON_OBJECT))
		return 0;
	if (val_text_is(kind, STR("embedding")))
		return 95;
	if (is_vector(val_get(body, STR("embedding"))) || is_vector(values_first(val_get(body, STR("embeddings")))))
		return FIT_SURE;
	return val_is(error, JSON_OBJECT) || val_is(error, JSON_STRING) ? FIT_ERROR : 0;
}

/* ---- reading ---- */

/* The request tells no conversation: what is in it stays where it is. */
static void embeddings_read_request(struct reading *r, struct val body)
{
	(void)r;
	(void)body;
}

struct tally {
	uint64_t vectors, numbers; /* numbers of the first of them */
};

static void drop_vector(struct reading *r, struct val v, struct tally *t)
{
	struct val values = val_is(v, JSON_OBJECT) ? val_get(v, STR("values")) : v;

	if (t->vectors++ == 0 && val_is(values, JSON_ARRAY))
		t->numbers = val_count(values);
	reading_drop(r, v);
}

/* Drops the vectors, wherever a vendor puts them, and counts them into *t. An entry of a list goes with its vector. */
static void drop_vectors(struct reading *r, struct val body, struct tally *t)
{
	static const struct str lists[] = { WORD("data"), WORD("embeddings") };
	struct val one = val_get(body, STR("embedding"));

	if (is_vector(one))
		drop_vector(r, one, t);
	for (size_t i = 0; i < COUNT(lists); i++) {
		VALUES_EACH(entry, val_get(body, lists[i])) {
			if (val_has(entry, STR("embedding"))) /* its place and its kind say nothing more */
				drop_vector(r, val_get(entry, STR("embedding")), t);
			else if (is_vector(entry))
				drop_vector(r, entry, t);
			if (val_has(entry, STR("embedding")))
				reading_drop(r, entry);
		}
	}
}

/*
 * The input by the names that most have, else by a vendor's row. Output is 0 where the input is known: vectors are no
 * tokens.
 */
static void embeddings_read_usage(struct reading *r, struct event *e, struct val body)
{
	static const struct str names[] = { WORD("prompt_tokens"), WORD("input_tokens") };
	struct val usage = val_get(body, STR("usage")), all;
	int64_t total;

	for (size_t i = 0; i < COUNT(names) && !figure_is_known(e->usage.input); i++)
		e->usage.input = reading_count(r, usage, names[i]);
	all = val_get(usage, STR("total_tokens"));
	if (val_i64(all, &total) && figure_is_known(e->usage.input) && (uint64_t)total == e->usage.input.n)
		reading_take(r, all);
	for (const struct exchange_api *const *api = exchange_apis; *api && !figure_is_known(e->usage.input); api++)
		if ((*api)->embeds && (*api)->embeds->input)
			e->usage.input = (*api)->embeds->input(r, body);
	if (figure_is_known(e->usage.input))
		e->usage.output = FIGURE(0);
}

/*
 * A STEP with how many vectors there were and how long the first was; anything else is read as an answer of the chat,
 * whose errors have the same shape.
 */
static void embeddings_read_response(struct reading *r, struct val body)
{
	struct val object = val_get(body, STR("object"));
	struct tally t = { .vectors = 0 };
	struct event *e;

	if (embeddings_fits_response(body) <= FIT_ERROR) {
		openai_chat_api.response(r, body);
		return;
	}
	e = reading_add(r, EVENT_STEP);
	e->flags = EVENT_NO_STREAM;
	e->model = reading_text(r, body, STR("model"));
	embeddings_read_usage(r, e, body);
	drop_vectors(r, body, &t);
	if (val_text_is(object, STR("list")))
		reading_take(r, object);
	reading_extra(r, e, STR("operation"), STR("\"embeddings\""));
	reading_extra(r, e, STR("vectors"), arena_printf(r->arena, "%llu", (unsigned long long)t.vectors));
	if (t.numbers)
		reading_extra(r, e, STR("dimensions"), arena_printf(r->arena, "%llu", (unsigned long long)t.numbers));
	reading_rest(r, e, body);
}

/* There are no streams of vectors; what comes in one is an answer or an error. */
static void embeddings_read_chunk(struct reading *r, struct val v, struct str sse_event)
{
	(void)sse_event;
	embeddings_read_response(r, v);
}

const struct exchange_api embeddings_api = {
	.name = "embeddings",
	.accompanies = true,
	.fits_request = embeddings_fits_request,
	.fits_response = embeddings_fits_response,
	.request = embeddings_read_request,
	.response = embeddings_read_response,
	.stream_event = embeddings_read_chunk,
};
