/*
 * Brings the records of a file into the order of their seq and parts the file into logs. A record that is early waits
 * in a heap (hold.h); a gap is passed as soon as lines that could not be read may have been what is missing.
 */
#include "base/map.h"
#include "base/num.h"
#include "dialect/otutl/hold.h"
#include "dialect/otutl/log.h"
#include "dialect/otutl/otutl.h"

#define SKIPPED_MAX 16 /* gaps remembered apart; further ones widen the last */

struct range {
	uint64_t from, to;
};

/*
 * Where the log stands in its sequence. A record whose seq cannot be read is `loose`: it may have had
 * any of the next numbers. A line that was `dropped` may have been the record that is missing. Both
 * let the fold pass a hole at once instead of waiting for a record that will not come.
 */
struct sequence {
	bool begun;   /* some line was read */
	bool started; /* the first record was taken */
	uint64_t first, next;
	uint64_t loose, dropped;
	bool has_before;      /* a record with a seq was read */
	uint64_t before;      /* its seq, */
	enum otutl_type type; /* and the type of the last record read */
	struct range skipped[SKIPPED_MAX]; /* what was given up */
	size_t skipped_count;
};

struct otutl_fold {
	struct otutl_fold_options options;
	struct otutl_log log;
	struct otutl_hold hold;
	struct sequence seq;
	uint64_t runs;
	struct arena *arena;
	struct map run_ids; /* of the file's logs so far */
};

struct otutl_fold *otutl_fold_open(struct arena *a, struct otutl_fold_options options)
{
	struct otutl_fold *f = arena_new(a, struct otutl_fold);

	f->options = options;
	if (f->options.hold == 0)
		f->options.hold = OTUTL_HOLD;
	otutl_log_init(&f->log, &f->options);
	otutl_hold_init(&f->hold);
	f->arena = a;
	map_init(&f->run_ids, a);
	return f;
}

void otutl_fold_close(struct otutl_fold *f)
{
	otutl_log_free(&f->log);
	otutl_hold_free(&f->hold);
}

/* ---- one log ---- */

/* Whether the record's turn has come: nothing that could still be read belongs before it. */
static bool is_next(const struct otutl_fold *f, const struct otutl_record *r)
{
	const struct sequence *q = &f->seq;

	if (!(r->flags & OTUTL_HAS_SEQ) || r->seq == 0)
		return true;
	if (q->started)
		return r->seq <= q->next + q->loose + q->dropped;
	if (r->type == OTUTL_RUN_START && (r->seq == 1 || otutl_hold_count(&f->hold) == 0))
		return true;
	return q->dropped > 0 && r->seq <= 1 + q->dropped;
}

/*
 * The first record of a log fixes where its seq begins. One without a seq may have been 0 or 1, so the next may be 1
 * or 2.
 */
static void start(struct otutl_fold *f, const struct otutl_record *r)
{
	struct sequence *q = &f->seq;

	q->started = true;
	if (!(r->flags & OTUTL_HAS_SEQ)) {
		q->loose = 2; /* it stood for 0 or 1 */
		return;
	}
	if (r->seq > 1)
		otutl_log_note(&f->log, r, OTUTL_AT_SEQ, OTUTL_E_SEQ_START, "seq begins with %llu instead of 0 or 1",
			       (unsigned long long)r->seq);
	q->first = r->seq;
	q->next = r->seq + 1;
	q->loose = q->dropped = 0;
}

/* A seq that is behind: it was there before, or should have come first. */
static void note_behind(struct otutl_fold *f, const struct otutl_record *r)
{
	unsigned long long seq = r->seq, first = f->seq.first, next = f->seq.next;

	if (seq < first)
		otutl_log_note(&f->log, r, OTUTL_AT_SEQ, OTUTL_E_SEQ_START, "seq %llu comes after %llu, the first",
			       seq, first);
	else
		otutl_log_note(&f->log, r, OTUTL_AT_SEQ, OTUTL_E_SEQ_DUP, "seq %llu occurs again; the next is %llu",
			       seq, next);
}

/* The gap lies before this record, which is where it is noticed. */
static void note_gap(struct otutl_fold *f, const struct otutl_record *r)
{
	unsigned long long from = f->seq.next, to = r->seq - 1;

	if (from == to)
		otutl_log_note(&f->log, r, OTUTL_AT_SEQ, OTUTL_E_SEQ_GAP, "seq %llu is missing", from);
	else
		otutl_log_note(&f->log, r, OTUTL_AT_SEQ, OTUTL_E_SEQ_GAP, "seq %llu to %llu are missing", from, to);
}

