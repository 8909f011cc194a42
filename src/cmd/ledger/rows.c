/* One row in three forms, and the search by name: as a trial first, then as a number, then as a leaf. */
#include "cmd/ledger/rows.h"

#include <inttypes.h>
#include <math.h>

#include "base/num.h"
#include "base/utf8.h"
#include "cmd/frame/field.h"
#include "cmd/ledger/args.h"
#include "cmd/report/report.h"
#include "cmd/screen/amounts.h"

const char *const ledger_row_fields[] = {
	"part", "index", "kind", "experiment_id", "id", "sealed_at", "leaf", "sha256", "size", "trial_id", "dataset_id",
	"task_id", "adapter", "model", "completeness", "timestamp", "reward", "superseded", "erased", "reviews",
	"ref", "tokens_in", "tokens_out", "estimated_cost_usd", "advisor_calls", "total_seconds", "run_id", NULL,
};

const char *const ledger_row_figure_names[INDEX_FIGURES] = {
	[INDEX_TOKENS_IN] = "tokens_in",          [INDEX_TOKENS_OUT] = "tokens_out",
	[INDEX_COST] = "estimated_cost_usd",      [INDEX_ADVISOR_CALLS] = "advisor_calls",
	[INDEX_SECONDS] = "total_seconds",
};

const char ledger_row_plain_names[] =
	"part, index, kind, experiment_id, id, sealed_at, leaf, sha256, size, task_id, adapter, model, completeness, "
	"reward, superseded, erased, reviews, tokens_in, tokens_out, estimated_cost_usd, advisor_calls, total_seconds";

struct index_row ledger_row_copy(struct arena *a, const struct index_row *row)
{
	struct index_row r = *row;
	struct str *const texts[] = { &r.experiment, &r.id, &r.sealed_at, &r.dataset, &r.task, &r.adapter, &r.model,
				      &r.completeness, &r.timestamp };

	for (size_t i = 0; i < COUNT(texts); i++)
		if (texts[i]->p)
			*texts[i] = arena_copy(a, *texts[i]);
	return r;
}

/* ---- JSON ---- */

static bool has_object(const struct index_row *row)
{
	static const struct digest none;

	return !digest_eq(row->digest, none);
}

static void ledger_row_write_figures(struct json_writer *w, const struct index_row *row, struct opt_maybe s)
{
	for (int i = 0; i < INDEX_FIGURES; i++)
		field_put_double(w, s, ledger_row_figure_names[i], row->known & 1u << i ? row->figures[i] : NAN);
}

/* A run or benchmark: no trial, and so without what is said of one. */
static void write_run(struct json_writer *w, const struct index_row *row, struct opt_maybe s)
{
	field_put_text_or_null(w, s, "run_id", row->id);
	field_put_text_or_null(w, s, "model", row->model);
	field_put_text_or_null(w, s, "timestamp", row->timestamp);
	field_put_bool(w, s, "erased", row->erased);
	ledger_row_write_figures(w, row, s);
}

/* Facts of a trial's record, which the index took from it; null where it has none. */
static void write_trial(struct json_writer *w, const struct index_row *row, struct opt_maybe s)
{
	field_put_text_or_null(w, s, "trial_id", row->id);
	field_put_text_or_null(w, s, "dataset_id", row->dataset);
	field_put_text_or_null(w, s, "task_id", row->task);
	field_put_text_or_null(w, s, "adapter", row->adapter);
	field_put_text_or_null(w, s, "model", row->model);
	field_put_text_or_null(w, s, "completeness", row->completeness);
	field_put_text_or_null(w, s, "timestamp", row->timestamp);
	field_put_double(w, s, "reward", row->has_reward ? row->reward : NAN); /* null */
	field_put_bool(w, s, "superseded", row->superseded);
	field_put_bool(w, s, "erased", row->erased);
	field_put_u64(w, s, "reviews", row->reviews);
	ledger_row_write_figures(w, row, s);
}

void ledger_row_write_json(struct json_writer *w, const struct index_row *row, struct opt_maybe s)
{
	json_write_begin_object(w);
	field_put_word(w, s, "part", ledger_part_name(row->part));
	field_put_u64(w, s, "index", row->index);
	field_put_word(w, s, "kind", entry_kind_name(row->kind));
	field_put_text_or_null(w, s, "experiment_id", row->experiment);
	field_put_text_or_null(w, s, "id", row->id);
	field_put_text_or_null(w, s, "sealed_at", row->sealed_at);
	field_put_digest(w, s, "leaf", row->leaf);
	if (has_object(row)) {
		field_put_digest(w, s, "sha256", row->digest);
		field_put_u64(w, s, "size", row->size);
	}
	if (row->kind == ENTRY_TRIAL)
		write_trial(w, row, s);
	else if (row->kind == ENTRY_RUN || row->kind == ENTRY_BENCH)
		write_run(w, row, s);
	else if (opt_has_field(s, STR("ref")))
		json_put_u64_or_null(w, "ref", row->ref, row->ref != UINT64_MAX);
	json_write_end_object(w);
}

