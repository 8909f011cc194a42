/* What `trackway export` does for OTLP alone: names and resource of what is written, and sending it. */
#ifndef CMD_EXPORT_OTLP_H
#define CMD_EXPORT_OTLP_H

#include "cmd/frame/opt.h"
#include "cmd/logs.h"
#include "sink/export/export.h"
#include "sink/push/push.h"

struct export_otlp_opts {
	bool send, include_estimated, server_metrics;
	int profile; /* enum otlp_profile, or -1 */
	int signal;  /* enum export_signal, or -1 */
	struct str to, endpoint, header_file, shift, start;
};

#define EXPORT_OTLP_DEFAULTS { .profile = -1, .signal = -1 }

enum export_signal { EXPORT_TRACES, EXPORT_METRICS, EXPORT_BOTH };

/* Their rows: `member_` is the struct above inside that of the command. */
#define EXPORT_OTLP_OPTIONS(struct_, member_) \
	{ OPT_CHOICE, 0, "profile", offsetof(struct_, member_.profile), "1.41|genai-dev|seed", \
	  "names of OTLP: the released conventions (1.41, default), what is planned, with hashes of arguments and " \
	  "results (genai-dev), or those of the agent-trace text (seed)" }, \
	{ OPT_FLAG, 0, "include-estimated", offsetof(struct_, member_.include_estimated), NULL, \
	  "count estimated tokens in the metrics of OTLP too" }, \
	{ OPT_FLAG, 0, "server-metrics", offsetof(struct_, member_.server_metrics), NULL, \
	  "write the metrics of the server too where no engine was measured" }, \
	{ OPT_STR, 0, "shift-time", offsetof(struct_, member_.shift), "now", \
	  "move all times of OTLP so that the last run ends now, for backends that refuse old spans; the root span " \
	  "says by how much" }, \
	{ OPT_STR, 0, "start", offsetof(struct_, member_.start), "TIME", \
	  "for OTLP: when a run began that has no times at all (2026-01-31T12:00:00Z); its spans are laid out from " \
	  "there, and the root says so. Without it such a run is refused" }, \
	{ OPT_FLAG, 0, "otlp", offsetof(struct_, member_.send), NULL, \
	  "send spans and metrics by HTTP instead of writing them" }, \
	{ OPT_STR, 0, "to", offsetof(struct_, member_.to), "PRESET", \
	  "send what suits jaeger, tempo, phoenix or langfuse" }, \
	{ OPT_STR, 0, "endpoint", offsetof(struct_, member_.endpoint), "URL", \
	  "send to this address, without /v1/traces (default: http://localhost:4318)" }, \
	{ OPT_CHOICE, 0, "signal", offsetof(struct_, member_.signal), "traces|metrics|both", \
	  "what to send (default: what the preset takes, else both)" }, \
	{ OPT_STR, 0, "header-file", offsetof(struct_, member_.header_file), "FILE", \
	  "send the headers in this file, a line 'Name: value' each; they are never shown" }

/* What the options come to. All in the arena of the command. */
struct export_otlp {
	const struct export_otlp_opts *o;
	struct arena *arena;
	bool is_wanted; /* what is written or sent is OTLP */
	int64_t start_ns; /* of --start; 0 without */
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

/* Runs without times: laid out from --start, or taken out of the list and said to be failures. Nothing but for OTLP. */
void export_otlp_start(const struct export_otlp *x, struct trace_list *runs, struct logs *logs);

/* Sets the shift of --shift-time from the runs; nothing without it. */
void export_otlp_shift(const struct export_otlp *x, const struct trace_list *runs, struct export_options *options);

/*
 * Sends all runs; says what was sent, and what was rejected, on standard error. *rejected counts that. False and *err
 * when a request was not taken: those before it were.
 */
bool export_otlp_send(const struct export_otlp *x, const struct export_options *options,
		      const struct trace_list *runs, struct logs *logs, uint64_t *rejected, struct err *err);

#endif
