/*
 * Reads the entry, its object and every later entry about it into memory, then shows them. Only what cannot be read at
 * all is an error; bytes that are missing or changed are shown as such.
 */
#include "cmd/ledger/show.h"

#include <inttypes.h>
#include <math.h>

#include "base/num.h"
#include "cmd/frame/field.h"
#include "cmd/ledger/args.h"
#include "cmd/ledger/rows.h"
#include "cmd/report/report.h"
#include "cmd/screen/amounts.h"
#include "json/put.h"
#include "ledger/dir/log_dir.h"
#include "ledger/signed.h"

const char *const ledger_show_fields[] = {
	"part", "index", "leaf", "kind", "id", "experiment_id", "sealed_at", "entry", "record", "record_is_intact",
	"superseded", "erased", "about", "tokens_in", "tokens_out", "estimated_cost_usd", "advisor_calls",
	"total_seconds", "timestamp", "files", "signer", NULL,
};

/* ---- reading ---- */

struct gathering {
	struct arena *arena;
	struct buf rows; /* struct index_row */
};

static bool gather(void *context, const struct index_row *row)
{
	struct gathering *g = context;
	struct index_row kept = ledger_row_copy(g->arena, row);

	buf_add(&g->rows, &kept, sizeof(kept));
	return true;
}

static bool is_digest_of(struct digest d, struct str bytes)
{
	struct sha256 sha;
	struct digest found;

	sha256_init(&sha);
	found = sha256_of(&sha, bytes);
	sha256_free(&sha);
	return digest_eq(found, d);
}

/* The leaf and the object of e->row. An object that is not there leaves p NULL. */
static bool read_one(struct ledger_show *s, struct json_parser *p, struct shown_entry *e, struct err *err)
{
	struct log *log = s->ledger->logs[e->row.part];
	struct str why;
	bool found = false;

	if (!log->ops->entry(log, s->arena, e->row.index, &e->bytes, err))
		return false;
	if (!entry_parse(p, s->arena, e->bytes, &e->entry, &why))
		return err_set(err, ERR_DATA, "%.*s: entry %" PRIu64 " is damaged: %.*s" ERR_HELP
			       "'trackway ledger verify' says more", STR_ARG(s->ledger->where), e->row.index,
			       STR_ARG(why));
	if (!e->entry.record.given)
		return true;
	if (!log->ops->object(log, s->arena, e->entry.record.digest, &e->object, &found, err))
		return false;
	if (!found)
		e->object = str_of(NULL, 0);
	else
		e->is_other = !is_digest_of(e->entry.record.digest, e->object);
	return true;
}

bool ledger_show_read(struct ledger_show *s, struct index *x, const struct index_row *row, struct err *err)
{
	struct gathering g = { .arena = s->arena };
	struct index_filter f = INDEX_ANY;
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH });
	bool done;

	buf_init(&g.rows);
	s->it = (struct shown_entry){ .row = *row };
	f.part = (int)row->part;
	f.ref_of = row->index;
	done = read_one(s, p, &s->it, err) && index_list(x, &f, gather, &g, err);
	s->about_count = g.rows.n / sizeof(struct index_row);
	s->about = arena_array(s->arena, struct shown_entry, s->about_count + 1);
	for (size_t i = 0; done && i < s->about_count; i++) {
		memcpy(&s->about[i].row, g.rows.p + i * sizeof(struct index_row), sizeof(struct index_row));
		done = read_one(s, p, &s->about[i], err);
	}
	buf_free(&g.rows);
	json_parser_close(p);
	return done;
}

/* ---- text ---- */

static void ledger_show_add_label(struct buf *out, const char *label)
{
	buf_printf(out, "  %-12s", label);
}

static void ledger_show_add_line(struct buf *out, const char *label, struct str text)
{
	if (!text.p)
		return;
	ledger_show_add_label(out, label);
	term_add_text(out, text);
	buf_add_byte(out, '\n');
}

/* Where people find it: under the name that version 0.1 gave it, when there is no other. */
static struct str link_of(const struct ledger_show *s, const struct shown_entry *e)
{
	struct log *log = s->ledger->logs[e->row.part];
	struct str name = entry_link_name(s->arena, &e->entry), old = entry_old_link_name(s->arena, &e->entry);
	struct digest d = e->entry.record.digest;

	if (old.p && !log_dir_has_link(log, d, name.p) && log_dir_has_link(log, d, old.p))
		name = old;
	if (!name.p)
		return name;
	return ARENA_JOIN(s->arena, e->row.part == LEDGER_MAIN ? STR("") : STR("diagnostic/"), name);
}

