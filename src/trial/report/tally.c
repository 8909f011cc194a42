/*
 * Walks both logs from their first entry to the size of their checkpoint. Later entries name earlier ones by their
 * number, and trials lie in the order of those, so one is found by halving.
 */
#include "trial/report/tally.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "trial/report/private.h"

#define TICK 1000 /* entries between two words about progress */
#define RECORD_LIMIT ((size_t)64 << 20)

struct tally_walk {
	struct tally *tally;
	const struct tally_how *how;
	struct log *log;
	enum ledger_part part;
	size_t first; /* trial of this log */
	struct json_parser *entries, *records;
	struct sha256 sha;
	struct merkle root;
	struct arena arena; /* of one entry */
};

/* ---- names ---- */

uint32_t tally_number(struct tally *t, struct str text)
{
	uint64_t *number;
	bool added;

	if (!text.p)
		return 0;
	number = map_add(&t->numbers, text, &added);
	if (added) {
		mem_grow(t->names, t->name_count, t->name_cap, 1024);
		*number = t->name_count;
		t->names[t->name_count++] = arena_copy(t->arena, text);
	}
	return (uint32_t)*number;
}

struct str tally_name(const struct tally *t, const struct trial_fact *f, enum trial_name which)
{
	return t->names[f->names[which]];
}

bool tally_is_alike(const struct trial_fact *a, const struct trial_fact *b)
{
	return a->names[NAME_VERIFIER] == b->names[NAME_VERIFIER] && a->names[NAME_REVISION] == b->names[NAME_REVISION];
}

int tally_compare(const struct tally *t, const struct trial_fact *a, const struct trial_fact *b, enum trial_name which)
{
	uint32_t x = t->ranks[a->names[which]], y = t->ranks[b->names[which]];

	return x < y ? -1 : x > y;
}

/* Its first bytes, the highest first. */
static uint64_t tally_first_bytes(struct digest d)
{
	uint64_t first = 0;

	for (int i = 0; i < 8; i++)
		first = first << 8 | d.b[i];
	return first;
}

uint64_t tally_seed(struct str *ids, size_t count)
{
	struct sha256 sha;
	struct buf text;
	uint64_t seed;

	if (count)
		qsort(ids, count, sizeof(*ids), str_cmp_first);
	buf_init(&text);
	for (size_t i = 0; i < count; i++) {
		buf_add_str(&text, ids[i]);
		buf_add_byte(&text, '\n');
	}
	sha256_init(&sha);
	seed = tally_first_bytes(sha256_of(&sha, buf_str(&text)));
	sha256_free(&sha);
	buf_free(&text);
	return seed;
}

struct tally_named {
	struct str text;
	uint32_t number;
};

static void tally_rank_names(struct tally *t)
{
	struct tally_named *list = mem_alloc((t->name_count + 1) * sizeof(*list));

	for (size_t i = 1; i < t->name_count; i++)
		list[i - 1] = (struct tally_named){ t->names[i], (uint32_t)i };
	if (t->name_count > 1)
		qsort(list, t->name_count - 1, sizeof(*list), str_cmp_first);
	t->ranks = arena_array(t->arena, uint32_t, t->name_count);
	for (size_t i = 1; i < t->name_count; i++)
		t->ranks[list[i - 1].number] = (uint32_t)i;
	mem_free(list);
}

/* ---- entries ---- */

