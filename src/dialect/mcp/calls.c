/*
 * Two lists: calls that are open, and questions of the server that wait for an answer. Ids of the two directions are
 * separate, and so are those of two exchanges. All of it is bounded by MCP_CALLS_OPEN.
 */
#include "dialect/mcp/calls.h"

#include "base/crypto/hex.h"
#include "dialect/agent_trace/clean.h"
#include "dialect/record/field.h"
#include "dialect/sighting/hook.h"

#define CALLS_TEXT ((size_t)256) /* of an id or a name; a longer id is known by its digest alone */

/* An id is a string or a number; "1" is not 1. What is kept of it is a digest: nothing else is done with it. */
struct calls_id {
	struct hash hash;
	bool known;
};

struct calls_one {
	struct calls_one *next;
	struct calls_id id, token;
	uint64_t scope;
	uint64_t state;     /* digest of what the server wants back with the next round; 0: nothing */
	struct str name, call, trace, span; /* behind the struct */
	int64_t begun_ns;
	int64_t asked_ns;   /* when its answer asked for something; -1: it is with the server */
	int64_t wait_ns;    /* since when a person is waited for; -1: nobody is */
	int64_t waited_ns;
	size_t questions;   /* of the server, that wait */
	bool told;          /* that it began */
	int64_t *progress;
	size_t progress_count, progress_cap;
};

struct calls_question {
	struct calls_question *next;
	struct calls_id id;
	struct calls_one *call;
};

struct mcp_calls {
	struct mcp_calls_options o;
	struct arena scratch;
	struct calls_one *open; /* the newest first */
	size_t count;
	struct calls_question *questions;
	size_t question_count;
	struct calls_one *ended; /* by the latest message */
	int64_t last_ns;
	bool is_named;           /* by the user */
	bool knows;              /* a name: the user's, or the server's own */
	char server[CALLS_TEXT];
	size_t server_size;
};

/* ---- small things ---- */

static struct calls_id calls_id_of(struct val v)
{
	struct calls_id id = { .known = val_is(v, JSON_STRING) || val_is(v, JSON_NUMBER) };
	int64_t n;

	if (!id.known)
		return id;
	id.hash = str_hash_wide(val_raw(v));
	id.hash.a ^= val_is(v, JSON_STRING);
	if (val_is(v, JSON_NUMBER) && val_i64(v, &n)) /* 1 and 1.0 are one */
		id.hash = str_hash_wide(str_of(&n, sizeof(n)));
	return id;
}

static bool calls_is_same(struct calls_id a, struct calls_id b)
{
	return a.known && b.known && a.hash.a == b.hash.a && a.hash.b == b.hash.b;
}

static void calls_set_server(struct mcp_calls *c, struct str name)
{
	c->server_size = name.n < sizeof(c->server) ? name.n : sizeof(c->server);
	if (c->server_size)
		memcpy(c->server, name.p, c->server_size);
}

struct mcp_calls *mcp_calls_open(const struct mcp_calls_options *o)
{
	struct mcp_calls *c = mem_alloc(sizeof(*c));

	*c = (struct mcp_calls){ .o = *o, .is_named = o->server.n > 0, .knows = o->server.n > 0 };
	arena_init_small(&c->scratch);
	calls_set_server(c, o->server.n ? o->server : o->program);
	return c;
}

static void calls_free_one(struct calls_one *one)
{
	if (!one)
		return;
	mem_free(one->progress);
	mem_free(one);
}

void mcp_calls_close(struct mcp_calls *c)
{
	if (!c)
		return;
	while (c->open) {
		struct calls_one *one = c->open;

		c->open = one->next;
		calls_free_one(one);
	}
	while (c->questions) {
		struct calls_question *q = c->questions;

		c->questions = q->next;
		mem_free(q);
	}
	calls_free_one(c->ended);
	arena_free(&c->scratch);
	mem_free(c);
}

struct str mcp_calls_server(const struct mcp_calls *c)
{
	return str_of(c->server, c->server_size);
}

