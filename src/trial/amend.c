/*
 * Each amendment reads its target again from the log before it refers to it, since an index may be wrong and an entry
 * stays for ever. Erasing goes in an order that can be taken up again after any crash.
 */
#include "trial/amend.h"

#include <math.h>

#include "base/clock.h"
#include "ledger/dir/log_dir.h"
#include "trial/seal.h"

#define LINKS_MAX 10000 /* followed, from one that was superseded to the next: another writer may have made a circle */

struct amend_target amend_target_of(const struct index_row *trial)
{
	return (struct amend_target){
		.part = trial->part, .kind = trial->kind, .index = trial->index, .leaf = trial->leaf,
		.experiment = trial->experiment, .trial_id = trial->id,
	};
}

bool amend_read_target(struct ledger *l, struct arena *a, const struct amend_target *t, struct entry *out,
		       struct err *err)
{
	struct log *log = l->logs[t->part];
	struct digest leaf;
	struct sha256 sha;
	struct str bytes;
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	bool done = log_read_entry(log, p, a, t->index, out, &bytes, err);

	json_parser_close(p);
	if (!done)
		return false;
	sha256_init(&sha);
	leaf = merkle_leaf(&sha, bytes);
	sha256_free(&sha);
	if (out->kind != t->kind || !str_eq(out->id, t->trial_id) || !str_eq(out->experiment, t->experiment) ||
	    !digest_eq(leaf, t->leaf))
		return err_set(err, ERR_DATA, "%.*s: entry %llu is not the %s %.*s"
			       ERR_HELP "the index is wrong", STR_ARG(log->where), (unsigned long long)t->index,
			       entry_kind_name(t->kind), STR_ARG(t->trial_id)) ||
		       err_advise(err, ADVICE_REPAIR_INDEX);
	return true;
}

static struct entry_ref ref_of(const struct amend_target *t)
{
	return (struct entry_ref){ .given = true, .trial_id = t->trial_id, .index = t->index, .leaf = t->leaf };
}

bool amend_append(struct ledger *l, struct arena *a, enum ledger_part part, struct entry *e, struct amend_result *out,
		  bool *conflict, struct err *err)
{
	struct log_item item;
	struct buf text;
	bool done;

	e->sealed_at = stamp_new_ns(a, (int64_t)clock_wall_ns(), 3);
	buf_init(&text);
	done = entry_add_text(&text, e, err);
	item = (struct log_item){ .ident = entry_ident(a, e), .digest = entry_digest(e), .entry = buf_str(&text) };
	done = done && log_append(l->logs[part], &item, 1, err);
	buf_free(&text);
	if (!done)
		return false;
	*conflict = item.outcome == LOG_CONFLICT;
	*out = (struct amend_result){ .index = item.index, .leaf = item.leaf, .was_there = item.outcome != LOG_ADDED };
	return true;
}

static bool needs_reason(struct str reason, struct err *err)
{
	if (str_trim(reason).n)
		return true;
	return err_set(err, ERR_USAGE, "no reason is given"
		       ERR_HELP "say in a few words why; it stays in the log for ever");
}

/* ---- supersede ---- */

/* Part and index tell two trials apart, whatever they are called. */
static bool check_pair(const struct amend_target *old, const struct amend_target *by, struct err *err)
{
	if (old->part != by->part)
		return err_set(err, ERR_DATA, "%.*s is in the %s log and %.*s in the %s one"
			       ERR_HELP "a record is superseded by one of its own log", STR_ARG(old->trial_id),
			       ledger_part_name(old->part), STR_ARG(by->trial_id), ledger_part_name(by->part));
	if (old->index == by->index)
		return err_set(err, ERR_USAGE, "%.*s cannot take its own place", STR_ARG(old->trial_id));
	return true;
}

/* Goes on to the trial that took the place of the one at *index, whose entry is *e; *found false when none did. */
static bool find_successor(struct log *log, struct json_parser *p, struct arena *a, struct entry *e, uint64_t *index,
			   bool *found, struct err *err)
{
	struct entry said = { .kind = ENTRY_SUPERSEDE, .experiment = e->experiment, .ref = { .trial_id = e->id } };
	uint64_t at;

	if (!log->ops->find(log, entry_ident(a, &said), found, &at, err))
		return false;
	if (!*found)
		return true;
	if (!log_read_entry(log, p, a, at, &said, NULL, err))
		return false;
	*index = said.by.index;
	return log_read_entry(log, p, a, *index, e, NULL, err);
}

/* From successor to successor: were `old` among them, none of them would stand. */
static bool check_circle(struct log *log, struct arena *a, const struct amend_target *old,
			 const struct amend_target *by, struct entry *e, struct err *err)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	uint64_t index = by->index;
	bool done = true, found = true;

	for (unsigned i = 0; done && found && i < LINKS_MAX; i++) {
		done = find_successor(log, p, a, e, &index, &found, err);
		if (done && found && index == old->index)
			done = err_set(err, ERR_DATA, "%.*s has taken the place of %.*s before"
				       ERR_HELP "name a trial that still stands; 'trackway ledger list' shows them",
				       STR_ARG(old->trial_id), STR_ARG(by->trial_id));
	}
	json_parser_close(p);
	return done;
}

