#include "notary/cosign.h"

#include "ledger/dir/log_dir.h"
#include "notary/cosign_http.h"
#include "unit/notary/serving.h"

/* A log in a directory, of the sample's key. */
struct recorder {
	struct sample *s;
	struct log *log;
	struct cosign_result r;
};

static void recorder_open(struct recorder *d, struct sample *s)
{
	struct log_dir_options o = {
		.dir = arena_printf(&s->a, "%s/log", s->dir), .keys = arena_printf(&s->a, "%s/keys", s->dir),
		.signer = &s->log, .on_network = true,
	};

	*d = (struct recorder){ .s = s };
	if (!keys_add(&s->a, o.keys, &s->log, &s->err) || !log_dir_make(&o, s->log.key.name, &s->err))
		FAIL("%s", s->err.text);
	d->log = log_dir_open(&o, &s->err);
	if (!d->log)
		FAIL("%s", s->err.text);
}

static void recorder_close(struct recorder *d)
{
	log_close(d->log);
	sample_close(d->s);
}

/* So many more entries, published. */
static void recorder_grow(struct recorder *d, int count)
{
	struct log_head head;

	CHECK(d->log->ops->head(d->log, &head, &d->s->err));
	for (int i = 0; i < count; i++) {
		struct str name = arena_printf(&d->s->a, "entry %llu", (unsigned long long)head.size + (unsigned)i);
		struct log_item item = { .ident = name, .entry = name };

		CHECK(log_append(d->log, &item, 1, &d->s->err));
	}
	if (!log_publish(d->log, &d->s->err))
		FAIL("%s", d->s->err.text);
}

static enum cosign_outcome ask_here(struct recorder *d)
{
	struct cosign_way way = cosign_way_here(d->s->w);

	if (!cosign_ask(&d->s->a, d->log, &d->s->signer.key, &way, &d->r, &d->s->err))
		FAIL("%s", d->s->err.text);
	CHECK_INT(d->r.outcome == COSIGN_DONE, d->r.why.p == NULL);
	return d->r.outcome;
}

static size_t lines_of(struct recorder *d)
{
	struct checkpoint c;
	struct note *n;

	CHECK(log_read_checkpoint(d->log, &d->s->a, &c, &n, &d->s->err));
	return n->count;
}

TEST(a_cosignature_is_fetched_checked_and_added)
{
	struct recorder d;

	recorder_open(&d, sample_open());
	recorder_grow(&d, 3);
	CHECK_INT(ask_here(&d), COSIGN_DONE);
	CHECK_INT(d.r.time, SAMPLE_NOW);
	CHECK_INT(d.r.size, 3);
	CHECK_INT(lines_of(&d), 1);
	CHECK(cosign_add(d.log, &d.r, &d.s->err));
	CHECK_INT(lines_of(&d), 2);
	recorder_close(&d);
}

TEST(the_witness_says_from_where_the_proof_is_to_be)
{
	struct recorder d;

	recorder_open(&d, sample_open());
	recorder_grow(&d, 3);
	CHECK_INT(ask_here(&d), COSIGN_DONE);
	recorder_grow(&d, 300);
	CHECK_INT(ask_here(&d), COSIGN_DONE);
	CHECK_INT(d.r.seen, 3);
	CHECK_INT(ask_here(&d), COSIGN_DONE); /* again, of the same head */
	CHECK_INT(d.r.seen, 303);
	recorder_close(&d);
}

TEST(a_witness_that_has_seen_more_says_so)
{
	struct recorder d;
	struct str later;

	recorder_open(&d, sample_open());
	recorder_grow(&d, 3);
	d.s->forked_at = UINT64_MAX;
	later = sample_body(d.s, 0, 9); /* the sample's entries are the same as ours */
	CHECK_INT(sample_ask(d.s, later), 200);
	CHECK_INT(ask_here(&d), COSIGN_ROLLBACK);
	CHECK(str_starts(d.r.why, STR("[E_ROLLBACK] ")));
	CHECK_INT(d.r.seen, 9);
	recorder_close(&d);
}

TEST(a_witness_that_has_seen_another_log_says_so)
{
	struct recorder d;

	recorder_open(&d, sample_open());
	recorder_grow(&d, 9);
	d.s->forked_at = 1;
	CHECK_INT(sample_ask(d.s, sample_body(d.s, 0, 9)), 200);
	CHECK_INT(ask_here(&d), COSIGN_FORK); /* the same size */
	recorder_grow(&d, 5);
	CHECK_INT(ask_here(&d), COSIGN_FORK); /* beyond it */
	CHECK(str_starts(d.r.why, STR("[E_FORK] ")));
	recorder_close(&d);
}

/* A witness that gives what it was told to. */
struct liar {
	struct witness_answer x;
	unsigned asked;
};

