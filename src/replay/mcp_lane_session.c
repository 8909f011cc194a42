/*
 * Each message of the client that the tape knows is a run along the steps that it caused. Runs do not wait for each
 * other, only for time (where answers are paced) and for the client's answers to the server's questions.
 */
#include "replay/mcp_lane_session.h"

#include "base/map.h"
#include "json/put.h"

#define SESSION_QUESTIONS 1024 /* of the server, without an answer */

/* Ids of a live request; they live in the session's arena, since later messages may name it. */
struct session_live {
	struct str id, token;
};

struct session_run {
	struct session_run *next;
	const struct mcp_cause *cause;
	struct mcp_step *at;
	int64_t recorded_us; /* when the step before it was */
	uint64_t since_ns;   /* when it was now */
	uint64_t due_ns;     /* UINT64_MAX: it waits for the client */
};

struct session_question {
	struct session_question *next;
	struct mcp_step *step;
};

struct mcp_session {
	struct mcp_session_options o;
	struct mcp_instance *instance; /* NULL: not known yet, or not recorded */
	bool begun;
	struct str lane;
	struct arena arena, scratch;
	struct json_parser *parser;
	struct map asked; /* a recorded request to its live ids */
	struct session_live **live;
	size_t live_count, live_cap;
	struct session_run *runs, **last;
	size_t run_count;
	struct session_question *questions;
	size_t question_count;
};

/* ---- sending ---- */

static const struct lane_ops *session_ops(const struct mcp_session *s)
{
	return s->o.lane->ops;
}

static void session_send(struct mcp_session *s, struct str line)
{
	struct str whole = ARENA_JOIN(&s->scratch, line, STR("\n"));

	s->o.send(s->o.context, whole);
}

static const struct session_live *session_find_live(const struct mcp_session *s, const struct mcp_cause *c)
{
	uint64_t *at = c ? map_find(&s->asked, str_of(&c, sizeof(c))) : NULL;

	return at ? s->live[*at] : NULL;
}

static void session_add_live(struct mcp_session *s, const struct mcp_cause *c, const struct rpc_message *m)
{
	struct session_live *live = arena_new(&s->arena, struct session_live);
	bool added;
	uint64_t *at = map_add(&s->asked, str_of(&c, sizeof(c)), &added);

	live->id = arena_copy(&s->arena, m->id.p ? m->id : STR("null"));
	live->token = m->token.p ? arena_copy(&s->arena, m->token) : m->token;
	*at = s->live_count;
	arena_grow(&s->arena, s->live, s->live_count, s->live_cap, 16);
	s->live[s->live_count++] = live;
}

/* A recorded line as this run has to see it. */
static struct str session_translate(struct mcp_session *s, struct str line, const struct mcp_cause *about)
{
	const struct session_live *live = session_find_live(s, about);
	struct rpc_ids ids = { .id = { NULL, 0 } };

	line = session_ops(s)->translate(session_ops(s)->context, &s->scratch, line);
	if (!live)
		return line;
	ids.id = about->message.id;
	ids.token = about->message.token;
	ids.live_id = live->id;
	ids.live_token = live->token;
	return rpc_rewrite(s->parser, &s->scratch, line, &ids);
}

/* ---- misses ---- */

