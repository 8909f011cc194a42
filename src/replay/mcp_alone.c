/* A player with a single lane. */
#include "replay/mcp_alone.h"

#include "base/clock.h"
#include "base/file.h"
#include "replay/mcp_lane_run.h"

static bool alone_ask(void *context, struct arena *a, const struct match_question *q, struct match_result *out,
		      struct str *why)
{
	return player_ask(context, a, q, out, why);
}

static void alone_note(void *context, const struct divergence *d)
{
	player_note(context, d);
}

static struct str alone_translate(void *context, struct arena *a, struct str answer)
{
	return player_translate(context, a, answer);
}

static bool alone_stopped(void *context)
{
	return player_is_stopped(context);
}

static void alone_tool(void *context, struct str name, enum player_tool how)
{
	player_note_tool(context, name, how);
}

static void alone_consume(void *context, uint64_t x)
{
	match_consume(player_match(context), x);
}

bool mcp_alone_run(struct arena *a, struct str run, const struct mcp_caller *who, int in, int out, bool *diverged,
		   struct err *err)
{
	struct str path = file_is_dir(run) ? ARENA_JOIN(a, run, STR("/cassette.jsonl")) : run;
	struct tape *tape = arena_new(a, struct tape);
	struct player_options o = { .tape = tape };
	struct lane_ops ops = { .ask = alone_ask, .note = alone_note, .translate = alone_translate,
				.stopped = alone_stopped, .tool = alone_tool, .consume = alone_consume };
	struct mcp_lane *lane;
	bool done;

	if (!tape_load(a, path, tape, err))
		return false;
	o.match.recorded_clock_us = tape->clock0_us;
	o.match.live_clock_us = (int64_t)(clock_wall_ns() / 1000);
	ops.context = player_open(&o);
	ops.pace = player_pace(ops.context);
	lane = mcp_lane_new(a, tape, &ops);
	for (size_t i = 0; i < lane->entries.count; i++)
		match_add(player_match(ops.context), &lane->entries.items[i]);
	player_seal(ops.context);
	done = mcp_replay_run(lane, who, in, out, err);
	*diverged = false;
	for (const struct divergence *d = player_divergences(ops.context); d; d = d->next)
		*diverged = *diverged || d->fatal;
	player_close(ops.context);
	return done;
}
