/* Reads an instance line by line into causes and steps, then finds the instance that a client means. */
#include "replay/mcp_lane.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/map.h"

/* A question of the server that has no answer yet. */
struct lane_question {
	struct lane_question *next;
	struct mcp_step *step;
	struct mcp_cause *cause;
};

/* What is known of an instance while its lines are read. */
struct lane_reading {
	struct lane_reading *next;
	struct mcp_instance *instance;
	struct mcp_cause **open; /* requests without an answer, oldest first */
	size_t open_count, open_cap;
	struct mcp_cause *latest; /* the client's last message */
	struct lane_question *questions;
};

struct lane_reader {
	struct mcp_lane *lane;
	struct json_parser *parser;
	struct arena scratch;
	struct map known; /* instance to the place in `readings` */
	struct lane_reading **readings;
	size_t count, cap;
	struct mcp_instance **last;
};

/* ---- instances ---- */

static void mcp_lane_begin_cause(struct mcp_cause *c, struct mcp_instance *i)
{
	c->instance = i;
	c->last = &c->first;
}

static struct lane_reading *mcp_lane_reading_of(struct lane_reader *r, const struct tape_message *m)
{
	struct mcp_lane *l = r->lane;
	struct mcp_instance *i;
	bool added;
	uint64_t *at = map_add(&r->known, m->instance.p ? m->instance : STR(""), &added);

	if (!added)
		return r->readings[*at];
	i = arena_new(l->arena, struct mcp_instance);
	i->id = m->instance;
	i->program = m->server;
	i->last = &i->causes;
	mcp_lane_begin_cause(&i->begin, i);
	*r->last = i;
	r->last = &i->next;
	*at = r->count;
	arena_grow(&r->scratch, r->readings, r->count, r->cap, 8);
	r->readings[r->count] = arena_new(&r->scratch, struct lane_reading);
	r->readings[r->count]->instance = i;
	r->readings[r->count]->latest = &i->begin;
	return r->readings[r->count++];
}

static struct mcp_step *mcp_lane_add_step(struct mcp_lane *l, struct mcp_cause *c, enum mcp_step_kind kind,
				      const struct tape_line *line)
{
	struct mcp_step *s = arena_new(l->arena, struct mcp_step);

	s->kind = kind;
	s->line = line;
	*c->last = s;
	c->last = &s->next;
	return s;
}

/* ---- the client's messages ---- */

static struct mcp_cause *mcp_lane_add_cause(struct lane_reader *r, struct lane_reading *g, const struct tape_line *line,
					const struct rpc_message *m)
{
	struct mcp_cause *c = arena_new(r->lane->arena, struct mcp_cause);

	mcp_lane_begin_cause(c, g->instance);
	c->line = line;
	c->message = *m;
	c->at_us = line->begun_us;
	c->key = rpc_key(r->parser, r->lane->arena, line->message.body.bytes);
	*g->instance->last = c;
	g->instance->last = &c->next;
	g->latest = c;
	return c;
}

static struct mcp_cause *mcp_lane_find_open(const struct lane_reading *g, struct str id, size_t *at)
{
	for (size_t i = g->open_count; id.p && i-- > 0;)
		if (str_eq(g->open[i]->message.id, id)) {
			*at = i;
			return g->open[i];
		}
	return NULL;
}

/* The client's answer to a question of the server: what came later waited for it. */
static void mcp_lane_read_reply(struct lane_reader *r, struct lane_reading *g, const struct tape_line *line,
			    const struct rpc_message *m)
{
	struct lane_question **at = &g->questions, *q;
	struct mcp_step *wait;

	while ((q = *at) && !(m->id.p && str_eq(q->step->id, m->id)))
		at = &q->next;
	if (!q)
		return;
	*at = q->next;
	q->step->answer = line;
	wait = mcp_lane_add_step(r->lane, q->cause, MCP_WAIT, line);
	wait->question = q->step;
	g->latest = q->cause;
}

