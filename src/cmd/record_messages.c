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
static const char asks_none[] =
	"lists of models, counts of tokens, and WebSockets that were refused or never used call no model";
static const char failed_early[] =
	"it may have failed before it asked a model; if not, its client has an address in its code, or "
	"reads none of the variables set here";
static const char not_led[] =
	"most likely its client has an address in its code, which overrides the environment, or reads "
	"none of the variables set here";
static const char lead_it[] =
	"take the address from the environment, as in OpenAI(base_url=os.environ[\"OPENAI_BASE_URL\"]); "
	"'trackway record -- env' shows what is set";
static const char read_sockets[] =
	"leave out --no-websocket: WebSockets of the Responses API are recorded";
static const char check_metrics[] =
	"check the address of the vLLM or SGLang server, with or without /metrics; the trace has no "
	"engine metrics now";

static const char let_in[] =
	"clients started by record never send these; --allow-host NAME and --allow-origin ORIGIN accept them";
static const char send_elsewhere[] =
	"the recorder takes telemetry at the address in OTEL_EXPORTER_OTLP_ENDPOINT, without a path before /v1/traces";
static const char no_exporter[] =
	"its OpenTelemetry exporter must send OTLP over HTTP to the address in OTEL_EXPORTER_OTLP_ENDPOINT, which is "
	"set for the command; an address in its code, OTEL_TRACES_EXPORTER=none or OTEL_SDK_DISABLED would keep it "
	"from that";
static const char no_model_spans[] =
	"calls are found by the attributes of OpenTelemetry's GenAI conventions, OpenInference, OpenLLMetry, and by "
	"the telemetry of Claude Code and Codex";

static const char trust_us[] =
	"let the client trust the certificates in the file that TRACKWAY_CA_FILE names, which is set for the command; "
	"or give it the address of the recorder, without --intercept";
static const char speak_older[] = "switch HTTP/2 off in the client, or give it the address of the recorder, without "
				  "--intercept";
static const char name_service[] =
	"if one of them is a model service, name it: --upstream NAME=https://HOST; its connections are then captured";

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

/* Requests came, but none that is a call of a model. `beside`: all of them were to known APIs. */
static void add_only_others(struct arena *a, struct buf *b, const struct frame *f, uint64_t count, bool beside)
{
	struct str text = beside ? STR("1 request came, and it calls no model")
				 : STR("1 request came, to no known API");

	if (count > 1)
		text = arena_printf(a, "%llu requests came, none %s", (unsigned long long)count,
				    beside ? "of which calls a model" : "to a known API");
	record_messages_add_message(b, f, "warning", STYLE_WARNING,
				    ARENA_JOIN(a, STR("no model call was captured: "), text));
	if (beside)
		add_note(b, f, why_label, asks_none);
	else
		add_note(b, f, help_label, known_apis);
}

/* A base_url in the code beats the environment, and nothing comes here. But a child that failed may not have asked. */
static void add_nothing(struct arena *a, struct buf *b, const struct frame *f, const struct agent *agent,
			const struct run_files_end *end)
{
	struct str how = STR("ended");

	if (end->signal)
		how = arena_printf(a, "was ended by signal %d", end->signal);
	else if (end->status)
		how = arena_printf(a, "ended with exit status %d", end->status);
	record_messages_add_message(b, f, "warning", STYLE_WARNING,
				    ARENA_JOIN(a, STR("nothing was captured: the command "), how,
					       STR(" without sending a request to the recorder")));
	if (!agent || !agent->help)
		add_note(b, f, why_label, end->signal || end->status ? failed_early : not_led);
	add_note(b, f, help_label, agent && agent->help ? agent->help : lead_it);
}

/* How many calls were recorded, how many of them failed, and what else passed through. */
static void add_recorded(struct buf *b, const struct recording_outcome *out)
{
	const struct run_graph_tally *t = &out->end.tally;

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
	if (amount_is_known(t->usd)) {
		buf_add_str(b, STR("; cost "));
		amounts_add_dollars(b, t->usd.n, false);
		buf_add_str(b, t->usd.source == FIGURE_API ? STR(", as the service says") : STR(", estimated"));
	}
	buf_add_byte(b, '\n');
	if (out->unpriced.n) {
		term_add_text(b, out->unpriced);
		buf_add_str(b, STR(": the cost of the run is not known\n"));
	}
}

/* Names the files and the next command. `any`: a call was recorded, so there is something to show. */
static void add_written(struct buf *b, const struct recording_outcome *out, bool any)
{
	if (!out->trace_sha256.p)
		return; /* it was told why */
	buf_add_str(b, STR("wrote "));
	term_add_text(b, out->run.path);
	buf_add_str(b, STR("/agent-trace.jsonl ("));
	amounts_add_things(b, out->trace_lines, "event");
	buf_add_str(b, STR(", "));
	amounts_add_bytes(b, out->trace_bytes);
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
	if (out->astray) {
		record_messages_add_message(
			b, f, "warning", STYLE_WARNING,
			arena_printf(a, "telemetry (OTLP) sent to the path of a model service, and not taken: %llu "
				     "requests", (unsigned long long)out->astray));
		add_note(b, f, help_label, send_elsewhere);
	}
}

