/* Which trials back a figure, and why the others do not: one word for each, decided when all entries are known. */
#include "trial/report/private.h"

const char *trial_standing_word(enum trial_standing s)
{
	static const char *const words[STANDING_COUNT] = {
		[STANDING_ERASED] = "erased",           [STANDING_SUPERSEDED] = "superseded",
		[STANDING_REGRADED] = "regraded",       [STANDING_COMPLETED_LATER] = "completed later",
		[STANDING_INFRASTRUCTURE] = "infrastructure", [STANDING_PARTIAL] = "partial",
		[STANDING_COUNTED] = "counted",
	};

	return words[s];
}

static bool standing_is_infrastructure(const struct trial_fact *f)
{
	return f->class == CLASS_INFRASTRUCTURE;
}

/* Whether it may take the place of another one. */
static bool standing_may_replace(const struct trial_fact *f)
{
	return f->names[NAME_REGRADE_OF] && f->part == LEDGER_MAIN && !f->superseded && !f->erased &&
	       !standing_is_infrastructure(f);
}

/* The original, in the experiment of its regrade: 0 when there is none, else its place + 1. */
static size_t standing_find_original(const struct tally *t, const struct trial_fact *f, struct buf *work)
{
	const uint64_t *place;

	buf_clear(work);
	buf_add_str(work, tally_name(t, f, NAME_EXPERIMENT));
	buf_add_byte(work, '\0');
	buf_add_str(work, t->names[f->names[NAME_REGRADE_OF]]);
	place = map_find(&t->idents, buf_str(work));
	return place ? (size_t)*place : 0;
}

/*
 * A regrade takes the place of what it regrades, or of the regrade before it. It must have been sealed later, so there
 * are no circles.
 */
static void standing_join_regrades(struct tally *t)
{
	struct buf work;

	buf_init(&work);
	for (size_t i = 0; i < t->count; i++) {
		size_t old;

		if (!standing_may_replace(&t->trials[i]))
			continue;
		old = standing_find_original(t, &t->trials[i], &work);
		while (old && t->trials[old - 1].replaced_by)
			old = t->trials[old - 1].replaced_by;
		if (old && old - 1 < i && t->trials[old - 1].part == LEDGER_MAIN)
			t->trials[old - 1].replaced_by = (uint32_t)(i + 1);
	}
	buf_free(&work);
}

/* Whether a partial record has a complete one of the same name, which idents names then. */
static bool standing_is_completed(const struct tally *t, const struct trial_fact *f, struct buf *work)
{
	const uint64_t *place;

	if (f->part == LEDGER_MAIN)
		return false;
	buf_clear(work);
	buf_add_str(work, tally_name(t, f, NAME_EXPERIMENT));
	buf_add_byte(work, '\0');
	buf_add_str(work, tally_name(t, f, NAME_TRIAL));
	place = map_find(&t->idents, buf_str(work));
	return place && t->trials[*place - 1].part == LEDGER_MAIN && !t->trials[*place - 1].erased;
}

void standing_decide(struct tally *t)
{
	struct buf work;

	buf_init(&work);
	standing_join_regrades(t);
	for (size_t i = 0; i < t->count; i++) {
		struct trial_fact *f = &t->trials[i];

		if (f->erased)
			f->standing = STANDING_ERASED;
		else if (f->superseded)
			f->standing = STANDING_SUPERSEDED;
		else if (f->replaced_by)
			f->standing = STANDING_REGRADED;
		else if (standing_is_completed(t, f, &work))
			f->standing = STANDING_COMPLETED_LATER;
		else if (standing_is_infrastructure(f))
			f->standing = STANDING_INFRASTRUCTURE;
		else
			f->standing = f->is_partial || !f->has_reward ? STANDING_PARTIAL : STANDING_COUNTED;
	}
	buf_free(&work);
}
