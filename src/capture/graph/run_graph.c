#include "capture/graph/run_graph_begin.h"

#include "base/num.h"
#include "capture/observe/block_chain.h"
#include "dialect/agent_trace/clean.h"

#define TOKENS_MOST (UINT64_C(1) << 48) /* what is more is no count */

/* ---- nodes ---- */

int64_t run_graph_us(int64_t ns)
{
	return ns / 1000 - (ns % 1000 < 0);
}

struct id run_graph_new_id(struct run_graph *w, int64_t ns)
{
	return id_series_next_uuid7(&w->ids, ns > 0 ? (uint64_t)ns / 1000000 : 0);
}

struct str run_graph_framework(struct run_graph *w, struct str own)
{
	struct str word = clean_framework(own.p ? own : STR(""));

	if (w->o.framework.p)
		return w->framework;
	if (str_eq(w->framework, STR("unknown")))
		w->framework = word;
	return word;
}

static struct trace_line line_of(struct run_graph *w)
{
	return (struct trace_line){
		.cache = &w->names,
		.scratch = &w->scratch,
		.trace_id = str_of(w->trace, sizeof(w->trace)),
		.framework = w->framework,
		.plain = w->o.plain,
	};
}

static void write_node(struct run_graph *w, struct trace_node *n)
{
	struct trace_line line = line_of(w);

	if (!n->layers)
		n->layers = 1u << SIGHT_PROXY;
	if (!w->any || n->to_us > w->last_us) /* what is told may be older than the run */
		w->last_us = n->to_us;
	if (n->from_us < w->first_us)
		w->first_us = n->from_us;
	w->any = true;
	w->tally.counts[n->kind]++;
	buf_clear(&w->line);
	trace_line_add_node(&w->line, &line, n);
	w->o.line(w->o.context, buf_str(&w->line));
}

void run_graph_put(struct run_graph *w, struct trace_node *n)
{
	bool mark = n->from_us == n->to_us;

	if (w->any && n->to_us < w->last_us)
		n->to_us = w->last_us;
	if (mark || n->from_us > n->to_us)
		n->from_us = n->to_us;
	write_node(w, n);
}

void run_graph_put_exact(struct run_graph *w, struct trace_node *n)
{
	struct amendment *m = NULL;

	if (w->any && n->to_us < w->last_us) {
		m = w->o.amend ? amendments_get(&w->amendments, n->id) : NULL;
		if (!m) {
			run_graph_put(w, n);
			return;
		}
		m->moved = true;
		m->to_us = n->to_us;
		m->is_tool = n->kind == AT_TOOL_CALL;
	}
	if (n->from_us > n->to_us)
		n->from_us = n->to_us;
	write_node(w, n);
}

void run_graph_put_named_branch(struct run_graph *w, struct id id, const char *branch,
				const struct run_graph_ids *parents, const struct run_graph_ids *siblings,
				int64_t ns, struct str agent, struct str framework)
{
	struct trace_branch b = { .kind = branch, .siblings = siblings->ids, .count = siblings->count };
	struct trace_node n = {
		.kind = AT_BRANCH,
		.id = id,
		.parents = parents->ids,
		.parent_count = parents->count,
		.from_us = run_graph_us(ns),
		.to_us = run_graph_us(ns),
		.inferred = true,
		.agent = agent,
		.framework = framework,
		.branch = &b,
	};

	run_graph_put(w, &n);
}

struct id run_graph_put_branch(struct run_graph *w, const char *branch, const struct run_graph_ids *parents,
			       const struct run_graph_ids *siblings, int64_t ns, struct str agent,
			       struct str framework)
{
	struct id id = run_graph_new_id(w, ns);

	run_graph_put_named_branch(w, id, branch, parents, siblings, ns, agent, framework);
	return id;
}

struct id run_graph_put_mark(struct run_graph *w, enum at_kind kind, const struct run_graph_ids *parents,
			     int64_t ns, struct str agent, struct str framework)
{
	struct trace_node n = {
		.kind = kind,
		.id = run_graph_new_id(w, ns),
		.parents = parents->ids,
		.parent_count = parents->count,
		.from_us = run_graph_us(ns),
		.to_us = run_graph_us(ns),
		.inferred = kind != AT_SYSTEM,
		.agent = agent,
		.framework = framework,
	};

	run_graph_put(w, &n);
	return n.id;
}

/* ---- model calls ---- */

