/*
 * Follows the published logs in batches, each a transaction that ends with the size and root taken in. The root tells
 * next time whether the log is still the one that the rows are of.
 */
#include "ledger/index.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/crypto/hex.h"
#include "base/map.h"
#include "ledger/dir/log_dir.h"
#include "ledger/index_db.h"

#define BATCH 100000     /* entries taken in by one transaction */
#define TICK 1000        /* entries between two words about progress */
#define BAD_SHOWN 10     /* entries that are none and are named */
#define NAMED_BAD 400    /* bytes of a sentence about one */
#define NAMED_WHY 200
#define RECORD_LIMIT ((size_t)64 << 20)

struct index {
	struct index_db *db;
	struct ledger *ledger;
	struct json_parser *entries, *records;
	struct sha256 sha;
	struct arena arena; /* of one entry */
	void (*tick)(void *context, uint64_t done, uint64_t of);
	void *context;
	uint64_t bad_count;
};

/* ---- taking entries in ---- */

/* Leaves it unknown when the value is no number. */
static void set_figure(struct index_row *row, enum index_figure which, struct val v, double scale)
{
	double n;

	if (!val_double(v, &n))
		return;
	row->known |= 1u << which;
	row->figures[which] = n * scale;
}

static void read_trial(struct index *x, struct val root, struct index_row *row)
{
	struct val cost = val_get(root, STR("cost")), evaluation = val_get(root, STR("evaluation"));

	row->dataset = val_get_text(root, STR("dataset_id"), &x->arena);
	row->timestamp = val_get_text(root, STR("timestamp"), &x->arena);
	row->task = val_get_text(val_get(root, STR("task")), STR("task_id"), &x->arena);
	row->adapter = val_get_text(val_get(root, STR("agent")), STR("adapter"), &x->arena);
	row->model = val_get_text(val_get(root, STR("agent")), STR("model"), &x->arena);
	row->has_reward = val_double(val_get(evaluation, STR("reward")), &row->reward);
	set_figure(row, INDEX_TOKENS_IN, val_get(cost, STR("tokens_in")), 1);
	set_figure(row, INDEX_TOKENS_OUT, val_get(cost, STR("tokens_out")), 1);
	set_figure(row, INDEX_COST, val_get(cost, STR("estimated_cost_usd")), 1);
	set_figure(row, INDEX_ADVISOR_CALLS, val_get(cost, STR("advisor_calls")), 1);
	set_figure(row, INDEX_SECONDS, val_get(val_get(root, STR("timing")), STR("total_seconds")), 1);
}

/* The summary event of a recorded run. */
static void read_run_summary(struct index *x, struct val root, struct index_row *row)
{
	struct val tokens = val_get(root, STR("total_tokens"));

	row->timestamp = val_get_text(root, STR("started_at"), &x->arena);
	set_figure(row, INDEX_TOKENS_IN, val_get(tokens, STR("input")), 1);
	set_figure(row, INDEX_TOKENS_OUT, val_get(tokens, STR("output")), 1);
	set_figure(row, INDEX_COST, val_get(root, STR("estimated_cost_usd")), 1);
	set_figure(row, INDEX_SECONDS, val_get(root, STR("total_seconds")), 1);
}

/* A sum over the models is known when each of them is. */
static void add_of_model(struct index_row *row, enum index_figure which, struct val v, bool is_first)
{
	struct index_row one = { .known = 0 };

	set_figure(&one, which, v, 1);
	row->figures[which] += one.figures[which];
	if (is_first)
		row->known |= one.known;
	else if (!one.known)
		row->known &= ~(1u << which);
}

/* What the calls of a model cost, when it is known of all that were answered; VAL_NONE otherwise. */
static struct val cost_of_model(struct val model)
{
	struct val cost = val_get(model, STR("cost"));
	double answered, priced;

	if (!val_is(cost, JSON_OBJECT) || !val_double(val_get(cost, STR("n")), &priced) ||
	    !val_double(val_get(model, STR("n_ok")), &answered) || priced < answered)
		return VAL_NONE;
	return val_get(cost, STR("usd"));
}

