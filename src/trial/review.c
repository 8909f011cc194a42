/*
 * The review is written as text first, and that text is checked and sealed: what is in the ledger is what passed the
 * rules.
 */
#include "trial/review.h"

#include "base/clock.h"
#include "base/id.h"
#include "dialect/formats.h"
#include "json/put.h"
#include "trial/seal.h"

void review_add_text(struct buf *out, const struct review *r, const struct amend_target *trial)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_PRETTY);
	json_write_begin_object(&w);
	json_put_text_or_null(&w, "review_id", r->review_id);
	json_put_text_or_null(&w, "kind", r->kind);
	json_put_text_or_null(&w, "experiment_id", trial->experiment);
	json_put_text_or_null(&w, "trial_id", trial->trial_id);
	json_put_u64(&w, "index", trial->index);
	json_put_digest(&w, "leaf", trial->leaf);
	json_put_text_or_null(&w, "reviewer_id", r->reviewer_id);
	json_put_text_or_null(&w, "reviewer_discipline", r->reviewer_discipline);
	json_put_text_or_null(&w, "timestamp", r->timestamp);
	json_put_text_or_null(&w, "judgment", r->judgment);
	json_put_texts(&w, "categories", r->categories, r->category_count);
	json_put_text_or_null(&w, "notes", r->notes);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}

static void fill_in(struct arena *a, struct review *r)
{
	uint64_t ns = clock_wall_ns();

	if (!r->timestamp.p)
		r->timestamp = stamp_new_ns(a, (int64_t)ns, 3);
	if (!r->review_id.p) {
		struct id_series ids;
		char text[ID_UUID_TEXT];

		id_series_init(&ids);
		id_format_uuid(text, id_series_next_uuid7(&ids, ns / 1000000));
		r->review_id = arena_copy(a, str_of(text, sizeof(text)));
	}
}

/* The same rules as for a file that somebody else wrote. */
static bool check(struct arena *a, struct buf *text, struct err *err)
{
	const struct check_options how = { .mode = MODE_DEFAULT };
	const struct check_ops *ops = review_dialect.ops;
	void *scanner = ops->scanner_open(&review_dialect, &how), *batch = ops->batch_open(&review_dialect);
	void *fold = ops->fold_open(&review_dialect, &how);
	struct check_tally tally = { .records = 0 };
	struct check_chunk chunk = { .first_line = 1 };
	struct findings findings;
	bool done;

	memset(buf_reserve(text, JSON_PAD), 0, JSON_PAD);
	chunk.bytes = buf_str(text);
	findings_init(&findings, a, 0);
	ops->begin(fold, &findings);
	ops->scan(scanner, &chunk, batch);
	done = ops->fold(fold, batch, err);
	ops->finish(fold, &tally);
	if (done && findings.errors) {
		findings_sort(&findings);
		done = err_set(err, ERR_USAGE, "%s: %.*s" ERR_HELP "'trackway explain %s' tells more",
			       findings.kept[0].code, STR_ARG(findings.kept[0].message), findings.kept[0].code);
	}
	ops->fold_close(fold);
	ops->batch_close(batch);
	ops->scanner_close(scanner);
	return done;
}

/* The object before the entry: what an entry names must be there. */
static bool review_append(struct ledger *l, struct arena *a, const struct amend_target *trial,
			  const struct review *r, struct str object, struct amend_result *out, struct err *err)
{
	struct log *log = l->logs[trial->part];
	struct entry e = {
		.kind = ENTRY_REVIEW, .id = r->review_id, .experiment = trial->experiment,
		.record = { .given = true, .size = object.n, .media = STR(ENTRY_MEDIA_REVIEW) },
		.ref = { .given = true, .trial_id = trial->trial_id, .index = trial->index, .leaf = trial->leaf },
	};
	bool conflict;

	if (!log->ops->put_objects(log, &object, 1, &e.record.digest, err) ||
	    !amend_append(l, a, trial->part, &e, out, &conflict, err))
		return false;
	return !conflict || err_set(err, ERR_DATA, "[" SEAL_E_CONFLICT "] entry %llu is another review of the id %.*s",
				    (unsigned long long)out->index, STR_ARG(r->review_id));
}

bool review_seal(struct ledger *l, struct arena *a, const struct amend_target *trial, struct review *r,
		 struct amend_result *out, struct err *err)
{
	struct amend_result result;
	struct entry there;
	struct buf text;
	bool done;

	fill_in(a, r);
	buf_init(&text);
	review_add_text(&text, r, trial);
	done = check(a, &text, err) && amend_read_target(l, a, trial, &there, err) &&
	       review_append(l, a, trial, r, buf_str(&text), &result, err);
	buf_free(&text);
	if (done)
		*out = result;
	return done;
}