/* Its digest, and where its bytes are or what became of them. */
static void add_object(struct buf *out, const struct ledger_show *s, const struct shown_entry *e)
{
	if (!e->entry.record.given)
		return;
	ledger_show_add_label(out, "object");
	buf_printf(out, "sha256 %.*s, %" PRIu64 " bytes\n", STR_ARG(ledger_args_hex(s->arena, e->entry.record.digest)),
		   e->entry.record.size);
	if (!e->object.p)
		ledger_show_add_line(
			out, "", e->row.erased ? STR("its bytes were erased") : STR("its bytes are missing"));
	else if (e->is_other)
		ledger_show_add_line(
			out, "", STR("ITS BYTES ARE NOT THOSE THAT WERE SEALED: run 'trackway ledger verify'"));
	else if (s->ledger->is_dir)
		ledger_show_add_line(out, "", link_of(s, e));
}

/* "tokens 1.98k in, 320 out": what is not known has no line. */
static void add_figures(struct buf *out, const struct index_row *row)
{
	static const char *const labels[INDEX_FIGURES] = {
		[INDEX_TOKENS_IN] = "tokens in",    [INDEX_TOKENS_OUT] = "tokens out", [INDEX_COST] = "cost",
		[INDEX_ADVISOR_CALLS] = "advisor",  [INDEX_SECONDS] = "time",
	};

	for (int i = 0; i < INDEX_FIGURES; i++) {
		if (!(row->known & 1u << i))
			continue;
		ledger_show_add_label(out, labels[i]);
		ledger_row_add_figure(out, row, (enum index_figure)i);
		if (i == INDEX_ADVISOR_CALLS)
			buf_add_str(out, row->figures[i] == 1 ? STR(" call") : STR(" calls"));
		buf_add_byte(out, '\n');
	}
}

/* Whether the bytes of a file are in the ledger: as the record, or as an artifact. */
static bool ledger_show_has_file(const struct ledger_show *s, const struct entry_file *f)
{
	if (digest_eq(s->it.entry.record.digest, f->digest))
		return s->it.object.p;
	for (size_t i = 0; i < s->about_count; i++)
		if (s->about[i].entry.kind == ENTRY_ARTIFACT && digest_eq(s->about[i].entry.record.digest, f->digest))
			return s->about[i].object.p;
	return false;
}

/* Facts that are absent have no line; for other kinds of entries all are. */
static void add_trial(struct buf *out, const struct index_row *row)
{
	char reward[NUM_DOUBLE_MAX];

	ledger_show_add_line(out, "experiment", row->experiment);
	ledger_show_add_line(out, "dataset", row->dataset);
	ledger_show_add_line(out, "task", row->task);
	ledger_show_add_line(out, "adapter", row->adapter);
	ledger_show_add_line(out, "model", row->model);
	ledger_show_add_line(out, row->kind == ENTRY_BENCH ? "summary of" : "began", row->timestamp);
	if (row->has_reward)
		ledger_show_add_line(out, "reward", str_of(reward, num_format_double(reward, row->reward)));
	add_figures(out, row);
}

/* The files of a run: each by its digest, and whether the ledger has its bytes. */
static void add_files(struct buf *out, const struct ledger_show *s, const struct shown_entry *e)
{
	for (size_t i = 0; i < e->entry.file_count; i++) {
		const struct entry_file *f = &e->entry.files[i];
		struct str hex = ledger_args_hex(s->arena, f->digest);

		ledger_show_add_label(out, i ? "" : "files");
		buf_printf(out, "%.12s  %-11s ", hex.p, ledger_show_has_file(s, f) ? "stored" : "digest only");
		term_add_text(out, f->name);
		buf_printf(out, ", %" PRIu64 " bytes\n", f->size);
	}
	for (size_t i = 0; i < e->entry.suite_count; i++)
		ledger_show_add_line(out, "suite", ledger_args_hex(s->arena, e->entry.suites[i]));
}

/* Who signed it, by name and id of the key: whose key that is, its reader must know. */
static void add_signer(struct buf *out, const struct ledger_show *s, struct json_parser *p, const struct shown_entry *e)
{
	const char *why = "";
	struct key by;
	enum signed_state state = signed_check(p, s->arena, e->object, &by, &why);

	if (state == SIGNED_NOT)
		return;
	buf_add_str(out, state == SIGNED_WELL ? STR(" (signed by ") : STR(" (SIGNATURE DOES NOT HOLD: "));
	term_add_text(out, by.name.p ? by.name : STR("no key"));
	buf_printf(out, "+%02x%02x%02x%02x)", by.id[0], by.id[1], by.id[2], by.id[3]);
}

