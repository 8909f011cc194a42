#include "capture/look_run.h"

#include "dialect/agent_trace_clean.h"
#include "dialect/exchange_http.h"
#include "dialect/field.h"

#define UNUSED_MOST 64               /* looks kept for later */
#define BYTES_PER_TOKEN 4

/* ---- the parsers ---- */

struct looks *looks_open(struct budget *room)
{
	struct looks *l = mem_alloc(sizeof(*l));

	*l = (struct looks){ .room = room };
	answer_parser_init(&l->parser);
	l->content = json_parser_open((struct json_options){ .max_values = LOOK_INNER, .allow_duplicates = true,
							     .allow_lone = true });
	buf_init(&l->unpacked);
	return l;
}

static void free_look(struct look *k)
{
	answer_stream_free(&k->stream);
	arena_free(&k->arena);
	arena_free(&k->history);
	mem_free(k);
}

void looks_close(struct looks *l)
{
	if (!l)
		return;
	while (l->unused) {
		struct look *k = l->unused;

		l->unused = k->next;
		free_look(k);
	}
	answer_parser_free(&l->parser);
	json_parser_close(l->content);
	buf_free(&l->unpacked);
	mem_free(l);
}

struct str look_keep(struct look *k, struct str text)
{
	if (!text.p || text.n == 0)
		return str_of(NULL, 0);
	return arena_copy(&k->arena, str_of(text.p, text.n < LOOK_TEXT ? text.n : LOOK_TEXT));
}

/* ---- the head of the request ---- */

static bool is_same(struct str a, struct str lower)
{
	for (size_t i = 0; i < a.n && a.n == lower.n; i++)
		if ((a.p[i] >= 'A' && a.p[i] <= 'Z' ? (char)(a.p[i] | 0x20) : a.p[i]) != lower.p[i])
			return false;
	return a.n == lower.n;
}

static bool has_word(struct str text, struct str lower)
{
	for (size_t i = 0; i + lower.n <= text.n; i++)
		if (is_same(str_of(text.p + i, lower.n), lower))
			return true;
	return false;
}

/* The framework that a client names in its User-Agent. */
static struct str framework_of(struct str agent)
{
	static const struct {
		struct str word, framework;
	} known[] = {
		{ WORD("claude-cli"), WORD("claude_code") }, { WORD("claude-code"), WORD("claude_code") },
		{ WORD("langgraph"), WORD("langgraph") },    { WORD("langchain"), WORD("langgraph") },
		{ WORD("crewai"), WORD("crewai") },          { WORD("autogen"), WORD("autogen") },
		{ WORD("cursor"), WORD("cursor_sdk") },
	};

	for (size_t i = 0; i < COUNT(known); i++)
		if (has_word(agent, known[i].word))
			return known[i].framework;
	return str_of(NULL, 0);
}

static void read_head(struct look *k, const struct http_head *h)
{
	static const struct str names[] = {
		WORD("x-claude-code-session-id"), WORD("x-claude-code-agent-id"), WORD("x-claude-code-parent-agent-id"),
	};
	struct str *const into[] = { &k->s.session, &k->s.agent, &k->s.parent_agent };
	struct str user_agent = { NULL, 0 };

	for (size_t i = 0; i < h->count; i++) {
		const struct http_header *header = &h->headers[i];

		for (size_t n = 0; n < COUNT(names); n++)
			if (is_same(header->name, names[n]))
				*into[n] = look_keep(k, clean_id(header->value));
		if (is_same(header->name, STR("content-encoding")))
			k->request_packing = unpack_kind_of(header->value);
		else if (is_same(header->name, STR("user-agent")))
			user_agent = header->value;
	}
	k->s.framework = k->s.session.p ? STR("claude_code") : framework_of(user_agent);
	k->post = str_eq(h->method, STR("POST"));
}

static struct look *new_look(struct looks *l)
{
	struct look *k = l->unused;

