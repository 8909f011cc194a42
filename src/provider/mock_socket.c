/* A socket of the mock: frames in, one answer at a time out, with its delays; messages that come meanwhile wait. */
#include "provider/mock_socket.h"

#include <assert.h>

#include "base/clock.h"
#include "net/server/socket.h"
#include "provider/mock_plain.h"
#include "provider/mock_socket_ask.h"

#define MESSAGE_MOST ((size_t)64 << 20)

struct mock_socket {
	struct mock_visitor visitor; /* first */
	const struct mock_host *host;
	struct server_socket talk;
	struct mock_tellings tellings;
	struct mock_asked asked;
	struct arena own;
	struct mock_answer handshake; /* as the log has it */
	uint64_t begun_ns;
	/* the answer at hand */
	struct arena arena;
	struct mock_answer x;
	struct mock_logged logged;
	bool is_answering, is_timed, is_busy;
	struct buf events; /* as a stream of plain HTTP would have them */
	enum mock_next next; /* what they are followed by */
	uint64_t due;        /* loop time */
	uv_timer_t timer;
};

bool mock_socket_wants(const struct http_head *h)
{
	struct str query;

	return websocket_is_asked(h) && str_eq(h->method, STR("GET")) &&
	       str_ends(str_cut(h->target, '?', &query), STR("/responses"));
}

/* ---- the end ---- */

static void mock_socket_free(uv_handle_t *timer)
{
	struct mock_socket *s = timer->data;

	assert(*s->host->count > 0);
	--*s->host->count;
	server_socket_free(&s->talk);
	mock_tellings_free(&s->tellings);
	mock_asked_free(&s->asked);
	arena_free(&s->arena);
	arena_free(&s->own);
	buf_free(&s->events);
	mem_free(s);
}

/* The request for the socket, when that is over. */
static void log_handshake(struct mock_socket *s, bool whole)
{
	struct mock_logged l = { .method = STR("GET"), .answer = &s->handshake, .answered = s->handshake.status != 0,
				 .whole = whole, .begun_ns = s->begun_ns, .arrived_ns = s->begun_ns };

	s->host->log(s->host->context, &l);
}

/* ---- sending ---- */

/* The data of each event is a message. What is left without its blank line was cut off by the script. */
static void say_events(struct mock_socket *s)
{
	struct str left = buf_str(&s->events);
	size_t end;

	while ((end = str_find(left, STR("\n\n"))) != (size_t)-1) {
		struct str event = str_of(left.p, end);
		size_t data = str_find(event, STR("data: "));

		if (data != (size_t)-1)
			server_socket_say(&s->talk, str_skip(event, data + strlen("data: ")));
		left = str_skip(left, end + 2);
	}
	buf_clear(&s->events);
}

static void say_error(struct mock_socket *s, int status, const char *code, struct str message)
{
	struct buf b;

	buf_init(&b);
	mock_json_add(&b,
		      "{'type':'error','status':%u,'error':{'type':'invalid_request_error','code':%w,'message':%s,"
		      "'param':null}}",
		      (uint64_t)status, code, message);
	server_socket_say(&s->talk, buf_str(&b));
	buf_free(&b);
}

/* ---- answers ---- */

/* Later requests may go on from it. */
static void tell_answer(struct mock_socket *s, const char *digits)
{
	struct buf id;

	buf_init(&id);
	mock_json_add(&id, "%i", "resp_", digits, (uint64_t)0);
	mock_tellings_add(&s->tellings, str_of(id.p + 1, id.n - 2), buf_str(&s->asked.items));
	buf_free(&id);
}

static void end_answer(struct mock_socket *s, bool whole)
{
	s->is_answering = false;
	s->logged.whole = whole;
	s->logged.answer = &s->x;
	s->host->log(s->host->context, &s->logged);
	arena_reset(&s->arena);
}

static void prewarm(struct mock_socket *s, struct str message)
{
	static const char *const steps[] = { "in_progress", "completed" };
	static const char *const types[] = { "response.created", "response.completed" };
	char digits[SHA256_HEX];
	struct buf b;

	buf_init(&b);
	digest_hex(digits, sha256_of(&s->host->maker->sha, message));
	for (size_t i = 0; i < COUNT(steps); i++) {
		buf_clear(&b);
		mock_json_add(&b,
			      "{'type':%w,'sequence_number':%u,'response':{'id':%i,'object':'response','status':%w,"
			      "'model':%s,'output':[],'usage':",
			      types[i], (uint64_t)i, "resp_", digits, (uint64_t)0, steps[i], s->asked.model);
		mock_json_add(&b, i ? "{'input_tokens':0,'output_tokens':0,'total_tokens':0}}}" : "null}}");
		server_socket_say(&s->talk, buf_str(&b));
	}
	tell_answer(s, digits);
	buf_free(&b);
}

/* An error that would have been an answer of its own is an event. */
static void say_refusal(struct mock_socket *s)
{
	struct buf b;

	buf_init(&b);
	mock_json_add(&b, "{'type':'error','status':%u,", (uint64_t)s->x.status);
	buf_add_str(&b, s->x.body.n ? str_skip(s->x.body, 1) : STR("}"));
	server_socket_say(&s->talk, str_trim(buf_str(&b)));
	buf_free(&b);
}

/* What was made goes out. True when there is more to make. */
static bool mock_socket_go_on(struct mock_socket *s)
{
	if (s->x.streamed)
		say_events(s);
	else if (s->next == MOCK_MORE)
		say_refusal(s);
	buf_clear(&s->events);
	if (s->x.has_words && !s->logged.first_ns)
		s->logged.first_ns = clock_mono_ns();
	if (s->next == MOCK_MORE)
		return server_socket_flush(&s->talk);
	if (s->next == MOCK_DONE && s->x.streamed)
		tell_answer(s, s->x.talk.id);
	server_socket_flush(&s->talk);
	end_answer(s, s->next == MOCK_DONE);
	if (s->next == MOCK_BROKEN && s->talk.q)
		request_abort(s->talk.q);
	return false;
}

