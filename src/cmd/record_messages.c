/*
 * Puts together what was captured, lost and refused, in the order errors, warnings, results. Every sentence is wrapped
 * and made safe, since texts of services are among them.
 */
#include "cmd/record_messages.h"

#include "cmd/frame/stream.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/term.h"
#include "cmd/screen/wrap.h"

#define WIDTH 100

static const char why_label[] = "   = why: ", help_label[] = "   = help: ";

static const char known_apis[] =
	"the known APIs are OpenAI's chat completions, Responses and embeddings, Anthropic's messages, Gemini's "
	"generateContent and Ollama's API";
static const char failed_early[] =
	"it may have failed before it asked a model; if not, its client has an address in its code, or "
	"reads none of the variables set here";
static const char not_led[] =
	"most likely its client has an address in its code, which overrides the environment, or reads "
	"none of the variables set here";
static const char lead_it[] =
	"take the address from the environment, as in OpenAI(base_url=os.environ[\"OPENAI_BASE_URL\"]); "
	"'trackway record -- env' shows what is set";
static const char check_metrics[] =
	"check the address of the vLLM or SGLang server, with or without /metrics; the trace has no "
	"engine metrics now";

static const char let_in[] =
	"clients started by record never send these; --allow-host NAME and --allow-origin ORIGIN accept them";
static const char send_elsewhere[] =
	"set OTEL_EXPORTER_OTLP_ENDPOINT to your collector: the recorder does not pass telemetry on, because "
	"spans may hold prompts";

/* The words of an error or a warning may be long, and those of a service anything. */
static void record_messages_add_wrapped(struct buf *b, const struct frame *f, struct str text, size_t column,
					size_t indent)
{
	struct buf safe;

	buf_init(&safe);
	term_add_text(&safe, text);
	wrap_add_words(b, buf_str(&safe), column, indent,
		       f->err.is_terminal && f->err.width < WIDTH ? f->err.width : WIDTH);
	buf_add_byte(b, '\n');
	buf_free(&safe);
}

static void record_messages_add_message(struct buf *b, const struct frame *f, const char *word,
					enum term_style style, struct str text)
{
	buf_printf(b, "%s%s%s: ", term_style(f->err.color, style), word, term_style(f->err.color, STYLE_PLAIN));
	record_messages_add_wrapped(b, f, text, strlen(word) + 2, 2);
}

static void add_note(struct buf *b, const struct frame *f, const char *label, const char *text)
{
	buf_add_str(b, str_from(label));
	record_messages_add_wrapped(b, f, str_from(text), strlen(label), strlen(label));
}

static void record_messages_add_size(struct buf *b, uint64_t bytes)
{
	if (bytes < 1024)
		amounts_add_things(b, bytes, "byte");
	else if (bytes < 1024 * 1024)
		buf_printf(b, "%.1f KiB", (double)bytes / 1024);
	else
		buf_printf(b, "%.1f MiB", (double)bytes / (1024 * 1024));
}

/* Requests came, but none that is a call of a model. */
static void add_only_others(struct arena *a, struct buf *b, const struct frame *f, uint64_t count)
{
	struct str text = STR("1 request came, to no known API");

	if (count > 1)
		text = arena_printf(a, "%llu requests came, none to a known API",
				    (unsigned long long)count);
	record_messages_add_message(b, f, "warning", STYLE_WARNING,
				    ARENA_JOIN(a, STR("no model call was captured: "), text));
	add_note(b, f, help_label, known_apis);
}

/* A base_url in the code beats the environment, and nothing comes here. But a child that failed may not have asked. */
static void add_nothing(struct arena *a, struct buf *b, const struct frame *f, const struct run_files_end *end)
{
	struct str how = STR("ended");

	if (end->signal)
		how = arena_printf(a, "was ended by signal %d", end->signal);
	else if (end->status)
		how = arena_printf(a, "ended with exit status %d", end->status);
	record_messages_add_message(b, f, "warning", STYLE_WARNING,
				    ARENA_JOIN(a, STR("nothing was captured: the command "), how,
					       STR(" without sending a request to the recorder")));
	add_note(b, f, why_label, end->signal || end->status ? failed_early : not_led);
	add_note(b, f, help_label, lead_it);
}

