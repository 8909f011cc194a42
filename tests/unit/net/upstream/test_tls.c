/* What can go wrong, or is done in another way, between us and a service that speaks TLS. */
#include "net/tls/tls.h"
#include "unit/net/tls_line.h"

#define OK_2 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
#define TO_END "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it"

static const int versions[] = { TLS1_2_VERSION, TLS1_3_VERSION };

TEST(an_answer_is_the_same_however_its_records_are_cut)
{
	static const size_t steps[] = { 1, 2, 3, 5, 6, 7, 11, 64, 1 << 20 };

	for (size_t v = 0; v < 2; v++)
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			struct line l;
			struct wish x;

			test_case("version %x in pieces of %zu", (unsigned)versions[v], steps[i]);
			line_open(&l, versions[v], (struct upstream_options){ 0 });
			line_ask(&l, &x);
			line_send(&l, line_seal(&l, STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")), steps[i]);
			line_send(&l, line_seal(&l, STR("2\r\nde\r\n0\r\n\r\n")), steps[i]);
			TURN_UNTIL(&l.well.loop, wish_is_over(&x));
			CHECK_INT(x.ends, 1);
			CHECK_STR(buf_str(&x.body), STR("abcde"));
			buf_free(&x.body);
			line_close(&l);
		}
}

/* An answer that ends with the connection, and the word of TLS for that end. */
static struct str seal_to_end(struct line *l)
{
	struct str answer = line_seal(l, STR(TO_END)), goodbye;
	char *both;

	CHECK(SSL_shutdown(l->ssl) >= 0);
	goodbye = line_sealed(l);
	both = test_alloc(answer.n + goodbye.n);
	memcpy(both, answer.p, answer.n);
	memcpy(both + answer.n, goodbye.p, goodbye.n);
	return str_of(both, answer.n + goodbye.n);
}

TEST(a_stream_that_is_cut_at_any_byte_is_cut_and_only_the_whole_one_is_whole)
{
	for (size_t v = 0; v < 2; v++) {
		struct line l;
		size_t cut = 0, whole;

		line_open(&l, versions[v], (struct upstream_options){ 0 });
		do {
			struct wish x;
			struct str sealed;

			line_ask(&l, &x);
			sealed = seal_to_end(&l);
			whole = sealed.n;
			test_case("version %x, %zu of %zu bytes", (unsigned)versions[v], cut, whole);
			if (cut)
				line_send(&l, str_of(sealed.p, cut), whole);
			CHECK(shutdown(l.fd, SHUT_WR) == 0);
			TURN_UNTIL(&l.well.loop, wish_is_over(&x));
			CHECK_INT(x.ends, cut == whole);
			CHECK_INT(x.fails, cut < whole);
			if (cut < whole)
				CHECK_INT(x.failure, UPSTREAM_CUT);
			else
				CHECK_STR(buf_str(&x.body), STR("all of it"));
			buf_free(&x.body);
			line_hang_up(&l);
		} while (cut++ < whole);
		line_close(&l);
	}
}

TEST(a_handshake_that_is_cut_at_any_byte_is_a_refusal)
{
	for (size_t v = 0; v < 2; v++) {
		struct line l;
		size_t whole = 1;

		line_open(&l, versions[v], (struct upstream_options){ 0 });
		for (size_t cut = 0; cut < whole; cut += cut < 200 ? 1 : 7) {
			struct wish x;
			struct buf b = { 0 };
			struct str hello;

			wish_get(&l.well, &x);
			line_accept(&l);
			hear_some(&l.well.loop, l.fd, &b, 100);
			CHECK(BIO_write(SSL_get_rbio(l.ssl), b.p, (int)b.n) == (int)b.n);
			CHECK(SSL_do_handshake(l.ssl) <= 0);
			hello = line_sealed(&l);
			whole = hello.n;
			test_case("version %x, %zu of %zu bytes", (unsigned)versions[v], cut, whole);
			if (cut)
				say(l.fd, str_of(hello.p, cut));
			CHECK(shutdown(l.fd, SHUT_WR) == 0);
			TURN_UNTIL(&l.well.loop, wish_is_over(&x));
			CHECK_INT(x.failure, UPSTREAM_REFUSED);
			CHECK_STR(str_from(x.why), STR("it closed the connection during the TLS handshake"));
			buf_free(&b);
			line_hang_up(&l);
		}
		line_close(&l);
	}
}

TEST(sessions_are_resumed_by_the_connections_that_follow)
{
	for (size_t v = 0; v < 2; v++) {
		struct line l;

		test_case("version %x", (unsigned)versions[v]);
		line_open(&l, versions[v], (struct upstream_options){ 0 });
		for (int i = 0; i < 3; i++) {
			struct wish x;

			line_ask(&l, &x);
			CHECK_INT(SSL_session_reused(l.ssl), i > 0);
			line_say(&l, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
			TURN_UNTIL(&l.well.loop, wish_is_over(&x));
			CHECK_INT(x.ends, 1);
			line_hang_up(&l);
		}
		line_close(&l);
	}
}

TEST(a_service_that_is_done_before_the_request_is_closed_in_half)
{
	struct line l;
	struct wish x;

	line_open(&l, 0, (struct upstream_options){ 0 });
	wish_begin(&l.well, &x, "POST", HTTP_LENGTH, 8);
	upstream_write(x.call, STR("half"));
	line_accept(&l);
	line_hear(&l, STR("half"));
	line_say(&l, OK_2);
	CHECK(SSL_shutdown(l.ssl) >= 0); /* it says that it sends no more, and goes on reading */
	line_send(&l, line_sealed(&l), 1 << 20);
	TURN_UNTIL(&l.well.loop, wish_is_over(&x));
	CHECK_INT(x.ends, 1);
	buf_free(&x.body);
	line_close(&l);
}

TEST(a_service_that_asks_for_another_handshake_gets_none_and_the_answer_comes)
{
	struct line l;
	struct wish x;

	line_open(&l, TLS1_2_VERSION, (struct upstream_options){ 0 });
	line_ask(&l, &x);
	CHECK(SSL_renegotiate(l.ssl) == 1 && SSL_do_handshake(l.ssl) == 1); /* asks for one, before the answer */
	line_say(&l, OK_2);
	TURN_UNTIL(&l.well.loop, wish_is_over(&x));
	CHECK_INT(x.ends, 1);
	buf_free(&x.body);
	wish_get(&l.well, &x); /* it insists, and gives up when it is refused */
	TURN_UNTIL(&l.well.loop, (line_read(&l), wish_is_over(&x)));
	CHECK_INT(x.failure, UPSTREAM_CUT);
	buf_free(&x.body);
	line_close(&l);
}

TEST(new_keys_may_be_asked_for_at_any_time)
{
	struct line l;
	struct wish x;

	line_open(&l, TLS1_3_VERSION, (struct upstream_options){ 0 });
	line_ask(&l, &x);
	line_say(&l, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
	for (int i = 0; i < 3; i++) {
		CHECK(SSL_key_update(l.ssl, SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(l.ssl) == 1);
		line_send(&l, line_sealed(&l), 1 << 20);
		turn_for(&l.well.loop, 2);
		line_read(&l);
	}
	line_say(&l, "ok");
	TURN_UNTIL(&l.well.loop, wish_is_over(&x));
	CHECK_INT(x.ends, 1);
	buf_free(&x.body);
	wish_get(&l.well, &x); /* and our own keys follow */
	buf_clear(&l.got);
	line_hear(&l, STR("\r\n\r\n"));
	line_say(&l, OK_2);
	TURN_UNTIL(&l.well.loop, wish_is_over(&x));
	CHECK_INT(x.ends, 1);
	buf_free(&x.body);
	line_close(&l);
}

TEST(a_kept_connection_survives_tickets_and_not_an_answer_to_nothing)
{
	struct line l;
	struct wish x;

	line_open(&l, TLS1_3_VERSION, (struct upstream_options){ 0 });
	line_ask(&l, &x);
	line_say(&l, OK_2);
	TURN_UNTIL(&l.well.loop, wish_is_over(&x));
	buf_free(&x.body);
	CHECK(SSL_new_session_ticket(l.ssl) == 1 && SSL_do_handshake(l.ssl) == 1);
	line_send(&l, line_sealed(&l), 1 << 20);
	turn_for(&l.well.loop, 5);
	CHECK(line_read(&l)); /* still open */
	line_say(&l, OK_2);
	TURN_UNTIL(&l.well.loop, !line_read(&l));
	line_close(&l);
}

TEST(a_kept_connection_that_was_closed_is_replaced_whether_it_was_said_or_not)
{
	for (int said = 0; said < 2; said++) {
		struct line l;
		struct wish x;

		test_case("%s", said ? "with the word of TLS" : "without");
		line_open(&l, 0, (struct upstream_options){ 0 });
		line_ask(&l, &x);
		line_say(&l, OK_2);
		TURN_UNTIL(&l.well.loop, wish_is_over(&x));
		buf_free(&x.body);
		if (said) {
			CHECK(SSL_shutdown(l.ssl) >= 0);
			line_send(&l, line_sealed(&l), 1 << 20);
		}
		line_hang_up(&l);
		wish_begin(&l.well, &x, "POST", HTTP_LENGTH, 4); /* the loop has not been told of it */
		upstream_write(x.call, STR("body"));
		upstream_finish(x.call);
		line_accept(&l);
		line_hear(&l, STR("body"));
		line_say(&l, OK_2);
		TURN_UNTIL(&l.well.loop, wish_is_over(&x));
		CHECK_INT(x.ends, 1);
		buf_free(&x.body);
		line_close(&l);
	}
}

TEST(a_request_that_was_read_is_never_sent_a_second_time_by_tls_either)
{
	for (int said = 0; said < 2; said++) {
		struct line l;
		struct wish x;

		test_case("%s", said ? "with the word of TLS" : "without");
		line_open(&l, 0, (struct upstream_options){ 0 });
		line_ask(&l, &x);
		line_say(&l, OK_2);
		TURN_UNTIL(&l.well.loop, wish_is_over(&x));
		buf_free(&x.body);
		wish_begin(&l.well, &x, "POST", HTTP_LENGTH, 4);
		upstream_write(x.call, STR("body"));
		upstream_finish(x.call);
		line_hear(&l, STR("body"));
		if (said) {
			CHECK(SSL_shutdown(l.ssl) >= 0);
			line_send(&l, line_sealed(&l), 1 << 20);
		}
		line_hang_up(&l);
		TURN_UNTIL(&l.well.loop, wish_is_over(&x));
		CHECK_INT(x.failure, UPSTREAM_CUT);
		CHECK(accept(l.well.listener, NULL, NULL) < 0);
		line_close(&l);
	}
}

TEST(who_does_not_speak_tls_is_named_so_and_who_says_nothing_is_late)
{
	struct line l;
	struct wish x;
	int fd;

	line_open(&l, 0, (struct upstream_options){ .connect_ms = 200 });
	wish_get(&l.well, &x);
	fd = answer_call(&l.well.loop, l.well.listener);
	say(fd, STR("HTTP/1.1 400 Bad Request\r\n\r\n"));
	TURN_UNTIL(&l.well.loop, wish_is_over(&x));
	CHECK_INT(x.failure, UPSTREAM_REFUSED);
	CHECK_STR(str_from(x.why), STR("it does not speak TLS on this port"));
	close(fd);
	wish_get(&l.well, &x);
	fd = answer_call(&l.well.loop, l.well.listener);
	TURN_UNTIL(&l.well.loop, wish_is_over(&x));
	CHECK_INT(x.failure, UPSTREAM_LATE);
	CHECK_STR(str_from(x.why), STR("the TLS handshake took too long"));
	close(fd);
	line_close(&l);
}

/* How many of those who were called have heard the other side speak. */
static size_t spoken_to(const int *fd, bool *heard, size_t count)
{
	size_t n = 0;
	struct buf b = { 0 };

	for (size_t i = 0; i < count; i++) {
		buf_clear(&b);
		if (!heard[i])
			CHECK(listen_to(fd[i], &b));
		heard[i] = heard[i] || b.n;
		n += heard[i];
	}
	buf_free(&b);
	return n;
}

/* Nobody answers: the service may be far away, so in a while the others begin as well. */
TEST(only_so_many_handshakes_begin_at_once_and_all_are_had)
{
	enum { CALLS = 80 };
	struct line l;
	struct wish x[CALLS];
	int fd[CALLS];
	bool heard[CALLS] = { false };
	uint64_t start;
	size_t n = 0;

	line_open(&l, 0, (struct upstream_options){ .connect_ms = 20000 });
	uv_update_time(&l.well.loop);
	start = uv_now(&l.well.loop);
	for (size_t i = 0; i < CALLS; i++)
		wish_get(&l.well, &x[i]);
	for (size_t i = 0; i < CALLS; i++)
		fd[i] = answer_call(&l.well.loop, l.well.listener);
	while (n < CALLS) {
		turn_for(&l.well.loop, 1);
		n = spoken_to(fd, heard, CALLS);
		if (uv_now(&l.well.loop) - start < 10)
			CHECK(n <= 4);
		else if (uv_now(&l.well.loop) - start < 20)
			CHECK(n <= 68);
	}
	for (size_t i = 0; i < CALLS; i++)
		slam(fd[i]);
	for (size_t i = 0; i < CALLS; i++)
		TURN_UNTIL(&l.well.loop, wish_is_over(&x[i]));
	line_close(&l);
}