/* Only bytes that are those sealed are quoted. */
static void add_review(struct buf *out, const struct ledger_show *s, const struct shown_entry *e)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct json_issue issue;
	struct val v;
	struct str notes;

	if (e->object.p && !e->is_other && json_parse_copy(p, e->object, &v, &issue)) {
		term_add_text(out, val_get_text(v, STR("judgment"), s->arena));
		buf_add_str(out, STR(" by "));
		term_add_text(out, val_get_text(v, STR("reviewer_id"), s->arena));
		notes = val_get_text(v, STR("notes"), s->arena);
		if (notes.n) {
			buf_add_str(out, STR(": "));
			term_add_text(out, notes);
		}
		add_signer(out, s, p, e);
	} else {
		buf_add_str(out, STR("its bytes are missing, or not those that were sealed"));
	}
	json_parser_close(p);
}

/* One line for a later entry: what it says about this one, and its reason. */
static void add_about(struct buf *out, const struct ledger_show *s, const struct shown_entry *e)
{
	buf_printf(out, "  entry %-5" PRIu64 " ", e->row.index);
	buf_printf(out, "%-10s ", entry_kind_name(e->entry.kind));
	switch (e->entry.kind) {
	case ENTRY_REVIEW:
		add_review(out, s, e);
		break;
	case ENTRY_SUPERSEDE:
		buf_printf(out, "by entry %" PRIu64 ", trial ", e->entry.by.index);
		term_add_text(out, e->entry.by.trial_id);
		break;
	default:
		term_add_text(out, e->entry.id);
		break;
	}
	if (e->entry.reason.n) {
		buf_add_str(out, STR(": "));
		term_add_text(out, e->entry.reason);
	}
	buf_add_byte(out, '\n');
}

void ledger_show_add_text(struct buf *out, const struct ledger_show *s)
{
	const struct shown_entry *e = &s->it;

	term_add_text(out, e->row.id);
	buf_printf(out, ": entry %" PRIu64 " of the %s log, %s%s%s%s\n", e->row.index, ledger_part_name(e->row.part),
		   e->row.kind == ENTRY_TRIAL ? (e->row.part == LEDGER_MAIN ? "a complete " : "a partial ") : "kind ",
		   entry_kind_name(e->row.kind), e->row.superseded ? ", SUPERSEDED" : "",
		   e->row.erased ? ", ERASED" : "");
	add_trial(out, &e->row);
	ledger_show_add_line(out, "sealed", e->entry.sealed_at);
	ledger_show_add_line(out, "reason", e->entry.reason);
	if (e->entry.ref.given) {
		buf_printf(out, "  %-12sentry %" PRIu64 ", trial ", "about", e->entry.ref.index);
		term_add_text(out, e->entry.ref.trial_id);
		buf_add_byte(out, '\n');
	}
	if (e->entry.by.given) {
		buf_printf(out, "  %-12sentry %" PRIu64 ", trial ", "by", e->entry.by.index);
		term_add_text(out, e->entry.by.trial_id);
		buf_add_byte(out, '\n');
	}
	if (e->entry.kind == ENTRY_REVIEW) {
		ledger_show_add_label(out, "judgment");
		add_review(out, s, e);
		buf_add_byte(out, '\n');
	}
	add_object(out, s, e);
	ledger_show_add_line(out, "leaf", ledger_args_hex(s->arena, e->row.leaf));
	ledger_show_add_line(out, "run", e->entry.run.hash);
	ledger_show_add_line(out, "root", e->entry.kind == ENTRY_RUN ? e->entry.run.root : (struct str){ NULL, 0 });
	if (e->entry.forked_from.given)
		ledger_show_add_line(out, "forked from", arena_printf(s->arena, "%.*s at seq %" PRIu64,
				     STR_ARG(e->entry.forked_from.run_hash), e->entry.forked_from.seq));
	add_files(out, s, e);
	for (size_t i = 0; i < s->about_count; i++)
		if (!e->entry.file_count || s->about[i].entry.kind != ENTRY_ARTIFACT) /* which the files tell */
			add_about(out, s, &s->about[i]);
}

/* ---- JSON ---- */

