/*
 * The answer half of an observer: what the events of an answer (dialect/exchange/answer_stream.h) say that is no
 * content, the calls it asks for, and what is filled in when it is over.
 */
#include "capture/observe/observer_private.h"

#include "dialect/agent_trace/clean.h"
#include "dialect/reading/tool_name.h"

#define BYTES_PER_TOKEN 4

/* ---- calls: ids and names, beside the marks that tell them apart (answer_calls.h) ---- */

/* The name as it may stand in a trace, with its server: that tells a tool of MCP. */
static struct str observer_answer_name_of(struct observer *k, const struct event *e)
{
	struct str name = clean_tool(tool_name_full(&k->all->parser.batch, e));

	return observer_keep(k, name);
}

/* A call may come in pieces: its id and name are taken when they are first told. */
static void add_call(struct observer *k, const struct event *e)
{
	unsigned news;
	size_t at = answer_calls_add(&k->call_marks, &k->arena, e, &news);
	struct observation_call *c;

	k->s.cut = k->s.cut || (news & ANSWER_CALL_FULL);
	if (at == ANSWER_CALL_NONE)
		return;
	if (news & ANSWER_CALL_NEW) {
		arena_grow(&k->arena, k->s.calls, at, k->call_cap, 8);
		k->s.calls[at] = (struct observation_call){ .name = { NULL, 0 } };
		k->s.call_count = at + 1;
	}
	c = &k->s.calls[at];
	if (news & ANSWER_CALL_ID)
		c->call = observer_keep(k, e->call);
	if (news & ANSWER_CALL_NAME)
		c->name = observer_answer_name_of(k, e);
	observer_add_args(k, at, e);
}

/* Those that the service answered itself are nobody's to wait for. */
static void settle_calls(struct observer *k)
{
	size_t n = 0;

	observer_mark_args(k);
	for (size_t i = 0; i < k->s.call_count; i++) {
		if (k->call_marks.marks[i].answered)
			continue;
		k->s.calls[n] = k->s.calls[i];
		if (!k->s.calls[n].name.p)
			k->s.calls[n].name = STR("unknown");
		n++;
	}
	k->s.call_count = n;
}

/* ---- events ---- */

static void take_event(void *own, struct event *e)
{
	struct observer *k = own;

	k->said_bytes[answer_event_copy(e)] += answer_event_bytes(e);
	if (e->kind == EVENT_STEP)
		text_run_add(&k->said[answer_event_copy(e)], e->text);
	if (e->kind == EVENT_CALL)
		add_call(k, e);
	else if (e->kind == EVENT_RESULT)
		answer_calls_answer(&k->call_marks, e->call);
}

static void push_bytes(void *own, struct str bytes)
{
	struct observer *k = own;

	answer_stream_push(&k->stream, bytes, (struct answer_sink){ take_event, k });
}

/* Takes the packing off, where there is one we know. A zstd body may go on with another frame after the end of one. */
static void read_bytes(struct observer *k, struct str bytes)
{
	if (k->answer_packing == UNPACK_UNKNOWN || !k->api)
		return;
	if (k->answer_packing == UNPACK_PLAIN) {
		push_bytes(k, bytes);
		return;
	}
	if (k->unpack_over)
		return;
	if (!k->unpack)
		k->unpack = unpack_open(k->answer_packing, OBSERVER_BODY - k->unpacked);
	k->bad = !unpack_push(k->unpack, bytes, (struct unpack_sink){ push_bytes, k }) || k->bad;
	if (!k->bad && !unpack_is_done(k->unpack))
		return;
	/* its memory is given back at once: an answer may stay open for long after this */
	k->unpack_over = k->bad || k->answer_packing != UNPACK_ZSTD;
	k->unpacked = OBSERVER_BODY - unpack_left(k->unpack);
	unpack_close(k->unpack);
	k->unpack = NULL;
}

/* ---- the answer ---- */

void observer_head(struct observer *k, const struct http_head *h, int64_t ns)
{
	(void)ns;
	k->s.status = h->status;
	for (size_t i = 0; i < h->count; i++) {
		answer_stream_header(&k->stream, h->headers[i].name, h->headers[i].value);
		if (str_eq_nocase(h->headers[i].name, STR("content-encoding")))
			k->answer_packing = unpack_kind_of(h->headers[i].value);
	}
}

/* What is held of the answer by now is taken from the room; when none is left, the answer is looked at no more. */
static void count_held(struct observer *k)
{
	size_t held = answer_stream_held(&k->stream) + k->args_held + (k->unpack ? unpack_held(k->unpack) : 0);
	struct budget *room = k->all->room;

	held = held > OBSERVER_SMALL ? held : 0;
	if (held <= k->counted || budget_take(room, held - k->counted)) {
		if (held < k->counted)
			budget_give(room, k->counted - held);
		k->counted = held;
		return;
	}
	k->gave_up = k->lost = true;
	unpack_close(k->unpack);
	k->unpack = NULL;
	answer_stream_skip(&k->stream);
	budget_give(room, k->counted);
	k->counted = 0;
}

