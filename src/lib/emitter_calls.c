/*
 * The calls of a trace: begun, kept while they are under way, written when they end. All functions take a NULL trace, a
 * node that is none, and structs of another version of the header.
 */
#include <math.h>

#include "base/mask.h"
#include "dialect/agent_trace/clean.h"
#include "dialect/reading/tool_name.h"
#include "lib/emitter.h"
#include "model/words.h"

/* Longer than what may stand in a trace, so that what is too long is known to be. */
#define ENDPOINT_MAX 1500
#define NAME_BYTES_MAX 1000
#define ID_BYTES_MAX 200

static const struct tw_node no_node;

static struct tw_node node_of(struct id id)
{
	struct tw_node n;

	memcpy(n.id, id.b, sizeof(n.id));
	return n;
}

/* ---- calls under way ---- */

static struct emitter_call **bucket_of(struct tw_trace *t, const uint8_t id[16])
{
	return &t->calls[id[15] % EMITTER_BUCKETS]; /* random bits */
}

/* Where it hangs; NULL inside for none. The lock is held. */
static struct emitter_call **find(struct tw_trace *t, struct tw_node node, enum at_kind kind)
{
	struct emitter_call **c = bucket_of(t, node.id);

	while (*c && (memcmp((*c)->id.b, node.id, sizeof(node.id)) != 0 || (*c)->kind != kind))
		c = &(*c)->next;
	return c;
}

/* Copies a text to *at and moves *at behind it. The caller made room for all texts before. */
static struct str keep(char **at, struct str text)
{
	char *p = *at;

	if (!text.p)
		return text;
	if (text.n)
		memcpy(p, text.p, text.n);
	*at += text.n;
	return str_of(p, text.n);
}

/* The call as `like` has it, with copies of its texts and parents, among those under way. */
static struct tw_node emitter_calls_add(struct tw_trace *t, const struct emitter_call *like,
					const struct tw_node *parents, size_t parent_count)
{
	struct id ids[EMITTER_IDS_MAX];
	size_t count = emitter_ids(t, ids, parents, parent_count);
	size_t texts = like->endpoint.n + like->provider.n + like->model.n + like->agent.n + like->name.n +
		       like->call.n;
	struct emitter_call *c = mem_try_alloc(sizeof(*c) + count * sizeof(*ids) + texts), **bucket;
	char *at;

	if (!c) {
		outlet_note(&t->outlet, "there is no memory for a call");
		outlet_lose(&t->outlet);
		return no_node;
	}
	*c = *like;
	c->id = emitter_new_id(t);
	c->from_us = emitter_now_us(t);
	c->parents = (struct id *)(c + 1);
	c->parent_count = count;
	memcpy(c->parents, ids, count * sizeof(*ids));
	at = (char *)(c->parents + count);
	c->endpoint = keep(&at, like->endpoint);
	c->provider = keep(&at, like->provider);
	c->model = keep(&at, like->model);
	c->agent = keep(&at, like->agent);
	c->name = keep(&at, like->name);
	c->call = keep(&at, like->call);
	bucket = bucket_of(t, c->id.b);
	c->next = *bucket;
	*bucket = c;
	return node_of(c->id);
}

void emitter_drop_calls(struct tw_trace *t, bool whole)
{
	for (size_t i = 0; i < EMITTER_BUCKETS; i++) {
		struct emitter_call *c = t->calls[i], *next;

		t->calls[i] = NULL;
		for (; whole && c; c = next) {
			next = c->next;
			mem_free(c);
		}
	}
}

/* ---- what is known of a call in the end ---- */

/* A number beyond int64 becomes the largest one; a source that is no word of the enum means not known. */
static struct figure figure_of(struct tw_count c)
{
	if (c.source != TW_API && c.source != TW_ESTIMATED)
		return (struct figure){ FIGURE_ABSENT, FIGURE_API, 0 };
	return (struct figure){ FIGURE_KNOWN, c.source == TW_API ? FIGURE_API : FIGURE_ESTIMATED,
				c.n < INT64_MAX ? c.n : INT64_MAX };
}