static void mcp_lane_read_client(struct lane_reader *r, struct lane_reading *g, const struct tape_line *line,
			     const struct rpc_message *m)
{
	struct mcp_cause *c;
	size_t at;

	if (m->kind == RPC_RESPONSE) {
		mcp_lane_read_reply(r, g, line, m);
	} else if (m->kind == RPC_REQUEST && !str_eq(m->method, STR("ping"))) {
		c = mcp_lane_add_cause(r, g, line, m);
		arena_grow(&r->scratch, g->open, g->open_count, g->open_cap, 8);
		g->open[g->open_count++] = c;
	} else if (m->kind == RPC_NOTIFICATION || m->kind == RPC_OTHER) {
		mcp_lane_add_cause(r, g, line, m);
		c = mcp_lane_find_open(g, m->cancelled, &at);
		if (c)
			c->cancelled = true;
	}
}

/* ---- the server's messages ---- */

static bool mcp_lane_is_listening(const struct mcp_cause *c)
{
	return str_eq(c->message.method, STR("subscriptions/listen"));
}

/* What a message that names no request belongs to. */
static struct mcp_cause *mcp_lane_choose(const struct lane_reading *g)
{
	for (size_t i = g->open_count; i-- > 0;)
		if (!mcp_lane_is_listening(g->open[i]) && !g->open[i]->cancelled)
			return g->open[i];
	return g->latest;
}

static struct mcp_cause *mcp_lane_find_token(const struct lane_reading *g, struct str token)
{
	struct mcp_cause *found = NULL;

	for (struct mcp_cause *c = g->instance->causes; token.p && c; c = c->next)
		if (c->message.kind == RPC_REQUEST && str_eq(c->message.token, token))
			found = c;
	return found;
}

/* A server cancels its own question, or ends a subscription, whose id is the client's. */
static struct mcp_cause *mcp_lane_find_ended(const struct lane_reading *g, struct str id)
{
	size_t at;

	for (const struct lane_question *q = g->questions; q; q = q->next)
		if (str_eq(q->step->id, id))
			return NULL;
	return mcp_lane_find_open(g, id, &at);
}

static void mcp_lane_read_answer(struct lane_reader *r, struct lane_reading *g, const struct tape_line *line,
			     const struct rpc_message *m)
{
	size_t at = 0;
	struct mcp_cause *c = mcp_lane_find_open(g, m->id, &at);

	if (!c)
		return; /* of a ping, or of nothing that was asked */
	memmove(g->open + at, g->open + at + 1, (g->open_count - at - 1) * sizeof(*g->open));
	g->open_count--;
	c->answer = line;
	mcp_lane_add_step(r->lane, c, MCP_ANSWER, line)->about = c;
}

static void mcp_lane_read_server(struct lane_reader *r, struct lane_reading *g, const struct tape_line *line,
			     const struct rpc_message *m)
{
	struct mcp_cause *about = NULL, *cause;
	struct mcp_step *step;
	struct lane_question *q;
	size_t at;

	if (m->kind == RPC_RESPONSE) {
		mcp_lane_read_answer(r, g, line, m);
		return;
	}
	if (str_eq(m->method, STR("notifications/progress")))
		about = mcp_lane_find_token(g, m->token);
	else if (m->cancelled.p)
		about = mcp_lane_find_ended(g, m->cancelled);
	else if (m->subscription.p)
		about = mcp_lane_find_open(g, m->subscription, &at);
	cause = about && !mcp_lane_is_listening(about) ? about : mcp_lane_choose(g);
	step = mcp_lane_add_step(r->lane, cause, MCP_SEND, line);
	step->about = about;
	if (m->kind != RPC_REQUEST || !m->id.p)
		return;
	step->id = m->id;
	q = arena_new(&r->scratch, struct lane_question);
	*q = (struct lane_question){ .next = g->questions, .step = step, .cause = cause };
	g->questions = q;
}

