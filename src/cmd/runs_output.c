/* Rows of runs. The columns of the table are those that fit: models and agents are cut, figures never. */
#include "cmd/runs_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "cmd/frame/field.h"
#include "cmd/frame/stream.h"
#include "cmd/report/report.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/grid.h"
#include "cmd/screen/pager.h"
#include "cmd/screen/wrap.h"

#define RUNS_WIDE 100 /* columns from which on every column is shown */
#define RUNS_WIDE_PATHS 140 /* the same with paths */
#define RUNS_NAME 8     /* characters of an id that people see: the last ones */
#define RUNS_COMPARED 2000 /* runs whose ids are compared for a short name */
#define RUNS_TEXT_MIN 6 /* columns of a name that is cut */
#define RUNS_UNPRICED 5 /* models named below the table */

/* Ends of ids, and how many runs of the table have each. */
struct runs_names {
	const struct run_table *table;
	struct map ends;
};

const char *const runs_fields[] = {
	"run_id", "name", "kind", "dir", "started", "ended", "seconds", "verdict", "agent", "program", "models",
	"tokens", "cost", "unpriced_models", "model_calls", "tool_calls", "tags", "bench", "forked_from", NULL,
};

bool runs_output_is_table(const struct runs_output *o)
{
	return !o->json.given && !o->jsonl && !o->plain;
}

bool runs_output_check(const struct runs_output *o, struct err *err)
{
	return o->json.given + o->jsonl + o->plain <= 1 ||
	       usage_set(err, "give one of them", "--json, --jsonl and --plain exclude each other");
}

static bool runs_is_unique(const struct run_table *t, struct str id, struct str part, bool is_end)
{
	for (size_t i = 0; i < t->count; i++)
		if (!str_eq(t->list[i].id, id) &&
		    (is_end ? str_ends(t->list[i].id, part) : str_starts(t->list[i].id, part)))
			return false;
	return true;
}

/* The last eight characters; where another run ends with them, as much of the end or beginning as is needed. */
static struct str runs_make_name(const struct run_table *t, struct str id)
{
	for (size_t n = RUNS_NAME; n < id.n && t->count <= RUNS_COMPARED; n++) {
		struct str end = str_skip(id, id.n - n), beginning = str_of(id.p, n);

		if (runs_is_unique(t, id, end, true))
			return end;
		if (runs_is_unique(t, id, beginning, false))
			return beginning;
	}
	return id;
}

/* What a person calls the run. */
static struct str runs_name_of(const struct runs_names *n, struct str id)
{
	struct str end = id.n > RUNS_NAME ? str_skip(id, id.n - RUNS_NAME) : id;
	const uint64_t *count = map_find(&n->ends, end);

	return count && *count > 1 ? runs_make_name(n->table, id) : end;
}

static void runs_count_ends(struct runs_names *n, struct arena *a, const struct run_table *t)
{
	n->table = t;
	map_init(&n->ends, a);
	for (size_t i = 0; i < t->count; i++) {
		struct str id = t->list[i].id;
		bool added;

		++*map_add(&n->ends, id.n > RUNS_NAME ? str_skip(id, id.n - RUNS_NAME) : id, &added);
	}
}

/* ---- JSON ---- */

static void runs_put_time(struct json_writer *w, struct opt_maybe selected, const char *name, int64_t us, bool known)
{
	char text[36];
	size_t n = stamp_format_us(text, us, 3);

	field_put_text_or_null(w, selected, name, known ? str_of(text, n) : str_of(NULL, 0));
}

static void runs_put_names(struct json_writer *w, const struct run_facts_names *n)
{
	json_write_begin_array(w);
	for (size_t i = 0; i < n->count; i++)
		json_write_string(w, n->list[i]);
	json_write_end_array(w);
}

static void runs_put_tokens(struct json_writer *w, const struct run_facts *f)
{
	json_write_begin_object(w);
	json_put_u64_or_null(w, "input", f->input.n, figure_is_known(f->input));
	json_put_u64_or_null(w, "output", f->output.n, figure_is_known(f->output));
	json_write_end_object(w);
}

/* null without any; `complete` false: some calls have no price, null: nobody knows. */
static void runs_put_cost(struct json_writer *w, const struct run_facts *f)
{
	if (!amount_is_known(f->usd)) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	json_put_double(w, "usd", f->usd.n);
	json_put_word(w, "source", f->usd.source == FIGURE_API ? "api" : "estimated");
	if (f->is_whole == TRUTH_NULL)
		json_put_null(w, "complete");
	else
		json_put_bool(w, "complete", f->is_whole == TRUTH_TRUE);
	json_write_end_object(w);
}