static void mock_socket_pump(struct mock_socket *s);

static void mock_socket_timer(uv_timer_t *timer)
{
	struct mock_socket *s = timer->data;

	s->is_timed = false;
	mock_socket_pump(s);
}

/* Makes and sends until something is to be waited for: time, a slow client, the end of the answer. */
static void answer_on(struct mock_socket *s)
{
	while (s->is_answering && s->talk.q && !s->talk.is_slow && !s->talk.is_closing) {
		if (s->due > uv_now(s->host->loop)) {
			s->is_timed = true;
			uv_timer_start(&s->timer, mock_socket_timer, s->due - uv_now(s->host->loop), 0);
			return;
		}
		if (s->events.n || s->next != MOCK_MORE) {
			if (!mock_socket_go_on(s))
				continue;
		}
		if (s->is_answering) {
			uint64_t delay_ms;

			s->next = mock_answer_next(&s->x, &s->events, &delay_ms);
			s->due += delay_ms;
		}
	}
}

/* The request that plain HTTP would have had. */
static void mock_socket_answer(struct mock_socket *s)
{
	struct http_head post = *s->talk.q->head;

	post.method = STR("POST");
	s->logged = (struct mock_logged){ .method = STR("WS"), .answered = true, .begun_ns = clock_mono_ns() };
	s->logged.arrived_ns = s->logged.begun_ns;
	mock_answer_make(s->host->maker, &s->arena, &post, buf_str(&s->asked.body), &s->x);
	s->is_answering = true;
	s->next = MOCK_MORE;
	s->due = uv_now(s->host->loop) + s->x.delay_ms;
}

static void take_turn(struct mock_socket *s, struct str message)
{
	enum mock_ask asked = mock_socket_ask(&s->tellings, s->host->maker->parser, &s->arena, message, &s->asked);

	if (asked == MOCK_ASK_ANSWER)
		mock_socket_answer(s);
	else if (asked == MOCK_ASK_PREWARM)
		prewarm(s, message);
	else
		say_error(s, 400, s->asked.code, str_from(s->asked.why));
	if (asked != MOCK_ASK_ANSWER)
		server_socket_flush(&s->talk);
}

/* Goes on with whatever can go on. While `is_busy` the request may be told as gone: it is let go at the end. */
static void mock_socket_pump(struct mock_socket *s)
{
	struct buf message;

	if (s->is_busy)
		return;
	s->is_busy = true;
	buf_init(&message);
	for (;;) {
		if (s->is_answering && !s->is_timed)
			answer_on(s);
		if (s->is_answering || !s->talk.q || s->talk.is_slow || s->talk.is_closing ||
		    !server_socket_next(&s->talk, &message))
			break;
		take_turn(s, buf_str(&message));
	}
	buf_free(&message);
	s->is_busy = false;
	if (!s->talk.q)
		uv_close((uv_handle_t *)&s->timer, mock_socket_free);
}

/* ---- what the client says ---- */

static void mock_socket_body(struct request *q, struct str bytes)
{
	struct mock_socket *s = q->own;
	const char *why;

	if (s->talk.is_closing)
		return;
	s->is_busy = true;
	(void)server_socket_hear(&s->talk, bytes, &why);
	s->is_busy = false;
	mock_socket_pump(s);
}

/* ---- the handshake ---- */

static void refuse_socket(struct mock_socket *s)
{
	static const struct http_header type = { { "Content-Type", 12 }, { "application/json", 16 } };

	s->handshake.status = 426;
	request_reply(s->talk.q, 426, &type, 1,
		      STR("{\"error\":{\"message\":\"the mock script allows no WebSocket\",\"type\":"
			  "\"invalid_request_error\",\"param\":null,\"code\":null}}\n"));
}

static void mock_socket_end(struct request *q)
{
	struct mock_socket *s = q->own;

	s->is_busy = true;
	if (s->host->refuses || !http_find(q->head, STR("sec-websocket-key")).n) {
		refuse_socket(s);
	} else {
		s->handshake.status = 101;
		server_socket_accept(&s->talk, MESSAGE_MOST);
	}
	s->is_busy = false;
	mock_socket_pump(s);
}

static void mock_socket_drain(struct request *q)
{
	struct mock_socket *s = q->own;

	s->talk.is_slow = false;
	mock_socket_pump(s);
}

static void mock_socket_gone(struct request *q, bool whole)
{
	struct mock_socket *s = q->own;

	s->talk.q = NULL;
	if (s->is_answering)
		end_answer(s, false);
	log_handshake(s, whole);
	uv_timer_stop(&s->timer);
	s->is_timed = false;
	mock_socket_pump(s);
}

static const struct server_ops socket_ops = {
	.body = mock_socket_body,
	.end = mock_socket_end,
	.drain = mock_socket_drain,
	.gone = mock_socket_gone,
};

void mock_socket_begin(const struct mock_host *host, struct request *q)
{
	struct mock_socket *s = mem_alloc(sizeof(*s));
	struct str query;

	*s = (struct mock_socket){ .visitor = { &socket_ops }, .host = host, .talk.q = q,
				   .begun_ns = clock_mono_ns() };
	arena_init(&s->arena);
	arena_init(&s->own);
	s->handshake.path = arena_copy(&s->own, str_cut(q->head->target, '?', &query));
	s->handshake.model = STR("");
	uv_timer_init(host->loop, &s->timer);
	s->timer.data = s;
	++*host->count;
	q->own = s;
}
