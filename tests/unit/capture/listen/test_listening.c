/* The whole recorder on a loop: a service, clients with sockets of their own, and the token. */
#include "capture/listen/listening.h"

#include <signal.h>

#include "unit/capture/listen_stage.h"
#include "unit/net/sockets.h"

struct model_service {
	struct server *server;
	char target[200];
	bool has_token;
};

static void service_head(void *context, struct request *q)
{
	struct model_service *s = context;

	q->own = s;
	snprintf(s->target, sizeof(s->target), "%.*s", STR_ARG(q->head->target));
	s->has_token = http_find(q->head, STR("x-trackway-token")).p != NULL;
}

static void service_body(struct request *q, struct str bytes)
{
	(void)q;
	(void)bytes;
}

static void service_end(struct request *q)
{
	static const struct http_header type = { { "Content-Type", 12 }, { "application/json", 16 } };

	request_reply(q, 200, &type, 1,
		      STR("{\"id\":\"c\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":"
			  "{\"role\":\"assistant\",\"content\":\"hi\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,"
			  "\"completion_tokens\":2,\"total_tokens\":5}}"));
}

static void service_gone(struct request *q, bool whole)
{
	(void)q;
	(void)whole;
}

static const struct server_ops service_ops = {
	.head = service_head, .body = service_body, .end = service_end, .gone = service_gone,
};

static void listening_removed(void *context, uint64_t count, uint64_t bytes)
{
	(void)context;
	(void)count;
	(void)bytes;
}

static const char *no_variable(const char *name)
{
	(void)name;
	return NULL;
}

static struct str ask_with(uv_loop_t *loop, uint16_t port, const char *path, const char *header, struct buf *b)
{
	static const char body[] = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a canary\"}]}";
	char text[1000];
	int fd = dial(port);

	snprintf(text, sizeof(text), "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n%sConnection: close\r\nContent-Type: "
		 "application/json\r\nContent-Length: %zu\r\n\r\n%s", path, port, header, sizeof(body) - 1, body);
	say(fd, str_from(text));
	buf_clear(b);
	hear_until(loop, fd, b, STR("}"));
	close(fd);
	return buf_str(b);
}

#define TOKEN "0123456789abcdef"

TEST(requests_are_passed_on_and_recorded_and_nothing_of_the_token_stays)
{
	struct stage s = { .now = 0 };
	struct model_service service = { .has_token = false };
	struct server_options so = { .ops = &service_ops, .context = &service, .guard.open = true };
	struct recording_options r = { .argv = NULL };
	struct listening_options o = { .record = &r, .host = STR("127.0.0.1"), .token = STR(TOKEN), .idle_ns = SECOND };
	struct listen_dir_found found;
	struct listening_tally tally;
	struct listening *l;
	struct routes routes;
	struct arena a;
	struct err err;
	struct buf b;
	uv_loop_t loop;
	const char *dir = test_dir();

	arena_init(&a);
	buf_init(&b);
	setenv("TRACKWAY_HOME", dir, 1);
	setenv("XDG_RUNTIME_DIR", dir, 1);
	CHECK(uv_loop_init(&loop) == 0);
	service.server = server_open(&loop, &so, &err);
	CHECK(service.server && routes_init(&routes, &a, no_variable, &err));
	CHECK(routes_set(&routes, STR("openai"), arena_printf(&a, "http://127.0.0.1:%u/v1", server_port(service.server)),
			 "test", &err));
	r.routes = &routes;
	r.dir = arena_printf(&a, "%s/runs", dir);
	o.events = (struct listening_events){ stage_closed, stage_trouble, stage_full, listening_removed, &s };
	l = listening_open(&loop, &o, &found, &err);
	CHECK(l != NULL);
	CHECK(str_has(ask_with(&loop, listening_port(l), "/openai/v1/chat/completions", "", &b), STR("401")));
	CHECK(str_has(ask_with(&loop, listening_port(l), "/openai/v1/chat/completions", "X-Trackway-Token: " TOKEN "\r\n",
			       &b), STR("200 OK")));
	CHECK(!service.has_token);
	CHECK(str_has(ask_with(&loop, listening_port(l), "/t/" TOKEN "/openai/v1/chat/completions", "", &b),
		      STR("200 OK")));
	CHECK_STR(str_from(service.target), STR("/v1/chat/completions"));
	CHECK(str_has(ask_with(&loop, listening_port(l), "/t/" TOKEN "/openai/v1/traces", "", &b), STR("404")));
	CHECK(!str_has(ask_with(&loop, listening_port(l), "/t/" TOKEN "/v1/traces", "", &b), STR("404")));
	CHECK(str_has(ask_with(&loop, listening_port(l), "/t/" TOKEN "/openai/v1/chat/completions",
			       "Origin: https://page.example\r\n", &b), STR("403")));
	listening_stop(l, SIGTERM, false);
	server_stop(service.server, true);
	uv_run(&loop, UV_RUN_DEFAULT);
	listening_close(l, &tally);
	CHECK_INT(tally.unknown, 1);
	CHECK_INT(tally.astray, 1);
	CHECK_INT(tally.telemetry.requests + tally.telemetry.refused, 1);
	CHECK_INT(tally.strangers, 1);
	CHECK_INT(tally.runs.calls, 2);
	CHECK_INT(tally.runs.closed, 1); /* the same request twice is one run */
	CHECK_INT(s.closed, 1);
	CHECK_INT(s.troubles, 0);
	s.o.dir = r.dir;
	arena_init(&s.arena);
	CHECK(!str_has(stage_read(&s, s.last, "agent-trace.jsonl"), STR(TOKEN)));
	CHECK(!str_has(stage_read(&s, s.last, "agent-trace.jsonl"), STR("canary")));
	server_close(service.server);
	CHECK(uv_loop_close(&loop) == 0);
	buf_free(&b);
	arena_free(&s.arena);
	arena_free(&a);
}
