/*
 * Gathers every call as a small record of figures, sorts them by their ends and writes them as lines. Ids are made of
 * the run and the row, so that a trace that is written again is the same, byte for byte.
 */
#include "bench/run/bench_trace.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/crypto/sha256.h"
#include "base/file.h"
#include "base/map.h"
#include "bench/run/bench_tries.h"
#include "bench/run/run_dir.h"
#include "dialect/agent_trace/trace_line.h"
#include "model/money.h"

#define FLUSH_AT ((size_t)256 << 10)
#define TIME_MOST_MS INT64_C(253402300799999) /* the end of the year 9999 */

/* What a node needs of a row: figures only, so that a million of them have room. Times in ms. */
struct sent {
	struct id id;
	int64_t from, to, e2e, ttft, ttfb;
	int64_t input, output, cache_read, reasoning; /* -1: not known */
	double usd;                                   /* negative: not known */
	uint32_t target, row;
	bool failed, estimated;
	bool is_retry; /* not a call: what stands between a failed one and the next */
	bool has_parent;
	struct id parent;
};

/* One who was asked: as the rows say it, and where config.json says it is. */
struct asked {
	struct str name, model, framework;
	struct str endpoint; /* by config.json; p NULL */
	size_t own;          /* bytes of it that are the address as it was given */
	const struct provider *provider;
};

struct trace_run {
	struct arena arena;
	const struct config *config;
	struct buf sent;    /* struct sent */
	struct buf targets; /* struct asked */
	struct map index;   /* provider, model and thinking to a place in targets */
	struct map names;   /* the same of provider:model@thinking */
	struct map ids;     /* those that are taken */
	struct bench_tries tries;
	uint64_t calls, retries;
	struct sha256 hash;
	struct str run_id;
	bool interrupted;
};

/* ---- rows ---- */

/* Fills in provider and endpoint of a target, as far as config.json has it. */
static void place_of(struct trace_run *t, const struct result *r, struct asked *out)
{
	const struct config *c = t->config;

	for (size_t i = 0; i < c->target_count; i++) {
		const struct target *g = &c->targets[i];

		if (!g->provider || !str_eq(str_from(provider_name(g->provider)), r->provider) ||
		    !str_eq(g->model, r->model) || !str_eq(g->thinking, r->thinking))
			continue;
		out->provider = g->provider;
		if (c->bases && c->bases[i].p) {
			out->endpoint = provider_endpoint(&t->arena, g->provider, c->bases[i]);
			out->own = c->bases[i].n;
		}
		return;
	}
}

/* The words of agent-trace know few programs; the APIs of OpenAI are one of them. */
static struct str framework_of(struct str provider)
{
	static const char *const openai[] = { "ollama_openai", "openai_responses", "gemini", "azure", "openrouter",
					      "mock" };

	if (str_is_word_of(provider, openai, COUNT(openai)))
		return STR("raw_openai");
	return str_eq(provider, STR("claude_code_cli")) ? STR("claude_code") : STR("unknown");
}

/* The number of a row's target, a new one when it is met for the first time. */
static uint32_t target_of(struct trace_run *t, const struct result *r)
{
	struct arena scratch;
	uint64_t *at;
	bool added;

	arena_init(&scratch);
	at = map_add(&t->index, result_key(&scratch, r->provider, r->model, r->thinking, STR(""), 0), &added);
	arena_free(&scratch);
	if (added) {
		struct asked a = { .name = target_name(&t->arena, r->provider, r->model, r->thinking),
				   .model = arena_copy(&t->arena, r->model),
				   .framework = framework_of(r->provider) };

		place_of(t, r, &a);
		*at = t->targets.n / sizeof(a);
		*map_add(&t->names, a.name, &added) = *at;
		buf_add(&t->targets, &a, sizeof(a));
	}
	return (uint32_t)*at;
}

static const struct asked *asked_at(const struct trace_run *t, uint32_t target)
{
	return (const struct asked *)(const void *)t->targets.p + target;
}

/* Made of the time and of what the row is, and of nothing else: a trace that is written again is the same. */
static struct id id_of(struct trace_run *t, int64_t ms, struct str key)
{
	struct digest d;

	sha256_restart(&t->hash);
	sha256_add(&t->hash, t->run_id);
	sha256_add(&t->hash, STR("\n"));
	sha256_add(&t->hash, key);
	d = sha256_end(&t->hash);
	return id_uuid7((uint64_t)ms & (((uint64_t)1 << 48) - 1), d.b);
}