/* What became of telemetry besides its nodes: refused, rejected, not passed on. */
static void add_telemetry_troubles(struct arena *a, struct buf *b, const struct frame *f,
				   const struct recording_outcome *out)
{
	const struct otlp_receiver_tally *t = &out->telemetry;

	if (out->telemetry_note.n && (t->requests || out->otlp)) /* else nobody misses it */
		record_messages_add_message(b, f, "warning", STYLE_WARNING, out->telemetry_note);
	if (out->telemetry_lost.n)
		record_messages_add_message(b, f, "warning", STYLE_WARNING, out->telemetry_lost);
	if (t->refused)
		record_messages_add_message(b, f, "warning", STYLE_WARNING,
					    arena_printf(a, "telemetry requests (OTLP) that could not be read: %llu",
							 (unsigned long long)t->refused));
	if (t->rejected)
		record_messages_add_message(b, f, "warning", STYLE_WARNING,
					    arena_printf(a, "spans without ids that can be used, not taken: %llu",
							 (unsigned long long)t->rejected));
}

void record_messages_add_telemetry(struct buf *b, const struct otlp_receiver_tally *t)
{
	if (!t->requests)
		return;
	buf_add_str(b, STR("telemetry: "));
	amounts_add_things(b, t->spans, "span");
	if (t->logs) {
		buf_add_str(b, STR(", "));
		amounts_add_things(b, t->logs, "log record");
	}
	if (t->points) {
		buf_add_str(b, STR(", "));
		amounts_add_things(b, t->points, "data point");
	}
	buf_add_str(b, STR(" in "));
	amounts_add_things(b, t->requests, "request");
	buf_add_byte(b, '\n');
}

/* Clients that would not have us in the place of a host, a warning for each host. */
static void add_unwilling(struct arena *a, struct buf *b, const struct frame *f, const struct recording_outcome *out)
{
	for (const struct recording_host *h = out->hosts; h; h = h->next) {
		struct str rest = h->passed ? STR("; later ones were passed on unread") : STR("");

		if (h->distrust) {
			record_messages_add_message(
				b, f, "warning", STYLE_WARNING,
				arena_printf(a, "a client of %.*s does not trust the recorder's certificate: its "
					     "connections were not captured%.*s", STR_ARG(h->name), STR_ARG(rest)));
			add_note(b, f, help_label, trust_us);
		} else if (h->foreign) {
			record_messages_add_message(
				b, f, "warning", STYLE_WARNING,
				arena_printf(a, "a client of %.*s speaks only HTTP/2: its connections were not "
					     "captured%.*s", STR_ARG(h->name), STR_ARG(rest)));
			add_note(b, f, help_label, speak_older);
		}
	}
}

enum { HOSTS_SHOWN = 5 };

/* "a.example, b.example and 3 more hosts": those that were passed on to unread. p NULL when there are none. */
static struct str list_passed(struct arena *a, const struct recording_outcome *out)
{
	struct str text = { NULL, 0 };
	size_t count = 0;

	for (const struct recording_host *h = out->hosts; h; h = h->next)
		if (h->passed && ++count <= HOSTS_SHOWN)
			text = count == 1 ? h->name : ARENA_JOIN(a, text, STR(", "), h->name);
	return count <= HOSTS_SHOWN ? text
				    : arena_printf(a, "%.*s and %zu more", STR_ARG(text), count - HOSTS_SHOWN);
}

/* No model call was captured, for one of several reasons: the first that holds is told. */
static void add_no_call(struct arena *a, struct buf *b, const struct frame *f, const struct agent *agent,
			const struct recording_outcome *out)
{
	if (!out->exchanges && out->telemetry.requests) {
		struct str why = out->telemetry.spans || out->telemetry.logs ? STR("none is in the telemetry that came")
									     : STR("no span came");

		record_messages_add_message(b, f, "warning", STYLE_WARNING,
					    ARENA_JOIN(a, STR("no model call was captured: "), why));
		add_note(b, f, help_label, no_model_spans);
	} else if (out->otlp && !out->strangers) {
		record_messages_add_message(b, f, "warning", STYLE_WARNING,
					    STR("nothing was captured: the command sent no telemetry to the recorder"));
		add_note(b, f, help_label, no_exporter);
	} else if (out->exchanges) {
		add_only_others(a, b, f, out->exchanges, out->end.tally.beside > 0);
	} else if (out->websockets) {
		record_messages_add_message(b, f, "warning", STYLE_WARNING,
					    STR("no model call was captured: the command asked only for a WebSocket, "
						"which --no-websocket refuses"));
		add_note(b, f, help_label, read_sockets);
	} else if (list_passed(a, out).p) {
		record_messages_add_message(b, f, "warning", STYLE_WARNING,
					    ARENA_JOIN(a, STR("no model call was captured: all connections were passed "
							      "on unread, to "), list_passed(a, out)));
		add_note(b, f, help_label, name_service);
	} else if (out->strangers || out->astray || out->sightings) {
		record_messages_add_message(b, f, "warning", STYLE_WARNING, STR("no model call was captured"));
	} else {
		add_nothing(a, b, f, agent, &out->end);
	}
}

void record_announce(const struct frame *f, const struct agent_plan *plan)
{
	struct buf b;

	if (f->quiet || !plan->told.p)
		return;
	buf_init(&b);
	record_messages_add_wrapped(&b, f, plan->told, 0, 2);
	stream_write(stderr, buf_str(&b));
	buf_free(&b);
}

void record_talk(struct arena *a, const struct frame *f, const struct agent_plan *plan,
		 const struct recording_outcome *out)
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
	add_telemetry_troubles(a, &b, f, out);
	add_unwilling(a, &b, f, out);
	if (!any)
		add_no_call(a, &b, f, plan->agent, out);
	any = any || out->end.tally.counts[AT_TOOL_CALL] > 0; /* hooks, shims and MCP see tools without a model */
	if (any && !f->quiet)
		add_recorded(&b, out);
	if (!f->quiet)
		record_messages_add_telemetry(&b, &out->telemetry);
	if (!f->quiet)
		add_written(&b, out, any);
	stream_write(stderr, buf_str(&b));
	buf_free(&b);
}
