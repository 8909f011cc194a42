/* The table has a row for each group; runs that failed are listed below it, the first ones of them. */
#include "cmd/replay/batch_output.h"

#include <math.h>
#include <stdio.h>

#include "cmd/report/report_github.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/grid.h"

#define LISTED 20 /* runs that are told one by one, in text */

const char *batch_output_heading(enum batch_by by)
{
	static const char *const headings[] = { "vendor and interface", "agent", "model" };

	return headings[by];
}

void batch_output_progress(struct buf *out, const struct batch_row *rows, size_t count, uint64_t spent_ns)
{
	size_t done = 0, same = 0, other = 0, unable = 0;

	for (size_t i = 0; i < count; i++) {
		done += rows[i].end != BATCH_NOT_BEGUN;
		same += batch_is_replayed(&rows[i]);
		other += rows[i].end == BATCH_JUDGED && !batch_is_replayed(&rows[i]);
		unable += rows[i].end == BATCH_UNABLE;
	}
	buf_printf(out, "replay %zu/%zu  same %zu  not %zu  could not run %zu", done, count, same, other, unable);
	if (done) {
		uint64_t left = spent_ns / 1000000000 * (count - done) / done;

		buf_printf(out, "  ETA %02llu:%02llu", (unsigned long long)(left / 60),
			   (unsigned long long)(left % 60));
	}
}

/* ---- figures ---- */

static void add_percent(struct buf *out, double share)
{
	if (isfinite(share))
		buf_printf(out, "%.1f %%", 100 * share);
	else
		buf_add_byte(out, '-');
}

static double group_share(const struct batch_group *g)
{
	return g->judged ? (double)g->replayed / (double)g->judged : NAN;
}

static void add_interval(struct buf *out, const struct batch_group *g)
{
	if (g->judged)
		buf_printf(out, "%.1f to %.1f", 100 * g->interval.low, 100 * g->interval.high);
	else
		buf_add_byte(out, '-');
}

void batch_output_sentence(struct buf *out, const struct batch_told *t)
{
	const struct batch_group *g = &t->tally.all;

	buf_printf(out, "%llu of %llu runs did the same again", (unsigned long long)g->replayed,
		   (unsigned long long)g->judged);
	if (g->judged) {
		buf_add_str(out, STR(": "));
		add_percent(out, group_share(g));
		buf_add_str(out, STR(" (95 % interval "));
		add_interval(out, g);
		buf_add_byte(out, ')');
	}
}

/* ---- the table ---- */

static void add_row(struct grid *g, const struct batch_group *b)
{
	term_add_text(&g->cell, b->name.p ? b->name : STR("not known"));
	grid_add_cell(g);
	grid_printf(g, "%llu", (unsigned long long)b->runs);
	add_percent(&g->cell, b->coverage);
	grid_add_cell(g);
	grid_printf(g, "%llu of %llu", (unsigned long long)b->replayed, (unsigned long long)b->judged);
	add_percent(&g->cell, group_share(b));
	grid_add_cell(g);
	add_interval(&g->cell, b);
	grid_add_cell(g);
}

static void say_table(struct arena *a, struct buf *b, const struct frame *f, const struct batch_told *t)
{
	const char *const heads[] = { batch_output_heading(t->by), "runs", "coverage", "replayed", "share",
				      "95 % interval" };
	struct grid g;

	grid_init(&g, a, "lrrrrr");
	grid_add_row(&g, heads);
	for (size_t i = 0; i < t->tally.group_count; i++)
		add_row(&g, &t->tally.groups[i]);
	if (t->tally.group_count != 1)
		add_row(&g, &t->tally.all);
	grid_end(&g, b, 0, f->out.width, f->out.color);
}

static void say_denominators(struct buf *b, const struct batch_group *g)
{
	if (g->judged == g->runs)
		return;
	buf_printf(b, "\nnot in the share: %llu NOT_REPLAYABLE, %llu could not be run, %llu not finished\n",
		   (unsigned long long)g->verdicts[VERDICT_NOT_REPLAYABLE], (unsigned long long)g->unable,
		   (unsigned long long)g->interrupted);
	buf_printf(b, "of all runs:      %llu of %llu, ", (unsigned long long)g->replayed, (unsigned long long)g->runs);
	add_percent(b, (double)g->replayed / (double)g->runs);
	buf_add_byte(b, '\n');
}

