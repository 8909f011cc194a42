/*
 * Telemetry. Spans come children first, seconds after what they tell of. A span about a model is the proxy's exchange
 * when the request was made inside it (traceparent), when the answer has its id, when it asks for the same calls, or
 * when it holds the exchange in time and has its tokens, or its model. The exchange may still be open: a client that
 * has read the last piece of a stream waits for no end. A span around another one about a model tells of the same
 * call; a tool's span between the two ends that. What no proxy saw is a node of its own, whose parents are found by
 * ids of calls, else by what ended before inside the same span, or the same trace.
 */
#include "capture/graph/run_graph_private.h"

#include <stdlib.h>

#include "model/words.h"

#define SPANS_UP 32             /* that are looked at, above one */
#define SPANS_NEAR 256          /* of the nodes written last, those whose times are looked at */
#define SPANS_LONGEST_NS INT64_C(600000000000) /* of a call whose begin nobody told */
#define SPANS_CLOCK_NS 2000000  /* by which spans may begin too early: some clients know only milliseconds */
#define SPANS_LATE_US 1000000   /* by which a busy client's times may be off, begin and end together */
#define SPANS_SLACK_US 20000    /* a client's clock is read before the request is sent, and after the answer is read */

/* ---- spans ---- */

uint64_t run_graph_span_key(uint64_t trace, uint64_t span)
{
	return trace && span ? run_graph_mix(trace, span) : 0;
}

/* As the observer has them. */
static uint64_t span_key_of(struct str trace, struct str span)
{
	return trace.n && span.n ? run_graph_span_key(str_hash(trace) | 1, str_hash(span) | 1) : 0;
}

static uint64_t span_own(const struct sighting *s)
{
	return span_key_of(s->trace, s->span);
}

static uint64_t span_above(const struct sighting *s)
{
	return span_key_of(s->trace, s->parent_span);
}

static uint64_t span_trace(const struct sighting *s)
{
	return s->trace.n ? str_hash(s->trace) | 1 : 0;
}

void run_graph_note_inside(struct run_graph *w, uint64_t span, struct id node)
{
	if (span)
		known_set(w->known, KNOWN_SPAN_MODEL, span, node);
}

static void span_note_up(struct run_graph *w, const struct sighting *s)
{
	uint64_t own = span_own(s), up = span_above(s);
	struct id id = { { 0 } };

	if (!own)
		return;
	memcpy(id.b, &up, sizeof(up));
	id.b[8] = (uint8_t)s->kind;
	known_set(w->known, KNOWN_SPAN_UP, own, id);
}

/* What a span that was told of is (enum sight_kind), and the one around it. */
static bool span_next_up(const struct run_graph *w, uint64_t span, uint64_t *up, unsigned *kind)
{
	struct id id;

	if (!span || !known_find(w->known, KNOWN_SPAN_UP, span, &id))
		return false;
	memcpy(up, id.b, sizeof(*up));
	*kind = id.b[8];
	return true;
}

/*
 * A span about a model around this one that was told before it; tools in between end the search. Other spans have many
 * calls inside them, of which a child that is told late is just one more.
 */
static bool span_find_above(const struct run_graph *w, uint64_t span, struct id *node)
{
	unsigned kind;
	uint64_t up;

	for (int i = 0; i < SPANS_UP && span; i++) {
		if (!span_next_up(w, span, &up, &kind) || kind == SIGHT_TOOL_END)
			return false;
		if (kind == SIGHT_MODEL)
			return known_find(w->known, KNOWN_SPAN_MODEL, span, node);
		span = up;
	}
	return false;
}

/* A node that was written just now; NULL: it is not one of those, so it was over long ago. */
static struct run_graph_recent *span_find_near(struct run_graph *w, struct id node)
{
	for (size_t i = 0; i < w->recent_count && i < SPANS_NEAR; i++)
		if (id_eq(run_graph_recent_at(w, i)->node, node))
			return run_graph_recent_at(w, i);
	return NULL;
}