/* The place + 1 of the trial with this number in the log at hand; 0: none. */
static size_t tally_find(const struct tally_walk *w, uint64_t index)
{
	const struct tally *t = w->tally;
	size_t low = w->first, high = t->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->trials[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->count && t->trials[low].index == index ? low + 1 : 0;
}

/* The bytes that an entry seals, parsed; *found false when they are gone. */
static bool tally_parse_object(struct tally_walk *w, uint64_t at, struct digest d, struct val *root, bool *found,
			       struct err *err)
{
	struct str bytes;

	if (!w->log->ops->object(w->log, &w->arena, d, &bytes, found, err))
		return false;
	if (!*found)
		return true;
	if (bytes.n <= RECORD_LIMIT && digest_eq(sha256_of(&w->sha, bytes), d) &&
	    json_parse_copy(w->records, bytes, root, NULL))
		return true;
	return err_set(err, ERR_DATA, "%.*s: the record of entry %" PRIu64 " of the %s log is not what was sealed, so "
		       "there is no report" ERR_HELP "'trackway ledger verify' says what else is wrong",
		       STR_ARG(w->log->where), at, ledger_part_name(w->part));
}

static void tally_note_ident(struct tally *t, struct arena *work, struct str experiment, struct str id)
{
	bool added;
	uint64_t *place = map_add(&t->idents, ARENA_JOIN(work, experiment, str_of("", 1), id), &added);

	if (added) /* the main log is read first */
		*place = t->count;
}

static bool tally_take_trial(struct tally_walk *w, uint64_t at, const struct entry *e, struct err *err)
{
	struct tally *t = w->tally;
	struct trial_fact *f;
	struct val root;
	bool found;

	mem_grow(t->trials, t->count, t->cap, 4096);
	f = &t->trials[t->count++];
	*f = (struct trial_fact){ .index = at, .part = w->part, .record = e->record.digest };
	for (int i = 0; i < FIGURE_COUNT; i++)
		f->figures[i] = NAN;
	f->is_partial = w->part == LEDGER_DIAGNOSTIC || !str_eq(e->completeness, STR("complete"));
	f->names[NAME_EXPERIMENT] = tally_number(t, e->experiment);
	f->names[NAME_TRIAL] = tally_number(t, e->id);
	tally_note_ident(t, &w->arena, e->experiment, e->id);
	if (!tally_parse_object(w, at, e->record.digest, &root, &found, err))
		return false;
	if (found)
		facts_read_trial(t, &w->arena, root, f);
	return true;
}

static bool tally_take_review(struct tally_walk *w, uint64_t at, const struct entry *e, struct err *err)
{
	struct tally *t = w->tally;
	struct review_fact r = { .index = at };
	size_t place = tally_find(w, e->ref.index);
	struct val root;
	bool found;

	if (!place) /* of something else than a trial */
		return true;
	if (!tally_parse_object(w, at, e->record.digest, &root, &found, err))
		return false;
	if (!found)
		return err_set(err, ERR_DATA, "%.*s: the review of entry %" PRIu64 " of the %s log is not there"
			       ERR_HELP "'trackway ledger verify' says what else is wrong", STR_ARG(w->log->where), at,
			       ledger_part_name(w->part));
	r.trial = (uint32_t)(place - 1);
	facts_read_review(t, &w->arena, root, &r);
	mem_grow(t->reviews, t->review_count, t->review_cap, 256);
	t->reviews[t->review_count++] = r;
	return true;
}

static void tally_take_artifact(struct tally_walk *w, const struct entry *e, size_t place)
{
	struct tally *t = w->tally;

	if (!w->how->artifacts || !place || e->id.n <= e->ref.trial_id.n)
		return;
	mem_grow(t->artifacts, t->artifact_count, t->artifact_cap, 1024);
	t->artifacts[t->artifact_count++] = (struct artifact_fact){
		.trial = (uint32_t)(place - 1),
		.name = tally_first_bytes(sha256_of(&w->sha, str_skip(e->id, e->ref.trial_id.n + 1))),
		.digest = e->record.digest,
	};
}

static int tally_compare_artifacts(const void *a, const void *b)
{
	const struct artifact_fact *x = a, *y = b;

	return x->trial < y->trial ? -1 : x->trial > y->trial;
}

const struct digest *tally_find_artifact(const struct tally *t, const struct trial_fact *f, struct str name)
{
	uint32_t trial = (uint32_t)(f - t->trials);
	size_t low = 0, high = t->artifact_count;
	struct sha256 sha;
	uint64_t hash;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->artifacts[middle].trial < trial)
			low = middle + 1;
		else
			high = middle;
	}
	sha256_init(&sha);
	hash = tally_first_bytes(sha256_of(&sha, name));
	sha256_free(&sha);
	for (; low < t->artifact_count && t->artifacts[low].trial == trial; low++)
		if (t->artifacts[low].name == hash)
			return &t->artifacts[low].digest;
	return NULL;
}