static void runs_put_bench(struct json_writer *w, const struct run_facts *f)
{
	if (!str_eq(str_from(f->kind), STR("bench"))) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	json_put_u64(w, "rows", f->rows);
	json_put_u64_or_null(w, "rows_wanted", f->rows_wanted, f->rows_wanted > 0);
	json_put_u64_or_null(w, "judged", f->judged.n, figure_is_known(f->judged));
	json_put_u64_or_null(w, "passed", f->passed.n, figure_is_known(f->passed));
	json_write_end_object(w);
}

/* A benchmark has rows; how many calls a row took is in its results. */
static void runs_put_calls(struct json_writer *w, const struct run_facts *f, uint64_t calls)
{
	if (f->rows || f->rows_wanted)
		json_write_null(w);
	else
		json_write_u64(w, calls);
}

static void runs_put_tags(struct json_writer *w, const struct run_facts *f)
{
	json_write_begin_object(w);
	for (size_t i = 0; i < f->tag_count; i++) {
		json_write_key(w, f->tags[i].key);
		json_write_string(w, f->tags[i].value);
	}
	json_write_end_object(w);
}

static void runs_put_lineage(struct json_writer *w, const struct run_facts *f)
{
	if (!f->forked_run.p) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	json_put_text(w, "run_hash", f->forked_run);
	json_put_u64(w, "seq", f->forked_seq);
	json_write_end_object(w);
}

/* A value that is an object or a list; null when it is not known. */
static void runs_put_value(struct json_writer *w, struct opt_maybe selected, const char *name,
			   const struct run_facts *f, void (*put)(struct json_writer *w, const struct run_facts *f))
{
	if (report_begin_field(w, selected, name))
		put(w, f);
}

static void runs_put_models(struct json_writer *w, const struct run_facts *f)
{
	if (f->has_models)
		runs_put_names(w, &f->models);
	else
		json_write_null(w);
}

static void runs_put_unpriced(struct json_writer *w, const struct run_facts *f)
{
	runs_put_names(w, &f->unpriced);
}

static void runs_put_run(struct json_writer *w, struct opt_maybe selected, const struct run_facts *f,
			 const struct runs_names *ends)
{
	json_write_begin_object(w);
	field_put_text(w, selected, "run_id", f->id);
	field_put_text(w, selected, "name", runs_name_of(ends, f->id));
	field_put_word(w, selected, "kind", f->kind);
	field_put_text(w, selected, "dir", f->path);
	runs_put_time(w, selected, "started", f->from_us, f->has_time);
	runs_put_time(w, selected, "ended", f->to_us, f->has_time && f->is_over);
	field_put_double(w, selected, "seconds", f->seconds);
	field_put_word(w, selected, "verdict", f->verdict);
	field_put_text_or_null(w, selected, "agent", f->agent);
	field_put_text_or_null(w, selected, "program", f->program);
	runs_put_value(w, selected, "models", f, runs_put_models);
	runs_put_value(w, selected, "tokens", f, runs_put_tokens);
	runs_put_value(w, selected, "cost", f, runs_put_cost);
	runs_put_value(w, selected, "unpriced_models", f, runs_put_unpriced);
	if (report_begin_field(w, selected, "model_calls"))
		runs_put_calls(w, f, f->model_calls);
	if (report_begin_field(w, selected, "tool_calls"))
		runs_put_calls(w, f, f->tool_calls);
	runs_put_value(w, selected, "tags", f, runs_put_tags);
	runs_put_value(w, selected, "bench", f, runs_put_bench);
	runs_put_value(w, selected, "forked_from", f, runs_put_lineage);
	json_write_end_object(w);
}

/* ---- fields parted by tabs ---- */

static void runs_plain_text(struct buf *out, struct str text)
{
	buf_add_byte(out, '\t');
	term_add_text(out, text);
}

static void runs_plain_count(struct buf *out, uint64_t n, bool known)
{
	if (known)
		buf_printf(out, "\t%" PRIu64, n);
	else
		buf_add_byte(out, '\t');
}

