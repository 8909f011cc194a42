/*
 * One response is followed at a time. Deltas wait in `items`, by place, until their item comes whole or the stream
 * ends; what has passed is remembered by place in `told`, so that the same item is dropped when it is told again.
 */
#include "dialect/openai/responses_stream.h"

#include <assert.h>

#include "base/buf.h"
#include "base/map.h"
#include "dialect/exchange/gather.h"
#include "dialect/exchange/hint.h"
#include "json/text.h"
#include "model/merge.h"

#define KEY "openai-responses/1"
#define ITEMS 64               /* begun and not done, at once: a response has few */
#define HELD ((size_t)8 << 20) /* bytes of deltas; beyond it they pass as they are */

/* An item of which only deltas are known. */
struct held {
	int index;
	bool is_call;
	struct str call, tool, server; /* in the stream's arena */
	struct buf text, reasoning, args;
};

struct responses_stream {
	struct arena arena; /* of the response at hand */
	bool open, closing;
	bool named; /* something of it has passed, so that pieces have a step to go to */
	struct str id;
	struct event *head; /* what the beginning said; dropped when the end says it again */
	struct map told;    /* places of items that have passed; their digests */
	struct map ids;     /* the first id of the item at a place: where in `first` */
	struct str *first;
	size_t first_count, first_cap;
	struct exchange_gather gather;
	uint64_t next, numbered; /* the number that should come, and how many have come */
	bool unplaced;      /* one passed of which the place is not known */
	struct {            /* the item whose events are coming */
		bool begun, final, drops;
		int index;
		uint64_t line;
	} item;
	struct held items[ITEMS];
	size_t count, bytes;
	struct merge *merge;
};

void *responses_stream_open(void)
{
	struct responses_stream *s = mem_alloc(sizeof(*s));

	*s = (struct responses_stream){ 0 };
	arena_init(&s->arena);
	map_init(&s->told, &s->arena);
	map_init(&s->ids, &s->arena);
	s->merge = merge_open();
	return s;
}

/* The last one takes its place, so whoever walks must go from the end. */
static void free_held(struct responses_stream *s, size_t i)
{
	buf_free(&s->items[i].text);
	buf_free(&s->items[i].reasoning);
	buf_free(&s->items[i].args);
	s->items[i] = s->items[--s->count];
}

/* Forgets the response at hand. */
static void responses_stream_reset(struct responses_stream *s)
{
	while (s->count > 0)
		free_held(s, s->count - 1);
	s->open = s->closing = s->named = s->unplaced = false;
	s->item.begun = false;
	s->id = str_of(NULL, 0);
	s->head = NULL;
	s->bytes = s->first_count = 0;
	s->next = s->numbered = 0;
	arena_reset(&s->arena);
	map_init(&s->told, &s->arena);
	map_init(&s->ids, &s->arena);
}

/* What is still open is dropped without a word; responses_stream_end gives it first. */
void responses_stream_close(void *stream)
{
	struct responses_stream *s = stream;

	if (!s)
		return;
	responses_stream_reset(s);
	exchange_gather_free(&s->gather);
	mem_free(s->first);
	arena_free(&s->arena);
	merge_close(s->merge);
	mem_free(s);
}

/* ---- items by place ---- */

static struct str place_key(const int *index)
{
	return str_of(index, sizeof(*index));
}

static bool is_told(const struct responses_stream *s, int index)
{
	return index >= 0 && map_find(&s->told, place_key(&index));
}

static void set_told(struct responses_stream *s, int index, uint64_t digest)
{
	bool added;

	if (index >= 0)
		*map_add(&s->told, place_key(&index), &added) = digest;
}

/* An item has passed; its deltas have done their work. */
static void drop_held(struct responses_stream *s, int index)
{
	for (size_t i = s->count; i-- > 0;) {
		if (s->items[i].index != index)
			continue;
		s->bytes -= s->items[i].text.n + s->items[i].reasoning.n + s->items[i].args.n;
		free_held(s, i);
	}
}