	if (k) {
		l->unused = k->next;
		l->unused_count--;
		return k;
	}
	k = mem_alloc(sizeof(*k));
	memset(k, 0, sizeof(*k));
	k->all = l;
	arena_init(&k->arena);
	arena_init(&k->history);
	answer_stream_init(&k->stream, &l->parser, LOOK_EVENT, LOOK_BODY);
	return k;
}

struct look *look_open(struct looks *l, const struct look_begin *b)
{
	struct look *k = new_look(l);

	k->s = (struct sight){
		.number = b->number,
		.kind = SIGHT_OPAQUE,
		.provider = b->provider,
		.endpoint = arena_copy(&k->arena, b->endpoint),
		.endpoint_own = b->endpoint_own,
		.begun_ns = b->ns,
		.sent_ns = b->ns,
	};
	k->path = exchange_http_path(k->s.endpoint);
	read_head(k, b->head);
	k->asked = str_hash(b->head->method) ^ str_hash(k->s.endpoint) * 3;
	return k;
}

/* All that is of one exchange is forgotten; buffers are kept unless they grew large. */
static void clear_look(struct look *k)
{
	struct look clean = { .all = k->all };

	unpack_close(k->unpack);
	arena_reset(&k->arena);
	arena_reset(&k->history);
	answer_stream_reset(&k->stream);
	budget_give(k->all->room, k->counted + k->history_counted);
	clean.arena = k->arena;
	clean.history = k->history;
	clean.stream = k->stream;
	*k = clean;
}

void look_close(struct look *k)
{
	struct looks *l;

	if (!k)
		return;
	l = k->all;
	clear_look(k);
	if (l->unused_count >= UNUSED_MOST) {
		free_look(k);
		return;
	}
	k->next = l->unused;
	l->unused = k;
	l->unused_count++;
}

static void add_piece(void *out, struct str piece)
{
	buf_add_str(out, piece);
}

/* The messages of a request are kept until its answer has ended, so they too are taken from the room. */
static void count_history(struct look *k)
{
	size_t held = k->history.used > LOOK_SMALL ? k->history.used : 0;

	if (budget_take(k->all->room, held)) {
		k->history_counted = held;
		return;
	}
	k->thin = true;
	k->s.message_count = k->s.result_count = 0;
	arena_reset(&k->history);
}

void look_request(struct look *k, struct str body, bool lost, int64_t ns)
{
	struct buf *out = &k->all->unpacked;
	struct unpack *u;

	k->s.sent_ns = ns;
	if (lost || k->request_packing == UNPACK_UNKNOWN) {
		look_read_request(k, str_of("", 0));
		k->s.digest = k->s.number; /* of which nothing is known but that it is none of the others */
	} else if (k->request_packing == UNPACK_PLAIN) {
		look_read_request(k, body);
	} else {
		buf_clear(out);
		u = unpack_open(k->request_packing, LOOK_BODY);
		unpack_push(u, body, (struct unpack_sink){ add_piece, out });
		unpack_close(u);
		look_read_request(k, buf_str(out));
		buf_free(out);
		buf_init(out);
	}
	count_history(k);
	if (!k->s.framework.p && k->api)
		k->s.framework = str_from(exchange_framework(k->api, k->path));
}

/* ---- the answer ---- */

void look_head(struct look *k, const struct http_head *h, int64_t ns)
{
	(void)ns;
	k->s.status = h->status;
	for (size_t i = 0; i < h->count; i++) {
		const struct http_header *header = &h->headers[i];

		if (!k->s.request_id.p && exchange_http_is_id(header->name))
			k->s.request_id = look_keep(k, clean_id(header->value));
		if (is_same(header->name, STR("content-encoding")))
			k->answer_packing = unpack_kind_of(header->value);
		if (is_same(header->name, STR("content-type"))) {
			k->stream.sse_type = has_word(header->value, STR("event-stream"));
			k->stream.lines_type = has_word(header->value, STR("ndjson")) ||
					       has_word(header->value, STR("jsonl")) ||
					       has_word(header->value, STR("stream+json"));
		}
	}
}

