/* What the log does not name (a message of MCP) stands where its neighbours on the tape stand. */
#include "replay/fork.h"

bool fork_is_before(const struct fork *f, uint64_t x)
{
	int64_t seq = origin_seq(f->recorded, x);

	return seq >= 0 ? (uint64_t)seq < f->seq : x < f->first_x;
}

bool fork_init(struct fork *f, const struct origin *recorded, const struct tape *t, uint64_t seq, struct err *err)
{
	*f = (struct fork){ .recorded = recorded, .seq = seq, .first_x = UINT64_MAX };
	if (seq >= recorded->records)
		return err_set(err, ERR_USAGE, "the run's log has no seq %llu" ERR_HELP
			       "it has 0 to %llu: 'trackway show' and run.otutl.jsonl say what they are",
			       (unsigned long long)seq,
			       (unsigned long long)(recorded->records ? recorded->records - 1 : 0));
	for (size_t i = 0; i < recorded->place_count; i++)
		if ((uint64_t)recorded->places[i].seq >= seq && recorded->places[i].x < f->first_x)
			f->first_x = recorded->places[i].x;
	for (size_t i = 0; i < t->count; i++)
		f->waiting += t->lines[i].lane == TAPE_MODEL && fork_is_before(f, t->lines[i].x);
	return true;
}

void fork_take(struct fork *f, uint64_t x)
{
	if (f->waiting && fork_is_before(f, x))
		f->waiting--;
}

bool fork_is_reached(const struct fork *f)
{
	return f->waiting == 0;
}