/* Spans come in any order: of the model calls in a lane the one that ended last is its latest. */
static void span_set_lane(struct run_graph *w, uint64_t lane, struct id node)
{
	struct run_graph_recent *own, *there;
	struct id before;

	if (!lane)
		return;
	there = known_find(w->known, KNOWN_LANE, lane, &before) ? span_find_near(w, before) : NULL;
	own = there ? span_find_near(w, node) : NULL;
	if (!own || own->to_us >= there->to_us)
		known_set(w->known, KNOWN_LANE, lane, node);
}

/*
 * What a call of this time may follow from, when `at` does not come before it: something that was over by then, or
 * (`begun`) had begun. What ran beside it is passed over, for what came before that.
 */
static bool span_find_before(struct run_graph *w, struct id at, int64_t ns, bool begun, struct id *node)
{
	int64_t us = run_graph_us(ns + SPANS_CLOCK_NS);

	for (int i = 0; i < SPANS_UP; i++) {
		const struct run_graph_recent *r = span_find_near(w, at);

		if (!r || ns < 0 || (begun ? r->from_us : r->to_us) <= us) {
			*node = at;
			return true;
		}
		if (id_eq(r->above, at))
			return false;
		at = r->above;
	}
	return false;
}

/* The same in the lane of the span around it, else in that of its trace. */
static bool span_find_in_lane(struct run_graph *w, const struct sighting *s, bool begun, struct id *node)
{
	const uint64_t lanes[] = { span_above(s), span_trace(s) };
	struct id at;

	for (size_t i = 0; i < COUNT(lanes); i++)
		if (lanes[i] && known_find(w->known, KNOWN_LANE, lanes[i], &at) &&
		    span_find_before(w, at, s->begun_ns, begun, node))
			return true;
	return false;
}

/* What is known of a span is known of the one around it. */
static void span_pass_up(struct run_graph *w, uint64_t own, uint64_t up, enum known_kind kind, bool first)
{
	struct id node, there;

	if (!own || !up || !known_find(w->known, kind, own, &node))
		return;
	if (!first || !known_find(w->known, kind, up, &there))
		known_set(w->known, kind, up, node);
}

void run_graph_see_span(struct run_graph *w, const struct sighting *s)
{
	uint64_t own = span_own(s), up = span_above(s);
	struct id node;

	span_note_up(w, s);
	span_pass_up(w, own, up, KNOWN_SPAN_MODEL, false);
	span_pass_up(w, own, up, KNOWN_SPAN_FIRST, true);
	if (own && known_find(w->known, KNOWN_LANE, own, &node))
		span_set_lane(w, up, node);
}

/* ---- which exchange it is ---- */

/* Two instrumentations may tell of one call, and one of them may have no id. The same one has it always or never. */
static unsigned span_told_by(const struct sighting *s)
{
	return s->response_id.n ? 1u << 0 : 1u << 1;
}

/* Some count neither what came from a cache, nor what was thought. */
static bool span_is_count(int64_t told, int64_t all, int64_t part)
{
	return told == all || (part > 0 && told == all - part);
}

/* 1: they are the same, as far as both are known; -1: they are not; 0: there is nothing to compare. */
static int span_compare_tokens(const struct run_graph_recent *r, const struct sighting *s)
{
	bool input = r->input >= 0 && s->input >= 0, output = r->output >= 0 && s->output >= 0;

	if ((input && !span_is_count(s->input, r->input, r->cached)) ||
	    (output && !span_is_count(s->output, r->output, r->thought)))
		return -1;
	return (input && s->input > 0) || (output && s->output > 0);
}

static int64_t span_far(int64_t us, int64_t ns)
{
	int64_t d = us - run_graph_us(ns);

	return d < 0 ? -d : d;
}

