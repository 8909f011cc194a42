/* The text has a line for each thing that a reader must know; the document has all of it. */
#include "cmd/replay_output.h"

#include <math.h>
#include <stdio.h>

#include "cmd/frame/opt.h"
#include "cmd/replay_fork.h"
#include "cmd/screen/term.h"
#include "cmd/screen/wrap.h"
#include "json/put.h"
#include "replay/service.h"

#define LABEL 18 /* columns of a label */

/* Somebody ended it: what it did not do says nothing about it. A command may also take such a signal, and go on. */
static bool replay_is_interrupted(const struct replaying_outcome *out)
{
	return out->asked && (out->verdict == VERDICT_INCOMPLETE || out->exit_live == 128 + out->asked) &&
	       out->exit_live != out->exit_recorded;
}

int replay_output_status(const struct replaying_outcome *out)
{
	if (replay_is_interrupted(out))
		return 128 + out->asked;
	if (out->verdict == VERDICT_NOT_REPLAYABLE)
		return EXIT_CANNOT;
	if (out->mode == REPLAY_UPDATE) /* that the runs differ is what was asked for */
		return EXIT_YES;
	return out->verdict <= VERDICT_EQUIVALENT ? EXIT_YES : EXIT_NO;
}

const char *replay_output_why(const struct replaying_outcome *out)
{
	static const char *const sentences[] = {
		[REFUSAL_TRACE] = "an agent-trace holds no content, so there is nothing to answer with: replay the "
				  "directory of a run that was recorded with --content",
		[REFUSAL_NO_CASSETTE] = "the run has no cassette: record it with 'trackway record --content'",
		[REFUSAL_REDACTED] = "the cassette is redacted: give its key with --redact-key, or --allow-redacted "
				     "for a verdict of EQUIVALENT at best",
		[REFUSAL_KEY] = "the cassette is redacted with another key than that of --redact-key: 'trackway replay "
				"--status' says with which",
		[REFUSAL_EMPTY] = "the cassette is empty: no request was recorded",
		[REFUSAL_CHANGED] = "the cassette is not the one that the run's meta.json names: its digest is another "
				    "one, so nobody can say what would be replayed",
		[REFUSAL_PIN] = "the cassette is not the one that the ledger names: its digest is another one",
		[REFUSAL_LOST] = "the recorder could not keep all bytes of a request or an answer: record the run "
				 "again",
	};

	return out->refusal ? sentences[out->refusal] : NULL;
}

static struct str why_or_none(const struct replaying_outcome *out)
{
	const char *why = replay_output_why(out);

	return why ? str_from(why) : str_of(NULL, 0);
}