static void session_put_difference(struct json_writer *w, const struct match_result *r)
{
	if (r->near_count) {
		json_put_text(w, "path", r->difference.path);
		json_put_u64(w, "byte", r->difference.byte);
		json_put_text_or_null(w, "expected", r->difference.expected);
		json_put_text_or_null(w, "got", r->difference.got);
		json_put_text_or_null(w, "hint", r->difference.hint);
	}
	json_put_array(w, "nearest");
	for (size_t i = 0; i < r->near_count; i++) {
		json_write_begin_object(w);
		json_put_u64(w, "x", r->near[i].x);
		json_put_u64(w, "distance", r->near[i].distance);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

/* The error for a request that is not served. `r` NULL: nobody was asked. */
static void session_refuse(struct mcp_session *s, const struct rpc_message *m, const struct match_result *r,
			   const char *class, struct str why)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "jsonrpc", STR("2.0"));
	json_put_raw(&w, "id", m->id.p ? m->id : STR("null"));
	json_put_object(&w, "error");
	json_put_i64(&w, "code", RPC_MISS);
	json_put_text(&w, "message", ARENA_JOIN(&s->scratch, STR("replay_miss: "), why));
	json_put_object(&w, "data");
	json_put_word(&w, "class", class);
	json_put_text(&w, "lane", s->lane);
	json_put_text_or_null(&w, "tool", m->tool);
	if (r)
		session_put_difference(&w, r);
	json_write_end_object(&w);
	json_write_end_object(&w);
	json_write_end_object(&w);
	session_send(s, buf_str(&out));
	buf_free(&out);
	s->o.lane->missed++;
}

static struct divergence session_divergence(const struct mcp_session *s, enum divergence_class class,
					    const struct tape_line *line)
{
	struct divergence d = { .class = class, .seq = -1, .lane = s->lane };

	if (line) {
		d.has_x = true;
		d.x = line->x;
		d.group = line->group;
	}
	return d;
}

/* ---- steps ---- */

static void session_ask_client(struct mcp_session *s, struct mcp_step *step)
{
	struct session_question *q;

	if (s->question_count >= SESSION_QUESTIONS)
		return;
	q = arena_new(&s->arena, struct session_question);
	*q = (struct session_question){ .next = s->questions, .step = step };
	s->questions = q;
	s->question_count++;
	step->asked = true;
}

static bool session_is_asked(const struct mcp_session *s, const struct mcp_step *question)
{
	const struct session_question *q = s->questions;

	while (q && q->step != question)
		q = q->next;
	return q != NULL;
}

static void session_send_step(struct mcp_session *s, const struct mcp_cause *cause, struct mcp_step *step)
{
	const struct session_live *live = session_find_live(s, step->about);
	struct str line = step->line->message.body.bytes;

	if (!line.p) {
		struct rpc_message m = cause->message;

		m.id = live ? live->id : m.id;
		if (step->kind == MCP_ANSWER)
			session_refuse(s, &m, NULL, "protocol", STR("the recorded answer was too long to be kept"));
		return;
	}
	/* the live request asks for no progress */
	if (step->kind == MCP_SEND && step->about && step->about->message.token.p && (!live || !live->token.p) &&
	    str_has(line, STR("notifications/progress")))
		return;
	session_send(s, session_translate(s, line, step->about));
	if (step->id.p)
		session_ask_client(s, step);
}

/* Takes steps until one is not due. True: there are none left. */
static bool session_advance(struct mcp_session *s, struct session_run *r, uint64_t now)
{
	for (; r->at; r->at = r->at->next) {
		struct mcp_step *step = r->at;
		int64_t us = step->line->begun_us - r->recorded_us;

		r->due_ns = UINT64_MAX;
		if (step->kind == MCP_WAIT) {
			if (session_is_asked(s, step->question))
				return false;
			r->since_ns = now;
		} else {
			r->due_ns = r->since_ns + lane_delay_ns(session_ops(s), us > 0 ? (uint64_t)us : 0);
			if (r->due_ns > now)
				return false;
			r->since_ns = now;
			session_send_step(s, r->cause, step);
		}
		r->recorded_us = step->line->begun_us;
	}
	return true;
}

static void session_start(struct mcp_session *s, const struct mcp_cause *c, uint64_t now)
{
	struct session_run *r;

	if (!c->first)
		return;
	r = mem_alloc(sizeof(*r));
	*r = (struct session_run){ .cause = c, .at = c->first, .since_ns = now };
	r->recorded_us = c->line ? c->at_us : c->first->line->begun_us;
	*s->last = r;
	s->last = &r->next;
	s->run_count++;
}

void mcp_session_tick(struct mcp_session *s, uint64_t now_ns)
{
	struct session_run **at = &s->runs, *r;
	bool stopped = session_ops(s)->stopped(session_ops(s)->context);

	while ((r = *at)) {
		if (!stopped && !session_advance(s, r, now_ns)) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		mem_free(r);
		s->run_count--;
	}
	s->last = at;
	arena_reset(&s->scratch);
}

