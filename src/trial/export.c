/*
 * Reads the checkpoint of each log once, then its entries up to that size, so that entries published meanwhile are
 * left out. The shapes differ only in what they do with an item.
 */
#include "trial/export.h"

#include "json/put.h"


/* ---- names ---- */

struct str export_trial_path(struct arena *a, struct str experiment, struct str trial)
{
	struct str first = experiment.n ? entry_path_part(a, experiment) : STR("_");

	return ARENA_JOIN(a, first, STR("/"), entry_path_part(a, trial));
}

struct str export_artifact_path(struct arena *a, struct str id, struct str trial)
{
	if (str_starts(id, trial) && id.n > trial.n + 1)
		id = str_skip(id, trial.n + 1);
	return entry_path_part(a, id);
}

/* ---- the walk ---- */

struct walk {
	const struct export_options *o;
	struct export_sum *sum;
	struct json_parser *parser;
	struct sha256 sha;
	struct arena arena;
	bool (*each)(void *context, struct arena *a, const struct export_item *item, struct err *err);
	void *context;
	uint64_t done, of;
};

static bool is_damaged(const struct export_item *x, const char *what, struct str why, struct err *err)
{
	return err_set(err, ERR_DATA,
		       "%.*s: entry %llu: %s%.*s" ERR_HELP
		       "'trackway ledger verify' tells what is wrong with the ledger",
		       STR_ARG(x->log->where), (unsigned long long)x->index, what, STR_ARG(why));
}

/* What does not say its experiment belongs to that of the trial it refers to. */
static bool find_experiment(struct walk *w, struct export_item *x, struct err *err)
{
	struct entry trial;
	struct str bytes, why;

	x->experiment = x->entry.experiment.p ? x->entry.experiment : STR("");
	if (x->experiment.n || !x->entry.ref.given || x->entry.ref.index >= x->index)
		return true;
	if (!x->log->ops->entry(x->log, &w->arena, x->entry.ref.index, &bytes, err))
		return false;
	if (!entry_parse(w->parser, &w->arena, bytes, &trial, &why))
		return is_damaged(x, "what it refers to cannot be read: ", why, err);
	if (trial.experiment.p)
		x->experiment = trial.experiment;
	return true;
}

/* Held against its digest and its size here, for every shape. Absent means erased. */
static bool get_object(struct walk *w, struct export_item *x, struct err *err)
{
	struct digest d;

	if (!x->entry.record.given)
		return true;
	if (!x->log->ops->object(x->log, &w->arena, x->entry.record.digest, &x->object, &x->has_object, err))
		return false;
	if (!x->has_object) {
		w->sum->erased++;
		return true;
	}
	d = sha256_of(&w->sha, x->object);
	if (!digest_eq(d, x->entry.record.digest) || x->object.n != x->entry.record.size)
		return is_damaged(x, "its object is not the one that was sealed", STR(""), err);
	w->sum->bytes += x->object.n;
	return true;
}

static void count(struct export_sum *sum, enum entry_kind kind)
{
	sum->entries++;
	if (kind == ENTRY_TRIAL)
		sum->trials++;
	else if (kind == ENTRY_REVIEW)
		sum->reviews++;
	else if (kind == ENTRY_ARTIFACT)
		sum->artifacts++;
	else
		sum->others++;
}

/* An entry that is not wanted is parsed all the same: its experiment says whether it is. */
static bool visit(struct walk *w, struct export_item *x, struct err *err)
{
	struct str why;

	if (!entry_parse(w->parser, &w->arena, x->bytes, &x->entry, &why))
		return is_damaged(x, "it cannot be read: ", why, err);
	if (!find_experiment(w, x, err))
		return false;
	if (w->o->experiment.p && !str_eq(w->o->experiment, x->experiment))
		return true;
	if (!get_object(w, x, err))
		return false;
	count(w->sum, x->entry.kind);
	x->leaf = merkle_leaf(&w->sha, x->bytes);
	return w->each(w->context, &w->arena, x, err);
}