const int64_t *mcp_calls_progress(const struct mcp_calls *c, size_t *count)
{
	*count = c->ended ? c->ended->progress_count : 0;
	return *count ? c->ended->progress : NULL;
}

bool mcp_read_traceparent(struct str text, struct str *trace, struct str *span)
{
	char bytes[16];
	struct str rest, version = str_cut(text, '-', &rest), flags;
	struct str first = str_cut(rest, '-', &rest), second = str_cut(rest, '-', &flags);

	if (version.n != 2 || first.n != 32 || second.n != 16 || flags.n < 2 || !hex_parse(first, bytes, 16) ||
	    !hex_parse(second, bytes, 8) || str_eq(first, STR("00000000000000000000000000000000")) ||
	    str_eq(second, STR("0000000000000000")))
		return false;
	*trace = first;
	*span = second;
	return true;
}

/* ---- telling ---- */

static struct sighting calls_sighting(const struct mcp_calls *c, const struct calls_one *one, enum sight_kind kind)
{
	struct sighting s = sighting_of(kind, SIGHT_MCP);

	s.call = one->call;
	s.name = one->name;
	s.server = mcp_calls_server(c);
	s.trace = one->trace;
	s.span = one->span;
	return s;
}

static void calls_tell(const struct mcp_calls *c, const struct sighting *s)
{
	c->o.see(c->o.context, s);
}

/* While the server has no name, the trace would have another one for the call: it is told with what comes next. */
static void calls_tell_begin(const struct mcp_calls *c, struct calls_one *one)
{
	struct sighting s = calls_sighting(c, one, SIGHT_TOOL_BEGIN);

	if (one->told)
		return;
	one->told = true;
	s.begun_ns = one->begun_ns;
	calls_tell(c, &s);
}

static void calls_begin_wait(const struct mcp_calls *c, struct calls_one *one, int64_t ns)
{
	struct sighting s = calls_sighting(c, one, SIGHT_WAIT_BEGIN);

	if (one->wait_ns >= 0)
		return;
	calls_tell_begin(c, one);
	one->wait_ns = s.begun_ns = ns;
	calls_tell(c, &s);
}

static void calls_end_wait(const struct mcp_calls *c, struct calls_one *one, int64_t ns)
{
	struct sighting s = calls_sighting(c, one, SIGHT_WAIT_END);

	if (one->wait_ns < 0)
		return;
	one->waited_ns += ns - one->wait_ns;
	one->wait_ns = -1;
	s.ended_ns = ns;
	calls_tell(c, &s);
}

/* ---- calls ---- */

/* Where the first text that the client may put the model's own id under is found: Claude Code, then others. */
static struct str calls_model_id(struct mcp_calls *c, struct val meta)
{
	static const struct str names[] = { WORD("claudecode/toolUseId"), WORD("claude/toolUseId"),
					    WORD("tool_use_id"), WORD("tool_call_id"), WORD("callId") };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct str id = hook_id(&c->scratch, meta, names[i]);

		if (id.n)
			return id;
	}
	return str_of(NULL, 0);
}

/* One piece of memory with its texts. */
/* A request without a name is a call too, that the server refuses: without one its end would find no begin. */
static struct str calls_tool(struct mcp_calls *c, struct val params)
{
	struct str name = hook_name(&c->scratch, params, STR("name"));

	return name.n ? name : STR("unknown");
}

static struct calls_one *calls_new(struct mcp_calls *c, struct val params)
{
	struct val meta = val_get(params, STR("_meta"));
	struct str from[4] = { { NULL, 0 } };
	struct calls_one *one;
	size_t size = sizeof(*one);
	char *text;