static int64_t span_apart(const struct run_graph_recent *r, const struct sighting *s)
{
	return (s->begun_ns >= 0 ? span_far(r->from_us, s->begun_ns) : 0) + span_far(r->to_us, s->ended_ns);
}

/* A record may not say when the call began. */
static int64_t span_begun(const struct sighting *s)
{
	return s->begun_ns >= 0 ? s->begun_ns : s->ended_ns - SPANS_LONGEST_NS;
}

static bool span_is_of_model(const struct run_graph_recent *r, const struct sighting *s)
{
	return s->model.n && r->name == str_hash(s->model);
}

/*
 * Whether a span holds a call. A stream may be told of from its first piece on, and a slow reader ends later than the
 * answer. That, and a span of a call that was told before, needs more than time to say that they are one.
 */
static bool span_holds(const struct run_graph_recent *r, const struct sighting *s, bool surely)
{
	int64_t begun = run_graph_us(span_begun(s));
	bool told = r->layers != 1u << SIGHT_PROXY, same = span_is_of_model(r, s);

	if (surely && !told && s->begun_ns >= 0 && span_apart(r, s) <= SPANS_LATE_US)
		return true;
	if (r->to_us - SPANS_SLACK_US > run_graph_us(s->ended_ns))
		return false;
	if (surely && s->stream && (same || !told))
		return begun <= r->to_us + (same ? SPANS_SLACK_US : 0);
	if (told)
		return surely && span_apart(r, s) <= 2 * SPANS_SLACK_US;
	return begun <= r->from_us + SPANS_SLACK_US;
}

/* Some clients count tokens themselves: what began and ended when no other call of the model did is the same. */
static bool span_is_at_once(const struct run_graph_recent *r, const struct sighting *s)
{
	return r->layers == 1u << SIGHT_PROXY && s->begun_ns >= 0 && span_is_of_model(r, s) &&
	       span_apart(r, s) <= 2 * SPANS_SLACK_US;
}

/* How well a span fits a call: by tokens, else by the model's name; 0: not at all. */
static unsigned span_fits(const struct run_graph_recent *r, const struct sighting *s)
{
	int tokens;

	if (r->is_tool || (r->told & span_told_by(s)))
		return 0;
	tokens = span_compare_tokens(r, s);
	if (!span_holds(r, s, tokens > 0))
		return 0;
	if (tokens < 0)
		return span_is_at_once(r, s) ? 1 : 0;
	return tokens > 0 ? 3 : span_is_of_model(r, s) ? 2 : 1;
}

/*
 * The exchange that the span holds in time. One with the same tokens is it, else one of the same model, else the only
 * one; of several such the nearest. What does not say when the call began needs the tokens.
 */
static bool span_find_in_time(struct run_graph *w, const struct sighting *s, struct id *node)
{
	struct run_graph_recent *best = NULL;
	unsigned most = 0, as_good = 0;

	if (s->ended_ns < 0)
		return false;
	for (size_t i = 0; i < w->recent_count; i++) {
		struct run_graph_recent *r = run_graph_recent_at(w, i);
		unsigned fits;

		if (run_graph_is_past(r, span_begun(s)))
			break;
		fits = span_fits(r, s);
		if (fits == 0 || fits < most)
			continue;
		as_good = fits > most ? 1 : as_good + 1;
		if (fits > most || span_apart(r, s) < span_apart(best, s))
			best = r;
		most = fits;
	}
	if (!best || (most == 1 && as_good > 1) || (most < 3 && s->begun_ns < 0))
		return false;
	*node = best->node;
	return true;
}

/* How well a span fits a stream that is on its way: by the model's name, else as one that began inside the span. */
static unsigned span_fits_open(const struct run_graph_open *x, const struct sighting *s)
{
	if (!x->stream || (x->told & span_told_by(s)) || x->begun_ns > s->ended_ns ||
	    x->begun_ns < s->begun_ns - SPANS_SLACK_US * 1000)
		return 0;
	return s->model.n && str_eq(x->model, s->model) ? 2 : 1;
}

