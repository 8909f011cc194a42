#include "sink/push/push.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "harness/test.h"
#include "net/http/unpack.h"

/* A receiver in a process of its own that gives one answer after the other, each over a connection of its own. */
struct stub {
	pid_t child;
	uint16_t port;
	int requests; /* a pipe with the requests as they came */
};

#define HANG "hang"   /* no answer */
#define RESET "reset" /* the connection is cut */

/* Reads a request with its body. Gives its length. */
static size_t stub_read(int fd, char *got, size_t room)
{
	size_t n = 0, want = SIZE_MAX;
	ssize_t more;

	while (n < want && n < room && (more = read(fd, got + n, room - n)) > 0) {
		const char *end;

		n += (size_t)more;
		end = memmem(got, n, "\r\n\r\n", 4);
		if (end && want == SIZE_MAX) {
			const char *length = memmem(got, n, "Content-Length: ", 16);

			CHECK(length);
			want = (size_t)(end + 4 - got) + strtoul(length + 16, NULL, 10);
		}
	}
	return n;
}

static void stub_serve(int listening, int out, const char *const *answers)
{
	static char got[1 << 20];

	for (; *answers; answers++) {
		int fd = accept(listening, NULL, NULL);
		size_t n = stub_read(fd, got, sizeof(got));

		CHECK(write(out, &n, sizeof(n)) == sizeof(n) && write(out, got, n) == (ssize_t)n);
		if (strcmp(*answers, HANG) == 0)
			continue; /* the connection stays open */
		if (strcmp(*answers, RESET) == 0) {
			struct linger l = { .l_onoff = 1, .l_linger = 0 };

			setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
		} else {
			size_t length = strlen(*answers);

			for (size_t sent = 0; sent < length;) {
				ssize_t wrote = send(fd, *answers + sent, length - sent, MSG_NOSIGNAL);

				if (wrote <= 0)
					break;
				sent += (size_t)wrote;
			}
		}
		close(fd);
	}
	pause();
}

static struct stub stub_begin(const char *const *answers)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0), ends[2];
	struct stub s;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, 8) == 0 && pipe(ends) == 0);
	CHECK(getsockname(fd, (struct sockaddr *)&at, &size) == 0);
	s = (struct stub){ .child = fork(), .port = ntohs(at.sin_port), .requests = ends[0] };
	if (s.child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails does not come to stub_end */
		stub_serve(fd, ends[1], answers);
	}
	close(fd);
	close(ends[1]);
	return s;
}

static void stub_end(struct stub *s)
{
	kill(s->child, SIGKILL);
	waitpid(s->child, NULL, 0);
	close(s->requests);
}

static struct str stub_request(struct stub *s)
{
	size_t n, at = 0;
	ssize_t more;
	char *p;

	CHECK(read(s->requests, &n, sizeof(n)) == sizeof(n));
	p = test_alloc(n + 1);
	while (at < n && (more = read(s->requests, p + at, n - at)) > 0)
		at += (size_t)more;
	return str_of(p, at);
}

/* A sender whose waits take no time. */
struct sender {
	struct arena a;
	struct push_plan plan;
	struct push_hooks hooks;
	struct push_result r;
	struct err err;
	uint64_t now, waits[16];
	size_t wait_count;
	bool stop; /* at the next wait */
	struct str said;
};

static uint64_t sender_now(void *own)
{
	return ((struct sender *)own)->now;
}

static bool sender_wait(void *own, uint64_t ms)
{
	struct sender *s = own;

	s->now += ms;
	s->waits[s->wait_count++] = ms;
	return !s->stop;
}

static void sender_said(void *own, struct str sentence)
{
	struct sender *s = own;

	s->said = arena_copy(&s->a, sentence);
}

static const char *no_env(const char *name)
{
	(void)name;
	return NULL;
}

static struct sender *sender_new(const char *endpoint, const struct http_header *headers, size_t count)
{
	struct sender *s = test_alloc(sizeof(*s));
	struct push_wish w = { .endpoint = str_from(endpoint), .headers = headers, .header_count = count };

	arena_init(&s->a);
	if (!push_plan_read(&s->a, &w, PUSH_TRACES, no_env, &s->plan, &s->err))
		FAIL("%s", s->err.text);
	s->hooks = (struct push_hooks){ sender_said, sender_now, sender_wait, s, 7 };
	return s;
}