/* Recorded requests that were left out, or that the run did not come to. */
static uint64_t replay_not_made(const struct replaying_outcome *out)
{
	return out->counts[DIVERGENCE_UNCONSUMED] + out->counts[DIVERGENCE_MISSING_CALL];
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

/* A tool of the recorded run that no lane saw ran inside the agent. */
static bool ran_in_agent(const struct replaying_outcome *out, struct str name)
{
	for (const struct player_tool_row *t = out->tools; t; t = t->next)
		if (str_ends(t->name, name) && (t->name.n == name.n || t->name.p[t->name.n - name.n - 1] == '.'))
			return false;
	return true;
}

static void put_tool(struct json_writer *w, struct str name, const char *how, uint64_t calls)
{
	json_write_begin_object(w);
	json_put_text(w, "name", name);
	json_put_text(w, "how", str_from(how));
	json_put_u64(w, "calls", calls);
	json_write_end_object(w);
}

static void put_replayed_tools(struct json_writer *w, const struct replaying_outcome *out)
{
	json_write_begin_array(w);
	for (const struct player_tool_row *t = out->tools; t; t = t->next)
		put_tool(w, t->name, t->live ? "live" : "stubbed", t->stubbed + t->live);
	for (const struct origin_tool *t = out->recorded.tools; t; t = t->next)
		if (ran_in_agent(out, t->name))
			put_tool(w, t->name, "ran_in_agent", t->calls);
	json_write_end_array(w);
}

static void put_behavior(struct json_writer *w, const struct replaying_outcome *out)
{
	struct str was = out->recorded.behavior_hash, is = out->live.behavior_hash;

	json_write_begin_object(w);
	json_put_text_or_null(w, "recorded", was);
	json_put_text_or_null(w, "replayed", is);
	json_put_bool(w, "equal", was.p && is.p && str_eq(was, is));
	json_write_end_object(w);
}

static void put_output(struct json_writer *w, const struct replaying_outcome *out)
{
	json_write_begin_object(w);
	json_put_bool(w, "compared", out->output_compared);
	json_put_bool(w, "equal", out->output_equal);
	json_put_text_or_null(w, "recorded_sha256", out->tape.ending.output_sha256);
	json_put_text_or_null(w, "replayed_sha256", out->output_sha256);
	json_put_u64_or_null(w, "line", out->output_line, out->output_line);
	json_put_u64_or_null(w, "column", out->output_column, out->output_line);
	json_write_end_object(w);
}

static void put_exit(struct json_writer *w, const struct replaying_outcome *out)
{
	json_write_begin_object(w);
	json_put_i64_or_null(w, "recorded", out->exit_recorded);
	json_put_i64_or_null(w, "replayed", out->exit_live);
	json_write_end_object(w);
}

static void put_network(struct json_writer *w, const struct replaying_outcome *out)
{
	json_write_begin_object(w);
	json_put_bool(w, "isolated", out->isolated);
	json_put_u64_or_null(w, "attempts", out->attempts, out->isolated);
	json_put_text_or_null(w, "why_not", out->not_isolated.n ? out->not_isolated : str_of(NULL, 0));
	json_write_end_object(w);
}

static void put_first(struct json_writer *w, const struct replaying_outcome *out)
{
	if (out->first)
		put_divergence(w, out->first, true);
	else
		json_write_null(w);
}

static void put_divergences(struct json_writer *w, const struct replaying_outcome *out)
{
	json_write_begin_array(w);
	for (const struct divergence *d = out->divergences; d; d = d->next)
		put_divergence(w, d, d == out->first);
	json_write_end_array(w);
}

#define TEXT_FIELD(name, value) \
	static void put_##name(struct json_writer *w, const struct replaying_outcome *out) \
	{ \
		json_write_string_or_null(w, value); \
	}
#define COUNT_FIELD(name, value) \
	static void put_##name(struct json_writer *w, const struct replaying_outcome *out) \
	{ \
		json_write_u64(w, value); \
	}

TEXT_FIELD(verdict, str_from(verdict_name(out->verdict)))
TEXT_FIELD(mode, str_from(replaying_mode(out)))
TEXT_FIELD(run_id, out->tape.run_id)
TEXT_FIELD(cassette_sha256, out->tape.sha256)
TEXT_FIELD(provider, service_provider(&out->tape))
TEXT_FIELD(api, service_api(&out->tape))
TEXT_FIELD(redacted_with, out->redacted_with)
TEXT_FIELD(why, why_or_none(out))
TEXT_FIELD(dir, out->dir)

static void put_interrupted(struct json_writer *w, const struct replaying_outcome *out)
{
	json_write_bool(w, replay_is_interrupted(out));
}

static void put_covered_share(struct json_writer *w, const struct replaying_outcome *out)
{
	json_write_double(w, out->refusal ? NAN : out->recorded.coverage);
}

COUNT_FIELD(served, out->tally.exact + out->tally.masked + out->tally.lenient)
COUNT_FIELD(exact, out->tally.exact)
COUNT_FIELD(masked, out->tally.masked)
COUNT_FIELD(lenient, out->tally.lenient)
COUNT_FIELD(missed, out->tally.missed)
COUNT_FIELD(unconsumed, replay_not_made(out))
COUNT_FIELD(covered, out->covered)
COUNT_FIELD(state_unverified, out->unverified)

/* The document's members in their order; the rows of replay_fields, too. */
static const struct {
	const char *name;
	void (*put)(struct json_writer *w, const struct replaying_outcome *out);
} members[] = {
	{ "verdict", put_verdict },
	{ "mode", put_mode },
	{ "run_id", put_run_id },
	{ "cassette_sha256", put_cassette_sha256 },
	{ "provider", put_provider },
	{ "api", put_api },
	{ "coverage", put_covered_share },
	{ "served", put_served },
	{ "exact", put_exact },
	{ "masked", put_masked },
	{ "lenient", put_lenient },
	{ "missed", put_missed },
	{ "unconsumed", put_unconsumed },
	{ "covered", put_covered },
	{ "first_divergence", put_first },
	{ "divergences", put_divergences },
	{ "tools", put_replayed_tools },
	{ "behavior_hash", put_behavior },
	{ "output", put_output },
	{ "exit", put_exit },
	{ "network", put_network },
	{ "state_unverified", put_state_unverified },
	{ "redacted_with", put_redacted_with },
	{ "why", put_why },
	{ "dir", put_dir },
	{ "forked", replay_fork_put },
	{ "interrupted", put_interrupted },
};

const char *const replay_fields[] = {
	"verdict", "mode", "run_id", "cassette_sha256", "provider", "api", "coverage", "served", "exact", "masked",
	"lenient", "missed", "unconsumed", "covered", "first_divergence", "divergences", "tools", "behavior_hash",
	"output", "exit", "network", "state_unverified", "redacted_with", "why", "dir", "forked", "interrupted", NULL,
};

void replay_output_json(struct opt_maybe selected, const struct replaying_outcome *out)
{
	struct json_writer w;
	struct buf text;

	buf_init(&text);
	json_write_init(&w, &text, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "schema", STR("trackway.replay/1"));
	for (size_t i = 0; i < COUNT(members); i++) {
		if (!opt_has_field(selected, str_from(members[i].name)))
			continue;
		json_put_key(&w, members[i].name);
		members[i].put(&w, out);
	}
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

static void replay_say_place(struct arena *a, struct buf *b, const struct match_difference *f)
{
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

static void say_first(struct arena *a, struct buf *b, const struct divergence *d)
{
	say_line(b, "first divergence: ",
		 ARENA_JOIN(a, str_from(divergence_class_name(d->class)), STR(": "), d->sentence));
	if (d->seq >= 0)
		say_line(b, "  recorded at:    ", arena_printf(a, "seq %lld of the run's log", (long long)d->seq));
	replay_say_place(a, b, &d->difference);
}

/* Whether an earlier one is told by the same words. */
static bool was_said(const struct replaying_outcome *out, const struct divergence *one)
{
	for (const struct divergence *d = out->divergences; d != one; d = d->next)
		if (d->class == one->class && str_eq(d->sentence, one->sentence) &&
		    str_eq(d->difference.path, one->difference.path) && str_eq(d->difference.got, one->difference.got))
			return true;
	return false;
}

static void say_notes(struct arena *a, struct buf *b, const struct replaying_outcome *out)
{
	static const struct { enum divergence_class c; const char *label; } rows[] = {
		{ DIVERGENCE_VOLATILE_SUBSTITUTION, "substituted:      " },
		{ DIVERGENCE_PARAM_CHANGED, "parameter:        " },
		{ DIVERGENCE_TOOL_DRIFT, "tool drift:       " },
		{ DIVERGENCE_TOOL_ORDER, "tool order:       " },
		{ DIVERGENCE_PROTOCOL, "note:             " },
		{ DIVERGENCE_EXTRA_CALL, "note:             " },
		{ DIVERGENCE_MISSING_CALL, "note:             " },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (const struct divergence *d = out->divergences; d; d = d->next)
			if (d->class == rows[i].c && d != out->first && !was_said(out, d) && !d->behind &&
			    (!d->fatal || d->class == DIVERGENCE_PARAM_CHANGED)) {
				say_line(b, rows[i].label, d->sentence);
				if (d->class == DIVERGENCE_TOOL_DRIFT)
					replay_say_place(a, b, &d->difference);
			}
}

static void say_tools(struct arena *a, struct buf *b, const struct replaying_outcome *out)
{
	struct str list = STR("");

	for (const struct player_tool_row *t = out->tools; t; t = t->next)
		list = ARENA_JOIN(a, list, list.n ? STR(", ") : STR(""), t->name,
				  t->live ? STR(" live") : STR(" stubbed"));
	for (const struct origin_tool *t = out->recorded.tools; t; t = t->next) {
		if (ran_in_agent(out, t->name))
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

/* On a terminal, what is too long for a line goes on below its beginning. */
static void show_lines(const struct term *term, struct str text)
{
	struct buf out;

	buf_init(&out);
	if (!term->is_terminal)
		buf_add_str(&out, text);
	while (term->is_terminal && text.n) {
		struct str line = str_cut(text, '\n', &text);
		size_t lead = 0;

		while (lead < line.n && line.p[lead] == ' ')
			lead++;
		wrap_add_spaces(&out, lead);
		wrap_add_words(&out, str_skip(line, lead), lead, LABEL, term->width);
		buf_add_byte(&out, '\n');
	}
	fwrite(out.p, 1, out.n, stdout);
	buf_free(&out);
}

static struct str replay_said_of_output(const struct replaying_outcome *out)
{
	if (!out->tape.ending.known)
		return STR("not compared: the recording broke off");
	if (out->tape.ending.terminal)
		return STR("not compared: it went to a terminal when it was recorded, and nothing of it is kept");
	if (!out->output_compared)
		return STR("not compared");
	if (out->output_equal)
		return STR("the same bytes");
	return out->counts[DIVERGENCE_OUTPUT_MISMATCH] ? STR("differs") : STR("the same, but for substituted values");
}

void replay_output_text(struct arena *a, const struct frame *f, const struct replaying_outcome *out)
{
	const struct match_tally *t = &out->tally;
	struct buf b;

	buf_init(&b);
	say_line(&b, "verdict:          ", ARENA_JOIN(a, replay_fork_verdict(a, out), STR(" ("),
						      str_from(replaying_mode(out)), STR(")")));
	if (replay_is_interrupted(out))
		say_line(&b, "interrupted:      ",
			 arena_printf(a, "by signal %d, so the run is not whole", out->asked));
	if (out->refusal) {
		say_line(&b, "why:              ", str_from(replay_output_why(out)));
	} else {
		say_line(&b, "requests:         ",
			 arena_printf(a, "%llu exact, %llu masked, %llu missed, %llu not made",
				      (unsigned long long)t->exact, (unsigned long long)t->masked,
				      (unsigned long long)t->missed, (unsigned long long)replay_not_made(out)));
		if (t->lenient)
			say_line(&b, "lenient:          ",
				 arena_printf(a, "%llu more, answered although they differ",
					      (unsigned long long)t->lenient));
		if (out->covered)
			say_line(&b, "inside commands:  ",
				 arena_printf(a, "%llu more were made by commands that were answered from the tape",
					      (unsigned long long)out->covered));
		if (out->first)
			say_first(a, &b, out->first);
		say_notes(a, &b, out);
		replay_fork_say(&b, a, out);
		if (!out->serves)
			say_line(&b, "output:           ", replay_said_of_output(out));
		say_tools(a, &b, out);
		if (out->unverified)
			say_line(&b, "files:            ",
				 arena_printf(a, "not verified: %llu commands were answered from the tape",
					      (unsigned long long)out->unverified));
		if (!out->serves)
			say_network(a, &b, out);
	}
	show_lines(&f->out, buf_str(&b));
	buf_free(&b);
}