static void say_classes(struct arena *a, struct buf *b, const struct frame *f, const struct batch_tally *t)
{
	static const char *const heads[] = { "failures by class", "runs" };
	struct grid g;

	if (!t->class_count)
		return;
	buf_add_byte(b, '\n');
	grid_init(&g, a, "lr");
	grid_add_row(&g, heads);
	for (size_t i = 0; i < t->class_count; i++) {
		term_add_text(&g.cell, t->classes[i].name);
		grid_add_cell(&g);
		grid_printf(&g, "%llu", (unsigned long long)t->classes[i].runs);
	}
	grid_end(&g, b, 0, f->out.width, f->out.color);
}

/* ---- runs and gates ---- */

static const char *word_of(const struct batch_row *r)
{
	if (r->end == BATCH_JUDGED)
		return verdict_name(r->verdict);
	return r->end == BATCH_UNABLE ? "could not run" : "not finished";
}

static struct str reason_of(const struct batch_row *r)
{
	if (r->why.p)
		return r->why;
	return r->sentence.p ? r->sentence : STR("");
}

static void say_failures(struct buf *b, const struct batch_told *t)
{
	size_t told = 0, failed = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct batch_row *r = &t->rows[i];

		if (batch_is_replayed(r) || r->end == BATCH_NOT_BEGUN || r->end == BATCH_INTERRUPTED)
			continue;
		if (failed++ >= LISTED)
			continue;
		if (told++ == 0)
			buf_add_byte(b, '\n');
		buf_printf(b, "%-15s ", word_of(r));
		term_add_text(b, r->dir);
		if (r->class.p && r->end == BATCH_JUDGED)
			buf_printf(b, ": %s", replay_report_type(r->class));
		if (reason_of(r).n) {
			buf_add_str(b, STR(": "));
			term_add_text(b, reason_of(r));
		}
		buf_add_byte(b, '\n');
	}
	if (failed > told)
		buf_printf(b, "... and %zu more; --json has them all\n", failed - told);
}

static const char *const gate_sentences[] = {
	[BATCH_GATE_SERVED] = "a run did the same again without having asked anything",
	[BATCH_GATE_CASSETTE] = "a cassette is another one than its meta.json names",
	[BATCH_GATE_AGE] = "a recording is older than --max-age, or its age is not known",
	[BATCH_GATE_SAME] = "the runs are not those of --same-as",
};

static void say_gates(struct buf *b, const struct batch_tally *t)
{
	for (size_t k = 0; k < BATCH_GATES; k++) {
		const struct batch_gate *g = &t->gates[k];

		if (!g->asked || !g->count)
			continue;
		buf_printf(b, "\ngate %s: %s:\n ", batch_gate_name((enum batch_gate_kind)k), gate_sentences[k]);
		for (size_t i = 0; i < g->count && i < LISTED; i++) {
			buf_add_byte(b, ' ');
			term_add_text(b, g->failed[i]);
		}
		if (g->count > LISTED)
			buf_printf(b, " ... and %zu more", g->count - LISTED);
		buf_add_byte(b, '\n');
	}
}

static void say_head(struct buf *b, const struct batch_told *t)
{
	uint64_t ended = t->tally.all.runs - t->tally.all.interrupted;

	buf_printf(b, "%s %llu of %zu runs in ", t->stopped_by ? "stopped after" : "replayed",
		   (unsigned long long)ended, t->found);
	amounts_add_time(b, (int64_t)(t->seconds * 1e6), false);
	if (t->count < t->found)
		buf_printf(b, " (--limit %zu)", t->count);
	buf_add_str(b, STR("\n\n"));
}