/* A row may have been written by anybody: a time that a trace can have. */
static int64_t known_time(int64_t ms)
{
	return ms < 0 ? 0 : ms > TIME_MOST_MS ? TIME_MOST_MS : ms;
}

/* A call, and before it, when one of the same row failed, what says that this is a retry. */
static void add_call(struct trace_run *t, struct sent *s, struct str key, const struct sent *before)
{
	struct arena scratch;
	bool added;

	s->id = id_of(t, s->from, key);
	map_add(&t->ids, str_of(s->id.b, sizeof(s->id.b)), &added);
	if (!added)
		return;
	if (before) {
		struct sent mark = { .from = s->from, .to = s->from, .target = s->target, .is_retry = true,
				     .has_parent = true, .parent = before->id };

		arena_init(&scratch);
		mark.id = id_of(t, s->from, ARENA_JOIN(&scratch, key, STR("\nretry")));
		arena_free(&scratch);
		mark.row = (uint32_t)(t->sent.n / sizeof(mark));
		buf_add(&t->sent, &mark, sizeof(mark));
		s->has_parent = true;
		s->parent = mark.id;
		t->retries++;
	}
	s->row = (uint32_t)(t->sent.n / sizeof(*s));
	buf_add(&t->sent, s, sizeof(*s));
	t->calls++;
}

/*
 * The tries before a row's last: each was a call. Gives how many of them were made since the row was last started (a
 * resumed run starts it again); *last is the last that was sent.
 */
static int64_t take_tries(struct trace_run *t, uint32_t target, struct bench_try *first, int64_t started,
			  struct str key, struct sent *last, bool *any)
{
	int64_t since = 0, before = 0, from = started;
	struct arena scratch;

	*any = false;
	arena_init(&scratch);
	for (struct bench_try *one = first; one; one = bench_tries_next(&t->tries, one)) {
		struct sent s = { .target = target, .to = known_time(one->to), .ttft = -1, .ttfb = -1, .input = -1,
				  .output = -1, .cache_read = -1, .reasoning = -1, .usd = -1, .failed = true };

		since = one->attempt > before ? since + 1 : 1;
		before = one->attempt;
		s.from = known_time(one->from >= 0 ? one->from : from);
		s.from = s.from > s.to ? s.to : s.from;
		s.e2e = s.to - s.from;
		from = known_time(s.to + known_time(one->delay));
		one->used = true;
		if (!one->sent)
			continue;
		add_call(t, &s, arena_printf(&scratch, "%.*s\ntry %zu", STR_ARG(key),
					     (size_t)(one - bench_tries_at(&t->tries, 0))), *any ? last : NULL);
		*last = s;
		*any = true;
		arena_reset(&scratch);
	}
	arena_free(&scratch);
	return since;
}

/* Whether the last try of a row was a call at all: with a connection, a key, a program. */
static bool was_sent(const struct result *r)
{
	if (r->attempts < 1)
		return false;
	if (!r->failure.p)
		return true;
	if (str_eq(r->failure, STR("connect_error")) || str_eq(r->failure, STR("claude_cli_missing")) ||
	    str_ends(r->failure, STR("_api_key_missing")))
		return false;
	/* of another harness, which counts no attempts */
	return r->status != PROVIDER_UNAVAILABLE || r->e2e_ms > 0 || str_eq(r->failure, STR("model_not_found")) ||
	       str_eq(r->failure, STR("claude_auth"));
}

/* A row and its tries become calls; a row that was never sent becomes none. */
static bool bench_trace_take_row(void *own, const struct result *r, struct str line)
{
	struct trace_run *t = own;
	struct arena scratch;
	int64_t started = known_time(r->started_at_ms), tried;
	struct sent s = { .to = known_time(r->ended_at_ms), .e2e = r->e2e_ms, .ttft = r->ttft_ms, .ttfb = r->ttfb_ms,
			  .input = r->input_tokens, .output = r->output_tokens, .cache_read = r->cache_read_tokens,
			  .reasoning = r->reasoning_tokens, .usd = r->usd, .failed = !r->success,
			  .estimated = r->usd_estimated };
	struct sent before = { .row = 0 };
	struct bench_try *first;
	struct str key;
	bool any;

	(void)line;
	if (r->attempts < 1)
		return true;
	if (!t->run_id.p)
		t->run_id = arena_copy(&t->arena, r->run_id);
	s.target = target_of(t, r);
	arena_init(&scratch);
	key = result_key(&scratch, r->provider, r->model, r->thinking, r->prompt_id, r->repetition);
	first = bench_tries_find(&t->tries, asked_at(t, s.target)->name, r->prompt_id, r->repetition);
	tried = take_tries(t, s.target, first, started, key, &before, &any);
	s.from = s.to > known_time(r->e2e_ms) ? s.to - known_time(r->e2e_ms) : 0;
	if (s.from < started || r->attempts == 1)
		s.from = started;
	/* a row that was given up while it waited for its next try has no call of its own */
	if (was_sent(r) && r->attempts > tried)
		add_call(t, &s, key, any ? &before : NULL);
	arena_free(&scratch);
	return true;
}

