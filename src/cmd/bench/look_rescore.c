/* What judging a run again came to, for people and as JSON. */
#include <inttypes.h>

#include "cmd/bench/look.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/screen/amounts.h"
#include "json/put.h"

#define NAMED 8 /* prompts named in a line */

const char *const bench_rescore_fields[] = {
	"run_id", "rescored_from", "path", "written", "detector", "rows", "judged", "kept", "cut", "arguments_unknown",
	"reworded", "changes", NULL,
};

static const char *pass_text(enum verdict_pass p)
{
	static const char *const words[] = { "null", "pass", "fail" };

	return words[p];
}

/* ---- for people ---- */

/* One verdict that changed, and whether there is reason to doubt the new one. */
static void add_change(struct buf *out, const struct rescore_change *c)
{
	buf_add_str(out, STR("  "));
	term_add_text(out, c->prompt_id);
	if (c->repetition > 1)
		buf_printf(out, " (%" PRId64 ")", c->repetition);
	buf_add_str(out, STR("  "));
	term_add_text(out, c->target);
	if (c->before != c->after)
		buf_printf(out, "  %s -> %s", pass_text(c->before), pass_text(c->after));
	if (c->tools_changed)
		buf_printf(out, "  tools %s -> %s", c->tools_before ? "called" : "not called",
			   c->tools_after ? "called" : "not called");
	if (c->cut)
		buf_add_str(out, STR("  (judged by a text that was cut)"));
	if (c->unknown)
		buf_add_str(out, STR("  (arguments were not stored)"));
	if (c->violation.p) {
		buf_add_str(out, STR("  "));
		term_add_text(out, c->violation);
		buf_add_byte(out, ' ');
		term_add_text(out, c->got);
	}
	buf_add_byte(out, '\n');
}

/* At most NAMED of them, the rest counted. */
static void add_prompts(struct buf *out, const struct str *ids, size_t count)
{
	for (size_t i = 0; i < count && i < NAMED; i++) {
		if (i)
			buf_add_str(out, STR(", "));
		term_add_text(out, ids[i]);
	}
	if (count > NAMED)
		buf_printf(out, " and %zu more", count - NAMED);
}

static void bench_look_rescore_add_count(struct buf *out, const char *words, uint64_t n, const char *noun)
{
	if (n == 0)
		return;
	buf_printf(out, "%s: ", words);
	amounts_add_things(out, n, noun);
	buf_add_byte(out, '\n');
}

/* What judging again could not know. Each line is left out when there is nothing of its kind. */
static void add_doubts(struct buf *out, const struct rescore *r)
{
	if (!r->had_config)
		buf_add_str(out, STR("The old run has no config.json, so it is not known whether the prompts are "
				     "the same.\n"));
	if (r->kept) {
		buf_add_str(out, STR("Verdict kept, the prompt is not in the suite: "));
		amounts_add_things(out, r->kept, "row");
		buf_add_str(out, STR(" ("));
		add_prompts(out, r->kept_prompts, r->kept_count);
		buf_add_str(out, STR(")\n"));
	}
	if (r->reworded_count) {
		buf_add_str(out, STR("Asked differently now, the answers are to the old question: "));
		add_prompts(out, r->reworded, r->reworded_count);
		buf_add_byte(out, '\n');
	}
	bench_look_rescore_add_count(out, "Judged by a stored answer that was cut",
				     r->cut, "row");
	bench_look_rescore_add_count(out, "No verdict, because arguments of calls were not stored", r->unknown, "row");
	bench_look_rescore_add_count(out, "Ignored, not results", r->lost.skipped, "line");
	bench_look_rescore_add_count(out, "Ignored, repeated by an earlier row", r->lost.repeated, "row");
}

void bench_rescore_show(struct buf *out, const struct rescore *r, bool dry, size_t limit)
{
	if (r->change_count == 0)
		buf_printf(out, "No verdict changed: %" PRIu64 " of %" PRIu64 " rows were judged again.\n", r->judged,
			   r->rows);
	else
		buf_printf(out, "%zu verdict%s changed; %" PRIu64 " of %" PRIu64 " rows were judged again:\n",
			   r->change_count, r->change_count == 1 ? "" : "s", r->judged, r->rows);
	for (size_t i = 0; i < r->change_count && i < limit; i++)
		add_change(out, &r->changes[i]);
	if (r->change_count > limit)
		buf_printf(out, "  and %zu more (--limit 0 lists all)\n", r->change_count - limit);
	add_doubts(out, r);
	if (dry)
		buf_add_str(out, STR("Nothing was written (--dry-run).\n"));
}

/* ---- JSON ---- */

static void write_pass(struct json_writer *w, const char *name, enum verdict_pass p)
{
	json_put_key(w, name);
	if (p == VERDICT_NULL)
		json_write_null(w);
	else
		json_write_bool(w, p == VERDICT_TRUE);
}

static void write_change(struct json_writer *w, const struct rescore_change *c)
{
	json_write_begin_object(w);
	json_put_text_or_null(w, "target", c->target);
	json_put_text_or_null(w, "prompt_id", c->prompt_id);
	json_put_u64(w, "repetition", (uint64_t)c->repetition);
	write_pass(w, "before", c->before);
	write_pass(w, "after", c->after);
	json_put_text_or_null(w, "violation", c->violation);
	json_put_bool(w, "tool_success_before", c->tools_before);
	json_put_bool(w, "tool_success_after", c->tools_after);
	json_put_bool(w, "cut", c->cut);
	json_put_bool(w, "arguments_unknown", c->unknown);
	json_write_end_object(w);
}

/* What was judged, kept and doubtful; the lists are whole here. */
static void write_counts(struct json_writer *w, const struct rescore *r, struct opt_maybe selected)
{
	field_put_u64(w, selected, "rows", r->rows);
	field_put_u64(w, selected, "judged", r->judged);
	if (opt_has_field(selected, STR("kept"))) {
		json_put_object(w, "kept");
		json_put_u64(w, "rows", r->kept);
		json_put_texts(w, "prompts", r->kept_prompts, r->kept_count);
		json_write_end_object(w);
	}
	field_put_u64(w, selected, "cut", r->cut);
	field_put_u64(w, selected, "arguments_unknown", r->unknown);
	if (opt_has_field(selected, STR("reworded")))
		json_put_texts(w, "reworded", r->reworded, r->reworded_count);
}

void bench_rescore_write_json(struct buf *out, const struct rescore *r, bool dry, struct opt_maybe selected)
{
	struct json_writer w;

	field_begin_document(&w, out, JSON_PRETTY, "bench-rescore");
	field_put_text_or_null(&w, selected, "run_id", r->new_id);
	field_put_text_or_null(&w, selected, "rescored_from", r->old_id);
	field_put_text_or_null(&w, selected, "path", r->path);
	field_put_bool(&w, selected, "written", !dry);
	field_put_word(&w, selected, "detector", r->detector == DETECT_REFERENCE ? "reference" : "default");
	write_counts(&w, r, selected);
	if (opt_has_field(selected, STR("changes"))) {
		json_put_array(&w, "changes");
		for (size_t i = 0; i < r->change_count; i++)
			write_change(&w, &r->changes[i]);
		json_write_end_array(&w);
	}
	field_end_document(&w);
}