/* ---- what is not the same everywhere ---- */

/* An element of a list of the step: `text` as a JSON string. */
static void responses_stream_gather_text(struct responses_stream *s, const char *name, struct str text)
{
	struct buf b = { 0 };

	text_quote(&b, text);
	exchange_gather_add(&s->gather, STR(KEY), str_from(name), buf_str(&b));
	buf_free(&b);
}

/* Numbers that count up from 0 are told by the order; of others, which event has which. */
static void gather_number(struct responses_stream *s, const struct event *e)
{
	uint32_t number = exchange_hint_of(e)->number;
	struct buf pair = { 0 };

	if (number == 0)
		return;
	if (number - 1 != s->next) {
		buf_printf(&pair, "[%llu,%lu]", (unsigned long long)s->numbered, (unsigned long)number - 1);
		exchange_gather_add(&s->gather, STR(KEY), STR("sequence_number"), buf_str(&pair));
		buf_free(&pair);
	}
	s->next = number;
	s->numbered++;
}

static struct str first_id(const struct responses_stream *s, int index)
{
	const uint64_t *at = map_find(&s->ids, place_key(&index));

	return at ? s->first[*at] : str_of(NULL, 0);
}

/* Some servers give an item another id in every event; that of the item when it is done is kept with it. */
static void gather_id(struct responses_stream *s, const struct event *e, bool done)
{
	const struct exchange_hint *h = exchange_hint_of(e);
	struct str first = first_id(s, h->index);
	bool added;

	if (!h->item.p || (first.p && str_eq(first, h->item)))
		return;
	if (first.p) {
		responses_stream_gather_text(s, "item_ids", done ? first : h->item);
		return;
	}
	mem_grow(s->first, s->first_count, s->first_cap, 16);
	*map_add(&s->ids, place_key(&h->index), &added) = s->first_count;
	s->first[s->first_count++] = arena_copy(&s->arena, h->item);
}

/* ---- what passes ---- */

/* Gives an event on, as one of the response at hand. */
static bool responses_stream_pass(struct responses_stream *s, const struct event *e, struct exchange_sink to,
				  struct err *err)
{
	struct event out = *e;

	out.hint = NULL;
	if (s->open && out.kind != EVENT_RESULT)
		out.step = s->id;
	if (out.kind == EVENT_STEP) {
		out.flags &= ~(unsigned)EVENT_WHOLE;
		if (!s->id.p && !s->named)
			out.flags &= ~(unsigned)EVENT_PIECE; /* without an id it must be a step of its own */
		s->named = true;
	}
	return to.put(to.context, &out, err);
}

/* What the deltas of one item come to. An item that said nothing is left out. */
static bool pass_held(struct responses_stream *s, const struct held *h, struct exchange_sink to, struct err *err)
{
	struct event e = { .kind = h->is_call ? EVENT_CALL : EVENT_STEP, .index = h->index };

	e.flags = EVENT_STREAM | (h->is_call ? 0 : EVENT_PIECE);
	if (h->is_call) {
		e.call = h->call;
		e.tool = h->tool.p ? h->tool : STR("unknown");
		e.server = h->server;
		e.args_text = h->args.n ? buf_str(&h->args) : STR("");
	} else {
		e.text = h->text.n ? buf_str(&h->text) : str_of(NULL, 0);
		e.reasoning = h->reasoning.n ? buf_str(&h->reasoning) : str_of(NULL, 0);
		if (!e.text.p && !e.reasoning.p)
			return true;
	}
	return responses_stream_pass(s, &e, to, err);
}