/* The summary of a benchmark; its model is told when it has one. */
static void read_bench_summary(struct index *x, struct val root, struct index_row *row)
{
	struct val models = val_get(root, STR("models")), one;
	struct val_iter it;
	bool is_first = true;

	row->timestamp = val_get_text(root, STR("generated_at"), &x->arena);
	set_figure(row, INDEX_SECONDS, val_get(root, STR("run_wall_clock_ms")), 0.001);
	if (!val_is(models, JSON_ARRAY))
		return;
	it = val_begin(models);
	while (val_next(&it, &one)) {
		add_of_model(row, INDEX_TOKENS_IN, val_get(one, STR("input_tokens")), is_first);
		add_of_model(row, INDEX_TOKENS_OUT, val_get(one, STR("output_tokens")), is_first);
		add_of_model(row, INDEX_COST, cost_of_model(one), is_first);
		row->model = is_first ? val_get_text(one, STR("model"), &x->arena) : (struct str){ NULL, 0 };
		is_first = false;
	}
}

/* What a record says. One that is gone or changed says nothing: the bytes must be those sealed. */
static bool index_read_record(struct index *x, struct log *l, struct index_row *row, struct err *err)
{
	struct str bytes;
	struct val root;
	bool found;

	if (!l->ops->object(l, &x->arena, row->digest, &bytes, &found, err))
		return false;
	if (!found || bytes.n > RECORD_LIMIT || !digest_eq(sha256_of(&x->sha, bytes), row->digest) ||
	    !json_parse_copy(x->records, bytes, &root, NULL))
		return true;
	if (row->kind == ENTRY_TRIAL)
		read_trial(x, root, row);
	else if (row->kind == ENTRY_RUN)
		read_run_summary(x, root, row);
	else
		read_bench_summary(x, root, row);
	return true;
}

/* One entry becomes a row, or, when it cannot be read, a note about why it is passed over. */
static bool take_in(struct index *x, enum ledger_part p, struct str bytes, uint64_t at, struct err *err)
{
	struct log *l = x->ledger->logs[p];
	struct entry e;
	struct str why;
	struct index_row row = { .part = p, .index = at, .ref = UINT64_MAX };

	arena_reset(&x->arena);
	if (!entry_parse(x->entries, &x->arena, bytes, &e, &why)) /* one that is none hides no other */
		return index_db_add_bad(x->db, p, at, why, err);
	row.kind = e.kind;
	row.experiment = e.experiment;
	row.id = e.id;
	row.sealed_at = e.sealed_at;
	row.completeness = e.completeness;
	row.leaf = merkle_leaf(&x->sha, bytes);
	if (e.record.given) {
		row.digest = e.record.digest;
		row.size = e.record.size;
	}
	if (e.ref.given)
		row.ref = e.ref.index;
	if (entry_may_refer(ENTRY_ERASE, e.kind) && e.record.given && !index_read_record(x, l, &row, err))
		return false;
	return index_db_add(x->db, &row, err);
}

/* Some thousands of entries behind what the index has. */
static bool take_in_some(struct index *x, enum ledger_part p, uint64_t from, uint64_t to, const struct checkpoint *c,
			 struct err *err)
{
	struct log_entries it;
	struct str entry;
	uint64_t at;
	bool good = true;

	log_entries_begin(&it, x->ledger->logs[p], from, to, c->size);
	while (good && log_entries_next(&it, &entry, &at, err)) {
		good = take_in(x, p, entry, at, err);
		if (x->tick && at % TICK == 0)
			x->tick(x->context, at, c->size);
	}
	log_entries_end(&it);
	return good && err->kind == ERR_NONE;
}

/* How much of this log the index has: *is_one false when what it has is of another one. */
static bool compare(struct index *x, enum ledger_part p, const struct checkpoint *c, const struct tree_reader *hashes,
		    uint64_t *size, bool *is_one, struct err *err)
{
	struct digest had, root;
	struct str origin;

	arena_reset(&x->arena);
	if (!index_db_head(x->db, &x->arena, p, &origin, size, &had, err))
		return false;
	*is_one = *size == 0;
	if (*is_one || *size > c->size || !str_eq(origin, c->origin))
		return true;
	if (!tree_root(&x->sha, hashes, *size, &root, err))
		return false;
	*is_one = digest_eq(root, had);
	return true;
}