static struct sender *sender_to(const struct stub *stub)
{
	char endpoint[64];

	snprintf(endpoint, sizeof(endpoint), "http://127.0.0.1:%u", stub->port);
	return sender_new(endpoint, NULL, 0);
}

static bool sender_send(struct sender *s, struct str body)
{
	struct push *p = push_open(&s->plan, &s->hooks);
	bool taken = push_send(p, body, &s->r, &s->err);

	s->r.message = arena_copy(&s->a, s->r.message);
	push_close(p);
	return taken;
}

#define HEAD(status, type, length) \
	"HTTP/1.1 " status "\r\nConnection: close\r\nContent-Type: " type "\r\nContent-Length: " length "\r\n"
#define OK HEAD("200 OK", "application/x-protobuf", "0") "\r\n"
#define BUSY HEAD("503 Service Unavailable", "application/json", "18") "\r\n{\"message\":\"busy\"}"

TEST(a_body_is_posted_as_it_is)
{
	struct stub stub = stub_begin((const char *const[]){ OK, OK, NULL });
	struct sender *s = sender_to(&stub);
	struct str got;

	CHECK(sender_send(s, STR("abc")));
	CHECK_INT(s->r.status, 200);
	CHECK_INT(s->r.tries, 1);
	CHECK_INT(s->r.message.n, 0);
	got = stub_request(&stub);
	CHECK(str_starts(got, STR("POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1:")));
	CHECK(str_has(got, STR("\r\nContent-Type: application/x-protobuf\r\n")));
	CHECK(str_ends(got, STR("\r\n\r\nabc")));
	CHECK(!str_has(got, STR("Content-Encoding")));
	s->plan.encoding = PUSH_JSON;
	CHECK(sender_send(s, STR("{}")));
	CHECK(str_has(stub_request(&stub), STR("\r\nContent-Type: application/json\r\n")));
	stub_end(&stub);
}

static void add_piece(void *context, struct str piece)
{
	buf_add_str(context, piece);
}

TEST(a_body_may_be_packed)
{
	struct stub stub = stub_begin((const char *const[]){ OK, NULL });
	struct sender *s = sender_to(&stub);
	struct unpack *u = unpack_open(UNPACK_GZIP, 1 << 20);
	char *body = test_alloc(100000);
	struct buf plain;
	struct str got;

	for (size_t i = 0; i < 100000; i++)
		body[i] = (char)(i * i >> 3);
	s->plan.gzip = true;
	CHECK(sender_send(s, str_of(body, 100000)));
	got = stub_request(&stub);
	CHECK(str_has(got, STR("\r\nContent-Encoding: gzip\r\n")));
	buf_init(&plain);
	CHECK(unpack_push(u, str_skip(got, str_find(got, STR("\r\n\r\n")) + 4), (struct unpack_sink){ add_piece, &plain }));
	CHECK(unpack_is_done(u) && plain.n == 100000 && memcmp(plain.p, body, plain.n) == 0);
	buf_free(&plain);
	unpack_close(u);
	stub_end(&stub);
}

