/* A line for each signal, the first error wrapped; or one JSON document. */
#include "cmd/trial/signals_output.h"

#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/frame/field.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/report/report.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/wrap.h"
#include "cmd/trial/classify_output.h"

#define LABEL 15 /* columns of what a line is about */
#define TOOLS_SHOWN 20

const char *const signals_fields[] = { "path", "format", "signals", NULL };

static void signals_put_classification(struct json_writer *w, const struct glance *g)
{
	if (!g->is_classified) {
		json_put_null(w, "classification");
		return;
	}
	json_put_object(w, "classification");
	json_put_u64(w, "classified_turns", g->trial.sequence.n);
	classify_output_put_counts(w, "bond_counts", g->trial.bond_counts);
	json_put_word(w, "dominant_bond", bond_names[g->trial.dominant]);
	json_put_double(w, "mean_turn_confidence", bond_round(g->trial.mean_confidence));
	json_write_end_object(w);
}

static void signals_put(struct json_writer *w, const struct glance *g)
{
	const struct signals *s = &g->signals;

	json_write_begin_object(w);
	json_put_bool(w, "has_transcript", s->has_transcript);
	json_put_u64(w, "turns", s->turns);
	json_put_u64(w, "total_messages", s->total_messages);
	json_put_u64(w, "assistant_messages", s->assistant_messages);
	json_put_u64(w, "tool_calls", s->tool_calls);
	json_put_u64(w, "tool_results", s->tool_results);
	json_put_u64(w, "tool_errors", s->tool_errors);
	json_put_text_or_null(w, "first_error", s->first_error);
	json_put_bool(w, "wrote_output", s->wrote_output);
	json_put_double(w, "tool_seconds", s->timed_results ? s->tool_seconds : NAN); /* null */
	json_put_u64(w, "timed_results", s->timed_results);
	json_put_array(w, "tools");
	for (size_t i = 0; i < s->tool_count; i++) {
		json_write_begin_object(w);
		json_put_text(w, "name", s->tools[i].name);
		json_put_u64(w, "calls", s->tools[i].calls);
		json_put_u64(w, "errors", s->tools[i].errors);
		json_write_end_object(w);
	}
	json_write_end_array(w);
	signals_put_classification(w, g);
	json_write_end_object(w);
}

void signals_output_add_json(struct buf *out, const struct glance *g, struct opt_maybe selected)
{
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "signals");
	field_put_text_or_null(&w, selected, "path", g->signals.path);
	field_put_word(&w, selected, "format", g->signals.format);
	if (report_begin_field(&w, selected, "signals"))
		signals_put(&w, g);
	field_end_document(&w);
}

/* ---- text ---- */

static void signals_add_label(struct buf *out, const char *label)
{
	buf_add_str(out, str_from(label));
	wrap_add_spaces(out, LABEL - strlen(label));
}

static void signals_add_number(struct buf *out, const char *label, uint64_t n)
{
	signals_add_label(out, label);
	buf_printf(out, "%llu\n", (unsigned long long)n);
}

/* Each tool with its calls, on lines of their own. */
static void signals_add_tools(struct buf *out, const struct signals *s, size_t width)
{
	struct buf name;

	signals_add_number(out, "tool calls", s->tool_calls);
	buf_init(&name);
	for (size_t i = 0; i < s->tool_count && i < TOOLS_SHOWN; i++) {
		buf_clear(&name);
		term_add_text(&name, s->tools[i].name);
		buf_printf(&name, " %llu", (unsigned long long)s->tools[i].calls);
		wrap_add_spaces(out, LABEL);
		wrap_add_words(out, buf_str(&name), LABEL, LABEL, width);
		buf_add_byte(out, '\n');
	}
	if (s->tool_count > TOOLS_SHOWN) {
		wrap_add_spaces(out, LABEL);
		buf_printf(out, "and %zu more; --json has them\n", s->tool_count - TOOLS_SHOWN);
	}
	buf_free(&name);
}