/* Tries of rows that were never written: the run was stopped while they waited. They were calls, too. */
static void take_lost(struct trace_run *t)
{
	for (size_t i = 0; i < bench_tries_count(&t->tries); i++) {
		struct bench_try *first = bench_tries_at(&t->tries, i);
		const uint64_t *at = map_find(&t->names, first->target);
		struct sent last;
		struct str key;
		bool any;

		if (first->used || !first->is_first || !at)
			continue;
		key = result_key(&t->arena, first->target, STR(""), STR(""), first->prompt_id, first->repetition);
		take_tries(t, (uint32_t)*at, first, first->to, key, &last, &any);
	}
}

/* ---- lines ---- */

static struct figure bench_trace_figure_of(int64_t n)
{
	return n >= 0 ? FIGURE((uint64_t)n) : (struct figure){ .n = 0 };
}

static double seconds_of(int64_t ms)
{
	return ms >= 0 ? (double)ms / 1000 : -1;
}

/* All but the path of the API is the address as the user gave it. */
static size_t own_of(const struct asked *a, struct str endpoint)
{
	struct str path = a->provider ? provider_path(a->provider) : STR("");

	return str_ends(endpoint, path) ? endpoint.n - path.n : 0;
}

/* Absent when nobody knows it. */
static struct amount sent_cost(const struct sent *s)
{
	if (s->usd < 0)
		return (struct amount){ .state = FIGURE_ABSENT };
	return (struct amount){ FIGURE_KNOWN, s->estimated ? FIGURE_ESTIMATED : FIGURE_API, s->usd };
}

/* One line of the trace: a model call, or the retry between two of them. */
static void add_node(struct buf *out, const struct trace_line *l, const struct trace_run *t, const struct sent *s)
{
	const struct asked *a = asked_at(t, s->target);
	struct str called = bench_tries_endpoint(&t->tries, a->name, s->from);
	struct trace_model m = {
		.endpoint = called.p ? called : a->endpoint,
		.endpoint_own = called.p ? own_of(a, called) : a->own,
		.model = a->model,
		.usage = { .input = bench_trace_figure_of(s->input),
			   .output = bench_trace_figure_of(s->output),
			   .cache_read = bench_trace_figure_of(s->cache_read),
			   .reasoning = bench_trace_figure_of(s->reasoning) },
		.latency = seconds_of(s->e2e),
		.ttft = seconds_of(s->ttft),
		.ttfb = seconds_of(s->ttfb),
		.ttfc = -1,
		.stop_reason = s->failed ? "error" : NULL,
		.stream = t->config->stream,
		.partial = s->failed && s->ttft >= 0,
	};
	struct trace_node n = { .kind = s->is_retry ? AT_RETRY : AT_MODEL_CALL, .id = s->id,
				.parents = &s->parent, .parent_count = s->has_parent,
				.from_us = s->from * 1000, .to_us = s->to * 1000,
				.framework = a->framework, .model = s->is_retry ? NULL : &m };

	m.usd = sent_cost(s);
	trace_line_add_node(out, l, &n);
}

