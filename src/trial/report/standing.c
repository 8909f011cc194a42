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

/* Of ids that several trials of the main log have; less than it: the place + 1 of the only one, or 0. */
#define STANDING_SEVERAL UINT32_MAX

static uint32_t *standing_list_ids(const struct tally *t)
{
	uint32_t *only = mem_alloc(t->name_count * sizeof(*only));

	memset(only, 0, t->name_count * sizeof(*only));
	for (size_t i = 0; i < t->count; i++) {
		uint32_t *place = &only[t->trials[i].names[NAME_TRIAL]];

		if (t->trials[i].part == LEDGER_MAIN)
			*place = *place ? STANDING_SEVERAL : (uint32_t)(i + 1);
	}
	return only;
}

/*
 * The original: the trial of that id in the experiment of its regrade, else the only one anywhere, since a regrade may
 * be kept in an experiment of its own. 0 when there is none, else its place + 1.
 */
static size_t standing_find_original(const struct tally *t, const struct trial_fact *f, const uint32_t *only,
				     struct buf *work)
{
	const uint64_t *place;
	uint32_t elsewhere = only[f->names[NAME_REGRADE_OF]];

	buf_clear(work);
	buf_add_str(work, tally_name(t, f, NAME_EXPERIMENT));
	buf_add_byte(work, '\0');
	buf_add_str(work, t->names[f->names[NAME_REGRADE_OF]]);
	place = map_find(&t->idents, buf_str(work));
	if (place && t->trials[*place - 1].part == LEDGER_MAIN)
		return (size_t)*place;
	return elsewhere == STANDING_SEVERAL ? 0 : elsewhere;
}

/* A verdict on other work replaces nothing, whatever it says: else one model's record could remove another one's. */
static bool standing_is_same_work(const struct trial_fact *a, const struct trial_fact *b)
{
	return a->names[NAME_TASK] == b->names[NAME_TASK] && a->names[NAME_MODEL] == b->names[NAME_MODEL] &&
	       a->names[NAME_ADAPTER] == b->names[NAME_ADAPTER];
}

/*
 * A regrade takes the place of what it regrades, or of the regrade before it. It must have been sealed later, so there
 * are no circles.
 */
static void standing_join_regrades(struct tally *t)
{
	uint32_t *only = standing_list_ids(t);
	struct buf work;

	buf_init(&work);
	for (size_t i = 0; i < t->count; i++) {
		const struct trial_fact *f = &t->trials[i];
		size_t old;

		if (!standing_may_replace(f))
			continue;
		old = standing_find_original(t, f, only, &work);
		while (old && t->trials[old - 1].replaced_by)
			old = t->trials[old - 1].replaced_by;
		if (old && old - 1 < i && standing_is_same_work(&t->trials[old - 1], f))
			t->trials[old - 1].replaced_by = (uint32_t)(i + 1);
	}
	buf_free(&work);
	mem_free(only);
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

enum trial_standing standing_alone(const struct trial_fact *f)
{
	if (standing_is_infrastructure(f))
		return STANDING_INFRASTRUCTURE;
	return f->is_partial || !f->has_reward ? STANDING_PARTIAL : STANDING_COUNTED;
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
		else
			f->standing = (uint8_t)standing_alone(f);
	}
	buf_free(&work);
}
