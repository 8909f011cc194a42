/* The log notes a command where its run ends, so tools are placed by their times. */
#include "replay/fork.h"

static bool is_before(const struct fork *f, const struct tape_line *l)
{
	int64_t seq = l->lane == TAPE_MODEL ? origin_seq(f->recorded, l->x) : -1;

	return seq >= 0 ? (uint64_t)seq < f->seq : l->begun_us < f->first_us;
}

bool fork_is_before(const struct fork *f, uint64_t x)
{
	const struct tape_line *l = tape_find(f->tape, x);

	return l && is_before(f, l);
}

bool fork_init(struct fork *f, const struct origin *recorded, const struct tape *t, uint64_t seq, struct err *err)
{
	*f = (struct fork){ .recorded = recorded, .tape = t, .seq = seq, .first_us = INT64_MAX };
	if (seq >= recorded->records)
		return err_set(err, ERR_USAGE, "the run's log has no seq %llu" ERR_HELP
			       "it has 0 to %llu: 'trackway show' and run.otutl.jsonl say what they are",
			       (unsigned long long)seq,
			       (unsigned long long)(recorded->records ? recorded->records - 1 : 0));
	for (size_t i = 0; i < t->count; i++) {
		const struct tape_line *l = &t->lines[i];

		if (l->lane == TAPE_MODEL && origin_seq(recorded, l->x) >= (int64_t)seq && l->begun_us < f->first_us)
			f->first_us = l->begun_us;
	}
	for (size_t i = 0; i < t->count; i++)
		f->waiting += t->lines[i].lane == TAPE_MODEL && is_before(f, &t->lines[i]);
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