static void runs_plain_names(struct buf *out, const struct run_facts_names *n)
{
	buf_add_byte(out, '\t');
	for (size_t i = 0; i < n->count; i++) {
		buf_add_str(out, i ? STR(",") : STR(""));
		term_add_text(out, n->list[i]);
	}
}

/* What is not known is an empty field. */
static void runs_plain_run(struct buf *out, const struct run_facts *f)
{
	char text[36];

	term_add_text(out, f->id);
	runs_plain_text(out, str_from(f->kind));
	runs_plain_text(out, str_from(f->verdict));
	stamp_format_us(text, f->from_us, 3);
	runs_plain_text(out, f->has_time ? str_from(text) : STR(""));
	if (isnan(f->seconds))
		buf_add_byte(out, '\t');
	else
		buf_printf(out, "\t%.6f", f->seconds);
	runs_plain_text(out, f->agent);
	runs_plain_text(out, f->program);
	runs_plain_names(out, &f->models);
	runs_plain_count(out, f->input.n, figure_is_known(f->input));
	runs_plain_count(out, f->output.n, figure_is_known(f->output));
	if (amount_is_known(f->usd))
		buf_printf(out, "\t%.9f", f->usd.n);
	else
		buf_add_byte(out, '\t');
	runs_plain_names(out, &f->unpriced);
	runs_plain_count(out, f->passed.n, figure_is_known(f->passed));
	runs_plain_count(out, f->judged.n, figure_is_known(f->judged));
	buf_add_byte(out, '\t');
	for (size_t i = 0; i < f->tag_count; i++) {
		buf_add_str(out, i ? STR(",") : STR(""));
		term_add_text(out, f->tags[i].key);
		buf_add_byte(out, '=');
		term_add_text(out, f->tags[i].value);
	}
	runs_plain_text(out, f->path);
	buf_add_byte(out, '\n');
}

/* ---- the table ---- */

struct runs_view {
	const struct runs_output *o;
	struct runs_names names;
	bool is_wide;
};

/* Of this year "11-18 04:11", of another "2025-11-18"; a wide screen has both. By the clock of this place. */
static void runs_add_when(struct buf *out, const struct runs_view *v, const struct run_facts *f)
{
	time_t seconds = (time_t)(f->from_us / 1000000), now = (time_t)(clock_wall_ns() / 1000000000);
	struct tm then, today;
	char text[32];

	if (!f->has_time || !localtime_r(&seconds, &then) || !localtime_r(&now, &today)) {
		buf_add_byte(out, '-');
		return;
	}
	strftime(text, sizeof(text),
		 v->is_wide                      ? "%Y-%m-%d %H:%M"
		 : then.tm_year == today.tm_year ? "%m-%d %H:%M"
						 : "%Y-%m-%d",
		 &then);
	buf_add_str(out, str_from(text));
}

static void runs_add_name(struct buf *out, const struct runs_view *v, const struct run_facts *f)
{
	term_add_text(out, runs_name_of(&v->names, f->id));
}

static void runs_add_kind(struct buf *out, const struct runs_view *v, const struct run_facts *f)
{
	(void)v;
	buf_add_str(out, str_from(f->kind));
}

/* Of a benchmark with its passes: "complete 33/36". Errors are no passes. */
static void runs_add_verdict(struct buf *out, const struct runs_view *v, const struct run_facts *f)
{
	(void)v;
	buf_add_str(out, str_from(f->verdict));
	if (figure_is_known(f->judged))
		buf_printf(out, " %" PRIu64 "/%" PRIu64, f->passed.n, f->judged.n);
}

/* The agent, or the program where that is not known. */
static void runs_add_agent(struct buf *out, const struct runs_view *v, const struct run_facts *f)
{
	bool is_named = f->agent.n && !str_eq(f->agent, STR("unknown"));
	struct str agent = is_named || !f->program.n ? f->agent : f->program;

	(void)v;
	term_add_text(out, agent.n ? agent : STR("-"));
}

static void runs_add_models(struct buf *out, const struct runs_view *v, const struct run_facts *f)
{
	(void)v;
	if (f->models.count == 0)
		buf_add_str(out, f->has_models ? STR("-") : STR("?"));
	else
		term_add_text(out, f->models.list[0]);
	if (f->models.count > 1)
		buf_printf(out, " +%zu", f->models.count - 1);
}

static void runs_add_figure(struct buf *out, const struct runs_view *v, struct figure n)
{
	if (!figure_is_known(n)) {
		buf_add_byte(out, '-');
		return;
	}
	amounts_add_count(out, n.n, v->o->raw);
	if (n.source == FIGURE_ESTIMATED && n.n)
		buf_add_byte(out, '~');
}

