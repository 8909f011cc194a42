/* A socket of the mock: frames in, one answer at a time out, with its delays; messages that come meanwhile wait. */
#include "provider/mock_socket.h"

#include <assert.h>

#include "base/clock.h"
#include "net/websocket/websocket.h"
#include "provider/mock_plain.h"
#include "provider/mock_socket_ask.h"

enum {
	MESSAGE_MOST = 64 << 20,
	WAITING_MOST = 16, /* messages that wait for their turn */
};

struct mock_socket {
	struct mock_visitor visitor; /* first */
	const struct mock_host *host;
	struct request *q; /* NULL when it is gone */
	struct websocket_reader *reader;
	struct websocket_writer *writer;
	struct buf waiting[WAITING_MOST];
	size_t waiting_count;
	struct mock_tellings tellings;
	struct mock_asked asked;
	struct arena own;
	struct mock_answer handshake; /* as the log has it */
	uint64_t begun_ns;
	/* the answer at hand */
	struct arena arena;
	struct mock_answer x;
	struct mock_logged logged;
	bool is_answering, is_timed, is_busy, is_slow, is_closing;
	struct buf events; /* as a stream of plain HTTP would have them */
	enum mock_next next; /* what they are followed by */
	uint64_t due;        /* loop time */
	uv_timer_t timer;
	struct buf out;
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
	websocket_reader_close(s->reader);
	websocket_writer_close(s->writer);
	for (size_t i = 0; i < WAITING_MOST; i++)
		buf_free(&s->waiting[i]);
	mock_tellings_free(&s->tellings);
	mock_asked_free(&s->asked);
	arena_free(&s->arena);
	arena_free(&s->own);
	buf_free(&s->events);
	buf_free(&s->out);
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

/* False: the client is slow, or gone. */
static bool mock_socket_flush(struct mock_socket *s)
{
	bool fast = true;

	if (s->q && s->out.n)
		fast = request_write(s->q, buf_str(&s->out));
	buf_clear(&s->out);
	s->is_slow = !fast;
	return fast && s->q;
}

static void mock_socket_say(struct mock_socket *s, struct str json)
{
	websocket_write(s->writer, &s->out, WEBSOCKET_TEXT, json, 0);
}

/* A close, and no more. */
static void mock_socket_hang_up(struct mock_socket *s, unsigned code, struct str reason)
{
	s->is_closing = true;
	websocket_write_close(s->writer, &s->out, code, reason, 0);
	mock_socket_flush(s);
	if (s->q)
		request_finish(s->q);
}

/* The data of each event is a message. What is left without its blank line was cut off by the script. */
static void say_events(struct mock_socket *s)
{
	struct str left = buf_str(&s->events);
	size_t end;

	while ((end = str_find(left, STR("\n\n"))) != (size_t)-1) {
		struct str event = str_of(left.p, end);
		size_t data = str_find(event, STR("data: "));

		if (data != (size_t)-1)
			mock_socket_say(s, str_skip(event, data + strlen("data: ")));
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
	mock_socket_say(s, buf_str(&b));
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
		mock_socket_say(s, buf_str(&b));
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
	mock_socket_say(s, str_trim(buf_str(&b)));
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
		return mock_socket_flush(s);
	if (s->next == MOCK_DONE && s->x.streamed)
		tell_answer(s, s->x.talk.id);
	mock_socket_flush(s);
	end_answer(s, s->next == MOCK_DONE);
	if (s->next == MOCK_BROKEN && s->q)
		request_abort(s->q);
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
	while (s->is_answering && s->q && !s->is_slow && !s->is_closing) {
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
	struct http_head post = *s->q->head;

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
		mock_socket_flush(s);
}

/* Goes on with whatever can go on. While `is_busy` the request may be told as gone: it is let go at the end. */
static void mock_socket_pump(struct mock_socket *s)
{
	if (s->is_busy)
		return;
	s->is_busy = true;
	for (;;) {
		if (s->is_answering && !s->is_timed)
			answer_on(s);
		if (s->is_answering || !s->waiting_count || !s->q || s->is_slow || s->is_closing)
			break;
		take_turn(s, buf_str(&s->waiting[0]));
		buf_free(&s->waiting[0]);
		s->waiting_count--;
		memmove(s->waiting, s->waiting + 1, s->waiting_count * sizeof(s->waiting[0]));
		buf_init(&s->waiting[s->waiting_count]);
	}
	s->is_busy = false;
	if (!s->q)
		uv_close((uv_handle_t *)&s->timer, mock_socket_free);
}

/* ---- what the client says ---- */

static void mock_socket_take(struct mock_socket *s, const struct websocket_message *m)
{
	if (m->kind == WEBSOCKET_PING) {
		websocket_write(s->writer, &s->out, WEBSOCKET_PONG, m->bytes, 0);
		mock_socket_flush(s);
	} else if (m->kind == WEBSOCKET_CLOSE) {
		mock_socket_hang_up(s, m->code == 1005 ? 1000 : m->code, STR(""));
	} else if (m->kind == WEBSOCKET_TEXT || m->kind == WEBSOCKET_BINARY) {
		if (s->waiting_count == WAITING_MOST)
			mock_socket_hang_up(s, 1008, STR("too many requests at once"));
		else
			buf_add_str(&s->waiting[s->waiting_count++], m->bytes);
	}
}

static void mock_socket_body(struct request *q, struct str bytes)
{
	struct mock_socket *s = q->own;
	struct websocket_message m;
	enum websocket_next next;

	if (s->is_closing)
		return;
	s->is_busy = true;
	while (s->q && !s->is_closing && (next = websocket_next(s->reader, &bytes, &m)) != WEBSOCKET_MORE) {
		if (next == WEBSOCKET_BAD)
			mock_socket_hang_up(s, websocket_code(s->reader), str_from(websocket_why(s->reader)));
		else if (next == WEBSOCKET_TOO_LARGE)
			mock_socket_hang_up(s, 1009, STR("the message is too large"));
		else
			mock_socket_take(s, &m);
	}
	s->is_busy = false;
	mock_socket_pump(s);
}

/* ---- the handshake ---- */

static void refuse_socket(struct mock_socket *s)
{
	static const struct http_header type = { { "Content-Type", 12 }, { "application/json", 16 } };

	s->handshake.status = 426;
	request_reply(s->q, 426, &type, 1,
		      STR("{\"error\":{\"message\":\"the mock script allows no WebSocket\",\"type\":"
			  "\"invalid_request_error\",\"param\":null,\"code\":null}}\n"));
}

static void accept_socket(struct mock_socket *s)
{
	const struct http_head *h = s->q->head;
	struct http_header headers[3] = { { STR("Upgrade"), STR("websocket") } };
	struct websocket_deflate agreed;
	struct buf accept, extensions;

	buf_init(&accept);
	buf_init(&extensions);
	websocket_choose(h, &agreed);
	websocket_add_accept(&accept, http_find(h, STR("sec-websocket-key")));
	websocket_add_extensions(&extensions, &agreed);
	headers[1] = (struct http_header){ STR("Sec-WebSocket-Accept"), buf_str(&accept) };
	headers[2] = (struct http_header){ STR("Sec-WebSocket-Extensions"), buf_str(&extensions) };
	s->handshake.status = 101;
	s->reader = websocket_reader_open(WEBSOCKET_CLIENT, MESSAGE_MOST, &agreed);
	s->writer = websocket_writer_open(WEBSOCKET_SERVER, &agreed);
	request_respond(s->q, 101, headers, agreed.on ? 3 : 2, HTTP_NONE, 0);
	buf_free(&accept);
	buf_free(&extensions);
}

static void mock_socket_end(struct request *q)
{
	struct mock_socket *s = q->own;

	s->is_busy = true;
	if (s->host->refuses || !http_find(q->head, STR("sec-websocket-key")).n)
		refuse_socket(s);
	else
		accept_socket(s);
	s->is_busy = false;
	mock_socket_pump(s);
}

static void mock_socket_drain(struct request *q)
{
	struct mock_socket *s = q->own;

	s->is_slow = false;
	mock_socket_pump(s);
}

static void mock_socket_gone(struct request *q, bool whole)
{
	struct mock_socket *s = q->own;

	s->q = NULL;
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

	*s = (struct mock_socket){ .visitor = { &socket_ops }, .host = host, .q = q, .begun_ns = clock_mono_ns() };
	arena_init(&s->arena);
	arena_init(&s->own);
	s->handshake.path = arena_copy(&s->own, str_cut(q->head->target, '?', &query));
	s->handshake.model = STR("");
	uv_timer_init(host->loop, &s->timer);
	s->timer.data = s;
	++*host->count;
	q->own = s;
}
