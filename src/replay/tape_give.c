/* Takes pieces from tape_pieces.h, and sets an alarm for one that is not due yet. */
#include "replay/tape_give.h"

#include "base/clock.h"

void tape_give_begin(struct tape_give *g, struct alarms *alarms, uint64_t begun_ns, const struct tape_line *line,
		     struct str body, enum tape_form form, const struct player_pace *pace)
{
	g->alarms = alarms;
	g->begun_ns = begun_ns;
	g->has_cut = false;
	tape_pieces_begin(&g->pieces, line, body, form, pace);
}

/* Most answers have no delays, and for those nobody looks at a clock. */
static bool give_is_due(struct tape_give *g, uint64_t after_ns)
{
	if (after_ns == 0 || g->begun_ns + after_ns <= clock_mono_ns())
		return true;
	alarms_set(g->alarms, &g->alarm, g->begun_ns + after_ns);
	return false;
}

enum tape_given tape_give_next(struct tape_give *g, struct str *piece)
{
	if (!g->has_cut)
		g->has_cut = tape_pieces_next(&g->pieces, &g->cut);
	if (!give_is_due(g, g->has_cut ? g->cut.due_ns : tape_pieces_end_ns(&g->pieces)))
		return TAPE_GIVE_LATER;
	if (!g->has_cut)
		return TAPE_GIVE_END;
	*piece = g->cut.bytes;
	g->has_cut = false;
	return TAPE_GIVE_PIECE;
}

void tape_give_stop(struct tape_give *g)
{
	if (g->alarms)
		alarms_unset(g->alarms, &g->alarm);
}