/* ---- text ---- */

static void ledger_rows_add_field(struct buf *out, struct str text)
{
	buf_add_byte(out, '\t');
	term_add_text(out, text);
}

static void add_reward(struct buf *out, const struct index_row *row)
{
	char text[NUM_DOUBLE_MAX];

	if (row->has_reward)
		buf_add_str(out, str_of(text, num_format_double(text, row->reward)));
}

void ledger_row_add_plain(struct buf *out, const struct index_row *row)
{
	char leaf[SHA256_HEX], object[SHA256_HEX];

	digest_hex(leaf, row->leaf);
	digest_hex(object, row->digest);
	buf_printf(out, "%s\t%" PRIu64 "\t%s", ledger_part_name(row->part), row->index, entry_kind_name(row->kind));
	ledger_rows_add_field(out, row->experiment);
	ledger_rows_add_field(out, row->id);
	ledger_rows_add_field(out, row->sealed_at);
	ledger_rows_add_field(out, str_of(leaf, sizeof(leaf)));
	ledger_rows_add_field(out, str_of(object, has_object(row) ? sizeof(object) : 0));
	buf_printf(out, "\t%" PRIu64, row->size);
	ledger_rows_add_field(out, row->task);
	ledger_rows_add_field(out, row->adapter);
	ledger_rows_add_field(out, row->model);
	ledger_rows_add_field(out, row->completeness);
	buf_add_byte(out, '\t');
	add_reward(out, row);
	buf_printf(out, "\t%d\t%d\t%" PRIu64, row->superseded, row->erased, row->reviews);
	for (int i = 0; i < INDEX_FIGURES; i++) {
		char text[NUM_DOUBLE_MAX];

		buf_add_byte(out, '\t');
		if (row->known & 1u << i)
			buf_add_str(out, str_of(text, num_format_double(text, row->figures[i])));
	}
	buf_add_byte(out, '\n');
}

/* Records may say anything; what no table can hold is shown as the largest number. */
static uint64_t whole(double n)
{
	return n <= 0 ? 0 : n >= 1e18 ? (uint64_t)1e18 : (uint64_t)n;
}

void ledger_row_add_figure(struct buf *out, const struct index_row *row, enum index_figure which)
{
	double n = row->figures[which];

	if (!(row->known & 1u << which))
		return;
	if (which == INDEX_COST)
		amounts_add_dollars(out, n, false);
	else if (which == INDEX_SECONDS)
		amounts_add_time(out, (int64_t)whole(n * 1e6), false);
	else
		amounts_add_count(out, whole(n), false);
}

void ledger_row_add_figures(struct grid *g, const struct index_row *row)
{
	static const unsigned both = 1u << INDEX_TOKENS_IN | 1u << INDEX_TOKENS_OUT;

	if ((row->known & both) == both)
		amounts_add_count(&g->cell, whole(row->figures[INDEX_TOKENS_IN] + row->figures[INDEX_TOKENS_OUT]),
				  false);
	else
		buf_add_byte(&g->cell, '-');
	grid_add_cell(g);
	for (int i = 0; i < 2; i++) {
		ledger_row_add_figure(&g->cell, row, i ? INDEX_SECONDS : INDEX_COST);
		if (g->cell.n == 0)
			buf_add_byte(&g->cell, '-');
		grid_add_cell(g);
	}
}

void ledger_row_add_state(struct buf *out, const struct index_row *row)
{
	const char *comma = "";

	if (row->erased) {
		buf_add_str(out, STR("erased"));
		comma = ", ";
	}
	if (row->superseded) {
		buf_printf(out, "%ssuperseded", comma);
		comma = ", ";
	}
	if (row->reviews) {
		buf_add_str(out, str_from(comma));
		amounts_add_things(out, row->reviews, "review");
	}
}

void ledger_row_add_cell(struct grid *g, struct str text, size_t columns)
{
	struct buf safe;
	size_t wide;

	buf_init(&safe);
	term_add_text(&safe, text);
	wide = utf8_width(buf_str(&safe));
	grid_add_fitting(&g->cell, buf_str(&safe), wide < columns ? wide : columns);
	grid_add_cell(g);
	buf_free(&safe);
}

/* ---- finding ---- */

struct search {
	struct arena *arena;
	struct index_row *out;
	const struct digest *leaf; /* or NULL: */
	uint64_t index;
	bool found;
};

