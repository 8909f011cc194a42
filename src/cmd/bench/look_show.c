/* The answers of a run, for people, as lines of fields and as JSON. */
#include <inttypes.h>
#include <math.h>

#include "base/utf8.h"
#include "bench/report/summary_cells.h"
#include "cmd/bench/look.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/wrap.h"
#include "json/put.h"

#define LINES 4  /* of an answer, where all rows are shown */
#define INDENT 4

const char *const bench_answers_fields[] = { "run_id", "rows_total", "prompt", "rows", NULL };

/* ---- for people ---- */

/* A line made safe; a tab is four spaces. What it is indented by, columns of it, is not part of the line. */
static size_t look_show_add_safe(struct buf *out, struct str line)
{
	size_t blanks = 0;

	while (line.n) {
		struct str rest, part = str_cut(line, '\t', &rest);

		term_add_text(out, part);
		if (part.n < line.n)
			buf_add_str(out, STR("    "));
		line = rest;
	}
	while (blanks < out->n && out->p[blanks] == ' ')
		blanks++;
	return blanks;
}

/*
 * Adds a text from outside below an indent, its own lines kept, long ones broken at words. Gives what is left of the
 * text behind `most` lines; all of it is taken when that is 0.
 */
static struct str look_show_add_text(struct buf *out, struct str text, size_t most, size_t width)
{
	size_t room = width > INDENT + 10 ? width - INDENT : 10;
	struct buf safe;

	buf_init(&safe);
	for (size_t lines = 0; text.n && (!most || lines < most); lines++) {
		struct str rest, line = str_cut(text, '\n', &rest);
		size_t blanks;

		if (most && line.n > room * (most - lines)) { /* the beginning of a very long line is enough */
			line = utf8_cut(line, room * (most - lines));
			rest = str_skip(text, line.n);
		}
		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		buf_clear(&safe);
		blanks = look_show_add_safe(&safe, line);
		if (blanks > room / 2)
			blanks = room / 2;
		wrap_add_spaces(out, safe.n ? INDENT + blanks : 0);
		wrap_add_words(out, str_skip(buf_str(&safe), blanks), INDENT + blanks, INDENT + blanks, width);
		buf_add_byte(out, '\n');
		text = rest;
	}
	buf_free(&safe);
	return text;
}

static void look_show_add_tokens(struct buf *out, const struct result *r)
{
	if (r->input_tokens < 0 && r->output_tokens < 0)
		return;
	buf_add_str(out, STR(", tokens"));
	if (r->input_tokens >= 0) {
		buf_add_byte(out, ' ');
		amounts_add_count(out, (uint64_t)r->input_tokens, false);
		buf_add_str(out, STR(" in"));
	}
	if (r->output_tokens >= 0) {
		buf_add_str(out, r->input_tokens >= 0 ? STR(", ") : STR(" "));
		amounts_add_count(out, (uint64_t)r->output_tokens, false);
		buf_add_str(out, STR(" out"));
	}
}

/* ", 412 ms, first token 30 ms, tokens 120 in, 8 out, $0.0012~"; of a call that was never sent nothing. */
static void look_show_add_figures(struct buf *out, const struct result *r)
{
	if (r->e2e_ms > 0 || r->success)
		buf_printf(out, ", %s", cell_ms((double)r->e2e_ms).text);
	if (r->ttft_ms >= 0)
		buf_printf(out, ", first token %s", cell_ms((double)r->ttft_ms).text);
	look_show_add_tokens(out, r);
	if (r->usd >= 0) {
		buf_add_str(out, STR(", "));
		amounts_add_dollars(out, r->usd, false);
		buf_add_str(out, r->usd_estimated ? STR("~") : STR(""));
	}
	if (r->attempts > 1)
		buf_printf(out, ", %" PRId64 " attempts", r->attempts);
}

static void look_show_add_tools(struct buf *out, const struct result *r)
{
	for (size_t i = 0; i < r->tool_count; i++) {
		buf_add_str(out, i ? STR(", ") : STR("called "));
		term_add_text(out, r->tools[i]);
	}
}

/* Words of ours and of others, below the head of a row. */
static void look_show_add_wrapped(struct buf *out, struct buf *words, size_t width)
{
	if (words->n) {
		buf_add_str(out, STR("  "));
		wrap_add_words(out, buf_str(words), 2, 2, width);
		buf_add_byte(out, '\n');
	}
	buf_clear(words);
}