/*
 * Holds the record against the number that is due. Records without a seq fill gaps, so only a larger gap is a
 * finding.
 */
static void count_seq(struct otutl_fold *f, const struct otutl_record *r)
{
	struct sequence *q = &f->seq;

	if (!q->started) {
		start(f, r);
	} else if (!(r->flags & OTUTL_HAS_SEQ)) {
		q->loose++;
	} else if (r->seq < q->next) {
		note_behind(f, r);
	} else {
		if (r->seq - q->next > q->loose)
			note_gap(f, r);
		q->next = r->seq + 1;
		q->loose = q->dropped = 0;
	}
}

static void take(struct otutl_fold *f, struct otutl_view v)
{
	count_seq(f, v.record);
	otutl_log_take(&f->log, v);
}

static void take_held(struct otutl_fold *f)
{
	struct otutl_held held = otutl_hold_take(&f->hold);

	take(f, otutl_held_view(&held));
	otutl_log_flush(&f->log);
	otutl_held_free(&held);
}

static void take_those_next(struct otutl_fold *f)
{
	const struct otutl_record *r;

	while ((r = otutl_hold_first(&f->hold)) && is_next(f, r))
		take_held(f);
}

/* What came too early is more than we keep: goes on with it and remembers what was left out. */
static void give_up_waiting(struct otutl_fold *f)
{
	struct sequence *q = &f->seq;
	uint64_t seq = otutl_hold_first(&f->hold)->seq;
	struct range *last;

	if (q->skipped_count < SKIPPED_MAX)
		q->skipped[q->skipped_count++] = (struct range){ q->next, seq };
	last = &q->skipped[q->skipped_count - 1];
	last->to = seq;
	take_held(f);
	take_those_next(f);
}

static bool was_given_up(const struct sequence *q, uint64_t seq)
{
	for (size_t i = 0; i < q->skipped_count; i++)
		if (seq >= q->skipped[i].from && seq < q->skipped[i].to)
			return true;
	return false;
}

/*
 * Holds a record back. When too much is held, the lowest are let go, and what is missing before them is given up for
 * good.
 */
static void otutl_fold_hold(struct otutl_fold *f, struct otutl_view v)
{
	struct otutl_record bare;

	if (f->log.errors > 0) { /* there will be no hash: its bytes are not needed */
		bare = *v.record;
		bare.canon_n = bare.proj_n = bare.hole_count = 0;
		v = (struct otutl_view){ .record = &bare };
	}
	otutl_hold_add(&f->hold, v);
	while (f->hold.bytes > f->options.hold)
		give_up_waiting(f);
}

/* ---- runs ---- */

/* Ends the log at hand, with its callback, if it has records. What still waits is taken first, gaps or not. */
static void otutl_fold_end_run(struct otutl_fold *f)
{
	struct otutl_run run = { .index = f->runs };
	char run_id[ID_UUID_TEXT];

	while (otutl_hold_count(&f->hold))
		take_held(f);
	if (f->log.records > 0) {
		otutl_log_end(&f->log, &run);
		if (f->log.has_run_id) {
			id_format_uuid(run_id, f->log.run_id);
			run.run_id = str_of(run_id, sizeof(run_id));
		}
		f->runs++;
		if (f->options.run)
			f->options.run(f->options.context, &run);
	}
	f->seq = (struct sequence){ .begun = false };
}

static void otutl_fold_begin_run(struct otutl_fold *f, uint64_t line)
{
	otutl_log_begin(&f->log, line);
	f->seq.begun = true;
}

enum opening {
	OPENS_NOTHING,
	OPENS_NEXT,
	OPENS_TOO_SOON, /* the run before it was never ended */
};

/*
 * Whether a run_start begins another log, or stands in the wrong place of this one. Asked in the order of the file,
 * before anything is done with the record.
 */
static enum opening opens_run(const struct otutl_fold *f, const struct otutl_record *r)
{
	const struct otutl_log *l = &f->log;
	bool other_id = (r->flags & OTUTL_HAS_RUN_ID) && l->has_run_id && !id_eq(r->run_id, l->run_id);

	if (r->type != OTUTL_RUN_START || !f->seq.has_before)
		return OPENS_NOTHING;
	if (f->seq.started && l->last_type == OTUTL_RUN_END && otutl_hold_count(&f->hold) == 0)
		return OPENS_NEXT;
	/* before the first record was taken, what came so far may be the rest of this run, out of order */
	if (f->seq.type == OTUTL_RUN_END && (f->seq.started || other_id))
		return OPENS_NEXT;
	return other_id && (r->flags & OTUTL_HAS_SEQ) && r->seq <= 1 ? OPENS_TOO_SOON : OPENS_NOTHING;
}

