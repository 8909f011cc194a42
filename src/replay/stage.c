/*
 * Every service's address becomes our server's with "/~NAME" before its path, so that a request tells whose it is, and
 * its target is the recorded one when that is taken off.
 */
#include "replay/stage.h"

#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"
#include "replay/fork.h"
#include "replay/mcp_http_lane.h"
#include "replay/mcp_lane_door.h"
#include "replay/shell_lane_door.h"
#include "replay/tape_server.h"

#define GRACE_MS 300 /* for a command to say what it thinks of a miss, before it is ended */

/* Where a service really is, from before its route led to us. */
struct stage_way {
	struct stage_way *next;
	struct str name, base; /* base: the path that requests have of it here */
	struct url url;
};

struct stage {
	struct arena *arena;
	const struct replaying_options *o;
	const struct tape *tape;
	struct player *player;
	struct lane_ops lane;
	struct mcp_lane *mcp;
	struct mcp_door mcp_door;
	struct shell_lane *shell;
	struct mcp_http_lane *http;
	struct tape_server *server;
	struct door *door;
	struct recording_stage recording;
	uv_timer_t grace;
	struct fork *fork; /* NULL: none */
	struct stage_way *ways;
	bool goes_out; /* the question at hand is for its service */
	bool open, ended;
	void (*kill)(void *recording, int signal);
	void *killed;
};

/* ---- what lanes and servers ask ---- */

static bool stage_ask(void *context, struct arena *a, const struct match_question *q, struct match_result *out,
		      struct str *why)
{
	struct stage *s = context;

	return player_ask(s->player, a, q, out, why);
}

static void stage_note(void *context, const struct divergence *d)
{
	struct stage *s = context;

	player_note(s->player, d);
}

static struct str stage_translate(void *context, struct arena *a, struct str answer)
{
	struct stage *s = context;

	return player_translate(s->player, a, answer);
}

static bool stage_stopped(void *context)
{
	struct stage *s = context;

	return player_is_stopped(s->player);
}

static bool stage_runs(void *context)
{
	const struct stage *s = context;

	return s->fork && s->fork->is_parted;
}

static void stage_tool(void *context, struct str name, enum player_tool how)
{
	struct stage *s = context;

	player_note_tool(s->player, name, how);
}

static void stage_consume(void *context, uint64_t x)
{
	struct stage *s = context;

	match_consume(player_match(s->player), x);
}

/* "mcp:NAME" is a lane of MCP over HTTP; the name alone, or an empty text for other lanes. */
static struct str mcp_name(struct str lane)
{
	return str_starts(lane, STR("mcp:")) ? str_skip(lane, 4) : STR("");
}

/* The streams and ends of sessions that clients try are answered without counting. */
static bool ask_other(struct stage *s, struct arena *a, const struct match_question *q, struct match_result *out)
{
	struct match_entry *e = arena_new(a, struct match_entry);
	struct tape_line *made;
	int status = 405;
	const struct tape_line *line =
		mcp_http_lane_other(s->http, mcp_name(q->lane), q->method, q->target, &status);

	if (!line) {
		made = arena_new(s->arena, struct tape_line);
		made->lane = TAPE_MCP_HTTP;
		made->http.status = status;
		made->http.answer.bytes = STR("");
		line = made;
	}
	e->own = line;
	*out = (struct match_result){ .tier = MATCH_EXACT, .entry = e };
	return true;
}

/* A question for its service. Tools that the tape has not may run from now on. */
static bool ask_service(struct stage *s, struct str *why)
{
	s->goes_out = true;
	if (s->fork) {
		s->fork->live++;
		s->fork->is_parted = true;
		player_part(s->player);
	}
	*why = STR("nobody knows where this service is: its address is not in the environment");
	return false;
}

/* Of a replay that asks services too: what the tape does not answer, or is behind the fork. */
static bool ask_or_go_out(struct stage *s, struct arena *a, const struct match_question *q, struct match_result *out,
			  struct str *why)
{
	bool is_model = !mcp_name(q->lane).n;

	if (s->fork && is_model && !player_is_stopped(s->player) && fork_is_reached(s->fork))
		return ask_service(s, why);
	if (!player_ask(s->player, a, q, out, why))
		return s->o->mode == REPLAY_UPDATE || (s->fork && s->fork->is_parted) ? ask_service(s, why) : false;
	if (!s->fork || !is_model)
		return true;
	if (!fork_is_before(s->fork, out->entry->x))
		return ask_service(s, why);
	fork_take(s->fork, out->entry->x);
	return true;
}