/* In the order of the output, which is nearly that in which they came. */
static bool pass_all_held(struct responses_stream *s, struct exchange_sink to, struct err *err)
{
	for (size_t i = 1; i < s->count; i++)
		for (size_t j = i; j > 0 && s->items[j - 1].index > s->items[j].index; j--) {
			struct held swap = s->items[j];

			s->items[j] = s->items[j - 1];
			s->items[j - 1] = swap;
		}
	for (size_t i = 0; i < s->count; i++) {
		if (!pass_held(s, &s->items[i], to, err))
			return false;
		set_told(s, s->items[i].index, 0);
		if (first_id(s, s->items[i].index).p)
			responses_stream_gather_text(s, "item_ids", first_id(s, s->items[i].index));
	}
	while (s->count > 0)
		free_held(s, s->count - 1);
	s->bytes = 0;
	return true;
}

/* To the extras of an event; whether there was anything. */
static bool add_gathered(struct responses_stream *s, struct event *e)
{
	struct str key, json = exchange_gather_end(&s->gather, &s->arena, &key);
	struct extra *extras = e->extras;

	if (!json.p)
		return false;
	if (event_find_extra(e, key).p)
		json = merge_objects(s->merge, &s->arena, event_find_extra(e, key), json);
	for (e->extras = NULL; extras; extras = extras->next) /* the list is the reader's: a copy */
		if (extras->member || !str_eq(extras->key, key))
			event_add_extra(e, &s->arena, extras->key, extras->json);
	event_add_extra(e, &s->arena, key, json);
	return true;
}

/* A step of its own for what was gathered, since the step may have passed already. Nothing when there is nothing. */
static bool pass_gathered(struct responses_stream *s, struct exchange_sink to, struct err *err)
{
	struct event e = { .kind = EVENT_STEP, .index = -1, .flags = EVENT_STREAM | EVENT_PIECE | EVENT_MARKER };

	return !add_gathered(s, &e) || responses_stream_pass(s, &e, to, err);
}

/* The stream is over, by its own word or because something else begins. */
static bool responses_stream_finish(struct responses_stream *s, struct exchange_sink to, struct err *err)
{
	bool ok = true;

	if (!s->open)
		return true;
	if (!s->closing) {
		struct event cut = { .kind = EVENT_STEP, .index = -1 };

		if (s->head)
			cut = *s->head;
		cut.flags |= EVENT_STREAM | EVENT_PIECE | EVENT_PARTIAL;
		if (s->count > 0 || s->named)
			cut.flags &= ~(unsigned)EVENT_MARKER;
		else
			cut.flags |= EVENT_MARKER;
		if (s->head || s->count > 0)
			ok = responses_stream_pass(s, &cut, to, err);
	}
	ok = ok && pass_all_held(s, to, err) && pass_gathered(s, to, err);
	responses_stream_reset(s);
	return ok;
}

/* ---- what comes ---- */

static void responses_stream_begin(struct responses_stream *s, struct str id)
{
	s->open = true;
	s->id = id.p ? arena_copy(&s->arena, id) : id;
}

/* The item at this place, made when there is none. The caller has seen to it that there is room. */
static struct held *held_at(struct responses_stream *s, int index)
{
	for (size_t i = s->count; i-- > 0;)
		if (s->items[i].index == index)
			return &s->items[i];
	assert(s->count < ITEMS); /* add_delta lets them pass before */
	s->items[s->count] = (struct held){ .index = index };
	return &s->items[s->count++];
}

/* A part of an item is held until the item comes whole. Beyond a limit, parts pass as they are. */
static bool add_delta(struct responses_stream *s, const struct event *e, struct exchange_sink to, struct err *err)
{
	int index = exchange_hint_of(e)->index;
	struct held *h;

	if (is_told(s, index))
		return true;
	if ((s->count == ITEMS || s->bytes > HELD) && !pass_all_held(s, to, err))
		return false;
	if (is_told(s, index))
		return responses_stream_pass(s, e, to, err); /* the beginning went out already: so must this */
	h = held_at(s, index);
	if (e->kind == EVENT_CALL) {
		h->is_call = true;
		h->call = e->call.p ? arena_copy(&s->arena, e->call) : h->call;
		h->tool = e->tool.p ? arena_copy(&s->arena, e->tool) : h->tool;
		h->server = e->server.p ? arena_copy(&s->arena, e->server) : h->server;
	}
	buf_add_str(&h->text, e->text);
	buf_add_str(&h->reasoning, e->reasoning);
	buf_add_str(&h->args, e->args_text);
	s->bytes += e->text.n + e->reasoning.n + e->args_text.n;
	return true;
}