static bool tally_take(struct tally_walk *w, struct str bytes, uint64_t at, struct err *err)
{
	struct entry e;
	struct str why;
	size_t place;

	arena_reset(&w->arena);
	merkle_add(&w->root, &w->sha, merkle_leaf(&w->sha, bytes));
	if (!entry_parse(w->entries, &w->arena, bytes, &e, &why))
		return true; /* of a later version: its own program knows it, and its hash counts */
	place = e.ref.given ? tally_find(w, e.ref.index) : 0;
	if (e.kind == ENTRY_TRIAL)
		return tally_take_trial(w, at, &e, err);
	if (e.kind == ENTRY_REVIEW)
		return tally_take_review(w, at, &e, err);
	if (e.kind == ENTRY_ARTIFACT)
		tally_take_artifact(w, &e, place);
	if (e.kind == ENTRY_SUPERSEDE && place)
		w->tally->trials[place - 1].superseded = true;
	if (e.kind == ENTRY_ERASE && place)
		w->tally->trials[place - 1].erased = true;
	return true;
}

static bool tally_check_gone(const struct tally_walk *w, struct err *err)
{
	for (size_t i = w->first; i < w->tally->count; i++) {
		const struct trial_fact *f = &w->tally->trials[i];

		if (!f->was_read && !f->erased)
			return err_set(err, ERR_DATA, "%.*s: the record of entry %" PRIu64 " of the %s log is not "
				       "there, and no entry says that it was erased" ERR_HELP
				       "'trackway ledger verify' says what else is wrong", STR_ARG(w->log->where),
				       f->index, ledger_part_name(w->part));
	}
	return true;
}

static bool tally_walk(struct tally_walk *w, struct err *err)
{
	struct tally_head *head = &w->tally->heads[w->part];
	struct log_entries it;
	struct checkpoint c;
	struct str bytes;
	uint64_t at;
	bool good = true;

	if (!log_read_checkpoint(w->log, w->tally->arena, &c, NULL, err))
		return false;
	*head = (struct tally_head){ true, c.origin, c.size, c.root };
	merkle_init(&w->root);
	log_entries_begin(&it, w->log, 0, c.size, c.size);
	while (good && log_entries_next(&it, &bytes, &at, err)) {
		good = tally_take(w, bytes, at, err);
		if (w->how->tick && at % TICK == 0)
			w->how->tick(w->how->context, at, c.size);
	}
	log_entries_end(&it);
	if (!good || err->kind != ERR_NONE)
		return false;
	if (w->root.count != c.size || !digest_eq(merkle_root(&w->root, &w->sha), c.root))
		return err_set(err, ERR_DATA, "%.*s: the entries of the %s log do not have the root that its "
			       "checkpoint signs, so there is no report" ERR_HELP "'trackway ledger verify' says where",
			       STR_ARG(w->log->where), ledger_part_name(w->part));
	return tally_check_gone(w, err);
}

/* What grew is moved to the arena, so that nobody has to free it. */
static void tally_settle(struct tally *t)
{
	struct str *names = arena_array(t->arena, struct str, t->name_count);
	struct trial_fact *trials = arena_array(t->arena, struct trial_fact, t->count + 1);
	struct review_fact *reviews = arena_array(t->arena, struct review_fact, t->review_count + 1);
	struct artifact_fact *artifacts = arena_array(t->arena, struct artifact_fact, t->artifact_count + 1);

	memcpy(names, t->names, t->name_count * sizeof(*names));
	if (t->count)
		memcpy(trials, t->trials, t->count * sizeof(*trials));
	if (t->review_count)
		memcpy(reviews, t->reviews, t->review_count * sizeof(*reviews));
	if (t->artifact_count) {
		qsort(t->artifacts, t->artifact_count, sizeof(*artifacts), tally_compare_artifacts);
		memcpy(artifacts, t->artifacts, t->artifact_count * sizeof(*artifacts));
	}
	mem_free(t->names);
	mem_free(t->trials);
	mem_free(t->reviews);
	mem_free(t->artifacts);
	t->names = names;
	t->trials = trials;
	t->reviews = reviews;
	t->artifacts = artifacts;
}

