#include <netdb.h>

#include "unit/net/wish.h"

#define GET "GET /t HTTP/1.1\r\nHost: up\r\n\r\n"

TEST(requests_are_sent_with_their_framing)
{
	static const struct { const char *method; enum http_framing framing; const char *pieces[3], *sent; } cases[] = {
		{ "GET", HTTP_NONE, { NULL }, GET },
		{ "POST", HTTP_LENGTH, { "ab", "cde" }, "POST /t HTTP/1.1\r\nHost: up\r\nContent-Length: 5\r\n\r\nabcde" },
		{ "POST", HTTP_LENGTH, { "ab", "cdefghi" }, "POST /t HTTP/1.1\r\nHost: up\r\nContent-Length: 5\r\n\r\nabcde" },
		{ "POST", HTTP_CHUNKED, { "ab", "", "0123456789abcdef0" },
		  "POST /t HTTP/1.1\r\nHost: up\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n11\r\n0123456789abcdef0\r\n0\r\n\r\n" },
		{ "POST", HTTP_CHUNKED, { NULL }, "POST /t HTTP/1.1\r\nHost: up\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" },
		{ "GET", HTTP_NONE, { "no body" }, GET },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct well w;
		struct wish x;
		struct buf b = { 0 };
		int fd;

		test_case("%s", cases[i].sent);
		well_open(&w, (struct upstream_options){ 0 });
		wish_begin(&w, &x, cases[i].method, cases[i].framing, 5);
		for (size_t k = 0; k < 3 && cases[i].pieces[k]; k++)
			CHECK(upstream_write(x.call, str_from(cases[i].pieces[k])));
		upstream_finish(x.call);
		fd = answer_call(&w.loop, w.listener);
		CHECK_STR(hear_some(&w.loop, fd, &b, strlen(cases[i].sent)), str_from(cases[i].sent));
		upstream_cancel(x.call);
		CHECK_STR(hear_all(&w.loop, fd, &b), str_from(cases[i].sent));
		CHECK(!wish_is_over(&x));
		close(fd);
		buf_free(&b);
		well_close(&w);
	}
}

enum after { KEPT, CLOSED };

struct answer {
	const char *method, *bytes;
	bool closes; /* the upstream, behind these bytes */
	int status;
	const char *body, *why; /* why: failed */
	enum after after;
};

