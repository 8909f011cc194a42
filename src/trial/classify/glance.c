/* One reading, two takers: each gets every event in its turn. */
#include "trial/classify/glance.h"

struct glance_takers {
	struct transcript_taker signals, turns;
};

static void glance_begin(void *own, enum transcript_kind kind)
{
	struct glance_takers *both = own;

	both->signals.begin(both->signals.own, kind);
	both->turns.begin(both->turns.own, kind);
}

static void glance_take_event(void *own, const struct event *e)
{
	struct glance_takers *both = own;

	both->signals.event(both->signals.own, e);
	both->turns.event(both->turns.own, e);
}

bool glance_load(struct glance *out, struct arena *a, struct str path, const struct rules *rules,
		 const struct transcript_how *how, struct err *err)
{
	const struct classify_how by_rules = { .rules = rules };
	struct signals_fold *fold = signals_open(a, &out->signals);
	struct arena texts; /* of the turns: nothing that stays points into it */
	struct glance_takers both;
	const struct transcript_taker taker = { .begin = glance_begin, .event = glance_take_event, .own = &both };
	struct turns turns;
	struct err why;
	bool done;

	arena_init(&texts);
	out->trial = (struct classify_trial){ .turns = NULL };
	both = (struct glance_takers){ signals_taker(fold), turns_open(&turns, &texts) };
	done = transcript_load(a, path, how, &taker, &turns.from, err);
	signals_end(fold, &turns.from);
	signals_close(fold);
	out->is_classified = done && turns_check(&turns, path, &why) &&
			     classify_turns(&out->trial, a, &turns, &by_rules, &why);
	arena_free(&texts);
	return done;
}