/* ---- the whole ---- */

static void mcp_lane_read_line(struct lane_reader *r, const struct tape_line *line)
{
	struct lane_reading *g = mcp_lane_reading_of(r, &line->message);
	struct rpc_message m;

	if (line->message.server.n)
		g->instance->name = line->message.server;
	rpc_read(r->parser, r->lane->arena, line->message.body.bytes, &m);
	if (line->message.client)
		mcp_lane_read_client(r, g, line, &m);
	else
		mcp_lane_read_server(r, g, line, &m);
}

static int mcp_lane_cmp_entries(const void *a, const void *b)
{
	const struct match_entry *x = a, *y = b;

	return x->x < y->x ? -1 : x->x > y->x;
}

static void mcp_lane_add_entries(struct mcp_lane *l, struct mcp_instance *i)
{
	i->lane = ARENA_JOIN(l->arena, STR("mcp:"), i->name.p ? i->name : STR(""));
	for (const struct mcp_cause *c = i->causes; c; c = c->next) {
		int64_t end_us = c->answer ? c->answer->begun_us : MATCH_OPEN;

		if (c->message.kind != RPC_REQUEST)
			continue;
		arena_grow(l->arena, l->entries.items, l->entries.count, l->entries.cap, 64);
		l->entries.items[l->entries.count++] = (struct match_entry){
			.q = { .lane = i->lane, .method = c->message.method, .target = STR(""), .body = c->key },
			.answer = c->answer ? c->answer->message.body.bytes : str_of(NULL, 0),
			.x = c->line->x,
			.group = c->line->group,
			.begun_us = c->at_us,
			.ended_us = end_us > c->at_us ? end_us : c->at_us,
			.own = c,
		};
	}
}

struct mcp_lane *mcp_lane_new(struct arena *a, const struct tape *t, const struct lane_ops *ops)
{
	struct mcp_lane *l = arena_new(a, struct mcp_lane);
	struct lane_reader r = { .lane = l, .parser = rpc_parser_open(), .last = &l->instances };

	l->ops = ops;
	l->arena = a;
	arena_init(&r.scratch);
	map_init(&r.known, &r.scratch);
	for (size_t i = 0; i < t->count; i++)
		if (t->lines[i].lane == TAPE_MCP)
			mcp_lane_read_line(&r, &t->lines[i]);
	for (struct mcp_instance *i = l->instances; i; i = i->next)
		mcp_lane_add_entries(l, i);
	if (l->entries.count)
		qsort(l->entries.items, l->entries.count, sizeof(*l->entries.items), mcp_lane_cmp_entries);
	json_parser_close(r.parser);
	arena_free(&r.scratch);
	return l;
}

/* ---- who connects ---- */

#define LANE_WORD 3 /* letters of a word that says something */