static void runs_add_input(struct buf *out, const struct runs_view *v, const struct run_facts *f)
{
	runs_add_figure(out, v, f->input);
}

static void runs_add_output(struct buf *out, const struct runs_view *v, const struct run_facts *f)
{
	runs_add_figure(out, v, f->output);
}

/* Both together, when both are known. */
static void runs_add_tokens(struct buf *out, const struct runs_view *v, const struct run_facts *f)
{
	struct figure both = f->input;

	both.n += f->output.n;
	both.source = both.source == FIGURE_ESTIMATED ? both.source : f->output.source;
	both.state = figure_is_known(f->input) ? f->output.state : f->input.state;
	runs_add_figure(out, v, both);
}

/* "$0.12~", without ~ when the service states it; with "+?" when calls without a price are missing in it, or may be. */
static void runs_add_cost(struct buf *out, const struct runs_view *v, const struct run_facts *f)
{
	if (!amount_is_known(f->usd)) {
		buf_add_str(out, f->unpriced.count ? STR("no price") : STR("-"));
		return;
	}
	if (v->o->raw)
		amounts_add_dollars(out, f->usd.n, true);
	else
		buf_printf(out, "$%.*f", f->usd.n >= 0.1 || f->usd.n <= 0 ? 2 : f->usd.n >= 0.0001 ? 4 : 6, f->usd.n);
	if (f->usd.source == FIGURE_ESTIMATED)
		buf_add_byte(out, '~');
	if (f->is_whole != TRUTH_TRUE)
		buf_add_str(out, STR("+?"));
}

static void runs_add_time(struct buf *out, const struct runs_view *v, const struct run_facts *f)
{
	if (isnan(f->seconds))
		buf_add_byte(out, '-');
	else
		amounts_add_time(out, (int64_t)fmin(f->seconds * 1e6, 9e15), v->o->raw);
}

static void runs_add_tags(struct buf *out, const struct runs_view *v, const struct run_facts *f)
{
	(void)v;
	for (size_t i = 0; i < f->tag_count; i++) {
		buf_add_str(out, i ? STR(" ") : STR(""));
		term_add_text(out, f->tags[i].key);
		buf_add_byte(out, '=');
		term_add_text(out, f->tags[i].value);
	}
}

static void runs_add_path(struct buf *out, const struct runs_view *v, const struct run_facts *f)
{
	(void)v;
	term_add_text(out, f->path);
}

/* On which screens, and in which lists: of the runs that have names, and of those that were found below paths. */
enum runs_where { RUNS_NARROW = 1, RUNS_BROAD = 2, RUNS_LISTED = 4, RUNS_FOUND = 8 };
#define RUNS_ANY (RUNS_NARROW | RUNS_BROAD | RUNS_LISTED | RUNS_FOUND)

static const struct runs_column {
	const char *heading;
	char align;
	unsigned where; /* enum runs_where */
	unsigned share; /* of the columns that the others leave; 0: it is never cut */
	bool keeps_end; /* when it is cut */
	void (*add)(struct buf *out, const struct runs_view *v, const struct run_facts *f);
} columns[] = {
	{ "when", 'l', RUNS_ANY, 0, false, runs_add_when },
	{ "run", 'l', RUNS_NARROW | RUNS_BROAD | RUNS_LISTED, 0, false, runs_add_name },
	{ "run", 'l', RUNS_BROAD | RUNS_FOUND, 0, false, runs_add_name },
	{ "kind", 'l', RUNS_BROAD | RUNS_LISTED | RUNS_FOUND, 0, false, runs_add_kind },
	{ "verdict", 'l', RUNS_ANY, 0, false, runs_add_verdict },
	{ "path", 'l', RUNS_NARROW | RUNS_FOUND, 3, true, runs_add_path },
	{ "agent", 'l', RUNS_NARROW | RUNS_BROAD | RUNS_LISTED, 2, false, runs_add_agent },
	{ "agent", 'l', RUNS_BROAD | RUNS_FOUND, 1, false, runs_add_agent },
	{ "model", 'l', RUNS_ANY, 2, false, runs_add_models },
	{ "tokens", 'r', RUNS_NARROW | RUNS_LISTED | RUNS_FOUND, 0, false, runs_add_tokens },
	{ "in", 'r', RUNS_BROAD | RUNS_LISTED | RUNS_FOUND, 0, false, runs_add_input },
	{ "out", 'r', RUNS_BROAD | RUNS_LISTED | RUNS_FOUND, 0, false, runs_add_output },
	{ "cost", 'r', RUNS_ANY, 0, false, runs_add_cost },
	{ "time", 'r', RUNS_BROAD | RUNS_LISTED | RUNS_FOUND, 0, false, runs_add_time },
	{ "path", 'l', RUNS_BROAD | RUNS_FOUND, 3, true, runs_add_path },
	{ "tags", 'l', RUNS_BROAD | RUNS_LISTED, 2, false, runs_add_tags },
};