/* Only what is one JSON value may stand in a document as it is. */
static void write_raw(struct json_writer *w, struct str bytes)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct json_issue issue;
	struct val v;

	if (!bytes.p)
		json_write_null(w);
	else if (json_parse_copy(p, bytes, &v, &issue))
		json_write_raw(w, str_trim(bytes));
	else
		json_write_string(w, bytes);
	json_parser_close(p);
}

/* {"vkey","name","key_id","signature_holds"} of a review that is signed, else null. */
static void write_signer(struct json_writer *w, const struct ledger_show *s, const struct shown_entry *e)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	const char *why = "";
	struct key by;
	enum signed_state state = e->object.p ? signed_check(p, s->arena, e->object, &by, &why) : SIGNED_NOT;

	json_write_key(w, STR("signer"));
	if (state == SIGNED_NOT) {
		json_write_null(w);
	} else {
		json_write_begin_object(w);
		json_put_text_or_null(w, "vkey", by.name.p ? ledger_args_vkey(s->arena, &by) : by.name);
		json_put_text_or_null(w, "name", by.name);
		json_put_text(w, "key_id", arena_printf(s->arena, "%02x%02x%02x%02x", by.id[0], by.id[1], by.id[2],
							by.id[3]));
		json_put_bool(w, "signature_holds", state == SIGNED_WELL);
		json_write_end_object(w);
	}
	json_parser_close(p);
}

/* Only reviews have bytes that people want to read here. */
static void write_about(struct json_writer *w, const struct ledger_show *s, const struct shown_entry *e)
{
	json_write_begin_object(w);
	json_put_u64(w, "index", e->row.index);
	json_put_digest(w, "leaf", e->row.leaf);
	json_write_key(w, STR("entry"));
	write_raw(w, e->bytes);
	if (e->entry.kind == ENTRY_REVIEW) {
		json_write_key(w, STR("record"));
		write_raw(w, e->object);
		json_put_bool(w, "record_is_intact", e->object.p && !e->is_other);
		write_signer(w, s, e);
	}
	json_write_end_object(w);
}

/* Of a trial, run or benchmark: what it took, when it began, and the files of a run. */
static void write_facts(struct json_writer *w, const struct ledger_show *s, struct opt_maybe selected)
{
	const struct shown_entry *e = &s->it;

	field_put_text_or_null(w, selected, "timestamp", e->row.timestamp);
	for (int i = 0; i < INDEX_FIGURES; i++)
		field_put_double(w, selected, ledger_row_figure_names[i],
				 e->row.known & 1u << i ? e->row.figures[i] : NAN);
	if (!e->entry.file_count || !report_begin_field(w, selected, "files"))
		return;
	json_write_begin_array(w);
	for (size_t i = 0; i < e->entry.file_count; i++) {
		json_write_begin_object(w);
		json_put_text(w, "name", e->entry.files[i].name);
		json_put_digest(w, "sha256", e->entry.files[i].digest);
		json_put_u64(w, "size", e->entry.files[i].size);
		json_put_bool(w, "stored", ledger_show_has_file(s, &e->entry.files[i]));
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

void ledger_show_add_json(struct buf *out, const struct ledger_show *s, struct opt_maybe selected)
{
	const struct shown_entry *e = &s->it;
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "ledger-show");
	field_put_word(&w, selected, "part", ledger_part_name(e->row.part));
	field_put_u64(&w, selected, "index", e->row.index);
	field_put_digest(&w, selected, "leaf", e->row.leaf);
	field_put_word(&w, selected, "kind", entry_kind_name(e->row.kind));
	field_put_text(&w, selected, "id", e->row.id);
	field_put_text(&w, selected, "experiment_id", e->row.experiment);
	field_put_text(&w, selected, "sealed_at", e->row.sealed_at);
	if (report_begin_field(&w, selected, "entry"))
		write_raw(&w, e->bytes);
	if (report_begin_field(&w, selected, "record"))
		write_raw(&w, e->object);
	field_put_bool(&w, selected, "record_is_intact", e->object.p && !e->is_other);
	field_put_bool(&w, selected, "superseded", e->row.superseded);
	field_put_bool(&w, selected, "erased", e->row.erased);
	if (e->row.kind == ENTRY_REVIEW && opt_has_field(selected, STR("signer")))
		write_signer(&w, s, e);
	if (entry_may_refer(ENTRY_ERASE, e->row.kind))
		write_facts(&w, s, selected);
	if (report_begin_field(&w, selected, "about")) {
		json_write_begin_array(&w);
		for (size_t i = 0; i < s->about_count; i++)
			write_about(&w, s, &s->about[i]);
		json_write_end_array(&w);
	}
	field_end_document(&w);
}