/* One transaction. What the index has is asked for inside it: another process may be at the same work. */
static bool step(struct index *x, enum ledger_part p, const struct checkpoint *c, const struct tree_reader *hashes,
		 uint64_t *size, struct err *err)
{
	struct digest root;
	uint64_t from, to;
	bool is_one;

	if (!compare(x, p, c, hashes, &from, &is_one, err))
		return false;
	if (!is_one) {
		if (!index_db_clear(x->db, p, err))
			return false;
		from = 0;
	}
	assert(from <= c->size);
	to = c->size - from > BATCH ? from + BATCH : c->size;
	*size = to;
	return take_in_some(x, p, from, to, c, err) && tree_root(&x->sha, hashes, to, &root, err) &&
	       index_db_set_head(x->db, p, c->origin, to, root, err);
}

/* Transactions until the index has all of the checkpoint. Those before a failure stay, and are gone on from. */
static bool follow(struct index *x, enum ledger_part p, const struct checkpoint *c, const struct tree_reader *hashes,
		   struct err *err)
{
	uint64_t size;
	bool is_one;

	if (!compare(x, p, c, hashes, &size, &is_one, err))
		return false;
	while (!is_one || size < c->size) {
		if (!index_db_begin(x->db, err) || !step(x, p, c, hashes, &size, err) || !index_db_commit(x->db, err)) {
			index_db_abort(x->db);
			return false;
		}
		is_one = true;
	}
	return true;
}

/* A log that is not there (NULL) has nothing to take in; its checkpoint must be signed by its key. */
static bool index_catch_up(struct index *x, enum ledger_part p, struct err *err)
{
	struct log *l = x->ledger->logs[p];
	struct log_hashes *hashes;
	struct tree_reader reader;
	struct checkpoint c;
	struct arena notes;
	bool good;

	if (!l)
		return true;
	arena_init(&notes);
	good = log_read_checkpoint(l, &notes, &c, NULL, err);
	if (good) {
		hashes = log_hashes_open(l, c.size);
		reader = log_hashes_reader(hashes);
		good = follow(x, p, &c, &reader, err);
		log_hashes_close(hashes);
	}
	arena_free(&notes);
	return good;
}

/* ---- the door ---- */

static struct index *index_make(struct ledger *l, struct index_db *db)
{
	struct index *x = mem_alloc(sizeof(*x));

	*x = (struct index){ .db = db, .ledger = l };
	x->entries = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH });
	x->records = json_parser_open((struct json_options){ .max_depth = 0 });
	sha256_init(&x->sha);
	arena_init(&x->arena);
	return x;
}

/* One sentence for each of the first BAD_SHOWN; the rest are only counted. */
static void name_bad(void *context, enum ledger_part p, uint64_t at, struct str why)
{
	struct index *x = context;
	char sentence[NAMED_BAD];

	snprintf(sentence, sizeof(sentence), "entry %llu of the %s log is passed over: %.*s ('trackway ledger verify' "
		 "tells more)", (unsigned long long)at, ledger_part_name(p), why.n < NAMED_WHY ? (int)why.n : NAMED_WHY,
		 why.p);
	if (x->bad_count++ < BAD_SHOWN)
		x->ledger->warn(x->ledger->context, sentence);
}

/* Entries that are none, each time the index is asked: who reads a list must know what is not in it. */
static bool name_all_bad(struct index *x, struct err *err)
{
	char sentence[NAMED_BAD];

	if (!x->ledger->warn)
		return true;
	if (!index_db_list_bad(x->db, name_bad, x, err))
		return false;
	snprintf(sentence, sizeof(sentence), "%llu more entries are passed over",
		 (unsigned long long)(x->bad_count - BAD_SHOWN));
	if (x->bad_count > BAD_SHOWN)
		x->ledger->warn(x->ledger->context, sentence);
	return true;
}

struct index *index_open(struct ledger *l, void (*tick)(void *context, uint64_t done, uint64_t of), void *context,
			 struct err *err)
{
	struct arena scratch;
	struct index *x;
	struct index_db *db;

	arena_init(&scratch);
	db = index_db_open(index_db_path(&scratch, l), err);
	arena_free(&scratch);
	if (!db)
		return NULL;
	x = index_make(l, db);
	x->tick = tick;
	x->context = context;
	for (int p = 0; p < LEDGER_PARTS; p++)
		if (!index_catch_up(x, (enum ledger_part)p, err)) {
			index_close(x);
			return NULL;
		}
	if (name_all_bad(x, err))
		return x;
	index_close(x);
	return NULL;
}