static bool server_goes_out(void *context, struct arena *a, const struct http_head *h, struct tape_way *out)
{
	struct stage *s = context;
	struct str rest, name;

	if (!s->goes_out || !str_starts(h->target, STR("/~")))
		return false;
	rest = str_skip(h->target, 2);
	name = str_cut(rest, '/', &rest);
	rest = str_of(name.p + name.n, h->target.n - 2 - name.n);
	for (const struct stage_way *w = s->ways; w; w = w->next)
		if (str_eq(w->name, name)) {
			out->url = &w->url;
			out->target = str_starts(rest, w->base) ? str_skip(rest, w->base.n) : rest;
			out->target = ARENA_JOIN(a, w->url.path, out->target);
			return true;
		}
	return false;
}

static bool server_ask(void *context, struct arena *a, const struct match_question *q, struct match_result *out,
		       struct str *why)
{
	struct stage *s = context;
	struct match_question asked = *q;
	struct str name = mcp_name(q->lane);

	s->goes_out = false;
	door_look(s->door);
	if (name.n && !str_eq(q->method, STR("POST")))
		return ask_other(s, a, q, out);
	if (name.n)
		asked = mcp_http_lane_ask(a, name, q->target, q->body);
	if (!ask_or_go_out(s, a, &asked, out, why))
		return false;
	if (out->entry)
		shell_lane_pass(s->shell, out->entry->begun_us, out->entry->ended_us);
	return true;
}

static struct str server_translate(void *context, struct arena *a, const struct match_question *q,
				   const struct match_entry *e, struct str answer)
{
	struct stage *s = context;
	struct str translated = player_translate(s->player, a, answer);
	struct mcp_http_answer made;

	if (!mcp_name(q->lane).n || !str_eq(q->method, STR("POST")))
		return translated;
	mcp_http_lane_answer(a, e->own, translated, q->body, &made);
	return made.body;
}

/* Whether the tape has MCP of this provider. */
static bool is_mcp(const struct tape *t, struct str provider)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->lines[i].lane == TAPE_MCP_HTTP && str_eq(t->lines[i].http.provider, provider))
			return true;
	return false;
}

/* Of a client that was not led here, and asks by the path alone. */
static struct str find_mcp(const struct tape *t, struct str target)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->lines[i].lane == TAPE_MCP_HTTP && str_eq(t->lines[i].http.target, target))
			return t->lines[i].http.provider;
	return STR("");
}

/* "/~openai/v1/responses": whose it is, and what its service was asked. */
static void server_route(void *context, struct arena *a, const struct http_head *h, struct match_question *q)
{
	struct stage *s = context;
	struct str rest, name;

	(void)h;
	if (!str_starts(q->target, STR("/~"))) {
		name = find_mcp(s->tape, q->target);
		if (name.n)
			q->lane = ARENA_JOIN(a, STR("mcp:"), name);
		return;
	}
	rest = str_skip(q->target, 2);
	name = str_cut(rest, '/', &rest);
	q->target = str_of(name.p + name.n, q->target.n - 2 - name.n);
	if (is_mcp(s->tape, name))
		q->lane = ARENA_JOIN(a, STR("mcp:"), name);
}

static const struct tape_server_ops server_ops = {
	.goes_out = server_goes_out,
	.ask = server_ask,
	.translate = server_translate,
	.route = server_route,
	.note = stage_note,
};

/* ---- entries ---- */

static struct match_entry entry_of(const struct tape_line *l)
{
	return (struct match_entry){
		.q = { .lane = STR("model"), .method = l->http.method, .target = l->http.target,
		       .body = l->http.request.bytes, .versions = l->http.versions },
		.answer = l->http.answer.bytes,
		.x = l->x,
		.group = l->group,
		.begun_us = l->begun_us,
		.ended_us = l->ended_us,
		.own = l,
	};
}

static int order_by_x(const void *a, const void *b)
{
	const struct match_entry *x = a, *y = b;

	return (x->x > y->x) - (x->x < y->x);
}