/* What is held of the answer by now is taken from the room; when none is left, the answer is looked at no more. */
static void count_held(struct look *k)
{
	size_t held = answer_stream_held(&k->stream) + (k->unpack ? unpack_held(k->unpack) : 0);
	struct budget *room = k->all->room;

	held = held > LOOK_SMALL ? held : 0;
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

void look_answer(struct look *k, struct str bytes, const struct look_arrival *arrivals, size_t count, bool lost)
{
	size_t at = 0;

	if (lost) {
		k->lost = true;
		answer_stream_skip(&k->stream);
	}
	for (size_t i = 0; i <= count && at < bytes.n; i++) {
		size_t end = i < count && arrivals[i].end < bytes.n ? arrivals[i].end : bytes.n;

		if (i < count)
			k->ns = arrivals[i].ns;
		if (end <= at)
			continue;
		if (!k->s.byte_ns)
			k->s.byte_ns = k->ns;
		if (!k->gave_up)
			look_read_answer(k, str_of(bytes.p + at, end - at));
		at = end;
	}
	count_held(k);
}

bool look_gave_up(const struct look *k)
{
	return k->gave_up || k->thin;
}

static struct figure estimate(uint64_t bytes)
{
	return (struct figure){ FIGURE_KNOWN, FIGURE_ESTIMATED, (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN };
}

static bool is_api(const struct look *k, const char *name)
{
	return strcmp(k->api->name, name) == 0;
}

static void settle_usage(struct look *k)
{
	uint64_t said = k->said_bytes[0];
	struct usage *u = &k->s.usage;

	for (size_t i = 1; i < COUNT(k->said_bytes); i++)
		said = k->said_bytes[i] > said ? k->said_bytes[i] : said;
	if (!figure_is_known(u->input))
		u->input = estimate(k->s.failed && said == 0 ? 0 : k->prompt_bytes);
	if (!figure_is_known(u->output))
		u->output = is_api(k, "embeddings") ? FIGURE(0) : estimate(said);
	if (k->api->counts_early && k->s.partial && !k->stream.has_stop && estimate(said).n > u->output.n)
		u->output = estimate(said);
}

/* Whether the answer is all there. */
static bool is_whole(const struct look *k)
{
	return !k->lost && !k->bad && answer_stream_is_whole(&k->stream, k->s.stream, k->s.how == PROXY_WHOLE);
}

void look_end(struct look *k, enum proxy_end how, int64_t ns)
{
	k->ns = ns;
	k->s.how = how;
	k->s.ended_ns = ns;
	k->s.failed = k->s.status >= 400 || how == PROXY_REFUSED;
	if (!k->api) {
		k->s.failed = k->s.failed || how == PROXY_CUT;
		return;
	}
	look_read_rest(k);
	k->s.usage = k->stream.usage;
	k->s.stop_reason = k->stream.stop_reason;
	k->s.refused = k->stream.refused;
	k->s.failed = k->s.failed || k->stream.has_error;
	if (how != PROXY_REFUSED && k->answer_packing != UNPACK_UNKNOWN && k->stream.form != ANSWER_OTHER)
		k->s.partial = !is_whole(k);
	else
		k->s.partial = how == PROXY_CLIENT_LEFT || how == PROXY_CUT;
	if (how == PROXY_CUT && k->s.partial)
		k->s.failed = true;
	if (how == PROXY_WHOLE && k->s.status >= 400)
		k->s.partial = k->lost;
	look_settle_calls(k);
	k->s.refused = k->s.refused && !k->s.failed;
	if (k->s.failed)
		k->s.stop_reason = "error";
	else if (k->s.call_count && k->s.stop_reason && strcmp(k->s.stop_reason, "end_turn") == 0)
		k->s.stop_reason = "tool_use";
	k->s.stream = k->s.stream || k->stream.form == ANSWER_EVENTS;
	if (!k->s.request_id.p)
		k->s.request_id = k->s.answer;
	settle_usage(k);
}

const struct sight *look_sight(const struct look *k)
{
	return &k->s;
}
