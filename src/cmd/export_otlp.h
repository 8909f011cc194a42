/* What `trackway export` does for OTLP alone: names and resource of what is written, and sending it. */
#ifndef CMD_EXPORT_OTLP_H
#define CMD_EXPORT_OTLP_H

#include "cmd/frame/opt.h"
#include "cmd/logs.h"
#include "sink/export/export.h"
#include "sink/push/push.h"

struct export_otlp_opts {
	bool send, include_estimated, server_metrics;
	struct str profile, to, endpoint, signal, header_file, shift;
};

/* Their rows: `member_` is the struct above inside that of the command. */
#define EXPORT_OTLP_OPTIONS(struct_, member_)                                                                      \
	{ OPT_STR, 0, "profile", offsetof(struct_, member_.profile), "NAME",                                       \
	  "names of OTLP: 1.41 (the released conventions, default), genai-dev (what is planned, with hashes of "    \
	  "arguments and results) or seed (those of the agent-trace text)" },                                      \
	{ OPT_FLAG, 0, "include-estimated", offsetof(struct_, member_.include_estimated), NULL,                    \
	  "OTLP metrics: count estimated tokens too" },                                                            \
	{ OPT_FLAG, 0, "server-metrics", offsetof(struct_, member_.server_metrics), NULL,                          \
	  "OTLP metrics: those of the server too, where no engine was measured" },                                 \
	{ OPT_STR, 0, "shift-time", offsetof(struct_, member_.shift), "now",                                       \
	  "OTLP: move all times so that the last run ends now, for backends that refuse old spans; the root "      \
	  "span says by how much" },                                                                               \
	{ OPT_FLAG, 0, "otlp", offsetof(struct_, member_.send), NULL,                                              \
	  "send spans and metrics by HTTP instead of writing them; the OTEL_EXPORTER_OTLP_... variables hold" },   \
	{ OPT_STR, 0, "to", offsetof(struct_, member_.to), "PRESET",                                               \
	  "with --otlp: what suits jaeger, tempo, phoenix or langfuse" },                                          \
	{ OPT_STR, 0, "endpoint", offsetof(struct_, member_.endpoint), "URL",                                      \
	  "with --otlp: where to send, without /v1/traces (default: http://localhost:4318)" },                     \
	{ OPT_STR, 0, "signal", offsetof(struct_, member_.signal), "WHAT",                                         \
	  "with --otlp: traces, metrics or both (default: what the preset takes, else both)" },                    \
	{ OPT_STR, 0, "header-file", offsetof(struct_, member_.header_file), "FILE",                               \
	  "with --otlp: headers to send, a line 'Name: value' each; never shown" }

/* What the options come to. All in the arena of the command. */
struct export_otlp {
	const struct export_otlp_opts *o;
	struct arena *arena;
	bool wanted[PUSH_SIGNALS];
	struct push_plan plans[PUSH_SIGNALS];
};

/*
 * Checks the options and fills in what they and the environment say of the output. `format` is that of --format, NULL
 * without one. False and ERR_USAGE, with the remedy.
 */
bool export_otlp_check(struct export_otlp *x, const struct export_format *format, struct export_options *options,
		       struct err *err);

/* Whether a format is one of OTLP's, and its bytes are no text. */
bool export_otlp_is(const struct export_format *format);
bool export_otlp_is_binary(const struct export_format *format);

/* Sets the shift of --shift-time from the runs; nothing without it. */
void export_otlp_shift(const struct export_otlp *x, const struct trace_list *runs, struct export_options *options);

/*
 * Sends all runs; says what was sent, and what was rejected, on standard error. *rejected counts that. False and *err
 * when a request was not taken: those before it were.
 */
bool export_otlp_send(const struct export_otlp *x, const struct export_options *options,
		      const struct trace_list *runs, struct logs *logs, uint64_t *rejected, struct err *err);

#endif