/* Who was asked what: "S07 leap_february  mock:good  repetition 2". */
static void look_show_add_head(struct buf *out, const struct answers *x, const struct answer *one,
			       const struct term *term)
{
	struct buf words;

	buf_init(&words);
	if (!x->prompt) {
		term_add_text(&words, one->row.prompt_id);
		buf_add_str(&words, STR("  "));
	}
	term_add_text(&words, one->target);
	if (x->repeats)
		buf_printf(&words, "  repetition %" PRId64, one->row.repetition);
	buf_add_str(out, str_from(term_style(term->color, STYLE_BOLD)));
	wrap_add_words(out, buf_str(&words), 0, 2, term->width);
	buf_printf(out, "%s\n", term_style(term->color, STYLE_PLAIN));
	buf_free(&words);
}

/* The verdict and the figures, what was violated and what came instead, the tools. */
static void look_show_add_facts(struct buf *out, const struct answer *one, const struct term *term)
{
	enum term_style style = one->row.success && one->row.pass != VERDICT_FALSE ? STYLE_INFO : STYLE_ERROR;
	struct buf words;
	size_t column;

	buf_init(&words);
	buf_printf(out, "  %s", term_style(term->color, style));
	term_add_text(&words, answer_verdict(one));
	buf_add_str(out, buf_str(&words));
	buf_add_str(out, str_from(term_style(term->color, STYLE_PLAIN)));
	column = 2 + utf8_width(buf_str(&words));
	buf_clear(&words);
	look_show_add_figures(&words, &one->row);
	wrap_add_words(out, buf_str(&words), column, 4, term->width);
	buf_add_byte(out, '\n');
	buf_clear(&words);
	if (one->row.violation.p) {
		term_add_text(&words, one->row.violation);
		buf_add_byte(&words, ' ');
		term_add_text(&words, one->got);
	}
	look_show_add_wrapped(out, &words, term->width);
	look_show_add_tools(&words, &one->row);
	look_show_add_wrapped(out, &words, term->width);
	buf_free(&words);
}

/* Whether got= has said it all: then the text is not said twice, unless a prompt was asked for. */
static bool look_show_is_said(const struct answers *x, const struct answer *one)
{
	return !x->prompt && one->got.p && !one->cut && one->got.n == one->row.output.n + sizeof("got=\"\"") - 1;
}

static void look_show_add_answer(struct buf *out, const struct answers *x, const struct answer *one,
				 const struct term *term)
{
	struct buf words;
	struct str left;

	if (one->row.output.n == 0) {
		if (one->row.success || !one->row.failure.p)
			buf_add_str(out, STR("    (no text)\n"));
		return;
	}
	left = look_show_add_text(out, one->row.output, x->prompt ? 0 : LINES, term->width);
	buf_init(&words);
	if (x->prompt && one->cut)
		buf_printf(&words, "(the row has only this beginning: %zu bytes)", one->bytes);
	else if (left.n || one->cut)
		buf_printf(&words, "(the beginning of %zu bytes; name the prompt to see all)", one->bytes);
	look_show_add_wrapped(out, &words, term->width);
	buf_free(&words);
}

/* What was asked and by what it was judged. */
static void look_show_add_prompt(struct buf *out, const struct answers *x, const struct term *term)
{
	struct buf words;

	buf_init(&words);
	term_add_text(&words, x->prompt->id);
	if (x->prompt->name.n && !str_eq(x->prompt->name, x->prompt->id)) {
		buf_add_byte(&words, ' ');
		term_add_text(&words, x->prompt->name);
	}
	buf_printf(out, "%s%.*s%s\n", term_style(term->color, STYLE_BOLD), STR_ARG(buf_str(&words)),
		   term_style(term->color, STYLE_PLAIN));
	look_show_add_text(out, x->prompt_text, 0, term->width);
	if (x->judged_by.p) {
		buf_add_str(out, STR("  An answer passes when it\n"));
		look_show_add_text(out, x->judged_by, 0, term->width);
	}
	buf_free(&words);
}

void bench_answers_show(struct buf *out, const struct answers *x, const struct term *term)
{
	buf_add_str(out, STR("run "));
	term_add_text(out, x->run_id);
	buf_add_str(out, STR(": "));
	if (x->count < x->rows)
		buf_printf(out, "%zu of ", x->count);
	amounts_add_things(out, x->rows, "row");
	buf_add_byte(out, '\n');
	if (x->prompt) {
		buf_add_byte(out, '\n');
		look_show_add_prompt(out, x, term);
	}
	for (size_t i = 0; i < x->count; i++) {
		buf_add_byte(out, '\n');
		look_show_add_head(out, x, &x->items[i], term);
		look_show_add_facts(out, &x->items[i], term);
		if (!look_show_is_said(x, &x->items[i]))
			look_show_add_answer(out, x, &x->items[i], term);
	}
}