/* Visits the entries of one log that were published when the walk began. */
static bool walk_log(struct walk *w, enum ledger_part p, struct err *err)
{
	struct export_item x = { .part = p, .log = w->o->ledger->logs[p] };
	struct log_entries it;
	struct checkpoint c;
	struct arena kept;
	bool done = true;

	arena_init(&kept);
	if (!log_read_checkpoint(x.log, &kept, &c, NULL, err) || !x.log->ops->checkpoint(x.log, &kept, &x.note, err)) {
		arena_free(&kept);
		return false;
	}
	w->of += c.size;
	log_entries_begin(&it, x.log, 0, c.size, c.size);
	while (done) {
		struct export_item one = x;
		struct err why = { .kind = ERR_NONE };

		arena_reset(&w->arena);
		one.size = c.size;
		if (!log_entries_next(&it, &one.bytes, &one.index, &why)) {
			done = why.kind == ERR_NONE;
			if (!done)
				*err = why;
			break;
		}
		done = visit(w, &one, err);
		if (w->o->tick)
			w->o->tick(w->o->tick_context, ++w->done, w->of);
	}
	log_entries_end(&it);
	arena_free(&kept);
	return done;
}

bool export_walk(const struct export_options *o, struct export_sum *sum,
		 bool (*each)(void *context, struct arena *a, const struct export_item *item, struct err *err),
		 void *context, struct err *err)
{
	struct walk w = { .o = o, .sum = sum, .each = each, .context = context };
	bool done = true;

	*sum = (struct export_sum){ .entries = 0 };
	arena_init(&w.arena);
	sha256_init(&w.sha);
	w.parser = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH });
	for (int p = 0; p < LEDGER_PARTS && done; p++)
		if (o->ledger->logs[p] && (o->part < 0 || o->part == p))
			done = walk_log(&w, (enum ledger_part)p, err);
	json_parser_close(w.parser);
	sha256_free(&w.sha);
	arena_free(&w.arena);
	return done;
}

/* ---- lines ---- */

void export_add_compact(struct buf *out, struct str json)
{
	bool inside = false;

	for (size_t i = 0; i < json.n; i++) {
		char c = json.p[i];

		if (inside && c == '\\' && i + 1 < json.n) {
			buf_add(out, json.p + i++, 2);
			continue;
		}
		if (c == '"')
			inside = !inside;
		if (inside || (c != ' ' && c != '\t' && c != '\n' && c != '\r'))
			buf_add_byte(out, c);
	}
}

struct lines {
	const struct export_options *o;
	struct json_parser *parser;
	struct buf line, record;
};

/* An entry as a line of JSON: a record that is not JSON, or not there, is null. */
static bool add_line(void *context, struct arena *a, const struct export_item *x, struct err *err)
{
	struct lines *l = context;
	struct json_writer w;
	struct val v;

	(void)a;
	buf_clear(&l->line);
	json_write_init(&w, &l->line, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_u64(&w, "index", x->index);
	json_put_word(&w, "part", ledger_part_name(x->part));
	json_put_digest(&w, "leaf", x->leaf);
	json_put_raw(&w, "entry", x->bytes);
	json_write_key(&w, STR("record"));
	buf_clear(&l->record);
	if (x->has_object && x->entry.kind != ENTRY_ARTIFACT && json_parse_copy(l->parser, x->object, &v, NULL))
		export_add_compact(&l->record, x->object);
	if (l->record.n)
		json_write_raw(&w, buf_str(&l->record));
	else
		json_write_null(&w);
	json_write_end_object(&w);
	buf_add_byte(&l->line, '\n');
	return l->o->put(l->o->context, buf_str(&l->line), err);
}

bool export_jsonl(const struct export_options *o, struct export_sum *sum, struct err *err)
{
	struct lines l = { .o = o };
	bool done;

	buf_init(&l.line);
	buf_init(&l.record);
	l.parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	done = export_walk(o, sum, add_line, &l, err);
	json_parser_close(l.parser);
	buf_free(&l.record);
	buf_free(&l.line);
	return done;
}
