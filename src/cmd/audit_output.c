/* A table of what was declared and what was used, then the breaches by seq, then what could not be judged and why. */
#include "cmd/audit_output.h"

#include <math.h>

#include "base/mask.h"
#include "cmd/frame/field.h"
#include "cmd/report/report.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/grid.h"
#include "cmd/screen/wrap.h"

static const char *const audit_origins[] = {
	[AUDIT_BY_NOBODY] = NULL,
	[AUDIT_BY_FILE] = "policy",
	[AUDIT_BY_RUN_START] = "run_start",
	[AUDIT_BY_META] = "meta.json",
};

/* A URI may have a key in it; what is shown has none. In the arena. */
static struct str audit_mask(struct arena *a, struct str text)
{
	struct buf b = { 0 };

	mask_text(&b, text, 0, NULL, NULL);
	return arena_take(a, &b);
}

/* ---- text ---- */

/* Names of lines of a policy, for people. */
static const char *const audit_labels[] = {
	[AUDIT_CALLS] = "calls",   [AUDIT_TOOL_CALLS] = "calls of ", [AUDIT_COST] = "cost",
	[AUDIT_TOKENS] = "tokens", [AUDIT_TOOLS] = "tools",          [AUDIT_URIS] = "URIs",
};

/* All digits, for a limit may be missed by the last one; of dollars two places at least. */
static void audit_add_amount(struct buf *out, enum audit_what what, double n)
{
	if (what != AUDIT_COST) {
		buf_printf(out, "%.0f", n);
		return;
	}
	buf_printf(out, "$%.9f", n);
	for (size_t places = 9; places > 2 && out->p[out->n - 1] == '0'; places--)
		out->n--;
}

static void audit_add_label(struct buf *out, enum audit_what what, struct str tool)
{
	buf_add_str(out, str_from(audit_labels[what]));
	term_add_text(out, tool);
}

static const char *audit_verdict_text(enum audit_verdict v)
{
	return v == AUDIT_NOT_JUDGED ? "not judged" : audit_verdicts[v];
}

static void audit_add_checks(struct buf *out, struct arena *a, const struct term *term, const struct audit_answer *w)
{
	struct grid g;

	grid_init(&g, a, "lrrl");
	grid_add_row(&g, (const char *const[]){ "declared", "allowed", "used", "verdict" });
	for (size_t i = 0; i < w->check_count; i++) {
		const struct audit_check *c = &w->checks[i];

		audit_add_label(&g.cell, c->what, c->tool);
		grid_add_cell(&g);
		audit_add_amount(&g.cell, c->what, c->allowed);
		grid_add_cell(&g);
		if (c->verdict == AUDIT_NOT_JUDGED)
			buf_add_str(&g.cell, STR(">="));
		audit_add_amount(&g.cell, c->what, c->used);
		if (c->estimated)
			buf_add_byte(&g.cell, '~');
		grid_add_cell(&g);
		grid_printf(&g, "%s", audit_verdict_text(c->verdict));
	}
	grid_end(&g, out, 2, term->width, term->color);
}

/* One sentence, wrapped below its first word. */
static void audit_add_line(struct buf *out, const struct term *term, struct buf *line)
{
	buf_add_str(out, STR("  "));
	wrap_add_words(out, buf_str(line), 2, 4, term->width);
	buf_add_byte(out, '\n');
	buf_clear(line);
}

static void audit_add_breach(struct buf *line, struct arena *a, const struct audit_breach *b)
{
	buf_printf(line, "seq %llu: ", (unsigned long long)b->seq);
	if (b->what == AUDIT_TOOLS || b->what == AUDIT_URIS) {
		buf_add_str(line, b->what == AUDIT_TOOLS ? STR("tool not allowed: ") : STR("URI not declared: "));
		term_add_text(line, audit_mask(a, b->tool));
		if (b->used > 1)
			buf_printf(line, " (%.0f times)", b->used);
		return;
	}
	audit_add_label(line, b->what, b->limit);
	buf_add_str(line, STR(": "));
	audit_add_amount(line, b->what, b->used);
	buf_add_str(line, STR(" used, "));
	audit_add_amount(line, b->what, b->allowed);
	buf_add_str(line, STR(" allowed; passed by "));
	if (b->what == AUDIT_COST || b->what == AUDIT_TOKENS)
		buf_add_str(line, STR("an answer of "));
	term_add_text(line, b->tool.n ? audit_mask(a, b->tool) : STR("an unnamed model"));
}