/* One of the same model, of several the nearest; else the only one. */
static bool span_find_open(const struct run_graph *w, const struct sighting *s, struct id *node)
{
	const struct run_graph_open *best = NULL;
	unsigned most = 0, as_good = 0;

	for (const struct run_graph_open *x = w->open; x && s->begun_ns >= 0; x = x->next) {
		unsigned fits = span_fits_open(x, s);

		if (fits == 0 || fits < most)
			continue;
		as_good = fits > most ? 1 : as_good + 1;
		if (fits > most || llabs(x->begun_ns - s->begun_ns) < llabs(best->begun_ns - s->begun_ns))
			best = x;
		most = fits;
	}
	if (!best || (most == 1 && as_good > 1))
		return false;
	*node = best->node;
	return true;
}

static bool span_find_model(struct run_graph *w, const struct sighting *s, struct id *node)
{
	uint64_t own = span_own(s);

	if (own && known_find(w->known, KNOWN_SPAN_MODEL, own, node))
		return true;
	if (span_find_above(w, span_above(s), node))
		return true;
	if (s->response_id.n && known_find(w->known, KNOWN_ANSWER, str_hash(s->response_id), node))
		return true;
	for (size_t i = 0; i < s->call_count; i++)
		if (known_find(w->known, KNOWN_ASKER, run_graph_call_key(s->calls[i]), node))
			return true;
	return span_find_in_time(w, s, node) || span_find_open(w, s, node);
}

/* ---- what no proxy saw ---- */

/* Whether a tool that ended in a lane is one whose result the request has: it follows from the call that asked. */
static bool span_is_asked(const struct run_graph *w, const struct sighting *s, const struct run_graph_lane *lane)
{
	struct id asker;

	for (size_t i = 0; i < s->result_count && lane->has_above; i++)
		if (known_find(w->known, KNOWN_ASKER, run_graph_call_key(s->results[i]), &asker) &&
		    id_eq(asker, lane->above))
			return true;
	return false;
}

/* Tools whose results it has, else those inside the same span since the model call before. */
static void span_add_tools(struct run_graph *w, const struct sighting *s, struct run_graph_ids *parents)
{
	uint64_t up = span_above(s);
	struct id node;
	bool named;

	for (size_t i = 0; i < s->result_count; i++)
		if (known_find(w->known, KNOWN_TOOL, run_graph_call_key(s->results[i]), &node))
			run_graph_ids_add(w, parents, node);
	named = parents->count > 0;
	for (size_t i = 0; i < w->lane_count; i++) {
		if (w->lanes[i].ended_ns > s->begun_ns + SPANS_CLOCK_NS ||
		    (w->lanes[i].lane != up && !span_is_asked(w, s, &w->lanes[i])))
			continue;
		if (!named)
			run_graph_ids_add(w, parents, w->lanes[i].node);
		w->lanes[i--] = w->lanes[--w->lane_count];
	}
}

/* Its tools, else the call before in the same span or trace. */
static void span_add_parents(struct run_graph *w, const struct sighting *s, struct run_graph_ids *parents)
{
	struct id node;

	span_add_tools(w, s, parents);
	if (parents->count == 0 && span_find_in_lane(w, s, false, &node))
		run_graph_ids_add(w, parents, node);
	run_graph_put_said(w, parents);
}

/*
 * A span around the one that was told first may know more: an SDK's own has no messages. Ids are made in order, so
 * there is no cycle while the tools are older than the call.
 */