/* For index_list: keeps the row that is searched for, and ends the listing there. */
static bool look(void *context, const struct index_row *row)
{
	struct search *s = context;

	if (s->leaf ? !digest_eq(*s->leaf, row->leaf) : s->index != row->index)
		return true;
	*s->out = ledger_row_copy(s->arena, row);
	s->found = true;
	return false;
}

/* The index is asked by kind and id, which the entry tells; it would have to be walked otherwise. */
static bool read_filter(struct log *log, struct arena *a, uint64_t index, struct index_filter *f, struct err *err)
{
	struct json_parser *p;
	struct str bytes, why;
	struct entry e;

	if (!log->ops->entry(log, a, index, &bytes, err))
		return false;
	p = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH });
	if (entry_parse(p, a, bytes, &e, &why)) {
		f->kind = (int)e.kind;
		f->id = e.id;
	}
	json_parser_close(p);
	return true;
}

/* The entry of s->index in one log. ERR_DATA when the log is not that long, or the index cannot read the entry. */
static bool find_number(struct ledger *l, struct index *x, struct search *s, enum ledger_part part, struct err *err)
{
	struct log *log = l->logs[part];
	struct index_filter f = INDEX_ANY;
	struct checkpoint head;

	if (!log)
		return err_set(err, ERR_DATA, "%.*s: it has no diagnostic log", STR_ARG(l->where));
	if (!log_read_checkpoint(log, s->arena, &head, NULL, err))
		return false;
	if (s->index >= head.size)
		return err_set(err, ERR_DATA, "%.*s: there is no entry %" PRIu64 ": the %s log has %" PRIu64 "%s"
			       ERR_HELP "'trackway ledger log --part %s' lists them", STR_ARG(l->where), s->index,
			       ledger_part_name(part), head.size, head.size ? ", numbered from 0" : "",
			       ledger_part_name(part));
	f.part = (int)part;
	if (!read_filter(log, s->arena, s->index, &f, err) || !index_list(x, &f, look, s, err))
		return false;
	return s->found || err_set(err, ERR_DATA, "%.*s: entry %" PRIu64 " of the %s log cannot be read" ERR_HELP
				   "'trackway ledger verify' says what is wrong", STR_ARG(l->where), s->index,
				   ledger_part_name(part));
}

/* The index has no order by leaf, so it is walked. */
static bool find_leaf(struct index *x, struct search *s, struct err *err)
{
	struct index_filter f = INDEX_ANY;

	if (!index_list(x, &f, look, s, err))
		return false;
	return s->found || err_set(err, ERR_DATA, "no entry has this leaf" ERR_HELP
				   "'trackway ledger log --plain' lists them");
}

/* "12", "main/12", "diagnostic/12" */
static bool parse_number(struct str word, enum ledger_part *part, uint64_t *index)
{
	*part = LEDGER_MAIN;
	for (int p = 0; p < LEDGER_PARTS; p++) {
		struct str name = str_from(ledger_part_name((enum ledger_part)p));

		if (str_starts(word, name) && word.n > name.n && word.p[name.n] == '/') {
			*part = (enum ledger_part)p;
			word = str_skip(word, name.n + 1);
			break;
		}
	}
	return num_parse_u64(word, index);
}

bool ledger_row_find(struct ledger *l, struct index *x, struct arena *a, struct str word, struct index_row *out,
		     struct err *err)
{
	struct search s = { .arena = a, .out = out };
	struct index_filter same = INDEX_ANY;
	struct err why = { .kind = ERR_NONE };
	enum ledger_part part;
	struct digest leaf;
	uint64_t count = 0;

	if (index_find_trial(x, a, word, out, &why))
		return true;
	same.kind = ENTRY_TRIAL;
	same.id = word;
	if (why.kind != ERR_DATA || !index_count(x, &same, &count, err) || count) {
		*err = why.kind == ERR_DATA && err->kind != ERR_NONE ? *err : why;
		return false;
	}
	if (parse_number(word, &part, &s.index))
		return find_number(l, x, &s, part, err);
	if (digest_parse(word, &leaf)) {
		s.leaf = &leaf;
		return find_leaf(x, &s, err);
	}
	*err = why;
	return false;
}

bool ledger_row_find_trial(struct ledger *l, struct index *x, struct arena *a, struct str word, struct index_row *out,
			   struct err *err)
{
	if (!ledger_row_find(l, x, a, word, out, err))
		return false;
	return out->kind == ENTRY_TRIAL ||
	       err_set(err, ERR_DATA, "entry %" PRIu64 " of the %s log is not a trial: its kind is %s", out->index,
		       ledger_part_name(out->part), entry_kind_name(out->kind));
}