static bool lie(void *own, struct arena *a, struct str body, struct witness_answer *out, struct err *err)
{
	struct liar *l = own;

	(void)a;
	(void)body;
	(void)err;
	l->asked++;
	*out = l->x;
	return true;
}

TEST(answers_that_are_none_are_refused_and_nothing_is_added)
{
	static const struct {
		int status;
		const char *media, *body;
	} lies[] = {
		{ 200, "text/plain", "" }, { 200, "text/plain", "hello\n" }, { 200, "text/plain", "\xe2\x80\x94 witness.example/w AAAA\n" },
		{ 409, "text/plain", "2\n" }, { 409, "text/x.tlog.size", "x\n" }, { 409, "text/x.tlog.size", "" }, { 409, "text/x.tlog.size", "2" },
		{ 409, "text/x.tlog.size", "99999999999999999999999\n" }, { 409, "", "\n" }, { 403, "text/plain", "no\n" },
		{ 404, "", "no\x1b[31m\n" }, { 500, "", "" }, { 302, "", "" }, { 400, "", "what\n" },
	};
	struct recorder d;

	recorder_open(&d, sample_open());
	recorder_grow(&d, 5);
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct liar l = { .x = { .status = lies[i].status, .media = lies[i].media, .body = str_from(lies[i].body) } };
		struct cosign_way way = { .ask = lie, .own = &l };

		test_case("%zu", i);
		CHECK(cosign_ask(&d.s->a, d.log, &d.s->signer.key, &way, &d.r, &d.s->err));
		CHECK_INT(d.r.outcome, COSIGN_REFUSED);
		CHECK(d.r.why.n > 0 && !memchr(d.r.why.p, 0x1b, d.r.why.n));
		CHECK_INT(l.asked, 1);
	}
	CHECK_INT(lines_of(&d), 1);
	recorder_close(&d);
}

TEST(a_witness_that_never_has_the_same_size_is_given_up)
{
	struct recorder d;
	struct liar l = { .x = { .status = 409, .media = "text/x.tlog.size; charset=utf-8", .body = STR("2\n") } };
	struct cosign_way way = { .ask = lie, .own = &l };

	recorder_open(&d, sample_open());
	recorder_grow(&d, 5);
	CHECK(cosign_ask(&d.s->a, d.log, &d.s->signer.key, &way, &d.r, &d.s->err));
	CHECK_INT(d.r.outcome, COSIGN_FORK); /* it has 2, and does not take what continues 2 */
	CHECK_INT(l.asked, 2);
	recorder_close(&d);
}

TEST(a_cosignature_of_another_key_is_not_taken)
{
	struct recorder d;
	struct signer other;
	struct cosign_way way;

	recorder_open(&d, sample_open());
	recorder_grow(&d, 3);
	sample_signer(d.s, &other, "witness.example/w", KEY_WITNESS, 7);
	way = cosign_way_here(d.s->w);
	CHECK(cosign_ask(&d.s->a, d.log, &other.key, &way, &d.r, &d.s->err));
	CHECK_INT(d.r.outcome, COSIGN_REFUSED);
	recorder_close(&d);
}

TEST(lines_that_came_as_a_file_are_checked_against_the_head)
{
	struct recorder d;
	struct str line;

	recorder_open(&d, sample_open());
	recorder_grow(&d, 3);
	CHECK_INT(ask_here(&d), COSIGN_DONE);
	line = d.r.line;
	CHECK(cosign_take(&d.s->a, d.log, &d.s->signer.key, line, &d.r, &d.s->err));
	CHECK_INT(d.r.outcome, COSIGN_DONE);
	CHECK(cosign_add(d.log, &d.r, &d.s->err));
	recorder_grow(&d, 1); /* now it is a cosignature of an older head */
	CHECK(cosign_take(&d.s->a, d.log, &d.s->signer.key, line, &d.r, &d.s->err));
	CHECK_INT(d.r.outcome, COSIGN_REFUSED);
	CHECK(cosign_take(&d.s->a, d.log, &d.s->signer.key, STR("nothing\n"), &d.r, &d.s->err));
	CHECK_INT(d.r.outcome, COSIGN_REFUSED);
	recorder_close(&d);
}

TEST(a_line_for_a_head_that_was_replaced_is_not_added)
{
	struct recorder d;

	recorder_open(&d, sample_open());
	recorder_grow(&d, 3);
	CHECK_INT(ask_here(&d), COSIGN_DONE);
	recorder_grow(&d, 1);
	CHECK(!cosign_add(d.log, &d.r, &d.s->err));
	CHECK_INT(lines_of(&d), 1);
	recorder_close(&d);
}

/* ---- over HTTP ---- */