static void add_entries(struct stage *s)
{
	const struct lane_entries *lanes[] = { &s->http->entries, &s->mcp->entries, &s->shell->entries };
	size_t lane_count = s->o->serves ? 1 : COUNT(lanes), count = s->tape->count, n = 0;
	struct match_entry *all;

	for (size_t i = 0; i < lane_count; i++)
		count += lanes[i]->count;
	all = arena_array(s->arena, struct match_entry, count + 1);
	for (size_t i = 0; i < s->tape->count && s->o->mode != REPLAY_LIVE_MODEL; i++)
		if (s->tape->lines[i].lane == TAPE_MODEL)
			all[n++] = entry_of(&s->tape->lines[i]);
	for (size_t i = 0; i < lane_count; i++)
		for (size_t k = 0; k < lanes[i]->count; k++)
			all[n++] = lanes[i]->items[k];
	qsort(all, n, sizeof(*all), order_by_x);
	for (size_t i = 0; i < n; i++)
		match_add(player_match(s->player), &all[i]);
	player_seal(s->player);
}

/* ---- the recording's side ---- */

static void end_child(uv_timer_t *timer)
{
	struct stage *s = timer->data;

	s->kill(s->killed, SIGTERM);
}

/* The command learns of the miss by its answer; what it does then is no part of the replay. */
static void stage_diverged(void *context)
{
	struct stage *s = context;

	const struct replaying_options *o = s->o;

	if (s->open && !s->ended && !o->go_on && !o->lenient && o->mode != REPLAY_LIVE_TOOLS &&
	    o->mode != REPLAY_UPDATE)
		uv_timer_start(&s->grace, end_child, GRACE_MS, 0);
}

/* The path of a service's address, as it was recorded, or as clients ask for it. */
static struct str base_of(const struct stage *s, const struct route *r)
{
	for (size_t i = 0; i < s->tape->count; i++) {
		const struct tape_line *l = &s->tape->lines[i];

		if ((l->lane == TAPE_MODEL || l->lane == TAPE_MCP_HTTP) && str_eq(l->http.provider, r->name))
			return l->http.base.p ? l->http.base : STR("");
	}
	return r->url.path;
}

/* Names of the user's own are on the tape only. */
static bool add_routes(struct stage *s, struct err *err)
{
	struct routes *all = s->o->routes;

	for (size_t i = 0; i < s->tape->count; i++) {
		const struct tape_line *l = &s->tape->lines[i];

		if ((l->lane != TAPE_MODEL && l->lane != TAPE_MCP_HTTP) || !routes_is_name(l->http.provider) ||
		    routes_find(all, l->http.provider))
			continue;
		if (!routes_set(all, l->http.provider, STR("http://127.0.0.1:1"), "the cassette", err))
			return false;
	}
	return true;
}

/* Addresses on the tape are not asked: whoever made it would get the user's keys. */
static void keep_ways(struct stage *s)
{
	for (const struct route *r = s->o->routes->first; r; r = r->next) {
		struct stage_way *w = arena_new(s->arena, struct stage_way);

		*w = (struct stage_way){ s->ways, r->name, base_of(s, r), r->url };
		s->ways = w;
	}
}

static bool lead_routes(struct stage *s, struct err *err)
{
	unsigned port = tape_server_port(s->server);

	if (s->o->mode >= REPLAY_FORK)
		keep_ways(s);
	if (!add_routes(s, err))
		return false;
	for (const struct route *r = s->o->routes->first; r; r = r->next) {
		struct str base = base_of(s, r);
		struct str hidden = ARENA_JOIN(s->arena, STR("/~"), r->name);
		struct str host = arena_printf(s->arena, "http://127.0.0.1:%u", port);
		struct str url = ARENA_JOIN(s->arena, host, hidden, base);

		if (s->o->mode == REPLAY_LIVE_MODEL && !is_mcp(s->tape, r->name))
			continue;
		if (!routes_set(s->o->routes, r->name, url, "replay", err))
			return false;
		routes_hide(s->o->routes, r->name, hidden);
	}
	return true;
}

static bool open_stage(void *context, uv_loop_t *loop, void (*kill)(void *recording, int signal), void *recording,
		       struct err *err)
{
	struct stage *s = context;
	struct tape_server_options o = { .ops = &server_ops, .context = s, .pace = &s->o->pace };
	struct door_lane lanes[] = { mcp_door_lane(&s->mcp_door), shell_door_lane(s->shell) };
	struct str name = arena_printf(s->arena, "replay-%d.sock", (int)getpid());

	uv_timer_init(loop, &s->grace);
	s->grace.data = s;
	s->open = true;
	s->kill = kill;
	s->killed = recording;
	s->server = tape_server_open(loop, &o, err);
	if (!s->server)
		return err_context(err, "the replay cannot listen");
	s->door = door_open(loop, getenv("XDG_RUNTIME_DIR"), name, lanes, COUNT(lanes), err);
	return s->door && lead_routes(s, err);
}