	from[0] = calls_tool(c, params);
	from[1] = calls_model_id(c, meta);
	mcp_read_traceparent(val_get_text(meta, STR("traceparent"), &c->scratch), &from[2], &from[3]);
	for (size_t i = 0; i < COUNT(from); i++) {
		from[i].n = from[i].n < CALLS_TEXT ? from[i].n : CALLS_TEXT;
		size += from[i].n;
	}
	one = mem_alloc(size);
	*one = (struct calls_one){ .asked_ns = -1, .wait_ns = -1 };
	text = (char *)(one + 1);
	for (size_t i = 0; i < COUNT(from); i++) {
		struct str *const into[] = { &one->name, &one->call, &one->trace, &one->span };

		if (from[i].n)
			memcpy(text, from[i].p, from[i].n);
		*into[i] = from[i].n ? str_of(text, from[i].n) : str_of(NULL, 0);
		text += from[i].n;
	}
	return one;
}

/* No two calls begin at the same moment: those of one server are told apart by that. */
static int64_t calls_own_moment(struct mcp_calls *c, int64_t ns)
{
	c->last_ns = ns > c->last_ns ? ns : c->last_ns + 1;
	return c->last_ns;
}

static uint64_t calls_state(struct val of)
{
	struct val state = val_get(of, STR("requestState"));

	return val_is(state, JSON_STRING) ? str_hash(val_raw(state)) | 1 : 0;
}

/* The call that a request goes on with: with the state that its answer gave, else the latest of its name. */
static struct calls_one *calls_find_asking(struct mcp_calls *c, struct val params)
{
	uint64_t state = calls_state(params);
	struct str name = calls_tool(c, params);
	struct calls_one *latest = NULL;

	if (!state && !val_is(val_get(params, STR("inputResponses")), JSON_OBJECT))
		return NULL;
	for (struct calls_one *one = c->open; one; one = one->next) {
		if (one->asked_ns < 0 || !str_eq(one->name, name))
			continue;
		if (state && one->state == state)
			return one;
		latest = latest || one->state ? latest : one;
	}
	return latest;
}

static void calls_begin(struct mcp_calls *c, struct val id, struct val params, const struct mcp_said *said)
{
	struct calls_one *one = calls_find_asking(c, params);
	bool again = one != NULL;

	if (again) {
		calls_end_wait(c, one, said->ns);
		one->asked_ns = -1;
	} else {
		if (c->count >= MCP_CALLS_OPEN)
			return;
		one = calls_new(c, params);
		one->begun_ns = calls_own_moment(c, said->ns);
		one->next = c->open;
		c->open = one;
		c->count++;
		if (c->knows)
			calls_tell_begin(c, one);
	}
	one->id = calls_id_of(id);
	one->token = calls_id_of(val_get(val_get(params, STR("_meta")), STR("progressToken")));
	one->scope = said->scope;
}

static void calls_forget_questions(struct mcp_calls *c, const struct calls_one *one)
{
	struct calls_question **at = &c->questions, *q;

	while ((q = *at)) {
		if (q->call != one) {
			at = &q->next;
			continue;
		}
		*at = q->next;
		c->question_count--;
		mem_free(q);
	}
}

/* It is over: told, and kept until the next message. `s` has what its result says. */
static void calls_finish(struct mcp_calls *c, struct calls_one *one, struct sighting *s, int64_t ns)
{
	struct calls_one **at = &c->open;
	int64_t took;

	calls_tell_begin(c, one);
	if (one->asked_ns >= 0)
		ns = one->asked_ns; /* nobody went on with it */
	else
		calls_end_wait(c, one, ns);
	calls_forget_questions(c, one);
	s->begun_ns = one->begun_ns;
	s->ended_ns = ns > one->begun_ns ? ns : one->begun_ns;
	took = s->ended_ns - s->begun_ns;
	if (one->waited_ns > 0)
		s->wall_ns = took > one->waited_ns ? took - one->waited_ns : 0;
	while (*at != one)
		at = &(*at)->next;
	*at = one->next;
	c->count--;
	calls_tell(c, s);
	calls_free_one(c->ended);
	c->ended = one;
}

static void calls_break_off(struct mcp_calls *c, struct calls_one *one, bool failed, int64_t ns)
{
	struct sighting s = calls_sighting(c, one, SIGHT_TOOL_END);

	s.partial = true;
	s.failed = failed;
	calls_finish(c, one, &s, ns);
}