static const struct answer answers[] = {
	{ "GET", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", false, 200, "abc", NULL, KEPT },
	{ "GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, 200, "", NULL, KEPT },
	{ "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", false, 200, "abcde", NULL, KEPT },
	{ "GET", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc", false, 200, "abc", NULL, CLOSED },
	{ "GET", "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nabc", false, 200, "abc", NULL, CLOSED },
	{ "GET", "HTTP/1.1 200 OK\r\n\r\nabc", true, 200, "abc", NULL, CLOSED },
	{ "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", false, 200, "", NULL, KEPT },
	{ "GET", "HTTP/1.1 204 No Content\r\n\r\n", false, 204, "", NULL, KEPT },
	{ "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n", false, 304, "", NULL, KEPT },
	{ "GET", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\nn",
	  false, 404, "n", NULL, KEPT },
	{ "HEAD", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", false, 200, "", NULL, KEPT },
	{ "GET", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", true, 200, "ab", "*", CLOSED },
	{ "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", true, 200, "abc", "*", CLOSED },
	{ "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nx", false, 200, "abc", "*", CLOSED },
	{ "GET", "HTTP/1.1 200 OK\r\nContent-Le", true, 0, "", "closed the connection without an answer", CLOSED },
	{ "GET", "", true, 0, "", "closed the connection without an answer", CLOSED },
	{ "GET", "HTTP/1.1 100 Continue\r\n\r\n", true, 0, "", "closed the connection without an answer", CLOSED },
	{ "GET", "SSH-2.0-OpenSSH_9.2\r\n", false, 0, "", "*", CLOSED },
	{ "GET", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", false, 0, "",
	  "it switched to another protocol without being asked", CLOSED },
};

static void check_answer(const struct answer *a, size_t step)
{
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	struct str bytes = str_from(a->bytes);
	int fd;

	test_case("%.60s in pieces of %zu", a->bytes, step);
	well_open(&w, (struct upstream_options){ 0 });
	wish_begin(&w, &x, a->method, HTTP_NONE, 0);
	upstream_finish(x.call);
	fd = answer_call(&w.loop, w.listener);
	hear_until(&w.loop, fd, &b, STR("\r\n\r\n"));
	for (size_t at = 0; at < bytes.n && !wish_is_over(&x); at += step) {
		say(fd, str_of(bytes.p + at, bytes.n - at < step ? bytes.n - at : step));
		turn(&w.loop);
	}
	if (a->closes)
		CHECK(shutdown(fd, SHUT_WR) == 0);
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.status, a->status);
	CHECK_STR(buf_str(&x.body), str_from(a->body));
	CHECK_INT(x.fails, a->why != NULL);
	if (a->why && a->why[0] != '*')
		CHECK_STR(str_from(x.why), str_from(a->why));
	if (a->why)
		CHECK_INT(x.failure, UPSTREAM_CUT);
	turn_for(&w.loop, 3);
	buf_clear(&b);
	CHECK_INT(listen_to(fd, &b), a->after == KEPT);
	CHECK_INT(x.ends + x.fails, 1);
	close(fd);
	buf_free(&b), buf_free(&x.body);
	well_close(&w);
}

TEST(an_answer_is_the_same_however_it_is_cut)
{
	static const size_t steps[] = { 1 << 20, 1, 11 };

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++)
			check_answer(&answers[i], steps[k]);
}

/* One exchange on a connection that is kept afterwards. */
static int keep_one(struct well *w)
{
	struct wish x;
	struct buf b = { 0 };
	int fd;

	wish_get(w, &x);
	fd = answer_call(&w->loop, w->listener);
	hear_until(&w->loop, fd, &b, STR("\r\n\r\n"));
	say(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
	TURN_UNTIL(&w->loop, x.ends == 1);
	buf_free(&b), buf_free(&x.body);
	return fd;
}

TEST(a_kept_connection_is_used_again)
{
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	int fd;

	well_open(&w, (struct upstream_options){ 0 });
	fd = keep_one(&w);
	for (unsigned i = 0; i < 3; i++) {
		buf_clear(&b);
		wish_get(&w, &x);
		CHECK_STR(hear_until(&w.loop, fd, &b, STR("\r\n\r\n")), STR(GET));
		say(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
		TURN_UNTIL(&w.loop, x.ends == 1);
		CHECK_INT(x.settles, 0); /* the call was gone by then */
		buf_free(&x.body);
	}
	CHECK(accept(w.listener, NULL, NULL) < 0);
	close(fd);
	buf_free(&b);
	well_close(&w);
}

TEST(no_more_connections_are_kept_than_were_asked_for)
{
	struct well w;
	struct wish x[3];
	struct buf b = { 0 };
	int fd[3], open = 0;

	well_open(&w, (struct upstream_options){ .kept = 2 });
	for (size_t i = 0; i < 3; i++) {
		wish_get(&w, &x[i]);
		fd[i] = answer_call(&w.loop, w.listener);
	}
	for (size_t i = 0; i < 3; i++)
		say(fd[i], STR("HTTP/1.1 204 No Content\r\n\r\n"));
	TURN_UNTIL(&w.loop, x[0].ends && x[1].ends && x[2].ends);
	turn_for(&w.loop, 5);
	for (size_t i = 0; i < 3; i++)
		open += listen_to(fd[i], &b), close(fd[i]);
	CHECK_INT(open, 2);
	buf_free(&b);
	well_close(&w);
}

TEST(a_kept_connection_that_was_closed_is_replaced_without_a_word)
{
	for (int reset = 0; reset < 2; reset++) {
		struct well w;
		struct wish x;
		struct buf b = { 0 };
		int fd;

		test_case("%s", reset ? "reset" : "closed");
		well_open(&w, (struct upstream_options){ 0 });
		fd = keep_one(&w);
		if (reset)
			slam(fd);
		else
			close(fd);
		/* the loop has not been told of it */
		wish_begin(&w, &x, "POST", HTTP_LENGTH, 4);
		upstream_write(x.call, STR("body"));
		upstream_finish(x.call);
		fd = answer_call(&w.loop, w.listener);
		CHECK(str_ends(hear_until(&w.loop, fd, &b, STR("body")), STR("Content-Length: 4\r\n\r\nbody")));
		say(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
		TURN_UNTIL(&w.loop, wish_is_over(&x));
		CHECK_INT(x.ends, 1);
		close(fd);
		buf_free(&b), buf_free(&x.body);
		well_close(&w);
	}
}

TEST(a_request_that_was_read_is_never_sent_a_second_time)
{
	for (int reset = 0; reset < 2; reset++) {
		struct well w;
		struct wish x;
		struct buf b = { 0 };
		int fd;

		test_case("%s", reset ? "reset" : "closed");
		well_open(&w, (struct upstream_options){ 0 });
		fd = keep_one(&w);
		wish_begin(&w, &x, "POST", HTTP_LENGTH, 4);
		upstream_write(x.call, STR("body"));
		upstream_finish(x.call);
		hear_until(&w.loop, fd, &b, STR("body"));
		if (reset)
			slam(fd);
		else
			close(fd);
		TURN_UNTIL(&w.loop, wish_is_over(&x));
		CHECK_INT(x.failure, UPSTREAM_CUT);
		CHECK(accept(w.listener, NULL, NULL) < 0);
		buf_free(&b);
		well_close(&w);
	}
}

TEST(a_request_that_changes_nothing_is_asked_again_when_its_connection_ends)
{
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	int fd;

	well_open(&w, (struct upstream_options){ 0 });
	fd = keep_one(&w);
	wish_get(&w, &x);
	hear_until(&w.loop, fd, &b, STR("\r\n\r\n"));
	close(fd);
	fd = answer_call(&w.loop, w.listener);
	buf_clear(&b);
	hear_until(&w.loop, fd, &b, STR("\r\n\r\n"));
	close(fd); /* once: the new connection is no old one */
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.failure, UPSTREAM_CUT);
	CHECK(accept(w.listener, NULL, NULL) < 0);
	buf_free(&b);
	well_close(&w);
}

TEST(bytes_on_a_kept_connection_that_nobody_asked_for_close_it)
{
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	int fd, other;

	well_open(&w, (struct upstream_options){ 0 });
	fd = keep_one(&w);
	say(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"));
	hear_all(&w.loop, fd, &b);
	wish_get(&w, &x);
	other = answer_call(&w.loop, w.listener);
	say(other, STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_STR(buf_str(&x.body), STR("ok"));
	close(fd), close(other);
	buf_free(&b), buf_free(&x.body);
	well_close(&w);
}

TEST(a_connection_with_bytes_behind_the_answer_is_not_kept)
{
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	int fd;

	well_open(&w, (struct upstream_options){ 0 });
	wish_get(&w, &x);
	fd = answer_call(&w.loop, w.listener);
	hear_until(&w.loop, fd, &b, STR("\r\n\r\n"));
	say(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"));
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.ends, 1);
	CHECK_STR(buf_str(&x.body), STR("ok"));
	hear_all(&w.loop, fd, &b);
	close(fd);
	buf_free(&b), buf_free(&x.body);
	well_close(&w);
}

TEST(an_answer_that_comes_before_the_request_is_complete_is_given_and_ends_the_connection)
{
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	int fd;

	well_open(&w, (struct upstream_options){ 0 });
	wish_begin(&w, &x, "POST", HTTP_LENGTH, 1000000);
	upstream_write(x.call, STR("a little"));
	fd = answer_call(&w.loop, w.listener);
	hear_until(&w.loop, fd, &b, STR("a little"));
	say(fd, STR("HTTP/1.1 413 Too Much\r\nContent-Length: 2\r\n\r\nno"));
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.ends, 1);
	CHECK_INT(x.status, 413);
	hear_all(&w.loop, fd, &b);
	close(fd);
	buf_free(&b), buf_free(&x.body);
	well_close(&w);
}

TEST(an_answer_is_read_even_when_the_request_cannot_be_written_any_more)
{
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	static const char piece[65536];
	int fd;

	well_open(&w, (struct upstream_options){ 0 });
	wish_begin(&w, &x, "POST", HTTP_LENGTH, 100000000);
	upstream_write(x.call, STR("a little"));
	fd = answer_call(&w.loop, w.listener);
	hear_until(&w.loop, fd, &b, STR("a little"));
	say(fd, STR("HTTP/1.1 413 Too Much\r\nContent-Length: 2\r\n\r\nno"));
	for (unsigned i = 0; i < 4; i++)
		upstream_write(x.call, str_of(piece, sizeof(piece)));
	close(fd); /* with bytes unread: a reset */
	usleep(1000);
	upstream_write(x.call, str_of(piece, sizeof(piece)));
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.ends, 1);
	CHECK_INT(x.status, 413);
	buf_free(&b), buf_free(&x.body);
	well_close(&w);
}

TEST(a_request_shorter_than_it_said_fails)
{
	struct well w;
	struct wish x;

	well_open(&w, (struct upstream_options){ 0 });
	wish_begin(&w, &x, "POST", HTTP_LENGTH, 10);
	upstream_write(x.call, STR("short"));
	upstream_finish(x.call);
	CHECK_INT(x.fails, 0);
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.failure, UPSTREAM_CUT);
	well_close(&w);
}

TEST(a_paused_answer_waits_in_the_upstream)
{
	enum { WHOLE = 20 << 20 };
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	static const char piece[65536];
	size_t sent = 0, before;
	int fd;

	well_open(&w, (struct upstream_options){ 0 });
	wish_get(&w, &x);
	fd = answer_call(&w.loop, w.listener);
	hear_until(&w.loop, fd, &b, STR("\r\n\r\n"));
	say(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 20971520\r\n\r\n"));
	TURN_UNTIL(&w.loop, x.heads == 1);
	upstream_pause(x.call);
	before = x.bytes;
	for (unsigned quiet = 0; quiet < 100; quiet++, turn(&w.loop)) {
		ssize_t n = send(fd, piece, sizeof(piece), MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0)
			sent += (size_t)n, quiet = 0;
	}
	CHECK(sent < WHOLE);
	CHECK_INT(x.bytes, before);
	upstream_resume(x.call);
	while (sent < WHOLE) {
		ssize_t n = send(fd, piece, WHOLE - sent < sizeof(piece) ? WHOLE - sent : sizeof(piece), MSG_NOSIGNAL | MSG_DONTWAIT);

		sent += n > 0 ? (size_t)n : 0;
		uv_run(&w.loop, UV_RUN_NOWAIT);
	}
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.ends, 1);
	CHECK_INT(x.bytes, WHOLE);
	close(fd);
	buf_free(&b), buf_free(&x.body);
	well_close(&w);
}

TEST(a_paused_answer_whose_upstream_died_is_read_to_its_end)
{
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	int fd;

	well_open(&w, (struct upstream_options){ 0 });
	wish_begin(&w, &x, "POST", HTTP_LENGTH, 100);
	upstream_write(x.call, STR("begun"));
	fd = answer_call(&w.loop, w.listener);
	turn_for(&w.loop, 5);
	upstream_pause(x.call);
	say(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nrest"));
	usleep(1000);
	close(fd); /* with the request unread: a reset behind the answer */
	turn_for(&w.loop, 50);
	CHECK(!wish_is_over(&x));
	upstream_resume(x.call);
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.ends, 1);
	CHECK_STR(buf_str(&x.body), STR("rest"));
	buf_free(&b), buf_free(&x.body);
	well_close(&w);
}

TEST(an_upstream_that_does_not_read_makes_the_writer_wait)
{
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	static const char piece[16384];
	size_t written = 0;
	int fd;

	well_open(&w, (struct upstream_options){ 0 });
	wish_begin(&w, &x, "POST", HTTP_CHUNKED, 0);
	while (upstream_write(x.call, str_of(piece, sizeof(piece)))) /* not connected yet */
		written += sizeof(piece);
	CHECK(written < 400 << 10);
	fd = answer_call(&w.loop, w.listener);
	TURN_UNTIL(&w.loop, x.drains == 1);
	while (upstream_write(x.call, str_of(piece, sizeof(piece))))
		written += sizeof(piece);
	CHECK(written < 20 << 20);
	CHECK_INT(x.drains, 1);
	TURN_UNTIL(&w.loop, (listen_to(fd, &b), buf_clear(&b), x.drains == 2));
	upstream_cancel(x.call);
	close(fd);
	buf_free(&b);
	well_close(&w);
}

TEST(sent_is_told_when_the_system_has_all_of_the_request)
{
	enum { MUCH = 32 << 20 };
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	char *body = test_alloc(MUCH);
	int fd;

	well_open(&w, (struct upstream_options){ 0 });
	wish_begin(&w, &x, "POST", HTTP_LENGTH, MUCH);
	upstream_hold(x.call);
	upstream_write(x.call, str_of(body, MUCH));
	upstream_finish(x.call);
	CHECK_INT(x.sents, 0);
	fd = answer_call(&w.loop, w.listener);
	for (int i = 0; i < 50; i++)
		uv_run(&w.loop, UV_RUN_NOWAIT);
	CHECK_INT(x.sents, 0); /* nobody reads it */
	TURN_UNTIL(&w.loop, (listen_to(fd, &b), buf_clear(&b), x.sents == 1));
	CHECK_INT(x.heads, 0);
	upstream_cancel(x.call);
	close(fd);
	buf_free(&b);
	well_close(&w);
}

TEST(sent_is_told_at_once_on_a_connection_that_is_there)
{
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	int fd;

	well_open(&w, (struct upstream_options){ 0 });
	wish_begin(&w, &x, "GET", HTTP_NONE, 0);
	upstream_finish(x.call);
	fd = answer_call(&w.loop, w.listener);
	TURN_UNTIL(&w.loop, x.sents == 1);
	hear_some(&w.loop, fd, &b, strlen(GET));
	CHECK(write(fd, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 38) == 38);
	TURN_UNTIL(&w.loop, x.ends == 1);
	wish_begin(&w, &x, "GET", HTTP_NONE, 0);
	CHECK_INT(x.sents, 0);
	upstream_finish(x.call);
	CHECK_INT(x.sents, 1);
	upstream_cancel(x.call);
	close(fd);
	buf_free(&b);
	well_close(&w);
}

TEST(a_cancelled_call_is_never_heard_of_again)
{
	struct well w;
	struct wish x, y, z;
	struct buf b = { 0 };
	int fd;

	well_open(&w, (struct upstream_options){ 0 });
	wish_get(&w, &x);
	fd = answer_call(&w.loop, w.listener);
	say(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome"));
	TURN_UNTIL(&w.loop, x.bytes == 4);
	say(fd, STR("more"));
	upstream_cancel(x.call);
	hear_all(&w.loop, fd, &b);
	CHECK_INT(x.bytes, 4);
	wish_get(&w, &y);
	upstream_cancel(y.call); /* before it is connected */
	w.url = well_url(&w, "localhost", w.port);
	wish_get(&w, &z);
	upstream_cancel(z.call); /* while the name is looked up */
	turn_for(&w.loop, 50);
	CHECK(!wish_is_over(&x) && !wish_is_over(&y) && !wish_is_over(&z));
	close(fd);
	buf_free(&b), buf_free(&x.body);
	well_close(&w);
}

TEST(closing_the_pool_fails_the_calls_that_are_left)
{
	struct well w;
	struct wish x, y;
	int kept, fd;

	well_open(&w, (struct upstream_options){ 0 });
	kept = keep_one(&w);
	wish_get(&w, &x); /* on the kept one */
	wish_get(&w, &y);
	fd = answer_call(&w.loop, w.listener);
	upstreams_close(w.pool);
	CHECK_INT(x.fails, 1);
	CHECK_INT(y.fails, 1);
	close(kept), close(fd);
	well_close(&w);
}

TEST(an_answer_that_stops_coming_is_given_up)
{
	struct well w;
	struct wish x;
	int fd;

	well_open(&w, (struct upstream_options){ .idle_ms = 100 });
	wish_get(&w, &x);
	fd = answer_call(&w.loop, w.listener);
	say(fd, STR("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome"));
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.failure, UPSTREAM_LATE);
	close(fd);
	buf_free(&x.body);
	well_close(&w);
}

TEST(an_answer_that_we_make_wait_is_not_given_up)
{
	struct well w;
	struct wish x, y;
	int fd, other;

	well_open(&w, (struct upstream_options){ .idle_ms = 100 });
	wish_get(&w, &x);
	upstream_pause(x.call);
	fd = answer_call(&w.loop, w.listener);
	wish_begin(&w, &y, "POST", HTTP_LENGTH, 2); /* nor one to a request that is not complete */
	upstream_write(y.call, STR("a"));
	other = answer_call(&w.loop, w.listener);
	turn_for(&w.loop, 400);
	CHECK(!wish_is_over(&x) && !wish_is_over(&y));
	upstream_resume(x.call);
	upstream_write(y.call, STR("b"));
	upstream_finish(y.call);
	TURN_UNTIL(&w.loop, wish_is_over(&x) && wish_is_over(&y));
	CHECK(x.failure == UPSTREAM_LATE && y.failure == UPSTREAM_LATE);
	close(fd), close(other);
	well_close(&w);
}

TEST(nobody_listening_is_a_refusal)
{
	struct well w;
	struct wish x;

	well_open(&w, (struct upstream_options){ 0 });
	w.url = well_url(&w, "127.0.0.1", dead_port());
	wish_get(&w, &x);
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.failure, UPSTREAM_REFUSED);
	CHECK_STR(str_from(x.why), STR("Connection refused"));
	well_close(&w);
}

TEST(an_address_that_cannot_be_connected_to_at_all_is_told_by_the_loop)
{
	struct well w;
	struct wish x;

	well_open(&w, (struct upstream_options){ 0 });
	w.url = well_url(&w, "255.255.255.255", 9);
	wish_get(&w, &x); /* checks that nothing is told before it returns */
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.failure, UPSTREAM_REFUSED);
	well_close(&w);
}

TEST(a_name_that_nobody_has_is_a_refusal)
{
	struct well w;
	struct wish x;

	well_open(&w, (struct upstream_options){ .connect_ms = 3000 });
	w.url = well_url(&w, "no-such-host.invalid", 80);
	wish_get(&w, &x);
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK(x.failure == UPSTREAM_REFUSED || x.failure == UPSTREAM_LATE); /* a resolver may be slow to say no */
	CHECK(x.why[0] != '\0');
	well_close(&w);
}

TEST(the_addresses_of_a_name_are_tried_in_turn)
{
	struct addrinfo want = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *found;
	struct well w;
	struct wish x;
	int fd;

	if (getaddrinfo("localhost", NULL, &want, &found) != 0)
		SKIP("localhost is no name on this machine");
	freeaddrinfo(found);
	well_open(&w, (struct upstream_options){ 0 });
	w.url = well_url(&w, "localhost", w.port); /* ::1 and 127.0.0.1 in many places; only the second listens */
	wish_get(&w, &x);
	fd = answer_call(&w.loop, w.listener);
	say(fd, STR("HTTP/1.1 204 No Content\r\n\r\n"));
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.ends, 1);
	close(fd);
	w.url = well_url(&w, "localhost", dead_port()); /* and when none is left, the last one's reason is told */
	wish_get(&w, &x);
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.failure, UPSTREAM_REFUSED);
	CHECK_STR(str_from(x.why), STR("Connection refused"));
	well_close(&w);
}

