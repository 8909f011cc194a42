/* The words say what is judged and what is not: behind a fork there is nothing to hold the run against. */
#include "cmd/replay_fork.h"

#include "base/num.h"
#include "cmd/frame/opt.h"
#include "cmd/screen/term.h"
#include "json/put.h"

bool replay_fork_choose(struct str from, bool update, struct replaying_options *o, struct err *err)
{
	const char *help = "trackway replay @last --live model --from 12 -- python3 agent.py";

	if (update && (from.p || o->mode != REPLAY_STUBBED))
		return usage_set(err, "trackway replay @last --update -- python3 agent.py",
				 "--update asks for what was not recorded, and goes with neither --live nor --from");
	if (update)
		o->mode = REPLAY_UPDATE;
	if (!from.p)
		return true;
	if (o->mode != REPLAY_LIVE_MODEL)
		return usage_set(err, help, "--from says where the model is asked again: give --live model with it");
	if (!num_parse_u64(from, &o->from))
		return usage_set(err, help, "'%.*s' is no seq of a log: a number from 0 on", STR_ARG(from));
	o->mode = REPLAY_FORK;
	return true;
}

struct str replay_fork_verdict(struct arena *a, const struct replaying_outcome *out)
{
	struct str word = str_from(verdict_name(out->verdict));

	if (out->mode != REPLAY_FORK || out->refusal)
		return word;
	return arena_printf(a, "%.*s up to seq %llu", STR_ARG(word), (unsigned long long)out->fork.seq);
}

static void fork_say_line(struct buf *b, const char *label, struct str text)
{
	buf_add_str(b, str_from(label));
	term_add_text(b, text);
	buf_add_byte(b, '\n');
}

/* Each request that was asked of its service, and each that was not made, by its place in the recorded run. */
static void say_difference(struct buf *b, const struct replaying_outcome *out)
{
	static const struct { enum divergence_class c; const char *label; } rows[] = {
		{ DIVERGENCE_EXTRA_CALL, "added:            " },
		{ DIVERGENCE_REQUEST_MISMATCH, "changed:          " },
		{ DIVERGENCE_UNCONSUMED, "unused:           " },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (const struct divergence *d = out->divergences; d; d = d->next)
			if (d->class == rows[i].c)
				fork_say_line(b, rows[i].label, d->sentence);
	if (!out->counts[DIVERGENCE_EXTRA_CALL] && !out->counts[DIVERGENCE_REQUEST_MISMATCH] &&
	    !out->counts[DIVERGENCE_UNCONSUMED])
		fork_say_line(b, "difference:       ", STR("none: all was answered, and all of it was used"));
}

static struct str said_of_fork(struct arena *a, const struct fork *f)
{
	if (!f->is_parted)
		return arena_printf(a, "NOT reached: the command made no request at or behind seq %llu",
				    (unsigned long long)f->seq);
	return arena_printf(a, "at seq %llu: what is before was served from the record; what follows is live, and is "
			    "compared with nothing (requests asked: %llu)", (unsigned long long)f->seq,
			    (unsigned long long)f->live);
}

/* The recorder sees the models' services only: tools were answered, or ran, on the side of the replay. */
static uint64_t count_tools(const struct replaying_outcome *out)
{
	uint64_t n = 0;

	for (const struct player_tool_row *t = out->tools; t; t = t->next)
		n += t->stubbed + t->live;
	return n;
}

void replay_fork_say(struct buf *b, struct arena *a, const struct replaying_outcome *out)
{
	if (out->mode < REPLAY_FORK || out->refusal)
		return;
	if (out->mode == REPLAY_FORK)
		fork_say_line(b, "forked:           ", said_of_fork(a, &out->fork));
	else
		say_difference(b, out);
	if (out->exit_live > 0)
		fork_say_line(b, "command:          ", arena_printf(a, "it ended with %d", out->exit_live));
	fork_say_line(b, "new run:          ", ARENA_JOIN(a, out->made_run, STR(", in "), out->dir));
	if (count_tools(out))
		fork_say_line(b, "not in it:        ",
			      arena_printf(a, "%llu calls of tools: a replay of it does not have their answers",
					   (unsigned long long)count_tools(out)));
	fork_say_line(b, "goes on from:     ", arena_printf(a, "%.*s at seq %llu", STR_ARG(out->forked_run),
						   (unsigned long long)out->fork.seq));
}

void replay_fork_put(struct json_writer *w, const struct replaying_outcome *out)
{
	if (out->mode < REPLAY_FORK || out->refusal) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	json_put_object(w, "from");
	json_put_text(w, "run_hash", out->forked_run);
	json_put_u64(w, "seq", out->fork.seq);
	json_write_end_object(w);
	json_put_text(w, "run_id", out->made_run);
	json_put_bool(w, "reached", out->mode == REPLAY_UPDATE || out->fork.is_parted);
	json_put_u64(w, "asked", out->mode == REPLAY_UPDATE ? out->tally.missed : out->fork.live);
	json_put_u64(w, "tools_not_kept", count_tools(out));
	json_write_end_object(w);
}
