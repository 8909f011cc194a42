/* What the tape does not answer goes to its service: here another tape server on the same loop. */
#include "replay/tape_live.h"

#include "unit/replay/tape_stage.h"

struct way_out {
	struct fake fake; /* first: the functions of fakes are given it */
	struct url url;
};

static bool goes_out(void *context, struct arena *a, const struct http_head *h, struct tape_way *out)
{
	struct way_out *w = context;

	(void)h;
	out->url = &w->url;
	out->target = arena_copy(a, STR("/v1/x"));
	return w->url.host.p != NULL;
}

static const struct tape_server_ops ops = { fake_ask, fake_translate, fake_route, fake_note, goes_out };

/* Asks the server that has no tape; the service, where there is one, has `f`. In the arena. */
static struct str ask(struct arena *a, struct fake *f, bool has_service, const char *body)
{
	static const struct str hosts[] = { { "x", 1 }, { "127.0.0.1", 9 } };
	struct way_out *w = arena_new(a, struct way_out);
	struct tape_server_options o = { .guard = { .hosts = hosts, .host_count = 2 }, .ops = &ops, .context = w,
					 .pace = &w->fake.pace };
	struct err err = { .kind = ERR_NONE };
	struct tape_server *service;
	struct stage s = { .fake = &w->fake };
	struct str got, address;

	uv_loop_init(&s.loop);
	service = fake_open(f, &s.loop);
	s.server = tape_server_open(&s.loop, &o, &err);
	CHECK(s.server);
	address = arena_printf(a, "http://127.0.0.1:%u", has_service ? tape_server_port(service) : 1);
	CHECK(url_parse(a, address, &w->url, &err));
	got = arena_copy(a, stage_hear(&s, stage_ask(&s, "POST", "/there", str_from(body), "")));
	tape_server_stop(s.server, true);
	tape_server_stop(service, true);
	uv_run(&s.loop, UV_RUN_DEFAULT);
	CHECK_INT(tape_server_count(s.server), 0);
	tape_server_close(s.server);
	tape_server_close(service);
	CHECK_INT(uv_loop_close(&s.loop), 0);
	buf_free(&s.got);
	buf_free(&w->fake.missed);
	buf_free(&f->missed);
	return got;
}

TEST(an_answer_of_the_service_passes)
{
	struct fake *f = test_alloc(sizeof(*f));
	struct arena a;
	struct str got;

	memset(f, 0, sizeof(*f));
	arena_init(&a);
	fake_add(f, "POST", "/v1/x", "{\"q\":1}", "application/json", STR("{\"id\":1}"));
	got = ask(&a, f, true, "{\"q\":1}");
	CHECK(str_starts(got, STR("HTTP/1.1 200 OK\r\n")) && str_ends(got, STR("\r\n\r\n{\"id\":1}")));
	CHECK(f->used[0]);
	arena_free(&a);
}

TEST(a_stream_of_the_service_passes_whole)
{
	struct fake *f = test_alloc(sizeof(*f));
	struct buf body = { 0 };
	struct arena a;
	struct str got;
	bool whole;

	memset(f, 0, sizeof(*f));
	arena_init(&a);
	fake_chunks(fake_add(f, "POST", "/v1/x", "{}", "text/event-stream", STR("data: 1\n\ndata: 2\n\n")), 2, 9, 1000);
	got = ask(&a, f, true, "{}");
	CHECK_STR(stage_body(&body, got, &whole), STR("data: 1\n\ndata: 2\n\n"));
	CHECK(whole);
	buf_free(&body);
	arena_free(&a);
}

TEST(an_answer_that_breaks_off_is_seen_as_broken)
{
	struct fake *f = test_alloc(sizeof(*f));
	struct buf body = { 0 };
	struct tape_line *l;
	struct arena a;
	struct str got;
	bool whole;

	memset(f, 0, sizeof(*f));
	arena_init(&a);
	l = fake_add(f, "POST", "/v1/x", "{}", "text/event-stream", STR("data: 1\n\n"));
	l->http.end = TAPE_CUT;
	got = ask(&a, f, true, "{}");
	stage_body(&body, got, &whole);
	CHECK(!whole);
	buf_free(&body);
	arena_free(&a);
}

TEST(a_service_that_is_not_there_is_a_502)
{
	struct fake *f = test_alloc(sizeof(*f));
	struct arena a;
	struct str got;

	memset(f, 0, sizeof(*f));
	arena_init(&a);
	got = ask(&a, f, false, "{}");
	CHECK(str_starts(got, STR("HTTP/1.1 502 ")));
	CHECK(str_has(got, STR("trackway_upstream")));
	arena_free(&a);
}
