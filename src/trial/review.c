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
	if (r->vkey.p) {
		json_put_object(&w, "signer");
		json_put_text(&w, "vkey", r->vkey);
		json_put_text(&w, "signature", r->signature);
		json_write_end_object(&w);
	}
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
static bool check(struct arena *a, struct buf *text, enum err_kind broken, struct err *err)
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
		done = err_set(err, broken, "%s: %.*s" ERR_HELP "'trackway explain %s' tells more",
			       findings.kept[0].code, STR_ARG(findings.kept[0].message), findings.kept[0].code);
	}
	ops->fold_close(fold);
	ops->batch_close(batch);
	ops->scanner_close(scanner);
	return done;
}

bool review_make_text(struct arena *a, struct buf *out, struct review *r, const struct amend_target *trial,
		      struct err *err)
{
	fill_in(a, r);
	review_add_text(out, r, trial);
	return check(a, out, ERR_USAGE, err);
}

/* Always false. */
static bool review_conflicts(struct str id, uint64_t index, struct err *err)
{
	return err_set(err, ERR_DATA, "[" SEAL_E_CONFLICT "] entry %llu is another review of the id %.*s",
		       (unsigned long long)index, STR_ARG(id));
}

/* Looked up before anything is written: the object of a review that is refused may not come to lie in the ledger. */
static bool review_check_id(struct log *log, struct arena *a, const struct entry *e, struct err *err)
{
	struct json_parser *p;
	struct entry there;
	uint64_t index;
	bool found;

	if (!log->ops->find(log, entry_ident(a, e), &found, &index, err))
		return false;
	if (!found)
		return true;
	p = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH });
	found = log_read_entry(log, p, a, index, &there, NULL, err);
	json_parser_close(p);
	return found && (digest_eq(entry_digest(&there), e->record.digest) || review_conflicts(e->id, index, err));
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
	struct sha256 sha;
	bool conflict;

	sha256_init(&sha);
	e.record.digest = sha256_of(&sha, object);
	sha256_free(&sha);
	if (!review_check_id(log, a, &e, err) || !log->ops->put_objects(log, &object, 1, &e.record.digest, err) ||
	    !amend_append(l, a, trial->part, &e, out, &conflict, err))
		return false;
	return !conflict || review_conflicts(r->review_id, out->index, err); /* another writer may have been faster */
}

bool review_seal(struct ledger *l, struct arena *a, const struct amend_target *trial, struct review *r,
		 struct amend_result *out, struct err *err)
{
	struct amend_result result;
	struct entry there;
	struct buf text;
	bool done;

	buf_init(&text);
	done = review_make_text(a, &text, r, trial, err) && amend_read_target(l, a, trial, &there, err) &&
	       review_append(l, a, trial, r, buf_str(&text), &result, err);
	buf_free(&text);
	if (done)
		*out = result;
	return done;
}

bool review_sign(struct arena *a, const struct amend_target *trial, struct review *r, const struct signer *s,
		 struct err *err)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct buf text;
	bool done;

	r->vkey = (struct str){ NULL, 0 };
	buf_init(&text);
	done = review_make_text(a, &text, r, trial, err) && signed_make(p, a, buf_str(&text), s, &r->signature, err);
	if (done)
		r->vkey = key_text(a, &s->key);
	buf_free(&text);
	json_parser_close(p);
	return done;
}

/* ---- a review that came as a file ---- */

/* A file may have several lines; here it is one review. */
static bool read_review(struct json_parser *p, struct arena *a, struct str bytes, struct review *r,
			struct amend_target *trial, struct err *err)
{
	struct val v;
	int64_t index;

	if (!json_parse_copy(p, bytes, &v, NULL))
		return err_set(err, ERR_DATA, "this is not one review");
	r->review_id = arena_copy(a, val_get_text(v, STR("review_id"), a));
	r->reviewer_id = arena_copy(a, val_get_text(v, STR("reviewer_id"), a));
	r->judgment = arena_copy(a, val_get_text(v, STR("judgment"), a));
	trial->experiment = arena_copy(a, val_get_text(v, STR("experiment_id"), a));
	trial->trial_id = arena_copy(a, val_get_text(v, STR("trial_id"), a));
	if (!val_i64(val_get(v, STR("index")), &index) || index < 0 ||
	    !digest_parse(val_get_text(v, STR("leaf"), a), &trial->leaf))
		return err_set(err, ERR_DATA, "the review names no entry that could be its trial's");
	trial->index = (uint64_t)index;
	return true;
}

/*
 * Place and leaf say which trial is meant, and so in which log it is. The names must be that trial's too; an experiment
 * may be left out.
 */
static bool find_log(struct ledger *l, struct json_parser *p, struct arena *a, struct amend_target *trial,
		     struct err *err)
{
	struct err ignored = { .kind = ERR_NONE };
	struct digest leaf;
	struct sha256 sha;
	struct entry e;
	struct str bytes;

	for (int part = 0; part < LEDGER_PARTS; part++) {
		if (!l->logs[part] || !log_read_entry(l->logs[part], p, a, trial->index, &e, &bytes, &ignored))
			continue;
		sha256_init(&sha);
		leaf = merkle_leaf(&sha, bytes);
		sha256_free(&sha);
		if (!digest_eq(leaf, trial->leaf) || e.kind != ENTRY_TRIAL || !str_eq(e.id, trial->trial_id) ||
		    (trial->experiment.n && !str_eq(e.experiment, trial->experiment)))
			continue;
		trial->part = (enum ledger_part)part;
		trial->experiment = e.experiment;
		return true;
	}
	return err_set(err, ERR_DATA, "the review is of trial %.*s as entry %llu, and this ledger has no such entry"
		       ERR_HELP "it is about a trial of another ledger, or its experiment_id, index or leaf is "
		       "wrong", STR_ARG(trial->trial_id), (unsigned long long)trial->index);
}

static bool check_signature(struct json_parser *p, struct arena *a, struct str bytes, struct review_sealed *out,
			    struct err *err)
{
	const char *why = "";
	enum signed_state state = signed_check(p, a, bytes, &out->signer, &why);

	out->is_signed = state == SIGNED_WELL;
	return state != SIGNED_BADLY || err_set(err, ERR_DATA, "%s" ERR_HELP
						"let the reviewer sign it again; nothing was sealed", why);
}

bool review_seal_file(struct ledger *l, struct arena *a, struct str bytes, struct review_sealed *out, struct err *err)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct review r = { .review_id = { NULL, 0 } };
	struct amend_target trial = { .part = LEDGER_MAIN };
	struct review_sealed sealed = { .is_signed = false };
	struct sha256 sha;
	struct buf text;
	bool done;

	buf_init(&text);
	buf_add_str(&text, bytes);
	done = check(a, &text, ERR_DATA, err) && read_review(p, a, bytes, &r, &trial, err) &&
	       check_signature(p, a, bytes, &sealed, err) && find_log(l, p, a, &trial, err) &&
	       review_append(l, a, &trial, &r, bytes, &sealed.result, err);
	buf_free(&text);
	json_parser_close(p);
	if (!done)
		return false;
	sealed.part = trial.part;
	sealed.review_id = r.review_id;
	sealed.trial_id = trial.trial_id;
	sealed.experiment = trial.experiment;
	sealed.reviewer_id = r.reviewer_id;
	sealed.judgment = r.judgment;
	sha256_init(&sha);
	sealed.digest = sha256_of(&sha, bytes);
	sha256_free(&sha);
	*out = sealed;
	return true;
}