/* Sums stay where they are rather than turn negative. */
static void add_tokens(int64_t *sum, struct figure *f)
{
	if (!figure_is_known(*f) || f->n > TOKENS_MOST)
		*f = (struct figure){ .state = FIGURE_ABSENT };
	if (__builtin_add_overflow(*sum, (int64_t)f->n, sum))
		*sum = INT64_MAX;
}

/* From the request on; negative when it was not seen. */
static double since(const struct observation *s, int64_t ns)
{
	if (ns == 0)
		return -1;
	return ns > s->begun_ns ? (double)(ns - s->begun_ns) / 1e9 : 0;
}

/* What the tokens cost. Absent unless the API itself counted them: a price of an estimate would look like a fact. */
static struct amount price_tokens(struct run_graph *w, const struct observation *s)
{
	struct price_ask ask = {
		.provider = s->provider ? str_from(s->provider) : STR(""),
		.model = s->model,
		.tier = s->tier,
		.at_ns = s->ended_ns,
		.has_time = true,
		.usage = &s->usage,
	};
	struct amount usd = { FIGURE_ABSENT, FIGURE_ESTIMATED, 0 };
	enum price_gap gap;

	if (!w->o.prices || s->usage.input.source != FIGURE_API || !figure_is_known(s->usage.input))
		return usd;
	gap = price_usage(w->o.prices, &ask, &usd.n);
	if (gap == PRICE_FOUND)
		usd.state = FIGURE_KNOWN;
	else
		price_gaps_add(&w->unpriced, clean_model(s->model), s->tier, gap); /* as the trace names it */
	return usd;
}

/* As the service states it, else by the table; the run's sum knows of it either way. */
static struct amount find_price(struct run_graph *w, const struct observation *s)
{
	struct event cost = { .kind = EVENT_COST, .usage = s->usage };

	cost.usd = amount_is_known(s->usd) ? s->usd : price_tokens(w, s);
	money_add(&w->money, &cost);
	w->tally.usd = money_total(&w->money);
	return cost.usd;
}

/* What the service told; an estimate says nothing of whether two calls are one. */
static int64_t told_tokens(struct figure f, int64_t otherwise)
{
	return figure_is_known(f) && f.source == FIGURE_API ? (int64_t)f.n : otherwise;
}

/* Telemetry may tell of it again: by its tokens and times, where it has no id that both know. */
static void note_model(struct run_graph *w, const struct trace_node *n, const struct trace_model *m, unsigned told)
{
	const struct usage *u = &m->usage;
	struct run_graph_recent r = {
		.node = n->id,
		.above = n->parent_count ? n->parents[0] : n->id,
		.layers = n->layers,
		.from_us = n->from_us,
		.to_us = n->to_us,
		.stall = -1,
		.name = str_hash(m->model),
		.input = told_tokens(u->input, -1),
		.output = told_tokens(u->output, -1),
		.cached = told_tokens(u->cache_read, 0) + told_tokens(u->cache_write, 0),
		.thought = told_tokens(u->reasoning, 0),
		.told = told,
	};

	run_graph_note_recent(w, &r);
}

/* Numbers of blocks as the JSON of a field; p NULL for none. */
static struct str list_blocks(struct run_graph *w, const struct observation *s)
{
	const uint64_t *blocks = s->blocks;
	char digits[NUM_U64_MAX];
	struct buf json;

	if (!s->block_count || w->o.plain)
		return str_of(NULL, 0);
	if (w->o.blocks)
		blocks = block_chain_own(&w->scratch, w->o.blocks, blocks, s->block_count);
	buf_init(&json);
	for (size_t i = 0; i < s->block_count; i++) {
		buf_add_byte(&json, i ? ',' : '[');
		buf_add(&json, digits, num_format_u64(digits, blocks[i]));
	}
	buf_add_byte(&json, ']');
	return arena_take(&w->scratch, &json);
}