/*
 * W_SEQ_ORDER for a record that stands behind a later one. A seq that was taken already is another finding, by
 * note_behind.
 */
static void otutl_fold_note_order(struct otutl_fold *f, const struct otutl_record *r)
{
	struct sequence *q = &f->seq;

	q->type = (enum otutl_type)r->type;
	if (!(r->flags & OTUTL_HAS_SEQ))
		return;
	if (q->has_before && r->seq < q->before && (!q->started || r->seq >= q->next))
		otutl_log_note(&f->log, r, OTUTL_AT_SEQ, OTUTL_W_SEQ_ORDER, "seq %llu stands after seq %llu",
			       (unsigned long long)r->seq, (unsigned long long)q->before);
	q->has_before = true;
	q->before = r->seq;
}

/* A log's first run_id; a later log must have another. */
static void see(struct otutl_fold *f, const struct otutl_record *r)
{
	bool had = f->log.has_run_id, added;

	otutl_log_see(&f->log, r);
	if (had || !f->log.has_run_id)
		return;
	map_add(&f->run_ids, str_of(&f->log.run_id, sizeof(f->log.run_id)), &added);
	if (!added)
		otutl_log_note(&f->log, r, OTUTL_AT_RUN_ID, OTUTL_W_RUN_ID_TWICE,
			       "an earlier log of this file has the same run_id");
}

struct findings_at { /* of a batch: those taken */
	size_t all, whole;
};

/* Passes on the scan's findings up to `end`: the findings of a record come before those the fold makes of it. */
static void add_findings(struct otutl_fold *f, const struct otutl_batch *b, struct findings_at *at, size_t end,
			 bool torn)
{
	const struct finding *list = (const struct finding *)(const void *)b->findings.p;

	for (; at->all < end; at->all++) {
		uint8_t code = (uint8_t)b->codes.p[at->all];
		struct finding bare = { .code = NULL };

		if (code & OTUTL_BARE) { /* nobody will see more of it than its code */
			const struct rule *rule = &otutl_rules[code & ~OTUTL_BARE];

			bare.code = rule->code;
			bare.severity = rule->severity;
			otutl_log_add_finding(&f->log, &bare, torn);
		} else {
			otutl_log_add_finding(&f->log, &list[at->whole++], torn);
		}
	}
}

/* A line that was not blank; *finding is the number of the batch's next finding. */
static bool arrive(struct otutl_fold *f, const struct otutl_batch *b, size_t i, struct findings_at *finding,
		   struct err *err)
{
	struct otutl_view v = otutl_batch_view(b, i);
	const struct otutl_record *r = v.record;
	enum opening opening = r->flags & OTUTL_DROPPED ? OPENS_NOTHING : opens_run(f, r);

	if (opening != OPENS_NOTHING)
		otutl_fold_end_run(f);
	if (!f->seq.begun)
		otutl_fold_begin_run(f, r->line);
	add_findings(f, b, finding, r->findings_end, r->flags & OTUTL_TORN);
	if (opening == OPENS_TOO_SOON)
		otutl_log_note(&f->log, r, OTUTL_AT_TYPE, OTUTL_E_RUN_START, "the run before this one has no run_end");
	if (r->flags & OTUTL_DROPPED) {
		f->seq.dropped += r->lines;
		return true;
	}
	otutl_fold_note_order(f, r);
	see(f, r);
	if (!is_next(f, r)) {
		otutl_fold_hold(f, v);
		return true;
	}
	if ((r->flags & OTUTL_HAS_SEQ) && was_given_up(&f->seq, r->seq))
		return err_set(err, ERR_LIMIT,
			       "line %llu: seq %llu comes more than %zu MiB after its place, too far to sort",
			       (unsigned long long)r->line, (unsigned long long)r->seq, f->options.hold >> 20);
	take(f, v);
	take_those_next(f);
	return true;
}

bool otutl_fold(struct otutl_fold *f, const struct otutl_batch *b, struct err *err)
{
	struct findings_at finding = { 0 };
	size_t count = otutl_batch_count(b);

	for (size_t i = 0; i < count; i++)
		if (!arrive(f, b, i, &finding, err))
			return false;
	add_findings(f, b, &finding, otutl_batch_findings(b), false);
	otutl_log_flush(&f->log);
	return true;
}

void otutl_finish(struct otutl_fold *f)
{
	otutl_fold_end_run(f);
	f->runs = 0;
	map_init(&f->run_ids, f->arena);
}