static bool calls_is_with_server(const struct calls_one *one, uint64_t scope)
{
	return one->asked_ns < 0 && (scope == 0 || one->scope == scope);
}

void mcp_calls_end(struct mcp_calls *c, uint64_t scope, bool failed, int64_t ns)
{
	struct calls_one *next;

	for (struct calls_one *one = c->open; one; one = next) {
		next = one->next;
		if (scope == 0 || calls_is_with_server(one, scope))
			calls_break_off(c, one, failed, ns);
	}
}

void mcp_calls_unread(struct mcp_calls *c, uint64_t scope, int64_t ns)
{
	struct calls_one *next;
	size_t count = 0;

	for (struct calls_one *one = c->open; one; one = one->next)
		count += calls_is_with_server(one, scope);
	if (scope == 0 && count > 1)
		return; /* a missing end is better than a wrong one */
	for (struct calls_one *one = c->open; one; one = next) {
		struct sighting s = calls_sighting(c, one, SIGHT_TOOL_END);

		next = one->next;
		if (calls_is_with_server(one, scope))
			calls_finish(c, one, &s, ns);
	}
}

/* Whether an answer asks a person for something; sampling and roots are the client's own affair. */
static bool calls_asks_person(struct val result)
{
	struct val requests = val_get(result, STR("inputRequests")), key, one;
	struct val_iter it = val_begin(requests);

	while (val_is(requests, JSON_OBJECT) && val_next_member(&it, &key, &one))
		if (val_text_is(val_get(one, STR("method")), STR("elicitation/create")))
			return true;
	return false;
}

static void calls_answer(struct mcp_calls *c, struct calls_one *one, struct val message, const struct mcp_said *said)
{
	struct val result = val_get(message, STR("result")), error = val_get(message, STR("error"));
	struct sighting s;

	if (val_text_is(val_get(result, STR("resultType")), STR("input_required"))) {
		one->asked_ns = said->ns;
		one->state = calls_state(result);
		one->id.known = false;
		if (calls_asks_person(result))
			calls_begin_wait(c, one, said->ns);
		return;
	}
	s = calls_sighting(c, one, SIGHT_TOOL_END);
	s.failed = !val_is_unset(error) || val_is(val_get(result, STR("isError")), JSON_TRUE);
	if (val_is_unset(error))
		hook_result(&c->scratch, result, &s);
	else
		hook_result(&c->scratch, val_get(error, STR("message")), &s);
	calls_finish(c, one, &s, said->ns);
}

/* By its id: of the same exchange, else of any (a stream may be taken up again by another one). */
static struct calls_one *calls_find(struct mcp_calls *c, struct calls_id id, uint64_t scope)
{
	struct calls_one *found = NULL;

	for (struct calls_one *one = c->open; one; one = one->next) {
		if (!calls_is_same(one->id, id))
			continue;
		if (one->scope == scope)
			return one;
		found = found ? found : one;
	}
	return found;
}

/* ---- questions of the server ---- */

/* The call that it is asked for: of the same exchange, else the latest that is with the server. */
static struct calls_one *calls_find_with_server(struct mcp_calls *c, uint64_t scope)
{
	struct calls_one *latest = NULL;

	for (struct calls_one *one = c->open; one; one = one->next) {
		if (one->asked_ns >= 0)
			continue;
		if (one->scope == scope)
			return one;
		latest = latest ? latest : one;
	}
	return latest;
}

static void calls_ask(struct mcp_calls *c, struct val id, const struct mcp_said *said)
{
	struct calls_one *one = calls_find_with_server(c, said->scope);
	struct calls_question *q;

	if (!one || c->question_count >= MCP_CALLS_OPEN)
		return;
	q = mem_alloc(sizeof(*q));
	*q = (struct calls_question){ .next = c->questions, .id = calls_id_of(id), .call = one };
	c->questions = q;
	c->question_count++;
	one->questions++;
	calls_begin_wait(c, one, said->ns);
}