/* Negative when it is not known, or no such number. */
static double amount_of(struct tw_amount a)
{
	bool known = (a.source == TW_API || a.source == TW_ESTIMATED) && isfinite(a.n) && a.n >= 0 && a.n < 1e9;

	return known ? a.n : -1;
}

/* A key in a name or an id is no name and no id. */
static struct str without_key(struct str text, const char *instead)
{
	struct buf shown;
	bool hidden;

	if (!text.p)
		return text;
	buf_init(&shown);
	hidden = mask_text(&shown, text, 0, NULL, NULL);
	buf_free(&shown);
	if (!hidden)
		return text;
	return instead ? str_from(instead) : str_of(NULL, 0);
}

/* What all kinds of nodes share. It ends now, and points into the call. */
static struct trace_node node_for(struct tw_trace *t, const struct emitter_call *c)
{
	return (struct trace_node){
		.kind = c->kind,
		.id = c->id,
		.parents = c->parents,
		.parent_count = c->parent_count,
		.from_us = c->from_us,
		.to_us = emitter_now_us(t),
		.agent = without_key(c->agent, NULL),
	};
}

/* Writes a model call as it ended. What the caller did not know stays absent; keys in texts are left out. */
static bool write_model(struct tw_trace *t, const struct emitter_call *c, const struct tw_model_result *r)
{
	struct trace_node n = node_for(t, c);
	double usd = amount_of(r->cost_usd);
	struct trace_model m = {
		.endpoint = c->endpoint,
		.provider = c->provider,
		.model = c->model,
		.request_id = without_key(emitter_text(r->request_id, ID_BYTES_MAX), NULL),
		.usage = {
			.input = figure_of(r->input_tokens),
			.output = figure_of(r->output_tokens),
			.cache_read = figure_of(r->cache_read_tokens),
			.cache_write = figure_of(r->cache_write_tokens),
			.reasoning = figure_of(r->reasoning_tokens),
		},
		.latency = (double)(n.to_us - n.from_us) / 1e6,
		.ttft = c->token_us ? (double)(c->token_us - n.from_us) / 1e6 : -1,
		.ttfb = -1,
		.ttfc = -1,
		.tool_choice = c->tool_choice,
		.stop_reason = r->stop_reason ? words_stop_reason(emitter_text(r->stop_reason, 64)) : NULL,
		.refused = r->stop_reason && words_is_refusal(emitter_text(r->stop_reason, 64)),
		.stream = c->stream,
		.partial = r->partial != 0,
	};

	if (usd >= 0)
		m.usd = AMOUNT(usd);
	n.model = &m;
	return emitter_write(t, &n);
}

/* One of our constants, so that no text of the caller's gets into the trace; NULL for any other word. */
static const char *result_kind_of(const char *text)
{
	static const char *const kinds[] = { "text", "json", "image", "binary" };

	for (size_t i = 0; text && i < COUNT(kinds); i++)
		if (strcmp(text, kinds[i]) == 0)
			return kinds[i];
	return NULL;
}

/* Writes a tool call as it ended. A name that holds a key becomes "unknown"; other texts with keys are left out. */
static bool write_tool(struct tw_trace *t, const struct emitter_call *c, const struct tw_tool_result *r)
{
	struct trace_node n = node_for(t, c);
	struct trace_tool tool = {
		.name = without_key(c->name, "unknown"),
		.call = without_key(c->call, NULL),
		.wall = (double)(n.to_us - n.from_us) / 1e6,
		.stall = amount_of(r->stall_seconds),
		.size = figure_of(r->result_bytes),
		.result_kind = result_kind_of(r->result_kind),
		.external = c->external,
		.partial = r->partial != 0,
	};

	if (tool.stall > tool.wall) /* nothing waits longer than it takes */
		tool.stall = tool.wall;
	n.tool = &tool;
	return emitter_write(t, &n);
}