static bool mcp_lane_is_letter(char c)
{
	c = ascii_lower(c);
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool mcp_lane_has_word(const struct mcp_caller *who, struct str word)
{
	for (size_t i = 0; i < who->argc; i++)
		if (str_has_nocase(who->argv[i], word))
			return true;
	return false;
}

/* How many words of a server's name stand in the command: "secure-filesystem-server" in "npx server-filesystem". */
static size_t mcp_lane_count_words(const struct mcp_caller *who, struct str name)
{
	static const char *const empty[] = { "server", "mcp", "the", "example", "servers" };
	size_t count = 0;

	while (name.n) {
		size_t n = 0;

		while (n < name.n && mcp_lane_is_letter(name.p[n]))
			n++;
		if (n >= LANE_WORD && !str_is_word_of(str_of(name.p, n), empty, COUNT(empty)))
			count += mcp_lane_has_word(who, str_of(name.p, n));
		name = str_skip(name, n < name.n ? n + 1 : n);
	}
	return count;
}

static const struct mcp_cause *mcp_lane_first_request(const struct mcp_instance *i)
{
	const struct mcp_cause *c = i->causes;

	while (c && c->message.kind != RPC_REQUEST)
		c = c->next;
	return c;
}

static size_t mcp_lane_score(const struct mcp_instance *i, const struct mcp_caller *who, struct str first_key)
{
	const struct mcp_cause *first = mcp_lane_first_request(i);
	size_t score = 0;

	if (who->name.p && str_eq(who->name, i->name))
		score += 100000;
	score += 1000 * mcp_lane_count_words(who, i->name);
	if (who->argc && str_eq(str_basename(who->argv[0]), str_basename(i->program)))
		score += 100;
	if (first && str_eq(first->key, first_key))
		score += 10;
	return score + (i->claims == 0);
}

struct mcp_instance *mcp_lane_find(struct mcp_lane *l, const struct mcp_caller *who, struct str first_key)
{
	struct mcp_instance *best = NULL;
	size_t most = 0;

	for (struct mcp_instance *i = l->instances; i; i = i->next) {
		size_t score = mcp_lane_score(i, who, first_key);

		if (!best || score > most) {
			best = i;
			most = score;
		}
	}
	if (best)
		best->claims++;
	return best;
}

static struct mcp_cause *mcp_lane_find_notification(const struct mcp_instance *i, struct str method, struct str key)
{
	enum rpc_kind kind = method.p ? RPC_NOTIFICATION : RPC_OTHER;
	struct match_difference ignored;
	struct mcp_cause *c = i->causes;
	struct arena scratch;

	arena_init(&scratch);
	while (c && (c->message.kind != kind || c->used || !str_eq(c->message.method, method) ||
		     lane_differ(&scratch, c->key, key, &ignored)))
		c = c->next;
	arena_free(&scratch);
	return c;
}

struct mcp_cause *mcp_lane_use_notification(struct mcp_lane *l, const struct mcp_instance *i, struct str method,
					    struct str key)
{
	struct mcp_cause *c = mcp_lane_find_notification(i, method, key);

	for (const struct mcp_instance *other = l->instances; !c && other; other = other->next)
		if (other != i && str_eq(other->lane, i->lane))
			c = mcp_lane_find_notification(other, method, key);
	if (c)
		c->used = true;
	return c;
}

/* ---- what was not said ---- */

struct lane_unsaid {
	void (*tell)(void *context, const struct mcp_instance *i, const struct tape_line *line, struct str method,
		     bool is_answer);
	void *context;
	struct json_parser *parser;
};

static void mcp_lane_look_at_questions(const struct lane_unsaid *u, const struct mcp_cause *c)
{
	for (const struct mcp_step *s = c->first; s; s = s->next) {
		struct rpc_message m;
		struct arena scratch;

		if (!s->asked || s->answered || !s->answer)
			continue;
		arena_init(&scratch);
		rpc_read(u->parser, &scratch, s->line->message.body.bytes, &m);
		if (!str_eq(m.method, STR("ping")))
			u->tell(u->context, c->instance, s->answer, m.method, true);
		arena_free(&scratch);
	}
}

void mcp_lane_list_unsaid(const struct mcp_lane *l,
			  void (*tell)(void *context, const struct mcp_instance *i, const struct tape_line *line,
				       struct str method, bool is_answer), void *context)
{
	struct lane_unsaid u = { tell, context, rpc_parser_open() };

	for (const struct mcp_instance *i = l->instances; i; i = i->next) {
		mcp_lane_look_at_questions(&u, &i->begin);
		for (const struct mcp_cause *c = i->causes; c; c = c->next) {
			if (!c->used && (c->message.kind == RPC_NOTIFICATION ||
					 (c->message.kind == RPC_OTHER && str_trim(c->line->message.body.bytes).n)))
				tell(context, i, c->line, c->message.method, false);
			mcp_lane_look_at_questions(&u, c);
		}
	}
	json_parser_close(u.parser);
}
