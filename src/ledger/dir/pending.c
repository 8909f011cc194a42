/* Judges the frames of the WAL that wait to be published. */
#include <inttypes.h>
#include <stdio.h>

#include "ledger/dir/private.h"

#define PENDING_SENTENCE 400 /* bytes of what is told about an entry */
#define PENDING_NAME 80      /* of an id in it */

/*
 * Frames that wait to be published and that nobody vouches for. Whoever can write to .state can put one there, so it is
 * never signed on its own: the owner looks at it, and says what becomes of it.
 */

const struct wal_key *dir_wal_key(const struct log_dir *d)
{
	return d->log.signer ? &d->wal_key : NULL;
}

bool dir_is_vouched(const struct log_dir *d, const struct wal_frame *f, const struct signer_head *h)
{
	uint64_t end = f->first + f->count;

	if (!d->log.signer || f->proof == WAL_PROVEN)
		return true;
	return end >= f->first && (end <= d->published.count || (h->found && end <= h->size));
}

/* "entry 7, the trial 'run-7'", or what can be said of one that is none. */
static void tell_entry(struct log_dir *d, uint64_t index, struct str bytes, const char *what)
{
	char sentence[PENDING_SENTENCE];
	struct arena a;
	struct entry e;

	arena_init(&a);
	if (dir_parse(d, &a, bytes, &e))
		snprintf(sentence, sizeof(sentence), "%s: entry %" PRIu64 ", the %s '%.*s' of '%.*s', %s", d->wal_path,
			 index, entry_kind_name(e.kind), e.id.n < PENDING_NAME ? (int)e.id.n : PENDING_NAME, e.id.p,
			 e.experiment.n < PENDING_NAME ? (int)e.experiment.n : PENDING_NAME,
			 e.experiment.p ? e.experiment.p : "", what);
	else
		snprintf(sentence, sizeof(sentence), "%s: entry %" PRIu64 ", which cannot be read, %s", d->wal_path,
			 index, what);
	d->warn(d->context, sentence);
	arena_free(&a);
}

static void tell_frame(struct log_dir *d, const struct wal_frame *f, bool take)
{
	struct str rest = f->bundle, entry;
	uint64_t at = f->first;
	bool broken;

	for (; d->warn && bundle_next(&rest, &entry, &broken); at++)
		if (at >= d->published.count)
			tell_entry(d, at, entry, take ? "is accepted" : "is left out");
}

/* Always false. An old frame may be the owner's; one with a wrong code can only be dropped. */
static bool refuse_frame(const struct log_dir *d, const struct wal_frame *f, struct err *err)
{
	bool is_old = f->proof == WAL_OLD;

	return err_set(err, ERR_DATA, "%s: %" PRIu32 " %s from %" PRIu64 " on: %s. Nothing is signed before you decide"
		       ERR_HELP "'trackway ledger verify' tells more", d->wal_path, f->count,
		       f->count == 1 ? "entry" : "entries", f->first,
		       is_old ? "the frame has no code of the log's key, as version 0.1 wrote them and as anybody can" :
				"the frame was not written with the log's key") ||
	       err_advise(err, is_old ? ADVICE_DECIDE_PENDING : ADVICE_DROP_PENDING);
}

/* What is no entry would be an error in the log for ever. */
static bool frame_has_entries(struct log_dir *d, const struct wal_frame *f)
{
	struct str rest = f->bundle, bytes;
	bool broken, good = true;
	struct arena a;
	struct entry e;

	arena_init(&a);
	while (good && bundle_next(&rest, &bytes, &broken))
		good = dir_parse(d, &a, bytes, &e);
	arena_free(&a);
	return good;
}

bool dir_judge_frame(struct log_dir *d, const struct wal_frame *f, bool *take, struct err *err)
{
	*take = d->pending == LOG_PENDING_ACCEPT && f->proof == WAL_OLD;
	if (*take && !frame_has_entries(d, f))
		return err_set(err, ERR_DATA, "%s: the frame at %" PRIu64 " holds bytes that are not an entry, and is "
			       "not accepted", d->wal_path, f->first) || err_advise(err, ADVICE_DROP_PENDING);
	if (!*take && d->pending != LOG_PENDING_DROP)
		return refuse_frame(d, f, err);
	tell_frame(d, f, *take);
	return true;
}