/* Answered by the client, or taken back by the server. */
static void calls_answer_question(struct mcp_calls *c, struct calls_id id, int64_t ns)
{
	struct calls_question **at = &c->questions, *q;

	while ((q = *at) && !calls_is_same(q->id, id))
		at = &q->next;
	if (!q)
		return;
	*at = q->next;
	c->question_count--;
	if (--q->call->questions == 0)
		calls_end_wait(c, q->call, ns);
	mem_free(q);
}

/* ---- messages ---- */

static void calls_note_progress(struct mcp_calls *c, struct val params, int64_t ns)
{
	struct calls_id token = calls_id_of(val_get(params, STR("progressToken")));
	struct calls_one *one = c->open;

	while (one && !calls_is_same(one->token, token))
		one = one->next;
	if (!one || !c->o.chunks || one->progress_count >= MCP_CALLS_PROGRESS)
		return;
	mem_grow(one->progress, one->progress_count, one->progress_cap, 8);
	one->progress[one->progress_count++] = ns > one->begun_ns ? (ns - one->begun_ns) / 1000 : 0;
}

static void calls_read_name(struct mcp_calls *c, struct val result)
{
	struct val info = val_get(result, STR("serverInfo"));
	struct str name;

	if (c->is_named)
		return;
	if (!val_is(info, JSON_OBJECT))
		info = val_get(val_get(result, STR("_meta")), STR("io.modelcontextprotocol/serverInfo"));
	name = hook_name(&c->scratch, info, STR("name"));
	if (!name.n || str_eq(name, STR("unknown")))
		return;
	calls_set_server(c, name);
	c->knows = true;
}

static void calls_read_client(struct mcp_calls *c, struct val message, const struct mcp_said *said)
{
	struct val method = val_get(message, STR("method")), id = val_get(message, STR("id"));
	struct val params = val_get(message, STR("params"));
	struct calls_one *one;

	if (val_is_unset(method)) {
		calls_answer_question(c, calls_id_of(id), said->ns);
	} else if (val_text_is(method, STR("tools/call")) && calls_id_of(id).known) {
		calls_begin(c, id, params, said);
	} else if (val_text_is(method, STR("notifications/cancelled"))) {
		one = calls_find(c, calls_id_of(val_get(params, STR("requestId"))), said->scope);
		if (one)
			calls_break_off(c, one, false, said->ns);
	}
}

static void calls_read_server(struct mcp_calls *c, struct val message, const struct mcp_said *said)
{
	struct val method = val_get(message, STR("method")), id = val_get(message, STR("id"));
	struct val params = val_get(message, STR("params"));
	struct calls_one *one;

	if (val_is_unset(method)) {
		calls_read_name(c, val_get(message, STR("result")));
		one = calls_find(c, calls_id_of(id), said->scope);
		if (one)
			calls_answer(c, one, message, said);
	} else if (val_text_is(method, STR("elicitation/create")) && calls_id_of(id).known) {
		calls_ask(c, id, said);
	} else if (val_text_is(method, STR("notifications/progress"))) {
		calls_note_progress(c, params, said->ns);
	} else if (val_text_is(method, STR("notifications/cancelled"))) {
		calls_answer_question(c, calls_id_of(val_get(params, STR("requestId"))), said->ns);
	}
}

static void calls_read_one(struct mcp_calls *c, struct val message, const struct mcp_said *said)
{
	if (!mcp_is_message(message))
		return;
	if (said->sender == MCP_CLIENT)
		calls_read_client(c, message, said);
	else
		calls_read_server(c, message, said);
	arena_reset(&c->scratch);
}

void mcp_calls_read(struct mcp_calls *c, struct val v, const struct mcp_said *said)
{
	calls_free_one(c->ended);
	c->ended = NULL;
	if (!val_is(v, JSON_ARRAY))
		calls_read_one(c, v, said);
	VALUES_EACH(one, v)
		calls_read_one(c, one, said);
}