uint64_t mcp_session_due(const struct mcp_session *s)
{
	uint64_t due = UINT64_MAX;

	for (const struct session_run *r = s->runs; r; r = r->next)
		due = r->due_ns < due ? r->due_ns : due;
	return due;
}

/* ---- what the client says ---- */

static void session_begin(struct mcp_session *s, struct str key, uint64_t now)
{
	const struct mcp_caller *who = &s->o.who;

	s->begun = true;
	s->instance = mcp_lane_find(s->o.lane, who, key);
	if (s->instance) {
		s->lane = s->instance->lane;
		session_start(s, &s->instance->begin, now);
	} else {
		s->lane = ARENA_JOIN(&s->arena, STR("mcp:"),
				     who->name.p ? who->name : who->argc ? str_basename(who->argv[0]) : STR(""));
	}
}

/* Only what is on a list of the same lane is asked for, so a hit is a cause of ours. */
static void session_request(struct mcp_session *s, const struct rpc_message *m, struct str key, uint64_t now)
{
	const struct lane_ops *ops = session_ops(s);
	struct match_question q = { .lane = s->lane, .method = m->method, .target = STR(""), .body = key };
	struct match_result r = { .tier = MATCH_MISS };
	struct str why = STR("the tape has no such request");
	const struct mcp_cause *c;

	if (ops->stopped(ops->context)) {
		session_refuse(s, m, NULL, "stopped", STR("the replay stopped at its first divergence"));
		return;
	}
	if (s->run_count >= MCP_SESSION_OPEN) {
		session_refuse(s, m, NULL, "protocol", STR("too many requests are open"));
		return;
	}
	if (!ops->ask(ops->context, &s->scratch, &q, &r, &why) || !r.entry) {
		session_refuse(s, m, &r, lane_miss_class(&r), why);
		return;
	}
	c = r.entry->own;
	s->o.lane->served++;
	if (m->tool.p)
		ops->tool(ops->context, ARENA_JOIN(&s->scratch, str_skip(s->lane, 4), STR("."), m->tool),
			  PLAYER_STUBBED);
	session_add_live(s, c, m);
	session_start(s, c, now);
}

static void session_notification(struct mcp_session *s, const struct rpc_message *m, struct str key, uint64_t now)
{
	struct mcp_cause *c = s->instance ? mcp_lane_use_notification(s->o.lane, s->instance, m->method, key) : NULL;
	struct divergence d;

	if (c) {
		if (s->run_count < MCP_SESSION_OPEN)
			session_start(s, c, now);
		return;
	}
	d = session_divergence(s, DIVERGENCE_EXTRA_CALL, NULL);
	d.fatal = !rpc_is_idle(m->method);
	d.sentence = ARENA_JOIN(&s->scratch, STR("the client sent "), m->method,
				STR(", which the recording does not have there"));
	session_ops(s)->note(session_ops(s)->context, &d);
}

/* The client's answer to a question of the server, held against the recorded one. */
static void session_reply(struct mcp_session *s, const struct rpc_message *m, struct str key)
{
	struct session_question **at = &s->questions, *q;
	const struct tape_line *recorded;
	struct divergence d;
	struct str expected;

	while ((q = *at) && !(m->id.p && str_eq(q->step->id, m->id)))
		at = &q->next;
	if (!q) {
		d = session_divergence(s, DIVERGENCE_PROTOCOL, NULL);
		d.fatal = true;
		d.sentence = STR("the client answered a question that nobody asked");
		session_ops(s)->note(session_ops(s)->context, &d);
		return;
	}
	*at = q->next;
	s->question_count--;
	q->step->answered = true;
	recorded = q->step->answer;
	if (!recorded || !recorded->message.body.bytes.p)
		return;
	d = session_divergence(s, DIVERGENCE_REQUEST_MISMATCH, recorded);
	expected = session_ops(s)->translate(session_ops(s)->context, &s->scratch, recorded->message.body.bytes);
	expected = rpc_key(s->parser, &s->scratch, expected);
	if (!lane_differ(&s->scratch, expected, key, &d.difference))
		return;
	d.fatal = true;
	d.sentence = STR("the client answered a question of the server in another way than in the recording");
	session_ops(s)->note(session_ops(s)->context, &d);
}