static void span_hang_after(struct run_graph *w, const struct sighting *s, const struct run_graph_recent *r)
{
	struct run_graph_ids parents = { .count = 0 };
	struct amendment *m;

	span_add_tools(w, s, &parents);
	for (size_t i = 0; i < parents.count; i++)
		if (memcmp(parents.ids[i].b, r->node.b, sizeof(r->node.b)) >= 0)
			return;
	m = parents.count && !(r->layers & 1u << SIGHT_PROXY) ? amendments_get(&w->amendments, r->node) : NULL;
	if (!m)
		return;
	if (m->parent_room < parents.count) { /* it may be told again and again */
		m->parent_room = parents.count > 2 * m->parent_room ? parents.count : 2 * m->parent_room;
		m->parents = arena_array(&w->amendments.arena, struct id, m->parent_room);
	}
	memcpy(m->parents, parents.ids, parents.count * sizeof(*m->parents));
	m->parent_count = parents.count;
}

static struct figure span_figure(int64_t n)
{
	return n >= 0 ? FIGURE((uint64_t)n) : (struct figure){ .state = FIGURE_ABSENT };
}

/* Written as the proxy's are, from an observation that has what the span says. */
static struct id span_put_model(struct run_graph *w, const struct sighting *s)
{
	struct observation seen = {
		.provider = s->provider.n ? arena_copy(&w->scratch, s->provider).p : NULL,
		.endpoint = s->endpoint,
		.endpoint_own = s->endpoint.n,
		.model = s->model,
		.answer = s->response_id,
		.begun_ns = s->begun_ns >= 0 ? s->begun_ns : s->ended_ns,
		.ended_ns = s->ended_ns >= 0 ? s->ended_ns : s->begun_ns,
		.stream = s->stream,
		.partial = s->partial,
		.failed = s->failed,
		.stop_reason = s->failed ? "error" : s->stop_reason.n ? words_stop_reason(s->stop_reason) : NULL,
		.usage = { span_figure(s->input), span_figure(s->output), span_figure(s->cache_read),
			   span_figure(s->cache_write), { .state = FIGURE_ABSENT }, span_figure(s->reasoning) },
		.usd = s->usd >= 0 ? AMOUNT(s->usd) : (struct amount){ .state = FIGURE_ABSENT },
	};
	struct run_graph_open x = { .agent_id = s->agent, .framework = run_graph_framework(w, s->framework) };
	struct run_graph_ids parents = { .count = 0 };

	seen.token_ns = s->ttft_ns >= 0 ? seen.begun_ns + s->ttft_ns : 0;
	span_add_parents(w, s, &parents);
	x.node = run_graph_new_id(w, seen.begun_ns);
	x.parents = parents.ids;
	x.parent_count = parents.count;
	run_graph_put_model(w, &x, &seen, 1u << s->layer);
	return x.node;
}

static void span_remember(struct run_graph *w, const struct sighting *s, struct id node, bool own)
{
	uint64_t up = span_above(s);
	struct id other;

	run_graph_note_inside(w, span_own(s), node);
	run_graph_note_inside(w, up, node);
	span_set_lane(w, up, node);
	span_set_lane(w, span_trace(s), node);
	if (own && up && !known_find(w->known, KNOWN_SPAN_FIRST, up, &other))
		known_set(w->known, KNOWN_SPAN_FIRST, up, node);
	if (s->response_id.n && !known_find(w->known, KNOWN_ANSWER, str_hash(s->response_id), &other))
		known_set(w->known, KNOWN_ANSWER, str_hash(s->response_id), node);
	for (size_t i = 0; i < s->call_count; i++)
		if (!known_find(w->known, KNOWN_ASKER, run_graph_call_key(s->calls[i]), &other))
			known_set(w->known, KNOWN_ASKER, run_graph_call_key(s->calls[i]), node);
}

/* It is written as what it is known by when it is over. */
static void span_note_open(struct run_graph *w, const struct sighting *s, struct id node)
{
	for (struct run_graph_open *x = w->open; x; x = x->next) {
		if (!id_eq(x->node, node))
			continue;
		x->layers |= 1u << s->layer;
		x->told |= span_told_by(s);
	}
}