static void batch_output_text(struct arena *a, struct buf *b, const struct frame *f, const struct batch_told *t)
{
	say_head(b, t);
	say_table(a, b, f, t);
	say_denominators(b, &t->tally.all);
	say_classes(a, b, f, &t->tally);
	say_failures(b, t);
	say_gates(b, &t->tally);
	if (t->tally.online)
		buf_printf(b, "\nnetwork: NOT cut off in %llu runs\n", (unsigned long long)t->tally.online);
	buf_add_byte(b, '\n');
	batch_output_sentence(b, t);
	buf_add_byte(b, '\n');
}

void batch_output_markdown(struct buf *out, const struct batch_told *t)
{
	buf_printf(out, "| %s | runs | coverage | replayed | share | 95 %% interval |\n|---|--:|--:|--:|--:|--:|\n",
		   batch_output_heading(t->by));
	for (size_t i = 0; i <= t->tally.group_count; i++) {
		const struct batch_group *g = i < t->tally.group_count ? &t->tally.groups[i] : &t->tally.all;

		buf_add_str(out, STR("| "));
		report_github_add_markdown(out, g->name.p ? g->name : STR("not known"));
		buf_printf(out, " | %llu | ", (unsigned long long)g->runs);
		add_percent(out, g->coverage);
		buf_printf(out, " | %llu of %llu | ", (unsigned long long)g->replayed, (unsigned long long)g->judged);
		add_percent(out, group_share(g));
		buf_add_str(out, STR(" | "));
		add_interval(out, g);
		buf_add_str(out, STR(" |\n"));
	}
	buf_add_byte(out, '\n');
}

/* ---- the forms ---- */

static struct replay_case case_of(const struct batch_row *r)
{
	struct replay_case c = { .name = r->dir, .path = r->dir, .how = JUNIT_PASSED, .type = "divergence",
				 .seconds = r->seconds, .message = reason_of(r) };

	if (batch_is_replayed(r))
		return c;
	if (r->end == BATCH_NOT_BEGUN || r->end == BATCH_INTERRUPTED) {
		c.how = JUNIT_SKIPPED;
		c.type = "not_finished";
		c.message = STR("the batch was stopped before this replay ended");
	} else if (r->end == BATCH_UNABLE || r->verdict == VERDICT_NOT_REPLAYABLE) {
		c.how = JUNIT_ERROR;
		c.type = r->end == BATCH_UNABLE ? "could_not_run" : "not_replayable";
	} else {
		c.how = JUNIT_FAILED;
		c.type = replay_report_type(r->class);
	}
	return c;
}

static size_t make_cases(struct arena *a, const struct batch_told *t, struct replay_case **out)
{
	size_t n = 0, most = t->count + BATCH_GATES;

	*out = arena_array(a, struct replay_case, most);
	for (size_t i = 0; i < t->count; i++)
		(*out)[n++] = case_of(&t->rows[i]);
	for (size_t k = 0; k < BATCH_GATES; k++) {
		const struct batch_gate *g = &t->tally.gates[k];

		if (g->asked && g->count)
			(*out)[n++] = (struct replay_case){
				.name = arena_printf(a, "gate %s", batch_gate_name((enum batch_gate_kind)k)),
				.path = g->failed[0], .how = JUNIT_FAILED, .type = "gate", .seconds = NAN,
				.message = ARENA_JOIN(a, str_from(gate_sentences[k]), STR(": "), g->failed[0]),
			};
	}
	return n;
}

void batch_output(struct arena *a, const struct frame *f, enum replay_form form, const struct batch_told *t)
{
	struct replay_case *cases;
	size_t count = make_cases(a, t, &cases);
	struct buf text, more;

	buf_init(&text);
	buf_init(&more);
	if (form == REPLAY_JSON)
		batch_output_json(&text, t);
	else if (form != REPLAY_JUNIT)
		batch_output_text(a, &text, f, t);
	if (text.n)
		fwrite(text.p, 1, text.n, stdout);
	if (form == REPLAY_JUNIT)
		replay_report_junit(cases, count);
	if (form == REPLAY_GITHUB) {
		buf_clear(&text);
		batch_output_sentence(&text, t);
		batch_output_markdown(&more, t);
		replay_report_github(a, f, cases, count, arena_copy(a, buf_str(&text)), buf_str(&more));
	}
	buf_free(&text);
	buf_free(&more);
}
