/* The text has a line for each thing that a reader must know; the document has all of it. */
#include "cmd/replay_output.h"

#include <stdio.h>

#include "cmd/screen/term.h"
#include "json/put.h"

const char *const replay_fields[] = {
	"verdict", "mode", "run_id", "cassette_sha256", "served", "exact", "masked", "lenient", "missed", "unconsumed",
	"covered", "first_divergence", "divergences", "tools", "behavior_hash", "output", "exit", "network",
	"state_unverified", "redacted_with", "why", "dir", NULL,
};

int replay_output_status(const struct replaying_outcome *out)
{
	return out->verdict <= VERDICT_EQUIVALENT ? EXIT_YES : out->verdict == VERDICT_NOT_REPLAYABLE ? EXIT_CANNOT : EXIT_NO;
}

/* ---- JSON ---- */

static void put_divergence(struct json_writer *w, const struct divergence *d, bool first)
{
	const struct match_difference *f = &d->difference;

	json_write_begin_object(w);
	json_put_text(w, "class", str_from(divergence_class_name(d->class)));
	json_put_bool(w, "first", first);
	json_put_bool(w, "fatal", d->fatal);
	json_put_i64_or_null(w, "recorded_seq", d->seq);
	json_put_u64_or_null(w, "x", d->x, d->has_x);
	json_put_u64_or_null(w, "group", d->group, d->has_x);
	json_put_text_or_null(w, "lane", d->lane);
	json_put_text_or_null(w, "tool", d->tool);
	json_put_text_or_null(w, "path", f->path);
	json_put_u64_or_null(w, "byte", f->byte, f->path.p != NULL);
	json_put_text_or_null(w, "expected", f->expected);
	json_put_text_or_null(w, "got", f->got);
	json_put_text_or_null(w, "diff", f->diff);
	json_put_key(w, "nearest");
	json_write_begin_array(w);
	for (size_t i = 0; i < d->near_count; i++) {
		json_write_begin_object(w);
		json_put_u64(w, "x", d->near[i].x);
		json_put_u64(w, "distance", d->near[i].distance);
		json_write_end_object(w);
	}
	json_write_end_array(w);
	json_put_text_or_null(w, "hint", f->hint);
	json_put_text(w, "sentence", d->sentence);
	json_write_end_object(w);
}

/* How a tool of the recorded run was replayed: one that no lane saw ran inside the agent. */
static const char *tool_way(const struct replaying_outcome *out, struct str name, uint64_t *calls)
{
	for (const struct player_tool_row *t = out->tools; t; t = t->next) {
		size_t n = t->name.n;

		if (!str_eq(t->name, name) && !(n > name.n && str_ends(t->name, name) && t->name.p[n - name.n - 1] == '.'))
			continue;
		*calls = t->stubbed + t->live;
		return t->live ? "live" : "stubbed";
	}
	return "ran_in_agent";
}

static void put_tool(struct json_writer *w, struct str name, const char *how, uint64_t calls)
{
	json_write_begin_object(w);
	json_put_text(w, "name", name);
	json_put_text(w, "how", str_from(how));
	json_put_u64(w, "calls", calls);
	json_write_end_object(w);
}

static void put_tools(struct json_writer *w, const struct replaying_outcome *out)
{
	json_put_key(w, "tools");
	json_write_begin_array(w);
	for (const struct player_tool_row *t = out->tools; t; t = t->next)
		put_tool(w, t->name, t->live ? "live" : "stubbed", t->stubbed + t->live);
	for (const struct origin_tool *t = out->recorded.tools; t; t = t->next) {
		uint64_t calls = t->calls;

		if (str_eq(str_from(tool_way(out, t->name, &calls)), STR("ran_in_agent")))
			put_tool(w, t->name, "ran_in_agent", t->calls);
	}
	json_write_end_array(w);
}