void run_graph_see_model(struct run_graph *w, const struct sighting *s)
{
	struct run_graph_recent *r;
	struct id node;
	bool told = span_find_model(w, s, &node);

	span_note_up(w, s);
	if (!told) {
		node = span_put_model(w, s);
		w->model_ns = s->begun_ns > w->model_ns ? s->begun_ns : w->model_ns;
	}
	r = run_graph_find_recent(w, node);
	if (r) {
		run_graph_add_layer(w, r, s->layer);
		r->told |= span_told_by(s);
		if (told)
			span_hang_after(w, s, r);
	} else if (told) {
		span_note_open(w, s, node);
	}
	span_remember(w, s, node, !told);
}

/* ---- tools ---- */

/* An MCP client's span inside that of the framework, or the other way round, tells of the same call. */
bool run_graph_find_told(struct run_graph *w, const struct sighting *s, struct id *node)
{
	uint64_t own = span_own(s), up = span_above(s), above;
	unsigned kind;

	if (own && known_find(w->known, KNOWN_SPAN_TOOL, own, node))
		return true;
	return up && span_next_up(w, up, &above, &kind) && kind == SIGHT_TOOL_END &&
	       known_find(w->known, KNOWN_SPAN_TOOL, up, node);
}

/* What a tool follows from; false when that is forgotten. */
static bool span_find_above_tool(struct run_graph *w, struct id tool, struct id *above)
{
	struct run_graph_recent *r = run_graph_find_recent(w, tool);

	for (struct run_graph_call *c = w->oldest; c && !r; c = c->after) {
		if (!id_eq(c->node, tool))
			continue;
		*above = c->parent;
		return true;
	}
	if (r)
		*above = r->above;
	return r != NULL;
}

/*
 * A model call that no proxy saw and that is the first inside the tool follows from it. Ids are made in order, so there
 * is no cycle while what the tool follows from is older than the model call.
 */
static void span_hang_first(struct run_graph *w, uint64_t span, struct id tool)
{
	struct run_graph_recent *r;
	struct amendment *m;
	struct id first, above;

	if (!known_find(w->known, KNOWN_SPAN_FIRST, span, &first) || !span_find_above_tool(w, tool, &above) ||
	    memcmp(above.b, first.b, sizeof(above.b)) >= 0)
		return;
	r = run_graph_find_recent(w, first);
	m = r && !(r->layers & 1u << SIGHT_PROXY) ? amendments_get(&w->amendments, first) : NULL;
	if (!m)
		return;
	if (m->parent_room == 0) {
		m->parent_room = 1;
		m->parents = arena_new(&w->amendments.arena, struct id);
	}
	m->parents[0] = tool;
	m->parent_count = 1;
}

static void span_add_lane(struct run_graph *w, const struct sighting *s, struct id node)
{
	struct run_graph_lane lane = { .lane = span_above(s), .ended_ns = s->ended_ns, .node = node };

	if (!lane.lane || lane.ended_ns < 0)
		return;
	lane.has_above = span_find_above_tool(w, node, &lane.above);
	if (w->lane_count == RUN_GRAPH_LANES)
		memmove(w->lanes, w->lanes + 1, --w->lane_count * sizeof(*w->lanes));
	w->lanes[w->lane_count++] = lane;
}

void run_graph_note_tool_span(struct run_graph *w, const struct sighting *s, struct id node)
{
	uint64_t own = span_own(s), up = span_above(s);

	if (!own)
		return;
	span_note_up(w, s);
	known_set(w->known, KNOWN_SPAN_TOOL, own, node);
	if (up)
		known_set(w->known, KNOWN_SPAN_TOOL, up, node);
	span_hang_first(w, own, node);
	span_add_lane(w, s, node);
}

bool run_graph_find_asker(struct run_graph *w, const struct sighting *s, struct id *node)
{
	uint64_t key = run_graph_call_key(s->call);

	if (key && known_find(w->known, KNOWN_ASKER, key, node))
		return true;
	return span_find_in_lane(w, s, true, node) ||
	       (w->has_latest && span_find_before(w, w->latest, s->begun_ns, true, node));
}