/* The answer and the log it is about. */
static void audit_add_head(struct buf *line, const struct audit_report *r, const struct audit_judged *j)
{
	term_add_text(line, j->run->input.n ? j->run->input : r->path);
	buf_printf(line, ": %s", audit_verdict_text(j->answer.verdict));
	if (j->answer.breach_count)
		buf_printf(line, ", first at seq %llu", (unsigned long long)j->answer.breaches[0].seq);
}

static void audit_add_origin(struct buf *line, const struct audit_report *r, const struct audit_judged *j)
{
	if (j->run->run_id.n)
		buf_printf(line, "run %.*s, ", STR_ARG(j->run->run_id));
	if (j->origin == AUDIT_BY_NOBODY) {
		buf_add_str(line, STR("for which nothing is declared"));
		return;
	}
	buf_add_str(line, STR("declared by "));
	if (j->origin == AUDIT_BY_FILE)
		term_add_text(line, r->policy);
	else
		buf_add_str(line, str_from(audit_origins[j->origin]));
	if (j->overrides)
		buf_add_str(line, STR("; what the run itself declares was not used"));
}

/* Why something is not judged. A reason that holds for several lines of the policy stands once. */
static void audit_add_reasons(struct buf *out, const struct term *term, const struct audit_answer *w)
{
	struct buf line = { 0 };

	for (size_t i = 0; i < w->check_count; i++) {
		const struct audit_check *c = &w->checks[i];
		size_t k = 0;

		while (k < i && !str_eq(w->checks[k].reason, c->reason))
			k++;
		if (!c->reason.p || k < i)
			continue;
		buf_add_str(&line, STR("not judged: "));
		for (; k < w->check_count; k++) {
			if (!w->checks[k].reason.p || !str_eq(w->checks[k].reason, c->reason))
				continue;
			buf_add_str(&line, k > i ? STR(", ") : STR(""));
			audit_add_label(&line, w->checks[k].what, w->checks[k].tool);
		}
		buf_printf(&line, ": %.*s", STR_ARG(c->reason));
		audit_add_line(out, term, &line);
	}
	buf_free(&line);
}

static void audit_add_run(struct buf *out, struct arena *a, const struct term *term, const struct audit_report *r,
			  const struct audit_judged *j)
{
	const struct audit_answer *w = &j->answer;
	struct buf line = { 0 };

	audit_add_head(&line, r, j);
	wrap_add_words(out, buf_str(&line), 0, 2, term->width);
	buf_add_byte(out, '\n');
	buf_clear(&line);
	audit_add_origin(&line, r, j);
	audit_add_line(out, term, &line);
	if (w->check_count)
		audit_add_checks(out, a, term, w);
	for (size_t i = 0; i < w->breach_count; i++) {
		audit_add_breach(&line, a, &w->breaches[i]);
		audit_add_line(out, term, &line);
	}
	audit_add_reasons(out, term, w);
	if (!j->run->complete) {
		buf_add_str(&line, STR("the run was interrupted, or the log has no end: judged as far as it goes"));
		audit_add_line(out, term, &line);
	}
	buf_free(&line);
}

void audit_add_text(struct buf *out, struct arena *a, const struct term *term, const struct audit_report *r)
{
	for (size_t i = 0; i < r->count; i++)
		audit_add_run(out, a, term, r, &r->runs[i]);
}

/* ---- JSON ---- */

const char *const audit_fields[] = { "path", "policy", "verdict", "first_offending_seq", "runs", NULL };

static void audit_put_seq(struct json_writer *w, const struct audit_answer *answer)
{
	json_put_u64_or_null(w, "first_offending_seq", answer->breach_count ? answer->breaches[0].seq : 0,
			     answer->breach_count);
}