static bool runs_has_column(const struct runs_view *v, const struct runs_column *c)
{
	return (c->where & (v->is_wide ? RUNS_BROAD : RUNS_NARROW)) &&
	       (c->where & (v->o->paths ? RUNS_FOUND : RUNS_LISTED));
}

/* The end of a text, in so many columns: of a path the last names tell most. */
static void runs_add_end(struct buf *out, struct str text, size_t width)
{
	while (text.n && utf8_width(text) >= width)
		for (text = str_skip(text, 1); text.n && utf8_is_tail(text.p[0]);)
			text = str_skip(text, 1);
	buf_add_str(out, STR("\xe2\x80\xa6"));
	buf_add_str(out, text);
}

/* First those that need less than their share, until none does; the others get what is left by their shares. */
static void runs_share_out(const struct runs_view *v, size_t widths[COUNT(columns)], size_t left, size_t shares)
{
	bool is_given[COUNT(columns)] = { false }, again = true;

	for (bool last = false; again || !last;) {
		last = !again;
		again = false;
		for (size_t k = 0; k < COUNT(columns); k++) {
			size_t most = shares ? left * columns[k].share / shares : 0;

			if (is_given[k] || !columns[k].share || !runs_has_column(v, &columns[k]) ||
			    (!last && widths[k] > most))
				continue;
			most = most > RUNS_TEXT_MIN ? most : RUNS_TEXT_MIN;
			widths[k] = widths[k] < most ? widths[k] : most;
			left -= widths[k] < left ? widths[k] : left;
			shares -= columns[k].share;
			is_given[k] = again = true;
		}
	}
}

/* What every column needs. What is too much is taken from those that have a share, none below RUNS_TEXT_MIN. */
static void runs_fit(const struct runs_view *v, const struct run_table *t, size_t count, size_t widths[COUNT(columns)])
{
	size_t all = 0, shares = 0, left;
	struct buf cell;

	buf_init(&cell);
	for (size_t k = 0; k < COUNT(columns); k++) {
		if (!runs_has_column(v, &columns[k]))
			continue;
		widths[k] = strlen(columns[k].heading);
		for (size_t i = 0; i < count; i++) {
			buf_clear(&cell);
			columns[k].add(&cell, v, &t->list[i]);
			widths[k] = utf8_width(buf_str(&cell)) > widths[k] ? utf8_width(buf_str(&cell)) : widths[k];
		}
		all += columns[k].share ? 2 : widths[k] + 2;
		shares += columns[k].share;
	}
	buf_free(&cell);
	left = v->o->frame->out.width + 2 > all ? v->o->frame->out.width + 2 - all : 0;
	runs_share_out(v, widths, left, shares);
}

static void runs_add_cell(struct grid *g, const struct runs_column *c, struct str text, size_t width)
{
	if (!c->share || utf8_width(text) <= width) {
		grid_add(g, text);
	} else {
		if (c->keeps_end)
			runs_add_end(&g->cell, text, width);
		else
			grid_add_fitting(&g->cell, text, width);
		grid_add_cell(g);
	}
}

