/* Each client that connects is a talk with a session of its own. */
#include "replay/mcp_lane_door.h"

#include "base/clock.h"
#include "replay/mcp_lane_session.h"

struct mcp_door_talk {
	struct door_client *client;
	struct mcp_session *session; /* NULL: the server runs */
	bool over; /* the client sends no more */
};

static void mcp_door_send(void *context, struct str line)
{
	struct mcp_door_talk *t = context;

	door_send(t->client, line);
}

/* One who has said all goes when it has got all. */
static void mcp_door_rest(struct mcp_door_talk *t)
{
	uint64_t due = t->session ? mcp_session_due(t->session) : UINT64_MAX;

	if (t->over && due == UINT64_MAX)
		door_end(t->client);
	else
		door_wake(t->client, due);
}

static struct mcp_caller mcp_door_caller(struct arena *a, struct val hello)
{
	struct val list = val_get(hello, STR("argv")), one;
	struct mcp_caller who = { .name = val_get_text(hello, STR("name"), a) };
	struct val_iter it = val_begin(list);
	struct str *argv = arena_array(a, struct str, val_count(list) + 1);

	if (who.name.n == 0)
		who.name = str_of(NULL, 0);
	while (val_is(list, JSON_ARRAY) && val_next(&it, &one))
		if (val_is(one, JSON_STRING))
			argv[who.argc++] = val_text(one, a);
	who.argv = argv;
	return who;
}

static void *mcp_door_begin(void *context, struct door_client *c, struct val hello)
{
	const struct mcp_door *m = context;
	struct mcp_door_talk *t = mem_alloc(sizeof(*t));
	struct mcp_session_options o = { .lane = m->lane, .send = mcp_door_send, .context = t };
	struct arena a;

	*t = (struct mcp_door_talk){ .client = c };
	if (m->lane->ops->live) {
		door_send(c, STR("run\n"));
		door_end(c);
		return t;
	}
	arena_init(&a);
	o.who = mcp_door_caller(&a, hello);
	t->session = mcp_session_open(&o);
	arena_free(&a);
	door_send(c, STR("serve\n"));
	return t;
}

static void mcp_door_line(void *talk, struct str line)
{
	struct mcp_door_talk *t = talk;

	if (!t->session)
		return;
	mcp_session_line(t->session, line, clock_mono_ns());
	mcp_door_rest(t);
}

static void mcp_door_wake(void *talk)
{
	struct mcp_door_talk *t = talk;

	if (!t->session)
		return;
	mcp_session_tick(t->session, clock_mono_ns());
	mcp_door_rest(t);
}

static void mcp_door_over(void *talk)
{
	struct mcp_door_talk *t = talk;

	t->over = true;
	mcp_door_rest(t);
}

static void mcp_door_close(void *talk)
{
	struct mcp_door_talk *t = talk;

	mcp_session_close(t->session);
	mem_free(t);
}

static void mcp_door_sight(void *context, struct val tape)
{
	const struct mcp_door *m = context;

	if (m->live)
		mcp_live_see(m->live, tape);
}

struct door_lane mcp_door_lane(struct mcp_door *m)
{
	return (struct door_lane){
		.name = "mcp",
		.context = m,
		.begin = mcp_door_begin,
		.line = mcp_door_line,
		.wake = mcp_door_wake,
		.over = mcp_door_over,
		.close = mcp_door_close,
		.sight = mcp_door_sight,
	};
}