static void audit_put_checks(struct json_writer *w, const struct audit_answer *answer)
{
	json_put_array(w, "checks");
	for (size_t i = 0; i < answer->check_count; i++) {
		const struct audit_check *c = &answer->checks[i];

		json_write_begin_object(w);
		json_put_word(w, "check", audit_whats[c->what]);
		if (c->what == AUDIT_TOOL_CALLS)
			json_put_text(w, "tool", c->tool);
		json_put_double(w, "allowed", c->allowed);
		json_put_double(w, "used", c->used);
		json_put_bool(w, "estimated", c->estimated);
		json_put_word(w, "verdict", audit_verdicts[c->verdict]);
		json_put_text_or_null(w, "reason", c->reason);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

static void audit_put_breaches(struct json_writer *w, struct arena *a, const struct audit_answer *answer)
{
	static const char *const names[] = {
		[AUDIT_CALLS] = "tool",   [AUDIT_TOOL_CALLS] = "tool", [AUDIT_COST] = "model",
		[AUDIT_TOKENS] = "model", [AUDIT_TOOLS] = "tool",      [AUDIT_URIS] = "uri",
	};

	json_put_array(w, "breaches");
	for (size_t i = 0; i < answer->breach_count; i++) {
		const struct audit_breach *b = &answer->breaches[i];

		json_write_begin_object(w);
		json_put_u64(w, "seq", b->seq);
		json_put_word(w, "check", audit_whats[b->what]);
		if (b->what == AUDIT_TOOL_CALLS)
			json_put_text(w, "limit", b->limit);
		json_put_text(w, names[b->what], audit_mask(a, b->tool));
		if (b->what == AUDIT_TOOLS || b->what == AUDIT_URIS) {
			json_put_double(w, "times", b->used);
		} else {
			json_put_double(w, "allowed", b->allowed);
			json_put_double(w, "used", b->used);
		}
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

/* How often each tool was called and each program run. */
static void audit_put_tools(struct json_writer *w, struct arena *a, const struct audit_run *run)
{
	uint64_t *calls = arena_array(a, uint64_t, run->name_count + 1);

	for (size_t i = 0; i < run->use_count; i++)
		if (run->uses[i].kind == AUDIT_USE_CALL || run->uses[i].kind == AUDIT_USE_PROGRAM)
			calls[run->uses[i].name]++;
	json_put_array(w, "tools");
	for (size_t i = 0; i < run->name_count; i++) {
		if (!calls[i])
			continue;
		json_write_begin_object(w);
		json_put_text(w, "tool", audit_mask(a, run->names[i]));
		json_put_u64(w, "calls", calls[i]);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

static void audit_put_run(struct json_writer *w, struct arena *a, const struct audit_judged *j)
{
	json_write_begin_object(w);
	json_put_text_or_null(w, "run_id", j->run->run_id);
	json_put_text(w, "input", j->run->input);
	json_put_u64(w, "records", j->run->records);
	json_put_bool(w, "complete", j->run->complete);
	json_put_word(w, "declared_by", audit_origins[j->origin]);
	json_put_bool(w, "overrides", j->overrides);
	json_put_word(w, "verdict", audit_verdicts[j->answer.verdict]);
	audit_put_seq(w, &j->answer);
	audit_put_checks(w, &j->answer);
	audit_put_breaches(w, a, &j->answer);
	audit_put_tools(w, a, j->run);
	json_write_end_object(w);
}

/* The first run with a breach has the first seq: of several runs, each counts for itself. */
void audit_add_json(struct buf *out, struct opt_maybe selected, const struct audit_report *r)
{
	const struct audit_answer *first = NULL;
	struct json_writer w;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < r->count && !first; i++)
		first = r->runs[i].answer.breach_count ? &r->runs[i].answer : NULL;
	field_begin_document(&w, out, JSON_COMPACT, "audit");
	field_put_text(&w, selected, "path", r->path);
	field_put_text_or_null(&w, selected, "policy", r->policy);
	field_put_word(&w, selected, "verdict", audit_verdicts[r->verdict]);
	if (opt_has_field(selected, STR("first_offending_seq")))
		json_put_u64_or_null(&w, "first_offending_seq", first ? first->breaches[0].seq : 0, first != NULL);
	if (report_begin_field(&w, selected, "runs")) {
		json_write_begin_array(&w);
		for (size_t i = 0; i < r->count; i++)
			audit_put_run(&w, &a, &r->runs[i]);
		json_write_end_array(&w);
	}
	field_end_document(&w);
	arena_free(&a);
}