void run_graph_put_model(struct run_graph *w, const struct run_graph_open *x, const struct observation *s,
			 unsigned layers)
{
	struct trace_model m = {
		.endpoint = s->endpoint,
		.endpoint_own = s->endpoint_own,
		.provider = s->provider ? str_from(s->provider) : str_of(NULL, 0),
		.model = s->model,
		.request_id = s->request_id,
		.response_id = s->answer,
		.hash_ids = list_blocks(w, s),
		.usage = s->usage,
		.latency = since(s, s->ended_ns),
		.ttft = since(s, s->token_ns),
		.ttfb = since(s, s->byte_ns),
		.ttfc = since(s, s->content_ns),
		.tool_choice = s->tool_choice,
		.stop_reason = s->stop_reason,
		.refused = s->refused,
		.stream = s->stream,
		.partial = s->partial,
		.measured = w->o.measured && w->o.measured(w->o.context, s->begun_ns, s->ended_ns),
		.usd = find_price(w, s),
	};
	struct trace_node n = {
		.kind = AT_MODEL_CALL,
		.id = x->node,
		.parents = x->parents,
		.parent_count = x->parent_count,
		.from_us = run_graph_us(s->begun_ns),
		.to_us = run_graph_us(s->ended_ns),
		.inferred = x->inferred,
		.layers = layers | x->layers,
		.agent = x->agent_id,
		.framework = x->framework,
		.model = &m,
	};

	run_graph_end_fan(w, x);
	add_tokens(&w->tally.input, &m.usage.input);
	add_tokens(&w->tally.output, &m.usage.output);
	w->tally.failed += s->failed;
	w->latest = x->node;
	w->has_latest = true;
	if (layers & 1u << SIGHT_PROXY)
		run_graph_put(w, &n);
	else
		run_graph_put_exact(w, &n);
	note_model(w, &n, &m, x->told);
}

/* ---- exchanges ---- */

/* One piece of memory for the exchange and its texts, since there may be thousands on their way. */
static struct run_graph_open *open_exchange(struct run_graph *w, const struct observation *s)
{
	const struct str from[] = { s->endpoint, s->model, s->agent };
	struct run_graph_open *x = mem_alloc(sizeof(*x) + from[0].n + from[1].n + from[2].n);
	struct str *const into[] = { &x->endpoint, &x->model, &x->agent_id };
	char *text = (char *)(x + 1);

	*x = (struct run_graph_open){
		.number = s->number,
		.digest = run_graph_mix(s->digest, run_graph_agent(s->session, s->agent)),
		.agent = run_graph_agent(s->session, s->agent),
		.endpoint_own = s->endpoint_own,
		.stream = s->stream,
		.begun_ns = s->begun_ns,
		.provider = s->provider,
		.tool_choice = s->tool_choice,
		.framework = run_graph_framework(w, s->framework),
		.next = w->open,
		.here = &w->open,
	};
	for (size_t i = 0; i < 3; i++) {
		if (from[i].n)
			memcpy(text, from[i].p, from[i].n);
		*into[i] = from[i].p ? str_of(text, from[i].n) : from[i];
		text += from[i].n;
	}
	if (w->open)
		w->open->here = &x->next;
	w->open = x;
	return x;
}

static void close_exchange(struct run_graph_open *x)
{
	*x->here = x->next;
	if (x->next)
		x->next->here = x->here;
	mem_free(x->parents);
	mem_free(x);
}

void run_graph_request(struct run_graph *w, const struct observation *s)
{
	struct run_graph_open *x = open_exchange(w, s);

	arena_reset(&w->scratch);
	clients_add(&w->clients, &s->clients);
	w->model_ns = s->begun_ns;
	w->proxied = true;
	x->node = x->root = run_graph_new_id(w, s->begun_ns);
	run_graph_note_inside(w, run_graph_span_key(s->trace, s->span), x->node);
	run_graph_place(w, x, s);
}

static struct run_graph_open *find_exchange(const struct run_graph *w, uint64_t number)
{
	struct run_graph_open *x = w->open;

	while (x && x->number != number)
		x = x->next;
	return x;
}

/* Whether the calls of an answer may be made: also those that made the client leave, since it had what it wanted. */
static bool asks(const struct observation *s)
{
	return !s->failed && (!s->partial || s->how == PROXY_CLIENT_LEFT);
}

void run_graph_answer(struct run_graph *w, const struct observation *s)
{
	struct run_graph_open *x = find_exchange(w, s->number);

	if (!x) {
		run_graph_request(w, s);
		x = find_exchange(w, s->number);
	}
	arena_reset(&w->scratch);
	run_graph_put_model(w, x, s, 1u << SIGHT_PROXY);
	run_graph_remember(w, x, s);
	run_graph_note_inside(w, run_graph_span_key(s->trace, s->span), x->node);
	if (asks(s))
		run_graph_ask(w, x, s);
	close_exchange(x);
	run_graph_end_early(w);
	if (asks(s) && s->cut)
		run_graph_gap(w, s->ended_ns);
}

void run_graph_other(struct run_graph *w, const struct observation *s)
{
	w->tally.other++;
	w->tally.beside += s->is_known;
}