bool supersede_seal(struct ledger *l, const struct amend_target *old, const struct amend_target *by, struct str reason,
		    struct amend_result *out, struct err *err)
{
	struct entry e = { .kind = ENTRY_SUPERSEDE, .id = old->trial_id, .experiment = old->experiment,
			   .reason = reason, .ref = ref_of(old), .by = ref_of(by) };
	struct amend_result result;
	struct entry there;
	struct arena a;
	bool done, conflict = false;

	arena_init(&a);
	done = needs_reason(reason, err) && check_pair(old, by, err) && amend_read_target(l, &a, old, &there, err) &&
	       amend_read_target(l, &a, by, &there, err) &&
	       check_circle(l->logs[old->part], &a, old, by, &there, err) &&
	       amend_append(l, &a, old->part, &e, &result, &conflict, err);
	if (done && conflict)
		done = err_set(err, ERR_DATA, "[" SEAL_E_CONFLICT "] %.*s was superseded before, by entry %llu, with "
			       "another successor or reason", STR_ARG(old->trial_id), (unsigned long long)result.index);
	if (done)
		*out = result;
	arena_free(&a);
	return done;
}

/* ---- erase ---- */

struct doomed {
	struct entry entry; /* what is needed of it for its name and its object */
	struct doomed *next;
};

struct erasing {
	struct ledger *ledger;
	struct arena *arena;
	const struct amend_target *trial;
	struct doomed *all; /* the record and its artifacts */
	struct amend_result *out;
};

/* The row's text ends with the call, so the id is copied. Always goes on. */
static bool add_artifact(void *context, const struct index_row *row)
{
	struct erasing *x = context;
	struct doomed *d = arena_new(x->arena, struct doomed);

	d->entry = (struct entry){ .kind = ENTRY_ARTIFACT, .id = arena_copy(x->arena, row->id),
				   .experiment = x->trial->experiment, .ref = ref_of(x->trial) };
	d->entry.record.given = true;
	d->entry.record.digest = row->digest;
	d->next = x->all;
	x->all = d;
	return true;
}

/* Version 0.1 named artifacts after the trial alone: under such a name may stand what another trial has. */
static void unlink_old(struct erasing *x, const struct entry *e)
{
	struct log *log = x->ledger->logs[x->trial->part];
	struct str name = entry_old_link_name(x->arena, e);

	if (x->ledger->is_dir && name.p && log_dir_has_link(log, e->record.digest, name.p))
		log_dir_unlink(log, name.p);
}

/* Names go first: an object that is shared keeps its bytes, but not under the name of what was erased. */
static bool erase_one(struct erasing *x, struct index *index, const struct entry *e, struct err *err)
{
	struct log *log = x->ledger->logs[x->trial->part];
	struct str name = entry_link_name(x->arena, e);
	uint64_t others;
	bool found;

	if (x->ledger->is_dir && name.p)
		log_dir_unlink(log, name.p);
	unlink_old(x, e);
	if (!index_count_object(index, x->trial->part, e->record.digest, &others, err))
		return false;
	if (others) {
		x->out->shared++;
		return true;
	}
	if (!log->ops->erase_object(log, e->record.digest, x->out->index, &found, err))
		return false;
	x->out->erased += found;
	return true;
}

/* The index is opened after the entry was published: it then counts neither the trial nor its artifacts. */
static bool erase_objects(struct erasing *x, struct err *err)
{
	struct index_filter f = INDEX_ANY;
	struct index *index = index_open(x->ledger, NULL, NULL, err);
	bool done;

	if (!index)
		return false;
	f.kind = ENTRY_ARTIFACT;
	f.part = (int)x->trial->part;
	f.ref_of = x->trial->index;
	done = index_list(index, &f, add_artifact, x, err);
	for (struct doomed *d = x->all; d && done; d = d->next)
		done = erase_one(x, index, &d->entry, err);
	index_close(index);
	return done;
}

bool erase_seal(struct ledger *l, const struct amend_target *trial, struct str reason, struct amend_result *out,
		struct err *err)
{
	struct entry e = { .kind = ENTRY_ERASE, .id = trial->trial_id, .experiment = trial->experiment,
			   .reason = reason, .ref = ref_of(trial) };
	struct doomed record = { .next = NULL };
	bool done, conflict; /* another reason: the erasure that is there holds */
	struct arena a;

	arena_init(&a);
	done = needs_reason(reason, err) && amend_read_target(l, &a, trial, &record.entry, err) &&
	       amend_append(l, &a, trial->part, &e, out, &conflict, err);
	if (done) {
		struct erasing x = { .ledger = l, .arena = &a, .trial = trial, .all = &record, .out = out };

		done = (ledger_publish(l, err) && erase_objects(&x, err)) ||
		       err_context(err, "the erasure is in the log but not finished; run the same again");
	}
	arena_free(&a);
	return done;
}