/* Siblings that are no ids are left out. */
static bool write_branch(struct tw_trace *t, const struct emitter_call *c, const struct tw_node *siblings, size_t count)
{
	struct id ids[EMITTER_IDS_MAX];
	struct trace_node n = node_for(t, c);
	struct trace_branch b = { .kind = c->branch, .siblings = ids, .count = emitter_ids(t, ids, siblings, count) };

	n.branch = &b;
	return emitter_write(t, &n);
}

/* Writes a call that nobody ended, as a partial one; a branch without siblings. */
static void write_open(struct tw_trace *t, const struct emitter_call *c)
{
	if (!emitter_is_ready(t))
		return;
	if (c->kind == AT_MODEL_CALL)
		write_model(t, c, &(struct tw_model_result){ .partial = 1 });
	else if (c->kind == AT_TOOL_CALL)
		write_tool(t, c, &(struct tw_tool_result){ .partial = 1 });
	else
		write_branch(t, c, NULL, 0);
}

void emitter_end_calls(struct tw_trace *t)
{
	for (size_t i = 0; i < EMITTER_BUCKETS; i++)
		for (const struct emitter_call *c = t->calls[i]; c; c = c->next)
			write_open(t, c);
	emitter_drop_calls(t, true);
}

/* Takes a call out of those under way; NULL, and a note, when it is not among them. The lock is held. */
static struct emitter_call *emitter_calls_take(struct tw_trace *t, struct tw_node node, enum at_kind kind)
{
	struct emitter_call **at = find(t, node, kind), *c = *at;

	if (c)
		*at = c->next;
	else if (memcmp(&node, &no_node, sizeof(node)) != 0)
		outlet_note(&t->outlet, "a %s was ended that this process has not begun, or twice",
			    agent_trace_kinds[kind].p);
	return c;
}

/* ---- the functions ---- */

/* After the end nothing begins; the texts of it would only be kept. */
static bool enter_to_begin(struct tw_trace *t)
{
	if (!emitter_enter(t))
		return false;
	if (!t->closed)
		return true;
	outlet_note(&t->outlet, "the trace is closed");
	emitter_leave(t);
	return false;
}

struct tw_node tw_model_call_begin(struct tw_trace *t, const struct tw_model_call *call)
{
	struct tw_model_call known;
	struct emitter_call c;
	struct tw_node n;

	if (!enter_to_begin(t))
		return no_node;
	emitter_take(t, &known, sizeof(known), call);
	c = (struct emitter_call){
		.kind = AT_MODEL_CALL,
		.endpoint = emitter_text(known.endpoint, ENDPOINT_MAX),
		.provider = emitter_text(known.provider, ID_BYTES_MAX),
		.model = emitter_text(known.model, NAME_BYTES_MAX),
		.agent = emitter_text(known.agent_id, ID_BYTES_MAX),
		.tool_choice = known.tool_choice ? words_tool_choice(emitter_text(known.tool_choice, 64)) : NULL,
		.stream = known.stream != 0,
	};
	n = emitter_calls_add(t, &c, known.parents, known.parent_count);
	emitter_leave(t);
	return n;
}

void tw_model_call_first_token(struct tw_trace *t, struct tw_node call)
{
	struct emitter_call *c;

	if (!emitter_enter(t))
		return;
	c = *find(t, call, AT_MODEL_CALL);
	if (c && c->token_us == 0)
		c->token_us = emitter_now_us(t);
	emitter_leave(t);
}

int tw_model_call_end(struct tw_trace *t, struct tw_node call, const struct tw_model_result *result)
{
	struct tw_model_result known;
	struct emitter_call *c;
	bool written = false;

	if (!emitter_enter(t))
		return 0;
	c = emitter_calls_take(t, call, AT_MODEL_CALL);
	if (!emitter_take(t, &known, sizeof(known), result) || !result)
		known.partial = 1;
	if (c && emitter_is_ready(t))
		written = write_model(t, c, &known);
	mem_free(c);
	emitter_leave(t);
	return written;
}