/* Below the table: what is not shown, the models without a price, and what a sign means. */
static void runs_add_notes(struct buf *out, const struct runs_output *o, const struct run_table *t, size_t count)
{
	struct run_facts_names names = { 0 };
	bool parts = false, passes = false;
	struct buf line;

	buf_init(&line);
	if (count < t->count)
		buf_printf(out, "shown: %zu of %zu runs (--limit 0 shows all)\n", count, t->count);
	for (size_t i = 0; i < count; i++) {
		const struct run_facts *f = &t->list[i];

		passes = passes || figure_is_known(f->judged);
		parts = parts || (amount_is_known(f->usd) && f->is_whole != TRUTH_TRUE);
		for (size_t k = 0; k < f->unpriced.count; k++)
			run_facts_add_name(&names, o->arena, f->unpriced.list[k]);
	}
	for (size_t i = 0; i < names.count && i < RUNS_UNPRICED; i++) {
		buf_add_str(&line, i ? STR(", ") : STR("no price for "));
		term_add_text(&line, names.list[i]);
	}
	if (names.count > RUNS_UNPRICED)
		buf_printf(&line, " and %zu more", names.count - RUNS_UNPRICED);
	if (parts)
		buf_printf(&line, "%s+? a part of the cost is not known", line.n ? "; " : "");
	if (passes)
		buf_printf(&line, "%sN/M: N of M judged answers of a benchmark passed", line.n ? "; " : "");
	if (line.n) {
		wrap_add_words(out, buf_str(&line), 0, 2, o->frame->out.width);
		buf_add_byte(out, '\n');
	}
	buf_free(&line);
}

/* A line for each run that goes on from another one: the beginning of its hash, as people can find it again. */
static void runs_add_lineage(struct buf *out, const struct runs_view *v, const struct run_table *t, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct run_facts *f = &t->list[i];

		if (!f->forked_run.n)
			continue;
		term_add_text(out, runs_name_of(&v->names, f->id));
		buf_add_str(out, STR(": forked from "));
		term_add_text(out, f->forked_run);
		buf_printf(out, " at seq %" PRIu64 "\n", f->forked_seq);
	}
}

static void runs_add_table(struct buf *out, const struct runs_output *o, const struct run_table *t, size_t count)
{
	struct runs_view v = { .o = o, .is_wide = o->frame->out.width >= (o->paths ? RUNS_WIDE_PATHS : RUNS_WIDE) };
	size_t widths[COUNT(columns)] = { 0 }, shown = 0;
	char align[COUNT(columns) + 1] = "";
	struct buf cell;
	struct grid g;

	if (count == 0)
		return;
	runs_count_ends(&v.names, o->arena, t);
	runs_fit(&v, t, count, widths);
	for (size_t k = 0; k < COUNT(columns); k++)
		if (runs_has_column(&v, &columns[k]))
			align[shown++] = columns[k].align;
	buf_init(&cell);
	grid_init(&g, o->arena, align);
	for (size_t i = 0; i <= count; i++)
		for (size_t k = 0; k < COUNT(columns); k++) {
			if (!runs_has_column(&v, &columns[k]))
				continue;
			buf_clear(&cell);
			if (i == 0)
				buf_add_str(&cell, str_from(columns[k].heading));
			else
				columns[k].add(&cell, &v, &t->list[i - 1]);
			runs_add_cell(&g, &columns[k], buf_str(&cell), widths[k]);
		}
	grid_end(&g, out, 0, o->frame->out.width, o->frame->out.color);
	buf_free(&cell);
	runs_add_lineage(out, &v, t, count);
	runs_add_notes(out, o, t, count);
}

/* ---- all forms ---- */

static void runs_add_json(struct buf *out, const struct runs_output *o, const struct run_table *t, size_t count)
{
	struct json_writer w;
	struct runs_names ends;

	runs_count_ends(&ends, o->arena, t);
	if (o->json.given) {
		field_begin_document(&w, out, JSON_COMPACT, "runs");
		json_put_array(&w, "runs");
	}
	for (size_t i = 0; i < count; i++) {
		if (!o->json.given)
			json_write_init(&w, out, JSON_COMPACT);
		runs_put_run(&w, o->json, &t->list[i], &ends);
		if (!o->json.given)
			buf_add_byte(out, '\n');
	}
	if (o->json.given) {
		json_write_end_array(&w);
		field_end_document(&w);
	}
}

void runs_output_show(const struct runs_output *o, const struct run_table *t)
{
	size_t count = o->limit && o->limit < t->count ? o->limit : t->count;
	struct buf out;

	buf_init(&out);
	if (runs_output_is_table(o))
		runs_add_table(&out, o, t, count);
	else if (o->plain)
		for (size_t i = 0; i < count; i++)
			runs_plain_run(&out, &t->list[i]);
	else
		runs_add_json(&out, o, t, count);
	if (runs_output_is_table(o))
		pager_show(o->arena, o->frame, buf_str(&out));
	else
		stream_write(stdout, buf_str(&out));
	buf_free(&out);
}