TEST(some_answers_are_worth_another_try_and_others_are_not)
{
	static const struct { const char *answer; int status; bool again; } cases[] = {
		{ HEAD("429 x", "application/json", "0") "\r\n", 429, true },
		{ HEAD("502 x", "application/json", "0") "\r\n", 502, true },
		{ BUSY, 503, true },
		{ HEAD("504 x", "application/json", "0") "\r\n", 504, true },
		{ RESET, 0, true },
		{ "no http\r\n\r\n", 0, true },
		{ HEAD("400 x", "application/json", "17") "\r\n{\"message\":\"bad\"}", 400, false },
		{ HEAD("401 x", "application/json", "0") "\r\n", 401, false },
		{ HEAD("404 x", "text/plain", "4") "\r\nnope", 404, false },
		{ HEAD("408 x", "application/json", "0") "\r\n", 408, false },
		{ HEAD("413 x", "application/json", "0") "\r\n", 413, false },
		{ HEAD("500 x", "application/json", "0") "\r\n", 500, false },
		{ HEAD("501 x", "application/json", "0") "\r\n", 501, false },
		{ HEAD("505 x", "application/json", "0") "\r\n", 505, false },
		{ HEAD("307 x", "application/json", "0") "Location: http://127.0.0.1:1/\r\n\r\n", 307, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct stub stub = stub_begin((const char *const[]){ cases[i].answer, OK, NULL });
		struct sender *s = sender_to(&stub);

		test_case("%zu: %d", i, cases[i].status);
		CHECK_INT(sender_send(s, STR("abc")), cases[i].again);
		CHECK_INT(s->r.tries, cases[i].again ? 2 : 1);
		CHECK_INT(s->r.status, cases[i].again ? 200 : cases[i].status);
		CHECK_INT(s->wait_count, cases[i].again ? 1 : 0);
		CHECK(cases[i].again || (strstr(s->err.text, "; not tried again") && s->err.kind == ERR_IO));
		stub_end(&stub);
	}
}

TEST(a_failure_says_who_what_and_what_next)
{
	const struct http_header headers[] = { { STR("Authorization"), STR("Bearer open-sesame") } };
	struct stub stub = stub_begin((const char *const[]){
		HEAD("503 x", "application/json", "34") "\r\n{\"message\":\"no open-sesame\\nhere\"}",
		HEAD("400 x", "application/x-protobuf", "7") "\r\n\x08\x03\x12\x03" "bad", NULL });
	struct sender *s;
	char endpoint[64];

	snprintf(endpoint, sizeof(endpoint), "http://127.0.0.1:%u?key=hidden", stub.port);
	s = sender_new(endpoint, headers, 1);
	CHECK(!sender_send(s, STR("abc")));
	CHECK_STR(s->said, arena_printf(&s->a, "POST http://127.0.0.1:%u/v1/traces: 503 Service Unavailable: no ... here; "
					"trying again in %.1f s (try 2 of 5)", stub.port, (double)s->waits[0] / 1000));
	CHECK_STR(str_from(s->err.text), arena_printf(&s->a, "POST http://127.0.0.1:%u/v1/traces: 400 Bad Request: bad; not tried "
						      "again", stub.port));
	CHECK(str_has(stub_request(&stub), STR("\r\nAuthorization: Bearer open-sesame\r\n")));
	CHECK(str_starts(stub_request(&stub), STR("POST /v1/traces?key=hidden ")));
	stub_end(&stub);
}

TEST(retry_after_is_honoured_in_both_forms)
{
	static const char *const days[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t later = (time_t)(clock_wall_ns() / 1000000000) + 90;
	char date[400];
	struct stub stub;
	struct sender *s;
	struct tm t;

	gmtime_r(&later, &t);
	snprintf(date, sizeof(date), HEAD("503 x", "a/b", "0") "Retry-After: %s, %02d %s %d %02d:%02d:%02d GMT\r\n\r\n", days[t.tm_wday],
		 t.tm_mday, months[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
	stub = stub_begin((const char *const[]){ HEAD("429 x", "a/b", "0") "Retry-After: 11\r\n\r\n", date, OK, NULL });
	s = sender_to(&stub);
	CHECK(sender_send(s, STR("abc")));
	CHECK_INT(s->wait_count, 2);
	CHECK(s->waits[0] >= 11000 && s->waits[0] < 11500);
	CHECK(s->waits[1] >= 30000 && s->waits[1] <= 90500); /* on a machine that is slow, less is left of it */
	stub_end(&stub);
	stub = stub_begin((const char *const[]){ HEAD("429 x", "a/b", "0") "Retry-After: 600\r\n\r\n", OK, NULL });
	s = sender_to(&stub);
	CHECK(!sender_send(s, STR("abc")));
	CHECK(strstr(s->err.text, "it wants to be left alone for 600 s, so given up"));
	CHECK_INT(s->wait_count, 0);
	stub_end(&stub);
}

TEST(tries_and_time_have_an_end)
{
	const char *const busy[] = { BUSY, BUSY, BUSY, BUSY, BUSY, OK, NULL };
	struct stub stub = stub_begin(busy);
	struct sender *s = sender_to(&stub);

	CHECK(!sender_send(s, STR("abc")));
	CHECK_INT(s->r.tries, 5);
	CHECK_INT(s->wait_count, 4);
	for (size_t i = 0; i < 4; i++)
		CHECK(s->waits[i] >= 500u << i && s->waits[i] <= 1000u << i);
	CHECK(strstr(s->err.text, "503 Service Unavailable: busy; given up after 5 tries"));
	stub_end(&stub);
	stub = stub_begin(busy);
	s = sender_to(&stub);
	s->plan.budget_ms = 1500;
	CHECK(!sender_send(s, STR("abc")));
	CHECK_INT(s->r.tries, 2);
	CHECK(strstr(s->err.text, "given up after 1 s"));
	stub_end(&stub);
	stub = stub_begin(busy);
	s = sender_to(&stub);
	s->stop = true;
	CHECK(!sender_send(s, STR("abc")));
	CHECK(strstr(s->err.text, "; interrupted"));
	stub_end(&stub);
}

TEST(the_same_seed_waits_the_same)
{
	uint64_t first = 0;

	for (int i = 0; i < 3; i++) {
		struct stub stub = stub_begin((const char *const[]){ BUSY, OK, NULL });
		struct sender *s = sender_to(&stub);

		s->hooks.seed = i == 2 ? 8 : 7;
		CHECK(sender_send(s, STR("abc")));
		first = i == 0 ? s->waits[0] : first;
		CHECK_INT(s->waits[0] == first, i < 2);
		stub_end(&stub);
	}
}

TEST(no_answer_in_time_is_tried_again)
{
	struct stub stub = stub_begin((const char *const[]){ HANG, OK, NULL });
	struct sender *s = sender_to(&stub);

	s->plan.timeout_ms = 200 * test_slower();
	CHECK(sender_send(s, STR("abc")));
	CHECK_INT(s->r.tries, 2);
	CHECK(str_has(s->said, STR(": no answer within ")));
	stub_end(&stub);
}

TEST(nobody_there_is_tried_again_and_said)
{
	struct stub stub = stub_begin((const char *const[]){ NULL });
	struct sender *s;

	stub_end(&stub);
	s = sender_to(&stub);
	CHECK(!sender_send(s, STR("abc")));
	CHECK_INT(s->r.status, 0);
	CHECK_INT(s->r.tries, 5);
	CHECK(strstr(s->err.text, "refused; given up after 5 tries" ERR_HELP "is the receiver running"));
	s = sender_new("http://127.0.0.1:4317", NULL, 0);
	s->plan.tries = 1;
	s->plan.timeout_ms = 200;
	if (!sender_send(s, STR("abc")))
		CHECK(strstr(s->err.text, ERR_HELP "4317 is the port of gRPC"));
}

TEST(what_is_rejected_is_counted_and_not_sent_again)
{
	struct stub stub = stub_begin((const char *const[]){
		HEAD("200 OK", "application/x-protobuf", "11") "\r\n\x0a\x09\x08\x03\x12\x05older",
		HEAD("200 OK", "application/json", "64") "\r\n{\"partialSuccess\":{\"rejectedSpans\":\"2\",\"errorMessage\":\"older\"}}\n",
		HEAD("200 OK", "application/json", "44") "\r\n{\"partialSuccess\":{\"errorMessage\":\"slowly\"}}",
		HEAD("200 OK", "text/html", "6") "\r\n<html>",
		HEAD("200 OK", "application/json", "2") "\r\n{x",
		HEAD("200 OK", "application/json", "9") "\r\n{",
		HEAD("204 x", "application/json", "0") "\r\n", NULL });
	static const struct { uint64_t rejected; const char *message; } want[] = {
		{ 3, "older" }, { 2, "older" }, { 0, "slowly" },
		{ 0, "its answer is not OTLP: is this the address of a receiver?" }, { 0, "its answer cannot be read" },
		{ 0, "its answer broke off" }, { 0, "" },
	};
	struct sender *s = sender_to(&stub);

	for (size_t i = 0; i < COUNT(want); i++) {
		test_case("%zu", i);
		CHECK(sender_send(s, STR("abc")));
		CHECK_INT(s->r.tries, 1);
		CHECK_INT(s->r.rejected, want[i].rejected);
		CHECK_STR(s->r.message, str_from(want[i].message));
	}
	stub_end(&stub);
}

TEST(an_answer_without_end_is_not_read)
{
	static char answer[(5 << 20) + 200];
	struct stub stub;
	struct sender *s;
	int n = snprintf(answer, 200, HEAD("400 x", "application/json", "5242880") "\r\n");

	memset(answer + n, ' ', 5 << 20);
	stub = stub_begin((const char *const[]){ answer, NULL });
	s = sender_to(&stub);
	CHECK(!sender_send(s, STR("abc")));
	CHECK_INT(s->r.status, 400);
	CHECK(strstr(s->err.text, "400 Bad Request: its answer is longer than 4 MiB and was not read; not tried again"));
	stub_end(&stub);
}