/* ---- lines of fields ---- */

static void look_show_add_field(struct buf *out, struct str text)
{
	term_add_text(out, text.p ? text : STR("-"));
	buf_add_byte(out, '\t');
}

static void look_show_add_number(struct buf *out, int64_t n)
{
	if (n < 0)
		buf_add_str(out, STR("-\t"));
	else
		buf_printf(out, "%" PRId64 "\t", n);
}

void bench_answers_plain(struct buf *out, const struct answers *x)
{
	struct buf quoted;

	buf_init(&quoted);
	buf_add_str(out, STR("prompt_id\ttarget\trepetition\tverdict\te2e_ms\tttft_ms\tinput_tokens\toutput_tokens\t"
			     "violation\tanswer\n"));
	for (size_t i = 0; i < x->count; i++) {
		const struct answer *one = &x->items[i];

		look_show_add_field(out, one->row.prompt_id);
		look_show_add_field(out, one->target);
		look_show_add_number(out, one->row.repetition);
		look_show_add_field(out, answer_verdict(one));
		look_show_add_number(out, one->row.e2e_ms);
		look_show_add_number(out, one->row.ttft_ms);
		look_show_add_number(out, one->row.input_tokens);
		look_show_add_number(out, one->row.output_tokens);
		look_show_add_field(out, one->row.violation);
		buf_clear(&quoted);
		json_write_quoted(&quoted, one->row.output);
		term_add_text(out, buf_str(&quoted));
		buf_add_byte(out, '\n');
	}
	buf_free(&quoted);
}

/* ---- JSON ---- */

static void look_show_put_prompt(struct json_writer *w, const struct answers *x)
{
	json_put_key(w, "prompt");
	if (!x->prompt) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	json_put_text_or_null(w, "id", x->prompt->id);
	json_put_text_or_null(w, "name", x->prompt->name);
	json_put_text_or_null(w, "prompt", x->prompt_text);
	json_put_text_or_null(w, "passes_when", x->judged_by);
	json_write_end_object(w);
}

/* The members of results.jsonl have their names here; the answer is masked, and says so. */
static void look_show_put_row(struct json_writer *w, const struct answer *one)
{
	const struct result *r = &one->row;

	json_write_begin_object(w);
	json_put_text(w, "prompt_id", r->prompt_id);
	json_put_text_or_null(w, "prompt_name", r->prompt_name);
	json_put_text(w, "target", one->target);
	json_put_text_or_null(w, "provider", r->provider);
	json_put_text_or_null(w, "model", r->model);
	json_put_text_or_null(w, "thinking_level", r->thinking);
	json_put_u64(w, "repetition", (uint64_t)r->repetition);
	json_put_text(w, "verdict", answer_verdict(one));
	json_put_word(w, "availability_status", provider_status_name(r->status));
	json_put_bool(w, "success", r->success);
	json_put_text_or_null(w, "failure_type", r->failure);
	json_put_key(w, "objective_pass");
	if (r->pass == VERDICT_NULL)
		json_write_null(w);
	else
		json_write_bool(w, r->pass == VERDICT_TRUE);
	json_put_text_or_null(w, "violation", r->violation);
	json_put_i64_or_null(w, "e2e_ms", r->e2e_ms);
	json_put_i64_or_null(w, "ttft_ms", r->ttft_ms);
	json_put_i64_or_null(w, "input_tokens", r->input_tokens);
	json_put_i64_or_null(w, "output_tokens", r->output_tokens);
	json_put_double(w, "cost_usd", r->usd >= 0 ? r->usd : NAN);
	json_put_texts(w, "tool_calls", r->tools, r->tool_count);
	json_put_text(w, "answer", r->output);
	json_put_u64(w, "answer_bytes", one->bytes);
	json_put_bool(w, "answer_cut", one->cut);
	json_put_bool(w, "answer_masked", one->masked);
	json_write_end_object(w);
}

void bench_answers_write_json(struct buf *out, const struct answers *x, struct opt_maybe selected)
{
	struct json_writer w;

	field_begin_document(&w, out, JSON_PRETTY, "bench-show");
	field_put_text(&w, selected, "run_id", x->run_id);
	field_put_u64(&w, selected, "rows_total", x->rows);
	if (opt_has_field(selected, STR("prompt")))
		look_show_put_prompt(&w, x);
	if (opt_has_field(selected, STR("rows"))) {
		json_put_array(&w, "rows");
		for (size_t i = 0; i < x->count; i++)
			look_show_put_row(&w, &x->items[i]);
		json_write_end_array(&w);
	}
	field_end_document(&w);
}