static void put_behavior(struct json_writer *w, const struct replaying_outcome *out)
{
	struct str was = out->recorded.behavior_hash, is = out->live.behavior_hash;

	json_put_key(w, "behavior_hash");
	json_write_begin_object(w);
	json_put_text_or_null(w, "recorded", was);
	json_put_text_or_null(w, "replayed", is);
	json_put_bool(w, "equal", was.p && is.p && str_eq(was, is));
	json_write_end_object(w);
}

static void put_rest(struct json_writer *w, const struct replaying_outcome *out)
{
	json_put_key(w, "output");
	json_write_begin_object(w);
	json_put_bool(w, "compared", out->output_compared);
	json_put_bool(w, "equal", out->output_equal);
	json_write_end_object(w);
	json_put_key(w, "exit");
	json_write_begin_object(w);
	json_put_i64_or_null(w, "recorded", out->exit_recorded);
	json_put_i64_or_null(w, "replayed", out->exit_live);
	json_write_end_object(w);
	json_put_key(w, "network");
	json_write_begin_object(w);
	json_put_bool(w, "isolated", out->isolated);
	json_put_u64_or_null(w, "attempts", out->attempts, out->isolated);
	json_put_text_or_null(w, "why_not", out->not_isolated.n ? out->not_isolated : str_of(NULL, 0));
	json_write_end_object(w);
	json_put_u64(w, "state_unverified", out->unverified);
	json_put_text_or_null(w, "redacted_with", out->redacted_with);
	json_put_text_or_null(w, "why", out->why);
	json_put_text_or_null(w, "dir", out->dir);
}

static void put_counts(struct json_writer *w, const struct replaying_outcome *out)
{
	const struct match_tally *t = &out->tally;

	json_put_u64(w, "served", t->exact + t->masked + t->lenient);
	json_put_u64(w, "exact", t->exact);
	json_put_u64(w, "masked", t->masked);
	json_put_u64(w, "lenient", t->lenient);
	json_put_u64(w, "missed", t->missed);
	json_put_u64(w, "unconsumed", out->counts[DIVERGENCE_UNCONSUMED]);
	json_put_u64(w, "covered", out->covered);
}

void replay_output_json(struct opt_maybe selected, const struct replaying_outcome *out)
{
	struct json_writer w;
	struct buf text;

	(void)selected;
	buf_init(&text);
	json_write_init(&w, &text, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "schema", STR("trackway.replay/1"));
	json_put_text(&w, "verdict", str_from(verdict_name(out->verdict)));
	json_put_text(&w, "mode", str_from(replay_mode_name(out->mode)));
	json_put_text_or_null(&w, "run_id", out->tape.run_id);
	json_put_text_or_null(&w, "cassette_sha256", out->tape.sha256);
	put_counts(&w, out);
	json_put_key(&w, "first_divergence");
	if (out->first)
		put_divergence(&w, out->first, true);
	else
		json_write_null(&w);
	json_put_key(&w, "divergences");
	json_write_begin_array(&w);
	for (const struct divergence *d = out->divergences; d; d = d->next)
		put_divergence(&w, d, d == out->first);
	json_write_end_array(&w);
	put_tools(&w, out);
	put_behavior(&w, out);
	put_rest(&w, out);
	json_write_end_object(&w);
	buf_add_byte(&text, '\n');
	fwrite(text.p, 1, text.n, stdout);
	buf_free(&text);
}

/* ---- text ---- */

static void say_line(struct buf *b, const char *label, struct str text)
{
	buf_add_str(b, str_from(label));
	term_add_text(b, text);
	buf_add_byte(b, '\n');
}