static void signals_add_first_error(struct buf *out, const struct signals *s, size_t width)
{
	struct buf safe;

	if (!s->first_error.p)
		return;
	buf_init(&safe);
	term_add_text(&safe, s->first_error);
	signals_add_label(out, "first error");
	wrap_add_words(out, buf_str(&safe), LABEL, LABEL, width);
	buf_add_byte(out, '\n');
	buf_free(&safe);
}

static void signals_add_source(struct buf *out, const struct signals *s, size_t width)
{
	struct buf text;

	buf_init(&text);
	buf_printf(&text, "%s%s", s->path.p ? s->format : "none", s->path.p ? ", " : "");
	term_add_text(&text, s->path);
	wrap_add_words(out, buf_str(&text), LABEL, LABEL, width);
	buf_add_byte(out, '\n');
	buf_free(&text);
}

static void signals_add_bonds(struct buf *out, const struct glance *g, size_t width)
{
	struct buf counts;

	buf_init(&counts);
	if (g->is_classified)
		classify_output_add_counts(&counts, g->trial.bond_counts);
	else
		buf_add_str(&counts, STR("not known\n"));
	signals_add_label(out, "bonds");
	wrap_add_words(out, str_of(counts.p, counts.n - 1), LABEL, LABEL, width);
	buf_add_byte(out, '\n');
	buf_free(&counts);
}

void signals_output_add_text(struct buf *out, const struct glance *g, size_t width)
{
	const struct signals *s = &g->signals;

	signals_add_label(out, "transcript");
	signals_add_source(out, s, width);
	signals_add_number(out, "turns", s->turns);
	signals_add_label(out, "messages");
	buf_printf(out, "%llu, %llu of the assistant\n", (unsigned long long)s->total_messages,
		   (unsigned long long)s->assistant_messages);
	signals_add_tools(out, s, width);
	signals_add_label(out, "tool results");
	buf_printf(out, "%llu, ", (unsigned long long)s->tool_results);
	amounts_add_things(out, s->tool_errors, "error");
	buf_add_byte(out, '\n');
	signals_add_label(out, "tool time");
	if (s->timed_results)
		amounts_add_time(out, (int64_t)fmin(s->tool_seconds * 1e6, 9e15), false);
	else
		buf_add_str(out, STR("not known"));
	if (s->timed_results && s->timed_results < s->tool_results)
		buf_printf(out, ", told by %llu of them", (unsigned long long)s->timed_results);
	buf_add_byte(out, '\n');
	signals_add_label(out, "wrote output");
	buf_add_str(out, s->wrote_output ? STR("yes\n") : STR("no\n"));
	signals_add_bonds(out, g, width);
	signals_add_first_error(out, s, width);
}

static void signals_output_tick(void *context, const struct source *from)
{
	inputs_show_progress(context, "signals", from);
}

int signals_output_show(struct arena *a, struct str path, struct args args, struct opt_maybe json, unsigned jobs,
			struct err *err)
{
	struct progress line;
	const struct transcript_how how = { .jobs = jobs, .tick = signals_output_tick, .context = &line };
	struct rules rules;
	struct glance g;
	struct buf out;
	bool done;

	progress_init(&line, args.frame, STDERR_FILENO, clock_mono_ns());
	rules_builtin(a, &rules);
	done = glance_load(&g, a, path, &rules, &how, err);
	progress_erase(&line);
	if (!done)
		return EXIT_FAIL;
	if (!g.signals.has_transcript)
		inputs_note(args.frame, "%.*s: there is no trajectory and no conversation; 'record --content' keeps "
			    "one", STR_ARG(path));
	if (g.signals.unreadable)
		inputs_warn(args.frame, "%.*s: lines that could not be read: %llu", STR_ARG(path),
			    (unsigned long long)g.signals.unreadable);
	buf_init(&out);
	if (json.given)
		signals_output_add_json(&out, &g, json);
	else
		signals_output_add_text(&out, &g, args.frame->out.width);
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
	return EXIT_YES;
}