bool tally_read(struct tally *t, struct arena *a, struct ledger *l, const struct tally_how *how, struct err *err)
{
	struct tally_walk w = { .tally = t, .how = how };
	bool good = true;

	*t = (struct tally){ .arena = a };
	map_init(&t->numbers, a);
	map_init(&t->idents, a);
	mem_grow(t->names, t->name_count, t->name_cap, 1024);
	t->names[t->name_count++] = (struct str){ NULL, 0 };
	arena_init(&w.arena);
	sha256_init(&w.sha);
	w.entries = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH });
	w.records = json_parser_open((struct json_options){ .max_depth = 0 });
	for (int p = 0; good && p < LEDGER_PARTS; p++) {
		if (!l->logs[p])
			continue;
		w.part = (enum ledger_part)p;
		w.log = l->logs[p];
		w.first = t->count;
		good = tally_walk(&w, err);
	}
	json_parser_close(w.entries);
	json_parser_close(w.records);
	sha256_free(&w.sha);
	arena_free(&w.arena);
	tally_settle(t);
	if (!good)
		return false;
	tally_rank_names(t);
	standing_decide(t);
	return true;
}

/* ---- filter ---- */

static bool tally_lets_through(const struct tally *t, const struct trial_fact *f, const struct tally_filter *want)
{
	const struct {
		struct str want;
		enum trial_name which;
	} whole[] = { { want->experiment, NAME_EXPERIMENT }, { want->model, NAME_MODEL },
		      { want->adapter, NAME_ADAPTER } };

	for (size_t i = 0; i < COUNT(whole); i++)
		if (whole[i].want.p && !str_eq(whole[i].want, tally_name(t, f, whole[i].which)))
			return false;
	if (want->task_prefix.p && !str_starts(tally_name(t, f, NAME_TASK), want->task_prefix))
		return false;
	return !want->has_since || (f->has_time && f->seconds_1970 >= want->since);
}

/*
 * A regrade that is left out takes nobody's place: then the next one that is there does, or the trial stands for
 * itself. Places grow along a chain, so those behind it are still the old ones.
 */
static void tally_move_regrade(const struct tally *t, struct trial_fact *f, const uint32_t *moved)
{
	uint32_t next = f->replaced_by;

	while (next && !moved[next - 1])
		next = t->trials[next - 1].replaced_by;
	f->replaced_by = next ? moved[next - 1] : 0;
	if (f->standing == STANDING_REGRADED && !next)
		f->standing = (uint8_t)standing_alone(f);
}

void tally_select(struct tally *t, const struct tally_filter *f)
{
	uint32_t *moved = mem_alloc((t->count + 1) * sizeof(*moved)), kept = 0;
	size_t reviews = 0, artifacts = 0;

	for (size_t i = 0; i < t->count; i++)
		moved[i] = tally_lets_through(t, &t->trials[i], f) ? ++kept : 0;
	for (size_t i = 0; i < t->count; i++) {
		tally_move_regrade(t, &t->trials[i], moved);
		if (moved[i])
			t->trials[moved[i] - 1] = t->trials[i];
	}
	t->count = kept;
	for (size_t i = 0; i < t->review_count; i++) {
		if (!moved[t->reviews[i].trial])
			continue;
		t->reviews[reviews] = t->reviews[i];
		t->reviews[reviews].trial = moved[t->reviews[i].trial] - 1;
		reviews++;
	}
	t->review_count = reviews;
	for (size_t i = 0; i < t->artifact_count; i++) {
		if (!moved[t->artifacts[i].trial])
			continue;
		t->artifacts[artifacts] = t->artifacts[i];
		t->artifacts[artifacts].trial = moved[t->artifacts[i].trial] - 1;
		artifacts++;
	}
	t->artifact_count = artifacts;
	mem_free(moved);
}