static void say_first(struct arena *a, struct buf *b, const struct divergence *d)
{
	const struct match_difference *f = &d->difference;

	say_line(b, "first divergence: ",
		 ARENA_JOIN(a, str_from(divergence_class_name(d->class)), STR(": "), d->sentence));
	if (d->seq >= 0)
		say_line(b, "  recorded at:    ", arena_printf(a, "seq %lld of the run's log", (long long)d->seq));
	if (f->path.n)
		say_line(b, "  path:           ", arena_printf(a, "%.*s, byte %llu", STR_ARG(f->path),
							       (unsigned long long)f->byte));
	if (f->expected.p)
		say_line(b, "  - recorded:     ", f->expected);
	if (f->got.p)
		say_line(b, "  + replayed:     ", f->got);
	if (f->hint.p)
		say_line(b, "  hint:           ", f->hint);
}

static void say_notes(struct buf *b, const struct replaying_outcome *out)
{
	static const struct { enum divergence_class c; const char *label; } rows[] = {
		{ DIVERGENCE_VOLATILE_SUBSTITUTION, "substituted:      " },
		{ DIVERGENCE_PARAM_CHANGED, "parameter:        " },
		{ DIVERGENCE_TOOL_DRIFT, "tool drift:       " },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (const struct divergence *d = out->divergences; d; d = d->next)
			if (d->class == rows[i].c && d != out->first)
				say_line(b, rows[i].label, d->sentence);
}

static void say_tools(struct arena *a, struct buf *b, const struct replaying_outcome *out)
{
	struct str list = STR("");

	for (const struct player_tool_row *t = out->tools; t; t = t->next)
		list = ARENA_JOIN(a, list, list.n ? STR(", ") : STR(""), t->name,
				  t->live ? STR(" live") : STR(" stubbed"));
	for (const struct origin_tool *t = out->recorded.tools; t; t = t->next) {
		uint64_t calls;

		if (str_eq(str_from(tool_way(out, t->name, &calls)), STR("ran_in_agent")))
			list = ARENA_JOIN(a, list, list.n ? STR(", ") : STR(""), t->name, STR(" ran in the agent"));
	}
	if (list.n)
		say_line(b, "tools:            ", list);
}

static void say_network(struct arena *a, struct buf *b, const struct replaying_outcome *out)
{
	if (out->isolated)
		say_line(b, "network:          ",
			 out->attempts ? arena_printf(a, "cut off; %llu attempts to leave",
						      (unsigned long long)out->attempts)
				       : STR("cut off; nothing tried to leave"));
	else
		say_line(b, "network:          ",
			 out->not_isolated.n ? ARENA_JOIN(a, STR("NOT cut off: "), out->not_isolated)
					     : STR("not cut off"));
}

void replay_output_text(struct arena *a, const struct frame *f, const struct replaying_outcome *out)
{
	const struct match_tally *t = &out->tally;
	struct buf b;

	(void)f;
	buf_init(&b);
	say_line(&b, "verdict:          ", ARENA_JOIN(a, str_from(verdict_name(out->verdict)), STR(" ("),
						      str_from(replay_mode_name(out->mode)), STR(")")));
	if (out->why.p) {
		say_line(&b, "why:              ", out->why);
	} else {
		say_line(&b, "requests:         ",
			 arena_printf(a, "%llu exact, %llu masked, %llu missed, %llu not made",
				      (unsigned long long)t->exact, (unsigned long long)(t->masked + t->lenient),
				      (unsigned long long)t->missed,
				      (unsigned long long)out->counts[DIVERGENCE_UNCONSUMED]));
		if (out->first)
			say_first(a, &b, out->first);
		say_notes(&b, out);
		say_line(&b, "output:           ", !out->output_compared ? STR("not compared")
						   : out->output_equal    ? STR("the same bytes")
						   : out->counts[DIVERGENCE_OUTPUT_MISMATCH]
							   ? STR("differs")
							   : STR("the same, but for substituted values"));
		say_tools(a, &b, out);
		if (out->unverified)
			say_line(&b, "files:            ",
				 arena_printf(a, "not verified: %llu commands were answered from the tape",
					      (unsigned long long)out->unverified));
		say_network(a, &b, out);
	}
	fwrite(b.p, 1, b.n, stdout);
	buf_free(&b);
}