void observer_answer(struct observer *k, struct str bytes, const struct observer_arrival *arrivals, size_t count,
		     bool lost)
{
	size_t at = 0;

	if (lost) {
		k->lost = true;
		answer_stream_skip(&k->stream);
	}
	for (size_t i = 0; i <= count && at < bytes.n; i++) {
		size_t end = i < count && arrivals[i].end < bytes.n ? arrivals[i].end : bytes.n;

		if (end <= at)
			continue;
		if (i < count)
			answer_stream_came(&k->stream, arrivals[i].ns);
		if (!k->gave_up)
			read_bytes(k, str_of(bytes.p + at, end - at));
		at = end;
	}
	count_held(k);
}

bool observer_is_over(const struct observer *k)
{
	return !k->api || k->stream.has_done || k->stream.has_error;
}

bool observer_gave_up(const struct observer *k)
{
	return k->gave_up || k->thin;
}

static struct figure estimate(uint64_t bytes)
{
	return (struct figure){ FIGURE_KNOWN, FIGURE_ESTIMATED, (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN };
}

static bool is_api(const struct observer *k, const char *name)
{
	return strcmp(k->api->name, name) == 0;
}

/*
 * What the API did not count is estimated from bytes, and marked so. Copies of an answer say the same: the longest
 * counts.
 */
static void settle_usage(struct observer *k)
{
	struct usage *u = &k->s.usage;
	uint64_t said = 0;

	*u = k->stream.usage;
	k->s.usd = k->stream.usd;
	k->s.tier = k->stream.tier;
	for (size_t i = 0; i < COUNT(k->said_bytes); i++)
		said = k->said_bytes[i] > said ? k->said_bytes[i] : said;
	if (!figure_is_known(u->input))
		u->input = estimate(k->s.failed && said == 0 ? 0 : k->prompt_bytes);
	if (!figure_is_known(u->output))
		u->output = is_api(k, "embeddings") ? FIGURE(0) : estimate(said);
	if (k->api->counts_early && k->s.partial && !k->stream.has_stop && estimate(said).n > u->output.n)
		u->output = estimate(said);
}

/* Whether the answer is all there. */
static bool is_whole(const struct observer *k)
{
	return !k->lost && !k->bad && answer_stream_is_whole(&k->stream, k->s.how == PROXY_WHOLE);
}

/* When it came, and its names. */
static void take_times_and_names(struct observer *k)
{
	const struct answer_stream *a = &k->stream;
	struct str request_id = clean_id(a->request_id);

	k->s.byte_ns = a->byte_ns;
	k->s.token_ns = a->token_ns;
	k->s.content_ns = a->content_ns;
	k->s.model = a->model.p ? a->model : k->s.model;
	k->s.answer = a->id;
	for (size_t i = 0; i < COUNT(k->said) && !k->s.words; i++)
		k->s.words = k->said[i].digest;
	k->s.request_id = request_id.p ? request_id : a->id;
}

void observer_end(struct observer *k, enum proxy_end how, int64_t ns)
{
	k->s.how = how;
	k->s.ended_ns = ns;
	k->s.failed = k->s.status >= 400 || how == PROXY_REFUSED;
	if (k->api)
		answer_stream_end(&k->stream, (struct answer_sink){ take_event, k });
	take_times_and_names(k);
	if (!k->api) {
		k->s.failed = k->s.failed || how == PROXY_CUT;
		return;
	}
	k->s.failed = k->s.failed || k->stream.has_error;
	if (how != PROXY_REFUSED && k->answer_packing != UNPACK_UNKNOWN && k->stream.form != ANSWER_OTHER)
		k->s.partial = !is_whole(k);
	else
		k->s.partial = how == PROXY_CLIENT_LEFT || how == PROXY_CUT;
	if (how == PROXY_CUT && k->s.partial)
		k->s.failed = true;
	if (how == PROXY_WHOLE && k->s.status >= 400)
		k->s.partial = k->lost;
	settle_calls(k);
	k->s.refused = k->stream.refused && !k->s.failed;
	k->s.stop_reason = k->s.failed ? "error" : answer_stream_stop(&k->stream, k->s.call_count);
	k->s.stream = k->s.stream || answer_stream_is_stream(&k->stream);
	settle_usage(k);
	if (k->s.kind == OBSERVED_OTHER && !k->s.failed)
		observer_keep_warm(k);
	observer_keep_blocks(k);
}