TEST(the_same_over_http)
{
	struct recorder d;
	struct serving v;
	struct cosign_http *h;
	struct cosign_way way;

	recorder_open(&d, sample_open());
	v = serving_begin(d.s);
	h = cosign_http_open(arena_printf(&d.s->a, "http://127.0.0.1:%u", v.port), 0, &d.s->err);
	CHECK(h);
	way = cosign_way_http(h);
	for (int i = 0; i < 3; i++) {
		recorder_grow(&d, 100);
		if (!cosign_ask(&d.s->a, d.log, &d.s->signer.key, &way, &d.r, &d.s->err))
			FAIL("%s", d.s->err.text);
		CHECK_INT(d.r.outcome, COSIGN_DONE);
		CHECK(cosign_add(d.log, &d.r, &d.s->err));
		CHECK_INT(lines_of(&d), 2);
	}
	cosign_http_close(h);
	serving_end(&v);
	recorder_close(&d);
}

/* Answers each connection once, with a size that grows, and closes it without having said so. */
static pid_t begin_abrupt(int listener)
{
	pid_t child = fork();

	if (child)
		return child;
	alarm(30); /* should the test fail, nobody else ends it */
	for (unsigned seen = 1;; seen++) {
		int fd = accept(listener, NULL, NULL);
		char piece[65536];
		size_t got = 0;

		while (got == 0 || !memmem(piece, got, "\n\n", 2)) { /* before the note: all comes in one piece */
			ssize_t n = read(fd, piece + got, sizeof(piece) - got);

			CHECK(n > 0);
			got += (size_t)n;
		}
		dprintf(fd, "HTTP/1.1 409 Conflict\r\nContent-Type: text/x.tlog.size\r\nContent-Length: 2\r\n\r\n%u\n",
			seen);
		usleep(50000); /* whoever goes on at once has asked the next thing by now */
		close(fd);
	}
}

TEST(a_witness_that_closes_the_connection_after_each_answer_is_asked_on_a_new_one)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t n = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct cosign_http *h;
	struct cosign_way way;
	struct recorder d;
	pid_t child;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(bind(listener, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(listener, 5) == 0);
	CHECK(getsockname(listener, (struct sockaddr *)&at, &n) == 0);
	child = begin_abrupt(listener);
	recorder_open(&d, sample_open());
	recorder_grow(&d, 9);
	h = cosign_http_open(arena_printf(&d.s->a, "http://127.0.0.1:%u", ntohs(at.sin_port)), 0, &d.s->err);
	way = cosign_way_http(h);
	if (!cosign_ask(&d.s->a, d.log, &d.s->signer.key, &way, &d.r, &d.s->err))
		FAIL("%s", d.s->err.text);
	CHECK_INT(d.r.outcome, COSIGN_REFUSED);
	CHECK(str_starts(d.r.why, STR("it is asked by others")));
	cosign_http_close(h);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(listener);
	recorder_close(&d);
}

TEST(nobody_at_the_address_is_an_error)
{
	struct recorder d;
	struct serving v;
	struct cosign_http *h;
	struct cosign_way way;

	recorder_open(&d, sample_open());
	recorder_grow(&d, 1);
	v = serving_begin(d.s);
	serving_end(&v); /* the port is free again */
	h = cosign_http_open(arena_printf(&d.s->a, "http://127.0.0.1:%u", v.port), 0, &d.s->err);
	way = cosign_way_http(h);
	CHECK(!cosign_ask(&d.s->a, d.log, &d.s->signer.key, &way, &d.r, &d.s->err));
	CHECK(d.s->err.kind == ERR_IO && strstr(d.s->err.text, "no answer"));
	cosign_http_close(h);
	recorder_close(&d);
}

TEST(a_witness_that_says_nothing_is_left_after_a_while)
{
	struct recorder d;
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t n = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct cosign_http *h;
	struct cosign_way way;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(bind(listener, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(listener, 5) == 0);
	CHECK(getsockname(listener, (struct sockaddr *)&at, &n) == 0);
	recorder_open(&d, sample_open());
	recorder_grow(&d, 1);
	h = cosign_http_open(arena_printf(&d.s->a, "http://127.0.0.1:%u/w", ntohs(at.sin_port)), 300, &d.s->err);
	way = cosign_way_http(h);
	CHECK(!cosign_ask(&d.s->a, d.log, &d.s->signer.key, &way, &d.r, &d.s->err));
	CHECK(strstr(d.s->err.text, "no answer within"));
	cosign_http_close(h);
	close(listener);
	recorder_close(&d);
}

TEST(an_address_that_is_none_is_a_usage_error)
{
	struct err err = { .kind = ERR_NONE };

	CHECK(cosign_http_open(STR("nonsense"), 0, &err) == NULL);
	CHECK_INT(err.kind, ERR_USAGE);
}