static void session_refuse_batch(struct mcp_session *s)
{
	struct rpc_message none = { .kind = RPC_BATCH };
	struct divergence d = session_divergence(s, DIVERGENCE_PROTOCOL, NULL);

	d.fatal = true;
	d.sentence = STR("the client sent a batch, which replay does not serve");
	session_ops(s)->note(session_ops(s)->context, &d);
	session_refuse(s, &none, NULL, "protocol", d.sentence);
}

/* Neither a request nor an answer: a server would refuse it, or pass over it. */
static void session_other(struct mcp_session *s, struct str line)
{
	struct divergence d = session_divergence(s, DIVERGENCE_PROTOCOL, NULL);

	if (!line.n || (s->instance && mcp_lane_use_notification(s->o.lane, s->instance, str_of(NULL, 0), line)))
		return;
	d.fatal = true;
	d.sentence = STR("the client sent a line that is no message of JSON-RPC");
	session_ops(s)->note(session_ops(s)->context, &d);
}

static void session_answer_ping(struct mcp_session *s, const struct rpc_message *m)
{
	session_send(s, ARENA_JOIN(&s->scratch, STR("{\"jsonrpc\":\"2.0\",\"id\":"), m->id.p ? m->id : STR("null"),
				   STR(",\"result\":{}}")));
}

void mcp_session_line(struct mcp_session *s, struct str line, uint64_t now_ns)
{
	struct rpc_message m;
	struct str key;

	line = lane_redact(session_ops(s), &s->scratch, str_trim(line));
	rpc_read(s->parser, &s->scratch, line, &m);
	key = rpc_key(s->parser, &s->scratch, line);
	if (!s->begun && (m.kind == RPC_REQUEST || m.kind == RPC_NOTIFICATION) && !str_eq(m.method, STR("ping")))
		session_begin(s, key, now_ns);
	if (m.kind == RPC_BATCH)
		session_refuse_batch(s);
	else if (m.kind == RPC_REQUEST && str_eq(m.method, STR("ping")))
		session_answer_ping(s, &m);
	else if (m.kind == RPC_REQUEST)
		session_request(s, &m, key, now_ns);
	else if (m.kind == RPC_NOTIFICATION)
		session_notification(s, &m, key, now_ns);
	else if (m.kind == RPC_RESPONSE)
		session_reply(s, &m, key);
	else
		session_other(s, key);
	mcp_session_tick(s, now_ns); /* and what of it is at hand is forgotten */
}

/* ---- the whole ---- */

struct mcp_session *mcp_session_open(const struct mcp_session_options *o)
{
	struct mcp_session *s = mem_alloc(sizeof(*s));
	struct str *argv;

	*s = (struct mcp_session){ .o = *o, .last = &s->runs, .lane = STR("mcp:") };
	arena_init(&s->arena);
	arena_init(&s->scratch);
	map_init(&s->asked, &s->arena);
	s->parser = rpc_parser_open();
	argv = arena_array(&s->arena, struct str, o->who.argc + 1);
	for (size_t i = 0; i < o->who.argc; i++)
		argv[i] = arena_copy(&s->arena, o->who.argv[i]);
	s->o.who.argv = argv;
	if (o->who.name.p)
		s->o.who.name = arena_copy(&s->arena, o->who.name);
	return s;
}

void mcp_session_close(struct mcp_session *s)
{
	if (!s)
		return;
	while (s->runs) {
		struct session_run *r = s->runs;

		s->runs = r->next;
		mem_free(r);
	}
	json_parser_close(s->parser);
	arena_free(&s->scratch);
	arena_free(&s->arena);
	mem_free(s);
}