/* What the beginning said goes first, and what the end says again replaces it. */
static void merge_head(struct responses_stream *s, struct event *closed)
{
	for (struct extra *x = s->head->extras; x; x = x->next) {
		struct str again = event_find_extra(closed, x->key);

		if (again.p && !x->member)
			x->json = merge_objects(s->merge, &s->arena, x->json, again);
		else if (again.p)
			x->json = again;
	}
	for (const struct extra *x = closed->extras; x; x = x->next)
		if (!event_find_extra(s->head, x->key).p)
			event_add_extra(s->head, &s->arena, x->key, x->json);
	closed->extras = NULL;
}

/* Whether nothing was asked and nothing said, though the answer does not tell that it was to warm a cache. */
static bool is_empty_answer(const struct responses_stream *s, const struct event *closed)
{
	const struct usage *u = &closed->usage;

	return s->told.count == 0 && s->count == 0 && !(closed->flags & EVENT_WHOLE) && figure_is_known(u->input) &&
	       u->input.n == 0 && figure_is_known(u->output) && u->output.n == 0;
}

/*
 * The response is complete: what its beginning said goes first, merged with what the end says again. The stream stays
 * open for the items that the same line tells.
 */
static bool close_stream(struct responses_stream *s, const struct event *e, struct exchange_sink to, struct err *err)
{
	struct event closed = *e;

	if (!s->id.p && e->step.p && !s->named)
		s->id = arena_copy(&s->arena, e->step);
	s->closing = true;
	if (s->id.p && e->step.p && !str_eq(s->id, e->step))
		closed.request_id = e->step; /* it began under another id */
	if (s->head)
		merge_head(s, &closed);
	if (is_empty_answer(s, e)) {
		struct event note = { .kind = EVENT_NOTE, .role = STR("prewarm"), .content = STR("null"), .ts = e->ts,
				      .line = e->line, .index = -1,
				      .extras = s->head ? s->head->extras : closed.extras };

		return to.put(to.context, &note, err);
	}
	if (s->head) {
		s->head->flags &= ~(unsigned)(EVENT_MARKER | EVENT_PARTIAL);
		if (!responses_stream_pass(s, s->head, to, err))
			return false;
	}
	return responses_stream_pass(s, &closed, to, err);
}

/* The second word about the same response: its id may be another, and so may anything. */
static void add_going(struct responses_stream *s, const struct event *e)
{
	struct str before = s->head ? event_find_extra(s->head, STR(KEY)) : str_of(NULL, 0);
	struct str now = event_find_extra(e, STR(KEY));

	if (e->step.p && !str_eq(e->step, s->id))
		responses_stream_gather_text(s, "response_ids", e->step);
	if (now.p && !str_eq(now, before))
		exchange_gather_add(&s->gather, STR(KEY), STR("events"), now);
	gather_number(s, e);
}

/* Another response begins, and what was open is cut. A second word about the same one is only gathered. */
static bool add_opened(struct responses_stream *s, const struct event *e, struct exchange_sink to, struct err *err)
{
	if (s->open && !s->closing && exchange_hint_of(e)->part == STREAM_GOING) {
		add_going(s, e);
		return true;
	}
	if (!responses_stream_finish(s, to, err))
		return false;
	responses_stream_begin(s, e->step);
	gather_number(s, e);
	s->head = event_copy(&s->arena, e);
	return true;
}