/* How many calls were recorded, how many of them failed, and what else passed through. */
static void add_recorded(struct buf *b, const struct run_graph_tally *t)
{
	buf_add_str(b, STR("recorded "));
	amounts_add_things(b, t->counts[AT_MODEL_CALL], "model call");
	if (t->failed)
		buf_printf(b, " (%llu failed)", (unsigned long long)t->failed);
	buf_add_str(b, STR(", "));
	amounts_add_things(b, t->counts[AT_TOOL_CALL], "tool call");
	if (t->other) {
		buf_add_str(b, STR("; passed on "));
		amounts_add_things(b, t->other, "other request");
	}
	buf_add_byte(b, '\n');
}

/* Names the files and the next command. `any`: a model call was recorded, so there is something to show. */
static void add_written(struct buf *b, const struct recording_outcome *out, bool any)
{
	if (!out->trace_sha256.p)
		return; /* it was told why */
	buf_add_str(b, STR("wrote "));
	term_add_text(b, out->run.path);
	buf_add_str(b, STR("/agent-trace.jsonl ("));
	amounts_add_things(b, out->trace_lines, "event");
	buf_add_str(b, STR(", "));
	record_messages_add_size(b, out->trace_bytes);
	buf_printf(b, ", sha256 %.12s…)\n", out->trace_sha256.p);
	if (!any)
		return;
	if (out->content_count)
		buf_add_str(b, STR("also wrote the content, readable only by you: "));
	for (size_t i = 0; i < out->content_count; i++)
		buf_printf(b, "%s%s", out->content[i], i + 1 < out->content_count ? ", " : "\n");
	buf_add_str(b, STR("next: trackway show "));
	if (out->listed)
		buf_add_str(b, STR("@last"));
	else
		term_add_text(b, out->run.path);
	buf_add_byte(b, '\n');
}

/* A service that cannot be reached is the agent's to handle, but its clients rarely say which and why. */
static struct str refusals(struct arena *a, const struct recording_outcome *out)
{
	if (out->refused == 1)
		return out->refusal;
	return arena_printf(a, "%.*s; %llu requests failed this way in all", STR_ARG(out->refusal),
			    (unsigned long long)out->refused);
}

/* What was not passed on: whoever asked may be the agent. */
static void add_turned_away(struct arena *a, struct buf *b, const struct frame *f,
			    const struct recording_outcome *out)
{
	if (out->strangers) {
		record_messages_add_message(b, f, "warning", STYLE_WARNING,
					    arena_printf(a,
							 "requests refused because of their Host or Origin: %llu",
							 (unsigned long long)out->strangers));
		add_note(b, f, help_label, let_in);
	}
	if (out->telemetry) {
		record_messages_add_message(
			b, f, "warning", STYLE_WARNING,
			arena_printf(a, "telemetry requests (OTLP) not passed on: %llu",
				     (unsigned long long)out->telemetry));
		add_note(b, f, help_label, send_elsewhere);
	}
}

void record_talk(struct arena *a, const struct frame *f, const struct recording_outcome *out)
{
	bool any = out->end.tally.counts[AT_MODEL_CALL] > 0;
	struct buf b;

	buf_init(&b);
	for (const struct recording_trouble *t = out->troubles; t; t = t->next)
		record_messages_add_message(&b, f, "error", STYLE_ERROR, t->text);
	if (out->engine_metrics_trouble.p) {
		record_messages_add_message(&b, f, "warning", STYLE_WARNING, out->engine_metrics_trouble);
		add_note(&b, f, help_label, check_metrics);
	}
	if (out->refused)
		record_messages_add_message(&b, f, "warning", STYLE_WARNING, refusals(a, out));
	add_turned_away(a, &b, f, out);
	if (!any && !out->exchanges && (out->strangers || out->telemetry))
		record_messages_add_message(&b, f, "warning", STYLE_WARNING,
					    STR("no model call was captured"));
	else if (!any && out->exchanges)
		add_only_others(a, &b, f, out->exchanges);
	else if (!any)
		add_nothing(a, &b, f, &out->end);
	if (any && !f->quiet)
		add_recorded(&b, &out->end.tally);
	if (!f->quiet)
		add_written(&b, out, any);
	stream_write(stderr, buf_str(&b));
	buf_free(&b);
}
