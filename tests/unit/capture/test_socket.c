#include "capture/socket.h"

#include "harness/test.h"

/* What a sink was told, as a text: "N<body " for a request, "N>body " for a piece, "N. " for an end. */
struct scene {
	struct answer_parser parser;
	struct budget room;
	struct route route;
	struct buf told, headers;
	struct socket *socket;
	struct websocket_writer *client, *server;
	struct websocket_deflate agreed;
	unsigned next;
	bool over; /* the last piece says so */
	int64_t ns;
};

static const char *const ends[] = { [PROXY_WHOLE] = ".", [PROXY_CLIENT_LEFT] = "left.", [PROXY_CUT] = "cut.", [PROXY_REFUSED] = "?" };

static void take(void *context, struct handoff *w)
{
	struct scene *s = context;

	if (w->is_request) {
		w->exchange->own = (void *)(uintptr_t)++s->next;
		CHECK_STR(w->head->method, STR("POST"));
		CHECK_STR(w->target, STR("/v1/responses?a=b"));
		CHECK(w->route == &s->route && w->socket == 7);
		buf_clear(&s->headers);
		for (size_t i = 0; i < w->head->count; i++)
			buf_printf(&s->headers, "%.*s=%.*s ", STR_ARG(w->head->headers[i].name), STR_ARG(w->head->headers[i].value));
	}
	buf_printf(&s->told, "%u%s", (unsigned)(uintptr_t)w->exchange->own, w->is_request ? "<" : w->is_end ? "" : ">");
	if (w->lost)
		buf_add_str(&s->told, STR("LOST"));
	buf_add_str(&s->told, str_trim(buf_str(&w->body)));
	buf_printf(&s->told, "%s ", w->is_end ? ends[w->how] : "");
	CHECK(!w->head || w->is_request || w->head->status == 200);
	CHECK(w->ns > 0 && (!w->is_request || (w->head_ns > 0 && w->head_ns <= w->ns)));
	CHECK_INT(w->arrival_count, w->body.n && !w->is_request);
	s->over = str_has(buf_str(&w->body), STR("done"));
	if (w->is_end)
		mem_free(w->exchange);
	handoff_free(w);
}

static bool is_over(void *context, const struct handoff_exchange *x)
{
	(void)x;
	return ((struct scene *)context)->over;
}

static struct http_header asked[] = { { { "Host", 4 }, { "h", 1 } },
				      { { "Upgrade", 7 }, { "websocket", 9 } },
				      { { "Sec-WebSocket-Key", 17 }, { "k", 1 } },
				      { { "x-thread", 8 }, { "old", 3 } },
				      { { "session-id", 10 }, { "s1", 2 } } };
static const struct http_head asking = { .side = HTTP_REQUEST, .method = { "GET", 3 }, .headers = asked, .count = 5, .upgrade = true };

static void open_scene(struct scene *s, const char *extensions, size_t room)
{
	struct http_header answered[] = { { STR("Sec-WebSocket-Extensions"), str_from(extensions) } };
	struct http_head answer = { .status = 101, .headers = answered, .count = extensions[0] != '\0' };
	struct http_head head = asking;
	struct handoff request = { .head = &head, .target = STR("/v1/responses?a=b"), .route = &s->route };

	*s = (struct scene){ .room = { .limit = room }, .ns = 100 };
	answer_parser_init(&s->parser);
	s->socket = socket_open(&request, 7, &s->parser, &s->room, (struct socket_sink){ take, is_over, s });
	websocket_agreed(&answer, &s->agreed);
	s->client = websocket_writer_open(WEBSOCKET_CLIENT, &s->agreed);
	s->server = websocket_writer_open(WEBSOCKET_SERVER, &s->agreed);
	CHECK(socket_begin(s->socket, &answer));
}

static void close_scene(struct scene *s)
{
	socket_close(s->socket);
	CHECK_INT(s->room.used, 0);
	websocket_writer_close(s->client), websocket_writer_close(s->server);
	answer_parser_free(&s->parser);
	buf_free(&s->told), buf_free(&s->headers);
}

static void push(struct scene *s, bool from_client, struct str bytes, size_t piece)
{
	for (size_t at = 0; at < bytes.n; at += piece)
		socket_push(s->socket, str_of(bytes.p + at, bytes.n - at < piece ? bytes.n - at : piece), from_client, false, s->ns++);
}

static void say(struct scene *s, bool from_client, const char *text, size_t piece)
{
	struct buf b = { 0 };

	websocket_write(from_client ? s->client : s->server, &b, WEBSOCKET_TEXT, str_from(text), 0x01020304);
	push(s, from_client, buf_str(&b), piece);
	buf_free(&b);
}