struct tw_node tw_tool_call_begin(struct tw_trace *t, const struct tw_tool_call *call)
{
	struct tw_tool_call known;
	struct emitter_call c;
	struct tw_node n;
	bool mcp = false;

	if (!enter_to_begin(t))
		return no_node;
	emitter_take(t, &known, sizeof(known), call);
	c = (struct emitter_call){
		.kind = AT_TOOL_CALL,
		.name = emitter_text(known.name, NAME_BYTES_MAX),
		.call = emitter_text(known.call_id, ID_BYTES_MAX),
		.agent = emitter_text(known.agent_id, ID_BYTES_MAX),
	};
	c.external = known.external == TW_EXTERNAL;
	if (c.name.p)
		c.name = tool_name_trace(&t->scratch, &(struct event){ .kind = EVENT_CALL, .tool = c.name }, &mcp);
	if (known.external == TW_BY_NAME && c.name.p)
		c.external = words_tool_is_external(c.name, mcp);
	n = emitter_calls_add(t, &c, known.parents, known.parent_count);
	emitter_leave(t);
	return n;
}

int tw_tool_call_end(struct tw_trace *t, struct tw_node call, const struct tw_tool_result *result)
{
	struct tw_tool_result known;
	struct emitter_call *c;
	bool written = false;

	if (!emitter_enter(t))
		return 0;
	c = emitter_calls_take(t, call, AT_TOOL_CALL);
	if (!emitter_take(t, &known, sizeof(known), result) || !result)
		known.partial = 1;
	if (c && emitter_is_ready(t))
		written = write_tool(t, c, &known);
	mem_free(c);
	emitter_leave(t);
	return written;
}

struct tw_node tw_branch_begin(struct tw_trace *t, enum tw_branch_kind kind, const struct tw_node *parents,
			       size_t parent_count)
{
	static const char *const words[] = { "fan_out", "retry", "speculative" };
	struct emitter_call c = { .kind = AT_BRANCH, .branch = words[(unsigned)kind < 3 ? kind : 0] };
	struct tw_node n;

	if (!enter_to_begin(t))
		return no_node;
	n = emitter_calls_add(t, &c, parents, parent_count);
	emitter_leave(t);
	return n;
}

int tw_branch_end(struct tw_trace *t, struct tw_node branch, const struct tw_node *siblings, size_t sibling_count)
{
	struct emitter_call *c;
	bool written = false;

	if (!emitter_enter(t))
		return 0;
	c = emitter_calls_take(t, branch, AT_BRANCH);
	if (c && emitter_is_ready(t))
		written = write_branch(t, c, siblings, sibling_count);
	mem_free(c);
	emitter_leave(t);
	return written;
}

/* Writes a node that begins and ends now. None (zero) when the line was lost: nothing may name it as a parent then. */
static struct tw_node add_moment(struct tw_trace *t, enum at_kind kind, const struct tw_node *parents, size_t count)
{
	struct id ids[EMITTER_IDS_MAX];
	struct trace_node n = { .kind = kind, .parents = ids };
	bool written;

	if (!enter_to_begin(t))
		return no_node;
	n.parent_count = emitter_ids(t, ids, parents, count);
	n.id = emitter_new_id(t);
	n.from_us = n.to_us = emitter_now_us(t);
	written = emitter_is_ready(t) && emitter_write(t, &n);
	emitter_leave(t);
	return written ? node_of(n.id) : no_node;
}

struct tw_node tw_user_input(struct tw_trace *t, const struct tw_node *parents, size_t parent_count)
{
	return add_moment(t, AT_USER_INPUT, parents, parent_count);
}

struct tw_node tw_retry(struct tw_trace *t, const struct tw_node *parents, size_t parent_count)
{
	return add_moment(t, AT_RETRY, parents, parent_count);
}

struct tw_node tw_system(struct tw_trace *t, const struct tw_node *parents, size_t parent_count)
{
	return add_moment(t, AT_SYSTEM, parents, parent_count);
}