static const char *const *stage_env(void *context, struct arena *a, const char *const *env)
{
	struct stage *s = context;
	size_t n = 0, kept = 0;
	const char **made;

	while (env[n])
		n++;
	made = arena_array(a, const char *, n + 3);
	for (size_t i = 0; i < n; i++)
		if (!s->o->recorded_clock || !str_starts(str_from(env[i]), STR("SOURCE_DATE_EPOCH=")))
			made[kept++] = env[i];
	if (s->o->recorded_clock)
		made[kept++] = arena_printf(a, "SOURCE_DATE_EPOCH=%lld", (long long)(s->tape->clock0_us / 1000000)).p;
	made[kept] = ARENA_JOIN(a, STR("TRACKWAY_REPLAY="), door_path(s->door)).p;
	return made;
}

static void stage_look(void *context)
{
	struct stage *s = context;

	if (s->door)
		door_look(s->door);
}

static void stop_stage(void *context)
{
	struct stage *s = context;

	s->ended = true;
	if (s->server)
		tape_server_stop(s->server, true);
	if (s->door)
		door_stop(s->door);
	uv_close((uv_handle_t *)&s->grace, NULL);
}

/* ---- all ---- */

struct stage *stage_new(struct arena *a, const struct replaying_options *o, const struct tape *t)
{
	struct stage *s = arena_new(a, struct stage);
	struct str *inputs;
	size_t count = 0;
	struct player_options p = {
		.tape = t,
		.match = { .recorded_clock_us = t->clock0_us, .live_clock_us = (int64_t)(clock_wall_ns() / 1000),
			   .redact = t->redacted ? o->redact : NULL, .lenient = o->lenient },
		.pace = o->pace,
		.strict_params = o->strict_params,
		.stop = !o->go_on && !o->lenient && (o->mode == REPLAY_STUBBED || o->mode == REPLAY_FORK),
		.diverged = stage_diverged,
		.context = s,
	};

	*s = (struct stage){ .arena = a, .o = o, .tape = t };
	while (o->argv[count])
		count++;
	inputs = arena_array(a, struct str, count + 1);
	for (size_t i = 0; i < count; i++)
		inputs[i] = str_from(o->argv[i]);
	p.match.inputs = inputs;
	p.match.input_count = count;
	s->player = player_open(&p);
	s->lane = (struct lane_ops){ .ask = stage_ask, .note = stage_note, .translate = stage_translate,
				     .stopped = stage_stopped, .tool = stage_tool, .consume = stage_consume,
				     .runs = stage_runs, .pace = &o->pace, .redact = p.match.redact,
				     .live = o->mode == REPLAY_LIVE_TOOLS, .context = s };
	s->mcp = mcp_lane_new(a, t, &s->lane);
	s->shell = shell_lane_new(a, t, &s->lane);
	s->http = mcp_http_lane_new(a, t);
	s->mcp_door = (struct mcp_door){ s->mcp, s->lane.live ? mcp_live_open(s->mcp) : NULL };
	add_entries(s);
	s->recording = (struct recording_stage){ .open = open_stage, .env = stage_env, .look = stage_look,
						 .stop = stop_stage, .timeout_ms = o->timeout_ms, .context = s };
	return s;
}

struct tape_server *stage_listen(struct stage *s, const struct replaying_host *host, struct err *err)
{
	struct tape_server_options o = { .host = host->address, .port = host->port, .ops = &server_ops, .context = s,
					 .pace = &s->o->pace };

	s->server = tape_server_open(host->loop, &o, err);
	return s->server;
}

void stage_fork(struct stage *s, struct fork *f)
{
	s->fork = f;
}

const struct recording_stage *stage_recording(struct stage *s)
{
	return &s->recording;
}

struct player *stage_player(struct stage *s)
{
	return s->player;
}

const struct mcp_lane *stage_mcp(const struct stage *s)
{
	return s->o->serves || s->lane.live ? NULL : s->mcp;
}

bool stage_covers(const struct stage *s, const struct match_entry *e)
{
	return shell_lane_covers(s->shell, e->begun_us, e->ended_us == MATCH_OPEN ? e->begun_us : e->ended_us);
}

uint64_t stage_unverified(const struct stage *s)
{
	return s->shell->served;
}

void stage_close(struct stage *s)
{
	if (s->server)
		tape_server_close(s->server);
	door_close(s->door);
	if (s->mcp_door.live)
		mcp_live_close(s->mcp_door.live);
	player_close(s->player);
}
