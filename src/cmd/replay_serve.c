/* The loop and the signals are those of all commands that serve; the replay opens its server on them. */
#include "cmd/replay_serve.h"

#include <stdio.h>

#include "cmd/listen.h"
#include "cmd/serve.h"
#include "replay/tape_server.h"

struct replay_serving {
	struct serve serve;
	struct arena *arena;
	struct tape_server *server;
	struct str host;
	bool json;
};

static void replay_serve_stop(void *own)
{
	tape_server_stop(((struct replay_serving *)own)->server, true);
}

static bool replay_serve_tell(struct replay_serving *s, struct err *err)
{
	uint16_t port = tape_server_port(s->server);

	if (!s->json)
		return serve_announce(s->arena, s->host, port, STR(""), err);
	fprintf(stderr, "%.*s\n", STR_ARG(listen_url(s->arena, s->host, port)));
	return true;
}

static bool replay_serve_run(void *own, struct tape_server *server, struct err *err)
{
	struct replay_serving *s = own;
	bool told;

	s->server = server;
	told = replay_serve_tell(s, err);
	if (told)
		serve_run(&s->serve);
	else
		serve_stop(&s->serve);
	return told;
}

bool replay_serve(struct arena *a, struct str listen, bool json, const struct replaying_options *o,
		  struct replaying_outcome *out, struct err *err)
{
	struct replay_serving s = { .arena = a, .json = json };
	struct replaying_host host = { .serve = replay_serve_run, .own = &s };
	bool done;

	if (!listen_parse(a, listen, &host.address, &host.port, err))
		return false;
	s.host = host.address;
	serve_init(&s.serve, replay_serve_stop, &s);
	host.loop = &s.serve.loop;
	done = replaying_serve(a, o, &host, out, err);
	serve_free(&s.serve);
	return done;
}