TEST(a_connection_that_does_not_come_about_is_given_up)
{
	struct well w;
	struct wish x;
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int full = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), waiting[8];

	well_open(&w, (struct upstream_options){ .connect_ms = 200 });
	CHECK(bind(full, (struct sockaddr *)&at, n) == 0 && listen(full, 0) == 0 &&
	      getsockname(full, (struct sockaddr *)&at, &n) == 0);
	for (size_t i = 0; i < 8; i++) { /* its queue is full, and who comes now gets no answer */
		waiting[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		connect(waiting[i], (struct sockaddr *)&at, n);
	}
	w.url = well_url(&w, "127.0.0.1", ntohs(at.sin_port));
	wish_get(&w, &x);
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.failure, UPSTREAM_LATE);
	for (size_t i = 0; i < 8; i++)
		close(waiting[i]);
	close(full);
	well_close(&w);
}

TEST(after_101_bytes_pass_as_they_are)
{
	static const struct http_header headers[] = {
		{ { "Host", 4 }, { "up", 2 } }, { { "Connection", 10 }, { "Upgrade", 7 } }, { { "Upgrade", 7 }, { "bytes", 5 } },
	};
	struct well w;
	struct wish x = { 0 };
	struct buf b = { 0 };
	struct upstream_request r = { .method = STR("GET"), .target = STR("/t"), .headers = headers, .count = 3, .upgrade = true };
	int fd;

	well_open(&w, (struct upstream_options){ 0 });
	r.url = &w.url;
	x.call = upstream_begin(w.pool, &r, &wish_ops, &x);
	upstream_finish(x.call);
	fd = answer_call(&w.loop, w.listener);
	hear_until(&w.loop, fd, &b, STR("\r\n\r\n"));
	say(fd, STR("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: bytes\r\n\r\nearly"));
	TURN_UNTIL(&w.loop, x.bytes == 5);
	CHECK_INT(x.status, 101);
	upstream_write(x.call, STR("5\r\nraw"));
	CHECK(str_ends(hear_until(&w.loop, fd, &b, STR("raw")), STR("\r\n\r\n5\r\nraw")));
	say(fd, STR("HTTP/1.1 no"));
	TURN_UNTIL(&w.loop, x.bytes == 16);
	close(fd);
	TURN_UNTIL(&w.loop, wish_is_over(&x));
	CHECK_INT(x.ends, 1);
	buf_free(&b), buf_free(&x.body);
	well_close(&w);
}

TEST(settle_comes_once_for_bytes_that_came_together)
{
	struct well w;
	struct wish x;
	struct buf b = { 0 };
	int fd;

	well_open(&w, (struct upstream_options){ 0 });
	wish_get(&w, &x);
	fd = answer_call(&w.loop, w.listener);
	hear_until(&w.loop, fd, &b, STR("\r\n\r\n"));
	say(fd, STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n"));
	TURN_UNTIL(&w.loop, x.bytes == 2);
	CHECK_INT(x.settles, 1);
	upstream_cancel(x.call);
	close(fd);
	buf_free(&b), buf_free(&x.body);
	well_close(&w);
}