/* A node is written when it ends; of equal ends the earlier row comes first. */
static int by_end(const void *a, const void *b)
{
	const struct sent *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* When nothing was sent: when the run was made, as its config.json says. */
static int64_t created_us(const struct config *c)
{
	struct stamp stamp;
	int64_t ns;

	return stamp_parse(c->created_at, &stamp) && stamp_ns(&stamp, &ns) && ns > 0 ? ns / 1000 : 0;
}

/* Tokens; what is not known counts for none. */
static int64_t sum_of(int64_t sum, int64_t more)
{
	if (more <= 0)
		return sum;
	return more < INT64_MAX - sum ? sum + more : INT64_MAX;
}

/* The last line: when the run was, tokens and dollars of all calls, how many nodes there are. */
static void add_summary(struct buf *out, const struct trace_line *l, const struct trace_run *t)
{
	const struct sent *s = (const struct sent *)(const void *)t->sent.p;
	size_t n = t->sent.n / sizeof(*s);
	struct trace_summary sum = { .exit_status = t->interrupted ? "interrupted" : "success" };
	bool is_whole = true;

	sum.from_us = sum.to_us = created_us(t->config);
	for (size_t i = 0; i < n; i++) {
		sum.from_us = i == 0 || s[i].from * 1000 < sum.from_us ? s[i].from * 1000 : sum.from_us;
		sum.to_us = i == 0 || s[i].to * 1000 > sum.to_us ? s[i].to * 1000 : sum.to_us;
		if (s[i].is_retry)
			continue;
		sum.input = sum_of(sum.input, s[i].input);
		sum.output = sum_of(sum.output, s[i].output);
		sum.usd = amount_plus(sum.usd, sent_cost(&s[i]));
		is_whole &= s[i].usd >= 0 || (s[i].input <= 0 && s[i].output <= 0);
	}
	sum.counts[AT_MODEL_CALL] = t->calls;
	sum.counts[AT_RETRY] = t->retries;
	if (!is_whole) /* a part is not told as the whole */
		sum.usd = (struct amount){ .state = FIGURE_ABSENT };
	trace_line_add_summary(out, l, &sum);
}

/* Writes what has gathered once it is `from` bytes or more. */
static bool flush(struct buf *out, size_t from, int fd, struct err *err)
{
	if (out->n < from || out->n == 0)
		return true;
	if (!file_write_all(fd, buf_str(out), err))
		return false;
	buf_clear(out);
	return true;
}

/* Writes all nodes in the order of their ends, then the summary; called by file_replace_by. */
static bool write_lines(void *context, int fd, struct err *err)
{
	struct trace_run *t = context;
	struct sent *s = (struct sent *)(void *)t->sent.p;
	size_t n = t->sent.n / sizeof(*s);
	struct trace_cache cache = { .given = { { .p = NULL } } };
	struct trace_line l = { .cache = &cache, .framework = STR("unknown") };
	struct arena scratch;
	char trace_id[ID_UUID_TEXT];
	struct buf out;
	bool done = true;

	arena_init(&scratch);
	buf_init(&out);
	if (n)
		l.framework = ((const struct asked *)(const void *)t->targets.p)->framework;
	id_format_uuid(trace_id, id_of(t, created_us(t->config) / 1000, STR("trace")));
	l.scratch = &scratch;
	l.trace_id = str_of(trace_id, sizeof(trace_id));
	for (size_t i = 0; done && i < n; i++) {
		add_node(&out, &l, t, &s[i]);
		arena_reset(&scratch);
		done = flush(&out, FLUSH_AT, fd, err);
	}
	if (done) {
		add_summary(&out, &l, t);
		done = flush(&out, 0, fd, err);
	}
	trace_cache_free(&cache);
	buf_free(&out);
	arena_free(&scratch);
	return done;
}

/* Everything that was sent, in the order of its end. Free it whatever came of it. */
static bool trace_gather(struct trace_run *t, struct str path, struct err *err)
{
	struct results_lost lost;

	arena_init(&t->arena);
	map_init(&t->index, &t->arena);
	map_init(&t->names, &t->arena);
	map_init(&t->ids, &t->arena);
	buf_init(&t->sent);
	buf_init(&t->targets);
	sha256_init(&t->hash);
	t->run_id = t->config->run_id;
	bench_tries_read(&t->tries, &t->arena, path);
	if (!results_walk(path, bench_trace_take_row, t, &lost, err))
		return false;
	take_lost(t);
	if (t->sent.n)
		qsort(t->sent.p, t->sent.n / sizeof(struct sent), sizeof(struct sent), by_end);
	return true;
}

static void trace_free(struct trace_run *t)
{
	bench_tries_free(&t->tries);
	sha256_free(&t->hash);
	buf_free(&t->sent);
	buf_free(&t->targets);
	arena_free(&t->arena);
}

bool bench_trace_write(struct str path, const struct config *c, bool interrupted, struct err *err)
{
	struct trace_run t = { .config = c, .interrupted = interrupted };
	bool done = trace_gather(&t, path, err) &&
		    file_replace_by(ARENA_JOIN(&t.arena, path, STR("/agent-trace.jsonl")), write_lines, &t, 0666, err);

	trace_free(&t);
	return done;
}

bool bench_trace_count(struct str path, const struct config *c, uint64_t *calls, struct err *err)
{
	struct trace_run t = { .config = c };
	bool done = trace_gather(&t, path, err);

	*calls = t.calls;
	trace_free(&t);
	return done;
}