#define CREATE "{\"type\":\"response.create\",\"model\":\"m\"}"

TEST(only_an_upgrade_at_a_path_of_the_responses_api_is_read)
{
	struct http_head h = asking;

	CHECK(socket_is_read(&h, STR("/v1/responses")));
	CHECK(socket_is_read(&h, STR("/v1/responses?x=y")));
	CHECK(!socket_is_read(&h, STR("/v1/realtime")));
	CHECK(!socket_is_read(&h, STR("/v1/chat/completions")));
	h.upgrade = false;
	CHECK(!socket_is_read(&h, STR("/v1/responses")));
}

TEST(messages_are_exchanges_one_after_the_other_however_they_are_cut_and_packed)
{
	static const char *const agreements[] = { "", "permessage-deflate",
						  "permessage-deflate; client_no_context_takeover; server_no_context_takeover" };
	static const size_t pieces[] = { SIZE_MAX / 2, 1, 5 };

	for (size_t i = 0; i < COUNT(agreements) * COUNT(pieces); i++) {
		size_t piece = pieces[i % COUNT(pieces)];
		struct scene s;

		test_case("%s, pieces of %zu", agreements[i / COUNT(pieces)], piece);
		open_scene(&s, agreements[i / COUNT(pieces)], 1 << 20);
		say(&s, false, "{\"early\":1}", piece); /* of no answer */
		say(&s, true, "{\"type\":\"session.update\"}", piece);
		say(&s, true, "no JSON", piece);
		say(&s, true, CREATE, piece);
		say(&s, false, "{\"a\":1}", piece);
		say(&s, false, "{\"done\":1}", piece);
		say(&s, false, "{\"late\":1}", piece);
		say(&s, true, "{\"type\":\"response.create\",\"response\":{\"model\":\"n\"}}", piece);
		say(&s, false, "{\"done\":2}", piece);
		CHECK_STR(buf_str(&s.told), STR("1<" CREATE " 1>{\"a\":1} 1>{\"done\":1} 1. 2<{\"model\":\"n\"} 2>{\"done\":2} 2. "));
		socket_end(s.socket, PROXY_WHOLE, s.ns);
		CHECK_INT(socket_count(s.socket), 2);
		CHECK(!socket_is_torn(s.socket) && !socket_is_crowded(s.socket));
		close_scene(&s);
	}
}

TEST(requests_that_wait_are_answered_in_their_order)
{
	struct scene s;

	open_scene(&s, "", 1 << 20);
	say(&s, true, CREATE, 100);
	say(&s, true, CREATE, 100);
	say(&s, false, "{\"done\":1}", 100);
	say(&s, false, "{\"done\":2}", 100);
	CHECK_STR(buf_str(&s.told), STR("1<" CREATE " 2<" CREATE " 1>{\"done\":1} 1. 2>{\"done\":2} 2. "));
	buf_clear(&s.told);
	for (size_t i = 0; i < SOCKET_OPEN + 1; i++)
		say(&s, true, CREATE, 100);
	CHECK(str_has(buf_str(&s.told), STR("18<" CREATE " 3. 19<" CREATE))); /* the oldest is given up */
	socket_end(s.socket, PROXY_CLIENT_LEFT, s.ns);
	CHECK(str_ends(buf_str(&s.told), STR("18left. 19left. ")));
	close_scene(&s);
}

TEST(a_socket_that_ends_inside_an_answer_cuts_it)
{
	static const struct { enum proxy_end how; const char *want; } cases[] = {
		{ PROXY_WHOLE, "1cut. " }, { PROXY_CUT, "1cut. " }, { PROXY_CLIENT_LEFT, "1left. " },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct scene s;

		open_scene(&s, "permessage-deflate", 1 << 20);
		say(&s, true, CREATE, 100);
		say(&s, false, "{\"a\":1}", 100);
		buf_clear(&s.told);
		socket_end(s.socket, cases[i].how, s.ns);
		CHECK_STR(buf_str(&s.told), str_from(cases[i].want));
		close_scene(&s);
	}
}

TEST(headers_are_those_of_the_socket_and_those_that_the_message_brings)
{
	struct scene s;

	open_scene(&s, "", 1 << 20);
	say(&s, true, "{\"type\":\"response.create\",\"client_metadata\":{"
			"\"X-Thread\":\"new\",\"x-thread\":\"again\",\"turn_id\":\"t\",\"x-n\":1,\"x-p\":\"q\"}}", 100);
	CHECK_STR(buf_str(&s.headers), STR("X-Thread=new x-p=q Host=h session-id=s1 Content-Type=application/json "));
	close_scene(&s);
}