/* Whether the item at this place is to be passed. Its events follow each other, and the first decides. */
static bool takes_item(struct responses_stream *s, struct event *e, bool final)
{
	const struct exchange_hint *h = exchange_hint_of(e);
	bool same = s->item.begun && s->item.index == h->index && s->item.line == e->line && s->item.final == final;

	if (!same) {
		const uint64_t *digest = map_find(&s->told, place_key(&h->index));

		s->item.drops = is_told(s, h->index) || (final && s->unplaced);
		if (s->item.drops && !(digest && *digest == h->digest))
			exchange_gather_take(&s->gather, e);
		s->unplaced = s->unplaced || (!final && h->index < 0);
		drop_held(s, h->index);
		set_told(s, h->index, h->digest);
	}
	while (exchange_gather_has(e)) /* the words of an item that is told in full */
		e->extras = e->extras->next;
	s->item.begun = true;
	s->item.index = h->index;
	s->item.line = e->line;
	s->item.final = final;
	return !s->item.drops;
}

/*
 * One event of a stream, by its part. The events of the complete response (STREAM_FINAL) come last and close nothing.
 */
static bool responses_stream_add_streamed(struct responses_stream *s, struct event *e, struct exchange_sink to,
					  struct err *err)
{
	enum stream_part part = exchange_hint_of(e)->part;

	if (part == STREAM_OPENED || part == STREAM_GOING)
		return add_opened(s, e, to, err);
	if (part == STREAM_FINAL)
		return !takes_item(s, e, true) || responses_stream_pass(s, e, to, err);
	/* whatever else it is, a response that was complete is over */
	if (s->closing && !responses_stream_finish(s, to, err))
		return false;
	if (!s->open)
		responses_stream_begin(s, part == STREAM_CLOSED ? e->step : str_of(NULL, 0));
	gather_number(s, e);
	exchange_gather_take(&s->gather, e);
	if (part == STREAM_CLOSED)
		return close_stream(s, e, to, err);
	gather_id(s, e, part == STREAM_DONE);
	if (part == STREAM_DELTA)
		return add_delta(s, e, to, err);
	return part == STREAM_TOLD || !takes_item(s, e, false) || responses_stream_pass(s, e, to, err);
}

/* The number of an event that passes as it is: of the stream at hand, or its own. */
static void settle_number(struct responses_stream *s, struct event *e)
{
	uint32_t number = exchange_hint_of(e)->number;

	if (s->open)
		gather_number(s, e);
	if (s->open || number < 2)
		return;
	responses_stream_reset(s); /* what the arena has is of no stream any more */
	exchange_gather_add(&s->gather, STR(KEY), STR("sequence_number"),
			    arena_printf(&s->arena, "%lu", (unsigned long)number - 1));
	add_gathered(s, e);
}

/* Errors and notes pass at once and do not end the stream; every other event that is of no stream does. */
bool responses_stream_add(void *stream, const struct event *e, struct exchange_sink to, struct err *err)
{
	struct responses_stream *s = stream;
	struct event inside = *e;

	if (exchange_hint_of(e)->part && (e->kind == EVENT_STEP || e->kind == EVENT_CALL || e->kind == EVENT_RESULT))
		return responses_stream_add_streamed(s, &inside, to, err);
	if (e->kind == EVENT_ERROR || e->kind == EVENT_NOTE) {
		settle_number(s, &inside);
		if (s->open)
			exchange_gather_take(&s->gather, &inside);
		if (s->open && e->kind == EVENT_ERROR && !e->step.p && !str_eq(e->class, STR("parse")))
			inside.step = s->id;
		return to.put(to.context, &inside, err);
	}
	return responses_stream_finish(s, to, err) && to.put(to.context, e, err);
}

bool responses_stream_end(void *stream, struct exchange_sink to, struct err *err)
{
	return responses_stream_finish(stream, to, err);
}