void run_graph_gap(struct run_graph *w, int64_t ns)
{
	struct run_graph_ids parents = { .count = 0 };

	arena_reset(&w->scratch);
	if (w->has_latest)
		run_graph_ids_add(w, &parents, w->latest);
	if (ns == 0)
		ns = w->any ? w->last_us * 1000 : w->begun_ns;
	run_graph_put_mark(w, AT_SYSTEM, &parents, ns, str_of(NULL, 0), w->framework);
}

const struct run_graph_tally *run_graph_tally(const struct run_graph *w)
{
	return &w->tally;
}

const struct price_gaps *run_graph_unpriced(const struct run_graph *w)
{
	return &w->unpriced;
}

/* ---- the run ---- */

struct run_graph *run_graph_open(const struct run_graph_options *o, int64_t begun_ns)
{
	struct run_graph *w = mem_alloc(sizeof(*w));

	memset(w, 0, sizeof(*w));
	w->o = *o;
	w->framework = clean_framework(o->framework.p ? o->framework : STR(""));
	w->begun_ns = begun_ns;
	w->first_us = w->last_us = w->amended_us = run_graph_us(begun_ns);
	id_series_init(&w->ids);
	id_format_uuid(w->trace, o->trace);
	arena_init_small(&w->scratch); /* there may be thousands of runs */
	price_gaps_init(&w->unpriced);
	buf_init(&w->line);
	buf_init(&w->summary);
	w->idle_ns = w->model_ns = -1;
	amendments_init(&w->amendments);
	w->known = known_open();
	text_marker_init(&w->marker);
	return w;
}

void run_graph_close(struct run_graph *w)
{
	if (!w)
		return;
	while (w->open)
		close_exchange(w->open);
	run_graph_fans_free(w);
	run_graph_calls_free(w);
	run_graph_asked_free(w);
	known_close(w->known);
	amendments_free(&w->amendments);
	mem_free(w->recent);
	mem_free(w->commands);
	mem_free(w->held);
	mem_free(w->shells);
	text_marker_free(&w->marker);
	arena_free(&w->scratch);
	price_gaps_free(&w->unpriced);
	buf_free(&w->line);
	buf_free(&w->summary);
	trace_cache_free(&w->names);
	mem_free(w);
}

/* What is on its way when the run ends is written as far as it was seen: the oldest first. */
static void end_exchanges(struct run_graph *w, int64_t ns)
{
	while (w->open) {
		struct run_graph_open *x = w->open;

		while (x->next)
			x = x->next;
		arena_reset(&w->scratch);
		run_graph_put_model(w, x,
			  &(struct observation){
				  .number = x->number,
				  .provider = x->provider,
				  .endpoint = x->endpoint,
				  .endpoint_own = x->endpoint_own,
				  .model = x->model,
				  .stream = x->stream,
				  .partial = true,
				  .tool_choice = x->tool_choice,
				  .begun_ns = x->begun_ns,
				  .ended_ns = ns > x->begun_ns ? ns : x->begun_ns,
			  }, 1u << SIGHT_PROXY);
		close_exchange(x);
	}
}

void run_graph_finish(struct run_graph *w, const char *exit_status, struct str error, int64_t ended_ns,
		      struct str *summary)
{
	struct trace_summary s = {
		.exit_status = exit_status,
		.error = error,
		.rig = w->o.rig,
		.engine = w->o.engine,
	};
	struct trace_line line;
	struct json_writer j;
	struct buf versions;
	int64_t to;

	end_exchanges(w, ended_ns);
	arena_reset(&w->scratch);
	run_graph_give_up(w, strcmp(exit_status, "interrupted") == 0);
	run_graph_put_said(w, NULL);
	run_graph_put_held(w);
	if (w->o.amend && w->amendments.count)
		w->o.amend(w->o.context, &w->amendments);
	to = run_graph_us(ended_ns);
	line = line_of(w);
	memcpy(s.counts, w->tally.counts, sizeof(s.counts));
	s.from_us = w->first_us;
	s.to_us = w->any && w->last_us > to ? w->last_us : to;
	s.to_us = s.to_us > w->amended_us ? s.to_us : w->amended_us;
	s.input = w->tally.input;
	s.output = w->tally.output;
	s.stall = w->stall;
	s.stalls = w->stalls;
	s.usd = w->tally.usd;
	buf_init(&versions);
	json_write_init(&j, &versions, JSON_COMPACT);
	clients_write(&j, &w->clients);
	s.framework_version = buf_str(&versions);
	buf_clear(&w->summary);
	trace_line_add_summary(&w->summary, &line, &s);
	buf_free(&versions);
	w->o.line(w->o.context, buf_str(&w->summary));
	*summary = str_of(w->summary.p, w->summary.n - 1);
}