void index_close(struct index *x)
{
	if (!x)
		return;
	index_db_close(x->db);
	json_parser_close(x->entries);
	json_parser_close(x->records);
	sha256_free(&x->sha);
	arena_free(&x->arena);
	mem_free(x);
}

bool index_remove(struct ledger *l, struct err *err)
{
	struct arena scratch;
	bool removed;

	arena_init(&scratch);
	removed = index_db_remove(index_db_path(&scratch, l), err);
	arena_free(&scratch);
	return removed;
}

bool index_list(struct index *x, const struct index_filter *f, bool (*each)(void *context, const struct index_row *row),
		void *context, struct err *err)
{
	return index_db_list(x->db, f, each, context, err);
}

bool index_count(struct index *x, const struct index_filter *f, uint64_t *out, struct err *err)
{
	return index_db_count(x->db, f, out, err);
}

bool index_count_object(struct index *x, enum ledger_part p, struct digest d, uint64_t *out, struct err *err)
{
	return index_db_count_object(x->db, p, d, out, err);
}

/* ---- names ---- */

struct naming {
	struct arena *arena;
	struct index_row found;
	size_t count;
	struct buf shown; /* the first few, as they can be written */
};

/* The text of a row outlives the call in the arena. An absent one stays absent. */
static void keep_row(struct arena *a, struct index_row *row)
{
	struct str *const texts[] = { &row->experiment, &row->id,    &row->sealed_at,	 &row->dataset,	 &row->task,
				      &row->adapter,	&row->model, &row->completeness, &row->timestamp };

	for (size_t i = 0; i < COUNT(texts); i++)
		if (texts[i]->p)
			*texts[i] = arena_copy(a, *texts[i]);
}

/* Keeps the first trial found, counts the others, and shows three of them for the message. */
static bool note_trial(void *context, const struct index_row *row)
{
	struct naming *n = context;

	/* A trial may have been partial before it was complete. Rows of the main log come first, and are meant. */
	if (n->count && str_eq(row->experiment, n->found.experiment) && str_eq(row->id, n->found.id))
		return true;
	if (n->count < 3)
		buf_printf(&n->shown, "%s%.*s/%.*s", n->count ? ", " : "", STR_ARG(row->experiment), STR_ARG(row->id));
	if (n->count++ == 0) {
		n->found = *row;
		keep_row(n->arena, &n->found);
	}
	return true;
}

/* A trial, else a run or benchmark. Ids may have slashes themselves: every slash of the name is tried. */
static bool look_for(struct index *x, struct naming *n, struct str name, struct err *err)
{
	static const enum entry_kind runs[] = { ENTRY_RUN, ENTRY_BENCH };
	struct index_filter f = INDEX_ANY;

	f.kind = ENTRY_TRIAL;
	f.id = name;
	if (!index_list(x, &f, note_trial, n, err))
		return false;
	for (size_t i = 0; n->count == 0 && i < COUNT(runs); i++) {
		f.kind = (int)runs[i];
		if (!index_list(x, &f, note_trial, n, err))
			return false;
	}
	f.kind = ENTRY_TRIAL;
	for (size_t i = 1; n->count == 0 && i + 1 < name.n; i++) {
		if (name.p[i] != '/')
			continue;
		f.experiment = str_of(name.p, i);
		f.id = str_skip(name, i + 1);
		if (!index_list(x, &f, note_trial, n, err))
			return false;
	}
	return true;
}

bool index_find_trial(struct index *x, struct arena *a, struct str name, struct index_row *out, struct err *err)
{
	struct naming n = { .arena = a };
	bool good;

	buf_init(&n.shown);
	good = look_for(x, &n, name, err);
	if (good && n.count == 0)
		good = err_set(err, ERR_DATA, "there is no trial '%.*s' in %.*s"
			       ERR_HELP "'trackway ledger list' shows the trials", STR_ARG(name),
			       STR_ARG(x->ledger->where));
	else if (good && n.count > 1)
		good = err_set(err, ERR_USAGE, "'%.*s' is the id of %zu trials"
			       ERR_HELP "say which, as experiment/trial: %.*s", STR_ARG(name), n.count,
			       STR_ARG(buf_str(&n.shown)));
	else if (good)
		*out = n.found;
	buf_free(&n.shown);
	return good;
}