TEST(control_frames_are_not_told)
{
	struct scene s;
	struct buf b = { 0 };

	open_scene(&s, "", 1 << 20);
	say(&s, true, CREATE, 100);
	buf_clear(&s.told);
	websocket_write(s.server, &b, WEBSOCKET_PING, STR("secret"), 0);
	websocket_write_close(s.server, &b, 1000, STR("secret"), 0);
	push(&s, false, buf_str(&b), 100);
	CHECK_STR(buf_str(&s.told), STR(""));
	buf_free(&b);
	close_scene(&s);
}

TEST(frames_that_cannot_be_read_end_what_is_open_and_all_that_follows)
{
	struct scene s;

	open_scene(&s, "", 1 << 20);
	say(&s, true, CREATE, 100);
	push(&s, false, STR("\x83\x00"), 100);
	CHECK(str_ends(buf_str(&s.told), STR("1>LOST 1. ")));
	CHECK(socket_is_torn(s.socket));
	buf_clear(&s.told);
	say(&s, true, CREATE, 100);
	say(&s, false, "{\"done\":1}", 100);
	CHECK_STR(buf_str(&s.told), STR(""));
	close_scene(&s);

	open_scene(&s, "", 1 << 20);
	say(&s, true, CREATE, 100);
	socket_push(s.socket, str_of(NULL, 0), false, true, s.ns++); /* the recorder was behind */
	CHECK(str_ends(buf_str(&s.told), STR("1>LOST 1. ")));
	CHECK(socket_is_torn(s.socket));
	close_scene(&s);

	open_scene(&s, "x-unknown", 1 << 20); /* frames of which nobody knows what is in them */
	say(&s, true, CREATE, 100);
	CHECK_STR(buf_str(&s.told), STR(""));
	CHECK(socket_is_torn(s.socket));
	close_scene(&s);
}

/* A text message of a server, or a masked one of a client, of so many bytes. */
static void say_large(struct scene *s, bool from_client, size_t size)
{
	struct buf text = { 0 }, b = { 0 };

	memset(buf_reserve(&text, size), 'x', size);
	text.n = size;
	websocket_write(from_client ? s->client : s->server, &b, WEBSOCKET_TEXT, buf_str(&text), 9);
	push(s, from_client, buf_str(&b), 1 << 16);
	buf_free(&text), buf_free(&b);
}

TEST(a_message_that_is_too_large_is_told_as_lost)
{
	struct scene s;

	open_scene(&s, "", (size_t)256 << 20);
	say_large(&s, true, (64 << 20) + 1);
	CHECK_STR(buf_str(&s.told), STR("1<LOST "));
	say_large(&s, false, (8 << 20) + 1);
	CHECK_STR(buf_str(&s.told), STR("1<LOST 1>LOST "));
	say(&s, true, CREATE, 100); /* what was lost may have been the end */
	CHECK_STR(buf_str(&s.told), STR("1<LOST 1>LOST 1. 2<" CREATE " "));
	CHECK(!socket_is_torn(s.socket));
	close_scene(&s);
}

TEST(a_message_for_which_there_is_no_room_is_given_up)
{
	struct scene s;

	open_scene(&s, "", 100 << 10);
	say_large(&s, true, 1 << 20);
	CHECK_STR(buf_str(&s.told), STR("1<LOST "));
	CHECK(socket_is_crowded(s.socket) && !socket_is_torn(s.socket));
	say(&s, false, "{\"done\":1}", 100);
	CHECK_STR(buf_str(&s.told), STR("1<LOST 1>{\"done\":1} 1. "));
	close_scene(&s);
}

TEST(without_101_there_is_no_socket)
{
	struct http_head refused = { .status = 426 }, head = asking;
	struct scene s = { .room = { .limit = 1 << 20 } };
	struct handoff request = { .head = &head, .target = STR("/v1/responses"), .route = &s.route };

	answer_parser_init(&s.parser);
	s.socket = socket_open(&request, 7, &s.parser, &s.room, (struct socket_sink){ take, is_over, &s });
	CHECK(!socket_begin(s.socket, &refused));
	socket_push(s.socket, STR("\x81\x01x"), true, false, 5);
	socket_end(s.socket, PROXY_WHOLE, 6);
	CHECK_STR(buf_str(&s.told), STR(""));
	close_scene(&s);
	socket_close(NULL);
}
